/* SPDX-License-Identifier: Apache-2.0 */
/* euler2d_kernels.h - a second-order step of the Euler equations on cells of the plane
 *
 * A state is density, momentum in x and y, energy. Each cell has a gradient of its state by least squares
 * over the cells behind its faces (weights 1 / distance^2), limited so that midpoints towards them hardly
 * leave the states around (Barth and Jespersen, AIAA 89-0366; without a jump: Venkatakrishnan, J. Comput.
 * Phys. 118, 1995). Each face takes the flux of Rusanov between the states that both sides reach at its
 * middle; patches take it from the state of their cell. Two stages of Heun's method make a step, as long as the
 * cell that allows least. */
#ifndef MPLAN_EULER2D_KERNELS_H
#define MPLAN_EULER2D_KERNELS_H

#include "apps/euler2d.h"

/* --- gradient ------------------------------------------------------------------ */

/* How much of one component's gradient may stay, without a jump anywhere: rounding must not decide. d: to the
 * n neighbours, of which those with weight 0 are not there; low, high: of the own value and theirs. */
MPLAN_FN double mplan_euler2d_shorten(const double g[2], double own, double low, double high, int n,
                                      const double (*d)[2], const double *weight)
{
    double part = 1, small = 1e-6 * (own * own + (high - low) * (high - low)) + 1e-12;
    for (int k = 0; k < n; k++) {
        double step = 0.5 * (g[0] * d[k][0] + g[1] * d[k][1]);
        double room = step > 0 ? high - own : low - own;
        double most = (room * room + small + 2 * step * room) /
                      (room * room + small + 2 * step * step + step * room);
        part = weight[k] > 0 && most < part ? most : part;
    }
    return part;
}

/* grad: d/dx and d/dy of each component; both zero where the neighbours lie on a line. near[k] is zero where
 * a cell has no neighbour. */
MPLAN_FN void mplan_euler2d_slopes(const double own[4], const double (*near)[4], int n,
                                   const double at[2], const double (*around)[2], double grad[8])
{
    double d[4][2], weight[4], xx = 0, xy = 0, yy = 0;
    for (int k = 0; k < n; k++) {
        bool there = near[k][0] > 0;
        d[k][0] = there ? around[k][0] - at[0] : 1;
        d[k][1] = there ? around[k][1] - at[1] : 0;
        double square = d[k][0] * d[k][0] + d[k][1] * d[k][1];
        weight[k] = there && square > 0 ? 1 / square : 0;
        xx += weight[k] * d[k][0] * d[k][0];
        xy += weight[k] * d[k][0] * d[k][1];
        yy += weight[k] * d[k][1] * d[k][1];
    }
    double det = xx * yy - xy * xy;
    double scale = det > 1e-6 * (xx + yy) * (xx + yy) ? 1 / det : 0;
    for (int c = 0; c < 4; c++) {
        double rx = 0, ry = 0, low = own[c], high = own[c], g[2];
        for (int k = 0; k < n; k++) {
            double value = weight[k] > 0 ? near[k][c] : own[c];
            rx += weight[k] * (value - own[c]) * d[k][0];
            ry += weight[k] * (value - own[c]) * d[k][1];
            low = value < low ? value : low;
            high = value > high ? value : high;
        }
        g[0] = scale * (yy * rx - xy * ry);
        g[1] = scale * (xx * ry - xy * rx);
        double part = mplan_euler2d_shorten(g, own[c], low, high, n, d, weight);
        grad[2 * c] = part * g[0];
        grad[2 * c + 1] = part * g[1];
    }
}

/* A cell reads its own state and place, and those of its neighbours: each dat twice. */
#define MPLAN_EULER2D_GRADIENT_ARGS(n, DIRECT, MAPPED_AS, DIRECT_AS) \
    DIRECT_AS(own, q, 4, f64, READ)                                  \
    MAPPED_AS(near, q, cells_cells, n, 4, f64, READ)                 \
    DIRECT_AS(at, centre, 2, f64, READ)                              \
    MAPPED_AS(around, centre, cells_cells, n, 2, f64, READ)          \
    DIRECT(grad, 8, f64, WRITE)
