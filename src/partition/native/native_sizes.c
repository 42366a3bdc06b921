/* SPDX-License-Identifier: Apache-2.0 */
/* native_sizes.c - blocks that may have more than S elements for some passes
 *
 * Full blocks can only exchange elements: a move that saves a point waits for another one back that costs none, and a chain of moves
 * over several blocks to one with room is never made. So the first passes let sizes pass the limit by a few of a hundred, as graph
 * partitioners do to the end (METIS: 3 % above the mean, for which it makes 3 % more blocks); then all that is too much moves, along
 * shortest paths over blocks, to where there is room (native_balance.c), and the last passes straighten what that left behind.
 * Where a body has more elements than room, as one of its blocks has given all that it had of another body, the rest leaps to any
 * block with room. Tilings that are full to less than 0.5 % stay as they are: to bring them back costs what was gained; and blocks
 * with 2 % of room gain nothing. Best comes back in three steps: +0.1 % of reuse in the same time. What it brings, in the same number of passes: tools/RESULTS.md. */
#include "partition/native/native_sizes.h"

#include <assert.h>
#include <stdlib.h>

#include "base/memory.h"
#include "base/threads.h"
#include "partition/native/native_balance.h"
#include "partition/native/native_lists.h"

/* more room on average than ROOMY, or less than CRAMPED, rules it out; and what blocks may have above S, step by step: in thousandths */
enum { ROOMY = 20, CRAMPED = 5, STEPS = 3 };
static const int32_t above[STEPS] = {80, 40, 15};

bool mplan_native_sizes_may_be_loose(const native_cut *cut)
{
    assert(cut);
    const int64_t places = cut->n_blocks * cut->block_size;
    const int64_t share = places > 0 ? (places - cut->table->n) * 1000 / places : 0;
    return !cut->set_points && share >= CRAMPED && share < ROOMY;
}

/* Elements that a block may have in step number `step`. */
static int32_t limit_of(const native_cut *cut, int32_t step)
{
    const int64_t size = cut->block_size;
    return (int32_t)(size + (size * above[step] + 999) / 1000);
}

void mplan_native_sizes_loosen(native_cut *cut)
{
    assert(cut && !cut->members && !cut->lists && !cut->set_points);
    cut->most = cut->room = limit_of(cut, 0);
}

/* --- leaps ------------------------------------------------------------------------------------------------------------- */

/* Of each point: elements of the block at hand that touch it, and whether one of those that leave does. All 0 between blocks. */
typedef struct leap {
    native_cut *cut;
    uint16_t *inside;
    uint8_t *leaves;
} leap;

/* The block with most room, the first of equals. */
static int32_t roomiest(const native_cut *cut)
{
    int32_t best = 0;
    for (int32_t b = 1; b < cut->n_blocks; b++)
        best = cut->sizes[b] < cut->sizes[best] ? b : best;
    return best;
}

/* Points that the block loses with element e, less those that come to what leaves. */
static int32_t gain_of(const leap *l, int32_t e)
{
    int32_t length, gain = 0;
    const int32_t *row = native_row(l->cut->table, e, &length);
    for (int32_t k = 0; k < length; k++)
        gain += (l->inside[row[k]] == 1) - (l->leaves[row[k]] == 0);
    return gain;
}

/* Adds `by` to the counts of an element's points; leaves: what their flags become. */
static void count_row(const leap *l, int32_t e, int32_t by, uint8_t leaves)
{
    int32_t length;
    const int32_t *row = native_row(l->cut->table, e, &length);
    for (int32_t k = 0; k < length; k++) {
        l->inside[row[k]] = (uint16_t)(l->inside[row[k]] + by);
        l->leaves[row[k]] = leaves;
    }
}

/* `amount` elements of block b, which lie side by side where they can, go to block `to`. */
static void leap_to(const leap *l, int32_t b, int32_t to, int32_t amount)
{
    native_cut *cut = l->cut;
    int32_t *from = native_members(cut, b), *into = native_members(cut, to);
    const int32_t first = cut->sizes[to];
    for (int32_t moved = 0; moved < amount; moved++) {
        int32_t best = 0, most = INT32_MIN;
        for (int32_t i = 0; i < cut->sizes[b]; i++) {
            int32_t gain = gain_of(l, from[i]);
            best = gain > most ? i : best;
            most = gain > most ? gain : most;
        }
        count_row(l, from[best], -1, 1);
        cut->where[from[best]].block = to;
        into[cut->sizes[to]++] = from[best];
        from[best] = from[--cut->sizes[b]];
    }
    for (int32_t i = first; i < cut->sizes[to]; i++)
        count_row(l, into[i], 0, 0);
}

/* What blocks still have above `limit` leaps, block by block. There is room for all. */
static mplan_status leap_all(native_cut *cut, int32_t limit, mplan_team *team, mplan_error *err)
{
    leap l = {cut, mplan_alloc_zero(cut->table->n_points, sizeof *l.inside, err),
              mplan_alloc_zero(cut->table->n_points, sizeof *l.leaves, err)};
    mplan_status status = l.inside && l.leaves ? mplan_native_cut_list(cut, team, err)
                                               : MPLAN_ERR_MEMORY;
    for (int32_t b = 0; b < cut->n_blocks && !status; b++) {
        if (cut->sizes[b] <= limit)
            continue;
        for (int32_t i = 0; i < cut->sizes[b]; i++)
            count_row(&l, native_members(cut, b)[i], 1, 0);
        while (cut->sizes[b] > limit) {
            int32_t to = roomiest(cut), left = cut->sizes[b] - limit;
            int32_t places = limit - cut->sizes[to];
            assert(places > 0);
            leap_to(&l, b, to, left < places ? left : places);
        }
        for (int32_t i = 0; i < cut->sizes[b]; i++)
            count_row(&l, native_members(cut, b)[i], -1, 0);
    }
    free(l.inside);
    free(l.leaves);
    return status;
}

/* --- the whole --------------------------------------------------------------------------------------------------------- */

mplan_status mplan_native_sizes_tighten(native_cut *cut, int32_t step, int32_t steps,
                                        const mplan_context *context, mplan_error *err)
{
    assert(cut && cut->most > cut->block_size && cut->table->n <= cut->n_blocks * cut->block_size);
    assert(0 < step && step <= steps && steps <= STEPS);
    const int32_t limit = step < steps ? limit_of(cut, step) : cut->block_size;
    const bool lists = cut->lists != NULL;
    bool done = false;
    int32_t *wanted = mplan_alloc(cut->n_blocks, sizeof *wanted, err);
    mplan_status status = wanted ? MPLAN_OK : MPLAN_ERR_MEMORY;
    for (int64_t b = 0; b < cut->n_blocks && !status; b++)
        wanted[b] = limit;
    mplan_native_cut_free_lists(cut);
    mplan_native_cut_unlist(cut);
    if (!status)
        status = mplan_native_balance(cut, wanted, true, &done, context, err);
    free(wanted);
    if (!status && !done)
        status = leap_all(cut, limit, mplan_team_of(context), err);
    mplan_native_cut_unlist(cut);
    cut->most = cut->room = limit;
    return !status && lists ? mplan_native_lists_create(cut, context, err) : status;
}
