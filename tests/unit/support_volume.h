/* SPDX-License-Identifier: Apache-2.0 */
/* support_volume.h - whether the cells of a mesh are positive, fill what they should, and meet */
#ifndef SUPPORT_VOLUME_H
#define SUPPORT_VOLUME_H

#include "mesh/mesh.h"

/* Six times the volume of the tet o a b c; twice the area of the triangle o a b. */
double det3(const double *o, const double *a, const double *b, const double *c);
double cross2(const double *o, const double *a, const double *b);

/* Volume between a face, whose normal leaves, and the place o: with the bilinear surface in
 * faces of four, which is what cells on both of its sides have in common. */
double cone_volume(const double *x, int32_t dimension, const int32_t *node, int32_t n,
                   const double *o);
/* Area or volume of a cell of the first order, by its faces. */
double cell_volume(const mplan_mesh *mesh, int64_t cell);
/* The smallest of the volumes that the edges at a cell's corners span. At the apex of a
 * pyramid, three of them at a time. */
double least_corner(const mplan_mesh *mesh, int64_t cell);

/* Fails unless each face has two cells or is a boundary face, and nodes - edges + faces - cells
 * (in the plane: nodes - faces + cells) is the characteristic. Derives all of them. */
void check_faces_meet(mplan_mesh *mesh, int64_t characteristic);

#endif
