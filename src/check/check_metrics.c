/* SPDX-License-Identifier: Apache-2.0 */
/* check_metrics.c - stored metrics equal the ones computed from what is proved
 *
 * Definitions: sections 4 (SETS, BLOCK_METRICS) and 7 of formats/plan-format.md. */
#include <stdio.h>
#include <stdlib.h>

#include "base/fetch.h"
#include "base/threads.h"
#include "check/check.h"

/* --- blocks --- */

/* A figure of the plan beside the same counted again. */
typedef struct counted {
    const char *name;
    int64_t stored, found;
} counted;

/* n counted figures; the first that differs is named. */
static mplan_status compare(const counted *list, int32_t n, const char *place, mplan_error *err)
{
    for (int32_t i = 0; i < n; i++)
        if (list[i].stored != list[i].found)
            return MPLAN_DISPROVED(err, "%s: %s is %" PRId64 ", but the plan says %" PRId64, place,
                                   list[i].name, list[i].found, list[i].stored);
    return MPLAN_OK;
}

/* Lists of blocks: block b touches points[offsets[b]] up to offsets[b + 1], ascending, so that equal lines of four points follow
 * one another. Marks: first + 1 touched by a block, first + 2 by several. */
typedef struct list_measure {
    const int64_t *offsets;
    const int32_t *points;
    uint32_t *mark, first;
    bool by_one; /* one thread marks */
    int64_t lines, shared;
} list_measure;

/* Marks a point once more; whether that made it one of several blocks. */
static bool becomes_shared(const list_measure *in, int32_t point)
{
    uint32_t *mark = &in->mark[point];
    if (in->by_one) {
        const bool second = *mark == in->first + 1;
        *mark = *mark <= in->first ? in->first + 1 : in->first + 2;
        return second;
    }
    for (;;) {
        const uint32_t now = (uint32_t)mplan_peek((int32_t *)mark); /* the same 32 bits */
        if (now == in->first + 2)
            return false;
        const uint32_t next = now == in->first + 1 ? in->first + 2 : in->first + 1;
        if (mplan_replace((int32_t *)mark, (int32_t)now, (int32_t)next))
            return now == in->first + 1;
    }
}

static void measure_lists(void *data, int thread, int64_t begin, int64_t end)
{
    list_measure *in = data;
    int64_t lines = 0, shared = 0;
    (void)thread;
    for (int64_t b = begin; b < end; b++) {
        int32_t line = -1;
        for (int64_t i = in->offsets[b]; i < in->offsets[b + 1]; i++) {
            shared += becomes_shared(in, in->points[i]);
            lines += in->points[i] / 4 != line;
            line = in->points[i] / 4;
        }
    }
    mplan_add(&in->lines, lines);
    mplan_add(&in->shared, shared);
}

/* Only what the lists of blocks tell. The counts in *out are 0 before. */
static void measure_list(const mplan_check *check, uint32_t first, int64_t n_blocks,
                         const int64_t *offsets, const int32_t *points, mplan_block_metrics *out)
{
    enum { BLOCKS = 64 };
    list_measure in = {offsets, points, check->mark, first, mplan_team_threads(check->team) == 1,
                       0,       0};
    mplan_for(check->team, n_blocks, BLOCKS, measure_lists, &in);
    out->lines = in.lines;
    out->shared_points = in.shared;
    for (int64_t b = 0; b < n_blocks; b++) {
        int64_t n = offsets[b + 1] - offsets[b];
        out->pairs += n;
        out->points_max = n > out->points_max ? n : out->points_max;
        out->lines_ideal += (n + 3) / 4;
    }
}

/* Metrics of one loop, block set and set, counted again from maps and blocks. stored:
 * the record of the plan. */
