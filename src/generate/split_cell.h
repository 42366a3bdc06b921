/* SPDX-License-Identifier: Apache-2.0 */
/* split_cell.h - the children that a cell is split into when a mesh is refined */
#ifndef MPLAN_SPLIT_CELL_H
#define MPLAN_SPLIT_CELL_H

#include "generate/midpoints.h"

enum { MPLAN_MOST_CHILDREN = 10 };

/* What splitting reads. */
typedef struct mplan_splitter {
    mplan_midpoints middle;
    int32_t coordinate_dimension; /* 0: none */
    const double *coordinates;    /* of all nodes, old and new */
} mplan_splitter;

/* Children of a cell of that type, and the nodes of all of them together; 0: cells of that
 * type are not split. */
int32_t mplan_split_children(mplan_cell_type type);
int32_t mplan_split_entries(mplan_cell_type type);

/* Children of a cell of the mesh: their types, and their nodes one after the other. centre:
 * the new node in it, for quads and hexes. */
void mplan_split_cell(const mplan_splitter *splitter, mplan_cell_type type, const int32_t *node,
                      int32_t centre, uint8_t *types, int32_t *nodes);

/* Nodes of the children of a facet, a line2, tri3 or quad4 as they are; returns how many, 0
 * when it is none of a cell, -1 when its type cannot be split. */
int32_t mplan_split_facet(const mplan_midpoints *middle, mplan_cell_type type, const int32_t *node,
                          int32_t out[16]);

#endif
