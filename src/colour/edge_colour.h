/* SPDX-License-Identifier: Apache-2.0 */
/* edge_colour.h - colours where every element touches two points at most
 *
 * Such elements are the edges of a graph (with double edges) whose vertices are
 * the points; colours of elements are edge colours. */
#ifndef MPLAN_EDGE_COLOUR_H
#define MPLAN_EDGE_COLOUR_H

#include "base/threads.h"
#include "meshplan.h"

/* ends: 2 an edge, different vertices; -1 where there is none. */
typedef struct mplan_edges {
    int64_t n_vertices, n;
    const int32_t *ends;
} mplan_edges;

/* vizing.c: a colouring that is made better edge by edge. The caller owns the
 * arrays: offsets n_vertices + 1; incident 2 n; used n_vertices; path path_room;
 * waiting n. colour: valid, each below MPLAN_MOST_COLOURS. */
typedef struct mplan_edge_colouring {
    mplan_edges edges;
    int32_t *colour;
    int64_t *offsets;
    int32_t *incident;
    uint64_t *used;
    int32_t *path, *waiting;
    int64_t path_room;
    int64_t steps; /* left for paths; the search gives up when they are spent */
} mplan_edge_colouring;

/* Brings edges of colour `bound` and above below it, and what remains to the
 * lowest colours that do; `bound` is at least the largest degree, and at most half
 * of MPLAN_MOST_COLOURS. Returns the number of colours: `bound` on bipartite graphs
 * and most others, at most one more on graphs without double edges, while the
 * steps last; with double edges it may be more than before. */
int32_t mplan_colour_edges_again(mplan_edge_colouring *c, int32_t bound, int32_t n_colours);

/* bipartite.c: exactly as many colours as the largest degree, on bipartite
 * graphs; *n_colours is 0, and colour undefined, on others, without any end, and
 * beyond 2^31 edges when those that fill up are counted. Time O(edges log vertices)
 * expected, memory 40 bytes an edge; equal graphs get equal colours. Graphs of `many` edges and more are halved so that two
 * threads can colour the halves, whether there are two or not. */
mplan_status mplan_colour_bipartite(const mplan_edges *edges, int64_t many, int32_t *colour,
                                    int32_t *n_colours, mplan_team *team, mplan_error *err);

#endif
