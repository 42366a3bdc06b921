/* SPDX-License-Identifier: Apache-2.0 */
/* test_proof_memory.c - proofs, writer and reader of plans with their k-th allocation failing
 *
 * As test_memory_failure.c, for one small plan of every strategy, so that each guard of an allocation in
 * check and planfile is seen in a second. */
#include "support_memory.h"

#include <unistd.h>

#include "support_check.h"
#include "support_planfile.h"

static mplan_mesh *mesh;
static mplan_plan *plan;
static const mplan_context one = {.struct_size = sizeof(mplan_context), .threads = 1};
static char path[128];

/* Cells -> nodes with increments, faces -> cells and nodes with ragged rows, by all strategies. */
static int open_plan(void **state)
{
    static const mplan_arg flux[] = {
        {"x", "cells_nodes", MPLAN_READ, 3, MPLAN_TYPE_F32, MPLAN_NONE_REFUSE},
        {"res", "cells_nodes", MPLAN_INC, 2, MPLAN_TYPE_F64, MPLAN_NONE_REFUSE}};
    static const mplan_arg visc[] = {
        {"x", "faces_nodes", MPLAN_READ, 3, MPLAN_TYPE_F32, MPLAN_NONE_REFUSE},
        {"sum", "faces_cells", MPLAN_INC, 2, MPLAN_TYPE_F64, MPLAN_NONE_REFUSE}};
    static const mplan_loop loops[] = {{"flux", "cells", true, 2, 30, 2, flux},
                                       {"visc", "faces", false, 1, 1, 2, visc}};
    mplan_plan_options options = MPLAN_PLAN_OPTIONS_INIT;
    mplan_generate_options shape = MPLAN_GENERATE_OPTIONS_INIT;
    mplan_error err;
    (void)state;
    shape.size[0] = 17; /* arrays are long enough to be packed */
    shape.size[1] = 16;
    options.block_size = 64;
    options.n_strategies = MPLAN_N_STRATEGIES;
    for (int s = 0; s < MPLAN_N_STRATEGIES; s++)
        options.strategies[s] = (mplan_strategy)s;
    assert_done(mplan_mesh_generate(&shape, NULL, &mesh, &err), &err);
    assert_done(mplan_plan_create(mesh, 2, loops, &options, &one, &plan, &err), &err);
    snprintf(path, sizeof path, "%s/proof_memory_%d.mplan", support_fast_folder(), (int)getpid());
    return 0;
}

static int close_plan(void **state)
{
    (void)state;
    unlink(path);
    mplan_plan_free(plan);
    mplan_mesh_free(mesh);
    return 0;
}

/* Ends with MPLAN_ERR_MEMORY until no allocation is left to fail; nothing stays allocated. */
static void starve(mplan_status (*call)(mplan_error *err))
{
    for (int persistent = 0; persistent < 2; persistent++)
        for (int64_t k = 1;; k++) {
            mplan_error err = {MPLAN_OK, ""};
            const int64_t live = support_memory.live;
            support_memory.persistent = persistent;
            support_memory.left = k;
            support_memory.fired = false;
            support_memory.armed = true;
            const mplan_status status = call(&err);
            support_memory.armed = false;
            assert_int_equal(support_memory.live, live);
            if (!support_memory.fired) {
                assert_done(status, &err);
                assert_true(k > 1);
                break;
            }
            if (status != MPLAN_ERR_MEMORY)
                fail_msg("allocation %d: %s (%s)", (int)k, mplan_status_name(status), err.text);
        }
}

static mplan_status verify(mplan_error *err)
{
    return mplan_plan_verify(plan, mesh, &one, err);
}
static mplan_status verify_alone(mplan_error *err)
{
    return mplan_plan_verify(plan, NULL, &one, err);
}
static mplan_status write_as(bool compress, mplan_error *err)
{
    mplan_write_options options = MPLAN_WRITE_OPTIONS_INIT;
    options.compress = compress;
    return mplan_plan_write(plan, path, &options, &one, NULL, err);
}
static mplan_status write_raw(mplan_error *err)
{
    return write_as(false, err);
}
static mplan_status write_packed(mplan_error *err)
{
    return write_as(true, err);
}
static mplan_status read_again(mplan_error *err)
{
    mplan_plan *again = NULL;
    const mplan_status status = mplan_plan_read(path, &one, &again, err);
    mplan_plan_free(again);
    return status;
}

static void proofs_say_that_memory_ran_out(void **state)
{
    (void)state;
    starve(verify);
    starve(verify_alone);
}

