/* SPDX-License-Identifier: Apache-2.0 */
/* test_apps.c - the built-in applications: their arithmetic, every executor and
 * strategy of the host, and that what is wrong is noticed */
#include "support_test.h"

#include <math.h>

#include "apps/app.h"
#include "mesh/mesh.h"

static mplan_error err;

static mplan_mesh *generated(mplan_shape shape, int64_t a, int64_t b, int64_t c, uint64_t seed)
{
    mplan_generate_options wanted = MPLAN_GENERATE_OPTIONS_INIT;
    mplan_mesh *mesh = NULL;
    wanted.shape = shape;
    wanted.size[0] = a;
    wanted.size[1] = b;
    wanted.size[2] = c;
    wanted.shuffle = seed != 0;
    if (shape == MPLAN_SHAPE_BOUNDARY_LAYER || shape == MPLAN_SHAPE_WING)
        wanted.cells = MPLAN_LAYER_CELLS_HYBRID;
    wanted.seed = seed;
    assert_done(mplan_mesh_generate(&wanted, NULL, &mesh, &err), &err);
    return mesh;
}

static mplan_plan *planned(const mplan_app *app, mplan_mesh *mesh, mplan_strategy strategy,
                           mplan_sums sums)
{
    mplan_plan_options request = MPLAN_PLAN_OPTIONS_INIT;
    mplan_loop *loops = NULL;
    mplan_plan *plan = NULL;
    int32_t n_loops;
    request.n_strategies = 1;
    request.strategies[0] = strategy;
    request.sums = sums;
    request.block_size = 32;
    request.partitioner = MPLAN_PARTITIONER_NONE;
    assert_done(mplan_app_prepare(app, mesh, NULL, &err), &err);
    assert_done(mplan_app_request(app, mesh, &loops, &n_loops, &err), &err);
    assert_done(mplan_plan_create(mesh, n_loops, loops, &request, NULL, &plan, &err), &err);
    mplan_app_request_free(loops, n_loops);
    return plan;
}

static mplan_status run(const mplan_app *app, const mplan_mesh *mesh, const mplan_plan *plan,
                        mplan_executor executor, int64_t iterations, mplan_app_result *result)
{
    mplan_app_options how = MPLAN_APP_OPTIONS_INIT;
    mplan_exec_options exec = MPLAN_EXEC_OPTIONS_INIT;
    exec.executor = executor;
    exec.threads = 2;
    how.exec = &exec;
    how.iterations = iterations;
    how.repeats = 0;
    return mplan_app_run(app, mesh, plan, &how, result, &err);
}

/* A mesh of each kind; an application takes those it accepts. */
static mplan_mesh *mesh_of_kind(int kind, uint64_t seed)
{
    switch (kind) {
    case 0: return generated(MPLAN_SHAPE_QUAD, 9, 7, 0, seed);
    case 1: return generated(MPLAN_SHAPE_TRI, 8, 6, 0, seed);
    case 2: return generated(MPLAN_SHAPE_HEX, 4, 3, 5, seed);
    case 3: return generated(MPLAN_SHAPE_TET, 3, 4, 3, seed);
    case 4: return generated(MPLAN_SHAPE_NACA0012, 12, 5, 0, seed);
    case 5: return generated(MPLAN_SHAPE_BOUNDARY_LAYER, 12, 4, 0, seed);
    default: return generated(MPLAN_SHAPE_WING, 8, 4, 2, seed);
    }
}

static void test_hand(void **state)
{
    (void)state;
    for (int32_t i = 0; mplan_app_get(i); i++) {
        assert_done(mplan_app_check_hand(mplan_app_get(i), &err), &err);
        assert_ptr_equal(mplan_app_find(mplan_app_name(mplan_app_get(i))), mplan_app_get(i));
    }
    assert_null(mplan_app_find("nothing"));
}

/* The check by hand must be able to fail. */
static void test_hand_fails(void **state)
{
    (void)state;
    const mplan_app *app = mplan_app_find("flux2d");
    mplan_app_hand_arg args[4];
    double after[12];
    memcpy(args, app->hand->args, sizeof args);
    memcpy(after, args[3].after, sizeof after);
    after[7] *= 1 + 1e-10;
    args[3].after = after;
    mplan_app_hand hand = *app->hand;
    hand.args = args;
    mplan_app wrong = *app;
    wrong.hand = &hand;
    assert_refused(mplan_app_check_hand(&wrong, &err), MPLAN_ERR_INTERNAL, &err,
                   "the hand-written loop gives");
}

