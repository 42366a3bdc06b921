/* SPDX-License-Identifier: Apache-2.0 */
/* read_solids.c - cells that a file gives by their faces, as OpenFOAM does: put together on the ranks that have them
 *
 * Every rank has a share of the faces between two cells and one of those on the boundary, with their points and the cells at
 * their sides. It sends each face to the ranks of these cells, which order what they got as one process has it: inner faces
 * first, then those on the boundary, each by number. So a cell has the same nodes in the same order for any number of ranks.
 *
 * A face travels as words of 64 bits: one that tells the cell, counted from the first one of its rank, how many points follow,
 * and from which side and of which kind it is; then the points.
 *
 * Functions are collective but where they say otherwise. */
#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "formats/polyhedra.h"
#include "mpi/exchange.h"
#include "mpi/read_layout.h"

/* Bits of the first word of a face: the side, the kind, then how many points, then the cell. */
enum { ENTERS = 1, OUTER = 2, POINTS_AT = 2, CELL_AT = 32, MOST_POINTS = 1 << 29 };

/* The faces of the cells of this rank. */
typedef struct cell_faces {
    int64_t n;       /* cells */
    int64_t *begin;  /* n + 1 */
    int64_t *at;     /* begin[n]: which word a face begins with */
    mpi_items words; /* int64_t */
} cell_faces;

static const int64_t *word_at(const cell_faces *of, int64_t i)
{
    return (const int64_t *)of->words.data + i;
}
static int64_t points_of(int64_t head)
{
    return head >> POINTS_AT & (MOST_POINTS - 1);
}

static void free_faces(cell_faces *of)
{
    free(of->begin);
    free(of->at);
    mpi_items_free(&of->words);
}

/* What all functions here look at. */
typedef struct solids {
    const mpi_readers *readers;
    const mplan_places *layout;
    mpi_read_table *tables; /* MPI_FOAM_TABLES */
    mpi_mesh *mesh;
} solids;

/* The file that table t is in; not collective. */
static const char *path_of(const solids *s, int32_t t)
{
    const mplan_places_table *table = (const mplan_places_table *)s->layout->tables.data + t;
    const mplan_places_block *block = (const mplan_places_block *)s->layout->blocks.data +
                                      table->block;
    return mplan_places_path_of(s->layout, mplan_places_get_array(s->layout, block->array));
}

/* --- what must hold of faces --------------------------------------------------------------------- */

/* Faces have three points or more, and the cell of the lower number comes first. Not collective. */
static mplan_status check_faces(const solids *s, mplan_error *err)
{
    const mpi_read_table *owner = &s->tables[MPI_FOAM_OWNER];
    const mpi_read_table *other = &s->tables[MPI_FOAM_NEIGHBOUR];
    for (int32_t t = MPI_FOAM_POINTS; t <= MPI_FOAM_OUTER_POINTS; t++) {
        const mpi_read_table *faces = &s->tables[t];
        const int64_t before = t == MPI_FOAM_POINTS ? 0 : s->tables[MPI_FOAM_POINTS].rows;
        for (int64_t f = 0; f < faces->n; f++) {
            const int64_t n = faces->offsets[f + 1] - faces->offsets[f];
            if (n < 3 || n >= MOST_POINTS)
                return mplan_fail(err, MPLAN_ERR_MESH, "%s: face %lld has %lld points", path_of(s, t),
                                  (long long)(before + faces->begin + f), (long long)n);
        }
    }
    for (int64_t f = 0; f < owner->n; f++)
        if (owner->values[f] >= 0 && other->values[f] >= 0 && other->values[f] <= owner->values[f])
            return mplan_fail(err, MPLAN_ERR_MESH,
                              "%s: face %lld has the owner %lld and the neighbour %lld",
                              path_of(s, MPI_FOAM_NEIGHBOUR), (long long)(owner->begin + f),
                              (long long)owner->values[f], (long long)other->values[f]);
    return MPLAN_OK;
}

/* As many as the largest number tells, which the faces must be enough for: four of each cell.
 * Comes out alike on all ranks, without a message. */
static mplan_status count_cells(const solids *s, int64_t *n, mplan_error *err)
{
    const int64_t inner = s->tables[MPI_FOAM_POINTS].rows;
    const int64_t faces = inner + s->tables[MPI_FOAM_OUTER_POINTS].rows;
    int64_t most = 0;
    for (int32_t t = MPI_FOAM_OWNER; t < MPI_FOAM_TABLES; t++)
        most = s->tables[t].most > most ? s->tables[t].most : most;
    *n = most < INT64_MAX ? most + 1 : most;
    if (*n <= (faces + inner) / 4)
        return MPLAN_OK;
    return mplan_fail(err, MPLAN_ERR_MESH,
                      "%s: cell %lld is impossible: %lld faces, of which %lld have two cells, are too "
                      "few for so many cells",
                      path_of(s, MPI_FOAM_NEIGHBOUR), (long long)most, (long long)faces,
                      (long long)inner);
}

