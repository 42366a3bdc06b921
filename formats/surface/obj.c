/* SPDX-License-Identifier: Apache-2.0 */
/* obj.c - surfaces in Wavefront OBJ files
 *
 * After the format's description in the appendix of Wavefront's Advanced Visualizer manual (B1). Of its lines v (a
 * vertex), f (a face: v, v/vt, v//vn or v/vt/vn, numbered from 1, or backwards from the last vertex by negative numbers),
 * g and o (names of the groups that the faces behind them belong to) are read; normals, textures and materials are
 * skipped, lines and points with a warning. A line goes on behind a backslash at its end. */
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "formats/collection.h"
#include "formats/not_finite.h"
#include "formats/scan.h"
#include "mesh/mesh.h"

enum {
    MOST_NAMES = 3, /* of a line g; the runs of so many and of the object are found again */
    LOOK_BYTES = 1 << 16
};

typedef enum obj_line {
    OBJ_VERTEX,
    OBJ_FACE,
    OBJ_GROUP,
    OBJ_OBJECT,
    OBJ_LINES, /* and points */
    OBJ_REFUSED,
    OBJ_PASSED,
    OBJ_UNKNOWN
} obj_line;

/* A name within the file. */
typedef struct obj_name {
    const char *text;
    size_t length;
} obj_name;

/* An OBJ file that is read. */
typedef struct obj_reader {
    mplan_scanner scan;
    mplan_collection collection;
    mplan_vector corners; /* int32_t, of the face that is read */
    obj_name object, groups[MOST_NAMES];
    int32_t n_groups;
    int64_t n_lines, n_names; /* that are skipped */
    int64_t most_vertex;      /* that a face names, and in which line */
    int64_t most_line;
} obj_reader;

/* What a line is, by its first word. */
static obj_line kind_of(const char *word, size_t length)
{
    static const struct {
        const char *word;
        obj_line kind;
    } words[] = {
        {"v", OBJ_VERTEX},         {"f", OBJ_FACE},        {"vn", OBJ_PASSED},
        {"vt", OBJ_PASSED},        {"g", OBJ_GROUP},       {"o", OBJ_OBJECT},
        {"s", OBJ_PASSED},         {"usemtl", OBJ_PASSED}, {"mtllib", OBJ_PASSED},
        {"l", OBJ_LINES},          {"p", OBJ_LINES},       {"fo", OBJ_FACE},
        {"vp", OBJ_PASSED},        {"usemap", OBJ_PASSED}, {"maplib", OBJ_PASSED},
        {"mg", OBJ_PASSED},        {"bevel", OBJ_PASSED},  {"c_interp", OBJ_PASSED},
        {"d_interp", OBJ_PASSED},  {"lod", OBJ_PASSED},    {"shadow_obj", OBJ_PASSED},
        {"trace_obj", OBJ_PASSED}, {"ctech", OBJ_PASSED},  {"stech", OBJ_PASSED},
        {"cstype", OBJ_REFUSED},   {"curv", OBJ_REFUSED},  {"curv2", OBJ_REFUSED},
        {"surf", OBJ_REFUSED},
    };
    for (size_t w = 0; w < sizeof words / sizeof *words; w++)
        if (strlen(words[w].word) == length && memcmp(words[w].word, word, length) == 0)
            return words[w].kind;
    return OBJ_UNKNOWN;
}

/* Passes blanks and backslashes at line ends; true at the line's end or a comment. */
static bool line_ends(mplan_scanner *scan)
{
    while (!mplan_scan_line_ends(scan)) {
        if (*scan->at == '#')
            return true;
        if (*scan->at != '\\')
            return false;
        mplan_scanner behind = *scan;
        behind.at++;
        if (!mplan_scan_line_ends(&behind))
            return false;
        mplan_scan_next_line(scan);
    }
    return true;
}

/* Three coordinates; further numbers (weight, colour) are skipped. Vertices keep their order, so
 * that a face's number is a node's plus 1. */
