/* SPDX-License-Identifier: Apache-2.0 */
/* native_regroup.c - neighbouring blocks of a small table cut anew, a few at a time
 *
 * A block and some of its neighbours, more likely those that share more points with it, are a table of their own: what
 * other blocks touch does not depend on how it is cut. It is grown from some element of it and refined, as any table,
 * and the new blocks are taken where they touch less. Large neighbourhood search, with a restart for a neighbourhood (P. Shaw, CP 1998).
 *
 * What it brings where it is used (fewer than 10,000 elements): cells to nodes of a duct of 918 triangles, S = 128: 4.567 -> 4.613,
 * which is what METIS and SCOTCH find too; S = 448: 4.927 -> 4.953. Blocks of longer tables are refined by more passes
 * for the same time, and gain more by them (tools/RESULTS.md). */
#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "base/buckets.h"
#include "base/memory.h"
#include "base/point_table.h"
#include "partition/native/native_cut.h"
#include "partition/native/native_regroup.h"

/* groups that each block begins, and how many there are in all where blocks are few (no more than a quarter of the
 * elements); entries of parts that are read by then; blocks of a group */
enum { ROUNDS = 2, TRIES = 100, MOST_READ = 1 << 18, LEAST_GROUP = 2, MOST_GROUP = 6 };

/* All that groups share. */
typedef struct regroup {
    native_cut cut; /* where and members are kept up */
    mplan_footprint *footprint;
    const mplan_native_options *options;
    native_part_cutter *cutter;
    int32_t *shared;     /* n_blocks: points in common with the first block of a group; else 0 */
    int32_t *met, n_met; /* n_blocks: those with some */
    int32_t group[MOST_GROUP], n_group; /* the blocks at hand */
    int64_t saved, read;                /* weight; entries of parts */
    int32_t *element;       /* MOST_GROUP S: of the table, for each element of the part */
    int32_t *block;         /* likewise: of the part */
    mplan_point_table seen; /* points of a part */
    int32_t *point, *number, *uses,
        *last;      /* of a part: each point in the table, its number, its elements, a block */
    uint32_t state; /* of dice() */
} regroup;

/* A number below `sides`; the same ones on every run. */
static int64_t dice(regroup *r, int64_t sides)
{
    r->state = r->state * UINT32_C(1664525) + UINT32_C(1013904223);
    return (int64_t)(r->state >> 8) % sides;
}

/* Counts in r->shared how often elements of other blocks touch a point of block b. */
static void meet_neighbours(regroup *r, int32_t b)
{
    const native_cut *cut = &r->cut;
    r->n_met = 0;
    mplan_point_table_begin(&r->seen);
    for (int32_t i = 0; i < cut->sizes[b]; i++) {
        int32_t length;
        const int32_t *row = native_row(cut->table, native_members(cut, b)[i], &length);
        for (int32_t k = 0; k < length; k++) {
            int32_t before = r->seen.n_points;
            mplan_point_table_id(&r->seen, (uint64_t)row[k]);
            if (r->seen.n_points == before || native_is_hub(cut, row[k]))
                continue;
            for (int64_t j = cut->begin[row[k]]; j < cut->begin[row[k] + 1]; j++) {
                int32_t other = cut->where[cut->elements[j]].block;
                if (other != b && r->shared[other]++ == 0)
                    r->met[r->n_met++] = other;
            }
        }
    }
}

/* Block b and neighbours of it, `size` blocks if there are so many. */
static void choose_group(regroup *r, int32_t b, int32_t size)
{
    r->group[0] = b;
    r->n_group = 1;
    meet_neighbours(r, b);
    while (r->n_group < size && r->n_group <= r->n_met) {
        int32_t best = -1;
        int64_t most = 0;
        for (int32_t i = 0; i < r->n_met; i++) {
            int64_t common = r->shared[r->met[i]],
                    luck = common > 0 ? common + dice(r, 2 * common) : 0;
            best = luck > most ? r->met[i] : best;
            most = luck > most ? luck : most;
        }
        r->group[r->n_group++] = best;
        r->shared[best] = 0;
    }
    for (int32_t i = 0; i < r->n_met; i++)
        r->shared[r->met[i]] = 0;
}

