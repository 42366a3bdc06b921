/* SPDX-License-Identifier: Apache-2.0 */
/* plan_create.c - from a mesh and a request to a plan, step by step */
#include <assert.h>
#include <stdio.h>
#include <stddef.h>
#include <string.h>

#include "base/clock.h"
#include "base/error.h"
#include "base/option_size.h"
#include "base/threads.h"
#include "mesh/mesh.h"
#include "pipeline/device_file.h"
#include "pipeline/loop_conflicts.h"
#include "pipeline/option_values.h"
#include "pipeline/part_plan.h"
#include "pipeline/plan_request.h"
#include "pipeline/steps.h"

/* Takes the caller's options, older or newer ones too, fills in what only the library may
 * default (the device), and checks every member by its row of the table, the step by the number of
 * loops. *device: the profile of that name, which the check has found to exist, or that of a file; name:
 * MPLAN_DEVICE_NAME bytes, which hold its name then. */
mplan_status mplan_planning_options(const mplan_plan_options *given, int32_t n_loops,
                                    mplan_plan_options *options, mplan_device *device, char *name,
                                    mplan_error *err)
{
    assert(options && device && name);
    *options = (mplan_plan_options)MPLAN_PLAN_OPTIONS_INIT;
    mplan_status status = mplan_options_take(options, given, "plan options", err);
    if (status)
        return status;
    if (!options->device)
        options->device = "h200";
    const mplan_plan_option *option;
    for (int32_t i = 0; (option = mplan_plan_option_get(i)) != NULL; i++) {
        status = mplan_plan_option_check(option, (const char *)options + option->offset, err);
        if (status)
            return status;
    }
    if (mplan_device_is_file(options->device)) {
        status = mplan_device_read(options->device, NULL, device, name, err);
        if (status)
            return status;
        options->device = name;
        return mplan_planning_step(options, n_loops, err);
    }
    for (int32_t i = 0; mplan_device_get(i, device) == MPLAN_OK; i++)
        if (strcmp(device->name, options->device) == 0)
            break;
    return mplan_planning_step(options, n_loops, err);
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
    for (size_t s = 0; s < sizeof STEPS / sizeof *STEPS && !status; s++) {
        const planning_step *step = &STEPS[s];
        double start = mplan_clock(), partition = plan->times.partition;
        if (step->word)
            status = mplan_heed(plan->context, step->word, 0, 1, err);
        if (!status)
            status = step->take(plan, err);
        /* block tables may partition other loops: that time is counted there */
        *(double *)((char *)&plan->times + step->stage) += mplan_clock() - start -
                                                           (plan->times.partition - partition);
    }
    return status;
}

mplan_status mplan_planning_begin(mplan_mesh *mesh, int32_t n_loops, const mplan_loop *loops,
                                  const mplan_plan_options *options, const mplan_context *context,
                                  mplan_plan_options held[2], planning *p, mplan_error *err)
{
    assert(mesh && (loops || n_loops <= 0) && context && held && p);
    *p = (planning){.mesh = mesh,
                    .n_asked = n_loops,
                    .asked_loops = loops,
                    .asked = &held[0],
                    .options = &held[1],
                    .open = &held[1],
                    .context = context};
    mplan_status status = mplan_planning_options(options, n_loops, &held[0], &p->device,
                                                 p->device_name, err);
    held[1] = held[0];
    return !status ? mplan_mesh_check_memory(mesh, context, err) : status;
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
    mplan_plan_options held[2];
    mplan_threaded threaded;
    planning plan;
    context = mplan_threaded_open(context, &threaded);
    mplan_status status = mplan_planning_begin(mesh, n_loops, loops, options, context, held, &plan,
                                               err);
    if (!status && held[0].rings > 0)
        status = mplan_fail(err, MPLAN_ERR_ARGUMENT, "rings are around parts: the plan has none");
    if (!status)
        status = build(&plan, err);
    if (!status) {
        plan.plan->times = plan.times;
        *out = plan.plan;
        plan.plan = NULL;
    }
    mplan_progress(context, "tables", 1, 1);
    mplan_planning_free(&plan);
    mplan_threaded_close(&threaded);
    return status;
}

/* Options and device are those of the whole planning; the device's name may be its own. */
mplan_status mplan_planning_create_part(mplan_mesh *mesh, const mplan_planning_part *part,
                                        const mplan_context *context, mplan_plan **out,
                                        mplan_error *err)
{
    assert(mesh && part && out && mesh->n_sets == part->whole->n_sets);
    const planning *whole = part->whole;
    planning plan = {.mesh = mesh,
                     .part = part,
                     .n_asked = whole->n_asked,
                     .asked_loops = whole->asked_loops,
                     .asked = whole->asked,
                     .options = whole->options,
                     .context = context,
                     .device = whole->device};
    memcpy(plan.device_name, whole->device_name, sizeof plan.device_name);
    if (plan.device.name == whole->device_name)
        plan.device.name = plan.device_name;
    mplan_status status = build(&plan, err);
    if (!status) {
        plan.plan->times = plan.times;
        *out = plan.plan;
        plan.plan = NULL;
    }
    mplan_planning_free(&plan);
    return status;
}
