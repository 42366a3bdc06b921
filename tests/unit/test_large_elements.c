/* SPDX-License-Identifier: Apache-2.0 */
/* test_large_elements.c - elements that no block can hold: loops without blocks are planned, proved and run */
#include "pipeline_cases.h"
#include "support_exec.h"

#include "mesh/mesh.h"
#include "partition/partition.h"
#include "plan/plan.h"

enum { ELEMENTS = 300, POINTS = 1000, LARGE = 500, MANY_POINTS = 80000, MANY = 70000, AT = 123 };

/* Rows of 0 to 3 points, and one of `large`, of which MANY are more than local ids reach. */
static mplan_mesh *make_mesh(int32_t points, int32_t large)
{
    static int64_t offsets[ELEMENTS + 1];
    static int32_t values[MANY + 3 * ELEMENTS], pairs[2 * ELEMENTS];
    const set_row sets[] = {{"elements", ELEMENTS}, {"points", points}};
    uint64_t seed = 3;
    for (int32_t e = 0; e < ELEMENTS; e++) {
        const int32_t n = e == AT ? large : e % 4;
        offsets[e + 1] = offsets[e] + n;
        for (int32_t k = 0; k < n;
             k++) /* 7 and the number of points have no common divisor: a row has no point twice */
            values[offsets[e] + k] = (int32_t)((e * INT64_C(100) + INT64_C(7) * k) % points);
        for (int32_t k = 0; k < 2; k++)
            pairs[2 * e + k] = (int32_t)support_random(&seed, 40);
    }
    const map_row maps[] = {{"touched", 0, 1, 0, offsets, values}, {"pairs", 0, 1, 2, NULL, pairs}};
    return tables(2, sets, 2, maps);
}

/* --- plans ----------------------------------------------------------------------------------- */

static const mplan_arg sum_args[] = {
    {"w", NULL, MPLAN_READ, 1, MPLAN_TYPE_F64, MPLAN_NONE_REFUSE},
    {"sum", "touched", MPLAN_INC, 1, MPLAN_TYPE_F64, MPLAN_NONE_REFUSE}};
static const mplan_loop sum_loop = {"sum", "elements", true, 1, 0, 2, sum_args};
/* On the same elements, by a map that blocks can hold. */
static const mplan_arg pair_args[] = {{"x", "pairs", MPLAN_INC, 1, MPLAN_TYPE_F64, MPLAN_NONE_REFUSE}};
static const mplan_loop pair_loop = {"pair", "elements", false, 1, 0, 1, pair_args};

static mplan_plan_options without_blocks(mplan_partitioner partitioner)
{
    mplan_plan_options options = MPLAN_PLAN_OPTIONS_INIT;
    options.partitioner = partitioner;
    options.max_points = 100;
    options.n_strategies = 3;
    options.strategies[0] = MPLAN_STRATEGY_TWO_STEP;
    options.strategies[1] = MPLAN_STRATEGY_ATOMIC;
    options.strategies[2] = MPLAN_STRATEGY_GLOBAL_COLOUR;
    return options;
}

/* What element e adds to entry k of its row: whole numbers, whose sums do not depend on any order. */
static double added(double w, int64_t k)
{
    return w + (double)(k % 1000);
}

static void sum_function(void *const *views, const void *user)
{
    const double *w = views[0];
    double *sum = views[1];
    const int32_t *n = views[2];
    (void)user;
    for (int32_t k = 0; k < *n; k++)
        sum[k] += added(w[0], k);
}

