/* SPDX-License-Identifier: Apache-2.0 */
/* mpi_dispatch.c - finds the command of meshplan-mpi, reads its options, runs it on all ranks
 *
 * Every rank reads the same command line, and comes to the same status; rank 0 says what was wrong. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/processors.h"
#include "cli/message.h"
#include "cli/results.h"
#include "mpi/exchange.h"
#include "mpi/mpi_about.h"
#include "mpi/mpi_command.h"

/* Warnings are those of rank 0: what all ranks do, all of them are warned of. */
static void on_warning(void *user, const char *text)
{
    (void)user;
    fprintf(stderr, "meshplan-mpi: warning: %s\n", text);
}

/* A file that is read, also one that a job or a case names, must not be an output: rank 0 asks for what all ranks read. */
static mplan_status on_input(void *user, const char *path, mplan_error *err)
{
    return cli_files_input(user, path, err);
}

/* So many threads that all ranks of a node have one for each processor.
 * Collective over all ranks. At least 1. */
static int32_t threads_of_rank(void)
{
    MPI_Comm node;
    int ranks = 1;
    MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &node);
    MPI_Comm_size(node, &ranks);
    MPI_Comm_free(&node);
    const int32_t each = mplan_processors(1024) / ranks;
    return each > 1 ? each : 1;
}

/* NULL: there is none of this name. */
static const mpi_command *find_command(const char *name)
{
    static const mpi_command *const commands[] = {&mpi_command_plan, &mpi_command_verify};
    for (size_t i = 0; i < sizeof commands / sizeof *commands; i++)
        if (!strcmp(commands[i]->name, name))
            return commands[i];
    return NULL;
}

/* The command as code that commands of meshplan share knows it. */
static cli_command shared_of(const mpi_command *command)
{
    return (cli_command){.name = command->name,
                         .arguments = command->arguments,
                         .options = command->options,
                         .planning = command->planning,
                         .options_size = command->options_size,
                         .has_json = true,
                         .inputs = 1};
}

/* What cannot be, before anything is read. Every rank finds it for itself, and all agree. */
static mplan_status check_call(const mpi_command *command, const cli_call *cli, mplan_error *err)
{
    if (cli->n_words != 1)
        return cli_fail(err, MPLAN_ERR_ARGUMENT, "%s: there must be one input; usage: %s %s",
                        command->name, command->name, command->arguments);
    mplan_status status = cli_files_output(cli->files, cli->json, err);
    return status ? status : cli_files_input(cli->files, cli->words[0], err);
}

/* The command on all ranks; rank 0 writes JSON of its failure, too. */
static mplan_status run_on_all(const mpi_command *command, const cli_call *cli, mpi_call *call,
                               mplan_context *context, mplan_error *err)
{
    const mpi_global_options *globals = cli->globals;
    mplan_status status = mpi_agree(call->comm, check_call(command, cli, err), err);
    if (!status) {
        context->threads = globals->threads.value ? (int32_t)globals->threads.value
                                                  : threads_of_rank();
        context->input = on_input;
        context->user = cli->files;
        context->warning = call->rank == 0 && !globals->quiet ? on_warning : NULL;
        call->options = cli->options;
        call->word = cli->words[0];
        call->globals = globals;
        call->cli = cli;
        call->context = context;
        status = command->run(call, err);
    }
    return call->rank == 0 ? cli_results_finish(cli, status, err) : status;
}

/* Reads what is behind the command's name, and runs it.
 * argv: argc words behind the command's name. options: the command's own struct, zero but for
 * what the rows fill; words: those that are not options. Help and version are printed by rank 0 only, and
 * come before any fault in the number of inputs. Faults of the command line are found by all
 * ranks alike. */
static mplan_status run_command(const mpi_command *command, int argc, char **argv, mpi_call *call,
                                mplan_context *context, mplan_error *err)
{
    mpi_global_options globals = {0};
    cli_option rows[MPI_MOST_OPTIONS + 1];
    const char **words = calloc((size_t)argc + 1, sizeof *words);
    void *options = calloc(1, command->options_size);
    int32_t n_words = 0, used = 0;
    mpi_command_rows(command, rows);
    cli_parser parser = {.set = {{rows, options}, {mpi_global_rows, &globals}}, .n_sets = 2};
    mplan_status status = words && options
                              ? cli_parse(&parser, argc, argv, words, &n_words, &used, err)
                              : cli_fail(err, MPLAN_ERR_MEMORY, "out of memory");
    const cli_command shared = shared_of(command);
    const cli_commands all = {.globals = mpi_global_rows};
    cli_files files = {.command = command->name};
    const cli_call cli = {.command = &shared,
                          .globals = &globals,
                          .options = options,
                          .n_words = n_words,
                          .words = words,
                          .json = globals.json || !status ? globals.json : cli_json_among(argc, argv),
                          .report = !globals.quiet && !(globals.json && !strcmp(globals.json, "-")),
                          .verbose = globals.verbose,
                          .context = context,
                          .files = &files,
                          .all = &all};
    /* a rank that has no memory for its words keeps the others from beginning */
    status = mpi_agree(call->comm, status, err);
    if (status && call->rank == 0 && words && options)
        status = cli_results_finish(&cli, status, err);
    else if (!status && globals.help && call->rank == 0)
        mpi_about_command(command);
    else if (!status && !globals.help && globals.version && call->rank == 0)
        mpi_about_version();
    else if (!status && !globals.help && !globals.version)
        status = run_on_all(command, &cli, call, context, err);
    cli_files_free(&files);
    if (words && options)
        cli_options_free(&parser.set[0]);
    free(options);
    free(words);
    return status;
}

/* The command comes first; without one only --help and --version mean anything. */
mplan_status mpi_dispatch(int argc, char **argv, mpi_call *call, mplan_context *context,
                          mplan_error *err)
{
    const char *word = argc > 1 ? argv[1] : "";
    const mpi_command *command = find_command(word);
    if (command)
        return run_command(command, argc - 2, argv + 2, call, context, err);
    const bool help = !strcmp(word, "--help") || !strcmp(word, "-h");
    if (help || !strcmp(word, "--version")) {
        if (call->rank == 0 && help)
            mpi_about_help();
        else if (call->rank == 0)
            mpi_about_version();
        return MPLAN_OK;
    }
    return cli_fail(err, MPLAN_ERR_ARGUMENT, "%s%s; 'meshplan-mpi --help' says what there is",
                    *word ? "unknown command " : "no command given", word);
}
