/* SPDX-License-Identifier: Apache-2.0 */
/* test_exec_damage.c - plans whose tables lead astray: binding refuses, or launches stay inside
 *
 * One number of one array changes; the plan is not verified. Run under the sanitizers, a
 * walk that follows a wrong index anywhere shows. */
#include "support_exec.h"
#include "support_check.h"

static void declare_all(mplan_exec *exec, const support_exec_case *test, const support_dat *dat,
                        mplan_status *status, mplan_error *err)
{
    for (int32_t a = 0; a < test->kernel->n_args && *status == MPLAN_OK; a++) {
        *status = mplan_exec_declare(exec, dat[a].name, dat[a].set, dat[a].dim, dat[a].type, -1, err);
        if (*status == MPLAN_OK)
            *status = mplan_exec_upload(exec, dat[a].name, dat[a].rows, dat[a].size, dat[a].dim,
                                        dat[a].type, err);
    }
}

/* Everything a user does with one variant. */
static mplan_status run_variant(const support_exec_case *test, const mplan_plan *plan,
                                const support_dat *dat, int32_t variant, mplan_executor executor,
                                mplan_error *err)
{
    mplan_exec *exec = support_exec_open(plan, executor, 2);
    mplan_exec_loop *bound;
    mplan_status status = MPLAN_OK;
    declare_all(exec, test, dat, &status, err);
    if (status == MPLAN_OK)
        status = mplan_exec_bind(exec, test->kernel->name, variant, test->kernel, &bound, err);
    if (status == MPLAN_OK)
        status = mplan_exec_launch(exec, bound, support_exec_parameters(test), NULL, err);
    for (int32_t a = 0; a < test->kernel->n_args && status == MPLAN_OK; a++) {
        char *rows = malloc((size_t)(dat[a].size * dat[a].dim) * 8 + 1);
        status = mplan_exec_download(exec, dat[a].name, rows, dat[a].size, dat[a].dim, dat[a].type,
                                     err);
        free(rows);
    }
    mplan_exec_close(exec);
    return status;
}

static int64_t damaged_value(uint64_t *seed, int64_t old)
{
    const int64_t list[] = {
        old + 1, old - 1,   -1,        -2,        0,         65535,    65534,
        1 << 20, INT32_MAX, INT32_MIN, INT64_MAX, INT64_MIN, old ^ 64, support_random(seed, 100)};
    return list[support_random(seed, (int64_t)(sizeof list / sizeof *list))];
}

typedef struct tally {
    int refused, ran;
    bool kinds[256]; /* of arrays that a refusal was for */
} tally;

static void damage_once(const support_exec_case *test, mplan_plan *plan, const support_dat *dat,
                        uint64_t *seed, tally *seen)
{
    mplan_error err;
    mplan_array *array = &plan->arrays[support_random(seed, plan->n_arrays)];
    const int64_t n = array->rows * array->cols;
    if (n == 0 || array->type == MPLAN_TYPE_F64)
        return;
    const int64_t at = support_random(seed, n), old = get(array, at);
    int32_t v = (int32_t)support_random(seed, plan->loops[0].n_variants);
    if (array->key.variant != MPLAN_UNUSED) /* the one that reads it */
        v = (int32_t)array->key.variant;
    mplan_executor executor = support_random(seed, 4)   ? MPLAN_EXECUTOR_HOST
                              : support_random(seed, 4) ? MPLAN_EXECUTOR_SERIAL
                                                        : MPLAN_EXECUTOR_OPENMP;
    put(array, at, damaged_value(seed, old));
    err.text[0] = '\0';
    mplan_status status = run_variant(test, plan, dat, v, executor, &err);
    if (status != MPLAN_OK && status != MPLAN_ERR_CORRUPT)
        fail_msg("%s, table %s, place %lld from %lld to %lld: %s: %s", test->name,
                 mplan_kind_name(array->key.kind), (long long)at, (long long)old,
                 (long long)get(array, at), mplan_status_name(status), err.text);
    if (status == MPLAN_ERR_CORRUPT) {
        assert_non_null(strstr(err.text, "verify"));
        seen->refused++;
        seen->kinds[array->key.kind & 255] = true;
    }
    seen->ran += status == MPLAN_OK;
    put(array, at, old);
}

