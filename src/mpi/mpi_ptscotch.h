/* SPDX-License-Identifier: Apache-2.0 */
/* mpi_ptscotch.h - PT-SCOTCH as the cut: its answer is audited, and repaired where it is poor */
#ifndef MPLAN_MPI_PTSCOTCH_H
#define MPLAN_MPI_PTSCOTCH_H

#include "mpi/mpi_graph.h"

/* Whether this build has it. */
bool mpi_has_ptscotch(void);
/* "7.0.3"; of a build that has it. */
const char *mpi_ptscotch_version(void);
/* So many of the ranks take part: `wanted`, or 16, at most all of them, and at most one for each vertex. */
int32_t mpi_ptscotch_ranks(int32_t wanted, int32_t ranks, int64_t vertices);
/* "ptscotch-VERSION-64-RANKS": who cut, with the width of its numbers, as the parts depend on the number of ranks. */
void mpi_ptscotch_name(int32_t cut_ranks, char *name, size_t size);

typedef struct mpi_ptscotch_options {
    int32_t n_parts;
    int32_t nodes; /* of which each gets consecutive parts, near one another: a divisor of n_parts; 0: none */
    int32_t cut_ranks; /* the first of the ranks, which run the library */
    double imbalance;  /* largest part / mean */
} mpi_ptscotch_options;

/* part: out, of own vertices, in [0, n_parts), none of which is empty. Where the cut is repeated with as many ranks it is the same. MPLAN_ERR_PARTITIONER where the library fails, or its answer is not a part;
 * MPLAN_ERR_UNSUPPORTED in builds without it. Collective. */
mplan_status mpi_ptscotch(const mpi_graph *graph, const mpi_ptscotch_options *options,
                          int32_t *part, mplan_error *err);

#endif
