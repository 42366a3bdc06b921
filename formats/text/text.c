/* SPDX-License-Identifier: Apache-2.0 */
/* text.c - tables and coordinates as text: a row a line, numbers separated by
 * blanks, tabs or commas
 *
 * `#` and `%` begin comments. The first line may hold words only, the names of
 * the columns. Whole numbers are kept in 32 bits until one does not fit, then
 * in 64, and as reals once there is a real; rows of different lengths are kept
 * with offsets. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "formats/input.h"
#include "formats/numbers.h"
#include "formats/scan.h"

enum {
    LOOK_BYTES = 1 << 16,  /* of a file, to recognise it */
    SHORT_DIGITS = 9,      /* of a number that surely fits into 32 bits */
    PIECE_BYTES = 1 << 16, /* written at once */
    NUMBER_BYTES = 12      /* "-2147483648" and what follows it */
};

typedef enum kind { KIND_I32, KIND_I64, KIND_F64 } kind;

/* A text table that is read: numbers of `kind`, one behind the other. */
typedef struct reader {
    mplan_scanner scan;
    const mplan_input *input; /* that is read once: what was read may be forgotten; NULL: it is looked at */
    bool keep;                /* false: the text is looked at only, nothing is stored */
    kind kind;
    mplan_vector values;
    int64_t count; /* numbers so far */
    int64_t rows, first_length, second_length;
    int64_t first_line;   /* of the first row */
    bool differ;          /* rows behind the first differ */
    mplan_vector offsets; /* int64_t; empty while all rows are equal */
    int64_t ragged_line, ragged_found;
} reader;

/* --- characters --------------------------------------------------------------- */

/* Within a line. */
static bool is_blank(char c)
{
    return c == ' ' || c == '\t' || c == '\r';
}

/* A comment ends with its line. */
static bool begins_comment(char c)
{
    return c == '#' || c == '%';
}

/* So that "12a" is not 12. */
static bool ends_number(const char *at, const char *end)
{
    return at == end || is_blank(*at) || *at == ',' || *at == '\n' || begins_comment(*at);
}

/* Passes blanks; true where the row ends. */
static bool row_ends(mplan_scanner *scan)
{
    const char *at = scan->at;
    while (at < scan->end && is_blank(*at))
        at++;
    scan->at = at;
    return at == scan->end || *at == '\n' || begins_comment(*at);
}

/* --- storing ------------------------------------------------------------------- */

/* Widens what is stored from kind to kind, in place and from the last number
 * on; through memcpy because the type of the bytes changes. */
static mplan_status widen(reader *r, kind wanted, mplan_error *err)
{
    if (r->kind == KIND_I32) {
        char *data = mplan_realloc(r->values.data, r->values.capacity, 8, err);
        if (!data)
            return MPLAN_ERR_MEMORY;
        for (int64_t i = r->values.count - 1; i >= 0; i--) {
            int32_t narrow;
            memcpy(&narrow, data + 4 * i, sizeof narrow);
            int64_t wide = narrow;
            memcpy(data + 8 * i, &wide, sizeof wide);
        }
        r->values.data = data;
        r->values.size = 8;
        r->kind = KIND_I64;
    }
    if (wanted == KIND_F64 && r->kind == KIND_I64) {
        char *data = r->values.data;
        for (int64_t i = 0; i < r->values.count; i++) {
            int64_t whole;
            memcpy(&whole, data + 8 * i, sizeof whole);
            double real = (double)whole;
            memcpy(data + 8 * i, &real, sizeof real);
        }
    }
    r->kind = wanted;
    return MPLAN_OK;
}

/* Where the next value goes, of as many bytes as values have at present. */
static void *room(reader *r, mplan_error *err)
{
    if (r->values.count == r->values.capacity && !mplan_vector_reserve(&r->values, 1, err))
        return NULL;
    return (char *)r->values.data + (size_t)r->values.count * r->values.size;
}

/* Numbers so far become doubles at the first real. */
static mplan_status store_real(reader *r, double value, mplan_error *err)
{
    r->count++;
    if (!r->keep)
        return MPLAN_OK;
    if (r->kind != KIND_F64 && widen(r, KIND_F64, err))
        return MPLAN_ERR_MEMORY;
    void *at = room(r, err);
    if (!at)
        return MPLAN_ERR_MEMORY;
    memcpy(at, &value, sizeof value);
    r->values.count++;
    return MPLAN_OK;
}

