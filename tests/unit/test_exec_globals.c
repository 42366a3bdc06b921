/* SPDX-License-Identifier: Apache-2.0 */
/* test_exec_globals.c - numbers of no set: read by loops, summed into, least and greatest kept
 *
 * One kernel of every kind of arg of a global beside increments through a map, under all strategies and
 * executors, of plans of two orders and block sizes: sums have the bits of a tree over the mesh's own
 * order, written here once more. */
#include <math.h>
#include <stdlib.h>

#include "support_exec_frame.h"

#define BRINGS_ARGS(ARG)                          \
    ARG(GLOBAL, scale, 2, f64, READ)              \
    ARG(DIRECT, q, 1, f64, READ)                  \
    ARG(MAPPED, sum, cells_nodes, 2, 1, f64, INC) \
    ARG(GLOBAL, total, 2, f64, INC)               \
    ARG(GLOBAL, least, 1, f32, MIN)               \
    ARG(GLOBAL, most, 2, i32, MAX)                \
    ARG(GLOBAL, count, 1, u16, INC)
MPLAN_VIEWS_ANY(brings, BRINGS_ARGS)
MPLAN_FN void brings(brings_views *v, const mplan_no_parameters *p)
{
    (void)p;
    v->sum[0][0] = v->scale[0];
    v->sum[1][0] = v->scale[1];
    v->total[0] = v->q[0] * v->scale[0];
    v->total[1] = -v->q[0];
    v->least[0] = (float)v->q[0];
    v->most[0] = (int32_t)(1000 * v->q[0]);
    if (v->q[0] > 0.5)
        v->most[1] = -7;
    v->count[0] = 3;
}
MPLAN_KERNEL_ANY(brings, BRINGS_ARGS, mplan_no_parameters)

/* A global in a loop that has nothing else, and one that reads what the first left. */
#define LEAST_ARGS(ARG) ARG(DIRECT, q, 1, f64, READ) ARG(GLOBAL, dt, 1, f64, MIN)
MPLAN_VIEWS_ANY(least, LEAST_ARGS)
MPLAN_FN void least(least_views *v, const mplan_no_parameters *p)
{
    (void)p;
    v->dt[0] = v->q[0];
}
MPLAN_KERNEL_ANY(least, LEAST_ARGS, mplan_no_parameters)

#define MOVE_ARGS(ARG) ARG(DIRECT, q, 1, f64, RW) ARG(GLOBAL, dt, 1, f64, READ)
MPLAN_VIEWS_ANY(move, MOVE_ARGS)
MPLAN_FN void move(move_views *v, const mplan_no_parameters *p)
{
    (void)p;
    v->q[0] += v->dt[0];
}
MPLAN_KERNEL_ANY(move, MOVE_ARGS, mplan_no_parameters)

enum { CELLS = 5000, NODES = 1700, LANES = 256, NODE = 2048 };

typedef struct globals_case {
    int32_t nodes[CELLS * 2];
    double q[CELLS], sum[NODES];
} globals_case;

static const double scale[2] = {0.3, 2};
static const double total_before[2] = {1e3, 0.125};
static const float least_before = 7;
static const int32_t most_before[2] = {INT32_MIN, -9};
static const uint16_t count_before = 65535;

static void fill(globals_case *in)
{
    uint64_t seed = 17;
    for (int c = 0; c < CELLS; c++) {
        in->q[c] = (double)support_random(&seed, 1000003) / 999983;
        for (int s = 0; s < 2; s++) {
            in->nodes[2 * c + s] = (int32_t)support_random(&seed, NODES);
            in->sum[in->nodes[2 * c + s]] += 1;
        }
    }
}

static mplan_mesh *mesh_of(const globals_case *in)
{
    const support_frame_set sets[] = {{"cells", CELLS}, {"nodes", NODES}};
    const support_frame_map maps[] = {{"cells_nodes", 0, 1, 2, NULL, in->nodes}};
    return support_frame_mesh(2, sets, 1, maps);
}

/* What the comment of device.h says of a node, of values that are there. */
static double node_of(const double *value, int64_t n)
{
    double lane[LANES] = {0};
    for (int64_t i = 0; i < n; i++)
        lane[i % LANES] = i < LANES ? value[i] : lane[i % LANES] + value[i];
    for (int half = LANES / 2; half > 0; half /= 2)
        for (int i = 0; i < half; i++)
            lane[i] += lane[i + half];
    return lane[0];
}

