/* SPDX-License-Identifier: Apache-2.0 */
/* centroids.h - coordinates for the members of any set */
#ifndef MPLAN_CENTROIDS_H
#define MPLAN_CENTROIDS_H

#include "pipeline/planning.h"

/* Coordinates of a set: its own, or for each member the
 * mean of the points of a map to a set that has some. *coordinates stays NULL
 * without any; *owned says that the caller frees it. */
mplan_status mplan_centroids(const mplan_mesh *mesh, int32_t set, int32_t *dimension,
                             const double **coordinates, bool *owned, const mplan_context *context,
                             mplan_error *err);
/* The same, found when the partitioner wants it; row r is element r until the caller says otherwise. Without any finder->find
 * is NULL. The finder refers to the mesh. */
mplan_status mplan_centroid_finder(const mplan_mesh *mesh, int32_t set, int32_t *dimension,
                                   mplan_native_finder *finder, mplan_error *err);
void mplan_centroid_finder_free(mplan_native_finder *finder);
/* mplan_centroids for a planning set. */
mplan_status mplan_planning_coordinates(const planning *p, int32_t set, int32_t *dimension,
                                        const double **coordinates, bool *owned, mplan_error *err);

#endif
