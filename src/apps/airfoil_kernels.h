/* SPDX-License-Identifier: Apache-2.0 */
/* airfoil_kernels.h - the five loops of OP2's airfoil, and two that do the work of two
 *
 * The steady Euler equations of a perfect gas in two dimensions: cell-centred
 * finite volumes, central fluxes with a scalar dissipation, a predictor and a
 * corrector with local time steps. After Giles, Mudalige, Sharif, Markall and
 * Kelly, "Performance analysis and optimization of the OP2 framework on many-core
 * architectures", Comput. J. 55 (2012). q: density, momentum, energy; adt: area
 * over time step; res: residual.
 *
 * An edge runs so that the normal (dy, -dx) of (dx, dy) = first node - second
 * node leaves its first cell in OP2's meshes; derived faces run the other way
 * round, and p->side is then -1. The sum over cells that OP2 takes in update
 * is taken of the dat rms afterwards. OP2's update also sets res to zero for the next
 * res_calc; here the step clears res (mplan_exec_clear), so that most strategies need not. */
#ifndef MPLAN_AIRFOIL_KERNELS_H
#define MPLAN_AIRFOIL_KERNELS_H

#include <math.h>

#include "apps/airfoil.h"

#define MPLAN_SAVE_SOLN_ARGS(MAPPED, DIRECT, OPPOSITE) \
    DIRECT(q, 4, f64, READ)                            \
    DIRECT(qold, 4, f64, WRITE)
MPLAN_VIEWS(mplan_save_soln, MPLAN_SAVE_SOLN_ARGS)
MPLAN_FN void mplan_save_soln(mplan_save_soln_views *v, const mplan_airfoil_parameters *p)
{
    (void)p;
    for (int n = 0; n < 4; n++)
        v->qold[n] = v->q[n];
}
MPLAN_KERNEL(mplan_save_soln, MPLAN_SAVE_SOLN_ARGS, mplan_airfoil_parameters)

#define MPLAN_ADT_CALC_ARGS(MAPPED, DIRECT, OPPOSITE) \
    MAPPED(x, cells_nodes, 4, 2, f64, READ)           \
    DIRECT(q, 4, f64, READ)                           \
    DIRECT(adt, 1, f64, WRITE)
MPLAN_VIEWS(mplan_adt_calc, MPLAN_ADT_CALC_ARGS)
/* The time step of a cell from its four nodes: the speed of the flow through each edge plus the
 * speed of sound, summed. Area over time step, as OP2 stores it. x: corners in order; q: the cell's state. */
MPLAN_FN double mplan_cell_adt(const double (*x)[2], const double *q,
                               const mplan_airfoil_parameters *p)
{
    double ri = 1.0 / q[0];
    double u = ri * q[1], w = ri * q[2];
    double c = sqrt(p->gam * p->gm1 * (ri * q[3] - 0.5 * (u * u + w * w)));
    double sum = 0;
    for (int k = 0; k < 4; k++) {
        double dx = x[(k + 1) % 4][0] - x[k][0];
        double dy = x[(k + 1) % 4][1] - x[k][1];
        sum += fabs(u * dy - w * dx) + c * sqrt(dx * dx + dy * dy);
    }
    return sum / p->cfl;
}
MPLAN_FN void mplan_adt_calc(mplan_adt_calc_views *v, const mplan_airfoil_parameters *p)
{
    v->adt[0] = mplan_cell_adt(v->x, v->q, p);
}
MPLAN_KERNEL(mplan_adt_calc, MPLAN_ADT_CALC_ARGS, mplan_airfoil_parameters)

#define MPLAN_RES_CALC_ARGS(MAPPED, DIRECT, OPPOSITE) \
    MAPPED(x, faces_nodes, 2, 2, f64, READ)           \
    MAPPED(q, faces_cells, 2, 4, f64, READ)           \
    MAPPED(adt, faces_cells, 2, 1, f64, READ)         \
    OPPOSITE(res, faces_cells, 4, f64)
