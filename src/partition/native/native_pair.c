/* native_pair.c - two blocks side by side: how they are read, split and stored */
#include "partition/native/native_pair.h"

#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "partition/native/native_lists.h"

/* a split that costs more than HOPEFUL above the last stays worse */
enum { MOST_RANGE = 127, HOPEFUL = 2, MOST_ENTRIES = 1 << 18, ID_BITS = 20, LEAST_BITS = 8 };

/* Room for two full blocks; binds: whether points per set are counted. */
static mplan_status open_arrays(native_pair *pair, mplan_error *err)
{
    int64_t elements = 2 * (int64_t)pair->cut->block_size, entries = elements * pair->longest;
    int64_t lists = 2 * pair->range + 1;
    bool binds = pair->cut->set_points != NULL;
    pair->elements = mplan_alloc(elements, sizeof *pair->elements, err);
    pair->points = mplan_alloc(2 * entries, sizeof *pair->points, err);
    pair->rows = mplan_alloc(entries, sizeof *pair->rows, err);
    pair->touch = mplan_alloc(entries + 1, sizeof *pair->touch, err);
    pair->link = mplan_alloc(elements + 2 * lists, sizeof *pair->link, err);
    pair->waiting = mplan_alloc(elements, sizeof *pair->waiting, err);
    pair->moved = mplan_alloc(elements, sizeof *pair->moved, err);
    pair->value = mplan_alloc(elements, sizeof *pair->value, err);
    pair->point_value = mplan_alloc(2 * entries, sizeof *pair->point_value, err);
    pair->ranked = mplan_alloc(elements, sizeof *pair->ranked, err);
    int32_t bits = LEAST_BITS;
    while (INT64_C(1) << (bits - 1) <= 2 * entries)
        bits++;
    pair->place = mplan_alloc_zero(INT64_C(1) << bits, sizeof *pair->place, err);
    if (binds)
        pair->set_points = mplan_alloc(2 * (int64_t)pair->cut->table->n_sets,
                                       sizeof *pair->set_points, err);
    bool all = pair->elements && pair->points && pair->rows && pair->touch && pair->link &&
               pair->waiting && pair->moved && pair->value && pair->point_value && pair->ranked &&
               pair->place && (pair->set_points || !binds);
    return all ? MPLAN_OK : MPLAN_ERR_MEMORY;
}

/* The longest row that may move; shorter than the longest of all where the scratch
 * would grow too large. */
static int32_t longest_row(const native_cut *cut, bool *pinned)
{
    const native_table *table = cut->table;
    int64_t longest = table->arity, most = MOST_ENTRIES / (4 * (int64_t)cut->block_size);
    most = most < UINT16_MAX ? most : UINT16_MAX;
    for (int64_t e = 0; e < table->n && table->offsets && longest <= most; e++)
        if (table->offsets[e + 1] - table->offsets[e] > longest)
            longest = table->offsets[e + 1] - table->offsets[e];
    *pinned = longest > most;
    return longest < 1 ? 1 : longest < most ? (int32_t)longest : (int32_t)most;
}

/* Gains lie within the weight of a row. */
static int32_t range_of(const native_table *table, int64_t longest)
{
    int64_t weight = 1;
    for (int32_t s = 0; s < table->n_sets; s++)
        weight = table->set_weight[s] > weight ? table->set_weight[s] : weight;
    return longest * weight < MOST_RANGE ? (int32_t)(longest * weight) : MOST_RANGE;
}

/* Workspace of one thread, for pair after pair. NULL without memory. */
native_pair *mplan_native_pair_create(native_cut *cut, int32_t dimension,
                                      const float *coordinates, mplan_error *err)
{
    native_pair *pair = mplan_alloc_zero(1, sizeof *pair, err);
    if (!pair)
        return NULL;
    pair->cut = cut;
    pair->dimension = dimension;
    pair->coordinates = coordinates;
    pair->longest = longest_row(cut, &pair->pinned);
    pair->range = range_of(cut->table, pair->longest);
    pair->bits = LEAST_BITS;
    if (open_arrays(pair, err) != MPLAN_OK ||
        (cut->lists && mplan_native_pair_lists_create(pair, err) != MPLAN_OK)) {
        mplan_native_pair_free(pair);
        return NULL;
    }
    return pair;
}

void mplan_native_pair_free(native_pair *pair)
{
    if (!pair)
        return;
    mplan_native_pair_lists_free(pair);
    void *const owned[] = {pair->elements, pair->points, pair->rows, pair->touch, pair->link,
                           pair->waiting, pair->moved, pair->value, pair->point_value,
                           pair->ranked, pair->place, pair->set_points};
    for (size_t i = 0; i < sizeof owned / sizeof *owned; i++)
        free(owned[i]);
    free(pair);
}

/* --- reading ------------------------------------------------------------------- */

/* The place of a point, or the free one where it belongs. */
static pair_place *find_place(native_pair *pair, int32_t point)
{
    uint32_t mask = (UINT32_C(1) << pair->bits) - 1;
    uint32_t at = ((uint32_t)point * UINT32_C(0x9E3779B1)) >> (32 - pair->bits);
    while (pair->place[at].id >> ID_BITS == pair->now && pair->place[at].point != point)
        at = (at + 1) & mask;
    return &pair->place[at];
}

