/* SPDX-License-Identifier: Apache-2.0 */
/* completion_bash.c - the completion script for bash */
#include <stdio.h>

#include "cli/completion.h"

/* Words hold neither blanks nor quotes, since they are in a quoted list. */
static void print_names(const cli_commands *all)
{
    for (int32_t i = 0; i < all->n; i++)
        printf("%s%s", i ? " " : "", all->command[i]->name);
}

/* rows ends with a row without a name. */
static void print_option_names(const cli_option *rows)
{
    for (const cli_option *row = rows; row->name; row++) {
        printf(" --%s", row->name);
        if (row->letter)
            printf(" -%c", row->letter);
    }
}

/* What options take, as cases of "command:option". Files are the rule, which needs no case. */
static void print_values(const char *command, const cli_option *rows)
{
    for (const cli_option *row = rows; row->name; row++) {
        cli_value value = cli_completion_value(row);
        if (value == CLI_VALUE_NONE || value == CLI_VALUE_FILE)
            continue;
        printf("    %s:--%s", command, row->name);
        if (row->letter)
            printf("|%s:-%c", command, row->letter);
        printf(") kind=%s words=\"", value == CLI_VALUE_OTHER  ? "none"
                                     : value == CLI_VALUE_LIST ? "list"
                                                               : "word");
        for (int32_t i = 0; row->word && row->word(i); i++)
            printf("%s%s", i ? " " : "", row->word(i));
        printf("\" ;;\n");
    }
}

/* The command is the first word that is one. "--option=value" comes as three words where "="
 * breaks words, as it does by default, and as one elsewhere. */
static void print_head(const cli_commands *all)
{
    printf("# Completion of meshplan for bash; load it with\n"
           "#     source <(meshplan completion bash)\n"
           "_meshplan()\n{\n"
           "    local word=\"${COMP_WORDS[COMP_CWORD]}\" previous=\"${COMP_WORDS[COMP_CWORD-1]}\"\n"
           "    local command=\"\" words=\"\" kind=\"\" before=\"\" i\n"
           "    if [[ $word == \"=\" ]]; then\n"
           "        word=\"\"\n"
           "    elif [[ $previous == \"=\" && $COMP_CWORD -ge 2 ]]; then\n"
           "        previous=\"${COMP_WORDS[COMP_CWORD-2]}\"\n"
           "    elif [[ $word == --*=* ]]; then\n"
           "        before=\"${word%%%%=*}=\" previous=\"${word%%%%=*}\" word=\"${word#*=}\"\n"
           "    fi\n"
           "    for ((i = 1; i < COMP_CWORD; i++)); do\n"
           "        case \"${COMP_WORDS[i]}\" in\n"
           "        ");
    for (int32_t i = 0; i < all->n; i++)
        printf("%s%s", i ? "|" : "", all->command[i]->name);
    printf(") command=\"${COMP_WORDS[i]}\"; break ;;\n"
           "        esac\n    done\n");
}

/* Names of options, where the cursor is on none of their values. */
static void print_options(const cli_commands *all)
{
    cli_option rows[CLI_MAX_OPTIONS + 1];
    printf("    if [[ -z $kind && -z $before && ( $word == -* || -z $command ) ]]; then\n"
           "        kind=word\n"
           "        case \"$command\" in\n"
           "        \"\") words=\"");
    print_names(all);
    print_option_names(all->globals);
    printf("\" ;;\n");
    for (int32_t i = 0; i < all->n; i++) {
        cli_command_rows(all->command[i], rows);
        printf("        %s) words=\"", all->command[i]->name);
        print_option_names(rows);
        print_option_names(all->globals);
        printf("\" ;;\n");
    }
    printf("        esac\n    fi\n");
}

/* A list goes on behind its last comma, with words that it does not hold yet. */
static void print_tail(void)
{
    printf("    if [[ $kind == list ]]; then\n"
           "        if [[ $word == *,* ]]; then\n"
           "            before+=\"${word%%,*},\"\n"
           "            for i in ${word//,/ }; do\n"
           "                words=\" $words \"\n"
           "                [[ $i == \"${word##*,}\" ]] || words=\"${words// $i / }\"\n"
           "            done\n"
           "            word=\"${word##*,}\"\n"
           "        fi\n"
           "        compopt -o nospace 2>/dev/null\n"
           "    fi\n"
           "    case \"$kind\" in\n"
           "    none) COMPREPLY=() ;;\n"
           "    \"\") mapfile -t COMPREPLY < <(compgen -f -P \"$before\" -- \"$word\") ;;\n"
           "    *) mapfile -t COMPREPLY < <(compgen -P \"$before\" -W \"$words\" -- \"$word\") ;;\n"
           "    esac\n}\n"
           "complete -o filenames -F _meshplan meshplan\n");
}

/* The script asks `case "$command:$previous"` first: the values of an option that waits for
 * one, by command; then those that all commands share; then the options themselves. */
void cli_completion_bash(const cli_commands *all)
{
    cli_option rows[CLI_MAX_OPTIONS + 1];
    print_head(all);
    printf("    case \"$command:$previous\" in\n");
    for (int32_t i = 0; i < all->n; i++) {
        const cli_command *command = all->command[i];
        cli_command_rows(command, rows);
        print_values(command->name, rows);
        if (!cli_completion_argument(all, command, 0))
            continue;
        printf("    %s:%s) kind=word words=\"", command->name, command->name);
        for (int32_t k = 0; cli_completion_argument(all, command, k); k++)
            printf("%s%s", k ? " " : "", cli_completion_argument(all, command, k));
        printf("\"\n        [[ $word == -* ]] && kind=\"\" ;;\n");
    }
    print_values("*", all->globals);
    printf("    esac\n");
    print_options(all);
    print_tail();
}
