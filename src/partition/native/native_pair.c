/* SPDX-License-Identifier: Apache-2.0 */
/* native_pair.c - two blocks side by side: split anew, refined and stored */
#include "partition/native/native_pair.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/fetch.h"
#include "base/memory.h"
#include "partition/native/native_flow.h"
#include "partition/native/native_fm.h"
#include "partition/native/native_pair_lists.h"
#include "partition/native/native_split.h"

/* a split that costs more than HOPEFUL above the last stays worse */
enum { MOST_RANGE = 127, HOPEFUL = 2, MOST_ENTRIES = 1 << 18, LEAST_BITS = 8 };

/* Room for two full blocks: at most 2 S elements, whose rows have 2 S longest entries; as many
 * points come by rows, and as many as seeds. The hash table is at most half full then. What was
 * made is the pair's, also after a failure. */
static mplan_status open_arrays(native_pair *pair, mplan_error *err)
{
    int64_t elements = 2 * (int64_t)pair->cut->room, entries = elements * pair->longest;
    int64_t lists = 2 * pair->range + 1;
    bool binds = pair->cut->set_points != NULL;
    pair->elements = mplan_alloc(elements + 1, sizeof *pair->elements, err);
    pair->points = mplan_alloc(2 * entries, sizeof *pair->points, err);
    pair->rows = mplan_alloc(entries, sizeof *pair->rows, err);
    pair->touch = mplan_alloc(entries + 1, sizeof *pair->touch, err);
    pair->link = mplan_alloc(elements + 2 * lists, sizeof *pair->link, err);
    pair->waiting = mplan_alloc(elements, sizeof *pair->waiting, err);
    pair->moved = mplan_alloc(elements, sizeof *pair->moved, err);
    pair->value = mplan_alloc(elements, sizeof *pair->value, err);
    pair->point_value = mplan_alloc(2 * entries, sizeof *pair->point_value, err);
    pair->ranked = mplan_alloc(elements, sizeof *pair->ranked, err);
    int32_t bits = LEAST_BITS;
    while (INT64_C(1) << (bits - 1) <= 2 * entries)
        bits++;
    pair->place = mplan_alloc_zero(INT64_C(1) << bits, sizeof *pair->place, err);
    if (binds)
        pair->set_points = mplan_alloc(2 * (int64_t)pair->cut->table->n_sets,
                                       sizeof *pair->set_points, err);
    bool all = pair->elements && pair->points && pair->rows && pair->touch && pair->link &&
               pair->waiting && pair->moved && pair->value && pair->point_value && pair->ranked &&
               pair->place && (pair->set_points || !binds);
    return all ? MPLAN_OK : MPLAN_ERR_MEMORY;
}

/* The longest row that may move; shorter than the longest of all where the scratch
 * would grow too large. */
static int32_t longest_row(const native_cut *cut, bool *pinned)
{
    const native_table *table = cut->table;
    int64_t longest = table->arity, most = MOST_ENTRIES / (4 * (int64_t)cut->room);
    most = most < UINT16_MAX ? most : UINT16_MAX;
    for (int64_t e = 0; e < table->n && table->offsets && longest <= most; e++)
        if (table->offsets[e + 1] - table->offsets[e] > longest)
            longest = table->offsets[e + 1] - table->offsets[e];
    *pinned = longest > most;
    return longest < 1 ? 1 : longest < most ? (int32_t)longest : (int32_t)most;
}

/* Gains lie within the weight of a row. */
static int32_t range_of(const native_table *table, int64_t longest)
{
    int64_t weight = 1;
    for (int32_t s = 0; s < table->n_sets; s++)
        weight = table->set_weight[s] > weight ? table->set_weight[s] : weight;
    return longest * weight < MOST_RANGE ? (int32_t)(longest * weight) : MOST_RANGE;
}

/* Long rows rule flows out. */
mplan_status mplan_native_pair_add_flows(native_pair *pair, mplan_error *err)
{
    assert(pair);
    if (!pair->flow && !pair->pinned)
        pair->flow = mplan_native_flow_create(pair, err);
    return pair->flow || pair->pinned ? MPLAN_OK : MPLAN_ERR_MEMORY;
}

/* Workspace of one thread, for pair after pair; flows: whether pairs may be cut by flows. NULL without memory. */
native_pair *mplan_native_pair_create(native_cut *cut, bool flows, mplan_error *err)
{
    assert(cut);
    native_pair *pair = mplan_alloc_zero(1, sizeof *pair, err);
    if (!pair)
        return NULL;
    pair->cut = cut;
    pair->longest = longest_row(cut, &pair->pinned);
    pair->range = range_of(cut->table, pair->longest);
    pair->bits = LEAST_BITS;
    bool all = open_arrays(pair, err) == MPLAN_OK &&
               (!flows || mplan_native_pair_add_flows(pair, err) == MPLAN_OK);
    if (!all || (cut->lists && mplan_native_pair_lists_create(pair, err) != MPLAN_OK)) {
        mplan_native_pair_free(pair);
        return NULL;
    }
    return pair;
}

