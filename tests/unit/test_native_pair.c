/* SPDX-License-Identifier: Apache-2.0 */
/* test_native_pair.c - what is read ahead of pairs stays within the table */
#include "support_fence.h"
#include "support_test.h"

#include "partition/native/native_match.h"
#include "partition/native/native_pair.h"

enum { N = 24, LONG = 8, PAIRS = 8 };

/* Ragged rows, all with point 0: the last one has no other point, and what lies behind it cannot be read. Elements before it,
 * whose rows are longer, are met last where those of a point are read up to a bound. */
static void rows_are_read_to_their_end(void **state)
{
    (void)state;
    int64_t offsets[N + 1] = {0}, begin[2 + N * LONG] = {0};
    int32_t points[N * LONG], elements[N * LONG], seeds[1] = {0}, n_points = 1;
    native_where where[N];
    native_block_pair pairs[PAIRS];
    for (int32_t e = 0; e < N; e++) {
        const int32_t length = e < N - 1 ? LONG : 1;
        for (int32_t k = 0; k < length; k++)
            points[offsets[e] + k] = k ? n_points++ : 0;
        offsets[e + 1] = offsets[e] + length;
        where[e] = (native_where){e % 2, -1};
    }
    for (int32_t e = 0; e < N; e++)
        elements[e] = e;
    begin[1] = N;
    for (int32_t p = 1; p < n_points; p++) { /* each has one element */
        elements[begin[p]] = (p - 1) / (LONG - 1);
        begin[p + 1] = begin[p] + 1;
    }
    for (int32_t i = 0; i < PAIRS; i++)
        pairs[i] = (native_block_pair){.a = 0, .b = 1, .begin = 0, .count = 1};
    support_fence fence = support_fence_open(points, (size_t)offsets[N] * sizeof *points,
                                             SUPPORT_FENCE_BEHIND);
    const native_table table = {
        .n = N, .offsets = offsets, .points = fence.data, .n_points = n_points};
    const native_cut cut = {
        .table = &table, .n_blocks = 2, .begin = begin, .elements = elements, .where = where};
    for (int32_t i = 0; i < PAIRS; i++)
        mplan_native_pair_announce(&cut, pairs + i, pairs + PAIRS, seeds);
    support_fence_close(&fence);
    for (int32_t e = 0; e < N; e++)
        assert_int_equal(where[e].slot, -1);
}

/* Limits that no element of these tables breaks; the points of the map's set have a dat. */
static mplan_block_limits wide_limits(int32_t block_size, const mplan_map *map)
{
    static const mplan_staged_dat dat = {1, 8};
    return (mplan_block_limits){.block_size = block_size,
                                .max_points = 65535,
                                .shared_bytes = 1 << 20,
                                .n_maps = 1,
                                .n_dats = 1,
                                .maps = map,
                                .dats = &dat};
}

/* A point brings its elements to a pair, but one of more than so many elements brings none: what pairs read of a hub does not grow with
 * it, however often their elements name it. Point 0 has as many as may be, point 1 one more, the others one each. */
static void hubs_are_not_read(void **state)
{
    (void)state;
    enum { HUB = NATIVE_LEAST_HUB, ALL = 2 * HUB + 1, POINTS = ALL + 2 };
    static int32_t values[2 * ALL];
    mplan_error err;
    const int64_t offsets[] = {0, ALL / 2, ALL};
    for (int32_t e = 0; e < ALL; e++) {
        values[2 * e] = e >= HUB;
        values[2 * e + 1] = e + 2;
    }
    const mplan_map map = {
        .name = "m", .to = 1, .arity = 2, .n_rows = ALL, .n_points = POINTS, .values = values};
    const mplan_block_limits limits = wide_limits(ALL, &map);
    mplan_footprint meter;
    native_table table;
    native_cut cut;
    assert_done(mplan_footprint_open(&meter, &limits, &err), &err);
    assert_done(mplan_native_table_create(&meter, ALL, &table, NULL, &err), &err);
    assert_done(mplan_native_cut_create(&table, &meter, 2, offsets, &cut, NULL, &err), &err);
    int32_t length;
    native_pair *pair = mplan_native_pair_create(&cut, false, &err);
    assert_non_null(pair);
    const native_block_pair couple = {0, 1, 0, 0};
    mplan_native_pair_begin(pair, &couple);
    const int32_t hub = mplan_native_pair_point(pair, native_row(&table, ALL - 1, &length)[0]);
    assert_int_equal(pair->points[hub].weight, 0);
    assert_int_equal(pair->n, 0);
    assert_int_equal(pair->n_touch, 0);
    const int32_t other = mplan_native_pair_point(pair, native_row(&table, 0, &length)[0]);
    assert_int_equal(pair->points[other].weight, 1);
    assert_int_equal(pair->n, HUB);
    assert_int_equal(pair->n_touch, HUB);
    mplan_native_pair_free(pair);
    mplan_native_cut_free(&cut);
    mplan_native_table_free(&table);
    mplan_footprint_close(&meter);
}

/* Where all points have many elements, a block can save most of them: how many make a hub grows with their mean and with the blocks. */
static void hubs_have_more_than_others(void **state)
{
    (void)state;
    static const struct {
        int32_t rows, block_size, hub; /* rows of two, dealt out to four points */
    } cases[] = {{96, 1024, 96},   {120, 1024, 120},  {120, 128, 96},  {1000, 64, 96},
                 {1000, 256, 192}, {1000, 1024, 512}, {300, 1024, 300}};
    static int32_t values[2000];
    for (int32_t i = 0; i < 2000; i++)
        values[i] = i % 4;
    for (size_t c = 0; c < sizeof cases / sizeof *cases; c++) {
        mplan_error err;
        mplan_footprint meter;
        native_table table;
        native_cut cut;
        const int64_t offsets[] = {0, cases[c].rows};
        const mplan_map map = {
            .name = "m", .to = 1, .arity = 2, .n_rows = cases[c].rows, .n_points = 4, .values = values};
        const mplan_block_limits limits = wide_limits(cases[c].block_size, &map);
        assert_done(mplan_footprint_open(&meter, &limits, &err), &err);
        assert_done(mplan_native_table_create(&meter, cases[c].rows, &table, NULL, &err), &err);
        assert_done(mplan_native_cut_create(&table, &meter, 1, offsets, &cut, NULL, &err), &err);
        assert_int_equal(cut.hub, cases[c].hub);
        mplan_native_cut_free(&cut);
        mplan_native_table_free(&table);
        mplan_footprint_close(&meter);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rows_are_read_to_their_end),
        cmocka_unit_test(hubs_are_not_read),
        cmocka_unit_test(hubs_have_more_than_others),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
