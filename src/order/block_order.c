/* SPDX-License-Identifier: Apache-2.0 */
/* block_order.c - blocks that share points follow one another
 *
 * Blocks run about in the order of their numbers, some hundreds at a time, and
 * what one has loaded is in the L2 cache for those that soon follow. Two orders are
 * held against the one given, and the best of the three stays: the one in which
 * points, one by one, most often meet the next of their blocks within WINDOW
 * blocks, and within FAR.
 *
 * Gibbs-Poole-Stockmeyer on the graph of blocks sweeps over the mesh front by
 * front; as long as a front is no longer than the window, all meet. Where fronts are
 * longer, a walk grows a column of about the window's cross-section: next is the
 * block that shares most points with those numbered, points of the last WINDOW
 * counted twice; then the one that has gained none for longest, then the lowest.
 *
 * What it brings is in the cache of a GPU, not in the plan: how often points meet the next of their blocks within WINDOW is in
 * tools/RESULTS.md (96 to 100 % in the plane, on tets and hexes). Colours and time of planning are the same without. */
#include <assert.h>
#include <limits.h>
#include <stdlib.h>

#include "base/error.h"
#include "base/memory.h"
#include "base/threads.h"
#include "order/order.h"
#include "order/shared_points.h"

enum { WINDOW = 264, FAR = 4 * WINDOW, LONG_LIST = 32, NONE = -1, PIECE = 1 << 13 };

/* The lists of blocks of the points of several, and for each block its lists. */
typedef struct shared_points {
    mplan_vector offsets; /* int64_t: n + 1 */
    mplan_vector blocks;  /* int32_t */
    int64_t n, n_blocks;
    int64_t *begin; /* n_blocks + 1 */
    int32_t *lists;
} shared_points;

/* Blocks of shared point p, ascending; *n of them. */
static const int32_t *list_of(const shared_points *points, int64_t p, int64_t *n)
{
    const int64_t *offset = (const int64_t *)points->offsets.data + p;
    *n = offset[1] - offset[0];
    return (const int32_t *)points->blocks.data + offset[0];
}

/* The transpose of the points' lists: for each block the shared points that it touches,
 * ascending, in lists[begin[b]] ... lists[begin[b + 1] - 1]. Both arrays belong to
 * `points`, also after a failure. */
static mplan_status transpose_lists(shared_points *points, mplan_error *err)
{
    const int32_t *blocks = points->blocks.data;
    points->begin = mplan_alloc_zero(points->n_blocks + 1, sizeof *points->begin, err);
    points->lists = mplan_alloc(points->blocks.count, sizeof *points->lists, err);
    if (!points->begin || !points->lists)
        return MPLAN_ERR_MEMORY;
    for (int64_t i = 0; i < points->blocks.count; i++)
        points->begin[blocks[i]]++;
    int64_t sum = 0;
    for (int64_t b = 0; b <= points->n_blocks; b++)
        points->begin[b] = sum += b < points->n_blocks ? points->begin[b] : 0;
    for (int64_t p = points->n - 1; p >= 0; p--) {
        int64_t n;
        const int32_t *list = list_of(points, p, &n);
        for (int64_t i = 0; i < n; i++)
            points->lists[--points->begin[list[i]]] = (int32_t)p;
    }
    return MPLAN_OK;
}

/* Through all maps, set by set. Very long lists join too many blocks to tell anything. */
static mplan_status find_shared(const mplan_map *maps, int32_t n_maps, const int32_t *block,
                                shared_points *out, const mplan_context *context, mplan_error *err)
{
    int64_t zero = 0;
    mplan_status status = mplan_vector_push(&out->offsets, &zero, err);
    mplan_map *same = mplan_alloc(n_maps, sizeof *same, err);
    if (!same)
        status = MPLAN_ERR_MEMORY;
    for (int32_t m = 0; m < n_maps && !status; m++) {
        int32_t n_same = 0;
        bool first = true;
        for (int32_t k = 0; k < n_maps; k++) {
            first = first && (k >= m || maps[k].to != maps[m].to);
            if (maps[k].to == maps[m].to)
                same[n_same++] = maps[k];
        }
        if (!first)
            continue;
        status = mplan_shared_points(same, n_same, block, LONG_LIST, &out->offsets, &out->blocks,
                                     context, err);
    }
    free(same);
    out->n = out->offsets.count - 1 < INT32_MAX ? out->offsets.count - 1 : INT32_MAX;
    if (!status) /* what is beyond does not count */
        out->blocks.count = ((const int64_t *)out->offsets.data)[out->n];
    return status ? status : transpose_lists(out, err);
}

