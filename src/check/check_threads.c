/* SPDX-License-Identifier: Apache-2.0 */
/* check_threads.c - equal thread colours of a block share no incremented or
 * written point, and every block counts its colours
 *
 * A block's elements are strung together by colour. Taking one colour after
 * the other, the last element that marked a point is of the running colour
 * whenever any is, so one mark per point suffices. Blocks are independent. */
#include <stdlib.h>

#include "check/check.h"

#define NONE (-1)

/* What a thread needs for one block after another. */
typedef struct scratch { /* of one thread */
    int64_t *user;       /* per colour: the last count that met it, of `counts` */
    int64_t counts;
    int32_t used;   /* colours that elements of the block have */
    int32_t *head;  /* per colour: first position of the block with it; NONE between blocks */
    int32_t *next;  /* per position of the block: the next of its colour */
    uint32_t *mark; /* per point of the block, list after list: last position + 1 + base */
    uint32_t base;
    int64_t *begin; /* per ragged table and position: where its row begins in `local` */
} scratch;

/* Thread colours of one variant: colour is per position, n_colours per block. list_begin: for each list of the cut
 * where its points begin in the marks of a thread; lists that are not written have no room there. written: some list
 * is. */
typedef struct threads_proof {
    const mplan_check *check;
    const mplan_check_cut *cut;
    const uint16_t *colour;    /* per position */
    const uint16_t *n_colours; /* per block */
    int64_t most_positions;    /* of one block */
    int64_t most_points;       /* of one block, over all lists that are written */
    int32_t most_colours;      /* of one block, by what the plan says */
    int64_t *list_begin;       /* where the marks of each list begin */
    bool written;
    scratch *scratch;
} threads_proof;

/* Colours are in range; the block counts them. own->used: distinct ones, told apart by the
 * number of the count. */
static mplan_status check_count(const threads_proof *proof, int64_t block, scratch *own,
                                mplan_error *err)
{
    const mplan_check_cut *cut = proof->cut;
    int32_t count = 0;
    own->counts++;
    own->used = 0;
    for (int64_t p = cut->offsets[block]; p < cut->offsets[block + 1]; p++) {
        int32_t element = mplan_check_element(cut, p), colour = proof->colour[p];
        if (element < 0 && colour != MPLAN_CHECK_NO_COLOUR)
            return MPLAN_DISPROVED(err,
                                   "THREAD_COLOURS has %d at position %" PRId64 ", which is a hole",
                                   (int)colour, p);
        if (element >= 0 && colour == MPLAN_CHECK_NO_COLOUR)
            return MPLAN_DISPROVED(err,
                                   "THREAD_COLOURS does not give element %d of block %" PRId64 " a "
                                   "colour",
                                   (int)element, block);
        if (element >= 0 && colour >= count)
            count = colour + 1;
        if (colour < proof->most_colours && own->user[colour] != own->counts) { /* no hole: 65535 */
            own->user[colour] = own->counts;
            own->used++;
        }
    }
    if (count != proof->n_colours[block])
        return MPLAN_DISPROVED(err,
                               "block %" PRId64 " has %d thread colours, but "
                               "BLOCK_THREAD_COLOURS says %d",
                               block, (int)count, (int)proof->n_colours[block]);
    if (cut->n_tables == 0 && count > 1)
        return MPLAN_DISPROVED(err,
                               "block %" PRId64 " has %d thread colours in a loop without "
                               "maps",
                               block, (int)count);
    return MPLAN_OK;
}

/* Notes where the rows of the block's positions begin in a ragged table. */
static void find_rows(const mplan_check_cut *cut, const mplan_check_table *table, int64_t block,
                      int64_t *begin)
{
    int64_t at = mplan_check_rows_begin(cut, table, block);
    for (int64_t p = cut->offsets[block]; p < cut->offsets[block + 1]; p++) {
        int32_t n, e = cut->sequence ? cut->sequence[p] : (int32_t)p;
        mplan_map_row(table->map, e, &n);
        *begin++ = at;
        at += n;
    }
}

/* Marks the points of one position through one table; returns a position of the
 * same colour that has marked one before, and the local id of that point. */
