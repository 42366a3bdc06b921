/* cmd_help.c - meshplan help */
#include "cli/command.h"

static const cli_option options[] = {{.name = NULL}};

static mplan_status run_help(const cli_call *call, mplan_error *err)
{
    (void)err;
    if (call->n_words)
        cli_print_help(cli_command_find(call->words[0]));
    else
        cli_print_overview();
    return MPLAN_OK;
}

const cli_command cli_command_help = {
    .name = "help",
    .arguments = "[COMMAND]",
    .summary = "say what the commands do",
    .details = "Lists the commands, or says what a command does and which options it has.",
    .options = options,
    .options_size = 0,
    .least_words = 0,
    .most_words = 1,
    .has_json = false,
    .word = cli_command_name,
    .word_name = "command",
    .run = run_help,
};
