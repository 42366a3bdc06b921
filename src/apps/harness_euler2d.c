/* SPDX-License-Identifier: Apache-2.0 */
/* harness_euler2d.c - runs euler2d: geometry, start, steps, and what must be conserved
 *
 * The start is a free stream with a bump of density and pressure in the middle of the mesh. Checked before any
 * time is taken: with far field at all patches the free stream stays as it is, with walls at all patches mass and
 * energy do (both to rounding), and the first steps equal those in the mesh's own order. The length of a step
 * is a global, the least of all cells: nothing goes to the host meanwhile. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "apps/app_time.h"
#include "apps/euler2d.h"
#include "apps/harness.h"
#include "base/error.h"
#include "base/memory.h"

enum { BEGIN, GRADIENT, FLUX, UPDATE, PATCHES }; /* loops of the application; patches follow */
enum { CHECKED_STEPS = 2, CLOSED_STEPS = 5 };
static const double forever = 1e300, rounding = 1e-12;

/* bound[k]: of all loops, patches by the kernel of wall and far, as kinds say (k = 0), all far (1), all walls (2). */
typedef struct euler_run {
    mplan_app app; /* with the loops of this mesh */
    const mplan_plan *plan;
    const mplan_app_options *options;
    mplan_app_data data;
    mplan_euler2d_parameters parameters;
    mplan_exec *exec;
    mplan_exec_loop **bound[3];
    mplan_app_loop *loops; /* the application's, with the kernels of the kinds */
    int32_t n_loops, kind;
} euler_run;

/* --- geometry and start ------------------------------------------------------------ */

/* Of the start, n times dim numbers in the mesh's order. */
static double *rows_of(euler_run *run, const char *dat)
{
    return mplan_app_data_find(&run->data, dat)->rows;
}

/* Area and centre of a cell by its corners (the shoelace formula), around the first of them. */
static double measure_cell(const double *x, int32_t dimension, const int32_t *node, int32_t n,
                           double centre[2])
{
    const double *o = x + (int64_t)node[0] * dimension;
    double twice = 0, cx = 0, cy = 0;
    for (int32_t k = 1; k + 1 < n; k++) {
        const double *a = x + (int64_t)node[k] * dimension;
        const double *b = x + (int64_t)node[k + 1] * dimension;
        double cross = (a[0] - o[0]) * (b[1] - o[1]) - (b[0] - o[0]) * (a[1] - o[1]);
        twice += cross;
        cx += cross * (a[0] + b[0] - 2 * o[0]);
        cy += cross * (a[1] + b[1] - 2 * o[1]);
    }
    centre[0] = o[0] + (twice != 0 ? cx / (3 * twice) : 0);
    centre[1] = o[1] + (twice != 0 ? cy / (3 * twice) : 0);
    return 0.5 * fabs(twice);
}

/* Half the way from each cell to its nearest neighbour; by its area where it has none. */
static void fill_nearest(euler_run *run, const mplan_mesh *mesh)
{
    int32_t around = mplan_mesh_find_map(mesh, "cells_around");
    mplan_map map = mplan_mesh_map(mesh,
                                   around >= 0 ? around : mplan_mesh_find_map(mesh, "cells_cells"));
    const double *centre = rows_of(run, "centre"), *area = rows_of(run, "area");
    double *nearest = rows_of(run, "nearest");
    for (int64_t c = 0; c < map.n_rows; c++) {
        double least = area[c];
        bool any = false;
        for (int32_t k = 0; k < map.arity; k++) {
            int64_t other = map.values[c * map.arity + k];
            if (other < 0)
                continue;
            double x = centre[2 * other] - centre[2 * c];
            double y = centre[2 * other + 1] - centre[2 * c + 1];
            least = any ? fmin(least, x * x + y * y) : x * x + y * y;
            any = true;
        }
        nearest[c] = 0.5 * sqrt(least);
    }
}