/* Plans of the naive planner, which have holes, sequences and all ways to gather. */
static void naive_plans_are_damaged(void **state)
{
    (void)state;
    static const char *const names[] = {"knots", "flux-skip", "flux-table", "corners-table", "tally"};
    uint64_t seed = 21;
    tally seen = {0};
    for (int plans = 0, round = 0; plans < 60; round++) {
        const support_exec_case *test = support_exec_find(names[round % 5]);
        support_dat dat[SUPPORT_EXEC_ARGS];
        support_exec_loop request;
        mplan_error err;
        mplan_mesh *mesh = test->make(&seed);
        bool small = true;
        for (int32_t s = 0; s < mplan_mesh_n_sets(mesh); s++)
            small = small && mplan_mesh_set(mesh, s).size < 56;
        if (small) {
            support_plan_options options = {1 + (int32_t)support_random(&seed, 12),
                                            support_random(&seed, 2) > 0, true, false};
            support_exec_request(test, &request);
            mplan_plan *plan = support_plan(mesh, 1, &request.loop, &options, &seed);
            support_exec_fill(test, mesh, &seed, dat);
            for (int i = 0; i < 150; i++)
                damage_once(test, plan, dat, &seed, &seen);
            for (int32_t v = 0; v < plan->loops[0].n_variants; v++) /* all was put back */
                assert_done(run_variant(test, plan, dat, v, MPLAN_EXECUTOR_HOST, &err), &err);
            support_exec_free(test, dat);
            mplan_plan_free(plan);
            plans++;
        }
        mplan_mesh_free(mesh);
    }
    static const mplan_kind kinds[] = {
        MPLAN_KIND_NEW_OF_OLD,           MPLAN_KIND_MAP_VALUES,
        MPLAN_KIND_BLOCK_OFFSETS,        MPLAN_KIND_BLOCK_SEQUENCE,
        MPLAN_KIND_BLOCK_POINT_OFFSETS,  MPLAN_KIND_BLOCK_POINTS,
        MPLAN_KIND_BLOCK_LOCAL,          MPLAN_KIND_THREAD_COLOURS,
        MPLAN_KIND_BLOCK_THREAD_COLOURS, MPLAN_KIND_BLOCK_LAUNCH_OFFSETS,
        MPLAN_KIND_BLOCK_LAUNCH,         MPLAN_KIND_GLOBAL_LAUNCH_OFFSETS,
        MPLAN_KIND_GLOBAL_LAUNCH,        MPLAN_KIND_GATHER_OFFSETS,
        MPLAN_KIND_GATHER_SLOTS,         MPLAN_KIND_BLOCK_RECORD_OFFSETS,
        MPLAN_KIND_BLOCK_RECORDS,        MPLAN_KIND_PARTIAL_POINTS,
        MPLAN_KIND_PARTIAL_OFFSETS,      MPLAN_KIND_OWNER_OFFSETS,
        MPLAN_KIND_OWNER_ENTRIES,        MPLAN_KIND_OWNER_BASE,
        MPLAN_KIND_OWNER_ESCAPE_OFFSETS, MPLAN_KIND_OWNER_ESCAPES,
        MPLAN_KIND_OWNER_POINTS};
    for (size_t k = 0; k < sizeof kinds / sizeof *kinds; k++)
        if (!seen.kinds[kinds[k]])
            fail_msg("no damage to %s was refused", mplan_kind_name(kinds[k]));
    assert_true(seen.refused > 1000 && seen.ran > 500);
}

