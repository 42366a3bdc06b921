/* SPDX-License-Identifier: Apache-2.0 */
/* device_graph.cu - launches captured into graphs, replayed, and timed by events */
#include <cassert>

#include "exec/cuda/device_cuda.h"

/* Kernels keep the priority of the stream that they were captured in: messages go before loops (device_lane.cu). */
#ifdef __HIP__
static const unsigned by_priority = 0;
#else
static const unsigned by_priority = cudaGraphInstantiateFlagUseNodePriority;
#endif

/* Thread-local: what other threads do meanwhile is their own affair. */
mplan_status mplan_gpu_capture_begin(void *stream, mplan_error *err)
{
    MPLAN_CUDA(cudaStreamBeginCapture(static_cast<cudaStream_t>(stream),
                                      cudaStreamCaptureModeThreadLocal));
    return MPLAN_OK;
}

/* Ends the capture in any case; graph NULL: what was recorded is thrown away, after a failure. */
mplan_status mplan_gpu_capture_end(void *stream, void **captured, mplan_error *err)
{
    assert(stream && captured);
    cudaGraph_t own = nullptr;
    const cudaError_t code = cudaStreamEndCapture(static_cast<cudaStream_t>(stream), &own);
    if (code != cudaSuccess)
        cudaGetLastError(); /* what a failed record left */
    *captured = own;
    return mplan_gpu_status(static_cast<int>(code), "cudaStreamEndCapture", err);
}

/* captured is gone afterwards, and may be NULL where graph is. */
mplan_status mplan_gpu_graph_make(void *captured, void **graph, mplan_error *err)
{
    assert(captured || !graph);
    cudaGraphExec_t exec = nullptr;
    mplan_status status = MPLAN_OK;
    if (graph) {
        const cudaError_t code = cudaGraphInstantiateWithFlags(&exec,
                                                               static_cast<cudaGraph_t>(captured),
                                                               by_priority);
        status = mplan_gpu_status(static_cast<int>(code), "cudaGraphInstantiate", err);
    }
    if (captured)
        cudaGraphDestroy(static_cast<cudaGraph_t>(captured));
    if (!status && graph)
        *graph = exec;
    return status;
}

/* Of one stream, which lives only while record is called; nothing it launches runs. */
mplan_status mplan_gpu_capture(mplan_status (*record)(void *user, void *stream, mplan_error *err),
                               void *user, void **graph, mplan_error *err)
{
    assert(record && graph);
    own_stream own;
    MPLAN_CUDA(own.open());
    mplan_status status = mplan_gpu_capture_begin(own.stream, err);
    if (status)
        return status;
    status = record(user, own.stream, err);
    void *captured = nullptr;
    const mplan_status ended = mplan_gpu_capture_end(own.stream, &captured, status ? nullptr : err);
    status = status ? status : ended;
    const mplan_status made = mplan_gpu_graph_make(captured, status ? nullptr : graph,
                                                   status ? nullptr : err);
    return status ? status : made;
}

/* In the order of the stream; returns at once. */
mplan_status mplan_gpu_replay(void *graph, void *stream, mplan_error *err)
{
    assert(graph);
    MPLAN_CUDA(cudaGraphLaunch(static_cast<cudaGraphExec_t>(graph),
                               static_cast<cudaStream_t>(stream)));
    return MPLAN_OK;
}

/* NULL is accepted. */
void mplan_gpu_graph_free(void *graph)
{
    if (graph)
        cudaGraphExecDestroy(static_cast<cudaGraphExec_t>(graph));
}

/* Mean of `times` replays, between two events. */
mplan_status mplan_gpu_time(void *graph, int32_t times, double *milliseconds, mplan_error *err)
{
    assert(graph && milliseconds && times >= 0);
    own_stream own;
    own_event begin, end;
    float elapsed = 0;
    MPLAN_CUDA(own.open());
    MPLAN_CUDA(begin.open(cudaEventDefault));
    MPLAN_CUDA(end.open(cudaEventDefault));
    MPLAN_CUDA(cudaDeviceSynchronize()); /* nothing else runs while the clock does */
    MPLAN_CUDA(cudaEventRecord(begin.event, own.stream));
    for (int32_t i = 0; i < times; i++)
        MPLAN_CUDA(cudaGraphLaunch(static_cast<cudaGraphExec_t>(graph), own.stream));
    MPLAN_CUDA(cudaEventRecord(end.event, own.stream));
    MPLAN_CUDA(cudaEventSynchronize(end.event));
    MPLAN_CUDA(cudaEventElapsedTime(&elapsed, begin.event, end.event));
    *milliseconds = static_cast<double>(elapsed);
    return MPLAN_OK;
}
