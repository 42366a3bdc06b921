/* SPDX-License-Identifier: Apache-2.0 */
/* foam_file.c - OpenFOAM's files: the header, words, lists of labels, points and faces
 *
 * Lists are `n ( ... )`, `n { value }` when all are equal, and in binary files the bytes of all numbers
 * between the brackets. Lines are counted when an error needs one. */
#include "formats/foam/foam.h"

#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/error.h"
#include "base/memory.h"
#include "formats/byte_order.h"
#include "formats/scan.h"

enum { PAUSE = 1 << 16, MOST_SHOWN = 40 };

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

static bool is_blank(char c)
{
    return c == ' ' || (c >= '\t' && c <= '\r');
}

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
        if (is_blank(*at)) {
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

/* A word, a text between quotes, or a single mark. */
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
        while (at + 1 < file->end && !is_blank(at[1]) && !is_mark(at[1]) && at[1] != '"')
            at++;
        token->length = (size_t)(at + 1 - token->text);
    }
    file->at = at + 1;
    return true;
}

bool mplan_foam_is(const mplan_foam_token *token, const char *text)
{
    return token->length == strlen(text) && memcmp(token->text, text, token->length) == 0;
}

bool mplan_foam_takes(mplan_foam_file *file, char mark)
{
    if (!mplan_foam_skip(file) || *file->at != mark)
        return false;
    file->at++;
    return true;
}

/* Shows what is there, cut to MOST_SHOWN printable characters. */
static mplan_status fail_expected(mplan_foam_file *file, const char *what, mplan_error *err)
{
    char shown[MOST_SHOWN + 1];
    size_t n = 0;
    if (!mplan_foam_skip(file))
        return mplan_foam_fail(file, err, MPLAN_ERR_CORRUPT,
                               "expected %s, found the end of the file", what);
    for (const char *at = file->at; at < file->end && n < MOST_SHOWN && !is_blank(*at); at++)
        shown[n++] = *at < 0x20 || *at >= 0x7f ? '?' : *at;
    shown[n] = '\0';
    return mplan_foam_fail(file, err, MPLAN_ERR_CORRUPT, "expected %s, found '%s'", what, shown);
}

static mplan_status need_mark(mplan_foam_file *file, char mark, mplan_error *err)
{
    const char what[] = {'\'', mark, '\'', '\0'};
    return mplan_foam_takes(file, mark) ? MPLAN_OK : fail_expected(file, what, err);
}

/* --- the header ------------------------------------------------------------------------ */

/* "LSB;label=32;scalar=64"; MSB: big-endian */
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
        size_t n = value->length < sizeof file->kind - 1 ? value->length : sizeof file->kind - 1;
        memcpy(file->kind, value->text, n);
        file->kind[n] = '\0';
    } else if (mplan_foam_is(key, "arch")) {
        *arch = *value;
    }
    return MPLAN_OK;
}

/* FoamFile { key value; ... } */
static mplan_status read_header(mplan_foam_file *file, mplan_error *err)
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
            status = need_mark(file, ';', err);
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

static mplan_status begin_file(mplan_foam_file *file, const mplan_input *input, mplan_error *err)
{
    file->begin = file->at = (const char *)input->data;
    file->end = file->begin + input->size;
    return read_header(file, err);
}

/* FILE or FILE.gz, whichever is there. The file must be closed, also after a
 * failure. */
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
        free(file->path);
        file->path = packed;
    } else {
        free(packed);
    }
    mplan_status status = mplan_input_open(file->path, &file->opened, context, err);
    if (!status)
        status = begin_file(file, &file->opened.input, err);
    if (status)
        mplan_foam_close(file);
    return status;
}

mplan_status mplan_foam_open_input(const mplan_input *input, const mplan_context *context,
                                   mplan_foam_file *file, mplan_error *err)
{
    *file = (mplan_foam_file){.path = mplan_strdup(input->path, err), .context = context};
    mplan_status status = file->path ? begin_file(file, input, err) : MPLAN_ERR_MEMORY;
    if (status)
        mplan_foam_close(file);
    return status;
}

void mplan_foam_close(mplan_foam_file *file)
{
    mplan_input_close(&file->opened);
    free(file->path);
    memset(file, 0, sizeof *file);
}

/* --- numbers ---------------------------------------------------------------------------- */

mplan_status mplan_foam_count(mplan_foam_file *file, const char *what, int64_t *count,
                              mplan_error *err)
{
    size_t used = mplan_foam_skip(file) ? mplan_parse_i64(file->at, file->end, count) : 0;
    if (used == 0 || *count < 0)
        return fail_expected(file, what, err);
    file->at += used;
    return MPLAN_OK;
}

