/* SPDX-License-Identifier: Apache-2.0 */
/* mesh_reorder.c - a mesh with the members of its sets in another order
 *
 * What was derived is not carried: its order follows from the cells. */
#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "base/option_size.h"
#include "base/threads.h"
#include "mesh/mesh.h"
#include "mesh/mesh_checks.h"
#include "tables/tables.h"

/* What the steps of one reordering share. */
typedef struct reordering {
    const mplan_mesh *old;
    const mplan_context *context;
    mplan_mesh *made;
    int32_t **place;  /* per set of the old mesh: the new place of each member */
    int32_t *new_set; /* and the index of the set in the new mesh; -1: derived */
} reordering;

/* --- permutations ------------------------------------------------------------------ */

/* Copies an order and proves that it is a permutation; NULL: the identity. */
static mplan_status copy_order(const mplan_mesh_set_data *set, const int32_t *order,
                               int32_t **place, mplan_error *err)
{
    *place = mplan_alloc(set->size, sizeof **place, err);
    uint8_t *taken = mplan_alloc_zero(set->size, sizeof *taken, err);
    mplan_status status = *place && taken ? MPLAN_OK : MPLAN_ERR_MEMORY;
    for (int64_t i = 0; i < set->size && !status; i++) {
        int32_t to = order ? order[i] : (int32_t)i;
        if (to < 0 || to >= set->size || taken[to])
            status = mplan_fail(err, MPLAN_ERR_ARGUMENT,
                                "the order of %s is not a permutation: member %lld goes to place %d",
                                set->name, (long long)i, (int)to);
        else
            taken[to] = 1;
        (*place)[i] = to;
    }
    free(taken);
    return status;
}

/* r->place[s]: new place of each member; sets without an order get the identity. */
static mplan_status copy_orders(reordering *r, const mplan_orders *orders, mplan_error *err)
{
    if (orders->n_sets != r->old->n_sets)
        return mplan_fail(err, MPLAN_ERR_ARGUMENT, "orders of %d sets for a mesh of %d",
                          (int)orders->n_sets, (int)r->old->n_sets);
    r->place = mplan_alloc_zero(r->old->n_sets, sizeof *r->place, err);
    r->new_set = mplan_alloc(r->old->n_sets, sizeof *r->new_set, err);
    mplan_status status = r->place && r->new_set ? MPLAN_OK : MPLAN_ERR_MEMORY;
    for (int32_t s = 0; s < r->old->n_sets && !status; s++)
        if (!r->old->sets[s].derived)
            status = copy_order(&r->old->sets[s], orders->new_of_old[s], &r->place[s], err);
    return status;
}

/* Rows of `size` bytes at their new places; NULL with err filled. */
static void *move_rows(const void *rows, int64_t n, size_t size, const int32_t *place,
                       mplan_error *err)
{
    char *moved = mplan_alloc(n, size, err);
    for (int64_t i = 0; moved && i < n; i++)
        memcpy(moved + (size_t)place[i] * size, (const char *)rows + (size_t)i * size, size);
    return moved;
}

/* --- sets and maps ------------------------------------------------------------------ */

/* Set, coordinates and ids at their new places. Derived sets are derived again. */
static mplan_status carry_set(reordering *r, int32_t s, mplan_error *err)
{
    const mplan_mesh_set_data *old = &r->old->sets[s];
    mplan_status status = mplan_mesh_add_set(r->made, old->name, old->size, &r->new_set[s], err);
    if (status)
        return status;
    mplan_mesh_set_data *made = &r->made->sets[r->new_set[s]];
    if (old->coordinates) {
        made->coordinates = move_rows(old->coordinates, old->size,
                                      (size_t)old->dimension * sizeof *old->coordinates,
                                      r->place[s], err);
        made->dimension = old->dimension;
        if (!made->coordinates)
            return MPLAN_ERR_MEMORY;
    }
    if (old->weights && !(made->weights = move_rows(old->weights, old->size,
                                                    (size_t)old->n_weights * sizeof *old->weights,
                                                    r->place[s], err)))
        return MPLAN_ERR_MEMORY;
    made->n_weights = old->n_weights;
    if (old->sizes &&
        !(made->sizes = move_rows(old->sizes, old->size, sizeof *old->sizes, r->place[s], err)))
        return MPLAN_ERR_MEMORY;
    made->layers = old->layers;
    if (old->ranges && !(made->ranges = move_rows(old->ranges, old->size, 2 * sizeof *old->ranges,
                                                  r->place[s], err)))
        return MPLAN_ERR_MEMORY;
    if (old->mask &&
        !(made->mask = move_rows(old->mask, old->size,
                                 (size_t)mplan_mask_words(old->layers) * sizeof *old->mask,
                                 r->place[s], err)))
        return MPLAN_ERR_MEMORY;
    if (old->split && !(made->split = mplan_strdup(old->split, err)))
        return MPLAN_ERR_MEMORY;
    if (old->global_ids && !(made->global_ids = move_rows(old->global_ids, old->size,
                                                          sizeof *old->global_ids, r->place[s], err)))
        return MPLAN_ERR_MEMORY;
    return MPLAN_OK;
}

