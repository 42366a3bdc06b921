/* SPDX-License-Identifier: Apache-2.0 */
/* test_choose.c - what a plan gets where the request leaves it open */
#include "support_test.h"

#define DIRECT(dat_, access_, dim_)                                        \
    {                                                                      \
        (dat_), NULL, (access_), (dim_), MPLAN_TYPE_F64, MPLAN_NONE_REFUSE \
    }
#define MAPPED(dat_, map_, access_, dim_)                                    \
    {                                                                        \
        (dat_), (map_), (access_), (dim_), MPLAN_TYPE_F64, MPLAN_NONE_REFUSE \
    }
#define LOOP(name_, over_, calls_, flops_, args_)                                             \
    {                                                                                         \
        (name_), (over_), false, (calls_), (flops_), sizeof(args_) / sizeof *(args_), (args_) \
    }

/* The loops of OP2's airfoil. */
static const mplan_arg save_args[] = {DIRECT("q", MPLAN_READ, 4), DIRECT("qold", MPLAN_WRITE, 4)};
static const mplan_arg adt_args[] = {MAPPED("x", "cells_nodes", MPLAN_READ, 2),
                                     DIRECT("q", MPLAN_READ, 4), DIRECT("adt", MPLAN_WRITE, 1)};
static const mplan_arg res_args[] = {
    MAPPED("x", "faces_nodes", MPLAN_READ, 2), MAPPED("q", "faces_cells", MPLAN_READ, 4),
    MAPPED("adt", "faces_cells", MPLAN_READ, 1), MAPPED("res", "faces_cells", MPLAN_INC, 4)};
static const mplan_arg bres_args[] = {MAPPED("x", "boundary_faces_nodes", MPLAN_READ, 2),
                                      MAPPED("q", "boundary_faces_cells", MPLAN_READ, 4),
                                      MAPPED("adt", "boundary_faces_cells", MPLAN_READ, 1),
                                      MAPPED("res", "boundary_faces_cells", MPLAN_INC, 4),
                                      DIRECT("bound", MPLAN_READ, 1)};
static const mplan_arg update_args[] = {DIRECT("qold", MPLAN_READ, 4), DIRECT("q", MPLAN_WRITE, 4),
                                        DIRECT("res", MPLAN_RW, 4), DIRECT("adt", MPLAN_READ, 1),
                                        DIRECT("pair", MPLAN_RW, 2)};
static const mplan_loop airfoil[] = {LOOP("save_soln", "cells", 1, 0, save_args),
                                     LOOP("adt_calc", "cells", 2, 60, adt_args),
                                     LOOP("res_calc", "faces", 2, 100, res_args),
                                     LOOP("bres_calc", "boundary_faces", 2, 60, bres_args),
                                     LOOP("update", "cells", 2, 20, update_args)};
enum { N_AIRFOIL = sizeof airfoil / sizeof *airfoil, RES_CALC = 2, BRES_CALC = 3 };

static mplan_mesh *generated(mplan_shape shape, int64_t n)
{
    mplan_error err;
    mplan_mesh *mesh;
    mplan_generate_options options = MPLAN_GENERATE_OPTIONS_INIT;
    options.shape = shape;
    for (int i = 0; i < (shape == MPLAN_SHAPE_HEX ? 3 : 2); i++)
        options.size[i] = n;
    assert_done(mplan_mesh_generate(&options, NULL, &mesh, &err), &err);
    return mesh;
}

/* A plan that holds. options: NULL for what is chosen. */
static mplan_plan *planned(mplan_mesh *mesh, int32_t n_loops, const mplan_loop *loops,
                           const mplan_plan_options *options)
{
    mplan_error err;
    mplan_plan *plan;
    assert_done(mplan_plan_create(mesh, n_loops, loops, options, NULL, &plan, &err), &err);
    assert_done(mplan_plan_verify(plan, mesh, NULL, &err), &err);
    return plan;
}

static mplan_layout layout_of(const mplan_plan *plan, const char *dat)
{
    for (int32_t l = 0; l < mplan_plan_n_loops(plan); l++) {
        const mplan_plan_loop *loop = mplan_plan_get_loop(plan, l);
        for (int32_t a = 0; a < loop->n_args; a++)
            if (strcmp(loop->args[a].dat, dat) == 0)
                return loop->args[a].layout;
    }
    fail_msg("no dat %s", dat);
    return MPLAN_LAYOUT_AOS;
}

