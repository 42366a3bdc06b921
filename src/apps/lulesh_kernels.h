/* SPDX-License-Identifier: Apache-2.0 */
/* lulesh_kernels.h - LULESH's IntegrateStressForElems
 *
 * Lagrangian hydrodynamics on hexahedra: the stress of a cell, constant and
 * diagonal, pulls at its nodes by their shares of its faces' areas. After "Hydrodynamics
 * challenge problem", Lawrence Livermore National Laboratory, LLNL-TR-490254. Nodes
 * are numbered as Gmsh does: 0 1 2 3 around the bottom, 4 5 6 7 above them.
 *
 * The derivative of the coordinates at the centre gives the volume, 8 times its
 * determinant. A face with mid-lines s and t has the normal s x t; each of its four
 * nodes gets a quarter of it. */
#ifndef MPLAN_LULESH_KERNELS_H
#define MPLAN_LULESH_KERNELS_H

#include "exec/meshplan_kernel.h"

#define MPLAN_LULESH_ARGS(MAPPED, DIRECT, OPPOSITE) \
    MAPPED(x, cells_nodes, 8, 3, f64, READ)         \
    DIRECT(sig, 3, f64, READ)                       \
    DIRECT(determ, 1, f64, WRITE)                   \
    MAPPED(f, cells_nodes, 8, 3, f64, INC)
MPLAN_VIEWS(mplan_lulesh, MPLAN_LULESH_ARGS)

/* Derivatives of coordinate d in the three directions of the cell. */
MPLAN_FN void mplan_lulesh_derive(const mplan_lulesh_views *v, int d, double j[3])
{
    double a = v->x[6][d] - v->x[0][d], b = v->x[5][d] - v->x[3][d];
    double c = v->x[7][d] - v->x[1][d], e = v->x[4][d] - v->x[2][d];
    j[0] = 0.125 * (a + b - c - e);
    j[1] = 0.125 * (a - b + c - e);
    j[2] = 0.125 * (a + b + c + e);
}

/* Adds -sig times a quarter of the outer normal of face n0 n1 n2 n3, which runs
 * around it seen from inside, to its nodes. */
MPLAN_FN void mplan_lulesh_face(mplan_lulesh_views *v, int n0, int n1, int n2, int n3)
{
    double s[3], t[3];
    for (int d = 0; d < 3; d++) {
        s[d] = 0.5 * (v->x[n3][d] + v->x[n2][d] - v->x[n1][d] - v->x[n0][d]);
        t[d] = 0.5 * (v->x[n2][d] + v->x[n1][d] - v->x[n3][d] - v->x[n0][d]);
    }
    for (int d = 0; d < 3; d++) {
        int e = (d + 1) % 3, g = (d + 2) % 3;
        double force = -0.25 * v->sig[d] * (s[e] * t[g] - s[g] * t[e]);
        v->f[n0][d] += force;
        v->f[n1][d] += force;
        v->f[n2][d] += force;
        v->f[n3][d] += force;
    }
}

/* The volume's Jacobian from the three derivatives along the cube's axes, then the six faces by
 * their corners, in an order that turns all normals to the same side. */
MPLAN_FN void mplan_lulesh(mplan_lulesh_views *v, const mplan_no_parameters *p)
{
    double jx[3], jy[3], jz[3];
    (void)p;
    mplan_lulesh_derive(v, 0, jx);
    mplan_lulesh_derive(v, 1, jy);
    mplan_lulesh_derive(v, 2, jz);
    v->determ[0] = 8.0 * (jx[0] * (jy[1] * jz[2] - jy[2] * jz[1]) +
                          jx[1] * (jy[2] * jz[0] - jy[0] * jz[2]) +
                          jx[2] * (jy[0] * jz[1] - jy[1] * jz[0]));
    mplan_lulesh_face(v, 0, 1, 2, 3);
    mplan_lulesh_face(v, 0, 4, 5, 1);
    mplan_lulesh_face(v, 1, 5, 6, 2);
    mplan_lulesh_face(v, 2, 6, 7, 3);
    mplan_lulesh_face(v, 3, 7, 4, 0);
    mplan_lulesh_face(v, 4, 7, 6, 5);
}
MPLAN_KERNEL(mplan_lulesh, MPLAN_LULESH_ARGS, mplan_no_parameters)

#endif
