/* SPDX-License-Identifier: Apache-2.0 */
/* block_records.c - the packed records of block-gather, and its partial sums
 *
 * formats/plan-format.md, section 8. Records are laid out by one pass over the
 * blocks' counts and filled in parallel; slots of partial sums are numbered by
 * point, then block, by one serial pass over the (block, point) pairs. */
#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "base/threads.h"
#include "plan/packed.h"
#include "tables/tables.h"

enum { BLOCKS = 32 };

/* What all blocks share while records are made. Blocks and positions are those of points.offsets
 * and offsets. */
typedef struct records_work {
    const mplan_map *maps;
    int32_t n_increment, n_maps; /* increment maps come first */
    int32_t columns, local_columns;
    int32_t round; /* elements of a round; 0: all of a block */
    int64_t n_blocks;
    const int64_t *offsets;
    mplan_block_points points;
    uint16_t *entries; /* per (block, point) pair: entries of the increment columns */
    int32_t *slot;     /* per pair: partial sum, -1: none; NULL without partial sums */
    mplan_block_records *out;
} records_work;

/* Entries of the increment columns per point of block b. They may overflow 16 bits only where
 * lay_out() refuses the block. */
static void count_entries(const records_work *work, int64_t b)
{
    int64_t first = work->points.offsets[b];
    int64_t n_points = work->points.offsets[b + 1] - first;
    uint16_t *count = work->entries + first;
    memset(count, 0, (size_t)n_points * sizeof *count);
    for (int32_t m = 0; m < work->n_increment; m++) {
        const uint16_t *local = work->points.local[m];
        int32_t arity = work->maps[m].arity;
        for (int64_t i = work->offsets[b] * arity; i < work->offsets[b + 1] * arity; i++)
            if (local[i] != MPLAN_NONE16)
                count[local[i]]++;
    }
}

/* Where the parts of the record of block b begin; *n_entries: its increments. O(points of the
 * block). */
static mplan_record_parts parts_of(const records_work *work, int64_t b, int64_t *n_entries)
{
    int64_t first = work->points.offsets[b], n_points = work->points.offsets[b + 1] - first;
    *n_entries = 0;
    for (int64_t k = 0; k < n_points; k++)
        *n_entries += work->entries[first + k];
    return mplan_record_lay_out(work->offsets[b + 1] - work->offsets[b], n_points, *n_entries,
                                work->local_columns, work->slot != NULL);
}

/* Local ids as a structure of arrays: for each slot the ids of all elements of block b,
 * padded to MPLAN_RECORD_ROWS(n) with MPLAN_NONE16, so that neighbouring threads read neighbouring
 * numbers. */
static void fill_local(const records_work *work, int64_t b, uint16_t *local)
{
    int64_t first = work->offsets[b], n = work->offsets[b + 1] - first,
            n_padded = MPLAN_RECORD_ROWS(n);
    for (int32_t m = 0; m < work->n_maps; m++) {
        int32_t arity = work->maps[m].arity;
        const uint16_t *row = work->points.local[m] + first * arity;
        for (int32_t s = 0; s < arity; s++, local += n_padded)
            for (int64_t i = 0; i < n_padded; i++)
                local[i] = i < n ? row[i * arity + s] : MPLAN_NONE16;
    }
}

/* Entries by point: rounds and, in a round, columns are walked in ascending order, so the list of each point is in the order of
 * its sum. */
static void fill_entries(const records_work *work, int64_t b, const uint16_t *local,
                         uint16_t *starts, uint16_t *entries)
{
    int64_t first = work->points.offsets[b], n_points = work->points.offsets[b + 1] - first;
    int64_t n_padded = MPLAN_RECORD_ROWS(work->offsets[b + 1] - work->offsets[b]);
    starts[0] = 0;
    for (int64_t k = 0; k < n_points; k++)
        starts[k + 1] = (uint16_t)(starts[k] + work->entries[first + k]);
    const int64_t round = work->round ? work->round : n_padded;
    for (int64_t from = 0; from < n_padded; from += round) {
        const int64_t to = from + round < n_padded ? from + round : n_padded;
        for (int64_t c = 0; c < work->columns; c++)
            for (int64_t i = c * n_padded + from; i < c * n_padded + to; i++)
                if (local[i] != MPLAN_NONE16)
                    entries[starts[local[i]]++] = (uint16_t)i;
    }
    for (int64_t k = 0; k < n_points; k++) /* starts[k] has run to the end of k's list */
        starts[k] = (uint16_t)(starts[k] - work->entries[first + k]);
}