static double tree_of(const double *value, int64_t n)
{
    double node[CELLS / NODE + 1];
    int64_t n_nodes = 0;
    for (int64_t first = 0; first < n; first += NODE)
        node[n_nodes++] = node_of(value + first, n - first < NODE ? n - first : NODE);
    return node_of(node, n_nodes);
}

static void check_results(const globals_case *in, mplan_exec *exec)
{
    static double value[2][CELLS];
    mplan_error err;
    double total[2], sum[NODES];
    float least_found, least_due = least_before;
    int32_t most[2], most_due = most_before[0];
    uint16_t count;
    for (int c = 0; c < CELLS; c++) {
        value[0][c] = in->q[c] * scale[0];
        value[1][c] = -in->q[c];
        least_due = fminf(least_due, (float)in->q[c]);
        most_due = (int32_t)(1000 * in->q[c]) > most_due ? (int32_t)(1000 * in->q[c]) : most_due;
    }
    assert_done(mplan_exec_download(exec, "total", total, 1, 2, MPLAN_TYPE_F64, &err), &err);
    assert_done(mplan_exec_download(exec, "least", &least_found, 1, 1, MPLAN_TYPE_F32, &err), &err);
    assert_done(mplan_exec_download(exec, "most", most, 1, 2, MPLAN_TYPE_I32, &err), &err);
    assert_done(mplan_exec_download(exec, "count", &count, 1, 1, MPLAN_TYPE_U16, &err), &err);
    assert_done(mplan_exec_download(exec, "sum", sum, NODES, 1, MPLAN_TYPE_F64, &err), &err);
    for (int c = 0; c < 2; c++)
        assert_true(total[c] == total_before[c] + tree_of(value[c], CELLS));
    assert_true(least_found == least_due);
    assert_int_equal(most[0], most_due);
    assert_int_equal(most[1], -7);
    assert_int_equal(count, (uint16_t)(65535 + 3 * CELLS));
    for (int n = 0; n < NODES; n++)
        assert_true(sum[n] >= 0.3 * in->sum[n] - 1e-9 && sum[n] <= 2 * in->sum[n] + 1e-9);
}

static mplan_exec *open_exec(const globals_case *in, const mplan_plan *plan, mplan_executor executor)
{
    mplan_exec *exec = support_frame_open(plan, executor);
    mplan_error err;
    assert_done(mplan_exec_upload(exec, "q", in->q, CELLS, 1, MPLAN_TYPE_F64, &err), &err);
    return exec;
}

static void run(const globals_case *in, const mplan_plan *plan, int32_t variant,
                mplan_executor executor)
{
    mplan_error err;
    mplan_exec_loop *bound;
    mplan_exec *exec = open_exec(in, plan, executor);
    assert_done(mplan_exec_upload(exec, "scale", scale, 1, 2, MPLAN_TYPE_F64, &err), &err);
    assert_done(mplan_exec_set(exec, "total", total_before, 2, MPLAN_TYPE_F64, NULL, &err), &err);
    assert_done(mplan_exec_set(exec, "least", &least_before, 1, MPLAN_TYPE_F32, NULL, &err), &err);
    assert_done(mplan_exec_set(exec, "most", most_before, 2, MPLAN_TYPE_I32, NULL, &err), &err);
    assert_done(mplan_exec_set(exec, "count", &count_before, 1, MPLAN_TYPE_U16, NULL, &err), &err);
    assert_done(mplan_exec_bind(exec, "brings", variant, &brings_host, &bound, &err), &err);
    assert_done(mplan_exec_launch(exec, bound, NULL, NULL, &err), &err);
    check_results(in, exec);
    mplan_exec_close(exec);
}

/* A plan of the kernel under all strategies, or of two others. */
static mplan_plan *plan_of(mplan_mesh *mesh, int32_t block_size, mplan_renumber renumber)
{
    mplan_arg args[MPLAN_MAX_ARGS];
    mplan_loop loop;
    mplan_plan *plan;
    mplan_error err;
    mplan_plan_options options = MPLAN_PLAN_OPTIONS_INIT;
    assert_done(mplan_kernel_loop(&brings_host, "cells", args, &loop, &err), &err);
    assert_string_equal(loop.args[0].map, MPLAN_GLOBAL);
    options.block_size = block_size;
    options.renumber = renumber;
    for (int s = 0; s < MPLAN_N_STRATEGIES; s++)
        options.strategies[options.n_strategies++] = (mplan_strategy)s;
    assert_done(mplan_plan_create(mesh, 1, &loop, &options, NULL, &plan, &err), &err);
    assert_done(mplan_plan_verify(plan, mesh, NULL, &err), &err);
    return plan;
}

