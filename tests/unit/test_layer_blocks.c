/* SPDX-License-Identifier: Apache-2.0 */
/* test_layer_blocks.c - loops with layers by blocks: what comes out has the bits that the specification says
 *
 * Sections 7, 8 and 10: levels add their layers in a stated order, which tiles of layers do not change. Here it is followed by a
 * plain loop over the mesh, from the plan's blocks, orders and colours only. The numbers have fractions, so that
 * another order shows. */
#include <stdlib.h>
#include <string.h>

#include "exec/meshplan_layers.h"
#include "plan/plan.h"
#include "support_test.h"

enum { CELLS = 110, POINTS = 41, HIGH = 19, ARITY = 3, SLOTS = 5, LEVELS = 2 * HIGH + 4 };

/* Levels of stride 2 and offsets that meet across three layers; another arg with levels of its own. */
#define MEET_ARGS(ARG)                                  \
    ARG(COLUMN, q, q, 1, 1, f64, RW)                    \
    ARG(LEVELS, sum, sum, cells_points, 5, 2, f64, INC) \
    ARG(LEVELS, least, least, cells_points, 3, 1, i32, MIN)
MPLAN_LAYER_VIEWS(meet, MEET_ARGS)
MPLAN_FN void meet(meet_views *v, const mplan_no_parameters *p)
{
    (void)p;
    v->q[0][0] += 1; /* shows layers that run twice */
    for (int s = 0; s < 5; s++) {
        v->sum[s][0] = v->q[0][0] * (0.1 + s);
        v->sum[s][1] = v->q[0][0] / (3 + s + v->layer);
    }
    for (int s = 0; s < 3; s++)
        v->least[s][0] = (int32_t)v->q[0][0] - 7 * v->layer - s;
}
MPLAN_LAYER_KERNEL(meet, MEET_ARGS, mplan_no_parameters)

static const mplan_slot sum_slots[SLOTS] = {{0, 0}, {0, 4}, {1, 1}, {2, 5}, {2, 3}};

typedef struct fixture {
    int32_t map[CELLS * ARITY], ranges[2 * CELLS];
    uint32_t mask[CELLS];
    double q[CELLS * HIGH], sum[POINTS * LEVELS * 2];
    int32_t least[POINTS * HIGH];
    bool there[CELLS * HIGH];
} fixture;

/* how: 0 all layers, 1 ranges, 2 a mask, 3 both. A row may have a point twice. */
static void make(fixture *f, int how, uint64_t seed)
{
    for (int i = 0; i < CELLS * ARITY; i++) {
        const int64_t near = i / ARITY * POINTS / CELLS + (int64_t)support_random(&seed, 9);
        f->map[i] = (int32_t)(near % POINTS);
    }
    for (int e = 0; e < CELLS; e++) {
        f->ranges[2 * e] = how & 1 ? (int32_t)support_random(&seed, HIGH / 2) : 0;
        f->ranges[2 * e + 1] = how & 1 ? f->ranges[2 * e] + (int32_t)support_random(&seed, HIGH / 2)
                                       : HIGH;
        f->mask[e] = how & 2 ? (uint32_t)support_random(&seed, UINT32_MAX) : UINT32_MAX;
        for (int k = 0; k < HIGH; k++) {
            f->there[e * HIGH + k] = k >= f->ranges[2 * e] && k < f->ranges[2 * e + 1] &&
                                     (f->mask[e] >> k & 1);
            f->q[e * HIGH + k] = (double)support_random(&seed, 1000000) / 7;
        }
    }
    for (int i = 0; i < POINTS * LEVELS * 2; i++)
        f->sum[i] = i % 3 ? (double)support_random(&seed, 1000) / 11 : -0.0;
    for (int i = 0; i < POINTS * HIGH; i++)
        f->least[i] = INT32_MAX;
}

typedef struct variation {
    mplan_strategy strategy;
    mplan_sums sums;
    int32_t block_size;
    mplan_columns columns;
    int how;
} variation;

