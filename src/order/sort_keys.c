/* sort_keys.c - short lists of 64-bit keys */
#include "order/sort_keys.h"

#include <assert.h>
#include <stdlib.h>

enum { SHORT_LIST = 32 };

static int compare_keys(const void *a, const void *b)
{
    uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return (x > y) - (x < y);
}

/* Keys are distinct (their lower half is an index), so that the result does not depend
 * on the method. */
void mplan_sort_keys(int64_t n, uint64_t *keys)
{
    assert(keys && n >= 0);
    if (n > SHORT_LIST) {
        qsort(keys, (size_t)n, sizeof *keys, compare_keys);
        return;
    }
    for (int64_t i = 1; i < n; i++) {
        uint64_t key = keys[i];
        int64_t k = i;
        for (; k > 0 && keys[k - 1] > key; k--)
            keys[k] = keys[k - 1];
        keys[k] = key;
    }
}