static mplan_status check_record(mplan_check *check, const mplan_check_pair *pair, int32_t set,
                                 const mplan_block_metrics *stored, mplan_error *err)
{
    const mplan_check_loop *loop = &check->loops[pair->loop];
    mplan_block_metrics found = {.loop = pair->loop, .block_set = pair->block_set, .set = set};
    uint32_t first;
    mplan_status status = mplan_check_marks(check, 2, &first, err);
    if (status)
        return status;
    for (int32_t m = 0; m < loop->n_maps; m++)
        if (check->maps[loop->maps[m]].to == set)
            found.entries += check->valid[loop->maps[m]];
    mplan_key key = mplan_key_of_block_points(MPLAN_KIND_BLOCK_POINT_OFFSETS, pair->block_set,
                                              pair->loop, set);
    const int64_t *offsets = mplan_check_data(check, key);
    key.kind = MPLAN_KIND_BLOCK_POINTS;
    measure_list(check, first, check->plan->block_sets[pair->block_set].n_blocks, offsets,
                 mplan_check_data(check, key), &found);
    const counted list[] = {{"entries", stored->entries, found.entries},
                            {"pairs", stored->pairs, found.pairs},
                            {"shared_points", stored->shared_points, found.shared_points},
                            {"points_max", stored->points_max, found.points_max},
                            {"lines", stored->lines, found.lines},
                            {"lines_ideal", stored->lines_ideal, found.lines_ideal}};
    char place[MPLAN_ERROR_TEXT / 2];
    snprintf(place, sizeof place, "metrics of loop %s, block set %d, set %s",
             check->plan->loops[pair->loop].name, (int)pair->block_set,
             mplan_check_set_name(check, set));
    return compare(list, (int32_t)(sizeof list / sizeof *list), place, err);
}

/* A record for each pair and to-set of its loop, in this order, and no other. */
static mplan_status check_block_metrics(mplan_check *check, mplan_error *err)
{
    const mplan_plan *plan = check->plan;
    int32_t i = 0;
    mplan_status status = MPLAN_OK;
    for (int32_t p = 0; p < check->n_pairs && !status; p++) {
        const mplan_check_pair *pair = &check->pairs[p];
        const mplan_check_loop *loop = &check->loops[pair->loop];
        for (int32_t s = 0; s < loop->n_sets && !status; s++, i++) {
            const mplan_block_metrics *stored = &plan->metrics[i];
            if (i >= plan->n_metrics || stored->loop != pair->loop ||
                stored->block_set != pair->block_set || stored->set != loop->sets[s])
                return MPLAN_DISPROVED(err,
                                       "BLOCK_METRICS lacks loop %s, block set %d, set %s at "
                                       "place %d",
                                       plan->loops[pair->loop].name, (int)pair->block_set,
                                       mplan_check_set_name(check, loop->sets[s]), (int)i);
            status = check_record(check, pair, loop->sets[s], stored, err);
        }
    }
    if (!status && i != plan->n_metrics)
        return MPLAN_DISPROVED(err, "BLOCK_METRICS has %d records instead of %d",
                               (int)plan->n_metrics, (int)i);
    return status;
}

/* A cut that was tried and not kept must not have been the better one. */
static mplan_status check_alternatives(const mplan_check *check, mplan_error *err)
{
    const mplan_plan *plan = check->plan;
    for (int32_t b = 0; b < plan->n_block_sets; b++) {
        const mplan_plan_block_set *record = &plan->block_sets[b];
        const mplan_check_loop *loop = &check->loops[record->loop];
        int64_t pairs = 0;
        for (int32_t s = 0; s < loop->n_sets; s++) {
            mplan_key key = mplan_key_of_block_points(MPLAN_KIND_BLOCK_POINTS, b, record->loop,
                                                      loop->sets[s]);
            pairs += mplan_plan_find_array(plan, &key)->rows;
        }
        if (record->alternative_pairs >= 0 && record->alternative_pairs < pairs)
            return MPLAN_DISPROVED(err,
                                   "block set %d was kept with %" PRId64 " pairs of block and "
                                   "point, though another had %" PRId64,
                                   (int)b, pairs, record->alternative_pairs);
    }
    return MPLAN_OK;
}

/* --- variants --- */

/* Bytes of shared memory that the largest block stages, 0 where the strategy stages
 * nothing. */
