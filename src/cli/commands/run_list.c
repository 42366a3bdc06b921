/* SPDX-License-Identifier: Apache-2.0 */
/* run_list.c - `run --list`: the applications and what they need */
#include "cli/commands/run_list.h"

#include <stdio.h>
#include <string.h>

#include "apps/apps.h"
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
