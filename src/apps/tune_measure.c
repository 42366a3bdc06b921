/* SPDX-License-Identifier: Apache-2.0 */
/* tune_measure.c - one loop under several plans, measured in turns
 *
 * What is compared is measured side by side: one measurement of each plan in a round (A B C A B C ...), so that a
 * device that slows down or speeds up does so for all of them. The median of the rounds counts, and the least and the
 * largest say how far it can be trusted. Kernel Tuner's users report winners that change from run to run and single
 * measurements that differ by 9 % (KernelTuner/kernel_tuner#282). */
#include <assert.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "apps/app_device.h"
#include "apps/harness.h"
#include "apps/tune.h"
#include "base/clock.h"
#include "base/error.h"
#include "base/memory.h"
#include "base/option_size.h"
#include "base/threads.h"

#define HOST_MICROSECONDS 5000.0 /* that one measurement takes at least on the host */
#define CLOCK_CHANGE 0.03
enum { LEAST_ROUNDS = 3, MOST_ROUNDS = 1000, MOST_STEPS = 10000 };

/* One plan while it is measured: copies of all dats, over which launches go in turn, so that a small mesh does not
 * stay in a cache. */
typedef struct rival {
    const mplan_tune *tune;
    int32_t n_copies;
    mplan_exec *exec[MPLAN_APP_MOST_COPIES];
    mplan_exec_loop *bound[MPLAN_APP_MOST_COPIES];
    mplan_app_timer timer;
    double *times; /* options->rounds */
    int32_t n_times;
} rival;

/* Launch i, on copy i modulo n_copies: what the last launch left in a cache is of another copy. */
static mplan_status launch(void *user, int32_t i, void *stream, mplan_error *err)
{
    rival *one = user;
    const int32_t copy = i % one->n_copies;
    return mplan_exec_launch(one->exec[copy], one->bound[copy], one->tune->app.parameters, stream,
                             err);
}

/* Also of one that was opened halfway; it may be closed again. */
static void close_rival(rival *one)
{
    mplan_app_timer_close(&one->timer);
    for (int32_t i = 0; i < one->n_copies; i++)
        mplan_exec_close(one->exec[i]);
    free(one->times);
    *one = (rival){0};
}

/* On the host a measurement consists of as many launches as take a while. */
static mplan_status set_steps(rival *one, mplan_executor executor, mplan_error *err)
{
    double first = 0;
    one->timer.n_steps = mplan_app_cold_launches(executor, one->n_copies);
    if (executor == MPLAN_EXECUTOR_CUDA)
        return mplan_app_timer_open(&one->timer, executor, err);
    one->timer.n_steps = 1;
    mplan_status status = mplan_app_timer_open(&one->timer, executor, err);
    if (!status)
        status = mplan_app_timer_once(&one->timer, &first, err);
    const double steps = ceil(HOST_MICROSECONDS / (first + 0.01));
    one->timer.n_steps = steps < 1 ? 1 : steps < MOST_STEPS ? (int32_t)steps : MOST_STEPS;
    return status;
}

/* After a failure the caller closes it. one->times has room for all rounds; copies have data of their own. */
static mplan_status open_rival(const mplan_tune *tune, const mplan_tune_options *options,
                               const mplan_plan *plan, rival *one, mplan_error *err)
{
    const mplan_executor executor = options->exec->executor;
    const int32_t copies = mplan_app_cold_copies(executor,
                                                 mplan_app_useful_bytes(tune->request, tune->mesh));
    one->tune = tune;
    one->times = mplan_alloc(options->rounds, sizeof *one->times, err);
    mplan_status status = one->times ? MPLAN_OK : MPLAN_ERR_MEMORY;
    for (int32_t i = 0; i < copies && !status; i++) {
        status = mplan_tune_open(tune, options->exec, plan, &one->exec[i], &one->bound[i], err);
        one->n_copies += !status;
    }
    if (status)
        return status;
    one->timer = (mplan_app_timer){.exec = one->exec[0], .step = launch, .user = one};
    return set_steps(one, executor, err);
}

/* The plan is out, and says why. */
static void reject(rival *one, mplan_tune_result *result, mplan_status status, const mplan_error *why)
{
    close_rival(one);
    result->status = status;
    memcpy(result->reason, why->text, sizeof result->reason);
}

