/* SPDX-License-Identifier: Apache-2.0 */
/* edgefv_kernels.h - an edge-based scheme with its unknowns at the nodes
 *
 * Every edge of the mesh carries the flux between the control volumes of its nodes
 * (the median dual); normal: of their common boundary, from the first node. */
#ifndef MPLAN_EDGEFV_KERNELS_H
#define MPLAN_EDGEFV_KERNELS_H

#include "apps/euler_flux.h"

#define MPLAN_EDGEFV_ARGS(MAPPED, DIRECT, OPPOSITE) \
    MAPPED(state, edges_nodes, 2, 5, f64, READ)     \
    DIRECT(normal, 3, f64, READ)                    \
    OPPOSITE(residual, edges_nodes, 5, f64)
MPLAN_VIEWS(mplan_edgefv, MPLAN_EDGEFV_ARGS)
MPLAN_FN void mplan_edgefv(mplan_edgefv_views *v, const mplan_euler_parameters *p)
{
    mplan_euler_flux(v->state[0], v->state[1], v->normal, p, v->residual);
}
MPLAN_KERNEL(mplan_edgefv, MPLAN_EDGEFV_ARGS, mplan_euler_parameters)

#endif
