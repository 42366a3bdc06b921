/* SPDX-License-Identifier: Apache-2.0 */
/* native_grow.c - the first cut: greedy graph growing, one block after the other
 *
 * The next element of a block is the one that shares the most weight of points
 * with it, less NEAR times the heaviest weight for each level that it is away from the
 * block's first element, ties first in, first out; the next block starts at the oldest element
 * that the border has reached, or, where a body has ended, at one that fills the block (native_bodies.c). Sizes are exact from the start. A point that no other
 * element waits for counts as shared: whoever takes the element pays for it, so
 * that no scraps are left behind. This is Farhat's greedy algorithm (Comput.
 * Struct. 28, 1988) with a gain: an element belongs where its points already are.
 * Points that very many elements touch do not lead the way.
 *
 * Levels keep blocks round where faces differ: a prism shares four points with the one beside
 * it and three with the one above, so that by shared points only a block is one layer. What they bring
 * (reuse of 60,000 cells to nodes, S = 128 / 448, with levels and without): prisms and tets round a sphere 7.652 / 9.973 and
 * 7.095 / 9.554, along a wing 7.674 / 9.867 and 7.117 / 8.777, 27-node hexes 2.455 / 2.597 and 2.093 / 2.339; tets, pyramids
 * and triangles within 0.4 %, with 1, 2 and 4 in the place of NEAR too. */
#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "partition/native/native_bodies.h"
#include "partition/native/native_grow.h"

enum { HUB = 512, TRIED = 2 };
/* Weight of points that a level is worth; keys are counted from FIRST_KEY, and those that are more than
 * FAR below it or NEARBY above share the last list. */
enum { NEAR = 2, FIRST_KEY = 1 << 24, FAR = 512, NEARBY = 256, N_LISTS = FAR + NEARBY };

/* A waiting element, in a list per key. */
typedef struct waiting {
    int32_t element, next;
} waiting;

/* What is known of an element, in one place: all of it is looked at together. */
typedef struct state {
    int32_t key;   /* FIRST_KEY + weight shared with the block at hand - its level's; 0: none */
    int32_t level; /* where it has a key: steps from the block's first element, as found so far */
    uint8_t taken;
    uint8_t reached; /* in the queue of the border */
    uint8_t alone;   /* weight of points that only it waits for */
} state;

struct native_growth {
    const native_table *table;
    const mplan_footprint *footprint;
    int64_t *begin;    /* n_points + 1 */
    int32_t *elements; /* of each point */
    state *state;      /* per element */
    int32_t now;       /* level of the element that is being taken */
    int32_t step;      /* what a level is worth */
    int32_t *left;     /* per point: elements that wait for it */
    uint8_t *loaded;   /* per point: in the block at hand */
    int32_t *border;   /* n: elements in the order in which they were reached */
    int64_t *counts;   /* per set: points of the block at hand */
    int64_t border_head, border_tail;
    native_bodies bodies; /* found when the first one ends; empty before */
    int32_t body;         /* first element of the body at hand; -1: none */
    int32_t head[N_LISTS], tail[N_LISTS], top;
    mplan_vector pool;   /* of waiting */
    mplan_vector keyed;  /* elements with a key */
    mplan_vector points; /* of the block at hand */
};

/* most: the largest table that the scratch must serve. NULL without memory. */
native_growth *mplan_native_growth_create(const native_extent *most, mplan_error *err)
{
    assert(most);
    native_growth *g = mplan_alloc_zero(1, sizeof *g, err);
    if (!g)
        return NULL;
    g->pool = (mplan_vector)MPLAN_VECTOR_INIT(sizeof(waiting));
    g->keyed = g->points = (mplan_vector)MPLAN_VECTOR_INIT(sizeof(int32_t));
    g->begin = mplan_alloc(most->points + 2, sizeof *g->begin, err);
    g->elements = mplan_alloc(most->entries, sizeof *g->elements, err);
    g->state = mplan_alloc(most->elements, sizeof *g->state, err);
    g->left = mplan_alloc(most->points, sizeof *g->left, err);
    g->loaded = mplan_alloc(most->points, 1, err);
    g->border = mplan_alloc(most->elements, sizeof *g->border, err);
    g->counts = mplan_alloc(most->sets, sizeof *g->counts, err);
    if (g->begin && g->elements && g->state && g->left && g->loaded && g->border && g->counts)
        return g;
    mplan_native_growth_free(g);
    return NULL;
}

