/* SPDX-License-Identifier: Apache-2.0 */
/* planning_rows.h - the planning options of a command: rows of the library's table
 *
 * A command says which of them it takes and, where it differs, what the help says of them. Their
 * values are read by the library: when they are parsed, to be refused at once, and again when
 * they are set in the options of a request, which a job may have filled before. */
#ifndef MPLAN_CLI_PLANNING_ROWS_H
#define MPLAN_CLI_PLANNING_ROWS_H

#include "cli/options.h"
#include "meshplan.h"

enum { CLI_MAX_PLANNING = 40 }; /* options in the library's table */

/* How a command takes one option. */
typedef struct cli_planning_use {
    const char *name;             /* in the library's table; NULL ends a list */
    size_t offset;                /* of the member in the command's kind of options */
    bool each;                    /* a list: one plan for each item */
    bool refused;                 /* the command takes all but this one */
    const char *help, *otherwise; /* NULL: as in the table */
} cli_planning_use;

/* Static data of a command: which planning options it takes, and into what struct of options they are set. */
typedef struct cli_planning {
    bool all; /* all options of the table, set in a mplan_plan_options; `uses` are those that differ */
    const cli_planning_use *uses; /* NULL: none */
    const void *preset;           /* the command's kind of options at their defaults */
    size_t given;                 /* offset of the cli_planning_given in the command's struct */
} cli_planning;

/* What was given: for each option, by its place in the table, its text, or with `each` its items. */
typedef struct cli_planning_given {
    cli_texts of[CLI_MAX_PLANNING];
} cli_planning_given;

/* Writes the rows of a command's planning options, at most CLI_MAX_PLANNING and one that ends
 * them; planning may be NULL. */
void cli_planning_rows(const cli_planning *planning, cli_option *rows);

/* Sets what was given, but for options with `each`, in the command's kind of options. */
mplan_status cli_planning_set(const cli_planning *planning, const cli_planning_given *given,
                              void *options, mplan_error *err);

/* The row of that name, which must be in the table, and what was given of it. */
const mplan_plan_option *cli_planning_find(const char *name);
const cli_texts *cli_planning_items(const cli_planning_given *given, const char *name);

/* The name of the first option that was given; NULL: none was. */
const char *cli_planning_first(const cli_planning_given *given);

#endif
