/* SPDX-License-Identifier: Apache-2.0 */
/* scotch_graph.c - SCOTCH's graphs (.grf), version 0
 *
 * After SCOTCH's user guide, "Graph format": the version; the numbers of vertices and of arcs (two an
 * edge); the number of the first vertex and three digits that say whether vertices have labels,
 * arcs weights, vertices weights. Then for each vertex its label, its weight, how many arcs it has and
 * for each its weight and the vertex at its end. Line ends do not matter. Vertices with labels
 * come in any order and arcs name labels; the order of the file is that of the nodes then. */
#include <stdlib.h>

#include "base/error.h"
#include "base/memory.h"
#include "formats/graph/element_graph.h"
#include "mesh/mesh.h"

/* A vertex by the label that arcs use for it. */
typedef struct scotch_label {
    int64_t label;
    int64_t node;
} scotch_label;

/* A SCOTCH graph that is read. */
typedef struct scotch_reader {
    mplan_scanner scan;
    const mplan_context *context;
    int64_t n_nodes, n_arcs, base;
    bool labelled, arc_weights, node_weights;
    scotch_label *labels;       /* ascending; NULL unless labelled */
    mplan_vector weights;       /* int64_t, of the vertices */
    int64_t weight, arc_weight; /* of the vertex and arc that were read last */
} scotch_reader;

/* Negative counts are an error. */
static mplan_status take_count(scotch_reader *reader, const char *what, int64_t *count,
                               mplan_error *err)
{
    mplan_status status = mplan_scan_i64(&reader->scan, what, count, err);
    if (!status && *count < 0)
        status = mplan_scan_fail(&reader->scan, err, MPLAN_ERR_CORRUPT, "expected %s, found %lld",
                                 what, (long long)*count);
    return status;
}

/* "version, n, arcs, base, flags": the digits of flags say which numbers each
 * line has. */
static mplan_status read_header(scotch_reader *reader, mplan_error *err)
{
    int64_t version = 0, flags = 0;
    mplan_status status = take_count(reader, "the version", &version, err);
    if (!status && version != 0)
        status = mplan_scan_fail(&reader->scan, err, MPLAN_ERR_UNSUPPORTED,
                                 "version %lld of SCOTCH graphs is not supported, only version "
                                 "0%s",
                                 (long long)version,
                                 version == 2 ? " (version 2 is a part of a distributed graph)" : "");
    if (!status)
        status = take_count(reader, "the number of vertices", &reader->n_nodes, err);
    if (!status)
        status = take_count(reader, "the number of arcs", &reader->n_arcs, err);
    int64_t left = reader->scan.end - reader->scan.at; /* a digit and what separates it */
    if (!status && (reader->n_nodes > left / 2 || reader->n_arcs > left / 2))
        status = mplan_scan_fail(&reader->scan, err, MPLAN_ERR_CORRUPT,
                                 "%lld vertices and %lld arcs are more than the file can hold",
                                 (long long)reader->n_nodes, (long long)reader->n_arcs);
    if (!status && reader->n_arcs % 2)
        status = mplan_scan_fail(&reader->scan, err, MPLAN_ERR_MESH,
                                 "the number of arcs must be even, not %lld: every edge has two",
                                 (long long)reader->n_arcs);
    if (!status)
        status = take_count(reader, "the number of the first vertex", &reader->base, err);
    if (!status)
        status = take_count(reader, "three digits that say what the file has", &flags, err);
    if (!status && (flags > 111 || flags % 10 > 1 || flags / 10 % 10 > 1))
        status = mplan_scan_fail(&reader->scan, err, MPLAN_ERR_CORRUPT,
                                 "the flags are %lld, but must be three digits, each 0 or 1",
                                 (long long)flags);
    if (!status && reader->base > INT32_MAX)
        status = mplan_scan_fail(&reader->scan, err, MPLAN_ERR_UNSUPPORTED,
                                 "vertices are numbered from %lld, which is beyond 2^31",
                                 (long long)reader->base);
    reader->labelled = flags / 100;
    reader->arc_weights = flags / 10 % 10;
    reader->node_weights = flags % 10;
    return status;
}

/* Label, weight and number of arcs of a vertex. */
static mplan_status begin_vertex(scotch_reader *reader, int64_t *label, int64_t *n_arcs,
                                 mplan_error *err)
{
    mplan_status status = MPLAN_OK;
    if (reader->labelled)
        status = mplan_scan_i64(&reader->scan, "the label of a vertex", label, err);
    if (!status && reader->node_weights)
        status = mplan_scan_i64(&reader->scan, "the weight of a vertex", &reader->weight, err);
    return status ? status : take_count(reader, "the number of a vertex's arcs", n_arcs, err);
}

/* Weights come before the ends. */
static mplan_status take_arc(scotch_reader *reader, int64_t *end, mplan_error *err)
{
    mplan_status status = MPLAN_OK;
    if (reader->arc_weights)
        status = mplan_scan_i64(&reader->scan, "the weight of an arc", &reader->arc_weight, err);
    return status ? status : mplan_scan_i64(&reader->scan, "the end of an arc", end, err);
}

/* --- labels ------------------------------------------------------------------- */

/* By label; no two are equal, which read_labels sees to. */
static int compare_labels(const void *left, const void *right)
{
    const scotch_label *a = left, *b = right;
    return (a->label > b->label) - (a->label < b->label);
}

