/* SPDX-License-Identifier: Apache-2.0 */
/* colour_bound.c - the least colours that any colouring of a plan's cut can have
 *
 * Elements that write to one point need as many colours as there are of them, within
 * a block as in the whole, and so do the blocks that write to one point. A plan that
 * nobody proved may point anywhere: what does not hold together has no bounds.
 *
 * Threads take blocks: what a block writes to is counted in a small table of its own, which stays in a cache, and each
 * of its points then counts one block more. `info --json` of a plan of 2.0 M faces, one thread: 280 -> 239 ms. */
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "base/option_size.h"
#include "base/threads.h"
#include "plan/strategies.h"
#include "view/bounds.h"

enum { NONE = -1, VALUES = 1 << 16, BLOCKS = 16, LARGE = 1 << 20 };

/* What a loop writes through maps; points of all sets are numbered through.
 * maps and base have n_maps entries, with room for all maps of the plan; maps to one set share their base. count has
 * n_points entries: how many members were met at each. */
typedef struct writes {
    int32_t n_maps;
    bool sound;
    mplan_map *maps;
    int64_t *base;
    int64_t n_points;
    int64_t n, n_elements; /* positions of the from-set; those that are not holes */
    int32_t *count;
} writes;

/* The cut of a variant.
 * offsets: n_blocks + 1, into the sequence where there is one. Both are borrowed from the plan. */
typedef struct cut {
    int64_t n_blocks;
    const int64_t *offsets;
    const int32_t *sequence; /* NULL: runs of the stored order */
} cut;

/* How many of values [begin, end) of a map are neither points nor -1; without a branch for each. */
static int64_t count_outside(void *data, int thread, int64_t begin, int64_t end)
{
    const mplan_map *map = data;
    const uint32_t points = (uint32_t)map->n_points + 1;
    int64_t outside = 0;
    (void)thread;
    for (int64_t i = begin; i < end; i++)
        outside += (uint32_t)map->values[i] + 1u >= points;
    return outside;
}

/* Bounds are also shown of plans that were not proved: their indices are looked
 * at first. */
bool mplan_bounds_map_is_sound(const mplan_plan *plan, int32_t m, mplan_team *team)
{
    mplan_map map = mplan_plan_stored_map(plan, m);
    int64_t entries = mplan_plan_get_map(plan, m)->n_entries;
    for (int64_t e = 0; map.offsets && e < map.n_rows; e++)
        if (map.offsets[e] < 0 || map.offsets[e + 1] < map.offsets[e] || map.offsets[e + 1] > entries)
            return false;
    return mplan_for_sum(team, entries, VALUES, count_outside, &map) == 0;
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
                                mplan_team *team, mplan_error *err)
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
        out->sound = out->sound && map.n_rows == out->n && mplan_bounds_map_is_sound(plan, m, team);
        int32_t same = 0;
        while (same < out->n_maps && out->maps[same].to != map.to)
            same++;
        out->base[out->n_maps] = same < out->n_maps ? out->base[same] : out->n_points;
        out->n_points += same < out->n_maps ? 0 : map.n_points;
        out->maps[out->n_maps++] = map;
    }
    out->count = mplan_alloc_zero(out->n_points, sizeof *out->count, err);
    return out->count ? MPLAN_OK : MPLAN_ERR_MEMORY;
}

/* Also after find_writes has failed. */
static void free_writes(writes *w)
{
    free(w->maps);
    free(w->base);
    free(w->count);
}

/* --- all elements ------------------------------------------------------------------ */

/* *most: the largest number of elements at one point: as many colours are needed. Rows of holes hold -1, so they count
 * nowhere; an element that writes to a point twice counts once. */
static mplan_status most_elements(const writes *w, int64_t *most, mplan_error *err)
{
    int32_t *last = mplan_alloc(w->n_points, sizeof *last, err);
    if (!last)
        return MPLAN_ERR_MEMORY;
    for (int64_t p = 0; p < w->n_points; p++)
        last[p] = NONE;
    *most = w->n_elements > 0;
    for (int64_t e = 0; e < w->n; e++)
        for (int32_t m = 0; m < w->n_maps; m++) {
            int32_t n;
            const int32_t *row = mplan_map_row(&w->maps[m], e, &n);
            for (int32_t k = 0; k < n; k++) {
                int64_t point = w->base[m] + row[k];
                if (row[k] < 0 || last[point] == e)
                    continue;
                last[point] = (int32_t)e;
                if (++w->count[point] > *most)
                    *most = w->count[point];
            }
        }
    free(last);
    return MPLAN_OK;
}

