/* SPDX-License-Identifier: Apache-2.0 */
/* measure.c - how far apart neighbours are stored: bandwidth and profile
 *
 * Gibbs, Poole, Stockmeyer, SIAM J. Numer. Anal. 13 (1976), without making
 * the graph: the lowest neighbour of a point is the lowest point of its rows. */
#include <assert.h>
#include <stdatomic.h>
#include <stdlib.h>

#include "base/fetch.h"
#include "base/memory.h"
#include "base/threads.h"
#include "order/order.h"

enum { ROWS = 1 << 14 };

/* lowest: of each point, the lowest place of its rows so far. */
typedef struct row_scan {
    const mplan_map *map;
    const int32_t *new_of_old; /* NULL: places are numbers */
    int32_t *lowest;
    bool alone; /* no other thread changes lowest */
    _Atomic int64_t widest;
} row_scan;

static inline int32_t place_of(const row_scan *scan, int32_t point)
{
    return scan->new_of_old ? scan->new_of_old[point] : point;
}

/* Lowers lowest[p] to the lowest place of each row of p. */
static inline void lower_points(const row_scan *scan, const int32_t *row, int32_t length, int32_t low)
{
    for (int32_t k = 0; k < length; k++) {
        if (row[k] < 0)
            continue;
        if (!scan->alone)
            mplan_lower(&scan->lowest[row[k]], low);
        else
            scan->lowest[row[k]] = low < scan->lowest[row[k]] ? low : scan->lowest[row[k]];
    }
}

/* Asks for what a row will want. Long ragged rows are not worth it. */
static inline void fetch_row(const row_scan *scan, int64_t r)
{
    const int32_t arity = scan->map->arity;
    if (r >= scan->map->n_rows || arity == 0)
        return;
    mplan_fetch_row(scan->lowest, scan->map->values + r * arity, arity);
    if (scan->new_of_old)
        mplan_fetch_row(scan->new_of_old, scan->map->values + r * arity, arity);
}

/* Rows [begin, end); widest: at least the largest distance within one of them. */
static void scan_rows(void *data, int thread, int64_t begin, int64_t end)
{
    row_scan *scan = data;
    int64_t bandwidth = 0;
    (void)thread;
    for (int64_t r = begin; r < end; r++) {
        int32_t length, low = INT32_MAX, high = -1;
        const int32_t *row = mplan_map_row(scan->map, r, &length);
        fetch_row(scan, r + MPLAN_FETCH_DISTANCE);
        for (int32_t k = 0; k < length; k++) {
            if (row[k] < 0)
                continue;
            int32_t place = place_of(scan, row[k]);
            low = place < low ? place : low;
            high = place > high ? place : high;
        }
        lower_points(scan, row, length, low);
        bandwidth = high - (int64_t)low > bandwidth ? high - (int64_t)low : bandwidth;
    }
    int64_t before = atomic_load_explicit(&scan->widest, memory_order_relaxed);
    while (before < bandwidth &&
           !atomic_compare_exchange_weak_explicit(&scan->widest, &before, bandwidth,
                                                  memory_order_relaxed, memory_order_relaxed))
        continue;
}

/* Every point is its own lowest. */
static void start_points(void *data, int thread, int64_t begin, int64_t end)
{
    const row_scan *scan = data;
    (void)thread;
    for (int64_t p = begin; p < end; p++)
        scan->lowest[p] = place_of(scan, (int32_t)p);
}

/* How far points are above the lowest of their rows, in all. */
static int64_t sum_distances(void *data, int thread, int64_t begin, int64_t end)
{
    const row_scan *scan = data;
    int64_t sum = 0;
    (void)thread;
    for (int64_t p = begin; p < end; p++)
        sum += place_of(scan, (int32_t)p) - (int64_t)scan->lowest[p];
    return sum;
}

/* Bandwidth and profile of the graph in which the points of a row are neighbours,
 * without making that graph: the lowest and the highest place in each row suffice.
 * new_of_old: one per point, NULL for the order of the index. Scratch 4 bytes a point.
 * Least and largest numbers do not depend on who finds them. */
mplan_status mplan_order_measure(const mplan_map *maps, int32_t n_maps, const int32_t *new_of_old,
                                 int64_t *bandwidth, int64_t *profile, const mplan_context *context,
                                 mplan_error *err)
{
    assert(maps && bandwidth && profile && n_maps > 0);
    mplan_team *team = mplan_team_of(context);
    const int64_t n = maps[0].n_points;
    row_scan scan = {.new_of_old = new_of_old, .alone = mplan_team_threads(team) == 1};
    scan.lowest = mplan_alloc(n, sizeof *scan.lowest, err);
    if (!scan.lowest)
        return MPLAN_ERR_MEMORY;
    mplan_for(team, n, ROWS, start_points, &scan);
    for (int32_t m = 0; m < n_maps; m++) {
        scan.map = &maps[m];
        mplan_for(team, maps[m].n_rows, ROWS, scan_rows, &scan);
    }
    *profile = mplan_for_sum(team, n, ROWS, sum_distances, &scan);
    *bandwidth = scan.widest;
    free(scan.lowest);
    return MPLAN_OK;
}

/* The same on a graph; see mplan_order_measure. */
void mplan_order_measure_graph(const mplan_csr *graph, const int32_t *new_of_old,
                               int64_t *bandwidth, int64_t *profile)
{
    assert(graph && bandwidth && profile);
    *bandwidth = *profile = 0;
    for (int64_t v = 0; v < graph->n; v++) {
        int64_t place = new_of_old ? new_of_old[v] : v, lowest = place;
        for (int64_t i = graph->offsets[v]; i < graph->offsets[v + 1]; i++) {
            int64_t other = new_of_old ? new_of_old[graph->neighbours[i]] : graph->neighbours[i];
            lowest = other < lowest ? other : lowest;
        }
        *profile += place - lowest;
        *bandwidth = place - lowest > *bandwidth ? place - lowest : *bandwidth;
    }
}
