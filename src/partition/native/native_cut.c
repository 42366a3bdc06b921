/* SPDX-License-Identifier: Apache-2.0 */
/* native_cut.c - the cut that is being refined: which block every element is in
 *
 * Beside the table and its transpose a few numbers an element: refining a pair of
 * blocks reads what lies at their border and nothing else. */
#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "base/sort.h"
#include "base/threads.h"
#include "partition/native/native_cut.h"

enum { ELEMENTS = 1 << 14, BLOCKS = 16 }; /* of a piece */

/* Points of each set that each block touches, hubs left out. seen[b]: the last point that block
 * b was counted for, so that it counts once however many of its elements touch it. O(entries). */
static void count_points(native_cut *cut, int32_t *seen)
{
    const native_table *t = cut->table;
    memset(cut->set_points, 0, (size_t)(cut->n_blocks * t->n_sets) * sizeof *cut->set_points);
    memset(seen, 0xff, (size_t)cut->n_blocks * sizeof *seen);
    for (int64_t p = 0; p < t->n_points; p++) {
        int32_t set = native_set_of(t, (int32_t)p);
        for (int64_t i = cut->begin[p]; i < cut->begin[p + 1] && !native_is_hub(cut, p); i++) {
            int64_t b = cut->where[cut->elements[i]].block;
            cut->set_points[b * t->n_sets + set] += seen[b] != (int32_t)p;
            seen[b] = (int32_t)p;
        }
    }
}

/* Points per block and set, kept only where limits on points can bind; set_hubs:
 * points of so many elements that every block is taken to touch them. */
static mplan_status open_set_points(native_cut *cut, mplan_error *err)
{
    const native_table *t = cut->table;
    cut->set_points = mplan_alloc(cut->n_blocks * t->n_sets, sizeof *cut->set_points, err);
    cut->set_hubs = mplan_alloc_zero(t->n_sets, sizeof *cut->set_hubs, err);
    if (!cut->set_points || !cut->set_hubs)
        return MPLAN_ERR_MEMORY;
    for (int64_t p = 0; p < t->n_points; p++)
        cut->set_hubs[native_set_of(t, (int32_t)p)] += native_is_hub(cut, p);
    return MPLAN_OK;
}

/* Counts cut->set_points anew, which moves made without counting (native_lloyd.c) left behind.
 * True without limits that bind. */
mplan_status mplan_native_cut_fits(native_cut *cut, bool *fits, mplan_error *err)
{
    assert(cut && fits);
    *fits = true;
    if (!cut->set_points)
        return MPLAN_OK;
    int32_t n_sets = cut->table->n_sets;
    int32_t *seen = mplan_alloc(cut->n_blocks, sizeof *seen, err);
    int64_t *counts = mplan_alloc(n_sets, sizeof *counts, err);
    if (seen && counts)
        count_points(cut, seen);
    for (int64_t b = 0; b < cut->n_blocks && seen && counts && *fits; b++) {
        for (int32_t s = 0; s < n_sets; s++)
            counts[s] = cut->set_points[b * n_sets + s] + cut->set_hubs[s];
        *fits = mplan_footprint_counts_fit(cut->footprint, counts);
    }
    mplan_status status = seen && counts ? MPLAN_OK : MPLAN_ERR_MEMORY;
    free(seen);
    free(counts);
    return status;
}

typedef struct reset_work {
    native_cut *cut;
    const int32_t *block;   /* of each element; or */
    const int64_t *offsets; /* n_blocks + 1: blocks that lie one behind the other */
} reset_work;

/* Elements [begin, end): neighbours are mostly of one block, which is added to once for all of them. */
static void reset_elements(void *data, int thread, int64_t begin, int64_t end)
{
    const reset_work *work = data;
    (void)thread;
    for (int64_t e = begin, next; e < end; e = next) {
        const int32_t b = work->block[e];
        for (next = e; next < end && work->block[next] == b; next++)
            work->cut->where[next] = (native_where){b, -1};
        mplan_add_u32((uint32_t *)&work->cut->sizes[b], (uint32_t)(next - e)); /* the same 32 bits */
    }
}

/* block: of each element. set_points are counted anew where they are kept. Members are not: mplan_native_cut_list makes
 * them. */
mplan_status mplan_native_cut_reset(native_cut *cut, const int32_t *block, mplan_team *team,
                                    mplan_error *err)
{
    assert(cut && block);
    bool fits;
    memset(cut->sizes, 0, (size_t)cut->n_blocks * sizeof *cut->sizes);
    mplan_for(team, cut->table->n, ELEMENTS, reset_elements,
              &(reset_work){.cut = cut, .block = block});
    return mplan_native_cut_fits(cut, &fits, err);
}

