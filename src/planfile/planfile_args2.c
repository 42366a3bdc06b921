/* SPDX-License-Identifier: Apache-2.0 */
/* planfile_args2.c - what format 1.2 adds to an arg: globals, increments that are compared, points that are written once
 *
 * ARGS holds such args as a reader of 1.1 would know them, direct ones and sums; a bit of must_know
 * keeps it from believing that. */
#include "planfile/planfile_layout.h"

/* The class of an arg, and the bytes of members in a record of ARGS2 for the place in messages. */
enum { MAPPED, DIRECT, GLOBAL };
enum {
    AT_CLASS = 8,
    AT_ACCESS = 12,
    AT_FIRST = 16,
    AT_STRIDE = 24,
    AT_LEVELS = 32,
    AT_SLOTS = 40,
    AT_ROWS = 44,
    AT_COLUMNS = 48,
    AT_ONCE = 52
};

/* ARGS holds what readers of version 1 understand: an increment in the place of a minimum or
 * maximum, no map in the place of a global. ARGS2 holds the rest; the two are joined again when
 * a plan is read. */
void mplan_arg2_split(const mplan_plan_arg *arg, mplan_plan_arg *one, mplan_arg2 *two)
{
    *one = *arg;
    one->map = arg->map < 0 ? -1 : arg->map;
    one->access = mplan_access_adds(arg->access) ? MPLAN_INC : arg->access;
    one->once = 0;
    *two = (mplan_arg2){.view = "",
                        .way = DIRECT,
                        .access = (int32_t)arg->access,
                        .stride = arg->layers.stride,
                        .levels = arg->layers.levels,
                        .n_slots = arg->layers.n_slots,
                        .rows = arg->layers.rows,
                        .columns = (int32_t)arg->layers.columns,
                        .once = arg->once};
    if (arg->map >= 0)
        two->way = MAPPED;
    else if (arg->map == MPLAN_MAP_GLOBAL)
        two->way = GLOBAL;
}

/* The record of ARGS by itself: its numbers must be those of version 1, whatever ARGS2 says. So a map below -1 (a
 * global) or an access behind inc (min, max) never comes from ARGS. 8 and 12 are their bytes in the record. */
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
    if (two->first_offset)
        return mplan_fault_set(fault, kind, row, AT_FIRST, "arg %lld has a first offset",
                               (long long)row);
    if (two->levels < 0 || two->levels > MPLAN_MOST_LEVELS)
        return mplan_fault_set(fault, kind, row, AT_LEVELS, "arg %lld has too many levels",
                               (long long)row);
    if (two->levels ? two->stride < 1 || two->stride > MPLAN_MOST_LEVELS : two->stride != 0)
        return mplan_fault_set(fault, kind, row, AT_STRIDE,
                               "the stride of arg %lld is out of range", (long long)row);
    if (two->levels ? two->n_slots < 1 || two->n_slots > MPLAN_MAX_SLOTS : two->n_slots != 0)
        return mplan_fault_set(fault, kind, row, AT_SLOTS, "arg %lld cannot have so many slots",
                               (long long)row);
    if (two->rows < 0 || (two->rows && !two->levels))
        return mplan_fault_set(fault, kind, row, AT_ROWS, "the rows of arg %lld are out of range",
                               (long long)row);
    if ((unsigned)two->columns >= MPLAN_N_COLUMNS || (two->columns && !two->levels))
        return mplan_fault_set(fault, kind, row, AT_COLUMNS,
                               "arg %lld has an unknown order of levels", (long long)row);
    const bool writes = two->access == MPLAN_WRITE || two->access == MPLAN_RW;
    if (two->once < 0 || two->once > (two->way == MAPPED && writes))
        return mplan_fault_set(fault, kind, row, AT_ONCE,
                               "arg %lld writes points once, but does not write through a map",
                               (long long)row);
    arg->once = two->once;
    arg->layers = (mplan_arg_layers){.levels = (int32_t)two->levels,
                                     .stride = (int32_t)two->stride,
                                     .rows = two->rows,
                                     .columns = (mplan_columns)two->columns,
                                     .n_slots = two->n_slots};
    if (two->way == GLOBAL)
        arg->map = MPLAN_MAP_GLOBAL;
    arg->access = (mplan_access)two->access;
    return MPLAN_OK;
}
