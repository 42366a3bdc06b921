/* SPDX-License-Identifier: Apache-2.0 */
/* test_adjacency.c - transposes and graphs against matrices of who touches whom */
#include "support_test.h"
#include "support_threads.h"

#include "mesh/adjacency.h"

enum { MOST = 40, MOST_MAPS = 3 };

/* maps to set 1, or with `two_sets` every second one to set 2 */
static int32_t random_maps(uint64_t *seed, bool two_sets, mplan_map *maps)
{
    int32_t n_maps = 1 + (int32_t)support_random(seed, MOST_MAPS);
    int64_t n_rows = support_random(seed, 30), n_points = 1 + support_random(seed, 30);
    for (int32_t m = 0; m < n_maps; m++) {
        maps[m] = support_random_map(seed, n_rows, n_points, (int32_t)support_random(seed, 5),
                                     (int)support_random(seed, 40));
        if (two_sets && m % 2)
            maps[m].to = 2;
    }
    return n_maps;
}

static void free_maps(mplan_map *maps, int32_t n_maps)
{
    for (int32_t m = 0; m < n_maps; m++)
        support_map_free(&maps[m]);
}

static bool touches(const mplan_map *map, int64_t row, int32_t point)
{
    int32_t length;
    const int32_t *values = mplan_map_row(map, row, &length);
    for (int32_t k = 0; k < length; k++)
        if (values[k] == point)
            return true;
    return false;
}

static void compare_graph(const mplan_csr *graph, int64_t n, bool joined[MOST][MOST])
{
    assert_int_equal(graph->n, n);
    assert_int_equal(graph->offsets[0], 0);
    for (int64_t v = 0; v < n; v++) {
        int64_t k = graph->offsets[v];
        for (int64_t w = 0; w < n; w++)
            if (joined[v][w] && w != v) {
                assert_true(k < graph->offsets[v + 1]);
                assert_int_equal(graph->neighbours[k++], w);
            }
        assert_int_equal(k, graph->offsets[v + 1]);
    }
}

static void test_transpose(void **state)
{
    (void)state;
    uint64_t seed = 1;
    mplan_error err;
    for (int round = 0; round < 2000; round++) {
        mplan_map map = support_random_map(&seed, support_random(&seed, 30),
                                           1 + support_random(&seed, 20),
                                           (int32_t)support_random(&seed, 5), 20);
        bool with_slots = round % 2;
        mplan_transpose t;
        assert_done(mplan_map_transpose(&map, with_slots, &t, &err), &err);
        assert_true(with_slots == (t.slots != NULL));
        int64_t place = 0;
        for (int32_t p = 0; p < map.n_points; p++) {
            assert_int_equal(t.offsets[p], place);
            for (int64_t r = 0; r < map.n_rows; r++) {
                int32_t length;
                const int32_t *row = mplan_map_row(&map, r, &length);
                for (int32_t k = 0; k < length; k++) {
                    if (row[k] != p)
                        continue;
                    assert_int_equal(t.elements[place], r);
                    if (with_slots)
                        assert_int_equal(t.slots[place], row + k - map.values);
                    place++;
                }
            }
        }
        assert_int_equal(t.offsets[map.n_points], place);
        mplan_transpose_free(&t);
        support_map_free(&map);
    }
}

/* Joins by the definition: per to-set the list of elements of each point. */
static void join_elements(const mplan_map *maps, int32_t n_maps, int64_t hub_limit,
                          bool joined[MOST][MOST])
{
    memset(joined, 0, sizeof(bool[MOST][MOST]));
    for (int32_t set = 1; set <= 2; set++)
        for (int32_t p = 0; p < maps[0].n_points; p++) {
            int64_t list[MOST], length = 0;
            for (int64_t e = 0; e < maps[0].n_rows; e++) {
                bool any = false;
                for (int32_t m = 0; m < n_maps; m++)
                    any = any || (maps[m].to == set && touches(&maps[m], e, p));
                if (any)
                    list[length++] = e;
            }
            for (int64_t i = 0; i < length; i++)
                for (int64_t k = 0; k < length; k++)
                    if (hub_limit == 0 || length <= hub_limit || k == i + 1 || i == k + 1)
                        joined[list[i]][list[k]] = true;
        }
}

static void test_graph_of_elements(void **state)
{
    (void)state;
    uint64_t seed = 2;
    mplan_error err;
    static bool joined[MOST][MOST];
    for (int round = 0; round < 3000; round++) {
        mplan_map maps[MOST_MAPS];
        int32_t n_maps = random_maps(&seed, true, maps);
        int64_t hub_limit = support_random(&seed, 2) * support_random(&seed, 5);
        mplan_csr graph;
        assert_done(mplan_graph_of_elements(maps, n_maps, hub_limit, &graph, &err), &err);
        join_elements(maps, n_maps, hub_limit, joined);
        compare_graph(&graph, maps[0].n_rows, joined);
        mplan_csr_free(&graph);
        assert_null(graph.offsets);
        free_maps(maps, n_maps);
    }
}

