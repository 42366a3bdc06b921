/* SPDX-License-Identifier: Apache-2.0 */
/* harness_layers.c - runs an application with layers on random data
 *
 * Check: against the kernel called for each column in the order of the mesh, by the mesh's own map and without a plan; launched
 * again for equal bits. Time: on a device the loop runs on copies of everything in turn, so that small meshes do not stay in
 * the cache. A bundle's parts run on ranks of this process. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "apps/fingerprint.h"
#include "apps/harness.h"
#include "apps/layers_app.h"
#include "base/error.h"
#include "base/memory.h"

enum { MAX_DATS = 4 };

/* One dat: rows are members times levels, in the mesh's order. */
typedef struct field {
    const mplan_plan_arg *arg;
    int64_t rows;
    double *start;
    double *due; /* after one launch; NULL: nothing changes, or nobody has asked */
} field;

/* A run: copies of all dats, each with an executor of its own, and a field for each dat that the loop names. */
typedef struct layers_run {
    const mplan_app *app;
    const mplan_mesh *mesh;
    const mplan_plan *plan; /* of a bundle: that of one part */
    const mplan_plan_loop *loop;
    const mplan_app_options *options;
    int32_t n_fields, n_copies;
    field field[MAX_DATS];
    mplan_exec *exec[MPLAN_APP_MOST_COPIES];
    mplan_exec_loop *bound[MPLAN_APP_MOST_COPIES];
} layers_run;

/* --- the mesh --------------------------------------------------------------------------------------- */

/* Set that the dat of an arg is on. */
static const mplan_plan_set *set_of(const layers_run *run, const mplan_plan_arg *arg)
{
    return mplan_plan_get_set(run->plan, arg->map < 0 ? run->loop->set
                                                      : mplan_plan_get_map(run->plan, arg->map)->to);
}

/* Members in the whole mesh. */
static int64_t members_of(const mplan_plan_set *set)
{
    return set->part.parts > 0 ? set->part.total : set->size;
}

/* The mesh's map of an arg through one; verify, or the planner, has derived it. */
static mplan_status map_of(const layers_run *run, const mplan_plan_arg *arg, mplan_map *map,
                           mplan_error *err)
{
    const char *name = mplan_plan_get_map(run->plan, arg->map)->name;
    const int32_t found = mplan_mesh_find_map(run->mesh, name);
    if (found < 0)
        return mplan_fail(err, MPLAN_ERR_OTHER_MESH, "the mesh has no map %s", name);
    *map = mplan_mesh_map(run->mesh, found);
    return MPLAN_OK;
}

/* --- data --------------------------------------------------------------------------------------- */

/* In [0.5, 1.5); a dominant diagonal in the second of three. */
static void fill(field *f, uint64_t seed)
{
    uint64_t state = seed * UINT64_C(0x9E3779B97F4A7C15) + (uint64_t)f->arg->dat[0];
    for (int64_t i = 0; i < f->rows * f->arg->dim; i++) {
        state = state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
        f->start[i] = 0.5 + (double)(state >> 11) * 0x1p-53 +
                      (f->arg->dim == 3 && i % 3 == 1 ? 4 : 0);
    }
}

/* One field for each dat of the loop, with random numbers of the run's seed and the first letter of its name. */
static mplan_status make_fields(layers_run *run, mplan_error *err)
{
    for (int32_t a = 0; a < run->loop->n_args && a < MAX_DATS; a++) {
        field *f = &run->field[run->n_fields];
        const mplan_plan_arg *arg = &run->loop->args[a];
        f->arg = arg;
        f->rows = members_of(set_of(run, arg)) * arg->layers.levels;
        f->start = mplan_alloc(f->rows * arg->dim, sizeof *f->start, err);
        if (!f->start)
            return MPLAN_ERR_MEMORY;
        run->n_fields++;
        fill(f, run->options->seed);
    }
    return MPLAN_OK;
}

/* All fields as they were in the beginning. */
static mplan_status upload(const layers_run *run, mplan_exec *exec, mplan_error *err)
{
    mplan_status status = MPLAN_OK;
    for (int32_t i = 0; i < run->n_fields && !status; i++) {
        const field *f = &run->field[i];
        status = mplan_exec_upload(exec, f->arg->dat, f->start, f->rows, f->arg->dim, f->arg->type,
                                   err);
    }
    return status;
}

