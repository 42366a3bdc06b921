/* SPDX-License-Identifier: Apache-2.0 */
/* test_check_small.c - proofs of orders, maps, blocks, arrays and colours on plans that are made by hand for them */
#include "support_check.h"

#include "base/hash.h"
#include "support_cases.h"
#include "support_fence.h"
#include "support_small.h"

static support_cases cases;
static mplan_plan *plan;

/* --- halves of a split set ---------------------------------------------------------- */

static mplan_status orders_hold(support_cases *all, mplan_error *err)
{
    return mplan_check_orders(&all->check, err);
}

enum { INNER = 4, OUTER = 3 };

/* first: the set that the boundary is; the ids of both halves. */
static void open_halves(int first, const int64_t *inner, const int64_t *outer)
{
    plan = support_small_plan();
    for (int s = 0; s < 2; s++)
        if (s == first)
            support_small_set(plan, "x_boundary", "by", OUTER, OUTER);
        else
            support_small_set(plan, "x", "by", INNER, INNER + 1);
    for (int s = 0; s < 2; s++)
        support_small_array(plan, mplan_key_of_set(MPLAN_KIND_GLOBAL_ID, s), MPLAN_TYPE_I64,
                            s == first ? OUTER : INNER, 1, s == first ? outer : inner);
    support_small_seal(plan);
    support_cases_open(&cases, NULL, plan);
    cases.proof = orders_hold;
}

static void halves_hold_each_member_once(void **state)
{
    static const int64_t ids[][INNER + OUTER] = {
        {0, 1, 2, 3, 4, 5, 6}, {3, 4, 5, 6, 0, 1, 2}, {0, 2, 4, 6, 1, 3, 5}};
    (void)state;
    for (int first = 0; first < 2; first++)
        for (int i = 0; i < 3; i++) {
            open_halves(first, ids[i], ids[i] + INNER);
            mplan_array *inner = SET(MPLAN_KIND_GLOBAL_ID, !first),
                        *outer = SET(MPLAN_KIND_GLOBAL_ID, first);
            support_fence fence[2] = {
                support_fence_open(inner->data, INNER * 8, SUPPORT_FENCE_BEHIND),
                support_fence_open(outer->data, OUTER * 8, SUPPORT_FENCE_BEHIND)};
#define FENCED() inner->data = fence[0].data, outer->data = fence[1].data
            HOLDS(FENCED());
            char neither[80], both[80];
            for (int64_t k = 0; k < INNER + OUTER; k++) {
                mplan_array *half = k < INNER ? inner : outer;
                const int64_t at = k < INNER ? k : k - INNER, id = ids[i][k];
                snprintf(neither, sizeof neither, "sets x and x_boundary: neither has GLOBAL_ID %d",
                         (int)id);
                const int64_t kept = get(half, at);
                /* all from this one on move up: its number is missing */
                for (int64_t j = at; j < half->rows; j++)
                    put(half, j, get(half, j) + 100);
                memcpy(fence[0].data, inner->data, INNER * 8);
                memcpy(fence[1].data, outer->data, OUTER * 8);
                assert_int_equal(kept, id);
                REFUSED(neither, FENCED());
            }
            memcpy(fence[0].data, ids[i], INNER * 8);
            memcpy(fence[1].data, ids[i] + INNER, OUTER * 8);
            /* a number of the inner half twice */
            snprintf(both, sizeof both, "both have GLOBAL_ID %d", (int)ids[i][0]);
            for (int64_t j = 0; j < OUTER; j++)
                ((int64_t *)fence[1].data)[j] = ids[i][0] + j;
            REFUSED(ids[i][0] == 0 ? both : "neither has GLOBAL_ID 0", FENCED());
            support_cases_close(&cases);
            support_fence_close(&fence[0]);
            support_fence_close(&fence[1]);
        }
}

/* The number that both have is named, however long the inner half goes on behind it. */
static void numbers_of_both_are_named(void **state)
{
    static const int64_t inner[INNER] = {0, 1, 2, 3}, outer[OUTER] = {1, 4, 5};
    (void)state;
    open_halves(1, inner, outer);
    REFUSED("sets x and x_boundary: both have GLOBAL_ID 1", (void)state);
    support_cases_close(&cases);
}

