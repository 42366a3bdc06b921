/* SPDX-License-Identifier: Apache-2.0 */
/* miniaero_rk4_kernels.h - the loops around compute_face_flux in a step of miniAero
 *
 * Gradients by the theorem of Gauss, faces at the mean of both sides; limiters that midpoints of faces hardly
 * leave the least and greatest of the cells around (Venkatakrishnan, J. Comput. Phys. 118, 1995), all by loops
 * over faces: sums, min and max of their two cells. Four stages of Runge and Kutta that each start at the state
 * before the step (Jameson, Schmidt and Turkel, AIAA 81-1259), as miniAero has them. value: density, velocity,
 * pressure; low, high: the least and greatest of the cell's and its neighbours'. */
#ifndef MPLAN_MINIAERO_RK4_KERNELS_H
#define MPLAN_MINIAERO_RK4_KERNELS_H

#include <math.h>

#include "apps/miniaero_flow.h"

/* state: density, three momenta, energy; value: density, three velocities, pressure. */
MPLAN_FN void mplan_miniaero_value(const double state[5], double gamma, double value[5])
{
    value[0] = state[0];
    for (int d = 1; d < 4; d++)
        value[d] = state[d] / state[0];
    value[4] = (gamma - 1) * (state[4] - 0.5 * state[0] * mplan_miniaero_dot(value + 1, value + 1));
}

/* A step begins. length: half as wide as the cell is. */
#define MPLAN_MINIAERO_BEGIN_ARGS(ARG) \
    ARG(DIRECT, state, 5, f64, READ)   \
    ARG(DIRECT, length, 1, f64, READ)  \
    ARG(DIRECT, before, 5, f64, WRITE) \
    ARG(GLOBAL, travel, 1, f64, MIN)
MPLAN_VIEWS_ANY(mplan_miniaero_begin, MPLAN_MINIAERO_BEGIN_ARGS)
MPLAN_FN void mplan_miniaero_begin(mplan_miniaero_begin_views *v, const mplan_miniaero_flow *p)
{
    double w[5];
    mplan_miniaero_value(v->state, p->gas.gamma, w);
    for (int k = 0; k < 5; k++)
        v->before[k] = v->state[k];
    v->travel[0] = v->length[0] /
                   (sqrt(mplan_miniaero_dot(w + 1, w + 1)) + sqrt(p->gas.gamma * w[4] / w[0]));
}
MPLAN_KERNEL_ANY(mplan_miniaero_begin, MPLAN_MINIAERO_BEGIN_ARGS, mplan_miniaero_flow)

/* A stage begins. */
#define MPLAN_MINIAERO_CLEAR_ARGS(MAPPED, DIRECT, OPPOSITE) \
    DIRECT(state, 5, f64, READ)                             \
    DIRECT(value, 5, f64, WRITE)                            \
    DIRECT(low, 5, f64, WRITE)                              \
    DIRECT(high, 5, f64, WRITE)                             \
    DIRECT(gradient, 15, f64, WRITE)                        \
    DIRECT(limiter, 5, f64, WRITE)
MPLAN_VIEWS(mplan_miniaero_clear, MPLAN_MINIAERO_CLEAR_ARGS)
MPLAN_FN void mplan_miniaero_clear(mplan_miniaero_clear_views *v, const mplan_miniaero_flow *p)
{
    mplan_miniaero_value(v->state, p->gas.gamma, v->value);
    for (int k = 0; k < 5; k++) {
        v->low[k] = v->high[k] = v->value[k];
        v->limiter[k] = 1;
    }
    for (int k = 0; k < 15; k++)
        v->gradient[k] = 0;
}
MPLAN_KERNEL(mplan_miniaero_clear, MPLAN_MINIAERO_CLEAR_ARGS, mplan_miniaero_flow)

