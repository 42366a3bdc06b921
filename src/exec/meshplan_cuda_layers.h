/* SPDX-License-Identifier: Apache-2.0 */
/* meshplan_cuda_layers.h - loops with layers on a device: kernels and launches; included by meshplan_layers.h
 *
 * Threads are flat over (column, layer): chunks of 32 layers would leave a quarter of their lanes idle at 71 levels.
 * owner-gather: a thread for each level of a point; the function is compiled once for each slot, so that only what this
 * slot needs is loaded and computed (of a matrix: one row). atomic: whole columns in a thread block, where the sums of
 * slots one above the other become one add (W0 on an H200: 738 us one by one, 718 combined, 532 and 506 in tiles of 32
 * layers). Colours: whole columns in a thread block, offset by offset. */
#ifndef MESHPLAN_CUDA_LAYERS_H
#define MESHPLAN_CUDA_LAYERS_H

#include "meshplan_cuda_levels.h"

namespace mplan_device_layers {

/* --- kernels over elements --------------------------------------------------------------------------- */

/* One launch of flat threads: first + thread is (element, layer). Elements without increments, or atomic adds one by one,
 * or two-step's results. */
template <class L, bool results> __global__ void __launch_bounds__(THREADS)
    flat_kernel(const __grid_constant__ device_call<L> call, int64_t first, int64_t n)
{
    const uint32_t t = blockIdx.x * THREADS + threadIdx.x;
    if (t >= n * call.layers)
        return;
    const uint32_t width = call.points_fastest ? uint32_t(n) : uint32_t(call.layers);
    const uint32_t slow = t / width, fast = t - slow * width;
    const place<L> at = {int32_t(first + (call.points_fastest ? fast : slow)),
                         int32_t(call.points_fastest ? slow : fast), 0, 0};
    int32_t bottom, top;
    layers_of(call, at.e, bottom, top);
    if (at.k < bottom || at.k >= top)
        return;
    typename L::views v;
    compute<L, -1>(call, at, v);
    if constexpr (results) {
        result_storer<L> store = {call, at};
        L::each(store, v);
    } else {
        adder<L, true> add = {call, at, -1};
        L::each(add, v);
    }
    direct_storer<L> direct = {call, at};
    L::each(direct, v);
}

/* Thread blocks of whole columns: thread is (column of the block, layer). COLOURS: elements of the list, added offset by
 * offset; else sums of slots one above the other are combined. */
template <class L, bool COLOURS>
__global__ void column_block_kernel(const __grid_constant__ device_call<L> call, int64_t first,
                                    int64_t n, int32_t columns)
{
    extern __shared__ __align__(16) char shared[];
    const int32_t local = int32_t(threadIdx.x) / call.layers;
    const int64_t i = int64_t(blockIdx.x) * columns + local;
    const bool there = local < columns && i < n;
    place<L> at = {there ? int32_t(COLOURS ? call.list[first + i] : first + i) : 0,
                   int32_t(threadIdx.x) - local * call.layers, 0, 0};
    int32_t bottom, top;
    layers_of(call, at.e, bottom, top);
    const bool on = there && at.k >= bottom && at.k < top;
    typename L::views v;
    if (on)
        compute<L, -1>(call, at, v);
    if constexpr (COLOURS) {
        for (int32_t i = 0; i < call.phases; i++) {
            if (i > 0)
                __syncthreads();
            adder<L, false> add = {call, at, call.phase[i]};
            if (on)
                L::each(add, v);
        }
    } else {
        combiner<L> combine = {
            call, at, shared, int32_t(threadIdx.x), int32_t(blockDim.x), bottom, top, false, on, 0};
        L::each(combine, v);
        __syncthreads();
        combine.turn = true;
        combine.used = 0;
        L::each(combine, v);
    }
    direct_storer<L> direct = {call, at};
    if (on)
        L::each(direct, v);
}

/* Levels of points: what two-step's first pass has left. */
template <class L> struct gatherer {
    const device_call<L> &call;
    uint32_t t;

    template <int A, int slots, int dim, typename T, int access>
    MPLAN_INLINE void levels(T (&)[slots][dim])
    {
        if constexpr (adds<access>) {
            const device_arg &arg = call.arg[A];
            const int32_t p = int32_t(t / uint32_t(call.levels)),
                          j = int32_t(t - uint32_t(p) * call.levels);
            T sum[dim];
            bool any = false;
#pragma unroll
            for (int c = 0; c < dim; c++)
                sum[c] = mplan::neutral_of<T, access>();
            for (int64_t i = arg.gather_offsets[p]; i < arg.gather_offsets[p + 1]; i++) {
                const int64_t slot = arg.gather_slots[i];
                const int32_t e = int32_t(slot / arg.arity);
                int32_t bottom, top;
                layers_of(call, e, bottom, top);
#pragma unroll
                for (int s = 0; s < slots; s++) {
                    const int32_t up = j - arg.offset[s], k = arg.stride == 1 ? up : up / arg.stride;
                    if (arg.of[s] != int32_t(slot - int64_t(e) * arg.arity) || up < 0 ||
                        up != k * arg.stride || k < bottom || k >= top)
                        continue;
                    any = true;
#pragma unroll
                    for (int c = 0; c < dim; c++)
                        sum[c] =
                            mplan::combine<access>(sum[c],
                                                   static_cast<const T *>(arg.scratch)
                                                       [(s * dim + c) * (call.n_elements * call.layers) +
                                                        int64_t(e) * call.layers + k]);
                }
            }
#pragma unroll
            for (int c = 0; c < dim && any; c++) {
                T *to = number_of<L, T>(arg, p, j, c);
                *to = mplan::combine<access>(*to, sum[c]);
            }
        }
    }
    MPLAN_LAYERS_IGNORE(column, int A, int slots, int dim, typename T, int access)
    MPLAN_LAYERS_IGNORE_READ
};

template <class L> __global__ void __launch_bounds__(THREADS)
    gather_levels_kernel(const __grid_constant__ device_call<L> call, int64_t n)
{
    const uint32_t t = blockIdx.x * THREADS + threadIdx.x;
    if (t >= n)
        return;
    gatherer<L> gather = {call, t};
    typename L::views v;
    L::each(gather, v);
}

/* --- owner-gather -------------------------------------------------------------------------------------- */

/* The sums of a level: one view of each increment, of which only slot 0 is used. */
template <class L> struct clearer {
    template <int A, int slots, int dim, typename T, int access>
    MPLAN_INLINE void levels(T (&view)[slots][dim])
    {
        if constexpr (adds<access>)
#pragma unroll
            for (int c = 0; c < dim; c++)
                view[0][c] = mplan::neutral_of<T, access>();
    }
    MPLAN_LAYERS_IGNORE(column, int A, int slots, int dim, typename T, int access)
    MPLAN_LAYERS_IGNORE_READ
};

/* Adds slot S of one view to slot 0 of another. */
template <class L, int S> struct slot_taker {
    template <int A, int slots, int dim, typename T, int access>
    MPLAN_INLINE void levels(T (&view)[slots][dim], T (&sum)[slots][dim])
    {
        if constexpr (adds<access> && S < slots)
#pragma unroll
            for (int c = 0; c < dim; c++)
                sum[0][c] = mplan::combine<access>(sum[0][c], view[S][c]);
    }
    template <int A, int slots, int dim, typename T, int access, typename V>
    MPLAN_INLINE void column(V &, V &)
    {
    }
    template <int A, int rows, int cols, typename T, typename V> MPLAN_INLINE void matrix(V &, V &)
    {
    }
    template <int A, int arity, int dim, typename T, typename V> MPLAN_INLINE void flat(V &, V &)
    {
    }
    template <int A, int dim, typename T, typename V> MPLAN_INLINE void own(V &, V &)
    {
    }
    template <int A, int dim, typename T, typename V> MPLAN_INLINE void value(V &, V &)
    {
    }
};

/* A point's only thread adds. Components one by one are added as reductions, which wait for nothing (8 % at W0), members
 * side by side are not (twice as slow). Bits are equal. */
template <class L> struct sum_storer {
    const device_call<L> &call;
    int32_t p, j;

    template <int A, int slots, int dim, typename T, int access>
    MPLAN_INLINE void levels(T (&view)[slots][dim])
    {
        if constexpr (adds<access>)
#pragma unroll
            for (int c = 0; c < dim; c++) {
                T *to = number_of<L, T>(call.arg[A], p, j, c);
                if (access == MPLAN_INC && (dim == 1 || call.arg[A].component != 1))
                    mplan::combine_atomic<access>(to, view[0][c]);
                else
                    *to = mplan::combine<access>(*to, view[0][c]);
            }
    }
    MPLAN_LAYERS_IGNORE(column, int A, int slots, int dim, typename T, int access)
    MPLAN_LAYERS_IGNORE_READ
};

/* Slots S, S + 1, ... of the column of an entry: those whose layer is there. */
template <class L, int S> MPLAN_INLINE void take_slots(const device_call<L> &call, place<L> &at,
                                                       int32_t column, int32_t j, bool &any,
                                                       typename L::views &sum)
{
    if constexpr (S < L::slots) {
        const device_arg &arg = call.arg[L::increment];
        if (arg.of[S] == column) {
            const int32_t up = j - arg.offset[S], k = arg.stride == 1 ? up : up / arg.stride;
            int32_t bottom, top;
            layers_of(call, at.e, bottom, top);
            if (up >= 0 && up == k * arg.stride && k >= bottom && k < top) {
                typename L::views v;
                at.k = k;
                compute<L, S>(call, at, v);
                slot_taker<L, S> take;
                L::each_two(take, v, sum);
                any = true;
            }
            at.entry++;
        }
        take_slots<L, S + 1>(call, at, column, j, any, sum);
    }
}

/* Thread t is level j of point p: points [first, first + n). */
template <class L> __global__ void __launch_bounds__(THREADS)
    owner_levels_kernel(const __grid_constant__ device_call<L> call, int64_t first, int64_t n)
{
    const uint32_t t = blockIdx.x * THREADS + threadIdx.x;
    if (t >= n * call.levels)
        return;
    const uint32_t width = call.points_fastest ? uint32_t(n) : uint32_t(call.levels);
    const uint32_t slow = t / width, fast = t - slow * width;
    const int32_t p = int32_t(first + (call.points_fastest ? fast : slow));
    const int32_t j = int32_t(call.points_fastest ? slow : fast);
    place<L> at = {0, 0, typename L::index(p) * call.levels + j, 0};
    bool any = false;
    typename L::views sum;
    clearer<L> clear;
    L::each(clear, sum);
    const int32_t end = call.owner_start[p + 1];
    for (int32_t i = call.owner_start[p]; i < end; i++) {
        const uint32_t entry = call.owner[i];
        at.e = int32_t(entry >> call.owner_bits);
        take_slots<L, 0>(call, at, int32_t(entry & ((1u << call.owner_bits) - 1)), j, any, sum);
    }
    sum_storer<L> store = {call, p, j};
    if (any)
        L::each(store, sum);
}

/* --- whole columns --------------------------------------------------------------------------------------- */

template <class L> struct column_loader {
    const device_call<L> &call;
    const place<L> &at;

    template <int A, int dim, typename T, typename V> MPLAN_INLINE void whole(V &view)
    {
        view.at = number_of<L, T>(call.arg[A], at.e, 0, 0);
        view.level_stride = call.arg[A].level;
        view.component_stride = call.arg[A].component;
    }
    template <int A, int slots, int dim, typename T, typename V>
    MPLAN_INLINE void near(V (&view)[slots])
    {
#pragma unroll
        for (int s = 0; s < slots; s++) {
            const int32_t p = point_of(call.arg[A], at.e, s);
            view[s].at = p < 0 ? nullptr : number_of<L, T>(call.arg[A], p, 0, 0);
            view[s].level_stride = call.arg[A].level;
            view[s].component_stride = call.arg[A].component;
        }
    }
    template <int A, int arity, int dim, typename T> MPLAN_INLINE void flat(T (&view)[arity][dim])
    {
        loader<L, -1> load = {call, at};
        load.template flat<A, arity, dim, T>(view);
    }
    template <int A, int dim, typename T> MPLAN_INLINE void own(T (&view)[dim])
    {
        loader<L, -1> load = {call, at};
        load.template own<A, dim, T>(view);
    }
    template <int A, int dim, typename T> MPLAN_INLINE void value(T (&view)[dim])
    {
        loader<L, -1> load = {call, at};
        load.template value<A, dim, T>(view);
    }
};

template <class L> __global__ void __launch_bounds__(128)
    whole_column_kernel(const __grid_constant__ device_call<L> call)
{
    const int64_t e = int64_t(blockIdx.x) * 128 + threadIdx.x;
    if (e >= call.n_elements || (call.old_of_new && call.old_of_new[e] < 0))
        return;
    const place<L> at = {int32_t(e), 0, 0, 0};
    typename L::views v;
    layers_of(call, e, v.bottom, v.top);
    column_loader<L> load = {call, at};
    L::each(load, v);
    L::run(v, reinterpret_cast<const typename L::parameters *>(call.parameters));
}

/* --- launches -------------------------------------------------------------------------------------------- */

inline unsigned grid_of(int64_t n, int64_t threads)
{
    return unsigned((n + threads - 1) / threads);
}

/* Pieces of so many columns that threads are counted in 32 bits; all at once where columns lie side by side, which is
 * refused beyond that. */
inline int64_t piece_of(int64_t n, int64_t height)
{
    const int64_t most = (int64_t(1) << 31) / height;
    return n < most ? n : most;
}

template <class L, bool results> int launch_flat(const device_call<L> &call, cudaStream_t stream)
{
    const int64_t piece = piece_of(call.n_elements, call.layers);
    for (int64_t first = 0; first < call.n_elements; first += piece) {
        const int64_t n = call.n_elements - first < piece ? call.n_elements - first : piece;
        flat_kernel<L, results>
            <<<grid_of(n * call.layers, THREADS), THREADS, 0, stream>>>(call, first, n);
    }
    return cudaGetLastError();
}

template <class L, bool COLOURS>
int launch_columns(const device_call<L> &call, int64_t first, int64_t n, cudaStream_t stream)
{
    const int32_t columns = call.layers < THREADS ? THREADS / call.layers : 1;
    const unsigned threads = unsigned((columns * call.layers + 31) / 32 * 32);
    const size_t shared = COLOURS ? 0 : size_t(L::shared_bytes) * threads;
    if (threads > MOST_THREADS)
        return cudaErrorInvalidConfiguration;
    if (shared > 48 * 1024) {
        const int code =
            cudaFuncSetAttribute(reinterpret_cast<const void *>(column_block_kernel<L, COLOURS>),
                                 cudaFuncAttributeMaxDynamicSharedMemorySize, int(shared));
        if (code)
            return code;
    }
    column_block_kernel<L, COLOURS>
        <<<grid_of(n, columns), threads, shared, stream>>>(call, first, n, columns);
    return cudaGetLastError();
}

template <class L> int launch_owner(const device_call<L> &call, cudaStream_t stream)
{
    const int64_t piece = piece_of(call.n_points, call.levels);
    for (int64_t first = 0; first < call.n_points; first += piece) {
        const int64_t n = call.n_points - first < piece ? call.n_points - first : piece;
        owner_levels_kernel<L>
            <<<grid_of(n * call.levels, THREADS), THREADS, 0, stream>>>(call, first, n);
    }
    return cudaGetLastError();
}

template <class L>
int launch_strategy(const mplan_layers_call *from, const device_call<L> &call, cudaStream_t stream)
{
    int code = cudaSuccess;
    switch (from->strategy) {
    case MPLAN_STRATEGY_GLOBAL_COLOUR:
        for (int64_t k = 0; k < from->n_launches && !code; k++)
            code = launch_columns<L, true>(call, from->launch_offsets[k],
                                           from->launch_offsets[k + 1] - from->launch_offsets[k],
                                           stream);
        return code;
    case MPLAN_STRATEGY_TWO_STEP: {
        code = launch_flat<L, true>(call, stream);
        const int64_t n = call.n_points * call.levels;
        if (code || n == 0)
            return code;
        if (n >> 32)
            return cudaErrorInvalidValue;
        gather_levels_kernel<L><<<grid_of(n, THREADS), THREADS, 0, stream>>>(call, n);
        return cudaGetLastError();
    }
    case MPLAN_STRATEGY_OWNER_GATHER:
        if constexpr (L::increment >= 0)
            return call.n_points > 0 ? launch_owner<L>(call, stream) : cudaSuccess;
        return cudaErrorInvalidValue;
    default: {
        bool pairs = false;
        for (int s = 0; s < L::slots && from->first_increment >= 0; s++)
            pairs = pairs || from->partner[s] >= 0;
        if (pairs && L::slots <= FEW_SLOTS && call.layers <= MOST_THREADS &&
            L::shared_bytes * MOST_THREADS <= 160 * 1024)
            return launch_columns<L, false>(call, 0, call.n_elements, stream);
        return launch_flat<L, false>(call, stream);
    }
    }
}

/* Numbers of a dat are counted in 32 bits where those of all dats can be: half as many instructions. */
template <class L, typename I> struct counted : L {
    typedef I index;
};

template <class L> int launch_counted(const mplan_layers_call *from, void *stream)
{
    static_assert(L::slots >= 0 && L::shared_bytes >= 0, "of the list of args");
    const device_call<L> call = make_call<L>(*from);
    if constexpr (L::columns) {
        whole_column_kernel<L>
            <<<grid_of(call.n_elements, 128), 128, 0, static_cast<cudaStream_t>(stream)>>>(call);
        return cudaGetLastError();
    } else {
        return launch_strategy<L>(from, call, static_cast<cudaStream_t>(stream));
    }
}

template <class L> int launch(const mplan_layers_call *from, void *stream, const char **what)
{
    *what = L::name;
    if (from->n_elements == 0 || from->layers == 0)
        return cudaSuccess;
    int64_t most = 0;
    for (int a = 0; a < L::n_args; a++)
        most = from->arg[a].numbers > most ? from->arg[a].numbers : most;
    return most >> 31 ? launch_counted<counted<L, int64_t>>(from, stream)
                      : launch_counted<counted<L, int32_t>>(from, stream);
}

/* What the list of args says before a kernel is compiled. */
constexpr int first_increment(const mplan_layer_arg *args, int n)
{
    for (int a = 0; a < n; a++)
        if (args[a].kind == MPLAN_LAYER_LEVELS && mplan::adds_by(args[a].access))
            return a;
    return -1;
}
constexpr int size_of(mplan_type type)
{
    return type == MPLAN_TYPE_F64 || type == MPLAN_TYPE_I64   ? 8
           : type == MPLAN_TYPE_F32 || type == MPLAN_TYPE_I32 ? 4
           : type == MPLAN_TYPE_U16                           ? 2
                                                              : 1;
}
constexpr int shared_of(const mplan_layer_arg *args, int n)
{
    int bytes = 0;
    for (int a = 0; a < n; a++)
        if (args[a].kind == MPLAN_LAYER_LEVELS && mplan::adds_by(args[a].access))
            bytes += args[a].slots * args[a].dim * size_of(args[a].type);
    return bytes;
}

} // namespace mplan_device_layers

