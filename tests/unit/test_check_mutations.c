/* SPDX-License-Identifier: Apache-2.0 */
/* test_check_mutations.c - what is wrong with a plan is refused with its reason */
#include "support_test.h"

#include "support_check.h"

/* Thousands of small plans are faster without threads. */
static const mplan_context one_thread = {.struct_size = sizeof(mplan_context), .threads = 1};

/* Every mutation takes the fixed plan; its name and the reason follow below. */
#define MUTATE(name_) static void name_(mplan_plan *plan)

/* clang-format off */
MUTATE(set_name_twice) { plan->sets[1].name = plan->sets[0].name; }
MUTATE(set_name_empty) { plan->sets[1].name = ""; }
MUTATE(map_name_twice) { plan->maps[1].name = plan->maps[0].name; }
MUTATE(loop_name_twice) { plan->loops[1].name = plan->loops[0].name; }
MUTATE(loop_name_empty) { plan->loops[1].name = ""; }
MUTATE(storage_below_size) { plan->sets[0].storage_size = plan->sets[0].size - 1; }
MUTATE(size_negative) { plan->sets[0].size = -1; }
MUTATE(storage_too_large) { plan->sets[0].storage_size = INT64_C(1) << 32; }
MUTATE(renumber_unknown) { plan->sets[0].renumber = MPLAN_N_RENUMBERS; }
MUTATE(half_a_measure) { plan->sets[1].bandwidth[1] = 3; }
MUTATE(kept_the_worse)
{
    plan->sets[1].kept = true;
    plan->sets[1].bandwidth[1] = plan->sets[1].profile[1] = 1;
}
MUTATE(kept_without_another) /* no renumbered order was measured */
{
    plan->sets[1].kept = true;
    plan->sets[1].bandwidth[1] = plan->sets[1].profile[1] = -1;
}
MUTATE(map_from_nowhere) { plan->maps[0].from = 4; }
MUTATE(map_to_nowhere) { plan->maps[0].to = -1; }
MUTATE(map_arity_negative) { plan->maps[0].arity = -1; }
MUTATE(map_entries_other) { plan->maps[0].n_entries++; }
MUTATE(loop_over_nothing) { plan->loops[0].set = 4; }
MUTATE(no_calls) { plan->loops[0].calls = 0; }
MUTATE(negative_flops) { plan->loops[0].flops = -1; }
MUTATE(default_variant_outside) { plan->loops[0].default_variant = 10; }
MUTATE(two_primary) { plan->loops[1].primary = true; }
MUTATE(no_primary) { plan->loops[0].primary = false; }
MUTATE(dat_empty) { arg_of(plan, 0, 0)->dat = ""; }
MUTATE(arg_map_outside) { arg_of(plan, 0, 0)->map = plan->n_maps; }
MUTATE(arg_map_of_faces) { arg_of(plan, 1, 0)->map = FACES_CELLS; }
MUTATE(arg_map_elsewhere) { arg_of(plan, 0, 0)->map = CELLS_NODES; }
MUTATE(arg_access_unknown) { arg_of(plan, 0, 0)->access = (mplan_access)6; }
MUTATE(arg_dim_zero) { arg_of(plan, 0, 0)->dim = 0; }
MUTATE(arg_type_unknown) { arg_of(plan, 0, 0)->type = (mplan_type)7; }
MUTATE(arg_none_unknown) { arg_of(plan, 0, 0)->none = (mplan_none)3; }
MUTATE(arg_expects_no_none) { arg_of(plan, 0, 0)->none = MPLAN_NONE_REFUSE; }
MUTATE(arg_split_with_none) { arg_of(plan, 0, 0)->none = MPLAN_NONE_SPLIT; }
MUTATE(one_dat_two_sets) { arg_of(plan, 0, 1)->dat = plan->loops[0].args[0].dat; }
MUTATE(one_dat_two_ways) /* as if faces were nodes */
{
    arg_of(plan, 0, 3)->dat = plan->loops[0].args[0].dat;
    arg_of(plan, 0, 3)->dim = 2;
    arg_of(plan, 0, 3)->access = MPLAN_RW;
    plan->maps[FACES_NODES].to = FACES_SET;
}
MUTATE(one_dat_two_types) { arg_of(plan, 1, 0)->type = MPLAN_TYPE_I64; }
MUTATE(one_dat_two_dims_of_loops) { arg_of(plan, 1, 0)->dim = 64; }
MUTATE(one_dat_two_sets_of_loops)
{
    arg_of(plan, 1, 0)->dat = plan->loops[0].args[3].dat;
    arg_of(plan, 1, 0)->dim = 1;
}
MUTATE(one_dat_read_and_added) { arg_of(plan, 0, 1)->dat = plan->loops[0].args[2].dat; }
MUTATE(one_dat_updated_by_map) { arg_of(plan, 0, 2)->access = MPLAN_RW; }
MUTATE(one_dat_two_dims)
{
    arg_of(plan, 0, 1)->dat = plan->loops[0].args[2].dat;
    arg_of(plan, 0, 1)->dim = 3;
}
MUTATE(strategy_unknown) { variant_of(plan, 0, ATOMIC)->strategy = MPLAN_N_STRATEGIES; }
MUTATE(variant_blocks_outside) { variant_of(plan, 0, ATOMIC)->block_set = 4; }
MUTATE(variant_without_blocks) { variant_of(plan, 0, BY_RUNS)->block_set = -1; }
MUTATE(variant_blocks_of_others) { variant_of(plan, 0, ATOMIC)->block_set = 2; }
MUTATE(variant_other_limit) { variant_of(plan, 0, BY_RUNS)->block_limit++; }
MUTATE(variant_limit_large) { variant_of(plan, 0, ATOMIC)->block_limit = 1025; }
MUTATE(variant_no_threads) { variant_of(plan, 0, ATOMIC)->threads = 0; }
MUTATE(variant_no_elements) { variant_of(plan, 0, ATOMIC)->elements_per_thread = 0; }
MUTATE(atomic_promises) { variant_of(plan, 0, ATOMIC)->deterministic = true; }
MUTATE(atomic_counts_colours) { variant_of(plan, 0, ATOMIC)->block_colours = 1; }
MUTATE(atomic_counts_global) { variant_of(plan, 0, ATOMIC)->global_colours = 1; }
MUTATE(global_counts_threads) { variant_of(plan, 0, GLOBAL)->thread_colours_max = 1; }
MUTATE(too_many_block_colours) { variant_of(plan, 0, BY_RUNS)->block_colours = 1000; }
MUTATE(too_many_global_colours) { variant_of(plan, 0, GLOBAL)->global_colours = 1000; }
MUTATE(block_set_outside) { plan->block_sets[0].set = 4; }
MUTATE(block_set_no_loop) { plan->block_sets[0].loop = plan->n_loops; }
MUTATE(block_set_negative_loop) { plan->block_sets[0].loop = -1; }
MUTATE(block_set_other_loop) { plan->block_sets[0].loop = 1; }
MUTATE(block_set_many_blocks) { plan->block_sets[0].n_blocks = 15; }
MUTATE(block_set_limit_zero) { plan->block_sets[0].block_limit = 0; }
MUTATE(block_set_points_many) { plan->block_sets[0].max_points = 65536; }
MUTATE(block_set_bytes_negative) { plan->block_sets[0].shared_bytes = -1; }
MUTATE(partitioner_unknown) { plan->block_sets[0].partitioner = MPLAN_N_PARTITIONERS; }
MUTATE(alternative_negative) { plan->block_sets[0].alternative_pairs = -2; }
/* the block set was not made by the native partitioner */
MUTATE(origin_unknown) { plan->block_sets[0].origin.origin = MPLAN_N_ORIGINS; }
MUTATE(origin_of_others) { plan->block_sets[0].origin.origin = MPLAN_ORIGIN_GROWN; }
MUTATE(origin_refined) { plan->block_sets[0].origin.refined = true; }
MUTATE(origin_extent) { plan->block_sets[0].origin.extent[2] = 1; }
MUTATE(origin_patches) { plan->block_sets[0].origin.patches = 1; }
MUTATE(origin_largest) { plan->block_sets[0].origin.largest = 1; }
static void set_origin(mplan_plan *plan, mplan_origin origin, int32_t extent, int64_t largest)
{
    plan->block_sets[0].partitioner = MPLAN_PARTITIONER_NATIVE;
    plan->block_sets[0].origin = (mplan_block_origin){
        origin, false, {extent, extent, extent}, 1, largest};
}
/* ascending, where they descend */
MUTATE(origin_unsorted)
{
    set_origin(plan, MPLAN_ORIGIN_QUADS, 1, 1);
    plan->block_sets[0].origin.extent[1] = 2;
}
MUTATE(origin_without_extent) { set_origin(plan, MPLAN_ORIGIN_QUADS, 0, 1); }
MUTATE(origin_beyond_extent) { set_origin(plan, MPLAN_ORIGIN_PLANE_EDGES, 1, 2); }
MUTATE(origin_beyond_set) { set_origin(plan, MPLAN_ORIGIN_HEXES, 100, 1000); }
MUTATE(origin_layers_of_others) { set_origin(plan, MPLAN_ORIGIN_LAYERS, 4, 1); }
MUTATE(alternative_better) { plan->block_sets[0].alternative_pairs = 3; }

