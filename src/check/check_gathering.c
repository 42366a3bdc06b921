/* SPDX-License-Identifier: Apache-2.0 */
/* check_gathering.c - which loops gather, and what variants that gather may be
 *
 * The definition below VARIANTS in formats/plan-format.md. */
#include <stdlib.h>

#include "check/check.h"

/* out->maps: distinct maps, in the order of the args; room for all of them. */
static void add_map(mplan_check_gathering *out, int32_t map)
{
    for (int32_t m = 0; m < out->n_local; m++)
        if (out->maps[m] == map)
            return;
    out->maps[out->n_local++] = map;
}

/* Fields of an entry of windows16 (section 9): the neighbour, the element where there are direct args or globals that change,
 * and each slot of each map by which nothing is incremented. */
static int64_t count_fields(const mplan_plan *plan, const mplan_plan_loop *loop,
                            const mplan_check_gathering *gathering)
{
    int64_t n = 1;
    bool direct = false;
    for (int32_t a = 0; a < loop->n_args; a++) {
        const mplan_plan_arg *arg = &loop->args[a];
        bool counted = arg->map < 0;
        direct = direct || arg->map == -1 ||
                 (arg->map == MPLAN_MAP_GLOBAL && arg->access != MPLAN_READ);
        for (int32_t b = 0; b < a && !counted; b++)
            counted = loop->args[b].map == loop->args[a].map;
        for (int32_t m = 0; m < gathering->n_maps && !counted; m++)
            counted = gathering->maps[m] == loop->args[a].map;
        n += counted ? 0 : plan->maps[loop->args[a].map].arity;
    }
    return n + direct;
}

/* Whether an arg before or behind adds by the map. */
static bool adds_by(const mplan_plan_loop *loop, int32_t map)
{
    bool adds = false;
    for (int32_t a = 0; a < loop->n_args; a++)
        adds = adds || (loop->args[a].map == map && mplan_access_adds(loop->args[a].access));
    return adds;
}

/* Increment maps first, then the other local maps, in the order of the args; NULL, or why the loop does not gather.
 * Args that write each point once do not make a loop unfit, unless an increment goes through the same map. */
static const char *collect(const mplan_plan *plan, const mplan_plan_loop *loop,
                           mplan_check_gathering *out)
{
    out->set = -1;
    for (int32_t a = 0; a < loop->n_args; a++) {
        const mplan_plan_arg *arg = &loop->args[a];
        if (arg->map < 0 || arg->access == MPLAN_READ)
            continue;
        const mplan_plan_map *map = &plan->maps[arg->map];
        if (arg->once && !adds_by(loop, arg->map))
            continue;
        if (!mplan_access_adds(arg->access))
            return "writes through a map";
        if (map->arity == 0)
            return "increments through a ragged map";
        if (out->n_local > 0 && out->set != map->to)
            return "increments two sets";
        out->set = map->to;
        add_map(out, arg->map);
    }
    if (out->set < 0)
        return "increments nothing through a map";
    out->n_maps = out->n_local;
    for (int32_t a = 0; a < loop->n_args; a++) {
        const int32_t map = loop->args[a].map;
        if (map >= 0 && plan->maps[map].to == out->set && plan->maps[map].arity > 0)
            add_map(out, map);
    }
    for (int32_t m = 0; m < out->n_local; m++) {
        out->local_columns += plan->maps[out->maps[m]].arity;
        out->columns += m < out->n_maps ? plan->maps[out->maps[m]].arity : 0;
    }
    out->fields = count_fields(plan, loop, out);
    return NULL;
}

/* Which set and maps a gathering strategy works on. out->maps is owned by the caller,
 * who frees it also after a failure. */
mplan_status mplan_check_gathering_open(const mplan_plan *plan, int32_t l,
                                        mplan_check_gathering *out, mplan_error *err)
{
    const mplan_plan_loop *loop = &plan->loops[l];
    *out = (mplan_check_gathering){.maps = mplan_alloc(loop->n_args, sizeof *out->maps, err)};
    if (!out->maps)
        return MPLAN_ERR_MEMORY;
    const char *wrong = collect(plan, loop, out);
    return wrong ? MPLAN_DISPROVED(err, "loop %s has a variant that gathers, but it %s", loop->name,
                                   wrong)
                 : MPLAN_OK;
}

