/* SPDX-License-Identifier: Apache-2.0 */
/* test_partition.c - runs, partitioners and repair, audited by definition */
#include "support_order.h"

#include "partition/partition.h"

/* --- naive audits ----------------------------------------------------------------- */

/* Whether the elements with block[e] == b keep the limits. */
static bool naive_fits(const mplan_block_limits *limits, int64_t n, const int32_t *block, int32_t b)
{
    int64_t elements = 0, bytes = 0;
    for (int64_t e = 0; e < n; e++)
        elements += block[e] == b;
    for (int32_t set = 1; set <= 3; set++) {
        int64_t n_points = 0, touched = 0;
        for (int32_t m = 0; m < limits->n_maps; m++)
            if (limits->maps[m].to == set)
                n_points = limits->maps[m].n_points;
        bool *seen = calloc((size_t)n_points + 1, sizeof *seen);
        for (int32_t m = 0; m < limits->n_maps; m++)
            for (int64_t e = 0; e < n && limits->maps[m].to == set; e++) {
                int32_t length;
                const int32_t *row = mplan_map_row(&limits->maps[m], e, &length);
                for (int32_t k = 0; k < length && block[e] == b; k++)
                    if (row[k] >= 0)
                        seen[row[k]] = true;
            }
        for (int64_t p = 0; p < n_points; p++)
            touched += seen[p];
        free(seen);
        if (touched > limits->max_points)
            return false;
        for (int32_t d = 0; d < limits->n_dats; d++)
            if (limits->dats[d].set == set)
                bytes += (touched * limits->dats[d].point_bytes + 15) / 16 * 16;
    }
    return elements <= limits->block_size && bytes <= limits->shared_bytes;
}

static int32_t element_at(const int32_t *order, int64_t place)
{
    return order ? order[place] : (int32_t)place;
}

/* Limits kept, no block empty, numbered by first element along the order. */
static void check_blocks(const mplan_block_limits *limits, int64_t n, const int32_t *order,
                         const int32_t *block, int64_t n_blocks)
{
    int64_t found = 0;
    for (int64_t i = 0; i < n; i++) {
        int32_t b = block[element_at(order, i)];
        assert_in_range(b, 0, found);
        found += b == found;
    }
    assert_int_equal(found, n_blocks);
    for (int32_t b = 0; b < n_blocks; b++)
        assert_true(naive_fits(limits, n, block, b));
}

enum { MOST_MAPS = 3 };

/* Maps of up to 4 (fixed) or 6 points a row to sets 1 and 2, dats on both and
 * one on a set that no map leads to. No element breaks the limits by itself. */
typedef struct random_case {
    int64_t n;
    mplan_map maps[MOST_MAPS];
    mplan_staged_dat dats[4];
    mplan_block_limits limits;
    int32_t *order;
} random_case;

static void make_case(uint64_t *seed, random_case *c)
{
    c->n = support_random(seed, 80);
    int64_t n_points = 1 + support_random(seed, 60);
    int32_t n_maps = (int32_t)support_random(seed, MOST_MAPS + 1);
    for (int32_t m = 0; m < n_maps; m++) {
        c->maps[m] = support_random_map(seed, c->n, n_points, (int32_t)support_random(seed, 5), 20);
        c->maps[m].to = 1 + m % 2;
    }
    for (int32_t d = 0; d < 4; d++)
        c->dats[d] = (mplan_staged_dat){1 + d % 3, 1 + support_random(seed, 12)};
    bool tight = support_random(seed, 2);
    int32_t points = tight ? 12 + (int32_t)support_random(seed, 20) : 65535;
    int64_t bytes = support_random(seed, 2) ? 400 + support_random(seed, 600) : 1 << 20;
    c->limits = (mplan_block_limits){1 + (int32_t)support_random(seed, 20), points,  bytes,  n_maps,
                                     (int32_t)support_random(seed, 5),      c->maps, c->dats};
    c->order = support_random(seed, 2) ? support_permutation(seed, c->n) : NULL;
}

