/* SPDX-License-Identifier: Apache-2.0 */
/* mpi_stage.h - what each rank is doing, for the case that one of them ends, and what it took
 *
 * When a rank is killed, mpirun says which, and sends SIGTERM to all others. What the killed one was doing is in memory
 * that the ranks of a node share; those that are left say it for all. */
#ifndef MPLAN_MPI_STAGE_H
#define MPLAN_MPI_STAGE_H

#include <mpi.h>
#include <stdint.h>

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

/* What a stage took of this rank; parts together are one stage. A stage that was never begun has zeros. */
typedef struct mpi_stage_cost {
    const char *word;
    double seconds; /* of processors */
    int64_t peak; /* bytes of memory, the most at one time; what was there before the stage counts */
} mpi_stage_cost;
enum { MPI_STAGES = 8 };
/* Peaks are counted for each stage by itself; without it that of a stage has the stages before in it. Not collective. */
void mpi_stage_peaks(void);
/* In the order of a run. The stage at hand goes on. Not collective. */
void mpi_stage_costs(mpi_stage_cost costs[MPI_STAGES]);

#endif
