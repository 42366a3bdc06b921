/* SPDX-License-Identifier: Apache-2.0 */
/* native_scraps.c - blocks in one piece
 *
 * Greedy growth leaves pockets between finished blocks that are smaller than a block; the block that begins in one goes on
 * elsewhere. Such a block touches more points than a compact one, and no refinement of pairs brings its pieces together, since they have
 * no border in common: of 579 blocks of a plate with cells that grow 25-fold away from its holes, 74 had two pieces and more. Here all pieces of a block but the largest go to the neighbour that shares most points with them,
 * and sizes are brought back along paths of blocks (native_balance.c).
 *
 * What it brings (reuse with / without): that plate, triangles to nodes, S = 128 4.668 / 4.603, S = 448 5.125 / 5.088, its faces
 * 2.605 / 2.593 and 2.773 / 2.768; faces of tets in a box round bodies, S = 448, 3.130 / 3.119.
 * Blocks are looked through side by side: of 2 million faces of tets, 130 ms of one thread's time are shared. */
#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/threads.h"
#include "partition/native/native_balance.h"
#include "partition/native/native_scraps.h"

enum { NONE = -1, ROUNDS = 3, BLOCKS = 16, ROWS = 1 << 13 };

/* Elements of a block that hang together by points: numbers begin ... end - 1 of its members. */
typedef struct piece {
    int32_t begin, end, block;
    int32_t above; /* an earlier piece of the same body; itself: none (union-find) */
} piece;

typedef struct scraps {
    native_cut *cut;
    mplan_vector pieces;
    int32_t *queue;    /* S per thread: the members of a block, piece by piece */
    int32_t *visited;  /* per point: the last block that listed its elements */
    int32_t *largest;  /* per block: its largest piece, the first of equals */
    int32_t *n_pieces; /* n_blocks + 1: of each block; then the number of its first piece */
    int32_t *shared;   /* per block: points in common with the piece at hand, else 0 */
    int32_t *met;      /* blocks with some */
    int32_t *before,
        *sizes; /* block of each element (scratch of the caller), and size of each block, at the beginning */
} scraps;

/* The piece of an element is its slot while pieces are searched. */
static inline int32_t *piece_of(const scraps *s, int64_t e)
{
    return &s->cut->where[e].slot;
}

/* What is searched with; close_search frees it for the time in which sizes are brought back. */
static mplan_status open_search(scraps *s, int threads, mplan_error *err)
{
    const native_cut *cut = s->cut;
    s->queue = mplan_alloc((int64_t)threads * cut->block_size, sizeof *s->queue, err);
    s->visited = mplan_alloc(cut->table->n_points, sizeof *s->visited, err);
    s->largest = mplan_alloc(cut->n_blocks, sizeof *s->largest, err);
    s->n_pieces = mplan_alloc(cut->n_blocks + 1, sizeof *s->n_pieces, err);
    bool all = s->queue && s->visited && s->largest && s->n_pieces;
    return all ? MPLAN_OK : MPLAN_ERR_MEMORY;
}

/* Slots of elements [begin, end) are free again. */
static void free_slots(void *data, int thread, int64_t begin, int64_t end)
{
    const scraps *s = data;
    (void)thread;
    for (int64_t e = begin; e < end; e++)
        *piece_of(s, e) = NONE;
}

static void close_search(scraps *s, mplan_team *team)
{
    void *const owned[] = {s->pieces.data, s->queue, s->visited, s->largest, s->n_pieces};
    mplan_for(team, s->queue ? s->cut->table->n : 0, ROWS, free_slots, s);
    for (size_t i = 0; i < sizeof owned / sizeof *owned; i++)
        free(owned[i]);
    s->queue = s->visited = s->largest = s->n_pieces = NULL;
    s->pieces = (mplan_vector)MPLAN_VECTOR_INIT(sizeof(piece));
}

/* The elements that hang together with `first` in its block, from queue[begin] on, which is the thread's; returns where they end. Blocks are
 * flooded side by side: elements of other blocks are not looked at, and what threads write to `visited` says only which points
 * need no second look. */
static int32_t flood(const scraps *s, int32_t *queue, int32_t first, int32_t begin)
{
    const native_cut *cut = s->cut;
    int32_t block = cut->where[first].block;
    int32_t end = begin;
    queue[end++] = first;
    *piece_of(s, first) = begin;
    for (int32_t i = begin; i < end; i++) {
        int32_t length;
        const int32_t *row = native_row(cut->table, queue[i], &length);
        for (int32_t k = 0; k < length; k++) {
            int32_t p = row[k];
            if (mplan_peek(&s->visited[p]) == block || native_is_hub(cut, p))
                continue;
            mplan_poke(&s->visited[p], block);
            for (int64_t j = cut->begin[p]; j < cut->begin[p + 1]; j++) {
                int32_t e = cut->elements[j];
                if (cut->where[e].block != block || *piece_of(s, e) != NONE)
                    continue;
                *piece_of(s, e) = begin;
                queue[end++] = e;
            }
        }
    }
    return end;
}

