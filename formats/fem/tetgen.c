/* SPDX-License-Identifier: Apache-2.0 */
/* tetgen.c - meshes of TetGen and Triangle: .node and .ele, with .face or .edge where they are there
 *
 * After H. Si, TetGen's user manual, and J. R. Shewchuk, Triangle, "Input files". A file is a row of counts and a row for
 * each member, that begins with its number; the first number is 0 or 1. # begins a comment. Regions of
 * elements and markers other than 0 are groups. Any of the files may be named, the others are found beside it. */
#include "formats/fem/tetgen.h"

#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "formats/collection.h"
#include "formats/not_finite.h"
#include "formats/scan.h"
#include "formats/sibling.h"

/* A mesh that is read. */
typedef struct tetgen_reader {
    mplan_collection collection;
    const mplan_context *context;
    mplan_scanner scan; /* of the file that is read */
    int64_t dimension, base, n_nodes;
    int64_t corners; /* of a cell: 3 or 4 */
} tetgen_reader;

/* To the next row; false at the end of the file. */
static bool next_row(mplan_scanner *scan)
{
    while (mplan_scan_skip_space(scan) && *scan->at == '#')
        mplan_scan_next_line(scan);
    return scan->at < scan->end;
}

/* Whether the row goes on. */
static bool has_more(mplan_scanner *scan)
{
    return !mplan_scan_line_ends(scan) && *scan->at != '#';
}

/* In the line at hand: a line that ends too soon is an error there. */
static mplan_status take_whole(mplan_scanner *scan, const char *what, int64_t *value, mplan_error *err)
{
    if (!has_more(scan))
        return mplan_scan_fail(scan, err, MPLAN_ERR_CORRUPT, "expected %s, found the end of the %s",
                               what, scan->at == scan->end ? "file" : "line");
    return mplan_scan_i64(scan, what, value, err);
}

/* A finite number that is on the same line. */
static mplan_status take_real(mplan_scanner *scan, double *value, mplan_error *err)
{
    if (!has_more(scan))
        return mplan_scan_fail(scan, err, MPLAN_ERR_CORRUPT,
                               "expected a coordinate, found the end of the line");
    mplan_status status = mplan_scan_f64(scan, "a coordinate", value, err);
    if (!status && !(*value - *value == 0)) /* also false for NaN */
        status = mplan_scan_fail(scan, err, MPLAN_ERR_MESH, "a coordinate is not finite (%s)",
                                 mplan_not_finite(*value));
    return status;
}

/* The counts of the first row, `least` of them; the first is that of rows, which take 2 bytes a number.
 * count: entries that the row lacks stay as they are. numbers: least of a row, for the bound. */
static mplan_status take_counts(mplan_scanner *scan, int32_t least, int64_t numbers,
                                int64_t count[4], mplan_error *err)
{
    mplan_status status = MPLAN_OK;
    next_row(scan);
    for (int32_t k = 0; k < 4 && !status && (k < least || has_more(scan)); k++) {
        status = take_whole(scan, "a count", &count[k], err);
        if (!status && (count[k] < 0 || count[k] >= INT32_MAX))
            status = mplan_scan_fail(scan, err, MPLAN_ERR_CORRUPT, "a count is %lld",
                                     (long long)count[k]);
    }
    if (!status && count[0] > (scan->end - scan->at) / (2 * numbers) + 1)
        status = mplan_scan_fail(scan, err, MPLAN_ERR_CORRUPT,
                                 "%lld rows are more than the file can hold", (long long)count[0]);
    mplan_scan_next_line(scan);
    return status;
}

/* The number that begins row i.
 * It must be i + base: rows are in the order of their numbers. */
static mplan_status take_index(tetgen_reader *reader, int64_t i, mplan_error *err)
{
    int64_t index = 0;
    mplan_scanner *scan = &reader->scan;
    next_row(scan);
    mplan_status status = take_whole(scan, "the number of a row", &index, err);
    if (!status && i % 65536 == 0)
        status = mplan_scan_heed(scan, reader->context, err);
    if (!status && index != i + reader->base)
        status = mplan_scan_fail(scan, err, MPLAN_ERR_CORRUPT, "expected row %lld, found %lld",
                                 (long long)(i + reader->base), (long long)index);
    return status;
}

