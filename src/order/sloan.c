/* SPDX-License-Identifier: Apache-2.0 */
/* sloan.c - Sloan's numbering for small profile and wavefront
 *
 * S. W. Sloan, Int. J. Numer. Methods Eng. 23 (1986) and 28 (1989), with a binary
 * heap and the two pairs of weights of G. Kumfert, A. Pothen, BIT 37 (1997), and
 * J. K. Reid, J. A. Scott, Int. J. Numer. Methods Eng. 45 (1999): the next vertex
 * is one near the front of the highest priority W1 x distance from the end that
 * comes last - W2 x the number of vertices that it would bring into the front.
 * Ties go to the vertex that came near the front first. Deviations:
 * - distance is the level in the structure that Gibbs-Poole-Stockmeyer would
 *   number (layering.c), not that from one vertex: fronts are as narrow;
 * - (W1, W2) = (1, 2) is tried from both ends, (16, 1) from the better one; the
 *   smallest profile stays, read forwards or backwards.
 *
 * What that brings (tools/bench/ablation and 15 real files, profile with / without): the other end 1 to 2 % less on 4 of the
 * files, 8 % on one (4.54 / 4.93 million), 1.6 % on faces of a boundary layer, nothing on triangles and tets; (16, 1) nothing on
 * meshes, but 10 % on the matrix bcsstk13 (423 / 467 thousand), for up to 14 % of the time of planning. */
#include <assert.h>
#include <stdlib.h>

#include "base/error.h"
#include "base/memory.h"
#include "order/components.h"
#include "order/layering.h"
#include "order/order.h"

typedef struct weights {
    int64_t distance, growth;
} weights;
static const weights balanced = {1, 2}, by_distance = {16, 1};

enum { CHECK_INTERVAL = 1 << 20 };

/* A vertex is preactive when a neighbour is active, active when it or a
 * neighbour has a number: active vertices without a number are the front. */
typedef enum vertex_state { INACTIVE, PREACTIVE, ACTIVE, NUMBERED } vertex_state;

typedef struct sloan {
    const mplan_csr *graph;
    uint8_t *state;    /* n: vertex_state */
    int64_t *priority; /* n */
    int32_t *stamp;    /* n: when it entered the heap */
    int32_t *at;       /* n: place in the heap */
    int32_t *heap;     /* n: highest priority at 0 */
    int64_t n_heap;
    int32_t entered; /* so far */
} sloan;

/* --- the queue ----------------------------------------------------------------------- */

/* Higher priority first, then who entered first. */
static bool before(const sloan *s, int32_t v, int32_t w)
{
    if (s->priority[v] != s->priority[w])
        return s->priority[v] > s->priority[w];
    return s->stamp[v] < s->stamp[w];
}

/* Moves vertex v towards the top of the heap until its parent goes before it. heap:
 * vertices; at[v]: place of v in the heap. */
static void rise(sloan *s, int32_t v)
{
    int64_t i = s->at[v];
    while (i > 0 && before(s, v, s->heap[(i - 1) / 2])) {
        s->heap[i] = s->heap[(i - 1) / 2];
        s->at[s->heap[i]] = (int32_t)i;
        i = (i - 1) / 2;
    }
    s->heap[i] = v;
    s->at[v] = (int32_t)i;
}

/* Enters v at the end of the heap. stamp[v] is the time of entry: of equal priorities
 * the oldest goes first. */
static void push(sloan *s, int32_t v)
{
    s->stamp[v] = s->entered++;
    s->at[v] = (int32_t)s->n_heap;
    s->heap[s->n_heap++] = v;
    rise(s, v);
}

/* Takes the vertex that goes before all others; the heap must not be empty. */
static int32_t pop(sloan *s)
{
    int32_t top = s->heap[0], v = s->heap[--s->n_heap];
    int64_t i = 0;
    for (;;) {
        int64_t child = 2 * i + 1;
        if (child >= s->n_heap)
            break;
        if (child + 1 < s->n_heap && before(s, s->heap[child + 1], s->heap[child]))
            child++;
        if (before(s, v, s->heap[child]))
            break;
        s->heap[i] = s->heap[child];
        s->at[s->heap[i]] = (int32_t)i;
        i = child;
    }
    if (s->n_heap > 0) {
        s->heap[i] = v;
        s->at[v] = (int32_t)i;
    }
    return top;
}

