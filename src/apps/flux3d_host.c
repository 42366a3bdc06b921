/* SPDX-License-Identifier: Apache-2.0 */
/* flux3d_host.c - flux3d's kernel on the host, and the application */
#include "apps/flux3d_kernels.h"

#include "apps/euler_case.h"

MPLAN_KERNEL_DECLARE(mplan_flux3d)

static const mplan_app_loop loops[] = {
    {"flux3d", "faces", &mplan_flux3d_host, MPLAN_APP_DEVICE(mplan_flux3d), 74, 1, true},
};

const mplan_app mplan_app_flux3d = {
    .name = "flux3d",
    .description = "a cell-centred scheme: faces read and increment 5 numbers of 2 cells, f64; "
                   "any cells",
    .cells = MPLAN_APP_ANY_CELLS,
    MPLAN_APP_RANGES,
    MPLAN_APP_OF_ONE_LOOP,
};
