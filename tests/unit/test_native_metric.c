/* SPDX-License-Identifier: Apache-2.0 */
/* test_native_metric.c - coordinates of long and flat cells count cells, and are left aside where they say nothing */
#include "support_test.h"

#include <math.h>

#include "partition/native/native_metric.h"
#include "partition/partition.h"

enum {
    SIDE = 32,
    TILE = 8,
    N = SIDE * SIDE,
    ROW = SIDE + 1,
    N_BLOCKS = N / TILE / TILE,
    ELEMENTS = TILE * TILE
};

/* Quads of a plate in blocks of 8 x 8: element e is row e % 64 / 8, column e % 8 of tile e / 64. */
typedef struct plate {
    int32_t values[4 * N];
    int column[N], row[N];
    double xy[2 * N];
    int32_t scratch[N];
    mplan_map map;
    mplan_block_limits limits;
    mplan_footprint footprint;
    native_table table;
    native_cut cut;
} plate;

static void open_plate(plate *p)
{
    static const mplan_staged_dat dat = {1, 8};
    mplan_error err;
    int64_t offsets[N_BLOCKS + 1];
    for (int32_t e = 0; e < N; e++) {
        int tile = e / ELEMENTS;
        p->column[e] = tile % (SIDE / TILE) * TILE + e % TILE;
        p->row[e] = tile / (SIDE / TILE) * TILE + e % ELEMENTS / TILE;
        int32_t first = p->row[e] * ROW + p->column[e];
        const int32_t nodes[4] = {first, first + 1, first + ROW + 1, first + ROW};
        memcpy(p->values + 4 * e, nodes, sizeof nodes);
    }
    for (int64_t b = 0; b <= N_BLOCKS; b++)
        offsets[b] = b * ELEMENTS;
    p->map = (mplan_map){"cells_nodes", 0, 1, 4, N, ROW * ROW, NULL, p->values};
    p->limits = (mplan_block_limits){.block_size = ELEMENTS,
                                     .max_points = 65535,
                                     .shared_bytes = 1 << 20,
                                     .n_maps = 1,
                                     .n_dats = 1,
                                     .maps = &p->map,
                                     .dats = &dat};
    assert_done(mplan_footprint_open(&p->footprint, &p->limits, &err), &err);
    assert_done(mplan_native_table_create(&p->footprint, N, &p->table, NULL, &err), &err);
    assert_done(mplan_native_cut_create(&p->table, &p->footprint, N_BLOCKS, offsets, &p->cut, NULL,
                                        &err),
                &err);
    assert_done(mplan_native_cut_list(&p->cut, NULL, &err), &err);
}

static void close_plate(plate *p)
{
    mplan_native_cut_free(&p->cut);
    mplan_native_table_free(&p->table);
    mplan_footprint_close(&p->footprint);
    free(p);
}

/* Places of the elements by (column, row), and how many blocks are trusted there. */
typedef void place_of(double column, double row, double xy[2]);

static int trusted_blocks(plate *p, place_of *place, native_metric *metric)
{
    mplan_error err;
    int n = 0;
    for (int32_t e = 0; e < N; e++)
        place(p->column[e], p->row[e], p->xy + 2 * e);
    const mplan_native_options options = {.dimension = 2, .coordinates = p->xy};
    const native_finding finding = mplan_native_finding(&options, NULL, N, p->scratch, NULL);
    assert_done(mplan_native_metric_create(&p->cut, &finding, NULL, metric, &err), &err);
    for (int32_t b = 0; b < N_BLOCKS; b++)
        n += metric->trusted[b];
    return n;
}

static void round_cells(double column, double row, double xy[2])
{
    xy[0] = column;
    xy[1] = row;
}

static void flat_cells(double column, double row, double xy[2])
{
    xy[0] = 1000 + column;
    xy[1] = 1e-6 * row;
}

/* Layers of a millionth around a circle of which a tile covers a sixth. */
static void bent_layers(double column, double row, double xy[2])
{
    xy[0] = (1 + 1e-6 * row) * cos(0.1 * column);
    xy[1] = (1 + 1e-6 * row) * sin(0.1 * column);
}

static void no_order(double column, double row, double xy[2])
{
    uint64_t seed = 1 + (uint64_t)(column * SIDE + row);
    support_random(&seed, 7);
    xy[0] = (double)support_random(&seed, 1000);
    xy[1] = (double)support_random(&seed, 1000);
}

static void one_place(double column, double row, double xy[2])
{
    (void)column;
    (void)row;
    xy[0] = xy[1] = 3;
}

static void no_numbers(double column, double row, double xy[2])
{
    (void)column;
    xy[0] = row;
    xy[1] = NAN;
}

static void infinite(double column, double row, double xy[2])
{
    xy[0] = column * 1e200;
    xy[1] = row > 4 ? INFINITY : row;
}

static void trusts_what_lies_evenly(void **state)
{
    (void)state;
    static const struct {
        place_of *place;
        int trusted;
    } rows[] = {{round_cells, N_BLOCKS}, {flat_cells, N_BLOCKS}, {bent_layers, 0}, {no_order, 0},
                {one_place, 0},          {no_numbers, 0},        {infinite, 0}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        plate *p = calloc(1, sizeof *p);
        native_metric metric;
        open_plate(p);
        assert_int_equal(trusted_blocks(p, rows[i].place, &metric), rows[i].trusted);
        mplan_native_metric_free(&metric);
        close_plate(p);
    }
}

