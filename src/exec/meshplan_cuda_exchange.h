/* SPDX-License-Identifier: Apache-2.0 */
/* meshplan_cuda_exchange.h - messages between devices, by kernels of their own or by thread blocks of a loop's kernel
 *
 * What moves, mails and tables are, and why nobody waits for ever: meshplan_exchange.h. */
#ifndef MESHPLAN_CUDA_EXCHANGE_H
#define MESHPLAN_CUDA_EXCHANGE_H

#include "meshplan_cuda_ahead.h"
#include "meshplan_exchange.h"
#include "meshplan_gpu.h"

namespace mplan {

/* --- between devices ----------------------------------------------------------------- */

/* Of a word that another device may store: what that device stored before its release is seen by loads after this
 * one, also by those of other threads of the block behind a barrier. */
__device__ __forceinline__ uint32_t load_acquire(const uint32_t *word)
{
#ifdef __HIP__
    return __hip_atomic_load(word, __ATOMIC_ACQUIRE, __HIP_MEMORY_SCOPE_SYSTEM);
#elif defined(MESHPLAN_EMULATED_CUDA_RUNTIME_H)
    return __atomic_load_n(word, __ATOMIC_ACQUIRE);
#else
    uint32_t value;
    asm volatile("ld.acquire.sys.global.u32 %0, [%1];" : "=r"(value) : "l"(word) : "memory");
    return value;
#endif
}

/* To memory of another device, or of this one: whoever loads the value with acquire sees all stores before it. */
__device__ __forceinline__ void store_release(uint32_t *word, uint32_t value)
{
#ifdef __HIP__
    __hip_atomic_store(word, value, __ATOMIC_RELEASE, __HIP_MEMORY_SCOPE_SYSTEM);
#elif defined(MESHPLAN_EMULATED_CUDA_RUNTIME_H)
    __atomic_store_n(word, value, __ATOMIC_RELEASE);
#else
    asm volatile("st.release.sys.global.u32 [%0], %1;" ::"l"(word), "r"(value) : "memory");
#endif
}

/* A clock that goes on at the same rate on all multiprocessors; its zero means nothing. */
__device__ __forceinline__ int64_t nanoseconds()
{
#ifdef __HIP__
    return int64_t(wall_clock64()) * 10; /* 100 MHz */
#elif defined(MESHPLAN_EMULATED_CUDA_RUNTIME_H)
    return emulated::nanoseconds();
#else
    int64_t now;
    asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(now));
    return now;
#endif
}

/* One thread waits for a message; after a wait that was too long neither it nor later ones wait, and the host is told. */
__device__ __forceinline__ void wait_for(const mplan_mail_end &mail, uint32_t number)
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
template <typename T> __device__ __forceinline__ T load_shared(const T *from)
{
#if defined(__HIP__) || defined(MESHPLAN_EMULATED_CUDA_RUNTIME_H)
    return *static_cast<const volatile T *>(from);
#else
    return __ldcg(from);
#endif
}

/* Every step-th number of a move from `first` on. */
template <typename T> __device__ __forceinline__ void move_numbers(const mplan_move &move,
                                                                   const char *from, char *to,
                                                                   int64_t first, int64_t step)
{
    const int32_t each = move.levels * move.dim;
    const int64_t numbers = move.n * each;
    for (int64_t i = first; i < numbers; i += step) {
        const int64_t k = i / each;
        const int32_t rest = int32_t(i - k * each), j = rest / move.dim, c = rest - j * move.dim;
        *reinterpret_cast<T *>(to + mplan_move_at(&move.to, k, j, c, sizeof(T))) =
            load_shared(reinterpret_cast<const T *>(from +
                                                    mplan_move_at(&move.from, k, j, c, sizeof(T))));
    }
}

/* A thread's share of a move, whose message is in the room `room` bytes behind the first. Bits are moved: the size of a
 * number decides, not its type. */
__device__ __forceinline__ void run_move(const mplan_move &move, mplan_mail_use use, int64_t room,
                                         int64_t first, int64_t step)
{
    const char *from = move.from.data + (use == MPLAN_MAIL_RECEIVE ? room : 0);
    char *to = move.to.data + (use == MPLAN_MAIL_SEND ? room : 0);
    switch (move.size) {
    case 1: move_numbers<unsigned char>(move, from, to, first, step); break;
    case 2: move_numbers<unsigned short>(move, from, to, first, step); break;
    case 4: move_numbers<unsigned int>(move, from, to, first, step); break;
    default: move_numbers<unsigned long long>(move, from, to, first, step); break;
    }
}

/* The number of the message at hand. It does not change before all thread blocks of the message are in finish_message. */
__device__ __forceinline__ uint32_t next_number(const mplan_mail_end &mail)
{
    return *static_cast<volatile uint32_t *>(mail.counted) + 1;
}

