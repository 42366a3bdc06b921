/* SPDX-License-Identifier: Apache-2.0 */
/* device_copy.cu - copies between the host's memory and a CUDA device's
 *
 * The bus reads pageable memory at a fraction of its rate, and one thread fills pinned
 * memory more slowly than the bus empties it. So large copies are cut into pieces;
 * several threads take the next piece each, and each has two pinned rooms and a stream:
 * one piece is copied while the one before it travels. */
#include <cassert>
#include <algorithm>
#include <atomic>
#include <cstring>
#include <system_error>
#include <thread>

#include "exec/cuda/device_cuda.h"

namespace {

constexpr int most_lanes = 8;
constexpr int64_t piece_bytes = int64_t(2) << 20;
constexpr int64_t least_bytes = int64_t(16) << 20; /* below, pinning takes longer than it saves */

/* Pinned memory holds a piece at a time: copies of more are cut. */
int64_t pieces_of(int64_t bytes)
{
    return (bytes + piece_bytes - 1) / piece_bytes;
}

/* What the lanes share. Piece numbers run through all transfers, in their order. */
struct journey {
    const mplan_gpu_transfer *list;
    int64_t n;
    bool up;
    int device;
    char *pinned; /* two pieces a lane */
    std::atomic<int64_t> next;
    std::atomic<bool> failed;
};

/* One thread's rooms. A room is free again once `done` of its last piece has come. */
struct lane {
    own_stream own;
    own_event done[2];
    char *room[2] = {nullptr, nullptr};
    char *home[2] = {nullptr, nullptr}; /* down: where what is in a room belongs */
    size_t held[2] = {0, 0};
    cuda_failure failure;

    bool open(char *pinned)
    {
        bool good = failure.passes(own.open(), "cudaStreamCreate");
        for (int i = 0; i < 2; i++) {
            room[i] = pinned + i * piece_bytes;
            good = good && failure.passes(done[i].open(cudaEventDisableTiming), "cudaEventCreate");
        }
        return good;
    }

    /* Waits until room i is free, and takes home what came down in it. */
    bool clear(int i)
    {
        if (!failure.passes(cudaEventSynchronize(done[i].event), "cudaEventSynchronize"))
            return false;
        if (held[i] > 0)
            std::memcpy(home[i], room[i], held[i]);
        held[i] = 0;
        return true;
    }

    bool carry(int i, char *device, char *host, size_t bytes, bool up)
    {
        if (!clear(i))
            return false;
        if (up)
            std::memcpy(room[i], host, bytes);
        cudaError_t code = up ? cudaMemcpyAsync(device, room[i], bytes, cudaMemcpyHostToDevice,
                                                own.stream)
                              : cudaMemcpyAsync(room[i], device, bytes, cudaMemcpyDeviceToHost,
                                                own.stream);
        if (!failure.passes(code, "cudaMemcpyAsync"))
            return false;
        if (!up) {
            home[i] = host;
            held[i] = bytes;
        }
        return failure.passes(cudaEventRecord(done[i].event, own.stream), "cudaEventRecord");
    }

