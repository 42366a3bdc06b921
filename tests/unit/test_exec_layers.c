/* SPDX-License-Identifier: Apache-2.0 */
/* test_exec_layers.c - loops with layers on the host: every strategy, order of levels and depth against plain loops
 *
 * Whole numbers, so that every order of sums gives one result. LFRic's two matrix-vector products (dofs on vertices,
 * and on faces and cells), a flux between columns, a function of whole columns, one case by hand. */
#include <stdlib.h>
#include <string.h>

#include "exec/meshplan_layers.h"
#include "plan/plan.h"
#include "support_test.h"

enum { CELLS = 90, POINTS = 70, HIGH = 7, ARITY = 5, SETS = 2 };

/* --- kernels --------------------------------------------------------------------------------- */

/* Dofs on vertices: four below, four above. */
#define W0_ARGS(ARG)                                      \
    ARG(MATRIX, m, m, 8, 8, f64)                          \
    ARG(LEVELS, x, x, cells_points, 8, 1, f64, READ)      \
    ARG(LEVELS, lhs, lhs, cells_points, 8, 1, f64, INC)   \
    ARG(LEVELS, most, most, cells_points, 8, 2, i32, MAX) \
    ARG(FLAT, area, area, cells_points, 5, 1, f64)        \
    ARG(OWN, own, own, 1, f64)                            \
    ARG(VALUE, scale, scale, 1, f64)
MPLAN_LAYER_VIEWS(w0, W0_ARGS)
MPLAN_FN void w0(w0_views *v, const mplan_no_parameters *p)
{
    (void)p;
    for (int row = 0; row < 8; row++) {
        for (int col = 0; col < 8; col++)
            v->lhs[row][0] += v->m[col * 8 + row] * v->x[col][0] * v->scale[0];
        v->lhs[row][0] += v->area[row % 5][0] + v->own[0];
        v->most[row][0] = v->layer;
        v->most[row][1] = (v->layer - v->bottom) * 100 + v->top;
    }
}
MPLAN_LAYER_KERNEL(w0, W0_ARGS, mplan_no_parameters)

/* Dofs on four faces, and below and above the cell: the fifth point of the map, twice. */
#define W2_ARGS(ARG)                                 \
    ARG(MATRIX, m, m2, 6, 6, f64)                    \
    ARG(LEVELS, x, x, cells_points, 6, 1, f64, READ) \
    ARG(LEVELS, lhs, lhs, cells_points, 6, 1, f64, INC)
MPLAN_LAYER_VIEWS(w2, W2_ARGS)
MPLAN_FN void w2(w2_views *v, const mplan_no_parameters *p)
{
    (void)p;
    for (int row = 0; row < 6; row++)
        for (int col = 0; col < 6; col++)
            v->lhs[row][0] += v->m[col * 6 + row] * v->x[col][0];
}
MPLAN_LAYER_KERNEL(w2, W2_ARGS, mplan_no_parameters)

/* Writes its own levels: the difference of two levels, and a running number. */
#define OWN_ARGS(ARG)                     \
    ARG(COLUMN, both, q, 2, 1, f64, READ) \
    ARG(COLUMN, d, d, 1, 2, f64, WRITE)   \
    ARG(COLUMN, n, n, 1, 1, i32, INC)     \
    ARG(LEVELS, near, lhs, cells_points, 5, 1, f64, READ)
MPLAN_LAYER_VIEWS(own, OWN_ARGS)
MPLAN_FN void own(own_views *v, const mplan_no_parameters *p)
{
    (void)p;
    v->d[0][0] = v->both[1][0] - v->both[0][0];
    v->d[0][1] = v->near[0][0] + v->near[4][0];
    v->n[0][0] = v->layer + 1;
}
MPLAN_LAYER_KERNEL(own, OWN_ARGS, mplan_no_parameters)

/* Sums from below; the neighbour's column beside. */
#define SUMS_ARGS(ARG)             \
    ARG(WHOLE, q, q, 1, f64, READ) \
    ARG(WHOLE, s, s, 1, f64, RW)   \
    ARG(NEAR, near, lhs, cells_points, 5, 1, f64)