void mplan_native_growth_free(native_growth *g)
{
    if (!g)
        return;
    free(g->begin);
    free(g->elements);
    free(g->state);
    free(g->left);
    free(g->loaded);
    free(g->border);
    free(g->counts);
    free(g->pool.data);
    free(g->keyed.data);
    free(g->points.data);
    mplan_native_bodies_free(&g->bodies);
    free(g);
}

/* Begins a table: nothing taken, no border but the first element, where it is asked for. The transposed
 * rows are made here, unless they are those of the run before. */
static void start(native_growth *g, const native_grow_task *task, mplan_team *team)
{
    const native_table *table = task->table;
    g->table = table;
    g->footprint = task->footprint;
    if (!task->again)
        mplan_native_table_transpose(table, g->begin, g->elements, team);
    memset(g->state, 0, (size_t)table->n * sizeof *g->state);
    memset(g->loaded, 0, (size_t)table->n_points);
    for (int64_t p = 0; p < table->n_points; p++)
        g->left[p] = (int32_t)(g->begin[p + 1] - g->begin[p]);
    g->step = 0;
    for (int32_t s = 0; s < table->n_sets; s++)
        g->step = NEAR * table->set_weight[s] > g->step ? NEAR * table->set_weight[s] : g->step;
    g->border_head = g->border_tail = 0;
    mplan_native_bodies_free(&g->bodies);
    g->body = -1;
    g->keyed.count = g->points.count = 0;
    if (task->first > 0) {
        g->border[g->border_tail++] = (int32_t)task->first;
        g->state[task->first].reached = 1;
    }
}

/* Forgets the keys and points of the block before, in the time of what it touched, so that all
 * blocks together take O(n + entries). */
static void begin_block(native_growth *g)
{
    const int32_t *keyed = g->keyed.data, *points = g->points.data;
    for (int64_t i = 0; i < g->keyed.count; i++)
        g->state[keyed[i]].key = 0;
    for (int64_t i = 0; i < g->points.count; i++)
        g->loaded[points[i]] = 0;
    g->keyed.count = g->points.count = g->pool.count = 0;
    memset(g->head, 0xff, sizeof g->head);
    g->top = 0;
    for (int32_t s = 0; s < g->table->n_sets; s++)
        g->counts[s] = 0;
}

/* Number of the list for a key, from 1. */
static int32_t list_of(int32_t key)
{
    int32_t list = key - FIRST_KEY + FAR;
    return list < 1 ? 1 : list < N_LISTS ? list : N_LISTS - 1;
}

/* Enters the element at the end of the list of its key: first in, first out among equals. An
 * element has one entry for each key that it had; old ones are known by their list. Room for it
 * was made by load_point(). */
static void wait(native_growth *g, int32_t element, int32_t key)
{
    int32_t list = list_of(key), at = (int32_t)g->pool.count++;
    waiting *pool = g->pool.data;
    pool[at] = (waiting){element, -1};
    if (g->head[list] < 0)
        g->head[list] = at;
    else
        pool[g->tail[list]].next = at;
    g->tail[list] = at;
    g->top = list > g->top ? list : g->top;
}

/* The element comes nearer to the block at hand by `weight`, and to its first element where the one that is
 * being taken is nearer than those that it was reached from. */
static void come_nearer(native_growth *g, int32_t element, state *own, int32_t weight)
{
    int32_t level = g->now + 1;
    if (own->key == 0) {
        ((int32_t *)g->keyed.data)[g->keyed.count++] = element;
        own->level = level;
        own->key = FIRST_KEY + own->alone - g->step * level;
    } else if (level < own->level) {
        own->key += g->step * (own->level - level);
        own->level = level;
    }
    own->key += weight;
}

/* Whether there is room for n more; asked for each point, it mostly is there. */
static bool make_room(mplan_vector *vector, int64_t n, mplan_error *err)
{
    return (vector->data && n <= vector->capacity - vector->count) ||
           mplan_vector_reserve(vector, n, err);
}

/* The block at hand touches a point: all its elements that are in no block come nearer by its
 * weight, are entered in the border if they never were, and wait under their new key. Points of
 * more than HUB elements count, but lead nowhere. */