static void clear_places(native_pair *pair)
{
    memset(pair->place, 0, (sizeof *pair->place) << pair->bits);
    pair->now = 1;
}

/* Twice as many places, half of which were full. */
static void grow_places(native_pair *pair)
{
    pair->bits++;
    clear_places(pair);
    for (int32_t p = 0; p < pair->n_points; p++)
        *find_place(pair, pair->points[p].point) =
            (pair_place){pair->points[p].point, pair->now << ID_BITS | (uint32_t)p};
}

/* e: its number within the pair. Elements with longer rows than `longest` are
 * read but never moved. */
static int32_t add_element(native_pair *pair, int32_t element, int32_t side)
{
    int32_t e = pair->n++;
    int32_t length;
    native_row(pair->cut->table, element, &length);
    bool moves = length <= pair->longest;
    pair->elements[e] = (pair_element){.element = element,
                                       .row = -1,
                                       .length = (uint16_t)(moves ? length : 0),
                                       .side = (uint8_t)side,
                                       .state = NATIVE_OUT};
    pair->cut->where[element].slot = e;
    return e;
}

/* A point that was not met brings its elements of both blocks. */
static void add_point(native_pair *pair, int32_t point)
{
    const native_cut *cut = pair->cut;
    const native_table *table = cut->table;
    int32_t a = pair->block[0], b = pair->block[1];
    pair_point *p = &pair->points[pair->n_points++];
    *p = (pair_point){.point = point, .begin = pair->n_touch};
    p->weight = table->n_sets == 1 ? 1 : table->set_weight[native_set_of(table, point)];
    if (native_is_hub(cut, point)) {
        p->weight = 0;
        p->end = p->begin;
        return;
    }
    int32_t met[NATIVE_HUB], n = 0; /* no branch where none can be foretold */
    for (int64_t i = cut->begin[point]; i < cut->begin[point + 1]; i++) {
        int32_t element = cut->elements[i], block = native_block_of(cut, element);
        met[n] = element;
        n += (block == a) | (block == b);
    }
    for (int32_t i = 0; i < n; i++) {
        const native_where *where = &cut->where[met[i]];
        int32_t e = where->slot >= 0 ? where->slot : add_element(pair, met[i], where->block == b);
        p->count[pair->elements[e].side]++;
        pair->touch[pair->n_touch] = e;
        pair->n_touch += pair->elements[e].length > 0;
    }
    p->end = pair->n_touch;
}

/* The number of a point in the pair, which is read on its first call. */
static int32_t number_of(native_pair *pair, int32_t point)
{
    pair_place *place = find_place(pair, point);
    if (place->id >> ID_BITS == pair->now)
        return (int32_t)(place->id & (((uint32_t)1 << ID_BITS) - 1));
    int32_t id = pair->n_points;
    *place = (pair_place){point, pair->now << ID_BITS | (uint32_t)id};
    add_point(pair, point);
    if (pair->n_points >> (pair->bits - 1) > 0)
        grow_places(pair);
    return id;
}

/* Rows are read when they are first needed: most elements of a pair are far from
 * its border. */
void mplan_native_pair_row(native_pair *pair, int32_t e)
{
    int32_t length, begin = pair->n_entries;
    const int32_t *row = native_row(pair->cut->table, pair->elements[e].element, &length);
    pair->elements[e].row = begin;
    pair->n_entries += pair->elements[e].length;
    for (int32_t k = 0; k < pair->elements[e].length; k++)
        pair->rows[begin + k] = number_of(pair, row[k]);
}

/* Clears what the pair before left, in constant time: numbers of points carry
 * the number of the pair. */
static void read_pair(native_pair *pair, const native_block_pair *block_pair)
{
    const native_cut *cut = pair->cut;
    pair->block[0] = block_pair->a;
    pair->block[1] = block_pair->b;
    pair->n = pair->n_points = pair->n_entries = pair->n_touch = 0;
    pair->at_border = false;
    if (++pair->now >> (32 - ID_BITS) > 0)
        clear_places(pair);
    for (int32_t s = 0; s < 2; s++) {
        int64_t b = pair->block[s], n_sets = cut->table->n_sets;
        pair->size[s] = cut->sizes[b];
        for (int32_t k = 0; pair->set_points && k < n_sets && !pair->lists; k++)
            pair->set_points[s * n_sets + k] = cut->set_points[b * n_sets + k] + cut->set_hubs[k];
    }
}

/* Reads all members of both blocks; those of the first come first. */
static void read_members(native_pair *pair)
{
    const native_cut *cut = pair->cut;
    for (int32_t s = 0; s < 2; s++) {
        const int32_t *members = cut->members + (int64_t)pair->block[s] * cut->block_size;
        for (int32_t i = 0; i < cut->sizes[pair->block[s]]; i++)
            if (cut->where[members[i]].slot < 0)
                add_element(pair, members[i], s);
    }
    for (int32_t e = 0; e < pair->n; e++)
        if (pair->elements[e].row < 0)
            mplan_native_pair_row(pair, e);
}