MPLAN_COLUMN_VIEWS(sums, SUMS_ARGS)
MPLAN_FN void sums(sums_views *v, const mplan_no_parameters *p)
{
    double sum = 0;
    (void)p;
    for (int j = v->bottom; j < v->top; j++) {
        sum += MPLAN_LEVEL(v->q, j, 0);
        MPLAN_LEVEL(v->s, j, 0) += sum + (v->near[2].at ? MPLAN_LEVEL(v->near[2], j, 0) : 0);
    }
}
MPLAN_COLUMN_KERNEL(sums, SUMS_ARGS, mplan_no_parameters)
/* The same by lanes: chunks of two levels, segments of as many chunks as lanes. */
MPLAN_LANES_VIEWS(lane_sums, SUMS_ARGS)
MPLAN_FN void lane_sums(lane_sums_views *v, const mplan_no_parameters *p)
{
    double below = 0;
    (void)p;
    for (int first = v->bottom; mplan_lanes_any(first < v->top); first += 2 * v->lanes) {
        const int begin = first + 2 * v->lane;
        const double one = begin < v->top ? MPLAN_LEVEL(v->q, begin, 0) : 0,
                     two = begin + 1 < v->top ? MPLAN_LEVEL(v->q, begin + 1, 0) : 0;
        double sum = one + two;
        for (int by = 1; by < v->lanes; by *= 2) {
            const double more = mplan_lanes_up(sum, by, v->lanes);
            sum += v->lane >= by ? more : 0;
        }
        for (int j = begin; j < begin + 2 && j < v->top; j++)
            MPLAN_LEVEL(v->s, j, 0) += below + sum - (j == begin ? two : 0) +
                                       (v->near[2].at ? MPLAN_LEVEL(v->near[2], j, 0) : 0);
        below += mplan_lanes_of(sum, v->lanes - 1, v->lanes);
    }
}
MPLAN_LANES_KERNEL(lane_sums, SUMS_ARGS, 8, mplan_no_parameters)

/* --- a case ---------------------------------------------------------------------------------- */

typedef struct fixture {
    int32_t map[CELLS * ARITY], ranges[2 * CELLS];
    bool ranged, masked;
    bool there[CELLS * HIGH]; /* within the ranges */
    uint32_t mask[CELLS];
    double *m, *m2, *x, *lhs, *area, *own, *q, scale; /* in the mesh's order */
} fixture;

static double *numbers(int64_t n, uint64_t *seed)
{
    double *made = malloc((size_t)n * sizeof *made);
    for (int64_t i = 0; i < n; i++)
        made[i] = (double)(int)support_random(seed, 19) - 9;
    return made;
}

/* how: 0 all layers, 1 ranges, 2 a mask, 3 both. */
static void make(fixture *f, uint64_t seed, int how)
{
    const bool ranged = how & 1;
    for (int i = 0; i < CELLS * ARITY; i++)
        f->map[i] = (int32_t)support_random(&seed, POINTS);
    f->ranged = ranged;
    f->masked = how & 2;
    for (int i = 0; i < CELLS; i++) {
        f->ranges[2 * i] = ranged ? (int32_t)support_random(&seed, 3) : 0;
        f->ranges[2 * i + 1] = ranged ? f->ranges[2 * i] + (int32_t)support_random(&seed, HIGH - 1)
                                      : HIGH;
    }
    for (int i = 0; i < CELLS; i++) { /* bits beside the ranges say nothing */
        f->mask[i] = (uint32_t)support_random(&seed, 256) * 0x01010101u;
        for (int k = 0; k < HIGH; k++)
            f->there[i * HIGH + k] = k >= f->ranges[2 * i] && k < f->ranges[2 * i + 1] &&
                                     (!f->masked || (f->mask[i] >> k & 1));
    }
    f->m = numbers(CELLS * HIGH * 64, &seed);
    f->m2 = numbers(CELLS * HIGH * 36, &seed);
    f->x = numbers(POINTS * (HIGH + 1), &seed);
    f->lhs = numbers(POINTS * (HIGH + 1), &seed);
    f->area = numbers(POINTS, &seed);
    f->own = numbers(CELLS, &seed);
    f->q = numbers(CELLS * (HIGH + 1), &seed);
    f->scale = 3;
}

static void drop(fixture *f)
{
    double *all[] = {f->m, f->m2, f->x, f->lhs, f->area, f->own, f->q};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        free(all[i]);
}

static mplan_arg_layers slots_of(int32_t levels, int n, const int (*slots)[2], mplan_columns columns)
{
    mplan_arg_layers layers = {.levels = levels, .stride = 1, .columns = columns, .n_slots = n};
    for (int s = 0; s < n; s++)
        layers.slots[s] = (mplan_slot){slots ? slots[s][0] : MPLAN_EVERY_SLOT,
                                       slots ? slots[s][1] : 0};
    return layers;
}

static const int w0_slots[8][2] = {{0, 0}, {1, 0}, {2, 0}, {3, 0}, {0, 1}, {1, 1}, {2, 1}, {3, 1}};
static const int w2_slots[6][2] = {{0, 0}, {1, 0}, {2, 0}, {3, 0}, {4, 0}, {4, 1}};
static const int two_slots[2][2] = {{0, 0}, {0, 1}};

