/* SPDX-License-Identifier: Apache-2.0 */
/* flux3d_step_host.c - flux3d as a time step: the kernels on the host, the application, what must stay */
#include "apps/flux3d_step_kernels.h"

#include <math.h>
#include <stdlib.h>

#include "apps/euler_case.h"
#include "apps/harness_step.h"
#include "base/error.h"
#include "base/memory.h"

MPLAN_KERNEL_DECLARE(mplan_flux3d_faces)
MPLAN_KERNEL_DECLARE(mplan_flux3d_cells)

static const mplan_app_loop loops[] = {
    {"flux3d", "faces", &mplan_flux3d_faces_host, MPLAN_APP_DEVICE(mplan_flux3d_faces), 74, 1, true},
    {"update", "cells", &mplan_flux3d_cells_host, MPLAN_APP_DEVICE(mplan_flux3d_cells), 10, 1, false},
};
static const mplan_app_entry step[] = {{0, "residual"}, {1, NULL}};
static const mplan_flux3d_flow flow = {{0.4, 0.05}, 1e-4};

/* A number in [-1, 1) for member i. */
static double number_of(int64_t i)
{
    return (double)((uint64_t)i * 0x9e3779b97f4a7c15u >> 44) * 0x1p-19 - 1;
}

/* Normals of any direction, three numbers a face in [-0.5, 0.5): fluxes need not close a cell for sums over all
 * cells to stay. */
static mplan_status geometry(mplan_app_stepper *run, mplan_error *err)
{
    double *normal = mplan_app_rows(run, "normal");
    (void)err;
    for (int64_t i = 0; i < 3 * mplan_app_members(run, "normal"); i++)
        normal[i] = 0.5 * number_of(i);
    return MPLAN_OK;
}

/* Density and energy far enough from 0 that pressures stay positive: 1 and 3, each changed by a quarter at most,
 * and slow gas. */
static void start(mplan_app_stepper *run)
{
    double *state = mplan_app_rows(run, "state");
    for (int64_t i = 0; i < mplan_app_members(run, "state"); i++)
        for (int k = 0; k < 5; k++)
            state[5 * i + k] = (k == 0 ? 1 : k == 4 ? 3 : 0) + 0.25 * number_of(5 * i + k);
}

/* What leaves one cell comes into another: mass, momentum and energy of all cells stay. */
static mplan_status prove(mplan_app_stepper *run, mplan_error *err)
{
    const int64_t n = mplan_app_members(run, "state");
    void *rows = NULL;
    double *terms = mplan_alloc(n, sizeof *terms, err);
    mplan_status status = terms ? mplan_app_steps_from(run, 0, 5, err) : MPLAN_ERR_MEMORY;
    if (!status)
        status = mplan_app_fetch(run, "state", &rows, err);
    for (int k = 0; k < 5 && !status; k++) {
        double all[2];
        for (int after = 0; after < 2; after++) {
            const double *from = after ? rows : mplan_app_rows(run, "state");
            for (int64_t i = 0; i < n; i++)
                terms[i] = from[5 * i + k];
            all[after] = mplan_app_whole(terms, n);
        }
        if (!(fabs(all[1] - all[0]) <= 1e-12 * (double)(3 * n)))
            status = mplan_fail(err, MPLAN_ERR_DISPROVED,
                                "flux3d_step: the sum of number %d of all cells changes from %.17g to %.17g",
                                k, all[0], all[1]);
    }
    free(terms);
    free(rows);
    return status;
}

static const mplan_app_steps steps = {geometry, start, NULL, prove};

/* The flux of euler_case.h. */
static const mplan_flux3d_flow case_flow = {{0.5, 0.25}, 1};
static const mplan_app_hand hand_step = {0, &case_flow, 2, case_args};

const mplan_app mplan_app_flux3d_step = {
    .name = "flux3d_step",
    .description = "flux3d as a time step: fluxes through faces, which change the cells, f64; any cells",
    .cells = MPLAN_APP_ANY_CELLS,
    .n_loops = (int32_t)(sizeof loops / sizeof *loops),
    .loops = loops,
    .parameters = &flow,
    .hand = &hand_step,
    .tolerance = 1e-12,
    .n_step = (int32_t)(sizeof step / sizeof *step),
    .step = step,
    .steps = &steps,
    .run = mplan_app_run_steps,
};
