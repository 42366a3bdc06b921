/* SPDX-License-Identifier: Apache-2.0 */
/* stencil_map.h - the neighbours of cells of grids, each in a place of its own
 *
 * For schemes of regular grids on meshes of quads or hexes. Places are those of the reference cell: quads -y, +x, +y, -x, then the
 * corners at nodes 0 to 3; hexes -z, -y, -x, +x, +y, +z, then four edges each in the planes xy, yz and xz, in the order of Himeno: those
 * whose two signs are the same come first and last.  A neighbour that is not there is the cell itself. */
#ifndef MPLAN_STENCIL_MAP_H
#define MPLAN_STENCIL_MAP_H

#include "meshplan.h"

/* Neighbours through faces, and with those across edges (of hexes) or corners (of quads). */
enum { MPLAN_STENCIL_QUAD_WHOLE = 8, MPLAN_STENCIL_HEX_FACES = 6, MPLAN_STENCIL_HEX_WHOLE = 18 };

/* Adds the map of this arity from cells to cells to a mesh of only quads, or only hexes, which has none of the name yet. */
mplan_status mplan_app_add_stencil(mplan_mesh *mesh, const char *name, int32_t arity,
                                   const mplan_context *context, mplan_error *err);

#endif
