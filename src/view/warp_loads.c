/* SPDX-License-Identifier: Apache-2.0 */
/* warp_loads.c - how full warps are, and how far apart what they load lies
 *
 * Follows the threads of a variant through the plan's tables, as its kernels walk them: a warp's lanes have elements that
 * follow one another (in a block, in a launch of a colour, or in the entries of points that follow one another), and
 * load a number of each of their points in one request. A device fetches whole sectors of 32 bytes, so that sectors a
 * request are what the order of points and the layout of a dat decide about. Every k-th warp is looked at, so that
 * MOST_WARPS are enough. Plans need not have been proved: indices are compared with their ranges. */
#include <assert.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "plan/plan.h"
#include "view/bounds.h"

/* Lanes of the widest warp; bytes of a sector; rows of a window of owner-gather; lanes of a warp where the device is
 * not known. */
enum { MOST_LANES = 64, MOST_WARPS = 16384, SECTOR = 32, WINDOW = 256, WARP = 32 };

/* What a lane computes: an element (-1: nothing), and of owner-gather the column of its own point, which is loaded once
 * for all of its entries. */
typedef struct lane {
    int64_t element;
    int32_t column;
} lane;

/* What is found so far.
 * map, requests and sectors have n_args entries. Once `sound` is false nothing that was counted is shown. */
typedef struct tally {
    const mplan_plan *plan;
    const mplan_plan_loop *loop;
    const mplan_plan_variant *variant;
    int32_t warp;
    mplan_map *map;              /* of each arg; only where it has one */
    int64_t *requests, *sectors; /* of each arg */
    int64_t storage, warps, lanes;
    int64_t step, number; /* every step-th warp counts; of the next one */
    int32_t own_map;      /* pairs of owner-gather: the map whose other point is loaded; -1 */
    bool by_points;       /* block-colour: points come through the list of the block */
    bool sound;
} tally;

/* Args whose points are loaded: through a map, by read or rw. What is only written or incremented does not count. */
static bool reads_points(const mplan_plan_arg *arg)
{
    return arg->map >= 0 && (arg->access == MPLAN_READ || arg->access == MPLAN_RW);
}

/* One request for the first number of n points.
 * point: stored indices, n <= MOST_LANES of them. found: the sectors of the request, ascending, each once. Of aos a
 * point's first number is a whole record away from the next point's. */
static void request(tally *t, int32_t a, const int64_t *point, int32_t n)
{
    const mplan_plan_arg *arg = &t->loop->args[a];
    const int64_t bytes = (int64_t)mplan_type_size(arg->type) *
                          (arg->layout == MPLAN_LAYOUT_AOS ? arg->dim : 1);
    int64_t found[MOST_LANES];
    int32_t n_found = 0;
    for (int32_t i = 0; i < n; i++) {
        const int64_t sector = point[i] * bytes / SECTOR;
        int32_t at = n_found;
        while (at > 0 && found[at - 1] > sector)
            at--;
        if (at > 0 && found[at - 1] == sector)
            continue;
        memmove(found + at + 1, found + at, (size_t)(n_found - at) * sizeof *found);
        found[at] = sector;
        n_found++;
    }
    t->requests[a] += n > 0;
    t->sectors[a] += n_found;
}

/* Points of arg a in slot s of the lanes' rows, and whether any row goes on behind it.
 * lanes: t->warp entries; point: out, with room for as many, of which *n are set. Of a pair only the other point is
 * loaded. */
static bool slot_points(const tally *t, int32_t a, const lane *lanes, int32_t s, int64_t *point,
                        int32_t *n)
{
    bool more = false;
    const bool pair = t->loop->args[a].map == t->own_map;
    *n = 0;
    for (int32_t i = 0; i < t->warp; i++) {
        int32_t length = 0;
        if (lanes[i].element < 0)
            continue;
        const int32_t *row = mplan_map_row(&t->map[a], lanes[i].element, &length);
        const int32_t slot = pair ? 1 - lanes[i].column : s;
        if (slot < length && row[slot] >= 0)
            point[(*n)++] = row[slot];
        more = more || (!pair && s + 1 < length);
    }
    return more;
}

