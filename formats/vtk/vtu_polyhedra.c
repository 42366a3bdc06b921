/* SPDX-License-Identifier: Apache-2.0 */
/* vtu_polyhedra.c - polyhedra in VTK XML files: streams to version 1 of the format, arrays of faces since version 2 */
#ifdef MPLAN_HAVE_EXPAT
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "formats/vtk/vtu_reader.h"

/* --- polyhedra: streams (to version 1) ----------------------------------------------- */

/* Adds reader->point to the points of cell c's stream, not to the numbers of points; a point that the piece does not
 * have must not become one of another piece. Stops where the stream makes no sense: it is checked later, by
 * mplan_vtk_check_polyhedron. */
static mplan_status shift_stream(const vtu_reader *reader, const mplan_vtu_piece *piece, int64_t c,
                                 mplan_error *err)
{
    const int64_t *offsets = reader->cells.face_offsets + reader->cell;
    int32_t *stream = reader->cells.faces + offsets[c];
    int64_t length = offsets[c + 1] - offsets[c], at = 1;
    for (int64_t f = 0; length > 0 && f < stream[0] && at < length; f++) {
        int64_t n = stream[at++];
        for (int64_t k = 0; k < n && at < length; k++, at++) {
            if (stream[at] >= piece->n_points)
                return mplan_fail(err, MPLAN_ERR_MESH,
                                  "%s: face %lld of cell %lld has point %d, which is not in [0, %lld)",
                                  reader->file.path, (long long)f, (long long)(reader->cell + c),
                                  stream[at], (long long)piece->n_points);
            stream[at] += (int32_t)reader->point;
        }
    }
    return MPLAN_OK;
}

/* n: entries in total. What was there stays. */
static mplan_status grow_faces(vtu_reader *reader, int64_t n, mplan_error *err)
{
    int32_t *faces = mplan_realloc(reader->cells.faces, n, sizeof *faces, err);
    if (!faces)
        return MPLAN_ERR_MEMORY;
    reader->cells.faces = faces;
    return MPLAN_OK;
}

/* Polyhedra of older files: one array of streams with their ends. */
static mplan_status read_streams(vtu_reader *reader, const mplan_vtu_piece *piece, mplan_error *err)
{
    int64_t *offsets = reader->cells.face_offsets + reader->cell, first = offsets[0];
    mplan_status status = mplan_vtu_read_ends(reader, piece, MPLAN_VTU_FACEOFFSETS, piece->n_cells,
                                              first, true, offsets + 1, err);
    if (status)
        return status;
    int64_t length = offsets[piece->n_cells] - first;
    status = mplan_vtu_need_array(&(vtu_budget){&reader->file, reader->budget.left},
                                  &piece->arrays[MPLAN_VTU_FACES], "faces", length, err);
    if (!status)
        status = grow_faces(reader, first + length, err);
    if (!status)
        status = mplan_vtu_read_ids(reader, piece, MPLAN_VTU_FACES, length, 0, INT32_MAX, true,
                                    reader->cells.faces + first, err);
    for (int64_t c = 0; c < piece->n_cells && !status; c++)
        status = shift_stream(reader, piece, c, err);
    return status;
}

/* --- polyhedra: faces (since version 2) ------------------------------------------------- */

/* Faces of the polyhedra of one piece; ends: behind the last entry of each. */
typedef struct face_arrays {
    int64_t *cell_ends, *face_ends; /* of a piece's polyhedra in cell_faces, of faces in points */
    int32_t *cell_faces, *points;
    uint8_t *uses; /* of a face, by polyhedra */
    int64_t n_faces;
} face_arrays;

/* Also of arrays that were never made. */
static void free_face_arrays(face_arrays *arrays)
{
    free(arrays->cell_ends);
    free(arrays->face_ends);
    free(arrays->cell_faces);
    free(arrays->points);
    free(arrays->uses);
}

/* Memory only if the file can fill it. */
static mplan_status room_for(vtu_reader *reader, const mplan_vtu_piece *piece, int32_t index,
                             int64_t n, size_t size, void **array, mplan_error *err)
{
    vtu_budget left = reader->budget; /* it is spent when the array is opened */
    mplan_status status = mplan_vtu_need_array(&left, &piece->arrays[index],
                                               mplan_vtu_array_names[index], n, err);
    if (status)
        return status;
    *array = mplan_alloc(n, size, err);
    return *array ? MPLAN_OK : MPLAN_ERR_MEMORY;
}

/* Length of the piece's streams; a face may be named twice, by the cells on its two sides. */
static mplan_status count_streams(const mplan_vtu_file *file, const mplan_vtu_piece *piece,
                                  face_arrays *arrays, int64_t *length, mplan_error *err)
{
    *length = 0;
    for (int64_t c = 0, i = 0; c < piece->n_cells; c++) {
        *length += arrays->cell_ends[c] > i;
        for (; i < arrays->cell_ends[c]; i++) {
            int32_t f = arrays->cell_faces[i];
            if (arrays->uses[f]++ == 2)
                return mplan_fail(err, MPLAN_ERR_MESH,
                                  "%s: face %d belongs to more than two polyhedra", file->path, f);
            *length += 1 + arrays->face_ends[f] - (f ? arrays->face_ends[f - 1] : 0);
        }
    }
    return MPLAN_OK;
}