/* The integral of the gradient over both cells, and what they meet. */
#define MPLAN_MINIAERO_GRADIENT_ARGS(ARG)            \
    ARG(MAPPED, value, faces_cells, 2, 5, f64, READ) \
    ARG(DIRECT, normal, 3, f64, READ)                \
    ARG(OPPOSITE, gradient, faces_cells, 15, f64)    \
    ARG(MAPPED, low, faces_cells, 2, 5, f64, MIN)    \
    ARG(MAPPED, high, faces_cells, 2, 5, f64, MAX)
MPLAN_VIEWS_ANY(mplan_miniaero_gradient, MPLAN_MINIAERO_GRADIENT_ARGS)
MPLAN_FN void mplan_miniaero_gradient(mplan_miniaero_gradient_views *v, const mplan_miniaero_flow *p)
{
    (void)p;
    for (int k = 0; k < 5; k++) {
        const double mean = 0.5 * (v->value[0][k] + v->value[1][k]);
        for (int d = 0; d < 3; d++)
            v->gradient[3 * k + d] = mean * v->normal[d];
        for (int s = 0; s < 2; s++)
            v->low[s][k] = v->high[s][k] = v->value[1 - s][k];
    }
}
MPLAN_KERNEL_ANY(mplan_miniaero_gradient, MPLAN_MINIAERO_GRADIENT_ARGS, mplan_miniaero_flow)

/* On the boundary a cell meets itself. */
#define MPLAN_MINIAERO_RIM_GRADIENT_ARGS(MAPPED, DIRECT, OPPOSITE) \
    MAPPED(value, boundary_faces_cells, 1, 5, f64, READ)           \
    DIRECT(rim_normal, 3, f64, READ)                               \
    MAPPED(gradient, boundary_faces_cells, 1, 15, f64, INC)
MPLAN_VIEWS(mplan_miniaero_rim_gradient, MPLAN_MINIAERO_RIM_GRADIENT_ARGS)
MPLAN_FN void mplan_miniaero_rim_gradient(mplan_miniaero_rim_gradient_views *v,
                                          const mplan_miniaero_flow *p)
{
    (void)p;
    for (int k = 0; k < 5; k++)
        for (int d = 0; d < 3; d++)
            v->gradient[0][3 * k + d] = v->value[0][k] * v->rim_normal[d];
}
MPLAN_KERNEL(mplan_miniaero_rim_gradient, MPLAN_MINIAERO_RIM_GRADIENT_ARGS, mplan_miniaero_flow)

#define MPLAN_MINIAERO_SCALE_ARGS(MAPPED, DIRECT, OPPOSITE) \
    DIRECT(volume, 1, f64, READ)                            \
    DIRECT(gradient, 15, f64, RW)
MPLAN_VIEWS(mplan_miniaero_scale, MPLAN_MINIAERO_SCALE_ARGS)
MPLAN_FN void mplan_miniaero_scale(mplan_miniaero_scale_views *v, const mplan_miniaero_flow *p)
{
    (void)p;
    const double inverse = 1 / v->volume[0];
    for (int k = 0; k < 15; k++)
        v->gradient[k] *= inverse;
}
MPLAN_KERNEL(mplan_miniaero_scale, MPLAN_MINIAERO_SCALE_ARGS, mplan_miniaero_flow)

/* How much of the gradients may stay. */
#define MPLAN_MINIAERO_LIMIT_ARGS(MAPPED, DIRECT, OPPOSITE) \
    MAPPED(centre, faces_cells, 2, 3, f64, READ)            \
    MAPPED(value, faces_cells, 2, 5, f64, READ)             \
    MAPPED(low, faces_cells, 2, 5, f64, READ)               \
    MAPPED(high, faces_cells, 2, 5, f64, READ)              \
    MAPPED(gradient, faces_cells, 2, 15, f64, READ)         \
    DIRECT(face_centre, 3, f64, READ)                       \
    MAPPED(limiter, faces_cells, 2, 5, f64, MIN)