/* x, centre, area and nearest. */
static mplan_status fill_geometry(euler_run *run, const mplan_mesh *mesh, mplan_error *err)
{
    mplan_map nodes = mplan_mesh_map(mesh, mplan_mesh_find_map(mesh, "cells_nodes"));
    const uint8_t *type = mplan_mesh_cell_types(mesh);
    double *x = rows_of(run, "x"), *centre = rows_of(run, "centre"), *area = rows_of(run, "area");
    int32_t dimension;
    const double *from = mplan_mesh_coordinates(mesh, nodes.to, &dimension);
    if (!from)
        return mplan_fail(err, MPLAN_ERR_ARGUMENT, "euler2d: the mesh has no coordinates");
    for (int64_t i = 0; i < nodes.n_points; i++)
        for (int d = 0; d < 2; d++)
            x[2 * i + d] = from[i * dimension + d];
    for (int64_t c = 0; c < nodes.n_rows; c++) {
        int32_t n;
        const int32_t *node = mplan_map_row(&nodes, c, &n);
        n = mplan_cell_type_corners((mplan_cell_type)type[c]);
        area[c] = measure_cell(from, dimension, node, n, centre + 2 * c);
        if (!(area[c] > 0))
            return mplan_fail(err, MPLAN_ERR_ARGUMENT, "euler2d: cell %lld has no area",
                              (long long)c);
    }
    fill_nearest(run, mesh);
    return MPLAN_OK;
}

/* The free stream, with a bump of `height` in the middle of the cells, half as wide as a fifth of them. */
static void fill_start(euler_run *run, double height)
{
    const double *centre = rows_of(run, "centre"), *stream = run->parameters.free;
    double *q = rows_of(run, "q"), low[2] = {INFINITY, INFINITY}, high[2] = {-INFINITY, -INFINITY};
    int64_t n = mplan_app_data_find(&run->data, "q")->members;
    for (int64_t c = 0; c < n; c++)
        for (int d = 0; d < 2; d++) {
            low[d] = fmin(low[d], centre[2 * c + d]);
            high[d] = fmax(high[d], centre[2 * c + d]);
        }
    double width = 0.2 * fmin(high[0] - low[0], high[1] - low[1]) + 1e-300;
    double still = 0.5 * (stream[1] * stream[1] + stream[2] * stream[2]) / stream[0];
    for (int64_t c = 0; c < n; c++) {
        double x = (centre[2 * c] - 0.5 * (low[0] + high[0])) / width;
        double y = (centre[2 * c + 1] - 0.5 * (low[1] + high[1])) / width;
        double part = 1 + height / (1 + 4 * (x * x + y * y));
        for (int k = 0; k < 3; k++)
            q[4 * c + k] = part * stream[k];
        q[4 * c + 3] = part * (stream[3] - still) + part * still;
    }
    for (int32_t i = 0; i < run->data.n; i++)
        if (run->data.dat[i].first == MPLAN_WRITE)
            memset(run->data.dat[i].rows, 0xff, (size_t)mplan_app_dat_bytes(&run->data.dat[i]));
}

/* Every boundary face must be in one patch: else gas would leave where nobody looks. */
static mplan_status check_cover(const euler_run *run, const mplan_loop *request,
                                const mplan_mesh *mesh, mplan_error *err)
{
    int32_t set = mplan_mesh_find_set(mesh, "bedges"), parent;
    set = set >= 0 ? set : mplan_mesh_find_set(mesh, "boundary_faces");
    int64_t n = mplan_mesh_set(mesh, set).size;
    uint8_t *seen = mplan_alloc_zero(n, 1, err);
    mplan_status status = seen ? MPLAN_OK : MPLAN_ERR_MEMORY;
    for (int32_t l = PATCHES; l < run->n_loops && !status; l++) {
        int32_t patch = mplan_mesh_find_set(mesh, request[l].over);
        const int32_t *index = mplan_mesh_parent_index(mesh, patch, &parent);
        for (int64_t i = 0; i < mplan_mesh_set(mesh, patch).size; i++)
            seen[index ? index[i] : i]++;
    }
    for (int64_t i = 0; i < n && !status; i++)
        if (seen[i] != 1)
            status = mplan_fail(err, MPLAN_ERR_ARGUMENT,
                                "euler2d: boundary face %lld is in %d groups; it must be in one only",
                                (long long)i, (int)seen[i]);
    free(seen);
    return status;
}

/* --- steps ---------------------------------------------------------------------------- */

/* Order of the loops of a stage. Two stages make a step: q1 = q + dt R(q), q = (q + q1 + dt R(q1)) / 2. */
static void set_stage(mplan_euler2d_parameters *p, int stage)
{
    p->keep = stage ? 0.5 : 0;
    p->take = stage ? 0.5 : 1;
}

