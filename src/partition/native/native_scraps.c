/* SPDX-License-Identifier: Apache-2.0 */
/* native_scraps.c - blocks in one piece
 *
 * Greedy growth leaves pockets between finished blocks that are smaller than a block; the block that begins in one goes on
 * elsewhere. Such a block touches more points than a compact one, and no refinement of pairs brings its pieces together, since they have
 * no border in common: of 579 blocks of a plate with cells that grow 25-fold away from its holes, 74 had two pieces and more. Here all pieces of a block but the largest go to the neighbour that shares most points with them,
 * and sizes are brought back along paths of blocks (native_balance.c).
 *
 * What it brings (reuse with / without): that plate, triangles to nodes, S = 128 4.668 / 4.603, S = 448 5.125 / 5.088, its faces
 * 2.605 / 2.593 and 2.773 / 2.768; faces of tets in a box round bodies, S = 448, 3.130 / 3.119. */
#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "partition/native/native_balance.h"
#include "partition/native/native_scraps.h"

enum { NONE = -1, ROUNDS = 3 };

/* Elements of a block that hang together by points: queue[begin] ... queue[end - 1]. */
typedef struct piece {
    int64_t begin, end;
    int32_t block;
    int32_t above;   /* another piece of the same body; itself: none (union-find) */
    bool is_largest; /* of its block, the first of equals */
} piece;

typedef struct scraps {
    native_cut *cut;
    mplan_vector pieces;
    int32_t *queue;          /* elements, piece by piece, block by block */
    int32_t *piece_of;       /* per element */
    int32_t *visited;        /* per point: the last block that listed its elements */
    int32_t *largest;        /* per block: its largest piece */
    int32_t *shared;         /* per block: points in common with the piece at hand, else 0 */
    int32_t *met;            /* blocks with some */
    int32_t *before, *sizes; /* block of each element, and size of each block, at the beginning */
} scraps;

static mplan_status open_scraps(scraps *s, mplan_error *err)
{
    const native_cut *cut = s->cut;
    int64_t n = cut->table->n;
    s->pieces = (mplan_vector)MPLAN_VECTOR_INIT(sizeof(piece));
    s->queue = mplan_alloc(n, sizeof *s->queue, err);
    s->piece_of = mplan_alloc(n, sizeof *s->piece_of, err);
    s->visited = mplan_alloc(cut->table->n_points, sizeof *s->visited, err);
    s->largest = mplan_alloc(cut->n_blocks, sizeof *s->largest, err);
    bool all = s->queue && s->piece_of && s->visited && s->largest;
    return all ? MPLAN_OK : MPLAN_ERR_MEMORY;
}

static void close_scraps(scraps *s)
{
    void *const owned[] = {s->pieces.data, s->queue, s->piece_of, s->visited, s->largest,
                           s->shared,      s->met,   s->before,   s->sizes};
    for (size_t i = 0; i < sizeof owned / sizeof *owned; i++)
        free(owned[i]);
}

/* The elements that hang together with `first` in its block, from queue[begin] on; returns where they end. */
static int64_t flood(scraps *s, int32_t first, int64_t begin)
{
    const native_cut *cut = s->cut;
    int32_t block = cut->where[first].block, number = (int32_t)s->pieces.count;
    int64_t end = begin;
    s->queue[end++] = first;
    s->piece_of[first] = number;
    for (int64_t i = begin; i < end; i++) {
        int32_t length;
        const int32_t *row = native_row(cut->table, s->queue[i], &length);
        for (int32_t k = 0; k < length; k++) {
            int32_t p = row[k];
            if (s->visited[p] == block || native_is_hub(cut, p))
                continue;
            s->visited[p] = block;
            for (int64_t j = cut->begin[p]; j < cut->begin[p + 1]; j++) {
                int32_t e = cut->elements[j];
                if (s->piece_of[e] != NONE || cut->where[e].block != block)
                    continue;
                s->piece_of[e] = number;
                s->queue[end++] = e;
            }
        }
    }
    return end;
}

/* All pieces of all blocks; the members must be listed. */
static mplan_status find_pieces(scraps *s, mplan_error *err)
{
    const native_cut *cut = s->cut;
    int64_t end = 0;
    s->pieces.count = 0;
    memset(s->visited, 0xff, (size_t)cut->table->n_points * sizeof *s->visited);
    memset(s->piece_of, 0xff, (size_t)cut->table->n * sizeof *s->piece_of);
    for (int32_t b = 0; b < cut->n_blocks; b++) {
        int64_t most = 0;
        for (int32_t i = 0; i < cut->sizes[b]; i++) {
            int32_t e = native_members(cut, b)[i];
            if (s->piece_of[e] != NONE)
                continue;
            piece next = {.begin = end, .block = b, .above = (int32_t)s->pieces.count};
            next.end = end = flood(s, e, end);
            if (next.end - next.begin > most) {
                most = next.end - next.begin;
                s->largest[b] = (int32_t)s->pieces.count;
            }
            if (mplan_vector_push(&s->pieces, &next, err))
                return MPLAN_ERR_MEMORY;
        }
    }
    return MPLAN_OK;
}

