/* SPDX-License-Identifier: Apache-2.0 */
/* exec_parts_visits.c - parts for a limited device memory: a visit of each part, an exchange, the next visits
 *
 * Within a visit nothing is exchanged: a part computes all that it has, and what it owns stays right for as many steps as its rings serve
 * (plan/ring_steps.h). Dats are in memory of the host between visits, so that messages are packed and unpacked there. All parts make equally
 * many steps between two exchanges, those of the part whose visit has fewest. So results depend neither on ranks nor on windows: without a
 * limit the same steps are launched in memory, between the same exchanges. */
#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "exec/ranks/exec_parts.h"

/* --- steps between two exchanges ----------------------------------------------------------------- */

/* Fewest steps of the visits of the parts that are here. A plan says how many, and a bundle that was proved has equally many in all; more than its
 * rings serve would give wrong numbers. */
static mplan_status count_steps(mplan_exec_parts *parts, mplan_error *err)
{
    for (int32_t i = 0; i < parts->n_here; i++) {
        const mplan_plan_visit *visit = mplan_plan_get_visit(parts->here[i].plan);
        const int32_t own = visit && visit->steps > 0 && parts->rings > 0
                                ? mplan_ring_steps_count(&parts->uses, parts->rings, visit->steps)
                                : 0;
        if (i == 0 || own < parts->visit_steps)
            parts->visit_steps = own;
    }
    return parts->visit_steps > 0
               ? MPLAN_OK
               : mplan_fail(err, MPLAN_ERR_CORRUPT,
                            "an exchange of halos does not serve the visits of the plans; meshplan "
                            "verify says more");
}

mplan_status mplan_exec_parts_open_visits(mplan_exec_parts *parts, mplan_error *err)
{
    assert(parts && parts->n_here > 0);
    const mplan_plan *plan = parts->here[0].plan;
    for (int32_t i = 1; i < parts->n_here; i++)
        if (mplan_plan_has_slabs(parts->here[i].plan) != mplan_plan_has_slabs(plan))
            return mplan_fail(err, MPLAN_ERR_CORRUPT,
                              "of parts %d and %d only one has slabs; meshplan verify says more",
                              (int)parts->here[0].part, (int)parts->here[i].part);
    if (!mplan_plan_has_slabs(plan))
        return MPLAN_OK;
    parts->overlap = parts->to_inside = false; /* what needs no halo is not in front */
    mplan_status status = mplan_ring_steps_of_plan(plan, &parts->step, &parts->uses, err);
    return !status ? count_steps(parts, err) : status;
}

/* Of all parts, once: all ranks come before their first steps, which is the first time that these need to be the same. */
static mplan_status agree(mplan_exec_parts *parts, mplan_error *err)
{
    int64_t *own = parts->agreed ? NULL : mplan_alloc_zero(parts->n_here, sizeof *own, err);
    int64_t *all = own ? mplan_alloc_zero(parts->n_parts, sizeof *all, err) : NULL;
    mplan_status status = parts->agreed || all ? MPLAN_OK : MPLAN_ERR_MEMORY;
    for (int32_t i = 0; i < parts->n_here && all; i++)
        own[i] = parts->visit_steps;
    if (all)
        status = mplan_exec_parts_gather_parts(parts, own, sizeof *own, all, err);
    for (int32_t p = 0; p < parts->n_parts && all && !status; p++)
        if (all[p] < parts->visit_steps)
            parts->visit_steps = (int32_t)all[p];
    parts->agreed = !status;
    free(own);
    free(all);
    return status;
}

mplan_status mplan_exec_parts_agree_visits(mplan_exec *exec, mplan_error *err)
{
    assert(exec && exec->parts);
    return exec->parts->visit_steps > 0 ? agree(exec->parts, err) : MPLAN_OK;
}

int32_t mplan_exec_parts_makes_visits(const mplan_exec *exec)
{
    assert(exec && exec->parts);
    return exec->parts->visit_steps;
}

/* --- the steps -------------------------------------------------------------------------------------- */

/* Dats whose halos the next visit begins with and that are out of date, ascending. list: room for all dats. */
static int32_t due_dats(mplan_exec_parts *parts, int32_t *list)
{
    int32_t n = 0;
    for (int32_t d = 0; d < parts->n_states; d++) {
        const mplan_exec_dat *dat = &mplan_exec_parts_exec(parts, 0)->dats[d];
        bool needed = false;
        for (int32_t k = 0; k < parts->uses.n_dats; k++)
            needed = needed || (parts->uses.needed[k] && strcmp(parts->uses.name[k], dat->name) == 0);
        if (needed && dat->set >= 0 && mplan_exec_parts_is_stale(parts, d))
            list[n++] = d;
    }
    return n;
}

