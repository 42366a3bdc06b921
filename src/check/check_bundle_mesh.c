/* SPDX-License-Identifier: Apache-2.0 */
/* check_bundle_mesh.c - a part is a part of a mesh: its rows are the mesh's, and no element that it must run is missing
 *
 * Nothing is missing where the entries that lead to owned points are as many as in the whole mesh: the elements that run
 * differ, and their rows are the mesh's. So the mesh is read once for all parts, not once for each: what is kept of it is
 * how many entries lead to each point. */
#include "check/check_halo.h"

#include <stdlib.h>
#include <string.h>

/* --- sets and maps of the mesh --- */

/* whole->sets[s]: the mesh's set of this name, whose size is the total of the parts. */
static mplan_status find_set(mplan_check_whole *whole, const mplan_plan_set *set, int32_t s,
                             mplan_error *err)
{
    const int32_t found = whole->sets[s] = mplan_mesh_find_set(whole->mesh, set->name);
    const int64_t size = found < 0 ? 0 : mplan_mesh_set(whole->mesh, found).size;
    if (found < 0 || size != set->part.total)
        return mplan_fail(err, MPLAN_ERR_OTHER_MESH,
                          "all parts have %" PRId64 " %s, but the mesh has %" PRId64,
                          set->part.total, set->name, size);
    return MPLAN_OK;
}

/* whole->maps[m] likewise; sets must have been found. */
static mplan_status find_map(mplan_check_whole *whole, const mplan_plan_map *map, int32_t m,
                             mplan_error *err)
{
    const int32_t found = whole->maps[m] = mplan_mesh_find_map(whole->mesh, map->name);
    if (found < 0)
        return mplan_fail(err, MPLAN_ERR_OTHER_MESH, "the plan has a map %s, but the mesh does not",
                          map->name);
    const mplan_map other = mplan_mesh_map(whole->mesh, found);
    if (other.from != whole->sets[map->from] || other.to != whole->sets[map->to] ||
        other.arity != map->arity)
        return mplan_fail(err, MPLAN_ERR_OTHER_MESH,
                          "map %s of the mesh is between other sets, or of another arity, than that "
                          "of the plan",
                          map->name);
    return MPLAN_OK;
}

/* Rows that differ are another mesh's unless the fingerprint of the topology is the bundle's. */
static mplan_status compare_prints(mplan_check_whole *whole, const mplan_fingerprints *prints,
                                   const mplan_context *context, mplan_error *err)
{
    uint64_t topology = 0, coordinates = 0;
    bool some = false;
    mplan_status status = mplan_mesh_fingerprint_topology(whole->mesh, whole->n_sets, whole->sets,
                                                          whole->n_maps, whole->maps, &topology,
                                                          mplan_team_of(context), err);
    for (int32_t s = 0; s < whole->n_sets && !status; s++)
        some = some || whole->mesh->sets[whole->sets[s]].coordinates;
    if (!status && some)
        status = mplan_mesh_fingerprint_coordinates(whole->mesh, whole->n_sets, whole->sets,
                                                    &coordinates, mplan_team_of(context), err);
    if (status)
        return status;
    if (topology == prints->topology)
        whole->verdict = MPLAN_ERR_DISPROVED;
    if (coordinates != prints->coordinates)
        mplan_warn(context, "the coordinates of the mesh are not those that the plan was made from");
    return MPLAN_OK;
}

/* Once, with the plan of the first part: the others have the same sets and maps by the manifest. verdict: what a
 * difference means, another mesh as long as nothing agreed. */
mplan_status mplan_check_whole_open(const mplan_plan *plan, mplan_mesh *mesh,
                                    const mplan_fingerprints *prints, const mplan_context *context,
                                    mplan_check_whole *whole, mplan_error *err)
{
    *whole = (mplan_check_whole){.mesh = mesh,
                                 .n_sets = plan->n_sets,
                                 .n_maps = plan->n_maps,
                                 .sets = mplan_alloc(plan->n_sets, sizeof *whole->sets, err),
                                 .maps = mplan_alloc(plan->n_maps, sizeof *whole->maps, err),
                                 .degree = mplan_alloc_zero(plan->n_maps, sizeof *whole->degree, err),
                                 .verdict = MPLAN_ERR_OTHER_MESH};
    mplan_status status = whole->sets && whole->maps && whole->degree ? MPLAN_OK : MPLAN_ERR_MEMORY;
    if (!status)
        status = mplan_plan_prepare_mesh(plan, mesh, context, err);
    for (int32_t s = 0; s < plan->n_sets && !status; s++)
        status = find_set(whole, &plan->sets[s], s, err);
    for (int32_t m = 0; m < plan->n_maps && !status; m++)
        status = find_map(whole, &plan->maps[m], m, err);
    return status || !prints ? status : compare_prints(whole, prints, context, err);
}

void mplan_check_whole_free(mplan_check_whole *whole)
{
    for (int32_t m = 0; whole->degree && m < whole->n_maps; m++)
        free(whole->degree[m]);
    free(whole->degree);
    free(whole->sets);
    free(whole->maps);
}

/* --- rows --- */

/* A map of the part beside the whole mesh's: rows of `stored` by place, those of `mesh` by global id; from and to lead
 * from one to the other. */
typedef struct row_proof {
    const mplan_map *stored;
    mplan_map mesh;
    mplan_check_halo from, to;
    mplan_status verdict;
} row_proof;

/* k counts slots of the row; id is the number in the mesh. */
static mplan_status other_entry(const row_proof *proof, int64_t id, int32_t k, mplan_error *err)
{
    return mplan_fail(err, proof->verdict,
                      "map %s: entry %d of member %" PRId64 " of %s is not that of the mesh",
                      proof->mesh.name, (int)k, id, proof->from.name);
}

