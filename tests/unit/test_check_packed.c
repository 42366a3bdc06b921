/* SPDX-License-Identifier: Apache-2.0 */
/* test_check_packed.c - records of block-gather at and beyond each limit
 *
 * Element e of one block increments points e and e + 1, and reads point 0 and one of two behind all others that nobody
 * increments. Words of the header: section 8 of formats/plan-format.md. */
#include "support_check.h"

#include "support_cases.h"
#include "support_fence.h"
#include "support_plan_gather.h"
#include "support_small.h"

enum { BYTES, ELEMENTS, POINTS_IN, FIRST, STARTS, ENTRIES, PARTIAL, N_ENTRIES };

static support_cases cases;
static mplan_plan *plan;
static mplan_array *bytes; /* the one record */

/* Maps and blocks are taken as proved. */
static mplan_status records_hold(support_cases *all, mplan_error *err)
{
    mplan_check check = all->check;
    mplan_map maps[2] = {mplan_plan_stored_map(all->plan, 0), mplan_plan_stored_map(all->plan, 1)};
    check.maps = maps;
    return mplan_check_packed(&check, err);
}

/* round: elements of a round; 0: all n. */
static void open_rounds(int32_t n, mplan_sums sums, int32_t round)
{
    static const mplan_plan_arg args[] = {
        {"res", 0, MPLAN_INC, 1, MPLAN_TYPE_F64, MPLAN_NONE_REFUSE, MPLAN_LAYOUT_AOS, {0}, 0},
        {"x", 1, MPLAN_READ, 1, MPLAN_TYPE_F64, MPLAN_NONE_REFUSE, MPLAN_LAYOUT_AOS, {0}, 0}};
    const mplan_plan_block_set blocks = {.set = 1, .n_blocks = 1, .block_limit = n};
    const int64_t offsets[] = {0, n}, no_points[] = {0, 0};
    int32_t by[2 * 16], read[2 * 16];
    mplan_plan_variant variant = {.strategy = MPLAN_STRATEGY_BLOCK_GATHER,
                                  .block_limit = n,
                                  .device = "",
                                  .sums = sums,
                                  .round = round};
    mplan_error err;
    for (int32_t e = 0; e < n; e++) {
        by[2 * e] = e;
        by[2 * e + 1] = e + 1;
        read[2 * e] = 0;
        read[2 * e + 1] = n + 1 + e % 2;
    }
    plan = support_small_plan();
    support_small_set(plan, "points", "", n + 3, n + 3);
    support_small_set(plan, "elements", "", n, n);
    support_small_map(plan, "by", 1, 0, 2, by);
    support_small_map(plan, "read", 1, 0, 2, read);
    support_small_loop(plan, 1, 2, args);
    assert_done(mplan_plan_add_block_set(plan, &blocks, &err), &err);
    support_small_array(plan, mplan_key_of_block_set(MPLAN_KIND_BLOCK_OFFSETS, 0), MPLAN_TYPE_I64,
                        2, 1, offsets);
    support_small_array(plan, mplan_key_of_block_points(MPLAN_KIND_BLOCK_POINTS, 0, 0, 0),
                        MPLAN_TYPE_I32, 0, 1, NULL);
    support_small_array(plan, mplan_key_of_block_points(MPLAN_KIND_BLOCK_POINT_OFFSETS, 0, 0, 0),
                        MPLAN_TYPE_I64, 2, 1, no_points);
    for (int32_t m = 0; m < 2; m++)
        support_small_array(plan, mplan_key_of_block_local(0, 0, m), MPLAN_TYPE_U16, 0, 2, NULL);
    support_plan_block_gather(plan, 0, &variant);
    assert_done(mplan_plan_add_variant(plan, 0, &variant, &err), &err);
    support_small_seal(plan);
    support_cases_open(&cases, NULL, plan);
    cases.proof = records_hold;
    bytes = VARIANT(MPLAN_KIND_BLOCK_RECORDS, 0);
}

static void open_record(int32_t n, mplan_sums sums)
{
    open_rounds(n, sums, 0);
}

static int64_t word(int w)
{
    uint32_t value;
    memcpy(&value, (const uint8_t *)bytes->data + 4 * w, 4);
    return value;
}

