/* SPDX-License-Identifier: Apache-2.0 */
/* report_figures.c - figures of blocks, and what is worth a warning */
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "view/report.h"

/* --- maps and positions ---------------------------------------------------------------- */

/* maps: out, distinct; reading: also those that are only read. Returns how many.
 * There must be room for n_args maps. Their order is that of the args. */
int32_t mplan_report_maps(const mplan_view *view, bool reading, int32_t *maps)
{
    const mplan_plan_loop *loop = mplan_view_loop(view);
    int32_t n = 0;
    for (int32_t a = 0; a < loop->n_args; a++) {
        const mplan_plan_arg *arg = &loop->args[a];
        bool seen = arg->map < 0 || (!reading && arg->access == MPLAN_READ);
        for (int32_t k = 0; k < n && !seen; k++)
            seen = maps[k] == arg->map;
        if (!seen)
            maps[n++] = arg->map;
    }
    return n;
}

/* One of the two orders of a set. */
static const int32_t *order_of(const mplan_plan *plan, mplan_kind kind, int32_t set)
{
    return mplan_plan_data(plan, mplan_key_of_set(kind, set), MPLAN_TYPE_I32, NULL);
}

/* Offsets of the view's blocks, the sequence or NULL, and which places are holes.
 * offsets: n_blocks + 1; sequence: the stored element of each position; old: -1 in holes. All are borrowed. */
typedef struct cut {
    int64_t n_blocks;
    const int64_t *offsets;
    const int32_t *sequence, *old;
} cut;

/* Views of the plan's arrays. */
static cut cut_of(const mplan_view *view)
{
    const mplan_plan *plan = view->plan;
    const mplan_plan_block_set *blocks = &plan->block_sets[view->block_set];
    mplan_key key = mplan_key_of_block_set(MPLAN_KIND_BLOCK_OFFSETS, view->block_set);
    cut c = {blocks->n_blocks, mplan_plan_data(plan, key, MPLAN_TYPE_I64, NULL), NULL,
             order_of(plan, MPLAN_KIND_OLD_OF_NEW, blocks->set)};
    key.kind = MPLAN_KIND_BLOCK_SEQUENCE;
    if (blocks->sequence)
        c.sequence = mplan_plan_data(plan, key, MPLAN_TYPE_I32, NULL);
    return c;
}

/* The element at a position, -1 in holes. */
static int32_t element_at(const cut *c, int64_t position)
{
    int32_t element = c->sequence ? c->sequence[position] : (int32_t)position;
    return c->old[element] < 0 ? -1 : element;
}

/* One per block; the caller's. Holes do not count. */
int64_t *mplan_report_block_sizes(const mplan_view *view, mplan_error *err)
{
    const cut c = cut_of(view);
    int64_t *sizes = mplan_alloc_zero(c.n_blocks, sizeof *sizes, err);
    for (int64_t b = 0; sizes && b < c.n_blocks; b++)
        for (int64_t p = c.offsets[b]; p < c.offsets[b + 1]; p++)
            sizes[b] += element_at(&c, p) >= 0;
    return sizes;
}

/* Points that each block touches, of the metrics' set; one per block, the caller's. */
int64_t *mplan_report_block_points(const mplan_view *view, const mplan_block_metrics *metrics,
                                   mplan_error *err)
{
    const int64_t n = view->plan->block_sets[metrics->block_set].n_blocks;
    const int64_t *offsets = mplan_plan_data(view->plan,
                                             mplan_key_of_block_points(MPLAN_KIND_BLOCK_POINT_OFFSETS,
                                                                       metrics->block_set,
                                                                       metrics->loop, metrics->set),
                                             MPLAN_TYPE_I64, NULL);
    int64_t *points = mplan_alloc(n, sizeof *points, err);
    for (int64_t b = 0; points && b < n; b++)
        points[b] = offsets[b + 1] - offsets[b];
    return points;
}

/* --- warnings ---------------------------------------------------------------------------------- */

/* Opens the list at the first finding; the caller closes it where there was one. */
static void begin_finding(mplan_findings *to)
{
    mplan_page_print(to->page, "%s<li>", to->n++ == 0 ? "<div class=\"warnings\">\n<ul>\n" : "");
}

/* A whole item of the list; the rest are a format and its values, as of mplan_page_print. */
#define FINDING(to, ...)                           \
    do {                                           \
        begin_finding(to);                         \
        mplan_page_print((to)->page, __VA_ARGS__); \
        mplan_page_print((to)->page, "</li>\n");   \
    } while (0)

/* NaN where b is 0. */
static double ratio(double a, double b)
{
    return b > 0 ? a / b : (double)NAN;
}

/* "Set NAME: " and a sentence. */
static void find_set(mplan_findings *to, const mplan_plan_set *set, const char *what, double value)
{
    begin_finding(to);
    mplan_page_print(to->page, "Set ");
    mplan_page_text(to->page, set->name);
    mplan_page_print(to->page, ": %.2f ", value);
    mplan_page_print(to->page, "%s</li>\n", what);
}

