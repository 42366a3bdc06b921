/* SPDX-License-Identifier: Apache-2.0 */
/* meshplan_cuda_blocks.h - block-gather: a packed record per block, sums by point in shared memory
 *
 * The record is that of formats/plan-format.md, section 8 (meshplan_cuda_records.h). */
#ifndef MESHPLAN_CUDA_BLOCKS_H
#define MESHPLAN_CUDA_BLOCKS_H

#include "meshplan_cuda_blockcolumns.h"

namespace mplan {

/* Increments of the block's elements in shared memory: arg by arg, the columns of its map one
 * behind the other, the components of a place side by side. Where the number of components is
 * even, neighbouring elements would meet in the same banks: places of few columns get a
 * number more, components of others change places. */
template <class L, int A> constexpr int kept_columns = L::about[A].opposite ? 1 : arity_of<L, A>;
template <class L, int A>
constexpr int kept_stride = L::about[A].dim + (L::about[A].dim % 2 == 0 && arity_of<L, A> <= 2);

/* Place of component c of result `place`: spread over the banks of shared
 * memory. */
template <class L, int A, typename T> MPLAN_INLINE int kept_at(int place, int c)
{
    constexpr int stride = kept_stride<L, A>, in_a_line = 128 / int(sizeof(T) * stride);
    if constexpr (stride > 1 && (stride & (stride - 1)) == 0 && in_a_line > 0)
        return place * stride + (c ^ (place / in_a_line) % stride);
    else
        return place * stride + c;
}

/* Bytes that an arg keeps for blocks of n elements; n is a multiple of 8. */
template <class L, int A> MPLAN_BOTH int kept_bytes(int n)
{
    constexpr int number = int(member_bytes<L, A> / L::about[A].dim);
    return number * kept_stride<L, A> * kept_columns<L, A> * n;
}
/* Of all args; blocks of any length, before anyone has said that their bytes are there. */
template <class L, int A = 0> MPLAN_BOTH int64_t all_kept_bytes(int64_t n)
{
    if constexpr (A == L::n_args)
        return 0;
    else
        return (is_increment<L, A> ? kept_bytes<L, A>(8) * (n / 8) : 0) + all_kept_bytes<L, A + 1>(n);
}

/* Walks `at` from arg to arg. */
template <class L> struct increment_keeper {
    unsigned char *at;
    int i, n_padded;

    template <int A, int arity, int dim, typename T, int access>
    MPLAN_INLINE void mapped(T (&view)[arity][dim])
    {
        if constexpr (adds<access>) {
#pragma unroll
            for (int s = 0; s < arity; s++)
                keep<A>(s * n_padded + i, view[s]);
            at += kept_bytes<L, A>(n_padded);
        }
    }
    template <int A, int dim, typename T> MPLAN_INLINE void opposite(T (&view)[dim])
    {
        keep<A>(i, view);
        at += kept_bytes<L, A>(n_padded);
    }
    MPLAN_IGNORE_DIRECT
    template <int A, int dim, typename T> MPLAN_INLINE void keep(int place, const T (&value)[dim])
    {
#pragma unroll
        for (int c = 0; c < dim; c++)
            reinterpret_cast<T *>(at)[kept_at<L, A, T>(place, c)] = value[c];
    }
};

/* Entry of the list as a place in the arg's kept increments; < 0: not of its map. */
template <class L, int A, bool sign>
/* Where the result of an entry of arg A was kept; -1 if it belongs to another
 * arg. */
MPLAN_INLINE int place_of_entry(const mplan_launch_call &call, int entry, int n_padded, bool *negative)
{
    int own = entry;
    if constexpr (!one_increment_map<L>)
        own -= call.arg[A].first_column * n_padded;
    *negative = sign && own >= n_padded;
    if constexpr (!one_increment_map<L>)
        if (own < 0 || own >= arity_of<L, A> * n_padded)
            return -1;
    return *negative ? own - n_padded : own;
}

/* Sums arg after arg: a thread a component of a point, neighbours the components of one. */
template <class L> struct component_summer {
    const mplan_launch_call &call;
    const record_tables &tables;
    const unsigned char *at;
    int n_padded;

    template <int A, int arity, int dim, typename T, int access>
    MPLAN_INLINE void mapped(T (&)[arity][dim])
    {
        if constexpr (adds<access>)
            sum<A, dim, T, false>();
    }
    template <int A, int dim, typename T> MPLAN_INLINE void opposite(T (&)[dim])
    {
        sum<A, dim, T, true>();
    }
    MPLAN_IGNORE_DIRECT
    template <int A, int dim, typename T, bool sign> MPLAN_INLINE void sum()
    {
        const T *kept = reinterpret_cast<const T *>(at);
        for (int task = threadIdx.x; task < int(tables.header.n_points) * dim; task += blockDim.x) {
            int k = task / dim, c = task % dim;
            int begin = tables.starts[k], end = tables.starts[k + 1];
            T total = neutral_of<T, access_of<L, A>>();
            for (int j = begin; j < end; j++) {
                bool negative;
                int place = place_of_entry<L, A, sign>(call, tables.entries[j], n_padded, &negative);
                if (!one_increment_map<L> && place < 0)
                    continue;
                T value = kept[kept_at<L, A, T>(place, c)];
                total = combine<access_of<L, A>>(total, negative ? -value : value);
            }
            if (begin < end)
                pass_sum<L, A, dim, T>(call, tables, k, c, total);
        }
        at += kept_bytes<L, A>(n_padded);
    }
};

/* Adds one entry of the list to the sums of its point, in all args. */
template <class L> struct entry_adder {
    const mplan_launch_call &call;
    const unsigned char *at;
    int entry, n_padded;

    template <int A, int arity, int dim, typename T, int access>
    MPLAN_INLINE void mapped(T (&sums)[arity][dim])
    {
        if constexpr (adds<access>)
            add<A, dim, T, false>(sums[0]);
    }
    template <int A, int dim, typename T> MPLAN_INLINE void opposite(T (&sums)[dim])
    {
        add<A, dim, T, true>(sums);
    }
    MPLAN_IGNORE_DIRECT
    template <int A, int dim, typename T, bool sign> MPLAN_INLINE void add(T (&sum)[dim])
    {
        bool negative;
        int place = place_of_entry<L, A, sign>(call, entry, n_padded, &negative);
        if (one_increment_map<L> || place >= 0) {
#pragma unroll
            for (int c = 0; c < dim; c++) {
                T value = reinterpret_cast<const T *>(at)[kept_at<L, A, T>(place, c)];
                sum[c] = combine<access_of<L, A>>(sum[c], negative ? -value : value);
            }
        }
        at += kept_bytes<L, A>(n_padded);
    }
};

template <class L> struct point_passer {
    const mplan_launch_call &call;
    const record_tables &tables;
    int k;

    template <int A, int arity, int dim, typename T, int access>
    MPLAN_INLINE void mapped(T (&sums)[arity][dim])
    {
        if constexpr (adds<access>)
            pass<A>(sums[0]);
    }
    template <int A, int dim, typename T> MPLAN_INLINE void opposite(T (&sums)[dim])
    {
        pass<A>(sums);
    }
    MPLAN_IGNORE_DIRECT
    template <int A, int dim, typename T> MPLAN_INLINE void pass(const T (&sum)[dim])
    {
#pragma unroll
        for (int c = 0; c < dim; c++)
            pass_sum<L, A, dim, T>(call, tables, k, c, sum[c]);
    }
};

/* Whether points' components are summed by threads of their own: where points have many
 * increments of many numbers, as those of elements of more than two points have. Else a thread sums
 * all of a point: miniaero took 555 us by components and 493 by points. */
template <class L> constexpr bool find_sums_by_component()
{
    constexpr int a = first_increment<L>;
    return a >= 0 && n_increments<L> == 1 && L::about[a].dim >= 4 && L::about[a].arity > 2;
}
template <class L> constexpr bool sums_by_component = find_sums_by_component<L>();

/* Adds up what the block has for each of its points. */
template <class L>
/* One thread per point, or per component of a point. */
MPLAN_INLINE void sum_points(const mplan_launch_call &call, const unsigned char *record,
                             const unsigned char *kept, int n_padded)
{
    const record_tables tables(record);
    typename L::views sums;
    if constexpr (!sums_by_component<L>) {
        for (int k = threadIdx.x; k < int(tables.header.n_points); k += blockDim.x) {
            int begin = tables.starts[k], end = tables.starts[k + 1];
            sum_clearer<L> clearer;
            L::each(clearer, sums);
            for (int j = begin; j < end; j++) {
                entry_adder<L> adder = {call, kept, tables.entries[j], n_padded};
                L::each(adder, sums);
            }
            point_passer<L> passer = {call, tables, k};
            if (begin < end)
                L::each(passer, sums);
        }
    } else {
        component_summer<L> summer = {call, tables, kept, n_padded};
        L::each(summer, sums);
    }
}

/* How the increments of a block come to its sums: by the lists of its points, column by column, or so in several rounds, the
 * latter where the call has its columns apart. */
enum { BY_LISTS, BY_COLUMNS, BY_ROUNDS };

/* One thread block per block: record in, elements, then sums by point. */
template <class L, int way = BY_LISTS, class P>
MPLAN_INLINE void gather_block(const mplan_launch_call &call, int64_t begin, const P &place)
{
    extern __shared__ __align__(128) unsigned char record[];
    __shared__ uint64_t barrier;
    /* in 64 bits lulesh would spill 48 bytes more (318 us, 297 so), and miniaero takes 602 (568) */
    const unsigned at = unsigned(begin) + place.block();
    const unsigned block = call.list ? unsigned(call.list[at]) : at;
    int64_t from = call.record_offsets[block];
    uint32_t bytes = uint32_t(call.record_offsets[block + 1] - from);
    int64_t first = call.block_offsets[block];
    int n = int(call.block_offsets[block + 1] - first), n_padded = MPLAN_RECORD_ROWS(n);
    record_start(record, call.records + from, bytes, &barrier);
#if !MPLAN_HAS_BULK
    __syncthreads();
#endif
    const mplan_record_header &header = *reinterpret_cast<const mplan_record_header *>(record);
    if constexpr (way != BY_LISTS) {
        gather_columns<L, way == BY_ROUNDS>(call, record, bytes, first, n, n_padded, &barrier);
        return;
    }
    bool arrived = false;
    typename L::views views;
    for (int i = threadIdx.x; i < n; i += blockDim.x) {
        int64_t e = call.sequence ? call.sequence[first + i] : first + i;
        row_ids<L> ids;
        if (is_hole<L>(call, e))
            continue;
        direct_loader<L> directs = {call, e};
        L::each(directs, views);
        row_loader<L, true> rows = {call, e, ids};
        L::each(rows, views);
        gather_loader<L, OTHER_MAPS> others = {call, ids}; /* while the record is on its way */
        L::each(others, views);
        if constexpr (reads_incremented_points<L>) {
            if (!arrived)
                bulk_wait(&barrier);
            arrived = true;
            const int32_t *points = reinterpret_cast<const int32_t *>(record + MPLAN_RECORD_HEADER);
            const uint16_t *local =
                reinterpret_cast<const uint16_t *>(record + MPLAN_RECORD_LOCAL(header.n_points));
            record_rows<L> local_rows = {call, local, points, i, n_padded, ids};
            L::each(local_rows, views);
        }
        gather_loader<L, INCREMENTED_MAPS> gathers = {call, ids};
        L::each(gathers, views);
        L::count(views, call, e);
        L::run(views, parameters_of<L>(call));
        increment_keeper<L> keeper = {record + bytes, i, n_padded};
        L::each(keeper, views);
        direct_storer<L> storer = {call, e};
        L::each(storer, views);
        point_storer<L> points = {call, ids}; /* by maps that are not the record's */
        L::each(points, views);
    }
    if (!arrived)
        bulk_wait(&barrier);
    __syncthreads();
    sum_points<L>(call, record, record + bytes, n_padded);
}

template <class L>
__global__ void block_gather_kernel(const __grid_constant__ mplan_launch_call call, int64_t begin)
{
    begin_kernel();
    gather_block<L>(call, begin, grid_place{});
}

/* With 96 registers a thread, five thread blocks of 128 fit a multiprocessor instead of four: for loops
 * that need a few more (lulesh, which needs 116 and spills 40 bytes, took 230 us, 222 so, and 287 with
 * 80; miniaero, which needs 168, took a quarter longer with 128). */
enum { FEW_REGISTERS = 96, FEW_SPILLED = 48 };
#if CUDART_VERSION >= 12040
#define MPLAN_FEW_REGISTERS __maxnreg__(FEW_REGISTERS)
#else
#define MPLAN_FEW_REGISTERS
#endif
template <class L> __global__ void MPLAN_FEW_REGISTERS
block_gather_few_kernel(const __grid_constant__ mplan_launch_call call, int64_t begin)
{
    begin_kernel();
    gather_block<L>(call, begin, grid_place{});
}

/* The same by columns, which needs fewer registers (lulesh 94 where lists need 120). */
template <class L>
__global__ void block_columns_kernel(const __grid_constant__ mplan_launch_call call, int64_t begin)
{
    begin_kernel();
    gather_block<L, BY_COLUMNS>(call, begin, grid_place{});
}

/* And of blocks that have more elements than the thread block threads. */
template <class L>
__global__ void block_rounds_kernel(const __grid_constant__ mplan_launch_call call, int64_t begin)
{
    begin_kernel();
    gather_block<L, BY_ROUNDS>(call, begin, grid_place{});
}

/* Threads for each point of the second pass: one for each component of a single dat. */
template <class L>
constexpr int partial_lanes = n_increments<L> == 1 ? L::about[first_increment<L>].dim : 1;

/* Second pass over the points that blocks share, in the order of the blocks. */
template <class L> struct partial_adder {
    const mplan_launch_call &call;
    int64_t i;
    int lane;

    template <int A, int arity, int dim, typename T, int access>
    MPLAN_INLINE void mapped(T (&)[arity][dim])
    {
        if constexpr (adds<access>)
            add<A, dim, T>();
    }
    template <int A, int dim, typename T> MPLAN_INLINE void opposite(T (&)[dim])
    {
        add<A, dim, T>();
    }
    MPLAN_IGNORE_DIRECT
    /* The numbers of a slot that this thread adds. */
    template <int A, typename T, int mine>
    MPLAN_INLINE void load_slot(int64_t place, T (&value)[mine])
    {
        const T *from = reinterpret_cast<const T *>(call.partial_sums + place * call.partial_bytes +
                                                    call.arg[A].partial_at);
#pragma unroll
        for (int c = 0; c < mine; c++)
            value[c] = load_number<launches_ahead>(from + lane + c);
    }
    template <int A, int dim, typename T> MPLAN_INLINE void add()
    {
        constexpr int mine = partial_lanes < L >> 1 ? 1 : dim; /* components */
        const int64_t begin = __ldg(call.partial_offsets + i),
                      end = __ldg(call.partial_offsets + i + 1);
        const int32_t point = __ldg(call.partial_points + i);
        T total[mine];
#pragma unroll
        for (int c = 0; c < mine; c++)
            total[c] = neutral_of<T, access_of<L, A>>();
        for (int64_t place = begin; place < end; place += 2) {
            T first[mine], second[mine]; /* two at least, whose loads do not wait for one another */
            load_slot<A>(place, first);
            load_slot<A>(place + 1 < end ? place + 1 : place, second);
#pragma unroll
            for (int c = 0; c < mine; c++) {
                total[c] = combine<access_of<L, A>>(total[c], first[c]);
                if (place + 1 < end)
                    total[c] = combine<access_of<L, A>>(total[c], second[c]);
            }
        }
#pragma unroll
        for (int c = 0; c < mine; c++) {
            T *to = place_of<L, A, T, dim>(call, point, lane + c);
            if (is_fresh<L, A>(call))
                *to = total[c];
            else
                combine_atomic<access_of<L, A>>(to, total[c]);
        }
    }
};

template <class L>
/* The second pass: slots of a shared point in their order. */
__global__ void partial_kernel(const __grid_constant__ mplan_launch_call call)
{
    begin_kernel();
    int64_t task = int64_t(blockIdx.x) * blockDim.x + threadIdx.x;
    int64_t i = task / partial_lanes<L>;
    if (i >= call.n_partial_points)
        return;
    typename L::views unused;
    partial_adder<L> adder = {call, i, int(task % partial_lanes<L>)};
    L::each(adder, unused);
}

} // namespace mplan

#endif