static void free_case(random_case *c)
{
    for (int32_t m = 0; m < c->limits.n_maps; m++)
        support_map_free(&c->maps[m]);
    free(c->order);
}

/* --- figures and runs ----------------------------------------------------------------- */

static void check_figures(int64_t n, int32_t size, double imbalance, int64_t parts, int32_t ufactor)
{
    int64_t got_parts;
    int32_t got_ufactor;
    mplan_partition_figures(n, size, imbalance, &got_parts, &got_ufactor);
    assert_int_equal(got_parts, parts);
    assert_int_equal(got_ufactor, ufactor);
}

static void test_figures(void **state)
{
    (void)state;
    check_figures(124, 128, 1.03, 1, 33); /* S' = 124 */
    check_figures(125, 128, 1.03, 2, 33);
    check_figures(2877600, 128, 1.03, 23207, 33);
    check_figures(127000, 128, 1.001, 1000, 9); /* S' = 127 */
    check_figures(128, 128, 1.0, 1, 1);
    check_figures(129, 128, 0.5, 2, 1); /* below 1 counts as 1 */
    check_figures(7, 1, 1.03, 7, 100);  /* S' is at least 1 */
    check_figures(0, 128, 1.03, 0, 33);
}

static void test_runs(void **state)
{
    (void)state;
    uint64_t seed = 1;
    mplan_error err;
    for (int round = 0; round < 2000; round += support_every(5)) {
        random_case c;
        make_case(&seed, &c);
        int32_t block[80];
        int64_t n_blocks = -1;
        assert_done(mplan_partition_runs(c.n, c.order, &c.limits, block, &n_blocks, &err), &err);
        check_blocks(&c.limits, c.n, c.order, block, n_blocks);
        for (int64_t i = 1; i < c.n; i++) { /* ascending, and no run could go on */
            int32_t e = element_at(c.order, i), before = element_at(c.order, i - 1);
            assert_in_range(block[e], block[before], block[before] + 1);
            if (block[e] == block[before])
                continue;
            block[e]--;
            assert_false(naive_fits(&c.limits, c.n, block, block[e]));
            block[e]++;
        }
        free_case(&c);
    }
}

static void test_refusals(void **state)
{
    (void)state;
    mplan_error err;
    int32_t values[12] = {0, 1, 2, 0, 1, 2, 3, 4, 5, 0, 0, 0}, block[3], part[3] = {0, 0, 0};
    int64_t offsets[4] = {0, 3, 9, 12}, n_blocks;
    mplan_map map = {"cells_nodes", 0, 1, 0, 3, 6, offsets, values};
    mplan_staged_dat dat = {1, 8};
    mplan_block_limits limits = {64, 5, 1000, 1, 1, &map, &dat};
    assert_refused(mplan_partition_runs(3, NULL, &limits, block, &n_blocks, &err),
                   MPLAN_ERR_ARGUMENT, &err,
                   "element 1 by itself touches 6 points through map 'cells_nodes', more than the limit of "
                   "5");
    assert_refused(mplan_partition_repair(3, NULL, NULL, &limits, 1, part, &n_blocks, NULL, &err),
                   MPLAN_ERR_ARGUMENT, &err, "element 1 by itself touches 6 points");
    limits.max_points = 6;
    limits.shared_bytes = 47;
    assert_refused(mplan_partition_runs(3, NULL, &limits, block, &n_blocks, &err),
                   MPLAN_ERR_ARGUMENT, &err, "element 1 by itself stages 48 bytes");
    dat.point_bytes = INT64_MAX / 2;
    assert_refused(mplan_partition_runs(3, NULL, &limits, block, &n_blocks, &err),
                   MPLAN_ERR_ARGUMENT, &err, "element 0 by itself stages");
    dat.point_bytes = 8;
    limits.shared_bytes = 48;
    assert_done(mplan_partition_runs(3, NULL, &limits, block, &n_blocks, &err), &err);
    assert_int_equal(n_blocks, 1);

    limits.block_size = 1025;
    assert_refused(mplan_partition_runs(3, NULL, &limits, block, &n_blocks, &err),
                   MPLAN_ERR_ARGUMENT, &err, "block size 1025");
    limits.block_size = 0;
    memset(part, 0, sizeof part); /* undefined after a failure */
    assert_refused(mplan_partition_repair(3, NULL, NULL, &limits, 1, part, &n_blocks, NULL, &err),
                   MPLAN_ERR_ARGUMENT, &err, "block size 0");
    limits.block_size = 1;
    limits.max_points = 65536;
    assert_refused(mplan_partition_runs(3, NULL, &limits, block, &n_blocks, &err),
                   MPLAN_ERR_ARGUMENT, &err, "points per block is 65536");

    limits.max_points = 100;
    int32_t wrong[3] = {0, 5, 0}, negative[3] = {0, 1, -1};
    assert_refused(mplan_partition_repair(3, NULL, NULL, &limits, 5, wrong, &n_blocks, NULL, &err),
                   MPLAN_ERR_PARTITIONER, &err, "element 1 into part 5");
    assert_refused(mplan_partition_repair(3, NULL, NULL, &limits, 5, negative, &n_blocks, NULL, &err),
                   MPLAN_ERR_PARTITIONER, &err, "element 2 into part -1");
}

