/* SPDX-License-Identifier: Apache-2.0 */
/* side_by_side.c - which strategies may run a loop, by what its args do with their dats
 *
 * formats/plan-format.md, section 10, whose tables are here line by line. */
#include <assert.h>
#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "pipeline/side_by_side.h"

/* Words of section 10, ascending: a strategy that one of them allows, all behind it allow. */
enum { NO, COLOURS, ONCE, YES };
enum {
    READ = MPLAN_READ,
    WRITE = MPLAN_WRITE,
    RW = MPLAN_RW,
    INC = MPLAN_INC,
    MIN = MPLAN_INC_MIN,
    MAX = MPLAN_INC_MAX
};
/* Ways to a dat: of one arg, and of two. ONCE: through a map that leads to each point at most once. */
enum { DIRECT, MAPPED_ONCE, MAPPED, GLOBAL, N_WAYS };
enum {
    BOTH_DIRECT,
    ONE_MAP_ONCE,
    ONE_MAP,
    BOTH_WRITTEN,
    ONE_READ_ONLY,
    DIRECT_AND_MAP,
    ANY_GLOBAL,
    N_PAIRS
};

static const struct {
    int access, word[N_WAYS];
} single[] = {
    {READ, {YES, YES, YES, YES}}, {WRITE, {YES, YES, COLOURS, NO}}, {RW, {ONCE, ONCE, COLOURS, NO}},
    {INC, {ONCE, YES, YES, YES}}, {MIN, {NO, YES, YES, YES}},       {MAX, {NO, YES, YES, YES}},
};

/* Two args of one dat. Where both write, no map is only read by: that column repeats its neighbour. */
static const struct {
    int one, other, word[N_PAIRS];
} pairs[] = {
    {READ, READ, {YES, YES, YES, YES, YES, YES, YES}},
    {READ, WRITE, {ONCE, ONCE, COLOURS, COLOURS, NO, NO, NO}},
    {READ, RW, {ONCE, ONCE, COLOURS, COLOURS, NO, NO, NO}},
    {READ, INC, {ONCE, NO, NO, NO, NO, NO, NO}},
    {READ, MIN, {NO, NO, NO, NO, NO, NO, NO}},
    {READ, MAX, {NO, NO, NO, NO, NO, NO, NO}},
    {WRITE, WRITE, {YES, YES, COLOURS, COLOURS, COLOURS, NO, NO}},
    {WRITE, RW, {ONCE, ONCE, COLOURS, COLOURS, COLOURS, NO, NO}},
    {WRITE, INC, {ONCE, NO, NO, NO, NO, NO, NO}},
    {WRITE, MIN, {NO, NO, NO, NO, NO, NO, NO}},
    {WRITE, MAX, {NO, NO, NO, NO, NO, NO, NO}},
    {RW, RW, {ONCE, ONCE, COLOURS, COLOURS, COLOURS, NO, NO}},
    {RW, INC, {ONCE, NO, NO, NO, NO, NO, NO}},
    {RW, MIN, {NO, NO, NO, NO, NO, NO, NO}},
    {RW, MAX, {NO, NO, NO, NO, NO, NO, NO}},
    {INC, INC, {ONCE, YES, YES, YES, YES, NO, NO}},
    {INC, MIN, {NO, NO, NO, NO, NO, NO, NO}},
    {INC, MAX, {NO, NO, NO, NO, NO, NO, NO}},
    {MIN, MIN, {NO, YES, YES, YES, YES, NO, NO}},
    {MIN, MAX, {NO, NO, NO, NO, NO, NO, NO}},
    {MAX, MAX, {NO, YES, YES, YES, YES, NO, NO}},
};

/* What may happen to two accesses of one dat; the table is symmetric. */
static int word_of_pair(int one, int other, int pair)
{
    for (size_t i = 0; i < sizeof pairs / sizeof *pairs; i++)
        if ((pairs[i].one == one && pairs[i].other == other) ||
            (pairs[i].one == other && pairs[i].other == one))
            return pairs[i].word[pair];
    return NO;
}

/* The least word that a strategy needs. */
static int needs(mplan_strategy strategy)
{
    if (mplan_strategy_has(strategy, MPLAN_TRAITS_COLOURED))
        return COLOURS;
    return mplan_strategy_has(strategy, MPLAN_TRAIT_OWNERS) ? YES : ONCE;
}

