/* SPDX-License-Identifier: Apache-2.0 */
/* bookleaf_kernels.h - BookLeaf's getacc_scatter
 *
 * Lagrangian hydrodynamics on quads: every corner of a cell gives its mass, area and
 * force to its node. After the description of BookLeaf in Truby, Wright, Kevis,
 * Maheswaran, Herdman and Jarvis, "BookLeaf: an unstructured hydrodynamics
 * mini-application", WRAp (2018). A corner without a mass of its own (0) gets its share
 * of the cell's: density times corner area. */
#ifndef MPLAN_BOOKLEAF_KERNELS_H
#define MPLAN_BOOKLEAF_KERNELS_H

#include "exec/meshplan_kernel.h"

/* Not negative: a mass of 0 says that the corner has none of its own. */
typedef struct mplan_bookleaf_parameters {
    double zero; /* masses up to this count as none */
} mplan_bookleaf_parameters;

#define MPLAN_BOOKLEAF_ARGS(MAPPED, DIRECT, OPPOSITE) \
    DIRECT(density, 1, f64, READ)                     \
    DIRECT(corner_mass, 4, f64, READ)                 \
    DIRECT(corner_area, 4, f64, READ)                 \
    DIRECT(force_x, 4, f64, READ)                     \
    DIRECT(force_y, 4, f64, READ)                     \
    MAPPED(mass, cells_nodes, 4, 1, f64, INC)         \
    MAPPED(area, cells_nodes, 4, 1, f64, INC)         \
    MAPPED(u, cells_nodes, 4, 1, f64, INC)            \
    MAPPED(v, cells_nodes, 4, 1, f64, INC)
MPLAN_VIEWS(mplan_bookleaf, MPLAN_BOOKLEAF_ARGS)
/* Scatter of a cell to its four nodes: mass, area and both forces. A corner whose mass is 0
 * gets its share by density, as BookLeaf's getacc does. */
MPLAN_FN void mplan_bookleaf(mplan_bookleaf_views *v, const mplan_bookleaf_parameters *p)
{
    for (int k = 0; k < 4; k++) {
        double share = v->density[0] * v->corner_area[k];
        v->mass[k][0] = v->corner_mass[k] > p->zero ? v->corner_mass[k] : share;
        v->area[k][0] = v->corner_area[k];
        v->u[k][0] = v->force_x[k];
        v->v[k][0] = v->force_y[k];
    }
}
MPLAN_KERNEL(mplan_bookleaf, MPLAN_BOOKLEAF_ARGS, mplan_bookleaf_parameters)

#endif
