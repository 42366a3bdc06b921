/* SPDX-License-Identifier: Apache-2.0 */
/* layering.c - of several level structures, the one to number
 *
 * Structures rooted at the ends of a pseudo-diameter, and their combination, are
 * those of Gibbs, Poole and Stockmeyer (levels.c). Structures rooted at a whole
 * last level are ours: on a grid of cells that join all their nodes, distances
 * from a corner grow in shells of twice the bandwidth of the natural order, and
 * two opposite corners agree on nothing but the diagonal; from a vertex inside a
 * face the last level is the opposite face, and distances from that face are the
 * layers of the grid. Where these are all of one size nothing else is looked at.
 * The best has the smallest width x sum of squared level sizes, which is near
 * bandwidth x profile.
 *
 * What whole sides bring (tools/bench/ablation, 150,000 cells): hexes to nodes bandwidth 2,971 in place of 7,344, profile 459 in
 * place of 700 million; tets to nodes profile 16.4 in place of 17.9 million; nothing on faces and in the plane. */
#include "order/layering.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "order/components.h"
#include "order/levels.h"

/* All levels are of one size: no structure of this depth is narrower. */
static bool is_even(const mplan_csr *graph, const mplan_levels *levels)
{
    return levels->width * (levels->depth + 1) == graph->n;
}

/* Keeps the structure if the product of its width and the sum of squared level sizes is
 * the smallest so far: the first bounds the bandwidth, the second follows the profile. */
static void consider(const mplan_csr *graph, const mplan_levels *levels, mplan_layering *best)
{
    double now = (double)levels->width * (double)levels->squares;
    if (best->width > 0 && now >= (double)best->width * (double)best->squares)
        return;
    memcpy(best->level, levels->level, (size_t)graph->n * sizeof *best->level);
    best->depth = levels->depth;
    best->width = levels->width;
    best->squares = levels->squares;
    best->even = is_even(graph, levels);
}

/* Both structures and, where they have equal depth and neither is even, what combines
 * them. */
static mplan_status consider_both(const mplan_csr *graph, const mplan_levels *a,
                                  const mplan_levels *b, mplan_levels *spare, mplan_layering *best,
                                  mplan_error *err)
{
    consider(graph, a, best);
    consider(graph, b, best);
    if (a->depth != b->depth || is_even(graph, a) || is_even(graph, b))
        return MPLAN_OK;
    mplan_status status = mplan_levels_combine(graph, a, b, spare, err);
    if (!status)
        consider(graph, spare, best);
    return status;
}

/* The vertex of highest degree among list[0] ... list[n - 1], n > 0; the first one of
 * several. */
static int32_t highest_degree(const mplan_csr *graph, const int32_t *list, int64_t n)
{
    int32_t best = list[0];
    for (int64_t i = 1; i < n; i++)
        if (mplan_degree(graph, list[i]) > mplan_degree(graph, best))
            best = list[i];
    return best;
}

/* Width up to which a structure may still be better, combined if not by itself. */
static int64_t slack(const mplan_layering *best)
{
    return best->width + best->width / 4;
}

/* The whole level furthest from a vertex. */
typedef struct far_side {
    int32_t start; /* root of the structure in whose last level that vertex lies */
    int32_t *list;
    int64_t n; /* 0: not known */
} far_side;

/* The last level of the structure rooted at a vertex as deep inside the last level
 * of `a` as degrees tell, unless that has fewer than `least` of them. `b` becomes that
 * structure, which it may be already. */
static mplan_status find_far_side(const mplan_csr *graph, const mplan_levels *a, mplan_levels *b,
                                  bool b_is_rooted, int64_t least, far_side *far, mplan_error *err)
{
    int64_t n;
    const int32_t *last = mplan_levels_last(a, &n);
    if (far->n > 0 && far->start == a->queue[0])
        return MPLAN_OK;
    far->n = 0;
    if (n < least)
        return MPLAN_OK;
    int32_t inside = highest_degree(graph, last, n);
    if (!b_is_rooted || b->queue[0] != inside)
        mplan_levels_search(graph, &inside, 1, graph->n, b);
    last = mplan_levels_last(b, &n);
    free(far->list);
    far->list = mplan_alloc(n, sizeof *far->list, err);
    if (!far->list)
        return MPLAN_ERR_MEMORY;
    memcpy(far->list, last, (size_t)n * sizeof *far->list);
    far->start = a->queue[0];
    far->n = n;
    return MPLAN_OK;
}