/* --- repair ------------------------------------------------------------------------------- */

/* Elements of a part that kept the limits stay together. */
static void check_untouched(const mplan_block_limits *limits, int64_t n, const int32_t *before,
                            const int32_t *after)
{
    for (int64_t e = 0; e < n; e++)
        for (int64_t f = 0; f < e; f++)
            if (before[e] == before[f] && after[e] != after[f])
                assert_false(naive_fits(limits, n, before, before[e]));
}

static void lie(uint64_t *seed, int64_t n, int64_t n_parts, int32_t *part)
{
    int kind = (int)support_random(seed, 4);
    for (int64_t e = 0; e < n; e++) {
        int64_t p = support_random(seed, n_parts);
        if (kind == 1) /* one huge part */
            p = support_random(seed, 10) ? n_parts - 1 : p;
        else if (kind == 2) /* many empty ones */
            p = p / 7 * 7;
        else if (kind == 3) /* near misses */
            p = e * n_parts / n;
        part[e] = (int32_t)p;
    }
}

static void test_repair(void **state)
{
    (void)state;
    uint64_t seed = 2;
    mplan_error err;
    for (int round = 0; round < 3000; round += support_every(5)) {
        random_case c;
        make_case(&seed, &c);
        mplan_csr graph = {0, NULL, NULL};
        if (round % 4 && c.limits.n_maps > 0)
            assert_done(mplan_graph_of_elements(c.maps, c.limits.n_maps, round % 8 ? 0 : 3, &graph,
                                                &err),
                        &err);
        int64_t n_parts = 1 + support_random(&seed, round % 5 ? 20 : 200), n_blocks, moved;
        int32_t before[80], after[80], again[80];
        lie(&seed, c.n, n_parts, before);
        memcpy(after, before, sizeof before);
        memcpy(again, before, sizeof before);
        const mplan_csr *given = graph.offsets ? &graph : NULL;
        assert_done(mplan_partition_repair(c.n, c.order, given, &c.limits, n_parts, after,
                                           &n_blocks, &moved, &err),
                    &err);
        check_blocks(&c.limits, c.n, c.order, after, n_blocks);
        check_untouched(&c.limits, c.n, before, after);
        bool sound = true;
        for (int32_t p = 0; p < n_parts; p++)
            sound = sound && naive_fits(&c.limits, c.n, before, p);
        assert_true(sound == (moved == 0));
        assert_in_range(moved, 0, c.n);
        /* the same again, and an answer that needs nothing */
        assert_done(mplan_partition_repair(c.n, c.order, given, &c.limits, n_parts, again,
                                           &n_blocks, NULL, &err),
                    &err);
        assert_memory_equal(after, again, (size_t)c.n * sizeof *after);
        assert_done(mplan_partition_repair(c.n, c.order, given, &c.limits, n_parts + 80, again,
                                           &n_blocks, &moved, &err),
                    &err);
        assert_int_equal(moved, 0);
        assert_memory_equal(after, again, (size_t)c.n * sizeof *after);
        mplan_csr_free(&graph);
        free_case(&c);
    }
}

