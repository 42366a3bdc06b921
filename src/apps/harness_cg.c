/* SPDX-License-Identifier: Apache-2.0 */
/* harness_cg.c - runs cg as a caller would write it
 *
 * The four vectors are memory of this file's, which the executor adopts; vector parts and dot products work on what
 * it says of them (mplan_exec_data). Checked before any time is taken: the answer is the one that the right-hand
 * side was made of, by the matrix as the mesh's own map gives it, and the first iterates are those of the same method
 * in the mesh's own order. Hestenes and Stiefel, J. Res. of the National Bureau of Standards 49 (1952). */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "apps/app_time.h"
#include "apps/cg.h"
#include "apps/harness.h"
#include "base/error.h"
#include "base/hash.h"
#include "base/memory.h"

enum { DIAGONAL, COUPLE };
enum { CHECKED_ITERATIONS = 8, MOST_ITERATIONS = 4000, BETWEEN = 10 };

/* Arrays of the mesh's order, a number a cell: what the answer must be, the right-hand side, and room. */
typedef struct cg_run {
    const mplan_app *app;
    const mplan_mesh *mesh;
    const mplan_plan *plan;
    const mplan_app_options *options;
    mplan_app_data data;
    mplan_map cells; /* of the faces */
    int64_t n_cells;
    double *answer, *right, *found, *zero;
    mplan_exec *exec;
    mplan_exec_loop *bound[2];
    mplan_cg_vectors vectors;
    bool gpu;
} cg_run;

/* --- the method, plainly ------------------------------------------------------------------ */

/* to = A from, by the faces one after the other. */
static void multiply_plainly(cg_run *run, const double *from, double *to)
{
    const double *diagonal = mplan_app_data_find(&run->data, "diagonal")->rows;
    const double *weight = mplan_app_data_find(&run->data, "weight")->rows;
    for (int64_t c = 0; c < run->n_cells; c++)
        to[c] = diagonal[c] * from[c];
    for (int64_t f = 0; f < run->cells.n_rows; f++) {
        const int32_t a = run->cells.values[2 * f], b = run->cells.values[2 * f + 1];
        to[a] += weight[f] * (from[a] - from[b]);
        to[b] += weight[f] * (from[b] - from[a]);
    }
}

/* In the order of the members. */
static double dot(const double *a, const double *b, int64_t n)
{
    double sum = 0;
    for (int64_t i = 0; i < n; i++)
        sum += a[i] * b[i];
    return sum;
}

/* 0 once the residual is 0, in place of NaN. */
static double ratio(double a, double b)
{
    return b > 0 ? a / b : 0;
}

/* x after some iterations from zero. */
static mplan_status iterate_plainly(cg_run *run, int32_t times, double *x, mplan_error *err)
{
    const int64_t n = run->n_cells;
    double *room = mplan_alloc_zero(3 * n, sizeof *room, err);
    if (!room)
        return MPLAN_ERR_MEMORY;
    double *r = room, *p = room + n, *ap = room + 2 * n;
    memset(x, 0, (size_t)n * sizeof *x);
    memcpy(r, run->right, (size_t)n * sizeof *r);
    memcpy(p, r, (size_t)n * sizeof *p);
    for (int32_t k = 0; k < times; k++) {
        multiply_plainly(run, p, ap);
        const double rr = dot(r, r, n), alpha = ratio(rr, dot(p, ap, n));
        for (int64_t i = 0; i < n; i++) {
            x[i] += alpha * p[i];
            r[i] -= alpha * ap[i];
        }
        const double beta = ratio(dot(r, r, n), rr);
        for (int64_t i = 0; i < n; i++)
            p[i] = r[i] + beta * p[i];
    }
    free(room);
    return MPLAN_OK;
}

/* ||a - b|| / ||b||, infinite where a number is none. */
static double distance(const double *a, const double *b, int64_t n)
{
    double square = 0, whole = 0;
    for (int64_t i = 0; i < n; i++) {
        square += (a[i] - b[i]) * (a[i] - b[i]);
        whole += b[i] * b[i];
    }
    return !isfinite(square) ? (double)INFINITY : square == 0 ? 0 : sqrt(square / whole);
}

