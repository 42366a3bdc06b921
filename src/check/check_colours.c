/* SPDX-License-Identifier: Apache-2.0 */
/* check_colours.c - equal colours share no incremented or written point, and
 * launch lists run everything once, colour by colour
 *
 * The launch list is proved first: it is ordered by colour. Along it, the last
 * block or element that marked a point is of the running colour whenever any
 * is, so one mark per point suffices. */
#include <stdlib.h>

#include "base/threads.h"
#include "check/check.h"

enum { BLOCKS = 16 }; /* of a piece */

/* Colours of items and the launch lists that follow from them: launch c lists
 * offsets[c] ... offsets[c + 1] - 1. */
typedef struct launch_proof { /* of n_items blocks or elements */
    const char *item;         /* "block", "element" */
    int64_t n_items, n_listed, n_colours;
    const int32_t *colour; /* per item; -1: a hole */
    const int64_t *offsets;
    const int32_t *list;
} launch_proof;

/* One launch: its items have its colour and ascend, so that each occurs once. */
static mplan_status check_launch(const launch_proof *proof, int64_t launch, mplan_error *err)
{
    int64_t begin = proof->offsets[launch], end = proof->offsets[launch + 1];
    if (end <= begin || end > proof->n_listed)
        return MPLAN_DISPROVED(err,
                               "launch %" PRId64 " runs the places %" PRId64 " to %" PRId64
                               " of %" PRId64 " in its list",
                               launch, begin, end, proof->n_listed);
    for (int64_t i = begin; i < end; i++) {
        int32_t item = proof->list[i];
        if (item < 0 || item >= proof->n_items || (i > begin && item <= proof->list[i - 1]))
            return MPLAN_DISPROVED(err,
                                   "launch %" PRId64 " has %s %d at place %" PRId64
                                   ", which does not ascend in [0, %" PRId64 ")",
                                   launch, proof->item, (int)item, i, proof->n_items);
        if (proof->colour[item] != launch)
            return MPLAN_DISPROVED(err, "launch %" PRId64 " runs %s %d, whose colour is %d", launch,
                                   proof->item, (int)item, (int)proof->colour[item]);
    }
    return MPLAN_OK;
}

/* With as many places as items, none twice, every item is in a launch. */
static mplan_status check_launches(const launch_proof *proof, mplan_error *err)
{
    mplan_status status = MPLAN_OK;
    if (proof->offsets[0] != 0 || proof->offsets[proof->n_colours] != proof->n_listed)
        return MPLAN_DISPROVED(err,
                               "launches run the places %" PRId64 " to %" PRId64
                               " of their list instead of 0 to %" PRId64,
                               proof->offsets[0], proof->offsets[proof->n_colours], proof->n_listed);
    for (int64_t c = 0; c < proof->n_colours && !status; c++)
        status = check_launch(proof, c, err);
    return status;
}

/* Marks along the launch list for one to-set. mark[p]: first + 1 + the last item that touched point p, at most first
 * if none did; colour: per item. */
typedef struct marks {
    uint32_t *mark, first;
    const int32_t *colour;
} marks;

/* Item (block or element) of equal colour that has touched one of the row's
 * points before; -1 without one, else *point is that point. */
static int64_t mark_row(const marks *in, const int32_t *row, int32_t n, int64_t item, int32_t *point)
{
    for (int32_t k = 0; k < n; k++) {
        if (row[k] < 0)
            continue;
        uint32_t last = in->mark[row[k]];
        in->mark[row[k]] = in->first + 1 + (uint32_t)item;
        if (last <= in->first)
            continue;
        int64_t other = (int64_t)last - in->first - 1;
        if (other != item && in->colour[other] == in->colour[item]) {
            *point = row[k];
            return other;
        }
    }
    return -1;
}

/* item: "element" or "block"; a and b are named in ascending order, so that the message
 * does not depend on the walk. */