/* Loop l, patches with the kernels of the run's kind. */
static mplan_status launch(euler_run *run, int32_t l, void *stream, mplan_error *err)
{
    return mplan_exec_launch(run->exec, run->bound[run->kind][l], &run->parameters, stream, err);
}

/* One step of Heun's method. The loops between FLUX and UPDATE are those over the boundary's
 * patches, as many as the mesh has. `travel` is a minimum over all faces and is set to infinity
 * at the begin of each step. */
static mplan_status step(void *user, int32_t i, void *stream, mplan_error *err)
{
    euler_run *run = user;
    (void)i;
    mplan_status status = mplan_exec_set(run->exec, "travel", &forever, 1, MPLAN_TYPE_F64, stream,
                                         err);
    if (!status)
        status = launch(run, BEGIN, stream, err);
    for (int stage = 0; stage < 2 && !status; stage++) {
        set_stage(&run->parameters, stage);
        status = launch(run, GRADIENT, stream, err);
        for (int32_t l = FLUX; l < run->n_loops && !status; l++)
            if (l != UPDATE)
                status = launch(run, l, stream, err);
        if (!status)
            status = launch(run, UPDATE, stream, err);
    }
    return status;
}

/* The last step had a length: states without density or pressure have none. */
static mplan_status check_length(euler_run *run, mplan_error *err)
{
    double travel = 0;
    mplan_status status = mplan_exec_download(run->exec, "travel", &travel, 1, 1, MPLAN_TYPE_F64,
                                              err);
    return !status && !(travel > 0 && travel < forever)
               ? mplan_fail(err, MPLAN_ERR_DISPROVED, "euler2d: the state is not one of a gas")
               : status;
}

/* kind: of the patches, as bound counts them; height: as fill_start takes it. */
static mplan_status start(euler_run *run, int kind, double height, mplan_error *err)
{
    run->kind = kind;
    fill_start(run, height);
    return mplan_app_data_upload(&run->data, run->exec, err);
}

/* n steps on the executor's own stream, and waits until they are done. */
static mplan_status steps(euler_run *run, int64_t n, mplan_error *err)
{
    mplan_status status = MPLAN_OK;
    for (int64_t i = 0; i < n && !status; i++)
        status = step(run, 0, NULL, err);
    return !status ? mplan_exec_wait(run->exec, err) : status;
}

/* --- what must hold ------------------------------------------------------------------- */

/* The states of all cells, in the mesh's order. */
static mplan_status download(euler_run *run, double *q, mplan_error *err)
{
    mplan_app_dat *dat = mplan_app_data_find(&run->data, "q");
    return mplan_exec_download(run->exec, "q", q, dat->members, dat->dim, dat->type, err);
}

/* With far field all around, the free stream stays: the largest change of a number, in parts of the free stream. */
static mplan_status check_free_stream(euler_run *run, double *q, mplan_error *err)
{
    int64_t n = mplan_app_data_find(&run->data, "q")->members;
    const double *stream = run->parameters.free;
    double change = 0;
    mplan_status status = start(run, 1, 0, err);
    if (!status)
        status = steps(run, 1, err);
    if (!status)
        status = download(run, q, err);
    for (int64_t i = 0; i < 4 * n && !status; i++)
        change = fmax(change, isfinite(q[i]) ? fabs(q[i] - stream[i % 4]) / stream[0] : INFINITY);
    if (!status && !(change <= rounding))
        return mplan_fail(err, MPLAN_ERR_DISPROVED,
                          "euler2d: a step changes the free stream by %.3g, the limit is %.3g",
                          change, rounding);
    return status;
}

/* The whole of number k of the states, compensated so that rounding of the sum does not show. */
static double whole(const euler_run *run, const double *area, const double *q, int k)
{
    int64_t n = mplan_app_data_find((mplan_app_data *)(uintptr_t)&run->data, "q")->members;
    double sum = 0, rest = 0;
    for (int64_t c = 0; c < n; c++) {
        double term = area[c] * q[4 * c + k] - rest, next = sum + term;
        rest = (next - sum) - term;
        sum = next;
    }
    return sum;
}

