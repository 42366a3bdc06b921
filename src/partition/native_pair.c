/* native_pair.c - two blocks side by side: how they are read, split and stored */
#include "partition/native_pair.h"

#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"

enum { MOST_RANGE = 127, HOPEFUL = 2 }; /* a split that costs more than that stays worse */

static mplan_status open_arrays(native_pair *pair, mplan_error *err)
{
    const native_blocks *blocks = pair->blocks;
    int64_t points = 2 * (int64_t)blocks->entry_limit, elements = 2 * (int64_t)blocks->block_size;
    int64_t lists = 2 * pair->range + 1, entries = blocks->entry_limit;
    bool all = true;
    for (int32_t s = 0; s < 2; s++) {
        native_block *fresh = &pair->fresh[s];
        fresh->elements = mplan_alloc((int64_t)blocks->block_size + 1, sizeof *fresh->elements, err);
        fresh->first = mplan_alloc((int64_t)blocks->block_size + 1, sizeof *fresh->first, err);
        fresh->points = mplan_alloc(entries + 1, sizeof *fresh->points, err);
        fresh->begin = mplan_alloc(entries + 1, sizeof *fresh->begin, err);
        fresh->row = mplan_alloc(entries, sizeof *fresh->row, err);
        fresh->touch = mplan_alloc(entries, sizeof *fresh->touch, err);
        pair->place_of[s] = mplan_alloc(entries + 1, sizeof **pair->place_of, err);
        all = all && fresh->elements && fresh->first && fresh->points && fresh->begin &&
              fresh->row && fresh->touch && pair->place_of[s];
    }
    pair->second = mplan_alloc(points, sizeof *pair->second, err);
    pair->id = mplan_alloc(points, sizeof *pair->id, err);
    pair->count = mplan_alloc(2 * points, sizeof *pair->count, err);
    pair->weight = mplan_alloc(points, 1, err);
    pair->number = mplan_alloc(2 * points, sizeof *pair->number, err);
    pair->point_value = mplan_alloc(points, sizeof *pair->point_value, err);
    pair->side = mplan_alloc(elements, 1, err);
    pair->state = mplan_alloc(elements, 1, err);
    pair->gain = mplan_alloc(elements, sizeof *pair->gain, err);
    pair->link = mplan_alloc(elements + 2 * lists, sizeof *pair->link, err);
    pair->waiting = mplan_alloc(elements, sizeof *pair->waiting, err);
    pair->moved = mplan_alloc(elements, sizeof *pair->moved, err);
    pair->value = mplan_alloc(elements, sizeof *pair->value, err);
    pair->rank = mplan_alloc(elements, sizeof *pair->rank, err);
    pair->place = mplan_alloc_zero(INT64_C(1) << pair->bits, sizeof *pair->place, err);
    if (blocks->table->limits_bind)
        pair->set_points = mplan_alloc(2 * (int64_t)blocks->table->n_sets,
                                       sizeof *pair->set_points, err);
    all = all && pair->second && pair->id && pair->count && pair->weight && pair->number &&
          pair->point_value && pair->side && pair->state && pair->gain &&
          pair->link && pair->waiting && pair->moved && pair->value && pair->rank && pair->place &&
          (pair->set_points || !blocks->table->limits_bind);
    return all ? MPLAN_OK : MPLAN_ERR_MEMORY;
}

/* Gains lie within the weight of a row. */
static int32_t range_of(const native_table *table)
{
    int64_t longest = table->arity, weight = 1;
    for (int64_t e = 0; e < table->n && table->offsets && longest < MOST_RANGE; e++)
        if (table->offsets[e + 1] - table->offsets[e] > longest)
            longest = table->offsets[e + 1] - table->offsets[e];
    for (int32_t s = 0; s < table->n_sets; s++)
        weight = table->set_weight[s] > weight ? table->set_weight[s] : weight;
    return longest * weight < MOST_RANGE ? (int32_t)(longest * weight) : MOST_RANGE;
}

native_pair *mplan_native_pair_create(const native_blocks *blocks, int32_t dimension,
                                      const float *coordinates, mplan_error *err)
{
    native_pair *pair = mplan_alloc_zero(1, sizeof *pair, err);
    if (!pair)
        return NULL;
    pair->blocks = blocks;
    pair->dimension = dimension;
    pair->coordinates = coordinates;
    pair->range = range_of(blocks->table);
    pair->bits = 4;
    while (INT64_C(1) << pair->bits < 2 * (int64_t)blocks->entry_limit)
        pair->bits++;
    if (open_arrays(pair, err) != MPLAN_OK) {
        mplan_native_pair_free(pair);
        return NULL;
    }
    return pair;
}

