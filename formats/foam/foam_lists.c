/* SPDX-License-Identifier: Apache-2.0 */
/* foam_lists.c - OpenFOAM's lists of labels, points and faces
 *
 * Lists are `n ( ... )`, `n { value }` when all are equal, and in binary files the bytes of all numbers
 * between the brackets. `( ... )` without a number is text; its entries are counted first. */
#include <stdlib.h>
#include <string.h>

#include "base/context.h"
#include "base/error.h"
#include "base/limits.h"
#include "base/memory.h"
#include "formats/byte_order.h"
#include "formats/foam/foam_parts.h"
#include "formats/scan_rows.h"

enum { PAUSE = 1 << 16, LEAST = 2, LEAST_NESTED = 8 }; /* bytes of an entry with what follows it */
enum { BYTES_A_UNIFORM = 24 };                         /* of a point in memory */

/* --- binary numbers ------------------------------------------------------------------------ */

/* The next binary numbers, which are there.
 * Labels of 8 bytes may exceed 32 bits; callers compare them with their range. */
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

/* i: numbers read so far.
 * Reports progress and looks for a signal at every PAUSE-th of them. */
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

/* How many entries there are up to the bracket that closes: words, or where entries are lists themselves,
 * these. The file stays where it is. */
static int64_t count_entries(const mplan_foam_file *file, bool nested)
{
    mplan_foam_file ahead = *file;
    mplan_foam_token token;
    int64_t n = 0, depth = 0;
    while (depth >= 0 && mplan_foam_take(&ahead, &token)) {
        bool closes = token.mark && *token.text == ')';
        depth += token.mark && *token.text == '(';
        depth -= closes;
        if (depth == 0)
            n += nested ? closes : !token.mark;
    }
    return n;
}

/* A number and a value are all that the file has of such a list: it may be as long as sets whose size only a number
 * tells (mplan_mesh_check_memory). */
static mplan_status check_uniform(const mplan_foam_file *file, int64_t n, const char *what,
                                  mplan_error *err)
{
    const int64_t allowed = mplan_context_memory(file->context);
    const int64_t bytes = file->end - file->begin; /* below 2^47 */
    const int64_t most = allowed ? allowed : MPLAN_MEMORY_BASE + MPLAN_MEMORY_PER_INPUT * bytes;
    return n <= most / BYTES_A_UNIFORM
               ? MPLAN_OK
               : mplan_foam_fail(file, err, allowed ? MPLAN_ERR_MEMORY : MPLAN_ERR_CORRUPT,
                                 "%lld equal %s need more memory than the file justifies",
                                 (long long)n, what);
}

/* The number of entries, and the bracket. least: bytes of an entry of text with what follows it, 8 of lists
 * of lists; bytes: of a binary one.
 * *form: how entries follow, and which mark ends them (end_list). After success *n is less than 2^31 - 1 and at
 * most what the rest of the file can hold, or of equal entries what memory is allowed for. */
static mplan_status begin_list(mplan_foam_file *file, const char *what, int64_t least,
                               int64_t bytes, int64_t *n, list_form *form, mplan_error *err)
{
    char expected[64];
    *form = LIST_EMPTY;
    if (mplan_foam_takes(file, '(')) {
        *n = count_entries(file, least == LEAST_NESTED);
        *form = LIST_ONE_BY_ONE;
        return *n < INT32_MAX ? MPLAN_OK
                              : mplan_foam_fail(file, err, MPLAN_ERR_UNSUPPORTED,
                                                "%lld %s exceed 32 bits", (long long)*n, what);
    }
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
        return check_uniform(file, *n, what, err);
    }
    *form = *n == 0 ? LIST_EMPTY : file->binary && bytes > 0 ? LIST_BYTES : LIST_ONE_BY_ONE;
    if (!mplan_foam_takes(file, '('))
        return *n == 0 ? MPLAN_OK : mplan_foam_fail_expected(file, "'('", err);
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
        return mplan_foam_fail(file, err, MPLAN_ERR_CORRUPT, "expected ')' at the end of the list");
    }
    return form == LIST_EMPTY ? MPLAN_OK
                              : mplan_foam_need_mark(file, form == LIST_UNIFORM ? '}' : ')', err);
}

