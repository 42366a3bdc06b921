/* SPDX-License-Identifier: Apache-2.0 */
/* mpi_main.c - the program meshplan-mpi: begins MPI, runs a command on all ranks, says what was wrong */
#include <malloc.h>
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

#include "cli/message.h"
#include "cli/output.h"
#include "cli/signals.h"
#include "mpi/exchange.h"
#include "mpi/mpi_command.h"
#include "mpi/mpi_stage.h"

/* A signal ends what the library does on this rank. */
static bool is_cancelled(void *user)
{
    (void)user;
    return cli_stop_signal() != 0;
}

/* Where srun speaks another protocol than the MPI library, each of its tasks is the only rank of a world of its own, and all
 * would write the same bundle. */
static bool is_lone_task(const mpi_call *call, mplan_error *err)
{
    const char *tasks = getenv("SLURM_STEP_NUM_TASKS"), *launched = getenv("OMPI_COMM_WORLD_SIZE");
    if (call->ranks > 1 || launched || !tasks || strtol(tasks, NULL, 10) < 2)
        return false;
    cli_fail(err, MPLAN_ERR_ARGUMENT,
             "srun started %s tasks which do not know of one another: give srun the --mpi that this MPI "
             "library has (srun --mpi=list), as --mpi=pmix",
             tasks);
    return true;
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
    mplan_status status = is_lone_task(&call, &err)
                              ? err.status
                              : mpi_dispatch(argc, argv, &call, &context, &err);
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
