/* SPDX-License-Identifier: Apache-2.0 */
/* miniaero_host.c - miniaero's kernel on the host, and the application */
#include "apps/miniaero_kernels.h"

#include "apps/miniaero_case.h"

MPLAN_KERNEL_DECLARE(mplan_miniaero)

static const mplan_app_loop loops[] = {
    {"compute_face_flux", "faces", &mplan_miniaero_host, MPLAN_APP_DEVICE(mplan_miniaero), 302, 1,
     true},
};

static const mplan_app_hand hand = {0, &case_parameters, 3, case_args};

/* Density and pressure stay positive: a reconstruction adds at most 1/4. */
static const mplan_miniaero_parameters parameters = {1.4};
static const mplan_app_range ranges[] = {
    {"state", 1, 4, -0.5, 0.5},   {"state", 4, 5, 4, 5},         {"gradient", 0, 15, -0.08, 0.08},
    {"limiter", 0, 5, 0, 1},      {"centre", 0, 3, 0, 1},        {"face_centre", 0, 3, 0, 1},
    {"tangent", 0, 3, -0.5, 0.5}, {"binormal", 0, 3, -0.5, 0.5},
};

const mplan_app mplan_app_miniaero = {
    .name = "miniaero",
    .description = "miniAero's compute_face_flux: faces read 28 numbers of 2 cells and increment "
                   "5, f64; any cells",
    .cells = MPLAN_APP_ANY_CELLS,
    MPLAN_APP_RANGES,
    MPLAN_APP_OF_ONE_LOOP,
};
