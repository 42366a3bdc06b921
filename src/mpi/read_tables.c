/* SPDX-License-Identifier: Apache-2.0 */
/* read_tables.c - reads the maps and coordinates that a layout tells of: each rank its rows
 *
 * Functions that take mpi_readers are collective: every rank calls them for the same array, also
 * with no rows of its own. Rows are dealt out by mpi_range_first, and their numbers are those of
 * the file. */
#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "formats/byte_order.h"
#include "formats/sphere.h"
#include "mpi/exchange.h"
#include "mpi/read_layout.h"

void mpi_read_table_free(mpi_read_table *table)
{
    free(table->offsets);
    free(table->values);
    free(table->type);
    free(table->counts);
    *table = (mpi_read_table){0};
}

/* --- numbers of arrays ---------------------------------------------------------------------------- */

/* Rows [begin, begin + n) of an array as they are in the file, but in the machine's byte order; *raw: the caller's.
 * Collective. *raw has n x cols numbers of a->size bytes, row by row, also where the file has
 * column behind column: these are read one at a time, each into `column`. A rank without rows
 * asks for 0 bytes at byte 0. *raw is there after a failure, too, or NULL. */
static mplan_status read_raw(const mpi_readers *readers, const mplan_places *layout, int32_t index,
                             int64_t begin, int64_t n, char **raw, mplan_error *err)
{
    const mplan_places_array *a = mplan_places_get_array(layout, index);
    const char *path = mplan_places_path_of(layout, a);
    const int64_t size = a->size;
    char *column = a->by_column ? mplan_alloc(n, (size_t)size, err) : NULL;
    *raw = mplan_alloc(n * a->cols, (size_t)size, err);
    mplan_status status = *raw && (!a->by_column || column) ? MPLAN_OK : MPLAN_ERR_MEMORY;
    if (!a->by_column)
        status = mpi_read_bytes(readers, status, path, n > 0 ? a->at + begin * a->cols * size : 0,
                                n * a->cols * size, *raw, err);
    for (int64_t c = 0; c < a->cols && a->by_column; c++) {
        status = mpi_read_bytes(readers, status, path,
                                n > 0 ? a->at + (c * a->rows + begin) * size : 0, n * size, column,
                                err);
        for (int64_t i = 0; i < n && !status; i++)
            memcpy(*raw + (i * a->cols + c) * size, column + i * size, (size_t)size);
    }
    free(column);
    if (!status && a->big_endian)
        mplan_swap_bytes(*raw, n * a->cols, a->size);
    return status;
}

/* A number of an array as a whole one. False: it is none.
 * i: which number of raw. Real numbers count where they are whole and at most 2^53 in size:
 * above that neighbouring whole numbers can no longer be told apart. *out: undefined for what is
 * none. */
static bool whole_of(const mplan_places_array *a, const char *raw, int64_t i, int64_t *out)
{
    const char *at = raw + i * a->size;
    const bool sign = a->kind == 'i';
    union {
        int8_t i1;
        int16_t i2;
        int32_t i4;
        int64_t i8;
        float f4;
        double f8;
    } number = {.i8 = 0};
    memcpy(&number, at, (size_t)a->size);
    if (a->kind == 'f') {
        const double x = a->size == 4 ? (double)number.f4 : number.f8;
        const bool fits = x >= -9007199254740992.0 && x <= 9007199254740992.0; /* 2^53 */
        *out = fits ? (int64_t)x : 0;
        return fits && (double)*out == x;
    }
    *out = a->size == 1   ? (sign ? number.i1 : (uint8_t)number.i1)
           : a->size == 2 ? (sign ? number.i2 : (uint16_t)number.i2)
           : a->size == 4 ? (sign ? number.i4 : (int64_t)(uint32_t)number.i4)
                          : number.i8;
    return sign || *out >= 0; /* 2^63 and more cannot be members */
}

/* Coordinates may be whole numbers, too.
 * i: which number of raw. Whole numbers of 64 bits may be rounded. */
