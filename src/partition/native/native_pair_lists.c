/* SPDX-License-Identifier: Apache-2.0 */
/* native_pair_lists.c - a pair of blocks read from their lists of points, and stored there
 *
 * Elements that come to touch a shared point on the way do not take part: with long rows that
 * gained nothing, and each such point took a look at the whole block. */
#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "partition/native/native_pair_lists.h"

/* In value[]: far above what the points of a row, at most 255 (native_lists.c), save or cost. */
enum { SHARED = 1 << 20 };

/* number[s]: for each local point of side s its number in the pair, -1 if it has
 * none; place[s]: the way back. */
mplan_status mplan_native_pair_lists_create(native_pair *pair, mplan_error *err)
{
    assert(pair);
    int64_t most = pair->cut->lists->most_points, size = 2 * (int64_t)pair->cut->room;
    pair_lists *l = pair->lists = mplan_alloc_zero(1, sizeof *l, err);
    if (!l)
        return MPLAN_ERR_MEMORY;
    bool all = true;
    for (int32_t s = 0; s < 2; s++) {
        l->number[s] = mplan_alloc(NATIVE_NONE + 1, sizeof *l->number[s], err);
        if (l->number[s])
            l->number[s][NATIVE_NONE] = -1;
        l->value[s] = mplan_alloc(NATIVE_NONE + 1, sizeof *l->value[s], err);
        if (l->value[s])
            l->value[s][NATIVE_NONE] = 0;
        l->place[s] = mplan_alloc(2 * most, sizeof *l->place[s], err);
        all = all && l->number[s] && l->value[s] && l->place[s];
    }
    l->mark = mplan_alloc_zero(pair->cut->table->n_points, sizeof *l->mark, err);
    l->to = mplan_alloc(most, sizeof *l->to, err);
    l->slot = mplan_alloc(size, sizeof *l->slot, err);
    l->home = mplan_alloc(size, sizeof *l->home, err);
    return all && l->mark && l->to && l->slot && l->home ? MPLAN_OK : MPLAN_ERR_MEMORY;
}

void mplan_native_pair_lists_free(native_pair *pair)
{
    assert(pair);
    pair_lists *l = pair->lists;
    if (!l)
        return;
    void *const owned[] = {l->number[0], l->number[1], l->value[0], l->value[1], l->place[0],
                           l->place[1],  l->mark,      l->to,       l->slot,     l->home};
    for (size_t i = 0; i < sizeof owned / sizeof *owned; i++)
        free(owned[i]);
    free(l);
}

/* --- reading ------------------------------------------------------------------- */

static inline int32_t weight_of(const native_table *table, int32_t point)
{
    return table->n_sets > 1 ? table->set_weight[native_set_of(table, point)] : 1;
}

/* A point at a place of the list of one block, and of the other's, or -1. */
static int32_t add_point(native_pair *pair, int32_t s, int32_t place, int32_t other)
{
    const native_table *table = pair->cut->table;
    const native_lists *lists = pair->cut->lists;
    pair_lists *l = pair->lists;
    int64_t at = lists->points_begin[pair->block[s]] + place;
    int64_t there = lists->points_begin[pair->block[1 - s]] + other;
    int32_t id = pair->n_points++;
    pair_point *p = &pair->points[id];
    p->point = lists->points[at];
    p->weight = weight_of(table, p->point);
    p->count[s] = lists->counts[at];
    p->count[1 - s] = other < 0 ? 0 : lists->counts[there];
    p->end = 0;
    l->place[s][id] = place;
    l->place[1 - s][id] = other;
    l->number[s][place] = id;
    return id;
}

/* Reads the points that both blocks touch, and what the points of each block save: their weight where the element
 * that moves is the last of its block there, less their weight where the other block has none. A mark that an earlier
 * pair left is known by the point that lies at its place, so that marks are never cleared. */
