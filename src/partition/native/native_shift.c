/* SPDX-License-Identifier: Apache-2.0 */
/* native_shift.c - elements that cross the border of two blocks, those first that save most points
 *
 * Points get numbers as both blocks are read, so that counts lie side by side and threads have their own. What a move saves is
 * found once for each element, and again where a move before it changed what its points count. */
#include "partition/native/native_shift.h"

#include <assert.h>
#include <stdlib.h>

/* what a step away from the elements that a block had before costs, in points */
enum { NEAR = 2 };

/* A point of the two blocks at hand: how many elements of each touch it, and its steps from what the taking block had before. */
typedef struct shift_point {
    uint16_t count[2], level;
    bool hub;
    int32_t begin, end; /* in touch: the elements of the giving block, also those that are gone */
} shift_point;

typedef struct shift_element {
    int32_t element, length;
    int64_t row;   /* of `rows`: its first point */
    int32_t place; /* among the gains; -1: it is gone */
    int32_t level; /* steps from what the taking block had before */
} shift_element;

typedef struct shift_gain {
    int32_t gain, of;
} shift_gain;

void mplan_native_shift_open(native_shift *shift)
{
    assert(shift);
    *shift = (native_shift){.elements = MPLAN_VECTOR_INIT(sizeof(shift_element)),
                            .rows = MPLAN_VECTOR_INIT(sizeof(int32_t)),
                            .touch = MPLAN_VECTOR_INIT(sizeof(int32_t)),
                            .gains = MPLAN_VECTOR_INIT(sizeof(shift_gain)),
                            .points = MPLAN_VECTOR_INIT(sizeof(shift_point))};
}

void mplan_native_shift_free(native_shift *shift)
{
    assert(shift);
    free(shift->elements.data);
    free(shift->rows.data);
    free(shift->touch.data);
    free(shift->gains.data);
    free(shift->points.data);
    mplan_point_table_free(&shift->table);
}

/* Entries of the rows of a block. */
static int64_t entries_of(const native_chains *chains, int32_t b)
{
    const native_table *table = chains->cut->table;
    int64_t sum = (int64_t)chains->cut->sizes[b] * table->arity;
    for (int32_t e = chains->head[b]; table->offsets && e != NATIVE_CHAIN_END;
         e = *native_next_of(chains, e))
        sum += table->offsets[e + 1] - table->offsets[e];
    return sum;
}

/* Room for the elements of block a, and for the points of both; what was there is gone. */
static bool make_room(native_shift *shift, const native_chains *chains, int32_t a, int32_t b)
{
    const int64_t own = entries_of(chains, a), all = own + entries_of(chains, b);
    if (!mplan_vector_reserve(&shift->elements, chains->cut->sizes[a], NULL) ||
        !mplan_vector_reserve(&shift->gains, chains->cut->sizes[a], NULL) ||
        !mplan_vector_reserve(&shift->rows, own, NULL) ||
        !mplan_vector_reserve(&shift->touch, own, NULL) ||
        !mplan_vector_reserve(&shift->points, all, NULL))
        return false;
    if (!shift->table.key || (INT64_C(1) << shift->table.bits) < 2 * all) {
        mplan_point_table_free(&shift->table);
        if (mplan_point_table_create(&shift->table, all, NULL)) {
            mplan_point_table_free(&shift->table);
            return false;
        }
    }
    return true;
}

/* Counts an element's points on its side; row: their numbers, NULL: not asked for. */
static inline void read_row(mplan_point_table *table, shift_point *points, const native_cut *cut,
                            int32_t e, int32_t side, int32_t *row)
{
    int32_t length;
    const int32_t *of_table = native_row(cut->table, e, &length);
    for (int32_t k = 0; k < length; k++) {
        const int32_t known = table->n_points;
        const int32_t p = mplan_point_table_id(table, (uint64_t)of_table[k]);
        if (p == known)
            points[p] = (shift_point){.hub = native_is_hub(cut, of_table[k])};
        points[p].count[side]++;
        if (row)
            row[k] = p;
    }
}

/* Reads both blocks; returns how many elements block a has. */
static int32_t read_blocks(native_shift *shift, const native_chains *chains, int32_t a, int32_t b)
{
    const native_cut *cut = chains->cut;
    shift_element *elements = shift->elements.data;
    shift_point *points = shift->points.data;
    int32_t n = 0, *rows = shift->rows.data;
    int64_t used = 0;
    mplan_point_table table = shift->table; /* which no store into the arrays changes */
    mplan_point_table_begin(&table);
    for (int32_t e = chains->head[a]; e != NATIVE_CHAIN_END; e = *native_next_of(chains, e)) {
        shift_element *next = &elements[n++];
        *next = (shift_element){.element = e, .row = used};
        native_row(cut->table, e, &next->length);
        read_row(&table, points, cut, e, 0, rows + used);
        used += next->length;
    }
    for (int32_t e = chains->head[b]; e != NATIVE_CHAIN_END; e = *native_next_of(chains, e))
        read_row(&table, points, cut, e, 1, NULL);
    shift->table = table;
    assert(n == cut->sizes[a]);
    return n;
}