static double real_of(const mplan_places_array *a, const char *raw, int64_t i)
{
    int64_t whole = 0;
    float half;
    double full;
    if (a->kind != 'f') {
        return whole_of(a, raw, i, &whole) ? (double)whole : (double)(uint64_t)whole;
    }
    if (a->size == 4) {
        memcpy(&half, raw + 4 * i, 4);
        return (double)half;
    }
    memcpy(&full, raw + 8 * i, 8);
    return full;
}

/* Sentences as formats/weights.c has them. */
mplan_status mpi_read_wholes(const mpi_readers *readers, const mplan_places *layout, int32_t array,
                             int64_t begin, int64_t n, const char *what, int64_t least,
                             int64_t **out, mplan_error *err)
{
    const mplan_places_array *a = mplan_places_get_array(layout, array);
    char *raw = NULL, label[MPI_LABEL];
    int64_t *numbers = NULL;
    mplan_status status = read_raw(readers, layout, array, begin, n, &raw, err);
    *out = NULL;
    if (!status && !(numbers = mplan_alloc(n * a->cols, sizeof *numbers, err)))
        status = MPLAN_ERR_MEMORY;
    mpi_label_of(layout, array, label);
    for (int64_t i = 0; i < n * a->cols && !status; i++) {
        const long long row = begin + i / a->cols + 1;
        if (!whole_of(a, raw, i, &numbers[i]))
            status = mplan_fail(err, MPLAN_ERR_MESH,
                                "%s: row %lld: %s must be a whole number, not %g", label, row, what,
                                real_of(a, raw, i));
        else if (numbers[i] < least)
            status = mplan_fail(err, MPLAN_ERR_MESH,
                                "%s: row %lld: %s must be %lld or more, not %lld", label, row, what,
                                (long long)least, (long long)numbers[i]);
    }
    free(raw);
    status = mpi_agree(readers->comm, status, err);
    if (status)
        free(numbers);
    else
        *out = numbers;
    return status;
}

/* row, column: from 0 in the array of the file; messages count from 1. */
static mplan_status not_whole(const mplan_places *layout, int32_t index, int64_t row,
                              int64_t column, mplan_error *err)
{
    char label[MPI_LABEL];
    mpi_label_of(layout, index, label);
    return mplan_fail(err, MPLAN_ERR_MESH,
                      "%s: row %lld, column %lld: not a member of a set; the entries of a mapping table "
                      "must be whole numbers",
                      label, (long long)row + 1, (long long)column + 1);
}

/* A number of a table that says itself which numbers are members (formats/netcdf/netcdf_input.c, convert_ids). False: it is
 * neither one nor none. *out: -1 for none, and for what is out of range what the check of the range finds. */
static bool known_member(const mplan_places_table *t, const mplan_places_array *a, const char *raw,
                         int64_t i, int64_t *out)
{
    int64_t x;
    bool none = false;
    if (!whole_of(a, raw, i, &x) && a->kind == 'f') {
        const double real = real_of(a, raw, i);
        *out = -1;
        return real != real && t->nan;
    }
    for (int32_t f = 0; f < t->n_fills; f++)
        none = none || t->fill[f] == x;
    if (x >= t->base && x - t->base < t->to_size)
        *out = x - t->base;
    else if (none || (t->below && x < t->base))
        *out = -1;
    else
        *out = x >= t->base ? x - t->base : -2;
    return true;
}

/* --- ragged rows ------------------------------------------------------------------------------------- */

/* offsets: in the file's numbers, from raw; out->offsets counts from this rank's first entry, which is *first.
 * raw: n + 1 numbers; entries: values of the whole map. The first offset of the map must be 0, or what the layout says, and
 * the last one `entries` more; between them they must ascend. Each rank checks its own, and as the last of a rank is the first
 * of the next, all of them are checked. */
