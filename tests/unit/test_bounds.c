/* SPDX-License-Identifier: Apache-2.0 */
/* test_bounds.c - what figures are held against: colours by counting everything,
 * reuse by plans of grids, which no blocks may beat */
#include "support_test.h"

#include <math.h>

#include "support_check.h"

static const mplan_context one = {.struct_size = sizeof(mplan_context), .threads = 1};

/* --- colours -------------------------------------------------------------------------- */

static bool writes_to(const mplan_plan *plan, const mplan_plan_loop *loop, int32_t e, int32_t set,
                      int32_t point)
{
    for (int32_t a = 0; a < loop->n_args; a++) {
        int32_t m = loop->args[a].map, n;
        if (m < 0 || loop->args[a].access == MPLAN_READ || plan->maps[m].to != set)
            continue;
        mplan_map map = mplan_plan_stored_map(plan, m);
        const int32_t *row = mplan_map_row(&map, e, &n);
        for (int32_t k = 0; k < n; k++)
            if (row[k] == point)
                return true;
    }
    return false;
}

/* The block of every position of the from-set; holes and what no block has: -1. */
static int64_t find_blocks(const mplan_plan *plan, int32_t block_set, int32_t *block)
{
    const mplan_plan_block_set *record = &plan->block_sets[block_set];
    const mplan_plan_set *set = &plan->sets[record->set];
    mplan_key key = mplan_key_of_block_set(MPLAN_KIND_BLOCK_OFFSETS, block_set);
    const int64_t *offsets = mplan_plan_data(plan, key, MPLAN_TYPE_I64, NULL);
    key.kind = MPLAN_KIND_BLOCK_SEQUENCE;
    const int32_t *sequence = mplan_plan_data(plan, key, MPLAN_TYPE_I32, NULL);
    for (int64_t e = 0; e < set->storage_size; e++)
        block[e] = -1;
    for (int64_t b = 0; b < record->n_blocks; b++)
        for (int64_t i = offsets[b]; i < offsets[b + 1]; i++)
            block[record->sequence ? sequence[i] : i] = (int32_t)b;
    return record->n_blocks;
}

/* Most elements, and most blocks, that write to a point; block NULL: elements of
 * all, else those of one block. */
static int64_t most_at_a_point(const mplan_plan *plan, const mplan_plan_loop *loop,
                               const int32_t *block, int32_t only, bool count_blocks)
{
    int64_t most = 0;
    for (int32_t s = 0; s < plan->n_sets; s++)
        for (int32_t p = 0; p < plan->sets[s].storage_size; p++) {
            int64_t count = 0;
            bool seen[64] = {false};
            for (int32_t e = 0; e < plan->sets[loop->set].storage_size; e++) {
                if (block && only >= 0 && block[e] != only)
                    continue;
                if (!writes_to(plan, loop, e, s, p))
                    continue;
                count += !count_blocks || !seen[block[e]];
                if (count_blocks)
                    seen[block[e]] = true;
            }
            most = count > most ? count : most;
        }
    return most;
}

static void check_variant(const mplan_plan *plan, int32_t l, int32_t v)
{
    mplan_error err;
    mplan_variant_bounds bounds;
    const mplan_plan_loop *loop = &plan->loops[l];
    const mplan_plan_variant *variant = &loop->variants[v];
    int32_t block[64];
    bool blocks = variant->strategy == MPLAN_STRATEGY_BLOCK_COLOUR;
    bool summed = variant->strategy == MPLAN_STRATEGY_BLOCK_GATHER &&
                  variant->sums == MPLAN_SUMS_COLOUR;
    assert_done(mplan_plan_variant_bounds(plan, l, v, &bounds, NULL, &err), &err);
    if (variant->strategy == MPLAN_STRATEGY_GLOBAL_COLOUR) {
        int64_t most = most_at_a_point(plan, loop, NULL, -1, false);
        if (most == 0 && plan->sets[loop->set].size > 0)
            most = 1;
        assert_int_equal(bounds.global_colours, most);
        assert_true(variant->global_colours >= most || most == 1);
    } else {
        assert_int_equal(bounds.global_colours, -1);
    }
    if (!blocks && !summed) {
        assert_int_equal(bounds.block_colours, -1);
        assert_int_equal(bounds.thread_colours_total, -1);
        return;
    }
    int64_t n_blocks = find_blocks(plan, variant->block_set, block);
    int64_t most = most_at_a_point(plan, loop, block, -1, true), sum = 0, max = 0;
    assert_int_equal(bounds.block_colours, most == 0 && n_blocks > 0 ? 1 : most);
    assert_true(variant->block_colours >= bounds.block_colours);
    for (int32_t b = 0; b < n_blocks && blocks; b++) {
        most = most_at_a_point(plan, loop, block, b, false);
        most = most == 0 ? 1 : most;
        max = most > max ? most : max;
        sum += most;
    }
    assert_int_equal(bounds.thread_colours_max, blocks ? max : -1);
    assert_int_equal(bounds.thread_colours_total, blocks ? sum : -1);
    assert_true(bounds.thread_blocks_at_bound >= (blocks ? 0 : -1));
    assert_true(bounds.thread_blocks_at_bound <= n_blocks);
    if (blocks && variant->thread_colours_total == sum)
        assert_int_equal(bounds.thread_blocks_at_bound, n_blocks);
}