/* int32 as long as all fit, then int64. */
static mplan_status store_whole(reader *r, int64_t value, mplan_error *err)
{
    if (r->kind == KIND_F64)
        return store_real(r, (double)value, err);
    r->count++;
    if (!r->keep)
        return MPLAN_OK;
    if (r->kind == KIND_I32 && (value < INT32_MIN || value > INT32_MAX) && widen(r, KIND_I64, err))
        return MPLAN_ERR_MEMORY;
    void *at = room(r, err);
    if (!at)
        return MPLAN_ERR_MEMORY;
    int32_t narrow = (int32_t)value;
    if (r->kind == KIND_I32)
        memcpy(at, &narrow, sizeof narrow);
    else
        memcpy(at, &value, sizeof value);
    r->values.count++;
    return MPLAN_OK;
}

/* --- reading ------------------------------------------------------------------- */

/* A whole number of at most SHORT_DIGITS digits; NULL for all else. Nearly
 * every number of a table is one. */
static const char *parse_short(const char *at, const char *end, int64_t *value)
{
    bool negative = at < end && *at == '-';
    if (negative)
        at++;
    const char *digits = at;
    int64_t number = 0;
    while (at < end && (unsigned char)(*at - '0') < 10) {
        number = number * 10 + (*at - '0');
        if (++at - digits > SHORT_DIGITS)
            return NULL;
    }
    if (at == digits || !ends_number(at, end))
        return NULL;
    *value = negative ? -number : number;
    return at;
}

/* Shows the word. */
static mplan_status fail_number(const reader *r, int64_t column, mplan_error *err)
{
    char shown[41];
    const mplan_scanner *scan = &r->scan;
    size_t length = 0, n = 0;
    while (!ends_number(scan->at + length, scan->end))
        length++;
    if (length == 0)
        return mplan_scan_fail(scan, err, MPLAN_ERR_CORRUPT, "column %" PRId64 " is empty", column);
    for (; n < length && n + 1 < sizeof shown; n++) {
        char c = scan->at[n];
        shown[n] = c < 0x20 || c >= 0x7f ? '?' : c;
    }
    shown[n] = '\0';
    return mplan_scan_fail(scan, err, MPLAN_ERR_CORRUPT, "expected a number, found '%s%s'", shown,
                           n < length ? "..." : "");
}

/* Short whole numbers first, as most are. */
static mplan_status read_number(reader *r, int64_t column, mplan_error *err)
{
    mplan_scanner *scan = &r->scan;
    int64_t whole;
    double real;
    const char *after = parse_short(scan->at, scan->end, &whole);
    if (after) {
        scan->at = after;
        return store_whole(r, whole, err);
    }
    size_t used = mplan_parse_i64(scan->at, scan->end, &whole);
    if (used && ends_number(scan->at + used, scan->end)) {
        scan->at += used;
        return store_whole(r, whole, err);
    }
    used = mplan_parse_f64(scan->at, scan->end, &real);
    if (!used || !ends_number(scan->at + used, scan->end))
        return fail_number(r, column, err);
    scan->at += used;
    return store_real(r, real, err);
}

/* Takes notice of a row's length; from the first one that differs on, every
 * row has an offset. */
static mplan_status end_row(reader *r, int64_t length, mplan_error *err)
{
    if (r->rows == 0) {
        r->first_length = length;
        r->first_line = r->scan.line;
    }
    if (r->rows == 1)
        r->second_length = length;
    if (r->rows > 1 && length != r->second_length)
        r->differ = true;
    if (length != r->first_length && r->ragged_line == 0) {
        r->ragged_line = r->scan.line;
        r->ragged_found = length;
        int64_t *offsets = r->keep ? mplan_vector_reserve(&r->offsets, r->rows + 1, err) : NULL;
        if (r->keep && !offsets)
            return MPLAN_ERR_MEMORY;
        for (int64_t i = 0; i <= r->rows && offsets; i++)
            offsets[i] = i * r->first_length;
        r->offsets.count = r->rows + 1;
    }
    r->rows++;
    if (r->ragged_line && r->keep)
        return mplan_vector_push(&r->offsets, &r->count, err);
    return MPLAN_OK;
}

