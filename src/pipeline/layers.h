/* SPDX-License-Identifier: Apache-2.0 */
/* layers.h - loops over columns of layers: what a request says of them
 *
 * Everything else of planning sees the base mesh only (formats/plan-format.md, LAYERS). */
#ifndef MPLAN_PIPELINE_LAYERS_H
#define MPLAN_PIPELINE_LAYERS_H

#include "base/memory.h"
#include "pipeline/planning.h"

/* Fills what sets and loops have of p->asked->layers; MPLAN_ERR_ARGUMENT names loop and arg that cannot be.
 * Sets, maps and loops are resolved. */
mplan_status mplan_planning_layers(planning *p, mplan_error *err);

/* MPLAN_ERR_ARGUMENT: this strategy has no layers, or not with such increments. */
mplan_status mplan_planning_refuse_layered(const planning_loop *loop, mplan_strategy strategy,
                                           const mplan_plan_options *options, mplan_error *err);

/* Gives the plan's set its layers and, where columns differ, their ranges in stored order. */
mplan_status mplan_planning_store_layers(planning *p, int32_t set, mplan_error *err);

/* Lines of the request (section 11); false with err filled when memory runs out. */
bool mplan_request_layers(mplan_vector *text, const planning *p, mplan_error *err);

#endif
