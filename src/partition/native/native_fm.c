/* SPDX-License-Identifier: Apache-2.0 */
/* native_fm.c - Fiduccia and Mattheyses between two blocks
 *
 * C. M. Fiduccia, R. M. Mattheyses, DAC 1982. The cost of a point is its weight
 * once for each side that touches it, so that a move changes nothing outside the
 * pair. Deviations: only elements that touch a shared point take part, the others
 * as soon as one of theirs becomes shared; both sides may pass the limit on the
 * way, by a few elements; the best state that keeps every limit stays, the last
 * of equals, so that borders drift where that costs nothing.
 *
 * What refinement passes bring (tools/bench/ablation: S = 128, 150,000 cells, reuse with / without): tets to nodes 9.402 / 8.412,
 * faces of tets 2.902 / 2.732, triangles to nodes 4.781 / 4.572, faces of triangles 2.625 / 2.579, faces of hexes 3.702 / 3.582;
 * two thirds of the time of the cut. */
#include <assert.h>

#include "partition/native/native_fm.h"

enum { SLACK = 3 }; /* above the limit */

/* Number of the list for a gain: gains beyond the range share the outermost lists, which costs
 * order, not correctness. */
static int32_t list_of(const native_pair *pair, int32_t gain)
{
    int32_t range = pair->range;
    return gain > range ? 2 * range : gain < -range ? 0 : gain + range;
}

/* Rings with a head each, behind the elements: taking out and putting in need
 * no question. */
static inline int32_t head_of(const native_pair *pair, int32_t s, int32_t list)
{
    return 2 * pair->cut->room + s * (2 * pair->range + 1) + list;
}

static inline void list_remove(native_pair *pair, int32_t e)
{
    pair_link *link = pair->link;
    link[link[e].previous].next = link[e].next;
    link[link[e].next].previous = link[e].previous;
}

/* Enters element e at the head of the list of its side and gain. Lists are rings linked through
 * indices; their heads are links behind those of the elements. Last in, first out among equals,
 * as Fiduccia and Mattheyses have it. */
static inline void list_insert(native_pair *pair, int32_t e)
{
    pair_link *link = pair->link;
    int32_t s = pair->elements[e].side, list = list_of(pair, pair->elements[e].gain);
    int32_t head = head_of(pair, s, list), next = link[head].next;
    link[e] = (pair_link){next, head};
    link[next].previous = e;
    link[head].next = e;
    pair->top[s] = list > pair->top[s] ? list : pair->top[s];
}

/* e comes to the border: its gain is computed once, from the points of its row, and it waits to
 * be entered. A point that only e touches on its side saves its weight; one that the other side
 * does not touch yet costs it. */
static void activate(native_pair *pair, int32_t e)
{
    int32_t length, gain = 0, from = pair->elements[e].side;
    const int32_t *row = pair_row(pair, e, &length);
    for (int32_t k = 0; k < length; k++) {
        const pair_point *point = &pair->points[row[k]];
        gain += point->weight * ((point->count[from] == 1) - (point->count[1 - from] == 0));
    }
    pair->elements[e].gain = gain;
    pair->elements[e].state = NATIVE_WAITING;
    pair->waiting[pair->n_waiting++] = e;
}

/* Adds to a gain. Elements whose gain changes leave their list and are entered again by
 * settle(), once however many of their points changed. */
static inline void change_gain(native_pair *pair, int32_t e, int32_t by)
{
    pair_element *element = &pair->elements[e];
    element->gain += by;
    if (element->state == NATIVE_WAITING)
        return;
    list_remove(pair, e);
    element->state = NATIVE_WAITING;
    pair->waiting[pair->n_waiting++] = e;
}

/* Puts what changed back into its list. */
static void settle(native_pair *pair)
{
    for (int32_t i = 0; i < pair->n_waiting; i++) {
        int32_t e = pair->waiting[i];
        pair->elements[e].state = NATIVE_LISTED;
        list_insert(pair, e);
    }
    pair->n_waiting = 0;
}

/* Elements at a point: those on side `from` change by `from_by`, the others by `to_by`; sleeping
 * ones wake if `wake`. Locked ones stay as they are: they do not move again in this pass. */
static void touch_point(native_pair *pair, int32_t p, int32_t from, int32_t from_by, int32_t to_by,
                        bool wake)
{
    for (int32_t i = pair->points[p].begin; i < pair->points[p].end; i++) {
        int32_t e = pair->touch[i];
        const pair_element *element = &pair->elements[e];
        if (element->state & NATIVE_LISTED) { /* or waiting */
            int32_t by = element->side == from ? from_by : to_by;
            if (by)
                change_gain(pair, e, by);
        } else if (wake && element->state == NATIVE_OUT) {
            activate(pair, e);
        }
    }
}

/* Point p loses an element of side `from` to the other side. Gains change only where one of its
 * counts passes 0, 1 or 2; elsewhere its elements are not looked at. Hubs have weight 0 and are
 * never counted. */
static void move_point(native_pair *pair, int32_t p, int32_t from)
{
    pair_point *point = &pair->points[p];
    int32_t w = point->weight, left = point->count[from] - 1, met = point->count[1 - from];
    int32_t from_by = 0, to_by = 0;
    if (w == 0)
        return;
    mplan_native_pair_count(pair, point, from, left);
    mplan_native_pair_count(pair, point, 1 - from, met + 1);
    if (met == 0)
        from_by += w; /* it costs the other side already */
    if (left == 1)
        from_by += w; /* the last one there frees it */
    if (met == 1)
        to_by -= w; /* the only one that was there no longer does */
    if (left == 0)
        to_by -= w; /* going back costs it anew */
    if (from_by || to_by)
        touch_point(pair, p, from, from_by, to_by, met == 0 && left > 0);
}

