/* SPDX-License-Identifier: Apache-2.0 */
/* completion.c - what completion scripts for all shells need to know of options */
#include "cli/completion.h"

#include <string.h>

/* Names of sets, maps and loops are in files, which no table knows. What the help calls the value
 * tells whether it is one itself. */
cli_value cli_completion_value(const cli_option *row)
{
    if (!row->argument)
        return CLI_VALUE_NONE;
    if (row->word)
        return row->kind == CLI_LIST || !strcmp(row->argument, "LIST") ? CLI_VALUE_LIST
                                                                       : CLI_VALUE_WORD;
    static const char *const files[] = {"FILE", "PLAN", "MESH", "DIR"};
    for (size_t i = 0; i < sizeof files / sizeof *files; i++)
        if (strstr(row->argument, files[i]))
            return CLI_VALUE_FILE;
    return CLI_VALUE_OTHER;
}

/* `help` takes names of commands, others have words of their own or none. */
const char *cli_completion_argument(const cli_commands *all, const cli_command *command, int32_t i)
{
    if (command->word_is_command)
        return i < all->n ? all->command[i]->name : NULL;
    return command->word ? command->word(i) : NULL;
}

/* Lines of completions are short: what is behind the first stop is in the help. */
void cli_completion_hint(const char *help, char *text, size_t size)
{
    size_t length = strcspn(help, ";:("), n = 0;
    while (length && help[length - 1] == ' ')
        length--;
    for (size_t i = 0; i < length && n + 1 < size; i++)
        if (!strchr("'\"\\[]`$", help[i]))
            text[n++] = help[i];
    text[n] = '\0';
}