MPLAN_VIEWS(mplan_res_calc, MPLAN_RES_CALC_ARGS)
/* The flux through an inner edge, computed once: res is an opposite arg, whose view is added to
 * the first cell and subtracted from the second. p->side is 1 or -1: which way the nodes of a
 * face run. */
MPLAN_FN void mplan_res_calc(mplan_res_calc_views *v, const mplan_airfoil_parameters *p)
{
    const double *q1 = v->q[0], *q2 = v->q[1];
    double dx = p->side * (v->x[0][0] - v->x[1][0]);
    double dy = p->side * (v->x[0][1] - v->x[1][1]);
    double ri = 1.0 / q1[0];
    double p1 = p->gm1 * (q1[3] - 0.5 * ri * (q1[1] * q1[1] + q1[2] * q1[2]));
    double vol1 = ri * (q1[1] * dy - q1[2] * dx);
    ri = 1.0 / q2[0];
    double p2 = p->gm1 * (q2[3] - 0.5 * ri * (q2[1] * q2[1] + q2[2] * q2[2]));
    double vol2 = ri * (q2[1] * dy - q2[2] * dx);
    double mu = 0.5 * (v->adt[0][0] + v->adt[1][0]) * p->eps;

    v->res[0] = 0.5 * (vol1 * q1[0] + vol2 * q2[0]) + mu * (q1[0] - q2[0]);
    v->res[1] = 0.5 * (vol1 * q1[1] + p1 * dy + vol2 * q2[1] + p2 * dy) + mu * (q1[1] - q2[1]);
    v->res[2] = 0.5 * (vol1 * q1[2] - p1 * dx + vol2 * q2[2] - p2 * dx) + mu * (q1[2] - q2[2]);
    v->res[3] = 0.5 * (vol1 * (q1[3] + p1) + vol2 * (q2[3] + p2)) + mu * (q1[3] - q2[3]);
}
MPLAN_KERNEL(mplan_res_calc, MPLAN_RES_CALC_ARGS, mplan_airfoil_parameters)

/* bound 1 is a wall, all else far field. */
#define MPLAN_BRES_CALC_ARGS(MAPPED, DIRECT, OPPOSITE) \
    MAPPED(x, boundary_faces_nodes, 2, 2, f64, READ)   \
    MAPPED(q, boundary_faces_cells, 1, 4, f64, READ)   \
    MAPPED(adt, boundary_faces_cells, 1, 1, f64, READ) \
    DIRECT(bound, 1, i32, READ)                        \
    MAPPED(res, boundary_faces_cells, 1, 4, f64, INC)
MPLAN_VIEWS(mplan_bres_calc, MPLAN_BRES_CALC_ARGS)
/* The flux through a boundary edge: bound 1 is a wall, where only the pressure acts; else the
 * far field, p->qinf, is the second cell. Views of increments are zero at entry, so a wall adds
 * nothing to res[0] and res[3]. */
MPLAN_FN void mplan_bres_calc(mplan_bres_calc_views *v, const mplan_airfoil_parameters *p)
{
    const double *q1 = v->q[0], *q2 = p->qinf;
    double *res = v->res[0];
    double dx = p->side * (v->x[0][0] - v->x[1][0]);
    double dy = p->side * (v->x[0][1] - v->x[1][1]);
    double ri = 1.0 / q1[0];
    double p1 = p->gm1 * (q1[3] - 0.5 * ri * (q1[1] * q1[1] + q1[2] * q1[2]));
    if (v->bound[0] == 1) {
        res[1] = p1 * dy;
        res[2] = -p1 * dx;
        return;
    }
    double vol1 = ri * (q1[1] * dy - q1[2] * dx);
    ri = 1.0 / q2[0];
    double p2 = p->gm1 * (q2[3] - 0.5 * ri * (q2[1] * q2[1] + q2[2] * q2[2]));
    double vol2 = ri * (q2[1] * dy - q2[2] * dx);
    double mu = v->adt[0][0] * p->eps;

    res[0] = 0.5 * (vol1 * q1[0] + vol2 * q2[0]) + mu * (q1[0] - q2[0]);
    res[1] = 0.5 * (vol1 * q1[1] + p1 * dy + vol2 * q2[1] + p2 * dy) + mu * (q1[1] - q2[1]);
    res[2] = 0.5 * (vol1 * q1[2] - p1 * dx + vol2 * q2[2] - p2 * dx) + mu * (q1[2] - q2[2]);
    res[3] = 0.5 * (vol1 * (q1[3] + p1) + vol2 * (q2[3] + p2)) + mu * (q1[3] - q2[3]);
}
MPLAN_KERNEL(mplan_bres_calc, MPLAN_BRES_CALC_ARGS, mplan_airfoil_parameters)

