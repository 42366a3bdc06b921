/* SPDX-License-Identifier: Apache-2.0 */
/* volna_host.c - volna's kernel on the host, and the application
 *
 * By hand: cells of areas 2, 4 and 1/2 in a row. Edge 0, of cells 0 and 1: the left cell
 * gets -1/2 of flux (4, 8 + 2 x 1, 12 + 2 x 1/2, 16), the right one 1/4 of (4, 8 - 4 x 1,
 * 12 - 4 x 1/2, 16). Edge 1, of cells 1 and 2, is a wall: cell 1 gets -1/4 of (1, 2, 4 + 4 x 1,
 * 8), cell 2 nothing. */
#include "apps/volna_kernels.h"

#include "apps/app.h"

MPLAN_KERNEL_DECLARE(mplan_volna)

static const mplan_app_loop loops[] = {
    {"space_discretization", "faces", &mplan_volna_host, MPLAN_APP_DEVICE(mplan_volna), 19, 1, true},
};

static const double case_volume[] = {2, 4, 0.5};
static const double case_flux[] = {4, 8, 12, 16, 1, 2, 4, 8};
static const double case_bathy[] = {2, -4, 4, 3};
static const double case_normal[] = {1, 0.5, 0, 1};
static const double case_wall[] = {0, 1};
static const int32_t case_cells[] = {0, 1, 1, 2};
static const double case_before[] = {0, 0, 0, 0, 0, 0, 0, 0, 7, 7, 7, 7};
static const double case_after[] = {-2, -5, -6.5, -8, 0.75, 0.5, 0.5, 2, 7, 7, 7, 7};
static const mplan_no_parameters parameters = {0};
static const mplan_app_hand_arg case_args[] = {
    {3, case_volume, NULL, case_cells}, {2, case_flux, NULL, NULL},
    {2, case_bathy, NULL, NULL},        {2, case_normal, NULL, NULL},
    {2, case_wall, NULL, NULL},         {3, case_before, case_after, case_cells},
};
static const mplan_app_hand hand = {0, &parameters, 2, case_args};

static const mplan_app_range ranges[] = {
    {"flux", 0, 4, -1, 1}, {"bathy", 0, 2, -1, 1}, {"normal", 0, 2, -1, 1}, {"wall", 0, 1, 0, 2}};

const mplan_app mplan_app_volna = {
    .name = "volna",
    .description = "volna's SpaceDiscretization: faces increment 4 numbers of 2 cells, f32; any "
                   "cells",
    .cells = MPLAN_APP_ANY_CELLS,
    .n_loops = 1,
    .loops = loops,
    .parameters = &parameters,
    .n_ranges = 4,
    .ranges = ranges,
    .hand = &hand,
    .tolerance = 1e-5,
    .run = mplan_app_run_loop,
};
