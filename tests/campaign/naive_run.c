/* SPDX-License-Identifier: Apache-2.0 */
/* naive_run.c - runs a plan as formats/plan-format.md says kernels run it, in the head of one thread
 *
 * What counts is what the mesh receives: every element runs once, every (element, slot) of a map reaches its own
 * point once, and what runs side by side never writes one point. The mesh is that of the plan `truth`. No index is
 * believed: one that leads out of an array is a fault of the plan, as it would be on a device. */
#include "naive_plan.h"

#include <string.h>

#define REFUSE(condition, sentence) \
    do {                            \
        if (condition)              \
            return sentence;        \
    } while (0)
#define U(value) ((uint32_t)(value))
enum { ENTRIES = 8192 };

typedef struct world {
    const naive_plan *plan, *truth;
    int32_t loop, variant;
    const naive_loop *of;
    const naive_variant *how;
    int32_t mesh_of[NAIVE_RECORDS][NAIVE_MEMBERS]; /* member at each stored index, from NEW_OF_OLD; -1 */
    uint8_t ran[NAIVE_MEMBERS];                    /* per element of the mesh */
    uint8_t got[NAIVE_RECORDS][ENTRIES];           /* per entry of the truth's maps */
    int64_t group[NAIVE_RECORDS][NAIVE_MEMBERS], unit[NAIVE_RECORDS][NAIVE_MEMBERS];
    const char *fault;
} world;

static world the_world;

static void fault(world *in, const char *sentence)
{
    if (!in->fault)
        in->fault = sentence;
}

/* Member of the mesh at a stored index; -1, with a fault, when there is none. */
static int32_t member(world *in, uint32_t set, int64_t stored)
{
    const bool inside = stored >= 0 && stored < in->plan->sets[set].storage;
    const int32_t found = inside ? in->mesh_of[set][stored] : -1;
    if (found < 0)
        fault(in, "an index of no member");
    return found;
}

/* Place of the truth's entry for slot k of element e (of the mesh). */
static int64_t entry_of(world *in, int32_t m, int32_t e, int64_t k)
{
    const naive_map *map = &in->truth->maps[m];
    const int64_t row = in->truth->sets[map->from].new_of_old[e];
    const int64_t begin = map->arity ? row * map->arity : map->offsets[row];
    const int64_t end = map->arity ? begin + map->arity : map->offsets[row + 1];
    if (k < 0 || begin + k >= end) {
        fault(in, "a slot that the mesh has not");
        return -1;
    }
    return begin + k;
}

/* Slot k of element e reaches the point at a stored index (-1: none); counted once. */
static void reach(world *in, int32_t m, int32_t e, int64_t k, int64_t stored)
{
    const int64_t at = e < 0 ? -1 : entry_of(in, m, e, k);
    if (at < 0)
        return;
    const naive_map *map = &in->truth->maps[m];
    const int32_t right = map->values[at] < 0 ? -1
                                              : in->truth->sets[map->to].old_of_new[map->values[at]];
    if ((stored < 0 ? -1 : member(in, map->to, stored)) != right)
        fault(in, "another point than the mesh's");
    else if (stored >= 0 && ++in->got[m][at] > 1)
        fault(in, "an entry that counts twice");
}

static void writes(world *in, uint32_t set, int64_t stored, int64_t group, int64_t unit)
{
    if (stored < 0 || stored >= in->plan->sets[set].storage)
        return;
    if (in->group[set][stored] == group && in->unit[set][stored] != unit)
        fault(in, "a race");
    in->group[set][stored] = group;
    in->unit[set][stored] = unit;
}

static void run_element(world *in, int64_t stored)
{
    const int32_t e = member(in, in->of->set, stored);
    if (e >= 0 && ++in->ran[e] > 1)
        fault(in, "an element that runs twice");
}

