/* SPDX-License-Identifier: Apache-2.0 */
/* request_text.c - the request in canonical form: a line per loop, arg and option
 *
 * Two requests with equal text give equal plans on equal meshes, so that the
 * text's fingerprint can be the key of a cache. */
#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/hash.h"
#include "base/memory.h"
#include "base/text_vector.h"
#include "mesh/mesh.h"
#include "pipeline/device_file.h"
#include "pipeline/layers.h"
#include "pipeline/plan_request.h"

enum { VALUE = 512 }; /* bytes of a value, enough for all strategies */

/* The loop's line and those of its args, as formats/plan-format.md has them. */
static bool print_loop(mplan_vector *text, const planning *plan, int32_t l, mplan_error *err)
{
    const mplan_loop *loop = plan->loops[l].loop;
    bool done = mplan_vector_print(text, err, "loop %s over %s calls %lld flops %lld%s\n",
                                   loop->name, loop->over, (long long)loop->calls,
                                   (long long)loop->flops, plan->primary == l ? " primary" : "");
    for (int32_t a = 0; a < loop->n_args && done; a++) {
        const mplan_arg *arg = &loop->args[a];
        const int32_t map = plan->loops[l].arg_map[a];
        done = mplan_vector_print(text, err, "arg %s %s%s %s %d %s %s\n", arg->dat,
                                  map >= 0                  ? "map "
                                  : map == MPLAN_MAP_GLOBAL ? "global"
                                                            : "direct",
                                  map >= 0 ? arg->map : "", mplan_access_name(arg->access),
                                  (int)arg->dim, mplan_type_name(arg->type),
                                  mplan_none_name(arg->none));
    }
    return done;
}

/* Whether the request has a line for an option: always, but for later options that are at their
 * default, so that plans of a time before them have the same request. */
static bool has_line(const mplan_plan_option *option, const char *value)
{
    static const mplan_plan_options defaults = MPLAN_PLAN_OPTIONS_INIT;
    char preset[VALUE];
    if (!option->later)
        return true;
    mplan_plan_option_write(option, (const char *)&defaults + option->offset, preset, sizeof preset);
    return strcmp(value, preset) != 0;
}

/* Options that came later have a line only if they differ from their defaults, so that older requests keep their text. */
bool mplan_request_option(mplan_vector *text, const mplan_plan_option *option, const void *member,
                          mplan_error *err)
{
    assert(text && option && member);
    char value[VALUE];
    mplan_plan_option_write(option, member, value, sizeof value);
    return !has_line(option, value) || mplan_vector_print(text, err, "%s %s\n", option->key, value);
}

mplan_status mplan_request_fingerprint(const char *text, uint64_t *value, mplan_error *err)
{
    assert(text && value);
    mplan_fingerprint *print = mplan_fingerprint_begin();
    if (print)
        mplan_fingerprint_bytes(print, text, strlen(text));
    return mplan_fingerprint_end(print, value) ? MPLAN_OK
                                               : mplan_fail(err, MPLAN_ERR_MEMORY, "out of memory");
}

/* The loops of the step by their numbers, since names may hold blanks. */
static bool print_step(mplan_vector *text, const mplan_plan_options *asked, mplan_error *err)
{
    bool done = mplan_vector_print(text, err, "step");
    for (int32_t i = 0; i < asked->n_step && done; i++)
        done = mplan_vector_print(text, err, " %d", (int)asked->step[i]);
    bool clears = false;
    for (int32_t i = 0; asked->step_clears && i < asked->n_step; i++)
        clears = clears || asked->step_clears[i] >= 0;
    if (done && clears) /* entry and arg of each dat that is set to zero first */
        done = mplan_vector_print(text, err, "\nclears");
    for (int32_t i = 0; i < asked->n_step && done && clears; i++)
        if (asked->step_clears[i] >= 0)
            done = mplan_vector_print(text, err, " %d:%d", (int)i, (int)asked->step_clears[i]);
    bool lags = false;
    for (int32_t i = 0; asked->step_lags && i < asked->n_step && done; i++) {
        if (!asked->step_lags[i]) /* entries whose globals change late */
            continue;
        done = (lags || mplan_vector_print(text, err, "\nlags")) &&
               mplan_vector_print(text, err, " %d", (int)i);
        lags = true;
    }
    return done && mplan_vector_print(text, err, "\n");
}

/* The canonical text of the request; the caller's, NULL without memory. Equal
 * requests give equal texts. */
char *mplan_planning_request(const planning *plan, mplan_error *err)
{
    assert(plan && plan->asked);
    const mplan_plan_options *asked = plan->asked;
    mplan_vector text = MPLAN_VECTOR_INIT(1);
    bool done = true;
    for (int32_t l = 0; l < plan->n_loops && done; l++)
        done = print_loop(&text, plan, l, err);
    const mplan_plan_option *option;
    for (int32_t i = 0; done && (option = mplan_plan_option_get(i)) != NULL; i++)
        done = mplan_request_option(&text, option, (const char *)asked + option->offset, err);
    if (done && asked->n_step > 0)
        done = print_step(&text, asked, err);
    if (done)
        done = mplan_request_layers(&text, plan, err);
    if (done && plan->mesh->zone)
        done = mplan_vector_print(&text, err, "zone %s\n", plan->mesh->zone);
    char profile[512];
    mplan_device_line(&plan->device, profile, sizeof profile);
    if (done && plan->device.name == plan->device_name)
        done = mplan_vector_print(&text, err, "%s\n", profile);
    else if (done && plan->device.version > 1)
        done = mplan_vector_print(&text, err, "device_version %d\n", (int)plan->device.version);
    if (!done) {
        free(text.data);
        return NULL;
    }
    return text.data;
}
