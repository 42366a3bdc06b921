/* SPDX-License-Identifier: Apache-2.0 */
/* conflict_maps.h - the maps by which a loop writes: they make its elements conflict */
#ifndef MPLAN_CONFLICT_MAPS_H
#define MPLAN_CONFLICT_MAPS_H

#include "pipeline/planning.h"

typedef struct conflict_maps {
    int32_t n_maps;
    mplan_map *maps; /* stored */
    int32_t *which;  /* planning maps */
} conflict_maps;

/* Also what a failure leaves is for mplan_conflict_maps_free. */
mplan_status mplan_conflict_maps_of(const planning *p, const planning_loop *loop,
                                    conflict_maps *out, mplan_error *err);
void mplan_conflict_maps_free(conflict_maps *conflict);

#endif