mplan_status mplan_foam_end(mplan_foam_file *file, mplan_error *err)
{
    mplan_foam_takes(file, ';');
    if (mplan_foam_skip(file))
        return fail_expected(file, "the end of the file", err);
    return MPLAN_OK;
}

/* A whole number in text. The common case, one blank before it, is tried first. */
static mplan_status take_label(mplan_foam_file *file, const char *what, int64_t *value,
                               mplan_error *err)
{
    if (file->at < file->end && *file->at == ' ') /* what most numbers begin with */
        file->at++;
    size_t used = file->at < file->end ? mplan_parse_i64(file->at, file->end, value) : 0;
    if (used == 0 && mplan_foam_skip(file))
        used = mplan_parse_i64(file->at, file->end, value);
    if (used == 0 ||
        (file->at + used < file->end && !is_blank(file->at[used]) && !is_mark(file->at[used])))
        return fail_expected(file, what, err);
    file->at += used;
    return MPLAN_OK;
}

/* The next binary numbers, which are there. */
static int64_t next_label(mplan_foam_file *file)
{
    uint64_t bits = mplan_load_bits(file->at, file->label_bytes, file->swapped);
    file->at += file->label_bytes;
    return file->label_bytes == 8 ? (int64_t)bits : (int32_t)bits;
}

/* A real number in binary, 4 or 8 bytes; the caller has checked that it is
 * there. */
static double next_scalar(mplan_foam_file *file)
{
    uint64_t bits = mplan_load_bits(file->at, file->scalar_bytes, file->swapped);
    uint32_t half = (uint32_t)bits;
    float narrow;
    double wide;
    file->at += file->scalar_bytes;
    memcpy(&narrow, &half, sizeof narrow);
    memcpy(&wide, &bits, sizeof wide);
    return file->scalar_bytes == 8 ? wide : (double)narrow;
}

static mplan_status pause_at(const mplan_foam_file *file, int64_t i, mplan_error *err)
{
    if (i % PAUSE != 0)
        return MPLAN_OK;
    return mplan_heed(file->context, "read", file->at - file->begin, file->end - file->begin, err);
}

/* --- lists --------------------------------------------------------------------------------- */

typedef enum list_form {
    LIST_EMPTY, /* without brackets */
    LIST_ONE_BY_ONE,
    LIST_UNIFORM, /* n { value } */
    LIST_BYTES
} list_form;

/* The number of entries, and the bracket. least: bytes of an entry of text with what follows it; bytes: of
 * a binary one. */
static mplan_status begin_list(mplan_foam_file *file, const char *what, int64_t least,
                               int64_t bytes, int64_t *n, list_form *form, mplan_error *err)
{
    char expected[64];
    snprintf(expected, sizeof expected, "the number of %s", what);
    mplan_status status = mplan_foam_count(file, expected, n, err);
    if (status)
        return status;
    if (*n >= INT32_MAX)
        return mplan_foam_fail(file, err, MPLAN_ERR_UNSUPPORTED, "%lld %s exceed 32 bits",
                               (long long)*n, what);
    int64_t left = file->end - file->at;
    if (mplan_foam_takes(file, '{')) {
        *form = LIST_UNIFORM;
        return MPLAN_OK;
    }
    *form = *n == 0 ? LIST_EMPTY : file->binary && bytes > 0 ? LIST_BYTES : LIST_ONE_BY_ONE;
    if (!mplan_foam_takes(file, '('))
        return *n == 0 ? MPLAN_OK : fail_expected(file, "'('", err);
    if (*form == LIST_EMPTY)
        *form = LIST_ONE_BY_ONE;
    int64_t most = *form == LIST_BYTES ? left / bytes : left / least + 1;
    if (*n > most)
        return mplan_foam_fail(file, err, MPLAN_ERR_CORRUPT, "the file ends before the %lld %s",
                               (long long)*n, what);
    if (*form == LIST_BYTES && file->end - file->at <= *n * bytes)
        return mplan_foam_fail(file, err, MPLAN_ERR_CORRUPT, "the file ends before the %lld %s",
                               (long long)*n, what);
    return MPLAN_OK;
}

/* The closing mark of the form in which the list began. */
static mplan_status end_list(mplan_foam_file *file, list_form form, mplan_error *err)
{
    if (form == LIST_BYTES) { /* at once: white space could be a number's byte */
        if (file->at < file->end && *file->at == ')') {
            file->at++;
            return MPLAN_OK;
        }
        return mplan_foam_fail(file, err, MPLAN_ERR_CORRUPT,
                               "the list does not end here: expected ')'");
    }
    return form == LIST_EMPTY ? MPLAN_OK : need_mark(file, form == LIST_UNIFORM ? '}' : ')', err);
}

