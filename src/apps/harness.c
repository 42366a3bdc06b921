/* SPDX-License-Identifier: Apache-2.0 */
/* harness.c - what both ways to run an application share */
#include "apps/harness.h"

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "exec/exec.h"
#include "exec/ranks/exec_parts.h"

/* -1: the loop's default. *deterministic: whether the one that will run promises
 * equal bits. */
int32_t mplan_app_variant(const mplan_plan *plan, const char *loop, int32_t wanted,
                          bool *deterministic)
{
    for (int32_t l = 0; l < mplan_plan_n_loops(plan); l++) {
        const mplan_plan_loop *found = mplan_plan_get_loop(plan, l);
        if (strcmp(found->name, loop))
            continue;
        int32_t chosen = wanted >= 0 && wanted < found->n_variants ? wanted : -1;
        int32_t used = chosen >= 0 ? chosen : found->default_variant;
        /* A loop without variants has nothing that could race. */
        *deterministic = found->n_variants == 0 || found->variants[used].deterministic;
        return chosen;
    }
    *deterministic = false;
    return -1;
}

static mplan_status has_no_cuda(mplan_error *err)
{
    return mplan_fail(err, MPLAN_ERR_UNSUPPORTED,
                      "this build of meshplan has no CUDA; cmake -DMPLAN_WITH_CUDA=ON builds one that has, with nvcc");
}

/* The kernel for the host or for the GPU; a build without CUDA has none for the GPU. */
mplan_status mplan_app_kernel(const mplan_app_loop *loop, mplan_executor executor,
                              const mplan_kernel **kernel, mplan_error *err)
{
    *kernel = executor == MPLAN_EXECUTOR_CUDA ? loop->device : loop->host;
    return *kernel ? MPLAN_OK : has_no_cuda(err);
}

mplan_status mplan_app_layer_kernel(const mplan_app *app, int32_t i, mplan_executor executor,
                                    const mplan_layer_kernel **kernel, mplan_error *err)
{
    const mplan_app_layered *layered = &app->layered[i];
    *kernel = executor == MPLAN_EXECUTOR_CUDA ? layered->device : layered->host;
    return *kernel ? MPLAN_OK : has_no_cuda(err);
}

/* Declares the dats of all loops in one layout (-1: as the plan advises); a dat that several args name is declared once. only: the
 * name of a dat, NULL: all of them. */
static mplan_status declare_in(const mplan_plan *plan, int32_t layout, const char *only,
                               mplan_exec *exec, mplan_error *err)
{
    mplan_status status = MPLAN_OK;
    for (int32_t l = 0; l < mplan_plan_n_loops(plan); l++) {
        const mplan_plan_loop *loop = mplan_plan_get_loop(plan, l);
        for (int32_t a = 0; a < loop->n_args && !status; a++) {
            const mplan_plan_arg *arg = &loop->args[a];
            const int32_t set = arg->map < 0 ? loop->set : mplan_plan_get_map(plan, arg->map)->to;
            const mplan_exec *one = mplan_exec_part(exec, 0, NULL);
            if (only && strcmp(only, arg->dat))
                continue;
            if (arg->map != MPLAN_MAP_GLOBAL && mplan_exec_find_dat(one ? one : exec, arg->dat) < 0)
                status = mplan_exec_declare(exec, arg->dat, mplan_plan_get_set(plan, set)->name,
                                            arg->dim, arg->type, layout, err);
        }
    }
    return status;
}

/* Opens an executor with all dats of the plan and uploads the start values. *exec is set only
 * after success; `data` stays the caller's. */
mplan_status mplan_app_open(const mplan_plan *plan, const mplan_app_options *options,
                            const mplan_app_data *data, mplan_exec **exec, mplan_error *err)
{
    mplan_exec *made = NULL;
    mplan_status status = options->bundle
                              ? mplan_exec_open_part(options->bundle, NULL, options->exec,
                                                     options->ranks, &made, err)
                              : mplan_exec_open(plan, options->exec, &made, err);
    if (!status && options->layout >= 0)
        status = declare_in(plan, options->layout, NULL, made, err);
    if (!status)
        status = mplan_exec_declare_all(made, err);
    if (!status)
        status = mplan_app_data_upload(data, made, err);
    if (status)
        mplan_exec_close(made);
    else
        *exec = made;
    return status;
}

/* Member dats are declared one by one, and the rows of each are freed as soon as the executor has them: so data that fill most of the
 * host's memory are there once, not twice. Then nothing can be uploaded again. */
