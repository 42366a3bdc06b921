/* SPDX-License-Identifier: Apache-2.0 */
/* mpi_ids.h - lists of numbers of members, on one rank */
#ifndef MPLAN_MPI_IDS_H
#define MPLAN_MPI_IDS_H

#include <stdint.h>

/* Ids in ascending order, each once; returns how many are left. scratch: n. */
int64_t mpi_distinct(int64_t *ids, int64_t n, int64_t *scratch);

/* Places of ids in an ascending list that has them: by a table where the ids are dense, else by halving. */
typedef struct mpi_finder {
    const int64_t *ids;
    int64_t n;
    int32_t *table; /* by id - ids[0]; may be NULL */
} mpi_finder;
void mpi_finder_open(const int64_t *ids, int64_t n, mpi_finder *finder); /* cannot fail */
void mpi_finder_close(mpi_finder *finder);
int64_t mpi_find_by_halves(const mpi_finder *finder, int64_t id);
static inline int64_t mpi_find(const mpi_finder *finder, int64_t id)
{
    return finder->table ? finder->table[id - finder->ids[0]] : mpi_find_by_halves(finder, id);
}

#endif
