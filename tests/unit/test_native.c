/* SPDX-License-Identifier: Apache-2.0 */
/* test_native.c - the native partitioner, audited by definition */
#include "support_test.h"
#include "support_threads.h"
#include "support_mesh.h"

#include <math.h>

#include "partition/partition.h"

enum { MOST_MAPS = 3, N_SETS = 3 };

/* --- naive audits ------------------------------------------------------------------ */

/* Distinct points of a set that the elements of block b touch. */
static int64_t naive_points(const mplan_block_limits *limits, int64_t n, const int32_t *block,
                            int32_t b, int32_t set)
{
    int64_t n_points = 0, touched = 0;
    for (int32_t m = 0; m < limits->n_maps; m++)
        if (limits->maps[m].to == set)
            n_points = limits->maps[m].n_points;
    bool *seen = calloc((size_t)n_points + 1, sizeof *seen);
    for (int32_t m = 0; m < limits->n_maps; m++)
        for (int64_t e = 0; e < n && limits->maps[m].to == set; e++) {
            int32_t length;
            const int32_t *row = mplan_map_row(&limits->maps[m], e, &length);
            for (int32_t k = 0; k < length && block[e] == b; k++) {
                if (row[k] < 0 || seen[row[k]])
                    continue;
                seen[row[k]] = true;
                touched++;
            }
        }
    free(seen);
    return touched;
}

/* Limits kept, no block empty, numbered by first element. */
static void check_blocks(const mplan_block_limits *limits, int64_t n, const int32_t *block,
                         int64_t n_blocks)
{
    int64_t found = 0;
    for (int64_t e = 0; e < n; e++) {
        assert_in_range(block[e], 0, found);
        found += block[e] == found;
    }
    assert_int_equal(found, n_blocks);
    for (int32_t b = 0; b < n_blocks; b++) {
        int64_t elements = 0, bytes = 0;
        for (int64_t e = 0; e < n; e++)
            elements += block[e] == b;
        assert_in_range(elements, 1, limits->block_size);
        for (int32_t set = 1; set <= N_SETS; set++) {
            int64_t points = naive_points(limits, n, block, b, set);
            assert_true(points <= limits->max_points);
            for (int32_t d = 0; d < limits->n_dats; d++)
                if (limits->dats[d].set == set)
                    bytes += (points * limits->dats[d].point_bytes + 15) / 16 * 16;
        }
        assert_true(bytes <= limits->shared_bytes);
    }
}

/* Most blocks that n elements may be cut into while points and bytes allow all; 3 % more of fewer than 200 S where
 * they need not be full. */
static int64_t most_blocks(int64_t n, int32_t block_size, double fill)
{
    int64_t least = n / block_size + (n % block_size != 0);
    int64_t most = least + (least / 100 > 1 ? least / 100 : 1);
    int64_t few = (103 * n + 100 * (int64_t)block_size - 1) / (100 * (int64_t)block_size);
    return n < 200 * (int64_t)block_size && fill < 1 && few > most ? few : most;
}

static int64_t cost_of(const mplan_map *map, const int32_t *block, int64_t n_blocks)
{
    mplan_block_limits limits = {1024, 65535, INT64_MAX / 4, 1, 0, map, NULL};
    int64_t cost = 0;
    for (int32_t b = 0; b < n_blocks; b++)
        cost += naive_points(&limits, map->n_rows, block, b, map->to);
    return cost;
}

/* --- random maps -------------------------------------------------------------------- */

