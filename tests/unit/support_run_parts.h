/* SPDX-License-Identifier: Apache-2.0 */
/* support_run_parts.h - the loops of support_steps.h in parts: bundles are made, proved and run by any number of ranks */
#ifndef MPLAN_SUPPORT_RUN_PARTS_H
#define MPLAN_SUPPORT_RUN_PARTS_H

#include "support_steps.h"

#include "exec/meshplan_ranks.h"

/* Fails where parts do not prove as parts of the mesh. */
void support_steps_prove(const char *path, mplan_mesh *mesh);
/* Makes the bundle of a case, which is proved. */
void support_steps_bundle(const char *path, support_steps *test, const mplan_plan_options *options,
                          const mplan_parts_options *how, int32_t threads);
/* What `ranks` ranks make of it; halos that are out of date hold NaN. figures: may be NULL. */
void support_steps_in_parts(const char *path, const support_steps *test, int32_t ranks,
                            mplan_executor executor, bool overlap, steps_result *r,
                            mplan_exchange_figures *figures);

#endif
