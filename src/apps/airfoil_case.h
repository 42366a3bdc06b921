/* SPDX-License-Identifier: Apache-2.0 */
/* airfoil_case.h - airfoil's flux by hand: three cells in a row, two faces
 *
 * With gam - 1 = 1/2 and eps = 1/4 all numbers are exact.
 *   cell 0: density 1, momentum (2, 0), energy 4: pressure 1/2 (4 - 2) = 1
 *   cell 1: density 2, momentum (2, 4), energy 10: pressure 1/2 (10 - 5) = 5/2
 *   cell 2: density 4, momentum (4, 0), energy 8: pressure 1/2 (8 - 2) = 3
 * Face 0 between cells 0 and 1 has the normal (dy, -dx) = (2, 0): volume fluxes 4 and 2,
 * mu = 1/2 (1 + 3) / 4 = 1/2, fluxes 7/2, 19/2, 2, 39/2. Face 1 between 1 and 2 has (0, -1):
 * volume fluxes -2 and 0, mu = 1, fluxes -4, -4, -11/4, -21/2. */
#ifndef MPLAN_EXEC_AIRFOIL_CASE_H
#define MPLAN_EXEC_AIRFOIL_CASE_H

#include <stdint.h>

static const double case_q[] = {1, 2, 0, 4, 2, 2, 4, 10, 4, 4, 0, 8};
static const double case_adt[] = {1, 3, 5};
static const int32_t case_cells[] = {0, 1, 1, 2};
static const double case_before[] = {1, 1, 1, 1, 0, 0, 0, 0, 0, 0, 0, 0};
static const double case_after[] = {4.5, 10.5, 3, 20.5, -7.5, -13.5, -4.75, -30, 4, 4, 2.75, 10.5};

#endif
