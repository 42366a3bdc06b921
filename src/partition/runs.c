/* SPDX-License-Identifier: Apache-2.0 */
/* runs.c - an order cut into runs, and the paper's figures for partitioners */
#include <assert.h>

#include "partition/footprint.h"
#include "partition/partition.h"

/* What METIS is to be asked for so that parts of at most block_size come out: the paper's rule,
 * where the 0.1 keeps rounding from allowing one element too few. */
void mplan_partition_figures(int64_t n, int32_t block_size, double imbalance, int64_t *n_parts,
                             int32_t *ufactor)
{
    assert(n_parts && ufactor && n >= 0 && block_size >= 1);
    double wanted = imbalance > 1 ? block_size / imbalance : block_size;
    int64_t size = (int64_t)wanted;
    if (size < 1)
        size = 1;
    double allowed = 1000 * ((block_size + 0.1) / (double)size - 1);
    *n_parts = n / size + (n % size != 0);
    *ufactor = (int32_t)(allowed + 0.5);
    if (*ufactor < 1)
        *ufactor = 1;
}

/* A block ends where the next element would break a limit: no run could be longer, so that for
 * this order their number is least. The footprint counts points once, by stamps: O(entries). */
mplan_status mplan_partition_runs(int64_t n, const int32_t *order, const mplan_block_limits *limits,
                                  int32_t *block, int64_t *n_blocks, mplan_error *err)
{
    assert(limits && block && n_blocks && n >= 0);
    mplan_footprint footprint;
    mplan_status status = mplan_footprint_open(&footprint, limits, err);
    if (status)
        return status;
    int64_t blocks = 0;
    for (int64_t i = 0; i < n && !status; i++) {
        int64_t e = order ? order[i] : i;
        if (i > 0)
            mplan_footprint_add(&footprint, e);
        if (i == 0 || !mplan_footprint_fits(&footprint)) {
            mplan_footprint_begin(&footprint);
            mplan_footprint_add(&footprint, e);
            blocks++;
            if (!mplan_footprint_fits(&footprint))
                status = mplan_footprint_refuse(&footprint, e, err);
        }
        block[e] = (int32_t)(blocks - 1);
    }
    mplan_footprint_close(&footprint);
    if (!status)
        *n_blocks = blocks;
    return status;
}
