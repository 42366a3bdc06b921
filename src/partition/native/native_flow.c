/* SPDX-License-Identifier: Apache-2.0 */
/* native_flow.c - a pair of blocks cut anew along a cheapest border
 *
 * What lies far from the border at hand stays where it is. Between these two ends, the fewest points that both sides touch
 * are a minimum vertex cut, which a maximum flow finds: it runs from element to element through their common points, and a
 * point lets one unit through (E. Lawler, Networks 3, 1973). Shortest ways are filled phase by phase (E. Dinic, Soviet Math.
 * Doklady 11, 1970). The cheapest border seldom halves the pair: the smaller side then takes what it reaches, and one element
 * more, until the sizes fit or the border costs more than it may (FlowCutter: M. Hamann, B. Strasser, ACM JEA 23, 2018; for
 * hypergraphs L. Gottesbüren, M. Hamann, D. Wagner, ESA 2019).
 *
 * A point through which flow runs knows the element that it comes from and the one that it goes to. An element reaches through a
 * point: all others of it where none runs; all where the flow goes to this element itself, as that can be turned elsewhere; else
 * only the one that the flow comes from, which can be sent back. The search from the sinks is the same with from and to exchanged. */
#include "partition/native/native_flow.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"

/* What an element is: between the ends, a source, a sink, or behind them */
enum { FREE = 0, SOURCE = 1, SINK = 2, BURIED = 3 };
/* of 100 elements of a side, how many may change it at most; an element that the other end reaches as well is dearer than any depth */
enum { MOVABLE = 60, DEAR = 1 << 16, NONE = -1 };

/* A search of one end: forwards from the sources (way 0), backwards from the sinks (way 1). */
typedef struct flow_search {
    int32_t *first, n_first;   /* elements that it begins at */
    int32_t *queue, head, end; /* elements that it reached */
    int32_t *seen;             /* of each element: the last search that reached it */
    int32_t *met; /* of each point: twice the last search that met it, and 1 more where all of it is reached */
    int32_t *full, n_full; /* points that were met and not reached wholly */
    int32_t now;           /* number of this search */
    int32_t buried, taken; /* elements behind its end; of the queue, those that are ends */
} flow_search;

typedef struct flow_step {
    int32_t element, point; /* and the point that leads on from it */
} flow_step;

struct native_flow {
    uint8_t *kind;  /* of each element */
    uint8_t *depth; /* of each: steps from the border at hand */
    int32_t *level; /* of each: steps to the sinks, as of the last search backwards */
    int32_t *arc,
        *member; /* of each: the entry of its row that is tried next, and the place at that point */
    int32_t *link[2]; /* of each point: the element that flow comes from, and the one that it goes to; NONE */
    uint8_t *used; /* of each point: on the way at hand */
    flow_step *step;
    flow_search search[2];
};

void mplan_native_flow_free(native_flow *flow)
{
    assert(flow);
    void *const owned[] = {flow->kind,    flow->depth,   flow->level, flow->arc, flow->member,
                           flow->link[0], flow->link[1], flow->used,  flow->step};
    for (size_t i = 0; i < sizeof owned / sizeof *owned; i++)
        free(owned[i]);
    for (int32_t way = 0; way < 2; way++) {
        const flow_search *s = &flow->search[way];
        void *const lists[] = {s->first, s->queue, s->seen, s->met, s->full};
        for (size_t i = 0; i < sizeof lists / sizeof *lists; i++)
            free(lists[i]);
    }
    free(flow);
}

