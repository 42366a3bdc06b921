/* gather.c - for each point the slots that hold it */
#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "tables/tables.h"

mplan_status mplan_table_gather(const mplan_map *map, int64_t **offsets, int64_t **slots,
                                mplan_error *err)
{
    assert(map && offsets && slots);
    int64_t entries = mplan_map_entries(map), kept = 0;
    int64_t *begin = mplan_alloc_zero(map->n_points + 1, sizeof *begin, err);
    if (!begin)
        return MPLAN_ERR_MEMORY;
    for (int64_t i = 0; i < entries; i++)
        if (map->values[i] >= 0) {
            begin[map->values[i] + 1]++;
            kept++;
        }
    for (int64_t p = 0; p < map->n_points; p++)
        begin[p + 1] += begin[p];
    int64_t *list = mplan_alloc(kept, sizeof *list, err);
    if (!list) {
        free(begin);
        return MPLAN_ERR_MEMORY;
    }
    /* begin[p] runs to the end of p's list, which is where p + 1's began */
    for (int64_t i = 0; i < entries; i++)
        if (map->values[i] >= 0)
            list[begin[map->values[i]]++] = i;
    memmove(begin + 1, begin, (size_t)map->n_points * sizeof *begin);
    begin[0] = 0;
    *offsets = begin;
    *slots = list;
    return MPLAN_OK;
}
