/* SPDX-License-Identifier: Apache-2.0 */
/* native_refine.c - blocks of a first cut exchange elements
 *
 * Pieces of grown blocks join their neighbours (scraps), blocks move along the lines between their centroids (lloyd), and passes over
 * matchings of neighbouring blocks (match, pass) split pairs anew now and then (split, flow) and refine them along their borders (pair). */
#include "partition/native/native_refine.h"

#include <assert.h>
#include <stdlib.h>

#include "base/error.h"
#include "base/memory.h"
#include "base/threads.h"
#include "partition/native/native_lists.h"
#include "partition/native/native_lloyd.h"
#include "partition/native/native_pass.h"
#include "partition/native/native_places.h"
#include "partition/native/native_scraps.h"
#include "partition/native/native_schedule.h"
#include "partition/native/native_sizes.h"

/* averages of a smoothing, also where it only straightens; pairs of which one gains where that is rare */
enum { SWEEPS = 5, LONG_SWEEPS = 12, RARE = 400 };

/* What passes share. */
typedef struct refinement {
    native_cut *cut;
    int threads;
    native_pair **pairs; /* per thread */
    native_schedule plan;
    int32_t least;      /* of pairs with lists (native_pair.h): what the best element has to save */
    int32_t pass, step; /* at hand: the pass, the step of loose ones */
    int32_t *gained; /* of each block: the last pass in which one of its pairs saved something, 0 at first */
    const mplan_native_options *options;
    const int32_t *sequence; /* the caller's elements, as the table has them */
    int32_t *start;          /* n: block of each element before relaxation; scratch before that */
    const mplan_context *context;
} refinement;

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
    mplan_status status = mplan_native_match(r->cut, 1, 0, 0, &matching, r->context, err);
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

/* Where some passes have flows, pairs take long, and what other pairs leave in the cache hardly counts: so that 16 threads have something
 * to do, units are short. Of tables of 28,000 to 120,000 elements that had one to four units before, 15 rows, reuse is the same (-0.02 %
 * in the mean). Without flows it would be 0.02 % less (128 rows). */
static int32_t runs_of(const refinement *r)
{
    enum { RUNS = 32, FEW_ELEMENTS = 10000 };
    return r->plan.flows > 0 && r->cut->table->n >= FEW_ELEMENTS ? RUNS : 0;
}

/* Pass number r->pass: *saved, of the *touched (block, point) pairs. */
static mplan_status refine_pass(refinement *r, int64_t *saved, int64_t *touched, mplan_error *err)
{
    native_matching matching = {0};
    const native_try how = way_of_pass(r, r->pass);
    const native_pass pass = {.cut = r->cut,
                              .pairs = r->pairs,
                              .matching = &matching,
                              .plan = &r->plan,
                              .how = how,
                              .effort = r->options->effort,
                              .number = r->pass,
                              .gained = r->gained};
    mplan_progress(r->context, "partition", r->pass + 1, r->plan.passes + 1);
    mplan_status status = mplan_native_match(r->cut, r->plan.shared, runs_of(r), r->pass, &matching,
                                             r->context, err);
    *touched = matching.touched;
    if (!status && (how.sweeps > 0 || how.flows) && !r->cut->lists)
        status = mplan_native_cut_list(r->cut, mplan_team_of(r->context), err);
    if (!status)
        status = mplan_native_pass_run(&pass, saved, r->context, err);
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
        if (loose && (r->pass >= mplan_native_step_end(&r->plan, r->step) || !goes_on)) {
            r->pass = mplan_native_step_end(&r->plan, r->step++);
            status = mplan_native_sizes_tighten(r->cut, r->step, r->plan.steps, r->context, err);
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