/* Reads all of the file once for the labels; the scanner goes back to where it was. */
static mplan_status read_labels(scotch_reader *reader, mplan_error *err)
{
    mplan_scanner start = reader->scan;
    mplan_status status = MPLAN_OK;
    reader->labels = mplan_alloc(reader->n_nodes, sizeof *reader->labels, err);
    if (!reader->labels)
        return MPLAN_ERR_MEMORY;
    for (int64_t node = 0; node < reader->n_nodes && !status; node++) {
        int64_t n_arcs = 0, end;
        status = begin_vertex(reader, &reader->labels[node].label, &n_arcs, err);
        reader->labels[node].node = node;
        for (int64_t i = 0; i < n_arcs && !status; i++)
            status = take_arc(reader, &end, err);
    }
    if (status)
        return status;
    qsort(reader->labels, (size_t)reader->n_nodes, sizeof *reader->labels, compare_labels);
    for (int64_t i = 1; i < reader->n_nodes; i++)
        if (reader->labels[i].label == reader->labels[i - 1].label)
            return mplan_fail(err, MPLAN_ERR_MESH, "%s: two vertices have the label %lld",
                              start.path, (long long)reader->labels[i].label);
    reader->scan = start;
    return MPLAN_OK;
}

/* The number of the vertex of that label. */
static mplan_status find_label(const scotch_reader *reader, int64_t *end, mplan_error *err)
{
    int64_t low = 0, high = reader->n_nodes;
    while (low < high) {
        int64_t middle = low + (high - low) / 2;
        if (reader->labels[middle].label < *end)
            low = middle + 1;
        else
            high = middle;
    }
    if (low == reader->n_nodes || reader->labels[low].label != *end)
        return mplan_scan_fail(&reader->scan, err, MPLAN_ERR_MESH, "no vertex has the label %lld",
                               (long long)*end);
    *end = reader->labels[low].node + reader->base;
    return MPLAN_OK;
}

/* --- the file ------------------------------------------------------------------- */

/* Labels of vertices, where there are some, stand for their numbers. */
static mplan_status read_vertices(scotch_reader *reader, mplan_element_graph *graph, mplan_error *err)
{
    mplan_status status = MPLAN_OK;
    for (int64_t node = 0; node < reader->n_nodes && !status; node++) {
        int64_t label, n_arcs = 0, end;
        status = begin_vertex(reader, &label, &n_arcs, err);
        if (!status && reader->node_weights)
            status = mplan_vector_push(&reader->weights, &reader->weight, err);
        mplan_element_graph_begin_row(graph);
        for (int64_t i = 0; i < n_arcs && !status; i++) {
            status = take_arc(reader, &end, err);
            if (!status && reader->labelled)
                status = find_label(reader, &end, err);
            if (!status)
                status = mplan_element_graph_add(graph, end, err);
            if (!status && reader->arc_weights)
                mplan_element_graph_weigh(graph, reader->arc_weight);
        }
        if (!status)
            status = mplan_element_graph_end_row(graph, err);
        if (!status && node % 65536 == 0)
            status = mplan_scan_heed(&reader->scan, reader->context, err);
    }
    if (!status && mplan_scan_skip_space(&reader->scan))
        status = mplan_scan_fail(&reader->scan, err, MPLAN_ERR_CORRUPT,
                                 "the file continues after its %lld vertices",
                                 (long long)reader->n_nodes);
    return status;
}

/* Weights of arcs and vertices are kept for partitions. */
static mplan_status read_scotch(const mplan_input *input, const mplan_read_options *options,
                                const mplan_context *context, mplan_mesh *mesh, mplan_error *err)
{
    scotch_reader reader = {.context = context, .weights = MPLAN_VECTOR_INIT(sizeof(int64_t))};
    mplan_element_graph graph = {0};
    (void)options;
    mplan_scan_begin(&reader.scan, input);
    mplan_status status = read_header(&reader, err);
    if (!status)
        status = mplan_element_graph_begin(&graph, &reader.scan, reader.base, reader.n_nodes,
                                           reader.n_arcs / 2, err);
    if (!status && reader.arc_weights)
        status = mplan_element_graph_weighted(&graph, err);
    if (!status && reader.labelled)
        status = read_labels(&reader, err);
    if (!status)
        status = read_vertices(&reader, &graph, err);
    if (!status)
        status = mplan_element_graph_take(&graph, mesh, err);
    if (!status) {
        mplan_mesh_take_weights(mesh, mplan_mesh_find_set(mesh, "nodes"), 1, reader.weights.data,
                                NULL);
        reader.weights.data = NULL;
        mplan_element_graph_warn(&graph, context);
    }
    mplan_element_graph_free(&graph);
    free(reader.weights.data);
    free(reader.labels);
    return status;
}

/* It begins with a number: so do tables. */
static mplan_recognised recognise_scotch(const uint8_t *data, size_t size)
{
    mplan_input input = {"", data, size, NULL};
    mplan_scanner scan;
    mplan_scan_begin(&scan, &input);
    return mplan_scan_skip_space(&scan) && *scan.at >= '0' && *scan.at <= '9'
               ? MPLAN_RECOGNISED_BY_NAME
               : MPLAN_RECOGNISED_NO;
}

const mplan_file_format mplan_format_scotch = {
    .name = "scotch",
    .description = "SCOTCH graph: nodes, edges and edges_nodes",
    .extensions = ".grf",
    .recognise = recognise_scotch,
    .read = read_scotch,
};
