/* SPDX-License-Identifier: Apache-2.0 */
/* device_chosen_rows.cu - some members of a dat between the caller's memory and the device, in a
 * stream, without waiting
 *
 * Pieces pass through rooms of pinned memory with as much of the device's beside it. A room is free
 * again when its event has come: the caller's rows may be changed at once after an upload, and what
 * is downloaded is taken home by a function that the stream calls. Only who has more under way than
 * all rooms hold waits. */
#include <algorithm>
#include <cassert>
#include <cstring>
#include <new>

#include "exec/cuda/device_cuda.h"

namespace {

constexpr int n_rooms = 8;
constexpr int64_t piece_bytes = int64_t(4) << 20;

/* In both memories: the list of members, then rows. */
struct staging_room {
    char *pinned = nullptr, *device = nullptr;
    int64_t capacity = 0;
    own_event done;
    char *home = nullptr; /* download: where rows go */
    const char *from = nullptr;
    size_t bytes = 0;

    void release()
    {
        if (pinned && cudaFreeHost(pinned) != cudaSuccess)
            cudaGetLastError();
        if (device && cudaFree(device) != cudaSuccess)
            cudaGetLastError();
        pinned = device = nullptr;
        capacity = 0;
    }
    ~staging_room()
    {
        release();
    }
};

/* Used in turn; `next` is the one that was taken longest ago, so that waiting for it is waiting as little as can
 * be. */
struct staging_rooms {
    staging_room room[n_rooms];
    int next = 0;
};

/* A piece of the copy. */
struct piece {
    const int32_t *list; /* host; NULL: members from first */
    int64_t first, n;
};

/* Bytes of the list of members in the staging room, in whole vectors of 16, so that the rows behind it are aligned; 0
 * for a range. */
int64_t list_bytes(const piece &own)
{
    return own.list ? (own.n * int64_t(sizeof *own.list) + 15) / 16 * 16 : 0;
}

template <typename T, bool in>
/* A thread a number; list: on the device. */
__global__ void move_chosen(dat_numbers<T> dat, const int32_t *new_of_old, const int32_t *list,
                            int64_t first, int64_t numbers, T *rows)
{
    int64_t i = int64_t(blockIdx.x) * blockDim.x + threadIdx.x;
    if (i >= numbers)
        return;
    int64_t row = i / dat.dim;
    T *own = dat.at(new_of_old[list ? list[row] : first + row], int32_t(i - row * dat.dim));
    if (in)
        *own = rows[i];
    else
        rows[i] = *own;
}

template <typename T, bool in>
/* Numbers are moved as bits of their size. */
void launch_move(const mplan_gpu_dat *dat, const int32_t *new_of_old, const piece &own,
                 const staging_room &room, cudaStream_t stream)
{
    int64_t numbers = own.n * dat->dim;
    move_chosen<T, in>
        <<<unsigned((numbers + 255) / 256), 256, 0, stream>>>(dat_numbers<T>(dat), new_of_old,
                                                              own.list
                                                                  ? reinterpret_cast<
                                                                        const int32_t *>(room.device)
                                                                  : nullptr,
                                                              own.first, numbers,
                                                              reinterpret_cast<T *>(room.device +
                                                                                    list_bytes(own)));
}

/* One piece of rows between the dat and the staging room; in: towards the dat. Numbers are
 * moved by their size, whatever their type, so four kernels are enough. */
template <bool in> mplan_status move_piece(const mplan_gpu_dat *dat, const int32_t *new_of_old,
                                           const piece &own, const staging_room &room,
                                           cudaStream_t stream, mplan_error *err)
{
    switch (mplan_type_size(dat->type)) {
    case 1: launch_move<uint8_t, in>(dat, new_of_old, own, room, stream); break;
    case 2: launch_move<uint16_t, in>(dat, new_of_old, own, room, stream); break;
    case 4: launch_move<uint32_t, in>(dat, new_of_old, own, room, stream); break;
    default: launch_move<unsigned long long, in>(dat, new_of_old, own, room, stream); break;
    }
    MPLAN_CUDA(cudaGetLastError());
    return MPLAN_OK;
}

/* The next room, when it is free, with room for so many bytes. */
mplan_status take_room(staging_rooms *rooms, int64_t bytes, staging_room **taken, mplan_error *err)
{
    staging_room *room = &rooms->room[rooms->next];
    if (!room->done.event)
        MPLAN_CUDA(room->done.open(cudaEventDisableTiming));
    MPLAN_CUDA(cudaEventSynchronize(room->done.event));
    if (room->capacity < bytes) {
        room->release();
        MPLAN_CUDA(cudaMallocHost(reinterpret_cast<void **>(&room->pinned), size_t(bytes)));
        MPLAN_CUDA(cudaMalloc(reinterpret_cast<void **>(&room->device), size_t(bytes)));
        room->capacity = bytes;
    }
    rooms->next = (rooms->next + 1) % n_rooms;
    *taken = room;
    return MPLAN_OK;
}

/* Called by the driver's thread when the copy is done, in stream order; it may not call CUDA. */
void CUDART_CB take_home(void *data)
{
    const staging_room *room = static_cast<const staging_room *>(data);
    std::memcpy(room->home, room->from, room->bytes);
}

/* rows: the piece's, `bytes` of them. */
mplan_status upload_piece(staging_room *room, const mplan_gpu_dat *dat, const int32_t *new_of_old,
                          const piece &own, const char *rows, int64_t bytes, cudaStream_t stream,
                          mplan_error *err)
{
    const int64_t at = list_bytes(own);
    if (own.list)
        std::memcpy(room->pinned, own.list, size_t(own.n) * sizeof *own.list);
    std::memcpy(room->pinned + at, rows, size_t(bytes));
    MPLAN_CUDA(cudaMemcpyAsync(room->device, room->pinned, size_t(at + bytes),
                               cudaMemcpyHostToDevice, stream));
    mplan_status status = move_piece<true>(dat, new_of_old, own, *room, stream, err);
    if (!status)
        MPLAN_CUDA(cudaEventRecord(room->done.event, stream));
    return status;
}

/* The list of rows goes up in the pinned half of the room, rows come back behind it, and a
 * function of the host copies them home when the stream is there. The room is free again when
 * done.event has passed. */
mplan_status download_piece(staging_room *room, const mplan_gpu_dat *dat, const int32_t *new_of_old,
                            const piece &own, char *rows, int64_t bytes, cudaStream_t stream,
                            mplan_error *err)
{
    const int64_t at = list_bytes(own);
    if (own.list) {
        std::memcpy(room->pinned, own.list, size_t(own.n) * sizeof *own.list);
        MPLAN_CUDA(cudaMemcpyAsync(room->device, room->pinned, size_t(at), cudaMemcpyHostToDevice,
                                   stream));
    }
    mplan_status status = move_piece<false>(dat, new_of_old, own, *room, stream, err);
    if (status)
        return status;
    MPLAN_CUDA(cudaMemcpyAsync(room->pinned + at, room->device + at, size_t(bytes),
                               cudaMemcpyDeviceToHost, stream));
    room->home = rows;
    room->from = room->pinned + at;
    room->bytes = size_t(bytes);
    MPLAN_CUDA(cudaLaunchHostFunc(stream, take_home, room));
    MPLAN_CUDA(cudaEventRecord(room->done.event, stream));
    return MPLAN_OK;
}

/* Piece by piece; one of in, out is NULL. */
mplan_status move_rows(void **staging, const mplan_gpu_dat *dat, const int32_t *new_of_old,
                       const mplan_row_choice *choice, const char *in, char *out,
                       cudaStream_t stream, mplan_error *err)
{
    if (!*staging)
        *staging = new (std::nothrow) staging_rooms;
    if (!*staging)
        return mplan_fail(err, MPLAN_ERR_MEMORY, "out of memory for rooms of copies");
    const int64_t row = dat->dim * int64_t(mplan_type_size(dat->type));
    const int64_t most = std::max(int64_t(1), piece_bytes / (row + 4));
    mplan_status status = MPLAN_OK;
    for (int64_t begin = 0; begin < choice->n && !status; begin += most) {
        const piece own = {choice->list ? choice->list + begin : nullptr, choice->first + begin,
                           std::min(most, choice->n - begin)};
        staging_room *room = nullptr;
        status = take_room(static_cast<staging_rooms *>(*staging),
                           std::max(piece_bytes, list_bytes(own) + own.n * row), &room, err);
        if (!status)
            status = in ? upload_piece(room, dat, new_of_old, own, in + begin * row, own.n * row,
                                       stream, err)
                        : download_piece(room, dat, new_of_old, own, out + begin * row, own.n * row,
                                         stream, err);
    }
    return status;
}

template <typename T>
/* Zero at places without a member. */
__global__ void clear_places(dat_numbers<T> dat, const int32_t *old_of_new)
{
    int64_t p = int64_t(blockIdx.x) * blockDim.x + threadIdx.x;
    if (p >= dat.storage_size || old_of_new[p] >= 0)
        return;
    for (int32_t c = 0; c < dat.dim; c++)
        *dat.at(p, c) = T(0);
}

/* A thread for each place, holes or not; in the default stream. */
template <typename T> void launch_clear(const mplan_gpu_dat *dat, const int32_t *old_of_new)
{
    clear_places<T>
        <<<unsigned((dat->storage_size + 255) / 256), 256>>>(dat_numbers<T>(dat), old_of_new);
}

} // namespace

