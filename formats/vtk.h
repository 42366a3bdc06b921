/* vtk.h - what the readers of VTK's file formats share */
#ifndef MPLAN_VTK_H
#define MPLAN_VTK_H

#include "formats/format.h"

/* Cells as VTK stores them: the points of cell c are points[offsets[c]] ... . */
typedef struct mplan_vtk_cells {
    int64_t n_cells, n_points; /* of the file */
    const uint8_t *types;      /* VTK's codes */
    const int64_t *offsets;    /* n_cells + 1, ascending from 0 */
    const int32_t *points;     /* each in [0, n_points) */
} mplan_vtk_cells;

/* Makes them the cells of the mesh, in Gmsh's order of nodes, which meshes keep. xyz: three numbers a
 * point, from mplan_alloc; taken over, also on failure. The cells of the highest dimension
 * are kept; others are passed over with a warning. Meshes in the plane z = 0 without volumes
 * are 2-D. Errors begin with the path and name the cell. */
mplan_status mplan_vtk_take_cells(const char *path, const mplan_vtk_cells *cells, double *xyz,
                                  mplan_mesh *mesh, const mplan_context *context, mplan_error *err);

/* A cell type of meshes as VTK has it: node k of VTK is Gmsh's node[k]. */
typedef struct mplan_vtk_shape {
    uint8_t code;
    int32_t n_nodes;
    uint8_t node[27];
} mplan_vtk_shape;
/* False for MPLAN_CELL_PYRAMID14, which is given as the pyramid of 13 nodes: VTK has no other. */
bool mplan_vtk_shape_of(mplan_cell_type type, mplan_vtk_shape *shape);

#endif