static void run_all(const mplan_app *app, mplan_mesh *mesh)
{
    for (int strategy = 0; strategy < MPLAN_N_STRATEGIES; strategy++)
        for (int sums = 0; sums < MPLAN_N_SUMS; sums++) {
            if (sums && strategy != MPLAN_STRATEGY_BLOCK_GATHER)
                continue;
            if (app->cells == MPLAN_APP_MIXED &&
                (strategy == MPLAN_STRATEGY_BLOCK_GATHER || strategy == MPLAN_STRATEGY_OWNER_GATHER))
                continue; /* ragged rows do not gather */
            mplan_plan *plan = planned(app, mesh, (mplan_strategy)strategy, (mplan_sums)sums);
            for (int executor = support_races_only() ? MPLAN_EXECUTOR_OPENMP : 0;
                 executor < MPLAN_EXECUTOR_CUDA; executor++) {
                mplan_app_result result;
                assert_done(run(app, mesh, plan, (mplan_executor)executor, 2, &result), &err);
                assert_true(result.error >= 0 && result.error <= app->tolerance);
                assert_true(result.useful_bytes > 0);
            }
            mplan_plan_free(plan);
        }
}

static void test_all(void **state)
{
    (void)state;
    for (int kind = 0; kind < 7; kind++) {
        mplan_mesh *mesh = mesh_of_kind(kind, kind % 2 ? 5 : 0);
        int32_t served = 0;
        for (int32_t i = 0; mplan_app_get(i); i++) {
            if (mplan_app_get(i)->layered) /* test_apps_layers.c */
                continue;
            if (kind > 4 && mplan_app_get(i)->cells != MPLAN_APP_MIXED)
                continue;
            if (mplan_app_accepts(mplan_app_get(i), mesh, &err)) {
                assert_int_equal(err.status, MPLAN_ERR_ARGUMENT);
                continue;
            }
            run_all(mplan_app_get(i), mesh);
            served++;
        }
        assert_true(kind > 4 ? served == 1 : served >= 4);
        mplan_mesh_free(mesh);
    }
}

/* What is out of tolerance, and a plan for another mesh, are noticed. */
static void test_refusals(void **state)
{
    (void)state;
    const mplan_app *app = mplan_app_find("flux2d");
    mplan_mesh *mesh = mesh_of_kind(0, 3);
    mplan_plan *plan = planned(app, mesh, MPLAN_STRATEGY_TWO_STEP, MPLAN_SUMS_PARTIAL);
    mplan_app_result result;
    mplan_app strict = *app;
    strict.tolerance = -1;
    assert_refused(run(&strict, mesh, plan, MPLAN_EXECUTOR_HOST, 1, &result), MPLAN_ERR_DISPROVED,
                   &err, "relative error");
    assert_true(result.error >= 0);
    mplan_mesh *other = mesh_of_kind(1, 3);
    mplan_loop *loops;
    int32_t n_loops;
    assert_done(mplan_app_request(app, other, &loops, &n_loops, &err), &err);
    assert_done(mplan_mesh_derive(other, "faces_cells", NULL, &err), &err);
    assert_refused(run(app, other, plan, MPLAN_EXECUTOR_HOST, 1, &result), MPLAN_ERR_OTHER_MESH,
                   &err, "members in the plan");
    mplan_app_request_free(loops, n_loops);
    mplan_mesh_free(other);
    mplan_plan_free(plan);
    mplan_mesh_free(mesh);
}

/* A map of `from` under another name, of arity 2 with its rows turned around. */
static void copy_turned(const mplan_mesh *from, const char *name, mplan_mesh *to, int32_t set,
                        const char *set_to, const char *new_name, bool turn)
{
    mplan_map map = mplan_mesh_map(from, mplan_mesh_find_map(from, name));
    int64_t n = map.n_rows * map.arity;
    int32_t *values = malloc((size_t)n * sizeof *values);
    for (int64_t i = 0; i < n; i++)
        values[i] = map.values[turn ? i ^ 1 : i];
    assert_done(mplan_mesh_add_map(to, new_name, set, mplan_mesh_find_set(to, set_to), map.arity,
                                   NULL, values, NULL, &err),
                &err);
    free(values);
}

/* A mesh of quads with a wall on its left side, as a file without faces brings it. */
static mplan_mesh *walled(void)
{
    enum { ACROSS = 10, UP = 8 };
    mplan_mesh *mesh = generated(MPLAN_SHAPE_QUAD, ACROSS, UP, 0, 0);
    uint8_t types[UP];
    int32_t ends[2 * UP];
    for (int32_t j = 0; j < UP; j++) {
        types[j] = MPLAN_CELL_LINE2;
        ends[2 * j] = j * (ACROSS + 1);
        ends[2 * j + 1] = (j + 1) * (ACROSS + 1);
    }
    assert_done(mplan_mesh_add_facets(mesh, "wall", 1, UP, types, ends, &err), &err);
    return mesh;
}

