/* SPDX-License-Identifier: Apache-2.0 */
/* step_order.c - one stored order for every set of the plan
 *
 * Elements of the primary loop are stored by block, points by the blocks that touch them. Every
 * other set follows the sets that maps join it with. */
#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "order/order.h"
#include "pipeline/part_plan.h"
#include "pipeline/slabs.h"
#include "pipeline/steps.h"

/* Holes are for sets that are gathered from only: no loop runs over them, and
 * no map leaves them. */
static bool may_have_holes(const planning *p, int32_t set)
{
    for (int32_t l = 0; l < p->n_loops; l++)
        if (p->loops[l].set == set)
            return false;
    for (int32_t m = 0; m < p->n_maps; m++)
        if (p->maps[m].from == set)
            return false;
    return true;
}

/* Points of one to-set of the primary loop by the blocks that touch them. Ties, and points of no
 * block, go by `before`: the renumbering where this is the renumbered set, else first touch by
 * elements in their order. A padded order leaves holes only in sets that nothing runs over.
 * Result: set->new_of_old and set->storage. */
static mplan_status order_target(planning *p, const planning_loop *loop, int32_t target,
                                 mplan_error *err)
{
    const planning_numbering *numbering = &p->numbering;
    const int32_t *block = numbering->block;
    planning_set *set = &p->sets[target];
    mplan_point_order wanted = p->options->point_order;
    int64_t storage = set->size;
    bool padded = wanted == MPLAN_POINTS_PADDED && may_have_holes(p, target);
    bool packs_lines = wanted == MPLAN_POINTS_LINES || wanted == MPLAN_POINTS_PADDED;
    mplan_map *maps = mplan_alloc(loop->n_maps, sizeof *maps, err);
    int32_t *order = mplan_alloc(set->size, sizeof *order, err);
    int32_t *earlier = NULL;
    mplan_status status = MPLAN_ERR_MEMORY;
    if (!maps || !order)
        goto done;
    status = MPLAN_OK;
    int32_t n_maps = mplan_planning_maps_to(p, loop, target, maps);
    if (target != numbering->target) {
        earlier = mplan_alloc(set->size, sizeof *earlier, err);
        status = earlier ? mplan_order_first_touch(&maps[0], numbering->elements, earlier, err)
                         : MPLAN_ERR_MEMORY;
    }
    const int32_t *before = earlier ? earlier : numbering->points;
    if (!status && wanted == MPLAN_POINTS_RENUMBERED)
        memcpy(order, before, (size_t)set->size * sizeof *order);
    else if (!status && packs_lines)
        status = mplan_order_cache_lines(maps, n_maps, block, padded, before, order, &storage,
                                         p->context, err);
    else if (!status)
        status = mplan_order_points(maps, n_maps, block, wanted == MPLAN_POINTS_COUNT, before,
                                    order, p->context, err);
    if (!status) {
        set->new_of_old = order;
        set->storage = storage;
        order = NULL;
    }
    if (!status && mplan_planning_goes_by_group(p))
        status = mplan_planning_by_group(p, target, err);
done:
    free(maps);
    free(order);
    free(earlier);
    return status;
}

/* How the stored order of the set that the primary loop leads to compares with the mesh's. */
static mplan_status measure_target(planning *p, const planning_loop *loop, mplan_error *err)
{
    int32_t target = p->numbering.target;
    planning_set *set = &p->sets[target];
    mplan_map *maps = mplan_alloc(loop->n_maps, sizeof *maps, err);
    if (!maps)
        return MPLAN_ERR_MEMORY;
    int32_t n_maps = mplan_planning_maps_to(p, loop, target, maps);
    mplan_status status = mplan_order_measure(maps, n_maps, set->new_of_old, &set->bandwidth[2],
                                              &set->profile[2], p->context, err);
    free(maps);
    return status;
}

/* Orders the sets that the primary loop touches: its to-sets by blocks, its own set as
 * numbering.elements has it, which becomes that set's order. Where a map leads back to the
 * loop's own set, the order of elements wins. The numbering is then done with. */
static mplan_status order_primary(planning *p, mplan_error *err)
{
    const planning_loop *loop = &p->loops[p->primary];
    planning_numbering *numbering = &p->numbering;
    mplan_status status = MPLAN_OK;
    for (int32_t t = 0; t < loop->n_targets && !status; t++)
        if (loop->targets[t] != loop->set)
            status = order_target(p, loop, loop->targets[t], err);
    if (status)
        return status;
    p->sets[loop->set].new_of_old = numbering->elements;
    numbering->elements = NULL;
    if (numbering->target >= 0)
        status = measure_target(p, loop, err);
    free(numbering->points);
    free(numbering->block);
    numbering->points = numbering->block = NULL;
    return status;
}

/* The planning set that a group is a part of; -1 for sets that are not groups, and without that set in
 * the plan. */
static int32_t parent_of(const planning *p, int32_t set)
{
    int32_t parent;
    if (!mplan_mesh_parent_index(p->mesh, p->sets[set].mesh_set, &parent))
        return -1;
    for (int32_t s = 0; s < p->n_sets; s++)
        if (p->sets[s].mesh_set == parent)
            return s;
    return -1;
}