/* Rows and entries of the mesh's own maps. */
static mplan_status carry_map(reordering *r, int32_t m, mplan_error *err)
{
    mplan_map map = mplan_mesh_map(r->old, m);
    if (r->old->maps[m].derived || r->new_set[map.from] < 0 || r->new_set[map.to] < 0)
        return MPLAN_OK;
    int64_t *offsets = NULL;
    int32_t *values = NULL;
    mplan_status status = mplan_table_reorder_map(&map, r->place[map.from], map.n_rows,
                                                  r->place[map.to], &offsets, &values, r->context,
                                                  err);
    if (!status)
        status = mplan_mesh_take_map(r->made, map.name, r->new_set[map.from], r->new_set[map.to],
                                     map.arity, offsets, values, NULL, err);
    return status;
}

/* Types of the cells, one byte per cell, and the mesh's dimension; meshes of tables have
 * neither. */
static mplan_status carry_cells(reordering *r, mplan_error *err)
{
    int32_t cells = mplan_mesh_find_set(r->old, "cells");
    if (!r->old->cell_type || cells < 0)
        return MPLAN_OK;
    r->made->dimension = r->old->dimension;
    r->made->cell_type = move_rows(r->old->cell_type, r->old->sets[cells].size, 1, r->place[cells],
                                   err);
    return r->made->cell_type ? MPLAN_OK : MPLAN_ERR_MEMORY;
}

/* --- groups ------------------------------------------------------------------------- */

/* Groups by members: each goes to its new place; the order within the group stays. */
static mplan_status carry_members(reordering *r, const mplan_mesh_group_data *group, mplan_error *err)
{
    int32_t *members = mplan_alloc(group->n_members, sizeof *members, err);
    if (!members)
        return MPLAN_ERR_MEMORY;
    for (int64_t i = 0; i < group->n_members; i++)
        members[i] = r->place[group->set][group->members[i]];
    return mplan_mesh_take_group(r->made, group->name, group->id, group->dimension,
                                 r->new_set[group->set], group->n_members, members, err);
}

/* Groups of facets that wait for their faces: nodes are renumbered. */
static mplan_status carry_waiting(reordering *r, const mplan_mesh_facets *group,
                                  const int32_t *node_place, mplan_error *err)
{
    int64_t entries = 0;
    for (int64_t f = 0; f < group->n_facets; f++)
        entries += mplan_cell_type_nodes((mplan_cell_type)group->type[f]);
    int32_t *nodes = mplan_alloc(entries, sizeof *nodes, err);
    if (!nodes)
        return MPLAN_ERR_MEMORY;
    for (int64_t i = 0; i < entries; i++)
        nodes[i] = node_place[group->nodes[i]];
    mplan_status status = mplan_mesh_add_facets(r->made, group->name, group->id, group->n_facets,
                                                group->type, nodes, err);
    free(nodes);
    return status;
}

/* Deriving puts facets of one group into two sets; id and name are what the two halves have in
 * common. */
static bool same_group(const mplan_mesh_group_data *a, const mplan_mesh_group_data *b)
{
    return a->id == b->id && strcmp(a->name, b->name) == 0;
}

/* Appends the corners of a group's derived faces, of which each has 1 to 4. */
static mplan_status add_corners(const mplan_mesh_group_data *group, const mplan_map *faces,
                                const int32_t *node_place, mplan_vector *type, mplan_vector *nodes,
                                mplan_error *err)
{
    static const uint8_t type_of_size[] = {MPLAN_CELL_POINT, MPLAN_CELL_POINT, MPLAN_CELL_LINE2,
                                           MPLAN_CELL_TRI3, MPLAN_CELL_QUAD4};
    for (int64_t i = 0; i < group->n_members; i++) {
        int32_t n;
        const int32_t *row = mplan_map_row(faces, group->members[i], &n);
        assert(n >= 1 && n <= 4);
        int32_t *room = mplan_vector_reserve(nodes, n, err);
        if (!room || mplan_vector_push(type, &type_of_size[n], err) != MPLAN_OK)
            return MPLAN_ERR_MEMORY;
        for (int32_t k = 0; k < n; k++)
            room[k] = node_place[row[k]];
        nodes->count += n;
    }
    return MPLAN_OK;
}