MUTATE(kind_elsewhere)
{
    /* SETS ahead of everything: a known kind that is not an array */
    plan->arrays[0].key = mplan_key_of_set(MPLAN_KIND_SETS, 0);
}
MUTATE(array_too_many) { plan->sets[BOUNDARY_SET].split = ""; }
MUTATE(array_missing) { plan->sets[0].split = "cells_nodes"; }
MUTATE(array_of_a_rank) { SET(MPLAN_KIND_NEW_OF_OLD, NODES_SET)->key.rank = 0; }
MUTATE(array_other_type) { SET(MPLAN_KIND_NEW_OF_OLD, 0)->type = MPLAN_TYPE_U16; }
MUTATE(array_other_rows) { SET(MPLAN_KIND_NEW_OF_OLD, 0)->rows--; }
MUTATE(array_other_cols) { MAP(MPLAN_KIND_MAP_VALUES, 0)->cols--; }
MUTATE(array_without_data)
{
    mplan_array *array = SET(MPLAN_KIND_NEW_OF_OLD, 0);
    free((void *)(uintptr_t)array->data);
    array->data = NULL;
}
MUTATE(points_of_two_columns) { POINTS(MPLAN_KIND_BLOCK_POINTS, 0, CELLS_SET)->cols = 2; }
MUTATE(arrays_unordered)
{
    mplan_array swap = plan->arrays[0];
    plan->arrays[0] = plan->arrays[1];
    plan->arrays[1] = swap;
}

MUTATE(new_of_old_outside)
{
    put(SET(MPLAN_KIND_NEW_OF_OLD, 0), 3, plan->sets[0].storage_size);
}
MUTATE(new_of_old_negative) { put(SET(MPLAN_KIND_NEW_OF_OLD, 0), 3, -1); }
MUTATE(new_of_old_twice)
{
    mplan_array *array = SET(MPLAN_KIND_NEW_OF_OLD, 0);
    put(array, 3, get(array, 5));
}
MUTATE(old_of_new_hole_filled)
{
    mplan_array *array = SET(MPLAN_KIND_OLD_OF_NEW, 0);
    put(array, place_of(array, -1, true), 2);
}
MUTATE(old_of_new_outside)
{
    mplan_array *array = SET(MPLAN_KIND_OLD_OF_NEW, 0);
    put(array, place_of(array, -1, true), -2);
}
MUTATE(old_of_new_too_large)
{
    mplan_array *array = SET(MPLAN_KIND_OLD_OF_NEW, 0);
    put(array, place_of(array, -1, true), plan->sets[0].size);
}
MUTATE(global_id_unordered) { put(SET(MPLAN_KIND_GLOBAL_ID, CELLS_SET), 3, 2); }
MUTATE(global_id_negative) { put(SET(MPLAN_KIND_GLOBAL_ID, CELLS_SET), 0, -1); }
MUTATE(global_id_in_both) { put(SET(MPLAN_KIND_GLOBAL_ID, BOUNDARY_SET), 0, 11); }
MUTATE(global_id_in_neither) { put(SET(MPLAN_KIND_GLOBAL_ID, BOUNDARY_SET), 1, 15); }

MUTATE(value_outside)
{
    put(MAP(MPLAN_KIND_MAP_VALUES, FACES_CELLS), 3, plan->sets[CELLS_SET].storage_size);
}
MUTATE(value_below_none) { put(MAP(MPLAN_KIND_MAP_VALUES, FACES_CELLS), 3, -2); }
MUTATE(value_a_hole)
{
    mplan_array *values = MAP(MPLAN_KIND_MAP_VALUES, FACES_CELLS);
    put(values, place_of(values, -1, false),
        place_of(SET(MPLAN_KIND_OLD_OF_NEW, CELLS_SET), -1, true));
}
MUTATE(hole_with_a_row)
{
    int64_t hole = place_of(SET(MPLAN_KIND_OLD_OF_NEW, FACES_SET), -1, true);
    put(MAP(MPLAN_KIND_MAP_VALUES, FACES_CELLS), 2 * hole,
        place_of(SET(MPLAN_KIND_OLD_OF_NEW, CELLS_SET), -1, false));
}
MUTATE(ragged_hole_with_a_row)
{
    int64_t hole = place_of(SET(MPLAN_KIND_OLD_OF_NEW, FACES_SET), -1, true);
    mplan_array *offsets = MAP(MPLAN_KIND_MAP_OFFSETS, FACES_NODES);
    put(offsets, hole + 1, get(offsets, hole + 1) + 1);
}
MUTATE(ragged_first) { put(MAP(MPLAN_KIND_MAP_OFFSETS, FACES_NODES), 0, 1); }
MUTATE(ragged_last)
{
    mplan_array *offsets = MAP(MPLAN_KIND_MAP_OFFSETS, FACES_NODES);
    put(offsets, offsets->rows - 1, 500);
}
MUTATE(ragged_backwards) { put(MAP(MPLAN_KIND_MAP_OFFSETS, FACES_NODES), 5, 0); }
MUTATE(value_other) { change_a_node(plan); }

