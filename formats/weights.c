/* SPDX-License-Identifier: Apache-2.0 */
/* weights.c - weights, shares and layers from tables of numbers: .npy, CSV, text */
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "base/option_size.h"
#include "formats/format.h"
#include "formats/input.h"
#include "formats/logicals.h"
#include "mesh/mesh.h"
#include "mesh/mesh_checks.h"

/* Whether a line of text holds a row: not empty, no comment, and not the heading, which begins with a letter or a
 * quote. */
static bool is_row(const uint8_t *line, const uint8_t *end)
{
    while (line < end && (*line == ' ' || *line == '\t' || *line == '\r'))
        line++;
    return line < end && !strchr("#%\"'", *line) && !(*line >= 'A' && *line <= 'Z') &&
           !(*line >= 'a' && *line <= 'z');
}

/* "path:7: " for row `row` (from 0) of text, "path: row 8: " of a .npy file. */
static void place_of(const mplan_input *input, int64_t row, char *place, size_t size)
{
    const uint8_t *at = input->data, *end = at + input->size;
    int64_t line = 1, left = row;
    if (mplan_format_npy.recognise(input->data, input->size) == MPLAN_RECOGNISED_YES) {
        snprintf(place, size, "%s: row %" PRId64 ": ", input->path, row + 1);
        return;
    }
    while (at < end) {
        const uint8_t *next = memchr(at, '\n', (size_t)(end - at));
        if (is_row(at, next ? next : end) && left-- == 0)
            break;
        at = next ? next + 1 : end;
        line++;
    }
    snprintf(place, size, "%s:%" PRId64 ": ", input->path, line);
}

/* Whole numbers, `least` (0 or less) or more, as 64-bit ones, also those that are written as reals. what: "a weight". */
static mplan_status take_whole(const mplan_input *input, const mplan_numbers *numbers,
                               const char *what, int64_t least, int64_t **weights, mplan_error *err)
{
    const int64_t n = numbers->rows * numbers->cols;
    int64_t *to = mplan_alloc(n, sizeof *to, err);
    if (!to)
        return MPLAN_ERR_MEMORY;
    for (int64_t i = 0; i < n; i++) {
        double real = numbers->f64 ? numbers->f64[i] : 0;
        bool whole = !numbers->f64 || (real >= -9e15 && real <= 9e15 && floor(real) == real);
        to[i] = numbers->i32   ? numbers->i32[i]
                : numbers->i64 ? numbers->i64[i]
                : whole        ? (int64_t)real
                               : least - 1;
        if (to[i] >= least)
            continue;
        char place[4352];
        place_of(input, i / numbers->cols, place, sizeof place);
        mplan_status status = whole ? mplan_fail(err, MPLAN_ERR_MESH,
                                                 "%s%s must be %" PRId64 " or more, not %" PRId64,
                                                 place, what, least, to[i])
                                    : mplan_fail(err, MPLAN_ERR_MESH,
                                                 "%s%s must be a whole number, not %g", place, what,
                                                 real);
        free(to);
        return status;
    }
    *weights = to;
    return MPLAN_OK;
}

/* Opens a table, whose rows are equally long; *opened is open afterwards, also after a failure of the second
 * step. */
static mplan_status read_table(const char *path, mplan_input_file *opened, mplan_numbers *numbers,
                               const mplan_context *context, mplan_error *err)
{
    mplan_status status = mplan_input_open(path, opened, context, err);
    if (!status)
        status = mplan_read_numbers(&opened->input, context, numbers, err);
    return status ? status : mplan_numbers_require_fixed(opened->input.path, numbers, err);
}

/* *to has rows * columns numbers, row by row, for the caller to free; set only after success. Files are tables of text
 * or .npy. */
static mplan_status read_whole(const char *path, const char *what, int64_t least, int64_t *rows,
                               int32_t *columns, int64_t **to, const mplan_context *context,
                               mplan_error *err)
{
    mplan_input_file opened = {0};
    mplan_numbers numbers = {0};
    mplan_status status = read_table(path, &opened, &numbers, context, err);
    if (!status && numbers.cols > INT32_MAX)
        status = mplan_fail(err, MPLAN_ERR_UNSUPPORTED, "%s: %" PRId64 " columns", path,
                            numbers.cols);
    if (!status)
        status = take_whole(&opened.input, &numbers, what, least, to, err);
    if (!status) {
        *rows = numbers.rows;
        *columns = (int32_t)numbers.cols;
    }
    mplan_numbers_free(&numbers);
    mplan_input_close(&opened);
    return status;
}

