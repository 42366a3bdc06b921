/* SPDX-License-Identifier: Apache-2.0 */
/* meshplan_cuda_columns.h - functions of whole columns on a device: a thread for each column
 *
 * Where points are fastest, threads find their numbers side by side. Where levels are, they would load 8 bytes of each
 * sector: there the columns of a thread block are staged in shared memory, if there is room for enough of them. All threads
 * bring them there and back, neighbouring threads neighbouring levels, and one thread for each column runs the function. A
 * tridiagonal solve of C96 x 70 takes 131 us in place of 390 on an H200; points fastest gain nothing, as fewer columns at a
 * time find room than threads.
 *
 * A dat whose levels are the layers of the loop is written in the layers of the column only, and not loaded if the function
 * only writes it; of others all levels are loaded and stored. Columns of neighbours (NEAR) are read where they are. */
#ifndef MESHPLAN_CUDA_COLUMNS_H
#define MESHPLAN_CUDA_COLUMNS_H

#include "meshplan_cuda_levels.h"

namespace mplan_device_layers {

enum { COLUMN_THREADS = 128 };
/* Columns of a thread block, and shared numbers from level to level: odd, so that neighbouring levels are in different banks. */
enum { STAGED_COLUMNS = 8, STAGED_PITCH = 9 };
/* Shared memory of a thread block at most: two of them find room. */
enum { STAGED_BYTES = 100 * 1024 };

template <class L> struct column_loader {
    const device_call<L> &call;
    const place &at;

    template <int A, int dim, typename T, int access, typename V> MPLAN_INLINE void whole(V &view)
    {
        view.at = number_of<T>(call.arg[A], at.e, 0, 0);
        view.level_stride = call.arg[A].level;
        view.component_stride = call.arg[A].component;
    }
    template <int A, int slots, int dim, typename T, typename V>
    MPLAN_INLINE void near(V (&view)[slots])
    {
        typename L::index start[slots];
        load_row<slots>(call.arg[A].starts, at.e, start);
#pragma unroll
        for (int s = 0; s < slots; s++) {
            view[s].at = start[s] < 0 ? nullptr : static_cast<T *>(call.arg[A].data) + start[s];
            view[s].level_stride = call.arg[A].level;
            view[s].component_stride = call.arg[A].component;
        }
    }
    template <int A, int arity, int dim, typename T> MPLAN_INLINE void flat(T (&view)[arity][dim])
    {
        loader<L> load = {call, at};
        load.template flat<A, arity, dim, T>(view);
    }
    template <int A, int dim, typename T> MPLAN_INLINE void own(T (&view)[dim])
    {
        loader<L> load = {call, at};
        load.template own<A, dim, T>(view);
    }
    template <int A, int dim, typename T> MPLAN_INLINE void value(T (&view)[dim])
    {
        loader<L> load = {call, at};
        load.template value<A, dim, T>(view);
    }
};

/* A thread for each column, which finds its numbers where they are. */
template <class L> __global__ void __launch_bounds__(COLUMN_THREADS)
    whole_column_kernel(const __grid_constant__ device_call<L> call)
{
    const int64_t e = int64_t(blockIdx.x) * COLUMN_THREADS + threadIdx.x;
    if (e >= call.n_elements || (call.old_of_new && call.old_of_new[e] < 0))
        return;
    const place at = {int32_t(e), 0};
    typename L::views v;
    layers_of(call, at.e, v.bottom, v.top);
    column_loader<L> load = {call, at};
    L::each(load, v);
    L::run(v, reinterpret_cast<const typename L::parameters *>(call.parameters));
}

/* --- staged columns -------------------------------------------------------------------------------------- */

/* Copies a number to shared memory; it is there after staged_wait(). */
template <typename T> MPLAN_INLINE void stage_number(T *to, const T *from)
{
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 800
    if constexpr (sizeof(T) >= 4) {
        asm volatile("cp.async.ca.shared.global [%0], [%1], %2;" ::
                         "r"(static_cast<uint32_t>(__cvta_generic_to_shared(to))),
                     "l"(from), "n"(sizeof(T))
                     : "memory");
        return;
    }
#endif
    *to = *from;
}
MPLAN_INLINE void staged_wait()
{
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 800
    asm volatile("cp.async.wait_all;" ::: "memory");
#endif
    __syncthreads();
}

/* Shared bytes of an arg's columns: number c of level j of column t is at [(c * levels + j) * STAGED_PITCH + t]. */
template <int dim, typename T> MPLAN_INLINE int32_t staged_bytes(int32_t levels)
{
    return (dim * levels * STAGED_PITCH * int32_t(sizeof(T)) + 15) / 16 * 16;
}

/* Visitors that move columns [first, first + n) between the dats and shared memory, by all threads of the block. OUT: back. */
template <class L, bool OUT> struct column_mover {
    const device_call<L> &call;
    char *shared;
    int32_t first, n, used;

    template <int A, int dim, typename T, int access, typename V> MPLAN_INLINE void whole(V &)
    {
        const device_arg<typename L::index> &arg = call.arg[A];
        T *const staged = reinterpret_cast<T *>(shared + used);
        const bool exact = arg.levels == call.layers;
        used += staged_bytes<dim, T>(arg.levels);
        if (OUT ? access == MPLAN_READ : access == MPLAN_WRITE && exact)
            return;
        const bool members = dim > 1 && arg.component == 1;
        const int32_t inner = members ? dim : 1, all = STAGED_COLUMNS * arg.levels * inner;
#pragma unroll
        for (int c = 0; c < dim; c++)
            if (c < dim / inner)
#pragma unroll 4
                for (int32_t i = threadIdx.x; i < all; i += COLUMN_THREADS)
                    move<A, T>(staged, members ? i / dim : i, members ? i % dim : c, exact);
    }
    /* Number c of place i: level by level, column by column. */
    template <int A, typename T> MPLAN_INLINE void move(T *staged, int32_t i, int32_t c, bool exact)
    {
        const device_arg<typename L::index> &arg = call.arg[A];
        uint32_t t, j;
        arg.by_levels.split(uint32_t(i), t, j);
        if (int32_t(t) >= n)
            return;
        int32_t bottom, top;
        layers_of(call, first + int32_t(t), bottom, top);
        if (exact ? int32_t(j) < bottom || int32_t(j) >= top
                  : call.old_of_new && call.old_of_new[first + t] < 0)
            return;
        T *const far = number_of<T>(arg, first + int32_t(t), int32_t(j), c),
                 *near = staged + (c * arg.levels + int32_t(j)) * STAGED_PITCH + t;
        if (OUT)
            *far = *near;
        else
            stage_number(near, const_cast<const T *>(far));
    }
    template <int A, int slots, int dim, typename T, typename V> MPLAN_INLINE void near(V &)
    {
    }
    MPLAN_LAYERS_IGNORE(flat, int A, int arity, int dim, typename T)
    MPLAN_LAYERS_IGNORE(own, int A, int dim, typename T)
    MPLAN_LAYERS_IGNORE(value, int A, int dim, typename T)
};

/* As column_loader, with the element's own columns in shared memory; t: column of the block. */
template <class L> struct staged_loader : column_loader<L> {
    char *shared;
    int32_t t, used;

    MPLAN_INLINE staged_loader(const device_call<L> &call, const place &at, char *shared, int32_t t)
        : column_loader<L>{call, at}, shared(shared), t(t), used(0)
    {
    }
    template <int A, int dim, typename T, int access, typename V> MPLAN_INLINE void whole(V &view)
    {
        const int32_t levels = this->call.arg[A].levels;
        view.at = reinterpret_cast<T *>(shared + used) + t;
        view.level_stride = STAGED_PITCH;
        view.component_stride = levels * STAGED_PITCH;
        used += staged_bytes<dim, T>(levels);
    }
};

template <class L> __global__ void __launch_bounds__(COLUMN_THREADS)
    staged_column_kernel(const __grid_constant__ device_call<L> call)
{
    extern __shared__ __align__(16) char shared[];
    const int32_t first = int32_t(blockIdx.x) * STAGED_COLUMNS, t = int32_t(threadIdx.x);
    const int32_t left = int32_t(call.n_elements) - first,
                  n = left < STAGED_COLUMNS ? left : STAGED_COLUMNS;
    typename L::views v;
    column_mover<L, false> in = {call, shared, first, n, 0};
    L::each(in, v);
    staged_wait();
    if (t < n && !(call.old_of_new && call.old_of_new[first + t] < 0)) {
        const place at = {first + t, 0};
        layers_of(call, at.e, v.bottom, v.top);
        staged_loader<L> load(call, at, shared, t);
        L::each(load, v);
        L::run(v, reinterpret_cast<const typename L::parameters *>(call.parameters));
    }
    __syncthreads();
    column_mover<L, true> out = {call, shared, first, n, 0};
    L::each(out, v);
}

/* --- launches -------------------------------------------------------------------------------------------- */

/* Shared bytes of a thread block; -1: columns must not be staged, because a dat comes twice. */
template <class L> int64_t staged_bytes_of(const device_call<L> &call)
{
    int64_t bytes = 0;
    for (int a = 0; a < L::n_args; a++) {
        if (L::about[a].kind != MPLAN_LAYER_COLUMN)
            continue;
        for (int b = 0; b < a; b++)
            if (call.arg[a].data == call.arg[b].data)
                return -1;
        bytes += (int64_t(L::about[a].dim) * call.arg[a].levels * STAGED_PITCH *
                      size_of(L::about[a].type) +
                  15) /
                 16 * 16;
    }
    return bytes;
}

/* Staged where shared memory has room for so many thread blocks that some move while others compute. */
template <class L> int launch_staged(const device_call<L> &call, cudaStream_t stream, bool *done)
{
    const int64_t bytes = staged_bytes_of<L>(call);
    *done = bytes > 0 && bytes <= STAGED_BYTES;
    if (!*done)
        return cudaSuccess;
    if (bytes > 48 * 1024) {
        const int code = cudaFuncSetAttribute(reinterpret_cast<const void *>(staged_column_kernel<L>),
                                              cudaFuncAttributeMaxDynamicSharedMemorySize,
                                              int(bytes));
        if (code) { /* a device with less: columns stay where they are */
            *done = false;
            cudaGetLastError();
            return cudaSuccess;
        }
    }
    staged_column_kernel<L>
        <<<grid_of(call.n_elements, STAGED_COLUMNS), COLUMN_THREADS, size_t(bytes), stream>>>(call);
    return cudaGetLastError();
}

template <class L> int launch_whole(const device_call<L> &call, cudaStream_t stream)
{
    bool done = false;
    const int code = call.points_fastest ? cudaSuccess : launch_staged<L>(call, stream, &done);
    if (code || done)
        return code;
    whole_column_kernel<L>
        <<<grid_of(call.n_elements, COLUMN_THREADS), COLUMN_THREADS, 0, stream>>>(call);
    return cudaGetLastError();
}

} // namespace mplan_device_layers

#endif
