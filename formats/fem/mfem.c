/* SPDX-License-Identifier: Apache-2.0 */
/* mfem.c - meshes of MFEM (.mesh), version 1.x
 *
 * After MFEM's documentation, "Mesh formats". Sections begin with a word and go on with numbers; # begins a comment.
 * Attributes of elements and of boundary elements are groups. Of curved meshes, whose nodes are a function of a continuous
 * space, the corners are kept: their values come first. */
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "formats/collection.h"
#include "formats/not_finite.h"
#include "formats/scan.h"

/* A file that is read. */
typedef struct mfem_reader {
    mplan_scanner scan;
    mplan_collection collection;
    int64_t dimension;            /* of the cells */
    int64_t n_vertices;           /* -1: not known yet */
    int64_t most_node, most_line; /* the largest vertex that an element has, and where */
} mfem_reader;

/* Takes the next word where it is this one; else the scanner stays where it is. */
static bool takes_word(mplan_scanner *scan, const char *word)
{
    mplan_scanner ahead = *scan;
    const char *found;
    size_t length;
    if (!mplan_scan_skip_comments(&ahead) || !mplan_scan_word(&ahead, &found, &length) ||
        length != strlen(word) || memcmp(found, word, length) != 0)
        return false;
    *scan = ahead;
    return true;
}

/* Comments (#) may be between any two numbers. */
static mplan_status take_whole(mfem_reader *reader, const char *what, int64_t *value, mplan_error *err)
{
    mplan_scan_skip_comments(&reader->scan);
    return mplan_scan_i64(&reader->scan, what, value, err);
}

/* How many rows a section has, of so many numbers at least. */
static mplan_status take_count(mfem_reader *reader, const char *what, int64_t numbers, int64_t *n,
                               mplan_error *err)
{
    mplan_status status = take_whole(reader, what, n, err);
    if (!status &&
        (*n < 0 || *n >= INT32_MAX || *n > (reader->scan.end - reader->scan.at) / (2 * numbers) + 1))
        status = mplan_scan_fail(&reader->scan, err, MPLAN_ERR_CORRUPT,
                                 "%s is %lld, more than the file can hold", what, (long long)*n);
    return status;
}

/* A vertex of an element; the largest is compared with their number at the end.
 * *node: from 0, as the file counts. */
static mplan_status take_vertex(mfem_reader *reader, int64_t *node, mplan_error *err)
{
    mplan_status status = take_whole(reader, "a vertex of an element", node, err);
    if (!status && (*node < 0 || *node >= INT32_MAX - 1))
        status = mplan_scan_fail(&reader->scan, err, MPLAN_ERR_MESH,
                                 "a vertex of an element is %lld", (long long)*node);
    if (!status && *node > reader->most_node) {
        reader->most_node = *node;
        reader->most_line = reader->scan.line;
    }
    return status;
}

/* An attribute, a type and vertices each.
 * Also of the section boundary: the collection tells them from cells by their dimension. The attribute is the number
 * of a group, 0: none. */
static mplan_status read_elements(mfem_reader *reader, mplan_error *err)
{
    static const mplan_cell_type types[] = {MPLAN_CELL_POINT,  MPLAN_CELL_LINE2,   MPLAN_CELL_TRI3,
                                            MPLAN_CELL_QUAD4,  MPLAN_CELL_TET4,    MPLAN_CELL_HEX8,
                                            MPLAN_CELL_PRISM6, MPLAN_CELL_PYRAMID5};
    int64_t n = 0;
    mplan_status status = take_count(reader, "the number of elements", 3, &n, err);
    for (int64_t e = 0; e < n && !status; e++) {
        int64_t attribute = 0, type = 0, node = 0;
        status = take_whole(reader, "an attribute", &attribute, err);
        if (!status)
            status = take_whole(reader, "the type of an element", &type, err);
        if (!status && (type < 0 || type > 7))
            status = mplan_scan_fail(&reader->scan, err, MPLAN_ERR_UNSUPPORTED,
                                     "the element type %lld is not known", (long long)type);
        if (status)
            return status;
        if (type == 0) { /* boundaries of meshes of lines */
            status = take_vertex(reader, &node, err);
            if (!status && attribute != 0)
                status = mplan_collect_point(&reader->collection, node, attribute, "", 0, err);
            continue;
        }
        int32_t *nodes = mplan_collect_cell(&reader->collection, types[type], err);
        if (!nodes)
            return MPLAN_ERR_MEMORY;
        for (int32_t k = 0; k < mplan_cell_type_nodes(types[type]) && !status; k++) {
            status = take_vertex(reader, &node, err);
            nodes[k] = (int32_t)node;
        }
        if (!status && attribute != 0)
            status = mplan_collect_member(&reader->collection, mplan_cell_type_dimension(types[type]),
                                          attribute, "", 0, err);
        if (!status && e % 65536 == 0)
            status = mplan_scan_heed(&reader->scan, reader->collection.context, err);
    }
    return status;
}

