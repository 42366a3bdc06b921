/* SPDX-License-Identifier: Apache-2.0 */
/* volna_host.c - volna's kernel on the host, and the application */
#include "apps/volna_kernels.h"

#include "apps/volna_case.h"

MPLAN_KERNEL_DECLARE(mplan_volna)

static const mplan_app_loop loops[] = {
    {"space_discretization", "faces", &mplan_volna_host, MPLAN_APP_DEVICE(mplan_volna), 19, 1, true},
};

static const mplan_no_parameters parameters = {0};
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