/* Whether the next warp is one of those that count. */
static bool is_counted(tally *t)
{
    return t->number++ % t->step == 0;
}

/* A warp that computes elements.
 * lanes: t->warp entries. Args that blocks load by their lists are left to count_points. */
static void count_warp(tally *t, const lane *lanes)
{
    int64_t point[MOST_LANES];
    int32_t active = 0, n = 0;
    for (int32_t i = 0; i < t->warp; i++)
        active += lanes[i].element >= 0;
    if (active == 0)
        return;
    t->warps++;
    t->lanes += active;
    for (int32_t a = 0; a < t->loop->n_args; a++) {
        if (!reads_points(&t->loop->args[a]) || (t->by_points && t->map[a].arity))
            continue;
        bool more = true;
        for (int32_t s = 0; more; s++) {
            more = slot_points(t, a, lanes, s, point, &n);
            request(t, a, point, n);
        }
    }
}

/* --- elements -------------------------------------------------------------------------- */

/* Elements [begin, end) of the list, or themselves without one, side by side from the first.
 * list: stored elements by position; old_of_new: -1 in holes, where a lane has nothing to do. */
static void count_elements(tally *t, const int32_t *list, const int32_t *old_of_new, int64_t begin,
                           int64_t end)
{
    for (int64_t first = begin; first < end; first += t->warp) {
        lane lanes[MOST_LANES];
        if (!is_counted(t))
            continue;
        for (int32_t i = 0; i < t->warp; i++) {
            const int64_t at = first + i, e = at >= end ? -1 : list ? list[at] : at;
            t->sound = t->sound && e < t->storage && e >= -1;
            lanes[i] = (lane){t->sound && e >= 0 && old_of_new[e] >= 0 ? e : -1, 0};
        }
        count_warp(t, lanes);
    }
}

/* The points of a block, for every arg of their set.
 * points[begin] ... points[end - 1]: stored indices of the set. */
static void count_points(tally *t, int32_t set, const int32_t *points, int64_t begin, int64_t end)
{
    for (int64_t first = begin; first < end; first += t->warp) {
        int64_t point[MOST_LANES];
        const int32_t n = (int32_t)(end - first < t->warp ? end - first : t->warp);
        for (int32_t i = 0; i < n; i++)
            point[i] = points[first + i];
        for (int32_t a = 0; a < t->loop->n_args; a++)
            if (reads_points(&t->loop->args[a]) && t->map[a].arity && t->map[a].to == set)
                request(t, a, point, n);
    }
}

/* Whether n + 1 offsets ascend from 0 to at most `most`. */
static bool ascends(const int64_t *offsets, int64_t n, int64_t most)
{
    bool does = offsets && offsets[0] >= 0 && offsets[n] <= most;
    for (int64_t i = 0; i < n && does; i++)
        does = offsets[i] <= offsets[i + 1];
    return does;
}

/* Lists of points of the blocks, of each set that the loop has a map to.
 * Every step-th block is looked at, as of the warps of elements. */
static void count_blocks_points(tally *t, int32_t loop, int64_t n_blocks, int64_t step)
{
    for (int32_t s = 0; s < mplan_plan_n_sets(t->plan); s++) {
        int64_t n = 0, rows = 0;
        const int32_t b = t->variant->block_set;
        const int64_t *offsets =
            mplan_plan_data(t->plan,
                            mplan_key_of_block_points(MPLAN_KIND_BLOCK_POINT_OFFSETS, b, loop, s),
                            MPLAN_TYPE_I64, &rows);
        const int32_t *points = mplan_plan_data(t->plan,
                                                mplan_key_of_block_points(MPLAN_KIND_BLOCK_POINTS,
                                                                          b, loop, s),
                                                MPLAN_TYPE_I32, &n);
        if (!offsets || !points)
            continue;
        t->sound = t->sound && rows == n_blocks + 1 && ascends(offsets, n_blocks, n);
        for (int64_t i = 0; i < n_blocks && t->sound; i += step)
            count_points(t, s, points, offsets[i], offsets[i + 1]);
    }
}

