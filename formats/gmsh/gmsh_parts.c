/* SPDX-License-Identifier: Apache-2.0 */
/* gmsh_parts.c - from a mesh to the elements and groups of a Gmsh file
 *
 * A Gmsh element belongs to one entity and, by it, to groups. So each set of
 * groups that some element is in needs an entity: found by refining, every
 * group splits the signatures of its members. Facets of several groups come
 * from the mesh once per group; a hash table of their nodes makes them one.
 *
 * Where there are groups, cells in none get one without a name: Gmsh drops
 * elements of no group when it saves, and meshio wants all or none to have one. */
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/sort.h"
#include "formats/gmsh/gmsh_internal.h"
#include "mesh/mesh.h"
#include "formats/skipped_groups.h"

/* Members of one group before they are known to be distinct elements. Row i
 * is map's row members[i]; without map it is one of nodes, by type. */
typedef struct source {
    const char *name;
    int64_t id, n;
    const mplan_map *map;
    const int32_t *members;
    const int32_t *nodes;
    const uint8_t *type; /* NULL: shape by the number of nodes */
} source;

/* Physical tags must be above 0, fit an int and belong to one name. Others get the next one that is free. */
static int64_t choose_tag(const gmsh_part *part, int64_t id, const char *name)
{
    const gmsh_physical *groups = part->groups.data;
    bool is_free = id > 0 && id <= INT32_MAX;
    int64_t largest = 0;
    for (int64_t g = 0; g < part->groups.count; g++) {
        largest = groups[g].tag > largest ? groups[g].tag : largest;
        is_free = is_free && (groups[g].tag != id || strcmp(groups[g].name, name) == 0);
    }
    return is_free ? id : largest + 1;
}

/* Takes over own_members (may be NULL), also when it fails. What has no tag of its own does not take that of a group
 * that comes later: group 0 must not become group 1. */
static mplan_status add_physical(gmsh_part *part, const char *name, int64_t id, int64_t n,
                                 const int32_t *members, int32_t *own_members, mplan_error *err)
{
    int64_t tag = choose_tag(part, id, name);
    if (id <= 0 && tag <= part->largest_id && part->largest_id < INT32_MAX)
        tag = part->largest_id + 1;
    gmsh_physical added = {name, tag, n, members, own_members};
    mplan_status status = mplan_vector_push(&part->groups, &added, err);
    if (status)
        free(own_members);
    return status;
}

/* --- distinct facets and points --------------------------------------------- */

/* Of type and n nodes, in their order. */
static uint64_t hash_nodes(uint8_t type, const int32_t *nodes, int32_t n)
{
    uint64_t hash = type;
    for (int32_t k = 0; k < n; k++) {
        hash = (hash ^ (uint64_t)(uint32_t)nodes[k]) * UINT64_C(0x9e3779b97f4a7c15);
        hash ^= hash >> 32;
    }
    return hash;
}

/* Whether own element `element` has this type and these nodes. */
static bool is_element(const gmsh_part *part, int32_t element, uint8_t type, const int32_t *nodes,
                       int32_t n)
{
    const int64_t *offsets = part->offsets.data;
    const int32_t *own = (const int32_t *)part->own_nodes.data + offsets[element];
    return ((const uint8_t *)part->own_type.data)[element] == type &&
           memcmp(own, nodes, (size_t)n * sizeof *nodes) == 0;
}

/* Doubles the hash table and enters all own elements again. */
static mplan_status grow_slots(gmsh_part *part, mplan_error *err)
{
    int64_t n = part->n_slots ? 2 * part->n_slots : 1024;
    int32_t *slots = mplan_alloc(n, sizeof *slots, err);
    if (!slots)
        return MPLAN_ERR_MEMORY;
    memset(slots, 0xff, (size_t)n * sizeof *slots);
    const uint8_t *type = part->own_type.data;
    const int64_t *offsets = part->offsets.data;
    for (int64_t e = 0; e < part->own_type.count; e++) {
        int32_t length = mplan_cell_type_nodes((mplan_cell_type)type[e]);
        uint64_t slot = hash_nodes(type[e], (const int32_t *)part->own_nodes.data + offsets[e],
                                   length) &
                        (uint64_t)(n - 1);
        while (slots[slot] >= 0)
            slot = (slot + 1) & (uint64_t)(n - 1);
        slots[slot] = (int32_t)e;
    }
    free(part->slots);
    part->slots = slots;
    part->n_slots = n;
    return MPLAN_OK;
}

