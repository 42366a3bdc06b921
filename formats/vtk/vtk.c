/* SPDX-License-Identifier: Apache-2.0 */
/* vtk.c - reads VTK's legacy files (.vtk) of unstructured grids, versions 1.0 to 5.1
 *
 * After VTK's documentation, "VTK File Formats, Simple Legacy Formats", and for
 * version 5.1, where cells are two arrays, the release notes of VTK 9. Keywords are in lines of
 * text also in binary files, whose numbers are big-endian. Of the
 * data of points and cells those are read that are groups (vtk_data.c). */
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "formats/vtk/vtk_reader.h"
#include "formats/vtk/vtu_write.h"

/* --- sections ------------------------------------------------------------------------ */

/* Each section may come once: a second would leave its memory lost. */
static mplan_status refuse_second(const vtk_reader *reader, bool there, const char *keyword,
                                  mplan_error *err)
{
    return there
               ? mplan_vtk_fail_here(reader, err, MPLAN_ERR_CORRUPT, "a second section %s", keyword)
               : MPLAN_OK;
}

/* POINTS n type: 3 reals each, also for planar meshes. reader->xyz: 3 n doubles. */
static mplan_status read_points(vtk_reader *reader, mplan_error *err)
{
    const vtk_type *type = NULL;
    int64_t n;
    mplan_status status = refuse_second(reader, reader->xyz, "POINTS", err);
    if (!status)
        status = mplan_vtk_take_count(reader, "the number of points", &n, err);
    if (!status && n > INT32_MAX)
        status = mplan_vtk_fail_here(reader, err, MPLAN_ERR_UNSUPPORTED,
                                     "%lld points exceed 32 bits", (long long)n);
    if (!status)
        status = mplan_vtk_take_type(reader, &type, err);
    if (!status && type->number == VTK_BIT)
        status = mplan_vtk_fail_here(reader, err, MPLAN_ERR_CORRUPT, "points of bits");
    if (!status)
        status = mplan_vtk_begin_numbers(reader, type, 3 * n, "the points", err);
    if (status)
        return status;
    reader->n_points = n;
    reader->xyz = mplan_alloc(3 * n, sizeof *reader->xyz, err);
    if (!reader->xyz)
        return MPLAN_ERR_MEMORY;
    for (int64_t i = 0; i < 3 * n && !status; i++) {
        if (!reader->binary) {
            status = mplan_scan_f64(&reader->scan, "a coordinate", &reader->xyz[i], err);
        } else if (type->number == VTK_REAL) {
            reader->xyz[i] = mplan_vtk_take_binary_real(reader, type);
        } else {
            int64_t value;
            status = mplan_vtk_take_whole(reader, type, "a coordinate", &value, err);
            if (!status)
                reader->xyz[i] = (double)value;
        }
        if (!status)
            status = mplan_vtk_pause_at(reader, i, err);
    }
    return status;
}

/* A point of a cell; whether it exists is asked when all sections are there. */
static mplan_status take_point(vtk_reader *reader, const vtk_type *type, int32_t *point,
                               mplan_error *err)
{
    int64_t value;
    mplan_status status = mplan_vtk_take_whole(reader, type, "a point of a cell", &value, err);
    if (!status && (value < 0 || value > INT32_MAX))
        return mplan_vtk_fail_here(reader, err, MPLAN_ERR_MESH, "%lld is not a point",
                                   (long long)value);
    if (!status)
        *point = (int32_t)value;
    return status;
}

/* n_points: entries of all cells together. offsets: n_cells + 1, unset; points: n_points, unset. */
static mplan_status make_cells(vtk_reader *reader, int64_t n_cells, int64_t n_points, mplan_error *err)
{
    if (n_cells > INT32_MAX)
        return mplan_vtk_fail_here(reader, err, MPLAN_ERR_UNSUPPORTED, "%lld cells exceed 32 bits",
                                   (long long)n_cells);
    reader->n_cells = n_cells;
    reader->offsets = mplan_alloc(n_cells + 1, sizeof *reader->offsets, err);
    reader->points = mplan_alloc(n_points, sizeof *reader->points, err);
    return reader->offsets && reader->points ? MPLAN_OK : MPLAN_ERR_MEMORY;
}

/* Before 5.1: each cell is the number of its points and the points; `size` counts both, so that
 * size - n is the number of points. It is what the file can hold, since begin_numbers has
 * compared it with the bytes that are left. */