/* The row of a stored element in MAP_VALUES; NULL with a fault when it leaves the array. */
static const int32_t *row_of(world *in, int32_t m, int64_t stored, int64_t *n)
{
    const naive_map *map = &in->plan->maps[m];
    const int64_t begin = map->arity ? stored * map->arity : map->offsets[stored];
    const int64_t end = map->arity ? begin + map->arity : map->offsets[stored + 1];
    if (begin < 0 || end < begin || end > map->n_entries) {
        fault(in, "a row that leaves the map");
        return NULL;
    }
    *n = end - begin;
    return map->values + begin;
}

/* An element with all maps of the loop (or those only read) by MAP_VALUES. */
static void run_by_maps(world *in, int64_t stored, bool only_read, int64_t group)
{
    run_element(in, stored);
    for (int32_t m = 0; m < in->plan->n_maps && !in->fault; m++) {
        int64_t n;
        const bool written = naive_uses(in->of, m, true);
        if (!naive_uses(in->of, m, false) || (only_read && written))
            continue;
        const int32_t *row = row_of(in, m, stored, &n);
        for (int64_t k = 0; row && k < n; k++) {
            reach(in, m, member(in, in->of->set, stored), k, row[k]);
            if (written && group && row[k] >= 0)
                writes(in, in->plan->maps[m].to, row[k], group, stored);
        }
    }
}

static void run_global(world *in)
{
    const int64_t *offsets = naive_of_variant(in->plan, 97, in->loop, in->variant);
    const int32_t *launch = naive_of_variant(in->plan, 98, in->loop, in->variant);
    const int64_t n = naive_rows_of_variant(in->plan, 98, in->loop, in->variant);
    for (int64_t c = 0; c < in->how->global_colours; c++)
        for (int64_t i = offsets[c]; i < offsets[c + 1] && !in->fault; i++) {
            if (i < 0 || i >= n)
                fault(in, "a launch that leaves its list");
            else
                run_by_maps(in, launch[i], false, c + 1);
        }
}

/* --- block-colour --- */

static int64_t local_row(const naive_plan *plan, const naive_block_set *blocks,
                         const naive_map *map, int64_t p)
{
    if (map->arity)
        return p * map->arity;
    int64_t at = 0;
    for (int64_t q = 0; q < p; q++) {
        int64_t n = 0;
        const int64_t e = blocks->sequence ? blocks->order[q] : q;
        if (e >= 0 && e < plan->sets[map->from].storage)
            n = map->offsets[e + 1] - map->offsets[e];
        at += n;
    }
    return at;
}

/* The element at position p of block b, its points through BLOCK_LOCAL and BLOCK_POINTS. */
static void run_in_block(world *in, const naive_block_set *blocks, int64_t b, int64_t p,
                         int64_t launch)
{
    const naive_plan *plan = in->plan;
    const int64_t stored = blocks->sequence ? blocks->order[p] : p;
    const int32_t e = member(in, in->of->set, stored);
    run_element(in, stored);
    for (int32_t m = 0; m < plan->n_maps && !in->fault; m++) {
        int64_t n;
        if (!naive_uses(in->of, m, false) || !row_of(in, m, stored, &n))
            continue;
        const naive_map *map = &plan->maps[m];
        const uint32_t bs = U(in->how->block_set);
        const naive_section *local = naive_find(plan, 68, NAIVE_ONES, U(m), U(in->loop), NAIVE_ONES,
                                                bs);
        const naive_section *list = naive_find(plan, 67, map->to, NAIVE_ONES, U(in->loop),
                                               NAIVE_ONES, bs);
        const int64_t *ends =
            naive_find(plan, 66, map->to, NAIVE_ONES, U(in->loop), NAIVE_ONES, bs)->data;
        const int64_t at = local_row(plan, blocks, map, p);
        for (int64_t k = 0; k < n && !in->fault; k++) {
            if (at < 0 || at + k >= local->rows * local->cols) {
                fault(in, "a row that leaves the local ids");
                return;
            }
            const int64_t place = ((const uint16_t *)local->data)[at + k];
            if (place == 65535) {
                reach(in, m, e, k, -1);
                continue;
            }
            if (ends[b] < 0 || place >= ends[b + 1] - ends[b] || ends[b] + place >= list->rows) {
                fault(in, "a local id behind the block's points");
                return;
            }
            const int32_t point = ((const int32_t *)list->data)[ends[b] + place];
            reach(in, m, e, k, point);
            if (naive_uses(in->of, m, true))
                writes(in, map->to, point, launch + 1, b);
        }
    }
}

