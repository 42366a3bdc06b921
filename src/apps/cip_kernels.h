/* SPDX-License-Identifier: Apache-2.0 */
/* cip_kernels.h - advection by cubic polynomials, 9 points
 *
 * Constrained interpolation profiles in two dimensions (Yabe et al., Comput. Phys. Commun. 66, 1991, type A): value and gradient move
 * along the wind by the cubic that has value and gradient of the cell and of its two upwind neighbours along the axes, but for a
 * slope across at each, and the value of the one between them. A step has two moves, from f to g and back. */
#ifndef MPLAN_CIP_KERNELS_H
#define MPLAN_CIP_KERNELS_H

#include "exec/meshplan_kernel.h"

/* width: in x and y, of every cell. The wind times the time must be at most a width: a move reads no cell behind
 * the neighbours. */
typedef struct mplan_cip_parameters {
    double width[2]; /* of a cell */
    double time;     /* of a move */
} mplan_cip_parameters;

/* Places of the neighbours: stencil_map.h. own, out, near[k]: value, slope in x, slope in y. */
MPLAN_FN void mplan_cip(const double near[8][3], const double own[3], const double wind[2],
                        const mplan_cip_parameters *p, double out[3])
{
    const int right = wind[0] < 0, up = wind[1] < 0;
    const double dx = right ? p->width[0] : -p->width[0], dy = up ? p->width[1] : -p->width[1];
    const double x = -wind[0] * p->time, y = -wind[1] * p->time;
    double side[3], under[3], corner;
    for (int k = 0; k < 3; k++) {
        side[k] = right ? near[1][k] : near[3][k];
        under[k] = up ? near[2][k] : near[0][k];
    }
    corner = up ? (right ? near[6][0] : near[7][0]) : (right ? near[5][0] : near[4][0]);
    const double f = own[0], fx = own[1], fy = own[2];
    const double xxx = (side[1] + fx) / (dx * dx) - 2 * (side[0] - f) / (dx * dx * dx);
    const double yyy = (under[2] + fy) / (dy * dy) - 2 * (under[0] - f) / (dy * dy * dy);
    const double xx = 3 * (side[0] - f) / (dx * dx) - (side[1] + 2 * fx) / dx;
    const double yy = 3 * (under[0] - f) / (dy * dy) - (under[2] + 2 * fy) / dy;
    const double xy = (side[2] - fy) / dx + (under[1] - fx) / dy -
                      (corner - side[0] - under[0] + f) / (dx * dy);
    const double xxy = ((side[2] - fy) / dx - xy) / dx, xyy = ((under[1] - fx) / dy - xy) / dy;
    out[0] = ((xxx * x + xxy * y + xx) * x + xy * y + fx) * x +
             ((yyy * y + xyy * x + yy) * y + fy) * y + f;
    out[1] = (3 * xxx * x + 2 * (xxy * y + xx)) * x + (xyy * y + xy) * y + fx;
    out[2] = (3 * yyy * y + 2 * (xyy * x + yy)) * y + (xxy * x + xy) * x + fy;
}

#define MPLAN_CIP_THERE_ARGS(MAPPED, DIRECT, OPPOSITE, MAPPED_AS, DIRECT_AS) \
    MAPPED_AS(near, f, cells_quad9, 8, 3, f64, READ)                         \
    DIRECT_AS(own, f, 3, f64, READ)                                          \
    DIRECT(wind, 2, f64, READ)                                               \
    DIRECT(g, 3, f64, WRITE)
MPLAN_VIEWS_AS(mplan_cip_there, MPLAN_CIP_THERE_ARGS)
/* From f to g; near[k], own and g have the value and both slopes. wind: of the cell, in x and y. */
MPLAN_FN void mplan_cip_there(mplan_cip_there_views *v, const mplan_cip_parameters *p)
{
    mplan_cip(v->near, v->own, v->wind, p, v->g);
}
MPLAN_KERNEL_AS(mplan_cip_there, MPLAN_CIP_THERE_ARGS, mplan_cip_parameters)

#define MPLAN_CIP_BACK_ARGS(MAPPED, DIRECT, OPPOSITE, MAPPED_AS, DIRECT_AS) \
    MAPPED_AS(near, g, cells_quad9, 8, 3, f64, READ)                        \
    DIRECT_AS(own, g, 3, f64, READ)                                         \
    DIRECT(wind, 2, f64, READ)                                              \
    DIRECT(f, 3, f64, WRITE)
MPLAN_VIEWS_AS(mplan_cip_back, MPLAN_CIP_BACK_ARGS)
/* The same from g to f, so that a step ends in the dat in which it began. */
MPLAN_FN void mplan_cip_back(mplan_cip_back_views *v, const mplan_cip_parameters *p)
{
    mplan_cip(v->near, v->own, v->wind, p, v->f);
}
MPLAN_KERNEL_AS(mplan_cip_back, MPLAN_CIP_BACK_ARGS, mplan_cip_parameters)

#endif
