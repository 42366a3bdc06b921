/* SPDX-License-Identifier: Apache-2.0 */
/* test_check_mutations.c - what is wrong with the records, orders, maps and blocks of a plan is refused with its
 * reason */
#include "mutation_cases.h"

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

/* clang-format on */

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
};

static void mutations_are_refused(void **state)
{
    (void)state;
    check_mutations(mutations, sizeof mutations / sizeof *mutations);
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
        cmocka_unit_test(surplus_arrays_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
