/* SPDX-License-Identifier: Apache-2.0 */
/* components.h - a graph cut into its connected components, each stored close together */
#ifndef MPLAN_COMPONENTS_H
#define MPLAN_COMPONENTS_H

#include "base/threads.h"
#include "mesh/adjacency.h"

/* Members in the order in which breadth-first searches find them, so that every
 * later walk over a component reads memory nearly in sequence, however the
 * input was numbered. A connected graph that is numbered closely enough stays as it
 * is, and is borrowed. Component c holds members [first[c], first[c + 1]) of
 * `member`; neighbours of the graph count from the first of their component. */
typedef struct mplan_components {
    int64_t n;       /* components */
    int64_t *first;  /* n + 1 */
    int64_t largest; /* members of the largest component */
    int64_t degree;  /* largest degree */
    mplan_csr graph; /* of all members */
    int32_t *member; /* vertex of the given graph for each member */
    bool borrowed;   /* `graph` is the given one */
} mplan_components;

/* Of the subgraph on n_chosen different vertices (chosen NULL: all). Components
 * in the order of their first chosen vertex. MPLAN_OK or MPLAN_ERR_MEMORY.
 * Linear time; scratch 4 bytes a vertex of the graph. team (may be NULL) copies rows, and shares the wide
 * steps of searches (spread.h). */
mplan_status mplan_components_make(const mplan_csr *graph, const int32_t *chosen, int64_t n_chosen,
                                   mplan_components *out, mplan_team *team, mplan_error *err);
void mplan_components_free(mplan_components *components); /* and zeroes it */

/* One component as a graph with vertices from 0: it borrows the arrays, and its
 * offsets start where the component does. */
mplan_csr mplan_component(const mplan_components *components, int64_t c);

/* Whether mplan_components_each has several threads work on components: the team has them, and no component is most of the graph. */
bool mplan_components_beside(const mplan_components *components, mplan_team *team);
/* Calls the work for every component; where they are done beside each other, with contexts that have no team, and without an err. */
typedef mplan_status mplan_component_work(void *data, int64_t c, const mplan_context *context,
                                          mplan_error *err);
mplan_status mplan_components_each(const mplan_components *components, mplan_component_work *work,
                                   void *data, const mplan_context *context, mplan_error *err);

static inline int64_t mplan_degree(const mplan_csr *graph, int32_t v)
{
    return graph->offsets[v + 1] - graph->offsets[v];
}

#endif