/* Each dat once, changed ones twice (written ones once), the map once; levels that no layer leads to are counted. */
static double useful_bytes(const layers_run *run)
{
    double bytes = 0;
    const mplan_plan_arg *mapped = NULL;
    mplan_map map = {0};
    for (int32_t i = 0; i < run->n_fields; i++) {
        const mplan_plan_arg *arg = run->field[i].arg;
        bytes += (double)run->field[i].rows * arg->dim * 8 *
                 (arg->access == MPLAN_READ || arg->access == MPLAN_WRITE ? 1 : 2);
        mapped = arg->map >= 0 ? arg : mapped;
    }
    if (!mapped || map_of(run, mapped, &map, NULL))
        return bytes;
    return bytes + 4.0 * (double)mplan_map_entries(&map);
}

/* --- executors ----------------------------------------------------------------------------------- */

/* Declares, uploads and binds; *exec is the caller's, also after a failure. */
static mplan_status open_exec(const layers_run *run, const mplan_exec_options *how,
                              mplan_exec **exec, mplan_exec_loop **bound, mplan_error *err)
{
    const mplan_layer_kernel *kernel = NULL;
    bool deterministic;
    const int32_t variant = mplan_app_variant(run->plan, run->loop->name, run->options->variant,
                                              &deterministic);
    mplan_status status = mplan_app_layer_kernel(run->app, 0, how->executor, &kernel, err);
    if (!status)
        status = run->options->bundle ? mplan_exec_open_part(run->options->bundle, NULL, how,
                                                             run->options->ranks, exec, err)
                                      : mplan_exec_open(run->plan, how, exec, err);
    for (int32_t i = 0; i < run->n_fields && !status && run->options->layout >= 0; i++) {
        const mplan_plan_arg *arg = run->field[i].arg;
        status = mplan_exec_declare(*exec, arg->dat, set_of(run, arg)->name, arg->dim, arg->type,
                                    run->options->layout, err);
    }
    if (!status)
        status = mplan_exec_declare_all(*exec, err);
    if (!status)
        status = upload(run, *exec, err);
    return status ? status
                  : mplan_exec_bind_layers(*exec, run->loop->name, variant, kernel, bound, err);
}

/* Copy i is counted even where opening it failed: the caller closes all that are counted, and closing NULL is
 * nothing. */
static mplan_status add_copy(layers_run *run, mplan_error *err)
{
    const int32_t i = run->n_copies++;
    return open_exec(run, run->options->exec, &run->exec[i], &run->bound[i], err);
}

/* i counts launches: copies take turns. */
static mplan_status launch(void *user, int32_t i, void *stream, mplan_error *err)
{
    layers_run *run = user;
    const int32_t copy = i % run->n_copies;
    mplan_app_change_summed(run->exec[copy], run->loop, run->plan);
    return mplan_exec_launch(run->exec[copy], run->bound[copy], NULL, stream, err);
}

/* --- in the order of the mesh ------------------------------------------------------------------------- */

/* The data of arg a as the caller's rows have them: member by member, level by level. */
static mplan_status take_rows(const layers_run *run, int32_t a, mplan_layer_data *data,
                              mplan_error *err)
{
    const mplan_plan_arg *arg = &run->loop->args[a];
    const field *f = &run->field[a];
    *data = (mplan_layer_data){.data = f->due ? f->due : f->start,
                               .numbers = f->rows * arg->dim,
                               .column = (int64_t)arg->layers.levels * arg->dim,
                               .level = arg->dim,
                               .component = 1,
                               .arity = 1,
                               .stride = (int32_t)arg->layers.stride,
                               .levels = arg->layers.levels};
    for (int32_t s = 0; s < arg->layers.n_slots; s++) {
        data->of[s] = arg->layers.slots[s].of;
        data->offset[s] = arg->layers.slots[s].offset;
    }
    mplan_map map = {0};
    mplan_status status = arg->map < 0 ? MPLAN_OK : map_of(run, arg, &map, err);
    if (!status && arg->map >= 0) {
        data->rows = map.values;
        data->arity = map.arity;
    }
    return status;
}

/* What one launch is due to leave in the fields that change. */
static mplan_status compute_due(layers_run *run, mplan_error *err)
{
    const mplan_layer_kernel *kernel = run->app->layered->host;
    const int32_t layers = mplan_plan_get_set(run->plan, run->loop->set)->layers;
    mplan_layer_data data[MAX_DATS];
    mplan_layers_call call = {.arg = data, .layers = layers, .first_increment = -1};
    mplan_status status = MPLAN_OK;
    for (int32_t a = 0; a < run->n_fields && !status; a++) {
        field *f = &run->field[a];
        if (f->arg->access != MPLAN_READ) {
            f->due = mplan_copy(f->start, f->rows * f->arg->dim, sizeof *f->due, err);
            status = f->due ? MPLAN_OK : MPLAN_ERR_MEMORY;
        }
        if (!status)
            status = take_rows(run, a, &data[a], err);
    }
    const int64_t n = members_of(mplan_plan_get_set(run->plan, run->loop->set));
    for (int64_t e = 0; e < n && !status; e++)
        kernel->run(&call, e, 0, layers, NULL);
    return status;
}

