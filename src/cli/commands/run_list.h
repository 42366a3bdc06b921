/* SPDX-License-Identifier: Apache-2.0 */
/* run_list.h - `run --list`: the applications and what they need */
#ifndef MPLAN_CLI_RUN_LIST_H
#define MPLAN_CLI_RUN_LIST_H

#include "cli/command.h"

/* As text, unless JSON goes to standard output, and as JSON where the call asks for it. */
mplan_status cli_run_list(const cli_call *call, mplan_error *err);

#endif
