/* SPDX-License-Identifier: Apache-2.0 */
/* check_maps.c - stored maps: offsets, range of their values, rows of holes,
 * and entries of -1 where an arg says that there are none */
#include "check/check.h"

/* One stored map, and which places of its sets hold a member. */
typedef struct map_proof {
    const mplan_map *map;
    const char *from, *to;
    int64_t n_entries;
    const int32_t *from_old, *to_old; /* OLD_OF_NEW of both sets */
} map_proof;

/* Part `part` of the rows: offsets ascend and rows are shorter than 2^31. */
static mplan_status check_offsets(void *data, int64_t part, int thread, mplan_error *err)
{
    const map_proof *proof = data;
    const mplan_map *map = proof->map;
    const int64_t *offsets = map->offsets;
    (void)thread;
    for (int64_t r = part * MPLAN_CHECK_RUN; r < mplan_check_run_end(part, map->n_rows); r++) {
        if (offsets[r + 1] < offsets[r] || offsets[r + 1] > proof->n_entries ||
            offsets[r + 1] - offsets[r] > INT32_MAX)
            return MPLAN_DISPROVED(err,
                                   "map %s: MAP_OFFSETS gives row %" PRId64 " the entries %" PRId64
                                   " to %" PRId64 " of %" PRId64,
                                   map->name, r, offsets[r], offsets[r + 1], proof->n_entries);
        if (proof->from_old[r] < 0 && offsets[r + 1] != offsets[r])
            return MPLAN_DISPROVED(err, "map %s: row %" PRId64 " is a hole of %s, but not empty",
                                   map->name, r, proof->from);
    }
    return MPLAN_OK;
}

/* Part `part` of the entries: -1, or a place that holds a member; holes have no entries
 * but -1. */
static mplan_status check_values(void *data, int64_t part, int thread, mplan_error *err)
{
    const map_proof *proof = data;
    const mplan_map *map = proof->map;
    (void)thread;
    for (int64_t i = part * MPLAN_CHECK_RUN; i < mplan_check_run_end(part, proof->n_entries); i++) {
        int32_t point = map->values[i];
        if (point < -1 || point >= map->n_points)
            return MPLAN_DISPROVED(err,
                                   "map %s: entry %" PRId64 " is %d, which is not in [-1, %" PRId64
                                   ")",
                                   map->name, i, (int)point, map->n_points);
        if (point >= 0 && proof->to_old[point] < 0)
            return MPLAN_DISPROVED(err, "map %s: entry %" PRId64 " is %d, which is a hole of %s",
                                   map->name, i, (int)point, proof->to);
    }
    return MPLAN_OK;
}

/* Rows of holes of a fixed map. */
static mplan_status check_holes(void *data, int64_t part, int thread, mplan_error *err)
{
    const map_proof *proof = data;
    const mplan_map *map = proof->map;
    (void)thread;
    for (int64_t r = part * MPLAN_CHECK_RUN; r < mplan_check_run_end(part, map->n_rows); r++)
        for (int32_t k = 0; proof->from_old[r] < 0 && k < map->arity; k++)
            if (map->values[r * map->arity + k] != -1)
                return MPLAN_DISPROVED(err,
                                       "map %s: row %" PRId64
                                       " is a hole of %s, but has entries other than -1",
                                       map->name, r, proof->from);
    return MPLAN_OK;
}

/* The two ends of the offsets first; parts may rely on them. */
static mplan_status check_map(const mplan_check *check, int32_t m, mplan_error *err)
{
    const mplan_map *map = &check->maps[m];
    const map_proof shared = {map,
                              mplan_check_set_name(check, map->from),
                              mplan_check_set_name(check, map->to),
                              check->plan->maps[m].n_entries,
                              mplan_check_old_of_new(check, map->from),
                              mplan_check_old_of_new(check, map->to)};
    map_proof proof = shared;
    mplan_status status = MPLAN_OK;
    if (!map->arity) {
        if (map->offsets[0] != 0 || map->offsets[map->n_rows] != proof.n_entries)
            return MPLAN_DISPROVED(err,
                                   "map %s: MAP_OFFSETS runs from %" PRId64 " to %" PRId64
                                   " instead of 0 to %" PRId64,
                                   map->name, map->offsets[0], map->offsets[map->n_rows],
                                   proof.n_entries);
        status = mplan_check_each(check, mplan_check_runs(map->n_rows), check_offsets, &proof, err);
    }
    if (!status)
        status = mplan_check_each(check, mplan_check_runs(proof.n_entries), check_values, &proof,
                                  err);
    const mplan_plan_set *from = mplan_check_set(check, map->from);
    if (!status && map->arity && from->storage_size > from->size)
        status = mplan_check_each(check, mplan_check_runs(map->n_rows), check_holes, &proof, err);
    return status;
}

