/* SPDX-License-Identifier: Apache-2.0 */
/* meshplan_kernel_cuda.h - the kernels of a user's function for every strategy, and their launch
 *
 * Included by meshplan_kernel.h in CUDA files. A loop's list of args becomes a
 * traits class whose `each` visits the args with their shapes as template
 * parameters; after inlining, views are registers, and what nobody uses is not
 * computed. Layouts and atomic adds are chosen after tools/gpu/RESULTS.md. */
#ifndef MESHPLAN_KERNEL_CUDA_H
#define MESHPLAN_KERNEL_CUDA_H

#define MPLAN_FN static __device__ __forceinline__

#include "meshplan_cuda_blocks.h"
#include "meshplan_cuda_bounds.h"
#include "meshplan_cuda_colour.h"
#include "meshplan_cuda_elements.h"
#include "meshplan_cuda_inside.h"
#include "meshplan_cuda_owner.h"
#include "meshplan_cuda_weave.h"
#include "meshplan_cuda_windows.h"

namespace mplan {

/* Not for layouts that plans advise where blocks gather. */
template <class L> constexpr bool has_owner_kernels = L::layouts != BLOCK_LAYOUTS &&L::layouts !=
                                                      GATHERED_LAYOUTS;

/* What the range of the launch has of launch k by colours: positions [*begin, *end) of the list. */
inline bool clip_launch(const mplan_launch_call *call, int64_t k, int64_t *begin, int64_t *end)
{
    *begin = call->launch_offsets[k] < call->first ? call->first : call->launch_offsets[k];
    *end = call->launch_offsets[k + 1] > call->end ? call->end : call->launch_offsets[k + 1];
    return *begin < *end;
}

/* Fixed widths of complete maps are unrolled. */
template <class L, int encoding> int launch_owner(const mplan_launch_call *call, cudaStream_t stream)
{
    unsigned grid = grid_of(call->end - call->first, call->threads);
    switch (L::complete ? call->width : 0) {
    case 2:
        start_kernel(owner_gather_kernel < L, encoding, L::complete ? 2 : 0 >, grid, call->threads,
                     0, stream, *call);
        break;
    case 3:
        start_kernel(owner_gather_kernel < L, encoding, L::complete ? 3 : 0 >, grid, call->threads,
                     0, stream, *call);
        break;
    case 4:
        start_kernel(owner_gather_kernel < L, encoding, L::complete ? 4 : 0 >, grid, call->threads,
                     0, stream, *call);
        break;
    default:
        start_kernel(owner_gather_kernel<L, encoding, 0>, grid, call->threads, 0, stream, *call);
    }
    return cudaGetLastError();
}

typedef void (*launch_kernel)(mplan_launch_call);

/* Kernels of windows16: slab by slab, and slabs piece by piece. */
struct windows_kernels {
    launch_kernel plain;
    void (*woven)(mplan_launch_call, woven_blocks);
};

/* Those for rows of a width. */
template <class L, int width> windows_kernels windows_kernels_of(const mplan_launch_call *call)
{
    static const bounds_facts facts = facts_of(windows_bounded_kernel<L, width>,
                                               windows_kernel<L, width>);
    if (call->threads <= BOUNDED_THREADS && takes_bounds(call, facts, BOUNDED_REGISTERS, 0))
        return {windows_bounded_kernel<L, width>, windows_bounded_woven_kernel<L, width>};
    return {windows_kernel<L, width>, windows_woven_kernel<L, width>};
}

/* As launch_owner. Asked before the first launch, which may be captured in a graph. */
template <class L> windows_kernels find_windows_kernels(const mplan_launch_call *call)
{
    if constexpr (L::complete) {
        if (call->owner_by_entry)
            return windows_kernels_of<L, 0>(call);
        if (call->width == 3)
            return windows_kernels_of<L, 3>(call);
        if (call->width == 4)
            return windows_kernels_of<L, 4>(call);
    }
    return windows_kernels_of<L, 0>(call);
}

template <class L> int launch_windows(const mplan_launch_call *call, cudaStream_t stream)
{
    const windows_kernels kernels = find_windows_kernels<L>(call);
    woven_blocks woven;
    if (weave(call, call->threads, &woven))
        start_kernel(kernels.woven, woven_grid(woven), call->threads, 0, stream, *call, woven);
    else
        start_kernel(kernels.plain, grid_of(call->end - call->first, call->threads), call->threads,
                     0, stream, *call);
    return cudaGetLastError();
}

/* The kernel of block-gather that suits the loop. */
template <class L> auto block_gather_of(const mplan_launch_call *call)
    -> decltype(&block_gather_kernel<L>)
{
    if constexpr (adds_columns<L>)
        if (call->columns_apart)
            return call->round ? block_rounds_kernel<L> : block_columns_kernel<L>;
    static const bounds_facts facts = facts_of(block_gather_few_kernel<L>, block_gather_kernel<L>);
    return takes_bounds(call, facts, FEW_REGISTERS, FEW_SPILLED) ? block_gather_few_kernel<L>
                                                                 : block_gather_kernel<L>;
}

/* The sums of points that blocks share, where the call has what comes behind all ranges. */
template <class L> int launch_partials(const mplan_launch_call *call, cudaStream_t stream)
{
    if (call->rest && call->strategy == MPLAN_STRATEGY_BLOCK_GATHER &&
        call->sums == MPLAN_SUMS_PARTIAL && call->n_partial_points > 0)
        start_kernel(partial_kernel<L>, grid_of(call->n_partial_points * partial_lanes<L>, 128),
                     128, 0, stream, *call);
    return cudaGetLastError();
}

/* One launch per colour, or one in all. */
template <class L> int launch_blocks(const mplan_launch_call *call, cudaStream_t stream)
{
    size_t shared = size_t(call->shared_bytes);
    bool colours = call->strategy == MPLAN_STRATEGY_BLOCK_COLOUR || call->sums == MPLAN_SUMS_COLOUR;
    for (int64_t k = 0; k < (colours ? call->n_launches : 1); k++) {
        int64_t begin = call->first, end = call->end;
        if (colours ? !clip_launch(call, k, &begin, &end) : begin == end)
            continue;
        const int64_t blocks = end - begin;
        if (call->strategy == MPLAN_STRATEGY_BLOCK_COLOUR)
            start_kernel(block_colour_kernel<L>, unsigned(blocks),
                         fitting_threads(block_colour_kernel<L>, call->threads), shared, stream,
                         *call, begin);
        else
            start_kernel(block_gather_of<L>(call), unsigned(blocks),
                         fitting_threads(block_gather_of<L>(call), call->threads), shared, stream,
                         *call, begin);
        int code = cudaGetLastError();
        if (code)
            return code;
    }
    return launch_partials<L>(call, stream);
}

template <class L> int64_t shared_bytes(const mplan_launch_call *call)
{
    if (call->strategy == MPLAN_STRATEGY_BLOCK_COLOUR)
        return stage_at<L, L::n_args>(*call);
    if (call->strategy != MPLAN_STRATEGY_BLOCK_GATHER)
        return 0;
    if constexpr (adds_columns<L>)
        if (call->columns_apart)
            return MPLAN_WHOLE_LINES(call->record_bytes_max) +
                   all_sums_bytes<L>(call->block_points_max);
    int64_t n_padded = MPLAN_RECORD_ROWS(int64_t(call->block_limit));
    return MPLAN_WHOLE_LINES(call->record_bytes_max) + all_kept_bytes<L>(n_padded);
}

/* Asks for shared memory beyond 48 KiB. */
template <class L> int prepare_kernels(const mplan_launch_call *call, const char **what)
{
    const void *kernel = nullptr;
    *what = "cudaFuncSetAttribute";
    if (call->strategy == MPLAN_STRATEGY_BLOCK_COLOUR)
        kernel = reinterpret_cast<const void *>(block_colour_kernel<L>);
    else if (call->strategy == MPLAN_STRATEGY_BLOCK_GATHER)
        kernel = reinterpret_cast<const void *>(block_gather_of<L>(call));
    if constexpr (pairwise<L> && has_owner_kernels<L>)
        if (call->encoding == MPLAN_ENCODING_WINDOWS16)
            find_windows_kernels<L>(call);
    return kernel ? raise_shared(kernel, call->shared_bytes) : cudaSuccess;
}

/* The sums of all points, where the call has what comes behind all ranges: one grid as large as the largest incremented set
 * does all args. */
template <class L> int launch_sums(const mplan_launch_call *call, cudaStream_t stream)
{
    int64_t points = 0;
    for (int a = 0; a < L::n_args; a++)
        if (call->arg[a].gather_offsets && call->arg[a].set_size > points)
            points = call->arg[a].set_size;
    if (points == 0 || !call->rest)
        return cudaSuccess;
    start_kernel(gather_kernel<L>, grid_of(points, 256), 256, 0, stream, *call, points);
    return cudaGetLastError();
}

/* First the results of elements first to end, then (call->rest) the sums of all points. The two are in one stream, so the
 * sums see all results. */
template <class L> int launch_two_step(const mplan_launch_call *call, cudaStream_t stream)
{
    if (call->end > call->first) {
        const int threads = fitting_threads(results_kernel<L>, call->threads);
        start_kernel(results_kernel<L>, grid_of(call->end - call->first, threads), threads, 0,
                     stream, *call);
    }
    const int code = cudaGetLastError();
    return code ? code : launch_sums<L>(call, stream);
}

/* By colour, or one launch with atomic adds; of the range. */
template <class L> int launch_elements(const mplan_launch_call *call, cudaStream_t stream)
{
    if (call->end == call->first)
        return cudaSuccess;
    const bool atomic = call->strategy == MPLAN_STRATEGY_ATOMIC;
    const int threads = atomic ? fitting_threads(elements_kernel<L, true>, call->threads)
                               : fitting_threads(elements_kernel<L, false>, call->threads);
    const int64_t per_block = int64_t(threads) * call->elements_per_thread;
    if (atomic && call->weave) {
        const int fitting = fitting_threads(elements_woven_kernel<L>, threads); /* registers differ */
        woven_blocks woven;
        if (weave(call, int64_t(fitting) * call->elements_per_thread, &woven)) {
            start_kernel(elements_woven_kernel<L>, woven_grid(woven), fitting, 0, stream, *call,
                         woven);
            return cudaGetLastError();
        }
    }
    if (atomic) {
        start_kernel(elements_kernel<L, true>, grid_of(call->end - call->first, per_block), threads,
                     0, stream, *call, call->first, call->end);
        return cudaGetLastError();
    }
    for (int64_t k = 0; k < call->n_launches; k++) {
        int64_t begin, end;
        if (!clip_launch(call, k, &begin, &end))
            continue;
        start_kernel(elements_kernel<L, false>, grid_of(end - begin, per_block), threads, 0, stream,
                     *call, begin, end);
        int code = cudaGetLastError();
        if (code)
            return code;
    }
    return cudaSuccess;
}

/* By strategy; returns a cudaError_t. */
template <class L> int launch_loop(const mplan_launch_call *call, cudaStream_t stream)
{
    switch (call->strategy) {
    case MPLAN_STRATEGY_BLOCK_COLOUR:
    case MPLAN_STRATEGY_BLOCK_GATHER: return launch_blocks<L>(call, stream);
    case MPLAN_STRATEGY_TWO_STEP: return launch_two_step<L>(call, stream);
    case MPLAN_STRATEGY_OWNER_GATHER:
        if constexpr (first_increment<L> >= 0 && has_owner_kernels<L>) {
            if (call->end == call->first)
                return cudaSuccess;
            if (call->encoding == MPLAN_ENCODING_INDEX16)
                return launch_owner<L, MPLAN_ENCODING_INDEX16>(call, stream);
            if constexpr (pairwise<L>) {
                if (call->encoding == MPLAN_ENCODING_WINDOWS16)
                    return launch_windows<L>(call, stream);
                if (call->encoding == MPLAN_ENCODING_PAIR32)
                    return launch_owner<L, MPLAN_ENCODING_PAIR32>(call, stream);
            }
            return launch_owner<L, MPLAN_ENCODING_INDEX32>(call, stream);
        }
        return cudaErrorInvalidValue;
    default: return launch_elements<L>(call, stream);
    }
}

/* With messages inside the kernel that reads halos; what comes behind all ranges needs none. */
template <class L>
int launch_exchanging(const mplan_launch_call *call, cudaStream_t stream, bool prepare)
{
    const int code = launch_inside<L>(call, stream, prepare);
    if (code || prepare)
        return code;
    return call->strategy == MPLAN_STRATEGY_TWO_STEP ? launch_sums<L>(call, stream)
                                                     : launch_partials<L>(call, stream);
}

template <class L>
int launch_or_prepare(const mplan_launch_call *call, void *stream, bool prepare, const char **what)
{
    if (call->exchange)
        return launch_exchanging<L>(call, static_cast<cudaStream_t>(stream), prepare);
    if (prepare)
        return prepare_kernels<L>(call, what);
    return call->n_elements == 0 ? int(cudaSuccess)
                                 : launch_loop<L>(call, static_cast<cudaStream_t>(stream));
}

template <class L>
/* By layouts: kernels for the usual ones are compiled with fixed strides. */
int launch(const mplan_launch_call *call, void *stream, bool prepare, const char **what)
{
    *what = L::name;
    known_layouts known = layouts_of_call<L>(*call);
    bool owner = call->strategy == MPLAN_STRATEGY_OWNER_GATHER;
    if (known == OWNER_LAYOUTS)
        return launch_or_prepare<with_layouts<L, OWNER_LAYOUTS>>(call, stream, prepare, what);
    if (known == BLOCK_LAYOUTS && !owner)
        return launch_or_prepare<with_layouts<L, BLOCK_LAYOUTS>>(call, stream, prepare, what);
    if constexpr (gathers_components<L>)
        if (known == GATHERED_LAYOUTS && !owner)
            return launch_or_prepare<with_layouts<L, GATHERED_LAYOUTS>>(call, stream, prepare, what);
    if (known == STRUCTURES)
        return launch_or_prepare<with_layouts<L, STRUCTURES>>(call, stream, prepare, what);
#ifdef MPLAN_KERNELS_BY_COMPONENT /* for measurements (tools/gpu/paper): plans do not advise this */
    if (known == COMPONENTS)
        return launch_or_prepare<with_layouts<L, COMPONENTS>>(call, stream, prepare, what);
#endif
    return launch_or_prepare<with_layouts<L, UNKNOWN_LAYOUTS>>(call, stream, prepare, what);
}

} // namespace mplan

