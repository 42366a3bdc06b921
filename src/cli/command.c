/* SPDX-License-Identifier: Apache-2.0 */
/* command.c - commands by name, their options, and what help says of them */
#include "cli/command.h"

#include <assert.h>
#include <stdio.h>
#include <string.h>

/* NULL if there is none of this name. */
const cli_command *cli_command_find(const cli_commands *all, const char *name)
{
    for (int32_t i = 0; i < all->n; i++) {
        if (!strcmp(all->command[i]->name, name))
            return all->command[i];
    }
    return NULL;
}

/* Whether one of the first n rows has the name or the letter. */
static bool is_among(const cli_option *rows, int32_t n, const cli_option *row)
{
    for (int32_t i = 0; i < n; i++)
        if (!strcmp(rows[i].name, row->name) || (row->letter && rows[i].letter == row->letter))
            return true;
    return false;
}

/* rows: room for CLI_MAX_OPTIONS and the row without a name that ends them, which is always
 * written. The order is that of the help: the command's own options, those of another command, then planning
 * options in the order of the library's table. */
void cli_command_rows(const cli_command *command, cli_option rows[CLI_MAX_OPTIONS + 1])
{
    int32_t n = 0;
    for (; command->options[n].name; n++)
        rows[n] = command->options[n];
    for (const cli_option *row = command->also; row && row->name; row++)
        if (!is_among(rows, n, row))
            rows[n++] = *row;
    assert(n + CLI_MAX_PLANNING <= CLI_MAX_OPTIONS || !command->planning);
    cli_planning_rows(command->planning, rows + n);
}

/* What `meshplan help` shows: a line for each command, then the options of every command.
 * Written to standard output; whether all of it arrived shows when that is closed
 * (cli_output_close). */
void cli_print_overview(const cli_commands *all)
{
    printf("Usage: meshplan COMMAND [OPTION]... [ARGUMENT]...\n\nPlans loops over unstructured "
           "meshes: decides in which order every set is stored and\nhow each loop is cut into "
           "thread blocks, and writes this to a plan file.\n\nCommands:\n");
    for (int32_t i = 0; i < all->n; i++)
        printf("  %-12s%s\n", all->command[i]->name, all->command[i]->summary);
    printf("\nOptions of every command:\n");
    cli_options_print(all->globals);
    printf("\n'meshplan help COMMAND' describes a command and its options.\n");
}

/* What `meshplan help COMMAND` shows. Planning options come behind the command's own ones, in a
 * part of their own; the synopsis goes on at column 10. */
void cli_print_help(const cli_commands *all, const cli_command *command)
{
    int column = printf("Usage: meshplan %s", command->name);
    cli_print_wrapped(command->arguments, 10, column);
    putchar('\n');
    cli_print_wrapped(command->details, 0, 0);
    if (command->options[0].name) {
        printf("\nOptions:\n");
        cli_options_print(command->options);
    }
    if (command->planning && !command->also) {
        cli_option rows[CLI_MAX_PLANNING + 1];
        cli_planning_rows(command->planning, rows);
        printf("\nPlanning options:\n");
        cli_options_print(rows);
    }
    printf("\nOptions of every command:\n");
    cli_options_print(all->globals);
}
