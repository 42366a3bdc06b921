/* SPDX-License-Identifier: Apache-2.0 */
/* support_plan_gather.h - variants that gather, for the naive planner */
#ifndef MPLAN_SUPPORT_PLAN_GATHER_H
#define MPLAN_SUPPORT_PLAN_GATHER_H

#include "plan/plan.h"

/* Whether block-gather, owner-gather, and owner-gather with pair32 or windows16 can run a loop. */
bool support_plan_gathers(const mplan_plan *plan, int32_t loop);
bool support_plan_owns(const mplan_plan *plan, int32_t loop);
bool support_plan_pairs(const mplan_plan *plan, int32_t loop);
bool support_plan_windowed(const mplan_plan *plan, int32_t loop);

/* Gives the plan the arrays of a variant of the loop that is about to be added, whose
 * strategy, block set, sums and encoding are set; sets what they decide. */
void support_plan_block_gather(mplan_plan *plan, int32_t loop, mplan_plan_variant *variant);
void support_plan_owner_gather(mplan_plan *plan, int32_t loop, mplan_plan_variant *variant,
                               uint64_t *seed);

#endif
