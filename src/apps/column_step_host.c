/* SPDX-License-Identifier: Apache-2.0 */
/* column_step_host.c - a time step of columns: the kernels on the host, the application, what must stay
 *
 * The only application with layers that repeats a step, so that its columns can go through a limited device memory. */
#include "apps/column_step_kernels.h"

#include <math.h>
#include <stdlib.h>

#include "apps/harness_step.h"
#include "apps/layers_app.h"
#include "base/error.h"
#include "base/memory.h"

extern const mplan_layer_kernel mplan_column_flux_host; /* of layers_host.c */
#ifdef MPLAN_HAVE_CUDA
extern const mplan_layer_kernel mplan_column_flux_device, mplan_column_update_device,
    mplan_column_mix_device;
#endif

/* --- loops ------------------------------------------------------------------------------ */

/* As a request names them: kernels that only tell args. */
#define ARG(dat_, map_, arity_, dim_, access_)                                          \
    {                                                                                   \
        .dat = dat_, .map = map_, .arity = arity_, .dim = dim_, .type = MPLAN_TYPE_F64, \
        .access = access_                                                               \
    }
static const mplan_kernel_arg flux_args[] = {ARG("u", "", 1, 1, MPLAN_READ),
                                             ARG("q", "faces_cells", 2, 4, MPLAN_READ),
                                             ARG("res", "faces_cells", 2, 4, MPLAN_INC)};
static const mplan_kernel_arg update_args[] = {ARG("res", "", 1, 4, MPLAN_READ),
                                               ARG("q", "", 1, 4, MPLAN_RW)};
static const mplan_kernel_arg mix_args[] = {ARG("q", "", 1, 4, MPLAN_RW),
                                            ARG("upper", "", 1, 1, MPLAN_WRITE),
                                            ARG("mixing", "", 1, 1, MPLAN_READ)};
static const mplan_kernel shells[] = {{.name = "flux", .n_args = 3, .args = flux_args},
                                      {.name = "update", .n_args = 2, .args = update_args},
                                      {.name = "mix", .n_args = 3, .args = mix_args}};

static const mplan_app_loop loops[] = {{"flux", "faces", &shells[0], NULL, 36, 1, true},
                                       {"update", "cells", &shells[1], NULL, 8, 1, false},
                                       {"mix", "cells", &shells[2], NULL, 27, 1, false}};
static const mplan_app_entry step[] = {{0, "res"}, {1, NULL}, {2, NULL}};
static const mplan_column_flow flow = {0.25};

/* --- a start, and what stays -------------------------------------------------------------- */

/* A number in [-1, 1) for row i. */
static double number_of(int64_t i)
{
    return (double)((uint64_t)i * 0x9e3779b97f4a7c15u >> 44) * 0x1p-19 - 1;
}

/* What flows through a side is below a quarter of a cell in a step, either way; each column is mixed in its own measure. */
static mplan_status geometry(mplan_app_stepper *run, mplan_error *err)
{
    double *u = mplan_app_rows(run, "u"), *mixing = mplan_app_rows(run, "mixing");
    const int64_t n_u = mplan_app_members(run, "u"), n_mixing = mplan_app_members(run, "mixing");
    (void)err;
    for (int64_t i = 0; i < n_u; i++)
        u[i] = number_of(i);
    for (int64_t i = 0; i < n_mixing; i++)
        mixing[i] = 0.75 + 0.5 * number_of(i);
    return MPLAN_OK;
}

/* Between 1 and 3. */
static void start(mplan_app_stepper *run)
{
    double *q = mplan_app_rows(run, "q");
    const int64_t n = 4 * mplan_app_members(run, "q");
    for (int64_t i = 0; i < n; i++)
        q[i] = 2 + number_of(i);
}

