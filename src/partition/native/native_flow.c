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
 * more. What the taking end had reached stays as it is. Which flow was found makes no difference to what is reached in the end.
 *
 * All this runs in a table of what lies near the border (native_band.h), where all of an end that is not near is one element. */
#include "partition/native/native_flow.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "partition/native/native_band.h"

/* What an element is: between the ends, or of one of them */
enum { FREE = 0, SOURCE = 1, SINK = 2 };
/* an element that the other end reaches as well is dearer than any depth; no element; seen by every search */
enum { DEAR = 1 << 16, NONE = -1, ALWAYS = INT32_MAX };

typedef struct flow_step {
    int32_t element,
        point; /* and the point that leads on from it, or by which it was reached from there */
} flow_step;

typedef struct flow_point {
    int32_t link[2]; /* the element that flow comes from, and the one that it goes to; NONE */
    int32_t met[2]; /* of each search: twice the last that met the point, and 1 more where all of it is reached */
    int32_t used; /* on the way at hand */
} flow_point;

/* A search of one end: forwards from the sources (way 0), backwards from the sinks (way 1). */
typedef struct flow_search {
    int32_t *first, n_first;   /* elements of the end that may reach what is not of it */
    int32_t *before;           /* the same before the end took more; scratch */
    uint8_t *is_first;         /* of each element: whether it is one of them */
    int32_t *queue, head, end; /* elements that it reached */
    int32_t taken;             /* of them are of the end, the first ones in the queue */
    int32_t *seen; /* of each element: the last search that reached it; ALWAYS: it is never asked for */
    flow_step *from; /* of each element that it reached, and which is not of the end: from where */
    int32_t *full, n_full; /* points that were met and not reached wholly */
    int32_t now;           /* number of this search */
    int32_t behind;        /* elements of this side that are not in the queue */
    int32_t ends; /* elements of the end of this side: ended[] of the band, and those that joined since */
} flow_search;

struct native_flow {
    native_band band;
    uint8_t *kind;  /* of each element */
    int32_t *level; /* of each: steps to the sinks, as of the last search backwards; NONE */
    int32_t *arc,
        *member; /* of each: the entry of its points that is tried next, and the place at that point */
    flow_point *point;
    flow_step *step;
    int32_t sent, most; /* units of flow, and how many there may be */
    flow_search search[2];
};

void mplan_native_flow_free(native_flow *flow)
{
    assert(flow);
    void *const owned[] = {flow->kind,   flow->level, flow->arc,
                           flow->member, flow->point, flow->step};
    for (size_t i = 0; i < sizeof owned / sizeof *owned; i++)
        free(owned[i]);
    for (int32_t way = 0; way < 2; way++) {
        const flow_search *s = &flow->search[way];
        void *const lists[] = {s->first, s->before, s->is_first, s->queue,
                               s->seen,  s->from,   s->full};
        for (size_t i = 0; i < sizeof lists / sizeof *lists; i++)
            free(lists[i]);
    }
    mplan_native_band_close(&flow->band);
    free(flow);
}

static bool open_search(flow_search *s, int64_t elements, int64_t points, mplan_error *err)
{
    s->first = mplan_alloc(elements, sizeof *s->first, err);
    s->before = mplan_alloc(elements, sizeof *s->before, err);
    s->is_first = mplan_alloc(elements, sizeof *s->is_first, err);
    s->queue = mplan_alloc(elements + 1, sizeof *s->queue, err);
    s->seen = mplan_alloc(elements, sizeof *s->seen, err);
    s->from = mplan_alloc(elements, sizeof *s->from, err);
    s->full = mplan_alloc(points, sizeof *s->full, err);
    return s->first && s->before && s->is_first && s->queue && s->seen && s->from && s->full;
}

