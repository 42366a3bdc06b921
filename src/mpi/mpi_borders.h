/* SPDX-License-Identifier: Apache-2.0 */
/* mpi_borders.h - which parts are neighbours, in which round each pair is looked at, and which vertices are near
 *
 * A sweep goes once over all pairs of neighbouring parts. What is found here is the same for any number of ranks. */
#ifndef MPLAN_MPI_BORDERS_H
#define MPLAN_MPI_BORDERS_H

#include "base/memory.h"
#include "mpi/mpi_graph.h"

enum { MPI_NEAR = 4 }; /* other parts that a vertex is near, at most */

/* Other parts that are at most three steps away, the nearest first; -1: no more. */
typedef struct mpi_near {
    int32_t part[MPI_NEAR];
} mpi_near;

/* Two parts with edges between them, a < b. */
typedef struct mpi_border {
    int32_t a, b;
    int64_t weight; /* of these edges, when the sweep began */
    int32_t round;
} mpi_border;

/* All pairs of parts, once. */
typedef struct mpi_sweep {
    mpi_parted *parted;
    mpi_near *near;    /* [place] */
    int64_t n_borders; /* of all, by round */
    mpi_border *borders;
    int32_t *mate;  /* [part]: in this round; -1: none */
    int32_t *index; /* [part]: of its border in this round */
    bool *changed;  /* [part]: in the sweep before */
    bool *changes;  /* in this one */
    int64_t *begin; /* [border], n_borders + 1: own vertices that were near it when the sweep began, in `band` */
    int32_t *band;
    int32_t *turn_of;   /* [own vertex]: the last round in which it was looked at */
    mplan_vector moved; /* int32_t, own vertices that moved in this sweep */
} mpi_sweep;

/* Whether a part is among those that are near. */
static inline bool mpi_is_near(const mpi_near *near, int32_t part)
{
    return near->part[0] == part || near->part[1] == part || near->part[2] == part ||
           near->part[3] == part;
}
/* A vertex that leaves a part is near it: the farthest makes room where there are four. */
void mpi_leave(mpi_near *near, int32_t part);

/* mpi_find_borders, mpi_find_near and mpi_find_band are collective, the others are not. sweep->borders: those of all
 * ranks, released before where there are some. */
mplan_status mpi_find_borders(mpi_sweep *sweep, mplan_error *err);
/* Leaves out borders of two parts that did not change in the sweep before: moves there would save nothing again. */
void mpi_drop_old_borders(mpi_sweep *sweep);
/* Each border gets the first round in which both of its parts are free, heavy ones first; sorts them by round. */
mplan_status mpi_deal_rounds(mpi_sweep *sweep, mplan_error *err);
/* sweep->near of own vertices and ghosts: from borders inwards, a step at a time, all vertices at once. */
mplan_status mpi_find_near(mpi_sweep *sweep, mplan_error *err);
/* begin and band, of the borders in the order of their rounds; nothing has moved then. */
mplan_status mpi_find_band(mpi_sweep *sweep, mplan_error *err);

#endif
