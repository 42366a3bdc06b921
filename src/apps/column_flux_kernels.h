/* SPDX-License-Identifier: Apache-2.0 */
/* column_flux_kernels.h - a flux between columns, of column-flux and of column-step */
#ifndef MPLAN_COLUMN_FLUX_KERNELS_H
#define MPLAN_COLUMN_FLUX_KERNELS_H

#include <math.h>

#include "exec/meshplan_layers.h"

/* An upwind flux of four numbers through the sides between columns. */
#define MPLAN_COLUMN_FLUX_ARGS(ARG)                 \
    ARG(COLUMN, u, u, 1, 1, f64, READ)              \
    ARG(LEVELS, q, q, faces_cells, 2, 4, f64, READ) \
    ARG(LEVELS, res, res, faces_cells, 2, 4, f64, INC)
MPLAN_LAYER_VIEWS(mplan_column_flux, MPLAN_COLUMN_FLUX_ARGS)
MPLAN_FN void mplan_column_flux(mplan_column_flux_views *v, const mplan_no_parameters *p)
{
    const double u = v->u[0][0];
    (void)p;
    MPLAN_UNROLL
    for (int c = 0; c < 4; c++) {
        const double f = u * (0.5 * (v->q[0][c] + v->q[1][c])) +
                         fabs(u) * 0.5 * (v->q[0][c] - v->q[1][c]);
        v->res[0][c] = -f;
        v->res[1][c] = f;
    }
}
MPLAN_LAYER_KERNEL(mplan_column_flux, MPLAN_COLUMN_FLUX_ARGS, mplan_no_parameters)

#endif
