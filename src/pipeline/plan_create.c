/* plan_create.c - from a mesh and a request to a plan, step by step */
#include <stdio.h>
#include <stddef.h>
#include <string.h>

#include "base/clock.h"
#include "base/error.h"
#include "base/option_size.h"
#include "base/threads.h"
#include "mesh/mesh.h"
#include "pipeline/plan_request.h"
#include "pipeline/steps.h"

static mplan_status find_device(const char *name, mplan_device *device, mplan_error *err)
{
    char known[256] = "";
    for (int32_t i = 0; mplan_device_get(i, device) == MPLAN_OK; i++) {
        if (strcmp(device->name, name) == 0)
            return MPLAN_OK;
        size_t used = strlen(known);
        snprintf(known + used, sizeof known - used, "%s%s", i ? ", " : "", device->name);
    }
    return mplan_fail(err, MPLAN_ERR_ARGUMENT, "unknown device '%s'; known: %s", name, known);
}

/* Options with the words that only the library may default filled in. */
mplan_status mplan_planning_options(const mplan_plan_options *given, mplan_plan_options *options,
                                    mplan_device *device, mplan_error *err)
{
    *options = (mplan_plan_options)MPLAN_PLAN_OPTIONS_INIT;
    mplan_status status = mplan_options_take(options, given, "plan options", err);
    if (status != MPLAN_OK)
        return status;
    if (!options->device)
        options->device = "h200";
    status = find_device(options->device, device, err);
    if (status != MPLAN_OK)
        return status;
    if (options->block_size < 0 || options->block_size > 1024)
        return mplan_fail(err, MPLAN_ERR_ARGUMENT, "block size %d is not in 1 to 1024",
                          (int)options->block_size);
    if (options->block_threads < 0 || options->block_threads > device->max_threads ||
        options->block_threads % 32 != 0)
        return mplan_fail(err, MPLAN_ERR_ARGUMENT,
                          "%d threads of a thread block are no multiple of 32 in 32 to %d",
                          (int)options->block_threads, (int)device->max_threads);
    if (options->max_points < 0 || options->max_points > 65535)
        return mplan_fail(err, MPLAN_ERR_ARGUMENT, "at most %d points a block is not in 1 to 65535",
                          (int)options->max_points);
    if (options->shared_bytes < 0)
        return mplan_fail(err, MPLAN_ERR_ARGUMENT, "shared bytes are negative");
    if (!(options->imbalance >= 1.0 && options->imbalance <= 1024.0))
        return mplan_fail(err, MPLAN_ERR_ARGUMENT, "imbalance %g is not in 1 to 1024",
                          options->imbalance);
    if (!(options->fill > 0 && options->fill <= 1))
        return mplan_fail(err, MPLAN_ERR_ARGUMENT, "fill %g is not above 0 and at most 1",
                          options->fill);
    if (options->n_strategies < 0 || options->n_strategies > MPLAN_MAX_STRATEGIES)
        return mplan_fail(err, MPLAN_ERR_ARGUMENT, "%d strategies are not in 1 to %d",
                          (int)options->n_strategies, MPLAN_MAX_STRATEGIES);
    for (int32_t s = 0; s < options->n_strategies; s++) {
        if (!mplan_strategy_name(options->strategies[s]))
            return mplan_fail(err, MPLAN_ERR_ARGUMENT, "strategy %d is unknown",
                              (int)options->strategies[s]);
        for (int32_t k = 0; k < s; k++)
            if (options->strategies[k] == options->strategies[s])
                return mplan_fail(err, MPLAN_ERR_ARGUMENT, "strategy %s is asked for twice",
                                  mplan_strategy_name(options->strategies[s]));
    }
    if (!mplan_partitioner_name(options->partitioner) || !mplan_renumber_name(options->renumber) ||
        !mplan_sums_name(options->sums) || !mplan_encoding_name(options->encoding) ||
        !mplan_effort_name(options->effort) || !mplan_graph_name(options->graph) ||
        !mplan_point_order_name(options->point_order))
        return mplan_fail(err, MPLAN_ERR_ARGUMENT, "an option is out of range");
    return MPLAN_OK;
}

/* The way of the data: each step with the word that progress shows (NULL: still the one before) and
 * the stage whose time it counts in. */
typedef struct planning_step {
    mplan_status (*take)(planning *plan, mplan_error *err);
    const char *word;
    size_t stage; /* where in mplan_plan_times */
} planning_step;

#define STAGE(name) offsetof(mplan_plan_times, name)
static const planning_step STEPS[] = {
    {mplan_step_resolve, "derive", STAGE(derive)},
    {mplan_step_choose, NULL, STAGE(derive)},
    {mplan_step_renumber, "renumber", STAGE(order)},
    {mplan_step_partition, "partition", STAGE(partition)},
    {mplan_step_order, "order", STAGE(order)},
    {mplan_step_store, "tables", STAGE(tables)},
    {mplan_step_block_tables, NULL, STAGE(tables)},
    {mplan_step_colour, NULL, STAGE(colour)},
    {mplan_step_pack, NULL, STAGE(colour)},
    {mplan_step_seal, NULL, STAGE(tables)},
};

/* From a request to a sealed plan. */
static mplan_status build(planning *plan, mplan_error *err)
{
    mplan_status status = mplan_plan_new(&plan->plan, err);
    for (size_t s = 0; s < sizeof STEPS / sizeof *STEPS && status == MPLAN_OK; s++) {
        const planning_step *step = &STEPS[s];
        double start = mplan_clock(), partition = plan->times.partition;
        if (step->word)
            status = mplan_heed(plan->context, step->word, 0, 1, err);
        if (status == MPLAN_OK)
            status = step->take(plan, err);
        /* block tables may partition other loops: that time is counted there */
        *(double *)((char *)&plan->times + step->stage) +=
            mplan_clock() - start - (plan->times.partition - partition);
    }
    return status;
}

/* *out is set only after the plan has been sealed and, unless switched off,
 * proved. */
mplan_status mplan_plan_create(mplan_mesh *mesh, int32_t n_loops, const mplan_loop *loops,
                               const mplan_plan_options *options, const mplan_context *context,
                               mplan_plan **out, mplan_error *err)
{
    MPLAN_NEED_CONTEXT(context);
    MPLAN_NEED(mesh);
    if (n_loops > 0)
        MPLAN_NEED(loops);
    if (!out)
        return mplan_fail_null(err, __func__, "plan");
    mplan_plan_options asked, chosen;
    mplan_threaded threaded;
    context = mplan_threaded_open(context, &threaded);
    planning plan = {.mesh = mesh, .n_asked = n_loops, .asked_loops = loops, .asked = &asked,
                     .options = &chosen, .open = &chosen, .context = context, .curve_share = 1};
    mplan_status status = mplan_planning_options(options, &asked, &plan.device, err);
    chosen = asked;
    if (status == MPLAN_OK)
        status = mplan_mesh_check_memory(mesh, context, err);
    if (status == MPLAN_OK)
        status = build(&plan, err);
    if (status == MPLAN_OK) {
        plan.plan->times = plan.times;
        *out = plan.plan;
        plan.plan = NULL;
    }
    mplan_progress(context, "tables", 1, 1);
    mplan_planning_free(&plan);
    mplan_threaded_close(&threaded);
    return status;
}
