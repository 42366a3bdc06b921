/* SPDX-License-Identifier: Apache-2.0 */
/* cut_child.h - graphs for the program meshplan-partition, which calls METIS and SCOTCH */
#ifndef MPLAN_CUT_CHILD_H
#define MPLAN_CUT_CHILD_H

#include "mesh/adjacency.h"
#include "meshplan.h"

typedef struct mplan_cut {
    const char *name; /* of the partitioner, for messages: "METIS" */
    const char *work; /* "metis", "scotch", "scotch-order" (src/helper/cut_main.c) */
    const mplan_csr *graph;
    int64_t n_parts;
    double imbalance; /* largest part / mean - 1 */
    uint64_t seed;
} mplan_cut;

/* Has the graph worked on. answer: graph->n entries, out, with whatever the program says: to be
 * looked over. What mplan_child_run returns. */
mplan_status mplan_cut_in_child(const mplan_cut *cut, int32_t *answer, const mplan_context *context,
                                mplan_error *err);

#endif
