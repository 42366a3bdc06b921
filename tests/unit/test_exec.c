/* SPDX-License-Identifier: Apache-2.0 */
/* test_exec.c - loops under every strategy, layout and executor on the host, against
 * plain loops over the mesh */
#include "support_exec.h"
#include "support_plan.h"
#include "support_test.h"

#include <math.h>

#include "plan/plan.h"

/* --- running a case ------------------------------------------------------------------- */

typedef struct way {
    mplan_executor executor;
    int32_t threads, layout; /* layout -1: as advised */
    int32_t variant;
} way;

/* Declares and uploads; a layout of 2 gives every other dat another one. */
static void bring_dats(mplan_exec *exec, const support_exec_case *test, const support_dat *dat,
                       int32_t layout)
{
    mplan_error err;
    for (int32_t a = 0; a < test->kernel->n_args; a++) {
        int32_t own = layout == 2 ? a % 2 : layout;
        assert_done(mplan_exec_declare(exec, dat[a].name, dat[a].set, dat[a].dim, dat[a].type, own,
                                       &err),
                    &err);
        assert_done(mplan_exec_upload(exec, dat[a].name, dat[a].rows, dat[a].size, dat[a].dim,
                                      dat[a].type, &err),
                    &err);
    }
}

/* The difference that sums in another order may make. */
static void compare_rows(const support_dat *dat, const void *rows, const char *where)
{
    int64_t n = dat->size * dat->dim;
    bool single = dat->type == MPLAN_TYPE_F32;
    if (dat->type != MPLAN_TYPE_F64 && !single) {
        if (memcmp(rows, dat->expected, (size_t)n * mplan_type_size(dat->type)) != 0)
            fail_msg("%s: dat %s differs", where, dat->name);
        return;
    }
    double largest = 0;
    for (int64_t i = 0; i < n; i++)
        largest = fmax(largest, single ? fabs((double)((const float *)dat->expected)[i])
                                       : fabs(((const double *)dat->expected)[i]));
    for (int64_t i = 0; i < n; i++) {
        double got = single ? (double)((const float *)rows)[i] : ((const double *)rows)[i];
        double want = single ? (double)((const float *)dat->expected)[i]
                             : ((const double *)dat->expected)[i];
        if (!(fabs(got - want) <= (single ? 1e-5 : 1e-12) * (1 + largest)))
            fail_msg("%s: dat %s, number %lld is %.17g, not %.17g", where, dat->name, (long long)i,
                     got, want);
    }
}

/* Runs a variant and compares; returns the copy of all bytes afterwards. */
static void *run_case(const support_exec_case *test, const mplan_plan *plan, const support_dat *dat,
                      way how, size_t *bytes)
{
    mplan_error err;
    mplan_exec *exec = support_exec_open(plan, how.executor, how.threads);
    mplan_exec_loop *bound;
    char where[160], *result = NULL;
    const mplan_plan_variant *chosen = &mplan_plan_get_loop(plan, 0)->variants[how.variant];
    snprintf(where, sizeof where, "%s, %s (sums %d, encoding %d), %s x %d, layout %d", test->name,
             mplan_strategy_name(chosen->strategy), (int)chosen->sums, (int)chosen->encoding,
             mplan_executor_name(how.executor), (int)how.threads, (int)how.layout);
    bring_dats(exec, test, dat, how.layout);
    assert_done(mplan_exec_bind(exec, test->kernel->name, how.variant, test->kernel, &bound, &err),
                &err);
    assert_done(mplan_exec_launch(exec, bound, support_exec_parameters(test), NULL, &err), &err);
    assert_done(mplan_exec_wait(exec, &err), &err);
    *bytes = 0;
    for (int32_t a = 0; a < test->kernel->n_args; a++) {
        size_t own = (size_t)(dat[a].size * dat[a].dim) * mplan_type_size(dat[a].type);
        result = realloc(result, *bytes + own + 1);
        assert_done(mplan_exec_download(exec, dat[a].name, result + *bytes, dat[a].size, dat[a].dim,
                                        dat[a].type, &err),
                    &err);
        /* an aligned copy, to look at as numbers */
        void *rows = malloc(own + 1);
        memcpy(rows, result + *bytes, own);
        compare_rows(&dat[a], rows, where);
        free(rows);
        *bytes += own;
    }
    mplan_exec_close(exec);
    return result;
}

