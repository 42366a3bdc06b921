/* SPDX-License-Identifier: Apache-2.0 */
/* vtk_data.c - data of cells in VTK's legacy files that are groups
 *
 * Data are part of no mesh, so the rest of a file is only gone through where the name of an array whose
 * numbers are groups occurs in it; else reading ends where data begin. */
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "formats/bytes_hold.h"
#include "formats/vtk/vtk_reader.h"

enum { MOST_NAME = 512 };

/* Whether there may be groups: by a name under which writers keep tags, or by the field of groups that this
 * library writes. */
static bool holds_groups(const vtk_reader *reader)
{
    const char *name, *at = reader->scan.at;
    const size_t left = (size_t)(reader->scan.end - at);
    for (int rank = 0; (name = mplan_vtk_tag_name(reader->fields.group_array, rank)) != NULL; rank++)
        if (mplan_bytes_hold(at, left, name))
            return true;
    return mplan_bytes_hold(at, left, MPLAN_VTK_GROUPS_FIELD);
}

/* An array that is in force: of cells or points, with so many rows. */
typedef struct data_at {
    bool of_cells;
    bool groups; /* it is in the field of groups: a mark for each cell or point */
    int64_t rows;
} data_at;

/* A whole number for each cell, kept as a field of groups if all fit 32 bits; otherwise they are
 * read to their end, as what follows has to be found, and left out with a warning. */
static mplan_status read_tags(vtk_reader *reader, const char *name, const vtk_type *type, int64_t n,
                              mplan_error *err)
{
    bool fits = true;
    if (n != reader->n_cells)
        return mplan_vtk_fail_here(reader, err, MPLAN_ERR_CORRUPT,
                                   "%s has %lld numbers for %lld cells", name, (long long)n,
                                   (long long)reader->n_cells);
    mplan_status status = mplan_vtk_begin_numbers(reader, type, n, name, err);
    int32_t *values = status ? NULL : mplan_alloc_zero(n, sizeof *values, err);
    if (!values)
        return status ? status : MPLAN_ERR_MEMORY;
    for (int64_t i = 0; i < n && !status; i++) {
        int64_t value = 0;
        status = mplan_vtk_take_whole(reader, type, "a number of cell data", &value, err);
        fits = fits && value >= INT32_MIN && value <= INT32_MAX;
        values[i] = (int32_t)(fits ? value : 0);
        if (!status)
            status = mplan_vtk_pause_at(reader, i, err);
    }
    if (!status && fits)
        return mplan_vtk_take_field(&reader->fields,
                                    &(mplan_vtk_field){(char *)(uintptr_t)name, n, values, false,
                                                       false},
                                    err);
    if (!status)
        mplan_warn(reader->context,
                   "%s: the cell data %s are not whole numbers of 32 bits: no groups are made "
                   "from them",
                   reader->scan.path, name);
    free(values);
    return status;
}

/* "wall%20left" as "wall left", in place: VTK writes bytes of names so that are blanks or not plain text. */
static void decode_name(char *name)
{
    char *to = name;
    for (const char *at = name; *at; at++) {
        unsigned code;
        if (at[0] == '%' && isxdigit((unsigned char)at[1]) && isxdigit((unsigned char)at[2]) &&
            sscanf(at + 1, "%2x", &code) == 1 && code > 0) {
            *to++ = (char)code;
            at += 2;
        } else {
            *to++ = *at;
        }
    }
    *to = '\0';
}

/* A byte for each cell or point, 1 for members of the group of the array's name; others than 0 and 1 are an error, since
 * only this library writes them. */