/* --- faces to the ranks of their cells ---------------------------------------------------------------- */

/* Face f of a table goes to the rank of a cell. words NULL: it is counted only. at: by rank, how many words there are, or
 * where the next one goes; it is moved on. Not collective. */
static void add_face(const solids *s, const mpi_set *cells, const mpi_read_table *faces, int64_t f,
                     int64_t cell, int64_t kind, int64_t *at, int64_t *words)
{
    const int64_t first = faces->offsets[f], n = faces->offsets[f + 1] - first;
    const int32_t r = mpi_rank_of(cells->first, s->mesh->ranks, cell);
    if (words) {
        words[at[r]] = (cell - cells->first[r]) << CELL_AT | n << POINTS_AT | kind;
        memcpy(words + at[r] + 1, faces->values + first, (size_t)n * sizeof *words);
    }
    at[r] += 1 + n;
}

/* All faces of this rank by number, to both of their cells. Not collective. */
static void add_faces(const solids *s, int64_t *at, int64_t *words)
{
    const mpi_set *cells = &s->mesh->sets[mpi_mesh_find_set(s->mesh, "cells")];
    const mpi_read_table *inner = &s->tables[MPI_FOAM_POINTS];
    const mpi_read_table *outer = &s->tables[MPI_FOAM_OUTER_POINTS];
    for (int64_t f = 0; f < inner->n; f++) {
        add_face(s, cells, inner, f, s->tables[MPI_FOAM_OWNER].values[f], 0, at, words);
        add_face(s, cells, inner, f, s->tables[MPI_FOAM_NEIGHBOUR].values[f], ENTERS, at, words);
    }
    for (int64_t f = 0; f < outer->n; f++)
        add_face(s, cells, outer, f, s->tables[MPI_FOAM_OUTER_OWNER].values[f], OUTER, at, words);
}

/* words: out, what came from all ranks. */
static mplan_status send_faces(const solids *s, mpi_items *words, mplan_error *err)
{
    const int32_t ranks = s->mesh->ranks;
    int64_t *counts = mplan_alloc_zero(ranks, sizeof *counts, err), total = 0;
    int64_t *at = counts ? mplan_alloc(ranks, sizeof *at, err) : NULL, *sent = NULL;
    if (at)
        add_faces(s, counts, NULL);
    for (int32_t r = 0; r < ranks && at; r++) {
        at[r] = total;
        total += counts[r];
    }
    if (at && (sent = mplan_alloc(total, sizeof *sent, err)))
        add_faces(s, at, sent);
    mplan_status status = mpi_exchange(s->mesh->comm, sent ? MPLAN_OK : MPLAN_ERR_MEMORY,
                                       sizeof *sent, sent, counts, words, err);
    free(sent);
    free(at);
    free(counts);
    return status;
}

/* The cell and the first word of the face at a word; returns where the next face begins. Not collective. */
static int64_t next_face(const cell_faces *of, int64_t word, int64_t *cell, int64_t *head)
{
    *head = *word_at(of, word);
    *cell = *head >> CELL_AT;
    return word + 1 + points_of(*head);
}

/* begin and at, by counting. Faces come by rank and so by number, inner ones and those on the boundary each for themselves.
 * Not collective. */
static mplan_status deal_faces(cell_faces *of, mplan_error *err)
{
    int64_t cell, head, faces = 0;
    of->begin = mplan_alloc_zero(of->n + 2, sizeof *of->begin, err);
    for (int64_t w = 0; w < of->words.n && of->begin; faces++) {
        w = next_face(of, w, &cell, &head);
        of->begin[cell + 2]++;
    }
    of->at = of->begin ? mplan_alloc(faces, sizeof *of->at, err) : NULL;
    if (!of->at)
        return MPLAN_ERR_MEMORY;
    int64_t *next = of->begin + 1; /* while faces are dealt out, the place of cell c's next one */
    for (int64_t c = 0; c < of->n; c++)
        next[c + 1] += next[c];
    for (int64_t kind = 0; kind <= OUTER; kind += OUTER)
        for (int64_t w = 0, after; w < of->words.n; w = after) {
            after = next_face(of, w, &cell, &head);
            if ((head & OUTER) == kind)
                of->at[next[cell]++] = w;
        }
    return MPLAN_OK;
}

