/* SPDX-License-Identifier: Apache-2.0 */
/* native_flow.c - a pair of blocks cut anew along a cheapest border
 *
 * What lies far from the border at hand stays where it is. Between these two ends, the fewest points that both sides touch
 * are a minimum vertex cut, which a maximum flow finds: it runs from element to element through their common points, and a
 * point lets one unit through (E. Lawler, Networks 3, 1973). Ways that cross the border at hand once are filled first, layer by
 * layer; then shortest ways, phase by phase (E. Dinic, Soviet Math. Doklady 11, 1970). The cheapest border seldom halves the
 * pair: the smaller side then takes what it reaches, and one element more, until the sizes fit or the border costs more than it
 * may (FlowCutter: M. Hamann, B. Strasser, ACM JEA 23, 2018; for hypergraphs L. Gottesbüren, M. Hamann, D. Wagner, ESA 2019).
 *
 * A point through which flow runs knows the element that it comes from and the one that it goes to. An element reaches through a
 * point: all others of it where none runs; all where the flow goes to this element itself, as that can be turned elsewhere; else
 * only the one that the flow comes from, which can be sent back. The search from the sinks is the same with from and to exchanged.
 *
 * A search is closed: no way leads out of what it reached. So an element that one end takes, and the other reaches, is the
 * only one through which more can be sent: along the way on which it was reached, then on further ones until it is not reached any
 * more. What the taking end had reached stays as it is. Which flow was found makes no difference to what is reached in the end. */
#include "partition/native/native_flow.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"

/* What an element is: between the ends, of the sources, of the sinks, or behind them */
enum { FREE = 0, SOURCE = 1, SINK = 2, BURIED = 3 };
/* of 100 elements of a side, how many may change it at most; an element that the other end reaches as well is dearer than any depth;
 * no element; seen by every search */
enum { MOVABLE = 60, DEAR = 1 << 16, NONE = -1, ALWAYS = INT32_MAX };

/* A search of one end: forwards from the sources (way 0), backwards from the sinks (way 1). */
typedef struct flow_search {
    int32_t *first, n_first;   /* elements of the end that may reach what is not of it */
    uint8_t *is_first;         /* of each element: whether it is one of them */
    int32_t *queue, head, end; /* elements that it reached */
    int32_t *seen; /* of each element: the last search that reached it; ALWAYS: it is never asked for */
    int32_t *from,
        *by; /* of each element that it reached, and which is not of the end: from which one, by which point */
    int32_t *met; /* of each point: twice the last search that met it, and 1 more where all of it is reached */
    int32_t *full, n_full; /* points that were met and not reached wholly */
    int32_t now;           /* number of this search */
    int32_t behind;        /* elements of this side that are not in the queue */
    int32_t ends;          /* of the end, those behind it included */
} flow_search;

typedef struct flow_step {
    int32_t element, point; /* and the point that leads on from it */
} flow_step;

struct native_flow {
    uint8_t *kind;  /* of each element */
    uint8_t *depth; /* of each: steps from the border at hand */
    int32_t *level; /* of each: steps to the sinks, as of the last search backwards; NONE */
    int32_t *arc,
        *member; /* of each: the entry of its row that is tried next, and the place at that point */
    int32_t *link[2]; /* of each point: the element that flow comes from, and the one that it goes to; NONE */
    uint8_t *used; /* of each point: on the way at hand */
    flow_step *step;
    int32_t sent, most; /* units of flow, and how many there may be */
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
        void *const lists[] = {s->first, s->is_first, s->queue, s->seen,
                               s->from,  s->by,       s->met,   s->full};
        for (size_t i = 0; i < sizeof lists / sizeof *lists; i++)
            free(lists[i]);
    }
    free(flow);
}