MUTATE(blocks_begin_late) { put(BLOCKS(MPLAN_KIND_BLOCK_OFFSETS, 0), 0, 1); }
MUTATE(blocks_end_early)
{
    mplan_array *offsets = BLOCKS(MPLAN_KIND_BLOCK_OFFSETS, 0);
    put(offsets, offsets->rows - 1, 3);
}
MUTATE(blocks_backwards)
{
    mplan_array *offsets = BLOCKS(MPLAN_KIND_BLOCK_OFFSETS, 1);
    put(offsets, 1, get(offsets, 2) + 1);
}
MUTATE(block_empty)
{
    mplan_array *offsets = BLOCKS(MPLAN_KIND_BLOCK_OFFSETS, 1);
    put(offsets, 1, 0);
}
MUTATE(block_above_limit)
{
    for (int32_t b = 0; b < plan->n_block_sets; b++)
        plan->block_sets[b].block_limit = 3;
    for (int32_t l = 0; l < 2; l++)
        for (int32_t v = 0; v < plan->loops[l].n_variants; v++)
            variant_of(plan, l, v)->block_limit = 3;
}
MUTATE(block_min_other) { plan->block_sets[0].block_min++; }
MUTATE(block_max_other) { plan->block_sets[0].block_max--; }
MUTATE(sequence_twice)
{
    mplan_array *sequence = BLOCKS(MPLAN_KIND_BLOCK_SEQUENCE, 1);
    put(sequence, 7, get(sequence, 2));
}
MUTATE(sequence_hole)
{
    put(BLOCKS(MPLAN_KIND_BLOCK_SEQUENCE, 1), 7,
        place_of(SET(MPLAN_KIND_OLD_OF_NEW, FACES_SET), -1, true));
}
MUTATE(sequence_outside)
{
    put(BLOCKS(MPLAN_KIND_BLOCK_SEQUENCE, 1), 7, plan->sets[FACES_SET].storage_size);
}
MUTATE(sequence_negative) { put(BLOCKS(MPLAN_KIND_BLOCK_SEQUENCE, 1), 7, -1); }
MUTATE(points_limit) { plan->block_sets[0].max_points = 2; }
MUTATE(bytes_limit) { plan->block_sets[0].shared_bytes = 100; }

MUTATE(point_offsets_first) { put(POINTS(MPLAN_KIND_BLOCK_POINT_OFFSETS, 0, CELLS_SET), 0, 1); }
MUTATE(point_offsets_backwards)
{
    put(POINTS(MPLAN_KIND_BLOCK_POINT_OFFSETS, 0, CELLS_SET), 1, -5);
}
MUTATE(point_offsets_other)
{
    mplan_array *offsets = POINTS(MPLAN_KIND_BLOCK_POINT_OFFSETS, 0, CELLS_SET);
    put(offsets, 1, get(offsets, 1) - 1);
}
MUTATE(points_twice)
{
    mplan_array *points = POINTS(MPLAN_KIND_BLOCK_POINTS, 0, CELLS_SET);
    put(points, 1, get(points, 0));
}
MUTATE(points_surplus) { POINTS(MPLAN_KIND_BLOCK_POINTS, 0, CELLS_SET)->rows++; }
MUTATE(points_too_large)
{
    mplan_array *offsets = POINTS(MPLAN_KIND_BLOCK_POINT_OFFSETS, 0, CELLS_SET);
    put(POINTS(MPLAN_KIND_BLOCK_POINTS, 0, CELLS_SET), get(offsets, 1) - 1,
        plan->sets[CELLS_SET].storage_size);
}
MUTATE(points_outside) { put(POINTS(MPLAN_KIND_BLOCK_POINTS, 0, CELLS_SET), 0, -1); }
/* A list that is longer by a point that no element of its block touches. */
MUTATE(points_too_many)
{
    mplan_array *offsets = POINTS(MPLAN_KIND_BLOCK_POINT_OFFSETS, 0, CELLS_SET);
    mplan_array *points = POINTS(MPLAN_KIND_BLOCK_POINTS, 0, CELLS_SET);
    int64_t last = offsets->rows - 1;
    int32_t *longer = malloc((size_t)(points->rows + 1) * sizeof *longer);
    memcpy(longer, points->data, (size_t)points->rows * sizeof *longer);
    free((void *)(uintptr_t)points->data);
    points->data = longer;
    longer[points->rows] = longer[points->rows - 1] + 1;
    points->rows++;
    put(offsets, last, points->rows);
}
MUTATE(points_lack_one)
{
    /* the last point of the first block becomes one that is farther on */
    mplan_array *offsets = POINTS(MPLAN_KIND_BLOCK_POINT_OFFSETS, 0, CELLS_SET);
    mplan_array *points = POINTS(MPLAN_KIND_BLOCK_POINTS, 0, CELLS_SET);
    int64_t last = get(offsets, 1) - 1, value = get(points, last);
    put(points, last, value + 1 < plan->sets[CELLS_SET].storage_size ? value + 1 : value);
    if (get(points, last) == value)
        put(points, last - 1, get(points, last - 1) + 1);
}
MUTATE(local_other)
{
    mplan_array *local = first_of(plan, MPLAN_KIND_BLOCK_LOCAL);
    int64_t i = place_of(local, 65535, false);
    put(local, i, get(local, i) ^ 1);
}
MUTATE(local_none)
{
    mplan_array *local = first_of(plan, MPLAN_KIND_BLOCK_LOCAL);
    put(local, place_of(local, 65535, false), 65535);
}
MUTATE(local_of_none)
{
    mplan_array *local = array_of(plan, mplan_key_of_block_local(1, 0, FACES_NODES));
    put(local, place_of(local, 65535, true), 0);
}

/* Gives an element the colour of another of its block that it meets, and leaves
 * what the block counts as it is. */
MUTATE(thread_colours_meet)
{
    mplan_array *colours = VARIANT(MPLAN_KIND_THREAD_COLOURS, BY_SEQUENCE);
    const mplan_array *offsets = BLOCKS(MPLAN_KIND_BLOCK_OFFSETS, 1);
    const mplan_array *sequence = BLOCKS(MPLAN_KIND_BLOCK_SEQUENCE, 1);
    for (int64_t b = 0; b + 1 < offsets->rows; b++)
        for (int64_t p = get(offsets, b); p < get(offsets, b + 1); p++)
            for (int64_t q = get(offsets, b); q < p; q++) {
                int64_t top = 0, colour = get(colours, p);
                if (!support_elements_meet(plan, 0, (int32_t)get(sequence, p),
                                           (int32_t)get(sequence, q)))
                    continue;
                put(colours, p, get(colours, q));
                for (int64_t i = get(offsets, b); i < get(offsets, b + 1); i++)
                    top = get(colours, i) > top ? get(colours, i) : top;
                if (top + 1 == get(VARIANT(MPLAN_KIND_BLOCK_THREAD_COLOURS, BY_SEQUENCE), b))
                    return;
                put(colours, p, colour);
            }
    fail_msg("no elements of a block meet");
}
MUTATE(thread_colour_of_hole)
{
    mplan_array *colours = VARIANT(MPLAN_KIND_THREAD_COLOURS, BY_RUNS);
    put(colours, place_of(colours, 65535, true), 0);
}
MUTATE(thread_colour_none) { put(VARIANT(MPLAN_KIND_THREAD_COLOURS, BY_SEQUENCE), 2, 65535); }
MUTATE(thread_colour_large) { put(VARIANT(MPLAN_KIND_THREAD_COLOURS, BY_SEQUENCE), 2, 700); }
MUTATE(thread_count_other)
{
    mplan_array *count = VARIANT(MPLAN_KIND_BLOCK_THREAD_COLOURS, BY_RUNS);
    put(count, 1, get(count, 1) + 1);
}
MUTATE(thread_colours_without_maps)
{
    mplan_array *colours = array_of(plan, mplan_key_of_variant(MPLAN_KIND_THREAD_COLOURS, 1,
                                                               BY_SEQUENCE));
    mplan_array *count = array_of(plan, mplan_key_of_variant(MPLAN_KIND_BLOCK_THREAD_COLOURS, 1,
                                                             BY_SEQUENCE));
    put(colours, 0, 1);
    put(count, 0, 2);
}
MUTATE(block_colour_other)
{
    mplan_array *colours = VARIANT(MPLAN_KIND_BLOCK_COLOURS, BY_RUNS);
    put(colours, 1, get(colours, 1) ? 0 : 1);
}
MUTATE(block_colour_outside)
{
    put(VARIANT(MPLAN_KIND_BLOCK_COLOURS, BY_RUNS), 1, variant_of(plan, 0, BY_RUNS)->block_colours);
}
MUTATE(block_colour_negative) { put(VARIANT(MPLAN_KIND_BLOCK_COLOURS, BY_RUNS), 1, -1); }

