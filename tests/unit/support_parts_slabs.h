/* SPDX-License-Identifier: Apache-2.0 */
/* support_parts_slabs.h - bundles of airfoil whose parts have slabs */
#ifndef MPLAN_SUPPORT_PARTS_SLABS_H
#define MPLAN_SUPPORT_PARTS_SLABS_H

#include "support_limited.h"

#include "exec/ranks/exec_parts.h"

/* bytes 0: without a limit, and so without slabs. The status of planning. */
static inline mplan_status make_bundle(limited *of, const char *path, int32_t n_parts, int64_t bytes,
                                       int32_t steps, int32_t rings, mplan_sums_order order)
{
    mplan_plan_options options = MPLAN_PLAN_OPTIONS_INIT;
    mplan_parts_options how = MPLAN_PARTS_OPTIONS_INIT;
    mplan_parts *parts = NULL;
    options.n_step = of->n_step;
    options.step = of->step;
    options.step_clears = of->step + of->n_step;
    options.device_memory = bytes;
    options.steps_per_visit = steps;
    options.rings = rings;
    options.sums_order = order;
    if (!bytes) {
        options.n_strategies = 1;
        options.strategies[0] = MPLAN_STRATEGY_OWNER_GATHER;
    }
    how.n_parts = n_parts;
    mplan_status status = mplan_parts_create(of->mesh, of->n_loops, of->loops, &options, &how, NULL,
                                             &parts, &of->err);
    if (!status)
        status = mplan_parts_write(parts, path, NULL, NULL, NULL, &of->err);
    mplan_parts_free(parts);
    return status;
}

static inline mplan_bundle *open_bundle(limited *of, const char *path)
{
    mplan_bundle *bundle;
    assert_done(mplan_bundle_open(path, NULL, &bundle, &of->err), &of->err);
    return bundle;
}

#endif