/* The elements of the group, block by block, and an empty table for their rows. */
static mplan_status open_part(regroup *r, native_table *part, mplan_error *err)
{
    const native_table *t = r->cut.table;
    int64_t entries = 0;
    *part = (native_table){.arity = t->arity, .n_sets = t->n_sets, .limits_bind = t->limits_bind};
    for (int32_t g = 0; g < r->n_group; g++)
        for (int32_t i = 0; i < r->cut.sizes[r->group[g]]; i++) {
            int32_t length, e = native_members(&r->cut, r->group[g])[i];
            native_row(t, e, &length);
            entries += length;
            r->block[part->n] = g;
            r->element[part->n++] = e;
        }
    part->points = mplan_alloc(entries, sizeof *part->points, err);
    part->offsets = t->offsets ? mplan_alloc_zero(part->n + 1, sizeof *part->offsets, err) : NULL;
    part->set_begin = mplan_alloc_zero((int64_t)t->n_sets + 1, sizeof *part->set_begin, err);
    part->set_weight = mplan_copy(t->set_weight, t->n_sets, sizeof *part->set_weight, err);
    bool all = part->points && (part->offsets || !t->offsets) && part->set_begin && part->set_weight;
    return all ? MPLAN_OK : MPLAN_ERR_MEMORY;
}

/* The rows of the part, points in the order in which they are met; then numbers by which those of a set follow one
 * another, since sets stay apart. */
static void read_rows(regroup *r, native_table *part)
{
    const native_table *t = r->cut.table;
    int64_t at = 0;
    mplan_point_table_begin(&r->seen);
    for (int64_t e = 0; e < part->n; e++) {
        int32_t length;
        const int32_t *row = native_row(t, r->element[e], &length);
        for (int32_t k = 0; k < length; k++, at++) {
            int32_t met = r->seen.n_points, id = mplan_point_table_id(&r->seen, (uint64_t)row[k]);
            r->uses[id] = id == met ? 1 : r->uses[id] + 1;
            r->point[id] = row[k];
            part->points[at] = id;
        }
        if (part->offsets)
            part->offsets[e + 1] = at;
    }
    part->n_points = r->seen.n_points;
    r->read += at;
    int32_t next = 0;
    for (int32_t s = 0; s < t->n_sets; s++) {
        for (int32_t i = 0; i < part->n_points; i++)
            if (native_set_of(t, r->point[i]) == s)
                r->number[i] = next++;
        part->set_begin[s + 1] = next;
    }
}

/* Numbers the points of the rows; the weight of the points that the blocks of the group touch. */
static int64_t weigh_part(regroup *r, native_table *part)
{
    int64_t at = 0, weight = 0;
    for (int32_t i = 0; i < part->n_points; i++)
        r->last[i] = -1;
    for (int64_t e = 0; e < part->n; e++) {
        int32_t length;
        native_row(r->cut.table, r->element[e], &length);
        for (int32_t k = 0; k < length; k++, at++) {
            int32_t id = part->points[at];
            part->points[at] = r->number[id];
            if (r->last[id] != r->block[e] && r->uses[id] <= r->cut.hub)
                weight += part->set_weight[native_set_of(r->cut.table, r->point[id])];
            r->last[id] = r->block[e];
        }
    }
    return weight;
}

/* Elements of the part go to the blocks that they were given. */
static void store_part(regroup *r, const native_part *part, int64_t n)
{
    native_cut *cut = &r->cut;
    for (int32_t g = 0; g < r->n_group; g++)
        cut->sizes[r->group[g]] = 0;
    for (int64_t e = 0; e < n; e++) {
        int32_t b = r->group[part->block[e]];
        cut->where[r->element[e]].block = b;
        native_members(cut, b)[cut->sizes[b]++] = r->element[e];
    }
}

/* Cuts the blocks at hand anew, and takes that where they are as many and touch less. */
static mplan_status try_group(regroup *r, const mplan_context *context, mplan_error *err)
{
    native_part part = {.n_blocks = r->n_group, .block = r->block};
    mplan_status status = open_part(r, &part.table, err);
    if (!status) {
        int64_t n = part.table.n;
        read_rows(r, &part.table);
        int64_t before = weigh_part(r, &part.table);
        part.first = dice(r, n);
        status = r->cutter(&part, r->footprint, r->options, context, err);
        if (!status && part.n_blocks == r->n_group && part.weight <= before) {
            store_part(r, &part, n);
            r->saved += before - part.weight;
        }
    }
    mplan_native_table_free(&part.table);
    return status;
}

