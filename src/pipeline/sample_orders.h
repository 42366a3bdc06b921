/* SPDX-License-Identifier: Apache-2.0 */
/* sample_orders.h - do coordinates follow the mesh? */
#ifndef MPLAN_SAMPLE_ORDERS_H
#define MPLAN_SAMPLE_ORDERS_H

#include "meshplan.h"

/* Points that blocks of 128 elements touch when points go as order/agglomerate.c has them, as a
 * share of what they touch along an order by coordinates (new_of_old; all maps lead to its set), by a sample of
 * at most 32,768 points. Linear in the maps; scratch of the sample. */
mplan_status mplan_planning_curve_share(const mplan_map *maps, int32_t n_maps,
                                        const int32_t *new_of_old, const mplan_context *context,
                                        double *share, mplan_error *err);
/* Below this share AUTO leaves coordinates aside: on round cells the two orders differ by less, and
 * Hilbert's touches fewer cache lines. */
#define MPLAN_SHARE_FOR_ORDER 0.98

#endif
