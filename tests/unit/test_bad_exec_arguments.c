/* SPDX-License-Identifier: Apache-2.0 */
/* test_bad_exec_arguments.c - NULL and indices out of range, for every public function of the
 * executor, its graphs and the applications */
#include "bad_argument_cases.h"

#include <unistd.h>

static mplan_status look(void *user, mplan_exec *exec, int64_t step, mplan_error *err)
{
    (void)user, (void)exec, (void)step, (void)err;
    return MPLAN_OK;
}

static mplan_status record_nothing(void *user, void *stream, mplan_error *err)
{
    (void)user;
    (void)stream;
    (void)err;
    return MPLAN_OK;
}

static void test_executor(void **state)
{
    (void)state;
    mplan_exec *exec = all.exec, *opened = NULL;
    mplan_exec_options options = MPLAN_EXEC_OPTIONS_INIT;
    double number;
    int64_t size;
    options.n_sets = 1;
    REFUSED(mplan_exec_open, plan, NULL, NULL, &opened);
    REFUSED(mplan_exec_open, exec, all.plan, NULL, NULL);
    REFUSED_AS(mplan_exec_open, plan, "sets", all.plan, &options, &opened);
    REFUSED(mplan_exec_wait, exec, NULL);
    REFUSED(mplan_exec_check_mesh, exec, NULL, all.mesh);
    REFUSED(mplan_exec_check_mesh, mesh, exec, NULL);
    REFUSED(mplan_app_copy_rate, exec, NULL, &number);
    REFUSED(mplan_app_copy_rate, rate, exec, NULL);
    REFUSED(mplan_app_load_rate, path, NULL, 0, &number, &size);
    REFUSED(mplan_app_load_rate, seconds, "no.plan", 0, NULL, &size);
    REFUSED(mplan_app_load_rate, bytes, "no.plan", 0, &number, NULL);
    for (int i = 0; i < 2; i++)
        HARMLESS(mplan_executor_is_built, value, !mplan_executor_is_built((mplan_executor)far[i]));
    HARMLESS(mplan_exec_bytes, exec, mplan_exec_bytes(NULL) == 0);
    HARMLESS(mplan_exec_launch_streams, exec, mplan_exec_launch_streams(NULL) == 0);
    mplan_exec_close(NULL);
    HARMLESS(mplan_exec_close, exec, !opened);
}

