/* SPDX-License-Identifier: Apache-2.0 */
/* levels.c - rooted level structures, ends of a pseudo-diameter, two structures in one
 *
 * N. E. Gibbs, W. G. Poole, P. K. Stockmeyer, SIAM J. Numer. Anal. 13 (1976),
 * algorithms I and II; J. G. Lewis, ACM Trans. Math. Softw. 8 (1982). Deviations,
 * which bound the work where a last level has thousands of vertices:
 * - algorithm I tries every vertex of the last level. Here it is one vertex of
 *   each degree, at most MAX_CANDIDATES, lowest degree first, and a search ends
 *   where it gets as wide as the best;
 * - the other end moves at most MAX_MOVES times (two or three are usual). */
#include "order/levels.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "base/sort.h"
#include "order/components.h"

enum { MAX_CANDIDATES = 4, MAX_MOVES = 6 };

/* level: one entry per vertex; queue: the vertices in the order in which they are met; first:
 * where each level begins in queue, at most n levels and the end. Empty after a failure. */
mplan_status mplan_levels_create(int64_t n, mplan_levels *levels, mplan_error *err)
{
    assert(levels && n >= 0);
    *levels = (mplan_levels){0};
    levels->level = mplan_alloc(n, sizeof *levels->level, err);
    levels->queue = mplan_alloc(n, sizeof *levels->queue, err);
    levels->first = mplan_alloc(n + 1, sizeof *levels->first, err);
    if (levels->level && levels->queue && levels->first)
        return MPLAN_OK;
    mplan_levels_free(levels);
    return MPLAN_ERR_MEMORY;
}

void mplan_levels_free(mplan_levels *levels)
{
    assert(levels);
    free(levels->level);
    free(levels->queue);
    free(levels->first);
    memset(levels, 0, sizeof *levels);
}

/* A breadth-first search. queue holds the vertices in the order in which they are met,
 * first[i] where level i begins. `limit` bounds the size of a level, not its depth. */
bool mplan_levels_search(const mplan_csr *graph, const int32_t *root, int64_t n_root, int64_t limit,
                         mplan_levels *levels)
{
    assert(graph && root && n_root > 0 && levels && levels->level && levels->queue && levels->first);
    int32_t *level = levels->level, *queue = levels->queue, now = 0;
    memset(level, 0xff, (size_t)graph->n * sizeof *level); /* -1: not seen */
    for (int64_t i = 0; i < n_root; i++) {
        queue[i] = root[i];
        level[root[i]] = 0;
    }
    if (levels->spread)
        mplan_spread_start(levels->spread, graph->n);
    int64_t begin = 0, end = n_root;
    levels->width = levels->squares = 0;
    levels->first[0] = 0;
    while (end > begin) {
        int64_t found = end, size = end - begin;
        if (size > limit)
            return false;
        levels->width = size > levels->width ? size : levels->width;
        levels->squares += size * size;
        levels->first[++now] = (int32_t)end;
        const int64_t shared = mplan_spread_step(levels->spread, graph, queue, begin, end, level,
                                                 now);
        for (int64_t i = begin; i < end && shared < 0; i++) {
            int32_t v = queue[i];
            for (int64_t k = graph->offsets[v]; k < graph->offsets[v + 1]; k++) {
                int32_t w = graph->neighbours[k];
                if (level[w] < 0) {
                    level[w] = now;
                    queue[found++] = w;
                }
            }
        }
        found = shared < 0 ? found : shared;
        begin = end;
        end = found;
    }
    assert(end == graph->n);
    levels->depth = now - 1;
    return true;
}

/* Of a rooted structure, whose queue and first are filled; borrowed. */
const int32_t *mplan_levels_last(const mplan_levels *levels, int64_t *n)
{
    assert(levels && n);
    *n = levels->first[levels->depth + 1] - levels->first[levels->depth];
    return levels->queue + levels->first[levels->depth];
}

/* --- algorithm I: ends --------------------------------------------------------------- */

