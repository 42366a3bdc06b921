/* SPDX-License-Identifier: Apache-2.0 */
/* clear.c - dats that are set to zero, at once or by the sums that come next
 *
 * A dat that is cleared and then incremented by one loop need not be zeroed in memory and read again: where
 * each of its points gets one sum, the launch stores the sums instead of adding them. So a dat that was
 * cleared waits for what uses it next. Sums begin with +0 and are never -0, so that 0 + sum and sum have the same bits. */
#include <assert.h>
#include <string.h>

#include "base/error.h"
#include "exec/exec.h"
#include "plan/packed.h"
#include "plan/strategies.h"

/* Marks the dat only: the next launch that increments it stores its sums in place of adding them, where each point gets
 * one; whoever else looks at the dat first has it set to zero (settle.c). */
mplan_status mplan_exec_clear(mplan_exec *exec, const char *dat, void *stream, mplan_error *err)
{
    MPLAN_NEED(exec);
    MPLAN_NEED(dat);
    if (exec->parts)
        return exec->calls->clear(exec, dat, stream, err);
    const int32_t d = mplan_exec_find_dat(exec, dat);
    if (d < 0)
        return mplan_fail(err, MPLAN_ERR_ARGUMENT, "dat %s is not declared", dat);
    mplan_exec_dat *own = &exec->dats[d];
    if (!own->data && !own->stored)
        return mplan_fail(err, MPLAN_ERR_ARGUMENT, MPLAN_NOT_RESIDENT, dat);
    own->times++;
    own->cleared = true;
    const bool waits = own->set >= 0 && !exec->visit && !own->adopted && !own->viewed &&
                       exec->executor != MPLAN_EXECUTOR_SERIAL;
    if (waits)
        return MPLAN_OK;
    mplan_status status = mplan_exec_use(exec, err);
    return status ? status : mplan_exec_zero(exec, own, stream, err);
}

/* --- launches ---------------------------------------------------------------------------- */

/* Whether blocks touch all points of the incremented set: in the records a point of one block has no
 * slot, and points of several blocks have one partial point each. */
static bool blocks_touch_all(const mplan_exec_loop *bound)
{
    const mplan_plan *plan = bound->exec->plan;
    int64_t rows, bytes;
    const int64_t *at = mplan_plan_data(plan,
                                        mplan_key_of_variant(MPLAN_KIND_BLOCK_RECORD_OFFSETS,
                                                             bound->l, bound->v),
                                        MPLAN_TYPE_I64, &rows);
    const uint8_t *records = mplan_plan_data(plan,
                                             mplan_key_of_variant(MPLAN_KIND_BLOCK_RECORDS,
                                                                  bound->l, bound->v),
                                             MPLAN_TYPE_U8, &bytes);
    int64_t touched = bound->call.n_partial_points, members = -1;
    for (int32_t a = 0; a < bound->loop->n_args; a++)
        if (mplan_exec_increments(bound->loop, a))
            members = mplan_plan_get_set(plan, bound->exec->dats[bound->dat[a]].set)->size;
    for (int64_t b = 0; b + 1 < rows; b++) {
        mplan_record_header header;
        memcpy(&header, records + at[b], sizeof header);
        /* parts are at multiples of 16 from an aligned start */
        const int32_t *partial = (const int32_t *)(const void *)(records + at[b] + header.partial_at);
        const uint16_t *starts = (const uint16_t *)(const void *)(records + at[b] + header.starts_at);
        for (uint32_t k = 0; k < header.n_points; k++)
            touched += partial[k] < 0 && starts[k] < starts[k + 1];
    }
    return touched == members;
}

/* Whether each point of the loop's increments gets one sum from a whole launch, also a point that no
 * element touches. */
static bool one_sum_a_point(mplan_exec_loop *bound)
{
    const mplan_launch_call *call = &bound->call;
    if (bound->exec->executor == MPLAN_EXECUTOR_SERIAL || call->n_elements == 0)
        return false;
    if (mplan_strategy_has(call->strategy, MPLAN_TRAITS_ROWS))
        return true;
    if (!mplan_strategy_sums_last(call->strategy, call->sums))
        return false;
    if (bound->touches == TOUCHES_UNKNOWN)
        bound->touches = blocks_touch_all(bound) ? TOUCHES_ALL : TOUCHES_SOME;
    return bound->touches == TOUCHES_ALL;
}

/* Args that name the dat of arg a. */
static int32_t args_of_dat(const mplan_exec_loop *bound, int32_t a)
{
    int32_t n = 0;
    for (int32_t b = 0; b < bound->loop->n_args; b++)
        n += bound->dat[b] == bound->dat[a];
    return n;
}

/* Before a launch: args whose dat is marked are stored to (whole: the launch reaches every point of it), or the dat is
 * set to zero in the stream. The mark is gone afterwards. */
mplan_status mplan_exec_take_cleared(mplan_exec_loop *bound, bool whole, void *stream,
                                     mplan_error *err)
{
    assert(bound);
    mplan_status status = MPLAN_OK;
    for (int32_t a = 0; a < bound->loop->n_args && !status; a++) {
        const mplan_plan_arg *about = &bound->loop->args[a];
        mplan_exec_dat *dat = &bound->exec->dats[bound->dat[a]];
        mplan_launch_arg *arg = &bound->call.arg[a];
        arg->fresh = dat->cleared && whole && about->map >= 0 && about->access == MPLAN_INC &&
                     args_of_dat(bound, a) == 1 && one_sum_a_point(bound);
        if (arg->fresh)
            dat->cleared = false;
        else if (dat->cleared)
            status = mplan_exec_zero(bound->exec, dat, stream, err);
    }
    return status;
}
