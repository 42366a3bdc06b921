/* SPDX-License-Identifier: Apache-2.0 */
/* native.c - meshplan's own partitioner
 *
 * table (all maps as one) -> a first cut (native_grid.h: tiles of a grid; else greedy graph
 * growing with exact sizes, side by side in regions of large tables) -> cut (elements and
 * points renumbered by it, which block each is in) -> pieces of grown blocks joined to their neighbours (scraps, balance) -> Lloyd relaxation by coordinates (lloyd),
 * in the metric of each block, so that long and flat cells count as round ones do (metric); without coordinates passes that only smooth
 * -> refinement passes over matchings of neighbouring blocks (match), each pair split anew now
 * and then (split; flow: along a cheapest border) and refined along its border (pair, fm), read from lists of points that
 * blocks keep where rows are long (lists). Small tables are cut several times, and groups of
 * blocks of the best cut are cut anew (regroup). The cost is the weight of the distinct (block,
 * point) pairs. Nothing is a graph of elements: the cost is what the blocks load. */
#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "base/threads.h"
#include "partition/native/native_first.h"
#include "partition/native/native_lists.h"
#include "partition/native/native_lloyd.h"
#include "partition/native/native_order.h"
#include "partition/native/native_pair.h"
#include "partition/native/native_places.h"
#include "partition/native/native_regroup.h"
#include "partition/native/native_scraps.h"
#include "partition/native/native_schedule.h"
#include "partition/native/native_sizes.h"
#include "partition/native/native_weigh.h"

/* averages of a smoothing, also where it only straightens; pairs that are worth more than one thread, elements of a piece, pairs of which one gains
 * where that is rare */
enum { SWEEPS = 5, LONG_SWEEPS = 12, WORTH_THREADS = 64, ELEMENTS = 1 << 14, RARE = 400 };
/* elements of a table that is cut TRIALS times; starts of growth where blocks are few */
enum { FEW_ELEMENTS = 10000, TRIALS = 6, STARTS = 4 };
#define FULL 0.995 /* a fill above it is taken at its word */

/* Blocks to aim at: filled as asked, of sizes as equal as can be, at least n / S and at most n.
 * Rounding must not cost more than 1% where little was to be left free: elements move between
 * blocks only where some have room, but an extra block costs all of its own points. */
static int64_t wanted_blocks(int64_t n, int32_t block_size, double fill)
{
    int64_t least = n / block_size + (n % block_size != 0);
    int64_t most = least + (least / 100 > 1 ? least / 100 : 1);
    double size = block_size * fill, wanted = size >= 1 ? (double)n / size : (double)n;
    int64_t blocks = (int64_t)wanted + (wanted > (double)(int64_t)wanted);
    if (fill >= 0.99 && blocks > most)
        blocks = most;
    while (fill >= 0.99 && blocks > least && (double)n < 0.99 * block_size * (double)blocks)
        blocks--;
    blocks = blocks < least ? least : blocks;
    return blocks < n ? blocks : n;
}

/* --- refinement passes ----------------------------------------------------------- */

/* What passes share. */
typedef struct refinement {
    native_cut *cut;
    int threads;
    native_pair **pairs; /* per thread */
    native_schedule plan;
    int32_t least; /* of pairs with lists (native_pair.h): what the best element has to save */
    int32_t pass;  /* the one at hand */
    int32_t *gained; /* of each block: the last pass in which one of its pairs saved something, 0 at first */
    int64_t mean; /* points that a pair of the pass shares */
    const mplan_native_options *options;
    const int32_t *sequence; /* the caller's elements, as the table has them */
    int32_t *start;          /* n: block of each element before relaxation; scratch before that */
    const mplan_context *context;
} refinement;

/* One group of a matching, for the threads that share it. */
typedef struct group_work {
    const refinement *refinement;
    const native_matching *matching;
    const native_try *how;
    int64_t first; /* unit of the group */
} group_work;

/* Whether a pair is worth a flow, in a pass of effort default that has flows: it shares hardly fewer points than others, in later
 * passes as many as the mean, and a pair of one of its blocks has saved something lately. Without these rules triangles with random
 * flips reach 4.974 and 4.957 in place of 4.969 and 4.960, and take twice as long. */
