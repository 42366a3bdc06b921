/* vtk.c - reads VTK's legacy files (.vtk) of unstructured grids, versions 1.0 to 5.1
 *
 * After VTK's documentation, "VTK File Formats, Simple Legacy Formats", and for
 * version 5.1, where cells are two arrays, the release notes of VTK 9. Keywords stand in lines of
 * text also in binary files, whose numbers are big-endian. Data of points and cells
 * are no part of a mesh: reading ends where they begin. */
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "formats/byte_order.h"
#include "formats/scan.h"
#include "formats/vtk.h"

typedef struct vtk_reader {
    mplan_scanner scan;
    const mplan_context *context;
    bool binary;
    int64_t major;
    int64_t n_points, n_cells, n_types; /* -1: not there yet */
    double *xyz;
    int64_t *offsets;
    int32_t *points;
    uint8_t *types;
} vtk_reader;

/* --- errors and words --------------------------------------------------------- */

/* "path:line: ", or in binary files, which have no lines, "path: byte N: ". */
#if defined __GNUC__
__attribute__((format(printf, 4, 5)))
#endif
static mplan_status fail_here(const vtk_reader *reader, mplan_error *err, mplan_status status,
                              const char *format, ...)
{
    char message[400];
    va_list list;
    va_start(list, format);
    vsnprintf(message, sizeof message, format, list);
    va_end(list);
    if (reader->binary)
        return mplan_fail(err, status, "%s: byte %lld: %s", reader->scan.path,
                          (long long)(reader->scan.at - reader->scan.begin), message);
    return mplan_scan_fail(&reader->scan, err, status, "%s", message);
}

typedef struct vtk_word {
    char text[64]; /* in lower case; longer ones cut */
} vtk_word;

static char lower(char c)
{
    return c >= 'A' && c <= 'Z' ? (char)(c - 'A' + 'a') : c;
}

/* The next word; false at the end of the file. */
static bool take_word(vtk_reader *reader, vtk_word *word)
{
    const char *text;
    size_t length;
    if (!mplan_scan_word(&reader->scan, &text, &length))
        return false;
    if (length >= sizeof word->text)
        length = sizeof word->text - 1;
    for (size_t i = 0; i < length; i++)
        word->text[i] = lower(text[i]);
    word->text[length] = '\0';
    return true;
}

static mplan_status need_word(vtk_reader *reader, const char *what, vtk_word *word, mplan_error *err)
{
    return take_word(reader, word)
               ? MPLAN_OK
               : fail_here(reader, err, MPLAN_ERR_CORRUPT, "the file ends before %s", what);
}

static bool is(const vtk_word *word, const char *text)
{
    return strcmp(word->text, text) == 0;
}

/* A whole number of a keyword's line, at least 0. */
static mplan_status take_count(vtk_reader *reader, const char *what, int64_t *count, mplan_error *err)
{
    vtk_word word;
    mplan_status status = need_word(reader, what, &word, err);
    if (status != MPLAN_OK)
        return status;
    size_t length = strlen(word.text);
    if (mplan_parse_i64(word.text, word.text + length, count) != length || *count < 0)
        return fail_here(reader, err, MPLAN_ERR_CORRUPT, "expected %s, found '%s'", what, word.text);
    return MPLAN_OK;
}

/* --- arrays ----------------------------------------------------------------------- */

typedef enum vtk_number {
    VTK_BIT,
    VTK_INTEGER,
    VTK_UNSIGNED,
    VTK_REAL,
    VTK_STRING
} vtk_number;

typedef struct vtk_type {
    const char *name;
    vtk_number number;
    int32_t bytes;
} vtk_type;