static void read_shared(native_pair *pair)
{
    const native_lists *lists = pair->cut->lists;
    const native_table *table = pair->cut->table;
    pair_lists *l = pair->lists;
    const int32_t *first = lists->points + lists->points_begin[pair->block[0]];
    const int32_t *second = lists->points + lists->points_begin[pair->block[1]];
    const uint16_t *of_first = lists->counts + lists->points_begin[pair->block[0]];
    const uint16_t *of_second = lists->counts + lists->points_begin[pair->block[1]];
    int32_t n = lists->n_points[pair->block[0]];
    for (int32_t i = 0; i < n; i++) {
        l->number[0][i] = -1;
        l->value[0][i] = of_first[i] == 1 ? 0 : -weight_of(table, first[i]);
        l->mark[first[i]] = (uint16_t)i;
    }
    for (int32_t i = 0; i < lists->n_points[pair->block[1]]; i++) {
        int32_t at = l->mark[second[i]], weight = weight_of(table, second[i]);
        bool shared = at < n && first[at] == second[i];
        l->number[1][i] = -1;
        l->value[1][i] = of_second[i] == 1 ? 0 : -weight;
        if (!shared)
            continue;
        l->value[0][at] += SHARED + weight;
        l->value[1][i] += SHARED + weight;
        l->number[1][i] = add_point(pair, 0, at, i);
    }
}

/* What the elements of a side are read from. */
typedef struct side_rows {
    const int32_t *members, *number;
    const uint16_t *local;
    int32_t side, stride;
} side_rows;

static side_rows rows_of(const native_pair *pair, int32_t s)
{
    return (side_rows){.members = native_members(pair->cut, pair->block[s]),
                       .number = pair->lists->number[s],
                       .local = native_rows(pair->cut, pair->block[s]),
                       .side = s,
                       .stride = pair->cut->lists->stride};
}

/* Reads the element at place `slot` of a side, and its row: points that were not read yet are
 * added, known to this side only. gain: that of an element at the border. points[].end counts the elements of each point until
 * list_elements(). */
static inline void add_element(native_pair *pair, const side_rows *from, int32_t slot, int32_t gain)
{
    const int32_t e = pair->n++, begin = pair->n_entries, stride = from->stride;
    const uint16_t *local = from->local + slot * stride;
    int32_t *row = pair->rows + begin, length = 0;
    pair_point *points = pair->points;
    pair->lists->slot[e] = slot;
    pair->lists->home[e] = (uint8_t)from->side;
    for (; length < stride && local[length] != NATIVE_NONE; length++) {
        int32_t id = from->number[local[length]];
        if (id < 0)
            id = add_point(pair, from->side, local[length], -1);
        row[length] = id;
        points[id].end++;
    }
    pair->elements[e] = (pair_element){.element = from->members[slot],
                                       .row = begin,
                                       .gain = gain,
                                       .length = (uint16_t)length,
                                       .side = (uint8_t)from->side,
                                       .state = NATIVE_OUT};
    pair->n_entries = begin + length;
}

/* The elements at n places of a side; gain: of each. */
static void add_some(native_pair *pair, int32_t s, const int32_t *slot, const int32_t *gain, int32_t n)
{
    const side_rows rows = rows_of(pair, s);
    for (int32_t i = 0; i < n; i++)
        add_element(pair, &rows, slot[i], gain[i]);
}

/* All elements of a side. */
static void add_all(native_pair *pair, int32_t s)
{
    const side_rows rows = rows_of(pair, s);
    for (int32_t i = 0; i < pair->size[s]; i++)
        add_element(pair, &rows, i, 0);
}

/* Finds the elements of a side that touch a shared point, without a branch, since none can be foretold: their
 * slots and gains; returns how many there are. Each array has room for all of the side. */
static inline int32_t find_rows(const native_pair *pair, int32_t s, int32_t stride, int32_t *slot,
                                int32_t *gain)
{
    const int32_t *value = pair->lists->value[s];
    const uint16_t *local = native_rows(pair->cut, pair->block[s]);
    int32_t n = 0;
    for (int32_t i = 0; i < pair->size[s]; i++, local += stride) {
        int32_t sum = SHARED / 2;
        for (int32_t k = 0; k < stride; k++)
            sum += value[local[k]];
        slot[n] = i;
        gain[n] = (sum & (SHARED - 1)) - SHARED / 2;
        n += sum >= SHARED;
    }
    return n;
}

