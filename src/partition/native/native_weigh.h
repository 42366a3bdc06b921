/* SPDX-License-Identifier: Apache-2.0 */
/* native_weigh.h - what the blocks of a cut load, and whether they may */
#ifndef MPLAN_NATIVE_WEIGH_H
#define MPLAN_NATIVE_WEIGH_H

#include "partition/native/native_table.h"

/* The weight of the (block, point) pairs of a cut; -1 when a block breaks a
 * limit on points or bytes. */
mplan_status mplan_native_weigh(const native_table *table, const mplan_footprint *footprint,
                                const int32_t *sequence, int64_t n_blocks, const int64_t *offsets,
                                int64_t *weight, const mplan_context *context, mplan_error *err);

#endif
