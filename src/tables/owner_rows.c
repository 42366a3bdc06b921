/* SPDX-License-Identifier: Apache-2.0 */
/* owner_rows.c - rows of owner-gather before they are encoded: transposed maps in slices
 *
 * formats/plan-format.md, section 9: slices of 32 points (sliced ELL, Kreutzer et al., SIAM J. Sci.
 * Comput. 36 (2014)), optionally sorted by valence in windows. */
#include "tables/owner_rows.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "base/sort.h"
#include "base/threads.h"
#include "plan/packed.h"

enum {
    WINDOW = MPLAN_OWNER_WINDOW,
    ELEMENTS = 1 << 13,
    POINTS = 1 << 14,
    SLICES = 1 << 9,
    WINDOWS = 16
};

/* Columns [low, high) of element e go behind what their points have so far; begin[p + 1] is the
 * end of p's list. */
static void add_codes(mplan_owner_rows *work, int64_t e, int32_t low, int32_t high)
{
    for (int32_t m = 0, first = 0; m < work->n_maps; first += work->maps[m].arity, m++)
        for (int32_t s = 0; s < work->maps[m].arity; s++) {
            int32_t p = work->maps[m].values[e * work->maps[m].arity + s];
            if (p >= 0 && first + s >= low && first + s < high)
                work->codes[work->begin[p + 1]++] = (int32_t)(e * work->columns + first + s);
        }
}

/* All codes, one behind the other in the order of the sums: places without a member have none. */
static void fill_codes(mplan_owner_rows *work)
{
    const mplan_row_order *order = work->order;
    if (order->by == MPLAN_SUMS_ORDER_MESH) {
        for (int64_t i = 0; i < order->n_members; i++)
            add_codes(work, order->new_of_old[i], 0, work->columns);
        return;
    }
    int32_t step = order->by == MPLAN_SUMS_ORDER_COLUMN ? 1 : work->columns;
    for (int32_t low = 0; low < work->columns; low += step)
        for (int64_t e = 0; e < work->n_elements; e++)
            add_codes(work, e, low, low + step);
}

/* Elements [begin, end): entries count, two places behind their points. */
static void count_codes(void *data, int thread, int64_t begin, int64_t end)
{
    const mplan_owner_rows *work = data;
    (void)thread;
    for (int32_t m = 0; m < work->n_maps; m++) {
        const mplan_map *map = &work->maps[m];
        for (int64_t i = begin * map->arity; i < end * map->arity; i++)
            if (map->values[i] >= 0)
                mplan_add_u32(&work->begin[map->values[i] + 2], 1);
    }
}

/* Codes of elements [begin, end) to the next free places of their points, whichever thread comes first. */
static void deal_codes(void *data, int thread, int64_t begin, int64_t end)
{
    const mplan_owner_rows *work = data;
    (void)thread;
    for (int64_t e = begin; e < end; e++)
        for (int32_t m = 0, first = 0; m < work->n_maps; first += work->maps[m].arity, m++)
            for (int32_t s = 0; s < work->maps[m].arity; s++) {
                int32_t p = work->maps[m].values[e * work->maps[m].arity + s];
                if (p >= 0)
                    work->codes[mplan_add_u32(&work->begin[p + 1], 1)] = (int32_t)(e * work->columns +
                                                                                   first + s);
            }
}

/* Points [begin, end): codes ascend, as one thread writes them. */
static void sort_codes(void *data, int thread, int64_t begin, int64_t end)
{
    const mplan_owner_rows *work = data;
    (void)thread;
    for (int64_t p = begin; p < end; p++)
        mplan_sort_i32(work->codes + work->begin[p], work->begin[p + 1] - work->begin[p]);
}

/* Codes of all points, by walks over the elements in the order of the sums. begin is filled
 * one place further on, and is right when the walk has moved each entry to the next point's
 * begin. Codes must stay below INT32_MAX. */
