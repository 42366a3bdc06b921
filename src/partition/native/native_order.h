/* SPDX-License-Identifier: Apache-2.0 */
/* native_order.h - the order of the blocks */
#ifndef MPLAN_NATIVE_ORDER_H
#define MPLAN_NATIVE_ORDER_H

#include "partition/partition.h"

/* Puts the blocks of a sequence in the order of their least elements, in which neighbours are near. */
mplan_status mplan_native_order(int64_t n, int32_t *sequence, int64_t *offsets, int64_t n_blocks,
                                const mplan_context *context, mplan_error *err);

#endif