static mplan_status read_marks(vtk_reader *reader, bool of_points, const char *encoded,
                               const vtk_type *type, int64_t n, mplan_error *err)
{
    const int64_t due = of_points ? reader->n_points : reader->n_cells;
    char name[MOST_NAME];
    mplan_vector marked = MPLAN_VECTOR_INIT(sizeof(int32_t));
    snprintf(name, sizeof name, "%s", encoded);
    decode_name(name);
    if (n != due)
        return mplan_vtk_fail_here(reader, err, MPLAN_ERR_CORRUPT,
                                   "%s has %lld numbers for %lld %s", encoded, (long long)n,
                                   (long long)due, of_points ? "points" : "cells");
    mplan_status status = mplan_vtk_begin_numbers(reader, type, n, encoded, err);
    for (int64_t i = 0; i < n && !status; i++) {
        int64_t value = 0;
        int32_t member = (int32_t)i;
        status = mplan_vtk_take_whole(reader, type, "a mark of a group", &value, err);
        if (!status && value != 0 && value != 1)
            status = mplan_vtk_fail_here(reader, err, MPLAN_ERR_CORRUPT,
                                         "a mark of a group must be 0 or 1, not %lld",
                                         (long long)value);
        if (!status && value == 1)
            status = mplan_vector_push(&marked, &member, err);
        if (!status)
            status = mplan_vtk_pause_at(reader, i, err);
    }
    if (!status && marked.count > 0)
        return mplan_vtk_take_field(&reader->fields,
                                    &(mplan_vtk_field){name, marked.count, marked.data, true,
                                                       of_points},
                                    err);
    free(marked.data);
    return status;
}

/* n rows of a type: tags by their name, marks by their field, else skipped. name: as it is in the file. */
static mplan_status take_array(vtk_reader *reader, const data_at *at, const char *name,
                               int64_t columns, int64_t rows, const vtk_type *type, mplan_error *err)
{
    bool whole = type->number == VTK_INTEGER || type->number == VTK_UNSIGNED;
    bool marks = at->groups && !reader->fields.group_array; /* whatever a group is called */
    int rank = at->of_cells && columns == 1 && whole && !marks
                   ? mplan_vtk_tag_rank(reader->fields.group_array, name)
                   : -1;
    for (int64_t f = 0; f < reader->fields.n_fields && rank >= 0; f++)
        if (strcmp(reader->fields.fields[f].name, name) == 0)
            return mplan_vtk_fail_here(reader, err, MPLAN_ERR_CORRUPT, "a second array of %s", name);
    if (columns > 0 && rows > INT64_MAX / 8 / columns)
        return mplan_vtk_fail_here(reader, err, MPLAN_ERR_CORRUPT, "data of %lld x %lld numbers",
                                   (long long)rows, (long long)columns);
    if (rank >= 0)
        return read_tags(reader, name, type, rows, err);
    if (at->groups && columns == 1 && type->number == VTK_UNSIGNED && type->bytes == 1)
        return read_marks(reader, !at->of_cells, name, type, rows, err);
    return mplan_vtk_skip_numbers(reader, type, rows * columns, err);
}

/* The next word as it is, cut to size. */
static mplan_status take_name(vtk_reader *reader, char *name, size_t size, mplan_error *err)
{
    const char *text;
    size_t length;
    if (!mplan_scan_word(&reader->scan, &text, &length))
        return mplan_vtk_fail_here(reader, err, MPLAN_ERR_CORRUPT,
                                   "the file ends before the name of an array");
    length = length < size ? length : size - 1;
    memcpy(name, text, length);
    name[length] = '\0';
    return MPLAN_OK;
}

/* SCALARS name type [components], LOOKUP_TABLE name. The second line may not be left out, as in
 * VTK's own reader. */
static mplan_status read_scalars(vtk_reader *reader, const data_at *at, mplan_error *err)
{
    char name[64];
    vtk_word word;
    const vtk_type *type = NULL;
    int64_t columns = 1;
    mplan_status status = take_name(reader, name, sizeof name, err);
    if (!status)
        status = mplan_vtk_take_type(reader, &type, err);
    if (!status && !mplan_scan_line_ends(&reader->scan))
        status = mplan_vtk_take_count(reader, "the components of scalars", &columns, err);
    if (!status)
        status = mplan_vtk_need_word(reader, "LOOKUP_TABLE", &word, err);
    if (!status && !mplan_vtk_is(&word, "lookup_table"))
        return mplan_vtk_fail_here(reader, err, MPLAN_ERR_CORRUPT,
                                   "expected LOOKUP_TABLE, found '%s'", word.text);
    if (!status)
        status = mplan_vtk_need_word(reader, "the name of a table", &word, err);
    return status ? status : take_array(reader, at, name, columns, at->rows, type, err);
}

