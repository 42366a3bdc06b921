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
 * meshes, but 10 % on the matrix bcsstk13 (423 / 467 thousand), for up to 14 % of the time of planning.
 *
 * A numbering is the work of one thread: each vertex changes what comes next. By threads: both ends, and where there are four threads
 * both weights from both, are tried beside each other, and judged as if one came after the other; and so are components. */
#include <assert.h>
#include <stdlib.h>

#include "base/error.h"
#include "base/memory.h"
#include "base/threads.h"
#include "order/components.h"
#include "order/layering.h"
#include "order/order.h"

typedef struct weights {
    int64_t distance, growth;
} weights;
static const weights balanced = {1, 2}, by_distance = {16, 1};

enum { CHECK_INTERVAL = 1 << 20, MANY = 1 << 15, WAYS = 4 };

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

/* Numbers from one end; t->sequence is made here unless it is there. scratch: of an attempt before, or NULL. */
static mplan_status attempt(const mplan_csr *graph, sloan *scratch, const mplan_layering *layers,
                            weights by, trial *t, const mplan_context *context, mplan_error *err)
{
    sloan own = {0}, *s = scratch ? scratch : &own;
    mplan_status status = MPLAN_OK;
    if (!t->sequence)
        t->sequence = mplan_alloc(graph->n, sizeof *t->sequence, err);
    if (!t->sequence || (!s->graph && sloan_create(graph, s, err)))
        status = MPLAN_ERR_MEMORY;
    if (!status)
        status = number_all(s, layers, t->from_last, by, t->sequence, context, err);
    if (!status)
        measure(graph, s->at, t); /* the heap is empty: its places are free */
    sloan_free(&own);
    return status;
}

/* Exchanges the two where `now` has the smaller profile. */
static void keep_better(trial *now, trial *best)
{
    if (now->profile >= best->profile)
        return;
    trial swap = *best;
    *best = *now;
    *now = swap;
}

/* One attempt after the other. best->sequence is made, also where it fails. */
static mplan_status try_in_turn(const mplan_csr *graph, const mplan_layering *layers, trial *best,
                                const mplan_context *context, mplan_error *err)
{
    sloan s = {0};
    trial now = {0};
    mplan_status status = attempt(graph, &s, layers, balanced, best, context, err);
    if (!status && !layers->even) {
        now.from_last = true;
        status = attempt(graph, &s, layers, balanced, &now, context, err);
        if (!status)
            keep_better(&now, best);
    }
    now.from_last = best->from_last;
    if (!status)
        status = attempt(graph, &s, layers, by_distance, &now, context, err);
    if (!status)
        keep_better(&now, best);
    sloan_free(&s);
    free(now.sequence);
    return status;
}

/* Attempts side by side: balanced from either end, then by distance. */
typedef struct side_by_side {
    const mplan_csr *graph;
    const mplan_layering *layers;
    int32_t n, way[WAYS]; /* of those that are made now */
    trial trials[WAYS];
    int32_t status[WAYS];
    mplan_ask ask;
} side_by_side;

static void try_some(void *data, int thread, int64_t begin, int64_t end)
{
    side_by_side *all = data;
    mplan_asker asker;
    mplan_ask_by(&all->ask, thread, &asker);
    for (int64_t i = begin; i < end; i++) {
        const int32_t way = all->way[i];
        all->trials[way].from_last = way % 2;
        all->status[way] = (int32_t)attempt(all->graph, NULL, all->layers,
                                            way < 2 ? balanced : by_distance, &all->trials[way],
                                            &asker.context, NULL);
    }
}

