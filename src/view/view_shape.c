/* SPDX-License-Identifier: Apache-2.0 */
/* view_shape.c - how the members of a set can be drawn: by their nodes, as lines between two points
 * that have coordinates, or where they are themselves */
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "view/plan_view.h"

/* "<set>_nodes" of what the set was before a split; release with free(). */
static char *nodes_map_name(const mplan_plan_set *set, mplan_error *err)
{
    static const char boundary[] = "_boundary", ending[] = "_nodes";
    size_t length = strlen(set->name), tail = sizeof boundary - 1;
    if (set->split && *set->split && length > tail && strcmp(set->name + length - tail, boundary) == 0)
        length -= tail;
    char *name = mplan_alloc((int64_t)(length + sizeof ending), 1, err);
    if (name) {
        memcpy(name, set->name, length);
        memcpy(name + length, ending, sizeof ending);
    }
    return name;
}

/* Derives PLANSET_nodes for each set of the plan, as far as the mesh can: a set that has no
 * nodes cannot be drawn, but all the others can. */
mplan_status mplan_view_derive(const mplan_plan *plan, mplan_mesh *mesh,
                               const mplan_context *context, mplan_error *err)
{
    mplan_status status = MPLAN_OK;
    for (int32_t s = 0; s < plan->n_sets && !status; s++) {
        char *name = nodes_map_name(&plan->sets[s], err);
        if (!name)
            return MPLAN_ERR_MEMORY;
        status = mplan_mesh_derive(mesh, name, context, err);
        if (status == MPLAN_ERR_ARGUMENT) /* not every set has nodes */
            status = MPLAN_OK;
        free(name);
    }
    return status;
}

/* The set's coordinates as those of the shape; false where it has none.
 * xyz: n_points x dimension numbers, which belong to the mesh. */
static bool take_points(const mplan_mesh *mesh, int32_t set, mplan_view_shape *shape)
{
    shape->points = set;
    shape->n_points = mplan_mesh_set(mesh, set).size;
    shape->xyz = mplan_mesh_coordinates(mesh, set, &shape->dimension);
    return shape->xyz != NULL;
}

void mplan_view_shape_free(mplan_view_shape *shape)
{
    free(shape->own);
    free(shape->own_starts);
    *shape = (mplan_view_shape){0};
}

/* Cells without types in space are polyhedra, or polygons where their faces are edges; else nobody knows. */
static mplan_status take_untyped(const mplan_mesh *mesh, mplan_view_shape *shape, bool *drawable,
                                 mplan_error *err)
{
    int32_t faces = mplan_mesh_find_map(mesh, "faces_nodes");
    mplan_status status = mplan_vtu_faces_of(mesh, &shape->own_starts, &shape->own, err);
    shape->cells.face_starts = shape->own_starts;
    shape->cells.faces = shape->own;
    *drawable = !status &&
                (shape->own_starts || (faces >= 0 && mplan_mesh_map(mesh, faces).arity == 2));
    return status;
}

/* Rows of a map as cells, lines or faces. */
static mplan_status take_rows(const mplan_mesh *mesh, int32_t index, mplan_view_shape *shape,
                              bool *drawable, mplan_error *err)
{
    mplan_map map = mplan_mesh_map(mesh, index);
    bool cells = strcmp(mplan_mesh_set(mesh, map.from).name, "cells") == 0;
    bool nodes = strcmp(mplan_mesh_set(mesh, map.to).name, "nodes") == 0;
    const uint8_t *types = cells && nodes ? mplan_mesh_cell_types(mesh) : NULL;
    if (!take_points(mesh, map.to, shape) || !(nodes || map.arity == 2))
        return MPLAN_OK;
    shape->cells = (mplan_vtu_cells){map.n_rows, types, map.arity, map.offsets,
                                     map.values, NULL,  NULL};
    shape->as = cells && nodes ? "cells" : map.arity == 2 ? "lines" : "faces";
    *drawable = true;
    return cells && nodes && !types && shape->dimension == 3
               ? take_untyped(mesh, shape, drawable, err)
               : MPLAN_OK;
}