static mplan_status read_cell_rows(vtk_reader *reader, int64_t n, int64_t size, mplan_error *err)
{
    mplan_status status = mplan_vtk_begin_numbers(reader, &mplan_vtk_int, size, "the cells", err);
    if (!status && size < n)
        status = mplan_vtk_fail_here(reader, err, MPLAN_ERR_CORRUPT,
                                     "CELLS has %lld numbers for %lld cells", (long long)size,
                                     (long long)n);
    if (!status)
        status = make_cells(reader, n, size - n, err);
    int64_t at = 0, most = size - n;
    for (int64_t c = 0; c < n && !status; c++) {
        int64_t count;
        status = mplan_vtk_take_whole(reader, &mplan_vtk_int, "the number of a cell's points",
                                      &count, err);
        if (!status && (count < 0 || count > most - at))
            status = mplan_vtk_fail_here(reader, err, MPLAN_ERR_CORRUPT,
                                         "cell %lld has %lld points, but only %lld are left of "
                                         "the %lld of CELLS",
                                         (long long)c, (long long)count, (long long)(most - at),
                                         (long long)most);
        if (status)
            return status;
        reader->offsets[c] = at;
        for (int64_t k = 0; k < count && !status; k++)
            status = take_point(reader, &mplan_vtk_int, &reader->points[at++], err);
        if (!status)
            status = mplan_vtk_pause_at(reader, c, err);
    }
    if (!status && at != most)
        status = mplan_vtk_fail_here(reader, err, MPLAN_ERR_CORRUPT,
                                     "the cells have %lld points, but CELLS says %lld",
                                     (long long)at, (long long)most);
    if (!status)
        reader->offsets[n] = at;
    return status;
}

/* The arrays OFFSETS and CONNECTIVITY of version 5: their keyword in either case, their type,
 * then n numbers. */
static mplan_status begin_cell_array(vtk_reader *reader, const char *keyword, int64_t n,
                                     const vtk_type **type, mplan_error *err)
{
    vtk_word word;
    mplan_status status = mplan_vtk_need_word(reader, keyword, &word, err);
    char expected[16];
    size_t length = strlen(keyword);
    for (size_t i = 0; i <= length; i++)
        expected[i] = mplan_vtk_lower(keyword[i]);
    if (!status && !mplan_vtk_is(&word, expected))
        status = mplan_vtk_fail_here(reader, err, MPLAN_ERR_CORRUPT, "expected %s, found '%s'",
                                     keyword, word.text);
    if (!status)
        status = mplan_vtk_take_type(reader, type, err);
    if (!status)
        status = mplan_vtk_need_whole_type(reader, *type, keyword, err);
    return !status ? mplan_vtk_begin_numbers(reader, *type, n, keyword, err) : status;
}

/* 5.1: offsets, one more than cells, from 0 and never descending, and as many points as the last
 * says. The points are made after the offsets, when both counts agree. */
static mplan_status read_cell_arrays(vtk_reader *reader, int64_t n_offsets, int64_t n_points,
                                     mplan_error *err)
{
    const vtk_type *type = NULL;
    if (n_offsets == 0)
        return mplan_vtk_fail_here(reader, err, MPLAN_ERR_MESH, "the file has no cells");
    mplan_status status = begin_cell_array(reader, "OFFSETS", n_offsets, &type, err);
    if (!status)
        status = make_cells(reader, n_offsets - 1, 0, err);
    for (int64_t c = 0; c < n_offsets && !status; c++) {
        int64_t *offset = &reader->offsets[c];
        status = mplan_vtk_take_whole(reader, type, "an offset", offset, err);
        if (!status && (c == 0 ? *offset != 0 : *offset < offset[-1]))
            status = mplan_vtk_fail_here(reader, err, MPLAN_ERR_CORRUPT, "offset %lld is %lld",
                                         (long long)c, (long long)*offset);
        if (!status)
            status = mplan_vtk_pause_at(reader, c, err);
    }
    if (!status && reader->offsets[n_offsets - 1] != n_points)
        status = mplan_vtk_fail_here(reader, err, MPLAN_ERR_CORRUPT,
                                     "the last offset is %lld, but CELLS says %lld points",
                                     (long long)reader->offsets[n_offsets - 1], (long long)n_points);
    if (!status)
        status = begin_cell_array(reader, "CONNECTIVITY", n_points, &type, err);
    if (status)
        return status;
    free(reader->points);
    reader->points = mplan_alloc(n_points, sizeof *reader->points, err);
    if (!reader->points)
        return MPLAN_ERR_MEMORY;
    for (int64_t i = 0; i < n_points && !status; i++) {
        status = take_point(reader, type, &reader->points[i], err);
        if (!status)
            status = mplan_vtk_pause_at(reader, i, err);
    }
    return status;
}

