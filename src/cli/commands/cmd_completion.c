/* SPDX-License-Identifier: Apache-2.0 */
/* cmd_completion.c - meshplan completion: a script for bash, from the tables
 *
 * Completes commands, options and the words of options; other values and
 * arguments are completed as files. */
#include <stdio.h>

#include "cli/command.h"

static const cli_option options[] = {{.name = NULL}};

/* The shells that a script can be made for; NULL past the last. */
static const char *shell_word(int32_t i)
{
    return i == 0 ? "bash" : NULL;
}

/* word(i) is NULL past the last. Words hold neither blanks nor quotes, since they stand in a
 * quoted list of bash. */
static void print_words(const char *(*word)(int32_t i))
{
    for (int32_t i = 0; word(i); i++)
        printf("%s%s", i ? " " : "", word(i));
}

/* As print_words, of the commands. */
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

/* The words that an option takes, as cases of "command:option". */
static void print_values(const char *command, const cli_option *rows)
{
    for (const cli_option *row = rows; row->name; row++) {
        if (!row->word)
            continue;
        printf("    %s:--%s)\n        words=\"", command, row->name);
        print_words(row->word);
        printf("\" ;;\n");
    }
}

/* The script is made from the tables of commands and options, so that it cannot lack any. It
 * finds the command as the first word that is one, then offers the words of the option before
 * the cursor, else names of options, else files. */
static void print_script(const cli_commands *all)
{
    printf("# Completion of meshplan for bash; load it with\n"
           "#     source <(meshplan completion bash)\n"
           "_meshplan()\n{\n"
           "    local word=\"${COMP_WORDS[COMP_CWORD]}\"\n"
           "    local previous=\"${COMP_WORDS[COMP_CWORD-1]}\"\n"
           "    local command=\"\" words=\"\" i\n"
           "    for ((i = 1; i < COMP_CWORD; i++)); do\n"
           "        case \"${COMP_WORDS[i]}\" in\n"
           "        ");
    for (int32_t i = 0; i < all->n; i++)
        printf("%s%s", i ? "|" : "", all->command[i]->name);
    printf(") command=\"${COMP_WORDS[i]}\"; break ;;\n"
           "        esac\n    done\n"
           "    case \"$command:$previous\" in\n");
    cli_option rows[CLI_MAX_OPTIONS + 1];
    for (int32_t i = 0; i < all->n; i++) {
        const cli_command *command = all->command[i];
        cli_command_rows(command, rows);
        print_values(command->name, rows);
    }
    print_values("*", all->globals);
    for (int32_t i = 0; i < all->n; i++) {
        const cli_command *command = all->command[i];
        if (command->word || command->word_is_command) {
            printf("    %s:%s)\n        words=\"", command->name, command->name);
            if (command->word)
                print_words(command->word);
            else
                print_names(all);
            printf("\" ;;\n");
        }
    }
    printf("    esac\n"
           "    if [[ -z $words && ( $word == -* || -z $command ) ]]; then\n"
           "        case \"$command\" in\n");
    printf("        \"\") words=\"");
    print_names(all);
    print_option_names(all->globals);
    printf("\" ;;\n");
    for (int32_t i = 0; i < all->n; i++) {
        const cli_command *command = all->command[i];
        cli_command_rows(command, rows);
        printf("        %s) words=\"", command->name);
        print_option_names(rows);
        print_option_names(all->globals);
        printf("\" ;;\n");
    }
    printf("        esac\n    fi\n"
           "    if [[ -n $words ]]; then\n"
           "        mapfile -t COMPREPLY < <(compgen -W \"$words\" -- \"$word\")\n"
           "    else\n"
           "        mapfile -t COMPREPLY < <(compgen -f -- \"$word\")\n"
           "    fi\n}\n"
           "complete -o filenames -F _meshplan meshplan\n");
}

/* words: "bash", the only shell, which the parser has checked. */
static mplan_status run_completion(const cli_call *call, mplan_error *err)
{
    (void)err;
    print_script(call->all);
    return MPLAN_OK;
}

const cli_command cli_command_completion = {
    .name = "completion",
    .arguments = "bash",
    .summary = "print a completion script",
    .details = "Prints a script that completes commands and options in bash. Load it with "
               "'source <(meshplan completion bash)', or save it where bash looks for completions.",
    .options = options,
    .options_size = 0,
    .least_words = 1,
    .most_words = 1,
    .has_json = false,
    .word = shell_word,
    .word_name = "shell",
    .run = run_completion,
};
