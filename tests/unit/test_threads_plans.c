/* SPDX-License-Identifier: Apache-2.0 */
/* test_threads_plans.c - whole plans by several threads, all loops in many pieces, have the bytes that one thread gives
 *
 * What one thread gives is compared with naive references elsewhere, and proved by `check`. Under the thread sanitizer this runs
 * every stage with threads that meet. */
#include "support_planfile.h"
#include "support_threads.h"

#include <stdlib.h>
#include <string.h>

static const mplan_strategy strategies[] = {MPLAN_STRATEGY_GLOBAL_COLOUR,
                                            MPLAN_STRATEGY_BLOCK_COLOUR, MPLAN_STRATEGY_BLOCK_GATHER,
                                            MPLAN_STRATEGY_OWNER_GATHER, MPLAN_STRATEGY_TWO_STEP};

static const mplan_renumber renumber[] = {MPLAN_RENUMBER_AUTO,  MPLAN_RENUMBER_AGGLOMERATE,
                                          MPLAN_RENUMBER_RCM,   MPLAN_RENUMBER_GPS,
                                          MPLAN_RENUMBER_SLOAN, MPLAN_RENUMBER_NONE};

/* Triangles, tets, quads, hexes; every third in order. */
static mplan_mesh *make_mesh(int round)
{
    static const mplan_shape shapes[] = {MPLAN_SHAPE_TRI, MPLAN_SHAPE_TET, MPLAN_SHAPE_QUAD,
                                         MPLAN_SHAPE_HEX};
    static const int64_t side[] = {24, 6, 31, 9};
    mplan_generate_options how = MPLAN_GENERATE_OPTIONS_INIT;
    mplan_mesh *mesh = NULL;
    mplan_error err = {MPLAN_OK, ""};
    const int shape = round % 4;
    how.shape = shapes[shape];
    how.size[0] = how.size[1] = side[shape];
    how.size[2] = shape % 2 ? side[shape] : 0;
    how.shuffle = round % 3 > 0;
    how.seed = 1 + (uint64_t)round;
    how.jitter = 0.2;
    assert_int_equal(mplan_mesh_generate(&how, NULL, &mesh, &err), MPLAN_OK);
    return mesh;
}

/* The file of a plan of faces to cells, or of cells to nodes. The mesh is made anew: planning derives sets in it. */
static uint8_t *plan_bytes(int round, const mplan_context *context, size_t *size)
{
    mplan_error err = {MPLAN_OK, ""};
    mplan_mesh *mesh = make_mesh(round);
    mplan_plan *plan = NULL;
    mplan_plan_options options = MPLAN_PLAN_OPTIONS_INIT;
    bool faces = round / 4 % 2 == 0;
    const char *map = faces ? "faces_cells" : "cells_nodes";
    mplan_arg args[] = {
        {.dat = "x", .map = map, .access = MPLAN_READ, .dim = 2, .type = MPLAN_TYPE_F64},
        {.dat = "sum", .map = map, .access = MPLAN_INC, .dim = 3, .type = MPLAN_TYPE_F64}};
    mplan_loop loop = {
        .name = "loop", .over = faces ? "faces" : "cells", .calls = 1, .n_args = 2, .args = args};
    options.block_size = round % 5 == 0 ? 16 : 40;
    options.renumber = renumber[round % 6];
    options.partitioner = round % 7 == 0 ? MPLAN_PARTITIONER_NONE : MPLAN_PARTITIONER_NATIVE;
    options.effort = (mplan_effort)(round % MPLAN_N_EFFORTS);
    options.n_strategies = sizeof strategies / sizeof *strategies;
    memcpy(options.strategies, strategies, sizeof strategies);
    if (mplan_plan_create(mesh, 1, &loop, &options, context, &plan, &err))
        fail_msg("%s", err.text);
    uint8_t *bytes = support_file_bytes(plan, false, 1, size);
    mplan_plan_free(plan);
    mplan_mesh_free(mesh);
    return bytes;
}

static void plans_are_the_same(void **state)
{
    (void)state;
    for (int round = 0; round < 42; round += support_every(13)) {
        size_t one, many;
        uint8_t *first = plan_bytes(round, NULL, &one);
        mplan_threaded own;
        const mplan_context *context = support_threaded_open(NULL, &own, 2 + round % 3);
        own.team->pieces = 2 + round % 11;
        uint8_t *second = plan_bytes(round, context, &many);
        mplan_threaded_close(&own);
        assert_int_equal(one, many);
        assert_memory_equal(first, second, one);
        free(first);
        free(second);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(plans_are_the_same)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