static mplan_status load_point(native_growth *g, int32_t point, mplan_error *err)
{
    int64_t begin = g->begin[point], end = g->begin[point + 1];
    int32_t set = native_set_of(g->table, point), weight = g->table->set_weight[set];
    g->loaded[point] = 1;
    g->counts[set]++;
    if (!make_room(&g->points, 1, err))
        return MPLAN_ERR_MEMORY;
    ((int32_t *)g->points.data)[g->points.count++] = point;
    if (end - begin > HUB)
        return MPLAN_OK;
    if (!make_room(&g->pool, end - begin, err) || !make_room(&g->keyed, end - begin, err))
        return MPLAN_ERR_MEMORY;
    for (int64_t i = begin; i < end; i++) {
        int32_t e = g->elements[i];
        state *own = &g->state[e];
        if (own->taken)
            continue;
        come_nearer(g, e, own, weight);
        if (!own->reached) {
            own->reached = 1;
            g->border[g->border_tail++] = e;
        }
        wait(g, e, own->key);
    }
    return MPLAN_OK;
}

/* Only one element waits for a point of the block at hand any more: in any later block the point
 * belongs only to that element, and its weight is added to that element's `alone`, which stops at 255. The
 * element is found by walking the point's list. */
static void leave_alone(native_growth *g, int32_t point)
{
    int64_t i = g->begin[point];
    if (g->begin[point + 1] - i > HUB)
        return;
    while (g->state[g->elements[i]].taken)
        i++;
    uint8_t *alone = &g->state[g->elements[i]].alone;
    int32_t weight = *alone + g->table->set_weight[native_set_of(g->table, point)];
    *alone = (uint8_t)(weight < UINT8_MAX ? weight : UINT8_MAX);
}

/* Adds the element to the block: its points are loaded, and elements at them gain in key.
 * left[p]: elements of p that are in no block; one that is left alone at a point counts more.
 * The element must be in no block yet. */
static mplan_status take(native_growth *g, int32_t element, mplan_error *err)
{
    int32_t length;
    const int32_t *row = native_row(g->table, element, &length);
    mplan_status status = MPLAN_OK;
    g->state[element].taken = 1;
    g->now = g->state[element].key ? g->state[element].level : 0;
    for (int32_t k = 0; k < length && !status; k++) {
        if (!g->loaded[row[k]])
            status = load_point(g, row[k], err);
        if (--g->left[row[k]] == 1)
            leave_alone(g, row[k]);
    }
    return status;
}

/* The waiting element of the largest key, the oldest of equals; -1: none waits. Entries of
 * elements that were taken, or have come nearer since, are dropped on the way. */
static int32_t pop_waiting(native_growth *g)
{
    const waiting *pool = g->pool.data;
    for (; g->top > 0; g->top--) {
        while (g->head[g->top] >= 0) {
            const waiting *w = &pool[g->head[g->top]];
            g->head[g->top] = w->next;
            if (!g->state[w->element].taken && list_of(g->state[w->element].key) == g->top)
                return w->element;
        }
    }
    return -1;
}

/* The bodies of all elements that are in no block yet. */
static mplan_status find_bodies(native_growth *g, mplan_error *err)
{
    native_links links = {g->table, g->begin, g->elements, HUB};
    uint8_t *taken = mplan_alloc(g->table->n, 1, err);
    if (!taken)
        return MPLAN_ERR_MEMORY;
    for (int64_t e = 0; e < g->table->n; e++)
        taken[e] = g->state[e].taken;
    mplan_status status = mplan_native_bodies_find(&links, taken, g->footprint->limits->block_size,
                                                   &g->bodies, err);
    free(taken);
    return status;
}

/* The first element of the next body, of which nothing is taken: element 0 where nothing is taken at all. An element that was
 * given already and did not fit in its block is given again. Called only while some are left. */
static mplan_status next_body(native_growth *g, int64_t room, bool fresh, int32_t *element,
                              mplan_error *err)
{
    mplan_status status = MPLAN_OK;
    bool begins = g->body < 0 && g->border_tail == 0;
    if (!begins && (g->body < 0 || g->state[g->body].taken)) {
        if (!g->bodies.head)
            status = find_bodies(g, err);
        if (!status)
            g->body = mplan_native_bodies_next(&g->bodies, room, fresh);
    } else if (begins) {
        g->body = 0;
    }
    *element = g->body;
    return status;
}