/* A row of an element that runs: all of it. */
static mplan_status check_whole_row(const row_proof *proof, int64_t r, int64_t id, mplan_error *err)
{
    int32_t n, n_stored;
    const int32_t *row = mplan_map_row(&proof->mesh, id, &n);
    const int32_t *stored = mplan_map_row(proof->stored, r, &n_stored);
    if (n != n_stored)
        return mplan_fail(err, proof->verdict,
                          "map %s: member %" PRId64 " of %s has %d entries in the plan and %d in the "
                          "mesh",
                          proof->mesh.name, id, proof->from.name, (int)n_stored, (int)n);
    for (int32_t k = 0; k < n; k++) {
        const int64_t point = stored[k] < 0 ? -1 : mplan_check_global(&proof->to, stored[k]);
        if (point != (row[k] < 0 ? -1 : row[k]))
            return other_entry(proof, id, k, err);
    }
    return MPLAN_OK;
}

/* A row of an element that others run: it may only lead to points that the part computes where the mesh's does. */
static mplan_status check_other_row(const row_proof *proof, int64_t r, int64_t id, mplan_error *err)
{
    int32_t n, n_stored;
    const int32_t *row = mplan_map_row(&proof->mesh, id, &n);
    const int32_t *stored = mplan_map_row(proof->stored, r, &n_stored);
    for (int32_t k = 0; k < n_stored; k++)
        if (stored[k] >= 0 && mplan_check_ring(&proof->to, stored[k]) < proof->to.depth &&
            (k >= n || row[k] != mplan_check_global(&proof->to, stored[k])))
            return other_entry(proof, id, k, err);
    return MPLAN_OK;
}

/* Rows of run `part`, by stored index. */
static mplan_status check_rows(void *data, int64_t part, int thread, mplan_error *err)
{
    const row_proof *proof = data;
    mplan_status status = MPLAN_OK;
    (void)thread;
    for (int64_t r = part * MPLAN_CHECK_RUN;
         r < mplan_check_run_end(part, proof->stored->n_rows) && !status; r++) {
        const int64_t id = mplan_check_global(&proof->from, r);
        const bool whole = r < proof->from.part->executed ||
                           (proof->from.rings &&
                            mplan_check_ring(&proof->from, r) <= proof->from.depth);
        status = whole ? check_whole_row(proof, r, id, err) : check_other_row(proof, r, id, err);
    }
    return status;
}

/* --- nothing is missing --- */

/* Entries of the mesh's map that lead to each point. No map has 2^32 of them at one point: memory would not hold it. */
static mplan_status count_degrees(mplan_check_whole *whole, int32_t m, mplan_error *err)
{
    const mplan_map map = mplan_mesh_map(whole->mesh, whole->maps[m]);
    if (whole->degree[m])
        return MPLAN_OK;
    whole->degree[m] = mplan_alloc_zero(map.n_points, sizeof **whole->degree, err);
    if (!whole->degree[m])
        return MPLAN_ERR_MEMORY;
    for (int64_t i = 0; i < mplan_map_entries(&map); i++)
        if (map.values[i] >= 0)
            whole->degree[m][map.values[i]]++;
    return MPLAN_OK;
}

/* That the part has all rows that touch a point it owns, or with rings computes: as many entries lead to these points in the
 * plan as in the mesh (degree, counted once for each map). */
static mplan_status check_all_there(mplan_check_whole *whole, const row_proof *proof, int32_t m,
                                    mplan_error *err)
{
    const mplan_part_set *from = proof->from.part;
    const mplan_check_halo *to = &proof->to;
    const mplan_map *stored = proof->stored;
    mplan_status status = count_degrees(whole, m, err);
    int64_t due = 0, found = 0;
    if (status)
        return status;
    for (int64_t p = 0; p < to->size; p++)
        if (mplan_check_ring(to, p) < to->depth)
            due += whole->degree[m][mplan_check_global(to, p)];
    const int64_t end = stored->arity ? from->executed * stored->arity
                                      : stored->offsets[from->executed];
    for (int64_t i = 0; i < end; i++)
        found += stored->values[i] >= 0 && mplan_check_ring(to, stored->values[i]) < to->depth;
    if (due != found)
        return mplan_fail(err, proof->verdict,
                          "map %s: %" PRId64 " entries of the mesh lead to points of %s that the part "
                          "owns, but elements that the part runs have %" PRId64 " of them",
                          proof->mesh.name, due, proof->to.name, found);
    return MPLAN_OK;
}

/* Ids are below the totals, which are the sizes of the mesh's sets. */
mplan_status mplan_check_whole_rows(const mplan_check *check, mplan_check_whole *whole,
                                    mplan_error *err)
{
    mplan_status status = MPLAN_OK;
    for (int32_t m = 0; m < check->plan->n_maps && !status; m++) {
        row_proof proof = {.stored = &check->part_maps[m],
                           .mesh = mplan_mesh_map(whole->mesh, whole->maps[m]),
                           .verdict = whole->verdict};
        mplan_check_halo_open(check, check->part_maps[m].from, &proof.from);
        mplan_check_halo_open(check, check->part_maps[m].to, &proof.to);
        status = mplan_check_each(check, mplan_check_runs(proof.stored->n_rows), check_rows, &proof,
                                  err);
        if (!status && mplan_check_goes_through(check->plan, -1, m, true))
            status = check_all_there(whole, &proof, m, err);
    }
    return status;
}
