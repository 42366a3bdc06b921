/* SPDX-License-Identifier: Apache-2.0 */
/* exec_parts_share.c - which members of a loop a part runs, and which of them need no halo */
#include <assert.h>

#include "exec/dat_levels.h"
#include "exec/ranks/exec_parts.h"
#include "plan/packed.h"

/* Whether the loop adds to, or writes, points of others, so that its elements run at both ends. */
bool mplan_exec_parts_runs_halo(const mplan_plan_loop *loop)
{
    assert(loop);
    for (int32_t a = 0; a < loop->n_args; a++)
        if (loop->args[a].map >= 0 && loop->args[a].access != MPLAN_READ)
            return true;
    return false;
}

/* Whether the loop goes by maps: without them what a part owns needs no halo, also where halos are run as well. */
static bool uses_maps(const mplan_plan_loop *loop)
{
    for (int32_t a = 0; a < loop->n_args; a++)
        if (loop->args[a].map >= 0)
            return true;
    return false;
}

/* Whether an element leaves something other than sums of points: owner-gather keeps that in the row of its first point,
 * which may be in the halo. */
static bool writes_itself(const mplan_plan_loop *loop)
{
    for (int32_t a = 0; a < loop->n_args; a++)
        if (loop->args[a].map < 0 && loop->args[a].access != MPLAN_READ)
            return true;
    return false;
}

/* The set that the loop's sums go to; that of its elements where there are none. */
static int32_t summed_set(const mplan_exec_loop *bound)
{
    for (int32_t a = 0; a < bound->loop->n_args; a++)
        if (mplan_exec_increments(bound->loop, a))
            return bound->exec->dats[bound->dat[a]].set;
    return bound->loop->set;
}

/* First elements of the blocks, and one past the last; NULL where blocks are not in the stored order, or run by a list.
 * rows: out, one more than there are blocks. */
static const int64_t *block_ends(const mplan_exec_loop *bound, int64_t *rows)
{
    const mplan_key key = mplan_key_of_block_set(MPLAN_KIND_BLOCK_OFFSETS, bound->chosen->block_set);
    const mplan_plan_block_set *blocks = mplan_plan_get_block_set(bound->exec->plan,
                                                                  bound->chosen->block_set);
    return blocks->sequence || bound->call.list
               ? NULL
               : mplan_plan_data(bound->exec->plan, key, MPLAN_TYPE_I64, rows);
}

/* Blocks of a stored order that end at or below an element. */
static int64_t blocks_below(const mplan_exec_loop *bound, int64_t element)
{
    int64_t rows = 0, low = 0;
    const int64_t *offsets = block_ends(bound, &rows);
    if (!offsets)
        return 0;
    for (int64_t high = rows - 1; low < high;) {
        const int64_t middle = low + (high - low + 1) / 2;
        if (offsets[middle] <= element)
            low = middle;
        else
            high = middle - 1;
    }
    return low;
}

/* The first blocks, with all of the first `n` elements, of `most` that there are. */
static int64_t blocks_up_to(const mplan_exec_loop *bound, int64_t n, int64_t most)
{
    int64_t rows = 0;
    const int64_t *offsets = block_ends(bound, &rows), below = blocks_below(bound, n);
    if (!offsets)
        return most;
    return below < most && offsets[below] < n ? below + 1 : below;
}

/* The last multiple of slice up to n: slices that need no halo. */
static int64_t whole_slices(int64_t n, int64_t slice)
{
    return n / slice * slice;
}

/* The first multiple of slice from n on, at most `most`: slices with at least one of the first n rows. */
static int64_t up_to_slices(int64_t n, int64_t slice, int64_t most)
{
    const int64_t up = (n + slice - 1) / slice * slice;
    return up < most ? up : most;
}

/* Loops with layers know themselves what a part has to run (bind_layers.c); those that cannot be cut run all of it. */
static mplan_exec_share layers_share(const mplan_exec_loop *bound, const mplan_part_set *of,
                                     const mplan_part_set *points, bool whole)
{
    mplan_range_unit unit;
    bool any_order;
    int64_t n;
    const int64_t all = mplan_exec_extent(bound, &unit, &any_order);
    if (!mplan_exec_layers_cut(bound, &n))
        return (mplan_exec_share){0, all};
    if (unit == MPLAN_RANGE_ROWS)
        return (mplan_exec_share){points->inner, whole ? n : points->owned};
    return (mplan_exec_share){whole && !uses_maps(bound->loop) ? of->owned : of->inner,
                              whole                                     ? n
                              : mplan_exec_parts_runs_halo(bound->loop) ? of->executed
                                                                        : of->owned};
}

/* Colours run all of their places: an element of a halo changes nothing that anybody reads. Blocks with none but elements of the read
 * halo are left out: what their partial sums hold goes to points of halos only. */
mplan_exec_share mplan_exec_parts_share(const mplan_exec_loop *bound, bool whole)
{
    assert(bound);
    mplan_range_unit unit;
    bool any_order;
    const int64_t n = mplan_exec_extent(bound, &unit, &any_order);
    const mplan_plan *plan = bound->exec->plan;
    const mplan_part_set *of = &mplan_plan_get_set(plan, bound->loop->set)->part;
    const mplan_part_set *points = &mplan_plan_get_set(plan, summed_set(bound))->part;
    if (mplan_plan_has_slabs(plan)) /* members of halos are among the others */
        return (mplan_exec_share){0, n};
    if (bound->layers)
        return layers_share(bound, of, points, whole);
    switch (unit) {
    case MPLAN_RANGE_ELEMENTS:
        return (mplan_exec_share){
            whole_slices(whole && !uses_maps(bound->loop) ? of->owned : of->inner, MPLAN_OWNER_SLICE),
            whole                                     ? n
            : mplan_exec_parts_runs_halo(bound->loop) ? of->executed
                                                      : of->owned};
    case MPLAN_RANGE_ROWS:
        return (mplan_exec_share){whole_slices(points->inner, MPLAN_OWNER_WINDOW),
                                  whole || writes_itself(bound->loop)
                                      ? n
                                      : up_to_slices(points->owned, MPLAN_OWNER_WINDOW, n)};
    case MPLAN_RANGE_BLOCKS:
        return (mplan_exec_share){
            any_order ? blocks_below(bound, of->inner) : 0,
            whole ? n
                  : blocks_up_to(bound,
                                 mplan_exec_parts_runs_halo(bound->loop) ? of->executed : of->owned,
                                 n)};
    default: return (mplan_exec_share){0, n};
    }
}
