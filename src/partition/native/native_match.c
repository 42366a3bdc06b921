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
#include "base/threads.h"
#include "partition/native/native_match.h"

enum { COLOURS = 64, HUB_BLOCKS = 32, RUN_ELEMENTS = 1 << 15, RANGES = 64, FEW_POINTS = 1 << 12 };

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
    for (int64_t i = begin; i < end; i++) {
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

/* All records, by point: ranges side by side, then one behind the other. */
static mplan_status collect(const native_cut *cut, mplan_vector *records, int64_t *touched,
                            mplan_team *team, mplan_error *err)
{
    collection all = {.cut = cut};
    mplan_vector *parts = all.parts;
    mplan_status status = cut->lists ? invert_lists(cut, &all.in, err) : MPLAN_OK;
    if (status) {
        free(all.in.begin);
        free(all.in.blocks);
        return status;
    }
    mplan_for(cut->table->n_points >= FEW_POINTS ? team : NULL, RANGES, 1, collect_ranges, &all);
    free(all.in.begin);
    free(all.in.blocks);
    int64_t total = 0;
    *touched = 0;
    for (int32_t i = 0; i < RANGES; i++) {
        status = !status ? all.done[i] : status;
        total += parts[i].count;
        *touched += all.sums[i];
    }
    if (status)
        status = mplan_fail(err, status, "out of memory for the borders of %lld blocks",
                            (long long)cut->n_blocks);
    else if (!mplan_vector_reserve(records, total, err))
        status = MPLAN_ERR_MEMORY;
    for (int32_t i = 0; i < RANGES; i++) {
        if (!status && parts[i].count > 0)
            memcpy((record *)records->data + records->count, parts[i].data,
                   (size_t)parts[i].count * sizeof(record));
        records->count += !status ? parts[i].count : 0;
        free(parts[i].data);
    }
    return status;
}

/* One pass of a counting sort: by b, or by a. place: n_blocks + 1. */
static void sort_pass(const record *from, record *to, int64_t n, bool by_b, int64_t *place,
                      int64_t n_blocks)
{
    memset(place, 0, ((size_t)n_blocks + 1) * sizeof *place);
    for (int64_t i = 0; i < n; i++)
        place[(by_b ? from[i].b : from[i].a) + 1]++;
    mplan_sum_counts(place, n_blocks);
    for (int64_t i = 0; i < n; i++)
        to[place[by_b ? from[i].b : from[i].a]++] = from[i];
}

/* By a, then b: two counting passes. Equal pairs then lie side by side. */
static mplan_status sort_records(const native_cut *cut, mplan_vector *records, mplan_error *err)
{
    record *other = mplan_alloc(records->count, sizeof *other, err);
    int64_t *place = mplan_alloc(cut->n_blocks + 1, sizeof *place, err);
    if (other && place) {
        sort_pass(records->data, other, records->count, true, place, cut->n_blocks);
        sort_pass(other, records->data, records->count, false, place, cut->n_blocks);
    }
    mplan_status status = other && place ? MPLAN_OK : MPLAN_ERR_MEMORY;
    free(other);
    free(place);
    return status;
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

/* Runs of equal records become pairs, whose points are the records from pair.begin on. least:
 * pairs that share fewer points are left out. */
static void find_block_pairs(grouping *g, const record *records, int64_t n, int32_t least)
{
    for (int64_t i = 0, end; i < n; i = end) {
        for (end = i; end < n && records[end].a == records[i].a && records[end].b == records[i].b;)
            end++;
        native_block_pair block_pair = {records[i].a, records[i].b, i, (int32_t)(end - i)};
        if (end - i >= least)
            give_group(g, &block_pair);
    }
}

/* Distinct (a, b) among sorted records. */
static int64_t count_block_pairs(const record *records, int64_t n)
{
    int64_t count = 0;
    for (int64_t i = 0; i < n; i++)
        count += i == 0 || records[i].a != records[i - 1].a || records[i].b != records[i - 1].b;
    return count;
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

/* An edge colouring of the graph of blocks, first fit. least: pairs with fewer shared points are
 * left out, as are those for which 64 colours are not enough: they have their chance in the next
 * pass. run: blocks of about RUN_ELEMENTS elements. */
static mplan_status group_block_pairs(const native_cut *cut, const mplan_vector *records,
                                      int32_t least, int64_t rotation, native_matching *out,
                                      mplan_error *err)
{
    int64_t most = count_block_pairs(records->data, records->count);
    grouping g = {.start = rotation, .run = 1 + RUN_ELEMENTS / cut->block_size};
    g.block_pairs = mplan_alloc(most, sizeof *g.block_pairs, err);
    g.group = mplan_alloc(most, 1, err);
    g.used = mplan_alloc_zero(cut->n_blocks, sizeof *g.used, err);
    mplan_status status = MPLAN_ERR_MEMORY;
    if (g.block_pairs && g.group && g.used) {
        find_block_pairs(&g, records->data, records->count, least);
        status = sort_groups(&g, out, err);
    }
    free(g.block_pairs);
    free(g.group);
    free(g.used);
    return status;
}

/* rotation: changes from pass to pass which groups come first. Seeds are the points of all
 * records, so that a pair's are seeds[begin] ... seeds[begin + count - 1]. Time O(entries +
 * records). *matching is owned by the caller, and empty after a failure. */
mplan_status mplan_native_match(const native_cut *cut, int32_t least, int64_t rotation,
                                native_matching *matching, const mplan_context *context,
                                mplan_error *err)
{
    assert(cut && matching);
    mplan_vector records = MPLAN_VECTOR_INIT(sizeof(record));
    *matching = (native_matching){0};
    mplan_status status = collect(cut, &records, &matching->touched, mplan_team_of(context), err);
    if (!status)
        status = mplan_interrupted(context, err);
    if (!status)
        status = sort_records(cut, &records, err);
    if (!status)
        status = group_block_pairs(cut, &records, least, rotation, matching, err);
    if (!status) {
        matching->seeds = mplan_alloc(records.count, sizeof *matching->seeds, err);
        const record *all = records.data;
        for (int64_t i = 0; matching->seeds && i < records.count; i++)
            matching->seeds[i] = all[i].point;
        status = matching->seeds ? MPLAN_OK : MPLAN_ERR_MEMORY;
    }
    free(records.data);
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
