/* SPDX-License-Identifier: Apache-2.0 */
/* validate.c - checks everything in a mesh that needs no derived map */
#include "meshplan.h"

#include "base/error.h"
#include "base/option_size.h"
#include "base/threads.h"
#include "mesh/mesh.h"
#include "mesh/mesh_checks.h"

enum { CELLS = 1 << 14 }; /* of a piece */

mplan_status mplan_fail_collapsed(int64_t cell, const mplan_cell_shape *shape, int32_t distinct,
                                  int64_t first, mplan_error *err)
{
    return mplan_fail(err, MPLAN_ERR_MESH,
                      "cell %lld (%s) is collapsed: it has only %d distinct corner%s, the first "
                      "is node %lld",
                      (long long)cell, shape->name, distinct, distinct == 1 ? "" : "s",
                      (long long)first);
}

/* A cell must have more distinct corners than its dimension. node: corners of the cell. */
mplan_status mplan_check_corners(int64_t cell, const mplan_cell_shape *shape, const int32_t *node,
                                 mplan_error *err)
{
    int32_t distinct = mplan_distinct_nodes(node, shape->n_corners);
    if (distinct > shape->dimension)
        return MPLAN_OK;
    return mplan_fail_collapsed(cell, shape, distinct, node[0], err);
}

/* Facets must be one dimension lower than the cells, and their nodes in range. */
mplan_status mplan_check_facets(const mplan_mesh_facets *facets, int32_t cell_dimension,
                                int64_t n_nodes, mplan_error *err)
{
    const int32_t *node = facets->nodes;
    for (int64_t i = 0; i < facets->n_facets; i++) {
        const mplan_cell_shape *shape = mplan_cell_shape_of((mplan_cell_type)facets->type[i]);
        if (!shape || shape->dimension > 2 ||
            (cell_dimension > 0 && shape->dimension != cell_dimension - 1))
            return mplan_fail(err, MPLAN_ERR_MESH,
                              "group '%s': facet %lld (%s) cannot be a face of cells of "
                              "dimension %d",
                              facets->name, (long long)i, shape ? shape->name : "of unknown type",
                              cell_dimension);
        for (int32_t k = 0; k < shape->n_nodes; k++)
            if (node[k] < 0 || node[k] >= n_nodes)
                return mplan_fail(err, MPLAN_ERR_MESH,
                                  "group '%s': facet %lld (%s): node %d is out of range [0, %lld)",
                                  facets->name, (long long)i, shape->name, node[k],
                                  (long long)n_nodes);
        node += shape->n_nodes;
    }
    return MPLAN_OK;
}

/* First node of a row that occurs before; NULL when all differ. */
static const int32_t *repeated_node(const int32_t *node, int32_t n)
{
    for (int32_t i = 1; i < n; i++)
        for (int32_t j = 0; j < i; j++)
            if (node[j] == node[i])
                return &node[i];
    return NULL;
}

/* Of cells [begin, end) the first with a node twice. */
static int64_t first_repeating(void *data, int thread, int64_t begin, int64_t end)
{
    const mplan_map *nodes = data;
    (void)thread;
    for (int64_t c = begin; c < end; c++) {
        int32_t n;
        const int32_t *node = mplan_map_row(nodes, c, &n);
        if (repeated_node(node, n))
            return c;
    }
    return INT64_MAX;
}

/* Types fit the rows of cells_nodes. Repeated nodes are counted and become one warning. */
static mplan_status check_typed_cells(const mplan_mesh *mesh, const mplan_context *context,
                                      mplan_error *err)
{
    int32_t index = mplan_mesh_find_map(mesh, "cells_nodes");
    if (index < 0)
        return mplan_fail(err, MPLAN_ERR_MESH, "the cells have types, but no map cells_nodes");
    mplan_map nodes = mplan_mesh_map(mesh, index);
    mplan_status status = mplan_check_cells(&nodes, mesh->cell_type, mplan_team_of(context), err);
    int64_t n_repeating = 0, first_cell = 0;
    int32_t first_node = 0;
    int64_t c = status ? 0
                       : mplan_for_least(mplan_team_of(context), nodes.n_rows, CELLS,
                                         first_repeating, &nodes, INT64_MAX);
    for (; !status && c < nodes.n_rows; c++) {
        int32_t n;
        const int32_t *node = mplan_map_row(&nodes, c, &n);
        const int32_t *repeated = repeated_node(node, n);
        if (!repeated)
            continue;
        if (n_repeating++ == 0) {
            first_cell = c;
            first_node = *repeated;
        }
        status = mplan_check_corners(c, mplan_cell_shape_of((mplan_cell_type)mesh->cell_type[c]),
                                     node, err);
    }
    if (!status && n_repeating > 0)
        mplan_warn(context,
                   "%s%s%lld cell%s repeat%s a node, the first is cell %lld (%s) with node %d; "
                   "degenerate faces are skipped",
                   MPLAN_SOURCE_OF(mesh), (long long)n_repeating, n_repeating == 1 ? "" : "s",
                   n_repeating == 1 ? "s" : "", (long long)first_cell,
                   mplan_cell_type_name((mplan_cell_type)mesh->cell_type[first_cell]), first_node);
    return status;
}

/* Facets that wait for their faces to be derived. */
static mplan_status check_all_facets(const mplan_mesh *mesh, mplan_error *err)
{
    int32_t nodes = mplan_mesh_find_set(mesh, "nodes");
    mplan_status status = MPLAN_OK;
    for (int32_t i = 0; !status && i < mesh->n_facet_groups; i++)
        status = mplan_check_facets(&mesh->facets[i], mesh->dimension,
                                    nodes < 0 ? 0 : mesh->sets[nodes].size, err);
    return status;
}

/* mplan_mesh_validate with a context that has a team. */
static mplan_status validate(const mplan_mesh *mesh, const mplan_context *context, mplan_error *err)
{
    mplan_team *team = mplan_team_of(context);
    mplan_status status = MPLAN_OK;
    for (int32_t i = 0; !status && i < mesh->n_maps; i++) {
        status = mplan_interrupted(context, err);
        mplan_map map = mplan_mesh_map(mesh, i);
        if (!status)
            status = mplan_check_map(&map, team, err);
    }
    for (int32_t i = 0; !status && i < mesh->n_sets; i++) {
        const mplan_mesh_set_data *set = &mesh->sets[i];
        if (set->coordinates)
            status = mplan_check_coordinates(set->name, set->size, set->dimension, set->coordinates,
                                             team, err);
    }
    for (int32_t i = 0; !status && i < mesh->n_groups; i++) {
        const mplan_mesh_group_data *group = &mesh->groups[i];
        const mplan_mesh_set_data *set = &mesh->sets[group->set];
        status = mplan_check_members(group->name, set->name, set->size, group->n_members,
                                     group->members, team, err);
    }
    if (!status && mesh->cell_type)
        status = check_typed_cells(mesh, context, err);
    if (!status && mesh->cell_type)
        status = check_all_facets(mesh, err);
    return status;
}

/* Reads every entry of every map, and every coordinate: what a caller that filled arrays in
 * place may have broken. */
mplan_status mplan_mesh_validate(const mplan_mesh *mesh, const mplan_context *context,
                                 mplan_error *err)
{
    MPLAN_NEED_CONTEXT(context);
    MPLAN_NEED(mesh);
    mplan_threaded threaded;
    mplan_status status = validate(mesh, mplan_threaded_open(context, &threaded), err);
    mplan_threaded_close(&threaded);
    return status;
}
