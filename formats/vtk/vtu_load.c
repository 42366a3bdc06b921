/* SPDX-License-Identifier: Apache-2.0 */
/* vtu_load.c - the cells of one VTK XML file, all its pieces one behind the other */
#ifdef MPLAN_HAVE_EXPAT
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "formats/vtk/vtu_reader.h"

/* p < pieces.count. */
static const mplan_vtu_piece *piece_at(const mplan_vtu_file *file, int64_t p)
{
    return (const mplan_vtu_piece *)file->pieces.data + p;
}

/* --- sizes ------------------------------------------------------------------------ */

/* Totals of all pieces; what their files must hold at least is seen to. */
static mplan_status count_all(const mplan_vtu_file *file, mplan_vtk_cells *cells, mplan_error *err)
{
    vtu_budget least = {file, file->end - file->begin};
    mplan_status status = MPLAN_OK;
    for (int64_t p = 0; p < file->pieces.count && !status; p++) {
        const mplan_vtu_piece *piece = piece_at(file, p);
        if (piece->n_points > INT32_MAX - cells->n_points ||
            piece->n_cells > INT32_MAX - cells->n_cells)
            return mplan_fail(err, MPLAN_ERR_UNSUPPORTED, "%s: points or cells exceed 32 bits",
                              file->path);
        cells->n_points += piece->n_points;
        cells->n_cells += piece->n_cells;
        const mplan_vtu_array *points = &piece->arrays[MPLAN_VTU_POINTS];
        if (points->tag && points->components != 3)
            return mplan_vtu_fail(file, points->tag, err, MPLAN_ERR_CORRUPT,
                                  "points have %lld components, not 3",
                                  (long long)points->components);
        status = mplan_vtu_need_array(&least, points, "points", 3 * piece->n_points, err);
        for (int k = 0; k < MPLAN_VTU_N_SECTIONS && !status; k++)
            status = mplan_vtu_need_array(&least, &piece->arrays[MPLAN_VTU_SECTIONS + 2 * k + 1],
                                          "offsets", piece->n_of[k], err);
        if (file->kind == MPLAN_VTU_POLYDATA)
            continue;
        if (!status)
            status = mplan_vtu_need_array(&least, &piece->arrays[MPLAN_VTU_OFFSETS], "offsets",
                                          piece->n_cells, err);
        if (!status)
            status = mplan_vtu_need_array(&least, &piece->arrays[MPLAN_VTU_TYPES], "types",
                                          piece->n_cells, err);
    }
    return status;
}

/* --- arrays ------------------------------------------------------------------------- */

/* Into cells.xyz from reader->point on, in batches: the array may be text, base64 or compressed. */
static mplan_status read_points(vtu_reader *reader, const mplan_vtu_piece *piece, mplan_error *err)
{
    mplan_vtu_source *source = NULL;
    double batch[MPLAN_VTU_BATCH], *to = reader->cells.xyz + 3 * reader->point;
    int64_t got = 1;
    mplan_status status = mplan_vtu_open_array(&reader->budget, piece, MPLAN_VTU_POINTS,
                                               3 * piece->n_points, true, &source, err);
    while (!status && source && got > 0) {
        status = mplan_vtu_next_real(source, batch, &got, err);
        if (status)
            break;
        memcpy(to, batch, (size_t)got * sizeof *to);
        to += got;
        status = mplan_vtu_pause_after(reader, got, err);
    }
    mplan_vtu_close(source);
    return status;
}

/* Into cells.types from reader->cell on. */
static mplan_status read_types(vtu_reader *reader, const mplan_vtu_piece *piece, mplan_error *err)
{
    mplan_vtu_source *source = NULL;
    int64_t batch[MPLAN_VTU_BATCH], got = 1;
    uint8_t *to = reader->cells.types + reader->cell;
    mplan_status status = mplan_vtu_open_array(&reader->budget, piece, MPLAN_VTU_TYPES,
                                               piece->n_cells, true, &source, err);
    while (!status && source && got > 0) {
        status = mplan_vtu_next_whole(source, batch, &got, err);
        for (int64_t i = 0; i < got && !status; i++) {
            if (batch[i] < 0 || batch[i] > 255)
                status = mplan_vtu_fail_in(source, err, MPLAN_ERR_CORRUPT,
                                           "%lld is not a cell type", (long long)batch[i]);
            *to++ = (uint8_t)batch[i];
        }
        if (!status)
            status = mplan_vtu_pause_after(reader, got, err);
    }
    mplan_vtu_close(source);
    return status;
}

/* --- the file ----------------------------------------------------------------------------- */

typedef mplan_status (*read_part)(vtu_reader *reader, const mplan_vtu_piece *piece, mplan_error *err);

/* Entry c + 1 is where cell c ends, so that those of all pieces count on. */
static mplan_status read_offsets(vtu_reader *reader, const mplan_vtu_piece *piece, mplan_error *err)
{
    int64_t *offsets = reader->cells.offsets + reader->cell;
    return mplan_vtu_read_ends(reader, piece, MPLAN_VTU_OFFSETS, piece->n_cells, offsets[0], false,
                               offsets + 1, err);
}

/* Points are counted from the first of the piece. */
static mplan_status read_connectivity(vtu_reader *reader, const mplan_vtu_piece *piece,
                                      mplan_error *err)
{
    int64_t first = reader->cells.offsets[reader->cell];
    int64_t n = reader->cells.offsets[reader->cell + piece->n_cells] - first;
    return mplan_vtu_read_ids(reader, piece, MPLAN_VTU_CONNECTIVITY, n, reader->point,
                              piece->n_points, true, reader->cells.points + first, err);
}

/* numbers: in all pieces, for progress. reader->point and reader->cell say how many are before
 * the piece at hand. */