/* --- storing --------------------------------------------------------------------- */

/* After a refinement with lists: both blocks' elements, as their sides say. */
static void store_members(native_pair *pair)
{
    native_cut *cut = pair->cut;
    int32_t n[2] = {0, 0};
    int32_t *members[2];
    for (int32_t s = 0; s < 2; s++)
        members[s] = cut->members + (int64_t)pair->block[s] * cut->block_size;
    for (int32_t e = 0; e < pair->n; e++) {
        int32_t s = pair->elements[e].side;
        members[s][n[s]++] = pair->elements[e].element;
    }
}

/* After a refinement: block of each element, sizes, points per set. where[] is
 * also read by other threads, for elements of other blocks. */
static void store_pair(native_pair *pair)
{
    native_cut *cut = pair->cut;
    for (int32_t e = 0; e < pair->n; e++)
        mplan_poke(&cut->where[pair->elements[e].element].block,
                   pair->block[pair->elements[e].side]);
    for (int32_t s = 0; s < 2; s++) {
        int64_t b = pair->block[s], n_sets = cut->table->n_sets;
        cut->sizes[b] = pair->size[s];
        for (int32_t k = 0; pair->set_points && k < n_sets; k++)
            cut->set_points[b * n_sets + k] = pair->set_points[s * n_sets + k] - cut->set_hubs[k];
    }
}

static void forget_slots(native_pair *pair)
{
    for (int32_t e = 0; e < pair->n; e++)
        pair->cut->where[pair->elements[e].element].slot = -1;
}

/* --- splits anew -------------------------------------------------------------------- */

/* Counts what the sides touch; every element is read. */
static void count_sides(native_pair *pair)
{
    pair->size[0] = pair->size[1] = 0;
    for (int32_t e = 0; e < pair->n; e++)
        pair->size[pair->elements[e].side]++;
    for (int32_t p = 0; p < pair->n_points; p++) {
        int32_t now[2] = {0, 0};
        for (int32_t i = pair->points[p].begin; i < pair->points[p].end; i++)
            now[pair->elements[pair->touch[i]].side]++;
        for (int32_t s = 0; s < 2; s++)
            mplan_native_pair_count(pair, &pair->points[p], s, now[s]);
    }
}

/* Weight of the points that both sides touch. */
static int64_t shared_weight(const native_pair *pair)
{
    int64_t sum = 0;
    for (int32_t p = 0; p < pair->n_points; p++)
        if (pair->points[p].count[0] > 0 && pair->points[p].count[1] > 0)
            sum += pair->points[p].weight;
    return sum;
}

/* Refines a new split; false, with the sides as they were, when it ends worse. */
static bool try_split(native_pair *pair, const native_try *how, int64_t *saved)
{
    int32_t moved = 0, first = pair->size[0];
    int64_t before = shared_weight(pair);
    if (how->line && pair->coordinates)
        mplan_native_split_line(pair);
    else
        mplan_native_split_smooth(pair, how->sweeps);
    count_sides(pair);
    int64_t after = shared_weight(pair);
    if (after <= before + HOPEFUL) {
        bool fits = mplan_native_sides_fit(pair);
        after -= mplan_native_fm(pair, how->patience, &moved);
        *saved = before - after;
        if (after <= before && (moved > 0 || fits))
            return true;
    }
    for (int32_t e = 0; e < pair->n; e++)
        pair->elements[e].side = e >= first;
    count_sides(pair);
    return false;
}

/* What a pair with lists has to read and to store. */
static int64_t refine_lists(native_pair *pair, bool anew, const native_try *how)
{
    int64_t saved = 0;
    int32_t moved = 0;
    mplan_native_pair_lists_read(pair, anew);
    bool done = anew && try_split(pair, how, &saved);
    if (!done)
        saved = mplan_native_fm(pair, how->patience, &moved);
    return (done || moved > 0) && mplan_native_pair_lists_store(pair) ? saved : -1;
}

/* seeds: elements at the border, block_pair->count of them, at which the
 * refinement begins. Returns what it saves; the cut is changed. */
int64_t mplan_native_pair_refine(native_pair *pair, const native_block_pair *block_pair,
                                 const int32_t *seeds, const native_try *how)
{
    bool anew = !pair->pinned && ((how->line && pair->coordinates) || how->sweeps > 0);
    bool done = false;
    int64_t saved = 0, most = 2 * (int64_t)pair->cut->block_size * pair->longest;
    int32_t moved = 0;
    read_pair(pair, block_pair);
    if (pair->lists)
        return refine_lists(pair, anew, how);
    if (anew) {
        read_members(pair);
        done = try_split(pair, how, &saved);
    }
    for (int32_t i = 0; i < block_pair->count && i < most && !anew; i++)
        number_of(pair, seeds[i]);
    if (!done)
        saved = mplan_native_fm(pair, how->patience, &moved);
    if (done || moved > 0)
        store_pair(pair);
    if (anew)
        store_members(pair);
    forget_slots(pair);
    return done || moved > 0 ? saved : -1;
}
