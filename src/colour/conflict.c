/* SPDX-License-Identifier: Apache-2.0 */
/* conflict.c - which items touch each point, and so conflict */
#include "colour/conflict.h"

#include <assert.h>
#include <stdlib.h>

#include "base/buckets.h"
#include "base/memory.h"
#include "base/threads.h"
#include "mesh/point_lists.h"

enum { ITEMS = 64, POINTS = 1 << 15 }; /* of a piece: blocks */

/* Positions [*begin, *end) of item i: those of a block, or the element itself. */
static inline void item_range(const mplan_items *items, int64_t i, int64_t *begin, int64_t *end)
{
    *begin = items->offsets ? items->offsets[i] : i;
    *end = items->offsets ? items->offsets[i + 1] : i + 1;
}

/* base[m]: number of the first point of map m's to-set. Maps to one set share their
 * base, so that a point has one number whichever map leads to it. */
static mplan_status number_points(const mplan_items *items, mplan_touches *out, mplan_error *err)
{
    out->base = mplan_alloc(items->n_maps, sizeof *out->base, err);
    if (!out->base)
        return MPLAN_ERR_MEMORY;
    for (int32_t m = 0; m < items->n_maps; m++) {
        int32_t same = 0;
        while (items->maps[same].to != items->maps[m].to)
            same++;
        out->base[m] = same < m ? out->base[same] : out->n_points;
        if (same == m)
            out->n_points += items->maps[m].n_points;
    }
    return MPLAN_OK;
}

/* One pass over the items: counts the items of point p at offsets[p + 1] (list
 * NULL), or writes them. `last` holds the item that met each point last. */
static void walk_items(const mplan_items *items, const int64_t *base, int32_t *last,
                       int64_t *offsets, int32_t *list)
{
    for (int64_t i = 0; i < items->n; i++) {
        int64_t begin, end;
        if (items->skip && items->skip[i])
            continue;
        item_range(items, i, &begin, &end);
        for (int64_t p = begin; p < end; p++) {
            int64_t e = items->sequence ? items->sequence[p] : p;
            for (int32_t m = 0; m < items->n_maps && e >= 0; m++) {
                int32_t length;
                const int32_t *row = mplan_map_row(&items->maps[m], e, &length);
                for (int32_t k = 0; k < length; k++) {
                    int64_t point = base[m] + row[k];
                    if (row[k] < 0 || last[point] == i)
                        continue;
                    last[point] = (int32_t)i;
                    if (list)
                        list[offsets[point]++] = (int32_t)i;
                    else
                        offsets[point + 1]++;
                }
            }
        }
    }
}

/* -1 in all n entries: no item was noted yet. */
static void forget(int32_t *last, int64_t n)
{
    for (int64_t p = 0; p < n; p++)
        last[p] = -1;
}

/* Entries in the lists of the points of an element. */
static int64_t reach_of(const mplan_items *items, const mplan_touches *touches, int64_t e)
{
    int64_t sum = 0;
    for (int32_t m = 0; m < items->n_maps; m++) {
        int32_t length;
        const int32_t *row = mplan_map_row(&items->maps[m], e, &length);
        for (int32_t k = 0; k < length; k++)
            if (row[k] >= 0) {
                const int64_t *offset = touches->offsets + touches->base[m] + row[k];
                sum += offset[1] - offset[0];
            }
    }
    return sum;
}

/* Items of rows, which threads write side by side. */
typedef struct row_items {
    const mplan_items *items;
    int32_t *item;    /* of each row; -1 before */
    int64_t repeated; /* rows that were met again */
} row_items;

/* Writes items [begin, end); returns how many rows they have. */
static int64_t write_items(void *data, int thread, int64_t begin, int64_t end)
{
    row_items *work = data;
    const mplan_items *items = work->items;
    int64_t found = 0, repeated = 0;
    (void)thread;
    for (int64_t i = begin; i < end; i++)
        for (int64_t p = items->offsets[i]; p < items->offsets[i + 1]; p++) {
            const int64_t e = items->sequence ? items->sequence[p] : p;
            if (e < 0)
                continue;
            repeated += !mplan_replace(&work->item[e], -1, (int32_t)i);
            found++;
        }
    mplan_add(&work->repeated, repeated);
    return found;
}

/* item: out, of each row; false where a row has none, or several. */
static bool items_of_rows(const mplan_items *items, int32_t *item, mplan_team *team)
{
    const int64_t n_rows = items->maps[0].n_rows;
    row_items work = {items, item, 0};
    mplan_for_set(team, item, 0xff, n_rows * (int64_t)sizeof *item);
    return mplan_for_sum(team, items->n, ITEMS, write_items, &work) == n_rows && work.repeated == 0;
}

/* Minus the most items at one of points [begin, end). */
static int64_t most_items(void *data, int thread, int64_t begin, int64_t end)
{
    const int64_t *offsets = data;
    int64_t least = 0;
    (void)thread;
    for (int64_t p = begin; p < end; p++)
        least = offsets[p] - offsets[p + 1] < least ? offsets[p] - offsets[p + 1] : least;
    return least;
}

