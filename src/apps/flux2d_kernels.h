/* SPDX-License-Identifier: Apache-2.0 */
/* flux2d_kernels.h - airfoil's flux with the normals stored
 *
 * As mplan_res_calc of airfoil_kernels.h, but the two numbers of each face's
 * normal are read directly, not made from its nodes. */
#ifndef MPLAN_FLUX2D_KERNELS_H
#define MPLAN_FLUX2D_KERNELS_H

#include "exec/meshplan_kernel.h"

/* gm1: ratio of the specific heats, minus 1. eps: factor of the dissipation, which the mean of both cells' adt
 * scales. */
typedef struct mplan_flux2d_parameters {
    double gm1, eps;
} mplan_flux2d_parameters;

#define MPLAN_FLUX2D_ARGS(MAPPED, DIRECT, OPPOSITE) \
    MAPPED(q, faces_cells, 2, 4, f64, READ)         \
    MAPPED(adt, faces_cells, 2, 1, f64, READ)       \
    DIRECT(normal, 2, f64, READ)                    \
    OPPOSITE(res, faces_cells, 4, f64)
MPLAN_VIEWS(mplan_flux2d, MPLAN_FLUX2D_ARGS)
/* Central flux with a scalar dissipation: the mean of both cells' fluxes through the face
 * (normal n, whose length is the face's), and mu times the jump. res goes to the two cells with
 * opposite signs. */
MPLAN_FN void mplan_flux2d(mplan_flux2d_views *v, const mplan_flux2d_parameters *p)
{
    const double *a = v->q[0], *b = v->q[1], *n = v->normal;
    double ra = 1.0 / a[0], rb = 1.0 / b[0];
    double pa = p->gm1 * (a[3] - 0.5 * ra * (a[1] * a[1] + a[2] * a[2]));
    double pb = p->gm1 * (b[3] - 0.5 * rb * (b[1] * b[1] + b[2] * b[2]));
    double va = 0.5 * ra * (a[1] * n[0] + a[2] * n[1]);
    double vb = 0.5 * rb * (b[1] * n[0] + b[2] * n[1]);
    double mu = 0.5 * (v->adt[0][0] + v->adt[1][0]) * p->eps, push = 0.5 * (pa + pb);
    v->res[0] = va * a[0] + vb * b[0] + mu * (a[0] - b[0]);
    v->res[1] = va * a[1] + vb * b[1] + push * n[0] + mu * (a[1] - b[1]);
    v->res[2] = va * a[2] + vb * b[2] + push * n[1] + mu * (a[2] - b[2]);
    v->res[3] = va * (a[3] + pa) + vb * (b[3] + pb) + mu * (a[3] - b[3]);
}
MPLAN_KERNEL(mplan_flux2d, MPLAN_FLUX2D_ARGS, mplan_flux2d_parameters)

#endif