/* Findings about orders. */
void mplan_report_judge_sets(mplan_findings *to, const mplan_plan *plan)
{
    for (int32_t s = 0; s < plan->n_sets; s++) {
        const mplan_plan_set *set = &plan->sets[s];
        double places = ratio((double)set->storage_size, (double)set->size);
        if (places > 1.05)
            find_set(to, set,
                     "places for each member. Dats need that much more memory, and holes are read "
                     "with them.",
                     places);
        if (set->profile[0] > 0 && set->profile[2] > 8 * set->profile[0])
            find_set(to, set,
                     "times the profile of the input order: neighbours are further apart than "
                     "in the input.",
                     (double)set->profile[2] / (double)set->profile[0]);
    }
}

/* Sizes and fill.
 * Fill is judged only where the elements fill 200 blocks: in small sets one block that is not full says little. */
static void judge_blocks(mplan_findings *to, const mplan_view *view)
{
    const mplan_plan_block_set *blocks = &view->plan->block_sets[view->block_set];
    const int64_t n = view->plan->sets[blocks->set].size;
    const double mean = ratio((double)n, (double)blocks->n_blocks);
    if (blocks->n_blocks > 1 && (double)blocks->block_max > 1.1 * mean)
        FINDING(to,
                "Imbalance: the largest block has %.2f times the elements of the mean block (%" PRId64
                " and %.1f). Smaller blocks leave threads idle.",
                (double)blocks->block_max / mean, blocks->block_max, mean);
    double fill = ratio(mean, blocks->block_limit);
    if (n >= 200 * (int64_t)blocks->block_limit && fill < 0.95)
        FINDING(to, "Blocks are filled to %.1f%% of their limit of %d elements.", 100 * fill,
                (int)blocks->block_limit);
}

/* Reuse against its bound, and shared points.
 * A comparison with NaN is false, so that without a bound the mean over all points is taken in its place. */
static void judge_points(mplan_findings *to, const mplan_view *view, const double *reuse_bounds)
{
    for (int32_t i = 0; i < view->plan->n_metrics; i++) {
        const mplan_block_metrics *m = &view->plan->metrics[i];
        if (m->loop != view->loop || m->block_set != view->block_set || m->pairs == 0)
            continue;
        const int64_t points = view->plan->sets[m->set].size;
        double reuse = ratio((double)m->entries, (double)m->pairs);
        double best = ratio((double)m->entries, (double)points);
        if (reuse_bounds[i] > 0 && reuse < 0.75 * reuse_bounds[i])
            FINDING(to,
                    "Low reuse: %.2f entries for each point that a block loads; blocks of the "
                    "best shape reach %.2f (<code>--partitioner native</code>).",
                    reuse, reuse_bounds[i]);
        else if (!(reuse_bounds[i] > 0) && best > 1.5 && reuse < 0.45 * best)
            FINDING(to,
                    "Low reuse: %.2f entries for each point that a block loads, of %.2f entries "
                    "per point. Larger blocks, <code>--partitioner native</code> or a better "
                    "input order increase it.",
                    reuse, best);
        double lines = ratio((double)m->lines, (double)m->lines_ideal);
        if (lines > 1.25)
            FINDING(to,
                    "Point order: blocks load %.2f times as many 32-byte lines as their points "
                    "would fill (<code>--point-order lines</code> packs them).",
                    lines);
    }
}

/* Against their bounds.
 * A bound of -1 belongs to colours that the variant does not have, which are 0: nothing is said of them. */
static void judge_colours(mplan_findings *to, const mplan_view *view,
                          const mplan_variant_bounds *bounds)
{
    const mplan_plan_variant *variant = mplan_view_variant(view);
    const int64_t blocks = view->block_set < 0 ? 0 : view->plan->block_sets[view->block_set].n_blocks;
    if (variant->block_colours > 2 * bounds->block_colours + 2)
        FINDING(to,
                "Many colours: %" PRId64
                " block colours, each one launch; the lower bound is %" PRId64 ".",
                variant->block_colours, bounds->block_colours);
    mplan_device device;
    for (int32_t d = 0; mplan_device_get(d, &device) == MPLAN_OK; d++)
        if (strcmp(device.name, variant->device) == 0 && variant->block_colours > 0 &&
            ratio((double)blocks, (double)variant->block_colours) < device.processors)
            FINDING(to,
                    "Small launches: %.1f blocks per launch on average, for the %d "
                    "multiprocessors of the %s.",
                    ratio((double)blocks, (double)variant->block_colours), (int)device.processors,
                    device.name);
    double mean = ratio((double)variant->thread_colours_total, (double)blocks);
    double least = ratio((double)bounds->thread_colours_total, (double)blocks);
    if (variant->thread_colours_total > 0 && mean > 1.5 * least)
        FINDING(to, "Thread colours: %.2f on average; the lower bound is %.2f.", mean, least);
    if (variant->global_colours > bounds->global_colours + bounds->global_colours / 2 + 2)
        FINDING(to,
                "Many colours: %" PRId64
                " global colours, each one launch; the lower bound is %" PRId64 ".",
                variant->global_colours, bounds->global_colours);
    if (!variant->deterministic)
        FINDING(to, "Sums have no fixed order: the results of two runs may differ in their last "
                    "bits.");
}

/* Findings about blocks, points and colours of one variant; bounds: its own, reuse_bounds: one
 * per metrics record. */
void mplan_report_judge(mplan_findings *to, const mplan_view *view,
                        const mplan_variant_bounds *bounds, const double *reuse_bounds)
{
    if (view->block_set >= 0) {
        judge_blocks(to, view);
        judge_points(to, view, reuse_bounds);
    }
    judge_colours(to, view, bounds);
}