/* --- the method, in the executor's order --------------------------------------------------- */

/* The first direction is the residual. */
static void begin_on_host(const mplan_cg_vectors *v)
{
    memcpy(v->p, v->r, (size_t)v->n * sizeof *v->p);
    v->sums[MPLAN_CG_RR] = dot(v->r, v->r, v->n);
}

/* x and r one step along p, then p from the new residual; sums[RR] is r * r before and after. */
static void iterate_on_host(const mplan_cg_vectors *v)
{
    const double rr = v->sums[MPLAN_CG_RR], alpha = ratio(rr, dot(v->p, v->ap, v->n));
    for (int64_t i = 0; i < v->n; i++) {
        v->x[i] += alpha * v->p[i];
        v->r[i] -= alpha * v->ap[i];
    }
    v->sums[MPLAN_CG_RR] = dot(v->r, v->r, v->n);
    const double beta = ratio(v->sums[MPLAN_CG_RR], rr);
    for (int64_t i = 0; i < v->n; i++)
        v->p[i] = v->r[i] + beta * v->p[i];
}

/* An iteration: all of it in one stream. */
static mplan_status iterate(void *user, int32_t i, void *stream, mplan_error *err)
{
    static const mplan_no_parameters none = {0};
    cg_run *run = user;
    (void)i;
    mplan_status status = mplan_exec_launch(run->exec, run->bound[DIAGONAL], &none, stream, err);
    if (!status)
        status = mplan_exec_launch(run->exec, run->bound[COUPLE], &none, stream, err);
    if (status)
        return status;
    if (run->gpu)
        return mplan_cg_gpu_iterate(&run->vectors, stream, err);
    iterate_on_host(&run->vectors);
    return MPLAN_OK;
}

/* x zero, r the right-hand side, p as r. */
static mplan_status begin(cg_run *run, mplan_error *err)
{
    mplan_status status = mplan_exec_upload(run->exec, "x", run->zero, run->n_cells, 1,
                                            MPLAN_TYPE_F64, err);
    if (!status)
        status = mplan_exec_upload(run->exec, "r", run->right, run->n_cells, 1, MPLAN_TYPE_F64, err);
    if (!status && run->gpu)
        return mplan_cg_gpu_begin(&run->vectors, NULL, err);
    if (!status)
        begin_on_host(&run->vectors);
    return status;
}

/* Some iterations more; found gets the rows of a vector. */
static mplan_status go_on(cg_run *run, int64_t times, const char *vector, mplan_error *err)
{
    mplan_status status = MPLAN_OK;
    for (int64_t k = 0; k < times && !status; k++)
        status = iterate(run, 0, NULL, err);
    if (!status)
        status = mplan_exec_wait(run->exec, err);
    return !status ? mplan_exec_download(run->exec, vector, run->found, run->n_cells, 1,
                                         MPLAN_TYPE_F64, err)
                   : status;
}

/* --- what must hold ------------------------------------------------------------------------- */

/* Until the residual is nothing but rounding: the answer, and its residual by the mesh's own map. */
static mplan_status prove(cg_run *run, mplan_error *err)
{
    const double least = 1e-13 * sqrt(dot(run->right, run->right, run->n_cells));
    double left = INFINITY;
    mplan_status status = begin(run, err);
    for (int32_t k = 0; k < MOST_ITERATIONS && left > least && !status; k += BETWEEN) {
        status = go_on(run, BETWEEN, "r", err);
        left = sqrt(dot(run->found, run->found, run->n_cells));
    }
    if (!status)
        status = go_on(run, 0, "x", err);
    if (status)
        return status;
    const double wrong = distance(run->found, run->answer, run->n_cells);
    double *again = mplan_alloc(run->n_cells, sizeof *again, err);
    if (!again)
        return MPLAN_ERR_MEMORY;
    multiply_plainly(run, run->found, again);
    const double residual = distance(again, run->right, run->n_cells);
    free(again);
    if (!(wrong <= 1e-10 && residual <= 1e-11))
        return mplan_fail(err, MPLAN_ERR_DISPROVED,
                          "cg: the answer is wrong by %.3g (limit 1e-10), its residual is %.3g (limit 1e-11)",
                          wrong, residual);
    return MPLAN_OK;
}