#define MPLAN_EULER2D_GRADIENT3_ARGS(MAPPED, DIRECT, OPPOSITE, MAPPED_AS, DIRECT_AS) \
    MPLAN_EULER2D_GRADIENT_ARGS(3, DIRECT, MAPPED_AS, DIRECT_AS)
#define MPLAN_EULER2D_GRADIENT4_ARGS(MAPPED, DIRECT, OPPOSITE, MAPPED_AS, DIRECT_AS) \
    MPLAN_EULER2D_GRADIENT_ARGS(4, DIRECT, MAPPED_AS, DIRECT_AS)

MPLAN_VIEWS_AS(mplan_euler2d_gradient3, MPLAN_EULER2D_GRADIENT3_ARGS)
MPLAN_FN void mplan_euler2d_gradient3(mplan_euler2d_gradient3_views *v,
                                      const mplan_euler2d_parameters *p)
{
    (void)p;
    mplan_euler2d_slopes(v->own, (const double(*)[4])v->near, 3, v->at,
                         (const double(*)[2])v->around, v->grad);
}
MPLAN_KERNEL_AS(mplan_euler2d_gradient3, MPLAN_EULER2D_GRADIENT3_ARGS, mplan_euler2d_parameters)

MPLAN_VIEWS_AS(mplan_euler2d_gradient4, MPLAN_EULER2D_GRADIENT4_ARGS)
MPLAN_FN void mplan_euler2d_gradient4(mplan_euler2d_gradient4_views *v,
                                      const mplan_euler2d_parameters *p)
{
    (void)p;
    mplan_euler2d_slopes(v->own, (const double(*)[4])v->near, 4, v->at,
                         (const double(*)[2])v->around, v->grad);
}
MPLAN_KERNEL_AS(mplan_euler2d_gradient4, MPLAN_EULER2D_GRADIENT4_ARGS, mplan_euler2d_parameters)

/* --- fluxes ---------------------------------------------------------------------- */

/* normal: that of the face between two nodes, as long as the face, out of the cell whose centre is given. */
MPLAN_FN void mplan_euler2d_normal(const double a[2], const double b[2], const double centre[2],
                                   double middle[2], double normal[2])
{
    middle[0] = 0.5 * (a[0] + b[0]);
    middle[1] = 0.5 * (a[1] + b[1]);
    normal[0] = b[1] - a[1];
    normal[1] = a[0] - b[0];
    if (normal[0] * (middle[0] - centre[0]) + normal[1] * (middle[1] - centre[1]) < 0) {
        normal[0] = -normal[0];
        normal[1] = -normal[1];
    }
}

/* q: density, momentum in x and y, energy. Not positive for a state that is not one of a gas: callers ask. */
MPLAN_FN double mplan_euler2d_pressure(const double q[4], double gm1)
{
    return gm1 * (q[3] - 0.5 * (q[1] * q[1] + q[2] * q[2]) / q[0]);
}

/* The state that a cell reaches at a place; its own one where that had no density or pressure. */
MPLAN_FN void mplan_euler2d_reach(const double q[4], const double grad[8], const double centre[2],
                                  const double place[2], double gm1, double reached[4])
{
    double x = place[0] - centre[0], y = place[1] - centre[1];
    for (int c = 0; c < 4; c++)
        reached[c] = q[c] + grad[2 * c] * x + grad[2 * c + 1] * y;
    if (!(reached[0] > 0 && mplan_euler2d_pressure(reached, gm1) > 0))
        for (int c = 0; c < 4; c++)
            reached[c] = q[c];
}

