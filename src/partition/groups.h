/* SPDX-License-Identifier: Apache-2.0 */
/* groups.h - vertices that must stay in one part, and the graph whose vertices are these groups */
#ifndef MPLAN_GROUPS_H
#define MPLAN_GROUPS_H

#include "mesh/adjacency.h"
#include "mesh/cut_child.h"
#include "meshplan.h"

/* What stays together, as a file says it. */
typedef struct mplan_together {
    int64_t rows; /* with one column: as many as vertices */
    int32_t columns; /* 1: the group of each vertex, below n, negative: none; else vertices of a row stay together */
    const int64_t *values;
} mplan_together;

/* group: out, n entries, ascending by each group's first member; vertices that are in no row are groups of their own.
 * set: what the vertices are, for messages. MPLAN_ERR_ARGUMENT names the row that does not fit. */
mplan_status mplan_groups_of(const mplan_together *together, const char *set, int64_t n,
                             int32_t *group, int64_t *n_groups, mplan_error *err);

/* A graph of groups. Its wishes are those of the vertices added up: there is at least one column of weights, the number
 * of members without any, and edges always have weights. Arrays of the wishes are owned here, but for shares. */
typedef struct mplan_contracted {
    mplan_csr graph;
    mplan_cut_wishes wishes;
    int64_t *weights, *edge_weights, *sizes;
} mplan_contracted;
/* Edges inside groups vanish. The graph must be symmetric. Release *out also after a failure. */
mplan_status mplan_graph_contract(const mplan_csr *graph, const int32_t *group, int64_t n_groups,
                                  const mplan_cut_wishes *wishes, mplan_contracted *out,
                                  mplan_error *err);
void mplan_contracted_free(mplan_contracted *contracted); /* and zeroes it */

#endif
