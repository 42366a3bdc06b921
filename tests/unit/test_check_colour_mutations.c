/* SPDX-License-Identifier: Apache-2.0 */
/* test_check_colour_mutations.c - what is wrong with the colours, launches, gather lists and figures of a plan is
 * refused with its reason */
#include "mutation_cases.h"

/* clang-format off */
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

static const mutation mutations[] = {
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

static void mutations_are_refused(void **state)
{
    (void)state;
    check_mutations(mutations, sizeof mutations / sizeof *mutations);
}

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

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(mutations_are_refused),
        cmocka_unit_test(conflicts_are_named),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