/* A grid of quads: edges -> cells, row by row. */
static mplan_map grid_edges(int32_t width, int32_t height)
{
    int64_t n = (int64_t)(width - 1) * height + (int64_t)width * (height - 1);
    int32_t *values = malloc(2 * (size_t)n * sizeof *values), *out = values;
    for (int32_t j = 0; j < height; j++)
        for (int32_t i = 0; i < width; i++) {
            int32_t cell = j * width + i;
            if (i + 1 < width) {
                *out++ = cell;
                *out++ = cell + 1;
            }
            if (j + 1 < height) {
                *out++ = cell;
                *out++ = cell + width;
            }
        }
    return (mplan_map){"edges_cells", 0, 1, 2, n, (int64_t)width * height, NULL, values};
}

/* Two parts, one of them 3 too large and the other with room: 3 elements move,
 * all from the border, and no block is added. */
static void test_moves_excess_alone(void **state)
{
    (void)state;
    mplan_error err;
    mplan_map map = grid_edges(10, 10);
    mplan_csr graph;
    assert_done(mplan_graph_of_elements(&map, 1, 0, &graph, &err), &err);
    mplan_block_limits limits = {97, 65535, 1 << 20, 1, 0, &map, NULL};
    int32_t part[180];
    int64_t n_blocks, moved;
    for (int32_t e = 0; e < 180; e++)
        part[e] = e >= 100;
    assert_done(mplan_partition_repair(180, NULL, &graph, &limits, 2, part, &n_blocks, &moved, &err),
                &err);
    assert_int_equal(n_blocks, 2);
    assert_int_equal(moved, 3);
    int32_t elements = 0;
    for (int32_t e = 0; e < 180; e++) {
        elements += part[e] == 0;
        assert_int_equal(part[e], e < 70 ? 0 : e >= 100 ? 1 : part[e]);
    }
    assert_int_equal(elements, 97);

    /* no room next door: only the excess becomes a block */
    for (int32_t e = 0; e < 180; e++)
        part[e] = e >= 92;
    limits.block_size = 88;
    assert_done(mplan_partition_repair(180, NULL, &graph, &limits, 2, part, &n_blocks, &moved, &err),
                &err);
    assert_int_equal(n_blocks, 3);
    assert_int_equal(moved, 4);

    /* a chain of parts passes nothing on: only the excess of one part moves */
    for (int32_t e = 0; e < 180; e++)
        part[e] = e / 60;
    part[60] = 0;
    limits.block_size = 60;
    assert_done(mplan_partition_repair(180, NULL, &graph, &limits, 3, part, &n_blocks, &moved, &err),
                &err);
    assert_int_equal(n_blocks, 3);
    assert_int_equal(moved, 1);
    mplan_csr_free(&graph);
    support_map_free(&map);
}

