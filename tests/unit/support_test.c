/* SPDX-License-Identifier: Apache-2.0 */
/* support_test.c - random tables for unit tests */
#include "support_test.h"

int64_t support_random(uint64_t *seed, int64_t n)
{
    *seed = *seed * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return (int64_t)((*seed >> 33) % (uint64_t)n);
}

mplan_map support_random_map(uint64_t *seed, int64_t n_rows, int64_t n_points, int32_t arity,
                             int none_percent)
{
    int64_t *offsets = NULL;
    int64_t entries = n_rows * arity;
    if (arity == 0) {
        offsets = malloc((size_t)(n_rows + 1) * sizeof *offsets);
        offsets[0] = 0;
        for (int64_t r = 0; r < n_rows; r++)
            offsets[r + 1] = offsets[r] + support_random(seed, 7);
        entries = offsets[n_rows];
    }
    int32_t *values = malloc((size_t)(entries + 1) * sizeof *values);
    for (int64_t i = 0; i < entries; i++) {
        bool none = n_points == 0 || support_random(seed, 100) < none_percent;
        values[i] = none ? -1 : (int32_t)support_random(seed, n_points);
    }
    mplan_map map = {"rows_points", 0, 1, arity, n_rows, n_points, offsets, values};
    return map;
}

void support_map_free(mplan_map *map)
{
    free((void *)(uintptr_t)map->offsets);
    free((void *)(uintptr_t)map->values);
    memset(map, 0, sizeof *map);
}
