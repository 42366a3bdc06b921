/* SPDX-License-Identifier: Apache-2.0 */
/* native_refine.c - blocks of a first cut exchange elements
 *
 * Pieces of grown blocks join their neighbours (scraps), blocks move along the lines between their centroids (lloyd), and passes over
 * matchings of neighbouring blocks (match) split pairs anew now and then (split, flow) and refine them along their borders (pair). */
#include "partition/native/native_refine.h"

#include <assert.h>
#include <stdlib.h>

#include "base/error.h"
#include "base/memory.h"
#include "base/threads.h"
#include "partition/native/native_lists.h"
#include "partition/native/native_lloyd.h"
#include "partition/native/native_pair.h"
#include "partition/native/native_places.h"
#include "partition/native/native_scraps.h"
#include "partition/native/native_schedule.h"
#include "partition/native/native_sizes.h"

/* averages of a smoothing, also where it only straightens; pairs that are worth more than one thread, pairs of which one gains where that is rare */
enum { SWEEPS = 5, LONG_SWEEPS = 12, WORTH_THREADS = 64, RARE = 400 };

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

mplan_status mplan_native_refine(native_cut *cut, const native_first *first,
                                 const mplan_native_options *options, bool relaxes,
                                 int32_t *scratch, const mplan_context *context, mplan_error *err)
{
    assert(cut && first && options && scratch);
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