mplan_status mplan_app_open_large(const mplan_plan *plan, const mplan_app_options *options,
                                  mplan_app_data *data, mplan_exec **exec, mplan_error *err)
{
    assert(!options->bundle);
    mplan_exec *made = NULL;
    mplan_status status = mplan_exec_open(plan, options->exec, &made, err);
    for (int32_t i = 0; i < data->n && !status; i++) {
        mplan_app_dat *dat = &data->dat[i];
        if (dat->set == MPLAN_APP_GLOBAL)
            continue;
        status = declare_in(plan, options->layout, dat->name, made, err);
        if (!status)
            status = mplan_app_dat_upload(dat, made, err);
        free(dat->rows);
        dat->rows = NULL;
    }
    if (!status)
        status = mplan_exec_declare_all(made, err);
    for (int32_t i = 0; i < data->n && !status; i++)
        if (data->dat[i].set == MPLAN_APP_GLOBAL)
            status = mplan_app_dat_upload(&data->dat[i], made, err);
    if (status)
        mplan_exec_close(made);
    else
        *exec = made;
    return status;
}

/* Loop i of the application under the variant that the options name (default: the first), with
 * the kernel for the executor's kind. */
mplan_status mplan_app_bind(const mplan_app *app, int32_t i, const mplan_plan *plan,
                            const mplan_app_options *options, mplan_exec *exec,
                            mplan_exec_loop **bound, mplan_error *err)
{
    const mplan_app_loop *loop = &app->loops[i];
    const mplan_kernel *kernel = NULL;
    const mplan_layer_kernel *layered = NULL;
    bool deterministic;
    int32_t variant = mplan_app_variant(plan, loop->name, options->variant, &deterministic);
    if (app->layered) {
        mplan_status found = mplan_app_layer_kernel(app, i, options->exec->executor, &layered, err);
        return found ? found : mplan_exec_bind_layers(exec, loop->name, variant, layered, bound, err);
    }
    mplan_status status = mplan_app_kernel(loop, options->exec->executor, &kernel, err);
    if (!status)
        status = mplan_exec_bind(exec, loop->name, variant, kernel, bound, err);
    return status;
}

/* The executor asks its first part what has changed. */
void mplan_app_change_summed(mplan_exec *exec, const mplan_plan_loop *loop, const mplan_plan *plan)
{
    mplan_exec *first = mplan_exec_part(exec, 0, NULL);
    int32_t set = -1;
    for (int32_t a = 0; first && a < loop->n_args; a++)
        if (loop->args[a].map >= 0 && mplan_access_adds(loop->args[a].access))
            set = mplan_plan_get_map(plan, loop->args[a].map)->to;
    for (int32_t d = 0; set >= 0 && d < first->n_dats; d++)
        if (first->dats[d].set == set)
            first->dats[d].times++;
}

/* --- exchanges -------------------------------------------------------------------------- */

enum { MOST_PERIOD = 64 };

/* Counters of the executor after 0, 1, ... steps, and up to which ring the halo of each dat was right then: n_dats levels
 * for each of these states. */
typedef struct exchange_count {
    mplan_exchange_figures *after;
    int32_t *level, n_dats, n_states;
} exchange_count;

static mplan_status take_down(mplan_exec *exec, exchange_count *count, mplan_error *err)
{
    int32_t *level = count->level + (int64_t)count->n_states * count->n_dats;
    for (int32_t d = 0; d < count->n_dats; d++)
        level[d] = mplan_exec_parts_level(exec->parts, d);
    return mplan_exec_exchanged(exec, &count->after[count->n_states++], err);
}

/* The last state before the newest that has its levels; -1: none. From there on the steps between both come again, since
 * exchanges follow from levels. */
static int32_t seen_before(const exchange_count *count)
{
    const int32_t newest = count->n_states - 1;
    const size_t bytes = (size_t)count->n_dats * sizeof *count->level;
    for (int32_t k = newest - 1; k >= 0; k--)
        if (!memcmp(count->level + (int64_t)k * count->n_dats,
                    count->level + (int64_t)newest * count->n_dats, bytes))
            return k;
    return -1;
}