/* No solid has fewer than four faces. Not collective. */
static mplan_status check_sizes(const solids *s, const cell_faces *of, mplan_error *err)
{
    const mpi_set *cells = &s->mesh->sets[mpi_mesh_find_set(s->mesh, "cells")];
    for (int64_t c = 0; c < of->n; c++)
        if (of->begin[c + 1] - of->begin[c] < 4)
            return mplan_fail(err, MPLAN_ERR_MESH, "%s: cell %lld has %lld faces",
                              path_of(s, MPI_FOAM_OWNER),
                              (long long)(cells->first[s->mesh->rank] + c),
                              (long long)(of->begin[c + 1] - of->begin[c]));
    return MPLAN_OK;
}

/* *of: out, also after a failure. */
static mplan_status find_faces(const solids *s, cell_faces *of, mplan_error *err)
{
    mplan_status status = send_faces(s, &of->words, err);
    if (status)
        return status;
    of->n = mpi_own_members(s->mesh, mpi_mesh_find_set(s->mesh, "cells"));
    status = deal_faces(of, err);
    if (!status)
        status = check_sizes(s, of, err);
    return mpi_agree(s->mesh->comm, status, err);
}

/* --- cells with types ------------------------------------------------------------------------------------ */

/* The type of a cell and its nodes; false: it has none. Points are numbered anew within the cell, as the code that tells the
 * type has numbers of 32 bits. Not collective. */
static bool type_of(const cell_faces *of, int64_t c, mplan_cell_type *type,
                    int64_t node[MPLAN_MOST_TYPED_NODES])
{
    enum { MOST = 4 }; /* points of a face of such a cell */
    mplan_cell_face faces[MPLAN_MOST_TYPED_FACES];
    int32_t local[MPLAN_MOST_TYPED_FACES * MOST], row[MPLAN_MOST_TYPED_NODES], n_known = 0, n = 0;
    int64_t known[MPLAN_MOST_TYPED_FACES * MOST];
    const int64_t n_faces = of->begin[c + 1] - of->begin[c];
    if (n_faces > MPLAN_MOST_TYPED_FACES)
        return false;
    for (int32_t i = 0; i < n_faces; i++) {
        const int64_t *face = word_at(of, of->at[of->begin[c] + i]);
        const int64_t points = points_of(face[0]);
        if (points > MOST)
            return false;
        faces[i] = (mplan_cell_face){local + n, (int32_t)points, (face[0] & ENTERS) != 0};
        for (int64_t k = 1; k <= points; k++) {
            int32_t p = 0;
            while (p < n_known && known[p] != face[k])
                p++;
            if (p == n_known)
                known[n_known++] = face[k];
            local[n++] = p;
        }
    }
    if (!mplan_cell_of_faces((int32_t)n_faces, faces, type, row))
        return false;
    for (int32_t k = 0; k < mplan_cell_type_nodes(*type); k++)
        node[k] = known[row[k]];
    return true;
}

/* Rows of nodes: of this rank's cells, all in mplan_alloc. */
typedef struct cell_rows {
    uint8_t *type; /* NULL: without types */
    int64_t *offsets, *nodes;
} cell_rows;

static void free_rows(cell_rows *rows)
{
    free(rows->type);
    free(rows->offsets);
    free(rows->nodes);
    *rows = (cell_rows){0};
}

/* *all: every cell of this rank has a type; else what rows have is not to be used. Not collective. */
static mplan_status type_cells(const cell_faces *of, cell_rows *rows, bool *all, mplan_error *err)
{
    rows->type = mplan_alloc(of->n, sizeof *rows->type, err);
    rows->offsets = mplan_alloc(of->n + 1, sizeof *rows->offsets, err);
    rows->nodes = mplan_alloc(of->n * MPLAN_MOST_TYPED_NODES, sizeof *rows->nodes, err);
    if (!rows->type || !rows->offsets || !rows->nodes)
        return MPLAN_ERR_MEMORY;
    *all = true;
    rows->offsets[0] = 0;
    for (int64_t c = 0; c < of->n && *all; c++) {
        mplan_cell_type type = MPLAN_CELL_TET4;
        *all = type_of(of, c, &type, rows->nodes + rows->offsets[c]);
        rows->type[c] = (uint8_t)type;
        rows->offsets[c + 1] = rows->offsets[c] + mplan_cell_type_nodes(type);
    }
    return MPLAN_OK;
}

/* --- polyhedra -------------------------------------------------------------------------------------------- */

/* Nodes of the cell at hand, by a number mixed of theirs: those of cells before count as free places. */
typedef struct node_table {
    struct node_place {
        int64_t node, cell;
    } * places;
    int bits;
} node_table;

