/* SPDX-License-Identifier: Apache-2.0 */
/* partition_loop.h - the elements of one loop cut into blocks */
#ifndef MPLAN_PARTITION_LOOP_H
#define MPLAN_PARTITION_LOOP_H

#include "pipeline/planning.h"

/* The first n of a loop's elements in a numbering in which the loop's maps are `maps` (one per map of the loop, of these n
 * rows). element_order: mesh's member -> that numbering. The entries of the maps are not read while they are not needed if
 * their owner has a way to free them then (drop, which may not be called) and to make them again (restore, which is called
 * only after drop); NULL: they stay. */
typedef struct planning_numbered {
    const mplan_map *maps;
    int64_t n;
    const int32_t *element_order;
    void (*drop)(void *owner);
    mplan_status (*restore)(void *owner, mplan_error *err);
    void *owner;
} planning_numbered;

/* Blocks of elements. block: one per element in their numbering; blocks are
 * numbered so that neighbours share points, or along the Hilbert curve that was
 * cut, or (no partitioner) along the numbering; *origin is how they came about. An element that
 * by itself breaks a limit: MPLAN_ERR_ARGUMENT, named as the mesh numbers it. */
mplan_status mplan_planning_partition(planning *p, const planning_loop *loop,
                                      const planning_numbered *of, int32_t *block, int64_t *n_blocks,
                                      mplan_block_origin *origin, mplan_error *err);
/* The same by runs of that numbering. */
mplan_status mplan_planning_runs(const planning *p, const planning_loop *loop, const mplan_map *maps,
                                 int64_t n, int32_t *block, int64_t *n_blocks, mplan_error *err);
/* Whether variants of a loop refer to blocks: some strategy has blocks, and does not become
 * atomic for want of anything to gather (step_colour.c). */
bool mplan_planning_runs_blocks(const planning_loop *loop);
/* *none: the loop has no blocks in the plan. No strategy of it runs any, and an element of it is larger than a block may be. */
mplan_status mplan_planning_without_blocks(const planning *p, const planning_loop *loop, bool *none,
                                           mplan_error *err);
/* Limits for the blocks of a loop whose maps are `maps`. */
mplan_block_limits mplan_planning_limits(const planning *p, const planning_loop *loop,
                                         const mplan_map *maps);

#endif
