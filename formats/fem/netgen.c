/* SPDX-License-Identifier: Apache-2.0 */
/* netgen.c - meshes of Netgen and NGSolve (.vol)
 *
 * After libsrc/meshing/meshclass.cpp of Netgen, Mesh::Save. Words begin sections, # begins a comment; behind endmesh the
 * geometry follows, which is not read. Names come behind what they name, by number: materials of cells, bcnames of facets,
 * cd2names and cd3names of what is smaller. Members of a number without a name are a group of that number; edges and points
 * are groups only where they have a name. Netgen turns volumes the other way round than others do. */
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "formats/collection.h"
#include "formats/not_finite.h"
#include "formats/scan.h"

/* A number of cells of one dimension, or of points, and the name that goes with it. */
typedef struct netgen_name {
    int64_t number;
    const char *name; /* in the file */
    size_t length;
} netgen_name;

/* Member `member` of its dimension has a number. */
typedef struct netgen_member {
    int64_t member, number;
} netgen_member;

/* A file that is read. */
typedef struct netgen_reader {
    mplan_scanner scan;
    mplan_collection collection;
    int64_t dimension;
    bool two_lines;               /* edges take two */
    mplan_vector members[4];      /* netgen_member, by dimension; of points in [0] */
    mplan_vector names[4];        /* netgen_name, by codimension */
    int64_t most_node, most_line; /* the largest node that an element has, and where */
} netgen_reader;

/* order: Gmsh's node k is Netgen's order[k] - 'A'. */
typedef struct netgen_type {
    int32_t dimension, nodes; /* nodes that the file has for one */
    mplan_cell_type type;
    const char *order;
} netgen_type;

static const netgen_type types[] = {
    {2, 3, MPLAN_CELL_TRI3, "ABC"},
    {2, 4, MPLAN_CELL_QUAD4, "ABCD"},
    {2, 6, MPLAN_CELL_TRI6, "ABCFDE"},
    {2, 8, MPLAN_CELL_QUAD8, "ABCDEHFG"},
    {3, 4, MPLAN_CELL_TET4, "ACBD"},
    {3, 5, MPLAN_CELL_PYRAMID5, "ADCBE"},
    {3, 6, MPLAN_CELL_PRISM6, "ACBDFE"},
    {3, 8, MPLAN_CELL_HEX8, "ADCBEHGF"},
    {3, 10, MPLAN_CELL_TET10, "ACBDFHEGIJ"},
    {3, 12, MPLAN_CELL_PRISM6, "ACBDFE"}, /* without middles upwards: the corners */
    {3, 13, MPLAN_CELL_PYRAMID13, "ADCBEHFJGMILK"},
    {3, 15, MPLAN_CELL_PRISM15, "ACBDFEHGJILKNMO"},
    {3, 20, MPLAN_CELL_HEX20, "ADCBEHGFKIQJTLSROMNP"},
};

/* NULL: elements of that many nodes are not known. */
static const netgen_type *find_type(int64_t dimension, int64_t nodes)
{
    for (size_t t = 0; t < sizeof types / sizeof *types; t++)
        if (types[t].dimension == dimension && types[t].nodes == nodes)
            return &types[t];
    return NULL;
}

/* Comments (#) may be between any two numbers. */
static mplan_status take_whole(netgen_reader *reader, const char *what, int64_t *value,
                               mplan_error *err)
{
    mplan_scan_skip_comments(&reader->scan);
    return mplan_scan_i64(&reader->scan, what, value, err);
}

/* How many rows a section has; each takes four bytes at least. */
static mplan_status take_count(netgen_reader *reader, const char *what, int64_t *n, mplan_error *err)
{
    mplan_status status = take_whole(reader, what, n, err);
    if (!status &&
        (*n < 0 || *n >= INT32_MAX - 1 || *n > (reader->scan.end - reader->scan.at) / 4 + 1))
        status = mplan_scan_fail(&reader->scan, err, MPLAN_ERR_CORRUPT,
                                 "%s is %lld, more than the file can hold", what, (long long)*n);
    return status;
}

/* --- elements ------------------------------------------------------------------------------ */

/* The how-manieth number of the row is the group's: the last cell of the dimension is a member. */
static mplan_status note_member(netgen_reader *reader, int32_t dimension, int64_t member,
                                int64_t number, mplan_error *err)
{
    const netgen_member added = {member, number};
    return number > 0 ? mplan_vector_push(&reader->members[dimension], &added, err) : MPLAN_OK;
}

/* A node from 1.
 * *node: from 0. Points may follow the elements, so only the largest is kept for the comparison at the end. */
