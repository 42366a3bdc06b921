/* SPDX-License-Identifier: Apache-2.0 */
/* test_step_lag.c - entries of a step whose globals change when a visit ends: a time step by the cells' own limits
 *
 * Steps in memory and within a limited device memory are compared with loops that are launched one by one by hand, in which the new
 * value is put away until the steps of a visit are over. Plans that say something else are refused. */
#include "exec/meshplan_exec.h"
#include "exec/meshplan_kernel.h"
#include "plan/plan.h"
#include "support_test.h"

#define LIMIT_ARGS(ARG)           \
    ARG(DIRECT, u, 1, f64, READ)  \
    ARG(DIRECT, seen, 1, f64, RW) \
    ARG(GLOBAL, dt, 1, f64, MIN)  \
    ARG(GLOBAL, total, 2, f64, INC)
MPLAN_VIEWS_ANY(limit, LIMIT_ARGS)
/* What a cell allows, and what it brings to two sums. */
MPLAN_FN void limit(limit_views *v, const mplan_no_parameters *p)
{
    (void)p;
    v->seen[0] += v->u[0];
    v->dt[0] = 0.02 / (1 + v->u[0] * v->u[0]);
    v->total[0] = v->u[0];
    v->total[1] = v->u[0] * v->u[0];
}
MPLAN_KERNEL_ANY(limit, LIMIT_ARGS, mplan_no_parameters)

#define FLUX_ARGS(ARG)                           \
    ARG(MAPPED, u, faces_cells, 2, 1, f64, READ) \
    ARG(MAPPED, r, faces_cells, 2, 1, f64, INC)
MPLAN_VIEWS_ANY(flux, FLUX_ARGS)
MPLAN_FN void flux(flux_views *v, const mplan_no_parameters *p)
{
    (void)p;
    v->r[0][0] = v->u[1][0] - v->u[0][0];
    v->r[1][0] = v->u[0][0] * v->u[0][0] - v->u[1][0];
}
MPLAN_KERNEL_ANY(flux, FLUX_ARGS, mplan_no_parameters)

#define MOVE_ARGS(ARG)           \
    ARG(DIRECT, r, 1, f64, READ) \
    ARG(DIRECT, u, 1, f64, RW)   \
    ARG(GLOBAL, dt, 1, f64, READ)
MPLAN_VIEWS_ANY(move, MOVE_ARGS)
MPLAN_FN void move(move_views *v, const mplan_no_parameters *p)
{
    (void)p;
    v->u[0] += v->dt[0] * v->r[0];
}
MPLAN_KERNEL_ANY(move, MOVE_ARGS, mplan_no_parameters)

enum { LIMIT, FLUX, MOVE, N, STEPS = 3 };
static const mplan_kernel *const kernels[N] = {&limit_host, &flux_host, &move_host};
static const char *const over[N] = {"cells", "faces", "cells"};

/* A mesh, its loops and a plan of them. */
typedef struct lag_case {
    mplan_mesh *mesh;
    mplan_arg args[N][MPLAN_MAX_ARGS];
    mplan_loop loops[N];
    mplan_plan *plan;
    int64_t cells;
    mplan_error err;
} lag_case;

static void open_case(lag_case *of)
{
    mplan_generate_options wanted = MPLAN_GENERATE_OPTIONS_INIT;
    *of = (lag_case){0};
    wanted.shape = MPLAN_SHAPE_QUAD;
    wanted.size[0] = 240;
    wanted.size[1] = 12;
    wanted.shuffle = true;
    wanted.seed = 7;
    assert_done(mplan_mesh_generate(&wanted, NULL, &of->mesh, &of->err), &of->err);
    of->cells = 240 * 12;
    for (int l = 0; l < N; l++)
        assert_done(mplan_kernel_loop(kernels[l], over[l], of->args[l], &of->loops[l], &of->err),
                    &of->err);
    of->loops[FLUX].primary = true;
}

static void close_case(lag_case *of)
{
    mplan_plan_free(of->plan);
    mplan_mesh_free(of->mesh);
}

/* The status of planning. lags: of the three entries; bytes 0: no limit. */
static mplan_status make_plan(lag_case *of, int64_t bytes, const int32_t *lags)
{
    static const int32_t step[] = {LIMIT, FLUX, MOVE}, clears[] = {-1, 1, -1};
    mplan_plan_options options = MPLAN_PLAN_OPTIONS_INIT;
    options.n_step = N;
    options.step = step;
    options.step_clears = clears;
    options.step_lags = lags;
    options.device_memory = bytes;
    options.steps_per_visit = bytes ? STEPS : 0;
    return mplan_plan_create(of->mesh, N, of->loops, &options, NULL, &of->plan, &of->err);
}

