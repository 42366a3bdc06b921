/* SPDX-License-Identifier: Apache-2.0 */
/* test_apps_layers.c - the applications with layers on a cubed sphere, which is closed and needs four colours
 *
 * Every application under every strategy, executor and order of levels against the serial executor; what is wrong is
 * noticed. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "apps/layers_app.h"
#include "support_test.h"

static mplan_error err;

static mplan_mesh *sphere(int64_t n, uint64_t seed)
{
    mplan_generate_options wanted = MPLAN_GENERATE_OPTIONS_INIT;
    mplan_mesh *mesh = NULL;
    wanted.shape = MPLAN_SHAPE_CUBED_SPHERE;
    wanted.size[0] = n;
    wanted.shuffle = seed > 0;
    wanted.seed = seed;
    assert_done(mplan_mesh_generate(&wanted, NULL, &mesh, &err), &err);
    return mesh;
}

static mplan_plan *planned(const mplan_app *app, mplan_mesh *mesh, mplan_strategy strategy,
                           int32_t height, mplan_columns columns)
{
    mplan_plan_options request = MPLAN_PLAN_OPTIONS_INIT;
    mplan_loop *loops = NULL;
    mplan_layers *layers = NULL;
    mplan_plan *plan = NULL;
    int32_t n_loops;
    request.n_strategies = strategy < MPLAN_N_STRATEGIES;
    request.strategies[0] = strategy;
    assert_done(mplan_app_prepare(app, mesh, NULL, &err), &err);
    assert_done(mplan_app_request(app, mesh, &loops, &n_loops, &err), &err);
    assert_done(mplan_app_layers(app, loops, height, columns, &layers, &err), &err);
    assert_non_null(layers);
    request.layers = layers;
    assert_done(mplan_plan_create(mesh, n_loops, loops, &request, NULL, &plan, &err), &err);
    assert_done(mplan_plan_verify(plan, mesh, NULL, &err), &err);
    free(layers);
    mplan_app_request_free(loops, n_loops);
    return plan;
}

static mplan_status run(const mplan_app *app, const mplan_mesh *mesh, const mplan_plan *plan,
                        mplan_executor executor, mplan_app_result *result)
{
    mplan_app_options how = MPLAN_APP_OPTIONS_INIT;
    mplan_exec_options exec = MPLAN_EXEC_OPTIONS_INIT;
    exec.executor = executor;
    exec.threads = 2;
    how.exec = &exec;
    how.iterations = 2;
    how.repeats = 0;
    return mplan_app_run(app, mesh, plan, &how, result, &err);
}

/* Nodes, sides and the direction of normals. */
static void closed(void **state)
{
    (void)state;
    for (int64_t n = 1; n <= 6; n++) {
        mplan_mesh *mesh = sphere(n, n % 2 ? 0 : 3);
        const mplan_map nodes = mplan_mesh_map(mesh, mplan_mesh_find_map(mesh, "cells_nodes"));
        int32_t dimension;
        const double *x = mplan_mesh_coordinates(mesh, nodes.to, &dimension);
        assert_int_equal(dimension, 3);
        assert_int_equal(nodes.n_rows, 6 * n * n);
        assert_int_equal(nodes.n_points, 6 * n * n + 2);
        assert_done(mplan_mesh_validate(mesh, NULL, &err), &err);
        assert_done(mplan_mesh_derive(mesh, "faces_cells", NULL, &err), &err);
        assert_int_equal(mplan_mesh_map(mesh, mplan_mesh_find_map(mesh, "faces_cells")).n_rows,
                         12 * n * n);
        for (int64_t p = 0; p < nodes.n_points; p++)
            assert_true(fabs(sqrt(x[3 * p] * x[3 * p] + x[3 * p + 1] * x[3 * p + 1] +
                                  x[3 * p + 2] * x[3 * p + 2]) -
                             1) < 1e-14);
        for (int64_t c = 0; c < nodes.n_rows; c++) {
            const double *a = x + 3 * (int64_t)nodes.values[4 * c],
                         *b = x + 3 * (int64_t)nodes.values[4 * c + 1];
            const double *d = x + 3 * (int64_t)nodes.values[4 * c + 3];
            double outward = 0;
            for (int i = 0; i < 3; i++) {
                const int j = (i + 1) % 3, k = (i + 2) % 3;
                outward += a[i] * ((b[j] - a[j]) * (d[k] - a[k]) - (b[k] - a[k]) * (d[j] - a[j]));
            }
            assert_true(outward > 0);
        }
        mplan_mesh_free(mesh);
    }
    mplan_generate_options wanted = MPLAN_GENERATE_OPTIONS_INIT;
    mplan_mesh *mesh = NULL;
    wanted.shape = MPLAN_SHAPE_CUBED_SPHERE;
    wanted.size[0] = 18919;
    assert_int_equal(mplan_mesh_generate(&wanted, NULL, &mesh, &err), MPLAN_ERR_ARGUMENT);
    wanted.size[0] = wanted.size[1] = 2;
    assert_int_equal(mplan_mesh_generate(&wanted, NULL, &mesh, &err), MPLAN_ERR_ARGUMENT);
}

