/* SPDX-License-Identifier: Apache-2.0 */
/* native_table.c - all maps of a loop as one table of small weighted points */
#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "base/buckets.h"
#include "base/error.h"
#include "base/first_touch.h"
#include "base/memory.h"
#include "base/sort.h"
#include "base/threads.h"
#include "partition/native/native_table.h"

enum { MOST_WEIGHT = 15, ROWS = 1 << 14, SHORT_ROW = 32 };

/* Bytes that the loop's dats keep at each point of set s; 4 for a set without any, which still
 * costs its index. */
static int64_t bytes_of_point(const mplan_footprint *footprint, int32_t s)
{
    int64_t bytes = 0;
    for (int32_t d = 0; d < footprint->limits->n_dats; d++)
        if (footprint->limits->dats[d].set == footprint->sets[s].set &&
            footprint->limits->dats[d].point_bytes < INT32_MAX)
            bytes += footprint->limits->dats[d].point_bytes;
    return bytes > 0 ? bytes : 4;
}

/* Weights of sets in proportion to the bytes of their points: 1 for all where these are equal,
 * else 1 to 15, rounded, 15 for the largest. So gains stay small integers, which lists by gain
 * need. */
static void weigh_sets(const mplan_footprint *footprint, native_table *table)
{
    int64_t most = 1, least = INT64_MAX;
    for (int32_t s = 0; s < table->n_sets; s++) {
        int64_t bytes = bytes_of_point(footprint, s);
        most = bytes > most ? bytes : most;
        least = bytes < least ? bytes : least;
    }
    for (int32_t s = 0; s < table->n_sets; s++) {
        int64_t bytes = bytes_of_point(footprint, s);
        int64_t weight = most == least ? 1 : (bytes * MOST_WEIGHT + most / 2) / most;
        table->set_weight[s] = weight < 1 ? 1 : (int32_t)weight;
    }
}

/* The points of one map get numbers from *next on, unless they have one. */
static mplan_status number_map(const mplan_map *map, int32_t *number, int64_t *next,
                               mplan_team *team, mplan_error *err)
{
    const int64_t entries = mplan_map_entries(map);
    bool alone = mplan_team_threads(team) == 1 || entries < ROWS;
    int32_t *first = alone ? NULL : mplan_alloc(map->n_points, sizeof *first, err);
    if (!first && !alone)
        return MPLAN_ERR_MEMORY;
    *next += mplan_number_first(team, entries, map->values, map->n_points, (int32_t)*next, number,
                                first);
    free(first);
    return MPLAN_OK;
}

/* numbers[s][p]: number of point p of set s, in the order in which the maps touch them, set by
 * set; -1 where nothing does. Arrays are the caller's, also after a failure. */
static mplan_status number_points(const mplan_footprint *footprint, native_table *table,
                                  int32_t **numbers, mplan_team *team, mplan_error *err)
{
    int64_t next = 0;
    for (int32_t s = 0; s < table->n_sets; s++) {
        table->set_begin[s] = next;
        for (int32_t m = 0; m < footprint->n_maps; m++) {
            const mplan_map *map = footprint->maps[m];
            if (footprint->set_of_map[m] != s)
                continue;
            if (table->set_begin[s] + map->n_points >= INT32_MAX)
                return mplan_fail(err, MPLAN_ERR_UNSUPPORTED,
                                  "a loop that touches 2^31 points or more is too large for the native "
                                  "partitioner");
            if (!numbers[s]) {
                numbers[s] = mplan_alloc(map->n_points, sizeof **numbers, err);
                if (!numbers[s])
                    return MPLAN_ERR_MEMORY;
                memset(numbers[s], 0xff, (size_t)map->n_points * sizeof **numbers);
            }
            mplan_status status = number_map(map, numbers[s], &next, team, err);
            if (status)
                return status;
        }
    }
    table->set_begin[table->n_sets] = table->n_points = next;
    return MPLAN_OK;
}

/* Appends the row of an element, repeats and -1 skipped; mark[p]: last
 * element whose row listed p. Returns the new end. */
static int64_t write_row(const mplan_footprint *footprint, int32_t *const *numbers, int64_t e,
                         int32_t *mark, int32_t *points, int64_t end)
{
    for (int32_t m = 0; m < footprint->n_maps; m++) {
        int32_t length;
        const int32_t *row = mplan_map_row(footprint->maps[m], e, &length);
        const int32_t *number = numbers[footprint->set_of_map[m]];
        for (int32_t k = 0; k < length; k++) {
            if (row[k] < 0 || mark[number[row[k]]] == (int32_t)e)
                continue;
            mark[number[row[k]]] = (int32_t)e;
            points[end++] = number[row[k]];
        }
    }
    return end;
}

