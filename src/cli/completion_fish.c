/* SPDX-License-Identifier: Apache-2.0 */
/* completion_fish.c - the completion script for fish */
#include <stdio.h>

#include "cli/completion.h"

/* One line `complete` for each option. condition: when it is offered. */
static void print_rows(const char *condition, const cli_option *rows)
{
    for (const cli_option *row = rows; row->name; row++) {
        cli_value value = cli_completion_value(row);
        char hint[128];
        cli_completion_hint(row->help, hint, sizeof hint);
        printf("complete -c meshplan");
        if (condition[0])
            printf(" -n '%s'", condition);
        printf(" -l %s", row->name);
        if (row->letter)
            printf(" -s %c", row->letter);
        if (value == CLI_VALUE_FILE)
            printf(" -r -F");
        else if (value != CLI_VALUE_NONE)
            printf(" -x");
        if (row->word) {
            printf(value == CLI_VALUE_LIST ? " -a '(__meshplan_list" : " -a '");
            for (int32_t i = 0; row->word(i); i++)
                printf("%s%s", i || value == CLI_VALUE_LIST ? " " : "", row->word(i));
            printf(value == CLI_VALUE_LIST ? ")'" : "'");
        }
        printf(" -d '%s'\n", hint);
    }
}

/* What the script asks: which command there is, whether its first argument is missing, and what
 * a list may go on with. */
static void print_functions(const cli_commands *all)
{
    printf("# Completion of meshplan for fish; load it with\n"
           "#     meshplan completion fish | source\n"
           "# or save it as ~/.config/fish/completions/meshplan.fish.\n"
           "function __meshplan_command\n"
           "    for word in (commandline -opc)[2..-1]\n"
           "        switch $word\n"
           "            case");
    for (int32_t i = 0; i < all->n; i++)
        printf(" %s", all->command[i]->name);
    printf("\n                echo $word\n"
           "                return 0\n"
           "        end\n"
           "    end\n"
           "    return 1\n"
           "end\n"
           "function __meshplan_is\n"
           "    contains -- $argv[1] (__meshplan_command)\n"
           "end\n"
           "function __meshplan_begins\n"
           "    contains -- $argv[1] (commandline -opc)[-1]; and __meshplan_is $argv[1]\n"
           "end\n"
           "function __meshplan_list\n"
           "    set -l before (commandline -ct | string replace -r -- '^--[^=]*=' '' |\n"
           "        string match -r -- '^.*,')\n"
           "    for word in $argv\n"
           "        contains -- $word (string split , -- $before); or echo $before$word\n"
           "    end\n"
           "end\n");
}

/* Each rule holds under a condition: no command is given yet, or it is the one that the rule
 * names. fish shows the hint behind each word, so it is the first sentence of the help. */
void cli_completion_fish(const cli_commands *all)
{
    cli_option rows[CLI_MAX_OPTIONS + 1];
    char condition[64], hint[128];
    print_functions(all);
    for (int32_t i = 0; i < all->n; i++) {
        cli_completion_hint(all->command[i]->summary, hint, sizeof hint);
        printf("complete -c meshplan -n 'not __meshplan_command >/dev/null' -f -a %s -d '%s'\n",
               all->command[i]->name, hint);
    }
    print_rows("", all->globals);
    for (int32_t i = 0; i < all->n; i++) {
        const cli_command *command = all->command[i];
        cli_command_rows(command, rows);
        snprintf(condition, sizeof condition, "__meshplan_is %s", command->name);
        print_rows(condition, rows);
        if (!cli_completion_argument(all, command, 0))
            continue;
        printf("complete -c meshplan -n '__meshplan_begins %s' -f -a '", command->name);
        for (int32_t k = 0; cli_completion_argument(all, command, k); k++)
            printf("%s%s", k ? " " : "", cli_completion_argument(all, command, k));
        printf("'\n");
    }
}