/* Lists the elements of the giving block at each point. */
static void list_touching(native_shift *shift, int32_t n)
{
    const shift_element *elements = shift->elements.data;
    const int32_t *rows = shift->rows.data;
    shift_point *points = shift->points.data;
    int32_t *touch = shift->touch.data, end = 0;
    for (int32_t p = 0; p < shift->table.n_points; p++) {
        points[p].begin = points[p].end = end;
        end += points[p].count[0];
    }
    for (int32_t i = 0; i < n; i++)
        for (int32_t k = 0; k < elements[i].length; k++)
            touch[points[rows[elements[i].row + k]].end++] = i;
}

/* What the move of an element saves: points that the giving block loses, less those that the other gains, less NEAR for each step that
 * it is away from the elements which that had before; INT32_MIN where the element touches none of the other's. */
static void find_gain(native_shift *shift, shift_element *element)
{
    const shift_point *points = shift->points.data;
    const int32_t *row = (const int32_t *)shift->rows.data + element->row;
    int32_t gain = 0, least = INT32_MAX;
    bool touches = false;
    for (int32_t k = 0; k < element->length; k++) {
        const shift_point *point = &points[row[k]];
        if (point->count[1] > 0 && !point->hub) {
            touches = true;
            least = point->level < least ? point->level : least;
        }
        gain += (point->count[0] == 1) - (point->count[1] == 0);
    }
    element->level = touches ? least + 1 : 0;
    ((shift_gain *)shift->gains.data)[element->place].gain = touches ? gain - NEAR * least
                                                                     : INT32_MIN;
}

/* The place of the first of n gains that is the largest; -1 where no element touches the other block. */
static int32_t best_of(const shift_gain *gains, int32_t n)
{
    int32_t best = -1, most = INT32_MIN;
    for (int32_t i = 0; i < n; i++)
        if (gains[i].gain > most) {
            best = i;
            most = gains[i].gain;
        }
    return best;
}

/* An element of the giving block, out of the gains already, goes to block b. */
static void move_element(native_shift *shift, const native_chains *chains, shift_element *element,
                         int32_t b)
{
    shift_element *elements = shift->elements.data;
    shift_point *points = shift->points.data;
    const int32_t *row = (const int32_t *)shift->rows.data + element->row, *touch = shift->touch.data;
    for (int32_t k = 0; k < element->length; k++) {
        points[row[k]].count[0]--;
        if (points[row[k]].count[1]++ == 0)
            points[row[k]].level = (uint16_t)element->level;
    }
    for (int32_t k = 0; k < element->length; k++) {
        const shift_point *point = &points[row[k]];
        if (point->count[0] != 1 && point->count[1] != 1) /* as before, to who is left */
            continue;
        for (int32_t i = point->begin; i < point->end; i++)
            if (elements[touch[i]].place >= 0)
                find_gain(shift, &elements[touch[i]]);
    }
    chains->cut->where[element->element].block = b;
    *native_next_of(chains, element->element) = chains->head[b];
    chains->head[b] = element->element;
}

bool mplan_native_shift(native_shift *shift, const native_chains *chains, int32_t a, int32_t b,
                        int32_t amount, int32_t *moved)
{
    assert(shift && chains && a != b && amount >= 0 && moved);
    int32_t *sizes = chains->cut->sizes;
    assert(sizes[a] <= NATIVE_MOST_SHIFTED && sizes[b] <= NATIVE_MOST_SHIFTED - amount);
    *moved = 0;
    if (!make_room(shift, chains, a, b))
        return false;
    shift_element *elements = shift->elements.data;
    shift_gain *gains = shift->gains.data;
    int32_t n = read_blocks(shift, chains, a, b);
    list_touching(shift, n);
    for (int32_t i = 0; i < n; i++) {
        elements[i].place = gains[i].of = i;
        find_gain(shift, &elements[i]);
    }
    while (*moved < amount && n > 1) {
        const int32_t best = best_of(gains, n);
        if (best < 0)
            break;
        shift_element *leaves = &elements[gains[best].of];
        gains[best] = gains[--n];
        elements[gains[best].of].place = best;
        leaves->place = -1; /* the last one of the gains may be itself */
        move_element(shift, chains, leaves, b);
        ++*moved;
    }
    chains->head[a] = NATIVE_CHAIN_END;
    for (int32_t i = n - 1; i >= 0; i--) {
        const int32_t e = elements[gains[i].of].element;
        *native_next_of(chains, e) = chains->head[a];
        chains->head[a] = e;
    }
    sizes[a] -= *moved;
    sizes[b] += *moved;
    return true;
}
