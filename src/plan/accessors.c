/* SPDX-License-Identifier: Apache-2.0 */
/* accessors.c - what the public header shows of a plan */
#include <string.h>

#include "mesh/mesh.h"
#include "plan/plan.h"

/* Zeros for a plan that was read: times are of planning, and no part of the file. */
mplan_plan_times mplan_plan_time(const mplan_plan *plan)
{
    return plan ? plan->times : (mplan_plan_times){0};
}

int32_t mplan_plan_n_sets(const mplan_plan *plan)
{
    return plan ? plan->n_sets : 0;
}

int32_t mplan_plan_n_maps(const mplan_plan *plan)
{
    return plan ? plan->n_maps : 0;
}

int32_t mplan_plan_n_loops(const mplan_plan *plan)
{
    return plan ? plan->n_loops : 0;
}

int32_t mplan_plan_n_block_sets(const mplan_plan *plan)
{
    return plan ? plan->n_block_sets : 0;
}

int32_t mplan_plan_n_metrics(const mplan_plan *plan)
{
    return plan ? plan->n_metrics : 0;
}

int32_t mplan_plan_n_arrays(const mplan_plan *plan)
{
    return plan ? plan->n_arrays : 0;
}

/* NULL for a number that is not a set's, as for all records below: callers may walk until NULL. */
const mplan_plan_set *mplan_plan_get_set(const mplan_plan *plan, int32_t set)
{
    return plan && set >= 0 && set < plan->n_sets ? &plan->sets[set] : NULL;
}

const mplan_plan_map *mplan_plan_get_map(const mplan_plan *plan, int32_t map)
{
    return plan && map >= 0 && map < plan->n_maps ? &plan->maps[map] : NULL;
}

const mplan_plan_loop *mplan_plan_get_loop(const mplan_plan *plan, int32_t loop)
{
    return plan && loop >= 0 && loop < plan->n_loops ? &plan->loops[loop] : NULL;
}

const mplan_plan_block_set *mplan_plan_get_block_set(const mplan_plan *plan, int32_t block_set)
{
    return plan && block_set >= 0 && block_set < plan->n_block_sets ? &plan->block_sets[block_set]
                                                                    : NULL;
}

const mplan_block_metrics *mplan_plan_get_metrics(const mplan_plan *plan, int32_t i)
{
    return plan && i >= 0 && i < plan->n_metrics ? &plan->metrics[i] : NULL;
}

int32_t mplan_plan_n_step(const mplan_plan *plan)
{
    return plan ? plan->n_step : 0;
}

int32_t mplan_plan_get_step(const mplan_plan *plan, int32_t i)
{
    return plan && i >= 0 && i < plan->n_step ? plan->step[i].loop : -1;
}

/* An entry holds 1 + arg, so that a zeroed record clears nothing; here -1 says so. */
int32_t mplan_plan_get_clear(const mplan_plan *plan, int32_t i)
{
    return plan && i >= 0 && i < plan->n_step ? plan->step[i].clear - 1 : -1;
}

int32_t mplan_plan_get_shift(const mplan_plan *plan, int32_t i)
{
    return plan && i >= 0 && i < plan->n_step ? plan->step[i].shift : 0;
}

bool mplan_plan_get_lag(const mplan_plan *plan, int32_t i)
{
    return plan && i >= 0 && i < plan->n_step && plan->step[i].lag != 0;
}

/* NULL for plans without slabs: all members of their visit are 0. */
const mplan_plan_visit *mplan_plan_get_visit(const mplan_plan *plan)
{
    return plan && mplan_plan_has_slabs(plan) ? &plan->visit : NULL;
}

int32_t mplan_plan_n_streams(const mplan_plan *plan)
{
    return plan ? plan->n_streams : 0;
}

const mplan_plan_stream *mplan_plan_get_stream(const mplan_plan *plan, int32_t i)
{
    return plan && i >= 0 && i < plan->n_streams ? &plan->streams[i] : NULL;
}

int32_t mplan_plan_n_conflicts(const mplan_plan *plan)
{
    return plan ? plan->n_conflicts : 0;
}

const mplan_step_conflict *mplan_plan_get_conflict(const mplan_plan *plan, int32_t i)
{
    return plan && i >= 0 && i < plan->n_conflicts ? &plan->conflicts[i] : NULL;
}