/* Runs the last launch with the one before, whatever meets. */
static void join_launches(mplan_plan *plan, int32_t v, mplan_kind colours_kind,
                          mplan_kind offsets_kind, mplan_kind list_kind, int64_t *n_colours)
{
    mplan_array *offsets = VARIANT(offsets_kind, v), *list = VARIANT(list_kind, v);
    mplan_array *colours = VARIANT(colours_kind, v);
    int64_t at = get(offsets, *n_colours - 2);
    for (int64_t i = 0; i < colours->rows; i++)
        if (get(colours, i) == *n_colours - 1)
            put(colours, i, *n_colours - 2);
    for (int64_t i = 0; i < colours->rows; i++)
        if (get(colours, i) == *n_colours - 2)
            put(list, at++, i);
    put(offsets, *n_colours - 1, at);
    offsets->rows--;
    --*n_colours;
}
MUTATE(block_colours_meet)
{
    join_launches(plan, BY_RUNS, MPLAN_KIND_BLOCK_COLOURS, MPLAN_KIND_BLOCK_LAUNCH_OFFSETS,
                  MPLAN_KIND_BLOCK_LAUNCH, &variant_of(plan, 0, BY_RUNS)->block_colours);
}
MUTATE(global_colours_meet)
{
    join_launches(plan, GLOBAL, MPLAN_KIND_GLOBAL_COLOURS, MPLAN_KIND_GLOBAL_LAUNCH_OFFSETS,
                  MPLAN_KIND_GLOBAL_LAUNCH, &variant_of(plan, 0, GLOBAL)->global_colours);
}
MUTATE(block_launch_offset) { put(VARIANT(MPLAN_KIND_BLOCK_LAUNCH_OFFSETS, BY_RUNS), 0, 1); }
MUTATE(block_launch_empty)
{
    mplan_array *offsets = VARIANT(MPLAN_KIND_BLOCK_LAUNCH_OFFSETS, BY_RUNS);
    put(offsets, 1, 0);
}
MUTATE(block_launch_twice)
{
    mplan_array *list = VARIANT(MPLAN_KIND_BLOCK_LAUNCH, BY_RUNS);
    put(list, 1, get(list, 0));
}
MUTATE(block_launch_unordered)
{
    /* two blocks of one launch change places */
    mplan_array *list = VARIANT(MPLAN_KIND_BLOCK_LAUNCH, BY_RUNS);
    mplan_array *colours = VARIANT(MPLAN_KIND_BLOCK_COLOURS, BY_RUNS);
    for (int64_t i = 0; i + 1 < list->rows; i++) {
        int64_t a = get(list, i), b = get(list, i + 1);
        if (get(colours, a) != get(colours, b))
            continue;
        put(list, i, b);
        put(list, i + 1, a);
        return;
    }
    fail_msg("every launch has one block");
}
MUTATE(block_launch_outside) { put(VARIANT(MPLAN_KIND_BLOCK_LAUNCH, BY_RUNS), 0, -1); }
MUTATE(block_launch_too_large)
{
    mplan_array *list = VARIANT(MPLAN_KIND_BLOCK_LAUNCH, BY_RUNS);
    put(list, list->rows - 1, list->rows);
}
MUTATE(block_launch_past_the_end)
{
    mplan_array *offsets = VARIANT(MPLAN_KIND_BLOCK_LAUNCH_OFFSETS, BY_RUNS);
    put(offsets, 1, get(offsets, offsets->rows - 1) + 1);
}
MUTATE(global_colour_other)
{
    mplan_array *colours = VARIANT(MPLAN_KIND_GLOBAL_COLOURS, GLOBAL);
    int64_t i = place_of(colours, -1, false);
    put(colours, i, get(colours, i) ? 0 : 1);
}
MUTATE(global_colour_outside)
{
    mplan_array *colours = VARIANT(MPLAN_KIND_GLOBAL_COLOURS, GLOBAL);
    put(colours, place_of(colours, -1, false), variant_of(plan, 0, GLOBAL)->global_colours);
}
MUTATE(global_colour_of_hole)
{
    mplan_array *colours = VARIANT(MPLAN_KIND_GLOBAL_COLOURS, GLOBAL);
    put(colours, place_of(colours, -1, true), 0);
}
MUTATE(global_launch_offset)
{
    mplan_array *offsets = VARIANT(MPLAN_KIND_GLOBAL_LAUNCH_OFFSETS, GLOBAL);
    put(offsets, 1, get(offsets, 1) + 1);
}
MUTATE(global_launch_twice)
{
    mplan_array *list = VARIANT(MPLAN_KIND_GLOBAL_LAUNCH, GLOBAL);
    put(list, 1, get(list, 0));
}
MUTATE(global_colours_without_maps)
{
    variant_of(plan, 1, GLOBAL)->global_colours = 2;
    mplan_array *offsets = array_of(plan, mplan_key_of_variant(MPLAN_KIND_GLOBAL_LAUNCH_OFFSETS, 1,
                                                               GLOBAL));
    mplan_array *list = array_of(plan, mplan_key_of_variant(MPLAN_KIND_GLOBAL_LAUNCH, 1, GLOBAL));
    int64_t *longer = calloc(3, sizeof *longer);
    longer[1] = list->rows - 1;
    longer[2] = list->rows;
    free((void *)(uintptr_t)offsets->data);
    offsets->data = longer;
    offsets->rows = 3;
    put(array_of(plan, mplan_key_of_variant(MPLAN_KIND_GLOBAL_COLOURS, 1, GLOBAL)),
        get(list, list->rows - 1), 1);
}

/* The second of two launches of the loop without maps is its last block only. */
MUTATE(block_colours_without_maps)
{
    variant_of(plan, 1, BY_RUNS)->block_colours = 2;
    mplan_array *offsets = array_of(plan, mplan_key_of_variant(MPLAN_KIND_BLOCK_LAUNCH_OFFSETS, 1,
                                                               BY_RUNS));
    mplan_array *list = array_of(plan, mplan_key_of_variant(MPLAN_KIND_BLOCK_LAUNCH, 1, BY_RUNS));
    int64_t *longer = calloc(3, sizeof *longer);
    longer[1] = list->rows - 1;
    longer[2] = list->rows;
    free((void *)(uintptr_t)offsets->data);
    offsets->data = longer;
    offsets->rows = 3;
    put(array_of(plan, mplan_key_of_variant(MPLAN_KIND_BLOCK_COLOURS, 1, BY_RUNS)),
        get(list, list->rows - 1), 1);
}
MUTATE(no_blocks)
{
    mplan_plan_variant *variant = variant_of(plan, 1, BY_RUNS);
    const mplan_kind kinds[] = {MPLAN_KIND_BLOCK_THREAD_COLOURS, MPLAN_KIND_BLOCK_COLOURS,
                                MPLAN_KIND_BLOCK_LAUNCH};
    plan->block_sets[variant->block_set].n_blocks = 0;
    BLOCKS(MPLAN_KIND_BLOCK_OFFSETS, variant->block_set)->rows = 1;
    for (int i = 0; i < 3; i++)
        array_of(plan, mplan_key_of_variant(kinds[i], 1, BY_RUNS))->rows = 0;
    array_of(plan, mplan_key_of_variant(MPLAN_KIND_BLOCK_LAUNCH_OFFSETS, 1, BY_RUNS))->rows = 1;
    variant->block_colours = 0;
}

