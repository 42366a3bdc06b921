/* SPDX-License-Identifier: Apache-2.0 */
/* ring_steps.h - how many steps one exchange of halos serves where parts compute rings around what they own
 *
 * For the planner, which makes visits of no more steps, and for the executor, which exchanges between them; `check` has its own reading of
 * formats/plan-format.md (PARTS, Rings). */
#ifndef MPLAN_PLAN_RING_STEPS_H
#define MPLAN_PLAN_RING_STEPS_H

#include "plan/plan.h"

/* An entry of the step; args are borrowed. Only dat, map and access of an arg count. */
typedef struct mplan_ring_entry {
    int32_t n_args;
    const mplan_plan_arg *args;
    int32_t clear; /* 1 + the arg whose dat is set to zero before; 0: none */
} mplan_ring_entry;

/* The dats of a step, in the order in which it names them. */
typedef struct mplan_ring_steps {
    int32_t n_entries, n_dats;
    const mplan_ring_entry *entries;
    int32_t *dat;      /* number of the dat of each arg, entry after entry; -1: a global */
    const char **name; /* n_dats */
    bool *changed;     /* n_dats: the step changes it */
    bool *needed; /* n_dats: the step uses what was there when it began: its halo must be right then */
    int32_t *level; /* n_dats, scratch */
} mplan_ring_steps;

/* entries are borrowed and must outlive *out; close it also after a failure, which is MPLAN_ERR_MEMORY. */
mplan_status mplan_ring_steps_open(const mplan_ring_entry *entries, int32_t n_entries,
                                   mplan_ring_steps *out, mplan_error *err);
void mplan_ring_steps_close(mplan_ring_steps *steps);
/* Steps after which what parts own is right still, where all halos that are needed were right up to ring `rings` + 1 before; at most `most`.
 * 0: not even one. rings: at least 1. */
int32_t mplan_ring_steps_count(mplan_ring_steps *steps, int32_t rings, int32_t most);
/* The least number of rings with which one exchange serves n steps. */
int32_t mplan_ring_steps_rings(mplan_ring_steps *steps, int32_t n);

/* The same of the step of a plan: *entries is the caller's. */
mplan_status mplan_ring_steps_of_plan(const mplan_plan *plan, mplan_ring_entry **entries,
                                      mplan_ring_steps *out, mplan_error *err);

#endif