/* To the other side. e is locked for the rest of the pass; counts of its points
 * and gains of its neighbours follow. */
static void move_element(native_pair *pair, int32_t e)
{
    int32_t length, from = pair->elements[e].side;
    const int32_t *row = pair_row(pair, e, &length);
    list_remove(pair, e);
    pair->elements[e].state = NATIVE_LOCKED;
    pair->elements[e].side = (uint8_t)(1 - from);
    pair->size[from]--;
    pair->size[1 - from]++;
    for (int32_t k = 0; k < length; k++)
        move_point(pair, row[k], from);
    settle(pair);
}

/* Whether both blocks keep the limits and have an element at least. */
bool mplan_native_sides_fit(const native_pair *pair)
{
    assert(pair);
    const native_cut *cut = pair->cut;
    for (int32_t s = 0; s < 2; s++) {
        if (pair->size[s] > cut->most || pair->size[s] == 0)
            return false;
        if (pair->set_points &&
            !mplan_footprint_counts_fit(cut->footprint, pair->set_points + s * cut->table->n_sets))
            return false;
    }
    return true;
}

/* Best element that may leave side s; -1: none. top[s] only falls here, so that all calls of a
 * pass take the time of the inserts and of the range. */
static int32_t best_of(native_pair *pair, int32_t s)
{
    for (; pair->top[s] >= 0; pair->top[s]--) {
        int32_t head = head_of(pair, s, pair->top[s]);
        if (pair->link[head].next != head)
            return pair->link[head].next;
    }
    return -1;
}

/* The element of the highest gain on either side whose other side has fewer than
 * `most`; of equal gains from the larger side. -1 if there is none. */
static int32_t choose(native_pair *pair, int32_t most)
{
    int32_t candidate[2];
    for (int32_t s = 0; s < 2; s++)
        candidate[s] = pair->size[1 - s] < most && pair->size[s] > 1 ? best_of(pair, s) : -1;
    if (candidate[0] < 0 || candidate[1] < 0)
        return candidate[0] < 0 ? candidate[1] : candidate[0];
    if (pair->top[0] != pair->top[1])
        return candidate[pair->top[1] > pair->top[0]];
    return candidate[pair->size[1] > pair->size[0]];
}

/* Begins a pass: empty lists, then the elements of the points that both sides touch wake, of
 * those too that come into sight on the way. With at_border all elements that were read are at
 * the border, and have their gains. */
static void wake_border(native_pair *pair)
{
    int32_t first = head_of(pair, 0, 0), end = head_of(pair, 2, 0);
    for (int32_t head = first; head < end; head++)
        pair->link[head] = (pair_link){head, head};
    pair->top[0] = pair->top[1] = -1;
    pair->n_waiting = 0;
    for (int32_t e = 0; e < pair->n && !pair->at_border; e++)
        pair->elements[e].state = NATIVE_OUT;
    for (int32_t e = 0; e < pair->n && pair->at_border; e++) {
        pair->elements[e].state = NATIVE_WAITING;
        pair->waiting[pair->n_waiting++] = e;
    }
    for (int32_t p = 0; p < pair->n_points && !pair->at_border; p++)
        if (pair->points[p].count[0] > 0 && pair->points[p].count[1] > 0)
            touch_point(pair, p, 0, 0, 0, true);
    settle(pair);
}

/* Takes back all moves but the first `kept`, last first. Counts are as before; gains are not
 * needed any more. */
static void take_back(native_pair *pair, int32_t n_moved, int32_t kept)
{
    for (int32_t i = n_moved - 1; i >= kept; i--) {
        int32_t e = pair->moved[i], length, from = pair->elements[e].side;
        const int32_t *row = pair_row(pair, e, &length);
        pair->elements[e].side = (uint8_t)(1 - from);
        pair->size[from]--;
        pair->size[1 - from]++;
        for (int32_t k = 0; k < length; k++) {
            pair_point *point = &pair->points[row[k]];
            if (point->weight == 0)
                continue;
            mplan_native_pair_count(pair, point, from, point->count[from] - 1);
            mplan_native_pair_count(pair, point, 1 - from, point->count[1 - from] + 1);
        }
    }
}

/* One pass of Fiduccia and Mattheyses over a pair: moves go on through losses until `patience`
 * moves bring nothing better, then all after the best state are taken back. *n_moved: moves that
 * stay; returns what they save, never below 0. Each element moves once at most, so that a pass
 * takes at most 2 S moves. */
int64_t mplan_native_fm(native_pair *pair, int32_t patience, int32_t *n_moved)
{
    assert(pair && n_moved && patience > 0);
    int32_t size = pair->cut->most;
    int32_t moves = 0, kept = 0;
    int64_t saved = 0, best = 0;
    wake_border(pair);
    while (moves - kept < patience) {
        int32_t e = choose(pair, size + SLACK);
        if (e < 0)
            break;
        saved += pair->elements[e].gain;
        move_element(pair, e);
        pair->moved[moves++] = e;
        if (saved >= best && mplan_native_sides_fit(pair)) {
            best = saved;
            kept = moves;
        }
    }
    take_back(pair, moves, kept);
    *n_moved = kept;
    return best;
}
