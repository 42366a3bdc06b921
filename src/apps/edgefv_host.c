/* SPDX-License-Identifier: Apache-2.0 */
/* edgefv_host.c - edgefv's kernel on the host, and the application */
#include "apps/edgefv_kernels.h"

#include "apps/euler_case.h"

MPLAN_KERNEL_DECLARE(mplan_edgefv)

static const mplan_app_loop loops[] = {
    {"edgefv", "edges", &mplan_edgefv_host, MPLAN_APP_DEVICE(mplan_edgefv), 74, 1, true},
};

const mplan_app mplan_app_edgefv = {
    .name = "edgefv",
    .description = "a node-centred scheme: edges read and increment 5 numbers of 2 nodes, "
                   "f64; any cells",
    .cells = MPLAN_APP_ANY_CELLS,
    MPLAN_APP_RANGES,
    MPLAN_APP_OF_ONE_LOOP,
};