/* Elements of one thread colour of a block write different points. */
static void threads_race(world *in, const naive_block_set *blocks, int64_t b,
                         const uint16_t *colour, uint16_t t)
{
    static int64_t writer[NAIVE_RECORDS][NAIVE_MEMBERS];
    for (int32_t s = 0; s < in->plan->n_sets; s++)
        memset(writer[s], -1, (size_t)in->plan->sets[s].storage * sizeof *writer[s]);
    for (int64_t p = blocks->offsets[b]; p < blocks->offsets[b + 1]; p++) {
        const int64_t e = blocks->sequence ? blocks->order[p] : p;
        for (int32_t m = 0; m < in->plan->n_maps && colour[p] == t && !in->fault; m++) {
            int64_t n;
            const int32_t *row = naive_uses(in->of, m, true) ? row_of(in, m, e, &n) : NULL;
            for (int64_t k = 0; row && k < n; k++) {
                const uint32_t to = in->plan->maps[m].to;
                if (row[k] < 0 || row[k] >= in->plan->sets[to].storage)
                    continue;
                if (writer[to][row[k]] >= 0 && writer[to][row[k]] != e)
                    fault(in, "a race of threads");
                writer[to][row[k]] = e;
            }
        }
    }
}

static bool block_inside(world *in, const naive_block_set *blocks, int64_t b)
{
    const bool inside = b >= 0 && b < blocks->n_blocks && blocks->offsets[b] >= 0 &&
                        blocks->offsets[b + 1] <= naive_positions(in->plan, blocks);
    if (!inside)
        fault(in, "a block outside of the set");
    return inside;
}

static void run_block(world *in, const naive_block_set *blocks, int64_t b, int64_t launch)
{
    const uint16_t *colour = naive_of_variant(in->plan, 80, in->loop, in->variant);
    const uint16_t *count = naive_of_variant(in->plan, 81, in->loop, in->variant);
    for (uint32_t t = 0; t < count[b] && !in->fault; t++) {
        for (int64_t p = blocks->offsets[b]; p < blocks->offsets[b + 1] && !in->fault; p++)
            if (colour[p] == t)
                run_in_block(in, blocks, b, p, launch);
        if (!in->fault)
            threads_race(in, blocks, b, colour, (uint16_t)t);
    }
}

static void run_blocks(world *in, void (*run)(world *, const naive_block_set *, int64_t, int64_t))
{
    const naive_block_set *blocks = &in->plan->block_sets[in->how->block_set];
    const int64_t *offsets = naive_of_variant(in->plan, 83, in->loop, in->variant);
    const int32_t *launch = naive_of_variant(in->plan, 84, in->loop, in->variant);
    for (int64_t c = 0; c < in->how->block_colours; c++)
        for (int64_t i = offsets[c]; i < offsets[c + 1] && !in->fault; i++) {
            if (i < 0 || i >= blocks->n_blocks)
                fault(in, "a launch that leaves its list");
            else if (block_inside(in, blocks, launch[i]))
                run(in, blocks, launch[i], c);
        }
}

/* --- two-step --- */