/* Room for 2 S elements and as many points as a pair may have. */
native_flow *mplan_native_flow_create(const native_pair *pair, mplan_error *err)
{
    assert(pair);
    int64_t members = 2 * (int64_t)pair->cut->room, points = 2 * members * pair->longest;
    int64_t elements = members + 2; /* with the ends */
    native_flow *flow = mplan_alloc_zero(1, sizeof *flow, err);
    if (!flow)
        return NULL;
    bool all = mplan_native_band_open(&flow->band, members, pair->longest, err) == MPLAN_OK;
    flow->kind = mplan_alloc(elements, sizeof *flow->kind, err);
    flow->level = mplan_alloc(elements, sizeof *flow->level, err);
    flow->arc = mplan_alloc(elements, sizeof *flow->arc, err);
    flow->member = mplan_alloc(elements, sizeof *flow->member, err);
    flow->point = mplan_alloc(points, sizeof *flow->point, err);
    flow->step = mplan_alloc(elements, sizeof *flow->step, err);
    all = all && flow->kind && flow->level && flow->arc && flow->member && flow->point && flow->step;
    for (int32_t way = 0; way < 2; way++)
        all = open_search(&flow->search[way], elements, points, err) && all;
    if (!all) {
        mplan_native_flow_free(flow);
        return NULL;
    }
    return flow;
}

/* --- ends -------------------------------------------------------------------------------------------------------- */

/* Element e becomes one of the end of `way`, where searches begin. */
static void add_to_end(native_flow *flow, int32_t way, int32_t e)
{
    flow_search *s = &flow->search[way];
    flow->kind[e] = way ? SINK : SOURCE;
    s->is_first[e] = 1;
    s->first[s->n_first++] = e;
    s->ends++;
}

/* All elements but the two ends are free, and no flow runs. */
static void begin_pair(native_flow *flow, int32_t most)
{
    const native_band *band = &flow->band;
    size_t n = (size_t)band->n;
    memset(flow->kind, FREE, n);
    for (int32_t p = 0; p < band->n_points; p++)
        flow->point[p] = (flow_point){{NONE, NONE}, {0, 0}, 0};
    for (int32_t way = 0; way < 2; way++) {
        flow_search *s = &flow->search[way];
        memset(s->is_first, 0, n);
        memset(s->seen, 0, n * sizeof *s->seen);
        s->now = s->n_first = s->end = s->n_full = s->taken = 0;
        s->ends = band->ended[way] - 1;
        add_to_end(flow, way, native_band_end(band, way));
    }
    flow->sent = 0;
    flow->most = most;
}

/* --- searches ------------------------------------------------------------------------------------------------------ */

static inline bool is_reached(const flow_search *s, int32_t e)
{
    return s->seen[e] == s->now;
}

static inline void reach(flow_search *s, int32_t e, flow_step from)
{
    if (s->seen[e] >= s->now)
        return;
    s->seen[e] = s->now;
    s->from[e] = from;
    s->queue[s->end++] = e;
}

/* A search anew, from where the end may reach what is not of it. */
static void begin_search(native_flow *flow, int32_t way)
{
    flow_search *s = &flow->search[way];
    s->now++;
    s->head = s->end = s->n_full = 0;
    for (int32_t i = 0; i < s->n_first; i++)
        reach(s, s->first[i], (flow_step){NONE, NONE});
    s->behind = s->ends - s->n_first;
    s->taken = s->n_first;
}

/* All elements of point p are reached from e. Without a branch, since whether one was seen cannot be foretold: the queue has room for
 * one more than there are. */
static inline void reach_all(const native_band *band, flow_search *s, int32_t e, int32_t p)
{
    int32_t now = s->now, end = s->end, *queue = s->queue, *seen = s->seen;
    flow_step *from = s->from;
    for (int32_t i = band->begin[p]; i < band->begin[p + 1]; i++) {
        int32_t to = band->members[i], last = seen[to];
        bool is_new = last < now;
        queue[end] = to;
        end += is_new;
        seen[to] = is_new ? now : last;
        from[to] = is_new ? (flow_step){e, p} : from[to];
    }
    s->end = end;
}