/* Version 5 has offsets, older ones a count before the points of each cell. */
static mplan_status read_cells(vtk_reader *reader, mplan_error *err)
{
    int64_t first, second;
    mplan_status status = refuse_second(reader, reader->offsets, "CELLS", err);
    if (!status)
        status = mplan_vtk_take_count(reader, "a number of CELLS", &first, err);
    if (!status)
        status = mplan_vtk_take_count(reader, "the second number of CELLS", &second, err);
    if (status)
        return status;
    return reader->major >= 5 ? read_cell_arrays(reader, first, second, err)
                              : read_cell_rows(reader, first, second, err);
}

/* One number a cell: VTK's code, which fits a byte. */
static mplan_status read_types(vtk_reader *reader, mplan_error *err)
{
    int64_t n;
    mplan_status status = refuse_second(reader, reader->types, "CELL_TYPES", err);
    if (!status)
        status = mplan_vtk_take_count(reader, "the number of cell types", &n, err);
    if (!status)
        status = mplan_vtk_begin_numbers(reader, &mplan_vtk_int, n, "the cell types", err);
    if (status)
        return status;
    reader->n_types = n;
    reader->types = mplan_alloc(n, sizeof *reader->types, err);
    if (!reader->types)
        return MPLAN_ERR_MEMORY;
    for (int64_t c = 0; c < n && !status; c++) {
        int64_t code;
        status = mplan_vtk_take_whole(reader, &mplan_vtk_int, "the type of a cell", &code, err);
        if (!status && (code < 0 || code > 255))
            status = mplan_vtk_fail_here(reader, err, MPLAN_ERR_CORRUPT, "%lld is not a cell type",
                                         (long long)code);
        if (!status) {
            reader->types[c] = (uint8_t)code;
            status = mplan_vtk_pause_at(reader, c, err);
        }
    }
    return status;
}

/* Fields of the whole file, such as time and cycle, are skipped. */
static mplan_status skip_field(vtk_reader *reader, mplan_error *err)
{
    vtk_word word;
    int64_t n_arrays, columns, rows;
    const vtk_type *type = NULL;
    mplan_status status = mplan_vtk_need_word(reader, "the name of a field", &word, err);
    if (!status)
        status = mplan_vtk_take_count(reader, "the number of arrays of a field", &n_arrays, err);
    for (int64_t i = 0; !status && i < n_arrays;) {
        status = mplan_vtk_need_word(reader, "the name of a field's array", &word, err);
        if (!status && mplan_vtk_is(&word, "metadata")) {
            mplan_vtk_skip_metadata(reader);
            continue;
        }
        i++;
        if (status || mplan_vtk_is(&word, "null_array"))
            continue;
        status = mplan_vtk_take_count(reader, "the components of a field's array", &columns, err);
        if (!status)
            status = mplan_vtk_take_count(reader, "the rows of a field's array", &rows, err);
        if (!status)
            status = mplan_vtk_take_type(reader, &type, err);
        if (!status && columns > 0 && rows > INT64_MAX / 8 / columns)
            status = mplan_vtk_fail_here(reader, err, MPLAN_ERR_CORRUPT,
                                         "a field of %lld x %lld numbers", (long long)rows,
                                         (long long)columns);
        if (!status)
            status = mplan_vtk_skip_numbers(reader, type, rows * columns, err);
    }
    return status;
}

/* Only unstructured grids. */
static mplan_status check_dataset(vtk_reader *reader, mplan_error *err)
{
    vtk_word word;
    mplan_status status = mplan_vtk_need_word(reader, "the kind of the data set", &word, err);
    if (!status && !mplan_vtk_is(&word, "unstructured_grid"))
        status = mplan_vtk_fail_here(reader, err, MPLAN_ERR_UNSUPPORTED,
                                     "a data set of the kind %s is not supported; only "
                                     "unstructured_grid is",
                                     word.text);
    return status;
}

/* --- the file ------------------------------------------------------------------------- */

static const char magic[] = "# vtk DataFile Version ";

/* "# vtk DataFile Version 4.2", a title, ASCII or BINARY. */
static mplan_status read_header(vtk_reader *reader, mplan_error *err)
{
    vtk_word word;
    size_t length = sizeof magic - 1;
    if ((size_t)(reader->scan.end - reader->scan.at) < length ||
        memcmp(reader->scan.at, magic, length) != 0)
        return mplan_vtk_fail_here(reader, err, MPLAN_ERR_CORRUPT,
                                   "the file does not begin with '%s'", magic);
    reader->scan.at += length;
    if (!mplan_parse_i64(reader->scan.at, reader->scan.end, &reader->major))
        return mplan_vtk_fail_here(reader, err, MPLAN_ERR_CORRUPT,
                                   "the version of the format is missing");
    if (reader->major < 1 || reader->major > 5)
        return mplan_vtk_fail_here(reader, err, MPLAN_ERR_UNSUPPORTED,
                                   "version %lld of the format is unknown", (long long)reader->major);
    mplan_scan_next_line(&reader->scan);
    mplan_scan_next_line(&reader->scan); /* the title */
    mplan_status status = mplan_vtk_need_word(reader, "ASCII or BINARY", &word, err);
    if (!status && !mplan_vtk_is(&word, "ascii") && !mplan_vtk_is(&word, "binary"))
        status = mplan_vtk_fail_here(reader, err, MPLAN_ERR_CORRUPT,
                                     "expected ASCII or BINARY, found '%s'", word.text);
    reader->binary = !status && mplan_vtk_is(&word, "binary");
    return status;
}

