/* SPDX-License-Identifier: Apache-2.0 */
/* graph.c - steps that are captured once and replayed; on a device only */
#include <stdlib.h>

#include "base/error.h"
#include "base/memory.h"
#include "exec/exec.h"

struct mplan_exec_graph {
    const mplan_exec *exec;
    void *graph; /* the device's */
};

/* record launches in the stream that it is given; nothing runs yet. A graph keeps the parameters
 * of its launches as they were then. */
mplan_status mplan_exec_capture(mplan_exec *exec,
                                mplan_status (*record)(void *user, void *stream, mplan_error *err),
                                void *user, mplan_exec_graph **graph, mplan_error *err)
{
    MPLAN_NEED(exec);
    MPLAN_NEED(record);
    MPLAN_NEED(graph);
    if (exec->executor != MPLAN_EXECUTOR_CUDA)
        return mplan_fail(err, MPLAN_ERR_UNSUPPORTED,
                          "executor %s cannot capture graphs; only cuda can",
                          mplan_executor_name(exec->executor));
    mplan_status status = mplan_exec_use(exec, err);
    if (status)
        return status;
    mplan_exec_graph *made = mplan_alloc_zero(1, sizeof *made, err);
    if (!made)
        return MPLAN_ERR_MEMORY;
    made->exec = exec;
    status = mplan_gpu_capture(record, user, &made->graph, err);
    if (!status)
        *graph = made;
    else
        free(made);
    return status;
}

mplan_status mplan_exec_replay(mplan_exec *exec, mplan_exec_graph *graph, void *stream,
                               mplan_error *err)
{
    MPLAN_NEED(exec);
    MPLAN_NEED(graph);
    mplan_status status = mplan_exec_use(exec, err);
    return !status ? mplan_gpu_replay(graph->graph, stream, err) : status;
}

void mplan_exec_graph_free(mplan_exec_graph *graph)
{
    if (!graph)
        return;
    if (mplan_exec_use(graph->exec, NULL) == MPLAN_OK)
        mplan_gpu_graph_free(graph->graph);
    free(graph);
}

mplan_status mplan_exec_time(mplan_exec *exec, mplan_exec_graph *graph, int32_t times,
                             double *milliseconds, mplan_error *err)
{
    MPLAN_NEED(exec);
    MPLAN_NEED(graph);
    MPLAN_NEED(milliseconds);
    if (times < 1)
        return mplan_fail(err, MPLAN_ERR_ARGUMENT, "a graph cannot be timed in %d replays",
                          (int)times);
    mplan_status status = mplan_exec_use(exec, err);
    return !status ? mplan_gpu_time(graph->graph, times, milliseconds, err) : status;
}
