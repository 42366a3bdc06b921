/* SPDX-License-Identifier: Apache-2.0 */
/* foam_cells.c - cells of OpenFOAM's meshes from the faces that they have
 *
 * A face's normal leaves its owner and enters its neighbour. */
#include <stdlib.h>
#include <string.h>

#include "base/buckets.h"
#include "base/error.h"
#include "base/memory.h"
#include "formats/foam/foam_parts.h"
#include "formats/polyhedra.h"
#include "mesh/mesh.h"

enum { PAUSE = 1 << 16 };

/* The faces of each cell, ascending; entry f: as owner, ~f: as neighbour.
 * offsets: n_cells + 2 entries, of which the last serves while faces are dealt out; faces: n_faces + n_inner. */
typedef struct cell_faces {
    int64_t *offsets;
    int32_t *faces;
} cell_faces;

/* No solid has fewer than four faces. */
static mplan_status check_sizes(const mplan_foam_mesh *foam, const char *path, const cell_faces *of,
                                mplan_error *err)
{
    for (int64_t c = 0; c < foam->n_cells; c++)
        if (of->offsets[c + 1] - of->offsets[c] < 4)
            return mplan_fail(err, MPLAN_ERR_MESH, "%s: cell %lld has %lld faces", path,
                              (long long)c, (long long)(of->offsets[c + 1] - of->offsets[c]));
    return MPLAN_OK;
}

/* of: the faces of each cell, by counting; offsets has n_cells + 2 entries while
 * they are dealt out. */
static mplan_status deal_faces(const mplan_foam_mesh *foam, const char *path, cell_faces *of,
                               mplan_error *err)
{
    int64_t n = foam->n_cells;
    of->offsets = mplan_alloc_zero(n + 2, sizeof *of->offsets, err);
    of->faces = of->offsets ? mplan_alloc(foam->n_faces + foam->n_inner, sizeof *of->faces, err)
                            : NULL;
    if (!of->faces)
        return MPLAN_ERR_MEMORY;
    int64_t *next = of->offsets + 1; /* while faces are dealt out, the place of cell c's next one */
    for (int64_t f = 0; f < foam->n_faces; f++)
        next[foam->owner[f] + 1]++;
    for (int64_t f = 0; f < foam->n_inner; f++)
        next[foam->neighbour[f] + 1]++;
    mplan_sum_counts(next, n);
    for (int64_t f = 0; f < foam->n_faces; f++) {
        of->faces[next[foam->owner[f]]++] = (int32_t)f;
        if (f < foam->n_inner)
            of->faces[next[foam->neighbour[f]]++] = ~(int32_t)f;
    }
    return check_sizes(foam, path, of, err);
}

/* entry: a face, or ~face where the cell is its neighbour and sees it from the other side. Sizes
 * of faces fit 32 bits. */
static mplan_cell_face face_of(const mplan_foam_mesh *foam, int32_t entry)
{
    int32_t f = entry < 0 ? ~entry : entry;
    int64_t first = foam->offsets[f];
    return (mplan_cell_face){foam->nodes + first, (int32_t)(foam->offsets[f + 1] - first), entry < 0};
}

/* --- cells with types ------------------------------------------------------------------ */

/* The nodes of a cell with these many faces and, in all, corners of faces; 0: of no type.
 * The counts only say which type it could be; mplan_cell_of_faces decides. */
static int64_t nodes_of_type(const mplan_foam_mesh *foam, const cell_faces *of, int64_t c)
{
    int64_t n = of->offsets[c + 1] - of->offsets[c], corners = 0;
    for (int64_t i = of->offsets[c]; i < of->offsets[c + 1] && n <= MPLAN_MOST_TYPED_FACES; i++) {
        int32_t f = of->faces[i] < 0 ? ~of->faces[i] : of->faces[i];
        corners += foam->offsets[f + 1] - foam->offsets[f];
    }
    return n == 4 && corners == 12   ? 4
           : n == 5 && corners == 16 ? 5
           : n == 5 && corners == 18 ? 6
           : n == 6 && corners == 24 ? 8
                                     : 0;
}

/* Types and nodes of all cells. *all: every cell has one; else nothing is made.
 * *types: n_cells; *nodes: those of cell after cell, as many as its type has; both are the caller's. */