/* Whether the loop writes through this map. */
static bool writes_by(const planning_loop *loop, int32_t map)
{
    for (int32_t m = 0; m < loop->n_maps; m++)
        if (loop->maps[m] == map)
            return loop->map_written[m];
    return false;
}

/* How two args get to their dat. */
static int pair_of(const planning_loop *loop, int32_t a, int32_t b)
{
    int32_t x = loop->arg_map[a], y = loop->arg_map[b];
    if (x == MPLAN_MAP_GLOBAL || y == MPLAN_MAP_GLOBAL)
        return ANY_GLOBAL;
    if (x < 0 || y < 0)
        return x < 0 && y < 0 ? BOTH_DIRECT : DIRECT_AND_MAP;
    if (x == y)
        return loop->arg_once[a] || loop->arg_once[b] ? ONE_MAP_ONCE : ONE_MAP;
    return writes_by(loop, x) && writes_by(loop, y) ? BOTH_WRITTEN : ONE_READ_ONLY;
}

/* --- what is said of it ----------------------------------------------------------- */

/* "read through map a_b (arg 2)" */
static void describe(const planning_loop *loop, int32_t a, char *text, size_t size)
{
    static const char *const done[] = {"read",        "written",         "updated (rw)",
                                       "incremented", "compared by min", "compared by max"};
    const mplan_arg *arg = &loop->loop->args[a];
    const int32_t map = loop->arg_map[a];
    snprintf(text, size, "%s %s%.200s (arg %d)", done[arg->access],
             map >= 0                  ? "through map "
             : map == MPLAN_MAP_GLOBAL ? "as a global"
                                       : "directly",
             map < 0 ? "" : arg->map, (int)a);
}

/* The reason for the loop's weakest pair, as the end of a sentence. Asked only when its word is
 * below what some strategy needs, so there is a reason. */
static const char *why(const planning_loop *loop, const planning_side *side)
{
    const int32_t a = side->first, b = side->second;
    const mplan_arg *args = loop->loop->args;
    if (side->word == ONCE && (a == b || args[a].access == args[b].access))
        return "owner-gather computes elements more than once, and would do this every time";
    if (side->word == ONCE)
        return "owner-gather computes elements more than once, and a later computation would "
               "read what an earlier one wrote";
    if (side->word == COLOURS)
        return "elements that share a point must not do this at the same time, and only colours "
               "separate them: global-colour and block-colour can run this loop";
    if (loop->arg_map[a] == MPLAN_MAP_GLOBAL)
        return a == b
                   ? "loops only read globals, or increment them (inc, min, max)"
                   : "what a loop increments in a global is there when the loop has ended, so that "
                     "no other arg of this loop may access it";
    if (a == b)
        return "min and max are for maps and globals; an element that compares its own value says rw";
    if ((loop->arg_map[a] < 0) != (loop->arg_map[b] < 0))
        return "colours consider only what elements access through maps, not what they access "
               "directly, so that two elements would access it at the same time";
    if (mplan_access_adds(args[a].access) || mplan_access_adds(args[b].access))
        return "increments may be added in any order and late, so that no other arg of this "
               "loop may access the dat (use the access rw if you need the order of the colours)";
    return "colours consider only maps through which the loop writes or increments, so that one "
           "element would write a point while another reads it";
}

/* strategy: word of the one that is refused, NULL for all. */
static mplan_status refuse(const planning_loop *loop, const char *strategy, mplan_error *err)
{
    const planning_side *side = &loop->side;
    char first[256], second[256] = "";
    describe(loop, side->first, first, sizeof first);
    if (side->second != side->first)
        describe(loop, side->second, second, sizeof second);
    return mplan_fail(err, MPLAN_ERR_ARGUMENT, "loop %s%s%s: dat %s is %s%s%s: %s",
                      loop->loop->name, strategy ? ", " : "", strategy ? strategy : "",
                      loop->loop->args[side->first].dat, first, *second ? " and " : "", second,
                      why(loop, side));
}

/* --- the rule ------------------------------------------------------------------------ */

/* loop->side: the weakest word of all its args and pairs of args on one dat, and which; the
 * first of equals. Rows of `single` are in the order of the accesses. Quadratic in the args of
 * the loop. */