mplan_status mplan_weights_read(const char *path, int64_t *rows, int32_t *columns,
                                int64_t **weights, const mplan_context *context, mplan_error *err)
{
    MPLAN_NEED_CONTEXT(context);
    MPLAN_NEED(path);
    MPLAN_NEED(rows);
    MPLAN_NEED(columns);
    MPLAN_NEED(weights);
    return read_whole(path, "a weight", 0, rows, columns, weights, context, err);
}

mplan_status mplan_together_read(const char *path, int64_t *rows, int32_t *columns,
                                 int64_t **together, const mplan_context *context, mplan_error *err)
{
    MPLAN_NEED_CONTEXT(context);
    MPLAN_NEED(path);
    MPLAN_NEED(rows);
    MPLAN_NEED(columns);
    MPLAN_NEED(together);
    return read_whole(path, "a group or member", -1, rows, columns, together, context, err);
}

/* Shares of parts, in the order of the file, whatever its rows and columns are. Each must be
 * above 0 and finite; their sum need not be 1. */
mplan_status mplan_shares_read(const char *path, int64_t *n, double **shares,
                               const mplan_context *context, mplan_error *err)
{
    MPLAN_NEED_CONTEXT(context);
    MPLAN_NEED(path);
    MPLAN_NEED(n);
    MPLAN_NEED(shares);
    mplan_input_file opened = {0};
    mplan_numbers numbers = {0};
    mplan_status status = read_table(path, &opened, &numbers, context, err);
    if (!status)
        status = mplan_numbers_to_real(&numbers, err);
    for (int64_t i = 0; !status && i < numbers.rows * numbers.cols; i++)
        if (!(numbers.f64[i] > 0 && numbers.f64[i] <= 1e300)) {
            char place[4352];
            place_of(&opened.input, i / numbers.cols, place, sizeof place);
            status = mplan_fail(err, MPLAN_ERR_MESH, "%sa share must be above 0, not %g", place,
                                numbers.f64[i]);
        }
    if (!status) {
        *n = numbers.rows * numbers.cols;
        *shares = numbers.f64;
        numbers.f64 = NULL;
    }
    mplan_numbers_free(&numbers);
    mplan_input_close(&opened);
    return status;
}

/* The sentence of a row that is wrong, with its place before it. */
static mplan_status fail_at(const mplan_input *input, int64_t row, mplan_status status,
                            mplan_error *err)
{
    char place[4352];
    place_of(input, row, place, sizeof place);
    place[strlen(place) - 2] = '\0'; /* ": ", which comes with the sentence */
    mplan_fail_prefix(err, status, place);
    return status;
}

/* Layers [bottom, top) of each member, from rows of a number (how many, from layer 0 on) or of two. *layers 0: as
 * many as the highest top. */
static mplan_status take_layers(const mplan_input *input, const mplan_numbers *numbers,
                                const mplan_set *of, const int64_t *table, int32_t *layers,
                                int32_t *ranges, mplan_error *err)
{
    int64_t wrong = 0;
    int32_t highest = 1;
    mplan_status status = mplan_ranges_of_rows(of->name, of->size, (int32_t)numbers->cols, table,
                                               *layers ? *layers : MPLAN_MAX_LAYERS, ranges, &wrong,
                                               err);
    if (status)
        return fail_at(input, wrong, status, err);
    for (int64_t i = 0; i < of->size; i++)
        highest = ranges[2 * i + 1] > highest ? ranges[2 * i + 1] : highest;
    *layers = *layers ? *layers : highest;
    return MPLAN_OK;
}

