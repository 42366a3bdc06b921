/* SPDX-License-Identifier: Apache-2.0 */
/* fail_at.c - meshplan-mpi with a rank that fails at a stage: linked with mpi_stage wrapped
 *
 * FAIL_AT="kill RANK STAGE" kills the rank as the system does; "full RANK STAGE": it finds no room in files from there on. */
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>

#include "mpi/mpi_stage.h"
#include "ranks_sleep.h"

void __real_mpi_stage(int stage); /* NOLINT: the linker's names */
void __wrap_mpi_stage(int stage);

void __wrap_mpi_stage(int stage)
{
    const char *given = getenv("FAIL_AT");
    char how[8];
    int rank, at, own;
    __real_mpi_stage(stage);
    MPI_Comm_rank(MPI_COMM_WORLD, &own);
    if (!given || sscanf(given, "%7s %d %d", how, &rank, &at) != 3 || rank != own || at != stage)
        return;
    if (!strcmp(how, "kill"))
        raise(SIGKILL);
    const struct rlimit least = {100, 100};
    setrlimit(RLIMIT_FSIZE, &least);
}