/* Whether the cell has not had the node yet; it is noted. Not collective. */
static bool is_new(node_table *table, int64_t node, int64_t cell)
{
    const uint64_t mask = (UINT64_C(1) << table->bits) - 1;
    uint64_t i = ((uint64_t)node * UINT64_C(0x9E3779B97F4A7C15)) >> (64 - table->bits);
    while (table->places[i].cell == cell && table->places[i].node != node)
        i = (i + 1) & mask;
    if (table->places[i].cell == cell)
        return false;
    table->places[i] = (struct node_place){node, cell};
    return true;
}

/* Twice as many places as the faces of any cell of this rank have points. Not collective. */
static mplan_status open_table(const cell_faces *of, node_table *table, mplan_error *err)
{
    int64_t most = 0;
    for (int64_t c = 0; c < of->n; c++) {
        int64_t n = 0;
        for (int64_t i = of->begin[c]; i < of->begin[c + 1]; i++)
            n += points_of(*word_at(of, of->at[i]));
        most = n > most ? n : most;
    }
    for (table->bits = 1; (INT64_C(1) << table->bits) < 2 * most; table->bits++) {
    }
    table->places = mplan_alloc(INT64_C(1) << table->bits, sizeof *table->places, err);
    for (int64_t i = 0; table->places && i < INT64_C(1) << table->bits; i++)
        table->places[i].cell = -1;
    return table->places ? MPLAN_OK : MPLAN_ERR_MEMORY;
}

/* Each node of a cell once, in the order of its faces. Not collective. */
static mplan_status list_nodes(const cell_faces *of, cell_rows *rows, mplan_error *err)
{
    node_table table = {NULL, 0};
    mplan_status status = open_table(of, &table, err);
    const int64_t faces = of->begin[of->n];
    rows->offsets = mplan_alloc(of->n + 1, sizeof *rows->offsets, err);
    rows->nodes = mplan_alloc(of->words.n - faces, sizeof *rows->nodes, err);
    if (!rows->offsets || !rows->nodes)
        status = MPLAN_ERR_MEMORY;
    int64_t n = 0;
    for (int64_t c = 0; c < of->n && !status; c++) {
        rows->offsets[c] = n;
        for (int64_t i = of->begin[c]; i < of->begin[c + 1]; i++) {
            const int64_t *face = word_at(of, of->at[i]);
            for (int64_t k = 1; k <= points_of(face[0]); k++)
                if (is_new(&table, face[k], c))
                    rows->nodes[n++] = face[k];
        }
    }
    if (!status)
        rows->offsets[of->n] = n;
    free(table.places);
    return status;
}

/* --- the mesh ----------------------------------------------------------------------------------------------- */

/* Types where all cells of all ranks have one. Arrays go to the mesh. */
static mplan_status add_cells(const solids *s, const cell_faces *of, mplan_error *err)
{
    const int32_t cells = mpi_mesh_find_set(s->mesh, "cells");
    cell_rows rows = {0};
    bool all = false;
    mplan_status status = mpi_agree(s->mesh->comm, type_cells(of, &rows, &all, err), err);
    all = !status && mpi_sum(s->mesh->comm, !all) == 0;
    if (!status && !all) {
        free_rows(&rows);
        status = mpi_agree(s->mesh->comm, list_nodes(of, &rows, err), err);
    }
    int64_t common = 0;
    if (!status && all) {
        common = mpi_common_length(s->mesh->comm, of->n, NULL, rows.offsets);
        s->mesh->dimension = 3;
        s->mesh->sets[cells].cell_type = rows.type;
        rows.type = NULL;
    }
    /* room that types of fewer nodes leave, or nodes that several faces have */
    if (!status) {
        int64_t *less = mplan_realloc(rows.nodes, rows.offsets[of->n], sizeof *less, err);
        rows.nodes = less ? less : rows.nodes;
        status = mpi_agree(s->mesh->comm, less ? MPLAN_OK : MPLAN_ERR_MEMORY, err);
    }
    if (!status) {
        if (common > 0)
            free(rows.offsets);
        status = mpi_mesh_take_map(s->mesh, "cells_nodes", cells,
                                   mpi_mesh_find_set(s->mesh, "nodes"), (int32_t)common,
                                   common > 0 ? NULL : rows.offsets, rows.nodes, err);
        rows.offsets = rows.nodes = NULL;
    }
    free_rows(&rows);
    return mpi_agree(s->mesh->comm, status, err);
}

