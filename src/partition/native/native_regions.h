/* SPDX-License-Identifier: Apache-2.0 */
/* native_regions.h - blocks grown side by side, each in a region of its own */
#ifndef MPLAN_NATIVE_REGIONS_H
#define MPLAN_NATIVE_REGIONS_H

#include "partition/native/native_table.h"

/* Growth is tried from n elements, evenly spread from `first` on. */
typedef struct native_starts {
    int64_t first;
    int32_t n;
    bool mends; /* refinement mends more seams than those that are harmless */
} native_starts;

/* sequence[i]: the element at place i; block k holds places
 * offsets[k] ... offsets[k + 1] - 1, *offsets (n_blocks + 1) is the caller's to free.
 * n_blocks on entry: how many blocks to aim at; more where the limits need it. starts: where
 * a table that is one region is grown from; the cheapest blocks are kept. */
mplan_status mplan_native_grow(const native_table *table, mplan_footprint *footprint,
                               native_starts starts, int64_t *n_blocks, int32_t *sequence,
                               int64_t **offsets, const mplan_context *context, mplan_error *err);

#endif
