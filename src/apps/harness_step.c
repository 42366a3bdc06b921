/* SPDX-License-Identifier: Apache-2.0 */
/* harness_step.c - runs applications that make steps of several loops
 *
 * Before any time is taken: what the application proves of itself (conservation, a solution that is known), and
 * its first steps against the mesh's own order, twice for equal bits. */
#include "apps/harness_step.h"

#include <stdlib.h>
#include <string.h>

#include "apps/app_time.h"
#include "base/error.h"
#include "base/memory.h"

enum { CHECKED_STEPS = 2 };

/* --- what steps are made of ---------------------------------------------------------- */

/* What is uploaded, n times dim numbers in the mesh's order. */
double *mplan_app_rows(mplan_app_stepper *run, const char *dat)
{
    return mplan_app_data_find(&run->data, dat)->rows;
}

float *mplan_app_rows_f32(mplan_app_stepper *run, const char *dat)
{
    return mplan_app_data_find(&run->data, dat)->rows;
}

/* Rows that the dat has: members of its set times levels. */
int64_t mplan_app_members(mplan_app_stepper *run, const char *dat)
{
    return mplan_app_dat_rows(mplan_app_data_find(&run->data, dat));
}

/* Loop i by the executor, or, for the reference (plainly), in the order of the mesh. */
mplan_status mplan_app_play(mplan_app_stepper *run, int32_t i, const void *parameters,
                            mplan_error *err)
{
    if (!run->plainly)
        return mplan_exec_launch(run->exec, run->bound[i], parameters, run->stream, err);
    if (run->app->layered)
        mplan_app_data_step_layers(run->app, i, run->request, run->mesh, run->layers, parameters,
                                   &run->data);
    else
        mplan_app_data_step(run->app, i, run->request, run->mesh, parameters, &run->data);
    return MPLAN_OK;
}

/* Sets a global, in the order of the stream. */
mplan_status mplan_app_put(mplan_app_stepper *run, const char *dat, const void *value,
                           mplan_error *err)
{
    mplan_app_dat *to = mplan_app_data_find(&run->data, dat);
    if (!run->plainly)
        return mplan_exec_set(run->exec, dat, value, to->dim, to->type, run->stream, err);
    memcpy(to->reference, value, (size_t)mplan_app_dat_bytes(to));
    return MPLAN_OK;
}

/* --- starts and proofs ----------------------------------------------------------------- */

/* Rows for a start of this kind, in the executor too. */
static mplan_status begin(mplan_app_stepper *run, int32_t kind, mplan_error *err)
{
    run->kind = kind;
    for (int32_t i = 0; i < run->data.n; i++)
        if (run->data.dat[i].first == MPLAN_WRITE)
            memset(run->data.dat[i].rows, 0xff, (size_t)mplan_app_dat_bytes(&run->data.dat[i]));
    run->app->steps->start(run);
    return run->exec ? mplan_app_data_upload(&run->data, run->exec, err) : MPLAN_OK;
}

/* Whether dats go through windows: then steps are made by mplan_exec_steps, many at once. */
static bool is_limited(const mplan_app_stepper *run)
{
    return run->options->exec->device_memory > 0;
}

/* Entry after entry, with the application's parameters. */
static mplan_status step_by_entries(mplan_app_stepper *run, mplan_error *err)
{
    const mplan_app *app = run->app;
    mplan_status status = MPLAN_OK;
    if (!run->plainly)
        return mplan_app_step_once(run->exec, run->entries, app->n_step, run->stream, err);
    for (int32_t k = 0; k < app->n_step && !status; k++) {
        if (app->step[k].clear)
            mplan_app_data_clear(&run->data, app->step[k].clear);
        status = mplan_app_play(run, app->step[k].loop, app->parameters, err);
    }
    return status;
}

/* By the application's own step where it has one, else by its entries; on the reference where run->plainly. */
static mplan_status one_step(mplan_app_stepper *run, mplan_error *err)
{
    return run->app->steps->step ? run->app->steps->step(run, err) : step_by_entries(run, err);
}

/* Waits at the end, since the next thing looks at results. */
static mplan_status steps(mplan_app_stepper *run, int64_t n, mplan_error *err)
{
    mplan_status status = MPLAN_OK;
    if (is_limited(run))
        return mplan_exec_steps(run->exec, run->entries, run->app->n_step, n, err);
    for (int64_t i = 0; i < n && !status; i++)
        status = one_step(run, err);
    return !status ? mplan_exec_wait(run->exec, err) : status;
}

/* kind: of the start, as the application counts them. */
mplan_status mplan_app_steps_from(mplan_app_stepper *run, int32_t kind, int64_t n, mplan_error *err)
{
    mplan_status status = begin(run, kind, err);
    return !status ? steps(run, n, err) : status;
}

/* *rows is the caller's. */
mplan_status mplan_app_fetch(mplan_app_stepper *run, const char *dat, void **rows, mplan_error *err)
{
    mplan_app_dat *from = mplan_app_data_find(&run->data, dat);
    *rows = mplan_alloc(mplan_app_dat_bytes(from), 1, err);
    return *rows ? mplan_exec_download(run->exec, dat, *rows, mplan_app_dat_rows(from), from->dim,
                                       from->type, err)
                 : MPLAN_ERR_MEMORY;
}

/* After Kahan, Commun. ACM 8 (1965). */
double mplan_app_whole(const double *terms, int64_t n)
{
    double sum = 0, rest = 0;
    for (int64_t i = 0; i < n; i++) {
        double term = terms[i] - rest, next = sum + term;
        rest = (next - sum) - term;
        sum = next;
    }
    return sum;
}

