/* SPDX-License-Identifier: Apache-2.0 */
/* native_match.c - pairs of blocks that share points, in groups of disjoint units
 *
 * Every point gives a record for each two blocks that touch it; sorted, they are
 * the pairs with the points they share. Pairs within a run of blocks are a unit, which
 * the cache holds; all of these are the first group. The other pairs are units of
 * their own, and their groups an edge colouring of the graph of blocks, first fit in
 * the order of the blocks (at most twice the degree). Units of a group can be refined
 * side by side, and what comes out does not depend on who refines them.
 *
 * What runs bring (tools/bench/ablation: S = 128, 150,000 cells, one thread, seconds of the cut with / with each pair as a
 * unit): triangles to nodes 0.19 / 0.31, faces of tets 0.37 / 0.55, boundary layers 0.15 / 0.24; reuse is the same within 0.1 %. */
#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "base/buckets.h"
#include "base/error.h"
#include "base/memory.h"
#include "base/radix.h"
#include "base/threads.h"
#include "partition/native/native_match.h"

enum {
    COLOURS = 64,
    HUB_BLOCKS = 32,
    RUN_ELEMENTS = 1 << 15,
    RANGES = 64,
    FEW_POINTS = 1 << 12,
    PIECE = 1 << 13
};

typedef struct record {
    int32_t a, b, point;
} record;

/* Blocks at a point, each once, in the order of its elements; 0 where they are more than
 * HUB_BLOCKS: such a point names no pair, and does not count as touched. blocks: room for
 * HUB_BLOCKS. */
static int32_t blocks_at(const native_cut *cut, int64_t point, int32_t *blocks)
{
    int32_t count = 0;
    int64_t begin = cut->begin[point], end = cut->begin[point + 1];
    if (begin == end)
        return 0;
    int64_t same = begin + 1;
    blocks[count++] = cut->where[cut->elements[begin]].block;
    while (same < end && cut->where[cut->elements[same]].block == blocks[0])
        same++; /* at most points all are of one block */
    for (int64_t i = same; i < end; i++) {
        int32_t b = cut->where[cut->elements[i]].block, k = 0;
        if (count > 0 && b == blocks[count - 1])
            continue;
        while (k < count && blocks[k] != b)
            k++;
        if (k < count)
            continue;
        if (count == HUB_BLOCKS)
            return 0;
        blocks[count++] = b;
    }
    return count;
}

/* Of every point the blocks that list it, ascending: points[begin[p]] ... */
typedef struct incidence {
    int64_t *begin; /* n_points + 2 */
    int32_t *blocks;
} incidence;

/* Blocks at all points from the lists of the blocks, which are a fraction of the table. *in is the caller's to free,
 * also after a failure. */
static mplan_status invert_lists(const native_cut *cut, incidence *in, mplan_error *err)
{
    const native_lists *lists = cut->lists;
    int64_t n_points = cut->table->n_points, total = 0;
    for (int64_t b = 0; b < cut->n_blocks; b++)
        total += lists->n_points[b];
    in->begin = mplan_alloc_zero(n_points + 2, sizeof *in->begin, err);
    in->blocks = mplan_alloc(total, sizeof *in->blocks, err);
    if (!in->begin || !in->blocks)
        return MPLAN_ERR_MEMORY;
    int64_t *place = in->begin + 1; /* ends up as begin */
    for (int64_t b = 0; b < cut->n_blocks; b++)
        for (int32_t i = 0; i < lists->n_points[b]; i++)
            place[lists->points[lists->points_begin[b] + i] + 1]++;
    mplan_sum_counts(place, n_points);
    for (int64_t b = 0; b < cut->n_blocks; b++)
        for (int32_t i = 0; i < lists->n_points[b]; i++)
            in->blocks[place[lists->points[lists->points_begin[b] + i]]++] = (int32_t)b;
    return MPLAN_OK;
}

/* How many blocks list a point, 0 where they are more than HUB_BLOCKS. */
static int32_t listed_at(const incidence *in, int64_t point)
{
    int64_t count = in->begin[point + 1] - in->begin[point];
    return count <= HUB_BLOCKS ? (int32_t)count : 0;
}

/* The records of points [begin, end), and in *touched the (block, point) pairs of these. A point
 * of k blocks gives k (k - 1) / 2 records, the lower block first. */
