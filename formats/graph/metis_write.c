/* SPDX-License-Identifier: Apache-2.0 */
/* metis_write.c - writes METIS's graphs and meshes (METIS 5.1 manual, sections 4.1.1, 4.1.2)
 *
 * Both count from 1. Neither holds coordinates, groups or types of cells. */
#include "formats/graph/metis_write.h"

#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "formats/text_out.h"
#include "mesh/derive.h"
#include "mesh/mesh.h"

/* The map that is asked for; *found false: none is, and the mesh has typed cells. */
static mplan_status choose_map(const mplan_mesh *mesh, const char *what, mplan_map *map,
                               bool *found, mplan_error *err)
{
    *found = what || !mplan_mesh_cell_types(mesh);
    return *found ? mplan_table_choose(mesh, what, map, err) : MPLAN_OK;
}

/* What the graph has besides: arrays of the mesh, each NULL or one row a vertex, or a row of the map (an edge) each. */
typedef struct graph_weights {
    mplan_map edges;
    mplan_transpose back; /* of edges, with weights of edges only, */
    int32_t *edge;        /* and an entry a vertex */
    int32_t columns;
    const int64_t *of_nodes, *sizes, *of_edges;
} graph_weights;

/* Weights belong to a graph whose rows are its edges; they are skipped with another, with a warning. */
static mplan_status find_weights(const mplan_mesh *mesh, const char *what,
                                 const mplan_context *context, graph_weights *found, mplan_error *err)
{
    bool is_map;
    *found = (graph_weights){.columns = 0};
    if (mplan_mesh_weighted_set(mesh) < 0)
        return MPLAN_OK;
    mplan_status status = choose_map(mesh, what, &found->edges, &is_map, err);
    if (status || !is_map || found->edges.arity != 2 || found->edges.from == found->edges.to) {
        mplan_warn(context, "weights are skipped: they are not of the graph that is written");
        return status;
    }
    found->of_nodes = mplan_mesh_weights(mesh, found->edges.to, &found->columns);
    found->sizes = mplan_mesh_sizes(mesh, found->edges.to);
    found->of_edges = mplan_mesh_weights(mesh, found->edges.from, NULL);
    if (!found->of_edges)
        return MPLAN_OK;
    found->edge = mplan_alloc(found->edges.n_points, sizeof *found->edge, err);
    return found->edge ? mplan_map_transpose(&found->edges, false, &found->back, err)
                       : MPLAN_ERR_MEMORY;
}

/* weights->edge: of each neighbour of v the edge that leads there; other entries are of other vertices. */
static void find_edges(const graph_weights *weights, int64_t v)
{
    const mplan_transpose *back = &weights->back;
    for (int64_t i = back->offsets[v]; i < back->offsets[v + 1]; i++) {
        const int32_t *ends = weights->edges.values + 2 * (int64_t)back->elements[i];
        const int32_t other = ends[0] == v ? ends[1] : ends[0];
        if (other >= 0)
            weights->edge[other] = back->elements[i];
    }
}

/* fmt and ncon, where there are weights. */
static void put_kinds(mplan_text_out *out, const graph_weights *weights)
{
    const int kinds = (weights->sizes ? 100 : 0) + (weights->of_nodes ? 10 : 0) +
                      (weights->of_edges ? 1 : 0);
    if (kinds)
        mplan_text_int(out, kinds);
    if (weights->columns > 1)
        mplan_text_int(out, weights->columns);
}

/* The graph of a map, of cells by their faces, or the map itself. Memory is
 * checked before it is made. */
static mplan_status make_graph(const mplan_mesh *mesh, const char *what,
                               const mplan_context *context, mplan_csr *graph, mplan_error *err)
{
    mplan_map map;
    bool found;
    mplan_status status = choose_map(mesh, what, &map, &found, err);
    if (!status)
        status = mplan_mesh_check_memory(mesh, context, err);
    if (status)
        return status;
    if (!found)
        return mplan_graph_of_cells(mesh, context, graph, err);
    if (map.from == map.to)
        return mplan_graph_of_map(&map, 1, graph, context, err);
    if (map.arity == 2)
        return mplan_graph_of_points(&map, 1, 0, graph, context, err);
    return mplan_graph_of_elements(&map, 1, 0, graph, err);
}

