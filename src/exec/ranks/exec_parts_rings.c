/* SPDX-License-Identifier: Apache-2.0 */
/* exec_parts_rings.c - with rings: up to which one halos are right, and when they are exchanged
 *
 * Region k has all members of a part up to ring k (formats/plan-format.md, PARTS). A dat has level k where its values are right
 * in region k; an exchange makes all of its halo right, level rings + 1. A loop that is run on the whole of a part leaves
 * results of the level that what it reads allows: the next lower one where it reads by a map what loops change, or where
 * elements change points, as all elements around a point have to be right; else the same. Level 0 is what must be right always:
 * then parts run what they own, as they do without rings.
 *
 * Halos are exchanged where a loop would get less than level 0. They are exchanged before, too, where all that a loop reads of
 * what loops change has level 0, and its results, or what is made of these, will be needed in halos: so one exchange at the
 * begin of a step serves all of it. And they are exchanged where a dat that no loop changes has just been uploaded (lacks_given).
 * Decisions follow from the plan and from the launches so far; they are the same on all ranks, however many there are. */
#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "exec/ranks/exec_parts.h"

/* --- states of halos ---------------------------------------------------------------------- */

/* The first part is asked, for all: every rank does the same to its dats. */
int32_t mplan_exec_parts_level(mplan_exec_parts *parts, int32_t dat)
{
    assert(parts);
    mplan_exec_dat *first = &mplan_exec_parts_exec(parts, 0)->dats[dat];
    if (first->set < 0 || first->owner)
        return parts->rings + 1;
    first->times += first->open; /* what was written through a view nobody knows */
    return parts->states[dat].times == first->times ? parts->states[dat].level : 0;
}

/* The state is of the number of changes that the first part counts, which is equal in all parts. */
void mplan_exec_parts_set_level(mplan_exec_parts *parts, int32_t dat, int32_t level)
{
    assert(parts && level >= 0 && level <= parts->rings + 1);
    parts->states[dat].times = mplan_exec_parts_exec(parts, 0)->dats[dat].times;
    parts->states[dat].level = level;
}

void mplan_exec_parts_mark_sent(mplan_exec_parts *parts, int32_t dat)
{
    assert(parts && dat >= 0 && dat < parts->n_states);
    parts->states[dat].sent = mplan_exec_parts_exec(parts, 0)->dats[dat].times;
}

/* A loop that reads a halo and changes the dat, too, runs in part before its exchange ends. */
void mplan_exec_parts_mark_arrived(mplan_exec_parts *parts, int32_t dat)
{
    assert(parts && dat >= 0 && dat < parts->n_states);
    parts->states[dat].times = parts->states[dat].sent;
    parts->states[dat].level = parts->rings + 1;
}

bool mplan_exec_parts_is_stale(mplan_exec_parts *parts, int32_t dat)
{
    assert(parts);
    return mplan_exec_parts_level(parts, dat) <= parts->rings;
}

/* --- dats --------------------------------------------------------------------------------- */

static bool reads(const mplan_plan_arg *arg)
{
    return arg->access == MPLAN_READ || arg->access == MPLAN_RW;
}

/* What was there counts for the result: all but what is only written. */
static bool takes(const mplan_plan_arg *arg)
{
    return arg->map != MPLAN_MAP_GLOBAL && (arg->map >= 0 || arg->access != MPLAN_WRITE);
}

static bool changes(const mplan_plan_arg *arg)
{
    return arg->map != MPLAN_MAP_GLOBAL && arg->access != MPLAN_READ;
}

/* Whether elements change points: then all elements around a point must be right. */
static bool adds(const mplan_plan_loop *loop)
{
    bool some = false;
    for (int32_t a = 0; a < loop->n_args; a++)
        some = some || (loop->args[a].map >= 0 && changes(&loop->args[a]));
    return some;
}

static bool is_dat(const mplan_exec_parts *parts, const mplan_plan_arg *arg, int32_t d)
{
    const mplan_exec_dat *dat = &mplan_exec_parts_exec(parts, 0)->dats[d];
    return arg->map != MPLAN_MAP_GLOBAL && dat->set >= 0 && strcmp(dat->name, arg->dat) == 0;
}

/* Whether a loop spreads a dat: it reads the dat in halos, or makes something of it that is spread. */
static bool is_spread_by(const mplan_exec_parts *parts, const mplan_plan_loop *loop, int32_t d)
{
    bool used = false, in_halo = false, makes = false;
    for (int32_t a = 0; a < loop->n_args; a++) {
        const mplan_plan_arg *arg = &loop->args[a];
        const bool own = is_dat(parts, arg, d);
        used = used || (own && takes(arg));
        in_halo = in_halo || (own && reads(arg) && (arg->map >= 0 || adds(loop)));
        for (int32_t e = 0; e < parts->n_states && changes(arg); e++)
            makes = makes || (parts->spreads[e] && is_dat(parts, arg, e));
    }
    return in_halo || (used && makes);
}