static void globals_have_the_bits_of_the_mesh(void **state)
{
    (void)state;
    static globals_case in;
    fill(&in);
    mplan_mesh *mesh = mesh_of(&in);
    for (int k = 0; k < 2; k++) {
        mplan_plan *plan = plan_of(mesh, k ? 64 : 256, k ? MPLAN_RENUMBER_NONE : MPLAN_RENUMBER_GPS);
        for (int32_t v = 0; v < MPLAN_N_STRATEGIES; v++)
            for (int e = MPLAN_EXECUTOR_SERIAL; e <= MPLAN_EXECUTOR_OPENMP; e++)
                run(&in, plan, v, (mplan_executor)e);
        mplan_plan_free(plan);
    }
    mplan_mesh_free(mesh);
}

/* What min and max make of NaN, of zeros of two signs, and of nothing. */
static void compared_numbers(void **state)
{
    (void)state;
    const double nan = NAN;
    assert_true(mplan_combine_f64(MPLAN_INC_MIN, nan, 3) == 3);
    assert_true(mplan_combine_f64(MPLAN_INC_MAX, 3, -nan) == 3);
    assert_true(isnan(mplan_combine_f64(MPLAN_INC_MIN, nan, nan)));
    for (int k = 0; k < 2; k++) {
        assert_true(signbit(mplan_combine_f64(MPLAN_INC_MIN, k ? 0.0 : -0.0, k ? -0.0 : 0.0)));
        assert_false(signbit(mplan_combine_f64(MPLAN_INC_MAX, k ? 0.0 : -0.0, k ? -0.0 : 0.0)));
        assert_true(signbit(mplan_combine_f32(MPLAN_INC_MIN, k ? 0.0f : -0.0f, k ? -0.0f : 0.0f)));
    }
    assert_true(mplan_neutral_f32(MPLAN_INC_MAX) == -INFINITY);
    assert_int_equal(mplan_neutral_u8(MPLAN_INC_MIN), 255);
    assert_int_equal(mplan_neutral_u16(MPLAN_INC_MAX), 0);
    assert_true(mplan_neutral_i64(MPLAN_INC_MIN) == INT64_MAX);
    assert_int_equal(mplan_combine_i32(MPLAN_INC, INT32_MAX, 1), INT32_MIN);
    assert_int_equal(mplan_combine_u8(MPLAN_INC_MAX, 3, 200), 200);
}

/* A step of two loops: the second reads what the first has left, launch after launch. */
static void a_later_loop_reads_it(void **state)
{
    (void)state;
    static globals_case in;
    static double found[CELLS];
    mplan_arg args[2][MPLAN_MAX_ARGS];
    mplan_loop loops[2];
    mplan_plan *plan;
    mplan_error err;
    fill(&in);
    mplan_mesh *mesh = mesh_of(&in);
    assert_done(mplan_kernel_loop(&least_host, "cells", args[0], &loops[0], &err), &err);
    assert_done(mplan_kernel_loop(&move_host, "cells", args[1], &loops[1], &err), &err);
    assert_done(mplan_plan_create(mesh, 2, loops, NULL, NULL, &plan, &err), &err);
    assert_done(mplan_plan_verify(plan, mesh, NULL, &err), &err);
    for (int e = MPLAN_EXECUTOR_SERIAL; e <= MPLAN_EXECUTOR_OPENMP; e++) {
        mplan_exec_loop *bound[2];
        mplan_exec *exec = open_exec(&in, plan, (mplan_executor)e);
        const double all = HUGE_VAL;
        double dt = 0, low = in.q[0];
        for (int c = 1; c < CELLS; c++)
            low = fmin(low, in.q[c]);
        assert_done(mplan_exec_bind(exec, "least", -1, &least_host, &bound[0], &err), &err);
        assert_done(mplan_exec_bind(exec, "move", -1, &move_host, &bound[1], &err), &err);
        for (int step = 0; step < 3; step++) {
            assert_done(mplan_exec_set(exec, "dt", &all, 1, MPLAN_TYPE_F64, NULL, &err), &err);
            assert_done(mplan_exec_launch(exec, bound[0], NULL, NULL, &err), &err);
            assert_done(mplan_exec_launch(exec, bound[1], NULL, NULL, &err), &err);
            assert_done(mplan_exec_download(exec, "dt", &dt, 1, 1, MPLAN_TYPE_F64, &err), &err);
            assert_true(dt == low);
            low += dt;
        }
        assert_done(mplan_exec_download(exec, "q", found, CELLS, 1, MPLAN_TYPE_F64, &err), &err);
        for (int c = 0; c < CELLS; c++)
            assert_true(found[c] >= in.q[c]);
        mplan_exec_close(exec);
    }
    mplan_plan_free(plan);
    mplan_mesh_free(mesh);
}

