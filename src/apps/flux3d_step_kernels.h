/* SPDX-License-Identifier: Apache-2.0 */
/* flux3d_step_kernels.h - flux3d as a time step: fluxes through faces, which change the cells */
#ifndef MPLAN_FLUX3D_STEP_KERNELS_H
#define MPLAN_FLUX3D_STEP_KERNELS_H

#include "apps/euler_flux.h"

/* All cells have the same volume here, so that one rate serves them all. */
typedef struct mplan_flux3d_flow {
    mplan_euler_parameters gas;
    double rate; /* time step by volume */
} mplan_flux3d_flow;

#define MPLAN_FLUX3D_FACES_ARGS(MAPPED, DIRECT, OPPOSITE) \
    MAPPED(state, faces_cells, 2, 5, f64, READ)           \
    DIRECT(normal, 3, f64, READ)                          \
    OPPOSITE(residual, faces_cells, 5, f64)
MPLAN_VIEWS(mplan_flux3d_faces, MPLAN_FLUX3D_FACES_ARGS)
/* state: density, three momenta, energy of both cells. residual goes to the first cell as it is and to the second
 * with the opposite sign, so that sums over all cells stay. */
MPLAN_FN void mplan_flux3d_faces(mplan_flux3d_faces_views *v, const mplan_flux3d_flow *p)
{
    mplan_euler_flux(v->state[0], v->state[1], v->normal, &p->gas, v->residual);
}
MPLAN_KERNEL(mplan_flux3d_faces, MPLAN_FLUX3D_FACES_ARGS, mplan_flux3d_flow)

#define MPLAN_FLUX3D_CELLS_ARGS(MAPPED, DIRECT, OPPOSITE) \
    DIRECT(residual, 5, f64, READ)                        \
    DIRECT(state, 5, f64, RW)
MPLAN_VIEWS(mplan_flux3d_cells, MPLAN_FLUX3D_CELLS_ARGS)
/* What leaves a cell is missing there. */
MPLAN_FN void mplan_flux3d_cells(mplan_flux3d_cells_views *v, const mplan_flux3d_flow *p)
{
    for (int k = 0; k < 5; k++)
        v->state[k] -= p->rate * v->residual[k];
}
MPLAN_KERNEL(mplan_flux3d_cells, MPLAN_FLUX3D_CELLS_ARGS, mplan_flux3d_flow)

#endif