/* Copies a row of fixed arities as it is; false: it has a -1 or a repeat. */
static bool copy_row(const mplan_footprint *footprint, int32_t *const *numbers, int64_t e,
                     int32_t *points)
{
    int32_t n = 0;
    for (int32_t m = 0; m < footprint->n_maps; m++) {
        int32_t length;
        const int32_t *row = mplan_map_row(footprint->maps[m], e, &length);
        const int32_t *number = numbers[footprint->set_of_map[m]];
        for (int32_t k = 0; k < length; k++) {
            if (row[k] < 0)
                return false;
            points[n] = number[row[k]];
            for (int32_t i = 0; i < n; i++)
                if (points[i] == points[n])
                    return false;
            n++;
        }
    }
    return true;
}

typedef struct copy_work {
    const mplan_footprint *footprint;
    int32_t *const *numbers;
    native_table *table;
    int32_t arity;
} copy_work;

/* How many rows are not plain: 0, or some. */
static int64_t copy_piece(void *data, int thread, int64_t begin, int64_t end)
{
    const copy_work *work = data;
    (void)thread;
    for (int64_t e = begin; e < end; e++)
        if (!copy_row(work->footprint, work->numbers, e, work->table->points + e * work->arity))
            return 1;
    return 0;
}

/* Copies all rows where they are short, of fixed arities, and without -1 and repeats: else
 * false, and nothing is set. points: an entry per entry of the maps. */
static bool copy_rows(const mplan_footprint *footprint, int32_t *const *numbers,
                      native_table *table, mplan_team *team)
{
    int32_t arity = 0;
    for (int32_t m = 0; m < footprint->n_maps && arity <= SHORT_ROW; m++) {
        if (footprint->maps[m]->arity < 1 || footprint->maps[m]->arity > SHORT_ROW)
            return false;
        arity += footprint->maps[m]->arity;
    }
    if (arity == 0 || arity > SHORT_ROW || table->n == 0)
        return false;
    copy_work work = {footprint, numbers, table, arity};
    bool plain = mplan_for_sum(team, table->n, ROWS, copy_piece, &work) == 0;
    if (plain)
        table->arity = arity;
    return plain;
}

/* numbers: for each set the new number of each of its points, -1 for those that
 * no element touches. All rows of an element become one, without repeats. */
static mplan_status write_rows(const mplan_footprint *footprint, int32_t *const *numbers,
                               native_table *table, mplan_team *team, mplan_error *err)
{
    int64_t most = 0, end = 0;
    for (int32_t m = 0; m < footprint->n_maps; m++)
        most += mplan_map_entries(footprint->maps[m]);
    table->points = mplan_alloc(most, sizeof *table->points, err);
    if (!table->points)
        return MPLAN_ERR_MEMORY;
    if (copy_rows(footprint, numbers, table, team))
        return MPLAN_OK;
    int32_t *mark = mplan_alloc(table->n_points, sizeof *mark, err);
    table->offsets = mplan_alloc(table->n + 1, sizeof *table->offsets, err);
    if (!mark || !table->offsets) {
        free(mark);
        return MPLAN_ERR_MEMORY;
    }
    memset(mark, 0xff, (size_t)table->n_points * sizeof *mark);
    bool even = true;
    table->offsets[0] = 0;
    for (int64_t e = 0; e < table->n; e++) {
        int64_t begin = end;
        end = write_row(footprint, numbers, e, mark, table->points, end);
        table->offsets[e + 1] = end;
        even = even && end - begin == table->offsets[1];
    }
    free(mark);
    if (even && table->n > 0 && table->offsets[1] > 0) {
        table->arity = (int32_t)table->offsets[1];
        free(table->offsets);
        table->offsets = NULL;
    }
    return MPLAN_OK;
}

/* Whether some S elements could touch too many points, if all rows were as long as the longest
 * and shared nothing. Where they could not, no footprint is counted on the way. counts: scratch,
 * n_sets. */
static bool may_break_limits(const mplan_footprint *footprint, const native_table *table,
                             int64_t *counts)
{
    int64_t longest = table->arity;
    for (int64_t e = 0; e < table->n && table->offsets; e++) {
        int64_t length = table->offsets[e + 1] - table->offsets[e];
        longest = length > longest ? length : longest;
    }
    for (int32_t s = 0; s < table->n_sets; s++) {
        int64_t size = table->set_begin[s + 1] - table->set_begin[s];
        int64_t touched = longest * footprint->limits->block_size;
        counts[s] = touched < size ? touched : size;
    }
    return !mplan_footprint_counts_fit(footprint, counts);
}

/* Points of all sets are numbered through, by set: set s has set_begin[s] ...
 * set_begin[s + 1] - 1. Only points that occur have numbers. */
