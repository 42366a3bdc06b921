/* SPDX-License-Identifier: Apache-2.0 */
/* himeno_host.c - Himeno's benchmark: the kernels on the host, the application, what must stay
 *
 * By hand: with a = 1, 1, 1, 1/4, b = 1, 0, 0, c = 1, 1, 1 and source 2, faces of 1 to 6 give 21, the edges of xy (7, 8, 9, 11) give
 * 7 - 8 - 9 + 11 = 1: (21 + 1 + 2) / 4 = 6, and with omega 1/2 a cell of 2 becomes 4; one at the boundary stays. */
#include "apps/himeno_kernels.h"

#include <math.h>
#include <stdlib.h>

#include "apps/harness_step.h"
#include "apps/stencil_map.h"
#include "base/error.h"

MPLAN_KERNEL_DECLARE(mplan_himeno_there)
MPLAN_KERNEL_DECLARE(mplan_himeno_back)

static const mplan_app_loop loops[] = {
    {"there", "cells", &mplan_himeno_there_host, MPLAN_APP_DEVICE(mplan_himeno_there), 34, 1, true},
    {"back", "cells", &mplan_himeno_back_host, MPLAN_APP_DEVICE(mplan_himeno_back), 34, 1, false},
};
static const mplan_app_entry step[] = {{0, NULL}, {1, NULL}};
static const mplan_himeno_parameters parameters = {0.5f};

/* cells_hex19: 18 neighbours of each cell, six across faces and then twelve across edges; the cell itself where
 * there is none. */
static mplan_status prepare(mplan_mesh *mesh, const mplan_context *context, mplan_error *err)
{
    if (mplan_mesh_find_map(mesh, "cells_hex19") >= 0)
        return MPLAN_OK;
    return mplan_app_add_stencil(mesh, "cells_hex19", MPLAN_STENCIL_HEX_WHOLE, context, err);
}

/* The coefficients of himenoBMT, which are those of a cube; cells at the boundary stay. */
static mplan_status geometry(mplan_app_stepper *run, mplan_error *err)
{
    const mplan_map near = mplan_mesh_map(run->mesh, mplan_mesh_find_map(run->mesh, "cells_hex19"));
    float *far = mplan_app_rows_f32(run, "far"), *back = mplan_app_rows_f32(run, "back");
    float *inside = mplan_app_rows_f32(run, "inside");
    (void)err; /* cross and source are zero */
    for (int64_t c = 0; c < near.n_rows; c++) {
        inside[c] = 1;
        for (int32_t k = 0; k < MPLAN_STENCIL_HEX_FACES; k++)
            inside[c] = near.values[c * near.arity + k] == c ? 0 : inside[c];
        for (int d = 0; d < 3; d++)
            far[4 * c + d] = back[3 * c + d] = 1;
        far[4 * c + 3] = 1.0f / 6;
    }
    return MPLAN_OK;
}

/* Kind 0: its parabola has no place on cells without numbers; a wave in its place. Kind 1: all cells alike. */
static void start(mplan_app_stepper *run)
{
    float *p = mplan_app_rows_f32(run, "p");
    const int64_t n = mplan_app_members(run, "p");
    for (int64_t i = 0; i < n; i++)
        p[i] = run->kind ? 3 : 1 + 0.125f * (float)(i * 2654435761u % 1024) / 1024;
}

/* What is constant stays so, but for rounding; and no number leaves the range of those at the start. */
static mplan_status prove(mplan_app_stepper *run, mplan_error *err)
{
    const float rounding = 1e-5f;
    mplan_status status = MPLAN_OK;
    for (int32_t kind = 0; kind < 2 && !status; kind++) {
        const float least = kind ? 3 : 1, most = kind ? 3 : 1.125f;
        void *rows = NULL;
        status = mplan_app_steps_from(run, kind, 5, err);
        if (!status)
            status = mplan_app_fetch(run, "p", &rows, err);
        for (int64_t i = 0; i < mplan_app_members(run, "p") && !status; i++)
            if (!(((float *)rows)[i] >= least - rounding && ((float *)rows)[i] <= most + rounding))
                status = mplan_fail(err, MPLAN_ERR_DISPROVED,
                                    "himeno: numbers from %g to %g become %.9g in cell %lld", least,
                                    most, ((float *)rows)[i], (long long)i);
        free(rows);
    }
    return status;
}

static const mplan_app_steps steps = {geometry, start, NULL, prove};

static const double case_p[] = {2, 2, 1, 2, 3, 4, 5, 6, 7, 8, 9, 11, 0}, case_q[] = {4, 2};
static const int32_t case_near[] = {2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 12, 12, 12, 12, 12, 12, 12,
                                    2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 12, 12, 12, 12, 12, 12, 12};
static const double case_far[] = {1, 1, 1, 0.25, 1, 1, 1, 0.25}, case_cross[] = {1, 0, 0, 1, 0, 0};
static const double case_back[] = {1, 1, 1, 1, 1, 1}, case_source[] = {2, 2}, case_inside[] = {1, 0};
static const mplan_app_hand_arg case_args[] = {
    {13, case_p, NULL, case_near}, {13, case_p, NULL, NULL},   {2, case_far, NULL, NULL},
    {2, case_cross, NULL, NULL},   {2, case_back, NULL, NULL}, {2, case_source, NULL, NULL},
    {2, case_inside, NULL, NULL},  {2, NULL, case_q, NULL}};
static const mplan_app_hand hand = {0, &parameters, 2, case_args};

const mplan_app mplan_app_himeno = {
    .name = "himeno",
    .description = "two sweeps of Himeno's Poisson kernel, f32: cells read 18 neighbours; hexes",
    .cells = MPLAN_APP_HEXES,
    .n_loops = (int32_t)(sizeof loops / sizeof *loops),
    .loops = loops,
    .parameters = &parameters,
    .hand = &hand,
    .tolerance = 1e-5,
    .prepare = prepare,
    .n_step = (int32_t)(sizeof step / sizeof *step),
    .step = step,
    .steps = &steps,
    .first_stands = true,
    .run = mplan_app_run_steps,
};