static mplan_status fail_label(const mplan_foam_file *file, const char *what, int64_t i,
                               int64_t value, int64_t least, int64_t most, mplan_error *err)
{
    return mplan_foam_fail(file, err, MPLAN_ERR_MESH, "entry %lld of %s is %lld, not in [%lld, %lld)",
                           (long long)i, what, (long long)value, (long long)least, (long long)most);
}

/* n numbers, one by one or as bytes. */
static mplan_status take_labels(mplan_foam_file *file, const char *what, list_form form,
                                int64_t least, int64_t most, int64_t n, int32_t *to, mplan_error *err)
{
    mplan_status status = MPLAN_OK;
    for (int64_t i = 0; i < n && !status; i++) {
        int64_t value = 0;
        if (form == LIST_BYTES) {
            value = next_label(file);
        } else if ((status = take_label(file, what, &value, err)) != MPLAN_OK) {
            return status;
        }
        if (value < least || value >= most)
            return fail_label(file, what, i, value, least, most, err);
        to[i] = (int32_t)value;
        status = pause_at(file, i, err);
    }
    return status;
}

/* *values: *n numbers in [least, most], owned by the caller. At most
 * most_entries are taken. */
mplan_status mplan_foam_labels(mplan_foam_file *file, const char *what, int64_t least, int64_t most,
                               int64_t most_entries, int32_t **values, int64_t *n, mplan_error *err)
{
    list_form form;
    int64_t one;
    mplan_status status = begin_list(file, what, 2, file->label_bytes, n, &form, err);
    if (status)
        return status;
    if (*n > most_entries)
        return mplan_foam_fail(file, err, MPLAN_ERR_MESH, "there are %lld %s, there can be %lld",
                               (long long)*n, what, (long long)most_entries);
    int32_t *made = mplan_alloc(*n, sizeof *made, err);
    if (!made)
        return MPLAN_ERR_MEMORY;
    if (form == LIST_UNIFORM) {
        status = take_label(file, what, &one, err);
        if (!status && (one < least || one >= most))
            status = fail_label(file, what, 0, one, least, most, err);
        for (int64_t i = 0; i < *n && !status; i++)
            made[i] = (int32_t)one;
    } else {
        status = take_labels(file, what, form, least, most, *n, made, err);
    }
    if (!status)
        status = end_list(file, form, err);
    if (status) {
        free(made);
        return status;
    }
    *values = made;
    return MPLAN_OK;
}

/* Three numbers between parentheses, or bytes. */
static mplan_status take_point(mplan_foam_file *file, list_form form, double to[3], mplan_error *err)
{
    if (form == LIST_BYTES) {
        for (int32_t d = 0; d < 3; d++)
            to[d] = next_scalar(file);
        return MPLAN_OK;
    }
    mplan_status status = need_mark(file, '(', err);
    for (int32_t d = 0; d < 3 && !status; d++) {
        size_t used = mplan_foam_skip(file) ? mplan_parse_f64(file->at, file->end, &to[d]) : 0;
        if (used == 0 ||
            (file->at + used < file->end && !is_blank(file->at[used]) && file->at[used] != ')'))
            return fail_expected(file, "a coordinate", err);
        file->at += used;
    }
    return !status ? need_mark(file, ')', err) : status;
}

/* *xyz: 3 doubles a point, owned by the caller. */
mplan_status mplan_foam_points(mplan_foam_file *file, double **xyz, int64_t *n, mplan_error *err)
{
    list_form form;
    mplan_status status = begin_list(file, "points", 8, 3 * file->scalar_bytes, n, &form, err);
    if (!status && form == LIST_UNIFORM)
        status = mplan_foam_fail(file, err, MPLAN_ERR_MESH, "all points are the same");
    if (status)
        return status;
    double *made = mplan_alloc(3 * *n, sizeof *made, err);
    if (!made)
        return MPLAN_ERR_MEMORY;
    for (int64_t i = 0; i < *n && !status; i++) {
        double *to = made + 3 * i, sum;
        status = take_point(file, form, to, err);
        sum = !status ? to[0] - to[0] + (to[1] - to[1]) + (to[2] - to[2]) : 0;
        if (!status && !(sum == 0)) /* also for NaN */
            status = mplan_foam_fail(file, err, MPLAN_ERR_MESH,
                                     "a coordinate of point %lld is not finite", (long long)i);
        if (!status)
            status = pause_at(file, i, err);
    }
    if (!status)
        status = end_list(file, form, err);
    if (status) {
        free(made);
        return status;
    }
    *xyz = made;
    return MPLAN_OK;
}

/* --- faces ------------------------------------------------------------------------------------ */

