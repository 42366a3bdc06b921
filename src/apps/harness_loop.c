/* SPDX-License-Identifier: Apache-2.0 */
/* harness_loop.c - runs an application of one loop on random data
 *
 * Check: against the mesh's own order (app_data.h), with the outputs poisoned, then
 * launched again and again from the same data for equal bits. Time: in one graph the loop runs on copies of
 * everything in turn, so many that each launch finds none of its data in the
 * device's cache; a mesh several times as large as the cache needs one copy. */
#include <stdlib.h>
#include <string.h>

#include "apps/harness.h"
#include "apps/snapshot.h"

/* An application of one loop while it runs: exec[i] and bound[i] are copy i of
 * all dats. */
typedef struct loop_run {
    const mplan_app *app;
    const mplan_plan *plan;
    const mplan_app_options *options;
    mplan_app_data data;
    int32_t n_copies;
    mplan_exec *exec[MPLAN_APP_MOST_COPIES];
    mplan_exec_loop *bound[MPLAN_APP_MOST_COPIES];
} loop_run;

/* Another copy of all dats: rotating over them keeps them out of the cache. */
static mplan_status add_copy(loop_run *run, mplan_error *err)
{
    int32_t i = run->n_copies;
    mplan_status status = mplan_app_open(run->plan, run->options, &run->data, &run->exec[i], err);
    if (status)
        return status;
    run->n_copies++;
    return mplan_app_bind(run->app, 0, run->plan, run->options, run->exec[i], &run->bound[i], err);
}

/* i counts launches: copies take turns. */
static mplan_status launch(void *user, int32_t i, void *stream, mplan_error *err)
{
    loop_run *run = user;
    int32_t copy = i % run->n_copies;
    mplan_app_change_summed(run->exec[0], mplan_plan_get_loop(run->plan, 0), run->plan);
    return mplan_exec_launch(run->exec[copy], run->bound[copy], run->app->parameters, stream, err);
}

/* One launch from the data as they were at first. */
static mplan_status launch_fresh(loop_run *run, mplan_error *err)
{
    mplan_status status = mplan_app_data_upload(&run->data, run->exec[0], err);
    if (!status)
        status = launch(run, 0, NULL, err);
    if (!status)
        status = mplan_exec_wait(run->exec[0], err);
    return status;
}

/* One launch against the reference. */
static mplan_status check(loop_run *run, const mplan_loop *request, const mplan_mesh *mesh,
                          mplan_app_result *result, mplan_error *err)
{
    mplan_status status = mplan_app_data_begin(&run->data, err);
    if (!status) {
        mplan_app_data_step(run->app, 0, request, mesh, run->app->parameters, &run->data);
        status = launch_fresh(run, err);
    }
    if (!status)
        status = mplan_app_data_compare(&run->data, run->exec[0], &result->error, &result->bits, err);
    return status;
}

/* As mplan_exec_repeat calls it: on copy 0, in the default stream. */
static mplan_status launch_first(void *user, mplan_error *err)
{
    return launch(user, 0, NULL, err);
}

/* The same by rows of the host: parts have no snapshot. */
static mplan_status repeat_parts(loop_run *run, mplan_app_result *result, mplan_error *err)
{
    mplan_status status = MPLAN_OK;
    for (int64_t i = 0; i < run->options->iterations && !status; i++) {
        status = launch_fresh(run, err);
        if (!status)
            status = mplan_app_data_same(&run->data, run->exec[0], &result->equal_bits, err);
    }
    return status;
}

/* All launches from the same data; each result's bits against those of the first. */
static mplan_status repeat(loop_run *run, mplan_app_result *result, mplan_error *err)
{
    mplan_exec_snapshot *start = NULL;
    if (run->options->bundle)
        return repeat_parts(run, result, err);
    mplan_status status = mplan_app_data_upload(&run->data, run->exec[0], err);
    if (!status)
        status = mplan_exec_snapshot_take(run->exec[0], &start, err);
    if (!status)
        status = mplan_exec_repeat(start, run->options->iterations, launch_first, run,
                                   &result->equal_bits, err);
    mplan_exec_snapshot_free(start);
    return status;
}

/* Launches go to copies of all dats in turn; copies are added here until no launch can find its data in a cache. */
static mplan_status measure(loop_run *run, mplan_app_result *result, mplan_error *err)
{
    const mplan_executor executor = run->options->exec->executor;
    /* a graph of parts has launches of one executor */
    const int32_t copies = run->options->bundle
                               ? 1
                               : mplan_app_cold_copies(executor, result->useful_bytes);
    mplan_status status = MPLAN_OK;
    while (run->n_copies < copies && !status)
        status = add_copy(run, err);
    return status ? status
                  : mplan_app_measure(run->exec[0], executor, launch, run,
                                      mplan_app_cold_launches(executor, copies),
                                      run->options->repeats, result, err);
}

/* One loop, several executors with the same data: launches go to them in turn, so that a small
 * mesh does not stay in a cache. All of them are closed at `done`, also after a failure. */
mplan_status mplan_app_run_loop(const mplan_app *app, const mplan_mesh *mesh,
                                const mplan_plan *plan, const mplan_app_options *options,
                                mplan_app_result *result, mplan_error *err)
{
    loop_run run = {.app = app, .plan = plan, .options = options};
    mplan_loop *request = NULL;
    int32_t n_loops = 0;
    bool deterministic;
    mplan_app_variant(plan, app->loops[0].name, options->variant, &deterministic);
    mplan_status status = mplan_app_request(app, mesh, &request, &n_loops, err);
    if (!status)
        status = mplan_app_data_create(app, mesh, request, 0, &run.data, err);
    if (!status)
        status = mplan_app_data_fits(&run.data, mesh, plan, err);
    if (status)
        goto done;
    mplan_app_data_random(app, options->seed, &run.data);
    result->useful_bytes = mplan_app_useful_bytes(&request[0], mesh);
    status = add_copy(&run, err);
    if (!status && options->check)
        status = check(&run, request, mesh, result, err);
    if (!status)
        status = repeat(&run, result, err);
    if (!status)
        status = mplan_app_count_exchange(run.exec[0], options, launch, &run, result, err);
    if (!status && options->repeats > 0)
        status = measure(&run, result, err);
    if (!status)
        status = mplan_app_judge(app, deterministic, result, err);
done:
    for (int32_t i = 0; i < run.n_copies; i++)
        mplan_exec_close(run.exec[i]);
    mplan_app_data_free(&run.data);
    mplan_app_request_free(request, n_loops);
    return status;
}