/* By the definition: equal entries of two rows, at least `common`, or all but one of either row. */
static void join_common(const mplan_map *map, int32_t common, bool joined[MOST][MOST])
{
    memset(joined, 0, sizeof(bool[MOST][MOST]));
    for (int64_t a = 0; a < map->n_rows; a++)
        for (int64_t b = 0; b < map->n_rows; b++) {
            int32_t n, m, shared = 0;
            const int32_t *x = mplan_map_row(map, a, &n), *y = mplan_map_row(map, b, &m);
            for (int32_t i = 0; i < n; i++)
                for (int32_t k = 0; k < m; k++)
                    shared += x[i] >= 0 && x[i] == y[k];
            joined[a][b] = shared > 0 && (shared >= common || shared >= n - 1 || shared >= m - 1);
        }
}

static void test_graph_of_common(void **state)
{
    (void)state;
    uint64_t seed = 12;
    mplan_error err;
    static bool joined[MOST][MOST];
    for (int round = 0; round < 1000; round++) {
        mplan_map map = support_random_map(&seed, support_random(&seed, 20),
                                           1 + support_random(&seed, 12),
                                           (int32_t)support_random(&seed, 6), 20);
        int32_t common = 1 + (int32_t)support_random(&seed, 4);
        mplan_csr graph;
        assert_done(mplan_graph_of_common(&map, common, &graph, &err), &err);
        join_common(&map, common, joined);
        compare_graph(&graph, map.n_rows, joined);
        mplan_csr_free(&graph);
        support_map_free(&map);
    }
}

static void test_same_table_twice(void **state)
{
    (void)state;
    uint64_t seed = 3;
    mplan_error err;
    mplan_map map = support_random_map(&seed, 30, 20, 2, 10);
    mplan_map maps[3] = {map, map, map};
    mplan_csr one, three;
    assert_done(mplan_graph_of_elements(maps, 1, 0, &one, &err), &err);
    assert_done(mplan_graph_of_elements(maps, 3, 0, &three, &err), &err);
    assert_memory_equal(one.offsets, three.offsets, 31 * sizeof(int64_t));
    assert_memory_equal(one.neighbours, three.neighbours, (size_t)one.offsets[30] * sizeof(int32_t));
    mplan_csr_free(&one);
    mplan_csr_free(&three);
    support_map_free(&map);
}

/* All points of an element through all maps of its set; a long list joins
 * neighbours in it. Maps 0, 2 come from set 0, with `two_froms` map 1 from set 3. */
static void join_points(const mplan_map *maps, int32_t n_maps, int64_t hub_limit,
                        bool joined[MOST][MOST])
{
    memset(joined, 0, sizeof(bool[MOST][MOST]));
    for (int32_t from = 0; from <= 3; from += 3)
        for (int64_t e = 0; e < maps[0].n_rows; e++) {
            int32_t list[MOST_MAPS * 8];
            int64_t length = 0;
            for (int32_t m = 0; m < n_maps; m++) {
                int32_t n;
                const int32_t *row = mplan_map_row(&maps[m], e, &n);
                for (int32_t k = 0; k < n; k++)
                    if (maps[m].from == from && row[k] >= 0)
                        list[length++] = row[k];
            }
            for (int64_t i = 0; i < length; i++)
                for (int64_t k = 0; k < length; k++)
                    if (hub_limit == 0 || length <= hub_limit || k == i + 1 || i == k + 1)
                        joined[list[i]][list[k]] = true;
        }
}

static void test_graph_of_points(void **state)
{
    (void)state;
    uint64_t seed = 4;
    mplan_error err;
    static bool joined[MOST][MOST];
    for (int round = 0; round < 3000; round++) {
        mplan_map maps[MOST_MAPS];
        int32_t n_maps = random_maps(&seed, false, maps);
        if (n_maps > 1 && round % 2)
            maps[1].from = 3;
        int64_t hub_limit = support_random(&seed, 2) * support_random(&seed, 5);
        mplan_csr graph;
        assert_done(mplan_graph_of_points(maps, n_maps, hub_limit, &graph, NULL, &err), &err);
        join_points(maps, n_maps, hub_limit, joined);
        compare_graph(&graph, maps[0].n_points, joined);
        mplan_csr_free(&graph);
        free_maps(maps, n_maps);
    }
}

