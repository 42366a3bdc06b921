/* SPDX-License-Identifier: Apache-2.0 */
/* compare_request.c - whether a plan is what loops and options ask for
 *
 * Equal requests have equal texts (request_text.c). The mesh decides which loop is the primary
 * one where none is marked. */
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/option_size.h"
#include "pipeline/plan_request.h"
#include "pipeline/steps.h"

enum { SHOWN = 300 };

/* How many characters of a line a message shows. */
static int shown(const char *line)
{
    size_t length = strcspn(line, "\n");
    return (int)(length < SHOWN ? length : SHOWN);
}

/* Names the first line that differs. */
static mplan_status compare_lines(const char *plan, const char *asked, mplan_error *err)
{
    long long number = 1;
    for (;; number++) {
        size_t n = strcspn(plan, "\n"), m = strcspn(asked, "\n");
        if (n != m || memcmp(plan, asked, n) != 0)
            break;
        if (!plan[n] && !asked[n])
            return MPLAN_OK;
        plan += n + (plan[n] != '\0');
        asked += n + (asked[n] != '\0');
    }
    return mplan_fail(err, MPLAN_ERR_OTHER_REQUEST,
                      "the plan is for another request: its line %lld is '%.*s', but here it is "
                      "'%.*s'",
                      number, shown(plan), plan, shown(asked), asked);
}

/* The request is resolved on the mesh as planning does, and the texts are
 * compared; nothing is planned. */
mplan_status mplan_plan_compare_request(const mplan_plan *plan, mplan_mesh *mesh, int32_t n_loops,
                                        const mplan_loop *loops, const mplan_plan_options *options,
                                        const mplan_context *context, mplan_error *err)
{
    MPLAN_NEED_CONTEXT(context);
    MPLAN_NEED(plan);
    MPLAN_NEED(mesh);
    if (n_loops > 0)
        MPLAN_NEED(loops);
    mplan_plan_options asked;
    mplan_context quiet = context ? *context : (mplan_context)MPLAN_CONTEXT_INIT;
    planning request = {.mesh = mesh,
                        .n_asked = n_loops,
                        .asked_loops = loops,
                        .asked = &asked,
                        .options = &asked,
                        .context = &quiet};
    quiet.warning = NULL; /* of boundaries: they were heard when the plan was made */
    mplan_status status = mplan_planning_options(options, n_loops, &asked, &request.device,
                                                 request.device_name, err);
    if (!status)
        status = mplan_step_resolve(&request, err);
    char *text = !status ? mplan_planning_request(&request, err) : NULL;
    if (!status)
        status = text ? compare_lines(mplan_plan_request(plan), text, err) : MPLAN_ERR_MEMORY;
    free(text);
    mplan_planning_free(&request);
    return status;
}
