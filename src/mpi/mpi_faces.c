/* SPDX-License-Identifier: Apache-2.0 */
/* mpi_faces.c - faces of a spread mesh, numbered as derive_faces.c numbers them
 *
 * A face is written by the rank of its lower cell. As that order is the order of cells first, and ranks have ranges of cells,
 * the faces of a rank are a range, too; within it the serial code writes them. For it a rank's own cells are the first, and
 * cells of other ranks follow in their order.
 * Derivations are collective. So the numbers of faces are the serial ones for any number of
 * ranks; only the rank that has a face depends on it. */
#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "mpi/mpi_derive.h"
#include "mpi/mpi_groups.h"

/* --- the faces of this rank ------------------------------------------------------------------------- */

/* Faces that lower ranks write are none of this rank: elsewhere begins with the cells of lower ranks. */
static void hide_lower(const mpi_cells *cells, mpi_face_match *match)
{
    const int64_t n = cells->table.nodes.n_rows, slots = n * cells->table.stride;
    int64_t lower = 0;
    while (lower < match->n_elsewhere && match->elsewhere[lower] < cells->first)
        lower++;
    for (int64_t i = 0; i < slots && lower > 0; i++)
        if (match->own.mate[i] >= n && match->own.mate[i] < n + lower)
            match->own.mate[i] = MPLAN_MATE_NONE;
}

/* Corners of all faces: their number where it is one; 0: they differ; without faces what cells have at most.
 * Collective: a rank must not choose by its own faces, since a map has one arity on all ranks.
 * by_size: this rank's faces by corners. */
static int32_t common_arity(const mpi_mesh *mesh, const mpi_cells *cells, const int64_t *by_size)
{
    int64_t all[MPLAN_FACE_CORNERS + 1];
    int32_t arity = -1;
    mpi_allreduce(by_size, all, MPLAN_FACE_CORNERS + 1, MPI_INT64_T, MPI_SUM, mesh->comm);
    for (int32_t size = 1; size <= MPLAN_FACE_CORNERS; size++)
        if (all[size] > 0)
            arity = arity < 0 ? size : 0;
    return arity >= 0 ? arity : cells->table.face_size;
}

/* --- sets and maps ---------------------------------------------------------------------------------- */

/* A derived set of which this rank has `own` members.
 * Collective. Ranges are not dealt out evenly: a rank keeps the faces that it has listed. */
static mplan_status add_set(mpi_mesh *mesh, const char *name, int64_t own, int32_t *set,
                            mplan_error *err)
{
    mplan_status status = mpi_mesh_add_set(mesh, name, mpi_sum(mesh->comm, own), set, err);
    status = mpi_agree(mesh->comm, status, err);
    if (status)
        return status;
    mpi_ranges_of(mesh->comm, own, mesh->sets[*set].first);
    mesh->sets[*set].derived = true;
    return MPLAN_OK;
}

/* The map <set>_<to>; takes over the arrays, also after a failure.
 * Not collective: callers agree on what it returns. */
static mplan_status add_map(mpi_mesh *mesh, int32_t set, const char *to, int32_t arity,
                            int64_t *offsets, int64_t *values, mplan_error *err)
{
    char name[64];
    snprintf(name, sizeof name, "%s_%s", mesh->sets[set].name, to);
    mplan_status status = MPLAN_OK;
    if (mpi_mesh_find_map(mesh, name) >= 0)
        status = mplan_fail(err, MPLAN_ERR_ARGUMENT, "the mesh already has a map '%s'", name);
    if (!status)
        return mpi_mesh_take_map(mesh, name, set, mpi_mesh_find_set(mesh, to), arity, offsets,
                                 values, err);
    free(offsets);
    free(values);
    return status;
}

/* Numbers of the mesh for n of this rank: own ones from `first` on, others in a list. below: how many own ones there are.
 * local: numbers of 32 bits for this rank; `others` has the mesh's numbers of those from `below`
 * on. NULL: no memory. */
static int64_t *widen(int64_t n, const int32_t *local, int64_t first, int64_t below,
                      const int64_t *others, mplan_error *err)
{
    int64_t *wide = mplan_alloc(n, sizeof *wide, err);
    for (int64_t i = 0; i < n && wide; i++)
        wide[i] = local[i] < below ? first + local[i] : others[local[i] - below];
    return wide;
}

