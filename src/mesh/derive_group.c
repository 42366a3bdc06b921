/* SPDX-License-Identifier: Apache-2.0 */
/* derive_group.c - a set of the members of a group, and its maps: rows of its parent's
 *
 * A group is a named subset of a set, its parent. The set that holds its members is called as the group
 * or, where that name is another's, "group:" and the group's name. */
#include "meshplan.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "base/sort.h"
#include "mesh/derive.h"

static const char prefix[] = "group:";

const char *mplan_group_of_set(const char *set)
{
    size_t length = sizeof prefix - 1;
    return strncmp(set, prefix, length) == 0 ? set + length : set;
}

bool mplan_group_waits(const mplan_mesh *mesh, const char *group)
{
    for (int32_t g = 0; g < mesh->n_facet_groups; g++)
        if (strcmp(mesh->facets[g].name, group) == 0)
            return true;
    return false;
}

/* The first group of this name that has members, else the first; -1 without one. */
static int32_t find_group(const mplan_mesh *mesh, const char *group)
{
    int32_t found = -1;
    for (int32_t g = 0; g < mesh->n_groups; g++) {
        if (strcmp(mesh->groups[g].name, group) != 0)
            continue;
        if (mesh->groups[g].n_members > 0)
            return g;
        found = found < 0 ? g : found;
    }
    return found;
}

bool mplan_group_exists(const mplan_mesh *mesh, const char *group)
{
    return *group && find_group(mesh, group) >= 0;
}

mplan_status mplan_refuse_group(const char *group, const char *parent, bool split,
                                const char *other, mplan_error *err)
{
    assert(group && parent);
    for (const char *c = group; *c; c++)
        if ((unsigned char)*c < ' ' || *c == 127)
            return mplan_fail(err, MPLAN_ERR_MESH,
                              "the name of a group that loops run over contains a control "
                              "character");
    if (split)
        return mplan_fail(err, MPLAN_ERR_MESH,
                          "group '%s' is a part of %s, which is split: no loop can run over it",
                          group, parent);
    return other ? mplan_fail(err, MPLAN_ERR_MESH,
                              "group '%s' has members of %s and of %s: a loop runs over members "
                              "of one set",
                              group, parent, other)
                 : MPLAN_OK;
}

/* The set must be one, and whole: *n members of all groups of the name. */
static mplan_status check_groups(const mplan_mesh *mesh, const char *group, int32_t first,
                                 int64_t *n, mplan_error *err)
{
    const mplan_mesh_set_data *parent = &mesh->sets[mesh->groups[first].set];
    *n = 0;
    mplan_status status = mplan_refuse_group(group, parent->name, parent->split, NULL, err);
    for (int32_t g = 0; g < mesh->n_groups && !status; g++) {
        const mplan_mesh_group_data *other = &mesh->groups[g];
        if (strcmp(other->name, group) != 0 || other->n_members == 0)
            continue;
        if (other->set != mesh->groups[first].set)
            status = mplan_refuse_group(group, parent->name, false, mesh->sets[other->set].name, err);
        *n += other->n_members;
    }
    return status;
}

/* Several groups of one name and set are one. Members ascend, each once. */
mplan_status mplan_add_group_set(mplan_mesh *mesh, const char *name, mplan_error *err)
{
    const char *group = mplan_group_of_set(name);
    const int32_t first = find_group(mesh, group);
    int64_t n = 0, at = 0;
    assert(first >= 0);
    mplan_status status = check_groups(mesh, group, first, &n, err);
    if (status)
        return status;
    const int32_t parent = mesh->groups[first].set;
    int32_t set, *members = mplan_alloc(n, sizeof *members, err);
    if (!members)
        return MPLAN_ERR_MEMORY;
    for (int32_t g = 0; g < mesh->n_groups; g++) {
        const mplan_mesh_group_data *other = &mesh->groups[g];
        if (strcmp(other->name, group) != 0 || other->n_members == 0)
            continue;
        memcpy(members + at, other->members, (size_t)other->n_members * sizeof *members);
        at += other->n_members;
    }
    n = mplan_distinct_i32(members, n);
    status = mplan_mesh_add_set(mesh, name, n, &set, err);
    if (status) {
        free(members);
        return status;
    }
    mesh->sets[set].derived = true;
    mesh->sets[set].parent = parent;
    mesh->sets[set].parent_index = members;
    return MPLAN_OK;
}

/* A member's row is the member of the parent that it is. */
static mplan_status add_parent_map(mplan_mesh *mesh, const char *name, int32_t set, mplan_error *err)
{
    const mplan_mesh_set_data *data = &mesh->sets[set];
    int32_t *values = mplan_copy(data->parent_index, data->size, sizeof *values, err);
    if (!values)
        return MPLAN_ERR_MEMORY;
    return mplan_mesh_take_map(mesh, name, set, data->parent, 1, NULL, values, NULL, err);
}

/* offsets: size + 1 numbers, of the rows of the members behind one another. Returns their one
 * length; 0 where they differ, are all empty or there are none. */
static int32_t measure_rows(const mplan_mesh_set_data *set, const mplan_map *map, int64_t *offsets)
{
    int32_t arity = -1;
    int64_t entries = 0;
    for (int64_t i = 0; i < set->size; i++) {
        int32_t length;
        mplan_map_row(map, set->parent_index[i], &length);
        arity = arity == -1 || arity == length ? length : 0;
        offsets[i] = entries;
        entries += length;
    }
    offsets[set->size] = entries;
    return arity == -1 ? map->arity : arity;
}

/* Rows of the parent's map; of an arity where all are equally long. */
static mplan_status add_rows(mplan_mesh *mesh, const char *name, int32_t set, int32_t index,
                             mplan_error *err)
{
    const mplan_mesh_set_data *data = &mesh->sets[set];
    const mplan_map map = mplan_mesh_map(mesh, index);
    int64_t *offsets = mplan_alloc(data->size + 1, sizeof *offsets, err);
    if (!offsets)
        return MPLAN_ERR_MEMORY;
    const int32_t arity = measure_rows(data, &map, offsets);
    int32_t *values = mplan_alloc(offsets[data->size], sizeof *values, err);
    if (!values) {
        free(offsets);
        return MPLAN_ERR_MEMORY;
    }
    for (int64_t i = 0; i < data->size; i++) {
        int32_t length;
        const int32_t *row = mplan_map_row(&map, data->parent_index[i], &length);
        if (length > 0)
            memcpy(values + offsets[i], row, (size_t)length * sizeof *row);
    }
    if (arity > 0) {
        free(offsets);
        offsets = NULL;
    }
    return mplan_mesh_take_map(mesh, name, set, map.to, arity, offsets, values, NULL, err);
}

mplan_status mplan_add_group_map(mplan_mesh *mesh, const char *name, int32_t set, int32_t map,
                                 mplan_error *err)
{
    assert(mesh->sets[set].parent_index);
    return map < 0 ? add_parent_map(mesh, name, set, err) : add_rows(mesh, name, set, map, err);
}

/* Valid until the mesh is freed. */
const int32_t *mplan_mesh_parent_index(const mplan_mesh *mesh, int32_t set, int32_t *parent)
{
    bool known = mesh && set >= 0 && set < mesh->n_sets && mesh->sets[set].parent_index;
    if (parent)
        *parent = known ? mesh->sets[set].parent : -1;
    return known ? mesh->sets[set].parent_index : NULL;
}