#define MPLAN_LPLACE_LEVELS(view, ...) arg_##view,
#define MPLAN_LPLACE_COLUMN(view, ...) arg_##view,
#define MPLAN_LPLACE_MATRIX(view, ...) arg_##view,
#define MPLAN_LPLACE_FLAT(view, ...) arg_##view,
#define MPLAN_LPLACE_OWN(view, ...) arg_##view,
#define MPLAN_LPLACE_VALUE(view, ...) arg_##view,
#define MPLAN_LPLACE_WHOLE(view, ...) arg_##view,
#define MPLAN_LPLACE_NEAR(view, ...) arg_##view,
#define MPLAN_LPLACE(kind, ...) MPLAN_LPLACE_##kind(__VA_ARGS__)

#define MPLAN_LVISIT_LEVELS(view, dat, map, slots, dim, type, access) \
    f.template levels<arg_##view, slots, dim, MPLAN_C_##type, MPLAN_AS_##access>(v.view);
#define MPLAN_LVISIT_COLUMN(view, dat, slots, dim, type, access) \
    f.template column<arg_##view, slots, dim, MPLAN_C_##type, MPLAN_AS_##access>(v.view);
#define MPLAN_LVISIT_MATRIX(view, dat, rows, cols, type) \
    f.template matrix<arg_##view, rows, cols, MPLAN_C_##type>(v.view);