/* --- the check --------------------------------------------------------------------------------------- */

/* Relative error of a against b, in the norm of squares. */
static double error_of(const double *a, const double *b, int64_t n)
{
    double differences = 0, all = 0;
    for (int64_t i = 0; i < n; i++) {
        differences += (a[i] - b[i]) * (a[i] - b[i]);
        all += b[i] * b[i];
    }
    return all > 0 ? sqrt(differences / all) : sqrt(differences);
}

/* What one launch makes of one dat; rows: room for it. */
static mplan_status result_of(mplan_exec *exec, const field *f, double *rows, mplan_error *err)
{
    return mplan_exec_download(exec, f->arg->dat, rows, f->rows, f->arg->dim, f->arg->type, err);
}

/* The result of each changed dat against what is due, and `iterations` launches from the same data against one another. */
static mplan_status check_field(layers_run *run, const field *f, mplan_app_result *result,
                                mplan_error *err)
{
    const int64_t n = f->rows * f->arg->dim;
    double *got = mplan_alloc(n, sizeof *got, err), *again = mplan_alloc(n, sizeof *again, err);
    mplan_status status = got && again ? MPLAN_OK : MPLAN_ERR_MEMORY;
    for (int64_t turn = 0;
         turn < (run->options->iterations > 0 ? run->options->iterations : 1) && !status; turn++) {
        status = upload(run, run->exec[0], err);
        if (!status)
            status = launch(run, 0, NULL, err);
        if (!status)
            status = mplan_exec_wait(run->exec[0], err);
        if (!status)
            status = result_of(run->exec[0], f, turn ? again : got, err);
        if (!status && turn)
            result->equal_bits = result->equal_bits && !memcmp(got, again, (size_t)n * sizeof *got);
    }
    if (!status && f->due) {
        const double error = error_of(got, f->due, n);
        result->error = error > result->error ? error : result->error;
        for (int64_t w = 0; w < n; w++) {
            uint64_t word;
            memcpy(&word, &got[w], sizeof word);
            result->bits += mplan_word_fingerprint(word, (uint64_t)w);
        }
    }
    free(got);
    free(again);
    return status;
}

/* Against the mesh's order from the same start, and again for equal bits. */
static mplan_status check(layers_run *run, mplan_app_result *result, mplan_error *err)
{
    mplan_status status = MPLAN_OK;
    if (run->options->check) {
        result->error = 0;
        status = compute_due(run, err);
    }
    for (int32_t i = 0; i < run->n_fields && !status; i++)
        if (run->field[i].arg->access != MPLAN_READ &&
            (run->options->check || run->options->iterations > 0))
            status = check_field(run, &run->field[i], result, err);
    return status;
}

/* --- time ---------------------------------------------------------------------------------------------- */

/* Copies are added until together they do not fit into a cache (mplan_app_cold_copies); the first one is there. */
static mplan_status measure(layers_run *run, mplan_app_result *result, mplan_error *err)
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

/* The loop is found by its name in the plan. Sizes of dats come from the plan's sets and levels. */
mplan_status mplan_app_run_layers(const mplan_app *app, const mplan_mesh *mesh,
                                  const mplan_plan *plan, const mplan_app_options *options,
                                  mplan_app_result *result, mplan_error *err)
{
    layers_run run = {.app = app, .mesh = mesh, .plan = plan, .options = options};
    bool deterministic;
    int32_t layers = 0;
    mplan_status status = mplan_app_layers_of(app, plan, &layers, err);
    for (int32_t l = 0; l < mplan_plan_n_loops(plan); l++)
        if (strcmp(mplan_plan_get_loop(plan, l)->name, app->loops[0].name) == 0)
            run.loop = mplan_plan_get_loop(plan, l);
    mplan_app_variant(plan, app->loops[0].name, options->variant, &deterministic);
    if (!status)
        status = make_fields(&run, err);
    if (!status) {
        result->useful_bytes = useful_bytes(&run);
        status = add_copy(&run, err);
    }
    if (!status)
        status = check(&run, result, err);
    if (!status)
        status = mplan_app_count_exchange(run.exec[0], options, launch, &run, result, err);
    if (!status && options->repeats > 0)
        status = measure(&run, result, err);
    if (!status)
        status = mplan_app_judge(app, deterministic, result, err);
    for (int32_t i = 0; i < run.n_copies; i++)
        mplan_exec_close(run.exec[i]);
    for (int32_t i = 0; i < run.n_fields; i++) {
        free(run.field[i].start);
        free(run.field[i].due);
    }
    return status;
}
