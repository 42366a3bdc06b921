/* SPDX-License-Identifier: Apache-2.0 */
/* bisect_refine.c - moves between two sides of a graph that save cut edges
 *
 * C. M. Fiduccia and R. M. Mattheyses, 19th Design Automation Conference (1982): each vertex moves at most once a pass, the
 * best one first, also where that costs something; the pass ends some moves behind its best state, and goes back
 * to that. Heaps hold only vertices at the border, as in METIS. Only the first pass looks at all vertices: what a pass
 * has in its heaps or moves is all that the next one can find at the border. */
#include "partition/bisect_refine.h"

#include <assert.h>
#include <stdlib.h>

#include "base/memory.h"

/* A pass goes so many moves, or a hundredth of the vertices, beyond its best state. */
enum { LEAST_TRIES = 64, MOST_TRIES = 400 };
enum { PIECE = 1 << 14 }; /* vertices that a thread looks at */
enum { AT_BORDER = -2, NOWHERE = -1 };

/* Vertices of one side by what their move saves, the most first, the lower number of equals. */
typedef struct heap {
    int64_t n;
    int32_t *item;
} heap;

typedef struct refining {
    const mplan_weighted *graph;
    mplan_sides *sides;
    int64_t *gain;  /* of a move: weight of the edges that are cut less those that are not */
    int64_t *place; /* in the heap of its side; NOWHERE: it is in none */
    bool *moved;
    heap heaps[2];
    int32_t *log; /* moves of the pass; before it, what may be at the border */
    int64_t n_log;
    int64_t off; /* weight of side 0 less what is due */
} refining;

/* --- heaps ------------------------------------------------------------------------------ */

static bool is_before(const refining *r, int32_t a, int32_t b)
{
    return r->gain[a] > r->gain[b] || (r->gain[a] == r->gain[b] && a < b);
}

static void put(refining *r, heap *h, int64_t at, int32_t v)
{
    h->item[at] = v;
    r->place[v] = at;
}

static void lift(refining *r, heap *h, int64_t at)
{
    const int32_t v = h->item[at];
    while (at > 0 && is_before(r, v, h->item[(at - 1) / 2])) {
        put(r, h, at, h->item[(at - 1) / 2]);
        at = (at - 1) / 2;
    }
    put(r, h, at, v);
}

static void sink(refining *r, heap *h, int64_t at)
{
    const int32_t v = h->item[at];
    for (int64_t child; (child = 2 * at + 1) < h->n; at = child) {
        if (child + 1 < h->n && is_before(r, h->item[child + 1], h->item[child]))
            child++;
        if (!is_before(r, h->item[child], v))
            break;
        put(r, h, at, h->item[child]);
    }
    put(r, h, at, v);
}

static void insert(refining *r, int32_t v)
{
    heap *h = &r->heaps[r->sides->side[v]];
    put(r, h, h->n++, v);
    lift(r, h, h->n - 1);
}

static void take_out(refining *r, int32_t v)
{
    heap *h = &r->heaps[r->sides->side[v]];
    const int64_t at = r->place[v];
    const int32_t last = h->item[--h->n];
    r->place[v] = NOWHERE;
    if (last == v)
        return;
    put(r, h, at, last);
    lift(r, h, at);
    sink(r, h, r->place[last]);
}

/* --- a pass ------------------------------------------------------------------------------- */

static int64_t size_of(int64_t number)
{
    return number < 0 ? -number : number;
}

int64_t mplan_sides_off(const mplan_weighted *graph, const mplan_sides *sides)
{
    assert(graph && sides);
    int64_t off = -sides->due;
    for (int64_t v = 0; v < graph->n; v++)
        off += sides->side[v] == 0 ? graph->weight[v] : 0;
    return size_of(off);
}

