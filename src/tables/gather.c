/* SPDX-License-Identifier: Apache-2.0 */
/* gather.c - for each point the slots that hold it */
#include <assert.h>
#include <stdlib.h>

#include "base/buckets.h"
#include "base/memory.h"
#include "tables/tables.h"

/* Slots [low, high) of row e, as far as it has them, go behind what their points have so far;
 * begin[p] is the end of p's list. */
static void add_slots(const mplan_map *map, int64_t e, int32_t low, int32_t high, int64_t *begin,
                      int64_t *list)
{
    int32_t length;
    const int32_t *row = mplan_map_row(map, e, &length);
    for (int32_t s = low; s < high && s < length; s++)
        if (row[s] >= 0)
            list[begin[row[s]]++] = row + s - map->values;
}

/* begin: offsets of the lists; they are the same afterwards. */
static void fill_lists(const mplan_map *map, const mplan_row_order *order, int64_t *begin,
                       int64_t *list)
{
    if (order->by == MPLAN_SUMS_ORDER_STORED) {
        mplan_bucket_places64(map->values, mplan_map_entries(map), map->n_points, begin, list);
        return;
    }
    if (order->by == MPLAN_SUMS_ORDER_MESH)
        for (int64_t i = 0; i < order->n_members; i++)
            add_slots(map, order->new_of_old[i], 0, INT32_MAX, begin, list);
    else
        for (int32_t s = 0; s < map->arity; s++)
            for (int64_t e = 0; e < map->n_rows; e++)
                add_slots(map, e, s, s + 1, begin, list);
    mplan_step_back(begin, map->n_points);
}

/* A counting sort of the entries by point, stable in the order that is asked for; -1 entries
 * are in no list. Both arrays are the caller's; nothing is set after a failure. */
mplan_status mplan_table_gather(const mplan_map *map, const mplan_row_order *order,
                                int64_t **offsets, int64_t **slots, mplan_error *err)
{
    assert(map && order && order->by >= 0 && offsets && slots);
    int64_t entries = mplan_map_entries(map);
    int64_t *begin = mplan_alloc(map->n_points + 1, sizeof *begin, err);
    if (!begin)
        return MPLAN_ERR_MEMORY;
    int64_t kept = mplan_bucket_offsets(map->values, entries, map->n_points, begin);
    int64_t *list = mplan_alloc(kept, sizeof *list, err);
    if (!list) {
        free(begin);
        return MPLAN_ERR_MEMORY;
    }
    fill_lists(map, order, begin, list);
    *offsets = begin;
    *slots = list;
    return MPLAN_OK;
}
