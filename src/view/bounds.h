/* SPDX-License-Identifier: Apache-2.0 */
/* bounds.h - what the two files of bounds share */
#ifndef MPLAN_BOUNDS_H
#define MPLAN_BOUNDS_H

#include "base/threads.h"
#include "meshplan.h"

/* Whether the offsets of a stored map lie in it, ascending, and every value is a point
 * or -1. */
bool mplan_bounds_map_is_sound(const mplan_plan *plan, int32_t map, mplan_team *team);

#endif