/* One vertex for each of the lowest degrees of a list, by degree. */
static int32_t shrink(const mplan_csr *graph, const int32_t *list, int64_t n, int32_t *candidate)
{
    int32_t found = 0;
    for (int64_t i = 0; i < n; i++) {
        int64_t degree = mplan_degree(graph, list[i]);
        int32_t at = 0;
        while (at < found && mplan_degree(graph, candidate[at]) < degree)
            at++;
        if (at == MAX_CANDIDATES || (at < found && mplan_degree(graph, candidate[at]) == degree))
            continue;
        found += found < MAX_CANDIDATES;
        for (int32_t k = found - 1; k > at; k--)
            candidate[k] = candidate[k - 1];
        candidate[at] = list[i];
    }
    return found;
}

/* A vertex of lowest degree; of several the one furthest behind, which the
 * search that numbered the component found late. */
static int32_t lowest_degree(const mplan_csr *graph)
{
    int32_t best = 0;
    for (int64_t v = 1; v < graph->n; v++)
        if (mplan_degree(graph, (int32_t)v) <= mplan_degree(graph, best))
            best = (int32_t)v;
    return best;
}

/* Exchanges what the two own. */
static void swap_levels(mplan_levels *a, mplan_levels *b)
{
    mplan_levels swap = *a;
    *a = *b;
    *b = swap;
}

/* Looks at the far side of `a` for a root of a deeper structure (then `a`
 * becomes that one and true is returned), else makes `b` the narrowest. */
static bool move_end(const mplan_csr *graph, mplan_levels *a, mplan_levels *b, mplan_levels *spare)
{
    int32_t candidate[MAX_CANDIDATES];
    int64_t n, limit = graph->n;
    const int32_t *last = mplan_levels_last(a, &n);
    int32_t n_candidates = shrink(graph, last, n, candidate);
    for (int32_t c = 0; c < n_candidates; c++) {
        if (!mplan_levels_search(graph, &candidate[c], 1, limit, spare))
            continue;
        if (spare->depth > a->depth) {
            swap_levels(a, spare);
            return true;
        }
        swap_levels(b, spare);
        limit = b->width - 1;
    }
    return false;
}

void mplan_levels_start(const mplan_csr *graph, mplan_levels *levels)
{
    assert(graph && levels);
    int32_t start = lowest_degree(graph);
    mplan_levels_search(graph, &start, 1, graph->n, levels);
}

/* Moves the end of the structure until it becomes neither deeper nor narrower. After
 * MAX_MOVES the last candidate is taken as it is. */
mplan_status mplan_levels_ends(const mplan_csr *graph, mplan_levels *a, mplan_levels *b,
                               mplan_levels *spare, const mplan_context *context, mplan_error *err)
{
    assert(graph && a && b && spare);
    for (int32_t moves = 0; moves < MAX_MOVES; moves++) {
        if (mplan_interrupted(context, err))
            return MPLAN_ERR_INTERRUPTED;
        if (!move_end(graph, a, b, spare))
            return MPLAN_OK;
    }
    /* out of patience: the depths may differ now */
    int64_t n;
    const int32_t *last = mplan_levels_last(a, &n);
    int32_t candidate[MAX_CANDIDATES];
    shrink(graph, last, n, candidate);
    mplan_levels_search(graph, &candidate[0], 1, graph->n, b);
    return MPLAN_OK;
}

/* --- algorithm II: two structures in one --------------------------------------------- */

typedef struct combination {
    const mplan_csr *graph;
    const mplan_levels *a, *b;
    mplan_levels *out;
    int64_t *size;   /* depth + 1: vertices that have their level */
    int64_t *size_a; /* depth + 1: of the piece at hand, by a */
    int64_t *size_b;
    uint64_t *pieces; /* n: size, inverted, and place; then first in the queue */
} combination;

/* Level by the structure from the far end, counted from the near one. */
static int32_t level_b(const combination *c, int32_t v)
{
    return c->b->depth - c->b->level[v];
}

/* Vertices on which both agree get their level; -1 to others. Returns their number. */
static int64_t fix_agreed(combination *c)
{
    int64_t fixed = 0;
    for (int64_t v = 0; v < c->graph->n; v++) {
        int32_t level = c->a->level[v];
        bool agreed = level == level_b(c, (int32_t)v);
        c->out->level[v] = agreed ? level : -1;
        c->size[level] += agreed;
        fixed += agreed;
    }
    return fixed;
}

