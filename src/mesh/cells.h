/* SPDX-License-Identifier: Apache-2.0 */
/* cells.h - shapes of cell types: their faces and edges */
#ifndef MPLAN_CELLS_H
#define MPLAN_CELLS_H

#include "meshplan.h"

/* Local faces (dimension - 1) of a cell type, as corner positions; the normal
 * of each leaves a positively oriented cell. */
typedef struct mplan_cell_shape {
    int32_t dimension, n_nodes, n_corners;
    int32_t n_faces;
    int32_t face_size[6];
    int8_t face[6][4];
    int32_t n_edges;
    int8_t edge[12][2];
    const char *name;
} mplan_cell_shape;
/* NULL for no cell type */
const mplan_cell_shape *mplan_cell_shape_of(mplan_cell_type type);
/* How many of n <= 27 nodes differ. */
int32_t mplan_distinct_nodes(const int32_t *nodes, int32_t n);

#endif