/* What leaves one cell comes into another, beside it or above: the sum over all cells stays. */
static mplan_status prove(mplan_app_stepper *run, mplan_error *err)
{
    const int64_t n = mplan_app_members(run, "q");
    void *rows = NULL;
    double *terms = mplan_alloc(n, sizeof *terms, err);
    mplan_status status = terms ? mplan_app_steps_from(run, 0, 5, err) : MPLAN_ERR_MEMORY;
    if (!status)
        status = mplan_app_fetch(run, "q", &rows, err);
    for (int c = 0; c < 4 && !status; c++) {
        double all[2];
        for (int after = 0; after < 2; after++) {
            const double *from = after ? rows : mplan_app_rows(run, "q");
            for (int64_t i = 0; i < n; i++)
                terms[i] = from[4 * i + c];
            all[after] = mplan_app_whole(terms, n);
        }
        if (!(fabs(all[1] - all[0]) <= 1e-12 * (double)(2 * n)))
            status = mplan_fail(err, MPLAN_ERR_DISPROVED,
                                "column-step: the sum of number %d of all cells changes from %.17g to %.17g",
                                c, all[0], all[1]);
    }
    free(terms);
    free(rows);
    return status;
}

static const mplan_app_steps steps = {geometry, start, NULL, prove};

/* --- cases by hand -------------------------------------------------------------------------- */

/* MPLAN_ERR_INTERNAL unless a number is what was computed by hand, to rounding. */
static mplan_status differs(double got, double due, mplan_error *err)
{
    if (fabs(got - due) <= 1e-14 * (1 + fabs(due)))
        return MPLAN_OK;
    return mplan_fail(err, MPLAN_ERR_INTERNAL,
                      "column-step: a number of the case computed by hand is %.17g instead of %.17g",
                      got, due);
}

/* A quarter of 8 is added to 1, 2, 3 and 4. */
static mplan_status hand_update(const mplan_app *app, mplan_error *err)
{
    mplan_column_update_views v = {.top = 1, .res = {{8, 8, 8, 8}}, .q = {{1, 2, 3, 4}}};
    mplan_status status = MPLAN_OK;
    mplan_column_update(&v, app->parameters);
    for (int c = 0; c < 4 && !status; c++)
        status = differs(v.q[0][c], c + 3, err);
    return status;
}

/* Three layers, mixing 1: 2 -1 0, -1 3 -1, 0 -1 2. Right sides made of what must come out, which is (1, 2, 4) for the first number,
 * (1, 1, 1) for the second, (0, 1, 0) for the third and (3, 0, -3) for the fourth: 0 1 6, 1 1 1, -1 3 -1, 6 0 -6. */
static mplan_status hand_mix(const mplan_app *app, mplan_error *err)
{
    static const double due[3][4] = {{1, 1, 0, 3}, {2, 1, 1, 0}, {4, 1, 0, -3}};
    double q[12] = {0, 1, -1, 6, 1, 1, 3, 0, 6, 1, -1, -6}, upper[3];
    mplan_column_mix_views v = {
        .bottom = 0, .top = 3, .q = {q, 4, 1}, .upper = {upper, 1, 1}, .mixing = {1}};
    mplan_status status = MPLAN_OK;
    mplan_column_mix(&v, app->parameters);
    for (int i = 0; i < 12 && !status; i++)
        status = differs(q[i], due[i / 4][i % 4], err);
    return status;
}

/* --- the application -------------------------------------------------------------------------- */

#ifdef MPLAN_HAVE_CUDA
#define DEVICE(name) &name##_device
#else
#define DEVICE(name) NULL
#endif
static const mplan_app_layered layered[] = {
    {&mplan_column_flux_host,
     DEVICE(mplan_column_flux),
     MPLAN_LAYERING_LAYERS,
     {0, 0, 0},
     0,
     2,
     {{0, 0}, {1, 0}},
     NULL},
    {&mplan_column_update_host,
     DEVICE(mplan_column_update),
     MPLAN_LAYERING_LAYERS,
     {0, 0},
     0,
     1,
     {{0, 0}},
     hand_update},
    {&mplan_column_mix_host,
     DEVICE(mplan_column_mix),
     MPLAN_LAYERING_COLUMNS,
     {0, 0, -1},
     0,
     1,
     {{0, 0}},
     hand_mix},
};

const mplan_app mplan_app_column_step = {
    .name = "column-step",
    .description =
        "column-flux as a time step: fluxes between columns, then diffusion in each column, f64; any cells with layers",
    .cells = MPLAN_APP_ANY_CELLS,
    .n_loops = (int32_t)(sizeof loops / sizeof *loops),
    .loops = loops,
    .parameters = &flow,
    .layered = layered,
    .tolerance = 1e-12,
    .n_step = (int32_t)(sizeof step / sizeof *step),
    .step = step,
    .steps = &steps,
    .run = mplan_app_run_steps,
};