static void check_case(uint64_t *seed, bool tight)
{
    mplan_map maps[MOST_MAPS];
    mplan_staged_dat dats[4];
    mplan_error err;
    int64_t n = support_random(seed, 300), n_points = 1 + support_random(seed, 150), n_blocks = -1;
    int32_t n_maps = (int32_t)support_random(seed, MOST_MAPS + 1);
    int32_t *block = malloc(((size_t)n + 1) * sizeof *block);
    for (int32_t m = 0; m < n_maps; m++) {
        maps[m] = support_random_map(seed, n, n_points, (int32_t)support_random(seed, 5), 20);
        maps[m].to = 1 + m % 2;
    }
    for (int32_t d = 0; d < 4; d++)
        dats[d] = (mplan_staged_dat){1 + d % 3, 1 + support_random(seed, 12)};
    mplan_block_limits limits = {.block_size = 1 + (int32_t)support_random(seed, 40),
                                 .max_points = 65535,
                                 .shared_bytes = INT64_MAX / 4,
                                 .n_maps = n_maps,
                                 .n_dats = (int32_t)support_random(seed, 5),
                                 .maps = maps,
                                 .dats = dats};
    if (tight) { /* no element breaks them by itself: at most 18 points of 12 bytes */
        limits.max_points = 18 + (int32_t)support_random(seed, 20);
        limits.shared_bytes = 1000 + support_random(seed, 600);
    }
    double *xyz = malloc(((size_t)n + 1) * 3 * sizeof *xyz);
    for (int64_t i = 0; i < 3 * n; i++)
        xyz[i] = (double)support_random(seed, 1000);
    mplan_native_options options = {.effort = (mplan_effort)support_random(seed, MPLAN_N_EFFORTS),
                                    .fill = support_random(seed, 2) ? 0.995 : 1};
    if (support_random(seed, 2)) {
        options.dimension = 2 + (int32_t)support_random(seed, 2);
        options.coordinates = xyz;
    }
    assert_done(mplan_partition_native(n, &limits, &options, block, &n_blocks, NULL, NULL, &err),
                &err);
    check_blocks(&limits, n, block, n_blocks);
    if (!tight)
        assert_true(n_blocks <= most_blocks(n, limits.block_size, options.fill));
    for (int32_t m = 0; m < n_maps; m++)
        support_map_free(&maps[m]);
    free(block);
    free(xyz);
}

static void keeps_every_limit(void **state)
{
    (void)state;
    uint64_t seed = 1;
    if (support_races_only()) /* one thread */
        skip();
    for (int round = 0; round < 300; round += support_every(17))
        check_case(&seed, round % 2);
}

/* --- grids --------------------------------------------------------------------------- */

/* Edges between neighbouring cells of a grid, numbered at random. */
static mplan_map grid_edges(int32_t width, int32_t height, bool shuffled)
{
    int64_t n = (int64_t)(width - 1) * height + (int64_t)width * (height - 1), e = 0;
    uint64_t seed = 9;
    int32_t *values = malloc(2 * (size_t)n * sizeof *values);
    for (int32_t y = 0; y < height; y++)
        for (int32_t x = 0; x < width; x++)
            for (int32_t way = 0; way < 2; way++) {
                if (way ? y + 1 == height : x + 1 == width)
                    continue;
                values[2 * e] = y * width + x;
                values[2 * e++ + 1] = way ? (y + 1) * width + x : y * width + x + 1;
            }
    for (int64_t i = n - 1; i > 0 && shuffled; i--) {
        int64_t k = support_random(&seed, i + 1);
        for (int32_t s = 0; s < 2; s++) {
            int32_t swap = values[2 * i + s];
            values[2 * i + s] = values[2 * k + s];
            values[2 * k + s] = swap;
        }
    }
    return (mplan_map){"edges_cells", 0, 1, 2, n, (int64_t)width * height, NULL, values};
}

static int64_t cut_grid(const mplan_map *map, mplan_effort effort, int32_t threads, int32_t *block)
{
    mplan_error err;
    mplan_threaded team;
    const mplan_context *context = support_threaded_open(NULL, &team, threads);
    mplan_block_limits limits = {128, 65535, 1 << 20, 1, 0, map, NULL};
    mplan_native_options options = {.effort = effort, .fill = 0.995};
    int64_t n_blocks = 0;
    assert_done(mplan_partition_native(map->n_rows, &limits, &options, block, &n_blocks, NULL,
                                       context, &err),
                &err);
    mplan_threaded_close(&team);
    check_blocks(&limits, map->n_rows, block, n_blocks);
    assert_true(n_blocks <= most_blocks(map->n_rows, 128, options.fill));
    return n_blocks;
}

/* More effort costs fewer points; the order of the input does not matter; equal
 * blocks for any number of threads. */
