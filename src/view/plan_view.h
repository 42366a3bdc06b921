/* SPDX-License-Identifier: Apache-2.0 */
/* plan_view.h - what a plan says of the members of a set, and how they can be drawn
 *
 * Plans are proved (mplan_plan_verify) before anything here reads them: indices are in
 * range, and the mesh has the plan's sets and maps by name, in the plan's sizes. */
#ifndef MPLAN_PLAN_VIEW_H
#define MPLAN_PLAN_VIEW_H

#include "formats/vtk/vtu_write.h"
#include "plan/plan.h"

/* What is looked at. */
typedef struct mplan_view {
    const mplan_plan *plan;
    int32_t loop, variant;
    int32_t block_set; /* of the variant, else the one made for the loop; -1: none */
} mplan_view;

/* Finds what the options name (NULL: the primary loop, its default variant).
 * MPLAN_ERR_ARGUMENT when there is none of that name or number. */
mplan_status mplan_view_find(const mplan_plan *plan, const mplan_view_options *options,
                             mplan_view *view, mplan_error *err);
/* The records of the view's loop and variant, which belong to the plan. */
static inline const mplan_plan_loop *mplan_view_loop(const mplan_view *view)
{
    return &view->plan->loops[view->loop];
}
static inline const mplan_plan_variant *mplan_view_variant(const mplan_view *view)
{
    return &mplan_view_loop(view)->variants[view->variant];
}
/* Whether a map of the loop's args leads to the set. */
bool mplan_view_leads_to(const mplan_view *view, int32_t set);

/* A number for every member of a set, in the mesh's order; NULL where it does not apply.
 *   new_index      place in the stored order
 *   block          of an element; of a point the block most of whose slots lead to it
 *                  (the first of equals, -1: none)
 *   block_colour   of that block, where the variant has them (else -1)
 *   thread_colour  of an element within its block; global_colour  of an element
 *   blocks         how many blocks touch a point
 * Each array has as many entries as the set has members (size, without holes), and is freed by
 * mplan_view_values_free. */
typedef struct mplan_view_values {
    int32_t *new_index, *block, *block_colour, *thread_colour, *global_colour, *blocks;
} mplan_view_values;
/* Those of a set of the plan. Time linear in the plan, scratch 12 bytes a member. */
mplan_status mplan_view_values_of(const mplan_view *view, int32_t set, mplan_view_values *values,
                                  mplan_error *err);
void mplan_view_values_free(mplan_view_values *values);

/* Members of a set as cells over points that have coordinates.
 * xyz: n_points x dimension numbers of the mesh, which must outlive the shape. own and own_starts are the shape's, or
 * NULL. */
typedef struct mplan_view_shape {
    int32_t points; /* set of the mesh that has them */
    int64_t n_points;
    int32_t dimension;
    const double *xyz;
    mplan_vtu_cells cells; /* belong to the mesh but for `own` */
    int32_t *own;          /* vertices, or faces of polyhedra; and where these begin */
    int64_t *own_starts;
    const char *as; /* "cells", "lines", "faces", "vertices" */
} mplan_view_shape;
/* Makes the maps to the nodes that the mesh can derive for the plan's sets; to be called before the
 * mesh is split. */
mplan_status mplan_view_derive(const mplan_plan *plan, mplan_mesh *mesh,
                               const mplan_context *context, mplan_error *err);
void mplan_view_shape_free(mplan_view_shape *shape);
/* False when the set of the mesh has neither nodes nor coordinates. */
mplan_status mplan_view_shape_of(const mplan_mesh *mesh, int32_t set, mplan_view_shape *shape,
                                 bool *drawable, mplan_error *err);

/* The set of the plan to draw, and its shape: the one that is named, else the loop's, else the first that
 * its maps lead to. MPLAN_ERR_ARGUMENT when there is nothing to draw. */
mplan_status mplan_view_choose(const mplan_view *view, const mplan_mesh *mesh, const char *name,
                               int32_t *set, mplan_view_shape *shape, mplan_error *err);

#endif