/* The plan of one of the loops, proved. columns: order of the levels of all dats; owner: of the matrix. */
static mplan_plan *plan_of(const fixture *f, int which, mplan_strategy strategy,
                           mplan_columns columns, bool owner)
{
    const char *map = "cells_points";
    const mplan_arg w0_args_[] = {{"m", NULL, MPLAN_READ, 64, MPLAN_TYPE_F64, 0},
                                  {"x", map, MPLAN_READ, 1, MPLAN_TYPE_F64, 0},
                                  {"lhs", map, MPLAN_INC, 1, MPLAN_TYPE_F64, 0},
                                  {"most", map, MPLAN_INC_MAX, 2, MPLAN_TYPE_I32, 0},
                                  {"area", map, MPLAN_READ, 1, MPLAN_TYPE_F64, 0},
                                  {"own", NULL, MPLAN_READ, 1, MPLAN_TYPE_F64, 0},
                                  {"scale", MPLAN_GLOBAL, MPLAN_READ, 1, MPLAN_TYPE_F64, 0}};
    const mplan_arg w2_args_[] = {{"m2", NULL, MPLAN_READ, 36, MPLAN_TYPE_F64, 0},
                                  {"x", map, MPLAN_READ, 1, MPLAN_TYPE_F64, 0},
                                  {"lhs", map, MPLAN_INC, 1, MPLAN_TYPE_F64, 0}};
    const mplan_arg own_args_[] = {{"q", NULL, MPLAN_READ, 1, MPLAN_TYPE_F64, 0},
                                   {"d", NULL, MPLAN_WRITE, 2, MPLAN_TYPE_F64, 0},
                                   {"n", NULL, MPLAN_INC, 1, MPLAN_TYPE_I32, 0},
                                   {"lhs", map, MPLAN_READ, 1, MPLAN_TYPE_F64, 0}};
    const mplan_arg sums_args_[] = {{"q", NULL, MPLAN_READ, 1, MPLAN_TYPE_F64, 0},
                                    {"s", NULL, MPLAN_RW, 1, MPLAN_TYPE_F64, 0},
                                    {"lhs", map, MPLAN_READ, 1, MPLAN_TYPE_F64, 0}};
    const mplan_arg mixed_args_[] = {{"m2", NULL, MPLAN_READ, 36, MPLAN_TYPE_F64, 0},
                                     {"x", map, MPLAN_READ, 1, MPLAN_TYPE_F64, 0},
                                     {"lhs", map, MPLAN_INC, 1, MPLAN_TYPE_F64, 0},
                                     {"area", map, MPLAN_READ, 1, MPLAN_TYPE_F64, 0},
                                     {"own", NULL, MPLAN_READ, 1, MPLAN_TYPE_F64, 0},
                                     {"scale", MPLAN_GLOBAL, MPLAN_READ, 1, MPLAN_TYPE_F64, 0}};
    const mplan_loop loops[] = {{"w0", "cells", true, 1, 0, 7, w0_args_},
                                {"w2", "cells", true, 1, 0, 3, w2_args_},
                                {"own", "cells", true, 1, 0, 4, own_args_},
                                {"sums", "cells", true, 1, 0, 3, sums_args_},
                                {"mixed", "cells", true, 1, 0, 6, mixed_args_}};
    mplan_layered_arg args[5][4] = {{{0, 0, slots_of(HIGH, 1, NULL, columns)},
                                     {0, 1, slots_of(HIGH + 1, 8, w0_slots, columns)},
                                     {0, 2, slots_of(HIGH + 1, 8, w0_slots, columns)},
                                     {0, 3, slots_of(HIGH + 1, 8, w0_slots, columns)}},
                                    {{0, 0, slots_of(HIGH, 1, NULL, columns)},
                                     {0, 1, slots_of(HIGH + 1, 6, w2_slots, columns)},
                                     {0, 2, slots_of(HIGH + 1, 6, w2_slots, columns)}},
                                    {{0, 0, slots_of(HIGH + 1, 2, two_slots, columns)},
                                     {0, 1, slots_of(HIGH, 1, NULL, columns)},
                                     {0, 2, slots_of(HIGH, 1, NULL, columns)},
                                     {0, 3, slots_of(HIGH + 1, 1, NULL, columns)}},
                                    {{0, 0, slots_of(HIGH + 1, 1, NULL, columns)},
                                     {0, 1, slots_of(HIGH, 1, NULL, columns)},
                                     {0, 2, slots_of(HIGH + 1, 1, NULL, columns)}},
                                    {{0, 0, slots_of(HIGH, 1, NULL, columns)},
                                     {0, 1, slots_of(HIGH + 1, 6, w2_slots, columns)},
                                     {0, 2, slots_of(HIGH + 1, 6, w2_slots, columns)}}};
    if (which < 2 || which == 4) {
        args[which][0].layers.rows = which == 0 ? 8 : 6;
        args[which][0].layers.columns = owner ? MPLAN_COLUMNS_OWNER : columns;
    }
    const mplan_layered_set set = {"cells", HIGH, f->ranged ? f->ranges : NULL,
                                   f->masked ? f->mask : NULL};
    const mplan_layered_loop loop = {0, which == 3 ? MPLAN_LAYERING_COLUMNS : MPLAN_LAYERING_LAYERS};
    const mplan_layers layers = {1, 1, which == 0 || which == 2 ? 4 : 3, &set, &loop, args[which]};
    mplan_plan_options options = MPLAN_PLAN_OPTIONS_INIT;
    mplan_error err = {MPLAN_OK, ""};
    mplan_mesh *mesh;
    mplan_plan *plan = NULL;
    options.layers = &layers;
    options.n_strategies = strategy < MPLAN_N_STRATEGIES;
    options.strategies[0] = strategy;
    assert_done(mplan_mesh_create(&mesh, &err), &err);
    assert_done(mplan_mesh_add_set(mesh, "cells", CELLS, NULL, &err), &err);
    assert_done(mplan_mesh_add_set(mesh, "points", POINTS, NULL, &err), &err);
    assert_done(mplan_mesh_add_map(mesh, map, 0, 1, ARITY, NULL, f->map, NULL, &err), &err);
    assert_done(mplan_plan_create(mesh, 1, &loops[which], &options, NULL, &plan, &err), &err);
    assert_done(mplan_plan_verify(plan, mesh, NULL, &err), &err);
    mplan_mesh_free(mesh);
    return plan;
}