static mplan_status transpose(mplan_owner_rows *work, mplan_team *team, mplan_error *err)
{
    const int64_t elements = mplan_team_threads(team) > 1 ? work->n_elements : 0;
    bool together = elements > 0 && work->order->by == MPLAN_SUMS_ORDER_STORED;
    if (work->n_elements * work->columns >= INT32_MAX)
        return mplan_fail(err, MPLAN_ERR_ARGUMENT,
                          "owner-gather numbers slots in 31 bits; %lld elements of %d slots are too "
                          "many",
                          (long long)work->n_elements, (int)work->columns);
    work->begin = mplan_alloc_zero(work->n_points + 2, sizeof *work->begin, err);
    if (!work->begin)
        return MPLAN_ERR_MEMORY;
    mplan_for(team, elements, ELEMENTS, count_codes, work);
    for (int32_t m = 0; m < work->n_maps && elements == 0; m++) {
        const mplan_map *map = &work->maps[m];
        for (int64_t i = 0; i < map->n_rows * map->arity; i++)
            if (map->values[i] >= 0)
                work->begin[map->values[i] + 2]++;
    }
    for (int64_t p = 0; p <= work->n_points; p++)
        work->begin[p + 1] += work->begin[p];
    work->codes = mplan_alloc(work->begin[work->n_points + 1], sizeof *work->codes, err);
    if (!work->codes)
        return MPLAN_ERR_MEMORY;
    if (!together)
        fill_codes(work);
    mplan_for(team, together ? elements : 0, ELEMENTS, deal_codes, work);
    mplan_for(team, together ? work->n_points : 0, POINTS, sort_codes, work);
    return MPLAN_OK;
}

/* Slices [begin, end): the width of each, its longest row, at the place of the next. */
static void measure_widths(void *data, int thread, int64_t begin, int64_t end)
{
    const mplan_owner_rows *work = data;
    (void)thread;
    for (int64_t s = begin; s < end; s++) {
        int64_t most = 0;
        for (int64_t r = s * work->slice; r < (s + 1) * work->slice; r++)
            most = mplan_owner_valence(work, r) > most ? mplan_owner_valence(work, r) : most;
        work->first[s + 1] = most;
    }
}

/* Columns of entries before each slice. */
static void measure_slices(mplan_owner_rows *work, mplan_team *team)
{
    const int64_t n_slices = work->n_rows / work->slice;
    work->first[0] = 0;
    mplan_for(team, n_slices, SLICES, measure_widths, work);
    mplan_for_sums(team, n_slices, work->first);
}

/* How many entries a point has, for sorting within a window. */
typedef struct valence_of_point {
    int64_t valence;
    int32_t point;
} valence_of_point;

/* More entries first; equal ones by point, so that no two compare as equal. */
static int compare_valence(const void *a, const void *b)
{
    const valence_of_point *x = a, *y = b;
    int c = (x->valence < y->valence) - (x->valence > y->valence);
    return c ? c : (x->point > y->point) - (x->point < y->point);
}

/* Points with many entries first within each of windows [begin, end) of WINDOW points: slices then have
 * rows of like length. The point stays in its window, so that a byte says which it is.
 * work->point holds the identity before. */
static void sort_windows(void *data, int thread, int64_t begin, int64_t end)
{
    const mplan_owner_rows *work = data;
    (void)thread;
    for (int64_t w = begin * WINDOW; w < end * WINDOW && w < work->n_points; w += WINDOW) {
        valence_of_point window[WINDOW];
        int64_t n = work->n_points - w < WINDOW ? work->n_points - w : WINDOW;
        for (int64_t i = 0; i < n; i++)
            window[i] = (valence_of_point){mplan_owner_valence(work, w + i), (int32_t)(w + i)};
        qsort(window, (size_t)n, sizeof *window, compare_valence);
        for (int64_t i = 0; i < n; i++)
            work->point[w + i] = window[i].point;
    }
}

/* Rows [begin, end) are points, -1 behind the last; returns minus the most entries of a row. */
static int64_t begin_rows(void *data, int thread, int64_t begin, int64_t end)
{
    const mplan_owner_rows *work = data;
    int64_t least = 0;
    (void)thread;
    for (int64_t r = begin; r < end; r++) {
        work->point[r] = r < work->n_points ? (int32_t)r : -1;
        least = -mplan_owner_valence(work, r) < least ? -mplan_owner_valence(work, r) : least;
    }
    return least;
}

