/* SPDX-License-Identifier: Apache-2.0 */
/* exec_parts_globals.c - globals and reductions of all parts, in an order that does not depend on ranks
 *
 * Each part brings one number, from its own tree over the elements that it owns; these are combined in ascending order of
 * parts, on every rank alike. */
#include <assert.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "exec/globals.h"
#include "exec/ranks/exec_parts.h"

/* A value of the global in whole words of 8 bytes: values of several args follow one another in `kept`. */
static int64_t padded_bytes(const mplan_plan_arg *about)
{
    return (about->dim * (int64_t)mplan_type_size(about->type) + 7) / 8 * 8;
}

/* dim numbers of a global of one part, from the host or to it. */
static mplan_status fetch(mplan_exec *exec, const mplan_exec_dat *dat, void *to, mplan_error *err)
{
    return mplan_exec_download(exec, dat->name, to, 1, dat->dim, dat->type, err);
}

/* from: dim numbers of the dat's type, which becomes the value of the part's copy. */
static mplan_status store(mplan_exec *exec, const mplan_exec_dat *dat, const void *from,
                          mplan_error *err)
{
    return mplan_exec_upload(exec, dat->name, from, 1, dat->dim, dat->type, err);
}

/* Launches before it, in any stream, are waited for: what they left in the global counts. */
static mplan_status wait_for(mplan_exec_parts *parts, mplan_error *err)
{
    mplan_status status = MPLAN_OK;
    for (int32_t i = 0; i < (parts->lanes ? parts->n_here : 1) && !status; i++)
        status = mplan_exec_wait(mplan_exec_parts_exec(parts, i), err);
    return status ? status : mplan_exec_parts_peer_check(parts, err);
}

/* Before the launch of a loop that changes globals: kept gets their values (padded_bytes each, in the order of the
 * args), and each part begins with the neutral value, so that what it ends with is its own share. dats[a]: number of
 * the dat of arg a. */
mplan_status mplan_exec_parts_open_globals(mplan_exec_parts *parts, const mplan_plan_loop *loop,
                                           const int32_t *dats, char *kept, mplan_error *err)
{
    assert(parts && loop && dats && kept);
    mplan_status status = wait_for(parts, err);
    for (int32_t a = 0; a < loop->n_args && !status; a++) {
        if (!mplan_exec_changes_global(loop, a))
            continue;
        const mplan_plan_arg *about = &loop->args[a];
        const size_t size = mplan_type_size(about->type);
        char *neutral = mplan_alloc(about->dim, size, err);
        status = neutral ? fetch(mplan_exec_parts_exec(parts, 0),
                                 &mplan_exec_parts_exec(parts, 0)->dats[dats[a]], kept, err)
                         : MPLAN_ERR_MEMORY;
        for (int32_t c = 0; c < about->dim && !status; c++)
            mplan_exec_neutral(about->type, about->access, neutral + (size_t)c * size);
        for (int32_t i = 0; i < parts->n_here && !status; i++)
            status = store(mplan_exec_parts_exec(parts, i),
                           &mplan_exec_parts_exec(parts, i)->dats[dats[a]], neutral, err);
        free(neutral);
        kept += padded_bytes(about);
    }
    return status;
}

/* Number of every part, `bytes` each; `own` gets that of parts here, `all` those of all parts. */
static mplan_status close_global(mplan_exec_parts *parts, const mplan_plan_arg *about, int32_t d,
                                 char *value, char *own, char *all, mplan_error *err)
{
    const int64_t bytes = padded_bytes(about);
    mplan_status status = MPLAN_OK;
    for (int32_t i = 0; i < parts->n_here && !status; i++)
        status = fetch(mplan_exec_parts_exec(parts, i), &mplan_exec_parts_exec(parts, i)->dats[d],
                       own + i * bytes, err);
    if (!status)
        status = mplan_exec_parts_gather_parts(parts, own, bytes, all, err);
    for (int32_t p = 0; p < parts->n_parts && !status; p++)
        mplan_exec_combine(about->type, about->access, about->dim, value, all + p * bytes);
    for (int32_t i = 0; i < parts->n_here && !status; i++)
        status = store(mplan_exec_parts_exec(parts, i), &mplan_exec_parts_exec(parts, i)->dats[d],
                       value, err);
    return status;
}

/* After it: the shares of all parts of all ranks are combined with what was kept, in the order of the parts, so that
 * the bits depend neither on ranks nor on who sends first. All copies get the result. */
mplan_status mplan_exec_parts_close_globals(mplan_exec_parts *parts, const mplan_plan_loop *loop,
                                            const int32_t *dats, const char *kept, mplan_error *err)
{
    assert(parts && loop && dats && kept);
    mplan_status status = wait_for(parts, err);
    for (int32_t a = 0; a < loop->n_args && !status; a++) {
        if (!mplan_exec_changes_global(loop, a))
            continue;
        const int64_t bytes = padded_bytes(&loop->args[a]);
        char *value = mplan_copy(kept, bytes, 1, err);
        char *own = value ? mplan_alloc_zero(parts->n_here, (size_t)bytes, err) : NULL;
        char *all = own ? mplan_alloc_zero(parts->n_parts, (size_t)bytes, err) : NULL;
        status = all ? close_global(parts, &loop->args[a], dats[a], value, own, all, err)
                     : MPLAN_ERR_MEMORY;
        free(value);
        free(own);
        free(all);
        kept += bytes;
    }
    return status;
}

/* --- reductions of dats ------------------------------------------------------------------------- */

/* NaN of b never wins a comparison; sums carry it on. */
static double combine(mplan_reduction reduction, double a, double b)
{
    if (reduction == MPLAN_SUM)
        return a + b;
    return (reduction == MPLAN_MIN ? b < a : b > a) ? b : a;
}

/* Each part reduces the members that it owns, then the parts are combined by number: the same bits for any number of
 * ranks. */
mplan_status mplan_exec_parts_reduce(mplan_exec *exec, const char *dat, int32_t component,
                                     mplan_reduction reduction, double *result, mplan_error *err)
{
    assert(exec && dat && result);
    mplan_exec_parts *parts = exec->parts;
    double *own = mplan_alloc_zero(parts->n_here, sizeof *own, err);
    double *all = own ? mplan_alloc_zero(parts->n_parts, sizeof *all, err) : NULL;
    mplan_status status = all ? MPLAN_OK : MPLAN_ERR_MEMORY;
    int32_t d = 0;
    if (!status)
        status = mplan_exec_parts_find(exec, dat, &d, err);
    for (int32_t i = 0; i < parts->n_here && !status; i++) {
        mplan_exec *part = mplan_exec_parts_exec(parts, i);
        const int32_t set = part->dats[d].set;
        const int64_t owned = set < 0 ? 0 : mplan_exec_parts_set(parts, i, set)->owned;
        const int32_t *place = set >= 0 && parts->here[i].place ? parts->here[i].place[set] : NULL;
        status = mplan_exec_reduce_first(part, dat, owned, place, component, reduction, &own[i], err);
    }
    if (!status)
        status = mplan_exec_parts_gather_parts(parts, own, sizeof *own, all, err);
    for (int32_t p = 1; p < parts->n_parts && !status; p++)
        all[0] = combine(reduction, all[0], all[p]);
    if (!status)
        *result = all[0];
    free(own);
    free(all);
    return status;
}
