/* SPDX-License-Identifier: Apache-2.0 */
/* meshplan_cuda_columns.h - functions of whole columns on a device: a thread for each column
 *
 * Where points are fastest, threads find their numbers side by side. Where levels are, they would load 8 bytes of each
 * sector: there the columns of a thread block are staged in shared memory, if there is room for enough of them. All threads
 * bring them there and back, neighbouring threads neighbouring levels, and one thread for each column runs the function. A
 * tridiagonal solve of C96 x 70 takes 131 us in place of 390 on an H200; columns that lie one behind the other are moved without
 * a division for each number (H100: 145 -> 118, with fewer threads 107; by bulk copies, meshplan_cuda_bulkcolumns.h, 82). Points fastest gain nothing, as fewer columns at a time find room than threads.
 *
 * What the function writes and reads again (KEPT) stays in shared memory while it runs where points are fastest, so that only
 * useful bytes move. Few warps find room, so it gains only where the function loads its next levels before it uses those at
 * hand: such a solve takes 80 us in place of 88, another one 160 (H100). As many columns in each turn of the device, in place of
 * full warps and a short last turn, took 87.
 *
 * A dat whose levels are the layers of the loop is written in the layers of the column only, and not loaded if the function
 * only writes it; of others all levels are loaded and stored. Columns of neighbours (NEAR) are read where they are. */
#ifndef MESHPLAN_CUDA_COLUMNS_H
#define MESHPLAN_CUDA_COLUMNS_H

#include "meshplan_cuda_levels.h"