void mplan_check_gathering_close(mplan_check_gathering *gathering)
{
    free(gathering->maps);
    gathering->maps = NULL;
}

/* owner-gather computes each element that writes at least once. */
static const char *fault_of_direct(const mplan_check *check, const mplan_plan_loop *loop,
                                   const mplan_check_gathering *gathering)
{
    bool writes = false, global = false;
    for (int32_t a = 0; a < loop->n_args; a++) {
        const mplan_plan_arg *arg = &loop->args[a];
        writes = writes || arg->access ==
                               MPLAN_WRITE; /* through a map: each point once, as the loop gathers */
        global = global || (arg->map == MPLAN_MAP_GLOBAL && arg->access != MPLAN_READ);
    }
    const int32_t *old_of_new = mplan_check_old_of_new(check, loop->set);
    for (int64_t e = 0; (writes || global) && e < mplan_check_set(check, loop->set)->storage_size;
         e++) {
        bool point = old_of_new[e] < 0;
        for (int32_t m = 0; m < gathering->n_maps && !point; m++) {
            const mplan_map *map = &check->maps[gathering->maps[m]];
            for (int32_t s = 0; s < map->arity; s++)
                point = point || map->values[e * map->arity + s] >= 0;
        }
        if (!point)
            return writes ? "writes something for an element without points, but owner-gather never "
                            "computes such an element"
                          : "changes a global for an element without points, but owner-gather never "
                            "computes such an element";
    }
    return NULL;
}

/* What a variant says about sums and encodings must fit its strategy. */
static mplan_status check_variant(const mplan_check *check, int32_t l, int32_t v, mplan_error *err)
{
    const mplan_plan_loop *loop = &check->plan->loops[l];
    const mplan_plan_variant *variant = &loop->variants[v];
    bool blocks = mplan_strategy_has(variant->strategy, MPLAN_TRAIT_RECORDS);
    bool owners = mplan_strategy_has(variant->strategy, MPLAN_TRAIT_OWNERS);
    const char *wrong = NULL;
    if (!blocks && variant->sums != MPLAN_SUMS_PARTIAL)
        wrong = "has sums, but is not block-gather";
    else if (variant->partial_sums < 0 ||
             (variant->partial_sums && !(blocks && variant->sums == MPLAN_SUMS_PARTIAL)))
        wrong = "has a number of partial sums, but no partial sums";
    else if (owners != (variant->encoding != MPLAN_ENCODING_NONE))
        wrong = "has an encoding that does not belong to its strategy";
    else if (!owners && (variant->width || variant->window))
        wrong = "has a width or window, but is not owner-gather";
    else if (owners &&
             ((variant->width < 0 || variant->width > MPLAN_CHECK_MOST_WIDTH) ||
              (variant->window != 0 && (variant->window != MPLAN_CHECK_WINDOW || variant->width))))
        wrong = "has an invalid width or window";
    if (wrong)
        return MPLAN_DISPROVED(err, "loop %s, variant %d %s", loop->name, (int)v, wrong);
    if (!owners)
        return MPLAN_OK;
    mplan_check_gathering gathering;
    mplan_status status = mplan_check_gathering_open(check->plan, l, &gathering, err);
    if (!status)
        wrong = fault_of_direct(check, loop, &gathering);
    mplan_check_gathering_close(&gathering);
    return wrong ? MPLAN_DISPROVED(err, "loop %s %s", loop->name, wrong) : status;
}

/* Each variant by itself: two of one strategy may have tables of different block sets. */
mplan_status mplan_check_gatherings(mplan_check *check, mplan_error *err)
{
    mplan_status status = MPLAN_OK;
    for (int32_t l = 0; l < check->plan->n_loops; l++)
        for (int32_t v = 0; v < check->plan->loops[l].n_variants && !status; v++)
            status = check_variant(check, l, v, err);
    return status;
}