/* All dats, numbers of u that no two cells share, and the bound loops as entries of a step. */
static mplan_exec *open_exec(lag_case *of, mplan_executor executor, int64_t bytes,
                             mplan_exec_entry *entries)
{
    mplan_exec_options options = MPLAN_EXEC_OPTIONS_INIT;
    mplan_exec *exec;
    mplan_exec_loop *bound;
    const double dt = 0.015, total[2] = {-1e9, 1e9};
    double *u = malloc((size_t)of->cells * sizeof *u);
    options.executor = executor;
    options.device_memory = bytes;
    options.threads = 2;
    assert_done(mplan_exec_open(of->plan, &options, &exec, &of->err), &of->err);
    assert_done(mplan_exec_declare_all(exec, &of->err), &of->err);
    for (int64_t i = 0; i < of->cells; i++)
        u[i] = 0.5 + (double)(i * 7919 % of->cells) / (double)of->cells;
    assert_done(mplan_exec_upload(exec, "u", u, of->cells, 1, MPLAN_TYPE_F64, &of->err), &of->err);
    free(u);
    assert_done(mplan_exec_set(exec, "dt", &dt, 1, MPLAN_TYPE_F64, NULL, &of->err), &of->err);
    assert_done(mplan_exec_set(exec, "total", total, 2, MPLAN_TYPE_F64, NULL, &of->err), &of->err);
    for (int l = 0; l < N; l++) {
        assert_done(mplan_exec_bind(exec, of->loops[l].name, -1, kernels[l], &bound, &of->err),
                    &of->err);
        entries[l] = (mplan_exec_entry){bound, NULL, l == FLUX ? "r" : NULL};
    }
    return exec;
}

/* u and seen of all cells, dt and both sums; the caller's. */
static double *take(lag_case *of, mplan_exec *exec)
{
    double *all = malloc((size_t)(2 * of->cells + 3) * sizeof *all), *at = all + 2 * of->cells;
    assert_done(mplan_exec_download(exec, "u", all, of->cells, 1, MPLAN_TYPE_F64, &of->err),
                &of->err);
    assert_done(mplan_exec_download(exec, "seen", all + of->cells, of->cells, 1, MPLAN_TYPE_F64,
                                    &of->err),
                &of->err);
    assert_done(mplan_exec_download(exec, "dt", at, 1, 1, MPLAN_TYPE_F64, &of->err), &of->err);
    assert_done(mplan_exec_download(exec, "total", at + 1, 1, 2, MPLAN_TYPE_F64, &of->err), &of->err);
    mplan_exec_close(exec);
    return all;
}

/* n steps by single launches: the globals that `limit` makes are put away until `group` steps are over. */
static double *by_hand(lag_case *of, int64_t n, int64_t group)
{
    static const double none[3] = {1e300, 0, 0};
    mplan_exec_entry entries[N];
    double now[3], next[3];
    mplan_exec *exec = open_exec(of, MPLAN_EXECUTOR_HOST, 0, entries);
    assert_done(mplan_exec_download(exec, "dt", now, 1, 1, MPLAN_TYPE_F64, &of->err), &of->err);
    assert_done(mplan_exec_download(exec, "total", now + 1, 1, 2, MPLAN_TYPE_F64, &of->err),
                &of->err);
    for (int64_t s = 0; s < n; s++) {
        mplan_exec_set(exec, "dt", none, 1, MPLAN_TYPE_F64, NULL, &of->err);
        mplan_exec_set(exec, "total", none + 1, 2, MPLAN_TYPE_F64, NULL, &of->err);
        assert_done(mplan_exec_launch(exec, entries[LIMIT].bound, NULL, NULL, &of->err), &of->err);
        mplan_exec_download(exec, "dt", next, 1, 1, MPLAN_TYPE_F64, &of->err);
        mplan_exec_download(exec, "total", next + 1, 1, 2, MPLAN_TYPE_F64, &of->err);
        mplan_exec_set(exec, "dt", now, 1, MPLAN_TYPE_F64, NULL, &of->err);
        mplan_exec_set(exec, "total", now + 1, 2, MPLAN_TYPE_F64, NULL, &of->err);
        assert_done(mplan_exec_clear(exec, "r", NULL, &of->err), &of->err);
        assert_done(mplan_exec_launch(exec, entries[FLUX].bound, NULL, NULL, &of->err), &of->err);
        assert_done(mplan_exec_launch(exec, entries[MOVE].bound, NULL, NULL, &of->err), &of->err);
        if ((s + 1) % group == 0 || s + 1 == n)
            memcpy(now, next, sizeof now);
    }
    mplan_exec_set(exec, "dt", now, 1, MPLAN_TYPE_F64, NULL, &of->err);
    mplan_exec_set(exec, "total", now + 1, 2, MPLAN_TYPE_F64, NULL, &of->err);
    return take(of, exec);
}

