/* SPDX-License-Identifier: Apache-2.0 */
/* check_kept.c - what a device keeps whole while slabs go through it: peak of VISIT, formats/plan-format.md
 *
 * Counted by the format's own words; the planner's count is not looked at. */
#include "check/check_slabs.h"

/* Elements for each of which one more number is kept of a global that changes late. */
enum { GROUP = 2048 };

/* Groups of `size` that n members begin. */
static int64_t groups(int64_t n, int64_t size)
{
    return n / size + (n % size != 0);
}

/* Globals that change late: each element leaves its numbers, each group of elements others, and sums take those of elements in the mesh's
 * order. */
static int64_t late_bytes(const mplan_plan *plan, const mplan_step_entry *entry)
{
    const mplan_plan_loop *loop = &plan->loops[entry->loop];
    const int64_t n = plan->sets[loop->set].storage_size;
    int64_t numbers = 0, sums = 0;
    if (!entry->lag)
        return 0;
    for (const mplan_plan_arg *arg = loop->args; arg < loop->args + loop->n_args; arg++)
        if (arg->map == MPLAN_MAP_GLOBAL && arg->access != MPLAN_READ) {
            numbers += arg->dim * (int64_t)mplan_type_size(arg->type);
            sums += arg->access == MPLAN_INC;
        }
    return numbers * (n + groups(n, GROUP)) + sums * 4 * n;
}

/* Slots of args with levels through maps, of all of them; *flat: each leads to the level of its layer. */
static int64_t count_slots(const mplan_plan_loop *loop, bool *flat)
{
    int64_t slots = 0;
    *flat = true;
    for (const mplan_plan_arg *arg = loop->args; arg < loop->args + loop->n_args; arg++) {
        if (arg->map < 0 || arg->layers.levels == 0)
            continue;
        slots += arg->layers.n_slots;
        for (int32_t s = 0; s < arg->layers.n_slots; s++)
            *flat = *flat && arg->layers.stride == 1 && arg->layers.slots[s].offset == 0;
    }
    return slots;
}

/* A loop with layers: numbers of 8 bytes for the slots of each element; where it is run by rows, of 4 bytes, one for each row, one for each
 * slot that may lead to one, and where levels are those of layers as many again as that slot's element has slots; with ranges four
 * for each row, and one for each 32 of their levels. */
static int64_t levels_bytes(const mplan_plan *plan, int32_t l)
{
    const mplan_plan_loop *loop = &plan->loops[l];
    const mplan_plan_set *set = &plan->sets[loop->set];
    const mplan_plan_arg *to = mplan_slab_increment(loop);
    bool flat;
    int64_t bytes = 256 + 8 * set->storage_size * count_slots(loop, &flat);
    if (!to ||
        !mplan_strategy_has(loop->variants[loop->default_variant].strategy, MPLAN_TRAIT_OWNERS))
        return bytes;
    const int64_t rows = plan->sets[plan->maps[to->map].to].storage_size, slots = to->layers.n_slots;
    int64_t numbers = rows + set->storage_size * slots;
    if (flat)
        numbers += set->storage_size * slots * slots;
    if (set->layers_ranged)
        numbers += 4 * rows + groups(rows * to->layers.levels, 32);
    return bytes + 4 * numbers;
}

/* Two numbers for each element of a set with ranges, and the words of its mask. */
static int64_t set_bytes(const mplan_plan_set *set)
{
    int64_t numbers = 0;
    if (set->layers_ranged)
        numbers += 2;
    if (set->layers_masked)
        numbers += groups(set->layers, 32);
    return 4 * numbers * set->storage_size;
}

/* Whether an entry of the step is of a loop with layers: loop l, or with l = -1 one over the set. */
static bool runs(const mplan_plan *plan, int32_t l, int32_t set)
{
    for (int32_t i = 0; i < plan->n_step; i++) {
        const mplan_plan_loop *loop = &plan->loops[plan->step[i].loop];
        if (loop->layering && (l >= 0 ? plan->step[i].loop == l : loop->set == set))
            return true;
    }
    return false;
}

int64_t mplan_check_kept_bytes(const mplan_plan *plan)
{
    int64_t bytes = 0;
    for (int32_t i = 0; i < plan->n_step; i++)
        bytes += late_bytes(plan, &plan->step[i]);
    for (int32_t l = 0; l < plan->n_loops; l++)
        bytes += runs(plan, l, -1) ? levels_bytes(plan, l) : 0;
    for (int32_t s = 0; s < plan->n_sets; s++)
        bytes += runs(plan, -1, s) ? set_bytes(&plan->sets[s]) : 0;
    return bytes;
}
