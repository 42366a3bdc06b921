/* SPDX-License-Identifier: Apache-2.0 */
/* shared_points.h - the points that several blocks touch, and which */
#ifndef MPLAN_SHARED_POINTS_H
#define MPLAN_SHARED_POINTS_H

#include "base/memory.h"
#include "meshplan.h"

/* Appends, point by point, the blocks of those that 2 ... most touch through any of the maps
 * (all to one set), ascending, to `blocks` (int32_t) and where each list ends to `ends`
 * (int64_t). block: one per row. Lists are the same for any number of threads. Scratch 5
 * bytes a point and 4 an entry of points that several blocks touch. */
mplan_status mplan_shared_points(const mplan_map *maps, int32_t n_maps, const int32_t *block,
                                 int32_t most, mplan_vector *ends, mplan_vector *blocks,
                                 const mplan_context *context, mplan_error *err);

#endif
