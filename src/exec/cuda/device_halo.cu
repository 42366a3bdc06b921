/* SPDX-License-Identifier: Apache-2.0 */
/* device_halo.cu - moves of members, one thread a number, and mailboxes between devices (device_halo.h)
 *
 * A batch of moves is an argument of the kernel: nothing of the host's memory must stay until the stream gets there, and
 * batches can be captured into graphs. */
#include <algorithm>
#include <cassert>

#include "exec/cuda/device_cuda.h"

extern "C" {
#include "exec/cuda/device_halo.h"
}

namespace {

constexpr int batch_moves = 24; /* of 152 bytes each: arguments may have 4 KiB */
constexpr int threads = 256;
constexpr int most_blocks = 128; /* of a batch; no device that runs this holds fewer at once */

/* Arguments of one launch: n moves of one message, or of copies without a mail. A message may take several launches
 * in one stream, and only the last of them counts it. */
struct batch {
    mplan_move move[batch_moves];
    mplan_mail_end mail;
    int n;
    mplan_mail_use use;
    bool last; /* of the message */
};

static_assert(sizeof(batch) <= 4096, "arguments of kernels");

/* --- between devices ----------------------------------------------------------------- */

/* Of a word that another device may store: what that device stored before its release is seen by loads after this
 * one. */
__device__ uint32_t load_acquire(const uint32_t *word)
{
#ifdef __HIP__
    return __hip_atomic_load(word, __ATOMIC_ACQUIRE, __HIP_MEMORY_SCOPE_SYSTEM);
#else
    uint32_t value;
    asm volatile("ld.acquire.sys.global.u32 %0, [%1];" : "=r"(value) : "l"(word) : "memory");
    return value;
#endif
}

/* To memory of another device, or of this one: whoever loads the value with acquire sees all stores before it. */
__device__ void store_release(uint32_t *word, uint32_t value)
{
#ifdef __HIP__
    __hip_atomic_store(word, value, __ATOMIC_RELEASE, __HIP_MEMORY_SCOPE_SYSTEM);
#else
    asm volatile("st.release.sys.global.u32 [%0], %1;" ::"l"(word), "r"(value) : "memory");
#endif
}

/* A clock that goes on at the same rate on all multiprocessors; its zero means nothing. */
__device__ int64_t nanoseconds()
{
#ifdef __HIP__
    return int64_t(wall_clock64()) * 10; /* 100 MHz */
#else
    int64_t now;
    asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(now));
    return now;
#endif
}

/* One thread waits for a message; after a wait that was too long neither it nor later ones wait, and the host is told. */
__device__ void wait_for(const mplan_mail_end &mail, uint32_t number)
{
    if (mplan_mail_is_there(load_acquire(mail.arrived), number))
        return;
    const int64_t begin = nanoseconds();
    while (*static_cast<volatile uint32_t *>(mail.stopped) == 0) {
        if (mplan_mail_is_there(load_acquire(mail.arrived), number))
            return;
        if (nanoseconds() - begin > mail.patience) {
            *static_cast<volatile uint32_t *>(mail.failed) = mail.from_rank + 1;
            *static_cast<volatile uint32_t *>(mail.stopped) = 1;
            __threadfence_system();
        }
    }
}

/* --- moves ------------------------------------------------------------------------------ */

/* Not from a cache that does not see what other devices store. */
template <typename T> __device__ T load_shared(const T *from)
{
#ifdef __HIP__
    return *static_cast<const volatile T *>(from);
#else
    return __ldcg(from);
#endif
}

/* Thread blocks in x share the numbers of a move. */
template <typename T> __device__ void move_numbers(const mplan_move &move, const char *from, char *to)
{
    const int32_t each = move.levels * move.dim;
    const int64_t numbers = move.n * each;
    for (int64_t i = int64_t(blockIdx.x) * threads + threadIdx.x; i < numbers;
         i += int64_t(gridDim.x) * threads) {
        const int64_t k = i / each;
        const int32_t rest = int32_t(i - k * each), j = rest / move.dim, c = rest - j * move.dim;
        *reinterpret_cast<T *>(to + mplan_move_at(&move.to, k, j, c, sizeof(T))) =
            load_shared(reinterpret_cast<const T *>(from +
                                                    mplan_move_at(&move.from, k, j, c, sizeof(T))));
    }
}

/* The last thread block of a message says that it is sent, or was received. */
__device__ void finish(const batch &b, uint32_t number)
{
    if (b.use == MPLAN_MAIL_SEND)
        __threadfence_system(); /* of each thread, for what it stored */
    __syncthreads();
    if (threadIdx.x > 0 || !b.last)
        return;
    if (atomicAdd(b.mail.blocks, 1u) != gridDim.x * gridDim.y - 1)
        return;
    *b.mail.blocks = 0;
    *b.mail.counted = number;
    if (b.use == MPLAN_MAIL_SEND) {
        __threadfence_system();
        store_release(b.mail.arrived, number);
    }
}

/* y counts moves; the thread blocks along x share the numbers of one. A receiver waits for the sender's number first; a
 * sender writes its own behind a fence, by the last thread block that is done. */
