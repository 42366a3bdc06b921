/* SPDX-License-Identifier: Apache-2.0 */
/* cut_child.h - graphs for the program meshplan-partition, which calls METIS and SCOTCH */
#ifndef MPLAN_CUT_CHILD_H
#define MPLAN_CUT_CHILD_H

#include "mesh/adjacency.h"
#include "meshplan.h"

/* What the program may take: memory besides the graph, 50 bytes for each byte of the graph and 512 MB (measured:
 * up to 19 for each byte), or max_memory of the context; seconds of the processor, which no partitioner
 * tells its progress by, 600 and one for each 10,000 bytes of the graph (measured: up to 11 for 10^7 bytes); and
 * read_timeout of the context, or 600 seconds, without use of processor or memory. */
#define MPLAN_CUT_MEMORY_BASE INT64_C(512000000)
#define MPLAN_CUT_SECONDS_BASE INT64_C(600)
#define MPLAN_CUT_BYTES_A_SECOND INT64_C(10000)

typedef struct mplan_cut {
    const char *name; /* of the partitioner, for messages: "METIS" */
    const char *work; /* "metis", "scotch", "scotch-order" (src/helper/cut_main.c) */
    const mplan_csr *graph;
    int64_t n_parts;
    double imbalance; /* largest part / mean - 1 */
    uint64_t seed;
} mplan_cut;

/* Has the graph worked on. answer: graph->n entries, out, with whatever the program says: to be
 * looked over. What mplan_child_run returns: MPLAN_ERR_MEMORY above the limit of memory,
 * MPLAN_ERR_PARTITIONER above those of time. */
mplan_status mplan_cut_in_child(const mplan_cut *cut, int32_t *answer, const mplan_context *context,
                                mplan_error *err);

#endif
