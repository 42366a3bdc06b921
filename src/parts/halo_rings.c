/* SPDX-License-Identifier: Apache-2.0 */
/* halo_rings.c - halos of several rings: a part computes members of others as well, and exchanges less often
 *
 * Ring 0 is what a part owns. Region k, all members up to ring k, grows into region k + 1 by the elements with a point in it in
 * a map by which some loop changes points, and by the points that its elements and these name in maps by which some
 * loop reads, or changes, what loops change. So a value that is right in region k + 1 lets every loop compute what is right in
 * region k, one that only reads it where it is even the whole of region k + 1. What loops only read (coordinates) costs no
 * ring: ring `rings` + 1 has the points of region `rings` that are missing then, by all maps.
 *
 * After an exchange all rings are right; each loop that goes by such maps loses one. What a part runs of other parts is
 * computed by their owners, too: that is the price (OP2 calls this communication avoiding; Ekanayake et al., Euro-Par 2023). */
#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "base/sort.h"
#include "mesh/adjacency.h"
#include "parts/parts.h"

enum { NONE = 255, LAST = 254 };

/* Rings of one part after the other. By set: ring[s][m] of each member of the mesh, NONE outside of the part; run[s][m]:
 * the part executes it; members[s]: those of the halo, in the order in which they were found. By map: `rows` where
 * `adds`, its elements by point. */
typedef struct growth {
    mplan_parts *parts;
    const planning *p;
    int32_t part, rings;
    mplan_map *maps;
    mplan_map_use *uses;
    bool *carries; /* some loop reads, or changes, by this map what loops change */
    mplan_transpose *rows;
    uint8_t **ring, **run;
    mplan_vector *members;
} growth;

/* --- maps ------------------------------------------------------------------------------- */

/* Whether a loop of the request changes a dat. */
static bool is_changed(const planning *p, const char *dat)
{
    for (int32_t l = 0; l < p->n_loops; l++)
        for (int32_t a = 0; a < p->loops[l].loop->n_args; a++) {
            const mplan_arg *arg = &p->loops[l].loop->args[a];
            if (arg->access != MPLAN_READ && strcmp(arg->dat, dat) == 0)
                return true;
        }
    return false;
}

/* uses, carries and rows of all maps. */
static mplan_status look_at_maps(growth *g, mplan_error *err)
{
    mplan_status status = MPLAN_OK;
    mplan_parts_map_uses(g->p, g->uses);
    for (int32_t l = 0; l < g->p->n_loops; l++)
        for (int32_t a = 0; a < g->p->loops[l].loop->n_args; a++) {
            const int32_t map = g->p->loops[l].arg_map[a];
            if (map >= 0 && is_changed(g->p, g->p->loops[l].loop->args[a].dat))
                g->carries[map] = true;
        }
    for (int32_t m = 0; m < g->p->n_maps && !status; m++) {
        g->maps[m] = mplan_planning_mesh_map(g->p, m);
        if (g->uses[m].adds)
            status = mplan_map_transpose(&g->maps[m], false, &g->rows[m], err);
    }
    return status;
}

/* --- one part ----------------------------------------------------------------------------- */

/* The ring of a member that the part may not have yet. */
static int32_t ring_of(const growth *g, int32_t set, int32_t member)
{
    return g->parts->owner[set][member] == g->part ? 0 : g->ring[set][member];
}

/* Takes a member of another part in, unless it is there. */
static mplan_status take(growth *g, int32_t set, int32_t member, int32_t ring, mplan_error *err)
{
    if (ring_of(g, set, member) != NONE)
        return MPLAN_OK;
    g->ring[set][member] = (uint8_t)ring;
    return mplan_vector_push(&g->members[set], &member, err);
}

typedef mplan_status visit(growth *g, int32_t set, int32_t member, int32_t ring, mplan_error *err);

/* Calls `each` for all members of a set at a ring; ring 0 is what the part owns. */
static mplan_status for_each(growth *g, int32_t set, int32_t ring, visit *each, mplan_error *err)
{
    mplan_status status = MPLAN_OK;
    if (ring == 0) {
        const int32_t *own = mplan_parts_members(g->parts, g->part, set);
        const int64_t n = mplan_parts_owned(g->parts, g->part, set);
        for (int64_t i = 0; i < n && !status; i++)
            status = each(g, set, own[i], ring, err);
    }
    for (int64_t i = 0; i < g->members[set].count && !status;
         i++) { /* each may append, of higher rings only */
        const int32_t member = ((const int32_t *)g->members[set].data)[i];
        if (g->ring[set][member] == ring)
            status = each(g, set, member, ring, err);
    }
    return status;
}

