/* SPDX-License-Identifier: Apache-2.0 */
/* side_order.h - nodes and sides of cells as Exodus II and CGNS number them
 *
 * Of second-order cells both number the nodes on edges around the bottom, then upwards, then around
 * the top; Gmsh, whose order meshes keep, by the corners of the edges. */
#ifndef MPLAN_SIDE_ORDER_H
#define MPLAN_SIDE_ORDER_H

#include "meshplan.h"

typedef enum mplan_numbering { MPLAN_NUMBERING_EXODUS, MPLAN_NUMBERING_CGNS } mplan_numbering;

/* Puts the nodes of n cells of one type, read in their order, into Gmsh's. */
void mplan_order_nodes(mplan_numbering numbering, mplan_cell_type type, int64_t n, int32_t *nodes);

/* Gmsh's node k is theirs letter[k] - 'A'; NULL: the same order. */
const char *mplan_node_order(mplan_numbering numbering, mplan_cell_type type);

/* Corners (up to four, of a cell's corners) of side 1, 2, ... of a cell; returns how many, 0 for no
 * side. Of 2-D cells sides are edges, of lines their ends. */
int32_t mplan_side_corners(mplan_numbering numbering, mplan_cell_type type, int64_t side,
                           int8_t corner[4]);

/* Type of a facet of so many corners: point, line2, tri3 or quad4. */
mplan_cell_type mplan_facet_type(int32_t n_corners);

#endif
