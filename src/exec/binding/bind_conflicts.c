/* SPDX-License-Identifier: Apache-2.0 */
/* bind_conflicts.c - may the variant's strategy run what the args do with their dats?
 *
 * formats/plan-format.md, section 10, as sets of strategies: one for each arg, one for each two
 * args of a dat; the variant's must be in all of them. Plans may come unproved. */
#include <assert.h>

#include "base/error.h"
#include "exec/exec.h"
#include "plan/strategies.h"

/* Sets of strategies: those with colours, those that run each element once, all. */
enum { NOBODY = 0, COLOURED = 1, RUNS_ONCE = COLOURED | 2, EVERYBODY = RUNS_ONCE | 4 };

/* The member of those sets that a strategy is. */
static unsigned who_is(mplan_strategy strategy)
{
    if (mplan_strategy_has(strategy, MPLAN_TRAITS_COLOURED))
        return COLOURED;
    return mplan_strategy_has(strategy, MPLAN_TRAIT_OWNERS) ? 4 : 2;
}

/* Who may run this arg, whatever the others do. */
static unsigned alone(const mplan_plan_arg *arg)
{
    if (arg->map == MPLAN_MAP_GLOBAL)
        return arg->access == MPLAN_READ || mplan_access_adds(arg->access) ? EVERYBODY : NOBODY;
    switch (arg->access) {
    case MPLAN_READ: return EVERYBODY;
    case MPLAN_WRITE: return arg->map < 0 || arg->once ? EVERYBODY : COLOURED;
    case MPLAN_RW: return arg->map < 0 || arg->once ? RUNS_ONCE : COLOURED;
    case MPLAN_INC: return arg->map < 0 ? RUNS_ONCE : EVERYBODY;
    case MPLAN_INC_MIN:
    case MPLAN_INC_MAX: return arg->map < 0 ? NOBODY : EVERYBODY;
    default: return NOBODY;
    }
}

/* Whether any arg writes through the map. */
static bool writes_by(const mplan_plan_loop *loop, int32_t map)
{
    for (int32_t a = 0; a < loop->n_args; a++)
        if (loop->args[a].map == map && loop->args[a].access != MPLAN_READ && !loop->args[a].once)
            return true;
    return false;
}

/* Who may run two args of one dat beside each other. */
static unsigned together(const mplan_plan_loop *loop, const mplan_plan_arg *x,
                         const mplan_plan_arg *y)
{
    bool reads = x->access == MPLAN_READ, other_reads = y->access == MPLAN_READ;
    if (reads && other_reads)
        return EVERYBODY;
    if (x->map == MPLAN_MAP_GLOBAL || y->map == MPLAN_MAP_GLOBAL)
        return NOBODY;
    if (x->map < 0 && y->map < 0)
        return reads == other_reads ? EVERYBODY : RUNS_ONCE;
    if (x->map < 0 || y->map < 0)
        return NOBODY;
    if (mplan_access_adds(x->access) || mplan_access_adds(y->access))
        return x->access == y->access ? EVERYBODY : NOBODY;
    if (x->map == y->map && (x->once || y->once))
        return reads == other_reads ? EVERYBODY : RUNS_ONCE; /* who updates says so by itself */
    return writes_by(loop, x->map) && writes_by(loop, y->map) ? COLOURED : NOBODY;
}

/* What an arg does, for messages. */
static const char *words_of(const mplan_plan_arg *arg)
{
    static const char *const direct[] = {"reads",      "writes",    "updates",
                                         "increments", "minimizes", "maximizes"};
    static const char *const mapped[] = {"reads through a map",     "writes through a map",
                                         "updates through a map",   "increments through a map",
                                         "minimizes through a map", "maximizes through a map"};
    return (unsigned)arg->access <= MPLAN_INC_MAX ? (arg->map < 0 ? direct : mapped)[arg->access]
                                                  : "accesses in an unknown way";
}

/* who: strategies that could run the pair, a bit each. */
static mplan_status refuse(const mplan_exec_loop *bound, int32_t a, int32_t b, unsigned who,
                           mplan_error *err)
{
    const mplan_plan_arg *args = bound->loop->args;
    const char *why = who == NOBODY     ? "no strategy separates the elements there"
                      : who == COLOURED ? "only colours separate the elements there"
                                        : "it computes elements more than once";
    if (a == b)
        return mplan_fail(err, MPLAN_ERR_UNSUPPORTED,
                          "%s cannot run loop %s, which %s dat %s (arg %d): %s",
                          mplan_strategy_name(bound->chosen->strategy), bound->loop->name,
                          words_of(&args[a]), args[a].dat, (int)a, why);
    return mplan_fail(err, MPLAN_ERR_UNSUPPORTED,
                      "%s cannot run loop %s, which %s dat %s (arg %d) and %s it (arg %d): %s",
                      mplan_strategy_name(bound->chosen->strategy), bound->loop->name,
                      words_of(&args[a]), args[a].dat, (int)a, words_of(&args[b]), (int)b, why);
}

/* Increments of one dat in a loop with layers: threads of one launch must not meet on a level. */
static bool takes_slots(const mplan_exec_loop *bound, int32_t a, int32_t b)
{
    const mplan_plan_arg *x = &bound->loop->args[a], *y = &bound->loop->args[b];
    return bound->loop->layering != MPLAN_LAYERING_LAYERS || x->map < 0 || y->map < 0 ||
           !mplan_access_adds(x->access) || !mplan_access_adds(y->access) ||
           mplan_strategy_takes_slots(bound->chosen->strategy, &x->layers, &y->layers);
}

/* The table of formats/plan-format.md, section 10, by code of its own: a plan
 * from elsewhere may not keep to it. */
mplan_status mplan_exec_check_conflicts(const mplan_exec_loop *bound, mplan_error *err)
{
    assert(bound);
    const mplan_plan_loop *loop = bound->loop;
    unsigned own = who_is(bound->chosen->strategy);
    for (int32_t b = 0; b < loop->n_args; b++) {
        if (!(alone(&loop->args[b]) & own))
            return refuse(bound, b, b, alone(&loop->args[b]), err);
        for (int32_t a = 0; a < b; a++) {
            if (bound->dat[a] != bound->dat[b])
                continue;
            unsigned who = together(loop, &loop->args[a], &loop->args[b]);
            if (!(who & own))
                return refuse(bound, a, b, who, err);
            if (!takes_slots(bound, a, b))
                return mplan_fail(err, MPLAN_ERR_UNSUPPORTED,
                                  "%s cannot run loop %s: layers at the same time would add to one level "
                                  "of dat %s (args %d and %d)",
                                  mplan_strategy_name(bound->chosen->strategy), loop->name,
                                  loop->args[b].dat, (int)a, (int)b);
        }
    }
    return MPLAN_OK;
}
