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

/* Members of one set of planning that a rank got, ascending by number. A part that owns it, coordinates and rows are known of
 * those that came; of others the number only. */
typedef struct mpi_moved_set {
    int64_t n;
    int64_t *ids;
    int32_t *owner; /* n_parts: it is there by number only */
    uint8_t *run; /* a part of this rank owns it, or runs it as an element that changes what it owns */
    double *xyz; /* as many as the set has dimensions, NULL: none; zeros where it is there by number only */
    int32_t *ranges; /* layers of columns that differ, and masks (mpi_set); NULL: none; zeros as above */
    uint32_t *mask;
} mpi_moved_set;

/* Rows of a map of planning, by the members of its from-set; of a member that is there by number only a row of -1, or an empty
 * one where the map is ragged. */
typedef struct mpi_moved_map {
    int64_t *offsets; /* ragged maps: n + 1, from 0; NULL else */
    int64_t *values;  /* numbers of the whole mesh, or -1 */
} mpi_moved_map;

typedef struct mpi_move {
    const mpi_mesh *mesh; /* until mpi_move_close: its members can still be asked for */
    const planning *p;
    const mpi_owners *owners;
    const int64_t *first; /* ranks + 1: parts of each rank */
    mplan_map_use *uses;
    mpi_moved_set *sets; /* by set of planning */
    mpi_moved_map *maps; /* by map of planning */
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

/* Row of map m, which leads from set s; *n: its entries, 0 where member i came by number only. */
const int64_t *mpi_moved_row(const mpi_move *move, int32_t s, int64_t i, int32_t m, int64_t *n);
static inline bool mpi_moved_came(const mpi_move *move, int32_t s, int64_t i)
{
    return move->sets[s].owner[i] < move->owners->n_parts;
}

/* --- mpi_moved.c ------------------------------------------------------------------------------------- */

/* Members of this rank of a set of planning, for other ranks: index, counted from the first that this rank has, those for
 * each rank together, by rank: counts[r]. */
typedef struct mpi_parcel {
    int32_t set;
    int64_t n, *index, *counts;
} mpi_parcel;
/* Sends all that is known of them, and takes what comes: those of each rank ascend, and numbers that were there by number only are
 * replaced. run: of all that comes. Collective. */
mplan_status mpi_moved_send(mpi_move *move, mplan_status status, const mpi_parcel *parcel, bool run,
                            mplan_error *err);
/* Members of which the numbers are known: n, ascending, none of which is there. Not collective. */
mplan_status mpi_moved_add(mpi_move *move, int32_t s, int64_t n, const int64_t *ids,
                           mplan_error *err);
/* Releases what came of a set, with the rows from it. */
void mpi_moved_free(mpi_move *move, int32_t s);

#endif
