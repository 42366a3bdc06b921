/* SPDX-License-Identifier: Apache-2.0 */
/* test_rings.c - parts with rings: the same results with fewer exchanges, and what is wrong with a ring is refused
 *
 * Halos hold NaN from the first ring on that is out of date. */
#include "support_run_parts.h"
#include "support_test.h"

#include <unistd.h>

#include "check/check.h"
#include "mesh/mesh.h"
#include "plan/plan.h"

static char bundle_path[64];

static int make_path(void **state)
{
    (void)state;
    snprintf(bundle_path, sizeof bundle_path, "test_rings.%ld.mplans", (long)getpid());
    return 0;
}

static int remove_path(void **state)
{
    (void)state;
    unlink(bundle_path);
    return 0;
}

/* --- results --------------------------------------------------------------------------------- */

/* The first two keep rows, which can be in the order of the mesh; NULL: by owners, where the loop may. */
static const char *const strategies[] = {NULL,           "two-step",      "block-gather",
                                         "block-colour", "global-colour", "atomic"};
enum { N_STRATEGIES = sizeof strategies / sizeof *strategies };

static void take_strategy(const char *strategy, mplan_plan_options *options)
{
    options->n_strategies = strategy != NULL;
    if (strategy)
        assert_true(mplan_strategy_from(strategy, &options->strategies[0]));
    else
        options->sums_order = MPLAN_SUMS_ORDER_MESH;
}

/* Whole or not, without the mesh. */
static void prove_alone(void)
{
    mplan_error err;
    mplan_bundle *bundle;
    assert_done(mplan_bundle_open(bundle_path, NULL, &bundle, &err), &err);
    const mplan_parts_source source = mplan_bundle_source(bundle);
    assert_done(mplan_parts_verify(&source, NULL, -1, NULL, &err), &err);
    mplan_bundle_free(bundle);
}

/* Bundles of all rings and ranks give `expected`, but where only dats count (globals go by the order of parts). Returns
 * exchanges by rings. */
static void over_rings(support_steps *test, const char *strategy, int32_t n_parts, bool dats_only,
                       const steps_result *expected, int64_t exchanges[5])
{
    for (int32_t rings = 0; rings < 5; rings++) {
        mplan_plan_options options = MPLAN_PLAN_OPTIONS_INIT;
        mplan_parts_options how = MPLAN_PARTS_OPTIONS_INIT;
        how.n_parts = n_parts;
        options.rings = rings;
        options.block_size = 32;
        take_strategy(strategy, &options);
        if (dats_only)
            options.sums_order = MPLAN_SUMS_ORDER_MESH;
        support_steps_bundle(bundle_path, test, &options, &how, 1);
        prove_alone();
        for (int32_t ranks = 1; ranks <= 16 && ranks <= n_parts; ranks += ranks < 3 ? 2 : 13) {
            steps_result own;
            mplan_exchange_figures figures;
            support_steps_in_parts(bundle_path, test, ranks,
                                   rings == 2 && !dats_only ? MPLAN_EXECUTOR_SERIAL
                                                            : MPLAN_EXECUTOR_HOST,
                                   ranks == 3, &own, &figures);
            for (int d = 0; d < N_DATS && dats_only; d++)
                assert_memory_equal(own.rows[d], expected->rows[d],
                                    (size_t)(support_steps_size(test->mesh, d) *
                                             support_steps_dats[d].dim) *
                                        mplan_type_size(support_steps_dats[d].type));
            if (!dats_only)
                support_steps_equal(test, &own, expected);
            if (ranks > 1)
                assert_int_equal(figures.exchanges, exchanges[rings]); /* whoever runs it */
            exchanges[rings] = figures.exchanges;
            support_steps_release(&own);
        }
    }
}

/* Whole numbers: sums are exact in any order, for every strategy. */
static void results_are_those_of_the_mesh(void **state)
{
    (void)state;
    static const int32_t shapes[][3] = {{13, 9, 7}, {9, 8, 16}, {2, 2, 6}};
    for (int s = support_first(2) % 2; s < 3; s += support_every(2))
        for (int w = s; w < N_STRATEGIES; w += 3) {
            support_steps test;
            steps_result expected;
            int64_t exchanges[5] = {0};
            support_steps_make(shapes[s][0], shapes[s][1], true, &test);
            support_steps_naive(&test, &expected);
            over_rings(&test, strategies[w], shapes[s][2], false, &expected, exchanges);
            support_steps_release(&expected);
            support_steps_free(&test);
        }
}