/* Each member as a vertex at its own place.
 * own[i] is i: one vertex for each of n_points points. */
static mplan_status take_vertices(mplan_view_shape *shape, bool *drawable, mplan_error *err)
{
    shape->own = mplan_alloc(shape->n_points, sizeof *shape->own, err);
    if (!shape->own)
        return MPLAN_ERR_MEMORY;
    for (int64_t i = 0; i < shape->n_points; i++)
        shape->own[i] = (int32_t)i;
    shape->cells = (mplan_vtu_cells){shape->n_points, NULL, 1, NULL, shape->own, NULL, NULL};
    shape->as = "vertices";
    *drawable = true;
    return MPLAN_OK;
}

/* *drawable is false where nothing can be drawn; *shape is to be freed in any case, and borrows
 * from the mesh.
 * A map to the nodes is taken before any other, and of several the first. */
mplan_status mplan_view_shape_of(const mplan_mesh *mesh, int32_t set, mplan_view_shape *shape,
                                 bool *drawable, mplan_error *err)
{
    *shape = (mplan_view_shape){0};
    *drawable = false;
    mplan_status status = MPLAN_OK;
    for (int32_t pass = 0; pass < 2 && !*drawable && !status; pass++) /* the nodes first */
        for (int32_t m = 0; m < mplan_mesh_n_maps(mesh) && !*drawable && !status; m++) {
            mplan_map map = mplan_mesh_map(mesh, m);
            bool nodes = strcmp(mplan_mesh_set(mesh, map.to).name, "nodes") == 0;
            if (map.from == set && nodes == (pass == 0))
                status = take_rows(mesh, m, shape, drawable, err);
        }
    if (!status && !*drawable && take_points(mesh, set, shape))
        status = take_vertices(shape, drawable, err);
    if (status)
        mplan_view_shape_free(shape);
    return status;
}

/* Of a set of the plan, which the mesh has by name. */
static mplan_status shape_of(const mplan_view *view, const mplan_mesh *mesh, int32_t set,
                             mplan_view_shape *shape, bool *drawable, mplan_error *err)
{
    return mplan_view_shape_of(mesh, mplan_mesh_find_set(mesh, view->plan->sets[set].name), shape,
                               drawable, err);
}

/* The set of that name; an error where it cannot be drawn. */
static mplan_status choose_named(const mplan_view *view, const mplan_mesh *mesh, const char *name,
                                 int32_t *set, mplan_view_shape *shape, mplan_error *err)
{
    bool drawable;
    *set = mplan_plan_find_set(view->plan, name);
    if (*set < 0)
        return mplan_fail(err, MPLAN_ERR_ARGUMENT, "the plan has no set '%s'", name);
    mplan_status status = shape_of(view, mesh, *set, shape, &drawable, err);
    if (!status && !drawable)
        return mplan_fail(err, MPLAN_ERR_ARGUMENT,
                          "set %s cannot be drawn: it has neither nodes with coordinates nor "
                          "coordinates of its own",
                          name);
    return status;
}

/* The named set, else the loop's own, else the first that its maps lead to: the first that can
 * be drawn. */
mplan_status mplan_view_choose(const mplan_view *view, const mplan_mesh *mesh, const char *name,
                               int32_t *set, mplan_view_shape *shape, mplan_error *err)
{
    if (name)
        return choose_named(view, mesh, name, set, shape, err);
    bool drawable = false;
    *set = mplan_view_loop(view)->set;
    mplan_status status = shape_of(view, mesh, *set, shape, &drawable, err);
    for (int32_t s = 0; s < view->plan->n_sets && !status && !drawable; s++)
        if (mplan_view_leads_to(view, s)) {
            *set = s;
            status = shape_of(view, mesh, s, shape, &drawable, err);
        }
    if (!status && !drawable)
        return mplan_fail(err, MPLAN_ERR_ARGUMENT,
                          "nothing can be drawn: the mesh has coordinates neither of the nodes of %s nor "
                          "of anything that its maps lead to",
                          view->plan->sets[mplan_view_loop(view)->set].name);
    return status;
}
