/* SPDX-License-Identifier: Apache-2.0 */
/* test_plan.c - building a plan, finding things in it, and the words */
#include "support_planfile.h"

#include "base/memory.h"
#include "plan/strategies.h"

static void empty_plan(void **state)
{
    (void)state;
    mplan_error err;
    mplan_plan *plan;
    mplan_plan_free(NULL);
    assert_done(mplan_plan_new(&plan, &err), &err);
    assert_int_equal(mplan_plan_n_sets(plan), 0);
    assert_string_equal(mplan_plan_request(plan), "");
    assert_string_equal(mplan_plan_versions(plan), "");
    assert_done(mplan_plan_seal(plan, &err), &err);
    mplan_key key = MPLAN_KEY_INIT(MPLAN_KIND_NEW_OF_OLD);
    assert_null(mplan_plan_find_array(plan, &key));
    mplan_plan_free(plan);
}

static void records_are_copied(void **state)
{
    (void)state;
    mplan_error err;
    mplan_plan *plan;
    char name[16] = "cells";
    assert_done(mplan_plan_new(&plan, &err), &err);
    for (int32_t i = 0; i < 100; i++) {
        mplan_plan_set record = {.name = name, .size = i, .storage_size = i + 1};
        snprintf(name, sizeof name, "set%d", i);
        assert_done(mplan_plan_add_set(plan, &record, &err), &err);
    }
    memset(name, 'x', 4);
    assert_int_equal(mplan_plan_n_sets(plan), 100);
    for (int32_t i = 0; i < 100; i++) {
        char expected[16];
        snprintf(expected, sizeof expected, "set%d", i);
        assert_string_equal(mplan_plan_get_set(plan, i)->name, expected);
        assert_string_equal(mplan_plan_get_set(plan, i)->split, "");
        assert_int_equal(mplan_plan_get_set(plan, i)->storage_size, i + 1);
        assert_int_equal(mplan_plan_find_set(plan, expected), i);
    }
    assert_int_equal(mplan_plan_find_set(plan, "set100"), -1);
    mplan_plan_free(plan);
}

static void loops_grow_variants(void **state)
{
    (void)state;
    mplan_error err;
    mplan_plan *plan;
    assert_done(mplan_plan_new(&plan, &err), &err);
    mplan_plan_arg args[5] = {{.dat = "a", .map = -1}, {.dat = "b", .map = 3}};
    mplan_plan_loop loop = {.name = "loop", .n_args = 5, .args = args};
    assert_done(mplan_plan_add_loop(plan, &loop, &err), &err);
    loop.name = "other";
    loop.n_args = 0;
    assert_done(mplan_plan_add_loop(plan, &loop, &err), &err);
    for (int32_t v = 0; v < 20; v++) {
        mplan_plan_variant variant = {.block_limit = v, .device = v % 2 ? "h200" : NULL};
        assert_done(mplan_plan_add_variant(plan, v % 3 == 0, &variant, &err), &err);
    }
    const mplan_plan_loop *first = mplan_plan_get_loop(plan, 0);
    assert_int_equal(first->n_args, 5);
    assert_string_equal(first->args[1].dat, "b");
    assert_int_equal(first->args[1].map, 3);
    assert_string_equal(first->args[4].dat, "");
    assert_int_equal(first->n_variants, 13);
    assert_int_equal(first->variants[12].block_limit, 19);
    assert_string_equal(first->variants[12].device, "h200");
    assert_int_equal(mplan_plan_get_loop(plan, 1)->n_variants, 7);
    assert_string_equal(mplan_plan_get_loop(plan, 1)->variants[0].device, "");
    mplan_plan_free(plan);
}

static int released;

static void on_release(void *held)
{
    released += *(int *)held;
}