/* --- the walk ------------------------------------------------------------------ */

/* A block that waits, with what it shared when it was pushed. */
typedef struct waiting {
    int32_t shares, since, block;
} waiting;

typedef struct block_walk {
    const shared_points *points;
    int32_t *shares; /* per block: points with numbered blocks; NONE once numbered */
    int32_t *met_at; /* per block: how many were numbered when it was met last */
    int32_t *order;  /* numbered so far */
    int64_t n_ordered;
    int64_t lowest;    /* no block below it waits */
    mplan_vector heap; /* waiting */
    mplan_vector met;  /* int32_t */
} block_walk;

/* More shared points first; then who has gained none for longest; then the lower block. */
static bool goes_before(const waiting *a, const waiting *b)
{
    if (a->shares != b->shares)
        return a->shares > b->shares;
    return a->since != b->since ? a->since < b->since : a->block < b->block;
}

/* A binary heap in an array: the entry that goes before all others is at index 0, the
 * children of i at 2i + 1 and 2i + 2. */
static mplan_status push(mplan_vector *heap, waiting entry, mplan_error *err)
{
    mplan_status status = mplan_vector_push(heap, &entry, err);
    if (status)
        return status;
    waiting *all = heap->data;
    int64_t i = heap->count - 1;
    for (; i > 0 && goes_before(&entry, &all[(i - 1) / 2]); i = (i - 1) / 2)
        all[i] = all[(i - 1) / 2];
    all[i] = entry;
    return MPLAN_OK;
}

/* Takes the first entry of the heap, which must not be empty, and moves the last one
 * down from its place. */
static waiting pop(mplan_vector *heap)
{
    waiting *all = heap->data, top = all[0], last = all[--heap->count];
    int64_t i = 0;
    for (int64_t child = 1; child < heap->count; child = 2 * i + 1) {
        if (child + 1 < heap->count && goes_before(&all[child + 1], &all[child]))
            child++;
        if (!goes_before(&all[child], &last))
            break;
        all[i] = all[child];
        i = child;
    }
    all[i] = last;
    return top;
}

/* Adds `change` to what every waiting block shares, for each point it has in common
 * with b. */
static mplan_status change_shares(block_walk *w, int32_t b, int32_t change, mplan_error *err)
{
    const shared_points *points = w->points;
    mplan_status status = MPLAN_OK;
    w->met.count = 0;
    for (int64_t k = points->begin[b]; k < points->begin[b + 1] && !status; k++) {
        int64_t n;
        const int32_t *list = list_of(points, points->lists[k], &n);
        for (int64_t i = 0; i < n && !status; i++) {
            int32_t other = list[i];
            if (w->shares[other] == NONE)
                continue;
            w->shares[other] += change;
            if (change > 0 && w->met_at[other] != w->n_ordered) {
                w->met_at[other] = (int32_t)w->n_ordered;
                status = mplan_vector_push(&w->met, &other, err);
            }
        }
    }
    for (int64_t i = 0; i < w->met.count && !status; i++) {
        int32_t other = ((const int32_t *)w->met.data)[i];
        status = push(&w->heap, (waiting){w->shares[other], (int32_t)w->n_ordered, other}, err);
    }
    return status;
}

/* A block that gained since it was pushed has been pushed again; one that lost, when
 * others left the window, goes back with what is left. So the top is what its block
 * shares, and since when. */