static mplan_status for_pieces(vtu_reader *reader, int64_t numbers, read_part read, mplan_error *err)
{
    mplan_status status = MPLAN_OK;
    reader->point = reader->cell = reader->done = 0;
    reader->total = numbers;
    for (int64_t p = 0; p < reader->file.pieces.count && !status; p++) {
        const mplan_vtu_piece *piece = piece_at(&reader->file, p);
        status = read(reader, piece, err);
        reader->point += piece->n_points;
        reader->cell += piece->n_cells;
    }
    return status;
}

/* What all connectivity arrays take must be in the file, before room is made. */
static mplan_status make_points(vtu_reader *reader, mplan_error *err)
{
    vtu_budget left = reader->budget;
    mplan_status status = MPLAN_OK;
    int64_t cell = 0;
    for (int64_t p = 0; p < reader->file.pieces.count && !status; p++) {
        const mplan_vtu_piece *piece = piece_at(&reader->file, p);
        int64_t n = reader->cells.offsets[cell + piece->n_cells] - reader->cells.offsets[cell];
        if (reader->file.kind != MPLAN_VTU_POLYDATA)
            status = mplan_vtu_need_array(&left, &piece->arrays[MPLAN_VTU_CONNECTIVITY],
                                          "connectivity", n, err);
        cell += piece->n_cells;
        const int64_t *ends = reader->cells.offsets + cell - piece->n_cells;
        for (int k = 0; k < MPLAN_VTU_N_SECTIONS && !status; ends += piece->n_of[k++])
            status = mplan_vtu_need_array(&left, &piece->arrays[MPLAN_VTU_SECTIONS + 2 * k],
                                          "connectivity", ends[piece->n_of[k]] - ends[0], err);
    }
    if (status)
        return status;
    reader->cells.points = mplan_alloc(reader->cells.offsets[cell], sizeof *reader->cells.points,
                                       err);
    return reader->cells.points ? MPLAN_OK : MPLAN_ERR_MEMORY;
}

/* All counts of all pieces first, then memory, then piece by piece. */
static mplan_status read_arrays(vtu_reader *reader, mplan_error *err)
{
    mplan_vtk_cells *cells = &reader->cells;
    mplan_status status = count_all(&reader->file, cells, err);
    if (status)
        return status;
    cells->xyz = mplan_alloc(3 * cells->n_points, sizeof *cells->xyz, err);
    cells->types = cells->xyz ? mplan_alloc(cells->n_cells, sizeof *cells->types, err) : NULL;
    cells->offsets = cells->types ? mplan_alloc(cells->n_cells + 1, sizeof *cells->offsets, err)
                                  : NULL;
    if (!cells->offsets)
        return MPLAN_ERR_MEMORY;
    cells->offsets[0] = 0;
    status = for_pieces(reader, 3 * cells->n_points, read_points, err);
    const bool sections = reader->file.kind == MPLAN_VTU_POLYDATA;
    if (!status && !sections)
        status = for_pieces(reader, cells->n_cells, read_types, err);
    if (!status)
        status = for_pieces(reader, cells->n_cells,
                            sections ? mplan_vtu_read_section_ends : read_offsets, err);
    if (!status)
        status = make_points(reader, err);
    if (!status)
        status = for_pieces(reader, cells->offsets[cells->n_cells],
                            sections ? mplan_vtu_read_section_points : read_connectivity, err);
    if (status || !mplan_vtu_has_polyhedra(cells->types, cells->n_cells))
        return status;
    cells->face_offsets = mplan_alloc(cells->n_cells + 1, sizeof *cells->face_offsets, err);
    if (!cells->face_offsets)
        return MPLAN_ERR_MEMORY;
    cells->face_offsets[0] = 0;
    return for_pieces(reader, 0, mplan_vtu_read_polyhedra, err);
}

/* Reading goes on after all pieces of the XML are known: only their places are kept. */
mplan_status mplan_vtu_load(const mplan_input *input, const mplan_read_options *options,
                            bool ghosts, uint64_t *inflated, const mplan_context *context,
                            mplan_vtk_cells *cells, mplan_vector *sources, mplan_error *err)
{
    vtu_reader reader = {.file = {.path = input->path,
                                  .begin = (const char *)input->data,
                                  .context = context,
                                  .ghosts = ghosts,
                                  .group_array = options ? options->group_array : NULL,
                                  .inflated = inflated,
                                  .pieces = MPLAN_VECTOR_INIT(sizeof(mplan_vtu_piece)),
                                  .data = MPLAN_VECTOR_INIT(sizeof(mplan_vtu_data)),
                                  .sources = MPLAN_VECTOR_INIT(sizeof(char *))}};
    mplan_vtu_file *file = &reader.file;
    file->end = file->begin + input->size;
    mplan_status status = mplan_vtu_find(file, err);
    if (!status && file->kind == MPLAN_VTU_PARALLEL) {
        if (!sources)
            status = mplan_fail(err, MPLAN_ERR_UNSUPPORTED,
                                "%s: a piece is a file of pieces itself, which is not supported",
                                file->path);
        else
            *sources = file->sources;
        file->sources = sources ? (mplan_vector)MPLAN_VECTOR_INIT(sizeof(char *)) : file->sources;
    } else if (!status) {
        reader.budget = (vtu_budget){file, (int64_t)input->size};
        status = read_arrays(&reader, err);
        if (!status)
            status = mplan_vtu_read_groups(file, &reader.cells, err);
    }
    for (int64_t i = 0; i < file->sources.count; i++)
        free(((char **)file->sources.data)[i]);
    free(file->sources.data);
    free(file->pieces.data);
    free(file->data.data);
    *cells = reader.cells;
    return status;
}
#else
typedef int mplan_vtu_load_needs_expat; /* a file holds something */
#endif