/* data: an mplan_map; entries in [begin, end) that are not -1. */
static int64_t count_valid(void *data, int thread, int64_t begin, int64_t end)
{
    const int32_t *values = ((const mplan_map *)data)->values;
    int64_t valid = 0;
    (void)thread;
    for (int64_t i = begin; i < end; i++)
        valid += values[i] >= 0;
    return valid;
}

/* First element whose row has an entry of -1; -1 without one. */
static int64_t first_without(const mplan_map *map, const int32_t *from_old)
{
    for (int64_t r = 0; r < map->n_rows; r++) {
        int32_t n;
        const int32_t *row = mplan_map_row(map, r, &n);
        for (int32_t k = 0; from_old[r] >= 0 && k < n; k++)
            if (row[k] < 0)
                return r;
    }
    return -1;
}

/* Args that do not skip -1 go through maps without any. */
static mplan_status check_none(const mplan_check *check, int32_t l, int32_t a, mplan_error *err)
{
    const mplan_plan_loop *loop = &check->plan->loops[l];
    const mplan_plan_arg *arg = &loop->args[a];
    if (arg->map < 0 || arg->none == MPLAN_NONE_SKIP)
        return MPLAN_OK;
    const mplan_map *map = &check->maps[arg->map];
    const mplan_plan_set *from = mplan_check_set(check, map->from);
    int64_t entries = map->arity ? from->size * map->arity : check->plan->maps[arg->map].n_entries;
    if (check->valid[arg->map] == entries)
        return MPLAN_OK;
    return MPLAN_DISPROVED(err,
                           "loop %s: arg %d expects no entry of -1, but element %" PRId64
                           " of map %s has one",
                           loop->name, (int)a,
                           first_without(map, mplan_check_old_of_new(check, map->from)), map->name);
}

/* check->maps: the plan's maps as views, check->valid: their entries that are not -1.
 * Both are used by later proofs. */
mplan_status mplan_check_maps(mplan_check *check, mplan_error *err)
{
    const mplan_plan *plan = check->plan;
    check->maps = mplan_alloc_zero(plan->n_maps, sizeof *check->maps, err);
    check->valid = mplan_alloc_zero(plan->n_maps, sizeof *check->valid, err);
    if (!check->maps || !check->valid)
        return MPLAN_ERR_MEMORY;
    mplan_status status = MPLAN_OK;
    for (int32_t m = 0; m < plan->n_maps && !status; m++) {
        const mplan_plan_map *record = &plan->maps[m];
        mplan_map *map = &check->maps[m];
        map->name = record->name;
        map->from = record->from;
        map->to = record->to;
        map->arity = record->arity;
        map->n_rows = plan->sets[record->from].storage_size;
        map->n_points = plan->sets[record->to].storage_size;
        map->values = mplan_check_data(check, mplan_key_of_map(MPLAN_KIND_MAP_VALUES, m));
        if (!map->arity)
            map->offsets = mplan_check_data(check, mplan_key_of_map(MPLAN_KIND_MAP_OFFSETS, m));
        status = check_map(check, m, err);
        if (!status)
            check->valid[m] = mplan_for_sum(check->team, record->n_entries, 8 * MPLAN_CHECK_RUN,
                                            count_valid, map);
    }
    for (int32_t l = 0; l < plan->n_loops && !status; l++)
        for (int32_t a = 0; a < plan->loops[l].n_args && !status; a++)
            status = check_none(check, l, a, err);
    return status;
}