/* Rusanov's flux through a normal, from a to b. */
MPLAN_FN void mplan_euler2d_between(const double a[4], const double b[4], const double normal[2],
                                    double gm1, double flux[4])
{
    double length = sqrt(normal[0] * normal[0] + normal[1] * normal[1]);
    double pa = mplan_euler2d_pressure(a, gm1), pb = mplan_euler2d_pressure(b, gm1);
    double va = (a[1] * normal[0] + a[2] * normal[1]) / a[0];
    double vb = (b[1] * normal[0] + b[2] * normal[1]) / b[0];
    double sa = fabs(va) + length * sqrt((gm1 + 1) * pa / a[0]);
    double sb = fabs(vb) + length * sqrt((gm1 + 1) * pb / b[0]);
    double speed = sa > sb ? sa : sb;
    for (int c = 0; c < 4; c++)
        flux[c] = 0.5 * (va * a[c] + vb * b[c]) - 0.5 * speed * (b[c] - a[c]);
    flux[1] += 0.5 * (pa + pb) * normal[0];
    flux[2] += 0.5 * (pa + pb) * normal[1];
    flux[3] += 0.5 * (va * pa + vb * pb);
}

#define MPLAN_EULER2D_FLUX_ARGS(MAPPED, DIRECT, OPPOSITE) \
    MAPPED(x, faces_nodes, 2, 2, f64, READ)               \
    MAPPED(centre, faces_cells, 2, 2, f64, READ)          \
    MAPPED(q, faces_cells, 2, 4, f64, READ)               \
    MAPPED(grad, faces_cells, 2, 8, f64, READ)            \
    OPPOSITE(res, faces_cells, 4, f64)
MPLAN_VIEWS(mplan_euler2d_flux, MPLAN_EULER2D_FLUX_ARGS)
/* Through an inner face: both cells' states are extrapolated to the middle of the face by their
 * limited gradients. res is opposite: the second cell gets it with the other sign. */
MPLAN_FN void mplan_euler2d_flux(mplan_euler2d_flux_views *v, const mplan_euler2d_parameters *p)
{
    double middle[2], normal[2], a[4], b[4], flux[4];
    mplan_euler2d_normal(v->x[0], v->x[1], v->centre[0], middle, normal);
    mplan_euler2d_reach(v->q[0], v->grad[0], v->centre[0], middle, p->gm1, a);
    mplan_euler2d_reach(v->q[1], v->grad[1], v->centre[1], middle, p->gm1, b);
    mplan_euler2d_between(a, b, normal, p->gm1, flux);
    for (int c = 0; c < 4; c++)
        v->res[c] = -flux[c];
}
MPLAN_KERNEL(mplan_euler2d_flux, MPLAN_EULER2D_FLUX_ARGS, mplan_euler2d_parameters)

/* --- patches ----------------------------------------------------------------------- */

/* Both kinds of patches have these args, so that either kernel serves a loop over a group. */
#define MPLAN_EULER2D_PATCH_ARGS(MAPPED, DIRECT, OPPOSITE) \
    MAPPED(x, patch_nodes, 2, 2, f64, READ)                \
    MAPPED(centre, patch_cells, 1, 2, f64, READ)           \
    MAPPED(q, patch_cells, 1, 4, f64, READ)                \
    MAPPED(res, patch_cells, 1, 4, f64, INC)

/* Nothing passes a wall but pressure. */
MPLAN_VIEWS(mplan_euler2d_wall, MPLAN_EULER2D_PATCH_ARGS)
/* Nothing passes a wall; only the pressure of the cell's own state acts on it. */
MPLAN_FN void mplan_euler2d_wall(mplan_euler2d_wall_views *v, const mplan_euler2d_parameters *p)
{
    double middle[2], normal[2];
    mplan_euler2d_normal(v->x[0], v->x[1], v->centre[0], middle, normal);
    double pressure = mplan_euler2d_pressure(v->q[0], p->gm1);
    v->res[0][0] = 0;
    v->res[0][1] = -pressure * normal[0];
    v->res[0][2] = -pressure * normal[1];
    v->res[0][3] = 0;
}
MPLAN_KERNEL(mplan_euler2d_wall, MPLAN_EULER2D_PATCH_ARGS, mplan_euler2d_parameters)

