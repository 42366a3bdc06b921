/* SPDX-License-Identifier: Apache-2.0 */
/* vtk_polyhedra.c - VTK's polyhedra and polygons as cells with faces of their own */
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "formats/polyhedra.h"
#include "formats/vtk/vtk.h"
#include "mesh/mesh.h"

#define PAUSE_MASK ((INT64_C(1) << 16) - 1)

/* At least four faces of at least three points, all within the stream, which has no number more;
 * points in range. */
mplan_status mplan_vtk_check_polyhedron(const char *path, const mplan_vtk_cells *cells, int64_t c,
                                        mplan_error *err)
{
    int64_t length, at = 1;
    const int32_t *stream = mplan_vtk_faces(cells, c, &length);
    int64_t n_faces = length > 0 ? stream[0] : 0;
    if (n_faces < 4)
        return mplan_fail(err, MPLAN_ERR_MESH, "%s: cell %lld, a polyhedron, has %lld faces", path,
                          (long long)c, (long long)n_faces);
    for (int64_t f = 0; f < n_faces; f++) {
        int64_t n = at < length ? stream[at++] : 0;
        if (n < 3 || n > length - at)
            return mplan_fail(err, MPLAN_ERR_MESH,
                              "%s: face %lld of cell %lld has %lld points, but only %lld "
                              "numbers are left",
                              path, (long long)f, (long long)c, (long long)n,
                              (long long)(length - at));
        for (int64_t last = at + n; at < last; at++)
            if (stream[at] < 0 || stream[at] >= cells->n_points)
                return mplan_fail(err, MPLAN_ERR_MESH,
                                  "%s: face %lld of cell %lld has point %d, which is not in [0, %lld)",
                                  path, (long long)f, (long long)c, stream[at],
                                  (long long)cells->n_points);
    }
    if (at != length)
        return mplan_fail(err, MPLAN_ERR_MESH,
                          "%s: the faces of cell %lld are %lld numbers, not %lld", path,
                          (long long)c, (long long)at, (long long)length);
    return MPLAN_OK;
}

/* --- polyhedra that have a type ------------------------------------------------ */

/* stream: number of faces, then size and points of each, checked before. False for general
 * polyhedra. nodes: room for MPLAN_MOST_TYPED_NODES. */
static bool type_of_stream(const int32_t *stream, mplan_cell_type *type, int32_t *nodes)
{
    mplan_cell_face faces[MPLAN_MOST_TYPED_FACES];
    if (stream[0] > MPLAN_MOST_TYPED_FACES)
        return false;
    const int32_t *at = stream + 1;
    for (int32_t f = 0; f < stream[0]; f++) {
        faces[f] = (mplan_cell_face){at + 1, *at, false};
        at += 1 + *at;
    }
    return mplan_cell_of_faces(stream[0], faces, type, nodes);
}

/* VTK's codes of the four solids that mplan_cell_of_faces finds. */
static uint8_t code_of_type(mplan_cell_type type)
{
    return type == MPLAN_CELL_TET4       ? 10
           : type == MPLAN_CELL_PYRAMID5 ? 14
           : type == MPLAN_CELL_PRISM6   ? 13
                                         : 12;
}

/* Whether every polyhedron is a tet, hex, prism or pyramid. */
static bool all_have_types(const mplan_vtk_cells *cells)
{
    mplan_cell_type type;
    int32_t nodes[MPLAN_MOST_TYPED_NODES];
    int64_t length;
    for (int64_t c = 0; c < cells->n_cells; c++) {
        int64_t n = cells->offsets[c + 1] - cells->offsets[c];
        if (cells->types[c] != MPLAN_VTK_POLYHEDRON) {
            if (!mplan_vtk_shape(cells->types[c], n, &type, NULL))
                return false;
            continue;
        }
        if (!type_of_stream(mplan_vtk_faces(cells, c, &length), &type, nodes) ||
            n < mplan_cell_type_nodes(type))
            return false; /* a row too short for the nodes is not followed up: it stays a polyhedron */
    }
    return true;
}

/* Then they are written as such, in place: the nodes are never more than the
 * points listed. */