/* A node of the file's numbers, from base on, as one from 0. */
static mplan_status take_node(tetgen_reader *reader, int32_t *node, mplan_error *err)
{
    int64_t number = 0;
    mplan_status status = take_whole(&reader->scan, "a node", &number, err);
    if (!status && (number < reader->base || number >= reader->n_nodes + reader->base))
        status = mplan_scan_fail(&reader->scan, err, MPLAN_ERR_MESH,
                                 "node %lld is not in [%lld, %lld]", (long long)number,
                                 (long long)reader->base,
                                 (long long)(reader->n_nodes + reader->base - 1));
    *node = (int32_t)(number - reader->base);
    return status;
}

/* A region or marker, which may be written as a real.
 * Not a whole number, 0 or beyond 1e15: no group. */
static mplan_status take_group(tetgen_reader *reader, int32_t dimension, mplan_error *err)
{
    double number = 0;
    mplan_status status = mplan_scan_f64(&reader->scan, "a marker", &number, err);
    if (status || number == 0 || !(number > -1e15 && number < 1e15) ||
        number != (double)(int64_t)number)
        return status;
    return mplan_collect_member(&reader->collection, dimension, (int64_t)number, "", 0, err);
}

/* --- files ------------------------------------------------------------------------------- */

/* The first number of the file is that of the first node, 0 or 1. */
static void find_base(tetgen_reader *reader)
{
    mplan_scanner ahead = reader->scan;
    int64_t first = 1;
    next_row(&ahead);
    reader->base = mplan_parse_i64(ahead.at, ahead.end, &first) && first == 0 ? 0 : 1;
}

/* Head: nodes, dimension, attributes, markers. Then a line per node, whose attributes are skipped and whose marker is a group. */
static mplan_status read_nodes(tetgen_reader *reader, mplan_error *err)
{
    int64_t count[4] = {0, 0, 0, 0};
    mplan_status status = take_counts(&reader->scan, 2, 3, count, err);
    if (!status && count[1] != 2 && count[1] != 3)
        status = mplan_scan_fail(&reader->scan, err, MPLAN_ERR_CORRUPT,
                                 "nodes must have 2 or 3 coordinates, not %lld", (long long)count[1]);
    reader->dimension = count[1];
    reader->n_nodes = count[0];
    find_base(reader);
    for (int64_t i = 0; i < count[0] && !status; i++) {
        double xyz[3] = {0, 0, 0}, unused;
        status = take_index(reader, i, err);
        for (int64_t d = 0; d < reader->dimension && !status; d++)
            status = take_real(&reader->scan, &xyz[d], err);
        if (!status)
            status = mplan_collect_node(&reader->collection, xyz, err);
        for (int64_t k = 0; k < count[2] && !status && has_more(&reader->scan); k++)
            status = mplan_scan_f64(&reader->scan, "an attribute", &unused, err);
        if (!status && count[3] > 0 && has_more(&reader->scan))
            status = take_group(reader, 0, err);
        mplan_scan_next_line(&reader->scan);
    }
    return status;
}

/* Where Gmsh's nodes on edges are among those of a cell of second order, by where they lie.
 * order[corners + e]: place in the file's row of the node on edge e; corners keep their places. xyz: 3 a node.
 * False: two edges have the same nearest node. */
static bool find_middles(const double *xyz, const int32_t *nodes, mplan_cell_type type,
                         int32_t order[10])
{
    static const int8_t edges[2][6][2] = {{{0, 1}, {1, 2}, {2, 0}, {0, 0}, {0, 0}, {0, 0}},
                                          {{0, 1}, {1, 2}, {2, 0}, {3, 0}, {2, 3}, {1, 3}}};
    const int32_t corners = mplan_cell_type_corners(type), n = mplan_cell_type_nodes(type);
    for (int32_t e = 0; e < n - corners; e++) {
        const int8_t *edge = edges[type == MPLAN_CELL_TET10][e];
        int32_t nearest = -1;
        double least = 0;
        for (int32_t k = corners; k < n; k++) {
            double sum = 0;
            for (int32_t d = 0; d < 3; d++) {
                double off = xyz[3 * (int64_t)nodes[k] + d] - (xyz[3 * (int64_t)nodes[edge[0]] + d] +
                                                               xyz[3 * (int64_t)nodes[edge[1]] + d]) /
                                                                  2;
                sum += off * off;
            }
            if (nearest < 0 || sum < least) {
                nearest = k;
                least = sum;
            }
        }
        for (int32_t k = 0; k < e; k++)
            if (order[corners + k] == nearest)
                return false;
        order[corners + e] = nearest;
    }
    return true;
}

