/* SPDX-License-Identifier: Apache-2.0 */
/* support_plan.c - a naive planner for tests */
#include "support_test.h"

#include "base/hash.h"
#include "check/check.h"
#include "mesh/mesh.h"
#include "support_plan.h"
#include "support_plan_gather.h"
#include "support_side.h"

#define MOST 64 /* members of a set; points of a block; maps, sets, args */

typedef struct builder {
    mplan_plan *plan;
    mplan_mesh *mesh;
    const support_plan_options *options;
    uint64_t *seed;
} builder;

static void *zeroed(int64_t n, size_t size)
{
    void *data = calloc((size_t)n + 1, size);
    assert_non_null(data);
    return data;
}

static void take(builder *in, mplan_key key, mplan_type type, int64_t rows, int64_t cols, void *data)
{
    mplan_error err;
    assert_done(mplan_plan_take_array(in->plan, key, type, rows, cols, data, &err), &err);
}

static const int32_t *old_of_new(const mplan_plan *plan, int32_t set)
{
    return mplan_plan_data(plan, mplan_key_of_set(MPLAN_KIND_OLD_OF_NEW, set), MPLAN_TYPE_I32, NULL);
}

static const int32_t *new_of_old(const mplan_plan *plan, int32_t set)
{
    return mplan_plan_data(plan, mplan_key_of_set(MPLAN_KIND_NEW_OF_OLD, set), MPLAN_TYPE_I32, NULL);
}

static void shuffle(int32_t *list, int64_t n, uint64_t *seed)
{
    for (int64_t i = n - 1; i > 0; i--) {
        int64_t j = support_random(seed, i + 1);
        int32_t swap = list[i];
        list[i] = list[j];
        list[j] = swap;
    }
}

/* --- sets and maps --- */

static void add_set(builder *in, int32_t s)
{
    mplan_error err;
    mplan_set set = mplan_mesh_set(in->mesh, s);
    const char *split = in->mesh->sets[s].split;
    int64_t holes = in->options->holes && set.size ? support_random(in->seed, 6) : 0;
    mplan_plan_set record = {.name = set.name,
                             .size = set.size,
                             .storage_size = set.size + holes,
                             .split = split ? split : "",
                             .renumber = MPLAN_RENUMBER_NONE,
                             .bandwidth = {-1, -1, -1},
                             .profile = {-1, -1, -1}};
    assert_in_range(record.storage_size, 0, MOST);
    assert_done(mplan_plan_add_set(in->plan, &record, &err), &err);
    int32_t *to_new = zeroed(set.size, sizeof *to_new);
    int32_t *to_old = zeroed(record.storage_size, sizeof *to_old);
    for (int64_t i = 0; i < record.storage_size; i++)
        to_old[i] = i < set.size ? (int32_t)i : -1;
    shuffle(to_old, record.storage_size, in->seed);
    for (int64_t i = 0; i < record.storage_size; i++)
        if (to_old[i] >= 0)
            to_new[to_old[i]] = (int32_t)i;
    take(in, mplan_key_of_set(MPLAN_KIND_NEW_OF_OLD, s), MPLAN_TYPE_I32, set.size, 1, to_new);
    take(in, mplan_key_of_set(MPLAN_KIND_OLD_OF_NEW, s), MPLAN_TYPE_I32, record.storage_size, 1,
         to_old);
    const int64_t *ids = mplan_mesh_global_ids(in->mesh, s);
    if (ids) {
        int64_t *copy = zeroed(set.size, sizeof *copy);
        memcpy(copy, ids, (size_t)set.size * sizeof *copy);
        take(in, mplan_key_of_set(MPLAN_KIND_GLOBAL_ID, s), MPLAN_TYPE_I64, set.size, 1, copy);
    }
}

