/* SPDX-License-Identifier: Apache-2.0 */
/* test_native_grow.c - grown blocks are round, also where an element shares more points with some neighbours than with others */
#include "support_test.h"

#include "partition/native/native_grow.h"
#include "partition/partition.h"

/* Prisms: SIDE x SIDE squares of two triangles each, LAYERS of them. A prism shares four points with those beside it and
 * three with those above and below. */
enum {
    SIDE = 24,
    LAYERS = 12,
    BLOCK = 128,
    ROW = SIDE + 1,
    PLANE = ROW * ROW,
    N = 2 * SIDE * SIDE * LAYERS,
    N_POINTS = PLANE * (LAYERS + 1),
    N_BLOCKS = N / BLOCK
};

/* values: 6 nodes of each prism, triangle by triangle of a layer, layer by layer. */
typedef struct stack {
    int32_t values[6 * N], sequence[N];
    mplan_map map;
    mplan_block_limits limits;
    mplan_footprint footprint;
    native_table table;
} stack;

static void open_stack(stack *s)
{
    static const mplan_staged_dat dat = {1, 8};
    mplan_error err;
    for (int32_t e = 0; e < N; e++) {
        int32_t layer = e / (2 * SIDE * SIDE), square = e % (2 * SIDE * SIDE) / 2;
        int32_t at = layer * PLANE + square / SIDE * ROW + square % SIDE;
        int32_t third = e % 2 ? at + ROW : at + 1;
        const int32_t nodes[6] = {at,         at + ROW + 1,         third,
                                  at + PLANE, at + ROW + 1 + PLANE, third + PLANE};
        memcpy(s->values + 6 * e, nodes, sizeof nodes);
    }
    s->map = (mplan_map){"cells_nodes", 0, 1, 6, N, N_POINTS, NULL, s->values};
    s->limits = (mplan_block_limits){.block_size = BLOCK,
                                     .max_points = 65535,
                                     .shared_bytes = 1 << 20,
                                     .n_maps = 1,
                                     .n_dats = 1,
                                     .maps = &s->map,
                                     .dats = &dat};
    assert_done(mplan_footprint_open(&s->footprint, &s->limits, &err), &err);
    assert_done(mplan_native_table_create(&s->footprint, N, &s->table, NULL, &err), &err);
}

static void close_stack(stack *s)
{
    mplan_native_table_free(&s->table);
    mplan_footprint_close(&s->footprint);
    free(s);
}

/* Layers that the elements of sequence[begin ... end - 1] lie in. */
static int layers_of(const stack *s, int64_t begin, int64_t end)
{
    bool seen[LAYERS] = {false};
    int n = 0;
    for (int64_t i = begin; i < end; i++) {
        int32_t layer = s->sequence[i] / (2 * SIDE * SIDE);
        n += !seen[layer];
        seen[layer] = true;
    }
    return n;
}

/* A block of four layers of 4 x 4 squares touches 5 x 25 = 125 points; one of a single layer 2 x 81 = 162. */
static void blocks_of_prisms_are_several_layers_high(void **state)
{
    (void)state;
    mplan_error err;
    stack *s = calloc(1, sizeof *s);
    assert_non_null(s);
    open_stack(s);
    const native_extent extent = {N, N_POINTS, 6 * N, 1};
    native_growth *growth = mplan_native_growth_create(&extent, &err);
    assert_non_null(growth);
    native_grow_task task = {.table = &s->table,
                             .footprint = &s->footprint,
                             .n_blocks = N_BLOCKS,
                             .sequence = s->sequence,
                             .ends = MPLAN_VECTOR_INIT(sizeof(int64_t))};
    assert_done(mplan_native_growth_run(growth, &task, NULL, NULL, &err), &err);
    const int64_t *ends = task.ends.data;
    assert_int_equal(task.ends.count, N_BLOCKS);
    int flat = 0;
    for (int64_t b = 0; b < N_BLOCKS; b++)
        flat += layers_of(s, b ? ends[b - 1] : 0, ends[b]) < 3;
    print_message("%d of %d blocks are flat, %.1f points a block\n", flat, N_BLOCKS,
                  (double)task.weight / N_BLOCKS);
    assert_true(10 * flat < N_BLOCKS);
    assert_true(task.weight < 150 * (int64_t)N_BLOCKS);
    free(task.ends.data);
    mplan_native_growth_free(growth);
    close_stack(s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(blocks_of_prisms_are_several_layers_high)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