static void test_dats(void **state)
{
    (void)state;
    mplan_exec *exec = all.exec;
    const mplan_plan_loop *loop = mplan_plan_get_loop(all.plan, 0);
    const mplan_plan_arg *arg = &loop->args[0];
    int32_t set = arg->map < 0 ? loop->set : mplan_plan_get_map(all.plan, arg->map)->to;
    int64_t n = mplan_plan_get_set(all.plan, set)->size;
    double number;
    REFUSED(mplan_exec_declare, exec, NULL, "d", "cells", 1, MPLAN_TYPE_F64, -1);
    REFUSED(mplan_exec_declare, dat, exec, NULL, "cells", 1, MPLAN_TYPE_F64, -1);
    REFUSED(mplan_exec_declare_all, exec, NULL);
    REFUSED(mplan_exec_upload, exec, NULL, all.dat, &number, n, arg->dim, arg->type);
    REFUSED(mplan_exec_upload, dat, exec, NULL, &number, n, arg->dim, arg->type);
    REFUSED(mplan_exec_upload, rows, exec, all.dat, NULL, n, arg->dim, arg->type);
    REFUSED(mplan_exec_download, exec, NULL, all.dat, &number, n, arg->dim, arg->type);
    REFUSED(mplan_exec_download, dat, exec, NULL, &number, n, arg->dim, arg->type);
    REFUSED(mplan_exec_download, rows, exec, all.dat, NULL, n, arg->dim, arg->type);
    mplan_dat_view view;
    REFUSED(mplan_exec_data, exec, NULL, all.dat, MPLAN_READ, &view);
    REFUSED(mplan_exec_data, dat, exec, NULL, MPLAN_READ, &view);
    REFUSED(mplan_exec_data, access, exec, all.dat, MPLAN_INC, &view);
    REFUSED(mplan_exec_data, access, exec, all.dat, (mplan_access)7, &view);
    REFUSED(mplan_exec_data, view, exec, all.dat, MPLAN_READ, NULL);
    int64_t times;
    REFUSED(mplan_exec_written, exec, NULL, all.dat, &times);
    REFUSED(mplan_exec_written, dat, exec, NULL, &times);
    REFUSED(mplan_exec_written, times, exec, all.dat, NULL);
    REFUSED(mplan_exec_clear, exec, NULL, all.dat, NULL);
    REFUSED(mplan_exec_steps, exec, NULL, NULL, 0, 1);
    REFUSED(mplan_exec_steps, entries, exec, NULL, 1, 1);
    REFUSED(mplan_exec_steps_lagged, exec, NULL, NULL, 0, 1, 0, look, NULL);
    REFUSED(mplan_exec_steps_lagged, entries, exec, NULL, 1, 1, 0, look, NULL);
    REFUSED(mplan_exec_steps_lagged, before, exec, NULL, 0, 1, 0, NULL, NULL);
    REFUSED(mplan_exec_clear, dat, exec, NULL, NULL);
    REFUSED(mplan_exec_adopt, exec, NULL, "d", "cells", 1, MPLAN_TYPE_F64, -1, NULL, 0);
    REFUSED(mplan_exec_adopt, dat, exec, NULL, "cells", 1, MPLAN_TYPE_F64, -1, NULL, 0);
    REFUSED(mplan_exec_adopt, set, exec, "d", NULL, 1, MPLAN_TYPE_F64, -1, NULL, 0);
    const mplan_row_choice one = {0, 1, NULL};
    REFUSED(mplan_exec_upload_rows, exec, NULL, all.dat, &one, &number, arg->dim, arg->type, NULL);
    REFUSED(mplan_exec_upload_rows, dat, exec, NULL, &one, &number, arg->dim, arg->type, NULL);
    REFUSED(mplan_exec_upload_rows, choice, exec, all.dat, NULL, &number, arg->dim, arg->type, NULL);
    REFUSED(mplan_exec_upload_rows, rows, exec, all.dat, &one, NULL, arg->dim, arg->type, NULL);
    REFUSED(mplan_exec_download_rows, exec, NULL, all.dat, &one, &number, arg->dim, arg->type, NULL);
    REFUSED(mplan_exec_download_rows, dat, exec, NULL, &one, &number, arg->dim, arg->type, NULL);
    REFUSED(mplan_exec_download_rows, choice, exec, all.dat, NULL, &number, arg->dim, arg->type,
            NULL);
    REFUSED(mplan_exec_download_rows, rows, exec, all.dat, &one, NULL, arg->dim, arg->type, NULL);
    HARMLESS(mplan_exec_declare, set,
             mplan_exec_declare(exec, "total", NULL, 1, MPLAN_TYPE_F64, -1, NULL) == MPLAN_OK);
    REFUSED(mplan_exec_set, exec, NULL, "total", &number, 1, MPLAN_TYPE_F64, NULL);
    REFUSED(mplan_exec_set, dat, exec, NULL, &number, 1, MPLAN_TYPE_F64, NULL);
    REFUSED(mplan_exec_set, values, exec, "total", NULL, 1, MPLAN_TYPE_F64, NULL);
    REFUSED(mplan_exec_set, type, exec, "total", &number, 1, (mplan_type)9, NULL);
    REFUSED(mplan_exec_fill, exec, NULL, all.dat, 0);
    REFUSED(mplan_exec_fill, dat, exec, NULL, 0);
    REFUSED(mplan_exec_reduce, exec, NULL, all.dat, 0, MPLAN_SUM, &number);
    REFUSED(mplan_exec_reduce, dat, exec, NULL, 0, MPLAN_SUM, &number);
    REFUSED(mplan_exec_reduce, result, exec, all.dat, 0, MPLAN_SUM, NULL);
    for (int i = 0; i < 2; i++) {
        const mplan_type type = (mplan_type)far[i];
        REFUSED(mplan_exec_adopt, type, exec, "d", "cells", 1, type, -1, NULL, 0);
        REFUSED(mplan_exec_adopt, layout, exec, "d", "cells", 1, MPLAN_TYPE_F64, far[i], NULL, 0);
        REFUSED(mplan_exec_upload_rows, type, exec, all.dat, &one, &number, arg->dim, type, NULL);
        REFUSED(mplan_exec_download_rows, type, exec, all.dat, &one, &number, arg->dim, type, NULL);
        REFUSED(mplan_exec_declare, type, exec, "d", "cells", 1, (mplan_type)far[i], -1);
        REFUSED(mplan_exec_declare, layout, exec, "d", "cells", 1, MPLAN_TYPE_F64, far[i]);
        REFUSED(mplan_exec_upload, type, exec, all.dat, &number, n, arg->dim, (mplan_type)far[i]);
        REFUSED(mplan_exec_download, type, exec, all.dat, &number, n, arg->dim, (mplan_type)far[i]);
        REFUSED(mplan_exec_reduce, component, exec, all.dat, bad[i], MPLAN_SUM, &number);
        REFUSED(mplan_exec_reduce, reduction, exec, all.dat, 0, (mplan_reduction)far[i], &number);
    }
}

