/* meter.c - distinct points and staged bytes of a block, by stamps */
#include "partition/meter.h"

#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"

static int32_t find_set(const mplan_meter *meter, int32_t set)
{
    for (int32_t s = 0; s < meter->n_sets; s++)
        if (meter->sets[s].set == set)
            return s;
    return -1;
}

static bool is_same_table(const mplan_map *a, const mplan_map *b)
{
    return a->to == b->to && a->arity == b->arity && a->values == b->values &&
           a->offsets == b->offsets;
}

/* Takes over the tables, each once, and makes room for the stamps of their sets. */
static mplan_status open_maps(mplan_meter *meter, mplan_error *err)
{
    const mplan_block_limits *limits = meter->limits;
    for (int32_t m = 0; m < limits->n_maps; m++) {
        const mplan_map *map = &limits->maps[m];
        bool known = false;
        for (int32_t k = 0; k < meter->n_maps && !known; k++)
            known = is_same_table(meter->maps[k], map);
        if (known)
            continue;
        int32_t s = find_set(meter, map->to);
        if (s < 0) {
            s = meter->n_sets++;
            meter->sets[s].set = map->to;
            meter->sets[s].stamp = mplan_alloc_zero(map->n_points, sizeof(uint32_t), err);
            if (!meter->sets[s].stamp)
                return MPLAN_ERR_MEMORY;
        }
        meter->maps[meter->n_maps] = map;
        meter->set_of_map[meter->n_maps++] = s;
    }
    return MPLAN_OK;
}

static mplan_status check_limits(const mplan_block_limits *limits, mplan_error *err)
{
    if (limits->block_size < 1 || limits->block_size > 1024)
        return mplan_fail(err, MPLAN_ERR_ARGUMENT, "block size %d is not between 1 and 1024",
                          (int)limits->block_size);
    if (limits->max_points < 1 || limits->max_points > 65535)
        return mplan_fail(err, MPLAN_ERR_ARGUMENT,
                          "a limit of %d points of a block is not between 1 and 65535",
                          (int)limits->max_points);
    if (limits->shared_bytes < 0)
        return mplan_fail(err, MPLAN_ERR_ARGUMENT, "a limit of %lld shared bytes is below zero",
                          (long long)limits->shared_bytes);
    return MPLAN_OK;
}

mplan_status mplan_meter_open(mplan_meter *meter, const mplan_block_limits *limits,
                              mplan_error *err)
{
    *meter = (mplan_meter){.limits = limits};
    mplan_status status = check_limits(limits, err);
    if (status)
        return status;
    meter->sets = mplan_alloc_zero(limits->n_maps, sizeof *meter->sets, err);
    meter->maps = mplan_alloc(limits->n_maps, sizeof *meter->maps, err);
    meter->set_of_map = mplan_alloc(limits->n_maps, sizeof *meter->set_of_map, err);
    status = MPLAN_ERR_MEMORY;
    if (meter->sets && meter->maps && meter->set_of_map)
        status = open_maps(meter, err);
    if (status)
        mplan_meter_close(meter);
    return status;
}

void mplan_meter_close(mplan_meter *meter)
{
    for (int32_t s = 0; s < meter->n_sets; s++)
        free(meter->sets[s].stamp);
    free(meter->sets);
    free(meter->maps);
    free(meter->set_of_map);
    *meter = (mplan_meter){.limits = NULL};
}

void mplan_meter_begin(mplan_meter *meter)
{
    meter->elements = 0;
    for (int32_t s = 0; s < meter->n_sets; s++)
        meter->sets[s].count = 0;
    if (++meter->now > 0)
        return;
    for (int32_t m = 0; m < meter->n_maps; m++) /* wrapped round: old stamps could look new */
        memset(meter->sets[meter->set_of_map[m]].stamp, 0,
               (size_t)meter->maps[m]->n_points * sizeof(uint32_t));
    meter->now = 1;
}

void mplan_meter_add(mplan_meter *meter, int64_t element)
{
    meter->elements++;
    for (int32_t m = 0; m < meter->n_maps; m++) {
        mplan_meter_set *set = &meter->sets[meter->set_of_map[m]];
        int32_t length;
        const int32_t *row = mplan_map_row(meter->maps[m], element, &length);
        for (int32_t k = 0; k < length; k++) {
            if (row[k] < 0 || set->stamp[row[k]] == meter->now)
                continue;
            set->stamp[row[k]] = meter->now;
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
static int64_t points_of(const mplan_meter *meter, const int64_t *counts, int32_t s)
{
    return counts ? counts[s] : meter->sets[s].count;
}

static int64_t bytes_of(const mplan_meter *meter, const int64_t *counts)
{
    const mplan_block_limits *limits = meter->limits;
    int64_t bytes = 0;
    for (int32_t d = 0; d < limits->n_dats; d++) {
        int32_t s = find_set(meter, limits->dats[d].set);
        if (s >= 0 && bytes <= limits->shared_bytes)
            bytes += staged_bytes(points_of(meter, counts, s), limits->dats[d].point_bytes);
    }
    return bytes;
}

static bool fit(const mplan_meter *meter, const int64_t *counts)
{
    for (int32_t s = 0; s < meter->n_sets; s++)
        if (points_of(meter, counts, s) > meter->limits->max_points)
            return false;
    return bytes_of(meter, counts) <= meter->limits->shared_bytes;
}

bool mplan_meter_fits(const mplan_meter *meter)
{
    return meter->elements <= meter->limits->block_size && fit(meter, NULL);
}

bool mplan_meter_counts_fit(const mplan_meter *meter, const int64_t *counts)
{
    return fit(meter, counts);
}

void mplan_meter_add_rows(const mplan_meter *meter, int64_t element, int64_t *counts)
{
    for (int32_t m = 0; m < meter->n_maps; m++) {
        int32_t length;
        mplan_map_row(meter->maps[m], element, &length);
        counts[meter->set_of_map[m]] += length;
    }
}

mplan_status mplan_meter_refuse(mplan_meter *meter, int64_t element, mplan_error *err)
{
    mplan_meter_begin(meter);
    mplan_meter_add(meter, element);
    for (int32_t m = 0; m < meter->n_maps; m++) {
        const mplan_meter_set *set = &meter->sets[meter->set_of_map[m]];
        if (set->count > meter->limits->max_points)
            return mplan_fail(err, MPLAN_ERR_ARGUMENT,
                              "element %lld alone touches %lld points through map '%s', above the "
                              "limit of %d points of a block",
                              (long long)element, (long long)set->count,
                              meter->maps[m]->name ? meter->maps[m]->name : "",
                              (int)meter->limits->max_points);
    }
    return mplan_fail(err, MPLAN_ERR_ARGUMENT,
                      "element %lld alone stages %lld bytes, above the limit of %lld shared bytes "
                      "of a block",
                      (long long)element, (long long)bytes_of(meter, NULL),
                      (long long)meter->limits->shared_bytes);
}