static void cuts_grids(void **state)
{
    (void)state;
    static const mplan_effort efforts[] = {MPLAN_EFFORT_FAST, MPLAN_EFFORT_DEFAULT,
                                           MPLAN_EFFORT_BEST};
    static const double reuse[] = {3.1, 3.15, 3.2}; /* METIS: 3.1 */
    for (int shuffled = 0; shuffled < 2; shuffled += support_every(2)) {
        mplan_map map = grid_edges(60, 50, shuffled);
        int32_t *block = malloc((size_t)map.n_rows * sizeof *block);
        int32_t *again = malloc((size_t)map.n_rows * sizeof *again);
        for (int i = 0; i < 3; i++) {
            int64_t n_blocks = cut_grid(&map, efforts[i], 4, block);
            int64_t cost = cost_of(&map, block, n_blocks);
            assert_true(2.0 * (double)map.n_rows > reuse[i] * (double)cost);
            if (support_races_only())
                continue;
            assert_int_equal(cut_grid(&map, efforts[i], 1, again), n_blocks);
            assert_memory_equal(block, again, (size_t)map.n_rows * sizeof *block);
        }
        support_map_free(&map);
        free(block);
        free(again);
    }
}

/* Middles of the edges of a grid. */
static double *middles(const mplan_map *map, int32_t width)
{
    double *xy = malloc(2 * (size_t)map->n_rows * sizeof *xy);
    for (int64_t e = 0; e < map->n_rows; e++) {
        const int32_t *point = map->values + 2 * e;
        xy[2 * e] = 1e6 + 0.5 * (point[0] % width + point[1] % width);
        xy[2 * e + 1] = 0.5 * (double)(point[0] / width + point[1] / width);
    }
    return xy;
}

static int64_t cut_places(const mplan_map *map, const double *xy, int32_t threads, int32_t *block)
{
    mplan_error err;
    mplan_threaded team;
    const mplan_context *context = support_threaded_open(NULL, &team, threads);
    mplan_block_limits limits = {128, 65535, 1 << 20, 1, 0, map, NULL};
    mplan_native_options options = {.fill = 0.99, .dimension = 2, .coordinates = xy};
    int64_t n_blocks = 0;
    assert_done(mplan_partition_native(map->n_rows, &limits, &options, block, &n_blocks, NULL,
                                       context, &err),
                &err);
    mplan_threaded_close(&team);
    return n_blocks;
}

/* Runs of blocks side by side, with coordinates and without: equal blocks for any number
 * of threads. */
static void large_grids_need_no_order(void **state)
{
    (void)state;
    mplan_map map = grid_edges(300, 290, true);
    double *xy = middles(&map, 300);
    int32_t *block = malloc((size_t)map.n_rows * sizeof *block);
    int32_t *again = malloc((size_t)map.n_rows * sizeof *again);
    for (int places = 0; places < 2; places++) {
        int64_t n_blocks = cut_places(&map, places ? xy : NULL, 4, block);
        assert_true(n_blocks <= most_blocks(map.n_rows, 128, 0.995));
        if (support_every(2) >
            1) /* the same code on the same numbers: equal bits are for the build that tries all */
            continue;
        assert_int_equal(cut_places(&map, places ? xy : NULL, 1, again), n_blocks);
        assert_memory_equal(block, again, (size_t)map.n_rows * sizeof *block);
    }
    support_map_free(&map);
    free(xy);
    free(block);
    free(again);
}

/* A mesh that is found row by row: row r is element n - 1 - r of what has n elements; rows behind them are none. */
typedef struct found_rows {
    const double *xy;
    int64_t n;
} found_rows;

static void find_backwards(const void *data, const int32_t *wanted, int64_t n, double *out)
{
    const found_rows *rows = data;
    for (int64_t i = 0; i < n; i++)
        for (int64_t d = 0; d < 2; d++)
            out[2 * i + d] = wanted[i] < rows->n ? rows->xy[2 * (rows->n - 1 - wanted[i]) + d] : 1e9;
}

/* What a map held is not to be used again. */
static void spoil(void *data)
{
    const mplan_map *map = data;
    memset((void *)(uintptr_t)map->values, 0x7f, 2 * (size_t)map->n_rows * sizeof *map->values);
}

/* Coordinates that are found when they are wanted cut as those of an array do, without the map once it is released;
 * one that limits may ask about is not released. */
