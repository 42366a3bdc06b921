/* SPDX-License-Identifier: Apache-2.0 */
/* mpi_wishes.h - what a call says of the cut: parts that are given, or weights, groups and nodes for those that are cut */
#ifndef MPLAN_MPI_WISHES_H
#define MPLAN_MPI_WISHES_H

#include "mpi/exchange.h"
#include "mpi/mpi_command.h"
#include "mpi/mpi_parts.h"

/* Of the members that this rank has of the set that is cut; all owned. */
typedef struct mpi_wishes {
    mpi_items part, weight, group; /* int32_t, int64_t, int64_t */
} mpi_wishes;

/* parts: the text of --parts or a job, N, NxM or a file. Files are read by rank 0, which tells each rank what its members have. set:
 * what is cut. Fills *how, whose arrays are those of *out: release it also after a failure. Collective. */
mplan_status mpi_wishes_read(const mpi_call *call, const char *parts, const mpi_set *set,
                             mpi_wishes *out, mpi_parts_options *how, mplan_error *err);
void mpi_wishes_free(mpi_wishes *wishes); /* not collective */

#endif
