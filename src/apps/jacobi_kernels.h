/* SPDX-License-Identifier: Apache-2.0 */
/* jacobi_kernels.h - sweeps of Jacobi over cells that know their six neighbours
 *
 * A step has two of them, so that it ends where it began: from a to b and back. */
#ifndef MPLAN_JACOBI_KERNELS_H
#define MPLAN_JACOBI_KERNELS_H

#include "exec/meshplan_kernel.h"

/* own + 6 near must be 1 for what the application proves: a constant stays so. */
typedef struct mplan_jacobi_parameters {
    double own, near; /* weights of the cell and of each neighbour */
} mplan_jacobi_parameters;

#define MPLAN_JACOBI_THERE_ARGS(MAPPED, DIRECT, OPPOSITE, MAPPED_AS, DIRECT_AS) \
    MAPPED_AS(near, a, cells_star, 6, 1, f64, READ)                             \
    DIRECT_AS(own, a, 1, f64, READ)                                             \
    DIRECT(b, 1, f64, WRITE)
MPLAN_VIEWS_AS(mplan_jacobi_there, MPLAN_JACOBI_THERE_ARGS)
MPLAN_FN void mplan_jacobi_there(mplan_jacobi_there_views *v, const mplan_jacobi_parameters *p)
{
    double sum = 0;
    for (int k = 0; k < 6; k++)
        sum += v->near[k][0];
    v->b[0] = p->own * v->own[0] + p->near * sum;
}
MPLAN_KERNEL_AS(mplan_jacobi_there, MPLAN_JACOBI_THERE_ARGS, mplan_jacobi_parameters)

#define MPLAN_JACOBI_BACK_ARGS(MAPPED, DIRECT, OPPOSITE, MAPPED_AS, DIRECT_AS) \
    MAPPED_AS(near, b, cells_star, 6, 1, f64, READ)                            \
    DIRECT_AS(own, b, 1, f64, READ)                                            \
    DIRECT(a, 1, f64, WRITE)
MPLAN_VIEWS_AS(mplan_jacobi_back, MPLAN_JACOBI_BACK_ARGS)
MPLAN_FN void mplan_jacobi_back(mplan_jacobi_back_views *v, const mplan_jacobi_parameters *p)
{
    double sum = 0;
    for (int k = 0; k < 6; k++)
        sum += v->near[k][0];
    v->a[0] = p->own * v->own[0] + p->near * sum;
}
MPLAN_KERNEL_AS(mplan_jacobi_back, MPLAN_JACOBI_BACK_ARGS, mplan_jacobi_parameters)

#endif
