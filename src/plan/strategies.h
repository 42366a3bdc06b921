/* SPDX-License-Identifier: Apache-2.0 */
/* strategies.h - what the variants of a strategy hold: its row of the table in strategies.c */
#ifndef MPLAN_STRATEGIES_H
#define MPLAN_STRATEGIES_H

#include "plan/plan.h"

/* Strategies in which elements that share a point wait for one another's colour; strategies
 * that need a loop that gathers (mplan_plan_gathers), and become atomic where it increments nothing;
 * strategies that keep the increments of each point in a row, which has an order. */
enum {
    MPLAN_TRAITS_COLOURED = MPLAN_TRAIT_GLOBAL_COLOURS | MPLAN_TRAIT_THREAD_COLOURS,
    MPLAN_TRAITS_GATHER = MPLAN_TRAIT_RECORDS | MPLAN_TRAIT_OWNERS,
    MPLAN_TRAITS_ROWS = MPLAN_TRAIT_SLOT_LISTS | MPLAN_TRAIT_OWNERS
};

static inline bool mplan_strategy_has(mplan_strategy strategy, uint32_t traits)
{
    return (mplan_strategy_traits(strategy) & traits) != 0;
}

/* How a strategy runs elements: its only trait besides BLOCKS. Strategies may share one: they have the same tables and
 * run alike. Code that depends on how elements run asks for this, not for the strategy's name. */
static inline uint32_t mplan_strategy_way(mplan_strategy strategy)
{
    return mplan_strategy_traits(strategy) & ~(uint32_t)MPLAN_TRAIT_BLOCKS;
}

/* Whether results are kept by the first pass, and summed by a second one behind the last element. */
static inline bool mplan_strategy_sums_last(mplan_strategy strategy, mplan_sums sums)
{
    return mplan_strategy_has(strategy, MPLAN_TRAIT_SLOT_LISTS) ||
           (mplan_strategy_has(strategy, MPLAN_TRAIT_RECORDS) && sums == MPLAN_SUMS_PARTIAL);
}

/* Whether equal runs give equal bits. writes: the loop writes or sums (inc) through maps; min and max do
 * not depend on any order. */
bool mplan_variant_is_deterministic(mplan_strategy strategy, mplan_sums sums, bool writes);

/* Whether a strategy can run a loop with layers that increments one dat by two args with these slots. Colours take one offset
 * after the other, so that layers a stride apart meet on no level; blocks that gather give a level to the thread of the
 * layer that is the last to bring something, which must be one for both args. */
bool mplan_strategy_takes_slots(mplan_strategy strategy, const mplan_arg_layers *x,
                                const mplan_arg_layers *y);

/* Whether a variant launches its blocks colour by colour. */
bool mplan_variant_colours_blocks(const mplan_plan_variant *variant);

/* An array of a variant: its key is mplan_key_of_variant, it has one column. */
typedef struct mplan_variant_array {
    mplan_kind kind;
    mplan_type type;
    int64_t rows;
    bool at_most; /* rows is a limit: the records do not say how many */
} mplan_variant_array;

enum { MPLAN_VARIANT_ARRAYS_MOST = 8 };

/* The arrays that variant v of a loop must have, and returns how many: those of its strategy's row.
 * The variant names a block set where its strategy runs blocks. increments: what the loop gathers
 * (NULL: it does not, nor does the strategy). */
int32_t mplan_variant_arrays(const mplan_plan *plan, int32_t loop, int32_t v,
                             const mplan_increments *increments,
                             mplan_variant_array list[MPLAN_VARIANT_ARRAYS_MOST]);

#endif
