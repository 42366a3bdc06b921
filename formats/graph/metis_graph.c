/* SPDX-License-Identifier: Apache-2.0 */
/* metis_graph.c - graphs (.graph) as METIS and Chaco have them, and METIS's meshes (.mesh)
 *
 * After METIS's manual (version 5.1), 4.1 "Graph File" and 4.2 "Mesh File". Lines that begin with % are comments.
 * A graph: "n m [fmt [ncon]]", then a line a node: its size and ncon weights where fmt says so, then
 * neighbours from 1, each with a weight where fmt says so; an empty line is a node
 * without neighbours. A mesh: "n [ncon]", then a line an element: ncon weights, then nodes from 1. What kind
 * of cells they are is not said, so that they stay a table: cells_nodes. */
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "formats/graph/element_graph.h"
#include "formats/graph/metis_write.h"
#include "mesh/mesh.h"

enum {
    HEADER = 4,
    SURELY = 4,
    /* nodes of a graph whose numbers do not add up by chance */ MOST_WEIGHTS = 1 << 20,
    MOST = INT32_MAX - 1
};

/* To the next line that is not a comment; false at the end of the file. */
static bool skip_comments(mplan_scanner *scan)
{
    while (scan->at < scan->end && *scan->at == '%')
        mplan_scan_next_line(scan);
    return scan->at < scan->end;
}

/* The header's numbers, at least 0 each; *n of them. */
static mplan_status read_header(mplan_scanner *scan, const char *what, int64_t number[HEADER],
                                int *n, mplan_error *err)
{
    while (skip_comments(scan) && mplan_scan_line_ends(scan) && mplan_scan_next_line(scan)) {
    }
    for (*n = 0; *n < HEADER && (*n == 0 || !mplan_scan_line_ends(scan)); (*n)++) {
        mplan_status status = mplan_scan_i64(scan, what, &number[*n], err);
        if (status)
            return status;
        if (number[*n] < 0)
            return mplan_scan_fail(scan, err, MPLAN_ERR_CORRUPT, "expected %s, found %lld", what,
                                   (long long)number[*n]);
    }
    if (!mplan_scan_line_ends(scan))
        return mplan_scan_fail(scan, err, MPLAN_ERR_CORRUPT, "the header has more than %d numbers",
                               HEADER);
    return MPLAN_OK;
}

/* Appends n numbers of this line to the vector of int64_t. */
static mplan_status take_weights(mplan_scanner *scan, int64_t n, mplan_vector *to, mplan_error *err)
{
    int64_t weight;
    mplan_status status = MPLAN_OK;
    for (int64_t i = 0; i < n && !status; i++) {
        if (mplan_scan_line_ends(scan))
            return mplan_scan_fail(scan, err, MPLAN_ERR_CORRUPT,
                                   "the line ends before its last weight");
        status = mplan_scan_i64(scan, "a weight", &weight, err);
        if (!status)
            status = mplan_vector_push(to, &weight, err);
    }
    return status;
}

/* The array of a vector, which is empty then; NULL for none. */
static int64_t *taken(mplan_vector *of)
{
    int64_t *array = of->data;
    *of = (mplan_vector)MPLAN_VECTOR_INIT(sizeof(int64_t));
    return array;
}

/* Nothing but blanks and comments may follow. */
static mplan_status expect_end(mplan_scanner *scan, const char *rows, int64_t n, mplan_error *err)
{
    while (mplan_scan_next_line(scan) && skip_comments(scan))
        if (!mplan_scan_line_ends(scan))
            return mplan_scan_fail(scan, err, MPLAN_ERR_CORRUPT,
                                   "the file continues after the %lld %s of its header",
                                   (long long)n, rows);
    return MPLAN_OK;
}

/* --- graphs ------------------------------------------------------------------ */

/* The header of a METIS graph. */
typedef struct metis_shape {
    int64_t n_nodes, n_edges;
    int64_t node_weights; /* of a line */
    bool sizes, edge_weights;
} metis_shape;

