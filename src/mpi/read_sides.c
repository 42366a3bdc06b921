/* SPDX-License-Identifier: Apache-2.0 */
/* read_sides.c - what maps of a file tell of edges: the cells at both sides, and whether they are the mesh's faces
 *
 * Collective, as all ranks have rows of the maps. */
#include <assert.h>
#include <stdlib.h>

#include "base/memory.h"
#include "mpi/exchange.h"
#include "mpi/read_layout.h"

/* A cell that an edge is a side of. */
typedef struct side {
    int64_t edge, cell;
} side;

/* Sides of this rank's cells, for the ranks that have the edges. *sides: from mplan_alloc; to: rank of each. */
static mplan_status list_sides(const mpi_mesh *mesh, const mpi_map *map, side **sides, int32_t **to,
                               int64_t *n, mplan_error *err)
{
    const mpi_set *cells = &mesh->sets[map->from], *edges = &mesh->sets[map->to];
    const int64_t own = mpi_own_members(mesh, map->from), most = mpi_own_entries(mesh, map);
    *n = 0;
    *sides = mplan_alloc(most, sizeof **sides, err);
    *to = mplan_alloc(most, sizeof **to, err);
    if (!*sides || !*to)
        return MPLAN_ERR_MEMORY;
    for (int64_t c = 0; c < own; c++) {
        int64_t length;
        const int64_t *row = mpi_map_row(map, c, &length);
        for (int64_t k = 0; k < length; k++) {
            if (row[k] < 0)
                continue;
            (*sides)[*n] = (side){row[k], cells->first[mesh->rank] + c};
            (*to)[(*n)++] = mpi_rank_of(edges->first, mesh->ranks, row[k]);
        }
    }
    return MPLAN_OK;
}

/* edges_cells from cells_edges, cells of an edge ascending; none where an edge has three (ugrid.c, add_sides). Sides come by
 * ranks, and so by cells, in their order. */
static mplan_status add_sides(mpi_mesh *mesh, mplan_error *err)
{
    const int32_t index = mpi_mesh_find_map(mesh, "cells_edges");
    if (index < 0 || mpi_mesh_find_map(mesh, "edges_cells") >= 0)
        return MPLAN_OK;
    const mpi_map *map = &mesh->maps[index];
    const int32_t cells = map->from, edges = map->to;
    const int64_t own = mpi_own_members(mesh, edges), first = mesh->sets[edges].first[mesh->rank];
    side *sides = NULL;
    int32_t *to = NULL;
    int64_t n = 0, over = 0;
    mpi_items got = {0};
    mplan_status status = list_sides(mesh, map, &sides, &to, &n, err);
    status = mpi_exchange_mixed(mesh->comm, status, sizeof *sides, sides, n, to, &got, err);
    free(sides);
    free(to);
    int64_t *values = status ? NULL : mplan_alloc(2 * own, sizeof *values, err);
    status = mpi_agree(mesh->comm, status ? status : values ? MPLAN_OK : MPLAN_ERR_MEMORY, err);
    for (int64_t i = 0; i < 2 * own && !status; i++)
        values[i] = -1;
    for (int64_t i = 0; i < got.n && !status; i++) {
        const side *s = (const side *)got.data + i;
        int64_t *row = values + 2 * (s->edge - first);
        over += row[1] >= 0;
        row[row[0] >= 0] = s->cell;
    }
    mpi_items_free(&got);
    if (status || mpi_sum(mesh->comm, over) > 0) {
        free(values);
        return status;
    }
    status = mpi_mesh_take_map(mesh, "edges_cells", edges, cells, 2, NULL, values, err);
    return mpi_agree(mesh->comm, status, err);
}

/* Whether all edges have both their cells, in a mesh with types of cells. */
static bool are_faces(const mpi_mesh *mesh)
{
    const int32_t index = mpi_mesh_find_map(mesh, "edges_cells");
    int64_t lacking = 0;
    if (index < 0 || mesh->dimension == 0)
        return false;
    const int64_t n = mpi_own_entries(mesh, &mesh->maps[index]);
    for (int64_t i = 0; i < n; i++)
        lacking += mesh->maps[index].values[i] < 0;
    return mpi_sum(mesh->comm, lacking) == 0;
}

mplan_status mpi_read_sides(mpi_mesh *mesh, uint32_t flags, mplan_error *err)
{
    assert(mesh);
    mplan_status status = flags & MPLAN_PLACES_SIDES ? add_sides(mesh, err) : MPLAN_OK;
    if (status || !(flags & MPLAN_PLACES_FACES || (flags & MPLAN_PLACES_EDGES && are_faces(mesh))))
        return status;
    mesh->faces = mplan_strdup("edges", err);
    return mpi_agree(mesh->comm, mesh->faces ? MPLAN_OK : MPLAN_ERR_MEMORY, err);
}
