/* SPDX-License-Identifier: Apache-2.0 */
/* sort.c - short lists of numbers, most of them sorted or nearly so */
#include "base/sort.h"

#include <stdlib.h>

enum { SHORT_LIST = 64 };

int mplan_compare_i32(const void *a, const void *b)
{
    int32_t x = *(const int32_t *)a, y = *(const int32_t *)b;
    return (x > y) - (x < y);
}

int mplan_compare_u64(const void *a, const void *b)
{
    uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return (x > y) - (x < y);
}

/* Defines a sort of numbers, equal ones of which are the same: any method gives the same list. */
#define SORT(name, number, compare)                            \
    void name(number *list, int64_t n)                         \
    {                                                          \
        int64_t sorted = 1;                                    \
        while (sorted < n && list[sorted - 1] <= list[sorted]) \
            sorted++;                                          \
        if (sorted < n && n > SHORT_LIST) {                    \
            qsort(list, (size_t)n, sizeof *list, compare);     \
            return;                                            \
        }                                                      \
        for (int64_t i = sorted; i < n; i++) {                 \
            number moving = list[i];                           \
            int64_t k = i;                                     \
            for (; k > 0 && list[k - 1] > moving; k--)         \
                list[k] = list[k - 1];                         \
            list[k] = moving;                                  \
        }                                                      \
    }

SORT(mplan_sort_i32, int32_t, mplan_compare_i32)
SORT(mplan_sort_u64, uint64_t, mplan_compare_u64)

/* Sorts, and moves each value once to the front; returns how many there are. */
int64_t mplan_distinct_i32(int32_t *list, int64_t n)
{
    int64_t kept = 0;
    mplan_sort_i32(list, n);
    for (int64_t i = 0; i < n; i++)
        if (kept == 0 || list[i] != list[kept - 1])
            list[kept++] = list[i];
    return kept;
}