static bool open_search(flow_search *s, int64_t elements, int64_t points, mplan_error *err)
{
    s->first = mplan_alloc(elements, sizeof *s->first, err);
    s->is_first = mplan_alloc(elements, sizeof *s->is_first, err);
    s->queue = mplan_alloc(elements, sizeof *s->queue, err);
    s->seen = mplan_alloc(elements, sizeof *s->seen, err);
    s->from = mplan_alloc(elements, sizeof *s->from, err);
    s->by = mplan_alloc(elements, sizeof *s->by, err);
    s->met = mplan_alloc(points, sizeof *s->met, err);
    s->full = mplan_alloc(points, sizeof *s->full, err);
    return s->first && s->is_first && s->queue && s->seen && s->from && s->by && s->met && s->full;
}

/* Room for 2 S elements and as many points as a pair may have. */
native_flow *mplan_native_flow_create(const native_pair *pair, mplan_error *err)
{
    assert(pair);
    int64_t elements = 2 * (int64_t)pair->cut->room, points = 2 * elements * pair->longest;
    native_flow *flow = mplan_alloc_zero(1, sizeof *flow, err);
    if (!flow)
        return NULL;
    flow->kind = mplan_alloc(elements, sizeof *flow->kind, err);
    flow->depth = mplan_alloc(elements, sizeof *flow->depth, err);
    flow->level = mplan_alloc(elements, sizeof *flow->level, err);
    flow->arc = mplan_alloc(elements, sizeof *flow->arc, err);
    flow->member = mplan_alloc(elements, sizeof *flow->member, err);
    flow->used = mplan_alloc_zero(points, sizeof *flow->used, err);
    flow->step = mplan_alloc(elements, sizeof *flow->step, err);
    bool all = flow->kind && flow->depth && flow->level && flow->arc && flow->member &&
               flow->used && flow->step;
    for (int32_t way = 0; way < 2; way++) {
        flow->link[way] = mplan_alloc(points, sizeof *flow->link[way], err);
        all = open_search(&flow->search[way], elements, points, err) && all && flow->link[way];
    }
    if (!all) {
        mplan_native_flow_free(flow);
        return NULL;
    }
    return flow;
}

/* --- ends -------------------------------------------------------------------------------------------------------- */

/* All elements are buried, and no flow runs. */
static void begin_pair(native_pair *pair)
{
    native_flow *flow = pair->flow;
    size_t n = (size_t)pair->n, n_points = (size_t)pair->n_points;
    memset(flow->kind, BURIED, n);
    memset(flow->level, 0xff, n * sizeof *flow->level);
    for (int32_t way = 0; way < 2; way++) {
        flow_search *s = &flow->search[way];
        memset(flow->link[way], 0xff, n_points * sizeof *flow->link[way]);
        memset(s->met, 0, n_points * sizeof *s->met);
        memset(s->is_first, 0, n);
        for (int32_t e = 0; e < pair->n; e++)
            s->seen[e] = ALWAYS;
        s->now = s->n_first = s->end = s->n_full = 0;
    }
    flow->sent = 0;
}

static void set_free(native_flow *flow, int32_t e, int32_t depth)
{
    flow->kind[e] = FREE;
    flow->depth[e] = (uint8_t)depth;
    flow->search[0].seen[e] = flow->search[1].seen[e] = 0;
}

/* Element e becomes one of the end of `way`, where searches begin. */
static void add_to_end(native_flow *flow, int32_t way, int32_t e)
{
    flow_search *s = &flow->search[way];
    flow->kind[e] = way ? SINK : SOURCE;
    s->is_first[e] = 1;
    s->first[s->n_first++] = e;
    s->ends++;
}

/* Elements of one side, layer by layer from the points that both sides touch, are free, as many whole layers as MOVABLE allows,
 * but one at least; the layer behind them is the side's end, and all else stays buried. Returns the depth of the end, 0
 * where nothing is left for one. queue, full, used: scratch. */