/* vtkIdType is written as int, long as eight bytes. */
static const vtk_type number_types[] = {
    {"bit", VTK_BIT, 1},           {"unsigned_char", VTK_UNSIGNED, 1},
    {"char", VTK_INTEGER, 1},      {"signed_char", VTK_INTEGER, 1},
    {"unsigned_short", VTK_UNSIGNED, 2}, {"short", VTK_INTEGER, 2},
    {"unsigned_int", VTK_UNSIGNED, 4},   {"int", VTK_INTEGER, 4},
    {"unsigned_long", VTK_UNSIGNED, 8},  {"long", VTK_INTEGER, 8},
    {"float", VTK_REAL, 4},        {"double", VTK_REAL, 8},
    {"vtkidtype", VTK_INTEGER, 4}, {"vtktypeint64", VTK_INTEGER, 8},
    {"vtktypeint32", VTK_INTEGER, 4},    {"vtktypeuint64", VTK_UNSIGNED, 8},
    {"vtktypeuint32", VTK_UNSIGNED, 4},  {"string", VTK_STRING, 1},
};
static const vtk_type int_type = {"int", VTK_INTEGER, 4};

static mplan_status take_type(vtk_reader *reader, const vtk_type **type, mplan_error *err)
{
    vtk_word word;
    mplan_status status = need_word(reader, "a type of numbers", &word, err);
    if (status != MPLAN_OK)
        return status;
    for (size_t t = 0; t < sizeof number_types / sizeof *number_types; t++)
        if (is(&word, number_types[t].name)) {
            *type = &number_types[t];
            return MPLAN_OK;
        }
    return fail_here(reader, err, MPLAN_ERR_CORRUPT, "'%s' is no type of numbers", word.text);
}

/* To where the n numbers of a keyword's line begin, which are as many as the file can hold. */
static mplan_status begin_numbers(vtk_reader *reader, const vtk_type *type, int64_t n,
                                  const char *what, mplan_error *err)
{
    if (type->number == VTK_STRING)
        return fail_here(reader, err, MPLAN_ERR_UNSUPPORTED, "%s are strings", what);
    mplan_scan_next_line(&reader->scan);
    int64_t left = reader->scan.end - reader->scan.at;
    int64_t most = !reader->binary ? left / 2 + 1
                   : type->number == VTK_BIT ? (left <= INT64_MAX / 8 ? 8 * left : INT64_MAX)
                                             : left / type->bytes;
    if (n > most)
        return fail_here(reader, err, MPLAN_ERR_CORRUPT, "the file ends before the %lld numbers of %s",
                         (long long)n, what);
    return MPLAN_OK;
}

/* The next n bytes as a big-endian number. */
static uint64_t take_bytes(vtk_reader *reader, int32_t n)
{
    const char *at = reader->scan.at;
    reader->scan.at += n;
    return mplan_load_bits(at, n, true);
}

/* One binary whole number; *large: it is above INT64_MAX. */
static int64_t take_binary_whole(vtk_reader *reader, const vtk_type *type, bool *large)
{
    uint64_t bits = take_bytes(reader, type->bytes);
    *large = false;
    if (type->number == VTK_UNSIGNED) {
        *large = bits > (uint64_t)INT64_MAX;
        return *large ? 0 : (int64_t)bits;
    }
    uint64_t sign = UINT64_C(1) << (8 * type->bytes - 1);
    return bits & sign ? -(int64_t)(sign - (bits & (sign - 1)) - 1) - 1 : (int64_t)bits;
}

static double take_binary_real(vtk_reader *reader, const vtk_type *type)
{
    uint64_t bits = take_bytes(reader, type->bytes);
    if (type->bytes == 4) {
        uint32_t half = (uint32_t)bits;
        float value;
        memcpy(&value, &half, sizeof value);
        return (double)value;
    }
    double value;
    memcpy(&value, &bits, sizeof value);
    return value;
}

static mplan_status take_whole(vtk_reader *reader, const vtk_type *type, const char *what,
                               int64_t *value, mplan_error *err)
{
    bool large;
    if (!reader->binary)
        return mplan_scan_i64(&reader->scan, what, value, err);
    *value = take_binary_whole(reader, type, &large);
    return large ? fail_here(reader, err, MPLAN_ERR_CORRUPT, "%s exceeds 64 bits", what) : MPLAN_OK;
}

static mplan_status need_whole_type(const vtk_reader *reader, const vtk_type *type, const char *what,
                                    mplan_error *err)
{
    if (type->number == VTK_INTEGER || type->number == VTK_UNSIGNED)
        return MPLAN_OK;
    return fail_here(reader, err, MPLAN_ERR_CORRUPT, "%s are of type %s, not whole numbers", what,
                     type->name);
}

