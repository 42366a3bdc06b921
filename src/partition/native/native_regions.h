/* SPDX-License-Identifier: Apache-2.0 */
/* native_regions.h - blocks grown side by side, each in a region of its own */
#ifndef MPLAN_NATIVE_REGIONS_H
#define MPLAN_NATIVE_REGIONS_H

#include "partition/native/native_table.h"

/* sequence[i]: the element at place i; block k holds places
 * offsets[k] ... offsets[k + 1] - 1, *offsets (n_blocks + 1) is the caller's to free.
 * n_blocks on entry: how many blocks to aim at; more where the limits need it. */
mplan_status mplan_native_grow(const native_table *table, mplan_footprint *footprint,
                               int64_t *n_blocks, int32_t *sequence, int64_t **offsets,
                               const mplan_context *context, mplan_error *err);

#endif
