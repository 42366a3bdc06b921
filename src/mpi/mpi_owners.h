/* SPDX-License-Identifier: Apache-2.0 */
/* mpi_owners.h - which part owns each member: from the set that was cut to all others (parts/follow.c), over ranks
 *
 * Functions are collective. `p` is a planning whose sets and maps are those of the mesh by number (mpi_facts.h). */
#ifndef MPLAN_MPI_OWNERS_H
#define MPLAN_MPI_OWNERS_H

#include "mpi/mpi_facts.h"
#include "mpi/mpi_ids.h"
#include "pipeline/planning.h"

/* Owners of the members that this rank has. */
typedef struct mpi_owners {
    int32_t n_sets, n_parts;
    int32_t **owner; /* [planning set][member of this rank] */
    int64_t **base;  /* [planning set]: n_parts + 1 canonical ids, on every rank */
} mpi_owners;

/* owner: of the members of set `cut` that this rank has, each in [0, n_parts); it is copied. Release *owners also
 * after a failure. */
mplan_status mpi_owners_follow(const mpi_mesh *mesh, const planning *p, int32_t cut, int32_t n_parts,
                               const int32_t *owner, mpi_owners *owners, mplan_error *err);
void mpi_owners_free(mpi_owners *owners); /* not collective */

/* Owners of members of a set that this rank's rows name, those of other ranks as well. ids: ascending, each once. */
typedef struct mpi_owners_of {
    int64_t n, *ids;
    int32_t *owner;
    mpi_finder places;
} mpi_owners_of;
/* Of all entries but -1 of maps of planning to one set: n_maps of them. own: owners of the to-set's members of this rank.
 * Release *out also after a failure; no maps: an empty list, and nothing is sent. */
mplan_status mpi_owners_named(const mpi_mesh *mesh, const planning *p, int32_t n_maps,
                              const int32_t *maps, const int32_t *own, mpi_owners_of *out,
                              mplan_error *err);
void mpi_owners_of_free(mpi_owners_of *of); /* not collective */
/* Of one of the ids. */
int32_t mpi_owner_of(const mpi_owners_of *of, int64_t id);

#endif
