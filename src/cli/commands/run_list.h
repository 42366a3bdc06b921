/* SPDX-License-Identifier: Apache-2.0 */
/* run_list.h - the applications of `run`: `run --list`, and those that can be run with a limited device memory */
#ifndef MPLAN_CLI_RUN_LIST_H
#define MPLAN_CLI_RUN_LIST_H

#include "apps/apps.h"
#include "cli/command.h"

/* As text, unless JSON goes to standard output, and as JSON where the call asks for it. */
mplan_status cli_run_list(const cli_call *call, mplan_error *err);
/* MPLAN_ERR_UNSUPPORTED, with the names of those that can, where an application cannot be run with a limited device memory. */
mplan_status cli_run_can_be_limited(const mplan_app *app, mplan_error *err);

#endif