/* Numbers are those of the sealed order, ascending by key. */
const mplan_array *mplan_plan_get_array(const mplan_plan *plan, int32_t i)
{
    return plan && i >= 0 && i < plan->n_arrays ? &plan->arrays[i] : NULL;
}

/* -1 if there is none of that name. Linear: a plan has few sets. */
int32_t mplan_plan_find_set(const mplan_plan *plan, const char *name)
{
    for (int32_t i = 0; plan && name && i < plan->n_sets; i++)
        if (strcmp(plan->sets[i].name, name) == 0)
            return i;
    return -1;
}

/* A view of the plan's map under the stored orders; rows and points are counted with holes.
 * Valid while the plan lives. MPLAN_NO_MAP for a number that is not a map's; values are NULL
 * where the plan lacks the array, which no plan does that was read or sealed by the planner. */
mplan_map mplan_plan_stored_map(const mplan_plan *plan, int32_t map)
{
    const mplan_plan_map *record = mplan_plan_get_map(plan, map);
    if (!record)
        return (mplan_map)MPLAN_NO_MAP;
    mplan_map stored = {record->name,
                        record->from,
                        record->to,
                        record->arity,
                        plan->sets[record->from].storage_size,
                        plan->sets[record->to].storage_size,
                        NULL,
                        NULL};
    if (record->arity == 0)
        stored.offsets = mplan_plan_data(plan, mplan_key_of_map(MPLAN_KIND_MAP_OFFSETS, map),
                                         MPLAN_TYPE_I64, NULL);
    stored.values = mplan_plan_data(plan, mplan_key_of_map(MPLAN_KIND_MAP_VALUES, map),
                                    MPLAN_TYPE_I32, NULL);
    return stored;
}

bool mplan_plan_has_layers(const mplan_plan *plan)
{
    for (int32_t l = 0; l < plan->n_loops; l++)
        if (plan->loops[l].layering != MPLAN_LAYERING_NONE)
            return true;
    return false;
}

/* Section ARGS2 is there exactly where an arg is of a global, or has access min or max, or
 * writes points once, or a loop has layers. */
bool mplan_plan_has_args2(const mplan_plan *plan)
{
    return mplan_plan_has_new_args(plan) || mplan_plan_has_layers(plan);
}

bool mplan_plan_has_new_args(const mplan_plan *plan)
{
    for (int32_t l = 0; l < plan->n_loops; l++)
        for (int32_t a = 0; a < plan->loops[l].n_args; a++)
            if (plan->loops[l].args[a].map == MPLAN_MAP_GLOBAL ||
                plan->loops[l].args[a].access > MPLAN_INC || plan->loops[l].args[a].once)
                return true;
    return false;
}

/* Section VARIANTS2 is there exactly where a variant says something that it holds. */
bool mplan_plan_has_variants2(const mplan_plan *plan)
{
    for (int32_t l = 0; l < plan->n_loops; l++)
        for (int32_t v = 0; v < plan->loops[l].n_variants; v++) {
            const mplan_plan_variant *one = &plan->loops[l].variants[v];
            if (one->sums_order || one->slice_rows || one->entry_layout || one->bound_threads ||
                one->bound_blocks || one->granule || one->runner_up || one->predicted_ns ||
                one->runner_up_ns || one->reason || one->round)
                return true;
            for (int s = 0; s < MPLAN_N_PREDICTED; s++)
                if (one->permille[s])
                    return true;
        }
    return false;
}

bool mplan_plan_has_groups(const mplan_plan *plan)
{
    for (int32_t s = 0; s < plan->n_sets; s++)
        if (mplan_plan_set_is_group(&plan->sets[s]))
            return true;
    return false;
}

/* The lowest version that can hold the plan: 2 where something of 2 is used, 1 with origins,
 * else 0. So older readers read all plans that they can. */
int32_t mplan_plan_format_minor(const mplan_plan *plan)
{
    if (!plan)
        return MPLAN_FORMAT_MINOR;
    bool later = mplan_plan_has_variants2(plan) || mplan_plan_has_args2(plan) || plan->n_step > 0 ||
                 mplan_plan_has_groups(plan) || mplan_plan_is_part(plan);
    for (int32_t l = 0; l < plan->n_loops; l++)
        for (int32_t v = 0; v < plan->loops[l].n_variants; v++)
            later = later || plan->loops[l].variants[v].encoding == MPLAN_ENCODING_WINDOWS16;
    return later ? 2 : plan->no_origins ? 0 : 1;
}

