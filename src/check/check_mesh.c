/* SPDX-License-Identifier: Apache-2.0 */
/* check_mesh.c - fingerprints, and that a plan is for a mesh
 *
 * Sets and maps are found in the mesh by name, derived and split as the plan
 * says. A mesh of other sizes, or of another fingerprint, is another mesh; one
 * whose fingerprint the plan names must agree entry by entry. Without a mesh the
 * plan's own maps, taken back through its orders, must have the fingerprint. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "base/fetch.h"
#include "check/check.h"

#define OTHER_MESH(err, ...) mplan_fail((err), MPLAN_ERR_OTHER_MESH, __VA_ARGS__)

/* --- fingerprints of the plan only --- */

/* The fingerprint of the request is that of its text. */
static mplan_status check_request(const mplan_plan *plan, mplan_error *err)
{
    uint64_t value;
    mplan_fingerprint *print = mplan_fingerprint_begin();
    if (print && plan->request)
        mplan_fingerprint_bytes(print, plan->request, strlen(plan->request));
    if (!print || !mplan_fingerprint_end(print, &value))
        return mplan_fail(err, MPLAN_ERR_MEMORY, "out of memory for a fingerprint");
    if (value != plan->fingerprints.request)
        return MPLAN_DISPROVED(err,
                               "the fingerprint of the request is %016" PRIx64
                               ", but the plan says %016" PRIx64,
                               value, plan->fingerprints.request);
    return MPLAN_OK;
}

/* Feeds a map as the mesh has it: rows by member, points by their old index. Of ragged maps the offsets come first,
 * size + 1 of them. buffer: MPLAN_CHECK_RUN entries, scratch. */
static mplan_status print_map(const mplan_check *check, const mplan_map *map, int32_t *buffer,
                              mplan_fingerprint *print, mplan_error *err)
{
    const int32_t *row_of = mplan_check_new_of_old(check, map->from);
    const int32_t *point_of = mplan_check_old_of_new(check, map->to);
    const int64_t size = mplan_check_set(check, map->from)->size;
    int64_t end = 0;
    int32_t used = 0;
    mplan_fingerprint_i64(print, map->from);
    mplan_fingerprint_i64(print, map->to);
    mplan_fingerprint_i64(print, map->arity);
    if (map->arity == 0)
        mplan_fingerprint_i64(print, end);
    for (int64_t r = 0; map->arity == 0 && r < size; r++) {
        end += map->offsets[row_of[r] + 1] - map->offsets[row_of[r]];
        mplan_fingerprint_i64(print, end);
    }
    for (int64_t r = 0; r < size; r++) {
        int32_t n;
        const int32_t *row = mplan_map_row(map, row_of[r], &n);
        for (int32_t k = 0; k < n; k++) {
            buffer[used++] = row[k] < 0 ? -1 : point_of[row[k]];
            if (used == MPLAN_CHECK_RUN) {
                mplan_fingerprint_i32s(print, buffer, used);
                used = 0;
            }
        }
        if (r % 1048576 == 0 && mplan_interrupted(check->context, err) != MPLAN_OK)
            return MPLAN_ERR_INTERRUPTED;
    }
    mplan_fingerprint_i32s(print, buffer, used);
    return MPLAN_OK;
}

/* Without a mesh: the fingerprint of the maps as they were before renumbering, taken from the
 * plan itself by way of its orders, through a buffer of MPLAN_CHECK_RUN entries. */
static mplan_status check_own_topology(const mplan_check *check, mplan_error *err)
{
    const mplan_plan *plan = check->plan;
    uint64_t value = 0;
    mplan_status status = MPLAN_OK;
    mplan_fingerprint *print = mplan_fingerprint_begin();
    int32_t *buffer = mplan_alloc(MPLAN_CHECK_RUN, sizeof *buffer, err);
    if (!print || !buffer) {
        mplan_fingerprint_end(print, &value);
        free(buffer);
        return mplan_fail(err, MPLAN_ERR_MEMORY, "out of memory for a fingerprint");
    }
    mplan_fingerprint_i64(print, plan->n_sets);
    for (int32_t s = 0; s < plan->n_sets; s++)
        mplan_fingerprint_i64(print, plan->sets[s].size);
    mplan_fingerprint_i64(print, plan->n_maps);
    for (int32_t m = 0; m < plan->n_maps && !status; m++)
        status = print_map(check, &check->maps[m], buffer, print, err);
    free(buffer);
    if (!mplan_fingerprint_end(print, &value) && !status)
        return mplan_fail(err, MPLAN_ERR_MEMORY, "out of memory for a fingerprint");
    if (!status && value != plan->fingerprints.topology)
        return MPLAN_DISPROVED(err,
                               "the fingerprint of the plan's sets and maps is %016" PRIx64
                               ", but the plan says %016" PRIx64,
                               value, plan->fingerprints.topology);
    return status;
}

