/* SPDX-License-Identifier: Apache-2.0 */
/* meshplan_cuda_elements.h - strategies that run over elements: global-colour, atomic, two-step
 *
 * Sources: Sulyok et al. 2019, section 3; the temporary array of LULESH and miniAero. */
#ifndef MESHPLAN_CUDA_ELEMENTS_H
#define MESHPLAN_CUDA_ELEMENTS_H

#include "meshplan_cuda_args.h"
#include "meshplan_cuda_weave.h"

namespace mplan {

/* --- global-colour and atomic ---------------------------------------------------- */

template <class L, bool atomic, class P>
/* Elements [begin, end) of the list, or of the stored order. */
MPLAN_INLINE void run_elements(const mplan_launch_call &call, int64_t begin, int64_t end,
                               const P &place)
{
    int64_t first = begin + int64_t(place.block()) * blockDim.x * call.elements_per_thread +
                    threadIdx.x;
    for (int k = 0; k < call.elements_per_thread; k++) {
        int64_t i = first + int64_t(k) * blockDim.x;
        if (i >= end)
            return;
        int64_t e = call.list ? call.list[i] : i;
        if (is_hole<L>(call, e))
            continue;
        typename L::views views;
        row_ids<L> ids;
        compute<L>(call, e, views, ids);
        increment_adder<L, atomic> adder = {call, ids};
        L::each(adder, views);
        direct_storer<L> storer = {call, e};
        L::each(storer, views);
    }
}

template <class L, bool atomic>
__global__ void elements_kernel(const __grid_constant__ mplan_launch_call call, int64_t begin,
                                int64_t end)
{
    begin_kernel();
    run_elements<L, atomic>(call, begin, end, grid_place{});
}

/* Atomic, slabs piece by piece. */
template <class L>
__global__ void elements_woven_kernel(const __grid_constant__ mplan_launch_call call,
                                      const __grid_constant__ woven_blocks woven)
{
    begin_kernel();
    run_elements<L, true>(call, call.first, call.end, woven_place(woven));
}

/* --- two-step -------------------------------------------------------------------- */

/* Results of the slots, row by row as the stored map; of opposite ones only the first. What is written once goes to its
 * points. */
template <class L> struct result_storer {
    const mplan_launch_call &call;
    int64_t e;
    const row_ids<L> &ids;

    template <int A, int arity, int dim, typename T, int access>
    MPLAN_INLINE void mapped(T (&view)[arity][dim])
    {
        if constexpr (adds<access>) {
            T *to = static_cast<T *>(call.arg[A].scratch) + e * (arity * dim);
            int n = arity;
            if constexpr (is_ragged<L, A>) { /* as the map holds its entries */
                to = static_cast<T *>(call.arg[A].scratch) + call.arg[A].row_offsets[e] * dim;
                n = row_length<L, A>(call, e);
            }
#pragma unroll
            for (int s = 0; s < arity; s++)
#pragma unroll
                for (int c = 0; c < dim; c++)
                    if (s < n)
                        to[s * dim + c] = view[s][c];
        } else {
            point_storer<L> points = {call, ids};
            points.template mapped<A, arity, dim, T, access>(view);
        }
    }
    template <int A, int dim, typename T> MPLAN_INLINE void opposite(T (&view)[dim])
    {
        T *to = static_cast<T *>(call.arg[A].scratch) + e * dim;
#pragma unroll
        for (int c = 0; c < dim; c++)
            to[c] = view[c];
    }
    MPLAN_IGNORE_DIRECT
};

template <class L, class P>
/* First step of two-step: results of every slot. */
MPLAN_INLINE void store_results(const mplan_launch_call &call, const P &place)
{
    int64_t e = call.first + int64_t(place.block()) * blockDim.x + threadIdx.x;
    if (e >= call.end || is_hole<L>(call, e))
        return;
    typename L::views views;
    row_ids<L> ids;
    compute<L>(call, e, views, ids);
    result_storer<L> results = {call, e, ids};
    L::each(results, views);
    direct_storer<L> storer = {call, e};
    L::each(storer, views);
}

template <class L> __global__ void results_kernel(const __grid_constant__ mplan_launch_call call)
{
    begin_kernel();
    store_results<L>(call, grid_place{});
}

/* Sums of point p, one arg after the other. */
template <class L> struct result_gatherer {
    const mplan_launch_call &call;
    int64_t p, n_points;

    template <int A, int arity, int dim, typename T, int access>
    MPLAN_INLINE void mapped(T (&)[arity][dim])
    {
        if constexpr (adds<access>)
            gather<A, dim, T, false>();
    }
    template <int A, int dim, typename T> MPLAN_INLINE void opposite(T (&)[dim])
    {
        gather<A, dim, T, true>();
    }
    MPLAN_IGNORE_DIRECT
    template <int A, int dim, typename T, bool sign> MPLAN_INLINE void gather()
    {
        const mplan_launch_arg &arg = call.arg[A];
        if (!arg.gather_offsets || p >= arg.set_size)
            return;
        int64_t begin = arg.gather_offsets[p], end = arg.gather_offsets[p + 1];
        T sum[dim];
#pragma unroll
        for (int c = 0; c < dim; c++)
            sum[c] = neutral_of<T, access_of<L, A>>();
        for (int64_t i = begin; i < end; i++) {
            int64_t slot = arg.gather_slots[i];
            const T *from = static_cast<const T *>(arg.scratch) + (sign ? slot >> 1 : slot) * dim;
            bool negative = sign && (slot & 1);
#pragma unroll
            for (int c = 0; c < dim; c++)
                sum[c] = combine<access_of<L, A>>(sum[c], negative ? -from[c] : from[c]);
        }
        put_member<L, A, false, T, dim>(call, p, sum, end > begin);
    }
};

template <class L>
/* Second step: n points. */
__global__ void gather_kernel(const __grid_constant__ mplan_launch_call call, int64_t n)
{
    begin_kernel();
    int64_t p = int64_t(blockIdx.x) * blockDim.x + threadIdx.x;
    if (p >= n)
        return;
    typename L::views unused;
    result_gatherer<L> gatherer = {call, p, n};
    L::each(gatherer, unused);
}

} // namespace mplan

#endif
