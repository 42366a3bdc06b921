/* SPDX-License-Identifier: Apache-2.0 */
/* foam_file.c - OpenFOAM's files: errors with their place, words, numbers of text, the header
 *
 * Lines are counted when an error needs one. */
#include "formats/foam/foam_parts.h"

#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/error.h"
#include "base/memory.h"
#include "formats/scan.h"

enum { MOST_SHOWN = 40 };

/* --- errors and words --------------------------------------------------------------- */

/* With a line in text, with a byte in binary files. */
mplan_status mplan_foam_fail(const mplan_foam_file *file, mplan_error *err, mplan_status status,
                             const char *format, ...)
{
    char message[400];
    va_list list;
    va_start(list, format);
    vsnprintf(message, sizeof message, format, list);
    va_end(list);
    if (file->binary)
        return mplan_fail(err, status, "%s: byte %lld: %s", file->path,
                          (long long)(file->at - file->begin), message);
    int64_t line = 1;
    for (const char *at = file->begin; at < file->at; at++)
        line += *at == '\n';
    return mplan_fail(err, status, "%s:%lld: %s", file->path, (long long)line, message);
}

/* A token of its own, wherever it is. */
static bool is_mark(char c)
{
    return c == '(' || c == ')' || c == '{' || c == '}' || c == ';';
}

/* Behind the comment that begins at `at`, or `at`. */
static const char *skip_comment(const char *at, const char *end)
{
    if (end - at < 2 || (at[1] != '/' && at[1] != '*'))
        return at;
    if (at[1] == '/') {
        const char *newline = memchr(at, '\n', (size_t)(end - at));
        return newline ? newline + 1 : end;
    }
    for (at += 2; at < end; at++)
        if (*at == '*' && end - at > 1 && at[1] == '/')
            return at + 2;
    return end;
}

/* White space and comments of both kinds. False at the end of the file. */
bool mplan_foam_skip(mplan_foam_file *file)
{
    const char *at = file->at, *end = file->end;
    while (at < end) {
        if (mplan_foam_blank(*at)) {
            at++;
        } else if (*at == '/') {
            const char *behind = skip_comment(at, end);
            if (behind == at)
                break;
            at = behind;
        } else {
            break;
        }
    }
    file->at = at;
    return at < end;
}

/* A word, a text between quotes, or a single mark.
 * token->text is a view into the file. False also for a quote without an end. */
bool mplan_foam_take(mplan_foam_file *file, mplan_foam_token *token)
{
    if (!mplan_foam_skip(file))
        return false;
    const char *at = file->at;
    *token = (mplan_foam_token){at, 1, is_mark(*at)};
    if (*at == '"') {
        const char *quote = memchr(at + 1, '"', (size_t)(file->end - at - 1));
        if (!quote)
            return false;
        *token = (mplan_foam_token){at + 1, (size_t)(quote - at - 1), false};
        at = quote;
    } else if (!token->mark) {
        while (at + 1 < file->end && !mplan_foam_blank(at[1]) && !is_mark(at[1]) && at[1] != '"')
            at++;
        token->length = (size_t)(at + 1 - token->text);
    }
    file->at = at + 1;
    return true;
}

/* Case counts. */
bool mplan_foam_is(const mplan_foam_token *token, const char *text)
{
    return token->length == strlen(text) && memcmp(token->text, text, token->length) == 0;
}

/* Passes blanks and comments, and the mark if it is next. */
bool mplan_foam_takes(mplan_foam_file *file, char mark)
{
    if (!mplan_foam_skip(file) || *file->at != mark)
        return false;
    file->at++;
    return true;
}

/* Shows what is there, cut to MOST_SHOWN printable characters. */
mplan_status mplan_foam_fail_expected(mplan_foam_file *file, const char *what, mplan_error *err)
{
    char shown[MOST_SHOWN + 1];
    size_t n = 0;
    if (!mplan_foam_skip(file))
        return mplan_foam_fail(file, err, MPLAN_ERR_CORRUPT,
                               "expected %s, found the end of the file", what);
    for (const char *at = file->at; at < file->end && n < MOST_SHOWN && !mplan_foam_blank(*at); at++)
        shown[n++] = *at < 0x20 || *at >= 0x7f ? '?' : *at;
    shown[n] = '\0';
    return mplan_foam_fail(file, err, MPLAN_ERR_CORRUPT, "expected %s, found '%s'", what, shown);
}

