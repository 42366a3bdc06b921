/* SPDX-License-Identifier: Apache-2.0 */
/* output.c - results: a JSON writer and text tables, both checked for success
 *
 * JSON is built in memory, so that a run that fails writes none of it. */
#include "cli/output.h"

#include <errno.h>
#include <limits.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cli/message.h"

/* The first failure is kept, and nothing is added after it. */
static void put(cli_json *json, const char *text, size_t length)
{
    if (json->failed)
        return;
    if (json->capacity - json->length < length) {
        size_t capacity = 2 * json->capacity + length + 1024;
        char *grown = realloc(json->text, capacity);
        if (!grown) {
            json->failed = true;
            return;
        }
        json->text = grown;
        json->capacity = capacity;
    }
    memcpy(json->text + json->length, text, length);
    json->length += length;
}

/* text ends with 0. */
static void put_text(cli_json *json, const char *text)
{
    put(json, text, strlen(text));
}

/* Bytes of the UTF-8 character at text, 0 when it is not one: overlong forms, halves of UTF-16
 * pairs and what lies beyond U+10FFFF are none (RFC 3629). Reads no byte behind the end of the
 * text, since the byte 0 continues no character. */
static size_t utf8_length(const unsigned char *text)
{
    if (text[0] < 0x80)
        return 1;
    size_t n = text[0] >= 0xF0 ? 4 : text[0] >= 0xE0 ? 3 : 2;
    if (text[0] < 0xC2 || text[0] > 0xF4)
        return 0;
    for (size_t i = 1; i < n; i++) {
        if ((text[i] & 0xC0) != 0x80)
            return 0;
    }
    bool overlong = (text[0] == 0xE0 && text[1] < 0xA0) || (text[0] == 0xF0 && text[1] < 0x90);
    bool surrogate = text[0] == 0xED && text[1] > 0x9F;
    bool beyond = text[0] == 0xF4 && text[1] > 0x8F;
    return overlong || surrogate || beyond ? 0 : n;
}

/* Bytes that are not UTF-8 (file names may hold any) become U+FFFD; control characters are escaped, U+007F to
 * U+009F too, which JSON would let pass. */
static void put_quoted(cli_json *json, const char *text)
{
    put_text(json, "\"");
    const unsigned char *byte = (const unsigned char *)text;
    while (*byte) {
        char escape[8];
        size_t length = utf8_length(byte);
        if (*byte == '"' || *byte == '\\') {
            snprintf(escape, sizeof escape, "\\%c", *byte);
            put_text(json, escape);
        } else if (*byte == '\n') {
            put_text(json, "\\n");
        } else if (*byte < 0x20 || *byte == 0x7f || (length == 2 && *byte == 0xc2 && byte[1] < 0xa0)) {
            snprintf(escape, sizeof escape, "\\u%04x", byte[length - 1]);
            put_text(json, escape);
        } else if (!length) {
            put_text(json, "\\ufffd");
        } else {
            put(json, (const char *)byte, length);
        }
        byte += length ? length : 1;
    }
    put_text(json, "\"");
}

/* Indented by two blanks for each object or array that is open. */
static void new_line(cli_json *json)
{
    put_text(json, "\n");
    for (int32_t i = 0; i < json->depth; i++)
        put_text(json, "  ");
}

/* Comma and line end before it, and its key; key NULL in arrays and for the outermost value.
 * Every value begins here, so that `filled` is right whatever was written before. */
static void begin_value(cli_json *json, const char *key)
{
    if (json->filled)
        put_text(json, ",");
    if (json->depth)
        new_line(json);
    json->filled = true;
    if (key) {
        put_quoted(json, key);
        put_text(json, ": ");
    }
}

/* filled is that of the new object or array from here on. */
void cli_json_open(cli_json *json, const char *key, char bracket)
{
    begin_value(json, key);
    put(json, &bracket, 1);
    json->depth++;
    json->filled = false;
}

/* An empty object or array has its brackets side by side. What holds it has a member now. */
void cli_json_close(cli_json *json, char bracket)
{
    json->depth--;
    if (json->filled)
        new_line(json);
    put(json, &bracket, 1);
    json->filled = true;
}

/* value is UTF-8 or bytes of a file's name, quoted as JSON wants it. */
void cli_json_text(cli_json *json, const char *key, const char *value)
{
    begin_value(json, key);
    if (value)
        put_quoted(json, value);
    else
        put_text(json, "null");
}

/* Written in full: readers that hold numbers as doubles lose digits beyond 2^53. */
void cli_json_int(cli_json *json, const char *key, int64_t value)
{
    char text[32];
    snprintf(text, sizeof text, "%lld", (long long)value);
    begin_value(json, key);
    put_text(json, text);
}

/* The shortest digits that read back as the same number; null if it is not finite. 17 digits are
 * enough for every double, so that the loop ends with a text that is exact. Up to 17 conversions
 * each: figures are few. */
