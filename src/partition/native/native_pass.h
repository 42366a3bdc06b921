/* SPDX-License-Identifier: Apache-2.0 */
/* native_pass.h - one refinement pass: all pairs of a matching, shared by threads */
#ifndef MPLAN_NATIVE_PASS_H
#define MPLAN_NATIVE_PASS_H

#include "partition/native/native_pair.h"
#include "partition/native/native_schedule.h"

typedef struct native_pass {
    native_cut *cut;
    native_pair **pairs; /* scratch, for each thread of the team */
    const native_matching *matching;
    const native_schedule *plan;
    native_try how;
    mplan_effort effort;
    int32_t number; /* of the pass, from 0 */
    int32_t *gained; /* of each block: the last pass in which one of its pairs saved something, 0 at first */
} native_pass;

/* *saved: the weight of (block, point) pairs that all pairs saved. What comes out does not depend on the number of threads: each pair
 * is refined behind all pairs before it in the matching that have one of its blocks. */
mplan_status mplan_native_pass_run(const native_pass *pass, int64_t *saved,
                                   const mplan_context *context, mplan_error *err);

#endif
