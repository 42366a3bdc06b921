/* SPDX-License-Identifier: Apache-2.0 */
/* point_order.c - in which order points are stored
 *
 * By the list of blocks that touch them: Sulyok, Balogh, Reguly, Mudalige (2019),
 * section 3.4, sort by the number of blocks first; the plain lexicographic order
 * keeps a block's own points beside those that it shares. */
#include <assert.h>
#include <stdlib.h>

#include "base/fetch.h"
#include "base/memory.h"
#include "order/block_lists.h"
#include "order/lexicographic.h"
#include "order/order.h"
#include "order/sequence.h"

typedef struct sorted_lists {
    const mplan_block_lists *lists;
    bool count_first;
} sorted_lists;

/* Untouched points come last: they get a number above all others. With
 * count_first the number of blocks leads the list. */
static int64_t get_list(const void *data, int64_t point, int32_t *list)
{
    const sorted_lists *sorted = data;
    const mplan_block_lists *lists = sorted->lists;
    int64_t begin = lists->offsets[point], length = lists->offsets[point + 1] - begin;
    int64_t out = 0;
    if (length == 0) {
        list[0] = (int32_t)(sorted->count_first ? lists->longest + 1 : lists->n_blocks);
        return 1;
    }
    if (sorted->count_first)
        list[out++] = (int32_t)length;
    for (int64_t i = 0; i < length; i++)
        list[out++] = lists->blocks[begin + i];
    return out;
}

/* Where the list of a point begins. */
static void fetch_list(const void *data, int64_t point)
{
    const sorted_lists *sorted = data;
    mplan_fetch(sorted->lists->offsets + point);
}

/* count_first puts the length of the list before its blocks, which makes one more
 * number per list. */
mplan_status mplan_order_block_lists(const mplan_block_lists *lists, bool count_first,
                                     const int32_t *earlier, int32_t *new_of_old,
                                     const mplan_context *context, mplan_error *err)
{
    assert(lists && new_of_old);
    int32_t *sequence = NULL;
    mplan_status status = mplan_sequence_of(lists->n_points, earlier, &sequence,
                                            mplan_team_of(context), err);
    if (!status) {
        int64_t values = lists->n_blocks > lists->longest + 1 ? lists->n_blocks : lists->longest + 1;
        sorted_lists data = {lists, count_first};
        mplan_lists sorted = {lists->n_points, values + 1, lists->longest + 1,
                              get_list,        &data,      fetch_list};
        status = mplan_order_lists(&sorted, sequence, new_of_old, context, err);
    }
    free(sequence);
    return status;
}

mplan_status mplan_order_points(const mplan_map *maps, int32_t n_maps, const int32_t *block,
                                bool count_first, const int32_t *earlier, int32_t *new_of_old,
                                const mplan_context *context, mplan_error *err)
{
    assert(maps && block && new_of_old && n_maps > 0);
    mplan_block_lists lists;
    mplan_status status = mplan_block_lists_create(maps, n_maps, block, &lists, context, err);
    if (!status)
        status = mplan_order_block_lists(&lists, count_first, earlier, new_of_old, context, err);
    mplan_block_lists_free(&lists);
    return status;
}

/* Points get places in the order in which the rows, taken by their own new places,
 * first name them. Points that no row names follow, in the order of their index. */
mplan_status mplan_order_first_touch(const mplan_map *map, const int32_t *row_new_of_old,
                                     int32_t *new_of_old, mplan_error *err)
{
    assert(map && new_of_old);
    int32_t *sequence;
    mplan_status status = mplan_sequence_of(map->n_rows, row_new_of_old, &sequence, NULL, err);
    if (status)
        return status;
    int32_t next = 0;
    for (int64_t p = 0; p < map->n_points; p++)
        new_of_old[p] = -1;
    for (int64_t i = 0; i < map->n_rows; i++) {
        int32_t length;
        const int32_t *row = mplan_map_row(map, sequence ? sequence[i] : i, &length);
        for (int32_t k = 0; k < length; k++)
            if (row[k] >= 0 && new_of_old[row[k]] < 0)
                new_of_old[row[k]] = next++;
    }
    for (int64_t p = 0; p < map->n_points; p++)
        if (new_of_old[p] < 0)
            new_of_old[p] = next++;
    free(sequence);
    return MPLAN_OK;
}
