/* SPDX-License-Identifier: Apache-2.0 */
/* mpi_cells.c - a rank's cells as a table of the functions that derive connectivity
 *
 * Nodes get numbers of 32 bits on each rank, in the order of their numbers in the mesh:
 * comparing two of them gives the same on every rank that has both. */
#include <assert.h>
#include <float.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "mesh/mesh_checks.h"
#include "mpi/mpi_derive.h"

/* numbers, types and offsets are the mesh's, and stay. Not collective. */
void mpi_cells_close(mpi_cells *cells)
{
    free(cells->node);
    free(cells->values);
    free(cells->shared);
    free(cells->xyz);
    *cells = (mpi_cells){.n_nodes = 0};
}

/* Numbers of nodes for this rank, in the order of those of the mesh.
 * entries: of own rows; out->node: the distinct nodes, ascending; out->values[i]: the index in
 * it of entry i of the map. Not collective. The caller closes *out also after a failure. Cells
 * name all of their nodes: there is no -1. */
static mplan_status number_nodes(const mpi_map *map, int64_t entries, mpi_cells *out, mplan_error *err)
{
    out->values = mplan_alloc(entries, sizeof *out->values, err);
    if (!out->values || mpi_ids_of(map->values, entries, 0, 0, &out->node, &out->n_nodes, err))
        return MPLAN_ERR_MEMORY;
    if (out->n_nodes >= INT32_MAX)
        return mplan_fail(err, MPLAN_ERR_UNSUPPORTED,
                          "a rank has cells of %lld nodes; use more ranks", (long long)out->n_nodes);
    mpi_finder finder;
    mpi_finder_open(out->node, out->n_nodes, &finder);
    for (int64_t i = 0; i < entries; i++)
        out->values[i] = (int32_t)mpi_find(&finder, map->values[i]);
    mpi_finder_close(&finder);
    return MPLAN_OK;
}

/* What types there are in the whole mesh tells the slots of a cell.
 * Collective, as a rank may have no cell of a type that others have. type: n_cells of this rank.
 * The table's stride, face_size and equal_rows are 0 before; they are equal on all ranks
 * afterwards. Without any cells rows are not equal. */
static void find_stride(const mpi_mesh *mesh, int64_t n_cells, const uint8_t *type,
                        mplan_cell_table *table)
{
    uint64_t seen = 0;
    for (int64_t c = 0; c < n_cells; c++)
        seen |= UINT64_C(1) << type[c];
    mpi_allreduce(MPI_IN_PLACE, &seen, 1, MPI_UINT64_T, MPI_BOR, mesh->comm);
    table->equal_rows = seen != 0;
    for (int t = 0; t < MPLAN_N_CELL_TYPES; t++) {
        if (!(seen >> t & 1))
            continue;
        const mplan_cell_shape *shape = mplan_cell_shape_of((mplan_cell_type)t);
        if (table->stride > 0 && shape->n_faces != table->stride)
            table->equal_rows = false;
        table->stride = shape->n_faces > table->stride ? shape->n_faces : table->stride;
        for (int32_t f = 0; f < shape->n_faces; f++)
            if (shape->face_size[f] > table->face_size)
                table->face_size = shape->face_size[f];
    }
}

/* Whether the third coordinates of n rows on every rank are one.
 * Collective. xyz: 3 numbers for each of n nodes. True where no rank has any. The largest of
 * doubles is exact, whatever the order of ranks. */
static bool equal_heights(const mpi_mesh *mesh, int64_t n, const double *xyz)
{
    double ends[2] = {-DBL_MAX, -DBL_MAX}; /* highest, and lowest with the other sign */
    for (int64_t i = 0; i < n; i++) {
        const double z = xyz[3 * i + 2];
        ends[0] = z > ends[0] ? z : ends[0];
        ends[1] = -z > ends[1] ? -z : ends[1];
    }
    mpi_allreduce(MPI_IN_PLACE, ends, 2, MPI_DOUBLE, MPI_MAX, mesh->comm);
    return ends[0] <= -ends[1];
}

/* out->shared, from what all ranks ask of this one. links: of out->node. Collective. */
static mplan_status find_shared(const mpi_set *nodes, const mpi_links *links, mpi_cells *out,
                                mplan_error *err)
{
    const int64_t own = nodes->first[links->rank + 1] - nodes->first[links->rank];
    const int64_t asked = links->to_begin[links->n_to];
    out->shared = mplan_alloc(out->n_nodes, 1, err);
    uint8_t *askers = mplan_alloc_zero(own, 1,
                                       err); /* ranks that name each own node: 0, 1, or 2 and more */
    for (int64_t i = 0; askers && i < asked; i++)
        askers[links->index[i]] += askers[links->index[i]] < 2;
    mplan_status status = out->shared && askers ? MPLAN_OK : MPLAN_ERR_MEMORY;
    status = mpi_links_fetch(links, status, 1, askers, out->shared, err);
    for (int64_t i = 0; i < out->n_nodes && !status; i++)
        out->shared[i] = out->shared[i] > 1;
    free(askers);
    return status;
}