/* A block of 1,024 elements of 8 points under a small limit of points. */
static void test_halves(void **state)
{
    (void)state;
    mplan_error err;
    enum { N = 1024 };
    int32_t *values = malloc(8 * N * sizeof *values), part[N] = {0};
    for (int32_t i = 0; i < 8 * N; i++)
        values[i] = i;
    mplan_map map = {"cells_nodes", 0, 1, 8, N, 8 * N, NULL, values};
    mplan_block_limits limits = {N, 8 * N, 1 << 20, 1, 0, &map, NULL};
    int64_t n_blocks, moved;
    assert_done(mplan_partition_repair(N, NULL, NULL, &limits, 1, part, &n_blocks, &moved, &err),
                &err);
    assert_int_equal(n_blocks, 1);
    limits.max_points = 8 * 256;
    assert_done(mplan_partition_repair(N, NULL, NULL, &limits, 1, part, &n_blocks, &moved, &err),
                &err);
    assert_int_equal(n_blocks, 4);
    assert_int_equal(moved, 768);
    for (int32_t e = 0; e < N; e++)
        assert_int_equal(part[e], e / 256);
    limits.max_points = 8;
    assert_done(mplan_partition_repair(N, NULL, NULL, &limits, 4, part, &n_blocks, &moved, &err),
                &err);
    assert_int_equal(n_blocks, N);
    support_map_free(&map);
}

/* All of 200,000 elements in one part must not take long. */
static void test_repair_is_linear(void **state)
{
    (void)state;
    mplan_error err;
    mplan_map map = grid_edges(320, 314);
    mplan_csr graph;
    assert_done(mplan_graph_of_elements(&map, 1, 0, &graph, &err), &err);
    mplan_block_limits limits = {128, 65535, 1 << 20, 1, 0, &map, NULL};
    int32_t *part = calloc((size_t)map.n_rows, sizeof *part);
    int64_t n_blocks;
    assert_done(mplan_partition_repair(map.n_rows, NULL, &graph, &limits, 1, part, &n_blocks, NULL,
                                       &err),
                &err);
    assert_int_equal(n_blocks, (map.n_rows + 127) / 128);
    for (int64_t e = 0; e < map.n_rows; e++) /* every part a third too large, no room */
        part[e] = (int32_t)(e / 170);
    assert_done(mplan_partition_repair(map.n_rows, NULL, &graph, &limits, 2000, part, &n_blocks,
                                       NULL, &err),
                &err);
    int64_t size[4000] = {0};
    assert_in_range(n_blocks, (map.n_rows + 127) / 128, 2400);
    for (int64_t e = 0; e < map.n_rows; e++)
        assert_true(++size[part[e]] <= 128);
    free(part);
    mplan_csr_free(&graph);
    support_map_free(&map);
}

/* --- METIS and SCOTCH ------------------------------------------------------------------------ */

typedef mplan_status (*partitioner)(const mplan_csr *graph, int64_t n_parts, uint64_t seed,
                                    int32_t *part, mplan_error *err);

static mplan_status by_metis(const mplan_csr *graph, int64_t n_parts, uint64_t seed, int32_t *part,
                             mplan_error *err)
{
    return mplan_partition_metis(graph, n_parts, 33, seed, NULL, part, NULL, err);
}

static mplan_status by_scotch(const mplan_csr *graph, int64_t n_parts, uint64_t seed, int32_t *part,
                              mplan_error *err)
{
    return mplan_partition_scotch(graph, n_parts, 0.03, seed, NULL, part, NULL, err);
}

static void check_range(int64_t n, int64_t n_parts, const int32_t *part)
{
    for (int64_t e = 0; e < n; e++)
        assert_in_range(part[e], 0, n_parts - 1);
}