static int32_t body_of(piece *pieces, int32_t at)
{
    while (pieces[at].above != at)
        at = pieces[at].above = pieces[pieces[at].above].above;
    return at;
}

/* Pieces that share points are of one body. */
static void find_bodies(scraps *s)
{
    const native_cut *cut = s->cut;
    piece *pieces = s->pieces.data;
    for (int64_t p = 0; p < cut->table->n_points; p++)
        for (int64_t i = cut->begin[p] + 1; i < cut->begin[p + 1] && !native_is_hub(cut, p); i++) {
            int32_t x = s->piece_of[cut->elements[i - 1]], y = s->piece_of[cut->elements[i]];
            if (x == y)
                continue;
            x = body_of(pieces, x);
            y = body_of(pieces, y);
            pieces[x > y ? x : y].above = x < y ? x : y;
        }
}

/* The block whose largest piece shares most points with a piece, the first of equals; NONE without. */
static int32_t best_neighbour(scraps *s, const piece *scrap)
{
    const native_cut *cut = s->cut;
    int32_t n_met = 0, best = NONE;
    for (int64_t i = scrap->begin; i < scrap->end; i++) {
        int32_t length;
        const int32_t *row = native_row(cut->table, s->queue[i], &length);
        for (int32_t k = 0; k < length; k++)
            for (int64_t j = cut->begin[row[k]]; j < cut->begin[row[k] + 1]; j++) {
                int32_t e = cut->elements[j], b = cut->where[e].block;
                if (native_is_hub(cut, row[k]) || b == scrap->block ||
                    s->largest[b] != s->piece_of[e])
                    continue;
                if (s->shared[b]++ == 0)
                    s->met[n_met++] = b;
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
        for (int64_t k = scrap->begin; k < scrap->end; k++)
            cut->where[s->queue[k]].block = to;
        cut->sizes[scrap->block] -= (int32_t)(scrap->end - scrap->begin);
        cut->sizes[to] += (int32_t)(scrap->end - scrap->begin);
        moved++;
    }
    return moved;
}

/* What only cuts with scraps need. */
static mplan_status remember(scraps *s, mplan_error *err)
{
    const native_cut *cut = s->cut;
    if (!s->shared) {
        s->shared = mplan_alloc_zero(cut->n_blocks, sizeof *s->shared, err);
        s->met = mplan_alloc(cut->n_blocks, sizeof *s->met, err);
        s->before = mplan_alloc(cut->table->n, sizeof *s->before, err);
        s->sizes = mplan_alloc(cut->n_blocks, sizeof *s->sizes, err);
    }
    if (!s->shared || !s->met || !s->before || !s->sizes)
        return MPLAN_ERR_MEMORY;
    for (int64_t e = 0; e < cut->table->n; e++)
        s->before[e] = cut->where[e].block;
    memcpy(s->sizes, cut->sizes, (size_t)cut->n_blocks * sizeof *s->sizes);
    return MPLAN_OK;
}

/* One round: pieces are found and moved, sizes brought back. *more: whether that succeeded. */
static mplan_status join_once(scraps *s, bool *more, const mplan_context *context, mplan_error *err)
{
    native_cut *cut = s->cut;
    bool done = false;
    *more = false;
    mplan_status status = mplan_native_cut_list(cut, err);
    if (!status)
        status = find_pieces(s, err);
    if (status || s->pieces.count == cut->n_blocks)
        return status;
    status = remember(s, err);
    if (status)
        return status;
    find_bodies(s);
    if (move_scraps(s) == 0)
        return MPLAN_OK;
    status = mplan_native_balance(cut, s->sizes, &done, context, err);
    if (!status && done)
        status = mplan_native_cut_fits(cut, &done, err);
    *more = !status && done;
    return !status && !done ? mplan_native_cut_reset(cut, s->before, err) : status;
}

mplan_status mplan_native_join_scraps(native_cut *cut, const mplan_context *context, mplan_error *err)
{
    assert(cut);
    scraps s = {.cut = cut};
    bool more = true;
    mplan_status status = open_scraps(&s, err);
    for (int32_t round = 0; round < ROUNDS && more && !status; round++)
        status = join_once(&s, &more, context, err);
    close_scraps(&s);
    return status;
}