/* --- the plan's sets and maps in the mesh --- */

/* Sets and maps of the mesh that belong to those of the plan. */
typedef struct match {
    mplan_check *check;
    mplan_mesh *mesh;
    int32_t *sets, *maps; /* of the mesh, per set and map of the plan */
} match;

/* --- comparing them --- */

/* Whether both are groups, of one parent, or neither. */
static mplan_status match_parent(const match *in, const mplan_plan_set *set, int32_t found,
                                 mplan_error *err)
{
    int32_t parent;
    const char *due = set->parent ? set->parent : "", *name = "";
    if (mplan_mesh_parent_index(in->mesh, found, &parent))
        name = mplan_mesh_set(in->mesh, parent).name;
    if (strcmp(due, name) != 0)
        return OTHER_MESH(err, "set %s is a group of '%s' in the plan and of '%s' in the mesh",
                          set->name, due, name);
    if (*due && mplan_mesh_set(in->mesh, parent).size != set->parent_size)
        return OTHER_MESH(err,
                          "set %s is a group of %" PRId64 " %s in the plan and of %" PRId64
                          " in the mesh",
                          set->name, set->parent_size, due, mplan_mesh_set(in->mesh, parent).size);
    return MPLAN_OK;
}

/* in->sets[s]: the set of the mesh with the same name, which must have the same size. */
static mplan_status match_set(const match *in, int32_t s, mplan_error *err)
{
    const mplan_plan_set *set = mplan_check_set(in->check, s);
    const int32_t found = in->sets[s] = mplan_mesh_find_set(in->mesh, set->name);
    if (found < 0)
        return OTHER_MESH(err, "the plan has %" PRId64 " %s, but the mesh has none", set->size,
                          set->name);
    const int64_t size = mplan_mesh_set(in->mesh, found).size;
    if (size != set->size)
        return OTHER_MESH(err, "the plan has %" PRId64 " %s, but the mesh has %" PRId64, set->size,
                          set->name, size);
    const char *split = in->mesh->sets[found].split;
    if (strcmp(split ? split : "", set->split ? set->split : "") != 0)
        return OTHER_MESH(err, "set %s is split by '%s' in the plan and by '%s' in the mesh",
                          set->name, set->split ? set->split : "", split ? split : "");
    return match_parent(in, set, found, err);
}

/* in->maps[m]: the map of the mesh with the same name, between the same sets. */
static mplan_status match_map(const match *in, int32_t m, mplan_error *err)
{
    const mplan_plan_map *map = &in->check->plan->maps[m];
    const int32_t found = in->maps[m] = mplan_mesh_find_map(in->mesh, map->name);
    if (found < 0)
        return OTHER_MESH(err, "the plan has a map %s, but the mesh does not", map->name);
    const mplan_map other = mplan_mesh_map(in->mesh, found);
    if (other.from != in->sets[map->from] || other.to != in->sets[map->to])
        return OTHER_MESH(err, "map %s leads from %s to %s in the plan, from %s to %s in the mesh",
                          map->name, mplan_check_set_name(in->check, map->from),
                          mplan_check_set_name(in->check, map->to),
                          mplan_mesh_set(in->mesh, other.from).name,
                          mplan_mesh_set(in->mesh, other.to).name);
    if (other.arity != map->arity)
        return OTHER_MESH(err, "map %s has arity %d in the plan and %d in the mesh (0: ragged)",
                          map->name, (int)map->arity, (int)other.arity);
    return MPLAN_OK;
}

/* A stored map beside the mesh's. row_of[r]: where member r of the from-set is stored; point_of[p]: where point p is;
 * both have as many entries as the mesh's sets have members. */