static mplan_status refuse_pair(const mplan_check *check, const char *item, int64_t a, int64_t b,
                                int32_t point, int32_t set, int32_t colour, mplan_error *err)
{
    return MPLAN_DISPROVED(err,
                           "%ss %" PRId64 " and %" PRId64 " share point %d of %s and colour "
                           "%d",
                           item, a < b ? a : b, a < b ? b : a, (int)point,
                           mplan_check_set_name(check, set), (int)colour);
}

/* No two elements of a colour meet in `set` through maps that are written. Elements come in the order of the launches,
 * so all of one colour are together and one mark for each point tells (see above). */
static mplan_status check_elements(mplan_check *check, int32_t l, int32_t set,
                                   const launch_proof *proof, mplan_error *err)
{
    const mplan_check_loop *loop = &check->loops[l];
    marks in = {.colour = proof->colour};
    mplan_status status = mplan_check_marks(check, proof->n_items, &in.first, err);
    in.mark = check->mark;
    for (int64_t i = 0; i < proof->n_listed && !status; i++) {
        const int32_t e = proof->list[i];
        if (i % 1048576 == 0)
            status = mplan_interrupted(check->context, err);
        for (int32_t m = 0; m < loop->n_maps && !status; m++) {
            int32_t n, point;
            const mplan_map *map = &check->maps[loop->maps[m]];
            if (!loop->written[m] || map->to != set)
                continue;
            const int32_t *row = mplan_map_row(map, e, &n);
            int64_t other = mark_row(&in, row, n, e, &point);
            if (other >= 0)
                status = refuse_pair(check, "element", e, other, point, set, in.colour[e], err);
        }
    }
    return status;
}

/* Marks all points that the block increments with its number; a point that carries the
 * mark of another block of the same colour disproves the plan. */
static mplan_status mark_block(const mplan_check *check, const mplan_check_cut *cut, int32_t l,
                               const marks *in, int32_t block, mplan_error *err)
{
    for (int32_t t = 0; t < cut->n_tables; t++) {
        const mplan_check_table *table = &cut->tables[t];
        if (table->list != l || !table->written)
            continue;
        for (int64_t p = cut->offsets[block]; p < cut->offsets[block + 1]; p++) {
            int32_t n, point, e = cut->sequence ? cut->sequence[p] : (int32_t)p;
            const int32_t *row = mplan_map_row(table->map, e, &n);
            int64_t other = mark_row(in, row, n, block, &point);
            if (other >= 0)
                return refuse_pair(check, "block", block, other, point, cut->lists[l].set,
                                   in->colour[block], err);
        }
    }
    return MPLAN_OK;
}

/* Blocks of one launch that mark side by side: places of the list from `begin` on. */
typedef struct launch_marks {
    const mplan_check_cut *cut;
    const launch_proof *proof;
    int32_t l;
    uint32_t *mark, first;
    int64_t begin;
} launch_marks;

/* Whether the row has a point that another block of the launch has marked, that is, one of equal colour. Whoever comes exchanges his mark for
 * the one that was there: of two blocks at a point one sees the other's, in whatever order. */
static int64_t meets_launch(const launch_marks *in, const int32_t *row, int32_t n, int32_t block)
{
    const uint32_t own = in->first + 1 + (uint32_t)block;
    int64_t met = 0;
    for (int32_t k = 0; k < n; k++) {
        int32_t *mark = row[k] < 0 ? NULL : (int32_t *)&in->mark[row[k]]; /* the same 32 bits */
        if (!mark || (uint32_t)mplan_peek(mark) == own)
            continue;
        const uint32_t last = (uint32_t)mplan_exchange(mark, (int32_t)own);
        met += last > in->first && last != own &&
               in->proof->colour[last - in->first - 1] == in->proof->colour[block];
    }
    return met;
}