/* Room for 2 S elements and as many points as a pair may have. */
native_flow *mplan_native_flow_create(const native_pair *pair, mplan_error *err)
{
    assert(pair);
    int64_t elements = 2 * (int64_t)pair->cut->block_size, points = 2 * elements * pair->longest;
    native_flow *flow = mplan_alloc_zero(1, sizeof *flow, err);
    if (!flow)
        return NULL;
    flow->kind = mplan_alloc(elements, sizeof *flow->kind, err);
    flow->depth = mplan_alloc(elements, sizeof *flow->depth, err);
    flow->level = mplan_alloc_zero(elements, sizeof *flow->level, err);
    flow->arc = mplan_alloc(elements, sizeof *flow->arc, err);
    flow->member = mplan_alloc(elements, sizeof *flow->member, err);
    flow->used = mplan_alloc_zero(points, sizeof *flow->used, err);
    flow->step = mplan_alloc(elements, sizeof *flow->step, err);
    bool all = flow->kind && flow->depth && flow->level && flow->arc && flow->member &&
               flow->used && flow->step;
    for (int32_t way = 0; way < 2; way++) {
        flow_search *s = &flow->search[way];
        flow->link[way] = mplan_alloc(points, sizeof *flow->link[way], err);
        s->first = mplan_alloc(elements, sizeof *s->first, err);
        s->queue = mplan_alloc(elements, sizeof *s->queue, err);
        s->seen = mplan_alloc_zero(elements, sizeof *s->seen, err);
        s->met = mplan_alloc_zero(points, sizeof *s->met, err);
        s->full = mplan_alloc(points, sizeof *s->full, err);
        all = all && flow->link[way] && s->first && s->queue && s->seen && s->met && s->full;
    }
    if (!all) {
        mplan_native_flow_free(flow);
        return NULL;
    }
    return flow;
}

/* --- ends -------------------------------------------------------------------------------------------------------- */

/* Elements of one side, layer by layer from the points that both sides touch, are free, as many whole layers as MOVABLE allows,
 * but one at least; the layer behind them is the side's end, and all else stays buried. False where nothing is left for an end.
 * queue, used: scratch. */
static bool choose_end(native_pair *pair, int32_t side)
{
    native_flow *flow = pair->flow;
    flow_search *s = &flow->search[side];
    int32_t *queue = s->queue, n = 0, begin = 0, depth = 0, *points = s->full, n_points = 0;
    int32_t most = (int32_t)((int64_t)pair->size[side] * MOVABLE / 100);
    for (int32_t p = 0; p < pair->n_points; p++)
        if (pair->points[p].count[0] > 0 && pair->points[p].count[1] > 0)
            points[n_points++] = p;
    s->n_first = 0;
    s->buried = pair->size[side];
    for (int32_t done = 0; n_points > done || begin < n; depth++) {
        for (; done < n_points; done++) {
            const pair_point *point = &pair->points[points[done]];
            flow->used[points[done]] = 1;
            for (int32_t i = point->begin; i < point->end; i++) {
                int32_t e = pair->touch[i];
                if (flow->kind[e] != BURIED || pair->elements[e].side != side)
                    continue;
                flow->kind[e] = FREE;
                flow->depth[e] = (uint8_t)depth;
                queue[n++] = e;
            }
        }
        bool ends = depth > 0 && (n > most || depth == UINT8_MAX);
        s->buried = pair->size[side] - n;
        for (; begin < n; begin++) {
            const pair_element *element = &pair->elements[queue[begin]];
            if (ends) {
                flow->kind[queue[begin]] = side ? SINK : SOURCE;
                s->first[s->n_first++] = queue[begin];
            }
            for (int32_t k = element->row; k < element->row + element->length && !ends; k++)
                if (!flow->used[pair->rows[k]]) {
                    flow->used[pair->rows[k]] = 1;
                    points[n_points++] = pair->rows[k];
                }
        }
        if (ends)
            break;
    }
    for (int32_t i = 0; i < n_points; i++)
        flow->used[points[i]] = 0;
    return s->n_first > 0;
}

/* --- searches ------------------------------------------------------------------------------------------------------ */

static inline bool is_reached(const flow_search *s, int32_t e)
{
    return s->seen[e] == s->now;
}

static inline void reach(native_flow *flow, flow_search *s, int32_t e, int32_t level)
{
    if (s->seen[e] == s->now || flow->kind[e] == BURIED)
        return;
    s->seen[e] = s->now;
    if (s == &flow->search[1])
        flow->level[e] = level;
    s->queue[s->end++] = e;
}

static void begin_search(native_flow *flow, int32_t way)
{
    flow_search *s = &flow->search[way];
    s->now++;
    s->head = s->end = s->n_full = s->taken = 0;
    for (int32_t i = 0; i < s->n_first; i++)
        reach(flow, s, s->first[i], 0);
}

