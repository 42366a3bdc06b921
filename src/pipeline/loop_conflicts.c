/* SPDX-License-Identifier: Apache-2.0 */
/* loop_conflicts.c - which loops of a step must not change places
 *
 * formats/plan-format.md, STEP_CONFLICTS. The step is walked twice, so that what it leaves for its
 * repetition is met; for each dat the last entry that wrote it and those that have read it since
 * are known. The others follow from these (Allen and Kennedy, Optimizing Compilers for Modern
 * Architectures, chapter 2: dependences by what is accessed, here dat by dat). */
#include "pipeline/loop_conflicts.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"

/* What a loop does with a dat, all its args together. */
typedef struct dat_use {
    int32_t dat, arg; /* number of the dat; the first arg that names it */
    bool reads, writes;
    mplan_access adds; /* inc, min or max, where it is the only access; else MPLAN_READ */
    uint32_t ways;
} dat_use;

/* An access to a dat, kept until the dat is written. */
typedef struct access_of_entry {
    int32_t position; /* in the step walked twice */
    const dat_use *use;
    int32_t next; /* access of the same dat; -1: none */
} access_of_entry;

/* Per dat: its last writer, and the readers since. */
typedef struct dat_state {
    access_of_entry writer;
    int32_t first, last; /* of the readers; -1: none */
} dat_state;

/* Goes twice over the entries of the step, so that the second time meets what the first one left. */
typedef struct conflict_walk {
    mplan_plan *plan;
    int32_t n_dats;
    int64_t *begin; /* n_step + 1: the uses of entry i are use[begin[i]] ... */
    dat_use *use;
    dat_state *state;        /* n_dats */
    access_of_entry *reader; /* of both walks */
    int32_t n_readers;
} conflict_walk;

/* --- uses -------------------------------------------------------------------------- */

/* A name of a dat and which arg of all has it. */
typedef struct named_arg {
    const char *name;
    int64_t arg;
} named_arg;

/* Args on one dat follow one another, in the order of the loop. */
static int compare_names(const void *a, const void *b)
{
    const named_arg *x = a, *y = b;
    int c = strcmp(x->name, y->name);
    return c ? c : (x->arg > y->arg) - (x->arg < y->arg);
}

/* number: out, of each arg the number of its dat. Returns how many dats there are; -1 without
 * memory. */
static int32_t number_dats(const mplan_plan *plan, int64_t n_args, int32_t *number, mplan_error *err)
{
    named_arg *named = mplan_alloc(n_args, sizeof *named, err);
    int64_t n = 0;
    int32_t dats = 0;
    if (!named)
        return -1;
    for (int32_t l = 0; l < plan->n_loops; l++)
        for (int32_t a = 0; a < plan->loops[l].n_args; a++, n++)
            named[n] = (named_arg){plan->loops[l].args[a].dat, n};
    if (n > 1)
        qsort(named, (size_t)n, sizeof *named, compare_names);
    for (int64_t i = 0; i < n; i++) {
        dats += i == 0 || strcmp(named[i].name, named[i - 1].name) != 0;
        number[named[i].arg] = dats - 1;
    }
    free(named);
    return dats;
}

/* Adds arg a to what the loop, whose uses are use[0 .. n), does with its dat; returns their number. */
static int64_t add_use(dat_use *use, int64_t n, int32_t dat, int32_t a, const mplan_plan_arg *arg)
{
    int64_t u = 0;
    while (u < n && use[u].dat != dat)
        u++;
    if (u == n)
        use[n++] = (dat_use){
            .dat = dat, .arg = a, .adds = mplan_access_adds(arg->access) ? arg->access : MPLAN_READ};
    use[u].reads = use[u].reads || arg->access != MPLAN_WRITE;
    use[u].writes = use[u].writes || arg->access != MPLAN_READ;
    if (arg->access != use[u].adds)
        use[u].adds = MPLAN_READ;
    use[u].ways |= arg->map >= 0                  ? MPLAN_WAY_MAPPED
                   : arg->map == MPLAN_MAP_GLOBAL ? MPLAN_WAY_GLOBAL
                                                  : MPLAN_WAY_DIRECT;
    return n;
}

/* What entry i does, in the order of the args that first name the dats; use has room for the args of its
 * loop, number is that of its loop's first arg. A dat that is set to zero before is written, and not read. Returns how many uses
 * there are. */
static int64_t collect_entry(const mplan_plan *plan, int32_t i, const int32_t *number, dat_use *use)
{
    const mplan_plan_loop *loop = &plan->loops[plan->step[i].loop];
    const int32_t clear = plan->step[i].clear - 1;
    int64_t n = 0;
    for (int32_t a = 0; a < loop->n_args; a++)
        n = add_use(use, n, number[a], a, &loop->args[a]);
    for (int64_t u = 0; u < n && clear >= 0; u++)
        if (use[u].dat == number[clear]) {
            use[u].reads = false;
            use[u].adds = MPLAN_READ;
        }
    return n;
}

