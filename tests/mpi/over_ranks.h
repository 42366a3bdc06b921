/* SPDX-License-Identifier: Apache-2.0 */
/* over_ranks.h - tests of src/mpi: what one rank by itself finds is compared with what groups of ranks find */
#ifndef MPLAN_OVER_RANKS_H
#define MPLAN_OVER_RANKS_H

#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "meshplan.h"
#include "ranks_sleep.h"

/* Ends the test of all ranks where something does not hold. */
#define NEED(holds)                                                                    \
    do {                                                                               \
        if (!(holds)) {                                                                \
            fprintf(stderr, "%s:%d: does not hold: %s\n", __FILE__, __LINE__, #holds); \
            MPI_Abort(MPI_COMM_WORLD, 1);                                              \
        }                                                                              \
    } while (0)
#define NEED_DONE(call, err)                                                 \
    do {                                                                     \
        if (call) {                                                          \
            fprintf(stderr, "%s:%d: %s\n", __FILE__, __LINE__, (err)->text); \
            MPI_Abort(MPI_COMM_WORLD, 1);                                    \
        }                                                                    \
    } while (0)

/* Runs a test on the first 2, 3 and 4 ranks, with more than 4 on all of them, and where there is one on that. Under sanitizers 4 are enough:
 * what fewer find is for the build that runs fast. */
static inline void over_ranks(void (*test)(MPI_Comm comm))
{
    int rank, ranks;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
#ifdef __SANITIZE_ADDRESS__
    const int least = ranks;
#else
    const int least = ranks == 1 ? 1 : ranks > 4 ? ranks : 2;
#endif
    for (int n = least; n <= ranks; n++) {
        MPI_Comm group;
        MPI_Comm_split(MPI_COMM_WORLD, rank < n ? 0 : MPI_UNDEFINED, rank, &group);
        if (group == MPI_COMM_NULL)
            continue;
        test(group);
        MPI_Comm_free(&group);
    }
}

#endif
