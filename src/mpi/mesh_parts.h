/* SPDX-License-Identifier: Apache-2.0 */
/* mesh_parts.h - what makes a spread mesh: sets and maps one after the other */
#ifndef MPLAN_MPI_MESH_PARTS_H
#define MPLAN_MPI_MESH_PARTS_H

#include "mpi/mpi_read.h"

/* None of these is collective: every rank calls them alike, and agrees on what they return. */
mplan_status mpi_mesh_create(MPI_Comm comm, mpi_mesh **mesh, mplan_error *err);
/* Its members are dealt out evenly. set: may be NULL. */
mplan_status mpi_mesh_add_set(mpi_mesh *mesh, const char *name, int64_t size, int32_t *set,
                              mplan_error *err);
/* The mesh takes over offsets (NULL for arity > 0) and values, also after a failure. */
mplan_status mpi_mesh_take_map(mpi_mesh *mesh, const char *name, int32_t from, int32_t to,
                               int32_t arity, int64_t *offsets, int64_t *values, mplan_error *err);

/* A text of rank 0, or NULL, on every rank. *out: a copy, the caller's; NULL where rank 0 has none, and after a failure.
 * Collective. Texts of any length are kept whole. */
mplan_status mpi_share_text(MPI_Comm comm, const char *text, char **out, mplan_error *err);

static inline int64_t mpi_own_members(const mpi_mesh *mesh, int32_t set)
{
    return mesh->sets[set].first[mesh->rank + 1] - mesh->sets[set].first[mesh->rank];
}
/* Entries of the rows of this rank. */
static inline int64_t mpi_own_entries(const mpi_mesh *mesh, const mpi_map *map)
{
    const int64_t rows = mpi_own_members(mesh, map->from);
    return map->offsets ? map->offsets[rows] : rows * map->arity;
}
static inline const int64_t *mpi_map_row(const mpi_map *map, int64_t row, int64_t *n)
{
    *n = map->offsets ? map->offsets[row + 1] - map->offsets[row] : map->arity;
    return map->values + (map->offsets ? map->offsets[row] : row * map->arity);
}

#endif
