/* SPDX-License-Identifier: Apache-2.0 */
/* conflict_maps.c - the maps by which a loop writes */
#include "pipeline/conflict_maps.h"

#include <assert.h>
#include <stdlib.h>

#include "base/memory.h"

void mplan_conflict_maps_free(conflict_maps *conflict)
{
    assert(conflict);
    free(conflict->maps);
    free(conflict->which);
}

/* out->maps: those that the loop writes through, out->which: their numbers in
 * the plan. */
mplan_status mplan_conflict_maps_of(const planning *p, const planning_loop *loop,
                                    conflict_maps *out, mplan_error *err)
{
    assert(p && loop && out);
    *out = (conflict_maps){0, mplan_alloc(loop->n_maps, sizeof *out->maps, err),
                           mplan_alloc(loop->n_maps, sizeof *out->which, err)};
    if (!out->maps || !out->which)
        return MPLAN_ERR_MEMORY;
    for (int32_t m = 0; m < loop->n_maps; m++)
        if (loop->map_written[m]) {
            out->which[out->n_maps] = loop->maps[m];
            out->maps[out->n_maps++] = mplan_planning_stored_map(p, loop->maps[m]);
        }
    return MPLAN_OK;
}