/* Sums of one launch, which are those of the rows; the executor is closed. */
static void run(mplan_exec *exec, const mplan_mesh *mesh, int32_t variant)
{
    static double due[POINTS], sum[POINTS], w[ELEMENTS];
    mplan_error err;
    mplan_exec_loop *bound;
    const mplan_map map = mplan_mesh_map(mesh, 0);
    memset(due, 0, sizeof due);
    for (int64_t e = 0; e < ELEMENTS; e++) {
        w[e] = (double)(e * 17 % 101);
        for (int64_t i = map.offsets[e]; i < map.offsets[e + 1]; i++)
            due[map.values[i]] += added(w[e], i - map.offsets[e]);
    }
    assert_done(mplan_exec_declare_all(exec, &err), &err);
    assert_done(mplan_exec_upload(exec, "w", w, ELEMENTS, 1, MPLAN_TYPE_F64, &err), &err);
    assert_done(mplan_exec_bind_function(exec, "sum", variant, sum_function, &bound, &err), &err);
    assert_done(mplan_exec_launch_function(exec, bound, NULL, &err), &err);
    assert_done(mplan_exec_download(exec, "sum", sum, POINTS, 1, MPLAN_TYPE_F64, &err), &err);
    assert_memory_equal(sum, due, sizeof due);
    mplan_exec_close(exec);
}

static void loops_with_large_elements_run_without_blocks(void **state)
{
    (void)state;
    mplan_mesh *mesh = make_mesh(POINTS, LARGE);
    for (int p = 0; p < MPLAN_N_PARTITIONERS; p++) {
        const mplan_plan_options options = without_blocks((mplan_partitioner)p);
        if (!is_in_build(options.partitioner) || p == MPLAN_PARTITIONER_HILBERT)
            continue;
        mplan_plan *plan = plan_of(mesh, 1, &sum_loop, &options);
        assert_int_equal(mplan_plan_n_block_sets(plan), 0);
        for (int32_t v = 0; v < 3; v++)
            run(support_exec_open(plan, v % 2 ? MPLAN_EXECUTOR_HOST : MPLAN_EXECUTOR_SERIAL, 0),
                mesh, v);
        mplan_plan_free(plan);
    }
    mplan_mesh_free(mesh);
}

/* The block set of a loop that blocks can hold is the first one where the primary loop has none, and the only one where
 * that loop is the primary one. */
static void other_loops_keep_their_blocks(void **state)
{
    (void)state;
    mplan_mesh *mesh = make_mesh(POINTS, LARGE);
    for (int32_t primary = 0; primary < 2; primary++) {
        mplan_loop loops[] = {sum_loop, pair_loop};
        loops[0].primary = !primary;
        loops[1].primary = primary;
        const mplan_plan_options options = without_blocks(MPLAN_PARTITIONER_NATIVE);
        mplan_plan *plan = plan_of(mesh, 2, loops, &options);
        assert_int_equal(mplan_plan_n_block_sets(plan), 1);
        assert_int_equal(mplan_plan_get_block_set(plan, 0)->loop, 1);
        mplan_plan_free(plan);
    }
    mplan_mesh_free(mesh);
}

/* Many flops: block-gather, which computes an element once, is the choice until the loop also reads a large row. */
static void auto_takes_a_strategy_without_blocks(void **state)
{
    (void)state;
    const mplan_arg args[] = {{"x", "pairs", MPLAN_INC, 1, MPLAN_TYPE_F64, MPLAN_NONE_REFUSE},
                              {"y", "touched", MPLAN_READ, 1, MPLAN_TYPE_F64, MPLAN_NONE_REFUSE}};
    mplan_plan_options options = MPLAN_PLAN_OPTIONS_INIT;
    for (int large = 0; large < 2; large++) {
        const mplan_loop loop = {"heavy", "elements", true, 1, 1000000, 2, args};
        mplan_mesh *mesh = make_mesh(MANY_POINTS, large ? MANY : 2);
        mplan_plan *plan = plan_of(mesh, 1, &loop, &options);
        const mplan_plan_variant *chosen = &mplan_plan_get_loop(plan, 0)->variants[0];
        assert_int_equal(chosen->strategy == MPLAN_STRATEGY_BLOCK_GATHER, !large);
        assert_int_equal(mplan_plan_n_block_sets(plan), !large);
        mplan_plan_free(plan);
        mplan_mesh_free(mesh);
    }
}

