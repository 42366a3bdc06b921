/* SPDX-License-Identifier: Apache-2.0 */
/* meshplan_cuda_colour.h - block-colour: points staged in shared memory, added colour by colour
 *
 * Source: Sulyok et al. 2019, section 4. */
#ifndef MESHPLAN_CUDA_COLOUR_H
#define MESHPLAN_CUDA_COLOUR_H

#include "meshplan_cuda_args.h"

namespace mplan {

/* Whether the points of an arg are staged: those of ragged maps, and those that are written, are not. */
template <class L, int A> constexpr bool is_staged = mapped_arg<L, A> && !is_ragged<L, A> &&
                                                     !writes_points<access_of<L, A>>;
template <class L> constexpr bool find_unstaged()
{
    for (int a = 0; a < L::n_args; a++)
        if (L::about[a].map[0] && (L::about[a].ragged || writes_by(L::about[a].access)))
            return true;
    return false;
}
template <class L> constexpr bool has_unstaged = find_unstaged<L>();

/* The other args of an element, in its turn: others of the block may have written their points before. */
template <class L> struct unstaged_loader {
    gather_loader<L> gathers;

    template <int A, int arity, int dim, typename T, int access>
    MPLAN_INLINE void mapped(T (&view)[arity][dim])
    {
        if constexpr (!is_staged<L, A>)
            gathers.template mapped<A, arity, dim, T, access>(view);
    }
    MPLAN_IGNORE_OPPOSITE
    MPLAN_IGNORE_DIRECT
};
template <class L> struct unstaged_storer {
    increment_adder<L, false> adder;

    template <int A, int arity, int dim, typename T, int access>
    MPLAN_INLINE void mapped(T (&view)[arity][dim])
    {
        if constexpr (!is_staged<L, A>)
            adder.template mapped<A, arity, dim, T, access>(view);
    }
    MPLAN_IGNORE_OPPOSITE
    MPLAN_IGNORE_DIRECT
};

/* Where the points of arg A are in shared memory: arg by arg, AoS. */
template <class L, int A>
/* Offset of arg A's sums in shared memory. */
MPLAN_BOTH int64_t stage_at(const mplan_launch_call &call)
{
    if constexpr (A == 0) {
        return 0;
    } else {
        constexpr int64_t bytes = is_staged<L, A - 1> ? member_bytes<L, A - 1> : 0;
        return stage_at<L, A - 1>(call) + MPLAN_WHOLE_LINES(call.arg[A - 1].points_max * bytes);
    }
}

template <class L> struct stager {
    const mplan_launch_call &call;
    unsigned char *shared;
    int64_t block;

    template <int A, int arity, int dim, typename T, int access>
    MPLAN_INLINE void mapped(T (&)[arity][dim])
    {
        if constexpr (is_staged<L, A>)
            stage<A, dim, T, access == MPLAN_READ>();
    }
    template <int A, int dim, typename T> MPLAN_INLINE void opposite(T (&)[dim])
    {
        stage<A, dim, T, false>();
    }
    MPLAN_IGNORE_DIRECT
    template <int A, int dim, typename T, bool read> MPLAN_INLINE void stage()
    {
        const mplan_launch_arg &arg = call.arg[A];
        T *to = reinterpret_cast<T *>(shared + stage_at<L, A>(call));
        int64_t begin = arg.point_offsets[block];
        int n = int(arg.point_offsets[block + 1] - begin);
        for (int k = threadIdx.x; k < n; k += blockDim.x) {
            T value[dim];
#pragma unroll
            for (int c = 0; c < dim; c++)
                value[c] = neutral_of<T, access_of<L, A>>();
            if constexpr (read)
                load_member<L, A, T, dim>(call, arg.points[begin + k], value);
#pragma unroll
            for (int c = 0; c < dim; c++)
                to[k * dim + c] = value[c];
        }
    }
};

/* Views of an element from the staged points. */
template <class L> struct staged_loader {
    const mplan_launch_call &call;
    const unsigned char *shared;
    int64_t position;

    template <int A, int arity, int dim, typename T, int access>
    MPLAN_INLINE void mapped(T (&view)[arity][dim])
    {
        if constexpr (is_staged<L, A>)
            load<A, arity, dim, T, access>(view);
    }
    template <int A, int arity, int dim, typename T, int access>
    MPLAN_INLINE void load(T (&view)[arity][dim])
    {
#pragma unroll
        for (int s = 0; s < arity; s++) {
            int k = access == MPLAN_READ ? call.arg[A].local[position * arity + s] : MPLAN_NONE16;
            const T *from = reinterpret_cast<const T *>(shared + stage_at<L, A>(call)) + k * dim;
#pragma unroll
            for (int c = 0; c < dim; c++)
                view[s][c] = access != MPLAN_READ || (!L::complete && k == MPLAN_NONE16)
                                 ? neutral_of<T, access>()
                                 : from[c];
        }
    }
    template <int A, int dim, typename T> MPLAN_INLINE void opposite(T (&view)[dim])
    {
#pragma unroll
        for (int c = 0; c < dim; c++)
            view[c] = T(0);
    }
    MPLAN_IGNORE_DIRECT
};

template <class L> struct staged_adder {
    const mplan_launch_call &call;
    unsigned char *shared;
    int64_t position;

    template <int A, int arity, int dim, typename T, int access>
    MPLAN_INLINE void mapped(T (&view)[arity][dim])
    {
        if constexpr (adds<access> && is_staged<L, A>) {
#pragma unroll
            for (int s = 0; s < arity; s++)
                add<A, arity, dim, T>(s, view[s], false);
        }
    }
    template <int A, int dim, typename T> MPLAN_INLINE void opposite(T (&view)[dim])
    {
        add<A, 2, dim, T>(0, view, false);
        add<A, 2, dim, T>(1, view, true);
    }
    MPLAN_IGNORE_DIRECT
    template <int A, int arity, int dim, typename T>
    MPLAN_INLINE void add(int s, const T (&value)[dim], bool negative)
    {
        int k = call.arg[A].local[position * arity + s];
        T *to = reinterpret_cast<T *>(shared + stage_at<L, A>(call)) + k * dim;
        if (L::complete || k != MPLAN_NONE16) {
#pragma unroll
            for (int c = 0; c < dim; c++)
                to[c] = combine<access_of<L, A>>(to[c], negative ? -value[c] : value[c]);
        }
    }
};

template <class L> struct staged_writer {
    const mplan_launch_call &call;
    const unsigned char *shared;
    int64_t block;

    template <int A, int arity, int dim, typename T, int access>
    MPLAN_INLINE void mapped(T (&)[arity][dim])
    {
        if constexpr (adds<access> && is_staged<L, A>)
            write<A, dim, T>();
    }
    template <int A, int dim, typename T> MPLAN_INLINE void opposite(T (&)[dim])
    {
        write<A, dim, T>();
    }
    MPLAN_IGNORE_DIRECT
    template <int A, int dim, typename T> MPLAN_INLINE void write()
    {
        const mplan_launch_arg &arg = call.arg[A];
        const T *from = reinterpret_cast<const T *>(shared + stage_at<L, A>(call));
        int64_t begin = arg.point_offsets[block];
        int n = int(arg.point_offsets[block + 1] - begin);
        for (int k = threadIdx.x; k < n; k += blockDim.x) {
            T value[dim];
            bool any = false;
#pragma unroll
            for (int c = 0; c < dim; c++) {
                value[c] = from[k * dim + c];
                any = any || value[c] != neutral_of<T, access_of<L, A>>();
            }
            /* the block's list holds points that it only reads, by other maps, too: blocks of its
             * colour may be adding to those */
            if (any)
                add_member<L, A, false, T, dim>(call, arg.points[begin + k], value);
        }
    }
};

template <class L>
/* Sums are staged, elements added colour by colour, and the block's points
 * written at the end. */
__global__ void block_colour_kernel(const __grid_constant__ mplan_launch_call call, int64_t begin)
{
    extern __shared__ __align__(16) unsigned char shared[];
    begin_kernel();
    int64_t block = call.list[begin + blockIdx.x];
    int64_t first = call.block_offsets[block], n = call.block_offsets[block + 1] - first;
    int colours = call.block_thread_colours[block];
    typename L::views views;
    stager<L> stage = {call, shared, block};
    L::each(stage, views);
    __syncthreads();
    for (int64_t i = threadIdx.x; i - threadIdx.x < n; i += blockDim.x) {
        int own = MPLAN_NONE16;
        int64_t position = first + i, e = -1;
        if (i < n) {
            own = call.thread_colours[position];
            e = call.sequence ? call.sequence[position] : position;
        }
        if (own != MPLAN_NONE16) {
            direct_loader<L> directs = {call, e};
            L::each(directs, views);
            staged_loader<L> gathers = {call, shared, position};
            L::each(gathers, views);
            L::count(views, call, e);
            if constexpr (!has_unstaged<L>)
                L::run(views, parameters_of<L>(call));
            direct_storer<L> storer = {call, e};
            if constexpr (!has_unstaged<L>)
                L::each(storer, views);
        }
        for (int colour = 0; colour < colours; colour++) {
            if (own == colour) {
                if constexpr (has_unstaged<L>) {
                    row_ids<L> ids;
                    row_loader<L, false> rows = {call, e, ids};
                    L::each(rows, views);
                    unstaged_loader<L> loader = {{call, ids}};
                    L::each(loader, views);
                    L::run(views, parameters_of<L>(call));
                    direct_storer<L> storer = {call, e};
                    L::each(storer, views);
                    unstaged_storer<L> unstaged = {{call, ids}};
                    L::each(unstaged, views);
                }
                staged_adder<L> adder = {call, shared, position};
                L::each(adder, views);
            }
            __syncthreads();
        }
    }
    staged_writer<L> writer = {call, shared, block};
    L::each(writer, views);
}

} // namespace mplan

#endif