/* Whether the structure rooted at the far side, as deep as `a`, has levels of one
 * size; then it is the best. The size of the far side tells nearly always. */
static bool is_grid(const mplan_csr *graph, const mplan_levels *a, const far_side *far,
                    mplan_levels *spare, mplan_layering *best)
{
    if (far->n == 0 || far->n * ((int64_t)a->depth + 1) != graph->n ||
        !mplan_levels_search(graph, far->list, far->n, far->n, spare))
        return false;
    consider(graph, spare, best);
    return best->even;
}

/* Roots that are whole last levels: first the far side, then the last level of
 * the structure that this one gives. */
static mplan_status consider_sets(const mplan_csr *graph, const far_side *far, mplan_levels *a,
                                  mplan_levels *b, mplan_levels *spare, mplan_layering *best,
                                  mplan_error *err)
{
    if (far->n == 0 || !mplan_levels_search(graph, far->list, far->n, slack(best), a))
        return MPLAN_OK;
    consider(graph, a, best);
    int64_t n;
    const int32_t *last = mplan_levels_last(a, &n);
    if (is_even(graph, a) || !mplan_levels_search(graph, last, n, slack(best), b))
        return MPLAN_OK;
    return consider_both(graph, a, b, spare, best, err);
}

/* Searches from the ends of a pseudo-diameter, and from sets. */
static mplan_status consider_ends(const mplan_csr *graph, far_side *far, mplan_levels *a,
                                  mplan_levels *b, mplan_levels *spare, mplan_layering *best,
                                  const mplan_context *context, mplan_error *err)
{
    mplan_status status = mplan_levels_ends(graph, a, b, spare, context, err);
    if (!status)
        status = consider_both(graph, a, b, spare, best, err);
    if (!status)
        status = mplan_interrupted(context, err);
    if (!status)
        status = find_far_side(graph, a, b, true, 2, far, err);
    if (!status)
        status = consider_sets(graph, far, a, b, spare, best, err);
    return status;
}

/* best->level: one per vertex, owned by *best also after a failure. The far side of the
 * graph is searched first: on a grid a level structure that starts at a whole side has
 * levels of equal size. Otherwise the structures of a pseudo-diameter compete. */
mplan_status mplan_layering_choose(const mplan_csr *graph, mplan_layering *best,
                                   const mplan_context *context, mplan_error *err)
{
    assert(graph && best);
    *best = (mplan_layering){.level = mplan_alloc(graph->n, sizeof *best->level, err)};
    mplan_levels a = {0}, b = {0}, spare = {0};
    far_side far = {0};
    mplan_status status = MPLAN_ERR_MEMORY;
    if (!best->level || mplan_levels_create(graph->n, &a, err) ||
        mplan_levels_create(graph->n, &b, err) || mplan_levels_create(graph->n, &spare, err))
        goto done;
    mplan_levels_start(graph, &a);
    /* of a grid whose cells join all their nodes, the last level is a face at least */
    int64_t layer = graph->n / ((int64_t)a.depth + 1);
    status = find_far_side(graph, &a, &b, false, layer > 2 ? layer : 2, &far, err);
    if (!status && !is_grid(graph, &a, &far, &spare, best))
        status = consider_ends(graph, &far, &a, &b, &spare, best, context, err);
done:
    free(far.list);
    mplan_levels_free(&a);
    mplan_levels_free(&b);
    mplan_levels_free(&spare);
    if (status)
        mplan_layering_free(best);
    return status;
}

void mplan_layering_free(mplan_layering *layering)
{
    assert(layering);
    free(layering->level);
    memset(layering, 0, sizeof *layering);
}