/* Blocks, one behind the other. */
static void count_blocks(tally *t, int32_t loop, const int32_t *old_of_new)
{
    int64_t rows = 0, positions = t->storage;
    const int32_t b = t->variant->block_set;
    const int64_t *offsets = mplan_plan_data(t->plan,
                                             mplan_key_of_block_set(MPLAN_KIND_BLOCK_OFFSETS, b),
                                             MPLAN_TYPE_I64, &rows);
    const int32_t *sequence = mplan_plan_data(t->plan,
                                              mplan_key_of_block_set(MPLAN_KIND_BLOCK_SEQUENCE, b),
                                              MPLAN_TYPE_I32, &positions);
    t->sound = t->sound && offsets && ascends(offsets, rows - 1, positions);
    t->step = 1 + positions / t->warp / MOST_WARPS;
    for (int64_t i = 0; i + 1 < rows && t->sound; i++)
        count_elements(t, sequence, old_of_new, offsets[i], offsets[i + 1]);
    if (t->by_points && t->sound)
        count_blocks_points(t, loop, rows - 1, t->step);
}

/* Launches of global colours. */
static void count_colours(tally *t, int32_t loop, int32_t variant, const int32_t *old_of_new)
{
    int64_t rows = 0, n = 0;
    const int64_t *offsets = mplan_plan_data(t->plan,
                                             mplan_key_of_variant(MPLAN_KIND_GLOBAL_LAUNCH_OFFSETS,
                                                                  loop, variant),
                                             MPLAN_TYPE_I64, &rows);
    const int32_t *list = mplan_plan_data(t->plan,
                                          mplan_key_of_variant(MPLAN_KIND_GLOBAL_LAUNCH, loop,
                                                               variant),
                                          MPLAN_TYPE_I32, &n);
    t->sound = t->sound && list && offsets && ascends(offsets, rows - 1, n);
    for (int64_t c = 0; c + 1 < rows && t->sound; c++)
        count_elements(t, list, old_of_new, offsets[c], offsets[c + 1]);
}

/* --- entries of owner-gather ----------------------------------------------------------------- */

/* The entries of every point that a counted warp has: element x columns + column, in the order of the point's sums. */
typedef struct entries {
    uint8_t *wanted;         /* of each point: a counted warp has it */
    int64_t *offsets, *code; /* n_points + 1; entries */
    int64_t n_points, columns;
    mplan_map maps[16]; /* increment maps */
    int32_t n_maps;
    bool sound; /* the maps have an arity, and lead to one set */
} entries;

/* The increment maps, in the order of the args.
 * columns: slots of all of them together. Beyond 16 maps no more are looked at. */
static void find_maps(const tally *t, entries *in)
{
    for (int32_t a = 0; a < t->loop->n_args; a++) {
        const mplan_plan_arg *arg = &t->loop->args[a];
        bool known = arg->map < 0 || !mplan_access_adds(arg->access) || in->n_maps == 16;
        for (int32_t b = 0; b < a && !known; b++)
            known = t->loop->args[b].map == arg->map && mplan_access_adds(t->loop->args[b].access);
        if (known)
            continue;
        in->maps[in->n_maps++] = t->map[a];
        in->columns += t->map[a].arity;
        in->sound = t->map[a].arity > 0 &&
                    (in->n_maps == 1 || (in->sound && in->n_points == t->map[a].n_points));
        in->n_points = t->map[a].n_points;
    }
}

/* Calls for each entry in the order of elements, then columns: counts it, or with `place` puts it there.
 * The first pass counts in offsets[p + 1]. In the second, offsets[p] is where the next entry of p goes, so that it
 * ends where those of p + 1 begin. */
static void walk_entries(entries *in, int64_t n_elements, bool place)
{
    for (int64_t e = 0; e < n_elements; e++) {
        int64_t column = 0;
        for (int32_t m = 0; m < in->n_maps; m++)
            for (int32_t s = 0; s < in->maps[m].arity; s++, column++) {
                const int32_t p = in->maps[m].values[e * in->maps[m].arity + s];
                if (p < 0 || !in->wanted[p])
                    continue;
                if (place)
                    in->code[in->offsets[p]++] = e * in->columns + column;
                else
                    in->offsets[p + 1]++;
            }
    }
}

