/* SPDX-License-Identifier: Apache-2.0 */
/* buckets.c - lists by small numbers: counting sort */
#include "base/buckets.h"

/* bucket: of each of n things, -1 for none. offsets: n_buckets + 1, out: where the things of
 * each bucket begin; returns how many there are. Counted in the entry behind, then summed:
 * linear. */
int64_t mplan_bucket_offsets(const int32_t *bucket, int64_t n, int64_t n_buckets, int64_t *offsets)
{
    memset(offsets, 0, (size_t)(n_buckets + 1) * sizeof *offsets);
    for (int64_t i = 0; i < n; i++)
        if (bucket[i] >= 0)
            offsets[bucket[i] + 1]++;
    mplan_sum_counts(offsets, n_buckets);
    return offsets[n_buckets];
}

/* list: out, the things of each bucket, ascending. offsets are moved while it is filled, and
 * moved back. */
void mplan_bucket_places32(const int32_t *bucket, int64_t n, int64_t n_buckets, int64_t *offsets,
                           int32_t *list)
{
    for (int64_t i = 0; i < n; i++)
        if (bucket[i] >= 0)
            list[offsets[bucket[i]]++] = (int32_t)i;
    mplan_step_back(offsets, n_buckets);
}

/* As mplan_bucket_places32, of more than 2^31 things. */
void mplan_bucket_places64(const int32_t *bucket, int64_t n, int64_t n_buckets, int64_t *offsets,
                           int64_t *list)
{
    for (int64_t i = 0; i < n; i++)
        if (bucket[i] >= 0)
            list[offsets[bucket[i]]++] = i;
    mplan_step_back(offsets, n_buckets);
}