static mplan_status pause_at(const vtk_reader *reader, int64_t i, mplan_error *err)
{
    return i % 65536 == 0 ? mplan_scan_heed(&reader->scan, reader->context, err) : MPLAN_OK;
}

/* --- sections ------------------------------------------------------------------------ */

static mplan_status refuse_second(const vtk_reader *reader, bool there, const char *keyword,
                                  mplan_error *err)
{
    return there ? fail_here(reader, err, MPLAN_ERR_CORRUPT, "a second section %s", keyword) : MPLAN_OK;
}

static mplan_status read_points(vtk_reader *reader, mplan_error *err)
{
    const vtk_type *type = NULL;
    int64_t n;
    mplan_status status = refuse_second(reader, reader->xyz, "POINTS", err);
    if (status == MPLAN_OK)
        status = take_count(reader, "the number of points", &n, err);
    if (status == MPLAN_OK && n > INT32_MAX)
        status = fail_here(reader, err, MPLAN_ERR_UNSUPPORTED, "%lld points exceed 32 bits", (long long)n);
    if (status == MPLAN_OK)
        status = take_type(reader, &type, err);
    if (status == MPLAN_OK && type->number == VTK_BIT)
        status = fail_here(reader, err, MPLAN_ERR_CORRUPT, "points of bits");
    if (status == MPLAN_OK)
        status = begin_numbers(reader, type, 3 * n, "the points", err);
    if (status != MPLAN_OK)
        return status;
    reader->n_points = n;
    reader->xyz = mplan_alloc(3 * n, sizeof *reader->xyz, err);
    if (!reader->xyz)
        return MPLAN_ERR_MEMORY;
    for (int64_t i = 0; i < 3 * n && status == MPLAN_OK; i++) {
        if (!reader->binary) {
            status = mplan_scan_f64(&reader->scan, "a coordinate", &reader->xyz[i], err);
        } else if (type->number == VTK_REAL) {
            reader->xyz[i] = take_binary_real(reader, type);
        } else {
            int64_t value;
            status = take_whole(reader, type, "a coordinate", &value, err);
            if (status == MPLAN_OK)
                reader->xyz[i] = (double)value;
        }
        if (status == MPLAN_OK)
            status = pause_at(reader, i, err);
    }
    return status;
}

/* A point of a cell; whether it exists is asked when all sections are there. */
static mplan_status take_point(vtk_reader *reader, const vtk_type *type, int32_t *point,
                               mplan_error *err)
{
    int64_t value;
    mplan_status status = take_whole(reader, type, "a point of a cell", &value, err);
    if (status == MPLAN_OK && (value < 0 || value > INT32_MAX))
        return fail_here(reader, err, MPLAN_ERR_MESH, "%lld is no point", (long long)value);
    if (status == MPLAN_OK)
        *point = (int32_t)value;
    return status;
}

static mplan_status make_cells(vtk_reader *reader, int64_t n_cells, int64_t n_points, mplan_error *err)
{
    if (n_cells > INT32_MAX)
        return fail_here(reader, err, MPLAN_ERR_UNSUPPORTED, "%lld cells exceed 32 bits",
                         (long long)n_cells);
    reader->n_cells = n_cells;
    reader->offsets = mplan_alloc(n_cells + 1, sizeof *reader->offsets, err);
    reader->points = mplan_alloc(n_points, sizeof *reader->points, err);
    return reader->offsets && reader->points ? MPLAN_OK : MPLAN_ERR_MEMORY;
}

