/* SPDX-License-Identifier: Apache-2.0 */
/* layers_loops.h - the loops of layers.cu: LFRic's products on W0 and W2, a flux between columns, a tridiagonal solve in three forms */
#ifndef MPLAN_TOOLS_LAYERS_LOOPS_H
#define MPLAN_TOOLS_LAYERS_LOOPS_H

#include <cmath>

#include "exec/meshplan_layers.h"

#define W0_ARGS(ARG)                        \
    ARG(MATRIX, m, m0, 8, 8, f64)           \
    ARG(LEVELS, x, x0, w0, 8, 1, f64, READ) \
    ARG(LEVELS, lhs, lhs0, w0, 8, 1, f64, INC)
MPLAN_LAYER_VIEWS(w0, W0_ARGS)
#define W2_ARGS(ARG)                        \
    ARG(MATRIX, m, m2, 6, 6, f64)           \
    ARG(LEVELS, x, x2, w2, 6, 1, f64, READ) \
    ARG(LEVELS, lhs, lhs2, w2, 6, 1, f64, INC)
MPLAN_LAYER_VIEWS(w2, W2_ARGS)
#define FLUX_ARGS(ARG)                              \
    ARG(COLUMN, u, u, 1, 1, f64, READ)              \
    ARG(LEVELS, q, q, faces_cells, 2, 4, f64, READ) \
    ARG(LEVELS, res, res, faces_cells, 2, 4, f64, INC)
MPLAN_LAYER_VIEWS(flux, FLUX_ARGS)
#define SOLVE_ARGS(ARG)             \
    ARG(WHOLE, a, a, 3, f64, READ)  \
    ARG(WHOLE, b, b, 1, f64, READ)  \
    ARG(WHOLE, c, c, 1, f64, WRITE) \
    ARG(WHOLE, y, y, 1, f64, WRITE)
MPLAN_COLUMN_VIEWS(solve, SOLVE_ARGS)
#define SOLVE_KEPT_ARGS(ARG)       \
    ARG(WHOLE, a, a, 3, f64, READ) \
    ARG(WHOLE, b, b, 1, f64, READ) \
    ARG(KEPT, c, c, 1, f64)        \
    ARG(KEPT, y, y, 1, f64)
MPLAN_COLUMN_VIEWS(solve_kept, SOLVE_KEPT_ARGS)
MPLAN_COLUMN_VIEWS(solve_ahead, SOLVE_KEPT_ARGS)

