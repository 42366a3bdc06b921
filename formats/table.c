/* SPDX-License-Identifier: Apache-2.0 */
/* table.c - arrays of numbers become maps of a mesh
 *
 * A table is checked and renumbered in place, a piece that stays in cache at a
 * time: first whether all its numbers are in range, then their new values. So
 * the first number out of range is still there to be shown. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "formats/format.h"
#include "formats/table_names.h"
#include "mesh/mesh.h"

enum {
    PIECE = 4096,
    MAX_SET = INT32_MAX - 1, /* sets stay below 2^31 - 1 members */
    TILE = 1024              /* elements of a tile when a table is transposed */
};

/* Which numbers of the file stand for which members. */
typedef struct range {
    int64_t base;
    int64_t size; /* of the to-set, or what it may grow to */
    bool has_none, none_below_base;
    int64_t none;
} range;

/* A mapping table on its way into a map. */
typedef struct table {
    const char *path;
    mplan_numbers *numbers;
    mplan_table_names names;
    int64_t rows;    /* elements, once transposed */
    int64_t arity;   /* 0: ragged */
    int64_t to_size; /* -1: inferred */
    range range;
    int32_t *values; /* rows x arity ids, from mplan_alloc */
    int64_t max;     /* largest id, -1 without one */
} table;

/* --- members ----------------------------------------------------------------- */

/* Whether the number means that there is no member. */
static bool is_none(const range *r, int64_t x)
{
    return (r->has_none && x == r->none) || (r->none_below_base && x < r->base);
}

/* Whether it means a member, or none. No difference overflows: x is not below the base, which is
 * 0 or 1. */
static bool in_range(const range *r, int64_t x)
{
    return is_none(r, x) || (x >= r->base && x - r->base < r->size);
}

/* The row and column of an entry, from 1 and as in the file. */
static void place_of(const mplan_numbers *numbers, int64_t entry, int64_t *row, int64_t *column)
{
    if (!numbers->offsets) {
        *row = entry / numbers->cols + 1;
        *column = entry % numbers->cols + 1;
        return;
    }
    int64_t low = 0, high = numbers->rows; /* offsets[low] <= entry < offsets[high] */
    while (high - low > 1) {
        int64_t middle = low + (high - low) / 2;
        if (numbers->offsets[middle] <= entry)
            low = middle;
        else
            high = middle;
    }
    *row = low + 1;
    *column = entry - numbers->offsets[low] + 1;
}

/* entry: index into all numbers; row and column are found for the message. */
static mplan_status fail_range(const table *t, int64_t entry, int64_t x, mplan_error *err)
{
    int64_t row, column;
    place_of(t->numbers, entry, &row, &column);
    if (x < t->range.base)
        return mplan_fail(err, MPLAN_ERR_MESH,
                          "%s: row %" PRId64 ", column %" PRId64 ": %" PRId64 " is out of range: "
                          "set '%s' is numbered from %" PRId64 "; if the number means none, set "
                          "the key none of the map in a job",
                          t->path, row, column, x, t->names.to, t->range.base);
    if (t->to_size < 0)
        return mplan_fail(err, MPLAN_ERR_MESH,
                          "%s: row %" PRId64 ", column %" PRId64 ": %" PRId64 " is out of range: a "
                          "set must have fewer than 2^31 members",
                          t->path, row, column, x);
    return mplan_fail(err, MPLAN_ERR_MESH,
                      "%s: row %" PRId64 ", column %" PRId64 ": %" PRId64
                      " is out of range: set '%s' has %" PRId64 " members, numbered from %" PRId64,
                      t->path, row, column, x, t->names.to, t->to_size, t->range.base);
}

/* Numbers [0, n) of a piece of 32-bit numbers to ids, in place; false, with
 * nothing changed, when one is out of range. Both loops are free of branches
 * and of overflow: ids are compared as unsigned numbers. */
static bool renumber_piece(const range *r, int32_t *values, int64_t n, int64_t *max)
{
    bool has_none = r->has_none && r->none >= INT32_MIN && r->none <= INT32_MAX;
    int32_t none = has_none ? (int32_t)r->none : 0, base = (int32_t)r->base, largest = -1;
    uint32_t size = (uint32_t)r->size;
    unsigned bad = 0, equal = has_none, below = r->none_below_base;
    for (int64_t i = 0; i < n; i++) {
        unsigned skip = (equal & (values[i] == none)) | (below & (values[i] < base));
        bad |= ((uint32_t)values[i] - (uint32_t)base >= size) & !skip;
    }
    if (bad)
        return false;
    for (int64_t i = 0; i < n; i++) {
        unsigned skip = (equal & (values[i] == none)) | (below & (values[i] < base));
        int32_t id = (int32_t)((uint32_t)values[i] - (uint32_t)base);
        id = skip ? -1 : id;
        largest = largest > id ? largest : id;
        values[i] = id;
    }
    *max = *max > largest ? *max : largest;
    return true;
}

