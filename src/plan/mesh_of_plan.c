/* SPDX-License-Identifier: Apache-2.0 */
/* mesh_of_plan.c - a plan's sets and maps in a mesh, and their fingerprint there
 *
 * A plan names sets and maps that its mesh may lack: planning derived them, or split a set in two. The
 * same is done here, by name, so that who has a mesh and a plan can compare them. */
#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "base/option_size.h"
#include "base/threads.h"
#include "mesh/mesh.h"
#include "plan/plan.h"

static const char ending[] = "_boundary"; /* of the name of a set that a split makes */

/* A mesh that is brought to the state in which planning left it. */
typedef struct matching {
    const mplan_plan *plan;
    mplan_mesh *mesh;
    const mplan_context *context;
} matching;

/* Whether the set is one of the two that a split has made. */
static bool is_split(const mplan_plan_set *set)
{
    return set->split && *set->split;
}

/* Whether a set of this name is what splitting the whole leaves, or cuts off. */
static bool is_half(const char *half, const char *whole)
{
    const size_t n = strlen(whole);
    return strncmp(half, whole, n) == 0 && (half[n] == '\0' || strcmp(half + n, ending) == 0);
}

/* Length of the name that a boundary's set had before it was split; the name's own when
 * it does not end like a boundary. */
static size_t base_length(const char *name)
{
    size_t length = strlen(name), tail = sizeof ending - 1;
    bool is_boundary = length > tail && strcmp(name + length - tail, ending) == 0;
    return is_boundary ? length - tail : length;
}

/* Derives `name` unless the mesh has it; that it cannot be derived is not a failure yet. */
static mplan_status try_derive(const matching *in, const char *name, mplan_error *err)
{
    mplan_status status = mplan_mesh_derive_sparing(in->mesh, name, in->context, err);
    return status == MPLAN_ERR_ARGUMENT ? MPLAN_OK : status;
}

/* Whether the mesh has any map between these sets. */
static bool has_map(const mplan_mesh *mesh, int32_t from, int32_t to)
{
    for (int32_t m = 0; m < mplan_mesh_n_maps(mesh); m++)
        if (mplan_mesh_map(mesh, m).from == from && mplan_mesh_map(mesh, m).to == to)
            return true;
    return false;
}

/* A map from the boundary of a split set is cut from <base>_<to>, which must be
 * there before the set is split.
 * Names without that ending have nothing to derive. The map may have another name: any between these sets will do. */
static mplan_status derive_uncut(const matching *in, const mplan_plan_map *map, mplan_error *err)
{
    const mplan_plan *plan = in->plan;
    const mplan_plan_set *from = &plan->sets[map->from];
    const char *to = plan->sets[map->to].name;
    const size_t base = base_length(from->name);
    if (!from->name[base])
        return MPLAN_OK;
    const int64_t size = (int64_t)(base + strlen(to) + 2);
    char *name = mplan_alloc(size, 1, err);
    if (!name)
        return MPLAN_ERR_MEMORY;
    snprintf(name, (size_t)size, "%.*s", (int)base, from->name);
    int32_t base_set = mplan_mesh_find_set(in->mesh, name);
    snprintf(name, (size_t)size, "%.*s_%s", (int)base, from->name, to);
    mplan_status status = MPLAN_OK;
    if (!has_map(in->mesh, base_set, mplan_mesh_find_set(in->mesh, to)))
        status = try_derive(in, name, err);
    free(name);
    return status;
}

/* Splits the mesh's set that a split set of the plan comes from, unless done.
 * set->split names the map by which it was split. Sets with global ids were split before. */
static mplan_status split_set(const matching *in, const mplan_plan_set *set, mplan_error *err)
{
    if (mplan_mesh_global_ids(in->mesh, mplan_mesh_find_set(in->mesh, set->name)))
        return MPLAN_OK;
    mplan_status status = try_derive(in, set->split, err);
    if (status)
        return status;
    const int32_t map = mplan_mesh_find_map(in->mesh, set->split);
    const int32_t whole = mplan_mesh_map(in->mesh, map).from;
    if (map < 0 || !is_half(set->name, mplan_mesh_set(in->mesh, whole).name))
        return mplan_fail(err, MPLAN_ERR_OTHER_MESH,
                          "the mesh has no map %s by which %s could be split", set->split, set->name);
    return mplan_mesh_global_ids(in->mesh, whole) ? MPLAN_OK
                                                  : mplan_mesh_split(in->mesh, whole, map, err);
}