static void run_two_step(world *in)
{
    const naive_plan *plan = in->plan;
    for (int64_t e = 0; e < plan->sets[in->of->set].storage && !in->fault; e++)
        if (plan->sets[in->of->set].old_of_new[e] >= 0)
            run_by_maps(in, e, true, 0);
    for (int32_t m = 0; m < plan->n_maps && !in->fault; m++) {
        if (!naive_uses(in->of, m, true))
            continue;
        const naive_map *map = &plan->maps[m];
        const int64_t *offsets =
            naive_find(plan, 112, NAIVE_ONES, U(m), U(in->loop), NAIVE_ONES, NAIVE_ONES)->data;
        const naive_section *slots = naive_find(plan, 113, NAIVE_ONES, U(m), U(in->loop),
                                                NAIVE_ONES, NAIVE_ONES);
        for (int64_t p = 0; p < plan->sets[map->to].storage; p++)
            for (int64_t i = offsets[p]; i < offsets[p + 1] && !in->fault; i++) {
                const int64_t slot = i < 0 || i >= slots->rows ? -1
                                                               : ((const int64_t *)slots->data)[i];
                if (slot < 0 || slot >= map->n_entries) {
                    fault(in, "a slot outside of the map");
                    break;
                }
                int64_t e = map->arity ? slot / map->arity : 0;
                while (!map->arity && e < plan->sets[map->from].storage && map->offsets[e + 1] <= slot)
                    e++;
                const int64_t begin = map->arity ? e * map->arity : map->offsets[e];
                reach(in, m, member(in, map->from, e), slot - begin, p);
            }
    }
}

/* --- block-gather --- */

static int32_t map_of_column(const naive_plan *plan, const naive_gathering *g, int64_t *c)
{
    int32_t i = 0;
    while (i < g->n_local && *c >= plan->maps[g->maps[i]].arity)
        *c -= plan->maps[g->maps[i++]].arity;
    return i < g->n_local ? g->maps[i] : -1;
}

typedef struct record {
    uint32_t bytes, n_elements, n_points, first, starts_at, entries_at, partial_at, n_entries;
    const uint8_t *at;
} record;

static int32_t i32_of(const record *in, uint64_t at)
{
    int32_t value = 0;
    if (at + 4 <= in->bytes)
        memcpy(&value, in->at + at, 4);
    return value;
}

static uint32_t u16_of(const record *in, uint64_t at)
{
    uint16_t value = 0;
    if (at + 2 <= in->bytes)
        memcpy(&value, in->at + at, 2);
    return value;
}

static int64_t slot_point[ENTRIES]; /* stored point of each partial slot; -1: not written */

static void add_sum(world *in, const naive_gathering *g, const record *r, int64_t b, int64_t k,
                    int64_t launch)
{
    const int32_t point = i32_of(r, 32 + 4 * (uint64_t)k);
    const int32_t partial = in->how->sums == 0 ? i32_of(r, r->partial_at + 4 * (uint64_t)k) : -1;
    if (partial < 0) {
        writes(in, U(g->target), point, in->how->sums == 1 ? -1 - b : launch + 1, b);
        return;
    }
    if (partial >= in->how->partial_sums || partial >= ENTRIES)
        fault(in, "a partial slot outside of the array");
    else if (slot_point[partial] >= 0)
        fault(in, "two sums in one slot");
    else
        slot_point[partial] = point;
}