static void arrays_are_found_before_and_after_sealing(void **state)
{
    (void)state;
    enum { N = 400 };
    mplan_error err;
    mplan_plan *plan;
    uint64_t seed = 3;
    static int32_t borrowed[N];
    int held = 5;
    assert_done(mplan_plan_new(&plan, &err), &err);
    plan->release = on_release;
    plan->held = &held;
    for (int32_t i = 0; i < N; i++) {
        int32_t k = (int32_t)((i * 37 + 11) % N); /* every key once, in no order */
        mplan_key key = mplan_key_of_variant(MPLAN_KIND_BLOCK_COLOURS, k / 20, k % 20);
        borrowed[k] = k;
        if (support_random(&seed, 2))
            assert_done(mplan_plan_borrow_array(plan, key, MPLAN_TYPE_I32, 1, 1, &borrowed[k], &err),
                        &err);
        else
            assert_done(mplan_plan_take_array(plan, key, MPLAN_TYPE_I32, 1, 1,
                                              mplan_copy(&borrowed[k], 1, 4, &err), &err),
                        &err);
    }
    for (int pass = 0; pass < 2; pass++) {
        for (int32_t k = 0; k < N; k++) {
            int64_t rows = 0;
            mplan_key key = mplan_key_of_variant(MPLAN_KIND_BLOCK_COLOURS, k / 20, k % 20);
            const int32_t *data = mplan_plan_data(plan, key, MPLAN_TYPE_I32, &rows);
            assert_non_null(data);
            assert_int_equal(*data, k);
            assert_int_equal(rows, 1);
            assert_null(mplan_plan_data(plan, key, MPLAN_TYPE_F32, NULL));
            key.rank = 0;
            assert_null(mplan_plan_find_array(plan, &key));
        }
        assert_done(mplan_plan_seal(plan, &err), &err);
    }
    for (int32_t i = 1; i < N; i++)
        assert_true(mplan_key_compare(&mplan_plan_get_array(plan, i - 1)->key,
                                      &mplan_plan_get_array(plan, i)->key) < 0);
    released = 0;
    mplan_plan_free(plan);
    assert_int_equal(released, 5);
}

static void equal_keys_are_refused(void **state)
{
    (void)state;
    mplan_error err;
    mplan_plan *plan;
    assert_done(mplan_plan_new(&plan, &err), &err);
    for (int32_t i = 0; i < 3; i++)
        assert_done(mplan_plan_take_array(plan, mplan_key_of_map(MPLAN_KIND_MAP_VALUES, i % 2),
                                          MPLAN_TYPE_I32, 1, 1, mplan_alloc(1, 4, &err), &err),
                    &err);
    assert_refused(mplan_plan_seal(plan, &err), MPLAN_ERR_CORRUPT, &err, "two arrays of kind 40");
    mplan_plan_free(plan);
}

static void keys_compare_member_by_member(void **state)
{
    (void)state;
    const mplan_key ascending[] = {
        mplan_key_of_set(MPLAN_KIND_NEW_OF_OLD, 0),
        mplan_key_of_set(MPLAN_KIND_NEW_OF_OLD, 1),
        mplan_key_of_map(MPLAN_KIND_MAP_VALUES, 5),
        mplan_key_of_block_points(MPLAN_KIND_BLOCK_POINTS, 1, 2, 3),
        mplan_key_of_block_points(MPLAN_KIND_BLOCK_POINTS, 2, 2, 3),
        mplan_key_of_block_points(MPLAN_KIND_BLOCK_POINTS, 0, 3, 3),
        mplan_key_of_block_points(MPLAN_KIND_BLOCK_POINTS, 0, 0, 4),
        mplan_key_of_block_local(1, 0, 0),
        mplan_key_of_variant(MPLAN_KIND_THREAD_COLOURS, 0, 1),
        mplan_key_of_variant(MPLAN_KIND_THREAD_COLOURS, 1, 0),
        mplan_key_of_gather(MPLAN_KIND_GATHER_SLOTS, 1, 0),
        mplan_key_of_gather(MPLAN_KIND_GATHER_SLOTS, 0, 1),
    };
    int n = (int)(sizeof ascending / sizeof *ascending);
    for (int i = 0; i < n; i++)
        for (int k = 0; k < n; k++)
            assert_int_equal(mplan_key_compare(&ascending[i], &ascending[k]), (i > k) - (i < k));
}

static void stored_map_has_the_shape_of_storage(void **state)
{
    (void)state;
    mplan_plan *plan = support_hand_plan(3, 1);
    mplan_map fixed = mplan_plan_stored_map(plan, 0), ragged = mplan_plan_stored_map(plan, 1);
    assert_string_equal(fixed.name, "faces_cells");
    assert_int_equal(fixed.n_rows, 18);
    assert_int_equal(fixed.n_points, 21);
    assert_null(fixed.offsets);
    assert_non_null(fixed.values);
    assert_int_equal(mplan_map_entries(&fixed), 36);
    assert_int_equal(mplan_map_entries(&ragged), 39);
    mplan_plan_free(plan);
}