/* What element e reaches through its points. */
static void search_from(native_pair *pair, int32_t way, int32_t e)
{
    native_flow *flow = pair->flow;
    flow_search *s = &flow->search[way];
    const int32_t *ahead = flow->link[way], *back = flow->link[1 - way];
    const pair_element *element = &pair->elements[e];
    int32_t level = flow->level[e] + 1, part = 2 * s->now, whole = part + 1;
    for (int32_t k = element->row; k < element->row + element->length; k++) {
        int32_t p = pair->rows[k];
        const pair_point *point = &pair->points[p];
        if (s->met[p] == whole || point->weight == 0)
            continue;
        if (ahead[p] == NONE || back[p] == e) {
            s->met[p] = whole;
            for (int32_t i = point->begin; i < point->end; i++)
                reach(flow, s, pair->touch[i], level);
        } else if (s->met[p] != part) {
            s->met[p] = part;
            s->full[s->n_full++] = p;
            reach(flow, s, ahead[p], level);
        }
    }
}

/* Goes on with a search until all is reached; whether the other end was met, behind which it does not look. */
static bool search_on(native_pair *pair, int32_t way)
{
    native_flow *flow = pair->flow;
    flow_search *s = &flow->search[way];
    bool met = false;
    while (s->head < s->end) {
        int32_t e = s->queue[s->head++];
        if (flow->kind[e] == (way ? SOURCE : SINK))
            met = true;
        else
            search_from(pair, way, e);
    }
    return met;
}

/* --- flow ---------------------------------------------------------------------------------------------------------- */

/* The next element a level nearer to the sinks, of those that e reaches from its arc on; NONE. */
static int32_t next_element(native_pair *pair, int32_t e)
{
    native_flow *flow = pair->flow;
    const flow_search *s = &flow->search[1];
    const pair_element *element = &pair->elements[e];
    int32_t level = flow->level[e] - 1;
    for (; flow->arc[e] < element->length; flow->arc[e]++, flow->member[e] = 0) {
        int32_t p = pair->rows[element->row + flow->arc[e]];
        const pair_point *point = &pair->points[p];
        int32_t from = flow->link[0][p];
        if ((from == NONE && flow->used[p]) || point->weight == 0)
            continue;
        if (from == NONE || flow->link[1][p] == e) {
            for (int32_t n = point->end - point->begin; flow->member[e] < n; flow->member[e]++) {
                int32_t to = pair->touch[point->begin + flow->member[e]];
                if (is_reached(s, to) && flow->level[to] == level)
                    return to;
            }
        } else if (flow->member[e] == 0 && is_reached(s, from) && flow->level[from] == level) {
            return from;
        }
    }
    return NONE;
}

/* One unit more from an element to another through a point. */
static void push_through(native_flow *flow, int32_t e, int32_t p, int32_t to)
{
    if (flow->link[0][p] == NONE) {
        flow->link[0][p] = e;
        flow->link[1][p] = to;
    } else if (flow->link[1][p] == e && flow->link[0][p] == to) {
        flow->link[0][p] = flow->link[1][p] = NONE;
    } else if (flow->link[1][p] == e) {
        flow->link[1][p] = to;
    } else {
        assert(flow->link[0][p] == to);
        flow->link[0][p] = e;
    }
}

/* Fills ways from one source to sinks, each step a level nearer, until none is left; how many. No way uses a point
 * twice through which nothing runs. */
static int32_t send_from(native_pair *pair, int32_t source)
{
    native_flow *flow = pair->flow;
    flow_step *step = flow->step;
    int32_t length = 0, sent = 0, e = source;
    for (;;) {
        if (flow->kind[e] == SINK) {
            for (int32_t i = 0; i < length; i++) {
                push_through(flow, step[i].element, step[i].point,
                             i + 1 < length ? step[i + 1].element : e);
                flow->used[step[i].point] = 0;
            }
            sent++;
            length = 0;
            e = source;
            continue;
        }
        int32_t to = next_element(pair, e);
        if (to != NONE) {
            int32_t p = pair->rows[pair->elements[e].row + flow->arc[e]];
            step[length++] = (flow_step){e, p};
            flow->used[p] = 1;
            e = to;
        } else if (length > 0) {
            e = step[--length].element;
            flow->used[step[length].point] = 0;
            flow->member[e]++;
        } else {
            return sent;
        }
    }
}

/* Sends what can be sent, phase by phase; false where it comes to more than `most`. The last search backwards then holds what
 * reaches the sinks. */
