/* SPDX-License-Identifier: Apache-2.0 */
/* mpi_centres.h - coordinates of a set that has none of its own, where the mesh is spread over ranks
 *
 * They are those of pipeline/centroids.h, to the last bit. */
#ifndef MPLAN_MPI_CENTRES_H
#define MPLAN_MPI_CENTRES_H

#include "mpi/mpi_mesh.h"

/* A map from the set to one with coordinates, the first of the mesh; NULL without one. The same on every rank. Not collective. */
const mpi_map *mpi_map_to_coordinates(const mpi_mesh *mesh, int32_t set);
/* Means of the points of each row of this rank. own: `dimension` numbers for each member that this rank has of the to-set. *out:
 * as many by row; the caller's, NULL after a failure, which this rank may be the only one to have. Collective. */
mplan_status mpi_means(const mpi_mesh *mesh, const mpi_map *map, int32_t dimension,
                       const double *own, double **out, mplan_error *err);
/* Gives the set its centroids where it has no coordinates and they can be found. Collective; one status on all ranks. */
mplan_status mpi_centres_add(mpi_mesh *mesh, int32_t set, mplan_error *err);

#endif