/* The difference of two states. */
static void tell_exchange(const mplan_exchange_figures *before, const mplan_exchange_figures *after,
                          int32_t steps, mplan_app_result *result)
{
    result->ranks = after->ranks;
    result->parts = after->parts;
    snprintf(result->transport, sizeof result->transport, "%s", after->transport);
    result->exchange_steps = steps;
    result->exchanges = after->exchanges - before->exchanges;
    result->messages = after->messages - before->messages;
    result->message_bytes = after->bytes - before->bytes;
    result->copied_bytes = after->copied - before->copied;
    result->inside_exchanges = after->inside - before->inside;
}

/* The step is run once more, by itself, or, with a limited device memory, a visit; with rings, where one step need not exchange what the one before did, until halos are
 * as they were after an earlier one: then the figures are of a whole period. */
mplan_status mplan_app_count_exchange(mplan_exec *exec, const mplan_app_options *options,
                                      mplan_status (*step)(void *user, int32_t i, void *stream,
                                                           mplan_error *err),
                                      void *user, mplan_app_result *result, mplan_error *err)
{
    if (!options->bundle)
        return MPLAN_OK;
    const int32_t most = exec->parts->rings > 0 ? MOST_PERIOD : 1, n_dats = exec->parts->n_states;
    exchange_count count = {.n_dats = n_dats};
    count.after = mplan_alloc(most + 1, sizeof *count.after, err);
    count.level = count.after ? mplan_alloc((int64_t)(most + 1) * n_dats, sizeof *count.level, err)
                              : NULL;
    mplan_status status = count.level ? take_down(exec, &count, err) : MPLAN_ERR_MEMORY;
    int32_t from = -1;
    while (!status && from < 0 && count.n_states <= most) {
        status = step(user, 0, NULL, err);
        if (!status)
            status = mplan_exec_wait(exec, err);
        if (!status)
            status = take_down(exec, &count, err);
        from = status ? -1 : seen_before(&count);
    }
    from = from < 0 ? 0 : from;
    if (!status)
        tell_exchange(&count.after[from], &count.after[count.n_states - 1],
                      count.n_states - 1 - from, result);
    if (options->exec->device_memory > 0) {
        result->visit_steps = exec->parts->visit_steps;
        result->exchange_steps *= result->visit_steps;
    }
    free(count.after);
    free(count.level);
    return status;
}

/* The verdict: result and promises. */
mplan_status mplan_app_judge(const mplan_app *app, bool deterministic,
                             const mplan_app_result *result, mplan_error *err)
{
    if (result->error > app->tolerance)
        return mplan_fail(err, MPLAN_ERR_DISPROVED,
                          "%s: the relative error of the result is %.3g, the limit is %.3g",
                          app->name, result->error, app->tolerance);
    if (deterministic && !result->equal_bits)
        return mplan_fail(err, MPLAN_ERR_DISPROVED,
                          "%s: the variant promises equal bits, but two runs differ", app->name);
    return MPLAN_OK;
}

/* --- times ---------------------------------------------------------------------------- */

/* So many that between two launches on one copy about 400 MiB of others are used, at most MPLAN_APP_MOST_COPIES; 1
 * on the host, and for data that are as large already. */
int32_t mplan_app_cold_copies(mplan_executor executor, double useful_bytes)
{
    const double cold = 400.0 * 1024 * 1024, wanted = 1 + cold / (useful_bytes + 1);
    if (executor != MPLAN_EXECUTOR_CUDA || useful_bytes >= cold)
        return 1;
    return wanted < MPLAN_APP_MOST_COPIES ? (int32_t)wanted : MPLAN_APP_MOST_COPIES;
}

/* The least multiple of n_copies from 16 on, so that each copy is launched equally often; on the host 1. */
int32_t mplan_app_cold_launches(mplan_executor executor, int32_t n_copies)
{
    enum { LEAST = 16 };
    return executor == MPLAN_EXECUTOR_CUDA ? n_copies * ((LEAST + n_copies - 1) / n_copies) : 1;
}

/* result->useful_bytes is set before; microseconds are of one launch, and bandwidth stays 0 where the clock saw
 * none. */
mplan_status mplan_app_measure(mplan_exec *exec, mplan_executor executor, mplan_app_step step,
                               void *user, int32_t n_launches, int32_t repeats,
                               mplan_app_result *result, mplan_error *err)
{
    mplan_status status = mplan_app_time(exec, executor, step, user, n_launches, repeats,
                                         &result->microseconds, err);
    if (!status)
        status = mplan_app_copy_rate(exec, &result->copy_rate, err);
    if (!status && result->microseconds > 0)
        result->bandwidth = result->useful_bytes / (result->microseconds * 1e-6);
    return status;
}