void mplan_native_pair_free(native_pair *pair)
{
    if (!pair)
        return;
    mplan_native_pair_lists_free(pair);
    if (pair->flow)
        mplan_native_flow_free(pair->flow);
    void *const owned[] = {pair->elements,    pair->points,  pair->rows,  pair->touch,
                           pair->link,        pair->waiting, pair->moved, pair->value,
                           pair->point_value, pair->ranked,  pair->place, pair->set_points};
    for (size_t i = 0; i < sizeof owned / sizeof *owned; i++)
        free(owned[i]);
    free(pair);
}

/* --- storing --------------------------------------------------------------------- */

/* After a split anew: both blocks' elements as their sides say, in the order in which they were
 * read. Every member was. */
static void store_members(native_pair *pair)
{
    native_cut *cut = pair->cut;
    int32_t n[2] = {0, 0};
    int32_t *members[2];
    for (int32_t s = 0; s < 2; s++)
        members[s] = native_members(cut, pair->block[s]);
    for (int32_t e = 0; e < pair->n; e++) {
        int32_t s = pair->elements[e].side;
        members[s][n[s]++] = pair->elements[e].element;
    }
}

/* After a refinement: block of each element, sizes, points per set. where[] is
 * also read by other threads, for elements of other blocks. */
static void store_pair(native_pair *pair)
{
    native_cut *cut = pair->cut;
    for (int32_t e = 0; e < pair->n; e++)
        mplan_poke(&cut->where[pair->elements[e].element].block, pair->block[pair->elements[e].side]);
    for (int32_t s = 0; s < 2; s++) {
        int64_t b = pair->block[s], n_sets = cut->table->n_sets;
        cut->sizes[b] = pair->size[s];
        for (int32_t k = 0; pair->set_points && k < n_sets; k++)
            cut->set_points[b * n_sets + k] = pair->set_points[s * n_sets + k] - cut->set_hubs[k];
    }
}

/* where[].slot is -1 again for all that was read: the next pair of this thread finds them as
 * new. */
static void forget_slots(native_pair *pair)
{
    for (int32_t e = 0; e < pair->n; e++)
        pair->cut->where[pair->elements[e].element].slot = -1;
}

/* --- splits anew -------------------------------------------------------------------- */

/* Counts what the sides touch; every element is read. */
static void count_sides(native_pair *pair)
{
    pair->size[0] = pair->size[1] = 0;
    for (int32_t e = 0; e < pair->n; e++)
        pair->size[pair->elements[e].side]++;
    for (int32_t p = 0; p < pair->n_points; p++) {
        int32_t now[2] = {0, 0};
        for (int32_t i = pair->points[p].begin; i < pair->points[p].end; i++)
            now[pair->elements[pair->touch[i]].side]++;
        for (int32_t s = 0; s < 2; s++)
            mplan_native_pair_count(pair, &pair->points[p], s, now[s]);
    }
}

/* The same where the counts are those of `first` elements and of the others: only what changed its side is looked at. */
static void count_changed(native_pair *pair, int32_t first)
{
    for (int32_t e = 0; e < pair->n; e++) {
        const int32_t from = e >= first, length = pair->elements[e].length;
        const int32_t *row = pair->rows + pair->elements[e].row;
        if (pair->elements[e].side == from)
            continue;
        pair->size[from]--;
        pair->size[1 - from]++;
        for (int32_t k = 0; k < length; k++) {
            pair_point *point = &pair->points[row[k]];
            if (point->weight == 0)
                continue; /* a hub */
            mplan_native_pair_count(pair, point, from, point->count[from] - 1);
            mplan_native_pair_count(pair, point, 1 - from, point->count[1 - from] + 1);
        }
    }
}

/* Weight of the points that both sides touch. */
static int64_t shared_weight(const native_pair *pair)
{
    int64_t sum = 0;
    for (int32_t p = 0; p < pair->n_points; p++)
        if (pair->points[p].count[0] > 0 && pair->points[p].count[1] > 0)
            sum += pair->points[p].weight;
    return sum;
}

/* How many points both sides touch, hubs left out. */
static int32_t shared_points(const native_pair *pair)
{
    int32_t sum = 0;
    for (int32_t p = 0; p < pair->n_points; p++)
        sum += pair->points[p].count[0] > 0 && pair->points[p].count[1] > 0 &&
               pair->points[p].weight > 0;
    return sum;
}

/* Splits anew and refines that, or only straightens; false, with the sides as they were, when there is no new split, or it ends worse than the
 * cut at hand (*saved is then of no use). Elements of the first block are numbers 0 ... first -
 * 1. A new split that costs more than HOPEFUL above the old one is not refined at all. */
