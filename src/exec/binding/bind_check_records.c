/* SPDX-License-Identifier: Apache-2.0 */
/* bind_check_records.c - records of block-gather: every index in them stays inside
 *
 * formats/plan-format.md, section 8. A record is opened as kernels open it; its parts
 * are where their lengths put them, so none reaches beyond the record. */
#include <assert.h>

#include "exec/binding/bind_check.h"

/* Packed records of all blocks. */
typedef struct record_table {
    const mplan_bind_check *check;
    const mplan_bind_blocks *blocks;
    const int64_t *at; /* first byte of each record */
    const uint8_t *bytes;
} record_table;

/* The parts of one record, in place. */
typedef struct record_view {
    int64_t first, n, n_padded, n_points, n_entries;
    const int32_t *points, *partial; /* partial: NULL without */
    const uint16_t *local, *starts, *entries;
} record_view;

/* Whether the record of block b is one of the positions of the block. */
static bool open_record(const record_table *table, int64_t b, record_view *out)
{
    const mplan_launch_call *call = &table->check->bound->call;
    const bool partial = call->sums == MPLAN_SUMS_PARTIAL;
    const int64_t bytes = table->at[b + 1] - table->at[b], first = table->blocks->offsets[b];
    const int64_t n = table->blocks->offsets[b + 1] - first;
    if (table->at[b] % MPLAN_RECORD_LINE != 0 || bytes < MPLAN_RECORD_HEADER)
        return false;
    const uint8_t *record = table->bytes + table->at[b];
    const mplan_record_header *header = (const mplan_record_header *)(const void *)record; /* aligned */
    *out = (record_view){.first = first,
                         .n = n,
                         .n_padded = MPLAN_RECORD_ROWS(n),
                         .n_points = header->n_points,
                         .n_entries = header->n_entries};
    if (header->bytes != bytes || header->n_elements != n || header->first != first)
        return false;
    /* points and entries beyond 65,535 fail below: starts cannot say their number */
    const mplan_record_parts at = mplan_record_lay_out(n, out->n_points, out->n_entries,
                                                       call->local_columns, partial);
    if (header->starts_at != at.starts || header->entries_at != at.entries ||
        header->partial_at != (partial ? at.partial : 0) || at.bytes != bytes)
        return false;
    out->points = (const int32_t *)(const void *)(record + MPLAN_RECORD_HEADER);
    out->local = (const uint16_t *)(const void *)(record + at.local);
    out->starts = (const uint16_t *)(const void *)(record + at.starts);
    out->entries = (const uint16_t *)(const void *)(record + at.entries);
    out->partial = partial ? (const int32_t *)(const void *)(record + at.partial) : NULL;
    return true;
}

/* Places of points; none only where kernels look at it, or do not come. */
static bool local_stays_inside(const record_table *table, const record_view *record)
{
    const mplan_bind_check *check = table->check;
    for (int64_t at = 0; at < record->n_padded * check->bound->call.local_columns; at++) {
        const int64_t i = at % record->n_padded;
        if (record->local[at] != MPLAN_NONE16) {
            if (record->local[at] >= record->n_points)
                return false;
        } else if (check->complete && i < record->n &&
                   !mplan_bind_is_hole(check, mplan_bind_element(table->blocks, record->first + i))) {
            return false;
        }
    }
    return true;
}

/* Points, starts and entries lead into the record or the set. record: parts have
 * been laid out by open_record. */
static bool record_stays_inside(const mplan_bind_check *check, const record_view *record)
{
    const mplan_launch_call *call = &check->bound->call;
    if (mplan_bind_leaves(record->points, record->n_points, 0, (uint32_t)call->n_points))
        return false;
    if (record->starts[0] != 0 || record->starts[record->n_points] != record->n_entries)
        return false;
    for (int64_t k = 0; k < record->n_points; k++)
        if (record->starts[k] > record->starts[k + 1])
            return false;
    for (int64_t j = 0; j < record->n_entries; j++)
        if (record->entries[j] >= call->columns * record->n_padded ||
            record->entries[j] % record->n_padded >= record->n)
            return false;
    return !record->partial || !mplan_bind_leaves(record->partial, record->n_points, -1,
                                                  (uint32_t)check->bound->chosen->partial_sums + 1);
}

/* Record of block b: INT64_MAX if nothing leads out of it, else its place. */
static int64_t record_of_block(const void *context, int64_t b)
{
    const record_table *table = context;
    record_view record;
    return open_record(table, b, &record) && local_stays_inside(table, &record) &&
                   record_stays_inside(table->check, &record)
               ? INT64_MAX
               : table->at[b];
}

/* The points that blocks share, and where each finds its sums. */
static mplan_status check_partial_sums(const mplan_bind_check *check)
{
    const mplan_key points_key = mplan_bind_variant_key(check, MPLAN_KIND_PARTIAL_POINTS);
    const mplan_key key = mplan_bind_variant_key(check, MPLAN_KIND_PARTIAL_OFFSETS);
    mplan_status status = mplan_bind_ids(check, points_key, 0, check->bound->call.n_points);
    if (!status)
        status = mplan_bind_offsets(check, key, check->bound->chosen->partial_sums, INT64_MAX);
    if (!status && mplan_plan_find_array(check->plan, &key)->rows !=
                       mplan_plan_find_array(check->plan, &points_key)->rows + 1)
        status = mplan_bind_wrong(check, key, 0);
    return status;
}

/* Every record, by threads. */
mplan_status mplan_bind_records(const mplan_bind_check *check, const mplan_bind_blocks *blocks)
{
    assert(check && blocks);
    const mplan_key at_key = mplan_bind_variant_key(check, MPLAN_KIND_BLOCK_RECORD_OFFSETS);
    const mplan_key key = mplan_bind_variant_key(check, MPLAN_KIND_BLOCK_RECORDS);
    const mplan_plan_variant *chosen = check->bound->chosen;
    record_table table = {.check = check, .blocks = blocks};
    int64_t bytes, rows;
    table.bytes = mplan_bind_find(check, key, MPLAN_TYPE_U8, &bytes);
    if (!table.bytes)
        return MPLAN_ERR_CORRUPT;
    mplan_status status = mplan_bind_offsets(check, at_key, bytes, INT32_MAX);
    if (!status && (chosen->partial_sums < 0 || chosen->partial_sums > INT32_MAX))
        status = mplan_bind_wrong(check, mplan_bind_variant_key(check, MPLAN_KIND_PARTIAL_OFFSETS),
                                  0);
    if (status)
        return status;
    table.at = mplan_bind_find(check, at_key, MPLAN_TYPE_I64, &rows);
    int64_t bad = mplan_bind_first_wrong(check, blocks->n, record_of_block, &table);
    if (bad < INT64_MAX)
        return mplan_bind_wrong(check, key, bad);
    if (chosen->sums == MPLAN_SUMS_COLOUR)
        return mplan_bind_launches(check, MPLAN_KIND_BLOCK_LAUNCH_OFFSETS, MPLAN_KIND_BLOCK_LAUNCH,
                                   blocks->n);
    return chosen->sums == MPLAN_SUMS_PARTIAL ? check_partial_sums(check) : MPLAN_OK;
}