/* Each block begins a group in turn, once at least, and then until there were enough tries or too much was read. */
static mplan_status try_groups(regroup *r, const mplan_context *context, mplan_error *err)
{
    int64_t n = r->cut.n_blocks, elements = r->cut.table->n / 4,
            least = elements < TRIES ? elements : TRIES,
            tries = ROUNDS * n > least ? ROUNDS * n : least;
    mplan_status status = MPLAN_OK;
    for (int64_t i = 0; i < tries && (i < n || r->read < MOST_READ) && !status; i++) {
        int32_t size = LEAST_GROUP + (int32_t)dice(r, MOST_GROUP - LEAST_GROUP + 1);
        choose_group(r, (int32_t)(i % n), size);
        if (r->n_group > 1)
            status = try_group(r, context, err);
    }
    return status;
}

/* sequence: the elements block by block, as they are numbered; *offsets: where blocks begin, and the end. */
static mplan_status sort_elements(int64_t n, int64_t n_blocks, const int32_t *block,
                                  int32_t *sequence, int64_t **offsets, mplan_error *err)
{
    *offsets = mplan_alloc_zero(n_blocks + 2, sizeof **offsets, err);
    if (!*offsets)
        return MPLAN_ERR_MEMORY;
    int64_t *place = *offsets + 1; /* ends up as the offsets */
    for (int64_t e = 0; e < n; e++)
        place[block[e] + 1]++;
    mplan_sum_counts(place, n_blocks);
    for (int64_t e = 0; e < n; e++)
        sequence[place[block[e]]++] = (int32_t)e;
    return MPLAN_OK;
}

/* Scratch for the largest part. */
static mplan_status open_scratch(regroup *r, mplan_error *err)
{
    const native_table *t = r->cut.table;
    int64_t elements = (int64_t)MOST_GROUP * r->cut.block_size, longest = t->arity;
    for (int64_t e = 0; e < t->n && t->offsets; e++)
        longest = t->offsets[e + 1] - t->offsets[e] > longest ? t->offsets[e + 1] - t->offsets[e]
                                                              : longest;
    int64_t entries = elements * longest < native_entries(t) ? elements * longest : native_entries(t);
    r->shared = mplan_alloc_zero(r->cut.n_blocks, sizeof *r->shared, err);
    r->met = mplan_alloc(r->cut.n_blocks, sizeof *r->met, err);
    r->element = mplan_alloc(elements, sizeof *r->element, err);
    r->block = mplan_alloc(elements, sizeof *r->block, err);
    r->point = mplan_alloc(entries, sizeof *r->point, err);
    r->number = mplan_alloc(entries, sizeof *r->number, err);
    r->uses = mplan_alloc(entries, sizeof *r->uses, err);
    r->last = mplan_alloc(entries, sizeof *r->last, err);
    if (!r->shared || !r->met || !r->element || !r->block || !r->point || !r->number || !r->uses ||
        !r->last)
        return MPLAN_ERR_MEMORY;
    return mplan_point_table_create(&r->seen, entries, err);
}

static void close_scratch(regroup *r)
{
    mplan_native_cut_free(&r->cut);
    mplan_point_table_free(&r->seen);
    void *const owned[] = {r->shared, r->met,    r->element, r->block,
                           r->point,  r->number, r->uses,    r->last};
    for (size_t i = 0; i < sizeof owned / sizeof *owned; i++)
        free(owned[i]);
}

mplan_status mplan_native_regroup(native_table *table, mplan_footprint *footprint,
                                  const mplan_native_options *options, native_part_cutter *cutter,
                                  int64_t n_blocks, int32_t *block, int64_t *saved,
                                  const mplan_context *context, mplan_error *err)
{
    assert(table && footprint && options && cutter && block && saved && n_blocks > 1);
    regroup r = {.footprint = footprint, .options = options, .cutter = cutter, .state = 1};
    int64_t *offsets = NULL;
    int32_t *sequence = mplan_alloc(table->n, sizeof *sequence, err);
    mplan_status status = sequence
                              ? sort_elements(table->n, n_blocks, block, sequence, &offsets, err)
                              : MPLAN_ERR_MEMORY;
    if (!status)
        status = mplan_native_table_renumber(table, sequence, context, err);
    if (!status)
        status = mplan_native_cut_create(table, footprint, n_blocks, offsets, &r.cut, context, err);
    if (!status)
        status = mplan_native_cut_list(&r.cut, NULL, err);
    if (!status)
        status = open_scratch(&r, err);
    if (!status)
        status = try_groups(&r, context, err);
    *saved = r.saved;
    for (int64_t i = 0; i < table->n && !status && r.saved > 0; i++)
        block[sequence[i]] = r.cut.where[i].block;
    close_scratch(&r);
    free(sequence);
    free(offsets);
    return status;
}
