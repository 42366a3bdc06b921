/* SPDX-License-Identifier: Apache-2.0 */
/* rcm.c - reverse Cuthill-McKee
 *
 * E. Cuthill, J. McKee, 24th ACM Nat. Conf. (1969); each component starts at a
 * pseudo-peripheral vertex: A. George, J. W. H. Liu, ACM Trans. Math. Softw. 5
 * (1979). Their search is cut off after 16 rounds to keep it linear; three or
 * four are usual. Reversed within each component.
 *
 * What that vertex brings (tools/bench/ablation, 150,000 shuffled cells, bandwidth with / from the first vertex): tets to nodes
 * 901 / 1655, faces of tets 1578 / 2580, faces of triangles 485 / 591; boundary layers 483 / 472, hexes to nodes 8587 / 6376.
 *
 * Searches go through a copy of the graph in breadth-first order (components.c). By threads: several components side by side; of one large
 * component the wide steps of searches (spread.c), which also find whose neighbour a vertex is numbered as; these then sort what they
 * have found. */
#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "base/sort.h"
#include "base/threads.h"
#include "order/components.h"
#include "order/levels.h"
#include "order/order.h"

enum { MOST_SEARCHES = 16, SHORT_LIST = 32, OFTEN = 1 << 20, MEMBERS = 1 << 10, PIECES = 64 };

/* One component, and its part of the scratch. */
typedef struct cuthill_mckee {
    mplan_csr graph;
    const int32_t *member; /* the caller's vertices, which decide between equal degrees */
    mplan_levels levels;   /* the queue of which is the numbering in the end */
    uint64_t *keys;        /* 2 x largest degree */
} cuthill_mckee;

/* Whether v is numbered before w among the neighbours of a vertex. */
static bool before(const cuthill_mckee *c, int32_t v, int32_t w)
{
    const int64_t less = mplan_degree(&c->graph, v) - mplan_degree(&c->graph, w);
    return less < 0 || (less == 0 && c->member[v] < c->member[w]);
}

/* A vertex far out in the component of v: the last level's vertex of lowest degree, lowest
 * index, again and again while the levels become more. */
static int32_t find_start(cuthill_mckee *c)
{
    int32_t v = 0, depth = -1;
    for (int pass = 0; pass < MOST_SEARCHES; pass++) {
        int64_t n;
        mplan_levels_search(&c->graph, &v, 1, c->graph.n, &c->levels);
        const int32_t *last = mplan_levels_last(&c->levels, &n);
        int32_t next = last[0];
        for (int64_t i = 1; i < n; i++)
            if (before(c, last[i], next))
                next = last[i];
        if (c->levels.depth <= depth)
            break;
        depth = c->levels.depth;
        v = next;
    }
    return v;
}

/* Sorts neighbours of one vertex by degree, then by index. keys: 2 n, scratch of long lists, which are sorted by index first. */
static void sort_list(const cuthill_mckee *c, int32_t *list, int64_t n, uint64_t *keys)
{
    for (int64_t i = 1; i < n && n <= SHORT_LIST; i++) {
        const int32_t v = list[i];
        int64_t k = i;
        for (; k > 0 && before(c, v, list[k - 1]); k--)
            list[k] = list[k - 1];
        list[k] = v;
    }
    if (n <= SHORT_LIST)
        return;
    uint64_t *by_index = keys + n;
    for (int64_t i = 0; i < n; i++)
        by_index[i] = (uint64_t)c->member[list[i]] << 32 | (uint64_t)list[i];
    mplan_sort_u64(by_index, n);
    for (int64_t i = 0; i < n; i++)
        keys[i] = (uint64_t)mplan_degree(&c->graph, (int32_t)(by_index[i] & UINT32_MAX)) << 32 |
                  (uint64_t)i;
    mplan_sort_u64(keys, n);
    for (int64_t i = 0; i < n; i++)
        list[i] = (int32_t)(by_index[keys[i] & UINT32_MAX] & UINT32_MAX);
}

/* What threads share that sort what a step has found: piece k is queue[first[k]] ... queue[first[k + 1] - 1]. */
typedef struct sort_work {
    const cuthill_mckee *c;
    int64_t n_pieces, first[PIECES + 1];
    int32_t failed;
} sort_work;

/* The lists of some pieces: of vertices that the same one has claimed. */
static void sort_found(void *data, int thread, int64_t begin, int64_t end)
{
    sort_work *work = data;
    const int32_t *claim = work->c->levels.spread->claim;
    int32_t *queue = work->c->levels.queue;
    (void)thread;
    for (int64_t first = work->first[begin]; first < work->first[end];) {
        uint64_t *keys = NULL;
        int64_t last = first + 1;
        while (last < work->first[end] && claim[queue[last]] == claim[queue[first]])
            last++;
        if (last - first > SHORT_LIST)
            keys = mplan_alloc(2 * (last - first), sizeof *keys, NULL);
        if (last - first <= SHORT_LIST || keys)
            sort_list(work->c, queue + first, last - first, keys);
        else
            mplan_poke(&work->failed, 1);
        free(keys);
        first = last;
    }
}

