/* SPDX-License-Identifier: Apache-2.0 */
/* derive_cells.c - cells_faces and cells_cells, in the order of local faces
 *
 * A face knows its two cells; in each of them the local face with the same
 * corners is looked for. Where the faces are the
 * file's own, cells_cells comes from a match of its own. */
#include "meshplan.h"

#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "mesh/derive.h"

#define PAUSE_MASK ((INT64_C(1) << 20) - 1)

/* Rows with a slot per local face, all -1. offsets: NULL when rows are equal. */
static mplan_status open_rows(const mplan_cell_table *cells, int64_t **offsets, int32_t **values,
                              mplan_error *err)
{
    int64_t n = cells->nodes.n_rows, n_slots = n * cells->stride;
    if (!cells->equal_rows) {
        *offsets = mplan_alloc(n + 1, sizeof **offsets, err);
        if (!*offsets)
            return MPLAN_ERR_MEMORY;
        n_slots = 0;
        for (int64_t c = 0; c < n; c++) {
            (*offsets)[c] = n_slots;
            n_slots += mplan_cell_shape_of((mplan_cell_type)cells->type[c])->n_faces;
        }
        (*offsets)[n] = n_slots;
    }
    *values = mplan_alloc(n_slots, sizeof **values, err);
    if (!*values)
        return MPLAN_ERR_MEMORY;
    for (int64_t i = 0; i < n_slots; i++)
        (*values)[i] = -1;
    return MPLAN_OK;
}

/* Corners of the local faces of every type, a bit for each. */
typedef struct corner_sets {
    uint8_t face[MPLAN_N_CELL_TYPES][6];
} corner_sets;

/* sets->face[type][f]: bit k is set if corner k is on face f. */
static void find_corner_sets(corner_sets *sets)
{
    memset(sets, 0, sizeof *sets);
    for (int t = 0; t < MPLAN_N_CELL_TYPES; t++) {
        const mplan_cell_shape *shape = mplan_cell_shape_of((mplan_cell_type)t);
        for (int32_t f = 0; f < shape->n_faces; f++)
            for (int32_t k = 0; k < shape->face_size[f]; k++)
                sets->face[t][f] |= (uint8_t)(1u << shape->face[f][k]);
    }
}

/* Local face of a cell with repeated nodes: compares sorted corners. A folded
 * cell may have the face more than once; the first counts, as in the match. */
static int32_t search_local_face(const mplan_cell_shape *shape, const int32_t *node,
                                 const int32_t *face, int32_t n)
{
    int32_t key[MPLAN_FACE_CORNERS], corner[MPLAN_FACE_CORNERS], f = 0;
    memcpy(key, face, (size_t)n * sizeof *face);
    mplan_face_key(key, n);
    for (; f < shape->n_faces; f++) {
        mplan_face_key(corner, mplan_face_corners(shape, node, f, corner));
        if (memcmp(corner, key, sizeof corner) == 0)
            break;
    }
    return f;
}

/* Local face of cell c with these n corners. */
static int32_t local_face(const mplan_cell_table *cells, const corner_sets *sets, int64_t c,
                          const int32_t *face, int32_t n)
{
    const int32_t *node;
    const mplan_cell_shape *shape = mplan_table_cell(cells, c, &node);
    unsigned on_face = 0;
    for (int32_t k = 0; k < shape->n_corners; k++) {
        bool is = false;
        for (int32_t i = 0; i < n; i++)
            is = is | (node[k] == face[i]);
        on_face |= (unsigned)is << k;
    }
    /* no local face holds all corners of another, so an equal set is the only one */
    for (int32_t f = 0; f < shape->n_faces; f++)
        if (sets->face[cells->type[c]][f] == on_face)
            return f;
    return search_local_face(shape, node, face, n);
}

/* Writes faces (or, with `across`, the cells behind them) into the rows of
 * both cells of every face. */
