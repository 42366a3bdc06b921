/* SPDX-License-Identifier: Apache-2.0 */
/* test_native_table.c - what points of several sets weigh in the partitioner's table */
#include "support_test.h"

#include "partition/native/native_table.h"
#include "partition/partition.h"

enum { N = 3 };

/* Bytes of a point of two sets, and their weights: 15 for the dearer, the other in proportion, to the nearest,
 * at least 1; equal bytes weigh 1. */
static const struct {
    int64_t bytes[2];
    int32_t weight[2];
} cases[] = {
    {{8, 8}, {1, 1}},     {{40, 8}, {15, 3}},   {{8, 40}, {3, 15}},   {{100, 51}, {15, 8}},
    {{30, 7}, {15, 4}},   {{30, 5}, {15, 3}},   {{32, 1}, {15, 1}},   {{1000, 1}, {15, 1}},
    {{100, 50}, {15, 8}}, {{100, 49}, {15, 7}}, {{60, 58}, {15, 15}},
};

static void weights_are_the_nearest(void **state)
{
    (void)state;
    int32_t values[2 * N] = {0, 1, 1, 2, 2, 0};
    mplan_map maps[2] = {{"one", 0, 1, 2, N, 3, NULL, values},
                         {"other", 0, 2, 2, N, 3, NULL, values}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        mplan_staged_dat dats[2] = {{1, cases[i].bytes[0]}, {2, cases[i].bytes[1]}};
        mplan_block_limits limits = {.block_size = 2,
                                     .max_points = 65535,
                                     .shared_bytes = 1 << 20,
                                     .n_maps = 2,
                                     .n_dats = 2,
                                     .maps = maps,
                                     .dats = dats};
        mplan_footprint footprint;
        native_table table = {0};
        mplan_error err;
        assert_done(mplan_footprint_open(&footprint, &limits, &err), &err);
        assert_done(mplan_native_table_create(&footprint, N, &table, NULL, &err), &err);
        assert_int_equal(table.n_sets, 2);
        for (int32_t s = 0; s < 2; s++)
            assert_int_equal(table.set_weight[s], cases[i].weight[footprint.sets[s].set - 1]);
        mplan_native_table_free(&table);
        mplan_footprint_close(&footprint);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(weights_are_the_nearest),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
