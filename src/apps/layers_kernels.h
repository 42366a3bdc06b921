/* SPDX-License-Identifier: Apache-2.0 */
/* layers_kernels.h - the functions of the applications with layers
 *
 * LFRic's matrix-vector product on three function spaces, a flux between columns (column_flux_kernels.h), and a tridiagonal solve in
 * each column (by runs of levels: tridiagonal_runs.h). One source for host and device. */
#ifndef MPLAN_APPS_LAYERS_KERNELS_H
#define MPLAN_APPS_LAYERS_KERNELS_H

#include "apps/column_flux_kernels.h"
#include "apps/tridiagonal_runs.h"

/* W0: dofs on vertices, four below and four above. */
#define MPLAN_LFRIC_W0_ARGS(ARG)                    \
    ARG(MATRIX, matrix, matrix, 8, 8, f64)          \
    ARG(LEVELS, x, x, cells_nodes, 8, 1, f64, READ) \
    ARG(LEVELS, lhs, lhs, cells_nodes, 8, 1, f64, INC)
MPLAN_LAYER_VIEWS(mplan_lfric_w0, MPLAN_LFRIC_W0_ARGS)
MPLAN_FN void mplan_lfric_w0(mplan_lfric_w0_views *v, const mplan_no_parameters *p)
{
    (void)p;
    MPLAN_UNROLL
    for (int row = 0; row < 8; row++) {
        MPLAN_UNROLL
        for (int col = 0; col < 8; col++)
            v->lhs[row][0] += v->matrix[col * 8 + row] * v->x[col][0];
    }
}
MPLAN_LAYER_KERNEL(mplan_lfric_w0, MPLAN_LFRIC_W0_ARGS, mplan_no_parameters)

/* W2: dofs on the four sides, below and above. */
#define MPLAN_LFRIC_W2_ARGS(ARG)                   \
    ARG(MATRIX, matrix, matrix, 6, 6, f64)         \
    ARG(LEVELS, x, x, cells_dofs, 6, 1, f64, READ) \
    ARG(LEVELS, lhs, lhs, cells_dofs, 6, 1, f64, INC)
MPLAN_LAYER_VIEWS(mplan_lfric_w2, MPLAN_LFRIC_W2_ARGS)
MPLAN_FN void mplan_lfric_w2(mplan_lfric_w2_views *v, const mplan_no_parameters *p)
{
    (void)p;
    MPLAN_UNROLL
    for (int row = 0; row < 6; row++) {
        MPLAN_UNROLL
        for (int col = 0; col < 6; col++)
            v->lhs[row][0] += v->matrix[col * 6 + row] * v->x[col][0];
    }
}
MPLAN_LAYER_KERNEL(mplan_lfric_w2, MPLAN_LFRIC_W2_ARGS, mplan_no_parameters)

/* W3: one dof in each cell. */
#define MPLAN_LFRIC_W3_ARGS(ARG)                 \
    ARG(COLUMN, matrix, matrix, 1, 1, f64, READ) \
    ARG(COLUMN, x, x, 1, 1, f64, READ)           \
    ARG(COLUMN, lhs, lhs, 1, 1, f64, INC)
MPLAN_LAYER_VIEWS(mplan_lfric_w3, MPLAN_LFRIC_W3_ARGS)
MPLAN_FN void mplan_lfric_w3(mplan_lfric_w3_views *v, const mplan_no_parameters *p)
{
    (void)p;
    v->lhs[0][0] = v->matrix[0][0] * v->x[0][0];
}
MPLAN_LAYER_KERNEL(mplan_lfric_w3, MPLAN_LFRIC_W3_ARGS, mplan_no_parameters)

/* a: what is below, on and above the diagonal. */
#define MPLAN_TRIDIAGONAL_ARGS(ARG) \
    ARG(WHOLE, a, a, 3, f64, READ)  \
    ARG(WHOLE, b, b, 1, f64, READ)  \
    ARG(WHOLE, c, c, 1, f64, WRITE) \
    ARG(WHOLE, y, y, 1, f64, WRITE)
MPLAN_COLUMN_VIEWS(mplan_tridiagonal, MPLAN_TRIDIAGONAL_ARGS)
/* A run of levels from `first` on. c, y: of the level below it, then of its last one. */
MPLAN_FN void mplan_tridiagonal_upwards(mplan_tridiagonal_views *v, int first, double *c, double *y)
{
    mplan_run_of_levels run;
    mplan_run_products of;
    MPLAN_UNROLL
    for (int i = 0; i < MPLAN_RUN_OF_LEVELS; i++) {
        const int j = first + i < v->top ? first + i : v->top - 1;
        run.low[i] = MPLAN_LEVEL(v->a, j, 0);
        run.mid[i] = MPLAN_LEVEL(v->a, j, 1);
        run.high[i] = MPLAN_LEVEL(v->a, j, 2);
        run.b[i] = MPLAN_LEVEL(v->b, j, 0);
    }
    mplan_run_multiply(&run, first > v->bottom ? run.low[0] : 0, *c, *y, &of);
    MPLAN_UNROLL
    for (int i = 0; i < MPLAN_RUN_OF_LEVELS; i++) {
        mplan_run_divide(&run, &of, i, c, y);
        if (first + i < v->top) {
            MPLAN_LEVEL(v->c, first + i, 0) = *c;
            MPLAN_LEVEL(v->y, first + i, 0) = *y;
        }
    }
}
MPLAN_FN void mplan_tridiagonal(mplan_tridiagonal_views *v, const mplan_no_parameters *parameters)
{
    enum { AHEAD = MPLAN_RUN_OF_LEVELS };
    double c = 0, y = 0;
    (void)parameters;
    for (int first = v->bottom; first < v->top; first += AHEAD)
        mplan_tridiagonal_upwards(v, first, &c, &y);
    y = v->bottom < v->top ? MPLAN_LEVEL(v->y, v->top - 1, 0)
                           : 0; /* the last run may have gone beyond the top */
    for (int last = v->top - 2; last >= v->bottom; last -= AHEAD) {
        double above[AHEAD], own[AHEAD];
        MPLAN_UNROLL
        for (int i = 0; i < AHEAD; i++) {
            const int j = last - i > v->bottom ? last - i : v->bottom;
            above[i] = MPLAN_LEVEL(v->c, j, 0);
            own[i] = MPLAN_LEVEL(v->y, j, 0);
        }
        MPLAN_UNROLL
        for (int i = 0; i < AHEAD; i++) {
            if (last - i < v->bottom)
                break;
            y = own[i] - above[i] * y;
            MPLAN_LEVEL(v->y, last - i, 0) = y;
        }
    }
}
MPLAN_COLUMN_KERNEL(mplan_tridiagonal, MPLAN_TRIDIAGONAL_ARGS, mplan_no_parameters)

#endif