static void airfoil_is_chosen_for(void **state)
{
    (void)state;
    mplan_mesh *mesh = generated(MPLAN_SHAPE_QUAD, 20);
    mplan_plan *plan = planned(mesh, N_AIRFOIL, airfoil, NULL);
    for (int32_t l = 0; l < N_AIRFOIL; l++) {
        const mplan_plan_loop *loop = mplan_plan_get_loop(plan, l);
        assert_int_equal(loop->n_variants, 1);
        assert_true(loop->variants[0].deterministic);
        if (l != RES_CALC && l != BRES_CALC)
            assert_int_equal(loop->variants[0].strategy, MPLAN_STRATEGY_ATOMIC);
    }
    assert_int_equal(mplan_plan_get_loop(plan, RES_CALC)->variants[0].strategy,
                     MPLAN_STRATEGY_OWNER_GATHER);
    assert_true(mplan_plan_get_loop(plan, RES_CALC)->primary);
    assert_int_equal(mplan_plan_get_block_set(plan, 0)->partitioner, MPLAN_PARTITIONER_NONE);
    /* gathered; incremented; direct only, of four numbers and of two */
    assert_int_equal(layout_of(plan, "x"), MPLAN_LAYOUT_AOS);
    assert_int_equal(layout_of(plan, "q"), MPLAN_LAYOUT_AOS);
    assert_int_equal(layout_of(plan, "res"), MPLAN_LAYOUT_SOA);
    assert_int_equal(layout_of(plan, "qold"), MPLAN_LAYOUT_SOA);
    assert_int_equal(layout_of(plan, "pair"), MPLAN_LAYOUT_SOA);
    assert_non_null(strstr(mplan_plan_request(plan), "block_size 0\n"));
    assert_non_null(strstr(mplan_plan_request(plan), "strategy auto\n"));
    assert_non_null(strstr(mplan_plan_request(plan), "partitioner auto\n"));
    mplan_plan_free(plan);
    mplan_mesh_free(mesh);
}

/* Where loops disagree, calls weigh them. */
static void layouts_follow_the_bytes(void **state)
{
    (void)state;
    const mplan_arg reads[] = {MAPPED("d", "faces_cells", MPLAN_READ, 4)};
    const mplan_arg adds[] = {MAPPED("d", "faces_cells", MPLAN_INC, 4)};
    mplan_mesh *mesh = generated(MPLAN_SHAPE_QUAD, 6);
    for (int many = 0; many < 2; many++) {
        const mplan_loop loops[] = {LOOP("reads", "faces", many ? 5 : 1, 0, reads),
                                    LOOP("adds", "faces", many ? 1 : 5, 0, adds)};
        mplan_plan *plan = planned(mesh, 2, loops, NULL);
        for (int32_t l = 0; l < 2; l++)
            assert_int_equal(mplan_plan_get_loop(plan, l)->args[0].layout,
                             many ? MPLAN_LAYOUT_AOS : MPLAN_LAYOUT_SOA);
        mplan_plan_free(plan);
    }
    mplan_mesh_free(mesh);
}

/* Blocks gather rows of more than a sector, which are not whole vectors, number by number; not where a loop reads
 * more than a line of a point. */
static void blocks_gather_by_components(void **state)
{
    (void)state;
    mplan_mesh *mesh = generated(MPLAN_SHAPE_QUAD, 6);
    for (int dim = 1; dim <= 8; dim++)
        for (int more = 0; more < 2; more++)
            for (int owner = 0; owner < 2; owner++) {
                const mplan_arg args[] = {MAPPED("d", "faces_cells", MPLAN_READ, dim),
                                          MAPPED("e", "faces_cells", MPLAN_READ, more ? 12 : 2),
                                          MAPPED("f", "faces_cells", MPLAN_INC, 5)};
                const mplan_loop loop = LOOP("gathers", "faces", 1, 0, args);
                mplan_plan_options options = MPLAN_PLAN_OPTIONS_INIT;
                options.n_strategies = 1;
                options.strategies[0] = owner ? MPLAN_STRATEGY_OWNER_GATHER
                                              : MPLAN_STRATEGY_BLOCK_GATHER;
                mplan_plan *plan = planned(mesh, 1, &loop, &options);
                const bool split = !owner && !more && (dim == 5 || dim == 7);
                assert_int_equal(layout_of(plan, "d"), split ? MPLAN_LAYOUT_SOA : MPLAN_LAYOUT_AOS);
                assert_int_equal(layout_of(plan, "e"), MPLAN_LAYOUT_AOS);
                assert_int_equal(layout_of(plan, "f"), MPLAN_LAYOUT_SOA);
                mplan_plan_free(plan);
            }
    mplan_mesh_free(mesh);
}

