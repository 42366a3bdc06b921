/* SPDX-License-Identifier: Apache-2.0 */
/* mpi_move.h - members go to the ranks that plan the parts which need them
 *
 * A rank plans parts [first[rank], first[rank + 1]). It gets what they own and the elements with a point that they own
 * (mpi_move_open), then the points of these with their own rows, and what rows of those lead to as far as the rules of halos
 * may ask for it (mpi_move_complete). Members that are named by rows but did not come are there by number only.
 * Functions are collective but where they say otherwise. */
#ifndef MPLAN_MPI_MOVE_H
#define MPLAN_MPI_MOVE_H

#include "mpi/mpi_owners.h"
#include "parts/parts.h"

/* Members of one set of planning that a rank got, ascending by number. */
typedef struct mpi_moved_set {
    int64_t n;
    int64_t *ids;
    const int64_t **at; /* what came of each (mpi_move.c); NULL: its number only */
} mpi_moved_set;

typedef struct mpi_move {
    const mpi_mesh *mesh; /* until mpi_move_close: its members can still be asked for */
    const planning *p;
    const mpi_owners *owners;
    const int64_t *first; /* ranks + 1: parts of each rank */
    mplan_map_use *uses;
    mpi_moved_set *sets;
    mplan_vector messages; /* mpi_items, which `at` points into */
} mpi_move;

/* The borrowed arguments must stay until mpi_move_close. Close it also after a failure. */
mplan_status mpi_move_open(const mpi_mesh *mesh, const planning *p, const mpi_owners *owners,
                           const int64_t *first, mpi_move *move, mplan_error *err);
/* Gets all that is named and needed, until nobody lacks anything. */
mplan_status mpi_move_complete(mpi_move *move, mplan_error *err);
/* Gets members that are there by number only. lacking: by set, vectors of int64_t in any order; emptied. */
mplan_status mpi_move_more(mpi_move *move, mplan_vector *lacking, mplan_error *err);
void mpi_move_close(mpi_move *move); /* not collective */

/* --- what came; not collective ---------------------------------------------------------------- */

/* Owner of member i of what came of set s; n_parts where it came by number only. */
int32_t mpi_moved_owner(const mpi_move *move, int32_t s, int64_t i);
/* Coordinates, as many as the set has dimensions; NULL: it came by number only. */
const double *mpi_moved_place(const mpi_move *move, int32_t s, int64_t i);
/* Row of map m, which leads from set s; *n: its entries, 0 where it came by number only. */
const int64_t *mpi_moved_row(const mpi_move *move, int32_t s, int64_t i, int32_t m, int64_t *n);

#endif