static bool send(native_pair *pair, int32_t most, int32_t *sent)
{
    native_flow *flow = pair->flow;
    const flow_search *sources = &flow->search[0], *sinks = &flow->search[1];
    for (;;) {
        begin_search(flow, 1);
        if (!search_on(pair, 1))
            return true;
        for (int32_t i = 0; i < sinks->end; i++)
            flow->arc[sinks->queue[i]] = flow->member[sinks->queue[i]] = 0;
        int32_t before = *sent;
        for (int32_t i = 0; i < sources->n_first && *sent <= most; i++)
            if (is_reached(sinks, sources->first[i]))
                *sent += send_from(pair, sources->first[i]);
        assert(*sent > before);
        if (*sent > most)
            return false;
    }
}

/* --- sizes ----------------------------------------------------------------------------------------------------------- */

/* Of the elements behind what a search reached: one that the other end does not reach, if there is any, as the border then costs
 * no more; of these the one that lies furthest on its own side of the border at hand. NONE: there is none. */
static int32_t find_next(native_pair *pair, int32_t way)
{
    native_flow *flow = pair->flow;
    flow_search *s = &flow->search[way];
    int32_t best = NONE, least = INT32_MAX, kept = 0;
    for (int32_t m = 0; m < s->n_full; m++) {
        const pair_point *point = &pair->points[s->full[m]];
        if (s->met[s->full[m]] == 2 * s->now + 1)
            continue;
        s->full[kept++] = s->full[m];
        for (int32_t i = point->begin; i < point->end; i++) {
            int32_t e = pair->touch[i];
            if (flow->kind[e] != FREE || is_reached(s, e))
                continue;
            int32_t price = pair->elements[e].side == way ? -flow->depth[e] : flow->depth[e] + 1;
            price += is_reached(&flow->search[1 - way], e) ? DEAR : 0;
            if (price < least || (price == least && e < best)) {
                least = price;
                best = e;
            }
        }
    }
    s->n_full = kept;
    return best;
}

/* The element becomes one of the end of `way`. */
static void add_to_end(native_flow *flow, int32_t way, int32_t e)
{
    flow_search *s = &flow->search[way];
    flow->kind[e] = way ? SINK : SOURCE;
    s->first[s->n_first++] = e;
}

/* The smaller end takes all that it reaches, and an element more. Whether the border may cost more now; *found: false where none
 * is left. */
static bool grow_end(native_pair *pair, bool *found)
{
    native_flow *flow = pair->flow;
    int32_t reached[2];
    for (int32_t way = 0; way < 2; way++)
        reached[way] = flow->search[way].buried + flow->search[way].end;
    int32_t way = reached[1] < reached[0];
    flow_search *s = &flow->search[way];
    for (; s->taken < s->end; s->taken++)
        if (flow->kind[s->queue[s->taken]] == FREE)
            add_to_end(flow, way, s->queue[s->taken]);
    int32_t e = find_next(pair, way);
    *found = e != NONE;
    if (e == NONE)
        return false;
    add_to_end(flow, way, e);
    if (is_reached(&flow->search[1 - way], e))
        return true;
    reach(flow, s, e, 0);
    search_on(pair, way);
    return false;
}

/* Takes the side that one end reaches, where both sides keep the size. */
static bool take_side(native_pair *pair)
{
    const native_flow *flow = pair->flow;
    int32_t size = pair->cut->block_size;
    for (int32_t way = 0; way < 2; way++) {
        const flow_search *s = &flow->search[way];
        int32_t n = s->buried + s->end;
        if (n > size || pair->n - n > size)
            continue;
        for (int32_t e = 0; e < pair->n; e++)
            if (flow->kind[e] != BURIED)
                pair->elements[e].side = (uint8_t)(is_reached(s, e) ? way : 1 - way);
        return true;
    }
    return false;
}

/* Ends grow until the sizes fit; each growth takes an element at least. */
bool mplan_native_flow_split(native_pair *pair, int32_t most)
{
    assert(pair && pair->flow && most >= 0 && pair->size[0] + pair->size[1] == pair->n);
    native_flow *flow = pair->flow;
    int32_t sent = 0;
    memset(flow->kind, BURIED, (size_t)pair->n);
    if (!choose_end(pair, 0) || !choose_end(pair, 1))
        return false;
    for (int32_t way = 0; way < 2; way++)
        memset(flow->link[way], 0xff, (size_t)pair->n_points * sizeof *flow->link[way]);
    bool found = true;
    while (found && send(pair, most, &sent)) {
        begin_search(flow, 0);
        search_on(pair, 0);
        for (bool costs = false; found && !costs;) {
            if (take_side(pair))
                return true;
            costs = grow_end(pair, &found);
        }
    }
    return false;
}
