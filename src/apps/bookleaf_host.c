/* SPDX-License-Identifier: Apache-2.0 */
/* bookleaf_host.c - bookleaf's kernel on the host, and the application
 *
 * By hand: quads 0 1 4 3 and 1 2 5 4 side by side. The third corner of the first and the
 * second and fourth of the second have no mass: they get 2 x 3/4, 4 x 1/2 and 4 x 2. */
#include "apps/bookleaf_kernels.h"

#include "apps/app.h"

MPLAN_KERNEL_DECLARE(mplan_bookleaf)

static const mplan_app_loop loops[] = {
    {"getacc_scatter", "cells", &mplan_bookleaf_host, MPLAN_APP_DEVICE(mplan_bookleaf), 4, 1, true},
};

static const double case_density[] = {2, 4};
static const double case_mass[] = {1, 2, 0, 4, 0.5, 0, 3, 0};
static const double case_area[] = {0.25, 0.5, 0.75, 1, 0.25, 0.5, 1, 2};
static const double case_x[] = {1, -1, 2, -2, 3, 5, 7, 9};
static const double case_y[] = {0, 1, 0, 1, 2, 0, 2, 0};
static const int32_t case_nodes[] = {0, 1, 4, 3, 1, 2, 5, 4};
static const double after_mass[] = {1, 2.5, 2, 4, 9.5, 3};
static const double after_area[] = {0.25, 0.75, 0.5, 1, 2.75, 1};
static const double after_u[] = {1, 2, 5, -2, 11, 7};
static const double after_v[] = {0, 3, 0, 1, 0, 2};
static const mplan_bookleaf_parameters parameters = {0};
static const mplan_app_hand_arg case_args[] = {
    {2, case_density, NULL, NULL},     {2, case_mass, NULL, NULL},
    {2, case_area, NULL, NULL},        {2, case_x, NULL, NULL},
    {2, case_y, NULL, NULL},           {6, NULL, after_mass, case_nodes},
    {6, NULL, after_area, case_nodes}, {6, NULL, after_u, case_nodes},
    {6, NULL, after_v, case_nodes},
};
static const mplan_app_hand hand = {0, &parameters, 2, case_args};

/* Half of the corners have no mass of their own. */
static const mplan_app_range ranges[] = {
    {"corner_mass", 0, 4, -1, 1}, {"force_x", 0, 4, -1, 1}, {"force_y", 0, 4, -1, 1}};

const mplan_app mplan_app_bookleaf = {
    .name = "bookleaf",
    .description = "BookLeaf's getacc_scatter: quads increment 4 dats of 4 nodes, f64",
    .cells = MPLAN_APP_QUADS,
    MPLAN_APP_RANGES,
    MPLAN_APP_OF_ONE_LOOP,
};
