/* SPDX-License-Identifier: Apache-2.0 */
/* native_corners.c - the corners of cells of higher order as a table of their own
 *
 * A cell of second order lies in a grid, or on another one, as the cell of its corners does: what it has between them belongs to
 * fewer elements. So corners are the places of a row whose points have the most elements on average, and the usual numbers of
 * points and corners tell whether these are cells whose corners say how they lie.
 *
 * What that brings: tools/RESULTS.md. */
#include "partition/native/grid/native_corners.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "partition/native/native_weigh.h"

enum { MOST_ROW = 64, MOST_CORNERS = 8, ROWS = 1 << 14 };

/* Quads, prisms and hexes of second order, with and without points inside, and of third order. */
static const struct {
    int32_t points, corners; /* of a row */
    native_middles middles;
} known[] = {
    {8, 4, NATIVE_EDGE_MIDDLES},  {9, 4, NATIVE_ALL_MIDDLES},  {16, 4, NATIVE_ALL_MIDDLES},
    {15, 6, NATIVE_EDGE_MIDDLES}, {18, 6, NATIVE_ALL_MIDDLES}, {40, 6, NATIVE_ALL_MIDDLES},
    {20, 8, NATIVE_EDGE_MIDDLES}, {27, 8, NATIVE_ALL_MIDDLES}, {64, 8, NATIVE_ALL_MIDDLES}};

typedef struct corner_work {
    const native_table *table;
    uint32_t *degree;      /* of each point */
    int64_t sum[MOST_ROW]; /* of each place of a row: the degrees of its points */
    int32_t place[MOST_CORNERS], n_places;
    int32_t *points; /* out: the rows of the corners */
} corner_work;

/* Which of the known cells rows of this length may be, or -1. Hexes have rows of eight, too, but as few points as elements. */
static int32_t kind_of_cells(const native_table *table)
{
    if (table->n_sets != 1 || native_entries(table) >= 6 * table->n_points)
        return -1;
    for (size_t i = 0; i < sizeof known / sizeof *known; i++)
        if (table->arity == known[i].points)
            return (int32_t)i;
    return -1;
}

static void count_degrees(void *data, int thread, int64_t begin, int64_t end)
{
    const corner_work *work = data;
    const int32_t arity = work->table->arity;
    (void)thread;
    for (int64_t i = begin * arity; i < end * arity; i++)
        mplan_add_u32(&work->degree[work->table->points[i]], 1);
}

static void add_degrees(void *data, int thread, int64_t begin, int64_t end)
{
    corner_work *work = data;
    const int32_t arity = work->table->arity;
    int64_t sum[MOST_ROW] = {0};
    (void)thread;
    for (int64_t e = begin; e < end; e++)
        for (int32_t k = 0; k < arity; k++)
            sum[k] += work->degree[work->table->points[e * arity + k]];
    for (int32_t k = 0; k < arity; k++)
        mplan_add(&work->sum[k], sum[k]);
}

/* Places with three quarters of the highest sum: the middle of an edge has half as many elements as a corner in a grid. False where
 * they are not as many as corners are. */
static bool find_places(corner_work *work, int32_t corners)
{
    int64_t most = 0;
    for (int32_t k = 0; k < work->table->arity; k++)
        most = work->sum[k] > most ? work->sum[k] : most;
    for (int32_t k = 0; k < work->table->arity; k++) {
        if (work->sum[k] < most - most / 4) /* a sum times 4 may be too large */
            continue;
        if (work->n_places == corners)
            return false;
        work->place[work->n_places++] = k;
    }
    return work->n_places == corners;
}

static void copy_rows(void *data, int thread, int64_t begin, int64_t end)
{
    const corner_work *work = data;
    (void)thread;
    for (int64_t e = begin; e < end; e++)
        for (int32_t k = 0; k < work->n_places; k++)
            work->points[e * work->n_places + k] =
                work->table->points[e * work->table->arity + work->place[k]];
}