static int32_t mark_points(const threads_proof *proof, const mplan_check_table *table, int32_t t,
                           int64_t first, int32_t at, scratch *own, int32_t *local)
{
    const mplan_check_cut *cut = proof->cut;
    const int64_t p = first + at;
    int32_t n, e = cut->sequence ? cut->sequence[p] : (int32_t)p;
    mplan_map_row(table->map, e, &n);
    const uint16_t *row = table->local + (table->map->arity
                                              ? p * table->map->arity
                                              : own->begin[t * proof->most_positions + at]);
    uint32_t *mark = own->mark + proof->list_begin[table->list];
    for (int32_t k = 0; k < n; k++) {
        if (row[k] == MPLAN_CHECK_NO_LOCAL)
            continue;
        uint32_t last = mark[row[k]];
        mark[row[k]] = own->base + 1 + (uint32_t)at;
        if (last <= own->base)
            continue;
        int32_t other = (int32_t)(last - own->base - 1);
        if (other != at && proof->colour[first + other] == proof->colour[p]) {
            *local = row[k];
            return other;
        }
    }
    return NONE;
}

/* p and q: positions; the message names the elements in the order of their positions, whichever
 * was met first. */
static mplan_status refuse_pair(const threads_proof *proof, const mplan_check_table *table,
                                int64_t block, int64_t p, int64_t q, int32_t local, mplan_error *err)
{
    const mplan_check_list *list = &proof->cut->lists[table->list];
    return MPLAN_DISPROVED(err,
                           "elements %d and %d of block %" PRId64 " share point %d of %s and "
                           "thread colour %d",
                           (int)mplan_check_element(proof->cut, p < q ? p : q),
                           (int)mplan_check_element(proof->cut, p < q ? q : p), block,
                           (int)list->points[list->offsets[block] + local],
                           mplan_check_set_name(proof->check, list->set), (int)proof->colour[p]);
}

/* One colour: the positions strung from `at` on share no point. */
static mplan_status check_colour(const threads_proof *proof, int64_t block, int32_t at,
                                 scratch *own, mplan_error *err)
{
    const mplan_check_cut *cut = proof->cut;
    const int64_t first = cut->offsets[block];
    for (; at != NONE; at = own->next[at])
        for (int32_t t = 0; t < cut->n_tables; t++) {
            int32_t local, other;
            if (!cut->tables[t].written)
                continue;
            other = mark_points(proof, &cut->tables[t], t, first, at, own, &local);
            if (other != NONE)
                return refuse_pair(proof, &cut->tables[t], block, first + at, first + other, local,
                                   err);
        }
    return MPLAN_OK;
}

/* Each colour that a block counts is some element's. */
static mplan_status check_use(const threads_proof *proof, int64_t block, const scratch *own,
                              mplan_error *err)
{
    if (own->used == proof->n_colours[block])
        return MPLAN_OK;
    return MPLAN_DISPROVED(err,
                           "block %" PRId64 " counts %d thread colours, of which its elements "
                           "have %d",
                           block, (int)proof->n_colours[block], (int)own->used);
}

/* Strings the block's n positions together by colour: head[colour] is the first, next[at] the
 * one behind it, ascending. All heads are NONE before. */
static void string_by_colour(const threads_proof *proof, int64_t first, int32_t n, scratch *own)
{
    for (int32_t at = n - 1; at >= 0; at--) {
        uint16_t colour = proof->colour[first + at];
        if (colour == MPLAN_CHECK_NO_COLOUR)
            continue;
        own->next[at] = own->head[colour];
        own->head[colour] = at;
    }
}

/* Counts, then takes the block's colours one after the other. Marks of earlier blocks lie below
 * own->base, so that they need not be cleared, but once in 2^32 positions. */
static mplan_status check_block(void *data, int64_t block, int thread, mplan_error *err)
{
    const threads_proof *proof = data;
    const mplan_check_cut *cut = proof->cut;
    scratch *own = &proof->scratch[thread];
    mplan_status status = check_count(proof, block, own, err);
    if (status || !proof->written)
        return !status ? check_use(proof, block, own, err) : status;
    const int64_t first = cut->offsets[block];
    const int32_t n = (int32_t)(cut->offsets[block + 1] - first);
    for (int32_t t = 0; t < cut->n_tables; t++)
        if (!cut->tables[t].map->arity)
            find_rows(cut, &cut->tables[t], block, own->begin + t * proof->most_positions);
    if (UINT32_MAX - own->base < (uint32_t)n) {
        for (int64_t i = 0; i < proof->most_points; i++)
            own->mark[i] = 0;
        own->base = 0;
    }
    string_by_colour(proof, first, n, own);
    for (int32_t at = 0; at < n; at++) {
        uint16_t colour = proof->colour[first + at];
        if (colour == MPLAN_CHECK_NO_COLOUR)
            continue;
        if (!status)
            status = check_colour(proof, block, own->head[colour], own, err);
        own->head[colour] = NONE; /* also after a fault: another block comes */
    }
    own->base += (uint32_t)n;
    return !status ? check_use(proof, block, own, err) : status;
}

