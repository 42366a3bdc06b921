/* SPDX-License-Identifier: Apache-2.0 */
/* over_ranks.h - tests of src/mpi: what one rank by itself finds is compared with what groups of ranks find */
#ifndef MPLAN_OVER_RANKS_H
#define MPLAN_OVER_RANKS_H

#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "meshplan.h"

/* Ranks that wait for others sleep: Open MPI yields in the place of it, which takes a processor from those that are waited for where
 * these are more than there are processors, and lets the rank wait for its turn behind all other programs. */
__attribute__((visibility("default"))) int sched_yield(void);
int sched_yield(void)
{
    const struct timespec moment = {0, 20000};
    return nanosleep(&moment, NULL);
}

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

/* Runs a test on the first 2, 3 and 4 ranks, with more than 4 on all of them, and where there is one on that. */
static inline void over_ranks(void (*test)(MPI_Comm comm))
{
    int rank, ranks;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    const int least = ranks == 1 ? 1 : ranks > 4 ? ranks : 2;
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