static void add_map(builder *in, int32_t m)
{
    mplan_error err;
    const mplan_map map = mplan_mesh_map(in->mesh, m);
    const int64_t storage = in->plan->sets[map.from].storage_size;
    const int32_t *row_of = old_of_new(in->plan, map.from);
    const int32_t *point_of = new_of_old(in->plan, map.to);
    int64_t entries = map.arity ? storage * map.arity : mplan_map_entries(&map);
    int32_t *values = zeroed(entries, sizeof *values);
    int64_t *offsets = zeroed(storage + 1, sizeof *offsets), at = 0;
    for (int64_t r = 0; r < storage; r++) {
        int32_t n = map.arity;
        const int32_t *row = row_of[r] >= 0 ? mplan_map_row(&map, row_of[r], &n) : NULL;
        for (int32_t k = 0; k < n; k++)
            values[at++] = row && row[k] >= 0 ? point_of[row[k]] : -1;
        offsets[r + 1] = at;
    }
    mplan_plan_map record = {map.name, map.from, map.to, map.arity, entries};
    assert_done(mplan_plan_add_map(in->plan, &record, &err), &err);
    take(in, mplan_key_of_map(MPLAN_KIND_MAP_VALUES, m), MPLAN_TYPE_I32,
         map.arity ? storage : entries, map.arity ? map.arity : 1, values);
    if (map.arity)
        free(offsets);
    else
        take(in, mplan_key_of_map(MPLAN_KIND_MAP_OFFSETS, m), MPLAN_TYPE_I64, storage + 1, 1,
             offsets);
}

/* --- loops --- */

static void add_loop(builder *in, const mplan_loop *loop)
{
    mplan_error err;
    mplan_plan_arg args[MOST];
    for (int32_t a = 0; a < loop->n_args; a++) {
        const mplan_arg *arg = &loop->args[a];
        args[a] = (mplan_plan_arg){
            arg->dat, -1, arg->access, arg->dim, arg->type, arg->none, MPLAN_LAYOUT_AOS, {0}, 0};
        if (arg->map)
            args[a].map = mplan_mesh_find_map(in->mesh, arg->map);
    }
    mplan_plan_loop record = {.name = loop->name,
                              .set = mplan_mesh_find_set(in->mesh, loop->over),
                              .primary = loop->primary,
                              .calls = loop->calls,
                              .flops = loop->flops,
                              .n_args = loop->n_args,
                              .args = args};
    assert_done(mplan_plan_add_loop(in->plan, &record, &err), &err);
}

/* Whether a loop goes (writes or increments, when asked for that) through a map. */
static bool uses(const mplan_plan *plan, int32_t l, int32_t map, bool written)
{
    const mplan_plan_loop *loop = &plan->loops[l];
    for (int32_t a = 0; a < loop->n_args; a++)
        if (loop->args[a].map == map && (!written || loop->args[a].access != MPLAN_READ))
            return true;
    return false;
}

static bool reaches(const mplan_plan *plan, int32_t l, int32_t set)
{
    for (int32_t m = 0; m < plan->n_maps; m++)
        if (uses(plan, l, m, false) && plan->maps[m].to == set)
            return true;
    return false;
}

static bool touches(const mplan_plan *plan, int32_t map, int32_t e, int32_t point)
{
    int32_t n;
    mplan_map view = mplan_plan_stored_map(plan, map);
    const int32_t *row = mplan_map_row(&view, e, &n);
    for (int32_t k = 0; k < n; k++)
        if (row[k] == point)
            return true;
    return false;
}

bool support_elements_meet(const mplan_plan *plan, int32_t loop, int32_t e, int32_t f)
{
    for (int32_t m = 0; m < plan->n_maps; m++) {
        int32_t n;
        if (!uses(plan, loop, m, true))
            continue;
        mplan_map view = mplan_plan_stored_map(plan, m);
        const int32_t *row = mplan_map_row(&view, e, &n);
        for (int32_t k = 0; k < n; k++)
            for (int32_t o = 0; o < plan->n_maps; o++)
                if (row[k] >= 0 && plan->maps[o].to == view.to && uses(plan, loop, o, true) &&
                    touches(plan, o, f, row[k]))
                    return true;
    }
    return false;
}

/* --- block sets --- */

/* -1: a hole */
static int32_t element_at(const mplan_plan *plan, int32_t b, int64_t position)
{
    const mplan_plan_block_set *set = &plan->block_sets[b];
    const int32_t *sequence = mplan_plan_data(plan,
                                              mplan_key_of_block_set(MPLAN_KIND_BLOCK_SEQUENCE, b),
                                              MPLAN_TYPE_I32, NULL);
    if (set->sequence)
        return sequence[position];
    return old_of_new(plan, set->set)[position] >= 0 ? (int32_t)position : -1;
}

