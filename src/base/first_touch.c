/* SPDX-License-Identifier: Apache-2.0 */
/* first_touch.c - numbers by the order in which a list names things, side by side
 *
 * The list is cut into pieces. Of every point the first piece that names it is found, whichever thread comes first; a piece
 * numbers its own points from 0 on, and what the pieces before it have numbered is added. Of 2 million faces of tets, the
 * partitioner numbers points twice: 40 ms of one thread's time are shared. */
#include "base/first_touch.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"

enum { NONE = -1, ENTRIES = 1 << 15, POINTS = 1 << 15 };

typedef struct touching {
    const int32_t *values;
    int64_t n, n_pieces;
    int32_t *number, *first;
    int64_t *begin; /* n_pieces + 1: points of each piece; then the number of its first one */
} touching;

/* Entries of piece p; their number. */
static const int32_t *piece_of(const touching *t, int64_t p, int64_t *count)
{
    const int64_t begin = mplan_piece_begin(t->n, t->n_pieces, p);
    *count = mplan_piece_begin(t->n, t->n_pieces, p + 1) - begin;
    return t->values + begin;
}

/* Points [begin, end): no piece names them yet. */
static void forget_first(void *data, int thread, int64_t begin, int64_t end)
{
    const touching *t = data;
    (void)thread;
    for (int64_t i = begin; i < end; i++)
        t->first[i] = INT32_MAX;
}

/* Pieces [begin, end): of points without a number the first piece. */
static void find_first(void *data, int thread, int64_t begin, int64_t end)
{
    const touching *t = data;
    (void)thread;
    for (int64_t p = begin; p < end; p++) {
        int64_t count;
        const int32_t *values = piece_of(t, p, &count);
        for (int64_t i = 0; i < count; i++)
            if (values[i] >= 0 && t->number[values[i]] == NONE)
                mplan_lower(&t->first[values[i]], (int32_t)p);
    }
}

/* Pieces [begin, end): numbers from 0 on for the points that are theirs, which no other piece looks at. */
static void number_own(void *data, int thread, int64_t begin, int64_t end)
{
    const touching *t = data;
    (void)thread;
    for (int64_t p = begin; p < end; p++) {
        int64_t count;
        int32_t met = 0;
        const int32_t *values = piece_of(t, p, &count);
        for (int64_t i = 0; i < count; i++)
            if (values[i] >= 0 && t->first[values[i]] == p && t->number[values[i]] == NONE)
                t->number[values[i]] = met++;
        t->begin[p] = met;
    }
}

/* Points [begin, end): from the number within the piece to that within the whole list. */
static void add_begin(void *data, int thread, int64_t begin, int64_t end)
{
    const touching *t = data;
    (void)thread;
    for (int64_t i = begin; i < end; i++)
        if (t->first[i] != INT32_MAX)
            t->number[i] += (int32_t)t->begin[t->first[i]];
}

/* All of it by one thread. */
static int64_t number_serially(int64_t n, const int32_t *values, int32_t next, int32_t *number)
{
    int32_t begin = next;
    for (int64_t i = 0; i < n; i++)
        if (values[i] >= 0 && number[values[i]] == NONE)
            number[values[i]] = next++;
    return next - begin;
}

int64_t mplan_number_first(mplan_team *team, int64_t n, const int32_t *values, int64_t n_points,
                           int32_t next, int32_t *number, int32_t *first)
{
    assert((values && number) || n == 0);
    touching t = {values, n, mplan_pieces(team, n, ENTRIES), number, first, NULL};
    if (first && mplan_team_threads(team) > 1 && t.n_pieces > 1)
        t.begin = mplan_alloc(t.n_pieces, sizeof *t.begin, NULL);
    if (!t.begin)
        return number_serially(n, values, next, number);
    mplan_for(team, n_points, POINTS, forget_first, &t);
    mplan_for(team, t.n_pieces, 1, find_first, &t);
    mplan_for(team, t.n_pieces, 1, number_own, &t);
    int64_t sum = next;
    for (int64_t p = 0; p < t.n_pieces; p++) {
        int64_t count = t.begin[p];
        t.begin[p] = sum;
        sum += count;
    }
    mplan_for(team, n_points, POINTS, add_begin, &t);
    free(t.begin);
    return sum - next;
}