static mplan_status take_node(netgen_reader *reader, int32_t *node, mplan_error *err)
{
    int64_t number = 0;
    mplan_status status = take_whole(reader, "a node of an element", &number, err);
    if (!status && (number < 1 || number >= INT32_MAX))
        status = mplan_scan_fail(&reader->scan, err, MPLAN_ERR_MESH, "a node of an element is %lld",
                                 (long long)number);
    if (!status && number > reader->most_node) {
        reader->most_node = number;
        reader->most_line = reader->scan.line;
    }
    *node = status ? 0 : (int32_t)(number - 1);
    return status;
}

/* The nodes of an element of a type whose number of nodes has been read.
 * number: of the cell's group, 0: none. Nodes are from 0 and compared with the points when all are read. */
static mplan_status take_cell(netgen_reader *reader, int32_t dimension, int64_t n_nodes,
                              int64_t number, mplan_error *err)
{
    int32_t theirs[20];
    const netgen_type *of = find_type(dimension, n_nodes);
    mplan_status status = MPLAN_OK;
    if (!of)
        return mplan_scan_fail(&reader->scan, err, MPLAN_ERR_UNSUPPORTED,
                               "an element of %lld nodes is not known", (long long)n_nodes);
    for (int64_t k = 0; k < n_nodes && !status; k++)
        status = take_node(reader, &theirs[k], err);
    if (status)
        return status;
    int32_t *nodes = mplan_collect_cell(&reader->collection, of->type, err);
    if (!nodes)
        return MPLAN_ERR_MEMORY;
    for (int32_t k = 0; k < mplan_cell_type_nodes(of->type); k++)
        nodes[k] = theirs[of->order[k] - 'A'];
    return note_member(reader, dimension, reader->collection.type[dimension].count - 1, number, err);
}

/* surfnr bcnr domin domout n nodes, or of volumes: matnr n nodes; what follows on the line is of the geometry. */
static mplan_status take_element(netgen_reader *reader, int32_t dimension, mplan_error *err)
{
    int64_t row[5] = {0};
    const int32_t n = dimension == 3 ? 2 : 5;
    mplan_status status = MPLAN_OK;
    for (int32_t k = 0; k < n && !status; k++)
        status = take_whole(reader, "a number of an element", &row[k], err);
    return status ? status
                  : take_cell(reader, dimension, row[n - 1], row[dimension == 3 ? 0 : 1], err);
}

/* A number that follows on the line; 0 where it ends. */
static mplan_status take_rest(netgen_reader *reader, double *value, mplan_error *err)
{
    *value = 0;
    return mplan_scan_line_ends(&reader->scan)
               ? MPLAN_OK
               : mplan_scan_f64(&reader->scan, "a number of an edge", value, err);
}

/* si 0 p1 p2 six numbers, of which the last but two is that of the edge in space. In the newest form, without the first
 * two, the last of seven is its number from 0.
 * rest: what follows on the line, up to five numbers, 0 where it ends before. */
static mplan_status take_edge(netgen_reader *reader, bool newest, mplan_error *err)
{
    int64_t row[2] = {0};
    double rest[5] = {0};
    mplan_status status = MPLAN_OK;
    for (int32_t k = 0; k < 2 && !newest && !status; k++)
        status = take_whole(reader, "a number of an edge", &row[k], err);
    int32_t nodes[2] = {0}, *added = NULL;
    for (int32_t k = 0; k < 2 && !status; k++)
        status = take_node(reader, &nodes[k], err);
    for (int32_t k = 0; k < 5 && !status; k++)
        status = take_rest(reader, &rest[k], err);
    if (!status && !(added = mplan_collect_cell(&reader->collection, MPLAN_CELL_LINE2, err)))
        status = MPLAN_ERR_MEMORY;
    if (status)
        return status;
    memcpy(added, nodes, sizeof nodes);
    const double edge = newest ? rest[4] + 1 : rest[4];
    const int64_t in_space = edge >= 0 && edge < INT32_MAX ? (int64_t)edge : 0;
    return note_member(reader, 1, reader->collection.type[1].count - 1,
                       newest || reader->dimension == 3 ? in_space : row[0], err);
}

/* word: of the section.
 * Edges begin with e, volumes with v, surfaces with s; a 3 behind edgesegmentsgi is the newest form, see take_edge. */
static mplan_status read_elements(netgen_reader *reader, const char *word, size_t length,
                                  mplan_error *err)
{
    int64_t n = 0;
    mplan_status status = take_count(reader, "the number of elements", &n, err);
    for (int64_t e = 0; e < n && !status; e++) {
        status = word[0] == 'e' ? take_edge(reader, length == 15 && word[14] == '3', err)
                                : take_element(reader, word[0] == 'v' ? 3 : 2, err);
        mplan_scan_next_line(&reader->scan);
        if (!status && word[0] == 'e' && reader->two_lines && mplan_scan_skip_comments(&reader->scan))
            mplan_scan_next_line(&reader->scan);
        if (!status && e % 65536 == 0)
            status = mplan_scan_heed(&reader->scan, reader->collection.context, err);
    }
    return status;
}