static void run_record(world *in, const naive_block_set *blocks, int64_t b, int64_t launch)
{
    naive_gathering g;
    const int64_t *offsets = naive_of_variant(in->plan, 128, in->loop, in->variant);
    const naive_section *all = naive_find(in->plan, 129, NAIVE_ONES, NAIVE_ONES, U(in->loop),
                                          U(in->variant), NAIVE_ONES);
    naive_gathers(in->plan, in->of, &g);
    if (offsets[b] < 0 || offsets[b] % 16 || offsets[b] + 32 > all->rows) {
        fault(in, "a record outside of the array");
        return;
    }
    record r = {.at = (const uint8_t *)all->data + offsets[b]};
    memcpy(&r, r.at, 32);
    const int64_t padded = ((int64_t)r.n_elements + 7) / 8 * 8;
    const uint64_t local_at = (32 + 4 * (uint64_t)r.n_points + 15) / 16 * 16;
    if (r.bytes > (uint64_t)(all->rows - offsets[b]) ||
        r.bytes != (uint64_t)(offsets[b + 1] - offsets[b]) ||
        local_at + 2 * (uint64_t)(g.local_columns * padded) > r.bytes ||
        r.starts_at + 2 * (r.n_points + 1ULL) > r.bytes ||
        r.entries_at + 2ULL * r.n_entries > r.bytes ||
        (in->how->sums == 0 && r.partial_at + 4ULL * r.n_points > r.bytes)) {
        fault(in, "a part that leaves its record");
        return;
    }
    for (int64_t i = 0; i < r.n_elements && !in->fault; i++) {
        const int64_t p = (int64_t)r.first + i;
        if (p >= naive_positions(in->plan, blocks)) {
            fault(in, "a position outside of the set");
            return;
        }
        const int64_t e = naive_element(in->plan, blocks, p);
        if (e >= 0)
            run_element(in, e);
        for (int64_t c = g.columns; c < g.local_columns && e >= 0;
             c++) { /* columns that are only read */
            int64_t slot = c;
            const int32_t m = map_of_column(in->plan, &g, &slot);
            const uint32_t place = u16_of(&r, local_at + 2 * (uint64_t)(c * padded + i));
            if (place != 65535 && place >= r.n_points)
                fault(in, "a local id behind the record's points");
            else
                reach(in, m, member(in, in->of->set, e), slot,
                      place == 65535 ? -1 : i32_of(&r, 32 + 4 * place));
        }
    }
    for (int64_t k = 0; k < r.n_points && !in->fault; k++) {
        const uint32_t begin = u16_of(&r, r.starts_at + 2 * (uint64_t)k),
                       end = u16_of(&r, r.starts_at + 2 * (uint64_t)k + 2);
        for (uint32_t j = begin; j < end && !in->fault; j++) {
            const int64_t code = u16_of(&r, r.entries_at + 2ULL * j), i = padded ? code % padded : 0;
            int64_t slot = padded ? code / padded : 0;
            const int32_t m = slot < g.columns ? map_of_column(in->plan, &g, &slot) : -1;
            const int64_t p = (int64_t)r.first + i;
            if (j >= r.n_entries || m < 0 || i >= r.n_elements ||
                p >= naive_positions(in->plan, blocks)) {
                fault(in, "an entry outside of the record");
                return;
            }
            reach(in, m, member(in, in->of->set, naive_element(in->plan, blocks, p)), slot,
                  i32_of(&r, 32 + 4 * (uint64_t)k));
        }
        if (begin < end && !in->fault)
            add_sum(in, &g, &r, b, k, launch);
    }
}

static void run_block_gather(world *in)
{
    const naive_block_set *blocks = &in->plan->block_sets[in->how->block_set];
    memset(slot_point, -1, sizeof slot_point);
    if (in->how->sums == 2) {
        run_blocks(in, run_record);
        return;
    }
    for (int64_t b = 0; b < blocks->n_blocks && !in->fault; b++)
        if (block_inside(in, blocks, b))
            run_record(in, blocks, b, 0);
    if (in->how->sums != 0)
        return;
    const int32_t *points = naive_of_variant(in->plan, 130, in->loop, in->variant);
    const int64_t *offsets = naive_of_variant(in->plan, 131, in->loop, in->variant);
    const int64_t n = naive_rows_of_variant(in->plan, 130, in->loop, in->variant);
    if (naive_rows_of_variant(in->plan, 131, in->loop, in->variant) != n + 1) {
        fault(in, "rows of the partial offsets");
        return;
    }
    for (int64_t i = 0; i < n && !in->fault; i++) {
        for (int64_t s = offsets[i]; s < offsets[i + 1]; s++) {
            if (s < 0 || s >= in->how->partial_sums || s >= ENTRIES || slot_point[s] != points[i]) {
                fault(in, "a partial sum of another point");
                break;
            }
            slot_point[s] = -2;
        }
        for (int64_t o = 0; o < i; o++)
            if (points[o] == points[i] && offsets[i] < offsets[i + 1])
                fault(in, "a race of partial sums");
    }
    for (int64_t s = 0; s < ENTRIES; s++)
        if (slot_point[s] >= 0)
            fault(in, "a partial sum that nobody adds");
}

