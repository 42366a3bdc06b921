/* SPDX-License-Identifier: Apache-2.0 */
/* vtk.h - what the readers of VTK's file formats share */
#ifndef MPLAN_VTK_H
#define MPLAN_VTK_H

#include "formats/format.h"

/* Data of cells or points that make groups. */
typedef struct mplan_vtk_field {
    char *name;
    int64_t n;
    int32_t *values; /* marks: the n cells of the file that are marked, ascending; else a number for each of the n cells */
    bool marks;
    bool of_points; /* marks of points in place of cells */
} mplan_vtk_field;

/* Cells as VTK stores them: the points of cell c are points[offsets[c]] ... . A polyhedron's
 * faces are faces[face_offsets[c]] ...: their number, then for each face the number of its points and
 * these. In legacy files they are in place of its points (faces is NULL). All arrays are from
 * mplan_alloc. */
typedef struct mplan_vtk_cells {
    int64_t n_cells, n_points; /* of the file */
    uint8_t *types;            /* VTK's codes */
    int64_t *offsets;          /* n_cells + 1, ascending from 0 */
    int32_t *points;           /* not checked yet, like all that follows */
    int32_t *faces;
    int64_t *face_offsets; /* n_cells + 1, ascending from 0 */
    double *xyz;           /* three numbers a point */
    const char *group_array; /* the name of the only array whose numbers are groups, 0 as well; NULL: those in use */
    int64_t n_fields;
    mplan_vtk_field *fields;
} mplan_vtk_cells;

void mplan_vtk_cells_free(mplan_vtk_cells *cells);

/* Makes them the cells of the mesh, in Gmsh's order of nodes, which meshes keep; takes over the
 * arrays and leaves NULL, also on failure. The cells of the highest dimension are kept; others become facets of
 * groups, or are skipped with a warning. Meshes in the plane z = 0 without volumes are 2-D. Polyhedra that are
 * tets, pyramids, prisms or hexahedra become these. Where others remain, or polygons of more than four
 * points, cells have no types: they are rows of cells_nodes, and faces and boundary_faces are
 * made here. Errors begin with the path and name the cell. */
mplan_status mplan_vtk_take_cells(const char *path, mplan_vtk_cells *cells, mplan_mesh *mesh,
                                  const mplan_context *context, mplan_error *err);

/* The field of a legacy file whose arrays are groups, a byte for each cell or point, as this library writes them. */
#define MPLAN_VTK_GROUPS_FIELD "meshplan_groups"

/* --- data of cells: vtk_groups.c ------------------------------------------------- */

/* Which of the names of arrays whose numbers are groups it is, the first taking precedence; -1: none. group_array: the
 * only one, if not NULL. And back, NULL behind the last. */
int mplan_vtk_tag_rank(const char *group_array, const char *name);
const char *mplan_vtk_tag_name(const char *group_array, int rank);
/* Adds a field, whose name is copied and whose values are taken over, also on failure: MPLAN_ERR_MEMORY. */
mplan_status mplan_vtk_take_field(mplan_vtk_cells *cells, const mplan_vtk_field *field,
                                  mplan_error *err);
void mplan_vtk_fields_free(mplan_vtk_cells *cells);

/* Groups of the cells as they are in the file, `dimension` that of the cells which the mesh keeps; facets:
 * cells one lower may be facets, *n_facets of them are. They outlive the cells, but not the fields' names. */
typedef struct mplan_vtk_groups mplan_vtk_groups;
mplan_status mplan_vtk_groups_find(const char *path, const mplan_vtk_cells *cells, int32_t dimension,
                                   bool facets, mplan_vtk_groups **groups, int64_t *n_facets,
                                   const mplan_context *context, mplan_error *err);
/* Adds them to the mesh, which has its cells. */
mplan_status mplan_vtk_groups_add(mplan_vtk_groups *groups, int32_t dimension, mplan_mesh *mesh,
                                  mplan_error *err);
void mplan_vtk_groups_free(mplan_vtk_groups *groups); /* may be NULL */

/* --- inside: vtk_cells.c and vtk_polyhedra.c ------------------------------------- */

/* VTK's codes of the cells that have any number of points, or of faces. */
enum { MPLAN_VTK_POLYGON = 7, MPLAN_VTK_POLYHEDRON = 42 };

/* The type of a cell that is neither a polyhedron nor a larger polygon, and in *order (may be NULL) which of VTK's points
 * is Gmsh's node k: order[k] - 'A', NULL: k. False for other cells. */
bool mplan_vtk_shape(int code, int64_t n_points, mplan_cell_type *type, const char **order);

/* The dimension of a cell that was checked. */
int32_t mplan_vtk_dimension_of(const mplan_vtk_cells *cells, int64_t c);

/* A polyhedron's faces, as they are behind their number. */
static inline const int32_t *mplan_vtk_faces(const mplan_vtk_cells *cells, int64_t c, int64_t *length)
{
    const int64_t *offsets = cells->faces ? cells->face_offsets : cells->offsets;
    *length = offsets[c + 1] - offsets[c];
    return (cells->faces ? cells->faces : cells->points) + offsets[c];
}

/* Whether the numbers of a polyhedron's faces fit, and are points: MPLAN_ERR_MESH. */
mplan_status mplan_vtk_check_polyhedron(const char *path, const mplan_vtk_cells *cells, int64_t c,
                                        mplan_error *err);
/* Makes cells of first and second order of those of higher order, by their corners, with a warning: vtk_orders.c. */
void mplan_vtk_lower_orders(const char *path, mplan_vtk_cells *cells, const mplan_context *context);
/* Makes vertices, lines and triangles of cells that are several of them (VTK's types 2, 4 and 6): vtk_strips.c. */
mplan_status mplan_vtk_open_strips(const char *path, mplan_vtk_cells *cells, mplan_error *err);
/* Makes polyhedra of prisms over pentagons and hexagons (VTK's types 15 and 16): vtk_prisms.c. */
mplan_status mplan_vtk_open_prisms(mplan_vtk_cells *cells, mplan_error *err);
/* Gives polyhedra that all are tets, pyramids, prisms or hexahedra the codes and points of these, and
 * says whether that is so. Legacy files: in place. */
bool mplan_vtk_type_polyhedra(mplan_vtk_cells *cells);
/* Adds cells without types, all of one dimension, with faces; nodes are there. Takes over nothing. */
mplan_status mplan_vtk_add_untyped(const char *path, const mplan_vtk_cells *cells,
                                   int32_t dimension, bool planar, mplan_mesh *mesh,
                                   const mplan_context *context, mplan_error *err);

/* A cell type of meshes as VTK has it: node k of VTK is Gmsh's node[k]. */
typedef struct mplan_vtk_node_order {
    uint8_t code;
    int32_t n_nodes;
    uint8_t node[27];
} mplan_vtk_node_order;
/* False for MPLAN_CELL_PYRAMID14, which is given as the pyramid of 13 nodes: VTK has no other. */
bool mplan_vtk_shape_of(mplan_cell_type type, mplan_vtk_node_order *shape);

#endif
