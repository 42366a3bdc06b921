/* SPDX-License-Identifier: Apache-2.0 */
/* meshplan_cuda_records.h - the packed record of a block: how it comes, its tables, and the way of a sum out of the block
 *
 * The record (formats/plan-format.md, section 8) comes by one bulk copy where the
 * device has them (meshplan_cuda_bulk.h), else by loads of 16 bytes. */
#ifndef MESHPLAN_CUDA_RECORDS_H
#define MESHPLAN_CUDA_RECORDS_H

#include "meshplan_cuda_args.h"
#include "meshplan_cuda_bulk.h"

namespace mplan {

/* Starts the copy of a record; bulk_wait returns once it is there. */
MPLAN_INLINE void record_start(unsigned char *to, const uint8_t *from, uint32_t bytes,
                               uint64_t *barrier)
{
#if MPLAN_HAS_BULK
    if (threadIdx.x == 0) {
        bulk_expect(barrier, bytes);
        bulk_bring(to, from, bytes, barrier);
    }
    __syncthreads(); /* nobody waits at a barrier that is not there yet */
#else
    (void)barrier;
    for (uint32_t i = threadIdx.x; i < bytes / 16; i += blockDim.x)
        reinterpret_cast<int4 *>(to)[i] = __ldg(reinterpret_cast<const int4 *>(from) + i);
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
