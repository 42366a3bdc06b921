/* SPDX-License-Identifier: Apache-2.0 */
/* derive.c - which derivation makes a name exist, and maps by transposing
 *
 * Names are <from>_<to>. A name that no derivation of cells makes is
 * transposed from a map of the opposite direction, which is derived first
 * where that is possible. What the file brought is never replaced. */
#include "meshplan.h"

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "base/option_size.h"
#include "base/threads.h"
#include "mesh/adjacency.h"
#include "mesh/derive.h"

/* Adds what the derivation makes. */
static mplan_status run(mplan_mesh *mesh, const mplan_derivation *d, const mplan_context *context,
                        mplan_error *err)
{
    switch (d->what) {
    case MPLAN_DERIVED_FACES: return mplan_derive_faces(mesh, context, err);
    case MPLAN_DERIVED_EDGES: return mplan_derive_edges(mesh, context, err);
    case MPLAN_DERIVED_CELLS_FACES: return mplan_derive_cells_faces(mesh, context, err);
    default: return mplan_derive_cells_cells(mesh, context, err);
    }
}

/* Whether the mesh has a set or a map of that name. */
static bool exists(const mplan_mesh *mesh, const char *name)
{
    return mplan_mesh_find_set(mesh, name) >= 0 || mplan_mesh_find_map(mesh, name) >= 0;
}

/* --- transposing ------------------------------------------------------------ */

/* Lists every element of a point once: rows are ascending, so equal ones are
 * neighbours. */
static void drop_repeats(mplan_transpose *transpose, int64_t n_points)
{
    int64_t kept = 0, begin = 0;
    for (int64_t p = 0; p < n_points; p++) {
        int64_t end = transpose->offsets[p + 1], first = kept;
        for (int64_t i = begin; i < end; i++)
            if (kept == first || transpose->elements[i] != transpose->elements[kept - 1])
                transpose->elements[kept++] = transpose->elements[i];
        begin = end;
        transpose->offsets[p + 1] = kept;
    }
}

/* Rows of the transposed map are ragged, ascending and without repeats: an element that names a
 * point twice is there once. */
static mplan_status add_transposed(mplan_mesh *mesh, const char *name, int32_t index, mplan_error *err)
{
    mplan_map map = mplan_mesh_map(mesh, index);
    mplan_transpose transpose = {NULL, NULL, NULL};
    mplan_status status = mplan_map_transpose(&map, false, &transpose, err);
    if (status)
        return status;
    drop_repeats(&transpose, map.n_points);
    return mplan_mesh_take_map(mesh, name, map.to, map.from, 0, transpose.offsets,
                               transpose.elements, NULL, err);
}

static mplan_map_names names_of(const void *mesh, int32_t map)
{
    const mplan_mesh *of = mesh;
    const mplan_mesh_map_data *m = &of->maps[map];
    return (mplan_map_names){m->name, of->sets[m->from].name, of->sets[m->to].name};
}

static int32_t find_opposite(const mplan_mesh *mesh, const char *name)
{
    return mplan_find_opposite(name, mesh->n_maps, names_of, mesh);
}

/* --- names -------------------------------------------------------------------- */

/* d may be NULL. The cells must have types, and the set that d makes must not be one that the
 * file brought: both would have the name. */
static bool derivable(const mplan_mesh *mesh, const mplan_derivation *d)
{
    return d && mesh->cell_type &&
           (!d->set || mplan_mesh_find_set(mesh, d->set) < 0 || mplan_derived_set(mesh, d->set) >= 0);
}

/* Says which of these fails. d: what would have been derived; NULL: nothing of that name. */
static mplan_status cannot(const mplan_mesh *mesh, const char *name, const mplan_derivation *d,
                           mplan_error *err)
{
    if (!d)
        return mplan_fail(err, MPLAN_ERR_ARGUMENT,
                          "there is no set or map '%s', and it cannot be derived: no map leads "
                          "in the opposite direction",
                          name);
    if (!mesh->cell_type)
        return mplan_fail(err, MPLAN_ERR_ARGUMENT,
                          "'%s' cannot be derived: the mesh has no cells with known types", name);
    return mplan_fail(err, MPLAN_ERR_ARGUMENT,
                      "'%s' cannot be derived: the mesh file has its own %s", name, d->set);
}

/* "b_a" from "a_b", which is derived first where it can be. own: the derivation of the name
 * itself, for the message. */
static mplan_status derive_transposed(mplan_mesh *mesh, const char *name, const mplan_derivation *own,
                                      const mplan_context *context, mplan_error *err)
{
    int32_t opposite = find_opposite(mesh, name);
    const mplan_derivation *other = mplan_find_opposite_derivation(name);
    if (opposite < 0 && derivable(mesh, other)) {
        mplan_status status = run(mesh, other, context, err);
        if (status)
            return status;
        opposite = find_opposite(mesh, name);
    }
    if (opposite == -2)
        return mplan_fail(err, MPLAN_ERR_ARGUMENT,
                          "'%s' cannot be derived: more than one map could be transposed", name);
    if (opposite < 0)
        return cannot(mesh, name, own ? own : other, err);
    return add_transposed(mesh, name, opposite, err);
}

