/* SPDX-License-Identifier: Apache-2.0 */
/* measure.c - how far apart neighbours are stored: bandwidth and profile
 *
 * Gibbs, Poole, Stockmeyer, SIAM J. Numer. Anal. 13 (1976), without making
 * the graph: the lowest neighbour of a point is the lowest point of its rows. */
#include <assert.h>
#include <stdlib.h>

#include "base/memory.h"
#include "order/order.h"

/* Lowers lowest[p] to the lowest point of each row of p; returns the largest
 * distance within a row. */
static int64_t scan_rows(const mplan_map *map, const int32_t *new_of_old, int32_t *lowest)
{
    int64_t bandwidth = 0;
    for (int64_t r = 0; r < map->n_rows; r++) {
        int32_t length, low = INT32_MAX, high = -1;
        const int32_t *row = mplan_map_row(map, r, &length);
        for (int32_t k = 0; k < length; k++) {
            if (row[k] < 0)
                continue;
            int32_t place = new_of_old ? new_of_old[row[k]] : row[k];
            low = place < low ? place : low;
            high = place > high ? place : high;
        }
        for (int32_t k = 0; k < length; k++)
            if (row[k] >= 0 && low < lowest[row[k]])
                lowest[row[k]] = low;
        if (high - (int64_t)low > bandwidth)
            bandwidth = high - (int64_t)low;
    }
    return bandwidth;
}

/* Bandwidth and profile of the graph in which the points of a row are neighbours,
 * without making that graph: the lowest and the highest place in each row suffice.
 * new_of_old: one per point, NULL for the order of the index. Scratch 4 bytes a point. */
mplan_status mplan_order_measure(const mplan_map *maps, int32_t n_maps, const int32_t *new_of_old,
                                 int64_t *bandwidth, int64_t *profile, mplan_error *err)
{
    assert(maps && bandwidth && profile && n_maps > 0);
    int64_t n = maps[0].n_points, widest = 0, sum = 0;
    int32_t *lowest = mplan_alloc(n, sizeof *lowest, err);
    if (!lowest)
        return MPLAN_ERR_MEMORY;
    for (int64_t p = 0; p < n; p++)
        lowest[p] = new_of_old ? new_of_old[p] : (int32_t)p;
    for (int32_t m = 0; m < n_maps; m++) {
        int64_t width = scan_rows(&maps[m], new_of_old, lowest);
        widest = width > widest ? width : widest;
    }
    for (int64_t p = 0; p < n; p++)
        sum += (new_of_old ? new_of_old[p] : p) - (int64_t)lowest[p];
    *bandwidth = widest;
    *profile = sum;
    free(lowest);
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