/* --- blocks ------------------------------------------------------------------------ */

/* A point that a block writes to; there is none where count is 0. */
typedef struct spot {
    int64_t point;
    int32_t element, count; /* the one met last, and how many */
} spot;

/* What threads found, each of its own blocks. */
typedef struct found {
    int64_t blocks; /* the most blocks at a point */
    int64_t largest,
        total; /* most elements of a block at one of its points: of all blocks, summed over them */
    int64_t at_bound, spare; /* blocks that have no more colours */
} found;

/* colours: of the threads of each block, or NULL. spots: per thread, room for those of the largest block, a power of two.
 * found: per thread. */
typedef struct tally {
    const writes *w;
    const cut *c;
    const uint16_t *colours;
    spot *spots;
    int64_t room;
    found *found;
} tally;

/* Entries of the rows of block b. */
static int64_t block_entries(const tally *t, int64_t b)
{
    int64_t entries = 0;
    for (int64_t i = t->c->offsets[b]; i < t->c->offsets[b + 1]; i++)
        for (int32_t m = 0; m < t->w->n_maps; m++) {
            int32_t n;
            mplan_map_row(&t->w->maps[m], t->c->sequence ? t->c->sequence[i] : i, &n);
            entries += n;
        }
    return entries;
}

/* Places in a table for so many entries: at least half of it stays empty. */
static int64_t places_for(int64_t entries)
{
    int64_t places = 2;
    while (places < 2 * entries)
        places *= 2;
    return places;
}

/* Element e writes to the point: counts it once. Returns how many did so far. A point that is new to the block counts
 * the block. */
static int32_t count_write(const tally *t, spot *spots, int64_t places, int64_t point, int32_t e,
                           int64_t *blocks)
{
    int64_t at = (int64_t)((uint64_t)point * UINT64_C(0x9E3779B97F4A7C15) >> 32) & (places - 1);
    while (spots[at].count > 0 && spots[at].point != point)
        at = (at + 1) & (places - 1);
    if (spots[at].count == 0) {
        const int64_t now = (int64_t)__atomic_add_fetch(&t->w->count[point], 1, __ATOMIC_RELAXED);
        *blocks = now > *blocks ? now : *blocks;
        spots[at] = (spot){point, e, 1};
    } else if (spots[at].element != e) {
        spots[at].element = e;
        spots[at].count++;
    }
    return spots[at].count;
}

/* Most elements of block b at a point of it. */
static int64_t look_at_block(const tally *t, spot *spots, int64_t b, int64_t *blocks)
{
    const int64_t places = places_for(block_entries(t, b));
    int64_t most = t->c->offsets[b] < t->c->offsets[b + 1];
    memset(spots, 0, (size_t)places * sizeof *spots);
    for (int64_t i = t->c->offsets[b]; i < t->c->offsets[b + 1]; i++) {
        const int64_t e = t->c->sequence ? t->c->sequence[i] : i;
        for (int32_t m = 0; m < t->w->n_maps; m++) {
            int32_t n;
            const int32_t *row = mplan_map_row(&t->w->maps[m], e, &n);
            for (int32_t k = 0; k < n; k++) {
                if (row[k] < 0)
                    continue;
                int32_t count = count_write(t, spots, places, t->w->base[m] + row[k], (int32_t)e,
                                            blocks);
                most = count > most ? count : most;
            }
        }
    }
    return most;
}

static void look_at_blocks(void *data, int thread, int64_t begin, int64_t end)
{
    const tally *t = data;
    found *own = t->found + thread;
    for (int64_t b = begin; b < end; b++) {
        const int64_t most = look_at_block(t, t->spots + thread * t->room, b, &own->blocks);
        own->largest = most > own->largest ? most : own->largest;
        own->total += most;
        own->at_bound += t->colours && t->colours[b] <= most;
    }
}

