/* SPDX-License-Identifier: Apache-2.0 */
/* test_exec_ranges.c - a loop cut into ranges has the bits of the whole, in any order where that is
 * promised, else where the ranges ascend */
#include "support_exec.h"
#include "support_test.h"

#include "plan/plan.h"

/* One way to launch a loop. */
typedef struct manner {
    mplan_executor executor;
    int32_t threads;
    bool cut;    /* into ranges */
    bool ascend; /* from the first to the last */
} manner;

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

/* Ranges of 0 to 3 units that hold each unit once: `first` and `count` of each, in ascending order
 * or mixed. Returns how many. */
static int64_t cut(int64_t units, bool ascend, uint64_t *seed, int64_t *first, int64_t *count)
{
    int64_t n = 0;
    for (int64_t at = 0; at < units; n++) {
        int64_t size = (int64_t)support_random(seed, 4);
        first[n] = at;
        count[n] = size < units - at ? size : units - at;
        at += count[n];
    }
    for (int64_t i = n - 1; i > 0 && !ascend; i--) {
        int64_t k = (int64_t)support_random(seed, (uint64_t)i + 1), f = first[i], c = count[i];
        first[i] = first[k];
        count[i] = count[k];
        first[k] = f;
        count[k] = c;
    }
    return n;
}

static void launch_cut(mplan_exec *exec, mplan_exec_loop *bound, const void *parameters,
                       const mplan_exec_ranges *ranges, bool ascend, uint64_t *seed)
{
    enum { MOST = 4096 };
    static int64_t first[MOST], count[MOST];
    mplan_error err;
    assert_true(ranges->count < MOST / 8); /* empty ranges count, too */
    int64_t n = cut(ranges->count, ascend, seed, first, count);
    for (int64_t i = 0; i < n; i++)
        assert_done(mplan_exec_launch_range(exec, bound, first[i], count[i], parameters, NULL, &err),
                    &err);
    assert_done(mplan_exec_launch_rest(exec, bound, parameters, NULL, &err), &err);
}

/* The bytes of all dats after one launch of the variant; *any_order as the loop promises. */
static char *run(const support_exec_case *test, const mplan_plan *plan, const support_dat *dat,
                 int32_t variant, manner how, uint64_t *seed, size_t *bytes,
                 mplan_exec_ranges *ranges)
{
    mplan_error err;
    mplan_exec *exec = support_exec_open(plan, how.executor, how.threads);
    mplan_exec_loop *bound;
    char *result = NULL;
    const void *parameters = support_exec_parameters(test);
    bring(exec, test, dat);
    assert_done(mplan_exec_bind(exec, test->kernel->name, variant, test->kernel, &bound, &err), &err);
    assert_done(mplan_exec_ranges_of(exec, bound, ranges, &err), &err);
    if (how.cut)
        launch_cut(exec, bound, parameters, ranges, how.ascend, seed);
    else
        assert_done(mplan_exec_launch(exec, bound, parameters, NULL, &err), &err);
    *bytes = 0;
    for (int32_t a = 0; a < test->kernel->n_args; a++) {
        size_t own = (size_t)(dat[a].size * dat[a].dim) * mplan_type_size(dat[a].type);
        result = realloc(result, *bytes + own + 8);
        assert_done(mplan_exec_download(exec, dat[a].name, result + *bytes, dat[a].size, dat[a].dim,
                                        dat[a].type, &err),
                    &err);
        *bytes += own;
    }
    mplan_exec_close(exec);
    return result;
}

/* What the tests met, so that one that met nothing fails. */
static bool met_unit[4], met_order, met_rest, met_many;

static void compare(const support_exec_case *test, const mplan_plan *plan, const support_dat *dat,
                    int32_t variant, mplan_executor executor, uint64_t *seed)
{
    mplan_exec_ranges ranges;
    size_t bytes;
    char *whole = run(test, plan, dat, variant, (manner){executor, 0, false, false}, seed, &bytes,
                      &ranges);
    const mplan_plan_variant *chosen = &mplan_plan_get_loop(plan, 0)->variants[variant];
    const bool atomic = !chosen->deterministic && executor == MPLAN_EXECUTOR_OPENMP;
    char *ascend = run(test, plan, dat, variant, (manner){executor, 0, true, true}, seed, &bytes,
                       &ranges);
    if (!atomic && memcmp(whole, ascend, bytes) != 0)
        fail_msg("%s, %s: ascending ranges give other bits", test->name,
                 mplan_strategy_name(chosen->strategy));
    free(ascend);
    if (ranges.any_order) {
        char *mixed = run(test, plan, dat, variant, (manner){executor, 0, true, false}, seed,
                          &bytes, &ranges);
        if (memcmp(whole, mixed, bytes) != 0)
            fail_msg("%s, %s: mixed ranges give other bits", test->name,
                     mplan_strategy_name(chosen->strategy));
        free(mixed);
    }
    met_unit[ranges.unit] = true;
    met_order |= ranges.any_order;
    met_rest |= ranges.rest;
    met_many |= ranges.any_order && ranges.count > 8;
    assert_true(!ranges.rest || ranges.any_order);
    free(whole);
}

