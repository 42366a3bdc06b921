/* SPDX-License-Identifier: Apache-2.0 */
/* shared_points.c - the points that several blocks touch, and which
 *
 * Most points lie within one block: a first pass over the maps leaves them behind. */
#include "order/shared_points.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "base/sort.h"
#include "base/buckets.h"
#include "base/threads.h"

enum { ROWS = 1 << 14, LISTS = 1 << 12, FEW = 64, MOST_PIECES = 128 };

/* Per point: whether several blocks touch it; then its number among such points, before that
 * the block met last, -1 for none. */
typedef struct numbering {
    uint8_t *shared;
    int32_t *number;
} numbering;

/* What loops over rows read, and change at the points. */
typedef struct row_work {
    const mplan_map *maps; /* the one at hand, and those behind it */
    const int32_t *block;
    const numbering *points;
    int64_t *place;
    int32_t *blocks;
} row_work;

/* Marks the points that rows of different blocks list. Whoever comes exchanges his block for
 * the one that was there: two that differ are seen by one of them, in whatever order. */
static void mark_shared(void *data, int thread, int64_t begin, int64_t end)
{
    const row_work *work = data;
    int32_t *met = work->points->number;
    (void)thread;
    for (int64_t e = begin; e < end; e++) {
        int32_t length, b = work->block[e];
        const int32_t *row = mplan_map_row(work->maps, e, &length);
        for (int32_t k = 0; k < length; k++) {
            if (row[k] < 0 || mplan_peek(&met[row[k]]) == b)
                continue;
            int32_t before = mplan_exchange(&met[row[k]], b);
            if (before >= 0 && before != b)
                mplan_mark(&work->points->shared[row[k]]);
        }
    }
}

/* Pieces of the points. */
typedef struct number_work {
    const numbering *points;
    int64_t n_points, n_pieces,
        first[MOST_PIECES + 1]; /* first[k + 1]: shared points of piece k; then those before it */
} number_work;

static void count_shared(void *data, int thread, int64_t begin, int64_t end)
{
    number_work *work = data;
    (void)thread;
    for (int64_t k = begin; k < end; k++)
        for (int64_t p = mplan_piece_begin(work->n_points, work->n_pieces, k);
             p < mplan_piece_begin(work->n_points, work->n_pieces, k + 1); p++)
            work->first[k + 1] += work->points->shared[p];
}

static void number_pieces(void *data, int thread, int64_t begin, int64_t end)
{
    const number_work *work = data;
    (void)thread;
    for (int64_t k = begin; k < end; k++) {
        int64_t next = work->first[k];
        for (int64_t p = mplan_piece_begin(work->n_points, work->n_pieces, k);
             p < mplan_piece_begin(work->n_points, work->n_pieces, k + 1); p++)
            if (work->points->shared[p])
                work->points->number[p] = (int32_t)next++;
    }
}

/* Gives consecutive numbers to the points that several blocks touch; number[p] of other
 * points stays as it was. Returns how many there are. */
static int64_t number_shared(int64_t n_points, const numbering *points, mplan_team *team)
{
    number_work work = {points, n_points, mplan_pieces(team, n_points, ROWS), {0}};
    work.n_pieces = work.n_pieces < MOST_PIECES ? work.n_pieces : MOST_PIECES;
    mplan_for(team, work.n_pieces, 1, count_shared, &work);
    mplan_sum_counts(work.first, work.n_pieces);
    mplan_for(team, work.n_pieces, 1, number_pieces, &work);
    return work.first[work.n_pieces];
}

/* Rows [begin, end): the block of every entry of a shared point goes to the next free place of its list, whichever thread comes
 * first: lists are sorted later. Without blocks entries are counted. place[i] ends up behind list i. */
static void list_rows(void *data, int thread, int64_t begin, int64_t end)
{
    const row_work *work = data;
    const numbering *points = work->points;
    (void)thread;
    for (int64_t e = begin; e < end; e++) {
        int32_t length;
        const int32_t *row = mplan_map_row(work->maps, e, &length);
        for (int32_t k = 0; k < length; k++) {
            if (row[k] < 0 || !points->shared[row[k]])
                continue;
            int64_t at = mplan_add(&work->place[points->number[row[k]]], 1);
            if (work->blocks)
                work->blocks[at] = work->block[e];
        }
    }
}

/* All maps in turn. */
static void list_maps(row_work *work, int32_t n_maps, mplan_team *team)
{
    const mplan_map *maps = work->maps;
    for (int32_t m = 0; m < n_maps; m++, work->maps++)
        mplan_for(team, work->maps->n_rows, ROWS, list_rows, work);
    work->maps = maps;
}