/* In place, in pieces: a vector loop checks a piece, and only a wrong one is
 * searched. */
static mplan_status renumber_i32(table *t, int64_t n, mplan_error *err)
{
    int32_t *values = t->numbers->i32;
    for (int64_t first = 0; first < n; first += PIECE) {
        int64_t last = first + PIECE < n ? first + PIECE : n;
        if (renumber_piece(&t->range, values + first, last - first, &t->max))
            continue;
        while (in_range(&t->range, values[first]))
            first++;
        return fail_range(t, first, values[first], err);
    }
    t->values = values;
    t->numbers->i32 = NULL;
    return MPLAN_OK;
}

/* Numbers of 64 bits, one of which at least does not fit into 32, so a none
 * value or a fault. The ids go to the front of the same array, which shrinks. */
static mplan_status renumber_i64(table *t, int64_t n, mplan_error *err)
{
    char *bytes = (char *)t->numbers->i64;
    for (int64_t i = 0; i < n; i++) {
        int64_t x;
        memcpy(&x, bytes + 8 * i, sizeof x);
        if (!in_range(&t->range, x))
            return fail_range(t, i, x, err);
        int32_t id = is_none(&t->range, x) ? -1 : (int32_t)(x - t->range.base);
        memcpy(bytes + 4 * i, &id, sizeof id);
        t->max = t->max > id ? t->max : id;
    }
    t->values = mplan_realloc(bytes, n, sizeof *t->values, err);
    if (!t->values)
        return MPLAN_ERR_MEMORY;
    t->numbers->i64 = NULL;
    return MPLAN_OK;
}

/* Reals that are whole, as some writers give them, to 64-bit numbers in place. */
static mplan_status make_whole(table *t, int64_t n, mplan_error *err)
{
    const double limit = 9007199254740992.0; /* 2^53: whole numbers are exact up to there */
    double *real = t->numbers->f64;
    for (int64_t i = 0; i < n; i++) {
        double x = real[i];
        int64_t whole = x >= -limit && x <= limit ? (int64_t)x : 0;
        if ((double)whole != x) {
            int64_t row, column;
            place_of(t->numbers, i, &row, &column);
            return mplan_fail(err, MPLAN_ERR_MESH,
                              "%s: row %" PRId64 ", column %" PRId64 ": %.17g is not a member "
                              "of a set; the entries of a mapping table must be whole numbers",
                              t->path, row, column, x);
        }
        memcpy(real + i, &whole, sizeof whole);
    }
    t->numbers->i64 = (int64_t *)(void *)real;
    t->numbers->f64 = NULL;
    t->numbers->real = false;
    return MPLAN_OK;
}

/* From the file's base to 0, and none to -1. */
static mplan_status renumber(table *t, mplan_error *err)
{
    mplan_numbers *numbers = t->numbers;
    int64_t n = numbers->offsets ? numbers->offsets[numbers->rows] : numbers->rows * numbers->cols;
    mplan_status status = numbers->f64 ? make_whole(t, n, err) : MPLAN_OK;
    if (status)
        return status;
    return numbers->i32 ? renumber_i32(t, n, err) : renumber_i64(t, n, err);
}

/* A row per slot becomes a row per element. */
static mplan_status transpose(table *t, mplan_error *err)
{
    int64_t n = t->rows, arity = t->arity;
    int32_t *transposed = mplan_alloc(n * arity, sizeof *transposed, err);
    if (!transposed)
        return MPLAN_ERR_MEMORY;
    for (int64_t first = 0; first < n; first += TILE) {
        int64_t last = first + TILE < n ? first + TILE : n;
        for (int64_t k = 0; k < arity; k++)
            for (int64_t e = first; e < last; e++)
                transposed[e * arity + k] = t->values[k * n + e];
    }
    free(t->values);
    t->values = transposed;
    return MPLAN_OK;
}

/* --- sets ---------------------------------------------------------------------- */