static mplan_status next_block(block_walk *w, int32_t *next, mplan_error *err)
{
    mplan_status status = MPLAN_OK;
    while (w->heap.count > 0 && !status) {
        waiting top = pop(&w->heap);
        int32_t shares = w->shares[top.block];
        int32_t since = w->met_at[top.block];
        if (shares == top.shares && since == top.since) {
            *next = top.block;
            return MPLAN_OK;
        }
        if (shares != NONE && shares < top.shares)
            status = push(&w->heap, (waiting){shares, since, top.block}, err);
    }
    while (!status && w->shares[w->lowest] == NONE)
        w->lowest++;
    *next = (int32_t)w->lowest;
    return status;
}

/* Takes block after block: the one that shares most with the WINDOW blocks before it.
 * shares[b] counts those points twice while they are fresh; as a block leaves the
 * window, its share is taken off again. */
static mplan_status walk(block_walk *w, mplan_error *err)
{
    mplan_status status = MPLAN_OK;
    while (w->n_ordered < w->points->n_blocks && !status) {
        int32_t b;
        status = next_block(w, &b, err);
        if (status)
            break;
        w->shares[b] = NONE;
        w->order[w->n_ordered++] = b;
        status = change_shares(w, b, 2, err);
        if (!status && w->n_ordered > WINDOW)
            status = change_shares(w, w->order[w->n_ordered - 1 - WINDOW], -1, err);
    }
    return status;
}

/* number: out, one per block, its place in the greedy walk. Scratch 12 bytes a block,
 * and the heap, which keeps outdated entries until they come up. */
static mplan_status number_by_walk(const shared_points *points, int32_t *number, mplan_error *err)
{
    int64_t n = points->n_blocks;
    block_walk w = {.points = points,
                    .heap = MPLAN_VECTOR_INIT(sizeof(waiting)),
                    .met = MPLAN_VECTOR_INIT(sizeof(int32_t))};
    w.shares = mplan_alloc_zero(n, sizeof *w.shares, err);
    w.met_at = mplan_alloc_zero(n, sizeof *w.met_at, err);
    w.order = mplan_alloc(n, sizeof *w.order, err);
    mplan_status status = w.shares && w.met_at && w.order ? walk(&w, err) : MPLAN_ERR_MEMORY;
    for (int64_t i = 0; i < n && !status; i++)
        number[w.order[i]] = (int32_t)i;
    free(w.shares);
    free(w.met_at);
    free(w.order);
    free(w.heap.data);
    free(w.met.data);
    return status;
}

/* number: out, one per block, its place by Gibbs-Poole-Stockmeyer on the graph of
 * blocks that share a point. Points of more than LONG_LIST blocks join none: they would
 * make the graph dense. */
static mplan_status number_by_gps(const shared_points *points, int32_t *number,
                                  const mplan_context *context, mplan_error *err)
{
    mplan_map map = {.n_rows = points->n,
                     .n_points = points->n_blocks,
                     .offsets = points->offsets.data,
                     .values = points->blocks.data};
    mplan_csr graph = {0};
    mplan_status status = mplan_graph_of_points(&map, 1, LONG_LIST, &graph, context, err);
    if (!status)
        status = mplan_order_gps(&graph, number, context, err);
    mplan_csr_free(&graph);
    return status;
}

/* --- which is best ---------------------------------------------------------------- */

/* Numbers of blocks to be counted, or given to elements. */
typedef struct number_work {
    const shared_points *points;
    const int32_t *number; /* NULL: as they are */
    int32_t *block;        /* of elements */
} number_work;

/* How often the next block of a point, in the order of the numbers, comes within the window,
 * and within the far one. */
static int64_t count_meetings(void *data, int thread, int64_t begin, int64_t end)
{
    const number_work *work = data;
    const int32_t *number = work->number;
    int64_t count = 0;
    (void)thread;
    for (int64_t p = begin; p < end; p++) {
        int32_t at[LONG_LIST];
        int64_t n;
        const int32_t *list = list_of(work->points, p, &n);
        for (int64_t i = 0; i < n; i++) {
            int32_t value = number ? number[list[i]] : list[i];
            int64_t k = i;
            for (; k > 0 && at[k - 1] > value; k--)
                at[k] = at[k - 1];
            at[k] = value;
        }
        for (int64_t i = 1; i < n; i++)
            count += (at[i] - at[i - 1] <= WINDOW) + (at[i] - at[i - 1] <= FAR);
    }
    return count;
}