/* --- nodes and names ------------------------------------------------------------------------- */

/* The section points: three finite coordinates each; there must be only one. */
static mplan_status read_points(netgen_reader *reader, mplan_error *err)
{
    int64_t n = 0;
    mplan_status status = take_count(reader, "the number of points", &n, err);
    if (!status && mplan_collected_nodes(&reader->collection) > 0)
        return mplan_scan_fail(&reader->scan, err, MPLAN_ERR_CORRUPT, "a second section points");
    for (int64_t i = 0; i < n && !status; i++) {
        double xyz[3] = {0, 0, 0};
        for (int32_t d = 0; d < 3 && !status; d++) {
            mplan_scan_skip_comments(&reader->scan);
            status = mplan_scan_f64(&reader->scan, "a coordinate", &xyz[d], err);
            if (!status && !(xyz[d] - xyz[d] == 0)) /* also false for NaN */
                status = mplan_scan_fail(&reader->scan, err, MPLAN_ERR_MESH,
                                         "a coordinate is not finite (%s)", mplan_not_finite(xyz[d]));
        }
        if (!status)
            status = mplan_collect_node(&reader->collection, xyz, err);
    }
    return status;
}

/* A point and its number each. */
static mplan_status read_point_elements(netgen_reader *reader, mplan_error *err)
{
    int64_t n = 0;
    mplan_status status = take_count(reader, "the number of points", &n, err);
    for (int64_t i = 0; i < n && !status; i++) {
        int64_t number = 0;
        int32_t node = 0;
        status = take_node(reader, &node, err);
        if (!status)
            status = take_whole(reader, "the number of a point", &number, err);
        if (!status)
            status = note_member(reader, 0, node, number, err);
    }
    return status;
}

/* A number and a name each, which may be missing and goes up to the end of the line.
 * codimension: of the cells that are named. Names are views into the file; their list is sorted later. */
static mplan_status read_names(netgen_reader *reader, int32_t codimension, mplan_error *err)
{
    int64_t n = 0;
    mplan_status status = take_whole(reader, "the number of names", &n, err);
    mplan_scan_next_line(&reader->scan);
    for (int64_t i = 0; i < n && !status && mplan_scan_skip_space(&reader->scan); i++) {
        netgen_name added = {0};
        status = mplan_scan_i64(&reader->scan, "the number of a name", &added.number, err);
        if (!status && !mplan_scan_line_ends(&reader->scan)) {
            const char *end = memchr(reader->scan.at, '\n',
                                     (size_t)(reader->scan.end - reader->scan.at));
            end = end ? end : reader->scan.end;
            while (end > reader->scan.at && (end[-1] == ' ' || end[-1] == '\r' || end[-1] == '\t'))
                end--;
            added.name = reader->scan.at;
            added.length = (size_t)(end - reader->scan.at);
            status = mplan_vector_push(&reader->names[codimension], &added, err);
        }
        mplan_scan_next_line(&reader->scan);
    }
    return status;
}

/* --- the file -------------------------------------------------------------------------------- */

/* word is `length` letters of the file, without a zero. */
static bool is_word(const char *word, size_t length, const char *expected)
{
    return length == strlen(expected) && memcmp(word, expected, length) == 0;
}

/* Likewise. */
static bool begins(const char *word, size_t length, const char *expected)
{
    return length >= strlen(expected) && memcmp(word, expected, strlen(expected)) == 0;
}

/* The section that the word names; others are skipped line by line. `surf1` says that segments have two lines. */
static mplan_status read_section(netgen_reader *reader, const char *word, size_t length,
                                 mplan_error *err)
{
    static const char *const names[] = {"materials", "bcnames", "cd2names", "cd3names"};
    if (is_word(word, length, "dimension")) {
        mplan_status status = take_whole(reader, "the dimension", &reader->dimension, err);
        return !status && (reader->dimension < 1 || reader->dimension > 3)
                   ? mplan_scan_fail(&reader->scan, err, MPLAN_ERR_CORRUPT, "the dimension is %lld",
                                     (long long)reader->dimension)
                   : status;
    }
    if (is_word(word, length, "volumeelements") || begins(word, length, "surfaceelements") ||
        begins(word, length, "edgesegments"))
        return read_elements(reader, word, length, err);
    if (is_word(word, length, "points"))
        return read_points(reader, err);
    if (is_word(word, length, "pointelements"))
        return read_point_elements(reader, err);
    for (int32_t c = 0; c < 4; c++)
        if (is_word(word, length, names[c]))
            return read_names(reader, c, err);
    reader->two_lines = reader->two_lines || is_word(word, length, "surf1");
    mplan_scan_next_line(&reader->scan); /* numbers of sections that are not read are not words */
    return MPLAN_OK;
}

