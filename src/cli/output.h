/* SPDX-License-Identifier: Apache-2.0 */
/* output.h - results: a JSON writer and text tables, both checked for success */
#ifndef MPLAN_CLI_OUTPUT_H
#define MPLAN_CLI_OUTPUT_H

#include "meshplan.h"

/* A JSON text in memory. Keys are NULL inside arrays and for the outermost
 * value. Failures of allocation are kept until cli_json_write. */
typedef struct cli_json {
    char *text;
    size_t length, capacity;
    int32_t depth;
    bool filled; /* the open object or array has a member */
    bool failed;
} cli_json;

/* bracket: '{' or '['; closing takes '}' or ']'. */
void cli_json_open(cli_json *json, const char *key, char bracket);
void cli_json_close(cli_json *json, char bracket);
void cli_json_text(cli_json *json, const char *key, const char *value); /* NULL: null */
void cli_json_int(cli_json *json, const char *key, int64_t value);
/* The shortest text that reads back as value; null unless finite. */
void cli_json_real(cli_json *json, const char *key, double value);
void cli_json_bool(cli_json *json, const char *key, bool value);
void cli_json_null(cli_json *json, const char *key);
/* Text that is JSON. */
void cli_json_raw(cli_json *json, const char *key, const char *text, size_t length);
/* 16 hexadecimal digits as text: JSON numbers do not hold 64 bits everywhere. */
void cli_json_hash(cli_json *json, const char *key, uint64_t value);

/* Appends an object without line breaks as a line of its own. */
void cli_json_line(cli_json *lines, const cli_json *object);

/* Writes the text to a file, whole or not at all, or with "-" to standard
 * output. */
mplan_status cli_json_write(cli_json *json, const char *path, const mplan_context *context,
                            mplan_error *err);
void cli_json_free(cli_json *json);

/* A name or path as people may see it (mplan_text_shown), for one line of output: the text lasts until the fourth
 * call after it. */
const char *cli_shown(const char *text);

/* Rows of text in columns as wide as their widest cell. */
typedef struct cli_table {
    int32_t columns;
    int32_t n, capacity; /* cells */
    char **cell;
    uint64_t hidden; /* bit i: column i is not printed */
    bool failed;
} cli_table;

/* What is not to be seen (mplan_text_shown) is escaped. */
#if defined __GNUC__
__attribute__((format(printf, 2, 3)))
#endif
void cli_table_cell(cli_table *table, const char *format, ...);
/* A number with `digits` behind the point, or "-" unless finite. */
void cli_table_real(cli_table *table, int digits, double value);
/* A count, or "-" when it is negative. */
void cli_table_int(cli_table *table, int64_t value);
/* Hides columns that hold "-" in every row below the head. */
void cli_table_hide_unknown(cli_table *table);
/* Prints and releases the table, nothing when it is only a line of heads. align: 'l' or 'r' per column. Where it is wider
 * than 100 columns, words of the last column go on below, or columns that do not fit follow as a table below, each
 * behind the first column. */
mplan_status cli_table_print(cli_table *table, const char *indent, const char *align,
                             mplan_error *err);

/* Flushes standard output; MPLAN_ERR_IO when anything printed was lost. */
mplan_status cli_output_flush(mplan_error *err);
/* The same, and closes it: some file systems say only then that there was no room. */
mplan_status cli_output_close(mplan_error *err);

#endif
