/* SPDX-License-Identifier: Apache-2.0 */
/* ply.c - surfaces in PLY files: text, and binary of either byte order
 *
 * After G. Turk, The PLY Polygon File Format (1994). A header in lines names elements, how many there are, and their
 * properties, each a number or a list of numbers with its length before it, in the order in which
 * the rows have them. Of the element vertex x, y and z are read, of face the list vertex_indices (or vertex_index);
 * other properties and elements are skipped. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "formats/byte_order.h"
#include "formats/collection.h"
#include "formats/not_finite.h"
#include "formats/scan.h"
#include "mesh/mesh.h"

enum { MOST_ELEMENTS = 256, MOST_PROPERTIES = 4096, ROLE_NONE = -1, ROLE_FACE = 3, MOST_NAME = 40 };

/* A type of numbers by both of its names. */
typedef struct ply_type {
    const char *name, *other;
    int8_t bytes;
    bool real, sign;
} ply_type;

static const ply_type types[] = {
    {"char", "int8", 1, false, true},    {"uchar", "uint8", 1, false, false},
    {"short", "int16", 2, false, true},  {"ushort", "uint16", 2, false, false},
    {"int", "int32", 4, false, true},    {"uint", "uint32", 4, false, false},
    {"float", "float32", 4, true, true}, {"double", "float64", 8, true, true},
};

/* A number or list of each row of an element. */
typedef struct ply_property {
    int8_t type, length_type; /* length_type -1: a number, no list */
    int8_t role;              /* 0 to 2: x, y, z; ROLE_FACE */
} ply_property;

typedef enum ply_kind { PLY_OTHER, PLY_VERTEX, PLY_FACE, PLY_STRIPS } ply_kind;

/* An element of the header: count rows of n properties. */
typedef struct ply_element {
    ply_kind kind;
    int64_t count;
    int64_t first, n; /* of its properties */
    int64_t line;
    char name[MOST_NAME + 1];
} ply_element;

/* A PLY file that is read. */
typedef struct ply_reader {
    mplan_scanner scan;
    bool binary, swapped, in_body;
    mplan_vector elements, properties;
    int64_t n_vertices; /* -1: there is no element vertex */
    bool faces;
    mplan_collection collection;
} ply_reader;

/* "path:line: ", or in the body of binary files "path: byte N: ". */
#define fail_here(reader, ...)                                                                    \
    mplan_scan_fail_at(&(reader)->scan, (reader)->scan.at, (reader)->binary && (reader)->in_body, \
                       __VA_ARGS__)

/* --- the header ----------------------------------------------------------------------- */

/* A word of the header. */
typedef struct ply_word {
    char text[MOST_NAME + 1]; /* longer ones cut */
} ply_word;

/* The next word of the line, "" at its end. */
static ply_word take_word(mplan_scanner *scan)
{
    ply_word word = {""};
    const char *text;
    size_t length;
    if (mplan_scan_line_ends(scan) || !mplan_scan_word(scan, &text, &length))
        return word;
    if (length > MOST_NAME)
        length = MOST_NAME;
    for (size_t i = 0; i < length; i++)
        word.text[i] = text[i] < 0x20 || text[i] > 0x7e ? '?' : text[i];
    word.text[length] = '\0';
    return word;
}

/* Case counts, as in the format. */
static bool is(const ply_word *word, const char *text)
{
    return strcmp(word->text, text) == 0;
}

/* Text, or binary of either byte order; version 1.0. */
static mplan_status read_format(ply_reader *reader, mplan_error *err)
{
    ply_word word = take_word(&reader->scan);
    if (!is(&word, "ascii") && !is(&word, "binary_little_endian") && !is(&word, "binary_big_endian"))
        return fail_here(reader, err, MPLAN_ERR_CORRUPT, "'%s' is not a format of a PLY file",
                         word.text);
    reader->binary = !is(&word, "ascii");
    reader->swapped = is(&word, "binary_big_endian");
    ply_word version = take_word(&reader->scan);
    if (!is(&version, "1.0"))
        return fail_here(reader, err, MPLAN_ERR_UNSUPPORTED,
                         "version %s of PLY is not "
                         "supported; only 1.0 is",
                         version.text);
    return MPLAN_OK;
}