static mplan_status read_vertex(obj_reader *reader, mplan_error *err)
{
    double xyz[3];
    mplan_status status = MPLAN_OK;
    for (int32_t d = 0; d < 3 && !status; d++) {
        if (line_ends(&reader->scan))
            return mplan_scan_fail(&reader->scan, err, MPLAN_ERR_CORRUPT,
                                   "a vertex has %d coordinates, not 3", (int)d);
        status = mplan_scan_f64(&reader->scan, "a coordinate", &xyz[d], err);
        if (!status && !(xyz[d] - xyz[d] == 0)) /* also false for NaN */
            status = mplan_scan_fail(&reader->scan, err, MPLAN_ERR_MESH,
                                     "a coordinate is not finite (%s)", mplan_not_finite(xyz[d]));
    }
    if (!status && mplan_collected_nodes(&reader->collection) >= INT32_MAX - 1)
        status = mplan_scan_fail(&reader->scan, err, MPLAN_ERR_UNSUPPORTED,
                                 "more than 2^31 vertices");
    return status ? status : mplan_collect_node(&reader->collection, xyz, err);
}

/* What is not a blank goes on with the word; control characters end it, too. */
static bool ends_word(const mplan_scanner *scan)
{
    return scan->at == scan->end || (unsigned char)*scan->at <= ' ';
}

/* Negative numbers count back from the last vertex so far. *corner: from 0; it may be of a
 * vertex that comes later, which is looked at when all are read: reader->most_vertex and its
 * line are kept for that. */
static mplan_status read_corner(obj_reader *reader, int32_t *corner, mplan_error *err)
{
    mplan_scanner *scan = &reader->scan;
    int64_t n_vertices = mplan_collected_nodes(&reader->collection), number = 0;
    size_t used = mplan_parse_i64(scan->at, scan->end, &number);
    mplan_scanner begin = *scan;
    scan->at += used;
    if (used > 0 && scan->at < scan->end && *scan->at == '/') /* texture and normal */
        while (!ends_word(scan) &&
               ((*scan->at >= '0' && *scan->at <= '9') || *scan->at == '/' || *scan->at == '-'))
            scan->at++;
    if (used == 0 || !ends_word(scan)) {
        *scan = begin;
        return mplan_scan_i64(scan, "a corner of a face", &number, err)
                   ? MPLAN_ERR_CORRUPT
                   : mplan_scan_fail(scan, err, MPLAN_ERR_CORRUPT, "expected a corner of a face");
    }
    if (number == 0 || number < -n_vertices || number >= INT32_MAX)
        return mplan_scan_fail(scan, err, MPLAN_ERR_MESH,
                               "vertex %lld of a face does not exist; there are %lld so far",
                               (long long)number, (long long)n_vertices);
    if (number > reader->most_vertex) {
        reader->most_vertex = number;
        reader->most_line = scan->line;
    }
    *corner = (int32_t)(number > 0 ? number - 1 : n_vertices + number);
    return MPLAN_OK;
}

/* The face that was added last is in the current object and groups: at most MOST_NAMES + 1 runs
 * are extended, as many as mplan_collect_member looks back for. */
static mplan_status join_groups(obj_reader *reader, mplan_error *err)
{
    mplan_status status = MPLAN_OK;
    if (reader->object.length)
        status = mplan_collect_member(&reader->collection, 2, 0, reader->object.text,
                                      reader->object.length, err);
    for (int32_t g = 0; g < reader->n_groups && !status; g++)
        status = mplan_collect_member(&reader->collection, 2, 0, reader->groups[g].text,
                                      reader->groups[g].length, err);
    return status;
}

/* Three corners at least; more than four are a polygon. The corners are gathered first, since
 * their number is known at the end of the line only. */
