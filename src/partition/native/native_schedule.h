/* SPDX-License-Identifier: Apache-2.0 */
/* native_schedule.h - how long blocks are refined, by the shape of their table */
#ifndef MPLAN_NATIVE_SCHEDULE_H
#define MPLAN_NATIVE_SCHEDULE_H

#include "partition/native/native_table.h"
#include "partition/partition.h"

/* Rows of fewer than three points, few or many elements at a point (faces of triangles and
 * of quads); longer rows, likewise (cells of a plane, hexes and tets at a node). Where few meet, a
 * crooked border costs little and takes long to straighten; where many meet in long rows,
 * gains go on for long. */
typedef enum native_kind {
    NATIVE_SHORT_FEW,
    NATIVE_SHORT_MANY,
    NATIVE_LONG_PLANE,
    NATIVE_LONG_FEW,
    NATIVE_LONG_MANY,
    NATIVE_N_KINDS
} native_kind;

/* Sweeps of exchange by coordinates in the metric of the blocks; then at most so many passes, fewer of long rows in
 * space where blocks are larger and have less border, until one saves less than 1 / least of all (block, point) pairs; so
 * many further passes while each saves much. The first `smooth` passes only straighten borders by smoothing, whatever that costs. One of `anew` passes cuts its pairs anew (0: none), and the first of the
 * further ones does. One of `flows` passes, and no other, cuts its pairs along cheapest borders (0: none), in default where one of the blocks has saved
 * something in the last `lately` passes. Moves without a better state. Only pairs that share so many points take part, more where blocks are larger. In the
 * first `loose` passes blocks may have some elements more than S (native_sizes.h), where that pays: fewer in each of so many steps. With `waits` passes
 * end behind one with flows, if not behind all: the ones between save little. */
typedef struct native_schedule {
    int32_t sweeps, passes, anew, patience, shared, least, further, flows, loose, smooth, lately,
        steps, waits;
} native_schedule;

/* Which kind of table: by points per element and elements per point. */
native_kind mplan_native_kind_of(const native_table *table);
/* Whether there are so few blocks that their fill is not judged, time hardly counts, and how they lie to one another is worth
 * more than in large tables. */
bool mplan_native_are_few(int64_t n, int32_t block_size);
/* A schedule for blocks of this size. places: whether coordinates may be used. */
native_schedule mplan_native_schedule(const native_table *table, int32_t block_size,
                                      mplan_effort effort, bool places);
/* The same schedule with flows, for a table of 10,000 elements and more where other means do little; of effort default only (best
 * has them anyway). */
native_schedule mplan_native_with_flows(native_schedule plan, const native_table *table,
                                        mplan_effort effort);
/* Whether faces of a plane are so irregular that they need flows: by what the first pass saved, and the touched (block, point) pairs. */
bool mplan_native_is_rough(const native_table *table, int64_t saved, int64_t touched);
/* Whether flows pay where coordinates are not trusted: long rows in large blocks. */
bool mplan_native_wants_flows(const native_table *table, int32_t block_size);
/* Whether a large table gets a pass more, which more than makes up for the seams of blocks that were grown in many regions side by
 * side (native_regions.c). */
bool mplan_native_mends_seams(const native_table *table, mplan_effort effort, bool places);
/* Whether pass number `pass`, from 0, is made: saved, of the touched (block, point) pairs, by the pass before it. */
bool mplan_native_goes_on(const native_schedule *plan, int32_t pass, int64_t saved, int64_t touched);
/* The pass before which step number `step`, from 0, of the loose passes ends at the latest; the last one with these passes. */
int32_t mplan_native_step_end(const native_schedule *plan, int32_t step);
/* Whether pass number `pass` cuts its pairs along cheapest borders. */
bool mplan_native_is_flow(const native_schedule *plan, int32_t pass);
/* Whether pass number `pass` cuts its pairs anew, and not so. */
bool mplan_native_is_anew(const native_schedule *plan, int32_t pass);
/* Whether blocks stay as they were grown: with short rows, few at a point, refinement would take
 * most of the time and gain little. */
bool mplan_native_is_growing_enough(const native_table *table, mplan_effort effort);

#endif