/* Cells that share a node have different colours: no fewer than four around a node, no more in any numbering. The proof is
 * that of verify. W2 needs two. */
static void four_colours(void **state)
{
    (void)state;
    for (int64_t n = 2; n <= 12; n += n < 6 ? 1 : 6)
        for (uint64_t seed = 0; seed < (support_races_only() ? 1 : 3); seed++) {
            mplan_mesh *mesh = sphere(n, seed);
            mplan_plan *plan = planned(mplan_app_find("lfric-matvec"), mesh,
                                       MPLAN_STRATEGY_GLOBAL_COLOUR, 3, MPLAN_COLUMNS_LAYERS);
            assert_int_equal(mplan_plan_get_loop(plan, 0)->variants[0].global_colours, 4);
            mplan_plan_free(plan);
            mplan_mesh_free(mesh);
        }
}

static void every_strategy(void **state)
{
    static const mplan_strategy strategies[] = {MPLAN_STRATEGY_GLOBAL_COLOUR,
                                                MPLAN_STRATEGY_TWO_STEP, MPLAN_STRATEGY_ATOMIC,
                                                MPLAN_STRATEGY_OWNER_GATHER, MPLAN_N_STRATEGIES};
    int32_t found = 0;
    (void)state;
    for (int32_t i = 0; mplan_app_get(i); i++) {
        const mplan_app *app = mplan_app_get(i);
        if (!app->layered)
            continue;
        found++;
        for (size_t s = 0; s < sizeof strategies / sizeof *strategies; s++)
            for (int columns = 0; columns < MPLAN_N_COLUMNS; columns++) {
                const bool owner = columns == MPLAN_COLUMNS_OWNER;
                if ((owner && (!app->layered->rows || strategies[s] != MPLAN_STRATEGY_OWNER_GATHER)) ||
                    (!app->layered->rows && app->layered->n_slots == 1 &&
                     strategies[s] == MPLAN_STRATEGY_OWNER_GATHER))
                    continue;
                mplan_mesh *mesh = sphere(4, s);
                mplan_plan *plan = planned(app, mesh, strategies[s], 9, (mplan_columns)columns);
                for (int executor = support_races_only() ? MPLAN_EXECUTOR_OPENMP : 0;
                     executor < MPLAN_EXECUTOR_CUDA; executor++) {
                    mplan_app_result result;
                    assert_done(run(app, mesh, plan, (mplan_executor)executor, &result), &err);
                    assert_true(result.error >= 0 && result.error <= app->tolerance);
                    assert_true(result.useful_bytes > 0);
                }
                mplan_plan_free(plan);
                mplan_mesh_free(mesh);
            }
    }
    assert_int_equal(found, 6);
}

/* Columns of column-step go through a few slabs' memory: the bits of the same steps in memory, and the first steps of the mesh's own
 * order. */