static mplan_plan *plan_of(const fixture *f, const variation *v)
{
    const mplan_arg args[] = {{"q", NULL, MPLAN_RW, 1, MPLAN_TYPE_F64, 0},
                              {"sum", "cells_points", MPLAN_INC, 2, MPLAN_TYPE_F64, 0},
                              {"least", "cells_points", MPLAN_INC_MIN, 1, MPLAN_TYPE_I32, 0}};
    const mplan_loop loop = {"meet", "cells", true, 1, 0, 3, args};
    mplan_layered_arg levels[3] = {
        {0, 0, {.levels = HIGH, .stride = 1, .columns = v->columns, .n_slots = 1}},
        {0, 1, {.levels = LEVELS, .stride = 2, .columns = v->columns, .n_slots = SLOTS}},
        {0, 2, {.levels = HIGH, .stride = 1, .columns = v->columns, .n_slots = 1}}};
    memcpy(levels[1].layers.slots, sum_slots, sizeof sum_slots);
    levels[2].layers.slots[0] = (mplan_slot){MPLAN_EVERY_SLOT, 0};
    const mplan_layered_set set = {"cells", HIGH, v->how & 1 ? f->ranges : NULL,
                                   v->how & 2 ? f->mask : NULL};
    const mplan_layered_loop layered = {0, MPLAN_LAYERING_LAYERS};
    const mplan_layers layers = {1, 1, 3, &set, &layered, levels};
    mplan_plan_options options = MPLAN_PLAN_OPTIONS_INIT;
    mplan_error err;
    mplan_mesh *mesh;
    mplan_plan *plan;
    options.layers = &layers;
    options.n_strategies = 1;
    options.strategies[0] = v->strategy;
    options.sums = v->sums;
    options.block_size = v->block_size;
    assert_done(mplan_mesh_create(&mesh, &err), &err);
    assert_done(mplan_mesh_add_set(mesh, "cells", CELLS, NULL, &err), &err);
    assert_done(mplan_mesh_add_set(mesh, "points", POINTS, NULL, &err), &err);
    assert_done(mplan_mesh_add_map(mesh, "cells_points", 0, 1, ARITY, NULL, f->map, NULL, &err),
                &err);
    assert_done(mplan_plan_create(mesh, 1, &loop, &options, NULL, &plan, &err), &err);
    assert_done(mplan_plan_verify(plan, mesh, NULL, &err), &err);
    mplan_mesh_free(mesh);
    return plan;
}

/* --- the stated order --------------------------------------------------------------------------------- */

/* The plan's blocks, in the mesh's numbers: cell of each position, -1 in holes. */
typedef struct blocks {
    int64_t n;
    const int64_t *offsets;
    int32_t *cell;
    const uint16_t *colour;
    const int32_t *colour_of_block;
    int32_t colours, threads; /* of blocks, and of threads of one block at most */
} blocks;

static blocks blocks_of(const mplan_plan *plan)
{
    const mplan_plan_loop *loop = mplan_plan_get_loop(plan, 0);
    const int32_t set = loop->variants[0].block_set;
    blocks b;
    int64_t rows;
    b.offsets = mplan_plan_data(plan, mplan_key_of_block_set(MPLAN_KIND_BLOCK_OFFSETS, set),
                                MPLAN_TYPE_I64, &rows);
    b.n = rows - 1;
    const int32_t *sequence = mplan_plan_data(plan,
                                              mplan_key_of_block_set(MPLAN_KIND_BLOCK_SEQUENCE, set),
                                              MPLAN_TYPE_I32, NULL);
    const int32_t *place = mplan_plan_data(plan, mplan_key_of_set(MPLAN_KIND_NEW_OF_OLD, loop->set),
                                           MPLAN_TYPE_I32, NULL);
    b.colour = mplan_plan_data(plan, mplan_key_of_variant(MPLAN_KIND_THREAD_COLOURS, 0, 0),
                               MPLAN_TYPE_U16, NULL);
    b.colour_of_block = mplan_plan_data(plan, mplan_key_of_variant(MPLAN_KIND_BLOCK_COLOURS, 0, 0),
                                        MPLAN_TYPE_I32, NULL);
    b.colours = loop->variants[0].block_colours;
    b.threads = loop->variants[0].thread_colours_max;
    b.cell = malloc((size_t)(b.offsets[b.n] + 1) * sizeof *b.cell);
    for (int64_t x = 0; x < b.offsets[b.n]; x++) {
        b.cell[x] = -1;
        for (int32_t e = 0; e < CELLS; e++)
            if (place[e] == (sequence ? sequence[x] : x))
                b.cell[x] = e;
    }
    return b;
}

static double brought(const fixture *f, int32_t e, int k, int s, int c)
{
    const double q = f->q[e * HIGH + k] + 1;
    return c == 0 ? q * (0.1 + s) : q / (3 + s + k);
}

/* Layer of cell e that leads by slot s to level j of point p, -1: none. */
static int layer_at(const fixture *f, int32_t e, int s, int p, int j)
{
    const int up = j - sum_slots[s].offset, k = up / 2;
    const bool leads = e >= 0 && up >= 0 && up % 2 == 0 && k < HIGH && f->there[e * HIGH + k] &&
                       f->map[e * ARITY + sum_slots[s].of] == p;
    return leads ? k : -1;
}

