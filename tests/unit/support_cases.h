/* SPDX-License-Identifier: Apache-2.0 */
/* support_cases.h - one right plan, and a line for each thing that is changed in it
 *
 * A test opens the plan once, names the proof that it asks, and lists changes:
 *     REFUSED("size -1", cases.plan->sets[0].size = -1);
 *     HOLDS(cases.plan->sets[0].size = 0);
 * After each the plan, what the proofs know of its loops, and what was asked are as before. Nothing of
 * the plan may be added or removed, but counts may shrink. */
#ifndef MPLAN_SUPPORT_CASES_H
#define MPLAN_SUPPORT_CASES_H

#include "check/check_request.h"
#include "support_test.h"

typedef struct support_region { /* bytes that come back after each change */
    void *at, *copy;
    size_t size;
} support_region;

typedef struct support_cases support_cases;
struct support_cases {
    mplan_mesh *mesh; /* owned, as the plan is */
    mplan_plan *plan;
    mplan_check check; /* of the plan; loops and pairs are filled */
    mplan_asked asked;
    mplan_status (*proof)(support_cases *cases, mplan_error *err); /* that is asked */
    int n_regions;
    support_region regions[400];
};

void support_cases_open(support_cases *cases, mplan_mesh *mesh, mplan_plan *plan);
/* What asked is now is what it will be again after each change. */
void support_cases_asked(support_cases *cases);
void support_cases_close(support_cases *cases);
/* The proof must answer `reason` (NULL: must hold); then all is as before. */
void support_cases_expect(support_cases *cases, const char *file, int line, const char *reason);

#define REFUSED(reason_, ...)                                        \
    do {                                                             \
        __VA_ARGS__;                                                 \
        support_cases_expect(&cases, __FILE__, __LINE__, (reason_)); \
    } while (0)
#define HOLDS(...)                                              \
    do {                                                        \
        __VA_ARGS__;                                            \
        support_cases_expect(&cases, __FILE__, __LINE__, NULL); \
    } while (0)

/* Records of the plan, to be changed. */
#define ARG_OF(l_, a_) ((mplan_plan_arg *)(uintptr_t)&cases.plan->loops[l_].args[a_])
#define VARIANT_OF(l_, v_) ((mplan_plan_variant *)(uintptr_t)&cases.plan->loops[l_].variants[v_])

#endif