void mplan_native_pair_free(native_pair *pair)
{
    if (!pair)
        return;
    for (int32_t s = 0; s < 2; s++) {
        free(pair->fresh[s].elements);
        free(pair->fresh[s].points);
        free(pair->fresh[s].row);
        free(pair->fresh[s].first);
        free(pair->fresh[s].begin);
        free(pair->fresh[s].touch);
        free(pair->place_of[s]);
    }
    void *const owned[] = {pair->second, pair->id, pair->count, pair->weight, pair->number,
                           pair->point_value, pair->side, pair->state, pair->gain,
                           pair->link, pair->waiting, pair->moved, pair->value, pair->rank,
                           pair->place, pair->set_points};
    for (size_t i = 0; i < sizeof owned / sizeof *owned; i++)
        free(owned[i]);
    free(pair);
}

/* --- reading ------------------------------------------------------------------- */

static pair_place *find_place(native_pair *pair, int32_t point)
{
    uint32_t mask = (UINT32_C(1) << pair->bits) - 1;
    uint32_t at = ((uint32_t)point * UINT32_C(0x9E3779B1)) >> (32 - pair->bits);
    while (pair->place[at].stamp == pair->now && pair->place[at].point != point)
        at = (at + 1) & mask;
    return &pair->place[at];
}

static void begin_places(native_pair *pair)
{
    if (++pair->now > 0)
        return;
    memset(pair->place, 0, (sizeof *pair->place) << pair->bits);
    pair->now = 1;
}

/* Numbers the points of both blocks and counts their elements. */
static void join_points(native_pair *pair)
{
    const native_block *a = &pair->block[0], *b = &pair->block[1];
    begin_places(pair);
    for (int32_t p = 0; p < a->n_points; p++) {
        *find_place(pair, a->points[p]) = (pair_place){pair->now, a->points[p], p};
        pair->second[p] = -1;
        pair->count[2 * p] = a->begin[p + 1] - a->begin[p];
        pair->count[2 * p + 1] = 0;
    }
    int32_t n = a->n_points;
    for (int32_t p = 0; p < b->n_points; p++) {
        const pair_place *place = find_place(pair, b->points[p]);
        int32_t id = place->stamp == pair->now ? place->id : n++;
        if (id >= a->n_points)
            pair->count[2 * id] = 0;
        pair->count[2 * id + 1] = b->begin[p + 1] - b->begin[p];
        pair->id[p] = id;
        pair->second[id] = p;
    }
    pair->n_points = n;
}

static int32_t global_point(const native_pair *pair, int32_t p)
{
    return p < pair->block[0].n_points ? pair->block[0].points[p]
                                       : pair->block[1].points[pair->second[p]];
}

static void weigh_points(native_pair *pair)
{
    const native_table *table = pair->blocks->table;
    if (table->n_sets == 1) {
        memset(pair->weight, 1, (size_t)pair->n_points);
        return;
    }
    for (int32_t p = 0; p < pair->n_points; p++)
        pair->weight[p] = (uint8_t)table->set_weight[native_set_of(table, global_point(pair, p))];
}

static void count_sets(native_pair *pair)
{
    const native_table *table = pair->blocks->table;
    memset(pair->set_points, 0, 2 * (size_t)table->n_sets * sizeof *pair->set_points);
    for (int32_t p = 0; p < pair->n_points; p++) {
        int32_t s = native_set_of(table, global_point(pair, p));
        pair->set_points[s] += pair->count[2 * p] > 0;
        pair->set_points[table->n_sets + s] += pair->count[2 * p + 1] > 0;
    }
}

static void read_pair(native_pair *pair, int64_t a, int64_t b)
{
    pair->block[0] = mplan_native_block(pair->blocks, a);
    pair->block[1] = mplan_native_block(pair->blocks, b);
    for (int32_t s = 0; s < 2; s++) {
        pair->size[s] = pair->block[s].n;
        pair->entries[s] = pair->block[s].n_entries;
    }
    pair->n = pair->size[0] + pair->size[1];
    memset(pair->side, 0, (size_t)pair->size[0]);
    memset(pair->side + pair->size[0], 1, (size_t)pair->size[1]);
    join_points(pair);
    weigh_points(pair);
    if (pair->set_points)
        count_sets(pair);
}

/* --- storing --------------------------------------------------------------------- */

/* Numbers the points of both sides, and says where the entries of each begin. */
static void write_points(native_pair *pair)
{
    int32_t n[2] = {0, 0}, entries[2] = {0, 0};
    for (int32_t p = 0; p < pair->n_points; p++) {
        int32_t point = global_point(pair, p);
        for (int32_t s = 0; s < 2; s++) { /* a place too far is written over, or spare */
            native_block *fresh = &pair->fresh[s];
            fresh->points[n[s]] = point;
            fresh->begin[n[s]] = (uint16_t)entries[s];
            pair->place_of[s][n[s]] = (uint16_t)entries[s];
            pair->number[2 * p + s] = (uint16_t)n[s];
            n[s] += pair->count[2 * p + s] > 0;
            entries[s] += pair->count[2 * p + s];
        }
    }
    for (int32_t s = 0; s < 2; s++) {
        pair->fresh[s].begin[n[s]] = (uint16_t)entries[s];
        pair->fresh[s].n_points = n[s];
        pair->fresh[s].n_entries = entries[s];
    }
}

