/* SPDX-License-Identifier: Apache-2.0 */
/* block_lists.c - which blocks touch each point */
#include "order/block_lists.h"

#include <assert.h>
#include <stdlib.h>

#include "base/threads.h"
#include "mesh/point_lists.h"

enum { ROWS = 1 << 14 };

/* What a walk over the points or the rows finds. */
typedef struct extreme {
    const int32_t *block;
    const int64_t *offsets;
} extreme;

/* The least of -block. */
static int64_t least_block(void *data, int thread, int64_t begin, int64_t end)
{
    const extreme *of = data;
    int64_t least = 1;
    (void)thread;
    for (int64_t e = begin; e < end; e++)
        least = -(int64_t)of->block[e] < least ? -(int64_t)of->block[e] : least;
    return least;
}

/* The least of -length. */
static int64_t least_length(void *data, int thread, int64_t begin, int64_t end)
{
    const extreme *of = data;
    int64_t least = 0;
    (void)thread;
    for (int64_t p = begin; p < end; p++)
        least = of->offsets[p] - of->offsets[p + 1] < least ? of->offsets[p] - of->offsets[p + 1]
                                                            : least;
    return least;
}

/* The number of blocks is taken from the largest one that an element has; blocks
 * without elements are allowed. */
mplan_status mplan_block_lists_create(const mplan_map *maps, int32_t n_maps, const int32_t *block,
                                      mplan_block_lists *out, const mplan_context *context,
                                      mplan_error *err)
{
    assert(maps && block && out && n_maps > 0);
    mplan_team *team = mplan_team_of(context);
    mplan_point_lists lists = {NULL, NULL};
    extreme of = {block, NULL};
    *out = (mplan_block_lists){.n_points = maps[0].n_points};
    mplan_status status = mplan_point_lists_create(maps, n_maps, block, &lists, context, err);
    if (status)
        return status;
    of.offsets = out->offsets = lists.offsets;
    out->blocks = lists.values;
    out->n_blocks = 1 - mplan_for_least(team, maps[0].n_rows, ROWS, least_block, &of, 1);
    out->longest = -mplan_for_least(team, out->n_points, ROWS, least_length, &of, 0);
    return MPLAN_OK;
}

void mplan_block_lists_free(mplan_block_lists *lists)
{
    assert(lists);
    free(lists->offsets);
    free(lists->blocks);
    *lists = (mplan_block_lists){0};
}
