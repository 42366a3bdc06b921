/* SPDX-License-Identifier: Apache-2.0 */
/* euler_case.h - the flux of euler_flux.h by hand: three points, two elements
 *
 * With gm1 = 1/2 and mu = 1/4 all numbers are exact.
 *   point 0: density 1, momentum (2, 0, 0), energy 4: pressure 1
 *   point 1: density 2, momentum (2, 4, 0), energy 10: pressure 5/2
 *   point 2: density 4, momentum (0, 0, 8), energy 16: pressure 4
 * Element 0, points 0 and 1, normal (2, 0, 1): half volume fluxes 2 and 1, mean pressure
 * 7/4, fluxes 15/4, 19/2, 3, 7/4, 21. Element 1, points 1 and 2, normal (0, 1, -2): 1 and
 * -2, 13/4, fluxes -13/2, 5/2, 33/4, -49/2, -29. */
#ifndef MPLAN_EXEC_EULER_CASE_H
#define MPLAN_EXEC_EULER_CASE_H

#include "apps/app.h"
#include "apps/euler_flux.h"

static const double case_state[] = {1, 2, 0, 0, 4, 2, 2, 4, 0, 10, 4, 0, 0, 8, 16};
static const double case_normal[] = {2, 0, 1, 0, 1, -2};
static const int32_t case_rows[] = {0, 1, 1, 2};
static const double case_before[] = {0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 1, 1, 1, 1};
static const double case_after[] = {3.75,   9.5, 3,   1.75, 21,    -10.25, -7, 5.25,
                                    -26.25, -50, 7.5, -1.5, -7.25, 25.5,   30};
static const mplan_euler_parameters case_parameters = {0.5, 0.25};
static const mplan_app_hand_arg case_args[] = {
    {3, case_state, NULL, case_rows},
    {2, case_normal, NULL, NULL},
    {3, case_before, case_after, case_rows},
};
static const mplan_app_hand hand = {0, &case_parameters, 2, case_args};

static const mplan_euler_parameters parameters = {0.4, 0.05};
static const mplan_app_range ranges[] = {{"normal", 0, 3, -1, 1}, {"state", 1, 4, -1, 1}};

#endif
