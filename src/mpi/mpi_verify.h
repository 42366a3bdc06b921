/* SPDX-License-Identifier: Apache-2.0 */
/* mpi_verify.h - proves a bundle part by part over ranks */
#ifndef MPLAN_MPI_VERIFY_H
#define MPLAN_MPI_VERIFY_H

#include <mpi.h>

#include "check/check_bundle.h"

/* Collective; all ranks get the same verdict. MPLAN_ERR_DISPROVED with the sentence of mplan_parts_verify without a mesh.
 * rows: by set, sums of hashes of the rows of the mesh (mpi_parts.rows); NULL: there is no mesh. */
mplan_status mpi_bundle_verify(MPI_Comm comm, const char *path, const uint64_t *rows,
                               const mplan_context *context, mplan_error *err);
/* The same of plans that are read from elsewhere; every rank can read all of them. */
mplan_status mpi_source_verify(MPI_Comm comm, const mplan_parts_source *source,
                               const uint64_t *rows, const mplan_context *context, mplan_error *err);

/* verify_columns.c: whether what parts say of the columns of their members is one thing, and that of the request: proof->columns
 * are the lists of this rank's parts. *agree: on every rank. Collective. */
mplan_status mpi_columns_agree(MPI_Comm comm, const mplan_bundle_proof *proof, bool *agree,
                               mplan_error *err);

#endif
