/* SPDX-License-Identifier: Apache-2.0 */
/* check_blocks.c - block sets: every element in exactly one block, no block
 * empty or above its limit of elements */
#include <stdio.h>
#include <stdlib.h>

#include "check/check.h"

/* A sequence names every element once: as many places as elements, none twice. seen: a bit for each stored index.
 * Holes have no position, so positions of a sequence are elements, not places. */
static mplan_status check_sequence(const mplan_plan_set *set, const mplan_check_cut *cut,
                                   mplan_error *err)
{
    mplan_status status = MPLAN_OK;
    uint64_t *seen = mplan_alloc_zero(set->storage_size / 64 + 1, sizeof *seen, err);
    if (!seen)
        return MPLAN_ERR_MEMORY;
    for (int64_t p = 0; p < set->size && !status; p++) {
        int32_t e = cut->sequence[p];
        if (e < 0 || e >= set->storage_size || cut->old_of_new[e] < 0)
            status = MPLAN_DISPROVED(err,
                                     "BLOCK_SEQUENCE has %d at position %" PRId64
                                     ", which is not an element of %s",
                                     (int)e, p, set->name);
        else if (seen[e / 64] >> (e % 64) & 1)
            status = MPLAN_DISPROVED(err, "BLOCK_SEQUENCE has element %d again at position %" PRId64,
                                     (int)e, p);
        else
            seen[e / 64] |= UINT64_C(1) << (e % 64);
    }
    free(seen);
    return status;
}

/* Block b is cut->offsets[b] ... cut->offsets[b + 1] - 1, in positions of the sequence
 * or places of the stored order. */
static mplan_status check_offsets(const mplan_check_cut *cut, int64_t positions, mplan_error *err)
{
    const int64_t n = cut->record->n_blocks;
    /* Without blocks there is one offset, and holes only to cut. */
    const int64_t end = n ? positions : 0;
    if (cut->offsets[0] != 0 || cut->offsets[n] != end)
        return MPLAN_DISPROVED(err,
                               "BLOCK_OFFSETS runs from %" PRId64 " to %" PRId64
                               " instead of 0 to %" PRId64,
                               cut->offsets[0], cut->offsets[n], end);
    for (int64_t b = 0; b < n; b++)
        if (cut->offsets[b + 1] < cut->offsets[b] || cut->offsets[b + 1] > end)
            return MPLAN_DISPROVED(err,
                                   "block %" PRId64 " runs from position %" PRId64 " to %" PRId64
                                   " of %" PRId64,
                                   b, cut->offsets[b], cut->offsets[b + 1], end);
    return MPLAN_OK;
}

/* Without a sequence a block may contain holes, which do not count. */
static int64_t count_elements(const mplan_check_cut *cut, int64_t block)
{
    int64_t n = 0;
    if (cut->sequence)
        return cut->offsets[block + 1] - cut->offsets[block];
    for (int64_t p = cut->offsets[block]; p < cut->offsets[block + 1]; p++)
        n += cut->old_of_new[p] >= 0;
    return n;
}

/* Stored sizes equal those that are found; no block is empty or above its limit. */
static mplan_status check_sizes(const mplan_plan_set *set, const mplan_check_cut *cut,
                                mplan_error *err)
{
    const mplan_plan_block_set *record = cut->record;
    int64_t min = INT64_MAX, max = 0;
    for (int64_t b = 0; b < record->n_blocks; b++) {
        int64_t n = count_elements(cut, b);
        if (n == 0)
            return MPLAN_DISPROVED(err, "block %" PRId64 " is empty", b);
        if (n > record->block_limit)
            return MPLAN_DISPROVED(err, "block %" PRId64 " has %" PRId64 " elements, the limit is %d",
                                   b, n, (int)record->block_limit);
        min = n < min ? n : min;
        max = n > max ? n : max;
    }
    if (record->n_blocks == 0) {
        min = 0;
        if (set->size > 0)
            return MPLAN_DISPROVED(err, "no block holds the %" PRId64 " elements of %s", set->size,
                                   set->name);
    }
    if (min != record->block_min || max != record->block_max)
        return MPLAN_DISPROVED(err,
                               "blocks have %" PRId64 " to %" PRId64
                               " elements, but the plan says %" PRId64 " to %" PRId64,
                               min, max, record->block_min, record->block_max);
    return MPLAN_OK;
}

/* Offsets, then the sequence (each element once), then sizes. */
static mplan_status check_block_set(const mplan_check *check, int32_t b, mplan_error *err)
{
    const mplan_plan_block_set *record = &check->plan->block_sets[b];
    const mplan_plan_set *set = mplan_check_set(check, record->set);
    mplan_check_cut cut = {0};
    mplan_status status = mplan_check_cut_open(check, b, -1, &cut, err);
    if (!status)
        status = check_offsets(&cut, mplan_check_positions(check, record), err);
    if (!status && record->sequence)
        status = check_sequence(set, &cut, err);
    if (!status)
        status = check_sizes(set, &cut, err);
    mplan_check_cut_close(&cut);
    return status;
}

/* Block sets are proved one after the other. The first fault of a block set ends the proof, and
 * its sentence begins with the number of the block set, as a reader of the file counts them. */
mplan_status mplan_check_blocks(mplan_check *check, mplan_error *err)
{
    mplan_status status = MPLAN_OK;
    for (int32_t b = 0; b < check->plan->n_block_sets && !status; b++) {
        status = check_block_set(check, b, err);
        if (status == MPLAN_ERR_DISPROVED) {
            char place[64];
            snprintf(place, sizeof place, "block set %d", (int)b);
            mplan_fail_prefix(err, status, place);
        }
    }
    return status;
}
