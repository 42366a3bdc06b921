/* SPDX-License-Identifier: Apache-2.0 */
/* check_bundle_layers.c - columns of the members that several parts have are equally high in all of them
 *
 * A part says the layers of what it owns and of its halos. All parts together say those of the whole mesh, whose hash is in
 * the request; one part by itself cannot prove that hash. Memory: 8 bytes for each member of a set whose columns differ. */
#include "check/check_halo.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/hash.h"

/* Room for the ranges of all members of the whole mesh, each unknown. */
static mplan_status make_room(mplan_check_columns *columns, int64_t total, mplan_error *err)
{
    columns->ranges = mplan_alloc(2 * total, sizeof *columns->ranges, err);
    for (int64_t i = 0; columns->ranges && i < 2 * total; i++)
        columns->ranges[i] = -1;
    return columns->ranges ? MPLAN_OK : MPLAN_ERR_MEMORY;
}

/* The part is proved by itself, so ranges are in their bounds and ids below the total. */
mplan_status mplan_check_columns_note(const mplan_check *check, const mplan_check_halo *halo,
                                      int32_t set, mplan_check_columns *columns, mplan_error *err)
{
    const mplan_plan_set *record = mplan_check_set(check, set);
    if (!record->layers_ranged)
        return MPLAN_OK;
    const int32_t *ranges = mplan_check_data(check, mplan_key_of_set(MPLAN_KIND_LAYER_RANGES, set));
    mplan_status status = columns->ranges ? MPLAN_OK : make_room(columns, halo->part->total, err);
    columns->layers = record->layers;
    for (int64_t m = 0; m < halo->size && !status; m++) {
        const int64_t id = mplan_check_global(halo, m);
        int32_t *known = columns->ranges + 2 * id;
        if (known[0] < 0)
            memcpy(known, ranges + 2 * m, 2 * sizeof *known);
        else if (memcmp(known, ranges + 2 * m, 2 * sizeof *known) != 0)
            status = MPLAN_DISPROVED(err,
                                     "set %s: member %" PRId64
                                     " of the mesh has layers %d to %d, but a part before it "
                                     "has %d to %d",
                                     halo->name, id, (int)ranges[2 * m], (int)ranges[2 * m + 1] - 1,
                                     (int)known[0], (int)known[1] - 1);
    }
    return status;
}

/* Parts without members of the set say nothing; without any there is nothing to be proved. */
mplan_status mplan_check_columns_end(const mplan_bundle_set *set, const mplan_check_columns *columns,
                                     const char *request, mplan_error *err)
{
    if (!columns->ranges)
        return MPLAN_OK;
    const uint64_t hash = mplan_hash(columns->ranges,
                                     2 * (size_t)set->total * sizeof *columns->ranges);
    const size_t size = strlen(set->name) + 80;
    char *line = mplan_alloc((int64_t)size, 1, err);
    if (!line)
        return MPLAN_ERR_MEMORY;
    snprintf(line, size, "\nlayers %d ranges %016" PRIx64 " %s\n", (int)columns->layers, hash,
             set->name);
    mplan_status status = strstr(request, line)
                              ? MPLAN_OK
                              : MPLAN_DISPROVED(err,
                                                "set %s: the ranges of its layers in all parts have the "
                                                "hash %016" PRIx64
                                                ", which is not that of the request",
                                                set->name, hash);
    free(line);
    return status;
}