/* Numbers of corners are without gaps, in the order of the table's points. */
static void number_corners(native_table *corners, int32_t *number, int64_t n_points)
{
    int32_t next = 0;
    memset(number, 0, (size_t)n_points * sizeof *number);
    for (int64_t i = 0; i < native_entries(corners); i++)
        number[corners->points[i]] = 1;
    for (int64_t p = 0; p < n_points; p++)
        number[p] = number[p] ? next++ : -1;
    for (int64_t i = 0; i < native_entries(corners); i++)
        corners->points[i] = number[corners->points[i]];
    corners->n_points = corners->set_begin[1] = next;
}

mplan_status mplan_native_corners(const native_table *table, native_table *corners, bool *found,
                                  mplan_team *team, mplan_error *err)
{
    assert(table && corners && found);
    corner_work work = {.table = table};
    const int32_t kind = kind_of_cells(table);
    *corners = (native_table){.n = 0};
    *found = false;
    if (kind < 0)
        return MPLAN_OK;
    const int32_t n_corners = known[kind].corners;
    work.degree = mplan_alloc_zero(table->n_points, sizeof *work.degree, err);
    if (!work.degree)
        return MPLAN_ERR_MEMORY;
    mplan_for(team, table->n, ROWS, count_degrees, &work);
    mplan_for(team, table->n, ROWS, add_degrees, &work);
    *found = find_places(&work, n_corners);
    if (!*found) {
        free(work.degree);
        return MPLAN_OK;
    }
    *corners = *table;
    corners->arity = n_corners;
    corners->limits_bind = false;
    corners->middles = known[kind].middles;
    corners->points = work.points = mplan_alloc(table->n * n_corners, sizeof *work.points, err);
    corners->set_begin = mplan_alloc_zero(2, sizeof *corners->set_begin, err);
    corners->set_weight = mplan_copy(table->set_weight, 1, sizeof *corners->set_weight, err);
    bool all = corners->points && corners->set_begin && corners->set_weight;
    if (all) {
        mplan_for(team, table->n, ROWS, copy_rows, &work);
        number_corners(corners, (int32_t *)work.degree, table->n_points);
    }
    free(work.degree);
    return all ? MPLAN_OK : MPLAN_ERR_MEMORY;
}

/* n elements in blocks from *offsets on; how many blocks there are, 0 where an element breaks a limit by itself. */
static int64_t cut_by_limits(mplan_footprint *footprint, const int32_t *sequence, int64_t n,
                             int64_t *offsets)
{
    int64_t blocks = 0;
    for (int64_t i = 0; i < n; i++) {
        if (i > 0)
            mplan_footprint_add(footprint, sequence[i]);
        if (i > 0 && mplan_footprint_fits(footprint))
            continue;
        mplan_footprint_begin(footprint);
        mplan_footprint_add(footprint, sequence[i]);
        if (!mplan_footprint_fits(footprint))
            return 0;
        offsets[blocks++] = i;
    }
    offsets[blocks] = n;
    return blocks;
}

mplan_status mplan_native_corners_cut(const native_table *table, mplan_footprint *footprint,
                                      const int32_t *sequence, int64_t **offsets, int64_t *n_blocks,
                                      int64_t *weight, const mplan_context *context, mplan_error *err)
{
    assert(table && footprint && sequence && offsets && n_blocks && weight);
    *weight = -1;
    free(*offsets);
    *offsets = mplan_alloc(table->n + 1, sizeof **offsets, err);
    if (!*offsets)
        return MPLAN_ERR_MEMORY;
    int64_t blocks = cut_by_limits(footprint, sequence, table->n, *offsets);
    if (blocks == 0)
        return MPLAN_OK;
    *n_blocks = blocks;
    return mplan_native_weigh(table, footprint, sequence, blocks, *offsets, weight, context, err);
}
