/* SPDX-License-Identifier: Apache-2.0 */
/* harness_visit.c - applications whose data go through a limited device memory
 *
 * On the host the same steps are made in memory, too, and all dats must have equal bits. */
#include <stdlib.h>
#include <string.h>

#include "apps/app_time.h"
#include "apps/harness.h"
#include "base/error.h"
#include "base/memory.h"

/* A whole visit and some steps of the next one, but few enough to wait for. */
static int64_t compared_steps(const mplan_plan *plan)
{
    const int64_t k = mplan_plan_get_visit(plan)->steps;
    return k < 30 ? k + 3 : 33;
}

/* The steps in memory: an executor of its own, whose results `data` keeps. */
static mplan_status steps_in_core(const mplan_app *app, const mplan_plan *plan,
                                  const mplan_app_options *options, const mplan_exec_entry *entries,
                                  int32_t n_entries, mplan_app_data *data, mplan_error *err)
{
    mplan_exec_options whole = *options->exec;
    mplan_app_options same = *options;
    mplan_exec *exec = NULL;
    bool equal = true;
    whole.device_memory = 0;
    same.exec = &whole;
    mplan_exec_loop **bound = mplan_alloc_zero(app->n_loops, sizeof *bound, err);
    mplan_exec_entry *own = mplan_copy(entries, n_entries, sizeof *own, err);
    mplan_status status = bound && own ? MPLAN_OK : MPLAN_ERR_MEMORY;
    if (!status)
        status = mplan_app_open(plan, &same, data, &exec, err);
    for (int32_t l = 0; l < app->n_loops && !status; l++)
        status = mplan_app_bind(app, l, plan, &same, exec, &bound[l], err);
    for (int32_t i = 0; i < n_entries && !status; i++)
        own[i].bound = bound[app->step[i].loop];
    if (!status)
        status = mplan_exec_steps(exec, own, n_entries, compared_steps(plan), err);
    if (!status)
        status = mplan_app_data_same(data, exec, &equal, err);
    mplan_exec_close(exec);
    free(bound);
    free(own);
    return status;
}

/* What was kept is forgotten: other steps are compared next. */
static void forget(mplan_app_data *data)
{
    for (int32_t i = 0; i < data->n; i++) {
        free(data->dat[i].kept);
        data->dat[i].kept = NULL;
    }
}

mplan_status mplan_app_same_in_core(const mplan_app *app, const mplan_plan *plan,
                                    const mplan_app_options *options, const mplan_exec_entry *entries,
                                    int32_t n_entries, mplan_app_data *data, mplan_exec *exec,
                                    mplan_app_result *result, mplan_error *err)
{
    if (options->exec->device_memory == 0 || options->exec->executor == MPLAN_EXECUTOR_CUDA)
        return MPLAN_OK;
    mplan_status status = steps_in_core(app, plan, options, entries, n_entries, data, err);
    if (!status)
        status = mplan_app_data_upload(data, exec, err);
    if (!status)
        status = mplan_exec_steps(exec, entries, n_entries, compared_steps(plan), err);
    if (!status)
        status = mplan_app_data_same(data, exec, &result->equal_bits, err);
    forget(data);
    return status;
}

/* What mplan_app_time repeats. */
typedef struct visit_timing {
    mplan_exec *exec;
    const mplan_exec_entry *entries;
    int32_t n_entries;
    int64_t n_steps;
} visit_timing;

static mplan_status two_visits(void *user, int32_t i, void *stream, mplan_error *err)
{
    const visit_timing *timing = user;
    (void)i;
    (void)stream;
    return mplan_exec_steps(timing->exec, timing->entries, timing->n_entries, timing->n_steps, err);
}

mplan_status mplan_app_time_visits(mplan_exec *exec, const mplan_plan *plan,
                                   const mplan_exec_entry *entries, int32_t n_entries,
                                   int32_t repeats, double *microseconds, mplan_error *err)
{
    visit_timing timing = {exec, entries, n_entries, 2 * (int64_t)mplan_plan_get_visit(plan)->steps};
    /* not as an executor of a device: a call waits, and cannot be captured */
    mplan_status status = mplan_app_time(exec, MPLAN_EXECUTOR_HOST, two_visits, &timing, 1, repeats,
                                         microseconds, err);
    *microseconds /= (double)timing.n_steps;
    return status;
}
