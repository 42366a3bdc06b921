/* SPDX-License-Identifier: Apache-2.0 */
/* mpi_verify.h - proves a bundle part by part over ranks */
#ifndef MPLAN_MPI_VERIFY_H
#define MPLAN_MPI_VERIFY_H

#include <mpi.h>

#include "meshplan.h"

/* Collective; all ranks get the same verdict. MPLAN_ERR_DISPROVED with the sentence of mplan_parts_verify without a mesh. */
mplan_status mpi_bundle_verify(MPI_Comm comm, const char *path, const mplan_context *context,
                               mplan_error *err);

#endif
