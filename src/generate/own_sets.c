/* SPDX-License-Identifier: Apache-2.0 */
/* own_sets.c - sets of faces and edges that a mesh brings, before it is refined
 *
 * Children have faces and edges of their own, which are derived when they are asked for; a set
 * of the mesh can be left out where it says nothing else: each member is a face or an edge,
 * by its nodes, of every cell that a map joins it to, or of some cell where no map does. That
 * does not hold at cuts, whose nodes exist on both of their sides, nor in periodic meshes. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "generate/own_sets.h"

/* One set while it is looked at. */
typedef struct own_set {
    const mplan_mesh *mesh;
    const mplan_midpoints *middle; /* of the mesh's cells */
    const char *name;
    int32_t set;
    mplan_map nodes; /* of its members */
    uint8_t *seen;   /* 1 a member: some map joins it to a cell */
} own_set;

/* Nodes of row i without its -1 entries; 0 when there are more than 4. */
static int32_t row_nodes(const mplan_map *map, int64_t i, int32_t node[4])
{
    int32_t n, kept = 0;
    const int32_t *row = mplan_map_row(map, i, &n);
    for (int32_t k = 0; k < n; k++) {
        if (row[k] < 0)
            continue;
        if (kept == 4)
            return 0;
        node[kept++] = row[k];
    }
    return kept;
}

/* How many of the n places of a cell have a node of the m ones. */
static int32_t n_common(const int32_t *cell, const int8_t *place, int32_t n, const int32_t *node,
                        int32_t m)
{
    int32_t common = 0;
    for (int32_t i = 0; i < n; i++)
        for (int32_t k = 0; k < m; k++)
            common += cell[place[i]] == node[k];
    return common;
}

/* Whether n distinct nodes are those of an edge (2) or of a face (3 and 4) of a cell. */
static bool cell_has(const own_set *own, int64_t cell, const int32_t *node, int32_t n)
{
    int32_t n_nodes;
    const int32_t *at = mplan_map_row(&own->middle->cells, cell, &n_nodes);
    const mplan_cell_shape *shape = mplan_cell_shape_of((mplan_cell_type)own->middle->type[cell]);
    for (int32_t e = 0; n == 2 && e < shape->n_edges; e++)
        if (n_common(at, shape->edge[e], 2, node, n) == n)
            return true;
    for (int32_t f = 0; n > 2 && f < shape->n_faces; f++)
        if (shape->face_size[f] == n && n_common(at, shape->face[f], n, node, n) == n)
            return true;
    return false;
}

/* Whether all edges of a polygon of n nodes are some cell's, and the middle of a quadrilateral. */
static bool some_cell_has(const own_set *own, const int32_t *node, int32_t n)
{
    for (int32_t k = 0; k < (n == 2 ? 1 : n); k++)
        if (mplan_midpoint_of_edge(own->middle, node[k], node[(k + 1) % n]) < 0)
            return false;
    return n < 4 || mplan_midpoint_of_face(own->middle, node) >= 0;
}

/* Member i against one of its cells; other: one more of them, or -1. */
static mplan_status check_pair(const own_set *own, int64_t i, int32_t cell, int32_t other,
                               mplan_error *err)
{
    int32_t node[4], n = row_nodes(&own->nodes, i, node);
    own->seen[i] = 1;
    if (n >= 2 && mplan_distinct_nodes(node, n) == n && cell_has(own, cell, node, n))
        return MPLAN_OK;
    char also[32] = "";
    if (other >= 0)
        snprintf(also, sizeof also, " and %d", (int)other);
    return mplan_fail(err, MPLAN_ERR_UNSUPPORTED,
                      "member %lld of %s joins cell%s %d%s, but cell %d has no face or edge of "
                      "its nodes, as at cuts and in periodic meshes: this mesh cannot be refined",
                      (long long)i, own->name, other >= 0 ? "s" : "", (int)cell, also, (int)cell);
}

/* Rows of a map from the set to cells. */
static mplan_status check_cells_of(const own_set *own, const mplan_map *map, mplan_error *err)
{
    mplan_status status = MPLAN_OK;
    for (int64_t i = 0; i < map->n_rows && !status; i++) {
        int32_t n;
        const int32_t *cell = mplan_map_row(map, i, &n);
        for (int32_t k = 0; k < n && !status; k++) {
            int32_t other = -1;
            for (int32_t j = 0; j < n; j++)
                if (j != k && cell[j] >= 0)
                    other = cell[j];
            if (cell[k] >= 0)
                status = check_pair(own, i, cell[k], other, err);
        }
    }
    return status;
}

/* Rows of a map from cells to the set. */
static mplan_status check_rows_of_cells(const own_set *own, const mplan_map *map, mplan_error *err)
{
    mplan_status status = MPLAN_OK;
    for (int64_t c = 0; c < map->n_rows && !status; c++) {
        int32_t n;
        const int32_t *member = mplan_map_row(map, c, &n);
        for (int32_t k = 0; k < n && !status; k++)
            if (member[k] >= 0)
                status = check_pair(own, member[k], (int32_t)c, -1, err);
    }
    return status;
}

