/* SPDX-License-Identifier: Apache-2.0 */
/* colour_bound.c - the least colours that any colouring of a plan's cut can have
 *
 * Elements that write to one point need as many colours as there are of them, within
 * a block as in the whole, and so do the blocks that write to one point. A plan that
 * nobody proved may point anywhere: what does not hold together has no bounds. */
#include <stdlib.h>

#include "base/error.h"
#include "base/memory.h"
#include "plan/strategies.h"
#include "view/bounds.h"

enum { NONE = -1 };

/* What a loop writes through maps; points of all sets are numbered through.
 * maps and base have n_maps entries, with room for all maps of the plan; maps to one set share their base. last has 2
 * n_points entries, count n_points. */
typedef struct writes {
    int32_t n_maps;
    bool sound;
    mplan_map *maps;
    int64_t *base;
    int64_t n_points;
    int64_t n, n_elements; /* positions of the from-set; those that are not holes */
    int32_t *last, *count; /* per point: the member met last, and the region it was in
                              (n_points further on), and how many were met */
} writes;

/* The cut of a variant.
 * offsets: n_blocks + 1, into the sequence where there is one. Both are borrowed from the plan. */
typedef struct cut {
    int64_t n_blocks;
    const int64_t *offsets;
    const int32_t *sequence; /* NULL: runs of the stored order */
} cut;

/* Bounds are also shown of plans that were not proved: their indices are looked
 * at first. */
bool mplan_bounds_map_is_sound(const mplan_plan *plan, int32_t m)
{
    mplan_map map = mplan_plan_stored_map(plan, m);
    int64_t entries = mplan_plan_get_map(plan, m)->n_entries;
    for (int64_t e = 0; map.offsets && e < map.n_rows; e++)
        if (map.offsets[e] < 0 || map.offsets[e + 1] < map.offsets[e] || map.offsets[e + 1] > entries)
            return false;
    for (int64_t i = 0; i < entries; i++)
        if (map.values[i] < -1 || map.values[i] >= map.n_points)
            return false;
    return true;
}

/* Whether the loop writes or increments through the map. */
static bool writes_through(const mplan_plan_loop *loop, int32_t map)
{
    for (int32_t a = 0; a < loop->n_args; a++)
        if (loop->args[a].map == map && loop->args[a].access != MPLAN_READ && !loop->args[a].once)
            return true;
    return false;
}

/* out->base[m]: where the points of map m begin, all sets numbered through.
 * out->sound: whether bounds can be found at all. */
static mplan_status find_writes(const mplan_plan *plan, const mplan_plan_loop *loop, writes *out,
                                mplan_error *err)
{
    int32_t n = mplan_plan_n_maps(plan);
    out->sound = true;
    out->n = mplan_plan_get_set(plan, loop->set)->storage_size;
    out->n_elements = mplan_plan_get_set(plan, loop->set)->size;
    out->maps = mplan_alloc(n, sizeof *out->maps, err);
    out->base = mplan_alloc(n, sizeof *out->base, err);
    if (!out->maps || !out->base)
        return MPLAN_ERR_MEMORY;
    for (int32_t m = 0; m < n; m++) {
        if (!writes_through(loop, m))
            continue;
        mplan_map map = mplan_plan_stored_map(plan, m);
        out->sound = out->sound && map.n_rows == out->n && mplan_bounds_map_is_sound(plan, m);
        int32_t same = 0;
        while (same < out->n_maps && out->maps[same].to != map.to)
            same++;
        out->base[out->n_maps] = same < out->n_maps ? out->base[same] : out->n_points;
        out->n_points += same < out->n_maps ? 0 : map.n_points;
        out->maps[out->n_maps++] = map;
    }
    out->last = mplan_alloc(2 * out->n_points, sizeof *out->last, err);
    out->count = mplan_alloc(out->n_points, sizeof *out->count, err);
    return out->last && out->count ? MPLAN_OK : MPLAN_ERR_MEMORY;
}

/* Also after find_writes has failed. */
static void free_writes(writes *w)
{
    free(w->maps);
    free(w->base);
    free(w->last);
    free(w->count);
}

/* last: two per point, NONE; count: 0. */
static void forget(const writes *w)
{
    for (int64_t p = 0; p < w->n_points; p++) {
        w->last[p] = w->last[w->n_points + p] = NONE;
        w->count[p] = 0;
    }
}

/* Counts a member (an element or a block) at each point of one of its elements, once,
 * and from nothing in every region anew. Returns the most that any point has, and no
 * less than `most`.
 * e: a stored place; rows of holes hold -1, so they count nowhere. The region of a point is in the second half of
 * w->last. */
static int64_t count_member(const writes *w, int64_t e, int32_t member, int32_t region, int64_t most)
{
    int32_t *region_of = w->last + w->n_points;
    for (int32_t m = 0; m < w->n_maps; m++) {
        int32_t n;
        const int32_t *row = mplan_map_row(&w->maps[m], e, &n);
        for (int32_t k = 0; k < n; k++) {
            int64_t point = w->base[m] + row[k];
            if (row[k] < 0 || w->last[point] == member)
                continue;
            if (region_of[point] != region)
                w->count[point] = 0;
            region_of[point] = region;
            w->last[point] = member;
            if (++w->count[point] > most)
                most = w->count[point];
        }
    }
    return most;
}

/* The largest number of elements at one point: as many colours are needed. */
static int64_t most_elements(const writes *w)
{
    int64_t most = w->n_elements > 0;
    forget(w);
    for (int64_t e = 0; e < w->n; e++)
        most = count_member(w, e, (int32_t)e, 0, most);
    return most;
}

