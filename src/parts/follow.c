/* SPDX-License-Identifier: Apache-2.0 */
/* follow.c - members of other sets go where most of their neighbours in the cut set are
 *
 * A member belongs to the part that most entries of its rows into the cut set name, ties to the lowest. Sets
 * without such a map follow the first set that is done and maps to them, else the first that they map to. What no
 * map joins is dealt out evenly. */
#include <assert.h>
#include <stdlib.h>

#include "base/memory.h"
#include "mesh/adjacency.h"
#include "parts/parts.h"
#include "parts/votes.h"

/* Elements of a set by the points of all its maps to one set that is done. owner[to] is
 * complete; owner[set] has room and is written as a whole. Entries of -1 do not vote: elements
 * without a point are dealt out. */
static void by_rows(mplan_parts *parts, int32_t set, int32_t to, mplan_votes *v)
{
    const planning *p = &parts->whole.p;
    for (int64_t e = 0; e < p->sets[set].size; e++) {
        for (int32_t m = 0; m < p->n_maps; m++) {
            if (p->maps[m].from != set || p->maps[m].to != to)
                continue;
            const mplan_map map = mplan_planning_mesh_map(p, m);
            int32_t n;
            const int32_t *row = mplan_map_row(&map, e, &n);
            for (int32_t k = 0; k < n; k++)
                if (row[k] >= 0)
                    mplan_vote(v, parts->owner[to][row[k]]);
        }
        const int32_t best = mplan_elect(v);
        parts->owner[set][e] = best >= 0 ? best : mplan_deal(parts->n_parts, e, p->sets[set].size);
    }
}

/* Points of a map by the elements of its from-set, which is done. owner[to] has room and is
 * written as a whole. An element votes as often as its row names the point; points that no row
 * names are dealt out. */
static mplan_status by_columns(mplan_parts *parts, int32_t map, mplan_votes *v, mplan_error *err)
{
    const planning *p = &parts->whole.p;
    const mplan_map view = mplan_planning_mesh_map(p, map);
    mplan_transpose rows;
    mplan_status status = mplan_map_transpose(&view, false, &rows, err);
    for (int64_t t = 0; t < view.n_points && !status; t++) {
        for (int64_t i = rows.offsets[t]; i < rows.offsets[t + 1]; i++)
            mplan_vote(v, parts->owner[view.from][rows.elements[i]]);
        const int32_t best = mplan_elect(v);
        parts->owner[view.to][t] = best >= 0 ? best : mplan_deal(parts->n_parts, t, view.n_points);
    }
    if (!status)
        mplan_transpose_free(&rows);
    return status;
}

/* Entries are undefined. As next_map takes a set with room for one that is done, the caller
 * fills it before it asks again. */
static mplan_status make_room(mplan_parts *parts, int32_t set, mplan_error *err)
{
    parts->owner[set] = mplan_alloc(parts->whole.p.sets[set].size, sizeof **parts->owner, err);
    return parts->owner[set] ? MPLAN_OK : MPLAN_ERR_MEMORY;
}

/* The first set, in the order of the maps, that is not done and has a map from a set that is done (as_to), or to one.
 * -1: there is none. */
static int32_t next_map(const mplan_parts *parts, bool as_to)
{
    const planning *p = &parts->whole.p;
    for (int32_t m = 0; m < p->n_maps; m++) {
        const bool from = parts->owner[p->maps[m].from], to = parts->owner[p->maps[m].to];
        if (as_to ? from && !to : to && !from)
            return m;
    }
    return -1;
}

/* All sets that a chain of maps joins with the one that was cut: first those that lead to it.
 * Each round ends with one more set that is done, so that it ends. Sets that no chain reaches
 * keep owner NULL. The order of the maps in the plan decides, which is the same for every number
 * of threads. */
static mplan_status follow_maps(mplan_parts *parts, mplan_votes *v, mplan_error *err)
{
    const planning *p = &parts->whole.p;
    mplan_status status = MPLAN_OK;
    for (int32_t m = 0; m < p->n_maps && !status; m++) {
        const int32_t from = p->maps[m].from;
        if (p->maps[m].to != parts->cut || parts->owner[from])
            continue;
        status = make_room(parts, from, err);
        if (!status)
            by_rows(parts, from, parts->cut, v);
    }
    while (!status) {
        int32_t m = next_map(parts, true);
        const bool as_to = m >= 0;
        if (!as_to && (m = next_map(parts, false)) < 0)
            break;
        const int32_t set = as_to ? p->maps[m].to : p->maps[m].from;
        status = make_room(parts, set, err);
        if (status)
            break;
        if (as_to)
            status = by_columns(parts, m, v, err);
        else
            by_rows(parts, set, p->maps[m].to, v);
    }
    return status;
}

/* Members of each part, ascending, one part behind the other: a counting sort by owner, which is
 * complete. base: n_parts + 1 numbers, from 0 to the size of the set; member: as many as the set
 * has. at: where the next member of each part goes. */
static mplan_status list_members(mplan_parts *parts, int32_t set, mplan_error *err)
{
    const int64_t n = parts->whole.p.sets[set].size;
    int64_t *base = parts->base[set] = mplan_alloc_zero((int64_t)parts->n_parts + 1, sizeof *base,
                                                        err);
    int32_t *member = parts->member[set] = mplan_alloc(n, sizeof *member, err);
    int64_t *at = mplan_alloc(parts->n_parts, sizeof *at, err);
    if (base && member && at) {
        for (int64_t m = 0; m < n; m++)
            base[parts->owner[set][m] + 1]++;
        for (int32_t q = 0; q < parts->n_parts; q++) {
            at[q] = base[q];
            base[q + 1] += base[q];
        }
        for (int64_t m = 0; m < n; m++)
            member[at[parts->owner[set][m]]++] = (int32_t)m;
    }
    free(at);
    return base && member && at ? MPLAN_OK : MPLAN_ERR_MEMORY;
}

mplan_status mplan_parts_follow(mplan_parts *parts, mplan_error *err)
{
    assert(parts && parts->owner && parts->owner[parts->cut]);
    const planning *p = &parts->whole.p;
    mplan_votes v = {.part = mplan_alloc(parts->n_parts, sizeof *v.part, err),
                     .count = mplan_alloc_zero(parts->n_parts, sizeof *v.count, err)};
    mplan_status status = v.part && v.count ? follow_maps(parts, &v, err) : MPLAN_ERR_MEMORY;
    for (int32_t s = 0; s < p->n_sets && !status; s++) {
        if (parts->owner[s])
            continue;
        status = make_room(parts, s, err);
        for (int64_t m = 0; m < p->sets[s].size && !status; m++)
            parts->owner[s][m] = mplan_deal(parts->n_parts, m, p->sets[s].size);
    }
    for (int32_t s = 0; s < p->n_sets && !status; s++)
        status = list_members(parts, s, err);
    free(v.part);
    free(v.count);
    return status;
}
