/* SPDX-License-Identifier: Apache-2.0 */
/* slabs.c - what a plan for a limited device memory asks of the steps of planning */
#include "pipeline/slabs.h"

#include <assert.h>
#include <stdlib.h>

#include "base/error.h"
#include "base/memory.h"
#include "order/level_major.h"
#include "pipeline/side_by_side.h"
#include "plan/slab_uses.h"

/* What of a request cannot be combined with a limited device memory, before anything is computed. */
mplan_status mplan_planning_refuse_slabs(const planning *p, mplan_error *err)
{
    assert(p);
    const mplan_plan_options *asked = p->asked;
    const char *wrong = asked->n_step == 0 ? "needs the step that is repeated ('step' in a job)"
                        : asked->renumber == MPLAN_RENUMBER_NONE
                            ? "orders points by levels and cannot be combined with renumber none"
                        : asked->partitioner != MPLAN_PARTITIONER_AUTO &&
                                asked->partitioner != MPLAN_PARTITIONER_NONE
                            ? "cannot be combined with a partitioner: slabs are launched by rows"
                        : asked->point_order != MPLAN_POINTS_AUTO &&
                                asked->point_order != MPLAN_POINTS_RENUMBERED
                            ? "cannot be combined with another point order than renumbered"
                            : NULL;
    if (wrong)
        return mplan_fail(err, MPLAN_ERR_ARGUMENT, "device-memory %s", wrong);
    return MPLAN_OK;
}

/* What `auto` means there; MPLAN_N_STRATEGIES: no strategy can run the loop in slabs. */
mplan_strategy mplan_planning_slab_strategy(const planning_loop *loop)
{
    assert(loop);
    bool written = false;
    for (int32_t m = 0; m < loop->n_maps; m++)
        written = written || loop->map_written[m];
    const mplan_strategy strategy = written ? MPLAN_STRATEGY_OWNER_GATHER : MPLAN_STRATEGY_ATOMIC;
    return mplan_planning_may_run(loop, strategy) ? strategy : MPLAN_N_STRATEGIES;
}

/* Where the members of a set are in p->levels.group. */
static int64_t first_of(const planning *p, int32_t set)
{
    int64_t first = 0;
    for (int32_t s = 0; s < set; s++)
        first += p->sets[s].size;
    return first;
}

/* The composite graph is that of all maps of the plan, which are those of its loops. */
mplan_status mplan_planning_level_order(planning *p, int32_t *order, mplan_error *err)
{
    assert(p && order && p->numbering.target >= 0 && !p->levels.group);
    const int32_t target = p->numbering.target;
    const int64_t n = p->sets[target].size;
    p->level_set = target;
    int64_t *size = mplan_alloc(p->n_sets, sizeof *size, err);
    mplan_map *maps = mplan_alloc(p->n_maps, sizeof *maps, err);
    mplan_status status = size && maps ? MPLAN_OK : MPLAN_ERR_MEMORY;
    int32_t together = 1;
    int64_t groups = 1;
    if (!status)
        status = mplan_planning_slab_levels(p, &together, &groups, err);
    for (int32_t s = 0; s < p->n_sets && !status; s++)
        size[s] = p->sets[s].size;
    for (int32_t m = 0; m < p->n_maps && !status; m++)
        maps[m] = mplan_planning_mesh_map(p, m);
    const mplan_composite graph = {p->n_sets, p->n_maps, size, maps};
    if (!status && n > 0)
        status = mplan_order_level_groups(&graph, target, n / MPLAN_SLABS_MOST + 1, together,
                                          groups, &p->levels, p->context, err);
    if (!status && n > 0)
        status = mplan_planning_note_pieces(p, order, err);
    if (!status && n > 0)
        status = mplan_order_by_group(n, p->levels.group + first_of(p, target), p->levels.n, order,
                                      mplan_team_of(p->context), err);
    free(size);
    free(maps);
    return status;
}

/* Without this a point that no element of the primary loop touches comes last, and all slabs become one. */
mplan_status mplan_planning_follow_levels(planning *p, mplan_error *err)
{
    assert(p && p->levels.group);
    mplan_status status = MPLAN_OK;
    for (int32_t s = 0; s < p->n_sets && !status; s++)
        if (s != p->level_set && s != p->loops[p->primary].set)
            status = mplan_order_by_group(p->sets[s].size, p->levels.group + first_of(p, s),
                                          p->levels.n, p->sets[s].new_of_old,
                                          mplan_team_of(p->context), err);
    return status;
}

/* Slabs, streams and the schedule, of the finished plan. A loop that cannot be run in slabs is named with the reason. */
mplan_status mplan_planning_slabs(planning *p, mplan_error *err)
{
    assert(p && p->plan && !p->plan->sealed);
    const mplan_plan *plan = p->plan;
    for (int32_t i = 0; i < plan->n_step; i++) {
        const char *wrong = mplan_slab_refusal(plan, i);
        if (wrong)
            return mplan_fail(err, MPLAN_ERR_ARGUMENT,
                              "loop %s %s, so device-memory cannot be limited",
                              plan->loops[plan->step[i].loop].name, wrong);
    }
    mplan_status status = mplan_planning_cut_slabs(p, err);
    if (!status)
        status = mplan_planning_cut_pieces(p, err);
    return !status ? mplan_planning_visit(p, err) : status;
}
