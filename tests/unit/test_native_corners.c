/* SPDX-License-Identifier: Apache-2.0 */
/* Corners of cells of higher order, and blocks that are tiles or stacks by them */
#include "support_order.h"
#include "support_test.h"
#include "support_threads.h"

#include "partition/native/grid/native_corners.h"
#include "partition/partition.h"

/* A box of cells; points lie in a grid twice as fine, corners of cells where all three places are even. */
typedef struct box {
    int32_t size[3];
    bool prisms;  /* two of each cell */
    bool plane;   /* quads */
    bool insides; /* points with two odd places and more, on sides and inside */
} box;

typedef struct cells {
    mplan_map map;
    uint8_t *is_corner; /* of each point */
} cells;

/* Whether a cell has the point at (i, j, k) of its 3 x 3 x 3 places: half 0 of a cell that is cut in two along a diagonal, half 1. */
static bool has_point(const box *b, int32_t half, int32_t i, int32_t j, int32_t k)
{
    int32_t odd = i % 2 + j % 2 + k % 2, ways = odd;
    if (b->plane && k > 0)
        return false;
    if (b->prisms && (half == 0 ? i + j > 2 : i + j < 2))
        return false;
    if (b->prisms && i == 1 &&
        j == 1) /* the middle of the diagonal is one of an edge, or of the side above it */
        ways = 1 + k % 2;
    return b->insides || ways < 2;
}

/* Rows go layer by layer, so that those of prisms have a lower half before an upper one; corners come first, as in files. */
static cells make_cells(const box *b, uint64_t *seed)
{
    const int32_t *size = b->size, halves = b->prisms ? 2 : 1;
    const int32_t wide = 2 * size[0] + 1, deep = 2 * size[1] + 1, high = 2 * size[2] + 1;
    const int64_t n = (int64_t)size[0] * size[1] * size[2] * halves,
                  places = (int64_t)wide * deep * high;
    int32_t *order = support_permutation(seed, n), *number = support_permutation(seed, places);
    int32_t *values = malloc((size_t)n * 27 * sizeof *values);
    uint8_t *is_corner = calloc((size_t)places, 1);
    int32_t arity = 0;
    for (int32_t way = 0; way < 2; way++) { /* how many there are; then rows */
        for (int64_t c = 0; c < (way ? n : 1); c++) {
            const int32_t half = (int32_t)(c % halves), x = (int32_t)(c / halves % size[0]);
            const int32_t y = (int32_t)(c / halves / size[0] % size[1]),
                          z = (int32_t)(c / halves / size[0] / size[1]);
            int32_t length = 0;
            for (int32_t corner = 1; corner >= 0; corner--)
                for (int32_t p = 0; p < 27; p++) {
                    const int32_t i = p % 3, j = p / 3 % 3, k = p / 9;
                    if (!has_point(b, half, i, j, k) || (i % 2 + j % 2 + k % 2 == 0) != corner)
                        continue;
                    int32_t point = number[((int64_t)(2 * z + k) * deep + 2 * y + j) * wide + 2 * x + i];
                    is_corner[point] |= way && corner;
                    if (way)
                        values[(int64_t)order[c] * arity + length] = point;
                    length++;
                }
            arity = length;
        }
    }
    free(order);
    free(number);
    return (cells){{"m", 0, 1, arity, n, places, NULL, values}, is_corner};
}

static void free_cells(cells *c)
{
    support_map_free(&c->map);
    free(c->is_corner);
}

static native_table table_of(const mplan_map *map, int64_t *set_begin, int32_t *set_weight)
{
    set_begin[0] = 0;
    set_begin[1] = map->n_points;
    *set_weight = 3;
    return (native_table){.n = map->n_rows,
                          .arity = map->arity,
                          .points = (int32_t *)(uintptr_t)map->values,
                          .n_sets = 1,
                          .n_points = map->n_points,
                          .set_begin = set_begin,
                          .set_weight = set_weight,
                          .limits_bind = true};
}

static const struct {
    box box;
    int32_t arity, corners;
    native_middles middles;
} kinds[] = {{{{9, 7, 1}, false, true, false}, 8, 4, NATIVE_EDGE_MIDDLES},
             {{{9, 7, 1}, false, true, true}, 9, 4, NATIVE_ALL_MIDDLES},
             {{{5, 6, 5}, true, false, false}, 15, 6, NATIVE_EDGE_MIDDLES},
             {{{5, 6, 5}, true, false, true}, 18, 6, NATIVE_ALL_MIDDLES},
             {{{6, 5, 7}, false, false, false}, 20, 8, NATIVE_EDGE_MIDDLES},
             {{{6, 5, 7}, false, false, true}, 27, 8, NATIVE_ALL_MIDDLES}};