/* The weights of a file. */
typedef struct metis_weights {
    mplan_vector weights, sizes, edge; /* int64_t; edge: the one that was read last */
} metis_weights;

/* "n m [fmt [ncon]]": the digits of fmt say which weights there are. */
static mplan_status read_shape(mplan_scanner *scan, metis_shape *shape, mplan_error *err)
{
    int64_t number[HEADER] = {0, 0, 0, 1};
    int n;
    mplan_status status = read_header(scan, "a number of the header", number, &n, err);
    if (status)
        return status;
    if (n < 2)
        return mplan_scan_fail(scan, err, MPLAN_ERR_CORRUPT, "the header has no number of edges");
    if (number[2] > 111 || number[2] % 10 > 1 || number[2] / 10 % 10 > 1)
        return mplan_scan_fail(scan, err, MPLAN_ERR_CORRUPT,
                               "the third number of the header is %lld, but must be three "
                               "digits, each 0 or 1",
                               (long long)number[2]);
    if (number[3] > MOST_WEIGHTS)
        return mplan_scan_fail(scan, err, MPLAN_ERR_CORRUPT, "%lld weights per node are too many",
                               (long long)number[3]);
    int64_t left = scan->end - scan->at;
    /* a line's end a node but the last, two digits and two separators an edge */
    if (number[0] > left + 1 || number[1] > left / 4 + 1)
        return mplan_scan_fail(scan, err, MPLAN_ERR_CORRUPT,
                               "%lld nodes and %lld edges are more than the file can hold",
                               (long long)number[0], (long long)number[1]);
    shape->n_nodes = number[0];
    shape->n_edges = number[1];
    shape->sizes = number[2] / 100;
    shape->node_weights = number[2] / 10 % 10 ? number[3] : 0;
    shape->edge_weights = number[2] % 10;
    return MPLAN_OK;
}

/* A line of neighbours from 1, with weights between them where the header says
 * so. */
static mplan_status read_row(mplan_scanner *scan, const metis_shape *shape,
                             mplan_element_graph *graph, metis_weights *weights, mplan_error *err)
{
    mplan_element_graph_begin_row(graph);
    mplan_status status = take_weights(scan, shape->sizes, &weights->sizes, err);
    if (!status)
        status = take_weights(scan, shape->node_weights, &weights->weights, err);
    while (!status && !mplan_scan_line_ends(scan)) {
        int64_t neighbour;
        status = mplan_scan_i64(scan, "a neighbour", &neighbour, err);
        if (!status)
            status = mplan_element_graph_add(graph, neighbour, err);
        weights->edge.count = 0;
        if (!status && shape->edge_weights)
            status = take_weights(scan, 1, &weights->edge, err);
        if (!status && shape->edge_weights)
            mplan_element_graph_weigh(graph, *(const int64_t *)weights->edge.data);
    }
    return status ? status : mplan_element_graph_end_row(graph, err);
}

