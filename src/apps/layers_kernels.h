/* SPDX-License-Identifier: Apache-2.0 */
/* layers_kernels.h - the functions of the applications with layers
 *
 * LFRic's matrix-vector product on three function spaces, a flux between columns (column_flux_kernels.h), and a tridiagonal solve in
 * each column (Thomas's algorithm by runs of levels). One source for host and device. */
#ifndef MPLAN_APPS_LAYERS_KERNELS_H
#define MPLAN_APPS_LAYERS_KERNELS_H

#include "apps/column_flux_kernels.h"

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
enum { MPLAN_TRIDIAGONAL_AHEAD = 8 }; /* levels that are loaded before the first of them is used */
/* 1 / x without the branch that the compiler has for numbers below 1e-308, behind which the next division would wait */
MPLAN_FN double mplan_tridiagonal_invert(double x)
{
#ifdef __CUDA_ARCH__
    double one;
    asm("rcp.approx.ftz.f64 %0, %1;" : "=d"(one) : "d"(x));
    double error = fma(-x, one, 1.0);
    error = fma(error, error, error);
    one = fma(error, one, one);
    return fma(one, fma(-x, one, 1.0), one);
#else
    return 1 / x;
#endif
}
/* A run of levels from `first` on. c, y: of the level below it, then of its last one. Thomas's c' = high / d and y' = (b - low y') / d
 * with d = mid - low c' wait for the division of the level below. Here p = d p', p' of the level below and 1 below the run, so that
 * p = mid p' - low high' p'' and w = y p = b p' - low w': the divisions 1 / p do not wait for one another. p is a product of
 * up to eight d, so these must be between about 1e-38 and 1e38. */
MPLAN_FN void mplan_tridiagonal_upwards(mplan_tridiagonal_views *v, int first, double *c, double *y)
{
    enum { AHEAD = MPLAN_TRIDIAGONAL_AHEAD };
    double low[AHEAD], mid[AHEAD], high[AHEAD], b[AHEAD], p[AHEAD], w[AHEAD];
    MPLAN_UNROLL
    for (int i = 0; i < AHEAD; i++) {
        const int j = first + i < v->top ? first + i : v->top - 1;
        low[i] = MPLAN_LEVEL(v->a, j, 0);
        mid[i] = MPLAN_LEVEL(v->a, j, 1);
        high[i] = MPLAN_LEVEL(v->a, j, 2);
        b[i] = MPLAN_LEVEL(v->b, j, 0);
    }
    const double below = first > v->bottom ? low[0] : 0;
    p[0] = mid[0] - below * *c;
    w[0] = b[0] - below * *y;
    MPLAN_UNROLL
    for (int i = 1; i < AHEAD; i++) {
        p[i] = mid[i] * p[i - 1] - low[i] * high[i - 1] * (i > 1 ? p[i - 2] : 1);
        w[i] = b[i] * p[i - 1] - low[i] * w[i - 1];
    }
    MPLAN_UNROLL
    for (int i = 0; i < AHEAD; i++) {
        const double one = mplan_tridiagonal_invert(p[i]);
        *c = high[i] * (i > 0 ? p[i - 1] : 1) * one;
        *y = w[i] * one;
        if (first + i < v->top) {
            MPLAN_LEVEL(v->c, first + i, 0) = *c;
            MPLAN_LEVEL(v->y, first + i, 0) = *y;
        }
    }
}
MPLAN_FN void mplan_tridiagonal(mplan_tridiagonal_views *v, const mplan_no_parameters *parameters)
{
    enum { AHEAD = MPLAN_TRIDIAGONAL_AHEAD };
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