static void columns_in_less_memory(void **state)
{
    const mplan_app *app = mplan_app_find("column-step");
    (void)state;
    for (int how = support_races_only() ? 2 : 0; how < 4; how++) { /* 0 and 1: one thread */
        const bool points = how % 2;
        mplan_generate_options wanted = MPLAN_GENERATE_OPTIONS_INIT;
        mplan_plan_options request = MPLAN_PLAN_OPTIONS_INIT;
        mplan_app_options run_options = MPLAN_APP_OPTIONS_INIT;
        mplan_exec_options exec = MPLAN_EXEC_OPTIONS_INIT;
        mplan_app_result result;
        mplan_mesh *mesh = NULL;
        mplan_plan *plan = NULL;
        mplan_loop *loops = NULL;
        mplan_layers *layers = NULL;
        int32_t n_loops, n_step, *step = NULL;
        wanted.shape = how < 2 ? MPLAN_SHAPE_QUAD : MPLAN_SHAPE_TRI;
        wanted.size[0] = how < 2 ? 1500 : 1000;
        wanted.size[1] = how < 2 ? 5 : 3;
        wanted.shuffle = true;
        wanted.seed = 4;
        assert_done(mplan_mesh_generate(&wanted, NULL, &mesh, &err), &err);
        assert_done(mplan_app_request(app, mesh, &loops, &n_loops, &err), &err);
        assert_done(mplan_app_layers(app, loops, 6,
                                     points ? MPLAN_COLUMNS_POINTS : MPLAN_COLUMNS_LAYERS, &layers,
                                     &err),
                    &err);
        assert_true(mplan_app_has_step(app));
        assert_done(mplan_app_time_step(app, loops, &step, &n_step, &err), &err);
        assert_int_equal(layers->n_sets, 2);
        assert_int_equal(layers->n_args, 7); /* mixing has no levels */
        request.layers = layers;
        request.n_step = n_step;
        request.step = step;
        request.step_clears = step + n_step;
        request.device_memory = points ? 3800000 : 2700000;
        request.steps_per_visit = 2;
        request.segments = 24;
        assert_done(mplan_plan_create(mesh, n_loops, loops, &request, NULL, &plan, &err), &err);
        assert_true(mplan_plan_get_visit(plan)->peak_bytes < mplan_plan_get_visit(plan)->host_bytes);
        exec.executor = how < 2 ? MPLAN_EXECUTOR_HOST : MPLAN_EXECUTOR_OPENMP;
        exec.threads = 2;
        exec.device_memory = request.device_memory;
        run_options.exec = &exec;
        run_options.iterations = 5;
        run_options.repeats = 0;
        assert_done(mplan_app_run(app, mesh, plan, &run_options, &result, &err), &err);
        assert_true(result.same_in_memory && result.error <= app->tolerance);
        mplan_plan_free(plan);
        free(step);
        free(layers);
        mplan_app_request_free(loops, n_loops);
        mplan_mesh_free(mesh);
    }
}

/* A plan of the same loops without layers. */
static void layers_are_missing(void **state)
{
    const mplan_app *app = mplan_app_find("column-step");
    mplan_mesh *mesh = sphere(3, 0);
    mplan_plan *plan = NULL;
    mplan_loop *loops = NULL;
    mplan_app_result result;
    int32_t n_loops;
    (void)state;
    assert_done(mplan_app_request(app, mesh, &loops, &n_loops, &err), &err);
    assert_done(mplan_plan_create(mesh, n_loops, loops, NULL, NULL, &plan, &err), &err);
    assert_refused(run(app, mesh, plan, MPLAN_EXECUTOR_HOST, &result), MPLAN_ERR_ARGUMENT, &err,
                   "the plan's loop has no layers");
    mplan_plan_free(plan);
    mplan_app_request_free(loops, n_loops);
    mplan_mesh_free(mesh);
}

static void noticed(void **state)
{
    (void)state;
    const mplan_app *app = mplan_app_find("column-flux");
    mplan_mesh *mesh = sphere(3, 0);
    mplan_plan *plan = planned(app, mesh, MPLAN_STRATEGY_TWO_STEP, 4, MPLAN_COLUMNS_LAYERS);
    mplan_app_result result;
    mplan_app strict = *app;
    strict.tolerance = -1;
    assert_refused(run(&strict, mesh, plan, MPLAN_EXECUTOR_HOST, &result), MPLAN_ERR_DISPROVED,
                   &err, "relative error");
    assert_refused(run(mplan_app_find("tridiagonal"), mesh, plan, MPLAN_EXECUTOR_HOST, &result),
                   MPLAN_ERR_ARGUMENT, &err, "the plan has no loop");
    mplan_layers *layers = NULL;
    assert_done(mplan_app_layers(mplan_app_find("flux2d"), &(mplan_loop){.name = "x"}, 4,
                                 MPLAN_COLUMNS_LAYERS, &layers, &err),
                &err);
    assert_null(layers);
    mplan_plan_free(plan);
    mplan_mesh_free(mesh);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(closed),
                                       cmocka_unit_test(four_colours),
                                       cmocka_unit_test(every_strategy),
                                       cmocka_unit_test(noticed),
                                       cmocka_unit_test(columns_in_less_memory),
                                       cmocka_unit_test(layers_are_missing)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