static void test_graph_of_map(void **state)
{
    (void)state;
    uint64_t seed = 5;
    mplan_error err;
    static bool joined[MOST][MOST];
    for (int round = 0; round < 2000; round++) {
        int64_t n = support_random(&seed, 30);
        mplan_map map = support_random_map(&seed, n, n, (int32_t)support_random(&seed, 5), 20);
        mplan_csr graph;
        assert_done(mplan_graph_of_map(&map, 1, &graph, NULL, &err), &err);
        for (int64_t v = 0; v < n; v++)
            for (int64_t w = 0; w < n; w++)
                joined[v][w] = touches(&map, v, (int32_t)w) || touches(&map, w, (int32_t)v);
        compare_graph(&graph, n, joined);
        mplan_csr_free(&graph);
        support_map_free(&map);
    }
    /* two maps, by threads in pieces */
    for (int round = 0; round < 300; round++) {
        const int64_t n = support_random(&seed, 30);
        mplan_map maps[2];
        for (int m = 0; m < 2; m++)
            maps[m] = support_random_map(&seed, n, n, (int32_t)support_random(&seed, 5), 20);
        mplan_threaded own;
        const mplan_context *context = support_threaded_open(NULL, &own, 1 + round % 3);
        own.team->pieces = 1 + round % 7;
        mplan_csr graph;
        assert_done(mplan_graph_of_map(maps, 2, &graph, context, &err), &err);
        mplan_threaded_close(&own);
        for (int64_t v = 0; v < n; v++)
            for (int64_t w = 0; w < n; w++)
                joined[v][w] = touches(&maps[0], v, (int32_t)w) || touches(&maps[0], w, (int32_t)v) ||
                               touches(&maps[1], v, (int32_t)w) || touches(&maps[1], w, (int32_t)v);
        compare_graph(&graph, n, joined);
        mplan_csr_free(&graph);
        for (int m = 0; m < 2; m++)
            support_map_free(&maps[m]);
    }
    mplan_map map = support_random_map(&seed, 3, 4, 2, 0);
    mplan_csr graph;
    assert_refused(mplan_graph_of_map(&map, 1, &graph, NULL, &err), MPLAN_ERR_ARGUMENT, &err,
                   "does not lead from a set to itself");
    support_map_free(&map);
}

/* One point that 20,000 elements touch: a clique of it would have 4 x 10^8 entries. */
static void test_hub(void **state)
{
    (void)state;
    enum { N = 20000 };
    mplan_error err;
    int32_t *values = malloc(2 * N * sizeof *values);
    for (int32_t e = 0; e < N; e++) {
        values[2 * e] = 0;
        values[2 * e + 1] = 1 + e;
    }
    mplan_map map = {"rows_points", 0, 1, 2, N, N + 1, NULL, values};
    mplan_csr graph;
    assert_done(mplan_graph_of_elements(&map, 1, 1000, &graph, &err), &err);
    assert_int_equal(graph.offsets[N], 2 * (N - 1));
    for (int32_t e = 1; e + 1 < N; e++) {
        assert_int_equal(graph.neighbours[graph.offsets[e]], e - 1);
        assert_int_equal(graph.neighbours[graph.offsets[e] + 1], e + 1);
    }
    mplan_csr_free(&graph);

    /* and one row with all points, backwards */
    int64_t offsets[2] = {0, 2 * N};
    for (int32_t k = 0; k < 2 * N; k++)
        values[k] = k % 2 ? -1 : N - k / 2;
    mplan_map row = {"rows_points", 0, 1, 0, 1, N + 1, offsets, values};
    assert_done(mplan_graph_of_points(&row, 1, 1000, &graph, NULL, &err), &err);
    assert_int_equal(graph.offsets[N + 1], 2 * (N - 1));
    assert_int_equal(graph.offsets[1], 0); /* point 0 is in no row */
    mplan_csr_free(&graph);

    /* without a limit, smaller: a star of points is a star */
    for (int32_t e = 0; e < 3000; e++) {
        values[2 * e] = 1 + (e * 7) % 3000;
        values[2 * e + 1] = 0;
    }
    mplan_map star = {"rows_points", 0, 1, 2, 3000, 3001, NULL, values};
    assert_done(mplan_graph_of_points(&star, 1, 0, &graph, NULL, &err), &err);
    assert_int_equal(graph.offsets[1], 3000);
    for (int32_t k = 0; k < 3000; k++)
        assert_int_equal(graph.neighbours[k], k + 1);
    mplan_csr_free(&graph);
    free(values);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_transpose),
        cmocka_unit_test(test_graph_of_elements),
        cmocka_unit_test(test_graph_of_common),
        cmocka_unit_test(test_same_table_twice),
        cmocka_unit_test(test_graph_of_points),
        cmocka_unit_test(test_graph_of_map),
        cmocka_unit_test(test_hub),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
