/* SPDX-License-Identifier: Apache-2.0 */
/* layers_loops.h - the loops of layers.cu: LFRic's products on W0 and W2, a flux between columns, a tridiagonal solve in four forms */
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
MPLAN_COLUMN_VIEWS(solve_runs, SOLVE_ARGS)
#define SOLVE_KEPT_ARGS(ARG)       \
    ARG(WHOLE, a, a, 3, f64, READ) \
    ARG(WHOLE, b, b, 1, f64, READ) \
    ARG(KEPT, c, c, 1, f64)        \
    ARG(KEPT, y, y, 1, f64)
MPLAN_COLUMN_VIEWS(solve_runs_ahead, SOLVE_KEPT_ARGS)
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
/* Levels that are loaded before the first of them is used, and whose divisions wait for nothing but one another's numerators. */
#define SOLVE_AHEAD 8
/* A tridiagonal solve: of Thomas's algorithm, c = high / d and y = (b - low y') / d with d = mid - low c', a level's division
 * waits for that of the level below it, 200 cycles on a device. Here a run of SOLVE_AHEAD levels has p = d p', p' of the level below
 * and 1 below the run, so that p = mid p' - low high' p'', and w = y p = b p' - low w': one multiply-add a level, and the
 * divisions 1 / p side by side. */
// 1 / x without the branch that the compiler has for numbers below 1e-308, behind which the next division would wait
MPLAN_FN double solve_invert(double x)
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
struct solve_run {
    double low[SOLVE_AHEAD], mid[SOLVE_AHEAD], high[SOLVE_AHEAD], b[SOLVE_AHEAD];
};
template <class V> MPLAN_FN void solve_load(const V *v, int first, solve_run *run)
{
#pragma unroll
    for (int i = 0; i < SOLVE_AHEAD; i++) {
        const int j = first + i < v->top ? first + i : v->top - 1;
        run->low[i] = MPLAN_LEVEL(v->a, j, 0);
        run->mid[i] = MPLAN_LEVEL(v->a, j, 1);
        run->high[i] = MPLAN_LEVEL(v->a, j, 2);
        run->b[i] = MPLAN_LEVEL(v->b, j, 0);
    }
}
// c and y: of the level below, then of the run's last level
template <class V>
MPLAN_FN void solve_up(const V *v, int first, const solve_run *run, double *c, double *y)
{
    double p[SOLVE_AHEAD], w[SOLVE_AHEAD];
    const double below = first > v->bottom ? run->low[0] : 0;
    p[0] = run->mid[0] - below * *c;
    w[0] = run->b[0] - below * *y;
#pragma unroll
    for (int i = 1; i < SOLVE_AHEAD; i++) {
        p[i] = run->mid[i] * p[i - 1] - run->low[i] * run->high[i - 1] * (i > 1 ? p[i - 2] : 1);
        w[i] = run->b[i] * p[i - 1] - run->low[i] * w[i - 1];
    }
#pragma unroll
    for (int i = 0; i < SOLVE_AHEAD; i++) {
        const double one = solve_invert(p[i]);
        *c = run->high[i] * (i > 0 ? p[i - 1] : 1) * one;
        *y = w[i] * one;
        if (first + i < v->top) {
            MPLAN_LEVEL(v->c, first + i, 0) = *c;
            MPLAN_LEVEL(v->y, first + i, 0) = *y;
        }
    }
}
template <class V> MPLAN_FN void solve_down(V *v)
{
    double y = v->bottom < v->top ? MPLAN_LEVEL(v->y, v->top - 1, 0) : 0;
    for (int last = v->top - 2; last >= v->bottom; last -= SOLVE_AHEAD) {
        double above[SOLVE_AHEAD], own[SOLVE_AHEAD];
#pragma unroll
        for (int i = 0; i < SOLVE_AHEAD; i++) {
            const int j = last - i > v->bottom ? last - i : v->bottom;
            above[i] = MPLAN_LEVEL(v->c, j, 0);
            own[i] = MPLAN_LEVEL(v->y, j, 0);
        }
#pragma unroll
        for (int i = 0; i < SOLVE_AHEAD; i++) {
            if (last - i < v->bottom)
                break;
            y = own[i] - above[i] * y;
            MPLAN_LEVEL(v->y, last - i, 0) = y;
        }
    }
}
// Thomas's algorithm; c and y as of solve_up
template <class V>
MPLAN_FN void solve_thomas(const V *v, int first, const solve_run *run, double *c, double *y)
{
#pragma unroll
    for (int i = 0; i < SOLVE_AHEAD; i++) {
        if (first + i >= v->top)
            break;
        const double below = first + i > v->bottom ? run->low[i] : 0;
        const double scale = 1 / (run->mid[i] - below * *c);
        *y = (run->b[i] - below * *y) * scale;
        *c = run->high[i] * scale;
        MPLAN_LEVEL(v->c, first + i, 0) = *c;
        MPLAN_LEVEL(v->y, first + i, 0) = *y;
    }
}
// BY_RUNS: in place of Thomas's algorithm
template <bool BY_RUNS, class V> MPLAN_FN void solve_column(V *v)
{
    double c = 0, y = 0;
    for (int first = v->bottom; first < v->top; first += SOLVE_AHEAD) {
        solve_run run;
        solve_load(v, first, &run);
        if (BY_RUNS)
            solve_up(v, first, &run, &c, &y);
        else
            solve_thomas(v, first, &run, &c, &y);
    }
    solve_down(v);
}
// The same, with the next levels loaded while those before are used
template <bool BY_RUNS, class V> MPLAN_FN void solve_column_ahead(V *v)
{
    double c = 0, y = 0;
    solve_run next;
    if (v->bottom < v->top)
        solve_load(v, v->bottom, &next);
    for (int first = v->bottom; first < v->top; first += SOLVE_AHEAD) {
        const solve_run now = next;
        solve_load(v, first + SOLVE_AHEAD, &next);
        if (BY_RUNS)
            solve_up(v, first, &now, &c, &y);
        else
            solve_thomas(v, first, &now, &c, &y);
    }
    solve_down(v);
}
MPLAN_FN void solve(solve_views *v, const mplan_no_parameters *)
{
    solve_column<false>(v);
}
MPLAN_FN void solve_ahead(solve_ahead_views *v, const mplan_no_parameters *)
{
    solve_column_ahead<false>(v);
}
MPLAN_FN void solve_runs(solve_runs_views *v, const mplan_no_parameters *)
{
    solve_column<true>(v);
}
MPLAN_FN void solve_runs_ahead(solve_runs_ahead_views *v, const mplan_no_parameters *)
{
    solve_column_ahead<true>(v);
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
MPLAN_COLUMN_KERNEL(solve_runs_ahead, SOLVE_KEPT_ARGS, mplan_no_parameters)
MPLAN_COLUMN_KERNEL(solve_runs, SOLVE_ARGS, mplan_no_parameters)
MPLAN_COLUMN_KERNEL(solve_ahead, SOLVE_KEPT_ARGS, mplan_no_parameters)
#endif

#endif