/* Number of the element with these nodes, which is added unless it is there. */
static mplan_status find_or_add(gmsh_part *part, uint8_t type, const int32_t *nodes, int32_t n,
                                int32_t *element, mplan_error *err)
{
    if (2 * part->own_type.count >= part->n_slots) {
        mplan_status status = grow_slots(part, err);
        if (status)
            return status;
    }
    uint64_t mask = (uint64_t)part->n_slots - 1, slot = hash_nodes(type, nodes, n) & mask;
    for (; part->slots[slot] >= 0; slot = (slot + 1) & mask)
        if (is_element(part, part->slots[slot], type, nodes, n)) {
            *element = part->slots[slot];
            return MPLAN_OK;
        }
    int32_t *room = mplan_vector_reserve(&part->own_nodes, n, err);
    if (!room || mplan_vector_push(&part->offsets, &part->own_nodes.count, err) ||
        mplan_vector_push(&part->own_type, &type, err))
        return MPLAN_ERR_MEMORY;
    memcpy(room, nodes, (size_t)n * sizeof *nodes);
    part->own_nodes.count += n;
    *element = part->slots[slot] = (int32_t)(part->own_type.count - 1);
    return MPLAN_OK;
}

/* Shape of a facet by its corners. */
static uint8_t corner_shape(int32_t n)
{
    static const uint8_t shapes[] = {MPLAN_CELL_POINT, MPLAN_CELL_POINT, MPLAN_CELL_LINE2,
                                     MPLAN_CELL_TRI3, MPLAN_CELL_QUAD4};
    return shapes[n];
}

/* Adds a group of facets or points, each of which it may hold repeatedly. */
static mplan_status add_source(gmsh_part *part, const source *from, mplan_error *err)
{
    int32_t *members = mplan_alloc(from->n, sizeof *members, err);
    mplan_status status = members ? MPLAN_OK : MPLAN_ERR_MEMORY;
    const int32_t *nodes = from->nodes;
    for (int64_t i = 0; !status && i < from->n; i++) {
        int32_t n = 1;
        if (from->map)
            nodes = mplan_map_row(from->map, from->members[i], &n);
        uint8_t type = from->type ? from->type[i] : corner_shape(n);
        if (from->type)
            n = mplan_cell_type_nodes((mplan_cell_type)type);
        status = find_or_add(part, type, nodes, n, &members[i], err);
        nodes += n;
    }
    if (status) {
        free(members);
        return status;
    }
    int64_t n = mplan_distinct_i32(members, from->n);
    return add_physical(part, from->name, from->id, n, members, members, err);
}

/* --- groups of the mesh ------------------------------------------------------- */

/* Whether the members' rows are facets by their corners. */
static bool rows_are_facets(const mplan_map *map, const mplan_group *group)
{
    for (int64_t i = 0; i < group->n_members; i++) {
        int32_t n;
        const int32_t *row = mplan_map_row(map, group->members[i], &n);
        if (n < 1 || n > 4)
            return false;
        for (int32_t k = 0; k < n; k++)
            if (row[k] < 0)
                return false;
    }
    return true;
}

/* The map <set>_nodes of a set of facets: faces and boundary_faces, and in planar
 * meshes sets of the file's own whose rows are pairs of nodes. -1 without one. */
static int32_t facet_nodes(const mplan_mesh *mesh, int32_t set, int32_t dimension)
{
    const char *name = mplan_mesh_set(mesh, set).name;
    bool derived = strcmp(name, "faces") == 0 || strcmp(name, "boundary_faces") == 0;
    for (int32_t m = 0; m < mplan_mesh_n_maps(mesh); m++) {
        mplan_map map = mplan_mesh_map(mesh, m);
        if (map.from == set && strcmp(mplan_mesh_set(mesh, map.to).name, "nodes") == 0 &&
            (derived || (dimension == 2 && map.arity == 2)))
            return m;
    }
    return -1;
}

