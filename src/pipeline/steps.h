/* SPDX-License-Identifier: Apache-2.0 */
/* steps.h - the steps of planning, in the order in which plan_create.c takes them
 *
 * Each reads and fills the state of planning.h; no step calls another. A step that fails leaves what
 * mplan_planning_free releases. */
#ifndef MPLAN_STEPS_H
#define MPLAN_STEPS_H

#include "pipeline/planning.h"

/* Finds or derives the sets and maps that the loops name, splits sets, refuses loops that no strategy may run. */
mplan_status mplan_step_resolve(planning *p, mplan_error *err);
/* Bytes that a loop moves, with what has been resolved of it. */
int64_t mplan_planning_loop_bytes(const planning *p, const planning_loop *loop);

/* Strategies, block size, partitioner, point order and layouts that were left to choose. */
mplan_status mplan_step_choose(planning *p, mplan_error *err);

/* Renumbers the set that the primary loop leads to, and sorts that loop's elements by their points: `numbering`. */
mplan_status mplan_step_renumber(planning *p, mplan_error *err);

/* Cuts the primary loop's elements into blocks: numbering.block and primary_blocks. */
mplan_status mplan_step_partition(planning *p, mplan_error *err);

/* The stored order of every set: new_of_old. */
mplan_status mplan_step_order(planning *p, mplan_error *err);

/* Every map in stored order; the plan gets its records of sets, maps and loops. */
mplan_status mplan_step_store(planning *p, mplan_error *err);

/* The blocks of every loop, what they touch, and their metrics; the plan gets these tables. */
mplan_status mplan_step_block_tables(planning *p, mplan_error *err);

/* A record for every variant, and the colours of the strategies that need some; the plan gets the colours. */
mplan_status mplan_step_colour(planning *p, mplan_error *err);

/* The tables of the strategies that gather; the plan gets them, and the records of all variants. */
mplan_status mplan_step_pack(planning *p, mplan_error *err);

/* Fingerprints and texts; orders and maps become the plan's, which is sealed. */
mplan_status mplan_step_seal(planning *p, mplan_error *err);

#endif
