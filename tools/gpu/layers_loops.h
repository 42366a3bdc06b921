/* SPDX-License-Identifier: Apache-2.0 */
/* layers_loops.h - the loops of layers.cu: LFRic's products on W0 and W2, a flux between columns, a tridiagonal solve in five forms */
#ifndef MPLAN_TOOLS_LAYERS_LOOPS_H
#define MPLAN_TOOLS_LAYERS_LOOPS_H

#include <cmath>
#include <cstring>

#include "apps/tridiagonal_runs.h"
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
MPLAN_LANES_VIEWS(solve_lanes, SOLVE_ARGS)

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
/* A tridiagonal solve, by runs of levels (apps/tridiagonal_runs.h) or by Thomas's algorithm, which loads as many levels at once. */
#define SOLVE_AHEAD MPLAN_RUN_OF_LEVELS
typedef mplan_run_of_levels solve_run;
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
    mplan_run_products of;
    mplan_run_multiply(run, first > v->bottom ? run->low[0] : 0, *c, *y, &of);
#pragma unroll
    for (int i = 0; i < SOLVE_AHEAD; i++) {
        mplan_run_divide(run, &of, i, c, y);
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
/* The same by the lanes of a column: each has a chunk of levels, and all lanes together a segment of the column; most columns are
 * one. From level to level the pair (n, d), c' = n / d, is multiplied by a matrix, so is it from lane to lane, and y' and the
 * solution by a number to which another is added: products of these come from all lanes below, or above, in as many steps as
 * the number of lanes has bits. */
#define SOLVE_LANES 8
#define SOLVE_CHUNK ((72 + SOLVE_LANES - 1) / SOLVE_LANES)
// (n, d) of a chunk's last level from (n, d) of the level below it, times any number
struct solve_matrix {
    double nn, nd, dn, dd;
};
// x of the last level is scale * x of the level before the first + shift
struct solve_line {
    double scale, shift;
};
// As many factors of 2 less that dd is of size 1: products of many levels stay in range
MPLAN_FN solve_matrix solve_shrink(solve_matrix m)
{
    uint64_t bits;
    double factor;
    memcpy(&bits, &m.dd, sizeof bits);
    bits = (2046 - (bits >> 52 & 2047)) << 52;
    memcpy(&factor, &bits, sizeof factor);
    return solve_matrix{m.nn * factor, m.nd * factor, m.dn * factor, m.dd * factor};
}
// Of this lane's and all below
MPLAN_FN solve_matrix solve_gather(solve_matrix m, int lane, int lanes)
{
    for (int by = 1; by < lanes; by *= 2) {
        const solve_matrix o = {mplan_lanes_up(m.nn, by, lanes), mplan_lanes_up(m.nd, by, lanes),
                                mplan_lanes_up(m.dn, by, lanes), mplan_lanes_up(m.dd, by, lanes)};
        if (lane >= by)
            m = solve_shrink({m.nn * o.nn + m.nd * o.dn, m.nn * o.nd + m.nd * o.dd,
                              m.dn * o.nn + m.dd * o.dn, m.dn * o.nd + m.dd * o.dd});
    }
    return m;
}
// up: of this lane's and all below, else all above
template <bool UP> MPLAN_FN solve_line solve_gather(solve_line l, int lane, int lanes)
{
    for (int by = 1; by < lanes; by *= 2) {
        const solve_line o = {
            UP ? mplan_lanes_up(l.scale, by, lanes) : mplan_lanes_down(l.scale, by, lanes),
            UP ? mplan_lanes_up(l.shift, by, lanes) : mplan_lanes_down(l.shift, by, lanes)};
        if (UP ? lane >= by : lane + by < lanes)
            l = {l.scale * o.scale, l.scale * o.shift + l.shift};
    }
    return l;
}
struct solve_run_of_lane {
    double low[SOLVE_CHUNK], mid[SOLVE_CHUNK], high[SOLVE_CHUNK], b[SOLVE_CHUNK];
};
// c' of the level below each chunk, from that below the segment
MPLAN_FN double solve_below(const solve_run_of_lane &run, double c, int lane, int lanes)
{
    solve_matrix m = {1, 0, 0, 1};
#pragma unroll
    for (int i = 0; i < SOLVE_CHUNK; i++)
        m = {run.high[i] * m.dn, run.high[i] * m.dd, run.mid[i] * m.dn - run.low[i] * m.nn,
             run.mid[i] * m.dd - run.low[i] * m.nd};
    m = solve_gather(solve_shrink(m), lane, lanes);
    const double n = mplan_lanes_up(m.nn, 1, lanes) * c + mplan_lanes_up(m.nd, 1, lanes),
                 d = mplan_lanes_up(m.dn, 1, lanes) * c + mplan_lanes_up(m.dd, 1, lanes);
    return lane > 0 ? n / d : c;
}
// Levels [first, ...) of a segment upwards. c, y: of the level below it, then of its last one; own_c, own_y: of the own levels.
MPLAN_FN void solve_lanes_up(const solve_lanes_views *v, int first, double *c, double *y,
                             double *own_c, double *own_y)
{
    const int begin = first + v->lane * SOLVE_CHUNK;
    solve_run_of_lane run;
#pragma unroll
    for (int i = 0; i < SOLVE_CHUNK; i++) {
        const bool here = begin + i < v->top; // the others have c' = y' = 0
        run.low[i] = here && begin + i > v->bottom ? MPLAN_LEVEL(v->a, begin + i, 0) : 0;
        run.mid[i] = here ? MPLAN_LEVEL(v->a, begin + i, 1) : 1;
        run.high[i] = here ? MPLAN_LEVEL(v->a, begin + i, 2) : 0;
        run.b[i] = here ? MPLAN_LEVEL(v->b, begin + i, 0) : 0;
    }
    double n = solve_below(run, *c, v->lane, v->lanes), d = 1;
    solve_line all = {1, 0};
#pragma unroll
    for (int i = 0; i < SOLVE_CHUNK; i++) {
        const double next = run.mid[i] * d - run.low[i] * n, one = mplan_run_invert(next);
        n = run.high[i] * d;
        own_c[i] = n * one;
        run.mid[i] = -run.low[i] * (d * one); // y' is mid * y' of the level below + b now
        run.b[i] = run.b[i] * (d * one);
        all = {run.mid[i] * all.scale, run.mid[i] * all.shift + run.b[i]};
        d = next;
    }
    all = solve_gather<true>(all, v->lane, v->lanes);
    const double scale = mplan_lanes_up(all.scale, 1, v->lanes),
                 shift = mplan_lanes_up(all.shift, 1, v->lanes);
    double at = v->lane > 0 ? scale * *y + shift : *y;
#pragma unroll
    for (int i = 0; i < SOLVE_CHUNK; i++)
        own_y[i] = at = run.mid[i] * at + run.b[i];
    *c = mplan_lanes_of(own_c[SOLVE_CHUNK - 1], v->lanes - 1, v->lanes);
    *y = mplan_lanes_of(at, v->lanes - 1, v->lanes);
}
// The same downwards: x of the level above the segment, then of its first one
MPLAN_FN void solve_lanes_down(solve_lanes_views *v, int first, const double *own_c,
                               const double *own_y, double *x)
{
    const int begin = first + v->lane * SOLVE_CHUNK;
    solve_line all = {1, 0};
#pragma unroll
    for (int i = SOLVE_CHUNK - 1; i >= 0; i--) {
        const double scale = begin + i < v->top - 1 ? -own_c[i] : 0;
        all = {scale * all.scale, scale * all.shift + own_y[i]};
    }
    all = solve_gather<false>(all, v->lane, v->lanes);
    const double scale = mplan_lanes_down(all.scale, 1, v->lanes),
                 shift = mplan_lanes_down(all.shift, 1, v->lanes);
    double at = v->lane < v->lanes - 1 ? scale * *x + shift : *x;
#pragma unroll
    for (int i = SOLVE_CHUNK - 1; i >= 0; i--) {
        at = (begin + i < v->top - 1 ? -own_c[i] : 0) * at + own_y[i];
        if (begin + i < v->top)
            MPLAN_LEVEL(v->y, begin + i, 0) = at;
    }
    *x = mplan_lanes_of(at, 0, v->lanes);
}
MPLAN_FN void solve_lanes(solve_lanes_views *v, const mplan_no_parameters *)
{
    const int step = v->lanes * SOLVE_CHUNK;
    double own_c[SOLVE_CHUNK], own_y[SOLVE_CHUNK], c = 0, y = 0, x = 0;
    int first = v->bottom;
    for (bool more = true; more; first += step) {
        const int begin = first + v->lane * SOLVE_CHUNK;
        more = mplan_lanes_any(first + step < v->top);
        solve_lanes_up(v, first, &c, &y, own_c, own_y);
#pragma unroll
        for (int i = 0; i < SOLVE_CHUNK; i++)
            if (begin + i < v->top) {
                MPLAN_LEVEL(v->c, begin + i, 0) = own_c[i];
                if (more)
                    MPLAN_LEVEL(v->y, begin + i, 0) = own_y[i];
            }
    }
    for (bool newest = true; mplan_lanes_any((first -= step) >= v->bottom); newest = false) {
        const int begin = first + v->lane * SOLVE_CHUNK;
#pragma unroll
        for (int i = 0; i < SOLVE_CHUNK && !newest; i++) {
            const bool here = begin + i < v->top;
            own_c[i] = here ? MPLAN_LEVEL(v->c, begin + i, 0) : 0;
            own_y[i] = here ? MPLAN_LEVEL(v->y, begin + i, 0) : 0;
        }
        solve_lanes_down(v, first, own_c, own_y, &x);
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
MPLAN_COLUMN_KERNEL(solve_runs_ahead, SOLVE_KEPT_ARGS, mplan_no_parameters)
MPLAN_COLUMN_KERNEL(solve_runs, SOLVE_ARGS, mplan_no_parameters)
MPLAN_COLUMN_KERNEL(solve_ahead, SOLVE_KEPT_ARGS, mplan_no_parameters)
MPLAN_LANES_KERNEL(solve_lanes, SOLVE_ARGS, SOLVE_LANES, mplan_no_parameters)
#endif

#endif
