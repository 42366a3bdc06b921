/* SPDX-License-Identifier: Apache-2.0 */
/* tune_apart.c - plans measured in a process of their own, so that more may be tried and measured after them
 *
 * Trials must begin before this process has opened a device (tune_child.h), which measuring does. */
#include <string.h>

#include "apps/tune.h"
#include "apps/tune_child.h"
#include "base/error.h"
#include "base/option_size.h"

/* What the child is told. */
typedef struct task {
    const mplan_tune *tune;
    const mplan_tune_options *options;
    int32_t n;
    const mplan_plan *const *plans;
} task;

/* And what it tells, as bytes. */
typedef struct outcome {
    mplan_status status;
    mplan_error err;
    int32_t dropped;
    mplan_tune_result results[MPLAN_TUNE_MOST_APART];
} outcome;

/* Without the context: who waits is the parent, which ends this process where it is asked to stop. */
static void measure(void *user, void *to)
{
    const task *one = user;
    outcome *out = to;
    out->status = mplan_tune_measure(one->tune, one->options, NULL, one->n, one->plans,
                                     out->results, &out->dropped, &out->err);
}

mplan_status mplan_tune_measure_apart(const mplan_tune *tune, const mplan_tune_options *options,
                                      const mplan_context *context, int32_t n,
                                      const mplan_plan *const *plans, mplan_tune_result *results,
                                      int32_t *dropped, mplan_error *err)
{
    MPLAN_NEED_CONTEXT(context);
    MPLAN_NEED(tune);
    MPLAN_NEED(plans);
    MPLAN_NEED(results);
    MPLAN_NEED(dropped);
    mplan_tune_options own = MPLAN_TUNE_OPTIONS_INIT;
    task one = {tune, &own, n, plans};
    outcome out = {.status = MPLAN_OK};
    mplan_status status = mplan_options_take(&own, options, "options of tuning", err);
    if (!status && (n < 1 || n > MPLAN_TUNE_MOST_APART))
        status = mplan_fail(err, MPLAN_ERR_ARGUMENT, "1 to %d plans can be measured apart, not %d",
                            MPLAN_TUNE_MOST_APART, (int)n);
    const double patience = 2 * (own.patience + own.seconds) * (n + 1.0);
    if (!status)
        status = mplan_in_child(measure, &one, &out, sizeof out, patience, context, err);
    if (status)
        return status;
    if (out.status && err)
        *err = out.err;
    memcpy(results, out.results, sizeof *results * (size_t)n);
    *dropped = out.dropped;
    return out.status;
}
