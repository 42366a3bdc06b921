/* SPDX-License-Identifier: Apache-2.0 */
/* run_figures.h - what one run of an application gave: a line, a JSON object */
#ifndef MPLAN_CLI_RUN_FIGURES_H
#define MPLAN_CLI_RUN_FIGURES_H

#include "cli/command.h"
#include "cli/output.h"
#include "apps/apps.h"
#include "meshplan.h"

typedef struct cli_run {
    const char *app, *mesh, *executor;
    const mplan_plan *plan;          /* NULL when it could not be made */
    const mplan_plan_loop *loop;     /* the primary one */
    int32_t variant;                 /* of it */
    int32_t launch_streams;          /* that were asked for; 0: without a word */
    mplan_strategy strategy;         /* asked for; MPLAN_N_STRATEGIES: auto */
    const mplan_plan_options *asked; /* of a plan that could not be made; NULL: not known */
    double plan_seconds;
    double efficiency; /* of ranks: the time of the first number of ranks by this one's, for each rank; 0: not known */
    mplan_app_result result;
    mplan_status status;
    const char *reason; /* NULL when all went well */
} cli_run;

void cli_run_print_head(void);
void cli_run_print(const cli_run *run);
/* Appends the run as a line. */
void cli_run_json(cli_json *lines, const cli_call *call, const cli_run *run);

#endif
