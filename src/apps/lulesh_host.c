/* SPDX-License-Identifier: Apache-2.0 */
/* lulesh_host.c - lulesh's kernel on the host, and the application
 *
 * By hand: boxes of 2 x 2 x 4 and 1 x 2 x 4 side by side in x direction, stresses (1, 2,
 * 4) and (3, -1, 8). A quarter of a face of the first is 2, 2 and 1, of the second 2, 1 and
 * 1/2; its product with the stress pulls inwards at every node. */
#include "apps/lulesh_kernels.h"

#include "apps/app.h"

MPLAN_KERNEL_DECLARE(mplan_lulesh)

static const mplan_app_loop loops[] = {
    {"integrate_stress", "cells", &mplan_lulesh_host, MPLAN_APP_DEVICE(mplan_lulesh), 369, 1, true},
};

static const double case_x[] = {0, 0, 0, 2, 0, 0, 3, 0, 0, 0, 2, 0, 2, 2, 0, 3, 2, 0,
                                0, 0, 4, 2, 0, 4, 3, 0, 4, 0, 2, 4, 2, 2, 4, 3, 2, 4};
static const double case_sig[] = {1, 2, 4, 3, -1, 8};
static const int32_t case_nodes[] = {0, 1, 4, 3, 6, 7, 10, 9, 1, 2, 5, 4, 7, 8, 11, 10};
static const double after_determ[] = {16, 8};
static const double after_f[] = {2, 4, 4,  4, 3, 8,  -6, -1, 4,  2, -4, 4,  4, -3, 8,  -6, 1, 4,
                                 2, 4, -4, 4, 3, -8, -6, -1, -4, 2, -4, -4, 4, -3, -8, -6, 1, -4};
static const mplan_no_parameters parameters = {0};
static const mplan_app_hand_arg case_args[] = {
    {12, case_x, NULL, case_nodes},
    {2, case_sig, NULL, NULL},
    {2, NULL, after_determ, NULL},
    {12, NULL, after_f, case_nodes},
};
static const mplan_app_hand hand = {0, &parameters, 2, case_args};

const mplan_app mplan_app_lulesh = {
    .name = "lulesh",
    .description = "LULESH's IntegrateStressForElems: hexes read and increment 3 numbers of 8 "
                   "nodes, f64",
    .cells = MPLAN_APP_HEXES,
    MPLAN_APP_OF_ONE_LOOP,
};