/* Adds the set and its maps unless the file has brought a set of that name. Lists are released as soon as they are widened.
 * Collective. list: own faces with cells and nodes in numbers for this rank; its arrays are NULL
 * afterwards where the maps were added. */
static mplan_status add_face_set(mpi_mesh *mesh, const char *name, const mpi_cells *cells,
                                 const int64_t *elsewhere, mplan_face_list *list, mplan_error *err)
{
    int32_t set;
    if (mpi_mesh_find_set(mesh, name) >= 0)
        return MPLAN_OK;
    mplan_status status = add_set(mesh, name, list->size, &set, err);
    if (status)
        return status;
    int64_t *to_cells = widen(list->size * list->n_cells, list->cells, cells->first,
                              cells->table.nodes.n_rows, elsewhere, err);
    free(list->cells);
    list->cells = NULL;
    int64_t *to_nodes = widen(list->n_nodes, list->nodes, 0, 0, cells->node, err);
    free(list->nodes);
    list->nodes = NULL;
    if (!to_cells || !to_nodes)
        status = MPLAN_ERR_MEMORY;
    status = mpi_agree(mesh->comm, status, err);
    if (status) {
        free(to_cells);
        free(to_nodes);
        return status;
    }
    status = add_map(mesh, set, "cells", list->n_cells, NULL, to_cells, err);
    if (status) {
        free(to_nodes);
        return mpi_agree(mesh->comm, status, err);
    }
    status = add_map(mesh, set, "nodes", list->arity, list->offsets, to_nodes, err);
    list->offsets = NULL;
    return mpi_agree(mesh->comm, status, err);
}

/* Where each rank's own list is written as a whole: n and n_nodes of the lists count it.
 * Collective. lists[0]: inner faces, lists[1]: those of the boundary. The face of a cell behind
 * which there is one of a lower rank is not in the list of this rank. */
static mplan_status list_faces(const mpi_mesh *mesh, const mpi_cells *cells,
                               const mplan_face_match *match, mplan_face_list lists[2],
                               mplan_error *err)
{
    const int64_t *const by_size[2] = {match->n_inner, match->n_boundary};
    int32_t arity[2];
    for (int l = 0; l < 2; l++)
        arity[l] = common_arity(mesh, cells, by_size[l]);
    mplan_status status = mplan_list_faces(&cells->table, match, arity, NULL, lists, err);
    for (int l = 0; l < 2 && !status; l++) {
        lists[l].n_nodes = 0;
        for (int32_t size = 1; size <= MPLAN_FACE_CORNERS; size++)
            lists[l].n_nodes += size * by_size[l][size];
    }
    return mpi_agree(mesh->comm, status, err);
}

/* Both sets and their maps, unless the file has brought them. match: loses what lower ranks write, then its mates. What is not
 * needed any more is released at once: this is the peak of memory of reading a mesh without faces. */
static mplan_status add_faces(mpi_mesh *mesh, mpi_cells *cells, mpi_face_match *match,
                              mplan_error *err)
{
    mplan_face_list lists[2] = {{0}, {0}};
    hide_lower(cells, match);
    mplan_status status = list_faces(mesh, cells, &match->own, lists, err);
    free(match->own.mate);
    free(cells->values); /* only the numbers of nodes are still needed */
    free(cells->shared);
    free(cells->xyz);
    match->own.mate = cells->values = NULL;
    cells->shared = NULL;
    cells->xyz = NULL;
    if (!status)
        status = add_face_set(mesh, "faces", cells, match->elsewhere, &lists[0], err);
    if (!status)
        status = add_face_set(mesh, "boundary_faces", cells, match->elsewhere, &lists[1], err);
    if (!status)
        status = mpi_resolve_facets(mesh, err);
    mplan_face_list_free(&lists[0]);
    mplan_face_list_free(&lists[1]);
    return status;
}

