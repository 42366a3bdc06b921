/* device_memory.cu - a CUDA device's memory, and copies to and from it */
#include <algorithm>
#include <cstring>
#include <thread>
#include <vector>

#include "exec/device_cuda.h"

mplan_status mplan_device_status(int code, const char *what, mplan_error *err)
{
    cudaError_t error = static_cast<cudaError_t>(code);
    if (error == cudaSuccess)
        return MPLAN_OK;
    cudaGetLastError(); /* an error that is not sticky is over once it was told */
    return mplan_fail(err, error == cudaErrorMemoryAllocation ? MPLAN_ERR_MEMORY : MPLAN_ERR_DEVICE,
                      "%s: %s (%s)", what, cudaGetErrorString(error), cudaGetErrorName(error));
}

mplan_status mplan_device_open(int32_t ordinal, mplan_error *err)
{
    int n = 0;
    MPLAN_CUDA(cudaGetDeviceCount(&n));
    if (ordinal < 0 || ordinal >= n)
        return mplan_fail(err, MPLAN_ERR_ARGUMENT, "there is no CUDA device %d; there are %d",
                          static_cast<int>(ordinal), n);
    MPLAN_CUDA(cudaSetDevice(ordinal));
    return MPLAN_OK;
}

mplan_status mplan_device_limits(int32_t ordinal, int64_t *shared_bytes, int64_t *free_bytes,
                                 int64_t *total_bytes, mplan_error *err)
{
    int shared = 0;
    size_t free_now = 0, total = 0;
    MPLAN_CUDA(cudaDeviceGetAttribute(&shared, cudaDevAttrMaxSharedMemoryPerBlockOptin, ordinal));
    MPLAN_CUDA(cudaMemGetInfo(&free_now, &total));
    *shared_bytes = shared;
    *free_bytes = static_cast<int64_t>(free_now);
    *total_bytes = static_cast<int64_t>(total);
    return MPLAN_OK;
}

mplan_status mplan_device_alloc(int64_t bytes, void **data, mplan_error *err)
{
    void *room = nullptr;
    cudaError_t code = cudaMalloc(&room, static_cast<size_t>(bytes > 0 ? bytes : 16));
    if (code == cudaErrorMemoryAllocation) {
        size_t free_now = 0, total = 0;
        cudaGetLastError();
        cudaMemGetInfo(&free_now, &total);
        return mplan_fail(err, MPLAN_ERR_MEMORY,
                          "cudaMalloc: no room for %lld bytes on the device; %lld of %lld are free",
                          static_cast<long long>(bytes), static_cast<long long>(free_now),
                          static_cast<long long>(total));
    }
    MPLAN_CUDA(code);
    *data = room;
    return MPLAN_OK;
}

void mplan_device_free(void *data)
{
    cudaFree(data);
}

mplan_status mplan_device_set(void *data, int byte, int64_t bytes, mplan_error *err)
{
    MPLAN_CUDA(cudaMemset(data, byte, static_cast<size_t>(bytes)));
    return MPLAN_OK;
}

namespace {

constexpr size_t piece_bytes = size_t(32) << 20;

/* memcpy by several threads: one alone is slower than the bus. */
void copy_by_threads(char *to, const char *from, size_t bytes)
{
    unsigned n = std::min(8u, std::max(1u, std::thread::hardware_concurrency()));
    std::vector<std::thread> threads;
    size_t part = (bytes + n - 1) / n;
    for (unsigned t = 1; t < n; t++) {
        size_t begin = std::min(bytes, t * part), end = std::min(bytes, begin + part);
        threads.emplace_back([=] { std::memcpy(to + begin, from + begin, end - begin); });
    }
    std::memcpy(to, from, std::min(bytes, part));
    for (std::thread &thread : threads)
        thread.join();
}

/* Two pinned pieces: one is filled while the other travels. */
struct pinned_pieces {
    char *piece[2] = {nullptr, nullptr};
    cudaEvent_t sent[2] = {nullptr, nullptr};

    cudaError_t open()
    {
        cudaError_t code = cudaSuccess;
        for (int i = 0; i < 2 && code == cudaSuccess; i++) {
            code = cudaMallocHost(reinterpret_cast<void **>(&piece[i]), piece_bytes);
            if (code == cudaSuccess)
                code = cudaEventCreateWithFlags(&sent[i], cudaEventDisableTiming);
        }
        return code;
    }
    ~pinned_pieces()
    {
        for (int i = 0; i < 2; i++) {
            if (sent[i])
                cudaEventDestroy(sent[i]);
            cudaFreeHost(piece[i]);
        }
    }
};

cudaError_t upload_pieces(char *to, const char *from, size_t bytes, pinned_pieces &pinned)
{
    cudaError_t code = cudaSuccess;
    size_t done = 0;
    for (int i = 0; done < bytes && code == cudaSuccess; i ^= 1) {
        size_t n = std::min(piece_bytes, bytes - done);
        code = cudaEventSynchronize(pinned.sent[i]);
        if (code != cudaSuccess)
            break;
        copy_by_threads(pinned.piece[i], from + done, n);
        code = cudaMemcpyAsync(to + done, pinned.piece[i], n, cudaMemcpyHostToDevice, nullptr);
        if (code == cudaSuccess)
            code = cudaEventRecord(pinned.sent[i], nullptr);
        done += n;
    }
    return code == cudaSuccess ? cudaStreamSynchronize(nullptr) : code;
}

} // namespace

mplan_status mplan_device_upload(void *to, const void *from, int64_t bytes, mplan_error *err)
{
    if (bytes < static_cast<int64_t>(2 * piece_bytes)) {
        MPLAN_CUDA(cudaMemcpy(to, from, static_cast<size_t>(bytes), cudaMemcpyHostToDevice));
        return MPLAN_OK;
    }
    pinned_pieces pinned;
    MPLAN_CUDA(pinned.open());
    MPLAN_CUDA(upload_pieces(static_cast<char *>(to), static_cast<const char *>(from),
                             static_cast<size_t>(bytes), pinned));
    return MPLAN_OK;
}

mplan_status mplan_device_download(void *to, const void *from, int64_t bytes, mplan_error *err)
{
    MPLAN_CUDA(cudaMemcpy(to, from, static_cast<size_t>(bytes), cudaMemcpyDeviceToHost));
    return MPLAN_OK;
}

mplan_status mplan_device_wait(mplan_error *err)
{
    MPLAN_CUDA(cudaDeviceSynchronize());
    return MPLAN_OK;
}