static void element(void *const *views, const void *user)
{
    (void)views, (void)user;
}

static void test_binding(void **state)
{
    (void)state;
    mplan_exec *exec = all.exec;
    const mplan_kernel *kernel = all.app->loops[0].host;
    mplan_exec_loop *bound = NULL;
    mplan_arg args[MPLAN_MAX_ARGS];
    mplan_loop loop;
    REFUSED(mplan_kernel_loop, kernel, NULL, "cells", args, &loop);
    REFUSED(mplan_kernel_loop, over, kernel, NULL, args, &loop);
    REFUSED(mplan_kernel_loop, args, kernel, "cells", NULL, &loop);
    REFUSED(mplan_kernel_loop, loop, kernel, "cells", args, NULL);
    REFUSED(mplan_exec_bind, exec, NULL, all.loop, -1, kernel, &bound);
    REFUSED(mplan_exec_bind, loop, exec, NULL, -1, kernel, &bound);
    REFUSED(mplan_exec_bind, kernel, exec, all.loop, -1, NULL, &bound);
    REFUSED(mplan_exec_bind, bound, exec, all.loop, -1, kernel, NULL);
    for (int i = 0; i < 2; i++)
        REFUSED(mplan_exec_bind, variant, exec, all.loop, far[i], kernel, &bound);
    mplan_exec_loop *made;
    REFUSED(mplan_exec_bind_function, exec, NULL, all.loop, -1, element, &made);
    REFUSED(mplan_exec_bind_function, loop, exec, NULL, -1, element, &made);
    REFUSED(mplan_exec_bind_function, function, exec, all.loop, -1, NULL, &made);
    REFUSED(mplan_exec_bind_function, bound, exec, all.loop, -1, element, NULL);
    for (int i = 0; i < 2; i++)
        REFUSED(mplan_exec_bind_function, variant, exec, all.loop, far[i], element, &made);
    REFUSED(mplan_exec_launch_function, exec, NULL, all.bound, NULL);
    REFUSED(mplan_exec_launch_function, bound, exec, NULL, NULL);
    REFUSED(mplan_exec_launch, exec, NULL, all.bound, NULL, NULL);
    REFUSED(mplan_exec_launch, bound, exec, NULL, NULL, NULL);
    mplan_exec_ranges ranges;
    REFUSED(mplan_exec_ranges_of, exec, NULL, all.bound, &ranges);
    REFUSED(mplan_exec_ranges_of, bound, exec, NULL, &ranges);
    REFUSED(mplan_exec_ranges_of, ranges, exec, all.bound, NULL);
    REFUSED(mplan_exec_launch_range, exec, NULL, all.bound, 0, 1, NULL, NULL);
    REFUSED(mplan_exec_launch_range, bound, exec, NULL, 0, 1, NULL, NULL);
    REFUSED(mplan_exec_launch_rest, exec, NULL, all.bound, NULL, NULL);
    REFUSED(mplan_exec_launch_rest, bound, exec, NULL, NULL, NULL);
}