/* The largest number of blocks at one point and, where colours are given, of elements of a block at one of its points.
 * colours: n_blocks entries, the thread colours that each block has. A block of a plan that nobody proved may have all
 * elements: of such blocks there is room for one at a time. */
static mplan_status bound_blocks(const writes *w, const cut *c, const uint16_t *colours,
                                 mplan_team *team, mplan_variant_bounds *out, mplan_error *err)
{
    tally t = {.w = w, .c = c, .colours = colours, .room = 1};
    for (int64_t b = 0; b < c->n_blocks; b++) {
        const int64_t places = places_for(block_entries(&t, b));
        t.room = places > t.room ? places : t.room;
    }
    const int threads = t.room > LARGE ? 1 : mplan_team_threads(team);
    t.spots = mplan_alloc(threads * t.room, sizeof *t.spots, err);
    t.found = mplan_alloc_zero(threads, sizeof *t.found, err);
    if (t.spots && t.found) {
        found all = {.blocks = c->n_blocks > 0};
        mplan_for(threads > 1 ? team : NULL, c->n_blocks, BLOCKS, look_at_blocks, &t);
        for (int i = 0; i < threads; i++) {
            all.blocks = t.found[i].blocks > all.blocks ? t.found[i].blocks : all.blocks;
            all.largest = t.found[i].largest > all.largest ? t.found[i].largest : all.largest;
            all.total += t.found[i].total;
            all.at_bound += t.found[i].at_bound;
        }
        out->block_colours = all.blocks;
        if (colours) {
            out->thread_colours_max = all.largest;
            out->thread_colours_total = all.total;
            out->thread_blocks_at_bound = all.at_bound;
        }
    }
    const mplan_status status = t.spots && t.found ? MPLAN_OK : MPLAN_ERR_MEMORY;
    free(t.spots);
    free(t.found);
    return status;
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
static mplan_status bound_variant(const mplan_plan *plan, int32_t loop, int32_t variant,
                                  const writes *w, mplan_team *team, mplan_variant_bounds *out,
                                  mplan_error *err)
{
    const mplan_plan_variant *v = &mplan_plan_get_loop(plan, loop)->variants[variant];
    bool threads = mplan_strategy_has(v->strategy, MPLAN_TRAIT_THREAD_COLOURS);
    mplan_status status = MPLAN_OK;
    cut c;
    if (!w->sound)
        return MPLAN_OK;
    if (mplan_strategy_has(v->strategy, MPLAN_TRAIT_GLOBAL_COLOURS))
        status = most_elements(w, &out->global_colours, err);
    if (status || !mplan_variant_colours_blocks(v) || v->block_set < 0 ||
        !find_cut(plan, v->block_set, w->n, &c))
        return status;
    int64_t rows = 0;
    mplan_key key = mplan_key_of_variant(MPLAN_KIND_BLOCK_THREAD_COLOURS, loop, variant);
    const uint16_t *colours = mplan_plan_data(plan, key, MPLAN_TYPE_U16, &rows);
    memset(w->count, 0, (size_t)w->n_points * sizeof *w->count);
    return bound_blocks(w, &c, threads && rows == c.n_blocks ? colours : NULL, team, out, err);
}

/* Members of *bounds are NONE where they do not apply: strategies without colours have no
 * bound. find_writes collects the maps through which the loop writes; elements that share a
 * point there need different colours. */
mplan_status mplan_plan_variant_bounds(const mplan_plan *plan, int32_t loop, int32_t variant,
                                       mplan_variant_bounds *bounds, const mplan_context *context,
                                       mplan_error *err)
{
    MPLAN_NEED_CONTEXT(context);
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
    mplan_threaded threaded;
    mplan_team *team = mplan_team_of(mplan_threaded_open(context, &threaded));
    writes w = {0};
    mplan_status status = find_writes(plan, record, &w, team, err);
    if (!status)
        status = bound_variant(plan, loop, variant, &w, team, bounds, err);
    free_writes(&w);
    mplan_threaded_close(&threaded);
    return status;
}
