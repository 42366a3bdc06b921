/* SPDX-License-Identifier: Apache-2.0 */
/* foam_cells.c - cells of OpenFOAM's meshes from the faces that they have
 *
 * A face's normal leaves its owner and enters its neighbour. By threads; what is made does not depend on how many. */
#include <stdlib.h>
#include <string.h>

#include "base/buckets.h"
#include "base/error.h"
#include "base/memory.h"
#include "base/threads.h"
#include "formats/foam/foam_parts.h"
#include "formats/polyhedra.h"
#include "mesh/mesh.h"

/* Faces or cells of a piece; faces of a cell that are sorted by insertion; corners of a cell whose table every thread has. */
enum { PIECE = 1 << 11, MOST_INSERTED = 64, MOST_SHARED = 1 << 12 };

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

/* What loops over faces and cells share. */
typedef struct deal_work {
    const mplan_foam_mesh *foam;
    cell_faces *of;
    int64_t *next; /* n_cells + 1: counts behind 0, then the place of each cell's next face */
} deal_work;

static void count_faces(void *data, int thread, int64_t begin, int64_t end)
{
    const deal_work *work = data;
    (void)thread;
    for (int64_t f = begin; f < end; f++) {
        mplan_add(&work->next[work->foam->owner[f] + 1], 1);
        if (f < work->foam->n_inner)
            mplan_add(&work->next[work->foam->neighbour[f] + 1], 1);
    }
}

static void put_faces(void *data, int thread, int64_t begin, int64_t end)
{
    const deal_work *work = data;
    (void)thread;
    for (int64_t f = begin; f < end; f++) {
        work->of->faces[mplan_add(&work->next[work->foam->owner[f]], 1)] = (int32_t)f;
        if (f < work->foam->n_inner)
            work->of->faces[mplan_add(&work->next[work->foam->neighbour[f]], 1)] = ~(int32_t)f;
    }
}

/* Ascending by face, a face that a cell owns before the same one as a neighbour. */
static int compare_entries(const void *a, const void *b)
{
    const int32_t x = *(const int32_t *)a, y = *(const int32_t *)b;
    const int32_t f = x < 0 ? ~x : x, g = y < 0 ? ~y : y;
    return f != g ? (f < g ? -1 : 1) : (x < 0) - (y < 0);
}

/* The faces of cells in their order, whatever thread put them there. */
static void sort_faces(void *data, int thread, int64_t begin, int64_t end)
{
    const deal_work *work = data;
    (void)thread;
    for (int64_t c = begin; c < end; c++) {
        int32_t *face = work->of->faces + work->of->offsets[c];
        const int64_t n = work->of->offsets[c + 1] - work->of->offsets[c];
        if (n > MOST_INSERTED) {
            qsort(face, (size_t)n, sizeof *face, compare_entries);
            continue;
        }
        for (int64_t i = 1; i < n; i++) {
            const int32_t entry = face[i];
            int64_t at = i;
            for (; at > 0 && compare_entries(&face[at - 1], &entry) > 0; at--)
                face[at] = face[at - 1];
            face[at] = entry;
        }
    }
}

/* of: the faces of each cell, by counting; offsets has n_cells + 2 entries while
 * they are dealt out. */
