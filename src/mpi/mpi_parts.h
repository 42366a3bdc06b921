/* SPDX-License-Identifier: Apache-2.0 */
/* mpi_parts.h - a mesh that is spread over ranks becomes parts, of which each rank can plan its own
 *
 * The counterpart of mplan_parts_create: owners (mpi_owners.h), what each rank needs (mpi_move.h), the piece of the mesh that
 * it makes of that, halos by the code of parts/, and from other ranks what they import. */
#ifndef MPLAN_MPI_PARTS_H
#define MPLAN_MPI_PARTS_H

#include "mpi/mpi_facts.h"
#include "parts/parts.h"

/* How parts come about. */
typedef struct mpi_parts_options {
    int32_t n_parts; /* 0: the largest number of `owner` tells */
    const int32_t *owner; /* parts of the members that this rank has of the set that is cut; NULL: they are cut here */
    int64_t n_owner;        /* numbers that the caller's file has, of the whole set */
    const char *owner_file; /* its name, for messages; NULL: none */
    double imbalance;       /* of the cut; 0: the cut's own */
    int32_t nodes;          /* as mpi_cut_options has it, and the next */
    const int64_t *weight;  /* of the members that this rank has of the set that is cut */
    const int64_t *group;
    int64_t n_groups;
    bool ptscotch;
    int32_t cut_ranks;
} mpi_parts_options;

typedef struct mpi_parts {
    mpi_facts facts;
    int64_t *first;     /* ranks + 1: parts that each rank plans */
    char how[64];       /* who cut, where parts->how is this */
    mplan_parts *parts; /* of this rank: [first[rank], first[rank + 1]) */
    mplan_mesh *piece;  /* that it has members of */
    uint64_t *rows; /* by set, on every rank: sums of hashes of all rows of the mesh, by which the bundle is compared with it */
} mpi_parts;

/* What a request asks of the mesh is derived first; facts are those of the mesh afterwards. Collective. *out must stay where
 * it is; release it also after a failure. */
mplan_status mpi_parts_resolve(mpi_mesh *mesh, int32_t n_loops, const mplan_loop *loops,
                               mpi_parts *out, mplan_error *err);
/* A set that no loop can find may be a group that was not read: adds so much to the sentence of a failure. Not collective. */
mplan_status mpi_tell_of_groups(const mpi_mesh *mesh, const char *over, mplan_status status,
                                mplan_error *err);
/* After it: sets, maps, loops and choices; and which set is to be cut. */
mplan_status mpi_parts_choose(int32_t n_loops, const mplan_loop *loops,
                              const mplan_plan_options *options, const mplan_context *context,
                              mpi_parts *out, int32_t *cut, mplan_error *err);
/* And the parts. Afterwards the mesh is not needed any more: when it is cut, it loses what is not in the plan. */
mplan_status mpi_parts_make(mpi_mesh *mesh, const mpi_parts_options *options,
                            const mplan_context *context, mpi_parts *out, mplan_error *err);
void mpi_parts_free(mpi_parts *parts); /* not collective */

#endif