/* The largest block and where the marks of each list begin, for the scratch. */
static void measure(threads_proof *proof)
{
    const mplan_check_cut *cut = proof->cut;
    for (int64_t b = 0; b < cut->record->n_blocks; b++) {
        int64_t n = cut->offsets[b + 1] - cut->offsets[b];
        proof->most_positions = n > proof->most_positions ? n : proof->most_positions;
        if (proof->n_colours[b] > proof->most_colours)
            proof->most_colours = proof->n_colours[b];
    }
    for (int32_t l = 0; l < cut->n_lists; l++) {
        int64_t most = 0;
        const int64_t *offsets = cut->lists[l].offsets;
        for (int64_t b = 0; cut->lists[l].written && b < cut->record->n_blocks; b++)
            most = offsets[b + 1] - offsets[b] > most ? offsets[b + 1] - offsets[b] : most;
        proof->list_begin[l] = proof->most_points;
        proof->most_points += most;
        proof->written = proof->written || cut->lists[l].written;
    }
}

/* Scratch of every thread for the largest block; close_scratch releases it, also after a
 * failure. */
static mplan_status open_scratch(const threads_proof *proof, mplan_error *err)
{
    for (int i = 0; i < proof->check->threads; i++) {
        scratch *own = &proof->scratch[i];
        own->user = mplan_alloc_zero(proof->most_colours, sizeof *own->user, err);
        own->head = mplan_alloc(proof->most_colours, sizeof *own->head, err);
        own->next = mplan_alloc(proof->most_positions, sizeof *own->next, err);
        own->mark = mplan_alloc_zero(proof->most_points, sizeof *own->mark, err);
        own->begin = mplan_alloc(proof->cut->n_tables * proof->most_positions, sizeof *own->begin,
                                 err);
        if (!own->user || !own->head || !own->next || !own->mark || !own->begin)
            return MPLAN_ERR_MEMORY;
        for (int32_t c = 0; c < proof->most_colours; c++)
            own->head[c] = NONE;
    }
    return MPLAN_OK;
}

/* Scratch of the threads, as far as it was made. */
static void close_scratch(const threads_proof *proof)
{
    for (int i = 0; proof->scratch && i < proof->check->threads; i++) {
        free(proof->scratch[i].user);
        free(proof->scratch[i].head);
        free(proof->scratch[i].next);
        free(proof->scratch[i].mark);
        free(proof->scratch[i].begin);
    }
    free(proof->scratch);
}

/* The cut must be proved (check_blocks.c), as must its point lists and local ids
 * (check_points.c): points are told apart by local id. */
mplan_status mplan_check_threads(mplan_check *check, int32_t loop, int32_t variant,
                                 const mplan_check_cut *cut, mplan_error *err)
{
    threads_proof proof = {.check = check, .cut = cut};
    proof.colour = mplan_check_data(check,
                                    mplan_key_of_variant(MPLAN_KIND_THREAD_COLOURS, loop, variant));
    proof.n_colours = mplan_check_data(check, mplan_key_of_variant(MPLAN_KIND_BLOCK_THREAD_COLOURS,
                                                                   loop, variant));
    mplan_status status = MPLAN_ERR_MEMORY;
    proof.list_begin = mplan_alloc(cut->n_lists, sizeof *proof.list_begin, err);
    proof.scratch = mplan_alloc_zero(check->threads, sizeof *proof.scratch, err);
    if (!proof.list_begin || !proof.scratch)
        goto done;
    measure(&proof);
    status = open_scratch(&proof, err);
    if (!status)
        status = mplan_check_each(check, cut->record->n_blocks, check_block, &proof, err);
done:
    close_scratch(&proof);
    free(proof.list_begin);
    return status;
}