/* Deriving cut a group of facets into members of faces and of boundary_faces: the
 * first of the two brings all of them back. */
static mplan_status carry_faces(reordering *r, int32_t g, const int32_t *node_place, mplan_error *err)
{
    const mplan_mesh_group_data *groups = r->old->groups;
    for (int32_t k = 0; k < g; k++)
        if (r->new_set[groups[k].set] < 0 && same_group(&groups[k], &groups[g]))
            return MPLAN_OK;
    mplan_vector type = MPLAN_VECTOR_INIT(sizeof(uint8_t));
    mplan_vector nodes = MPLAN_VECTOR_INIT(sizeof(int32_t));
    mplan_status status = mplan_vector_reserve(&type, 1, err) && mplan_vector_reserve(&nodes, 1, err)
                              ? MPLAN_OK
                              : MPLAN_ERR_MEMORY;
    for (int32_t k = g; k < r->old->n_groups && !status; k++) {
        const char *set = r->old->sets[groups[k].set].name;
        if (r->new_set[groups[k].set] >= 0 || !same_group(&groups[k], &groups[g]))
            continue;
        int32_t map = strcmp(set, "faces") == 0 ? mplan_mesh_find_map(r->old, "faces_nodes")
                      : strcmp(set, "boundary_faces") == 0
                          ? mplan_mesh_find_map(r->old, "boundary_faces_nodes")
                          : -1;
        if (map < 0) {
            mplan_warn(r->context, "the group '%s' of derived %s is skipped", groups[k].name, set);
            continue;
        }
        mplan_map faces = mplan_mesh_map(r->old, map);
        status = add_corners(&groups[k], &faces, node_place, &type, &nodes, err);
    }
    if (!status && type.count > 0)
        status = mplan_mesh_add_facets(r->made, groups[g].name, groups[g].id, type.count, type.data,
                                       nodes.data, err);
    free(type.data);
    free(nodes.data);
    return status;
}

/* Groups of derived faces become facets by their nodes. */
static mplan_status carry_groups(reordering *r, mplan_error *err)
{
    int32_t nodes = mplan_mesh_find_set(r->old, "nodes");
    const int32_t *node_place = nodes >= 0 ? r->place[nodes] : NULL;
    mplan_status status = MPLAN_OK;
    for (int32_t g = 0; g < r->old->n_groups && !status; g++)
        status = r->new_set[r->old->groups[g].set] >= 0 ? carry_members(r, &r->old->groups[g], err)
                                                        : carry_faces(r, g, node_place, err);
    for (int32_t f = 0; f < r->old->n_facet_groups && !status; f++)
        status = carry_waiting(r, &r->old->facets[f], node_place, err);
    return status;
}

/* --- the mesh ----------------------------------------------------------------------- */

/* Everything that the reordered mesh keeps. */
static mplan_status carry(reordering *r, mplan_error *err)
{
    mplan_status status = MPLAN_OK;
    for (int32_t s = 0; s < r->old->n_sets && !status; s++) {
        r->new_set[s] = -1;
        if (!r->old->sets[s].derived)
            status = carry_set(r, s, err);
    }
    for (int32_t m = 0; m < r->old->n_maps && !status; m++)
        status = carry_map(r, m, err);
    if (!status)
        status = carry_cells(r, err);
    if (!status && r->old->format)
        status = mplan_mesh_set_format(r->made, r->old->format, err);
    if (!status && r->old->faces_name)
        status = mplan_mesh_set_faces_name(r->made, r->old->faces_name, err);
    return !status ? carry_groups(r, err) : status;
}

/* r.place[s] is the order of set s, new_of_old, r.new_set[s] its number in the new mesh. The
 * old mesh is not changed; the new one holds its own copies. */
mplan_status mplan_mesh_reorder(const mplan_mesh *mesh, const mplan_orders *orders,
                                const mplan_context *context, mplan_mesh **reordered,
                                mplan_error *err)
{
    MPLAN_NEED_CONTEXT(context);
    MPLAN_NEED(mesh);
    MPLAN_NEED(orders);
    MPLAN_NEED(reordered);
    mplan_threaded threaded;
    reordering r = {.old = mesh, .context = mplan_threaded_open(context, &threaded)};
    mplan_status status = copy_orders(&r, orders, err);
    if (!status)
        status = mplan_mesh_create(&r.made, err);
    if (!status)
        status = carry(&r, err);
    mplan_threaded_close(&threaded);
    for (int32_t s = 0; s < mesh->n_sets && r.place; s++)
        free(r.place[s]);
    free(r.place);
    free(r.new_set);
    if (!status)
        *reordered = r.made;
    else
        mplan_mesh_free(r.made);
    return status;
}