static mplan_status exchange(mplan_exec_parts *parts, mplan_error *err)
{
    int32_t *list = mplan_alloc(parts->n_states, sizeof *list, err);
    const int32_t n = list ? due_dats(parts, list) : 0;
    mplan_status status = list ? MPLAN_OK : MPLAN_ERR_MEMORY;
    parts->early = false;
    if (!status)
        status = mplan_exec_parts_begin_exchange(parts, list, n, NULL, err);
    if (!status)
        status = mplan_exec_parts_end_exchange(parts, NULL, err);
    free(list);
    return status;
}

/* All members of a part by the loop of an entry, in memory. */
static mplan_status launch(mplan_exec_parts *parts, int32_t i, const mplan_exec_entry *entry,
                           mplan_error *err)
{
    mplan_exec_loop *own = entry->bound->part[i];
    mplan_exec_piece piece = {.end = mplan_exec_parts_share(own, true).end,
                              .owned = mplan_exec_parts_set(parts, i, own->loop->set)->owned,
                              .is_first = true,
                              .is_last = true};
    void *stream = mplan_exec_parts_stream(parts, i, NULL);
    mplan_status status = entry->clear ? mplan_exec_clear(own->exec, entry->clear, stream, err)
                                       : MPLAN_OK;
    return !status ? mplan_exec_launch_piece(own->exec, own, &piece, entry->parameters, stream, err)
                   : status;
}

/* n steps of part i. own: room for the entries. */
static mplan_status step_part(mplan_exec_parts *parts, int32_t i, const mplan_exec_entry *entries,
                              int32_t n_entries, int64_t n, mplan_exec_entry *own, mplan_error *err)
{
    mplan_status status = MPLAN_OK;
    for (int32_t k = 0; k < n_entries; k++) {
        own[k] = entries[k];
        own[k].bound = entries[k].bound->part[i];
    }
    if (parts->limited)
        return mplan_exec_steps(mplan_exec_parts_exec(parts, i), own, n_entries, n, err);
    for (int64_t s = 0; s < n && !status; s++)
        for (int32_t k = 0; k < n_entries && !status; k++)
            status = launch(parts, i, &entries[k], err);
    return status;
}

/* Halos of what the step changes are out of date. */
static void take_changes(mplan_exec_parts *parts, const mplan_exec_entry *entries, int32_t n_entries)
{
    for (int32_t k = 0; k < n_entries; k++) {
        const mplan_exec_loop *bound = entries[k].bound;
        for (int32_t a = 0; a < bound->loop->n_args; a++)
            if (bound->loop->args[a].map != MPLAN_MAP_GLOBAL &&
                bound->loop->args[a].access != MPLAN_READ)
                mplan_exec_parts_set_level(parts, bound->dat[a], 0);
    }
    mplan_exec_parts_poison(parts);
}

/* Parts of this process take turns, those of other processes run at the same time. */
mplan_status mplan_exec_parts_steps(mplan_exec *exec, const mplan_exec_entry *entries,
                                    int32_t n_entries, int64_t n_steps, mplan_error *err)
{
    assert(exec && exec->parts && exec->parts->visit_steps > 0 && entries);
    mplan_exec_parts *parts = exec->parts;
    for (int32_t k = 0; k < n_entries; k++)
        if (entries[k].bound->exec != exec)
            return mplan_fail(err, MPLAN_ERR_ARGUMENT, "kernel %s is bound to another executor",
                              entries[k].bound->kernel->name);
    if (parts->open)
        return mplan_fail(err, MPLAN_ERR_ARGUMENT,
                          "steps need halos, but an exchange has begun and has not ended");
    parts->at_work = true;
    mplan_exec_entry *own = mplan_alloc(n_entries, sizeof *own, err);
    mplan_status status = own ? agree(parts, err) : MPLAN_ERR_MEMORY;
    for (int64_t done = 0, n; done < n_steps && !status; done += n) {
        n = parts->visit_steps < n_steps - done ? parts->visit_steps : n_steps - done;
        status = exchange(parts, err);
        for (int32_t i = 0; i < parts->n_here && !status; i++)
            status = step_part(parts, i, entries, n_entries, n, own, err);
        if (!status)
            take_changes(parts, entries, n_entries);
    }
    free(own);
    return !status ? mplan_exec_wait(exec, err) : status;
}
