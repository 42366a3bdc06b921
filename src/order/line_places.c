/* SPDX-License-Identifier: Apache-2.0 */
/* line_places.c - the order of packed lines, and the places of their points
 *
 * Lines follow one another by the list of their blocks, so that those of a block lie together. */
#include <assert.h>
#include <stdlib.h>

#include "base/threads.h"
#include "order/lexicographic.h"
#include "order/packed_lines.h"

enum { NONE = -1, POINTS = 1 << 13 };

/* Insertion into a sorted list: lines have a few blocks only. */
int32_t mplan_line_blocks(const mplan_packing *p, const mplan_packed_line *at, int32_t *out)
{
    assert(p && at && out);
    int32_t count = 0;
    for (int32_t k = 0; k < at->n; k++) {
        int32_t n;
        if (k > 0 && at->group[k] == at->group[k - 1])
            continue;
        const int32_t *list = mplan_group_list(p, at->group[k], &n);
        for (int32_t i = 0; i < n; i++) {
            int32_t place = count;
            while (place > 0 && out[place - 1] > list[i])
                place--;
            if (place > 0 && out[place - 1] == list[i])
                continue;
            for (int32_t t = count++; t > place; t--)
                out[t] = out[t - 1];
            out[place] = list[i];
        }
    }
    return count;
}

/* Items are packed lines, then the whole lines of each group. */
typedef struct line_list {
    const mplan_packing *p;
    int32_t *group; /* of each whole line */
    int32_t *first; /* and its first place in p->order */
} line_list;

/* The list by which item `item` is sorted: items below lines.count are packed lines,
 * the others whole lines of one group, which all touch the blocks of that group. out
 * has room for the longest list. */
static int64_t get_blocks(const void *data, int64_t item, int32_t *out)
{
    const line_list *all = data;
    const mplan_packing *p = all->p;
    int32_t n;
    if (item < p->lines.count)
        return mplan_line_blocks(p, mplan_packing_lines(p) + item, out);
    const int32_t *list = mplan_group_list(p, all->group[item - p->lines.count], &n);
    for (int32_t i = 0; i < n; i++)
        out[i] = list[i];
    return n;
}

typedef struct invert_work {
    const int32_t *place;
    int32_t *line_at;
} invert_work;

/* Items [begin, end) at their places. */
static void invert_places(void *data, int thread, int64_t begin, int64_t end)
{
    const invert_work *work = data;
    (void)thread;
    for (int64_t i = begin; i < end; i++)
        work->line_at[work->place[i]] = (int32_t)i;
}

/* Lines in their order, and the places of their points; pieces of them are placed by threads. */
typedef struct place_work {
    const line_list *all;
    const int32_t *line_at; /* n_lines: the item at each place of the order */
    int64_t n_lines, n_pieces;
    bool padded;
    int64_t *first; /* n_pieces + 1: lines that are placed of a piece; then how many are before it */
    int32_t *new_of_old;
} place_work;

/* The packed line that item i of the order is; NULL: a whole one. */
static const mplan_packed_line *packed_line(const place_work *work, int64_t i)
{
    const mplan_packing *p = work->all->p;
    return work->line_at[i] < p->lines.count ? mplan_packing_lines(p) + work->line_at[i] : NULL;
}

/* Whether a line has a place of its own: whole ones have, and short ones where they keep holes. */
static bool is_placed(const place_work *work, const mplan_packed_line *at)
{
    return !at || (at->n > 0 && (at->n == MPLAN_LINE || work->padded));
}

static void count_placed(void *data, int thread, int64_t begin, int64_t end)
{
    const place_work *work = data;
    (void)thread;
    for (int64_t k = begin; k < end; k++) {
        int64_t count = 0, last = mplan_piece_begin(work->n_lines, work->n_pieces, k + 1);
        for (int64_t i = mplan_piece_begin(work->n_lines, work->n_pieces, k); i < last; i++)
            count += is_placed(work, packed_line(work, i));
        work->first[k + 1] = count;
    }
}