/* The mark has to be next. */
mplan_status mplan_foam_need_mark(mplan_foam_file *file, char mark, mplan_error *err)
{
    const char what[] = {'\'', mark, '\'', '\0'};
    return mplan_foam_takes(file, mark) ? MPLAN_OK : mplan_foam_fail_expected(file, what, err);
}

/* --- the header ------------------------------------------------------------------------ */

/* "LSB;label=32;scalar=64"; MSB: big-endian.
 * Without this entry labels have 4 bytes and scalars 8, little-endian. */
static mplan_status take_arch(mplan_foam_file *file, const mplan_foam_token *value, mplan_error *err)
{
    static const char *const names[2] = {"label=", "scalar="};
    int32_t *const bytes[2] = {&file->label_bytes, &file->scalar_bytes};
    char arch[64];
    size_t n = value->length < sizeof arch - 1 ? value->length : sizeof arch - 1;
    memcpy(arch, value->text, n);
    arch[n] = '\0';
    file->swapped = strstr(arch, "MSB") != NULL;
    for (int32_t i = 0; i < 2; i++) {
        const char *at = strstr(arch, names[i]);
        if (!at)
            continue;
        at += strlen(names[i]);
        if (strncmp(at, "32", 2) != 0 && strncmp(at, "64", 2) != 0)
            return mplan_foam_fail(file, err, MPLAN_ERR_UNSUPPORTED, "arch is '%s'", arch);
        *bytes[i] = *at == '3' ? 4 : 8;
    }
    return MPLAN_OK;
}

/* Terminated, and cut where it does not fit. */
static void copy_word(const mplan_foam_token *word, char *to, size_t size)
{
    size_t n = word->length < size - 1 ? word->length : size - 1;
    memcpy(to, word->text, n);
    to[n] = '\0';
}

/* Entries of the header that matter: format, class and arch (widths and byte
 * order of numbers). */
static mplan_status take_entry(mplan_foam_file *file, const mplan_foam_token *key,
                               const mplan_foam_token *value, mplan_foam_token *arch,
                               mplan_error *err)
{
    if (mplan_foam_is(key, "format")) {
        file->binary = mplan_foam_is(value, "binary");
        if (!file->binary && !mplan_foam_is(value, "ascii"))
            return mplan_foam_fail(file, err, MPLAN_ERR_CORRUPT,
                                   "format is neither ascii nor binary");
    } else if (mplan_foam_is(key, "class")) {
        copy_word(value, file->kind, sizeof file->kind);
    } else if (mplan_foam_is(key, "data.class")) {
        copy_word(value, file->data_kind, sizeof file->data_kind);
    } else if (mplan_foam_is(key, "data.format")) {
        file->data_binary = mplan_foam_is(value, "binary");
    } else if (mplan_foam_is(key, "arch")) {
        *arch = *value;
    }
    return MPLAN_OK;
}

/* Nothing is passed. */
bool mplan_foam_has_header(const mplan_foam_file *file)
{
    mplan_foam_file ahead = *file;
    mplan_foam_token token;
    return mplan_foam_take(&ahead, &token) && mplan_foam_is(&token, "FoamFile");
}

/* FoamFile { key value; ... }. Sets kind, binary, swapped and the bytes of numbers; file->at is behind the bracket. */
mplan_status mplan_foam_read_header(mplan_foam_file *file, mplan_error *err)
{
    mplan_foam_token key, value, arch = {NULL, 0, false};
    mplan_status status = MPLAN_OK;
    file->swapped = false;
    file->label_bytes = 4;
    file->scalar_bytes = 8;
    if (!mplan_foam_take(file, &key) || !mplan_foam_is(&key, "FoamFile") ||
        !mplan_foam_takes(file, '{'))
        return mplan_foam_fail(file, err, MPLAN_ERR_CORRUPT, "there is no header FoamFile");
    while (!status && !mplan_foam_takes(file, '}')) {
        if (!mplan_foam_take(file, &key) || key.mark || !mplan_foam_take(file, &value) || value.mark)
            return mplan_foam_fail(file, err, MPLAN_ERR_CORRUPT, "the header FoamFile is damaged");
        status = take_entry(file, &key, &value, &arch, err);
        if (!status)
            status = mplan_foam_need_mark(file, ';', err);
    }
    return !status && arch.text ? take_arch(file, &arch, err) : status;
}

