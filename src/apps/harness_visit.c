/* SPDX-License-Identifier: Apache-2.0 */
/* harness_visit.c - applications whose data go through a limited device memory
 *
 * The same steps are made in memory, too, with the same plan: all dats must have equal bits, and the times of both are
 * compared. Where a device has no room for all of them, nothing is compared. */
#include <stdlib.h>
#include <string.h>

#include "apps/app_time.h"
#include "apps/file_lock.h"
#include "apps/harness.h"
#include "base/error.h"
#include "base/memory.h"
#include "exec/ranks/exec_parts.h"

/* Visits that are timed: the time of fewer of them is taken from that of more, so that what a call needs to begin and to end is
 * left out. Visits of MANY steps take long enough for two of them to be a time. */
enum { LESS = 2, MORE = 5, MANY = 32, LESS_OF_MANY = 1, MORE_OF_MANY = 3 };

/* On the host fewer steps are compared, and a step in memory is not timed. */
static bool on_device(const mplan_app_options *options)
{
    return options->exec->executor == MPLAN_EXECUTOR_CUDA;
}

/* A whole visit and some steps of the next one, but on the host few enough to wait for. */
static int64_t compared_steps(const mplan_plan *plan, const mplan_app_options *options)
{
    const int64_t k = mplan_plan_get_visit(plan)->steps;
    return k < 30 || on_device(options) ? k + 3 : 33;
}

/* Dats that an entry names are cleared before its launch, in the same stream, so that sums begin at 0. */
mplan_status mplan_app_step_once(mplan_exec *exec, const mplan_exec_entry *entries,
                                 int32_t n_entries, void *stream, mplan_error *err)
{
    mplan_status status = MPLAN_OK;
    for (int32_t k = 0; k < n_entries && !status; k++) {
        if (entries[k].clear)
            status = mplan_exec_clear(exec, entries[k].clear, stream, err);
        if (!status)
            status = mplan_exec_launch(exec, entries[k].bound, entries[k].parameters, stream, err);
    }
    return status;
}

/* Steps from one exchange of halos to the next. */
mplan_status mplan_app_visit_once(mplan_exec *exec, const mplan_exec_entry *entries,
                                  int32_t n_entries, mplan_error *err)
{
    return mplan_exec_steps(exec, entries, n_entries, exec->parts->visit_steps, err);
}

/* Waits for the turn; *lock: to be given back, -1 where no turn is asked for. */
static mplan_status take_turn(const mplan_app_options *options, int *lock, mplan_error *err)
{
    *lock = -1;
    return options->turn ? mplan_app_lock(options->turn, lock, err) : MPLAN_OK;
}

static void end_turn(int lock)
{
    if (lock >= 0)
        mplan_app_unlock(lock);
}

/* Steps that are compared; other processes with the same turn wait meanwhile. */
static mplan_status make_compared_steps(const mplan_plan *plan, const mplan_app_options *options,
                                        mplan_exec *exec, const mplan_exec_entry *entries,
                                        int32_t n_entries, mplan_error *err)
{
    int lock;
    mplan_status status = take_turn(options, &lock, err);
    if (!status)
        status = mplan_exec_steps(exec, entries, n_entries, compared_steps(plan, options), err);
    end_turn(lock);
    return status;
}

/* --- in memory --------------------------------------------------------------------------- */

/* Steps of one executor, to be timed. */
typedef struct step_timing {
    mplan_exec *exec;
    const mplan_exec_entry *entries;
    int32_t n_entries;
    int64_t n_steps; /* of a call of mplan_exec_steps */
} step_timing;

/* One step with all dats in memory; can be captured into a graph, since nothing in it waits. */
static mplan_status timed_step(void *user, int32_t i, void *stream, mplan_error *err)
{
    const step_timing *timing = user;
    (void)i;
    return mplan_app_step_once(timing->exec, timing->entries, timing->n_entries, stream, err);
}

/* The steps on an executor that holds all dats; `data` keeps the results. */
static mplan_status run_whole(const mplan_app *app, const mplan_plan *plan,
                              const mplan_app_options *options, mplan_exec *exec,
                              mplan_exec_entry *entries, int32_t n_entries, mplan_app_data *data,
                              mplan_app_result *result, mplan_error *err)
{
    bool equal = true;
    mplan_exec_loop **bound = mplan_alloc_zero(app->n_loops, sizeof *bound, err);
    mplan_status status = bound ? MPLAN_OK : MPLAN_ERR_MEMORY;
    for (int32_t l = 0; l < app->n_loops && !status; l++)
        status = mplan_app_bind(app, l, plan, options, exec, &bound[l], err);
    for (int32_t i = 0; i < n_entries && !status; i++)
        entries[i].bound = bound[app->step[i].loop];
    if (!status)
        status = make_compared_steps(plan, options, exec, entries, n_entries, err);
    if (!status)
        status = mplan_app_data_same(data, exec, &equal, err);
    step_timing timing = {exec, entries, n_entries, 1};
    int lock = -1;
    const bool timed = !status && options->repeats > 0 && on_device(options);
    if (timed)
        status = take_turn(options, &lock, err);
    if (timed && !status)
        status = mplan_app_time(exec, MPLAN_EXECUTOR_CUDA, timed_step, &timing, 4, options->repeats,
                                &result->in_memory_microseconds, err);
    end_turn(lock);
    free(bound);
    return status;
}

