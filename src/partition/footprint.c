/* SPDX-License-Identifier: Apache-2.0 */
/* footprint.c - distinct points and staged bytes of a block, by stamps */
#include "partition/footprint.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "plan/packed.h"

/* Place of the set among the footprint's, -1 if no map leads to it. */
static int32_t find_set(const mplan_footprint *footprint, int32_t set)
{
    for (int32_t s = 0; s < footprint->n_sets; s++)
        if (footprint->sets[s].set == set)
            return s;
    return -1;
}

/* Whether two maps are one table, given twice under two names of args: its points would be
 * stamped twice for nothing. */
static bool is_same_table(const mplan_map *a, const mplan_map *b)
{
    return a->to == b->to && a->arity == b->arity && a->values == b->values &&
           a->offsets == b->offsets;
}

/* Takes over the tables, each once, and makes room for the stamps of their sets. */
static mplan_status open_maps(mplan_footprint *footprint, mplan_error *err)
{
    const mplan_block_limits *limits = footprint->limits;
    for (int32_t m = 0; m < limits->n_maps; m++) {
        const mplan_map *map = &limits->maps[m];
        bool known = false;
        for (int32_t k = 0; k < footprint->n_maps && !known; k++)
            known = is_same_table(footprint->maps[k], map);
        if (known)
            continue;
        int32_t s = find_set(footprint, map->to);
        if (s < 0) {
            s = footprint->n_sets++;
            footprint->sets[s].set = map->to;
            footprint->sets[s].stamp = mplan_alloc_zero(map->n_points, sizeof(uint32_t), err);
            if (!footprint->sets[s].stamp)
                return MPLAN_ERR_MEMORY;
        }
        footprint->maps[footprint->n_maps] = map;
        footprint->set_of_map[footprint->n_maps++] = s;
    }
    return MPLAN_OK;
}

/* Block size, points and bytes must be in the ranges that local ids and devices
 * allow. */
static mplan_status check_limits(const mplan_block_limits *limits, mplan_error *err)
{
    if (limits->block_size < 1 || limits->block_size > 1024)
        return mplan_fail(err, MPLAN_ERR_ARGUMENT, "block size %d is not between 1 and 1024",
                          (int)limits->block_size);
    if (limits->max_points < 1 || limits->max_points > MPLAN_LOCAL_MOST)
        return mplan_fail(err, MPLAN_ERR_ARGUMENT,
                          "the limit of points per block is %d, but must be between 1 and %d",
                          (int)limits->max_points, (int)MPLAN_LOCAL_MOST);
    if (limits->shared_bytes < 0)
        return mplan_fail(err, MPLAN_ERR_ARGUMENT,
                          "the limit of shared bytes must be 0 or more, not %lld",
                          (long long)limits->shared_bytes);
    return MPLAN_OK;
}

/* Maps that are given twice count once, and maps to one set share its stamps.
 * The footprint owns its arrays; after a failure it is empty. */
mplan_status mplan_footprint_open(mplan_footprint *footprint, const mplan_block_limits *limits,
                                  mplan_error *err)
{
    assert(footprint && limits);
    *footprint = (mplan_footprint){.limits = limits};
    mplan_status status = check_limits(limits, err);
    if (status)
        return status;
    footprint->sets = mplan_alloc_zero(limits->n_maps, sizeof *footprint->sets, err);
    footprint->maps = mplan_alloc(limits->n_maps, sizeof *footprint->maps, err);
    footprint->set_of_map = mplan_alloc(limits->n_maps, sizeof *footprint->set_of_map, err);
    status = MPLAN_ERR_MEMORY;
    if (footprint->sets && footprint->maps && footprint->set_of_map)
        status = open_maps(footprint, err);
    if (status)
        mplan_footprint_close(footprint);
    return status;
}

void mplan_footprint_close(mplan_footprint *footprint)
{
    assert(footprint);
    for (int32_t s = 0; s < footprint->n_sets; s++)
        free(footprint->sets[s].stamp);
    free(footprint->sets);
    free(footprint->maps);
    free(footprint->set_of_map);
    *footprint = (mplan_footprint){.limits = NULL};
}

/* For those who only compare counts of their own with the limits. */
void mplan_footprint_drop_stamps(mplan_footprint *footprint)
{
    assert(footprint);
    for (int32_t s = 0; s < footprint->n_sets; s++) {
        free(footprint->sets[s].stamp);
        footprint->sets[s].stamp = NULL;
    }
}

/* A new block in constant time: stamps of the block before are out of date. Only
 * when the counter wraps are they cleared. */
void mplan_footprint_begin(mplan_footprint *footprint)
{
    assert(footprint);
    footprint->elements = 0;
    for (int32_t s = 0; s < footprint->n_sets; s++)
        footprint->sets[s].count = 0;
    if (++footprint->now > 0)
        return;
    for (int32_t m = 0; m < footprint->n_maps; m++) /* wrapped round: old stamps could look new */
        memset(footprint->sets[footprint->set_of_map[m]].stamp, 0,
               (size_t)footprint->maps[m]->n_points * sizeof(uint32_t));
    footprint->now = 1;
}