/* Name and count; rows are read in the order of the header. */
static mplan_status read_element(ply_reader *reader, mplan_error *err)
{
    ply_word name = take_word(&reader->scan);
    ply_element element = {.first = reader->properties.count, .line = reader->scan.line};
    if (reader->elements.count == MOST_ELEMENTS)
        return fail_here(reader, err, MPLAN_ERR_UNSUPPORTED, "more than %d elements", MOST_ELEMENTS);
    if (mplan_scan_line_ends(&reader->scan))
        return fail_here(reader, err, MPLAN_ERR_CORRUPT, "the element '%s' has no number", name.text);
    mplan_status status = mplan_scan_i64(&reader->scan, "the number of an element", &element.count,
                                         err);
    if (!status && element.count < 0)
        status = fail_here(reader, err, MPLAN_ERR_CORRUPT, "there are %lld elements '%s'",
                           (long long)element.count, name.text);
    if (!status && element.count >= INT32_MAX)
        status = fail_here(reader, err, MPLAN_ERR_UNSUPPORTED, "%lld elements '%s' exceed 32 bits",
                           (long long)element.count, name.text);
    element.kind = is(&name, "vertex")      ? PLY_VERTEX
                   : is(&name, "face")      ? PLY_FACE
                   : is(&name, "tristrips") ? PLY_STRIPS
                                            : PLY_OTHER;
    memcpy(element.name, name.text, sizeof element.name);
    const ply_element *there = reader->elements.data;
    for (int64_t i = 0; i < reader->elements.count && !status; i++)
        if (element.kind != PLY_OTHER && there[i].kind == element.kind)
            status = fail_here(reader, err, MPLAN_ERR_CORRUPT, "a second element '%s'", name.text);
    if (element.kind == PLY_VERTEX)
        reader->n_vertices = element.count;
    return status ? status : mplan_vector_push(&reader->elements, &element, err);
}

/* Both spellings of each type. */
static mplan_status take_type(ply_reader *reader, const ply_word *word, int8_t *type, mplan_error *err)
{
    for (size_t t = 0; t < sizeof types / sizeof *types; t++)
        if (is(word, types[t].name) || is(word, types[t].other)) {
            *type = (int8_t)t;
            return MPLAN_OK;
        }
    return fail_here(reader, err, MPLAN_ERR_CORRUPT, "'%s' is not a number type", word->text);
}

/* Which coordinate or list a property is; ROLE_NONE for others, which are
 * skipped. */
static int8_t role_of(const ply_element *element, const ply_property *property, const ply_word *name)
{
    bool list = property->length_type >= 0;
    if (element->kind == PLY_VERTEX && !list && name->text[0] >= 'x' && name->text[0] <= 'z' &&
        !name->text[1])
        return (int8_t)(name->text[0] - 'x');
    if (element->kind == PLY_FACE && list && !types[property->type].real &&
        (is(name, "vertex_indices") || is(name, "vertex_index")))
        return ROLE_FACE;
    return ROLE_NONE;
}

/* A number or a list, of the element before it. */
static mplan_status read_property(ply_reader *reader, mplan_error *err)
{
    ply_property property = {.length_type = -1};
    if (reader->elements.count == 0)
        return fail_here(reader, err, MPLAN_ERR_CORRUPT, "a property comes before the first element");
    if (reader->properties.count == MOST_PROPERTIES)
        return fail_here(reader, err, MPLAN_ERR_UNSUPPORTED, "more than %d properties",
                         MOST_PROPERTIES);
    ply_element *element = (ply_element *)reader->elements.data + reader->elements.count - 1;
    ply_word word = take_word(&reader->scan);
    mplan_status status = MPLAN_OK;
    if (is(&word, "list")) {
        word = take_word(&reader->scan);
        status = take_type(reader, &word, &property.length_type, err);
        if (!status && types[property.length_type].real)
            status = fail_here(reader, err, MPLAN_ERR_CORRUPT,
                               "the length of a list must be a "
                               "whole number, not %s",
                               word.text);
        word = take_word(&reader->scan);
    }
    if (!status)
        status = take_type(reader, &word, &property.type, err);
    if (status)
        return status;
    word = take_word(&reader->scan);
    property.role = role_of(element, &property, &word);
    const ply_property *there = reader->properties.data;
    for (int64_t i = element->first; i < reader->properties.count; i++)
        if (property.role != ROLE_NONE && there[i].role == property.role)
            return fail_here(reader, err, MPLAN_ERR_CORRUPT, "a second property '%s'", word.text);
    reader->faces = reader->faces || property.role == ROLE_FACE;
    element->n++;
    return mplan_vector_push(&reader->properties, &property, err);
}

