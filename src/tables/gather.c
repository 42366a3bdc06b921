/* SPDX-License-Identifier: Apache-2.0 */
/* gather.c - for each point the slots that hold it */
#include <assert.h>
#include <stdlib.h>

#include "base/buckets.h"
#include "base/memory.h"
#include "tables/tables.h"

/* A counting sort of the entries by point, stable, so that slots of a point ascend; -1 entries
 * are in no list. Both arrays are the caller's; nothing is set after a failure. */
mplan_status mplan_table_gather(const mplan_map *map, int64_t **offsets, int64_t **slots,
                                mplan_error *err)
{
    assert(map && offsets && slots);
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
    mplan_bucket_places64(map->values, entries, map->n_points, begin, list);
    *offsets = begin;
    *slots = list;
    return MPLAN_OK;
}
