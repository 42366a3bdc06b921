/* SPDX-License-Identifier: Apache-2.0 */
/* block_points.c - which points each block touches, and where each slot finds its own */
#include <assert.h>
#include <stdlib.h>

#include "base/error.h"
#include "base/sort.h"
#include "base/threads.h"
#include "base/point_table.h"
#include "plan/packed.h"
#include "tables/tables.h"

enum { BLOCKS = 16 };

/* What a thread needs for one block. */
typedef struct workspace {
    mplan_point_table table;
    uint64_t *sorted; /* point << 32 | small id */
    uint16_t *place;  /* of each small id in the sorted list */
} workspace;

/* The blocks whose points are listed: block b is positions offsets[b] ...
 * offsets[b + 1] - 1. */
typedef struct block_list {
    const mplan_map *maps;
    int32_t n_maps;
    const int64_t *offsets;
    const int32_t *sequence;
    workspace *work; /* per thread */
    int64_t **entry; /* per map: where the rows of each block begin in its local table; NULL for fixed maps */
    mplan_block_points *out;
} block_list;

/* The element at a position of the sequence; -1 in a hole. */
static inline int64_t element_at(const block_list *blocks, int64_t position)
{
    return blocks->sequence ? blocks->sequence[position] : position;
}

/* Ids by first touch of all points of the block; in sorted (unless NULL) every
 * point beside its id. */
static void collect(const block_list *blocks, int64_t b, workspace *work, uint64_t *sorted)
{
    mplan_point_table_begin(&work->table);
    for (int64_t p = blocks->offsets[b]; p < blocks->offsets[b + 1]; p++) {
        int64_t e = element_at(blocks, p);
        for (int32_t m = 0; m < blocks->n_maps && e >= 0; m++) {
            int32_t n;
            const int32_t *point = mplan_map_row(&blocks->maps[m], e, &n);
            for (int32_t k = 0; k < n; k++) {
                if (point[k] < 0)
                    continue;
                int32_t before = work->table.n_points;
                int32_t id = mplan_point_table_id(&work->table, (uint64_t)point[k]);
                if (sorted && id == before)
                    sorted[id] = (uint64_t)point[k] << 32 | (uint32_t)id;
            }
        }
    }
}

/* Points of block b, ascending, and the places of all its slots. Ids by first touch are sorted
 * by their points; place turns an id into a place of the sorted list. O(entries + points log
 * points) of the block. */
static void fill_block(const block_list *blocks, int64_t b, workspace *work)
{
    mplan_block_points *out = blocks->out;
    collect(blocks, b, work, work->sorted);
    int32_t n_points = work->table.n_points;
    mplan_sort_u64(work->sorted, n_points);
    for (int32_t i = 0; i < n_points; i++) {
        out->points[out->offsets[b] + i] = (int32_t)(work->sorted[i] >> 32);
        work->place[work->sorted[i] & UINT32_MAX] = (uint16_t)i;
    }
    for (int32_t m = 0; m < blocks->n_maps; m++) {
        const mplan_map *map = &blocks->maps[m];
        uint16_t *local = out->local[m] +
                          (map->arity ? blocks->offsets[b] * map->arity : blocks->entry[m][b]);
        for (int64_t p = blocks->offsets[b]; p < blocks->offsets[b + 1]; p++) {
            int64_t e = element_at(blocks, p);
            for (int32_t k = 0; k < map->arity && e < 0; k++)
                *local++ = MPLAN_NONE16;
            if (e < 0)
                continue;
            int32_t n;
            const int32_t *point = mplan_map_row(map, e, &n);
            for (int32_t k = 0; k < n; k++)
                *local++ = point[k] < 0
                               ? MPLAN_NONE16
                               : work->place[mplan_point_table_id(&work->table, (uint64_t)point[k])];
        }
    }
}

/* Entries of map m in every block, summed up: entry[n_blocks] is their total. */
static void sum_entries(const block_list *blocks, int32_t m, int64_t n_blocks, int64_t *entry)
{
    entry[0] = 0;
    for (int64_t b = 0; b < n_blocks; b++) {
        entry[b + 1] = entry[b];
        for (int64_t p = blocks->offsets[b]; p < blocks->offsets[b + 1]; p++) {
            int64_t e = element_at(blocks, p);
            if (e < 0)
                continue;
            int32_t n;
            mplan_map_row(&blocks->maps[m], e, &n);
            entry[b + 1] += n;
        }
    }
}

/* Per map the entries before each block (ragged maps), and the most that one
 * block has over all maps. */
static mplan_status measure_entries(const block_list *blocks, int64_t n_blocks, int64_t *most,
                                    mplan_error *err)
{
    int64_t **entry = blocks->entry;
    int64_t *total = mplan_alloc_zero(n_blocks + 1, sizeof *total, err);
    if (!total)
        return MPLAN_ERR_MEMORY;
    mplan_status status = MPLAN_OK;
    for (int32_t m = 0; m < blocks->n_maps && !status; m++) {
        int32_t arity = blocks->maps[m].arity;
        if (!arity) {
            entry[m] = mplan_alloc(n_blocks + 1, sizeof *entry[m], err);
            if (!entry[m]) {
                status = MPLAN_ERR_MEMORY;
                break;
            }
            sum_entries(blocks, m, n_blocks, entry[m]);
        }
        for (int64_t b = 0; b < n_blocks; b++)
            total[b] += arity ? (blocks->offsets[b + 1] - blocks->offsets[b]) * arity
                              : entry[m][b + 1] - entry[m][b];
    }
    *most = 0;
    for (int64_t b = 0; b < n_blocks; b++)
        *most = total[b] > *most ? total[b] : *most;
    free(total);
    return status;
}

