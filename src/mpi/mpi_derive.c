/* SPDX-License-Identifier: Apache-2.0 */
/* mpi_derive.c - which derivation makes a name exist in a spread mesh, and maps by transposing
 *
 * The rules are those of mesh/derive.c: what the file brought is never replaced, and a name that no derivation of cells makes is
 * transposed from a map of the opposite direction, which is derived first where that is possible; then it may be a group's.
 * Which way is taken depends on names and on what the mesh has, which are equal on all ranks: so
 * all ranks take the same one, and the collective steps in it meet. */
#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "mpi/mpi_derive.h"
#include "mpi/mpi_groups.h"

/* Collective. Adds what the derivation makes. */
static mplan_status run(mpi_mesh *mesh, const mplan_derivation *d, mplan_error *err)
{
    switch (d->what) {
    case MPLAN_DERIVED_FACES: return mpi_derive_faces(mesh, err);
    case MPLAN_DERIVED_EDGES: return mpi_derive_edges(mesh, err);
    case MPLAN_DERIVED_CELLS_FACES: return mpi_derive_cells_faces(mesh, err);
    default: return mpi_derive_cells_cells(mesh, err);
    }
}

/* As a set or as a map. */
static bool exists(const mpi_mesh *mesh, const char *name)
{
    return mpi_mesh_find_set(mesh, name) >= 0 || mpi_mesh_find_map(mesh, name) >= 0;
}

/* Also of a mesh that has no cells at all.
 * The set cells has types on all ranks or on none, also on ranks without cells. */
static bool has_types(const mpi_mesh *mesh)
{
    const int32_t cells = mpi_mesh_find_set(mesh, "cells");
    return cells >= 0 && mesh->sets[cells].cell_type;
}

/* d may be NULL.
 * A set of that name must be one that was derived: numbers of faces that the file has need not
 * be ours. */
static bool derivable(const mpi_mesh *mesh, const mplan_derivation *d)
{
    const int32_t set = d && d->set ? mpi_mesh_find_set(mesh, d->set) : -1;
    return d && has_types(mesh) && (set < 0 || mesh->sets[set].derived);
}

static mplan_map_names names_of(const void *mesh, int32_t map)
{
    const mpi_mesh *of = mesh;
    const mpi_map *m = &of->maps[map];
    return (mplan_map_names){m->name, of->sets[m->from].name, of->sets[m->to].name};
}

static int32_t find_opposite(const mpi_mesh *mesh, const char *name)
{
    return mplan_find_opposite(name, mesh->n_maps, names_of, mesh);
}

/* The reason why, for messages. d: the derivation that was meant; NULL: there is none. */
static mplan_status cannot(const mpi_mesh *mesh, const char *name, const mplan_derivation *d,
                           mplan_error *err)
{
    if (!d)
        return mplan_fail(err, MPLAN_ERR_ARGUMENT,
                          "there is no set or map '%s', and it cannot be derived: no map leads "
                          "in the opposite direction",
                          name);
    if (!has_types(mesh))
        return mplan_fail(err, MPLAN_ERR_ARGUMENT,
                          "'%s' cannot be derived: the mesh has no cells with known types", name);
    return mplan_fail(err, MPLAN_ERR_ARGUMENT,
                      "'%s' cannot be derived: the mesh file has its own %s", name, d->set);
}

/* Collective. m: the map to transpose; the new one is ragged. Rows ascend and have each number
 * once, so that they do not depend on the ranks that sent them. */
static mplan_status add_transposed(mpi_mesh *mesh, const char *name, int32_t m, mplan_error *err)
{
    const mpi_map *map = &mesh->maps[m];
    const int32_t from = map->to, to = map->from;
    int64_t *offsets = NULL, *lists = NULL;
    mplan_status status = mpi_transpose(mesh, map, NULL, &offsets, &lists, err);
    if (status) {
        free(offsets);
        free(lists);
        return status;
    }
    return mpi_agree(mesh->comm, mpi_mesh_take_map(mesh, name, from, to, 0, offsets, lists, err),
                     err);
}

