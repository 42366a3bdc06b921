/* SPDX-License-Identifier: Apache-2.0 */
/* side_by_side.h - what may run side by side, and which strategies may run a loop */
#ifndef MPLAN_SIDE_BY_SIDE_H
#define MPLAN_SIDE_BY_SIDE_H

#include "pipeline/planning.h"

/* Fills side; refuses a loop that no strategy may run. */
mplan_status mplan_planning_side_by_side(planning_loop *loop, mplan_error *err);
/* Whether, by that, a strategy may run it, and whether only strategies with colours may. */
bool mplan_planning_may_run(const planning_loop *loop, mplan_strategy strategy);
bool mplan_planning_needs_colours(const planning_loop *loop);
/* Whether arg a writes each point once, by a map by which the loop increments nothing: strategies that gather store it. */
bool mplan_planning_writes_beside(const planning_loop *loop, int32_t a);
/* MPLAN_ERR_ARGUMENT with the dat, the args and why, when it may not. */
mplan_status mplan_planning_refuse_strategy(const planning_loop *loop, mplan_strategy strategy,
                                            mplan_error *err);
/* MPLAN_ERR_ARGUMENT: the loop is not one that gathers, which this strategy needs. why: a clause, or "". */
mplan_status mplan_planning_refuse_gather(const char *loop, mplan_strategy strategy,
                                          const char *why, mplan_error *err);
/* Whether the strategies that gather have tables for a loop that writes by maps; *why: if not, what is in the way. */
bool mplan_planning_gathers(const planning *p, const planning_loop *loop, const char **why);
/* Warns of a loop that is planned, but that no executor has a kernel for. */
void mplan_planning_warn_of_kernels(const planning *p, const planning_loop *loop);

#endif