/* Up to the data of points and cells, which are looked through for groups. */
static mplan_status read_sections(vtk_reader *reader, mplan_error *err)
{
    vtk_word word;
    bool known = false; /* the kind of the data set */
    mplan_status status = MPLAN_OK;
    while (!status && mplan_vtk_take_word(reader, &word)) {
        if (mplan_vtk_is(&word, "point_data") || mplan_vtk_is(&word, "cell_data"))
            return mplan_vtk_read_data(reader, &word, err);
        if (mplan_vtk_is(&word, "dataset")) {
            status = check_dataset(reader, err);
            known = true;
        } else if (mplan_vtk_is(&word, "field")) {
            status = skip_field(reader, err);
        } else if (mplan_vtk_is(&word, "metadata")) {
            mplan_vtk_skip_metadata(reader);
        } else if (!known) {
            status = mplan_vtk_fail_here(reader, err, MPLAN_ERR_CORRUPT,
                                         "expected DATASET, found '%s'", word.text);
        } else if (mplan_vtk_is(&word, "points")) {
            status = read_points(reader, err);
        } else if (mplan_vtk_is(&word, "cells")) {
            status = read_cells(reader, err);
        } else if (mplan_vtk_is(&word, "cell_types")) {
            status = read_types(reader, err);
        } else {
            status = mplan_vtk_fail_here(reader, err, MPLAN_ERR_CORRUPT,
                                         "'%s' is not a section of an unstructured grid", word.text);
        }
    }
    return status;
}

/* All that a mesh needs is there, and counts agree. */
static mplan_status check_sections(const vtk_reader *reader, mplan_error *err)
{
    const char *missing = !reader->xyz       ? "POINTS"
                          : !reader->offsets ? "CELLS"
                          : !reader->types   ? "CELL_TYPES"
                                             : NULL;
    if (missing)
        return mplan_fail(err, MPLAN_ERR_CORRUPT, "%s: there is no section %s", reader->scan.path,
                          missing);
    if (reader->n_types != reader->n_cells)
        return mplan_fail(err, MPLAN_ERR_CORRUPT, "%s: CELLS has %lld cells, but CELL_TYPES has %lld",
                          reader->scan.path, (long long)reader->n_cells, (long long)reader->n_types);
    return MPLAN_OK;
}

/* What was read belongs to cells from there on: mplan_vtk_take_cells releases it in any case. */
static mplan_status read_vtk(const mplan_input *input, const mplan_read_options *options,
                             const mplan_context *context, mplan_mesh *mesh, mplan_error *err)
{
    vtk_reader reader = {.context = context, .n_points = -1, .n_cells = -1, .n_types = -1};
    reader.fields.group_array = options ? options->group_array : NULL;
    mplan_scan_begin(&reader.scan, input);
    mplan_status status = read_header(&reader, err);
    if (!status)
        status = read_sections(&reader, err);
    if (!status)
        status = check_sections(&reader, err);
    if (!status) {
        mplan_vtk_cells cells = {.n_cells = reader.n_cells,
                                 .n_points = reader.n_points,
                                 .types = reader.types,
                                 .offsets = reader.offsets,
                                 .points = reader.points,
                                 .xyz = reader.xyz,
                                 .group_array = reader.fields.group_array,
                                 .n_fields = reader.fields.n_fields,
                                 .fields = reader.fields.fields};
        return mplan_vtk_take_cells(input->path, &cells, mesh, context, err);
    }
    free(reader.xyz);
    free(reader.offsets);
    free(reader.points);
    free(reader.types);
    mplan_vtk_fields_free(&reader.fields);
    return status;
}

/* The first line is the same for text and binary. */
static mplan_recognised recognise_vtk(const uint8_t *data, size_t size)
{
    size_t length = sizeof magic - 1;
    return size >= length && memcmp(data, magic, length) == 0 ? MPLAN_RECOGNISED_YES
                                                              : MPLAN_RECOGNISED_NO;
}

const mplan_file_format mplan_format_vtk = {
    .name = "vtk",
    .description = "VTK legacy file, unstructured grid, text or binary",
    .extensions = ".vtk",
    .group_arrays = true,
    .recognise = recognise_vtk,
    .read = read_vtk,
    .write = mplan_vtk_write,
};