/* One variant under every executor; equal bits where the variant promises them. */
static void run_variant(const support_exec_case *test, const mplan_plan *plan,
                        const support_dat *dat, int32_t variant, int32_t layout)
{
    static const way ways[] = {{MPLAN_EXECUTOR_HOST, 0, 0, 0},
                               {MPLAN_EXECUTOR_OPENMP, 1, 0, 0},
                               {MPLAN_EXECUTOR_OPENMP, 2, 0, 0},
                               {MPLAN_EXECUTOR_OPENMP, 0, 0, 0}};
    bool promised = mplan_plan_get_loop(plan, 0)->variants[variant].deterministic;
    void *first = NULL;
    for (size_t i = support_races_only() ? 2 : 0; i < sizeof ways / sizeof *ways; i++) {
        way how = ways[i];
        size_t bytes;
        how.layout = layout;
        how.variant = variant;
        void *result = run_case(test, plan, dat, how, &bytes);
        if (first && promised)
            assert_memory_equal(first, result, bytes);
        if (first)
            free(result);
        else
            first = result;
    }
    free(first);
}

static void run_plan(const support_exec_case *test, const mplan_plan *plan, const support_dat *dat,
                     uint64_t *seed)
{
    size_t bytes;
    way serial = {MPLAN_EXECUTOR_SERIAL, 0, (int32_t)support_random(seed, 4) - 1, 0};
    free(run_case(test, plan, dat, serial, &bytes));
    for (int32_t v = 0; v < mplan_plan_get_loop(plan, 0)->n_variants; v++)
        run_variant(test, plan, dat, v, (int32_t)support_random(seed, 4) - 1);
}

/* --- strategies -------------------------------------------------------------------------- */

static void random_options(uint64_t *seed, const mplan_mesh *mesh, mplan_plan_options *options)
{
    static const int32_t sizes[] = {1, 3, 8, 32, 64, 256};
    *options = (mplan_plan_options)MPLAN_PLAN_OPTIONS_INIT;
    options->block_size = sizes[support_random(seed, 6)];
    bool curve = support_random(seed, 2) && mplan_mesh_dimension(mesh) > 0;
    options->partitioner = curve ? MPLAN_PARTITIONER_HILBERT : MPLAN_PARTITIONER_NONE;
    options->renumber = support_random(seed, 2) ? MPLAN_RENUMBER_RCM : MPLAN_RENUMBER_NONE;
    options->keep_better = support_random(seed, 2);
    options->point_order = (mplan_point_order)support_random(seed, MPLAN_N_POINT_ORDERS);
}

/* What the plans of a test had, so that a test that met nothing fails. */
typedef struct coverage {
    bool sums[MPLAN_N_SUMS], encoding[MPLAN_N_ENCODINGS], width[5];
    bool window, escapes, shared, sequence;
} coverage;

static bool has_rows(const mplan_plan *plan, mplan_kind kind, int32_t variant)
{
    mplan_key key = mplan_key_of_variant(kind, 0, variant);
    const mplan_array *array = mplan_plan_find_array(plan, &key);
    return array && array->rows > 0;
}

static void look_at(const mplan_plan *plan, coverage *seen)
{
    const mplan_plan_loop *loop = mplan_plan_get_loop(plan, 0);
    for (int32_t v = 0; v < loop->n_variants; v++) {
        const mplan_plan_variant *variant = &loop->variants[v];
        if (variant->block_set >= 0)
            seen->sequence |= mplan_plan_get_block_set(plan, variant->block_set)->sequence;
        if (variant->strategy == MPLAN_STRATEGY_BLOCK_GATHER)
            seen->sums[variant->sums] = true;
        seen->encoding[variant->encoding] = true;
        if (variant->strategy == MPLAN_STRATEGY_OWNER_GATHER)
            seen->width[variant->width] = true;
        seen->window |= variant->window > 0;
        seen->escapes |= has_rows(plan, MPLAN_KIND_OWNER_ESCAPES, v);
        seen->shared |= has_rows(plan, MPLAN_KIND_PARTIAL_POINTS, v);
    }
}