static void reset_blocks(void *data, int thread, int64_t begin, int64_t end)
{
    const reset_work *work = data;
    (void)thread;
    for (int64_t b = begin; b < end; b++) {
        work->cut->sizes[b] = (int32_t)(work->offsets[b + 1] - work->offsets[b]);
        for (int64_t e = work->offsets[b]; e < work->offsets[b + 1]; e++)
            work->cut->where[e] = (native_where){(int32_t)b, -1};
    }
}

/* The blocks of the first cut, one behind the other. */
static mplan_status begin_blocks(native_cut *cut, const int64_t *offsets, mplan_team *team,
                                 mplan_error *err)
{
    bool fits;
    mplan_for(team, cut->n_blocks, BLOCKS, reset_blocks,
              &(reset_work){.cut = cut, .offsets = offsets});
    return mplan_native_cut_fits(cut, &fits, err);
}

/* Room for where each element is, and the transpose of the table. */
static mplan_status open_elements(native_cut *cut, mplan_team *team, mplan_error *err)
{
    const native_table *table = cut->table;
    cut->where = mplan_alloc(table->n, sizeof *cut->where, err);
    cut->begin = mplan_alloc(table->n_points + 2, sizeof *cut->begin, err);
    cut->elements = mplan_alloc(native_entries(table), sizeof *cut->elements, err);
    if (!cut->where || !cut->begin || !cut->elements)
        return MPLAN_ERR_MEMORY;
    mplan_native_table_transpose(table, cut->begin, cut->elements, team);
    return MPLAN_OK;
}

/* A point of more elements than that is read by no pair of blocks: its cost stays, since many blocks touch it whatever moves. Nodes of
 * good meshes have up to 70 elements; tables whose points have very different numbers of them reuse points 0.3 to 4.6 % more often with
 * 96 than with 512. But where all points have many, there are no others to save, and a block that is larger than a point has elements
 * saves it by having all of them: with 108 elements a point, blocks of 256 and 1024 reuse 3 to 4 % less with 96 than with this bound. */
static int32_t hub_of(const native_table *table, int32_t block_size)
{
    const int64_t mean = native_entries(table) / (table->n_points > 0 ? table->n_points : 1);
    const int64_t size = block_size - block_size / 4, hub = 2 * mean < size ? 2 * mean : size;
    return hub < NATIVE_LEAST_HUB  ? NATIVE_LEAST_HUB
           : hub < NATIVE_MOST_HUB ? (int32_t)hub
                                   : NATIVE_MOST_HUB;
}

/* The table must be numbered by the first cut: block b is elements offsets[b]
 * ... offsets[b + 1] - 1. *cut refers to table and footprint. */
mplan_status mplan_native_cut_create(const native_table *table, const mplan_footprint *footprint,
                                     int64_t n_blocks, const int64_t *offsets, native_cut *cut,
                                     const mplan_context *context, mplan_error *err)
{
    assert(table && footprint && offsets && cut && n_blocks >= 0 && offsets[0] == 0);
    const int32_t size = footprint->limits->block_size;
    *cut = (native_cut){.table = table,
                        .footprint = footprint,
                        .n_blocks = n_blocks,
                        .block_size = size,
                        .hub = hub_of(table, size),
                        .most = size,
                        .room = size};
    cut->sizes = mplan_alloc(n_blocks, sizeof *cut->sizes, err);
    mplan_status status = cut->sizes ? open_elements(cut, mplan_team_of(context), err)
                                     : MPLAN_ERR_MEMORY;
    if (!status && table->limits_bind)
        status = open_set_points(cut, err);
    if (!status)
        status = begin_blocks(cut, offsets, mplan_team_of(context), err);
    if (status)
        mplan_native_cut_free(cut);
    return status;
}

/* The lists may be made and freed several times in the life of a cut. */
void mplan_native_cut_free_lists(native_cut *cut)
{
    assert(cut);
    if (!cut->lists)
        return;
    free(cut->lists->rows);
    free(cut->lists->n_points);
    free(cut->lists->points_begin);
    free(cut->lists->points);
    free(cut->lists->counts);
    free(cut->lists);
    cut->lists = NULL;
}

/* The table is borrowed and stays. `cut` is empty afterwards and may be freed again. */
void mplan_native_cut_free(native_cut *cut)
{
    assert(cut);
    mplan_native_cut_free_lists(cut);
    free(cut->begin);
    free(cut->elements);
    free(cut->where);
    free(cut->sizes);
    free(cut->set_points);
    free(cut->set_hubs);
    free(cut->members);
    *cut = (native_cut){.table = NULL};
}

/* Elements [begin, end) to the next places of their blocks, whichever thread comes first. */
static void deal_members(void *data, int thread, int64_t begin, int64_t end)
{
    const native_cut *cut = data;
    (void)thread;
    for (int64_t e = begin; e < end; e++) {
        int64_t b = cut->where[e].block;
        int64_t at = mplan_add_u32((uint32_t *)&cut->sizes[b], 1); /* the same 32 bits */
        cut->members[b * cut->room + at] = (int32_t)e;
    }
}