mplan_status mplan_planning_side_by_side(planning_loop *loop, mplan_error *err)
{
    assert(loop && loop->loop && loop->arg_map);
    const mplan_loop *request = loop->loop;
    loop->side = (planning_side){YES, 0, 0};
    for (int32_t b = 0; b < request->n_args; b++) {
        const int32_t map = loop->arg_map[b];
        int way = map >= 0                  ? loop->arg_once[b] ? MAPPED_ONCE : MAPPED
                  : map == MPLAN_MAP_GLOBAL ? GLOBAL
                                            : DIRECT;
        int access = request->args[b].access;
        if (single[access].word[way] < loop->side.word)
            loop->side = (planning_side){single[access].word[way], b, b};
        for (int32_t a = 0; a < b; a++) {
            if (strcmp(request->args[a].dat, request->args[b].dat) != 0)
                continue;
            int word = word_of_pair(request->args[a].access, access, pair_of(loop, a, b));
            if (word < loop->side.word)
                loop->side = (planning_side){word, a, b};
        }
    }
    return loop->side.word == NO ? refuse(loop, NULL, err) : MPLAN_OK;
}

/* loop->side.word is the least that its pairs of args allow; strategies need more the fewer orders they keep. */
bool mplan_planning_may_run(const planning_loop *loop, mplan_strategy strategy)
{
    assert(loop);
    return loop->side.word >= needs(strategy);
}

/* Then no strategy without colours may run the loop. */
bool mplan_planning_needs_colours(const planning_loop *loop)
{
    assert(loop);
    return loop->side.word <= COLOURS;
}

bool mplan_planning_writes_beside(const planning_loop *loop, int32_t a)
{
    assert(loop && a >= 0 && a < loop->loop->n_args);
    for (int32_t b = 0; b < loop->loop->n_args; b++)
        if (loop->arg_map[b] == loop->arg_map[a] && mplan_access_adds(loop->loop->args[b].access))
            return false;
    return loop->arg_once[a];
}

/* Names the pair of args that does not allow it. */
mplan_status mplan_planning_refuse_strategy(const planning_loop *loop, mplan_strategy strategy,
                                            mplan_error *err)
{
    assert(loop);
    return mplan_planning_may_run(loop, strategy) ? MPLAN_OK
                                                  : refuse(loop, mplan_strategy_name(strategy), err);
}

mplan_status mplan_planning_refuse_gather(const char *loop, mplan_strategy strategy,
                                          const char *why, mplan_error *err)
{
    assert(loop && why);
    return mplan_fail(err, MPLAN_ERR_ARGUMENT,
                      "loop %s: %s needs a loop that increments one set, through maps that are not "
                      "ragged, and writes nothing else through a map but by others that lead to each point at most "
                      "once%s%s",
                      loop, mplan_strategy_name(strategy), why[0] ? "; " : "", why);
}

/* --- what kernels take ------------------------------------------------------------------ */

enum { KERNEL_ARGS = 16 }; /* MPLAN_MAX_ARGS of exec/meshplan_kernel.h */

/* A plan may be made for other executors, so these are only warnings. */
void mplan_planning_warn_of_kernels(const planning *p, const planning_loop *loop)
{
    assert(p && loop);
    const mplan_loop *request = loop->loop;
    if (request->n_args > KERNEL_ARGS)
        mplan_warn(p->context,
                   "no executor can run loop %s: it has %d args, but kernels have at most %d",
                   request->name, (int)request->n_args, KERNEL_ARGS);
}

/* Whether the strategies that gather have tables for a loop that writes by maps: it increments one
 * set, through maps that are not ragged (mplan_plan_gathers of the plan that is not made yet).
 * *why: if not, what is in the way. */
bool mplan_planning_gathers(const planning *p, const planning_loop *loop, const char **why)
{
    assert(p && loop && why);
    int32_t set = -1;
    *why = "it increments nothing through a map";
    for (int32_t a = 0; a < loop->loop->n_args; a++) {
        if (loop->arg_map[a] < 0 || loop->loop->args[a].access == MPLAN_READ ||
            mplan_planning_writes_beside(loop, a))
            continue;
        mplan_map map = mplan_planning_mesh_map(p, loop->arg_map[a]);
        if (!mplan_access_adds(loop->loop->args[a].access))
            *why = "it writes or updates through a map";
        else if (map.arity == 0)
            *why = "it increments through a ragged map";
        else if (set >= 0 && set != map.to)
            *why = "it increments two sets";
        else
            *why = NULL;
        if (*why)
            return false;
        set = map.to;
    }
    return set >= 0;
}
