/* SPDX-License-Identifier: Apache-2.0 */
/* completion.h - completion scripts for shells, from the tables of commands and options
 *
 * Whatever a shell, its script offers commands, options, the words of options (also behind
 * "--option=" and behind a comma of lists) and files where a value or an argument is one. */
#ifndef MPLAN_CLI_COMPLETION_H
#define MPLAN_CLI_COMPLETION_H

#include "cli/command.h"

/* What the value of an option is. */
typedef enum cli_value {
    CLI_VALUE_NONE,  /* a flag */
    CLI_VALUE_WORD,  /* one of row->word */
    CLI_VALUE_LIST,  /* some of row->word, between commas */
    CLI_VALUE_OTHER, /* a number or a name: nothing to offer */
    CLI_VALUE_FILE   /* a file, or something of which files may be a part */
} cli_value;
cli_value cli_completion_value(const cli_option *row);

/* What the first argument of a command may be: word i, NULL past the last, or for any i where
 * arguments are files. */
const char *cli_completion_argument(const cli_commands *all, const cli_command *command, int32_t i);

/* The beginning of a help text, up to a stop within it, without quotes: `size` bytes at `text`. */
void cli_completion_hint(const char *help, char *text, size_t size);

/* Print the script. */
void cli_completion_bash(const cli_commands *all);
void cli_completion_zsh(const cli_commands *all);
void cli_completion_fish(const cli_commands *all);

#endif
