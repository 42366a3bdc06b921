/* SPDX-License-Identifier: Apache-2.0 */
/* mpi_ids.h - lists of numbers of members, on one rank */
#ifndef MPLAN_MPI_IDS_H
#define MPLAN_MPI_IDS_H

#include <stdint.h>

/* Ids in ascending order, each once; returns how many are left. scratch: n. */
int64_t mpi_distinct(int64_t *ids, int64_t n, int64_t *scratch);

/* Places of ids in an ascending list that has them: by a table, by id where the ids are dense and by a mixed number of it where
 * they are not; by halving without memory for it. */
typedef struct mpi_finder {
    const int64_t *ids;
    int64_t n;
    int32_t *table; /* by id - ids[0], or 2^bits places in which an id is at its mixed number or behind it; may be NULL */
    int bits;       /* 0: by id */
} mpi_finder;
void mpi_finder_open(const int64_t *ids, int64_t n, mpi_finder *finder); /* cannot fail */
void mpi_finder_close(mpi_finder *finder);
int64_t mpi_find_sparse(const mpi_finder *finder, int64_t id);
static inline int64_t mpi_find(const mpi_finder *finder, int64_t id)
{
    return finder->table && !finder->bits ? finder->table[id - finder->ids[0]]
                                          : mpi_find_sparse(finder, id);
}

#endif
