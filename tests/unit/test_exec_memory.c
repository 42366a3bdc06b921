/* SPDX-License-Identifier: Apache-2.0 */
/* test_exec_memory.c - every public call of the executor again with its k-th allocation failing
 *
 * As test_memory_failure.c does it: the call says that memory ran out, leaves its results
 * only and releases what it took; the executor can be used as before, and closed. */
#include "support_exec.h"
#include "support_memory.h"

#include "apps/apps.h"

/* What the calls work on; made anew for each try. */
typedef struct bench {
    const support_exec_case *test;
    const support_dat *dat;
    const mplan_plan *plan;
    const mplan_mesh *mesh;
    const mplan_app *app;
    int32_t variant;
    mplan_exec *exec;
} bench;

typedef struct call {
    const char *name;
    bool opened, declared; /* what is ready before the call */
    bool keeps;            /* what was declared before the failure stays so */
    mplan_status (*run)(bench *b, mplan_error *err);
} call;

static void prepare(bench *b, const call *c)
{
    mplan_error err;
    b->exec = c->opened ? support_exec_open(b->plan, MPLAN_EXECUTOR_HOST, 0) : NULL;
    if (!c->declared)
        return;
    assert_done(mplan_exec_declare_all(b->exec, &err), &err);
    for (int32_t a = 0; a < b->test->kernel->n_args; a++)
        assert_done(mplan_exec_upload(b->exec, b->dat[a].name, b->dat[a].rows, b->dat[a].size,
                                      b->dat[a].dim, b->dat[a].type, &err),
                    &err);
}

/* False when the call needed fewer than k allocations. */
static bool fail_allocation(bench *b, const call *c, int64_t k, bool persistent)
{
    mplan_error err = {MPLAN_OK, ""};
    const int64_t live = support_memory.live;
    prepare(b, c);
    const int64_t own = support_memory.live;
    support_memory.left = k;
    support_memory.persistent = persistent;
    support_memory.fired = false;
    support_memory.armed = true;
    mplan_status status = c->run(b, &err);
    support_memory.armed = false;
    if (support_memory.fired != (status == MPLAN_ERR_MEMORY) ||
        (!support_memory.fired && status != MPLAN_OK))
        fail_msg("%s, allocation %d: %s (%s)", c->name, (int)k, mplan_status_name(status), err.text);
    if (status != MPLAN_OK && (err.status != status || !*err.text))
        fail_msg("%s, allocation %d: no sentence", c->name, (int)k);
    if (status != MPLAN_OK && c->opened) { /* as if nothing had been asked */
        if (!c->keeps && support_memory.live != own)
            fail_msg("%s, allocation %d: %d allocations left", c->name, (int)k,
                     (int)(support_memory.live - own));
        assert_done(c->run(b, &err), &err);
    }
    mplan_exec_close(b->exec);
    if (support_memory.live != live)
        fail_msg("%s, allocation %d: %d allocations left", c->name, (int)k,
                 (int)(support_memory.live - live));
    return support_memory.fired;
}

static void run_call(bench *b, const call *c)
{
    for (int persistent = 0; persistent < 2; persistent++) {
        int64_t k = 1;
        while (fail_allocation(b, c, k, persistent))
            if (++k > 20000)
                fail_msg("%s never ends", c->name);
    }
}

/* --- the calls ------------------------------------------------------------------------------ */

static mplan_status run_open(bench *b, mplan_error *err)
{
    mplan_exec_options options = MPLAN_EXEC_OPTIONS_INIT;
    options.executor = MPLAN_EXECUTOR_HOST;
    mplan_status status = mplan_exec_open(b->plan, &options, &b->exec, err);
    assert_true((status == MPLAN_OK) == (b->exec != NULL));
    return status;
}

/* Once: a second try finds it declared. */
static mplan_status run_declare(bench *b, mplan_error *err)
{
    const support_dat *dat = b->dat;
    return mplan_exec_declare(b->exec, dat->name, dat->set, dat->dim, dat->type, 1, err);
}

static mplan_status run_declare_all(bench *b, mplan_error *err)
{
    return mplan_exec_declare_all(b->exec, err);
}

static mplan_status run_bind(bench *b, mplan_error *err)
{
    mplan_exec_loop *bound = NULL;
    mplan_status status = mplan_exec_bind(b->exec, b->test->kernel->name, b->variant,
                                          b->test->kernel, &bound, err);
    assert_true((status == MPLAN_OK) == (bound != NULL));
    return status == MPLAN_OK
               ? mplan_exec_launch(b->exec, bound, support_exec_parameters(b->test), NULL, err)
               : status;
}

static mplan_status run_move(bench *b, mplan_error *err)
{
    const support_dat *dat = b->dat;
    mplan_status status = mplan_exec_download(b->exec, dat->name, dat->rows, dat->size, dat->dim,
                                              dat->type, err);
    if (status == MPLAN_OK)
        status = mplan_exec_upload(b->exec, dat->name, dat->rows, dat->size, dat->dim, dat->type,
                                   err);
    return status == MPLAN_OK ? mplan_exec_fill(b->exec, dat->name, 0, err) : status;
}

static mplan_status run_reduce(bench *b, mplan_error *err)
{
    double result = -7;
    mplan_status status = mplan_exec_reduce(b->exec, b->dat->name, 0, MPLAN_SUM, &result, err);
    assert_true(status == MPLAN_OK || result == -7);
    return status;
}

static mplan_status run_copy_rate(bench *b, mplan_error *err)
{
    double rate = -7;
    mplan_status status = mplan_app_copy_rate(b->exec, &rate, err);
    assert_true(status == MPLAN_OK || rate == -7);
    return status;
}

