/* SPDX-License-Identifier: Apache-2.0 */
/* support_bind.h - what binding may accept, said a second time and plainly
 *
 * Shares no code with src/exec/binding/bind_check*.c: rules of formats/plan-format.md and what
 * kernels index, one number after the other. */
#ifndef MPLAN_SUPPORT_BIND_H
#define MPLAN_SUPPORT_BIND_H

#include "plan/plan.h"

/* No slot of an element of the loop is without a point. */
bool support_bind_complete(const mplan_plan *plan, int32_t loop);
/* Whether launches of a variant stay inside everything they index. Serial: of the loop's
 * maps. The plan's arrays have their shapes. */
bool support_bind_allows(const mplan_plan *plan, int32_t loop, int32_t variant, bool serial);
/* Positions of a variant's longest block; 0 where its strategy has no blocks. */
int64_t support_bind_longest(const mplan_plan *plan, int32_t loop, int32_t variant);

#endif
