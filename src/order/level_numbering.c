/* SPDX-License-Identifier: Apache-2.0 */
/* level_numbering.c - algorithm III of Gibbs-Poole-Stockmeyer
 *
 * N. E. Gibbs, W. G. Poole, P. K. Stockmeyer, SIAM J. Numer. Anal. 13 (1976):
 * a level takes first the neighbours of the level before, by the first of them
 * that has a number and then by degree; then neighbours of its own vertices
 * alike; then, where that finds none, its vertex of lowest degree.
 *
 * The other rule is ours. On hexes whose nodes are all joined a vertex shares its
 * first neighbour with vertices of other rows of its layer, and the first rule
 * weaves rows into one another, more of them from layer to layer. The mean of
 * the numbers of all neighbours one layer back keeps the inside of a layer as it
 * was but draws its rim inwards by half a row; the mean of their rows, which are
 * integers, keeps every row together, and the mean number the order within.
 *
 * What rows bring (tools/bench/ablation): hexes of 53^3 cells, shuffled, bandwidth 2,971 in place of 3,023, profile as it was. */
#include "order/level_numbering.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "order/components.h"
#include "base/radix.h"
#include "base/sort.h"

enum { SHORT_LIST = 32, NUMBERED = -1, CHECK_INTERVAL = 1 << 20 };

typedef struct numbering {
    const mplan_level_task *task;
    int32_t *sequence, *place; /* of the caller */
    int64_t found;             /* vertices numbered so far */
    int32_t *waiting;          /* n: level of a vertex without a number, else NUMBERED */
    int32_t *start;            /* depth + 2: first number of each level */
    int32_t *bucket;           /* n: vertices by level, or NULL: made when first needed */
    int32_t *row;              /* n, for the rule by rows */
    int32_t *items;            /* list: with `spare_items` for sorting by mean */
    int32_t *spare_items;
    uint64_t *keys, *spare; /* list, each */
} numbering;

/* Sorts by degree, then by vertex. */
static uint64_t degree_key(const mplan_csr *graph, int32_t v)
{
    return (uint64_t)mplan_degree(graph, v) << 32 | (uint64_t)v;
}

/* Gives v the next number. */
static void append(numbering *n, int32_t v)
{
    n->waiting[v] = NUMBERED;
    n->sequence[n->found++] = v;
}

/* Numbers the neighbours of v that wait at a level, by degree. */
static void number_neighbours(numbering *n, int32_t v, int32_t level)
{
    const mplan_csr *graph = n->task->graph;
    int64_t n_keys = 0;
    for (int64_t k = graph->offsets[v]; k < graph->offsets[v + 1]; k++) {
        int32_t w = graph->neighbours[k];
        if (n->waiting[w] != level)
            continue;
        n->waiting[w] = NUMBERED;
        n->keys[n_keys++] = degree_key(graph, w);
    }
    mplan_sort_u64(n->keys, n_keys);
    for (int64_t k = 0; k < n_keys; k++)
        append(n, (int32_t)(n->keys[k] & UINT32_MAX));
}

/* --- what no vertex of the level before reaches -------------------------------------- */

/* Vertices by level, by counting. */
static mplan_status fill_buckets(numbering *n, mplan_error *err)
{
    const mplan_level_task *task = n->task;
    n->bucket = mplan_alloc(task->graph->n, sizeof *n->bucket, err);
    if (!n->bucket)
        return MPLAN_ERR_MEMORY;
    for (int64_t v = 0; v < task->graph->n; v++)
        n->bucket[n->start[mplan_task_level(task, (int32_t)v)]++] = (int32_t)v;
    memmove(n->start + 1, n->start, ((size_t)task->depth + 1) * sizeof *n->start);
    n->start[0] = 0;
    return MPLAN_OK;
}

/* Neighbours within the level, of its vertices in turn, from number `reached` on. */
static int64_t spread(numbering *n, int32_t level, int64_t reached)
{
    for (; reached < n->found && n->found < n->start[level + 1]; reached++)
        number_neighbours(n, n->sequence[reached], level);
    return reached;
}