static bool is_worth_flow(const refinement *r, const native_block_pair *pair)
{
    enum { HARDLY_FEWER = 70 };
    if (r->options->effort != MPLAN_EFFORT_DEFAULT)
        return true;
    if (pair->count * INT64_C(100) < r->mean * (r->pass > 1 ? 100 : HARDLY_FEWER))
        return false;
    const int32_t since = r->pass - r->plan.lately;
    return r->gained[pair->a] >= since || r->gained[pair->b] >= since;
}

/* One pair of a pass; the weight saved, 0 where it came out worse and is as it was. Where blocks have no lists, a pass with flows
 * reads their members, which other passes do not keep: the other pairs are left out of it. */
static int64_t refine_one(const group_work *work, int thread, const native_block_pair *pair)
{
    const refinement *r = work->refinement;
    native_try how = *work->how;
    how.flows = how.flows && is_worth_flow(r, pair);
    if (work->how->flows && !how.flows && !r->cut->lists)
        return 0;
    int64_t gain = mplan_native_pair_refine(r->pairs[thread], pair,
                                            work->matching->seeds + pair->begin, &how);
    if (gain > 0)
        r->gained[pair->a] = r->gained[pair->b] = r->pass;
    return gain > 0 ? gain : 0;
}

/* Units [begin, end) of a group: pairs of blocks that no other thread touches meanwhile. Returns
 * the weight of (block, point) pairs saved. */
static int64_t refine_units(void *data, int thread, int64_t begin, int64_t end)
{
    const group_work *work = data;
    const native_matching *matching = work->matching;
    const int64_t *unit = matching->unit_begin + work->first;
    const native_cut *cut = work->refinement->cut;
    int64_t sum = 0;
    for (int64_t i = unit[begin]; i < unit[end]; i++) {
        const native_block_pair *block_pair = &matching->block_pairs[i];
        if (!cut->lists)
            mplan_native_pair_announce(cut, block_pair, matching->block_pairs + unit[end],
                                       matching->seeds);
        sum += refine_one(work, thread, block_pair);
    }
    return sum;
}

/* Refines the pairs of one matching, group by group: groups follow each other, units of one run
 * side by side. *saved: the weight that all of them saved. */
static mplan_status refine_groups(refinement *r, const native_matching *matching,
                                  const native_try *how, int64_t *saved, mplan_error *err)
{
    int64_t sum = 0;
    for (int32_t g = 0; g < matching->n_groups; g++) {
        int64_t begin = matching->group_begin[g], end = matching->group_begin[g + 1];
        int64_t pairs = matching->unit_begin[end] - matching->unit_begin[begin];
        group_work work = {r, matching, how, begin};
        mplan_status status = mplan_interrupted(r->context, err);
        if (status)
            return status;
        sum += mplan_for_sum(pairs >= WORTH_THREADS ? mplan_team_of(r->context) : NULL, end - begin,
                             1, refine_units, &work);
    }
    *saved = sum;
    return MPLAN_OK;
}

/* Pass number `pass`, from 0: whether its pairs are split anew before they are
 * refined, and how: smoothed or by flows; or only straightened. */
static native_try way_of_pass(const refinement *r, int32_t pass)
{
    bool anew = mplan_native_is_anew(&r->plan, pass);
    bool smooth = pass < r->plan.smooth;
    return (native_try){.sweeps = smooth ? LONG_SWEEPS
                                  : anew ? SWEEPS
                                         : 0,
                        .straightens = smooth,
                        .flows = mplan_native_is_flow(&r->plan, pass),
                        .patience = r->plan.patience,
                        .least = r->least};
}

/* Lloyd relaxation. Neither limits on points nor the points that blocks touch are looked at on the way: a cut
 * that breaks the limits is given up, and one that touches 5 % more, 2.5 % of long rows in a plane (prisms
 * of second order have as few rows at a point, but gain by it: 3.635 -> 3.682). Straight borders are easier to refine,
 * so that a cut which touches 1 or 2 % more (tets, triangles) is ahead after the passes. Where cells differ
 * much within blocks it is 24 % more (27-node hexes of a turbine passage) or 4 % (triangles of a boundary layer, first
 * height 1e-6: 5.194 after the passes, 5.239 without), and stays behind. */
