/* SPDX-License-Identifier: Apache-2.0 */
/* job_fields.c - reads the values of a job file, each with a clear refusal */
#include "job/job_fields.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "formats/scan.h"

/* Bytes of a word that a message shows; words among which a near one is sought; bytes of a list of words. */
enum { SHOWN = 40, MAX_WORDS = 64, LIST_BYTES = 512 };

/* --- refusals ------------------------------------------------------------------ */

/* "file:line:column: message" at the place of the value. */
mplan_status mplan_job_fail(const mplan_job_reader *reader, const mplan_job_value *value,
                            const char *format, ...)
{
    char text[MPLAN_ERROR_TEXT];
    va_list args;
    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    return mplan_fail(reader->err, MPLAN_ERR_CORRUPT, "%s:%" PRId64 ":%" PRId64 ": %s",
                      reader->name, value->line, value->column, text);
}

/* A value as a message shows it: "'word'", "a list", "a mapping", "nothing". Words are cut after
 * SHOWN bytes, which may halve a character of UTF-8; mplan_fail shows such bytes as escapes. */
static const char *shown(const mplan_job_value *value, char text[SHOWN + 8])
{
    if (value->kind != MPLAN_JOB_SCALAR)
        return value->kind == MPLAN_JOB_LIST ? "a list" : "a mapping";
    if (!value->text[0] && !value->quoted)
        return "nothing";
    size_t n = 0;
    text[n++] = '\'';
    for (const char *at = value->text; *at && n < SHOWN; at++)
        text[n++] = (unsigned char)*at < 0x20 ? '?' : *at;
    snprintf(text + n, 8, "%s", n == SHOWN ? "...'" : "'");
    return text;
}

/* words ends with NULL; the list is cut to LIST_BYTES. length counts what would have been
 * written, as snprintf does, so that the loop ends once it is beyond the end. */
static void list_words(char list[LIST_BYTES], const char *const *words)
{
    size_t length = 0;
    list[0] = '\0';
    for (int i = 0; words[i] && length < LIST_BYTES; i++)
        length += (size_t)snprintf(list + length, LIST_BYTES - length, "%s%s", i ? ", " : "",
                                   words[i]);
}

/* Names the nearest known word, if there is a near one. */
mplan_status mplan_job_fail_word(const mplan_job_reader *reader, const mplan_job_value *value,
                                 const char *what, const char *const *words)
{
    char list[LIST_BYTES], text[SHOWN + 8];
    list_words(list, words);
    if (value->kind != MPLAN_JOB_SCALAR || !value->text[0])
        return mplan_job_fail(reader, value, "expected a word for %s, found %s; known: %s", what,
                              shown(value, text), list);
    const char *near = mplan_nearest_word(value->text, words);
    if (near)
        return mplan_job_fail(reader, value, "unknown %s %s; did you mean '%s'? known: %s", what,
                              shown(value, text), near, list);
    return mplan_job_fail(reader, value, "unknown %s %s; known: %s", what, shown(value, text), list);
}

/* "expected X for KEY, found Y". */
static mplan_status fail_expected(const mplan_job_reader *reader, const mplan_job_value *value,
                                  const char *expected, const char *what)
{
    char text[SHOWN + 8];
    return mplan_job_fail(reader, value, "expected %s for %s, found %s", expected, what,
                          shown(value, text));
}

/* Names the nearest key of the mapping. */
static mplan_status fail_key(const mplan_job_reader *reader, const mplan_job_value *key,
                             const char *what, const mplan_job_field *fields)
{
    const char *words[MAX_WORDS + 1];
    char list[LIST_BYTES], text[SHOWN + 8];
    int n = 0;
    while (fields[n].key && n < MAX_WORDS) {
        words[n] = fields[n].key;
        n++;
    }
    words[n] = NULL;
    const char *near = mplan_nearest_word(key->text, words);
    if (near)
        return mplan_job_fail(reader, key, "unknown key %s; did you mean '%s'?", shown(key, text),
                              near);
    list_words(list, words);
    return mplan_job_fail(reader, key, "unknown key %s; %s has %s", shown(key, text), what, list);
}

/* what: the key or the kind of item, for the message. */
mplan_status mplan_job_require(const mplan_job_reader *reader, const char *what,
                               const mplan_job_value *value, mplan_job_kind kind)
{
    if (value->kind == kind)
        return MPLAN_OK;
    return fail_expected(reader, value,
                         kind == MPLAN_JOB_LIST     ? "a list"
                         : kind == MPLAN_JOB_SCALAR ? "a word or a number"
                                                    : "a mapping (key: value)",
                         what);
}

/* --- mappings -------------------------------------------------------------------- */

/* The value of the key, NULL if it is not there. From first to last: the first of two that are
 * equal. */
const mplan_job_value *mplan_job_child(const mplan_job_value *mapping, const char *key)
{
    for (const mplan_job_value *child = mapping->first; child; child = child->next)
        if (strcmp(child->key->text, key) == 0)
            return child;
    return NULL;
}

/* fields ends with a field without a key; each value is read into its member of `record`.
 * Unknown, repeated and missing keys are errors. fields: at most MPLAN_JOB_FIELDS (64), one bit
 * of `seen` each. Keys are read in the order of the file, so that no reader may rely on another
 * key. */