static const int64_t *block_offsets(const mplan_plan *plan, int32_t b)
{
    return mplan_plan_data(plan, mplan_key_of_block_set(MPLAN_KIND_BLOCK_OFFSETS, b),
                           MPLAN_TYPE_I64, NULL);
}

static int32_t *random_sequence(builder *in, int32_t s)
{
    const mplan_plan_set *set = &in->plan->sets[s];
    int32_t *sequence = zeroed(set->size, sizeof *sequence);
    int64_t n = 0;
    for (int64_t i = 0; i < set->storage_size; i++)
        if (old_of_new(in->plan, s)[i] >= 0)
            sequence[n++] = (int32_t)i;
    shuffle(sequence, n, in->seed);
    return sequence;
}

static void close_block(mplan_plan_block_set *record, int64_t *offsets, int64_t end, int64_t count)
{
    offsets[++record->n_blocks] = end;
    record->block_min = count < record->block_min ? count : record->block_min;
    record->block_max = count > record->block_max ? count : record->block_max;
}

/* Cuts at random places, so that no block is empty or above the limit. */
static void add_block_set(builder *in, int32_t l, bool sequence)
{
    mplan_error err;
    mplan_plan *plan = in->plan;
    const int32_t s = plan->loops[l].set;
    const int64_t positions = sequence ? plan->sets[s].size : plan->sets[s].storage_size;
    int64_t *offsets = zeroed(positions + 1, sizeof *offsets), count = 0;
    mplan_plan_block_set record = {.set = s,
                                   .loop = l,
                                   .block_limit = in->options->block_limit,
                                   .sequence = sequence,
                                   .max_points = 65535,
                                   .shared_bytes = 1000000,
                                   .alternative_pairs = -1,
                                   .block_min = INT64_MAX};
    int64_t limit = 1 + support_random(in->seed, record.block_limit);
    for (int64_t p = 0; p < positions; p++) {
        bool element = sequence || old_of_new(plan, s)[p] >= 0;
        if (element && count == limit) {
            close_block(&record, offsets, p, count);
            limit = 1 + support_random(in->seed, record.block_limit);
            count = 0;
        }
        count += element;
    }
    if (count > 0)
        close_block(&record, offsets, positions, count);
    else
        record.block_min = 0;
    const int32_t b = plan->n_block_sets;
    assert_done(mplan_plan_add_block_set(plan, &record, &err), &err);
    take(in, mplan_key_of_block_set(MPLAN_KIND_BLOCK_OFFSETS, b), MPLAN_TYPE_I64,
         record.n_blocks + 1, 1, offsets);
    if (sequence)
        take(in, mplan_key_of_block_set(MPLAN_KIND_BLOCK_SEQUENCE, b), MPLAN_TYPE_I32, positions, 1,
             random_sequence(in, s));
}

/* Points of a set that block k touches, ascending; returns how many. */
static int32_t points_of_block(const mplan_plan *plan, int32_t l, int32_t b, int64_t k, int32_t set,
                               int32_t *points)
{
    bool found[MOST] = {false};
    const int64_t *offsets = block_offsets(plan, b);
    for (int64_t p = offsets[k]; p < offsets[k + 1]; p++)
        for (int32_t m = 0; m < plan->n_maps; m++) {
            int32_t n, e = element_at(plan, b, p);
            if (e < 0 || !uses(plan, l, m, false) || plan->maps[m].to != set)
                continue;
            mplan_map view = mplan_plan_stored_map(plan, m);
            const int32_t *row = mplan_map_row(&view, e, &n);
            for (int32_t i = 0; i < n; i++)
                if (row[i] >= 0)
                    found[row[i]] = true;
        }
    int32_t n = 0;
    for (int32_t point = 0; point < MOST; point++)
        if (found[point])
            points[n++] = point;
    return n;
}