mplan_status mplan_native_table_create(const mplan_footprint *footprint, int64_t n,
                                       native_table *table, const mplan_context *context,
                                       mplan_error *err)
{
    assert(footprint && table && n >= 0);
    *table = (native_table){.n = n, .n_sets = footprint->n_sets};
    int32_t **numbers = mplan_alloc_zero(table->n_sets, sizeof *numbers, err);
    int64_t *counts = mplan_alloc(table->n_sets, sizeof *counts, err);
    table->set_begin = mplan_alloc_zero((int64_t)table->n_sets + 1, sizeof *table->set_begin, err);
    table->set_weight = mplan_alloc(table->n_sets, sizeof *table->set_weight, err);
    mplan_status status = MPLAN_ERR_MEMORY;
    if (numbers && counts && table->set_begin && table->set_weight)
        status = number_points(footprint, table, numbers, mplan_team_of(context), err);
    if (!status)
        status = write_rows(footprint, numbers, table, mplan_team_of(context), err);
    if (!status) {
        weigh_sets(footprint, table);
        table->limits_bind = may_break_limits(footprint, table, counts);
    }
    for (int32_t s = 0; numbers && s < table->n_sets; s++)
        free(numbers[s]);
    free(numbers);
    free(counts);
    if (status)
        mplan_native_table_free(table);
    return status;
}

/* After a failure *copy holds what was allocated, for mplan_native_table_free. */
mplan_status mplan_native_table_copy(const native_table *table, native_table *copy, mplan_error *err)
{
    assert(table && copy);
    *copy = *table;
    copy->points = mplan_copy(table->points, native_entries(table), sizeof *copy->points, err);
    copy->set_begin = mplan_copy(table->set_begin, (int64_t)table->n_sets + 1,
                                 sizeof *copy->set_begin, err);
    copy->set_weight = mplan_copy(table->set_weight, table->n_sets, sizeof *copy->set_weight, err);
    copy->offsets = table->offsets
                        ? mplan_copy(table->offsets, table->n + 1, sizeof *copy->offsets, err)
                        : NULL;
    bool all = copy->points && copy->set_begin && copy->set_weight &&
               (copy->offsets || !table->offsets);
    return all ? MPLAN_OK : MPLAN_ERR_MEMORY;
}

void mplan_native_table_free(native_table *table)
{
    assert(table);
    free(table->offsets);
    free(table->points);
    free(table->set_begin);
    free(table->set_weight);
    *table = (native_table){.n = 0};
}

typedef struct permute_work {
    const native_table *table;
    const int32_t *sequence;
    const int64_t *offsets; /* NULL: of fixed arity */
    int32_t *points;
} permute_work;

/* Rows [begin, end) of the new order. */
static void permute_piece(void *data, int thread, int64_t begin, int64_t end)
{
    const permute_work *work = data;
    (void)thread;
    for (int64_t i = begin; i < end; i++) {
        int32_t length;
        const int32_t *row = native_row(work->table, work->sequence[i], &length);
        int32_t *to = work->points + (work->offsets ? work->offsets[i] : i * work->table->arity);
        for (int32_t k = 0; k < length; k++)
            to[k] = row[k];
    }
}

/* Rows in the order of a sequence, points as they were: row i becomes what row sequence[i] was. */
static mplan_status permute_rows(native_table *table, const int32_t *sequence, mplan_team *team,
                                 mplan_error *err)
{
    int64_t n = table->n, end = 0;
    int64_t entries = native_entries(table);
    int32_t *points = mplan_alloc(entries, sizeof *points, err);
    int64_t *offsets = table->offsets ? mplan_alloc(n + 1, sizeof *offsets, err) : NULL;
    if (!points || (table->offsets && !offsets)) {
        free(points);
        free(offsets);
        return MPLAN_ERR_MEMORY;
    }
    for (int64_t i = 0; i < n && offsets; i++) {
        offsets[i] = end;
        end += table->offsets[sequence[i] + 1] - table->offsets[sequence[i]];
    }
    permute_work work = {table, sequence, offsets, points};
    mplan_for(team, n, ROWS, permute_piece, &work);
    if (offsets)
        offsets[n] = end;
    free(table->points);
    free(table->offsets);
    table->points = points;
    table->offsets = offsets;
    return MPLAN_OK;
}

typedef struct rename_work {
    const int32_t *number;
    int32_t *points;
} rename_work;

/* Entries [begin, end): from old numbers of points to new ones. */
static void rename_entries(void *data, int thread, int64_t begin, int64_t end)
{
    const rename_work *work = data;
    (void)thread;
    for (int64_t i = begin; i < end; i++)
        work->points[i] = work->number[work->points[i]];
}

