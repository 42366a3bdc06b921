/* SPDX-License-Identifier: Apache-2.0 */
/* point_lists.h - what the rows of maps say of each point, side by side */
#ifndef MPLAN_POINT_LISTS_H
#define MPLAN_POINT_LISTS_H

#include "meshplan.h"

/* The values of point p are values[offsets[p]] ... values[offsets[p + 1] - 1]. */
typedef struct mplan_point_lists {
    int64_t *offsets; /* n_points + 1 */
    int32_t *values;
} mplan_point_lists;

/* For each point of maps[0]'s to-set the values of the rows that name it, through any of the maps (all between the same two
 * sets), ascending and each once. value: one per row; NULL: its number. Entries of -1 are skipped. Linear for points of few rows;
 * scratch 8 bytes an entry. Release both arrays with free(). */
mplan_status mplan_point_lists_create(const mplan_map *maps, int32_t n_maps, const int32_t *value,
                                      mplan_point_lists *out, const mplan_context *context,
                                      mplan_error *err);

/* For each point the points that rows join it with, ascending and each once. All maps have arity 2 and lead to one set; their rows
 * may be of several sets. Rows with -1, and of one point, join nothing. */
mplan_status mplan_pair_lists_create(const mplan_map *maps, int32_t n_maps, mplan_point_lists *out,
                                     const mplan_context *context, mplan_error *err);

#endif