static void finds_coordinates(void **state)
{
    enum { BEHIND = 7 };
    (void)state;
    for (int32_t width = 60; width <= 110; width += 50)
        for (int binds = 0; binds < 2; binds++) {
            if (support_races_only() && (width == 60) != binds)
                continue;
            mplan_error err;
            mplan_threaded team;
            mplan_map map = grid_edges(width, width - 10, true);
            const int64_t n = map.n_rows;
            double *xy = middles(&map, width);
            int32_t *block = malloc((size_t)n * sizeof *block),
                    *again = malloc((size_t)n * sizeof *again);
            int32_t *element = malloc((size_t)(n + BEHIND) * sizeof *element);
            for (int64_t r = 0; r < n + BEHIND; r++)
                element[r] = (int32_t)(r < n ? n - 1 - r : r);
            mplan_block_limits limits = {128, binds ? 120 : 65535, 1 << 20, 1, 0, &map, NULL};
            const found_rows rows = {xy, n};
            const mplan_native_finder finder = {find_backwards, &rows, n + BEHIND, n, element};
            mplan_native_options options = {.fill = 0.99, .dimension = 2, .coordinates = xy};
            int64_t n_blocks = 0, n_again = 0;
            if (!support_races_only())
                assert_done(mplan_partition_native(n, &limits, &options, block, &n_blocks, NULL,
                                                   NULL, &err),
                            &err);
            int32_t *values = malloc(2 * (size_t)n * sizeof *values);
            memcpy(values, map.values, 2 * (size_t)n * sizeof *values);
            options = (mplan_native_options){.fill = 0.99,
                                             .dimension = 2,
                                             .finder = &finder,
                                             .release = spoil,
                                             .release_data = &map};
            const mplan_context *context = support_threaded_open(NULL, &team, 3);
            assert_done(mplan_partition_native(n, &limits, &options, again, &n_again, NULL, context,
                                               &err),
                        &err);
            mplan_threaded_close(&team);
            if (!support_races_only()) {
                assert_int_equal(n_blocks, n_again);
                assert_memory_equal(block, again, (size_t)n * sizeof *block);
            }
            assert_int_equal(memcmp(values, map.values, 2 * (size_t)n * sizeof *values) == 0, binds);
            support_map_free(&map);
            free(values);
            free(element);
            free(xy);
            free(block);
            free(again);
        }
}

/* Coordinates help, and where they mean nothing they do no harm. */
static void takes_any_coordinates(void **state)
{
    (void)state;
    static const double odd[] = {0, -1e308, 1e308, NAN, INFINITY};
    if (support_races_only()) /* one thread */
        skip();
    mplan_map map = grid_edges(60, 50, true);
    mplan_block_limits limits = {128, 65535, 1 << 20, 1, 0, &map, NULL};
    double *xy = middles(&map, 60);
    int32_t *block = malloc((size_t)map.n_rows * sizeof *block);
    for (int k = 0; k < 6; k++) {
        int64_t n_blocks = cut_places(&map, xy, 1, block);
        check_blocks(&limits, map.n_rows, block, n_blocks);
        if (k == 0)
            assert_true(2.0 * (double)map.n_rows > 3.17 * (double)cost_of(&map, block, n_blocks));
        for (int64_t i = 0; i < 2 * map.n_rows && k < 5; i++)
            xy[i] = i % (k + 1) == 0 ? odd[k] : xy[i];
    }
    support_map_free(&map);
    free(xy);
    free(block);
}

/* --- edge cases ------------------------------------------------------------------------- */

static void check_map(const mplan_map *map, int32_t block_size, int64_t wanted)
{
    mplan_error err;
    mplan_block_limits limits = {block_size, 65535, 1 << 24, 1, 0, map, NULL};
    mplan_native_options options = {.fill = 1};
    int64_t n_blocks = -1;
    int32_t *block = malloc(((size_t)map->n_rows + 1) * sizeof *block);
    assert_done(mplan_partition_native(map->n_rows, &limits, &options, block, &n_blocks, NULL, NULL,
                                       &err),
                &err);
    check_blocks(&limits, map->n_rows, block, n_blocks);
    assert_int_equal(n_blocks, wanted);
    free(block);
}