/* *format, *end: whether those lines have been seen. */
static mplan_status read_header_line(ply_reader *reader, bool *format, bool *end, mplan_error *err)
{
    ply_word word = take_word(&reader->scan);
    if (is(&word, "end_header")) {
        *end = true;
        return *format
                   ? MPLAN_OK
                   : fail_here(reader, err, MPLAN_ERR_CORRUPT, "the header has no line 'format'");
    }
    if (is(&word, "comment") || is(&word, "obj_info") || !word.text[0])
        return MPLAN_OK;
    if (is(&word, "format")) {
        *format = true;
        return read_format(reader, err);
    }
    if (is(&word, "element"))
        return read_element(reader, err);
    if (is(&word, "property"))
        return read_property(reader, err);
    return fail_here(reader, err, MPLAN_ERR_CORRUPT, "'%s' is not a keyword of a PLY header",
                     word.text);
}

/* Vertices must have two of x, y and z (a missing one is 0), faces a list of vertices; strips
 * are refused where there are any. */
static mplan_status check_elements(const ply_reader *reader, mplan_error *err)
{
    const ply_element *element = reader->elements.data;
    const ply_property *properties = reader->properties.data;
    for (int64_t e = 0; e < reader->elements.count; e++) {
        mplan_scanner place = reader->scan;
        int32_t axes = 0;
        place.line = element[e].line;
        for (int64_t p = 0; p < element[e].n; p++)
            axes += properties[element[e].first + p].role >= 0 &&
                    properties[element[e].first + p].role < ROLE_FACE;
        if (element[e].kind == PLY_VERTEX && axes < 2)
            return mplan_scan_fail(&place, err, MPLAN_ERR_CORRUPT,
                                   "the element 'vertex' must have x and y");
        if (element[e].kind == PLY_STRIPS && element[e].count > 0)
            return mplan_scan_fail(&place, err, MPLAN_ERR_UNSUPPORTED,
                                   "strips of triangles are not supported");
    }
    if (reader->n_vertices < 0)
        return fail_here(reader, err, MPLAN_ERR_CORRUPT, "the header has no element 'vertex'");
    if (!reader->faces)
        return fail_here(reader, err, MPLAN_ERR_MESH,
                         "the header has no element 'face' with vertex_indices");
    return MPLAN_OK;
}

/* Up to the end of the line end_header: the body begins with the next byte, also where it is
 * binary. */
static mplan_status read_header(ply_reader *reader, mplan_error *err)
{
    bool format = false, end = false;
    mplan_status status = MPLAN_OK;
    while (!status && !end) {
        if (!mplan_scan_next_line(&reader->scan))
            return fail_here(reader, err, MPLAN_ERR_CORRUPT, "the file ends within its header");
        status = read_header_line(reader, &format, &end, err);
    }
    if (!status)
        status = check_elements(reader, err);
    mplan_scan_next_line(&reader->scan);
    reader->in_body = true;
    return status;
}

/* --- numbers ----------------------------------------------------------------------------- */

/* Whether so many bytes are left; `bytes` may be INT64_MAX, for a sum that does not fit. */
static mplan_status need(const ply_reader *reader, int64_t bytes, mplan_error *err)
{
    return bytes <= reader->scan.end - reader->scan.at ? MPLAN_OK
                                                       : fail_here(reader, err, MPLAN_ERR_CORRUPT,
                                                                   "the file ends before its last "
                                                                   "element");
}

/* The bits of the next number, which is there, in this machine's order. */
static uint64_t take_bits(ply_reader *reader, int32_t bytes)
{
    const char *at = reader->scan.at;
    reader->scan.at += bytes;
    return mplan_load_bits(at, bytes, reader->swapped);
}

/* A whole number of this type from its bits, with its sign; 4 bytes at most. */
static int64_t whole_of(const ply_type *type, uint64_t bits)
{
    if (!type->sign)
        return (int64_t)bits;
    return type->bytes == 1 ? (int8_t)bits : type->bytes == 2 ? (int16_t)bits : (int32_t)bits;
}

/* A number of this type from its bits. */
static double real_of(const ply_type *type, uint64_t bits)
{
    float half;
    double whole;
    uint32_t low = (uint32_t)bits;
    memcpy(&half, &low, sizeof half);
    memcpy(&whole, &bits, sizeof whole);
    return !type->real ? (double)whole_of(type, bits) : type->bytes == 4 ? (double)half : whole;
}

