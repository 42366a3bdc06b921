/* SPDX-License-Identifier: Apache-2.0 */
/* radix.c - stable sort of 64-bit keys, least significant digit first
 *
 * Digits that are equal in all keys cost no pass. */
#include "base/radix.h"

#include <assert.h>
#include <string.h>

enum { DIGIT_BITS = 11, DIGIT_VALUES = 1 << DIGIT_BITS, SMALL_BITS = 8 };

/* Counts of one digit made into first places; false when all keys share it. */
static bool count_digit(int64_t n, const uint64_t *keys, int32_t shift, int32_t values, int64_t *place)
{
    memset(place, 0, (size_t)values * sizeof *place);
    uint64_t mask = (uint64_t)values - 1;
    for (int64_t i = 0; i < n; i++)
        place[(keys[i] >> shift) & mask]++;
    if (place[(keys[0] >> shift) & mask] == n)
        return false;
    int64_t sum = 0;
    for (int32_t d = 0; d < values; d++) {
        int64_t count = place[d];
        place[d] = sum;
        sum += count;
    }
    return true;
}

/* Least significant digit first, DIGIT_BITS at a time, items moving with their keys;
 * stable. Digits that are equal in all keys cost one pass of counting. The spare arrays
 * have n entries; results are always in `keys` and `items`. */
void mplan_radix_sort_items(int64_t n, int32_t bits, uint64_t *keys, int32_t *items,
                            uint64_t *spare_keys, int32_t *spare_items)
{
    assert(keys && items && spare_keys && spare_items && n >= 0);
    int64_t place[DIGIT_VALUES];
    uint64_t *from = keys, *to = spare_keys;
    int32_t *from_items = items, *to_items = spare_items;
    if (n < 2)
        return;
    for (int32_t shift = 0; shift < bits; shift += DIGIT_BITS) {
        if (!count_digit(n, from, shift, DIGIT_VALUES, place))
            continue;
        for (int64_t i = 0; i < n; i++) {
            int64_t p = place[(from[i] >> shift) & (DIGIT_VALUES - 1)]++;
            to[p] = from[i];
            to_items[p] = from_items[i];
        }
        uint64_t *keys_swap = from;
        from = to;
        to = keys_swap;
        int32_t *items_swap = from_items;
        from_items = to_items;
        to_items = items_swap;
    }
    if (from != keys) {
        memcpy(keys, from, (size_t)n * sizeof *keys);
        memcpy(items, from_items, (size_t)n * sizeof *items);
    }
}

/* Sorts by bits 32 ... 32 + bits - 1 only; the lower half moves with it. Stable. */
void mplan_radix_sort_upper(int64_t n, int32_t bits, uint64_t *keys, uint64_t *spare)
{
    assert(keys && spare && n >= 0);
    int64_t place[DIGIT_VALUES];
    /* short lists would spend their time on clearing counters */
    int32_t digit_bits = n < DIGIT_VALUES ? SMALL_BITS : DIGIT_BITS;
    int32_t values = 1 << digit_bits;
    uint64_t *from = keys, *to = spare;
    if (n < 2)
        return;
    for (int32_t shift = 32; shift < 32 + bits; shift += digit_bits) {
        if (!count_digit(n, from, shift, values, place))
            continue;
        for (int64_t i = 0; i < n; i++)
            to[place[(from[i] >> shift) & ((uint64_t)values - 1)]++] = from[i];
        uint64_t *swap = from;
        from = to;
        to = swap;
    }
    if (from != keys)
        memcpy(keys, from, (size_t)n * sizeof *keys);
}