/* Named strategies bring their partitioner and the usual block size. */
static void named_strategies_are_taken(void **state)
{
    (void)state;
    static const mplan_strategy named[] = {MPLAN_STRATEGY_BLOCK_COLOUR, MPLAN_STRATEGY_ATOMIC};
    mplan_mesh *mesh = generated(MPLAN_SHAPE_TRI, 12);
    for (int first = 0; first < 2; first++) {
        mplan_plan_options options = MPLAN_PLAN_OPTIONS_INIT;
        options.n_strategies = 2;
        options.strategies[0] = named[first];
        options.strategies[1] = named[1 - first];
        mplan_plan *plan = planned(mesh, 1, &airfoil[RES_CALC], &options);
        assert_int_equal(mplan_plan_get_loop(plan, 0)->n_variants, 2);
        assert_int_equal(mplan_plan_get_loop(plan, 0)->variants[0].strategy, named[first]);
        assert_int_equal(mplan_plan_get_block_set(plan, 0)->block_limit, 256);
        assert_int_equal(mplan_plan_get_block_set(plan, 0)->partitioner,
                         first == 0 ? MPLAN_PARTITIONER_NATIVE : MPLAN_PARTITIONER_NONE);
        mplan_plan_free(plan);
    }
    mplan_mesh_free(mesh);
}

/* A loop with direct data that it updates cannot be recomputed; one that
 * writes through a map is coloured. Work enough makes blocks pay. */
static void loops_get_what_serves_them(void **state)
{
    (void)state;
    const mplan_arg updates[] = {MAPPED("r", "cells_nodes", MPLAN_INC, 3),
                                 DIRECT("own", MPLAN_RW, 2)};
    const mplan_arg adds[] = {MAPPED("r", "cells_nodes", MPLAN_INC, 3),
                              DIRECT("done", MPLAN_WRITE, 1)};
    const mplan_arg writes[] = {MAPPED("w", "cells_nodes", MPLAN_RW, 3)};
    const mplan_loop loops[] = {
        LOOP("updates", "cells", 1, 0, updates), LOOP("adds", "cells", 1, 0, adds),
        LOOP("heavy", "cells", 1, 1000000, adds), LOOP("writes", "cells", 1, 0, writes)};
    mplan_mesh *mesh = generated(MPLAN_SHAPE_HEX, 8);
    for (int any = 0; any < 2; any++) {
        mplan_plan_options options = MPLAN_PLAN_OPTIONS_INIT;
        options.allow_nondeterministic = any;
        mplan_plan *plan = planned(mesh, 4, loops, &options);
        mplan_strategy found[4];
        for (int32_t l = 0; l < 4; l++) {
            const mplan_plan_variant *variant = &mplan_plan_get_loop(plan, l)->variants[0];
            found[l] = variant->strategy;
            assert_true(any || variant->deterministic);
        }
        assert_true(found[0] != MPLAN_STRATEGY_OWNER_GATHER);
        assert_true(found[2] != MPLAN_STRATEGY_OWNER_GATHER);
        assert_true(found[3] == MPLAN_STRATEGY_BLOCK_COLOUR ||
                    found[3] == MPLAN_STRATEGY_GLOBAL_COLOUR);
        mplan_plan_free(plan);
    }
    mplan_mesh_free(mesh);
}

/* Rows of three faces are fastest by owner-gather, which may also write an element's own data, but not update them. */
static void owners_write_but_do_not_update(void **state)
{
    (void)state;
    const mplan_arg updates[] = {MAPPED("r", "faces_cells", MPLAN_INC, 3),
                                 DIRECT("own", MPLAN_RW, 2)};
    const mplan_arg adds[] = {MAPPED("r", "faces_cells", MPLAN_INC, 3),
                              DIRECT("done", MPLAN_WRITE, 1)};
    const mplan_loop loops[] = {LOOP("updates", "faces", 1, 0, updates),
                                LOOP("adds", "faces", 1, 0, adds)};
    mplan_mesh *mesh = generated(MPLAN_SHAPE_TRI, 12);
    mplan_plan_options options = MPLAN_PLAN_OPTIONS_INIT;
    mplan_plan *plan = planned(mesh, 2, loops, &options);
    assert_int_not_equal(mplan_plan_get_loop(plan, 0)->variants[0].strategy,
                         MPLAN_STRATEGY_OWNER_GATHER);
    assert_int_equal(mplan_plan_get_loop(plan, 1)->variants[0].strategy, MPLAN_STRATEGY_OWNER_GATHER);
    mplan_plan_free(plan);
    mplan_mesh_free(mesh);
}

/* Corners of a grid's hexes are each in a column of their own, so that large blocks go in rounds of 128; not beside a loop that
 * would run such blocks by lists, not where no rounds are asked for, not where threads are asked for, which might be too few, and not where
 * points are twice in a column. */
