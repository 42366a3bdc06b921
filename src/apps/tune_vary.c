/* SPDX-License-Identifier: Apache-2.0 */
/* tune_vary.c - a plan whose loop is launched in another way, with the arrays of the one it is made from
 *
 * Where threads share no blocks, no array of a plan depends on how many there are: a table of launches over a mesh of many
 * millions of cells needs one plan, not one for each of its fields. */
#include <stdlib.h>
#include <string.h>

#include "apps/apps.h"
#include "base/error.h"
#include "base/memory.h"
#include "base/option_size.h"
#include "plan/plan.h"

/* Everything but the records of loops, and of the variants of one loop, is borrowed. */
struct mplan_tune_varied {
    mplan_plan plan; /* shallow: never to be freed as a plan */
    mplan_plan_loop *loops;
    mplan_plan_variant *variants;
};

mplan_status mplan_tune_vary(const mplan_plan *plan, int32_t loop, int32_t threads,
                             int32_t elements_per_thread, mplan_tune_varied **varied,
                             mplan_error *err)
{
    MPLAN_NEED(plan);
    MPLAN_NEED(varied);
    if (loop < 0 || loop >= plan->n_loops)
        return mplan_fail(err, MPLAN_ERR_ARGUMENT, "loop must be in 0 to %d, not %d",
                          (int)plan->n_loops - 1, (int)loop);
    if (threads < 32 || threads > 1024 || threads % 32 != 0)
        return mplan_fail(err, MPLAN_ERR_ARGUMENT,
                          "threads must be a multiple of 32 between 32 and 1024, not %d",
                          (int)threads);
    if (elements_per_thread < 1)
        return mplan_fail(err, MPLAN_ERR_ARGUMENT, "elements_per_thread must be at least 1, not %d",
                          (int)elements_per_thread);
    const mplan_plan_loop *own = &plan->loops[loop];
    const uint32_t lists = MPLAN_TRAIT_BLOCKS | MPLAN_TRAIT_SLOT_LISTS | MPLAN_TRAIT_OWNERS;
    const int32_t v = own->default_variant;
    if (own->layering || (mplan_strategy_traits(own->variants[v].strategy) & lists))
        return mplan_fail(err, MPLAN_ERR_UNSUPPORTED,
                          "loop %s: threads of %s cannot be varied without another plan", own->name,
                          mplan_strategy_name(own->variants[v].strategy));
    mplan_tune_varied *made = mplan_alloc_zero(1, sizeof *made, err);
    if (!made)
        return MPLAN_ERR_MEMORY;
    made->plan = *plan;
    made->loops = mplan_copy(plan->loops, plan->n_loops, sizeof *plan->loops, err);
    made->variants = mplan_copy(own->variants, own->n_variants, sizeof *own->variants, err);
    if (!made->loops || !made->variants) {
        mplan_tune_varied_free(made);
        return MPLAN_ERR_MEMORY;
    }
    made->variants[v].threads = threads;
    made->variants[v].elements_per_thread = elements_per_thread;
    made->loops[loop].variants = made->variants;
    made->plan.loops = made->loops;
    *varied = made;
    return MPLAN_OK;
}

const mplan_plan *mplan_tune_varied_plan(const mplan_tune_varied *varied)
{
    return varied ? &varied->plan : NULL;
}

void mplan_tune_varied_free(mplan_tune_varied *varied)
{
    if (!varied)
        return;
    free(varied->loops);
    free(varied->variants);
    free(varied);
}