/* Finite, since it would decide orders later. */
static mplan_status take_coordinate(mfem_reader *reader, double *value, mplan_error *err)
{
    mplan_scan_skip_comments(&reader->scan);
    mplan_status status = mplan_scan_f64(&reader->scan, "a coordinate", value, err);
    if (!status && !(*value - *value == 0)) /* also false for NaN */
        status = mplan_scan_fail(&reader->scan, err, MPLAN_ERR_MESH,
                                 "a coordinate is not finite (%s)", mplan_not_finite(*value));
    return status;
}

/* Their number, and unless nodes follow their dimension and coordinates.
 * Where nodes follow, only n_vertices is set; else the collection also has the coordinates. */
static mplan_status read_vertices(mfem_reader *reader, mplan_error *err)
{
    int64_t n = 0, dimension = 0;
    mplan_status status = take_count(reader, "the number of vertices", 1, &n, err);
    reader->n_vertices = n;
    mplan_scanner ahead = reader->scan;
    if (status || (mplan_scan_skip_comments(&ahead) && (*ahead.at == 'n' || *ahead.at == 'm')))
        return status;
    status = take_whole(reader, "the dimension of vertices", &dimension, err);
    if (!status && (dimension < 1 || dimension > 3))
        status = mplan_scan_fail(&reader->scan, err, MPLAN_ERR_CORRUPT,
                                 "the dimension of vertices is %lld", (long long)dimension);
    for (int64_t i = 0; i < n && !status; i++) {
        double xyz[3] = {0, 0, 0};
        for (int64_t d = 0; d < dimension && !status; d++)
            status = take_coordinate(reader, &xyz[d], err);
        if (!status)
            status = mplan_collect_node(&reader->collection, xyz, err);
    }
    return status;
}

/* The value behind a word such as VDim: */
static mplan_status take_property(mfem_reader *reader, const char *word, int64_t *value,
                                  mplan_error *err)
{
    if (!takes_word(&reader->scan, word))
        return mplan_scan_fail(&reader->scan, err, MPLAN_ERR_CORRUPT, "expected '%s'", word);
    return take_whole(reader, word, value, err);
}

/* A finite element space and the values of a function; those of the vertices come first, either all x, all y, ... (Ordering 0)
 * or vertex by vertex.
 * Vertices are counted before, without coordinates. Of spaces of higher order the values behind those of the vertices
 * are not used. */
static mplan_status read_nodes(mfem_reader *reader, mplan_error *err)
{
    const char *word;
    size_t length;
    int64_t dimension = 0, ordering = 0, n = 0;
    if (!takes_word(&reader->scan, "FiniteElementSpace") ||
        !takes_word(&reader->scan, "FiniteElementCollection:") ||
        !mplan_scan_word(&reader->scan, &word, &length))
        return mplan_scan_fail(&reader->scan, err, MPLAN_ERR_CORRUPT,
                               "expected a finite element space");
    if (!(length > 3 && (memcmp(word, "H1_", 3) == 0 || memcmp(word, "H1@", 3) == 0)) &&
        !(length == 6 && memcmp(word, "Linear", 6) == 0) &&
        !(length == 9 && memcmp(word, "Quadratic", 9) == 0) &&
        !(length == 5 && memcmp(word, "Cubic", 5) == 0))
        return mplan_scan_fail(&reader->scan, err, MPLAN_ERR_UNSUPPORTED,
                               "nodes in a space that is not continuous ('%.*s') are not supported",
                               length < 40 ? (int)length : 40, word);
    mplan_status status = take_property(reader, "VDim:", &dimension, err);
    if (!status)
        status = take_property(reader, "Ordering:", &ordering, err);
    if (!status && (dimension < 1 || dimension > 3 || ordering < 0 || ordering > 1))
        status = mplan_scan_fail(&reader->scan, err, MPLAN_ERR_CORRUPT,
                                 "VDim is %lld and Ordering %lld", (long long)dimension,
                                 (long long)ordering);
    mplan_vector values = MPLAN_VECTOR_INIT(sizeof(double));
    while (!status && mplan_scan_skip_comments(&reader->scan) && *reader->scan.at != 'm') {
        double value = 0;
        status = take_coordinate(reader, &value, err);
        if (!status)
            status = mplan_vector_push(&values, &value, err);
    }
    n = status ? 0 : values.count / dimension;
    if (!status && n < reader->n_vertices)
        status = mplan_scan_fail(&reader->scan, err, MPLAN_ERR_CORRUPT,
                                 "there are values for %lld of %lld vertices", (long long)n,
                                 (long long)reader->n_vertices);
    for (int64_t i = 0; i < reader->n_vertices && !status; i++) {
        double xyz[3] = {0, 0, 0};
        for (int64_t d = 0; d < dimension; d++)
            xyz[d] = ((const double *)values.data)[ordering ? i * dimension + d : d * n + i];
        status = mplan_collect_node(&reader->collection, xyz, err);
    }
    free(values.data);
    return status;
}

