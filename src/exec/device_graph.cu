/* device_graph.cu - launches captured into graphs, and times by events */
#include <algorithm>
#include <vector>

#include "exec/device_cuda.h"

namespace {

/* A stream of its own for as long as it is in scope. */
struct own_stream {
    cudaStream_t stream = nullptr;
    ~own_stream()
    {
        if (stream)
            cudaStreamDestroy(stream);
    }
};

struct own_events {
    cudaEvent_t begin = nullptr, end = nullptr;
    cudaError_t open()
    {
        cudaError_t code = cudaEventCreate(&begin);
        return code == cudaSuccess ? cudaEventCreate(&end) : code;
    }
    ~own_events()
    {
        if (begin)
            cudaEventDestroy(begin);
        if (end)
            cudaEventDestroy(end);
    }
};

constexpr int copies = 7;

__global__ void copy_vectors(const int4 *from, int4 *to, int64_t n)
{
    int64_t step = int64_t(gridDim.x) * blockDim.x;
    for (int64_t i = int64_t(blockIdx.x) * blockDim.x + threadIdx.x; i < n; i += step)
        to[i] = from[i];
}

/* Median seconds of a copy by the driver or by a kernel. */
mplan_status time_copies(void *to, const void *from, size_t bytes, bool kernel, double *seconds,
                         mplan_error *err)
{
    own_events events;
    std::vector<float> all;
    MPLAN_CUDA(events.open());
    for (int i = 0; i <= copies; i++) {
        float milliseconds = 0;
        MPLAN_CUDA(cudaEventRecord(events.begin));
        if (kernel)
            copy_vectors<<<132 * 16, 512>>>(static_cast<const int4 *>(from), static_cast<int4 *>(to),
                                            int64_t(bytes / 16));
        else
            MPLAN_CUDA(cudaMemcpyAsync(to, from, bytes, cudaMemcpyDeviceToDevice));
        MPLAN_CUDA(cudaGetLastError());
        MPLAN_CUDA(cudaEventRecord(events.end));
        MPLAN_CUDA(cudaEventSynchronize(events.end));
        MPLAN_CUDA(cudaEventElapsedTime(&milliseconds, events.begin, events.end));
        if (i > 0) /* the first one warms up */
            all.push_back(milliseconds);
    }
    std::sort(all.begin(), all.end());
    *seconds = 1e-3 * all[copies / 2];
    return MPLAN_OK;
}

} // namespace

mplan_status mplan_device_capture(mplan_status (*record)(void *user, void *stream, mplan_error *err),
                                  void *user, void **graph, mplan_error *err)
{
    own_stream own;
    cudaGraph_t captured = nullptr;
    cudaGraphExec_t exec = nullptr;
    MPLAN_CUDA(cudaStreamCreateWithFlags(&own.stream, cudaStreamNonBlocking));
    MPLAN_CUDA(cudaStreamBeginCapture(own.stream, cudaStreamCaptureModeThreadLocal));
    mplan_status status = record(user, own.stream, err);
    cudaError_t code = cudaStreamEndCapture(own.stream, &captured);
    if (status == MPLAN_OK)
        status = mplan_device_status(code, "cudaStreamEndCapture", err);
    if (status == MPLAN_OK)
        status = mplan_device_status(cudaGraphInstantiate(&exec, captured, 0),
                                     "cudaGraphInstantiate", err);
    if (captured)
        cudaGraphDestroy(captured);
    if (status == MPLAN_OK)
        *graph = exec;
    return status;
}

mplan_status mplan_device_replay(void *graph, void *stream, mplan_error *err)
{
    MPLAN_CUDA(cudaGraphLaunch(static_cast<cudaGraphExec_t>(graph), static_cast<cudaStream_t>(stream)));
    return MPLAN_OK;
}

void mplan_device_graph_free(void *graph)
{
    if (graph)
        cudaGraphExecDestroy(static_cast<cudaGraphExec_t>(graph));
}

mplan_status mplan_device_time(void *graph, int32_t times, double *milliseconds, mplan_error *err)
{
    own_stream own;
    own_events events;
    float elapsed = 0;
    MPLAN_CUDA(cudaStreamCreateWithFlags(&own.stream, cudaStreamNonBlocking));
    MPLAN_CUDA(events.open());
    MPLAN_CUDA(cudaDeviceSynchronize());
    MPLAN_CUDA(cudaEventRecord(events.begin, own.stream));
    for (int32_t i = 0; i < times; i++)
        MPLAN_CUDA(cudaGraphLaunch(static_cast<cudaGraphExec_t>(graph), own.stream));
    MPLAN_CUDA(cudaEventRecord(events.end, own.stream));
    MPLAN_CUDA(cudaEventSynchronize(events.end));
    MPLAN_CUDA(cudaEventElapsedTime(&elapsed, events.begin, events.end));
    *milliseconds = elapsed;
    return MPLAN_OK;
}

mplan_status mplan_device_copy_rate(double *rate, mplan_error *err)
{
    size_t free_now = 0, total = 0;
    MPLAN_CUDA(cudaMemGetInfo(&free_now, &total));
    size_t bytes = std::min(size_t(2) << 30, free_now / 4) / 4096 * 4096;
    void *from = nullptr, *to = nullptr;
    mplan_status status = mplan_device_alloc(static_cast<int64_t>(bytes), &from, err);
    if (status == MPLAN_OK)
        status = mplan_device_alloc(static_cast<int64_t>(bytes), &to, err);
    if (status == MPLAN_OK)
        status = mplan_device_set(from, 0x5a, static_cast<int64_t>(bytes), err);
    double driver = 0, kernel = 0;
    if (status == MPLAN_OK)
        status = time_copies(to, from, bytes, false, &driver, err);
    if (status == MPLAN_OK)
        status = time_copies(to, from, bytes, true, &kernel, err);
    if (status == MPLAN_OK)
        *rate = 2.0 * static_cast<double>(bytes) / std::min(driver, kernel);
    mplan_device_free(from);
    mplan_device_free(to);
    return status;
}