static void rounds_are_for_columns_apart(void **state)
{
    static const mplan_arg force_args[] = {MAPPED("x", "cells_nodes", MPLAN_READ, 3),
                                           DIRECT("sig", MPLAN_READ, 3),
                                           MAPPED("f", "cells_nodes", MPLAN_INC, 3)};
    static const mplan_arg face_args[] = {MAPPED("x", "faces_nodes", MPLAN_READ, 3),
                                          MAPPED("g", "faces_nodes", MPLAN_INC, 3)};
    static const mplan_loop loops[] = {LOOP("force", "cells", 9, 400, force_args),
                                       LOOP("face", "faces", 1, 4000, face_args)};
    mplan_mesh *mesh = generated(MPLAN_SHAPE_HEX, 50);
    mplan_plan_options options = MPLAN_PLAN_OPTIONS_INIT;
    (void)state;
    for (int use = support_first(3); use < 5; use += support_every(3)) { /* of 125,000 cells each */
        options.block_round = use == 2 ? 1024 : 0;
        options.block_threads = use == 4 ? 64 : 0;
        options.device = use == 3 ? "cpu" : "h100";
        mplan_plan *plan = planned(mesh, use == 1 ? 2 : 1, loops, &options);
        const mplan_plan_variant *variant = &mplan_plan_get_loop(plan, 0)->variants[0];
        if (use != 3)
            assert_int_equal(variant->strategy, MPLAN_STRATEGY_BLOCK_GATHER);
        assert_int_equal(variant->round, use == 0 ? 128 : 0);
        assert_true(use == 0 ? variant->block_limit > 128 : use != 4 || variant->block_limit == 128);
        if (use == 1) {
            variant = &mplan_plan_get_loop(plan, 1)->variants[0];
            assert_int_equal(variant->strategy, MPLAN_STRATEGY_BLOCK_GATHER);
            assert_int_equal(variant->round, 0);
            assert_int_equal(variant->block_limit, 128);
        }
        mplan_plan_free(plan);
    }
    mplan_mesh_free(mesh);
}

/* The corner of one cell that is twice in its column: no rounds. */
static void rounds_end_with_one_point(void **state)
{
    static const mplan_arg args[] = {MAPPED("x", "corners", MPLAN_READ, 3),
                                     DIRECT("sig", MPLAN_READ, 3),
                                     MAPPED("f", "corners", MPLAN_INC, 3)};
    static const mplan_loop loops[] = {LOOP("force", "cells", 1, 400, args)};
    mplan_mesh *grid = generated(MPLAN_SHAPE_HEX, 50);
    const mplan_map map = mplan_mesh_map(grid, mplan_mesh_find_map(grid, "cells_nodes"));
    mplan_plan_options options = MPLAN_PLAN_OPTIONS_INIT;
    int32_t *corners = malloc((size_t)(8 * map.n_rows) * sizeof *corners);
    (void)state;
    assert_non_null(corners);
    options.device = "h100";
    memcpy(corners, map.values, (size_t)(8 * map.n_rows) * sizeof *corners);
    for (int use = 0; use < 2; use++) {
        mplan_error err;
        mplan_mesh *mesh;
        int32_t cells, points;
        if (use == 1) { /* the first cell begins with another corner, with which its neighbour begins */
            corners[0] = map.values[1];
            corners[1] = map.values[0];
        }
        assert_done(mplan_mesh_create(&mesh, &err), &err);
        assert_done(mplan_mesh_add_set(mesh, "cells", map.n_rows, &cells, &err), &err);
        assert_done(mplan_mesh_add_set(mesh, "points", map.n_points, &points, &err), &err);
        assert_done(mplan_mesh_add_map(mesh, "corners", cells, points, 8, NULL, corners, NULL, &err),
                    &err);
        mplan_plan *plan = planned(mesh, 1, loops, &options);
        const mplan_plan_variant *variant = &mplan_plan_get_loop(plan, 0)->variants[0];
        assert_int_equal(variant->strategy, MPLAN_STRATEGY_BLOCK_GATHER);
        assert_int_equal(variant->round, use == 0 ? 128 : 0);
        mplan_plan_free(plan);
        mplan_mesh_free(mesh);
    }
    free(corners);
    mplan_mesh_free(grid);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(airfoil_is_chosen_for),
        cmocka_unit_test(layouts_follow_the_bytes),
        cmocka_unit_test(blocks_gather_by_components),
        cmocka_unit_test(named_strategies_are_taken),
        cmocka_unit_test(loops_get_what_serves_them),
        cmocka_unit_test(owners_write_but_do_not_update),
        cmocka_unit_test(rounds_are_for_columns_apart),
        cmocka_unit_test(rounds_end_with_one_point),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