/* The connected pieces of what is left, one behind the other in the queue.
 * While they are collected their vertices are at level -2. */
static int64_t find_pieces(combination *c)
{
    const mplan_csr *graph = c->graph;
    int32_t *level = c->out->level, *queue = c->out->queue;
    int64_t found = 0, n = 0;
    for (int64_t s = 0; s < graph->n; s++) {
        if (level[s] != -1)
            continue;
        int64_t begin = found;
        queue[found++] = (int32_t)s;
        level[s] = -2;
        for (int64_t i = begin; i < found; i++) {
            int32_t v = queue[i];
            for (int64_t k = graph->offsets[v]; k < graph->offsets[v + 1]; k++) {
                int32_t w = graph->neighbours[k];
                if (level[w] == -1) {
                    level[w] = -2;
                    queue[found++] = w;
                }
            }
        }
        c->out->first[n] = (int32_t)begin;
        c->pieces[n] = (uint64_t)(UINT32_MAX - (uint32_t)(found - begin)) << 32 | (uint64_t)n;
        n++;
    }
    c->out->first[n] = (int32_t)found;
    return n;
}

/* Puts one piece on the levels of a or b, whichever leaves the narrower
 * structure where it adds to a level. */
static void place_piece(combination *c, int64_t begin, int64_t end)
{
    const int32_t *queue = c->out->queue;
    int64_t widest_a = 0, widest_b = 0;
    for (int64_t i = begin; i < end; i++) {
        int32_t in_a = c->a->level[queue[i]], in_b = level_b(c, queue[i]);
        int64_t now_a = c->size[in_a] + ++c->size_a[in_a];
        int64_t now_b = c->size[in_b] + ++c->size_b[in_b];
        widest_a = now_a > widest_a ? now_a : widest_a;
        widest_b = now_b > widest_b ? now_b : widest_b;
    }
    bool by_a = widest_a != widest_b ? widest_a < widest_b : c->a->width <= c->b->width;
    for (int64_t i = begin; i < end; i++) {
        int32_t v = queue[i], in_a = c->a->level[v], in_b = level_b(c, v);
        c->size_a[in_a] = 0;
        c->size_b[in_b] = 0;
        c->out->level[v] = by_a ? in_a : in_b;
        c->size[c->out->level[v]]++;
    }
}

/* Vertices on whose level both structures agree keep it. The others form connected
 * pieces, which take their levels from the structure that makes the levels smaller, the
 * largest piece first (Gibbs, Poole, Stockmeyer, SIAM J. Numer. Anal. 13, 1976). */
mplan_status mplan_levels_combine(const mplan_csr *graph, const mplan_levels *a,
                                  const mplan_levels *b, mplan_levels *out, mplan_error *err)
{
    assert(graph && a && b && out && a->depth == b->depth);
    int64_t n_levels = (int64_t)a->depth + 1;
    combination c = {graph, a, b, out, NULL, NULL, NULL, NULL};
    mplan_status status = MPLAN_ERR_MEMORY;
    c.size = mplan_alloc_zero(n_levels, sizeof *c.size, err);
    c.size_a = mplan_alloc_zero(n_levels, sizeof *c.size_a, err);
    c.size_b = mplan_alloc_zero(n_levels, sizeof *c.size_b, err);
    if (!c.size || !c.size_a || !c.size_b)
        goto done;
    c.pieces = mplan_alloc(graph->n - fix_agreed(&c), sizeof *c.pieces, err);
    if (!c.pieces)
        goto done;
    int64_t n = find_pieces(&c);
    mplan_sort_u64(c.pieces, n);
    for (int64_t i = 0; i < n; i++) {
        int64_t p = (int64_t)(c.pieces[i] & UINT32_MAX);
        place_piece(&c, out->first[p], out->first[p + 1]);
    }
    out->depth = a->depth;
    out->width = out->squares = 0;
    for (int64_t i = 0; i < n_levels; i++) {
        out->width = c.size[i] > out->width ? c.size[i] : out->width;
        out->squares += c.size[i] * c.size[i];
    }
    status = MPLAN_OK;
done:
    free(c.size);
    free(c.size_a);
    free(c.size_b);
    free(c.pieces);
    return status;
}