static int32_t choose_end(native_pair *pair, int32_t side)
{
    native_flow *flow = pair->flow;
    flow_search *s = &flow->search[side];
    int32_t *queue = s->queue, n = 0, begin = 0, depth = 0, *points = s->full, n_points = 0;
    int32_t most = (int32_t)((int64_t)pair->size[side] * MOVABLE / 100);
    bool ends = false;
    for (int32_t p = 0; p < pair->n_points; p++)
        if (pair->points[p].count[0] > 0 && pair->points[p].count[1] > 0)
            points[n_points++] = p;
    for (int32_t done = 0; !ends && (n_points > done || begin < n); depth++) {
        for (; done < n_points; done++) {
            const pair_point *point = &pair->points[points[done]];
            flow->used[points[done]] = 1;
            for (int32_t i = point->begin; i < point->end; i++) {
                int32_t e = pair->touch[i];
                if (flow->kind[e] != BURIED || pair->elements[e].side != side)
                    continue;
                set_free(flow, e, depth);
                queue[n++] = e;
            }
        }
        ends = depth > 0 && (n > most || depth == UINT8_MAX);
        s->ends = pair->size[side] - n;
        s->behind = s->ends;
        for (; begin < n; begin++) {
            const pair_element *element = &pair->elements[queue[begin]];
            if (ends)
                add_to_end(flow, side, queue[begin]);
            for (int32_t k = element->row; k < element->row + element->length && !ends; k++)
                if (!flow->used[pair->rows[k]]) {
                    flow->used[pair->rows[k]] = 1;
                    points[n_points++] = pair->rows[k];
                }
        }
    }
    for (int32_t i = 0; i < n_points; i++)
        flow->used[points[i]] = 0;
    return s->n_first > 0 ? depth - 1 : 0;
}

/* --- searches ------------------------------------------------------------------------------------------------------ */

static inline bool is_reached(const flow_search *s, int32_t e)
{
    return s->seen[e] == s->now;
}

static inline void reach(flow_search *s, int32_t e, int32_t from, int32_t by)
{
    if (s->seen[e] >= s->now)
        return;
    s->seen[e] = s->now;
    s->from[e] = from;
    s->by[e] = by;
    s->queue[s->end++] = e;
}

/* A search anew, from where the end may reach what is not of it. */
static void begin_search(native_flow *flow, int32_t way)
{
    flow_search *s = &flow->search[way];
    s->now++;
    s->head = s->end = s->n_full = 0;
    for (int32_t i = 0; i < s->n_first; i++)
        reach(s, s->first[i], NONE, NONE);
    s->behind = s->ends - s->n_first;
}

/* What element e reaches through its points. */
static void search_from(native_pair *pair, int32_t way, int32_t e)
{
    native_flow *flow = pair->flow;
    flow_search *s = &flow->search[way];
    const int32_t *ahead = flow->link[way], *back = flow->link[1 - way];
    const pair_element *element = &pair->elements[e];
    int32_t part = 2 * s->now, whole = part + 1;
    for (int32_t k = element->row; k < element->row + element->length; k++) {
        int32_t p = pair->rows[k];
        const pair_point *point = &pair->points[p];
        if (s->met[p] == whole || point->weight == 0)
            continue;
        if (ahead[p] == NONE || back[p] == e) {
            s->met[p] = whole;
            for (int32_t i = point->begin; i < point->end; i++)
                reach(s, pair->touch[i], e, p);
        } else if (s->met[p] != part) {
            s->met[p] = part;
            s->full[s->n_full++] = p;
            reach(s, ahead[p], e, p);
        }
    }
}

/* Goes on with a search until all is reached, or one of the other end, which is returned; else NONE. */
static int32_t search_on(native_pair *pair, int32_t way)
{
    native_flow *flow = pair->flow;
    flow_search *s = &flow->search[way];
    int32_t other = way ? SOURCE : SINK;
    while (s->head < s->end) {
        int32_t e = s->queue[s->head++];
        if (flow->kind[e] == other)
            return e;
        search_from(pair, way, e);
    }
    return NONE;
}

