/* SPDX-License-Identifier: Apache-2.0 */
/* miniaero_flux.h - miniAero's compute_face_flux
 *
 * Compressible flow on unstructured meshes: Roe's flux between linear, limited
 * reconstructions on both sides of a face. Roe, "Approximate Riemann solvers,
 * parameter vectors, and difference schemes", J. Comput. Phys. 43 (1981); the signature
 * is miniAero's (Mantevo). state: density, momentum, energy; gradient: of density,
 * velocity and pressure, three derivatives each; normal: from the first cell, as long
 * as the face's area is large; tangent and binormal: unit vectors. Without an entropy fix. */
#ifndef MPLAN_MINIAERO_FLUX_H
#define MPLAN_MINIAERO_FLUX_H

#include <math.h>

#include "exec/meshplan_kernel.h"

/* gamma: ratio of the specific heats. */
typedef struct mplan_miniaero_parameters {
    double gamma;
} mplan_miniaero_parameters;

#define MPLAN_MINIAERO_ARGS(MAPPED, DIRECT, OPPOSITE) \
    MAPPED(centre, faces_cells, 2, 3, f64, READ)      \
    MAPPED(state, faces_cells, 2, 5, f64, READ)       \
    MAPPED(gradient, faces_cells, 2, 15, f64, READ)   \
    MAPPED(limiter, faces_cells, 2, 5, f64, READ)     \
    DIRECT(face_centre, 3, f64, READ)                 \
    DIRECT(normal, 3, f64, READ)                      \
    DIRECT(tangent, 3, f64, READ)                     \
    DIRECT(binormal, 3, f64, READ)                    \
    OPPOSITE(residual, faces_cells, 5, f64)
MPLAN_VIEWS(mplan_miniaero, MPLAN_MINIAERO_ARGS)

/* Of two vectors of three numbers. */
MPLAN_FN double mplan_miniaero_dot(const double *a, const double *b)
{
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

/* Density, velocity and pressure of one side at the face's centre. */
MPLAN_FN void mplan_miniaero_side(const mplan_miniaero_views *v, int side, double gm1, double w[5])
{
    const double *s = v->state[side];
    double inverse = 1.0 / s[0];
    double away[3];
    w[0] = s[0];
    for (int d = 0; d < 3; d++) {
        w[1 + d] = inverse * s[1 + d];
        away[d] = v->face_centre[d] - v->centre[side][d];
    }
    w[4] = gm1 * (s[4] - 0.5 * s[0] * mplan_miniaero_dot(w + 1, w + 1));
    for (int k = 0; k < 5; k++)
        w[k] += v->limiter[side][k] * mplan_miniaero_dot(v->gradient[side] + 3 * k, away);
}

/* Euler's flux through the unit normal, and the total enthalpy. */
MPLAN_FN double mplan_miniaero_flux(const double w[5], const double n[3], double gamma,
                                    double flux[5])
{
    double through = mplan_miniaero_dot(w + 1, n);
    double enthalpy = gamma / (gamma - 1.0) * w[4] / w[0] + 0.5 * mplan_miniaero_dot(w + 1, w + 1);
    flux[0] = w[0] * through;
    for (int d = 0; d < 3; d++)
        flux[1 + d] = flux[0] * w[1 + d] + w[4] * n[d];
    flux[4] = flux[0] * enthalpy;
    return enthalpy;
}

/* Roe's flux through a face: the mean of both sides' fluxes less the waves between them. Sides
 * are extrapolated by gradients first. residual: mass, momentum x, y, z, energy; the executor
 * adds it to one cell and subtracts it from the other. */
MPLAN_FN void mplan_miniaero(mplan_miniaero_views *v, const mplan_miniaero_parameters *p)
{
    double left[5], right[5], fl[5], fr[5], n[3], mean[3], jump[3];
    double gm1 = p->gamma - 1.0;
    double area = sqrt(mplan_miniaero_dot(v->normal, v->normal)), inverse = 1.0 / area;
    for (int d = 0; d < 3; d++)
        n[d] = inverse * v->normal[d];
    mplan_miniaero_side(v, 0, gm1, left);
    mplan_miniaero_side(v, 1, gm1, right);
    double hl = mplan_miniaero_flux(left, n, p->gamma, fl);
    double hr = mplan_miniaero_flux(right, n, p->gamma, fr);

    /* Roe's average */
    double rl = sqrt(left[0]), rr = sqrt(right[0]);
    double share = rr / (rl + rr), rho = rl * rr;
    double h = hl + share * (hr - hl);
    for (int d = 0; d < 3; d++) {
        jump[d] = right[1 + d] - left[1 + d];
        mean[d] = left[1 + d] + share * jump[d];
    }
    double kinetic = 0.5 * mplan_miniaero_dot(mean, mean);
    double c2 = gm1 * (h - kinetic), c = sqrt(c2);
    double un = mplan_miniaero_dot(mean, n);

    /* strengths of the waves times their speeds */
    double dp = right[4] - left[4], dn = rho * c * mplan_miniaero_dot(jump, n);
    double half = 0.5 / c2, speed = fabs(un);
    double slow = fabs(un - c) * (dp - dn) * half;
    double fast = fabs(un + c) * (dp + dn) * half;
    double entropy = speed * (right[0] - left[0] - 2.0 * half * dp);
    double shear_t = speed * rho * mplan_miniaero_dot(jump, v->tangent);
    double shear_b = speed * rho * mplan_miniaero_dot(jump, v->binormal);

    double sum = slow + entropy + fast, spread = c * (fast - slow);
    v->residual[0] = 0.5 * area * (fl[0] + fr[0] - sum);
    for (int d = 0; d < 3; d++) {
        double waves = sum * mean[d] + spread * n[d] + shear_t * v->tangent[d] +
                       shear_b * v->binormal[d];
        v->residual[1 + d] = 0.5 * area * (fl[1 + d] + fr[1 + d] - waves);
    }
    double waves = h * (slow + fast) + un * spread + kinetic * entropy +
                   shear_t * mplan_miniaero_dot(mean, v->tangent) +
                   shear_b * mplan_miniaero_dot(mean, v->binormal);
    v->residual[4] = 0.5 * area * (fl[4] + fr[4] - waves);
}

#endif
