/* SPDX-License-Identifier: Apache-2.0 */
/* slab_uses.h - what launches of a range of slabs use, and where a slab begins in it
 *
 * For the planner and for the executor; `check` has its own reading of formats/plan-format.md (VISIT). */
#ifndef MPLAN_PLAN_SLAB_USES_H
#define MPLAN_PLAN_SLAB_USES_H

#include "plan/plan.h"

/* Something that the launches of a loop's default variant read or write: a dat, by all args that name it, or an
 * array of the plan. */
typedef struct mplan_slab_use {
    int32_t arg;       /* first arg of the dat; -1: an array */
    int32_t kind, map; /* of the array; map -1: of the variant */
    int32_t set;       /* whose slabs it has; -1: none, it is small and stays on the device */
    int32_t reach;     /* rows of slab s use slabs s - reach to s + reach of it */
    bool reads, writes;
    bool whole; /* each launch of all rows writes every member, without a look at what it was */
} mplan_slab_use;

/* Most uses of a loop: each arg brings a dat and a map, and a variant has a few tables. */
enum { MPLAN_SLAB_TABLES = 9 };
static inline int32_t mplan_slab_uses_most(const mplan_plan_loop *loop)
{
    return 2 * loop->n_args + MPLAN_SLAB_TABLES;
}

/* The set whose rows the launches of a loop's default variant count: the points of owner-gather, else the
 * elements. */
int32_t mplan_slab_rows_of(const mplan_plan *plan, int32_t loop);
/* Why slabs cannot run the default variant of the loop of an entry of the step, as the end of a sentence; NULL: they can. */
const char *mplan_slab_refusal(const mplan_plan *plan, int32_t entry);
/* Bytes that a device keeps whole beside the streams, allocated by whoever binds the loops of the step:
 * - for globals that an entry with lag changes a number for each element and component, one for each MPLAN_SLAB_LEAVES elements
 *   begun, and where they are summed the place of each element in the mesh's order;
 * - for loops with layers what finds levels (mplan_slab_layer_bytes), and layers of the columns of a set. */
int64_t mplan_slab_kept_bytes(const mplan_plan *plan);
enum { MPLAN_SLAB_LEAVES = 2048 };
/* What it uses, dats in the order of the args, then arrays; returns how many. clear: arg whose dat is set to zero
 * first, -1: none. The loop is not refused. */
int32_t mplan_slab_uses(const mplan_plan *plan, int32_t loop, int32_t clear, mplan_slab_use *uses);
/* Where the dat of an arg that is not a global has the members of slabs: in `planes` planes of `whole` bytes, one behind the other, in each
 * of which a member of `set` has `member` bytes. A dat with levels has a plane for each level where neighbouring columns are neighbours; a
 * matrix by owner has the rows that a point needs beside one another, so that its slabs are those of points. MPLAN_ERR_MEMORY. */
typedef struct mplan_slab_place {
    int32_t set, planes;
    int64_t member, whole;
} mplan_slab_place;
mplan_status mplan_slab_place_of(const mplan_plan *plan, int32_t loop, int32_t arg,
                                 mplan_slab_place *place, mplan_error *err);
/* The byte of an array at which the row begins that is a border between slabs; behind the last row: its length.
 * use->arg is -1. */
int64_t mplan_slab_array_at(const mplan_plan *plan, int32_t loop, const mplan_slab_use *use,
                            int64_t row);
/* The array of a use, or of a stream; NULL: the plan lacks it. */
const mplan_array *mplan_slab_array(const mplan_plan *plan, int32_t loop, int32_t kind, int32_t map);
/* Multiples at which the launches of the default variant of a loop may be cut: 32, or windows of 256 rows. */
int32_t mplan_slab_granule(const mplan_plan *plan, int32_t loop);
/* Slabs of other sets begin at multiples of so many members, so that copies begin at multiples of 16 bytes. */
enum { MPLAN_SLAB_LEAST = 4 };
/* Whether slices of a loop of the step are of rows of this set: its slabs begin at multiples of the granule, those of other sets
 * nearly anywhere. */
bool mplan_slab_has_slices(const mplan_plan *plan, int32_t set);
/* Whether a loop of the step runs over this set by owners, which touch all points of an element from each of them: they lie in two
 * slabs then. Else each point is near its element only. */
bool mplan_slab_joins_points(const mplan_plan *plan, int32_t set);

#endif
