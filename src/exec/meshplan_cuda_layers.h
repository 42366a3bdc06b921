/* SPDX-License-Identifier: Apache-2.0 */
/* meshplan_cuda_layers.h - loops with layers on a device: kernels and launches; included by meshplan_layers.h
 *
 * Threads are flat over (column, layer): chunks of 32 layers would leave a quarter of their lanes idle at 71 levels.
 * owner-gather: meshplan_cuda_ownerlevels.h, meshplan_cuda_lightlevels.h. By blocks: meshplan_cuda_layerblocks.h. atomic: whole columns in a thread block, where the sums of
 * slots one above the other become one add (W0 on an H200: 738 us one by one, 718 combined, 532 and 506 in tiles of 32
 * layers). Colours: whole columns in a thread block, offset by offset. */
#ifndef MESHPLAN_CUDA_LAYERS_H
#define MESHPLAN_CUDA_LAYERS_H

#include "meshplan_cuda_lanecolumns.h"
#include "meshplan_cuda_layerblocks.h"
#include "meshplan_cuda_lightlevels.h"

namespace mplan_device_layers {

/* --- kernels over elements --------------------------------------------------------------------------- */

/* One launch of flat threads: first + thread is (element, layer). Elements without increments, or atomic adds one by one,
 * or two-step's results. */
template <class L, bool results> __global__ void __launch_bounds__(THREADS)
    flat_kernel(const __grid_constant__ device_call<L> call, const divider by, int64_t first,
                int64_t n)
{
    const uint32_t t = blockIdx.x * THREADS + threadIdx.x;
    uint32_t slow, fast;
    if (t >= n * call.layers)
        return;
    by.split(t, slow, fast);
    const place at = {int32_t(first + (call.points_fastest ? fast : slow)),
                      int32_t(call.points_fastest ? slow : fast)};
    int32_t bottom, top;
    layers_of(call, at.e, bottom, top);
    if (at.k < bottom || at.k >= top || !is_there(call, at.e, at.k))
        return;
    typename L::views v;
    compute<L>(call, at, v);
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
    place at = {there ? int32_t(COLOURS ? call.list[first + i] : first + i) : 0,
                int32_t(threadIdx.x) - local * call.layers};
    int32_t bottom, top;
    layers_of(call, at.e, bottom, top);
    const bool on = there && at.k >= bottom && at.k < top && is_there(call, at.e, at.k);
    typename L::views v;
    if (on)
        compute<L>(call, at, v);
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

/* Level j of point p: what two-step's first pass has left of arg `which`, in the order of the point's words. */
template <class L> struct gatherer {
    const device_call<L> &call;
    int32_t which, p, j;

    template <int A, int slots, int dim, typename T, int access>
    MPLAN_INLINE void levels(T (&)[slots][dim])
    {
        if constexpr (adds<access>) {
            if (A != which)
                return;
            const device_arg<typename L::index> &arg = call.arg[A];
            const int64_t apart = call.n_elements * call.layers;
            T sum[dim];
            bool any = false;
#pragma unroll
            for (int c = 0; c < dim; c++)
                sum[c] = mplan::neutral_of<T, access>();
            const uint32_t end = arg.list_start[p + 1];
            for (uint32_t i = arg.list_start[p]; i < end; i++) {
                const uint32_t word = __ldg(arg.list + i);
                const int32_t e = int32_t(word >> call.list_bits),
                              s = int32_t(word & ((1u << call.list_bits) - 1));
                const int32_t up = j - arg.offset[s], k = arg.stride == 1 ? up : up / arg.stride;
                int32_t bottom, top;
                layers_of(call, e, bottom, top);
                if (up < 0 || up != k * arg.stride || k < bottom || k >= top || !is_there(call, e, k))
                    continue;
                const T *from = static_cast<const T *>(arg.scratch) +
                                (s * dim * apart + int64_t(e) * call.layers + k);
                any = true;
#pragma unroll
                for (int c = 0; c < dim; c++)
                    sum[c] = mplan::combine<access>(sum[c], from[c * apart]);
            }
#pragma unroll
            for (int c = 0; c < dim && any; c++) {
                T *to = number_of<T>(arg, p, j, c);
                *to = mplan::combine<access>(*to, sum[c]);
            }
        }
    }
    MPLAN_LAYERS_IGNORE(column, int A, int slots, int dim, typename T, int access)
    MPLAN_LAYERS_IGNORE_READ
};

template <class L> __global__ void __launch_bounds__(THREADS)
    gather_levels_kernel(const __grid_constant__ device_call<L> call, const divider by,
                         int32_t which, int64_t first, int64_t n)
{
    int32_t p, j;
    if (!level_at(call, by, blockIdx.x * THREADS + threadIdx.x, first, n, p, j))
        return;
    gatherer<L> gather = {call, which, p, j};
    typename L::views v;
    L::each(gather, v);
}

/* --- launches -------------------------------------------------------------------------------------------- */

template <class L, bool results> int launch_flat(const device_call<L> &call, cudaStream_t stream)
{
    const int64_t piece = piece_of(call.n_elements, call.layers);
    for (int64_t first = call.first; first < call.n_elements; first += piece) {
        const int64_t n = call.n_elements - first < piece ? call.n_elements - first : piece;
        flat_kernel<L, results>
            <<<grid_of(n * call.layers, THREADS), THREADS, 0, stream>>>(call,
                                                                        divider_of(call.points_fastest
                                                                                       ? n
                                                                                       : call.layers),
                                                                        first, n);
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

/* Two-step's second pass, for the points and levels of each increment. */
template <class L> int launch_gather(const device_call<L> &call, cudaStream_t stream)
{
    for (int a = 0; a < L::n_args; a++) {
        if (!call.arg[a].list_start)
            continue;
        device_call<L> own = call;
        own.n_points = call.arg[a].list_points;
        own.levels = call.arg[a].list_levels;
        const int64_t piece = piece_of(own.n_points, own.levels);
        for (int64_t first = 0; first < own.n_points; first += piece) {
            const int64_t n = own.n_points - first < piece ? own.n_points - first : piece;
            gather_levels_kernel<L>
                <<<grid_of(n * own.levels, THREADS), THREADS, 0, stream>>>(own,
                                                                           divider_of(own.points_fastest
                                                                                          ? n
                                                                                          : own.levels),
                                                                           a, first, n);
        }
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
        return code ? code : launch_gather<L>(call, stream);
    }
    case MPLAN_STRATEGY_BLOCK_COLOUR: return launch_block_colours<L>(from, call, stream);
    case MPLAN_STRATEGY_BLOCK_GATHER: return launch_block_gather<L>(from, call, stream);
    case MPLAN_STRATEGY_OWNER_GATHER:
        if constexpr (L::increment >= 0)
            return launch_gathering<L>(from, call, stream);
        return cudaErrorInvalidValue;
    default: {
        bool pairs = false;
        for (int s = 0; s < L::slots && from->first_increment >= 0; s++)
            pairs = pairs || from->partner[s] >= 0;
        if (pairs && L::slots <= FEW_SLOTS && call.layers <= MOST_THREADS &&
            L::shared_bytes * MOST_THREADS <= 160 * 1024)
            return launch_columns<L, false>(call, call.first, call.n_elements - call.first, stream);
        return launch_flat<L, false>(call, stream);
    }
    }
}

/* Numbers of a dat are counted in 32 bits where those of all dats can be: half as many instructions. WIDE: members that are
 * read through a map and are whole words of 16 bytes lie so in all dats (a choice by the thread, between loads, took 187 us
 * in place of 172 for a flux by component). */
template <class L, typename I, bool WIDE> struct counted : L {
    typedef I index;
    static constexpr bool wide = WIDE;
};

/* Whether there are such members, in the list of args and, with a call, as its dats lie. */
template <class L> constexpr bool is_wide_arg(int a)
{
    return L::about[a].kind == MPLAN_LAYER_LEVELS && L::about[a].access == MPLAN_READ &&
           L::about[a].dim * size_of(L::about[a].type) % 16 == 0;
}
template <class L> constexpr bool find_wide()
{
    for (int a = 0; a < L::n_args; a++)
        if (!L::columns && is_wide_arg<L>(a))
            return true;
    return false;
}
template <class L> bool lies_wide(const mplan_layers_call *from)
{
    for (int a = 0; a < L::n_args; a++)
        if (is_wide_arg<L>(a) && from->arg[a].component != 1)
            return false;
    return true;
}

template <class L> int launch_counted(const mplan_layers_call *from, void *stream)
{
    static_assert(L::slots >= 0 && L::shared_bytes >= 0 && L::sum_bytes >= 0 &&
                      L::matrix < L::n_args && L::matrices >= 0,
                  "of the list of args");
    const device_call<L> call = make_call<L>(*from);
    if constexpr (L::columns) {
        return launch_columns<L>(call, static_cast<cudaStream_t>(stream));
    } else {
        return launch_strategy<L>(from, call, static_cast<cudaStream_t>(stream));
    }
}

template <class L> int launch(const mplan_layers_call *from, void *stream, const char **what)
{
    *what = L::name;
    if (from->n_elements == 0 || from->layers == 0)
        return cudaSuccess;
    if constexpr (find_wide<L>())
        if (lies_wide<L>(from))
            return from->wide ? launch_counted<counted<L, int64_t, true>>(from, stream)
                              : launch_counted<counted<L, int32_t, true>>(from, stream);
    return from->wide ? launch_counted<counted<L, int64_t, false>>(from, stream)
                      : launch_counted<counted<L, int32_t, false>>(from, stream);
}

/* What the list of args says before a kernel is compiled. */
constexpr int first_increment(const mplan_layer_arg *args, int n)
{
    for (int a = 0; a < n; a++)
        if (args[a].kind == MPLAN_LAYER_LEVELS && mplan::adds_by(args[a].access))
            return a;
    return -1;
}
constexpr int count_matrices(const mplan_layer_arg *args, int n)
{
    int matrices = 0;
    for (int a = 0; a < n; a++)
        matrices += args[a].kind == MPLAN_LAYER_MATRIX;
    return matrices;
}
constexpr int first_matrix(const mplan_layer_arg *args, int n)
{
    for (int a = 0; a < n; a++)
        if (args[a].kind == MPLAN_LAYER_MATRIX)
            return a;
    return -1;
}
/* Bytes of the increments of an element's layer, or of one slot of it. */
constexpr int shared_of(const mplan_layer_arg *args, int n, bool one_slot)
{
    int bytes = 0;
    for (int a = 0; a < n; a++)
        if (args[a].kind == MPLAN_LAYER_LEVELS && mplan::adds_by(args[a].access))
            bytes += (one_slot ? 1 : args[a].slots) * args[a].dim * size_of(args[a].type);
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
#define MPLAN_LPLACE_KEPT(view, ...) arg_##view,
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
    f.template whole<arg_##view, dim, MPLAN_C_##type, MPLAN_AS_##access>(v.view);
#define MPLAN_LVISIT_KEPT(view, dat, dim, type) \
    f.template kept<arg_##view, dim, MPLAN_C_##type>(v.view);
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
#define MPLAN_LTWO_KEPT(...)
#define MPLAN_LTWO_NEAR(...)
#define MPLAN_LTWO(kind, ...) MPLAN_LTWO_##kind(__VA_ARGS__)

#define MPLAN_LAYERED_OF(kernel_name, ARGS, parameters_type, layering, is_columns, n_lanes)          \
    namespace {                                                                                      \
    struct kernel_name##_traits {                                                                    \
        typedef kernel_name##_views views;                                                           \
        typedef parameters_type parameters;                                                          \
        static constexpr const char *name = #kernel_name;                                            \
        static constexpr bool columns = is_columns;                                                  \
        static constexpr int lanes = n_lanes; /* of a column */                                      \
        enum { ARGS(MPLAN_LPLACE) n_args };                                                          \
        static constexpr mplan_layer_arg about[] = {ARGS(MPLAN_LABOUT)};                             \
        static constexpr int increment = mplan_device_layers::first_increment(about, n_args);        \
        static constexpr int slots = increment < 0 ? 0 : about[increment < 0 ? 0 : increment].slots; \
        static constexpr int matrices = mplan_device_layers::count_matrices(about, n_args);          \
        static constexpr int matrix = mplan_device_layers::first_matrix(about, n_args);              \
        static constexpr int shared_bytes = mplan_device_layers::shared_of(about, n_args, false);    \
        static constexpr int sum_bytes = mplan_device_layers::shared_of(about, n_args, true);        \
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
    MPLAN_LAYERED_OF(name, ARGS, parameters_type, MPLAN_LAYERING_LAYERS, false, 1)
#define MPLAN_COLUMN_KERNEL(name, ARGS, parameters_type) \
    MPLAN_LAYERED_OF(name, ARGS, parameters_type, MPLAN_LAYERING_COLUMNS, true, 1)
#define MPLAN_LANES_KERNEL(name, ARGS, n_lanes, parameters_type) \
    MPLAN_LAYERED_OF(name, ARGS, parameters_type, MPLAN_LAYERING_COLUMNS, true, n_lanes)

#endif
