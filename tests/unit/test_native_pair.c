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

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rows_are_read_to_their_end),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