static mplan_status relax_blocks(refinement *r, mplan_error *err)
{
    native_matching matching;
    bool fits = true;
    mplan_team *team = mplan_team_of(r->context);
    if (r->plan.sweeps == 0)
        return MPLAN_OK;
    int64_t trusted = 0, before = mplan_native_cut_weight(r->cut, team);
    bool plane = r->options->dimension == 2 &&
                 mplan_native_kind_of(r->cut->table) == NATIVE_LONG_PLANE;
    int64_t more = before / (plane ? 40 : 20);
    mplan_status status = mplan_native_match(r->cut, 1, 0, &matching, r->context, err);
    if (!status)
        status = mplan_native_lloyd(r->cut, &matching, r->plan.sweeps, r->options, r->sequence,
                                    r->start, &trusted, r->context, err);
    mplan_native_matching_free(&matching);
    if (!status && 2 * trusted < r->cut->n_blocks) {
        r->plan = mplan_native_schedule(r->cut->table, r->cut->block_size, r->options->effort, false);
        if (mplan_native_wants_flows(r->cut->table, r->cut->block_size))
            r->plan = mplan_native_with_flows(r->plan, r->cut->table, r->options->effort);
    }
    if (!status)
        status = mplan_native_cut_fits(r->cut, &fits, err);
    if (!status && (!fits || mplan_native_cut_weight(r->cut, team) > before + more))
        status = mplan_native_cut_reset(r->cut, r->start, team, err);
    return status;
}

/* Whether pairs whose best element would cost something are tried further: effort best tries all. They are left out
 * as soon as fewer than one of RARE gained anything; in meshes of tets that is one of 1000 and half of all pairs
 * (0.4 of the time of later passes; reuse, with one more pass, is the same), where prisms and tets meet one of 60. */
static void look_back(refinement *r)
{
    int64_t doubted = 0, surprises = 0;
    for (int t = 0; t < r->threads; t++) {
        doubted += r->pairs[t]->doubted;
        surprises += r->pairs[t]->surprises;
    }
    if (r->options->effort != MPLAN_EFFORT_BEST && doubted >= RARE && doubted > RARE * surprises)
        r->least = 0;
}

/* How many points a pair of a matching shares. */
static int64_t mean_of(const native_matching *matching)
{
    int64_t sum = 0, n = matching->unit_begin[matching->group_begin[matching->n_groups]];
    for (int64_t i = 0; i < n; i++)
        sum += matching->block_pairs[i].count;
    return n > 0 ? sum / n : 0;
}

/* Pass number r->pass: *saved, of the *touched (block, point) pairs. */
static mplan_status refine_pass(refinement *r, int64_t *saved, int64_t *touched, mplan_error *err)
{
    native_matching matching = {0};
    native_try how = way_of_pass(r, r->pass);
    mplan_progress(r->context, "partition", r->pass + 1, r->plan.passes + 1);
    mplan_status status = mplan_native_match(r->cut, r->plan.shared, r->pass, &matching, r->context,
                                             err);
    *touched = matching.touched;
    r->mean = status ? 0 : mean_of(&matching);
    if (!status && (how.sweeps > 0 || how.flows) && !r->cut->lists)
        status = mplan_native_cut_list(r->cut, mplan_team_of(r->context), err);
    if (!status)
        status = refine_groups(r, &matching, &how, saved, err);
    if (!status)
        look_back(r);
    mplan_native_matching_free(&matching);
    return status;
}

/* After the first pass: faces that turn out to be irregular get flows. */
static mplan_status look_at_first(refinement *r, int64_t saved, int64_t touched, mplan_error *err)
{
    mplan_status status = MPLAN_OK;
    if (r->plan.flows > 0 || !mplan_native_is_rough(r->cut->table, saved, touched))
        return MPLAN_OK;
    r->plan = mplan_native_with_flows(r->plan, r->cut->table, r->options->effort);
    for (int t = 0; t < r->threads && r->plan.flows > 0 && !status; t++)
        status = mplan_native_pair_add_flows(r->pairs[t], err);
    return status;
}