MUTATE(gather_offsets_first) { put(first_of(plan, MPLAN_KIND_GATHER_OFFSETS), 0, 1); }
MUTATE(gather_offsets_backwards)
{
    put(first_of(plan, MPLAN_KIND_GATHER_OFFSETS), 3, -1);
}
MUTATE(gather_slot_twice)
{
    const mplan_array *offsets = first_of(plan, MPLAN_KIND_GATHER_OFFSETS);
    mplan_array *slots = first_of(plan, MPLAN_KIND_GATHER_SLOTS);
    for (int64_t p = 0; p + 1 < offsets->rows; p++)
        if (get(offsets, p + 1) - get(offsets, p) > 1) {
            put(slots, get(offsets, p) + 1, get(slots, get(offsets, p)));
            return;
        }
    fail_msg("no point has two slots");
}
MUTATE(gather_slot_elsewhere)
{
    mplan_array *slots = first_of(plan, MPLAN_KIND_GATHER_SLOTS);
    int64_t swap = get(slots, 0), last = slots->rows - 1;
    put(slots, 0, get(slots, last));
    put(slots, last, swap);
}
MUTATE(gather_slot_outside)
{
    put(first_of(plan, MPLAN_KIND_GATHER_SLOTS), 0, plan->maps[FACES_CELLS].n_entries);
}
MUTATE(gather_offsets_past_the_end)
{
    mplan_array *offsets = first_of(plan, MPLAN_KIND_GATHER_OFFSETS);
    put(offsets, 1, get(offsets, offsets->rows - 1) + 1);
}
MUTATE(gather_slot_missing)
{
    mplan_array *offsets = first_of(plan, MPLAN_KIND_GATHER_OFFSETS);
    mplan_array *slots = first_of(plan, MPLAN_KIND_GATHER_SLOTS);
    slots->rows--;
    for (int64_t i = 0; i < offsets->rows; i++)
        if (get(offsets, i) > slots->rows)
            put(offsets, i, slots->rows);
}

MUTATE(metrics_missing) { plan->n_metrics--; }
MUTATE(metrics_too_many)
{
    const mplan_block_metrics last = plan->metrics[plan->n_metrics - 1];
    assert_int_equal(mplan_plan_add_metrics(plan, &last, NULL), MPLAN_OK);
}
MUTATE(metrics_unordered)
{
    mplan_block_metrics swap = plan->metrics[0];
    plan->metrics[0] = plan->metrics[1];
    plan->metrics[1] = swap;
}
MUTATE(metrics_entries) { plan->metrics[0].entries++; }
MUTATE(metrics_pairs) { plan->metrics[0].pairs++; }
MUTATE(metrics_shared) { plan->metrics[0].shared_points--; }
MUTATE(metrics_points_max) { plan->metrics[0].points_max++; }
MUTATE(metrics_lines) { plan->metrics[0].lines++; }
MUTATE(metrics_ideal) { plan->metrics[0].lines_ideal--; }
MUTATE(variant_shared_bytes) { variant_of(plan, 0, BY_RUNS)->shared_bytes_max += 16; }
MUTATE(atomic_shared_bytes) { variant_of(plan, 0, ATOMIC)->shared_bytes_max = 16; }
MUTATE(variant_threads_max) { variant_of(plan, 0, BY_RUNS)->thread_colours_max++; }
MUTATE(variant_threads_total) { variant_of(plan, 0, BY_RUNS)->thread_colours_total--; }
MUTATE(variant_block_colours) { variant_of(plan, 0, BY_RUNS)->block_colours--; }
MUTATE(variant_global_colours) { variant_of(plan, 0, GLOBAL)->global_colours--; }
MUTATE(bandwidth_input) { plan->sets[CELLS_SET].bandwidth[0]++; }
MUTATE(bandwidth_stored) { plan->sets[CELLS_SET].bandwidth[2]--; }
MUTATE(profile_input) { plan->sets[CELLS_SET].profile[0]--; }
MUTATE(profile_stored) { plan->sets[NODES_SET].profile[2]++; }
MUTATE(print_of_request) { plan->fingerprints.request ^= 1; }
MUTATE(request_other)
{
    char *text = (char *)(uintptr_t)plan->request;
    text[0] = 'L';
}
MUTATE(print_of_topology) { plan->fingerprints.topology ^= 1; }
/* clang-format on */

typedef struct mutation {
    void (*mutate)(mplan_plan *plan);
    const char *name, *reason;
} mutation;
#define CASE(name_, reason_)   \
    {                          \
        name_, #name_, reason_ \
    }

