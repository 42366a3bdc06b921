/* SPDX-License-Identifier: Apache-2.0 */
/* spread.h - one step of a breadth-first search by threads, in the order in which one thread goes */
#ifndef MPLAN_SPREAD_H
#define MPLAN_SPREAD_H

#include "base/threads.h"
#include "mesh/adjacency.h"

/* Scratch of searches, 8 bytes a vertex; claim NULL: steps are not shared. */
typedef struct mplan_spread {
    mplan_team *team;
    int64_t n;      /* vertices that there is room for */
    int32_t *claim; /* n: place in the queue of the first vertex that reaches this one */
    int32_t *found; /* n: what pieces have found, with gaps */
} mplan_spread;

/* Room for graphs of n vertices, where the team has threads and the graph is large; without memory for it claim is NULL. */
void mplan_spread_open(mplan_spread *spread, int64_t n, mplan_team *team);
void mplan_spread_close(mplan_spread *spread); /* and zeroes it */
/* Before a search of vertices below n. */
void mplan_spread_start(mplan_spread *spread, int64_t n);
/* Neighbours of queue[begin] ... queue[end - 1] whose mark is -1 come behind queue[end - 1], in the order of their first neighbour in the
 * queue and of its row, and get the mark `value`. Returns where the queue ends then; -1: nothing was done, as the step is not worth
 * it. spread may be NULL. */
int64_t mplan_spread_step(const mplan_spread *spread, const mplan_csr *graph, int32_t *queue,
                          int64_t begin, int64_t end, int32_t *mark, int32_t value);

#endif