/* A section that is not read goes up to the next line that begins with a letter.
 * Rows of numbers do not begin with a letter, names of sections do. */
static void skip_section(mplan_scanner *scan)
{
    while (mplan_scan_next_line(scan)) {
        if (!mplan_scan_skip_comments(scan) || (*scan->at >= 'a' && *scan->at <= 'z') ||
            (*scan->at >= 'A' && *scan->at <= 'Z'))
            return;
    }
}

/* One section, whose name comes next; *end at `mfem_mesh_end`. Sections that are not known are skipped. */
static mplan_status read_section(mfem_reader *reader, bool *end, mplan_error *err)
{
    if (takes_word(&reader->scan, "dimension"))
        return take_whole(reader, "the dimension", &reader->dimension, err);
    if (takes_word(&reader->scan, "elements") || takes_word(&reader->scan, "boundary"))
        return read_elements(reader, err);
    if (takes_word(&reader->scan, "vertices")) {
        if (reader->n_vertices >= 0)
            return mplan_scan_fail(&reader->scan, err, MPLAN_ERR_CORRUPT,
                                   "a second section vertices");
        return read_vertices(reader, err);
    }
    if (takes_word(&reader->scan, "nodes")) {
        if (reader->n_vertices < 0 || reader->collection.xyz.count > 0)
            return mplan_scan_fail(&reader->scan, err, MPLAN_ERR_CORRUPT,
                                   "nodes must follow vertices without coordinates");
        return read_nodes(reader, err);
    }
    *end = takes_word(&reader->scan, "mfem_mesh_end");
    if (!*end)
        skip_section(&reader->scan);
    return MPLAN_OK;
}

/* All sections. Elements may come before vertices, so their largest node is compared with the number of nodes at the end. */
static mplan_status read_all(mfem_reader *reader, mplan_error *err)
{
    bool end = false;
    mplan_status status = MPLAN_OK;
    if (!takes_word(&reader->scan, "MFEM") || !takes_word(&reader->scan, "mesh"))
        return mplan_scan_fail(&reader->scan, err, MPLAN_ERR_UNSUPPORTED,
                               "only conforming meshes ('MFEM mesh v1.x') are supported");
    mplan_scan_next_line(&reader->scan);
    while (!status && !end && mplan_scan_skip_comments(&reader->scan))
        status = read_section(reader, &end, err);
    const int64_t n = mplan_collected_nodes(&reader->collection);
    if (!status && reader->most_node >= n) {
        reader->scan.line = reader->most_line ? reader->most_line : reader->scan.line;
        status = mplan_scan_fail(&reader->scan, err, MPLAN_ERR_MESH,
                                 "vertex %lld is not in [0, %lld)", (long long)reader->most_node,
                                 (long long)n);
    }
    return status;
}

/* n_vertices is -1 until its section was read: elements come before it, and most_node keeps the
 * largest vertex that they name until it can be compared. */
static mplan_status read_mfem(const mplan_input *input, const mplan_read_options *options,
                              const mplan_context *context, mplan_mesh *mesh, mplan_error *err)
{
    mfem_reader reader = {.n_vertices = -1, .most_node = -1};
    (void)options;
    mplan_scan_begin(&reader.scan, input);
    mplan_collection_begin(&reader.collection, input->path, context);
    mplan_status status = read_all(&reader, err);
    if (!status)
        status = mplan_collection_to_mesh(&reader.collection, mesh, err);
    mplan_collection_free(&reader.collection);
    return status;
}

/* "MFEM mesh", "MFEM NC mesh", "MFEM NURBS mesh", "MFEM INLINE mesh" */
static mplan_recognised recognise_mfem(const uint8_t *data, size_t size)
{
    mplan_input input = {"", data, size < 256 ? size : 256, NULL};
    mplan_scanner scan;
    mplan_scan_begin(&scan, &input);
    return takes_word(&scan, "MFEM") && (takes_word(&scan, "mesh") || takes_word(&scan, "NC") ||
                                         takes_word(&scan, "NURBS") || takes_word(&scan, "INLINE"))
               ? MPLAN_RECOGNISED_YES
               : MPLAN_RECOGNISED_NO;
}

const mplan_file_format mplan_format_mfem = {
    .name = "mfem",
    .description = "MFEM meshes version 1.x, of curved ones the corners",
    .extensions = ".mesh",
    .recognise = recognise_mfem,
    .read = read_mfem,
};
