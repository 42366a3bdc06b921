/* SPDX-License-Identifier: Apache-2.0 */
/* test_exec_clear.c - a dat that is cleared is zero to whatever looks at it next: a launch that stores its
 * sums has the bits of zeroing and adding */
#include "support_exec.h"
#include "support_test.h"

#include "exec/exec.h"

/* What the tests met, so that one that met nothing fails. */
static bool met_fresh[MPLAN_N_STRATEGIES], met_added[MPLAN_N_STRATEGIES], met_untouched;

typedef enum manner { FILLED, CLEARED, CLEARED_RANGES } manner;

static void bring(mplan_exec *exec, const support_exec_case *test, const support_dat *dat)
{
    mplan_error err;
    for (int32_t a = 0; a < test->kernel->n_args; a++) {
        assert_done(mplan_exec_declare(exec, dat[a].name, dat[a].set, dat[a].dim, dat[a].type, -1,
                                       &err),
                    &err);
        assert_done(mplan_exec_upload(exec, dat[a].name, dat[a].rows, dat[a].size, dat[a].dim,
                                      dat[a].type, &err),
                    &err);
    }
}

static bool is_sum(const support_exec_case *test, int32_t a)
{
    return test->kernel->args[a].arity > 0 && test->kernel->args[a].access == MPLAN_INC;
}

static char *fetch(mplan_exec *exec, const support_dat *dat, size_t *bytes)
{
    mplan_error err;
    *bytes = (size_t)(dat->size * dat->dim) * mplan_type_size(dat->type);
    char *rows = malloc(*bytes + 8);
    assert_done(mplan_exec_download(exec, dat->name, rows, dat->size, dat->dim, dat->type, &err),
                &err);
    return rows;
}

/* The sums of the loop from zero, twice: a launch and one that adds to it. A dat that is to be cleared holds
 * garbage before. */
static char *run(const support_exec_case *test, const mplan_plan *plan, const support_dat *dat,
                 int32_t variant, mplan_executor executor, manner how, size_t *bytes)
{
    mplan_error err;
    mplan_exec *exec = support_exec_open(plan, executor, 0);
    mplan_exec_loop *bound;
    mplan_exec_ranges ranges;
    const void *parameters = support_exec_parameters(test);
    char *result = NULL;
    *bytes = 0;
    bring(exec, test, dat);
    assert_done(mplan_exec_bind(exec, test->kernel->name, variant, test->kernel, &bound, &err), &err);
    for (int32_t a = 0; a < test->kernel->n_args; a++)
        if (is_sum(test, a)) {
            assert_done(mplan_exec_fill(exec, dat[a].name, how == FILLED ? 0 : 0xff, &err), &err);
            if (how != FILLED)
                assert_done(mplan_exec_clear(exec, dat[a].name, NULL, &err), &err);
        }
    assert_done(mplan_exec_ranges_of(exec, bound, &ranges, &err), &err);
    if (how == CLEARED_RANGES) {
        assert_done(mplan_exec_launch_range(exec, bound, 0, ranges.count, parameters, NULL, &err),
                    &err);
        assert_done(mplan_exec_launch_rest(exec, bound, parameters, NULL, &err), &err);
    } else {
        assert_done(mplan_exec_launch(exec, bound, parameters, NULL, &err), &err);
    }
    for (int32_t a = 0; a < test->kernel->n_args; a++)
        if (is_sum(test, a) && how == CLEARED)
            (bound->call.arg[a].fresh ? met_fresh : met_added)[bound->call.strategy] = true;
    for (int again = 0; again < 2; again++) {
        for (int32_t a = 0; a < test->kernel->n_args; a++) {
            if (!is_sum(test, a))
                continue;
            size_t own;
            char *rows = fetch(exec, &dat[a], &own);
            result = realloc(result, *bytes + own + 8);
            memcpy(result + *bytes, rows, own);
            *bytes += own;
            free(rows);
        }
        assert_done(mplan_exec_launch(exec, bound, parameters, NULL, &err), &err);
    }
    mplan_exec_close(exec);
    return result;
}

static void compare(const support_exec_case *test, const mplan_plan *plan, const support_dat *dat,
                    int32_t variant, mplan_executor executor)
{
    size_t bytes, other;
    const mplan_plan_variant *chosen = &mplan_plan_get_loop(plan, 0)->variants[variant];
    if (!chosen->deterministic && executor == MPLAN_EXECUTOR_OPENMP)
        return;
    char *filled = run(test, plan, dat, variant, executor, FILLED, &bytes);
    for (int how = CLEARED; how <= CLEARED_RANGES; how++) {
        char *cleared = run(test, plan, dat, variant, executor, (manner)how, &other);
        if (other != bytes || (bytes > 0 && memcmp(filled, cleared, bytes) != 0))
            fail_msg("%s, %s, executor %d, manner %d: a cleared dat gives other bits", test->name,
                     mplan_strategy_name(chosen->strategy), (int)executor, how);
        free(cleared);
    }
    free(filled);
}

/* A dat of the case has a member that no element increments. */
static void look_for_untouched(const support_exec_case *test, const support_dat *dat)
{
    for (int32_t a = 0; a < test->kernel->n_args; a++)
        for (int64_t i = 0; is_sum(test, a) && i < dat[a].size; i++) {
            const size_t size = (size_t)dat[a].dim * mplan_type_size(dat[a].type);
            met_untouched |= memcmp((char *)dat[a].rows + (size_t)i * size,
                                    (char *)dat[a].expected + (size_t)i * size, size) == 0;
        }
}