/* Bytes: a row of 3 points of 80 bytes is 240; the element is called as the mesh calls it, and the file is named. */
static void strategies_with_blocks_are_refused_by_name(void **state)
{
    (void)state;
    mplan_error err;
    mplan_plan *plan = NULL;
    mplan_mesh *mesh = make_mesh(MANY_POINTS, MANY);
    mplan_plan_options options = MPLAN_PLAN_OPTIONS_INIT;
    options.n_strategies = 1;
    options.strategies[0] = MPLAN_STRATEGY_BLOCK_COLOUR;
    assert_done(mplan_mesh_set_source(mesh, "ties.bdf", &err), &err);
    assert_refused(mplan_plan_create(mesh, 1, &sum_loop, &options, &one, &plan, &err),
                   MPLAN_ERR_ARGUMENT, &err,
                   "loop sum over elements of ties.bdf: element 123 by itself touches 70000 points through map "
                   "'touched', more than the limit of 65535 points per block; strategies without blocks can take it: "
                   "global-colour, two-step, atomic");
    options.shared_bytes = 20;
    mplan_mesh_free(mesh);
    mesh = make_mesh(POINTS, 2);
    assert_refused(mplan_plan_create(mesh, 1, &sum_loop, &options, &one, &plan, &err),
                   MPLAN_ERR_ARGUMENT, &err,
                   "loop sum over elements: element 3 by itself stages 32 bytes (3 entries of map 'touched'), more "
                   "than the limit of 20 shared bytes per block; strategies without blocks");
    mplan_loop loop = pair_loop;
    loop.primary = true;
    options.shared_bytes = 15;
    assert_refused(mplan_plan_create(mesh, 1, &loop, &options, &one, &plan, &err),
                   MPLAN_ERR_ARGUMENT, &err,
                   "strategies without blocks can take it: global-colour, two-step, atomic, owner-gather");
    assert_null(plan);
    mplan_mesh_free(mesh);
}

/* --- finding them ------------------------------------------------------------------------------ */

static int64_t count(const int32_t *row, int32_t n)
{
    int64_t points = 0;
    for (int32_t k = 0; k < n; k++) {
        bool again = row[k] < 0;
        for (int32_t i = 0; i < k; i++)
            again = again || row[i] == row[k];
        points += !again;
    }
    return points;
}

static void large_elements_are_found_and_cleared(void **state)
{
    (void)state;
    uint64_t seed = 9;
    mplan_error err;
    for (int round = 0; round < 400; round++) {
        int64_t offsets[21] = {0}, first = -1, found;
        int32_t values[20 * 8], copy[20 * 8], *cleared = copy;
        const int32_t limit = 1 + (int32_t)support_random(&seed, 7);
        const bool by_bytes = support_random(&seed, 2) > 0;
        for (int32_t e = 0; e < 20; e++) {
            offsets[e + 1] = offsets[e] + (int64_t)support_random(&seed, 9);
            for (int64_t i = offsets[e]; i < offsets[e + 1]; i++)
                values[i] = (int32_t)support_random(&seed, 12) - 1;
        }
        mplan_map map = {"m", 0, 1, 0, 20, 11, offsets, values};
        mplan_staged_dat dat = {1, 16};
        const mplan_block_limits limits = {
            1, by_bytes ? 100 : limit, by_bytes ? 16 * limit : 1000, 1, 1, &map, &dat};
        memcpy(copy, values, sizeof copy);
        assert_done(mplan_partition_find_large(20, &limits, &found, &err), &err);
        assert_done(mplan_partition_clear_large(20, &limits, &cleared, &err), &err);
        for (int32_t e = 0; e < 20; e++) {
            const int32_t n = (int32_t)(offsets[e + 1] - offsets[e]);
            const bool large = count(values + offsets[e], n) > limit;
            first = large && first < 0 ? e : first;
            for (int64_t i = offsets[e]; i < offsets[e + 1]; i++)
                assert_int_equal(copy[i], large ? -1 : values[i]);
        }
        assert_int_equal(found, first);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(loops_with_large_elements_run_without_blocks),
        cmocka_unit_test(other_loops_keep_their_blocks),
        cmocka_unit_test(auto_takes_a_strategy_without_blocks),
        cmocka_unit_test(strategies_with_blocks_are_refused_by_name),
        cmocka_unit_test(large_elements_are_found_and_cleared),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
