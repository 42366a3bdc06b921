/* SPDX-License-Identifier: Apache-2.0 */
/* cmd_help.c - meshplan help */
#include "cli/command.h"

static const cli_option options[] = {{.name = NULL}};

/* words: a command, which the parser has found among all, or nothing. */
static mplan_status run_help(const cli_call *call, mplan_error *err)
{
    (void)err;
    if (call->n_words)
        cli_print_help(call->all, cli_command_find(call->all, call->words[0]));
    else
        cli_print_overview(call->all);
    return MPLAN_OK;
}

const cli_command cli_command_help = {
    .name = "help",
    .arguments = "[COMMAND]",
    .summary = "describe the commands",
    .details = "Lists the commands, or describes a command and its options.",
    .options = options,
    .options_size = 0,
    .least_words = 0,
    .most_words = 1,
    .has_json = false,
    .word_name = "command",
    .word_is_command = true,
    .run = run_help,
};
