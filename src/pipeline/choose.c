/* choose.c - what a request leaves open: strategies, block size, partitioner, point
 * order, and the layout of every dat
 *
 * The rules stand in meshplan-plan(1), the cost model in cost_model.h. */
#include <string.h>

#include "base/memory.h"
#include "pipeline/pipeline.h"

enum { USUAL_BLOCK_SIZE = 256 };

static mplan_status choose_strategy(const planning *plan, planning_loop *loop,
                                    int32_t *block_size, mplan_error *err)
{
    mplan_loop_shape shape;
    mplan_status status = mplan_planning_shape(plan, loop, &shape, err);
    if (status != MPLAN_OK)
        return status;
    mplan_loop_choice choice = mplan_cost_choose(
        &shape, &plan->device, plan->options->allow_nondeterministic, *block_size);
    loop->n_strategies = 1;
    loop->strategies[0] = choice.strategy;
    loop->sums = choice.sums;
    *block_size = choice.block_size;
    return MPLAN_OK;
}

/* The primary loop's choice decides the block size of the plan. */
static mplan_status choose_strategies(planning *plan, mplan_plan_options *options,
                                      mplan_error *err)
{
    mplan_status status = choose_strategy(plan, &plan->loops[plan->primary],
                                          &options->block_size, err);
    for (int32_t l = 0; l < plan->n_loops && status == MPLAN_OK; l++)
        if (l != plan->primary)
            status = choose_strategy(plan, &plan->loops[l], &options->block_size, err);
    return status;
}

static mplan_status take_named(planning *plan, mplan_error *err)
{
    for (int32_t l = 0; l < plan->n_loops; l++) {
        planning_loop *loop = &plan->loops[l];
        loop->n_strategies = plan->options->n_strategies;
        memcpy(loop->strategies, plan->options->strategies, sizeof loop->strategies);
        loop->sums = plan->options->sums;
        loop->arg_layout = mplan_alloc_zero(loop->loop->n_args, sizeof *loop->arg_layout, err);
        if (!loop->arg_layout)
            return MPLAN_ERR_MEMORY;
    }
    return MPLAN_OK;
}

mplan_status mplan_planning_choose(planning *plan, mplan_plan_options *options, mplan_error *err)
{
    mplan_status status = take_named(plan, err);
    if (status == MPLAN_OK && options->n_strategies == 0)
        status = choose_strategies(plan, options, err);
    if (status != MPLAN_OK)
        return status;
    if (options->block_size == 0)
        options->block_size = USUAL_BLOCK_SIZE;
    bool coloured = plan->loops[plan->primary].strategies[0] == MPLAN_STRATEGY_BLOCK_COLOUR;
    if (options->partitioner == MPLAN_PARTITIONER_AUTO)
        options->partitioner = coloured ? MPLAN_PARTITIONER_NATIVE : MPLAN_PARTITIONER_NONE;
    /* runs of the renumbered order are the blocks: a long way along a curve is what makes
     * them compact, whatever the profile says */
    if (options->partitioner == MPLAN_PARTITIONER_NONE && !coloured)
        options->keep_better = false;
    if (options->point_order == MPLAN_POINTS_AUTO)
        options->point_order = coloured ? MPLAN_POINTS_LINES : MPLAN_POINTS_RENUMBERED;
    mplan_planning_layouts(plan);
    return MPLAN_OK;
}