/* Runs ways list[0] ... list[n - 1] at the same time. */
static mplan_status try_ways(side_by_side *all, int32_t n, const int32_t *list,
                             const mplan_context *context, mplan_error *err)
{
    mplan_status status = MPLAN_OK;
    for (int32_t i = 0; i < n; i++)
        all->way[i] = list[i];
    mplan_for(mplan_team_of(context), n, 1, try_some, all);
    for (int32_t i = 0; i < n && !status; i++)
        status = (mplan_status)all->status[list[i]];
    if (status == MPLAN_ERR_MEMORY)
        return mplan_fail(err, status, "out of memory for an order of %lld points",
                          (long long)all->graph->n);
    return status ? mplan_fail(err, status, "interrupted") : mplan_interrupted(context, err);
}

/* The trial that try_in_turn finds. With less than four threads the last attempt waits for what the first ones say. */
static mplan_status try_beside(const mplan_csr *graph, const mplan_layering *layers, trial *best,
                               const mplan_context *context, mplan_error *err)
{
    static const int32_t first[WAYS] = {0, 1, 2, 3}, even[2] = {0, 2};
    const bool all_at_once = mplan_team_threads(mplan_team_of(context)) >= WAYS;
    side_by_side all = {.graph = graph, .layers = layers, .ask.context = context};
    mplan_status status = layers->even ? try_ways(&all, 2, even, context, err)
                                       : try_ways(&all, all_at_once ? WAYS : 2, first, context, err);
    if (!status && !layers->even)
        keep_better(&all.trials[1], &all.trials[0]);
    const int32_t last = 2 + all.trials[0].from_last;
    if (!status && !all.trials[last].sequence)
        status = try_ways(&all, 1, &last, context, err);
    if (!status)
        keep_better(&all.trials[last], &all.trials[0]);
    *best = all.trials[0];
    for (int32_t way = 1; way < WAYS; way++)
        free(all.trials[way].sequence);
    return status;
}

/* --- components ---------------------------------------------------------------------- */

/* place[i]: number of vertex i of the component. */
static mplan_status order_component(const mplan_csr *graph, int32_t *place,
                                    const mplan_context *context, mplan_error *err)
{
    mplan_team *team = mplan_team_of(context);
    const bool beside = mplan_team_threads(team) > 1 && (graph->n >= MANY || team->pieces > 0);
    trial best = {0};
    mplan_layering layers;
    mplan_status status = mplan_layering_choose(graph, &layers, context, err);
    if (status)
        return status;
    status = (beside ? try_beside : try_in_turn)(graph, &layers, &best, context, err);
    for (int64_t i = 0; !status && i < graph->n; i++)
        place[best.sequence[i]] = (int32_t)(best.reversed ? graph->n - 1 - i : i);
    mplan_layering_free(&layers);
    free(best.sequence);
    return status;
}

/* What is done component by component. */
typedef struct numbering {
    const mplan_components *parts;
    int32_t *new_of_old;
} numbering;

/* A component of one vertex needs no structure. */
static mplan_status order_one(void *data, int64_t c, const mplan_context *context, mplan_error *err)
{
    const numbering *all = data;
    const int64_t begin = all->parts->first[c];
    const mplan_csr component = mplan_component(all->parts, c);
    const int32_t *member = all->parts->member + begin;
    if (component.n == 1) {
        all->new_of_old[*member] = (int32_t)begin;
        return MPLAN_OK;
    }
    int32_t *place = mplan_alloc(component.n, sizeof *place, err);
    mplan_status status = place ? order_component(&component, place, context, err) : MPLAN_ERR_MEMORY;
    for (int64_t i = 0; !status && i < component.n; i++)
        all->new_of_old[member[i]] = (int32_t)(begin + place[i]);
    free(place);
    return status;
}

/* Each component with its own level structure. */
mplan_status mplan_order_sloan(const mplan_csr *graph, int32_t *new_of_old,
                               const mplan_context *context, mplan_error *err)
{
    assert(graph && new_of_old);
    mplan_components parts;
    mplan_status status = mplan_components_make(graph, NULL, 0, &parts, mplan_team_of(context), err);
    numbering all = {&parts, new_of_old};
    if (!status)
        status = mplan_components_each(&parts, order_one, &all, context, err);
    mplan_components_free(&parts);
    return status;
}
