/* SPDX-License-Identifier: Apache-2.0 */
/* midpoints.c - the nodes that refining adds in the middle of edges, faces and cells
 *
 * Every edge of every cell is put into the row of its lower node; sorted rows
 * without their repeats number the edges. Rows are as short as the nodes have
 * neighbours, so the time is linear in the cells for any mesh of bounded
 * valence. Quadrilaterals are numbered likewise: three of their corners tell
 * them from one another. */
#include "generate/midpoints.h"

#include <stdlib.h>
#include <string.h>

#include "base/buckets.h"
#include "base/error.h"
#include "base/memory.h"
#include "base/sort.h"
#include "generate/generate.h"

enum { CHECK_EVERY = 1 << 16 };

/* --- keys ------------------------------------------------------------------ */

/* An edge or face by its lowest node and the others. */
typedef struct row_key {
    int32_t row;
    uint64_t key;
} row_key;

static row_key edge_key(int32_t a, int32_t b)
{
    row_key made = {a < b ? a : b, (uint64_t)(a < b ? b : a)};
    return made;
}

/* Ascending, by insertion. */
static void sort_corners(const int32_t corner[4], int32_t sorted[4])
{
    for (int32_t i = 0; i < 4; i++) {
        int32_t v = corner[i], j = i;
        for (; j > 0 && sorted[j - 1] > v; j--)
            sorted[j] = sorted[j - 1];
        sorted[j] = v;
    }
}

/* Three corners identify a face of four: the lowest is the row, the next two are the
 * key in it. */
static row_key face_key(const int32_t corner[4])
{
    int32_t sorted[4];
    sort_corners(corner, sorted);
    row_key made = {sorted[0], (uint64_t)sorted[1] << 32 | (uint64_t)sorted[2]};
    return made;
}

static void face_corners(const mplan_cell_shape *shape, int32_t f, const int32_t *node,
                         int32_t corner[4])
{
    for (int32_t k = 0; k < 4; k++)
        corner[k] = node[shape->face[f][k]];
}

/* Keys of the edges, or of the faces of four corners, of a cell. */
static int32_t cell_keys(const mplan_midpoints *middle, bool faces, int64_t cell, row_key key[12])
{
    int32_t n, n_keys = 0, corner[4];
    const int32_t *node = mplan_map_row(&middle->cells, cell, &n);
    const mplan_cell_shape *shape = mplan_cell_shape_of((mplan_cell_type)middle->type[cell]);
    if (!faces) {
        for (int32_t e = 0; e < shape->n_edges; e++)
            key[n_keys++] = edge_key(node[shape->edge[e][0]], node[shape->edge[e][1]]);
        return n_keys;
    }
    for (int32_t f = 0; f < shape->n_faces; f++) {
        if (shape->face_size[f] != 4)
            continue;
        face_corners(shape, f, node, corner);
        key[n_keys++] = face_key(corner);
    }
    return n_keys;
}

/* --- tables ------------------------------------------------------------------ */

/* Sorts all rows, drops repeats and closes the gaps. */
static void tidy_rows(mplan_midpoint_table *table, int64_t n_rows)
{
    int64_t kept = 0;
    for (int64_t r = 0; r < n_rows; r++) {
        int64_t first = table->offsets[r], n = table->offsets[r + 1] - first;
        uint64_t *key = table->keys + first;
        mplan_sort_u64(key, n);
        table->offsets[r] = kept;
        for (int64_t i = 0; i < n; i++)
            if (i == 0 || key[i] != key[i - 1])
                table->keys[kept++] = key[i];
    }
    table->offsets[n_rows] = kept;
    table->n = kept;
}

/* offsets: n_nodes + 1 zeros in, sums out: how many keys each row will get at most. */
static mplan_status count_rows(const mplan_midpoints *middle, bool faces,
                               const mplan_context *context, int64_t *offsets, mplan_error *err)
{
    row_key key[12];
    for (int64_t c = 0; c < middle->cells.n_rows; c++) {
        int32_t n = cell_keys(middle, faces, c, key);
        for (int32_t k = 0; k < n; k++)
            offsets[key[k].row + 1]++;
        if (c % CHECK_EVERY == 0 && mplan_interrupted(context, err) != MPLAN_OK)
            return MPLAN_ERR_INTERRUPTED;
    }
    mplan_sum_counts(offsets, middle->n_nodes);
    return MPLAN_OK;
}

