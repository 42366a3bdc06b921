/* SPDX-License-Identifier: Apache-2.0 */
/* sample_orders.h - do coordinates follow the mesh? */
#ifndef MPLAN_SAMPLE_ORDERS_H
#define MPLAN_SAMPLE_ORDERS_H

#include "meshplan.h"

/* Whether members name so many others of their own set that these are all round them (-1, and the member itself, do not count).
 * Clusters are then made on what rows name: of what rows join, all with all, a stencil of 18 neighbours has 92 a cell, which take five
 * times as long and give runs of 256 cells that touch 9 % more points. Six neighbours, those behind the faces of a hex, are a star with
 * gaps: there runs would touch 14 % more. */
bool mplan_planning_names_all_round(const mplan_map *maps, int32_t n_maps);

/* Points that blocks of 128 elements touch when points go as order/agglomerate.c has them, as a
 * share of what they touch along an order by coordinates (new_of_old; all maps lead to its set), by a sample of
 * at most 32,768 points. Linear in the maps; scratch of the sample. */
mplan_status mplan_planning_curve_share(const mplan_map *maps, int32_t n_maps,
                                        const int32_t *new_of_old, const mplan_context *context,
                                        double *share, mplan_error *err);
/* Below this share AUTO leaves coordinates aside: on round cells the two orders differ by less, and
 * Hilbert's touches fewer cache lines. */
#define MPLAN_SHARE_FOR_ORDER 0.98

/* A stretched curve has to be as good: cells that are flat in one place only would lose up to 4 % of reuse by it. */
#define MPLAN_SHARE_FOR_STRETCHED 1.0

/* For a curve that misleads: the order along a Hilbert curve through the coordinates in the metric of the mesh's own edges, the mean of
 * what a sample of the rows spread over, in which cells that are equally flat everywhere are round. *follows: whether it follows the
 * mesh, by the same sample; otherwise new_of_old stays as it was. coordinates: n_points x dimension (2 or 3), of the set that all maps
 * lead to. Scratch of the coordinates and an order. */
mplan_status mplan_planning_stretched_curve(const mplan_map *maps, int32_t n_maps,
                                            int32_t dimension, const double *coordinates,
                                            int32_t *new_of_old, bool *follows,
                                            const mplan_context *context, mplan_error *err);

/* Both, for an order along a curve through the coordinates: *follows says whether it follows the mesh as it is, or does through
 * stretched coordinates, to which new_of_old is then changed. */
mplan_status mplan_planning_curve_follows(const mplan_map *maps, int32_t n_maps, int32_t dimension,
                                          const double *coordinates, int32_t *new_of_old,
                                          bool *follows, const mplan_context *context,
                                          mplan_error *err);

#endif
