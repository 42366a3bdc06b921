/* SPDX-License-Identifier: Apache-2.0 */
/* cmd_completion.c - meshplan completion: a script for a shell, from the tables */
#include <string.h>

#include "cli/completion.h"

static const cli_option options[] = {{.name = NULL}};

/* A shell and what prints its script. */
static const struct shell {
    const char *name;
    void (*print)(const cli_commands *all);
} shells[] = {
    {"bash", cli_completion_bash}, {"zsh", cli_completion_zsh}, {"fish", cli_completion_fish}};
#define N_SHELLS ((int32_t)(sizeof shells / sizeof *shells))

/* The shells that a script can be made for; NULL past the last. */
static const char *shell_word(int32_t i)
{
    return i < N_SHELLS ? shells[i].name : NULL;
}

/* words: a shell, which the parser has checked. */
static mplan_status run_completion(const cli_call *call, mplan_error *err)
{
    (void)err;
    for (int32_t i = 0; i < N_SHELLS; i++)
        if (!strcmp(shells[i].name, call->words[0]))
            shells[i].print(call->all);
    return MPLAN_OK;
}

const cli_command cli_command_completion = {
    .name = "completion",
    .arguments = "bash | zsh | fish",
    .summary = "print a completion script",
    .details = "Prints a script that completes commands, options and their words, also behind a "
               "comma of lists and behind '='. Load it with 'source <(meshplan completion bash)' "
               "in bash and, behind compinit, in zsh, with 'meshplan completion fish | source' in "
               "fish, or save it where the shell looks for completions.",
    .options = options,
    .options_size = 0,
    .least_words = 1,
    .most_words = 1,
    .has_json = false,
    .word = shell_word,
    .word_name = "shell",
    .run = run_completion,
};