/* Within walls mass and energy stay. */
static mplan_status check_closed(euler_run *run, double *q, mplan_error *err)
{
    static const char *const names[] = {"mass", "", "", "energy"};
    const double *area = rows_of(run, "area");
    double before[4];
    mplan_status status = start(run, 2, 0.5, err);
    for (int k = 0; k < 4; k++)
        before[k] = whole(run, area, rows_of(run, "q"), k);
    if (!status)
        status = steps(run, CLOSED_STEPS, err);
    if (!status)
        status = download(run, q, err);
    for (int k = 0; k < 4 && !status; k += 3) {
        double change = fabs(whole(run, area, q, k) - before[k]) / before[k];
        if (!(change <= rounding))
            status = mplan_fail(err, MPLAN_ERR_DISPROVED,
                                "euler2d: %s within walls changes by %.3g, the limit is %.3g",
                                names[k], change, rounding);
    }
    return status;
}

/* The first steps against the mesh's own order, twice for equal bits. */
static mplan_status check_steps(euler_run *run, const mplan_loop *request, const mplan_mesh *mesh,
                                mplan_app_result *result, mplan_error *err)
{
    mplan_status status = start(run, 0, 0.5, err);
    if (!status)
        status = mplan_app_data_begin(&run->data, err);
    for (int32_t s = 0; s < 2 * CHECKED_STEPS && !status; s++) {
        if (s % 2 == 0)
            *(double *)mplan_app_data_find(&run->data, "travel")->reference = forever;
        set_stage(&run->parameters, s % 2);
        for (int32_t l = s % 2 ? GRADIENT : BEGIN; l < run->n_loops; l++)
            if (l != UPDATE)
                mplan_app_data_step(&run->app, l, request, mesh, &run->parameters, &run->data);
        mplan_app_data_step(&run->app, UPDATE, request, mesh, &run->parameters, &run->data);
    }
    for (int32_t again = 0; again < 2 && !status; again++) {
        status = mplan_app_data_upload(&run->data, run->exec, err);
        if (!status)
            status = steps(run, CHECKED_STEPS, err);
        if (!status && again == 0)
            status = mplan_app_data_compare(&run->data, run->exec, &result->error, &result->bits,
                                            err);
        if (!status)
            status = mplan_app_data_same(&run->data, run->exec, &result->equal_bits, err);
    }
    return status;
}

/* Three proofs on the host: a free stream stays as it is, closed walls keep mass and energy,
 * and some steps equal those of the mesh's own order. q: 4 numbers per cell, scratch for all
 * three. */
static mplan_status check(euler_run *run, const mplan_loop *request, const mplan_mesh *mesh,
                          mplan_app_result *result, mplan_error *err)
{
    double *q = mplan_alloc(4 * mplan_app_data_find(&run->data, "q")->members, sizeof *q, err);
    mplan_status status = q ? check_free_stream(run, q, err) : MPLAN_ERR_MEMORY;
    if (!status)
        status = check_closed(run, q, err);
    if (!status)
        status = check_steps(run, request, mesh, result, err);
    free(q);
    return status;
}

/* --- the run -------------------------------------------------------------------------- */

/* Far field by its name: farfield, inlet, outflow, ...; every other patch is a wall. */
static bool is_far(const char *loop)
{
    static const char *const words[] = {"far", "Far", "FAR", "in", "In", "IN", "out", "Out", "OUT"};
    const char *name = loop + sizeof "patch_" - 1;
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (!strncmp(name, words[i], strlen(words[i])))
            return true;
    return false;
}

/* The kernel of a patch's loop: the application has those of walls and of the far field behind its loops. */
static void set_kernel(const mplan_app *app, mplan_app_loop *loop, bool far)
{
    const mplan_app_loop *kind = &app->loops[app->n_loops + far];
    loop->host = kind->host;
    loop->device = kind->device;
}

/* All loops three times: with the patches as their names say, as far field, as walls. */
static mplan_status bind_all(const mplan_app *app, euler_run *run, mplan_error *err)
{
    mplan_status status = MPLAN_OK;
    for (int k = 2; k >= 0 && !status; k--) {
        for (int32_t l = PATCHES; l < run->n_loops; l++)
            set_kernel(app, &run->loops[l], k == 1 || (k == 0 && is_far(run->loops[l].name)));
        run->bound[k] = mplan_alloc_zero(run->n_loops, sizeof *run->bound[k], err);
        status = run->bound[k] ? MPLAN_OK : MPLAN_ERR_MEMORY;
        for (int32_t l = 0; l < run->n_loops && !status; l++)
            status = mplan_app_bind(&run->app, l, run->plan, run->options, run->exec,
                                    &run->bound[k][l], err);
    }
    return status;
}