/* What block b brings to a level, entries ascending by column and position, slots of a column in their order. */
static bool gathered(const fixture *f, const blocks *b, int64_t block, int p, int j, int c,
                     double *sum)
{
    bool any = false;
    *sum = 0;
    for (int column = 0; column < ARITY; column++)
        for (int64_t x = b->offsets[block]; x < b->offsets[block + 1]; x++)
            for (int s = 0; s < SLOTS; s++) {
                const int k = sum_slots[s].of == column ? layer_at(f, b->cell[x], s, p, j) : -1;
                if (k < 0)
                    continue;
                *sum += brought(f, b->cell[x], k, s, c);
                any = true;
            }
    return any;
}

/* Block-gather: blocks in their order, into one sum where several share the point; by colours each for itself. */
static double due_gather(const fixture *f, const blocks *b, bool by_colour, int p, int j, int c,
                         double at)
{
    double total = 0, sum;
    bool any = false;
    if (by_colour) {
        for (int32_t colour = 0; colour < b->colours; colour++)
            for (int64_t block = 0; block < b->n; block++)
                if (b->colour_of_block[block] == colour && gathered(f, b, block, p, j, c, &sum))
                    at += sum;
        return at;
    }
    for (int64_t block = 0; block < b->n; block++)
        if (gathered(f, b, block, p, j, c, &sum)) {
            total += sum;
            any = true;
        }
    return any ? at + total : at;
}

/* Block-colour: by colour of blocks, layers ascending, colours of threads ascending. */
static double due_colour(const fixture *f, const blocks *b, int p, int j, int c, double at)
{
    for (int32_t colour = 0; colour < b->colours; colour++)
        for (int64_t block = 0; block < b->n; block++)
            for (int k = j < 5 ? 0 : (j - 5) / 2; 2 * k <= j && b->colour_of_block[block] == colour;
                 k++)
                for (int thread = 0; thread < b->threads; thread++)
                    for (int64_t x = b->offsets[block]; x < b->offsets[block + 1]; x++)
                        for (int s = 0; s < SLOTS && b->colour[x] == thread; s++)
                            if (layer_at(f, b->cell[x], s, p, j) == k)
                                at += brought(f, b->cell[x], k, s, c);
    return at;
}

/* --- what came out -------------------------------------------------------------------------------------- */

static void compare(const fixture *f, const variation *v, const mplan_plan *plan, mplan_exec *exec)
{
    static double sum[POINTS * LEVELS * 2], q[CELLS * HIGH];
    static int32_t least[POINTS * HIGH], due_least[POINTS * HIGH];
    const bool exact = v->sums != MPLAN_SUMS_ATOMIC;
    mplan_error err;
    blocks b = blocks_of(plan);
    assert_done(mplan_exec_download(exec, "sum", sum, POINTS * LEVELS, 2, MPLAN_TYPE_F64, &err),
                &err);
    assert_done(mplan_exec_download(exec, "least", least, POINTS * HIGH, 1, MPLAN_TYPE_I32, &err),
                &err);
    assert_done(mplan_exec_download(exec, "q", q, CELLS * HIGH, 1, MPLAN_TYPE_F64, &err), &err);
    for (int i = 0; i < CELLS * HIGH; i++)
        assert_true(q[i] == f->q[i] + f->there[i]);
    for (int p = 0; p < POINTS; p++) {
        for (int i = 0; i < LEVELS * 2; i++) {
            const double at = f->sum[p * LEVELS * 2 + i], got = sum[p * LEVELS * 2 + i];
            double due = v->strategy == MPLAN_STRATEGY_BLOCK_COLOUR
                             ? due_colour(f, &b, p, i / 2, i % 2, at)
                             : due_gather(f, &b, v->sums == MPLAN_SUMS_COLOUR, p, i / 2, i % 2, at);
            if (exact ? memcmp(&got, &due, sizeof due) != 0
                      : got - due > 1e-9 * (1 + due) || due - got > 1e-9 * (1 + due))
                fail_msg("%s, blocks of %d: point %d, level %d: %.17g instead of %.17g",
                         mplan_strategy_name(v->strategy), (int)v->block_size, p, i / 2, got, due);
        }
    }
    memcpy(due_least, f->least, sizeof due_least);
    for (int i = 0; i < CELLS * HIGH * ARITY; i++) {
        const int e = i / ARITY / HIGH, k = i / ARITY % HIGH, s = i % ARITY;
        int32_t *to = &due_least[f->map[e * ARITY + s] * HIGH + k];
        const int32_t value = (int32_t)(f->q[e * HIGH + k] + 1) - 7 * k - s;
        *to = f->there[e * HIGH + k] && value < *to ? value : *to;
    }
    assert_memory_equal(least, due_least, sizeof least);
    free(b.cell);
}