/* The largest number of blocks at one point. */
static int64_t most_blocks(const writes *w, const cut *c)
{
    int64_t most = c->n_blocks > 0;
    forget(w);
    for (int64_t b = 0; b < c->n_blocks; b++)
        for (int64_t i = c->offsets[b]; i < c->offsets[b + 1]; i++)
            most = count_member(w, c->sequence ? c->sequence[i] : i, (int32_t)b, 0, most);
    return most;
}

/* Most elements of a block at a point of it. */
static int64_t most_of_block(const writes *w, const cut *c, int64_t b)
{
    int64_t most = c->offsets[b] < c->offsets[b + 1];
    for (int64_t i = c->offsets[b]; i < c->offsets[b + 1]; i++) {
        int64_t e = c->sequence ? c->sequence[i] : i;
        most = count_member(w, e, (int32_t)e, (int32_t)b, most);
    }
    return most;
}

/* Block by block, the largest number of its elements at one of its points.
 * colours: n_blocks entries, the thread colours that each block has. A block is a region, so that no count of one
 * block goes on in the next. */
static void bound_threads(const writes *w, const cut *c, const uint16_t *colours,
                          mplan_variant_bounds *out)
{
    out->thread_colours_max = out->thread_colours_total = 0;
    out->thread_blocks_at_bound = 0;
    forget(w);
    for (int64_t b = 0; b < c->n_blocks; b++) {
        int64_t most = most_of_block(w, c, b);
        out->thread_colours_total += most;
        if (most > out->thread_colours_max)
            out->thread_colours_max = most;
        out->thread_blocks_at_bound += colours[b] <= most;
    }
}

/* Blocks that lie within the set one after the other.
 * n: stored places of the set. False where offsets descend or pass the last position, or the sequence leaves the set. */
static bool find_cut(const mplan_plan *plan, int32_t block_set, int64_t n, cut *out)
{
    const mplan_plan_block_set *record = mplan_plan_get_block_set(plan, block_set);
    int64_t rows = 0;
    mplan_key key = mplan_key_of_block_set(MPLAN_KIND_BLOCK_OFFSETS, block_set);
    *out = (cut){.n_blocks = record->n_blocks};
    out->offsets = mplan_plan_data(plan, key, MPLAN_TYPE_I64, &rows);
    if (!out->offsets || rows != out->n_blocks + 1 || out->offsets[0] < 0)
        return false;
    key.kind = MPLAN_KIND_BLOCK_SEQUENCE;
    int64_t positions = n;
    if (record->sequence)
        out->sequence = mplan_plan_data(plan, key, MPLAN_TYPE_I32, &positions);
    if (record->sequence && !out->sequence)
        return false;
    for (int64_t b = 0; b < out->n_blocks; b++)
        if (out->offsets[b + 1] < out->offsets[b])
            return false;
    if (out->offsets[out->n_blocks] > positions)
        return false;
    for (int64_t i = 0; out->sequence && i < positions; i++)
        if (out->sequence[i] < 0 || out->sequence[i] >= n)
            return false;
    return true;
}

/* Only what the strategy colours; the others stay NONE. Tables that contradict each other leave
 * NONE as well. */
static void bound_variant(const mplan_plan *plan, int32_t loop, int32_t variant, const writes *w,
                          mplan_variant_bounds *out)
{
    const mplan_plan_variant *v = &mplan_plan_get_loop(plan, loop)->variants[variant];
    bool blocks = mplan_strategy_has(v->strategy, MPLAN_TRAIT_THREAD_COLOURS);
    cut c;
    if (!w->sound)
        return;
    if (mplan_strategy_has(v->strategy, MPLAN_TRAIT_GLOBAL_COLOURS))
        out->global_colours = most_elements(w);
    if (!mplan_variant_colours_blocks(v) || v->block_set < 0 ||
        !find_cut(plan, v->block_set, w->n, &c))
        return;
    out->block_colours = most_blocks(w, &c);
    int64_t rows = 0;
    mplan_key key = mplan_key_of_variant(MPLAN_KIND_BLOCK_THREAD_COLOURS, loop, variant);
    const uint16_t *colours = mplan_plan_data(plan, key, MPLAN_TYPE_U16, &rows);
    if (blocks && colours && rows == c.n_blocks)
        bound_threads(w, &c, colours, out);
}

/* Members of *bounds are NONE where they do not apply: strategies without colours have no
 * bound. find_writes collects the maps through which the loop writes; elements that share a
 * point there need different colours. */
mplan_status mplan_plan_variant_bounds(const mplan_plan *plan, int32_t loop, int32_t variant,
                                       mplan_variant_bounds *bounds, mplan_error *err)
{
    MPLAN_NEED(plan);
    MPLAN_NEED(bounds);
    const mplan_plan_loop *record = mplan_plan_get_loop(plan, loop);
    if (!record)
        return mplan_fail(err, MPLAN_ERR_ARGUMENT, "the plan has no loop %d", (int)loop);
    if (variant < 0 || variant >= record->n_variants)
        return mplan_fail(err, MPLAN_ERR_ARGUMENT, "loop %s has no variant %d", record->name,
                          (int)variant);
    const mplan_plan_variant *v = &record->variants[variant];
    *bounds = (mplan_variant_bounds){NONE, NONE, NONE, NONE, NONE};
    if (!mplan_strategy_has(v->strategy, MPLAN_TRAITS_COLOURED | MPLAN_TRAIT_RECORDS))
        return MPLAN_OK;
    writes w = {0};
    mplan_status status = find_writes(plan, record, &w, err);
    if (!status)
        bound_variant(plan, loop, variant, &w, bounds);
    free_writes(&w);
    return status;
}