/* Gains of some vertices, and which of them are at the border; returns the weight of their cut edges. */
static int64_t look_at(void *data, int thread, int64_t begin, int64_t end)
{
    refining *r = data;
    const mplan_weighted *g = r->graph;
    const uint8_t *side = r->sides->side;
    int64_t cut = 0;
    (void)thread;
    for (int64_t v = begin; v < end; v++) {
        int64_t outside = 0, inside = 0;
        for (int64_t i = g->offsets[v]; i < g->offsets[v + 1]; i++)
            *(side[g->neighbours[i]] == side[v] ? &inside : &outside) += g->edge[i];
        r->gain[v] = outside - inside;
        r->moved[v] = v >= g->n - r->sides->fixed;
        r->place[v] = !r->moved[v] && (outside > 0 || g->offsets[v] == g->offsets[v + 1]) ? AT_BORDER
                                                                                          : NOWHERE;
        cut += outside;
    }
    return cut;
}

/* Weight of some vertices on side 0. */
static int64_t weigh(void *data, int thread, int64_t begin, int64_t end)
{
    const refining *r = data;
    int64_t weight = 0;
    (void)thread;
    for (int64_t v = begin; v < end; v++)
        weight += r->sides->side[v] == 0 ? r->graph->weight[v] : 0;
    return weight;
}

/* Gains of all vertices, the cut, and those at the border in their heaps. */
static void begin_first(refining *r, mplan_team *team)
{
    const int64_t n = r->graph->n;
    r->heaps[0].n = r->heaps[1].n = 0;
    r->sides->cut = mplan_for_sum(team, n, PIECE, look_at, r) / 2;
    r->off = mplan_for_sum(team, n, PIECE, weigh, r) - r->sides->due;
    for (int64_t v = 0; v < n; v++)
        if (r->place[v] == AT_BORDER)
            insert(r, (int32_t)v);
}

/* The same for a later pass: gains, cut and weights are kept. */
static void begin_later(refining *r)
{
    const mplan_weighted *g = r->graph;
    int64_t n = r->n_log;
    for (int which = 0; which < 2; which++) {
        for (int64_t i = 0; i < r->heaps[which].n; i++)
            r->log[n++] = r->heaps[which].item[i];
        r->heaps[which].n = 0;
    }
    for (int64_t k = 0; k < n; k++) {
        r->place[r->log[k]] = NOWHERE;
        r->moved[r->log[k]] = false;
    }
    for (int64_t k = 0; k < n; k++) {
        const int32_t v = r->log[k];
        bool border = g->offsets[v] == g->offsets[v + 1];
        for (int64_t i = g->offsets[v]; i < g->offsets[v + 1] && !border; i++)
            border = r->sides->side[g->neighbours[i]] != r->sides->side[v];
        if (border)
            insert(r, v);
    }
}

/* The side to move from: the heavier one where sides are off by more than the slack, else the one whose best move saves
 * more and does not make them so by more than that vertex. -1: no move is left. */
static int choose_side(const refining *r)
{
    const heap *h = r->heaps;
    if (r->off > r->sides->slack || h[1].n == 0)
        return h[0].n > 0 && r->off > -r->sides->slack ? 0 : -1;
    if (r->off < -r->sides->slack || h[0].n == 0)
        return h[1].n > 0 && r->off < r->sides->slack + 1 ? 1 : -1;
    const int32_t a = h[0].item[0], b = h[1].item[0];
    if (r->gain[a] != r->gain[b])
        return r->gain[a] > r->gain[b] ? 0 : 1;
    return r->off > 0 ? 0 : 1;
}

/* To the other side, or back. Gains of its neighbours are not changed. */
static void change_side(refining *r, int32_t v)
{
    r->off += r->sides->side[v] == 0 ? -r->graph->weight[v] : r->graph->weight[v];
    r->sides->cut -= r->gain[v];
    r->sides->side[v] ^= 1;
    r->gain[v] = -r->gain[v];
}