/* Moves every offset to the end of its row, and then all of them one row on. */
static mplan_status fill_rows(const mplan_midpoints *middle, bool faces, const mplan_context *context,
                              mplan_midpoint_table *table, mplan_error *err)
{
    row_key key[12];
    for (int64_t c = 0; c < middle->cells.n_rows; c++) {
        int32_t n = cell_keys(middle, faces, c, key);
        for (int32_t k = 0; k < n; k++)
            table->keys[table->offsets[key[k].row]++] = key[k].key;
        if (c % CHECK_EVERY == 0 && mplan_interrupted(context, err) != MPLAN_OK)
            return MPLAN_ERR_INTERRUPTED;
    }
    memmove(table->offsets + 1, table->offsets, (size_t)middle->n_nodes * sizeof *table->offsets);
    table->offsets[0] = 0;
    return MPLAN_OK;
}

/* Keys of all edges or faces of cells, by lowest node, each once, sorted within the
 * row: their positions number the midpoints. */
static mplan_status make_table(const mplan_midpoints *middle, bool faces,
                               const mplan_context *context, mplan_midpoint_table *table,
                               mplan_error *err)
{
    table->offsets = mplan_alloc_zero(middle->n_nodes + 1, sizeof *table->offsets, err);
    if (!table->offsets)
        return MPLAN_ERR_MEMORY;
    mplan_status status = count_rows(middle, faces, context, table->offsets, err);
    if (status)
        return status;
    table->keys = mplan_alloc(table->offsets[middle->n_nodes], sizeof *table->keys, err);
    if (!table->keys)
        return MPLAN_ERR_MEMORY;
    status = fill_rows(middle, faces, context, table, err);
    if (status)
        return status;
    tidy_rows(table, middle->n_nodes);
    uint64_t *fitting = mplan_realloc(table->keys, table->n, sizeof *fitting, err);
    if (!fitting)
        return MPLAN_ERR_MEMORY;
    table->keys = fitting;
    return MPLAN_OK;
}

/* Binary search in the row of the lowest node. Position of the key, -1 if it is not
 * there. */
static int64_t find_key(const mplan_midpoint_table *table, row_key wanted)
{
    if (table->n == 0)
        return -1;
    int64_t low = table->offsets[wanted.row], end = table->offsets[wanted.row + 1], high = end;
    while (low < high) {
        int64_t half = low + (high - low) / 2;
        if (table->keys[half] < wanted.key)
            low = half + 1;
        else
            high = half;
    }
    return low < end && table->keys[low] == wanted.key ? low : -1;
}

/* --- new nodes --------------------------------------------------------------- */

static bool has_centre(uint8_t type)
{
    return type == MPLAN_CELL_QUAD4 || type == MPLAN_CELL_HEX8;
}

/* Whether there are faces of four corners, which get a new node each. */
static bool has_quad_faces(uint8_t type)
{
    return type == MPLAN_CELL_HEX8 || type == MPLAN_CELL_PRISM6 || type == MPLAN_CELL_PYRAMID5;
}

/* New nodes are numbered behind the old ones: midpoints of edges, then of quadrilateral
 * faces, then centres of cells. */
