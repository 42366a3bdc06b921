/* SPDX-License-Identifier: Apache-2.0 */
/* support_side.h - what may run side by side, as the specification itself says it
 *
 * The tables of section 10 of formats/plan-format.md, read from the file: what the planner, the
 * proofs and binding say, each by code of its own, is compared with them. */
#ifndef MPLAN_SUPPORT_SIDE_H
#define MPLAN_SUPPORT_SIDE_H

#include "support_test.h"

/* Ascending: what one of them allows, all behind it allow. "-": cannot be. */
enum { SUPPORT_NO, SUPPORT_COLOURS, SUPPORT_ONCE, SUPPORT_YES, SUPPORT_CANNOT_BE };
/* Accesses of the tables: those of mplan_access, and two more. */
enum { SUPPORT_MIN = MPLAN_INC + 1, SUPPORT_MAX, SUPPORT_ACCESSES };
/* Columns of the tables. */
enum { SUPPORT_DIRECT, SUPPORT_MAPPED, SUPPORT_GLOBAL, SUPPORT_WAYS };
enum {
    SUPPORT_BOTH_DIRECT,
    SUPPORT_ONE_MAP,
    SUPPORT_BOTH_WRITTEN,
    SUPPORT_ONE_READ_ONLY,
    SUPPORT_DIRECT_AND_MAP,
    SUPPORT_ANY_GLOBAL,
    SUPPORT_PAIRS
};

int support_word_of_arg(int access, int way);
int support_word_of_pair(int one, int other, int pair);
bool support_word_allows(int word, mplan_strategy strategy);

/* The word of args a and b of a loop (a == b: of the arg only); YES where their dats differ. */
int support_word_of(const mplan_plan_loop *loop, int32_t a, int32_t b);
/* Whether all words about a loop of a plan allow a strategy. */
bool support_may_run(const mplan_plan_loop *loop, mplan_strategy strategy);

#endif