/* Nodes of cells, in Gmsh's order; the first cell of second order tells the order of all.
 * count: cells, nodes of each, attributes. The collection gets nodes from 0. */
static mplan_status read_cells(tetgen_reader *reader, mplan_cell_type type, const int64_t count[4],
                               mplan_error *err)
{
    int32_t order[10] = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9}, theirs[10] = {0};
    const int32_t n = (int32_t)count[1], dimension = mplan_cell_type_dimension(type);
    mplan_status status = mplan_collect_room(&reader->collection, type, count[0], err);
    for (int64_t c = 0; c < count[0] && !status; c++) {
        status = take_index(reader, c, err);
        for (int32_t k = 0; k < n && !status; k++)
            status = take_node(reader, &theirs[k], err);
        if (!status && c == 0 && n > reader->corners &&
            !find_middles(reader->collection.xyz.data, theirs, type, order))
            status = mplan_scan_fail(&reader->scan, err, MPLAN_ERR_UNSUPPORTED,
                                     "nodes of second order are not in the middles of edges");
        int32_t *nodes = status ? NULL : mplan_collect_cell(&reader->collection, type, err);
        if (!nodes)
            return status ? status : MPLAN_ERR_MEMORY;
        for (int32_t k = 0; k < n; k++)
            nodes[k] = theirs[order[k]];
        if (count[2] > 0 && has_more(&reader->scan))
            status = take_group(reader, dimension, err);
        mplan_scan_next_line(&reader->scan);
    }
    return status;
}

/* Head: elements and nodes per element, which say what cells they are. */
static mplan_status read_elements(tetgen_reader *reader, mplan_error *err)
{
    int64_t count[4] = {0, 0, 0, 0};
    mplan_status status = take_counts(&reader->scan, 2, 4, count, err);
    if (status)
        return status;
    const mplan_cell_type type = count[1] == 3    ? MPLAN_CELL_TRI3
                                 : count[1] == 6  ? MPLAN_CELL_TRI6
                                 : count[1] == 4  ? MPLAN_CELL_TET4
                                 : count[1] == 10 ? MPLAN_CELL_TET10
                                                  : MPLAN_CELL_POINT;
    if (type == MPLAN_CELL_POINT)
        return mplan_scan_fail(&reader->scan, err, MPLAN_ERR_CORRUPT,
                               "elements have %lld nodes, not 3, 4, 6 or 10", (long long)count[1]);
    reader->corners = mplan_cell_type_corners(type);
    return read_cells(reader, type, count, err);
}

/* The marker behind the nodes of a face: the first number, or the fourth behind three nodes of second order. */
static mplan_status take_marker(tetgen_reader *reader, int64_t *marker, mplan_error *err)
{
    double value[6] = {0, 0, 0, 0, 0, 0};
    int32_t n = 0;
    mplan_status status = MPLAN_OK;
    for (; n < 6 && !status && has_more(&reader->scan); n++)
        status = mplan_scan_f64(&reader->scan, "a marker", &value[n], err);
    const double found = value[n >= 4 ? 3 : 0];
    *marker = found > -1e15 && found < 1e15 ? (int64_t)found : 0;
    return status;
}

/* Faces or edges with a marker; only those of the dimension below the cells are read.
 * corners: 3 of faces, 2 of edges. reader->corners is known from the elements, which are read before. */
static mplan_status read_facets(tetgen_reader *reader, int32_t corners, mplan_error *err)
{
    int64_t count[4] = {0, 0, 0, 0};
    if (!reader->scan.begin || corners != reader->corners - 1)
        return MPLAN_OK;
    mplan_status status = take_counts(&reader->scan, 2, 3, count, err);
    for (int64_t f = 0; f < count[0] && !status && count[1] > 0; f++) {
        int32_t nodes[3] = {0, 0, 0};
        int64_t marker = 0;
        status = take_index(reader, f, err);
        for (int32_t k = 0; k < corners && !status; k++)
            status = take_node(reader, &nodes[k], err);
        if (!status)
            status = take_marker(reader, &marker, err);
        mplan_scan_next_line(&reader->scan);
        if (status || marker == 0)
            continue;
        int32_t *to = mplan_collect_cell(&reader->collection,
                                         corners == 3 ? MPLAN_CELL_TRI3 : MPLAN_CELL_LINE2, err);
        if (!to)
            return MPLAN_ERR_MEMORY;
        memcpy(to, nodes, (size_t)corners * sizeof *to);
        status = mplan_collect_member(&reader->collection, corners - 1, marker, "", 0, err);
    }
    return status;
}