/* --- owner-gather --- */

static int64_t owner_code(world *in, int64_t at, int64_t slice, int64_t point, int64_t n_points,
                          int64_t rows)
{
    const int32_t l = in->loop, v = in->variant;
    const void *words = naive_of_variant(in->plan, 145, l, v);
    if (at < 0 || at >= rows) {
        fault(in, "an entry outside of the array");
        return -1;
    }
    if (in->how->encoding == 1)
        return ((const int32_t *)words)[at];
    if (in->how->encoding == 2) {
        const int64_t word = ((const uint16_t *)words)[at];
        const int64_t *ends = naive_of_variant(in->plan, 147, l, v);
        const int64_t first = ends[slice], end = ends[slice + 1],
                      most = naive_rows_of_variant(in->plan, 148, l, v);
        if (word == 65535)
            return -1;
        if (first < 0 || end < first || end > most) {
            fault(in, "escapes outside of the array");
            return -1;
        }
        if (word < 65535 - (end - first))
            return ((const int32_t *)naive_of_variant(in->plan, 146, l, v))[slice] + word;
        return ((const int32_t *)naive_of_variant(in->plan, 148, l, v))[first + 65534 - word];
    }
    const int32_t word = ((const int32_t *)words)[at];
    const int64_t neighbour = point + (word >> 6);
    if (word == -1)
        return -1;
    if (neighbour < 0 || neighbour >= n_points) {
        fault(in, "a neighbour that is not a point");
        return -1;
    }
    const int64_t e = ((const int32_t *)naive_of_variant(in->plan, 149, l,
                                                         v))[point < neighbour ? point : neighbour];
    return 2 * (e + (word >> 1 & 31)) + (word & 1);
}

static void run_owner(world *in)
{
    static uint8_t owned[NAIVE_MEMBERS];
    naive_gathering g;
    naive_gathers(in->plan, in->of, &g);
    const int64_t n_points = in->plan->sets[g.target].storage, slices = (n_points + 31) / 32;
    const int64_t rows = naive_rows_of_variant(in->plan, 145, in->loop, in->variant);
    const int64_t *columns = naive_of_variant(in->plan, 144, in->loop, in->variant);
    const uint8_t *own = in->how->window ? naive_of_variant(in->plan, 150, in->loop, in->variant)
                                         : NULL;
    memset(owned, 0, sizeof owned);
    memset(in->ran, 1, sizeof in->ran); /* elements run as often as points need them */
    for (int64_t r = 0; r < 32 * slices && !in->fault; r++) {
        const int64_t s = r / 32, point = own ? r / 256 * 256 + own[r] : r;
        const int64_t first = in->how->width ? s * in->how->width : columns[s];
        const int64_t end = in->how->width ? first + in->how->width : columns[s + 1];
        if (r < n_points && (point >= n_points || owned[point]++)) {
            fault(in, "a point without a row of its own");
            return;
        }
        if (first < 0 || end > rows / 32)
            fault(in, "a slice outside of the array");
        for (int64_t k = first; k < end && !in->fault; k++) {
            const int64_t code = owner_code(in, 32 * k + r % 32, s, point, n_points, rows);
            if (code == -1)
                continue;
            int64_t slot = code < 0 ? 0 : code % g.columns;
            const int32_t m = map_of_column(in->plan, &g, &slot);
            if (code < 0 || r >= n_points)
                fault(in, "an entry of no element, or of no point");
            else
                reach(in, m, member(in, in->of->set, code / g.columns), slot, point);
        }
    }
}

