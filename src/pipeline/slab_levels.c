/* SPDX-License-Identifier: Apache-2.0 */
/* slab_levels.c - how many breadth-first levels are put in order together
 *
 * Points of a group of levels follow Hilbert's curve, or another order without levels, inside the group. Where it is one level, thread blocks are
 * lines, and load twice as many bytes through the caches as round ones: airfoil, `naca0012:2100x952`, res_calc by owner-gather with 128 threads, bytes
 * of q, adt and x for each cell, 32 at a time: 83 in the order without levels, 159 with one level, 120 with 2, 105 with 3, 98 with 4, 93 with 6,
 * 90 with 8. The tables have as many bytes in all of them. Faces of hexes, `hex:100x100x100`, bytes of a dat of five numbers: 92, 122 with one level,
 * 103 with 2, 97 with 4. But slabs get longer with the groups, and each step of a visit is some slabs behind the one
 * before: the steps of a visit (find_steps) shall be spread over no more than a third of a quarter of the levels. What is chosen does not depend on the limit, so
 * that a plan can get another one (revisit.c). */
#include "pipeline/slabs.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>

#include "base/error.h"
#include "base/memory.h"
#include "pipeline/dat_uses.h"
#include "pipeline/steps.h"
#include "pipeline/visit.h"

enum { LEVELS_MOST = 8, STEPS = 32, STEPS_MOST = 64, PART = 3 * 4 };

/* gathers: out, of each loop, set where it accesses by a map what the step writes: then it is a slab behind what is before it, and what
 * follows is a slab behind it. */
static mplan_status find_gathers(const planning *p, bool *gathers, mplan_error *err)
{
    planning_use *uses = NULL;
    int64_t n = 0;
    mplan_status status = mplan_planning_uses(p, &uses, &n, err);
    for (int64_t begin = 0, end; begin < n && !status; begin = end) {
        bool written = false;
        end = mplan_planning_uses_end(uses, n, begin);
        for (int64_t u = begin; u < end; u++)
            written = written || p->loops[uses[u].loop].loop->args[uses[u].arg].access != MPLAN_READ;
        for (int64_t u = begin; u < end && written; u++)
            if (p->loops[uses[u].loop].arg_map[uses[u].arg] >= 0)
                gathers[uses[u].loop] = true;
    }
    free(uses);
    return status;
}

/* Loops over a few members, as those at a boundary, run beside others. */
static bool is_small(const planning *p, int32_t loop)
{
    return p->sets[p->loops[loop].set].size < p->sets[p->level_set].size / 16;
}

/* Steps of a visit for which slabs must be thin enough: STEPS, or where the link is slow beside the kernels as many as make it need half
 * of their time, by the bytes of the data only. With fewer steps, a link that is nearly as busy as the kernels and they wait for one another
 * in turns: 161 million hexes, slabs of two levels, which have room for 24 steps (copies by themselves take 0.8 of the time) 19 % slower than in
 * memory; of one level 32 steps 11 %, 48 steps 9. */
static mplan_status find_steps(const planning *p, int64_t *steps, mplan_error *err)
{
    planning_use *uses = NULL;
    int64_t n = 0;
    double moved = 0, used = 0; /* bytes in a visit and in a step */
    mplan_status status = mplan_planning_uses(p, &uses, &n, err);
    for (int64_t begin = 0, end; begin < n && !status; begin = end) {
        const planning_loop *loop = &p->loops[uses[begin].loop];
        const mplan_arg *arg = &loop->loop->args[uses[begin].arg];
        const int32_t map = loop->arg_map[uses[begin].arg];
        end = mplan_planning_uses_end(uses, n, begin);
        if (map != MPLAN_MAP_GLOBAL)
            moved += (double)p->sets[map < 0 ? loop->set : p->maps[map].to].size * arg->dim *
                     (double)mplan_type_size(arg->type);
    }
    free(uses);
    for (int32_t i = 0; i < p->asked->n_step && !status; i++)
        used += (double)mplan_planning_loop_bytes(p, &p->loops[p->asked->step[i]]);
    const double link = moved / mplan_visit_link_rate(&p->device);
    *steps = (int64_t)ceil(fmin(fmax(2 * link * p->device.copy_rate / fmax(used, 1), STEPS),
                                STEPS_MOST));
    return status;
}

/* One level where a loop has layers: blocks of columns are not rounder with more. */
mplan_status mplan_planning_slab_levels(const planning *p, int32_t *together, int64_t *groups,
                                        mplan_error *err)
{
    assert(p && together && groups && p->asked->device_memory > 0);
    const mplan_plan_options *asked = p->asked;
    int64_t behind = 0, steps = STEPS; /* slabs that a step is behind the one before */
    bool layers = false;
    *groups = 1;
    *together = asked->slab_levels;
    if (asked->slab_levels > 0)
        return MPLAN_OK;
    bool *gathers = mplan_alloc_zero(p->n_loops, sizeof *gathers, err);
    mplan_status status = gathers ? find_gathers(p, gathers, err) : MPLAN_ERR_MEMORY;
    for (int32_t i = 0; i < asked->n_step && !status; i++) {
        behind += gathers[asked->step[i]] && !is_small(p, asked->step[i]) ? 2 : 0;
        layers = layers || p->loops[asked->step[i]].layering;
    }
    if (!status)
        status = find_steps(p, &steps, err);
    *together = layers ? 1 : LEVELS_MOST;
    *groups += PART * steps * behind;
    free(gathers);
    return status;
}
