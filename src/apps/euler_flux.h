/* SPDX-License-Identifier: Apache-2.0 */
/* euler_flux.h - a central flux of the Euler equations with scalar dissipation
 *
 * What airfoil does in two dimensions (airfoil_kernels.h), in three: the mean of
 * both sides' fluxes through a normal plus mu times their difference. */
#ifndef MPLAN_EULER_FLUX_H
#define MPLAN_EULER_FLUX_H

#include "exec/meshplan_kernel.h"

/* mu: of the difference of both sides that the flux takes as dissipation, the same at every face, so that a step
 * needs no loop for it. */
typedef struct mplan_euler_parameters {
    double gm1; /* ratio of the specific heats, minus 1 */
    double mu;
} mplan_euler_parameters;

/* State: density, momentum, energy. 60 operations. */
MPLAN_FN void mplan_euler_flux(const double a[5], const double b[5], const double n[3],
                               const mplan_euler_parameters *p, double flux[5])
{
    double ra = 1.0 / a[0], rb = 1.0 / b[0];
    double pa = p->gm1 * (a[4] - 0.5 * ra * (a[1] * a[1] + a[2] * a[2] + a[3] * a[3]));
    double pb = p->gm1 * (b[4] - 0.5 * rb * (b[1] * b[1] + b[2] * b[2] + b[3] * b[3]));
    double va = 0.5 * ra * (a[1] * n[0] + a[2] * n[1] + a[3] * n[2]);
    double vb = 0.5 * rb * (b[1] * n[0] + b[2] * n[1] + b[3] * n[2]);
    double push = 0.5 * (pa + pb);
    flux[0] = va * a[0] + vb * b[0] + p->mu * (a[0] - b[0]);
    for (int d = 0; d < 3; d++)
        flux[1 + d] = va * a[1 + d] + vb * b[1 + d] + push * n[d] + p->mu * (a[1 + d] - b[1 + d]);
    flux[4] = va * (a[4] + pa) + vb * (b[4] + pb) + p->mu * (a[4] - b[4]);
}

#endif