/* --- plain loops ------------------------------------------------------------------------------- */

static void plain_matvec(const fixture *f, int n, const int (*slots)[2], double *lhs, int32_t *most)
{
    for (int e = 0; e < CELLS; e++)
        for (int k = f->ranges[2 * e]; k < f->ranges[2 * e + 1]; k++)
            for (int row = 0; row < n && f->there[e * HIGH + k]; row++) {
                double sum = 0;
                int at = f->map[e * ARITY + slots[row][0]] * (HIGH + 1) + k + slots[row][1];
                for (int col = 0; col < n; col++)
                    sum += (n == 8 ? f->m : f->m2)[((e * HIGH + k) * n + col) * n + row] *
                           f->x[f->map[e * ARITY + slots[col][0]] * (HIGH + 1) + k + slots[col][1]] *
                           (n == 8 ? f->scale : 1);
                if (n == 8)
                    sum += f->area[f->map[e * ARITY + row % 5]] + f->own[e];
                lhs[at] += sum;
                if (!most)
                    continue;
                int32_t other = (k - f->ranges[2 * e]) * 100 + f->ranges[2 * e + 1];
                most[2 * at] = most[2 * at] < k ? k : most[2 * at];
                most[2 * at + 1] = most[2 * at + 1] < other ? other : most[2 * at + 1];
            }
}

/* --- running ------------------------------------------------------------------------------------- */

static mplan_exec *open_exec(const mplan_plan *plan, mplan_executor executor)
{
    mplan_exec_options options = MPLAN_EXEC_OPTIONS_INIT;
    mplan_exec *exec;
    mplan_error err;
    options.executor = executor;
    options.threads = 3;
    assert_done(mplan_exec_open(plan, &options, &exec, &err), &err);
    assert_done(mplan_exec_declare_all(exec, &err), &err);
    return exec;
}

static void put(mplan_exec *exec, const char *dat, const double *rows, int64_t n, int dim)
{
    mplan_error err;
    double *back = malloc((size_t)(n * dim) * sizeof *back);
    assert_done(mplan_exec_upload(exec, dat, rows, n, dim, MPLAN_TYPE_F64, &err), &err);
    assert_done(mplan_exec_download(exec, dat, back, n, dim, MPLAN_TYPE_F64, &err), &err);
    for (int64_t i = 0; i < n * dim; i++)
        assert_true(back[i] == rows[i]);
    free(back);
}

static void launch(mplan_exec *exec, const char *loop, const mplan_layer_kernel *kernel)
{
    mplan_exec_loop *bound;
    mplan_error err;
    assert_done(mplan_exec_bind_layers(exec, loop, -1, kernel, &bound, &err), &err);
    assert_done(mplan_exec_launch(exec, bound, NULL, NULL, &err), &err);
}

