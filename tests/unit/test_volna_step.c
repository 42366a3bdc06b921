/* SPDX-License-Identifier: Apache-2.0 */
/* test_volna_step.c - a step whose length is the least that its cells allow, under all strategies
 *
 * src/apps/volna_step.h on the host. Lengths of steps, water and cells are compared with those of the
 * serial executor; water has the same bits in every plan that has the same cells. */
#include <math.h>
#include <stdlib.h>

#include "apps/volna_step.h"
#include "support_test.h"

enum { SIDE = 18, CELLS = 2 * SIDE * SIDE, STEPS = 6 };

static const mplan_kernel *const kernels[MPLAN_VOLNA_LOOPS] = {
    &mplan_volna_flux_host, &mplan_volna_limit_host, &mplan_volna_host, &mplan_volna_move_host};

typedef struct history {
    float dt[STEPS], q[4 * CELLS];
    double water[STEPS];
} history;

static void run_steps(const mplan_volna_case *in, const mplan_plan *plan, int32_t variant,
                      mplan_executor executor, history *out)
{
    mplan_exec_options options = MPLAN_EXEC_OPTIONS_INIT;
    mplan_volna_state run;
    mplan_error err;
    options.executor = executor;
    options.threads = 2;
    assert_done(mplan_volna_open(in, plan, kernels, &options, variant, &run, &err), &err);
    for (int s = 0; s < STEPS; s++) {
        assert_done(mplan_volna_launch(&run, NULL, &err), &err);
        assert_done(mplan_exec_download(run.exec, "dt", &out->dt[s], 1, 1, MPLAN_TYPE_F32, &err),
                    &err);
        assert_done(mplan_exec_download(run.exec, "water", &out->water[s], 1, 1, MPLAN_TYPE_F64, &err),
                    &err);
    }
    assert_done(mplan_exec_download(run.exec, "q", out->q, CELLS, 4, MPLAN_TYPE_F32, &err), &err);
    mplan_exec_close(run.exec);
}

static void compare(const history *is, const history *should)
{
    for (int s = 0; s < STEPS; s++) {
        assert_true(fabsf(is->dt[s] - should->dt[s]) <= 1e-5f * should->dt[s]);
        assert_true(fabs(is->water[s] - should->water[s]) <= 1e-6 * should->water[s]);
    }
    for (int i = 0; i < 4 * CELLS; i++)
        assert_true(fabsf(is->q[i] - should->q[i]) <= 1e-4f);
}

static void steps_are_as_long_as_the_flow_allows(void **state)
{
    (void)state;
    static history serial, found;
    mplan_volna_case in = {0};
    mplan_plan *plan;
    mplan_error err;
    mplan_plan_options options = MPLAN_PLAN_OPTIONS_INIT;
    assert_true(mplan_volna_make(SIDE, &in));
    options.block_size = 64;
    for (int s = 0; s < MPLAN_N_STRATEGIES; s++)
        options.strategies[options.n_strategies++] = (mplan_strategy)s;
    assert_done(mplan_volna_plan(&in, kernels, &options, &plan, &err), &err);
    run_steps(&in, plan, 0, MPLAN_EXECUTOR_SERIAL, &serial);
    for (int s = 0; s < STEPS; s++) {
        assert_true(serial.dt[s] > 0.01f && serial.dt[s] < 1);
        assert_true(s == 0 || serial.dt[s] != serial.dt[s - 1]);
        assert_true(fabs(serial.water[s] - serial.water[0]) <= 1e-5 * serial.water[0]);
    }
    for (int32_t v = 0; v < MPLAN_N_STRATEGIES; v++)
        for (int e = MPLAN_EXECUTOR_HOST; e <= MPLAN_EXECUTOR_OPENMP; e++) {
            run_steps(&in, plan, v, (mplan_executor)e, &found);
            compare(&found, &serial);
        }
    mplan_plan_free(plan);
    mplan_volna_free(&in);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(steps_are_as_long_as_the_flow_allows)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