/* --- flow ---------------------------------------------------------------------------------------------------------- */

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

/* Sends a unit between the end of `way` and element e, which its search reached, the way on which it was. */
static void push_along(native_flow *flow, int32_t way, int32_t e)
{
    const flow_search *s = &flow->search[way];
    for (; s->from[e] != NONE; e = s->from[e])
        push_through(flow, way ? e : s->from[e], s->by[e], way ? s->from[e] : e);
    flow->sent++;
}

/* The next element a level nearer to the sinks, of those that e reaches from its arc on; NONE. */
static int32_t next_element(native_pair *pair, int32_t e)
{
    native_flow *flow = pair->flow;
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
                if (flow->level[to] == level)
                    return to;
            }
        } else if (flow->member[e] == 0 && flow->level[from] == level) {
            return from;
        }
    }
    return NONE;
}

/* Fills ways from one source to sinks, each step a level nearer, until none is left. No way uses a point
 * twice through which nothing runs. */
static void send_from(native_pair *pair, int32_t source)
{
    native_flow *flow = pair->flow;
    flow_step *step = flow->step;
    int32_t length = 0, e = source;
    for (;;) {
        if (flow->kind[e] == SINK) {
            for (int32_t i = 0; i < length; i++) {
                push_through(flow, step[i].element, step[i].point,
                             i + 1 < length ? step[i + 1].element : e);
                flow->used[step[i].point] = 0;
            }
            flow->sent++;
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
            return;
        }
    }
}

/* Fills all ways on which each step is a level nearer to the sinks; false where they are more than there may be. */
static bool send_by_levels(native_pair *pair)
{
    native_flow *flow = pair->flow;
    const flow_search *sources = &flow->search[0];
    size_t bytes = (size_t)pair->n * sizeof *flow->arc;
    memset(flow->arc, 0, bytes);
    memset(flow->member, 0, bytes);
    for (int32_t i = 0; i < sources->n_first && flow->sent <= flow->most; i++)
        if (flow->level[sources->first[i]] != NONE)
            send_from(pair, sources->first[i]);
    return flow->sent <= flow->most;
}

/* Levels of all elements by their depths: away from the sources to the border at hand, then on to the sinks. */
static void level_by_depth(native_pair *pair, int32_t depth_of_sinks)
{
    native_flow *flow = pair->flow;
    for (int32_t e = 0; e < pair->n; e++)
        if (flow->kind[e] != BURIED)
            flow->level[e] = pair->elements[e].side == 0 ? depth_of_sinks + 1 + flow->depth[e]
                                                         : depth_of_sinks - flow->depth[e];
}

/* Levels of the elements that reach the sinks, as far as the nearest source; false where no source does: all that do were
 * reached then. */
static bool level_by_search(native_pair *pair)
{
    native_flow *flow = pair->flow;
    flow_search *s = &flow->search[1];
    memset(flow->level, 0xff, (size_t)pair->n * sizeof *flow->level);
    begin_search(flow, 1);
    if (search_on(pair, 1) == NONE)
        return false;
    for (int32_t i = 0; i < s->end; i++) {
        int32_t e = s->queue[i];
        flow->level[e] = s->from[e] == NONE ? 0 : flow->level[s->from[e]] + 1;
    }
    return true;
}

/* Sends what can be sent; false where it comes to more than there may be. Both searches then hold what their ends reach. */
static bool send_first(native_pair *pair, int32_t depth_of_sinks)
{
    level_by_depth(pair, depth_of_sinks);
    do {
        if (!send_by_levels(pair))
            return false;
    } while (level_by_search(pair));
    begin_search(pair->flow, 0);
    search_on(pair, 0);
    return true;
}

