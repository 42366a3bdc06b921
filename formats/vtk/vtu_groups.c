/* SPDX-License-Identifier: Apache-2.0 */
/* vtu_groups.c - data of cells and points in VTK XML files that are groups
 *
 * An array may be in some pieces and not in others, whose cells are then in no group. Arrays of reals,
 * of numbers beyond 32 bits or of bytes that are not marks are data, not groups. */
#ifdef MPLAN_HAVE_EXPAT
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "formats/vtk/vtk.h"
#include "formats/vtk/vtk_join.h"
#include "formats/vtk/vtu.h"

/* A field of the cells or points that may hold groups. */
typedef struct group_reader {
    const mplan_vtu_file *file;
    mplan_vtk_cells *cells;
    const char *name;
    bool tags;           /* its name says that its numbers are groups */
    bool fits, marks;    /* 32 bits; 0 and 1 only */
    int32_t *values;     /* per cell */
    mplan_vector marked; /* int32_t: cells or points */
    mplan_error *err;
} group_reader;

/* n values of cells, or marks of points, from `first` on. fits, marks: whether all so far are 32-bit, or 0 and 1;
 * what was taken counts only if they are so to the end. */
static mplan_status take_batch(group_reader *r, const int64_t *batch, int64_t n, int64_t first)
{
    mplan_status status = MPLAN_OK;
    for (int64_t i = 0; i < n && !status; i++) {
        int32_t cell = (int32_t)(first + i);
        r->fits = r->fits && batch[i] >= INT32_MIN && batch[i] <= INT32_MAX;
        r->marks = r->marks && (batch[i] == 0 || batch[i] == 1);
        if (r->tags && r->fits)
            r->values[cell] = (int32_t)batch[i];
        else if (!r->tags && r->marks && batch[i] == 1)
            status = mplan_vector_push(&r->marked, &cell, r->err);
    }
    return status;
}

/* One array of one piece, whose first cell or point is the file's number `first`. */
static mplan_status read_data(group_reader *r, const mplan_vtu_data *data, int64_t first, int64_t n)
{
    mplan_vtu_source *source = NULL;
    int64_t batch[MPLAN_VTU_BATCH], got = 1, at = first;
    if (n == 0)
        return MPLAN_OK;
    if (!data->array.begin)
        return mplan_vtu_fail(r->file, data->array.tag, r->err, MPLAN_ERR_CORRUPT,
                              "the array %s is empty", data->name);
    if (mplan_vtu_least_bytes(r->file, &data->array, n) > data->array.end - data->array.begin)
        return mplan_vtu_fail(r->file, data->array.tag, r->err, MPLAN_ERR_CORRUPT,
                              "the file ends before the %lld numbers of %s", (long long)n,
                              data->name);
    mplan_status status = mplan_vtu_open(r->file, &data->array, data->name, n, true, &source, r->err);
    while (!status && source && got > 0 && (r->tags ? r->fits : r->marks)) {
        status = mplan_vtu_next_whole(source, batch, &got, r->err);
        if (!status)
            status = take_batch(r, batch, got, at);
        at += got;
        if (!status)
            status = mplan_interrupted(r->file->context, r->err);
    }
    mplan_vtu_close(source);
    return status;
}

/* Numbers by which groups may be told. */
static bool is_whole(const mplan_vtu_array *array)
{
    return array->type != MPLAN_VTU_FLOAT32 && array->type != MPLAN_VTU_FLOAT64;
}

/* The arrays of a name: `some` of data that are sorted, by pieces. */
static mplan_status read_pieces(group_reader *r, const mplan_vtu_data *const *some, int64_t n)
{
    const mplan_vtu_piece *pieces = r->file->pieces.data;
    int64_t first = 0, piece = 0;
    mplan_status status = MPLAN_OK;
    for (int64_t i = 0; i < n && !status && (r->tags ? r->fits : r->marks); i++) {
        const mplan_vtu_data *data = some[i];
        if (i > 0 && data->piece == some[i - 1]->piece)
            return mplan_vtu_fail(r->file, data->array.tag, r->err, MPLAN_ERR_CORRUPT,
                                  "a second array of %s", data->name);
        for (; piece < data->piece; piece++)
            first += data->of_points ? pieces[piece].n_points : pieces[piece].n_cells;
        r->fits = r->fits && is_whole(&data->array);
        r->marks = r->marks && data->array.type == MPLAN_VTU_UINT8;
        if (r->tags ? r->fits : r->marks)
            status = read_data(r, data, first,
                               data->of_points ? pieces[piece].n_points : pieces[piece].n_cells);
    }
    return status;
}

