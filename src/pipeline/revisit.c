/* SPDX-License-Identifier: Apache-2.0 */
/* revisit.c - another visit for the slabs of a plan that is there
 *
 * Orders, slabs and tables do not depend on how many steps a visit has, nor on the limit: only streams, segments, events and four
 * lines of the request do. So trying many takes the time of their events only. */
#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/text_vector.h"
#include "pipeline/option_values.h"
#include "pipeline/plan_request.h"
#include "pipeline/visit.h"

/* --- the request --------------------------------------------------------------------------- */

/* Whether a line, which has a key and a value, is of this option. */
static bool is_line_of(const char *line, const char *key)
{
    const size_t n = strlen(key);
    return strncmp(line, key, n) == 0 && line[n] == ' ';
}

/* The line of an option, if it has one. */
static bool print_option(mplan_vector *text, const char *key, const mplan_plan_options *asked,
                         mplan_error *err)
{
    const mplan_plan_option *option;
    bool done = true;
    for (int32_t i = 0; done && (option = mplan_plan_option_get(i)) != NULL; i++)
        if (strcmp(option->key, key) == 0)
            done = mplan_request_option(text, option, (const char *)asked + option->offset, err);
    return done;
}

/* The request with other values of four options, in the order of the table of options: device_memory has a line, and the two of steps and segments
 * come behind it; launch_streams is the last option, before the line of the step, which every plan with slabs has. *text is the caller's. */
static mplan_status change_request(const char *request, const mplan_plan_options *asked,
                                   mplan_vector *text, mplan_error *err)
{
    bool done = true;
    for (const char *line = request, *next; *line && done; line = next) {
        const char *end = strchr(line, '\n');
        next = end ? end + 1 : line + strlen(line);
        const bool memory = is_line_of(line, "device_memory");
        if (memory)
            done = print_option(text, "device_memory", asked, err) &&
                   print_option(text, "steps_per_visit", asked, err) &&
                   print_option(text, "segments", asked, err);
        else if (is_line_of(line, "step"))
            done = print_option(text, "launch_streams", asked, err);
        if (done && !memory && !is_line_of(line, "steps_per_visit") &&
            !is_line_of(line, "segments") && !is_line_of(line, "launch_streams"))
            done = mplan_vector_print(text, err, "%.*s", (int)(next - line), line);
    }
    return done ? MPLAN_OK : MPLAN_ERR_MEMORY;
}

static mplan_status set_texts(const mplan_plan *from, const mplan_plan_options *asked,
                              mplan_plan *to, mplan_error *err)
{
    mplan_vector text = MPLAN_VECTOR_INIT(1);
    mplan_status status = change_request(from->request, asked, &text, err);
    if (!status)
        status = mplan_plan_set_texts(to, text.data, from->versions, err);
    if (!status)
        status = mplan_request_fingerprint(to->request, &to->fingerprints.request, err);
    free(text.data);
    return status;
}

/* --- what stays ------------------------------------------------------------------------------ */

static mplan_status copy_records(const mplan_plan *from, mplan_plan *to, mplan_error *err)
{
    mplan_status status = MPLAN_OK;
    for (int32_t i = 0; i < from->n_sets && !status; i++)
        status = mplan_plan_add_set(to, &from->sets[i], err);
    for (int32_t i = 0; i < from->n_maps && !status; i++)
        status = mplan_plan_add_map(to, &from->maps[i], err);
    for (int32_t i = 0; i < from->n_loops && !status; i++)
        status = mplan_plan_add_loop(to, &from->loops[i], err);
    for (int32_t i = 0; i < from->n_block_sets && !status; i++)
        status = mplan_plan_add_block_set(to, &from->block_sets[i], err);
    for (int32_t i = 0; i < from->n_metrics && !status; i++)
        status = mplan_plan_add_metrics(to, &from->metrics[i], err);
    for (int32_t i = 0; i < from->n_step && !status; i++)
        status = mplan_plan_add_step(to, &from->step[i], err);
    for (int32_t i = 0; i < from->n_conflicts && !status; i++)
        status = mplan_plan_add_conflict(to, &from->conflicts[i], err);
    return status;
}

/* All but those that the visit makes. */
static mplan_status borrow_arrays(const mplan_plan *from, mplan_plan *to, mplan_error *err)
{
    mplan_status status = MPLAN_OK;
    for (int32_t i = 0; i < from->n_arrays && !status; i++) {
        const mplan_array *array = &from->arrays[i];
        if (array->key.kind != MPLAN_KIND_SEGMENTS && array->key.kind != MPLAN_KIND_SCHEDULE)
            status = mplan_plan_borrow_array(to, array->key, array->type, array->rows, array->cols,
                                             array->data, err);
    }
    return status;
}

/* --- the call ---------------------------------------------------------------------------------- */

static mplan_status revisit(const mplan_plan *plan, const mplan_plan_options *asked,
                            const mplan_device *device, mplan_plan *to, mplan_error *err)
{
    mplan_status status = copy_records(plan, to, err);
    if (!status)
        status = borrow_arrays(plan, to, err);
    to->fingerprints = plan->fingerprints;
    to->times = plan->times;
    to->no_origins = plan->no_origins;
    to->visit.slabs = plan->visit.slabs;
    to->visit.granule = plan->visit.granule;
    visit_plan visit = {.plan = to,
                        .asked = asked,
                        .device = device,
                        .step_seconds = 1e-9 * (double)plan->visit.in_core_ns};
    if (!status)
        status = mplan_visit_make(&visit, err);
    to->visit.in_core_ns = plan->visit.in_core_ns;
    if (!status)
        status = set_texts(plan, asked, to, err);
    return !status ? mplan_plan_seal(to, err) : status;
}

mplan_status mplan_plan_revisit(const mplan_plan *plan, const mplan_plan_options *options,
                                mplan_plan **revisited, mplan_error *err)
{
    MPLAN_NEED(plan);
    MPLAN_NEED(options);
    MPLAN_NEED(revisited);
    mplan_plan_options asked;
    mplan_device device;
    char name[MPLAN_DEVICE_NAME];
    mplan_plan *made = NULL;
    mplan_status status = mplan_planning_options(options, plan->n_loops, &asked, &device, name, err);
    if (!status && !mplan_plan_has_slabs(plan))
        status = mplan_fail(err, MPLAN_ERR_ARGUMENT,
                            "the plan was not made for a limited device memory");
    if (!status && mplan_plan_is_part(plan))
        status =
            mplan_fail(err, MPLAN_ERR_ARGUMENT,
                       "the plan is a part of a bundle: its visits are made with those of the others");
    if (!status && asked.device_memory == 0)
        status = mplan_fail(err, MPLAN_ERR_ARGUMENT, "no device-memory is given");
    if (!status)
        status = mplan_plan_new(&made, err);
    if (!status)
        status = revisit(plan, &asked, &device, made, err);
    if (status)
        mplan_plan_free(made);
    else
        *revisited = made;
    return status;
}