/* Counts the points of the element that the block at hand does not touch yet.
 * Entries of -1 do not count. */
void mplan_footprint_add(mplan_footprint *footprint, int64_t element)
{
    assert(footprint);
    footprint->elements++;
    for (int32_t m = 0; m < footprint->n_maps; m++) {
        mplan_footprint_set *set = &footprint->sets[footprint->set_of_map[m]];
        int32_t length;
        const int32_t *row = mplan_map_row(footprint->maps[m], element, &length);
        for (int32_t k = 0; k < length; k++) {
            if (row[k] < 0 || set->stamp[row[k]] == footprint->now)
                continue;
            set->stamp[row[k]] = footprint->now;
            set->count++;
        }
    }
}

/* Bytes of `points` points, rounded up to 16; what would overflow is above
 * every limit. */
static int64_t staged_bytes(int64_t points, int64_t point_bytes)
{
    if (point_bytes > 0 && points > (INT64_MAX >> 8) / point_bytes)
        return INT64_MAX >> 8;
    return (points * point_bytes + 15) / 16 * 16;
}

/* counts NULL: of the block at hand */
static int64_t points_of(const mplan_footprint *footprint, const int64_t *counts, int32_t s)
{
    return counts ? counts[s] : footprint->sets[s].count;
}

/* Shared memory that a block of counts[n_sets] points stages. The sum stops once
 * it is above the limit, so that it cannot overflow. */
static int64_t bytes_of(const mplan_footprint *footprint, const int64_t *counts)
{
    const mplan_block_limits *limits = footprint->limits;
    int64_t bytes = 0;
    for (int32_t d = 0; d < limits->n_dats; d++) {
        int32_t s = find_set(footprint, limits->dats[d].set);
        if (s >= 0 && bytes <= limits->shared_bytes)
            bytes += staged_bytes(points_of(footprint, counts, s), limits->dats[d].point_bytes);
    }
    return bytes;
}

/* Points and bytes, without the number of elements. counts: points per set of the footprint;
 * NULL: the block at hand's. */
static bool fit(const mplan_footprint *footprint, const int64_t *counts)
{
    for (int32_t s = 0; s < footprint->n_sets; s++)
        if (points_of(footprint, counts, s) > footprint->limits->max_points)
            return false;
    return bytes_of(footprint, counts) <= footprint->limits->shared_bytes;
}

bool mplan_footprint_fits(const mplan_footprint *footprint)
{
    assert(footprint);
    return footprint->elements <= footprint->limits->block_size && fit(footprint, NULL);
}

bool mplan_footprint_counts_fit(const mplan_footprint *footprint, const int64_t *counts)
{
    assert(footprint && (counts || footprint->n_sets == 0));
    return fit(footprint, counts);
}

/* An upper bound: points that the block touches already are counted again. */
void mplan_footprint_add_rows(const mplan_footprint *footprint, int64_t element, int64_t *counts)
{
    assert(footprint && (counts || footprint->n_sets == 0));
    for (int32_t m = 0; m < footprint->n_maps; m++) {
        int32_t length;
        mplan_map_row(footprint->maps[m], element, &length);
        counts[footprint->set_of_map[m]] += length;
    }
}

/* Names the first limit that the element breaks by itself; called when it is
 * known that there is one. Bytes are said with the map that brings most entries. */
mplan_status mplan_footprint_refuse(mplan_footprint *footprint, int64_t element, int64_t number,
                                    mplan_error *err)
{
    assert(footprint);
    int32_t longest = 0, most = -1;
    mplan_footprint_begin(footprint);
    mplan_footprint_add(footprint, element);
    for (int32_t m = 0; m < footprint->n_maps; m++) {
        const mplan_footprint_set *set = &footprint->sets[footprint->set_of_map[m]];
        int32_t length;
        mplan_map_row(footprint->maps[m], element, &length);
        if (length > most) {
            most = length;
            longest = m;
        }
        if (set->count > footprint->limits->max_points)
            return mplan_fail(err, MPLAN_ERR_ARGUMENT,
                              "element %lld by itself touches %lld points through map '%s', "
                              "more than the limit of %d points per block",
                              (long long)number, (long long)set->count,
                              footprint->maps[m]->name ? footprint->maps[m]->name : "",
                              (int)footprint->limits->max_points);
    }
    return mplan_fail(err, MPLAN_ERR_ARGUMENT,
                      "element %lld by itself stages %lld bytes (%d entries of map '%s'), more than "
                      "the limit of %lld shared bytes per block",
                      (long long)number, (long long)bytes_of(footprint, NULL), (int)most,
                      footprint->n_maps && footprint->maps[longest]->name
                          ? footprint->maps[longest]->name
                          : "",
                      (long long)footprint->limits->shared_bytes);
}