typedef struct map_proof {
    const mplan_map *stored;
    mplan_map mesh;
    const char *from;
    const int32_t *row_of, *point_of; /* new of old */
    mplan_status verdict;             /* when a row differs */
} map_proof;

/* Asks for the stored row and the places that are compared for member r; not for ragged maps. */
static inline void fetch_row(const map_proof *proof, int64_t r)
{
    const int32_t arity = proof->mesh.arity;
    if (arity == 0 || proof->stored->arity != arity || r >= proof->mesh.n_rows)
        return;
    mplan_fetch(proof->stored->values + (int64_t)proof->row_of[r] * arity);
    mplan_fetch_row(proof->point_of, proof->mesh.values + r * arity, arity);
}

/* The stored row of each member holds the stored places of the mesh's points. */
static mplan_status check_rows(void *data, int64_t part, int thread, mplan_error *err)
{
    const map_proof *proof = data;
    (void)thread;
    for (int64_t r = part * MPLAN_CHECK_RUN; r < mplan_check_run_end(part, proof->mesh.n_rows); r++) {
        int32_t n, n_stored;
        const int32_t *row = mplan_map_row(&proof->mesh, r, &n);
        const int32_t *stored = mplan_map_row(proof->stored, proof->row_of[r], &n_stored);
        fetch_row(proof, r + MPLAN_FETCH_DISTANCE);
        if (n != n_stored)
            return mplan_fail(err, proof->verdict,
                              "map %s: member %" PRId64 " of %s has %d entries in the plan and "
                              "%d in the mesh",
                              proof->mesh.name, r, proof->from, (int)n_stored, (int)n);
        for (int32_t k = 0; k < n; k++)
            if (stored[k] != (row[k] < 0 ? -1 : proof->point_of[row[k]]))
                return mplan_fail(err, proof->verdict,
                                  "map %s: entry %d of member %" PRId64 " of %s is %d in the "
                                  "mesh, but not in the plan",
                                  proof->mesh.name, (int)k, r, proof->from, (int)row[k]);
    }
    return MPLAN_OK;
}

/* Each row of the mesh's map must be the row of the plan at its new place, with new
 * numbers. verdict: what a difference means, another mesh or a disproved plan. */
static mplan_status compare_maps(const match *in, mplan_status verdict, mplan_error *err)
{
    const mplan_check *check = in->check;
    mplan_status status = MPLAN_OK;
    for (int32_t m = 0; m < check->plan->n_maps && !status; m++) {
        const mplan_map *stored = &check->maps[m];
        map_proof proof = {stored,
                           mplan_mesh_map(in->mesh, in->maps[m]),
                           mplan_check_set_name(check, stored->from),
                           mplan_check_new_of_old(check, stored->from),
                           mplan_check_new_of_old(check, stored->to),
                           verdict};
        status = mplan_check_each(check, mplan_check_runs(proof.mesh.n_rows), check_rows, &proof,
                                  err);
    }
    return status;
}

/* Global ids of sets that were split. */
static mplan_status compare_ids(const match *in, mplan_error *err)
{
    const mplan_plan *plan = in->check->plan;
    for (int32_t s = 0; s < plan->n_sets; s++) {
        const int64_t *ids = mplan_mesh_global_ids(in->mesh, in->sets[s]);
        if (!ids)
            continue;
        const int64_t *stored = mplan_check_data(in->check,
                                                 mplan_key_of_set(MPLAN_KIND_GLOBAL_ID, s));
        for (int64_t i = 0; i < plan->sets[s].size; i++)
            if (ids[i] != stored[i])
                return MPLAN_DISPROVED(err,
                                       "set %s: GLOBAL_ID of member %" PRId64 " is %" PRId64
                                       ", but %" PRId64 " in the mesh",
                                       plan->sets[s].name, i, stored[i], ids[i]);
    }
    return MPLAN_OK;
}

/* Members of groups: where a group has no maps the fingerprint knows only how many there are. */
static mplan_status compare_members(const match *in, mplan_error *err)
{
    const mplan_plan *plan = in->check->plan;
    for (int32_t s = 0; s < plan->n_sets; s++) {
        const int32_t *index = mplan_mesh_parent_index(in->mesh, in->sets[s], NULL);
        if (!index)
            continue;
        const int32_t *stored = mplan_check_data(in->check,
                                                 mplan_key_of_set(MPLAN_KIND_PARENT_INDEX, s));
        for (int64_t i = 0; i < plan->sets[s].size; i++)
            if (index[i] != stored[i])
                return OTHER_MESH(err,
                                  "set %s: member %" PRId64 " is member %d of %s in the plan and %d "
                                  "in the mesh",
                                  plan->sets[s].name, i, (int)stored[i], plan->sets[s].parent,
                                  (int)index[i]);
    }
    return MPLAN_OK;
}