#define MPLAN_UPDATE_ARGS(MAPPED, DIRECT, OPPOSITE) \
    DIRECT(qold, 4, f64, READ)                      \
    DIRECT(q, 4, f64, WRITE)                        \
    DIRECT(res, 4, f64, READ)                       \
    DIRECT(adt, 1, f64, READ)                       \
    DIRECT(rms, 1, f64, WRITE)
MPLAN_VIEWS(mplan_update, MPLAN_UPDATE_ARGS)
/* A step of a cell from its sums; they are zero afterwards, ready for the next step. rms[0] is
 * the cell's part of the squared residual, summed by the executor. */
MPLAN_FN void mplan_update(mplan_update_views *v, const mplan_airfoil_parameters *p)
{
    (void)p;
    double inverse = 1.0 / v->adt[0], sum = 0;
    for (int n = 0; n < 4; n++) {
        double change = inverse * v->res[n];
        v->q[n] = v->qold[n] - change;
        sum += change * change;
    }
    v->rms[0] = sum;
}
MPLAN_KERNEL(mplan_update, MPLAN_UPDATE_ARGS, mplan_airfoil_parameters)

/* save_soln and adt_calc in one loop over cells. They share only direct dats, so that a cell can do one
 * after the other: q is read once. */
#define MPLAN_SAVE_ADT_ARGS(MAPPED, DIRECT, OPPOSITE) \
    MAPPED(x, cells_nodes, 4, 2, f64, READ)           \
    DIRECT(q, 4, f64, READ)                           \
    DIRECT(qold, 4, f64, WRITE)                       \
    DIRECT(adt, 1, f64, WRITE)
MPLAN_VIEWS(mplan_save_adt, MPLAN_SAVE_ADT_ARGS)
MPLAN_FN void mplan_save_adt(mplan_save_adt_views *v, const mplan_airfoil_parameters *p)
{
    for (int n = 0; n < 4; n++)
        v->qold[n] = v->q[n];
    v->adt[0] = mplan_cell_adt(v->x, v->q, p);
}
MPLAN_KERNEL(mplan_save_adt, MPLAN_SAVE_ADT_ARGS, mplan_airfoil_parameters)

/* The first update of a step and the adt_calc behind it in one loop: q is not read again, and rms is left to
 * the second update, which would overwrite it. */
#define MPLAN_UPDATE_ADT_ARGS(MAPPED, DIRECT, OPPOSITE) \
    MAPPED(x, cells_nodes, 4, 2, f64, READ)             \
    DIRECT(qold, 4, f64, READ)                          \
    DIRECT(q, 4, f64, WRITE)                            \
    DIRECT(res, 4, f64, READ)                           \
    DIRECT(adt, 1, f64, RW)
MPLAN_VIEWS(mplan_update_adt, MPLAN_UPDATE_ADT_ARGS)
MPLAN_FN void mplan_update_adt(mplan_update_adt_views *v, const mplan_airfoil_parameters *p)
{
    double inverse = 1.0 / v->adt[0];
    for (int n = 0; n < 4; n++) {
        double change = inverse * v->res[n];
        v->q[n] = v->qold[n] - change;
    }
    v->adt[0] = mplan_cell_adt(v->x, v->q, p);
}
MPLAN_KERNEL(mplan_update_adt, MPLAN_UPDATE_ADT_ARGS, mplan_airfoil_parameters)

#endif