void cli_json_real(cli_json *json, const char *key, double value)
{
    char text[40] = "null";
    for (int digits = 1; isfinite(value) && digits <= 17; digits++) {
        snprintf(text, sizeof text, "%.*g", digits, value);
        if (strtod(text, NULL) == value)
            break;
    }
    begin_value(json, key);
    put_text(json, text);
}

void cli_json_bool(cli_json *json, const char *key, bool value)
{
    begin_value(json, key);
    put_text(json, value ? "true" : "false");
}

void cli_json_null(cli_json *json, const char *key)
{
    begin_value(json, key);
    put_text(json, "null");
}

/* text: `length` bytes that are one whole JSON value; they are not checked. */
void cli_json_raw(cli_json *json, const char *key, const char *text, size_t length)
{
    begin_value(json, key);
    put(json, text, length);
}

/* Always 16 digits, so that texts of hashes can be compared. */
void cli_json_hash(cli_json *json, const char *key, uint64_t value)
{
    char text[32];
    snprintf(text, sizeof text, "%016llx", (unsigned long long)value);
    cli_json_text(json, key, text);
}

/* An object on a line of its own (JSON Lines). object: written by the functions above, so that
 * each of its line breaks is one of new_line. lines holds no line break at its end;
 * cli_json_write adds it. */
void cli_json_line(cli_json *lines, const cli_json *object)
{
    if (lines->length)
        put_text(lines, "\n");
    lines->failed |= object->failed;
    for (size_t i = 0; i < object->length; i++) {
        /* texts hold no line breaks: one, and the blanks behind it, is indentation */
        if (object->text[i] != '\n') {
            put(lines, &object->text[i], 1);
            continue;
        }
        if (i && object->text[i - 1] == ',')
            put_text(lines, " ");
        while (i + 1 < object->length && object->text[i + 1] == ' ')
            i++;
    }
}

/* A file is written whole or not at all. Text that was printed before goes out first where the
 * JSON goes to standard output, too. May be called once. */
mplan_status cli_json_write(cli_json *json, const char *path, const mplan_context *context,
                            mplan_error *err)
{
    put_text(json, "\n");
    if (json->failed)
        return cli_fail(err, MPLAN_ERR_MEMORY, "out of memory");
    /* what was printed comes first */
    mplan_status status = strcmp(path, "-") ? MPLAN_OK : cli_output_flush(err);
    return status ? status : mplan_file_write(path, json->text, json->length, context, err);
}

/* The writer may be used again: it is zeroed. */
void cli_json_free(cli_json *json)
{
    free(json->text);
    *json = (cli_json){0};
}

/* Four results at a time are valid: enough for one message. Not for several threads: only the
 * main one prints. A text that does not fit in 4 x PATH_MAX is cut. */
const char *cli_shown(const char *text)
{
    static char room[4][4 * PATH_MAX + 1];
    static unsigned next;
    char *shown = room[next++ % 4];
    mplan_text_shown(text, shown, sizeof room[0]);
    return shown;
}

/* Row by row, from left to right; memory that is missing shows when the table is printed. A cell
 * is made printable: at most 4 bytes for each of the text (\xNN), which is what `shown` has room
 * for. */
void cli_table_cell(cli_table *table, const char *format, ...)
{
    if (table->n == table->capacity) {
        int32_t capacity = 2 * table->capacity + 64;
        char **grown = realloc(table->cell, (size_t)capacity * sizeof *grown);
        if (!grown) {
            table->failed = true;
            return;
        }
        table->cell = grown;
        table->capacity = capacity;
    }
    va_list args, again;
    va_start(args, format);
    va_copy(again, args);
    int length = vsnprintf(NULL, 0, format, args);
    size_t size = (size_t)length + 1;
    char *text = length < 0 ? NULL : malloc(size), *shown = text ? malloc(4 * size) : NULL;
    if (shown) {
        vsnprintf(text, size, format, again);
        mplan_text_shown(text, shown, 4 * size);
        table->cell[table->n++] = shown;
    }
    free(text);
    table->failed = table->failed || !shown;
    va_end(again);
    va_end(args);
}

/* "-" for what is not known. */
void cli_table_real(cli_table *table, int digits, double value)
{
    if (isfinite(value))
        cli_table_cell(table, "%.*f", digits, value);
    else
        cli_table_cell(table, "-");
}

/* A figure that a plan does not have is -1. */
void cli_table_int(cli_table *table, int64_t value)
{
    if (value >= 0)
        cli_table_cell(table, "%lld", (long long)value);
    else
        cli_table_cell(table, "-");
}

#define TABLE_WIDTH 100
#define LEAST_LAST 30 /* columns that a last column of words needs to be broken */

/* The first column stays: it names the row. */
void cli_table_hide_unknown(cli_table *table)
{
    for (int32_t column = 1; column < table->columns; column++) {
        bool known = false;
        for (int32_t i = table->columns + column; i < table->n && !known; i += table->columns)
            known = strcmp(table->cell[i], "-") != 0;
        if (!known)
            table->hidden |= UINT64_C(1) << column;
    }
}

/* column < 64: a bit of table->hidden each. */
static bool is_shown(const cli_table *table, int32_t column)
{
    return !(table->hidden >> column & 1);
}