/* Size of a set that exists or that the caller gives; -1 when nobody knows. */
static mplan_status known_size(const mplan_mesh *mesh, const char *path, const char *set,
                               int64_t given, int64_t *size, mplan_error *err)
{
    int32_t index = mplan_mesh_find_set(mesh, set);
    *size = given < 0 ? -1 : given;
    if (given > MAX_SET)
        return mplan_fail(err, MPLAN_ERR_ARGUMENT,
                          "%s: set '%s' cannot have %" PRId64 " members; sets stay below 2^31",
                          path, set, given);
    if (index < 0)
        return MPLAN_OK;
    int64_t there = mplan_mesh_set(mesh, index).size;
    if (given >= 0 && given != there)
        return mplan_fail(err, MPLAN_ERR_MESH, "%s: set '%s' has %" PRId64 " members, not %" PRId64,
                          path, set, there, given);
    *size = there;
    return MPLAN_OK;
}

/* Sizes may be known from the mesh, from options, or only from the largest
 * entry. */
static mplan_status check_sizes(table *t, const mplan_mesh *mesh,
                                const mplan_table_options *options, mplan_error *err)
{
    int64_t from_size;
    mplan_status status = known_size(mesh, t->path, t->names.from, options->from_size, &from_size,
                                     err);
    if (!status)
        status = known_size(mesh, t->path, t->names.to, options->to_size, &t->to_size, err);
    if (status)
        return status;
    if (from_size >= 0 && from_size != t->rows)
        return mplan_fail(err, MPLAN_ERR_MESH,
                          "%s: the table has %" PRId64 " rows, but set '%s' has %" PRId64 " members",
                          t->path, t->rows, t->names.from, from_size);
    if (t->rows > MAX_SET)
        return mplan_fail(err, MPLAN_ERR_MESH,
                          "%s: the table has %" PRId64 " rows; a set must have fewer than 2^31 "
                          "members",
                          t->path, t->rows);
    if (strcmp(t->names.from, t->names.to) == 0) {
        if (t->to_size >= 0 && t->to_size != t->rows)
            return mplan_fail(err, MPLAN_ERR_MESH,
                              "%s: the table has %" PRId64 " rows, but set '%s' has %" PRId64
                              " members",
                              t->path, t->rows, t->names.to, t->to_size);
        t->to_size = t->rows;
    }
    return MPLAN_OK;
}

/* Rows and arity of the map, options that cannot be. */
static mplan_status check_shape(table *t, const mplan_table_options *options, mplan_error *err)
{
    const mplan_numbers *numbers = t->numbers;
    if (options->base != 0 && options->base != 1)
        return mplan_fail(err, MPLAN_ERR_ARGUMENT, "%s: base must be 0 or 1, not %" PRId64, t->path,
                          options->base);
    if (options->transposed) {
        mplan_status status = mplan_numbers_require_fixed(t->path, numbers, err);
        if (status)
            return status;
    }
    t->rows = options->transposed ? numbers->cols : numbers->rows;
    t->arity = options->transposed ? numbers->rows : numbers->cols;
    if (!numbers->offsets && t->arity == 0)
        return mplan_fail(err, MPLAN_ERR_MESH, "%s: the rows of the table are empty", t->path);
    if (t->arity > INT32_MAX)
        return mplan_fail(err, MPLAN_ERR_MESH,
                          "%s: the rows of the table have too many numbers: %" PRId64, t->path,
                          t->arity);
    return MPLAN_OK;
}

/* size: of a set that is not there yet. */
static mplan_status find_or_add_set(mplan_mesh *mesh, const char *name, int64_t size, int32_t *set,
                                    mplan_error *err)
{
    *set = mplan_mesh_find_set(mesh, name);
    return *set >= 0 ? MPLAN_OK : mplan_mesh_add_set(mesh, name, size, set, err);
}

/* All or nothing: sets that were added are taken back after a failure. */
static mplan_status add_map(table *t, mplan_mesh *mesh, mplan_error *err)
{
    int32_t from = -1, to = -1;
    mplan_mesh_mark mark = mplan_mesh_mark_of(mesh);
    mplan_status status = find_or_add_set(mesh, t->names.from, t->rows, &from, err);
    if (!status)
        status = find_or_add_set(mesh, t->names.to, t->to_size >= 0 ? t->to_size : t->max + 1, &to,
                                 err);
    if (!status && t->to_size < 0)
        mesh->sets[to].by_largest = true;
    if (!status) {
        int32_t *values = t->values;
        int64_t *offsets = t->numbers->offsets;
        t->values = NULL;
        t->numbers->offsets = NULL;
        status = mplan_mesh_take_map(mesh, t->names.name, from, to, (int32_t)t->arity, offsets,
                                     values, NULL, err);
    }
    if (status)
        mplan_mesh_roll_back(mesh, mark);
    return status;
}