/* Entry i of a list is out of [least, most). */
static mplan_status fail_label(const mplan_foam_file *file, const char *what, int64_t i,
                               int64_t value, int64_t least, int64_t most, mplan_error *err)
{
    return mplan_foam_fail(file, err, MPLAN_ERR_MESH, "entry %lld of %s is %lld, not in [%lld, %lld)",
                           (long long)i, what, (long long)value, (long long)least, (long long)most);
}

/* What threads read of a list of text: a row on each line. */
typedef struct list_rows {
    const mplan_foam_file *file;
    int64_t least, most; /* of labels */
    int32_t *labels;
    double *xyz;     /* three a point */
    int64_t *starts; /* of faces: where the nodes of each begin in `labels`; while they are counted how many each has, from starts[1] on */
} list_rows;

/* A file that is the line. Comments may go on in the next one: such lines are left to who reads the whole file. */
static bool enter_line(const list_rows *rows, const mplan_scanner *line, mplan_foam_file *own)
{
    if (memchr(line->at, '/', (size_t)(line->end - line->at)))
        return false;
    *own = *rows->file;
    own->begin = own->at = line->at;
    own->end = line->end;
    return true;
}

/* Reads the first rows of a list of n by threads, from the place of the file on; *n_read: how many. */
static mplan_status take_rows(mplan_foam_file *file, list_form form, int64_t n, list_rows *rows,
                              mplan_row_reader *read, int64_t *n_read, mplan_error *err)
{
    mplan_scanner scan = {file->path, file->begin, file->at, file->end, 1};
    *n_read = 0;
    rows->file = file;
    if (form != LIST_ONE_BY_ONE || file->binary)
        return MPLAN_OK;
    mplan_status status = mplan_scan_rows(&scan, n, read, rows, file->context, n_read, err);
    if (*n_read > 0)
        file->at = scan.at;
    return status;
}

static bool read_label_line(void *data, mplan_scanner *line, int64_t row)
{
    const list_rows *rows = data;
    mplan_foam_file own;
    int64_t value;
    if (!enter_line(rows, line, &own) || mplan_foam_label(&own, "", &value, NULL) ||
        value < rows->least || value >= rows->most)
        return false;
    rows->labels[row] = (int32_t)value;
    return !mplan_foam_skip(&own);
}

/* n numbers, one by one or as bytes.
 * to: n entries, each in [least, most) afterwards. */
static mplan_status take_labels(mplan_foam_file *file, const char *what, list_form form,
                                int64_t least, int64_t most, int64_t n, int32_t *to, mplan_error *err)
{
    list_rows rows = {.least = least, .most = most, .labels = to};
    int64_t done;
    mplan_status status = take_rows(file, form, n, &rows, read_label_line, &done, err);
    for (int64_t i = done; i < n && !status; i++) {
        int64_t value = 0;
        if (form == LIST_BYTES) {
            value = next_label(file);
        } else if ((status = mplan_foam_label(file, what, &value, err)) != MPLAN_OK) {
            return status;
        }
        if (value < least || value >= most)
            return fail_label(file, what, i, value, least, most, err);
        to[i] = (int32_t)value;
        status = pause_at(file, i, err);
    }
    return status;
}

/* *values: *n numbers in [least, most), from mplan_alloc, the caller's; not set after a failure. More than
 * most_entries are refused before memory is taken for them. */
