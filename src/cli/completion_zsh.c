/* SPDX-License-Identifier: Apache-2.0 */
/* completion_zsh.c - the completion script for zsh, by its function _arguments */
#include <stdio.h>

#include "cli/completion.h"

/* "[hint]:NAME:action", what _arguments wants behind an option. */
static void print_action(const cli_option *row)
{
    cli_value value = cli_completion_value(row);
    char hint[128];
    cli_completion_hint(row->help, hint, sizeof hint);
    printf("[%s]", hint);
    if (value == CLI_VALUE_NONE)
        return;
    cli_completion_hint(row->argument, hint, sizeof hint);
    printf(":%s:", hint);
    if (value == CLI_VALUE_FILE)
        printf("_files");
    if (value == CLI_VALUE_OTHER)
        printf(" ");
    if (value == CLI_VALUE_LIST)
        printf("_sequence compadd -");
    for (int32_t i = 0; row->word && row->word(i); i++)
        printf("%s%s", i || value == CLI_VALUE_LIST ? " " : "(", row->word(i));
    if (value == CLI_VALUE_WORD)
        printf(")");
}

/* A row for each option: one that excludes itself once given, but for those that add up. A value
 * follows behind "=" or as the next word, behind a letter also at once. */
static void print_rows(const cli_option *rows)
{
    for (const cli_option *row = rows; row->name; row++) {
        const char *many = row->kind == CLI_MANY ? "*" : "", *value = row->argument ? "=" : "";
        printf("        '%s--%s%s", many, row->name, value);
        print_action(row);
        printf("'\n");
        if (!row->letter)
            continue;
        printf("        '%s-%c%s", many, row->letter, row->argument ? "+" : "");
        print_action(row);
        printf("'\n");
    }
}

/* What is behind the options: words of the command, then files. */
static void print_arguments(const cli_commands *all, const cli_command *command)
{
    if (!cli_completion_argument(all, command, 0)) {
        printf("            '*:file:_files' ;;\n");
        return;
    }
    printf("            '1:%s:(", command->word_name);
    for (int32_t i = 0; cli_completion_argument(all, command, i); i++)
        printf("%s%s", i ? " " : "", cli_completion_argument(all, command, i));
    printf(")' '*:file:_files' ;;\n");
}

/* The script may be sourced, or be in a folder of $fpath as _meshplan. */
void cli_completion_zsh(const cli_commands *all)
{
    cli_option rows[CLI_MAX_OPTIONS + 1];
    printf("#compdef meshplan\n"
           "# Completion of meshplan for zsh; load it behind compinit with\n"
           "#     source <(meshplan completion zsh)\n"
           "# or save it as _meshplan in a folder of $fpath.\n"
           "_meshplan()\n{\n"
           "    local curcontext=\"$curcontext\" state\n"
           "    local -a global own names\n"
           "    global=(\n");
    print_rows(all->globals);
    printf("    )\n"
           "    _arguments -C -s -S $global '1:command:->command' '*::argument:->argument' && return\n"
           "    if [[ $state == command ]]; then\n"
           "        names=(\n");
    for (int32_t i = 0; i < all->n; i++) {
        char hint[128];
        cli_completion_hint(all->command[i]->summary, hint, sizeof hint);
        printf("            '%s:%s'\n", all->command[i]->name, hint);
    }
    printf("        )\n"
           "        _describe command names\n"
           "        return\n"
           "    fi\n"
           "    case $words[1] in\n");
    for (int32_t i = 0; i < all->n; i++) {
        cli_command_rows(all->command[i], rows);
        printf("    %s)\n        own=(\n", all->command[i]->name);
        print_rows(rows);
        printf("        )\n        _arguments -s -S $global $own \\\n");
        print_arguments(all, all->command[i]);
    }
    printf("    esac\n}\n"
           "if [[ $funcstack[1] == _meshplan ]]; then\n"
           "    _meshplan \"$@\"\n"
           "else\n"
           "    compdef _meshplan meshplan\n"
           "fi\n");
}
