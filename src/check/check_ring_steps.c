/* SPDX-License-Identifier: Apache-2.0 */
/* check_ring_steps.c - a visit of a part has no more steps than one exchange of halos serves
 *
 * From the last entry of the visit to its first one: how far around the part must each dat be right, so that in the end what the part owns
 * is. The planner goes the other way: from what is right after an exchange to what is left of it. */
#include "check/check_halo.h"

#include <stdlib.h>
#include <string.h>

/* By dat of the step: the highest ring up to which it must be right; -1: nothing of it is needed. */
typedef struct ring_demand {
    const mplan_check *check;
    int32_t n;
    const char **name;
    int64_t *need;
    bool *changed;
} ring_demand;

static int32_t find(const ring_demand *of, const char *name)
{
    int32_t d = 0;
    while (d < of->n && strcmp(of->name[d], name) != 0)
        d++;
    return d;
}

static const mplan_plan_loop *loop_of(const ring_demand *of, int32_t i)
{
    return &of->check->plan->loops[of->check->plan->step[i].loop];
}

/* In the end all that the step changes is right where it is owned. */
static mplan_status open_demand(const mplan_check *check, ring_demand *of, mplan_error *err)
{
    const mplan_plan *plan = check->plan;
    int64_t most = 0;
    *of = (ring_demand){.check = check};
    for (int32_t i = 0; i < plan->n_step; i++)
        most += loop_of(of, i)->n_args;
    of->name = mplan_alloc(most, sizeof *of->name, err);
    of->need = mplan_alloc(most, sizeof *of->need, err);
    of->changed = mplan_alloc_zero(most, sizeof *of->changed, err);
    if (!of->name || !of->need || !of->changed)
        return MPLAN_ERR_MEMORY;
    for (int32_t i = 0; i < plan->n_step; i++)
        for (int32_t a = 0; a < loop_of(of, i)->n_args; a++) {
            const mplan_plan_arg *arg = &loop_of(of, i)->args[a];
            const int32_t d = arg->map == MPLAN_MAP_GLOBAL ? -1 : find(of, arg->dat);
            if (d < 0)
                continue;
            of->name[d] = arg->dat;
            of->n = d == of->n ? d + 1 : of->n;
            of->changed[d] = of->changed[d] || arg->access != MPLAN_READ;
        }
    for (int32_t d = 0; d < of->n; d++)
        of->need[d] = of->changed[d] ? 0 : -1;
    return MPLAN_OK;
}

static void close_demand(ring_demand *of)
{
    free(of->name);
    free(of->need);
    free(of->changed);
}

/* Entry i with what is needed after it, and what is needed before it then. false: its rows are not whole so far out. */
static bool pass_back(ring_demand *of, int32_t i)
{
    const mplan_plan_loop *loop = loop_of(of, i);
    const int64_t rings = of->check->rings;
    int64_t results = 0;
    bool maps = false, adds = false;
    for (int32_t a = 0; a < loop->n_args; a++) {
        const mplan_plan_arg *arg = &loop->args[a];
        maps = maps || arg->map >= 0;
        adds = adds || (arg->map >= 0 && arg->access != MPLAN_READ);
        if (arg->map == MPLAN_MAP_GLOBAL || arg->access == MPLAN_READ)
            continue;
        const int32_t d = find(of, arg->dat);
        results = of->need[d] > results ? of->need[d] : results;
    }
    if ((adds && results > rings - 1) || (maps && results > rings) || results > rings + 1)
        return false;
    for (int32_t a = 0; a < loop->n_args; a++) /* what is only written need not have been right */
        if (loop->args[a].map == -1 && loop->args[a].access == MPLAN_WRITE)
            of->need[find(of, loop->args[a].dat)] = -1;
    for (int32_t a = 0; a < loop->n_args; a++) {
        const mplan_plan_arg *arg = &loop->args[a];
        if (arg->map == MPLAN_MAP_GLOBAL || (arg->map == -1 && arg->access == MPLAN_WRITE))
            continue;
        const bool reads = arg->access == MPLAN_READ || arg->access == MPLAN_RW;
        const int64_t need = reads && (arg->map >= 0 || adds) ? results + 1 : results;
        const int32_t d = find(of, arg->dat);
        if (of->changed[d])
            of->need[d] = need > of->need[d] ? need : of->need[d];
    }
    const int32_t clear = of->check->plan->step[i].clear;
    if (clear && loop->args[clear - 1].map != MPLAN_MAP_GLOBAL)
        of->need[find(of, loop->args[clear - 1].dat)] = -1;
    return true;
}

/* An exchange makes dats right up to ring `rings` + 1. */
mplan_status mplan_check_ring_steps(mplan_check *check, mplan_error *err)
{
    const mplan_plan *plan = check->plan;
    ring_demand of;
    if (!mplan_plan_is_part(plan) || plan->visit.slabs == 0)
        return MPLAN_OK;
    if (check->rings == 0)
        return MPLAN_DISPROVED(err, "a part without rings cannot have a visit");
    mplan_status status = open_demand(check, &of, err);
    for (int32_t k = 0; k < plan->visit.steps && !status; k++) {
        bool served = true;
        for (int32_t i = plan->n_step - 1; i >= 0 && served; i--)
            served = pass_back(&of, i);
        for (int32_t d = 0; d < of.n && served; d++)
            served = of.need[d] <= check->rings + 1;
        if (!served)
            status = MPLAN_DISPROVED(err,
                                     "a visit has %d steps, but with %" PRId64
                                     " rings an exchange of halos serves only %d",
                                     (int)plan->visit.steps, check->rings, (int)k);
    }
    close_demand(&of);
    return status;
}
