/* SPDX-License-Identifier: Apache-2.0 */
/* loop_conflicts.h - the step of a plan and what its loops are to one another */
#ifndef MPLAN_LOOP_CONFLICTS_H
#define MPLAN_LOOP_CONFLICTS_H

#include "pipeline/planning.h"

/* Refuses a step that names loops which are not there. */
mplan_status mplan_planning_step(const mplan_plan_options *options, int32_t n_loops,
                                 mplan_error *err);

/* The plan gets the step that was asked for, and the conflicts of its loops; nothing without one.
 * Linear in the step's accesses but for sorting names of dats. */
mplan_status mplan_planning_conflicts(planning *p, mplan_error *err);

#endif
