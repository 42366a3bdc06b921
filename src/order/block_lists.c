/* SPDX-License-Identifier: Apache-2.0 */
/* block_lists.c - which blocks touch each point */
#include "order/block_lists.h"

#include <assert.h>
#include <stdlib.h>

#include "base/buckets.h"
#include "base/memory.h"

/* Elements by ascending block; *sequence stays NULL when they are so. */
static mplan_status elements_by_block(int64_t n, const int32_t *block, int64_t n_blocks,
                                      int32_t **sequence, mplan_error *err)
{
    int64_t i = 1;
    *sequence = NULL;
    while (i < n && block[i - 1] <= block[i])
        i++;
    if (i >= n)
        return MPLAN_OK;
    int64_t *place = mplan_alloc(n_blocks + 1, sizeof *place, err);
    int32_t *out = mplan_alloc(n, sizeof *out, err);
    if (!place || !out) {
        free(place);
        free(out);
        return MPLAN_ERR_MEMORY;
    }
    mplan_bucket_offsets(block, n, n_blocks, place);
    mplan_bucket_places32(block, n, n_blocks, place, out);
    free(place);
    *sequence = out;
    return MPLAN_OK;
}

/* One pass over the elements by block: counts the blocks of point p at
 * offsets[p + 1] (blocks NULL), or writes them. `last` holds the block that
 * met each point last. */
static void walk_blocks(const mplan_map *maps, int32_t n_maps, const int32_t *block,
                        const int32_t *sequence, int32_t *last, int64_t *offsets, int32_t *blocks)
{
    for (int64_t p = 0; p < maps[0].n_points; p++)
        last[p] = -1;
    for (int64_t i = 0; i < maps[0].n_rows; i++) {
        int64_t e = sequence ? sequence[i] : i;
        for (int32_t m = 0; m < n_maps; m++) {
            int32_t length;
            const int32_t *row = mplan_map_row(&maps[m], e, &length);
            for (int32_t k = 0; k < length; k++) {
                if (row[k] < 0 || last[row[k]] == block[e])
                    continue;
                last[row[k]] = block[e];
                if (blocks)
                    blocks[offsets[row[k]]++] = block[e];
                else
                    offsets[row[k] + 1]++;
            }
        }
    }
}

/* Two walks over the elements, block by block: the first counts the blocks of each
 * point, the second writes them. sequence holds the elements grouped by block; last,
 * one per point, remembers the block that was noted last, so that each is noted once.
 * After the second walk offsets[p] are ends; they are moved up by one point to be
 * beginnings again. */
static mplan_status make_lists(const mplan_map *maps, int32_t n_maps, const int32_t *block,
                               const int32_t *sequence, mplan_block_lists *lists, mplan_error *err)
{
    int64_t n = lists->n_points;
    int32_t *last = mplan_alloc(n, sizeof *last, err);
    lists->offsets = mplan_alloc_zero(n + 1, sizeof *lists->offsets, err);
    if (!last || !lists->offsets) {
        free(last);
        return MPLAN_ERR_MEMORY;
    }
    walk_blocks(maps, n_maps, block, sequence, last, lists->offsets, NULL);
    for (int64_t p = 0; p < n; p++) {
        if (lists->offsets[p + 1] > lists->longest)
            lists->longest = lists->offsets[p + 1];
        lists->offsets[p + 1] += lists->offsets[p];
    }
    lists->blocks = mplan_alloc(lists->offsets[n], sizeof *lists->blocks, err);
    if (lists->blocks) {
        walk_blocks(maps, n_maps, block, sequence, last, lists->offsets, lists->blocks);
        mplan_step_back(lists->offsets, n);
    }
    free(last);
    return lists->blocks ? MPLAN_OK : MPLAN_ERR_MEMORY;
}

/* The number of blocks is taken from the largest one that an element has; blocks
 * without elements are allowed. */
mplan_status mplan_block_lists_create(const mplan_map *maps, int32_t n_maps, const int32_t *block,
                                      mplan_block_lists *out, mplan_error *err)
{
    assert(maps && block && out && n_maps > 0);
    int32_t *sequence = NULL;
    *out = (mplan_block_lists){.n_points = maps[0].n_points};
    for (int64_t e = 0; e < maps[0].n_rows; e++)
        if (block[e] >= out->n_blocks)
            out->n_blocks = (int64_t)block[e] + 1;
    mplan_status status = elements_by_block(maps[0].n_rows, block, out->n_blocks, &sequence, err);
    if (!status)
        status = make_lists(maps, n_maps, block, sequence, out, err);
    free(sequence);
    if (status)
        mplan_block_lists_free(out);
    return status;
}

void mplan_block_lists_free(mplan_block_lists *lists)
{
    assert(lists);
    free(lists->offsets);
    free(lists->blocks);
    *lists = (mplan_block_lists){0};
}
