/* SPDX-License-Identifier: Apache-2.0 */
/* derive_table.c - the typed cells of a mesh, as derivations read them */
#include <string.h>

#include "base/error.h"
#include "mesh/derive.h"

/* -1 for a set that is not there, or that the file brought. */
int32_t mplan_derived_set(const mplan_mesh *mesh, const char *name)
{
    int32_t set = mplan_mesh_find_set(mesh, name);
    return set >= 0 && mesh->sets[set].derived ? set : -1;
}

/* True when all nodes, or at least all that cells use, have the same z. */
static bool equal_heights(const mplan_map *nodes, const double *xyz)
{
    int64_t v = 1;
    while (v < nodes->n_points && xyz[3 * v + 2] == xyz[2])
        v++;
    if (v >= nodes->n_points)
        return true;
    int64_t n = mplan_map_entries(nodes);
    for (int64_t i = 1; i < n; i++)
        if (xyz[3 * (int64_t)nodes->values[i] + 2] != xyz[3 * (int64_t)nodes->values[0] + 2])
            return false;
    return true;
}

/* Whether coordinates orient the cells, and whether they lie in a space of
 * their own dimension, where a face has two sides. Plane cells without
 * coordinates are taken for a planar mesh; a net of lines is none. */
static void place_in_space(const mplan_mesh *mesh, mplan_cell_table *cells)
{
    int32_t dimension;
    const double *xyz = mplan_mesh_coordinates(mesh, cells->nodes.to, &dimension);
    cells->manifold = cells->dimension > 1;
    if (!xyz || cells->dimension < 2)
        return;
    bool same = dimension == cells->dimension;
    if (cells->dimension == 2 && dimension == 3)
        cells->manifold = same = equal_heights(&cells->nodes, xyz);
    if (same) {
        cells->coordinates = xyz;
        cells->coordinate_stride = dimension;
    }
}

/* Views of the mesh's cells, valid while the mesh is unchanged. stride: slots per cell
 * for local faces, the most that any cell type of the mesh has. */
mplan_status mplan_cell_table_of(const mplan_mesh *mesh, mplan_cell_table *cells, mplan_error *err)
{
    int32_t map = mplan_mesh_find_map(mesh, "cells_nodes");
    if (!mesh->cell_type || map < 0)
        return mplan_fail(err, MPLAN_ERR_ARGUMENT, "the mesh has no cells with known types");
    memset(cells, 0, sizeof *cells);
    cells->nodes = mplan_mesh_map(mesh, map);
    cells->type = mesh->cell_type;
    cells->dimension = mesh->dimension;
    bool seen[MPLAN_N_CELL_TYPES] = {false};
    for (int64_t c = 0; c < cells->nodes.n_rows; c++)
        seen[cells->type[c]] = true;
    cells->equal_rows = cells->nodes.n_rows > 0;
    for (int t = 0; t < MPLAN_N_CELL_TYPES; t++) {
        if (!seen[t])
            continue;
        const mplan_cell_shape *shape = mplan_cell_shape_of((mplan_cell_type)t);
        if (cells->stride > 0 && shape->n_faces != cells->stride)
            cells->equal_rows = false;
        if (shape->n_faces > cells->stride)
            cells->stride = shape->n_faces;
        for (int32_t f = 0; f < shape->n_faces; f++)
            if (shape->face_size[f] > cells->face_size)
                cells->face_size = shape->face_size[f];
    }
    place_in_space(mesh, cells);
    return MPLAN_OK;
}