/* rows: of the host, in the order of the choice; they are copied to pinned memory before this returns, so the caller
 * may change them. *staging is made at the first call and belongs to the executor. */
mplan_status mplan_gpu_upload_rows(void **staging, const mplan_gpu_dat *dat,
                                   const int32_t *new_of_old, const mplan_row_choice *choice,
                                   const void *rows, void *stream, mplan_error *err)
{
    assert(staging && dat && new_of_old && choice && rows);
    return move_rows(staging, dat, new_of_old, choice, static_cast<const char *>(rows), nullptr,
                     static_cast<cudaStream_t>(stream), err);
}

/* rows are written when the stream has come there, not before. */
mplan_status mplan_gpu_download_rows(void **staging, const mplan_gpu_dat *dat,
                                     const int32_t *new_of_old, const mplan_row_choice *choice,
                                     void *rows, void *stream, mplan_error *err)
{
    assert(staging && dat && new_of_old && choice && rows);
    return move_rows(staging, dat, new_of_old, choice, nullptr, static_cast<char *>(rows),
                     static_cast<cudaStream_t>(stream), err);
}

/* The streams that used it must be at their ends. */
void mplan_gpu_staging_free(void *staging)
{
    delete static_cast<staging_rooms *>(staging);
}

/* Zero in all places that no member has (old_of_new below 0), so that sums over whole arrays do
 * not meet what was in memory. */
mplan_status mplan_gpu_clear_holes(const mplan_gpu_dat *dat, const int32_t *old_of_new,
                                   mplan_error *err)
{
    assert(dat && old_of_new);
    if (dat->storage_size == 0)
        return MPLAN_OK;
    switch (mplan_type_size(dat->type)) {
    case 1: launch_clear<uint8_t>(dat, old_of_new); break;
    case 2: launch_clear<uint16_t>(dat, old_of_new); break;
    case 4: launch_clear<uint32_t>(dat, old_of_new); break;
    default: launch_clear<unsigned long long>(dat, old_of_new); break;
    }
    MPLAN_CUDA(cudaGetLastError());
    MPLAN_CUDA(cudaDeviceSynchronize());
    return MPLAN_OK;
}

/* Whether kernels of this GPU may use the memory: it was allocated on this GPU, or it is
 * managed. Memory of another GPU is refused even where peer access would work. */
bool mplan_gpu_reaches(const void *memory, int32_t device)
{
    assert(memory && device >= 0);
    cudaPointerAttributes about;
    if (cudaPointerGetAttributes(&about, memory) != cudaSuccess) {
        cudaGetLastError();
        return false;
    }
    return mplan_memory_is_reached(about, device);
}
