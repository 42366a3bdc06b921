/* SPDX-License-Identifier: Apache-2.0 */
/* exec_parts_places.c - the part order of parts whose stored orders have slabs, as their plans say it (PART_PLACES) */
#include <assert.h>
#include <stdlib.h>

#include "base/error.h"
#include "base/memory.h"
#include "exec/ranks/exec_parts.h"

/* Of one set: stored indices and their inverse. */
static mplan_status open_set(mplan_exec_one_part *part, int32_t s, mplan_error *err)
{
    const int64_t size = mplan_plan_get_set(part->plan, s)->size;
    int64_t n = 0;
    const int32_t *place = mplan_plan_data(part->plan, mplan_key_of_set(MPLAN_KIND_PART_PLACES, s),
                                           MPLAN_TYPE_I32, &n);
    int32_t *of = part->part_of[s] = mplan_alloc(size, sizeof *of, err);
    if (!of)
        return MPLAN_ERR_MEMORY;
    bool good = place && n == size;
    for (int64_t i = 0; i < size; i++)
        of[i] = -1;
    for (int64_t i = 0; good && i < size; i++) {
        good = place[i] >= 0 && place[i] < size && of[place[i]] < 0;
        if (good)
            of[place[i]] = (int32_t)i;
    }
    part->place[s] = place;
    return good ? MPLAN_OK
                : mplan_fail(err, MPLAN_ERR_CORRUPT,
                             "part %d: places of set %s are damaged; meshplan verify says more",
                             (int)part->part, mplan_plan_get_set(part->plan, s)->name);
}

mplan_status mplan_exec_parts_open_places(mplan_exec_one_part *part, mplan_error *err)
{
    assert(part && part->plan && !part->place);
    const int32_t n = mplan_plan_n_sets(part->plan);
    if (!mplan_plan_has_slabs(part->plan))
        return MPLAN_OK;
    part->place = mplan_alloc_zero(n, sizeof *part->place, err);
    part->part_of = mplan_alloc_zero(n, sizeof *part->part_of, err);
    mplan_status status = part->place && part->part_of ? MPLAN_OK : MPLAN_ERR_MEMORY;
    for (int32_t s = 0; s < n && !status; s++)
        status = open_set(part, s, err);
    return status;
}

void mplan_exec_parts_close_places(mplan_exec_one_part *part)
{
    assert(part);
    for (int32_t s = 0; part->part_of && s < mplan_plan_n_sets(part->plan); s++)
        free(part->part_of[s]);
    free(part->part_of);
    free(part->place);
}
