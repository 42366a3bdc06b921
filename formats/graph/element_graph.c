/* SPDX-License-Identifier: Apache-2.0 */
/* element_graph.c - rows of neighbours become edges, and are proved to be symmetric
 *
 * Neighbours above the row's node are its edges, sorted when the row ends. A neighbour below
 * has had its row: since rows come in ascending order, it must be waiting for exactly this
 * node, as the next of its sorted edges. */
#include "formats/graph/element_graph.h"

#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "mesh/mesh.h"

enum { MOST = INT32_MAX - 1, SHORT_ROW = 24 };

/* A graph given as rows of neighbours: every edge is named twice, from both
 * ends. ends: two vertices an edge; next[v]: the first edge of v that the other
 * end has not yet confirmed. */
mplan_status mplan_element_graph_begin(mplan_element_graph *graph, const mplan_scanner *scan,
                                       int64_t base, int64_t n_nodes, int64_t n_edges,
                                       mplan_error *err)
{
    memset(graph, 0, sizeof *graph);
    if (n_nodes > MOST || n_edges > MOST)
        return mplan_scan_fail(scan, err, MPLAN_ERR_UNSUPPORTED,
                               "%lld nodes and %lld edges exceed 32 bits", (long long)n_nodes,
                               (long long)n_edges);
    graph->scan = scan;
    graph->base = base;
    graph->n_nodes = n_nodes;
    graph->most = n_edges;
    graph->ends = mplan_alloc(2 * n_edges, sizeof *graph->ends, err);
    graph->next = graph->ends ? mplan_alloc(n_nodes, sizeof *graph->next, err) : NULL;
    graph->last = graph->next ? mplan_alloc(n_nodes, sizeof *graph->last, err) : NULL;
    graph->line = graph->last ? mplan_alloc(n_nodes, sizeof *graph->line, err) : NULL;
    return graph->line ? MPLAN_OK : MPLAN_ERR_MEMORY;
}

mplan_status mplan_element_graph_weighted(mplan_element_graph *graph, mplan_error *err)
{
    graph->weights = mplan_alloc(graph->most, sizeof *graph->weights, err);
    return graph->weights ? MPLAN_OK : MPLAN_ERR_MEMORY;
}

/* Of the neighbour that was added last. */
void mplan_element_graph_weigh(mplan_element_graph *graph, int64_t weight)
{
    int64_t *of = &graph->weights[graph->added];
    if (graph->ends[2 * graph->added] == graph->n_rows) {
        *of = weight;
    } else if (*of != weight && graph->unequal++ == 0) {
        graph->unequal_line = graph->scan->line;
    }
}

/* Notes where the edges of the row begin, and its line for messages. */
void mplan_element_graph_begin_row(mplan_element_graph *graph)
{
    graph->next[graph->n_rows] = (int32_t)graph->n_edges;
    graph->line[graph->n_rows] = graph->scan->line;
}

/* other: from 0; numbers of the message are the file's. */
static mplan_status fail_twice(const mplan_element_graph *graph, int64_t other, mplan_error *err)
{
    return mplan_scan_fail(graph->scan, err, MPLAN_ERR_MESH,
                           "node %lld has node %lld twice as a neighbour",
                           (long long)(graph->n_rows + graph->base),
                           (long long)(other + graph->base));
}

/* Node `from` has `to` as a neighbour, but not the other way round; the line is that of `from`. */
static mplan_status fail_one_way(const mplan_element_graph *graph, int64_t from, int64_t to,
                                 mplan_error *err)
{
    mplan_scanner place = *graph->scan;
    place.line = graph->line[from];
    return mplan_scan_fail(&place, err, MPLAN_ERR_MESH,
                           "node %lld has node %lld as a neighbour, but not vice versa",
                           (long long)(from + graph->base), (long long)(to + graph->base));
}

/* An edge to a lower node, which waits for it. */
static mplan_status close_edge(mplan_element_graph *graph, int64_t lower, mplan_error *err)
{
    int64_t row = graph->n_rows, next = graph->next[lower];
    int64_t first_after = graph->last[lower];
    const int32_t *ends = graph->ends;
    if (next < first_after && ends[2 * next + 1] == row) {
        graph->next[lower]++;
        graph->added = next;
        return MPLAN_OK;
    }
    if (next < first_after && ends[2 * next + 1] < row)
        return fail_one_way(graph, lower, ends[2 * next + 1], err);
    if (next > 0 && ends[2 * next - 2] == lower && ends[2 * next - 1] == row)
        return fail_twice(graph, lower, err);
    return fail_one_way(graph, row, lower, err);
}

/* neighbour: as it is in the file, counted from graph->base. Each edge is kept
 * at its lower end and confirmed at its upper one. */
mplan_status mplan_element_graph_add(mplan_element_graph *graph, int64_t neighbour, mplan_error *err)
{
    int64_t row = graph->n_rows;
    if (neighbour < graph->base || neighbour - graph->base >= graph->n_nodes)
        return mplan_scan_fail(graph->scan, err, MPLAN_ERR_MESH,
                               "neighbour %lld is out of range: there are %lld nodes, numbered from %lld",
                               (long long)neighbour, (long long)graph->n_nodes,
                               (long long)graph->base);
    int64_t other = neighbour - graph->base;
    if (other < row)
        return close_edge(graph, other, err);
    if (other == row)
        return mplan_scan_fail(graph->scan, err, MPLAN_ERR_MESH, "node %lld is its own neighbour",
                               (long long)neighbour);
    if (graph->n_edges == graph->most)
        return mplan_scan_fail(graph->scan, err, MPLAN_ERR_CORRUPT,
                               "there are more edges than the %lld that the header counts",
                               (long long)graph->most);
    graph->ends[2 * graph->n_edges] = (int32_t)row;
    graph->ends[2 * graph->n_edges + 1] = (int32_t)other;
    graph->added = graph->n_edges++;
    return MPLAN_OK;
}