/* Members of blocks [begin, end) ascend. */
static void sort_members(void *data, int thread, int64_t begin, int64_t end)
{
    const native_cut *cut = data;
    (void)thread;
    for (int64_t b = begin; b < end; b++)
        mplan_sort_i32(native_members(cut, b), cut->sizes[b]);
}

/* members: `room` places for each block, filled in ascending order; sizes are counted on the
 * way. No block may have more than `room` elements. One thread needs no sort: it meets elements in their order. */
mplan_status mplan_native_cut_list(native_cut *cut, mplan_team *team, mplan_error *err)
{
    assert(cut);
    if (!cut->members)
        cut->members = mplan_alloc(cut->n_blocks * cut->room, sizeof *cut->members, err);
    if (!cut->members)
        return MPLAN_ERR_MEMORY;
    memset(cut->sizes, 0, (size_t)cut->n_blocks * sizeof *cut->sizes);
    if (mplan_team_threads(team) > 1 && cut->table->n >= 2 * ELEMENTS) {
        mplan_for(team, cut->table->n, ELEMENTS, deal_members, cut);
        mplan_for(team, cut->n_blocks, BLOCKS, sort_members, cut);
        return MPLAN_OK;
    }
    for (int64_t e = 0; e < cut->table->n; e++) {
        int64_t b = cut->where[e].block;
        cut->members[b * cut->room + cut->sizes[b]++] = (int32_t)e;
    }
    return MPLAN_OK;
}

/* Nothing may be asked of a folded cut but its table, sizes and members. */
void mplan_native_cut_fold(native_cut *cut)
{
    assert(cut && cut->members && !cut->lists);
    free(cut->begin);
    free(cut->elements);
    free(cut->where);
    cut->begin = NULL;
    cut->elements = NULL;
    cut->where = NULL;
}

/* where or block of each member of blocks [begin, end). */
typedef struct member_work {
    const native_cut *cut;
    int32_t *block; /* NULL: cut->where */
} member_work;

static void place_members(void *data, int thread, int64_t begin, int64_t end)
{
    const member_work *work = data;
    (void)thread;
    for (int64_t b = begin; b < end; b++) {
        const int32_t *member = native_members(work->cut, b);
        for (int32_t i = 0; i < work->cut->sizes[b]; i++)
            if (work->block)
                work->block[member[i]] = (int32_t)b;
            else
                work->cut->where[member[i]] = (native_where){(int32_t)b, -1};
    }
}

void mplan_native_cut_keep(const native_cut *cut, int32_t *block, mplan_team *team)
{
    assert(cut && cut->members && block);
    mplan_for(team, cut->n_blocks, BLOCKS, place_members, &(member_work){cut, block});
}

/* After a failure the cut can only be freed. */
mplan_status mplan_native_cut_unfold(native_cut *cut, mplan_team *team, mplan_error *err)
{
    assert(cut && cut->members && !cut->begin && !cut->elements && !cut->where);
    mplan_status status = open_elements(cut, team, err);
    if (!status)
        mplan_for(team, cut->n_blocks, BLOCKS, place_members, &(member_work){cut, NULL});
    return status;
}

void mplan_native_cut_unlist(native_cut *cut)
{
    assert(cut && !cut->lists);
    free(cut->members);
    cut->members = NULL;
}

typedef struct weight_work {
    const native_cut *cut;
} weight_work;

/* Points [begin, end): their weight times the blocks that touch them. Blocks at a point are told
 * apart by looking back through its list, which has at most cut->hub entries and mostly few
 * blocks. */
static int64_t weigh_points(void *data, int thread, int64_t begin, int64_t end)
{
    const native_cut *cut = ((const weight_work *)data)->cut;
    int64_t sum = 0;
    (void)thread;
    for (int64_t p = begin; p < end; p++) {
        const int32_t *at = cut->elements + cut->begin[p];
        int64_t n = cut->begin[p + 1] - cut->begin[p], blocks = 0;
        for (int64_t i = 0; i < n && n <= cut->hub; i++) {
            int64_t k = i - 1; /* neighbours in the list are often of one block */
            while (k >= 0 && cut->where[at[k]].block != cut->where[at[i]].block)
                k--;
            blocks += k < 0;
        }
        sum += blocks * cut->table->set_weight[native_set_of(cut->table, (int32_t)p)];
    }
    return sum;
}

int64_t mplan_native_cut_weight(const native_cut *cut, mplan_team *team)
{
    enum { POINTS = 1 << 12 };
    assert(cut && cut->begin && cut->elements && cut->where);
    weight_work work = {cut};
    return mplan_for_sum(team, cut->table->n_points, POINTS, weigh_points, &work);
}