/* Whether the first numbers of two rows and more, of two numbers and more, are 1, 2, 3, ... */
static bool counts_rows(const mplan_numbers *numbers)
{
    if (!numbers->i32 || numbers->rows < 2 || (!numbers->offsets && numbers->cols < 2))
        return false;
    for (int64_t r = 0; r < numbers->rows; r++) {
        int64_t first = numbers->offsets ? numbers->offsets[r] : r * numbers->cols;
        if ((numbers->offsets && numbers->offsets[r + 1] - first < 2) || numbers->i32[first] != r + 1)
            return false;
    }
    return true;
}

/* Numbers from 0 of which none is 0 are perhaps from 1; where the size of the set is known, ids that
 * fit are believed. numbered: the first column is 1, 2, 3, ... */
static void warn_of_base(const table *t, bool numbered, const mplan_context *context)
{
    int64_t n = t->arity ? t->rows * t->arity : t->numbers->offsets[t->rows];
    int32_t least = INT32_MAX;
    for (int64_t i = 0; i < n; i++)
        least = t->values[i] >= 0 && t->values[i] < least ? t->values[i] : least;
    if (numbered)
        mplan_warn(context,
                   "%s: the first column is 1, 2, 3, ...: if it numbers the rows, it is not part of the "
                   "table and must be removed",
                   t->path);
    if (least > 0 && least < INT32_MAX && t->to_size < 0)
        mplan_warn(context,
                   "%s: no entry is 0: if '%s' is numbered from 1, say so: --map %s:%s:%s=FILE:1 (in jobs "
                   "base: 1)",
                   t->path, t->names.to, t->names.name, t->names.from, t->names.to);
}

/* numbers belong to this function, also after a failure. */
mplan_status mplan_table_from_numbers(mplan_mesh *mesh, const char *path, mplan_numbers *numbers,
                                      const mplan_table_options *options,
                                      const mplan_context *context, mplan_error *err)
{
    const mplan_table_options defaults = MPLAN_TABLE_OPTIONS_INIT;
    if (!options)
        options = &defaults;
    table t = {.path = path, .numbers = numbers, .max = -1};
    mplan_status status = mplan_table_names_find(mesh, path, options, &t.names, err);
    if (status)
        goto done;
    if (mplan_mesh_find_map(mesh, t.names.name) >= 0) {
        status = mplan_fail(err, MPLAN_ERR_ARGUMENT, "%s: the mesh already has a map '%s'", path,
                            t.names.name);
        goto done;
    }
    status = check_shape(&t, options, err);
    if (!status)
        status = check_sizes(&t, mesh, options, err);
    if (status)
        goto done;
    t.range = (range){.base = options->base,
                      .size = t.to_size >= 0 ? t.to_size : MAX_SET,
                      .has_none = options->has_none,
                      .none = options->none,
                      .none_below_base = options->none_below_base};
    bool numbered = options->base == 0 && !options->transposed && counts_rows(numbers);
    status = renumber(&t, err);
    if (!status && options->base == 0)
        warn_of_base(&t, numbered, context);
    if (!status && options->transposed)
        status = transpose(&t, err);
    if (!status)
        status = add_map(&t, mesh, err);
done:
    free(t.values);
    mplan_table_names_free(&t.names);
    mplan_numbers_free(numbers);
    return status;
}

/* --- the table to write ------------------------------------------------------------ */

/* what: name of a map; NULL if the mesh has only one. */
mplan_status mplan_table_choose(const mplan_mesh *mesh, const char *what, mplan_map *map,
                                mplan_error *err)
{
    char names[512] = "";
    int32_t n = mplan_mesh_n_maps(mesh), chosen = n == 1 ? 0 : -1;
    if (what)
        chosen = mplan_mesh_find_map(mesh, what);
    if (chosen >= 0) {
        *map = mplan_mesh_map(mesh, chosen);
        return MPLAN_OK;
    }
    size_t length = 0;
    for (int32_t i = 0; i < n && length < sizeof names; i++)
        length += (size_t)snprintf(names + length, sizeof names - length, "%s%s", i ? ", " : "",
                                   mplan_mesh_map(mesh, i).name);
    if (n == 0)
        return mplan_fail(err, MPLAN_ERR_ARGUMENT, "the mesh has no map to write");
    if (what)
        return mplan_fail(err, MPLAN_ERR_ARGUMENT, "the mesh has no map '%s'; it has %s", what,
                          names);
    return mplan_fail(err, MPLAN_ERR_ARGUMENT,
                      "the file holds one map and the mesh has several; name one of %s", names);
}