/* every 0: mplan_exec_steps; else mplan_exec_steps_lagged, in one call. */
static double *by_steps(lag_case *of, mplan_executor executor, int64_t bytes, int64_t n, int64_t every)
{
    mplan_exec_entry entries[N];
    mplan_exec *exec = open_exec(of, executor, bytes, entries);
    if (every)
        assert_done(mplan_exec_steps_lagged(exec, entries, N, n, every, NULL, NULL, &of->err),
                    &of->err);
    else
        assert_done(mplan_exec_steps(exec, entries, N, n, &of->err), &of->err);
    return take(of, exec);
}

static void assert_equal(lag_case *of, double *due, double *found)
{
    assert_memory_equal(due, found, (size_t)(2 * of->cells + 3) * sizeof *due);
    free(found);
}

static const int32_t lags[] = {1, 0, 0};

/* Eight steps are two visits and a short one; the bits are those of launches by hand, in memory with the same groups of steps. */
static void globals_change_when_a_visit_ends(void **state)
{
    (void)state;
    lag_case of;
    open_case(&of);
    assert_done(make_plan(&of, 2 << 20, lags), &of.err);
    assert_int_equal(of.plan->visit.steps, STEPS);
    assert_true(mplan_plan_get_lag(of.plan, LIMIT) && !mplan_plan_get_lag(of.plan, MOVE));
    assert_done(mplan_plan_verify(of.plan, of.mesh, NULL, &of.err), &of.err);
    double *due = by_hand(&of, 8, STEPS), *other = by_hand(&of, 8, 1);
    assert_int_not_equal(memcmp(due, other, (size_t)of.cells * sizeof *due), 0);
    assert_equal(&of, due, by_steps(&of, MPLAN_EXECUTOR_HOST, 2 << 20, 8, 0));
    assert_equal(&of, due, by_steps(&of, MPLAN_EXECUTOR_OPENMP, 2 << 20, 8, 0));
    assert_equal(&of, due, by_steps(&of, MPLAN_EXECUTOR_HOST, 2 << 20, 8, STEPS));
    assert_equal(&of, due, by_steps(&of, MPLAN_EXECUTOR_HOST, 0, 8, STEPS));
    assert_equal(&of, other, by_steps(&of, MPLAN_EXECUTOR_OPENMP, 0, 8, 0));
    free(due);
    free(other);
    close_case(&of);
}

/* Each number that the plan says of it is proved. */
static void other_lags_are_disproved(void **state)
{
    (void)state;
    lag_case of;
    open_case(&of);
    assert_done(make_plan(&of, 2 << 20, lags), &of.err);
    of.plan->step[LIMIT].lag = 0;
    assert_refused(mplan_plan_verify(of.plan, of.mesh, NULL, &of.err), MPLAN_ERR_DISPROVED, &of.err,
                   "");
    of.plan->step[LIMIT].lag = 1;
    of.plan->step[MOVE].lag = 1;
    assert_refused(mplan_plan_verify(of.plan, of.mesh, NULL, &of.err), MPLAN_ERR_DISPROVED, &of.err,
                   "");
    of.plan->step[MOVE].lag = 0;
    of.plan->visit.peak_bytes -= 8 * of.cells;
    assert_refused(mplan_plan_verify(of.plan, of.mesh, NULL, &of.err), MPLAN_ERR_DISPROVED, &of.err,
                   "all that is on the device");
    of.plan->visit.peak_bytes += 8 * of.cells;
    assert_done(mplan_plan_verify(of.plan, of.mesh, NULL, &of.err), &of.err);
    close_case(&of);
}

static void what_cannot_lag_is_refused(void **state)
{
    static const struct {
        int64_t bytes;
        int32_t lags[N];
        const char *says;
    } some[] = {{2 << 20, {0, 0, 0}, "with lag: 1 at its entry"},
                {0, {0, 0, 1}, "changes no global"},
                {0, {1, 1, 0}, "changes no global"},
                {0, {2, 0, 0}, "cannot have a lag of 2"}};
    (void)state;
    lag_case of;
    open_case(&of);
    for (size_t c = 0; c < sizeof some / sizeof *some; c++)
        assert_refused(make_plan(&of, some[c].bytes, some[c].lags), MPLAN_ERR_ARGUMENT, &of.err,
                       some[c].says);
    close_case(&of);
}

/* Two entries that change one global: it cannot have both values. */
static void one_entry_changes_a_global(void **state)
{
    static const int32_t step[] = {LIMIT, MOVE, LIMIT}, late[] = {1, 0, 0};
    (void)state;
    lag_case of;
    mplan_plan_options options = MPLAN_PLAN_OPTIONS_INIT;
    open_case(&of);
    options.n_step = 3;
    options.step = step;
    options.step_lags = late;
    assert_refused(mplan_plan_create(of.mesh, N, of.loops, &options, NULL, &of.plan, &of.err),
                   MPLAN_ERR_ARGUMENT, &of.err, "is changed by entry 2, too");
    close_case(&of);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(globals_change_when_a_visit_ends),
        cmocka_unit_test(other_lags_are_disproved),
        cmocka_unit_test(what_cannot_lag_is_refused),
        cmocka_unit_test(one_entry_changes_a_global),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
