/* SPDX-License-Identifier: Apache-2.0 */
/* native_pass.c - one refinement pass: all pairs of a matching, shared by threads
 *
 * Pairs have an order, and two of them that have no block in common can be refined side by side. So a pair waits until those before it
 * that have one of its blocks are done, and for nothing else: threads take units in their order, and none waits at the end of
 * a group, where pairs with flows take up to a hundred times as long as others. Of 16 threads a pass keeps 12 to 15 at work
 * in this way, and 8 to 11 where all threads wait for the end of each group (tables of 28,800 to 57,600 elements with flows). */
#include "partition/native/native_pass.h"

#include <assert.h>
#include <stdlib.h>

#include "base/error.h"
#include "base/memory.h"
#include "base/threads.h"

/* Pairs that are worth more than one thread; how often the context is asked, about */
enum { WORTH_THREADS = 64, ASKED = 64 };

/* Pairs before one of the matching that have its first, and its second block. */
typedef struct turn {
    int32_t of[2];
} turn;

/* What threads share. */
typedef struct pass_work {
    const native_pass *pass;
    int64_t mean;  /* points that a pair of the matching shares */
    int64_t asked; /* the context is asked once in so many units */
    turn *turns;   /* of each pair; NULL where there is one thread */
    int32_t *done; /* of each block: pairs that are done */
    mplan_ask ask;
} pass_work;

/* Whether a pair is worth a flow, in a pass that has flows: it shares hardly fewer points than others, which is all that best asks, in later
 * passes as many as the mean, and a pair of one of its blocks has saved something lately. Without these rules triangles with random
 * flips reach 4.974 and 4.957 in place of 4.969 and 4.960, and take twice as long. */
static bool is_worth_flow(const pass_work *work, const native_block_pair *pair)
{
    enum { HARDLY_FEWER = 70 };
    const native_pass *pass = work->pass;
    const bool best = pass->effort == MPLAN_EFFORT_BEST;
    if (pair->count * INT64_C(100) < work->mean * (pass->number > 1 && !best ? 100 : HARDLY_FEWER))
        return false;
    if (best)
        return true;
    const int32_t since = pass->number - pass->plan->lately;
    return pass->gained[pair->a] >= since || pass->gained[pair->b] >= since;
}

/* One pair of a pass; the weight saved, 0 where it came out worse and is as it was. Where blocks have no lists, a pass with flows
 * reads their members, which other passes do not keep: the other pairs are left out of it. */
static int64_t refine_one(const pass_work *work, int thread, const native_block_pair *pair)
{
    const native_pass *pass = work->pass;
    native_try how = pass->how;
    how.flows = how.flows && is_worth_flow(work, pair);
    if (pass->how.flows && !how.flows && !pass->cut->lists)
        return 0;
    int64_t gain = mplan_native_pair_refine(pass->pairs[thread], pair,
                                            pass->matching->seeds + pair->begin, &how);
    if (gain > 0)
        pass->gained[pair->a] = pass->gained[pair->b] = pass->number;
    return gain > 0 ? gain : 0;
}

/* --- turns ------------------------------------------------------------------------- */

static int64_t count_units(const native_matching *matching)
{
    return matching->group_begin[matching->n_groups];
}

/* The turns of all pairs, and nothing done yet. */
static mplan_status open_turns(pass_work *work, int64_t n_pairs, mplan_error *err)
{
    const native_block_pair *pairs = work->pass->matching->block_pairs;
    const size_t n_blocks = (size_t)work->pass->cut->n_blocks;
    work->turns = mplan_alloc(n_pairs, sizeof *work->turns, err);
    work->done = mplan_alloc_zero((int64_t)n_blocks, sizeof *work->done, err);
    if (!work->turns || !work->done)
        return MPLAN_ERR_MEMORY;
    for (int64_t i = 0; i < n_pairs; i++)
        work->turns[i] = (turn){{work->done[pairs[i].a]++, work->done[pairs[i].b]++}};
    for (size_t b = 0; b < n_blocks; b++)
        work->done[b] = 0;
    return MPLAN_OK;
}

/* Waits until it is the turn of pair i; false where the pass is to be given up. */
static bool await_turn(pass_work *work, int64_t i)
{
    const native_block_pair *pair = &work->pass->matching->block_pairs[i];
    return !work->turns ||
           (mplan_await(&work->done[pair->a], work->turns[i].of[0], &work->ask.stop) &&
            mplan_await(&work->done[pair->b], work->turns[i].of[1], &work->ask.stop));
}

/* The next pairs of both blocks may begin. */
static void end_turn(pass_work *work, int64_t i)
{
    const native_block_pair *pair = &work->pass->matching->block_pairs[i];
    if (!work->turns)
        return;
    mplan_tell(&work->done[pair->a], work->turns[i].of[0] + 1);
    mplan_tell(&work->done[pair->b], work->turns[i].of[1] + 1);
}

/* Units [begin, end), which are begun in their order. Returns the weight of (block, point) pairs saved. */
static int64_t refine_units(void *data, int thread, int64_t begin, int64_t end)
{
    pass_work *work = data;
    const native_matching *matching = work->pass->matching;
    const native_cut *cut = work->pass->cut;
    mplan_asker asker;
    int64_t sum = 0;
    mplan_ask_by(&work->ask, thread, &asker);
    for (int64_t u = begin; u < end; u++) {
        if (u % work->asked == 0 && mplan_interrupted(&asker.context, NULL))
            return sum;
        for (int64_t i = matching->unit_begin[u]; i < matching->unit_begin[u + 1]; i++) {
            if (!cut->lists)
                mplan_native_pair_announce(cut, &matching->block_pairs[i],
                                           matching->block_pairs + matching->unit_begin[end],
                                           matching->seeds);
            if (!await_turn(work, i))
                return sum;
            sum += refine_one(work, thread, &matching->block_pairs[i]);
            end_turn(work, i);
        }
    }
    return sum;
}

/* --- the whole --------------------------------------------------------------------- */

/* How many points a pair of the matching shares. */
static int64_t mean_of(const native_matching *matching, int64_t n)
{
    int64_t sum = 0;
    for (int64_t i = 0; i < n; i++)
        sum += matching->block_pairs[i].count;
    return n > 0 ? sum / n : 0;
}

mplan_status mplan_native_pass_run(const native_pass *pass, int64_t *saved,
                                   const mplan_context *context, mplan_error *err)
{
    assert(pass && pass->matching && saved);
    const native_matching *matching = pass->matching;
    const int64_t units = count_units(matching), n = matching->unit_begin[units];
    mplan_team *team = n >= WORTH_THREADS ? mplan_team_of(context) : NULL;
    pass_work work = {.pass = pass,
                      .mean = mean_of(matching, n),
                      .asked = units / ASKED + 1,
                      .ask = {.context = context}};
    mplan_status status = mplan_team_threads(team) > 1 ? open_turns(&work, n, err) : MPLAN_OK;
    if (!status)
        *saved = mplan_for_sum(team, units, 1, refine_units, &work);
    if (!status && atomic_load(&work.ask.stop))
        status = mplan_fail(err, MPLAN_ERR_INTERRUPTED, "interrupted");
    free(work.turns);
    free(work.done);
    return status;
}
