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
#include "exec/globals.h"
#include "exec/meshplan_layers.h"
#include "exec/ranks/exec_parts.h"

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

const mplan_plan *mplan_exec_parts_plan(const mplan_exec *exec, int32_t i)
{
    assert(exec && exec->parts && i >= 0);
    return i < exec->parts->n_here ? exec->parts->here[i].exec->plan : NULL;
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

/* --- halos that a launch needs -------------------------------------------------------------- */

/* Ascending, each once; those that are out of date. list: room for all dats. */
static int32_t stale_dats(mplan_exec_parts *parts, const mplan_exec_loop *bound, int32_t *list)
{
    const mplan_plan_loop *loop = bound->loop;
    const bool halo = mplan_exec_parts_runs_halo(loop);
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
        const mplan_exec_share all = mplan_exec_parts_share(own, now->level > 0);
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
    if (parts->limited)
        return mplan_fail(err, MPLAN_ERR_UNSUPPORTED,
                          "loop %s: where device memory is limited loops are run by mplan_exec_steps",
                          bound->loop->name);
    const int64_t bytes = global_bytes(bound->loop);
    if (bytes > 0 && parts->visit_steps > 0)
        return mplan_fail(err, MPLAN_ERR_UNSUPPORTED,
                          "loop %s changes a global, but in parts with slabs members of halos are among those "
                          "that count",
                          bound->loop->name);
    if (bytes > 0 && parts->capturing)
        return mplan_fail(err, MPLAN_ERR_UNSUPPORTED,
                          "loop %s changes a global, which the host combines over parts: its steps "
                          "cannot be captured",
                          bound->loop->name);
    mplan_status fits = mplan_exec_parts_check_stream(parts, stream, err);
    if (fits)
        return fits;
    parts_launch now = {bound, parameters, stream, parts->list, 0, 0};
    char *kept = bytes > 0 ? mplan_alloc(bytes, 1, err) : NULL;
    mplan_status status = kept || bytes == 0 ? MPLAN_OK : MPLAN_ERR_MEMORY;
    if (!status)
        look_ahead(parts, &now);
    if (now.n_stale > 0 && parts->open)
        status = mplan_fail(err, MPLAN_ERR_ARGUMENT,
                            "loop %s needs halos, but an exchange has begun and has not ended",
                            bound->loop->name);
    parts->at_work = !status;
    if (!status && bytes > 0)
        status = mplan_exec_parts_open_globals(parts, bound->loop, bound->dat, kept, err);
    if (!status)
        status = run_all(parts, &now, err);
    if (!status && bytes > 0)
        status = mplan_exec_parts_close_globals(parts, bound->loop, bound->dat, kept, err);
    if (!status)
        mplan_exec_parts_poison(parts);
    free(kept);
    return status;
}