static mplan_status collect_range(const native_cut *cut, const incidence *in, int64_t begin,
                                  int64_t end, mplan_vector *records, int64_t *touched,
                                  mplan_error *err)
{
    int32_t found[HUB_BLOCKS];
    for (int64_t p = begin; p < end; p++) {
        const int32_t *blocks = in->blocks ? in->blocks + in->begin[p] : found;
        int32_t count = native_is_hub(cut, p) ? 0
                        : in->blocks          ? listed_at(in, p)
                                              : blocks_at(cut, p, found);
        *touched += count;
        if (count < 2)
            continue;
        if (!mplan_vector_reserve(records, count * (count - 1) / 2, err))
            return MPLAN_ERR_MEMORY;
        record *to = (record *)records->data + records->count;
        records->count += count * (count - 1) / 2;
        for (int32_t i = 0; i < count; i++)
            for (int32_t k = 0; k < i; k++) {
                bool ascends = blocks[k] < blocks[i];
                *to++ = (record){blocks[ascends ? k : i], blocks[ascends ? i : k], (int32_t)p};
            }
    }
    return MPLAN_OK;
}

/* What the ranges give. */
typedef struct collection {
    const native_cut *cut;
    incidence in; /* where blocks have lists */
    mplan_vector parts[RANGES];
    int64_t sums[RANGES];
    mplan_status done[RANGES];
} collection;

/* Ranges [first, last) of the RANGES parts of the points: a record (block, block, point) for
 * each two blocks that share a point. all->done[i]: status of range i; messages are made by the
 * thread that called. */
static void collect_ranges(void *data, int thread, int64_t first, int64_t last)
{
    collection *all = data;
    int64_t n_points = all->cut->table->n_points, size = n_points / RANGES + 1;
    (void)thread;
    for (int64_t i = first; i < last; i++) {
        int64_t begin = i * size, end = begin + size < n_points ? begin + size : n_points;
        all->parts[i] = (mplan_vector)MPLAN_VECTOR_INIT(sizeof(record));
        all->sums[i] = 0;
        all->done[i] = collect_range(all->cut, &all->in, begin, end, &all->parts[i], &all->sums[i],
                                     NULL);
    }
}

/* Records as keys, a before b, with their points: n of each. Their order is that of the points, then that of the keys. */
typedef struct sorted_records {
    int64_t n;
    uint64_t *keys;
    int32_t *points;
    int32_t bits; /* of b in a key */
} sorted_records;

static int32_t higher_of(const sorted_records *all, uint64_t key)
{
    return (int32_t)(key & ((UINT64_C(1) << all->bits) - 1));
}
static int32_t lower_of(const sorted_records *all, uint64_t key)
{
    return (int32_t)(key >> all->bits);
}

/* What ranges found, on its way to one list; begin[i]: where that of range i begins. */
typedef struct joining {
    const mplan_vector *parts;
    int64_t begin[RANGES + 1];
    sorted_records *to;
} joining;

/* Ranges [first, last). */
static void join_ranges(void *data, int thread, int64_t first, int64_t last)
{
    const joining *all = data;
    (void)thread;
    for (int64_t i = first; i < last; i++) {
        const record *from = all->parts[i].data;
        for (int64_t k = 0; k < all->parts[i].count; k++) {
            const int64_t at = all->begin[i] + k;
            all->to->keys[at] = (uint64_t)from[k].a << all->to->bits | (uint32_t)from[k].b;
            all->to->points[at] = from[k].point;
        }
    }
}

/* Room for `n` records of so many blocks. */
static mplan_status open_records(sorted_records *out, int64_t n, int64_t n_blocks, mplan_error *err)
{
    out->n = n;
    out->bits = 1;
    while (n_blocks >> out->bits > 0)
        out->bits++;
    out->keys = mplan_alloc(n, sizeof *out->keys, err);
    out->points = mplan_alloc(n, sizeof *out->points, err);
    return out->keys && out->points ? MPLAN_OK : MPLAN_ERR_MEMORY;
}

/* All records, by point: ranges side by side, then one behind the other. */
static mplan_status collect(const native_cut *cut, sorted_records *records, int64_t *touched,
                            mplan_team *team, mplan_error *err)
{
    collection all = {.cut = cut};
    joining join = {.parts = all.parts, .to = records};
    mplan_status status = cut->lists ? invert_lists(cut, &all.in, err) : MPLAN_OK;
    if (status) {
        free(all.in.begin);
        free(all.in.blocks);
        return status;
    }
    team = cut->table->n_points >= FEW_POINTS ? team : NULL;
    mplan_for(team, RANGES, 1, collect_ranges, &all);
    free(all.in.begin);
    free(all.in.blocks);
    *touched = 0;
    for (int32_t i = 0; i < RANGES; i++) {
        status = !status ? all.done[i] : status;
        join.begin[i + 1] = join.begin[i] + all.parts[i].count;
        *touched += all.sums[i];
    }
    if (status)
        status = mplan_fail(err, status, "out of memory for the borders of %lld blocks",
                            (long long)cut->n_blocks);
    else
        status = open_records(records, join.begin[RANGES], cut->n_blocks, err);
    mplan_for(team, status ? 0 : RANGES, 1, join_ranges, &join);
    for (int32_t i = 0; i < RANGES; i++)
        free(all.parts[i].data);
    return status;
}