static void cleared_and_launched(void **state)
{
    (void)state;
    uint64_t seed = 71;
    for (int i = 0; support_exec_get(i); i++) {
        const support_exec_case *test = support_exec_get(i);
        for (int round = 0; round<6; round += support_every(4)> 1 ? 4 : 1) {
            support_dat dat[SUPPORT_EXEC_ARGS];
            mplan_plan_options options = MPLAN_PLAN_OPTIONS_INIT;
            mplan_mesh *mesh = test->make(&seed);
            support_exec_fill(test, mesh, &seed, dat);
            look_for_untouched(test, dat);
            options.block_size = round % 2 ? 8 : 3;
            options.sums = round == 5 ? MPLAN_SUMS_ATOMIC : MPLAN_SUMS_PARTIAL;
            for (int s = 0; s < MPLAN_N_STRATEGIES; s++)
                if ((s != MPLAN_STRATEGY_BLOCK_GATHER || test->gathers) &&
                    (s != MPLAN_STRATEGY_OWNER_GATHER || test->owns))
                    options.strategies[options.n_strategies++] = (mplan_strategy)s;
            mplan_plan *plan = support_exec_plan(test, mesh, &options);
            for (int32_t v = 0; v < mplan_plan_get_loop(plan, 0)->n_variants; v++)
                for (int e = MPLAN_EXECUTOR_SERIAL; e <= MPLAN_EXECUTOR_OPENMP; e++)
                    compare(test, plan, dat, v, (mplan_executor)e);
            support_exec_free(test, dat);
            mplan_plan_free(plan);
            mplan_mesh_free(mesh);
        }
    }
    assert_true(met_untouched);
    assert_true(met_fresh[MPLAN_STRATEGY_OWNER_GATHER] && met_fresh[MPLAN_STRATEGY_TWO_STEP] &&
                met_fresh[MPLAN_STRATEGY_BLOCK_GATHER] && met_added[MPLAN_STRATEGY_BLOCK_GATHER]);
    assert_true(met_added[MPLAN_STRATEGY_ATOMIC] && met_added[MPLAN_STRATEGY_GLOBAL_COLOUR] &&
                met_added[MPLAN_STRATEGY_BLOCK_COLOUR]);
    assert_false(met_fresh[MPLAN_STRATEGY_ATOMIC] || met_fresh[MPLAN_STRATEGY_GLOBAL_COLOUR] ||
                 met_fresh[MPLAN_STRATEGY_BLOCK_COLOUR]);
}

static double first_number(mplan_exec *exec, const support_dat *dat)
{
    size_t bytes;
    char *rows = fetch(exec, dat, &bytes);
    double value;
    memcpy(&value, rows, sizeof value);
    free(rows);
    return value;
}

/* Copies, reductions, views and other memory find zeros, or what came after. */
static void cleared_and_looked_at(void **state)
{
    (void)state;
    uint64_t seed = 72;
    mplan_error err;
    const support_exec_case *test = support_exec_find("corners-quad");
    mplan_mesh *mesh = test->make(&seed);
    mplan_plan_options options = MPLAN_PLAN_OPTIONS_INIT;
    support_dat dat[SUPPORT_EXEC_ARGS];
    options.n_strategies = 1;
    options.strategies[0] = MPLAN_STRATEGY_OWNER_GATHER;
    support_exec_fill(test, mesh, &seed, dat);
    mplan_plan *plan = support_exec_plan(test, mesh, &options);
    mplan_exec *exec = support_exec_open(plan, MPLAN_EXECUTOR_HOST, 0);
    bring(exec, test, dat);
    int32_t a = 0;
    while (!is_sum(test, a) || dat[a].type != MPLAN_TYPE_F64)
        a++;
    const char *name = dat[a].name;
    double sum = 1;
    int64_t before, after;
    assert_refused(mplan_exec_clear(exec, "nobody", NULL, &err), MPLAN_ERR_ARGUMENT, &err,
                   "dat nobody is not declared");
    assert_done(mplan_exec_fill(exec, name, 0xff, &err), &err);
    assert_done(mplan_exec_written(exec, name, &before, &err), &err);
    assert_done(mplan_exec_clear(exec, name, NULL, &err), &err);
    assert_done(mplan_exec_written(exec, name, &after, &err), &err);
    assert_true(after != before);
    assert_true(first_number(exec, &dat[a]) == 0); /* download */
    assert_done(mplan_exec_fill(exec, name, 0xff, &err), &err);
    assert_done(mplan_exec_clear(exec, name, NULL, &err), &err);
    assert_done(mplan_exec_reduce(exec, name, 0, MPLAN_SUM, &sum, &err), &err);
    assert_true(sum == 0);
    assert_done(mplan_exec_clear(exec, name, NULL, &err), &err); /* an upload behind it stays */
    assert_done(mplan_exec_upload(exec, name, dat[a].rows, dat[a].size, dat[a].dim, dat[a].type, &err),
                &err);
    assert_memory_equal(&(double){first_number(exec, &dat[a])}, dat[a].rows, sizeof(double));
    mplan_dat_view view;
    assert_done(mplan_exec_fill(exec, name, 0xff, &err), &err);
    assert_done(mplan_exec_clear(exec, name, NULL, &err), &err);
    assert_done(mplan_exec_data(exec, name, MPLAN_READ, &view, &err), &err);
    assert_true(*(const double *)view.data == 0);
    *(double *)view.data = 3; /* the view stays: from now on it is zeroed at once */
    assert_done(mplan_exec_clear(exec, name, NULL, &err), &err);
    assert_true(*(const double *)view.data == 0);
    mplan_exec_close(exec);
    mplan_plan_free(plan);
    support_exec_free(test, dat);
    mplan_mesh_free(mesh);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(cleared_and_launched),
                                       cmocka_unit_test(cleared_and_looked_at)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