#define MPLAN_LVISIT_FLAT(view, dat, map, arity, dim, type) \
    f.template flat<arg_##view, arity, dim, MPLAN_C_##type>(v.view);
#define MPLAN_LVISIT_OWN(view, dat, dim, type) \
    f.template own<arg_##view, dim, MPLAN_C_##type>(v.view);
#define MPLAN_LVISIT_VALUE(view, dat, dim, type) \
    f.template value<arg_##view, dim, MPLAN_C_##type>(v.view);
#define MPLAN_LVISIT_WHOLE(view, dat, dim, type, access) \
    f.template whole<arg_##view, dim, MPLAN_C_##type>(v.view);
#define MPLAN_LVISIT_NEAR(view, dat, map, slots, dim, type) \
    f.template near<arg_##view, slots, dim, MPLAN_C_##type>(v.view);
#define MPLAN_LVISIT(kind, ...) MPLAN_LVISIT_##kind(__VA_ARGS__)

#define MPLAN_LTWO_LEVELS(view, dat, map, slots, dim, type, access) \
    f.template levels<arg_##view, slots, dim, MPLAN_C_##type, MPLAN_AS_##access>(v.view, w.view);
#define MPLAN_LTWO_COLUMN(...)
#define MPLAN_LTWO_MATRIX(...)
#define MPLAN_LTWO_FLAT(...)
#define MPLAN_LTWO_OWN(...)
#define MPLAN_LTWO_VALUE(...)
#define MPLAN_LTWO_WHOLE(...)
#define MPLAN_LTWO_NEAR(...)
#define MPLAN_LTWO(kind, ...) MPLAN_LTWO_##kind(__VA_ARGS__)

