/* SPDX-License-Identifier: Apache-2.0 */
/* mpi_wishes.h - what a call says of the cut: parts that are given, or weights, groups and nodes for those that are cut */
#ifndef MPLAN_MPI_WISHES_H
#define MPLAN_MPI_WISHES_H

#include <string.h>

#include "mpi/exchange.h"
#include "mpi/mpi_command.h"
#include "mpi/mpi_parts.h"

/* Of the members that this rank has of the set that is cut; all owned. */
typedef struct mpi_wishes {
    mpi_items part, weight, group; /* int32_t, int64_t, int64_t */
} mpi_wishes;

/* What the command line says of parts, or else a job. */
typedef struct mpi_asked {
    const char *parts; /* N, NxM or a file; NULL: nobody says it */
    const char *cut;   /* a word of meshplan-job(5); NULL: native */
    int32_t cut_ranks; /* 0: the default */
} mpi_asked;
static inline bool mpi_asks_ptscotch(const mpi_asked *asked)
{
    return asked->cut && strcmp(asked->cut, "ptscotch") == 0;
}

/* Files are read by rank 0, which tells each rank what its members have. set: what is cut. Fills *how, whose arrays are those of *out: release it also after a failure. Collective. */
mplan_status mpi_wishes_read(const mpi_call *call, const mpi_asked *asked, const mpi_set *set,
                             mpi_wishes *out, mpi_parts_options *how, mplan_error *err);
void mpi_wishes_free(mpi_wishes *wishes); /* not collective */

#endif
