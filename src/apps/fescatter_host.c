/* SPDX-License-Identifier: Apache-2.0 */
/* fescatter_host.c - fescatter's kernel on the host, and the application
 *
 * By hand: tets 0 1 2 3 and 1 2 3 4. Weights times volumes are 1/2, 1/2, 1, 0 and 4, 2, 1,
 * 1; they multiply (2, 2, 3, 4) and (1, 0, -1, 1/2). */
#include "apps/fescatter_kernels.h"

#include "apps/app.h"

MPLAN_KERNEL_DECLARE(mplan_fescatter)

static const mplan_app_loop loops[] = {
    {"fescatter", "cells", &mplan_fescatter_host, MPLAN_APP_DEVICE(mplan_fescatter), 24, 1, true},
};

static const double case_mean[] = {1, 2, 3, 4, 2, 0, -1, 0.5};
static const double case_weight[] = {0.25, 0.25, 0.5, 0, 1, 0.5, 0.25, 0.25};
static const double case_volume[] = {2, 4};
static const double case_source[] = {1, -1};
static const int32_t case_nodes[] = {0, 1, 2, 3, 1, 2, 3, 4};
static const double after_load[] = {1, 1, 1.5, 2, 5,  1,   -2.5, 4, 4,  2,
                                    1, 5, 1,   0, -1, 0.5, 1,    0, -1, 0.5};
static const mplan_no_parameters parameters = {0};
static const mplan_app_hand_arg case_args[] = {
    {2, case_mean, NULL, NULL},   {2, case_weight, NULL, NULL},      {2, case_volume, NULL, NULL},
    {2, case_source, NULL, NULL}, {5, NULL, after_load, case_nodes},
};
static const mplan_app_hand hand = {0, &parameters, 2, case_args};

const mplan_app mplan_app_fescatter = {
    .name = "fescatter",
    .description = "finite elements: tets increment 4 numbers of 4 nodes, f64",
    .cells = MPLAN_APP_TETS,
    MPLAN_APP_OF_ONE_LOOP,
};