/* Of two edges of one lower node, by the upper one. */
static int compare_upper(const void *left, const void *right)
{
    int32_t a = ((const int32_t *)left)[1], b = ((const int32_t *)right)[1];
    return (a > b) - (a < b);
}

/* By the upper end, most rows being short or sorted. */
static void sort_row(int32_t *ends, int64_t n)
{
    int64_t sorted = 1;
    while (sorted < n && ends[2 * sorted - 1] < ends[2 * sorted + 1])
        sorted++;
    if (sorted >= n)
        return;
    if (n > SHORT_ROW) {
        qsort(ends, (size_t)n, 2 * sizeof *ends, compare_upper);
        return;
    }
    for (int64_t i = sorted; i < n; i++) {
        int32_t upper = ends[2 * i + 1];
        int64_t at = i;
        for (; at > 0 && ends[2 * at - 1] > upper; at--)
            ends[2 * at + 1] = ends[2 * at - 1];
        ends[2 * at + 1] = upper;
    }
}

/* An edge of a row and its weight. */
typedef struct weighed_edge {
    int32_t ends[2];
    int64_t weight;
} weighed_edge;

static int compare_weighed(const void *left, const void *right)
{
    return compare_upper(((const weighed_edge *)left)->ends, ((const weighed_edge *)right)->ends);
}

/* As sort_row, the weights with their edges. */
static mplan_status sort_weighed(int32_t *ends, int64_t *weights, int64_t n, mplan_error *err)
{
    int64_t sorted = 1;
    while (sorted < n && ends[2 * sorted - 1] < ends[2 * sorted + 1])
        sorted++;
    if (sorted >= n)
        return MPLAN_OK;
    weighed_edge *row = mplan_alloc(n, sizeof *row, err);
    if (!row)
        return MPLAN_ERR_MEMORY;
    for (int64_t i = 0; i < n; i++)
        row[i] = (weighed_edge){{ends[2 * i], ends[2 * i + 1]}, weights[i]};
    qsort(row, (size_t)n, sizeof *row, compare_weighed);
    for (int64_t i = 0; i < n; i++) {
        ends[2 * i + 1] = row[i].ends[1];
        weights[i] = row[i].weight;
    }
    free(row);
    return MPLAN_OK;
}

/* Edges of the row ascend, so that confirmations come in order. Repeats are an
 * error. */
mplan_status mplan_element_graph_end_row(mplan_element_graph *graph, mplan_error *err)
{
    int64_t first = graph->next[graph->n_rows], n = graph->n_edges - first;
    int32_t *ends = graph->ends + 2 * first;
    if (!graph->weights)
        sort_row(ends, n);
    else if (sort_weighed(ends, graph->weights + first, n, err))
        return MPLAN_ERR_MEMORY;
    for (int64_t i = 1; i < n; i++)
        if (ends[2 * i + 1] == ends[2 * i - 1])
            return fail_twice(graph, ends[2 * i + 1], err);
    graph->last[graph->n_rows] = (int32_t)graph->n_edges;
    graph->n_rows++;
    return MPLAN_OK;
}

/* Edges that only one end names are an error. ends move to the mesh. */
mplan_status mplan_element_graph_take(mplan_element_graph *graph, mplan_mesh *mesh, mplan_error *err)
{
    for (int64_t row = 0; row < graph->n_rows; row++)
        if (graph->next[row] < graph->last[row])
            return fail_one_way(graph, row, graph->ends[2 * graph->next[row] + 1], err);
    if (graph->n_edges != graph->most)
        return mplan_scan_fail(graph->scan, err, MPLAN_ERR_CORRUPT,
                               "there are %lld edges, the header counts %lld",
                               (long long)graph->n_edges, (long long)graph->most);
    int32_t *ends = graph->ends;
    graph->ends = NULL;
    mplan_status status = mplan_mesh_take_edges(mesh, graph->n_nodes, graph->n_edges, ends, err);
    if (!status && graph->weights) {
        mplan_mesh_take_weights(mesh, mplan_mesh_find_set(mesh, "edges"), 1, graph->weights, NULL);
        graph->weights = NULL;
    }
    return status;
}

/* A warning of edges of two weights. */
void mplan_element_graph_warn(const mplan_element_graph *graph, const mplan_context *context)
{
    if (graph->unequal > 0)
        mplan_warn(context,
                   "%s:%lld: %lld edges have another weight at their lower end, which counts; the first is here",
                   graph->scan->path, (long long)graph->unequal_line, (long long)graph->unequal);
}

/* Arrays may be NULL. */
void mplan_element_graph_free(mplan_element_graph *graph)
{
    free(graph->ends);
    free(graph->next);
    free(graph->last);
    free(graph->line);
    free(graph->weights);
    memset(graph, 0, sizeof *graph);
}

/* ends: 2 x n_edges nodes, which belong to the mesh from here on, also after a
 * failure. */
mplan_status mplan_mesh_take_edges(mplan_mesh *mesh, int64_t n_nodes, int64_t n_edges,
                                   int32_t *ends, mplan_error *err)
{
    int32_t nodes, edges;
    mplan_status status = mplan_mesh_add_set(mesh, "nodes", n_nodes, &nodes, err);
    if (!status)
        status = mplan_mesh_add_set(mesh, "edges", n_edges, &edges, err);
    if (status) {
        free(ends);
        return status;
    }
    return mplan_mesh_take_map(mesh, "edges_nodes", edges, nodes, 2, NULL, ends, NULL, err);
}