/* Members that no map joins to a cell. */
static mplan_status check_rest(const own_set *own, mplan_error *err)
{
    for (int64_t i = 0; i < own->nodes.n_rows; i++) {
        if (own->seen[i])
            continue;
        int32_t node[4], n = row_nodes(&own->nodes, i, node);
        if (n < 2 || mplan_distinct_nodes(node, n) != n || !some_cell_has(own, node, n))
            return mplan_fail(err, MPLAN_ERR_UNSUPPORTED,
                              "member %lld of %s is not a face or edge of a cell: a mesh with such a set "
                              "cannot be refined",
                              (long long)i, own->name);
    }
    return MPLAN_OK;
}

/* One set by all maps that join it to cells. */
static mplan_status check_set(own_set *own, mplan_error *err)
{
    const mplan_mesh *mesh = own->mesh;
    int32_t cells = mplan_mesh_find_set(mesh, "cells");
    mplan_status status = MPLAN_OK;
    for (int32_t m = 0; m < mesh->n_maps && !status; m++) {
        mplan_map map = mplan_mesh_map(mesh, m);
        if (mesh->maps[m].from == own->set && mesh->maps[m].to == cells)
            status = check_cells_of(own, &map, err);
        else if (mesh->maps[m].from == cells && mesh->maps[m].to == own->set)
            status = check_rows_of_cells(own, &map, err);
    }
    return !status ? check_rest(own, err) : status;
}

/* Cells that a map of the mesh's own joins have a node in common. */
static mplan_status check_neighbours(const mplan_midpoints *middle, const char *name,
                                     const mplan_map *map, mplan_error *err)
{
    static const int8_t all[8] = {0, 1, 2, 3, 4, 5, 6, 7};
    for (int64_t c = 0; c < map->n_rows; c++) {
        int32_t n, n_nodes, n_others;
        const int32_t *row = mplan_map_row(map, c, &n);
        const int32_t *node = mplan_map_row(&middle->cells, c, &n_nodes);
        for (int32_t k = 0; k < n; k++) {
            if (row[k] < 0)
                continue;
            const int32_t *others = mplan_map_row(&middle->cells, row[k], &n_others);
            if (n_common(node, all, n_nodes, others, n_others) == 0)
                return mplan_fail(err, MPLAN_ERR_UNSUPPORTED,
                                  "%s joins cells %lld and %d, which have no node in common, as "
                                  "at cuts and in periodic meshes: this mesh cannot be refined",
                                  name, (long long)c, (int)row[k]);
        }
    }
    return MPLAN_OK;
}

int32_t mplan_own_set_nodes(const mplan_mesh *mesh, int32_t set)
{
    int32_t nodes = mplan_mesh_find_set(mesh, "nodes");
    for (int32_t m = 0; m < mesh->n_maps; m++)
        if (mesh->maps[m].from == set && mesh->maps[m].to == nodes)
            return m;
    return -1;
}

bool mplan_is_own_set(const mplan_mesh *mesh, int32_t set)
{
    const char *name = mesh->sets[set].name;
    return !mesh->sets[set].derived && strcmp(name, "nodes") != 0 && strcmp(name, "cells") != 0;
}

/* Before a mesh is refined: maps from cells to cells must lead to cells that share a node, and
 * elements of sets of the mesh's own (edges, faces with data) must be edges or faces of cells;
 * own.seen has a mark per element. Such sets are left out of the refined mesh, with a warning. */
mplan_status mplan_own_sets_check(const mplan_mesh *mesh, const mplan_context *context,
                                  mplan_error *err)
{
    mplan_midpoints middle = {0};
    int32_t cells = mplan_mesh_find_set(mesh, "cells");
    mplan_status status = mplan_midpoints_make(mesh, context, &middle, err);
    for (int32_t m = 0; m < mesh->n_maps && !status; m++) {
        mplan_map map = mplan_mesh_map(mesh, m);
        if (mesh->maps[m].from == cells && mesh->maps[m].to == cells && !mesh->maps[m].derived)
            status = check_neighbours(&middle, mesh->maps[m].name, &map, err);
    }
    for (int32_t s = 0; s < mesh->n_sets && !status; s++) {
        if (!mplan_is_own_set(mesh, s))
            continue;
        own_set own = {.mesh = mesh, .middle = &middle, .name = mesh->sets[s].name, .set = s};
        own.nodes = mplan_mesh_map(mesh, mplan_own_set_nodes(mesh, s));
        own.seen = mplan_alloc_zero(own.nodes.n_rows, 1, err);
        status = own.seen ? check_set(&own, err) : MPLAN_ERR_MEMORY;
        free(own.seen);
        if (!status)
            mplan_warn(context, "%s of the mesh are not refined: the refined mesh derives its own",
                       own.name);
    }
    mplan_midpoints_free(&middle);
    return status;
}
