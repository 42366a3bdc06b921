/* SPDX-License-Identifier: Apache-2.0 */
/* slabs.h - plans for a limited device memory: orders, slabs and the schedule of a visit
 *
 * formats/plan-format.md, VISIT. Everything here is done only where the request has a device_memory. */
#ifndef MPLAN_PIPELINE_SLABS_H
#define MPLAN_PIPELINE_SLABS_H

#include "pipeline/planning.h"

/* A slab is small beside the device, and slabs are many enough to be shifted: no more than about this many. */
enum { MPLAN_SLABS_MOST = 8192 };

/* Refuses options that do not go with slabs (MPLAN_ERR_ARGUMENT). */
mplan_status mplan_planning_refuse_slabs(const planning *p, mplan_error *err);
/* The strategy of a loop where none was named: by owners; atomic where nothing is written through maps.
 * MPLAN_N_STRATEGIES: none that slabs can run. */
mplan_strategy mplan_planning_slab_strategy(const planning_loop *loop);
/* Puts the points of the set that decides in the order of levels; order: in and out. p->levels is set. */
mplan_status mplan_planning_level_order(planning *p, int32_t *order, mplan_error *err);
/* The same of all sets but that one and the primary loop's, which follow it: their orders are there. */
mplan_status mplan_planning_follow_levels(planning *p, mplan_error *err);
/* Slabs, shifts, streams and events; the plan has its arrays, and is not sealed. */
mplan_status mplan_planning_slabs(planning *p, mplan_error *err);

/* slab_levels.c: so many levels are ordered together, or fewer where not *groups groups of them are possible (mplan_order_level_groups). */
mplan_status mplan_planning_slab_levels(const planning *p, int32_t *together, int64_t *groups,
                                        mplan_error *err);
/* slab_cuts.c: offsets of the slabs of each set, which become the plan's; plan->visit.slabs and granule. */
mplan_status mplan_planning_cut_slabs(planning *p, mplan_error *err);
/* slab_pieces.c: pieces of the order of the set that decides, p->level_set; order: new number by member, before its levels. */
mplan_status mplan_planning_note_pieces(planning *p, const int32_t *order, mplan_error *err);
/* slab_pieces.c: where they begin in the slabs of each set that has enough members, which becomes the plan's. */
mplan_status mplan_planning_cut_pieces(planning *p, mplan_error *err);
/* visit.c: the other members of plan->visit, shifts, streams and events. */
mplan_status mplan_planning_visit(planning *p, mplan_error *err);

#endif