/* Fractions, in the order of the mesh: bits are those of one part without rings; and the more rings, the fewer exchanges. */
static void rings_have_the_bits_of_none(void **state)
{
    (void)state;
    for (int w = 0; w < 2; w++) {
        support_steps test;
        steps_result alone;
        int64_t exchanges[5] = {0};
        mplan_plan_options options = MPLAN_PLAN_OPTIONS_INIT;
        mplan_parts_options how = MPLAN_PARTS_OPTIONS_INIT;
        how.n_parts = 1;
        take_strategy(strategies[w], &options);
        options.sums_order = MPLAN_SUMS_ORDER_MESH;
        support_steps_make(26, 22, false, &test);
        support_steps_bundle(bundle_path, &test, &options, &how, 1);
        support_steps_in_parts(bundle_path, &test, 1, MPLAN_EXECUTOR_HOST, true, &alone, NULL);
        over_rings(&test, strategies[w], 16, true, &alone, exchanges);
        for (int r = 1; r < 5; r++)
            assert_true(exchanges[r] <= exchanges[r - 1]);
        assert_true(exchanges[4] < exchanges[1] && exchanges[1] < exchanges[0]);
        support_steps_release(&alone);
        support_steps_free(&test);
    }
}

/* --- proofs ------------------------------------------------------------------------------------ */

enum { FACES, CELLS, NODES, PARTS = 3 };

/* Plans of the parts of a small mesh with rings, in memory. */
typedef struct ringed {
    support_steps test;
    mplan_plan *plan[PARTS];
    mplan_bundle *bundle;
} ringed;

static mplan_status give_plan(void *user, int32_t part, const mplan_context *context,
                              mplan_plan **plan, mplan_error *err)
{
    ringed *in = user;
    (void)context, (void)err;
    *plan = in->plan[part];
    in->plan[part] = NULL;
    return MPLAN_OK;
}

/* Opens the bundle of rings; plans are read from it, so that they may be changed. */
static void make_ringed(int32_t rings, ringed *in)
{
    mplan_error err;
    mplan_plan_options options = MPLAN_PLAN_OPTIONS_INIT;
    mplan_parts_options how = MPLAN_PARTS_OPTIONS_INIT;
    how.n_parts = PARTS;
    options.rings = rings;
    options.n_strategies = 1;
    options.strategies[0] = MPLAN_STRATEGY_ATOMIC; /* no table that knows a row by heart */
    options.partitioner = MPLAN_PARTITIONER_NONE;
    support_steps_make(8, 5, true, &in->test);
    support_steps_bundle(bundle_path, &in->test, &options, &how, 1);
    assert_done(mplan_bundle_open(bundle_path, NULL, &in->bundle, &err), &err);
    const mplan_parts_source source = mplan_bundle_source(in->bundle);
    for (int32_t p = 0; p < PARTS; p++)
        assert_done(source.read(source.user, p, NULL, &in->plan[p], &err), &err);
}

static void free_ringed(ringed *in)
{
    for (int32_t p = 0; p < PARTS; p++)
        mplan_plan_free(in->plan[p]);
    mplan_bundle_free(in->bundle);
    support_steps_free(&in->test);
}

/* An array of part 1, to be changed. */
static void *data_of(ringed *in, mplan_key key, int64_t *rows)
{
    const mplan_array *array = mplan_plan_find_array(in->plan[1], &key);
    assert_non_null(array);
    *rows = array->rows;
    return (void *)(uintptr_t)array->data;
}

typedef bool mutation(ringed *in);

static bool other_ring(ringed *in)
{
    int64_t n;
    uint8_t *rings = data_of(in, mplan_key_of_set(MPLAN_KIND_HALO_RINGS, CELLS), &n);
    for (int64_t i = 0; i < n; i++)
        if (rings[i] == 2) {
            rings[i] = 1;
            return true;
        }
    return false;
}

static bool ring_beyond(ringed *in)
{
    int64_t n;
    uint8_t *rings = data_of(in, mplan_key_of_set(MPLAN_KIND_HALO_RINGS, CELLS), &n);
    rings[n - 1] = 200;
    return n > 0;
}