static mplan_status take_offsets(const mplan_places *layout, const mplan_places_table *t,
                                 const char *raw, int64_t entries, mpi_read_table *out,
                                 int64_t *first, mplan_error *err)
{
    const int32_t index = t->offsets;
    const int64_t base = t->first_offset;
    const mplan_places_array *a = mplan_places_get_array(layout, index);
    char label[MPI_LABEL];
    mpi_label_of(layout, index, label);
    for (int64_t i = 0; i <= out->n; i++) {
        int64_t value;
        const bool whole = whole_of(a, raw, i, &value);
        const int64_t before = i == 0 ? base : out->offsets[i - 1] + base + *first;
        const bool starts = out->begin == 0 && i == 0;
        if (!whole || value < before || (starts && value != base))
            return mplan_fail(err, MPLAN_ERR_MESH,
                              "%s: row %lld, column 1: the offset is %lld, but offsets must ascend "
                              "from %lld",
                              label, (long long)(out->begin + i + 1), (long long)value,
                              (long long)base);
        if (value - base > entries || (out->begin + i == out->rows && value - base != entries))
            return mplan_fail(err, MPLAN_ERR_MESH,
                              "%s: row %lld, column 1: the offset is %lld, but the map has %lld values",
                              label, (long long)(out->begin + i + 1), (long long)value,
                              (long long)(base + entries));
        if (i == 0)
            *first = value - base;
        out->offsets[i] = value - base - *first;
    }
    return MPLAN_OK;
}

/* Each rank reads the offsets of its rows and that of the next rank's first, so that no message is needed to tell their lengths.
 * Collective. out->begin, n and rows are there before; out->offsets is there after. */
static mplan_status read_offsets(const mpi_readers *readers, const mplan_places *layout,
                                 const mplan_places_table *t, mpi_read_table *out, int64_t *first,
                                 mplan_error *err)
{
    const mplan_places_block *block = (const mplan_places_block *)layout->blocks.data + t->block;
    const int64_t entries = mplan_places_get_array(layout, block->array)->rows;
    char *raw = NULL;
    mplan_status status = read_raw(readers, layout, t->offsets, out->begin, out->n + 1, &raw, err);
    if (!status && !(out->offsets = mplan_alloc(out->n + 1, sizeof *out->offsets, err)))
        status = MPLAN_ERR_MEMORY;
    if (!status)
        status = take_offsets(layout, t, raw, entries, out, first, err);
    free(raw);
    return mpi_agree(readers->comm, status, err);
}

/* --- rows of blocks ------------------------------------------------------------------------------------ */

/* Rows and lengths of all blocks together: arity, offsets of this rank's rows where they differ, types where they have some.
 * Not collective. Before: out->begin and n; after: arity where all blocks have equal ones (0: they
 * differ), offsets from 0, a type for each own row. A block without rows counts only where it is the
 * first; readers of several blocks list none without rows. The arity is equal on every rank. */
static mplan_status shape_rows(const mplan_places *layout, const mplan_places_table *t,
                               mpi_read_table *out, mplan_error *err)
{
    const mplan_places_block *blocks = (const mplan_places_block *)layout->blocks.data + t->block;
    bool types = false, equal = true;
    int32_t arity = -1;
    for (int32_t b = 0; b < t->n_blocks; b++) {
        const mplan_places_array *a = mplan_places_get_array(layout, blocks[b].array);
        types = types || blocks[b].type >= 0;
        equal = equal && (a->rows == 0 || arity < 0 || a->cols == arity);
        arity = a->rows > 0 || arity < 0 ? (int32_t)a->cols : arity;
    }
    out->arity = equal ? arity : 0;
    if (equal && arity < 1) {
        char label[MPI_LABEL];
        mpi_label_of(layout, blocks[0].array, label);
        return mplan_fail(err, MPLAN_ERR_MESH, "%s: the rows of the table are empty", label);
    }
    if (types && !(out->type = mplan_alloc(out->n, 1, err)))
        return MPLAN_ERR_MEMORY;
    if (!equal && !(out->offsets = mplan_alloc_zero(out->n + 1, sizeof *out->offsets, err)))
        return MPLAN_ERR_MEMORY;
    for (int64_t b = 0, row = 0; b < t->n_blocks && (types || !equal); b++) {
        const mplan_places_array *a = mplan_places_get_array(layout, blocks[b].array);
        const int64_t low = row > out->begin ? row : out->begin;
        const int64_t last = out->begin + out->n;
        row += a->rows;
        for (int64_t i = low; i < row && i < last; i++) {
            if (types)
                out->type[i - out->begin] = (uint8_t)blocks[b].type;
            if (!equal)
                out->offsets[i - out->begin + 1] = a->cols;
        }
    }
    for (int64_t i = 0; i < out->n && !equal; i++)
        out->offsets[i + 1] += out->offsets[i];
    return MPLAN_OK;
}