/* Strategies that every loop has, and those that gather with one choice of
 * sums and encoding. */
static void run_choice(const support_exec_case *test, mplan_mesh *mesh, const support_dat *dat,
                       mplan_plan_options *options, mplan_sums sums, mplan_encoding encoding,
                       uint64_t *seed, coverage *seen)
{
    int32_t n = 0;
    if (encoding == MPLAN_ENCODING_PAIR32) { /* needs elements by their lower points */
        options->partitioner = MPLAN_PARTITIONER_NONE;
        options->point_order = MPLAN_POINTS_RENUMBERED;
    }
    options->strategies[n++] = MPLAN_STRATEGY_GLOBAL_COLOUR;
    options->strategies[n++] = MPLAN_STRATEGY_BLOCK_COLOUR;
    options->strategies[n++] = MPLAN_STRATEGY_TWO_STEP;
    options->strategies[n++] = MPLAN_STRATEGY_ATOMIC;
    if (test->gathers)
        options->strategies[n++] = MPLAN_STRATEGY_BLOCK_GATHER;
    if (test->owns)
        options->strategies[n++] = MPLAN_STRATEGY_OWNER_GATHER;
    options->n_strategies = n;
    options->sums = sums;
    options->encoding = encoding;
    mplan_plan *plan = support_exec_plan(test, mesh, options);
    look_at(plan, seen);
    run_plan(test, plan, dat, seed);
    mplan_plan_free(plan);
}

static void test_strategies(void **state)
{
    (void)state;
    uint64_t seed = 11;
    coverage seen = {0};
    for (int i = 0; support_exec_get(i); i++) {
        const support_exec_case *test = support_exec_get(i);
        for (int round = 0; round < 24; round++) {
            support_dat dat[SUPPORT_EXEC_ARGS];
            mplan_plan_options options;
            mplan_mesh *mesh = test->make(&seed);
            support_exec_fill(test, mesh, &seed, dat);
            random_options(&seed, mesh, &options);
            int32_t encodings = test->pairs ? MPLAN_N_ENCODINGS : 3;
            run_choice(test, mesh, dat, &options, (mplan_sums)(round % MPLAN_N_SUMS),
                       (mplan_encoding)(round / MPLAN_N_SUMS % encodings), &seed, &seen);
            support_exec_free(test, dat);
            mplan_mesh_free(mesh);
        }
    }
    for (int i = 0; i < MPLAN_N_SUMS; i++)
        assert_true(seen.sums[i]);
    for (int i = 0; i < MPLAN_N_ENCODINGS; i++)
        assert_true(seen.encoding[i]);
    assert_true(seen.width[0] && seen.width[2] && seen.width[4]);
    assert_true(seen.window && seen.shared);
}

/* More codes than 16 bits hold, in no order: index16 has escapes. */
static void test_escapes(void **state)
{
    (void)state;
    enum { FACES = 40000, CELLS = 9000 };
    uint64_t seed = 8;
    mplan_error err;
    mplan_mesh *mesh;
    coverage seen = {0};
    const support_exec_case *test = support_exec_find("flux");
    mplan_plan_options options = MPLAN_PLAN_OPTIONS_INIT;
    support_dat dat[SUPPORT_EXEC_ARGS];
    mplan_map map = support_random_map(&seed, FACES, CELLS, 2, 0);
    assert_done(mplan_mesh_create(&mesh, &err), &err);
    assert_done(mplan_mesh_add_set(mesh, "faces", FACES, NULL, &err), &err);
    assert_done(mplan_mesh_add_set(mesh, "cells", CELLS, NULL, &err), &err);
    assert_done(mplan_mesh_add_map(mesh, "faces_cells", 0, 1, 2, NULL, map.values, NULL, &err), &err);
    options.n_strategies = 1;
    options.strategies[0] = MPLAN_STRATEGY_OWNER_GATHER;
    options.encoding = MPLAN_ENCODING_INDEX16;
    options.renumber = MPLAN_RENUMBER_NONE;
    mplan_plan *plan = support_exec_plan(test, mesh, &options);
    look_at(plan, &seen);
    assert_true(seen.escapes);
    support_exec_fill(test, mesh, &seed, dat);
    run_plan(test, plan, dat, &seed);
    support_exec_free(test, dat);
    mplan_plan_free(plan);
    mplan_mesh_free(mesh);
    support_map_free(&map);
}

