/* SPDX-License-Identifier: Apache-2.0 */
/* flux2d_host.c - flux2d's kernel on the host, and the application */
#include "apps/flux2d_kernels.h"

#include "apps/airfoil_case.h"
#include "apps/app.h"

MPLAN_KERNEL_DECLARE(mplan_flux2d)

static const mplan_app_loop loops[] = {
    {"flux2d", "faces", &mplan_flux2d_host, MPLAN_APP_DEVICE(mplan_flux2d), 61, 1, true},
};

static const double case_normal[] = {2, 0, 0, -1};
static const mplan_flux2d_parameters case_parameters = {0.5, 0.25};
static const mplan_app_hand_arg case_args[] = {
    {3, case_q, NULL, case_cells},
    {3, case_adt, NULL, case_cells},
    {2, case_normal, NULL, NULL},
    {3, case_before, case_after, case_cells},
};
static const mplan_app_hand hand = {0, &case_parameters, 2, case_args};

static const mplan_flux2d_parameters parameters = {0.4, 0.05};
static const mplan_app_range ranges[] = {{"normal", 0, 2, -1, 1}, {"q", 1, 3, -1, 1}};

const mplan_app mplan_app_flux2d = {
    .name = "flux2d",
    .description = "airfoil's flux with stored normals: faces read and increment 2 cells, f64; "
                   "any cells",
    .cells = MPLAN_APP_ANY_CELLS,
    MPLAN_APP_RANGES,
    MPLAN_APP_OF_ONE_LOOP,
};
