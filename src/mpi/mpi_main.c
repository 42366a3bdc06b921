/* SPDX-License-Identifier: Apache-2.0 */
/* mpi_main.c - the program meshplan-mpi: finds the command, reads its options, runs it on all ranks
 *
 * Every rank reads the same command line, and comes to the same status; rank 0 says what was wrong. */
#include <malloc.h>
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/processors.h"
#include "cli/message.h"
#include "cli/output.h"
#include "cli/signals.h"
#include "mpi/exchange.h"
#include "mpi/mpi_about.h"
#include "mpi/mpi_command.h"
#include "mpi/mpi_stage.h"

/* A signal ends what the library does on this rank. */
static bool is_cancelled(void *user)
{
    (void)user;
    return cli_stop_signal() != 0;
}

/* Warnings are those of rank 0: what all ranks do, all of them are warned of. */
static void on_warning(void *user, const char *text)
{
    (void)user;
    fprintf(stderr, "meshplan-mpi: warning: %s\n", text);
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

/* Reads what is behind the command's name, and runs it.
 * argv: argc words behind the command's name. options: the command's own struct, zero but for
 * what the rows fill; words: those that are not options. Help and version are printed by rank 0 only, and
 * come before any fault in the number of inputs. Faults of the command line are found by all
 * ranks alike. */
static mplan_status dispatch(const mpi_command *command, int argc, char **argv, mpi_call *call,
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
    if (!status && globals.help) {
        if (call->rank == 0)
            mpi_about_command(command);
    } else if (!status && globals.version) {
        if (call->rank == 0)
            mpi_about_version();
    } else if (!status && n_words != 1) {
        status = cli_fail(err, MPLAN_ERR_ARGUMENT, "%s: there must be one input; usage: %s %s",
                          command->name, command->name, command->arguments);
    } else if (!status) {
        context->threads = globals.threads.value ? (int32_t)globals.threads.value : threads_of_rank();
        context->warning = call->rank == 0 && !globals.quiet ? on_warning : NULL;
        call->options = options;
        call->word = words[0];
        call->globals = &globals;
        call->context = context;
        status = command->run(call, err);
    }
    if (words && options)
        cli_options_free(&parser.set[0]);
    free(options);
    free(words);
    return status;
}

/* The command comes first; without one only --help and --version mean anything.
 * argv[0] is the program. Returns the status of this rank, which main agrees on with the others. */
static mplan_status run(int argc, char **argv, mpi_call *call, mplan_context *context,
                        mplan_error *err)
{
    const char *word = argc > 1 ? argv[1] : "";
    const mpi_command *command = find_command(word);
    if (command)
        return dispatch(command, argc - 2, argv + 2, call, context, err);
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

/* The status is agreed on once more at the end, for faults that each rank met for itself: an option that is wrong, an output
 * stream that is closed. All ranks end by MPI_Finalize and one exit code, which mpirun hands on.
 * Nothing is read of the command line before MPI_Init, which may take words out of it. Only rank
 * 0 writes the fault. */
int main(int argc, char **argv)
{
    mplan_error err = {MPLAN_OK, ""}, lost = {MPLAN_OK, ""};
    mplan_context context = MPLAN_CONTEXT_INIT;
    context.cancelled = is_cancelled;
#ifdef M_MMAP_THRESHOLD
    mallopt(M_MMAP_THRESHOLD,
            1 << 20); /* large arrays of one step go back to the system before the next begins */
#endif
    if (MPI_Init(&argc, &argv) != MPI_SUCCESS)
        return cli_exit_code(MPLAN_ERR_INTERNAL);
    cli_catch_signals();
    cli_stop_sooner(200); /* mpirun kills after a second at most */
    mpi_call call = {.comm = MPI_COMM_WORLD};
    MPI_Comm_rank(call.comm, &call.rank);
    MPI_Comm_size(call.comm, &call.ranks);
    mpi_stage_open(call.comm);
    mplan_status status = run(argc, argv, &call, &context, &err);
    if (cli_output_close(&lost) && !status) {
        status = lost.status;
        err = lost;
    }
    status = mpi_agree(call.comm, status, &err);
    if (status && call.rank == 0)
        fprintf(stderr, "meshplan-mpi: %s\n", err.text[0] ? err.text : mplan_status_name(status));
    mpi_stage_close();
    MPI_Finalize();
    return cli_exit_code(status);
}
