/* SPDX-License-Identifier: Apache-2.0 */
/* native_balance.c - sizes of blocks brought back by shifting elements from block to block
 *
 * Each block with too many elements sends them, along the shortest path over blocks that share points, to the nearest ones
 * with too few; what goes to and fro between two blocks cancels. Then elements move over each border, those first that
 * save most points (as diffusion does it, Cybenko, J. Parallel Distrib. Comput. 7, 1989, with paths in the place of sweeps,
 * since few blocks are out of balance here). Blocks give in the order of their numbers; those that have no block in common with
 * one before them form a wave, which threads share: what comes of it is what one block after the other does. */
#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "base/threads.h"
#include "partition/native/native_balance.h"
#include "partition/native/native_match.h"
#include "partition/native/native_shift.h"

/* blocks that a path is looked for among; rounds of moves */
enum { MOST_SEARCHED = 4096, MOST_ROUNDS = 64, NONE = NATIVE_CHAIN_END };
enum { ELEMENTS = 1 << 14, BLOCKS = 1 << 10 }; /* of a piece */

typedef struct balance {
    native_cut *cut;
    /* blocks that share points, by block: near[begin[b]] ...; flow: elements to go there, kept on one of two opposite entries */
    int64_t *begin;
    int32_t *near, *flow;
    int32_t *surplus;       /* per block: elements too many */
    int64_t *arrival;       /* per block: entry of `near` that the search came by */
    int32_t *stamp, *queue; /* per block */
    native_chains chains;   /* of marked blocks */
    uint8_t *marked; /* per block: elements leave it or come to it, and its elements are chained */
    bool chained;    /* slots are in use */
    int32_t *wave;   /* per block: the last wave that changes it, from 1 on; 0: none does */
    int32_t *wave_begin; /* n_blocks + 2; giver: blocks that give, wave by wave */
    int32_t *giver;
    int n_shifts;         /* threads */
    native_shift *shifts; /* of each its scratch */
} balance;

/* Slots are free again. */
static void free_slots(void *data, int thread, int64_t begin, int64_t end)
{
    const balance *w = data;
    (void)thread;
    for (int64_t e = begin; e < end; e++)
        *native_next_of(&w->chains, e) = NONE;
}

