/* SPDX-License-Identifier: Apache-2.0 */
/* device_halo.cu - moves of members, one thread a number, and mailboxes between devices (device_halo.h)
 *
 * A batch of moves is an argument of the kernel: nothing of the host's memory must stay until the stream gets there, and
 * batches can be captured into graphs. */
#include <algorithm>
#include <cassert>

#include "exec/cuda/device_cuda.h"
#include "exec/meshplan_cuda_exchange.h"

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

/* y counts moves; the thread blocks along x share the numbers of one. A receiver waits for the sender's number first; a
 * sender writes its own behind a fence, by the last thread block that is done. */
__global__ void __launch_bounds__(threads) run_moves(const __grid_constant__ batch b)
{
    const bool send = b.use == MPLAN_MAIL_SEND, receive = b.use == MPLAN_MAIL_RECEIVE;
    const uint32_t number = send || receive ? mplan::next_number(b.mail) : 0;
    if (receive) {
        if (threadIdx.x == 0)
            mplan::wait_for(b.mail, number);
        __syncthreads();
    }
    if (int(blockIdx.y) < b.n)
        mplan::run_move(b.move[blockIdx.y], b.use, mplan_mail_room(&b.mail, number),
                        int64_t(blockIdx.x) * threads + threadIdx.x, int64_t(gridDim.x) * threads);
    if (!b.last) { /* later launches of the message see what this one stored */
        if (send)
            __threadfence_system();
    } else if (send || receive) {
        mplan::finish_message(b.mail, send, number, gridDim.x * gridDim.y);
    }
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