/* Lines that begin with % are comments, empty ones vertices without neighbours. */
static mplan_status read_graph(const mplan_input *input, const mplan_read_options *options,
                               const mplan_context *context, mplan_mesh *mesh, mplan_error *err)
{
    mplan_scanner scan;
    metis_shape shape = {0};
    mplan_element_graph graph = {0};
    metis_weights weights = {
        {.size = sizeof(int64_t)}, {.size = sizeof(int64_t)}, {.size = sizeof(int64_t)}};
    (void)options;
    mplan_scan_begin(&scan, input);
    mplan_status status = read_shape(&scan, &shape, err);
    if (!status)
        status = mplan_element_graph_begin(&graph, &scan, 1, shape.n_nodes, shape.n_edges, err);
    if (!status && shape.edge_weights)
        status = mplan_element_graph_weighted(&graph, err);
    for (int64_t row = 0; row < shape.n_nodes && !status; row++) {
        bool there = mplan_scan_next_line(&scan) && skip_comments(&scan);
        /* a last node without neighbours is an empty line, of which nothing is there */
        if (!there && (row + 1 < shape.n_nodes || scan.end[-1] != '\n'))
            status = mplan_scan_fail(&scan, err, MPLAN_ERR_CORRUPT,
                                     "the file ends after %lld of %lld nodes", (long long)row,
                                     (long long)shape.n_nodes);
        if (!status)
            status = read_row(&scan, &shape, &graph, &weights, err);
        if (!status && row % 65536 == 0)
            status = mplan_scan_heed(&scan, context, err);
    }
    if (!status)
        status = expect_end(&scan, "nodes", shape.n_nodes, err);
    if (!status)
        status = mplan_element_graph_take(&graph, mesh, err);
    if (!status) {
        mplan_mesh_take_weights(mesh, mplan_mesh_find_set(mesh, "nodes"), (int32_t)shape.node_weights,
                                taken(&weights.weights), taken(&weights.sizes));
        mplan_element_graph_warn(&graph, context);
    }
    mplan_element_graph_free(&graph);
    free(weights.weights.data);
    free(weights.sizes.data);
    free(weights.edge.data);
    return status;
}

/* --- meshes ------------------------------------------------------------------ */

/* Elements of a METIS mesh: nodes of element e begin at offsets[e]. */
typedef struct metis_elements {
    mplan_vector nodes;   /* int32_t */
    mplan_vector weights; /* int64_t */
    int64_t *offsets;
    int64_t n, n_nodes; /* elements; nodes: the largest number */
    int64_t arity;      /* 0 once two elements differ */
} metis_elements;

/* A line of nodes from 1. */
static mplan_status read_element(mplan_scanner *scan, int64_t weights, metis_elements *elements,
                                 mplan_error *err)
{
    mplan_status status = take_weights(scan, weights, &elements->weights, err);
    while (!status && !mplan_scan_line_ends(scan)) {
        int64_t node;
        status = mplan_scan_i64(scan, "a node of an element", &node, err);
        if (!status && (node < 1 || node > MOST))
            status = mplan_scan_fail(scan, err, MPLAN_ERR_MESH,
                                     "%lld is not a node; nodes are numbered from 1",
                                     (long long)node);
        if (status)
            return status;
        int32_t id = (int32_t)(node - 1);
        elements->n_nodes = elements->n_nodes > node ? elements->n_nodes : node;
        status = mplan_vector_push(&elements->nodes, &id, err);
    }
    return status;
}

/* offsets: one entry per element; arity is set as long as all have equally many
 * nodes. */
static mplan_status read_elements(mplan_scanner *scan, int64_t weights, metis_elements *elements,
                                  const mplan_context *context, mplan_error *err)
{
    mplan_status status = MPLAN_OK;
    for (int64_t e = 0; e < elements->n && !status; e++) {
        if (!mplan_scan_next_line(scan) || !skip_comments(scan))
            return mplan_scan_fail(scan, err, MPLAN_ERR_CORRUPT,
                                   "the file ends after %lld of %lld elements", (long long)e,
                                   (long long)elements->n);
        elements->offsets[e] = elements->nodes.count;
        status = read_element(scan, weights, elements, err);
        int64_t n = elements->nodes.count - elements->offsets[e];
        if (!status && n == 0)
            status = mplan_scan_fail(scan, err, MPLAN_ERR_MESH, "element %lld has no nodes",
                                     (long long)e + 1);
        elements->arity = e == 0 || n == elements->arity ? n : 0;
        if (!status && e % 65536 == 0)
            status = mplan_scan_heed(scan, context, err);
    }
    elements->offsets[elements->n] = elements->nodes.count;
    return status;
}