/* By a, then b, stable. Equal pairs then lie side by side. */
static mplan_status sort_records(sorted_records *records, mplan_team *team, mplan_error *err)
{
    uint64_t *keys = mplan_alloc(records->n, sizeof *keys, err);
    int32_t *points = mplan_alloc(records->n, sizeof *points, err);
    mplan_status status = keys && points ? MPLAN_OK : MPLAN_ERR_MEMORY;
    if (!status)
        mplan_radix_sort_items(team, records->n, records->keys, records->points, keys, points);
    free(keys);
    free(points);
    return status;
}

/* Pairs of blocks in sorted records; pieces of these are looked at by threads. */
typedef struct pair_search {
    const sorted_records *records;
    int64_t n_pieces,
        *first; /* n_pieces + 1: pairs that begin in a piece; then the number of its first one */
    native_block_pair *pairs;
} pair_search;

/* Whether a pair begins at record i. */
static bool begins_pair(const sorted_records *all, int64_t i)
{
    return i == 0 || all->keys[i] != all->keys[i - 1];
}

static void count_pairs(void *data, int thread, int64_t begin, int64_t end)
{
    const pair_search *s = data;
    (void)thread;
    for (int64_t k = begin; k < end; k++) {
        int64_t count = 0, last = mplan_piece_begin(s->records->n, s->n_pieces, k + 1);
        for (int64_t i = mplan_piece_begin(s->records->n, s->n_pieces, k); i < last; i++)
            count += begins_pair(s->records, i);
        s->first[k + 1] = count;
    }
}

static void write_pairs(void *data, int thread, int64_t begin, int64_t end)
{
    const pair_search *s = data;
    const sorted_records *all = s->records;
    (void)thread;
    for (int64_t k = begin; k < end; k++) {
        native_block_pair *to = s->pairs + s->first[k];
        const int64_t last = mplan_piece_begin(all->n, s->n_pieces, k + 1);
        for (int64_t i = mplan_piece_begin(all->n, s->n_pieces, k); i < last; i++) {
            if (!begins_pair(all, i))
                continue;
            int64_t behind = i + 1;
            while (behind < all->n && all->keys[behind] == all->keys[i])
                behind++;
            *to++ = (native_block_pair){lower_of(all, all->keys[i]), higher_of(all, all->keys[i]),
                                        i, (int32_t)(behind - i)};
        }
    }
}

/* *pairs: all pairs of blocks, *n of them, in the order of their records; the caller's. */
static mplan_status list_pairs(const sorted_records *records, native_block_pair **pairs, int64_t *n,
                               mplan_team *team, mplan_error *err)
{
    pair_search s = {.records = records, .n_pieces = mplan_pieces(team, records->n, PIECE)};
    *n = 0;
    s.first = mplan_alloc_zero(s.n_pieces + 1, sizeof *s.first, err);
    if (!s.first)
        return MPLAN_ERR_MEMORY;
    mplan_for(team, s.n_pieces, 1, count_pairs, &s);
    mplan_sum_counts(s.first, s.n_pieces);
    *pairs = s.pairs = mplan_alloc(s.first[s.n_pieces], sizeof *s.pairs, err);
    mplan_for(team, s.pairs ? s.n_pieces : 0, 1, write_pairs, &s);
    *n = s.first[s.n_pieces];
    free(s.first);
    return s.pairs ? MPLAN_OK : MPLAN_ERR_MEMORY;
}

/* --- groups ------------------------------------------------------------------------ */

typedef struct grouping {
    int64_t n_block_pairs, start, run; /* run: blocks whose pairs are a unit */
    native_block_pair *block_pairs;
    uint8_t *group;
    uint64_t *used; /* per block: groups that hold it */
} grouping;

/* Gives a pair its group: 0 within a run of blocks, else 1 more than the first of 64 colours
 * that neither block has yet, turned by `start`, so that other pairs come first in the next
 * pass. A pair that finds none is left out of this matching. */
static void give_group(grouping *g, const native_block_pair *block_pair)
{
    uint64_t used = g->used[block_pair->a] | g->used[block_pair->b];
    int32_t group = 0;
    if (block_pair->a / g->run != block_pair->b / g->run) {
        if (used == UINT64_MAX)
            return;
        while (used >> group & 1)
            group++;
        g->used[block_pair->a] |= UINT64_C(1) << group;
        g->used[block_pair->b] |= UINT64_C(1) << group;
        group = 1 + (int32_t)((group + g->start) % COLOURS);
    }
    g->group[g->n_block_pairs] = (uint8_t)group;
    g->block_pairs[g->n_block_pairs++] = *block_pair;
}

/* Units of the pairs, which are sorted by group: within group 0 the pairs of one run of blocks,
 * which lie side by side since records are sorted by a; every other pair is a unit of its own.
 * group_begin counts pairs before and units after. */