/* Arrays of one thread for blocks of at most `most` map entries. What was allocated is
 * freed by free_workspaces, also after a failure. */
static mplan_status create_workspace(workspace *work, int64_t most, mplan_error *err)
{
    mplan_status status = mplan_point_table_create(&work->table, most, err);
    work->sorted = mplan_alloc(most + 1, sizeof *work->sorted, err);
    work->place = mplan_alloc(most + 1, sizeof *work->place, err);
    return !status && work->sorted && work->place ? MPLAN_OK : MPLAN_ERR_MEMORY;
}

static void free_workspaces(workspace *work, int n)
{
    for (int i = 0; work && i < n; i++) {
        mplan_point_table_free(&work[i].table);
        free(work[i].sorted);
        free(work[i].place);
    }
    free(work);
}

/* First pass over blocks [begin, end): out->offsets[b + 1] is the number of distinct
 * points of block b, not yet summed up. */
static void count_blocks(void *data, int thread, int64_t begin, int64_t end)
{
    const block_list *blocks = data;
    workspace *work = &blocks->work[thread];
    for (int64_t b = begin; b < end; b++) {
        collect(blocks, b, work, NULL);
        blocks->out->offsets[b + 1] = work->table.n_points;
    }
}

/* Second pass over blocks [begin, end), when offsets hold sums and all lists have their room. */
static void fill_blocks(void *data, int thread, int64_t begin, int64_t end)
{
    const block_list *blocks = data;
    for (int64_t b = begin; b < end; b++)
        fill_block(blocks, b, &blocks->work[thread]);
}

/* Counts the points of every block into offsets[b + 1] and sums them up. A block of more than
 * MPLAN_LOCAL_MOST points is refused, by its number: a place must fit in 16 bits beside
 * MPLAN_NONE16. */
static mplan_status count_points(block_list *blocks, int64_t n_blocks, mplan_team *team,
                                 mplan_error *err)
{
    int64_t *offsets = blocks->out->offsets;
    offsets[0] = 0;
    mplan_for(team, n_blocks, BLOCKS, count_blocks, blocks);
    for (int64_t b = 0; b < n_blocks; b++) {
        if (offsets[b + 1] > MPLAN_LOCAL_MOST)
            return mplan_fail(err, MPLAN_ERR_ARGUMENT,
                              "block %lld touches %lld points; 16-bit local ids allow at most %d",
                              (long long)b, (long long)offsets[b + 1], MPLAN_LOCAL_MOST);
        offsets[b + 1] += offsets[b];
    }
    return MPLAN_OK;
}

/* Memory for the second pass, when out->offsets holds sums: points has one entry per
 * (block, point), local[m] one per map entry in the order of the positions. */
static mplan_status create_lists(const block_list *blocks, int64_t n_blocks, mplan_error *err)
{
    mplan_block_points *out = blocks->out;
    out->points = mplan_alloc(out->offsets[n_blocks], sizeof *out->points, err);
    out->local = mplan_alloc_zero(blocks->n_maps, sizeof *out->local, err);
    if (!out->points || !out->local)
        return MPLAN_ERR_MEMORY;
    for (int32_t m = 0; m < blocks->n_maps; m++) {
        int32_t arity = blocks->maps[m].arity;
        int64_t entries = arity ? blocks->offsets[n_blocks] * arity : blocks->entry[m][n_blocks];
        out->local[m] = mplan_alloc(entries, sizeof *out->local[m], err);
        if (!out->local[m])
            return MPLAN_ERR_MEMORY;
    }
    return MPLAN_OK;
}

/* Two passes over the blocks, by threads: count the points of each, then write them
 * ascending and each entry's place among them. *out is empty after a failure. */
mplan_status mplan_table_block_points(const mplan_map *maps, int32_t n_maps, int64_t n_blocks,
                                      const int64_t *offsets, const int32_t *sequence,
                                      mplan_block_points *out, const mplan_context *context,
                                      mplan_error *err)
{
    assert(maps && offsets && out && n_maps >= 0 && n_blocks >= 0 && offsets[0] == 0);
    mplan_team *team = mplan_team_of(context);
    int threads = mplan_team_threads(team);
    int64_t most = 0;
    mplan_status status = MPLAN_ERR_MEMORY;
    *out = (mplan_block_points){0};
    int64_t **entry = mplan_alloc_zero(n_maps, sizeof *entry, err);
    workspace *work = mplan_alloc_zero(threads, sizeof *work, err);
    block_list blocks = {maps, n_maps, offsets, sequence, work, entry, out};
    out->offsets = mplan_alloc(n_blocks + 1, sizeof *out->offsets, err);
    if (!entry || !work || !out->offsets)
        goto done;
    status = measure_entries(&blocks, n_blocks, &most, err);
    for (int i = 0; i < threads && !status; i++)
        status = create_workspace(&work[i], most, err);
    if (!status)
        status = count_points(&blocks, n_blocks, team, err);
    if (!status)
        status = mplan_interrupted(context, err);
    if (!status)
        status = create_lists(&blocks, n_blocks, err);
    if (status)
        goto done;
    mplan_for(team, n_blocks, BLOCKS, fill_blocks, &blocks);
done:
    free_workspaces(work, threads);
    for (int32_t m = 0; entry && m < n_maps; m++)
        free(entry[m]);
    free(entry);
    if (status)
        mplan_table_block_points_free(out, n_maps);
    return status;
}

void mplan_table_block_points_free(mplan_block_points *points, int32_t n_maps)
{
    assert(points && n_maps >= 0);
    for (int32_t m = 0; points->local && m < n_maps; m++)
        free(points->local[m]);
    free(points->local);
    free(points->offsets);
    free(points->points);
    *points = (mplan_block_points){0};
}