static void colours_of_random_plans(void **state)
{
    (void)state;
    uint64_t seed = 3;
    for (int i = 0; i < 40; i++) {
        support_request in = {0};
        mplan_plan *plan = support_random_plan(&in, &seed);
        for (int32_t l = 0; l < plan->n_loops; l++)
            for (int32_t v = 0; v < plan->loops[l].n_variants; v++)
                check_variant(plan, l, v);
        mplan_plan_free(plan);
        mplan_mesh_free(in.mesh);
    }
}

/* Numbers that lead out of the plan: nothing is known, nothing is read. */
static void plans_that_do_not_hold_have_no_bounds(void **state)
{
    (void)state;
    static const mplan_kind kinds[] = {MPLAN_KIND_MAP_VALUES, MPLAN_KIND_MAP_OFFSETS,
                                       MPLAN_KIND_BLOCK_OFFSETS, MPLAN_KIND_BLOCK_SEQUENCE};
    mplan_error err;
    mplan_mesh *mesh = support_fixed_mesh();
    mplan_plan *plan = support_fixed_plan(mesh);
    for (int32_t i = 0; i < plan->n_arrays; i++) {
        mplan_array *array = &plan->arrays[i];
        bool meant = false;
        for (size_t k = 0; k < sizeof kinds / sizeof *kinds; k++)
            meant = meant || array->key.kind == kinds[k];
        for (int64_t at = 0; at < array->rows * array->cols && meant; at += 3) {
            size_t width = array->type == MPLAN_TYPE_I64 ? 8 : 4;
            uint8_t *place = (uint8_t *)(uintptr_t)array->data + (size_t)at * width;
            uint8_t kept[8];
            memcpy(kept, place, width);
            for (int way = 0; way < 2; way++) {
                memset(place, way ? 0x7f : 0x90, width);
                for (int32_t v = 0; v < plan->loops[0].n_variants; v++) {
                    mplan_variant_bounds bounds;
                    assert_done(mplan_plan_variant_bounds(plan, 0, v, &bounds, NULL, &err), &err);
                }
                for (int32_t m = 0; m < plan->n_metrics; m++) {
                    double reuse;
                    const char *tile;
                    assert_done(mplan_plan_reuse_bound(plan, m, &reuse, &tile, &err), &err);
                }
            }
            memcpy(place, kept, width);
        }
    }
    mplan_plan_free(plan);
    mplan_mesh_free(mesh);
}

/* --- reuse ---------------------------------------------------------------------------- */

