/* SPDX-License-Identifier: Apache-2.0 */
/* mpi_groups.h - named subsets of the sets of a spread mesh, and facets that become such when faces are derived
 *
 * What mesh/group.c, derive_group.c and derive_facets.c do where one process has the whole mesh. Groups without a name are left:
 * no loop can name them. Functions are collective but where they say otherwise. */
#ifndef MPLAN_MPI_GROUPS_H
#define MPLAN_MPI_GROUPS_H

#include "mpi/mpi_mesh.h"

/* Those of rank 0, each rank its share. serial: NULL on other ranks. */
mplan_status mpi_groups_deal(mpi_mesh *mesh, const mplan_mesh *serial, mplan_error *err);
/* The mesh takes over members of this rank, ascending and each once, also after a failure. */
mplan_status mpi_groups_add(mpi_mesh *mesh, const char *name, int32_t set, int64_t n,
                            int64_t *members, mplan_error *err);

/* Not collective: as mplan_group_waits, and mplan_group_exists. */
bool mpi_group_waits(const mpi_mesh *mesh, const char *group);
bool mpi_group_exists(const mpi_mesh *mesh, const char *group);
/* As mplan_add_group_set, and mplan_add_group_map. */
mplan_status mpi_add_group_set(mpi_mesh *mesh, const char *name, mplan_error *err);
mplan_status mpi_add_group_map(mpi_mesh *mesh, const char *name, int32_t set, int32_t map,
                               mplan_error *err);

/* mpi_facets.c: as mplan_resolve_facets, after faces were derived. */
mplan_status mpi_resolve_facets(mpi_mesh *mesh, mplan_error *err);

#endif
