/* SPDX-License-Identifier: Apache-2.0 */
/* native_pair_read.c - two blocks side by side: what is read of them, when it is met */
#include "partition/native/native_pair_read.h"

#include <assert.h>
#include <string.h>

enum { ID_BITS = 20 };

/* The place of a point, or the free one where it belongs: open addressing, at most half full.
 * Entries of earlier pairs count as free, since the upper bits of their id are another pair's
 * number. */
static pair_place *find_place(native_pair *pair, int32_t point)
{
    uint32_t mask = (UINT32_C(1) << pair->bits) - 1;
    uint32_t at = ((uint32_t)point * UINT32_C(0x9E3779B1)) >> (32 - pair->bits);
    while (pair->place[at].id >> ID_BITS == pair->now && pair->place[at].point != point)
        at = (at + 1) & mask;
    return &pair->place[at];
}

/* Empties the table for good: `now` would have come round, or the table has grown. */
static void clear_places(native_pair *pair)
{
    memset(pair->place, 0, (sizeof *pair->place) << pair->bits);
    pair->now = 1;
}

/* Twice as many places, half of which were full. */
static void grow_places(native_pair *pair)
{
    pair->bits++;
    clear_places(pair);
    for (int32_t p = 0; p < pair->n_points; p++)
        *find_place(pair, pair->points[p].point) = (pair_place){pair->points[p].point,
                                                                pair->now << ID_BITS | (uint32_t)p};
}

/* What an element is when it is met. Elements with longer rows than `longest` get a row of none: they count at their points, and
 * never move. */
static inline pair_element new_element(const native_table *table, int32_t longest, int32_t element,
                                       int32_t side)
{
    int32_t length;
    native_row(table, element, &length);
    return (pair_element){.element = element,
                          .row = -1,
                          .length = (uint16_t)(length <= longest ? length : 0),
                          .side = (uint8_t)side,
                          .state = NATIVE_OUT};
}

static void add_element(native_pair *pair, int32_t element, int32_t side)
{
    pair->elements[pair->n] = new_element(pair->cut->table, pair->longest, element, side);
    pair->cut->where[element].slot = pair->n++;
}

/* A point that was not met brings its elements of both blocks. */
static void add_point(native_pair *pair, int32_t point)
{
    const native_cut *cut = pair->cut;
    const native_table *table = cut->table;
    int32_t a = pair->block[0], b = pair->block[1];
    pair_point *p = &pair->points[pair->n_points++];
    *p = (pair_point){.point = point, .begin = pair->n_touch};
    p->weight = table->n_sets == 1 ? 1 : table->set_weight[native_set_of(table, point)];
    if (native_is_hub(cut, point)) {
        p->weight = 0;
        p->end = p->begin;
        return;
    }
    int32_t met[NATIVE_MOST_HUB], n = 0; /* no branch where none can be foretold */
    native_where *all = cut->where;
    const int32_t longest = pair->longest;
    for (int64_t i = cut->begin[point], last = cut->begin[point + 1]; i < last; i++) {
        int32_t element = cut->elements[i], block = mplan_peek(&all[element].block);
        met[n] = element;
        n += (block == a) | (block == b);
    }
    /* nor whether an element was met before: there is room for one more */
    pair_element *elements = pair->elements;
    int32_t *touch = pair->touch, ones = 0, next = pair->n, end = pair->n_touch;
    for (int32_t i = 0; i < n; i++) {
        native_where *where = &all[met[i]];
        const bool is_new = where->slot < 0;
        const int32_t e = is_new ? next : where->slot;
        elements[next] = new_element(table, longest, met[i], where->block == b);
        next += is_new;
        where->slot = e;
        ones += elements[e].side;
        touch[end] = e;
        end += elements[e].length > 0;
    }
    p->count[0] = n - ones;
    p->count[1] = ones;
    p->end = end;
    pair->n = next;
    pair->n_touch = end;
}

/* The number of a point in the pair, which is read on its first call. */
int32_t mplan_native_pair_point(native_pair *pair, int32_t point)
{
    assert(pair);
    pair_place *place = find_place(pair, point);
    if (place->id >> ID_BITS == pair->now)
        return (int32_t)(place->id & (((uint32_t)1 << ID_BITS) - 1));
    int32_t id = pair->n_points;
    *place = (pair_place){point, pair->now << ID_BITS | (uint32_t)id};
    add_point(pair, point);
    if (pair->n_points >> (pair->bits - 1) > 0)
        grow_places(pair);
    return id;
}

/* Rows are read when they are first needed: most elements of a pair are far from
 * its border. */
void mplan_native_pair_row(native_pair *pair, int32_t e)
{
    assert(pair);
    int32_t length, begin = pair->n_entries;
    const int32_t *row = native_row(pair->cut->table, pair->elements[e].element, &length);
    pair->elements[e].row = begin;
    pair->n_entries += pair->elements[e].length;
    for (int32_t k = 0; k < pair->elements[e].length; k++)
        pair->rows[begin + k] = mplan_native_pair_point(pair, row[k]);
}

/* Clears what the pair before left, in constant time: numbers of points carry
 * the number of the pair. */
void mplan_native_pair_begin(native_pair *pair, const native_block_pair *block_pair)
{
    assert(pair && block_pair);
    const native_cut *cut = pair->cut;
    pair->block[0] = block_pair->a;
    pair->block[1] = block_pair->b;
    pair->n = pair->n_points = pair->n_entries = pair->n_touch = 0;
    pair->at_border = false;
    if (++pair->now >> (32 - ID_BITS) > 0)
        clear_places(pair);
    for (int32_t s = 0; s < 2; s++) {
        int64_t b = pair->block[s], n_sets = cut->table->n_sets;
        pair->size[s] = cut->sizes[b];
        for (int32_t k = 0; pair->set_points && k < n_sets && !pair->lists; k++)
            pair->set_points[s * n_sets + k] = cut->set_points[b * n_sets + k] + cut->set_hubs[k];
    }
}

/* Reads all members of both blocks; those of the first come first. */
void mplan_native_pair_members(native_pair *pair)
{
    assert(pair);
    const native_cut *cut = pair->cut;
    for (int32_t s = 0; s < 2; s++) {
        const int32_t *members = native_members(cut, pair->block[s]);
        for (int32_t i = 0; i < cut->sizes[pair->block[s]]; i++)
            if (cut->where[members[i]].slot < 0)
                add_element(pair, members[i], s);
    }
    for (int32_t e = 0; e < pair->n; e++)
        if (pair->elements[e].row < 0)
            mplan_native_pair_row(pair, e);
}