/* The usual lengths of rows as constants. */
static int32_t find_border(const native_pair *pair, int32_t s, int32_t *slot, int32_t *gain)
{
    int32_t stride = pair->cut->lists->stride;
    switch (stride) {
    case 2: return find_rows(pair, s, 2, slot, gain);
    case 3: return find_rows(pair, s, 3, slot, gain);
    case 4: return find_rows(pair, s, 4, slot, gain);
    case 6: return find_rows(pair, s, 6, slot, gain);
    case 8: return find_rows(pair, s, 8, slot, gain);
    default: return find_rows(pair, s, stride, slot, gain);
    }
}

/* Reads the elements of both sides at the border; false, and none, where none of them would save `least`.
 * pair->moved and pair->waiting are free until the refinement. */
static bool read_border(native_pair *pair, int32_t least)
{
    int32_t n[2], best = INT32_MIN, *slot = pair->moved, *gain = pair->waiting;
    n[0] = find_border(pair, 0, slot, gain);
    n[1] = find_border(pair, 1, slot + n[0], gain + n[0]);
    for (int32_t i = 0; i < n[0] + n[1]; i++)
        best = gain[i] > best ? gain[i] : best;
    pair->lists->best = best;
    if (best >= least) {
        add_some(pair, 0, slot, gain, n[0]);
        add_some(pair, 1, slot + n[0], gain + n[0], n[1]);
    }
    return best >= least;
}

/* Lists the elements of every point. */
static void list_elements(native_pair *pair)
{
    int32_t end = 0, *touch = pair->touch;
    pair_point *points = pair->points;
    for (int32_t p = 0; p < pair->n_points; p++) {
        int32_t n = points[p].end;
        points[p].begin = points[p].end = end;
        end += n;
    }
    const int32_t *row = pair->rows; /* rows follow one another */
    for (int32_t e = 0; e < pair->n; e++)
        for (const int32_t *behind = row + pair->elements[e].length; row < behind; row++)
            touch[points[*row].end++] = e;
}

/* Points of each set that the sides touch. */
static void read_sets(native_pair *pair)
{
    const native_lists *lists = pair->cut->lists;
    const native_table *table = pair->cut->table;
    for (int32_t s = 0; s < 2; s++) {
        int64_t *count = pair->set_points + (int64_t)s * table->n_sets, b = pair->block[s];
        const int32_t *points = lists->points + lists->points_begin[b];
        memset(count, 0, (size_t)table->n_sets * sizeof *count);
        if (table->n_sets == 1)
            count[0] = lists->n_points[b];
        for (int32_t i = 0; i < lists->n_points[b] && table->n_sets > 1; i++)
            count[native_set_of(table, points[i])]++;
    }
}

/* all: every element of both blocks; else only those at common points. */
bool mplan_native_pair_lists_read(native_pair *pair, bool all, int32_t least)
{
    assert(pair);
    read_shared(pair);
    for (int32_t s = 0; s < 2 && all; s++)
        add_all(pair, s);
    if (!all && !read_border(pair, least))
        return false;
    pair->at_border = !all;
    list_elements(pair);
    if (pair->set_points)
        read_sets(pair);
    return true;
}

/* --- storing --------------------------------------------------------------------- */

/* Gives points that a side touches now and did not before places behind its others, and stores
 * all counts; false, with nothing changed, where a list has no room. */
static bool place_points(const native_pair *pair)
{
    native_lists *lists = pair->cut->lists;
    int64_t n[2];
    for (int32_t s = 0; s < 2; s++) {
        int64_t b = pair->block[s];
        n[s] = lists->points_begin[b] + lists->n_points[b];
        for (int32_t p = 0; p < pair->n_points; p++)
            n[s] += pair->points[p].count[s] > 0 && pair->lists->place[s][p] < 0;
        if (n[s] > lists->points_begin[b + 1])
            return false;
    }
    for (int32_t s = 0; s < 2; s++)
        for (int32_t p = 0; p < pair->n_points; p++) {
            int64_t b = pair->block[s], begin = lists->points_begin[b];
            int32_t *place = &pair->lists->place[s][p], count = pair->points[p].count[s];
            if (count > 0 && *place < 0) {
                *place = lists->n_points[b]++;
                lists->points[begin + *place] = pair->points[p].point;
            }
            if (*place >= 0)
                lists->counts[begin + *place] = (uint16_t)count;
        }
    return true;
}

