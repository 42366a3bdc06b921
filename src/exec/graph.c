/* SPDX-License-Identifier: Apache-2.0 */
/* graph.c - steps that are captured once and replayed; on a device only */
#include <stdlib.h>

#include "base/error.h"
#include "base/memory.h"
#include "exec/exec.h"

/* times[d]: of each dat now, or how much more since they were taken. */
static void take_times(const mplan_exec_graph *made)
{
    for (int32_t d = 0; d < made->n_dats; d++)
        made->times[d] = made->exec->dats[d].times - made->times[d];
}

/* What the caller records. */
typedef struct recording {
    mplan_exec *exec;
    mplan_status (*record)(void *user, void *stream, mplan_error *err);
    void *user;
} recording;

/* What it clears and nothing takes is zeroed by the graph. */
static mplan_status record_and_settle(void *user, void *stream, mplan_error *err)
{
    const recording *tape = user;
    mplan_status status = tape->record(tape->user, stream, err);
    return status ? status : mplan_exec_settle_in_stream(tape->exec, stream, err);
}

/* record launches in the stream that it is given; nothing runs yet. A graph keeps the parameters
 * of its launches as they were then. */
mplan_status mplan_exec_capture(mplan_exec *exec,
                                mplan_status (*record)(void *user, void *stream, mplan_error *err),
                                void *user, mplan_exec_graph **graph, mplan_error *err)
{
    MPLAN_NEED(exec);
    MPLAN_NEED(record);
    MPLAN_NEED(graph);
    if (exec->parts)
        return exec->calls->capture(exec, record, user, graph, err);
    if (exec->executor != MPLAN_EXECUTOR_CUDA)
        return mplan_fail(err, MPLAN_ERR_UNSUPPORTED,
                          "executor %s cannot capture graphs; only cuda can",
                          mplan_executor_name(exec->executor));
    if (exec->visit)
        return mplan_fail(err, MPLAN_ERR_UNSUPPORTED,
                          "graphs cannot be captured where device memory is limited");
    mplan_status status = mplan_exec_settle_all(exec,
                                                err); /* what was cleared before is not the graph's */
    if (!status)
        status = mplan_exec_use(exec, err);
    if (status)
        return status;
    mplan_exec_graph *made = mplan_alloc_zero(1, sizeof *made, err);
    if (!made)
        return MPLAN_ERR_MEMORY;
    made->exec = exec;
    made->n_dats = exec->n_dats;
    made->times = mplan_alloc_zero(exec->n_dats, sizeof *made->times, err);
    status = made->times ? MPLAN_OK : MPLAN_ERR_MEMORY;
    if (!status) {
        take_times(made);
        recording tape = {exec, record, user};
        status = mplan_gpu_capture(record_and_settle, &tape, &made->graph, err);
        take_times(made);
    }
    if (!status) {
        *graph = made;
    } else {
        free(made->times);
        free(made);
    }
    return status;
}

/* Dats that are cleared are set to zero first; counts of changes go up as if all launches had been called. */
mplan_status mplan_exec_replay(mplan_exec *exec, mplan_exec_graph *graph, void *stream,
                               mplan_error *err)
{
    MPLAN_NEED(exec);
    MPLAN_NEED(graph);
    if (exec->parts)
        return exec->calls->replay(exec, graph, stream, err);
    mplan_status status = mplan_exec_use(exec, err);
    if (!status)
        status = mplan_exec_settle_in_stream(exec, stream, err);
    for (int32_t d = 0; d < graph->n_dats; d++)
        exec->dats[d].times += graph->times[d];
    return !status ? mplan_gpu_replay(graph->graph, stream, err) : status;
}

/* NULL is accepted. */
void mplan_exec_graph_free(mplan_exec_graph *graph)
{
    if (!graph)
        return;
    if (graph->parts) {
        graph->exec->calls->graph_free(graph);
        return;
    }
    if (mplan_exec_use(graph->exec, NULL) == MPLAN_OK)
        mplan_gpu_graph_free(graph->graph);
    free(graph->times);
    free(graph);
}

/* *milliseconds is that of all replays together. */
mplan_status mplan_exec_time(mplan_exec *exec, mplan_exec_graph *graph, int32_t times,
                             double *milliseconds, mplan_error *err)
{
    MPLAN_NEED(exec);
    MPLAN_NEED(graph);
    MPLAN_NEED(milliseconds);
    if (times < 1)
        return mplan_fail(err, MPLAN_ERR_ARGUMENT, "a graph cannot be timed in %d replays",
                          (int)times);
    if (exec->parts)
        return exec->calls->time(exec, graph, times, milliseconds, err);
    mplan_status status = mplan_exec_use(exec, err);
    return !status ? mplan_gpu_time(graph->graph, times, milliseconds, err) : status;
}