/* Blocks [begin, end) of the launch: points at which they meet others of it. */
static int64_t count_meetings(void *data, int thread, int64_t begin, int64_t end)
{
    const launch_marks *in = data;
    const mplan_check_cut *cut = in->cut;
    int64_t met = 0;
    (void)thread;
    for (int64_t i = begin; i < end; i++) {
        const int32_t block = in->proof->list[in->begin + i];
        for (int32_t t = 0; t < cut->n_tables; t++) {
            const mplan_check_table *table = &cut->tables[t];
            if (table->list != in->l || !table->written)
                continue;
            for (int64_t p = cut->offsets[block]; p < cut->offsets[block + 1]; p++) {
                int32_t n, e = cut->sequence ? cut->sequence[p] : (int32_t)p;
                const int32_t *row = mplan_map_row(table->map, e, &n);
                met += meets_launch(in, row, n, block);
            }
        }
    }
    return met;
}

/* Launch after launch, the blocks of each by threads. *met: whether two of a launch share a point; which is for one thread to
 * say. */
static mplan_status mark_launches(mplan_check *check, const mplan_check_cut *cut, int32_t l,
                                  const launch_proof *proof, bool *met, mplan_error *err)
{
    launch_marks in = {.cut = cut, .proof = proof, .l = l};
    mplan_status status = mplan_check_marks(check, proof->n_items, &in.first, err);
    in.mark = check->mark;
    for (int64_t c = 0; c < proof->n_colours && !status && !*met; c++) {
        in.begin = proof->offsets[c];
        *met = mplan_for_sum(mplan_team_of(check->context), proof->offsets[c + 1] - in.begin,
                             BLOCKS, count_meetings, &in) > 0;
        status = mplan_interrupted(check->context, err);
    }
    return status;
}

/* No two blocks of a colour meet in the set of list l; blocks in the order of the launches, as in check_elements. */
static mplan_status check_blocks(mplan_check *check, const mplan_check_cut *cut, int32_t l,
                                 const launch_proof *proof, mplan_error *err)
{
    bool met = false;
    marks in = {.colour = proof->colour};
    mplan_status status = MPLAN_OK;
    if (mplan_team_threads(mplan_team_of(check->context)) > 1) {
        status = mark_launches(check, cut, l, proof, &met, err);
        if (status || !met)
            return status;
    }
    status = mplan_check_marks(check, proof->n_items, &in.first, err);
    in.mark = check->mark;
    for (int64_t i = 0; i < proof->n_listed && !status; i++) {
        if (i % 4096 == 0)
            status = mplan_interrupted(check->context, err);
        if (!status)
            status = mark_block(check, cut, l, &in, proof->list[i], err);
    }
    return status;
}

/* Launch lists hold every element once, each with its own colour, and elements of one
 * colour share no incremented point. */
static mplan_status check_global(mplan_check *check, int32_t l, int32_t v, mplan_error *err)
{
    const mplan_check_loop *loop = &check->loops[l];
    const int32_t s = check->plan->loops[l].set;
    const mplan_plan_set *set = mplan_check_set(check, s);
    const int32_t *old_of_new = mplan_check_old_of_new(check, s);
    launch_proof proof = {
        "element",
        set->storage_size,
        set->size,
        check->plan->loops[l].variants[v].global_colours,
        mplan_check_data(check, mplan_key_of_variant(MPLAN_KIND_GLOBAL_COLOURS, l, v)),
        mplan_check_data(check, mplan_key_of_variant(MPLAN_KIND_GLOBAL_LAUNCH_OFFSETS, l, v)),
        mplan_check_data(check, mplan_key_of_variant(MPLAN_KIND_GLOBAL_LAUNCH, l, v))};
    for (int64_t e = 0; e < proof.n_items; e++) {
        if (old_of_new[e] < 0 && proof.colour[e] != -1)
            return MPLAN_DISPROVED(err, "GLOBAL_COLOURS has %d at %" PRId64 ", which is a hole",
                                   (int)proof.colour[e], e);
        if (old_of_new[e] >= 0 && (proof.colour[e] < 0 || proof.colour[e] >= proof.n_colours))
            return MPLAN_DISPROVED(err,
                                   "GLOBAL_COLOURS gives element %" PRId64 " the colour %d of "
                                   "%" PRId64,
                                   e, (int)proof.colour[e], proof.n_colours);
    }
    mplan_status status = check_launches(&proof, err);
    if (!status && loop->n_maps == 0 && proof.n_colours > 1)
        return MPLAN_DISPROVED(err, "%" PRId64 " colours in a loop without maps", proof.n_colours);
    for (int32_t i = 0; i < loop->n_sets && !status; i++) {
        bool written = false;
        for (int32_t m = 0; m < loop->n_maps; m++)
            written = written || (loop->written[m] && check->maps[loop->maps[m]].to == loop->sets[i]);
        if (written)
            status = check_elements(check, l, loop->sets[i], &proof, err);
    }
    return status;
}