/* Uses of all entries, and the number of dats of all loops. */
static mplan_status collect_uses(conflict_walk *walk, mplan_error *err)
{
    const mplan_plan *plan = walk->plan;
    int64_t n_args = 0, n_uses = 0, *first = mplan_alloc(plan->n_loops, sizeof *first, err);
    for (int32_t l = 0; l < plan->n_loops && first; l++) {
        first[l] = n_args;
        n_args += plan->loops[l].n_args;
    }
    for (int32_t i = 0; i < plan->n_step; i++)
        n_uses += plan->loops[plan->step[i].loop].n_args;
    int32_t *number = mplan_alloc(n_args, sizeof *number, err);
    walk->begin = mplan_alloc_zero((int64_t)plan->n_step + 1, sizeof *walk->begin, err);
    walk->use = mplan_alloc(n_uses, sizeof *walk->use, err);
    walk->n_dats = first && number && walk->begin && walk->use
                       ? number_dats(plan, n_args, number, err)
                       : -1;
    for (int32_t i = 0; i < plan->n_step && walk->n_dats >= 0; i++)
        walk->begin[i + 1] = walk->begin[i] + collect_entry(plan, i,
                                                            number + first[plan->step[i].loop],
                                                            walk->use + walk->begin[i]);
    free(first);
    free(number);
    return walk->n_dats < 0 ? MPLAN_ERR_MEMORY : MPLAN_OK;
}

/* --- the walk ----------------------------------------------------------------------- */

/* What two accesses are to each other; one of them writes. */
static uint32_t kinds_of(const dat_use *earlier, const dat_use *later)
{
    if (earlier->adds != MPLAN_READ && earlier->adds == later->adds)
        return MPLAN_CONFLICT_SUMS;
    return (earlier->writes && later->reads ? MPLAN_CONFLICT_FLOW : 0u) |
           (earlier->reads && later->writes ? MPLAN_CONFLICT_ANTI : 0u) |
           (earlier->writes && later->writes ? MPLAN_CONFLICT_OUTPUT : 0u);
}

/* Conflicts of the second walk are those of every repetition. */
static mplan_status note(conflict_walk *walk, const access_of_entry *earlier, int32_t position,
                         const dat_use *later, mplan_error *err)
{
    const int32_t n = walk->plan->n_step;
    if (position < n)
        return MPLAN_OK;
    const mplan_step_conflict conflict = {.earlier = earlier->position % n,
                                          .later = position - n,
                                          .repeat = earlier->position < n,
                                          .kinds = kinds_of(earlier->use, later),
                                          .earlier_ways = earlier->use->ways,
                                          .later_ways = later->ways,
                                          .arg = later->arg};
    return mplan_plan_add_conflict(walk->plan, &conflict, err);
}

/* One access: conflicts with the last writer and, where it writes, with all readers since. */
static mplan_status access_dat(conflict_walk *walk, int32_t position, const dat_use *use,
                               mplan_error *err)
{
    dat_state *state = &walk->state[use->dat];
    mplan_status status = MPLAN_OK;
    if (state->writer.use)
        status = note(walk, &state->writer, position, use, err);
    for (int32_t r = state->first; use->writes && r >= 0 && !status; r = walk->reader[r].next)
        status = note(walk, &walk->reader[r], position, use, err);
    const access_of_entry own = {position, use, -1};
    if (use->writes) {
        *state = (dat_state){own, -1, -1};
        return status;
    }
    walk->reader[walk->n_readers] = own;
    if (state->first < 0)
        state->first = walk->n_readers;
    else
        walk->reader[state->last].next = walk->n_readers;
    state->last = walk->n_readers++;
    return status;
}

/* Two steps one after the other, so that conflicts with the step before are found as well. reader: room for the accesses of both. */
static mplan_status walk_twice(conflict_walk *walk, mplan_error *err)
{
    const mplan_plan *plan = walk->plan;
    int64_t accesses = 0;
    for (int32_t i = 0; i < plan->n_step; i++)
        accesses += walk->begin[i + 1] - walk->begin[i];
    walk->state = mplan_alloc_zero(walk->n_dats, sizeof *walk->state, err);
    walk->reader = mplan_alloc(2 * accesses, sizeof *walk->reader, err);
    mplan_status status = walk->state && walk->reader ? MPLAN_OK : MPLAN_ERR_MEMORY;
    for (int32_t d = 0; d < walk->n_dats && !status; d++)
        walk->state[d].first = walk->state[d].last = -1;
    for (int32_t position = 0; position < 2 * plan->n_step && !status; position++) {
        const int32_t i = position % plan->n_step;
        for (int64_t u = walk->begin[i]; u < walk->begin[i + 1] && !status; u++)
            status = access_dat(walk, position, &walk->use[u], err);
    }
    return status;
}