/* The same mesh with edges and bedges, which run as OP2's do. */
static mplan_mesh *walled_op2(mplan_mesh *from)
{
    static const char *const names[] = {"faces_nodes", "faces_cells", "boundary_faces_nodes",
                                        "boundary_faces_cells"};
    mplan_mesh *mesh = generated(MPLAN_SHAPE_QUAD, 10, 8, 0, 0);
    int32_t edges, bedges;
    for (int i = 0; i < 4; i++)
        assert_done(mplan_mesh_derive(from, names[i], NULL, &err), &err);
    int32_t rim = mplan_mesh_find_set(from, "boundary_faces");
    assert_done(mplan_mesh_add_set(mesh, "edges",
                                   mplan_mesh_set(from, mplan_mesh_find_set(from, "faces")).size,
                                   &edges, &err),
                &err);
    assert_done(mplan_mesh_add_set(mesh, "bedges", mplan_mesh_set(from, rim).size, &bedges, &err),
                &err);
    copy_turned(from, names[0], mesh, edges, "nodes", "edges_nodes", true);
    copy_turned(from, names[1], mesh, edges, "cells", "edges_cells", false);
    copy_turned(from, names[2], mesh, bedges, "nodes", "bedges_nodes", true);
    copy_turned(from, names[3], mesh, bedges, "cells", "bedges_cells", false);
    for (int32_t g = 0; g < mplan_mesh_n_groups(from); g++) {
        mplan_group group = mplan_mesh_group(from, g);
        if (group.set == rim)
            assert_done(mplan_mesh_add_group(mesh, group.name, group.id, 1, bedges, group.n_members,
                                             group.members, &err),
                        &err);
    }
    assert_done(mplan_mesh_set_faces_name(mesh, "edges", &err), &err);
    return mesh;
}

/* OP2's edges run the other way round than derived faces: the flow is the same. */
static void test_airfoil_faces(void **state)
{
    (void)state;
    const mplan_app *app = mplan_app_find("airfoil");
    mplan_mesh *first = walled();
    mplan_mesh *second = walled_op2(first);
    mplan_plan *a = planned(app, first, MPLAN_STRATEGY_TWO_STEP, MPLAN_SUMS_PARTIAL);
    mplan_plan *b = planned(app, second, MPLAN_STRATEGY_BLOCK_COLOUR, MPLAN_SUMS_PARTIAL);
    mplan_app_result x, y;
    assert_done(run(app, first, a, MPLAN_EXECUTOR_HOST, 100, &x), &err);
    assert_done(run(app, second, b, MPLAN_EXECUTOR_HOST, 100, &y), &err);
    assert_true(x.rms[0] > 1e-6 && x.rms[0] == x.residual && x.rms[1] == 0);
    assert_true(fabs(x.residual - y.residual) < 1e-9 * x.residual);
    mplan_plan_free(a);
    mplan_plan_free(b);
    mplan_mesh_free(first);
    mplan_mesh_free(second);
}

/* Seven launches do what nine do: the host rounds alike, so that residuals have equal bits, whatever the strategies. */
static void test_airfoil_fused(void **state)
{
    (void)state;
    const mplan_app *nine = mplan_app_find("airfoil"), *seven = mplan_app_find("airfoil_fused");
    const mplan_strategy strategies[] = {MPLAN_STRATEGY_OWNER_GATHER, MPLAN_STRATEGY_BLOCK_COLOUR};
    mplan_mesh *mesh = walled();
    assert_true(nine->n_step == 9 && seven->n_step == 7);
    for (int k = 0; k < 2; k++) {
        mplan_plan *a = planned(nine, mesh, strategies[k], MPLAN_SUMS_PARTIAL);
        mplan_plan *b = planned(seven, mesh, strategies[k], MPLAN_SUMS_PARTIAL);
        mplan_app_result x, y;
        assert_done(run(nine, mesh, a, MPLAN_EXECUTOR_HOST, 100, &x), &err);
        assert_done(run(seven, mesh, b, MPLAN_EXECUTOR_HOST, 100, &y), &err);
        assert_true(x.residual > 1e-6 && x.residual == y.residual);
        assert_true(y.useful_bytes < x.useful_bytes);
        mplan_plan_free(a);
        mplan_plan_free(b);
    }
    mplan_mesh_free(mesh);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_airfoil_fused), cmocka_unit_test(test_hand),
        cmocka_unit_test(test_hand_fails),    cmocka_unit_test(test_all),
        cmocka_unit_test(test_refusals),      cmocka_unit_test(test_airfoil_faces),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
