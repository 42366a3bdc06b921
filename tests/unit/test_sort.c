/* SPDX-License-Identifier: Apache-2.0 */
/* test_sort.c - sorted lists, and lists by small numbers, against what is obvious */
#include "support_test.h"

#include <stdlib.h>
#include <string.h>

#include "base/buckets.h"
#include "base/first_touch.h"
#include "base/radix.h"
#include "base/sort.h"
#include "support_threads.h"

enum { MOST = 300, ROUNDS = 400 };

static uint32_t next_random(uint32_t *seed)
{
    *seed = *seed * 1664525u + 1013904223u;
    return *seed >> 8;
}

/* Lists of all lengths around the one from which on qsort is used; sorted ones among them. */
static void lists_become_ascending(void **state)
{
    (void)state;
    uint32_t seed = 1;
    for (int round = 0; round < ROUNDS; round++) {
        int64_t n = round % 150;
        int32_t list[MOST], once[MOST], count[64] = {0};
        uint64_t keys[MOST];
        for (int64_t i = 0; i < n; i++) {
            list[i] = round % 3 ? (int32_t)(next_random(&seed) % 64) - 32
                                : (int32_t)(i * 64 / n) - 32;
            once[i] = list[i];
            keys[i] = (uint64_t)(list[i] + 32) << 40;
            count[list[i] + 32]++;
        }
        mplan_sort_i32(list, n);
        mplan_sort_u64(keys, n);
        int64_t kept = mplan_distinct_i32(once, n), at = 0, distinct = 0;
        for (int32_t value = 0; value < 64; value++) {
            if (count[value])
                assert_int_equal(once[distinct++], value - 32);
            for (int32_t k = 0; k < count[value]; k++, at++) {
                assert_int_equal(list[at], value - 32);
                assert_true(keys[at] == (uint64_t)value << 40);
            }
        }
        assert_int_equal(at, n);
        assert_int_equal(kept, distinct);
    }
}

/* Keys that differ in their upper half only, in their lower only, and in both. */
static void radix_sorts_are_stable(void **state)
{
    (void)state;
    static uint64_t keys[5000], spare[5000], upper[5000];
    static int32_t items[5000], spare_items[5000];
    uint32_t seed = 7;
    for (int round = 0; round < 12; round++) {
        int64_t n = round % 2 ? 5000 : 100 + round;
        for (int64_t i = 0; i < n; i++) {
            keys[i] = (uint64_t)(next_random(&seed) % (round % 3 ? 7 : 100000)) << (round % 4 * 8);
            upper[i] = (uint64_t)(next_random(&seed) % 900) << 32 | (uint64_t)i;
            items[i] = (int32_t)i;
        }
        mplan_radix_sort_items(NULL, n, keys, items, spare, spare_items);
        mplan_radix_sort_upper(n, 10, upper, spare);
        for (int64_t i = 1; i < n; i++) {
            assert_true(keys[i - 1] < keys[i] || (keys[i - 1] == keys[i] && items[i - 1] < items[i]));
            assert_true(upper[i - 1] < upper[i]); /* the index in the lower half keeps its order */
        }
    }
}

static void buckets_hold_their_places_in_order(void **state)
{
    (void)state;
    uint32_t seed = 3;
    for (int round = 0; round < ROUNDS; round++) {
        int64_t n = round % MOST, n_buckets = 1 + round % 17, offsets[20], again[20], list64[MOST];
        int32_t bucket[MOST], list32[MOST];
        for (int64_t i = 0; i < n; i++)
            bucket[i] = (int32_t)(next_random(&seed) % (uint32_t)(n_buckets + 1)) - 1;
        int64_t kept = mplan_bucket_offsets(bucket, n, n_buckets, offsets);
        memcpy(again, offsets, sizeof again);
        mplan_bucket_places32(bucket, n, n_buckets, offsets, list32);
        assert_memory_equal(again, offsets, (size_t)(n_buckets + 1) * sizeof *offsets);
        mplan_bucket_places64(bucket, n, n_buckets, offsets, list64);
        assert_memory_equal(again, offsets, (size_t)(n_buckets + 1) * sizeof *offsets);
        int64_t at = 0;
        for (int32_t b = 0; b < n_buckets; b++) {
            assert_int_equal(offsets[b], at);
            for (int64_t i = 0; i < n; i++)
                if (bucket[i] == b) {
                    assert_int_equal(list32[at], i);
                    assert_int_equal(list64[at++], i);
                }
        }
        assert_int_equal(at, kept);
    }
}

/* Lists of 0 to MOST entries, some of them -1, some of few points; some points have numbers already. By one thread, by one that
 * has no scratch, and by several, against a search for each point. */
static void numbers_go_by_first_touch(void **state)
{
    (void)state;
    uint32_t seed = 5;
    for (int round = 0; round < ROUNDS; round += support_every(10)) {
        int32_t values[MOST], number[MOST], first[MOST], wanted[MOST],
            next = (int32_t)(next_random(&seed) % 9);
        int64_t n = next_random(&seed) % MOST, n_points = 1 + next_random(&seed) % MOST, count = 0;
        mplan_team team;
        support_team_open(&team, 1 + round % 4);
        team.pieces = 1 + round % 13;
        for (int64_t i = 0; i < n; i++)
            values[i] = next_random(&seed) % 10 == 0 ? -1 : (int32_t)(next_random(&seed) % n_points);
        for (int64_t p = 0; p < n_points; p++)
            number[p] = wanted[p] = round % 3 == 0 && next_random(&seed) % 4 == 0 ? (int32_t)p : -1;
        for (int64_t i = 0; i < n; i++)
            if (values[i] >= 0 && wanted[values[i]] < 0)
                wanted[values[i]] = next + (int32_t)count++;
        assert_int_equal(mplan_number_first(&team, n, values, n_points, next, number,
                                            round % 5 == 0 ? NULL : first),
                         count);
        assert_memory_equal(number, wanted, (size_t)n_points * sizeof *number);
        mplan_team_close(&team);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(lists_become_ascending),
        cmocka_unit_test(radix_sorts_are_stable),
        cmocka_unit_test(buckets_hold_their_places_in_order),
        cmocka_unit_test(numbers_go_by_first_touch),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