/* Where a code comes in the order of sums. */
static int64_t rank_of(const tally *t, const entries *in, const int32_t *old_of_new, int64_t code)
{
    const int64_t e = code / in->columns, column = code % in->columns;
    switch (t->variant->sums_order) {
    case MPLAN_SUMS_ORDER_COLUMN: return column * t->storage + e;
    case MPLAN_SUMS_ORDER_MESH: return old_of_new[e] * in->columns + column;
    default: return code;
    }
}

/* By insertion: rows are short. */
static void sort_row(const tally *t, const entries *in, const int32_t *old_of_new, int64_t p)
{
    for (int64_t i = in->offsets[p] + 1; i < in->offsets[p + 1]; i++) {
        const int64_t code = in->code[i], rank = rank_of(t, in, old_of_new, code);
        int64_t at = i;
        for (; at > in->offsets[p] && rank_of(t, in, old_of_new, in->code[at - 1]) > rank; at--)
            in->code[at] = in->code[at - 1];
        in->code[at] = code;
    }
}

/* The transposed maps: linear, but for the order of rows.
 * Afterwards code[offsets[p]] ... code[offsets[p + 1] - 1] are the entries of point p: the move undoes the shift of
 * the second pass. */
static mplan_status list_entries(const tally *t, const int32_t *old_of_new, entries *in,
                                 mplan_error *err)
{
    in->offsets = mplan_alloc_zero(in->n_points + 2, sizeof *in->offsets, err);
    if (!in->offsets)
        return MPLAN_ERR_MEMORY;
    walk_entries(in, t->storage, false);
    for (int64_t p = 0; p < in->n_points; p++)
        in->offsets[p + 1] += in->offsets[p];
    in->code = mplan_alloc(in->offsets[in->n_points], sizeof *in->code, err);
    if (!in->code)
        return MPLAN_ERR_MEMORY;
    walk_entries(in, t->storage, true);
    memmove(in->offsets + 1, in->offsets, (size_t)in->n_points * sizeof *in->offsets);
    in->offsets[0] = 0;
    for (int64_t p = 0; p < in->n_points && t->variant->sums_order; p++)
        sort_row(t, in, old_of_new, p);
    return MPLAN_OK;
}

/* Entries k of a warp's rows, as long as a row has one. point: of each row, -1 behind the last. */
static void count_rows(tally *t, const entries *in, const int64_t *point)
{
    bool any = true;
    for (int64_t k = 0; any; k++) {
        lane lanes[MOST_LANES];
        any = false;
        for (int32_t i = 0; i < t->warp; i++) {
            const int64_t at = point[i] < 0 ? 0 : in->offsets[point[i]] + k;
            const bool there = point[i] >= 0 && at < in->offsets[point[i] + 1];
            const int64_t code = there ? in->code[at] : -1;
            lanes[i] = (lane){there ? code / in->columns : -1,
                              there ? (int32_t)(code % in->columns) : 0};
            any = any || there;
        }
        count_warp(t, lanes);
    }
}

/* Points whose rows run: in a part those that it owns, and what else is in their windows (exec/ranks). Where elements leave more
 * than sums, rows of halos run, too, as an element's own results are in the row of its first point. */
static int64_t rows_that_run(const tally *t, const entries *in)
{
    const mplan_part_set *part = &mplan_plan_get_set(t->plan, in->maps[0].to)->part;
    bool sums_only = true;
    for (int32_t a = 0; a < t->loop->n_args; a++)
        sums_only = sums_only && (t->loop->args[a].map >= 0 || t->loop->args[a].access == MPLAN_READ);
    const int64_t owned = (part->owned + WINDOW - 1) / WINDOW * WINDOW;
    return part->parts > 0 && sums_only && !mplan_plan_has_slabs(t->plan) && owned < in->n_points
               ? owned
               : in->n_points;
}

