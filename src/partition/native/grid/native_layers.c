/* SPDX-License-Identifier: Apache-2.0 */
/* native_layers.c - columns of elements that lie on one another
 *
 * Halves of rows that hold the same points join an element to the one above or below.
 * Chains of them are columns, and points that lie on one another are lines, so that columns and
 * lines are a mesh of the plane. From a column, levels spread to those beside it, as
 * their common lines tell: columns may be turned upside down, and begin at any height.
 *
 * What stacks on them bring (tools/bench/ablation: S = 128, 150,000 cells, reuse and seconds of the cut with / without): prisms
 * along a wing to nodes 5.840 / 4.816 and 0.17 / 0.34. */
#include "partition/native/grid/native_layers.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "base/buckets.h"
#include "base/error.h"
#include "base/memory.h"

enum { NONE = -1, LEAST_LAYERS = 3, MOST_HALF = 4, UNSET = INT32_MIN };

typedef struct pile {
    native_layers *l;
    int32_t *across; /* 2 per element, one a half: 2 x element + half on the other side; NONE */
    int32_t *column; /* per element */
    int32_t *line;   /* per point */
    int32_t *level;  /* per point */
} pile;

/* Points of half `end`: 2 e is the first half of element e's row, 2 e + 1 the second. */
static const int32_t *half_of(const native_layers *l, int32_t end)
{
    return l->table->points + (int64_t)end * l->half;
}

/* --- columns ---------------------------------------------------------------------- */

/* a and b: halves of elements (2e or 2e + 1). Compares them as sets. */
static bool are_same_points(const native_layers *l, int32_t a, int32_t b)
{
    const int32_t *p = half_of(l, a), *q = half_of(l, b);
    int32_t same = 0;
    for (int32_t i = 0; i < l->half; i++)
        for (int32_t k = 0; k < l->half; k++)
            same += p[i] == q[k];
    return same == l->half;
}

/* A sum, so that the order of the points does not matter. */
static uint64_t hash_half(const native_layers *l, int32_t end)
{
    const int32_t *p = half_of(l, end);
    uint64_t sum = 0;
    for (int32_t k = 0; k < l->half; k++) {
        uint64_t x = (uint64_t)p[k] * UINT64_C(0x9E3779B97F4A7C15);
        sum += (x ^ x >> 32) * UINT64_C(0xBF58476D1CE4E5B9);
    }
    return sum ^ sum >> 29;
}

/* Joins the halves that hold the same points; false where three do. */
static bool join_halves(pile *s, int32_t *table, int64_t room)
{
    int64_t n = 2 * s->l->table->n;
    memset(table, 0xff, (size_t)room * sizeof *table);
    memset(s->across, 0xff, (size_t)n * sizeof *s->across);
    for (int64_t end = 0; end < n; end++) {
        uint64_t i = hash_half(s->l, (int32_t)end) & (uint64_t)(room - 1);
        while (table[i] != NONE && !are_same_points(s->l, table[i], (int32_t)end))
            i = (i + 1) & (uint64_t)(room - 1);
        if (table[i] == NONE) {
            table[i] = (int32_t)end;
            continue;
        }
        if (s->across[table[i]] != NONE || table[i] / 2 == end / 2)
            return false;
        s->across[table[i]] = (int32_t)end;
        s->across[end] = table[i];
    }
    return true;
}

/* Stacks columns, each from an element that has nothing beyond one of its halves; false when
 * some elements are in rings, which have no such end, or columns are too low to be worth it.
 * stack: halves by which elements are entered, so that end ^ 1 is the half by which they are
 * left; turned into elements at the end. */
static bool stack_columns(pile *s)
{
    native_layers *l = s->l;
    int64_t n = l->table->n, placed = 0;
    memset(s->column, 0xff, (size_t)n * sizeof *s->column);
    for (int64_t e = 0; e < n; e++) {
        int32_t enter = s->across[2 * e] == NONE ? 0 : 1, end = (int32_t)(2 * e) + enter;
        if (s->column[e] != NONE || s->across[end] != NONE)
            continue;
        l->begin[l->n_columns] = placed;
        for (; end != NONE; end = s->across[end ^ 1]) {
            s->column[end / 2] = (int32_t)l->n_columns;
            l->stack[placed++] = end;
        }
        l->n_columns++;
    }
    l->begin[l->n_columns] = placed;
    return placed == n && n >= LEAST_LAYERS * l->n_columns;
}

/* --- lines --------------------------------------------------------------------------- */

/* Follows point k of the half by which a column is entered: point[i] lies below element i of the
 * stack, point[size] above the last. */
