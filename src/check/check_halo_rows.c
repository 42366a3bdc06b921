/* SPDX-License-Identifier: Apache-2.0 */
/* check_halo_rows.c - a part by itself: what the rows of its maps require of its halos
 *
 * The execute halo is exactly the elements of others with an owned point in a map by which a loop changes something; inner
 * members meet no halo; each loop imports exactly what it reads. Elements and points below `inner` are not looked at
 * again once they are known to be inner, so later steps cost what the border of the part costs. */
#include "check/check_halo.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* loop -1: any. changes: only args that write or increment count. */
bool mplan_check_goes_through(const mplan_plan *plan, int32_t loop, int32_t map, bool changes)
{
    bool found = false;
    for (int32_t l = loop < 0 ? 0 : loop; l < (loop < 0 ? plan->n_loops : loop + 1); l++)
        for (int32_t a = 0; a < plan->loops[l].n_args; a++)
            found = found || (plan->loops[l].args[a].map == map &&
                              (!changes || plan->loops[l].args[a].access != MPLAN_READ));
    return found;
}

/* Whether a row of the map has a point at a ring below `below`. */
static bool reaches(const mplan_check *check, int32_t m, int64_t element, int64_t below)
{
    mplan_check_halo to;
    int32_t n;
    const int32_t *row = mplan_map_row(&check->part_maps[m], element, &n);
    mplan_check_halo_open(check, check->part_maps[m].to, &to);
    for (int32_t k = 0; k < n; k++)
        if (row[k] >= 0 && mplan_check_ring(&to, row[k]) < below)
            return true;
    return false;
}

bool mplan_check_changes(const mplan_check *check, int32_t loop, int32_t set, int64_t element,
                         int64_t below)
{
    bool changes = false;
    for (int32_t m = 0; m < check->plan->n_maps && !changes; m++)
        changes = check->plan->maps[m].from == set &&
                  mplan_check_goes_through(check->plan, loop, m, true) &&
                  reaches(check, m, element, below);
    return changes;
}

/* --- the execute halo --- */

/* The execute halo is exact: the elements of other parts that change a point which this part owns, or with rings one that
 * it computes; no others. */
static mplan_status check_executed(const mplan_check *check, int32_t s, mplan_error *err)
{
    const mplan_plan_set *set = mplan_check_set(check, s);
    const int64_t depth = check->rings > 0 ? check->rings : 1;
    for (int64_t e = set->part.owned; e < set->size; e++) {
        const bool changes = mplan_check_changes(check, -1, s, e, depth);
        if (changes != (e < set->part.executed))
            return MPLAN_DISPROVED(err,
                                   changes
                                       ? "set %s: the element at stored index %" PRId64
                                         " is in the read halo, but changes a point that the part owns"
                                       : "set %s: the element at stored index %" PRId64
                                         " is in the execute halo, but changes no point that the part "
                                         "owns",
                                   set->name, e);
    }
    return MPLAN_OK;
}

/* --- inner members --- */

/* A map that loops use, and where the inner and the owned members of both its sets end. */
typedef struct inner_proof {
    const mplan_map *map;
    const char *from_name, *to_name;
    const mplan_part_set *from, *to;
} inner_proof;

/* Rows of run `part`, by stored index. Of a row only its lowest and highest point count: an inner element has none
 * behind the owned ones; an inner point is only in rows of owned elements without a point of the halo. */
static mplan_status check_inner(void *data, int64_t part, int thread, mplan_error *err)
{
    const inner_proof *proof = data;
    (void)thread;
    for (int64_t r = part * MPLAN_CHECK_RUN; r < mplan_check_run_end(part, proof->map->n_rows); r++) {
        int32_t n;
        const int32_t *row = mplan_map_row(proof->map, r, &n);
        int64_t low = INT64_MAX, high = -1;
        for (int32_t k = 0; k < n; k++) {
            if (row[k] < 0)
                continue;
            low = row[k] < low ? row[k] : low;
            high = row[k] > high ? row[k] : high;
        }
        if (r < proof->from->inner && high >= proof->to->owned)
            return MPLAN_DISPROVED(err,
                                   "map %s: element %" PRId64 " of %s counts as inner, but has point "
                                   "%" PRId64 " of the halo",
                                   proof->map->name, r, proof->from_name, high);
        if (low < proof->to->inner && (r >= proof->from->owned || high >= proof->to->owned))
            return MPLAN_DISPROVED(err,
                                   "map %s: point %" PRId64 " of %s counts as inner, but is in row "
                                   "%" PRId64 " with a member of a halo",
                                   proof->map->name, low, proof->to_name, r);
    }
    return MPLAN_OK;
}

/* Inner elements touch only owned points, so they may run while messages travel. Maps that no loop uses do not count. */
static mplan_status check_inner_of_map(const mplan_check *check, int32_t m, mplan_error *err)
{
    const mplan_map *map = &check->part_maps[m];
    const mplan_plan_set *from = mplan_check_set(check, map->from),
                         *to = mplan_check_set(check, map->to);
    inner_proof proof = {map, from->name, to->name, &from->part, &to->part};
    if (!mplan_check_goes_through(check->plan, -1, m, false))
        return MPLAN_OK;
    return mplan_check_each(check, mplan_check_runs(map->n_rows), check_inner, &proof, err);
}