/* Meetings of all points under a numbering; NULL: as blocks are numbered. */
static int64_t count_all(mplan_team *team, const shared_points *points, const int32_t *number)
{
    number_work work = {points, number, NULL};
    return mplan_for_sum(team, points->n, PIECE, count_meetings, &work);
}

/* Range [begin, end) of elements: block[e] becomes the new number of its block. */
static void number_elements(void *data, int thread, int64_t begin, int64_t end)
{
    const number_work *work = data;
    (void)thread;
    for (int64_t e = begin; e < end; e++)
        work->block[e] = work->number[work->block[e]];
}

/* Both ways of numbering blocks, which know nothing of each other. */
enum { BY_GPS, BY_WALK, WAYS };

typedef struct way_work {
    const shared_points *points;
    int32_t *number[WAYS]; /* out, one per block each */
    mplan_status status[WAYS];
    const mplan_context *context;
    mplan_error *err;
} way_work;

/* Ways [begin, end). Only the calling thread, the first, may be asked whether to stop, and writes err. */
static void number_ways(void *data, int thread, int64_t begin, int64_t end)
{
    way_work *work = data;
    mplan_error *err = thread == 0 ? work->err : NULL;
    for (int64_t way = begin; way < end; way++)
        work->status[way] = way == BY_GPS ? number_by_gps(work->points, work->number[way],
                                                          thread == 0 ? work->context : NULL, err)
                                          : number_by_walk(work->points, work->number[way], err);
}

/* Tries both numberings and keeps the one with most meetings (count_meetings), the first of equals; the given one
 * stays where neither is better. block: one per element, old numbers in, new numbers out. */
static mplan_status number_blocks(const shared_points *points, int64_t n_elements, int32_t *block,
                                  const mplan_context *context, mplan_error *err)
{
    mplan_team *team = mplan_team_of(context);
    int64_t n = points->n_blocks, given = count_all(team, points, NULL), most = given;
    way_work ways = {.points = points, .context = context, .err = err};
    number_work work = {points, NULL, block};
    mplan_status status = MPLAN_OK;
    for (int way = 0; way < WAYS && !status; way++) {
        ways.number[way] = mplan_alloc(n, sizeof *ways.number[way], err);
        status = ways.number[way] ? MPLAN_OK : MPLAN_ERR_MEMORY;
    }
    mplan_for(team, status ? 0 : WAYS, 1, number_ways, &ways);
    for (int way = 0; way < WAYS && !status; way++) {
        status = ways.status[way];
        if (status == MPLAN_ERR_MEMORY) /* another thread did not say so */
            mplan_fail(err, status, "out of memory for the order of %lld blocks", (long long)n);
        int64_t count = status ? 0 : count_all(team, points, ways.number[way]);
        if (count > most) {
            work.number = ways.number[way];
            most = count;
        }
    }
    if (!status) /* it may have had no way */
        status = mplan_interrupted(context, err);
    mplan_for(team, most > given && !status ? n_elements : 0, PIECE, number_elements, &work);
    for (int way = 0; way < WAYS; way++)
        free(ways.number[way]);
    return status;
}

/* Only points of several blocks matter; up to WINDOW blocks any order is as good as any
 * other. */
mplan_status mplan_order_blocks(const mplan_map *maps, int32_t n_maps, int64_t n_blocks,
                                int32_t *block, const mplan_context *context, mplan_error *err)
{
    assert(maps && block && n_maps >= 0 && n_blocks >= 0);
    if (n_blocks <= WINDOW || n_maps == 0)
        return MPLAN_OK; /* all meet as it is */
    shared_points points = {.offsets = MPLAN_VECTOR_INIT(sizeof(int64_t)),
                            .blocks = MPLAN_VECTOR_INIT(sizeof(int32_t)),
                            .n_blocks = n_blocks};
    mplan_status status = find_shared(maps, n_maps, block, &points, context, err);
    if (!status)
        status = number_blocks(&points, maps[0].n_rows, block, context, err);
    free(points.offsets.data);
    free(points.blocks.data);
    free(points.begin);
    free(points.lists);
    return status;
}
