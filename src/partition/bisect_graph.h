/* SPDX-License-Identifier: Apache-2.0 */
/* bisect_graph.h - graphs with weights, and coarser ones of them */
#ifndef MPLAN_BISECT_GRAPH_H
#define MPLAN_BISECT_GRAPH_H

#include "base/threads.h"
#include "mesh/adjacency.h"
#include "mesh/cut_child.h"
#include "meshplan.h"

/* An undirected graph; edges from v are offsets[v] to offsets[v + 1] - 1. */
typedef struct mplan_weighted {
    int64_t n, total; /* vertices, and the sum of their weights */
    int64_t *offsets; /* n + 1 */
    int32_t *neighbours;
    int32_t *edge;   /* weight of each */
    int64_t *weight; /* of each vertex */
} mplan_weighted;
void mplan_weighted_free(mplan_weighted *graph); /* and zeroes it */
/* Weights of vertices are those of the first column, and weights of edges, as far as wishes (may be NULL) have them, else
 * 1; those of edges are made smaller by a power of two where their sum would exceed 31 bits. Release *out also after a failure. */
mplan_status mplan_weighted_of(const mplan_csr *graph, const mplan_cut_wishes *wishes,
                               mplan_weighted *out, mplan_error *err);
/* The vertices v with side[v] == which; old: their numbers, ascending, the caller's. number: scratch of graph->n. Release
 * *out also after a failure. */
mplan_status mplan_weighted_side(const mplan_weighted *graph, const uint8_t *side, uint8_t which,
                                 int32_t *number, mplan_weighted *out, int32_t **old,
                                 mplan_error *err);
/* Pairs of neighbours along heavy edges become one vertex, but for pairs above `most` in weight. coarse: of each vertex the one
 * that it is in; seed: of the order in which vertices choose. Equal graphs and seeds give equal ones, whatever the team (NULL:
 * one thread). Release *out also after a failure. */
mplan_status mplan_weighted_coarsen(const mplan_weighted *graph, int64_t most, uint64_t seed,
                                    int32_t *coarse, mplan_weighted *out, mplan_team *team,
                                    mplan_error *err);

#endif
