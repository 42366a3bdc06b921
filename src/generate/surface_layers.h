/* SPDX-License-Identifier: Apache-2.0 */
/* surface_layers.h - rows of cells over a surface, as boundary layers are meshed
 *
 * Row r lies between the layers r and r + 1 of nodes; every layer has the nodes of the
 * surface, so that node s of layer r is node r * n_nodes + s of the mesh. */
#ifndef MPLAN_SURFACE_LAYERS_H
#define MPLAN_SURFACE_LAYERS_H

#include "meshplan.h"

/* Edges where a surface ends: their rows are facets of a group. */
typedef struct mplan_surface_rim {
    const char *name;
    int64_t n_edges;
    int32_t *edge; /* 2 nodes each, in the order in which their panel has them */
} mplan_surface_rim;

/* A surface of panels: edges in the plane, quadrilaterals in space. Rows grow on its
 * outer side: to the left of an edge, and where a quadrilateral is seen counterclockwise. */
typedef struct mplan_surface {
    int32_t dimension; /* of the mesh: 2 or 3 */
    int64_t n_nodes, n_panels;
    int32_t *panel; /* 2 or 4 nodes each */
    int32_t n_rims;
    mplan_surface_rim rim[2];
} mplan_surface;

void mplan_surface_free(mplan_surface *surface);

/* Distances of all layers from the surface: n_rows + 1 doubles for the caller to free,
 * the first one 0, ascending. They follow from first_height and growth of the options
 * and, where those are 0, from their defaults. NULL: *status says why. */
double *mplan_layer_distances(const mplan_generate_options *options, int64_t n_rows,
                              mplan_status *status, mplan_error *err);

/* Cells, nodes and the groups wall (1), farfield (2) and the rims (from 3) of the surface's
 * layers in an empty mesh.
 *
 * n_rows       at least 1
 * cells        not MPLAN_LAYER_CELLS_AUTO; what does not fit the dimension is refused
 * coordinates  of the nodes, layer by layer; from mplan_alloc, the function takes it over
 * MPLAN_ERR_ARGUMENT when the mesh is too large: mplan_layers_check says it before memory is taken. */
mplan_status mplan_layers_fill(const mplan_surface *surface, int64_t n_rows,
                               mplan_layer_cells cells, const mplan_context *context,
                               double *coordinates, mplan_mesh *mesh, mplan_error *err);

/* Whether the layers of a surface of that many nodes and panels have members that can be
 * numbered, and the cells that are wanted. shape: for messages. */
mplan_status mplan_layers_check(const char *shape, int32_t dimension, int64_t n_nodes,
                                int64_t n_panels, int64_t n_rows, mplan_layer_cells cells,
                                mplan_error *err);

/* Cosine and sine of i / n of a full turn, equal on every machine. |i| <= 2^58, n in [1, 2^58]. */
void mplan_unit_circle(int64_t i, int64_t n, double *cosine, double *sine);

/* Shapes: n_around, n_rows, n_span >= 1; n_span 0: in the plane. */
mplan_status mplan_profile_fill(const mplan_generate_options *options, const mplan_context *context,
                                mplan_mesh *mesh, mplan_error *err);
mplan_status mplan_sphere_fill(const mplan_generate_options *options, const mplan_context *context,
                               mplan_mesh *mesh, mplan_error *err);

#endif