/* pair32 and fixed widths, from the planner. */
static void owner_tables_are_damaged(void **state)
{
    (void)state;
    uint64_t seed = 22;
    tally seen = {0};
    for (int round = 0; round < 12; round++) {
        const support_exec_case *test = support_exec_find(round % 2 ? "flux" : "sides");
        support_dat dat[SUPPORT_EXEC_ARGS];
        mplan_plan_options options = MPLAN_PLAN_OPTIONS_INIT;
        mplan_mesh *mesh = test->make(&seed);
        options.n_strategies = 1;
        options.strategies[0] = MPLAN_STRATEGY_OWNER_GATHER;
        options.encoding = round % 3 ? MPLAN_ENCODING_PAIR32 : MPLAN_ENCODING_INDEX32;
        options.partitioner = MPLAN_PARTITIONER_NONE;
        options.point_order = MPLAN_POINTS_RENUMBERED;
        mplan_plan *plan = support_exec_plan(test, mesh, &options);
        support_exec_fill(test, mesh, &seed, dat);
        for (int i = 0; i < 150; i++)
            damage_once(test, plan, dat, &seed, &seen);
        support_exec_free(test, dat);
        mplan_plan_free(plan);
        mplan_mesh_free(mesh);
    }
    assert_true(seen.kinds[MPLAN_KIND_OWNER_ENTRIES] && seen.kinds[MPLAN_KIND_OWNER_ROW_START]);
    assert_true(seen.refused > 100);
}

/* Numbers of the records that the launches depend on. */
static void records_are_damaged(void **state)
{
    (void)state;
    uint64_t seed = 23;
    mplan_error err;
    const support_exec_case *test = support_exec_find("flux");
    support_dat dat[SUPPORT_EXEC_ARGS];
    mplan_plan_options options = MPLAN_PLAN_OPTIONS_INIT;
    mplan_mesh *mesh = test->make(&seed);
    options.n_strategies = 2;
    options.strategies[0] = MPLAN_STRATEGY_BLOCK_GATHER;
    options.strategies[1] = MPLAN_STRATEGY_BLOCK_COLOUR;
    mplan_plan *plan = support_exec_plan(test, mesh, &options);
    support_exec_fill(test, mesh, &seed, dat);
    for (int32_t v = 0; v < 2; v++) {
        mplan_plan_variant *variant = variant_of(plan, 0, v), kept = *variant;
        variant->threads = 0;
        assert_refused(run_variant(test, plan, dat, v, MPLAN_EXECUTOR_HOST, &err),
                       MPLAN_ERR_CORRUPT, &err, "has 0 threads");
        *variant = kept;
        variant->elements_per_thread = 0;
        assert_refused(run_variant(test, plan, dat, v, MPLAN_EXECUTOR_HOST, &err),
                       MPLAN_ERR_CORRUPT, &err, "threads of 0 elements");
        *variant = kept;
        variant->block_limit = 1; /* room is made for the blocks that are there */
        assert_done(run_variant(test, plan, dat, v, MPLAN_EXECUTOR_OPENMP, &err), &err);
        variant->block_limit = INT32_MAX;
        assert_done(run_variant(test, plan, dat, v, MPLAN_EXECUTOR_OPENMP, &err), &err);
        *variant = kept;
    }
    mplan_plan_variant *variant = variant_of(plan, 0, 0);
    const int64_t sums = variant->partial_sums, wrong[] = {-1, 0, sums - 1, INT64_MAX};
    assert_true(sums > 1);
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        variant->partial_sums = wrong[i];
        assert_refused(run_variant(test, plan, dat, 0, MPLAN_EXECUTOR_HOST, &err),
                       MPLAN_ERR_CORRUPT, &err, "verify");
    }
    variant->partial_sums = sums;
    support_exec_free(test, dat);
    mplan_plan_free(plan);
    mplan_mesh_free(mesh);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(naive_plans_are_damaged),
        cmocka_unit_test(owner_tables_are_damaged),
        cmocka_unit_test(records_are_damaged),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