static void files_say_that_memory_ran_out(void **state)
{
    mplan_error err;
    (void)state;
    starve(write_raw);
    starve(read_again);
    if (write_packed(&err) != MPLAN_OK)
        return; /* without zlib */
    starve(write_packed);
    starve(read_again);
}

/* --- plans that need other scratch ---------------------------------------------------- */

static mplan_plan *naive;

static mplan_status verify_naive(mplan_error *err)
{
    return support_verify(naive, NULL, &one, err);
}

/* Sequences and ragged rows; metrics where no colour has made marks before. */
static void other_plans_say_that_memory_ran_out(void **state)
{
    const support_plan_options options = {.block_limit = 4, .holes = true, .sequences = true};
    static const mplan_arg args[] = {
        {"x", "faces_nodes", MPLAN_READ, 1, MPLAN_TYPE_F64, MPLAN_NONE_SKIP},
        {"sum", "faces_cells", MPLAN_INC, 1, MPLAN_TYPE_F64, MPLAN_NONE_REFUSE}};
    static const mplan_loop loop = {"flux", "faces", true, 1, 1, 2, args};
    mplan_mesh *own = support_fixed_mesh();
    uint64_t seed = 1;
    (void)state;
    naive = support_fixed_plan(own);
    starve(verify_naive);
    mplan_plan_free(naive);
    naive = support_plan(own, 1, &loop, &options, &seed);
    mplan_plan_variant *variants = (mplan_plan_variant *)(uintptr_t)naive->loops[0].variants;
    assert_int_equal(variants[0].strategy, MPLAN_STRATEGY_BLOCK_COLOUR);
    starve(verify_naive);
    mplan_plan_free(naive);
    mplan_mesh_free(own);
}

static mplan_mesh *split_mesh(void)
{
    static const int32_t by[] = {0, 1, 1, 0, -1}, back[] = {0, 4, 2};
    mplan_error err;
    mplan_mesh *made;
    assert_done(mplan_mesh_create(&made, &err), &err);
    assert_done(mplan_mesh_add_set(made, "elements", 5, NULL, &err), &err);
    assert_done(mplan_mesh_add_set(made, "points", 2, NULL, &err), &err);
    assert_done(mplan_mesh_add_set(made, "others", 3, NULL, &err), &err);
    assert_done(mplan_mesh_add_map(made, "points_elements", 1, 0, 1, NULL, by, NULL, &err), &err);
    assert_done(mplan_mesh_add_map(made, "back", 2, 0, 1, NULL, back, NULL, &err), &err);
    return made;
}

/* A mesh that is completed and split on the way is another one afterwards: each try has its own. */
static void meshes_that_are_completed_say_that_memory_ran_out(void **state)
{
    static const mplan_arg
        first = {"a", "elements_points", MPLAN_INC, 1, MPLAN_TYPE_F64, MPLAN_NONE_SPLIT},
        second = {"b", "elements_boundary_others", MPLAN_INC, 1, MPLAN_TYPE_F64, MPLAN_NONE_SKIP};
    static const mplan_loop loops[] = {{"first", "elements", true, 1, 1, 1, &first},
                                       {"second", "elements_boundary", false, 1, 1, 1, &second}};
    mplan_plan_options options = MPLAN_PLAN_OPTIONS_INIT;
    mplan_mesh *own = split_mesh();
    mplan_plan *made;
    mplan_error err;
    (void)state;
    options.n_strategies = 1;
    options.strategies[0] = MPLAN_STRATEGY_ATOMIC;
    assert_done(mplan_mesh_derive(own, "elements_others", &one, &err), &err);
    assert_done(mplan_plan_create(own, 2, loops, &options, &one, &made, &err), &err);
    mplan_mesh_free(own);
    for (int64_t k = 1, fired = true; fired; k++) {
        const int64_t live = support_memory.live;
        own = split_mesh();
        support_memory.persistent = false;
        support_memory.left = k;
        support_memory.fired = false;
        support_memory.armed = true;
        const mplan_status status = mplan_plan_verify(made, own, &one, &err);
        support_memory.armed = false;
        fired = support_memory.fired;
        if (status != (fired ? MPLAN_ERR_MEMORY : MPLAN_OK))
            fail_msg("allocation %d: %s (%s)", (int)k, mplan_status_name(status), err.text);
        mplan_mesh_free(own);
        assert_int_equal(support_memory.live, live);
    }
    mplan_plan_free(made);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(proofs_say_that_memory_ran_out),
        cmocka_unit_test(files_say_that_memory_ran_out),
        cmocka_unit_test(other_plans_say_that_memory_ran_out),
        cmocka_unit_test(meshes_that_are_completed_say_that_memory_ran_out),
    };
    return cmocka_run_group_tests(tests, open_plan, close_plan);
}