static void handles_odd_maps(void **state)
{
    (void)state;
    enum { N = 3000 };
    if (support_races_only()) /* hubs: half a minute of moves of one thread at a time */
        skip();
    int64_t *offsets = calloc(N + 1, sizeof *offsets);
    int32_t *values = malloc(4 * N * sizeof *values);
    mplan_map none = {"a_b", 0, 1, 2, 0, 0, NULL, values};
    check_map(&none, 128, 0);
    values[0] = values[1] = 0;
    mplan_map one = {"a_b", 0, 1, 2, 1, 1, NULL, values};
    check_map(&one, 128, 1);
    check_map(&one, 1, 1);
    mplan_map empty_rows = {"a_b", 0, 1, 0, N, 7, offsets, values};
    check_map(&empty_rows, 100, N / 100);
    for (int32_t i = 0; i < 4 * N; i++)
        values[i] = i;
    mplan_map apart = {"a_b", 0, 1, 4, N, 4 * N, NULL, values};
    check_map(&apart, 100, N / 100);
    for (int32_t i = 0; i < 2 * N; i++)
        values[i] = i % 2 ? i : 0; /* all elements share a point */
    mplan_map hub = {"a_b", 0, 1, 2, N, 2 * N, NULL, values};
    check_map(&hub, 100, N / 100);
    check_map(&hub, 1, N);
    for (int32_t i = 0; i < 2 * N; i++)
        values[i] = -1;
    mplan_map nothing = {"a_b", 0, 1, 2, N, 2 * N, NULL, values};
    check_map(&nothing, 1000, N / 1000);
    for (int64_t e = 1; e <= N; e++)
        offsets[e] = offsets[e - 1] + (e == 17 ? N : 2); /* one very long row */
    for (int64_t i = 0; i < offsets[N]; i++)
        values[i] = (int32_t)(i % (2 * N));
    mplan_map long_row = {"a_b", 0, 1, 0, N, 2 * N, offsets, values};
    check_map(&long_row, 64, (N + 63) / 64);
    free(offsets);
    free(values);
}

static void refuses_what_cannot_be(void **state)
{
    (void)state;
    mplan_error err;
    int32_t values[6] = {0, 1, 2, 3, 4, 4}, block[2];
    int64_t offsets[3] = {0, 2, 6}, n_blocks;
    mplan_map map = {"cells_nodes", 0, 1, 0, 2, 5, offsets, values};
    mplan_block_limits limits = {64, 2, 1000, 1, 0, &map, NULL};
    mplan_native_options options = {.fill = 0.995};
    assert_refused(mplan_partition_native(2, &limits, &options, block, &n_blocks, NULL, NULL, &err),
                   MPLAN_ERR_ARGUMENT, &err, "element 1 by itself touches 3 points");
    limits.max_points = 3; /* one of them twice */
    assert_done(mplan_partition_native(2, &limits, &options, block, &n_blocks, NULL, NULL, &err),
                &err);
    assert_int_equal(n_blocks, 2);
    limits.block_size = 1025;
    assert_refused(mplan_partition_native(2, &limits, &options, block, &n_blocks, NULL, NULL, &err),
                   MPLAN_ERR_ARGUMENT, &err, "block size 1025");
    options.fill = 0;
    assert_refused(mplan_partition_native(2, &limits, &options, block, &n_blocks, NULL, NULL, &err),
                   MPLAN_ERR_ARGUMENT, &err, "fill must be");
}

static void stops_when_told(void **state)
{
    (void)state;
    mplan_error err;
    mplan_map map = grid_edges(20, 20, false);
    mplan_context context = MPLAN_CONTEXT_INIT;
    mplan_block_limits limits = {64, 65535, 1 << 20, 1, 0, &map, NULL};
    mplan_native_options options = {.fill = 0.995};
    int64_t n_blocks;
    int32_t *block = malloc((size_t)map.n_rows * sizeof *block);
    context.cancelled = always;
    assert_refused(mplan_partition_native(map.n_rows, &limits, &options, block, &n_blocks, NULL,
                                          &context, &err),
                   MPLAN_ERR_INTERRUPTED, &err, "");
    support_map_free(&map);
    free(block);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(keeps_every_limit),         cmocka_unit_test(cuts_grids),
        cmocka_unit_test(handles_odd_maps),          cmocka_unit_test(refuses_what_cannot_be),
        cmocka_unit_test(stops_when_told),           cmocka_unit_test(takes_any_coordinates),
        cmocka_unit_test(large_grids_need_no_order), cmocka_unit_test(finds_coordinates),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
