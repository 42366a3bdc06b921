/* SPDX-License-Identifier: Apache-2.0 */
/* mpi_ids.h - lists of numbers of members, on one rank */
#ifndef MPLAN_MPI_IDS_H
#define MPLAN_MPI_IDS_H

#include "base/memory.h"

/* Ids in ascending order, each once; returns how many are left. scratch: n. */
int64_t mpi_distinct(int64_t *ids, int64_t n, int64_t *scratch);

/* The same with scratch of its own; -1: no memory. */
int64_t mpi_each_once(int64_t *ids, int64_t n, mplan_error *err);
/* The numbers of a list that are not negative and not in [begin, end), ascending, each once: *ids, from mplan_alloc, *n_ids of
 * them. */
mplan_status mpi_ids_of(const int64_t *list, int64_t n, int64_t begin, int64_t end, int64_t **ids,
                        int64_t *n_ids, mplan_error *err);
/* The place of an id in an ascending list that has it once, -1: it is not there. *hint: where to look first, a place
 * in the list or 0; what was found is the next hint. */
int64_t mpi_place_of(const int64_t *ids, int64_t n, int64_t id, int64_t *hint);

/* Places of ids in an ascending list that has them: by a table, by id where the ids are dense and by a mixed number of it where
 * they are not; by halving without memory for it. */
typedef struct mpi_finder {
    const int64_t *ids;
    int64_t n;
    int64_t span;   /* of ids: from the first to the last */
    int32_t *table; /* by id - ids[0], or 2^bits places in which an id is at its mixed number or behind it; may be NULL */
    int bits;       /* 0: by id */
} mpi_finder;
void mpi_finder_open(const int64_t *ids, int64_t n, mpi_finder *finder); /* cannot fail */
void mpi_finder_close(mpi_finder *finder);
int64_t mpi_place_sparse(const mpi_finder *finder, int64_t id);
/* -1: it is not there. */
static inline int64_t mpi_place(const mpi_finder *finder, int64_t id)
{
    if (!finder->table || finder->bits)
        return mpi_place_sparse(finder, id);
    const int64_t at = id - finder->ids[0];
    return at >= 0 && at < finder->span ? finder->table[at] : -1;
}
/* Of an id that is there. */
static inline int64_t mpi_find(const mpi_finder *finder, int64_t id)
{
    return finder->table && !finder->bits ? finder->table[id - finder->ids[0]]
                                          : mpi_place_sparse(finder, id);
}

#endif
