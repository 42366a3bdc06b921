/* SPDX-License-Identifier: Apache-2.0 */
/* volna_case.h - volna's SpaceDiscretization by hand
 *
 * Cells of areas 2, 4 and 1/2 in a row. Edge 0, of cells 0 and 1: the left cell
 * gets -1/2 of flux (4, 8 + 2 x 1, 12 + 2 x 1/2, 16), the right one 1/4 of (4, 8 - 4 x 1,
 * 12 - 4 x 1/2, 16). Edge 1, of cells 1 and 2, is a wall: cell 1 gets -1/4 of (1, 2, 4 + 4 x 1,
 * 8), cell 2 nothing. */
#ifndef MPLAN_EXEC_VOLNA_CASE_H
#define MPLAN_EXEC_VOLNA_CASE_H

#include "apps/app.h"

static const double case_volume[] = {2, 4, 0.5};
static const double case_flux[] = {4, 8, 12, 16, 1, 2, 4, 8};
static const double case_bathy[] = {2, -4, 4, 3};
static const double case_normal[] = {1, 0.5, 0, 1};
static const double case_wall[] = {0, 1};
static const int32_t case_cells[] = {0, 1, 1, 2};
static const double case_before[] = {0, 0, 0, 0, 0, 0, 0, 0, 7, 7, 7, 7};
static const double case_after[] = {-2, -5, -6.5, -8, 0.75, 0.5, 0.5, 2, 7, 7, 7, 7};
static const mplan_app_hand_arg case_args[] = {
    {3, case_volume, NULL, case_cells}, {2, case_flux, NULL, NULL},
    {2, case_bathy, NULL, NULL},        {2, case_normal, NULL, NULL},
    {2, case_wall, NULL, NULL},         {3, case_before, case_after, case_cells},
};

#endif