static const mutation mutations[] = {
    CASE(set_name_twice, "sets 0 and 1 are both named faces"),
    CASE(set_name_empty, "set 1 has no name"),
    CASE(map_name_twice, "maps 0 and 1 are both named faces_cells"),
    CASE(loop_name_twice, "loops 0 and 1 are both named res_calc"),
    CASE(loop_name_empty, "loop 1 has no name"),
    CASE(storage_below_size, "set faces: size 14 and storage size 13 do not match"),
    CASE(size_negative, "set faces: size -1"),
    CASE(storage_too_large, "set faces: size 14 and storage size 4294967296 do not match"),
    CASE(renumber_unknown, "set faces: there is no renumbering 8"),
    CASE(half_a_measure, "of the renumbered order are impossible"),
    CASE(kept_the_worse, "set cells: the input order was kept as the better one"),
    CASE(kept_without_another, "set cells: the input order was kept as the better one"),
    CASE(map_from_nowhere, "map faces_cells leads from set 4 to set 1 of 4 sets"),
    CASE(map_to_nowhere, "map faces_cells leads from set 0 to set -1 of 4 sets"),
    CASE(map_arity_negative, "map faces_cells: arity -1"),
    CASE(map_entries_other, "map faces_cells has"),
    CASE(loop_over_nothing, "loop res_calc runs over set 4 of 4 sets"),
    CASE(no_calls, "loop res_calc: 0 calls"),
    CASE(negative_flops, "loop res_calc: 2 calls of -1 flops"),
    CASE(default_variant_outside, "loop res_calc: default variant 10 of 10 variants"),
    CASE(two_primary, "loops res_calc and update are both primary"),
    CASE(no_primary, "no loop is primary"),
    CASE(dat_empty, "loop res_calc: arg 0 has no dat"),
    CASE(arg_map_outside, "loop res_calc: arg 0 goes through a map that does not exist"),
    CASE(arg_map_of_faces, "loop update: arg 0 goes through a map that does not lead from"),
    CASE(arg_map_elsewhere, "arg 0 goes through a map that does not lead from the loop's set"),
    CASE(arg_access_unknown, "arg 0 has an unknown access"),
    CASE(arg_dim_zero, "arg 0 has a dim below 1"),
    CASE(arg_type_unknown, "arg 0 has an unknown type"),
    CASE(arg_none_unknown, "arg 0 has an unknown rule"),
    CASE(arg_expects_no_none, "loop res_calc: arg 0 expects no entry of -1, but element"),
    CASE(arg_split_with_none, "of map faces_nodes has one"),
    CASE(one_dat_two_sets, "dat x is 2 x f64 on set nodes in arg 0 of loop res_calc, and 4 x f64 on "
                           "set cells in arg 1"),
    CASE(one_dat_two_ways, "loop res_calc: dat x (args 3 and 0) is accessed directly and through a "
                           "map, and not only read"),
    CASE(one_dat_two_dims, "dat res is 3 x f64 on set cells in arg 1 of loop res_calc, and 4 x f64"),
    CASE(one_dat_two_types, "dat q is 4 x f64 on set cells in arg 1 of loop res_calc, and 4 x i64 on "
                            "set cells in arg 0 of loop update"),
    CASE(one_dat_two_dims_of_loops, "dat q is 4 x f64 on set cells in arg 1 of loop res_calc, and 64"),
    CASE(one_dat_two_sets_of_loops, "dat w is 1 x f64 on set faces in arg 3 of loop res_calc, and 1 x "
                                    "f64 on set cells in arg 0 of loop update"),
    CASE(one_dat_read_and_added, "loop res_calc: dat res (args 2 and 1) is incremented and read"),
    CASE(one_dat_updated_by_map, "loop res_calc, variant 3 (two-step): dat res (arg 2) is written "
                                 "through a map, which is safe only with colours"),
    CASE(strategy_unknown, "loop res_calc, variant 4 has an unknown strategy"),
    CASE(variant_blocks_outside, "variant 4 refers to a block set that does not exist"),
    CASE(variant_without_blocks, "variant 0 has no block set"),
    CASE(variant_blocks_of_others, "variant 4 refers to blocks of a set that is not that of the loop"),
    CASE(variant_other_limit, "variant 0 has a block limit that is not that of its block set"),
    CASE(variant_limit_large, "variant 4 has a block limit that is not in 0 to 1024"),
    CASE(variant_no_threads, "variant 4 has no threads"),
    CASE(variant_no_elements, "variant 4 has no threads, or none with elements"),
    CASE(atomic_promises, "variant 4 promises equal bits, but atomic additions do not give them"),
    CASE(atomic_counts_colours, "variant 4 has numbers of colours of blocks and threads"),
    CASE(atomic_counts_global, "variant 4 has a number of global colours"),
    CASE(global_counts_threads, "variant 2 has numbers of colours of blocks and threads"),
    CASE(too_many_block_colours, "variant 0 has more block colours than blocks"),
    CASE(too_many_global_colours, "variant 2 has more colours than elements"),
    CASE(block_set_outside, "block set 0 cuts a set that does not exist"),
    CASE(block_set_no_loop, "block set 0 was made for a loop that does not exist"),
    CASE(block_set_negative_loop, "block set 0 was made for a loop that does not exist"),
    CASE(block_set_other_loop, "block set 0 was made for a loop over another set"),
    CASE(block_set_many_blocks, "block set 0 has more blocks than elements"),
    CASE(block_set_limit_zero, "block set 0 has a block limit that is not in 1 to 1024"),
    CASE(block_set_points_many, "block set 0 has a limit of points that is not in 1 to 65535"),
    CASE(block_set_bytes_negative, "block set 0 has a negative limit of shared bytes"),
    CASE(partitioner_unknown, "block set 0 has an unknown partitioner"),
    CASE(alternative_negative, "block set 0 has an alternative of negative cost"),
    CASE(alternative_better, "pairs of block and point, though another had 3"),
    CASE(origin_unknown, "block set 0 has an unknown origin"),
    CASE(origin_of_others, "has the origin of another partitioner"),
    CASE(origin_refined, "of unknown origin was refined"),
    CASE(origin_extent, "has figures, but its origin has none"),
    CASE(origin_patches, "has figures, but its origin has none"),
    CASE(origin_largest, "has figures, but its origin has none"),
    CASE(origin_without_extent, "has no figures, but its origin needs them"),
    CASE(origin_beyond_extent, "has a patch that is larger than its extent"),
    CASE(origin_unsorted, "has extents that do not descend"),
    CASE(origin_beyond_set, "has a patch of more elements than there are"),
    CASE(origin_layers_of_others, "has layers that do not match its elements"),
    CASE(kind_elsewhere, "NEW_OF_OLD of set faces is missing"),
    CASE(array_too_many, "GLOBAL_ID of set cells_boundary does not belong in the plan"),
    CASE(array_missing, "GLOBAL_ID of set faces is missing"),
    CASE(array_of_a_rank, "NEW_OF_OLD of set nodes is missing"),
    CASE(array_other_type, "NEW_OF_OLD of set faces is of type u16 instead of i32"),
    CASE(array_other_rows, "NEW_OF_OLD of set faces has 13 rows of 1 instead of 14 of 1"),
    CASE(array_other_cols, "MAP_VALUES of map faces_cells has"),
    CASE(array_without_data, "NEW_OF_OLD of set faces has no data"),
    CASE(points_of_two_columns, "BLOCK_POINTS of set cells loop res_calc block set 0 has"),
    CASE(arrays_unordered, "arrays 0 and 1 do not ascend by key"),
    CASE(new_of_old_outside, "set faces: NEW_OF_OLD puts member 3 at 16, which is not in [0, 16)"),
    CASE(new_of_old_negative, "set faces: NEW_OF_OLD puts member 3 at -1"),
    CASE(new_of_old_twice, "set faces: NEW_OF_OLD puts member 3 at"),
    CASE(old_of_new_hole_filled, "set faces: OLD_OF_NEW has member 2 at"),
    CASE(old_of_new_outside, "set faces: OLD_OF_NEW has -2 at"),
    CASE(old_of_new_too_large, "set faces: OLD_OF_NEW has 14 at"),
    CASE(global_id_unordered, "set cells: GLOBAL_ID 2 of member 3 does not ascend"),
    CASE(global_id_negative, "set cells: GLOBAL_ID -1 of member 0 does not ascend from 0"),
    CASE(global_id_in_both, "sets cells and cells_boundary: both have GLOBAL_ID 11"),
    CASE(global_id_in_neither, "sets cells and cells_boundary: neither has GLOBAL_ID 13"),
    CASE(value_outside, "map faces_cells: entry 3 is 16, which is not in [-1, 16)"),
    CASE(value_below_none, "map faces_cells: entry 3 is -2"),
    CASE(value_a_hole, "which is a hole of cells"),
    CASE(hole_with_a_row, "is a hole of faces, but has entries other than -1"),
    CASE(ragged_hole_with_a_row, "is a hole of faces, but not empty"),
    CASE(ragged_first, "map faces_nodes: MAP_OFFSETS runs from 1 to"),
    CASE(ragged_last, "map faces_nodes: MAP_OFFSETS runs from 0 to 500 instead of 0 to"),
    CASE(ragged_backwards, "map faces_nodes: MAP_OFFSETS gives row 4 the entries"),
    CASE(value_other, "the fingerprint of the plan's sets and maps is"),
    CASE(blocks_begin_late, "block set 0: BLOCK_OFFSETS runs from 1 to"),
    CASE(blocks_end_early, "block set 0: BLOCK_OFFSETS runs from 0 to 3 instead of 0 to"),
    CASE(blocks_backwards, "block set 1: block 1 runs from position"),
    CASE(block_empty, "block set 1: block 0 is empty"),
    CASE(block_above_limit, "elements, the limit is 3"),
    CASE(block_min_other, "block set 0: blocks have"),
    CASE(block_max_other, "block set 0: blocks have"),
    CASE(sequence_twice, "block set 1: BLOCK_SEQUENCE has element"),
    CASE(sequence_hole, "at position 7, which is not an element of faces"),
    CASE(sequence_outside, "block set 1: BLOCK_SEQUENCE has 16 at position 7"),
    CASE(sequence_negative, "block set 1: BLOCK_SEQUENCE has -1 at position 7"),
    CASE(points_limit, "loop res_calc, block set 0: block 0 touches"),
    CASE(bytes_limit, "loop res_calc, block set 0: block 0 stages more than the limit of 100"),
    CASE(point_offsets_first, "BLOCK_POINT_OFFSETS of cells runs from 1 to"),
    CASE(point_offsets_backwards, "BLOCK_POINT_OFFSETS of cells gives block 0 the points 0 to -5"),
    CASE(point_offsets_other, "loop res_calc, block set 0: block 0: BLOCK_POINTS of cells lacks"),
    CASE(points_twice, "block 0: BLOCK_POINTS of cells has"),
    CASE(points_outside, "block 0: BLOCK_POINTS of cells has -1 at place 0"),
    CASE(points_surplus, "BLOCK_POINT_OFFSETS of cells runs from 0 to"),
    CASE(points_too_large, "block 0: BLOCK_POINTS of cells has 16 at place"),
    CASE(points_too_many, "which no element of the block touches"),
    CASE(points_lack_one, "loop res_calc, block set 0: block 0: BLOCK_POINTS of cells lacks"),
    CASE(local_other, "loop res_calc, block set 0: block 0: local id"),
    CASE(local_none, "loop res_calc, block set 0: block 0: local id 65535 of element"),
    CASE(local_of_none, "does not lead to -1 of nodes through faces_nodes"),
    CASE(thread_colours_meet, "loop res_calc, variant 1 (block-colour): elements"),
    CASE(thread_colours_meet, "of cells and thread colour"),
    CASE(thread_colour_of_hole, "variant 0 (block-colour): THREAD_COLOURS has 0 at position"),
    CASE(thread_colour_none, "THREAD_COLOURS does not give element"),
    CASE(thread_colour_large, "has 701 thread colours, but BLOCK_THREAD_COLOURS says"),
    CASE(thread_count_other, "variant 0 (block-colour): block 1 has"),
    CASE(thread_colours_without_maps, "2 thread colours in a loop without maps"),
    CASE(block_colour_other, "variant 0 (block-colour): launch"),
    CASE(block_colour_outside, "BLOCK_COLOURS gives block 1 the colour"),
    CASE(block_colour_negative, "BLOCK_COLOURS gives block 1 the colour -1 of"),
    CASE(block_colours_meet, "loop res_calc, variant 0 (block-colour): blocks"),
    CASE(block_colours_meet, "of cells and colour"),
    CASE(block_launch_offset, "launches run the places 1 to"),
    CASE(block_launch_empty, "launch 0 runs the places 0 to 0 of"),
    CASE(block_launch_twice, "variant 0 (block-colour): launch"),
    CASE(block_launch_unordered, "which does not ascend in [0,"),
    CASE(block_launch_outside, "launch 0 has block -1 at place 0"),
    CASE(block_launch_too_large, "which does not ascend in [0,"),
    CASE(block_launch_past_the_end, "launch 0 runs the places 0 to"),
    CASE(global_colour_other, "variant 2 (global-colour): launch"),
    CASE(global_colour_outside, "GLOBAL_COLOURS gives element"),
    CASE(global_colour_of_hole, "GLOBAL_COLOURS has 0 at"),
    CASE(global_launch_offset, "variant 2 (global-colour): launch 0"),
    CASE(global_launch_twice, "launch 0 has element"),
    CASE(global_colours_meet, "loop res_calc, variant 2 (global-colour): elements"),
    CASE(global_colours_without_maps, "2 colours in a loop without maps"),
    CASE(block_colours_without_maps, "2 block colours in a loop without maps"),
    CASE(no_blocks, "block set 2: no block holds the 12 elements of cells"),
    CASE(gather_offsets_first, "(two-step), map faces_cells: GATHER_OFFSETS runs from 1 to"),
    CASE(gather_offsets_backwards, "GATHER_OFFSETS gives point 2 of cells the slots"),
    CASE(gather_slot_twice, "loop res_calc (two-step), map faces_cells: GATHER_SLOTS has"),
    CASE(gather_slot_elsewhere, "GATHER_SLOTS"),
    CASE(gather_slot_outside, "GATHER_SLOTS has 32 at place 0"),
    CASE(gather_offsets_past_the_end, "GATHER_OFFSETS gives point 0 of cells the slots 0 to 29 of"),
    CASE(gather_slot_missing, "GATHER_SLOTS has 27 slots, but 28 entries are not -1"),
    CASE(metrics_missing, "BLOCK_METRICS lacks loop res_calc, block set 1, set nodes at place 3"),
    CASE(metrics_too_many, "BLOCK_METRICS has 5 records instead of 4"),
    CASE(metrics_unordered, "BLOCK_METRICS lacks loop res_calc, block set 0, set cells"),
    CASE(metrics_entries, "metrics of loop res_calc, block set 0, set cells: entries is 28, but"),
    CASE(metrics_pairs, "set cells: pairs is"),
    CASE(metrics_shared, "set cells: shared_points is"),
    CASE(metrics_points_max, "set cells: points_max is"),
    CASE(metrics_lines, "set cells: lines is"),
    CASE(metrics_ideal, "set cells: lines_ideal is"),
    CASE(variant_shared_bytes, "variant 0 (block-colour): shared_bytes_max is"),
    CASE(atomic_shared_bytes, "variant 4 (atomic): shared_bytes_max is 0, but the plan says 16"),
    CASE(variant_threads_max, "variant 0 (block-colour): thread_colours_max is"),
    CASE(variant_threads_total, "variant 0 (block-colour): thread_colours_total is"),
    CASE(variant_block_colours, "BLOCK_LAUNCH_OFFSETS of loop res_calc variant 0 has"),
    CASE(variant_global_colours, "GLOBAL_LAUNCH_OFFSETS of loop res_calc variant 2 has"),
    CASE(bandwidth_input, "set cells, input order: bandwidth is"),
    CASE(bandwidth_stored, "set cells, stored order: bandwidth is"),
    CASE(profile_input, "set cells, input order: profile is"),
    CASE(profile_stored, "set nodes, stored order: profile is"),
    CASE(print_of_request, "the fingerprint of the request is"),
    CASE(request_other, "the fingerprint of the request is"),
    CASE(print_of_topology, "the fingerprint of the plan's sets and maps is"),
};

