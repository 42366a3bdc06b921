/* SPDX-License-Identifier: Apache-2.0 */
/* tune_trial.c - one launch under a plan, in a process of its own, and what came of it */
#include <assert.h>
#include <string.h>

#include "apps/tune.h"
#include "apps/tune_child.h"
#include "base/error.h"

/* What a trial is told. */
typedef struct trial {
    const mplan_tune *tune;
    const mplan_tune_options *options;
    const mplan_plan *plan;
} trial;

/* One launch, and its result against the reference. */
static mplan_status launch_once(const trial *one, mplan_tune_result *result, mplan_error *err)
{
    mplan_exec *exec = NULL;
    mplan_exec_loop *bound = NULL;
    uint64_t bits;
    mplan_status status = mplan_tune_open(one->tune, one->options->exec, one->plan, &exec, &bound,
                                          err);
    if (status)
        return status;
    result->bytes = mplan_exec_bytes(exec);
    status = mplan_exec_launch(exec, bound, one->tune->app.parameters, NULL, err);
    if (!status)
        status = mplan_exec_wait(exec, err);
    if (!status)
        status = mplan_app_data_compare(&one->tune->data, exec, &result->error, &bits, err);
    mplan_exec_close(exec);
    const double limit = mplan_tune_tolerance(one->tune, one->options);
    if (!status && !(result->error <= limit))
        status = mplan_fail(err, MPLAN_ERR_DISPROVED,
                            "the result has a relative error of %.3g against the mesh's own order; the limit is %.3g",
                            result->error, limit);
    return status;
}

static void work(void *user, void *to)
{
    mplan_tune_result *result = to;
    mplan_error err = {MPLAN_OK, ""};
    result->status = launch_once(user, result, &err);
    if (result->status)
        memcpy(result->reason, err.text, sizeof result->reason);
}

mplan_status mplan_tune_try(const mplan_tune *tune, const mplan_tune_options *options,
                            const mplan_plan *plan, const mplan_context *context,
                            mplan_tune_result *result, mplan_error *err)
{
    assert(tune && options && plan && result);
    trial one = {tune, options, plan};
    mplan_error why = {MPLAN_OK, ""};
    *result = (mplan_tune_result){.error = -1};
    mplan_status status = mplan_in_child(work, &one, result, sizeof *result, options->patience,
                                         context, &why);
    if (status == MPLAN_ERR_DEVICE) { /* the plan's fault, or the kernel's */
        mplan_error told;
        mplan_fail(&told, status, "one launch was tried: %.*s", (int)sizeof why.text / 2, why.text);
        *result = (mplan_tune_result){.status = status, .error = -1};
        memcpy(result->reason, told.text, sizeof result->reason);
        return MPLAN_OK;
    }
    if (status && err)
        *err = why;
    return status;
}
