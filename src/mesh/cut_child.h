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

/* What METIS is asked for besides, and SCOTCH as far as partition.h says. All 0 and NULL: nothing. */
typedef struct mplan_cut_wishes {
    int32_t n_constraints;       /* columns of weights; 0: every vertex counts as one */
    const int64_t *weights;      /* n rows of n_constraints numbers, 0 or more */
    const int64_t *edge_weights; /* of each neighbour, 1 or more, the same from both sides; NULL: 1 */
    const int64_t *sizes; /* of each vertex in the communication volume, 0 or more; NULL: 1 */
    const double *shares; /* of each part, above 0, their sum 1; NULL: equal */
    bool recursive;       /* bisection, not k-way */
    bool volume;          /* least communication volume, not edge cut */
    bool contiguous, few_links;
    int32_t iterations, cuts; /* 0: METIS's defaults */
} mplan_cut_wishes;

/* The memory that the program gets: a head of whole numbers, n + 1 offsets, n x n_constraints weights, weights of the
 * neighbours where there are any, sizes of vertices likewise, shares of parts as doubles where there are any, all of 64 bits, and the
 * neighbours of 32 bits. */
enum {
    MPLAN_CUT_N,
    MPLAN_CUT_CONSTRAINTS,
    MPLAN_CUT_EDGE_WEIGHTS, /* 1: there are weights of neighbours */
    MPLAN_CUT_SIZES,        /* 1: there are sizes of vertices */
    MPLAN_CUT_SHARES,       /* how many; 0 or the number of parts */
    MPLAN_CUT_FLAGS,        /* MPLAN_CUT_RECURSIVE, ... */
    MPLAN_CUT_ITERATIONS,
    MPLAN_CUT_CUTS,
    MPLAN_CUT_HEAD /* numbers of the head */
};
enum {
    MPLAN_CUT_RECURSIVE = 1,
    MPLAN_CUT_VOLUME = 2,
    MPLAN_CUT_CONTIGUOUS = 4,
    MPLAN_CUT_FEW_LINKS = 8
};
/* More columns than this are refused, and more repetitions. */
enum { MPLAN_CUT_MOST_CONSTRAINTS = 64, MPLAN_CUT_MOST_REPEATS = 10000 };

typedef struct mplan_cut {
    const char *name; /* of the partitioner, for messages: "METIS" */
    const char *work; /* "metis", "scotch", "scotch-order" (src/helper/cut_main.c) */
    const mplan_csr *graph;
    int64_t n_parts;
    double imbalance; /* largest part / mean - 1 */
    uint64_t seed;
    const mplan_cut_wishes *wishes; /* NULL: none */
} mplan_cut;

/* Has the graph worked on. answer: graph->n entries, out, with whatever the program says: to be
 * looked over. What mplan_child_run returns: MPLAN_ERR_MEMORY above the limit of memory,
 * MPLAN_ERR_PARTITIONER above those of time. */
mplan_status mplan_cut_in_child(const mplan_cut *cut, int32_t *answer, const mplan_context *context,
                                mplan_error *err);

#endif