static void ranges_give_the_bits_of_the_whole(void **state)
{
    (void)state;
    uint64_t seed = 61;
    for (int i = 0; support_exec_get(i); i++) {
        const support_exec_case *test = support_exec_get(i);
        for (int round = 0; round<2 * MPLAN_N_SUMS; round += support_every(2)> 1 ? 2 : 1) {
            support_dat dat[SUPPORT_EXEC_ARGS];
            mplan_plan_options options = MPLAN_PLAN_OPTIONS_INIT;
            mplan_mesh *mesh = test->make(&seed);
            support_exec_fill(test, mesh, &seed, dat);
            options.block_size = round % 2 ? 8 : 3;
            options.sums = (mplan_sums)(round / 2);
            for (int s = 0; s < MPLAN_N_STRATEGIES; s++)
                if ((s != MPLAN_STRATEGY_BLOCK_GATHER || test->gathers) &&
                    (s != MPLAN_STRATEGY_OWNER_GATHER || test->owns))
                    options.strategies[options.n_strategies++] = (mplan_strategy)s;
            mplan_plan *plan = support_exec_plan(test, mesh, &options);
            for (int32_t v = 0; v < mplan_plan_get_loop(plan, 0)->n_variants; v++)
                for (int e = MPLAN_EXECUTOR_SERIAL; e <= MPLAN_EXECUTOR_OPENMP; e++)
                    compare(test, plan, dat, v, (mplan_executor)e, &seed);
            support_exec_free(test, dat);
            mplan_plan_free(plan);
            mplan_mesh_free(mesh);
        }
    }
    for (int u = 0; u < 4; u++)
        assert_true(met_unit[u]);
    assert_true(met_order && met_rest && met_many);
}

/* What a strategy promises, and what lies beyond its last unit. */
static void units_and_promises(void **state)
{
    (void)state;
    static const struct {
        mplan_strategy strategy;
        mplan_range_unit unit;
        bool any_order, rest;
    } expected[] = {
        {MPLAN_STRATEGY_GLOBAL_COLOUR, MPLAN_RANGE_LISTED, false, false},
        {MPLAN_STRATEGY_BLOCK_COLOUR, MPLAN_RANGE_BLOCKS, false, false},
        {MPLAN_STRATEGY_TWO_STEP, MPLAN_RANGE_ELEMENTS, true, true},
        {MPLAN_STRATEGY_ATOMIC, MPLAN_RANGE_ELEMENTS, false, false},
        {MPLAN_STRATEGY_BLOCK_GATHER, MPLAN_RANGE_BLOCKS, true, true},
        {MPLAN_STRATEGY_OWNER_GATHER, MPLAN_RANGE_ROWS, true, false},
    };
    uint64_t seed = 62;
    mplan_error err;
    const support_exec_case *test = support_exec_find("flux");
    mplan_mesh *mesh = test->make(&seed);
    for (size_t i = 0; i < sizeof expected / sizeof *expected; i++) {
        mplan_plan_options options = MPLAN_PLAN_OPTIONS_INIT;
        mplan_exec_loop *bound;
        mplan_exec_ranges ranges;
        options.n_strategies = 1;
        options.strategies[0] = expected[i].strategy;
        mplan_plan *plan = support_exec_plan(test, mesh, &options);
        mplan_exec *exec = support_exec_open(plan, MPLAN_EXECUTOR_HOST, 0);
        const void *parameters = support_exec_parameters(test);
        assert_done(mplan_exec_declare_all(exec, &err), &err);
        assert_done(mplan_exec_bind(exec, test->kernel->name, 0, test->kernel, &bound, &err), &err);
        assert_done(mplan_exec_ranges_of(exec, bound, &ranges, &err), &err);
        assert_int_equal(ranges.unit, expected[i].unit);
        assert_int_equal(ranges.any_order, expected[i].any_order);
        assert_int_equal(ranges.rest, expected[i].rest);
        const int64_t wrong[][2] = {
            {-1, 1}, {0, -1}, {0, ranges.count + 1}, {ranges.count, 1}, {INT64_MAX, INT64_MAX}};
        for (size_t k = 0; k < sizeof wrong / sizeof *wrong; k++)
            assert_refused(mplan_exec_launch_range(exec, bound, wrong[k][0], wrong[k][1],
                                                   parameters, NULL, &err),
                           MPLAN_ERR_ARGUMENT, &err, "has ranges 0 to");
        assert_done(mplan_exec_launch_range(exec, bound, ranges.count, 0, parameters, NULL, &err),
                    &err);
        mplan_exec_close(exec);
        mplan_plan_free(plan);
    }
    mplan_mesh_free(mesh);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(ranges_give_the_bits_of_the_whole),
        cmocka_unit_test(units_and_promises),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