/* The first steps against the mesh's own order, twice for equal bits. */
static mplan_status check(mplan_app_stepper *run, mplan_app_result *result, mplan_error *err)
{
    mplan_status status = begin(run, 0, err);
    if (!status)
        status = mplan_app_data_begin(&run->data, err);
    run->plainly = true;
    for (int32_t s = 0; s < CHECKED_STEPS && !status; s++)
        status = one_step(run, err);
    run->plainly = false;
    for (int32_t again = 0; again < 2 && !status; again++) {
        status = mplan_app_steps_from(run, 0, CHECKED_STEPS, err);
        if (!status && again == 0)
            status = mplan_app_data_compare(&run->data, run->exec, &result->error, &result->bits,
                                            err);
        if (!status)
            status = mplan_app_data_same(&run->data, run->exec, &result->equal_bits, err);
    }
    return status;
}

/* --- the run ----------------------------------------------------------------------------- */

/* run->stream is set meanwhile only: a graph records the launches. */
static mplan_status timed_step(void *user, int32_t i, void *stream, mplan_error *err)
{
    mplan_app_stepper *run = user;
    (void)i;
    if (is_limited(run))
        return mplan_app_visit_once(run->exec, run->entries, run->app->n_step, err);
    run->stream = stream;
    mplan_status status = one_step(run, err);
    run->stream = NULL;
    return status;
}

/* A step at a time on the host, four together on a device. */
static mplan_status measure(mplan_app_stepper *run, mplan_app_result *result, mplan_error *err)
{
    mplan_executor executor = run->options->exec->executor;
    int32_t n_steps = executor == MPLAN_EXECUTOR_CUDA ? 4 : 1;
    mplan_status status = is_limited(run)
                              ? mplan_app_time_visits(run->options, run->exec, run->plan,
                                                      run->entries, run->app->n_step,
                                                      &result->microseconds, err)
                              : mplan_app_time(run->exec, executor, timed_step, run, n_steps,
                                               run->options->repeats, &result->microseconds, err);
    if (!status)
        status = mplan_app_copy_rate(run->exec, &result->copy_rate, err);
    if (!status && result->microseconds > 0)
        result->bandwidth = result->useful_bytes / (result->microseconds * 1e-6);
    return status;
}

/* Equal bits are asked of a step only where all of its loops promise them. */
static bool all_deterministic(const mplan_app_stepper *run)
{
    bool all = true;
    for (int32_t l = 0; l < run->app->n_loops; l++) {
        bool one;
        mplan_app_variant(run->plan, run->app->loops[l].name, run->options->variant, &one);
        all = all && one;
    }
    return all;
}

/* Whether rows are uploaded once and not looked at again. */
static bool needs_rows_once(const mplan_app_stepper *run)
{
    const mplan_app_options *options = run->options;
    return is_limited(run) && !options->check && !options->in_memory && !options->bundle &&
           options->iterations == 0;
}

/* Checks, then iterations, then time. */
static mplan_status run_all(mplan_app_stepper *run, mplan_app_result *result, mplan_error *err)
{
    const mplan_app *app = run->app;
    mplan_status status = app->steps->geometry(run, err);
    if (!status)
        status = begin(run, 0, err);
    if (!status)
        status = needs_rows_once(run)
                     ? mplan_app_open_large(run->plan, run->options, &run->data, &run->exec, err)
                     : mplan_app_open(run->plan, run->options, &run->data, &run->exec, err);
    for (int32_t l = 0; l < app->n_loops && !status; l++) {
        result->useful_bytes += (double)run->request[l].calls *
                                mplan_app_data_useful_bytes(&run->data, &run->request[l], run->mesh);
        status = mplan_app_bind(app, l, run->plan, run->options, run->exec, &run->bound[l], err);
    }
    for (int32_t k = 0; k < app->n_step && !status; k++)
        run->entries[k] = (mplan_exec_entry){run->bound[app->step[k].loop], app->parameters,
                                             app->step[k].clear};
    if (!status && run->options->in_memory)
        status = mplan_app_same_in_memory(app, run->plan, run->options, run->entries, app->n_step,
                                          &run->data, run->exec, result, err);
    if (!status && run->options->check)
        status = app->steps->prove(run, err);
    if (!status && run->options->check)
        status = check(run, result, err);
    if (!status && run->options->iterations > 0)
        status = mplan_app_steps_from(run, 0, run->options->iterations, err);
    if (!status)
        status = mplan_app_count_exchange(run->exec, run->options, timed_step, run, result, err);
    if (!status && run->options->repeats > 0)
        status = measure(run, result, err);
    return !status ? mplan_app_judge(app, all_deterministic(run), result, err) : status;
}

/* run.request and run.data outlive the executor, which reads both; entries are bound in run_all. */
mplan_status mplan_app_run_steps(const mplan_app *app, const mplan_mesh *mesh,
                                 const mplan_plan *plan, const mplan_app_options *options,
                                 mplan_app_result *result, mplan_error *err)
{
    mplan_app_stepper run = {.app = app, .mesh = mesh, .plan = plan, .options = options};
    mplan_loop *request = NULL;
    int32_t n_loops = 0;
    mplan_status status = mplan_app_request(app, mesh, &request, &n_loops, err);
    run.request = request;
    if (!status)
        status = mplan_app_layers_of(app, plan, &run.layers, err);
    if (!status)
        status = mplan_app_data_create(app, mesh, request, run.layers, &run.data, err);
    if (!status)
        status = mplan_app_data_fits(&run.data, mesh, plan, err);
    if (!status)
        status = run_all(&run, result, err);
    result->launch_streams = mplan_exec_launch_streams(run.exec);
    mplan_exec_close(run.exec);
    mplan_app_data_free(&run.data);
    mplan_app_request_free(request, n_loops);
    return status;
}