/* --- stored maps --------------------------------------------------------------------- */

static mplan_status maps_hold(support_cases *all, mplan_error *err)
{
    mplan_check check = all->check;
    const mplan_status status = mplan_check_maps(&check, err);
    free(check.maps);
    free(check.valid);
    return status;
}

/* Rows of 2^31 - 1 entries and no more. The next row is wrong, so that none of them is read. */
static void rows_are_shorter_than_2_to_the_31(void **state)
{
    static const int64_t offsets[] = {0, INT32_MAX, 0, INT64_C(1) << 33};
    const mplan_plan_map map = {"long", 0, 0, 0, INT64_C(1) << 33};
    mplan_error err;
    (void)state;
    plan = support_small_plan();
    support_small_set(plan, "rows", "", 3, 3);
    assert_done(mplan_plan_add_map(plan, &map, &err), &err);
    support_small_array(plan, mplan_key_of_map(MPLAN_KIND_MAP_OFFSETS, 0), MPLAN_TYPE_I64, 4, 1,
                        offsets);
    support_small_array(plan, mplan_key_of_map(MPLAN_KIND_MAP_VALUES, 0), MPLAN_TYPE_I32, 0, 1, NULL);
    support_small_seal(plan);
    support_cases_open(&cases, NULL, plan);
    cases.proof = maps_hold;
    REFUSED("gives row 1 the entries 2147483647 to 0 of", (void)state);
    REFUSED("gives row 1 the entries 2147483646 to 0 of",
            put(MAP(MPLAN_KIND_MAP_OFFSETS, 0), 1, INT32_MAX - 1));
    REFUSED("gives row 0 the entries 0 to 2147483648 of",
            put(MAP(MPLAN_KIND_MAP_OFFSETS, 0), 1, INT64_C(1) << 31));
    support_cases_close(&cases);
}

/* --- block sets ------------------------------------------------------------------------ */

static mplan_status blocks_hold(support_cases *all, mplan_error *err)
{
    return mplan_check_blocks(&all->check, err);
}

/* Any number of elements, named once in any order: also those that are 64 apart. */
static void sequences_name_each_element_once(void **state)
{
    enum { N = 200, BLOCKS = 4 };
    int32_t sequence[N];
    int64_t offsets[BLOCKS + 1];
    const mplan_plan_block_set blocks = {.block_limit = N / BLOCKS,
                                         .n_blocks = BLOCKS,
                                         .block_min = N / BLOCKS,
                                         .block_max = N / BLOCKS,
                                         .sequence = true};
    mplan_error err;
    (void)state;
    for (int32_t i = 0; i < N; i++)
        sequence[i] = i * 7 % N;
    for (int64_t b = 0; b <= BLOCKS; b++)
        offsets[b] = b * (N / BLOCKS);
    plan = support_small_plan();
    support_small_set(plan, "cells", "", N, N);
    assert_done(mplan_plan_add_block_set(plan, &blocks, &err), &err);
    support_small_array(plan, mplan_key_of_block_set(MPLAN_KIND_BLOCK_OFFSETS, 0), MPLAN_TYPE_I64,
                        BLOCKS + 1, 1, offsets);
    support_small_array(plan, mplan_key_of_block_set(MPLAN_KIND_BLOCK_SEQUENCE, 0), MPLAN_TYPE_I32,
                        N, 1, sequence);
    support_small_seal(plan);
    support_cases_open(&cases, NULL, plan);
    cases.proof = blocks_hold;
    HOLDS();
    for (int64_t p = 1; p < N; p++)
        REFUSED("again at position", put(BLOCKS(MPLAN_KIND_BLOCK_SEQUENCE, 0), p, sequence[p - 1]));
    REFUSED("no block holds the 1 elements of cells", plan->sets[0].size = 1,
            plan->block_sets[0].n_blocks = 0);
    HOLDS(plan->sets[0].size = 0, plan->block_sets[0].n_blocks = 0,
          plan->block_sets[0].block_min = plan->block_sets[0].block_max = 0);
    support_cases_close(&cases);
}

/* --- arrays ------------------------------------------------------------------------------ */