static void add_points(builder *in, int32_t l, int32_t b, int32_t set)
{
    mplan_error err;
    mplan_plan *plan = in->plan;
    const int64_t n_blocks = plan->block_sets[b].n_blocks, storage = plan->sets[set].storage_size;
    mplan_block_metrics metrics = {.loop = l, .block_set = b, .set = set};
    int64_t *offsets = zeroed(n_blocks + 1, sizeof *offsets);
    int32_t *points = zeroed(n_blocks * storage + MOST, sizeof *points);
    int32_t blocks_of[MOST] = {0};
    for (int64_t k = 0; k < n_blocks; k++) {
        int32_t *list = points + offsets[k];
        int32_t n = points_of_block(plan, l, b, k, set, list);
        bool line[MOST] = {false};
        offsets[k + 1] = offsets[k] + n;
        metrics.points_max = n > metrics.points_max ? n : metrics.points_max;
        metrics.lines_ideal += n / 4 + (n % 4 > 0);
        for (int32_t i = 0; i < n; i++) {
            metrics.lines += !line[list[i] / 4];
            line[list[i] / 4] = true;
            blocks_of[list[i]]++;
        }
    }
    metrics.pairs = offsets[n_blocks];
    for (int64_t p = 0; p < storage; p++)
        metrics.shared_points += blocks_of[p] > 1;
    for (int32_t m = 0; m < plan->n_maps; m++)
        if (uses(plan, l, m, false) && plan->maps[m].to == set)
            for (int64_t i = 0; i < plan->maps[m].n_entries; i++)
                metrics.entries += mplan_plan_stored_map(plan, m).values[i] >= 0;
    take(in, mplan_key_of_block_points(MPLAN_KIND_BLOCK_POINT_OFFSETS, b, l, set), MPLAN_TYPE_I64,
         n_blocks + 1, 1, offsets);
    take(in, mplan_key_of_block_points(MPLAN_KIND_BLOCK_POINTS, b, l, set), MPLAN_TYPE_I32,
         metrics.pairs, 1, points);
    assert_done(mplan_plan_add_metrics(plan, &metrics, &err), &err);
}

static void add_locals(builder *in, int32_t l, int32_t b, int32_t m)
{
    mplan_plan *plan = in->plan;
    const mplan_map map = mplan_plan_stored_map(plan, m);
    const int64_t *offsets = block_offsets(plan, b);
    const mplan_plan_set *from = &plan->sets[map.from];
    int64_t positions = plan->block_sets[b].sequence ? from->size : from->storage_size, at = 0;
    int64_t rows = map.arity ? positions : plan->maps[m].n_entries;
    uint16_t *local = zeroed(map.arity ? rows * map.arity : rows, sizeof *local);
    for (int64_t k = 0; k < plan->block_sets[b].n_blocks; k++) {
        int32_t points[MOST];
        int32_t n_points = points_of_block(plan, l, b, k, map.to, points);
        for (int64_t p = offsets[k]; p < offsets[k + 1]; p++) {
            int32_t n, e = plan->block_sets[b].sequence ? element_at(plan, b, p) : (int32_t)p;
            const int32_t *row = mplan_map_row(&map, e, &n);
            for (int32_t i = 0; i < n; i++) {
                local[at] = 65535;
                for (int32_t j = 0; j < n_points; j++)
                    if (points[j] == row[i])
                        local[at] = (uint16_t)j;
                at++;
            }
        }
    }
    take(in, mplan_key_of_block_local(b, l, m), MPLAN_TYPE_U16, rows, map.arity ? map.arity : 1,
         local);
}

/* Block tables and metrics of a loop and a block set. */
static void add_pair(builder *in, int32_t l, int32_t b)
{
    for (int32_t s = 0; s < in->plan->n_sets; s++)
        if (reaches(in->plan, l, s))
            add_points(in, l, b, s);
    for (int32_t m = 0; m < in->plan->n_maps; m++)
        if (uses(in->plan, l, m, false))
            add_locals(in, l, b, m);
}

/* --- variants --- */

/* Launch lists of n items by colour. */
static void add_launches(builder *in, mplan_kind offsets_kind, mplan_kind list_kind, int32_t l,
                         int32_t v, int64_t n, const int32_t *colour, int64_t n_colours,
                         int64_t listed)
{
    int64_t *offsets = zeroed(n_colours + 1, sizeof *offsets), at = 0;
    int32_t *list = zeroed(listed, sizeof *list);
    for (int64_t c = 0; c < n_colours; c++) {
        for (int64_t i = 0; i < n; i++)
            if (colour[i] == c)
                list[at++] = (int32_t)i;
        offsets[c + 1] = at;
    }
    assert_int_equal(at, listed);
    take(in, mplan_key_of_variant(offsets_kind, l, v), MPLAN_TYPE_I64, n_colours + 1, 1, offsets);
    take(in, mplan_key_of_variant(list_kind, l, v), MPLAN_TYPE_I32, listed, 1, list);
}

