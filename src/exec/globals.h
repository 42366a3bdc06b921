/* SPDX-License-Identifier: Apache-2.0 */
/* globals.h - globals that loops change: a leaf for each element, a tree over them
 *
 * Takes bound loops whose dats are known; gives launches a place for what elements bring. */
#ifndef MPLAN_EXEC_GLOBALS_H
#define MPLAN_EXEC_GLOBALS_H

#include "exec/exec.h"

/* Whether arg a of a loop sums, or compares, into a global. */
static inline bool mplan_exec_changes_global(const mplan_plan_loop *loop, int32_t a)
{
    return loop->args[a].map == MPLAN_MAP_GLOBAL && loop->args[a].access != MPLAN_READ;
}

/* Leaves of arg a, neutral, where the executor computes: number c of leaf i at scratch[c * set_size + i],
 * the nodes behind them. rows: the leaf of each element; NULL: its own place. */
mplan_status mplan_exec_fill_global(mplan_exec_loop *bound, int32_t a, mplan_error *err);
/* The same for the host's kernels. */
void mplan_exec_leaves_of(const mplan_exec_loop *bound, int32_t a, mplan_host_arg *host);
/* Leaves of elements from place `owned` on become neutral again: other parts count these elements. In the order of the stream. */
mplan_status mplan_exec_drop_leaves(const mplan_exec_loop *bound, int64_t owned, void *stream,
                                    mplan_error *err);
/* `number`, of a type, becomes what changes nothing in a sum, minimum or maximum. */
void mplan_exec_neutral(mplan_type type, mplan_access access, void *number);
/* to[c] becomes what `access` makes of it and from[c]. */
void mplan_exec_combine(mplan_type type, mplan_access access, int32_t dim, void *to,
                        const void *from);
/* The leaves of all globals into these, when the elements of a launch have run; on a device in the
 * order of the stream. */
mplan_status mplan_exec_combine_globals(const mplan_exec_loop *bound, void *stream, mplan_error *err);
/* The globals of a loop become what its elements brought last, whatever they were; bound->lags is false then. In the order of the stream. */
mplan_status mplan_exec_take_lagged(mplan_exec_loop *bound, void *stream, mplan_error *err);

#endif
