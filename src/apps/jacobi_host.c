/* SPDX-License-Identifier: Apache-2.0 */
/* jacobi_host.c - sweeps of Jacobi: the kernels on the host, the application, what must stay
 *
 * By hand: weights 1/4 and 1/8; a cell of 4 between neighbours whose sum is 24 gets 1/4 x 4 + 1/8 x 24 = 4; one of 8 gets 5. */
#include "apps/jacobi_kernels.h"

#include <math.h>
#include <stdlib.h>

#include "apps/harness_step.h"
#include "apps/stencil_map.h"
#include "base/error.h"

MPLAN_KERNEL_DECLARE(mplan_jacobi_there)
MPLAN_KERNEL_DECLARE(mplan_jacobi_back)

static const mplan_app_loop loops[] = {
    {"there", "cells", &mplan_jacobi_there_host, MPLAN_APP_DEVICE(mplan_jacobi_there), 8, 1, true},
    {"back", "cells", &mplan_jacobi_back_host, MPLAN_APP_DEVICE(mplan_jacobi_back), 8, 1, false},
};
static const mplan_app_entry step[] = {{0, NULL}, {1, NULL}};
static const mplan_jacobi_parameters parameters = {0.25, 0.125};

/* cells_star: the six neighbours across the faces of each cell; the cell itself at the boundary, so that the
 * weights have the sum 1 there, too. */
static mplan_status prepare(mplan_mesh *mesh, const mplan_context *context, mplan_error *err)
{
    if (mplan_mesh_find_map(mesh, "cells_star") >= 0)
        return MPLAN_OK;
    return mplan_app_add_stencil(mesh, "cells_star", MPLAN_STENCIL_HEX_FACES, context, err);
}

/* Nothing: no dat of the sweeps is one that steps only read. */
static mplan_status geometry(mplan_app_stepper *run, mplan_error *err)
{
    (void)run, (void)err;
    return MPLAN_OK;
}

/* Kind 1: all cells alike. */
static void start(mplan_app_stepper *run)
{
    double *a = mplan_app_rows(run, "a");
    const int64_t n = mplan_app_members(run, "a");
    for (int64_t i = 0; i < n; i++)
        a[i] = run->kind ? 3 : 1 + 0.125 * (double)(i * 2654435761u % 1024) / 1024;
}

/* The weights have the sum 1: what is constant stays so, to the last bit with these; and no number leaves the range of those at the
 * start. */
static mplan_status prove(mplan_app_stepper *run, mplan_error *err)
{
    void *rows = NULL;
    double low = INFINITY, high = -INFINITY;
    mplan_status status = MPLAN_OK;
    for (int32_t kind = 0; kind < 2 && !status; kind++) {
        const double least = kind ? 3 : 1, most = kind ? 3 : 1.125;
        status = mplan_app_steps_from(run, kind, 5, err);
        if (!status)
            status = mplan_app_fetch(run, "a", &rows, err);
        for (int64_t i = 0; i < mplan_app_members(run, "a") && !status; i++) {
            low = fmin(low, ((double *)rows)[i]);
            high = fmax(high, ((double *)rows)[i]);
        }
        if (!status && mplan_app_members(run, "a") > 0 && !(low >= least && high <= most))
            status = mplan_fail(err, MPLAN_ERR_DISPROVED,
                                "jacobi: numbers from %g to %g become %.17g to %.17g", least, most,
                                low, high);
        free(rows);
        rows = NULL;
        low = INFINITY;
        high = -INFINITY;
    }
    return status;
}

static const mplan_app_steps steps = {geometry, start, NULL, prove};

static const double case_a[] = {4, 8, 1, 2, 3, 4, 6, 8}, case_b[] = {4, 5};
static const int32_t case_near[] = {2, 3, 4, 5, 6, 7, 2, 3, 4, 5, 6, 7};
static const mplan_app_hand_arg case_args[] = {
    {8, case_a, NULL, case_near}, {8, case_a, NULL, NULL}, {2, NULL, case_b, NULL}};
static const mplan_app_hand hand = {0, &parameters, 2, case_args};

const mplan_app mplan_app_jacobi = {
    .name = "jacobi",
    .description = "two sweeps of Jacobi, f64: cells read their 6 neighbours; hexes",
    .cells = MPLAN_APP_HEXES,
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
