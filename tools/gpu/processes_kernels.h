/* SPDX-License-Identifier: Apache-2.0 */
/* processes_kernels.h - the loops of processes.c: fluxes over edges, and the update of cells */
#ifndef PROCESSES_KERNELS_H
#define PROCESSES_KERNELS_H

#include "exec/meshplan_kernel.h"

#define FLUX_ARGS(MAPPED, DIRECT, OPPOSITE) \
    MAPPED(q, edges_cells, 2, 4, f64, READ) \
    OPPOSITE(r, edges_cells, 4, f64)
MPLAN_VIEWS(flux, FLUX_ARGS)
MPLAN_FN void flux(flux_views *v, const mplan_no_parameters *p)
{
    (void)p;
    for (int c = 0; c < 4; c++)
        v->r[c] = 0.1 * (v->q[1][c] - v->q[0][c]) * (1 + v->q[0][3 - c] * v->q[1][3 - c]);
}
MPLAN_KERNEL(flux, FLUX_ARGS, mplan_no_parameters)

#define STEP_ARGS(MAPPED, DIRECT, OPPOSITE) \
    DIRECT(q, 4, f64, RW)                   \
    DIRECT(r, 4, f64, READ)
MPLAN_VIEWS(advance, STEP_ARGS)
MPLAN_FN void advance(advance_views *v, const mplan_no_parameters *p)
{
    (void)p;
    for (int c = 0; c < 4; c++)
        v->q[c] += v->r[c];
}
MPLAN_KERNEL(advance, STEP_ARGS, mplan_no_parameters)

MPLAN_KERNEL_DECLARE(flux)
MPLAN_KERNEL_DECLARE(advance)

#endif