bool mplan_vtk_type_polyhedra(mplan_vtk_cells *cells)
{
    if (!all_have_types(cells))
        return false;
    int64_t at = 0;
    for (int64_t c = 0; c < cells->n_cells; c++) {
        int64_t first = cells->offsets[c], n = cells->offsets[c + 1] - first, length;
        mplan_cell_type type;
        int32_t nodes[MPLAN_MOST_TYPED_NODES];
        if (cells->types[c] == MPLAN_VTK_POLYHEDRON &&
            type_of_stream(mplan_vtk_faces(cells, c, &length), &type, nodes)) {
            n = mplan_cell_type_nodes(type);
            memcpy(cells->points + at, nodes, (size_t)n * sizeof *nodes);
            cells->types[c] = code_of_type(type);
        } else {
            memmove(cells->points + at, cells->points + first, (size_t)n * sizeof *cells->points);
        }
        cells->offsets[c] = at;
        at += n;
    }
    cells->offsets[cells->n_cells] = at;
    return true;
}

/* --- half faces ------------------------------------------------------------------- */

/* Half faces of all cells: counted first, then stored. */
typedef struct collecting {
    mplan_half_faces halves;
    int64_t n_halves, n_nodes; /* so far; with only `count` nothing is stored */
    bool count;
    int64_t dropped; /* faces without extent */
} collecting;

/* A face: nodes that follow one another must differ; what is left of a face may be none. In the
 * plane faces are edges of two nodes, n == 2. */
static void add_half(collecting *list, const int32_t *nodes, int64_t n)
{
    int64_t kept = 0;
    for (int64_t i = 0; i < n; i++)
        kept += n == 2 || nodes[i] != nodes[i + 1 < n ? i + 1 : 0];
    if (kept < list->halves.dimension || (n == 2 && nodes[0] == nodes[1])) {
        list->dropped++;
        return;
    }
    for (int64_t i = 0, at = list->n_nodes; i < n && !list->count; i++)
        if (n == 2 || nodes[i] != nodes[i + 1 < n ? i + 1 : 0])
            list->halves.nodes[at++] = nodes[i];
    list->n_nodes += kept;
    list->n_halves++;
    if (!list->count)
        list->halves.offsets[list->n_halves] = list->n_nodes;
}

/* Sides of a cell with a type, by their corners: points are in Gmsh's order here. */
static void add_typed_halves(collecting *list, const int32_t *points, mplan_cell_type type)
{
    const mplan_cell_shape *shape = mplan_cell_shape_of(type);
    for (int32_t f = 0; f < shape->n_faces; f++) {
        int32_t nodes[4];
        for (int32_t k = 0; k < shape->face_size[f]; k++)
            nodes[k] = points[shape->face[f][k]];
        add_half(list, nodes, shape->face_size[f]);
    }
}

/* Sides of cell c, whatever it is. */
static void add_cell_halves(collecting *list, const mplan_vtk_cells *cells, int64_t c)
{
    int64_t n = cells->offsets[c + 1] - cells->offsets[c], length;
    const int32_t *points = cells->points + cells->offsets[c];
    mplan_cell_type type;
    const char *order;
    if (mplan_vtk_shape(cells->types[c], n, &type, &order)) {
        int32_t corners[MPLAN_MOST_TYPED_NODES]; /* second-order nodes are on no corner of a face */
        for (int32_t k = 0; k < mplan_cell_type_corners(type); k++)
            corners[k] = points[order ? order[k] - 'A' : k];
        add_typed_halves(list, corners, type);
    } else if (cells->types[c] == MPLAN_VTK_POLYGON) {
        for (int64_t k = 0; k < n; k++) {
            const int32_t edge[2] = {points[k], points[k + 1 < n ? k + 1 : 0]};
            add_half(list, edge, 2);
        }
    } else {
        const int32_t *at = mplan_vtk_faces(cells, c, &length);
        int32_t n_faces = *at++;
        for (int32_t f = 0; f < n_faces; f++) {
            add_half(list, at + 1, *at);
            at += 1 + *at;
        }
    }
}

/* Twice: count, then fill, so that memory is what is needed. halves->cells[c]: the first half
 * face of cell c, n_cells + 1 entries; offsets: of each half face in nodes. */
static mplan_status collect_halves(collecting *list, const mplan_vtk_cells *cells,
                                   const mplan_context *context, mplan_error *err)
{
    mplan_half_faces *halves = &list->halves;
    list->count = true;
    for (int64_t c = 0; c < cells->n_cells; c++)
        add_cell_halves(list, cells, c);
    halves->n_cells = cells->n_cells;
    halves->n_nodes = cells->n_points;
    halves->cells = mplan_alloc(cells->n_cells + 1, sizeof *halves->cells, err);
    halves->offsets = halves->cells ? mplan_alloc(list->n_halves + 1, sizeof *halves->offsets, err)
                                    : NULL;
    halves->nodes = halves->offsets ? mplan_alloc(list->n_nodes, sizeof *halves->nodes, err) : NULL;
    if (!halves->nodes)
        return MPLAN_ERR_MEMORY;
    list->count = false;
    list->n_halves = list->n_nodes = list->dropped = 0;
    halves->offsets[0] = 0;
    mplan_status status = MPLAN_OK;
    for (int64_t c = 0; c < cells->n_cells && !status; c++) {
        halves->cells[c] = list->n_halves;
        add_cell_halves(list, cells, c);
        if ((c & PAUSE_MASK) == 0)
            status = mplan_interrupted(context, err);
    }
    halves->cells[cells->n_cells] = list->n_halves;
    return status;
}

