/* SPDX-License-Identifier: Apache-2.0 */
/* midpoints.h - the nodes that refining adds in the middle of edges, faces and cells */
#ifndef MPLAN_MIDPOINTS_H
#define MPLAN_MIDPOINTS_H

#include "mesh/mesh.h"

/* Sorted keys in rows by lowest node: an edge has its higher node as key, a
 * quadrilateral its second and third lowest. Entry i of all is new node i. */
typedef struct mplan_midpoint_table {
    int64_t *offsets; /* n_nodes + 1 */
    uint64_t *keys;
    int64_t n;
} mplan_midpoint_table;

/* Ids: the old nodes, then middles of edges (ordered by lower, then higher
 * node), of faces that are quadrilaterals (cells of dimension 3), of quads and
 * hexes in the order of the cells. */
typedef struct mplan_midpoints {
    mplan_map cells; /* cells_nodes, borrowed */
    const uint8_t *type;
    int32_t dimension;
    int64_t n_nodes, n_centres;
    int64_t first_edge, first_face, first_centre, n_all;
    mplan_midpoint_table edges, faces;
} mplan_midpoints;

/* Finds them for the cells of a mesh, whose types are tri3, quad4, tet4, pyramid5, prism6 and
 * hex8 without repeated nodes. MPLAN_ERR_ARGUMENT when there are too many. */
mplan_status mplan_midpoints_make(const mplan_mesh *mesh, const mplan_context *context,
                                  mplan_midpoints *middle, mplan_error *err);
void mplan_midpoints_free(mplan_midpoints *middle);

/* Node in the middle of an edge or of a face of four corners; -1 when no cell
 * has it. */
int32_t mplan_midpoint_of_edge(const mplan_midpoints *middle, int32_t a, int32_t b);
int32_t mplan_midpoint_of_face(const mplan_midpoints *middle, const int32_t corner[4]);

/* Coordinates of all nodes, n_all x dimension, from those of the old. */
void mplan_midpoints_place(const mplan_midpoints *middle, int32_t dimension, const double *old,
                           double *all);

#endif