/* By all loops of the plan, until nothing is added: what a dat is used for later counts, too. */
mplan_status mplan_exec_parts_learn(mplan_exec_parts *parts, mplan_error *err)
{
    assert(parts);
    const mplan_plan *plan = parts->here[0].plan;
    if (parts->rings == 0)
        return MPLAN_OK;
    bool *changed = mplan_alloc_zero(parts->n_states, sizeof *changed, err);
    bool *spread = changed ? mplan_alloc_zero(parts->n_states, sizeof *spread, err) : NULL;
    if (!spread) {
        free(changed);
        return MPLAN_ERR_MEMORY;
    }
    free(parts->changes);
    free(parts->spreads);
    parts->changes = changed;
    parts->spreads = spread;
    for (bool grown = true; grown;) {
        grown = false;
        for (int32_t l = 0; l < mplan_plan_n_loops(plan); l++)
            for (int32_t d = 0; d < parts->n_states; d++) {
                const mplan_plan_loop *loop = mplan_plan_get_loop(plan, l);
                for (int32_t a = 0; a < loop->n_args; a++)
                    if (changes(&loop->args[a]) && is_dat(parts, &loop->args[a], d))
                        parts->changes[d] = true;
                if (!parts->spreads[d] && is_spread_by(parts, loop, d))
                    grown = parts->spreads[d] = true;
            }
    }
    return MPLAN_OK;
}

/* --- levels of a launch --------------------------------------------------------------------- */

/* The highest level of results that a dat of level v allows through one arg; -1: none. */
static int32_t level_by(const mplan_exec_parts *parts, const mplan_plan_loop *loop, int32_t a,
                        int32_t d, int32_t v)
{
    const mplan_plan_arg *arg = &loop->args[a];
    const int32_t all = parts->rings + 1;
    if (!takes(arg))
        return all;
    if (!parts->changes[d]) /* its halo is all right, or not at all */
        return v == all ? all : arg->map >= 0 || adds(loop) ? -1 : 0;
    return reads(arg) && (arg->map >= 0 || adds(loop)) ? v - 1 : v;
}

/* Of a launch; exchanged: dats that are out of date are exchanged first. */
static int32_t level_of(mplan_exec_parts *parts, const mplan_exec_loop *bound, bool exchanged)
{
    const mplan_plan_loop *loop = bound->loop;
    int32_t level = adds(loop) ? parts->rings - 1 : parts->rings + 1;
    for (int32_t a = 0; a < loop->n_args; a++) {
        if (loop->args[a].map == MPLAN_MAP_GLOBAL)
            continue;
        if (loop->args[a].map >= 0 && level > parts->rings) /* rows of the last ring are not whole */
            level = parts->rings;
        const int32_t d = bound->dat[a];
        const int32_t v = exchanged ? parts->rings + 1 : mplan_exec_parts_level(parts, d);
        const int32_t by = level_by(parts, loop, a, d, v);
        level = by < level ? by : level;
    }
    return level;
}

/* Whether the loop makes something that will be needed in halos, of dats that loops change and of which nothing there is
 * right. Where some of what it reads is right there, a chain of loops ends with it: then the next one begins with its results. */
static bool begins_chain(mplan_exec_parts *parts, const mplan_exec_loop *bound)
{
    bool lost = false, kept = false, spreads = false;
    for (int32_t a = 0; a < bound->loop->n_args; a++) {
        const mplan_plan_arg *arg = &bound->loop->args[a];
        if (arg->map == MPLAN_MAP_GLOBAL)
            continue;
        const bool counts = reads(arg) && parts->changes[bound->dat[a]];
        const bool none = mplan_exec_parts_level(parts, bound->dat[a]) == 0;
        lost = lost || (counts && none);
        kept = kept || (counts && !none);
        spreads = spreads || (changes(arg) && parts->spreads[bound->dat[a]]);
    }
    return lost && !kept && spreads;
}

/* Whether the loop makes something that will be needed in halos of a dat that no loop changes and whose halo has not come since it was uploaded:
 * once it has come it is right for good, and without it each step would end a chain here. */
static bool lacks_given(mplan_exec_parts *parts, const mplan_exec_loop *bound)
{
    bool lacks = false, spreads = false;
    for (int32_t a = 0; a < bound->loop->n_args; a++) {
        const mplan_plan_arg *arg = &bound->loop->args[a];
        const int32_t d = bound->dat[a];
        lacks = lacks || (takes(arg) && !parts->changes[d] && mplan_exec_parts_is_stale(parts, d));
        spreads = spreads || (changes(arg) && parts->spreads[d]);
    }
    return lacks && spreads;
}

int32_t mplan_exec_parts_wanted(mplan_exec_parts *parts, const mplan_exec_loop *bound,
                                int32_t *list, int32_t *n)
{
    assert(parts && bound && list && n && parts->rings > 0);
    const bool exchange = level_of(parts, bound, false) < 0 || begins_chain(parts, bound) ||
                          lacks_given(parts, bound);
    *n = 0;
    for (int32_t d = 0; d < parts->n_states && exchange; d++) {
        bool taken = false;
        for (int32_t a = 0; a < bound->loop->n_args; a++)
            taken = taken || (takes(&bound->loop->args[a]) && bound->dat[a] == d);
        if (taken && mplan_exec_parts_is_stale(parts, d))
            list[(*n)++] = d;
    }
    const int32_t level = level_of(parts, bound, exchange);
    assert(level >= 0);
    return level;
}

void mplan_exec_parts_computed(mplan_exec_parts *parts, const mplan_exec_loop *bound, int32_t level)
{
    assert(parts && bound);
    for (int32_t a = 0; a < bound->loop->n_args; a++)
        if (changes(&bound->loop->args[a]))
            mplan_exec_parts_set_level(parts, bound->dat[a], level);
}
