/* SPDX-License-Identifier: Apache-2.0 */
/* check_packed.c - records of block-gather say what the maps say, and sum each slot once
 *
 * Section 8 of formats/plan-format.md. Local ids must lead to the mapped points;
 * the entries of a point are in the order of its sum and lead back to it, and there are as many as
 * increments, so none is missing. Partial sums are counted again by point and block. */
#include <stdlib.h>
#include <string.h>

#include "check/check.h"

enum { SEEN_WORDS = (MPLAN_CHECK_MOST_LOCAL + 64) / 64, NONE = -1 };

/* Packed records of one block-gather variant: record b is bytes[at[b]] up to at[b + 1], both multiples of 16; n_blocks
 * + 1 offsets. cut and gathering: the block set that the variant runs, and the maps of the loop; both have been
 * proved. */
typedef struct packed_proof {
    const mplan_check *check;
    const mplan_check_gathering *gathering;
    const mplan_check_cut *cut;
    const mplan_plan_variant *variant;
    const int64_t *at;
    const uint8_t *bytes;
    const char *set; /* name */
} packed_proof;

/* Parts of one record, as its header and the block say. n: positions of the block, n_padded: to the next multiple of
 * 8. points: n_points stored indices; local: n_padded numbers for each local column; starts: n_points + 1; entries:
 * n_entries, each column x n_padded + position; partial: n_points slots, -1 for none; NULL unless the sums are
 * partial. */
typedef struct packed_record {
    uint32_t header[MPLAN_CHECK_RECORD_WORDS];
    int64_t n, n_padded, n_points, n_entries;
    const int32_t *points, *partial;
    const uint16_t *local, *starts, *entries;
} packed_record;

/* Bytes from `end` of a part to the next one must be zero. */
static bool zero_until(const uint8_t *record, int64_t end, int64_t next)
{
    for (int64_t i = end; i < next; i++)
        if (record[i])
            return false;
    return true;
}

/* Opens a record; NULL, or what is wrong with its layout. The places of all parts follow from the numbers of
 * positions, points and entries, so the header is compared with them, and the last part must end with the record: that
 * bounds all later reads. */
static const char *open_record(const packed_proof *proof, int64_t b, packed_record *out)
{
    const uint8_t *record = proof->bytes + proof->at[b];
    const int64_t bytes = proof->at[b + 1] - proof->at[b];
    const bool partial = proof->variant->sums == MPLAN_SUMS_PARTIAL;
    if (bytes < MPLAN_CHECK_RECORD_HEADER)
        return "is shorter than a header";
    memcpy(out->header, record, sizeof out->header);
    out->n = proof->cut->offsets[b + 1] - proof->cut->offsets[b];
    out->n_padded = mplan_check_column_rows(out->n);
    out->n_points = out->header[MPLAN_CHECK_RECORD_POINTS];
    out->n_entries = out->header[MPLAN_CHECK_RECORD_N_ENTRIES];
    if (out->header[MPLAN_CHECK_RECORD_BYTES] != bytes ||
        out->header[MPLAN_CHECK_RECORD_ELEMENTS] != out->n ||
        out->header[MPLAN_CHECK_RECORD_FIRST] != proof->cut->offsets[b])
        return "has a header of another block";
    int64_t local = MPLAN_CHECK_RECORD_HEADER + mplan_check_next_part(4 * out->n_points);
    int64_t local_end = local + 2 * out->n_padded * proof->gathering->local_columns;
    int64_t starts = mplan_check_next_part(local_end), starts_end = starts + 2 * (out->n_points + 1);
    int64_t entries = mplan_check_next_part(starts_end), entries_end = entries + 2 * out->n_entries;
    int64_t sums = mplan_check_next_part(entries_end),
            sums_end = sums + (partial ? 4 * out->n_points : 0);
    if (out->header[MPLAN_CHECK_RECORD_STARTS] != starts ||
        out->header[MPLAN_CHECK_RECORD_ENTRIES] != entries ||
        out->header[MPLAN_CHECK_RECORD_PARTIAL] != (partial ? sums : 0) ||
        mplan_check_next_part(sums_end) != bytes)
        return "has parts that are not contiguous";
    if (!zero_until(record, MPLAN_CHECK_RECORD_HEADER + 4 * out->n_points, local) ||
        !zero_until(record, local_end, starts) || !zero_until(record, starts_end, entries) ||
        !zero_until(record, entries_end, sums) || !zero_until(record, sums_end, bytes))
        return "has padding that is not zero";
    /* records begin at multiples of 16 of an aligned array */
    out->points = (const int32_t *)(const void *)(record + MPLAN_CHECK_RECORD_HEADER);
    out->local = (const uint16_t *)(const void *)(record + local);
    out->starts = (const uint16_t *)(const void *)(record + starts);
    out->entries = (const uint16_t *)(const void *)(record + entries);
    out->partial = partial ? (const int32_t *)(const void *)(record + sums) : NULL;
    return NULL;
}

