/* SPDX-License-Identifier: Apache-2.0 */
/* refill.c - no part stays empty, or has fewer elements than it needs
 *
 * METIS may leave parts without any element (small graphs, many parts), which a
 * program with one process a part cannot use. */
#include <assert.h>
#include <stdlib.h>

#include "base/memory.h"
#include "partition/partition.h"

/* Gives half of part `from` to part `to`: what a walk over the graph from its first vertex
 * meets, and where that ends, from the next. size: of part `from`, at least 2; queue: room for
 * graph->n. */
static void halve(const mplan_csr *graph, int32_t from, int32_t to, int64_t size, int32_t *part,
                  int32_t *queue)
{
    int64_t wanted = size / 2, given = 0, head = 0, tail = 0;
    for (int64_t v = 0; v < graph->n && given < wanted; v++) {
        if (part[v] != from)
            continue;
        part[v] = to;
        queue[tail++] = (int32_t)v;
        for (given++; head < tail && given < wanted; head++)
            for (int64_t i = graph->offsets[queue[head]];
                 i < graph->offsets[queue[head] + 1] && given < wanted; i++) {
                int32_t u = graph->neighbours[i];
                if (part[u] != from)
                    continue;
                part[u] = to;
                queue[tail++] = u;
                given++;
            }
    }
}

/* Parts are filled in their order, each from the largest then, whose half is not empty since n
 * >= n_parts. O(n) for each empty part, of which partitioners leave few. */
mplan_status mplan_partition_refill(const mplan_csr *graph, int64_t n_parts, int32_t *part,
                                    int64_t *moved, mplan_error *err)
{
    assert(graph && part && moved && n_parts > 0 && graph->n >= n_parts);
    int64_t *size = mplan_alloc_zero(n_parts, sizeof *size, err);
    int32_t *queue = NULL;
    *moved = 0;
    if (!size)
        return MPLAN_ERR_MEMORY;
    for (int64_t v = 0; v < graph->n; v++)
        size[part[v]]++;
    mplan_status status = MPLAN_OK;
    for (int64_t p = 0; p < n_parts && !status; p++) {
        if (size[p] > 0)
            continue;
        int64_t largest = 0;
        for (int64_t q = 1; q < n_parts; q++)
            largest = size[q] > size[largest] ? q : largest;
        if (!queue && !(queue = mplan_alloc(graph->n, sizeof *queue, err))) {
            status = MPLAN_ERR_MEMORY;
            break;
        }
        halve(graph, (int32_t)largest, (int32_t)p, size[largest], part, queue);
        size[p] = size[largest] / 2;
        size[largest] -= size[p];
        *moved += size[p];
    }
    free(queue);
    free(size);
    return status;
}

/* The lightest element of a part, the first of several. */
static int64_t find_lightest(int64_t n, const int64_t *weights, int32_t columns,
                             const int32_t *part, int64_t which)
{
    int64_t found = -1;
    for (int64_t v = 0; v < n; v++)
        if (part[v] == which &&
            (found < 0 || (weights && weights[v * columns] < weights[found * columns])))
            found = v;
    return found;
}

/* The largest part has more than `least` as long as another one has fewer. O(n) for each element that moves, of which there are
 * fewer than n_parts * least. */
mplan_status mplan_partition_fill_up(int64_t n, int64_t n_parts, int64_t least,
                                     const int64_t *weights, int32_t columns, int32_t *part,
                                     int64_t *moved, mplan_error *err)
{
    assert(part && moved && n_parts > 0 && least >= 0 && n / n_parts >= least);
    assert(!weights || columns > 0);
    int64_t *size = mplan_alloc_zero(n_parts, sizeof *size, err);
    *moved = 0;
    if (!size)
        return MPLAN_ERR_MEMORY;
    for (int64_t v = 0; v < n; v++)
        size[part[v]]++;
    for (int64_t p = 0; p < n_parts; p++)
        while (size[p] < least) {
            int64_t largest = 0;
            for (int64_t q = 1; q < n_parts; q++)
                largest = size[q] > size[largest] ? q : largest;
            part[find_lightest(n, weights, columns, part, largest)] = (int32_t)p;
            size[largest]--;
            size[p]++;
            ++*moved;
        }
    free(size);
    return MPLAN_OK;
}