/* An entry of the step as the plan has it. */
static mplan_status add_entry(planning *p, int32_t i, mplan_error *err)
{
    const mplan_plan_options *asked = p->asked;
    const mplan_step_entry entry = {.loop = asked->step[i],
                                    .clear = asked->step_clears ? asked->step_clears[i] + 1 : 0,
                                    .lag = asked->step_lags ? asked->step_lags[i] : 0};
    const mplan_plan_loop *loop = &p->plan->loops[entry.loop];
    if (entry.clear < 0 || entry.clear > loop->n_args ||
        (entry.clear && loop->args[entry.clear - 1].access != MPLAN_INC))
        return mplan_fail(err, MPLAN_ERR_ARGUMENT,
                          "entry %d of the step sets arg %d of loop %s to zero first, which is not one that "
                          "it increments",
                          (int)i, (int)entry.clear - 1, loop->name);
    return mplan_plan_add_step(p->plan, &entry, err);
}

/* Whether an entry of the step changes a global; NULL: any. */
static bool changes_global(const mplan_plan *plan, int32_t i, const char *global)
{
    const mplan_plan_loop *loop = &plan->loops[plan->step[i].loop];
    for (int32_t a = 0; a < loop->n_args; a++)
        if (loop->args[a].map == MPLAN_MAP_GLOBAL && loop->args[a].access != MPLAN_READ &&
            (!global || strcmp(loop->args[a].dat, global) == 0))
            return true;
    return false;
}

/* An entry with lag changes globals that no other entry changes: each gets one value when a visit ends. */
static mplan_status check_lag(const planning *p, int32_t i, mplan_error *err)
{
    const mplan_plan *plan = p->plan;
    const mplan_plan_loop *loop = &plan->loops[plan->step[i].loop];
    if (plan->step[i].lag == 0)
        return MPLAN_OK;
    if (plan->step[i].lag != 1)
        return mplan_fail(err, MPLAN_ERR_ARGUMENT,
                          "entry %d of the step cannot have a lag of %d; 1 is possible", (int)i,
                          (int)plan->step[i].lag);
    if (p->part)
        return mplan_fail(err, MPLAN_ERR_ARGUMENT,
                          "entry %d of the step (%s) has lag, which cannot be combined with parts",
                          (int)i, loop->name);
    if (!changes_global(plan, i, NULL))
        return mplan_fail(err, MPLAN_ERR_ARGUMENT,
                          "entry %d of the step has lag, but loop %s changes no global", (int)i,
                          loop->name);
    for (int32_t a = 0; a < loop->n_args; a++)
        for (int32_t k = 0; k < plan->n_step; k++)
            if (loop->args[a].map == MPLAN_MAP_GLOBAL && loop->args[a].access != MPLAN_READ &&
                k != i && changes_global(plan, k, loop->args[a].dat))
                return mplan_fail(err, MPLAN_ERR_ARGUMENT,
                                  "global %s of entry %d of the step, which has lag, is changed by entry %d, too",
                                  loop->args[a].dat, (int)i, (int)k);
    return MPLAN_OK;
}

/* walk.use lists what each entry reads and writes (begin: one offset per entry and one more). The
 * step is followed twice, because its last loops meet its first ones in the next round. */
mplan_status mplan_planning_conflicts(planning *p, mplan_error *err)
{
    assert(p && p->plan);
    conflict_walk walk = {.plan = p->plan};
    mplan_status status = MPLAN_OK;
    for (int32_t i = 0; i < p->asked->n_step && !status; i++)
        status = add_entry(p, i, err);
    for (int32_t i = 0; i < p->asked->n_step && !status; i++)
        status = check_lag(p, i, err);
    if (!status && p->plan->n_step > 0)
        status = collect_uses(&walk, err);
    if (!status && p->plan->n_step > 0)
        status = walk_twice(&walk, err);
    free(walk.begin);
    free(walk.use);
    free(walk.state);
    free(walk.reader);
    return status;
}

/* Whether the step of the request can be followed: its entries are numbers of loops, and a loop
 * may be there several times. */
mplan_status mplan_planning_step(const mplan_plan_options *options, int32_t n_loops, mplan_error *err)
{
    assert(options);
    if (options->n_step < 0 || options->n_step > MPLAN_STEP_MOST)
        return mplan_fail(err, MPLAN_ERR_ARGUMENT, "a step has at most %d loops, not %d",
                          MPLAN_STEP_MOST, (int)options->n_step);
    if (options->n_step > 0 && !options->step)
        return mplan_fail(err, MPLAN_ERR_ARGUMENT, "the loops of the step are NULL");
    for (int32_t i = 0; i < options->n_step; i++)
        if (options->step[i] < 0 || options->step[i] >= n_loops)
            return mplan_fail(err, MPLAN_ERR_ARGUMENT,
                              "the step names loop %d, but there are %d loops",
                              (int)options->step[i], (int)n_loops);
    return MPLAN_OK;
}