/* Nodes first, for the others name them by number; parts without data are files that do not
 * exist. Facets of .face have three nodes, those of .edge two. */
mplan_status mplan_tetgen_read(const mplan_input parts[MPLAN_TETGEN_PARTS],
                               const mplan_context *context, mplan_mesh *mesh, mplan_error *err)
{
    tetgen_reader reader = {.context = context};
    mplan_status status = MPLAN_OK;
    mplan_collection_begin(&reader.collection, parts[MPLAN_TETGEN_ELE].path, context);
    for (int32_t p = 0; p < MPLAN_TETGEN_PARTS && !status; p++) {
        memset(&reader.scan, 0, sizeof reader.scan);
        if (parts[p].data)
            mplan_scan_begin(&reader.scan, &parts[p]);
        status = p == MPLAN_TETGEN_NODE  ? read_nodes(&reader, err)
                 : p == MPLAN_TETGEN_ELE ? read_elements(&reader, err)
                                         : read_facets(&reader, p == MPLAN_TETGEN_FACE ? 3 : 2, err);
    }
    if (!status)
        status = mplan_collection_to_mesh(&reader.collection, mesh, err);
    mplan_collection_free(&reader.collection);
    return status;
}

/* --- the format -------------------------------------------------------------------------- */

static const char *const endings[MPLAN_TETGEN_PARTS] = {".node", ".ele", ".face", ".edge"};

/* The file that is named and those beside it: .node and .ele must be there, .face and .edge may. */
static mplan_status read_tetgen(const mplan_input *input, const mplan_read_options *options,
                                const mplan_context *context, mplan_mesh *mesh, mplan_error *err)
{
    mplan_input_file opened[MPLAN_TETGEN_PARTS];
    mplan_input parts[MPLAN_TETGEN_PARTS] = {{NULL, NULL, 0, NULL}};
    bool found[MPLAN_TETGEN_PARTS] = {false, false, false, false};
    const size_t stem = mplan_sibling_stem(input->path, 1);
    mplan_status status = MPLAN_OK;
    (void)options;
    for (int32_t p = 0; p < MPLAN_TETGEN_PARTS && !status; p++) {
        if (stem && strncmp(input->path + stem, endings[p], strlen(endings[p])) == 0) {
            parts[p] = *input;
            continue;
        }
        status = mplan_sibling_open(input, stem, endings[p], &opened[p], &found[p], context, err);
        if (found[p])
            parts[p] = opened[p].input;
        else if (!status && p <= MPLAN_TETGEN_ELE)
            status = mplan_fail(err, MPLAN_ERR_NO_INPUT,
                                "%s: the file of the same name with the ending %s is missing",
                                input->path, endings[p]);
    }
    if (!status)
        status = mplan_tetgen_read(parts, context, mesh, err);
    for (int32_t p = 0; p < MPLAN_TETGEN_PARTS; p++)
        if (found[p])
            mplan_sibling_close(&opened[p]);
    return status;
}

/* A row of two to four whole numbers: only the ending tells. */
static mplan_recognised recognise_tetgen(const uint8_t *data, size_t size)
{
    mplan_input input = {"", data, size < 4096 ? size : 4096, NULL};
    mplan_scanner scan;
    int64_t value;
    int32_t n = 0;
    mplan_scan_begin(&scan, &input);
    if (!next_row(&scan))
        return MPLAN_RECOGNISED_NO;
    for (; has_more(&scan) && n < 5; n++)
        if (mplan_scan_i64(&scan, "", &value, NULL) || value < 0)
            return MPLAN_RECOGNISED_NO;
    return n >= 2 && n <= 4 ? MPLAN_RECOGNISED_BY_NAME : MPLAN_RECOGNISED_NO;
}

const mplan_file_format mplan_format_tetgen = {
    .name = "tetgen",
    .description = "TetGen and Triangle: .ele and .node, with .face or .edge",
    .extensions = ".ele .node .face .edge",
    .recognise = recognise_tetgen,
    .read = read_tetgen,
};