/* New numbers where there are several sets, whose points have numbers of their own. */
static mplan_status renumber_sets(native_table *table, int32_t *number, mplan_error *err)
{
    int64_t entries = native_entries(table);
    int64_t *next = mplan_copy(table->set_begin, table->n_sets, sizeof *next, err);
    if (!next)
        return MPLAN_ERR_MEMORY;
    for (int64_t i = 0; i < entries; i++) {
        int32_t point = table->points[i];
        if (number[point] < 0)
            number[point] = (int32_t)next[native_set_of(table, point)]++;
    }
    free(next);
    return MPLAN_OK;
}

/* Elements in the order of `sequence`, points in the order in which these first
 * name them. */
mplan_status mplan_native_table_renumber(native_table *table, const int32_t *sequence,
                                         const mplan_context *context, mplan_error *err)
{
    assert(table && sequence);
    mplan_team *team = mplan_team_of(context);
    mplan_status status = permute_rows(table, sequence, team, err);
    int32_t *number = status ? NULL : mplan_alloc(table->n_points, sizeof *number, err);
    int32_t *first = number && table->n_sets == 1 ? mplan_alloc(table->n_points, sizeof *first, err)
                                                  : NULL;
    if (!number || (table->n_sets == 1 && !first)) {
        free(number);
        return MPLAN_ERR_MEMORY;
    }
    memset(number, 0xff, (size_t)table->n_points * sizeof *number);
    int64_t entries = native_entries(table);
    if (first)
        mplan_number_first(team, entries, table->points, table->n_points, 0, number, first);
    else
        status = renumber_sets(table, number, err);
    rename_work work = {number, table->points};
    mplan_for(team, status ? 0 : entries, ROWS, rename_entries, &work);
    free(number);
    free(first);
    return status;
}

/* Several threads deal the elements out together, each to the next free place of a point. */
typedef struct transpose_work {
    const native_table *table;
    int64_t *place; /* counts: behind its own place; then the next free entry of each point */
    int64_t *begin;
    int32_t *elements;
} transpose_work;

/* Elements [begin, end): their entries count at their points. */
static void count_rows(void *data, int thread, int64_t begin, int64_t end)
{
    const transpose_work *work = data;
    (void)thread;
    for (int64_t e = begin; e < end; e++) {
        int32_t length;
        const int32_t *row = native_row(work->table, e, &length);
        for (int32_t k = 0; k < length; k++)
            mplan_add(&work->place[row[k] + 1], 1);
    }
}

/* The same to the next free places. */
static void deal_rows(void *data, int thread, int64_t begin, int64_t end)
{
    const transpose_work *work = data;
    (void)thread;
    for (int64_t e = begin; e < end; e++) {
        int32_t length;
        const int32_t *row = native_row(work->table, e, &length);
        for (int32_t k = 0; k < length; k++)
            work->elements[mplan_add(&work->place[row[k]], 1)] = (int32_t)e;
    }
}

/* Points [begin, end): whatever thread came first, elements ascend. */
static void sort_lists(void *data, int thread, int64_t begin, int64_t end)
{
    const transpose_work *work = data;
    (void)thread;
    for (int64_t p = begin; p < end; p++)
        mplan_sort_i32(work->elements + work->begin[p], work->begin[p + 1] - work->begin[p]);
}

/* One thread needs no sort: it meets elements in their order. */
static void transpose_serially(const native_table *t, int64_t *place, int32_t *elements)
{
    int64_t entries = native_entries(t);
    for (int64_t i = 0; i < entries; i++)
        place[t->points[i] + 1]++;
    mplan_sum_counts(place, t->n_points); /* ends up as begin */
    for (int64_t e = 0; e < t->n; e++) {
        int32_t length;
        const int32_t *row = native_row(t, e, &length);
        for (int32_t k = 0; k < length; k++)
            elements[place[row[k]]++] = (int32_t)e;
    }
}

/* begin: n_points + 2 entries, elements: one per entry; elements at a point
 * ascend, for any number of threads. */
void mplan_native_table_transpose(const native_table *t, int64_t *begin, int32_t *elements,
                                  mplan_team *team)
{
    assert(t && begin && elements);
    transpose_work work = {t, begin + 1, begin, elements};
    mplan_for_set(team, begin, 0, (t->n_points + 2) * (int64_t)sizeof *begin);
    const int64_t pieces = mplan_pieces(team, t->n, ROWS);
    if (mplan_team_threads(team) == 1 || pieces == 1) {
        transpose_serially(t, work.place, elements);
        return;
    }
    mplan_for(team, t->n, t->n / pieces + 1, count_rows, &work);
    mplan_for_sums(team, t->n_points, work.place); /* ends up as begin */
    mplan_for(team, t->n, t->n / pieces + 1, deal_rows, &work);
    mplan_for(team, t->n_points, t->n_points / pieces + 1, sort_lists, &work);
}