/* Vertices of a level without a numbered neighbour one level back, by ascending degree.
 * Each one that gets a number first spreads it to its neighbours of the same level. */
static mplan_status number_rest(numbering *n, int32_t level, mplan_error *err)
{
    int64_t reached = spread(n, level, n->start[level]), end = n->start[level + 1], n_rest = 0;
    if (n->found == end)
        return MPLAN_OK;
    if (!n->bucket && fill_buckets(n, err))
        return MPLAN_ERR_MEMORY;
    uint64_t *rest = n->spare;
    for (int64_t i = n->start[level]; i < end; i++)
        if (n->waiting[n->bucket[i]] == level)
            rest[n_rest++] = degree_key(n->task->graph, n->bucket[i]);
    mplan_sort_u64(rest, n_rest);
    for (int64_t i = 0; i < n_rest; i++) {
        int32_t v = (int32_t)(rest[i] & UINT32_MAX);
        if (n->waiting[v] != level)
            continue;
        append(n, v);
        reached = spread(n, level, reached);
    }
    return MPLAN_OK;
}

/* --- the rule by rows ---------------------------------------------------------------- */

/* Sums over the neighbours of v among the numbers [begin, end). */
typedef struct row_sums {
    uint64_t rows, places, count;
} row_sums;

/* Sums over the neighbours of v that have places in [begin, end), which is the level
 * before: their rows and places counted from the first of that level, and their number.
 * Sums fit 64 bits: both factors are below 2^31. */
static row_sums sum_back(const numbering *n, int32_t v, int64_t begin, int64_t end)
{
    const mplan_csr *graph = n->task->graph;
    row_sums sums = {0, 0, 0};
    for (int64_t k = graph->offsets[v]; k < graph->offsets[v + 1]; k++) {
        int32_t w = graph->neighbours[k], p = n->place[w];
        if (p < begin || p >= end)
            continue;
        sums.rows += (uint64_t)(n->row[w] - n->row[n->sequence[begin]]);
        sums.places += (uint64_t)(p - begin);
        sums.count++;
    }
    return sums;
}

/* Binary places behind the point that leave a mean below `size` within 32 bits. */
static int fraction_bits(int64_t size)
{
    int bits = 31;
    while (bits > 0 && size >> (32 - bits) > 0)
        bits--;
    return bits;
}

/* Stable; items travel with their keys. */
static void sort_items(numbering *n, int64_t n_keys)
{
    uint64_t *keys = n->keys;
    int32_t *items = n->items;
    if (n_keys > SHORT_LIST) {
        mplan_radix_sort_items(NULL, n_keys, keys, items, n->spare, n->spare_items);
        return;
    }
    for (int64_t i = 1; i < n_keys; i++) {
        uint64_t key = keys[i];
        int32_t item = items[i];
        int64_t k = i;
        for (; k > 0 && keys[k - 1] > key; k--) {
            keys[k] = keys[k - 1];
            items[k] = items[k - 1];
        }
        keys[k] = key;
        items[k] = item;
    }
}

/* Sorts a level by mean row, then mean number; ties keep the order that the
 * first rule gave, and vertices without a neighbour back stay behind the one
 * that found them. Vertices of one mean row are one row from here on. */
static void sort_by_row(numbering *n, int32_t level)
{
    int64_t begin = n->start[level], end = n->start[level + 1], before = n->start[level - 1];
    int bits = fraction_bits(begin - before);
    uint64_t key = 0;
    for (int64_t i = begin; i < end; i++) {
        row_sums sums = sum_back(n, n->sequence[i], before, begin);
        if (sums.count)
            key = (sums.rows << bits) / sums.count << 32 | (sums.places << bits) / sums.count;
        n->keys[i - begin] = key;
        n->items[i - begin] = n->sequence[i];
    }
    sort_items(n, end - begin);
    int32_t row = 0;
    for (int64_t i = begin; i < end; i++) {
        row += i > begin && n->keys[i - begin] >> 32 != n->keys[i - begin - 1] >> 32;
        n->sequence[i] = n->items[i - begin];
        n->row[n->sequence[i]] = row;
    }
}

