/* SPDX-License-Identifier: Apache-2.0 */
/* mpi_command.h - the commands of meshplan-mpi: their options, and what a run of one is given */
#ifndef MPLAN_MPI_COMMAND_H
#define MPLAN_MPI_COMMAND_H

#include <mpi.h>

#include "cli/command.h"
#include "cli/options.h"
#include "cli/planning_rows.h"

/* Filled by the rows of `plan`; texts are words of the command line, NULL where not given. */
typedef struct mpi_plan_options {
    const char *over, *none, *from, *zone, *output, *parts, *resume, *together, *cut;
    cli_texts inc, read, weights;
    cli_real cut_imbalance;
    cli_int cut_ranks;
    bool compress, whole_input;
    cli_int readers;
    cli_planning_given planning;
} mpi_plan_options;

typedef struct mpi_verify_options {
    bool nothing;
} mpi_verify_options;

/* What every command takes. */
typedef struct mpi_global_options {
    cli_int threads;
    const char *json;
    bool quiet, verbose, help, version;
} mpi_global_options;

typedef struct mpi_call {
    MPI_Comm comm;
    int32_t rank, ranks;
    const void *options; /* the command's struct */
    const char *word;    /* its argument */
    const mpi_global_options *globals;
    const cli_call *cli; /* the same as code that commands of meshplan share knows it: for files and JSON */
    const mplan_context *context; /* of this rank: threads are its share of its node */
} mpi_call;

typedef struct mpi_command {
    const char *name, *arguments, *summary;
    const cli_option *options;
    const cli_planning *planning; /* NULL: it takes no planning options */
    size_t options_size;
    mplan_status (*run)(const mpi_call *call, mplan_error *err); /* collective */
} mpi_command;

/* Runs the command that argv names; argv[0] is the program. call: comm, rank and ranks are there; context: what is cancelled by.
 * Collective. Returns the status of this rank: after the command began it is that of all. */
mplan_status mpi_dispatch(int argc, char **argv, mpi_call *call, mplan_context *context,
                          mplan_error *err);

extern const mpi_command mpi_command_plan, mpi_command_verify;

/* Rows of every command, and all of a command: its own, then planning options. */
enum { MPI_MOST_OPTIONS = 60 };
extern const cli_option mpi_global_rows[];
void mpi_command_rows(const mpi_command *command, cli_option rows[MPI_MOST_OPTIONS + 1]);

#endif
