/* SPDX-License-Identifier: Apache-2.0 */
/* native_balance.c - sizes of blocks brought back by shifting elements from block to block
 *
 * Each block with too many elements sends them, along the shortest path over blocks that share points, to the nearest ones
 * with too few; what goes to and fro between two blocks cancels. Then elements move over each border, those first that
 * save most points (as diffusion does it, Cybenko, J. Parallel Distrib. Comput. 7, 1989, with paths in the place of sweeps,
 * since few blocks are out of balance here). */
#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/threads.h"
#include "partition/native/native_balance.h"
#include "partition/native/native_match.h"

/* blocks that a path is looked for among; rounds of moves */
enum { MOST_SEARCHED = 4096, MOST_ROUNDS = 64, NEAR = 2, NONE = -1 };
enum { ELEMENTS = 1 << 14, BLOCKS = 1 << 10 }; /* of a piece */
/* elements of a block that counts can hold; larger ones neither give nor take */
enum { MOST_COUNTED = UINT16_MAX };

/* A point of the two blocks at hand: how many elements of each touch it, and its steps from what the taking block had
 * before. All 0 between shifts. */
typedef struct met_point {
    uint16_t count[2], level;
} met_point;

typedef struct balance {
    native_cut *cut;
    /* blocks that share points, by block: near[begin[b]] ...; flow: elements to go there, kept on one of two opposite entries */
    int64_t *begin;
    int32_t *near, *flow;
    int32_t *surplus;       /* per block: elements too many */
    int64_t *arrival;       /* per block: entry of `near` that the search came by */
    int32_t *stamp, *queue; /* per block */
    int32_t *head;   /* per block its first element; next_of: per element the next of its block */
    uint8_t *marked; /* per block: elements leave it or come to it, and its elements are chained */
    bool chained;    /* slots are in use */
    met_point *met;  /* per point */
    mplan_vector from; /* int32_t: elements of the block that gives */
} balance;

/* Where the slot of an element is while blocks are brought back. */
static inline int32_t *next_of(const balance *w, int64_t e)
{
    return &w->cut->where[e].slot;
}

/* Slots are free again. */
static void free_slots(void *data, int thread, int64_t begin, int64_t end)
{
    const balance *w = data;
    (void)thread;
    for (int64_t e = begin; e < end; e++)
        *next_of(w, e) = NONE;
}

static void balance_close(balance *w, mplan_team *team)
{
    if (w->chained)
        mplan_for(team, w->cut->table->n, ELEMENTS, free_slots, w);
    void *const owned[] = {w->begin, w->near, w->flow,   w->surplus, w->arrival,  w->stamp,
                           w->queue, w->head, w->marked, w->met,     w->from.data};
    for (size_t i = 0; i < sizeof owned / sizeof *owned; i++)
        free(owned[i]);
}

/* Blocks that share points, both ways. */
static mplan_status list_neighbours(balance *w, const native_matching *matching, mplan_error *err)
{
    int64_t n = w->cut->n_blocks;
    int64_t pairs = matching->unit_begin[matching->group_begin[matching->n_groups]];
    w->begin = mplan_alloc_zero(n + 2, sizeof *w->begin, err);
    w->near = mplan_alloc(2 * pairs, sizeof *w->near, err);
    w->flow = mplan_alloc_zero(2 * pairs, sizeof *w->flow, err);
    if (!w->begin || !w->near || !w->flow)
        return MPLAN_ERR_MEMORY;
    int64_t *place = w->begin + 1; /* ends up as begin */
    for (int64_t i = 0; i < pairs; i++) {
        place[matching->block_pairs[i].a + 1]++;
        place[matching->block_pairs[i].b + 1]++;
    }
    for (int64_t b = 0; b < n; b++)
        place[b + 1] += place[b];
    for (int64_t i = 0; i < pairs; i++) {
        int32_t a = matching->block_pairs[i].a, b = matching->block_pairs[i].b;
        w->near[place[a]++] = b;
        w->near[place[b]++] = a;
    }
    return MPLAN_OK;
}

/* The entry of block `from` for block `to`. */
static int64_t entry_of(const balance *w, int32_t from, int32_t to)
{
    int64_t i = w->begin[from];
    while (w->near[i] != to)
        i++;
    return i;
}

/* The block whose list holds the entry, seen from where it leads. */
static int32_t source_of(const balance *w, int64_t entry, int32_t to)
{
    for (int64_t i = w->begin[to]; i < w->begin[to + 1]; i++) {
        int32_t b = w->near[i];
        if (entry >= w->begin[b] && entry < w->begin[b + 1])
            return b;
    }
    return NONE;
}

