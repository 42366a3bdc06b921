/* scene.h - cells of a mesh as polygons of a picture */
#ifndef MPLAN_SCENE_H
#define MPLAN_SCENE_H

#include "view/page.h"
#include "view/plan_view.h"

/* Polygons in the plane, y upwards; those of solids are sorted from the back. */
typedef struct mplan_scene {
    int64_t n;
    int32_t *cell;   /* of the mesh, that polygon i is of */
    int64_t *begin;  /* corners of polygon i: [begin[i], begin[i + 1]) */
    double *xy;      /* two numbers a corner */
    uint8_t *tone;   /* of solids: 0 to MPLAN_PAGE_TONES - 1, from light to dark; else NULL */
    bool solid;
    bool whole;      /* every cell is there */
    int64_t n_cells; /* that the scene shows, of solids also those behind others */
} mplan_scene;
void mplan_scene_free(mplan_scene *scene);

/* The cells of a planar mesh, or of a surface in space seen from above one side: all, or where they are more than
 * most those nearest to the middle one. */
mplan_status mplan_scene_flat(const mplan_view_shape *shape, int64_t most, mplan_scene *scene,
                              const mplan_context *context, mplan_error *err);
/* The outside of a solid mesh without the eighth of it that faces the viewer. Derives the faces of the mesh. With
 * more than most cells, those nearest to the middle. MPLAN_ERR_ARGUMENT where faces cannot be derived. */
mplan_status mplan_scene_solid(mplan_mesh *mesh, const mplan_view_shape *shape, int64_t most,
                               mplan_scene *scene, const mplan_context *context, mplan_error *err);

/* Middle of a cell's nodes: dimension numbers. */
void mplan_scene_middle(const mplan_view_shape *shape, int64_t first, int64_t n, double middle[3]);
/* Where the nodes of each cell begin: cells + 1 entries. */
int64_t *mplan_scene_starts(const mplan_view_shape *shape, mplan_error *err);
/* Marks the `most` cells nearest to the middle cell, by the largest difference of a coordinate. */
mplan_status mplan_scene_window(const mplan_view_shape *shape, const int64_t *starts, int64_t most,
                                bool *inside, double centre[3], mplan_error *err);

/* Draws the scene as one figure. class_of: per polygon, in [0, MPLAN_PAGE_COLOURS), -1 without colour; pale: per
 * polygon, may be NULL; letter: 'k' for colours, 'r' for the ramp. */
void mplan_scene_draw(mplan_page *page, const mplan_scene *scene, const int8_t *class_of,
                      const bool *pale, char letter, const char *title, const char *description,
                      const char *caption);
/* The same for all cells of a planar mesh, however many, as a raster. class_of: per cell. letter: 's' or 't'. */
mplan_status mplan_scene_raster(mplan_page *page, const mplan_view_shape *shape,
                                const int8_t *class_of, char letter, const char *title,
                                const char *description, const char *caption);

#endif
