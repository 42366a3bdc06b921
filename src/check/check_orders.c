/* SPDX-License-Identifier: Apache-2.0 */
/* check_orders.c - orders are injective and inverse to each other; global ids ascend */
#include <string.h>

#include "base/fetch.h"
#include "check/check.h"

/* Both directions of the order of one set: new_of_old has size entries in [0, storage_size), old_of_new storage_size
 * entries in [-1, size), -1 for holes. */
typedef struct order_proof {
    const mplan_plan_set *set;
    const int32_t *new_of_old, *old_of_new;
} order_proof;

/* Asks for the place of member i, if it has one. */
static inline void fetch_place(const order_proof *proof, int64_t i)
{
    if (i < proof->set->size && proof->new_of_old[i] >= 0 &&
        proof->new_of_old[i] < proof->set->storage_size)
        mplan_fetch(proof->old_of_new + proof->new_of_old[i]);
}

/* Each member has a place that leads back to it: so no two share one. */
static mplan_status check_members(void *data, int64_t part, int thread, mplan_error *err)
{
    const order_proof *proof = data;
    const mplan_plan_set *set = proof->set;
    (void)thread;
    for (int64_t i = part * MPLAN_CHECK_RUN; i < mplan_check_run_end(part, set->size); i++) {
        int32_t stored = proof->new_of_old[i];
        fetch_place(proof, i + MPLAN_FETCH_DISTANCE);
        if (stored < 0 || stored >= set->storage_size)
            return MPLAN_DISPROVED(err,
                                   "set %s: NEW_OF_OLD puts member %" PRId64
                                   " at %d, which is not in [0, %" PRId64 ")",
                                   set->name, i, (int)stored, set->storage_size);
        if (proof->old_of_new[stored] != i)
            return MPLAN_DISPROVED(err,
                                   "set %s: NEW_OF_OLD puts member %" PRId64
                                   " at %d, where OLD_OF_NEW has %d",
                                   set->name, i, (int)stored, (int)proof->old_of_new[stored]);
    }
    return MPLAN_OK;
}

/* Each place has a member that is stored there, or is a hole. */
static mplan_status check_places(void *data, int64_t part, int thread, mplan_error *err)
{
    const order_proof *proof = data;
    const mplan_plan_set *set = proof->set;
    (void)thread;
    for (int64_t i = part * MPLAN_CHECK_RUN; i < mplan_check_run_end(part, set->storage_size); i++) {
        int32_t old = proof->old_of_new[i];
        if (old < -1 || old >= set->size)
            return MPLAN_DISPROVED(err,
                                   "set %s: OLD_OF_NEW has %d at %" PRId64
                                   ", which is not in [-1, %" PRId64 ")",
                                   set->name, (int)old, i, set->size);
        if (old >= 0 && proof->new_of_old[old] != i)
            return MPLAN_DISPROVED(err,
                                   "set %s: OLD_OF_NEW has member %d at %" PRId64
                                   ", but NEW_OF_OLD puts it at %d",
                                   set->name, (int)old, i, (int)proof->new_of_old[old]);
    }
    return MPLAN_OK;
}

/* new_of_old and old_of_new undo each other in both directions, which proves that they
 * are injective. */
static mplan_status check_order(const mplan_check *check, int32_t s, mplan_error *err)
{
    const mplan_plan_set *set = mplan_check_set(check, s);
    order_proof proof = {set, mplan_check_new_of_old(check, s), mplan_check_old_of_new(check, s)};
    mplan_status status = mplan_check_each(check, mplan_check_runs(set->size), check_members,
                                           &proof, err);
    if (!status)
        status = mplan_check_each(check, mplan_check_runs(set->storage_size), check_places, &proof,
                                  err);
    return status;
}

/* GLOBAL_ID of a split set, size entries. */
static const int64_t *global_ids(const mplan_check *check, int32_t s)
{
    return mplan_check_data(check, mplan_key_of_set(MPLAN_KIND_GLOBAL_ID, s));
}

/* Members of a set that was split keep the order of the input. */
static mplan_status check_ids(const mplan_check *check, int32_t s, mplan_error *err)
{
    const mplan_plan_set *set = mplan_check_set(check, s);
    const int64_t *id = global_ids(check, s);
    for (int64_t i = 0; i < set->size; i++)
        if (id[i] < (i ? id[i - 1] + 1 : 0) || id[i] >= INT32_MAX)
            return MPLAN_DISPROVED(err,
                                   "set %s: GLOBAL_ID %" PRId64 " of member %" PRId64
                                   " does not ascend from 0",
                                   set->name, id[i], i);
    return MPLAN_OK;
}

/* Whether the set is one of the two that a split has made. */
static bool is_split(const mplan_plan_set *set)
{
    return set->split && *set->split;
}

/* The two halves of a split set hold each of its members once: both ascend, so merging them must
 * count from 0 up. Ids below i + j are dealt with; what both have is found behind the inner one. */
static mplan_status check_halves(const mplan_check *check, int32_t inner, int32_t boundary,
                                 mplan_error *err)
{
    const mplan_plan_set *in = mplan_check_set(check, inner);
    const mplan_plan_set *out = mplan_check_set(check, boundary);
    const int64_t *a = global_ids(check, inner), *b = global_ids(check, boundary);
    for (int64_t i = 0, j = 0; i < in->size || j < out->size;) {
        int64_t next = i + j;
        if (j < out->size && b[j] < next)
            return MPLAN_DISPROVED(err, "sets %s and %s: both have GLOBAL_ID %" PRId64, in->name,
                                   out->name, b[j]);
        if (i < in->size && a[i] == next)
            i++;
        else if (j < out->size && b[j] == next)
            j++;
        else
            return MPLAN_DISPROVED(err, "sets %s and %s: neither has GLOBAL_ID %" PRId64, in->name,
                                   out->name, next);
    }
    return MPLAN_OK;
}

/* Index of the set `<name>_boundary` split by the same map; -1 without one. */
static int32_t find_boundary(const mplan_plan *plan, const mplan_plan_set *set)
{
    static const char ending[] = "_boundary";
    const size_t length = strlen(set->name);
    for (int32_t s = 0; s < plan->n_sets; s++) {
        const mplan_plan_set *other = &plan->sets[s];
        if (is_split(other) && strncmp(other->name, set->name, length) == 0 &&
            strcmp(other->name + length, ending) == 0 && strcmp(other->split, set->split) == 0)
            return s;
    }
    return -1;
}

/* Ids of both halves of a split set are compared once both are known to ascend. */
mplan_status mplan_check_orders(mplan_check *check, mplan_error *err)
{
    const mplan_plan *plan = check->plan;
    mplan_status status = MPLAN_OK;
    for (int32_t s = 0; s < plan->n_sets && !status; s++) {
        status = check_order(check, s, err);
        if (!status && is_split(&plan->sets[s]))
            status = check_ids(check, s, err);
    }
    for (int32_t s = 0; s < plan->n_sets && !status; s++) {
        int32_t boundary = is_split(&plan->sets[s]) ? find_boundary(plan, &plan->sets[s]) : -1;
        if (boundary >= 0)
            status = check_halves(check, s, boundary, err);
    }
    return status;
}