/* Corners in the order of their row, numbered without gaps in the order of the points. */
static void check_corners(const cells *c, const native_table *corners)
{
    int32_t *rank = malloc((size_t)c->map.n_points * sizeof *rank), next = 0;
    for (int64_t p = 0; p < c->map.n_points; p++)
        rank[p] = c->is_corner[p] ? next++ : -1;
    assert_int_equal(corners->n_points, next);
    assert_int_equal(corners->set_begin[1], next);
    for (int64_t e = 0; e < c->map.n_rows; e++) {
        int32_t found = 0;
        for (int32_t k = 0; k < c->map.arity; k++) {
            int32_t p = c->map.values[e * c->map.arity + k];
            if (rank[p] < 0)
                continue;
            assert_true(found < corners->arity);
            assert_int_equal(corners->points[e * corners->arity + found], rank[p]);
            found++;
        }
        assert_int_equal(found, corners->arity);
    }
    free(rank);
}

static void finds_corners(void **state)
{
    (void)state;
    uint64_t seed = 3;
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
        for (int32_t threads = support_races_only() ? 3 : 1; threads <= 3; threads += 2) {
            mplan_error err;
            mplan_threaded team;
            const mplan_context *context = support_threaded_open(NULL, &team, threads);
            cells c = make_cells(&kinds[i].box, &seed);
            int64_t set_begin[2];
            int32_t set_weight;
            bool found = false;
            native_table corners, table = table_of(&c.map, set_begin, &set_weight);
            assert_int_equal(c.map.arity, kinds[i].arity);
            assert_done(mplan_native_corners(&table, &corners, &found, mplan_team_of(context), &err),
                        &err);
            assert_true(found);
            assert_int_equal(corners.arity, kinds[i].corners);
            assert_int_equal(corners.middles, kinds[i].middles);
            assert_int_equal(corners.n, c.map.n_rows);
            assert_int_equal(corners.set_weight[0], 3);
            assert_false(corners.limits_bind);
            check_corners(&c, &corners);
            mplan_native_table_free(&corners);
            mplan_threaded_close(&team);
            free_cells(&c);
        }
}

/* Rows of random points, of corners only, of a length that no such cells have, and of two sets. */
static void refuses_what_has_none(void **state)
{
    (void)state;
    enum { N = 500 };
    static const struct {
        int32_t arity, sets;
        int64_t points;
    } cases[] = {{27, 1, 4000}, {8, 1, 600},   {8, 1, 3000},
                 {10, 1, 1500}, {15, 1, 2500}, {27, 2, 4000}};
    uint64_t seed = 5;
    int32_t *values = malloc(27 * N * sizeof *values);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        mplan_error err;
        mplan_map map = {"m", 0, 1, cases[i].arity, N, cases[i].points, NULL, values};
        int64_t set_begin[3];
        int32_t set_weight;
        bool found = true;
        for (int32_t k = 0; k < N * cases[i].arity; k++)
            values[k] = (int32_t)support_random(&seed, cases[i].points);
        native_table corners, table = table_of(&map, set_begin, &set_weight);
        table.n_sets = cases[i].sets;
        assert_done(mplan_native_corners(&table, &corners, &found, NULL, &err), &err);
        assert_false(found);
        mplan_native_table_free(&corners);
    }
    free(values);
}

static int64_t cut_by(const mplan_map *map, const mplan_block_limits *limits, int32_t threads,
                      int32_t *block)
{
    mplan_error err;
    mplan_threaded team;
    mplan_native_options options = {.effort = MPLAN_EFFORT_DEFAULT, .fill = 0.991};
    int64_t n_blocks = 0;
    const mplan_context *context = support_threaded_open(NULL, &team, threads);
    assert_done(mplan_partition_native(map->n_rows, limits, &options, block, &n_blocks, NULL,
                                       context, &err),
                &err);
    mplan_threaded_close(&team);
    return n_blocks;
}

