/* SPDX-License-Identifier: Apache-2.0 */
/* layouts.c - how the members of every dat are in memory
 *
 * A dat has one layout in all loops of a plan. Each access of each loop has a cost under
 * either layout: the bytes that it moves, times a factor where the layout does not suit
 * it, times the calls of the loop. The smaller sum wins; equal sums are structures of
 * arrays. The factors come from kernels on an H200: components of gathered members
 * lie in sectors of their own (1.5), increments side by side are added by whole warps
 * (1.5); direct data come in whole sectors either way, rows of three with fewer misses one
 * after the other, longer ones with fewer requests when numbers of a kind lie together (1.1).
 * Under owner-gather, which reads them once for every point, rows of two and more count as gathered:
 * flux2d took 232 us with its normals component by component, 211 member by member. Under block-gather, whose
 * blocks read points that lie side by side, gathered rows that are longer than a sector and not made of whole
 * vectors of 16 bytes come component by component: each of their numbers costs a request, which otherwise
 * touches as many lines as a warp has members (edgefv, five f64: 303 -> 271 us, with atomic adds 241 -> 217).
 * Not where a loop reads more than a line of a point (miniaero 562 -> 628). In loops with layers, whose threads run
 * along the levels, points have their numbers side by side (a flux of four numbers: 122 us, and 224 component by
 * component), and direct data, such as matrices, lie component by component (535 us, and 3,703 side by side). */
#include <assert.h>
#include <stdlib.h>

#include "pipeline/dat_uses.h"
#include "pipeline/layouts.h"
#include "pipeline/mesh_facts.h"

static const double MISFIT = 1.5, DIRECT_MISFIT = 1.1;
enum { DIRECT_ROW = 3, OWNER_ROW = 2, SECTOR = 32, VECTOR = 16, LINE = 128 };

/* Weighed bytes of all accesses to a dat under either layout. */
typedef struct layout_cost {
    double aos, soa;
} layout_cost;

/* Slots by which the elements of a loop reach the points that they increment. */
static double entries_written(const planning *p, const planning_loop *loop)
{
    double entries = 0;
    for (int32_t m = 0; m < loop->n_maps; m++)
        entries += loop->map_written[m] ? (double)mplan_planning_entries(p, loop->maps[m]) : 0;
    return entries;
}

/* Whether blocks gather the rows of arg a number by number. */
static bool by_components(const planning_loop *loop, int32_t a)
{
    int64_t row = 0, all = 0;
    bool written = false; /* else nothing is gathered, whatever was asked for */
    for (int32_t b = 0; b < loop->loop->n_args; b++) {
        const mplan_arg *arg = &loop->loop->args[b];
        const int64_t bytes = arg->dim * (int64_t)mplan_type_size(arg->type);
        if (loop->arg_map[b] >= 0 && arg->access == MPLAN_READ)
            all += bytes;
        row = b == a ? bytes : row;
    }
    for (int32_t m = 0; m < loop->n_maps; m++)
        written = written || loop->map_written[m];
    return written && mplan_strategy_has(loop->strategies[0], MPLAN_TRAIT_RECORDS) &&
           row > SECTOR && row % VECTOR != 0 && all <= LINE;
}

/* Bytes that arg a moves with arrays of structures and with a structure of
 * arrays, times calls of the loop. */
static void add_access(const planning *p, const planning_loop *loop, int32_t a, layout_cost *cost)
{
    const mplan_arg *arg = &loop->loop->args[a];
    double members = (double)p->sets[loop->set].size;
    bool gathered = false;
    if (loop->arg_map[a] >= 0) {
        members = (double)mplan_planning_entries(p, loop->arg_map[a]);
        gathered = loop->layering || (!mplan_access_adds(arg->access) &&
                                      !(arg->access == MPLAN_READ && by_components(loop, a)));
    } else if (!loop->layering && mplan_strategy_has(loop->strategies[0], MPLAN_TRAIT_OWNERS) &&
               arg->dim >= OWNER_ROW) {
        /* read once for every point of the element */
        members = entries_written(p, loop);
        gathered = true;
    }
    double bytes = members * arg->dim * (double)mplan_type_size(arg->type) *
                   (double)loop->loop->calls;
    bool direct = loop->arg_map[a] < 0 && !gathered;
    double misfit = direct ? DIRECT_MISFIT : MISFIT;
    bool aos = direct ? arg->dim == DIRECT_ROW && !loop->layering : gathered;
    cost->aos += bytes * (aos ? 1 : misfit);
    cost->soa += bytes * (aos ? misfit : 1);
}

/* One layout for each dat, since a dat has only one in the whole plan: that which the request names, else where
 * loops disagree, the one of fewer bytes. */
mplan_status mplan_planning_layouts(planning *p, mplan_error *err)
{
    assert(p);
    planning_use *uses = NULL;
    int64_t n = 0;
    mplan_status status = mplan_planning_uses(p, &uses, &n, err);
    for (int64_t begin = 0, end; begin < n && !status; begin = end) {
        layout_cost cost = {0, 0};
        end = mplan_planning_uses_end(uses, n, begin);
        for (int64_t u = begin; u < end; u++)
            add_access(p, &p->loops[uses[u].loop], uses[u].arg, &cost);
        mplan_layout layout = cost.aos < cost.soa ? MPLAN_LAYOUT_AOS : MPLAN_LAYOUT_SOA;
        if (p->options->layouts > 0)
            layout = (mplan_layout)(p->options->layouts - 1);
        if (p->loops[uses[begin].loop].arg_map[uses[begin].arg] == MPLAN_MAP_GLOBAL)
            layout = MPLAN_LAYOUT_AOS; /* a single row */
        for (int64_t u = begin; u < end; u++)
            p->loops[uses[u].loop].arg_layout[uses[u].arg] = layout;
    }
    free(uses);
    return status;
}
