/* SPDX-License-Identifier: Apache-2.0 */
/* plan_options.h - options of `plan`, which `batch` takes too */
#ifndef MPLAN_CLI_PLAN_OPTIONS_H
#define MPLAN_CLI_PLAN_OPTIONS_H

#include "cli/plan_cache.h"
#include "cli/planning_rows.h"

/* Filled by cli_plan_rows; texts are words of the command line, NULL where not given. Zeroed at first. */
typedef struct cli_plan_options {
    const char *over, *none, *from, *zone, *output, *tuned;
    cli_texts inc, read, map, coordinates;
    bool compress, dry_run;
    const char *parts, *cut, *together, *scatter; /* and what says how */
    cli_int part;
    cli_real cut_imbalance;
    cli_texts weights;
    cli_cache_options cache;
    cli_planning_given planning;
} cli_plan_options;

extern const cli_option cli_plan_rows[];
extern const cli_planning cli_plan_planning;

/* Whether no option names a file that is read. */
bool cli_plan_only_path(const cli_plan_options *given, const char *path);

#endif