/* A row for each member of the set. */
mplan_status mplan_mesh_read_layers(mplan_mesh *mesh, const char *path, int32_t set, int32_t layers,
                                    const mplan_context *context, mplan_error *err)
{
    MPLAN_NEED_CONTEXT(context);
    MPLAN_NEED(mesh);
    MPLAN_NEED(path);
    if (set < 0 || set >= mplan_mesh_n_sets(mesh) || layers < 0 || layers > MPLAN_MAX_LAYERS)
        return mplan_fail(err, MPLAN_ERR_ARGUMENT, "the mesh has no set %d with up to %d layers",
                          (int)set, (int)layers);
    const mplan_set of = mplan_mesh_set(mesh, set);
    mplan_input_file opened = {0};
    mplan_numbers numbers = {0};
    int64_t *table = NULL;
    int32_t *ranges = NULL;
    mplan_status status = read_table(path, &opened, &numbers, context, err);
    if (!status && (numbers.rows != of.size || numbers.cols < 1 || numbers.cols > 2))
        status = mplan_fail(err, MPLAN_ERR_MESH,
                            "%s: %" PRId64 " rows of %" PRId64 " numbers; layers of %" PRId64
                            " %s must have a row each, of 1 or 2 numbers",
                            path, numbers.rows, numbers.cols, of.size, of.name);
    if (!status)
        status = take_whole(&opened.input, &numbers, "a layer", 0, &table, err);
    if (!status && !(ranges = mplan_alloc(2 * of.size, sizeof *ranges, err)))
        status = MPLAN_ERR_MEMORY;
    if (!status)
        status = take_layers(&opened.input, &numbers, &of, table, &layers, ranges, err);
    if (!status) {
        status = mplan_mesh_take_layers(mesh, set, layers, ranges, err);
        ranges = NULL;
    }
    if (!status)
        mplan_mesh_note_input(mesh, opened.input.size);
    free(ranges);
    free(table);
    mplan_numbers_free(&numbers);
    mplan_input_close(&opened);
    return status;
}

/* As read_table, of whole numbers or of logical values, of which each row has `layers`. */
static mplan_status read_mask_table(const char *path, int32_t layers, mplan_input_file *opened,
                                    mplan_numbers *numbers, const mplan_context *context,
                                    mplan_error *err)
{
    mplan_status status = mplan_input_open(path, opened, context, err);
    if (!status && mplan_logicals_recognise(&opened->input))
        return mplan_read_logicals(&opened->input, layers, numbers, err);
    if (!status)
        status = mplan_read_numbers(&opened->input, context, numbers, err);
    return status ? status : mplan_numbers_require_fixed(opened->input.path, numbers, err);
}

/* A row for each member of the set, with a number for each of its layers. */
mplan_status mplan_mesh_read_layer_mask(mplan_mesh *mesh, const char *path, int32_t set,
                                        const mplan_context *context, mplan_error *err)
{
    MPLAN_NEED_CONTEXT(context);
    MPLAN_NEED(mesh);
    MPLAN_NEED(path);
    const int32_t layers = mplan_mesh_layers(mesh, set, NULL);
    if (layers == 0)
        return mplan_fail(err, MPLAN_ERR_ARGUMENT, "the mesh has no set %d with layers", (int)set);
    const mplan_set of = mplan_mesh_set(mesh, set);
    mplan_input_file opened = {0};
    mplan_numbers numbers = {0};
    int64_t *table = NULL, wrong = 0;
    uint32_t *mask = NULL;
    mplan_status status = read_mask_table(path, layers, &opened, &numbers, context, err);
    if (!status && (numbers.rows != of.size || numbers.cols != layers))
        status = mplan_fail(err, MPLAN_ERR_MESH,
                            "%s: %" PRId64 " rows of %" PRId64 " numbers; the mask of %" PRId64
                            " %s must have a row each, of %d numbers",
                            path, numbers.rows, numbers.cols, of.size, of.name, (int)layers);
    if (!status)
        status = take_whole(&opened.input, &numbers, "a layer", 0, &table, err);
    if (!status && !(mask = mplan_alloc_zero(of.size * mplan_mask_words(layers), sizeof *mask, err)))
        status = MPLAN_ERR_MEMORY;
    if (!status)
        status = mplan_mask_of_rows(of.name, of.size, layers, table, mask, &wrong, err);
    if (status && mask)
        status = fail_at(&opened.input, wrong, status, err);
    if (!status) {
        mplan_mesh_take_mask(mesh, set, mask);
        mask = NULL;
        mplan_mesh_note_input(mesh, opened.input.size);
    }
    free(mask);
    free(table);
    mplan_numbers_free(&numbers);
    mplan_input_close(&opened);
    return status;
}