/* Element e, which the other end reaches, was added to the end of `way`: sends what can be sent from it or to it. */
static bool send_more(native_pair *pair, int32_t way, int32_t e)
{
    native_flow *flow = pair->flow;
    do {
        push_along(flow, 1 - way, e);
        if (flow->sent > flow->most)
            return false;
        begin_search(flow, 1 - way);
        e = search_on(pair, 1 - way);
    } while (e != NONE);
    return true;
}

/* --- sizes ----------------------------------------------------------------------------------------------------------- */

/* The end takes all that its search reached; what lies at points that were not reached wholly is where it goes on from. Returns
 * the element behind these that it takes next: one that the other end does not reach, if there is any, as the border then costs
 * no more; of these the one that lies furthest on its own side of the border at hand. NONE: there is none. */
static int32_t take_reached(native_pair *pair, int32_t way)
{
    native_flow *flow = pair->flow;
    flow_search *s = &flow->search[way];
    int32_t best = NONE, least = INT32_MAX, kept = 0;
    for (int32_t i = 0; i < s->n_first; i++)
        s->is_first[s->first[i]] = 0;
    s->n_first = 0;
    s->ends = s->behind + s->end;
    for (int32_t i = 0; i < s->end; i++)
        flow->kind[s->queue[i]] = way ? SINK : SOURCE;
    for (int32_t m = 0; m < s->n_full; m++) {
        const pair_point *point = &pair->points[s->full[m]];
        if (s->met[s->full[m]] == 2 * s->now + 1)
            continue;
        s->full[kept++] = s->full[m];
        for (int32_t i = point->begin; i < point->end; i++) {
            int32_t e = pair->touch[i];
            if (is_reached(s, e) && !s->is_first[e]) {
                s->is_first[e] = 1;
                s->first[s->n_first++] = e;
            }
            if (flow->kind[e] != FREE)
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
    for (int32_t i = 0; i < s->end; i++)
        if (!s->is_first[s->queue[i]])
            s->seen[s->queue[i]] = ALWAYS;
    return best;
}

/* The smaller end takes all that it reaches, and an element more. False where none is left, or the border then costs more than it
 * may. */
static bool grow_end(native_pair *pair)
{
    native_flow *flow = pair->flow;
    int32_t reached[2];
    for (int32_t way = 0; way < 2; way++)
        reached[way] = flow->search[way].behind + flow->search[way].end;
    int32_t way = reached[1] < reached[0];
    int32_t e = take_reached(pair, way);
    if (e == NONE)
        return false;
    add_to_end(flow, way, e);
    if (is_reached(&flow->search[1 - way], e) && !send_more(pair, way, e))
        return false;
    reach(&flow->search[way], e, NONE, NONE);
    search_on(pair, way);
    return true;
}

/* Takes the side that one end reaches, where both sides keep the size. */
static bool take_side(native_pair *pair)
{
    const native_flow *flow = pair->flow;
    int32_t size = pair->cut->most;
    for (int32_t way = 0; way < 2; way++) {
        const flow_search *s = &flow->search[way];
        int32_t n = s->behind + s->end, end = way ? SINK : SOURCE;
        if (n > size || pair->n - n > size)
            continue;
        for (int32_t e = 0; e < pair->n; e++)
            if (flow->kind[e] != BURIED)
                pair->elements[e].side = (uint8_t)(flow->kind[e] == end || is_reached(s, e)
                                                       ? way
                                                       : 1 - way);
        return true;
    }
    return false;
}

/* Ends grow until the sizes fit; each growth takes an element at least. */
bool mplan_native_flow_split(native_pair *pair, int32_t most)
{
    assert(pair && pair->flow && most >= 0 && pair->size[0] + pair->size[1] == pair->n);
    begin_pair(pair);
    pair->flow->most = most;
    int32_t sources = choose_end(pair, 0), sinks = sources ? choose_end(pair, 1) : 0;
    if (sinks == 0 || !send_first(pair, sinks))
        return false;
    while (!take_side(pair))
        if (!grow_end(pair))
            return false;
    return true;
}