#define MPLAN_LAYERED_OF(kernel_name, ARGS, parameters_type, layering, is_columns)                   \
    namespace {                                                                                      \
    struct kernel_name##_traits {                                                                    \
        typedef kernel_name##_views views;                                                           \
        typedef parameters_type parameters;                                                          \
        static constexpr const char *name = #kernel_name;                                            \
        static constexpr bool columns = is_columns;                                                  \
        enum { ARGS(MPLAN_LPLACE) n_args };                                                          \
        static constexpr mplan_layer_arg about[] = {ARGS(MPLAN_LABOUT)};                             \
        static constexpr int increment = mplan_device_layers::first_increment(about, n_args);        \
        static constexpr int slots = increment < 0 ? 0 : about[increment < 0 ? 0 : increment].slots; \
        static constexpr int shared_bytes = mplan_device_layers::shared_of(about, n_args);           \
        template <class F> static MPLAN_INLINE void each(F &f, views &v)                             \
        {                                                                                            \
            ARGS(MPLAN_LVISIT)                                                                       \
            (void)f, (void)v;                                                                        \
        }                                                                                            \
        template <class F> static MPLAN_INLINE void each_two(F &f, views &v, views &w)               \
        {                                                                                            \
            ARGS(MPLAN_LTWO)                                                                         \
            (void)f, (void)v, (void)w;                                                               \
        }                                                                                            \
        static MPLAN_INLINE void run(views &v, const parameters *p)                                  \
        {                                                                                            \
            kernel_name(&v, p);                                                                      \
        }                                                                                            \
    };                                                                                               \
    }                                                                                                \
    static_assert(sizeof(parameters_type) <= MPLAN_MAX_PARAMETERS, "too many parameters");           \
    static_assert(int(kernel_name##_traits::n_args) <= MPLAN_LAYER_ARGS, "too many args");           \
    static const mplan_layer_arg kernel_name##_about[] = {ARGS(MPLAN_LABOUT)};                       \
    extern "C" MPLAN_KERNEL_CONST mplan_layer_kernel kernel_name##_device;                           \
    MPLAN_KERNEL_CONST mplan_layer_kernel kernel_name##_device = {                                   \
        #kernel_name,                                                                                \
        layering,                                                                                    \
        int32_t(kernel_name##_traits::n_args),                                                       \
        kernel_name##_about,                                                                         \
        sizeof(parameters_type),                                                                     \
        nullptr,                                                                                     \
        mplan_device_layers::launch<kernel_name##_traits>};

#define MPLAN_LAYER_KERNEL(name, ARGS, parameters_type) \
    MPLAN_LAYERED_OF(name, ARGS, parameters_type, MPLAN_LAYERING_LAYERS, false)
#define MPLAN_COLUMN_KERNEL(name, ARGS, parameters_type) \
    MPLAN_LAYERED_OF(name, ARGS, parameters_type, MPLAN_LAYERING_COLUMNS, true)

#endif