mplan_status mpi_derive_faces(mpi_mesh *mesh, mplan_error *err)
{
    mpi_cells cells;
    mpi_face_match match = {.n_elsewhere = 0};
    mplan_status status = mpi_cells_open(mesh, &cells, err);
    if (!status)
        status = mpi_match_faces(mesh, &cells, &match, err);
    if (!status)
        status = add_faces(mesh, &cells, &match, err);
    mpi_face_match_free(&match);
    mpi_cells_close(&cells);
    return status;
}

/* --- maps from cells ------------------------------------------------------------------------------------ */

/* Rows with a slot for each local face, all -1. offsets: NULL where rows are equal.
 * n + 1 offsets from 0, by own cell; values have one slot for each local face. Both are the
 * caller's, also after a failure. */
static mplan_status open_rows(const mpi_cells *cells, int64_t **offsets, int64_t **values,
                              mplan_error *err)
{
    const int64_t n = cells->table.nodes.n_rows;
    int64_t slots = n * cells->table.stride;
    if (!cells->table.equal_rows) {
        *offsets = mplan_alloc(n + 1, sizeof **offsets, err);
        if (!*offsets)
            return MPLAN_ERR_MEMORY;
        slots = 0;
        for (int64_t c = 0; c < n; c++) {
            (*offsets)[c] = slots;
            slots += mplan_cell_shape_of((mplan_cell_type)cells->table.type[c])->n_faces;
        }
        (*offsets)[n] = slots;
    }
    *values = mplan_alloc(slots, sizeof **values, err);
    for (int64_t i = 0; i < slots && *values; i++)
        (*values)[i] = -1;
    return *values ? MPLAN_OK : MPLAN_ERR_MEMORY;
}

/* Where the row of own cell c begins. */
static int64_t row_of(const mpi_cells *cells, const int64_t *offsets, int64_t c)
{
    return offsets ? offsets[c] : c * cells->table.stride;
}

/* The map cells_<to>, from rows that open_rows has made, and which are filled. Takes over both arrays. Collective. status:
 * what this rank met before. */
static mplan_status add_rows(mpi_mesh *mesh, mplan_status status, const mpi_cells *cells,
                             const char *to, int64_t *offsets, int64_t *values, mplan_error *err)
{
    status = mpi_agree(mesh->comm, status, err);
    if (status) {
        free(offsets);
        free(values);
        return status;
    }
    status = add_map(mesh, mpi_mesh_find_set(mesh, "cells"), to,
                     cells->table.equal_rows ? cells->table.stride : 0, offsets, values, err);
    return mpi_agree(mesh->comm, status, err);
}

/* The match gives it, and the faces, which one process derives on the way, as well.
 * Entry f of a row is the cell behind local face f, in the numbers of the mesh; -1: there is
 * none. */
mplan_status mpi_derive_cells_cells(mpi_mesh *mesh, mplan_error *err)
{
    mpi_cells cells;
    mpi_face_match match = {.n_elsewhere = 0};
    int64_t *offsets = NULL, *values = NULL;
    mplan_status status = mpi_cells_open(mesh, &cells, err);
    if (!status)
        status = mpi_match_faces(mesh, &cells, &match, err);
    if (!status)
        status = mpi_agree(mesh->comm, open_rows(&cells, &offsets, &values, err), err);
    const int64_t n_cells = cells.table.nodes.n_rows;
    for (int64_t c = 0; c < n_cells && !status; c++) {
        const int32_t n = mplan_cell_shape_of((mplan_cell_type)cells.table.type[c])->n_faces;
        const int32_t *mate = match.own.mate + c * cells.table.stride;
        int64_t *row = values + row_of(&cells, offsets, c);
        for (int32_t f = 0; f < n; f++)
            row[f] = mate[f] < 0         ? -1
                     : mate[f] < n_cells ? cells.first + mate[f]
                                         : match.elsewhere[mate[f] - n_cells];
    }
    if (!status && mpi_mesh_find_set(mesh, "faces") < 0)
        status = add_faces(mesh, &cells, &match, err);
    mpi_face_match_free(&match);
    status = add_rows(mesh, status, &cells, "cells", offsets, values, err);
    mpi_cells_close(&cells);
    return status;
}

/* A face for one of its cells.
 * All in numbers of the mesh; key: nodes of the face, -1 behind the last of fewer than four. */