/* Sets of a part are those of the whole mesh after its splits, which args of loops over them ask for, in their order. */
static mplan_status split_as_asked(const matching *in, mplan_error *err)
{
    const mplan_plan *plan = in->plan;
    mplan_status status = MPLAN_OK;
    for (int32_t l = 0; l < plan->n_loops && !status; l++)
        for (int32_t a = 0; a < plan->loops[l].n_args && !status; a++) {
            const mplan_plan_arg *arg = &plan->loops[l].args[a];
            const int32_t set = mplan_mesh_find_set(in->mesh, plan->sets[plan->loops[l].set].name);
            if (arg->map < 0 || arg->none != MPLAN_NONE_SPLIT || set < 0 ||
                mplan_mesh_global_ids(in->mesh, set))
                continue;
            const char *by = plan->maps[arg->map].name;
            status = try_derive(in, by, err);
            const int32_t map = status ? -1 : mplan_mesh_find_map(in->mesh, by);
            if (!status && (map < 0 || mplan_mesh_map(in->mesh, map).from != set))
                status = mplan_fail(err, MPLAN_ERR_OTHER_MESH,
                                    "the mesh has no map %s by which %s could be split", by,
                                    plan->sets[plan->loops[l].set].name);
            if (!status)
                status = mplan_mesh_split(in->mesh, set, map, err);
        }
    return status;
}

/* Brings the mesh to the state in which planning left it: derives and splits what the plan
 * names, in the order in which planning does it, since maps that lead into a split set are
 * derived when it is split. What cannot be had is found out when sets and maps are looked up. */
mplan_status mplan_plan_prepare_mesh(const mplan_plan *plan, mplan_mesh *mesh,
                                     const mplan_context *context, mplan_error *err)
{
    assert(plan && mesh);
    const matching own = {plan, mesh, context}, *in = &own;
    mplan_status status = MPLAN_OK;
    for (int32_t s = 0; s < plan->n_sets && !status; s++)
        if (!is_split(&plan->sets[s]))
            status = try_derive(in, plan->sets[s].name, err);
    for (int32_t m = 0; m < plan->n_maps && !status; m++)
        status = derive_uncut(in, &plan->maps[m], err);
    for (int32_t s = 0; s < plan->n_sets && !status; s++)
        if (is_split(&plan->sets[s]))
            status = split_set(in, &plan->sets[s], err);
    if (!status && mplan_plan_is_part(plan))
        status = split_as_asked(in, err);
    for (int32_t m = 0; m < plan->n_maps && !status; m++)
        status = try_derive(in, plan->maps[m].name, err);
    return status;
}

/* --- the fingerprint ---------------------------------------------------------------------- */

/* sets, maps: of the mesh, per set and map of the plan; MPLAN_ERR_OTHER_MESH without one.
 * sets has n_sets entries of the plan's, maps n_maps; both are out. */
static mplan_status find_all(const mplan_plan *plan, const mplan_mesh *mesh, int32_t *sets,
                             int32_t *maps, mplan_error *err)
{
    for (int32_t s = 0; s < plan->n_sets; s++) {
        sets[s] = mplan_mesh_find_set(mesh, plan->sets[s].name);
        if (sets[s] < 0)
            return mplan_fail(err, MPLAN_ERR_OTHER_MESH,
                              "the plan has %lld %s, but the mesh has none",
                              (long long)plan->sets[s].size, plan->sets[s].name);
    }
    for (int32_t m = 0; m < plan->n_maps; m++) {
        maps[m] = mplan_mesh_find_map(mesh, plan->maps[m].name);
        if (maps[m] < 0)
            return mplan_fail(err, MPLAN_ERR_OTHER_MESH,
                              "the plan has a map %s, but the mesh does not", plan->maps[m].name);
    }
    return MPLAN_OK;
}

/* sets[s], maps[m]: the numbers in the mesh of the plan's set s and map m. What the plan
 * derived is derived here, too; the fingerprint covers exactly what the plan was made from. */
mplan_status mplan_plan_topology(const mplan_plan *plan, mplan_mesh *mesh,
                                 const mplan_context *context, uint64_t *topology, mplan_error *err)
{
    MPLAN_NEED_CONTEXT(context);
    MPLAN_NEED(plan);
    MPLAN_NEED(mesh);
    MPLAN_NEED(topology);
    mplan_status status = mplan_plan_prepare_mesh(plan, mesh, context, err);
    if (status)
        return status;
    int32_t *sets = mplan_alloc(plan->n_sets, sizeof *sets, err);
    int32_t *maps = mplan_alloc(plan->n_maps, sizeof *maps, err);
    status = sets && maps ? find_all(plan, mesh, sets, maps, err) : MPLAN_ERR_MEMORY;
    if (!status)
        status = mplan_mesh_fingerprint_topology(mesh, plan->n_sets, sets, plan->n_maps, maps,
                                                 topology, mplan_team_of(context), err);
    free(sets);
    free(maps);
    return status;
}