/* The number of nodes is only known from the largest: by_largest guards memory. */
static mplan_status take_elements(metis_elements *elements, mplan_mesh *mesh, mplan_error *err)
{
    int32_t cells, nodes;
    mplan_status status = mplan_mesh_add_set(mesh, "cells", elements->n, &cells, err);
    if (!status)
        status = mplan_mesh_add_set(mesh, "nodes", elements->n_nodes, &nodes, err);
    if (status)
        return status;
    mesh->sets[nodes].by_largest = true;
    if (elements->arity) {
        free(elements->offsets);
        elements->offsets = NULL;
    }
    int32_t *values = mplan_realloc(elements->nodes.data, elements->nodes.count, sizeof *values,
                                    NULL);
    if (!values) /* it was to become smaller */
        values = elements->nodes.data;
    int64_t *offsets = elements->offsets;
    elements->nodes.data = NULL;
    elements->offsets = NULL;
    return mplan_mesh_take_map(mesh, "cells_nodes", cells, nodes, (int32_t)elements->arity, offsets,
                               values, NULL, err);
}

/* The number of elements is bounded by the bytes of the file, two for each at
 * least. */
static mplan_status read_mesh(const mplan_input *input, const mplan_read_options *options,
                              const mplan_context *context, mplan_mesh *mesh, mplan_error *err)
{
    mplan_scanner scan;
    int64_t number[HEADER] = {0, 0, 0, 0};
    int n;
    metis_elements elements = {.nodes = MPLAN_VECTOR_INIT(sizeof(int32_t)),
                               .weights = MPLAN_VECTOR_INIT(sizeof(int64_t))};
    (void)options;
    mplan_scan_begin(&scan, input);
    mplan_status status = read_header(&scan, "a number of the header", number, &n, err);
    int64_t most = (scan.end - scan.at) / 2; /* a line's end and a digit an element */
    if (!status && (n > 2 || number[1] > MOST_WEIGHTS))
        status = mplan_scan_fail(&scan, err, MPLAN_ERR_CORRUPT,
                                 "the header must be the number of elements and of their weights");
    if (!status && number[0] == 0)
        status = mplan_scan_fail(&scan, err, MPLAN_ERR_MESH, "the file has no elements");
    if (!status && (number[0] > most || number[0] > MOST))
        status = mplan_scan_fail(&scan, err, MPLAN_ERR_CORRUPT,
                                 "%lld elements are more than the file can hold",
                                 (long long)number[0]);
    if (!status) {
        elements.n = number[0];
        elements.offsets = mplan_alloc(elements.n + 1, sizeof *elements.offsets, err);
        status = elements.offsets ? MPLAN_OK : MPLAN_ERR_MEMORY;
    }
    if (!status)
        status = read_elements(&scan, number[1], &elements, context, err);
    if (!status)
        status = expect_end(&scan, "elements", elements.n, err);
    if (!status)
        status = take_elements(&elements, mesh, err);
    if (!status)
        mplan_mesh_take_weights(mesh, mplan_mesh_find_set(mesh, "cells"), (int32_t)number[1],
                                taken(&elements.weights), NULL);
    free(elements.nodes.data);
    free(elements.weights.data);
    free(elements.offsets);
    return status;
}

/* --- the formats --------------------------------------------------------------- */

/* What follows a header: lines that are not comments, those of them with numbers, and numbers. */
typedef struct metis_count {
    int64_t lines, rows, numbers;
    bool from_one, numbered; /* all numbers are 1 or more; rows begin with 1, 2, 3, ... */
} metis_count;

/* False where there is anything but whole numbers. */
static bool count_row(mplan_scanner *scan, metis_count *count)
{
    int64_t before = count->numbers;
    count->lines++;
    while (!mplan_scan_line_ends(scan)) {
        int64_t value;
        if (mplan_scan_i64(scan, "a number", &value, NULL) != MPLAN_OK)
            return false;
        if (count->numbers++ == before)
            count->numbered = count->numbered && value == count->rows + 1;
        count->from_one = count->from_one && value >= 1;
    }
    count->rows += count->numbers > before;
    return true;
}

