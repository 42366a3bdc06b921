/* SPDX-License-Identifier: Apache-2.0 */
/* check_gather.c - gather lists of two-step hold every slot once, at its point
 *
 * The slots of a point ascend in the order of its sums and lead to it, so none occurs twice; there are
 * as many as entries >= 0, so none is missing. */
#include <stdio.h>

#include "check/check.h"

/* Gather lists of one map: slots of point p are slots[offsets[p]] ... slots[offsets[p + 1] - 1]; n_points + 1 offsets.
 * A slot is the number of an entry of the stored map, in [0, n_entries): row x arity + column, or its place among the
 * ragged rows. */
typedef struct gather_proof {
    const mplan_map *map;
    const char *set;
    int64_t n_entries, n_slots;
    const int64_t *offsets, *slots;
    mplan_check_row_order order;
} gather_proof;

/* Place of a slot that leads to a point, in the order of the point's sums. Slots of a ragged map
 * have no columns, but rows one behind the other: those of the mesh's order are ranked by the
 * number of their row, found by bisection, and their place in it. */
static int64_t rank_of(const gather_proof *proof, int64_t slot)
{
    const mplan_map *map = proof->map;
    int64_t low = 0, high = map->n_rows;
    if (proof->order.by == MPLAN_SUMS_ORDER_STORED)
        return slot;
    if (map->arity > 0)
        return mplan_check_rank(&proof->order, slot / map->arity, slot % map->arity);
    while (high - low > 1) { /* offsets[low] <= slot < offsets[high] */
        int64_t middle = low + (high - low) / 2;
        if (map->offsets[middle] <= slot)
            low = middle;
        else
            high = middle;
    }
    return proof->order.old_of_new[low] * (INT64_C(1) << 31) + slot - map->offsets[low];
}

/* The slots of one point: each lies in the map, leads to this point, and they ascend.
 * Together with their number this proves that each slot is there once. */
static mplan_status check_point(const gather_proof *proof, int64_t point, mplan_error *err)
{
    const int64_t begin = proof->offsets[point], end = proof->offsets[point + 1];
    if ((uint64_t)begin > (uint64_t)end || (uint64_t)end > (uint64_t)proof->n_slots) /* or below 0 */
        return MPLAN_DISPROVED(err,
                               "GATHER_OFFSETS gives point %" PRId64 " of %s the slots %" PRId64
                               " to %" PRId64 " of %" PRId64,
                               point, proof->set, begin, end, proof->n_slots);
    for (int64_t i = begin; i < end; i++) {
        int64_t slot = proof->slots[i];
        bool there = slot >= 0 && slot < proof->n_entries;
        if (!there || (i > begin && rank_of(proof, slot) <= rank_of(proof, proof->slots[i - 1])))
            return MPLAN_DISPROVED(err,
                                   "GATHER_SLOTS has %" PRId64 " at place %" PRId64 " (point %" PRId64
                                   " of %s), which does not ascend in [0, %" PRId64 ")",
                                   slot, i, point, proof->set, proof->n_entries);
        if (proof->map->values[slot] != point)
            return MPLAN_DISPROVED(err,
                                   "GATHER_SLOTS gives point %" PRId64 " of %s the slot %" PRId64
                                   ", which belongs to %d",
                                   point, proof->set, slot, (int)proof->map->values[slot]);
    }
    return MPLAN_OK;
}

/* Part `part`: MPLAN_CHECK_RUN points. */
static mplan_status check_points(void *data, int64_t part, int thread, mplan_error *err)
{
    const gather_proof *proof = data;
    mplan_status status = MPLAN_OK;
    (void)thread;
    for (int64_t p = part * MPLAN_CHECK_RUN;
         p < mplan_check_run_end(part, proof->map->n_points) && !status; p++)
        status = check_point(proof, p, err);
    return status;
}

/* The order of the loop's two-step variants, which is one, as they share their lists. */
static mplan_sums_order order_of(const mplan_plan_loop *loop)
{
    for (int32_t v = 0; v < loop->n_variants; v++)
        if (mplan_strategy_has(loop->variants[v].strategy, MPLAN_TRAIT_SLOT_LISTS))
            return loop->variants[v].sums_order;
    return MPLAN_SUMS_ORDER_STORED;
}

/* As many slots as entries that are not -1. */
static mplan_status check_map(const mplan_check *check, int32_t l, int32_t m, mplan_error *err)
{
    const mplan_map *map = &check->maps[m];
    const mplan_key key = mplan_key_of_gather(MPLAN_KIND_GATHER_SLOTS, l, m);
    gather_proof proof = {
        map,
        mplan_check_set_name(check, map->to),
        check->plan->maps[m].n_entries,
        mplan_plan_find_array(check->plan, &key)->rows,
        mplan_check_data(check, mplan_key_of_gather(MPLAN_KIND_GATHER_OFFSETS, l, m)),
        mplan_check_data(check, key),
        {order_of(&check->plan->loops[l]), map->arity, map->n_rows, NULL}};
    if (proof.order.by == MPLAN_SUMS_ORDER_MESH)
        proof.order.old_of_new = mplan_check_old_of_new(check, map->from);
    if (proof.order.by == MPLAN_SUMS_ORDER_COLUMN && map->arity == 0)
        return MPLAN_DISPROVED(err, "is ragged, and has no columns to sum by");
    if (proof.n_slots != check->valid[m])
        return MPLAN_DISPROVED(err,
                               "GATHER_SLOTS has %" PRId64 " slots, but %" PRId64
                               " entries are not -1",
                               proof.n_slots, check->valid[m]);
    if (proof.offsets[0] != 0 || proof.offsets[map->n_points] != proof.n_slots)
        return MPLAN_DISPROVED(err,
                               "GATHER_OFFSETS runs from %" PRId64 " to %" PRId64
                               " instead of 0 to %" PRId64,
                               proof.offsets[0], proof.offsets[map->n_points], proof.n_slots);
    return mplan_check_each(check, mplan_check_runs(map->n_points), check_points, &proof, err);
}

/* Only maps that a two-step loop writes through have gather lists (loop->written, one flag per
 * map of the loop). A map that two loops write through is proved for each of them: the lists
 * belong to the loop. */
mplan_status mplan_check_gather(mplan_check *check, mplan_error *err)
{
    mplan_status status = MPLAN_OK;
    for (int32_t l = 0; l < check->plan->n_loops && !status; l++) {
        const mplan_check_loop *loop = &check->loops[l];
        for (int32_t m = 0; loop->two_step && m < loop->n_maps && !status; m++) {
            if (!loop->written[m])
                continue;
            status = check_map(check, l, loop->maps[m], err);
            if (status == MPLAN_ERR_DISPROVED) {
                char place[MPLAN_ERROR_TEXT / 2];
                snprintf(place, sizeof place, "loop %s (two-step), map %s",
                         check->plan->loops[l].name, check->maps[loop->maps[m]].name);
                mplan_fail_prefix(err, status, place);
            }
        }
    }
    return status;
}
