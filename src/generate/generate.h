/* SPDX-License-Identifier: Apache-2.0 */
/* generate.h - the parts of the mesh generators */
#ifndef MPLAN_GENERATE_H
#define MPLAN_GENERATE_H

#include "generate/most_members.h"
#include "meshplan.h"

/* Fills an empty mesh with OP2's airfoil grid of n_columns x n_rows cells:
 * sets nodes, edges, bedges, cells; maps edges_nodes, edges_cells,
 * bedges_nodes, bedges_cells, cells_nodes; groups airfoil (1) and farfield (2)
 * of bedges. MPLAN_ERR_ARGUMENT when n_columns is not a multiple of 3 or the grid
 * is too large. */
mplan_status mplan_naca0012_fill(int64_t n_columns, int64_t n_rows, const mplan_context *context,
                                 mplan_mesh *mesh, mplan_error *err);

/* Fills an empty mesh with the surface of a cube of n x n quads a side, moved to the sphere of
 * radius 1. MPLAN_ERR_ARGUMENT when it is too large. */
mplan_status mplan_cubed_sphere_fill(int64_t n, mplan_mesh *mesh, mplan_error *err);

/* Gives the members of a set random numbers: its coordinates, the rows of its
 * maps and all that refers to it move along. The set must have no groups. */
mplan_status mplan_mesh_shuffle(mplan_mesh *mesh, int32_t set, uint64_t *state, mplan_error *err);

#endif