static void follow_line(const native_layers *l, int64_t c, int32_t k, int32_t *point)
{
    int64_t size = l->begin[c + 1] - l->begin[c];
    const int32_t *stack = l->stack + l->begin[c];
    point[0] = half_of(l, stack[0])[k];
    for (int64_t i = 0; i < size; i++) {
        const int32_t *low = half_of(l, stack[i]), *high = half_of(l, stack[i] ^ 1);
        int32_t at = 0;
        while (at < l->half - 1 && low[at] != point[i])
            at++;
        point[i + 1] = high[at];
    }
}

/* Gives the points of each column's edges the line of those that have one; false when they have
 * several, or two edges of a column are one line. room: points of the highest column, its layers
 * and one more. */
static bool number_lines(pile *s, int32_t *room)
{
    native_layers *l = s->l;
    memset(s->line, 0xff, (size_t)l->table->n_points * sizeof *s->line);
    for (int64_t c = 0; c < l->n_columns; c++)
        for (int32_t k = 0; k < l->half; k++) {
            int64_t size = l->begin[c + 1] - l->begin[c];
            int32_t line = NONE;
            follow_line(l, c, k, room);
            for (int64_t i = 0; i <= size; i++) {
                int32_t its = s->line[room[i]];
                if (its != NONE && line != NONE && its != line)
                    return false;
                line = its != NONE ? its : line;
            }
            line = line == NONE ? (int32_t)l->n_lines++ : line;
            for (int64_t i = 0; i <= size; i++)
                s->line[room[i]] = line;
            l->lines[c * l->half + k] = line;
            for (int32_t j = 0; j < k; j++)
                if (l->lines[c * l->half + j] == line)
                    return false;
        }
    return true;
}

/* --- levels ---------------------------------------------------------------------------- */

/* Level of the first point of a column's edges, and whether levels fall along the stack, from what its
 * points have. */
static void level_column(pile *s, int64_t c, int32_t *room)
{
    native_layers *l = s->l;
    int64_t size = l->begin[c + 1] - l->begin[c];
    int32_t first = 0, step = 1;
    bool sure = false;
    for (int32_t k = 0; k < l->half && !sure; k++) {
        follow_line(l, c, k, room);
        for (int64_t i = 0; i <= size && !sure; i++) {
            int32_t level = s->level[room[i]];
            if (level == UNSET)
                continue;
            if (i < size && s->level[room[i + 1]] != UNSET) {
                step = s->level[room[i + 1]] < level ? -1 : 1;
                sure = true;
            }
            first = level - step * (int32_t)i;
        }
    }
    for (int32_t k = 0; k < l->half; k++) {
        follow_line(l, c, k, room);
        for (int64_t i = 0; i <= size; i++)
            if (s->level[room[i]] == UNSET)
                s->level[room[i]] = first + step * (int32_t)i;
    }
    l->down[c] = step < 0;
    l->low[c] = step < 0 ? first - (int32_t)size : first;
}

/* The mesh of columns and lines, for a search over it. */
typedef struct plane {
    int64_t *begin;   /* n_lines + 2 */
    int32_t *columns; /* of each line */
    int32_t *queue;   /* n_columns */
    uint8_t *seen;
} plane;

static void plane_free(plane *p)
{
    free(p->begin);
    free(p->columns);
    free(p->queue);
    free(p->seen);
}

/* The columns at each line of points (columns[begin[line]] ...), and room for a
 * search over them. Arrays belong to *p, also after a failure. */
static mplan_status plane_create(const native_layers *l, plane *p, mplan_error *err)
{
    int64_t entries = l->n_columns * l->half;
    p->begin = mplan_alloc_zero(l->n_lines + 2, sizeof *p->begin, err);
    p->columns = mplan_alloc(entries, sizeof *p->columns, err);
    p->queue = mplan_alloc(l->n_columns, sizeof *p->queue, err);
    p->seen = mplan_alloc_zero(l->n_columns, 1, err);
    if (!p->begin || !p->columns || !p->queue || !p->seen)
        return MPLAN_ERR_MEMORY;
    int64_t *place = p->begin + 1; /* ends up as begin */
    for (int64_t i = 0; i < entries; i++)
        place[l->lines[i] + 1]++;
    mplan_sum_counts(place, l->n_lines);
    for (int64_t i = 0; i < entries; i++)
        p->columns[place[l->lines[i]]++] = (int32_t)(i / l->half);
    return MPLAN_OK;
}

/* Levels, from column to column that share a line, breadth first; each component begins at level
 * 0. */
