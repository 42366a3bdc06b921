/* SPDX-License-Identifier: Apache-2.0 */
/* cg_host.c - cg's kernels on the host, and the application
 *
 * By hand: cells with 1, 3 and -2. The face of the first two has weight 2: 2 x (1 - 3) = -4 goes to the first and 4 to
 * the second; the other face has weight 1/2: 1/2 x (3 + 2) = 5/2 to the second and -5/2 to the third. */
#include "apps/cg_kernels.h"

#include "apps/app.h"

static const mplan_app_loop loops[] = {
    {"diagonal", "cells", &mplan_cg_diagonal_host, MPLAN_APP_DEVICE(mplan_cg_diagonal), 1, 1, false},
    {"couple", "faces", &mplan_cg_couple_host, MPLAN_APP_DEVICE(mplan_cg_couple), 4, 1, true},
};

static const double case_p[] = {1, 3, -2}, case_weight[] = {2, 0.5};
static const double case_before[] = {0, 10, 1}, case_after[] = {-4, 16.5, -1.5};
static const int32_t case_cells[] = {0, 1, 1, 2};
static const mplan_no_parameters parameters = {0};
static const mplan_app_hand_arg case_args[] = {
    {3, case_p, NULL, case_cells},
    {2, case_weight, NULL, NULL},
    {3, case_before, case_after, case_cells},
};
static const mplan_app_hand hand = {1, &parameters, 2, case_args};
static const mplan_app_range ranges[] = {{"p", 0, 1, -1, 1}};

const mplan_app mplan_app_cg = {
    .name = "cg",
    .description = "conjugate gradients in memory of the caller's with dot products of its own, f64: the matrix is a loop "
                   "of faces; any cells",
    .cells = MPLAN_APP_ANY_CELLS,
    .n_loops = 2,
    .loops = loops,
    .hand = &hand,
    MPLAN_APP_RANGES,
    .tolerance = 1e-11,
    .run = mplan_app_run_cg,
};