/* FIELD name n, then n times: name components rows type. */
static mplan_status read_field(vtk_reader *reader, data_at *at, mplan_error *err)
{
    char name[MOST_NAME];
    int64_t n_arrays = 0, columns = 0, rows = 0;
    const vtk_type *type = NULL;
    mplan_status status = take_name(reader, name, sizeof name, err);
    if (!status)
        status = mplan_vtk_take_count(reader, "the number of arrays of a field", &n_arrays, err);
    at->groups = !status && strcmp(name, MPLAN_VTK_GROUPS_FIELD) == 0;
    for (int64_t i = 0; i < n_arrays && !status; i++) {
        do {
            status = take_name(reader, name, sizeof name, err);
            if (!status && strcmp(name, "METADATA") == 0)
                mplan_vtk_skip_metadata(reader);
        } while (!status && strcmp(name, "METADATA") == 0);
        if (!status)
            status = mplan_vtk_take_count(reader, "the components of an array", &columns, err);
        if (!status)
            status = mplan_vtk_take_count(reader, "the rows of an array", &rows, err);
        if (!status)
            status = mplan_vtk_take_type(reader, &type, err);
        if (!status)
            status = take_array(reader, at, name, columns, rows, type, err);
    }
    at->groups = false;
    return status;
}

/* KEYWORD name type: so many numbers a row, none of which are tags. */
static mplan_status skip_rows(vtk_reader *reader, const data_at *at, int64_t columns, mplan_error *err)
{
    char name[64];
    const vtk_type *type = NULL;
    mplan_status status = take_name(reader, name, sizeof name, err);
    if (!status)
        status = mplan_vtk_take_type(reader, &type, err);
    return status ? status : take_array(reader, at, "", columns, at->rows, type, err);
}

/* *known: whether the word begins an attribute. */
static mplan_status read_attribute(vtk_reader *reader, data_at *at, const vtk_word *word,
                                   bool *known, mplan_error *err)
{
    static const struct {
        const char *word;
        int64_t columns;
    } plain[] = {{"vectors", 3},  {"normals", 3},    {"tensors", 9},
                 {"tensors6", 6}, {"global_ids", 1}, {"pedigree_ids", 1}};
    *known = true;
    if (mplan_vtk_is(word, "scalars"))
        return read_scalars(reader, at, err);
    if (mplan_vtk_is(word, "field"))
        return read_field(reader, at, err);
    if (mplan_vtk_is(word, "metadata")) {
        mplan_vtk_skip_metadata(reader);
        return MPLAN_OK;
    }
    for (size_t i = 0; i < sizeof plain / sizeof *plain; i++)
        if (mplan_vtk_is(word, plain[i].word))
            return skip_rows(reader, at, plain[i].columns, err);
    *known = false;
    return MPLAN_OK;
}

/* Only what can be groups is kept, the rest skipped. first: the word that began the data. What
 * is not known ends the search with a warning, not an error: a mesh is complete without its
 * data. */
mplan_status mplan_vtk_read_data(vtk_reader *reader, const vtk_word *first, mplan_error *err)
{
    vtk_word word = *first;
    data_at at = {false, false, 0};
    bool known = true;
    mplan_status status = MPLAN_OK;
    if (!holds_groups(reader))
        return MPLAN_OK;
    do {
        if (mplan_vtk_is(&word, "point_data") || mplan_vtk_is(&word, "cell_data")) {
            at.of_cells = mplan_vtk_is(&word, "cell_data");
            status = mplan_vtk_take_count(reader, "the number of rows of data", &at.rows, err);
        } else {
            status = read_attribute(reader, &at, &word, &known, err);
        }
    } while (!status && known && mplan_vtk_take_word(reader, &word));
    if (!status && !known)
        mplan_warn(reader->context, "%s: data after '%s' are not searched for groups",
                   reader->scan.path, word.text);
    return status;
}
