/* SPDX-License-Identifier: Apache-2.0 */
/* mpi_ptscotch.h - PT-SCOTCH as the cut: its answer is audited, and repaired where it is poor */
#ifndef MPLAN_MPI_PTSCOTCH_H
#define MPLAN_MPI_PTSCOTCH_H

#include "mpi/mpi_graph.h"

/* Whether this build has it. */
bool mpi_has_ptscotch(void);
/* So many of the ranks take part: `wanted`, or 16, at most all of them, and at most one for each vertex. */
int32_t mpi_ptscotch_ranks(int32_t wanted, int32_t ranks, int64_t vertices);
/* "ptscotch-VERSION-64-RANKS": who cut, with the width of its numbers, as the parts depend on the number of ranks. */
void mpi_ptscotch_name(int32_t cut_ranks, char *name, size_t size);

/* part: out, of own vertices, in [0, n_parts), none of which is empty. The first `cut_ranks` ranks run the library; where the cut is
 * repeated with as many it is the same. MPLAN_ERR_PARTITIONER where the library fails, or its answer is not a part;
 * MPLAN_ERR_UNSUPPORTED in builds without it. Collective. */
mplan_status mpi_ptscotch(const mpi_graph *graph, int32_t n_parts, double imbalance,
                          int32_t cut_ranks, int32_t *part, mplan_error *err);

#endif
