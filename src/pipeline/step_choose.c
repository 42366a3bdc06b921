/* SPDX-License-Identifier: Apache-2.0 */
/* step_choose.c - what a request leaves open: strategies, block size, partitioner, point
 * order, and the layout of every dat
 *
 * The rules are in meshplan-plan(1), the cost model in cost_model.h. */
#include <assert.h>
#include <math.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "pipeline/cost_layers.h"
#include "pipeline/cost_model.h"
#include "pipeline/layers.h"
#include "pipeline/layouts.h"
#include "pipeline/loop_shape.h"
#include "pipeline/part_plan.h"
#include "pipeline/predictions.h"
#include "pipeline/side_by_side.h"
#include "pipeline/slabs.h"
#include "pipeline/steps.h"

/* CROWDED: entries of a point; NO_ROUNDS: no block is larger */
enum { USUAL_BLOCK_SIZE = 256, LINE_BYTES = 128, CROWDED = 12, NO_ROUNDS = 1024 };

/* Whether the loop writes or increments through a map. */
static bool writes_by_maps(const planning_loop *loop)
{
    for (int32_t m = 0; m < loop->n_maps; m++)
        if (loop->map_written[m])
            return true;
    return false;
}

/* Strategies that sum a point's row by itself can do so in the order of the mesh; the others add
 * by blocks, by colours, or as it happens. */
static bool keeps_rows(const planning *p, mplan_strategy strategy)
{
    return p->options->sums_order != MPLAN_SUMS_ORDER_MESH ||
           mplan_strategy_has(strategy, MPLAN_TRAITS_ROWS);
}

/* The model's choice, but where sums are to be in the order of the mesh: then the faster of the
 * strategies that can do so and may run the loop; MPLAN_N_STRATEGIES: none. */
static mplan_strategy choose_rows(const planning *p, const planning_loop *loop,
                                  const mplan_loop_shape *shape, const mplan_loop_choice *choice)
{
    static const mplan_strategy rows[] = {MPLAN_STRATEGY_OWNER_GATHER, MPLAN_STRATEGY_TWO_STEP};
    mplan_strategy best = MPLAN_N_STRATEGIES;
    double least = HUGE_VAL;
    if (keeps_rows(p, choice->strategy) || !writes_by_maps(loop))
        return choice->strategy;
    for (int i = 0; i < 2; i++) {
        double seconds = mplan_cost_seconds(shape, &p->device, rows[i], loop->sums,
                                            choice->block_size);
        if (mplan_planning_may_run(loop, rows[i]) && seconds < least) {
            least = seconds;
            best = rows[i];
        }
    }
    return best;
}

/* Only increments are sums: what is written through a map depends on the plan. */
static mplan_status refuse_mesh_order(const planning_loop *loop, const char *strategy,
                                      mplan_error *err)
{
    if (strategy)
        return mplan_fail(err, MPLAN_ERR_ARGUMENT,
                          "loop %s: %s cannot add in the order of the mesh (--sums-order mesh); "
                          "owner-gather and two-step can",
                          loop->loop->name, strategy);
    return mplan_fail(err, MPLAN_ERR_ARGUMENT,
                      "loop %s: no strategy can run it and add in the order of the mesh "
                      "(--sums-order mesh)",
                      loop->loop->name);
}

static bool gathers(const planning *p, const planning_loop *loop)
{
    const char *why;
    return mplan_planning_gathers(p, loop, &why);
}

static mplan_status refuse_slab_strategy(const planning_loop *loop, mplan_error *err)
{
    return mplan_fail(err, MPLAN_ERR_ARGUMENT,
                      "loop %s: neither owner-gather nor atomic may run it, so device-memory cannot be "
                      "limited",
                      loop->loop->name);
}

/* The fastest strategy that runs columns of layers and gives what the request asks for; colours where the model knows none.
 * Strategies by blocks are predicted, but not taken: nobody has measured them. */