static void balance_close(balance *w, mplan_team *team)
{
    if (w->chained)
        mplan_for(team, w->cut->table->n, ELEMENTS, free_slots, w);
    for (int t = 0; t < w->n_shifts; t++)
        mplan_native_shift_free(&w->shifts[t]);
    void *const owned[] = {w->begin,       w->near,   w->flow,      w->surplus, w->arrival,
                           w->stamp,       w->queue,  w->marked,    w->wave,    w->giver,
                           w->chains.head, w->shifts, w->wave_begin};
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
            *native_next_of(&work->w->chains, e) = head[b];
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
        int32_t *from = &work->w->chains.head[b];
        *from = NONE;
        for (int64_t i = b; i < work->n_pieces * n_blocks; i += n_blocks)
            if (work->head[i] != NONE) {
                *from = work->head[i];
                from = native_next_of(&work->w->chains, work->tail[i]);
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

/* Whether elements are still to come to block b. */
static bool awaits(const balance *w, int32_t b)
{
    for (int64_t i = w->begin[b]; i < w->begin[b + 1]; i++)
        if (w->flow[entry_of(w, w->near[i], b)] > 0)
            return true;
    return false;
}

/* What block b has to give now along its list; *moved: how much went. patient: only if nothing is still to come. false: no memory. */
static bool give(const balance *w, native_shift *shift, int32_t b, bool patient, int64_t *moved)
{
    const int32_t *sizes = w->cut->sizes;
    for (int64_t i = w->begin[b]; i < w->begin[b + 1]; i++) {
        int32_t gone;
        if (w->flow[i] == 0 || sizes[b] > NATIVE_MOST_SHIFTED ||
            sizes[w->near[i]] > NATIVE_MOST_SHIFTED - w->flow[i] || (patient && awaits(w, b)))
            continue;
        if (!mplan_native_shift(shift, &w->chains, b, w->near[i], w->flow[i], &gone))
            return false;
        w->flow[i] -= gone;
        *moved += gone;
    }
    return true;
}

/* The first wave in which block b may give: after all that change it or a block to which it gives, of those before it; 0: it has
 * nothing to give. From then on it is the last that changes them. */
static int32_t take_wave(balance *w, int32_t b)
{
    int32_t wave = w->wave[b];
    bool gives = false;
    for (int64_t i = w->begin[b]; i < w->begin[b + 1]; i++)
        if (w->flow[i] > 0) {
            gives = true;
            wave = w->wave[w->near[i]] > wave ? w->wave[w->near[i]] : wave;
        }
    for (int64_t i = w->begin[b]; i < w->begin[b + 1] && gives; i++)
        if (w->flow[i] > 0)
            w->wave[w->near[i]] = wave + 1;
    if (gives)
        w->wave[b] = wave + 1;
    return gives ? wave + 1 : 0;
}

/* Sorts the blocks that have something to give into waves: w->giver, and where each begins in it. Returns how many waves there
 * are. Flows become only smaller in a turn, so that no block gives to another than those which are looked at here. */
static int32_t make_waves(balance *w)
{
    const int64_t n = w->cut->n_blocks;
    int32_t *own = w->stamp, n_waves = 0; /* the search is over */
    memset(w->wave, 0, (size_t)n * sizeof *w->wave);
    memset(w->wave_begin, 0, (size_t)(n + 2) * sizeof *w->wave_begin);
    for (int32_t b = 0; b < n; b++) {
        own[b] = w->marked[b] ? take_wave(w, b) : 0;
        n_waves = own[b] > n_waves ? own[b] : n_waves;
        w->wave_begin[own[b] > 0 ? own[b] + 1 : 0]++;
    }
    w->wave_begin[0] = 0;
    for (int32_t v = 1; v <= n_waves; v++)
        w->wave_begin[v + 1] += w->wave_begin[v];
    for (int32_t b = 0; b < n; b++)
        if (own[b] > 0)
            w->giver[w->wave_begin[own[b]]++] = b; /* ends up where the next one begins */
    return n_waves;
}

/* A turn of all blocks: wave by wave. */
typedef struct turn_work {
    const balance *w;
    const int32_t *giver; /* of the wave at hand */
    bool patient;
    atomic_bool failed;
} turn_work;

/* Blocks [begin, end) of a wave give; returns how much went. */
static int64_t give_some(void *data, int thread, int64_t begin, int64_t end)
{
    turn_work *work = data;
    int64_t moved = 0;
    for (int64_t i = begin; i < end; i++)
        if (!give(work->w, &work->w->shifts[thread], work->giver[i], work->patient, &moved))
            atomic_store(&work->failed, true);
    return moved;
}

/* All blocks give once; *moved: whether any element went. */
static mplan_status take_turn(balance *w, bool patient, bool *moved, mplan_team *team,
                              mplan_error *err)
{
    turn_work work = {.w = w, .patient = patient};
    const int32_t n_waves = make_waves(w);
    for (int32_t v = 0; v < n_waves && !atomic_load(&work.failed); v++) {
        work.giver = w->giver + w->wave_begin[v];
        *moved |= mplan_for_sum(team, w->wave_begin[v + 1] - w->wave_begin[v], 1, give_some, &work) >
                  0;
    }
    return atomic_load(&work.failed) ? mplan_fail(err, MPLAN_ERR_MEMORY, "out of memory") : MPLAN_OK;
}

/* Blocks give what they have to when all has come to them; in a round in which none can, all give. */
static mplan_status move_all(balance *w, mplan_team *team, mplan_error *err)
{
    bool left = true, moved = true;
    for (int32_t round = 0; round < MOST_ROUNDS && left && moved; round++) {
        left = moved = false;
        for (int32_t patient = 1; patient >= 0 && !moved; patient--) {
            mplan_status status = take_turn(w, patient, &moved, team, err);
            if (status)
                return status;
        }
        for (int64_t i = 0; i < w->begin[w->cut->n_blocks] && !left; i++)
            left = w->flow[i] > 0;
    }
    return MPLAN_OK;
}

/* --- the whole --------------------------------------------------------------------------- */

static mplan_status balance_open(balance *w, mplan_team *team, mplan_error *err)
{
    const int64_t n = w->cut->n_blocks;
    const int threads = mplan_team_threads(team);
    w->surplus = mplan_alloc(n, sizeof *w->surplus, err);
    w->arrival = mplan_alloc(n, sizeof *w->arrival, err);
    w->stamp = mplan_alloc(n, sizeof *w->stamp, err);
    w->queue = mplan_alloc(n, sizeof *w->queue, err);
    w->chains.head = mplan_alloc(n, sizeof *w->chains.head, err);
    w->marked = mplan_alloc_zero(n, sizeof *w->marked, err);
    w->wave = mplan_alloc(n, sizeof *w->wave, err);
    w->wave_begin = mplan_alloc(n + 2, sizeof *w->wave_begin, err);
    w->giver = mplan_alloc(n, sizeof *w->giver, err);
    w->shifts = mplan_alloc(threads, sizeof *w->shifts, err);
    for (; w->shifts && w->n_shifts < threads; w->n_shifts++)
        mplan_native_shift_open(&w->shifts[w->n_shifts]);
    bool all = w->surplus && w->arrival && w->stamp && w->queue && w->chains.head && w->marked &&
               w->wave && w->wave_begin && w->giver && w->shifts;
    return all ? MPLAN_OK : MPLAN_ERR_MEMORY;
}

/* Paths over the borders as they are now, and moves along them; *left: elements that are still in blocks with too many. */
static mplan_status balance_once(native_cut *cut, const int32_t *wanted, bool partly, int64_t *left,
                                 const mplan_context *context, mplan_error *err)
{
    balance w = {.cut = cut, .chains = {.cut = cut}};
    mplan_team *team = mplan_team_of(context);
    native_matching matching = {0};
    bool drained = true;
    *left = 0;
    mplan_status status = mplan_native_match(cut, 1, 0, 0, &matching, context, err);
    if (!status)
        status = list_neighbours(&w, &matching, err);
    mplan_native_matching_free(&matching);
    if (!status)
        status = balance_open(&w, team, err);
    for (int64_t b = 0; b < cut->n_blocks && !status; b++) {
        w.surplus[b] = cut->sizes[b] - wanted[b];
        w.stamp[b] = NONE;
    }
    /* not partly: one that cannot be brought back is enough, nothing moves */
    for (int32_t b = 0; b < cut->n_blocks && !status && (drained || partly); b++)
        drained = (w.surplus[b] <= 0 || drain(&w, b)) && drained;
    if (!status && (drained || partly)) {
        status = list_members(&w, team, err);
        if (!status)
            status = move_all(&w, team, err);
    }
    for (int64_t b = 0; b < cut->n_blocks && !status; b++)
        *left += cut->sizes[b] > wanted[b] ? cut->sizes[b] - wanted[b] : 0;
    balance_close(&w, team);
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