/* `amount` elements are to go along the path by which the search came to block b; of flows between two blocks
 * only the difference stays. */
static void send(balance *w, int32_t b, int32_t amount)
{
    while (w->arrival[b] != NONE) {
        int64_t there = w->arrival[b];
        int32_t a = source_of(w, there, b);
        int64_t back = entry_of(w, b, a);
        int32_t cancelled = w->flow[back] < amount ? w->flow[back] : amount;
        w->flow[back] -= cancelled;
        w->flow[there] += amount - cancelled;
        b = a;
    }
}

/* Searches breadth first from a block with too many elements for those with too few; false if some stay. */
static bool drain(balance *w, int32_t from)
{
    int64_t head = 0, tail = 0;
    w->stamp[from] = from;
    w->arrival[from] = NONE;
    w->queue[tail++] = from;
    while (head < tail && tail < MOST_SEARCHED && w->surplus[from] > 0) {
        int32_t b = w->queue[head++];
        if (w->surplus[b] < 0) {
            int32_t amount = w->surplus[from] < -w->surplus[b] ? w->surplus[from] : -w->surplus[b];
            send(w, b, amount);
            w->surplus[from] -= amount;
            w->surplus[b] += amount;
        }
        for (int64_t i = w->begin[b]; i < w->begin[b + 1]; i++)
            if (w->stamp[w->near[i]] != from) {
                w->stamp[w->near[i]] = from;
                w->arrival[w->near[i]] = i;
                w->queue[tail++] = w->near[i];
            }
    }
    return w->surplus[from] == 0;
}

/* --- moves ----------------------------------------------------------------------------- */

/* Chains of the members of blocks that give or take, piece by piece of the elements: n_blocks ends for each piece. */
typedef struct chain_work {
    balance *w;
    int64_t n_pieces;
    int32_t *head, *tail; /* NONE: a piece has none of the block */
} chain_work;

/* The chains of pieces [begin, end), ascending. */
static void chain_pieces(void *data, int thread, int64_t begin, int64_t end)
{
    const chain_work *work = data;
    const int64_t n = work->w->cut->table->n, n_blocks = work->w->cut->n_blocks;
    (void)thread;
    for (int64_t k = begin; k < end; k++) {
        int32_t *head = work->head + k * n_blocks, *tail = work->tail + k * n_blocks;
        for (int64_t b = 0; b < n_blocks; b++)
            head[b] = tail[b] = NONE;
        for (int64_t e = mplan_piece_begin(n, work->n_pieces, k + 1);
             e-- > mplan_piece_begin(n, work->n_pieces, k);) {
            const int32_t b = work->w->cut->where[e].block;
            if (!work->w->marked[b])
                continue;
            *next_of(work->w, e) = head[b];
            tail[b] = head[b] == NONE ? (int32_t)e : tail[b];
            head[b] = (int32_t)e;
        }
    }
}

/* One chain for each of blocks [begin, end). */
static void join_chains(void *data, int thread, int64_t begin, int64_t end)
{
    const chain_work *work = data;
    const int64_t n_blocks = work->w->cut->n_blocks;
    (void)thread;
    for (int64_t b = begin; b < end; b++) {
        int32_t *from = &work->w->head[b];
        *from = NONE;
        for (int64_t i = b; i < work->n_pieces * n_blocks; i += n_blocks)
            if (work->head[i] != NONE) {
                *from = work->head[i];
                from = next_of(work->w, work->tail[i]);
            }
    }
}

/* Blocks that elements leave or come to; later flows are parts of these. */
static void mark_blocks(balance *w)
{
    for (int64_t b = 0; b < w->cut->n_blocks; b++)
        for (int64_t i = w->begin[b]; i < w->begin[b + 1]; i++)
            if (w->flow[i] > 0)
                w->marked[b] = w->marked[w->near[i]] = 1;
}

/* The members of marked blocks, ascending, one after the other by their slots. */
static mplan_status list_members(balance *w, mplan_team *team, mplan_error *err)
{
    const int64_t n = w->cut->table->n, n_blocks = w->cut->n_blocks;
    chain_work work = {.w = w, .n_pieces = mplan_pieces_that_count(team, n, ELEMENTS, 2 * n_blocks)};
    mark_blocks(w);
    work.head = mplan_alloc(work.n_pieces * n_blocks, sizeof *work.head, err);
    work.tail = mplan_alloc(work.n_pieces * n_blocks, sizeof *work.tail, err);
    const bool all = work.head && work.tail;
    w->chained = all;
    if (all) {
        mplan_for(team, work.n_pieces, 1, chain_pieces, &work);
        mplan_for(team, n_blocks, BLOCKS, join_chains, &work);
    }
    free(work.head);
    free(work.tail);
    return all ? MPLAN_OK : MPLAN_ERR_MEMORY;
}