/* By all threads of each of the n_blocks thread blocks of a message, when they have moved their shares. The last of them says
 * that it is sent, or was received: one thread gets true. */
__device__ __forceinline__ bool finish_message(const mplan_mail_end &mail, bool send,
                                               uint32_t number, unsigned n_blocks)
{
    if (send) /* of each thread, for what it stored */
        __threadfence_system();
    else
        __threadfence();
    __syncthreads();
    if (threadIdx.x > 0 || atomicAdd(mail.blocks, 1u) != n_blocks - 1)
        return false;
    *mail.blocks = 0;
    *mail.counted = number;
    if (send) {
        __threadfence_system();
        store_release(mail.arrived, number);
    }
    return true;
}

/* --- inside the kernel of a loop ---------------------------------------------------------- */

#ifndef __HIP__
/* Thread block `block` of those in front of the loop's own: its share of the messages of one end of a mail. Not inlined, as
 * it would be in every kernel. */
inline __device__ __noinline__ void run_mail_block(const mplan_launch_exchange &x, int block)
{
    const mplan_exchange_table &table = *x.table;
    const mplan_exchange_mail *mail = mplan_exchange_mails(&table);
    const mplan_move *moves = mplan_exchange_moves(&table);
    const bool send = block < table.sending;
    while (block >= mail->first_block + mail->n_blocks)
        mail++;
    const uint32_t number = next_number(mail->end);
    if (!send) {
        if (threadIdx.x == 0)
            wait_for(mail->end, number);
        __syncthreads();
    }
    const int64_t first = int64_t(block - mail->first_block) * blockDim.x + threadIdx.x;
    for (int k = 0; k < mail->n_moves; k++)
        run_move(moves[mail->first_move + k], send ? MPLAN_MAIL_SEND : MPLAN_MAIL_RECEIVE,
                 mplan_mail_room(&mail->end, number), first, int64_t(mail->n_blocks) * blockDim.x);
    if (!finish_message(mail->end, send, number, unsigned(mail->n_blocks)) || send)
        return;
    if (atomicAdd(x.done, 1u) != unsigned(table.n_in) - 1)
        return;
    *x.done = 0;
    __threadfence();
    if (x.waiting > 0) /* the last of those that wait makes it 0 again */
        store_release(x.ready, 1);
}

/* Of a thread block that needs a halo: until all of this rank's halos are there. */
__device__ __forceinline__ void wait_for_halo(const mplan_launch_exchange &x)
{
    if (threadIdx.x == 0) {
        while (*static_cast<volatile uint32_t *>(x.ready) == 0) {
        }
        load_acquire(x.ready);
        if (atomicAdd(x.passed, 1u) == unsigned(x.waiting) - 1) {
            *x.passed = 0; /* for the next launch */
            *static_cast<volatile uint32_t *>(x.ready) = 0;
        }
    }
    __syncthreads();
}

/* In place of begin_kernel at the beginning of a kernel; true: the thread block was one of messages, and is done. */
__device__ __forceinline__ bool is_mail_block(const mplan_launch_exchange &x)
{
    begin_kernel();
    const int block = int(blockIdx.x);
    if (block < x.blocks) {
        run_mail_block(x, block);
        return true;
    }
    if (block >= x.first_waiting && block < x.first_waiting + x.waiting)
        wait_for_halo(x);
    return false;
}

/* Which of the loop's own thread blocks this one is: found again wherever it is asked for, as a register that is kept would
 * be one too many (windows16). */
struct inside_place {
    const mplan_launch_exchange &x;
    __device__ __forceinline__ unsigned block() const
    {
        unsigned place;
#ifdef MESHPLAN_EMULATED_CUDA_RUNTIME_H
        place = blockIdx.x;
#else
        asm volatile("mov.u32 %0, %%ctaid.x;" : "=r"(place));
#endif
        return place + (int(place) < x.first_waiting ? -unsigned(x.blocks)
                        : int(place) < x.first_waiting + x.waiting
                            ? unsigned(x.whole - x.first_waiting)
                            : -unsigned(x.blocks + x.waiting));
    }
};
#endif

/* In kernels of nothing but a loop. */
struct grid_place {
    __device__ __forceinline__ unsigned block() const
    {
        return blockIdx.x;
    }
};

/* Traits of a loop whose halo may come while its kernel runs: data are not read through a cache that does not see that. Nor are
 * they where kernels begin while others store. */
template <class L> struct exchanging : L {
};
template <class L> constexpr bool is_exchanging = launches_ahead;
template <class L> constexpr bool is_exchanging<exchanging<L>> = true;

} // namespace mplan

#endif