/* From a start with a bump of height 0.5, so that something moves; without iterations only the
 * start is tried. */
static mplan_status iterate(euler_run *run, mplan_error *err)
{
    mplan_status status = start(run, 0, 0.5, err);
    if (!status)
        status = steps(run, run->options->iterations, err);
    return !status && run->options->iterations > 0 ? check_length(run, err) : status;
}

/* Microseconds per step, the median of `repeats`, and the rates that come from it. On a GPU
 * four steps are replayed together, else launches would be measured. */
static mplan_status measure(euler_run *run, mplan_app_result *result, mplan_error *err)
{
    int32_t n_steps = run->options->exec->executor == MPLAN_EXECUTOR_CUDA ? 4 : 1;
    mplan_status status = mplan_app_time(run->exec, run->options->exec->executor, step, run,
                                         n_steps, run->options->repeats, &result->microseconds, err);
    if (!status)
        status = mplan_app_copy_rate(run->exec, &result->copy_rate, err);
    if (!status && result->microseconds > 0)
        result->bandwidth = result->useful_bytes / (result->microseconds * 1e-6);
    return status;
}

/* Equal bits are asked for only where all loops promise them. */
static bool all_deterministic(const euler_run *run)
{
    bool all = true;
    for (int32_t l = 0; l < run->n_loops; l++) {
        bool one;
        mplan_app_variant(run->plan, run->loops[l].name, run->options->variant, &one);
        all = all && one;
    }
    return all;
}

/* Checks, then iterations, then time. */
static mplan_status run_all(const mplan_app *app, euler_run *run, const mplan_loop *request,
                            const mplan_mesh *mesh, mplan_app_result *result, mplan_error *err)
{
    mplan_status status = fill_geometry(run, mesh, err);
    if (!status)
        status = check_cover(run, request, mesh, err);
    if (!status)
        fill_start(run, 0.5);
    if (!status)
        status = mplan_app_open(run->plan, run->options, &run->data, &run->exec, err);
    if (!status)
        status = bind_all(app, run, err);
    for (int32_t l = 0; l < run->n_loops; l++)
        result->useful_bytes += (double)request[l].calls * mplan_app_useful_bytes(&request[l], mesh);
    if (!status && run->options->check)
        status = check(run, request, mesh, result, err);
    if (!status)
        status = iterate(run, err);
    if (!status && run->options->repeats > 0)
        status = measure(run, result, err);
    return !status ? mplan_app_judge(&run->app, all_deterministic(run), result, err) : status;
}

/* Mach 0.4 at an angle; pressure and density are 1. */
mplan_status mplan_app_run_euler2d(const mplan_app *app, const mplan_mesh *mesh,
                                   const mplan_plan *plan, const mplan_app_options *options,
                                   mplan_app_result *result, mplan_error *err)
{
    const double gm1 = 0.4, u = 0.47, v = 0.06;
    euler_run run = {.app = *app, .plan = plan, .options = options};
    mplan_loop *request = NULL;
    int32_t n_request = 0;
    run.parameters = (mplan_euler2d_parameters){
        gm1, 0.4, 0, 1, {1, u, v, 1 / gm1 + 0.5 * (u * u + v * v)}};
    mplan_status status = app->choose(app, mesh, &run.loops, &run.n_loops, err);
    run.app.loops = run.loops;
    run.app.n_loops = run.n_loops;
    if (!status)
        status = mplan_app_request(app, mesh, &request, &n_request, err);
    if (!status)
        status = mplan_app_data_create(&run.app, mesh, request, 0, &run.data, err);
    if (!status)
        status = mplan_app_data_fits(&run.data, mesh, plan, err);
    if (!status)
        status = run_all(app, &run, request, mesh, result, err);
    mplan_exec_close(run.exec);
    for (int k = 0; k < 3; k++)
        free(run.bound[k]);
    free(run.loops);
    mplan_app_data_free(&run.data);
    mplan_app_request_free(request, n_request);
    return status;
}
