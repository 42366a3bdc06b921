/* SPDX-License-Identifier: Apache-2.0 */
/* cut_into.h - a graph into a number of parts, by whoever is asked */
#ifndef MPLAN_CUT_INTO_H
#define MPLAN_CUT_INTO_H

#include "partition/groups.h"

typedef struct mplan_cut_into {
    mplan_partitioner partitioner; /* NATIVE, METIS or SCOTCH */
    int32_t n_parts, nodes;        /* nodes > 1: a divisor of n_parts; without shares */
    const int32_t *node; /* with nodes, and without groups: the node of each vertex, which another cut has found; NULL */
    double imbalance;               /* largest part / mean, 1 or more */
    uint64_t seed;                  /* of METIS or SCOTCH */
    const mplan_cut_wishes *wishes; /* as far as the partitioner has them (partition.h); NULL: none */
    const mplan_together *together; /* NULL: every vertex by itself */
    const char *together_file;      /* that it was read from, for messages; NULL: none */
    const char *set;                /* what the vertices are, for messages */
} mplan_cut_into_options;

/* part: out, by vertex, in [0, n_parts). Parts are empty only where there are fewer vertices, or groups of them, than
 * parts: those behind. With nodes the graph is cut for these first and each piece then by itself: edges between nodes,
 * whose messages cost most, are the first to be few; node i gets parts [i * each, (i + 1) * each). *moved: vertices
 * (groups, where there are any) that left a part so that none is empty; may be NULL. */
mplan_status mplan_partition_into(const mplan_csr *graph, const mplan_cut_into_options *how,
                                  int32_t *part, int64_t *moved, const mplan_context *context,
                                  mplan_error *err);

#endif