/* The whole sentence, where the first two elements or blocks meet in point 0. */
static void conflicts_are_named(void **state)
{
    const mplan_arg arg = {"x", "set0_set1", MPLAN_INC, 1, MPLAN_TYPE_F64, MPLAN_NONE_REFUSE};
    const mplan_loop loop = {"loop", "set0", true, 1, 0, 1, &arg};
    const int32_t values[] = {0, 0};
    mplan_error err;
    mplan_mesh *mesh;
    (void)state;
    assert_done(mplan_mesh_create(&mesh, &err), &err);
    assert_done(mplan_mesh_add_set(mesh, "set0", 2, NULL, &err), &err);
    assert_done(mplan_mesh_add_set(mesh, "set1", 1, NULL, &err), &err);
    assert_done(mplan_mesh_add_map(mesh, "set0_set1", 0, 1, 1, NULL, values, NULL, &err), &err);
    for (int limit = 1; limit <= 2; limit++) {
        support_plan_options options = {limit, false, false, false};
        mplan_plan *plan;
        for (uint64_t seed = 1;; seed++) { /* until the cut has blocks of the limit */
            plan = support_plan(mesh, 1, &loop, &options, &seed);
            if (plan->block_sets[0].block_max == limit)
                break;
            mplan_plan_free(plan);
        }
        if (limit == 1) {
            join_launches(plan, 0, MPLAN_KIND_BLOCK_COLOURS, MPLAN_KIND_BLOCK_LAUNCH_OFFSETS,
                          MPLAN_KIND_BLOCK_LAUNCH, &variant_of(plan, 0, 0)->block_colours);
        } else {
            put(VARIANT(MPLAN_KIND_THREAD_COLOURS, 0), 0, 1);
        }
        assert_refused(support_verify(plan, NULL, NULL, &err), MPLAN_ERR_DISPROVED, &err,
                       limit == 1 ? "loop loop, variant 0 (block-colour): blocks 0 and 1 share "
                                    "point 0 of set1 and colour 0"
                                  : "loop loop, variant 0 (block-colour): elements 0 and 1 of "
                                    "block 0 share point 0 of set1 and thread colour 1");
        mplan_plan_free(plan);
        plan = support_plan(mesh, 1, &loop, &options, &(uint64_t){1});
        join_launches(plan, 1, MPLAN_KIND_GLOBAL_COLOURS, MPLAN_KIND_GLOBAL_LAUNCH_OFFSETS,
                      MPLAN_KIND_GLOBAL_LAUNCH, &variant_of(plan, 0, 1)->global_colours);
        assert_refused(support_verify(plan, NULL, NULL, &err), MPLAN_ERR_DISPROVED, &err,
                       "loop loop, variant 1 (global-colour): elements 0 and 1 share point 0 of "
                       "set1 and colour 0");
        mplan_plan_free(plan);
    }
    mplan_mesh_free(mesh);
}