/* Reuse of the only loop's only map, and its bound. */
static double reuse_of(mplan_shape shape, const int64_t *size, bool faces, int32_t block_size,
                       bool shuffle, double *bound, const char **tile)
{
    mplan_error err;
    mplan_mesh *mesh;
    mplan_plan *plan;
    mplan_generate_options how = MPLAN_GENERATE_OPTIONS_INIT;
    mplan_plan_options options = MPLAN_PLAN_OPTIONS_INIT;
    mplan_arg arg = {.dat = "sum",
                     .map = faces ? "faces_cells" : "cells_nodes",
                     .access = MPLAN_INC,
                     .dim = 1,
                     .type = MPLAN_TYPE_F64};
    mplan_loop loop = {
        .name = "loop", .over = faces ? "faces" : "cells", .calls = 1, .n_args = 1, .args = &arg};
    how.shape = shape;
    memcpy(how.size, size, sizeof how.size);
    how.shuffle = shuffle;
    options.block_size = block_size;
    options.partitioner = MPLAN_PARTITIONER_NATIVE;
    options.n_strategies = 1;
    options.strategies[0] = MPLAN_STRATEGY_ATOMIC;
    assert_done(mplan_mesh_generate(&how, &one, &mesh, &err), &err);
    assert_done(mplan_plan_create(mesh, 1, &loop, &options, &one, &plan, &err), &err);
    assert_int_equal(mplan_plan_n_metrics(plan), 1);
    const mplan_block_metrics *metrics = mplan_plan_get_metrics(plan, 0);
    double reuse = (double)metrics->entries / (double)metrics->pairs;
    assert_done(mplan_plan_reuse_bound(plan, 0, bound, tile, &err), &err);
    mplan_plan_free(plan);
    mplan_mesh_free(mesh);
    return reuse;
}

static void no_blocks_of_a_grid_beat_the_bound(void **state)
{
    (void)state;
    static const int64_t sizes[][3] = {{3, 3, 3}, {20, 6, 4}, {17, 21, 7}, {64, 2, 1}};
    static const int32_t limits[] = {1, 2, 5, 16, 96, 1024};
    static const mplan_shape shapes[] = {MPLAN_SHAPE_QUAD, MPLAN_SHAPE_HEX};
    for (int shape = 0; shape < 2; shape++)
        for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++)
            for (size_t k = 0; k < sizeof limits / sizeof *limits; k += (size_t)support_every(5))
                for (int faces = 0; faces < 2; faces++) {
                    double bound;
                    const char *tile;
                    int64_t size[3] = {sizes[i][0], sizes[i][1], shape ? sizes[i][2] : 0};
                    double reuse = reuse_of(shapes[shape], size, faces, limits[k], (i + k) % 2 == 0,
                                            &bound, &tile);
                    if (!tile) { /* no point that has all its edges: no grid is known */
                        assert_true(faces && isnan(bound));
                        assert_true(size[1] < 3 || (shape && size[2] < 3));
                        continue;
                    }
                    if (!(reuse <= bound * (1 + 1e-12)))
                        fail_msg("%s, %d: reuse %g, bound %g", tile, (int)limits[k], reuse, bound);
                }
}

/* Squares and cubes of a whole side reach it, and a block of all of it. */
static void tiles_reach_the_bound(void **state)
{
    (void)state;
    static const int64_t quads[3] = {16, 16, 0}, hexes[3] = {8, 8, 8};
    double bound;
    const char *tile;
    reuse_of(MPLAN_SHAPE_QUAD, quads, false, 64, true, &bound, &tile);
    assert_string_equal(tile, "squares");
    assert_true(fabs(bound - 4.0 * 64 / 81) < 1e-12);
    reuse_of(MPLAN_SHAPE_HEX, hexes, false, 64, true, &bound, &tile);
    assert_string_equal(tile, "cubes");
    assert_true(fabs(bound - 8.0 * 64 / 125) < 1e-12);
    double reuse = reuse_of(MPLAN_SHAPE_QUAD, quads, true, 512, true, &bound, &tile);
    assert_string_equal(tile, "diamonds of square cells");
    assert_true(fabs(bound - reuse) < 1e-12);
}

static void other_graphs_have_no_bound(void **state)
{
    (void)state;
    static const int64_t flat[3] = {12, 9, 0}, solid[3] = {5, 4, 6};
    double bound;
    const char *tile;
    for (int faces = 0; faces < 2; faces++) {
        reuse_of(MPLAN_SHAPE_TRI, flat, faces, 16, true, &bound, &tile);
        assert_true(isnan(bound) && !tile);
        reuse_of(MPLAN_SHAPE_TET, solid, faces, 16, false, &bound, &tile);
        assert_true(isnan(bound) && !tile);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(colours_of_random_plans),
        cmocka_unit_test(plans_that_do_not_hold_have_no_bounds),
        cmocka_unit_test(no_blocks_of_a_grid_beat_the_bound),
        cmocka_unit_test(tiles_reach_the_bound),
        cmocka_unit_test(other_graphs_have_no_bound),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