/* --- the numbering ------------------------------------------------------------------- */

/* One vertex fewer that w would bring into the front; w joins the queue if it is new. */
static void lift(sloan *s, int32_t w, int64_t growth)
{
    if (s->state[w] == NUMBERED)
        return;
    s->priority[w] += growth;
    if (s->state[w] != INACTIVE) {
        rise(s, w);
        return;
    }
    s->state[w] = PREACTIVE;
    push(s, w);
}

/* v enters the front: it no longer counts for its neighbours. */
static void activate(sloan *s, int32_t v, int64_t growth)
{
    s->state[v] = ACTIVE;
    for (int64_t k = s->graph->offsets[v]; k < s->graph->offsets[v + 1]; k++)
        lift(s, s->graph->neighbours[k], growth);
}

/* Numbers v, the vertex of highest priority, and makes its neighbours active. */
static void number(sloan *s, int32_t v, int64_t growth)
{
    const mplan_csr *graph = s->graph;
    if (s->state[v] == PREACTIVE)
        for (int64_t k = graph->offsets[v]; k < graph->offsets[v + 1]; k++)
            lift(s, graph->neighbours[k], growth);
    s->state[v] = NUMBERED;
    for (int64_t k = graph->offsets[v]; k < graph->offsets[v + 1]; k++) {
        int32_t w = graph->neighbours[k];
        if (s->state[w] != PREACTIVE)
            continue;
        s->priority[w] += growth;
        rise(s, w);
        activate(s, w, growth);
    }
}

/* A vertex of lowest degree in level 0, or in the last level. */
static int32_t find_start(const mplan_csr *graph, const mplan_layering *layers, bool from_last)
{
    int32_t end = from_last ? layers->depth : 0, start = -1;
    for (int64_t v = 0; v < graph->n; v++)
        if (layers->level[v] == end &&
            (start < 0 || mplan_degree(graph, (int32_t)v) < mplan_degree(graph, start)))
            start = (int32_t)v;
    return start;
}

/* One run of Sloan's method with the given weights: priority = distance to the other
 * end x by.distance - growth of the front x by.growth. sequence: out, the vertices by
 * number. from_last: the level structure is read from its last level. */
static mplan_status number_all(sloan *s, const mplan_layering *layers, bool from_last, weights by,
                               int32_t *sequence, const mplan_context *context, mplan_error *err)
{
    const mplan_csr *graph = s->graph;
    for (int64_t v = 0; v < graph->n; v++) {
        int64_t distance = from_last ? layers->level[v] : layers->depth - layers->level[v];
        s->state[v] = INACTIVE;
        s->priority[v] = by.distance * distance - by.growth * (mplan_degree(graph, (int32_t)v) + 1);
    }
    int32_t start = find_start(graph, layers, from_last);
    s->n_heap = s->entered = 0;
    s->state[start] = PREACTIVE;
    push(s, start);
    int64_t found = 0;
    while (s->n_heap > 0) {
        int32_t v = pop(s);
        sequence[found++] = v;
        number(s, v, by.growth);
        if (found % CHECK_INTERVAL == 0 && mplan_interrupted(context, err))
            return MPLAN_ERR_INTERRUPTED;
    }
    assert(found == graph->n);
    return MPLAN_OK;
}

typedef struct trial {
    int32_t *sequence; /* n */
    bool from_last;    /* it starts in the last level */
    bool reversed;     /* the profile is that of the sequence read backwards */
    int64_t profile;
} trial;

/* Profile of t->sequence or of its reverse, whichever is smaller. place: scratch, one
 * per vertex. */
static void measure(const mplan_csr *graph, int32_t *place, trial *t)
{
    int64_t below = 0, above = 0;
    for (int64_t i = 0; i < graph->n; i++)
        place[t->sequence[i]] = (int32_t)i;
    for (int64_t v = 0; v < graph->n; v++) {
        int32_t low = place[v], high = low;
        for (int64_t k = graph->offsets[v]; k < graph->offsets[v + 1]; k++) {
            int32_t p = place[graph->neighbours[k]];
            low = p < low ? p : low;
            high = p > high ? p : high;
        }
        below += place[v] - low;
        above += high - place[v];
    }
    t->reversed = above < below;
    t->profile = t->reversed ? above : below;
}