static int64_t staged_max(const mplan_check *check, int32_t l, const mplan_plan_variant *variant)
{
    if (mplan_strategy_has(variant->strategy, MPLAN_TRAIT_RECORDS))
        return variant->shared_bytes_max; /* proved with its records */
    if (!mplan_strategy_has(variant->strategy, MPLAN_TRAIT_THREAD_COLOURS))
        return 0;
    for (int32_t p = 0; p < check->n_pairs; p++)
        if (check->pairs[p].loop == l && check->pairs[p].block_set == variant->block_set)
            return check->pairs[p].staged_max;
    return 0;
}

/* Colours of blocks and of elements are proved where the launches are. */
static mplan_status check_variant(const mplan_check *check, int32_t l, int32_t v, mplan_error *err)
{
    const mplan_plan_loop *loop = &check->plan->loops[l];
    const mplan_plan_variant *variant = &loop->variants[v];
    int64_t total = 0, max = 0;
    if (mplan_strategy_has(variant->strategy, MPLAN_TRAIT_THREAD_COLOURS)) {
        const uint16_t *count =
            mplan_check_data(check, mplan_key_of_variant(MPLAN_KIND_BLOCK_THREAD_COLOURS, l, v));
        for (int64_t b = 0; b < check->plan->block_sets[variant->block_set].n_blocks; b++) {
            total += count[b];
            max = count[b] > max ? count[b] : max;
        }
    }
    const counted list[] = {
        {"shared_bytes_max", variant->shared_bytes_max, staged_max(check, l, variant)},
        {"thread_colours_max", variant->thread_colours_max, max},
        {"thread_colours_total", variant->thread_colours_total, total}};
    char place[MPLAN_ERROR_TEXT / 2];
    snprintf(place, sizeof place, "loop %s, variant %d (%s)", loop->name, (int)v,
             mplan_strategy_name(variant->strategy));
    return compare(list, (int32_t)(sizeof list / sizeof *list), place, err);
}

/* --- orders --- */

/* Bandwidth and profile of a set's points through maps of the primary loop, in
 * stored order or by `id`. low[i]: the least neighbour of i so far. */
typedef struct order_measure {
    const int32_t *id; /* of a stored point; NULL: itself */
    const mplan_map *map;
    int32_t *low;
    bool by_one; /* one thread lowers numbers */
} order_measure;

/* All points of a row are neighbours: low[p] for the profile. row: n stored places, -1 for none. Returns the
 * distance of the lowest and highest number. */
static int64_t measure_row(const order_measure *out, const int32_t *row, int32_t n)
{
    int32_t low = INT32_MAX, high = -1;
    for (int32_t k = 0; k < n; k++) {
        if (row[k] < 0)
            continue;
        int32_t id = out->id ? out->id[row[k]] : row[k];
        low = id < low ? id : low;
        high = id > high ? id : high;
    }
    for (int32_t k = 0; k < n; k++) {
        if (row[k] < 0)
            continue;
        int32_t id = out->id ? out->id[row[k]] : row[k];
        if (out->by_one)
            out->low[id] = low < out->low[id] ? low : out->low[id];
        else
            mplan_lower(&out->low[id], low);
    }
    return high < low ? 0 : high - (int64_t)low;
}

/* Minus the bandwidth of rows [begin, end), whose points are in stored order: near one another, but not
 * their numbers. */
static int64_t measure_rows(void *data, int thread, int64_t begin, int64_t end)
{
    const order_measure *out = data;
    const mplan_map *map = out->map;
    int64_t least = 0;
    (void)thread;
    for (int64_t r = begin; r < end; r++) {
        int32_t length;
        const int32_t *row = mplan_map_row(map, r, &length);
        if (out->id && map->arity && r + MPLAN_FETCH_DISTANCE < end)
            for (int32_t k = 0; k < map->arity; k++) {
                int32_t point = row[MPLAN_FETCH_DISTANCE * map->arity + k];
                if (point >= 0)
                    mplan_fetch(out->low + out->id[point]);
            }
        int64_t width = measure_row(out, row, length);
        least = -width < least ? -width : least;
    }
    return least;
}

