/* SPDX-License-Identifier: Apache-2.0 */
/* app_time.c - how long a step takes */
#include "apps/app_time.h"

#include <assert.h>
#include <stdlib.h>
#include <time.h>

#include "base/memory.h"

/* What a graph records, or a timed run repeats: n_steps steps, numbered from 0. */
static mplan_status record(void *user, void *stream, mplan_error *err)
{
    const mplan_app_timer *timer = user;
    mplan_status status = MPLAN_OK;
    for (int32_t i = 0; i < timer->n_steps && !status; i++)
        status = timer->step(timer->user, i, stream, err);
    return status;
}

/* A clock that nobody sets. */
static double milliseconds_now(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec * 1e3 + (double)now.tv_nsec * 1e-6;
}

/* On a device by events round a graph of n_steps steps, else by the clock, with a wait at the end. */
mplan_status mplan_app_timer_once(const mplan_app_timer *timer, double *microseconds, mplan_error *err)
{
    mplan_app_timer copy = *timer;
    double milliseconds = 0, start = milliseconds_now();
    mplan_status status;
    if (timer->graph) {
        status = mplan_exec_time(timer->exec, timer->graph, 1, &milliseconds, err);
    } else {
        status = record(&copy, NULL, err);
        if (!status)
            status = mplan_exec_wait(timer->exec, err);
        milliseconds = milliseconds_now() - start;
    }
    *microseconds = milliseconds * 1e3 / timer->n_steps;
    return status;
}

/* Captures the steps on a device and runs them once, so that what is only done at first does not count. */
mplan_status mplan_app_timer_open(mplan_app_timer *timer, mplan_executor executor, mplan_error *err)
{
    double first;
    assert(timer && timer->exec && timer->step && timer->n_steps > 0);
    timer->graph = NULL;
    mplan_status status = MPLAN_OK;
    if (executor == MPLAN_EXECUTOR_CUDA)
        status = mplan_exec_capture(timer->exec, record, timer, &timer->graph, err);
    return status ? status : mplan_app_timer_once(timer, &first, err);
}

/* Also of one that could not be opened. */
void mplan_app_timer_close(mplan_app_timer *timer)
{
    mplan_exec_graph_free(timer->graph);
    timer->graph = NULL;
}

/* None is NaN. */
static int ascending(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* numbers is sorted afterwards. */
double mplan_app_median(double *numbers, int32_t n)
{
    assert(numbers && n > 0);
    qsort(numbers, (size_t)n, sizeof *numbers, ascending);
    return (numbers[(n - 1) / 2] + numbers[n / 2]) / 2;
}

/* *microseconds: median of `repeats`, after one run to warm up. */
mplan_status mplan_app_time(mplan_exec *exec, mplan_executor executor, mplan_app_step step,
                            void *user, int32_t n_steps, int32_t repeats, double *microseconds,
                            mplan_error *err)
{
    mplan_app_timer timer = {.exec = exec, .step = step, .user = user, .n_steps = n_steps};
    double *times = mplan_alloc(repeats, sizeof *times, err);
    mplan_status status = times ? mplan_app_timer_open(&timer, executor, err) : MPLAN_ERR_MEMORY;
    for (int32_t i = 0; i < repeats && !status; i++)
        status = mplan_app_timer_once(&timer, &times[i], err);
    if (!status)
        *microseconds = mplan_app_median(times, repeats);
    mplan_app_timer_close(&timer);
    free(times);
    return status;
}