/* Numbers of groups, or of ghosts, where these are wanted; else marks. */
static bool is_tags(const mplan_vtu_file *file, const mplan_vtu_data *data)
{
    return !data->of_points && !data->marks &&
           (mplan_vtk_tag_rank(file->group_array, data->name) >= 0 ||
            (file->ghosts && mplan_vtk_tells_ghosts(data->name)));
}

/* All arrays of one name, some[0 .. n) in the order of pieces. Tags become a field of all cells,
 * 0 where a piece has none of them; marks become a list of the cells that have 1. */
static mplan_status read_field(const mplan_vtu_file *file, mplan_vtk_cells *cells,
                               const mplan_vtu_data *const *some, int64_t n, mplan_error *err)
{
    const char *name = some[0]->name;
    mplan_vtk_field field;
    group_reader r = {.file = file,
                      .cells = cells,
                      .name = name,
                      .tags = is_tags(file, some[0]),
                      .fits = true,
                      .marks = true,
                      .marked = MPLAN_VECTOR_INIT(sizeof(int32_t)),
                      .err = err};
    if (r.tags) {
        r.values = mplan_alloc_zero(cells->n_cells, sizeof *r.values, err);
        if (!r.values)
            return MPLAN_ERR_MEMORY;
    }
    mplan_status status = read_pieces(&r, some, n);
    if (!status && r.tags && !r.fits)
        mplan_warn(file->context,
                   "%s: the cell data %s are not whole numbers of 32 bits: no groups are made "
                   "from them",
                   file->path, name);
    if (!status && r.tags && r.fits) {
        field = (mplan_vtk_field){(char *)(uintptr_t)name, cells->n_cells, r.values, false, false};
        status = mplan_vtk_take_field(cells, &field, err);
        r.values = NULL;
    } else if (!status && !r.tags && r.marks && r.marked.count > 0) {
        field = (mplan_vtk_field){(char *)(uintptr_t)name, r.marked.count, r.marked.data, true,
                                  some[0]->of_points};
        status = mplan_vtk_take_field(cells, &field, err);
        r.marked.data = NULL;
    }
    free(r.values);
    free(r.marked.data);
    return status;
}

/* Cells before points, by name, then by place in the file: the arrays lie in one vector, so that addresses
 * are in its order. */
static int compare_names(const void *left, const void *right)
{
    const mplan_vtu_data *const *a = left, *const *b = right;
    int order = (*a)->of_points != (*b)->of_points ? (*a)->of_points - (*b)->of_points
                                                   : strcmp((*a)->name, (*b)->name);
    return order ? order : (*a > *b) - (*a < *b);
}

/* The arrays of a name are sorted[begin] ... sorted[end - 1]. */
typedef struct same_name {
    const mplan_vtu_data *first;
    int64_t begin, end;
} same_name;

/* The name that comes first in the file, first. */
static int compare_first(const void *left, const void *right)
{
    const same_name *a = left, *b = right;
    return (a->first > b->first) - (a->first < b->first);
}

/* Name after name, in the order of the file. Sorting makes it n log n: a file may have millions
 * of arrays in small pieces. */
mplan_status mplan_vtu_read_groups(const mplan_vtu_file *file, mplan_vtk_cells *cells,
                                   mplan_error *err)
{
    const mplan_vtu_data *data = file->data.data;
    int64_t n = file->data.count, n_names = 0;
    if (n == 0)
        return MPLAN_OK;
    const mplan_vtu_data **sorted = mplan_alloc(n, sizeof *sorted, err);
    same_name *names = sorted ? mplan_alloc(n, sizeof *names, err) : NULL;
    mplan_status status = names ? MPLAN_OK : MPLAN_ERR_MEMORY;
    for (int64_t i = 0; i < n && !status; i++)
        sorted[i] = &data[i];
    if (!status)
        qsort((void *)sorted, (size_t)n, sizeof *sorted, compare_names);
    for (int64_t i = 0; i < n && !status; i++) {
        if (i == 0 || sorted[i]->of_points != sorted[i - 1]->of_points ||
            strcmp(sorted[i]->name, sorted[i - 1]->name) != 0)
            names[n_names++] = (same_name){sorted[i], i, i};
        names[n_names - 1].end = i + 1;
    }
    if (!status)
        qsort(names, (size_t)n_names, sizeof *names, compare_first);
    for (int64_t i = 0; i < n_names && !status; i++)
        status = read_field(file, cells, sorted + names[i].begin, names[i].end - names[i].begin, err);
    free((void *)sorted);
    free(names);
    return status;
}
#else
typedef int mplan_vtu_groups_needs_expat; /* a file holds something */
#endif
