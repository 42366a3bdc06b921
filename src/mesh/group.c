/* SPDX-License-Identifier: Apache-2.0 */
/* group.c - named subsets of sets, and the facets that wait to become them */
#include "meshplan.h"

#include <stdlib.h>

#include "base/error.h"
#include "base/memory.h"
#include "base/sort.h"
#include "base/threads.h"
#include "mesh/derive.h"
#include "mesh/mesh.h"
#include "mesh/mesh_checks.h"

enum { MEMBERS = 1 << 16 }; /* of a piece */

/* How many of members begin + 1 ... end do not follow a smaller one; without a branch: most lists are right. */
static int64_t count_falls(void *data, int thread, int64_t begin, int64_t end)
{
    const int32_t *members = data;
    int64_t falls = 0;
    (void)thread;
    for (int64_t i = begin; i < end; i++)
        falls += members[i] >= members[i + 1];
    return falls;
}

/* Whether members ascend without repeats in [0, size). */
static bool are_ascending(int64_t size, int64_t n, const int32_t *members, mplan_team *team)
{
    return n == 0 ||
           (members[0] >= 0 && members[n - 1] < size &&
            mplan_for_sum(team, n - 1, MEMBERS, count_falls, (void *)(uintptr_t)members) == 0);
}

/* members must be ascending, without repeats, in [0, size). */
mplan_status mplan_check_members(const char *name, const char *set, int64_t size, int64_t n,
                                 const int32_t *members, mplan_team *team, mplan_error *err)
{
    const bool ascend = are_ascending(size, n, members, team);
    for (int64_t i = 0; i < n && !ascend; i++) {
        if (members[i] < 0 || members[i] >= size)
            return mplan_fail(err, MPLAN_ERR_MESH,
                              "group '%s': member %d of %s is out of range [0, %lld)", name,
                              members[i], set, (long long)size);
        if (i > 0 && members[i] == members[i - 1])
            return mplan_fail(err, MPLAN_ERR_MESH, "group '%s' has member %d of %s twice", name,
                              members[i], set);
        if (i > 0 && members[i] < members[i - 1])
            return mplan_fail(err, MPLAN_ERR_MESH,
                              "group '%s': members must ascend, but member "
                              "%d of %s follows member %d",
                              name, members[i], set, members[i - 1]);
    }
    return MPLAN_OK;
}

/* Appends a group whose name and members are already the mesh's. */
static mplan_status append_group(mplan_mesh *mesh, char *name, int64_t id, int32_t dimension,
                                 int32_t set, int64_t n_members, int32_t *members, mplan_error *err)
{
    mplan_mesh_group_data *groups = mplan_mesh_room(mesh->groups, mesh->n_groups, sizeof *groups,
                                                    err);
    if (!groups)
        return MPLAN_ERR_MEMORY;
    mesh->groups = groups;
    mplan_mesh_group_data added = {name, id, dimension, set, n_members, members};
    groups[mesh->n_groups++] = added;
    return MPLAN_OK;
}

/* `take`: members belong to the mesh from here on, also after a failure. */
mplan_status mplan_mesh_take_group(mplan_mesh *mesh, const char *name, int64_t id, int32_t dimension,
                                   int32_t set, int64_t n_members, int32_t *members, mplan_error *err)
{
    char *copy = NULL;
    mplan_status status = MPLAN_OK;
    if (set < 0 || set >= mesh->n_sets || n_members < 0)
        status = mplan_fail(err, MPLAN_ERR_ARGUMENT, "group '%s': %s", name,
                            n_members < 0 ? "a negative number of members"
                                          : "its set does not exist");
    if (!status && !are_ascending(mesh->sets[set].size, n_members, members, mesh->team)) {
        mplan_sort_i32(members, n_members);
        status = mplan_check_members(name, mesh->sets[set].name, mesh->sets[set].size, n_members,
                                     members, mesh->team, err);
    }
    if (!status && !(copy = mplan_strdup(name, err)))
        status = MPLAN_ERR_MEMORY;
    if (!status)
        status = append_group(mesh, copy, id, dimension, set, n_members, members, err);
    if (status) {
        free(copy);
        free(members);
    }
    return status;
}

