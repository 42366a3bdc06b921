/* SPDX-License-Identifier: Apache-2.0 */
/* with_faces.h - the faces of a mesh for writers, which may not change it */
#ifndef MPLAN_WITH_FACES_H
#define MPLAN_WITH_FACES_H

#include "meshplan.h"

/* *copy: NULL where the mesh has faces and boundary_faces with their maps; else a mesh of its typed cells and its groups of facets,
 * for which both were derived: the caller's, also after a failure. `kind`: "an OpenFOAM mesh", for messages.
 * MPLAN_ERR_ARGUMENT without types of cells. */
mplan_status mplan_with_faces(const mplan_mesh *mesh, const char *kind, mplan_mesh **copy,
                              const mplan_context *context, mplan_error *err);
/* Facets for a copy of the cells, from which faces will be derived: those that wait, and groups of boundary faces that were derived
 * (meshes that planning leaves have them without faces_nodes; then no group has faces between cells). */
mplan_status mplan_copy_facets(const mplan_mesh *mesh, mplan_mesh *copy, mplan_error *err);
/* For such a copy of a surface in space the coordinates of its nodes, which tell it from a mesh in the plane: three cells may meet
 * at an edge of it. Of other meshes nothing. */
mplan_status mplan_copy_surface(const mplan_mesh *mesh, mplan_mesh *copy, mplan_error *err);

#endif
