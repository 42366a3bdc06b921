/* SPDX-License-Identifier: Apache-2.0 */
/* mpi_key.h - hashes of all that the plan of a part is made from; not collective */
#ifndef MPLAN_MPI_KEY_H
#define MPLAN_MPI_KEY_H

#include "parts/parts.h"

/* Of all parts: the request, this build, and choices that were made for all. */
mplan_status mpi_key_of_all(const mplan_parts *parts, const char *request, bool compress,
                            uint64_t *key, mplan_error *err);
/* Of one: its mesh, which `room` was made for, its place among the parts, and who needs what of it. */
mplan_status mpi_key_of_part(const mplan_part_mesh *room, uint64_t of_all, uint64_t *key,
                             mplan_error *err);

#endif
