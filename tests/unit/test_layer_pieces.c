/* SPDX-License-Identifier: Apache-2.0 */
/* test_layer_pieces.c - launches of loops with layers in pieces, as parts launch them while messages travel
 *
 * Pieces one after the other give the bits of one launch, and the first of them does not change what belongs to the second. */
#include <string.h>

#include "exec/dat_levels.h"
#include "support_test.h"

enum { CELLS = 60, POINTS = 40, HIGH = 9, LEVELS = HIGH + 1 };

#define ADD_ARGS(ARG)                  \
    ARG(COLUMN, q, q, 1, 1, f64, READ) \
    ARG(LEVELS, r, r, cells_points, 6, 1, f64, INC)
MPLAN_LAYER_VIEWS(add, ADD_ARGS)
MPLAN_FN void add(add_views *v, const mplan_no_parameters *p)
{
    (void)p;
    for (int s = 0; s < 6; s++)
        v->r[s][0] = v->q[0][0] / (s + 1.5);
}
MPLAN_LAYER_KERNEL(add, ADD_ARGS, mplan_no_parameters)

#define MEAN_ARGS(ARG)             \
    ARG(WHOLE, q, q, 1, f64, READ) \
    ARG(WHOLE, r, r, 1, f64, RW)   \
    ARG(NEAR, x, x, cells_points, 3, 1, f64)
MPLAN_COLUMN_VIEWS(mean, MEAN_ARGS)
MPLAN_FN void mean(mean_views *v, const mplan_no_parameters *p)
{
    (void)p;
    for (int j = v->bottom; j < v->top; j++)
        MPLAN_LEVEL(v->r, j, 0) += MPLAN_LEVEL(v->q, j, 0) + MPLAN_LEVEL(v->x[1], j, 0);
}
MPLAN_COLUMN_KERNEL(mean, MEAN_ARGS, mplan_no_parameters)

static int32_t map_values[CELLS * 3], ranges[CELLS * 2];
static double q[CELLS * HIGH], x[POINTS * HIGH];

/* whole: functions of columns, which write their own cells; else increments of points. */
static mplan_plan *plan_of(bool whole, mplan_strategy strategy)
{
    const mplan_arg args[2][3] = {{{"q", NULL, MPLAN_READ, 1, MPLAN_TYPE_F64, 0},
                                   {"r", "cells_points", MPLAN_INC, 1, MPLAN_TYPE_F64, 0}},
                                  {{"q", NULL, MPLAN_READ, 1, MPLAN_TYPE_F64, 0},
                                   {"r", NULL, MPLAN_RW, 1, MPLAN_TYPE_F64, 0},
                                   {"x", "cells_points", MPLAN_READ, 1, MPLAN_TYPE_F64, 0}}};
    const mplan_loop loop = {whole ? "mean" : "add", "cells",    true, 1, 0,
                             whole ? 3 : 2,          args[whole]};
    const mplan_arg_layers own = {.levels = HIGH, .stride = 1, .n_slots = 1};
    mplan_arg_layers points = {.levels = whole ? HIGH : LEVELS, .stride = 1, .n_slots = 1};
    points.slots[0].of = MPLAN_EVERY_SLOT;
    if (!whole) {
        points.n_slots = 2;
        points.slots[1] = (mplan_slot){MPLAN_EVERY_SLOT, 1};
    }
    const mplan_layered_arg levels[3] = {{0, 0, own}, {0, 1, whole ? own : points}, {0, 2, points}};
    const mplan_layered_set set = {"cells", HIGH, ranges, NULL};
    const mplan_layered_loop layered = {0, whole ? MPLAN_LAYERING_COLUMNS : MPLAN_LAYERING_LAYERS};
    const mplan_layers layers = {1, 1, whole ? 3 : 2, &set, &layered, levels};
    mplan_plan_options options = MPLAN_PLAN_OPTIONS_INIT;
    mplan_error err;
    mplan_mesh *mesh;
    mplan_plan *plan;
    options.layers = &layers;
    options.n_strategies = 1;
    options.strategies[0] = strategy;
    assert_done(mplan_mesh_create(&mesh, &err), &err);
    assert_done(mplan_mesh_add_set(mesh, "cells", CELLS, NULL, &err), &err);
    assert_done(mplan_mesh_add_set(mesh, "points", POINTS, NULL, &err), &err);
    assert_done(mplan_mesh_add_map(mesh, "cells_points", 0, 1, 3, NULL, map_values, NULL, &err),
                &err);
    assert_done(mplan_plan_create(mesh, 1, &loop, &options, NULL, &plan, &err), &err);
    mplan_mesh_free(mesh);
    return plan;
}