static void check_matvec(const fixture *f, int which, mplan_strategy strategy,
                         mplan_executor executor, mplan_columns columns, bool owner)
{
    const int64_t n = POINTS * (HIGH + 1);
    mplan_plan *plan = plan_of(f, which, strategy, columns, owner);
    mplan_exec *exec = open_exec(plan, executor);
    double *due = malloc((size_t)n * sizeof *due), *got = malloc((size_t)n * sizeof *got);
    int32_t *most = calloc((size_t)(2 * n), sizeof *most),
            *got_most = calloc((size_t)(2 * n), sizeof *most);
    mplan_error err;
    memcpy(due, f->lhs, (size_t)n * sizeof *due);
    plain_matvec(f, which == 0 ? 8 : 6, which == 0 ? w0_slots : w2_slots, due,
                 which == 0 ? most : NULL);
    put(exec, which == 0 ? "m" : "m2", which == 0 ? f->m : f->m2, CELLS * HIGH, which == 0 ? 64 : 36);
    put(exec, "x", f->x, n, 1);
    put(exec, "lhs", f->lhs, n, 1);
    if (which == 0) {
        put(exec, "area", f->area, POINTS, 1);
        put(exec, "own", f->own, CELLS, 1);
        assert_done(mplan_exec_upload(exec, "scale", &f->scale, 1, 1, MPLAN_TYPE_F64, &err), &err);
    }
    launch(exec, which == 0 ? "w0" : "w2", which == 0 ? &w0_host : &w2_host);
    assert_done(mplan_exec_download(exec, "lhs", got, n, 1, MPLAN_TYPE_F64, &err), &err);
    for (int64_t i = 0; i < n; i++)
        if (got[i] != due[i])
            fail_msg("loop %d, %s, %s: level %d of point %d is %g instead of %g", which,
                     mplan_strategy_name(strategy), mplan_executor_name(executor),
                     (int)(i % (HIGH + 1)), (int)(i / (HIGH + 1)), got[i], due[i]);
    if (which == 0) {
        assert_done(mplan_exec_download(exec, "most", got_most, n, 2, MPLAN_TYPE_I32, &err), &err);
        assert_memory_equal(got_most, most, (size_t)(2 * n) * sizeof *most);
    }
    free(due), free(got), free(most), free(got_most);
    mplan_exec_close(exec);
    mplan_plan_free(plan);
}

static void matrix_vector(void **state)
{
    static const mplan_strategy strategies[] = {MPLAN_STRATEGY_GLOBAL_COLOUR,
                                                MPLAN_STRATEGY_TWO_STEP,
                                                MPLAN_STRATEGY_ATOMIC,
                                                MPLAN_STRATEGY_OWNER_GATHER,
                                                MPLAN_STRATEGY_BLOCK_COLOUR,
                                                MPLAN_STRATEGY_BLOCK_GATHER,
                                                MPLAN_N_STRATEGIES};
    (void)state;
    for (int ranged = 0; ranged < 4; ranged++)
        for (int which = 0; which < 2; which++) {
            fixture f;
            make(&f, 3 + (uint64_t)which, ranged);
            for (size_t s = 0; s < sizeof strategies / sizeof *strategies; s++)
                for (int executor = support_races_only() ? MPLAN_EXECUTOR_OPENMP
                                                         : MPLAN_EXECUTOR_SERIAL;
                     executor <= MPLAN_EXECUTOR_OPENMP; executor++)
                    for (int columns = 0; columns < 2; columns++) {
                        check_matvec(&f, which, strategies[s], (mplan_executor)executor,
                                     (mplan_columns)columns, false);
                        if (strategies[s] == MPLAN_STRATEGY_OWNER_GATHER)
                            check_matvec(&f, which, strategies[s], (mplan_executor)executor,
                                         (mplan_columns)columns, true);
                    }
            drop(&f);
        }
}

/* Levels of the element itself; what several loops find in one dat. */
static void own_levels(void **state)
{
    (void)state;
    for (int ranged = 0; ranged < 4; ranged++)
        for (int columns = 0; columns < 2; columns++) {
            fixture f;
            make(&f, 11, ranged);
            mplan_plan *plan = plan_of(&f, 2, MPLAN_N_STRATEGIES, (mplan_columns)columns, false);
            mplan_exec *exec = open_exec(plan, MPLAN_EXECUTOR_OPENMP);
            double d[CELLS * HIGH * 2];
            int32_t n[CELLS * HIGH];
            mplan_error err;
            put(exec, "q", f.q, CELLS * (HIGH + 1), 1);
            put(exec, "lhs", f.lhs, POINTS * (HIGH + 1), 1);
            launch(exec, "own", &own_host);
            launch(exec, "own", &own_host);
            assert_done(mplan_exec_download(exec, "d", d, CELLS * HIGH, 2, MPLAN_TYPE_F64, &err),
                        &err);
            assert_done(mplan_exec_download(exec, "n", n, CELLS * HIGH, 1, MPLAN_TYPE_I32, &err),
                        &err);
            for (int e = 0; e < CELLS; e++)
                for (int k = 0; k < HIGH; k++) {
                    const double *q = f.q + e * (HIGH + 1) + k;
                    const int32_t *row = f.map + e * ARITY;
                    bool in = f.there[e * HIGH + k];
                    assert_true(d[2 * (e * HIGH + k)] == (in ? q[1] - q[0] : 0));
                    assert_true(d[2 * (e * HIGH + k) + 1] ==
                                (in ? f.lhs[row[0] * (HIGH + 1) + k] + f.lhs[row[4] * (HIGH + 1) + k]
                                    : 0));
                    assert_int_equal(n[e * HIGH + k], in ? 2 * (k + 1) : 0);
                }
            mplan_exec_close(exec);
            mplan_plan_free(plan);
            drop(&f);
        }
}