/* The set of a table of points, with its maps. cells: `arity` of them a face, taken over also after a failure. */
static mplan_status add_face_set(const solids *s, int32_t points, const char *name, int32_t arity,
                                 int64_t *cells, mplan_error *err)
{
    mpi_read_table *faces = &s->tables[points];
    char map[64];
    int32_t set = -1;
    const int64_t common = mpi_common_length(s->mesh->comm, faces->n, NULL, faces->offsets);
    mplan_status status = cells ? mpi_mesh_add_set(s->mesh, name, faces->rows, &set, err)
                                : MPLAN_ERR_MEMORY;
    if (status) {
        free(cells);
        return mpi_agree(s->mesh->comm, status, err);
    }
    if (common > 0) {
        free(faces->offsets);
        faces->offsets = NULL;
    }
    snprintf(map, sizeof map, "%s_cells", name);
    status = mpi_mesh_take_map(s->mesh, map, set, mpi_mesh_find_set(s->mesh, "cells"), arity, NULL,
                               cells, err);
    snprintf(map, sizeof map, "%s_nodes", name);
    if (!status) {
        status = mpi_mesh_take_map(s->mesh, map, set, mpi_mesh_find_set(s->mesh, "nodes"),
                                   (int32_t)common, faces->offsets, faces->values, err);
        faces->offsets = faces->values = NULL;
    }
    return mpi_agree(s->mesh->comm, status, err);
}

/* Both sets; values of the cells on the boundary go to the mesh, those of inner faces are paired first. */
static mplan_status add_face_sets(const solids *s, mplan_error *err)
{
    const mpi_read_table *owner = &s->tables[MPI_FOAM_OWNER];
    mpi_read_table *outer = &s->tables[MPI_FOAM_OUTER_OWNER];
    int64_t *cells = mplan_alloc(2 * owner->n, sizeof *cells, err);
    for (int64_t f = 0; f < owner->n && cells; f++) {
        cells[2 * f] = owner->values[f];
        cells[2 * f + 1] = s->tables[MPI_FOAM_NEIGHBOUR].values[f];
    }
    mplan_status status = add_face_set(s, MPI_FOAM_POINTS, "faces", 2, cells, err);
    if (!status) {
        cells = outer->values;
        outer->values = NULL;
        status = add_face_set(s, MPI_FOAM_OUTER_POINTS, "boundary_faces", 1, cells, err);
    }
    if (!status)
        s->mesh->faces = mplan_strdup("faces", err);
    return mpi_agree(s->mesh->comm,
                     status           ? status
                     : s->mesh->faces ? MPLAN_OK
                                      : MPLAN_ERR_MEMORY,
                     err);
}

/* Sets nodes and cells, when it is known how many cells there are, and that all numbers are below the sizes of both. */
static mplan_status add_sets(const solids *s, mplan_error *err)
{
    const mplan_places_points *points = s->layout->points.data;
    const int64_t n_nodes = mplan_places_get_array(s->layout, points->array[0])->rows;
    int64_t n_cells;
    mplan_status status = mpi_agree(s->mesh->comm, check_faces(s, err), err);
    if (!status)
        status = count_cells(s, &n_cells, err);
    if (!status && n_cells / s->mesh->ranks >= INT32_MAX)
        status = mplan_fail(err, MPLAN_ERR_UNSUPPORTED,
                            "%s: %lld cells are too many for %d ranks: give more", path_of(s, 0),
                            (long long)n_cells, (int)s->mesh->ranks);
    for (int32_t t = 0; t < MPI_FOAM_TABLES && !status; t++)
        status = mpi_check_table(s->readers, s->layout, t, &s->tables[t],
                                 t < MPI_FOAM_OWNER ? n_nodes : n_cells, err);
    if (!status)
        status = mpi_mesh_add_set(s->mesh, "nodes", n_nodes, NULL, err);
    if (!status)
        status = mpi_mesh_add_set(s->mesh, "cells", n_cells, NULL, err);
    return mpi_agree(s->mesh->comm, status, err);
}

/* Sets and maps come in the order in which the serial reader makes them. */
mplan_status mpi_read_solids(const mpi_readers *readers, const mplan_places *layout,
                             mpi_read_table tables[MPI_FOAM_TABLES], mpi_mesh *mesh, mplan_error *err)
{
    assert(readers && layout && mesh && layout->tables.count == MPI_FOAM_TABLES);
    const solids s = {readers, layout, tables, mesh};
    cell_faces of = {0};
    mplan_status status = add_sets(&s, err);
    if (!status)
        status = find_faces(&s, &of, err);
    if (!status)
        status = add_cells(&s, &of, err);
    free_faces(&of);
    return status ? status : add_face_sets(&s, err);
}