/* Numbers between blanks or commas; lengths of rows may differ. */
static mplan_status read_row(reader *r, mplan_error *err)
{
    mplan_scanner *scan = &r->scan;
    int64_t before = r->count;
    for (;;) {
        mplan_status status = read_number(r, r->count - before + 1, err);
        if (status)
            return status;
        if (row_ends(scan))
            break;
        if (*scan->at == ',') {
            scan->at++;
            if (row_ends(scan))
                return mplan_scan_fail(scan, err, MPLAN_ERR_CORRUPT, "column %" PRId64 " is empty",
                                       r->count - before + 1);
        }
    }
    return end_row(r, r->count - before, err);
}

/* Does the line hold words only, each beginning with a letter or a quote? */
static bool is_heading(const mplan_scanner *scan)
{
    const char *at = scan->at, *end = scan->end;
    while (at < end && *at != '\n' && !begins_comment(*at)) {
        double number;
        size_t used = mplan_parse_f64(at, end, &number);
        bool letter = (*at >= 'a' && *at <= 'z') || (*at >= 'A' && *at <= 'Z') || *at == '"';
        if (!letter || (used && ends_number(at + used, end)))
            return false;
        while (!ends_number(at, end))
            at++;
        while (at < end && (is_blank(*at) || *at == ','))
            at++;
    }
    return true;
}

/* A first line of words is a heading. */
static mplan_status read_rows(reader *r, const mplan_context *context, mplan_error *err)
{
    mplan_scanner *scan = &r->scan;
    bool first = true;
    do {
        if (row_ends(scan))
            continue;
        bool heading = first && is_heading(scan);
        first = false;
        mplan_status status = heading ? MPLAN_OK : read_row(r, err);
        if (!status && r->rows % 65536 == 0) {
            status = mplan_scan_heed(scan, context, err);
            if (r->input)
                mplan_input_forget(r->input, (size_t)(scan->at - scan->begin));
        }
        if (status)
            return status;
    } while (mplan_scan_next_line(scan));
    return MPLAN_OK;
}

/* One row of another length before many of one length is what files of other formats begin with. */
static mplan_status check_first_row(const reader *r, mplan_error *err)
{
    if (r->rows < 3 || r->differ || r->first_length == r->second_length)
        return MPLAN_OK;
    return mplan_fail(err, MPLAN_ERR_CORRUPT,
                      "%s:%" PRId64 ": the first row has %" PRId64 " numbers, all others have %" PRId64
                      "; a heading of counts must be removed or become a comment (#); metis-graph and "
                      "metis-mesh are formats of their own",
                      r->scan.path, r->first_line, r->first_length, r->second_length);
}

/* *numbers is owned by the caller on success. */
mplan_status mplan_text_read_numbers(const mplan_input *input, const mplan_context *context,
                                     mplan_numbers *numbers, mplan_error *err)
{
    reader r = {.input = input,
                .keep = true,
                .values = MPLAN_VECTOR_INIT(sizeof(int32_t)),
                .offsets = MPLAN_VECTOR_INIT(sizeof(int64_t))};
    memset(numbers, 0, sizeof *numbers);
    mplan_scan_begin(&r.scan, input);
    mplan_status status = read_rows(&r, context, err);
    if (!status && r.rows == 0)
        status = mplan_fail(err, MPLAN_ERR_CORRUPT, "%s:%" PRId64 ": the file holds no numbers",
                            input->path, r.scan.line);
    if (!status)
        status = check_first_row(&r, err);
    if (status)
        goto done;
    void *data = mplan_realloc(r.values.data, r.count, r.values.size, err);
    if (!data) {
        status = MPLAN_ERR_MEMORY;
        goto done;
    }
    numbers->rows = r.rows;
    numbers->cols = r.ragged_line ? 0 : r.first_length;
    numbers->real = r.kind == KIND_F64;
    numbers->i32 = r.kind == KIND_I32 ? data : NULL;
    numbers->i64 = r.kind == KIND_I64 ? data : NULL;
    numbers->f64 = r.kind == KIND_F64 ? data : NULL;
    numbers->offsets = r.offsets.data;
    numbers->ragged_line = r.ragged_line;
    numbers->ragged_first = r.ragged_line ? r.first_length : 0;
    numbers->ragged_found = r.ragged_found;
    return MPLAN_OK;
done:
    free(r.values.data);
    free(r.offsets.data);
    return status;
}

