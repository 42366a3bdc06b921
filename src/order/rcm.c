/* SPDX-License-Identifier: Apache-2.0 */
/* rcm.c - reverse Cuthill-McKee
 *
 * E. Cuthill, J. McKee, 24th ACM Nat. Conf. (1969); each component starts at a
 * pseudo-peripheral vertex: A. George, J. W. H. Liu, ACM Trans. Math. Softw. 5
 * (1979). Their search is cut off after 16 rounds to keep it linear; three or
 * four are usual. Reversed within each component.
 *
 * What that vertex brings (tools/bench/ablation, 150,000 shuffled cells, bandwidth with / from the first vertex): tets to nodes
 * 901 / 1655, faces of tets 1578 / 2580, faces of triangles 485 / 591; boundary layers 483 / 472, hexes to nodes 8587 / 6376. */
#include <assert.h>
#include <stdlib.h>

#include "base/error.h"
#include "base/memory.h"
#include "order/order.h"
#include "base/sort.h"

enum { MOST_SEARCHES = 16 };

typedef struct cuthill_mckee {
    const mplan_csr *graph;
    int32_t *queue; /* n: vertices as they are found */
    int32_t *level; /* n: distance from the start, PLACED, or UNSEEN */
    uint64_t *keys; /* largest degree: degree and vertex */
} cuthill_mckee;

enum { UNSEEN = -1, PLACED = -2 };

/* Neighbours of v. */
static int64_t degree(const mplan_csr *graph, int32_t v)
{
    return graph->offsets[v + 1] - graph->offsets[v];
}

/* Breadth-first search of a component from `start`, into queue[begin...].
 * Returns its end; queue[*last] is the first vertex of the last level. */
static int64_t search(cuthill_mckee *c, int32_t start, int64_t begin, int64_t *last)
{
    int64_t end = begin;
    c->queue[end++] = start;
    c->level[start] = 0;
    *last = begin;
    for (int64_t i = begin; i < end; i++) {
        int32_t v = c->queue[i];
        if (c->level[v] > c->level[c->queue[*last]])
            *last = i;
        for (int64_t k = c->graph->offsets[v]; k < c->graph->offsets[v + 1]; k++) {
            int32_t w = c->graph->neighbours[k];
            if (c->level[w] == UNSEEN) {
                c->level[w] = c->level[v] + 1;
                c->queue[end++] = w;
            }
        }
    }
    return end;
}

/* A vertex far out in the component of v: the last level's vertex of lowest degree, lowest
 * index, again and again while the levels become more. queue[begin ...] is scratch, and levels
 * are UNSEEN again afterwards. */
static int32_t find_start(cuthill_mckee *c, int32_t v, int64_t begin)
{
    int32_t depth = -1;
    for (int pass = 0; pass < MOST_SEARCHES; pass++) {
        int64_t last, end = search(c, v, begin, &last);
        int32_t reached = c->level[c->queue[last]], next = c->queue[last];
        for (int64_t i = last; i < end; i++) {
            int32_t w = c->queue[i];
            int64_t less = degree(c->graph, w) - degree(c->graph, next);
            if (less < 0 || (less == 0 && w < next))
                next = w;
        }
        for (int64_t i = begin; i < end; i++)
            c->level[c->queue[i]] = UNSEEN;
        if (reached <= depth)
            break;
        depth = reached;
        v = next;
    }
    return v;
}

/* Puts a component into queue[begin ...], *end behind it: from the start, the neighbours of each
 * vertex by degree, then index. */
static mplan_status number_component(cuthill_mckee *c, int32_t start, int64_t begin, int64_t *end,
                                     const mplan_context *context, mplan_error *err)
{
    const mplan_csr *graph = c->graph;
    int64_t found = begin;
    c->queue[found++] = start;
    c->level[start] = PLACED;
    for (int64_t i = begin; i < found; i++) {
        int32_t v = c->queue[i];
        int64_t n_keys = 0;
        for (int64_t k = graph->offsets[v]; k < graph->offsets[v + 1]; k++) {
            int32_t w = graph->neighbours[k];
            if (c->level[w] == PLACED)
                continue;
            c->level[w] = PLACED;
            c->keys[n_keys++] = (uint64_t)degree(graph, w) << 32 | (uint64_t)w;
        }
        mplan_sort_u64(c->keys, n_keys);
        for (int64_t k = 0; k < n_keys; k++)
            c->queue[found++] = (int32_t)(c->keys[k] & UINT32_MAX);
        if ((i & 0xfffff) == 0xfffff && mplan_interrupted(context, err))
            return MPLAN_ERR_INTERRUPTED;
    }
    *end = found;
    return MPLAN_OK;
}

/* Numbers component after component from a vertex far from its others (find_start),
 * each one reversed within its range of numbers. new_of_old: out, one per vertex. */
static mplan_status number_all(cuthill_mckee *c, int32_t *new_of_old, const mplan_context *context,
                               mplan_error *err)
{
    int64_t n = c->graph->n, begin = 0, end;
    for (int64_t v = 0; v < n; v++)
        c->level[v] = UNSEEN;
    for (int64_t v = 0; v < n; v++) {
        if (c->level[v] == PLACED)
            continue;
        int32_t start = find_start(c, (int32_t)v, begin);
        mplan_status status = number_component(c, start, begin, &end, context, err);
        if (status)
            return status;
        for (int64_t i = begin; i < end; i++)
            new_of_old[c->queue[i]] = (int32_t)(begin + (end - 1 - i));
        begin = end;
    }
    return MPLAN_OK;
}

/* Scratch: two numbers a vertex, and keys for the row of the highest degree, in which
 * neighbours are sorted by degree. */
mplan_status mplan_order_rcm(const mplan_csr *graph, int32_t *new_of_old,
                             const mplan_context *context, mplan_error *err)
{
    assert(graph && new_of_old);
    int64_t largest = 0;
    for (int64_t v = 0; v < graph->n; v++)
        if (degree(graph, (int32_t)v) > largest)
            largest = degree(graph, (int32_t)v);
    cuthill_mckee c = {graph, NULL, NULL, NULL};
    c.queue = mplan_alloc(graph->n, sizeof *c.queue, err);
    c.level = mplan_alloc(graph->n, sizeof *c.level, err);
    c.keys = mplan_alloc(largest, sizeof *c.keys, err);
    mplan_status status = MPLAN_ERR_MEMORY;
    if (c.queue && c.level && c.keys)
        status = number_all(&c, new_of_old, context, err);
    free(c.queue);
    free(c.level);
    free(c.keys);
    return status;
}
