/* SPDX-License-Identifier: Apache-2.0 */
/* native_lists.c - the lists of points of the blocks, made from the table
 *
 * What they bring (tools/bench/ablation): tets to nodes are cut in 0.35 s in place of 0.66; triangles to nodes (6 elements at a point),
 * faces of hexes and of layered prisms (6 and 4.8) in 0.6 to 0.9 of the time, and at up to 0.25 % more reuse. Where fewer
 * elements meet at a point, a shared border moves on to elements that lists do not read: faces of tets (3.9) lose 0.5 % at
 * S = 448, of tets with pyramids (4.2) 0.4 %. */
#include "partition/native/native_lists.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "base/threads.h"
#include "base/point_table.h"

/* blocks of a piece; room for points that blocks come to touch: a part of those they have, and some; mean length
 * that makes rows of elements long enough, twice that of rows of points, how much longer some may be, and how long at most */
enum {
    BLOCKS = 32,
    SPARE_PART = 4,
    SPARE = 32,
    LONG_ROW = 2,
    TWICE_MANY = 9,
    UNEVEN = 4,
    LONGEST = 255
};

/* Slots of a row in the lists, 0 where lists would not pay: short rows, few elements at a point,
 * rows of very different length, or more entries in a block than a 16-bit place can name. */
int32_t mplan_native_lists_stride(const native_cut *cut)
{
    assert(cut);
    const native_table *table = cut->table;
    int64_t n = table->n, longest = table->arity;
    int64_t entries = native_entries(table);
    for (int64_t e = 0; e < n && table->offsets; e++)
        if (table->offsets[e + 1] - table->offsets[e] > longest)
            longest = table->offsets[e + 1] - table->offsets[e];
    bool pays = longest > 0 && entries >= LONG_ROW * n &&
                2 * entries >= TWICE_MANY * table->n_points &&
                longest <= UNEVEN * (1 + entries / n) && longest <= LONGEST &&
                longest * cut->room < NATIVE_NONE;
    return pays ? (int32_t)longest : 0;
}

/* Fills the rows of a block, places in the order of first touch; how many points there are. */
static int32_t number_points(const native_cut *cut, int64_t b, mplan_point_table *seen)
{
    const int32_t *members = native_members(cut, b);
    int32_t stride = cut->lists->stride;
    uint16_t *local = native_rows(cut, b);
    mplan_point_table_begin(seen);
    for (int32_t i = 0; i < cut->sizes[b]; i++, local += stride) {
        int32_t length;
        const int32_t *row = native_row(cut->table, members[i], &length);
        for (int32_t k = 0; k < stride; k++)
            local[k] = k < length ? (uint16_t)mplan_point_table_id(seen, (uint64_t)row[k])
                                  : NATIVE_NONE;
    }
    return seen->n_points;
}

/* Points of block b by their places, and how many of its elements touch each. The rows were
 * filled by number_points. */
static void list_points(const native_cut *cut, int64_t b)
{
    native_lists *lists = cut->lists;
    const int32_t *members = native_members(cut, b);
    const uint16_t *local = native_rows(cut, b);
    int32_t *points = lists->points + lists->points_begin[b];
    uint16_t *counts = lists->counts + lists->points_begin[b];
    memset(counts, 0, (size_t)lists->n_points[b] * sizeof *counts);
    for (int32_t i = 0; i < cut->sizes[b]; i++, local += lists->stride) {
        int32_t length;
        const int32_t *row = native_row(cut->table, members[i], &length);
        for (int32_t k = 0; k < length; k++) {
            points[local[k]] = row[k];
            counts[local[k]]++;
        }
    }
}

typedef struct list_work {
    const native_cut *cut;
    mplan_point_table *seen; /* per thread */
} list_work;

/* Blocks [begin, end), each thread with a table of its own. */
static void number_blocks(void *data, int thread, int64_t begin, int64_t end)
{
    const list_work *work = data;
    for (int64_t b = begin; b < end; b++)
        work->cut->lists->n_points[b] = number_points(work->cut, b, &work->seen[thread]);
}

/* Blocks [begin, end). */
static void list_blocks(void *data, int thread, int64_t begin, int64_t end)
{
    const list_work *work = data;
    (void)thread;
    for (int64_t b = begin; b < end; b++)
        list_points(work->cut, b);
}

/* seen: a table of points for each thread. Each list gets some room to grow,
 * since refinement moves elements. */
static mplan_status list_all(native_cut *cut, mplan_point_table *seen, mplan_team *team,
                             mplan_error *err)
{
    native_lists *lists = cut->lists;
    list_work work = {cut, seen};
    mplan_for(team, cut->n_blocks, BLOCKS, number_blocks, &work);
    lists->points_begin[0] = 0;
    for (int64_t b = 0; b < cut->n_blocks; b++) {
        int64_t n = lists->n_points[b], room = n + n / SPARE_PART + SPARE;
        room = room < lists->most_points ? room : lists->most_points;
        lists->points_begin[b + 1] = lists->points_begin[b] + room;
    }
    lists->points = mplan_alloc(lists->points_begin[cut->n_blocks], sizeof *lists->points, err);
    lists->counts = mplan_alloc(lists->points_begin[cut->n_blocks], sizeof *lists->counts, err);
    if (!lists->points || !lists->counts)
        return MPLAN_ERR_MEMORY;
    mplan_for(team, cut->n_blocks, BLOCKS, list_blocks, &work);
    return MPLAN_OK;
}

/* cut->lists is owned by the cut; mplan_native_cut_free_lists releases it, also
 * after a failure. */
static mplan_status open_lists(native_cut *cut, int32_t stride, mplan_error *err)
{
    native_lists *lists = cut->lists = mplan_alloc_zero(1, sizeof *lists, err);
    if (!lists)
        return MPLAN_ERR_MEMORY;
    lists->stride = stride;
    lists->most_points = lists->stride * cut->room;
    lists->rows = mplan_alloc(cut->n_blocks * lists->most_points, sizeof *lists->rows, err);
    lists->n_points = mplan_alloc(cut->n_blocks, sizeof *lists->n_points, err);
    lists->points_begin = mplan_alloc(cut->n_blocks + 1, sizeof *lists->points_begin, err);
    return lists->rows && lists->n_points && lists->points_begin ? MPLAN_OK : MPLAN_ERR_MEMORY;
}

/* Nothing is made, and this is a success, where lists do not pay (stride 0: short rows, or few
 * elements for each point): the refinement reads the table then. seen: a point table for each
 * thread. */
mplan_status mplan_native_lists_create(native_cut *cut, const mplan_context *context, mplan_error *err)
{
    assert(cut);
    mplan_team *team = mplan_team_of(context);
    int threads = mplan_team_threads(team);
    int32_t stride = mplan_native_lists_stride(cut);
    if (stride == 0)
        return MPLAN_OK;
    mplan_point_table *seen = mplan_alloc_zero(threads, sizeof *seen, err);
    mplan_status status = seen ? mplan_native_cut_list(cut, mplan_team_of(context), err)
                               : MPLAN_ERR_MEMORY;
    if (!status)
        status = open_lists(cut, stride, err);
    for (int t = 0; t < threads && !status; t++)
        status = mplan_point_table_create(&seen[t], cut->lists->most_points, err);
    if (!status)
        status = list_all(cut, seen, team, err);
    for (int t = 0; seen && t < threads; t++)
        mplan_point_table_free(&seen[t]);
    free(seen);
    if (status)
        mplan_native_cut_free_lists(cut);
    return status;
}
