/* SPDX-License-Identifier: Apache-2.0 */
/* bookleaf_getq_kernels.h - a step of BookLeaf that gathers: nodes take the forces of their corners
 *
 * Lagrangian hydrodynamics on quads, predicted and corrected, in a vacuum (BookLeaf: Truby et al., WRAp 2018). getq is
 * an edge viscosity, limited by the edges that go on in the cells behind (Caramana, Shashkov and Whalen, J. Comput.
 * Phys. 144, 1998); forces and work are the same numbers, so that momentum and energy stay (Caramana, Burton,
 * Shashkov and Whalen, J. Comput. Phys. 146, 1998). Each corner belongs to one cell and one node: cells write their
 * corners, each once, and nodes read them through rows of different lengths.
 * slope: difference of the velocity along each of four edges; edge k leads from corner k to the next one. */
#ifndef MPLAN_BOOKLEAF_GETQ_KERNELS_H
#define MPLAN_BOOKLEAF_GETQ_KERNELS_H

#include <math.h>

#include "apps/bookleaf_getq.h"

/* Of a quad whose corners run counter-clockwise. */
MPLAN_FN double mplan_bookleaf_area(const double (*x)[2])
{
    return 0.5 *
           ((x[2][0] - x[0][0]) * (x[3][1] - x[1][1]) - (x[3][0] - x[1][0]) * (x[2][1] - x[0][1]));
}

/* Speed of sound of an ideal gas by its energy for each mass; an energy below 0, which rounding may leave, counts
 * as 0. */
MPLAN_FN double mplan_bookleaf_sound(double gamma, double energy)
{
    const double e = energy > 0 ? energy : 0;
    return sqrt(gamma * (gamma - 1) * e);
}

/* The time in which sound and the cell's own motion pass its least width. */
#define MPLAN_BOOKLEAF_GETDT_ARGS(ARG)           \
    ARG(MAPPED, x, cells_nodes, 4, 2, f64, READ) \
    ARG(MAPPED, u, cells_nodes, 4, 2, f64, READ) \
    ARG(DIRECT, energy, 1, f64, READ)            \
    ARG(DIRECT, energy0, 1, f64, WRITE)          \
    ARG(GLOBAL, dt, 1, f64, MIN)
MPLAN_VIEWS_ANY(mplan_bookleaf_getdt, MPLAN_BOOKLEAF_GETDT_ARGS)
MPLAN_FN void mplan_bookleaf_getdt(mplan_bookleaf_getdt_views *v, const mplan_bookleaf_flow *p)
{
    double longest = 0, fastest = 0;
    for (int k = 0; k < 4; k++) {
        const double *a = v->x[k], *b = v->x[(k + 1) % 4], *c = v->x[(k + 2) % 4];
        const double dx = b[0] - a[0], dy = b[1] - a[1], ex = c[0] - a[0], ey = c[1] - a[1];
        const double du = v->u[(k + 1) % 4][0] - v->u[k][0], dv = v->u[(k + 1) % 4][1] - v->u[k][1];
        const double far = dx * dx + dy * dy > ex * ex + ey * ey ? dx * dx + dy * dy
                                                                 : ex * ex + ey * ey;
        longest = far > longest ? far : longest;
        fastest = du * du + dv * dv > fastest ? du * du + dv * dv : fastest;
    }
    v->energy0[0] = v->energy[0];
    v->dt[0] = p->courant * mplan_bookleaf_area((const double(*)[2])v->x) / sqrt(longest) /
               (mplan_bookleaf_sound(p->gamma, v->energy[0]) + 2 * sqrt(fastest) + 1e-6);
}
MPLAN_KERNEL_ANY(mplan_bookleaf_getdt, MPLAN_BOOKLEAF_GETDT_ARGS, mplan_bookleaf_flow)

/* Nodes at the begin of a step. */
#define MPLAN_BOOKLEAF_KEEP_ARGS(MAPPED, DIRECT, OPPOSITE) \
    DIRECT(x, 2, f64, READ)                                \
    DIRECT(u, 2, f64, READ)                                \
    DIRECT(x0, 2, f64, WRITE)                              \
    DIRECT(u0, 2, f64, WRITE)
MPLAN_VIEWS(mplan_bookleaf_keep, MPLAN_BOOKLEAF_KEEP_ARGS)
MPLAN_FN void mplan_bookleaf_keep(mplan_bookleaf_keep_views *v, const mplan_bookleaf_flow *p)
{
    (void)p;
    for (int d = 0; d < 2; d++) {
        v->x0[d] = v->x[d];
        v->u0[d] = v->u[d];
    }
}
MPLAN_KERNEL(mplan_bookleaf_keep, MPLAN_BOOKLEAF_KEEP_ARGS, mplan_bookleaf_flow)