static void whole_columns(void **state)
{
    (void)state;
    for (int turn = 0; turn < 4; turn++)
        for (int columns = 0; columns < 2; columns++) {
            fixture f;
            make(&f, 17, turn % 2); /* with ranges */
            mplan_plan *plan = plan_of(&f, 3, MPLAN_N_STRATEGIES, (mplan_columns)columns, false);
            mplan_exec *exec = open_exec(plan, MPLAN_EXECUTOR_OPENMP);
            double s[CELLS * HIGH];
            mplan_error err;
            put(exec, "q", f.q, CELLS * (HIGH + 1), 1);
            put(exec, "lhs", f.lhs, POINTS * (HIGH + 1), 1);
            launch(exec, "sums", turn < 2 ? &sums_host : &lane_sums_host);
            assert_done(mplan_exec_download(exec, "s", s, CELLS * HIGH, 1, MPLAN_TYPE_F64, &err),
                        &err);
            for (int e = 0; e < CELLS; e++) {
                double sum = 0;
                for (int k = f.ranges[2 * e]; k < f.ranges[2 * e + 1]; k++) {
                    sum += f.q[e * (HIGH + 1) + k];
                    assert_true(s[e * HIGH + k] == sum + f.lhs[f.map[e * ARITY + 2] * (HIGH + 1) + k]);
                }
            }
            mplan_exec_close(exec);
            mplan_plan_free(plan);
            drop(&f);
        }
}

/* --- functions in the place of kernels ------------------------------------------------------------ */

/* The product on W2, and args without levels: as loop 4 says. views: m2, x, lhs, area, own, scale. */
static void mixed_function(void *const *views, const int32_t layer[3], const void *user)
{
    const double *m = views[0], *x = views[1], *area = views[3], *own = views[4], *scale = views[5];
    double *lhs = views[2];
    assert_true(layer[1] <= layer[0] && layer[0] < layer[2]);
    for (int row = 0; row < 6; row++) {
        assert_true(lhs[row] == 0);
        for (int col = 0; col < 6; col++)
            lhs[row] += m[col * 6 + row] * x[col] * *scale;
        lhs[row] += area[row % 5] + *own * layer[0] + *(const double *)user;
    }
}

static void plain_mixed(const fixture *f, double user, double *lhs)
{
    for (int e = 0; e < CELLS; e++)
        for (int k = f->ranges[2 * e]; k < f->ranges[2 * e + 1]; k++)
            for (int row = 0; row < 6 && f->there[e * HIGH + k]; row++) {
                double sum = f->area[f->map[e * ARITY + row % 5]] + f->own[e] * k + user;
                for (int col = 0; col < 6; col++)
                    sum +=
                        f->m2[((e * HIGH + k) * 6 + col) * 6 + row] * f->scale *
                        f->x[f->map[e * ARITY + w2_slots[col][0]] * (HIGH + 1) + k + w2_slots[col][1]];
                lhs[f->map[e * ARITY + w2_slots[row][0]] * (HIGH + 1) + k + w2_slots[row][1]] += sum;
            }
}

static void check_function(const fixture *f, mplan_strategy strategy, mplan_executor executor,
                           mplan_columns columns, bool owner)
{
    const int64_t n = POINTS * (HIGH + 1);
    const double user = 5;
    mplan_plan *plan = plan_of(f, 4, strategy, columns, owner);
    mplan_exec *exec = open_exec(plan, executor);
    double *due = malloc((size_t)n * sizeof *due), *got = malloc((size_t)n * sizeof *got);
    mplan_exec_loop *bound;
    mplan_error err;
    memcpy(due, f->lhs, (size_t)n * sizeof *due);
    plain_mixed(f, user, due);
    put(exec, "m2", f->m2, CELLS * HIGH, 36);
    put(exec, "x", f->x, n, 1);
    put(exec, "lhs", f->lhs, n, 1);
    put(exec, "area", f->area, POINTS, 1);
    put(exec, "own", f->own, CELLS, 1);
    assert_done(mplan_exec_upload(exec, "scale", &f->scale, 1, 1, MPLAN_TYPE_F64, &err), &err);
    assert_done(mplan_exec_bind_layer_function(exec, "mixed", -1, mixed_function, &bound, &err),
                &err);
    assert_done(mplan_exec_launch_function(exec, bound, &user, &err), &err);
    assert_done(mplan_exec_download(exec, "lhs", got, n, 1, MPLAN_TYPE_F64, &err), &err);
    assert_memory_equal(got, due, (size_t)n * sizeof *due);
    free(due), free(got);
    mplan_exec_close(exec);
    mplan_plan_free(plan);
}