/* What element e reaches through its points. */
static inline void search_from(native_flow *flow, int32_t way, int32_t e)
{
    const native_band *band = &flow->band;
    flow_search *s = &flow->search[way];
    int32_t part = 2 * s->now, whole = part + 1;
    for (int32_t k = band->row[e]; k < band->row[e + 1]; k++) {
        int32_t p = band->points[k];
        flow_point *point = &flow->point[p];
        if (point->met[way] == whole)
            continue;
        if (point->link[way] == NONE || point->link[1 - way] == e) {
            point->met[way] = whole;
            reach_all(band, s, e, p);
        } else if (point->met[way] != part) {
            point->met[way] = part;
            s->full[s->n_full++] = p;
            reach(s, point->link[way], (flow_step){e, p});
        }
    }
}

/* Goes on with a search until all is reached, or one of the other end, which is returned; else NONE. */
static int32_t search_on(native_flow *flow, int32_t way)
{
    flow_search *s = &flow->search[way];
    int32_t other = way ? SOURCE : SINK;
    while (s->head < s->end) {
        int32_t e = s->queue[s->head++];
        if (flow->kind[e] == other)
            return e;
        search_from(flow, way, e);
    }
    return NONE;
}

/* --- flow ---------------------------------------------------------------------------------------------------------- */

/* One unit more from an element to another through a point. */
static void push_through(flow_point *point, int32_t e, int32_t to)
{
    if (point->link[0] == NONE) {
        point->link[0] = e;
        point->link[1] = to;
    } else if (point->link[1] == e && point->link[0] == to) {
        point->link[0] = point->link[1] = NONE;
    } else if (point->link[1] == e) {
        point->link[1] = to;
    } else {
        assert(point->link[0] == to);
        point->link[0] = e;
    }
}

/* Sends a unit between the end of `way` and element e, which its search reached, the way on which it was. */
static void push_along(native_flow *flow, int32_t way, int32_t e)
{
    const flow_search *s = &flow->search[way];
    while (s->from[e].element != NONE) {
        flow_step from = s->from[e];
        push_through(&flow->point[from.point], way ? e : from.element, way ? from.element : e);
        e = from.element;
    }
    flow->sent++;
}

/* The place behind `at` of the first element of the level at a point, from there on; its number of elements where there is none. */
static inline int32_t find_level(const native_flow *flow, int32_t p, int32_t at, int32_t level)
{
    const int32_t *members = flow->band.members + flow->band.begin[p];
    int32_t n = flow->band.begin[p + 1] - flow->band.begin[p];
    while (at < n && flow->level[members[at]] != level)
        at++;
    return at;
}

/* The next element a level nearer to the sinks, of those that e reaches from its arc on; NONE. */
static inline int32_t next_element(native_flow *flow, int32_t e)
{
    const native_band *band = &flow->band;
    int32_t level = flow->level[e] - 1, arc = flow->arc[e], member = flow->member[e], to = NONE;
    for (; arc < band->row[e + 1]; arc++, member = 0) {
        int32_t p = band->points[arc];
        const flow_point *point = &flow->point[p];
        if (point->link[0] == NONE ? !point->used : point->link[1] == e) {
            member = find_level(flow, p, member, level);
            if (member < band->begin[p + 1] - band->begin[p]) {
                to = band->members[band->begin[p] + member];
                break;
            }
        } else if (point->link[0] != NONE && member == 0 && flow->level[point->link[0]] == level) {
            to = point->link[0];
            break;
        }
    }
    flow->arc[e] = arc;
    flow->member[e] = member;
    return to;
}

/* Fills ways from one source to sinks, each step a level nearer, until none is left. No way uses a point
 * twice through which nothing runs. */
static void send_from(native_flow *flow, int32_t source)
{
    flow_step *step = flow->step;
    int32_t length = 0, e = source;
    for (;;) {
        if (flow->kind[e] == SINK) {
            for (int32_t i = 0; i < length; i++) {
                flow_point *point = &flow->point[step[i].point];
                push_through(point, step[i].element, i + 1 < length ? step[i + 1].element : e);
                point->used = 0;
            }
            flow->sent++;
            length = 0;
            e = source;
            continue;
        }
        int32_t to = next_element(flow, e);
        if (to != NONE) {
            int32_t p = flow->band.points[flow->arc[e]];
            step[length++] = (flow_step){e, p};
            flow->point[p].used = 1;
            e = to;
        } else if (length > 0) {
            e = step[--length].element;
            flow->point[step[length].point].used = 0;
            flow->member[e]++;
        } else {
            return;
        }
    }
}

