/* SPDX-License-Identifier: Apache-2.0 */
/* first_touch.h - numbers by the order in which a list names things */
#ifndef MPLAN_FIRST_TOUCH_H
#define MPLAN_FIRST_TOUCH_H

#include "base/threads.h"

/* Gives numbers from `next` on to the points that values[0 ... n) name and that have none yet, in the order in which the list
 * first names them. number: of n_points points, -1 for none; entries of the list below 0 name nothing. first: scratch, n_points
 * entries of any value, or NULL: one thread does it. Returns how many points got numbers; next and these must stay below 2^31.
 * Linear in n and n_points; equal at any number of threads. */
int64_t mplan_number_first(mplan_team *team, int64_t n, const int32_t *values, int64_t n_points,
                           int32_t next, int32_t *number, int32_t *first);

#endif