/* Members of a group as its parent stores them: the places of the parent that are taken, counted. */
static mplan_status order_by_parent(planning *p, int32_t set, int32_t parent, mplan_error *err)
{
    const planning_set *whole = &p->sets[parent];
    const int32_t *index = mplan_mesh_parent_index(p->mesh, p->sets[set].mesh_set, NULL);
    const int64_t size = p->sets[set].size;
    int32_t *order = mplan_alloc(size, sizeof *order, err);
    int32_t *place = mplan_alloc_zero(whole->storage, sizeof *place, err);
    if (!order || !place) {
        free(order);
        free(place);
        return MPLAN_ERR_MEMORY;
    }
    for (int64_t i = 0; i < size; i++)
        place[whole->new_of_old[index[i]]] = 1;
    int32_t before = 0;
    for (int64_t i = 0; i < whole->storage; i++) {
        const int32_t taken = place[i];
        place[i] = before;
        before += taken;
    }
    for (int64_t i = 0; i < size; i++)
        order[i] = place[whole->new_of_old[index[i]]];
    free(place);
    p->sets[set].new_of_old = order;
    return MPLAN_OK;
}

/* Every set of a group whose parent is ordered, unless it has an order: the primary loop's. */
static mplan_status order_groups(planning *p, mplan_error *err)
{
    mplan_status status = MPLAN_OK;
    for (int32_t s = 0; s < p->n_sets && !status; s++) {
        const int32_t parent = p->sets[s].new_of_old ? -1 : parent_of(p, s);
        if (parent >= 0 && p->sets[parent].new_of_old)
            status = order_by_parent(p, s, parent, err);
    }
    return status;
}

/* The first map of the plan that joins an unordered set with an ordered one, by its from-set
 * (as_from) or its to-set; -1 without. members: also by a from-set that is a group's and whose parent
 * the plan has, as it would better follow that. The caller asks for from-sets first: sorting elements
 * by their points keeps rows near, which first touch of a to-set does not. */
static int32_t joining_map(const planning *p, bool as_from, bool members)
{
    for (int32_t m = 0; m < p->n_maps; m++) {
        const planning_map *map = &p->maps[m];
        bool from_known = p->sets[map->from].new_of_old, to_known = p->sets[map->to].new_of_old;
        if (as_from && !members && parent_of(p, map->from) >= 0)
            continue;
        if (as_from ? !from_known && to_known : from_known && !to_known)
            return m;
    }
    return -1;
}

/* Orders the from-set of a map by its ordered to-set (as_from), or the other way round. */
static mplan_status order_by_map(planning *p, int32_t m, bool as_from, mplan_error *err)
{
    mplan_map map = mplan_planning_mesh_map(p, m);
    planning_set *set = &p->sets[as_from ? map.from : map.to];
    int32_t *order = mplan_alloc(set->size, sizeof *order, err);
    if (!order)
        return MPLAN_ERR_MEMORY;
    mplan_status status = as_from ? mplan_order_elements(&map, p->sets[map.to].new_of_old, order,
                                                         p->context, err)
                                  : mplan_order_first_touch(&map, p->sets[map.from].new_of_old,
                                                            order, err);
    if (status) {
        free(order);
        return status;
    }
    set->new_of_old = order;
    return MPLAN_OK;
}

/* Orders every set that a chain of maps joins with one that is ordered: each pass takes the
 * first map with exactly one end ordered and orders the other, so that it ends after at most
 * n_sets passes. Sets of groups follow their parents as soon as those are ordered. */
static mplan_status order_others(planning *p, mplan_error *err)
{
    mplan_status status = order_groups(p, err);
    while (!status) {
        bool as_from = true;
        int32_t m = joining_map(p, true, false);
        if (m < 0) {
            as_from = false;
            m = joining_map(p, false, false);
        }
        if (m < 0) {
            as_from = true;
            m = joining_map(p, true, true);
        }
        if (m < 0)
            break;
        status = order_by_map(p, m, as_from, err);
        if (!status)
            status = order_groups(p, err);
    }
    return status;
}

/* Sets that no map joins with an ordered one keep the mesh's order. */
static mplan_status keep_order(planning_set *set, mplan_error *err)
{
    set->new_of_old = mplan_alloc(set->size, sizeof *set->new_of_old, err);
    for (int64_t i = 0; set->new_of_old && i < set->size; i++)
        set->new_of_old[i] = (int32_t)i;
    return set->new_of_old ? MPLAN_OK : MPLAN_ERR_MEMORY;
}

/* After it every set of planning has new_of_old: injective into [0, storage). In a part without slabs it goes by
 * group; the primary loop's set is cut so. */
mplan_status mplan_step_order(planning *p, mplan_error *err)
{
    assert(p && p->numbering.elements && p->numbering.block);
    mplan_status status = order_primary(p, err);
    if (!status)
        status = order_others(p, err);
    for (int32_t s = 0; s < p->n_sets && !status; s++)
        if (!p->sets[s].new_of_old && parent_of(p, s) < 0)
            status = keep_order(&p->sets[s], err);
    if (!status)
        status = order_groups(p, err);
    for (int32_t s = 0; s < p->n_sets && !status && mplan_planning_goes_by_group(p); s++)
        if (s != p->loops[p->primary].set)
            status = mplan_planning_by_group(p, s, err);
    if (!status && p->levels.group)
        status = mplan_planning_follow_levels(p, err);
    return status;
}
