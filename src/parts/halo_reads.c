/* SPDX-License-Identifier: Apache-2.0 */
/* halo_reads.c - which members of its halos a part needs for which loop
 *
 * A loop reads points by owned elements and by those that it executes, and of the latter their own dats. */
#include <assert.h>
#include <stdlib.h>

#include "base/error.h"
#include "base/memory.h"
#include "parts/parts.h"

/* One part and one loop. maps and added have room for all maps of the plan and are set for a
 * loop by read_loop; they are views of the mesh's own tables, whose numbers are those of the
 * whole mesh. */
typedef struct marking {
    mplan_parts *parts;
    const planning *p;
    int32_t part, loop;
    int32_t n_maps; /* by which it reads */
    mplan_map *maps;
    int32_t n_added; /* by which it changes points */
    mplan_map *added;
    bool direct; /* it reads dats of its elements */
} marking;

/* Place of a member in [begin, end) of a halo, which goes by owner and number; -1: it is not
 * there. The range is one of both halos as a whole: only inside one of them is the order kept. */
static int64_t find_in(const marking *k, int32_t set, int32_t member, int64_t begin, int64_t end)
{
    const mplan_halo *halo = mplan_parts_halo(k->parts, k->part, set);
    const int32_t *owner = k->parts->owner[set];
    int64_t low = begin, high = end;
    while (low < high) {
        const int64_t middle = low + (high - low) / 2;
        const int32_t at = halo->member[middle];
        if (owner[at] < owner[member] || (owner[at] == owner[member] && at < member))
            low = middle + 1;
        else
            high = middle;
    }
    return low < end && halo->member[low] == member ? low : -1;
}

/* Notes in `reads` that the loop reads a member. It is in one of both halos: halos.c put there
 * whatever rows of owned and executed elements name. */
static void mark(const marking *k, int32_t set, int32_t member)
{
    const mplan_halo *halo = mplan_parts_halo(k->parts, k->part, set);
    int64_t at = find_in(k, set, member, 0, halo->n_execute);
    if (at < 0)
        at = find_in(k, set, member, halo->n_execute, halo->n);
    assert(at >= 0);
    halo->reads[at * k->parts->read_bytes + k->loop / 8] |= (uint8_t)(1 << k->loop % 8);
}

/* The points of an element that other parts own, by all maps through which the loop reads. The
 * part runs element e. */
static void mark_row(const marking *k, int64_t e)
{
    for (int32_t m = 0; m < k->n_maps; m++) {
        const mplan_map *map = &k->maps[m];
        int32_t n;
        const int32_t *row = mplan_map_row(map, e, &n);
        for (int32_t i = 0; i < n; i++)
            if (row[i] >= 0 && k->parts->owner[map->to][row[i]] != k->part)
                mark(k, map->to, row[i]);
    }
}

/* Whether the loop changes a point of the part by element e. The execute halo has elements for
 * all loops over the set: one that changes nothing owned in this loop needs no data for it. */
static bool changes_owned(const marking *k, int64_t e)
{
    for (int32_t m = 0; m < k->n_added; m++) {
        int32_t n;
        const int32_t *row = mplan_map_row(&k->added[m], e, &n);
        for (int32_t i = 0; i < n; i++)
            if (row[i] >= 0 && k->parts->owner[k->added[m].to][row[i]] == k->part)
                return true;
    }
    return false;
}

/* Appends a map unless it is there: several args may use one map. Maps are told apart by the
 * address of their tables. */
static void add_once(const planning *p, int32_t map, mplan_map *maps, int32_t *n)
{
    const mplan_map view = mplan_planning_mesh_map(p, map);
    for (int32_t i = 0; i < *n; i++)
        if (maps[i].values == view.values)
            return;
    maps[(*n)++] = view;
}

/* The maps of a loop by what it does with them. A map by which it both reads and changes points
 * is in both lists. arg_map is -1 for direct args, and lower for globals, of which no halo is
 * needed. */
static void read_loop(marking *k)
{
    const planning_loop *loop = &k->p->loops[k->loop];
    k->n_maps = k->n_added = 0;
    k->direct = false;
    for (int32_t a = 0; a < loop->loop->n_args; a++) {
        const mplan_access access = loop->loop->args[a].access;
        const bool reads = access == MPLAN_READ || access == MPLAN_RW;
        if (loop->arg_map[a] == -1)
            k->direct = k->direct || reads;
        if (loop->arg_map[a] < 0)
            continue;
        if (reads)
            add_once(k->p, loop->arg_map[a], k->maps, &k->n_maps);
        if (access != MPLAN_READ)
            add_once(k->p, loop->arg_map[a], k->added, &k->n_added);
    }
}

/* What the loop reads when part k->part runs it: points by owned elements and by those of the
 * execute halo that change something owned, and of the latter also the dats of the element
 * itself. Whatever else of the halo the part runs has no effect on what it owns, and needs no
 * data. */
static void mark_part(const marking *k)
{
    const int32_t set = k->p->loops[k->loop].set;
    const int32_t *own = mplan_parts_members(k->parts, k->part, set);
    const mplan_halo *halo = mplan_parts_halo(k->parts, k->part, set);
    for (int64_t i = 0; k->n_maps > 0 && i < mplan_parts_owned(k->parts, k->part, set); i++)
        mark_row(k, own[i]);
    for (int64_t i = 0; k->n_added > 0 && i < halo->n_execute; i++) {
        if (!changes_owned(k, halo->member[i]))
            continue;
        mark_row(k, halo->member[i]);
        if (k->direct)
            mark(k, set, halo->member[i]);
    }
}

mplan_status mplan_parts_find_reads(mplan_parts *parts, const mplan_context *context, mplan_error *err)
{
    assert(parts && parts->halo);
    const planning *p = &parts->whole.p;
    marking k = {.parts = parts, .p = p};
    parts->read_bytes = (p->n_loops + 7) / 8;
    k.maps = mplan_alloc(p->n_maps, sizeof *k.maps, err);
    k.added = mplan_alloc(p->n_maps, sizeof *k.added, err);
    mplan_status status = k.maps && k.added ? MPLAN_OK : MPLAN_ERR_MEMORY;
    for (int64_t i = (int64_t)parts->begin * p->n_sets;
         i < (int64_t)parts->end * p->n_sets && !status; i++) {
        mplan_halo *halo = &parts->halo[i];
        halo->reads = mplan_alloc_zero(halo->n, (size_t)parts->read_bytes, err);
        status = halo->reads ? MPLAN_OK : MPLAN_ERR_MEMORY;
    }
    for (k.loop = 0; k.loop < p->n_loops && !status; k.loop++) {
        read_loop(&k);
        for (k.part = parts->begin; k.part < parts->end; k.part++)
            mark_part(&k);
        status = mplan_interrupted(context, err);
    }
    free(k.maps);
    free(k.added);
    return status;
}
