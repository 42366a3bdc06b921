/* native_order.h - the order of the blocks, and the coordinates that go with it */
#ifndef MPLAN_NATIVE_ORDER_H
#define MPLAN_NATIVE_ORDER_H

#include "partition/partition.h"

/* Puts the blocks of a sequence in an order in which neighbours are
 * near, by coordinates where there are any, else by first elements. */
mplan_status mplan_native_order(const mplan_native_options *options, int64_t n, int32_t *sequence,
                                int64_t *offsets, int64_t n_blocks, const mplan_context *context,
                                mplan_error *err);
/* Coordinates in the order of the sequence, within [0, 1] and in single precision: they
 * only propose. NULL with status OK without any. */
mplan_status mplan_native_places(const mplan_native_options *options, const int32_t *sequence,
                                 int64_t n, float **places, const mplan_context *context,
                                 mplan_error *err);

#endif
