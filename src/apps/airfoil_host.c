/* SPDX-License-Identifier: Apache-2.0 */
/* airfoil_host.c - airfoil's kernels on the host, and the application */
#include "apps/airfoil_kernels.h"

#include "apps/airfoil_case.h"
#include "apps/app.h"

static const mplan_app_loop loops[] = {
    {"save_soln", "cells", &mplan_save_soln_host, MPLAN_APP_DEVICE(mplan_save_soln), 0, 1, false},
    {"adt_calc", "cells", &mplan_adt_calc_host, MPLAN_APP_DEVICE(mplan_adt_calc), 61, 2, false},
    {"res_calc", "faces", &mplan_res_calc_host, MPLAN_APP_DEVICE(mplan_res_calc), 69, 2, true},
    {"bres_calc", "boundary_faces", &mplan_bres_calc_host, MPLAN_APP_DEVICE(mplan_bres_calc), 69, 2,
     false},
    {"update", "cells", &mplan_update_host, MPLAN_APP_DEVICE(mplan_update), 17, 2, false},
};

static const double case_x[] = {1, 2, 1, 0, 3, 1, 2, 1};
static const int32_t case_nodes[] = {0, 1, 2, 3};
static const mplan_airfoil_parameters case_parameters = {1.5, 0.5, 1, 0.25, 1, {1, 0, 0, 1}};
static const mplan_app_hand_arg case_args[] = {
    {4, case_x, NULL, case_nodes},
    {3, case_q, NULL, case_cells},
    {3, case_adt, NULL, case_cells},
    {3, case_before, case_after, case_cells},
};
static const mplan_app_hand hand = {2, &case_parameters, 2, case_args};
static const mplan_app_hand hand_alone = {0, &case_parameters, 2, case_args};

/* As OP2 orders its loops; res_calc begins the residual anew. */
static const mplan_app_entry step[] = {{0, NULL}, {1, NULL},  {2, "res"}, {3, NULL}, {4, NULL},
                                       {1, NULL}, {2, "res"}, {3, NULL},  {4, NULL}};

const mplan_app mplan_app_airfoil = {
    .name = "airfoil",
    .description = "OP2's airfoil, the complete application: 2-D Euler equations, f64, to a "
                   "steady state; quads, best naca0012",
    .cells = MPLAN_APP_QUADS,
    .n_loops = 5,
    .loops = loops,
    .hand = &hand,
    .tolerance = 1e-12,
    .n_step = sizeof step / sizeof *step,
    .step = step,
    .run = mplan_app_run_airfoil,
};

/* The same step in seven launches in place of nine. */
static const mplan_app_loop fused_loops[] = {
    {"save_adt", "cells", &mplan_save_adt_host, MPLAN_APP_DEVICE(mplan_save_adt), 61, 1, false},
    {"update_adt", "cells", &mplan_update_adt_host, MPLAN_APP_DEVICE(mplan_update_adt), 70, 1, false},
    {"res_calc", "faces", &mplan_res_calc_host, MPLAN_APP_DEVICE(mplan_res_calc), 69, 2, true},
    {"bres_calc", "boundary_faces", &mplan_bres_calc_host, MPLAN_APP_DEVICE(mplan_bres_calc), 69, 2,
     false},
    {"update", "cells", &mplan_update_host, MPLAN_APP_DEVICE(mplan_update), 17, 1, false},
};
static const mplan_app_entry fused_step[] = {{0, NULL},  {2, "res"}, {3, NULL}, {1, NULL},
                                             {2, "res"}, {3, NULL},  {4, NULL}};

const mplan_app mplan_app_airfoil_fused = {
    .name = "airfoil_fused",
    .description = "airfoil with loops over cells that follow each other made one: save_soln with adt_calc, "
                   "update with adt_calc; the same numbers",
    .cells = MPLAN_APP_QUADS,
    .n_loops = 5,
    .loops = fused_loops,
    .hand = &hand,
    .tolerance = 1e-12,
    .n_step = sizeof fused_step / sizeof *fused_step,
    .step = fused_step,
    .run = mplan_app_run_airfoil,
};

static const mplan_airfoil_parameters random_parameters = {1.4, 0.4, 0.9, 0.05, 1, {1, 0.5, 0, 3}};

const mplan_app mplan_app_res_calc = {
    .name = "res_calc",
    .description = "only res_calc of airfoil: faces read 2 nodes and 2 cells, increment 2 "
                   "cells, f64; meshes of two dimensions",
    .cells = MPLAN_APP_PLANE,
    .n_loops = 1,
    .loops = &loops[2],
    .parameters = &random_parameters,
    .hand = &hand_alone,
    .tolerance = 1e-12,
    .run = mplan_app_run_loop,
};