/* Texts that a mutation put in place of owned ones go back before the release. */
static void mutations_are_refused(void **state)
{
    mplan_mesh *mesh = support_fixed_mesh();
    (void)state;
    for (size_t i = 0; i < sizeof mutations / sizeof *mutations; i++) {
        mplan_error err = {MPLAN_OK, ""};
        mplan_plan *plan = support_fixed_plan(mesh);
        assert_done(support_verify(plan, NULL, &one_thread, &err), &err);
        const char *sets[2] = {plan->sets[1].name, plan->sets[0].split};
        const char *split = plan->sets[BOUNDARY_SET].split;
        const char *map = plan->maps[1].name, *loop = plan->loops[1].name;
        const char *dats[4], *direct = plan->loops[1].args[0].dat;
        for (int32_t a = 0; a < 4; a++)
            dats[a] = plan->loops[0].args[a].dat;
        const int32_t n_metrics = plan->n_metrics;
        mutations[i].mutate(plan);
        mplan_status status = support_verify(plan, NULL, &one_thread, &err);
        if (status != MPLAN_ERR_DISPROVED)
            fail_msg("%s: got '%s' (%s)", mutations[i].name, mplan_status_name(status), err.text);
        if (!strstr(err.text, mutations[i].reason))
            fail_msg("%s: '%s' is not in: %s", mutations[i].name, mutations[i].reason, err.text);
        plan->sets[1].name = sets[0];
        plan->sets[0].split = sets[1];
        plan->sets[BOUNDARY_SET].split = split;
        plan->maps[1].name = map;
        plan->loops[1].name = loop;
        for (int32_t a = 0; a < 4; a++)
            arg_of(plan, 0, a)->dat = dats[a];
        arg_of(plan, 1, 0)->dat = direct;
        plan->n_metrics = n_metrics;
        mplan_plan_free(plan);
    }
    mplan_mesh_free(mesh);
}

/* Arrays that belong to no record, or to a rank or segment. */
static void surplus_arrays_are_refused(void **state)
{
    static const struct {
        mplan_key key;
        const char *text;
    } surplus[] = {
        {{MPLAN_KIND_SETS, -1u, -1u, -1u, -1u, -1u, -1u, -1u}, "SETS of does not belong"},
        {{MPLAN_KIND_ORIGINS, -1u, -1u, -1u, -1u, -1u, -1u, -1u}, "ORIGINS of does not belong"},
        {{MPLAN_KIND_NEW_OF_OLD, 4, -1u, -1u, -1u, -1u, -1u, -1u}, "NEW_OF_OLD of set 4 does not"},
        {{MPLAN_KIND_MAP_VALUES, -1u, 4, -1u, -1u, -1u, -1u, -1u}, "MAP_VALUES of map 4 does not"},
        {{MPLAN_KIND_GLOBAL_LAUNCH, -1u, -1u, 2, 0, -1u, -1u, -1u}, "of loop 2 variant 0 does not"},
        {{MPLAN_KIND_NEW_OF_OLD, 9, -1u, -1u, -1u, -1u, -1u, -1u}, "NEW_OF_OLD of set 9 does not"},
        {{MPLAN_KIND_NEW_OF_OLD, 0, -1u, -1u, -1u, -1u, 0, -1u}, "set faces rank 0 does not"},
        {{MPLAN_KIND_NEW_OF_OLD, 0, -1u, -1u, -1u, -1u, -1u, 2}, "set faces segment 2 does not"},
        {{MPLAN_KIND_GLOBAL_ID, 0, -1u, -1u, -1u, -1u, -1u, -1u}, "GLOBAL_ID of set faces does"},
        {{MPLAN_KIND_MAP_OFFSETS, -1u, 0, -1u, -1u, -1u, -1u, -1u}, "of map faces_cells does not"},
        {{MPLAN_KIND_BLOCK_SEQUENCE, -1u, -1u, -1u, -1u, 0, -1u, -1u}, "of block set 0 does not"},
        {{MPLAN_KIND_THREAD_COLOURS, -1u, -1u, 0, 2, -1u, -1u, -1u}, "variant 2 does not belong"},
        {{MPLAN_KIND_GLOBAL_LAUNCH, -1u, -1u, 0, 0, -1u, -1u, -1u}, "variant 0 does not belong"},
        {{MPLAN_KIND_GATHER_SLOTS, -1u, 1, 0, -1u, -1u, -1u, -1u}, "map faces_nodes loop res_calc"},
    };
    mplan_mesh *mesh = support_fixed_mesh();
    (void)state;
    for (size_t i = 0; i <= sizeof surplus / sizeof *surplus; i++) {
        mplan_error err;
        mplan_plan *plan = support_fixed_plan(mesh);
        mplan_key key = MPLAN_KEY_INIT(140); /* last: a kind that is not known is skipped */
        bool known = i < sizeof surplus / sizeof *surplus;
        plan->sealed = false;
        assert_done(mplan_plan_borrow_array(plan, known ? surplus[i].key : key, MPLAN_TYPE_I32, 0,
                                            1, NULL, &err),
                    &err);
        assert_refused(support_verify(plan, NULL, NULL, &err), MPLAN_ERR_ARGUMENT, &err,
                       "still being built");
        assert_done(mplan_plan_seal(plan, &err), &err);
        if (known)
            assert_refused(support_verify(plan, NULL, NULL, &err), MPLAN_ERR_DISPROVED, &err,
                           surplus[i].text);
        else
            assert_done(support_verify(plan, NULL, NULL, &err), &err);
        mplan_plan_free(plan);
    }
    mplan_mesh_free(mesh);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(mutations_are_refused),
        cmocka_unit_test(conflicts_are_named),
        cmocka_unit_test(surplus_arrays_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