static bool try_split(native_pair *pair, const native_try *how, int64_t *saved)
{
    int32_t moved = 0, first = pair->size[0];
    int64_t before = shared_weight(pair);
    if (!how->flows)
        mplan_native_split_smooth(pair, how->sweeps);
    else if (!mplan_native_flow_split(pair, shared_points(pair)))
        return false;
    if (how->flows)
        count_changed(pair, first);
    else
        count_sides(pair);
    int64_t after = shared_weight(pair);
    if (how->straightens && mplan_native_sides_fit(pair)) {
        *saved = before - after;
        return true;
    }
    if (after <= before + HOPEFUL) {
        bool fits = mplan_native_sides_fit(pair);
        after -= mplan_native_fm(pair, how->patience, &moved);
        *saved = before - after;
        if (after <= before && (moved > 0 || fits))
            return true;
    }
    for (int32_t e = 0; e < pair->n; e++)
        pair->elements[e].side = e >= first;
    count_sides(pair);
    return false;
}

/* A pair of blocks with lists: read, refined and stored. -1, and the blocks as they were, when
 * nothing was gained, nothing may be hoped for, or the lists have no room for new points. */
static int64_t refine_lists(native_pair *pair, bool anew, const native_try *how)
{
    int64_t saved = 0;
    int32_t moved = 0;
    if (!mplan_native_pair_lists_read(pair, anew, how->least))
        return -1;
    bool done = anew && try_split(pair, how, &saved);
    if (!done)
        saved = mplan_native_fm(pair, how->patience, &moved);
    if (!anew && pair->lists->best < 0) {
        pair->doubted++;
        pair->surprises += saved > 0;
    }
    return (done || moved > 0) && mplan_native_pair_lists_store(pair) ? saved : -1;
}

/* --- a pair ------------------------------------------------------------------------- */

/* What is asked for of the points of an element, which is read when the pair is: where their elements begin, these, or their
 * blocks and rows. */
enum { BEGINS, ELEMENTS, BLOCKS };

static void announce_row(const native_cut *cut, int32_t element, int what)
{
    enum { MOST = 16 };
    int32_t length;
    const int32_t *row = native_row(cut->table, element, &length);
    for (int32_t k = 0; k < length && k < MOST; k++) {
        const int64_t *begin = cut->begin + row[k];
        if (what == BEGINS)
            mplan_fetch(begin);
        else if (what == ELEMENTS)
            mplan_fetch(cut->elements + *begin);
        for (int64_t i = begin[0]; what == BLOCKS && i < begin[1] && i < begin[0] + MOST; i++) {
            int32_t other; /* rows differ in length */
            mplan_fetch(cut->where + cut->elements[i]);
            mplan_fetch(native_row(cut->table, cut->elements[i], &other));
        }
    }
}

/* Six pairs ahead where the elements of a seed begin, five ahead these, four ahead their blocks and rows, and in the next three
 * steps the same of the points in their rows: each step reads what the one before has brought. The first three let faces of
 * triangles and of tets be cut in 0.80 to 0.88 of the time. */
void mplan_native_pair_announce(const native_cut *cut, const native_block_pair *block_pair,
                                const native_block_pair *end, const int32_t *seeds)
{
    assert(cut && block_pair && end && seeds);
    enum { FAR = 6, MOST = 64 };
    for (int64_t ahead = 1; ahead <= FAR && ahead < end - block_pair; ahead++) {
        const native_block_pair *next = block_pair + ahead;
        const int32_t *seed = seeds + next->begin;
        for (int32_t i = 0; i < next->count && i < MOST; i++) {
            const int64_t *begin = cut->begin + seed[i];
            if (ahead == FAR)
                mplan_fetch(begin);
            else if (ahead == FAR - 1)
                mplan_fetch(cut->elements + *begin);
            for (int64_t k = begin[0]; ahead < FAR - 1 && k < begin[1] && k < begin[0] + MOST; k++) {
                int32_t length;
                if (ahead < FAR - 2) {
                    announce_row(cut, cut->elements[k], FAR - 3 - (int)ahead);
                    continue;
                }
                mplan_fetch(cut->where + cut->elements[k]);
                mplan_fetch(native_row(cut->table, cut->elements[k], &length));
            }
        }
    }
}

/* seeds: block_pair->count points that both blocks touch; they bring the elements at the border,
 * unless all members are read for a split anew. Returns the weight saved, 0 for moves that cost
 * nothing, -1 when nothing moved. */
int64_t mplan_native_pair_refine(native_pair *pair, const native_block_pair *block_pair,
                                 const int32_t *seeds, const native_try *how)
{
    assert(pair && block_pair && (seeds || block_pair->count == 0) && how);
    bool anew = !pair->pinned && (how->sweeps > 0 || how->flows);
    bool done = false;
    int64_t saved = 0, most = 2 * (int64_t)pair->cut->room * pair->longest;
    int32_t moved = 0;
    mplan_native_pair_begin(pair, block_pair);
    if (pair->lists)
        return refine_lists(pair, anew, how);
    if (anew) {
        mplan_native_pair_members(pair);
        done = try_split(pair, how, &saved);
    }
    for (int32_t i = 0; i < block_pair->count && i < most && !anew; i++)
        mplan_native_pair_point(pair, seeds[i]);
    if (!done)
        saved = mplan_native_fm(pair, how->patience, &moved);
    if (done || moved > 0)
        store_pair(pair);
    if (anew)
        store_members(pair);
    forget_slots(pair);
    return done || moved > 0 ? saved : -1;
}
