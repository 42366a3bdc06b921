/* SPDX-License-Identifier: Apache-2.0 */
/* check_rings.c - rings of a part by itself: they are found once more from its rows, and compared
 *
 * Section 4 of formats/plan-format.md, PARTS. Region k has all members up to ring k. Here every ring makes one pass over all rows
 * of the part, where the planner goes from member to member; rows up to ring `rings` are those of the mesh (check_bundle.c,
 * check_bundle_mesh.c), and others lead to no member below that ring, as these have no entry more than their owners say. */
#include "check/check_halo.h"

#include <stdlib.h>
#include <string.h>

/* Rings as they are found; ring[s] by place of set s, above `most` where none is known. */
typedef struct ring_proof {
    const mplan_check *check;
    int64_t most; /* rings of the request */
    uint8_t **ring;
} ring_proof;

bool mplan_check_carries(const mplan_plan *plan, int32_t map)
{
    bool carries = false;
    for (int32_t l = 0; l < plan->n_loops; l++)
        for (int32_t a = 0; a < plan->loops[l].n_args; a++) {
            const mplan_plan_arg *arg = &plan->loops[l].args[a];
            for (int32_t k = 0; arg->map == map && k < plan->n_loops; k++)
                for (int32_t b = 0; b < plan->loops[k].n_args; b++)
                    carries = carries || (plan->loops[k].args[b].access != MPLAN_READ &&
                                          strcmp(plan->loops[k].args[b].dat, arg->dat) == 0);
        }
    return carries;
}

/* The lowest ring of the points of a row; above `most` without any. */
static int64_t lowest_of(const ring_proof *proof, const mplan_map *map, int64_t e)
{
    int32_t n;
    const int32_t *row = mplan_map_row(map, e, &n);
    int64_t low = proof->most + 1;
    for (int32_t k = 0; k < n; k++)
        if (row[k] >= 0 && proof->ring[map->to][row[k]] < low)
            low = proof->ring[map->to][row[k]];
    return low;
}

static void lower(uint8_t *ring, int64_t to)
{
    if (*ring > to)
        *ring = (uint8_t)to;
}

/* Elements with a point in region k in a map by which loops change points are in region k + 1. */
static void take_elements(const ring_proof *proof, int64_t k)
{
    const mplan_check *check = proof->check;
    for (int32_t m = 0; m < check->plan->n_maps; m++) {
        const mplan_map *map = &check->part_maps[m];
        if (!mplan_check_goes_through(check->plan, -1, m, true))
            continue;
        for (int64_t e = mplan_check_set(check, map->from)->part.owned; e < map->n_rows; e++)
            if (lowest_of(proof, map, e) <= k)
                lower(&proof->ring[map->from][e], k + 1);
    }
}

/* Whether an element has a point in region k in a map by which loops change points. */
static bool is_run(const ring_proof *proof, int32_t set, int64_t e, int64_t k)
{
    bool run = false;
    for (int32_t m = 0; m < proof->check->plan->n_maps && !run; m++)
        run = proof->check->part_maps[m].from == set &&
              mplan_check_goes_through(proof->check->plan, -1, m, true) &&
              lowest_of(proof, &proof->check->part_maps[m], e) <= k;
    return run;
}

/* Points of elements in region k, and of those that run for it, are in region k + 1: by maps that carry changes.
 * Elements below `inner` have no point in a halo. */
static void take_points(const ring_proof *proof, int64_t k)
{
    const mplan_check *check = proof->check;
    for (int32_t m = 0; m < check->plan->n_maps; m++) {
        const mplan_map *map = &check->part_maps[m];
        if (!mplan_check_carries(check->plan, m))
            continue;
        for (int64_t e = mplan_check_set(check, map->from)->part.inner; e < map->n_rows; e++) {
            int32_t n;
            const int32_t *row = mplan_map_row(map, e, &n);
            const int64_t own = proof->ring[map->from][e];
            if (own > k && !(own == k + 1 && is_run(proof, map->from, e, k)))
                continue;
            for (int32_t i = 0; i < n; i++)
                if (row[i] >= 0)
                    lower(&proof->ring[map->to][row[i]], k + 1);
        }
    }
}

/* What was found against what the plan says: ring `most` + 1 is what no region has. */
static mplan_status compare(const ring_proof *proof, int32_t s, mplan_error *err)
{
    mplan_check_halo halo;
    mplan_check_halo_open(proof->check, s, &halo);
    for (int64_t m = halo.part->owned; m < halo.size; m++)
        if (mplan_check_ring(&halo, m) != proof->ring[s][m])
            return MPLAN_DISPROVED(err,
                                   "set %s: HALO_RINGS has ring %" PRId64
                                   " for stored index %" PRId64 ", which is at ring %d",
                                   halo.name, mplan_check_ring(&halo, m), m, proof->ring[s][m]);
    return MPLAN_OK;
}

mplan_status mplan_check_rings(mplan_check *check, mplan_error *err)
{
    const int32_t n_sets = check->plan->n_sets;
    if (check->rings == 0)
        return MPLAN_OK;
    ring_proof proof = {check, check->rings, mplan_alloc_zero(n_sets, sizeof *proof.ring, err)};
    mplan_status status = proof.ring ? MPLAN_OK : MPLAN_ERR_MEMORY;
    for (int32_t s = 0; s < n_sets && !status; s++) {
        const mplan_plan_set *set = mplan_check_set(check, s);
        proof.ring[s] = mplan_alloc_zero(set->size, 1, err);
        status = proof.ring[s] ? MPLAN_OK : MPLAN_ERR_MEMORY;
        if (!status && set->size > set->part.owned)
            memset(proof.ring[s] + set->part.owned, (int)(proof.most + 1),
                   (size_t)(set->size - set->part.owned));
    }
    for (int64_t k = 0; k < proof.most && !status; k++) {
        take_elements(&proof, k);
        take_points(&proof, k);
    }
    for (int32_t s = 0; s < n_sets && !status; s++)
        status = compare(&proof, s, err);
    for (int32_t s = 0; proof.ring && s < n_sets; s++)
        free(proof.ring[s]);
    free(proof.ring);
    return status;
}
