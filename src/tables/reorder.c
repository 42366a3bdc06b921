/* SPDX-License-Identifier: Apache-2.0 */
/* reorder.c - maps and permutations between the mesh's and the stored order */
#include <assert.h>
#include <stdlib.h>

#include "base/buckets.h"
#include "base/error.h"
#include "base/fetch.h"
#include "base/memory.h"
#include "base/threads.h"
#include "tables/tables.h"

enum { ROWS = 1 << 14 };

/* Offsets of the stored rows of a ragged map, row_storage + 1, the caller's; rows of holes are
 * empty. NULL without memory. */
static int64_t *stored_offsets(const mplan_map *map, const int32_t *row_new_of_old,
                               int64_t row_storage, mplan_error *err)
{
    int64_t *offsets = mplan_alloc_zero(row_storage + 1, sizeof *offsets, err);
    if (!offsets)
        return NULL;
    for (int64_t e = 0; e < map->n_rows; e++)
        offsets[row_new_of_old[e] + 1] = map->offsets[e + 1] - map->offsets[e];
    mplan_sum_counts(offsets, row_storage);
    return offsets;
}

/* A map and the new places of its rows and points. */
typedef struct reorder_work {
    const mplan_map *map;
    const int32_t *row_new_of_old, *point_new_of_old;
    const int64_t *begin; /* of stored rows; NULL for fixed maps */
    int32_t *out;
} reorder_work;

/* Asks for the places that a row will read and write; not for ragged ones. */
static inline void fetch_row(const reorder_work *work, int64_t e)
{
    const int32_t arity = work->map->arity;
    if (arity == 0 || e >= work->map->n_rows)
        return;
    mplan_fetch(work->out + (int64_t)work->row_new_of_old[e] * arity);
    mplan_fetch_row(work->point_new_of_old, work->map->values + e * arity, arity);
}

/* Rows [first, last) of the old map go to their new places; entries become new numbers
 * of points, -1 stays. */
static void reorder_rows(void *data, int thread, int64_t first, int64_t last)
{
    const reorder_work *work = data;
    const mplan_map *map = work->map;
    (void)thread;
    for (int64_t e = first; e < last; e++) {
        int32_t n;
        const int32_t *point = mplan_map_row(map, e, &n);
        int64_t place = work->row_new_of_old[e];
        fetch_row(work, e + MPLAN_FETCH_DISTANCE);
        int32_t *row = work->out + (map->arity ? place * map->arity : work->begin[place]);
        for (int32_t k = 0; k < n; k++)
            row[k] = point[k] < 0 ? -1 : work->point_new_of_old[point[k]];
    }
}

/* *values: row_storage rows, those without an element (holes) filled with -1. *offsets:
 * NULL with fixed arity, else row_storage + 1 entries. Both belong to the caller. */
mplan_status mplan_table_reorder_map(const mplan_map *map, const int32_t *row_new_of_old,
                                     int64_t row_storage, const int32_t *point_new_of_old,
                                     int64_t **offsets, int32_t **values,
                                     const mplan_context *context, mplan_error *err)
{
    assert(map && row_new_of_old && point_new_of_old && offsets && values &&
           row_storage >= map->n_rows);
    int64_t *begin = NULL;
    if (!map->arity && !(begin = stored_offsets(map, row_new_of_old, row_storage, err)))
        return MPLAN_ERR_MEMORY;
    int64_t entries = map->arity ? row_storage * map->arity : begin[row_storage];
    int32_t *out = mplan_alloc(entries, sizeof *out, err);
    if (!out) {
        free(begin);
        return MPLAN_ERR_MEMORY;
    }
    if (row_storage > map->n_rows)
        for (int64_t i = 0; i < entries; i++)
            out[i] = -1;
    reorder_work work = {map, row_new_of_old, point_new_of_old, begin, out};
    mplan_for(mplan_team_of(context), map->n_rows, ROWS, reorder_rows, &work);
    mplan_status status = mplan_interrupted(context, err);
    if (status) {
        free(begin);
        free(out);
        return status;
    }
    *offsets = begin;
    *values = out;
    return MPLAN_OK;
}

typedef struct invert_work {
    const int32_t *new_of_old;
    int32_t *old_of_new;
} invert_work;

/* Members [begin, end): each writes a place of its own. */
static void invert_members(void *data, int thread, int64_t begin, int64_t end)
{
    const invert_work *work = data;
    (void)thread;
    for (int64_t i = begin; i < end; i++)
        work->old_of_new[work->new_of_old[i]] = (int32_t)i;
}

/* *old_of_new: storage entries, -1 where the order leaves a hole. new_of_old must be
 * injective into [0, storage). */
mplan_status mplan_table_invert(int64_t n, const int32_t *new_of_old, int64_t storage,
                                int32_t **old_of_new, const mplan_context *context, mplan_error *err)
{
    assert(new_of_old && old_of_new && n >= 0 && storage >= n);
    int32_t *out = mplan_alloc(storage, sizeof *out, err);
    if (!out)
        return MPLAN_ERR_MEMORY;
    if (storage > n)
        for (int64_t i = 0; i < storage; i++)
            out[i] = -1;
    invert_work work = {new_of_old, out};
    mplan_for(mplan_team_of(context), n, ROWS, invert_members, &work);
    *old_of_new = out;
    return MPLAN_OK;
}
