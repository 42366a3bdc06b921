/* SPDX-License-Identifier: Apache-2.0 */
/* test_native_memory.c - blocks of cells of second order with the k-th allocation failing */
#include "support_memory.h"
#include "support_test.h"

#include "partition/partition.h"

static const mplan_context one_thread = {.threads = 1};

/* Cells of a cube with all points of their 3 x 3 x 3 places: hexes, or two prisms of each. */
static mplan_map make_cells(int32_t side, bool prisms)
{
    const int32_t halves = prisms ? 2 : 1, wide = 2 * side + 1, arity = prisms ? 18 : 27;
    const int64_t n = (int64_t)side * side * side * halves;
    int32_t *values = malloc((size_t)n * (size_t)arity * sizeof *values);
    int64_t at = 0;
    for (int64_t c = 0; c < n; c++) {
        const int32_t half = (int32_t)(c % halves), cell = (int32_t)(c / halves);
        const int32_t x = cell % side, y = cell / side % side, z = cell / side / side;
        for (int32_t p = 0; p < 27; p++) {
            const int32_t i = p % 3, j = p / 3 % 3, k = p / 9;
            if (!prisms || (half == 0 ? i + j <= 2 : i + j >= 2))
                values[at++] = ((2 * z + k) * wide + 2 * y + j) * wide + 2 * x + i;
        }
    }
    assert_int_equal(at, n * arity);
    return (mplan_map){"m", 0, 1, arity, n, (int64_t)wide * wide * wide, NULL, values};
}

/* Tiles, tiles that limits on points make smaller, stacks, and stacks with such limits. */
static void memory_may_run_out(void **state)
{
    (void)state;
    static const struct {
        int32_t side, most;
        bool prisms;
    } cases[] = {{6, 65535, false}, {6, 500, false}, {5, 65535, true}, {5, 300, true}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        mplan_map map = make_cells(cases[i].side, cases[i].prisms);
        const mplan_block_limits limits = {32, cases[i].most, 1 << 30, 1, 0, &map, NULL};
        const mplan_native_options options = {.effort = MPLAN_EFFORT_FAST, .fill = 0.991};
        int32_t *block = malloc((size_t)map.n_rows * sizeof *block);
        for (int64_t k = 1;; k += support_every(5)) {
            mplan_error err = {0};
            int64_t n_blocks = 0;
            const int64_t live = support_memory.live;
            support_memory.left = k;
            support_memory.fired = false;
            support_memory.armed = true;
            const mplan_status status = mplan_partition_native(map.n_rows, &limits, &options, block,
                                                               &n_blocks, NULL, &one_thread, &err);
            support_memory.armed = false;
            assert_int_equal(status, support_memory.fired ? MPLAN_ERR_MEMORY : MPLAN_OK);
            assert_int_equal(support_memory.live, live);
            if (!support_memory.fired)
                break;
        }
        free(block);
        support_map_free(&map);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(memory_may_run_out),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