/* As derive_table.c has it: whether coordinates orient the cells, and whether faces have two sides.
 * Collective. links: of out->node. out->xyz: coordinates of out->node, fetched from the ranks that have these nodes.
 * A surface in space whose nodes are all of one height counts as plane: heights of all nodes of
 * the mesh are compared, or of those that cells name. */
static mplan_status place_in_space(const mpi_mesh *mesh, const mpi_set *nodes,
                                   const mpi_links *links, mpi_cells *out, mplan_error *err)
{
    mplan_cell_table *table = &out->table;
    const int32_t dimension = nodes->dimension;
    table->manifold = table->dimension > 1;
    if (dimension == 0 || table->dimension < 2)
        return MPLAN_OK;
    out->xyz = mplan_alloc(out->n_nodes * dimension, sizeof *out->xyz, err);
    mplan_status status = mpi_links_fetch(links, out->xyz ? MPLAN_OK : MPLAN_ERR_MEMORY,
                                          (size_t)dimension * sizeof *out->xyz, nodes->coordinates,
                                          out->xyz, err);
    if (status)
        return status;
    bool same = dimension == table->dimension;
    if (table->dimension == 2 && dimension == 3) {
        const int64_t own = nodes->first[mesh->rank + 1] - nodes->first[mesh->rank];
        const bool all = equal_heights(mesh, own, nodes->coordinates);
        same = equal_heights(mesh, out->n_nodes, out->xyz) || all;
        table->manifold = same;
    }
    if (same) {
        table->coordinates = out->xyz;
        table->coordinate_stride = dimension;
    }
    return MPLAN_OK;
}

/* Of the first collapsed cell, in the mesh's numbers.
 * Not collective. The lowest rank with a fault has the first collapsed cell of the mesh. A cell
 * that keeps more distinct corners than it has dimensions is not collapsed. */
static mplan_status check_cells(const mpi_map *map, int64_t n_cells, const mpi_cells *cells,
                                mplan_error *err)
{
    for (int64_t c = 0; c < n_cells; c++) {
        const int32_t *node;
        const mplan_cell_shape *shape = mplan_table_cell(&cells->table, c, &node);
        const int32_t distinct = mplan_distinct_nodes(node, shape->n_corners);
        if (distinct > shape->dimension)
            continue;
        int64_t n;
        const int64_t *number = mpi_map_row(map, c, &n);
        return mplan_fail_collapsed(cells->first + c, shape, distinct, number[0], err);
    }
    return MPLAN_OK;
}

/* Collective. The table borrows offsets and types from the mesh. A mesh without typed cells is
 * refused by all ranks before the first message. */
mplan_status mpi_cells_open(const mpi_mesh *mesh, mpi_cells *cells, mplan_error *err)
{
    assert(mesh && cells);
    *cells = (mpi_cells){.n_nodes = 0};
    const int32_t m = mpi_mesh_find_map(mesh, "cells_nodes"), s = mpi_mesh_find_set(mesh, "cells");
    const mpi_map *map = m >= 0 ? &mesh->maps[m] : NULL;
    if (!map || s < 0 || map->from != s || !mesh->sets[s].cell_type)
        return mplan_fail(err, MPLAN_ERR_ARGUMENT, "the mesh has no cells with known types");
    const int64_t n_cells = mpi_own_members(mesh, s);
    mplan_status status = n_cells < INT32_MAX
                              ? number_nodes(map, mpi_own_entries(mesh, map), cells, err)
                              : mplan_fail(err, MPLAN_ERR_UNSUPPORTED,
                                           "a rank has %lld cells; use more ranks",
                                           (long long)n_cells);
    cells->first = mesh->sets[s].first[mesh->rank];
    cells->numbers = map->values;
    cells->table = (mplan_cell_table){.nodes = {map->name, 0, 1, map->arity, n_cells,
                                                cells->n_nodes, map->offsets, cells->values},
                                      .type = mesh->sets[s].cell_type,
                                      .dimension = mesh->dimension};
    status = mpi_agree(mesh->comm, status, err);
    if (status)
        return status;
    find_stride(mesh, n_cells, mesh->sets[s].cell_type, &cells->table);
    mpi_links links = {0};
    status = mpi_links_make(mesh->comm, MPLAN_OK, mesh->sets[map->to].first, cells->n_nodes,
                            cells->node, &links, err);
    if (!status)
        status = find_shared(&mesh->sets[map->to], &links, cells, err);
    if (!status)
        status = place_in_space(mesh, &mesh->sets[map->to], &links, cells, err);
    mpi_links_free(&links);
    if (!status)
        status = check_cells(map, n_cells, cells, err);
    return mpi_agree(mesh->comm, status, err);
}
