/* SPDX-License-Identifier: Apache-2.0 */
/* check_once.c - args that write points once: their map leads to each point at most once */
#include <stdlib.h>

#include "check/check.h"

/* seen: a byte for each place of the to-set, zero. */
static mplan_status check_map(const mplan_plan_loop *loop, int32_t a, const mplan_map *map,
                              uint8_t *seen, mplan_error *err)
{
    for (int64_t i = 0; i < mplan_map_entries(map); i++) {
        if (map->values[i] < 0)
            continue;
        if (seen[map->values[i]])
            return MPLAN_DISPROVED(err,
                                   "loop %s: arg %d writes points once, but map %s leads to point "
                                   "%d twice",
                                   loop->name, (int)a, map->name, (int)map->values[i]);
        seen[map->values[i]] = 1;
    }
    return MPLAN_OK;
}

/* After the maps: their entries are in range. */
mplan_status mplan_check_once(mplan_check *check, mplan_error *err)
{
    const mplan_plan *plan = check->plan;
    mplan_status status = MPLAN_OK;
    for (int32_t l = 0; l < plan->n_loops; l++)
        for (int32_t a = 0; a < plan->loops[l].n_args && !status; a++) {
            const mplan_plan_arg *arg = &plan->loops[l].args[a];
            if (!arg->once)
                continue;
            if (plan->loops[l].layering != MPLAN_LAYERING_NONE) /* layers of a column share levels */
                return MPLAN_DISPROVED(err,
                                       "loop %s: arg %d writes points once, but there are layers",
                                       plan->loops[l].name, (int)a);
            const mplan_map *map = &check->maps[arg->map];
            uint8_t *seen = mplan_alloc_zero(mplan_check_set(check, map->to)->storage_size, 1, err);
            status = seen ? check_map(&plan->loops[l], a, map, seen, err) : MPLAN_ERR_MEMORY;
            free(seen);
        }
    return status;
}