MPLAN_FN void w0(w0_views *v, const mplan_no_parameters *)
{
#pragma unroll
    for (int row = 0; row < 8; row++)
#pragma unroll
        for (int col = 0; col < 8; col++)
            v->lhs[row][0] += v->m[col * 8 + row] * v->x[col][0];
}
MPLAN_FN void w2(w2_views *v, const mplan_no_parameters *)
{
#pragma unroll
    for (int row = 0; row < 6; row++)
#pragma unroll
        for (int col = 0; col < 6; col++)
            v->lhs[row][0] += v->m[col * 6 + row] * v->x[col][0];
}
MPLAN_FN void flux(flux_views *v, const mplan_no_parameters *)
{
    const double u = v->u[0][0];
#pragma unroll
    for (int c = 0; c < 4; c++) {
        const double f = u * (0.5 * (v->q[0][c] + v->q[1][c])) +
                         fabs(u) * 0.5 * (v->q[0][c] - v->q[1][c]);
        v->res[0][c] = -f;
        v->res[1][c] = f;
    }
}
/* Levels that are loaded before the first of them is used. */
#define SOLVE_AHEAD 8
// Thomas's algorithm; a: below, diagonal, above
template <class V> MPLAN_FN void solve_column(V *v)
{
    enum { AHEAD = SOLVE_AHEAD };
    double c = 0, y = 0;
    for (int first = v->bottom; first < v->top; first += AHEAD) {
        double low[AHEAD], mid[AHEAD], high[AHEAD], b[AHEAD];
#pragma unroll
        for (int i = 0; i < AHEAD; i++) {
            const int j = first + i < v->top ? first + i : v->top - 1;
            low[i] = MPLAN_LEVEL(v->a, j, 0);
            mid[i] = MPLAN_LEVEL(v->a, j, 1);
            high[i] = MPLAN_LEVEL(v->a, j, 2);
            b[i] = MPLAN_LEVEL(v->b, j, 0);
        }
#pragma unroll
        for (int i = 0; i < AHEAD; i++) {
            if (first + i >= v->top)
                break;
            const double below = first + i > v->bottom ? low[i] : 0;
            const double scale = 1 / (mid[i] - below * c);
            y = (b[i] - below * y) * scale;
            c = high[i] * scale;
            MPLAN_LEVEL(v->c, first + i, 0) = c;
            MPLAN_LEVEL(v->y, first + i, 0) = y;
        }
    }
    for (int last = v->top - 2; last >= v->bottom; last -= AHEAD) {
        double above[AHEAD], own[AHEAD];
#pragma unroll
        for (int i = 0; i < AHEAD; i++) {
            const int j = last - i > v->bottom ? last - i : v->bottom;
            above[i] = MPLAN_LEVEL(v->c, j, 0);
            own[i] = MPLAN_LEVEL(v->y, j, 0);
        }
#pragma unroll
        for (int i = 0; i < AHEAD; i++) {
            if (last - i < v->bottom)
                break;
            y = own[i] - above[i] * y;
            MPLAN_LEVEL(v->y, last - i, 0) = y;
        }
    }
}
MPLAN_FN void solve(solve_views *v, const mplan_no_parameters *)
{
    solve_column(v);
}
MPLAN_FN void solve_kept(solve_kept_views *v, const mplan_no_parameters *)
{
    solve_column(v);
}
// The same, with the next levels loaded while those before are used
MPLAN_FN void solve_ahead(solve_ahead_views *v, const mplan_no_parameters *)
{
    enum { AHEAD = 8 };
    double c = 0, y = 0, next[4][AHEAD];
    auto load = [&](int first) {
#pragma unroll
        for (int i = 0; i < AHEAD; i++) {
            const int j = first + i < v->top ? first + i : v->top - 1;
#pragma unroll
            for (int k = 0; k < 3; k++)
                next[k][i] = MPLAN_LEVEL(v->a, j, k);
            next[3][i] = MPLAN_LEVEL(v->b, j, 0);
        }
    };
    if (v->bottom < v->top)
        load(v->bottom);
    for (int first = v->bottom; first < v->top; first += AHEAD) {
        double now[4][AHEAD];
#pragma unroll
        for (int k = 0; k < 4; k++)
#pragma unroll
            for (int i = 0; i < AHEAD; i++)
                now[k][i] = next[k][i];
        load(first + AHEAD);
#pragma unroll
        for (int i = 0; i < AHEAD; i++) {
            if (first + i >= v->top)
                break;
            const double below = first + i > v->bottom ? now[0][i] : 0;
            const double scale = 1 / (now[1][i] - below * c);
            y = (now[3][i] - below * y) * scale;
            c = now[2][i] * scale;
            MPLAN_LEVEL(v->c, first + i, 0) = c;
            MPLAN_LEVEL(v->y, first + i, 0) = y;
        }
    }
    for (int j = v->top - 2; j >= v->bottom; j--) {
        y = MPLAN_LEVEL(v->y, j, 0) - MPLAN_LEVEL(v->c, j, 0) * y;
        MPLAN_LEVEL(v->y, j, 0) = y;
    }
}
/* Kernels that a build has: LAYERS_LOOPS is a sum of 1 W0, 2 W2, 4 flux, 8 tridiagonal; fewer compile faster. */
#ifndef LAYERS_LOOPS
#define LAYERS_LOOPS 15
#endif
#if LAYERS_LOOPS & 1
MPLAN_LAYER_KERNEL(w0, W0_ARGS, mplan_no_parameters)
#endif
#if LAYERS_LOOPS & 2
MPLAN_LAYER_KERNEL(w2, W2_ARGS, mplan_no_parameters)
#endif
#if LAYERS_LOOPS & 4
MPLAN_LAYER_KERNEL(flux, FLUX_ARGS, mplan_no_parameters)
#endif
#if LAYERS_LOOPS & 8
MPLAN_COLUMN_KERNEL(solve, SOLVE_ARGS, mplan_no_parameters)
MPLAN_COLUMN_KERNEL(solve_kept, SOLVE_KEPT_ARGS, mplan_no_parameters)
MPLAN_COLUMN_KERNEL(solve_ahead, SOLVE_KEPT_ARGS, mplan_no_parameters)
#endif

#endif