static int64_t get16(int64_t at)
{
    return get(bytes, at) + 256 * get(bytes, at + 1);
}
static void put16(int64_t at, int64_t value)
{
    put(bytes, at, value & 255);
    put(bytes, at + 1, value >> 8);
}
static void put32(int64_t at, int64_t value)
{
    put16(at, value & 65535);
    put16(at + 2, value >> 16);
}

/* Where local ids begin; a column has a multiple of 8. */
static int64_t locals(void)
{
    return 32 + (4 * word(POINTS_IN) + 15) / 16 * 16;
}
static int64_t padded(void)
{
    return (word(ELEMENTS) + 7) / 8 * 8;
}

static void right_records_hold(void **state)
{
    (void)state;
    for (int32_t n = 2; n <= 9; n++)
        for (int sums = 0; sums < 2; sums++) {
            open_record(n, sums ? MPLAN_SUMS_ATOMIC : MPLAN_SUMS_PARTIAL);
            HOLDS();
            for (int side = 0; side < 2; side++) {
                support_fence fence = support_fence_open(bytes->data, (size_t)bytes->rows,
                                                         (support_fence_side)side);
                HOLDS(bytes->data = fence.data);
                support_fence_close(&fence);
            }
            support_cases_close(&cases);
        }
}

/* Each byte of a record says something, or is zero. */
static void every_byte_of_a_record(void **state)
{
    (void)state;
    for (int32_t n = 2; n <= 9; n++)
        for (int sums = 0; sums < 2; sums++) {
            open_record(n, sums ? MPLAN_SUMS_ATOMIC : MPLAN_SUMS_PARTIAL);
            const int64_t points_end = 32 + 4 * word(POINTS_IN),
                          starts_end = word(STARTS) + 2 * (word(POINTS_IN) + 1),
                          entries_end = word(ENTRIES) + 2 * word(N_ENTRIES),
                          sums_begin = sums ? bytes->rows : word(PARTIAL);
            for (int64_t at = 0; at < bytes->rows; at++) {
                const bool pad = (at >= points_end && at < locals()) ||
                                 (at >= starts_end && at < word(ENTRIES)) ||
                                 (at >= entries_end && at < sums_begin);
                const char *reason = pad ? "the record of block 0 has padding that is not zero"
                                         : "block 0 ";
                REFUSED(reason, put(bytes, at, get(bytes, at) + 1));
                REFUSED(reason, put(bytes, at, get(bytes, at) ^ 128));
            }
            support_cases_close(&cases);
        }
}

/* Points of any number, up to the last byte. */
static void points_with_large_numbers(void **state)
{
    enum { MORE = 1 << 24 };
    (void)state;
    for (int32_t n = 2; n <= 6; n++) {
        open_record(n, MPLAN_SUMS_ATOMIC);
        plan->sets[0].storage_size += MORE;
        for (int32_t m = 0; m < 2; m++)
            for (int64_t i = 0; i < 2 * n; i++)
                put(MAP(MPLAN_KIND_MAP_VALUES, m), i, get(MAP(MPLAN_KIND_MAP_VALUES, m), i) + MORE);
        for (int64_t k = 0; k < word(POINTS_IN); k++)
            put(bytes, 32 + 4 * k + 3, 1);
        HOLDS();
        support_cases_close(&cases);
    }
}

static void points_of_a_record(void **state)
{
    const int32_t n = 6; /* elements; 9 points, of which the last two are only read */
    mplan_array *read;
    (void)state;
    open_record(n, MPLAN_SUMS_ATOMIC);
    read = MAP(MPLAN_KIND_MAP_VALUES, 1);
    const int64_t first = 32 + 4 * (n + 1), column = locals() + 2 * 3 * padded();
    assert_int_equal(word(POINTS_IN), n + 3);
    /* behind the list are zeros, and point 0 exists */
    REFUSED("has a local id that does not lead to the mapped point", put16(locals(), n + 3));
    REFUSED("has a local id that does not lead to the mapped point", put16(locals(), 65535));
    /* the two points that are only read change places */
    put32(first, n + 2);
    put32(first + 4, n + 1);
    for (int64_t e = 0; e < n; e++)
        put16(column + 2 * e, get16(column + 2 * e) == n + 1 ? n + 2 : n + 1);
    REFUSED("has points that do not ascend", (void)state);
    /* one of them twice, each time used */
    put32(first + 4, n + 1);
    for (int64_t e = 0; e < n; e++)
        put(read, 2 * e + 1, n + 1);
    REFUSED("has points that do not ascend", (void)state);
    /* the last one is not used any more */
    for (int64_t e = 0; e < n; e++) {
        put(read, 2 * e + 1, n + 1);
        put16(column + 2 * e, n + 1);
    }
    REFUSED("lists a point that the block does not touch", (void)state);
    support_cases_close(&cases);
}

