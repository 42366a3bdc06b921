/* SPDX-License-Identifier: Apache-2.0 */
/* ring_steps.c - how many steps one exchange of halos serves
 *
 * A dat has level k where it is right in region k, all members up to ring k: after an exchange rings + 1. A loop leaves results of the next
 * lower level where it reads by a map what the step changes, or where elements change points, as all elements around a point have to be
 * right then; else of the same. Level 0 is what a part owns. exec_parts_rings.c decides by the same levels when a launch in memory needs an
 * exchange. */
#include "plan/ring_steps.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"

static bool reads(const mplan_plan_arg *arg)
{
    return arg->access == MPLAN_READ || arg->access == MPLAN_RW;
}

/* What was there counts for the result: all but what is only written. */
static bool takes(const mplan_plan_arg *arg)
{
    return arg->map >= 0 || arg->access != MPLAN_WRITE;
}

static bool is_dat(const mplan_plan_arg *arg)
{
    return arg->map != MPLAN_MAP_GLOBAL;
}

/* Whether elements change points. */
static bool adds(const mplan_ring_entry *entry)
{
    bool some = false;
    for (int32_t a = 0; a < entry->n_args; a++)
        some = some || (entry->args[a].map >= 0 && entry->args[a].access != MPLAN_READ);
    return some;
}

/* The dat that is set to zero before an entry; -1: none, or a global, which has no halo. dat: of its args. */
static int32_t cleared(const mplan_ring_entry *entry, const int32_t *dat)
{
    return entry->clear ? dat[entry->clear - 1] : -1;
}

/* --- dats ----------------------------------------------------------------------------------- */

static int32_t number_of(mplan_ring_steps *steps, const char *name)
{
    for (int32_t d = 0; d < steps->n_dats; d++)
        if (strcmp(steps->name[d], name) == 0)
            return d;
    steps->name[steps->n_dats] = name;
    return steps->n_dats++;
}

/* seen: of each dat, whether the entries so far have set all of it. */
static void take_entry(mplan_ring_steps *steps, const mplan_ring_entry *entry, const int32_t *dat,
                       bool *seen)
{
    if (cleared(entry, dat) >= 0)
        seen[cleared(entry, dat)] = true;
    for (int32_t a = 0; a < entry->n_args; a++)
        if (is_dat(&entry->args[a]) && takes(&entry->args[a]) && !seen[dat[a]])
            steps->needed[dat[a]] = true;
    for (int32_t a = 0; a < entry->n_args; a++)
        if (is_dat(&entry->args[a])) {
            seen[dat[a]] = true;
            steps->changed[dat[a]] = steps->changed[dat[a]] || entry->args[a].access != MPLAN_READ;
        }
}

mplan_status mplan_ring_steps_open(const mplan_ring_entry *entries, int32_t n_entries,
                                   mplan_ring_steps *out, mplan_error *err)
{
    assert((entries || n_entries == 0) && out);
    int64_t n = 0;
    for (int32_t i = 0; i < n_entries; i++)
        n += entries[i].n_args;
    *out = (mplan_ring_steps){.n_entries = n_entries, .entries = entries};
    out->dat = mplan_alloc(n, sizeof *out->dat, err);
    out->name = mplan_alloc(n, sizeof *out->name, err);
    out->changed = mplan_alloc_zero(n, sizeof *out->changed, err);
    out->needed = mplan_alloc_zero(n, sizeof *out->needed, err);
    out->level = mplan_alloc(n, sizeof *out->level, err);
    bool *seen = mplan_alloc_zero(n, sizeof *seen, err);
    const bool made = out->dat && out->name && out->changed && out->needed && out->level && seen;
    for (int64_t i = 0, at = 0; made && i < n_entries; at += entries[i++].n_args) {
        for (int32_t a = 0; a < entries[i].n_args; a++)
            out->dat[at + a] = is_dat(&entries[i].args[a]) ? number_of(out, entries[i].args[a].dat)
                                                           : -1;
        take_entry(out, &entries[i], out->dat + at, seen);
    }
    free(seen);
    return made ? MPLAN_OK : MPLAN_ERR_MEMORY;
}

void mplan_ring_steps_close(mplan_ring_steps *steps)
{
    assert(steps);
    free(steps->dat);
    free(steps->name);
    free(steps->changed);
    free(steps->needed);
    free(steps->level);
}

mplan_status mplan_ring_steps_of_plan(const mplan_plan *plan, mplan_ring_entry **entries,
                                      mplan_ring_steps *out, mplan_error *err)
{
    assert(plan && entries && out);
    *out = (mplan_ring_steps){0};
    mplan_ring_entry *list = mplan_alloc(plan->n_step, sizeof *list, err);
    *entries = list;
    for (int32_t i = 0; list && i < plan->n_step; i++) {
        const mplan_plan_loop *loop = &plan->loops[plan->step[i].loop];
        list[i] = (mplan_ring_entry){loop->n_args, loop->args, plan->step[i].clear};
    }
    return list ? mplan_ring_steps_open(list, plan->n_step, out, err) : MPLAN_ERR_MEMORY;
}

/* --- levels ----------------------------------------------------------------------------------- */

/* The level of the results of an entry; -1: what it reads is right nowhere near what parts own. */
static int32_t level_of(const mplan_ring_steps *steps, const mplan_ring_entry *entry,
                        const int32_t *dat, int32_t rings)
{
    const bool spreads = adds(entry);
    int32_t level = spreads ? rings - 1 : rings + 1;
    for (int32_t a = 0; a < entry->n_args; a++) {
        const mplan_plan_arg *arg = &entry->args[a];
        if (!is_dat(arg))
            continue;
        if (arg->map >= 0 && level > rings) /* rows of the last ring are not whole */
            level = rings;
        if (!takes(arg) || !steps->changed[dat[a]])
            continue;
        const int32_t own = steps->level[dat[a]];
        const int32_t by = reads(arg) && (arg->map >= 0 || spreads) ? own - 1 : own;
        level = by < level ? by : level;
    }
    return level;
}

int32_t mplan_ring_steps_count(mplan_ring_steps *steps, int32_t rings, int32_t most)
{
    assert(steps && rings > 0 && most >= 0);
    for (int32_t d = 0; d < steps->n_dats; d++)
        steps->level[d] = rings + 1;
    for (int32_t done = 0; done < most; done++) {
        const int32_t *dat = steps->dat;
        for (int32_t i = 0; i < steps->n_entries; dat += steps->entries[i++].n_args) {
            const mplan_ring_entry *entry = &steps->entries[i];
            if (cleared(entry, dat) >= 0)
                steps->level[cleared(entry, dat)] = rings + 1;
            const int32_t level = level_of(steps, entry, dat, rings);
            if (level < 0)
                return done;
            for (int32_t a = 0; a < entry->n_args; a++)
                if (is_dat(&entry->args[a]) && entry->args[a].access != MPLAN_READ)
                    steps->level[dat[a]] = level;
        }
    }
    return most;
}

/* A loop costs a ring at most, and is run once a step. More rings never serve fewer steps, so the least are looked for by halves: n may be thousands. */
int32_t mplan_ring_steps_rings(mplan_ring_steps *steps, int32_t n)
{
    assert(steps && n >= 0);
    int32_t too_few = 0, rings = 1;
    while (mplan_ring_steps_count(steps, rings, n) < n) {
        too_few = rings;
        rings *= 2;
    }
    while (rings - too_few > 1) {
        const int32_t middle = too_few + (rings - too_few) / 2;
        if (mplan_ring_steps_count(steps, middle, n) < n)
            too_few = middle;
        else
            rings = middle;
    }
    return rings;
}