/* Numbers of n rows of a block to members; row: of the first in the array.
 * raw: n rows as the file has them; values: out, n x cols, the nodes of a cell in our order. -1
 * stays where the map may have none. counts: of each of the rows, or NULL. */
static mplan_status take_rows(const mplan_places *layout, const mplan_places_table *t,
                              const mplan_places_block *block, const char *raw, int64_t row,
                              int64_t n, const int64_t *counts, int64_t *values, mplan_error *err)
{
    const mplan_places_array *a = mplan_places_get_array(layout, block->array);
    for (int64_t i = 0; i < n; i++)
        for (int64_t k = 0; k < a->cols; k++) {
            const int64_t column = block->type >= 0 ? block->order[k] : k;
            int64_t x;
            if (counts && k >= counts[i]) { /* whatever is there */
                values[i * a->cols + k] = -1;
                continue;
            }
            if (t->to_size >= 0) {
                if (!known_member(t, a, raw, i * a->cols + column, &values[i * a->cols + k]))
                    return not_whole(layout, block->array, row + i, column, err);
                continue;
            }
            if (!whole_of(a, raw, i * a->cols + column, &x))
                return not_whole(layout, block->array, row + i, column, err);
            /* numbers below the base stay below -1, to be found by the check of the range */
            values[i * a->cols + k] = t->has_none && x == -1 ? -1 : x >= t->base ? x - t->base : -2;
        }
    return MPLAN_OK;
}

/* Every rank takes part in reading each block, also one that it has no rows of.
 * low, high: rows of the whole map that are in this block and are this rank's; `begin` is the
 * block's first row. values are filled from front to back, as blocks follow each other in the
 * map. */
static mplan_status read_blocks(const mpi_readers *readers, const mplan_places *layout,
                                const mplan_places_table *t, mpi_read_table *out, mplan_error *err)
{
    const mplan_places_block *blocks = (const mplan_places_block *)layout->blocks.data + t->block;
    const int64_t last = out->begin + out->n;
    mplan_status status = MPLAN_OK;
    int64_t begin = 0, *to = out->values;
    for (int32_t b = 0; b < t->n_blocks && !status; b++) {
        const mplan_places_array *a = mplan_places_get_array(layout, blocks[b].array);
        const int64_t low = out->begin > begin ? out->begin : begin;
        const int64_t high = last < begin + a->rows ? last : begin + a->rows;
        const int64_t n = high > low ? high - low : 0;
        char *raw = NULL;
        status = read_raw(readers, layout, blocks[b].array, low - begin, n, &raw, err);
        if (!status)
            status = take_rows(layout, t, &blocks[b], raw, low - begin, n, out->counts, to, err);
        free(raw);
        status = mpi_agree(readers->comm, status, err);
        to += n * a->cols;
        begin += a->rows;
    }
    return status;
}