static void check_grid(partitioner call)
{
    mplan_error err;
    mplan_map map = grid_edges(60, 50);
    mplan_csr graph;
    assert_done(mplan_graph_of_elements(&map, 1, 0, &graph, &err), &err);
    int64_t n = graph.n, n_blocks, pairs = 0, n_parts;
    int32_t ufactor;
    int32_t *part = malloc((size_t)n * sizeof *part), *again = malloc((size_t)n * sizeof *part);
    mplan_partition_figures(n, 128, 1.03, &n_parts, &ufactor);
    assert_done(call(&graph, n_parts, 7, part, &err), &err);
    assert_done(call(&graph, n_parts, 7, again, &err), &err);
    check_range(n, n_parts, part);
    assert_memory_equal(part, again, (size_t)n * sizeof *part);
    assert_done(call(&graph, n_parts, 8, again, &err), &err);
    assert_memory_not_equal(part, again, (size_t)n * sizeof *part);
    mplan_block_limits limits = {128, 65535, 1 << 20, 1, 0, &map, NULL};
    assert_done(mplan_partition_repair(n, NULL, &graph, &limits, n_parts, part, &n_blocks, NULL, &err),
                &err);
    check_blocks(&limits, n, NULL, part, n_blocks);
    assert_in_range(n_blocks, n_parts - 2, n_parts + 3);
    for (int32_t b = 0; b < n_blocks; b++) { /* runs of the input reach 2, a partition above 3 */
        bool *seen = calloc((size_t)map.n_points, sizeof *seen);
        for (int64_t i = 0; i < 2 * n; i++) {
            pairs += part[i / 2] == b && !seen[map.values[i]];
            seen[map.values[i]] = seen[map.values[i]] || part[i / 2] == b;
        }
        free(seen);
    }
    assert_true(2 * n > 3 * pairs);
    free(part);
    free(again);
    mplan_csr_free(&graph);
    support_map_free(&map);
}

static void check_edge_cases(partitioner call)
{
    uint64_t seed = 3;
    mplan_error err;
    int64_t nothing[11] = {0};
    int32_t part[64];
    mplan_csr none = {0, nothing, part}, bare = {10, nothing, part};
    assert_done(call(&none, 0, 1, part, &err), &err);
    assert_done(call(&bare, 3, 1, part, &err), &err);
    check_range(10, 3, part);
    assert_refused(call(&bare, 0, 1, part, &err), MPLAN_ERR_ARGUMENT, &err, "into 0 parts");
    assert_refused(call(&bare, INT64_MAX, 1, part, &err), MPLAN_ERR_ARGUMENT, &err, "parts");
    for (int round = 0; round < 60; round++) { /* isolated vertices, components, k near n */
        int64_t n = 2 + support_random(&seed, 60);
        mplan_map map = support_random_map(&seed, support_random(&seed, n), n, 2, 5);
        mplan_csr graph;
        assert_done(mplan_graph_of_points(&map, 1, 0, &graph, NULL, &err), &err);
        int64_t n_parts = 1 + support_random(&seed, n + 3);
        assert_done(call(&graph, n_parts, (uint64_t)round * UINT64_C(0x123456789abcdef), part, &err),
                    &err);
        check_range(n, n_parts, part);
        mplan_csr_free(&graph);
        support_map_free(&map);
    }
}

static void test_metis(void **state)
{
    (void)state;
#if defined MPLAN_HAVE_METIS
    check_grid(by_metis);
    check_edge_cases(by_metis);
#else
    int64_t offsets[1] = {0};
    int32_t part[1] = {0};
    mplan_csr none = {0, offsets, NULL};
    mplan_error err;
    assert_refused(by_metis(&none, 1, 1, part, &err), MPLAN_ERR_UNSUPPORTED, &err, "no METIS");
#endif
}

static void test_scotch(void **state)
{
    (void)state;
#if defined MPLAN_HAVE_SCOTCH
    check_grid(by_scotch);
    check_edge_cases(by_scotch);
#else
    int64_t offsets[1] = {0};
    int32_t part[1] = {0};
    mplan_csr none = {0, offsets, NULL};
    mplan_error err;
    assert_refused(by_scotch(&none, 1, 1, part, &err), MPLAN_ERR_UNSUPPORTED, &err, "no SCOTCH");
#endif
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_figures),
        cmocka_unit_test(test_runs),
        cmocka_unit_test(test_refusals),
        cmocka_unit_test(test_repair),
        cmocka_unit_test(test_moves_excess_alone),
        cmocka_unit_test(test_halves),
        cmocka_unit_test(test_repair_is_linear),
        cmocka_unit_test(test_metis),
        cmocka_unit_test(test_scotch),
    };
    (void)by_metis;
    (void)by_scotch;
    (void)check_grid;
    (void)check_edge_cases;
    return cmocka_run_group_tests(tests, NULL, NULL);
}