typedef struct face_note {
    int64_t cell, face, key[MPLAN_FACE_CORNERS];
} face_note;

/* Every face to both of its cells, which other ranks may have.
 * Collective. Each own face makes two notes, as inner faces have two cells; got: the notes of
 * own cells, in an order that depends on the ranks. That does not matter: each note fills a slot
 * of its own. */
static mplan_status send_notes(const mpi_mesh *mesh, mpi_items *got, mplan_error *err)
{
    const mpi_map *to_cells = &mesh->maps[mpi_mesh_find_map(mesh, "faces_cells")];
    const mpi_map *to_nodes = &mesh->maps[mpi_mesh_find_map(mesh, "faces_nodes")];
    const int64_t n = mpi_own_members(mesh, to_cells->from);
    face_note *notes = mplan_alloc(2 * n, sizeof *notes, err);
    int32_t *to = mplan_alloc(2 * n, sizeof *to, err);
    mplan_status status = notes && to ? MPLAN_OK : MPLAN_ERR_MEMORY;
    for (int64_t i = 0; i < 2 * n && !status; i++) {
        int64_t size;
        const int64_t *node = mpi_map_row(to_nodes, i / 2, &size);
        notes[i] = (face_note){to_cells->values[i],
                               mesh->sets[to_cells->from].first[mesh->rank] + i / 2,
                               {-1, -1, -1, -1}};
        memcpy(notes[i].key, node, (size_t)size * sizeof *node);
        to[i] = mpi_rank_of(mesh->sets[to_cells->to].first, mesh->ranks, notes[i].cell);
    }
    status = mpi_exchange_mixed(mesh->comm, status, sizeof *notes, notes, 2 * n, to, got, err);
    free(notes);
    free(to);
    return status;
}

/* The local face of an own cell with the corners of the note. A folded cell may have it more than once: the first counts.
 * finder: numbers of the mesh to numbers of nodes on this rank. Corners are compared sorted,
 * since the two cells of a face list them from different ones on. */
static int32_t local_face(const mpi_cells *cells, const mpi_finder *finder, int64_t c,
                          const face_note *note)
{
    const int32_t *node;
    const mplan_cell_shape *shape = mplan_table_cell(&cells->table, c, &node);
    int32_t key[MPLAN_FACE_CORNERS], corner[MPLAN_FACE_CORNERS], n = 0, f = 0;
    for (; n < MPLAN_FACE_CORNERS && note->key[n] >= 0; n++)
        key[n] = (int32_t)mpi_find(finder, note->key[n]);
    mplan_face_key(key, n);
    for (; f < shape->n_faces; f++) {
        mplan_face_key(corner, mplan_face_corners(shape, node, f, corner));
        if (memcmp(corner, key, sizeof corner) == 0)
            break;
    }
    assert(f < shape->n_faces);
    return f;
}

/* A face is known where its lower cell is: its number and corners go to both cells. */
mplan_status mpi_derive_cells_faces(mpi_mesh *mesh, mplan_error *err)
{
    mpi_cells cells;
    mpi_items notes = {0};
    int64_t *offsets = NULL, *values = NULL;
    mplan_status status = mpi_mesh_find_set(mesh, "faces") >= 0 ? MPLAN_OK
                                                                : mpi_derive_faces(mesh, err);
    if (status)
        return status;
    status = mpi_cells_open(mesh, &cells, err);
    if (!status)
        status = send_notes(mesh, &notes, err);
    if (!status)
        status = open_rows(&cells, &offsets, &values, err);
    mpi_finder finder;
    mpi_finder_open(cells.node, status ? 0 : cells.n_nodes, &finder);
    for (int64_t i = 0; i < notes.n && !status; i++) {
        const face_note *note = (const face_note *)notes.data + i;
        const int64_t c = note->cell - cells.first;
        values[row_of(&cells, offsets, c) + local_face(&cells, &finder, c, note)] = note->face;
    }
    mpi_finder_close(&finder);
    mpi_items_free(&notes);
    status = add_rows(mesh, status, &cells, "faces", offsets, values, err);
    mpi_cells_close(&cells);
    return status;
}