static mplan_status choose_layered(const planning *p, planning_loop *loop, mplan_error *err)
{
    static const mplan_strategy order[] = {MPLAN_STRATEGY_OWNER_GATHER, MPLAN_STRATEGY_TWO_STEP,
                                           MPLAN_STRATEGY_GLOBAL_COLOUR, MPLAN_STRATEGY_ATOMIC};
    const bool written = writes_by_maps(loop), gathered = gathers(p, loop);
    mplan_layers_shape shape;
    double seconds[MPLAN_N_STRATEGIES];
    mplan_status status = mplan_planning_layers_shape(p, loop, &shape, err);
    for (int s = 0; s < MPLAN_N_STRATEGIES && !status; s++) {
        const mplan_strategy strategy = (mplan_strategy)s;
        const bool may = mplan_planning_may_run(loop, strategy) &&
                         (gathered || !mplan_strategy_has(strategy, MPLAN_TRAITS_GATHER)) &&
                         !mplan_planning_refuse_layered(loop, strategy, p->options, NULL);
        seconds[s] = may ? mplan_cost_layers_seconds(&shape, &p->device, strategy) : HUGE_VAL;
    }
    if (status)
        return status;
    mplan_strategy best = written ? MPLAN_STRATEGY_GLOBAL_COLOUR : MPLAN_STRATEGY_ATOMIC;
    double least = HUGE_VAL;
    const bool slabs = p->asked->device_memory > 0;
    if (slabs)
        best = mplan_planning_slab_strategy(loop);
    if (slabs && (best == MPLAN_N_STRATEGIES || (written && seconds[best] == HUGE_VAL)))
        return refuse_slab_strategy(loop, err);
    for (size_t i = 0; i < sizeof order / sizeof *order && written && !slabs; i++)
        if (keeps_rows(p, order[i]) && seconds[order[i]] < least &&
            (order[i] != MPLAN_STRATEGY_ATOMIC || p->options->allow_nondeterministic)) {
            best = order[i];
            least = seconds[best];
        }
    if (written && !keeps_rows(p, best))
        return refuse_mesh_order(loop, NULL, err);
    loop->n_strategies = 1;
    loop->strategies[0] = best;
    mplan_planning_predict(p, loop, shape.conflicts, seconds);
    return MPLAN_OK;
}

/* One strategy for the loop, by the cost model; *block_size: 0 lets the model
 * choose it, else it is kept. */
static mplan_status choose_strategy(const planning *p, planning_loop *loop, int32_t *block_size,
                                    mplan_error *err)
{
    mplan_loop_shape shape;
    double seconds[MPLAN_N_STRATEGIES];
    if (loop->layering) { /* strategies by blocks are not chosen, so any size does */
        *block_size = *block_size ? *block_size : USUAL_BLOCK_SIZE;
        return choose_layered(p, loop, err);
    }
    mplan_status status = mplan_planning_shape(p, loop, &shape, err);
    if (status)
        return status;
    mplan_loop_choice choice = mplan_cost_choose(&shape, &p->device,
                                                 p->options->allow_nondeterministic, *block_size);
    loop->n_strategies = 1;
    loop->strategies[0] = p->asked->device_memory > 0 ? mplan_planning_slab_strategy(loop)
                                                      : choose_rows(p, loop, &shape, &choice);
    if (loop->strategies[0] == MPLAN_N_STRATEGIES && p->asked->device_memory > 0)
        return refuse_slab_strategy(loop, err);
    if (loop->strategies[0] == MPLAN_N_STRATEGIES)
        return refuse_mesh_order(loop, NULL, err);
    loop->sums = choice.sums;
    *block_size = choice.block_size;
    loop->round = mplan_cost_round(&shape, &p->device, loop->sums, *block_size);
    for (int s = 0; s < MPLAN_N_STRATEGIES; s++)
        seconds[s] = mplan_planning_may_run(loop, (mplan_strategy)s)
                         ? mplan_cost_seconds(&shape, &p->device, (mplan_strategy)s, loop->sums,
                                              *block_size)
                         : HUGE_VAL;
    mplan_planning_predict(p, loop, shape.conflicts, seconds);
    return MPLAN_OK;
}