/* The gain of the neighbour along an edge of a vertex that has changed its side. */
static int32_t change_gain(refining *r, int32_t v, int64_t edge)
{
    const int32_t w = r->graph->neighbours[edge];
    const int64_t twice = 2 * (int64_t)r->graph->edge[edge];
    r->gain[w] += r->sides->side[w] == r->sides->side[v] ? -twice : twice;
    return w;
}

/* Neighbours that a moved vertex meets or leaves behind come to their heaps, or to other places there. */
static void move(refining *r, int32_t v)
{
    const int64_t *offsets = r->graph->offsets;
    change_side(r, v);
    for (int64_t i = offsets[v]; i < offsets[v + 1]; i++) {
        const int32_t w = change_gain(r, v, i);
        if (r->moved[w])
            continue;
        if (r->place[w] < 0) {
            insert(r, w);
        } else {
            heap *h = &r->heaps[r->sides->side[w]];
            lift(r, h, r->place[w]);
            sink(r, h, r->place[w]);
        }
    }
}

static void take_back(refining *r, int32_t v)
{
    change_side(r, v);
    for (int64_t i = r->graph->offsets[v]; i < r->graph->offsets[v + 1]; i++)
        change_gain(r, v, i);
}

/* What is beyond the slack, which comes first, then the cut. */
static bool is_better(const refining *r, int64_t beyond, int64_t cut)
{
    const int64_t own = size_of(r->off) - r->sides->slack;
    const int64_t now = own > 0 ? own : 0;
    return now < beyond || (now == beyond && r->sides->cut < cut);
}

/* Whether the pass, which has begun, made something better. */
static bool run_pass(refining *r)
{
    int64_t beyond = size_of(r->off) - r->sides->slack, cut = r->sides->cut, n = 0, best = 0;
    const int64_t tries = r->graph->n / 100 < LEAST_TRIES  ? LEAST_TRIES
                          : r->graph->n / 100 > MOST_TRIES ? MOST_TRIES
                                                           : r->graph->n / 100;
    beyond = beyond > 0 ? beyond : 0;
    for (int from; n - best <= tries && (from = choose_side(r)) >= 0;) {
        const int32_t v = r->heaps[from].item[0];
        take_out(r, v);
        r->moved[v] = true;
        move(r, v);
        r->log[n++] = v;
        if (is_better(r, beyond, cut)) {
            const int64_t own = size_of(r->off) - r->sides->slack;
            beyond = own > 0 ? own : 0;
            cut = r->sides->cut;
            best = n;
        }
    }
    r->n_log = n;
    for (int64_t i = n - 1; i >= best; i--)
        take_back(r, r->log[i]);
    assert(r->sides->cut == cut);
    return best > 0;
}

mplan_status mplan_sides_refine(const mplan_weighted *graph, int32_t passes, mplan_sides *sides,
                                mplan_team *team, mplan_error *err)
{
    assert(graph && sides && sides->side);
    refining r = {.graph = graph,
                  .sides = sides,
                  .gain = mplan_alloc(graph->n, sizeof *r.gain, err),
                  .place = mplan_alloc(graph->n, sizeof *r.place, err),
                  .moved = mplan_alloc(graph->n, sizeof *r.moved, err),
                  .log = mplan_alloc(graph->n, sizeof *r.log, err)};
    for (int i = 0; i < 2; i++)
        r.heaps[i].item = mplan_alloc(graph->n, sizeof *r.heaps[i].item, err);
    const bool ready = r.gain && r.place && r.moved && r.log && r.heaps[0].item && r.heaps[1].item;
    bool better = true;
    for (int32_t i = 0; i < passes && ready && better; i++) {
        if (i == 0)
            begin_first(&r, team);
        else
            begin_later(&r);
        better = run_pass(&r);
    }
    free(r.gain);
    free(r.place);
    free(r.moved);
    free(r.log);
    free(r.heaps[0].item);
    free(r.heaps[1].item);
    return ready ? MPLAN_OK : MPLAN_ERR_MEMORY;
}