/* Counts how many elements of a block touch each point. */
static void count_block(balance *w, int32_t b, int32_t side)
{
    for (int32_t e = w->head[b]; e != NONE; e = *next_of(w, e)) {
        int32_t length;
        const int32_t *row = native_row(w->cut->table, e, &length);
        for (int32_t k = 0; k < length; k++)
            w->met[row[k]].count[side]++;
    }
}

/* The points of a block count nothing any more. */
static void forget_block(balance *w, int32_t b)
{
    for (int32_t e = w->head[b]; e != NONE; e = *next_of(w, e)) {
        int32_t length;
        const int32_t *row = native_row(w->cut->table, e, &length);
        for (int32_t k = 0; k < length; k++)
            w->met[row[k]] = (met_point){.level = 0};
    }
}

/* What a move saves: points that the giving block loses, less those that the other gains, less NEAR for each step that it is away
 * from the elements which that had before; INT32_MIN where the element touches none of the other's. *level: its steps. */
static int32_t gain_of(const balance *w, int32_t e, int32_t *level)
{
    int32_t length, gain = 0, least = INT32_MAX;
    const int32_t *row = native_row(w->cut->table, e, &length);
    bool touches = false;
    for (int32_t k = 0; k < length; k++) {
        const met_point met = w->met[row[k]];
        if (met.count[1] > 0 && !native_is_hub(w->cut, row[k])) {
            touches = true;
            least = met.level < least ? met.level : least;
        }
        gain += (met.count[0] == 1) - (met.count[1] == 0);
    }
    *level = touches ? least + 1 : 0;
    return touches ? gain - NEAR * least : INT32_MIN;
}

/* Element e of block a goes to block b, `step` steps from what that had before. */
static void move_element(balance *w, int32_t e, int32_t b, int32_t step)
{
    int32_t length;
    const int32_t *row = native_row(w->cut->table, e, &length);
    for (int32_t k = 0; k < length; k++) {
        met_point *met = &w->met[row[k]];
        met->count[0]--;
        if (met->count[1]++ == 0)
            met->level = (uint16_t)step;
    }
    w->cut->where[e].block = b;
    *next_of(w, e) = w->head[b];
    w->head[b] = e;
}

/* Moves up to `amount` elements of block a that touch block b, the best one first; from: those of a. Returns how many. At
 * least one stays. */
static int32_t shift(balance *w, int32_t *from, int32_t a, int32_t b, int32_t amount)
{
    native_cut *cut = w->cut;
    int32_t n = 0, moved = 0;
    count_block(w, a, 0);
    count_block(w, b, 1);
    for (int32_t e = w->head[a]; e != NONE; e = *next_of(w, e))
        from[n++] = e;
    while (moved < amount && n > 1) {
        int32_t best = NONE, most = INT32_MIN, step = 0;
        for (int32_t i = 0; i < n; i++) {
            int32_t level, gain = gain_of(w, from[i], &level);
            best = gain > most ? i : best;
            step = gain > most ? level : step;
            most = gain > most ? gain : most;
        }
        if (best == NONE)
            break;
        move_element(w, from[best], b, step);
        from[best] = from[--n];
        moved++;
    }
    w->head[a] = NONE;
    for (int32_t i = n - 1; i >= 0; i--) {
        *next_of(w, from[i]) = w->head[a];
        w->head[a] = from[i];
    }
    forget_block(w, a);
    forget_block(w, b);
    cut->sizes[a] -= moved;
    cut->sizes[b] += moved;
    return moved;
}

/* Whether elements are still to come to block b. */
static bool awaits(const balance *w, int32_t b)
{
    for (int64_t i = w->begin[b]; i < w->begin[b + 1]; i++)
        if (w->flow[entry_of(w, w->near[i], b)] > 0)
            return true;
    return false;
}