/* --- level by level ------------------------------------------------------------------ */

/* Scratch of the numbering; the order itself is the caller's. */
static void numbering_free(numbering *n)
{
    free(n->waiting);
    free(n->start);
    free(n->bucket);
    free(n->row);
    free(n->items);
    free(n->spare_items);
    free(n->keys);
    free(n->spare);
}

/* Counts the levels and makes what the rule needs. */
static mplan_status prepare(numbering *n, mplan_error *err)
{
    const mplan_level_task *task = n->task;
    int64_t n_vertices = task->graph->n, widest = 0;
    n->waiting = mplan_alloc(n_vertices, sizeof *n->waiting, err);
    n->start = mplan_alloc_zero((int64_t)task->depth + 2, sizeof *n->start, err);
    if (!n->waiting || !n->start)
        return MPLAN_ERR_MEMORY;
    for (int64_t v = 0; v < n_vertices; v++) {
        n->waiting[v] = mplan_task_level(task, (int32_t)v);
        n->start[n->waiting[v] + 1]++;
    }
    for (int32_t l = 0; l <= task->depth; l++) {
        widest = n->start[l + 1] > widest ? n->start[l + 1] : widest;
        n->start[l + 1] += n->start[l];
    }
    n->keys = mplan_alloc(widest, sizeof *n->keys, err);
    n->spare = mplan_alloc(widest, sizeof *n->spare, err);
    if (!n->keys || !n->spare)
        return MPLAN_ERR_MEMORY;
    if (task->rule == MPLAN_LEVELS_BY_FIRST)
        return MPLAN_OK;
    n->items = mplan_alloc(widest, sizeof *n->items, err);
    n->spare_items = mplan_alloc(widest, sizeof *n->spare_items, err);
    n->row = mplan_alloc(n_vertices, sizeof *n->row, err);
    if (!n->items || !n->spare_items || !n->row)
        return MPLAN_ERR_MEMORY;
    for (int64_t v = 0; v < n_vertices; v++)
        n->place[v] = -1; /* the sums look at neighbours in all levels */
    for (int64_t i = 0; i < task->n_first; i++)
        n->row[task->first[i]] = task->first_row[i];
    return MPLAN_OK;
}

/* Numbers all vertices of one level: first along the neighbours of the level before, in
 * the order of their numbers, then the rest. Before: all earlier levels have their
 * places. After: n->found is the end of this level. */
static mplan_status number_level(numbering *n, int32_t level, mplan_error *err)
{
    for (int64_t i = level ? n->start[level - 1] : 0; level && i < n->start[level]; i++)
        number_neighbours(n, n->sequence[i], level);
    if (n->found < n->start[level + 1] && number_rest(n, level, err))
        return MPLAN_ERR_MEMORY;
    assert(n->found == n->start[level + 1]);
    if (level && n->task->rule == MPLAN_LEVELS_BY_ROW)
        sort_by_row(n, level);
    for (int64_t i = n->start[level]; i < n->found; i++)
        n->place[n->sequence[i]] = (int32_t)i;
    return MPLAN_OK;
}

/* Levels one after the other; O(degree) for each vertex, and a sort of each level that
 * is numbered by rows. */
mplan_status mplan_level_number(const mplan_level_task *task, int32_t *sequence, int32_t *place,
                                const mplan_context *context, mplan_error *err)
{
    numbering n = {.task = task, .sequence = sequence, .place = place};
    assert(task && task->graph && task->level && sequence && place);
    assert(task->rule == MPLAN_LEVELS_BY_FIRST || task->n_first);
    mplan_status status = prepare(&n, err);
    for (int64_t i = 0; i < task->n_first && !status; i++)
        append(&n, task->first[i]);
    for (int32_t level = 0; level <= task->depth && !status; level++) {
        int64_t before = n.found;
        status = number_level(&n, level, err);
        if (!status && n.found / CHECK_INTERVAL != before / CHECK_INTERVAL)
            status = mplan_interrupted(context, err);
    }
    numbering_free(&n);
    return status;
}