/* Elements that strategies which go through the stored order run: in a part not those of the read halo, and of its execute
 * halo only where the loop changes points. */
static int64_t elements_that_run(const tally *t)
{
    const mplan_part_set *part = &mplan_plan_get_set(t->plan, t->loop->set)->part;
    bool changes = false;
    for (int32_t a = 0; a < t->loop->n_args; a++)
        changes = changes || (t->loop->args[a].map >= 0 && t->loop->args[a].access != MPLAN_READ);
    const int64_t end = part->parts == 0 || mplan_plan_has_slabs(t->plan) ? t->storage
                        : changes                                         ? part->executed
                                                                          : part->owned;
    return end < t->storage ? end : t->storage;
}

/* Rows that run, and their points. window: the place within its window for each of n_places rows (OWNER_POINTS); NULL: row r is
 * point r. */
typedef struct owner_rows {
    const uint8_t *window;
    int64_t n_places, end;
} owner_rows;

/* point: out, the points of a warp's rows, which follow one another from `first` on; -1 behind the last. */
static void points_of(tally *t, const owner_rows *rows, const entries *in, int64_t first,
                      int64_t point[MOST_LANES])
{
    for (int32_t i = 0; i < t->warp; i++) {
        const int64_t r = first + i;
        point[i] = r >= rows->end                       ? -1
                   : rows->window && r < rows->n_places ? r / WINDOW * WINDOW + rows->window[r]
                                                        : r;
        t->sound = t->sound && point[i] < in->n_points;
    }
}

/* Calls for all rows: marks the points of warps that count, or counts these warps. */
static void walk_owners(tally *t, const owner_rows *rows, entries *in, bool mark)
{
    t->number = 0;
    for (int64_t first = 0; first < rows->end; first += t->warp) {
        int64_t point[MOST_LANES];
        if (!is_counted(t))
            continue;
        points_of(t, rows, in, first, point);
        for (int32_t i = 0; i < t->warp && t->sound && mark; i++)
            if (point[i] >= 0)
                in->wanted[point[i]] = 1;
        if (t->sound && !mark)
            count_rows(t, in, point);
    }
}

static mplan_status count_owners(tally *t, int32_t loop, int32_t variant, const int32_t *old_of_new,
                                 mplan_error *err)
{
    entries in = {.n_points = 0};
    owner_rows rows = {.n_places = 0};
    rows.window = mplan_plan_data(t->plan,
                                  mplan_key_of_variant(MPLAN_KIND_OWNER_POINTS, loop, variant),
                                  MPLAN_TYPE_U8, &rows.n_places);
    find_maps(t, &in);
    t->sound = t->sound && in.sound;
    if (!t->sound)
        return MPLAN_OK;
    for (int32_t a = 0; a < t->loop->n_args && in.n_maps == 1 && in.columns == 2; a++)
        if (t->map[a].values == in.maps[0].values)
            t->own_map = t->loop->args[a].map;
    rows.end = rows_that_run(t, &in);
    t->step = 1 + rows.end / t->warp / MOST_WARPS;
    in.wanted = mplan_alloc_zero(in.n_points, sizeof *in.wanted, err);
    mplan_status status = in.wanted ? MPLAN_OK : MPLAN_ERR_MEMORY;
    if (!status)
        walk_owners(t, &rows, &in, true);
    if (!status)
        status = list_entries(t, old_of_new, &in, err);
    if (!status)
        walk_owners(t, &rows, &in, false);
    free(in.wanted);
    free(in.offsets);
    free(in.code);
    return status;
}

/* --- all variants ------------------------------------------------------------------------- */

/* Lanes of a warp of the device that the variant was made for; 0: a core of the host, which has none. */
static int32_t warp_of(const mplan_plan_variant *variant)
{
    mplan_device device;
    for (int32_t i = 0; mplan_device_get(i, &device) == MPLAN_OK; i++)
        if (strcmp(device.name, variant->device) == 0)
            return device.warp == 1 ? 0 : device.warp;
    return variant->slice_rows > WARP ? variant->slice_rows : WARP;
}