#define MPLAN_PLACE_MAPPED(dat, map, arity, dim, type, access) arg_##dat,
#define MPLAN_PLACE_DIRECT(dat, dim, type, access) arg_##dat,
#define MPLAN_PLACE_OPPOSITE(dat, map, dim, type) arg_##dat,
#define MPLAN_VISIT_MAPPED(dat, map, arity, dim, type, access) \
    f.template mapped<arg_##dat, arity, dim, MPLAN_C_##type, MPLAN_AS_##access>(v.dat);
#define MPLAN_VISIT_DIRECT(dat, dim, type, access) \
    f.template direct<arg_##dat, dim, MPLAN_C_##type, MPLAN_AS_##access>(v.dat);
#define MPLAN_VISIT_OPPOSITE(dat, map, dim, type) \
    f.template opposite<arg_##dat, dim, MPLAN_C_##type>(v.dat);
#define MPLAN_VISIT_TWO_MAPPED(dat, map, arity, dim, type, access) \
    f.template both<arg_##dat, arity, dim, MPLAN_C_##type, MPLAN_AS_##access>(v.dat, w.dat);
#define MPLAN_VISIT_TWO_DIRECT(dat, dim, type, access)
#define MPLAN_VISIT_TWO_OPPOSITE(dat, map, dim, type) \
    f.template both_opposite<arg_##dat, dim, MPLAN_C_##type>(v.dat, w.dat);