/* By number, for bisection. */
static int compare_names(const void *left, const void *right)
{
    const netgen_name *a = left, *b = right;
    return (a->number > b->number) - (a->number < b->number);
}

/* Members of a dimension join the groups of their numbers, or of their names.
 * Where codimension is 2 or more, numbers without names make no groups. */
static mplan_status join_groups(netgen_reader *reader, int32_t dimension, mplan_error *err)
{
    const netgen_member *member = reader->members[dimension].data;
    const int32_t codimension = (int32_t)reader->dimension - dimension;
    mplan_status status = MPLAN_OK;
    if (codimension < 0)
        return MPLAN_OK;
    mplan_vector *names = &reader->names[codimension];
    if (names->count > 0)
        qsort(names->data, (size_t)names->count, sizeof(netgen_name), compare_names);
    for (int64_t i = 0; i < reader->members[dimension].count && !status; i++) {
        const netgen_name key = {.number = member[i].number};
        const netgen_name *name = names->count > 0 ? bsearch(&key, names->data, (size_t)names->count,
                                                             sizeof key, compare_names)
                                                   : NULL;
        if (dimension == 0 && member[i].member >= mplan_collected_nodes(&reader->collection))
            continue; /* refused below */
        if (!name && codimension >= 2)
            continue;
        const int64_t id = name ? 0 : member[i].number;
        const char *text = name ? name->name : "";
        const size_t length = name ? name->length : 0;
        status = dimension == 0 ? mplan_collect_point(&reader->collection, member[i].member, id,
                                                      text, length, err)
                                : mplan_collect_member_at(&reader->collection, dimension,
                                                          member[i].member, id, text, length, err);
    }
    return status;
}

/* All sections, in any order: nodes of elements are compared with the number of points at the end. */
static mplan_status read_all(netgen_reader *reader, mplan_error *err)
{
    const char *word;
    size_t length;
    bool end = false;
    mplan_status status = MPLAN_OK;
    if (!mplan_scan_skip_comments(&reader->scan) ||
        !mplan_scan_word(&reader->scan, &word, &length) || !is_word(word, length, "mesh3d"))
        return mplan_scan_fail(&reader->scan, err, MPLAN_ERR_CORRUPT, "expected 'mesh3d'");
    while (!status && !end && mplan_scan_skip_comments(&reader->scan) &&
           mplan_scan_word(&reader->scan, &word, &length)) {
        end = is_word(word, length, "endmesh");
        if (!end)
            status = read_section(reader, word, length, err);
    }
    for (int32_t d = 0; d < 4 && !status; d++)
        status = join_groups(reader, d, err);
    const int64_t n = mplan_collected_nodes(&reader->collection);
    if (!status && reader->most_node > n) {
        reader->scan.line = reader->most_line;
        status = mplan_scan_fail(&reader->scan, err, MPLAN_ERR_MESH, "node %lld is not in [1, %lld]",
                                 (long long)reader->most_node, (long long)n);
    }
    return status;
}

/* Names are views into the input. */
static mplan_status read_netgen(const mplan_input *input, const mplan_read_options *options,
                                const mplan_context *context, mplan_mesh *mesh, mplan_error *err)
{
    netgen_reader reader = {.dimension = 3};
    (void)options;
    for (int32_t d = 0; d < 4; d++) {
        reader.members[d].size = sizeof(netgen_member);
        reader.names[d].size = sizeof(netgen_name);
    }
    mplan_scan_begin(&reader.scan, input);
    mplan_collection_begin(&reader.collection, input->path, context);
    mplan_status status = read_all(&reader, err);
    if (!status)
        status = mplan_collection_to_mesh(&reader.collection, mesh, err);
    mplan_collection_free(&reader.collection);
    for (int32_t d = 0; d < 4; d++) {
        free(reader.members[d].data);
        free(reader.names[d].data);
    }
    return status;
}

/* "mesh3d", of planar meshes, too */
static mplan_recognised recognise_netgen(const uint8_t *data, size_t size)
{
    mplan_input input = {"", data, size < 4096 ? size : 4096, NULL};
    mplan_scanner scan;
    const char *word;
    size_t length;
    mplan_scan_begin(&scan, &input);
    return mplan_scan_skip_comments(&scan) && mplan_scan_word(&scan, &word, &length) &&
                   is_word(word, length, "mesh3d")
               ? MPLAN_RECOGNISED_YES
               : MPLAN_RECOGNISED_NO;
}

const mplan_file_format mplan_format_netgen = {
    .name = "netgen",
    .description = "Netgen and NGSolve (.vol), first and second order, with materials and names",
    .extensions = ".vol",
    .recognise = recognise_netgen,
    .read = read_netgen,
};
