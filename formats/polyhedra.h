/* SPDX-License-Identifier: Apache-2.0 */
/* polyhedra.h - cells that a file gives by their faces: VTK's polyhedra and polygons, OpenFOAM's cells */
#ifndef MPLAN_POLYHEDRA_H
#define MPLAN_POLYHEDRA_H

#include "formats/format.h"

/* A face of a cell; its normal leaves the cell, or when reversed enters it. */
typedef struct mplan_cell_face {
    const int32_t *nodes;
    int32_t n;
    bool reversed;
} mplan_cell_face;

enum { MPLAN_MOST_TYPED_FACES = 6, MPLAN_MOST_TYPED_NODES = 8 };

/* Whether the faces are those of a tet4, pyramid5, prism6 or hex8; then its type and nodes in
 * Gmsh's order, positively oriented. False also when the normals do not agree. */
bool mplan_cell_of_faces(int32_t n_faces, const mplan_cell_face *faces, mplan_cell_type *type,
                         int32_t nodes[MPLAN_MOST_TYPED_NODES]);

/* Every cell's own copy of its faces. All arrays are from mplan_alloc. */
typedef struct mplan_half_faces {
    int64_t n_cells, n_nodes; /* nodes of the mesh */
    int32_t dimension;        /* 3: faces of polyhedra; 2: edges of polygons, of two nodes */
    int64_t *cells;           /* n_cells + 1: the half faces of cell c begin at cells[c] */
    int64_t *offsets; /* of half faces: their nodes begin there; one entry more than half faces */
    int32_t *nodes;   /* each in [0, n_nodes) */
} mplan_half_faces;

void mplan_half_faces_free(mplan_half_faces *halves);

/* Matches half faces of equal nodes and adds the sets faces (between two cells) and boundary_faces with
 * their maps to nodes and cells, ordered as derived faces are: by first cell, second cell, first
 * node. Normals leave the first cell where coordinates (three a node; NULL: none) tell. The mesh has
 * the sets cells and nodes. MPLAN_ERR_MESH, the path before it, when three cells meet at a face. */
mplan_status mplan_half_faces_add(const mplan_half_faces *halves, const char *path, const double *xyz,
                                  mplan_mesh *mesh, const mplan_context *context, mplan_error *err);

/* Faces as the set `name` and the maps name_nodes and name_cells (arity cells_arity); arrays from mplan_alloc
 * are taken over, also on failure. offsets becomes NULL where all rows are equally long. */
mplan_status mplan_add_face_set(mplan_mesh *mesh, const char *name, int64_t n, int64_t *offsets,
                                int32_t *nodes, int32_t cells_arity, int32_t *cells,
                                mplan_error *err);

#endif