/* Sorts queue[begin] ... queue[end - 1], which a step by threads has found, in pieces of whole lists. */
static mplan_status sort_step(const cuthill_mckee *c, int64_t begin, int64_t end, mplan_error *err)
{
    mplan_team *team = c->levels.spread->team;
    const int32_t *claim = c->levels.spread->claim, *queue = c->levels.queue;
    sort_work work = {.c = c, .n_pieces = mplan_pieces(team, end - begin, MEMBERS)};
    work.n_pieces = work.n_pieces < PIECES ? work.n_pieces : PIECES;
    for (int64_t k = 0; k <= work.n_pieces; k++) {
        int64_t first = begin + mplan_piece_begin(end - begin, work.n_pieces, k);
        while (first > begin && first < end && claim[queue[first]] == claim[queue[first - 1]])
            first++;
        work.first[k] = first;
    }
    mplan_for(team, work.n_pieces, 1, sort_found, &work);
    return work.failed ? mplan_fail(err, MPLAN_ERR_MEMORY, "out of memory for a list of neighbours")
                       : MPLAN_OK;
}

/* The neighbours of queue[i] that have no number come behind queue[found - 1]; returns where they end. */
static int64_t number_neighbours(cuthill_mckee *c, int64_t i, int64_t found)
{
    const int32_t v = c->levels.queue[i];
    int32_t *queue = c->levels.queue, *level = c->levels.level;
    const int64_t begin = found;
    for (int64_t k = c->graph.offsets[v]; k < c->graph.offsets[v + 1]; k++) {
        const int32_t w = c->graph.neighbours[k];
        if (level[w] >= 0)
            continue;
        level[w] = 0;
        queue[found++] = w;
    }
    sort_list(c, queue + begin, found - begin, c->keys);
    return found;
}

/* The queue becomes the component from the start, the neighbours of each vertex by degree, then index. */
static mplan_status number_component(cuthill_mckee *c, int32_t start, const mplan_context *context,
                                     mplan_error *err)
{
    mplan_levels *levels = &c->levels;
    int64_t begin = 0, end = 1, heeded = 0;
    memset(levels->level, 0xff, (size_t)c->graph.n * sizeof *levels->level); /* -1: no number */
    if (levels->spread)
        mplan_spread_start(levels->spread, c->graph.n);
    levels->queue[0] = start;
    levels->level[start] = 0;
    while (begin < end) {
        int64_t found = mplan_spread_step(levels->spread, &c->graph, levels->queue, begin, end,
                                          levels->level, 0);
        if (found >= 0 && sort_step(c, end, found, err))
            return MPLAN_ERR_MEMORY;
        for (int64_t i = begin, shared = found; i < end && shared < 0; i++)
            found = number_neighbours(c, i, i == begin ? end : found);
        begin = end;
        end = found;
        if (end - heeded >= OFTEN && mplan_interrupted(context, err))
            return MPLAN_ERR_INTERRUPTED;
        heeded = end - heeded >= OFTEN ? end : heeded;
    }
    assert(end == c->graph.n);
    return MPLAN_OK;
}

/* What is done component by component. */
typedef struct numbering {
    const mplan_components *parts;
    int32_t *new_of_old;
    mplan_levels all; /* scratch of all components, one behind the other; `first` has one more for each */
    mplan_spread spread;
} numbering;

/* Numbers a component from a vertex far from its others, reversed within its range of numbers. */
static mplan_status number_one(void *data, int64_t k, const mplan_context *context, mplan_error *err)
{
    numbering *all = data;
    const mplan_components *parts = all->parts;
    const int64_t first = parts->first[k];
    cuthill_mckee c = {.graph = mplan_component(parts, k),
                       .member = parts->member + first,
                       .levels = {.level = all->all.level + first,
                                  .queue = all->all.queue + first,
                                  .first = all->all.first + first + k,
                                  .spread = all->spread.claim ? &all->spread : NULL}};
    const int64_t n = c.graph.n, most = n < parts->degree ? n : parts->degree;
    c.keys = mplan_alloc(2 * most, sizeof *c.keys, err);
    mplan_status status = c.keys ? MPLAN_OK : MPLAN_ERR_MEMORY;
    if (!status)
        status = number_component(&c, n > 1 ? find_start(&c) : 0, context, err);
    for (int64_t i = 0; i < n && !status; i++)
        all->new_of_old[c.member[c.levels.queue[i]]] = (int32_t)(first + n - 1 - i);
    free(c.keys);
    return status;
}

/* Scratch: three numbers a vertex, a copy of the graph, and keys for the row of the highest degree, in which neighbours are sorted by
 * degree. */
mplan_status mplan_order_rcm(const mplan_csr *graph, int32_t *new_of_old,
                             const mplan_context *context, mplan_error *err)
{
    assert(graph && new_of_old);
    mplan_components parts;
    mplan_status status = mplan_components_make(graph, NULL, 0, &parts, mplan_team_of(context), err);
    numbering all = {.parts = &parts, .new_of_old = new_of_old};
    if (status)
        return status;
    all.all.level = mplan_alloc(graph->n, sizeof *all.all.level, err);
    all.all.queue = mplan_alloc(graph->n, sizeof *all.all.queue, err);
    all.all.first = mplan_alloc(graph->n + parts.n, sizeof *all.all.first, err);
    status = MPLAN_ERR_MEMORY;
    if (all.all.level && all.all.queue && all.all.first) {
        if (!mplan_components_beside(&parts, mplan_team_of(context)))
            mplan_spread_open(&all.spread, parts.largest, mplan_team_of(context));
        status = mplan_components_each(&parts, number_one, &all, context, err);
        mplan_spread_close(&all.spread);
    }
    mplan_levels_free(&all.all);
    mplan_components_free(&parts);
    return status;
}