/* Before 5.1: each cell is the number of its points and the points; `size` counts both. */
static mplan_status read_cell_rows(vtk_reader *reader, int64_t n, int64_t size, mplan_error *err)
{
    mplan_status status = begin_numbers(reader, &int_type, size, "the cells", err);
    if (status == MPLAN_OK && size < n)
        status = fail_here(reader, err, MPLAN_ERR_CORRUPT, "CELLS has %lld numbers for %lld cells",
                           (long long)size, (long long)n);
    if (status == MPLAN_OK)
        status = make_cells(reader, n, size - n, err);
    int64_t at = 0, most = size - n;
    for (int64_t c = 0; c < n && status == MPLAN_OK; c++) {
        int64_t count;
        status = take_whole(reader, &int_type, "the number of a cell's points", &count, err);
        if (status == MPLAN_OK && (count < 0 || count > most - at))
            status = fail_here(reader, err, MPLAN_ERR_CORRUPT,
                               "cell %lld has %lld points, %lld are left of the %lld that CELLS counts",
                               (long long)c, (long long)count, (long long)(most - at), (long long)most);
        if (status != MPLAN_OK)
            return status;
        reader->offsets[c] = at;
        for (int64_t k = 0; k < count && status == MPLAN_OK; k++)
            status = take_point(reader, &int_type, &reader->points[at++], err);
        if (status == MPLAN_OK)
            status = pause_at(reader, c, err);
    }
    if (status == MPLAN_OK && at != most)
        status = fail_here(reader, err, MPLAN_ERR_CORRUPT, "the cells have %lld points, CELLS counts %lld",
                           (long long)at, (long long)most);
    if (status == MPLAN_OK)
        reader->offsets[n] = at;
    return status;
}

static mplan_status begin_cell_array(vtk_reader *reader, const char *keyword, int64_t n,
                                     const vtk_type **type, mplan_error *err)
{
    vtk_word word;
    mplan_status status = need_word(reader, keyword, &word, err);
    char expected[16];
    size_t length = strlen(keyword);
    for (size_t i = 0; i <= length; i++)
        expected[i] = lower(keyword[i]);
    if (status == MPLAN_OK && !is(&word, expected))
        status = fail_here(reader, err, MPLAN_ERR_CORRUPT, "expected %s, found '%s'", keyword, word.text);
    if (status == MPLAN_OK)
        status = take_type(reader, type, err);
    if (status == MPLAN_OK)
        status = need_whole_type(reader, *type, keyword, err);
    return status == MPLAN_OK ? begin_numbers(reader, *type, n, keyword, err) : status;
}

/* 5.1: offsets, one more than cells, and points. */
static mplan_status read_cell_arrays(vtk_reader *reader, int64_t n_offsets, int64_t n_points,
                                     mplan_error *err)
{
    const vtk_type *type = NULL;
    if (n_offsets == 0)
        return fail_here(reader, err, MPLAN_ERR_MESH, "the file has no cells");
    mplan_status status = begin_cell_array(reader, "OFFSETS", n_offsets, &type, err);
    if (status == MPLAN_OK)
        status = make_cells(reader, n_offsets - 1, 0, err);
    for (int64_t c = 0; c < n_offsets && status == MPLAN_OK; c++) {
        int64_t *offset = &reader->offsets[c];
        status = take_whole(reader, type, "an offset", offset, err);
        if (status == MPLAN_OK && (c == 0 ? *offset != 0 : *offset < offset[-1]))
            status = fail_here(reader, err, MPLAN_ERR_CORRUPT, "offset %lld is %lld", (long long)c,
                               (long long)*offset);
        if (status == MPLAN_OK)
            status = pause_at(reader, c, err);
    }
    if (status == MPLAN_OK && reader->offsets[n_offsets - 1] != n_points)
        status = fail_here(reader, err, MPLAN_ERR_CORRUPT, "the last offset is %lld, CELLS counts %lld points",
                           (long long)reader->offsets[n_offsets - 1], (long long)n_points);
    if (status == MPLAN_OK)
        status = begin_cell_array(reader, "CONNECTIVITY", n_points, &type, err);
    if (status != MPLAN_OK)
        return status;
    free(reader->points);
    reader->points = mplan_alloc(n_points, sizeof *reader->points, err);
    if (!reader->points)
        return MPLAN_ERR_MEMORY;
    for (int64_t i = 0; i < n_points && status == MPLAN_OK; i++) {
        status = take_point(reader, type, &reader->points[i], err);
        if (status == MPLAN_OK)
            status = pause_at(reader, i, err);
    }
    return status;
}

