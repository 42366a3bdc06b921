/* SPDX-License-Identifier: Apache-2.0 */
/* part_plan.c - a part takes over what was chosen for the whole mesh, and keeps members of its halo behind its own */
#include "pipeline/part_plan.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "order/level_major.h"

/* --- what a part takes over ----------------------------------------------------------- */

/* Sets, maps and loops have the numbers of the whole planning, since the same loops name the same sets. Which
 * loop is the primary one may look different in a part, so that is taken over, too. */
mplan_status mplan_planning_take_choices(planning *p, mplan_error *err)
{
    assert(p && p->part);
    const planning *whole = p->part->whole;
    assert(p->n_sets == whole->n_sets && p->n_maps == whole->n_maps && p->n_loops == whole->n_loops);
    p->primary = whole->primary;
    for (int32_t l = 0; l < p->n_loops; l++) {
        planning_loop *own = &p->loops[l];
        const planning_loop *from = &whole->loops[l];
        own->n_strategies = from->n_strategies;
        memcpy(own->strategies, from->strategies, sizeof own->strategies);
        own->sums = from->sums;
        own->round = from->round;
        own->view = from->view;
        own->arg_layout = mplan_copy(from->arg_layout, from->loop->n_args, sizeof *own->arg_layout,
                                     err);
        if (!own->arg_layout)
            return MPLAN_ERR_MEMORY;
    }
    return MPLAN_OK;
}

/* --- orders and blocks ------------------------------------------------------------------ */

/* group: 0 inner, 1 owned and outer, from 2 on one for each member of a halo, in the order of its import. Within a
 * group the order stays as it is, so that owned members come first and halos lie in ranges. */
mplan_status mplan_planning_by_group(planning *p, int32_t set, mplan_error *err)
{
    assert(p && p->part && p->sets[set].new_of_old && p->sets[set].storage == p->sets[set].size);
    const int64_t n = p->sets[set].size;
    return mplan_order_by_group(n, p->part->group[set], n - p->part->owned[set] + 2,
                                p->sets[set].new_of_old, mplan_team_of(p->context), err);
}

mplan_status mplan_planning_part_order(planning *p, int32_t set, int32_t **order, mplan_error *err)
{
    assert(p && p->part && p->sets[set].new_of_old && order);
    const int64_t n = p->sets[set].size;
    const int32_t *stored = p->sets[set].new_of_old;
    int32_t *places = mplan_alloc(n, sizeof *places, err);
    *order = places ? mplan_copy(stored, n, sizeof **order, err) : NULL;
    mplan_status status = *order ? MPLAN_OK : MPLAN_ERR_MEMORY;
    if (!status)
        status = mplan_order_by_group(n, p->part->group[set], n - p->part->owned[set] + 2, *order,
                                      mplan_team_of(p->context), err);
    if (status) {
        free(places);
        free(*order);
        *order = NULL;
        return status;
    }
    for (int64_t m = 0; m < n; m++)
        places[(*order)[m]] = stored[m];
    return mplan_plan_take_array(p->plan, mplan_key_of_set(MPLAN_KIND_PART_PLACES, set),
                                 MPLAN_TYPE_I32, n, 1, places, err);
}

/* The elements that the partitioner gets: those of the part before those of the halo; strict: inner ones before outer
 * ones, too. */
mplan_status mplan_planning_own_first(planning *p, bool strict, mplan_error *err)
{
    assert(p && p->part && p->numbering.elements);
    const int32_t set = p->loops[p->primary].set;
    const int64_t n = p->sets[set].size, n_groups = n - p->part->owned[set] + 2;
    int32_t *group = mplan_copy(p->part->group[set], n, sizeof *group, err);
    if (!group)
        return MPLAN_ERR_MEMORY;
    for (int64_t e = 0; e < n && !strict; e++)
        group[e] = group[e] < 2 ? 0 : group[e];
    mplan_status status = mplan_order_by_group(n, group, n_groups, p->numbering.elements,
                                               mplan_team_of(p->context), err);
    free(group);
    return status;
}

/* Blocks are numbered again, those with only inner elements first: they run while messages travel. block: by element,
 * n_owned of them. */
mplan_status mplan_planning_inner_first(planning *p, int64_t n_owned, int32_t *block,
                                        int64_t n_blocks, mplan_error *err)
{
    assert(p && p->part && block && n_blocks >= 0);
    const int32_t set = p->loops[p->primary].set, *group = p->part->group[set];
    const int32_t *place = p->numbering.elements;
    int32_t *number = mplan_alloc_zero(n_blocks, sizeof *number, err), next = 0;
    if (!number)
        return MPLAN_ERR_MEMORY;
    for (int64_t e = 0; e < p->sets[set].size; e++) /* 1: the block is not an inner one */
        if (place[e] < n_owned && group[e] == 1)
            number[block[place[e]]] = 1;
    for (int64_t b = 0; b < n_blocks; b++)
        next += number[b] == 0;
    for (int64_t b = 0, inner = 0; b < n_blocks; b++)
        number[b] = number[b] ? next++ : (int32_t)inner++;
    for (int64_t i = 0; i < n_owned; i++)
        block[i] = number[block[i]];
    free(number);
    return MPLAN_OK;
}