/* Globals have no set: what does not fit that is refused, with words. */
static void refusals(void **state)
{
    (void)state;
    static globals_case in;
    mplan_error err;
    mplan_exec_loop *bound;
    mplan_dat_view view;
    double rows[2] = {0, 0}, result;
    fill(&in);
    mplan_mesh *mesh = mesh_of(&in);
    mplan_plan *plan = plan_of(mesh, 64, MPLAN_RENUMBER_NONE);
    mplan_exec *exec = open_exec(&in, plan, MPLAN_EXECUTOR_HOST);
    assert_int_equal(mplan_exec_upload(exec, "scale", rows, 2, 1, MPLAN_TYPE_F64, &err),
                     MPLAN_ERR_ARGUMENT);
    assert_string_equal(err.text, "global scale has one row, not 2");
    assert_int_equal(mplan_exec_set(exec, "scale", rows, 1, MPLAN_TYPE_F64, NULL, &err),
                     MPLAN_ERR_ARGUMENT);
    assert_string_equal(err.text, "dat scale has dim 2, not 1");
    assert_int_equal(mplan_exec_set(exec, "q", rows, 1, MPLAN_TYPE_F64, NULL, &err),
                     MPLAN_ERR_ARGUMENT);
    assert_string_equal(err.text, "dat q is not a global; upload its rows");
    assert_int_equal(mplan_exec_set(exec, "nothing", rows, 1, MPLAN_TYPE_F64, NULL, &err),
                     MPLAN_ERR_ARGUMENT);
    assert_int_equal(mplan_exec_reduce(exec, "scale", 0, MPLAN_SUM, &result, &err),
                     MPLAN_ERR_ARGUMENT);
    assert_string_equal(err.text, "dat scale is a global, which has no members to reduce");
    assert_int_equal(mplan_exec_bind(exec, "brings", -1, &least_host, &bound, &err),
                     MPLAN_ERR_ARGUMENT);
    assert_done(mplan_exec_bind(exec, "brings", -1, &brings_host, &bound, &err), &err);
    assert_refused(mplan_exec_launch_range(exec, bound, 0, 1, NULL, NULL, &err),
                   MPLAN_ERR_UNSUPPORTED, &err,
                   "loop brings changes global total, which only a whole launch can");
    const mplan_row_choice first = {.n = 1};
    assert_refused(mplan_exec_upload_rows(exec, "scale", &first, rows, 2, MPLAN_TYPE_F64, NULL, &err),
                   MPLAN_ERR_ARGUMENT, &err, "dat scale is a global, which is copied as a whole");
    assert_done(mplan_exec_declare(exec, "own", NULL, 70, MPLAN_TYPE_F64, -1, &err), &err);
    assert_int_equal(mplan_exec_set(exec, "own", in.q, 70, MPLAN_TYPE_F64, NULL, &err),
                     MPLAN_ERR_ARGUMENT);
    assert_string_equal(err.text, "global own has 560 bytes; more than 256 must be uploaded");
    assert_done(mplan_exec_data(exec, "own", MPLAN_RW, &view, &err), &err);
    assert_int_equal(view.rows, 1);
    assert_int_equal(view.storage_rows, 1);
    assert_done(mplan_exec_fill(exec, "own", 0xff, &err), &err);
    assert_true(isnan(((double *)view.data)[69]));
    mplan_exec_close(exec);
    mplan_plan_free(plan);
    mplan_mesh_free(mesh);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(globals_have_the_bits_of_the_mesh),
        cmocka_unit_test(compared_numbers),
        cmocka_unit_test(a_later_loop_reads_it),
        cmocka_unit_test(refusals),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