static mplan_status read_cells(vtk_reader *reader, mplan_error *err)
{
    int64_t first, second;
    mplan_status status = refuse_second(reader, reader->offsets, "CELLS", err);
    if (status == MPLAN_OK)
        status = take_count(reader, "a number of CELLS", &first, err);
    if (status == MPLAN_OK)
        status = take_count(reader, "the second number of CELLS", &second, err);
    if (status != MPLAN_OK)
        return status;
    return reader->major >= 5 ? read_cell_arrays(reader, first, second, err)
                              : read_cell_rows(reader, first, second, err);
}

static mplan_status read_types(vtk_reader *reader, mplan_error *err)
{
    int64_t n;
    mplan_status status = refuse_second(reader, reader->types, "CELL_TYPES", err);
    if (status == MPLAN_OK)
        status = take_count(reader, "the number of cell types", &n, err);
    if (status == MPLAN_OK)
        status = begin_numbers(reader, &int_type, n, "the cell types", err);
    if (status != MPLAN_OK)
        return status;
    reader->n_types = n;
    reader->types = mplan_alloc(n, sizeof *reader->types, err);
    if (!reader->types)
        return MPLAN_ERR_MEMORY;
    for (int64_t c = 0; c < n && status == MPLAN_OK; c++) {
        int64_t code;
        status = take_whole(reader, &int_type, "the type of a cell", &code, err);
        if (status == MPLAN_OK && (code < 0 || code > 255))
            status = fail_here(reader, err, MPLAN_ERR_CORRUPT, "%lld is no type of a cell", (long long)code);
        if (status == MPLAN_OK) {
            reader->types[c] = (uint8_t)code;
            status = pause_at(reader, c, err);
        }
    }
    return status;
}

/* Lines of text up to an empty one. */
static void skip_metadata(vtk_reader *reader)
{
    while (mplan_scan_next_line(&reader->scan))
        if (mplan_scan_line_ends(&reader->scan))
            return;
}

static mplan_status skip_numbers(vtk_reader *reader, const vtk_type *type, int64_t n, mplan_error *err)
{
    mplan_status status = begin_numbers(reader, type, n, "a field", err);
    if (status != MPLAN_OK)
        return status;
    if (reader->binary) {
        reader->scan.at += type->number == VTK_BIT ? (n + 7) / 8 : n * type->bytes;
        return MPLAN_OK;
    }
    for (int64_t i = 0; i < n && status == MPLAN_OK; i++) {
        double unused;
        status = mplan_scan_f64(&reader->scan, "a number of a field", &unused, err);
    }
    return status;
}

/* Fields of the whole file, such as time and cycle, are passed over. */
static mplan_status skip_field(vtk_reader *reader, mplan_error *err)
{
    vtk_word word;
    int64_t n_arrays, columns, rows;
    const vtk_type *type = NULL;
    mplan_status status = need_word(reader, "the name of a field", &word, err);
    if (status == MPLAN_OK)
        status = take_count(reader, "the number of arrays of a field", &n_arrays, err);
    for (int64_t i = 0; status == MPLAN_OK && i < n_arrays;) {
        status = need_word(reader, "the name of a field's array", &word, err);
        if (status == MPLAN_OK && is(&word, "metadata")) {
            skip_metadata(reader);
            continue;
        }
        i++;
        if (status != MPLAN_OK || is(&word, "null_array"))
            continue;
        status = take_count(reader, "the components of a field's array", &columns, err);
        if (status == MPLAN_OK)
            status = take_count(reader, "the rows of a field's array", &rows, err);
        if (status == MPLAN_OK)
            status = take_type(reader, &type, err);
        if (status == MPLAN_OK && columns > 0 && rows > INT64_MAX / 8 / columns)
            status = fail_here(reader, err, MPLAN_ERR_CORRUPT, "a field of %lld x %lld numbers",
                               (long long)rows, (long long)columns);
        if (status == MPLAN_OK)
            status = skip_numbers(reader, type, rows * columns, err);
    }
    return status;
}

