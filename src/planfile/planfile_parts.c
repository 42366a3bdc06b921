/* SPDX-License-Identifier: Apache-2.0 */
/* planfile_parts.c - what the records of PARTS must agree on with one another and with SETS
 *
 * Section 4 of formats/plan-format.md, below PARTS. Whoever reads a plan of a part can rely on it: the ranges of owned
 * members and halos lie within the set, and the shapes of all lists follow. */
#include "planfile/planfile_layout.h"

#define BROKEN(row_, at_, ...) \
    return mplan_fault_set(fault, MPLAN_KIND_PARTS, row_, at_, __VA_ARGS__)

/* A canonical id is below 2^62, so that sums of two of them are numbers. */
#define MOST_TOTAL (INT64_C(1) << 62)

/* Ranges of one set, each within the one around it. */
static mplan_status check_ranges(const mplan_plan_set *set, int64_t row, mplan_fault *fault)
{
    const mplan_part_set *part = &set->part;
    if (part->total < 0 || part->total > MOST_TOTAL)
        BROKEN(row, 8, "set %lld cannot have %lld members in all parts", (long long)row,
               (long long)part->total);
    if (part->base < 0 || part->base > part->total)
        BROKEN(row, 16, "canonical ids of set %lld cannot begin at %lld", (long long)row,
               (long long)part->base);
    if (part->owned < 0 || part->owned > set->size || part->owned > part->total - part->base)
        BROKEN(row, 24, "the part cannot own %lld members of set %lld", (long long)part->owned,
               (long long)row);
    if (part->inner < 0 || part->inner > part->owned)
        BROKEN(row, 32, "set %lld cannot have %lld inner members", (long long)row,
               (long long)part->inner);
    if (part->executed < part->owned || part->executed > set->size)
        BROKEN(row, 40, "the part cannot execute %lld members of set %lld",
               (long long)part->executed, (long long)row);
    return MPLAN_OK;
}

/* Neighbours of one set: other parts, each with a list that is not empty. */
static mplan_status check_neighbours(const mplan_plan_set *set, int64_t row, mplan_fault *fault)
{
    const mplan_part_set *part = &set->part;
    const int64_t others = part->parts - 1, halo = set->size - part->owned;
    if (part->imports < 0 || part->imports > others || part->imports > halo ||
        (part->imports == 0) != (halo == 0))
        BROKEN(row, 48, "a halo of %lld members of set %lld cannot come from %d parts",
               (long long)halo, (long long)row, (int)part->imports);
    if (part->exports < 0 || part->exports > others)
        BROKEN(row, 52, "set %lld cannot go to %d parts", (long long)row, (int)part->exports);
    if (part->exported < part->exports || part->exported > part->exports * part->owned)
        BROKEN(row, 56, "%lld members of set %lld cannot go to %d parts", (long long)part->exported,
               (long long)row, (int)part->exports);
    return MPLAN_OK;
}

/* A plan is a part in all of its sets or in none, of the same part and number of parts. What a part may not have yet
 * (splits, groups, holes) is refused. */
mplan_status mplan_rules_parts(const mplan_plan *plan, mplan_fault *fault)
{
    mplan_status status = MPLAN_OK;
    if (!mplan_plan_is_part(plan))
        return MPLAN_OK;
    const mplan_part_set *first = &plan->sets[0].part;
    for (int32_t s = 0; s < plan->n_sets && !status; s++) {
        const mplan_plan_set *set = &plan->sets[s];
        if (set->part.parts != first->parts)
            BROKEN(s, 0, "set %d has another number of parts than set 0", (int)s);
        if (set->part.part != first->part || set->part.part < 0 || set->part.part >= set->part.parts)
            BROKEN(s, 4, "set %d is not of a part of the plan", (int)s);
        if (set->split[0] || mplan_plan_set_is_group(set))
            BROKEN(s, 0, "set %d is split or a group, which no part may be", (int)s);
        if (set->storage_size != set->size)
            BROKEN(s, 0, "set %d has holes, which no part may have", (int)s);
        status = check_ranges(set, s, fault);
        if (!status)
            status = check_neighbours(set, s, fault);
    }
    return status;
}