/* The same for blocks; cut: the block set of the variant. */
static mplan_status check_block_colours(mplan_check *check, int32_t l, int32_t v,
                                        const mplan_check_cut *cut, mplan_error *err)
{
    const mplan_plan_variant *variant = &check->plan->loops[l].variants[v];
    const int64_t n = cut->record->n_blocks;
    launch_proof proof = {
        "block",
        n,
        n,
        variant->block_colours,
        mplan_check_data(check, mplan_key_of_variant(MPLAN_KIND_BLOCK_COLOURS, l, v)),
        mplan_check_data(check, mplan_key_of_variant(MPLAN_KIND_BLOCK_LAUNCH_OFFSETS, l, v)),
        mplan_check_data(check, mplan_key_of_variant(MPLAN_KIND_BLOCK_LAUNCH, l, v))};
    for (int64_t b = 0; b < n; b++)
        if (proof.colour[b] < 0 || proof.colour[b] >= proof.n_colours)
            return MPLAN_DISPROVED(err,
                                   "BLOCK_COLOURS gives block %" PRId64 " the colour %d of %" PRId64,
                                   b, (int)proof.colour[b], proof.n_colours);
    mplan_status status = check_launches(&proof, err);
    if (!status && cut->n_tables == 0 && proof.n_colours > 1)
        return MPLAN_DISPROVED(err, "%" PRId64 " block colours in a loop without maps",
                               proof.n_colours);
    for (int32_t i = 0; i < cut->n_lists && !status; i++)
        if (cut->lists[i].written)
            status = check_blocks(check, cut, i, &proof, err);
    return status;
}

/* Thread colours only with block-colour; block-gather with sums by colour has none. */
static mplan_status check_block_variant(mplan_check *check, int32_t l, int32_t v, mplan_error *err)
{
    mplan_check_cut cut = {0};
    mplan_status status = mplan_check_cut_open(check, check->plan->loops[l].variants[v].block_set,
                                               l, &cut, err);
    bool threads = mplan_strategy_has(check->plan->loops[l].variants[v].strategy,
                                      MPLAN_TRAIT_THREAD_COLOURS);
    if (!status && threads)
        status = mplan_check_threads(check, l, v, &cut, err);
    if (!status)
        status = check_block_colours(check, l, v, &cut, err);
    mplan_check_cut_close(&cut);
    return status;
}

/* Strategies without colours have nothing to prove here. */
static mplan_status check_variant(mplan_check *check, int32_t l, int32_t v, mplan_error *err)
{
    const mplan_plan_loop *loop = &check->plan->loops[l];
    const mplan_strategy strategy = loop->variants[v].strategy;
    mplan_status status = MPLAN_OK;
    if (mplan_strategy_has(strategy, MPLAN_TRAIT_GLOBAL_COLOURS))
        status = check_global(check, l, v, err);
    else if (mplan_variant_colours_blocks(&loop->variants[v]))
        status = check_block_variant(check, l, v, err);
    return status;
}

mplan_status mplan_check_colours(mplan_check *check, mplan_error *err)
{
    return mplan_check_variants(check, MPLAN_TRAITS_COLOURED | MPLAN_TRAIT_RECORDS, check_variant,
                                err);
}