static void list_units(const grouping *g, native_matching *out)
{
    int64_t units = 0, first = out->group_begin[1];
    for (int64_t i = 0; i < first; i++)
        if (i == 0 || out->block_pairs[i].a / g->run != out->block_pairs[i - 1].a / g->run)
            out->unit_begin[units++] = i;
    int64_t shift = units - first;
    for (int32_t k = 1; k <= out->n_groups; k++)
        out->group_begin[k] += shift;
    for (int64_t i = first; i < g->n_block_pairs; i++)
        out->unit_begin[units++] = i;
    out->unit_begin[units] = g->n_block_pairs;
}

/* Pairs by group, in the order in which they were found within one; counting sort, stable. Then
 * their units. */
static mplan_status sort_groups(const grouping *g, native_matching *out, mplan_error *err)
{
    out->n_groups = 1 + COLOURS;
    out->group_begin = mplan_alloc_zero((int64_t)out->n_groups + 2, sizeof *out->group_begin, err);
    out->unit_begin = mplan_alloc(g->n_block_pairs + 1, sizeof *out->unit_begin, err);
    out->block_pairs = mplan_alloc(g->n_block_pairs, sizeof *out->block_pairs, err);
    if (!out->group_begin || !out->unit_begin || !out->block_pairs)
        return MPLAN_ERR_MEMORY;
    int64_t *place = out->group_begin + 1; /* ends up as begin */
    for (int64_t i = 0; i < g->n_block_pairs; i++)
        place[g->group[i] + 1]++;
    mplan_sum_counts(place, out->n_groups);
    for (int64_t i = 0; i < g->n_block_pairs; i++)
        out->block_pairs[place[g->group[i]]++] = g->block_pairs[i];
    list_units(g, out);
    return MPLAN_OK;
}

/* Blocks of a run, of which there are to be `least` at least. */
static int64_t run_of(const native_cut *cut, int32_t least)
{
    const int64_t run = 1 + RUN_ELEMENTS / cut->block_size;
    if (least == 0 || run * least <= cut->n_blocks)
        return run;
    return cut->n_blocks > least ? cut->n_blocks / least : 1;
}

/* An edge colouring of the graph of blocks, first fit. least: pairs with fewer shared points are
 * left out, as are those for which 64 colours are not enough: they have their chance in the next
 * pass. runs: of blocks of about RUN_ELEMENTS elements, or fewer where there would be less than so many. */
static mplan_status group_block_pairs(const native_cut *cut, const sorted_records *records,
                                      int32_t least, int32_t runs, int64_t rotation,
                                      native_matching *out, mplan_team *team, mplan_error *err)
{
    int64_t most;
    native_block_pair *all = NULL;
    grouping g = {.start = rotation, .run = run_of(cut, runs)};
    mplan_status status = list_pairs(records, &all, &most, team, err);
    g.block_pairs = mplan_alloc(most, sizeof *g.block_pairs, err);
    g.group = mplan_alloc(most, 1, err);
    g.used = mplan_alloc_zero(cut->n_blocks, sizeof *g.used, err);
    if (!g.block_pairs || !g.group || !g.used)
        status = MPLAN_ERR_MEMORY;
    for (int64_t i = 0; i < most && !status; i++)
        if (all[i].count >= least)
            give_group(&g, &all[i]);
    if (!status)
        status = sort_groups(&g, out, err);
    free(all);
    free(g.block_pairs);
    free(g.group);
    free(g.used);
    return status;
}

/* rotation: changes from pass to pass which groups come first. Seeds are the points of all
 * records, so that a pair's are seeds[begin] ... seeds[begin + count - 1]. Time O(entries +
 * records). *matching is owned by the caller, and empty after a failure. */
mplan_status mplan_native_match(const native_cut *cut, int32_t least, int32_t runs,
                                int64_t rotation, native_matching *matching,
                                const mplan_context *context, mplan_error *err)
{
    assert(cut && matching && runs >= 0);
    sorted_records records = {0};
    mplan_team *team = mplan_team_of(context);
    *matching = (native_matching){0};
    mplan_status status = collect(cut, &records, &matching->touched, team, err);
    if (!status)
        status = mplan_interrupted(context, err);
    if (!status)
        status = sort_records(&records, team, err);
    if (!status)
        status = group_block_pairs(cut, &records, least, runs, rotation, matching, team, err);
    matching->seeds = records.points;
    free(records.keys);
    if (status)
        mplan_native_matching_free(matching);
    return status;
}

void mplan_native_matching_free(native_matching *matching)
{
    assert(matching);
    free(matching->group_begin);
    free(matching->unit_begin);
    free(matching->block_pairs);
    free(matching->seeds);
    *matching = (native_matching){0};
}
