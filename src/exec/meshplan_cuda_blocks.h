/* meshplan_cuda_blocks.h - block-gather: a packed record per block, sums by point in shared memory
 *
 * The record (formats/plan-format.md, section 8) comes by one bulk copy where the
 * device has them (PTX ISA, cp.async.bulk, sm_90), else by loads of 16 bytes. */
#ifndef MESHPLAN_CUDA_BLOCKS_H
#define MESHPLAN_CUDA_BLOCKS_H

#include "meshplan_cuda_args.h"

namespace mplan {

struct record_header {
    uint32_t bytes, n_elements, n_points, first, starts_at, entries_at, partial_at, n_entries;
};

MPLAN_INLINE uint32_t shared_address(const void *pointer)
{
    return static_cast<uint32_t>(__cvta_generic_to_shared(pointer));
}

/* Starts the copy of a record; record_wait returns once it is there. */
MPLAN_INLINE void record_start(unsigned char *to, const uint8_t *from, uint32_t bytes,
                                             uint64_t *barrier)
{
#if __CUDA_ARCH__ >= 900
    if (threadIdx.x == 0) {
        asm volatile("mbarrier.init.shared::cta.b64 [%0], 1;" ::"r"(shared_address(barrier)));
        asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory");
        asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" ::"r"(
                         shared_address(barrier)),
                     "r"(bytes)
                     : "memory");
        asm volatile("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1], "
                     "%2, [%3];" ::"r"(shared_address(to)),
                     "l"(from), "r"(bytes), "r"(shared_address(barrier))
                     : "memory");
    }
    __syncthreads(); /* nobody waits at a barrier that is not there yet */
#else
    (void)barrier;
    for (uint32_t i = threadIdx.x; i < bytes / 16; i += blockDim.x)
        reinterpret_cast<int4 *>(to)[i] = __ldg(reinterpret_cast<const int4 *>(from) + i);
#endif
}

MPLAN_INLINE void record_wait(uint64_t *barrier)
{
#if __CUDA_ARCH__ >= 900
    uint32_t done = 0;
    while (!done)
        asm volatile("{\n .reg .pred p;\n"
                     " mbarrier.try_wait.parity.shared::cta.b64 p, [%1], 0;\n"
                     " selp.u32 %0, 1, 0, p;\n}"
                     : "=r"(done)
                     : "r"(shared_address(barrier))
                     : "memory");
#else
    (void)barrier;
#endif
}