#define MPLAN_BOOKLEAF_SLOPES_ARGS(MAPPED, DIRECT, OPPOSITE) \
    MAPPED(u, cells_nodes, 4, 2, f64, READ)                  \
    DIRECT(slope, 8, f64, WRITE)
MPLAN_VIEWS(mplan_bookleaf_slopes, MPLAN_BOOKLEAF_SLOPES_ARGS)
MPLAN_FN void mplan_bookleaf_slopes(mplan_bookleaf_slopes_views *v, const mplan_bookleaf_flow *p)
{
    (void)p;
    for (int k = 0; k < 4; k++)
        for (int d = 0; d < 2; d++)
            v->slope[2 * k + d] = v->u[(k + 1) % 4][d] - v->u[k][d];
}
MPLAN_KERNEL(mplan_bookleaf_slopes, MPLAN_BOOKLEAF_SLOPES_ARGS, mplan_bookleaf_flow)

/* How much of edge k goes on in edge e of a neighbour: 1 is all. */
MPLAN_FN double mplan_bookleaf_goes_on(const double own[8], int k, const double *near, int e)
{
    const double small = 1e-20;
    return (near[2 * e] * own[2 * k] + near[2 * e + 1] * own[2 * k + 1] + small) /
           (own[2 * k] * own[2 * k] + own[2 * k + 1] * own[2 * k + 1] + small);
}

/* The viscosity of the edges, as forces of the corners. behind[k]: which edge of the cell behind edge k that edge is;
 * -1: no cell. */
#define MPLAN_BOOKLEAF_GETQ_ARGS(ARG)                         \
    ARG(DIRECT_AS, own, slope, 8, f64, READ)                  \
    ARG(MAPPED_AS, near, slope, cells_cells, 4, 8, f64, READ) \
    ARG(DIRECT, behind, 4, i32, READ)                         \
    ARG(MAPPED, x, cells_nodes, 4, 2, f64, READ)              \
    ARG(DIRECT, mass, 1, f64, READ)                           \
    ARG(DIRECT, energy, 1, f64, READ)                         \
    ARG(MAPPED, force, cells_corners, 4, 2, f64, WRITE)
MPLAN_VIEWS_ANY(mplan_bookleaf_getq, MPLAN_BOOKLEAF_GETQ_ARGS)
MPLAN_FN void mplan_bookleaf_getq(mplan_bookleaf_getq_views *v, const mplan_bookleaf_flow *p)
{
    const double sound = mplan_bookleaf_sound(p->gamma, v->energy[0]);
    const double density = v->mass[0] / mplan_bookleaf_area((const double(*)[2])v->x);
    double centre[2] = {0, 0};
    for (int k = 0; k < 4; k++)
        for (int d = 0; d < 2; d++) {
            centre[d] += 0.25 * v->x[k][d];
            v->force[k][d] = 0;
        }
    for (int k = 0; k < 4; k++) {
        const int to = (k + 1) % 4, from = (k + 3) % 4;
        const double *du = v->own + 2 * k, *a = v->x[k], *b = v->x[to];
        const double closing = du[0] * (b[0] - a[0]) + du[1] * (b[1] - a[1]);
        const double jump = sqrt(du[0] * du[0] + du[1] * du[1]);
        const double next = v->behind[to] < 0 ? 1
                                              : mplan_bookleaf_goes_on(v->own, k, v->near[to],
                                                                       (v->behind[to] + 1) % 4);
        const double last = v->behind[from] < 0 ? 1
                                                : mplan_bookleaf_goes_on(v->own, k, v->near[from],
                                                                         (v->behind[from] + 3) % 4);
        double part = 0.5 * (next + last);
        part = 2 * next < part ? 2 * next : part;
        part = 2 * last < part ? 2 * last : part;
        part = part > 1 ? 1 : part < 0 ? 0 : part;
        const double wx = centre[0] - 0.5 * (a[0] + b[0]), wy = centre[1] - 0.5 * (a[1] + b[1]);
        const double width = sqrt(wx * wx + wy * wy);
        const double factor = closing < 0 ? (1 - part) * density * width *
                                                (p->linear * sound + p->quadratic * jump)
                                          : 0;
        for (int d = 0; d < 2; d++) {
            v->force[k][d] += factor * du[d];
            v->force[to][d] -= factor * du[d];
        }
    }
}
MPLAN_KERNEL_ANY(mplan_bookleaf_getq, MPLAN_BOOKLEAF_GETQ_ARGS, mplan_bookleaf_flow)