/* Size, weights, and neighbours, each with the weight of its edge. */
static void put_vertex(mplan_text_out *out, const mplan_csr *graph, const graph_weights *weights,
                       int64_t v)
{
    if (weights->sizes)
        mplan_text_int(out, weights->sizes[v]);
    for (int32_t c = 0; c < weights->columns; c++)
        mplan_text_int(out, weights->of_nodes[v * weights->columns + c]);
    if (weights->of_edges)
        find_edges(weights, v);
    for (int64_t i = graph->offsets[v]; i < graph->offsets[v + 1]; i++) {
        mplan_text_int(out, graph->neighbours[i] + INT64_C(1));
        if (weights->of_edges)
            mplan_text_int(out, weights->of_edges[weights->edge[graph->neighbours[i]]]);
    }
    mplan_text_row(out);
}

/* Each edge is counted once in the header and written from both ends. */
mplan_status mplan_metis_write_graph(const mplan_mesh *mesh, const char *what, mplan_output *output,
                                     const mplan_context *context, mplan_error *err)
{
    mplan_csr graph = {0};
    mplan_text_out out;
    graph_weights weights = {.columns = 0};
    mplan_status status = make_graph(mesh, what, context, &graph, err);
    if (!status)
        status = find_weights(mesh, what, context, &weights, err);
    if (!status)
        status = mplan_text_begin(&out, output, context, err);
    if (!status) {
        mplan_text_int(&out, graph.n);
        mplan_text_int(&out, graph.offsets[graph.n] / 2);
        put_kinds(&out, &weights);
        mplan_text_row(&out);
        for (int64_t v = 0; v < graph.n && !out.status; v++) {
            put_vertex(&out, &graph, &weights, v);
            if (v % 65536 == 0)
                mplan_progress(context, "write", v, graph.n);
        }
        status = mplan_text_end(&out);
    }
    mplan_csr_free(&graph);
    mplan_transpose_free(&weights.back);
    free(weights.edge);
    return status;
}

/* METIS has no way to say that an element has no node. */
static mplan_status check_rows(const mplan_map *map, mplan_error *err)
{
    for (int64_t r = 0; r < map->n_rows; r++) {
        int32_t n;
        const int32_t *row = mplan_map_row(map, r, &n);
        for (int32_t k = 0; k < n; k++)
            if (row[k] < 0)
                return mplan_fail(err, MPLAN_ERR_UNSUPPORTED,
                                  "a METIS mesh cannot hold -1, as in row %lld of %s", (long long)r,
                                  map->name);
        if (n == 0)
            return mplan_fail(err, MPLAN_ERR_UNSUPPORTED,
                              "a METIS mesh cannot hold an empty row, as row %lld of %s",
                              (long long)r, map->name);
    }
    return MPLAN_OK;
}

/* what: the map to write; NULL: cells_nodes. Elements are rows, nodes are numbered from 1. */
mplan_status mplan_metis_write_mesh(const mplan_mesh *mesh, const char *what, mplan_output *output,
                                    const mplan_context *context, mplan_error *err)
{
    mplan_map map;
    bool found;
    mplan_text_out out;
    mplan_status status = choose_map(mesh, what, &map, &found, err);
    if (!status && !found)
        status = mplan_table_choose(mesh, "cells_nodes", &map, err);
    if (!status)
        status = check_rows(&map, err);
    if (!status)
        status = mplan_text_begin(&out, output, context, err);
    if (status)
        return status;
    mplan_text_int(&out, map.n_rows);
    mplan_text_row(&out);
    for (int64_t r = 0; r < map.n_rows && !out.status; r++) {
        int32_t n;
        const int32_t *row = mplan_map_row(&map, r, &n);
        for (int32_t k = 0; k < n; k++)
            mplan_text_int(&out, row[k] + INT64_C(1));
        mplan_text_row(&out);
        if (r % 65536 == 0)
            mplan_progress(context, "write", r, map.n_rows);
    }
    return mplan_text_end(&out);
}