static void run(const fixture *f, const variation *v)
{
    mplan_plan *plan = plan_of(f, v);
    for (int threads = 1; threads <= 3; threads += 2) {
        mplan_exec_options options = MPLAN_EXEC_OPTIONS_INIT;
        mplan_exec *exec;
        mplan_exec_loop *bound;
        mplan_error err;
        options.executor = MPLAN_EXECUTOR_OPENMP;
        options.threads = threads;
        assert_done(mplan_exec_open(plan, &options, &exec, &err), &err);
        assert_done(mplan_exec_declare_all(exec, &err), &err);
        assert_done(mplan_exec_bind_layers(exec, "meet", -1, &meet_host, &bound, &err), &err);
        for (int turn = 0; turn < 2;
             turn++) { /* what a launch leaves in its partial sums is of no use to the next */
            assert_done(mplan_exec_upload(exec, "q", f->q, CELLS * HIGH, 1, MPLAN_TYPE_F64, &err),
                        &err);
            assert_done(mplan_exec_upload(exec, "sum", f->sum, POINTS * LEVELS, 2, MPLAN_TYPE_F64,
                                          &err),
                        &err);
            assert_done(mplan_exec_upload(exec, "least", f->least, POINTS * HIGH, 1, MPLAN_TYPE_I32,
                                          &err),
                        &err);
            assert_done(mplan_exec_launch(exec, bound, NULL, NULL, &err), &err);
        }
        compare(f, v, plan, exec);
        mplan_exec_close(exec);
    }
    mplan_plan_free(plan);
}

static void stated_order(void **state)
{
    static const variation all[] = {
        {MPLAN_STRATEGY_BLOCK_COLOUR, MPLAN_SUMS_PARTIAL, 16, MPLAN_COLUMNS_LAYERS, 0},
        {MPLAN_STRATEGY_BLOCK_COLOUR, MPLAN_SUMS_PARTIAL, 40, MPLAN_COLUMNS_POINTS, 1},
        {MPLAN_STRATEGY_BLOCK_COLOUR, MPLAN_SUMS_PARTIAL, 256, MPLAN_COLUMNS_LAYERS, 3},
        {MPLAN_STRATEGY_BLOCK_GATHER, MPLAN_SUMS_PARTIAL, 16, MPLAN_COLUMNS_LAYERS, 0},
        {MPLAN_STRATEGY_BLOCK_GATHER, MPLAN_SUMS_PARTIAL, 24, MPLAN_COLUMNS_POINTS, 3},
        {MPLAN_STRATEGY_BLOCK_GATHER, MPLAN_SUMS_PARTIAL, 256, MPLAN_COLUMNS_LAYERS, 1},
        {MPLAN_STRATEGY_BLOCK_GATHER, MPLAN_SUMS_COLOUR, 24, MPLAN_COLUMNS_LAYERS, 2},
        {MPLAN_STRATEGY_BLOCK_GATHER, MPLAN_SUMS_ATOMIC, 32, MPLAN_COLUMNS_POINTS, 1}};
    static fixture f;
    (void)state;
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
        make(&f, all[i].how, 5 + i);
        run(&f, &all[i]);
    }
}

/* What a block stages counts one layer and those below that meet it. */
static void staged_bytes(void **state)
{
    static fixture f;
    variation v = {MPLAN_STRATEGY_BLOCK_GATHER, MPLAN_SUMS_PARTIAL, 64, MPLAN_COLUMNS_LAYERS, 0};
    (void)state;
    make(&f, 0, 1);
    mplan_plan *plan = plan_of(&f, &v);
    const mplan_plan_variant *made = &mplan_plan_get_loop(plan, 0)->variants[0];
    const mplan_key key = mplan_key_of_variant(MPLAN_KIND_BLOCK_RECORD_OFFSETS, 0, 0);
    const int64_t *record = mplan_plan_data(plan, key, MPLAN_TYPE_I64, NULL);
    blocks b = blocks_of(plan);
    int64_t most = 0;
    for (int64_t i = 0; i < b.n; i++) {
        /* five slots of two f64 and three of one i32; offsets from 0 to 5 with stride 2: two layers below */
        const int64_t bytes = record[i + 1] - record[i] +
                              (b.offsets[i + 1] - b.offsets[i] + 7) / 8 * 8 * (5 * 16 + 3 * 4) * 3;
        most = bytes > most ? bytes : most;
    }
    assert_int_equal(made->shared_bytes_max, most);
    free(b.cell);
    mplan_plan_free(plan);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(stated_order),
                                       cmocka_unit_test(staged_bytes)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
