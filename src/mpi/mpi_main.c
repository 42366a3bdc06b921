/* SPDX-License-Identifier: Apache-2.0 */
/* mpi_main.c - the program meshplan-mpi: finds the command, reads its options, runs it on all ranks
 *
 * Every rank reads the same command line. What a command says on standard output is said by rank 0. */
#include <mpi.h>
#include <stdio.h>
#include <string.h>

#include "cli/message.h"
#include "mpi/mpi_about.h"

int main(int argc, char **argv)
{
    int rank = 0;
    mplan_status status = MPLAN_OK;
    if (MPI_Init(&argc, &argv) != MPI_SUCCESS)
        return cli_exit_code(MPLAN_ERR_INTERNAL);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    const char *word = argc > 1 ? argv[1] : "";
    const bool help = !strcmp(word, "--help") || !strcmp(word, "-h");
    if (argc != 2 || (!help && strcmp(word, "--version") != 0)) {
        status = MPLAN_ERR_ARGUMENT;
        if (rank == 0)
            fprintf(stderr, "meshplan-mpi: see 'meshplan-mpi --help'\n");
    } else if (rank == 0) {
        if (help)
            mpi_about_help();
        else
            mpi_about_version();
    }
    MPI_Finalize();
    return cli_exit_code(status);
}