/* The (block, point) pairs; sizes and points of each block are within the limits. */
static int64_t count_pairs(const mplan_map *map, const mplan_block_limits *limits,
                           const int32_t *block, int64_t n_blocks)
{
    const int64_t n = map->n_rows;
    int64_t *begin = calloc((size_t)n_blocks + 2, sizeof *begin), pairs = 0;
    int64_t *last = calloc((size_t)map->n_points, sizeof *last);
    int32_t *element = malloc((size_t)n * sizeof *element); /* block by block */
    for (int64_t e = 0; e < n; e++) {
        assert_in_range(block[e], 0, n_blocks - 1);
        begin[block[e] + 2]++;
    }
    for (int64_t b = 0; b < n_blocks; b++)
        begin[b + 1] += begin[b];
    for (int64_t e = 0; e < n; e++)
        element[begin[block[e] + 1]++] = (int32_t)e;
    for (int64_t b = 0; b < n_blocks; b++) {
        int64_t points = 0;
        for (int64_t i = begin[b]; i < begin[b + 1]; i++)
            for (int32_t k = 0; k < map->arity; k++) {
                int64_t *at = &last[map->values[(int64_t)element[i] * map->arity + k]];
                points += *at != b + 1;
                *at = b + 1;
            }
        assert_in_range(begin[b + 1] - begin[b], 1, limits->block_size);
        assert_in_range(points, 1, limits->max_points);
        pairs += points;
    }
    free(begin);
    free(last);
    free(element);
    return pairs;
}

/* Reuse of blocks, none of which has more than `most` points. */
static double cut(const mplan_map *map, int32_t block_size, int32_t most)
{
    const mplan_block_limits limits = {block_size, most, 1 << 30, 1, 0, map, NULL};
    const int64_t n = map->n_rows;
    int32_t *block = malloc((size_t)n * sizeof *block), *other = malloc((size_t)n * sizeof *other);
    const int64_t n_blocks = cut_by(map, &limits, 3, block);
    if (!support_races_only()) {
        assert_int_equal(cut_by(map, &limits, 1, other), n_blocks);
        assert_memory_equal(block, other, (size_t)n * sizeof *block);
    }
    const int64_t pairs = count_pairs(map, &limits, block, n_blocks);
    free(block);
    free(other);
    return (double)(n * map->arity) / (double)pairs;
}

/* Reuse of hexes that only tiles reach: grown and refined blocks have, in this order, 2.476, 2.638 (of at most 2900 points) and 3.188, tiles
 * 2.510, 2.671 and 3.261. Prisms are good either way. */
static void tiles_are_good(void **state)
{
    (void)state;
    static const struct {
        box box;
        int32_t block_size, most;
        double least;
    } cases[] = {{{{24, 20, 24}, false, false, true}, 128, 65535, 2.49},
                 {{{24, 20, 24}, false, false, true}, 448, 2900, 2.66},
                 {{{24, 20, 24}, false, false, false}, 128, 65535, 3.22},
                 {{{30, 30, 20}, true, false, false}, 128, 65535, 3.6}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i += (size_t)support_every(3)) {
        uint64_t seed = 7;
        box b = cases[i].box;
        if (support_races_only()) /* fewer cells are tiled by the same code */
            b.size[0] = b.size[1] = b.size[2] = 8;
        cells c = make_cells(&b, &seed);
        double reuse = cut(&c.map, cases[i].block_size, cases[i].most);
        if (reuse < cases[i].least && !support_races_only())
            fail_msg("case %zu: reuse %.3f", i, reuse);
        free_cells(&c);
    }
}

/* Of sizes that fit nothing, with limits on points that bind. */
static void keeps_limits(void **state)
{
    (void)state;
    uint64_t seed = 9;
    for (int round = 0; round < 24; round += support_every(7)) {
        box b = kinds[round % 6].box;
        for (int d = 0; d < (b.plane ? 2 : 3); d++)
            b.size[d] = 1 + (int32_t)support_random(&seed, b.plane ? 30 : 9);
        cells c = make_cells(&b, &seed);
        int32_t size = 8 + (int32_t)support_random(&seed, 100);
        cut(&c.map, size, round % 3 ? 65535 : 27 + (int32_t)support_random(&seed, 300));
        free_cells(&c);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(finds_corners),
        cmocka_unit_test(refuses_what_has_none),
        cmocka_unit_test(tiles_are_good),
        cmocka_unit_test(keeps_limits),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