static void test_tuning(void **state)
{
    (void)state;
    const mplan_plan *plans[] = {all.plan};
    const mplan_exec_options exec = MPLAN_EXEC_OPTIONS_INIT;
    mplan_tune_options options = MPLAN_TUNE_OPTIONS_INIT;
    mplan_tune_object object = {"no.so", NULL}, nowhere = {NULL, NULL};
    mplan_tune *tune = NULL, *made = NULL;
    mplan_tune_result result;
    int32_t dropped;
    options.exec = &exec;
    HARMLESS(mplan_tune_takes, app, !mplan_tune_takes(NULL));
    HARMLESS(mplan_tune_kernel_hash, tune, !mplan_tune_kernel_hash(NULL));
    HARMLESS(mplan_tune_free, tune, (mplan_tune_free(NULL), true));
    assert_done(mplan_tune_of_app(all.app, all.mesh, all.loops, 1, &tune, &error), &error);
    REFUSED(mplan_tune_of_app, app, NULL, all.mesh, all.loops, 1, &made);
    REFUSED(mplan_tune_of_app, mesh, all.app, NULL, all.loops, 1, &made);
    REFUSED(mplan_tune_of_app, request, all.app, all.mesh, NULL, 1, &made);
    REFUSED(mplan_tune_of_app, tune, all.app, all.mesh, all.loops, 1, NULL);
    REFUSED(mplan_tune_of_object, object, NULL, all.mesh, all.loops, NULL, &made);
    REFUSED(mplan_tune_of_object, object, &nowhere, all.mesh, all.loops, NULL, &made);
    REFUSED(mplan_tune_of_object, mesh, &object, NULL, all.loops, NULL, &made);
    REFUSED(mplan_tune_of_object, request, &object, all.mesh, NULL, NULL, &made);
    REFUSED(mplan_tune_of_object, tune, &object, all.mesh, all.loops, NULL, NULL);
    REFUSED(mplan_tune_measure, tune, NULL, &options, NULL, 1, plans, &result, &dropped);
    REFUSED(mplan_tune_measure, plans, tune, &options, NULL, 1, NULL, &result, &dropped);
    REFUSED(mplan_tune_measure, results, tune, &options, NULL, 1, plans, NULL, &dropped);
    REFUSED(mplan_tune_measure, dropped, tune, &options, NULL, 1, plans, &result, NULL);
    for (int i = 0; i < 2; i++)
        REFUSED(mplan_tune_measure, n, tune, &options, NULL, (int32_t)-i, plans, &result, &dropped);
    REFUSED(mplan_tune_measure_apart, tune, NULL, &options, NULL, 1, plans, &result, &dropped);
    REFUSED(mplan_tune_measure_apart, plans, tune, &options, NULL, 1, NULL, &result, &dropped);
    REFUSED(mplan_tune_measure_apart, results, tune, &options, NULL, 1, plans, NULL, &dropped);
    REFUSED(mplan_tune_measure_apart, dropped, tune, &options, NULL, 1, plans, &result, NULL);
    REFUSED(mplan_tune_measure_apart, n, tune, &options, NULL, 0, plans, &result, &dropped);
    REFUSED(mplan_tune_measure_apart, n, tune, &options, NULL, MPLAN_TUNE_MOST_APART + 1, plans,
            &result, &dropped);
    mplan_tune_varied *varied = NULL;
    REFUSED(mplan_tune_vary, plan, NULL, 0, 64, 1, &varied);
    REFUSED(mplan_tune_vary, varied, all.plan, 0, 64, 1, NULL);
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        REFUSED(mplan_tune_vary, loop, all.plan, bad[i], 64, 1, &varied);
        REFUSED(mplan_tune_vary, threads, all.plan, 0, bad[i], 1, &varied);
    }
    REFUSED(mplan_tune_vary, elements_per_thread, all.plan, 0, 64, 0, &varied);
    HARMLESS(mplan_tune_varied_plan, varied, !mplan_tune_varied_plan(NULL));
    HARMLESS(mplan_tune_varied_free, varied, (mplan_tune_varied_free(NULL), true));
    REFUSED(mplan_tune_describe, machine, &exec, NULL, NULL);
    mplan_tune_free(tune);
}