static mplan_status read_face(obj_reader *reader, mplan_error *err)
{
    mplan_status status = MPLAN_OK;
    reader->corners.count = 0;
    while (!status && !line_ends(&reader->scan)) {
        int32_t corner;
        status = read_corner(reader, &corner, err);
        if (!status)
            status = mplan_vector_push(&reader->corners, &corner, err);
    }
    int64_t n = reader->corners.count;
    if (!status && (n < 3 || n > INT32_MAX))
        status = mplan_scan_fail(&reader->scan, err, MPLAN_ERR_MESH,
                                 "a face cannot have %lld corners", (long long)n);
    if (status)
        return status;
    int32_t *nodes = mplan_collect_face(&reader->collection, (int32_t)n, err);
    if (!nodes)
        return MPLAN_ERR_MEMORY;
    memcpy(nodes, reader->corners.data, (size_t)n * sizeof *nodes);
    return join_groups(reader, err);
}

/* Names are not terminated: they are in the file. */
static bool equal_names(obj_name a, const char *text, size_t length)
{
    return a.length == length && memcmp(a.text, text, length) == 0;
}

/* Each name once, and not that of the object: a face is in a group once. */
static void read_groups(obj_reader *reader)
{
    const char *word;
    size_t length;
    reader->n_groups = 0;
    while (!line_ends(&reader->scan) && mplan_scan_word(&reader->scan, &word, &length)) {
        bool there = equal_names(reader->object, word, length);
        for (int32_t g = 0; g < reader->n_groups; g++)
            there = there || equal_names(reader->groups[g], word, length);
        if (there)
            continue;
        if (reader->n_groups < MOST_NAMES)
            reader->groups[reader->n_groups++] = (obj_name){word, length};
        else
            reader->n_names++;
    }
}

/* The first word of the rest of the line; none ends the object. A group of the same name is the
 * object's. */
static void read_object(obj_reader *reader)
{
    const char *word;
    size_t length;
    int32_t kept = 0;
    reader->object.length = 0;
    if (line_ends(&reader->scan) || !mplan_scan_word(&reader->scan, &word, &length))
        return;
    reader->object = (obj_name){word, length};
    for (int32_t g = 0; g < reader->n_groups; g++)
        if (!equal_names(reader->object, reader->groups[g].text, reader->groups[g].length))
            reader->groups[kept++] = reader->groups[g];
    reader->n_groups = kept;
}

/* word: its first, which has been read. Unknown words are errors and no comments: a file of
 * another kind is refused at its first line rather than read as an empty surface. */
static mplan_status read_line(obj_reader *reader, const char *word, size_t length, mplan_error *err)
{
    switch (kind_of(word, length)) {
    case OBJ_VERTEX: return read_vertex(reader, err);
    case OBJ_FACE: return read_face(reader, err);
    case OBJ_GROUP: read_groups(reader); return MPLAN_OK;
    case OBJ_OBJECT: read_object(reader); return MPLAN_OK;
    case OBJ_LINES: reader->n_lines++; return MPLAN_OK;
    case OBJ_PASSED: return MPLAN_OK;
    case OBJ_REFUSED:
        return mplan_scan_fail(&reader->scan, err, MPLAN_ERR_UNSUPPORTED,
                               "curves and surfaces (%.*s) are not supported, only faces",
                               (int)length, word);
    case OBJ_UNKNOWN: break;
    }
    for (size_t i = 0; i < length; i++)
        if (word[i] < 0x20 || word[i] > 0x7e)
            length = i;
    return mplan_scan_fail(&reader->scan, err, MPLAN_ERR_CORRUPT,
                           "'%.*s' is not a keyword of an OBJ file", length < 40 ? (int)length : 40,
                           word);
}

/* To behind the end of the line, and of those it goes on in (a backslash before the end of the
 * line); comments end with their line. */
