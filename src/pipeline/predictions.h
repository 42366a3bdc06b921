/* SPDX-License-Identifier: Apache-2.0 */
/* predictions.h - the cost model's view of a loop, kept for the plan */
#ifndef MPLAN_PREDICTIONS_H
#define MPLAN_PREDICTIONS_H

#include "pipeline/cost_model.h"
#include "pipeline/planning.h"

/* loop->view: what the model says of every strategy, after loop->strategies[0], loop->sums and the
 * block size have been chosen by it. seconds: by strategy, HUGE_VAL where it cannot run the loop;
 * conflicts: something is written through a map. */
void mplan_planning_predict(const planning *p, planning_loop *loop, bool conflicts,
                            const double seconds[MPLAN_N_STRATEGIES]);

/* Writes it into the record of the loop's variant; nothing where the model did not choose. */
void mplan_planning_state_view(const planning_loop *loop, mplan_plan_variant *record);

#endif
