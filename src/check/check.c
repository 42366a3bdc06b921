/* SPDX-License-Identifier: Apache-2.0 */
/* check.c - proves a plan, one group of promises after the other */
#include "check/check.h"

#include <stdlib.h>

#include "base/option_size.h"

/* Also after a proof that ended early: what was not made is NULL. */
static void release(mplan_check *check)
{
    for (int32_t l = 0; check->loops && l < check->plan->n_loops; l++) {
        free(check->loops[l].maps);
        free(check->loops[l].written);
        free(check->loops[l].sets);
        free(check->loops[l].dats);
    }
    free(check->loops);
    free(check->pairs);
    free(check->maps);
    free(check->valid);
    free(check->mark);
}

/* The proofs in an order in which each may rely on those before it: records before
 * arrays, arrays before what they hold. */
mplan_status mplan_check_prove(const mplan_plan *plan, mplan_mesh *mesh, bool asked,
                               const mplan_context *context, mplan_error *err)
{
    static mplan_status (*const proofs[])(mplan_check *, mplan_error *) = {
        mplan_check_records, mplan_check_args,       mplan_check_step,   mplan_check_loops,
        mplan_check_arrays,  mplan_check_orders,     mplan_check_maps,   mplan_check_groups,
        mplan_check_once,    mplan_check_blocks,     mplan_check_points, mplan_check_colours,
        mplan_check_gather,  mplan_check_gatherings, mplan_check_packed, mplan_check_owner,
        mplan_check_metrics, mplan_check_layers,     mplan_check_slabs,
    };
    const int64_t n_proofs = (int64_t)(sizeof proofs / sizeof *proofs);
    mplan_threaded threaded;
    if (!plan->sealed)
        return mplan_fail(err, MPLAN_ERR_ARGUMENT, "the plan is still being built");
    if (mplan_plan_is_part(plan))
        return mplan_fail(err, MPLAN_ERR_UNSUPPORTED,
                          "the plan is of part %d of a bundle; parts cannot be proved by this program",
                          (int)mplan_plan_part(plan));
    context = mplan_threaded_open(context, &threaded);
    mplan_check check = {.plan = plan, .context = context, .team = mplan_team_of(context)};
    check.threads = mplan_team_threads(check.team);
    mplan_status status = MPLAN_OK;
    for (int64_t i = 0; i < n_proofs && !status; i++) {
        mplan_progress(context, "check", i, n_proofs + 1);
        status = mplan_interrupted(context, err);
        if (!status)
            status = proofs[i](&check, err);
    }
    if (!status) {
        mplan_progress(context, "check", n_proofs, n_proofs + 1);
        status = mplan_check_mesh(&check, mesh, err);
    }
    if (!status && asked)
        status = mplan_check_asked(&check, mesh, err);
    if (!status)
        mplan_progress(context, "check", n_proofs + 1, n_proofs + 1);
    release(&check);
    mplan_threaded_close(&threaded);
    return status;
}

mplan_status mplan_plan_verify(const mplan_plan *plan, mplan_mesh *mesh,
                               const mplan_context *context, mplan_error *err)
{
    MPLAN_NEED_CONTEXT(context);
    MPLAN_NEED(plan);
    return mplan_check_prove(plan, mesh, true, context, err);
}