/* Path of a file in a folder, owned by the caller. */
static char *join(const char *folder, const char *name, const char *ending, mplan_error *err)
{
    size_t n = strlen(folder) + strlen(name) + strlen(ending) + 2;
    char *path = mplan_alloc((int64_t)n, 1, err);
    if (path)
        snprintf(path, n, "%s/%s%s", folder, name, ending);
    return path;
}

/* Past the header FoamFile, which says whether lists are binary. */
static mplan_status begin_file(mplan_foam_file *file, const mplan_input *input, mplan_error *err)
{
    file->begin = file->at = (const char *)input->data;
    file->end = file->begin + input->size;
    return mplan_foam_read_header(file, err);
}

/* FILE or FILE.gz, whichever is there. The file must be closed, also after a
 * failure.
 * The path that was looked for first is noted, so that a file that appears there later counts. */
mplan_status mplan_foam_open(const char *folder, const char *name, const mplan_context *context,
                             mplan_foam_file *file, mplan_error *err)
{
    *file = (mplan_foam_file){.context = context};
    char *packed = join(folder, name, ".gz", err);
    file->path = packed ? join(folder, name, "", err) : NULL;
    if (!file->path) {
        free(packed);
        return MPLAN_ERR_MEMORY;
    }
    if (access(file->path, F_OK) != 0 && access(packed, F_OK) == 0) {
        mplan_looked(context, file->path);
        free(file->path);
        file->path = packed;
    } else {
        free(packed);
    }
    mplan_status status = mplan_input_open_beside(file->path, &file->opened, context, err);
    if (!status)
        status = begin_file(file, &file->opened.input, err);
    if (status)
        mplan_foam_close(file);
    return status;
}

/* *file must be closed; after a failure it is. */
mplan_status mplan_foam_open_input(const mplan_input *input, const mplan_context *context,
                                   mplan_foam_file *file, mplan_error *err)
{
    *file = (mplan_foam_file){.path = mplan_strdup(input->path, err), .context = context};
    mplan_status status = file->path ? begin_file(file, input, err) : MPLAN_ERR_MEMORY;
    if (status)
        mplan_foam_close(file);
    return status;
}

/* Also of a file that was not opened. */
void mplan_foam_close(mplan_foam_file *file)
{
    mplan_input_close(&file->opened);
    free(file->path);
    memset(file, 0, sizeof *file);
}

/* --- numbers ---------------------------------------------------------------------------- */

/* A number that is not negative; not compared with the file's length here. */
mplan_status mplan_foam_count(mplan_foam_file *file, const char *what, int64_t *count,
                              mplan_error *err)
{
    size_t used = mplan_foam_skip(file) ? mplan_parse_i64(file->at, file->end, count) : 0;
    if (used == 0 || *count < 0)
        return mplan_foam_fail_expected(file, what, err);
    file->at += used;
    return MPLAN_OK;
}

/* Nothing but blanks, comments and one ';' may follow. */
mplan_status mplan_foam_end(mplan_foam_file *file, mplan_error *err)
{
    mplan_foam_takes(file, ';');
    if (mplan_foam_skip(file))
        return mplan_foam_fail_expected(file, "the end of the file", err);
    return MPLAN_OK;
}

/* A whole number in text. The common case, one blank before it, is tried first. */
mplan_status mplan_foam_label(mplan_foam_file *file, const char *what, int64_t *value,
                              mplan_error *err)
{
    if (file->at < file->end && *file->at == ' ') /* what most numbers begin with */
        file->at++;
    size_t used = file->at < file->end ? mplan_parse_i64(file->at, file->end, value) : 0;
    if (used == 0 && mplan_foam_skip(file))
        used = mplan_parse_i64(file->at, file->end, value);
    if (used == 0 || (file->at + used < file->end && !mplan_foam_blank(file->at[used]) &&
                      !is_mark(file->at[used])))
        return mplan_foam_fail_expected(file, what, err);
    file->at += used;
    return MPLAN_OK;
}