/* What block b has to give now along its list; *moved: whether any went. patient: only if nothing is still to come. */
static mplan_status give(balance *w, int32_t b, bool patient, bool *moved, mplan_error *err)
{
    const int32_t *sizes = w->cut->sizes;
    for (int64_t i = w->begin[b]; i < w->begin[b + 1]; i++) {
        if (w->flow[i] == 0 || sizes[b] > MOST_COUNTED ||
            sizes[w->near[i]] > MOST_COUNTED - w->flow[i] || (patient && awaits(w, b)))
            continue;
        w->from.count = 0;
        int32_t *from = mplan_vector_reserve(&w->from, sizes[b], err);
        if (!from)
            return MPLAN_ERR_MEMORY;
        int32_t gone = shift(w, from, b, w->near[i], w->flow[i]);
        w->flow[i] -= gone;
        *moved = *moved || gone > 0;
    }
    return MPLAN_OK;
}

/* Blocks give what they have to when all has come to them; in a round in which none can, all give. */
static mplan_status move_all(balance *w, mplan_error *err)
{
    bool left = true, moved = true;
    for (int32_t round = 0; round < MOST_ROUNDS && left && moved; round++) {
        left = moved = false;
        for (int32_t patient = 1; patient >= 0 && !moved; patient--)
            for (int32_t b = 0; b < w->cut->n_blocks; b++) {
                mplan_status status = give(w, b, patient, &moved, err);
                if (status)
                    return status;
            }
        for (int64_t i = 0; i < w->begin[w->cut->n_blocks] && !left; i++)
            left = w->flow[i] > 0;
    }
    return MPLAN_OK;
}

/* --- the whole --------------------------------------------------------------------------- */

static mplan_status balance_open(balance *w, mplan_error *err)
{
    int64_t n = w->cut->n_blocks, points = w->cut->table->n_points;
    w->surplus = mplan_alloc(n, sizeof *w->surplus, err);
    w->arrival = mplan_alloc(n, sizeof *w->arrival, err);
    w->stamp = mplan_alloc(n, sizeof *w->stamp, err);
    w->queue = mplan_alloc(n, sizeof *w->queue, err);
    w->head = mplan_alloc(n, sizeof *w->head, err);
    w->marked = mplan_alloc_zero(n, sizeof *w->marked, err);
    w->met = mplan_alloc_zero(points, sizeof *w->met, err);
    w->from = (mplan_vector)MPLAN_VECTOR_INIT(sizeof(int32_t));
    bool all = w->surplus && w->arrival && w->stamp && w->queue && w->head && w->marked && w->met;
    return all ? MPLAN_OK : MPLAN_ERR_MEMORY;
}

/* Paths over the borders as they are now, and moves along them; *left: elements that are still in blocks with too many. */
static mplan_status balance_once(native_cut *cut, const int32_t *wanted, bool partly, int64_t *left,
                                 const mplan_context *context, mplan_error *err)
{
    balance w = {.cut = cut};
    native_matching matching = {0};
    bool drained = true;
    *left = 0;
    mplan_status status = mplan_native_match(cut, 1, 0, &matching, context, err);
    if (!status)
        status = list_neighbours(&w, &matching, err);
    mplan_native_matching_free(&matching);
    if (!status)
        status = balance_open(&w, err);
    for (int64_t b = 0; b < cut->n_blocks && !status; b++) {
        w.surplus[b] = cut->sizes[b] - wanted[b];
        w.stamp[b] = NONE;
    }
    /* not partly: one that cannot be brought back is enough, nothing moves */
    for (int32_t b = 0; b < cut->n_blocks && !status && (drained || partly); b++)
        drained = (w.surplus[b] <= 0 || drain(&w, b)) && drained;
    if (!status && (drained || partly)) {
        status = list_members(&w, mplan_team_of(context), err);
        if (!status)
            status = move_all(&w, err);
    }
    for (int64_t b = 0; b < cut->n_blocks && !status; b++)
        *left += cut->sizes[b] > wanted[b] ? cut->sizes[b] - wanted[b] : 0;
    balance_close(&w, mplan_team_of(context));
    return status;
}

/* Where a border is gone before all have crossed it, new paths are looked for. */
mplan_status mplan_native_balance(native_cut *cut, const int32_t *wanted, bool partly, bool *done,
                                  const mplan_context *context, mplan_error *err)
{
    assert(cut && wanted && done);
    int64_t before = INT64_MAX, left = INT64_MAX - 1;
    mplan_status status = MPLAN_OK;
    while (!status && left > 0 && left < before) {
        before = left;
        status = balance_once(cut, wanted, partly, &left, context, err);
    }
    *done = left == 0;
    return status;
}