/* Sorts a list and drops repeats; returns how many are left. */
static int64_t tidy(int32_t *list, int64_t n)
{
    int64_t count = 0;
    if (n > FEW)
        mplan_sort_i32(list, n);
    for (int64_t i = 0; i < n; i++) {
        int32_t b = list[i];
        int64_t at = count;
        while (at > 0 && list[at - 1] > b)
            at--;
        if (at > 0 && list[at - 1] == b)
            continue;
        memmove(list + at + 1, list + at, (size_t)(count - at) * sizeof *list);
        list[at] = b;
        count++;
    }
    return count;
}

/* The lists, tidied in place, and the length of each; 0 for those of more than `most`. */
typedef struct list_work {
    const int64_t *begin;
    int32_t *lists, *lengths, most;
} list_work;

/* Range [begin, end) of shared points: sorts the blocks in the list of each and removes
 * repeats. Lists longer than `most` count as empty. lengths[i]: out; returns the sum of
 * them. */
static int64_t tidy_lists(void *data, int thread, int64_t begin, int64_t end)
{
    const list_work *work = data;
    int64_t sum = 0;
    (void)thread;
    for (int64_t i = begin; i < end; i++) {
        int64_t length = tidy(work->lists + work->begin[i], work->begin[i + 1] - work->begin[i]);
        work->lengths[i] = length <= work->most ? (int32_t)length : 0;
        sum += work->lengths[i];
    }
    return sum;
}

/* Appends the lists of up to `most` blocks, tidied; the others, and points of one block, which
 * have none, are left out. lengths: out, per list. */
static mplan_status append(const int64_t *begin, int64_t n, int32_t *lists, int32_t *lengths,
                           int32_t most, mplan_team *team, mplan_vector *ends, mplan_vector *blocks,
                           mplan_error *err)
{
    list_work work = {begin, lists, lengths, most};
    int64_t sum = mplan_for_sum(team, n, LISTS, tidy_lists, &work), kept = 0;
    for (int64_t i = 0; i < n; i++)
        kept += lengths[i] > 0;
    if (!mplan_vector_reserve(ends, kept, err) || !mplan_vector_reserve(blocks, sum, err))
        return MPLAN_ERR_MEMORY;
    for (int64_t i = 0; i < n; i++) {
        if (lengths[i] == 0)
            continue;
        memcpy((int32_t *)blocks->data + blocks->count, lists + begin[i],
               (size_t)lengths[i] * sizeof *lists);
        blocks->count += lengths[i];
        ((int64_t *)ends->data)[ends->count++] = blocks->count;
    }
    return MPLAN_OK;
}

/* The entries of shared points, point by point: begin[n + 2], *lists. */
static mplan_status collect(row_work *work, int32_t n_maps, int64_t n, mplan_team *team,
                            int64_t *begin, int32_t **lists, mplan_error *err)
{
    int64_t *place = begin + 1; /* ends up as begin */
    work->place = place + 1;
    list_maps(work, n_maps, team);
    mplan_for_sums(team, n, place);
    *lists = mplan_alloc(place[n], sizeof **lists, err);
    if (!*lists)
        return MPLAN_ERR_MEMORY;
    work->place = place;
    work->blocks = *lists;
    list_maps(work, n_maps, team);
    return MPLAN_OK;
}

/* Three passes over the rows: mark the points that more than one block touches, count the
 * entries of each, write them. In the first, threads meet at points, and an exchange sees to it
 * that none is missed; in the others they take the next free place of a list, and lists are sorted. So lists
 * do not depend on threads. */
mplan_status mplan_shared_points(const mplan_map *maps, int32_t n_maps, const int32_t *block,
                                 int32_t most, mplan_vector *ends, mplan_vector *blocks,
                                 const mplan_context *context, mplan_error *err)
{
    assert(maps && block && ends && blocks && n_maps > 0 && most >= 2);
    mplan_team *team = mplan_team_of(context);
    int64_t n_points = maps[0].n_points, n = 0, *begin = NULL;
    int32_t *lists = NULL, *lengths = NULL;
    numbering points = {mplan_alloc_zero(n_points, 1, err),
                        mplan_alloc(n_points, sizeof *points.number, err)};
    mplan_status status = points.shared && points.number ? MPLAN_OK : MPLAN_ERR_MEMORY;
    if (!status) {
        row_work work = {.maps = maps, .block = block, .points = &points};
        mplan_for_set(team, points.number, 0xff, n_points * (int64_t)sizeof *points.number);
        for (int32_t m = 0; m < n_maps; m++, work.maps++)
            mplan_for(team, work.maps->n_rows, ROWS, mark_shared, &work);
        work.maps = maps;
        n = number_shared(n_points, &points, team);
        begin = mplan_alloc_zero(n + 2, sizeof *begin, err);
        lengths = mplan_alloc(n, sizeof *lengths, err);
        status = begin && lengths ? collect(&work, n_maps, n, team, begin, &lists, err)
                                  : MPLAN_ERR_MEMORY;
    }
    if (!status)
        status = append(begin, n, lists, lengths, most, team, ends, blocks, err);
    free(points.shared);
    free(points.number);
    free(begin);
    free(lists);
    free(lengths);
    return status;
}