/* Floods blocks [begin, end): members by piece, pieces by the least element; piece_of is the number among the members where an
 * element's piece begins. */
static void flood_blocks(void *data, int thread, int64_t begin, int64_t end)
{
    const scraps *s = data;
    int32_t *queue = s->queue + (int64_t)thread * s->cut->block_size;
    for (int64_t b = begin; b < end; b++) {
        int32_t *members = native_members(s->cut, b), at = 0, count = 0;
        const int32_t n = s->cut->sizes[b];
        for (int32_t i = 0; i < n; i++)
            if (*piece_of(s, members[i]) == NONE) {
                at = flood(s, queue, members[i], at);
                count++;
            }
        memcpy(members, queue, (size_t)n * sizeof *members);
        s->n_pieces[b + 1] = count;
    }
}

/* Pieces of blocks [begin, end), whose numbers begin at n_pieces[b], and the largest of each block. From the place where an
 * element's piece begins to the number of the piece. */
static void list_pieces(void *data, int thread, int64_t begin, int64_t end)
{
    const scraps *s = data;
    piece *pieces = s->pieces.data;
    (void)thread;
    for (int64_t b = begin; b < end; b++) {
        const int32_t *members = native_members(s->cut, b), n = s->cut->sizes[b];
        int32_t at = 0, most = 0;
        for (int32_t number = s->n_pieces[b]; number < s->n_pieces[b + 1]; number++) {
            piece next = {.begin = at, .end = at, .block = (int32_t)b, .above = number};
            for (; next.end < n && *piece_of(s, members[next.end]) == at; next.end++)
                continue;
            for (int32_t i = at; i < next.end; i++)
                *piece_of(s, members[i]) = number;
            if (next.end - at > most) {
                most = next.end - at;
                s->largest[b] = number;
            }
            pieces[number] = next;
            at = next.end;
        }
    }
}

/* All pieces of all blocks, by block; the members must be listed, which are by piece afterwards. */
static mplan_status find_pieces(scraps *s, mplan_team *team, mplan_error *err)
{
    const native_cut *cut = s->cut;
    s->n_pieces[0] = 0;
    mplan_for_set(team, s->visited, 0xff, cut->table->n_points * (int64_t)sizeof *s->visited);
    mplan_for(team, cut->n_blocks, BLOCKS, flood_blocks, s);
    for (int64_t b = 0; b < cut->n_blocks; b++)
        s->n_pieces[b + 1] += s->n_pieces[b];
    s->pieces.count = 0;
    if (!mplan_vector_reserve(&s->pieces, s->n_pieces[cut->n_blocks], err))
        return MPLAN_ERR_MEMORY;
    s->pieces.count = s->n_pieces[cut->n_blocks];
    mplan_for(team, cut->n_blocks, BLOCKS, list_pieces, s);
    return MPLAN_OK;
}

/* The first piece of a body, as far as is known. Threads may join bodies meanwhile: what is above a piece is of its body and
 * has a smaller number at any time. */
static int32_t body_of(piece *pieces, int32_t at)
{
    for (;;) {
        int32_t above = mplan_peek(&pieces[at].above);
        if (above == at)
            return at;
        int32_t next = mplan_peek(&pieces[above].above);
        mplan_poke(&pieces[at].above, next);
        at = next;
    }
}

/* Pieces that share points are of one body: points [begin, end). A body goes below another only while it is whole, so that
 * none is lost where two threads join it. */
static void find_bodies(void *data, int thread, int64_t begin, int64_t end)
{
    const scraps *s = data;
    const native_cut *cut = s->cut;
    piece *pieces = s->pieces.data;
    (void)thread;
    for (int64_t p = begin; p < end; p++)
        for (int64_t i = cut->begin[p] + 1; i < cut->begin[p + 1] && !native_is_hub(cut, p); i++) {
            int32_t x = *piece_of(s, cut->elements[i - 1]), y = *piece_of(s, cut->elements[i]);
            bool joined = x == y;
            while (!joined) {
                x = body_of(pieces, x);
                y = body_of(pieces, y);
                joined = x == y ||
                         mplan_replace(&pieces[x > y ? x : y].above, x > y ? x : y, x < y ? x : y);
            }
        }
}

