/* SPDX-License-Identifier: Apache-2.0 */
/* slab_cuts.c - where the stored orders are cut into slabs
 *
 * Slabs are such that rows of a slab find what they touch there or in the slabs on both sides. A loop by elements touches an element and its points,
 * so each point is in the element's slab or beside it; one by owners touches, for a point, all other points of its elements, so
 * an element and its points lie in two slabs that follow each other. A border c is followed by the nearest one that this
 * allows: R(c) is, for each set, the place behind the last member that one before c touches, or that touches it. Borders c with c' >= R(c)
 * from each to the next serve, whatever the orders are, and the nearest ones make most slabs, because R(c) never falls as c grows; orders by
 * levels make R(c) small. A border at the end of a level would be rounded up into the next one, of which a few members reach
 * through the whole level behind it: that made slabs two to four times as long. Borders of sets whose rows have slices are multiples of
 * the granule, so that launches of whole slices can be cut there; those of other sets are where they should: a slab has few boundary faces. */
#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "mesh/adjacency.h"
#include "pipeline/slabs.h"
#include "plan/slab_uses.h"

/* Arrays by set and by map of the plan. */
typedef struct cut_walk {
    const mplan_plan *plan;
    mplan_map *maps;
    mplan_transpose *elements; /* of each map: elements of each point */
    int64_t *cut;              /* of each set, the border that was found last */
    int64_t *reach;            /* R(cut) */
    bool **seen;               /* of each set with maps: elements whose points reach covers */
    int64_t granule;
    bool *sliced;         /* of each set: its borders are multiples of the granule */
    bool *owned;          /* of each set: a loop of the step runs over it by owners */
    mplan_vector borders; /* n_sets of int64_t for each border */
} cut_walk;

static int64_t size_of(const cut_walk *walk, int32_t set)
{
    return walk->plan->sets[set].storage_size;
}

/* Element e of a set has a member before the cut: reach covers the element and, where it is itself before the cut or the set's rows are
 * those of a loop by owners, all of its points. */
static void take_element(cut_walk *walk, int32_t set, int64_t e, bool itself)
{
    if (walk->seen[set][e])
        return;
    walk->reach[set] = e + 1 > walk->reach[set] ? e + 1 : walk->reach[set];
    if (!itself && !walk->owned[set])
        return;
    walk->seen[set][e] = true;
    for (int32_t m = 0; m < walk->plan->n_maps; m++) {
        if (walk->maps[m].from != set)
            continue;
        int32_t n;
        const int32_t *row = mplan_map_row(&walk->maps[m], e, &n);
        int64_t *reach = &walk->reach[walk->maps[m].to];
        for (int32_t k = 0; k < n; k++)
            if (row[k] >= *reach)
                *reach = (int64_t)row[k] + 1;
    }
}

/* Members [begin, end) of a set are before the cut now. */
static void take_members(cut_walk *walk, int32_t set, int64_t begin, int64_t end)
{
    if (walk->seen[set])
        for (int64_t i = begin; i < end; i++)
            take_element(walk, set, i, true);
    for (int32_t m = 0; m < walk->plan->n_maps; m++) {
        if (walk->maps[m].to != set)
            continue;
        const mplan_transpose *of = &walk->elements[m];
        for (int64_t k = of->offsets[begin]; k < of->offsets[end]; k++)
            take_element(walk, walk->maps[m].from, of->elements[k], false);
    }
}

/* A border of a set at `at` or behind it. */
static int64_t round_up(const cut_walk *walk, int32_t set, int64_t at)
{
    const int64_t granule = walk->sliced[set] ? walk->granule : MPLAN_SLAB_LEAST;
    const int64_t rounded = (at + granule - 1) / granule * granule;
    return rounded < size_of(walk, set) ? rounded : size_of(walk, set);
}

/* The next border of the set that leads: the nearest one that reach allows, but so far away that slabs are not too many. */
static int64_t next_of_leader(const cut_walk *walk, int32_t set)
{
    const int64_t least = walk->cut[set] + size_of(walk, set) / MPLAN_SLABS_MOST + 1;
    return round_up(walk, set, walk->reach[set] > least ? walk->reach[set] : least);
}

/* The set whose levels the others follow: the one that was put in the order of levels, else that with most members. */
static int32_t leader_of(const planning *p)
{
    int32_t best = 0;
    if (p->levels.n > 0)
        return p->level_set;
    for (int32_t s = 1; s < p->plan->n_sets; s++)
        if (p->plan->sets[s].storage_size > p->plan->sets[best].storage_size)
            best = s;
    return best;
}

