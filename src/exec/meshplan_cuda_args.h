/* SPDX-License-Identifier: Apache-2.0 */
/* meshplan_cuda_args.h - what the list of args says, and how an element's data is loaded and stored
 *
 * A strategy is a functor that visits the list (`each` of the loop's traits L) with
 * the shape of every arg as template parameters. */
#ifndef MESHPLAN_CUDA_ARGS_H
#define MESHPLAN_CUDA_ARGS_H

#include "meshplan_cuda_exchange.h"
#include "meshplan_cuda_traits.h"

namespace mplan {

/* --- numbers of a member ------------------------------------------------------ */

/* Through the read-only cache, unless others may store it while the kernel runs. */
template <bool shared, typename V> MPLAN_INLINE V load_number(const V *from)
{
    if constexpr (shared)
        return *from;
    else
        return __ldg(from);
}

template <typename V, bool shared, typename T, int dim>
/* dim numbers in vectors of type V. */
MPLAN_INLINE void load_vectors(const T *from, T (&to)[dim])
{
    constexpr int n = sizeof(V) / sizeof(T);
#pragma unroll
    for (int i = 0; i < dim / n; i++) {
        V part = load_number<shared>(reinterpret_cast<const V *>(from) + i);
        const T *number = reinterpret_cast<const T *>(&part);
#pragma unroll
        for (int c = 0; c < n; c++)
            to[i * n + c] = number[c];
    }
}

/* Whether a dat is AoS: known, or asked of the call. */
template <class L, int A> MPLAN_INLINE bool is_aos(const mplan_launch_arg &arg)
{
    return layout_of<L, A> == AOS || (layout_of<L, A> == EITHER && arg.stride == 0);
}

template <class L, int A, typename T, int dim>
/* All components of one member, in the widest loads that alignment allows. */
MPLAN_INLINE void load_member(const mplan_launch_call &call, int64_t member, T (&to)[dim])
{
    const mplan_launch_arg &arg = call.arg[A];
    const T *data = static_cast<const T *>(arg.data);
    constexpr bool shared = is_exchanging<L>;
    if (is_aos<L, A>(arg)) {
        const T *from = data + member * dim;
        if constexpr (dim * sizeof(T) % 16 == 0)
            load_vectors<int4, shared>(from, to);
        else if constexpr (dim * sizeof(T) % 8 == 0 && sizeof(T) < 8)
            load_vectors<int2, shared>(from, to);
        else {
#pragma unroll
            for (int c = 0; c < dim; c++)
                to[c] = load_number<shared>(from + c);
        }
    } else {
#pragma unroll
        for (int c = 0; c < dim; c++)
            to[c] = load_number<shared>(data + c * arg.stride + member);
    }
}

/* Place of a number of a member. */
template <class L, int A, typename T, int dim>
MPLAN_INLINE T *place_of(const mplan_launch_call &call, int64_t member, int c)
{
    const mplan_launch_arg &arg = call.arg[A];
    return static_cast<T *>(arg.data) +
           (is_aos<L, A>(arg) ? member * dim + c : c * arg.stride + member);
}

/* Numbers that compare and exchange knows. */
template <size_t size> struct bits_of_size {
    typedef unsigned type;
};
template <> struct bits_of_size<8> {
    typedef unsigned long long type;
};

MPLAN_INLINE void add_atomic(double *to, double value)
{
    atomicAdd(to, value);
}
MPLAN_INLINE void add_atomic(float *to, float value)
{
    atomicAdd(to, value);
}
MPLAN_INLINE void add_atomic(int32_t *to, int32_t value)
{
    atomicAdd(to, value);
}
MPLAN_INLINE void add_atomic(int64_t *to, int64_t value)
{
    atomicAdd(reinterpret_cast<unsigned long long *>(to), static_cast<unsigned long long>(value));
}

/* A number of one or two bytes: the word of four that holds it is exchanged, as long as no other changes it. Memory of
 * dats ends with a whole word. */
template <int access, typename T> MPLAN_INLINE void combine_in_word(T *to, T value)
{
    const uintptr_t at = reinterpret_cast<uintptr_t>(to);
    unsigned *word = reinterpret_cast<unsigned *>(at & ~uintptr_t(3));
    const unsigned shift = 8 * unsigned(at & 3), mask = ((1u << (8 * sizeof(T))) - 1) << shift;
    unsigned before = *reinterpret_cast<volatile unsigned *>(word);
    while (true) {
        const T there = static_cast<T>(before >> shift);
        const T due = combine<access>(there, value);
        if (due == there)
            return;
        const unsigned found = atomicCAS(word, before, (before & ~mask) | (unsigned(due) << shift));
        if (found == before)
            return;
        before = found;
    }
}

/* A number that is compared is exchanged only where it changes what is there, which seldom happens. */
template <int access, typename T> MPLAN_INLINE void combine_atomic(T *to, T value)
{
    if constexpr (sizeof(T) < 4) {
        combine_in_word<access>(to, value);
    } else if constexpr (access == MPLAN_INC) {
        add_atomic(to, value);
    } else {
        typedef typename bits_of_size<sizeof(T)>::type bits;
        bits own, before = *reinterpret_cast<volatile bits *>(to);
        memcpy(&own, &value, sizeof own);
        while (before != own) {
            T there;
            memcpy(&there, &before, sizeof there);
            if (!replaces<access>(there, value))
                return;
            const bits found = atomicCAS(reinterpret_cast<bits *>(to), before, own);
            if (found == before)
                return;
            before = found;
        }
    }
}

template <class L, int A, bool atomic, typename T, int dim>
/* A vector of atomic adds where the device has them. */
MPLAN_INLINE void add_member(const mplan_launch_call &call, int64_t member, const T (&value)[dim])
{
#if __CUDA_ARCH__ >= 900
    if constexpr (atomic && access_of<L, A> == MPLAN_INC && sizeof(T) == 4 && dim % 4 == 0 &&
                  is_float<T>) {
        if (is_aos<L, A>(call.arg[A])) {
#pragma unroll
            for (int c = 0; c < dim; c += 4)
                atomicAdd(reinterpret_cast<float4 *>(place_of<L, A, T, dim>(call, member, c)),
                          make_float4(value[c], value[c + 1], value[c + 2], value[c + 3]));
            return;
        }
    }
#endif
#pragma unroll
    for (int c = 0; c < dim; c++) {
        T *to = place_of<L, A, T, dim>(call, member, c);
        if constexpr (atomic)
            combine_atomic<access_of<L, A>>(to, value[c]);
        else
            *to = combine<access_of<L, A>>(*to, value[c]);
    }
}

/* Whether the sums of arg A are stored: its dat was cleared, and each of its points has one sum. */
template <class L, int A> MPLAN_INLINE bool is_fresh(const mplan_launch_call &call)
{
    return access_of<L, A> == MPLAN_INC && call.arg[A].fresh;
}

/* The same of any arg from A on: then points that no element touches are written, too. */
template <class L, int A = 0> MPLAN_INLINE bool any_fresh(const mplan_launch_call &call)
{
    if constexpr (A == L::n_args)
        return false;
    else
        return is_fresh<L, A>(call) || any_fresh<L, A + 1>(call);
}

/* The only sum that a member gets in this launch, stored or added. any: whether an element touches it. */
template <class L, int A, bool atomic, typename T, int dim>
MPLAN_INLINE void put_member(const mplan_launch_call &call, int64_t member, const T (&value)[dim],
                             bool any)
{
    if (is_fresh<L, A>(call)) {
#pragma unroll
        for (int c = 0; c < dim; c++)
            *place_of<L, A, T, dim>(call, member, c) = value[c];
    } else if (any) {
        add_member<L, A, atomic, T, dim>(call, member, value);
    }
}

/* --- what every strategy does with an element ---------------------------------- */

template <class L> struct row_ids {
    int32_t at[L::n_args][max_arity<L>];
};

/* Rows of the stored maps; args of one map share one load. */
template <class L, bool other_maps_only> struct row_loader {
    const mplan_launch_call &call;
    int64_t e;
    row_ids<L> &ids;

    template <int A, int arity> MPLAN_INLINE void row()
    {
        constexpr int first = map_of<L, A>;
        if constexpr (other_maps_only && incremented_map<L, A>) {
        } else if constexpr (first != A) {
#pragma unroll
            for (int s = 0; s < arity; s++)
                ids.at[A][s] = ids.at[first][s];
        } else {
            const int32_t *row = call.arg[A].rows + e * arity;
            int32_t slots[arity];
            if constexpr (is_ragged<L, A>) {
                const int64_t begin = __ldg(call.arg[A].row_offsets + e);
                const int n = int(__ldg(call.arg[A].row_offsets + e + 1) - begin);
#pragma unroll
                for (int s = 0; s < arity; s++)
                    slots[s] = s < n ? __ldg(call.arg[A].rows + begin + s) : -1;
            } else if constexpr (arity % 4 == 0)
                load_vectors<int4, false>(row, slots);
            else if constexpr (arity % 2 == 0)
                load_vectors<int2, false>(row, slots);
            else {
#pragma unroll
                for (int s = 0; s < arity; s++)
                    slots[s] = __ldg(row + s);
            }
#pragma unroll
            for (int s = 0; s < arity; s++)
                ids.at[A][s] = slots[s];
        }
    }
    template <int A, int arity, int dim, typename T, int access>
    MPLAN_INLINE void mapped(T (&)[arity][dim])
    {
        row<A, arity>();
    }
    template <int A, int dim, typename T> MPLAN_INLINE void opposite(T (&)[dim])
    {
        row<A, 2>();
    }
    MPLAN_IGNORE_DIRECT
};

/* Direct data that is read. */
template <class L> struct direct_loader {
    const mplan_launch_call &call;
    int64_t e;

    MPLAN_IGNORE_MAPPED
    MPLAN_IGNORE_OPPOSITE
    template <int A, int dim, typename T, int access> MPLAN_INLINE void direct(T (&view)[dim])
    {
        if constexpr (access == MPLAN_READ) {
            load_member<L, A, T, dim>(call, is_global<L, A> ? 0 : e, view);
        } else if constexpr (is_global<L, A>) {
#pragma unroll
            for (int c = 0; c < dim; c++)
                view[c] = neutral_of<T, access>();
        } else {
#pragma unroll
            for (int c = 0; c < dim; c++)
                view[c] = access == MPLAN_RW ? *place_of<L, A, T, dim>(call, e, c) : T(0);
        }
    }
};

/* Which maps' data a gather_loader loads. */
enum { ALL_MAPS = 0, OTHER_MAPS = 1, INCREMENTED_MAPS = 2 };

/* Data that is gathered; increments become zero. */
template <class L, int which = ALL_MAPS> struct gather_loader {
    const mplan_launch_call &call;
    const row_ids<L> &ids;

    template <int A> static constexpr bool mine = which == ALL_MAPS ||
                                                  incremented_map<L, A> ==
                                                      (which == INCREMENTED_MAPS);

    template <int A, int arity, int dim, typename T, int access>
    MPLAN_INLINE void mapped(T (&view)[arity][dim])
    {
        if constexpr (mine<A>) {
#pragma unroll
            for (int s = 0; s < arity; s++) {
#pragma unroll
                for (int c = 0; c < dim; c++)
                    view[s][c] = neutral_of<T, access>();
                if (access == MPLAN_READ && has_point<L>(ids.at[A][s]))
                    load_member<L, A, T, dim>(call, ids.at[A][s], view[s]);
                if constexpr (access == MPLAN_RW) /* not cached: others have written it */
                    for (int c = 0; c < dim && has_point<L>(ids.at[A][s]); c++)
                        view[s][c] = *place_of<L, A, T, dim>(call, ids.at[A][s], c);
            }
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

/* Sums of one point, in the first slot of each increment. */
template <class L> struct sum_clearer {
    template <int A, int arity, int dim, typename T, int access>
    MPLAN_INLINE void mapped(T (&view)[arity][dim])
    {
#pragma unroll
        for (int c = 0; c < dim; c++)
            view[0][c] = neutral_of<T, access>();
    }
    template <int A, int dim, typename T> MPLAN_INLINE void opposite(T (&view)[dim])
    {
#pragma unroll
        for (int c = 0; c < dim; c++)
            view[c] = T(0);
    }
    MPLAN_IGNORE_DIRECT
};

/* Direct results. */
template <class L> struct direct_storer {
    const mplan_launch_call &call;
    int64_t e;

    MPLAN_IGNORE_MAPPED
    MPLAN_IGNORE_OPPOSITE
    template <int A, int dim, typename T, int access> MPLAN_INLINE void direct(T (&view)[dim])
    {
        if constexpr (is_global<L, A> && access != MPLAN_READ) {
            const mplan_launch_arg &arg = call.arg[A]; /* a leaf for each element, combined later */
            const int64_t leaf = arg.rows ? arg.rows[e] : e;
#pragma unroll
            for (int c = 0; c < dim; c++)
                static_cast<T *>(arg.scratch)[c * arg.set_size + leaf] = view[c];
        } else if constexpr (access != MPLAN_READ) {
#pragma unroll
            for (int c = 0; c < dim; c++) {
                T *to = place_of<L, A, T, dim>(call, e, c);
                *to = access == MPLAN_INC ? static_cast<T>(*to + view[c]) : view[c];
            }
        }
    }
};

/* What is written through maps, by their rows. */
template <class L> struct point_storer {
    const mplan_launch_call &call;
    const row_ids<L> &ids;

    template <int A, int arity, int dim, typename T, int access>
    MPLAN_INLINE void mapped(T (&view)[arity][dim])
    {
        if constexpr (writes_points<access>) {
#pragma unroll
            for (int s = 0; s < arity; s++)
                for (int c = 0; c < dim && has_point<L>(ids.at[A][s]); c++)
                    *place_of<L, A, T, dim>(call, ids.at[A][s], c) = view[s][c];
        }
    }
    MPLAN_IGNORE_OPPOSITE
    MPLAN_IGNORE_DIRECT
};

/* Increments into the dats. */
template <class L, bool atomic> struct increment_adder {
    const mplan_launch_call &call;
    const row_ids<L> &ids;

    template <int A, int arity, int dim, typename T, int access>
    MPLAN_INLINE void mapped(T (&view)[arity][dim])
    {
        if constexpr (adds<access>) {
#pragma unroll
            for (int s = 0; s < arity; s++)
                if (has_point<L>(ids.at[A][s]))
                    add_member<L, A, atomic, T, dim>(call, ids.at[A][s], view[s]);
        } else {
            point_storer<L> points = {call, ids};
            points.template mapped<A, arity, dim, T, access>(view);
        }
    }
    template <int A, int dim, typename T> MPLAN_INLINE void opposite(T (&view)[dim])
    {
        T negative[dim];
#pragma unroll
        for (int c = 0; c < dim; c++)
            negative[c] = -view[c];
        if (has_point<L>(ids.at[A][0]))
            add_member<L, A, atomic, T, dim>(call, ids.at[A][0], view);
        if (has_point<L>(ids.at[A][1]))
            add_member<L, A, atomic, T, dim>(call, ids.at[A][1], negative);
    }
    MPLAN_IGNORE_DIRECT
};

template <class L> MPLAN_INLINE bool is_hole(const mplan_launch_call &call, int64_t e)
{
    return call.old_of_new && call.old_of_new[e] < 0;
}

template <class L>
MPLAN_INLINE const typename L::parameters *parameters_of(const mplan_launch_call &call)
{
    return reinterpret_cast<const typename L::parameters *>(call.parameters);
}

/* Entries of the row that element e has in the ragged map of arg A. */
template <class L, int A> MPLAN_INLINE int row_length(const mplan_launch_call &call, int64_t e)
{
    return int(__ldg(call.arg[A].row_offsets + e + 1) - __ldg(call.arg[A].row_offsets + e));
}

/* Loads element e, whose rows are stored maps', and runs the function. */
template <class L>
/* Loads everything that element e reads, and runs the kernel's function. */
MPLAN_INLINE void compute(const mplan_launch_call &call, int64_t e, typename L::views &views,
                          row_ids<L> &ids)
{
    row_loader<L, false> rows = {call, e, ids};
    L::each(rows, views);
    direct_loader<L> directs = {call, e};
    L::each(directs, views);
    gather_loader<L> gathers = {call, ids};
    L::each(gathers, views);
    L::count(views, call, e);
    L::run(views, parameters_of<L>(call));
}

} // namespace mplan

#endif