static void test_graphs_and_apps(void **state)
{
    (void)state;
    mplan_exec *exec = all.exec;
    char unread[8] = "";
    mplan_exec_graph *graph = (mplan_exec_graph *)(void *)unread, *made = NULL;
    mplan_loop *loops = NULL;
    int32_t n_loops;
    double number;
    mplan_app_result result;
    REFUSED(mplan_exec_capture, exec, NULL, record_nothing, NULL, &made);
    REFUSED(mplan_exec_capture, record, exec, NULL, NULL, &made);
    REFUSED(mplan_exec_capture, graph, exec, record_nothing, NULL, NULL);
    REFUSED(mplan_exec_replay, exec, NULL, graph, NULL);
    REFUSED(mplan_exec_replay, graph, exec, NULL, NULL);
    REFUSED(mplan_exec_time, exec, NULL, graph, 1, &number);
    REFUSED(mplan_exec_time, graph, exec, NULL, 1, &number);
    REFUSED(mplan_exec_time, milliseconds, exec, graph, 1, NULL);
    REFUSED_AS(mplan_exec_time, times, "-1 replays", exec, graph, -1, &number);
    mplan_exec_graph_free(NULL);
    HARMLESS(mplan_exec_graph_free, graph, !made);
    REFUSED(mplan_app_accepts, app, NULL, all.mesh);
    REFUSED(mplan_app_accepts, mesh, all.app, NULL);
    mplan_device profile;
    char profile_name[32];
    REFUSED(mplan_app_device_profile, device, NULL, NULL, profile_name, 32);
    REFUSED(mplan_app_device_profile, name, NULL, &profile, NULL, 32);
    REFUSED(mplan_app_device_profile, name, NULL, &profile, profile_name, 1);
    int64_t n_numbers;
    REFUSED(mplan_app_apply_dat, plan, NULL, "q", "no.npy", "/dev/null", false, NULL, &n_numbers);
    REFUSED(mplan_app_apply_dat, dat, all.plan, NULL, "no.npy", "/dev/null", false, NULL, &n_numbers);
    REFUSED(mplan_app_apply_dat, in, all.plan, "q", NULL, "/dev/null", false, NULL, &n_numbers);
    REFUSED(mplan_app_apply_dat, out, all.plan, "q", "no.npy", NULL, false, NULL, &n_numbers);
    REFUSED(mplan_app_apply_dat, numbers, all.plan, "q", "no.npy", "/dev/null", false, NULL, NULL);
    REFUSED(mplan_app_prepare, app, NULL, all.mesh, NULL);
    REFUSED(mplan_app_prepare, mesh, all.app, NULL, NULL);
    REFUSED(mplan_app_request, app, NULL, all.mesh, &loops, &n_loops);
    REFUSED(mplan_app_request, mesh, all.app, NULL, &loops, &n_loops);
    REFUSED(mplan_app_request, loops, all.app, all.mesh, NULL, &n_loops);
    REFUSED(mplan_app_request, n_loops, all.app, all.mesh, &loops, NULL);
    mplan_layers *layers = NULL;
    int32_t *step = NULL, n_step = 0;
    REFUSED(mplan_app_time_step, app, NULL, all.loops, &step, &n_step);
    REFUSED(mplan_app_time_step, loops, all.app, NULL, &step, &n_step);
    REFUSED(mplan_app_time_step, step, all.app, all.loops, NULL, &n_step);
    REFUSED(mplan_app_time_step, n, all.app, all.loops, &step, NULL);
    REFUSED(mplan_app_layers, app, NULL, all.loops, 4, MPLAN_COLUMNS_LAYERS, &layers);
    REFUSED(mplan_app_layers, loops, all.app, NULL, 4, MPLAN_COLUMNS_LAYERS, &layers);
    REFUSED_AS(mplan_app_layers, columns, "order of levels", all.app, all.loops, 4,
               (mplan_columns)9, &layers);
    REFUSED(mplan_app_layers, out, all.app, all.loops, 4, MPLAN_COLUMNS_LAYERS, NULL);
    REFUSED(mplan_app_run, app, NULL, all.mesh, all.plan, NULL, &result);
    REFUSED(mplan_app_run, mesh, all.app, NULL, all.plan, NULL, &result);
    REFUSED(mplan_app_run, plan, all.app, all.mesh, NULL, NULL, &result);
    REFUSED(mplan_app_run, result, all.app, all.mesh, all.plan, NULL, NULL);
    mplan_app_request_free(NULL, 0);
    HARMLESS(mplan_app_request_free, loops, !loops);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_executor),        cmocka_unit_test(test_dats),
        cmocka_unit_test(test_binding),         cmocka_unit_test(test_tuning),
        cmocka_unit_test(test_graphs_and_apps),
    };
    return cmocka_run_group_tests(tests, make_all, free_all);
}
