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

/* Whether the longest rows, of `size` elements and none with a point in common, keep the limits: then so many elements
 * always do. counts: scratch, a number for each set. */
static bool never_breaks(const mplan_footprint *footprint, int32_t size, int64_t *counts)
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
        counts[footprint->set_of_map[m]] += longest * size;
    }
    for (int32_t m = 0; m < footprint->n_maps; m++) {
        int64_t *count = &counts[footprint->set_of_map[m]], most = footprint->maps[m]->n_points;
        *count = *count < most ? *count : most;
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
    bool free_of_limits = counts && never_breaks(&footprint, limits->block_size, counts);
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
                status = mplan_footprint_refuse(&footprint, e, e, err);
        }
        block[e] = (int32_t)(blocks - 1);
    }
    mplan_footprint_close(&footprint);
    if (!status)
        *n_blocks = blocks;
    return status;
}

/* Opens a footprint; *some: whether a large element is possible. */
static mplan_status open_search(const mplan_block_limits *limits, mplan_footprint *footprint,
                                bool *some, mplan_error *err)
{
    mplan_status status = mplan_footprint_open(footprint, limits, err);
    if (status)
        return status;
    int64_t *counts = mplan_alloc(footprint->n_sets, sizeof *counts, err);
    *some = counts && !never_breaks(footprint, 1, counts);
    status = counts ? MPLAN_OK : MPLAN_ERR_MEMORY;
    free(counts);
    if (status)
        mplan_footprint_close(footprint);
    return status;
}

static bool is_large(mplan_footprint *footprint, int64_t element)
{
    mplan_footprint_begin(footprint);
    mplan_footprint_add(footprint, element);
    return !mplan_footprint_fits(footprint);
}

mplan_status mplan_partition_find_large(int64_t n, const mplan_block_limits *limits,
                                        int64_t *element, mplan_error *err)
{
    assert(limits && element && n >= 0);
    mplan_footprint footprint;
    bool some = false;
    mplan_status status = open_search(limits, &footprint, &some, err);
    *element = -1;
    if (status)
        return status;
    for (int64_t e = 0; e < n && some && *element < 0; e++)
        if (is_large(&footprint, e))
            *element = e;
    mplan_footprint_close(&footprint);
    return MPLAN_OK;
}

mplan_status mplan_partition_refuse_large(const mplan_block_limits *limits, int64_t element,
                                          int64_t number, mplan_error *err)
{
    assert(limits && element >= 0);
    mplan_footprint footprint;
    mplan_status status = mplan_footprint_open(&footprint, limits, err);
    if (status)
        return status;
    status = mplan_footprint_refuse(&footprint, element, number, err);
    mplan_footprint_close(&footprint);
    return status;
}

/* A map that is given twice has its values twice. */
mplan_status mplan_partition_clear_large(int64_t n, const mplan_block_limits *limits,
                                         int32_t **values, mplan_error *err)
{
    assert(limits && values && n >= 0);
    mplan_footprint footprint;
    bool some = false;
    mplan_status status = open_search(limits, &footprint, &some, err);
    if (status)
        return status;
    for (int64_t e = 0; e < n && some; e++) {
        if (!is_large(&footprint, e))
            continue;
        for (int32_t m = 0; m < limits->n_maps; m++) {
            const mplan_map *map = &limits->maps[m];
            int32_t length;
            const int64_t first = mplan_map_row(map, e, &length) - map->values;
            for (int32_t k = 0; k < length; k++)
                values[m][first + k] = -1;
        }
    }
    mplan_footprint_close(&footprint);
    return MPLAN_OK;
}
