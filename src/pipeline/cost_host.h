/* SPDX-License-Identifier: Apache-2.0 */
/* cost_host.h - how long a loop will take under a strategy on a core of the host */
#ifndef MPLAN_COST_HOST_H
#define MPLAN_COST_HOST_H

#include "pipeline/cost_model.h"

/* As mplan_cost_seconds, for a profile whose warp is 1. */
double mplan_cost_host_seconds(const mplan_loop_shape *shape, const mplan_device *device,
                               mplan_strategy strategy, int32_t block_size);

#endif