/* A list's length or entry. */
static mplan_status take_whole(ply_reader *reader, const ply_type *type, const char *what,
                               int64_t *value, mplan_error *err)
{
    if (!reader->binary)
        return mplan_scan_i64(&reader->scan, what, value, err);
    mplan_status status = need(reader, type->bytes, err);
    if (!status)
        *value = whole_of(type, take_bits(reader, type->bytes));
    return status;
}

/* A coordinate. Text may write any number for any type; in binary files the type decides. */
static mplan_status take_real(ply_reader *reader, const ply_type *type, double *value,
                              mplan_error *err)
{
    mplan_status status = MPLAN_OK;
    if (!reader->binary) {
        status = mplan_scan_f64(&reader->scan, "a number of an element", value, err);
    } else {
        status = need(reader, type->bytes, err);
        if (!status)
            *value = real_of(type, take_bits(reader, type->bytes));
    }
    return status;
}

/* n numbers of one type; n may be anything that a file says, so that bytes are compared before
 * they are multiplied. */
static mplan_status skip_numbers(ply_reader *reader, const ply_type *type, int64_t n, mplan_error *err)
{
    mplan_status status = MPLAN_OK;
    double unused;
    if (reader->binary) {
        status = n > (reader->scan.end - reader->scan.at) / type->bytes
                     ? need(reader, INT64_MAX, err)
                     : MPLAN_OK;
        if (!status)
            reader->scan.at += n * type->bytes;
        return status;
    }
    for (int64_t i = 0; i < n && !status; i++)
        status = mplan_scan_f64(&reader->scan, "a number of an element", &unused, err);
    return status;
}

/* --- rows ----------------------------------------------------------------------------------- */

/* n: corners, which must still be in the file, so that a length cannot ask for more memory than
 * the file justifies: each takes its bytes, or in text a digit and a blank. */
static mplan_status read_face(ply_reader *reader, const ply_type *type, int64_t n, mplan_error *err)
{
    if (n < 3 || n > INT32_MAX)
        return fail_here(reader, err, MPLAN_ERR_MESH, "a face cannot have %lld corners",
                         (long long)n);
    if (n > (reader->scan.end - reader->scan.at + 1) / (reader->binary ? type->bytes : 2))
        return fail_here(reader, err, MPLAN_ERR_CORRUPT,
                         "the file ends before the %lld corners of a face", (long long)n);
    int32_t *nodes = mplan_collect_face(&reader->collection, (int32_t)n, err);
    if (!nodes)
        return MPLAN_ERR_MEMORY;
    for (int64_t k = 0; k < n; k++) {
        int64_t node;
        mplan_status status = take_whole(reader, type, "a vertex of a face", &node, err);
        if (status)
            return status;
        if (node < 0 || node >= reader->n_vertices)
            return fail_here(reader, err, MPLAN_ERR_MESH, "vertex %lld of a face is not in [0, %lld)",
                             (long long)node, (long long)reader->n_vertices);
        nodes[k] = (int32_t)node;
    }
    return MPLAN_OK;
}

/* xyz: the vertex that is being read, which gets the coordinate; other rows leave it. */
static mplan_status read_property_of_row(ply_reader *reader, const ply_property *property,
                                         double xyz[3], mplan_error *err)
{
    const ply_type *type = &types[property->type];
    int64_t n;
    if (property->length_type < 0)
        return property->role == ROLE_NONE ? skip_numbers(reader, type, 1, err)
                                           : take_real(reader, type, &xyz[property->role], err);
    mplan_status status = take_whole(reader, &types[property->length_type], "the length of a list",
                                     &n, err);
    if (!status && n < 0)
        status = fail_here(reader, err, MPLAN_ERR_CORRUPT, "the length of a list is %lld",
                           (long long)n);
    if (status)
        return status;
    return property->role == ROLE_FACE ? read_face(reader, type, n, err)
                                       : skip_numbers(reader, type, n, err);
}