/* Rows, slices, and whether windows are sorted: work->point, work->first; width where no point
 * has more than MPLAN_OWNER_WIDTH_MOST entries (all slices are as wide then, and offsets are
 * left out). Windows are sorted where padding would be more than a tenth of the entries. */
static mplan_status lay_out(mplan_owner_rows *work, mplan_owner_table *out, mplan_team *team,
                            mplan_error *err)
{
    int64_t n_slices = work->n_rows / work->slice;
    int64_t entries = work->begin[work->n_points];
    work->point = mplan_alloc(work->n_rows, sizeof *work->point, err);
    work->first = mplan_alloc(n_slices + 1, sizeof *work->first, err);
    if (!work->point || !work->first)
        return MPLAN_ERR_MEMORY;
    const int64_t most = -mplan_for_least(team, work->n_rows, POINTS, begin_rows, work, 0);
    out->rows = (int32_t)work->slice;
    out->n_slices = n_slices;
    if (most >= 1 && most <= MPLAN_OWNER_WIDTH_MOST) {
        out->width = (int32_t)most;
        for (int64_t s = 0; s <= n_slices; s++)
            work->first[s] = s * most;
    } else {
        measure_slices(work, team);
        if (10 * work->slice * work->first[n_slices] > 11 * entries) {
            out->window = WINDOW;
            mplan_for(team, (work->n_points + WINDOW - 1) / WINDOW, WINDOWS, sort_windows, work);
            measure_slices(work, team);
        }
    }
    out->n_columns = work->first[n_slices];
    return MPLAN_OK;
}

typedef struct points_work {
    const int32_t *point;
    uint8_t *points;
} points_work;

static void write_bytes(void *data, int thread, int64_t begin, int64_t end)
{
    const points_work *work = data;
    (void)thread;
    for (int64_t r = begin; r < end; r++)
        work->points[r] = (uint8_t)(work->point[r] < 0 ? 0 : work->point[r] % WINDOW);
}

/* points[r]: which thread of its window owns row r, 0 for rows of padding. Only where
 * rows are sorted by length within a window. */
static mplan_status write_points(const mplan_owner_rows *work, mplan_owner_table *out,
                                 mplan_team *team, mplan_error *err)
{
    out->points = mplan_alloc(work->n_rows, 1, err);
    if (!out->points)
        return MPLAN_ERR_MEMORY;
    mplan_for(team, work->n_rows, POINTS, write_bytes, &(points_work){work->point, out->points});
    return MPLAN_OK;
}

/* Rows are points, n_points rounded up to whole slices; a row's entries are the slots that lead
 * to its point (codes: element * columns + column, from begin[p] to begin[p + 1]). The caller
 * closes `work`, also after a failure. */
mplan_status mplan_owner_rows_open(const mplan_map *maps, int32_t n_maps,
                                   const mplan_row_order *order, mplan_owner_rows *work,
                                   mplan_owner_table *out, mplan_team *team, mplan_error *err)
{
    assert(maps && work && out && n_maps > 0 && order && order->by >= 0);
    *work = (mplan_owner_rows){.maps = maps,
                               .n_maps = n_maps,
                               .order = order,
                               .slice = MPLAN_SLICE_ROWS(order->slice_rows),
                               .n_points = maps[0].n_points,
                               .n_elements = maps[0].n_rows};
    work->n_rows = MPLAN_OWNER_SLICES(work->n_points, work->slice) * work->slice;
    for (int32_t m = 0; m < n_maps; m++)
        work->columns += maps[m].arity;
    mplan_status status = transpose(work, team, err);
    if (!status)
        status = lay_out(work, out, team, err);
    if (!status && out->window)
        status = write_points(work, out, team, err);
    return status;
}

/* Gives the offsets of slices to the table where slices differ in width; with a fixed width
 * nobody needs them. All the rest is freed. */
void mplan_owner_rows_close(mplan_owner_rows *work, mplan_owner_table *out)
{
    assert(work && out);
    if (out->width == 0) {
        out->offsets = work->first;
        work->first = NULL;
    }
    free(work->begin);
    free(work->codes);
    free(work->point);
    free(work->first);
    *work = (mplan_owner_rows){0};
}