/* Characters of UTF-8 in `size` bytes of a cell: bytes that do not go on with one. */
static int characters(const char *text, size_t size)
{
    int n = 0;
    for (size_t i = 0; i < size; i++)
        n += ((unsigned char)text[i] & 0xc0) != 0x80;
    return n;
}

/* width: out, of each column in characters. */
static void measure_columns(const cli_table *table, int *width)
{
    for (int32_t i = 0; i < table->columns; i++)
        width[i] = 0;
    for (int32_t i = 0; i < table->n; i++) {
        int length = characters(table->cell[i], strlen(table->cell[i]));
        int *widest = &width[i % table->columns];
        *widest = length > *widest ? length : *widest;
    }
}

/* Columns [first, end) fit behind column 0 in one line: the result is the end. At least one
 * column is taken beside it, however wide it is. */
static int32_t fitting(const cli_table *table, const int *width, int indent, int32_t first)
{
    int used = indent + (first ? width[0] : width[0] - 2);
    int32_t end = first;
    for (; end < table->columns; end++) {
        if (!is_shown(table, end))
            continue;
        used += end ? 2 + width[end] : 2;
        if (used > TABLE_WIDTH && end > first && end > 1)
            break;
    }
    return end;
}

/* words go on below in the column where they begin, as far as the line may go. */
static void print_broken(const char *words, int column)
{
    int at = column;
    while (*words) {
        int bytes = (int)strcspn(words, " "), length = characters(words, (size_t)bytes);
        if (at > column && at + 1 + length > TABLE_WIDTH) {
            printf("\n%*s", column, "");
            at = column;
        } else if (at > column) {
            putchar(' ');
            at++;
        }
        printf("%.*s", bytes, words);
        at += length;
        words += bytes + (words[bytes] == ' ');
    }
}

/* Columns 0 and [first, end) of every row. A last column of words is broken at TABLE_WIDTH. */
static void print_columns(const cli_table *table, const char *indent, const char *align,
                          const int *width, int32_t first, int32_t end)
{
    int32_t last = end - 1;
    while (last > 0 && !is_shown(table, last))
        last--;
    for (int32_t row = 0; row < table->n; row += table->columns) {
        int at = printf("%s", indent);
        for (int32_t column = 0; column <= last; column++) {
            const char *cell = table->cell[row + column];
            if (!is_shown(table, column) || (column && column < first))
                continue;
            at += printf("%s", column ? "  " : "");
            const int blanks = width[column] - characters(cell, strlen(cell));
            if (align[column] == 'r')
                printf("%*s%s", blanks, "", cell);
            else if (column < last)
                printf("%s%*s", cell, blanks, "");
            else
                print_broken(cell, at);
            at += width[column];
        }
        putchar('\n');
    }
}

/* A table with only its head is not printed. The table is empty afterwards, also after a
 * failure, and may be filled again. align: a letter for each column; the last one, if 'l', is
 * not filled with blanks. n must be a multiple of columns, which are 64 at most. */
mplan_status cli_table_print(cli_table *table, const char *indent, const char *align, mplan_error *err)
{
    bool failed = table->failed;
    if (!failed && table->n > table->columns) {
        int width[64], last = table->columns - 1, before = (int)strlen(indent);
        measure_columns(table, width);
        for (int32_t i = 0; i < last; i++)
            before += is_shown(table, i) ? width[i] + 2 : 0;
        /* a last column of words that can be broken needs no table of its own */
        if (align[last] == 'l' && before + LEAST_LAST <= TABLE_WIDTH && width[last] > LEAST_LAST)
            print_columns(table, indent, align, width, 0, table->columns);
        else
            for (int32_t first = 0, end; first < table->columns; first = end) {
                end = fitting(table, width, (int)strlen(indent), first);
                print_columns(table, indent, align, width, first, end);
            }
    }
    for (int32_t i = 0; i < table->n; i++)
        free(table->cell[i]);
    free(table->cell);
    *table = (cli_table){.columns = table->columns};
    return failed ? cli_fail(err, MPLAN_ERR_MEMORY, "out of memory") : MPLAN_OK;
}

/* A write that failed earlier counts, too. */
mplan_status cli_output_flush(mplan_error *err)
{
    errno = 0;
    bool lost = ferror(stdout) != 0;
    lost = fflush(stdout) != 0 || lost;
    if (lost && !errno) { /* it was a while ago: what failed then says why again */
        clearerr(stdout);
        (void)!(putchar('\n') != EOF && fflush(stdout) == 0);
    }
    if (lost)
        return cli_fail(err, MPLAN_ERR_IO, "standard output: %s",
                        errno ? strerror(errno) : "writing failed");
    return MPLAN_OK;
}

/* To be called once, at the end: what close(2) says is the last chance to hear that a disk was
 * full (NFS). */
mplan_status cli_output_close(mplan_error *err)
{
    mplan_status status = cli_output_flush(err);
    if (close(STDOUT_FILENO) && !status)
        status = cli_fail(err, MPLAN_ERR_IO, "standard output: %s", strerror(errno));
    return status;
}
