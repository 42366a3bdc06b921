/* SPDX-License-Identifier: Apache-2.0 */
/* mpi_write.h - parts are planned, and their plans become a bundle that is proved before it gets its name */
#ifndef MPLAN_MPI_WRITE_H
#define MPLAN_MPI_WRITE_H

#include "mpi/mpi_parts.h"

typedef struct mpi_write_options {
    const char *output;
    const char *resume; /* a folder; NULL: none */
    bool compress;
    bool says; /* on standard error, which rank begins which part */
} mpi_write_options;

typedef struct mpi_written {
    int64_t bytes; /* of the bundle */
    int64_t found; /* parts that were planned by an earlier call */
} mpi_written;

/* Collective. After a failure of any rank there is no bundle, and a file that was there is as it was; the sentence names the
 * rank and the part that it is about. MPLAN_ERR_INTERNAL for a bundle that its proof refutes. */
mplan_status mpi_parts_write(MPI_Comm comm, const mpi_parts *parts, const mpi_write_options *options,
                             const mplan_context *context, mpi_written *written, mplan_error *err);

#endif