mplan_status mplan_midpoints_make(const mplan_mesh *mesh, const mplan_context *context,
                                  mplan_midpoints *middle, mplan_error *err)
{
    memset(middle, 0, sizeof *middle);
    middle->cells = mplan_mesh_map(mesh, mplan_mesh_find_map(mesh, "cells_nodes"));
    middle->type = mesh->cell_type;
    middle->dimension = mesh->dimension;
    middle->n_nodes = middle->cells.n_points;
    bool quad_faces = false;
    for (int64_t c = 0; c < middle->cells.n_rows; c++) {
        middle->n_centres += has_centre(middle->type[c]);
        quad_faces = quad_faces || has_quad_faces(middle->type[c]);
    }
    mplan_status status = make_table(middle, false, context, &middle->edges, err);
    if (!status && quad_faces)
        status = make_table(middle, true, context, &middle->faces, err);
    if (!status) {
        middle->first_edge = middle->n_nodes;
        middle->first_face = middle->first_edge + middle->edges.n;
        middle->first_centre = middle->first_face + middle->faces.n;
        middle->n_all = middle->first_centre + middle->n_centres;
        if (middle->n_all > MPLAN_MAX_MEMBERS)
            status = mplan_fail(err, MPLAN_ERR_ARGUMENT,
                                "the refined mesh would have %lld nodes, the limit is %lld",
                                (long long)middle->n_all, (long long)MPLAN_MAX_MEMBERS);
    }
    if (status)
        mplan_midpoints_free(middle);
    return status;
}

void mplan_midpoints_free(mplan_midpoints *middle)
{
    free(middle->edges.offsets);
    free(middle->edges.keys);
    free(middle->faces.offsets);
    free(middle->faces.keys);
    memset(middle, 0, sizeof *middle);
}

int32_t mplan_midpoint_of_edge(const mplan_midpoints *middle, int32_t a, int32_t b)
{
    int64_t i = find_key(&middle->edges, edge_key(a, b));
    return i < 0 ? -1 : (int32_t)(middle->first_edge + i);
}

int32_t mplan_midpoint_of_face(const mplan_midpoints *middle, const int32_t corner[4])
{
    int64_t i = find_key(&middle->faces, face_key(corner));
    return i < 0 ? -1 : (int32_t)(middle->first_face + i);
}

/* at: mean of n nodes, `dimension` doubles. */
static void place_mean(const double *old, int32_t dimension, const int32_t *node, int32_t n,
                       double *at)
{
    for (int32_t d = 0; d < dimension; d++) {
        double sum = 0;
        for (int32_t k = 0; k < n; k++)
            sum += old[(int64_t)node[k] * dimension + d];
        at[d] = sum / n;
    }
}

/* Middles of faces and cells, cell by cell. */
static void place_in_cells(const mplan_midpoints *middle, int32_t dimension, const double *old,
                           double *all)
{
    int64_t centre = middle->first_centre;
    for (int64_t c = 0; c < middle->cells.n_rows; c++) {
        int32_t n;
        const int32_t *node = mplan_map_row(&middle->cells, c, &n);
        const mplan_cell_shape *shape = mplan_cell_shape_of((mplan_cell_type)middle->type[c]);
        if (has_centre(middle->type[c]))
            place_mean(old, dimension, node, n, all + centre++ * dimension);
        for (int32_t f = 0; has_quad_faces(middle->type[c]) && f < shape->n_faces; f++) {
            if (shape->face_size[f] != 4)
                continue;
            /* sorted, so that both cells of a face round alike */
            int32_t corner[4], sorted[4];
            face_corners(shape, f, node, corner);
            sort_corners(corner, sorted);
            int64_t id = mplan_midpoint_of_face(middle, corner);
            place_mean(old, dimension, sorted, 4, all + id * dimension);
        }
    }
}

/* all: room for old and new nodes. Old ones are copied, new ones are the means of their
 * corners. */
void mplan_midpoints_place(const mplan_midpoints *middle, int32_t dimension, const double *old,
                           double *all)
{
    if (middle->n_nodes > 0)
        memcpy(all, old, (size_t)(middle->n_nodes * dimension) * sizeof *all);
    for (int64_t a = 0; a < middle->n_nodes; a++) {
        for (int64_t i = middle->edges.offsets[a]; i < middle->edges.offsets[a + 1]; i++) {
            int32_t ends[2] = {(int32_t)a, (int32_t)middle->edges.keys[i]};
            place_mean(old, dimension, ends, 2, all + (middle->first_edge + i) * dimension);
        }
    }
    place_in_cells(middle, dimension, old, all);
}