static void add_global(builder *in, int32_t l, int32_t v, mplan_plan_variant *variant)
{
    const mplan_plan *plan = in->plan;
    const mplan_plan_set *set = &plan->sets[plan->loops[l].set];
    int32_t *colour = zeroed(set->storage_size, sizeof *colour);
    for (int32_t e = 0; e < set->storage_size; e++) {
        colour[e] = old_of_new(plan, plan->loops[l].set)[e] < 0 ? -1 : 0;
        for (int32_t f = 0; f < e && colour[e] >= 0; f++)
            if (colour[f] == colour[e] && support_elements_meet(plan, l, e, f)) {
                colour[e]++;
                f = -1;
            }
        if (colour[e] >= variant->global_colours)
            variant->global_colours = colour[e] + 1;
    }
    take(in, mplan_key_of_variant(MPLAN_KIND_GLOBAL_COLOURS, l, v), MPLAN_TYPE_I32,
         set->storage_size, 1, colour);
    add_launches(in, MPLAN_KIND_GLOBAL_LAUNCH_OFFSETS, MPLAN_KIND_GLOBAL_LAUNCH, l, v,
                 set->storage_size, colour, variant->global_colours, set->size);
}

/* First fit among the earlier positions of the block. */
static uint16_t thread_colour(const mplan_plan *plan, int32_t l, int32_t b, int64_t begin,
                              int64_t p, const uint16_t *colour)
{
    const int32_t e = element_at(plan, b, p);
    uint16_t first = 0;
    if (e < 0)
        return 65535;
    for (int64_t q = begin; q < p; q++)
        if (colour[q] == first && support_elements_meet(plan, l, e, element_at(plan, b, q))) {
            first++;
            q = begin - 1;
        }
    return first;
}

static void add_thread_colours(builder *in, int32_t l, int32_t v, mplan_plan_variant *variant)
{
    const mplan_plan *plan = in->plan;
    const int32_t b = variant->block_set;
    const mplan_plan_block_set *set = &plan->block_sets[b];
    const int64_t *offsets = block_offsets(plan, b);
    const mplan_plan_set *from = &plan->sets[set->set];
    const int64_t positions = set->sequence ? from->size : from->storage_size;
    uint16_t *colour = zeroed(positions, sizeof *colour);
    uint16_t *count = zeroed(set->n_blocks, sizeof *count);
    for (int64_t p = 0; p < positions; p++)
        colour[p] = 65535; /* of holes, where there is no block */
    for (int64_t k = 0; k < set->n_blocks; k++) {
        for (int64_t p = offsets[k]; p < offsets[k + 1]; p++) {
            colour[p] = thread_colour(plan, l, b, offsets[k], p, colour);
            if (colour[p] != 65535 && colour[p] >= count[k])
                count[k] = (uint16_t)(colour[p] + 1);
        }
        variant->thread_colours_total += count[k];
        if (count[k] > variant->thread_colours_max)
            variant->thread_colours_max = count[k];
    }
    take(in, mplan_key_of_variant(MPLAN_KIND_THREAD_COLOURS, l, v), MPLAN_TYPE_U16, positions, 1,
         colour);
    take(in, mplan_key_of_variant(MPLAN_KIND_BLOCK_THREAD_COLOURS, l, v), MPLAN_TYPE_U16,
         set->n_blocks, 1, count);
}

static bool blocks_meet(const mplan_plan *plan, int32_t l, int32_t b, int64_t i, int64_t j)
{
    const int64_t *offsets = block_offsets(plan, b);
    for (int64_t p = offsets[i]; p < offsets[i + 1]; p++)
        for (int64_t q = offsets[j]; q < offsets[j + 1]; q++)
            if (element_at(plan, b, p) >= 0 && element_at(plan, b, q) >= 0 &&
                support_elements_meet(plan, l, element_at(plan, b, p), element_at(plan, b, q)))
                return true;
    return false;
}