/* Passes until one saves less than its share of all (block, point) pairs. Sizes
 * of blocks may change within the limits, which are loose in the first ones; however little these save, one more follows. */
static mplan_status refine(refinement *r, mplan_error *err)
{
    int64_t saved = 0, touched = 0;
    mplan_status status = MPLAN_OK;
    for (r->pass = 0; !status; r->pass++) {
        bool loose = r->cut->most > r->cut->block_size,
             goes_on = mplan_native_goes_on(&r->plan, r->pass, saved, touched);
        if (!loose && !goes_on)
            break;
        if (loose && (r->pass >= r->plan.loose || !goes_on)) {
            status = mplan_native_sizes_tighten(r->cut, r->context, err);
            r->pass = r->plan.loose;
        }
        if (!status)
            status = refine_pass(r, &saved, &touched, err);
        if (!status && r->pass == 0)
            status = look_at_first(r, saved, touched, err);
    }
    return status;
}

/* Whether very different numbers of elements meet at points: their variance is above UNEVEN hundredths of the mean. Triangles with random
 * flips have 85, a disc of triangles with quads at its rim 22. A border that is straight is not the cheapest one then. Cells of
 * second order always have that, at corners and between them; of these only tables of few blocks count. */
static bool is_uneven(const native_cut *cut)
{
    enum { UNEVEN = 50, SECOND_ORDER = 5 };
    int64_t n = cut->table->n_points, sum = native_entries(cut->table), squares = 0;
    if (sum >= SECOND_ORDER * cut->table->n && !mplan_native_are_few(cut->table->n, cut->block_size))
        return false;
    for (int64_t p = 0; p < n; p++) {
        int64_t count = cut->begin[p + 1] - cut->begin[p];
        squares += native_is_hub(cut, p) ? 0 : count * count;
    }
    double mean = (double)sum / (double)n;
    return (double)squares / (double)n - mean * mean > UNEVEN * mean / 100;
}

/* first: the first cut; its blocks are those of `cut`. Afterwards cut->where has
 * the block of every element. scratch: n entries. */
static mplan_status refine_blocks(native_cut *cut, const native_first *first,
                                  const mplan_native_options *options, bool relaxes,
                                  int32_t *scratch, const mplan_context *context, mplan_error *err)
{
    refinement r = {.cut = cut,
                    .threads = mplan_team_threads(mplan_team_of(context)),
                    .plan = mplan_native_schedule(cut->table, cut->block_size, options->effort,
                                                  native_have_places(options)),
                    .least = INT32_MIN,
                    .options = options,
                    .sequence = first->sequence,
                    .start = scratch,
                    .context = context};
    if (cut->n_blocks < 2)
        return MPLAN_OK;
    if (!first->tiled && mplan_native_kind_of(cut->table) == NATIVE_LONG_PLANE && is_uneven(cut))
        r.plan = mplan_native_with_flows(r.plan, cut->table, options->effort);
    if (first->tiled || !relaxes)
        r.plan.sweeps = 0;
    mplan_status status = first->tiled ? MPLAN_OK
                                       : mplan_native_join_scraps(cut, scratch, context, err);
    if (!status)
        status = relax_blocks(&r, err);
    mplan_native_cut_unlist(cut);
    if (!status && r.plan.loose > 0 && mplan_native_sizes_may_be_loose(cut))
        mplan_native_sizes_loosen(cut);
    if (!status)
        status = mplan_native_lists_create(cut, context, err);
    r.pairs = status ? NULL : mplan_alloc_zero(r.threads, sizeof *r.pairs, err);
    r.gained = status ? NULL : mplan_alloc_zero(cut->n_blocks, sizeof *r.gained, err);
    status = !status && (!r.pairs || !r.gained) ? MPLAN_ERR_MEMORY : status;
    for (int t = 0; t < r.threads && !status; t++) {
        r.pairs[t] = mplan_native_pair_create(cut, r.plan.flows > 0, err);
        status = r.pairs[t] ? MPLAN_OK : MPLAN_ERR_MEMORY;
    }
    if (!status)
        status = refine(&r, err);
    for (int t = 0; r.pairs && t < r.threads; t++)
        mplan_native_pair_free(r.pairs[t]);
    free(r.pairs);
    free(r.gained);
    return status;
}