/* faceList: each face is a list of its own, in binary files too. */
static mplan_status take_face(mplan_foam_file *file, int64_t f, int64_t n_points,
                              mplan_vector *nodes, mplan_error *err)
{
    int64_t n;
    list_form form;
    mplan_status status = begin_list(file, "points of a face", 2, file->label_bytes, &n, &form, err);
    if (!status && (n < 3 || form == LIST_UNIFORM))
        status = mplan_foam_fail(file, err, MPLAN_ERR_MESH, "face %lld has %lld points",
                                 (long long)f, (long long)(form == LIST_UNIFORM ? 1 : n));
    if (status)
        return status;
    int32_t *to = mplan_vector_reserve(nodes, n, err);
    if (!to)
        return MPLAN_ERR_MEMORY;
    nodes->count += n;
    status = take_labels(file, "a face", form, 0, n_points, n, to, err);
    return !status ? end_list(file, form, err) : status;
}

/* Faces one by one, each a list of its own: "4(0 1 2 3)". nodes: all of them,
 * one behind the other; *offsets is owned by the caller. */
static mplan_status take_face_list(mplan_foam_file *file, int64_t n_points, int64_t **offsets,
                                   mplan_vector *nodes, int64_t *n, mplan_error *err)
{
    list_form form;
    mplan_status status = begin_list(file, "faces", 8, 0, n, &form, err);
    if (!status && form == LIST_UNIFORM)
        status = mplan_foam_fail(file, err, MPLAN_ERR_MESH, "all faces are the same");
    if (status)
        return status;
    int64_t *ends = *offsets = mplan_alloc(*n + 1, sizeof *ends, err);
    if (!ends)
        return MPLAN_ERR_MEMORY;
    ends[0] = 0;
    for (int64_t f = 0; f < *n && !status; f++) {
        status = take_face(file, f, n_points, nodes, err);
        ends[f + 1] = nodes->count;
        if (!status)
            status = pause_at(file, f, err);
    }
    return !status ? end_list(file, form, err) : status;
}

/* faceCompactList: where each face begins, one more than there are faces, and the points of all. */
static mplan_status take_compact(mplan_foam_file *file, int64_t n_points, int64_t **offsets,
                                 mplan_vector *nodes, int64_t *n, mplan_error *err)
{
    list_form form;
    int64_t n_starts, n_nodes;
    mplan_status status = begin_list(file, "starts of faces", 2, file->label_bytes, &n_starts,
                                     &form, err);
    if (!status && (n_starts == 0 || form == LIST_UNIFORM))
        status = mplan_foam_fail(file, err, MPLAN_ERR_MESH, "there are no faces");
    if (status)
        return status;
    *n = n_starts - 1;
    int64_t *starts = *offsets = mplan_alloc(n_starts, sizeof *starts, err);
    if (!starts)
        return MPLAN_ERR_MEMORY;
    for (int64_t i = 0; i < n_starts && !status; i++) {
        if (form == LIST_BYTES) {
            starts[i] = next_label(file);
        } else {
            status = take_label(file, "the start of a face", &starts[i], err);
        }
        if (!status &&
            (i == 0 ? starts[0] != 0 : starts[i] < starts[i - 1] || starts[i] - starts[i - 1] < 3))
            return mplan_foam_fail(file, err, MPLAN_ERR_MESH, "start %lld of faces is %lld",
                                   (long long)i, (long long)starts[i]);
        if (!status)
            status = pause_at(file, i, err);
    }
    if (!status)
        status = end_list(file, form, err);
    if (status)
        return status;
    int32_t *made = NULL;
    status = mplan_foam_labels(file, "points of faces", 0, n_points, starts[*n], &made, &n_nodes,
                               err);
    nodes->data = made;
    nodes->count = n_nodes;
    if (!status && n_nodes < starts[*n])
        return mplan_foam_fail(file, err, MPLAN_ERR_MESH, "faces have %lld points, the list %lld",
                               (long long)starts[*n], (long long)n_nodes);
    return status;
}

/* Both classes of faces: a list of lists, and offsets with one list. */
mplan_status mplan_foam_faces(mplan_foam_file *file, int64_t n_points, int64_t **offsets,
                              int32_t **nodes, int64_t *n, mplan_error *err)
{
    mplan_vector list = MPLAN_VECTOR_INIT(sizeof(int32_t));
    bool compact = strcmp(file->kind, "faceCompactList") == 0;
    mplan_status status;
    *offsets = NULL;
    if (!compact && strcmp(file->kind, "faceList") != 0)
        return mplan_foam_fail(file, err, MPLAN_ERR_UNSUPPORTED, "faces are of class %s", file->kind);
    status = compact ? take_compact(file, n_points, offsets, &list, n, err)
                     : take_face_list(file, n_points, offsets, &list, n, err);
    if (!status && (*nodes = mplan_realloc(list.data, list.count, sizeof **nodes, err)) != NULL)
        return MPLAN_OK;
    free(list.data);
    free(*offsets);
    *offsets = NULL;
    return !status ? MPLAN_ERR_MEMORY : status;
}