/* t->map; whether all maps hold together. */
static void find_arg_maps(tally *t)
{
    for (int32_t a = 0; a < t->loop->n_args; a++) {
        const int32_t m = t->loop->args[a].map;
        if (m < 0)
            continue;
        t->map[a] = mplan_plan_stored_map(t->plan, m);
        t->sound = t->sound && t->map[a].values && t->map[a].n_rows == t->storage &&
                   mplan_bounds_map_is_sound(t->plan, m, NULL);
    }
}

/* t->sound false: nothing can be said of the plan, which is not an error. */
static mplan_status count(tally *t, int32_t loop, int32_t variant, mplan_error *err)
{
    int64_t rows = 0;
    const uint32_t traits = mplan_strategy_traits(t->variant->strategy);
    const int32_t *old_of_new = mplan_plan_data(t->plan,
                                                mplan_key_of_set(MPLAN_KIND_OLD_OF_NEW, t->loop->set),
                                                MPLAN_TYPE_I32, &rows);
    t->sound = old_of_new && rows == t->storage;
    find_arg_maps(t);
    t->step = 1 + t->storage / t->warp / MOST_WARPS;
    t->by_points = traits & MPLAN_TRAIT_THREAD_COLOURS;
    if (!t->sound)
        return MPLAN_OK;
    if (traits & MPLAN_TRAIT_OWNERS)
        return count_owners(t, loop, variant, old_of_new, err);
    if (traits & MPLAN_TRAIT_BLOCKS)
        count_blocks(t, loop, old_of_new);
    else if (traits & MPLAN_TRAIT_GLOBAL_COLOURS)
        count_colours(t, loop, variant, old_of_new);
    else
        count_elements(t, NULL, old_of_new, 0, elements_that_run(t));
    return MPLAN_OK;
}

/* sectors: n_args entries of the caller's; NaN, as *lanes, where nothing is known. */
mplan_status mplan_plan_variant_loads(const mplan_plan *plan, int32_t loop, int32_t variant,
                                      double *lanes, double *sectors, mplan_error *err)
{
    MPLAN_NEED(plan);
    MPLAN_NEED(lanes);
    MPLAN_NEED(sectors);
    if (loop < 0 || loop >= mplan_plan_n_loops(plan))
        return mplan_fail(err, MPLAN_ERR_ARGUMENT, "the plan has no loop %d", (int)loop);
    const mplan_plan_loop *record = mplan_plan_get_loop(plan, loop);
    if (variant < 0 || variant >= record->n_variants)
        return mplan_fail(err, MPLAN_ERR_ARGUMENT, "loop %s has no variant %d", record->name,
                          (int)variant);
    tally t = {.plan = plan,
               .loop = record,
               .variant = &record->variants[variant],
               .warp = warp_of(&record->variants[variant]),
               .storage = mplan_plan_get_set(plan, record->set)->storage_size,
               .own_map = -1};
    assert(t.warp >= 0 && t.warp <= MOST_LANES);
    *lanes = NAN;
    for (int32_t a = 0; a < record->n_args; a++)
        sectors[a] = NAN;
    if (t.warp == 0 || record->layering || t.variant->slice_rows > MOST_LANES)
        return MPLAN_OK;
    t.map = mplan_alloc_zero(record->n_args, sizeof *t.map, err);
    t.requests = mplan_alloc_zero(record->n_args, sizeof *t.requests, err);
    t.sectors = mplan_alloc_zero(record->n_args, sizeof *t.sectors, err);
    mplan_status status = t.map && t.requests && t.sectors ? count(&t, loop, variant, err)
                                                           : MPLAN_ERR_MEMORY;
    if (!status && t.sound && t.warps > 0)
        *lanes = (double)t.lanes / (double)t.warps;
    for (int32_t a = 0; a < record->n_args && !status && t.sound; a++)
        if (t.requests[a] > 0)
            sectors[a] = (double)t.sectors[a] / (double)t.requests[a];
    free(t.map);
    free(t.requests);
    free(t.sectors);
    return status;
}
