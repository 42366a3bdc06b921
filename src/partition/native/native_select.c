/* SPDX-License-Identifier: Apache-2.0 */
/* native_select.c - the smallest of a list, by halves (C. A. R. Hoare, Algorithm 65: Find, 1961) */
#include <assert.h>

#include "partition/native/native_select.h"

static bool before(native_ranked x, native_ranked y)
{
    return x.value < y.value || (x.value == y.value && x.index < y.index);
}

/* Hoare's selection: afterwards the first `count` of n entries go before all
 * others, in no order among themselves. */
void mplan_native_select(native_ranked *list, int32_t n, int32_t count)
{
    assert(list && count >= 1 && count <= n);
    int32_t low = 0, high = n - 1, k = count - 1;
    while (low < high) {
        native_ranked pivot = list[(low + high) / 2];
        int32_t i = low, j = high;
        while (i <= j) {
            while (before(list[i], pivot))
                i++;
            while (before(pivot, list[j]))
                j--;
            if (i <= j) {
                native_ranked swap = list[i];
                list[i++] = list[j];
                list[j--] = swap;
            }
        }
        if (k <= j)
            high = j;
        else if (k >= i)
            low = i;
        else
            return;
    }
}