/* And pressure, on half of both edges at a corner. */
#define MPLAN_BOOKLEAF_GETFORCE_ARGS(MAPPED, DIRECT, OPPOSITE) \
    MAPPED(x, cells_nodes, 4, 2, f64, READ)                    \
    DIRECT(mass, 1, f64, READ)                                 \
    DIRECT(energy, 1, f64, READ)                               \
    MAPPED(force, cells_corners, 4, 2, f64, RW)
MPLAN_VIEWS(mplan_bookleaf_getforce, MPLAN_BOOKLEAF_GETFORCE_ARGS)
MPLAN_FN void mplan_bookleaf_getforce(mplan_bookleaf_getforce_views *v, const mplan_bookleaf_flow *p)
{
    const double density = v->mass[0] / mplan_bookleaf_area((const double(*)[2])v->x);
    const double half = 0.5 * (p->gamma - 1) * density * (v->energy[0] > 0 ? v->energy[0] : 0);
    for (int k = 0; k < 4; k++) {
        const double *before = v->x[(k + 3) % 4], *after = v->x[(k + 1) % 4];
        v->force[k][0] += half * (after[1] - before[1]);
        v->force[k][1] -= half * (after[0] - before[0]);
    }
}
MPLAN_KERNEL(mplan_bookleaf_getforce, MPLAN_BOOKLEAF_GETFORCE_ARGS, mplan_bookleaf_flow)

/* The gather: a node and all corners that lie there. mean: velocity of the step. */
#define MPLAN_BOOKLEAF_MOST_CORNERS 8
#define MPLAN_BOOKLEAF_GETACC_ARGS(ARG)                                          \
    ARG(RAGGED, force, nodes_corners, MPLAN_BOOKLEAF_MOST_CORNERS, 2, f64, READ) \
    ARG(DIRECT, node_mass, 1, f64, READ)                                         \
    ARG(DIRECT, x0, 2, f64, READ)                                                \
    ARG(DIRECT, u0, 2, f64, READ)                                                \
    ARG(GLOBAL, dt, 1, f64, READ)                                                \
    ARG(DIRECT, x, 2, f64, WRITE)                                                \
    ARG(DIRECT, u, 2, f64, WRITE)                                                \
    ARG(DIRECT, mean, 2, f64, WRITE)
MPLAN_VIEWS_ANY(mplan_bookleaf_getacc, MPLAN_BOOKLEAF_GETACC_ARGS)
MPLAN_FN void mplan_bookleaf_getacc(mplan_bookleaf_getacc_views *v, const mplan_bookleaf_flow *p)
{
    const double step = p->part * v->dt[0];
    for (int d = 0; d < 2; d++) {
        double force = 0;
        for (int k = 0; k < v->force_n; k++)
            force += v->force[k][d];
        v->u[d] = v->u0[d] + (v->node_mass[0] > 0 ? step * force / v->node_mass[0] : 0);
        v->mean[d] = 0.5 * (v->u0[d] + v->u[d]);
        v->x[d] = v->x0[d] + step * v->mean[d];
    }
}
MPLAN_KERNEL_ANY(mplan_bookleaf_getacc, MPLAN_BOOKLEAF_GETACC_ARGS, mplan_bookleaf_flow)

/* What the forces of a cell do to its nodes, its gas pays. */
#define MPLAN_BOOKLEAF_GETEIN_ARGS(ARG)                \
    ARG(MAPPED, force, cells_corners, 4, 2, f64, READ) \
    ARG(MAPPED, mean, cells_nodes, 4, 2, f64, READ)    \
    ARG(DIRECT, mass, 1, f64, READ)                    \
    ARG(DIRECT, energy0, 1, f64, READ)                 \
    ARG(GLOBAL, dt, 1, f64, READ)                      \
    ARG(DIRECT, energy, 1, f64, WRITE)
MPLAN_VIEWS_ANY(mplan_bookleaf_getein, MPLAN_BOOKLEAF_GETEIN_ARGS)
MPLAN_FN void mplan_bookleaf_getein(mplan_bookleaf_getein_views *v, const mplan_bookleaf_flow *p)
{
    double work = 0;
    for (int k = 0; k < 4; k++)
        work += v->force[k][0] * v->mean[k][0] + v->force[k][1] * v->mean[k][1];
    v->energy[0] = v->energy0[0] - p->part * v->dt[0] * work / v->mass[0];
}
MPLAN_KERNEL_ANY(mplan_bookleaf_getein, MPLAN_BOOKLEAF_GETEIN_ARGS, mplan_bookleaf_flow)

#endif
