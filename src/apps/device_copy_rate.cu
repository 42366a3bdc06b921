/* SPDX-License-Identifier: Apache-2.0 */
/* device_copy_rate.cu - how fast a CUDA device copies its own memory
 *
 * The yardstick of all kernels: the better of the driver's copy and a kernel that moves
 * 16 bytes a thread and step, on buffers far larger than any cache. */
#include <cassert>
#include <algorithm>

#include "exec/cuda/device_cuda.h"

extern "C" {
#include "apps/app_device.h"
}

namespace {

constexpr int copies = 7;
constexpr int unrolled = 4; /* loads under way before the first store */

/* n vectors of 16 bytes, `unrolled` per thread, all loaded before the first is
 * stored. */
__global__ void copy_vectors(const int4 *from, int4 *to, int64_t n)
{
    int64_t first = int64_t(blockIdx.x) * blockDim.x * unrolled + threadIdx.x;
    int4 held[unrolled];
    for (int k = 0; k < unrolled; k++)
        if (first + k * int64_t(blockDim.x) < n)
            held[k] = from[first + k * int64_t(blockDim.x)];
    for (int k = 0; k < unrolled; k++)
        if (first + k * int64_t(blockDim.x) < n)
            to[first + k * int64_t(blockDim.x)] = held[k];
}

/* bytes: a multiple of 16. */
mplan_status copy_once(void *to, const void *from, int64_t bytes, bool by_kernel, mplan_error *err)
{
    constexpr int threads = 256;
    int64_t n = bytes / int64_t(sizeof(int4)), step = threads * unrolled;
    if (!by_kernel) {
        MPLAN_CUDA(cudaMemcpyAsync(to, from, static_cast<size_t>(bytes), cudaMemcpyDeviceToDevice));
        return MPLAN_OK;
    }
    copy_vectors<<<unsigned((n + step - 1) / step), threads>>>(static_cast<const int4 *>(from),
                                                               static_cast<int4 *>(to), n);
    MPLAN_CUDA(cudaGetLastError());
    return MPLAN_OK;
}

/* Median milliseconds of a copy; one before them warms up. */
mplan_status time_copies(void *to, const void *from, int64_t bytes, bool by_kernel, float *median,
                         mplan_error *err)
{
    own_event begin, end;
    float milliseconds[copies + 1];
    MPLAN_CUDA(begin.open(cudaEventDefault));
    MPLAN_CUDA(end.open(cudaEventDefault));
    for (float &one : milliseconds) {
        MPLAN_CUDA(cudaEventRecord(begin.event));
        mplan_status status = copy_once(to, from, bytes, by_kernel, err);
        if (status)
            return status;
        MPLAN_CUDA(cudaEventRecord(end.event));
        MPLAN_CUDA(cudaEventSynchronize(end.event));
        MPLAN_CUDA(cudaEventElapsedTime(&one, begin.event, end.event));
    }
    std::sort(milliseconds + 1, milliseconds + 1 + copies);
    *median = milliseconds[1 + copies / 2];
    return MPLAN_OK;
}

} // namespace

/* *rate: bytes read and written per second, the better of driver and kernel. */
mplan_status mplan_gpu_copy_rate(double *rate, mplan_error *err)
{
    assert(rate);
    size_t free_now = 0, total = 0;
    MPLAN_CUDA(cudaDeviceSynchronize());
    MPLAN_CUDA(cudaMemGetInfo(&free_now, &total));
    int64_t bytes = static_cast<int64_t>(std::min(size_t(2) << 30, free_now / 4) / 4096 * 4096);
    void *from = nullptr, *to = nullptr;
    float by_driver = 0, by_kernel = 0;
    mplan_status status = mplan_gpu_alloc(bytes, &from, err);
    if (!status)
        status = mplan_gpu_alloc(bytes, &to, err);
    if (!status)
        status = mplan_gpu_set(from, 0x5a, bytes, err);
    if (!status)
        status = time_copies(to, from, bytes, false, &by_driver, err);
    if (!status)
        status = time_copies(to, from, bytes, true, &by_kernel, err);
    if (!status)
        *rate = 2e3 * static_cast<double>(bytes) /
                static_cast<double>(std::min(by_driver, by_kernel));
    mplan_gpu_free(from);
    mplan_gpu_free(to);
    return status;
}