/* Collective. own: the derivation of the name itself, which could not be used; may be NULL. */
static mplan_status derive_transposed(mpi_mesh *mesh, const char *name, const mplan_derivation *own,
                                      mplan_error *err)
{
    int32_t opposite = find_opposite(mesh, name);
    const mplan_derivation *other = mplan_find_opposite_derivation(name);
    if (opposite < 0 && derivable(mesh, other)) {
        mplan_status status = run(mesh, other, err);
        if (status)
            return status;
        opposite = find_opposite(mesh, name);
    }
    if (opposite == -2)
        return mplan_fail(err, MPLAN_ERR_ARGUMENT,
                          "'%s' cannot be derived: more than one map could be transposed", name);
    return opposite < 0 ? cannot(mesh, name, own ? own : other, err)
                        : add_transposed(mesh, name, opposite, err);
}

/* Collective. What exists is left as it is. */
static mplan_status derive_plain(mpi_mesh *mesh, const char *name, mplan_error *err)
{
    const mplan_derivation *own = mplan_find_derivation(name);
    if (exists(mesh, name))
        return MPLAN_OK;
    mplan_status status = derivable(mesh, own) ? run(mesh, own, err) : MPLAN_OK;
    return status || exists(mesh, name) ? status : derive_transposed(mesh, name, own, err);
}

/* --- groups ------------------------------------------------------------------------------------------- */

static int32_t find_set(const void *mesh, const char *name)
{
    return mpi_mesh_find_set(mesh, name);
}

static int32_t find_map(const void *mesh, const char *name)
{
    return mpi_mesh_find_map(mesh, name);
}

static int32_t from_of(const void *mesh, int32_t map)
{
    return ((const mpi_mesh *)mesh)->maps[map].from;
}

static int32_t parent_of(const void *mesh, int32_t set)
{
    const mpi_set *of = &((const mpi_mesh *)mesh)->sets[set];
    return of->parent_index ? of->parent : -1;
}

static const char *set_name(const void *mesh, int32_t set)
{
    return ((const mpi_mesh *)mesh)->sets[set].name;
}

static bool waits(const void *mesh, const char *group)
{
    return mpi_group_waits(mesh, group);
}

static bool is_group(const void *mesh, const char *group)
{
    return mpi_group_exists(mesh, group);
}

static mplan_status make_plain(void *mesh, const char *name, mplan_error *err)
{
    return derive_plain(mesh, name, err);
}

static mplan_status agree(void *mesh, mplan_status status, mplan_error *err)
{
    return mpi_agree(((mpi_mesh *)mesh)->comm, status, err);
}

static mplan_status add_set(void *mesh, const char *name, mplan_error *err)
{
    return mpi_add_group_set(mesh, name, err);
}

static mplan_status add_map(void *mesh, const char *name, int32_t set, int32_t map, mplan_error *err)
{
    return mpi_add_group_map(mesh, name, set, map, err);
}

static mplan_status transpose(void *mesh, const char *name, int32_t map, mplan_error *err)
{
    return add_transposed(mesh, name, map, err);
}

/* What neither cells nor other maps make can be a group's. Where it is not, the first reason stays. */
static mplan_status derive(mpi_mesh *mesh, const char *name, mplan_error *err)
{
    const mplan_group_mesh groups = {mesh,     find_set, find_map, from_of,    parent_of,
                                     set_name, waits,    is_group, make_plain, agree,
                                     add_set,  add_map,  transpose};
    mplan_error why = {MPLAN_OK, ""};
    mplan_status status = derive_plain(mesh, name, &why);
    if (status == MPLAN_ERR_ARGUMENT) {
        const mplan_status of_group = mplan_derive_by_group(&groups, name, err);
        if (of_group || exists(mesh, name))
            return of_group;
    }
    return status ? mplan_fail(err, status, "%s", why.text) : MPLAN_OK;
}

/* Collective. All maps that were added on the way are marked as derived, also after a failure. */
mplan_status mpi_mesh_derive(mpi_mesh *mesh, const char *name, mplan_error *err)
{
    assert(mesh && name);
    const int32_t before = mesh->n_maps;
    const mplan_status status = derive(mesh, name, err);
    for (int32_t m = before; m < mesh->n_maps; m++)
        mesh->maps[m].derived = true;
    return status == MPLAN_ERR_MESH ? mplan_fail_of_file(err, status, mesh->source) : status;
}