/* Lists of points by threads, where all maps join the same two sets and each of their rows is in one item.
 * out->items stays NULL elsewhere. */
static mplan_status make_lists(const mplan_items *items, mplan_touches *out,
                               const mplan_context *context, mplan_error *err)
{
    bool plain = items->n_maps > 0 && !items->skip && items->n > 0;
    for (int32_t m = 0; plain && m < items->n_maps; m++)
        plain = items->maps[m].to == items->maps[0].to &&
                items->maps[m].n_points == items->maps[0].n_points &&
                items->maps[m].n_rows == items->maps[0].n_rows;
    if (!plain || mplan_team_threads(mplan_team_of(context)) == 1 ||
        (!items->offsets && (items->sequence || items->n != items->maps[0].n_rows)))
        return MPLAN_OK;
    int32_t *item = items->offsets ? mplan_alloc(items->maps[0].n_rows, sizeof *item, err) : NULL;
    if (items->offsets && !item)
        return MPLAN_ERR_MEMORY;
    mplan_point_lists lists = {NULL, NULL};
    mplan_status status = MPLAN_OK;
    if (!item || items_of_rows(items, item, mplan_team_of(context)))
        status = mplan_point_lists_create(items->maps, items->n_maps, item, &lists, context, err);
    free(item);
    out->offsets = lists.offsets;
    out->items = lists.values;
    if (lists.offsets)
        out->most = -mplan_for_least(mplan_team_of(context), out->n_points, POINTS, most_items,
                                     lists.offsets, 0);
    return status;
}

/* The same by one thread, for all items: counts, then writes the items of each point; last[p] is the
 * item that was noted last, so that each is noted once. */
static mplan_status walk_lists(const mplan_items *items, mplan_touches *out, mplan_error *err)
{
    int64_t n = out->n_points;
    mplan_status status = MPLAN_ERR_MEMORY;
    int32_t *last = mplan_alloc(n, sizeof *last, err);
    out->offsets = mplan_alloc_zero(n + 1, sizeof *out->offsets, err);
    if (!last || !out->offsets)
        goto done;
    forget(last, n);
    walk_items(items, out->base, last, out->offsets, NULL);
    for (int64_t p = 0; p < n; p++) {
        if (out->offsets[p + 1] > out->most)
            out->most = out->offsets[p + 1];
        out->offsets[p + 1] += out->offsets[p];
    }
    out->items = mplan_alloc(out->offsets[n], sizeof *out->items, err);
    if (!out->items)
        goto done;
    forget(last, n);
    walk_items(items, out->base, last, out->offsets, out->items);
    mplan_step_back(out->offsets, n);
    status = MPLAN_OK;
done:
    free(last);
    return status;
}

typedef struct reach_work {
    const mplan_items *items;
    const mplan_touches *touches;
} reach_work;

/* Minus the largest reach of elements [begin, end). */
static int64_t most_reach(void *data, int thread, int64_t begin, int64_t end)
{
    const reach_work *work = data;
    int64_t least = 0;
    (void)thread;
    for (int64_t e = begin; e < end; e++) {
        int64_t reach = work->items->skip && work->items->skip[e]
                            ? 0
                            : reach_of(work->items, work->touches, e);
        least = -reach < least ? -reach : least;
    }
    return least;
}

/* *out owns what was allocated, and is empty after a failure. */
mplan_status mplan_touches_create(const mplan_items *items, mplan_touches *out,
                                  const mplan_context *context, mplan_error *err)
{
    assert(items && out);
    *out = (mplan_touches){0};
    mplan_status status = number_points(items, out, err);
    if (!status)
        status = make_lists(items, out, context, err);
    if (!status && !out->items)
        status = walk_lists(items, out, err);
    if (!status && !items->offsets)
        out->reach = -mplan_for_least(mplan_team_of(context), items->n, POINTS, most_reach,
                                      &(reach_work){items, out}, 0);
    if (status)
        mplan_touches_free(out);
    return status;
}

void mplan_touches_free(mplan_touches *touches)
{
    assert(touches);
    free(touches->base);
    free(touches->offsets);
    free(touches->items);
    *touches = (mplan_touches){0};
}

/* Appends the conflicts of item i that `last` does not hold yet; counts them. */
static int64_t collect(const mplan_items *items, const mplan_touches *touches, int64_t i,
                       int32_t *last, int32_t *out)
{
    int64_t begin, end, count = 0;
    item_range(items, i, &begin, &end);
    last[i] = (int32_t)i;
    for (int64_t p = begin; p < end; p++) {
        int64_t e = items->sequence ? items->sequence[p] : p;
        for (int32_t m = 0; m < items->n_maps && e >= 0; m++) {
            int32_t length;
            const int32_t *row = mplan_map_row(&items->maps[m], e, &length);
            for (int32_t k = 0; k < length; k++) {
                if (row[k] < 0)
                    continue;
                const int64_t *offset = touches->offsets + touches->base[m] + row[k];
                for (int64_t t = offset[0]; t < offset[1]; t++) {
                    int32_t other = touches->items[t];
                    if (last[other] == i)
                        continue;
                    last[other] = (int32_t)i;
                    if (out)
                        out[count] = other;
                    count++;
                }
            }
        }
    }
    return count;
}

