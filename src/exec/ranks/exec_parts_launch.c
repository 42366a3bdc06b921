/* SPDX-License-Identifier: Apache-2.0 */
/* exec_parts_launch.c - a loop is bound in every part, and launched in all of them
 *
 * First the halos that are out of date begin to travel; then each part runs what needs no halo (members below
 * `inner`), the halos arrive, and each part runs the others. Elements that sum up owned points run at both ends;
 * all others run where they are owned. */
#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "exec/dat_levels.h"
#include "exec/globals.h"
#include "exec/meshplan_layers.h"
#include "exec/ranks/exec_parts.h"
#include "plan/packed.h"

/* --- binding ------------------------------------------------------------------------------ */

/* In all parts, by a kernel of elements or, where that is NULL, one of layers; what was bound stays bound after a failure,
 * as nobody can launch it. */
static mplan_status bind_all(mplan_exec *exec, const char *loop, int32_t variant,
                             const mplan_kernel *flat, const mplan_layer_kernel *layers,
                             mplan_exec_loop **bound, mplan_error *err)
{
    mplan_exec_parts *parts = exec->parts;
    mplan_exec_loop *made = mplan_alloc_zero(1, sizeof *made, err);
    mplan_exec_loop **part = made ? mplan_alloc_zero(parts->n_here, sizeof *part, err) : NULL;
    mplan_status status = part ? MPLAN_OK : MPLAN_ERR_MEMORY;
    for (int32_t i = 0; i < parts->n_here && !status; i++) {
        mplan_exec *own = mplan_exec_parts_exec(parts, i);
        status = flat ? mplan_exec_bind(own, loop, variant, flat, &part[i], err)
                      : mplan_exec_bind_layers(own, loop, variant, layers, &part[i], err);
    }
    if (!status)
        status = mplan_exec_parts_inside_ask(parts, part, err);
    if (status) {
        free(part);
        free(made);
        return status;
    }
    made->exec = exec;
    made->kernel = part[0]->kernel;
    made->part = part;
    made->loop = part[0]->loop;
    made->chosen = part[0]->chosen;
    made->l = part[0]->l;
    made->v = part[0]->v;
    memcpy(made->dat, part[0]->dat, sizeof made->dat);
    made->next = exec->loops;
    exec->loops = made;
    *bound = made;
    return MPLAN_OK;
}

/* The part's loops and this one live as long as the executor, and so does what the kernel of layers is to flat code. */
mplan_status mplan_exec_parts_bind(mplan_exec *exec, const char *loop, int32_t variant,
                                   const mplan_kernel *kernel, mplan_exec_loop **bound,
                                   mplan_error *err)
{
    assert(exec && loop && kernel && bound);
    return bind_all(exec, loop, variant, kernel, NULL, bound, err);
}

mplan_status mplan_exec_parts_bind_layers(mplan_exec *exec, const char *loop, int32_t variant,
                                          const mplan_layer_kernel *kernel, mplan_exec_loop **bound,
                                          mplan_error *err)
{
    assert(exec && loop && kernel && bound);
    return bind_all(exec, loop, variant, NULL, kernel, bound, err);
}

/* --- which members run -------------------------------------------------------------------- */