/* --- the whole ---------------------------------------------------------------------- */

/* sequence[i]: the caller's element that is number i of the first cut; number: new number by
 * block. */
typedef struct element_work {
    const int32_t *number, *sequence;
    const native_where *where;
    int32_t *block;
} element_work;

/* Elements [begin, end): old numbers of blocks become new ones. */
static void renumber_elements(void *data, int thread, int64_t begin, int64_t end)
{
    const element_work *work = data;
    (void)thread;
    for (int64_t e = begin; e < end; e++)
        work->block[e] = work->number[work->block[e]];
}

/* From the order of the first cut to the caller's elements. */
static void bring_back(void *data, int thread, int64_t begin, int64_t end)
{
    const element_work *work = data;
    (void)thread;
    for (int64_t i = begin; i < end; i++)
        work->block[work->sequence[i]] = work->where[i].block;
}

/* Numbers blocks by first element. */
static mplan_status number_blocks(int64_t n, int64_t n_blocks, int32_t *block, mplan_team *team,
                                  mplan_error *err)
{
    int32_t next = 0, *number = mplan_alloc(n_blocks, sizeof *number, err);
    if (!number)
        return MPLAN_ERR_MEMORY;
    memset(number, 0xff, (size_t)n_blocks * sizeof *number);
    for (int64_t e = 0; e < n && next < n_blocks; e++)
        if (number[block[e]] < 0)
            number[block[e]] = next++;
    element_work work = {.number = number, .block = block};
    mplan_for(team, n, ELEMENTS, renumber_elements, &work);
    free(number);
    return MPLAN_OK;
}

/* A cut of the whole table, one of several that are tried. */
typedef struct native_trial {
    native_aim aim;
    bool relaxes;     /* Lloyd relaxation, where there are coordinates */
    int32_t *block;   /* out: of each element, as the caller numbers them */
    int64_t n_blocks; /* out */
    int64_t weight; /* out: of the points that blocks touch, but for those of very many elements */
    bool weighs;    /* whether the weight is asked for */
    mplan_block_origin origin;
} native_trial;

/* Blocks of the first cut, refined: the trial's block and weight. */
static mplan_status refine_first(native_table *table, const mplan_footprint *footprint,
                                 const mplan_native_options *options, const native_first *first,
                                 native_trial *trial, const mplan_context *context, mplan_error *err)
{
    native_cut refined = {0};
    mplan_team *team = mplan_team_of(context);
    mplan_status status = mplan_native_order(table->n, first->sequence, first->offsets,
                                             first->n_blocks, context, err);
    if (!status)
        status = mplan_native_table_renumber(table, first->sequence, context, err);
    if (!status)
        status = mplan_native_cut_create(table, footprint, first->n_blocks, first->offsets,
                                         &refined, context, err);
    if (!status)
        status = refine_blocks(&refined, first, options, trial->relaxes, trial->block, context, err);
    element_work work = {.sequence = first->sequence, .where = refined.where, .block = trial->block};
    mplan_for(team, !status ? table->n : 0, ELEMENTS, bring_back, &work);
    if (!status && trial->weighs)
        trial->weight = mplan_native_cut_weight(&refined, team);
    mplan_native_cut_free(&refined);
    return status;
}