/* Elements that change a point are run by the part, and belong to the next ring at the latest. */
static mplan_status run_elements(growth *g, int32_t set, int32_t point, int32_t ring, mplan_error *err)
{
    mplan_status status = MPLAN_OK;
    for (int32_t m = 0; m < g->p->n_maps && !status; m++) {
        if (!g->uses[m].adds || g->maps[m].to != set)
            continue;
        const int32_t from = g->maps[m].from;
        for (int64_t i = g->rows[m].offsets[point]; i < g->rows[m].offsets[point + 1] && !status;
             i++) {
            const int32_t e = g->rows[m].elements[i];
            if (g->parts->owner[from][e] == g->part)
                continue;
            g->run[from][e] = 1;
            status = take(g, from, e, ring + 1, err);
        }
    }
    return status;
}

/* The points of an element by maps that carry changes; all: by all maps. They get the ring behind `ring`. */
static mplan_status take_points(growth *g, int32_t set, int32_t e, int32_t ring, bool all,
                                mplan_error *err)
{
    mplan_status status = MPLAN_OK;
    for (int32_t m = 0; m < g->p->n_maps && !status; m++) {
        if (g->maps[m].from != set || !(all || g->carries[m]))
            continue;
        int32_t n;
        const int32_t *row = mplan_map_row(&g->maps[m], e, &n);
        for (int32_t k = 0; k < n && !status; k++)
            if (row[k] >= 0)
                status = take(g, g->maps[m].to, row[k], ring + 1, err);
    }
    return status;
}

/* Of an element of the region at hand. */
static mplan_status reach(growth *g, int32_t set, int32_t e, int32_t ring, mplan_error *err)
{
    return take_points(g, set, e, ring, false, err);
}

/* Of an element of the next ring that the part runs: its points are in that ring, too. */
static mplan_status reach_run(growth *g, int32_t set, int32_t e, int32_t ring, mplan_error *err)
{
    return g->run[set][e] ? take_points(g, set, e, ring - 1, false, err) : MPLAN_OK;
}

/* Whatever an element of the last region names. */
static mplan_status reach_all(growth *g, int32_t set, int32_t e, int32_t ring, mplan_error *err)
{
    (void)ring;
    return take_points(g, set, e, g->rings, true, err);
}

/* All sets, one after the other. */
static mplan_status for_all(growth *g, int32_t ring, visit *each, mplan_error *err)
{
    mplan_status status = MPLAN_OK;
    for (int32_t s = 0; s < g->p->n_sets && !status; s++)
        status = for_each(g, s, ring, each, err);
    return status;
}

/* --- rows of the last ring ------------------------------------------------------------------ */

/* Members of a set that rows of the last ring may name in place of members that are not here: the part computes nothing for them. */
static bool has_outer(const growth *g, int32_t set)
{
    for (int64_t i = 0; i < g->members[set].count; i++)
        if (g->ring[set][((const int32_t *)g->members[set].data)[i]] >= g->rings)
            return true;
    return false;
}

/* Rows of the last ring by one map: as complete_rows of halos.c. */
static mplan_status complete_rows(growth *g, const mplan_map *map, bool all, mplan_error *err)
{
    const mplan_vector *members = &g->members[map->from];
    bool some = has_outer(g, map->to);
    mplan_status status = MPLAN_OK;
    for (int64_t i = 0; i < members->count && !status; i++) {
        const int32_t e = ((const int32_t *)members->data)[i];
        int32_t n;
        const int32_t *row = mplan_map_row(map, e, &n);
        for (int32_t k = 0; k < n && g->ring[map->from][e] > g->rings && !status; k++) {
            if (row[k] < 0 || ring_of(g, map->to, row[k]) != NONE || (some && !all))
                continue;
            status = take(g, map->to, row[k], g->rings + 1, err);
            some = true;
        }
    }
    return status;
}

/* Until nothing is added, as what is added has rows, too. */
static mplan_status complete(growth *g, mplan_error *err)
{
    mplan_status status = MPLAN_OK;
    for (int64_t before = -1, now = 0; before < now && !status;) {
        before = now = 0;
        for (int32_t s = 0; s < g->p->n_sets; s++)
            before += g->members[s].count;
        for (int32_t m = 0; m < g->p->n_maps && !status; m++)
            status = complete_rows(g, &g->maps[m], g->uses[m].writes, err);
        for (int32_t s = 0; s < g->p->n_sets; s++)
            now += g->members[s].count;
    }
    return status;
}

/* --- halos ------------------------------------------------------------------------------------ */