/* Coordinates are advisory: they shaped the plan, but it runs with others. */
static mplan_status warn_of_coordinates(const match *in, mplan_error *err)
{
    const mplan_plan *plan = in->check->plan;
    uint64_t value = 0;
    bool some = false;
    for (int32_t s = 0; s < plan->n_sets; s++)
        some = some || in->mesh->sets[in->sets[s]].coordinates;
    if (some) {
        mplan_status status = mplan_mesh_fingerprint_coordinates(in->mesh, plan->n_sets, in->sets,
                                                                 &value, in->check->team, err);
        if (status)
            return status;
    }
    in->check->other_coordinates = value != plan->fingerprints.coordinates;
    if (in->check->other_coordinates)
        mplan_warn(in->check->context, "the coordinates of the mesh are not those that the plan "
                                       "was made from");
    return MPLAN_OK;
}

/* Sizes, shapes and fingerprint agree; *same_print tells the last. */
static mplan_status compare_shapes(const match *in, bool *same_print, mplan_error *err)
{
    const mplan_plan *plan = in->check->plan;
    mplan_status status = mplan_plan_prepare_mesh(plan, in->mesh, in->check->context, err);
    for (int32_t s = 0; s < plan->n_sets && !status; s++)
        status = match_set(in, s, err);
    for (int32_t m = 0; m < plan->n_maps && !status; m++)
        status = match_map(in, m, err);
    uint64_t value;
    if (!status)
        status = mplan_mesh_fingerprint_topology(in->mesh, plan->n_sets, in->sets, plan->n_maps,
                                                 in->maps, &value, in->check->team, err);
    if (!status)
        *same_print = value == plan->fingerprints.topology;
    return status;
}

/* Where fingerprints are equal, a difference disproves the plan; where they are not,
 * the first difference is only described, and the plan is for another mesh. */
static mplan_status check_agreement(const match *in, mplan_error *err)
{
    bool same_print = false;
    mplan_error why = {MPLAN_OK, ""};
    mplan_status status = compare_shapes(in, &same_print, &why);
    if (!status && same_print) {
        status = compare_maps(in, MPLAN_ERR_DISPROVED, err);
        if (!status)
            status = compare_ids(in, err);
        if (!status)
            status = compare_members(in, err);
        return !status ? warn_of_coordinates(in, err) : status;
    }
    if (status && status != MPLAN_ERR_OTHER_MESH)
        return mplan_fail(err, status, "%s", why.text);
    /* A plan that contradicts itself is refused for that, not for the mesh. */
    mplan_status own = check_own_topology(in->check, err);
    if (own != MPLAN_OK)
        return own;
    if (status == MPLAN_ERR_OTHER_MESH)
        return OTHER_MESH(err, "%s", why.text);
    status = compare_maps(in, MPLAN_ERR_OTHER_MESH, err);
    return status ? status
                  : mplan_fail(err, MPLAN_ERR_INTERNAL,
                               "equal maps of the plan and "
                               "the mesh have different fingerprints");
}

/* in.sets[s] and in.maps[m] become the numbers, in the mesh, of the plan's set s and map m;
 * check_agreement fills them by name. Without a mesh only what the plan says of itself can be
 * compared. */
mplan_status mplan_check_mesh(mplan_check *check, mplan_mesh *mesh, mplan_error *err)
{
    const mplan_plan *plan = check->plan;
    mplan_status status = check_request(plan, err);
    if (status)
        return status;
    if (!mesh)
        return check_own_topology(check, err);
    match in = {check, mesh, mplan_alloc(plan->n_sets, sizeof *in.sets, err),
                mplan_alloc(plan->n_maps, sizeof *in.maps, err)};
    status = in.sets && in.maps ? check_agreement(&in, err) : MPLAN_ERR_MEMORY;
    free(in.sets);
    free(in.maps);
    return status;
}