mplan_status mplan_foam_labels(mplan_foam_file *file, const char *what, int64_t least, int64_t most,
                               int64_t most_entries, int32_t **values, int64_t *n, mplan_error *err)
{
    list_form form;
    int64_t one;
    mplan_status status = begin_list(file, what, LEAST, file->label_bytes, n, &form, err);
    if (status)
        return status;
    if (*n > most_entries)
        return mplan_foam_fail(file, err, MPLAN_ERR_MESH,
                               "there are %lld %s, but at most %lld are possible", (long long)*n,
                               what, (long long)most_entries);
    int32_t *made = mplan_alloc(*n, sizeof *made, err);
    if (!made)
        return MPLAN_ERR_MEMORY;
    if (form == LIST_UNIFORM) {
        status = mplan_foam_label(file, what, &one, err);
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

/* Three numbers between parentheses, or bytes.
 * Whether the numbers are finite is for the caller to test. */
static mplan_status take_point(mplan_foam_file *file, list_form form, double to[3], mplan_error *err)
{
    if (form == LIST_BYTES) {
        for (int32_t d = 0; d < 3; d++)
            to[d] = next_scalar(file);
        return MPLAN_OK;
    }
    mplan_status status = mplan_foam_need_mark(file, '(', err);
    for (int32_t d = 0; d < 3 && !status; d++) {
        size_t used = mplan_foam_skip(file) ? mplan_parse_f64(file->at, file->end, &to[d]) : 0;
        if (used == 0 || (file->at + used < file->end && !mplan_foam_blank(file->at[used]) &&
                          file->at[used] != ')'))
            return mplan_foam_fail_expected(file, "a coordinate", err);
        file->at += used;
    }
    return !status ? mplan_foam_need_mark(file, ')', err) : status;
}

static bool read_point_line(void *data, mplan_scanner *line, int64_t row)
{
    const list_rows *rows = data;
    double *to = rows->xyz + 3 * row;
    mplan_foam_file own;
    return enter_line(rows, line, &own) && !take_point(&own, LIST_ONE_BY_ONE, to, NULL) &&
           to[0] - to[0] + (to[1] - to[1]) + (to[2] - to[2]) == 0 && !mplan_foam_skip(&own);
}

/* *xyz: 3 doubles a point, owned by the caller. */
mplan_status mplan_foam_points(mplan_foam_file *file, double **xyz, int64_t *n, mplan_error *err)
{
    list_form form;
    mplan_status status = begin_list(file, "points", LEAST_NESTED, 3 * file->scalar_bytes, n, &form,
                                     err);
    if (!status && form == LIST_UNIFORM)
        status = mplan_foam_fail(file, err, MPLAN_ERR_MESH, "all points are the same");
    if (status)
        return status;
    double *made = mplan_alloc(3 * *n, sizeof *made, err);
    if (!made)
        return MPLAN_ERR_MEMORY;
    list_rows rows = {.xyz = made};
    int64_t done;
    status = take_rows(file, form, *n, &rows, read_point_line, &done, err);
    for (int64_t i = done; i < *n && !status; i++) {
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

/* faceList: each face is a list of its own, in binary files too.
 * f: its number, for messages. nodes grows by its points, each in [0, n_points), at least three. */
static mplan_status take_face(mplan_foam_file *file, int64_t f, int64_t n_points,
                              mplan_vector *nodes, mplan_error *err)
{
    int64_t n;
    list_form form;
    mplan_status status = begin_list(file, "points of a face", LEAST, file->label_bytes, &n, &form,
                                     err);
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

/* How many points a face of a line has: the number before the bracket. */
static bool count_face_line(void *data, mplan_scanner *line, int64_t row)
{
    const list_rows *rows = data;
    mplan_foam_file own;
    int64_t n;
    if (!enter_line(rows, line, &own) || mplan_foam_label(&own, "", &n, NULL) || n < 3 ||
        n > line->end - line->at)
        return false;
    rows->starts[row + 1] = n;
    return true;
}

/* The points of a face, as many as were counted. */
static bool read_face_line(void *data, mplan_scanner *line, int64_t row)
{
    const list_rows *rows = data;
    const int64_t begin = rows->starts[row], end = rows->starts[row + 1];
    mplan_foam_file own;
    int64_t n, value;
    if (!enter_line(rows, line, &own) || mplan_foam_label(&own, "", &n, NULL) ||
        !mplan_foam_takes(&own, '('))
        return false;
    for (int64_t i = begin; i < end; i++) {
        if (mplan_foam_label(&own, "", &value, NULL) || value < rows->least || value >= rows->most)
            return false;
        rows->labels[i] = (int32_t)value;
    }
    return mplan_foam_takes(&own, ')') && !mplan_foam_skip(&own);
}

/* The first faces of a list of n, by threads: counted, then read. *n_read: how many; ends and nodes as take_face_list has
 * them. */
static mplan_status take_face_rows(mplan_foam_file *file, list_form form, int64_t n,
                                   int64_t n_points, int64_t *ends, mplan_vector *nodes,
                                   int64_t *n_read, mplan_error *err)
{
    mplan_foam_file ahead = *file;
    list_rows rows = {.least = 0, .most = n_points, .starts = ends};
    int64_t counted;
    *n_read = 0;
    mplan_status status = take_rows(&ahead, form, n, &rows, count_face_line, &counted, err);
    if (status || counted == 0)
        return status;
    for (int64_t f = 0; f < counted; f++)
        ends[f + 1] += ends[f];
    rows.labels = mplan_vector_reserve(nodes, ends[counted], err);
    if (!rows.labels)
        return MPLAN_ERR_MEMORY;
    status = take_rows(file, form, counted, &rows, read_face_line, n_read, err);
    nodes->count = ends[*n_read];
    return status;
}

/* Faces one by one, each a list of its own: "4(0 1 2 3)". nodes: all of them,
 * one behind the other; *offsets is owned by the caller.
 * (*offsets)[f] is where the nodes of face f begin, n + 1 entries; it is to be freed also after a failure. */
static mplan_status take_face_list(mplan_foam_file *file, int64_t n_points, int64_t **offsets,
                                   mplan_vector *nodes, int64_t *n, mplan_error *err)
{
    list_form form;
    mplan_status status = begin_list(file, "faces", LEAST_NESTED, 0, n, &form, err);
    if (!status && form == LIST_UNIFORM)
        status = mplan_foam_fail(file, err, MPLAN_ERR_MESH, "all faces are the same");
    if (status)
        return status;
    int64_t *ends = *offsets = mplan_alloc(*n + 1, sizeof *ends, err);
    if (!ends)
        return MPLAN_ERR_MEMORY;
    ends[0] = 0;
    int64_t done;
    status = take_face_rows(file, form, *n, n_points, ends, nodes, &done, err);
    for (int64_t f = done; f < *n && !status; f++) {
        status = take_face(file, f, n_points, nodes, err);
        ends[f + 1] = nodes->count;
        if (!status)
            status = pause_at(file, f, err);
    }
    return !status ? end_list(file, form, err) : status;
}

/* faceCompactList: where each face begins, one more than there are faces, and the points of all.
 * Starts ascend by three or more, as a face has three points at least; the last is the length of the list of points. */
static mplan_status take_compact(mplan_foam_file *file, int64_t n_points, int64_t **offsets,
                                 mplan_vector *nodes, int64_t *n, mplan_error *err)
{
    list_form form;
    int64_t n_starts, n_nodes;
    mplan_status status = begin_list(file, "starts of faces", LEAST, file->label_bytes, &n_starts,
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
            status = mplan_foam_label(file, "the start of a face", &starts[i], err);
        }
        if (!status &&
            (i == 0 ? starts[0] != 0 : starts[i] < starts[i - 1] || starts[i] - starts[i - 1] < 3))
            return mplan_foam_fail(file, err, MPLAN_ERR_MESH,
                                   "start %lld of the faces must not be %lld", (long long)i,
                                   (long long)starts[i]);
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
        return mplan_foam_fail(file, err, MPLAN_ERR_MESH,
                               "faces have %lld points, but the list has %lld",
                               (long long)starts[*n], (long long)n_nodes);
    return status;
}

/* Both classes of faces: a list of lists, and offsets with one list.
 * After a failure neither array is left to the caller. */
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