static void level_columns(pile *s, plane *p, int32_t *room)
{
    native_layers *l = s->l;
    for (int64_t i = 0; i < l->table->n_points; i++)
        s->level[i] = UNSET;
    for (int64_t root = 0; root < l->n_columns; root++) {
        int64_t first = 0, end = 0;
        if (p->seen[root])
            continue;
        p->seen[root] = 1;
        p->queue[end++] = (int32_t)root;
        while (first < end) {
            int32_t c = p->queue[first++];
            level_column(s, c, room);
            for (int32_t k = 0; k < l->half; k++) {
                int32_t line = l->lines[(int64_t)c * l->half + k];
                for (int64_t i = p->begin[line]; i < p->begin[line + 1]; i++)
                    if (!p->seen[p->columns[i]]) {
                        p->seen[p->columns[i]] = 1;
                        p->queue[end++] = p->columns[i];
                    }
            }
        }
    }
}

/* Numbers the lines of points, then gives every column a height so that neighbouring columns
 * have equal levels where they share points. *found is false where a point would lie on two
 * lines. Levels that contradict each other around a ring are not looked for: they make worse
 * blocks, not wrong ones. */
static mplan_status find_levels(pile *s, bool *found, mplan_error *err)
{
    native_layers *l = s->l;
    plane p = {NULL, NULL, NULL, NULL};
    int64_t highest = 0;
    for (int64_t c = 0; c < l->n_columns; c++)
        highest = l->begin[c + 1] - l->begin[c] > highest ? l->begin[c + 1] - l->begin[c] : highest;
    int32_t *room = mplan_alloc(highest + 1, sizeof *room, err);
    s->line = mplan_alloc(l->table->n_points, sizeof *s->line, err);
    l->lines = mplan_alloc(l->n_columns * l->half, sizeof *l->lines, err);
    mplan_status status = room && s->line && l->lines ? MPLAN_OK : MPLAN_ERR_MEMORY;
    if (!status)
        *found = number_lines(s, room);
    free(s->line);
    s->line = NULL;
    if (!status && *found) {
        s->level = mplan_alloc(l->table->n_points, sizeof *s->level, err);
        l->low = mplan_alloc(l->n_columns, sizeof *l->low, err);
        l->down = mplan_alloc(l->n_columns, 1, err);
        status = s->level && l->low && l->down ? plane_create(l, &p, err) : MPLAN_ERR_MEMORY;
        if (!status)
            level_columns(s, &p, room);
    }
    plane_free(&p);
    free(room);
    return status;
}

/* Elements whose halves are the same points lie one over the other. `room`:
 * slots of a hash table, a power of two of at least three times as many as
 * elements. */
static mplan_status find_columns(pile *s, bool *found, mplan_error *err)
{
    native_layers *l = s->l;
    int64_t n = l->table->n, room = 16;
    while (room < 3 * n)
        room *= 2;
    int32_t *table = mplan_alloc(room, sizeof *table, err);
    s->across = mplan_alloc(2 * n, sizeof *s->across, err);
    mplan_status status = table && s->across ? MPLAN_OK : MPLAN_ERR_MEMORY;
    *found = !status && join_halves(s, table, room);
    free(table);
    if (!*found)
        return status;
    s->column = mplan_alloc(n, sizeof *s->column, err);
    l->begin = mplan_alloc(n + 1, sizeof *l->begin, err);
    l->stack = mplan_alloc(n, sizeof *l->stack, err);
    if (!s->column || !l->begin || !l->stack)
        return MPLAN_ERR_MEMORY;
    *found = stack_columns(s);
    return MPLAN_OK;
}

void mplan_native_layers_free(native_layers *layers)
{
    assert(layers);
    free(layers->begin);
    free(layers->stack);
    free(layers->lines);
    free(layers->low);
    free(layers->down);
    *layers = (native_layers){.table = NULL};
}

/* Tables of one set with six or eight points a row. *layers is empty unless
 * *found. */
mplan_status mplan_native_layers_find(const native_table *table, native_layers *layers, bool *found,
                                      const mplan_context *context, mplan_error *err)
{
    assert(table && layers && found);
    *layers = (native_layers){.table = table, .half = table->arity / 2};
    pile s = {.l = layers};
    *found = false;
    if (table->n_sets != 1 || (table->arity != 6 && table->arity != 8) || table->n > INT32_MAX / 2)
        return MPLAN_OK;
    mplan_status status = find_columns(&s, found, err);
    free(s.across);
    free(s.column);
    if (!status)
        status = mplan_interrupted(context, err);
    if (!status && *found)
        status = find_levels(&s, found, err);
    free(s.level);
    if (status || !*found)
        mplan_native_layers_free(layers);
    for (int64_t i = 0; !status && *found && i < table->n; i++)
        layers->stack[i] /= 2;
    return status;
}