static void add_block_colours(builder *in, int32_t l, int32_t v, mplan_plan_variant *variant)
{
    const mplan_plan *plan = in->plan;
    const int64_t n = plan->block_sets[variant->block_set].n_blocks;
    int32_t *colour = zeroed(n, sizeof *colour);
    for (int64_t i = 0; i < n; i++) {
        for (int64_t j = 0; j < i; j++)
            if (colour[j] == colour[i] && blocks_meet(plan, l, variant->block_set, i, j)) {
                colour[i]++;
                j = -1;
            }
        if (colour[i] >= variant->block_colours)
            variant->block_colours = colour[i] + 1;
    }
    take(in, mplan_key_of_variant(MPLAN_KIND_BLOCK_COLOURS, l, v), MPLAN_TYPE_I32, n, 1, colour);
    add_launches(in, MPLAN_KIND_BLOCK_LAUNCH_OFFSETS, MPLAN_KIND_BLOCK_LAUNCH, l, v, n, colour,
                 variant->block_colours, n);
}

/* Bytes that block k of a block set stages: each dat name once. */
static int64_t staged_bytes(const mplan_plan *plan, int32_t l, int32_t b, int64_t k)
{
    const mplan_plan_loop *loop = &plan->loops[l];
    int64_t bytes = 0;
    for (int32_t a = 0; a < loop->n_args; a++) {
        const mplan_plan_arg *arg = &loop->args[a];
        int32_t points[MOST];
        bool skip = arg->map < 0;
        for (int32_t o = 0; o < a; o++)
            skip = skip || (loop->args[o].map >= 0 && strcmp(loop->args[o].dat, arg->dat) == 0);
        if (skip)
            continue;
        int64_t dat = points_of_block(plan, l, b, k, plan->maps[arg->map].to, points) *
                      (int64_t)mplan_type_size(arg->type) * arg->dim;
        while (dat % 16 != 0)
            dat++;
        bytes += dat;
    }
    return bytes;
}

static bool writes_through_maps(const mplan_plan_loop *loop)
{
    for (int32_t a = 0; a < loop->n_args; a++)
        if (loop->args[a].map >= 0 && loop->args[a].access != MPLAN_READ)
            return true;
    return false;
}

/* How a strategy goes about it: how block-gather sums, or the encoding of owner-gather. */
static void add_variant(builder *in, int32_t l, mplan_strategy strategy, int32_t b, int how)
{
    mplan_error err;
    const int32_t v = in->plan->loops[l].n_variants;
    if (!support_may_run(&in->plan->loops[l], strategy))
        return;
    mplan_plan_variant variant = {.strategy = strategy,
                                  .block_limit = in->options->block_limit,
                                  .threads = 32,
                                  .elements_per_thread = 1,
                                  .block_set = b,
                                  .deterministic = strategy != MPLAN_STRATEGY_ATOMIC ||
                                                   !writes_through_maps(&in->plan->loops[l]),
                                  .device = "h200"};
    if (strategy == MPLAN_STRATEGY_BLOCK_GATHER) {
        variant.sums = (mplan_sums)how;
        variant.deterministic = variant.sums != MPLAN_SUMS_ATOMIC;
        if (variant.block_limit > 1 && !in->plan->loops[l].layering &&
            (*in->seed >> 37 & 1)) /* the seed of what follows stays */
            variant.round = 1 + (int32_t)(*in->seed >> 38 & 1023) % (variant.block_limit - 1);
        support_plan_block_gather(in->plan, l, &variant);
        if (variant.sums == MPLAN_SUMS_COLOUR)
            add_block_colours(in, l, v, &variant);
    }
    if (strategy == MPLAN_STRATEGY_OWNER_GATHER) {
        variant.encoding = (mplan_encoding)how;
        support_plan_owner_gather(in->plan, l, &variant, in->seed);
    }
    if (strategy == MPLAN_STRATEGY_GLOBAL_COLOUR)
        add_global(in, l, v, &variant);
    if (strategy == MPLAN_STRATEGY_BLOCK_COLOUR) {
        add_thread_colours(in, l, v, &variant);
        add_block_colours(in, l, v, &variant);
        for (int64_t k = 0; k < in->plan->block_sets[b].n_blocks; k++) {
            int64_t bytes = staged_bytes(in->plan, l, b, k);
            if (bytes > variant.shared_bytes_max)
                variant.shared_bytes_max = bytes;
        }
    }
    assert_done(mplan_plan_add_variant(in->plan, l, &variant, &err), &err);
}