/* Behind the far field is the free stream. */
MPLAN_VIEWS(mplan_euler2d_far, MPLAN_EULER2D_PATCH_ARGS)
/* The second state is that of the free stream, p->free. */
MPLAN_FN void mplan_euler2d_far(mplan_euler2d_far_views *v, const mplan_euler2d_parameters *p)
{
    double middle[2], normal[2], flux[4];
    mplan_euler2d_normal(v->x[0], v->x[1], v->centre[0], middle, normal);
    mplan_euler2d_between(v->q[0], p->free, normal, p->gm1, flux);
    for (int c = 0; c < 4; c++)
        v->res[0][c] = -flux[c];
}
MPLAN_KERNEL(mplan_euler2d_far, MPLAN_EULER2D_PATCH_ARGS, mplan_euler2d_parameters)

/* --- stages ------------------------------------------------------------------------ */

/* A step begins: its length is left to the cell that allows least. `nearest` is half the way from a cell to its nearest
 * neighbour. */
#define MPLAN_EULER2D_BEGIN_ARGS(ARG)  \
    ARG(DIRECT, q, 4, f64, READ)       \
    ARG(DIRECT, nearest, 1, f64, READ) \
    ARG(DIRECT, before, 4, f64, WRITE) \
    ARG(GLOBAL, travel, 1, f64, MIN)
MPLAN_VIEWS_ANY(mplan_euler2d_begin, MPLAN_EULER2D_BEGIN_ARGS)
/* The state before the step is kept for the second stage. travel: how long the fastest wave
 * takes to the nearest side, at a Courant number of 1; the executor takes the minimum of all
 * cells. */
MPLAN_FN void mplan_euler2d_begin(mplan_euler2d_begin_views *v, const mplan_euler2d_parameters *p)
{
    const double *q = v->q;
    double speed = sqrt(q[1] * q[1] + q[2] * q[2]) / q[0];
    double sound = sqrt((p->gm1 + 1) * mplan_euler2d_pressure(q, p->gm1) / q[0]);
    for (int c = 0; c < 4; c++)
        v->before[c] = q[c];
    v->travel[0] = v->nearest[0] / (speed + sound);
}
MPLAN_KERNEL_ANY(mplan_euler2d_begin, MPLAN_EULER2D_BEGIN_ARGS, mplan_euler2d_parameters)

/* q becomes keep x before + take x (q + dt / area x res), and res zero. */
#define MPLAN_EULER2D_UPDATE_ARGS(ARG) \
    ARG(DIRECT, before, 4, f64, READ)  \
    ARG(DIRECT, area, 1, f64, READ)    \
    ARG(GLOBAL, travel, 1, f64, READ)  \
    ARG(DIRECT, q, 4, f64, RW)         \
    ARG(DIRECT, res, 4, f64, RW)
MPLAN_VIEWS_ANY(mplan_euler2d_update, MPLAN_EULER2D_UPDATE_ARGS)
/* A stage of the step: p->keep of the state before and p->take of the new one. The sums of the
 * next stage begin at 0. */
MPLAN_FN void mplan_euler2d_update(mplan_euler2d_update_views *v, const mplan_euler2d_parameters *p)
{
    double step = p->courant * v->travel[0] / v->area[0];
    for (int c = 0; c < 4; c++) {
        v->q[c] = p->keep * v->before[c] + p->take * (v->q[c] + step * v->res[c]);
        v->res[c] = 0;
    }
}
MPLAN_KERNEL_ANY(mplan_euler2d_update, MPLAN_EULER2D_UPDATE_ARGS, mplan_euler2d_parameters)

#endif