/* The first iterates against those in the mesh's own order, twice for equal bits. */
static mplan_status check(cg_run *run, mplan_app_result *result, mplan_error *err)
{
    const size_t bytes = (size_t)run->n_cells * sizeof(double);
    double *first = mplan_alloc(run->n_cells, sizeof *first, err);
    mplan_status status = first ? iterate_plainly(run, CHECKED_ITERATIONS, first, err)
                                : MPLAN_ERR_MEMORY;
    for (int again = 0; again < 2 && !status; again++) {
        status = begin(run, err);
        if (!status)
            status = go_on(run, CHECKED_ITERATIONS, "x", err);
        if (!status && !again) {
            result->error = distance(run->found, first, run->n_cells);
            mplan_fingerprint *print = mplan_fingerprint_begin();
            if (print)
                mplan_fingerprint_bytes(print, run->found, bytes);
            if (!mplan_fingerprint_end(print, &result->bits))
                status = mplan_fail(err, MPLAN_ERR_MEMORY, "out of memory");
            memcpy(first, run->found, bytes);
        } else if (!status) {
            result->equal_bits = !memcmp(first, run->found, bytes);
        }
    }
    free(first);
    return status;
}

/* --- the run ---------------------------------------------------------------------------------- */

/* The four vectors in one piece of memory, adopted: two are of the plan's loops, two are not. */
static mplan_status adopt(cg_run *run, mplan_error *err)
{
    mplan_cg_vectors *v = &run->vectors;
    v->n = mplan_plan_get_set(run->plan, mplan_plan_find_set(run->plan, "cells"))->storage_size;
    const int64_t bytes = mplan_cg_bytes(v->n);
    mplan_status status = MPLAN_OK;
    if (run->gpu)
        status = mplan_cg_gpu_room(bytes, &v->memory, err);
    else
        v->memory = mplan_alloc_zero(bytes, 1, err);
    if (!status && !v->memory)
        status = MPLAN_ERR_MEMORY;
    if (status)
        return status;
    mplan_cg_lay_out(v);
    const struct {
        const char *name;
        double *at;
    } vector[] = {{"x", v->x}, {"r", v->r}, {"p", v->p}, {"ap", v->ap}};
    for (int k = 0; k < 4 && !status; k++) {
        mplan_dat_view view;
        status = mplan_exec_adopt(run->exec, vector[k].name, "cells", 1, MPLAN_TYPE_F64, -1,
                                  vector[k].at, v->n * (int64_t)sizeof(double), err);
        if (!status)
            status = mplan_exec_data(run->exec, vector[k].name, MPLAN_RW, &view, err);
        if (!status &&
            (view.data != vector[k].at || view.member_stride != 1 || view.storage_rows != v->n))
            status = mplan_fail(err, MPLAN_ERR_INTERNAL, "cg: %s lies elsewhere than it was put",
                                vector[k].name);
    }
    return status;
}

/* The answer is random, the right-hand side follows from it. */
static mplan_status make_problem(cg_run *run, mplan_error *err)
{
    mplan_app_dat *p = mplan_app_data_find(&run->data, "p");
    mplan_app_data_random(run->app, run->options->seed, &run->data);
    run->n_cells = p->members;
    run->answer = mplan_copy(p->rows, mplan_app_dat_bytes(p), 1, err);
    run->right = mplan_alloc(run->n_cells, sizeof *run->right, err);
    run->found = mplan_alloc(run->n_cells, sizeof *run->found, err);
    run->zero = mplan_alloc_zero(run->n_cells, sizeof *run->zero, err);
    if (!run->answer || !run->right || !run->found || !run->zero)
        return MPLAN_ERR_MEMORY;
    multiply_plainly(run, run->answer, run->right);
    return MPLAN_OK;
}

