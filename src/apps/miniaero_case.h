/* SPDX-License-Identifier: Apache-2.0 */
/* miniaero_case.h - miniaero's flux by hand
 *
 * With gamma = 3/2, three faces between pairs of cells:
 *   0: the reconstruction of cell 0 (density 1 + 1/2 x 1 x 2) meets the state of cell 1: the
 *      flux is Euler's. Density 2, velocity (1, 2, 0), pressure 3, enthalpy 7, area 4.
 *   1: gas at rest, density 3/2, pressures 5 and 3: Roe's speed of sound is 2, and half the
 *      waves add dp / 2c = 1/2 to the mass, 8 x 1/2 to the energy. Area 2 in y direction.
 *   2: a shear layer, velocities (1, 2, 0) and (1, 0, 0): the flux is that of the
 *      upwind side. Density 1, pressure 2, enthalpy 17/2, area 1. */
#ifndef MPLAN_EXEC_MINIAERO_CASE_H
#define MPLAN_EXEC_MINIAERO_CASE_H

#include "apps/app.h"
#include "apps/miniaero_flux.h"

static const double case_centre[18] = {0, 0, 0, 4, 0, 0, 0, 1, 0, 0, 2, 0, 5, 0, 0, 6, 0, 0};
static const double case_state[] = {1,   1, 2, 0, 8.5, 2, 2, 4, 0, 11,  1.5, 0, 0, 0, 10,
                                    1.5, 0, 0, 0, 6,   1, 1, 2, 0, 6.5, 1,   1, 0, 0, 4.5};
static const double case_gradient[6 * 15] = {1, 0, 0, 0, 5, 0, 9, 9, 9, 9, 9, 9, 9, 9, 9};
static const double case_limiter[6 * 5] = {0.5, 1, 0, 0, 0};
static const double case_face[] = {2, 0, 0, 0, 1.5, 0, 5.5, 0, 0};
static const double case_normal[] = {4, 0, 0, 0, 2, 0, 1, 0, 0};
static const double case_tangent[] = {0, 1, 0, 0, 0, 1, 0, 1, 0};
static const double case_binormal[] = {0, 0, 1, 1, 0, 0, 0, 0, 1};
static const int32_t case_cells[] = {0, 1, 2, 3, 4, 5};
static const double after_residual[] = {8, 20, 16, 0, 56,  -8, -20, -16, 0, -56,
                                        1, 0,  8,  0, 8,   -1, 0,   -8,  0, -8,
                                        1, 3,  2,  0, 8.5, -1, -3,  -2,  0, -8.5};
static const mplan_miniaero_parameters case_parameters = {1.5};
static const mplan_app_hand_arg case_args[] = {
    {6, case_centre, NULL, case_cells},
    {6, case_state, NULL, case_cells},
    {6, case_gradient, NULL, case_cells},
    {6, case_limiter, NULL, case_cells},
    {3, case_face, NULL, NULL},
    {3, case_normal, NULL, NULL},
    {3, case_tangent, NULL, NULL},
    {3, case_binormal, NULL, NULL},
    {6, NULL, after_residual, case_cells},
};

#endif
