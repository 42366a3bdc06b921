/* SPDX-License-Identifier: Apache-2.0 */
/* flux3d_kernels.h - a cell-centred scheme in three dimensions
 *
 * normal: of a face, from its first cell, as long as its area is large. */
#ifndef MPLAN_FLUX3D_KERNELS_H
#define MPLAN_FLUX3D_KERNELS_H

#include "apps/euler_flux.h"

#define MPLAN_FLUX3D_ARGS(MAPPED, DIRECT, OPPOSITE) \
    MAPPED(state, faces_cells, 2, 5, f64, READ)     \
    DIRECT(normal, 3, f64, READ)                    \
    OPPOSITE(residual, faces_cells, 5, f64)
MPLAN_VIEWS(mplan_flux3d, MPLAN_FLUX3D_ARGS)
MPLAN_FN void mplan_flux3d(mplan_flux3d_views *v, const mplan_euler_parameters *p)
{
    mplan_euler_flux(v->state[0], v->state[1], v->normal, p, v->residual);
}
MPLAN_KERNEL(mplan_flux3d, MPLAN_FLUX3D_ARGS, mplan_euler_parameters)

#endif