/* What was found of a set becomes the part's halo; its marks are taken back. */
static mplan_status store(growth *g, int32_t set, mplan_error *err)
{
    const int32_t *found = g->members[set].data;
    const int64_t n = g->members[set].count;
    mplan_halo *halo = mplan_parts_halo(g->parts, g->part, set);
    int32_t *list = mplan_alloc(n, sizeof *list, err);
    int64_t n_execute = 0, at = 0;
    mplan_status status = list ? MPLAN_OK : MPLAN_ERR_MEMORY;
    for (int64_t i = 0; i < n && list; i++)
        if (g->run[set][found[i]])
            list[n_execute++] = found[i];
    at = n_execute;
    for (int64_t i = 0; i < n && list; i++)
        if (!g->run[set][found[i]])
            list[at++] = found[i];
    if (!status)
        status = mplan_parts_store_halo(g->parts, set, list, n_execute, n, halo, err);
    if (!status) {
        halo->ring = mplan_alloc(n, sizeof *halo->ring, err);
        status = halo->ring ? MPLAN_OK : MPLAN_ERR_MEMORY;
    }
    for (int64_t i = 0; i < n && !status; i++)
        halo->ring[i] = g->ring[set][halo->member[i]];
    for (int64_t i = 0; i < n; i++) {
        g->ring[set][found[i]] = NONE;
        g->run[set][found[i]] = 0;
    }
    g->members[set].count = 0;
    free(list);
    return status;
}

/* Ring by ring; then what is missing in rows, and the halos of all sets. */
static mplan_status grow_part(growth *g, mplan_error *err)
{
    mplan_status status = MPLAN_OK;
    for (int32_t k = 0; k < g->rings && !status; k++) {
        status = for_all(g, k, run_elements, err);
        if (!status)
            status = for_all(g, k, reach, err);
        if (!status)
            status = for_all(g, k + 1, reach_run, err);
    }
    for (int32_t k = 0; k <= g->rings && !status; k++)
        status = for_all(g, k, reach_all, err);
    if (!status)
        status = complete(g, err);
    for (int32_t s = 0; s < g->p->n_sets && !status; s++)
        status = store(g, s, err);
    return status;
}

/* Room of all sets and maps; close_growth also after a failure. */
static mplan_status open_growth(growth *g, mplan_error *err)
{
    const planning *p = g->p;
    g->maps = mplan_alloc(p->n_maps, sizeof *g->maps, err);
    g->uses = mplan_alloc(p->n_maps, sizeof *g->uses, err);
    g->carries = mplan_alloc_zero(p->n_maps, sizeof *g->carries, err);
    g->rows = mplan_alloc_zero(p->n_maps, sizeof *g->rows, err);
    g->ring = mplan_alloc_zero(p->n_sets, sizeof *g->ring, err);
    g->run = mplan_alloc_zero(p->n_sets, sizeof *g->run, err);
    g->members = mplan_alloc_zero(p->n_sets, sizeof *g->members, err);
    if (!g->maps || !g->uses || !g->carries || !g->rows || !g->ring || !g->run || !g->members)
        return MPLAN_ERR_MEMORY;
    for (int32_t s = 0; s < p->n_sets; s++) {
        const int64_t n = mplan_parts_here(g->parts, s);
        g->members[s].size = sizeof(int32_t);
        g->ring[s] = mplan_alloc(n, 1, err);
        g->run[s] = mplan_alloc_zero(n, 1, err);
        if (!g->ring[s] || !g->run[s])
            return MPLAN_ERR_MEMORY;
        memset(g->ring[s], NONE, (size_t)n);
    }
    return look_at_maps(g, err);
}

static void close_growth(growth *g)
{
    for (int32_t s = 0; s < g->p->n_sets; s++) {
        free(g->ring ? g->ring[s] : NULL);
        free(g->run ? g->run[s] : NULL);
        free(g->members ? g->members[s].data : NULL);
    }
    for (int32_t m = 0; g->rows && m < g->p->n_maps; m++)
        if (g->rows[m].offsets)
            mplan_transpose_free(&g->rows[m]);
    free(g->maps);
    free(g->uses);
    free(g->carries);
    free(g->rows);
    free(g->ring);
    free(g->run);
    free(g->members);
}

/* Parts one after the other, of the whole mesh: time goes with the members of all regions, and their elements. */
mplan_status mplan_parts_find_rings(mplan_parts *parts, const mplan_context *context, mplan_error *err)
{
    assert(parts && parts->member && !parts->halo);
    const planning *p = &parts->whole.p;
    growth g = {.parts = parts, .p = p, .rings = p->asked->rings};
    assert(g.rings > 0 && g.rings < LAST);
    parts->halo = mplan_alloc_zero((int64_t)parts->n_parts * p->n_sets, sizeof *parts->halo, err);
    mplan_status status = parts->halo ? open_growth(&g, err) : MPLAN_ERR_MEMORY;
    for (g.part = parts->begin; g.part < parts->end && !status; g.part++) {
        status = mplan_interrupted(context, err);
        if (!status)
            status = grow_part(&g, err);
    }
    close_growth(&g);
    return status;
}
