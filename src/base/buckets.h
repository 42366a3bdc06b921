/* SPDX-License-Identifier: Apache-2.0 */
/* buckets.h - counts into offsets, and lists by small numbers in two walks: count, then fill
 *
 * Lists of n buckets lie one behind the other; that of bucket v is list[offsets[v]] ...
 * list[offsets[v + 1] - 1]. */
#ifndef MPLAN_BUCKETS_H
#define MPLAN_BUCKETS_H

#include <string.h>

#include <stdint.h>

/* The count of bucket v is at counts[v + 1], counts[0] is 0: n + 1 entries become offsets. */
static inline void mplan_sum_counts(int64_t *counts, int64_t n)
{
    for (int64_t v = 0; v < n; v++)
        counts[v + 1] += counts[v];
}

/* After a walk that filled the lists and moved offsets[v] to the end of list v: offsets again. */
static inline void mplan_step_back(int64_t *offsets, int64_t n)
{
    memmove(offsets + 1, offsets, (size_t)n * sizeof *offsets);
    offsets[0] = 0;
}

/* offsets: out, n_buckets + 1, of the places i < n by bucket[i]; places with a negative bucket
 * are in no list. Returns how many are. */
int64_t mplan_bucket_offsets(const int32_t *bucket, int64_t n, int64_t n_buckets, int64_t *offsets);
/* The places of each bucket, ascending, in lists of 32 or 64 bits. */
void mplan_bucket_places32(const int32_t *bucket, int64_t n, int64_t n_buckets, int64_t *offsets,
                           int32_t *list);
void mplan_bucket_places64(const int32_t *bucket, int64_t n, int64_t n_buckets, int64_t *offsets,
                           int64_t *list);

#endif