/* Writes the elements of block b of the pair, each to its side. */
static void write_elements(native_pair *pair, int32_t b, int32_t *n, int32_t *end)
{
    const native_block *from = &pair->block[b];
    const uint8_t *side = pair->side + (b ? pair->block[0].n : 0);
    for (int32_t e = 0; e < from->n; e++) {
        int32_t s = side[e];
        native_block *fresh = &pair->fresh[s];
        uint16_t *place = pair->place_of[s];
        fresh->first[n[s]] = (uint16_t)end[s];
        fresh->elements[n[s]] = from->elements[e];
        for (int32_t i = mplan_native_first(from, e); i < mplan_native_first(from, e + 1); i++) {
            uint16_t local = pair->number[2 * (b ? pair->id[from->row[i]] : from->row[i]) + s];
            fresh->row[end[s]++] = local;
            fresh->touch[place[local]++] = (uint16_t)n[s];
        }
        n[s]++;
    }
}

/* Copies a side to its place among the blocks. */
static void store_side(native_pair *pair, native_blocks *blocks, int32_t side, int64_t b)
{
    const native_block *fresh = &pair->fresh[side];
    native_block out = mplan_native_block(blocks, b);
    size_t entries = (size_t)fresh->n_entries;
    memcpy(out.elements, fresh->elements, (size_t)fresh->n * sizeof *out.elements);
    memcpy(out.points, fresh->points, (size_t)fresh->n_points * sizeof *out.points);
    memcpy(out.row, fresh->row, entries * sizeof *out.row);
    memcpy(out.touch, fresh->touch, entries * sizeof *out.touch);
    memcpy(out.begin, fresh->begin, ((size_t)fresh->n_points + 1) * sizeof *out.begin);
    if (out.first)
        memcpy(out.first, fresh->first, ((size_t)fresh->n + 1) * sizeof *out.first);
    mplan_native_block_sized(blocks, b, fresh);
}

static void store_pair(native_pair *pair, native_blocks *blocks, int64_t a, int64_t b)
{
    int32_t n[2] = {0, 0}, end[2] = {0, 0};
    write_points(pair);
    for (int32_t s = 0; s < 2; s++) /* both are read before either is stored */
        write_elements(pair, s, n, end);
    for (int32_t s = 0; s < 2; s++) {
        pair->fresh[s].n = n[s];
        pair->fresh[s].first[n[s]] = (uint16_t)end[s];
    }
    store_side(pair, blocks, 0, a);
    store_side(pair, blocks, 1, b);
}

/* Sides as the blocks are. */
static void reset_sides(native_pair *pair)
{
    memset(pair->side, 0, (size_t)pair->block[0].n);
    memset(pair->side + pair->block[0].n, 1, (size_t)pair->block[1].n);
}

/* Counts what the sides touch. */
static void count_sides(native_pair *pair)
{
    memset(pair->count, 0, 2 * (size_t)pair->n_points * sizeof *pair->count);
    pair->size[0] = pair->size[1] = pair->entries[0] = pair->entries[1] = 0;
    for (int32_t e = 0; e < pair->n; e++) {
        int32_t length, side = pair->side[e];
        const int32_t *id;
        const uint16_t *row = pair_row(pair, e, &length, &id);
        pair->size[side]++;
        pair->entries[side] += length;
        for (int32_t k = 0; k < length; k++)
            pair->count[2 * (id ? id[row[k]] : row[k]) + side]++;
    }
    if (pair->set_points)
        count_sets(pair);
}

/* Weight of the points that both sides touch. */
static int64_t shared_weight(const native_pair *pair)
{
    int64_t sum = 0;
    for (int32_t p = 0; p < pair->n_points; p++)
        if (pair->count[2 * p] > 0 && pair->count[2 * p + 1] > 0)
            sum += pair->weight[p];
    return sum;
}

/* Refines a new split; false when it ends worse than `before`. */
static bool try_split(native_pair *pair, int64_t before, int64_t *saved)
{
    int32_t moved;
    count_sides(pair);
    int64_t after = shared_weight(pair);
    if (after > before + HOPEFUL)
        return false;
    bool fits = mplan_native_sides_fit(pair);
    after -= mplan_native_fm(pair, &moved);
    *saved = before - after;
    return after <= before && (moved > 0 || fits);
}

int64_t mplan_native_pair_refine(native_pair *pair, native_blocks *blocks, int64_t a, int64_t b,
                                 const native_try *how)
{
    int32_t moved = 0;
    int64_t saved = 0;
    read_pair(pair, a, b);
    int64_t before = shared_weight(pair);
    bool done = false;
    if (how->line && pair->coordinates) {
        mplan_native_split_line(pair);
        done = try_split(pair, before, &saved);
    }
    if (!done && how->sweeps > 0) {
        mplan_native_split_smooth(pair, how->sweeps);
        done = try_split(pair, before, &saved);
    }
    if (!done) {
        if (how->sweeps > 0 || how->line) {
            reset_sides(pair);
            count_sides(pair);
        }
        saved = mplan_native_fm(pair, &moved);
        if (moved == 0)
            return -1;
    }
    store_pair(pair, blocks, a, b);
    return saved;
}