static void next_line(mplan_scanner *scan)
{
    if (scan->at < scan->end && *scan->at == '#') {
        mplan_scan_next_line(scan);
        return;
    }
    while (scan->at < scan->end) {
        const char *line = scan->at;
        mplan_scan_next_line(scan);
        const char *end = scan->at;
        while (end > line && (unsigned char)end[-1] <= ' ')
            end--;
        if (end == line || end[-1] != '\\')
            return;
    }
}

/* A line at a time. Faces that name a vertex that never came are found at the end, with the line
 * of the first that named the highest. */
static mplan_status read_lines(obj_reader *reader, mplan_error *err)
{
    mplan_status status = MPLAN_OK;
    const char *word;
    size_t length;
    for (int64_t i = 0; !status && mplan_scan_skip_space(&reader->scan); i++) {
        if (*reader->scan.at != '#') {
            mplan_scan_word(&reader->scan, &word, &length);
            status = read_line(reader, word, length, err);
        }
        if (!status)
            next_line(&reader->scan);
        if (!status && i % 65536 == 0)
            status = mplan_scan_heed(&reader->scan, reader->collection.context, err);
    }
    int64_t n_vertices = mplan_collected_nodes(&reader->collection);
    if (!status && reader->most_vertex > n_vertices) {
        reader->scan.line = reader->most_line;
        status = mplan_scan_fail(&reader->scan, err, MPLAN_ERR_MESH,
                                 "vertex %lld of a face does not exist; there are %lld",
                                 (long long)reader->most_vertex, (long long)n_vertices);
    }
    return status;
}

/* Groups and objects become groups of cells; a face may be in several. */
static mplan_status read_obj(const mplan_input *input, const mplan_read_options *options,
                             const mplan_context *context, mplan_mesh *mesh, mplan_error *err)
{
    obj_reader reader = {.corners = MPLAN_VECTOR_INIT(sizeof(int32_t)), .object = {"", 0}};
    (void)options;
    mplan_collection_begin(&reader.collection, input->path, context);
    mplan_scan_begin(&reader.scan, input);
    mplan_status status = read_lines(&reader, err);
    if (!status && reader.n_lines > 0)
        mplan_warn(context, "%s: %lld lines and points are skipped", input->path,
                   (long long)reader.n_lines);
    if (!status && reader.n_names > 0)
        mplan_warn(context,
                   "%s: a line may name at most %d groups; the others are skipped: %lld names",
                   input->path, MOST_NAMES, (long long)reader.n_names);
    if (!status)
        status = mplan_collection_to_mesh(&reader.collection, mesh, err);
    mplan_collection_free(&reader.collection);
    free(reader.corners.data);
    return status;
}

/* Every line in sight begins with a word of the format, and one of them is a vertex. */
static mplan_recognised recognise_obj(const uint8_t *data, size_t size)
{
    mplan_input input = {"", data, size < LOOK_BYTES ? size : LOOK_BYTES, NULL};
    mplan_scanner scan;
    const char *word;
    size_t length;
    mplan_recognised found = MPLAN_RECOGNISED_NO;
    mplan_scan_begin(&scan, &input);
    while (mplan_scan_skip_space(&scan)) {
        if (*scan.at != '#') {
            mplan_scan_word(&scan, &word, &length);
            obj_line kind = kind_of(word, length);
            double x;
            if (kind == OBJ_UNKNOWN && scan.at < scan.end) /* not cut where our sight ends */
                return MPLAN_RECOGNISED_NO;
            if (kind == OBJ_VERTEX && !mplan_scan_line_ends(&scan) &&
                mplan_scan_f64(&scan, "", &x, NULL) == MPLAN_OK)
                return MPLAN_RECOGNISED_YES;
            found = MPLAN_RECOGNISED_BY_NAME;
        }
        next_line(&scan);
    }
    return found;
}

const mplan_file_format mplan_format_obj = {
    .name = "obj",
    .description = "Wavefront OBJ surface; groups and objects become groups",
    .extensions = ".obj",
    .recognise = recognise_obj,
    .read = read_obj,
};
