/* SPDX-License-Identifier: Apache-2.0 */
/* planfile_args2.c - what format 1.2 adds to an arg: globals, and increments that are compared
 *
 * ARGS holds such args as a reader of 1.1 would know them, direct ones and sums; a bit of must_know
 * keeps it from believing that. */
#include "planfile/planfile_layout.h"

enum { MAPPED, DIRECT, GLOBAL };
enum { AT_CLASS = 8, AT_ACCESS = 12, AT_FIRST = 16, AT_STRIDE = 24, AT_LEVELS = 32 };

/* ARGS holds what readers of version 1 understand: an increment in the place of a minimum or
 * maximum, no map in the place of a global. ARGS2 holds the rest; the two are joined again when
 * a plan is read. */
void mplan_arg2_split(const mplan_plan_arg *arg, mplan_plan_arg *one, mplan_arg2 *two)
{
    *one = *arg;
    one->map = arg->map < 0 ? -1 : arg->map;
    one->access = mplan_access_adds(arg->access) ? MPLAN_INC : arg->access;
    *two = (mplan_arg2){.view = "", .way = DIRECT, .access = (int32_t)arg->access};
    if (arg->map >= 0)
        two->way = MAPPED;
    else if (arg->map == MPLAN_MAP_GLOBAL)
        two->way = GLOBAL;
}

/* The record of ARGS by itself: its numbers must be those of version 1, whatever ARGS2 says. */
mplan_status mplan_arg2_check(const mplan_plan_arg *one, int64_t row, mplan_fault *fault)
{
    const uint32_t kind = MPLAN_KIND_ARGS;
    if (one->map < -1)
        return mplan_fault_set(fault, kind, row, 8, "the map of arg %lld does not exist",
                               (long long)row);
    if ((unsigned)one->access > MPLAN_INC)
        return mplan_fault_set(fault, kind, row, 12, "arg %lld has an unknown access",
                               (long long)row);
    return MPLAN_OK;
}

/* The inverse of mplan_arg2_split, with every combination refused that it does not write. The
 * fields of layers must be zero; a later version gives them a meaning. */
mplan_status mplan_arg2_join(const mplan_arg2 *two, int64_t row, mplan_plan_arg *arg,
                             mplan_fault *fault)
{
    const uint32_t kind = MPLAN_KIND_ARGS2;
    const bool compared = two->access == MPLAN_INC_MIN || two->access == MPLAN_INC_MAX;
    if (arg->map >= 0 ? two->way != MAPPED : two->way != DIRECT && two->way != GLOBAL)
        return mplan_fault_set(fault, kind, row, AT_CLASS,
                               "arg %lld does not have a class that goes with its map",
                               (long long)row);
    if (compared ? arg->access != MPLAN_INC : (int32_t)arg->access != two->access)
        return mplan_fault_set(fault, kind, row, AT_ACCESS,
                               "arg %lld has two accesses that do not go together", (long long)row);
    if (two->first_offset || two->stride || two->levels)
        return mplan_fault_set(fault, kind, row,
                               two->first_offset ? AT_FIRST
                               : two->stride     ? AT_STRIDE
                                                 : AT_LEVELS,
                               "arg %lld has layers, which no version has yet", (long long)row);
    if (two->way == GLOBAL)
        arg->map = MPLAN_MAP_GLOBAL;
    arg->access = (mplan_access)two->access;
    return MPLAN_OK;
}