#define ROUND_TRIP(type_, name_, from_, first_, n_)           \
    do {                                                      \
        type_ value_;                                         \
        for (int i_ = (first_); i_ < (first_) + (n_); i_++) { \
            assert_non_null(name_((type_)i_));                \
            assert_true(from_(name_((type_)i_), &value_));    \
            assert_int_equal(value_, i_);                     \
        }                                                     \
        assert_null(name_((type_)((first_) + (n_))));         \
        assert_null(name_((type_)((first_)-1)));              \
        assert_false(from_("nothing of the kind", &value_));  \
        assert_false(from_("", &value_));                     \
    } while (0)

static void words_go_both_ways(void **state)
{
    (void)state;
    ROUND_TRIP(mplan_access, mplan_access_name, mplan_access_from, 0, 6);
    ROUND_TRIP(mplan_none, mplan_none_name, mplan_none_from, 0, 3);
    ROUND_TRIP(mplan_strategy, mplan_strategy_name, mplan_strategy_from, 0, MPLAN_N_STRATEGIES);
    ROUND_TRIP(mplan_sums, mplan_sums_name, mplan_sums_from, 0, MPLAN_N_SUMS);
    ROUND_TRIP(mplan_encoding, mplan_encoding_name, mplan_encoding_from, 0, MPLAN_N_ENCODINGS);
    ROUND_TRIP(mplan_layout, mplan_layout_name, mplan_layout_from, 0, MPLAN_N_LAYOUTS);
    ROUND_TRIP(mplan_columns, mplan_columns_name, mplan_columns_from, 0, MPLAN_N_COLUMNS);
    ROUND_TRIP(mplan_partitioner, mplan_partitioner_name, mplan_partitioner_from,
               MPLAN_PARTITIONER_AUTO, MPLAN_N_PARTITIONERS + 1);
    ROUND_TRIP(mplan_effort, mplan_effort_name, mplan_effort_from, 0, MPLAN_N_EFFORTS);
    ROUND_TRIP(mplan_renumber, mplan_renumber_name, mplan_renumber_from, 0, MPLAN_N_RENUMBERS);
    ROUND_TRIP(mplan_graph, mplan_graph_name, mplan_graph_from, 0, MPLAN_N_GRAPHS);
    ROUND_TRIP(mplan_point_order, mplan_point_order_name, mplan_point_order_from, MPLAN_POINTS_AUTO,
               MPLAN_N_POINT_ORDERS + 1);
    ROUND_TRIP(mplan_type, mplan_type_name, mplan_type_from, 1, 6);
    assert_string_equal(mplan_access_name(MPLAN_INC), "inc");
    assert_string_equal(mplan_strategy_name(MPLAN_STRATEGY_TWO_STEP), "two-step");
    assert_string_equal(mplan_type_name(MPLAN_TYPE_F64), "f64");
    assert_null(mplan_type_name((mplan_type)0));
    /* as a damaged file may have it: nothing overflows */
    assert_null(mplan_type_name((mplan_type)INT32_MIN));
    assert_int_equal(mplan_type_size((mplan_type)INT32_MIN), 0);
}

/* What runs a loop asks for the way of its strategy: without one it would do nothing. */
static void strategies_have_one_way(void **state)
{
    (void)state;
    for (int i = 0; i < MPLAN_N_STRATEGIES; i++) {
        const uint32_t way = mplan_strategy_way((mplan_strategy)i);
        assert_true(way != 0 && (way & (way - 1)) == 0);
        assert_false(way & MPLAN_TRAIT_BLOCKS);
    }
    assert_int_equal(mplan_strategy_way(MPLAN_N_STRATEGIES), 0);
    assert_true(mplan_strategy_sums_last(MPLAN_STRATEGY_TWO_STEP, MPLAN_SUMS_COLOUR));
    assert_true(mplan_strategy_sums_last(MPLAN_STRATEGY_BLOCK_GATHER, MPLAN_SUMS_PARTIAL));
    assert_false(mplan_strategy_sums_last(MPLAN_STRATEGY_BLOCK_GATHER, MPLAN_SUMS_COLOUR));
    assert_false(mplan_strategy_sums_last(MPLAN_STRATEGY_OWNER_GATHER, MPLAN_SUMS_PARTIAL));
}

static void types_have_sizes(void **state)
{
    (void)state;
    assert_int_equal(mplan_type_size(MPLAN_TYPE_U8), 1);
    assert_int_equal(mplan_type_size(MPLAN_TYPE_U16), 2);
    assert_int_equal(mplan_type_size(MPLAN_TYPE_I32), 4);
    assert_int_equal(mplan_type_size(MPLAN_TYPE_I64), 8);
    assert_int_equal(mplan_type_size(MPLAN_TYPE_F32), 4);
    assert_int_equal(mplan_type_size(MPLAN_TYPE_F64), 8);
    assert_int_equal(mplan_type_size((mplan_type)0), 0);
    assert_int_equal(mplan_type_size((mplan_type)7), 0);
    assert_int_equal(mplan_type_size((mplan_type)UINT32_MAX), 0);
}

