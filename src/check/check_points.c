/* SPDX-License-Identifier: Apache-2.0 */
/* check_points.c - a block's point list holds exactly the points its elements
 * touch, local ids lead to the mapped points, and blocks stage no more than
 * their limits allow
 *
 * A list ascends, so it holds nothing twice; every local id leads to the mapped
 * point, so the list lacks none; every place of the list is some local id, so
 * there is none too many. Blocks are independent of one another. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/sort.h"
#include "check/check.h"

/* Point lists and local ids of one loop over one block set. */
typedef struct points_proof {
    const mplan_check *check;
    const mplan_check_cut *cut;
    uint8_t *used; /* MPLAN_CHECK_MOST_LOCAL marks per thread */
} points_proof;

/* Points of the block's list ascend strictly, are members of the set, and do not exceed
 * the limit. */
static mplan_status check_ascent(const points_proof *proof, const mplan_check_list *list,
                                 int64_t block, mplan_error *err)
{
    const int32_t *points = list->points + list->offsets[block];
    const int64_t n = list->offsets[block + 1] - list->offsets[block];
    const mplan_plan_set *set = mplan_check_set(proof->check, list->set);
    if (n > proof->cut->record->max_points)
        return MPLAN_DISPROVED(err,
                               "block %" PRId64 " touches %" PRId64 " points of %s, the limit is %d",
                               block, n, set->name, (int)proof->cut->record->max_points);
    for (int64_t i = 0; i < n; i++)
        if (points[i] < 0 || points[i] >= set->storage_size || (i && points[i] <= points[i - 1]))
            return MPLAN_DISPROVED(err,
                                   "block %" PRId64 ": BLOCK_POINTS of %s has %d at place %" PRId64
                                   ", which does not ascend in [0, %" PRId64 ")",
                                   block, set->name, (int)points[i], i, set->storage_size);
    return MPLAN_OK;
}

/* Says what is wrong about one local id. */
static mplan_status refuse_local(const points_proof *proof, const mplan_check_table *table,
                                 int64_t block, int32_t element, int32_t slot, uint16_t local,
                                 mplan_error *err)
{
    const mplan_check_list *list = &proof->cut->lists[table->list];
    const int32_t *points = list->points + list->offsets[block];
    const int64_t n = list->offsets[block + 1] - list->offsets[block];
    const char *set = mplan_check_set_name(proof->check, list->set);
    int32_t row_length;
    const int32_t point = mplan_map_row(table->map, element, &row_length)[slot];
    if (point >= 0 && !bsearch(&point, points, (size_t)n, sizeof *points, mplan_compare_i32))
        return MPLAN_DISPROVED(err,
                               "block %" PRId64 ": BLOCK_POINTS of %s lacks point %d, which "
                               "element %d touches through %s",
                               block, set, (int)point, (int)element, table->map->name);
    return MPLAN_DISPROVED(err,
                           "block %" PRId64 ": local id %d of element %d, slot %d, does not "
                           "lead to %d of %s through %s",
                           block, (int)local, (int)element, (int)slot, (int)point, set,
                           table->map->name);
}

/* Local ids of one map in one block; counts the places of the list that are used for the first
 * time. *n_used grows only where all of them are right. */
static mplan_status check_locals(const points_proof *proof, const mplan_check_table *table,
                                 int64_t block, uint8_t *used, int64_t *n_used, mplan_error *err)
{
    const mplan_check_cut *cut = proof->cut;
    const mplan_check_list *list = &cut->lists[table->list];
    const int32_t *points = list->points + list->offsets[block];
    const int64_t n_points = list->offsets[block + 1] - list->offsets[block];
    const uint16_t *local = table->local + mplan_check_rows_begin(cut, table, block);
    int64_t count = 0;
    for (int64_t p = cut->offsets[block]; p < cut->offsets[block + 1]; p++) {
        int32_t n, e = cut->sequence ? cut->sequence[p] : (int32_t)p;
        const int32_t *row = mplan_map_row(table->map, e, &n);
        for (int32_t k = 0; k < n; k++) {
            if (row[k] < 0 && local[k] == MPLAN_CHECK_NO_LOCAL)
                continue;
            if (local[k] >= n_points || points[local[k]] != row[k])
                return refuse_local(proof, table, block, e, k, local[k], err);
            count += !used[local[k]];
            used[local[k]] = 1;
        }
        local += n;
    }
    *n_used += count;
    return MPLAN_OK;
}

/* used: scratch, one byte per point of the list: each must be touched by an element of
 * the block. */
static mplan_status check_list(const points_proof *proof, int32_t l, int64_t block, uint8_t *used,
                               mplan_error *err)
{
    const mplan_check_cut *cut = proof->cut;
    const mplan_check_list *list = &cut->lists[l];
    const int64_t n = list->offsets[block + 1] - list->offsets[block];
    int64_t n_used = 0, place = 0;
    mplan_status status = check_ascent(proof, list, block, err);
    if (!status)
        memset(used, 0, (size_t)n);
    for (int32_t t = 0; t < cut->n_tables && !status; t++)
        if (cut->tables[t].list == l)
            status = check_locals(proof, &cut->tables[t], block, used, &n_used, err);
    if (status || n_used == n)
        return status;
    while (used[place])
        place++;
    return MPLAN_DISPROVED(err,
                           "block %" PRId64 ": BLOCK_POINTS of %s has point %d, which no "
                           "element of the block touches",
                           block, mplan_check_set_name(proof->check, list->set),
                           (int)list->points[list->offsets[block] + place]);
}