/* What threads share that find conflicts. last: per thread, of n items, the one in whose row each was noted last. */
typedef struct conflict_work {
    const mplan_items *items;
    const mplan_touches *touches;
    mplan_csr *graph; /* neighbours NULL: they are counted, at offsets[i + 1] */
    int32_t *last;
} conflict_work;

/* Rows [begin, end). */
static void find_conflicts(void *data, int thread, int64_t begin, int64_t end)
{
    const conflict_work *work = data;
    const mplan_csr *graph = work->graph;
    int32_t *last = work->last + thread * graph->n;
    for (int64_t i = begin; i < end; i++)
        if (graph->neighbours)
            collect(work->items, work->touches, i, last, graph->neighbours + graph->offsets[i]);
        else
            graph->offsets[i + 1] = collect(work->items, work->touches, i, last, NULL);
}

/* Row i: the items that touch a point of item i, each once, without i, in the order in which
 * they are met, not ascending as in other graphs. The time is the sum of the squared lengths of
 * the points' lists. */
mplan_status mplan_conflict_graph(const mplan_items *items, const mplan_touches *touches,
                                  mplan_csr *graph, const mplan_context *context, mplan_error *err)
{
    assert(items && touches && graph);
    mplan_team *team = mplan_team_of(context);
    const int threads = mplan_team_threads(team);
    mplan_status status = MPLAN_ERR_MEMORY;
    *graph = (mplan_csr){.n = items->n};
    conflict_work work = {items, touches, graph,
                          mplan_alloc(items->n * threads, sizeof *work.last, err)};
    graph->offsets = mplan_alloc(items->n + 1, sizeof *graph->offsets, err);
    if (!work.last || !graph->offsets)
        goto done;
    forget(work.last, items->n * threads);
    graph->offsets[0] = 0;
    mplan_for(team, items->n, ITEMS, find_conflicts, &work);
    mplan_sum_counts(graph->offsets, items->n);
    int32_t *neighbours = mplan_alloc(graph->offsets[items->n], sizeof *neighbours, err);
    if (!neighbours)
        goto done;
    graph->neighbours = neighbours;
    forget(work.last, items->n * threads);
    mplan_for(team, items->n, ITEMS, find_conflicts, &work);
    status = MPLAN_OK;
done:
    free(work.last);
    if (status)
        mplan_csr_free(graph);
    return status;
}

/* Without a graph the answer lies in conflicts->scratch, and is valid until the next
 * call. */
const int32_t *mplan_conflicts_of(const mplan_conflicts *conflicts, int64_t i, int64_t *n)
{
    assert(conflicts && n);
    if (conflicts->graph) {
        const int64_t *offset = conflicts->graph->offsets + i;
        *n = offset[1] - offset[0];
        return conflicts->graph->neighbours + offset[0];
    }
    const mplan_items *items = conflicts->items;
    const mplan_touches *touches = conflicts->touches;
    *n = 0;
    for (int32_t m = 0; m < items->n_maps; m++) {
        int32_t length;
        const int32_t *row = mplan_map_row(&items->maps[m], i, &length);
        for (int32_t k = 0; k < length; k++) {
            if (row[k] < 0)
                continue;
            const int64_t *offset = touches->offsets + touches->base[m] + row[k];
            for (int64_t t = offset[0]; t < offset[1]; t++)
                conflicts->scratch[(*n)++] = touches->items[t];
        }
    }
    return conflicts->scratch;
}

/* seen: the colours at one point, bit c for colour c. No colour may exceed 63. */
bool mplan_is_colouring(const mplan_touches *touches, const int32_t *colour)
{
    assert(touches && colour);
    for (int64_t p = 0; p < touches->n_points; p++) {
        uint64_t seen = 0;
        for (int64_t i = touches->offsets[p]; i < touches->offsets[p + 1]; i++) {
            uint64_t bit = UINT64_C(1) << colour[touches->items[i]];
            if (seen & bit)
                return false;
            seen |= bit;
        }
    }
    return true;
}

/* Compares each pair of corners; rows have at most 8. */
bool mplan_rows_are_corners(const mplan_map *map)
{
    assert(map);
    for (int64_t e = 0; e < map->n_rows; e++) {
        const int32_t *row = map->values + e * map->arity;
        for (int32_t k = 0; k < map->arity; k++)
            for (int32_t j = 0; j <= k; j++)
                if (row[k] < 0 || (j < k && row[j] == row[k]))
                    return false;
    }
    return true;
}