/* The primary loop's choice decides the block size of the plan. */
static mplan_status choose_each(planning *p, mplan_plan_options *options, mplan_error *err)
{
    mplan_status status = choose_strategy(p, &p->loops[p->primary], &options->block_size, err);
    for (int32_t l = 0; l < p->n_loops && !status; l++)
        if (l != p->primary)
            status = choose_strategy(p, &p->loops[l], &options->block_size, err);
    return status;
}

/* Whether blocks are large for rounds of the primary loop, and another loop is to run them without. */
static bool crowds_others(const planning *p)
{
    bool crowds = false;
    for (int32_t l = 0; l < p->n_loops; l++)
        crowds = crowds || (mplan_strategy_has(p->loops[l].strategies[0], MPLAN_TRAIT_BLOCKS) &&
                            p->loops[l].round == 0);
    return crowds && p->loops[p->primary].round > 0;
}

/* Rounds of a loop are left out where they would cost others more than the loop gains: lists of large blocks leave room for few of
 * them (bookleaf took 1.3 times as long with 512 elements as with 256). */
static mplan_status choose_strategies(planning *p, mplan_plan_options *options, mplan_error *err)
{
    const int32_t block_size = options->block_size;
    mplan_status status = choose_each(p, options, err);
    if (status || options->block_round > 0 || !crowds_others(p))
        return status;
    options->block_size = block_size;
    options->block_round = NO_ROUNDS;
    return choose_each(p, options, err);
}

/* Every loop gets the strategies and sums that the request names (none: n_strategies is 0, and
 * choose_strategies fills them in), and room for the layouts of its args. */
static mplan_status take_named(planning *p, mplan_error *err)
{
    for (int32_t l = 0; l < p->n_loops; l++) {
        planning_loop *loop = &p->loops[l];
        loop->n_strategies = p->options->n_strategies;
        memcpy(loop->strategies, p->options->strategies, sizeof loop->strategies);
        loop->sums = p->options->sums;
        loop->round = p->options->block_round;
        loop->arg_layout = mplan_alloc_zero(loop->loop->n_args, sizeof *loop->arg_layout, err);
        if (!loop->arg_layout)
            return MPLAN_ERR_MEMORY;
    }
    return MPLAN_OK;
}

/* Strategies that were named may not be what a loop's args allow. Loops that write nothing by
 * maps have nothing to gather: the strategies that do so become atomic (step_colour.c), which
 * may run all of them. */
static mplan_status refuse_named(const planning *p, mplan_error *err)
{
    const char *why;
    mplan_status status = MPLAN_OK;
    for (int32_t l = 0; l < p->n_loops && !status; l++) {
        const planning_loop *loop = &p->loops[l];
        bool written = writes_by_maps(loop);
        for (int32_t s = 0; s < loop->n_strategies && !status; s++) {
            mplan_strategy strategy = written ? loop->strategies[s] : MPLAN_STRATEGY_ATOMIC;
            status = mplan_planning_refuse_strategy(loop, strategy, err);
            if (!status)
                status = mplan_planning_refuse_layered(loop, strategy, p->options, err);
            if (!status && written && mplan_strategy_has(strategy, MPLAN_TRAITS_GATHER) &&
                !mplan_planning_gathers(p, loop, &why))
                status = mplan_planning_refuse_gather(loop->loop->name, strategy, why, err);
            if (!status && written && !keeps_rows(p, strategy))
                status = refuse_mesh_order(loop, mplan_strategy_name(strategy), err);
        }
    }
    return status;
}

/* Whether blocks that touch few points, and points that are stored block by block, make the
 * loop faster (measured: tools/gpu/RESULTS.md). block-colour always; block-gather unless
 * a point fills lines of its own, or crowded points leave few atomic adds to be saved, or
 * owner-gather is to run in the same order. */