static void add_gather(builder *in, int32_t l, int32_t m)
{
    const mplan_map map = mplan_plan_stored_map(in->plan, m);
    const int64_t n_entries = in->plan->maps[m].n_entries;
    int64_t *offsets = zeroed(map.n_points + 1, sizeof *offsets), at = 0;
    int64_t *slots = zeroed(n_entries, sizeof *slots);
    for (int64_t p = 0; p < map.n_points; p++) {
        for (int64_t i = 0; i < n_entries; i++)
            if (map.values[i] == p)
                slots[at++] = i;
        offsets[p + 1] = at;
    }
    take(in, mplan_key_of_gather(MPLAN_KIND_GATHER_OFFSETS, l, m), MPLAN_TYPE_I64, map.n_points + 1,
         1, offsets);
    take(in, mplan_key_of_gather(MPLAN_KIND_GATHER_SLOTS, l, m), MPLAN_TYPE_I64, at, 1, slots);
}

/* Every way to gather: all sums with one of the block sets, all encodings. */
static void add_gathering(builder *in, int32_t l)
{
    int32_t own = -1;
    for (int32_t b = 0; b < in->plan->n_block_sets; b++)
        if (in->plan->block_sets[b].loop == l && (own < 0 || support_random(in->seed, 2)))
            own = b;
    if (support_plan_gathers(in->plan, l))
        for (int sums = 0; sums < MPLAN_N_SUMS; sums++)
            add_variant(in, l, MPLAN_STRATEGY_BLOCK_GATHER, own, sums);
    if (support_plan_owns(in->plan, l))
        for (int e = MPLAN_ENCODING_INDEX32; e < MPLAN_N_ENCODINGS; e++)
            if (e == MPLAN_ENCODING_PAIR32      ? support_plan_pairs(in->plan, l)
                : e == MPLAN_ENCODING_WINDOWS16 ? support_plan_windowed(in->plan, l)
                                                : true)
                add_variant(in, l, MPLAN_STRATEGY_OWNER_GATHER, -1, e);
}

static void add_variants(builder *in, int32_t l, int32_t earlier)
{
    const mplan_plan *plan = in->plan;
    for (int32_t b = 0; b < plan->n_block_sets; b++)
        if (plan->block_sets[b].loop == l || b == earlier)
            add_variant(in, l, MPLAN_STRATEGY_BLOCK_COLOUR, b, 0);
    add_variant(in, l, MPLAN_STRATEGY_GLOBAL_COLOUR, -1, 0);
    add_variant(in, l, MPLAN_STRATEGY_TWO_STEP, -1, 0);
    add_variant(in, l, MPLAN_STRATEGY_ATOMIC, earlier, 0);
    add_gathering(in, l);
    for (int32_t m = 0; m < plan->n_maps; m++)
        if (uses(plan, l, m, true) && support_may_run(&plan->loops[l], MPLAN_STRATEGY_TWO_STEP))
            add_gather(in, l, m);
}

/* --- measures and fingerprints --- */

/* neighbour[p][q]: a row of the primary loop holds both */
static void find_neighbours(const mplan_plan *plan, int32_t primary, int32_t set,
                            bool neighbour[MOST][MOST])
{
    memset(neighbour, 0, MOST * sizeof *neighbour);
    for (int32_t m = 0; m < plan->n_maps; m++) {
        if (!uses(plan, primary, m, false) || plan->maps[m].to != set)
            continue;
        mplan_map view = mplan_plan_stored_map(plan, m);
        for (int64_t r = 0; r < view.n_rows; r++) {
            int32_t n;
            const int32_t *row = mplan_map_row(&view, r, &n);
            for (int32_t i = 0; i < n; i++)
                for (int32_t j = 0; j < n; j++)
                    if (row[i] >= 0 && row[j] >= 0)
                        neighbour[row[i]][row[j]] = true;
        }
    }
}