/* An iteration at a time on the host, four together on a device. */
static mplan_status measure(cg_run *run, mplan_app_result *result, mplan_error *err)
{
    const int32_t n_steps = run->gpu ? 4 : 1;
    mplan_status status = mplan_app_time(run->exec, run->options->exec->executor, iterate, run,
                                         n_steps, run->options->repeats, &result->microseconds, err);
    if (!status)
        status = mplan_app_copy_rate(run->exec, &result->copy_rate, err);
    if (!status && result->microseconds > 0)
        result->bandwidth = result->useful_bytes / (result->microseconds * 1e-6);
    return status;
}

/* Checks, then iterations, then time. Useful bytes: of the loops, and each vector of the rest once as it is read and
 * once as it is written: p and ap for the dot product; x, r, p, ap for x and r; r, p for p; r for its square. */
static mplan_status run_all(cg_run *run, const mplan_loop *request, mplan_app_result *result,
                            mplan_error *err)
{
    bool deterministic;
    if (run->options->bundle)
        return mplan_fail(err, MPLAN_ERR_ARGUMENT,
                          "cg does not run in parts: one executor adopts its vectors, and executors of parts adopt nothing");
    mplan_app_variant(run->plan, run->app->loops[COUPLE].name, run->options->variant, &deterministic);
    mplan_status status = mplan_app_open(run->plan, run->options, &run->data, &run->exec, err);
    if (!status)
        status = adopt(run, err);
    for (int32_t l = 0; l < run->app->n_loops && !status; l++) {
        result->useful_bytes += mplan_app_useful_bytes(&request[l], run->mesh);
        status = mplan_app_bind(run->app, l, run->plan, run->options, run->exec, &run->bound[l], err);
    }
    result->useful_bytes += 12.0 * 8 * (double)run->n_cells;
    if (!status && run->options->check)
        status = prove(run, err);
    if (!status && run->options->check)
        status = check(run, result, err);
    if (!status)
        status = begin(run, err);
    if (!status)
        status = go_on(run, run->options->iterations, "x", err);
    if (!status && run->options->repeats > 0)
        status = measure(run, result, err);
    return !status ? mplan_app_judge(run->app, deterministic, result, err) : status;
}

/* The executor adopts run.vectors.memory, so it is closed before the memory is freed, on the device or the host. */
mplan_status mplan_app_run_cg(const mplan_app *app, const mplan_mesh *mesh, const mplan_plan *plan,
                              const mplan_app_options *options, mplan_app_result *result,
                              mplan_error *err)
{
    cg_run run = {.app = app, .mesh = mesh, .plan = plan, .options = options};
    mplan_loop *request = NULL;
    int32_t n_loops = 0;
    run.gpu = options->exec->executor == MPLAN_EXECUTOR_CUDA;
    mplan_status status = mplan_app_request(app, mesh, &request, &n_loops, err);
    if (!status)
        status = mplan_app_data_create(app, mesh, request, 0, &run.data, err);
    if (!status)
        status = mplan_app_data_fits(&run.data, mesh, plan, err);
    if (!status) {
        run.cells = mplan_mesh_map(mesh, mplan_mesh_find_map(mesh, request[COUPLE].args[0].map));
        status = make_problem(&run, err);
    }
    if (!status)
        status = run_all(&run, request, result, err);
    mplan_exec_close(run.exec);
    if (run.gpu)
        mplan_cg_gpu_free(run.vectors.memory);
    else
        free(run.vectors.memory);
    free(run.answer);
    free(run.right);
    free(run.found);
    free(run.zero);
    mplan_app_data_free(&run.data);
    mplan_app_request_free(request, n_loops);
    return status;
}