#define MPLAN_PLACE_MAPPED_AS(view, dat, map, arity, dim, type, access) arg_##view,
#define MPLAN_PLACE_DIRECT_AS(view, dat, dim, type, access) arg_##view,
#define MPLAN_VISIT_MAPPED_AS(view, dat, map, arity, dim, type, access) \
    MPLAN_VISIT_MAPPED(view, map, arity, dim, type, access)
#define MPLAN_VISIT_DIRECT_AS(view, dat, dim, type, access) \
    MPLAN_VISIT_DIRECT(view, dim, type, access)
#define MPLAN_VISIT_TWO_MAPPED_AS(view, dat, map, arity, dim, type, access) \
    MPLAN_VISIT_TWO_MAPPED(view, map, arity, dim, type, access)
#define MPLAN_VISIT_TWO_DIRECT_AS(view, dat, dim, type, access)

#define MPLAN_PLACE_GLOBAL(dat, dim, type, access) arg_##dat,
#define MPLAN_VISIT_GLOBAL(dat, dim, type, access) MPLAN_VISIT_DIRECT(dat, dim, type, access)
#define MPLAN_VISIT_TWO_GLOBAL(dat, dim, type, access)
#define MPLAN_PLACE_RAGGED(dat, map, most, dim, type, access) arg_##dat,
#define MPLAN_VISIT_RAGGED(dat, map, most, dim, type, access) \
    MPLAN_VISIT_MAPPED(dat, map, most, dim, type, access)