/* Whether about so many lines follow, comments fewer than an eighth of them: numbers are only read where so. */
static bool about_lines(const mplan_scanner *scan, int64_t due)
{
    int64_t lines = 0;
    for (const char *at = scan->at;
         at < scan->end && (at = memchr(at, '\n', (size_t)(scan->end - at))); at++)
        lines++;
    return lines <= due + due / 8 + SURELY;
}

/* Lines behind the last row may only be empty. Stops at more rows than `most`. */
static bool count_rows(mplan_scanner *scan, int64_t most, metis_count *count)
{
    if (!about_lines(scan, most))
        return false;
    *count = (metis_count){.from_one = true, .numbered = true};
    while (mplan_scan_next_line(scan) && skip_comments(scan))
        if (!count_row(scan, count) || count->rows > most)
            return false;
    return true;
}

/* A header whose numbers count what follows. A graph has as many lines as it has nodes, and two entries an edge. */
static mplan_recognised graph_adds_up(mplan_scanner *scan)
{
    metis_shape shape = {0};
    metis_count count;
    if (read_shape(scan, &shape, NULL) != MPLAN_OK || shape.n_edges < 1 ||
        !count_rows(scan, shape.n_nodes, &count))
        return MPLAN_RECOGNISED_BY_NAME;
    int64_t entries = shape.n_edges * 2 * (1 + shape.edge_weights) +
                      shape.n_nodes * shape.node_weights;
    if (count.lines + 1 < shape.n_nodes || count.numbers != entries)
        return MPLAN_RECOGNISED_BY_NAME;
    return shape.n_nodes >= SURELY ? MPLAN_RECOGNISED_YES : MPLAN_RECOGNISED_MAYBE;
}

/* A mesh has as many lines as elements, of nodes from 1; numbers that count its rows it has not. */
static mplan_recognised mesh_adds_up(mplan_scanner *scan)
{
    int64_t number[HEADER];
    int n;
    metis_count count;
    if (read_header(scan, "a number", number, &n, NULL) != MPLAN_OK || n != 1 ||
        !count_rows(scan, number[0], &count))
        return MPLAN_RECOGNISED_BY_NAME;
    return count.rows == number[0] && number[0] > 1 && count.from_one && !count.numbered
               ? MPLAN_RECOGNISED_MAYBE
               : MPLAN_RECOGNISED_BY_NAME;
}

/* The first line that is not a comment holds numbers: so do tables. */
static mplan_recognised recognise_metis(const uint8_t *data, size_t size,
                                        mplan_recognised (*adds_up)(mplan_scanner *scan))
{
    mplan_input input = {"", data, size, NULL};
    mplan_scanner scan;
    mplan_scan_begin(&scan, &input);
    while (skip_comments(&scan) && mplan_scan_line_ends(&scan) && mplan_scan_next_line(&scan)) {
    }
    bool number = scan.at < scan.end && *scan.at >= '0' && *scan.at <= '9';
    return number ? adds_up(&scan) : MPLAN_RECOGNISED_NO;
}

static mplan_recognised recognise_graph(const uint8_t *data, size_t size)
{
    return recognise_metis(data, size, graph_adds_up);
}

static mplan_recognised recognise_mesh(const uint8_t *data, size_t size)
{
    return recognise_metis(data, size, mesh_adds_up);
}

const mplan_file_format mplan_format_metis_graph = {
    .name = "metis-graph",
    .description = "METIS (and Chaco) graph: nodes, edges and edges_nodes",
    .extensions = ".graph",
    .weights = true,
    .recognise = recognise_graph,
    .read = read_graph,
    .write = mplan_metis_write_graph,
};

const mplan_file_format mplan_format_metis_mesh = {
    .name = "metis-mesh",
    .description = "METIS mesh: cells without types, and cells_nodes",
    .extensions = ".mesh",
    .recognise = recognise_mesh,
    .read = read_mesh,
    .write = mplan_metis_write_mesh,
};