/* Whether the loop adds to, or writes, points of others, so that its elements run at both ends. */
static bool runs_halo(const mplan_plan_loop *loop)
{
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

/* Of a launch in one part: members [0, inner) need no halo, [inner, end) may; those behind are others'. */
typedef struct share {
    int64_t inner, end;
} share;

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

/* Loops with layers know themselves what a part runs (bind_layers.c); those that cannot be cut run as a whole. */
static share layers_share(const mplan_exec_loop *bound, int64_t inner_elements, int64_t inner_points)
{
    mplan_range_unit unit;
    bool any_order;
    int64_t n;
    const int64_t all = mplan_exec_extent(bound, &unit, &any_order);
    if (!mplan_exec_layers_cut(bound, &n))
        return (share){0, all};
    return (share){unit == MPLAN_RANGE_ROWS ? inner_points : inner_elements, n};
}

/* Colours run all of their places: an element of a halo changes nothing that anybody reads. Blocks with none but elements of the read
 * halo are left out: what their partial sums hold goes to points of halos only. */
static share share_of(const mplan_exec_loop *bound, bool whole)
{
    mplan_range_unit unit;
    bool any_order;
    const int64_t n = mplan_exec_extent(bound, &unit, &any_order);
    const mplan_plan *plan = bound->exec->plan;
    const mplan_part_set *of = &mplan_plan_get_set(plan, bound->loop->set)->part;
    const mplan_part_set *points = &mplan_plan_get_set(plan, summed_set(bound))->part;
    if (bound->layers)
        return layers_share(bound, of->inner, points->inner);
    switch (unit) {
    case MPLAN_RANGE_ELEMENTS:
        return (share){whole_slices(whole && !uses_maps(bound->loop) ? of->owned : of->inner,
                                    MPLAN_OWNER_SLICE),
                       whole                    ? n
                       : runs_halo(bound->loop) ? of->executed
                                                : of->owned};
    case MPLAN_RANGE_ROWS:
        return (share){whole_slices(points->inner, MPLAN_OWNER_WINDOW),
                       whole || writes_itself(bound->loop)
                           ? n
                           : up_to_slices(points->owned, MPLAN_OWNER_WINDOW, n)};
    case MPLAN_RANGE_BLOCKS:
        return (share){
            any_order ? blocks_below(bound, of->inner) : 0,
            whole ? n : blocks_up_to(bound, runs_halo(bound->loop) ? of->executed : of->owned, n)};
    default: return (share){0, n};
    }
}

/* own: a loop of a part. */
void mplan_exec_parts_share(const mplan_exec_loop *own, bool whole, int64_t *inner, int64_t *end)
{
    assert(own && inner && end);
    const share all = share_of(own, whole);
    *inner = all.inner;
    *end = all.end;
}

/* --- halos that a launch needs -------------------------------------------------------------- */

/* Ascending, each once; those that are out of date. list: room for all dats. */
static int32_t stale_dats(mplan_exec_parts *parts, const mplan_exec_loop *bound, int32_t *list)
{
    const mplan_plan_loop *loop = bound->loop;
    const bool halo = runs_halo(loop);
    bool wanted[MPLAN_MAX_ARGS] = {false};
    int32_t n = 0;
    for (int32_t a = 0; a < loop->n_args; a++) {
        const bool reads = loop->args[a].access == MPLAN_READ || loop->args[a].access == MPLAN_RW;
        wanted[a] = reads && loop->args[a].map != MPLAN_MAP_GLOBAL &&
                    (loop->args[a].map >= 0 || halo);
    }
    for (int32_t d = 0; d < parts->n_states; d++) {
        bool needed = false;
        for (int32_t a = 0; a < loop->n_args; a++)
            needed = needed || (wanted[a] && bound->dat[a] == d);
        if (needed && mplan_exec_parts_is_stale(parts, d))
            list[n++] = d;
    }
    return n;
}

/* --- the launch ---------------------------------------------------------------------------------- */

/* A launch in all parts. */
typedef struct parts_launch {
    mplan_exec_loop *bound;
    const void *parameters;
    void *stream;
    int32_t *stale; /* dats to exchange first */
    int32_t n_stale;
    int32_t level; /* up to which ring results are to be right */
} parts_launch;

/* Of all parts: those members that need no halo (inner), or the others. */
static mplan_status run_parts(mplan_exec_parts *parts, const parts_launch *now, bool split,
                              bool inner, mplan_error *err)
{
    mplan_status status = MPLAN_OK;
    for (int32_t i = 0; i < parts->n_here && !status; i++) {
        mplan_exec_loop *own = now->bound->part[i];
        const share all = share_of(own, now->level > 0);
        const int64_t first = !split ? 0 : all.inner < all.end ? all.inner : all.end;
        const mplan_exec_piece piece = {.first = inner ? 0 : first,
                                        .end = inner ? first : all.end,
                                        .owned = mplan_exec_parts_set(parts, i, own->loop->set)->owned,
                                        .is_first = inner || !split,
                                        .is_last = !inner};
        status = mplan_exec_launch_piece(own->exec, own, &piece, now->parameters,
                                         mplan_exec_parts_stream(parts, i, now->stream), err);
    }
    return status;
}

/* Bytes of the globals that the loop changes: kept, one behind the other, at multiples of 8. */
static int64_t global_bytes(const mplan_plan_loop *loop)
{
    int64_t bytes = 0;
    for (int32_t a = 0; a < loop->n_args; a++)
        if (mplan_exec_changes_global(loop, a))
            bytes += (loop->args[a].dim * (int64_t)mplan_type_size(loop->args[a].type) + 7) / 8 * 8;
    return bytes;
}

/* Whether the loop changes a dat of the list: then it is sent before the loop begins. */
static bool changes_any(const mplan_exec_loop *bound, const int32_t *list, int32_t n)
{
    for (int32_t a = 0; a < bound->loop->n_args; a++)
        for (int32_t j = 0; j < n; j++)
            if (bound->dat[a] == list[j] && bound->loop->args[a].access != MPLAN_READ)
                return true;
    return false;
}

/* Exchange, inner members, end of the exchange, the others. */
static mplan_status run_apart(mplan_exec_parts *parts, const parts_launch *now, mplan_error *err)
{
    const bool split = parts->overlap && now->n_stale > 0;
    mplan_status status = mplan_exec_parts_begin_exchange(parts, now->stale, now->n_stale,
                                                          now->stream, err);
    if (!status && split)
        status = run_parts(parts, now, true, true, err);
    if (now->n_stale > 0 &&
        parts->open) { /* also after a failure: messages under way lead into our memory */
        mplan_status ended = mplan_exec_parts_end_exchange(parts, now->stream, status ? NULL : err);
        status = status ? status : ended;
    }
    return status ? status : run_parts(parts, now, split, false, err);
}

/* With messages inside the loop where that can be. */
static mplan_status run_all(mplan_exec_parts *parts, const parts_launch *now, mplan_error *err)
{
    bool done = false;
    mplan_status status = MPLAN_OK;
    parts->early = changes_any(now->bound, now->stale, now->n_stale);
    if (now->n_stale > 0)
        status = mplan_exec_parts_launch_inside(parts, now->bound, now->stale, now->n_stale,
                                                now->level > 0, now->parameters, &done, err);
    if (!status && !done)
        status = run_apart(parts, now, err);
    if (!status && parts->rings > 0)
        mplan_exec_parts_computed(parts, now->bound, now->level);
    return status;
}

/* Which halos it needs, and how far it computes. */
static void look_ahead(mplan_exec_parts *parts, parts_launch *now)
{
    if (parts->rings > 0)
        now->level = mplan_exec_parts_wanted(parts, now->bound, now->stale, &now->n_stale);
    else
        now->n_stale = stale_dats(parts, now->bound, now->stale);
}

/* In this order: halos that the loop reads and that are out of date are sent for; what needs none of them runs
 * meanwhile (overlap); the exchange ends; the rest runs. Each element is launched once in each part that executes it.
 * Globals that the loop changes are combined on the host afterwards. */
mplan_status mplan_exec_parts_launch(mplan_exec *exec, mplan_exec_loop *bound,
                                     const void *parameters, void *stream, mplan_error *err)
{
    assert(exec && bound);
    mplan_exec_parts *parts = exec->parts;
    if (bound->exec != exec)
        return mplan_fail(err, MPLAN_ERR_ARGUMENT, "kernel %s is bound to another executor",
                          bound->kernel->name);
    const int64_t bytes = global_bytes(bound->loop);
    if (bytes > 0 && parts->capturing)
        return mplan_fail(err, MPLAN_ERR_UNSUPPORTED,
                          "loop %s changes a global, which the host combines over parts: its steps "
                          "cannot be captured",
                          bound->loop->name);
    mplan_status fits = mplan_exec_parts_check_stream(parts, stream, err);
    if (fits)
        return fits;
    parts_launch now = {
        bound, parameters, stream, mplan_alloc(parts->n_states, sizeof *now.stale, err), 0, 0};
    char *kept = now.stale ? mplan_alloc(bytes, 1, err) : NULL;
    mplan_status status = kept ? MPLAN_OK : MPLAN_ERR_MEMORY;
    if (!status)
        look_ahead(parts, &now);
    if (now.n_stale > 0 && parts->open)
        status = mplan_fail(err, MPLAN_ERR_ARGUMENT,
                            "loop %s needs halos, but an exchange has begun and has not ended",
                            bound->loop->name);
    if (!status && bytes > 0)
        status = mplan_exec_parts_open_globals(parts, bound->loop, bound->dat, kept, err);
    if (!status)
        status = run_all(parts, &now, err);
    if (!status && bytes > 0)
        status = mplan_exec_parts_close_globals(parts, bound->loop, bound->dat, kept, err);
    if (!status)
        mplan_exec_parts_poison(parts);
    free(now.stale);
    free(kept);
    return status;
}