static void functions_of_layers(void **state)
{
    static const mplan_strategy strategies[] = {MPLAN_STRATEGY_GLOBAL_COLOUR, MPLAN_STRATEGY_TWO_STEP,
                                                MPLAN_STRATEGY_ATOMIC, MPLAN_STRATEGY_OWNER_GATHER};
    (void)state;
    for (int ranged = 0; ranged < 4; ranged++) {
        fixture f;
        make(&f, 23, ranged);
        for (size_t s = 0; s < sizeof strategies / sizeof *strategies; s++)
            for (int executor = MPLAN_EXECUTOR_SERIAL; executor <= MPLAN_EXECUTOR_OPENMP; executor++)
                for (int columns = 0; columns < 2; columns++) {
                    check_function(&f, strategies[s], (mplan_executor)executor,
                                   (mplan_columns)columns, false);
                    if (strategies[s] == MPLAN_STRATEGY_OWNER_GATHER)
                        check_function(&f, strategies[s], (mplan_executor)executor,
                                       (mplan_columns)columns, true);
                }
        drop(&f);
    }
}

/* views: q of HIGH + 1 levels, s of HIGH, lhs of HIGH + 1 for the point of slot 2. */
static void sums_function(void *const *views, const int32_t layer[3], const void *user)
{
    const double *q = views[0], *near = views[2];
    double *s = views[1], sum = 0;
    (void)user;
    assert_int_equal(layer[0], layer[1]);
    for (int j = layer[1]; j < layer[2]; j++)
        s[j] += (sum += q[j]) + near[2 * (HIGH + 1) + j];
}

static void functions_of_columns(void **state)
{
    (void)state;
    for (int ranged = 0; ranged < 2; ranged++)
        for (int columns = 0; columns < 2; columns++) {
            fixture f;
            make(&f, 29, ranged);
            mplan_plan *plan = plan_of(&f, 3, MPLAN_N_STRATEGIES, (mplan_columns)columns, false);
            mplan_exec *exec = open_exec(plan, MPLAN_EXECUTOR_OPENMP);
            double due[CELLS * HIGH], got[CELLS * HIGH];
            mplan_exec_loop *bound;
            mplan_error err;
            for (int i = 0; i < CELLS * HIGH; i++)
                due[i] = i % 5;
            put(exec, "q", f.q, CELLS * (HIGH + 1), 1);
            put(exec, "lhs", f.lhs, POINTS * (HIGH + 1), 1);
            put(exec, "s", due, CELLS * HIGH, 1);
            assert_done(mplan_exec_bind_layer_function(exec, "sums", -1, sums_function, &bound, &err),
                        &err);
            assert_done(mplan_exec_launch_function(exec, bound, NULL, &err), &err);
            assert_done(mplan_exec_download(exec, "s", got, CELLS * HIGH, 1, MPLAN_TYPE_F64, &err),
                        &err);
            for (int e = 0; e < CELLS; e++) {
                double sum = 0;
                for (int k = f.ranges[2 * e]; k < f.ranges[2 * e + 1]; k++)
                    due[e * HIGH + k] += (sum += f.q[e * (HIGH + 1) + k]) +
                                         f.lhs[f.map[e * ARITY + 2] * (HIGH + 1) + k];
            }
            assert_memory_equal(got, due, sizeof due);
            mplan_exec_close(exec);
            mplan_plan_free(plan);
            drop(&f);
        }
}

/* What functions cannot take. */
static void functions_refused(void **state)
{
    (void)state;
    fixture f;
    make(&f, 31, false);
    mplan_exec_loop *bound;
    mplan_error err;
    for (int which = 0; which <= 2; which += 2) { /* a max of i32; an increment of i32 */
        mplan_plan *plan = plan_of(&f, which, MPLAN_N_STRATEGIES, MPLAN_COLUMNS_LAYERS, false);
        mplan_exec *exec = open_exec(plan, MPLAN_EXECUTOR_HOST);
        const char *name = plan->loops[0].name;
        assert_refused(mplan_exec_bind_layer_function(exec, name, -1, sums_function, &bound, &err),
                       MPLAN_ERR_UNSUPPORTED, &err, which ? "arg n" : "arg most");
        assert_refused(mplan_exec_bind_layer_function(exec, "other", -1, sums_function, &bound, &err),
                       MPLAN_ERR_ARGUMENT, &err, "no loop other");
        assert_refused(mplan_exec_bind_layer_function(exec, name, -1, NULL, &bound, &err),
                       MPLAN_ERR_ARGUMENT, &err, "function");
        mplan_exec_close(exec);
        mplan_plan_free(plan);
    }
    mplan_plan *plan = plan_of(&f, 3, MPLAN_N_STRATEGIES, MPLAN_COLUMNS_LAYERS, false);
    mplan_exec *exec = open_exec(plan, MPLAN_EXECUTOR_HOST);
    mplan_plan_arg *arg = (mplan_plan_arg *)(uintptr_t)&plan->loops[0].args[1];
    arg->layers.levels = 20000; /* more than views hold */
    assert_refused(mplan_exec_bind_layer_function(exec, "sums", -1, sums_function, &bound, &err),
                   MPLAN_ERR_UNSUPPORTED, &err, "at most 16384");
    arg->layers.levels = HIGH;
    assert_done(mplan_exec_bind_layer_function(exec, "sums", -1, sums_function, &bound, &err), &err);
    mplan_exec_close(exec);
    mplan_plan_free(plan);
    drop(&f);
}

