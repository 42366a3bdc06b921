/* SPDX-License-Identifier: Apache-2.0 */
/* with_faces.c - the faces of a mesh for writers, which may not change it */
#include "formats/with_faces.h"

#include "base/error.h"
#include "mesh/mesh.h"

/* Whether both sets are there. */
static bool has_faces(const mplan_mesh *mesh)
{
    static const char *const names[] = {"faces_nodes", "faces_cells", "boundary_faces_nodes",
                                        "boundary_faces_cells"};
    bool there = true;
    for (int32_t i = 0; i < 4; i++)
        there = there && mplan_mesh_find_map(mesh, names[i]) >= 0;
    return there;
}

/* *copy is a mesh with the cells, facets and derived faces only, for the caller to free; NULL
 * where `mesh` has faces already. kind begins the sentence of an error: what is to be written. */
mplan_status mplan_with_faces(const mplan_mesh *mesh, const char *kind, mplan_mesh **copy,
                              const mplan_context *context, mplan_error *err)
{
    int32_t map = mplan_mesh_find_map(mesh, "cells_nodes");
    *copy = NULL;
    if (has_faces(mesh))
        return MPLAN_OK;
    if (map < 0 || !mplan_mesh_cell_types(mesh))
        return mplan_fail(err, MPLAN_ERR_ARGUMENT,
                          "%s needs types of cells, or faces, which this mesh does not have", kind);
    mplan_map cells = mplan_mesh_map(mesh, map);
    mplan_status status = mplan_mesh_create(copy, err);
    if (!status)
        status = mplan_mesh_add_cells(*copy, cells.n_points, cells.n_rows,
                                      mplan_mesh_cell_types(mesh), cells.values, err);
    for (int32_t f = 0; f < mesh->n_facet_groups && !status; f++)
        status = mplan_mesh_add_facets(*copy, mesh->facets[f].name, mesh->facets[f].id,
                                       mesh->facets[f].n_facets, mesh->facets[f].type,
                                       mesh->facets[f].nodes, err);
    if (!status)
        status = mplan_mesh_derive(*copy, "faces", context, err);
    return status ? status : mplan_mesh_derive(*copy, "boundary_faces", context, err);
}