/* The dat that changes, in the plan's order: elements or points from `middle` on are those of the second piece. */
static void run(const mplan_plan *plan, mplan_executor executor, bool whole, int64_t middle,
                double *out)
{
    const int64_t rows = whole ? CELLS * HIGH : POINTS * LEVELS;
    mplan_exec_options options = MPLAN_EXEC_OPTIONS_INIT;
    mplan_exec *exec;
    mplan_exec_loop *bound;
    mplan_error err;
    options.executor = executor;
    options.threads = 2;
    assert_done(mplan_exec_open(plan, &options, &exec, &err), &err);
    assert_done(mplan_exec_declare_all(exec, &err), &err);
    assert_done(mplan_exec_upload(exec, "q", q, CELLS * HIGH, 1, MPLAN_TYPE_F64, &err), &err);
    if (whole)
        assert_done(mplan_exec_upload(exec, "x", x, POINTS * HIGH, 1, MPLAN_TYPE_F64, &err), &err);
    assert_done(mplan_exec_bind_layers(exec, whole ? "mean" : "add", -1,
                                       whole ? &mean_host : &add_host, &bound, &err),
                &err);
    int64_t n;
    assert_true(mplan_exec_layers_cut(bound, &n));
    const bool cells = whole || executor == MPLAN_EXECUTOR_SERIAL ||
                       bound->chosen->strategy == MPLAN_STRATEGY_ATOMIC;
    assert_int_equal(n, cells ? CELLS : POINTS);
    const mplan_exec_dat *dat = &exec->dats[mplan_exec_find_dat(exec, "r")];
    for (int piece = 0; piece < 2; piece++) {
        const mplan_exec_piece part = {.first = piece ? middle : 0,
                                       .end = piece ? n + 7 : middle, /* clipped */
                                       .owned = n,
                                       .is_first = piece == 0,
                                       .is_last = piece == 1};
        assert_done(mplan_exec_launch_piece(exec, bound, &part, NULL, NULL, &err), &err);
        if (piece == 0 && (whole || !cells)) /* what is stored: levels of a member side by side */
            for (int64_t i = middle * dat->column_stride; i < rows; i++)
                assert_true(((const double *)dat->data)[i] == 0);
    }
    assert_done(mplan_exec_download(exec, "r", out, rows, 1, MPLAN_TYPE_F64, &err), &err);
    mplan_exec_close(exec);
}

static void pieces_are_the_whole(void **state)
{
    static double due[POINTS * LEVELS + CELLS * HIGH], got[POINTS * LEVELS + CELLS * HIGH];
    static const struct {
        bool whole;
        mplan_strategy strategy;
        mplan_executor executor;
    } cases[] = {{false, MPLAN_STRATEGY_OWNER_GATHER, MPLAN_EXECUTOR_OPENMP},
                 {false, MPLAN_STRATEGY_OWNER_GATHER, MPLAN_EXECUTOR_SERIAL},
                 {false, MPLAN_STRATEGY_ATOMIC, MPLAN_EXECUTOR_SERIAL},
                 {true, MPLAN_STRATEGY_ATOMIC, MPLAN_EXECUTOR_OPENMP},
                 {true, MPLAN_STRATEGY_ATOMIC, MPLAN_EXECUTOR_SERIAL}};
    uint64_t seed = 3;
    (void)state;
    for (int i = 0; i < CELLS * 3; i++)
        map_values[i] = (int32_t)support_random(&seed, POINTS);
    for (int i = 0; i < CELLS; i++) {
        ranges[2 * i] = (int32_t)support_random(&seed, 3);
        ranges[2 * i + 1] = ranges[2 * i] + 1 + (int32_t)support_random(&seed, HIGH - 3);
    }
    for (int i = 0; i < CELLS * HIGH; i++)
        q[i] = 1 + (double)support_random(&seed, 1000) / 7;
    for (int i = 0; i < POINTS * HIGH; i++)
        x[i] = 1 + (double)support_random(&seed, 1000) / 7;
    for (size_t c = 0; c < sizeof cases / sizeof *cases; c++) {
        mplan_plan *plan = plan_of(cases[c].whole, cases[c].strategy);
        const size_t bytes = (cases[c].whole ? CELLS * HIGH : POINTS * LEVELS) * sizeof *due;
        run(plan, cases[c].executor, cases[c].whole, 0, due);
        for (int64_t middle = 1; middle < 40; middle += 13) {
            run(plan, cases[c].executor, cases[c].whole, middle, got);
            assert_memory_equal(got, due, bytes);
        }
        mplan_plan_free(plan);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(pieces_are_the_whole)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