/* Border after border until the leader is at its end; the last slab has all that is left of the others. */
static mplan_status walk_borders(cut_walk *walk, const planning *p, mplan_error *err)
{
    const int32_t n = walk->plan->n_sets, leader = leader_of(p);
    mplan_status status = MPLAN_OK;
    for (bool last = false; !last && !status;) {
        int64_t *next = mplan_vector_reserve(&walk->borders, n, err);
        if (!next)
            return MPLAN_ERR_MEMORY;
        next[leader] = next_of_leader(walk, leader);
        last = next[leader] >= size_of(walk, leader);
        for (int32_t s = 0; s < n; s++) {
            const int64_t due = walk->reach[s] > walk->cut[s] ? walk->reach[s] : walk->cut[s];
            if (s != leader)
                next[s] = round_up(walk, s, due);
            if (last)
                next[s] = size_of(walk, s);
        }
        walk->borders.count += n;
        for (int32_t s = 0; s < n && !last; s++) {
            take_members(walk, s, walk->cut[s], next[s]);
            walk->cut[s] = next[s];
        }
        status = mplan_interrupted(p->context, err);
    }
    return status;
}

/* What the walk looks at: the stored maps, both ways. */
static mplan_status open_walk(cut_walk *walk, const planning *p, mplan_error *err)
{
    const mplan_plan *plan = p->plan;
    walk->plan = plan;
    walk->borders = (mplan_vector)MPLAN_VECTOR_INIT(sizeof(int64_t));
    walk->maps = mplan_alloc(plan->n_maps, sizeof *walk->maps, err);
    walk->elements = mplan_alloc_zero(plan->n_maps, sizeof *walk->elements, err);
    walk->cut = mplan_alloc_zero(plan->n_sets, sizeof *walk->cut, err);
    walk->reach = mplan_alloc_zero(plan->n_sets, sizeof *walk->reach, err);
    walk->seen = mplan_alloc_zero(plan->n_sets, sizeof *walk->seen, err);
    walk->sliced = mplan_alloc_zero(plan->n_sets, sizeof *walk->sliced, err);
    walk->owned = mplan_alloc_zero(plan->n_sets, sizeof *walk->owned, err);
    mplan_status status = walk->maps && walk->elements && walk->cut && walk->reach && walk->seen &&
                                  walk->sliced && walk->owned
                              ? MPLAN_OK
                              : MPLAN_ERR_MEMORY;
    for (int32_t s = 0; s < plan->n_sets && !status; s++) {
        walk->sliced[s] = mplan_slab_has_slices(plan, s);
        walk->owned[s] = mplan_slab_joins_points(plan, s);
    }
    for (int32_t m = 0; m < plan->n_maps && !status; m++) {
        walk->maps[m] = mplan_plan_stored_map(plan, m);
        const int32_t from = walk->maps[m].from;
        status = mplan_map_transpose_by(&walk->maps[m], mplan_team_of(p->context),
                                        &walk->elements[m], err);
        if (!status && !walk->seen[from]) {
            walk->seen[from] = mplan_alloc_zero(size_of(walk, from), sizeof(bool), err);
            status = walk->seen[from] ? MPLAN_OK : MPLAN_ERR_MEMORY;
        }
    }
    walk->granule = 32;
    for (int32_t i = 0; i < plan->n_step; i++) {
        const int32_t own = mplan_slab_granule(plan, plan->step[i].loop);
        walk->granule = own > walk->granule ? own : walk->granule;
    }
    return status;
}

/* Also one that was opened in part. */
static void close_walk(cut_walk *walk)
{
    for (int32_t m = 0; walk->elements && m < walk->plan->n_maps; m++)
        mplan_transpose_free(&walk->elements[m]);
    for (int32_t s = 0; walk->seen && s < walk->plan->n_sets; s++)
        free(walk->seen[s]);
    free(walk->maps);
    free(walk->elements);
    free(walk->cut);
    free(walk->reach);
    free(walk->seen);
    free(walk->sliced);
    free(walk->owned);
    free(walk->borders.data);
}

/* SLAB_OFFSETS of a set: 0, then its part of each border. */
static mplan_status store_offsets(planning *p, const cut_walk *walk, int32_t set, int64_t n_slabs,
                                  mplan_error *err)
{
    const int64_t *borders = walk->borders.data;
    int64_t *offsets = mplan_alloc(n_slabs + 1, sizeof *offsets, err);
    if (!offsets)
        return MPLAN_ERR_MEMORY;
    offsets[0] = 0;
    for (int64_t s = 0; s < n_slabs; s++)
        offsets[s + 1] = borders[s * p->plan->n_sets + set];
    return mplan_plan_take_array(p->plan, mplan_key_of_set(MPLAN_KIND_SLAB_OFFSETS, set),
                                 MPLAN_TYPE_I64, n_slabs + 1, 1, offsets, err);
}

/* SLAB_OFFSETS of every set: as many slabs as borders were found, the same number for all sets. */
mplan_status mplan_planning_cut_slabs(planning *p, mplan_error *err)
{
    assert(p && p->plan && p->plan->n_sets > 0);
    cut_walk walk = {0};
    mplan_status status = open_walk(&walk, p, err);
    if (!status)
        status = walk_borders(&walk, p, err);
    const int64_t n_slabs = walk.borders.count / p->plan->n_sets;
    for (int32_t s = 0; s < p->plan->n_sets && !status; s++)
        status = store_offsets(p, &walk, s, n_slabs, err);
    if (!status) {
        p->plan->visit.slabs = (int32_t)n_slabs;
        p->plan->visit.granule = (int32_t)walk.granule;
    }
    close_walk(&walk);
    return status;
}