/* Fills all ways on which each step is a level nearer to the sinks; false where they are more than there may be. */
static bool send_by_levels(native_flow *flow)
{
    const flow_search *sources = &flow->search[0];
    size_t n = (size_t)flow->band.n;
    memcpy(flow->arc, flow->band.row, n * sizeof *flow->arc);
    memset(flow->member, 0, n * sizeof *flow->member);
    for (int32_t i = 0; i < sources->n_first && flow->sent <= flow->most; i++)
        if (flow->level[sources->first[i]] != NONE)
            send_from(flow, sources->first[i]);
    return flow->sent <= flow->most;
}

/* Levels of all elements by their depths: away from the sources to the border at hand, then on to the sinks. */
static void level_by_depth(native_flow *flow)
{
    const native_band *band = &flow->band;
    int32_t depth_of_sinks = band->depth[native_band_end(band, 1)];
    for (int32_t e = 0; e < band->n; e++)
        flow->level[e] = band->side[e] == 0 ? depth_of_sinks + 1 + band->depth[e]
                                            : depth_of_sinks - band->depth[e];
}

/* The elements of point p that have no level get this one, and go behind the queue, whose new end is returned. Without a branch, as
 * in reach_all(). */
static inline int32_t level_all(const native_band *band, int32_t *level, int32_t *queue,
                                int32_t n_queued, int32_t p, int32_t next)
{
    for (int32_t i = band->begin[p]; i < band->begin[p + 1]; i++) {
        int32_t to = band->members[i], at = level[to];
        bool is_new = at < 0;
        queue[n_queued] = to;
        n_queued += is_new;
        level[to] = is_new ? next : at;
    }
    return n_queued;
}

/* Levels of the elements that reach the sinks, as far as the source; false where it does not. A search of its own, which does not note
 * the way to each element: more than half of all that searches reach is reached by it. */
static bool level_by_search(native_flow *flow)
{
    const native_band *band = &flow->band;
    flow_search *s = &flow->search[1];
    int32_t *level = flow->level, *queue = s->queue, head = 0, end = 1, whole = 2 * ++s->now + 1;
    memset(level, 0xff, (size_t)band->n * sizeof *level);
    queue[0] = native_band_end(band, 1);
    level[queue[0]] = 0;
    while (head < end) {
        int32_t e = queue[head++], next = level[e] + 1;
        if (flow->kind[e] == SOURCE)
            return true;
        for (int32_t k = band->row[e]; k < band->row[e + 1]; k++) {
            int32_t p = band->points[k];
            flow_point *point = &flow->point[p];
            int32_t to = point->link[1];
            if (point->met[1] == whole)
                continue;
            if (to == NONE || point->link[0] == e) {
                point->met[1] = whole;
                end = level_all(band, level, queue, end, p, next);
            } else if (level[to] < 0) {
                level[to] = next;
                queue[end++] = to;
            }
        }
    }
    return false;
}

/* Sends what can be sent; false where it comes to more than there may be. Both searches then hold what their ends reach. */
static bool send_first(native_flow *flow)
{
    level_by_depth(flow);
    do {
        if (!send_by_levels(flow))
            return false;
    } while (level_by_search(flow));
    for (int32_t way = 0; way < 2; way++) {
        begin_search(flow, way);
        search_on(flow, way);
    }
    return true;
}

/* Element e, which the other end reaches, was added to the end of `way`: sends what can be sent from it or to it. */
static bool send_more(native_flow *flow, int32_t way, int32_t e)
{
    do {
        push_along(flow, 1 - way, e);
        if (flow->sent > flow->most)
            return false;
        begin_search(flow, 1 - way);
        e = search_on(flow, 1 - way);
    } while (e != NONE);
    return true;
}

/* --- sizes ----------------------------------------------------------------------------------------------------------- */