static mplan_status deal_faces(const mplan_foam_mesh *foam, const char *path, cell_faces *of,
                               const mplan_context *context, mplan_error *err)
{
    mplan_team *team = mplan_team_of(context);
    const int64_t n = foam->n_cells;
    of->offsets = mplan_alloc_zero(n + 2, sizeof *of->offsets, err);
    of->faces = of->offsets ? mplan_alloc(foam->n_faces + foam->n_inner, sizeof *of->faces, err)
                            : NULL;
    if (!of->faces)
        return MPLAN_ERR_MEMORY;
    deal_work work = {foam, of, of->offsets + 1};
    mplan_status status = mplan_for_heeding(team, foam->n_faces, PIECE, count_faces, &work, context,
                                            err);
    if (status)
        return status;
    mplan_for_sums(team, n, work.next);
    status = mplan_for_heeding(team, foam->n_faces, PIECE, put_faces, &work, context, err);
    if (!status)
        mplan_for(team, n, PIECE, sort_faces, &work);
    return status ? status : check_sizes(foam, path, of, err);
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

/* Cells in pieces: the nodes of each are counted, then written behind those of the pieces before. */
typedef struct type_work {
    const mplan_foam_mesh *foam;
    const cell_faces *of;
    int64_t n_pieces, *begin; /* n_pieces + 1 */
    uint8_t *types, none;     /* none: 1 where a cell has no type */
    int32_t *nodes;
} type_work;

static void count_typed(void *data, int thread, int64_t begin, int64_t end)
{
    type_work *work = data;
    const int64_t n_cells = work->foam->n_cells;
    (void)thread;
    for (int64_t k = begin; k < end; k++)
        for (int64_t c = mplan_piece_begin(n_cells, work->n_pieces, k);
             c < mplan_piece_begin(n_cells, work->n_pieces, k + 1); c++) {
            const int64_t n = nodes_of_type(work->foam, work->of, c);
            work->begin[k + 1] += n;
            if (n == 0) {
                mplan_mark(&work->none);
                break;
            }
        }
}

/* Type and nodes of a cell whose faces are as many as one has; false: it is none. */
static bool type_cell(const type_work *work, int64_t c, mplan_cell_type *type,
                      int32_t row[MPLAN_MOST_TYPED_NODES])
{
    mplan_cell_face faces[MPLAN_MOST_TYPED_FACES];
    const int64_t first = work->of->offsets[c];
    const int32_t n = (int32_t)(work->of->offsets[c + 1] - first);
    for (int32_t k = 0; k < n; k++)
        faces[k] = face_of(work->foam, work->of->faces[first + k]);
    return mplan_cell_of_faces(n, faces, type, row);
}

static void write_typed(void *data, int thread, int64_t begin, int64_t end)
{
    type_work *work = data;
    const int64_t n_cells = work->foam->n_cells;
    (void)thread;
    for (int64_t k = begin; k < end; k++) {
        int32_t *at = work->nodes + work->begin[k];
        for (int64_t c = mplan_piece_begin(n_cells, work->n_pieces, k);
             c < mplan_piece_begin(n_cells, work->n_pieces, k + 1); c++) {
            mplan_cell_type type;
            int32_t row[MPLAN_MOST_TYPED_NODES];
            if (!type_cell(work, c, &type, row)) {
                mplan_mark(&work->none);
                break;
            }
            const int32_t size = mplan_cell_type_nodes(type);
            memcpy(at, row, (size_t)size * sizeof *row);
            work->types[c] = (uint8_t)type;
            at += size;
        }
    }
}

/* Types and nodes of all cells. *all: every cell has one; else nothing is made.
 * *types: n_cells; *nodes: those of cell after cell, as many as its type has; both are the caller's. */
static mplan_status type_cells(const mplan_foam_mesh *foam, const cell_faces *of, uint8_t **types,
                               int32_t **nodes, bool *all, const mplan_context *context,
                               mplan_error *err)
{
    mplan_team *team = mplan_team_of(context);
    type_work work = {.foam = foam, .of = of, .n_pieces = mplan_pieces(team, foam->n_cells, PIECE)};
    work.begin = mplan_alloc_zero(work.n_pieces + 1, sizeof *work.begin, err);
    mplan_status status = work.begin ? mplan_for_heeding(team, work.n_pieces, 1, count_typed, &work,
                                                         context, err)
                                     : MPLAN_ERR_MEMORY;
    if (!status && !work.none) {
        mplan_sum_counts(work.begin, work.n_pieces);
        work.types = mplan_alloc(foam->n_cells, sizeof *work.types, err);
        work.nodes = mplan_alloc(work.begin[work.n_pieces], sizeof *work.nodes, err);
        status = work.types && work.nodes
                     ? mplan_for_heeding(team, work.n_pieces, 1, write_typed, &work, context, err)
                     : MPLAN_ERR_MEMORY;
    }
    free(work.begin);
    *all = !status && !work.none;
    if (!*all) {
        free(work.types);
        free(work.nodes);
        return status;
    }
    *types = work.types;
    *nodes = work.nodes;
    return MPLAN_OK;
}

/* --- polyhedra -------------------------------------------------------------------------- */

/* A point that a cell has, in a table of what a thread has met: slots of other cells are free. */
typedef struct met_slot {
    int32_t point, cell;
} met_slot;

/* Rows of nodes of cells: counted into offsets, then written. */
typedef struct row_work {
    const mplan_foam_mesh *foam;
    const cell_faces *of;
    met_slot *met; /* mask + 1 a thread, at least twice the corners of a cell */
    uint32_t mask;
    int64_t *offsets; /* n_cells + 1; while cells are counted, the count of c is behind that of c - 1 */
    int32_t *nodes; /* NULL: cells are counted */
} row_work;

/* The nodes of a cell, each once, in the order of its faces; with nodes NULL they are counted. */
static int64_t row_of_cell(const row_work *work, int64_t c, met_slot *met, int32_t *nodes)
{
    int64_t n = 0;
    for (int64_t i = work->of->offsets[c]; i < work->of->offsets[c + 1]; i++) {
        const mplan_cell_face face = face_of(work->foam, work->of->faces[i]);
        for (int32_t k = 0; k < face.n; k++) {
            const int32_t point = face.nodes[k];
            uint32_t slot = ((uint32_t)point * UINT32_C(2654435769) >> 7) & work->mask;
            while (met[slot].cell == (int32_t)c && met[slot].point != point)
                slot = (slot + 1) & work->mask;
            if (met[slot].cell == (int32_t)c)
                continue;
            met[slot] = (met_slot){point, (int32_t)c};
            if (nodes)
                nodes[n] = point;
            n++;
        }
    }
    return n;
}

static void walk_rows(void *data, int thread, int64_t begin, int64_t end)
{
    const row_work *work = data;
    met_slot *met = work->met + thread * ((int64_t)work->mask + 1);
    for (int64_t c = begin; c < end; c++) {
        const int64_t n = row_of_cell(work, c, met,
                                      work->nodes ? work->nodes + work->offsets[c] : NULL);
        if (!work->nodes)
            work->offsets[c + 1] = n;
    }
}

/* The most corners that the faces of a cell have in all. */
static int64_t most_corners(const mplan_foam_mesh *foam, const cell_faces *of)
{
    int64_t most = 0;
    for (int64_t c = 0; c < foam->n_cells; c++) {
        int64_t n = 0;
        for (int64_t i = of->offsets[c]; i < of->offsets[c + 1]; i++)
            n += face_of(foam, of->faces[i]).n;
        most = n > most ? n : most;
    }
    return most;
}

/* Room for the tables of all threads; of cells that are very large for one, *team is NULL then. */
static mplan_status open_rows(row_work *work, mplan_team **team, mplan_error *err)
{
    const int64_t most = most_corners(work->foam, work->of);
    if (most > MOST_SHARED)
        *team = NULL;
    work->mask = 63;
    while ((int64_t)work->mask + 1 < 2 * most && work->mask < UINT32_MAX)
        work->mask = 2 * work->mask + 1;
    work->met = mplan_alloc(((int64_t)work->mask + 1) * mplan_team_threads(*team),
                            sizeof *work->met, err);
    work->offsets = work->met ? mplan_alloc(work->foam->n_cells + 1, sizeof *work->offsets, err)
                              : NULL;
    return work->offsets ? MPLAN_OK : MPLAN_ERR_MEMORY;
}

/* Ragged rows of nodes: each node of a cell once, in the order of its faces.
 * The first pass over the cells counts, which makes offsets; the second fills. What was met is forgotten between them. */
static mplan_status add_polyhedra(const mplan_foam_mesh *foam, const cell_faces *of,
                                  mplan_mesh *mesh, const mplan_context *context, mplan_error *err)
{
    int32_t cells, points;
    mplan_team *team = mplan_team_of(context);
    row_work work = {.foam = foam, .of = of};
    mplan_status status = open_rows(&work, &team, err);
    for (int32_t pass = 0; pass < 2 && !status; pass++) {
        memset(work.met, 0xff,
               ((size_t)work.mask + 1) * (size_t)mplan_team_threads(team) * sizeof *work.met);
        status = mplan_for_heeding(team, foam->n_cells, PIECE, walk_rows, &work, context, err);
        if (status || pass > 0)
            continue;
        work.offsets[0] = 0;
        mplan_for_sums(team, foam->n_cells, work.offsets);
        work.nodes = mplan_alloc(work.offsets[foam->n_cells], sizeof *work.nodes, err);
        status = work.nodes ? MPLAN_OK : MPLAN_ERR_MEMORY;
    }
    free(work.met);
    if (!status)
        status = mplan_mesh_add_set(mesh, "nodes", foam->n_points, &points, err);
    if (!status)
        status = mplan_mesh_add_set(mesh, "cells", foam->n_cells, &cells, err);
    if (!status)
        return mplan_mesh_take_map(mesh, "cells_nodes", cells, points, 0, work.offsets, work.nodes,
                                   NULL, err);
    free(work.offsets);
    free(work.nodes);
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
    mplan_status status = deal_faces(foam, path, &of, context, err);
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
