/* SPDX-License-Identifier: Apache-2.0 */
/* test_tune_vary.c - a plan that is varied equals one that is planned so, but for its request */
#include "support_test.h"

#include "apps/apps.h"
#include "exec/meshplan_exec.h"
#include "plan/plan.h"

static mplan_error err;

static const mplan_arg args[] = {
    {"a", "faces_cells", MPLAN_READ, 2, MPLAN_TYPE_F64, MPLAN_NONE_REFUSE},
    {"b", "faces_cells", MPLAN_INC, 1, MPLAN_TYPE_F64, MPLAN_NONE_REFUSE},
};
static const mplan_arg own[] = {{"c", NULL, MPLAN_RW, 1, MPLAN_TYPE_F32, MPLAN_NONE_REFUSE}};
static const mplan_loop loops[] = {{"first", "cells", false, 1, 0, 1, own},
                                   {"second", "faces", true, 1, 0, 2, args}};

static mplan_plan *planned(mplan_mesh *mesh, mplan_strategy strategy, int32_t threads, int32_t each)
{
    mplan_plan_options request = MPLAN_PLAN_OPTIONS_INIT;
    mplan_plan *plan = NULL;
    request.n_strategies = 1;
    request.strategies[0] = strategy;
    request.block_threads = threads;
    request.elements_per_thread = each;
    assert_done(mplan_plan_create(mesh, 2, loops, &request, NULL, &plan, &err), &err);
    return plan;
}

/* What `compare` says: only lines of the request, and of the loop that was not varied. */
static void note(void *user, const char *line)
{
    bool *others = user;
    *others = *others || !(strstr(line, "request") || strstr(line, "loop first"));
}

static void a_varied_plan_is_the_planned_one(void **state)
{
    (void)state;
    static const mplan_strategy strategies[] = {MPLAN_STRATEGY_ATOMIC, MPLAN_STRATEGY_GLOBAL_COLOUR};
    static const int32_t threads[] = {64, 512}, each[] = {1, 7};
    mplan_generate_options wanted = MPLAN_GENERATE_OPTIONS_INIT;
    mplan_mesh *mesh = NULL;
    wanted.shape = MPLAN_SHAPE_QUAD;
    wanted.size[0] = 9;
    wanted.size[1] = 7;
    assert_done(mplan_mesh_generate(&wanted, NULL, &mesh, &err), &err);
    for (int i = 0; i < 8; i++) {
        const int32_t t = threads[i / 2 % 2], e = each[i / 4];
        mplan_plan *base = planned(mesh, strategies[i % 2], 0, 0),
                   *due = planned(mesh, strategies[i % 2], t, e);
        mplan_tune_varied *varied = NULL;
        bool others = false;
        assert_done(mplan_tune_vary(base, 1, t, e, &varied, &err), &err);
        const mplan_plan *made = mplan_tune_varied_plan(varied);
        const mplan_plan_variant *v = &mplan_plan_get_loop(made, 1)->variants[0];
        assert_int_equal(v->threads, t);
        assert_int_equal(v->elements_per_thread, e);
        mplan_status status = mplan_plan_compare(made, due, note, &others, &err);
        assert_true(status == MPLAN_ERR_DIFFERENT || status == MPLAN_OK);
        assert_false(others);
        assert_int_equal(mplan_plan_get_loop(base, 1)->variants[0].elements_per_thread, 1);
        mplan_tune_varied_free(varied);
        mplan_plan_free(base);
        mplan_plan_free(due);
    }
    mplan_mesh_free(mesh);
}

static void others_are_refused(void **state)
{
    (void)state;
    static const mplan_strategy strategies[] = {MPLAN_STRATEGY_TWO_STEP, MPLAN_STRATEGY_BLOCK_COLOUR,
                                                MPLAN_STRATEGY_BLOCK_GATHER,
                                                MPLAN_STRATEGY_OWNER_GATHER};
    mplan_generate_options wanted = MPLAN_GENERATE_OPTIONS_INIT;
    mplan_mesh *mesh = NULL;
    wanted.size[0] = wanted.size[1] = 5;
    assert_done(mplan_mesh_generate(&wanted, NULL, &mesh, &err), &err);
    for (size_t i = 0; i < sizeof strategies / sizeof *strategies; i++) {
        mplan_plan *plan = planned(mesh, strategies[i], 0, 0);
        mplan_tune_varied *varied = NULL;
        assert_int_equal(mplan_tune_vary(plan, 1, 64, 2, &varied, &err), MPLAN_ERR_UNSUPPORTED);
        assert_null(varied);
        mplan_plan_free(plan);
    }
    mplan_mesh_free(mesh);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_varied_plan_is_the_planned_one),
        cmocka_unit_test(others_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