/* The table is renumbered on the way. */
static mplan_status cut_once(native_table *table, mplan_footprint *footprint,
                             const mplan_native_options *options, native_trial *trial,
                             const mplan_context *context, mplan_error *err)
{
    native_first first = {.sequence = mplan_alloc(table->n, sizeof *first.sequence, err)};
    mplan_status status = MPLAN_ERR_MEMORY;
    trial->aim.starts.mends = trial->relaxes && mplan_native_mends_seams(table, options->effort,
                                                                         native_have_places(options));
    if (first.sequence)
        status = mplan_native_first_cut(table, footprint, options, &trial->aim,
                                        mplan_partition_native, &first, context, err);
    first.settled = first.settled || mplan_native_is_growing_enough(table, options->effort);
    if (!status && !first.settled)
        status = refine_first(table, footprint, options, &first, trial, context, err);
    for (int64_t b = 0; b < first.n_blocks && !status && first.settled; b++)
        for (int64_t i = first.offsets[b]; i < first.offsets[b + 1]; i++)
            trial->block[first.sequence[i]] = (int32_t)b;
    if (!status && first.settled && trial->weighs)
        status = mplan_native_weigh(table, footprint, first.sequence, first.n_blocks, first.offsets,
                                    &trial->weight, context, err);
    trial->n_blocks = first.n_blocks;
    trial->origin = first.origin;
    trial->origin.refined = !first.settled && first.n_blocks > 1;
    free(first.offsets);
    free(first.sequence);
    return status;
}

/* Blocks to grow. Few blocks that are nearly full exchange hardly any elements: there are up to 3 % more, as many
 * as METIS makes with its usual imbalance, unless they are asked to be full. */
static int64_t grown_blocks(int64_t n, int32_t block_size, double fill, int64_t wanted)
{
    int64_t more = (n * 103 + 100 * (int64_t)block_size - 1) / (100 * (int64_t)block_size);
    bool may = mplan_native_are_few(n, block_size) && fill >= 0.99 && fill <= FULL;
    return may && more > wanted ? more : wanted;
}

/* Elements of a tile in trial k: every other one has no tiles; others have smaller ones, with which the last of a
 * column or of a stack may be less of a scrap. */
static int32_t tile_of(const mplan_native_options *options, int64_t n, int64_t wanted,
                       int32_t block_size, int32_t k)
{
    int32_t most = options->fill < 0.99 ? (int32_t)(block_size * options->fill) : block_size;
    int32_t even = wanted > 0 ? (int32_t)((n + wanted - 1) / wanted) : most;
    int32_t tile = k % 2 == 1 ? 0
                   : k == 2   ? (int32_t)(100 * (int64_t)most / 103)
                   : k == 4   ? even
                              : most;
    return tile < most ? tile : most;
}

/* Number k of several: growth begins elsewhere in each, every other one is not relaxed, every fourth has no more
 * blocks than the fill needs. */
static native_trial trial_of(const mplan_native_options *options, int64_t n, int32_t block_size,
                             int32_t k)
{
    int64_t wanted = wanted_blocks(n, block_size, options->fill);
    bool few = mplan_native_are_few(n, block_size) && options->effort != MPLAN_EFFORT_FAST;
    int64_t grown = few && k % 4 < 3 ? grown_blocks(n, block_size, options->fill, wanted) : wanted;
    native_starts starts = {n * k / TRIALS, few && n >= FEW_ELEMENTS ? STARTS : 1, false};
    return (native_trial){.aim = {.tiles = wanted,
                                  .grown = grown,
                                  .tile = tile_of(options, n, wanted, block_size, k),
                                  .starts = starts},
                          .relaxes = k % 2 == 0};
}

/* A part of a small table, from one start. */
static mplan_status cut_part(native_part *part, mplan_footprint *footprint,
                             const mplan_native_options *options, const mplan_context *context,
                             mplan_error *err)
{
    mplan_native_options plain = *options;
    plain.coordinates = NULL;
    plain.finder = NULL;
    plain.effort = MPLAN_EFFORT_DEFAULT;
    native_trial trial = {.aim = {.grown = part->n_blocks, .starts = {part->first, 1, false}},
                          .block = part->block,
                          .weighs = true};
    mplan_status status = cut_once(&part->table, footprint, &plain, &trial, context, err);
    part->n_blocks = trial.n_blocks;
    part->weight = trial.weight;
    return status;
}

/* Small tables, cut several times: *best gets the cut of the least weight, of no more blocks than the first or
 * the 3 % that few blocks may be more. */
