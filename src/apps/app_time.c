/* SPDX-License-Identifier: Apache-2.0 */
/* app_time.c - how long a step takes */
#include "apps/app_time.h"

#include <stdlib.h>
#include <time.h>

#include "base/memory.h"

/* The steps that are captured into one graph. */
typedef struct recording {
    mplan_app_step step;
    void *user;
    int32_t n_steps;
} recording;

/* What a graph records, or a timed run repeats: n_steps steps, numbered from 0. */
static mplan_status record(void *user, void *stream, mplan_error *err)
{
    const recording *tape = user;
    mplan_status status = MPLAN_OK;
    for (int32_t i = 0; i < tape->n_steps && !status; i++)
        status = tape->step(tape->user, i, stream, err);
    return status;
}

static double milliseconds_now(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec * 1e3 + (double)now.tv_nsec * 1e-6;
}

/* Milliseconds of all steps, once. graph: NULL on the host. */
static mplan_status time_once(mplan_exec *exec, mplan_exec_graph *graph, const recording *tape,
                              double *milliseconds, mplan_error *err)
{
    if (graph)
        return mplan_exec_time(exec, graph, 1, milliseconds, err);
    double start = milliseconds_now();
    recording copy = *tape;
    mplan_status status = record(&copy, NULL, err);
    if (!status)
        status = mplan_exec_wait(exec, err);
    *milliseconds = milliseconds_now() - start;
    return status;
}

static int ascending(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* *microseconds: median of `repeats`, after one run to warm up. */
mplan_status mplan_app_time(mplan_exec *exec, mplan_executor executor, mplan_app_step step,
                            void *user, int32_t n_steps, int32_t repeats, double *microseconds,
                            mplan_error *err)
{
    mplan_exec_graph *graph = NULL;
    recording tape = {step, user, n_steps};
    double *times = mplan_alloc(repeats, sizeof *times, err), first;
    mplan_status status = times ? MPLAN_OK : MPLAN_ERR_MEMORY;
    if (!status && executor == MPLAN_EXECUTOR_CUDA)
        status = mplan_exec_capture(exec, record, &tape, &graph, err);
    if (!status)
        status = time_once(exec, graph, &tape, &first, err);
    for (int32_t i = 0; i < repeats && !status; i++)
        status = time_once(exec, graph, &tape, &times[i], err);
    if (!status) {
        qsort(times, (size_t)repeats, sizeof *times, ascending);
        double median = (times[(repeats - 1) / 2] + times[repeats / 2]) / 2;
        *microseconds = median * 1e3 / n_steps;
    }
    mplan_exec_graph_free(graph);
    free(times);
    return status;
}