/* How many entries of each own row count: numbers from 0 to as many as the rows have. Collective. */
static mplan_status read_counts(const mpi_readers *readers, const mplan_places *layout,
                                const mplan_places_table *t, mpi_read_table *out, mplan_error *err)
{
    const mplan_places_array *a = mplan_places_get_array(layout, t->counts);
    char *raw = NULL, label[MPI_LABEL];
    mplan_status status = MPLAN_OK;
    if (a->rows != out->rows || a->cols != 1) { /* alike on all ranks */
        mpi_label_of(layout, t->counts, label);
        return mplan_fail(err, MPLAN_ERR_MESH, "%s: there must be a number for each of %lld rows",
                          label, (long long)out->rows);
    }
    status = read_raw(readers, layout, t->counts, out->begin, out->n, &raw, err);
    if (!status && !(out->counts = mplan_alloc(out->n, sizeof *out->counts, err)))
        status = MPLAN_ERR_MEMORY;
    for (int64_t i = 0; i < out->n && !status; i++) {
        const bool whole = whole_of(a, raw, i, &out->counts[i]);
        if (whole && out->counts[i] >= 0 && out->counts[i] <= out->arity)
            continue;
        mpi_label_of(layout, t->counts, label);
        status = mplan_fail(err, MPLAN_ERR_MESH, "%s: row %lld: rows of %s have 0 to %d entries",
                            label, (long long)(out->begin + i + 1), t->name, (int)out->arity);
    }
    free(raw);
    return mpi_agree(readers->comm, status, err);
}

/* The entries of ragged rows, which lie one behind the other in an array of one column.
 * Collective. first: the entry of the whole map that this rank's first row begins with. */
static mplan_status read_entries(const mpi_readers *readers, const mplan_places *layout,
                                 const mplan_places_table *t, int64_t first, mpi_read_table *out,
                                 mplan_error *err)
{
    const mplan_places_block *block = (const mplan_places_block *)layout->blocks.data + t->block;
    char *raw = NULL;
    mplan_status status = read_raw(readers, layout, block->array, first, out->offsets[out->n], &raw,
                                   err);
    if (!status)
        status = take_rows(layout, t, block, raw, first, out->offsets[out->n], NULL, out->values,
                           err);
    free(raw);
    return mpi_agree(readers->comm, status, err);
}

/* Values are members afterwards: without the file's base, and in our order of a cell's nodes.
 * A cell's type and its row are on one rank. out->most is agreed on by all ranks, so that all of
 * them size the to-set alike. */
mplan_status mpi_read_table_of(const mpi_readers *readers, const mplan_places *layout,
                               int32_t table, mpi_read_table *out, mplan_error *err)
{
    const mplan_places_table *t = (const mplan_places_table *)layout->tables.data + table;
    const mplan_places_block *blocks = (const mplan_places_block *)layout->blocks.data + t->block;
    const bool ragged = t->offsets >= 0;
    int rank, ranks;
    int64_t first = 0;
    MPI_Comm_rank(readers->comm, &rank);
    MPI_Comm_size(readers->comm, &ranks);
    *out = (mpi_read_table){.most = -1};
    out->rows = ragged ? mplan_places_get_array(layout, t->offsets)->rows - 1 : 0;
    for (int32_t b = 0; b < t->n_blocks && !ragged; b++)
        out->rows += mplan_places_get_array(layout, blocks[b].array)->rows;
    out->begin = mpi_range_first(out->rows, ranks, rank);
    out->n = mpi_range_first(out->rows, ranks, rank + 1) - out->begin;
    mplan_status status = ragged ? read_offsets(readers, layout, t, out, &first, err)
                                 : shape_rows(layout, t, out, err);
    status = mpi_agree(readers->comm, status, err);
    if (!status && t->counts >= 0)
        status = read_counts(readers, layout, t, out, err);
    int64_t entries = status ? 0 : out->offsets ? out->offsets[out->n] : out->n * out->arity;
    if (!status && !(out->values = mplan_alloc(entries, sizeof *out->values, err)))
        status = MPLAN_ERR_MEMORY;
    status = mpi_agree(readers->comm, status, err);
    if (!status)
        status = ragged ? read_entries(readers, layout, t, first, out, err)
                        : read_blocks(readers, layout, t, out, err);
    if (!status)
        status = mpi_read_finish_rows(readers, layout, table, out, err);
    free(out->counts);
    out->counts = NULL;
    if (!status)
        entries = out->offsets ? out->offsets[out->n] : out->n * out->arity;
    for (int64_t i = 0; i < entries && !status; i++)
        out->most = out->values[i] > out->most ? out->values[i] : out->most;
    if (!status)
        out->most = mpi_most(readers->comm, out->most);
    return status;
}

