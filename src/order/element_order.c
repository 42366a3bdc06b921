/* SPDX-License-Identifier: Apache-2.0 */
/* element_order.c - in which order elements are stored
 *
 * Lexicographic by points: Sulyok, Balogh, Reguly, Mudalige (2019), section 3:
 * after the points are renumbered, elements that share points lie together. */
#include <assert.h>
#include <stdlib.h>

#include "base/fetch.h"
#include "base/memory.h"
#include "base/sort.h"
#include "base/threads.h"
#include "order/lexicographic.h"
#include "order/order.h"
#include "order/sequence.h"

typedef struct renumbered_rows {
    const mplan_map *map;
    const int32_t *point_new_of_old; /* NULL: as they are */
    int32_t none;                    /* stands for -1, above all points */
} renumbered_rows;

/* The row's renumbered points, ascending, -1 entries last. Each is inserted as it comes, but for
 * rows that this would be slow for. */
static int64_t get_row(const void *data, int64_t element, int32_t *list)
{
    enum { LONG_ROW = 64 };
    const renumbered_rows *rows = data;
    int32_t length;
    const int32_t *row = mplan_map_row(rows->map, element, &length);
    for (int32_t k = 0; k < length; k++) {
        int32_t number = rows->none;
        if (row[k] >= 0)
            number = rows->point_new_of_old ? rows->point_new_of_old[row[k]] : row[k];
        int32_t i = k;
        for (; i > 0 && length <= LONG_ROW && list[i - 1] > number; i--)
            list[i] = list[i - 1];
        list[i] = number;
    }
    if (length > LONG_ROW)
        mplan_sort_i32(list, length);
    return length;
}

/* The places that get_row will read. */
static void fetch_row(const void *data, int64_t element)
{
    const renumbered_rows *rows = data;
    const int32_t arity = rows->map->arity;
    if (rows->point_new_of_old && arity > 0)
        mplan_fetch_row(rows->point_new_of_old, rows->map->values + element * arity, arity);
}

enum { POINTS = 1 << 15 }; /* of a piece */

/* Minus what is behind all places of points [begin, end). */
static int64_t find_end(void *data, int thread, int64_t begin, int64_t end)
{
    const int32_t *new_of_old = data;
    int64_t least = 0;
    (void)thread;
    for (int64_t p = begin; p < end; p++)
        least = -(int64_t)new_of_old[p] - 1 < least ? -(int64_t)new_of_old[p] - 1 : least;
    return least;
}

/* new_of_old: one per row of the map. Rows are compared as get_row writes them,
 * lexicographically; equal ones keep the order of their index. Places of points may have holes. */
mplan_status mplan_order_elements(const mplan_map *map, const int32_t *point_new_of_old,
                                  int32_t *new_of_old, const mplan_context *context, mplan_error *err)
{
    assert(map && new_of_old);
    int64_t end = map->n_points; /* of the new places, which may leave holes */
    if (point_new_of_old)
        end = -mplan_for_least(mplan_team_of(context), map->n_points, POINTS, find_end,
                               (void *)(uintptr_t)point_new_of_old, -end);
    int64_t longest = map->arity;
    for (int64_t e = 0; e < map->n_rows && !map->arity; e++)
        if (map->offsets[e + 1] - map->offsets[e] > longest)
            longest = map->offsets[e + 1] - map->offsets[e];
    renumbered_rows rows = {map, point_new_of_old, (int32_t)end};
    mplan_lists lists = {map->n_rows, end + 1, longest, get_row, &rows, fetch_row};
    return mplan_order_lists(&lists, NULL, new_of_old, context, err);
}

/* --- by block ------------------------------------------------------------------------------ */

/* Elements that are dealt out to their blocks piece by piece. */
typedef struct dealing {
    const int32_t *block, *sequence; /* sequence: NULL, the index */
    int64_t n, n_blocks, n_pieces;
    int32_t *place; /* [piece * n_blocks + b]: elements of block b in the piece; then where its next one goes, from `first` on */
    int32_t *first; /* n_blocks + 1: elements of block b at b + 1; then where the block begins */
    int32_t *new_of_old;
} dealing;

static int64_t dealt(const dealing *d, int64_t i)
{
    return d->sequence ? d->sequence[i] : i;
}

static void count_pieces(void *data, int thread, int64_t begin, int64_t end)
{
    const dealing *d = data;
    (void)thread;
    for (int64_t k = begin; k < end; k++) {
        int32_t *count = d->place + k * d->n_blocks;
        for (int64_t i = mplan_piece_begin(d->n, d->n_pieces, k);
             i < mplan_piece_begin(d->n, d->n_pieces, k + 1); i++)
            count[d->block[dealt(d, i)]]++;
    }
}

/* Blocks [begin, end): counts of the pieces become places within the block. */
static void place_pieces(void *data, int thread, int64_t begin, int64_t end)
{
    const dealing *d = data;
    (void)thread;
    for (int64_t k = 0; k < d->n_pieces; k++)
        for (int64_t b = begin; b < end; b++) {
            int32_t *place = d->place + k * d->n_blocks + b, count = *place;
            *place = d->first[b + 1];
            d->first[b + 1] += count;
        }
}

static void deal_pieces(void *data, int thread, int64_t begin, int64_t end)
{
    const dealing *d = data;
    (void)thread;
    for (int64_t k = begin; k < end; k++) {
        int32_t *place = d->place + k * d->n_blocks;
        for (int64_t i = mplan_piece_begin(d->n, d->n_pieces, k);
             i < mplan_piece_begin(d->n, d->n_pieces, k + 1); i++) {
            const int64_t e = dealt(d, i);
            d->new_of_old[e] = d->first[d->block[e]] + place[d->block[e]]++;
        }
    }
}

/* Counting sort by block, stable in the order that `earlier` gives (NULL: the index). Counts of all pieces take no more
 * than a number an element. */
mplan_status mplan_order_by_block(int64_t n, const int32_t *block, int64_t n_blocks,
                                  const int32_t *earlier, int32_t *new_of_old,
                                  const mplan_context *context, mplan_error *err)
{
    enum { ELEMENTS = 1 << 14, BLOCKS = 1 << 10 };
    assert(block && new_of_old && n >= 0 && n_blocks >= 0);
    mplan_team *team = mplan_team_of(context);
    int32_t *sequence = NULL;
    mplan_status status = mplan_sequence_of(n, earlier, &sequence, team, err);
    if (status)
        return status;
    dealing d = {.block = block,
                 .sequence = sequence,
                 .n = n,
                 .n_blocks = n_blocks,
                 .n_pieces = mplan_pieces_that_count(team, n, ELEMENTS, n_blocks > 0 ? n_blocks : 1),
                 .new_of_old = new_of_old};
    d.place = mplan_alloc_zero(d.n_pieces * n_blocks, sizeof *d.place, err);
    d.first = mplan_alloc_zero(n_blocks + 1, sizeof *d.first, err);
    status = d.place && d.first ? MPLAN_OK : MPLAN_ERR_MEMORY;
    mplan_for(team, status ? 0 : d.n_pieces, 1, count_pieces, &d);
    mplan_for(team, status ? 0 : n_blocks, BLOCKS, place_pieces, &d);
    for (int64_t b = 0; b < n_blocks && !status; b++)
        d.first[b + 1] += d.first[b];
    mplan_for(team, status ? 0 : d.n_pieces, 1, deal_pieces, &d);
    free(d.place);
    free(d.first);
    free(sequence);
    return status;
}