/* A group of the mesh becomes a physical group of the dimension of its members, or is skipped. */
static mplan_status add_group(const mplan_mesh *mesh, gmsh_part parts[4], const mplan_group *group,
                              mplan_skipped_groups *skipped, mplan_error *err)
{
    const char *set = mplan_mesh_set(mesh, group->set).name;
    const int32_t dimension = mplan_mesh_dimension(mesh);
    source from = {
        .name = group->name, .id = group->id, .n = group->n_members, .members = group->members};
    if (strcmp(set, "cells") == 0)
        return add_physical(&parts[dimension], group->name, group->id, group->n_members,
                            group->members, NULL, err);
    if (strcmp(set, "nodes") == 0 && group->dimension == 0) {
        from.nodes = group->members;
        return add_source(&parts[0], &from, err);
    }
    int32_t index = facet_nodes(mesh, group->set, dimension);
    if (index >= 0) {
        mplan_map map = mplan_mesh_map(mesh, index);
        from.map = &map;
        if (rows_are_facets(&map, group))
            return add_source(&parts[dimension - 1], &from, err);
    }
    mplan_skip_group(skipped, group, set);
    return MPLAN_OK;
}

/* --- signatures --------------------------------------------------------------- */

/* A list of groups is a path in a tree: its last group, and the rest as parent (-1: none), so
 * that equal lists have one number. */
static mplan_status push_signature(mplan_vector *signatures, int32_t parent, int64_t physical,
                                   mplan_error *err)
{
    gmsh_signature added = {.parent = parent, .physical = physical, .stamp = -1};
    return mplan_vector_push(signatures, &added, err);
}

/* Time linear in the elements and the members of the groups. */
static mplan_status sign_elements(gmsh_part *part, mplan_error *err)
{
    const gmsh_physical *groups = part->groups.data;
    part->signature_of = mplan_alloc_zero(part->n, sizeof *part->signature_of, err);
    if (!part->signature_of)
        return MPLAN_ERR_MEMORY;
    mplan_status status = push_signature(&part->signatures, -1, 0, err);
    for (int32_t g = 0; !status && g < part->groups.count; g++)
        for (int64_t i = 0; !status && i < groups[g].n_members; i++) {
            int32_t *of = &part->signature_of[groups[g].members[i]];
            gmsh_signature *from = (gmsh_signature *)part->signatures.data + *of;
            if (from->stamp != g) {
                from->stamp = g;
                from->child = (int32_t)part->signatures.count;
                status = push_signature(&part->signatures, *of, groups[g].tag, err);
                from = (gmsh_signature *)part->signatures.data + *of; /* it may have moved */
            }
            *of = from->child;
        }
    gmsh_signature *all = part->signatures.data;
    for (int64_t e = 0; !status && e < part->n; e++)
        all[part->signature_of[e]].n++;
    int32_t n_entities = 0;
    for (int64_t s = 0; !status && s < part->signatures.count; s++)
        all[s].entity = all[s].n > 0 ? ++n_entities : 0;
    return status;
}

/* A group for cells that are in none. */
static void sign_rest(gmsh_part parts[4], int32_t dimension)
{
    int64_t n_groups = 0;
    for (int32_t d = 0; d <= dimension; d++)
        n_groups += parts[d].groups.count;
    gmsh_signature *root = parts[dimension].signatures.data;
    if (n_groups > 0 && root->n > 0)
        root->physical = choose_tag(&parts[dimension], 0, "");
}

/* What formats of cells and nodes need of a mesh: *coordinates are the mesh's
 * own, n_nodes x *dimension. */
mplan_status mplan_gmsh_find_nodes(const mplan_mesh *mesh, const char *kind, int64_t *n_nodes,
                                   const double **coordinates, int32_t *dimension, mplan_error *err)
{
    int32_t nodes = mplan_mesh_find_set(mesh, "nodes");
    if (nodes < 0 || mplan_mesh_find_map(mesh, "cells_nodes") < 0)
        return mplan_fail(err, MPLAN_ERR_ARGUMENT,
                          "%s needs cells and nodes, which this mesh does not have", kind);
    if (!mplan_mesh_cell_types(mesh))
        return mplan_fail(err, MPLAN_ERR_ARGUMENT,
                          "%s needs the shape of each cell, which is not known of this mesh", kind);
    *coordinates = mplan_mesh_coordinates(mesh, nodes, dimension);
    if (!*coordinates)
        return mplan_fail(err, MPLAN_ERR_ARGUMENT,
                          "%s needs coordinates of the nodes, which this mesh does not have", kind);
    *n_nodes = mplan_mesh_set(mesh, nodes).size;
    return MPLAN_OK;
}