/* The end takes what its search reached; what lies behind its border is never asked for again. */
static void bury(flow_search *s, int32_t n_before)
{
    for (int32_t i = 0; i < n_before; i++)
        if (!s->is_first[s->before[i]])
            s->seen[s->before[i]] = ALWAYS;
    for (int32_t i = s->taken; i < s->end; i++)
        if (!s->is_first[s->queue[i]])
            s->seen[s->queue[i]] = ALWAYS;
    s->taken = s->end;
}

/* Elements that an end may take next: the price of e, by how far it lies on its own side of the border at hand. */
static inline int32_t price_of(const native_flow *flow, int32_t way, int32_t e)
{
    const native_band *band = &flow->band;
    int32_t price = band->side[e] == way ? -band->depth[e] : band->depth[e] + 1;
    return price + (is_reached(&flow->search[1 - way], e) ? DEAR : 0);
}

/* The end takes all that its search reached; what lies at points that were not reached wholly is where it goes on from. Returns
 * the element behind these that it takes next: one that the other end does not reach, if there is any, as the border then costs
 * no more; of these the one that lies furthest on its own side of the border at hand. NONE: there is none. */
static int32_t take_reached(native_flow *flow, int32_t way)
{
    const native_band *band = &flow->band;
    flow_search *s = &flow->search[way];
    int32_t best = NONE, least = INT32_MAX, kept = 0, n_before = s->n_first;
    memcpy(s->before, s->first, (size_t)n_before * sizeof *s->before);
    for (int32_t i = 0; i < n_before; i++)
        s->is_first[s->before[i]] = 0;
    s->n_first = 0;
    s->ends = s->behind + s->end;
    for (int32_t i = s->taken; i < s->end; i++)
        flow->kind[s->queue[i]] = way ? SINK : SOURCE;
    for (int32_t m = 0; m < s->n_full; m++) {
        int32_t p = s->full[m];
        if (flow->point[p].met[way] == 2 * s->now + 1)
            continue;
        s->full[kept++] = p;
        for (int32_t i = band->begin[p]; i < band->begin[p + 1]; i++) {
            int32_t e = band->members[i];
            if (is_reached(s, e) && !s->is_first[e]) {
                s->is_first[e] = 1;
                s->first[s->n_first++] = e;
            }
            if (flow->kind[e] != FREE)
                continue;
            int32_t price = price_of(flow, way, e);
            if (price < least || (price == least && band->element[e] < band->element[best])) {
                least = price;
                best = e;
            }
        }
    }
    s->n_full = kept;
    bury(s, n_before);
    return best;
}

/* The smaller end takes all that it reaches, and an element more. False where none is left, or the border then costs more than it
 * may. */
static bool grow_end(native_flow *flow)
{
    int32_t reached[2];
    for (int32_t way = 0; way < 2; way++)
        reached[way] = flow->search[way].behind + flow->search[way].end;
    int32_t way = reached[1] < reached[0];
    int32_t e = take_reached(flow, way);
    if (e == NONE)
        return false;
    add_to_end(flow, way, e);
    if (is_reached(&flow->search[1 - way], e) && !send_more(flow, way, e))
        return false;
    reach(&flow->search[way], e, (flow_step){NONE, NONE});
    search_on(flow, way);
    return true;
}

/* Takes the side that one end reaches, where both sides keep the size. */
static bool take_side(native_pair *pair)
{
    const native_flow *flow = pair->flow;
    const native_band *band = &flow->band;
    int32_t size = pair->cut->most;
    for (int32_t way = 0; way < 2; way++) {
        const flow_search *s = &flow->search[way];
        int32_t n = s->behind + s->end, end = way ? SINK : SOURCE;
        if (n > size || pair->n - n > size)
            continue;
        for (int32_t e = 0; e < native_band_end(band, 0); e++)
            pair->elements[band->element[e]].side = (uint8_t)(flow->kind[e] == end || is_reached(s, e)
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
    native_flow *flow = pair->flow;
    if (!mplan_native_band_read(&flow->band, pair))
        return false;
    begin_pair(flow, most);
    if (!send_first(flow))
        return false;
    while (!take_side(pair))
        if (!grow_end(flow))
            return false;
    return true;
}
