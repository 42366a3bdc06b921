/* SPDX-License-Identifier: Apache-2.0 */
/* mpi_mesh.c - a mesh that is spread over ranks: made, searched, released
 *
 * Sets and maps have the same numbers, names and sizes on all ranks; coordinates, types and rows
 * are those of the rank's own members. */
#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "mpi/exchange.h"
#include "mpi/mesh_parts.h"

/* Groups, and facets that wait. */
static void free_groups(mpi_mesh *mesh)
{
    for (int32_t g = 0; g < mesh->n_groups; g++) {
        free(mesh->groups[g].name);
        free(mesh->groups[g].members);
    }
    for (int32_t g = 0; g < mesh->n_facets; g++) {
        free(mesh->facets[g].name);
        free(mesh->facets[g].type);
        free(mesh->facets[g].nodes);
        free(mesh->facets[g].number);
    }
    free(mesh->groups);
    free(mesh->facets);
}

/* NULL is allowed. The communicator is the caller's, and stays. */
void mpi_mesh_free(mpi_mesh *mesh)
{
    if (!mesh)
        return;
    for (int32_t s = 0; s < mesh->n_sets; s++) {
        free(mesh->sets[s].name);
        free(mesh->sets[s].first);
        free(mesh->sets[s].coordinates);
        free(mesh->sets[s].cell_type);
        free(mesh->sets[s].split);
        free(mesh->sets[s].parent_index);
        free(mesh->sets[s].ranges);
        free(mesh->sets[s].mask);
    }
    for (int32_t m = 0; m < mesh->n_maps; m++) {
        free(mesh->maps[m].name);
        free(mesh->maps[m].offsets);
        free(mesh->maps[m].values);
    }
    free_groups(mesh);
    free(mesh->sets);
    free(mesh->maps);
    free(mesh->zone);
    free(mesh->source);
    free(mesh->faces);
    free(mesh);
}

/* The number of the set, equal on all ranks; -1: there is none. */
int32_t mpi_mesh_find_set(const mpi_mesh *mesh, const char *name)
{
    assert(mesh && name);
    for (int32_t s = 0; s < mesh->n_sets; s++)
        if (strcmp(mesh->sets[s].name, name) == 0)
            return s;
    return -1;
}

/* Likewise of a map. */
int32_t mpi_mesh_find_map(const mpi_mesh *mesh, const char *name)
{
    assert(mesh && name);
    for (int32_t m = 0; m < mesh->n_maps; m++)
        if (strcmp(mesh->maps[m].name, name) == 0)
            return m;
    return -1;
}

/* An empty mesh, the caller's; NULL after a failure. comm is borrowed as long as the mesh lives. */
mplan_status mpi_mesh_create(MPI_Comm comm, mpi_mesh **mesh, mplan_error *err)
{
    int rank, ranks;
    MPI_Comm_rank(comm, &rank);
    MPI_Comm_size(comm, &ranks);
    *mesh = mplan_alloc_zero(1, sizeof **mesh, err);
    if (!*mesh)
        return MPLAN_ERR_MEMORY;
    (*mesh)->comm = comm;
    (*mesh)->rank = rank;
    (*mesh)->ranks = ranks;
    return MPLAN_OK;
}

/* first depends on size and number of ranks only, so that no message is needed. Callers whose
 * members lie otherwise, as derived ones do, fill first anew. *set is left as it is after a
 * failure. */
mplan_status mpi_mesh_add_set(mpi_mesh *mesh, const char *name, int64_t size, int32_t *set,
                              mplan_error *err)
{
    assert(mesh && name && size >= 0);
    mpi_set *sets = mplan_realloc(mesh->sets, mesh->n_sets + 1, sizeof *sets, err);
    if (!sets)
        return MPLAN_ERR_MEMORY;
    mesh->sets = sets;
    mpi_set added = {.size = size,
                     .name = mplan_strdup(name, err),
                     .first = mplan_alloc(mesh->ranks + 1, sizeof *added.first, err)};
    if (!added.name || !added.first) {
        free(added.name);
        free(added.first);
        return MPLAN_ERR_MEMORY;
    }
    for (int32_t r = 0; r <= mesh->ranks; r++)
        added.first[r] = mpi_range_first(size, mesh->ranks, r);
    sets[mesh->n_sets] = added;
    if (set)
        *set = mesh->n_sets;
    mesh->n_sets++;
    return MPLAN_OK;
}

/* offsets: own rows + 1, from 0; values: entries of own rows, as numbers of the whole to-set.
 * Both are released after a failure. */
mplan_status mpi_mesh_take_map(mpi_mesh *mesh, const char *name, int32_t from, int32_t to,
                               int32_t arity, int64_t *offsets, int64_t *values, mplan_error *err)
{
    assert(mesh && name && from >= 0 && to >= 0);
    mpi_map *maps = mplan_realloc(mesh->maps, mesh->n_maps + 1, sizeof *maps, err);
    char *copy = maps ? mplan_strdup(name, err) : NULL;
    mesh->maps = maps ? maps : mesh->maps;
    if (!copy) {
        free(offsets);
        free(values);
        return MPLAN_ERR_MEMORY;
    }
    maps[mesh->n_maps++] = (mpi_map){copy, from, to, arity, offsets, values, false};
    return MPLAN_OK;
}

/* A text of rank 0, or NULL, on every rank. *out: a copy, the caller's; NULL where rank 0 has none, and after a failure.
 * Collective. Texts of any length are kept whole. */
mplan_status mpi_share_text(MPI_Comm comm, const char *text, char **out, mplan_error *err)
{
    int64_t n = text ? (int64_t)strlen(text) + 1 : 0;
    int rank;
    MPI_Comm_rank(comm, &rank);
    mpi_bcast(&n, 1, MPI_INT64_T, 0, comm);
    char *copy = n > 0 ? mplan_alloc_zero(n, 1, err) : NULL;
    mplan_status status = n == 0 || (copy && n < MPI_PIECE) ? MPLAN_OK : MPLAN_ERR_MEMORY;
    status = mpi_agree(comm, status, err);
    if (!status && copy) {
        if (rank == 0)
            memcpy(copy, text, (size_t)n);
        mpi_bcast(copy, (int)n, MPI_CHAR, 0, comm);
    }
    if (status) {
        free(copy);
        copy = NULL;
    }
    *out = copy;
    return status;
}