/* Rows from the record's local ids for the maps it holds. */
template <class L> struct record_rows {
    const mplan_device_call &call;
    const uint16_t *local;
    const int32_t *points;
    int i, n_padded;
    row_ids<L> &ids;

    template <int A, int arity> MPLAN_INLINE void row()
    {
        if constexpr (incremented_map<L, A>) {
            constexpr int first = map_of<L, A>;
#pragma unroll
            for (int s = 0; s < arity; s++) {
                if constexpr (first != A) {
                    ids.at[A][s] = ids.at[first][s];
                } else {
                    int k = local[(call.arg[A].first_local + s) * n_padded + i];
                    ids.at[A][s] = k == 65535 ? -1 : points[k];
                }
            }
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

/* Increments of the block's elements in shared memory: per arg, component by component,
 * the columns of its map one behind the other. Walks `at` from arg to arg. */
template <class L> struct increment_keeper {
    unsigned char *at;
    int i, n_padded;

    template <int A, int arity, int dim, typename T, int access>
    MPLAN_INLINE void mapped(T (&view)[arity][dim])
    {
        if constexpr (access == MPLAN_INC) {
            T *to = reinterpret_cast<T *>(at);
#pragma unroll
            for (int c = 0; c < dim; c++)
#pragma unroll
                for (int s = 0; s < arity; s++)
                    to[(c * arity + s) * n_padded + i] = view[s][c];
            at += sizeof(T) * arity * dim * n_padded; /* n_padded is a multiple of 8 */
        }
    }
    template <int A, int dim, typename T> MPLAN_INLINE void opposite(T (&view)[dim])
    {
        T *to = reinterpret_cast<T *>(at);
#pragma unroll
        for (int c = 0; c < dim; c++)
            to[c * n_padded + i] = view[c];
        at += sizeof(T) * dim * n_padded;
    }
    MPLAN_IGNORE_DIRECT
};

/* Adds up what the block has for each of its points. */
template <class L> struct point_summer {
    const mplan_device_call &call;
    const unsigned char *at;
    const record_header &header;
    const unsigned char *record;
    int n_padded;

    template <int A, int arity, int dim, typename T, int access>
    MPLAN_INLINE void mapped(T (&)[arity][dim])
    {
        if constexpr (access == MPLAN_INC) {
            sum<A, arity, dim, T, false>();
            at += sizeof(T) * arity * dim * n_padded;
        }
    }
    template <int A, int dim, typename T> MPLAN_INLINE void opposite(T (&)[dim])
    {
        sum<A, 2, dim, T, true>();
        at += sizeof(T) * dim * n_padded;
    }
    MPLAN_IGNORE_DIRECT

    /* Entry of the list as a place in the arg's kept increments; < 0: not of its map. */
    template <int A, int arity, bool sign>
    MPLAN_INLINE int place(int entry, bool *negative) const
    {
        if constexpr (sign) {
            int own = entry - call.arg[A].first_column * n_padded;
            *negative = own >= n_padded;
            return own < 0 || own >= 2 * n_padded ? -1 : *negative ? own - n_padded : own;
        } else {
            *negative = false;
            int own = entry - call.arg[A].first_column * n_padded;
            return own >= arity * n_padded ? -1 : own;
        }
    }

    template <int A, int arity, int dim, typename T, bool sign> MPLAN_INLINE void sum()
    {
        const int32_t *points = reinterpret_cast<const int32_t *>(record + 32);
        const uint16_t *starts = reinterpret_cast<const uint16_t *>(record + header.starts_at);
        const uint16_t *entries = reinterpret_cast<const uint16_t *>(record + header.entries_at);
        const int32_t *partial =
            header.partial_at ? reinterpret_cast<const int32_t *>(record + header.partial_at) : nullptr;
        const T *kept = reinterpret_cast<const T *>(at);
        constexpr int columns = sign ? 1 : arity;
        int n = int(header.n_points);
        /* threads that would idle share the components of a point */
        if (4 * n >= 3 * int(blockDim.x) || dim == 1) {
            for (int k = threadIdx.x; k < n; k += blockDim.x) {
                T total[dim] = {};
                for (int j = starts[k]; j < starts[k + 1]; j++) {
                    bool negative;
                    int own = place<A, arity, sign>(entries[j], &negative);
                    if (own < 0)
                        continue;
#pragma unroll
                    for (int c = 0; c < dim; c++) {
                        T value = kept[c * columns * n_padded + own];
                        total[c] += negative ? -value : value;
                    }
                }
                if (starts[k] == starts[k + 1])
                    continue;
                if (partial && partial[k] >= 0) {
                    T *to = static_cast<T *>(call.arg[A].scratch) + int64_t(partial[k]) * dim;
#pragma unroll
                    for (int c = 0; c < dim; c++)
                        to[c] = total[c];
                } else if (call.sums == MPLAN_SUMS_COLOUR) {
                    add_member<false, T, dim>(call.arg[A], points[k], total);
                } else {
                    add_member<true, T, dim>(call.arg[A], points[k], total);
                }
            }
            return;
        }
        int k = threadIdx.x, c = 0;
        while (true) {
            while (k >= n && c < dim) {
                k -= n;
                c++;
            }
            if (c >= dim)
                return;
            T total = T(0);
            for (int j = starts[k]; j < starts[k + 1]; j++) {
                bool negative;
                int own = place<A, arity, sign>(entries[j], &negative);
                if (own < 0)
                    continue;
                T value = kept[c * columns * n_padded + own];
                total += negative ? -value : value;
            }
            if (starts[k] != starts[k + 1]) {
                if (partial && partial[k] >= 0)
                    static_cast<T *>(call.arg[A].scratch)[int64_t(partial[k]) * dim + c] = total;
                else if (call.sums == MPLAN_SUMS_COLOUR)
                    *place_of<T, dim>(call.arg[A], points[k], c) += total;
                else
                    add_atomic(place_of<T, dim>(call.arg[A], points[k], c), total);
            }
            k += blockDim.x;
        }
    }
};

template <class L>
__global__ void block_gather_kernel(const __grid_constant__ mplan_device_call call, int64_t begin)
{
    extern __shared__ __align__(128) unsigned char record[];
    __shared__ uint64_t barrier;
    int64_t block = call.list ? call.list[begin + blockIdx.x] : blockIdx.x;
    int64_t from = call.record_offsets[block];
    uint32_t bytes = uint32_t(call.record_offsets[block + 1] - from);
    int64_t first = call.block_offsets[block];
    int n = int(call.block_offsets[block + 1] - first), n_padded = (n + 7) / 8 * 8;
    record_start(record, call.records + from, bytes, &barrier);
#if __CUDA_ARCH__ < 900
    __syncthreads();
#endif
    const record_header &header = *reinterpret_cast<const record_header *>(record);
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
                record_wait(&barrier);
            arrived = true;
            const int32_t *points = reinterpret_cast<const int32_t *>(record + 32);
            const uint16_t *local =
                reinterpret_cast<const uint16_t *>(record + 32 + (header.n_points * 4 + 15) / 16 * 16);
            record_rows<L> local_rows = {call, local, points, i, n_padded, ids};
            L::each(local_rows, views);
        }
        gather_loader<L, INCREMENTED_MAPS> gathers = {call, ids};
        L::each(gathers, views);
        L::run(views, parameters_of<L>(call));
        increment_keeper<L> keeper = {record + bytes, i, n_padded};
        L::each(keeper, views);
        direct_storer<L> storer = {call, e};
        L::each(storer, views);
    }
    if (!arrived)
        record_wait(&barrier);
    __syncthreads();
    point_summer<L> summer = {call, record + bytes, header, record, n_padded};
    L::each(summer, views);
}

/* Second pass over the points that blocks share, in the order of the blocks. */
template <class L> struct partial_adder {
    const mplan_device_call &call;
    int64_t i;

    template <int A, int arity, int dim, typename T, int access>
    MPLAN_INLINE void mapped(T (&)[arity][dim])
    {
        if constexpr (access == MPLAN_INC)
            add<A, dim, T>();
    }
    template <int A, int dim, typename T> MPLAN_INLINE void opposite(T (&)[dim])
    {
        add<A, dim, T>();
    }
    MPLAN_IGNORE_DIRECT
    template <int A, int dim, typename T> MPLAN_INLINE void add()
    {
        const T *scratch = static_cast<const T *>(call.arg[A].scratch);
        int64_t begin = call.partial_offsets[i], end = call.partial_offsets[i + 1];
        T total[dim] = {};
        for (int64_t slot = begin; slot < end; slot++) {
            T value[dim];
            if constexpr (dim * sizeof(T) % 16 == 0) {
                load_vectors<int4>(scratch + slot * dim, value);
            } else {
#pragma unroll
                for (int c = 0; c < dim; c++)
                    value[c] = __ldg(scratch + slot * dim + c);
            }
#pragma unroll
            for (int c = 0; c < dim; c++)
                total[c] += value[c];
        }
        add_member<true, T, dim>(call.arg[A], call.partial_points[i], total);
    }
};

template <class L>
__global__ void partial_kernel(const __grid_constant__ mplan_device_call call)
{
    int64_t i = int64_t(blockIdx.x) * blockDim.x + threadIdx.x;
    if (i >= call.n_partial_points)
        return;
    typename L::views unused;
    partial_adder<L> adder = {call, i};
    L::each(adder, unused);
}

} // namespace mplan

#endif
