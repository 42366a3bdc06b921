/* SPDX-License-Identifier: Apache-2.0 */
/* mpi_facts.h - what planning asks of a mesh that is spread over ranks: its names, sizes and counts
 *
 * So a request is resolved on every rank alike, and choices that it leaves open come out as they do where one process has
 * the whole mesh. */
#ifndef MPLAN_MPI_FACTS_H
#define MPLAN_MPI_FACTS_H

#include "mpi/mpi_mesh.h"
#include "pipeline/mesh_facts.h"

typedef struct mpi_facts {
    mplan_mesh_facts facts; /* for mplan_whole_open */
    mplan_mesh *head; /* sets and maps of the mesh by their names and numbers, without members */
    const mpi_mesh *mesh; /* stays where it is until the facts are closed */
    int64_t *sizes;
    mplan_map_facts *maps;
    bool stopped; /* a question was not answered, as another rank had failed before it could ask the same */
} mpi_facts;

/* Collective; close it also after a failure. Open it again when a set or map was derived. */
mplan_status mpi_facts_open(const mpi_mesh *mesh, mpi_facts *out, mplan_error *err);
/* Facts that only all ranks find together are asked for by all of them or by none. So a rank that is through with what asks, also
 * by a failure, calls this, and stays until all are: those that still ask get MPLAN_ERR_MEMORY, and `stopped`. Collective. */
void mpi_facts_end(const mpi_facts *facts);
void mpi_facts_close(mpi_facts *facts); /* not collective */

/* Entries of all rows that a rank has of a map. */
int64_t mpi_map_entries(const mpi_mesh *mesh, int32_t map);
/* The row of member i of this rank (from 0); *n: its entries. */
const int64_t *mpi_map_row(const mpi_map *map, int64_t i, int64_t *n);
/* Members of a set that this rank has. */
int64_t mpi_set_own(const mpi_mesh *mesh, int32_t set);

/* Numbers into ascending order, each once; returns how many are left; -1: no memory. Not collective. */
int64_t mpi_each_once(int64_t *ids, int64_t n, mplan_error *err);
/* The place of a number in an ascending list that has it once, -1: it is not there. *hint: where to look first, a place
 * in the list or 0; what was found is the next hint. Not collective. */
int64_t mpi_place_of(const int64_t *ids, int64_t n, int64_t id, int64_t *hint);

/* Places of numbers in such a list: by a table where the numbers are dense, else as mpi_place_of. */
typedef struct mpi_places {
    const int64_t *ids;
    int64_t n, span;
    int32_t *table; /* by number - ids[0], -1 for numbers that are not there; may be NULL */
} mpi_places;
void mpi_places_open(const int64_t *ids, int64_t n, mpi_places *out); /* cannot fail */
void mpi_places_close(mpi_places *places);
static inline int64_t mpi_place(const mpi_places *places, int64_t id, int64_t *hint)
{
    if (!places->table)
        return mpi_place_of(places->ids, places->n, id, hint);
    const int64_t at = id - places->ids[0];
    return at >= 0 && at < places->span ? places->table[at] : -1;
}

#endif
