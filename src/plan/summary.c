/* SPDX-License-Identifier: Apache-2.0 */
/* summary.c - a plan in one sentence, for the first line of reports */
#include <inttypes.h>
#include <stdio.h>

#include "plan/plan.h"

/* The primary loop; the first one where a plan, which nobody proved, names none; NULL without loops. */
static const mplan_plan_loop *first_loop(const mplan_plan *plan)
{
    for (int32_t l = 0; l < plan->n_loops; l++)
        if (plan->loops[l].primary)
            return &plan->loops[l];
    return plan->n_loops ? &plan->loops[0] : NULL;
}

/* " in 223 blocks of at most 64"; nothing of variants without blocks. */
static void write_blocks(const mplan_plan *plan, const mplan_plan_variant *variant, char *text,
                         size_t size)
{
    *text = '\0';
    if (variant->block_set < 0 || variant->block_set >= plan->n_block_sets)
        return;
    const mplan_plan_block_set *blocks = &plan->block_sets[variant->block_set];
    snprintf(text, size, " in %" PRId64 " block%s of at most %d", blocks->n_blocks,
             blocks->n_blocks == 1 ? "" : "s", (int)blocks->block_limit);
}

/* What runs by default, and what it promises. Long names are cut. */
void mplan_plan_summary(const mplan_plan *plan, char *text, size_t size)
{
    if (!text || size == 0)
        return;
    *text = '\0';
    const mplan_plan_loop *loop = plan ? first_loop(plan) : NULL;
    if (!loop)
        return;
    const mplan_plan_variant *variant = &loop->variants[loop->default_variant];
    const int64_t n = plan->sets[loop->set].size;
    char blocks[64], over[120], others[64] = "";
    /* names of sets say many: "over 17 faces", but "over faces (1 element)" */
    if (n == 1)
        snprintf(over, sizeof over, "%.80s (1 element)", plan->sets[loop->set].name);
    else
        snprintf(over, sizeof over, "%" PRId64 " %.80s", n, plan->sets[loop->set].name);
    write_blocks(plan, variant, blocks, sizeof blocks);
    if (plan->n_loops > 1)
        snprintf(others, sizeof others, "; %d more loop%s", (int)plan->n_loops - 1,
                 plan->n_loops == 2 ? "" : "s");
    snprintf(text, size, "%.80s over %s runs by %s%s, %s%s", loop->name, over,
             mplan_strategy_name(variant->strategy), blocks,
             variant->deterministic ? "equal bits in every run" : "sums in no fixed order", others);
}