/* Writes the record of block b, whose bytes begin at `record`; parts_of gives their
 * places, formats/plan-format.md their meaning. Padding is zero. */
static void fill_record(const records_work *work, int64_t b, unsigned char *record)
{
    int64_t first = work->points.offsets[b], n_points = work->points.offsets[b + 1] - first;
    int64_t n_entries;
    mplan_record_parts at = parts_of(work, b, &n_entries);
    memset(record, 0, (size_t)at.bytes);
    const mplan_record_header header = {
        .bytes = (uint32_t)at.bytes,
        .n_elements = (uint32_t)(work->offsets[b + 1] - work->offsets[b]),
        .n_points = (uint32_t)n_points,
        .first = (uint32_t)work->offsets[b],
        .starts_at = (uint32_t)at.starts,
        .entries_at = (uint32_t)at.entries,
        .partial_at = work->slot ? (uint32_t)at.partial : 0,
        .n_entries = (uint32_t)n_entries};
    memcpy(record, &header, sizeof header);
    memcpy(record + MPLAN_RECORD_HEADER, work->points.points + first, (size_t)n_points * 4);
    /* records begin at multiples of 16 of memory that is aligned to 64 */
    uint16_t *local = (uint16_t *)(void *)(record + at.local);
    fill_local(work, b, local);
    fill_entries(work, b, local, (uint16_t *)(void *)(record + at.starts),
                 (uint16_t *)(void *)(record + at.entries));
    if (work->slot)
        memcpy(record + at.partial, work->slot + first, (size_t)n_points * 4);
}

/* Numbers the partial sums of the points that several blocks increment: work->slot, by point,
 * then by block, since pairs are in the order of the blocks. So the second pass reads the sums
 * of a point side by side, and always in one order. Blocks that touch a point without
 * incrementing it have no sum (-1). */
static mplan_status number_sums(records_work *work, mplan_block_records *out, mplan_error *err)
{
    int64_t n_points = work->maps[0].n_points, pairs = work->points.offsets[work->n_blocks];
    int32_t *blocks = mplan_alloc_zero(n_points, sizeof *blocks, err);
    int64_t *next = mplan_alloc(n_points, sizeof *next, err);
    mplan_status status = MPLAN_ERR_MEMORY;
    work->slot = mplan_alloc(pairs, sizeof *work->slot, err);
    if (!blocks || !next || !work->slot)
        goto done;
    for (int64_t i = 0; i < pairs; i++)
        blocks[work->points.points[i]] += work->entries[i] > 0;
    for (int64_t p = 0; p < n_points; p++) {
        next[p] = blocks[p] > 1 ? out->n_sums : -1;
        if (blocks[p] > 1) {
            out->n_shared++;
            out->n_sums += blocks[p];
        }
    }
    status = out->n_sums > INT32_MAX
                 ? mplan_fail(err, MPLAN_ERR_ARGUMENT, "%lld partial sums exceed 32 bits",
                              (long long)out->n_sums)
                 : MPLAN_ERR_MEMORY;
    out->partial_points = mplan_alloc(out->n_shared, sizeof *out->partial_points, err);
    out->partial_offsets = mplan_alloc(out->n_shared + 1, sizeof *out->partial_offsets, err);
    if (status == MPLAN_ERR_ARGUMENT || !out->partial_points || !out->partial_offsets)
        goto done;
    int64_t shared = 0;
    for (int64_t p = 0; p < n_points; p++)
        if (blocks[p] > 1) {
            out->partial_points[shared] = (int32_t)p;
            out->partial_offsets[shared++] = next[p];
        }
    out->partial_offsets[shared] = out->n_sums;
    for (int64_t i = 0; i < pairs; i++) {
        int32_t p = work->points.points[i];
        work->slot[i] = blocks[p] > 1 && work->entries[i] > 0 ? (int32_t)next[p]++ : -1;
    }
    status = MPLAN_OK;
done:
    free(blocks);
    free(next);
    return status;
}

/* Offsets of the records, each a multiple of 16; the largest record and staged bytes. Refuses a
 * block whose slots, padded, do not fit in 16 bits: after it, starts and entries of every record
 * do. */
