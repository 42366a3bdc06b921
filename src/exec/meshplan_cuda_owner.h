/* SPDX-License-Identifier: Apache-2.0 */
/* meshplan_cuda_owner.h - owner-gather: one thread per point recomputes its elements
 *
 * Tables: formats/plan-format.md, section 9. Of an element, only the column of the
 * point is used; what the others would get is not added. */
#ifndef MESHPLAN_CUDA_OWNER_H
#define MESHPLAN_CUDA_OWNER_H

#include "meshplan_cuda_args.h"

namespace mplan {

/* Rows of a slice, as a power of two. CUDA runs slices of a warp's 32 rows, as a constant; a warp of HIP may
 * have 64 lanes, and slices are as the plan says. */
MPLAN_INLINE int slice_bits(const mplan_launch_call &call)
{
#ifdef __HIP__
    return MPLAN_OWNER_SLICE_BITS + (call.owner_slice == MPLAN_OWNER_WIDE_SLICE);
#else
    (void)call;
    return MPLAN_OWNER_SLICE_BITS;
#endif
}
MPLAN_INLINE int slice_rows(const mplan_launch_call &call)
{
    return 1 << slice_bits(call);
}

/* Own point's data, loaded once (pairwise loops). */
template <class L> struct own_loader {
    const mplan_launch_call &call;
    int64_t p;

    template <int A, int arity, int dim, typename T, int access>
    MPLAN_INLINE void mapped(T (&view)[arity][dim])
    {
        if constexpr (access == MPLAN_READ && incremented_map<L, A>)
            load_member<L, A, T, dim>(call, p, view[0]);
    }
    MPLAN_IGNORE_OPPOSITE
    MPLAN_IGNORE_DIRECT
};

/* Gathered data of an element of a pairwise loop: its own point's by selection. */
template <class L> struct pair_loader {
    const mplan_launch_call &call;
    typename L::views &own;
    const row_ids<L> &ids;
    int neighbour; /* -1: none */
    bool second;   /* the own point is the second */
    typename L::views &views;

    template <int A, int arity, int dim, typename T, int access>
    MPLAN_INLINE void both(T (&view)[arity][dim], T (&mine)[arity][dim])
    {
        if constexpr (access == MPLAN_READ && incremented_map<L, A>) {
            T other[dim] = {};
            if (has_point<L>(neighbour))
                load_member<L, A, T, dim>(call, neighbour, other);
#pragma unroll
            for (int c = 0; c < dim; c++) {
                view[0][c] = second ? other[c] : mine[0][c];
                view[1][c] = second ? mine[0][c] : other[c];
            }
        } else {
#pragma unroll
            for (int s = 0; s < arity; s++) {
#pragma unroll
                for (int c = 0; c < dim; c++)
                    view[s][c] = neutral_of<T, access>();
                if (access == MPLAN_READ && has_point<L>(ids.at[A][s]))
                    load_member<L, A, T, dim>(call, ids.at[A][s], view[s]);
            }
        }
    }
    template <int A, int dim, typename T> MPLAN_INLINE void both_opposite(T (&view)[dim], T (&)[dim])
    {
#pragma unroll
        for (int c = 0; c < dim; c++)
            view[c] = T(0);
    }
};

/* The sum, rounded by itself: never one operation with a product that the kernel's function ends in, which would
 * give other bits than two-step's sum of stored increments, or than another encoding's. */
MPLAN_INLINE float rounded_sum(float sum, float value)
{
    return __fadd_rn(sum, value);
}
MPLAN_INLINE double rounded_sum(double sum, double value)
{
    return __dadd_rn(sum, value);
}
template <typename T> MPLAN_INLINE T rounded_sum(T sum, T value)
{
    return sum + value;
}

/* Adds the increments of one column to the sums of the own point. */
template <class L> struct column_adder {
    const mplan_launch_call &call;
    typename L::views &views;
    int column;

    template <int A, int arity, int dim, typename T, int access>
    MPLAN_INLINE void both(T (&view)[arity][dim], T (&sums)[arity][dim])
    {
        if constexpr (adds<access>) {
            int slot = one_increment_map<L> ? column : column - call.arg[A].first_column;
#pragma unroll
            for (int c = 0; c < dim; c++) {
                T own = neutral_of<T, access>();
#pragma unroll
                for (int s = 0; s < arity; s++)
                    own = slot == s ? view[s][c] : own;
                if constexpr (access == MPLAN_INC)
                    sums[0][c] = rounded_sum(sums[0][c], own);
                else
                    sums[0][c] = combine<access>(sums[0][c], own);
            }
        }
    }
    template <int A, int dim, typename T>
    MPLAN_INLINE void both_opposite(T (&view)[dim], T (&sums)[dim])
    {
        if constexpr (one_increment_map<L>) {
            const T side = column == 0 ? T(1) : T(-1); /* exact: a sum or a difference */
#pragma unroll
            for (int c = 0; c < dim; c++)
                sums[c] = rounded_sum(sums[c], side * view[c]);
        } else {
            int slot = column - call.arg[A].first_column;
#pragma unroll
            for (int c = 0; c < dim; c++)
                sums[c] = rounded_sum(sums[c], slot == 0 ? view[c] : slot == 1 ? -view[c] : T(0));
        }
    }
};

/* The own point's sums into the dats: the only adder of the launch. */
template <class L> struct sum_writer {
    const mplan_launch_call &call;
    int64_t p;
    bool any; /* whether an element touches the point */

    template <int A, int arity, int dim, typename T, int access>
    MPLAN_INLINE void mapped(T (&view)[arity][dim])
    {
        if constexpr (adds<access>)
            put_member<L, A, true, T, dim>(call, p, view[0], any);
    }
    template <int A, int dim, typename T> MPLAN_INLINE void opposite(T (&view)[dim])
    {
        put_member<L, A, true, T, dim>(call, p, view, any);
    }
    MPLAN_IGNORE_DIRECT
};

/* First increment column of args A and later whose slot has a point. */
template <class L, int A>
/* The first column of the element's increments that there is: the thread that
 * has it keeps direct results. */
MPLAN_INLINE int first_column_of(const mplan_launch_call &call, const row_ids<L> &ids)
{
    if constexpr (A == L::n_args) {
        return 1 << 30;
    } else {
        int first = first_column_of<L, A + 1>(call, ids);
        if constexpr (is_increment<L, A>) {
            constexpr int arity = arity_of<L, A>;
#pragma unroll
            for (int s = 0; s < arity; s++)
                if (has_point<L>(ids.at[A][s]) && call.arg[A].first_column + s < first)
                    first = call.arg[A].first_column + s;
        }
        return first;
    }
}

/* The element of an entry: its number, column and, in pairwise loops, neighbour. */
struct owner_entry {
    int64_t e;
    int column, neighbour;
    bool there;
};

template <class L, int encoding>
/* Entry at `at`: element and column; there: whether there is one. */
MPLAN_INLINE owner_entry decode(const mplan_launch_call &call, int64_t at, int64_t slice, int64_t p)
{
    owner_entry entry;
    int32_t code;
    if constexpr (encoding == MPLAN_ENCODING_INDEX16) {
        int v = __ldg(static_cast<const uint16_t *>(call.owner_entries) + at);
        int64_t begin = __ldg(call.owner_escape_offsets + slice);
        int escapes = int(__ldg(call.owner_escape_offsets + slice + 1) - begin);
        if (v == MPLAN_NONE16)
            code = -1;
        else if (v >= MPLAN_NONE16 - escapes)
            code = __ldg(call.owner_escapes + begin + MPLAN_INDEX16_ESCAPE(v));
        else
            code = __ldg(call.owner_base + slice) + v;
    } else {
        code = __ldg(static_cast<const int32_t *>(call.owner_entries) + at);
    }
    entry.neighbour = -1;
    if constexpr (encoding == MPLAN_ENCODING_PAIR32) {
        entry.there = code != -1;
        entry.neighbour = int(p) + MPLAN_PAIR_DISTANCE(code);
        int lower = entry.neighbour < int(p) ? entry.neighbour : int(p);
        entry.e = entry.there ? __ldg(call.owner_row_start + lower) + MPLAN_PAIR_RANK(code) : 0;
        entry.column = MPLAN_PAIR_COLUMN(code);
    } else {
        constexpr int single = pairwise<L> ? 2 : 0;
        int columns = single ? single : call.columns;
        entry.there = code >= 0;
        entry.e = entry.there ? code / columns : 0;
        entry.column = code - int(entry.e) * columns;
    }
    return entry;
}

template <class L>
MPLAN_INLINE int row_neighbour(const mplan_launch_call &call, const owner_entry &entry)
{
    constexpr int a = first_increment<L>;
    int2 row = __ldg(reinterpret_cast<const int2 *>(call.arg[a].rows) + entry.e);
    return entry.column ? row.x : row.y;
}

/* Rows of the stored maps that an entry's element needs. Entries that are not there load
 * those of element 0, so that the rows of all entries of a point are under way together. */
template <class L, int encoding>
/* Points of the element; the thread's own point is known already. */
MPLAN_INLINE void load_rows(const mplan_launch_call &call, owner_entry &entry, int64_t p,
                            row_ids<L> &ids)
{
    typename L::views unused;
    if constexpr (pairwise<L>) {
        if constexpr (encoding != MPLAN_ENCODING_PAIR32) {
            if constexpr (reads_incremented_points<L> || writes_directly<L>)
                entry.neighbour = row_neighbour<L>(call, entry);
        } else if (!entry.there) {
            entry.neighbour = int(p);
        }
        row_loader<L, true> rows = {call, entry.e, ids};
        L::each(rows, unused);
    } else {
        row_loader<L, false> rows = {call, entry.e, ids};
        L::each(rows, unused);
    }
}

/* Data of an entry's element. */
template <class L>
/* own: what the thread's point brings, loaded once for all its entries. */
MPLAN_INLINE void load_entry(const mplan_launch_call &call, const owner_entry &entry,
                             typename L::views &own, typename L::views &views, const row_ids<L> &ids)
{
    direct_loader<L> directs = {call, entry.e};
    L::each(directs, views);
    if constexpr (pairwise<L>) {
        pair_loader<L> pairs = {call, own, ids, entry.neighbour, entry.column != 0, views};
        L::each_two(pairs, views, own);
    } else {
        gather_loader<L> gathers = {call, ids};
        L::each(gathers, views);
    }
}

/* Computes the element of an entry that is there, and keeps the column of the own point. */
template <class L>
/* Recomputes the element and adds the column that belongs to the point. */
MPLAN_INLINE void run_entry(const mplan_launch_call &call, const owner_entry &entry,
                            typename L::views &views, const row_ids<L> &ids, typename L::views &sums)
{
    L::count(views, call, entry.e);
    L::run(views, parameters_of<L>(call));
    column_adder<L> adder = {call, views, entry.column};
    L::each_two(adder, views, sums);
    if constexpr (writes_directly<L>) {
        bool first;
        if constexpr (pairwise<L>)
            first = entry.column == 0 || !has_point<L>(entry.neighbour);
        else
            first = first_column_of<L, 0>(call, ids) == entry.column;
        if (first) {
            direct_storer<L> storer = {call, entry.e};
            L::each(storer, views);
            point_storer<L> points = {call, ids};
            L::each(points, views);
        }
    }
}

/* width: of every row of entries; 0: as the call says. */
template <class L, int encoding, int width, class P>
/* One thread per point, rows of a slice side by side. */
MPLAN_INLINE void gather_point(const mplan_launch_call &call, const P &place)
{
    int64_t r = call.first + int64_t(place.block()) * blockDim.x + threadIdx.x,
            slice = r >> slice_bits(call);
    if (r >= call.end)
        return;
    const int64_t lane = r & (slice_rows(call) - 1);
    int64_t p = call.owner_points ? (r & ~int64_t(MPLAN_OWNER_WINDOW - 1)) + call.owner_points[r] : r;
    typename L::views own, sums;
    sum_clearer<L> clearer;
    L::each(clearer, sums);
    if constexpr (pairwise<L>) {
        own_loader<L> loader = {call, p};
        L::each(loader, own);
    }
    bool any = false;
    if constexpr (width > 0) {
        owner_entry entry[width];
        row_ids<L> ids[width];
#pragma unroll
        for (int k = 0; k < width; k++)
            entry[k] = decode<L, encoding>(call, (slice * width + k) * slice_rows(call) + lane,
                                           slice, p);
#pragma unroll
        for (int k = 0; k < width; k++)
            load_rows<L, encoding>(call, entry[k], p, ids[k]);
#pragma unroll
        for (int k = 0; k < width; k++)
            if (entry[k].there) { /* keeps the views of one entry alive at a time */
                typename L::views views;
                any = true;
                load_entry<L>(call, entry[k], own, views, ids[k]);
                run_entry<L>(call, entry[k], views, ids[k], sums);
            }
    } else {
        int64_t begin = slice * call.width;
        int columns = call.width;
        if (columns == 0) {
            begin = __ldg(call.owner_offsets + slice);
            columns = int(__ldg(call.owner_offsets + slice + 1) - begin);
        }
        for (int k = 0; k < columns; k++) {
            owner_entry entry = decode<L, encoding>(call, (begin + k) * slice_rows(call) + lane,
                                                    slice, p);
            if (!entry.there)
                break;
            any = true;
            typename L::views views;
            row_ids<L> ids;
            load_rows<L, encoding>(call, entry, p, ids);
            load_entry<L>(call, entry, own, views, ids);
            run_entry<L>(call, entry, views, ids, sums);
        }
    }
    if (any || any_fresh<L>(call)) {
        sum_writer<L> writer = {call, p, any};
        L::each(writer, sums);
    }
}

template <class L, int encoding, int width>
__global__ void owner_gather_kernel(const __grid_constant__ mplan_launch_call call)
{
    begin_kernel();
    gather_point<L, encoding, width>(call, grid_place{});
}

} // namespace mplan

#endif