static int64_t larger_tag(int64_t largest, int64_t id)
{
    return id > largest && id <= INT32_MAX ? id : largest;
}

/* parts[d]: elements of dimension d with the groups that hold each. Elements of
 * one set of groups share a signature, which is an entity of the file. */
mplan_status mplan_gmsh_collect_parts(const mplan_mesh *mesh, const char *kind, gmsh_part parts[4],
                                      const mplan_context *context, mplan_error *err)
{
    const int32_t dimension = mplan_mesh_dimension(mesh);
    if (strcmp(mplan_mesh_faces_name(mesh), "faces") != 0 && dimension > 0)
        mplan_warn(context,
                   "the set '%s' of the mesh cannot be written to %s: faces are derived again "
                   "from the cells when it is read, except those across doubled nodes",
                   mplan_mesh_faces_name(mesh), kind);
    memset(parts, 0, 4 * sizeof *parts);
    for (int32_t d = 0; d < 4; d++) {
        parts[d].dimension = d;
        parts[d].groups.size = sizeof(gmsh_physical);
        parts[d].signatures.size = sizeof(gmsh_signature);
        parts[d].own_type.size = sizeof(uint8_t);
        parts[d].own_nodes.size = sizeof(int32_t);
        parts[d].offsets.size = sizeof(int64_t);
    }
    int64_t largest = 0;
    for (int32_t g = 0; g < mplan_mesh_n_groups(mesh); g++)
        largest = larger_tag(largest, mplan_mesh_group(mesh, g).id);
    for (int32_t f = 0; f < mesh->n_facet_groups; f++)
        largest = larger_tag(largest, mesh->facets[f].id);
    for (int32_t d = 0; d < 4; d++)
        parts[d].largest_id = largest;
    mplan_skipped_groups skipped = {0};
    mplan_status status = MPLAN_OK;
    for (int32_t g = 0; !status && g < mplan_mesh_n_groups(mesh); g++) {
        mplan_group group = mplan_mesh_group(mesh, g);
        status = add_group(mesh, parts, &group, &skipped, err);
    }
    mplan_warn_skipped(&skipped, kind, context);
    for (int32_t f = 0; !status && f < mesh->n_facet_groups; f++) {
        const mplan_mesh_facets *facets = &mesh->facets[f];
        source from = {.name = facets->name,
                       .id = facets->id,
                       .n = facets->n_facets,
                       .nodes = facets->nodes,
                       .type = facets->type};
        status = add_source(&parts[dimension - 1], &from, err);
    }
    for (int32_t d = 0; !status && d <= dimension; d++) {
        parts[d].n = parts[d].own_type.count;
        parts[d].type = parts[d].own_type.data;
        parts[d].nodes = parts[d].own_nodes.data;
        if (d == dimension) {
            mplan_map map = mplan_mesh_map(mesh, mplan_mesh_find_map(mesh, "cells_nodes"));
            parts[d].n = map.n_rows;
            parts[d].type = mplan_mesh_cell_types(mesh);
            parts[d].nodes = map.values;
        }
        status = sign_elements(&parts[d], err);
    }
    if (!status)
        sign_rest(parts, dimension);
    if (status)
        mplan_gmsh_free_parts(parts);
    return status;
}

/* Also of parts that were collected in part; members that are the mesh's stay. */
void mplan_gmsh_free_parts(gmsh_part parts[4])
{
    for (int32_t d = 0; d < 4; d++) {
        gmsh_physical *groups = parts[d].groups.data;
        for (int64_t g = 0; g < parts[d].groups.count; g++)
            free(groups[g].own_members);
        free(groups);
        free(parts[d].signatures.data);
        free(parts[d].signature_of);
        free(parts[d].own_type.data);
        free(parts[d].own_nodes.data);
        free(parts[d].offsets.data);
        free(parts[d].slots);
        memset(&parts[d], 0, sizeof parts[d]);
    }
}