/* --- cells_nodes -------------------------------------------------------------------- */

/* The nodes of a cell: a polyhedron's as its faces bring them, each once; others' in Gmsh's order. With
 * nodes NULL they are counted. last[p]: the last cell that had point p. */
static int64_t row_of_cell(const mplan_vtk_cells *cells, const mplan_half_faces *halves, int64_t c,
                           int32_t *last, int32_t *nodes)
{
    int64_t n = cells->offsets[c + 1] - cells->offsets[c], kept = 0;
    const int32_t *points = cells->points + cells->offsets[c];
    mplan_cell_type type;
    const char *order = NULL;
    if (cells->types[c] == MPLAN_VTK_POLYHEDRON) {
        for (int64_t i = halves->offsets[halves->cells[c]];
             i < halves->offsets[halves->cells[c + 1]]; i++) {
            int32_t point = halves->nodes[i];
            if (last[point] == (int32_t)c)
                continue;
            last[point] = (int32_t)c;
            if (nodes)
                nodes[kept] = point;
            kept++;
        }
        return kept;
    }
    mplan_vtk_shape(cells->types[c], n, &type, &order);
    for (int64_t k = 0; nodes && k < n; k++)
        nodes[k] = points[order ? order[k] - 'A' : k];
    return n;
}

/* Ragged rows of nodes, each once. last[p]: the cell that noted node p last. */
static mplan_status add_rows(const mplan_vtk_cells *cells, const mplan_half_faces *halves,
                             mplan_mesh *mesh, mplan_error *err)
{
    int32_t cells_set;
    int64_t n = cells->n_cells;
    int32_t *last = mplan_alloc(cells->n_points, sizeof *last, err), *nodes = NULL;
    int64_t *offsets = last ? mplan_alloc(n + 1, sizeof *offsets, err) : NULL;
    mplan_status status = offsets ? MPLAN_OK : MPLAN_ERR_MEMORY;
    if (!status) {
        memset(last, 0xff, (size_t)cells->n_points * sizeof *last);
        offsets[0] = 0;
        for (int64_t c = 0; c < n; c++)
            offsets[c + 1] = offsets[c] + row_of_cell(cells, halves, c, last, NULL);
        nodes = mplan_alloc(offsets[n], sizeof *nodes, err);
        status = nodes ? mplan_mesh_add_set(mesh, "cells", n, &cells_set, err) : MPLAN_ERR_MEMORY;
    }
    if (!status) {
        memset(last, 0xff, (size_t)cells->n_points * sizeof *last);
        for (int64_t c = 0; c < n; c++)
            row_of_cell(cells, halves, c, last, nodes + offsets[c]);
    }
    free(last);
    if (status) {
        free(offsets);
        free(nodes);
        return status;
    }
    return mplan_mesh_take_map(mesh, "cells_nodes", cells_set, mplan_mesh_find_set(mesh, "nodes"),
                               0, offsets, nodes, NULL, err);
}

/* Cells without types bring their faces: they cannot be derived from the nodes. Two half faces
 * of equal nodes become one face. planar: all third coordinates are 0, so that normals can be
 * told; polygons in space have none. */
mplan_status mplan_vtk_add_untyped(const char *path, const mplan_vtk_cells *cells,
                                   int32_t dimension, bool planar, mplan_mesh *mesh,
                                   const mplan_context *context, mplan_error *err)
{
    collecting list = {.halves.dimension = dimension};
    mplan_status status = collect_halves(&list, cells, context, err);
    if (!status && list.dropped > 0)
        mplan_warn(context, "%s: %lld degenerate face%s %s skipped", path, (long long)list.dropped,
                   list.dropped == 1 ? "" : "s", list.dropped == 1 ? "is" : "are");
    if (!status)
        status = add_rows(cells, &list.halves, mesh, err);
    if (!status)
        status = mplan_half_faces_add(&list.halves, path,
                                      dimension == 3 || planar ? cells->xyz : NULL, mesh, context,
                                      err);
    mplan_half_faces_free(&list.halves);
    return status;
}
