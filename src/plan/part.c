/* SPDX-License-Identifier: Apache-2.0 */
/* part.c - what a plan that is one part of a bundle says of its neighbours */
#include <string.h>

#include "plan/plan.h"

/* All sets of a plan are of the same part, or none is: the first speaks for all. */
bool mplan_plan_is_part(const mplan_plan *plan)
{
    return plan->n_sets > 0 && plan->sets[0].part.parts > 0;
}

int32_t mplan_plan_part(const mplan_plan *plan)
{
    return plan && mplan_plan_is_part(plan) ? plan->sets[0].part.part : -1;
}

void mplan_plan_set_part(mplan_plan *plan, int32_t set, const mplan_part_set *part)
{
    plan->sets[set].part = *part;
}

/* At most two digits behind the word; a file may have any text there, and other numbers count as none. */
int32_t mplan_plan_rings(const mplan_plan *plan)
{
    const char *at = plan && mplan_plan_is_part(plan) && plan->request
                         ? strstr(plan->request, "\nrings ")
                         : NULL;
    if (!at)
        return 0;
    int32_t rings = 0;
    for (at += sizeof "\nrings " - 1; *at >= '0' && *at <= '9' && rings < 100; at++)
        rings = 10 * rings + (*at - '0');
    return *at == '\n' && rings <= MPLAN_RINGS_MOST ? rings : 0;
}

mplan_key mplan_key_of_loop_set(mplan_kind kind, int32_t set, int32_t loop)
{
    mplan_key key = mplan_key_of_set(kind, set);
    key.loop = (uint32_t)loop;
    return key;
}

/* A loop needs other parts' members of a set where it reads their dats: its own elements' by direct
 * args, points' through maps. */
bool mplan_plan_loop_reads(const mplan_plan *plan, int32_t loop, int32_t set)
{
    const mplan_plan_loop *record = &plan->loops[loop];
    for (int32_t a = 0; a < record->n_args; a++) {
        const mplan_plan_arg *arg = &record->args[a];
        if (arg->map == MPLAN_MAP_GLOBAL || (arg->access != MPLAN_READ && arg->access != MPLAN_RW))
            continue;
        if ((arg->map == -1 ? record->set : plan->maps[arg->map].to) == set)
            return true;
    }
    return false;
}

static const mplan_part_set *part_set(const mplan_plan *plan, int32_t set)
{
    return plan && set >= 0 && set < plan->n_sets ? &plan->sets[set].part : NULL;
}

/* ranges: four stored indices an import: begin and end of what the part executes, then of what it only reads. */
mplan_part_import mplan_plan_part_import(const mplan_plan *plan, int32_t set, int32_t i)
{
    const mplan_part_set *part = part_set(plan, set);
    if (!part || i < 0 || i >= part->imports)
        return (mplan_part_import){.part = -1};
    const int32_t *parts = mplan_plan_data(plan, mplan_key_of_set(MPLAN_KIND_IMPORT_PARTS, set),
                                           MPLAN_TYPE_I32, NULL);
    const int64_t *ranges = mplan_plan_data(plan, mplan_key_of_set(MPLAN_KIND_IMPORT_RANGES, set),
                                            MPLAN_TYPE_I64, NULL);
    const int64_t *range = ranges + 4 * (int64_t)i;
    return (mplan_part_import){parts[i], {range[0], range[1]}, {range[2], range[3]}};
}

/* List i of three arrays: the parts of a set's neighbours, where the list of each begins, and the
 * lists. Part -1 where the plan lacks them or i is out of range.
 * parts: n entries; offsets: n + 1; index: stored indices, those of neighbour i at [offsets[i], offsets[i + 1]). */
static mplan_part_list list_of(const mplan_plan *plan, mplan_key parts_key, mplan_key offsets_key,
                               mplan_key index_key, int32_t i, int32_t n)
{
    const int32_t *parts = mplan_plan_data(plan, parts_key, MPLAN_TYPE_I32, NULL);
    const int64_t *offsets = mplan_plan_data(plan, offsets_key, MPLAN_TYPE_I64, NULL);
    const int32_t *index = mplan_plan_data(plan, index_key, MPLAN_TYPE_I32, NULL);
    if (i < 0 || i >= n || !parts)
        return (mplan_part_list){-1, 0, NULL};
    if (!offsets || !index)
        return (mplan_part_list){parts[i], 0, NULL};
    return (mplan_part_list){parts[i], offsets[i + 1] - offsets[i], index + offsets[i]};
}

mplan_part_list mplan_plan_part_export(const mplan_plan *plan, int32_t set, int32_t i)
{
    const mplan_part_set *part = part_set(plan, set);
    if (!part)
        return (mplan_part_list){-1, 0, NULL};
    return list_of(plan, mplan_key_of_set(MPLAN_KIND_EXPORT_PARTS, set),
                   mplan_key_of_set(MPLAN_KIND_EXPORT_OFFSETS, set),
                   mplan_key_of_set(MPLAN_KIND_EXPORT_INDEX, set), i, part->exports);
}

/* Neighbours of a loop's lists are those of the set's, in the same order; a list may be empty. */
mplan_part_list mplan_plan_part_loop_import(const mplan_plan *plan, int32_t loop, int32_t set,
                                            int32_t i)
{
    const mplan_part_set *part = part_set(plan, set);
    if (!part || loop < 0 || loop >= plan->n_loops)
        return (mplan_part_list){-1, 0, NULL};
    return list_of(plan, mplan_key_of_set(MPLAN_KIND_IMPORT_PARTS, set),
                   mplan_key_of_loop_set(MPLAN_KIND_LOOP_IMPORT_OFFSETS, set, loop),
                   mplan_key_of_loop_set(MPLAN_KIND_LOOP_IMPORTS, set, loop), i, part->imports);
}

mplan_part_list mplan_plan_part_loop_export(const mplan_plan *plan, int32_t loop, int32_t set,
                                            int32_t i)
{
    const mplan_part_set *part = part_set(plan, set);
    if (!part || loop < 0 || loop >= plan->n_loops)
        return (mplan_part_list){-1, 0, NULL};
    return list_of(plan, mplan_key_of_set(MPLAN_KIND_EXPORT_PARTS, set),
                   mplan_key_of_loop_set(MPLAN_KIND_LOOP_EXPORT_OFFSETS, set, loop),
                   mplan_key_of_loop_set(MPLAN_KIND_LOOP_EXPORTS, set, loop), i, part->exports);
}