static mplan_status lay_out(records_work *work, int64_t column_bytes, mplan_block_records *out,
                            mplan_error *err)
{
    out->offsets = mplan_alloc(work->n_blocks + 1, sizeof *out->offsets, err);
    if (!out->offsets)
        return MPLAN_ERR_MEMORY;
    out->offsets[0] = 0;
    for (int64_t b = 0; b < work->n_blocks; b++) {
        int64_t n = work->offsets[b + 1] - work->offsets[b], n_entries;
        if (MPLAN_RECORD_ROWS(n) * work->columns > MPLAN_LOCAL_MOST)
            return mplan_fail(err, MPLAN_ERR_ARGUMENT,
                              "block %lld of %lld elements has more than %d slots to sum; give "
                              "a smaller --block-size",
                              (long long)b, (long long)n, (int)MPLAN_LOCAL_MOST);
        int64_t bytes = parts_of(work, b, &n_entries).bytes;
        out->offsets[b + 1] = out->offsets[b] + bytes;
        int64_t staged = bytes + MPLAN_RECORD_ROWS(n) * column_bytes;
        out->bytes_max = bytes > out->bytes_max ? bytes : out->bytes_max;
        out->staged_max = staged > out->staged_max ? staged : out->staged_max;
    }
    return MPLAN_OK;
}

/* Blocks [begin, end): counts the gather entries of each point. */
static void count_blocks(void *data, int thread, int64_t begin, int64_t end)
{
    const records_work *work = data;
    (void)thread;
    for (int64_t b = begin; b < end; b++)
        count_entries(work, b);
}

/* Blocks [begin, end); out->offsets already holds the beginning of each record in
 * bytes. */
static void fill_blocks(void *data, int thread, int64_t begin, int64_t end)
{
    const records_work *work = data;
    (void)thread;
    for (int64_t b = begin; b < end; b++)
        fill_record(work, b, work->out->bytes + work->out->offsets[b]);
}

/* Count, number, lay out, fill: offsets need the counts of all blocks, and records are then
 * filled by threads, each block by one. *out is empty after a failure. */
mplan_status mplan_table_block_records(const mplan_map *maps, int32_t n_increment, int32_t n_maps,
                                       int64_t n_blocks, const int64_t *offsets,
                                       const int32_t *sequence, const mplan_block_points *points,
                                       int32_t round, bool partial, int64_t column_bytes,
                                       mplan_block_records *out, const mplan_context *context,
                                       mplan_error *err)
{
    assert(maps && offsets && out && n_increment >= 0 && n_maps >= 0 && n_blocks >= 0 &&
           round >= 0 && offsets[0] == 0 && n_increment <= n_maps);
    records_work work = {.maps = maps,
                         .n_increment = n_increment,
                         .n_maps = n_maps,
                         .round = round,
                         .n_blocks = n_blocks,
                         .offsets = offsets,
                         .out = out};
    mplan_team *team = mplan_team_of(context);
    *out = (mplan_block_records){0};
    for (int32_t m = 0; m < n_maps; m++) {
        work.columns += m < n_increment ? maps[m].arity : 0;
        work.local_columns += maps[m].arity;
    }
    mplan_status status = MPLAN_OK;
    if (points)
        work.points = *points;
    else
        status = mplan_table_block_points(maps, n_maps, n_blocks, offsets, sequence, &work.points,
                                          context, err);
    if (status)
        return status;
    work.entries = mplan_alloc(work.points.offsets[n_blocks], sizeof *work.entries, err);
    status = work.entries ? MPLAN_OK : MPLAN_ERR_MEMORY;
    if (status)
        goto done;
    mplan_for(team, n_blocks, BLOCKS, count_blocks, &work);
    if (partial)
        status = number_sums(&work, out, err);
    if (!status)
        status = lay_out(&work, column_bytes, out, err);
    if (!status)
        status = mplan_interrupted(context, err);
    if (status)
        goto done;
    out->bytes = mplan_alloc_aligned(out->offsets[n_blocks], 1, err);
    status = out->bytes ? MPLAN_OK : MPLAN_ERR_MEMORY;
    if (status)
        goto done;
    mplan_for(team, n_blocks, BLOCKS, fill_blocks, &work);
done:
    if (!points)
        mplan_table_block_points_free(&work.points, n_maps);
    free(work.entries);
    free(work.slot);
    if (status)
        mplan_table_block_records_free(out);
    return status;
}

void mplan_table_block_records_free(mplan_block_records *records)
{
    assert(records);
    free(records->offsets);
    free(records->bytes);
    free(records->partial_points);
    free(records->partial_offsets);
    *records = (mplan_block_records){0};
}
