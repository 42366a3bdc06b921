/* SPDX-License-Identifier: Apache-2.0 */
/* runs.c - an order cut into runs, and the paper's figures for partitioners */
#include <assert.h>
#include <stdlib.h>

#include "base/memory.h"
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

/* Whether the longest rows, as many as a block may have and none with a point in common, keep the limits: then S elements
 * always do. counts: scratch, a number for each set. */
static bool never_breaks(const mplan_footprint *footprint, int64_t *counts)
{
    for (int32_t s = 0; s < footprint->n_sets; s++)
        counts[s] = 0;
    for (int32_t m = 0; m < footprint->n_maps; m++) {
        const mplan_map *map = footprint->maps[m];
        int64_t longest = map->arity;
        for (int64_t e = 0; e < map->n_rows && map->offsets; e++) {
            int64_t length = map->offsets[e + 1] - map->offsets[e];
            longest = length > longest ? length : longest;
        }
        counts[footprint->set_of_map[m]] += longest * footprint->limits->block_size;
    }
    for (int32_t m = 0; m < footprint->n_maps; m++) {
        int64_t *count = &counts[footprint->set_of_map[m]], size = footprint->maps[m]->n_points;
        *count = *count < size ? *count : size;
    }
    return mplan_footprint_counts_fit(footprint, counts);
}

/* Runs of S elements, the last of what is left; returns how many. */
static int64_t full_runs(int64_t n, const int32_t *order, int32_t size, int32_t *block)
{
    int64_t blocks = 0;
    for (int64_t i = 0; i < n; blocks++)
        for (int64_t end = i + size < n ? i + size : n; i < end; i++)
            block[order ? order[i] : i] = (int32_t)blocks;
    return blocks;
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
    int64_t blocks = 0, *counts = mplan_alloc(footprint.n_sets, sizeof *counts, err);
    bool free_of_limits = counts && never_breaks(&footprint, counts);
    status = counts ? MPLAN_OK : MPLAN_ERR_MEMORY;
    free(counts);
    if (!status && free_of_limits)
        blocks = full_runs(n, order, limits->block_size, block);
    for (int64_t i = 0; i < n && !status && !free_of_limits; i++) {
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