/* Nothing where it is there already. Each derivation adds a set and its maps together. */
static mplan_status derive_plain(mplan_mesh *mesh, const char *name, const mplan_context *context,
                                 mplan_error *err)
{
    if (exists(mesh, name))
        return MPLAN_OK;
    mplan_status status = mplan_mesh_check_memory(mesh, context, err);
    if (status)
        return status;
    const mplan_derivation *own = mplan_find_derivation(name);
    if (derivable(mesh, own))
        status = run(mesh, own, context, err);
    if (status || exists(mesh, name))
        return status;
    return derive_transposed(mesh, name, own, context, err);
}

/* --- groups ---------------------------------------------------------------------- */

/* A mesh as derive_by_group.c asks for it; user: all functions. */
typedef struct own_mesh {
    mplan_mesh *mesh;
    const mplan_context *context;
} own_mesh;

static int32_t find_set(const void *user, const char *name)
{
    return mplan_mesh_find_set(((const own_mesh *)user)->mesh, name);
}

static int32_t find_map(const void *user, const char *name)
{
    return mplan_mesh_find_map(((const own_mesh *)user)->mesh, name);
}

static int32_t from_of(const void *user, int32_t map)
{
    return ((const own_mesh *)user)->mesh->maps[map].from;
}

static int32_t parent_of(const void *user, int32_t set)
{
    const mplan_mesh_set_data *of = &((const own_mesh *)user)->mesh->sets[set];
    return of->parent_index ? of->parent : -1;
}

static const char *set_name(const void *user, int32_t set)
{
    return ((const own_mesh *)user)->mesh->sets[set].name;
}

static bool waits(const void *user, const char *group)
{
    return mplan_group_waits(((const own_mesh *)user)->mesh, group);
}

static bool is_group(const void *user, const char *group)
{
    return mplan_group_exists(((const own_mesh *)user)->mesh, group);
}

static mplan_status make_plain(void *user, const char *name, mplan_error *err)
{
    const own_mesh *own = user;
    return derive_plain(own->mesh, name, own->context, err);
}

/* One process by itself. */
static mplan_status keep(void *user, mplan_status status, mplan_error *err)
{
    (void)user;
    (void)err;
    return status;
}

static mplan_status add_set(void *user, const char *name, mplan_error *err)
{
    return mplan_add_group_set(((own_mesh *)user)->mesh, name, err);
}

static mplan_status add_map(void *user, const char *name, int32_t set, int32_t map, mplan_error *err)
{
    return mplan_add_group_map(((own_mesh *)user)->mesh, name, set, map, err);
}

static mplan_status transpose(void *user, const char *name, int32_t map, mplan_error *err)
{
    return add_transposed(((own_mesh *)user)->mesh, name, map, err);
}

/* What neither cells nor other maps make can be a group's. Where it is not, the first reason stays. */
static mplan_status derive(mplan_mesh *mesh, const char *name, const mplan_context *context,
                           mplan_error *err)
{
    own_mesh own = {mesh, context};
    const mplan_group_mesh groups = {&own,     find_set, find_map, from_of,    parent_of,
                                     set_name, waits,    is_group, make_plain, keep,
                                     add_set,  add_map,  transpose};
    mplan_error why = {MPLAN_OK, ""};
    mplan_status status = derive_plain(mesh, name, context, &why);
    if (status == MPLAN_ERR_ARGUMENT) {
        mplan_status of_group = mplan_derive_by_group(&groups, name, err);
        if (of_group || exists(mesh, name))
            return of_group;
    }
    return status ? mplan_fail(err, status, "%s", why.text) : MPLAN_OK;
}

/* Maps that this adds are marked as derived: a writer leaves them out, and fingerprints do not
 * need them. Those that were derived on the way stay. */
static mplan_status derive_and_mark(mplan_mesh *mesh, const char *name, bool sparing,
                                    const mplan_context *context, mplan_error *err)
{
    int32_t before = mesh->n_maps;
    mesh->team = mplan_team_of(context);
    mesh->wants_sides = sparing;
    mplan_status status = sparing ? MPLAN_OK : mplan_fill_faces_nodes(mesh, context, err);
    if (!status)
        status = derive(mesh, name, context, err);
    mesh->wants_sides = false;
    mesh->team = NULL;
    for (int32_t m = before; m < mesh->n_maps; m++)
        mesh->maps[m].derived = true;
    return status == MPLAN_ERR_MESH ? mplan_fail_of_file(err, status, mesh->source) : status;
}

mplan_status mplan_mesh_derive(mplan_mesh *mesh, const char *name, const mplan_context *context,
                               mplan_error *err)
{
    MPLAN_NEED_CONTEXT(context);
    MPLAN_NEED(mesh);
    MPLAN_NEED(name);
    return derive_and_mark(mesh, name, false, context, err);
}

mplan_status mplan_mesh_derive_sparing(mplan_mesh *mesh, const char *name,
                                       const mplan_context *context, mplan_error *err)
{
    assert(mesh && name);
    const mplan_derivation *own = mplan_find_derivation(name);
    const bool sparing = own && own->what == MPLAN_DERIVED_FACES && strcmp(name, "faces_nodes") != 0;
    return derive_and_mark(mesh, name, sparing || exists(mesh, name), context, err);
}