/* Into the form of read_streams. */
static void write_streams(const vtu_reader *reader, const mplan_vtu_piece *piece,
                          const face_arrays *arrays)
{
    int64_t *offsets = reader->cells.face_offsets + reader->cell, at = offsets[0];
    int32_t *to = reader->cells.faces;
    for (int64_t c = 0, i = 0; c < piece->n_cells; c++) {
        if (arrays->cell_ends[c] > i)
            to[at++] = (int32_t)(arrays->cell_ends[c] - i);
        for (; i < arrays->cell_ends[c]; i++) {
            int32_t f = arrays->cell_faces[i];
            int64_t first = f ? arrays->face_ends[f - 1] : 0, n = arrays->face_ends[f] - first;
            to[at++] = (int32_t)n;
            memcpy(to + at, arrays->points + first, (size_t)n * sizeof *to);
            at += n;
        }
        offsets[c + 1] = at;
    }
}

/* Polyhedra of newer files: cells -> faces -> points, each with ends. */
static mplan_status read_face_arrays(vtu_reader *reader, const mplan_vtu_piece *piece,
                                     face_arrays *arrays, mplan_error *err)
{
    int64_t n_cells = piece->n_cells, n_uses = 0, n_points = 0;
    mplan_status status = room_for(reader, piece, MPLAN_VTU_POLYHEDRON_OFFSETS, n_cells,
                                   sizeof(int64_t), (void **)&arrays->cell_ends, err);
    if (!status)
        status = mplan_vtu_read_ends(reader, piece, MPLAN_VTU_POLYHEDRON_OFFSETS, n_cells, 0, false,
                                     arrays->cell_ends, err);
    if (!status && n_cells > 0)
        n_uses = arrays->cell_ends[n_cells - 1];
    if (!status)
        status = room_for(reader, piece, MPLAN_VTU_POLYHEDRON_TO_FACES, n_uses, sizeof(int32_t),
                          (void **)&arrays->cell_faces, err);
    if (!status)
        status = mplan_vtu_read_ids(reader, piece, MPLAN_VTU_POLYHEDRON_TO_FACES, n_uses, 0,
                                    INT32_MAX, true, arrays->cell_faces, err);
    for (int64_t i = 0; i < n_uses && !status; i++)
        if (arrays->cell_faces[i] >= arrays->n_faces)
            arrays->n_faces = arrays->cell_faces[i] + INT64_C(1);
    if (!status)
        status = room_for(reader, piece, MPLAN_VTU_FACE_OFFSETS, arrays->n_faces, sizeof(int64_t),
                          (void **)&arrays->face_ends, err);
    if (!status)
        status = mplan_vtu_read_ends(reader, piece, MPLAN_VTU_FACE_OFFSETS, arrays->n_faces, 0,
                                     false, arrays->face_ends, err);
    if (!status && arrays->n_faces > 0)
        n_points = arrays->face_ends[arrays->n_faces - 1];
    if (!status)
        status = room_for(reader, piece, MPLAN_VTU_FACE_CONNECTIVITY, n_points, sizeof(int32_t),
                          (void **)&arrays->points, err);
    if (!status)
        status = mplan_vtu_read_ids(reader, piece, MPLAN_VTU_FACE_CONNECTIVITY, n_points,
                                    reader->point, piece->n_points, false, arrays->points, err);
    return status;
}

/* uses: how many cells have each face; a face is listed at each. */
static mplan_status read_faces(vtu_reader *reader, const mplan_vtu_piece *piece, mplan_error *err)
{
    face_arrays arrays = {0};
    int64_t length = 0, first = reader->cells.face_offsets[reader->cell];
    mplan_status status = read_face_arrays(reader, piece, &arrays, err);
    if (!status) {
        arrays.uses = mplan_alloc_zero(arrays.n_faces, sizeof *arrays.uses, err);
        status = arrays.uses ? count_streams(&reader->file, piece, &arrays, &length, err)
                             : MPLAN_ERR_MEMORY;
    }
    if (!status)
        status = grow_faces(reader, first + length, err);
    if (!status)
        write_streams(reader, piece, &arrays);
    free_face_arrays(&arrays);
    return status;
}

/* types: VTK's codes, n of them. */
bool mplan_vtu_has_polyhedra(const uint8_t *types, int64_t n)
{
    return n > 0 && memchr(types, MPLAN_VTK_POLYHEDRON, (size_t)n) != NULL;
}

/* Pieces without polyhedra have empty streams. */
mplan_status mplan_vtu_read_polyhedra(vtu_reader *reader, const mplan_vtu_piece *piece,
                                      mplan_error *err)
{
    int64_t *offsets = reader->cells.face_offsets + reader->cell;
    if (!mplan_vtu_has_polyhedra(reader->cells.types + reader->cell, piece->n_cells)) {
        for (int64_t c = 0; c < piece->n_cells; c++)
            offsets[c + 1] = offsets[0];
        return MPLAN_OK;
    }
    return piece->arrays[MPLAN_VTU_FACEOFFSETS].tag ? read_streams(reader, piece, err)
                                                    : read_faces(reader, piece, err);
}
#else
typedef int mplan_vtu_polyhedra_needs_expat; /* a file holds something */
#endif