__global__ void __launch_bounds__(threads) run_moves(const __grid_constant__ batch b)
{
    uint32_t number = 0;
    int64_t room = 0;
    if (b.use != MPLAN_MAIL_NONE) {
        /* does not change before all thread blocks are in finish() */
        number = *static_cast<volatile uint32_t *>(b.mail.counted) + 1;
        room = mplan_mail_room(&b.mail, number);
    }
    if (b.use == MPLAN_MAIL_RECEIVE) {
        if (threadIdx.x == 0)
            wait_for(b.mail, number);
        __syncthreads();
    }
    if (int(blockIdx.y) < b.n) {
        const mplan_move &move = b.move[blockIdx.y];
        const char *from = move.from.data + (b.use == MPLAN_MAIL_RECEIVE ? room : 0);
        char *to = move.to.data + (b.use == MPLAN_MAIL_SEND ? room : 0);
        switch (move.size) {
        case 1: move_numbers<unsigned char>(move, from, to); break;
        case 2: move_numbers<unsigned short>(move, from, to); break;
        case 4: move_numbers<unsigned int>(move, from, to); break;
        default: move_numbers<unsigned long long>(move, from, to); break;
        }
    }
    if (b.use != MPLAN_MAIL_NONE)
        finish(b, number);
}

/* As many thread blocks for each move as the longest needs, but no more in all than are resident at once. */
dim3 grid_of(const batch &b)
{
    int64_t most = 1;
    for (int i = 0; i < b.n; i++)
        most = std::max(most, b.move[i].n * b.move[i].levels * b.move[i].dim);
    const int64_t rows = std::max(1, b.n), wanted = (most + threads - 1) / threads;
    return dim3(unsigned(std::min<int64_t>(wanted, std::max<int64_t>(1, most_blocks / rows))),
                unsigned(rows));
}

} // namespace

/* The moves go to kernels as arguments, batch_moves at a time. With mail and no move there is one launch, too: the
 * number must go up. */
mplan_status mplan_gpu_moves_run(const mplan_move *moves, int32_t n, mplan_mail_use use,
                                 const mplan_mail_end *mail, void *stream, mplan_error *err)
{
    assert((moves || n == 0) && n >= 0);
    assert(use == MPLAN_MAIL_NONE || mail);
    batch b = {};
    b.use = use;
    if (mail)
        b.mail = *mail;
    for (int32_t first = 0; first < n || (first == 0 && use != MPLAN_MAIL_NONE);
         first += batch_moves) {
        b.n = std::min<int32_t>(batch_moves, n - first);
        std::copy(moves + first, moves + first + b.n, b.move);
        b.last = first + batch_moves >= n;
        run_moves<<<grid_of(b), threads, 0, static_cast<cudaStream_t>(stream)>>>(b);
        MPLAN_CUDA(cudaGetLastError());
    }
    return MPLAN_OK;
}

/* For transports that move memory of the host: in the order of the stream. */
mplan_status mplan_gpu_halo_fetch(void *host, const void *device, int64_t bytes, void *stream,
                                  mplan_error *err)
{
    assert(host && device);
    MPLAN_CUDA(cudaMemcpyAsync(host, device, size_t(bytes), cudaMemcpyDeviceToHost,
                               static_cast<cudaStream_t>(stream)));
    return MPLAN_OK;
}

/* Likewise; the host's memory must stay as it is until the stream comes there. */
mplan_status mplan_gpu_halo_store(void *device, const void *host, int64_t bytes, void *stream,
                                  mplan_error *err)
{
    assert(device && host);
    MPLAN_CUDA(cudaMemcpyAsync(device, host, size_t(bytes), cudaMemcpyHostToDevice,
                               static_cast<cudaStream_t>(stream)));
    return MPLAN_OK;
}

/* What was fetched may be read then, and what was stored may be changed. */
mplan_status mplan_gpu_halo_wait(void *stream, mplan_error *err)
{
    MPLAN_CUDA(cudaStreamSynchronize(static_cast<cudaStream_t>(stream)));
    return MPLAN_OK;
}

/* --- leaves ------------------------------------------------------------------------------- */

namespace {

/* Leaves of elements [first, end), all numbers of each, get what changes nothing. */
template <typename T> __global__ void drop_rows(T *leaves, int64_t n_leaves, int32_t dim,
                                                const int32_t *leaf_of, int64_t first, int64_t end,
                                                T neutral)
{
    const int64_t i = int64_t(blockIdx.x) * blockDim.x + threadIdx.x;
    if (i >= (end - first) * dim)
        return;
    const int64_t e = first + i / dim, c = i % dim;
    leaves[c * n_leaves + (leaf_of ? leaf_of[e] : e)] = neutral;
}

} // namespace

/* Leaves of the elements [first, end), in stored order, become the neutral element, so that other parts' elements do
 * not count. leaf_of: element to leaf; NULL: equal. leaves: dim times n, component by component. */
mplan_status mplan_gpu_drop_leaves(const mplan_gpu_global *global, const int32_t *leaf_of,
                                   int64_t first, int64_t end, const void *neutral, void *stream,
                                   mplan_error *err)
{
    assert(global && neutral);
    const int64_t numbers = (end - first) * global->dim;
    if (numbers == 0)
        return MPLAN_OK;
    const unsigned blocks = unsigned((numbers + threads - 1) / threads);
    const cudaStream_t in = static_cast<cudaStream_t>(stream);
#define DROP(T)                                                                           \
    drop_rows<T><<<blocks, threads, 0, in>>>(static_cast<T *>(global->leaves), global->n, \
                                             global->dim, leaf_of, first, end,            \
                                             *static_cast<const T *>(neutral))
    switch (mplan_type_size(global->type)) {
    case 1: DROP(uint8_t); break;
    case 2: DROP(uint16_t); break;
    case 4: DROP(uint32_t); break;
    default: DROP(unsigned long long); break;
    }
#undef DROP
    MPLAN_CUDA(cudaGetLastError());
    return MPLAN_OK;
}