/* Kernels of other shapes, flat kernels, and what only whole dats can do. */
static void refusals(void **state)
{
    (void)state;
    fixture f;
    make(&f, 5, false);
    mplan_plan *plan = plan_of(&f, 1, MPLAN_STRATEGY_OWNER_GATHER, MPLAN_COLUMNS_LAYERS, true);
    mplan_exec *exec = open_exec(plan, MPLAN_EXECUTOR_HOST);
    mplan_exec_loop *bound;
    mplan_exec_ranges ranges;
    mplan_dat_view view;
    mplan_error err;
    double number;
    assert_int_equal(mplan_exec_bind_layers(exec, "w2", -1, &w0_host, &bound, &err),
                     MPLAN_ERR_ARGUMENT);
    assert_int_equal(mplan_exec_bind_layers(exec, "w2", -1, &sums_host, &bound, &err),
                     MPLAN_ERR_ARGUMENT);
    assert_int_equal(mplan_exec_bind_layers(exec, "none", -1, &w2_host, &bound, &err),
                     MPLAN_ERR_ARGUMENT);
    char sentence[64];
    const int32_t n_variants = plan->loops[0].n_variants;
    snprintf(sentence, sizeof sentence, "loop %s has variants 0 to %d, not %d", plan->loops[0].name,
             (int)n_variants - 1, (int)n_variants);
    assert_refused(mplan_exec_bind_layers(exec, plan->loops[0].name, n_variants, &w2_host, &bound,
                                          &err),
                   MPLAN_ERR_ARGUMENT, &err, sentence);
    assert_refused(mplan_exec_bind_layers(exec, plan->loops[0].name, -2, &w2_host, &bound, &err),
                   MPLAN_ERR_ARGUMENT, &err, ", not -2");
    assert_int_equal(mplan_exec_upload(exec, "x", f.x, POINTS, 1, MPLAN_TYPE_F64, &err),
                     MPLAN_ERR_ARGUMENT);
    assert_int_equal(mplan_exec_reduce(exec, "x", 0, MPLAN_SUM, &number, &err),
                     MPLAN_ERR_UNSUPPORTED);
    assert_int_equal(mplan_exec_data(exec, "m2", MPLAN_READ, &view, &err), MPLAN_ERR_UNSUPPORTED);
    assert_done(mplan_exec_data(exec, "x", MPLAN_READ, &view, &err), &err);
    assert_int_equal(view.level_stride, 1);
    assert_int_equal(view.member_stride, HIGH + 1);
    assert_done(mplan_exec_bind_layers(exec, "w2", -1, &w2_host, &bound, &err), &err);
    assert_int_equal(mplan_exec_ranges_of(exec, bound, &ranges, &err), MPLAN_ERR_UNSUPPORTED);
    assert_int_equal(mplan_exec_launch_range(exec, bound, 0, 1, NULL, NULL, &err),
                     MPLAN_ERR_UNSUPPORTED);
    mplan_exec_close(exec);
    mplan_plan_free(plan);
    drop(&f);
}

/* A table of owner-gather that says more entries than it has: its last slice leads out of it. */
static void short_tables(void **state)
{
    (void)state;
    fixture f;
    make(&f, 6, false);
    mplan_plan *plan = plan_of(&f, 1, MPLAN_STRATEGY_OWNER_GATHER, MPLAN_COLUMNS_LAYERS, true);
    mplan_exec_options options = MPLAN_EXEC_OPTIONS_INIT;
    mplan_exec *exec;
    mplan_error err;
    const mplan_key key = mplan_key_of_variant(MPLAN_KIND_OWNER_ENTRIES, 0, 0);
    mplan_array *entries = (mplan_array *)(uintptr_t)mplan_plan_find_array(plan, &key);
    assert_non_null(entries);
    for (int less = 0; less < 2; less++) {
        options.executor = MPLAN_EXECUTOR_HOST;
        entries->rows -= 32 * less; /* they stay behind it */
        assert_done(mplan_exec_open(plan, &options, &exec, &err), &err);
        mplan_status status = mplan_exec_declare_all(exec, &err);
        if (less)
            assert_refused(status, MPLAN_ERR_CORRUPT, &err, "leads out of its table");
        else
            assert_done(status, &err);
        mplan_exec_close(exec);
    }
    entries->rows += 32;
    mplan_plan_free(plan);
    drop(&f);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(matrix_vector),        cmocka_unit_test(own_levels),
        cmocka_unit_test(whole_columns),        cmocka_unit_test(functions_of_layers),
        cmocka_unit_test(functions_of_columns), cmocka_unit_test(functions_refused),
        cmocka_unit_test(short_tables),         cmocka_unit_test(refusals)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