static bool other_export(ringed *in)
{
    int64_t n;
    uint8_t *rings = data_of(in, mplan_key_of_set(MPLAN_KIND_EXPORT_RINGS, NODES), &n);
    rings[0] ^= 1;
    return n > 0;
}

/* An element at the last ring leads to another point of the last ring: tables of the part know better. */
static bool other_row(ringed *in)
{
    int64_t n, n_points, n_values;
    const uint8_t *rings = data_of(in, mplan_key_of_set(MPLAN_KIND_HALO_RINGS, FACES), &n);
    const uint8_t *points = data_of(in, mplan_key_of_set(MPLAN_KIND_HALO_RINGS, CELLS), &n_points);
    int32_t *values = data_of(in, mplan_key_of_map(MPLAN_KIND_MAP_VALUES, 0), &n_values);
    const int64_t owned = in->plan[1]->sets[FACES].part.owned;
    const int64_t first = in->plan[1]->sets[CELLS].part.owned;
    for (int64_t e = 0; e < n; e++)
        for (int k = 0; k < 2 && rings[e] == 2; k++) {
            int32_t *value = &values[2 * (owned + e) + k];
            for (int64_t q = 0; q < n_points && *value >= first && points[*value - first] == 2; q++)
                if (points[q] == 2 && first + q != *value) {
                    *value = (int32_t)(first + q);
                    return true;
                }
        }
    return false;
}

/* An element of the last ring that is executed is not any more. */
static bool not_executed(ringed *in)
{
    mplan_part_set *part = &in->plan[1]->sets[FACES].part;
    const bool some = part->executed > part->owned;
    part->executed -= some;
    return some;
}

static const struct {
    mutation *mutate;
    const char *reason;
} mutations[] = {{other_ring, "which is at ring 2"},
                 {ring_beyond, "HALO_RINGS has ring 200"},
                 {other_export, "are not what that part has of them"},
                 {other_row, "does not lead to"},
                 {not_executed, "set faces"}};

static void wrong_rings_are_refused(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof mutations / sizeof *mutations; i++)
        for (int with_mesh = 0; with_mesh < 2; with_mesh++) {
            mplan_error err = {0};
            ringed in;
            make_ringed(2, &in);
            assert_true(mutations[i].mutate(&in));
            mplan_parts_source source = mplan_bundle_source(in.bundle);
            source.user = &in;
            source.read = give_plan;
            const mplan_status status = mplan_check_prove_parts(&source,
                                                                with_mesh ? in.test.mesh : NULL, -1,
                                                                false, NULL, &err);
            assert_int_equal(status, MPLAN_ERR_DISPROVED);
            if (!with_mesh && !strstr(err.text, mutations[i].reason))
                fail_msg("mutation %d: %s", (int)i, err.text);
            free_ringed(&in);
        }
}

/* --- refusals ------------------------------------------------------------------------------------ */

static void rings_are_of_parts(void **state)
{
    (void)state;
    mplan_error err;
    support_steps test;
    mplan_plan *plan = NULL;
    mplan_parts *parts = NULL;
    mplan_plan_options options = MPLAN_PLAN_OPTIONS_INIT;
    mplan_parts_options how = MPLAN_PARTS_OPTIONS_INIT;
    support_steps_make(4, 3, true, &test);
    how.n_parts = 2;
    options.rings = 2;
    assert_refused(mplan_plan_create(test.mesh, N_LOOPS, test.loops, &options, NULL, &plan, &err),
                   MPLAN_ERR_ARGUMENT, &err, "rings are around parts");
    assert_done(mplan_parts_create(test.mesh, N_LOOPS, test.loops, &options, &how, NULL, &parts, &err),
                &err);
    assert_refused(mplan_parts_scatter(parts, "nowhere", NULL, &err), MPLAN_ERR_ARGUMENT, &err,
                   "with rings");
    mplan_parts_free(parts);
    options.rings = 17;
    assert_refused(mplan_parts_create(test.mesh, N_LOOPS, test.loops, &options, &how, NULL, &parts,
                                      &err),
                   MPLAN_ERR_ARGUMENT, &err, "rings");
    support_steps_free(&test);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(results_are_those_of_the_mesh),
        cmocka_unit_test(rings_have_the_bits_of_none),
        cmocka_unit_test(wrong_rings_are_refused),
        cmocka_unit_test(rings_are_of_parts),
    };
    return cmocka_run_group_tests(tests, make_path, remove_path);
}
