/* SPDX-License-Identifier: Apache-2.0 */
/* device_memory.cu - a CUDA device, its memory, and what goes wrong with it */
#include <cassert>

#include "exec/cuda/device_cuda.h"

/* code: a cudaError_t. */
mplan_status mplan_gpu_status(int code, const char *what, mplan_error *err)
{
    assert(what);
    cudaError_t error = static_cast<cudaError_t>(code);
    if (error == cudaSuccess)
        return MPLAN_OK;
    cudaGetLastError(); /* an error that is not sticky is over once it was told */
    return mplan_fail(err, error == cudaErrorMemoryAllocation ? MPLAN_ERR_MEMORY : MPLAN_ERR_DEVICE,
                      "%s: %s (%s)", what, cudaGetErrorString(error), cudaGetErrorName(error));
}

/* Makes the GPU the thread's own. Devices are numbered as CUDA_VISIBLE_DEVICES leaves them. */
mplan_status mplan_gpu_open(int32_t ordinal, mplan_error *err)
{
    int n = 0;
    MPLAN_CUDA(cudaGetDeviceCount(&n));
    if (ordinal < 0 || ordinal >= n)
        return mplan_fail(err, MPLAN_ERR_ARGUMENT,
                          n == 1 ? "there is no CUDA device %d; there is %d"
                                 : "there is no CUDA device %d; there are %d",
                          static_cast<int>(ordinal), n);
    MPLAN_CUDA(cudaSetDevice(ordinal));
    return MPLAN_OK;
}

/* Shared memory is what a block may have at most (by opt-in); memory is what is free at this
 * moment, of all processes. */
mplan_status mplan_gpu_limits(int32_t ordinal, int64_t *shared_bytes, int64_t *cache_bytes,
                              int64_t *free_bytes, int64_t *total_bytes, mplan_error *err)
{
    assert(shared_bytes && cache_bytes && free_bytes && total_bytes);
    int shared = 0, cache = 0;
    size_t free_now = 0, total = 0;
    MPLAN_CUDA(cudaDeviceGetAttribute(&shared, cudaDevAttrMaxSharedMemoryPerBlockOptin, ordinal));
    MPLAN_CUDA(cudaDeviceGetAttribute(&cache, cudaDevAttrL2CacheSize, ordinal));
    MPLAN_CUDA(cudaMemGetInfo(&free_now, &total));
    *shared_bytes = shared;
    *cache_bytes = cache;
    *free_bytes = static_cast<int64_t>(free_now);
    *total_bytes = static_cast<int64_t>(total);
    return MPLAN_OK;
}

/* At least 16 bytes, so that no array is NULL. */
mplan_status mplan_gpu_alloc(int64_t bytes, void **data, mplan_error *err)
{
    assert(data && bytes >= 0);
    void *room = nullptr;
    cudaError_t code = cudaMalloc(&room, static_cast<size_t>(bytes > 0 ? bytes : 16));
    if (code == cudaErrorMemoryAllocation) {
        size_t free_now = 0, total = 0;
        cudaGetLastError();
        cudaMemGetInfo(&free_now, &total);
        return mplan_fail(err, MPLAN_ERR_MEMORY,
                          "cudaMalloc: not enough memory on the device for %lld bytes; %lld of "
                          "%lld are free",
                          static_cast<long long>(bytes), static_cast<long long>(free_now),
                          static_cast<long long>(total));
    }
    if (code == cudaSuccess)
        *data = room;
    return mplan_gpu_status(static_cast<int>(code), "cudaMalloc", err);
}

/* NULL is accepted. Waits for the device, as cudaFree does, so that no launch may still use the memory. */
void mplan_gpu_free(void *data)
{
    if (cudaFree(data) != cudaSuccess)
        cudaGetLastError(); /* of an earlier launch; who waits for it is told */
}

/* Waits: streams that do not wait for the default one must not meet the old bytes. */
mplan_status mplan_gpu_set(void *data, int byte, int64_t bytes, mplan_error *err)
{
    assert((data || bytes == 0) && bytes >= 0);
    MPLAN_CUDA(cudaMemset(data, byte, static_cast<size_t>(bytes)));
    MPLAN_CUDA(cudaStreamSynchronize(nullptr));
    return MPLAN_OK;
}

/* In the order of the stream. */
mplan_status mplan_gpu_clear(void *data, int64_t bytes, void *stream, mplan_error *err)
{
    assert(data && bytes > 0);
    MPLAN_CUDA(cudaMemsetAsync(data, 0, static_cast<size_t>(bytes),
                               static_cast<cudaStream_t>(stream)));
    return MPLAN_OK;
}

/* Within the device, in the order of the default stream. */
mplan_status mplan_gpu_copy(void *to, const void *from, int64_t bytes, mplan_error *err)
{
    assert(bytes >= 0 && ((to && from) || bytes == 0));
    MPLAN_CUDA(cudaMemcpyAsync(to, from, static_cast<size_t>(bytes), cudaMemcpyDeviceToDevice));
    return MPLAN_OK;
}

/* For all streams of the device in use; errors of launches before are told here. */
mplan_status mplan_gpu_wait(mplan_error *err)
{
    MPLAN_CUDA(cudaDeviceSynchronize());
    return MPLAN_OK;
}
