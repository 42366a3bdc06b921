/* SPDX-License-Identifier: Apache-2.0 */
/* mpi_bundle.h - files of parts become one bundle, to which every rank writes its own parts */
#ifndef MPLAN_MPI_BUNDLE_H
#define MPLAN_MPI_BUNDLE_H

#include "mpi/mpi_store.h"

/* Collective. stored: the n plans of this rank's parts, ascending; versions: text of the plan of part 0, on rank 0. The
 * bundle is in the temporary folder of the store: *path, from mplan_alloc. *bytes: of the file, on every rank. */
mplan_status mpi_bundle_make(const mpi_store *store, const mplan_parts *parts, int32_t n,
                             const mpi_stored *stored, const char *versions, char **path,
                             int64_t *bytes, mplan_error *err);
/* Collective: it gets its name, by rank 0. */
mplan_status mpi_bundle_commit(const mpi_store *store, const char *path, mplan_error *err);

#endif
