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

/* MPLAN_ERR_ARGUMENT: this strategy does not run layers with such increments, encodings or slices. */
mplan_status mplan_planning_refuse_layered(const planning_loop *loop, mplan_strategy strategy,
                                           const mplan_plan_options *options, mplan_error *err);

/* Bytes that one position of a block keeps for the increments of a loop with layers, in the smallest tile: one layer, and
 * those below it that lead to levels which that layer leads to, too (section 7 of the specification). */
int64_t mplan_planning_layer_bytes(const mplan_plan_loop *loop);

/* Gives the plan's set its layers and, where columns differ, their ranges in stored order. */
mplan_status mplan_planning_store_layers(planning *p, int32_t set, mplan_error *err);

/* Lines of the request (section 11); false with err filled when memory runs out. */
bool mplan_request_layers(mplan_vector *text, const planning *p, mplan_error *err);

#endif