/* Point of column `slot` of a map at a position of the block; -1: none. */
static int32_t mapped_point(const packed_proof *proof, const mplan_map *map, int32_t slot,
                            int64_t b, int64_t i, int64_t n)
{
    int32_t e = i < n ? mplan_check_element(proof->cut, proof->cut->offsets[b] + i) : -1;
    return e < 0 ? -1 : map->values[(int64_t)e * map->arity + slot];
}

/* Local ids resolve to the mapped points; every point of the list occurs; increments
 * come first. NULL, or what is wrong. seen: a bit per local id. */
static const char *check_local(const packed_proof *proof, int64_t b, const packed_record *record)
{
    uint64_t seen[SEEN_WORDS] = {0};
    int64_t n_seen = 0, increments = 0, column = 0;
    for (int32_t m = 0; m < proof->gathering->n_local; m++) {
        const mplan_map *map = &proof->check->maps[proof->gathering->maps[m]];
        for (int32_t s = 0; s < map->arity; s++, column++)
            for (int64_t i = 0; i < record->n_padded; i++) {
                int32_t p = mapped_point(proof, map, s, b, i, record->n);
                uint16_t k = record->local[column * record->n_padded + i];
                if (p < 0 ? k != MPLAN_CHECK_NO_LOCAL
                          : k >= record->n_points || record->points[k] != p)
                    return "has a local id that does not lead to the mapped point";
                if (p < 0)
                    continue;
                increments += m < proof->gathering->n_maps;
                n_seen += !(seen[k / 64] >> (k % 64) & 1);
                seen[k / 64] |= UINT64_C(1) << (k % 64);
            }
    }
    for (int64_t k = 1; k < record->n_points; k++)
        if (record->points[k] <= record->points[k - 1])
            return "has points that do not ascend";
    if (n_seen != record->n_points)
        return "lists a point that the block does not touch";
    return increments == record->n_entries ? NULL
                                           : "has a number of entries that is not the "
                                             "number of its increments";
}

/* Where an entry is in the order of sums: round by round, in a round as entries ascend. */
static int64_t turn_of(const packed_proof *proof, const packed_record *record, uint16_t entry)
{
    const int32_t round = proof->variant->round;
    const int64_t position = entry % record->n_padded;
    return (round ? position / round : 0) * MPLAN_CHECK_NO_LOCAL + entry;
}

/* Entries of each point follow each other in the order of its sum, name slots that lead to it, and are as many as the
 * increments. */
static const char *check_entries(const packed_proof *proof, const packed_record *record)
{
    if (record->starts[0] != 0 || record->starts[record->n_points] != record->n_entries)
        return "has starts that do not run from 0 to its number of entries";
    for (int64_t k = 0; k < record->n_points; k++) /* all of them first: entries end with the last */
        if (record->starts[k] > record->starts[k + 1])
            return "has starts that do not ascend";
    for (int64_t k = 0; k < record->n_points; k++) {
        for (int64_t j = record->starts[k]; j < record->starts[k + 1]; j++) {
            uint16_t entry = record->entries[j];
            if (entry >= proof->gathering->columns * record->n_padded || record->local[entry] != k)
                return "has an entry of another point";
            if (j > record->starts[k] &&
                turn_of(proof, record, entry) <= turn_of(proof, record, record->entries[j - 1]))
                return "has entries that are not in the order of the sum";
        }
    }
    return NULL;
}

/* The record of block b. */
static mplan_status check_block(void *data, int64_t b, int thread, mplan_error *err)
{
    const packed_proof *proof = data;
    packed_record record;
    (void)thread;
    const char *wrong = open_record(proof, b, &record);
    if (!wrong)
        wrong = check_local(proof, b, &record);
    if (!wrong)
        wrong = check_entries(proof, &record);
    return wrong
               ? MPLAN_DISPROVED(err, "BLOCK_RECORDS: the record of block %" PRId64 " %s", b, wrong)
               : MPLAN_OK;
}