/* Orders with holes, and blocks of stored sequences, from the naive planner. */
static void test_holes(void **state)
{
    (void)state;
    static const char *const names[] = {"knots", "flux-skip", "flux-table", "corners-table", "tally"};
    uint64_t seed = 5;
    int runs = 0;
    mplan_error err;
    coverage seen = {0};
    for (int round = 0; runs < 60; round++) {
        const support_exec_case *test = support_exec_find(names[round % 5]);
        support_dat dat[SUPPORT_EXEC_ARGS];
        support_exec_loop request;
        mplan_mesh *mesh = test->make(&seed);
        bool small = true;
        for (int32_t s = 0; s < mplan_mesh_n_sets(mesh); s++)
            small = small && mplan_mesh_set(mesh, s).size < 56;
        if (small) {
            support_plan_options options = {1 + (int32_t)support_random(&seed, 12), true, true,
                                            false};
            support_exec_request(test, &request);
            mplan_plan *plan = support_plan(mesh, 1, &request.loop, &options, &seed);
            assert_done(support_verify(plan, mesh, NULL, &err), &err);
            look_at(plan, &seen);
            support_exec_fill(test, mesh, &seed, dat);
            run_plan(test, plan, dat, &seed);
            support_exec_free(test, dat);
            mplan_plan_free(plan);
            runs++;
        }
        mplan_mesh_free(mesh);
    }
    for (int i = 0; i < MPLAN_N_SUMS; i++)
        assert_true(seen.sums[i]);
    assert_true(seen.encoding[MPLAN_ENCODING_INDEX32] && seen.encoding[MPLAN_ENCODING_INDEX16]);
    assert_true(seen.window && seen.escapes && seen.shared && seen.sequence);
}

/* A second launch adds to what the first left. */
static void test_launch_twice(void **state)
{
    (void)state;
    uint64_t seed = 3;
    const support_exec_case *test = support_exec_find("flux");
    mplan_error err;
    mplan_mesh *mesh = test->make(&seed);
    support_dat dat[SUPPORT_EXEC_ARGS];
    support_exec_fill(test, mesh, &seed, dat);
    test->naive(mesh, dat);
    mplan_plan_options options = MPLAN_PLAN_OPTIONS_INIT;
    options.block_size = 8;
    for (int strategy = 0; strategy < MPLAN_N_STRATEGIES; strategy++) {
        options.n_strategies = 1;
        options.strategies[0] = (mplan_strategy)strategy;
        mplan_plan *plan = support_exec_plan(test, mesh, &options);
        mplan_exec *exec = support_exec_open(plan, MPLAN_EXECUTOR_OPENMP, 2);
        mplan_exec_loop *bound;
        bring_dats(exec, test, dat, 2);
        assert_done(mplan_exec_bind(exec, "support_flux", -1, test->kernel, &bound, &err), &err);
        for (int i = 0; i < 2; i++)
            assert_done(mplan_exec_launch(exec, bound, support_exec_parameters(test), NULL, &err),
                        &err);
        double *rows = malloc((size_t)(dat[2].size * 3 + 1) * sizeof *rows);
        assert_done(mplan_exec_download(exec, "res", rows, dat[2].size, 3, MPLAN_TYPE_F64, &err),
                    &err);
        compare_rows(&dat[2], rows, mplan_strategy_name((mplan_strategy)strategy));
        assert_true(mplan_exec_bytes(exec) > 0);
        free(rows);
        mplan_exec_close(exec);
        mplan_plan_free(plan);
    }
    support_exec_free(test, dat);
    mplan_mesh_free(mesh);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_holes),
        cmocka_unit_test(test_launch_twice),
        cmocka_unit_test(test_strategies),
        cmocka_unit_test(test_escapes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
