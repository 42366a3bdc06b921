/* SPDX-License-Identifier: Apache-2.0 */
/* loop_shape.h - what the cost model has to know of a loop */
#ifndef MPLAN_LOOP_SHAPE_H
#define MPLAN_LOOP_SHAPE_H

#include "pipeline/cost_model.h"
#include "pipeline/planning.h"

/* Linear in the maps of the loop. */
mplan_status mplan_planning_shape(const planning *p, const planning_loop *loop,
                                  mplan_loop_shape *shape, mplan_error *err);

#endif
