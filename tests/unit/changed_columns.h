/* SPDX-License-Identifier: Apache-2.0 */
/* changed_columns.h - what a test changes of the columns of a part, whose plan is its own */
#ifndef MPLAN_TEST_CHANGED_COLUMNS_H
#define MPLAN_TEST_CHANGED_COLUMNS_H

#include "plan/plan.h"
#include "support_test.h"

/* An array of a set. */
static inline void *array_of(mplan_plan *plan, int32_t kind, int32_t set)
{
    const mplan_key key = mplan_key_of_set((uint32_t)kind, set);
    const mplan_array *array = mplan_plan_find_array(plan, &key);
    assert_non_null(array);
    return (void *)(uintptr_t)array->data;
}

/* A column of the halo is at another ring. */
static inline void ring_of_halo(mplan_plan *plan)
{
    const int32_t s = mplan_plan_find_set(plan, "cells");
    uint8_t *ring = array_of(plan, MPLAN_KIND_HALO_RINGS, s);
    const int64_t n = plan->sets[s].size - plan->sets[s].part.owned;
    for (int64_t i = 0; i < n; i++)
        if (ring[i] == 2) {
            ring[i] = 1;
            return;
        }
    fail_msg("no column is at ring 2");
}

#endif