static mplan_status arrays_hold(support_cases *all, mplan_error *err)
{
    return mplan_check_arrays(&all->check, err);
}

static void arrays_ascend_and_may_be_empty(void **state)
{
    (void)state;
    plan = support_small_plan();
    support_small_set(plan, "none", "", 0, 0);
    support_small_set(plan, "one", "", 1, 1);
    support_small_seal(plan);
    support_cases_open(&cases, NULL, plan);
    cases.proof = arrays_hold;
    HOLDS();
    HOLDS(SET(MPLAN_KIND_NEW_OF_OLD, 0)->data = NULL);
    REFUSED("has no data", SET(MPLAN_KIND_NEW_OF_OLD, 1)->data = NULL);
    for (int32_t i = 1; i < plan->n_arrays; i++) {
        char reason[64];
        snprintf(reason, sizeof reason, "arrays %d and %d do not ascend by key", (int)i - 1, (int)i);
        REFUSED(reason, plan->arrays[i].key = plan->arrays[i - 1].key);
    }
    support_cases_close(&cases);
}

/* pair32 is for one map of arity 2, not for two of 1 nor for one of 3. */
static void maps_of_pairs(void **state)
{
    static const int32_t values[] = {0, 1, 0, 1, 2, 2, 0, 0, 0};
    static const mplan_plan_arg args[] = {
        {"a", 0, MPLAN_INC, 1, MPLAN_TYPE_F64, MPLAN_NONE_REFUSE, MPLAN_LAYOUT_AOS, {0}, 0},
        {"a", 1, MPLAN_INC, 1, MPLAN_TYPE_F64, MPLAN_NONE_REFUSE, MPLAN_LAYOUT_AOS, {0}, 0}};
    const mplan_plan_variant variant = {.strategy = MPLAN_STRATEGY_OWNER_GATHER,
                                        .block_set = -1,
                                        .device = "",
                                        .encoding = MPLAN_ENCODING_PAIR32};
    mplan_error err;
    (void)state;
    for (int32_t n_maps = 1; n_maps <= 2; n_maps++)
        for (int32_t arity = 1; arity <= 3; arity++) {
            plan = support_small_plan();
            support_small_set(plan, "elements", "", 3, 3);
            support_small_set(plan, "points", "", 3, 3);
            support_small_map(plan, "first", 0, 1, arity, values);
            support_small_map(plan, "second", 0, 1, arity, values);
            support_small_loop(plan, 0, n_maps, args);
            assert_done(mplan_plan_add_variant(plan, 0, &variant, &err), &err);
            support_small_seal(plan);
            support_cases_open(&cases, NULL, plan);
            cases.proof = arrays_hold;
            REFUSED(n_maps == 1 && arity == 2 ? "of loop flux variant 0 is missing"
                                              : "loop flux: pair32 is for one map of arity 2",
                    (void)state);
            support_cases_close(&cases);
        }
}

/* --- colours ----------------------------------------------------------------------------- */

static mplan_status colours_hold(support_cases *all, mplan_error *err)
{
    mplan_check check = all->check;
    mplan_map maps[2] = {mplan_plan_stored_map(all->plan, 0), mplan_plan_stored_map(all->plan, 1)};
    check.maps = maps;
    const mplan_status status = mplan_check_colours(&check, err);
    free(check.mark);
    return status;
}