/* How far along the line of two blocks the second centroid lies: the same number of cells, however flat. */
static void counts_cells(void **state)
{
    (void)state;
    place_of *const places[2] = {round_cells, flat_cells};
    double along[2][2];
    for (int i = 0; i < 2; i++) {
        plate *p = calloc(1, sizeof *p);
        native_metric metric;
        open_plate(p);
        trusted_blocks(p, places[i], &metric);
        const double steps[2][2] = {{TILE, 0}, {0, i == 0 ? TILE : TILE * 1e-6}};
        for (int k = 0; k < 2; k++) {
            double line[3];
            mplan_native_metric_line(&metric, 0, k == 0 ? 1 : SIDE / TILE, steps[k], line);
            along[i][k] = line[0] * steps[k][0] + line[1] * steps[k][1];
        }
        mplan_native_metric_free(&metric);
        close_plate(p);
    }
    for (int k = 0; k < 2; k++) {
        assert_true(along[0][k] > 0);
        assert_true(fabs(along[1][k] / along[0][k] - 1) < 1e-5);
    }
}

/* Points that the blocks of a mesh's cells touch, summed, by the definition. */
static int64_t touched(const mplan_map *map, const int32_t *block, int64_t n_blocks)
{
    bool *seen = calloc((size_t)(n_blocks * map->n_points), sizeof *seen);
    int64_t sum = 0;
    for (int64_t e = 0; e < map->n_rows; e++) {
        int32_t n;
        const int32_t *row = mplan_map_row(map, e, &n);
        for (int32_t k = 0; k < n; k++) {
            bool *is = seen + block[e] * map->n_points + row[k];
            sum += !*is;
            *is = true;
        }
    }
    free(seen);
    return sum;
}

static int64_t cost(const mplan_map *map, int32_t dimension, const double *coordinates)
{
    static const mplan_staged_dat dat = {1, 8};
    mplan_block_limits limits = {.block_size = 128,
                                 .max_points = 65535,
                                 .shared_bytes = 1 << 20,
                                 .n_maps = 1,
                                 .n_dats = 1,
                                 .maps = map,
                                 .dats = &dat};
    mplan_native_options options = {.effort = MPLAN_EFFORT_DEFAULT,
                                    .fill = 0.991,
                                    .dimension = dimension,
                                    .coordinates = coordinates};
    int32_t *block = malloc((size_t)map->n_rows * sizeof *block);
    mplan_block_origin origin;
    int64_t n_blocks;
    mplan_error err;
    assert_done(mplan_partition_native(map->n_rows, &limits, &options, block, &n_blocks, &origin,
                                       NULL, &err),
                &err);
    int64_t sum = touched(map, block, n_blocks);
    free(block);
    return sum;
}

/* Centroids of the cells, each coordinate multiplied. */
static void centroids(const mplan_mesh *mesh, const mplan_map *map, const double factor[3],
                      double *out)
{
    int32_t dimension, n;
    const double *xyz = mplan_mesh_coordinates(mesh, mplan_mesh_find_set(mesh, "nodes"), &dimension);
    for (int64_t c = 0; c < map->n_rows; c++) {
        const int32_t *row = mplan_map_row(map, c, &n);
        for (int32_t d = 0; d < dimension; d++) {
            out[c * dimension + d] = 0;
            for (int32_t k = 0; k < n; k++)
                out[c * dimension + d] += factor[d] * xyz[(int64_t)row[k] * dimension + d] / n;
        }
    }
}

/* Tets of a cube and of a plate 1,000 times as long as high: the same topology, equally good blocks; better
 * ones than without coordinates. Coordinates that say nothing do no harm. */
static void flat_meshes_cost_what_round_ones_do(void **state)
{
    (void)state;
    mplan_generate_options options = MPLAN_GENERATE_OPTIONS_INIT;
    options.shape = MPLAN_SHAPE_TET;
    options.size[0] = options.size[1] = options.size[2] = 14;
    options.jitter = 0.2;
    options.shuffle = true;
    mplan_mesh *mesh;
    mplan_error err;
    assert_done(mplan_mesh_generate(&options, NULL, &mesh, &err), &err);
    mplan_map map = mplan_mesh_map(mesh, mplan_mesh_find_map(mesh, "cells_nodes"));
    double *xyz = malloc((size_t)map.n_rows * 3 * sizeof *xyz);
    centroids(mesh, &map, (const double[3]){1, 1, 1}, xyz);
    int64_t round = cost(&map, 3, xyz), without = cost(&map, 0, NULL);
    centroids(mesh, &map, (const double[3]){1, 0.1, 0.001}, xyz);
    int64_t flat = cost(&map, 3, xyz);
    uint64_t seed = 5;
    for (int64_t i = 0; i < 3 * map.n_rows; i++)
        xyz[i] = (double)support_random(&seed, 1000);
    int64_t nonsense = cost(&map, 3, xyz);
    assert_true(llabs(flat - round) * 100 <= round);
    assert_true(round <= without + without / 100);
    assert_true(nonsense <= without + without / 100);
    free(xyz);
    mplan_mesh_free(mesh);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(trusts_what_lies_evenly),
        cmocka_unit_test(counts_cells),
        cmocka_unit_test(flat_meshes_cost_what_round_ones_do),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
