/* SPDX-License-Identifier: Apache-2.0 */
/* run_list.c - the applications of `run`: `run --list`, and those that can be run with a limited device memory */
#include "cli/commands/run_list.h"

#include <stdio.h>
#include <string.h>

#include "cli/message.h"
#include "cli/output.h"
#include "cli/results.h"

/* Name and description, without a mesh. */
static void list_applications(void)
{
    const mplan_app *app;
    for (int32_t i = 0; (app = mplan_app_get(i)) != NULL; i++) {
        int column = printf("%-14s", mplan_app_name(app));
        cli_print_wrapped(mplan_app_description(app), 14, column);
    }
}

/* The same as one line of JSON. */
static mplan_status write_list(const cli_call *call, mplan_error *err)
{
    const mplan_app *app;
    cli_json json = {0};
    cli_results_open(&json, call);
    cli_json_open(&json, "applications", '[');
    for (int32_t i = 0; (app = mplan_app_get(i)) != NULL; i++) {
        cli_json_open(&json, NULL, '{');
        cli_json_text(&json, "name", mplan_app_name(app));
        cli_json_text(&json, "description", mplan_app_description(app));
        cli_json_close(&json, '}');
    }
    cli_json_close(&json, ']');
    return cli_results_write(&json, call, MPLAN_OK, NULL, err);
}

mplan_status cli_run_list(const cli_call *call, mplan_error *err)
{
    if (!call->json || strcmp(call->json, "-"))
        list_applications();
    return call->json ? write_list(call, err) : MPLAN_OK;
}

/* Those that have a time step. */
mplan_status cli_run_can_be_limited(const mplan_app *app, mplan_error *err)
{
    char names[256] = "";
    const mplan_app *other;
    size_t at = 0;
    if (mplan_app_has_step(app))
        return MPLAN_OK;
    for (int32_t i = 0; (other = mplan_app_get(i)) != NULL; i++)
        if (mplan_app_has_step(other) && at < sizeof names)
            at += (size_t)snprintf(names + at, sizeof names - at, "%s%s", at ? ", " : "",
                                   mplan_app_name(other));
    return cli_fail(err, MPLAN_ERR_UNSUPPORTED,
                    "run: %s cannot be run with a limited device memory, since it repeats no step that a plan knows; "
                    "these can: %s",
                    mplan_app_name(app), names);
}