/* One vertex or face, or a row of something else. */
static mplan_status read_row(ply_reader *reader, const ply_element *element, mplan_error *err)
{
    const ply_property *property = (const ply_property *)reader->properties.data + element->first;
    double xyz[3] = {0, 0, 0};
    mplan_status status = MPLAN_OK;
    for (int64_t p = 0; p < element->n && !status; p++)
        status = read_property_of_row(reader, &property[p], xyz, err);
    if (status || element->kind != PLY_VERTEX)
        return status;
    for (int32_t d = 0; d < 3; d++)
        if (!(xyz[d] - xyz[d] == 0)) /* also false for NaN */
            return fail_here(reader, err, MPLAN_ERR_MESH,
                             "a coordinate of vertex %lld is not finite (%s)",
                             (long long)mplan_collected_nodes(&reader->collection),
                             mplan_not_finite(xyz[d]));
    return mplan_collect_node(&reader->collection, xyz, err);
}

/* Bytes that a row takes at least. */
static int64_t least_bytes(const ply_reader *reader, const ply_element *element)
{
    const ply_property *property = (const ply_property *)reader->properties.data + element->first;
    int64_t bytes = 0;
    for (int64_t p = 0; p < element->n; p++)
        bytes +=
            !reader->binary
                ? 2
                : types[property[p].length_type >= 0 ? property[p].length_type : property[p].type].bytes;
    return bytes;
}

/* Counts are compared with the least bytes of a row before memory is taken. In text the last row
 * may lack the blank behind it. An element without properties has rows of no bytes: nothing is
 * to be read, however many there are. */
static mplan_status read_rows(ply_reader *reader, const ply_element *element, mplan_error *err)
{
    int64_t bytes = least_bytes(reader, element), left = reader->scan.end - reader->scan.at;
    mplan_status status = MPLAN_OK;
    if (element->n == 0)
        return MPLAN_OK;
    if (element->count > left / bytes + !reader->binary)
        return fail_here(reader, err, MPLAN_ERR_CORRUPT,
                         "the file ends before the %lld elements '%s'", (long long)element->count,
                         element->name);
    if (element->kind == PLY_VERTEX &&
        !mplan_vector_reserve(&reader->collection.xyz, 3 * element->count, err))
        return MPLAN_ERR_MEMORY;
    if (element->kind == PLY_FACE &&
        element->count <= left / (3 + bytes)) /* if all are triangles; more come later */
        status = mplan_collect_room(&reader->collection, MPLAN_CELL_TRI3, element->count, err);
    for (int64_t i = 0; i < element->count && !status; i++) {
        status = read_row(reader, element, err);
        if (!status && i % 65536 == 0)
            status = mplan_scan_heed(&reader->scan, reader->collection.context, err);
    }
    if (!status && element->kind == PLY_OTHER && element->count > 0)
        mplan_warn(reader->collection.context, "%s: the element '%s' is skipped", reader->scan.path,
                   element->name);
    return status;
}

/* --- the format --------------------------------------------------------------------------------- */

/* Elements are read in the order of the header, each to its end. */
static mplan_status read_ply(const mplan_input *input, const mplan_read_options *options,
                             const mplan_context *context, mplan_mesh *mesh, mplan_error *err)
{
    ply_reader reader = {.n_vertices = -1,
                         .elements = MPLAN_VECTOR_INIT(sizeof(ply_element)),
                         .properties = MPLAN_VECTOR_INIT(sizeof(ply_property))};
    (void)options;
    mplan_collection_begin(&reader.collection, input->path, context);
    mplan_scan_begin(&reader.scan, input);
    mplan_status status = MPLAN_OK;
    ply_word magic = take_word(&reader.scan);
    if (!is(&magic, "ply"))
        status = fail_here(&reader, err, MPLAN_ERR_CORRUPT, "the file does not begin with 'ply'");
    if (!status)
        status = read_header(&reader, err);
    const ply_element *element = reader.elements.data;
    for (int64_t e = 0; e < reader.elements.count && !status; e++)
        status = read_rows(&reader, &element[e], err);
    if (!status)
        status = mplan_collection_to_mesh(&reader.collection, mesh, err);
    mplan_collection_free(&reader.collection);
    free(reader.elements.data);
    free(reader.properties.data);
    return status;
}

/* By its first line, which is the same for text and binary. */
static mplan_recognised recognise_ply(const uint8_t *data, size_t size)
{
    return size >= 4 && memcmp(data, "ply", 3) == 0 && (data[3] == '\n' || data[3] == '\r')
               ? MPLAN_RECOGNISED_YES
               : MPLAN_RECOGNISED_NO;
}

const mplan_file_format mplan_format_ply = {
    .name = "ply",
    .description = "PLY surface, text and binary",
    .extensions = ".ply",
    .recognise = recognise_ply,
    .read = read_ply,
};