/* The block whose largest piece shares most points with a piece, the first of equals; NONE without. */
static int32_t best_neighbour(scraps *s, const piece *scrap)
{
    const native_cut *cut = s->cut;
    const int32_t *members = native_members(cut, scrap->block);
    int32_t n_met = 0, best = NONE;
    for (int32_t i = scrap->begin; i < scrap->end; i++) {
        int32_t length;
        const int32_t *row = native_row(cut->table, members[i], &length);
        for (int32_t k = 0; k < length; k++) {
            if (native_is_hub(cut, row[k]))
                continue;
            for (int64_t j = cut->begin[row[k]]; j < cut->begin[row[k] + 1]; j++) {
                int32_t e = cut->elements[j], b = cut->where[e].block;
                if (b == scrap->block || s->largest[b] != *piece_of(s, e))
                    continue;
                if (s->shared[b]++ == 0)
                    s->met[n_met++] = b;
            }
        }
    }
    for (int32_t i = 0; i < n_met; i++)
        if (best == NONE || s->shared[s->met[i]] > s->shared[best] ||
            (s->shared[s->met[i]] == s->shared[best] && s->met[i] < best))
            best = s->met[i];
    for (int32_t i = 0; i < n_met; i++)
        s->shared[s->met[i]] = 0;
    return best;
}

/* Pieces that are not the largest of their block go to a neighbour, unless the block's largest is of another body, which
 * they could only change places with. Returns how many went. */
static int64_t move_scraps(scraps *s)
{
    native_cut *cut = s->cut;
    piece *pieces = s->pieces.data;
    int64_t moved = 0;
    for (int32_t i = 0; i < s->pieces.count; i++) {
        const piece *scrap = &pieces[i];
        int32_t main = s->largest[scrap->block];
        if (i == main || body_of(pieces, i) != body_of(pieces, main))
            continue;
        int32_t to = best_neighbour(s, scrap);
        if (to == NONE)
            continue;
        for (int32_t k = scrap->begin; k < scrap->end; k++)
            cut->where[native_members(cut, scrap->block)[k]].block = to;
        cut->sizes[scrap->block] -= scrap->end - scrap->begin;
        cut->sizes[to] += scrap->end - scrap->begin;
        moved++;
    }
    return moved;
}

/* The blocks of elements [begin, end). */
static void note_blocks(void *data, int thread, int64_t begin, int64_t end)
{
    const scraps *s = data;
    (void)thread;
    for (int64_t e = begin; e < end; e++)
        s->before[e] = s->cut->where[e].block;
}

/* What only cuts with scraps need. */
static mplan_status remember(scraps *s, mplan_team *team, mplan_error *err)
{
    const native_cut *cut = s->cut;
    if (!s->shared) {
        s->shared = mplan_alloc_zero(cut->n_blocks, sizeof *s->shared, err);
        s->met = mplan_alloc(cut->n_blocks, sizeof *s->met, err);
        s->sizes = mplan_alloc(cut->n_blocks, sizeof *s->sizes, err);
    }
    if (!s->shared || !s->met || !s->sizes)
        return MPLAN_ERR_MEMORY;
    mplan_for(team, cut->table->n, ROWS, note_blocks, s);
    memcpy(s->sizes, cut->sizes, (size_t)cut->n_blocks * sizeof *s->sizes);
    return MPLAN_OK;
}

/* One round: pieces are found and moved, sizes brought back. *more: whether that succeeded. */
static mplan_status join_once(scraps *s, bool *more, const mplan_context *context, mplan_error *err)
{
    native_cut *cut = s->cut;
    mplan_team *team = mplan_team_of(context);
    bool done = false;
    *more = false;
    mplan_status status = open_search(s, mplan_team_threads(team), err);
    if (!status)
        status = mplan_native_cut_list(cut, team, err);
    if (!status)
        status = find_pieces(s, team, err);
    if (status || s->pieces.count == cut->n_blocks)
        return status;
    status = remember(s, team, err);
    if (status)
        return status;
    mplan_for(team, cut->table->n_points, ROWS, find_bodies, s);
    if (move_scraps(s) == 0)
        return MPLAN_OK;
    close_search(s, team);
    mplan_native_cut_unlist(cut);
    status = mplan_native_balance(cut, s->sizes, false, &done, context, err);
    if (!status && done)
        status = mplan_native_cut_fits(cut, &done, err);
    *more = !status && done;
    return !status && !done ? mplan_native_cut_reset(cut, s->before, team, err) : status;
}

/* scratch: n entries. */
mplan_status mplan_native_join_scraps(native_cut *cut, int32_t *scratch,
                                      const mplan_context *context, mplan_error *err)
{
    assert(cut && scratch);
    scraps s = {.cut = cut, .before = scratch};
    bool more = true;
    mplan_status status = MPLAN_OK;
    s.pieces = (mplan_vector)MPLAN_VECTOR_INIT(sizeof(piece));
    for (int32_t round = 0; round < ROUNDS && more && !status; round++) {
        status = join_once(&s, &more, context, err);
        close_search(&s, mplan_team_of(context));
    }
    void *const owned[] = {s.shared, s.met, s.sizes};
    for (size_t i = 0; i < sizeof owned / sizeof *owned; i++)
        free(owned[i]);
    return status;
}
