/* SPDX-License-Identifier: Apache-2.0 */
/* stencil_map.c - finds the neighbours of cells of grids
 *
 * cells_cells has the neighbour behind each local face. What lies across the edge (corner) of two faces is the neighbour's neighbour
 * that has the edge, too: from either face, should the other be a boundary. */
#include "apps/stencil_map.h"

#include <assert.h>
#include <stdlib.h>

#include "base/error.h"
#include "base/memory.h"
#include "mesh/cells.h"

enum { FACES_MOST = 6, PAIRS_MOST = 12 };

/* Local faces that a place behind those of the faces is across. */
static const uint8_t quad_pairs[4][2] = {{0, 3}, {0, 1}, {2, 1}, {2, 3}};
static const uint8_t hex_pairs[PAIRS_MOST][2] = {{3, 4}, {3, 1}, {2, 4}, {2, 1}, {4, 5}, {1, 5},
                                                 {4, 0}, {1, 0}, {3, 5}, {2, 5}, {3, 0}, {2, 0}};

/* A mesh whose cells are all alike. */
typedef struct stencil_walk {
    const mplan_cell_shape *shape;
    const int32_t *nodes; /* n_nodes of each cell */
    const int32_t *near;  /* n_faces of each cell; -1: none */
    int32_t n_shared[PAIRS_MOST];
    int32_t shared[PAIRS_MOST][FACES_MOST]; /* corners that both faces of a pair have */
} stencil_walk;

/* Whether local face h of a cell has these corners of another cell. */
static bool has_corners(const stencil_walk *walk, int32_t cell, int32_t h, const int32_t *corner,
                        int32_t n, int64_t of)
{
    const int32_t *own = walk->nodes + (int64_t)cell * walk->shape->n_nodes;
    const int32_t *other = walk->nodes + of * walk->shape->n_nodes;
    for (int32_t k = 0; k < n; k++) {
        bool found = false;
        for (int32_t i = 0; i < walk->shape->face_size[h]; i++)
            found = found || own[walk->shape->face[h][i]] == other[corner[k]];
        if (!found)
            return false;
    }
    return true;
}

/* What is across faces f and g of cell c, by way of f: behind the face of its neighbour that has their corners, and does not lead back.
 * -1: nothing. */
static int32_t behind(const stencil_walk *walk, int64_t c, int32_t pair, int32_t f)
{
    const int32_t n = walk->shape->n_faces, by = walk->near[c * n + f];
    for (int32_t h = 0; by >= 0 && h < n; h++) {
        const int32_t next = walk->near[(int64_t)by * n + h];
        if (next >= 0 && next != c &&
            has_corners(walk, by, h, walk->shared[pair], walk->n_shared[pair], c))
            return next;
    }
    return -1;
}

/* Row of cell c. */
static void fill_row(const stencil_walk *walk, const uint8_t (*pairs)[2], int32_t arity, int64_t c,
                     int32_t *row)
{
    const int32_t n = walk->shape->n_faces;
    for (int32_t f = 0; f < n; f++)
        row[f] = walk->near[c * n + f];
    for (int32_t k = n; k < arity; k++) {
        row[k] = behind(walk, c, k - n, pairs[k - n][0]);
        if (row[k] < 0)
            row[k] = behind(walk, c, k - n, pairs[k - n][1]);
    }
    for (int32_t k = 0; k < arity; k++)
        row[k] = row[k] < 0 ? (int32_t)c : row[k];
}

/* Corners that the faces of each pair share. */
static void find_shared(stencil_walk *walk, const uint8_t (*pairs)[2], int32_t n_pairs)
{
    const mplan_cell_shape *shape = walk->shape;
    for (int32_t p = 0; p < n_pairs; p++)
        for (int32_t i = 0; i < shape->face_size[pairs[p][0]]; i++)
            for (int32_t k = 0; k < shape->face_size[pairs[p][1]]; k++)
                if (shape->face[pairs[p][0]][i] == shape->face[pairs[p][1]][k])
                    walk->shared[p][walk->n_shared[p]++] = shape->face[pairs[p][0]][i];
}

/* Rows of arity places: neighbours across the faces of the cell, in the order of its faces, then across the pairs.
 * Where nothing is behind, the row has the cell itself, so that loops need no test. O(cells x arity). */
mplan_status mplan_app_add_stencil(mplan_mesh *mesh, const char *name, int32_t arity,
                                   const mplan_context *context, mplan_error *err)
{
    assert(mesh && name && mplan_mesh_find_map(mesh, name) < 0);
    mplan_status status = mplan_mesh_derive(mesh, "cells_cells", context, err);
    if (status)
        return status;
    const mplan_map nodes = mplan_mesh_map(mesh, mplan_mesh_find_map(mesh, "cells_nodes"));
    const mplan_map near = mplan_mesh_map(mesh, mplan_mesh_find_map(mesh, "cells_cells"));
    const bool quads = mplan_mesh_dimension(mesh) == 2;
    stencil_walk walk = {mplan_cell_shape_of(quads ? MPLAN_CELL_QUAD4 : MPLAN_CELL_HEX8),
                         nodes.values,
                         near.values,
                         {0},
                         {{0}}};
    const uint8_t(*pairs)[2] = quads ? quad_pairs : hex_pairs;
    if (near.n_rows > 0 && (near.arity != walk.shape->n_faces || nodes.arity != walk.shape->n_nodes))
        return mplan_fail(err, MPLAN_ERR_ARGUMENT,
                          "cells_cells must have the neighbour behind each face");
    int32_t *rows = mplan_alloc(nodes.n_rows * arity, sizeof *rows, err);
    if (!rows)
        return MPLAN_ERR_MEMORY;
    find_shared(&walk, pairs, arity - walk.shape->n_faces);
    for (int64_t c = 0; c < nodes.n_rows && !status; c++) {
        fill_row(&walk, pairs, arity, c, rows + c * arity);
        if (c % (1 << 20) == 0)
            status = mplan_interrupted(context, err);
    }
    if (!status)
        status = mplan_mesh_add_map(mesh, name, nodes.from, nodes.from, arity, NULL, rows, NULL, err);
    free(rows);
    return status;
}
