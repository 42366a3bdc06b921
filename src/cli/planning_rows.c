/* SPDX-License-Identifier: Apache-2.0 */
/* planning_rows.c - the planning options of a command: rows of the library's table */
#include "cli/planning_rows.h"

#include <assert.h>
#include <stdio.h>
#include <string.h>

/* How the command takes an option; NULL: as the table has it, or, without `all`, not at all. */
static const cli_planning_use *use_of(const cli_planning *planning, const char *name)
{
    for (const cli_planning_use *use = planning->uses; use && use->name; use++)
        if (!strcmp(use->name, name))
            return use;
    return NULL;
}

/* use: of the option, NULL where the command lists no row for it. */
static bool is_taken(const cli_planning *planning, const cli_planning_use *use)
{
    return use ? !use->refused : planning->all;
}

/* Offset of an option's member in the command's kind of options: with `all` these are
 * mplan_plan_options, whose offsets the table knows; otherwise each use says its own. use must
 * not be NULL then. */
static size_t member_of(const cli_planning *planning, const mplan_plan_option *option,
                        const cli_planning_use *use)
{
    return planning->all ? option->offset : use->offset;
}

/* Targets are places in a cli_planning_given, by the option's place in the library's table, so
 * that the same text can be found again by that place. */
void cli_planning_rows(const cli_planning *planning, cli_option *rows)
{
    const mplan_plan_option *option;
    for (int32_t i = 0; planning && (option = mplan_plan_option_get(i)) != NULL; i++) {
        const cli_planning_use *use = use_of(planning, option->name);
        assert(i < CLI_MAX_PLANNING);
        if (!is_taken(planning, use))
            continue;
        *rows++ = (cli_option){
            .name = option->name,
            .old = option->old,
            .kind = CLI_PLANNING,
            .argument = use && use->each ? "LIST" : option->argument,
            .target = planning->given + (size_t)i * sizeof(cli_texts),
            .word = option->argument ? option->word : NULL,
            .help = use && use->help ? use->help : option->help,
            .otherwise = use && use->otherwise ? use->otherwise : option->otherwise,
            .planning = option,
            .preset = (const char *)planning->preset + member_of(planning, option, use),
            .each = use && use->each,
        };
    }
    *rows = (cli_option){.name = NULL};
}

/* What was not given leaves the member as it is: the preset, or what a job says. Options with
 * `each` have several texts, which the command sets one after the other. */
mplan_status cli_planning_set(const cli_planning *planning, const cli_planning_given *given,
                              void *options, mplan_error *err)
{
    const mplan_plan_option *option;
    mplan_status status = MPLAN_OK;
    for (int32_t i = 0; !status && (option = mplan_plan_option_get(i)) != NULL; i++) {
        const cli_planning_use *use = use_of(planning, option->name);
        char subject[64];
        if (!given->of[i].n || (use && use->each))
            continue;
        snprintf(subject, sizeof subject, "--%s", option->name);
        status = mplan_plan_option_read(option, subject, given->of[i].item[0],
                                        (char *)options + member_of(planning, option, use), err);
    }
    return status;
}

/* name must be in the table: callers name options that they know. */
static int32_t place_of(const char *name)
{
    const mplan_plan_option *option;
    int32_t i = 0;
    for (; (option = mplan_plan_option_get(i)) != NULL; i++)
        if (!strcmp(option->name, name))
            break;
    assert(option);
    return i;
}

const mplan_plan_option *cli_planning_find(const char *name)
{
    return mplan_plan_option_get(place_of(name));
}

/* n is 0 where the option was not given. */
const cli_texts *cli_planning_items(const cli_planning_given *given, const char *name)
{
    return &given->of[place_of(name)];
}

/* In the order of the library's table, not in that of the command line. */
const char *cli_planning_first(const cli_planning_given *given)
{
    for (int32_t i = 0; i < CLI_MAX_PLANNING; i++)
        if (given->of[i].n)
            return mplan_plan_option_get(i)->name;
    return NULL;
}
