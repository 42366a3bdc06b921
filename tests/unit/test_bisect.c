/* SPDX-License-Identifier: Apache-2.0 */
/* test_bisect.c - graphs cut in a number of parts: sizes, edges between parts, equal answers */
#include "support_test.h"

#include "partition/bisect_refine.h"
#include "partition/partition.h"

/* A grid whose vertices are numbered at random. */
static mplan_csr make_grid(int32_t nx, int32_t ny, uint64_t seed)
{
    const int32_t n = nx * ny;
    mplan_error err;
    int32_t *number = malloc((size_t)n * 4 + 4), *pairs = malloc((size_t)n * 16 + 8), n_pairs = 0;
    for (int32_t i = 0; i < n; i++) {
        const int32_t j = (int32_t)support_random(&seed, i + 1);
        number[i] = number[j];
        number[j] = i;
    }
    for (int32_t v = 0; v < n; v++)
        for (int way = 0; way < 2; way++) {
            if (way ? v / nx + 1 == ny : v % nx + 1 == nx)
                continue;
            pairs[2 * n_pairs] = number[v];
            pairs[2 * n_pairs++ + 1] = number[way ? v + nx : v + 1];
        }
    const mplan_map map = {"edges", 0, 1, 2, n_pairs, n, NULL, pairs};
    mplan_csr graph;
    assert_done(mplan_graph_of_points(&map, 1, 0, &graph, NULL, &err), &err);
    free(number);
    free(pairs);
    return graph;
}

static int64_t edges_between(const mplan_csr *graph, const int32_t *part)
{
    int64_t cut = 0;
    for (int64_t v = 0; v < graph->n; v++)
        for (int64_t i = graph->offsets[v]; i < graph->offsets[v + 1]; i++)
            cut += part[v] != part[graph->neighbours[i]];
    return cut / 2;
}

/* No part is empty, none is larger than it may be, and answers repeat. */
static void parts_have_their_sizes(void **state)
{
    (void)state;
    mplan_error err;
    for (int32_t i = 0; i < 60; i++) {
        const int32_t nx = 1 + i % 13, ny = 1 + i % 29;
        mplan_csr graph = make_grid(nx, ny, (uint64_t)i + 1);
        int32_t *part = malloc((size_t)graph.n * 4), *again = malloc((size_t)graph.n * 4);
        for (int32_t k = 1; k <= graph.n && k <= 24; k += 1 + k / 3) {
            int64_t size[24] = {0}, most = 0;
            assert_done(mplan_partition_bisect(&graph, k, 1.01, NULL, part, NULL, &err), &err);
            assert_done(mplan_partition_bisect(&graph, k, 1.01, NULL, again, NULL, &err), &err);
            assert_memory_equal(part, again, (size_t)graph.n * 4);
            for (int64_t v = 0; v < graph.n; v++) {
                assert_in_range(part[v], 0, k - 1);
                size[part[v]]++;
            }
            for (int32_t q = 0; q < k; q++) {
                assert_true(size[q] > 0);
                most = size[q] > most ? size[q] : most;
            }
            /* a vertex for each of the bisections that lead to a part */
            assert_true((double)most <= 1.01 * (double)graph.n / k + 5);
        }
        free(part);
        free(again);
        mplan_csr_free(&graph);
    }
}

/* A square of n x n in 4 parts has 2n edges between them at best; stripes have 3n, and random parts 1.5 n n. */
static void few_edges_are_cut(void **state)
{
    (void)state;
    mplan_error err;
    for (int32_t n = 16; n <= 96; n += 16) {
        mplan_csr graph = make_grid(n, n, 5);
        int32_t *part = malloc((size_t)graph.n * 4);
        assert_done(mplan_partition_bisect(&graph, 4, 1.01, NULL, part, NULL, &err), &err);
        const int64_t cut = edges_between(&graph, part);
        if (cut > 2 * n + n * 7 / 10)
            fail_msg("%d x %d: %lld edges are cut", (int)n, (int)n, (long long)cut);
        free(part);
        mplan_csr_free(&graph);
    }
}

/* What a pass says it cut is what lies between the sides, which it never makes worse. */
static void refinement_tells_the_cut(void **state)
{
    (void)state;
    mplan_error err;
    uint64_t seed = 9;
    for (int32_t i = 0; i < 200; i++) {
        mplan_csr graph = make_grid(2 + i % 11, 2 + i % 7, (uint64_t)i + 1);
        mplan_weighted weighted;
        uint8_t *side = malloc((size_t)graph.n);
        int32_t *part = malloc((size_t)graph.n * 4);
        assert_done(mplan_weighted_of(&graph, NULL, &weighted, &err), &err);
        for (int64_t v = 0; v < graph.n; v++) {
            side[v] = (uint8_t)support_random(&seed, 2);
            part[v] = side[v];
        }
        mplan_sides sides = {side, graph.n / 2, 1, 0, 0};
        const int64_t off = mplan_sides_off(&weighted, &sides), before = edges_between(&graph, part);
        assert_done(mplan_sides_refine(&weighted, 8, &sides, NULL, &err), &err);
        for (int64_t v = 0; v < graph.n; v++)
            part[v] = side[v];
        assert_int_equal(sides.cut, edges_between(&graph, part));
        assert_true(mplan_sides_off(&weighted, &sides) <= (off > 1 ? off : 1));
        if (off <= 1)
            assert_true(sides.cut <= before);
        free(side);
        free(part);
        mplan_weighted_free(&weighted);
        mplan_csr_free(&graph);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(parts_have_their_sizes),
        cmocka_unit_test(few_edges_are_cut),
        cmocka_unit_test(refinement_tells_the_cut),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