MPLAN_VIEWS(mplan_miniaero_limit, MPLAN_MINIAERO_LIMIT_ARGS)
MPLAN_FN void mplan_miniaero_limit(mplan_miniaero_limit_views *v, const mplan_miniaero_flow *p)
{
    (void)p;
    for (int s = 0; s < 2; s++) {
        double away[3];
        for (int d = 0; d < 3; d++)
            away[d] = v->face_centre[d] - v->centre[s][d];
        for (int k = 0; k < 5; k++) {
            const double own = v->value[s][k], low = v->low[s][k], high = v->high[s][k];
            const double step = mplan_miniaero_dot(v->gradient[s] + 3 * k, away);
            const double room = step > 0 ? high - own : low - own;
            const double small = room * room + 1e-6 * (own * own + (high - low) * (high - low)) +
                                 1e-12;
            v->limiter[s][k] = (small + 2 * step * room) / (small + 2 * step * step + step * room);
        }
    }
}
MPLAN_KERNEL(mplan_miniaero_limit, MPLAN_MINIAERO_LIMIT_ARGS, mplan_miniaero_flow)

/* The flux through the boundary: pressure on a wall; else Roe's, to the far field. */
#define MPLAN_MINIAERO_RIM_ARGS(MAPPED, DIRECT, OPPOSITE) \
    MAPPED(state, boundary_faces_cells, 1, 5, f64, READ)  \
    DIRECT(rim_normal, 3, f64, READ)                      \
    DIRECT(rim_tangent, 3, f64, READ)                     \
    DIRECT(rim_binormal, 3, f64, READ)                    \
    MAPPED(residual, boundary_faces_cells, 1, 5, f64, INC)
MPLAN_VIEWS(mplan_miniaero_rim, MPLAN_MINIAERO_RIM_ARGS)
MPLAN_FN void mplan_miniaero_rim(mplan_miniaero_rim_views *v, const mplan_miniaero_flow *p)
{
    if (p->walls) {
        double w[5];
        mplan_miniaero_value(v->state[0], p->gas.gamma, w);
        v->residual[0][0] = v->residual[0][4] = 0;
        for (int d = 0; d < 3; d++)
            v->residual[0][1 + d] = w[4] * v->rim_normal[d];
        return;
    }
    mplan_miniaero_views of;
    for (int s = 0; s < 2; s++) {
        for (int k = 0; k < 5; k++) {
            of.state[s][k] = s ? p->free[k] : v->state[0][k];
            of.limiter[s][k] = 0;
        }
        for (int k = 0; k < 15; k++)
            of.gradient[s][k] = 0;
        for (int d = 0; d < 3; d++)
            of.centre[s][d] = 0;
    }
    for (int d = 0; d < 3; d++) {
        of.face_centre[d] = 0;
        of.normal[d] = v->rim_normal[d];
        of.tangent[d] = v->rim_tangent[d];
        of.binormal[d] = v->rim_binormal[d];
    }
    mplan_miniaero(&of, &p->gas);
    for (int k = 0; k < 5; k++)
        v->residual[0][k] = of.residual[k];
}
MPLAN_KERNEL(mplan_miniaero_rim, MPLAN_MINIAERO_RIM_ARGS, mplan_miniaero_flow)

#define MPLAN_MINIAERO_ADVANCE_ARGS(ARG) \
    ARG(DIRECT, before, 5, f64, READ)    \
    ARG(DIRECT, volume, 1, f64, READ)    \
    ARG(GLOBAL, travel, 1, f64, READ)    \
    ARG(DIRECT, state, 5, f64, WRITE)    \
    ARG(DIRECT, residual, 5, f64, RW)
MPLAN_VIEWS_ANY(mplan_miniaero_advance, MPLAN_MINIAERO_ADVANCE_ARGS)
MPLAN_FN void mplan_miniaero_advance(mplan_miniaero_advance_views *v, const mplan_miniaero_flow *p)
{
    const double step = p->part * p->courant * v->travel[0] / v->volume[0];
    for (int k = 0; k < 5; k++) {
        v->state[k] = v->before[k] - step * v->residual[k];
        v->residual[k] = 0;
    }
}
MPLAN_KERNEL_ANY(mplan_miniaero_advance, MPLAN_MINIAERO_ADVANCE_ARGS, mplan_miniaero_flow)

#endif