#define MPLAN_VISIT_TWO_RAGGED(dat, map, most, dim, type, access) \
    MPLAN_VISIT_TWO_MAPPED(dat, map, most, dim, type, access)
/* Lengths of rows are asked of ragged maps only. */
#define MPLAN_COUNT_MAPPED(...)
#define MPLAN_COUNT_DIRECT(...)
#define MPLAN_COUNT_OPPOSITE(...)
#define MPLAN_COUNT_MAPPED_AS(...)
#define MPLAN_COUNT_DIRECT_AS(...)
#define MPLAN_COUNT_GLOBAL(...)
#define MPLAN_COUNT_RAGGED(dat, map, most, dim, type, access) \
    v.dat##_n = mplan::row_length<traits, arg_##dat>(call, e);
#define MPLAN_COUNT_ANY(kind, ...) MPLAN_COUNT_##kind(__VA_ARGS__)
#define MPLAN_PLACE_ANY(kind, ...) MPLAN_PLACE_##kind(__VA_ARGS__)
#define MPLAN_VISIT_ANY(kind, ...) MPLAN_VISIT_##kind(__VA_ARGS__)
#define MPLAN_VISIT_TWO_ANY(kind, ...) MPLAN_VISIT_TWO_##kind(__VA_ARGS__)

#define MPLAN_KERNEL_OF(LIST, kernel_name, ARGS, parameters_type)                          \
    namespace {                                                                            \
    struct kernel_name##_traits {                                                          \
        typedef kernel_name##_views views;                                                 \
        typedef parameters_type parameters;                                                \
        static constexpr const char *name = #kernel_name;                                  \
        enum { LIST(ARGS, MPLAN_PLACE_) n_args };                                          \
        static constexpr mplan_kernel_arg about[] = {LIST(ARGS, MPLAN_ABOUT_)};            \
        template <class F> static MPLAN_INLINE void each(F &f, views &v)                   \
        {                                                                                  \
            LIST(ARGS, MPLAN_VISIT_)                                                       \
            (void)f, (void)v;                                                              \
        }                                                                                  \
        template <class F> static MPLAN_INLINE void each_two(F &f, views &v, views &w)     \
        {                                                                                  \
            LIST(ARGS, MPLAN_VISIT_TWO_)                                                   \
            (void)f, (void)v, (void)w;                                                     \
        }                                                                                  \
        static MPLAN_INLINE void count(views &v, const mplan_launch_call &call, int64_t e) \
        {                                                                                  \
            typedef kernel_name##_traits traits;                                           \
            LIST(ARGS, MPLAN_COUNT_)                                                       \
            (void)v, (void)call, (void)e;                                                  \
        }                                                                                  \
        static MPLAN_INLINE void run(views &v, const parameters *p)                        \
        {                                                                                  \
            kernel_name(&v, p);                                                            \
        }                                                                                  \
    };                                                                                     \
    }                                                                                      \
    static_assert(sizeof(parameters_type) <= MPLAN_MAX_PARAMETERS, "too many parameters"); \
    static_assert(int(kernel_name##_traits::n_args) <= MPLAN_MAX_ARGS, "too many args");   \
    static const mplan_kernel_arg kernel_name##_about[] = {LIST(ARGS, MPLAN_ABOUT_)};      \
    extern "C" MPLAN_KERNEL_CONST mplan_kernel kernel_name##_device;                       \
    MPLAN_KERNEL_CONST mplan_kernel kernel_name##_device = {                               \
        #kernel_name,                                                                      \
        int32_t(kernel_name##_traits::n_args),                                             \
        kernel_name##_about,                                                               \
        sizeof(parameters_type),                                                           \
        nullptr,                                                                           \
        mplan::launch<kernel_name##_traits>,                                               \
        mplan::shared_bytes<kernel_name##_traits>};

#endif