/* Numbers [begin, end) have no neighbours but themselves yet. */
static void begin_low(void *data, int thread, int64_t begin, int64_t end)
{
    const order_measure *out = data;
    (void)thread;
    for (int64_t i = begin; i < end; i++)
        out->low[i] = (int32_t)i;
}

/* Distances of numbers [begin, end) from their least neighbours. */
static int64_t sum_profile(void *data, int thread, int64_t begin, int64_t end)
{
    const order_measure *out = data;
    int64_t sum = 0;
    (void)thread;
    for (int64_t i = begin; i < end; i++)
        sum += i - out->low[i];
    return sum;
}

/* out->low: per place the lowest number among itself and its neighbours. out->id:
 * numbers by place, NULL for the stored order itself. */
static void measure_order(const mplan_check *check, int32_t primary, int32_t set,
                          order_measure *out, int64_t *bandwidth, int64_t *profile)
{
    const int64_t n = mplan_check_set(check, set)->storage_size;
    *bandwidth = 0;
    mplan_for(check->team, n, MPLAN_CHECK_RUN, begin_low, out);
    for (int32_t m = 0; primary >= 0 && m < check->loops[primary].n_maps; m++) {
        out->map = &check->maps[check->loops[primary].maps[m]];
        if (out->map->to != set)
            continue;
        int64_t width = -mplan_for_least(check->team, out->map->n_rows, MPLAN_CHECK_RUN,
                                         measure_rows, out, 0);
        *bandwidth = width > *bandwidth ? width : *bandwidth;
    }
    *profile = mplan_for_sum(check->team, n, MPLAN_CHECK_RUN, sum_profile, out);
}

/* Bandwidth and profile of the input order and of the stored one. Those of the order in
 * between cannot be proved: the plan does not keep it. */
static mplan_status check_order(const mplan_check *check, int32_t primary, int32_t s, mplan_error *err)
{
    static const char *const names[] = {"input", NULL, "stored"};
    const mplan_plan_set *set = mplan_check_set(check, s);
    int32_t *low = mplan_alloc(set->storage_size, sizeof *low, err);
    mplan_status status = low ? MPLAN_OK : MPLAN_ERR_MEMORY;
    for (int i = 0; i < 3 && !status; i += 2) {
        if (set->bandwidth[i] < 0)
            continue;
        order_measure found = {i == 0 ? mplan_check_old_of_new(check, s) : NULL, NULL, low,
                               mplan_team_threads(check->team) == 1};
        int64_t bandwidth, profile;
        measure_order(check, primary, s, &found, &bandwidth, &profile);
        char place[MPLAN_ERROR_TEXT / 2];
        snprintf(place, sizeof place, "set %s, %s order", set->name, names[i]);
        const counted list[] = {{"bandwidth", set->bandwidth[i], bandwidth},
                                {"profile", set->profile[i], profile}};
        status = compare(list, 2, place, err);
    }
    free(low);
    return status;
}

/* Orders are measured by the maps of the primary loop. -1: not measured. */
static mplan_status check_orders(const mplan_check *check, mplan_error *err)
{
    const mplan_plan *plan = check->plan;
    int32_t primary = -1;
    mplan_status status = MPLAN_OK;
    for (int32_t l = 0; l < plan->n_loops; l++)
        if (plan->loops[l].primary)
            primary = l;
    for (int32_t s = 0; s < plan->n_sets && !status; s++)
        if (plan->sets[s].bandwidth[0] >= 0 || plan->sets[s].bandwidth[2] >= 0)
            status = check_order(check, primary, s, err);
    return status;
}

/* Blocks, alternatives, variants, orders. */
mplan_status mplan_check_metrics(mplan_check *check, mplan_error *err)
{
    mplan_status status = check_block_metrics(check, err);
    if (!status)
        status = check_alternatives(check, err);
    for (int32_t l = 0; l < check->plan->n_loops && !status; l++)
        for (int32_t v = 0; v < check->plan->loops[l].n_variants && !status; v++)
            status = check_variant(check, l, v, err);
    return !status ? check_orders(check, err) : status;
}
