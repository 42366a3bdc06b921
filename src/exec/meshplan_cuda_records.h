/* SPDX-License-Identifier: Apache-2.0 */
/* meshplan_cuda_records.h - the packed record of a block: how it comes, its tables, and the way of a sum out of the block
 *
 * The record (formats/plan-format.md, section 8) comes by one bulk copy where the
 * device has them (PTX ISA, cp.async.bulk, sm_90), else by loads of 16 bytes. */
#ifndef MESHPLAN_CUDA_RECORDS_H
#define MESHPLAN_CUDA_RECORDS_H

#include "meshplan_cuda_args.h"

namespace mplan {

#if __CUDA_ARCH__ >= 900
MPLAN_INLINE uint32_t shared_address(const void *pointer)
{
    return static_cast<uint32_t>(__cvta_generic_to_shared(pointer));
}
#endif

/* Starts the copy of a record; record_wait returns once it is there. */
MPLAN_INLINE void record_start(unsigned char *to, const uint8_t *from, uint32_t bytes,
                               uint64_t *barrier)
{
#if __CUDA_ARCH__ >= 900
    if (threadIdx.x == 0) {
        asm volatile("mbarrier.init.shared::cta.b64 [%0], 1;" ::"r"(shared_address(barrier)));
        asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory");
        asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" ::"r"(shared_address(barrier)),
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

/* Until the bulk copy of the record has arrived. */
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
    const mplan_launch_call &call;
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
                    ids.at[A][s] = !L::complete && k == MPLAN_NONE16 ? -1 : points[k];
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

/* A record's tables. */
struct record_tables {
    const mplan_record_header &header;
    const int32_t *points;
    const uint16_t *starts, *entries;
    const int32_t *partial; /* place of a point's partial sum, -1: none; NULL: of no point */

    MPLAN_INLINE explicit record_tables(const unsigned char *record)
        : header(*reinterpret_cast<const mplan_record_header *>(record)),
          points(reinterpret_cast<const int32_t *>(record + MPLAN_RECORD_HEADER)),
          starts(reinterpret_cast<const uint16_t *>(record + header.starts_at)),
          entries(reinterpret_cast<const uint16_t *>(record + header.entries_at)),
          partial(header.partial_at ? reinterpret_cast<const int32_t *>(record + header.partial_at)
                                    : nullptr)
    {
    }
};

/* One component of the sum of the block's point k goes on its way. */
template <class L, int A, int dim, typename T>
/* To its partial slot, or to the dat by colour or atomically. */
MPLAN_INLINE void pass_sum(const mplan_launch_call &call, const record_tables &tables, int k, int c,
                           T total)
{
    if (tables.partial && tables.partial[k] >= 0)
        reinterpret_cast<T *>(call.partial_sums + tables.partial[k] * call.partial_bytes +
                              call.arg[A].partial_at)[c] = total;
    else if (is_fresh<L, A>(call))
        *place_of<L, A, T, dim>(call, tables.points[k], c) = total;
    else if (call.sums == MPLAN_SUMS_COLOUR)
        place_of<L, A, T, dim>(call, tables.points[k], c)[0] =
            combine<access_of<L, A>>(*place_of<L, A, T, dim>(call, tables.points[k], c), total);
    else
        combine_atomic<access_of<L, A>>(place_of<L, A, T, dim>(call, tables.points[k], c), total);
}

} // namespace mplan

#endif