static void calls_fail_as_they_should(void **state)
{
    (void)state;
    static const call calls[] = {
        {"open", false, false, false, run_open},
        {"declare", true, false, true, run_declare},
        {"declare_all", true, false, true, run_declare_all},
        {"upload, download and fill", true, true, false, run_move},
        {"reduce", true, true, false, run_reduce},
        {"copy_rate", true, false, false, run_copy_rate},
    };
    static const call bind = {"bind", true, true, false, run_bind};
    mplan_error err;
    uint64_t seed = 41;
    support_dat dat[SUPPORT_EXEC_ARGS];
    mplan_plan_options options = MPLAN_PLAN_OPTIONS_INIT;
    bench b = {.test = support_exec_find("flux"), .dat = dat};
    mplan_mesh *mesh = b.test->make(&seed);
    options.block_size = 8;
    options.n_strategies = MPLAN_N_STRATEGIES;
    for (int s = 0; s < MPLAN_N_STRATEGIES; s++)
        options.strategies[s] = (mplan_strategy)s;
    mplan_plan *plan = support_exec_plan(b.test, mesh, &options);
    support_exec_fill(b.test, mesh, &seed, dat);
    assert_done(mplan_plan_verify(plan, mesh, NULL, &err), &err);
    b.plan = plan;
    for (size_t i = 0; i < sizeof calls / sizeof *calls; i++)
        run_call(&b, &calls[i]);
    for (b.variant = 0; b.variant < mplan_plan_get_loop(plan, 0)->n_variants; b.variant++)
        run_call(&b, &bind);
    support_exec_free(b.test, dat);
    mplan_plan_free(plan);
    mplan_mesh_free(mesh);
}

/* --- applications ----------------------------------------------------------------------------- */

static mplan_status run_request(bench *b, mplan_error *err)
{
    mplan_loop *loops = NULL;
    int32_t n_loops = 0;
    mplan_status status = mplan_app_accepts(b->app, b->mesh, err);
    if (status == MPLAN_OK)
        status = mplan_app_request(b->app, b->mesh, &loops, &n_loops, err);
    assert_true((status == MPLAN_OK) == (loops != NULL));
    if (status == MPLAN_OK)
        mplan_app_request_free(loops, n_loops);
    return status;
}

static mplan_status run_app(bench *b, mplan_error *err)
{
    mplan_app_options how = MPLAN_APP_OPTIONS_INIT;
    mplan_app_result result;
    mplan_exec_options exec = MPLAN_EXEC_OPTIONS_INIT;
    exec.executor = MPLAN_EXECUTOR_HOST;
    how.exec = &exec;
    how.iterations = 2;
    how.repeats = 0;
    return mplan_app_run(b->app, b->mesh, b->plan, &how, &result, err);
}

static void applications_fail_as_they_should(void **state)
{
    (void)state;
    static const call request = {"app_request", false, false, false, run_request};
    static const call run = {"app_run", false, false, false, run_app};
    static const mplan_shape shapes[] = {MPLAN_SHAPE_NACA0012, MPLAN_SHAPE_TET, MPLAN_SHAPE_HEX,
                                         MPLAN_SHAPE_QUAD};
    int32_t runs = 0;
    for (int32_t i = 0; mplan_app_get(i); i++) {
        bench b = {.app = mplan_app_get(i)};
        for (size_t s = 0; s < sizeof shapes / sizeof *shapes; s++) {
            mplan_error err;
            mplan_generate_options wanted = MPLAN_GENERATE_OPTIONS_INIT;
            mplan_plan_options options = MPLAN_PLAN_OPTIONS_INIT;
            mplan_mesh *mesh;
            mplan_plan *plan;
            mplan_loop *loops;
            int32_t n_loops;
            wanted.shape = shapes[s];
            wanted.size[0] = shapes[s] == MPLAN_SHAPE_NACA0012 ? 12 : 5;
            wanted.size[1] = 4;
            wanted.size[2] = shapes[s] == MPLAN_SHAPE_TET || shapes[s] == MPLAN_SHAPE_HEX ? 2 : 0;
            assert_done(mplan_mesh_generate(&wanted, NULL, &mesh, &err), &err);
            if (mplan_app_accepts(b.app, mesh, &err) == MPLAN_OK) {
                options.partitioner = MPLAN_PARTITIONER_NONE;
                options.block_size = 8;
                options.n_strategies = 1;
                options.strategies[0] = i % 2 ? MPLAN_STRATEGY_BLOCK_COLOUR : MPLAN_STRATEGY_TWO_STEP;
                b.mesh = mesh;
                assert_done(mplan_app_prepare(b.app, mesh, NULL, &err), &err);
                run_call(&b, &request);
                assert_done(mplan_app_request(b.app, mesh, &loops, &n_loops, &err), &err);
                mplan_layers *layers = NULL;
                assert_done(mplan_app_layers(b.app, loops, 3, MPLAN_COLUMNS_OWNER, &layers, &err),
                            &err);
                options.layers = layers;
                if (layers)
                    options.strategies[0] = MPLAN_STRATEGY_OWNER_GATHER;
                assert_done(mplan_plan_create(mesh, n_loops, loops, &options, NULL, &plan, &err),
                            &err);
                b.plan = plan;
                run_call(&b, &run);
                runs++;
                mplan_plan_free(plan);
                free(layers);
                mplan_app_request_free(loops, n_loops);
            }
            mplan_mesh_free(mesh);
        }
    }
    assert_true(runs >= 8);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(calls_fail_as_they_should),
        cmocka_unit_test(applications_fail_as_they_should),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