/* Offsets ascend by multiples of 16 through all bytes. */
static mplan_status check_offsets(const packed_proof *proof, int64_t n_blocks, int64_t bytes,
                                  mplan_error *err)
{
    if (proof->at[0] != 0 || proof->at[n_blocks] != bytes)
        return MPLAN_DISPROVED(err,
                               "BLOCK_RECORD_OFFSETS runs from %" PRId64 " to %" PRId64
                               " instead of 0 to %" PRId64,
                               proof->at[0], proof->at[n_blocks], bytes);
    for (int64_t b = 0; b < n_blocks; b++)
        if (proof->at[b] > proof->at[b + 1] || proof->at[b + 1] > bytes || proof->at[b + 1] % 16)
            return MPLAN_DISPROVED(err,
                                   "BLOCK_RECORD_OFFSETS has %" PRId64 " after %" PRId64 " at block "
                                   "%" PRId64,
                                   proof->at[b + 1], proof->at[b], b);
    return MPLAN_OK;
}

/* Slots of the partial sums against a count by point and block. A point that two blocks or more increment has a slot
 * for each of them, in the order of the blocks; all others have none. next[p]: how many blocks increment point p, then
 * the slot of the next of them, NONE for a point without. Records must have been proved: they are opened again without a
 * look at the verdict. */
static mplan_status check_sums(const packed_proof *proof, int32_t l, int32_t v, int64_t n_blocks,
                               mplan_error *err)
{
    const mplan_plan *plan = proof->check->plan;
    const mplan_key points_key = mplan_key_of_variant(MPLAN_KIND_PARTIAL_POINTS, l, v);
    const mplan_key offsets_key = mplan_key_of_variant(MPLAN_KIND_PARTIAL_OFFSETS, l, v);
    const int32_t *points = mplan_check_data(proof->check, points_key);
    const int64_t *offsets = mplan_check_data(proof->check, offsets_key);
    const int64_t n_shared = mplan_plan_find_array(plan, &points_key)->rows;
    const int64_t n_points = mplan_check_set(proof->check, proof->gathering->set)->storage_size;
    if (mplan_plan_find_array(plan, &offsets_key)->rows != n_shared + 1)
        return MPLAN_DISPROVED(err, "PARTIAL_OFFSETS does not have one row more than PARTIAL_POINTS");
    int32_t *next = mplan_alloc_zero(n_points, sizeof *next, err);
    mplan_status status = next ? MPLAN_OK : MPLAN_ERR_MEMORY;
    int64_t shared = 0, slots = 0;
    packed_record record;
    for (int64_t b = 0; b < n_blocks && !status; b++) {
        open_record(proof, b, &record);
        for (int64_t k = 0; k < record.n_points; k++)
            next[record.points[k]] += record.starts[k + 1] > record.starts[k];
    }
    for (int64_t p = 0; p < n_points && !status; p++) {
        const int32_t blocks = next[p];
        next[p] = NONE;
        if (blocks < 2)
            continue;
        if (shared >= n_shared || points[shared] != p || offsets[shared] != slots)
            status = MPLAN_DISPROVED(err,
                                     "PARTIAL_POINTS and PARTIAL_OFFSETS do not give point %" PRId64
                                     " of %s the sums from %" PRId64,
                                     p, proof->set, slots);
        next[p] = (int32_t)slots;
        slots += blocks;
        if (!status && slots > INT32_MAX)
            status = MPLAN_DISPROVED(err,
                                     "points of %s have more than %d partial sums, which no record can name",
                                     proof->set, INT32_MAX);
        shared++;
    }
    if (!status &&
        (shared != n_shared || offsets[shared] != slots || proof->variant->partial_sums != slots))
        status = MPLAN_DISPROVED(err,
                                 "there are %" PRId64 " partial sums of %" PRId64 " points, but "
                                 "PARTIAL_POINTS, PARTIAL_OFFSETS and the variant say otherwise",
                                 slots, shared);
    for (int64_t b = 0; b < n_blocks && !status; b++) {
        open_record(proof, b, &record);
        for (int64_t k = 0; k < record.n_points && !status; k++) {
            int32_t p = record.points[k];
            bool own = next[p] != NONE && record.starts[k + 1] > record.starts[k];
            if (record.partial[k] != (own ? next[p] : NONE))
                status = MPLAN_DISPROVED(err,
                                         "BLOCK_RECORDS: block %" PRId64 " keeps its sum of point "
                                         "%d of %s in slot %d",
                                         b, (int)p, proof->set, (int)record.partial[k]);
            next[p] += own;
        }
    }
    free(next);
    return status;
}