/* Puts an element of the pair at a place among the members of its side. */
static void store_element(const native_pair *pair, int32_t e, int32_t slot)
{
    const pair_element *element = &pair->elements[e];
    const int32_t *place = pair->lists->place[element->side], *row = pair->rows + element->row;
    int32_t b = pair->block[element->side], stride = pair->cut->lists->stride;
    uint16_t *local = native_rows(pair->cut, b) + slot * stride;
    native_members(pair->cut, b)[slot] = element->element;
    for (int32_t k = 0; k < stride; k++)
        local[k] = k < element->length ? (uint16_t)place[row[k]] : NATIVE_NONE;
    mplan_poke(&pair->cut->where[element->element].block, b);
}

/* Fills the places of members that left with the last ones, and sets the block's size. size:
 * places in use, gaps included. */
static void close_gaps(const native_cut *cut, int64_t b, int32_t size)
{
    int32_t *members = native_members(cut, b), stride = cut->lists->stride;
    uint16_t *rows = native_rows(cut, b);
    for (int32_t i = 0; i < size; i++) {
        while (size > i && members[size - 1] < 0)
            size--;
        if (i >= size || members[i] >= 0)
            continue;
        members[i] = members[--size];
        memcpy(rows + i * stride, rows + size * stride, (size_t)stride * sizeof *rows);
    }
    cut->sizes[b] = size;
}

/* Elements move from list to list. Places of those that leave are marked by -1 first; those that
 * arrive fill these, then go behind the others; what is left open is closed. left[s]: how many
 * more leave side s than arrive. */
static void store_members(const native_pair *pair)
{
    const native_cut *cut = pair->cut;
    const uint8_t *home = pair->lists->home;
    int32_t next[2] = {0, 0}, left[2] = {0, 0};
    for (int32_t e = 0; e < pair->n; e++)
        if (pair->elements[e].side != home[e]) {
            native_members(cut, pair->block[home[e]])[pair->lists->slot[e]] = -1;
            left[home[e]]++;
            left[1 - home[e]]--;
        }
    for (int32_t e = 0; e < pair->n; e++) {
        int32_t s = pair->elements[e].side, size = cut->sizes[pair->block[s]];
        const int32_t *members = native_members(cut, pair->block[s]);
        if (s == home[e])
            continue;
        while (next[s] < size && members[next[s]] >= 0)
            next[s]++;
        store_element(pair, e, next[s]++);
    }
    for (int32_t s = 0; s < 2; s++) {
        int32_t size = cut->sizes[pair->block[s]];
        if (left[s] > 0)
            close_gaps(cut, pair->block[s], size);
        else
            cut->sizes[pair->block[s]] = size - left[s];
    }
}

/* Gives up the places of points that side s no longer touches: the last ones move there, and
 * rows that name them follow. One look at all rows of the block, where a place moved. */
static void drop_points(const native_pair *pair, int32_t s)
{
    native_lists *lists = pair->cut->lists;
    int64_t b = pair->block[s];
    int32_t entries = pair->cut->sizes[b] * lists->stride, n = lists->n_points[b], lost = 0;
    int32_t *points = lists->points + lists->points_begin[b], first = n;
    uint16_t *counts = lists->counts + lists->points_begin[b], *local = native_rows(pair->cut, b);
    uint16_t *to = pair->lists->to; /* of the places behind the new end: the new ones */
    for (int32_t p = 0; p < pair->n_points; p++) {
        int32_t place = pair->lists->place[s][p];
        bool drops = place >= 0 && pair->points[p].count[s] == 0;
        first = drops && place < first ? place : first;
        lost += drops;
    }
    int32_t kept = n - lost;
    for (int32_t i = first, last = n; i < kept; i++) {
        if (counts[i] > 0)
            continue;
        do
            last--;
        while (counts[last] == 0);
        points[i] = points[last];
        counts[i] = counts[last];
        to[last] = (uint16_t)i;
    }
    for (int32_t k = 0; k < entries && first < kept; k++)
        if (local[k] >= kept && local[k] != NATIVE_NONE)
            local[k] = to[local[k]];
    lists->n_points[b] = kept;
}

/* False if a list has no room for the new points: the refinement is dropped
 * then. */
bool mplan_native_pair_lists_store(native_pair *pair)
{
    assert(pair);
    if (!place_points(pair))
        return false;
    store_members(pair);
    drop_points(pair, 0);
    drop_points(pair, 1);
    return true;
}
