/* SPDX-License-Identifier: Apache-2.0 */
/* scene.h - cells of a mesh as polygons of a picture */
#ifndef MPLAN_SCENE_H
#define MPLAN_SCENE_H

#include "view/page.h"
#include "view/plan_view.h"

/* Polygons in the plane, y upwards. */
typedef struct mplan_scene {
    int64_t n;
    int32_t *cell;   /* of the mesh, that polygon i is of */
    int64_t *begin;  /* corners of polygon i: [begin[i], begin[i + 1]) */
    double *xy;      /* two numbers a corner */
    bool whole;      /* every cell is there */
    int64_t n_cells; /* that the scene shows */
} mplan_scene;
void mplan_scene_free(mplan_scene *scene);

/* The cells of a planar mesh, or of a surface in space seen from above one side: all, or where they are more than
 * most those nearest to the middle one. */
mplan_status mplan_scene_flat(const mplan_view_shape *shape, int64_t most, mplan_scene *scene,
                              const mplan_context *context, mplan_error *err);
/* Where the nodes of each cell begin: cells + 1 entries. */
int64_t *mplan_scene_starts(const mplan_view_shape *shape, mplan_error *err);
/* Draws the scene as one figure. class_of: per polygon, in [0, MPLAN_PAGE_COLOURS), -1 without colour; pale: per
 * polygon, may be NULL; letter: 'k' for colours, 'r' for the ramp. */
void mplan_scene_draw(mplan_page *page, const mplan_scene *scene, const int8_t *class_of,
                      const bool *pale, char letter, const char *title, const char *description,
                      const char *caption);

#endif