static mplan_status check_dataset(vtk_reader *reader, mplan_error *err)
{
    vtk_word word;
    mplan_status status = need_word(reader, "the kind of the data set", &word, err);
    if (status == MPLAN_OK && !is(&word, "unstructured_grid"))
        status = fail_here(reader, err, MPLAN_ERR_UNSUPPORTED,
                           "the data set is of the kind %s; unstructured_grid is read", word.text);
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
        return fail_here(reader, err, MPLAN_ERR_CORRUPT, "the file does not begin with '%s'", magic);
    reader->scan.at += length;
    if (!mplan_parse_i64(reader->scan.at, reader->scan.end, &reader->major))
        return fail_here(reader, err, MPLAN_ERR_CORRUPT, "there is no version of the format");
    if (reader->major < 1 || reader->major > 5)
        return fail_here(reader, err, MPLAN_ERR_UNSUPPORTED, "version %lld of the format is not known",
                         (long long)reader->major);
    mplan_scan_next_line(&reader->scan);
    mplan_scan_next_line(&reader->scan); /* the title */
    mplan_status status = need_word(reader, "ASCII or BINARY", &word, err);
    if (status == MPLAN_OK && !is(&word, "ascii") && !is(&word, "binary"))
        status = fail_here(reader, err, MPLAN_ERR_CORRUPT, "expected ASCII or BINARY, found '%s'",
                           word.text);
    reader->binary = status == MPLAN_OK && is(&word, "binary");
    return status;
}

static mplan_status read_sections(vtk_reader *reader, mplan_error *err)
{
    vtk_word word;
    bool known = false; /* the kind of the data set */
    mplan_status status = MPLAN_OK;
    while (status == MPLAN_OK && take_word(reader, &word)) {
        if (is(&word, "point_data") || is(&word, "cell_data"))
            break;
        if (is(&word, "dataset")) {
            status = check_dataset(reader, err);
            known = true;
        } else if (is(&word, "field")) {
            status = skip_field(reader, err);
        } else if (is(&word, "metadata")) {
            skip_metadata(reader);
        } else if (!known) {
            status = fail_here(reader, err, MPLAN_ERR_CORRUPT, "expected DATASET, found '%s'", word.text);
        } else if (is(&word, "points")) {
            status = read_points(reader, err);
        } else if (is(&word, "cells")) {
            status = read_cells(reader, err);
        } else if (is(&word, "cell_types")) {
            status = read_types(reader, err);
        } else {
            status = fail_here(reader, err, MPLAN_ERR_CORRUPT, "'%s' is no section of an unstructured grid",
                               word.text);
        }
    }
    return status;
}

static mplan_status check_sections(const vtk_reader *reader, mplan_error *err)
{
    const char *missing = !reader->xyz ? "POINTS" : !reader->offsets ? "CELLS"
                          : !reader->types ? "CELL_TYPES" : NULL;
    if (missing)
        return mplan_fail(err, MPLAN_ERR_CORRUPT, "%s: there is no section %s", reader->scan.path,
                          missing);
    if (reader->n_types != reader->n_cells)
        return mplan_fail(err, MPLAN_ERR_CORRUPT, "%s: CELLS has %lld cells, CELL_TYPES %lld",
                          reader->scan.path, (long long)reader->n_cells, (long long)reader->n_types);
    return MPLAN_OK;
}

static mplan_status read_vtk(const mplan_input *input, const mplan_read_options *options,
                             const mplan_context *context, mplan_mesh *mesh, mplan_error *err)
{
    vtk_reader reader = {.context = context, .n_points = -1, .n_cells = -1, .n_types = -1};
    (void)options;
    mplan_scan_begin(&reader.scan, input);
    mplan_status status = read_header(&reader, err);
    if (status == MPLAN_OK)
        status = read_sections(&reader, err);
    if (status == MPLAN_OK)
        status = check_sections(&reader, err);
    if (status == MPLAN_OK) {
        mplan_vtk_cells cells = {.n_cells = reader.n_cells, .n_points = reader.n_points,
                                 .types = reader.types, .offsets = reader.offsets,
                                 .points = reader.points, .xyz = reader.xyz};
        return mplan_vtk_take_cells(input->path, &cells, mesh, context, err);
    }
    free(reader.xyz);
    free(reader.offsets);
    free(reader.points);
    free(reader.types);
    return status;
}

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
    .recognise = recognise_vtk,
    .read = read_vtk,
};