mplan_status mplan_job_mapping(mplan_job_reader *reader, const mplan_job_value *value,
                               const char *what, const mplan_job_field *fields, void *record)
{
    uint64_t seen = 0;
    mplan_status status = mplan_job_require(reader, what, value, MPLAN_JOB_MAPPING);
    for (const mplan_job_value *child = value->first; child && !status; child = child->next) {
        int f = 0;
        while (fields[f].key && strcmp(fields[f].key, child->key->text) != 0)
            f++;
        if (!fields[f].key)
            return fail_key(reader, child->key, what, fields);
        if (seen & (UINT64_C(1) << f))
            return mplan_job_fail(reader, child->key, "key '%s' is given twice", fields[f].key);
        seen |= UINT64_C(1) << f;
        status = fields[f].read(reader, &fields[f], child, (char *)record + fields[f].offset);
    }
    for (int f = 0; fields[f].key && !status; f++)
        if (fields[f].required && !(seen & (UINT64_C(1) << f)))
            status = mplan_job_fail(reader, value, "%s must have the key '%s'", what, fields[f].key);
    return status;
}

/* --- scalars ---------------------------------------------------------------------- */

/* YAML's words for nothing, unless they are quoted. */
static bool is_null(const mplan_job_value *value)
{
    static const char *const words[] = {"", "~", "null", "Null", "NULL"};
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (!value->quoted && strcmp(value->text, words[i]) == 0)
            return true;
    return false;
}

/* member: const char **, which points into the arena. Nothing (~, null) is refused rather than
 * taken for an empty text. */
mplan_status mplan_job_text(mplan_job_reader *reader, const mplan_job_field *field,
                            const mplan_job_value *value, void *member)
{
    if (value->kind != MPLAN_JOB_SCALAR || is_null(value) || !value->text[0])
        return fail_expected(reader, value, "a text", field->key);
    *(const char **)member = value->text;
    return MPLAN_OK;
}

/* Relative paths get the job's folder before them.
 * "-", which is standard input, and absolute paths stay as they are. */
mplan_status mplan_job_path(mplan_job_reader *reader, const mplan_job_field *field,
                            const mplan_job_value *value, void *member)
{
    mplan_status status = mplan_job_text(reader, field, value, member);
    const char *path = value->text;
    if (status || path[0] == '/' || strcmp(path, "-") == 0 || !reader->folder[0])
        return status;
    size_t size = strlen(reader->folder) + strlen(path) + 1;
    char *joined = mplan_job_take(reader->arena, (int64_t)size, 1, reader->err);
    if (!joined)
        return MPLAN_ERR_MEMORY;
    snprintf(joined, size, "%s%s", reader->folder, path);
    *(const char **)member = joined;
    return MPLAN_OK;
}

/* *number in [low, high], else not set; a quoted number is a text. The digits must be all there
 * is of the text: "1e3" and "0x10" are none. */
mplan_status mplan_job_whole(mplan_job_reader *reader, const char *what,
                             const mplan_job_value *value, int64_t low, int64_t high, int64_t *number)
{
    size_t length = value->kind == MPLAN_JOB_SCALAR && !value->quoted ? strlen(value->text) : 0;
    int64_t found;
    if (length == 0 || mplan_parse_i64(value->text, value->text + length, &found) != length)
        return fail_expected(reader, value, "a whole number", what);
    if (found < low)
        return mplan_job_fail(reader, value, "%s is %" PRId64 ", but must be at least %" PRId64,
                              what, found, low);
    if (found > high)
        return mplan_job_fail(reader, value, "%s is %" PRId64 ", but must be at most %" PRId64,
                              what, found, high);
    *number = found;
    return MPLAN_OK;
}

/* member: int32_t *; field->low and field->high must lie in its range. */
mplan_status mplan_job_i32(mplan_job_reader *reader, const mplan_job_field *field,
                           const mplan_job_value *value, void *member)
{
    int64_t number = 0;
    mplan_status status = mplan_job_whole(reader, field->key, value, field->low, field->high,
                                          &number);
    if (!status)
        *(int32_t *)member = (int32_t)number;
    return status;
}

/* member: int64_t *. */
mplan_status mplan_job_i64(mplan_job_reader *reader, const mplan_job_field *field,
                           const mplan_job_value *value, void *member)
{
    return mplan_job_whole(reader, field->key, value, field->low, field->high, member);
}

/* member: double *, between field->low and field->high, both included. */
mplan_status mplan_job_real(mplan_job_reader *reader, const mplan_job_field *field,
                            const mplan_job_value *value, void *member)
{
    size_t length = value->kind == MPLAN_JOB_SCALAR && !value->quoted ? strlen(value->text) : 0;
    double found;
    if (length == 0 || mplan_parse_f64(value->text, value->text + length, &found) != length)
        return fail_expected(reader, value, "a number", field->key);
    /* in this form a NaN is refused too */
    if (!(found >= (double)field->low && found <= (double)field->high))
        return mplan_job_fail(reader, value, "%s is %s, but must be between %" PRId64 " and %" PRId64,
                              field->key, value->text, field->low, field->high);
    *(double *)member = found;
    return MPLAN_OK;
}

/* member: bool *. YAML 1.2's words only: "yes" and "on" are none. */
mplan_status mplan_job_bool(mplan_job_reader *reader, const mplan_job_field *field,
                            const mplan_job_value *value, void *member)
{
    static const char *const words[] = {"false", "true", "False", "True", "FALSE", "TRUE"};
    for (int i = 0; i < 6; i++)
        if (value->kind == MPLAN_JOB_SCALAR && !value->quoted && strcmp(value->text, words[i]) == 0) {
            *(bool *)member = i % 2 == 1;
            return MPLAN_OK;
        }
    return fail_expected(reader, value, "true or false", field->key);
}
