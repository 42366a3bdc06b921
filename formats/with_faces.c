/* SPDX-License-Identifier: Apache-2.0 */
/* with_faces.c - the faces of a mesh for writers, which may not change it */
#include "formats/with_faces.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "mesh/derive.h"
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

/* The members of a group of derived boundary faces, as facets. */
static mplan_status copy_group(const mplan_mesh *mesh, const mplan_group *group, mplan_mesh *copy,
                               mplan_error *err)
{
    static const uint8_t type_of_size[] = {MPLAN_CELL_POINT, MPLAN_CELL_POINT, MPLAN_CELL_LINE2,
                                           MPLAN_CELL_TRI3, MPLAN_CELL_QUAD4};
    enum { MOST = sizeof type_of_size - 1 };
    const mplan_map faces = mplan_mesh_map(mesh, mplan_mesh_find_map(mesh, "boundary_faces_nodes"));
    uint8_t *type = mplan_alloc(group->n_members, sizeof *type, err);
    int32_t *nodes = type ? mplan_alloc(group->n_members, MOST * sizeof *nodes, err) : NULL;
    mplan_status status = nodes ? MPLAN_OK : MPLAN_ERR_MEMORY;
    int64_t used = 0;
    for (int64_t i = 0; i < group->n_members && !status; i++) {
        int32_t n;
        const int32_t *row = mplan_map_row(&faces, group->members[i], &n);
        assert(n >= 1 && n <= MOST);
        type[i] = type_of_size[n];
        memcpy(nodes + used, row, (size_t)n * sizeof *nodes);
        used += n;
    }
    if (!status)
        status = mplan_mesh_add_facets(copy, group->name, group->id, group->n_members, type, nodes,
                                       err);
    free(type);
    free(nodes);
    return status;
}

mplan_status mplan_copy_facets(const mplan_mesh *mesh, mplan_mesh *copy, mplan_error *err)
{
    assert(mesh && copy);
    const int32_t boundary = mplan_derived_set(mesh, "boundary_faces");
    mplan_status status = MPLAN_OK;
    for (int32_t f = 0; f < mesh->n_facet_groups && !status; f++)
        status = mplan_mesh_add_facets(copy, mesh->facets[f].name, mesh->facets[f].id,
                                       mesh->facets[f].n_facets, mesh->facets[f].type,
                                       mesh->facets[f].nodes, err);
    for (int32_t g = 0; g < mesh->n_groups && boundary >= 0 && !status; g++) {
        const mplan_group group = mplan_mesh_group(mesh, g);
        if (group.set == boundary)
            status = copy_group(mesh, &group, copy, err);
    }
    return status;
}

mplan_status mplan_copy_surface(const mplan_mesh *mesh, mplan_mesh *copy, mplan_error *err)
{
    int32_t dimension;
    const double *xyz = mplan_mesh_coordinates(mesh, mplan_mesh_find_set(mesh, "nodes"), &dimension);
    if (!xyz || dimension != 3 || mplan_mesh_dimension(mesh) != 2)
        return MPLAN_OK;
    return mplan_mesh_set_coordinates(copy, mplan_mesh_find_set(copy, "nodes"), dimension, xyz, err);
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
        status = mplan_mesh_set_source(*copy, mesh->source, err);
    if (!status)
        status = mplan_mesh_add_cells(*copy, cells.n_points, cells.n_rows,
                                      mplan_mesh_cell_types(mesh), cells.values, err);
    if (!status)
        status = mplan_copy_facets(mesh, *copy, err);
    if (!status)
        status = mplan_copy_surface(mesh, *copy, err);
    if (!status)
        status = mplan_mesh_derive(*copy, "faces", context, err);
    return status ? status : mplan_mesh_derive(*copy, "boundary_faces", context, err);
}