static mplan_status type_cells(const mplan_foam_mesh *foam, const cell_faces *of, uint8_t **types,
                               int32_t **nodes, bool *all, const mplan_context *context,
                               mplan_error *err)
{
    int64_t total = 0;
    *all = true;
    for (int64_t c = 0; c < foam->n_cells && *all; c++) {
        int64_t n = nodes_of_type(foam, of, c);
        total += n;
        *all = n > 0;
    }
    if (!*all)
        return MPLAN_OK;
    uint8_t *made_types = mplan_alloc(foam->n_cells, sizeof *made_types, err);
    int32_t *made_nodes = made_types ? mplan_alloc(total, sizeof *made_nodes, err) : NULL;
    mplan_status status = made_nodes ? MPLAN_OK : MPLAN_ERR_MEMORY;
    int64_t at = 0;
    for (int64_t c = 0; c < foam->n_cells && *all && !status; c++) {
        mplan_cell_face faces[MPLAN_MOST_TYPED_FACES];
        mplan_cell_type type;
        int32_t row[MPLAN_MOST_TYPED_NODES], n = (int32_t)(of->offsets[c + 1] - of->offsets[c]);
        for (int32_t k = 0; k < n; k++)
            faces[k] = face_of(foam, of->faces[of->offsets[c] + k]);
        *all = mplan_cell_of_faces(n, faces, &type, row);
        if (*all) {
            int32_t size = mplan_cell_type_nodes(type);
            memcpy(made_nodes + at, row, (size_t)size * sizeof *row);
            made_types[c] = (uint8_t)type;
            at += size;
        }
        if (c % PAUSE == 0)
            status = mplan_interrupted(context, err);
    }
    if (status || !*all) {
        free(made_types);
        free(made_nodes);
        return status;
    }
    *types = made_types;
    *nodes = made_nodes;
    return MPLAN_OK;
}

/* --- polyhedra -------------------------------------------------------------------------- */

/* The nodes of a cell, each once; with nodes NULL they are counted. last[p]: the last cell with point p.
 * It has n_points entries, -1 before the first cell. nodes: room for as many as an earlier call counted. */
static int64_t row_of_cell(const mplan_foam_mesh *foam, const cell_faces *of, int64_t c,
                           int32_t *last, int32_t *nodes)
{
    int64_t n = 0;
    for (int64_t i = of->offsets[c]; i < of->offsets[c + 1]; i++) {
        mplan_cell_face face = face_of(foam, of->faces[i]);
        for (int32_t k = 0; k < face.n; k++) {
            int32_t point = face.nodes[k];
            if (last[point] == (int32_t)c)
                continue;
            last[point] = (int32_t)c;
            if (nodes)
                nodes[n] = point;
            n++;
        }
    }
    return n;
}

/* Ragged rows of nodes: each node of a cell once, in the order of its faces.
 * last[p]: the cell that noted node p last.
 * The first pass over the cells counts, which makes offsets; the second fills. last is cleared between them. */
static mplan_status add_polyhedra(const mplan_foam_mesh *foam, const cell_faces *of,
                                  mplan_mesh *mesh, const mplan_context *context, mplan_error *err)
{
    int32_t cells, points;
    int32_t *last = mplan_alloc(foam->n_points, sizeof *last, err), *nodes = NULL;
    int64_t *offsets = last ? mplan_alloc(foam->n_cells + 1, sizeof *offsets, err) : NULL;
    mplan_status status = offsets ? MPLAN_OK : MPLAN_ERR_MEMORY;
    for (int32_t pass = 0; pass < 2 && !status; pass++) {
        memset(last, 0xff, (size_t)foam->n_points * sizeof *last);
        offsets[0] = 0;
        for (int64_t c = 0; c < foam->n_cells && !status; c++) {
            offsets[c + 1] = offsets[c] +
                             row_of_cell(foam, of, c, last, nodes ? nodes + offsets[c] : NULL);
            if (c % PAUSE == 0)
                status = mplan_interrupted(context, err);
        }
        if (!status && pass == 0 && !(nodes = mplan_alloc(offsets[foam->n_cells], sizeof *nodes, err)))
            status = MPLAN_ERR_MEMORY;
    }
    free(last);
    if (!status)
        status = mplan_mesh_add_set(mesh, "nodes", foam->n_points, &points, err);
    if (!status)
        status = mplan_mesh_add_set(mesh, "cells", foam->n_cells, &cells, err);
    if (!status)
        return mplan_mesh_take_map(mesh, "cells_nodes", cells, points, 0, offsets, nodes, NULL, err);
    free(offsets);
    free(nodes);
    return status;
}

/* Cells have types where all of them are tets, hexes, prisms or pyramids, else
 * only rows of nodes. */
mplan_status mplan_foam_add_cells(const mplan_foam_mesh *foam, const char *path, mplan_mesh *mesh,
                                  const mplan_context *context, mplan_error *err)
{
    cell_faces of = {NULL, NULL};
    uint8_t *types = NULL;
    int32_t *nodes = NULL;
    bool all = false;
    mplan_status status = deal_faces(foam, path, &of, err);
    if (!status)
        status = type_cells(foam, &of, &types, &nodes, &all, context, err);
    if (!status && !all)
        status = add_polyhedra(foam, &of, mesh, context, err);
    free(of.offsets);
    free(of.faces);
    if (!status && all)
        status = mplan_mesh_take_cells(mesh, foam->n_points, foam->n_cells, types, nodes, err);
    return status;
}
