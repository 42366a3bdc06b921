/* SPDX-License-Identifier: Apache-2.0 */
/* support_plan.h - a naive planner for tests
 *
 * Builds whole, right plans for small meshes by the plainest code: random
 * orders, random cuts, first-fit colours by comparing everything with
 * everything. Nothing of it comes from the library's planner. */
#ifndef MPLAN_SUPPORT_PLAN_H
#define MPLAN_SUPPORT_PLAN_H

#include "meshplan.h"
#include "plan/plan.h"

typedef struct support_plan_options {
    int32_t block_limit;
    bool holes;     /* storage sizes exceed sizes */
    bool sequences; /* loops get a second block set, by a stored sequence */
    bool measure;   /* bandwidth and profile of every set */
} support_plan_options;

/* Plans over all sets and maps of the mesh; the loops' maps must exist. Every
 * loop has a block-colour variant for each of its block sets (and for one of an
 * earlier loop over the same set), global-colour, two-step and atomic; one that
 * gathers, block-gather with all sums, and owner-gather in all encodings that can
 * say it: as far as they may run it (support_side.h). Storage sizes must stay below 64. */
mplan_plan *support_plan(mplan_mesh *mesh, int32_t n_loops, const mplan_loop *loops,
                         const support_plan_options *options, uint64_t *seed);

/* mplan_plan_verify, but for what concerns the request: none leads to plans of this planner. */
mplan_status support_verify(const mplan_plan *plan, mplan_mesh *mesh, const mplan_context *context,
                            mplan_error *err);

/* Whether two elements (stored indices) meet in a point that the loop writes or
 * increments. */
bool support_elements_meet(const mplan_plan *plan, int32_t loop, int32_t e, int32_t f);

#endif