/* The oldest element that the border has reached, else one of a body that it has not. room: elements that the block at hand may
 * still have; fresh: it has none yet. Called only while some are left. */
static mplan_status pop_border(native_growth *g, int64_t room, bool fresh, int32_t *element,
                               mplan_error *err)
{
    while (g->border_head < g->border_tail) {
        *element = g->border[g->border_head];
        if (!g->state[*element].taken)
            return MPLAN_OK;
        g->border_head++;
    }
    return next_body(g, room, fresh, element, err);
}

/* Whether the block at hand may hold the element too. Counts and marks are as before when it
 * returns. */
static bool may_take(native_growth *g, int32_t element)
{
    if (!g->table->limits_bind)
        return true;
    int32_t length;
    const int32_t *row = native_row(g->table, element, &length);
    for (int32_t k = 0; k < length; k++)
        if (!g->loaded[row[k]]) {
            g->loaded[row[k]] = TRIED; /* a row may name a point twice */
            g->counts[native_set_of(g->table, row[k])]++;
        }
    bool fits = mplan_footprint_counts_fit(g->footprint, g->counts);
    for (int32_t k = 0; k < length; k++)
        if (g->loaded[row[k]] == TRIED) {
            g->loaded[row[k]] = 0;
            g->counts[native_set_of(g->table, row[k])]--;
        }
    return fits;
}

/* Grows one block of up to `size` elements at sequence[0 ...]; *taken: how many. 0 only where
 * the first element by itself breaks a limit; less than size where the next one would break one. */
static mplan_status grow_block(native_growth *g, int64_t size, int32_t *sequence, int64_t *taken,
                               mplan_error *err)
{
    int64_t count = 0;
    mplan_status status = MPLAN_OK;
    begin_block(g);
    while (count < size && !status) {
        int32_t e = pop_waiting(g);
        if (e < 0)
            status = pop_border(g, size - count, count == 0, &e, err);
        if (status || !may_take(g, e))
            break;
        sequence[count++] = e;
        status = take(g, e, err);
    }
    *taken = count;
    return status;
}

/* Of the points that the block at hand touches. */
static int64_t weight_of_block(const native_growth *g)
{
    int64_t sum = 0;
    for (int32_t s = 0; s < g->table->n_sets; s++)
        sum += g->counts[s] * g->table->set_weight[s];
    return sum;
}

/* Asks whether to stop, and tells tasks beside this one. */
static mplan_status heed(const native_grow_task *task, const mplan_context *context, mplan_error *err)
{
    if (task->stopped && mplan_peek(task->stopped))
        return MPLAN_ERR_INTERRUPTED;
    mplan_status status = mplan_interrupted(context, err);
    if (status && task->stopped)
        mplan_poke(task->stopped, 1);
    return status;
}

/* Exact sizes: what is left is shared out among the blocks that are left. Ends
 * early at an element that breaks a limit by itself (task->breaker). */
mplan_status mplan_native_growth_run(native_growth *g, native_grow_task *task, mplan_team *team,
                                     const mplan_context *context, mplan_error *err)
{
    assert(g && task);
    enum { OFTEN = 4096 };
    int64_t n = task->table->n, done = 0, blocks = 0, limit = task->footprint->limits->block_size;
    mplan_status status = heed(task, context, err);
    task->breaker = -1;
    task->weight = 0;
    start(g, task, team);
    while (done < n && !status && task->breaker < 0) {
        int64_t left = task->n_blocks - blocks, rest = n - done, taken = 0;
        int64_t size = left > 0 ? rest / left + (rest % left != 0) : rest;
        if (++blocks % OFTEN == 0)
            status = heed(task, context, err);
        if (!status)
            status = grow_block(g, size < limit ? size : limit, task->sequence + done, &taken, err);
        done += taken;
        task->weight += weight_of_block(g);
        if (!status && taken == 0) {
            int32_t breaker = -1;
            status = pop_border(g, 1, true, &breaker, err);
            task->breaker = breaker;
        } else if (!status)
            status = mplan_vector_push(&task->ends, &done, err);
    }
    return status;
}
