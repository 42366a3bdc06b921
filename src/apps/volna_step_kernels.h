/* SPDX-License-Identifier: Apache-2.0 */
/* volna_step_kernels.h - a whole step of volna: shallow water over a bed, in single precision
 *
 * After Dutykh, Poncet and Dias, Eur. J. Mech. B 30 (2011): computeFluxes over edges, NumericalFluxes over cells
 * with the least allowed step into a global, SpaceDiscretization over edges, two stages of Heun's method. As there,
 * edges of the boundary are in the same set: both their cells are the one that they have, and they are walls.
 * Fluxes are those of Harten, Lax and van Leer (SIAM Rev. 25, 1983) between depths that the higher bed of both
 * sides leaves (Audusse et al., SIAM J. Sci. Comput. 25, 2004), so that a lake at rest stays at rest.
 * q: depth, momentum in x and y, height of the bed. */
#ifndef MPLAN_VOLNA_STEP_KERNELS_H
#define MPLAN_VOLNA_STEP_KERNELS_H

#include <math.h>

#include "apps/volna_flow.h"
#include "apps/volna_space.h"

/* Depth and velocity of a side where the bed is as high as at the higher of both. */
MPLAN_FN void mplan_volna_side(const float q[4], float bed, float side[3])
{
    const float depth = q[0] + q[3] - bed;
    side[0] = depth > 0 ? depth : 0;
    side[1] = q[0] > 1e-6f ? q[1] / q[0] : 0;
    side[2] = q[0] > 1e-6f ? q[2] / q[0] : 0;
}

/* The flux through a unit normal, depth and momentum; returns the velocity across. */
MPLAN_FN float mplan_volna_through(const float side[3], const float n[2], float g, float flux[3])
{
    const float across = side[1] * n[0] + side[2] * n[1];
    flux[0] = side[0] * across;
    flux[1] = flux[0] * side[1] + 0.5f * g * side[0] * side[0] * n[0];
    flux[2] = flux[0] * side[2] + 0.5f * g * side[0] * side[0] * n[1];
    return across;
}

/* Between two sides; returns the speed of the fastest wave. */
MPLAN_FN float mplan_volna_between(const float left[3], const float right[3], const float n[2],
                                   float g, float flux[3])
{
    float fl[3], fr[3];
    const float vl = mplan_volna_through(left, n, g, fl), cl = sqrtf(g * left[0]);
    const float vr = mplan_volna_through(right, n, g, fr), cr = sqrtf(g * right[0]);
    const float low = vl - cl < vr - cr ? vl - cl : vr - cr;
    const float high = vl + cl > vr + cr ? vl + cl : vr + cr;
    const float down = low < 0 ? low : 0, up = high > 0 ? high : 0;
    const float share = up - down > 0 ? 1 / (up - down) : 0;
    for (int k = 0; k < 3; k++) {
        const float l = k ? left[0] * left[k] : left[0], r = k ? right[0] * right[k] : right[0];
        flux[k] = share * (up * fl[k] - down * fr[k] + up * down * (r - l));
    }
    return up > -down ? up : -down;
}

#define MPLAN_VOLNA_FLUXES_ARGS(MAPPED, DIRECT, OPPOSITE) \
    MAPPED(q, volna_edges_cells, 2, 4, f32, READ)         \
    DIRECT(normal, 2, f32, READ)                          \
    DIRECT(length, 1, f32, READ)                          \
    DIRECT(wall, 1, i32, READ)                            \
    DIRECT(flux, 4, f32, WRITE)                           \
    DIRECT(bathy, 2, f32, WRITE)                          \
    DIRECT(speed, 1, f32, WRITE)
MPLAN_VIEWS(mplan_volna_fluxes, MPLAN_VOLNA_FLUXES_ARGS)
MPLAN_FN void mplan_volna_fluxes(mplan_volna_fluxes_views *v, const mplan_volna_flow *p)
{
    const float *n = v->normal, bed = v->q[0][3] > v->q[1][3] ? v->q[0][3] : v->q[1][3];
    float left[3], right[3];
    mplan_volna_side(v->q[0], bed, left);
    mplan_volna_side(v->q[1], bed, right);
    if (v->wall[0]) { /* what comes back from a wall moves the other way across it */
        const float across = left[1] * n[0] + left[2] * n[1];
        right[1] = left[1] - 2 * across * n[0];
        right[2] = left[2] - 2 * across * n[1];
    }
    v->speed[0] = v->length[0] * mplan_volna_between(left, right, n, p->g, v->flux);
    for (int k = 0; k < 3; k++)
        v->flux[k] *= v->length[0];
    v->flux[3] = 0;
    v->bathy[0] = 0.5f * p->g * v->length[0] * (v->q[0][0] * v->q[0][0] - left[0] * left[0]);
    v->bathy[1] = 0.5f * p->g * v->length[0] * (v->q[1][0] * v->q[1][0] - right[0] * right[0]);
}
MPLAN_KERNEL(mplan_volna_fluxes, MPLAN_VOLNA_FLUXES_ARGS, mplan_volna_flow)