/* --- what loops read of halos --- */

/* Marks what element e of the loop reads of the halo of set s. marks: a byte for each place from `owned` on. */
static void mark_reads(const mplan_check *check, int32_t l, int32_t s, int64_t e, uint8_t *marks)
{
    const mplan_plan_loop *loop = &check->plan->loops[l];
    const int64_t owned = mplan_check_set(check, s)->part.owned;
    for (int32_t a = 0; a < loop->n_args; a++) {
        const mplan_plan_arg *arg = &loop->args[a];
        if (arg->access != MPLAN_READ && arg->access != MPLAN_RW)
            continue;
        if (arg->map == -1 && loop->set == s && e >= owned)
            marks[e - owned] = 1;
        if (arg->map < 0 || check->part_maps[arg->map].to != s)
            continue;
        int32_t n;
        const int32_t *row = mplan_map_row(&check->part_maps[arg->map], e, &n);
        for (int32_t k = 0; k < n; k++)
            if (row[k] >= owned)
                marks[row[k] - owned] = 1;
    }
}

/* Place by place of import i, the list has what is marked, and nothing else. */
static mplan_status compare_list(const mplan_check_halo *halo, const mplan_check_loop_halo *lists,
                                 int32_t i, const uint8_t *marks, mplan_error *err)
{
    const int64_t *range = halo->ranges + 4 * (int64_t)i, owned = halo->part->owned;
    int64_t at = lists->in_begins[i];
    for (int kind = 0; kind < 4; kind += 2)
        for (int64_t m = range[kind]; m < range[kind + 1]; m++) {
            const bool listed = at < lists->in_begins[i + 1] && lists->in[at] == m;
            if (marks[m - owned] && !listed)
                return MPLAN_DISPROVED(err,
                                       "reads member %" PRId64 " of the halo of %s, but LOOP_IMPORTS "
                                       "lacks it",
                                       m, halo->name);
            if (!marks[m - owned] && listed)
                return MPLAN_DISPROVED(err,
                                       "has member %" PRId64 " of the halo of %s in LOOP_IMPORTS, but "
                                       "does not read it",
                                       m, halo->name);
            at += listed;
        }
    return at == lists->in_begins[i + 1]
               ? MPLAN_OK
               : MPLAN_DISPROVED(err,
                                 "has other members than those that come from part %d, or another "
                                 "order, in LOOP_IMPORTS of %s",
                                 (int)halo->from[i], halo->name);
}

/* marks[m]: member owned + m of the halo is needed by loop l. The list must hold those and no others; elements from
 * `inner` on can need one. */
static mplan_status check_loop_reads(const mplan_check *check, int32_t l, int32_t s, mplan_error *err)
{
    const mplan_plan_loop *loop = &check->plan->loops[l];
    const mplan_part_set *of = &mplan_check_set(check, loop->set)->part;
    mplan_check_loop_halo lists;
    mplan_check_halo halo;
    if (!mplan_check_loop_halo_open(check, l, s, &lists))
        return MPLAN_OK;
    mplan_check_halo_open(check, s, &halo);
    uint8_t *marks = mplan_alloc_zero(halo.size - halo.part->owned, 1, err);
    mplan_status status = marks ? MPLAN_OK : MPLAN_ERR_MEMORY;
    for (int64_t e = of->inner; e < of->executed && !status; e++)
        if (e < of->owned || mplan_check_changes(check, l, loop->set, e, 1))
            mark_reads(check, l, s, e, marks);
    for (int32_t i = 0; i < halo.part->imports && !status; i++)
        status = compare_list(&halo, &lists, i, marks, err);
    free(marks);
    if (status == MPLAN_ERR_DISPROVED) {
        char place[MPLAN_ERROR_TEXT / 2];
        snprintf(place, sizeof place, "loop %s", loop->name);
        mplan_fail_prefix(err, status, place);
    }
    return status;
}

/* After maps and lists. For each set the execute halo, for each map the inner members, and then, for each loop and
 * set, what must be imported: elements below `inner` are known to need nothing of halos by then. */
mplan_status mplan_check_halo_rows(mplan_check *check, mplan_error *err)
{
    const mplan_plan *plan = check->plan;
    mplan_status status = MPLAN_OK;
    if (!mplan_plan_is_part(plan))
        return MPLAN_OK;
    for (int32_t s = 0; s < plan->n_sets && !status; s++)
        status = check_executed(check, s, err);
    for (int32_t m = 0; m < plan->n_maps && !status; m++)
        status = check_inner_of_map(check, m, err);
    for (int32_t l = 0; l < plan->n_loops && !status; l++)
        for (int32_t s = 0; s < plan->n_sets && !status; s++)
            status = check_loop_reads(check, l, s, err);
    return status;
}
