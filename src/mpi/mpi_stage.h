/* SPDX-License-Identifier: Apache-2.0 */
/* mpi_stage.h - what each rank is doing, for the case that one of them ends
 *
 * When a rank is killed, mpirun says which, and sends SIGTERM to all others. What the killed one was doing is in memory
 * that the ranks of a node share; those that are left say it for all. */
#ifndef MPLAN_MPI_STAGE_H
#define MPLAN_MPI_STAGE_H

#include <mpi.h>

/* Parts of a run; a number from 0 on is the part that a rank plans. */
enum {
    MPI_STAGE_BEGIN = -1,
    MPI_STAGE_READ = -2,
    MPI_STAGE_DERIVE = -3,
    MPI_STAGE_CUT = -4,
    MPI_STAGE_MOVE = -5,
    MPI_STAGE_WRITE = -6,
    MPI_STAGE_PROVE = -7
};

/* Collective; after signals are caught. Before it, and in programs without it, a stage is not noted. */
void mpi_stage_open(MPI_Comm comm);
void mpi_stage_close(void); /* collective */
/* What this rank does from here on. Not collective. */
void mpi_stage(int stage);

#endif