const char *mplan_plan_request(const mplan_plan *plan)
{
    return plan ? plan->request : "";
}

const char *mplan_plan_versions(const mplan_plan *plan)
{
    return plan ? plan->versions : "";
}

mplan_fingerprints mplan_plan_fingerprints(const mplan_plan *plan)
{
    return plan ? plan->fingerprints : (mplan_fingerprints){0};
}

/* Adds a map to maps[0..n) unless it is there; the caller has room for it. */
static void add_map(int32_t map, int32_t *maps, int32_t *n)
{
    for (int32_t i = 0; i < *n; i++)
        if (maps[i] == map)
            return;
    maps[(*n)++] = map;
}

/* Fields of an entry of windows16: neighbour, element where the loop has direct args, slots of the other maps. maps: the
 * local ones, with room for n_args.
 * Slots are cut off far above what a variant can have, so that the sum fits; the maps beyond n_local are added to
 * maps. */
static void count_fields(const mplan_plan *plan, const mplan_plan_loop *loop, int32_t *maps,
                         mplan_increments *out)
{
    bool direct = false;
    int32_t n = out->n_local;
    int64_t slots = 0;
    for (int32_t a = 0; a < loop->n_args; a++) {
        direct = direct || mplan_arg_is_of_element(&loop->args[a]);
        if (loop->args[a].map >= 0)
            add_map(loop->args[a].map, maps, &n);
    }
    for (int32_t m = out->n_maps; m < n; m++)
        slots += plan->maps[maps[m]].arity;
    out->fields = 1 + direct + (int32_t)(slots < INT32_MAX / 4 ? slots : INT32_MAX / 4);
}

/* Whether the loop increments something by the map. */
static bool increments_by(const mplan_plan_loop *loop, int32_t map)
{
    for (int32_t a = 0; a < loop->n_args; a++)
        if (loop->args[a].map == map && mplan_access_adds(loop->args[a].access))
            return true;
    return false;
}

/* What gathering strategies need to know of a loop: it only increments one set, through maps of fixed arity. maps: out,
 * the maps of the increments first (n_maps), then those that local ids cover (n_local), which are all fixed maps to that
 * set; room for n_args. What is written once may be beside it, by other maps. False: the loop cannot be gathered, and *out says nothing. Columns are counted in 32 bits: two
 * maps of a set without members may have more, in a file of some bytes. */
bool mplan_plan_gathers(const mplan_plan *plan, const mplan_plan_loop *loop, int32_t *maps,
                        mplan_increments *out)
{
    *out = (mplan_increments){.set = -1};
    for (int32_t a = 0; a < loop->n_args; a++) {
        const mplan_plan_arg *arg = &loop->args[a];
        if (arg->map < 0 || arg->access == MPLAN_READ ||
            (arg->once && !increments_by(loop, arg->map)))
            continue;
        const mplan_plan_map *map = &plan->maps[arg->map];
        if (!mplan_access_adds(arg->access) || map->arity == 0 ||
            (out->set >= 0 && out->set != map->to))
            return false;
        out->set = map->to;
        add_map(arg->map, maps, &out->n_maps);
    }
    out->n_local = out->n_maps;
    for (int32_t a = 0; a < loop->n_args && out->set >= 0; a++) {
        int32_t map = loop->args[a].map;
        if (map >= 0 && plan->maps[map].to == out->set && plan->maps[map].arity > 0)
            add_map(map, maps, &out->n_local);
    }
    int64_t columns = 0;
    for (int32_t m = 0; m < out->n_local; m++) {
        columns += plan->maps[maps[m]].arity;
        if (columns > INT32_MAX)
            return false;
        out->local_columns = (int32_t)columns;
        if (m < out->n_maps) {
            out->columns = (int32_t)columns;
            out->entries += plan->maps[maps[m]].n_entries;
        }
    }
    count_fields(plan, loop, maps, out);
    return out->set >= 0;
}
