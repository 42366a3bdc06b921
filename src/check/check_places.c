/* SPDX-License-Identifier: Apache-2.0 */
/* check_places.c - the order that halos of a part lie in
 *
 * Without slabs it is the stored one. With slabs PART_PLACES leads from it to the stored one (section 4 of formats/plan-format.md, PARTS), and
 * all proofs of halos are made in it: so maps are brought into it here, rows and points. */
#include "check/check_halo.h"

#include <stdlib.h>
#include <string.h>

/* --- places ----------------------------------------------------------------------------------- */

/* PART_PLACES of a set holds each stored index once. */
static mplan_status prove_places(mplan_check *check, int32_t s, mplan_error *err)
{
    const mplan_plan_set *set = mplan_check_set(check, s);
    const int32_t *place = mplan_check_data(check, mplan_key_of_set(MPLAN_KIND_PART_PLACES, s));
    const int32_t *old = mplan_check_old_of_new(check, s);
    int32_t *of = check->part_of[s] = mplan_alloc(set->size, sizeof *of, err);
    int32_t *part_old = check->part_old[s] = mplan_alloc(set->size, sizeof *part_old, err);
    if (!of || !part_old)
        return MPLAN_ERR_MEMORY;
    for (int64_t i = 0; i < set->size; i++)
        of[i] = -1;
    for (int64_t i = 0; i < set->size; i++) {
        if (place[i] < 0 || place[i] >= set->size || of[place[i]] >= 0)
            return MPLAN_DISPROVED(err,
                                   "set %s: PART_PLACES has %d at place %" PRId64
                                   ", which is not a stored index that is there once",
                                   set->name, (int)place[i], i);
        of[place[i]] = (int32_t)i;
        part_old[i] = old[place[i]];
    }
    check->part_place[s] = place;
    return MPLAN_OK;
}

/* Parts have no holes (check_halo.c), so that the stored order has `size` places, too. */
mplan_status mplan_check_places(mplan_check *check, mplan_error *err)
{
    const int32_t n = check->plan->n_sets;
    if (!mplan_plan_is_part(check->plan) || check->plan->visit.slabs == 0)
        return MPLAN_OK;
    check->part_place = mplan_alloc_zero(n, sizeof *check->part_place, err);
    check->part_of = mplan_alloc_zero(n, sizeof *check->part_of, err);
    check->part_old = mplan_alloc_zero(n, sizeof *check->part_old, err);
    mplan_status status = check->part_place && check->part_of && check->part_old ? MPLAN_OK
                                                                                 : MPLAN_ERR_MEMORY;
    for (int32_t s = 0; s < n && !status; s++)
        status = prove_places(check, s, err);
    return status;
}

/* --- maps ------------------------------------------------------------------------------------- */

/* Rows and points of a stored map by places. */
static mplan_status bring_map(const mplan_check *check, const mplan_map *from, mplan_map *to,
                              mplan_error *err)
{
    const int32_t *place = check->part_place[from->from], *of = check->part_of[from->to];
    *to = *from;
    int32_t *values = mplan_alloc(mplan_map_entries(from), sizeof *values, err);
    int64_t *offsets = from->arity ? NULL : mplan_alloc_zero(from->n_rows + 1, sizeof *offsets, err);
    to->values = values;
    to->offsets = offsets;
    if (!values || (!from->arity && !offsets))
        return MPLAN_ERR_MEMORY;
    for (int64_t r = 0, at = 0; r < from->n_rows; r++) {
        int32_t n;
        const int32_t *row = mplan_map_row(from, place[r], &n);
        for (int32_t k = 0; k < n; k++)
            values[at++] = row[k] < 0 ? -1 : of[row[k]];
        if (offsets)
            offsets[r + 1] = at;
    }
    return MPLAN_OK;
}

/* After the stored maps, whose rows are known to lead to members then. */
mplan_status mplan_check_part_maps(mplan_check *check, mplan_error *err)
{
    mplan_status status = MPLAN_OK;
    check->part_maps = check->maps;
    if (!check->part_place)
        return MPLAN_OK;
    check->own_part_maps = mplan_alloc_zero(check->plan->n_maps, sizeof *check->own_part_maps, err);
    if (!check->own_part_maps)
        return MPLAN_ERR_MEMORY;
    check->part_maps = check->own_part_maps;
    for (int32_t m = 0; m < check->plan->n_maps && !status; m++)
        status = bring_map(check, &check->maps[m], &check->own_part_maps[m], err);
    return status;
}