/* --- the format ------------------------------------------------------------------ */

/* Reads the beginning of the file as the reader would, without storing it. */
static mplan_recognised recognise(const uint8_t *data, size_t size)
{
    static const char matrix_market[] = "%%MatrixMarket"; /* triples, no table */
    if (size >= sizeof matrix_market - 1 && memcmp(data, matrix_market, sizeof matrix_market - 1) == 0)
        return MPLAN_RECOGNISED_NO;
    const char *text = (const char *)data;
    if (size > LOOK_BYTES) {
        /* not within a number, and not behind a comma */
        size = LOOK_BYTES;
        while (size > 0 && !ends_number(text + size, text + size + 1))
            size--;
        while (size > 0 && ends_number(text + size - 1, text + size))
            size--;
    }
    mplan_input input = {"", data, size, NULL};
    reader r = {.keep = false};
    mplan_scan_begin(&r.scan, &input);
    bool table = read_rows(&r, NULL, NULL) == MPLAN_OK && r.rows > 0;
    return table ? MPLAN_RECOGNISED_BY_NAME : MPLAN_RECOGNISED_NO;
}

static mplan_status read_table(const mplan_input *input, const mplan_read_options *options,
                               const mplan_context *context, mplan_mesh *mesh, mplan_error *err)
{
    mplan_numbers numbers;
    mplan_status status = mplan_text_read_numbers(input, context, &numbers, err);
    if (status)
        return status;
    return mplan_table_from_numbers(mesh, input->path, &numbers, options ? options->table : NULL,
                                    context, err);
}

/* Writes digits and returns how many characters. */
static size_t print_number(char *text, int32_t value)
{
    char digits[NUMBER_BYTES];
    size_t n = 0, length = 0;
    uint32_t rest = value < 0 ? 0u - (uint32_t)value : (uint32_t)value;
    do {
        digits[n++] = (char)('0' + rest % 10);
        rest /= 10;
    } while (rest);
    if (value < 0)
        text[length++] = '-';
    while (n)
        text[length++] = digits[--n];
    return length;
}

/* buffer: PIECE_BYTES. */
static mplan_status write_rows(const mplan_map *map, mplan_output *output, char *buffer,
                               const mplan_context *context, mplan_error *err)
{
    size_t used = 0;
    for (int64_t row = 0; row < map->n_rows; row++) {
        int32_t n;
        const int32_t *values = mplan_map_row(map, row, &n);
        if (n == 0)
            return mplan_fail(err, MPLAN_ERR_UNSUPPORTED,
                              "row %" PRId64 " of map '%s' is empty, which a text table cannot "
                              "hold",
                              row, map->name);
        for (int32_t k = 0; k < n; k++) {
            if (used + NUMBER_BYTES > PIECE_BYTES) {
                mplan_status status = mplan_heed(context, "write", mplan_output_bytes(output), 0,
                                                 err);
                if (!status)
                    status = mplan_output_write(output, buffer, used, err);
                if (status)
                    return status;
                used = 0;
            }
            used += print_number(buffer + used, values[k]);
            buffer[used++] = k + 1 < n ? ' ' : '\n';
        }
    }
    return mplan_output_write(output, buffer, used, err);
}

/* One map as rows of numbers; `what` names it, NULL where only one can be meant. */
static mplan_status write_table(const mplan_mesh *mesh, const char *what, mplan_output *output,
                                const mplan_context *context, mplan_error *err)
{
    mplan_map map;
    mplan_status status = mplan_table_choose(mesh, what, &map, err);
    if (status)
        return status;
    if (map.n_rows == 0)
        return mplan_fail(err, MPLAN_ERR_UNSUPPORTED,
                          "map '%s' has no rows, which a text table cannot hold", map.name);
    char *buffer = mplan_alloc(PIECE_BYTES, 1, err);
    if (!buffer)
        return MPLAN_ERR_MEMORY;
    status = write_rows(&map, output, buffer, context, err);
    free(buffer);
    return status;
}

const mplan_file_format mplan_format_text = {
    .name = "text",
    .description = "text or CSV: one mapping table, one row per line",
    .extensions = ".txt .csv .out .map",
    .recognise = recognise,
    .read = read_table,
    .write = write_table,
};