static mplan_status fill_rows(const mplan_cell_table *cells, const mplan_map *faces_cells,
                              const mplan_map *faces_nodes, bool across, const int64_t *offsets,
                              int32_t *values, const mplan_context *context, mplan_error *err)
{
    mplan_status status = MPLAN_OK;
    corner_sets sets;
    find_corner_sets(&sets);
    for (int64_t f = 0; !status && f < faces_cells->n_rows; f++) {
        int32_t n;
        const int32_t *node = mplan_map_row(faces_nodes, f, &n);
        const int32_t *cell = faces_cells->values + 2 * f;
        if (f + MPLAN_FETCH_DISTANCE < faces_cells->n_rows) {
            int64_t later = cell[2 * MPLAN_FETCH_DISTANCE + 1];
            const int32_t *later_node;
            mplan_table_cell(cells, later, &later_node);
            mplan_fetch(later_node);
            mplan_fetch(values + (offsets ? offsets[later] : later * cells->stride));
        }
        for (int side = 0; side < 2; side++) {
            int64_t c = cell[side];
            int64_t row = offsets ? offsets[c] : c * cells->stride;
            int32_t local = local_face(cells, &sets, c, node, n);
            values[row + local] = across ? cell[1 - side] : (int32_t)f;
        }
        if ((f & PAUSE_MASK) == PAUSE_MASK)
            status = mplan_interrupted(context, err);
    }
    return status;
}

/* The same for cells_cells without faces. */
static mplan_status fill_from_match(const mplan_cell_table *cells, const int64_t *offsets,
                                    int32_t *values, const mplan_context *context, mplan_error *err)
{
    mplan_face_match match;
    mplan_status status = mplan_match_faces(cells, context, &match, err);
    if (status)
        return status;
    for (int64_t c = 0; c < cells->nodes.n_rows; c++) {
        int32_t n = mplan_cell_shape_of((mplan_cell_type)cells->type[c])->n_faces;
        int64_t row = offsets ? offsets[c] : c * cells->stride;
        for (int32_t f = 0; f < n; f++) {
            int32_t mate = match.mate[c * cells->stride + f];
            values[row + f] = mate >= 0 ? mate : -1;
        }
    }
    free(match.mate);
    return MPLAN_OK;
}

/* across: the cells behind the faces, else the faces. Rows are in the order of the cell's faces,
 * -1 where there is none. Where the file brought a set `faces` of its own, its maps say nothing
 * that can be relied on: cells are matched again. */
static mplan_status derive_rows(mplan_mesh *mesh, bool across, const mplan_context *context,
                                mplan_error *err)
{
    mplan_cell_table cells;
    int64_t *offsets = NULL;
    int32_t *values = NULL;
    int32_t faces = mplan_derived_set(mesh, "faces");
    mplan_status status = mplan_cell_table_of(mesh, &cells, err);
    if (!status)
        status = open_rows(&cells, &offsets, &values, err);
    if (!status && faces < 0) {
        status = fill_from_match(&cells, offsets, values, context, err);
    } else if (!status) {
        mplan_map to_cells = mplan_mesh_map(mesh, mplan_mesh_find_map(mesh, "faces_cells"));
        mplan_map to_nodes = mplan_mesh_map(mesh, mplan_mesh_find_map(mesh, "faces_nodes"));
        status = fill_rows(&cells, &to_cells, &to_nodes, across, offsets, values, context, err);
    }
    if (status) {
        free(offsets);
        free(values);
        return status;
    }
    int32_t cells_set = mplan_mesh_find_set(mesh, "cells");
    return mplan_mesh_take_map(mesh, across ? "cells_cells" : "cells_faces", cells_set,
                               across ? cells_set : faces, cells.equal_rows ? cells.stride : 0,
                               offsets, values, NULL, err);
}

/* Faces that may be derived are, since the match is most of the work. */
static mplan_status want_faces(mplan_mesh *mesh, const mplan_context *context, mplan_error *err)
{
    if (mplan_mesh_find_set(mesh, "faces") >= 0)
        return MPLAN_OK;
    return mplan_derive_faces(mesh, context, err);
}

/* The set `faces` is derived before, if there is none. */
mplan_status mplan_derive_cells_faces(mplan_mesh *mesh, const mplan_context *context, mplan_error *err)
{
    mplan_status status = want_faces(mesh, context, err);
    return !status ? derive_rows(mesh, false, context, err) : status;
}

/* As mplan_derive_cells_faces. */
mplan_status mplan_derive_cells_cells(mplan_mesh *mesh, const mplan_context *context, mplan_error *err)
{
    mplan_status status = want_faces(mesh, context, err);
    return !status ? derive_rows(mesh, true, context, err) : status;
}
