/* SPDX-License-Identifier: Apache-2.0 */
/* column_step.cu - the application column-step with a limited device memory, by emulated kernels of CUDA
 *
 * As `meshplan run column-step --executor cuda --device-memory --no-check --in-memory`: steps of more than a visit against the same steps in
 * memory, with dats in pinned memory, in memory that is not, and in a file. A line for each: 0 numbers are wrong. */
#include "apps/column_flux_kernels.h"
#include "apps/column_step_kernels.h"

extern "C" {
#include "apps/layers_app.h"
}

#include "column_step_app.h"

#include <cstdio>
#include <cstdlib>
#include <cstring>

/* Quads in any order; *loops and *layers are to be freed. */
static mplan_status make_plan(const mplan_app *app, mplan_columns columns, int64_t limit,
                              mplan_mesh **mesh, mplan_plan **plan, mplan_error *err)
{
    mplan_generate_options wanted = MPLAN_GENERATE_OPTIONS_INIT;
    mplan_plan_options options = MPLAN_PLAN_OPTIONS_INIT;
    mplan_loop *loops = NULL;
    mplan_layers *layers = NULL;
    int32_t *step = NULL, n_loops = 0, n_step = 0;
    wanted.shape = MPLAN_SHAPE_QUAD;
    wanted.size[0] = 1000;
    wanted.size[1] = 3;
    wanted.shuffle = true;
    wanted.seed = 5;
    mplan_status status = mplan_mesh_generate(&wanted, NULL, mesh, err);
    if (!status)
        status = mplan_app_request(app, *mesh, &loops, &n_loops, err);
    if (!status)
        status = mplan_app_layers(app, loops, 4, columns, &layers, err);
    if (!status)
        status = mplan_app_time_step(app, loops, &step, &n_step, err);
    options.layers = layers;
    options.n_step = n_step;
    options.step = step;
    options.step_clears = step ? step + n_step : NULL;
    options.device_memory = limit;
    options.steps_per_visit = 2;
    options.segments = 24;
    if (!status)
        status = mplan_plan_create(*mesh, n_loops, loops, &options, NULL, plan, err);
    std::free(step);
    std::free(layers);
    mplan_app_request_free(loops, n_loops);
    return status;
}

int main()
{
    static const char *const ways[] = {"pinned", "unpinned", "in a file"};
    mplan_app_layered layered[3];
    const mplan_app app = column_step(layered);
    int failed = 0;
    for (int k = 0; k < 3; k++) {
        const mplan_columns columns = k == 1 ? MPLAN_COLUMNS_POINTS : MPLAN_COLUMNS_LAYERS;
        mplan_mesh *mesh = NULL;
        mplan_plan *plan = NULL;
        mplan_app_result result;
        mplan_error err;
        mplan_exec_options exec = MPLAN_EXEC_OPTIONS_INIT;
        mplan_app_options how = MPLAN_APP_OPTIONS_INIT;
        exec.executor = MPLAN_EXECUTOR_CUDA;
        exec.device_memory = k == 1 ? 2000000 : 1100000;
        exec.unpinned = k == 1;
        exec.store = k == 2 ? "." : NULL;
        how.exec = &exec;
        how.iterations = 0;
        how.repeats = 0;
        how.check = false;
        mplan_status status = make_plan(&app, columns, exec.device_memory, &mesh, &plan, &err);
        if (!status)
            status = mplan_app_run(&app, mesh, plan, &how, &result, &err);
        const bool held = !status && result.same_in_memory;
        std::printf("column-step, dats %s, %lld of %lld bytes: %s\n", ways[k],
                    plan ? (long long)mplan_plan_get_visit(plan)->peak_bytes : 0,
                    plan ? (long long)mplan_plan_get_visit(plan)->host_bytes : 0,
                    status ? err.text
                    : held ? "0 numbers are wrong"
                           : "bits differ");
        failed += !held;
        mplan_plan_free(plan);
        mplan_mesh_free(mesh);
    }
    return failed != 0;
}
