/* SPDX-License-Identifier: Apache-2.0 */
/* element_graph.h - graphs as meshes: the set `nodes`, the set `edges`, the map edges_nodes
 *
 * What the readers of METIS's and SCOTCH's graphs share. Rows of neighbours come in ascending
 * order of their nodes; each edge is in the rows of both its ends. It is proved on the
 * way, with scratch of 16 bytes a node and none an edge. */
#ifndef MPLAN_ELEMENT_GRAPH_H
#define MPLAN_ELEMENT_GRAPH_H

#include "formats/scan.h"

/* A graph that is read row by row; ends: two vertices of each edge. */
typedef struct mplan_element_graph {
    const mplan_scanner *scan; /* is in the row that is read, for errors */
    int64_t base;              /* number of the first node in the file, for errors */
    int64_t n_nodes, most;     /* edges that there may be */
    int64_t n_rows, n_edges;   /* so far */
    int32_t *ends;             /* two a edge, the lower node first; rows of lower nodes ascending */
    int32_t *next;             /* edge of a row whose upper end has yet to name the row */
    int32_t *last;             /* end of the row's edges */
    int64_t *line;             /* of the row */
    int64_t *weights;          /* of the edges; NULL: they have none */
    int64_t added;             /* the edge of the neighbour that was added last */
    int64_t unequal;           /* edges whose ends give other weights; the first is in line: */
    int64_t unequal_line;
} mplan_element_graph;

/* MPLAN_ERR_MEMORY; MPLAN_ERR_UNSUPPORTED for more than 2^31 - 2 nodes or edges. The graph is released
 * by mplan_element_graph_free, also after a failure. */
mplan_status mplan_element_graph_begin(mplan_element_graph *graph, const mplan_scanner *scan,
                                       int64_t base, int64_t n_nodes, int64_t n_edges,
                                       mplan_error *err);
/* Edges have weights: room for them. Then each neighbour has one, behind it. Edges whose ends give other weights keep that
 * of the lower end, and are counted. */
mplan_status mplan_element_graph_weighted(mplan_element_graph *graph, mplan_error *err);
void mplan_element_graph_weigh(mplan_element_graph *graph, int64_t weight);
/* The next row begins; then its neighbours as the file numbers them; then it ends. MPLAN_ERR_MESH
 * for one that does not exist, is the node itself, is there twice, or does not name the row's node
 * in its own row; MPLAN_ERR_CORRUPT for more edges than were promised. */
void mplan_element_graph_begin_row(mplan_element_graph *graph);
mplan_status mplan_element_graph_add(mplan_element_graph *graph, int64_t neighbour, mplan_error *err);
mplan_status mplan_element_graph_end_row(mplan_element_graph *graph, mplan_error *err);
/* All rows are there: makes the sets and the map; edges have their weights. */
mplan_status mplan_element_graph_take(mplan_element_graph *graph, mplan_mesh *mesh, mplan_error *err);
void mplan_element_graph_warn(const mplan_element_graph *graph, const mplan_context *context);
void mplan_element_graph_free(mplan_element_graph *graph);

/* The sets and the map of edges that are known: two ends each, from mplan_alloc; taken over, also on
 * failure. */
mplan_status mplan_mesh_take_edges(mplan_mesh *mesh, int64_t n_nodes, int64_t n_edges,
                                   int32_t *ends, mplan_error *err);

#endif
