/* SPDX-License-Identifier: Apache-2.0 */
/* cip_host.c - advection by cubic polynomials: the kernels on the host, the application, what must stay
 *
 * By hand: x y + x^2 is its own cubic. Around a cell at (3, 4) of width 1, wind (1, 1), time 1/2: its value 21 and slopes (10, 3) become those
 * at (2.5, 3.5): 15, and (8.5, 2.5). */
#include "apps/cip_kernels.h"

#include <math.h>
#include <stdlib.h>

#include "apps/harness_step.h"
#include "apps/stencil_map.h"
#include "base/error.h"

MPLAN_KERNEL_DECLARE(mplan_cip_there)
MPLAN_KERNEL_DECLARE(mplan_cip_back)

static const mplan_app_loop loops[] = {
    {"there", "cells", &mplan_cip_there_host, MPLAN_APP_DEVICE(mplan_cip_there), 100, 1, true},
    {"back", "cells", &mplan_cip_back_host, MPLAN_APP_DEVICE(mplan_cip_back), 100, 1, false},
};
static const mplan_app_entry step[] = {{0, NULL}, {1, NULL}};
static const mplan_cip_parameters parameters = {{1, 1}, 0.5};

/* cells_quad9: eight neighbours of each cell, in the order of stencil_map.h; the cell itself where there is none.
 * Once for each mesh. */
static mplan_status prepare(mplan_mesh *mesh, const mplan_context *context, mplan_error *err)
{
    if (mplan_mesh_find_map(mesh, "cells_quad9") >= 0)
        return MPLAN_OK;
    return mplan_app_add_stencil(mesh, "cells_quad9", MPLAN_STENCIL_QUAD_WHOLE, context, err);
}

/* Winds of all directions, below one cell a move. */
static mplan_status geometry(mplan_app_stepper *run, mplan_error *err)
{
    double *wind = mplan_app_rows(run, "wind");
    (void)err;
    for (int64_t i = 0; i < mplan_app_members(run, "wind"); i++) {
        wind[2 * i] = 0.5 * cos(0.001 * (double)(i % 6283));
        wind[2 * i + 1] = 0.5 * sin(0.001 * (double)(i % 6283));
    }
    return MPLAN_OK;
}

/* Kind 1: all cells alike, without slopes. */
static void start(mplan_app_stepper *run)
{
    double *f = mplan_app_rows(run, "f");
    for (int64_t i = 0; i < mplan_app_members(run, "f"); i++) {
        f[3 * i] = run->kind ? 3 : 1 + 0.125 * (double)(i * 2654435761u % 1024) / 1024;
        f[3 * i + 1] = f[3 * i + 2] = 0;
    }
}

/* What is constant moves without change. */
static mplan_status prove(mplan_app_stepper *run, mplan_error *err)
{
    void *rows = NULL;
    mplan_status status = mplan_app_steps_from(run, 1, 5, err);
    if (!status)
        status = mplan_app_fetch(run, "f", &rows, err);
    const double *f = rows;
    for (int64_t i = 0; i < mplan_app_members(run, "f") && !status; i++)
        if (f[3 * i] != 3 || f[3 * i + 1] != 0 || f[3 * i + 2] != 0)
            status = mplan_fail(err, MPLAN_ERR_DISPROVED,
                                "cip: a constant becomes %.17g with slopes %.17g and %.17g",
                                f[3 * i], f[3 * i + 1], f[3 * i + 2]);
    free(rows);
    return status;
}

static const mplan_app_steps steps = {geometry, start, NULL, prove};

/* cells: at (3, 4), then (3, 3), (4, 4), (3, 5), (2, 4), (2, 3), (4, 3), (4, 5), (2, 5) */
static const double case_f[] = {21, 10, 3, 18, 9,  3,  32, 12, 4,  24, 11, 3, 12, 8,
                                2,  10, 7, 2,  28, 11, 4,  36, 13, 4,  14, 9, 2};
static const double case_wind[] = {1, 1}, case_g[] = {15, 8.5, 2.5};
static const int32_t case_near[] = {1, 2, 3, 4, 5, 6, 7, 8};
static const mplan_app_hand_arg case_args[] = {{9, case_f, NULL, case_near},
                                               {9, case_f, NULL, NULL},
                                               {1, case_wind, NULL, NULL},
                                               {1, NULL, case_g, NULL}};
static const mplan_app_hand hand = {0, &parameters, 1, case_args};

const mplan_app mplan_app_cip = {
    .name = "cip",
    .description =
        "two moves of CIP, f64: cells read values and slopes of 8 neighbours; quads, best a grid",
    .cells = MPLAN_APP_QUADS,
    .n_loops = (int32_t)(sizeof loops / sizeof *loops),
    .loops = loops,
    .parameters = &parameters,
    .hand = &hand,
    .tolerance = 1e-12,
    .prepare = prepare,
    .n_step = (int32_t)(sizeof step / sizeof *step),
    .step = step,
    .steps = &steps,
    .run = mplan_app_run_steps,
};