#define MPLAN_VOLNA_NUMERICAL_ARGS(ARG)                    \
    ARG(MAPPED, speed, cells_volna_edges, 3, 1, f32, READ) \
    ARG(DIRECT, volume, 1, f32, READ)                      \
    ARG(DIRECT, change, 4, f32, WRITE)                     \
    ARG(GLOBAL, dt, 1, f32, MIN)
MPLAN_VIEWS_ANY(mplan_volna_numerical, MPLAN_VOLNA_NUMERICAL_ARGS)
MPLAN_FN void mplan_volna_numerical(mplan_volna_numerical_views *v, const mplan_volna_flow *p)
{
    v->dt[0] = p->courant * v->volume[0] /
               (v->speed[0][0] + v->speed[1][0] + v->speed[2][0] + 1e-20f);
    for (int c = 0; c < 4; c++)
        v->change[c] = 0;
}
MPLAN_KERNEL_ANY(mplan_volna_numerical, MPLAN_VOLNA_NUMERICAL_ARGS, mplan_volna_flow)

/* volna_space.h has the function; edges of the boundary have one cell twice here. */
#define MPLAN_VOLNA_SPACE_ARGS(MAPPED, DIRECT, OPPOSITE) \
    MAPPED(volume, volna_edges_cells, 2, 1, f32, READ)   \
    DIRECT(flux, 4, f32, READ)                           \
    DIRECT(bathy, 2, f32, READ)                          \
    DIRECT(normal, 2, f32, READ)                         \
    DIRECT(wall, 1, i32, READ)                           \
    MAPPED(change, volna_edges_cells, 2, 4, f32, INC)
MPLAN_VIEWS(mplan_volna_space, MPLAN_VOLNA_SPACE_ARGS)
MPLAN_FN void mplan_volna_space(mplan_volna_space_views *v, const mplan_volna_flow *p)
{
    const mplan_no_parameters none = {0};
    mplan_volna_views of;
    (void)p;
    for (int k = 0; k < 2; k++) {
        of.volume[k][0] = v->volume[k][0];
        of.bathy[k] = v->bathy[k];
        of.normal[k] = v->normal[k];
    }
    for (int k = 0; k < 4; k++)
        of.flux[k] = v->flux[k];
    of.wall[0] = v->wall[0];
    mplan_volna(&of, &none);
    for (int k = 0; k < 2; k++)
        for (int c = 0; c < 4; c++)
            v->change[k][c] = of.change[k][c];
}
MPLAN_KERNEL(mplan_volna_space, MPLAN_VOLNA_SPACE_ARGS, mplan_volna_flow)

/* EvolveValuesRK2_1: q becomes q + dt L(q). */
#define MPLAN_VOLNA_EVOLVE1_ARGS(ARG)  \
    ARG(DIRECT, q, 4, f32, RW)         \
    ARG(DIRECT, before, 4, f32, WRITE) \
    ARG(DIRECT, change, 4, f32, RW)    \
    ARG(GLOBAL, dt, 1, f32, READ)
MPLAN_VIEWS_ANY(mplan_volna_evolve1, MPLAN_VOLNA_EVOLVE1_ARGS)
MPLAN_FN void mplan_volna_evolve1(mplan_volna_evolve1_views *v, const mplan_volna_flow *p)
{
    (void)p;
    for (int c = 0; c < 4; c++) {
        v->before[c] = v->q[c];
        v->q[c] += v->dt[0] * v->change[c];
        v->change[c] = 0;
    }
}
MPLAN_KERNEL_ANY(mplan_volna_evolve1, MPLAN_VOLNA_EVOLVE1_ARGS, mplan_volna_flow)

/* EvolveValuesRK2_2: the mean of what was before and of another q + dt L(q). */
#define MPLAN_VOLNA_EVOLVE2_ARGS(ARG) \
    ARG(DIRECT, q, 4, f32, RW)        \
    ARG(DIRECT, before, 4, f32, READ) \
    ARG(DIRECT, change, 4, f32, RW)   \
    ARG(DIRECT, volume, 1, f32, READ) \
    ARG(GLOBAL, dt, 1, f32, READ)     \
    ARG(GLOBAL, water, 1, f64, INC)
MPLAN_VIEWS_ANY(mplan_volna_evolve2, MPLAN_VOLNA_EVOLVE2_ARGS)
MPLAN_FN void mplan_volna_evolve2(mplan_volna_evolve2_views *v, const mplan_volna_flow *p)
{
    (void)p;
    for (int c = 0; c < 4; c++) {
        v->q[c] = 0.5f * (v->before[c] + v->q[c] + v->dt[0] * v->change[c]);
        v->change[c] = 0;
    }
    v->water[0] = (double)v->q[0] * (double)v->volume[0];
}
MPLAN_KERNEL_ANY(mplan_volna_evolve2, MPLAN_VOLNA_EVOLVE2_ARGS, mplan_volna_flow)

#endif