namespace mplan_device_layers {

enum { COLUMN_THREADS = 128 };
/* Columns of a thread block that are staged, and its threads: few, since only as many as there are columns compute, with all
 * the registers that the function wants (128 threads: 118 us in place of 107 for a tridiagonal solve of C96 x 70 on an H100).
 * Shared memory of a thread block at most: two of them find room. */
enum { STAGED_COLUMNS = 8, STAGED_THREADS = 64, STAGED_BYTES = 100 * 1024 };
/* Columns of a thread block, a warp, of which parts are kept; bytes of a column at most: a processor has room for four warps. */
enum { KEPT_COLUMNS = 32, KEPT_BYTES = 1760 };

constexpr bool is_own_column(mplan_layer_kind kind)
{
    return kind == MPLAN_LAYER_COLUMN || kind == MPLAN_LAYER_KEPT;
}

template <class L> struct column_loader {
    const device_call<L> &call;
    const place &at;

    template <int A, int dim, typename T, int access, typename V> MPLAN_INLINE void whole(V &view)
    {
        view.at = number_of<T>(call.arg[A], at.e, 0, 0);
        view.level_stride = call.arg[A].level;
        view.component_stride = call.arg[A].component;
    }
    template <int A, int dim, typename T, typename V> MPLAN_INLINE void kept(V &view)
    {
        whole<A, dim, T, MPLAN_WRITE>(view);
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
    const int64_t e = call.first + int64_t(blockIdx.x) * COLUMN_THREADS + threadIdx.x;
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

/* Numbers of an arg in a column, and from column to column in shared memory: odd, so that neighbouring columns are in
 * different banks. They lie there as in the dat, members side by side or component by component. */
template <int dim> MPLAN_INLINE int32_t staged_pitch(int32_t levels)
{
    return (dim * levels) | 1;
}
template <int dim, typename T> MPLAN_INLINE int32_t staged_bytes(int32_t levels)
{
    return (staged_pitch<dim>(levels) * STAGED_COLUMNS * int32_t(sizeof(T)) + 15) / 16 * 16;
}
template <int dim, typename I> MPLAN_INLINE bool are_members(const device_arg<I> &arg)
{
    return dim > 1 && arg.component == 1;
}

/* Visitors that move columns [first, first + n) between the dats and shared memory, by all threads of the block. OUT: back. */
template <class L, bool OUT> struct column_mover {
    typedef typename L::index I;
    const device_call<L> &call;
    char *shared;
    int32_t first, n, used;

    template <int A, int dim, typename T, int access, typename V> MPLAN_INLINE void whole(V &)
    {
        const device_arg<I> &arg = call.arg[A];
        T *const staged = reinterpret_cast<T *>(shared + used);
        const bool exact = arg.levels == call.layers, members = are_members<dim>(arg);
        used += staged_bytes<dim, T>(arg.levels);
        if (OUT ? access == MPLAN_READ : access == MPLAN_WRITE && exact)
            return;
        if (members)
            move<A, dim, T>(staged, 0, staged_pitch<dim>(arg.levels), exact);
        else
#pragma unroll
            for (int c = 0; c < dim; c++)
                move<A, 1, T>(staged, c, staged_pitch<dim>(arg.levels), exact);
    }
    template <int A, int dim, typename T, typename V> MPLAN_INLINE void kept(V &view)
    {
        whole<A, dim, T, MPLAN_WRITE>(view);
    }
    /* Component c, or all `inner` components, which lie side by side. */
    template <int A, int inner, typename T>
    MPLAN_INLINE void move(T *staged, int32_t c, int32_t pitch, bool exact)
    {
        const device_arg<I> &arg = call.arg[A];
        if (arg.level == inner && arg.column == inner * arg.levels && !call.ranges &&
            !(OUT && call.old_of_new))
            move_all<A, inner, T>(staged + c * arg.levels, number_of<T>(arg, first, 0, c), pitch);
        else
            move_some<A, inner, T>(staged, c, pitch, exact);
    }
    /* Columns that lie one behind the other: number i, in shared memory with a gap behind each column. */
    template <int A, int inner, typename T> MPLAN_INLINE void move_all(T *near, T *far, int32_t pitch)
    {
        const device_arg<I> &arg = call.arg[A];
        const int32_t gap = pitch - inner * arg.levels, end = n * inner * arg.levels;
#pragma unroll 4
        for (int32_t i = threadIdx.x; i < end; i += STAGED_THREADS) {
            uint32_t t, j;
            arg.by_levels.split(uint32_t(i) / inner, t, j);
            if (OUT)
                far[i] = near[i + int32_t(t) * gap];
            else
                stage_number(near + (i + int32_t(t) * gap), const_cast<const T *>(far + i));
        }
    }
    /* Those levels that the columns have, level by level and column by column. */
    template <int A, int inner, typename T>
    MPLAN_INLINE void move_some(T *staged, int32_t component, int32_t pitch, bool exact)
    {
        const device_arg<I> &arg = call.arg[A];
        for (int32_t i = threadIdx.x; i < n * arg.levels * inner; i += STAGED_THREADS) {
            const int32_t c = inner == 1 ? component : i % inner;
            uint32_t t, j;
            int32_t bottom, top;
            arg.by_levels.split(uint32_t(i) / inner, t, j);
            layers_of(call, first + int32_t(t), bottom, top);
            if (exact ? int32_t(j) < bottom || int32_t(j) >= top
                      : call.old_of_new && call.old_of_new[first + t] < 0)
                continue;
            const int32_t at = inner == 1 ? c * arg.levels + int32_t(j) : int32_t(j) * inner + c;
            T *const far = number_of<T>(arg, first + int32_t(t), int32_t(j), c),
                     *const near = staged + (int32_t(t) * pitch + at);
            if (OUT)
                *far = *near;
            else
                stage_number(near, const_cast<const T *>(far));
        }
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
        const device_arg<typename L::index> &arg = this->call.arg[A];
        const bool members = are_members<dim>(arg);
        view.at = reinterpret_cast<T *>(shared + used) + t * staged_pitch<dim>(arg.levels);
        view.level_stride = members ? dim : 1;
        view.component_stride = members ? 1 : arg.levels;
        used += staged_bytes<dim, T>(arg.levels);
    }
    template <int A, int dim, typename T, typename V> MPLAN_INLINE void kept(V &view)
    {
        whole<A, dim, T, MPLAN_WRITE>(view);
    }
};

template <class L> __global__ void __launch_bounds__(STAGED_THREADS)
    staged_column_kernel(const __grid_constant__ device_call<L> call)
{
    extern __shared__ __align__(16) char shared[];
    const int32_t first = int32_t(call.first) + int32_t(blockIdx.x) * STAGED_COLUMNS,
                  t = int32_t(threadIdx.x);
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

/* --- kept columns ---------------------------------------------------------------------------------------- */

/* As column_loader, with kept columns in shared memory: number c of level j of thread t at [(c * levels + j) * KEPT_COLUMNS
 * + t], which no other thread sees. */
template <class L> struct kept_loader : column_loader<L> {
    char *shared;
    int32_t used;

    MPLAN_INLINE kept_loader(const device_call<L> &call, const place &at, char *shared)
        : column_loader<L>{call, at}, shared(shared), used(0)
    {
    }
    template <int A, int dim, typename T, typename V> MPLAN_INLINE void kept(V &view)
    {
        const int32_t levels = this->call.arg[A].levels;
        view.at = reinterpret_cast<T *>(shared + used) + threadIdx.x;
        view.level_stride = KEPT_COLUMNS;
        view.component_stride = levels * KEPT_COLUMNS;
        used += dim * levels * KEPT_COLUMNS * int32_t(sizeof(T));
    }
};

/* Brings the layers of a kept column to its dat. */
template <class L> struct kept_storer {
    const device_call<L> &call;
    const char *shared;
    int32_t e, bottom, top, used;

    template <int A, int dim, typename T, typename V> MPLAN_INLINE void kept(V &)
    {
        const device_arg<typename L::index> &arg = call.arg[A];
        const T *const from = reinterpret_cast<const T *>(shared + used) + threadIdx.x;
        used += dim * arg.levels * KEPT_COLUMNS * int32_t(sizeof(T));
#pragma unroll
        for (int c = 0; c < dim; c++)
#pragma unroll 8
            for (int32_t j = bottom; j < top; j++)
                *number_of<T>(arg, e, j, c) = from[(c * arg.levels + j) * KEPT_COLUMNS];
    }
    template <int A, int dim, typename T, int access, typename V> MPLAN_INLINE void whole(V &)
    {
    }
    template <int A, int slots, int dim, typename T, typename V> MPLAN_INLINE void near(V &)
    {
    }
    MPLAN_LAYERS_IGNORE(flat, int A, int arity, int dim, typename T)
    MPLAN_LAYERS_IGNORE(own, int A, int dim, typename T)
    MPLAN_LAYERS_IGNORE(value, int A, int dim, typename T)
};

template <class L> __global__ void __launch_bounds__(KEPT_COLUMNS)
    kept_column_kernel(const __grid_constant__ device_call<L> call)
{
    extern __shared__ __align__(16) char shared[];
    const int64_t e = call.first + int64_t(blockIdx.x) * KEPT_COLUMNS + threadIdx.x;
    if (e >= call.n_elements || (call.old_of_new && call.old_of_new[e] < 0))
        return;
    const place at = {int32_t(e), 0};
    typename L::views v;
    layers_of(call, at.e, v.bottom, v.top);
    kept_storer<L> store = {call, shared, at.e, v.bottom, v.top, 0};
    kept_loader<L> load(call, at, shared);
    L::each(load, v);
    L::run(v, reinterpret_cast<const typename L::parameters *>(call.parameters));
    L::each(store, v);
}

/* --- launches -------------------------------------------------------------------------------------------- */

/* Shared bytes of the columns of a thread block, of kept ones or of all; -1: they must stay where they are, because a dat comes
 * twice, or, kept, has levels that the function may leave as they are. */
template <class L> int64_t column_bytes(const device_call<L> &call, bool kept)
{
    int64_t bytes = 0;
    for (int a = 0; a < L::n_args; a++) {
        const int64_t numbers = int64_t(L::about[a].dim) * call.arg[a].levels;
        if (!is_own_column(L::about[a].kind))
            continue;
        for (int b = 0; b < a; b++)
            if (call.arg[a].data == call.arg[b].data)
                return -1;
        if (kept && L::about[a].kind != MPLAN_LAYER_KEPT)
            continue;
        if (kept && call.arg[a].levels != call.layers)
            return -1;
        bytes += ((kept ? numbers * KEPT_COLUMNS : (numbers | 1) * STAGED_COLUMNS) *
                      size_of(L::about[a].type) +
                  15) /
                 16 * 16;
    }
    return bytes;
}

template <class L> constexpr int count_kept()
{
    int kept = 0;
    for (int a = 0; a < L::n_args; a++)
        kept += L::about[a].kind == MPLAN_LAYER_KEPT;
    return kept;
}

/* Lets a kernel have so much shared memory; false: the device has less. */
template <class F> bool grant_shared(F kernel, int64_t bytes)
{
    if (bytes <= 48 * 1024 ||
        !cudaFuncSetAttribute(reinterpret_cast<const void *>(kernel),
                              cudaFuncAttributeMaxDynamicSharedMemorySize, int(bytes)))
        return true;
    cudaGetLastError();
    return false;
}

} // namespace mplan_device_layers

#endif
