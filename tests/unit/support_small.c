/* SPDX-License-Identifier: Apache-2.0 */
/* support_small.c - plans by hand for one proof */
#include "support_small.h"
#include "support_test.h"

mplan_plan *support_small_plan(void)
{
    mplan_plan *plan;
    mplan_error err;
    assert_done(mplan_plan_new(&plan, &err), &err);
    return plan;
}

void support_small_array(mplan_plan *plan, mplan_key key, mplan_type type, int64_t rows,
                         int64_t cols, const void *data)
{
    const size_t size = (size_t)(rows * cols) * mplan_type_size(type);
    mplan_error err;
    void *copy = malloc(size + 1);
    assert_non_null(copy);
    if (size)
        memcpy(copy, data, size);
    assert_done(mplan_plan_take_array(plan, key, type, rows, cols, copy, &err), &err);
}

void support_small_set(mplan_plan *plan, const char *name, const char *split, int64_t size,
                       int64_t storage_size)
{
    const mplan_plan_set set = {
        .name = name, .size = size, .storage_size = storage_size, .split = split};
    const int32_t s = plan->n_sets;
    mplan_error err;
    int32_t *numbers = malloc((size_t)(storage_size + 1) * sizeof *numbers);
    assert_non_null(numbers);
    for (int64_t i = 0; i < storage_size; i++)
        numbers[i] = i < size ? (int32_t)i : -1;
    assert_done(mplan_plan_add_set(plan, &set, &err), &err);
    support_small_array(plan, mplan_key_of_set(MPLAN_KIND_NEW_OF_OLD, s), MPLAN_TYPE_I32, size, 1,
                        numbers);
    support_small_array(plan, mplan_key_of_set(MPLAN_KIND_OLD_OF_NEW, s), MPLAN_TYPE_I32,
                        storage_size, 1, numbers);
    free(numbers);
}

void support_small_map(mplan_plan *plan, const char *name, int32_t from, int32_t to, int32_t arity,
                       const int32_t *values)
{
    const int64_t rows = plan->sets[from].storage_size;
    const mplan_plan_map map = {name, from, to, arity, rows * arity};
    mplan_error err;
    assert_done(mplan_plan_add_map(plan, &map, &err), &err);
    support_small_array(plan, mplan_key_of_map(MPLAN_KIND_MAP_VALUES, plan->n_maps - 1),
                        MPLAN_TYPE_I32, rows, arity, values);
}

void support_small_loop(mplan_plan *plan, int32_t set, int32_t n_args, const mplan_plan_arg *args)
{
    const mplan_plan_loop loop = {.name = "flux", .set = set, .n_args = n_args, .args = args};
    mplan_error err;
    assert_done(mplan_plan_add_loop(plan, &loop, &err), &err);
}

void support_small_seal(mplan_plan *plan)
{
    mplan_error err;
    assert_done(mplan_plan_seal(plan, &err), &err);
}