/* --- checks ------------------------------------------------------------------------------------------------ */

/* The sentence for an entry of this rank.
 * entry: counted from this rank's first. The place is told as the file has it: the row within
 * its block's array, and the column before nodes were put into our order. */
static mplan_status out_of_range(const mplan_places *layout, const mplan_places_table *t,
                                 const mpi_read_table *read, int64_t entry, int64_t size,
                                 mplan_error *err)
{
    const mplan_places_block *blocks = (const mplan_places_block *)layout->blocks.data + t->block;
    char label[MPI_LABEL];
    int64_t row = 0, column;
    int32_t b = 0;
    while (read->offsets ? read->offsets[row + 1] <= entry : (row + 1) * read->arity <= entry)
        row++;
    column = entry - (read->offsets ? read->offsets[row] : row * read->arity);
    row += read->begin;
    while (t->offsets < 0 && row >= mplan_places_get_array(layout, blocks[b].array)->rows)
        row -= mplan_places_get_array(layout, blocks[b++].array)->rows;
    mpi_label_of(layout, blocks[b].array, label);
    column = blocks[b].type >= 0 ? blocks[b].order[column] : column;
    if (read->values[entry] < 0)
        return mplan_fail(err, MPLAN_ERR_MESH,
                          "%s: row %lld, column %lld: the number is out of range: set '%s' is numbered "
                          "from %lld",
                          label, (long long)row + 1, (long long)column + 1, t->to,
                          (long long)t->base);
    return mplan_fail(err, MPLAN_ERR_MESH,
                      "%s: row %lld, column %lld: %lld is out of range: set '%s' has %lld members, "
                      "numbered from %lld",
                      label, (long long)row + 1, (long long)column + 1,
                      (long long)(read->values[entry] + t->base), t->to, (long long)size,
                      (long long)t->base);
}

/* Done when the size of the set is known, which may be after all maps are read.
 * Each rank looks at its own rows, which ascend with the rank, and mpi_agree takes the lowest
 * rank with a fault: so the first wrong entry of the map is told for any number of ranks. */
mplan_status mpi_check_table(const mpi_readers *readers, const mplan_places *layout, int32_t table,
                             const mpi_read_table *read, int64_t size, mplan_error *err)
{
    const mplan_places_table *t = (const mplan_places_table *)layout->tables.data + table;
    const int64_t n = read->offsets ? read->offsets[read->n] : read->n * read->arity;
    mplan_status status = MPLAN_OK;
    for (int64_t i = 0; i < n && !status; i++) {
        const int64_t x = read->values[i];
        if (x < -1 || x >= size || (x < 0 && !t->has_none))
            status = out_of_range(layout, t, read, i, size, err);
    }
    return mpi_agree(readers->comm, status, err);
}

/* --- coordinates ---------------------------------------------------------------------------------------------- */

/* Column `to` of the rows, and those behind it, from one array.
 * Collective. begin, n: this rank's rows; out: n rows of `dimension` numbers. The first
 * coordinate that is not finite is told. */