/* Elements of a colour may read one point, not increment it. */
static void elements_of_a_colour_may_read_one_point(void **state)
{
    static const int32_t apart[] = {0, 1, 2, 3}, together[] = {0, 0, 0, 0}, colours[] = {0, 0, 0, 0};
    static const int64_t launches[] = {0, 4};
    static const mplan_plan_arg args[] = {
        {"a", 0, MPLAN_INC, 1, MPLAN_TYPE_F64, MPLAN_NONE_REFUSE, MPLAN_LAYOUT_AOS, {0}, 0},
        {"b", 1, MPLAN_READ, 1, MPLAN_TYPE_F64, MPLAN_NONE_REFUSE, MPLAN_LAYOUT_AOS, {0}, 0}};
    const mplan_plan_variant variant = {
        .strategy = MPLAN_STRATEGY_GLOBAL_COLOUR, .block_set = -1, .device = "", .global_colours = 1};
    mplan_error err;
    (void)state;
    plan = support_small_plan();
    support_small_set(plan, "elements", "", 4, 4);
    support_small_set(plan, "points", "", 4, 4);
    support_small_set(plan, "others", "", 4, 4);
    support_small_map(plan, "own", 0, 1, 1, apart);
    support_small_map(plan, "shared", 0, 2, 1, together);
    support_small_loop(plan, 0, 2, args);
    assert_done(mplan_plan_add_variant(plan, 0, &variant, &err), &err);
    support_small_array(plan, mplan_key_of_variant(MPLAN_KIND_GLOBAL_COLOURS, 0, 0), MPLAN_TYPE_I32,
                        4, 1, colours);
    support_small_array(plan, mplan_key_of_variant(MPLAN_KIND_GLOBAL_LAUNCH, 0, 0), MPLAN_TYPE_I32,
                        4, 1, apart);
    support_small_array(plan, mplan_key_of_variant(MPLAN_KIND_GLOBAL_LAUNCH_OFFSETS, 0, 0),
                        MPLAN_TYPE_I64, 2, 1, launches);
    support_small_seal(plan);
    support_cases_open(&cases, NULL, plan);
    cases.proof = colours_hold;
    HOLDS();
    REFUSED("elements 0 and 1 share point 0 of points and colour 0",
            put(MAP(MPLAN_KIND_MAP_VALUES, 0), 1, 0));
    support_cases_close(&cases);
}

/* --- meshes ------------------------------------------------------------------------------- */

/* A plan of the boundary only: the mesh is split as if it knew the other half. */
static void boundaries_are_cut_without_the_other_half(void **state)
{
    static const int32_t by[] = {0, 1, 1, 0, -1};
    static const int64_t id = 4;
    static const mplan_context context = {.struct_size = sizeof context, .threads = 1};
    const int32_t boundary = 2;
    mplan_check check = {.context = &context, .threads = 1};
    mplan_mesh *mesh[2];
    mplan_error err;
    (void)state;
    for (int i = 0; i < 2; i++) {
        assert_done(mplan_mesh_create(&mesh[i], &err), &err);
        assert_done(mplan_mesh_add_set(mesh[i], "elements", 5, NULL, &err), &err);
        assert_done(mplan_mesh_add_set(mesh[i], "points", 2, NULL, &err), &err);
        assert_done(mplan_mesh_add_map(mesh[i], "by", 0, 1, 1, NULL, by, NULL, &err), &err);
    }
    plan = support_small_plan();
    support_small_set(plan, "elements_boundary", "by", 1, 1);
    support_small_array(plan, mplan_key_of_set(MPLAN_KIND_GLOBAL_ID, 0), MPLAN_TYPE_I64, 1, 1, &id);
    assert_done(mplan_plan_set_texts(plan, "", "", &err), &err);
    support_small_seal(plan);
    mplan_fingerprint *print = mplan_fingerprint_begin();
    assert_non_null(print);
    assert_true(mplan_fingerprint_end(print, &plan->fingerprints.request));
    assert_done(mplan_mesh_split(mesh[1], 0, 0, &err), &err);
    assert_done(mplan_mesh_fingerprint_topology(mesh[1], 1, &boundary, 0, NULL,
                                                &plan->fingerprints.topology, NULL, &err),
                &err);
    check.plan = plan;
    for (int i = 0; i < 2; i++) {
        assert_done(mplan_check_mesh(&check, mesh[i], &err), &err);
        assert_int_equal(mplan_mesh_find_set(mesh[i], "elements_boundary"), boundary);
        mplan_mesh_free(mesh[i]);
    }
    mplan_plan_free(plan);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(halves_hold_each_member_once),
        cmocka_unit_test(numbers_of_both_are_named),
        cmocka_unit_test(rows_are_shorter_than_2_to_the_31),
        cmocka_unit_test(sequences_name_each_element_once),
        cmocka_unit_test(arrays_ascend_and_may_be_empty),
        cmocka_unit_test(maps_of_pairs),
        cmocka_unit_test(elements_of_a_colour_may_read_one_point),
        cmocka_unit_test(boundaries_are_cut_without_the_other_half),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