/* All lists of one block. proof->used: MPLAN_CHECK_MOST_LOCAL bytes for each thread. */
static mplan_status check_block(void *data, int64_t block, int thread, mplan_error *err)
{
    const points_proof *proof = data;
    mplan_status status = MPLAN_OK;
    for (int32_t l = 0; l < proof->cut->n_lists && !status; l++)
        status = check_list(proof, l, block, proof->used + (int64_t)thread * MPLAN_CHECK_MOST_LOCAL,
                            err);
    return status;
}

/* Both ends and ascent, for every set that the loop's maps lead to. */
static mplan_status check_offsets(const mplan_check *check, const mplan_check_cut *cut,
                                  mplan_error *err)
{
    const int64_t n = cut->record->n_blocks;
    for (int32_t l = 0; l < cut->n_lists; l++) {
        const mplan_check_list *list = &cut->lists[l];
        const char *set = mplan_check_set_name(check, list->set);
        if (list->offsets[0] != 0 || list->offsets[n] != list->n_points)
            return MPLAN_DISPROVED(err,
                                   "BLOCK_POINT_OFFSETS of %s runs from %" PRId64 " to %" PRId64
                                   " instead of 0 to %" PRId64,
                                   set, list->offsets[0], list->offsets[n], list->n_points);
        for (int64_t b = 0; b < n; b++)
            if (list->offsets[b + 1] < list->offsets[b] || list->offsets[b + 1] > list->n_points)
                return MPLAN_DISPROVED(err,
                                       "BLOCK_POINT_OFFSETS of %s gives block %" PRId64
                                       " the points %" PRId64 " to %" PRId64 " of %" PRId64,
                                       set, b, list->offsets[b], list->offsets[b + 1],
                                       list->n_points);
    }
    return MPLAN_OK;
}

/* Section 7 of the format: points x bytes of every staged dat, rounded up to 16. Compared with
 * what the limit leaves, so that the sum cannot overflow. */
static mplan_status check_staged(const mplan_check_loop *loop, const mplan_check_cut *cut,
                                 int64_t *staged_max, mplan_error *err)
{
    const int64_t limit = cut->record->shared_bytes;
    for (int64_t b = 0; b < cut->record->n_blocks; b++) {
        int64_t staged = 0;
        for (int32_t d = 0, l = 0; d < loop->n_dats; d++, l = 0) {
            while (cut->lists[l].set != loop->dats[d].set)
                l++;
            int64_t points = cut->lists[l].offsets[b + 1] - cut->lists[l].offsets[b];
            int64_t bytes = (points * loop->dats[d].point_bytes + 15) / 16 * 16;
            if (bytes > limit - staged)
                return MPLAN_DISPROVED(err,
                                       "block %" PRId64 " stages more than the limit of %" PRId64
                                       " bytes",
                                       b, limit);
            staged += bytes;
        }
        *staged_max = staged > *staged_max ? staged : *staged_max;
    }
    return MPLAN_OK;
}

/* One loop over one block set. pair->staged_max: out, for check_metrics.c. */
static mplan_status check_pair(mplan_check *check, mplan_check_pair *pair, uint8_t *used,
                               mplan_error *err)
{
    mplan_check_cut cut = {0};
    points_proof proof = {check, &cut, used};
    mplan_status status = mplan_check_cut_open(check, pair->block_set, pair->loop, &cut, err);
    if (!status)
        status = check_offsets(check, &cut, err);
    if (!status)
        status = mplan_check_each(check, cut.record->n_blocks, check_block, &proof, err);
    if (!status)
        status = check_staged(&check->loops[pair->loop], &cut, &pair->staged_max, err);
    mplan_check_cut_close(&cut);
    return status;
}

/* A pair is a loop and a block set that it runs on. used: a row of MPLAN_CHECK_MOST_LOCAL marks
 * for each thread, one mark per point number inside a block; check_pair clears the row of its
 * thread before each block. */
mplan_status mplan_check_points(mplan_check *check, mplan_error *err)
{
    mplan_status status = MPLAN_OK;
    uint8_t *used = mplan_alloc(check->threads, MPLAN_CHECK_MOST_LOCAL, err);
    if (!used)
        return MPLAN_ERR_MEMORY;
    for (int32_t i = 0; i < check->n_pairs && !status; i++) {
        status = check_pair(check, &check->pairs[i], used, err);
        if (status == MPLAN_ERR_DISPROVED) {
            char place[MPLAN_ERROR_TEXT / 2];
            snprintf(place, sizeof place, "loop %s, block set %d",
                     check->plan->loops[check->pairs[i].loop].name, (int)check->pairs[i].block_set);
            mplan_fail_prefix(err, status, place);
        }
    }
    free(used);
    return status;
}