/* Members are copied. */
mplan_status mplan_mesh_add_group(mplan_mesh *mesh, const char *name, int64_t id, int32_t dimension,
                                  int32_t set, int64_t n_members, const int32_t *members,
                                  mplan_error *err)
{
    MPLAN_NEED(mesh);
    if (n_members > 0)
        MPLAN_NEED(members);
    /* groups of faces are carried to other meshes and files by nodes */
    const bool by_sides = set >= 0 && set < mesh->n_sets && mesh->sets[set].sides;
    mplan_status status = by_sides ? mplan_fill_faces_nodes(mesh, NULL, err) : MPLAN_OK;
    if (status)
        return status;
    int32_t *copy = mplan_copy(members, n_members, sizeof *copy, err);
    if (!copy)
        return MPLAN_ERR_MEMORY;
    return mplan_mesh_take_group(mesh, name ? name : "", id, dimension, set, n_members, copy, err);
}

/* Entries of the nodes of facets; -1 with err filled for a wrong type. */
static int64_t facet_entries(const mplan_mesh *mesh, const char *name, int64_t n_facets,
                             const uint8_t *type, mplan_error *err)
{
    int64_t entries = 0;
    for (int64_t i = 0; i < n_facets; i++) {
        const mplan_cell_shape *shape = mplan_cell_shape_of((mplan_cell_type)type[i]);
        if (!shape || shape->dimension > 2 ||
            (mesh->dimension > 0 && shape->dimension != mesh->dimension - 1)) {
            mplan_fail(err, MPLAN_ERR_MESH,
                       "group '%s': facet %lld (%s) cannot be a face of the cells", name,
                       (long long)i, shape ? shape->name : "of unknown type");
            return -1;
        }
        entries += shape->n_nodes;
    }
    return entries;
}

/* Types and nodes are copied. They become groups of boundary_faces (and faces) when those are
 * derived; before that nobody knows their numbers. */
mplan_status mplan_mesh_add_facets(mplan_mesh *mesh, const char *name, int64_t id, int64_t n_facets,
                                   const uint8_t *type, const int32_t *nodes, mplan_error *err)
{
    MPLAN_NEED(mesh);
    if (n_facets > 0)
        MPLAN_NEED(type);
    if (n_facets > 0)
        MPLAN_NEED(nodes);
    name = name ? name : "";
    if (mesh->boundary_ids)
        return mplan_fail(err, MPLAN_ERR_ARGUMENT,
                          "group '%s' was added after the faces were derived", name);
    if (n_facets < 0)
        return mplan_fail(err, MPLAN_ERR_ARGUMENT, "group '%s': %lld facets", name,
                          (long long)n_facets);
    int64_t entries = facet_entries(mesh, name, n_facets, type, err);
    if (entries < 0)
        return MPLAN_ERR_MESH;
    mplan_mesh_facets *list = mplan_mesh_room(mesh->facets, mesh->n_facet_groups, sizeof *list, err);
    if (!list)
        return MPLAN_ERR_MEMORY;
    mesh->facets = list;
    mplan_mesh_facets added = {mplan_strdup(name, err), id, n_facets, NULL, NULL};
    if (added.name)
        added.type = mplan_copy(type, n_facets, sizeof *type, err);
    if (added.type)
        added.nodes = mplan_copy(nodes, entries, sizeof *nodes, err);
    if (!added.nodes) {
        free(added.name);
        free(added.type);
        return MPLAN_ERR_MEMORY;
    }
    list[mesh->n_facet_groups++] = added;
    return MPLAN_OK;
}

int32_t mplan_mesh_n_groups(const mplan_mesh *mesh)
{
    return mesh ? mesh->n_groups : 0;
}

/* "" and set -1 for a number that is not a group's. */
mplan_group mplan_mesh_group(const mplan_mesh *mesh, int32_t group)
{
    if (!mesh || group < 0 || group >= mesh->n_groups)
        return (mplan_group){"", 0, 0, -1, 0, NULL};
    const mplan_mesh_group_data *g = &mesh->groups[group];
    mplan_group view = {g->name, g->id, g->dimension, g->set, g->n_members, g->members};
    return view;
}

int32_t mplan_mesh_n_facet_groups(const mplan_mesh *mesh)
{
    return mesh ? mesh->n_facet_groups : 0;
}

mplan_group mplan_mesh_facet_group(const mplan_mesh *mesh, int32_t group)
{
    if (!mesh || group < 0 || group >= mesh->n_facet_groups)
        return (mplan_group){"", 0, 0, -1, 0, NULL};
    const mplan_mesh_facets *f = &mesh->facets[group];
    return (mplan_group){f->name, f->id,       mesh->dimension > 0 ? mesh->dimension - 1 : 0,
                         -1,      f->n_facets, NULL};
}
