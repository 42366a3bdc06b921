/* SPDX-License-Identifier: Apache-2.0 */
/* column_step_kernels.h - a time step of columns: what flows between columns changes the cells, then each column is mixed
 *
 * The flux is that of column-flux. Mixing is implicit diffusion with nothing through bottom and top: one system of three diagonals for
 * the four numbers of a column, by Thomas's algorithm. Both keep the sum over all cells. */
#ifndef MPLAN_COLUMN_STEP_KERNELS_H
#define MPLAN_COLUMN_STEP_KERNELS_H

#include "exec/meshplan_layers.h"

/* All cells have the same volume here. */
typedef struct mplan_column_flow {
    double rate; /* time step by volume */
} mplan_column_flow;

#define MPLAN_COLUMN_UPDATE_ARGS(ARG)      \
    ARG(COLUMN, res, res, 1, 4, f64, READ) \
    ARG(COLUMN, q, q, 1, 4, f64, RW)
MPLAN_LAYER_VIEWS(mplan_column_update, MPLAN_COLUMN_UPDATE_ARGS)
MPLAN_FN void mplan_column_update(mplan_column_update_views *v, const mplan_column_flow *p)
{
    MPLAN_UNROLL
    for (int c = 0; c < 4; c++)
        v->q[0][c] += p->rate * v->res[0][c];
}
MPLAN_LAYER_KERNEL(mplan_column_update, MPLAN_COLUMN_UPDATE_ARGS, mplan_column_flow)

/* mixing: of the column, time step by the square of a layer's height. upper: what is left of the diagonal above. */
#define MPLAN_COLUMN_MIX_ARGS(ARG)          \
    ARG(WHOLE, q, q, 4, f64, RW)            \
    ARG(WHOLE, upper, upper, 1, f64, WRITE) \
    ARG(OWN, mixing, mixing, 1, f64)
MPLAN_COLUMN_VIEWS(mplan_column_mix, MPLAN_COLUMN_MIX_ARGS)
MPLAN_FN void mplan_column_mix(mplan_column_mix_views *v, const mplan_column_flow *p)
{
    const double m = v->mixing[0];
    double upper = 0, below[4] = {0, 0, 0, 0};
    (void)p;
    for (int j = v->bottom; j < v->top; j++) {
        const double down = j > v->bottom ? m : 0, up = j + 1 < v->top ? m : 0;
        const double scale = 1 / (1 + down + up + down * upper);
        upper = -up * scale;
        MPLAN_LEVEL(v->upper, j, 0) = upper;
        MPLAN_UNROLL
        for (int c = 0; c < 4; c++) {
            below[c] = (MPLAN_LEVEL(v->q, j, c) + down * below[c]) * scale;
            MPLAN_LEVEL(v->q, j, c) = below[c];
        }
    }
    for (int j = v->top - 2; j >= v->bottom; j--) {
        upper = MPLAN_LEVEL(v->upper, j, 0);
        MPLAN_UNROLL
        for (int c = 0; c < 4; c++) {
            below[c] = MPLAN_LEVEL(v->q, j, c) - upper * below[c];
            MPLAN_LEVEL(v->q, j, c) = below[c];
        }
    }
}
MPLAN_COLUMN_KERNEL(mplan_column_mix, MPLAN_COLUMN_MIX_ARGS, mplan_column_flow)

#endif