static void place_lines(void *data, int thread, int64_t begin, int64_t end)
{
    const place_work *work = data;
    const line_list *all = work->all;
    const mplan_packing *p = all->p;
    (void)thread;
    for (int64_t k = begin; k < end; k++) {
        int64_t next = MPLAN_LINE * work->first[k];
        int64_t last = mplan_piece_begin(work->n_lines, work->n_pieces, k + 1);
        for (int64_t i = mplan_piece_begin(work->n_lines, work->n_pieces, k); i < last; i++) {
            const mplan_packed_line *at = packed_line(work, i);
            if (!is_placed(work, at))
                continue;
            const int32_t *points = at ? at->point
                                       : p->order + all->first[work->line_at[i] - p->lines.count];
            for (int32_t j = 0; j < (at ? at->n : MPLAN_LINE); j++)
                work->new_of_old[points[j]] = (int32_t)(next + j);
            next += MPLAN_LINE;
        }
    }
}

/* The places of all points: line by line, a short line last or with holes; then
 * points of long lists and untouched ones as they were. work->first: zeros. Returns how many places there are. */
static int64_t place_points(place_work *work, mplan_team *team)
{
    const mplan_packing *p = work->all->p;
    int32_t *new_of_old = work->new_of_old;
    const mplan_packed_line *short_line = NULL;
    mplan_for_set(team, new_of_old, 0xff, p->lists.n_points * (int64_t)sizeof *new_of_old); /* NONE */
    mplan_for(team, work->n_pieces, 1, count_placed, work);
    for (int64_t k = 0; k < work->n_pieces; k++)
        work->first[k + 1] += work->first[k];
    mplan_for(team, work->n_pieces, 1, place_lines, work);
    int64_t next = MPLAN_LINE * work->first[work->n_pieces];
    for (int64_t i = 0; i < p->lines.count && !work->padded; i++)
        if (mplan_packing_lines(p)[i].n > 0 && mplan_packing_lines(p)[i].n < MPLAN_LINE)
            short_line = mplan_packing_lines(p) + i; /* close_up left one */
    for (int32_t k = 0; short_line && k < short_line->n; k++)
        new_of_old[short_line->point[k]] = (int32_t)next++;
    int64_t left = p->lists.n_points; /* in no group */
    for (int64_t g = 0; g < p->groups.count; g++)
        left -= mplan_packing_groups(p)[g].n;
    for (int64_t i = 0; i < p->lists.n_points && left > 0; i++)
        if (new_of_old[p->order[i]] == NONE)
            new_of_old[p->order[i]] = (int32_t)next++;
    return next;
}

/* Puts lines into the lexicographic order of their blocks and gives places to their
 * points, MPLAN_LINE to a line. new_of_old: out, one per point; *storage: out, the number of
 * places, holes included where `padded`. */
mplan_status mplan_packing_order(const mplan_packing *p, bool padded, int32_t *new_of_old,
                                 int64_t *storage, const mplan_context *context, mplan_error *err)
{
    assert(p && new_of_old && storage);
    int64_t whole = 0, n = p->lines.count;
    mplan_team *team = mplan_team_of(context);
    for (int64_t g = 0; g < p->groups.count; g++)
        whole += mplan_packing_groups(p)[g].left / MPLAN_LINE;
    mplan_status status = MPLAN_ERR_MEMORY;
    line_list all = {p, mplan_alloc(whole, sizeof *all.group, err),
                     mplan_alloc(whole, sizeof *all.first, err)};
    int32_t *place = mplan_alloc(n + whole, sizeof *place, err);
    int32_t *line_at = mplan_alloc(n + whole, sizeof *line_at, err);
    if (!all.group || !all.first || !place || !line_at)
        goto done;
    for (int64_t g = 0, i = 0; g < p->groups.count; g++)
        for (int32_t k = 0; k < mplan_packing_groups(p)[g].left / MPLAN_LINE; k++) {
            all.group[i] = (int32_t)g;
            all.first[i++] = (int32_t)(mplan_packing_groups(p)[g].first + MPLAN_LINE * k);
        }
    mplan_lists lists = {
        n + whole, p->lists.n_blocks, MPLAN_LINE * MPLAN_PACKED_LIST, get_blocks, &all, NULL};
    status = mplan_order_lists(&lists, NULL, place, context, err);
    mplan_for(team, status ? 0 : n + whole, POINTS, invert_places, &(invert_work){place, line_at});
    place_work work = {&all,   line_at, n + whole, mplan_pieces(team, n + whole, POINTS),
                       padded, NULL,    new_of_old};
    if (!status && !(work.first = mplan_alloc_zero(work.n_pieces + 1, sizeof *work.first, err)))
        status = MPLAN_ERR_MEMORY;
    if (!status)
        *storage = place_points(&work, team);
    free(work.first);
done:
    free(all.group);
    free(all.first);
    free(place);
    free(line_at);
    return status;
}