/* Numbers from one end; swaps with `best` what is better. */
static mplan_status attempt(sloan *s, const mplan_layering *layers, bool from_last, weights by,
                            trial *now, trial *best, const mplan_context *context, mplan_error *err)
{
    mplan_status status = number_all(s, layers, from_last, by, now->sequence, context, err);
    if (status)
        return status;
    measure(s->graph, s->at, now); /* the heap is empty: its places are free */
    now->from_last = from_last;
    if (best->profile >= 0 && now->profile >= best->profile)
        return MPLAN_OK;
    trial swap = *best;
    *best = *now;
    *now = swap;
    return MPLAN_OK;
}

/* --- components ---------------------------------------------------------------------- */

/* What was made is released by sloan_free, also after a failure. */
static mplan_status sloan_create(const mplan_csr *graph, sloan *s, mplan_error *err)
{
    *s = (sloan){.graph = graph};
    s->state = mplan_alloc(graph->n, sizeof *s->state, err);
    s->priority = mplan_alloc(graph->n, sizeof *s->priority, err);
    s->stamp = mplan_alloc(graph->n, sizeof *s->stamp, err);
    s->at = mplan_alloc(graph->n, sizeof *s->at, err);
    s->heap = mplan_alloc(graph->n, sizeof *s->heap, err);
    bool complete = s->state && s->priority && s->stamp && s->at && s->heap;
    return complete ? MPLAN_OK : MPLAN_ERR_MEMORY;
}

static void sloan_free(sloan *s)
{
    free(s->state);
    free(s->priority);
    free(s->stamp);
    free(s->at);
    free(s->heap);
}

/* place[i]: number of vertex i of the component. */
static mplan_status order_component(const mplan_csr *graph, int32_t *place,
                                    const mplan_context *context, mplan_error *err)
{
    sloan s = {0};
    trial best = {.profile = -1}, now = {.profile = -1};
    mplan_layering layers;
    mplan_status status = mplan_layering_choose(graph, &layers, context, err);
    if (status)
        return status;
    best.sequence = mplan_alloc(graph->n, sizeof *best.sequence, err);
    now.sequence = mplan_alloc(graph->n, sizeof *now.sequence, err);
    status = MPLAN_ERR_MEMORY;
    if (!best.sequence || !now.sequence || sloan_create(graph, &s, err))
        goto done;
    status = attempt(&s, &layers, false, balanced, &now, &best, context, err);
    if (!status && !layers.even)
        status = attempt(&s, &layers, true, balanced, &now, &best, context, err);
    if (!status)
        status = attempt(&s, &layers, best.from_last, by_distance, &now, &best, context, err);
    for (int64_t i = 0; !status && i < graph->n; i++)
        place[best.sequence[i]] = (int32_t)(best.reversed ? graph->n - 1 - i : i);
done:
    mplan_layering_free(&layers);
    sloan_free(&s);
    free(best.sequence);
    free(now.sequence);
    return status;
}

/* Components one after the other, each with its own level structure; a component of one
 * vertex needs none. */
mplan_status mplan_order_sloan(const mplan_csr *graph, int32_t *new_of_old,
                               const mplan_context *context, mplan_error *err)
{
    assert(graph && new_of_old);
    mplan_components parts;
    mplan_status status = mplan_components_make(graph, NULL, 0, &parts, mplan_team_of(context), err);
    if (status)
        return status;
    int32_t *place = mplan_alloc_zero(parts.largest, sizeof *place, err);
    status = place ? MPLAN_OK : MPLAN_ERR_MEMORY;
    for (int64_t c = 0; !status && c < parts.n; c++) {
        int64_t begin = parts.first[c];
        mplan_csr component = mplan_component(&parts, c);
        place[0] = 0;
        if (component.n > 1)
            status = order_component(&component, place, context, err);
        for (int64_t i = 0; !status && i < component.n; i++)
            new_of_old[parts.member[begin + i]] = (int32_t)(begin + place[i]);
    }
    free(place);
    mplan_components_free(&parts);
    return status;
}