static mplan_status blocks_pay(const planning *p, const planning_loop *loop, bool *pay,
                               mplan_error *err)
{
    mplan_strategy strategy = loop->strategies[0];
    *pay = mplan_strategy_has(strategy, MPLAN_TRAIT_THREAD_COLOURS);
    bool serves = mplan_strategy_has(strategy, MPLAN_TRAIT_RECORDS);
    for (int32_t v = 1; v < loop->n_strategies; v++)
        serves = serves && !mplan_strategy_has(loop->strategies[v], MPLAN_TRAIT_OWNERS);
    if (!serves)
        return MPLAN_OK;
    mplan_loop_shape shape;
    mplan_status status = mplan_planning_shape(p, loop, &shape, err);
    if (!status)
        *pay = shape.point_bytes <= LINE_BYTES &&
               (loop->sums != MPLAN_SUMS_ATOMIC || shape.entries <= CROWDED * shape.active);
    return status;
}

/* options: a copy of the request's in which whatever was left open is filled in: block_size > 0,
 * no AUTO among partitioner and point order, strategies for every loop. AUTO of `renumber`
 * stays: it is decided by the order itself. */
mplan_status mplan_step_choose(planning *p, mplan_error *err)
{
    assert(p && p->n_loops > 0 && (p->part || p->open == p->options));
    if (p->part)
        return mplan_planning_take_choices(p, err);
    mplan_plan_options *options = p->open;
    if (options->sums_order == MPLAN_SUMS_ORDER_AUTO)
        options->sums_order = MPLAN_SUMS_ORDER_STORED;
    mplan_status status = p->asked->device_memory > 0 ? mplan_planning_refuse_slabs(p, err)
                                                      : MPLAN_OK;
    if (!status)
        status = take_named(p, err);
    bool pay = false;
    if (!status && options->n_strategies == 0)
        status = choose_strategies(p, options, err);
    if (!status)
        status = refuse_named(p, err);
    const planning_loop *primary = &p->loops[p->primary];
    if (!status)
        status = blocks_pay(p, primary, &pay, err);
    if (status)
        return status;
    if (options->block_size == 0)
        options->block_size = USUAL_BLOCK_SIZE;
    bool coloured = mplan_strategy_has(primary->strategies[0], MPLAN_TRAIT_THREAD_COLOURS);
    bool gathers = mplan_strategy_has(primary->strategies[0], MPLAN_TRAIT_RECORDS);
    if (options->partitioner == MPLAN_PARTITIONER_AUTO)
        options->partitioner = pay ? MPLAN_PARTITIONER_NATIVE : MPLAN_PARTITIONER_NONE;
    /* where points are stored as renumbered, and blocks are runs of that order: a long way along
     * a curve is what makes them compact, whatever the profile says. Not for atomic adds: those to one
     * point had better be far apart, as they are row by row (lulesh in the generator's order takes 258 us
     * with them, along Hilbert's curve 414; res_calc 104 and 121) */
    bool adds = primary->strategies[0] == MPLAN_STRATEGY_ATOMIC && writes_by_maps(primary);
    if (!coloured && !adds &&
        (options->partitioner == MPLAN_PARTITIONER_NONE || options->renumber == MPLAN_RENUMBER_AUTO))
        options->keep_better = false;
    if (p->asked->device_memory > 0) { /* slabs are runs of the order by levels */
        options->keep_better = false;
        options->partitioner = MPLAN_PARTITIONER_NONE;
        options->point_order = MPLAN_POINTS_RENUMBERED;
    }
    if (options->point_order == MPLAN_POINTS_AUTO)
        options->point_order = coloured ? MPLAN_POINTS_LINES
                               : gathers && options->partitioner != MPLAN_PARTITIONER_NONE
                                   ? MPLAN_POINTS_LEXICOGRAPHIC
                                   : MPLAN_POINTS_RENUMBERED;
    return mplan_planning_layouts(p, err);
}