/* Bytes of one position of a block whose elements have layers: what the slots of all increments bring, for a layer and
 * for those below it that lead to levels which the layer leads to, too: one where slots differ by one level. */
static int64_t layers_per_position(const mplan_plan_loop *loop)
{
    int64_t bytes = 0, below = 0;
    for (int32_t a = 0; a < loop->n_args; a++) {
        const mplan_arg_layers *layers = &loop->args[a].layers;
        int64_t lowest = INT32_MAX, highest = 0;
        if (loop->args[a].map < 0 || !mplan_access_adds(loop->args[a].access))
            continue;
        bytes += (int64_t)layers->n_slots * loop->args[a].dim *
                 (int64_t)mplan_type_size(loop->args[a].type);
        for (int32_t s = 0; s < layers->n_slots; s++) {
            lowest = layers->slots[s].offset < lowest ? layers->slots[s].offset : lowest;
            highest = layers->slots[s].offset > highest ? layers->slots[s].offset : highest;
        }
        if ((highest - lowest) / layers->stride > below)
            below = (highest - lowest) / layers->stride;
    }
    return bytes * (1 + below);
}

/* Shared memory of the largest block, counted again: its record, and for each position (to the next multiple of 8) the
 * increments of every increment column. Each dat counts once, by its first arg that adds. */
static mplan_status check_staged(const packed_proof *proof, int32_t l, int64_t n_blocks,
                                 mplan_error *err)
{
    const mplan_plan_loop *loop = &proof->check->plan->loops[l];
    int64_t per_position = loop->layering ? layers_per_position(loop) : 0, most = 0;
    for (int32_t a = 0; a < loop->n_args && !loop->layering; a++) {
        bool again = loop->args[a].map < 0 || !mplan_access_adds(loop->args[a].access);
        for (int32_t k = 0; k < a && !again; k++)
            again = mplan_access_adds(loop->args[k].access) &&
                    strcmp(loop->args[k].dat, loop->args[a].dat) == 0;
        if (!again)
            per_position += (int64_t)proof->gathering->columns * loop->args[a].dim *
                            (int64_t)mplan_type_size(loop->args[a].type);
    }
    for (int64_t b = 0; b < n_blocks; b++) {
        int64_t n = proof->cut->offsets[b + 1] - proof->cut->offsets[b];
        int64_t staged = proof->at[b + 1] - proof->at[b] + mplan_check_column_rows(n) * per_position;
        most = staged > most ? staged : most;
    }
    return proof->variant->shared_bytes_max == most
               ? MPLAN_OK
               : MPLAN_DISPROVED(err, "shared_bytes_max is %" PRId64 ", but a block stages %" PRId64,
                                 proof->variant->shared_bytes_max, most);
}

/* Records in parts, then what holds for all of them. */
static mplan_status check_variant(mplan_check *check, int32_t l, int32_t v, mplan_error *err)
{
    const mplan_plan_variant *variant = &check->plan->loops[l].variants[v];
    const mplan_key bytes_key = mplan_key_of_variant(MPLAN_KIND_BLOCK_RECORDS, l, v);
    const int64_t n_blocks = check->plan->block_sets[variant->block_set].n_blocks;
    mplan_check_cut cut = {0};
    mplan_check_gathering gathering = {0};
    mplan_status status = mplan_check_gathering_open(check->plan, l, &gathering, err);
    if (!status)
        status = mplan_check_cut_open(check, variant->block_set, l, &cut, err);
    if (!status) {
        packed_proof proof = {
            check,
            &gathering,
            &cut,
            variant,
            mplan_check_data(check, mplan_key_of_variant(MPLAN_KIND_BLOCK_RECORD_OFFSETS, l, v)),
            mplan_check_data(check, bytes_key),
            mplan_check_set_name(check, gathering.set)};
        int64_t bytes = mplan_plan_find_array(check->plan, &bytes_key)->rows;
        status = check_offsets(&proof, n_blocks, bytes, err);
        if (!status)
            status = mplan_check_each(check, n_blocks, check_block, &proof, err);
        if (!status && variant->sums == MPLAN_SUMS_PARTIAL)
            status = check_sums(&proof, l, v, n_blocks, err);
        if (!status)
            status = check_staged(&proof, l, n_blocks, err);
    }
    mplan_check_cut_close(&cut);
    mplan_check_gathering_close(&gathering);
    return status;
}

mplan_status mplan_check_packed(mplan_check *check, mplan_error *err)
{
    return mplan_check_variants(check, MPLAN_TRAIT_RECORDS, check_variant, err);
}