/* --- all --- */

static void open_world(world *in)
{
    in->fault = NULL;
    for (int32_t s = 0; s < in->plan->n_sets; s++) {
        const naive_set *set = &in->plan->sets[s];
        memset(in->mesh_of[s], -1, (size_t)set->storage * sizeof *in->mesh_of[s]);
        for (int32_t i = 0; i < set->size; i++) {
            const int32_t at = set->new_of_old[i];
            if (at < 0 || at >= set->storage || in->mesh_of[s][at] >= 0)
                fault(in, "two members in one place");
            else
                in->mesh_of[s][at] = i;
        }
    }
}

static const char *run_variant(world *in)
{
    const naive_plan *plan = in->plan, *truth = in->truth;
    memset(in->ran, 0, sizeof in->ran);
    for (int32_t s = 0; s < plan->n_sets; s++)
        memset(in->group[s], 0, (size_t)plan->sets[s].storage * sizeof *in->group[s]);
    for (int32_t m = 0; m < plan->n_maps; m++)
        memset(in->got[m], 0, (size_t)truth->maps[m].n_entries);
    switch (in->how->strategy) {
    case GLOBAL_COLOUR: run_global(in); break;
    case BLOCK_COLOUR: run_blocks(in, run_block); break;
    case TWO_STEP: run_two_step(in); break;
    case BLOCK_GATHER: run_block_gather(in); break;
    case OWNER_GATHER: run_owner(in); break;
    default:
        for (int64_t e = 0; e < plan->sets[in->of->set].storage && !in->fault; e++)
            if (plan->sets[in->of->set].old_of_new[e] >= 0)
                run_by_maps(in, e, false, 0);
    }
    REFUSE(in->fault, in->fault);
    for (int64_t e = 0; e < truth->sets[in->of->set].size; e++)
        REFUSE(in->ran[e] != 1, "an element that never runs");
    const bool by_element = in->how->strategy != BLOCK_GATHER && in->how->strategy != OWNER_GATHER;
    for (int32_t m = 0; m < plan->n_maps; m++)
        for (int64_t i = 0; i < truth->maps[m].n_entries && naive_uses(in->of, m, !by_element); i++)
            REFUSE(in->got[m][i] != (truth->maps[m].values[i] >= 0), "an entry that is not counted");
    return NULL;
}

const char *naive_run(const naive_plan *plan, const naive_plan *truth)
{
    world *in = &the_world;
    in->plan = plan;
    in->truth = truth;
    REFUSE(plan->n_sets != truth->n_sets || plan->n_maps != truth->n_maps, "another mesh");
    for (int32_t s = 0; s < plan->n_sets; s++) {
        REFUSE(plan->sets[s].storage >= NAIVE_MEMBERS, NAIVE_TOO_LARGE);
        REFUSE(plan->sets[s].size != truth->sets[s].size, "another mesh");
    }
    for (int32_t m = 0; m < plan->n_maps; m++) {
        const naive_map *a = &plan->maps[m], *b = &truth->maps[m];
        REFUSE(a->from != b->from || a->to != b->to || a->arity != b->arity, "another mesh");
        REFUSE(b->n_entries >= ENTRIES, NAIVE_TOO_LARGE);
        REFUSE(!a->arity && !naive_is_list(a->offsets, plan->sets[a->from].storage, a->n_entries),
               "offsets of a map");
    }
    open_world(in);
    REFUSE(in->fault, in->fault);
    for (in->loop = 0; in->loop < plan->n_loops; in->loop++) {
        in->of = &plan->loops[in->loop];
        for (in->variant = 0; in->variant < (int32_t)in->of->n_variants; in->variant++) {
            in->how = &in->of->variants[in->variant];
            const char *why = run_variant(in);
            REFUSE(why, why);
        }
    }
    return NULL;
}