static mplan_status cut_often(const native_table *table, mplan_footprint *footprint,
                              const mplan_native_options *options, native_trial *best,
                              const mplan_context *context, mplan_error *err)
{
    int32_t size = footprint->limits->block_size, *block = best->block;
    int32_t *other = mplan_alloc(table->n, sizeof *other, err);
    mplan_status status = other ? MPLAN_OK : MPLAN_ERR_MEMORY;
    int64_t most = grown_blocks(table->n, size, options->fill, 0);
    for (int32_t k = 0; k < TRIALS && !status; k++) {
        native_table copy;
        native_trial next = trial_of(options, table->n, size, k);
        next.block = k == 0 ? block : other;
        next.weighs = true;
        status = mplan_native_table_copy(table, &copy, err);
        if (!status)
            status = cut_once(&copy, footprint, options, &next, context, err);
        mplan_native_table_free(&copy);
        if (status || (k > 0 && (next.weight >= best->weight || next.n_blocks > most)))
            continue;
        most = k == 0 && next.n_blocks > most ? next.n_blocks : most;
        if (k > 0)
            memcpy(block, other, (size_t)table->n * sizeof *block);
        *best = next;
    }
    best->block = block;
    free(other);
    native_table copy = {0};
    int64_t saved = 0;
    if (!status && best->n_blocks > 1)
        status = mplan_native_table_copy(table, &copy, err);
    if (!status && best->n_blocks > 1)
        status = mplan_native_regroup(&copy, footprint, options, cut_part, best->n_blocks, block,
                                      &saved, context, err);
    best->origin.refined = best->origin.refined || saved > 0;
    mplan_native_table_free(&copy);
    return status;
}

/* block: out, one per element; *n_blocks: out. The table is renumbered on the
 * way. */
static mplan_status cut(native_table *table, mplan_footprint *footprint,
                        const mplan_native_options *options, int32_t *block, int64_t *n_blocks,
                        mplan_block_origin *origin, const mplan_context *context, mplan_error *err)
{
    bool often = table->n < FEW_ELEMENTS && options->effort != MPLAN_EFFORT_FAST &&
                 table->n > footprint->limits->block_size;
    native_trial best = trial_of(options, table->n, footprint->limits->block_size, 0);
    best.block = block;
    mplan_native_options held = *options;
    double *found = NULL; /* several cuts do not look for them each */
    mplan_status status = MPLAN_OK;
    if (often && native_have_places(options) && !options->coordinates) {
        held.coordinates = found = mplan_native_find_all(table->n, options, context, err);
        status = found ? MPLAN_OK : MPLAN_ERR_MEMORY;
    }
    if (!status)
        status = often ? cut_often(table, footprint, &held, &best, context, err)
                       : cut_once(table, footprint, options, &best, context, err);
    free(found);
    if (!status)
        status = number_blocks(table->n, best.n_blocks, block, mplan_team_of(context), err);
    if (!status)
        *n_blocks = best.n_blocks;
    *origin = best.origin;
    return status;
}

/* origin may be NULL. Results do not depend on the number of threads. The footprint refers to the maps of the limits, but
 * reads them only to name an element that breaks a limit, and none does where limits do not bind. */
mplan_status mplan_partition_native(int64_t n, const mplan_block_limits *limits,
                                    const mplan_native_options *options, int32_t *block,
                                    int64_t *n_blocks, mplan_block_origin *origin,
                                    const mplan_context *context, mplan_error *err)
{
    assert(limits && options && block && n_blocks && n >= 0);
    mplan_block_origin unasked;
    mplan_footprint footprint;
    native_table table = {0};
    if (!(options->fill > 0 && options->fill <= 1))
        return mplan_fail(err, MPLAN_ERR_ARGUMENT, "fill must be above 0 and at most 1, not %g",
                          options->fill);
    mplan_status status = mplan_footprint_open(&footprint, limits, err);
    if (status)
        return status;
    status = mplan_native_table_create(&footprint, n, &table, context, err);
    if (!status && !table.limits_bind && options->release)
        options->release(options->release_data);
    if (!status && !table.limits_bind)
        mplan_footprint_drop_stamps(&footprint);
    if (!status)
        status = cut(&table, &footprint, options, block, n_blocks, origin ? origin : &unasked,
                     context, err);
    mplan_native_table_free(&table);
    mplan_footprint_close(&footprint);
    return status;
}
