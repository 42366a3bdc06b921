/* SPDX-License-Identifier: Apache-2.0 */
/* support_interleave.h - a loop of a plan, run with its steps interleaved in any order
 *
 * The plainest reading of section 10 of formats/plan-format.md: what runs at the same time under
 * a strategy are tasks, whose steps (one read, one write, one atomic add) may follow one another in
 * any order. Elements compute a hash of all that they read, sums wrap: a result that depends on the
 * order shows, and the order in which sums are added does not. */
#ifndef MPLAN_SUPPORT_INTERLEAVE_H
#define MPLAN_SUPPORT_INTERLEAVE_H

#include "support_test.h"

/* A strategy, and what it leaves open. */
typedef struct support_way {
    mplan_strategy strategy;
    mplan_sums sums; /* of block-gather */
    bool late;       /* block-colour keeps the increments of a block until its end; owner-gather
                      * stores direct results in the first run of an element only */
} support_way;

/* Whether every order of steps that was tried gave what the elements give one after the other (in
 * the order of launches, where a strategy has colours). The plan has loop 0 with variants of
 * global-colour and block-colour, in this order, whose tables are used; the dats, maps and
 * accesses of its args are what counts, be they what they may. n_orders random ones are tried. */
bool support_interleave(const mplan_plan *plan, support_way way, int n_orders, uint64_t *seed);

#endif