    /* Carries pieces until none is left, or a lane has failed. */
    void run(journey *all, char *pinned)
    {
        int64_t a = 0, first = 0; /* transfer, and number of its first piece */
        bool good = failure.passes(cudaSetDevice(all->device), "cudaSetDevice") && open(pinned);
        for (int i = 0; good && !all->failed; i ^= 1) {
            int64_t k = all->next++;
            while (a < all->n && k - first >= pieces_of(all->list[a].bytes))
                first += pieces_of(all->list[a++].bytes);
            if (a == all->n)
                break;
            const mplan_gpu_transfer *way = &all->list[a];
            int64_t begin = (k - first) * piece_bytes;
            good = carry(i, static_cast<char *>(way->device) + begin,
                         static_cast<char *>(way->host) + begin,
                         static_cast<size_t>(std::min(piece_bytes, way->bytes - begin)), all->up);
        }
        good = good && clear(0) && clear(1);
        if (!good) {
            all->failed = true;
            cudaStreamSynchronize(own.stream); /* nothing may still use the rooms */
        }
    }
};

/* Runs the lanes; those whose thread the system refuses are left out. */
mplan_status run_lanes(journey *all, int n_lanes, mplan_error *err)
{
    lane lanes[most_lanes];
    std::thread threads[most_lanes];
    for (int i = 1; i < n_lanes; i++) {
        try {
            threads[i] = std::thread(&lane::run, &lanes[i], all, all->pinned + 2 * i * piece_bytes);
        } catch (const std::system_error &) {
            break;
        }
    }
    lanes[0].run(all, all->pinned);
    for (std::thread &thread : threads)
        if (thread.joinable())
            thread.join();
    for (const lane &one : lanes)
        if (one.failure.code != cudaSuccess)
            return one.failure.status(err);
    return MPLAN_OK;
}

/* One transfer after the other, from memory that is not pinned. */
mplan_status copy_plainly(const mplan_gpu_transfer *list, int64_t n, bool up, mplan_error *err)
{
    for (int64_t i = 0; i < n; i++) {
        size_t bytes = static_cast<size_t>(list[i].bytes);
        if (up)
            MPLAN_CUDA(cudaMemcpy(list[i].device, list[i].host, bytes, cudaMemcpyHostToDevice));
        else
            MPLAN_CUDA(cudaMemcpy(list[i].host, list[i].device, bytes, cudaMemcpyDeviceToHost));
    }
    MPLAN_CUDA(cudaStreamSynchronize(nullptr)); /* small ones may still be on their way */
    return MPLAN_OK;
}

/* In pieces through pinned buffers, several threads at once: up to three times
 * as fast. */
mplan_status copy_all(const mplan_gpu_transfer *list, int64_t n, bool up, mplan_error *err)
{
    int64_t bytes = 0, pieces = 0;
    for (int64_t i = 0; i < n; i++) {
        bytes += list[i].bytes;
        pieces += pieces_of(list[i].bytes);
    }
    int threads = static_cast<int>(std::min(64u, std::thread::hardware_concurrency()));
    int n_lanes = std::max(1, std::min(most_lanes, threads));
    n_lanes = static_cast<int>(std::min<int64_t>(n_lanes, (pieces + 1) / 2));
    void *pinned = nullptr;
    if (bytes >= least_bytes &&
        cudaMallocHost(&pinned, static_cast<size_t>(2 * n_lanes * piece_bytes)) != cudaSuccess)
        cudaGetLastError(); /* no memory to pin: slower, but no failure */
    if (!pinned)
        return copy_plainly(list, n, up, err);
    journey all = {list, n, up, 0, static_cast<char *>(pinned), {0}, {false}};
    cuda_failure failure;
    failure.passes(cudaGetDevice(&all.device), "cudaGetDevice");
    failure.passes(cudaDeviceSynchronize(), "cudaDeviceSynchronize"); /* the lanes wait for nobody */
    mplan_status status = failure.status(err);
    if (!status)
        status = run_lanes(&all, n_lanes, err);
    cudaFreeHost(pinned);
    return status;
}

} // namespace

/* Pieces of all transfers share the same lanes, so that many small ones cost no more than a large one. Returns when all
 * bytes are on the device. */
mplan_status mplan_gpu_upload_all(const mplan_gpu_transfer *list, int64_t n, mplan_error *err)
{
    assert((list || n == 0) && n >= 0);
    return copy_all(list, n, true, err);
}

/* to: on the device. bytes may be 0. */
mplan_status mplan_gpu_upload(void *to, const void *from, int64_t bytes, mplan_error *err)
{
    assert(bytes >= 0 && ((to && from) || bytes == 0));
    mplan_gpu_transfer one = {to, const_cast<void *>(from), bytes};
    return copy_all(&one, 1, true, err);
}

/* from: on the device; waits until all bytes are there. */
mplan_status mplan_gpu_download(void *to, const void *from, int64_t bytes, mplan_error *err)
{
    assert(bytes >= 0 && ((to && from) || bytes == 0));
    mplan_gpu_transfer one = {const_cast<void *>(from), to, bytes};
    return copy_all(&one, 1, false, err);
}
