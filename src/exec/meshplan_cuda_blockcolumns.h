/* SPDX-License-Identifier: Apache-2.0 */
/* meshplan_cuda_blockcolumns.h - block-gather where no point is twice in a column of a block: sums without lists
 *
 * In the hexes of a grid a point is the first corner of one of them at most, the second of one at most, and so on. So all
 * elements of a block add column 0 to the sums of the block at once, then all add column 1: between two columns the thread block
 * waits, and nothing else is needed. Each point gets its increments in the order of the columns, which is that of its list
 * (formats/plan-format.md, section 8), so that bits are those of meshplan_cuda_blocks.h. Sums take less shared memory than
 * increments, no thread has more entries than others, and results stay in registers.
 *
 * A block with more elements than threads goes in rounds: as many elements as the plan says (call.round), all of their columns,
 * then the next ones. Lists are in that order. Sums stay in shared memory, so that large blocks, which share fewer points, take
 * no more of it for increments. */
#ifndef MESHPLAN_CUDA_BLOCKCOLUMNS_H
#define MESHPLAN_CUDA_BLOCKCOLUMNS_H

#include "meshplan_cuda_records.h"

namespace mplan {

/* Whether increments may be added to the sums of a block column after column: one map, without opposite signs. That no point is
 * twice in a column of a block, says the call. */
template <class L> constexpr bool find_adds_columns()
{
    bool fits = first_increment<L> >= 0 && one_increment_map<L>;
    for (int a = 0; a < L::n_args; a++)
        fits = fits && !L::about[a].opposite &&
               (!find_mapped_arg<L>(a) || L::about[a].access == MPLAN_READ ||
                L::about[a].access == MPLAN_INC);
    return fits;
}
template <class L> constexpr bool adds_columns = find_adds_columns<L>();

/* Bytes of the sums of n points in arg A, and in all. */
template <class L, int A> MPLAN_BOTH int sums_bytes(int n)
{
    return (int(member_bytes<L, A>) * n + 15) / 16 * 16;
}
template <class L, int A = 0> MPLAN_BOTH int64_t all_sums_bytes(int n)
{
    if constexpr (A == L::n_args)
        return 0;
    else
        return (is_increment<L, A> ? sums_bytes<L, A>(n) : 0) + all_sums_bytes<L, A + 1>(n);
}

/* Adds column `column` of an element to the sums of its point k; components lie n_points apart. */
template <class L, int column> struct column_sum_adder {
    unsigned char *at;
    int k, n_points;

    template <int A, int arity, int dim, typename T, int access>
    MPLAN_INLINE void mapped(T (&view)[arity][dim])
    {
        if constexpr (adds<access>) {
            T *sum = reinterpret_cast<T *>(at) + k;
#pragma unroll
            for (int c = 0; c < dim; c++)
                sum[c * n_points] = combine<access>(sum[c * n_points],
                                                    view[column < arity ? column : 0][c]);
            at += sums_bytes<L, A>(n_points);
        }
    }
    MPLAN_IGNORE_OPPOSITE
    MPLAN_IGNORE_DIRECT
};

/* All columns; every thread of the block comes here. */
template <class L, int column = 0>
MPLAN_INLINE void add_columns(typename L::views &views, const uint16_t *local, int i, int n_padded,
                              bool active, unsigned char *sums, int n_points)
{
    if constexpr (column < arity_of<L, first_increment<L>>) {
        if (active) {
            column_sum_adder<L, column> adder = {sums, local[column * n_padded + i], n_points};
            L::each(adder, views);
        }
        __syncthreads();
        add_columns<L, column + 1>(views, local, i, n_padded, active, sums, n_points);
    }
}

/* The sums of point k go on their way. */
template <class L> struct sum_passer {
    const mplan_launch_call &call;
    const record_tables &tables;
    const unsigned char *at;
    int k, n_points;

    template <int A, int arity, int dim, typename T, int access>
    MPLAN_INLINE void mapped(T (&)[arity][dim])
    {
        if constexpr (adds<access>) {
#pragma unroll
            for (int c = 0; c < dim; c++)
                pass_sum<L, A, dim, T>(call, tables, k, c,
                                       reinterpret_cast<const T *>(at)[c * n_points + k]);
            at += sums_bytes<L, A>(n_points);
        }
    }
    MPLAN_IGNORE_OPPOSITE
    MPLAN_IGNORE_DIRECT
};

/* The block's elements, each by a thread, and sums in the order of the columns, which is that of the lists; `rounds`: those of a
 * round, after one another. */
template <class L, bool rounds>
MPLAN_INLINE void gather_columns(const mplan_launch_call &call, unsigned char *record, uint32_t bytes,
                                 int64_t first, int n, int n_padded, uint64_t *barrier)
{
    const mplan_record_header &header = *reinterpret_cast<const mplan_record_header *>(record);
    const int32_t *points = reinterpret_cast<const int32_t *>(record + MPLAN_RECORD_HEADER);
    unsigned char *sums = record + bytes;
    if (rounds && n == 0) { /* of a plan that was not proved */
        bulk_wait(barrier); /* its record is on its way */
        return;
    }
    for (int begin = 0; begin < (rounds ? n : 1); begin += rounds ? call.round : 1) {
        const int i = begin + int(threadIdx.x);
        const int64_t e = i < n && call.sequence ? call.sequence[first + i] : first + i;
        const bool active = i < n && (!rounds || int(threadIdx.x) < call.round) &&
                            !is_hole<L>(call, e);
        typename L::views views;
        row_ids<L> ids;
        if (active) {
            direct_loader<L> directs = {call, e};
            L::each(directs, views);
            row_loader<L, true> rows = {call, e, ids};
            L::each(rows, views);
            gather_loader<L, OTHER_MAPS> others = {call, ids}; /* while the record is on its way */
            L::each(others, views);
        }
        if (begin == 0) {
            bulk_wait(barrier);
            for (int k = threadIdx.x; k < int(all_sums_bytes<L>(int(header.n_points))) / 16;
                 k += blockDim.x)
                reinterpret_cast<int4 *>(sums)[k] = int4{0, 0, 0, 0};
        }
        const int n_points = int(header.n_points);
        const uint16_t *local = reinterpret_cast<const uint16_t *>(record +
                                                                   MPLAN_RECORD_LOCAL(n_points));
        if (active) {
            if constexpr (reads_incremented_points<L>) {
                record_rows<L> local_rows = {call, local, points, i, n_padded, ids};
                L::each(local_rows, views);
            }
            gather_loader<L, INCREMENTED_MAPS> gathers = {call, ids};
            L::each(gathers, views);
            L::count(views, call, e);
            L::run(views, parameters_of<L>(call));
            direct_storer<L> storer = {call, e};
            L::each(storer, views);
        }
        if (begin == 0)
            __syncthreads(); /* sums are zero; later rounds come behind the last column of the one before */
        add_columns<L>(views, local, i, n_padded, active, sums, n_points);
    }
    const int n_points = int(header.n_points);
    const record_tables tables(record);
    typename L::views unused;
    for (int k = threadIdx.x; k < n_points; k += blockDim.x) {
        sum_passer<L> passer = {call, tables, sums, k, n_points};
        if (tables.starts[k] < tables.starts[k + 1])
            L::each(passer, unused);
    }
}

} // namespace mplan

#endif