/* Maps of a set without members have as many columns as they like: beyond 32 bits nothing is gathered by them. */
static void columns_beyond_32_bits_are_not_gathered(void **state)
{
    (void)state;
    mplan_error err;
    mplan_plan *plan;
    const mplan_plan_set none = {.name = "edges"},
                         points = {.name = "points", .size = 1, .storage_size = 1};
    const mplan_plan_map first = {.name = "a", .from = 0, .to = 1, .arity = INT32_MAX - 7};
    mplan_plan_map second = {.name = "b", .from = 0, .to = 1, .arity = 7};
    const mplan_plan_arg args[3] = {
        {.dat = "x", .map = 1, .access = MPLAN_READ, .dim = 1, .type = MPLAN_TYPE_F64},
        {.dat = "y", .map = 0, .access = MPLAN_INC, .dim = 1, .type = MPLAN_TYPE_F64},
        {.dat = "y", .map = 0, .access = MPLAN_INC, .dim = 1, .type = MPLAN_TYPE_F64}};
    const mplan_plan_loop loop = {.name = "l", .set = 0, .n_args = 3, .args = args};
    assert_done(mplan_plan_new(&plan, &err), &err);
    assert_done(mplan_plan_add_set(plan, &none, &err), &err);
    assert_done(mplan_plan_add_set(plan, &points, &err), &err);
    assert_done(mplan_plan_add_map(plan, &first, &err), &err);
    assert_done(mplan_plan_add_map(plan, &second, &err), &err);
    mplan_increments about;
    int32_t maps[3];
    assert_true(mplan_plan_gathers(plan, &loop, maps, &about));
    assert_int_equal(about.n_maps, 1);
    assert_int_equal(about.n_local, 2);
    assert_int_equal(about.columns, INT32_MAX - 7);
    assert_int_equal(about.local_columns, INT32_MAX);
    plan->maps[1].arity = 8;
    assert_false(mplan_plan_gathers(plan, &loop, maps, &about));
    mplan_plan_free(plan);
}

/* A record may say that a map has 2^61 entries; whether the file holds them is looked at later. */
static void limits_of_arrays_stay_positive(void **state)
{
    (void)state;
    mplan_error err;
    mplan_plan *plan;
    const mplan_plan_set points = {.name = "points", .size = 1, .storage_size = 1};
    const mplan_plan_variant variant = {.strategy = MPLAN_STRATEGY_OWNER_GATHER,
                                        .encoding = MPLAN_ENCODING_INDEX32};
    const mplan_plan_loop loop = {.name = "l", .n_variants = 1, .variants = &variant};
    const int64_t most = INT64_MAX / 32;
    assert_done(mplan_plan_new(&plan, &err), &err);
    assert_done(mplan_plan_add_set(plan, &points, &err), &err);
    assert_done(mplan_plan_add_loop(plan, &loop, &err), &err);
    for (int64_t more = -1; more <= 1; more++) {
        const mplan_increments about = {.entries = most + more};
        mplan_variant_array list[MPLAN_VARIANT_ARRAYS_MOST];
        assert_true(mplan_variant_arrays(plan, 0, 0, &about, list) > 0);
        assert_int_equal(list[0].kind, MPLAN_KIND_OWNER_ENTRIES);
        assert_true(list[0].at_most);
        assert_true(list[0].rows == (more < 0 ? 32 * (most + more) : INT64_MAX));
    }
    mplan_plan_free(plan);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(empty_plan),
        cmocka_unit_test(records_are_copied),
        cmocka_unit_test(loops_grow_variants),
        cmocka_unit_test(arrays_are_found_before_and_after_sealing),
        cmocka_unit_test(equal_keys_are_refused),
        cmocka_unit_test(keys_compare_member_by_member),
        cmocka_unit_test(stored_map_has_the_shape_of_storage),
        cmocka_unit_test(words_go_both_ways),
        cmocka_unit_test(strategies_have_one_way),
        cmocka_unit_test(types_have_sizes),
        cmocka_unit_test(columns_beyond_32_bits_are_not_gathered),
        cmocka_unit_test(limits_of_arrays_stay_positive),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