/* *done: false where the device has no room. */
static mplan_status steps_in_memory(const mplan_app *app, const mplan_plan *plan,
                                    const mplan_app_options *options, const mplan_exec_entry *entries,
                                    int32_t n_entries, mplan_app_data *data, bool *done,
                                    mplan_app_result *result, mplan_error *err)
{
    mplan_exec_options whole = *options->exec;
    mplan_app_options same = *options;
    mplan_exec *exec = NULL;
    whole.device_memory = 0;
    whole.store = NULL;
    whole.unpinned = false;
    whole.launch_streams = 0;
    same.exec = &whole;
    mplan_exec_entry *own = mplan_copy(entries, n_entries, sizeof *own, err);
    mplan_status status = own ? mplan_app_open(plan, &same, data, &exec, err) : MPLAN_ERR_MEMORY;
    if (!status)
        status = run_whole(app, plan, &same, exec, own, n_entries, data, result, err);
    *done = !status;
    if (own && status == MPLAN_ERR_MEMORY && on_device(options))
        status = MPLAN_OK;
    mplan_exec_close(exec);
    free(own);
    return status;
}

/* --- both ------------------------------------------------------------------------------------ */

/* What was kept is forgotten: other steps are compared next. */
static void forget(mplan_app_data *data)
{
    for (int32_t i = 0; i < data->n; i++) {
        free(data->dat[i].kept);
        data->dat[i].kept = NULL;
    }
}

/* First in memory, whose results are kept in data->dat[].kept, then through windows from the same rows; the two
 * must have equal bits. exec holds the results of the second run afterwards. */
mplan_status mplan_app_same_in_memory(const mplan_app *app, const mplan_plan *plan,
                                      const mplan_app_options *options,
                                      const mplan_exec_entry *entries, int32_t n_entries,
                                      mplan_app_data *data, mplan_exec *exec,
                                      mplan_app_result *result, mplan_error *err)
{
    bool done = false;
    if (options->exec->device_memory == 0)
        return MPLAN_OK;
    mplan_status status = steps_in_memory(app, plan, options, entries, n_entries, data, &done,
                                          result, err);
    if (!status && done)
        status = mplan_app_data_upload(data, exec, err);
    if (!status && done)
        status = make_compared_steps(plan, options, exec, entries, n_entries, err);
    if (!status && done)
        status = mplan_app_data_same(data, exec, &result->equal_bits, err);
    result->same_in_memory = !status && done && result->equal_bits;
    forget(data);
    return status;
}

/* --- time ------------------------------------------------------------------------------------ */

/* timing->n_steps steps through the windows, in one call, which waits at its end; stream is not used. */
static mplan_status some_steps(void *user, int32_t i, void *stream, mplan_error *err)
{
    const step_timing *timing = user;
    (void)i;
    (void)stream;
    return mplan_exec_steps(timing->exec, timing->entries, timing->n_entries, timing->n_steps, err);
}

/* Median microseconds of a call that makes so many visits. */
static mplan_status time_visits(step_timing *timing, int64_t k, int32_t visits, int32_t repeats,
                                double *microseconds, mplan_error *err)
{
    timing->n_steps = visits * k;
    /* not as an executor of a device: a call waits, and cannot be captured */
    return mplan_app_time(timing->exec, MPLAN_EXECUTOR_HOST, some_steps, timing, 1, repeats,
                          microseconds, err);
}

/* On a device the difference of two times divided by the steps in which they differ; on the host the time of one
 * visit divided by its steps. */
mplan_status mplan_app_time_visits(const mplan_app_options *options, mplan_exec *exec,
                                   const mplan_plan *plan, const mplan_exec_entry *entries,
                                   int32_t n_entries, double *microseconds, mplan_error *err)
{
    step_timing timing = {exec, entries, n_entries, 0};
    const int64_t k = mplan_plan_get_visit(plan)->steps;
    double less = 0, more = 0;
    const int32_t fewer = !on_device(options) ? 0 : k < MANY ? LESS : LESS_OF_MANY;
    const int32_t visits = !on_device(options) ? 1 : k < MANY ? MORE : MORE_OF_MANY;
    int lock;
    mplan_status status = take_turn(options, &lock, err);
    if (!status && fewer)
        status = time_visits(&timing, k, fewer, options->repeats, &less, err);
    if (!status)
        status = time_visits(&timing, k, visits, options->repeats, &more, err);
    end_turn(lock);
    *microseconds = (more - less) / (double)(k * (visits - fewer));
    return status;
}
