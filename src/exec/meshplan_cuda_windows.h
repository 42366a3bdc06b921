/* SPDX-License-Identifier: Apache-2.0 */
/* meshplan_cuda_windows.h - owner-gather in windows16: a row's entries tell all that they lead to
 *
 * Tables: formats/plan-format.md, section 9. A slice is a warp. Its lanes hold the slice's words, twice in 32
 * lanes, and get the first member of a window from a lane of their 32 that has it, so that no number waits for
 * a second load. */
#ifndef MESHPLAN_CUDA_WINDOWS_H
#define MESHPLAN_CUDA_WINDOWS_H

#include "meshplan_cuda_owner.h"
#include "meshplan_cuda_weave.h"

namespace mplan {

template <class L> constexpr bool find_reads_element()
{
    for (int a = 0; a < L::n_args; a++)
        if (!L::about[a].map[0] && !(L::about[a].global && L::about[a].access == MPLAN_READ))
            return true;
    return false;
}

/* Slots of the maps by which nothing is incremented, each map once. */
template <class L> constexpr int find_other_slots()
{
    int n = 0;
    for (int a = 0; a < L::n_args; a++)
        if (L::about[a].map[0] && !find_incremented_map<L>(a) && find_map_of<L>(a) == a)
            n += L::about[a].arity;
    return n;
}
template <class L> constexpr int element_fields = find_reads_element<L>() ? 1 : 0;
template <class L> constexpr int entry_fields = 1 + element_fields<L> + find_other_slots<L>();

/* --- fields ----------------------------------------------------------------------------- */

/* n fields of a lane that belong together, in the widest loads; slice: the first of the slice's, which has
 * so many rows. */
template <int n>
MPLAN_INLINE void load_fields(const uint16_t *slice, int rows, int lane, int (&field)[n])
{
    constexpr int side = MPLAN_FIELDS_TOGETHER(n), words = side < 2 ? 1 : side / 2;
#pragma unroll
    for (int i = 0; i < n / side; i++) {
        const uint16_t *at = slice + (i * rows + lane) * side;
        unsigned word[words];
        if constexpr (side == 8) {
            uint4 v = __ldg(reinterpret_cast<const uint4 *>(at));
            word[0] = v.x, word[1] = v.y, word[2] = v.z, word[3] = v.w;
        } else if constexpr (side == 4) {
            uint2 v = __ldg(reinterpret_cast<const uint2 *>(at));
            word[0] = v.x, word[1] = v.y;
        } else if constexpr (side == 2)
            word[0] = __ldg(reinterpret_cast<const unsigned *>(at));
        else
            word[0] = __ldg(at);
#pragma unroll
        for (int j = 0; j < side; j++)
            field[i * side + j] = int(word[j / 2] >> (16 * (j % 2)) & 0xffff);
    }
}

/* Entry k of rows of a fixed width that the kernel was not compiled for. */
template <int fields> MPLAN_INLINE void load_entry_fields(const uint16_t *slice, int rows, int lane,
                                                          int k, int width, int (&field)[fields])
{
    const int side = MPLAN_FIELDS_TOGETHER(fields * width);
#pragma unroll
    for (int f = 0; f < fields; f++) {
        const int i = k * fields + f;
        field[f] = __ldg(slice + i / side * side * rows + lane * side + i % side);
    }
}

/* The word of lane `from` of the own 32; all of them take part. */
MPLAN_INLINE int word_of_lane(int mine, int from)
{
    return __shfl_sync(0xffffffffu, mine, from);
}

/* What a field leads to. mine: the lane's word of the slice; all lanes take part. */
template <bool neighbour> MPLAN_INLINE int number_of(int mine, int field)
{
    int first = word_of_lane(mine, MPLAN_FIELD_WINDOW(field));
    return first + (neighbour ? MPLAN_FIELD_PLACE(field) >> 1 : MPLAN_FIELD_PLACE(field));
}

/* Points of the other maps from numbers, in the order of the args. */
template <class L> struct slot_taker {
    const int *number;
    row_ids<L> &ids;
    int n;

    template <int A, int arity> MPLAN_INLINE void row()
    {
        if constexpr (!incremented_map<L, A>) {
            constexpr int first = map_of<L, A>;
#pragma unroll
            for (int s = 0; s < arity; s++)
                ids.at[A][s] = first == A ? number[n++] : ids.at[first][s];
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

/* --- a row ------------------------------------------------------------------------------- */

/* An entry from its fields and their numbers; those of entries that are not there mean nothing. */
template <class L> MPLAN_INLINE void take_entry(const int *field, const int *number,
                                                owner_entry &entry, row_ids<L> &ids)
{
    entry.there = field[0] != MPLAN_NONE16;
    entry.column = MPLAN_FIELD_COLUMN(field[0]);
    entry.neighbour = number[0];
    entry.e = element_fields<L> ? number[element_fields<L>] : 0;
    typename L::views unused;
    slot_taker<L> taker = {number + 1 + element_fields<L>, ids, 0};
    L::each(taker, unused);
}

/* Runs an entry that is there. */
template <class L> MPLAN_INLINE void add_entry(const mplan_launch_call &call,
                                               const owner_entry &entry, row_ids<L> &ids,
                                               typename L::views &own, typename L::views &sums)
{
    typename L::views views;
    load_entry<L>(call, entry, own, views, ids);
    run_entry<L>(call, entry, views, ids, sums);
}

/* A row of a slice without windows: by codes and the rows of the maps, as index32. columns: of the
 * slice; first: of plain codes. */
template <class L> MPLAN_INLINE bool gather_plain(const mplan_launch_call &call, int64_t first,
                                                  int columns, int lane, typename L::views &own,
                                                  typename L::views &sums)
{
    bool any = false;
#pragma unroll 1
    for (int k = 0; k < columns; k++) {
        int code = __ldg(call.owner_plain + (first + k) * slice_rows(call) + lane);
        if (code < 0)
            break;
        owner_entry entry = {code >> 1, code & 1, 0, true};
        row_ids<L> ids;
        entry.neighbour = row_neighbour<L>(call, entry);
        typename L::views unused;
        row_loader<L, true> rows = {call, entry.e, ids};
        L::each(rows, unused);
        add_entry<L>(call, entry, ids, own, sums);
        any = true;
    }
    return any;
}

/* Whether all fields of a row of `width` entries become numbers at once; more would need too many registers. */
template <class L, int width> constexpr bool decodes_at_once = width > 0 &&
                                                               entry_fields<L> *width <= 8;

/* The last word of a slice, and the numbers of the row where they come at once. A branch on the word follows, and compilers
 * move loads that nothing has used before a branch behind it: the fields would wait for the word (volna 68.6 us in place of
 * 63.7, as nothing else is long on its way there). So something here uses all fields: their numbers, or else the choice of
 * one of the two lanes that have the word. */
template <class L, int width>
MPLAN_INLINE int last_word(int mine, const int (&field)[entry_fields<L> * width],
                           int (&number)[entry_fields<L> * width])
{
    constexpr int fields = entry_fields<L>, n = fields * width;
    int from = MPLAN_WINDOW_WORDS - 1;
#pragma unroll
    for (int i = 0; i < n; i++)
        if constexpr (decodes_at_once<L, width>)
            number[i] = i % fields == 0 ? number_of<true>(mine, field[i])
                                        : number_of<false>(mine, field[i]);
        else if (i % MPLAN_FIELDS_TOGETHER(n) == 0)
            from ^= field[i] & MPLAN_WINDOW_WORDS;
    return word_of_lane(mine, from);
}

/* A row whose number of entries is known when the kernel is compiled. Where its numbers did not come at once, they come with
 * their entries, as fields take half the registers. Returns whether any entry is there. */
template <class L, int width>
MPLAN_INLINE bool gather_fixed(const mplan_launch_call &call,
                               const int (&field)[entry_fields<L> * width],
                               int (&number)[entry_fields<L> * width], int mine,
                               typename L::views &own, typename L::views &sums)
{
    constexpr int fields = entry_fields<L>;
    bool any = false;
#pragma unroll
    for (int k = 0; k < width; k++) {
#pragma unroll
        for (int i = k * fields; i < (k + 1) * fields && !decodes_at_once<L, width>; i++)
            number[i] = i % fields == 0 ? number_of<true>(mine, field[i])
                                        : number_of<false>(mine, field[i]);
        owner_entry entry;
        row_ids<L> ids;
        take_entry<L>(field + k * fields, number + k * fields, entry, ids);
        if (entry.there) { /* keeps the views of one entry alive at a time */
            any = true;
            add_entry<L>(call, entry, ids, own, sums);
        }
    }
    return any;
}

/* A row of any width, entry by entry; all lanes of the slice go as far as its longest row. Fields one
 * entry ahead would cost more than they bring (edgefv 311 -> 324 us). Padding entries are not there.
 * Returns whether any entry was. */
template <class L>
MPLAN_INLINE bool gather_sliced(const mplan_launch_call &call, const uint16_t *slice, int columns,
                                int lane, int mine, typename L::views &own, typename L::views &sums)
{
    constexpr int fields = entry_fields<L>;
    bool any = false;
    for (int k = 0; k < columns; k++) {
        int field[fields], number[fields];
        if (call.width > 0 && !call.owner_by_entry)
            load_entry_fields(slice, slice_rows(call), lane, k, call.width, field);
        else
            load_fields(slice + int64_t(k) * (slice_rows(call) * fields), slice_rows(call), lane,
                        field);
#pragma unroll
        for (int i = 0; i < fields; i++)
            number[i] = i == 0 ? number_of<true>(mine, field[i]) : number_of<false>(mine, field[i]);
        owner_entry entry;
        row_ids<L> ids;
        take_entry<L>(field, number, entry, ids);
        if (entry.there) {
            any = true;
            add_entry<L>(call, entry, ids, own, sums);
        }
    }
    return any;
}

/* The thread's row. Found again where it is needed again, as a register that is kept would be one too many. */
template <class P> MPLAN_INLINE unsigned row_of_thread(const mplan_launch_call &call, const P &place)
{
#ifdef __HIP__
    const unsigned thread = threadIdx.x;
#else
    unsigned thread;
    asm volatile("mov.u32 %0, %%tid.x;" : "=r"(thread));
#endif
    return unsigned(call.first) + place.block() * blockDim.x + thread;
}

/* The point of the thread's row; 0 in rows behind the last point, which have no entries. Rows of a fixed width are
 * not sorted. */
template <int width, class P>
MPLAN_INLINE int point_of_thread(const mplan_launch_call &call, const P &place)
{
    const unsigned r = row_of_thread(call, place);
    if (r >= call.n_points)
        return 0;
    if (width == 0 && call.owner_points)
        return int(r & ~unsigned(MPLAN_OWNER_WINDOW - 1)) + call.owner_points[r];
    return int(r);
}

/* One thread per point. width: of every row of entries; 0: as the call says. */
template <class L, int width, class P>
MPLAN_INLINE void gather_row(const mplan_launch_call &call, const P &place)
{
    const unsigned r = unsigned(call.first) + place.block() * blockDim.x + threadIdx.x,
                   slice = r >> slice_bits(call);
    if (slice >= MPLAN_OWNER_SLICES(call.end, slice_rows(call)))
        return; /* whole warps; ranges begin and end with slices */
    const int lane = int(r & (slice_rows(call) - 1));
    int64_t begin = int64_t(slice) * (width > 0 ? width : call.width);
    int columns = width > 0 ? width : call.width;
    if (width == 0 && columns == 0) {
        begin = __ldg(call.owner_offsets + slice);
        columns = int(__ldg(call.owner_offsets + slice + 1) - begin);
    }
    const int32_t *words = call.owner_windows + int64_t(slice) * MPLAN_WINDOW_WORDS;
    const int mine = __ldg(words + (lane & (MPLAN_WINDOW_WORDS - 1)));
    const uint16_t *fields = static_cast<const uint16_t *>(call.owner_entries) +
                             begin * (slice_rows(call) * entry_fields<L>);
    int field[width > 0 ? entry_fields<L> * width : 1], number[sizeof field / sizeof *field];
    if constexpr (width > 0) /* on their way before anything waits */
        load_fields(fields, slice_rows(call), lane, field);
    typename L::views own, sums;
    sum_clearer<L> clearer;
    L::each(clearer, sums);
    own_loader<L> loader = {call, point_of_thread<width>(call, place)};
    L::each(loader, own);
    int last;
    if constexpr (width > 0)
        last = last_word<L, width>(mine, field, number);
    else
        last = word_of_lane(mine, MPLAN_WINDOW_WORDS - 1);
    bool any;
    if (last < 0) /* the same for a whole warp */
        any = gather_plain<L>(call, MPLAN_WINDOW_PLAIN(int64_t(last)), columns, lane, own, sums);
    else if constexpr (width > 0)
        any = gather_fixed<L, width>(call, field, number, mine, own, sums);
    else
        any = gather_sliced<L>(call, fields, columns, lane, mine, own, sums);
    if (any ||
        (any_fresh<L>(call) && (is_exchanging<L> ? row_of_thread(call, place) : r) < call.n_points)) {
        sum_writer<L> writer = {call, point_of_thread<width>(call, place), any};
        L::each(writer, sums);
    }
}

/* 8 blocks of 128 threads a multiprocessor hide more of what a row waits for; they leave a thread 64
 * registers, which does not suit every loop (takes_bounds). A kernel that needs no more by itself is left as it is:
 * the bound lets the compiler take what others could use (volna 32 registers and 68.6 us, bounded 46 and 71.8). */
enum { BOUNDED_THREADS = 128, BOUNDED_BLOCKS = 8, BOUNDED_REGISTERS = 64 };
template <class L, int width> __global__ void __launch_bounds__(BOUNDED_THREADS, BOUNDED_BLOCKS)
    windows_bounded_kernel(const __grid_constant__ mplan_launch_call call)
{
    begin_kernel();
    gather_row<L, width>(call, grid_place{});
}

template <class L, int width>
__global__ void windows_kernel(const __grid_constant__ mplan_launch_call call)
{
    begin_kernel();
    gather_row<L, width>(call, grid_place{});
}

/* The same, slabs piece by piece. */
template <class L, int width> __global__ void __launch_bounds__(BOUNDED_THREADS, BOUNDED_BLOCKS)
    windows_bounded_woven_kernel(const __grid_constant__ mplan_launch_call call,
                                 const __grid_constant__ woven_blocks woven)
{
    begin_kernel();
    gather_row<L, width>(call, woven_place(woven));
}

template <class L, int width>
__global__ void windows_woven_kernel(const __grid_constant__ mplan_launch_call call,
                                     const __grid_constant__ woven_blocks woven)
{
    begin_kernel();
    gather_row<L, width>(call, woven_place(woven));
}

} // namespace mplan

#endif