static mplan_status read_columns(const mpi_readers *readers, const mplan_places *layout,
                                 int32_t index, int64_t begin, int64_t n, int32_t dimension,
                                 int32_t to, double *out, mplan_error *err)
{
    const mplan_places_array *a = mplan_places_get_array(layout, index);
    char *raw = NULL, label[MPI_LABEL];
    mplan_status status = read_raw(readers, layout, index, begin, n, &raw, err);
    for (int64_t i = 0; i < n && !status; i++)
        for (int64_t c = 0; c < a->cols; c++) {
            const double x = real_of(a, raw, i * a->cols + c);
            out[i * dimension + to + c] = x;
            if (x - x == 0 || status) /* false for NaN and the infinite ones */
                continue;
            mpi_label_of(layout, index, label);
            status = mplan_fail(err, MPLAN_ERR_MESH,
                                "%s: row %lld, column %lld: the coordinate is not finite", label,
                                (long long)(begin + i + 1), (long long)c + 1);
        }
    free(raw);
    return mpi_agree(readers->comm, status, err);
}

/* Longitudes and latitudes of this rank become points of the unit sphere. xyz: n rows of 3, of which 2 are set.
 * Not collective. A latitude a little beyond a pole is accepted: reals of 32 bits round so. */
static mplan_status to_sphere(const mplan_places *layout, const mplan_places_points *points,
                              int64_t begin, int64_t n, double *xyz, mplan_error *err)
{
    char label[MPI_LABEL];
    for (int64_t i = 0; i < n; i++) {
        const double longitude = xyz[3 * i] * points->degrees[0];
        const double latitude = xyz[3 * i + 1] * points->degrees[1];
        if (mplan_sphere_has(longitude, latitude)) {
            mplan_sphere_point(longitude, latitude, &xyz[3 * i]);
            continue;
        }
        mpi_label_of(layout, points->array[0], label);
        return mplan_fail(err, MPLAN_ERR_MESH,
                          "%s: row %lld: longitude %g and latitude %g degrees are none", label,
                          (long long)(begin + i + 1), longitude, latitude);
    }
    return MPLAN_OK;
}

/* Whether most members of all ranks have latitudes that none can have, as ugrid_axes.c finds it. Collective; n: of this rank. */
static bool are_lengths(const mpi_readers *readers, const mplan_places_points *points, int64_t n,
                        const double *xyz)
{
    int64_t beyond = 0;
    for (int64_t i = 0; i < n; i++) {
        const double latitude = xyz[3 * i + 1] * points->degrees[1];
        beyond += latitude < -90.001 || latitude > 90.001;
    }
    return mpi_sum(readers->comm, beyond) > mpi_sum(readers->comm, n) / 2;
}

/* Axis by axis where the file has them so.
 * *out: n rows of *dimension numbers, the caller's; it is left as it is after a failure. Axes that the file does not have
 * are 0. */
mplan_status mpi_read_points(const mpi_readers *readers, const mplan_places *layout,
                             const mplan_places_points *points, int64_t begin, int64_t n,
                             double **out, int32_t *dimension, mplan_error *err)
{
    assert(points->dimension == 2 || points->dimension == 3);
    double *xyz = mplan_alloc_zero(n * points->dimension, sizeof *xyz, err);
    mplan_status status = mpi_agree(readers->comm, xyz ? MPLAN_OK : MPLAN_ERR_MEMORY, err);
    *dimension = points->dimension;
    for (int32_t d = 0; d < points->dimension && points->array[d] >= 0 && !status; d++)
        status = read_columns(readers, layout, points->array[d], begin, n, points->dimension, d,
                              xyz, err);
    if (!status && points->sphere && points->perhaps_plane && are_lengths(readers, points, n, xyz)) {
        *dimension = 2;
        for (int64_t i = 0; i < n; i++)
            for (int d = 0; d < 2; d++)
                xyz[2 * i + d] = xyz[3 * i + d];
        mplan_warn(readers->context,
                   "%s: longitudes and latitudes beyond 90 degrees are read as lengths in the plane",
                   mplan_places_path_of(layout, mplan_places_get_array(layout, points->array[0])));
    } else if (!status && points->sphere) {
        status = mpi_agree(readers->comm, to_sphere(layout, points, begin, n, xyz, err), err);
    }
    if (status)
        free(xyz);
    else
        *out = xyz;
    return status;
}