static void entries_of_a_record(void **state)
{
    const int32_t n = 6;
    char reason[96];
    (void)state;
    open_record(n, MPLAN_SUMS_ATOMIC);
    const int64_t starts = word(STARTS), entries = word(ENTRIES);
    for (int64_t k = 2; k <= n; k++)
        REFUSED("has starts that do not ascend",
                put16(starts + 2 * k, get16(starts + 2 * (k - 1)) - 1));
    support_fence fence = support_fence_open(bytes->data, (size_t)bytes->rows, SUPPORT_FENCE_BEHIND);
    for (int64_t k = 1; k < word(POINTS_IN); k++) { /* nor may they lead out of the record */
        const int64_t kept = get16(starts + 2 * k);
        bytes->data = fence.data;
        put16(starts + 2 * k, 65535);
        REFUSED("has starts that do not ascend", (void)k);
        bytes->data = fence.data;
        put16(starts + 2 * k, kept);
        HOLDS();
    }
    support_fence_close(&fence);
    REFUSED("has starts that do not run from 0", put16(starts, 1));
    REFUSED("has starts that do not run from 0",
            put16(starts + 2 * word(POINTS_IN), word(N_ENTRIES) - 1));
    snprintf(reason, sizeof reason, "has entries that are not in the order of the sum");
    for (int64_t k = 1; k < n; k++) { /* these have two entries */
        const int64_t at = entries + 2 * get16(starts + 2 * k), one = get16(at), two = get16(at + 2);
        REFUSED(reason, put16(at, two), put16(at + 2, one));
        REFUSED(reason, put16(at, two));
        REFUSED(reason, put16(at + 2, one));
    }
    /* a slot that is only read, and leads to point 0 as well */
    assert_int_equal(get16(locals() + 2 * 2 * padded()), 0);
    REFUSED("has an entry of another point", put16(entries, 2 * padded()));
    support_cases_close(&cases);
}

/* Point k has slot 1 of element k - 1 and slot 0 of element k: the former comes first where a round ends between them. */
static void entries_go_round_by_round(void **state)
{
    static const char other[] = "has entries that are not in the order of the sum";
    const int32_t n = 7;
    (void)state;
    for (int32_t round = 1; round <= n; round++) {
        open_rounds(n, MPLAN_SUMS_PARTIAL, round);
        const int64_t starts = word(STARTS), entries = word(ENTRIES);
        HOLDS();
        for (int64_t k = 1; k < n; k++) {
            const int64_t at = entries + 2 * get16(starts + 2 * k), one = get16(at),
                          two = get16(at + 2);
            assert_int_equal(one, k % round == 0 ? padded() + k - 1 : k);
            assert_int_equal(two, k % round == 0 ? k : padded() + k - 1);
            REFUSED(other, put16(at, two), put16(at + 2, one));
            REFUSED(other, put16(at, two));
        }
        for (int32_t wrong = 0; wrong <= n; wrong++)
            if (wrong == round || (round == n && wrong == 0))
                HOLDS(VARIANT_OF(0, 0)->round = wrong);
            else
                REFUSED(other, VARIANT_OF(0, 0)->round = wrong);
        support_cases_close(&cases);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(right_records_hold),        cmocka_unit_test(every_byte_of_a_record),
        cmocka_unit_test(points_with_large_numbers), cmocka_unit_test(points_of_a_record),
        cmocka_unit_test(entries_of_a_record),       cmocka_unit_test(entries_go_round_by_round),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
