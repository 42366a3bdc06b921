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
/* The same for a planning set. */
mplan_status mplan_planning_coordinates(const planning *p, int32_t set, int32_t *dimension,
                                        const double **coordinates, bool *owned, mplan_error *err);

#endif