static void measure(builder *in, int32_t primary, int32_t s)
{
    mplan_plan_set *set = &in->plan->sets[s];
    const int32_t *old = old_of_new(in->plan, s);
    bool neighbour[MOST][MOST];
    find_neighbours(in->plan, primary, s, neighbour);
    for (int i = 0; i < 3; i += 2) {
        set->bandwidth[i] = set->profile[i] = 0;
        for (int32_t p = 0; p < set->storage_size; p++) {
            int64_t a = i == 0 ? old[p] : p, low = a;
            for (int32_t q = 0; q < set->storage_size; q++) {
                int64_t b = i == 0 ? old[q] : q;
                if (!neighbour[p][q])
                    continue;
                low = b < low ? b : low;
                set->bandwidth[i] = a - b > set->bandwidth[i] ? a - b : set->bandwidth[i];
            }
            set->profile[i] += a - low;
        }
    }
}

static void fingerprints(builder *in)
{
    mplan_error err;
    int32_t all[MOST];
    mplan_fingerprints *prints = &in->plan->fingerprints;
    for (int32_t i = 0; i < MOST; i++)
        all[i] = i;
    assert_done(mplan_plan_set_texts(in->plan, "loop a\nloop b\n", "meshplan 0\n", &err), &err);
    mplan_fingerprint *print = mplan_fingerprint_begin();
    assert_non_null(print);
    mplan_fingerprint_bytes(print, in->plan->request, strlen(in->plan->request));
    assert_true(mplan_fingerprint_end(print, &prints->request));
    assert_done(mplan_mesh_fingerprint_topology(in->mesh, in->plan->n_sets, all, in->plan->n_maps,
                                                all, &prints->topology, NULL, &err),
                &err);
    bool some = false;
    for (int32_t s = 0; s < in->plan->n_sets; s++)
        some = some || in->mesh->sets[s].coordinates;
    if (some)
        assert_done(mplan_mesh_fingerprint_coordinates(in->mesh, in->plan->n_sets, all,
                                                       &prints->coordinates, NULL, &err),
                    &err);
}

static int compare_metrics(const void *a, const void *b)
{
    const mplan_block_metrics *x = a, *y = b;
    if (x->loop != y->loop)
        return x->loop - y->loop;
    return x->block_set != y->block_set ? x->block_set - y->block_set : x->set - y->set;
}

mplan_plan *support_plan(mplan_mesh *mesh, int32_t n_loops, const mplan_loop *loops,
                         const support_plan_options *options, uint64_t *seed)
{
    mplan_error err;
    builder in = {NULL, mesh, options, seed};
    assert_done(mplan_plan_new(&in.plan, &err), &err);
    for (int32_t s = 0; s < mplan_mesh_n_sets(mesh); s++)
        add_set(&in, s);
    for (int32_t m = 0; m < mplan_mesh_n_maps(mesh); m++)
        add_map(&in, m);
    for (int32_t l = 0; l < n_loops; l++)
        add_loop(&in, &loops[l]);
    for (int32_t l = 0; l < n_loops; l++) {
        int32_t earlier = -1;
        for (int32_t b = 0; b < in.plan->n_block_sets; b++)
            if (in.plan->block_sets[b].set == in.plan->loops[l].set)
                earlier = b;
        for (int i = 0; i < (options->sequences ? 2 : 1); i++) {
            add_block_set(&in, l, i == 1);
            add_pair(&in, l, in.plan->n_block_sets - 1);
        }
        if (earlier >= 0)
            add_pair(&in, l, earlier);
        add_variants(&in, l, earlier);
        for (int32_t s = 0; s < in.plan->n_sets && options->measure && loops[l].primary; s++)
            measure(&in, l, s);
    }
    fingerprints(&in);
    if (in.plan->n_metrics > 1)
        qsort(in.plan->metrics, (size_t)in.plan->n_metrics, sizeof *in.plan->metrics,
              compare_metrics);
    assert_done(mplan_plan_seal(in.plan, &err), &err);
    return in.plan;
}

mplan_status support_verify(const mplan_plan *plan, mplan_mesh *mesh, const mplan_context *context,
                            mplan_error *err)
{
    return mplan_check_prove(plan, mesh, false, context, err);
}