/* One measurement of each plan that is in. *counts: the device's clock stayed. */
static void measure_round(const mplan_exec_options *exec, int32_t n, rival *rivals,
                          mplan_tune_result *results, bool *counts)
{
    mplan_error why;
    double before = 0, after = 0;
    const bool cuda = exec->executor == MPLAN_EXECUTOR_CUDA;
    const bool known = cuda && mplan_gpu_clock(exec->device, &before);
    for (int32_t i = 0; i < n; i++) {
        if (results[i].status)
            continue;
        mplan_status status = mplan_app_timer_once(&rivals[i].timer,
                                                   &rivals[i].times[rivals[i].n_times], &why);
        if (status)
            reject(&rivals[i], &results[i], status, &why);
    }
    *counts = !known || !mplan_gpu_clock(exec->device, &after) ||
              fabs(after - before) <= CLOCK_CHANGE * before;
    for (int32_t i = 0; i < n && *counts; i++)
        rivals[i].n_times += !results[i].status;
}

/* Rounds until there are enough, or time is up. */
static mplan_status measure_all(const mplan_tune_options *options, const mplan_context *context,
                                int32_t n, rival *rivals, mplan_tune_result *results,
                                int32_t *dropped, mplan_error *err)
{
    const double end = mplan_clock() + options->seconds;
    int32_t done = 0;
    mplan_status status = MPLAN_OK;
    *dropped = 0;
    while (!status && done < options->rounds && (done < LEAST_ROUNDS || mplan_clock() < end)) {
        bool counts;
        measure_round(options->exec, n, rivals, results, &counts);
        if (!counts && *dropped == options->rounds)
            return mplan_fail(err, MPLAN_ERR_DEVICE,
                              "the clock of the device changed by more than %g %% in %d rounds; no figure would hold",
                              100 * CLOCK_CHANGE, (int)*dropped);
        done += counts;
        *dropped += !counts;
        status = mplan_heed(context, "measure", done, options->rounds, err);
    }
    return status;
}

/* Median, least and most of a plan that was measured, whose times are in the order of the rounds. first: the first plan,
 * not summed up yet; NULL: it was not measured. */
static void sum_up(rival *one, const rival *first, mplan_tune_result *result)
{
    for (int32_t i = 0; first && i < one->n_times; i++)
        result->wins += one->times[i] < first->times[i];
    result->rounds = one->n_times;
    result->median = mplan_app_median(one->times, one->n_times);
    result->least = one->times[0];
    result->most = one->times[one->n_times - 1];
}

/* Trials first: later this process may have opened a device. */
static mplan_status try_all(const mplan_tune *tune, const mplan_tune_options *options,
                            const mplan_context *context, int32_t n, const mplan_plan *const *plans,
                            mplan_tune_result *results, mplan_error *err)
{
    mplan_status status = MPLAN_OK;
    for (int32_t i = 0; i < n && !status; i++)
        status = mplan_tune_try(tune, options, plans[i], context, &results[i], err);
    return status;
}

/* With options in their full size. */
static mplan_status measure_plans(const mplan_tune *tune, const mplan_tune_options *options,
                                  const mplan_context *context, int32_t n,
                                  const mplan_plan *const *plans, mplan_tune_result *results,
                                  int32_t *dropped, mplan_error *err)
{
    mplan_error why;
    rival *rivals = mplan_alloc_zero(n, sizeof *rivals, err);
    mplan_status status = rivals ? try_all(tune, options, context, n, plans, results, err)
                                 : MPLAN_ERR_MEMORY;
    for (int32_t i = 0; i < n && !status; i++) {
        if (results[i].status)
            continue;
        mplan_status opened = open_rival(tune, options, plans[i], &rivals[i], &why);
        if (opened)
            reject(&rivals[i], &results[i], opened, &why);
        status = mplan_heed(context, "open", i, n, err);
    }
    if (!status)
        status = measure_all(options, context, n, rivals, results, dropped, err);
    for (int32_t i = n - 1; i >= 0 && rivals; i--) { /* the first one last: its times are sorted then */
        if (!status && !results[i].status)
            sum_up(&rivals[i], results[0].status ? NULL : &rivals[0], &results[i]);
        close_rival(&rivals[i]);
    }
    free(rivals);
    return status;
}

/* Options are taken over their defaults; results[i] is set for each plan that was tried, also where the call fails
 * later. */
mplan_status mplan_tune_measure(const mplan_tune *tune, const mplan_tune_options *options,
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
    mplan_exec_options exec = MPLAN_EXEC_OPTIONS_INIT;
    mplan_status status = mplan_options_take(&own, options, "options of tuning", err);
    if (!status)
        status = mplan_options_take(&exec, own.exec, "executor options", err);
    own.exec = &exec;
    if (!status && (n < 1 || own.rounds < 1 || own.rounds > MOST_ROUNDS))
        status = mplan_fail(err, MPLAN_ERR_ARGUMENT, "there must be a plan, and 1 to %d rounds",
                            MOST_ROUNDS);
    return status ? status : measure_plans(tune, &own, context, n, plans, results, dropped, err);
}
