/* SPDX-License-Identifier: Apache-2.0 */
/* native_regroup.h - neighbouring blocks of a small table cut anew, a few at a time */
#ifndef MPLAN_NATIVE_REGROUP_H
#define MPLAN_NATIVE_REGROUP_H

#include "partition/native/native_table.h"

/* Some blocks of a table, as a table of its own, and how they are cut anew. */
typedef struct native_part {
    native_table table; /* renumbered by the cutter */
    int64_t n_blocks;   /* wanted in, made out */
    int64_t first;      /* the element from which they grow */
    int32_t *block;     /* out: of each element, as they were numbered */
    int64_t weight;     /* of the points that blocks touch; out */
} native_part;

typedef mplan_status native_part_cutter(native_part *part, mplan_footprint *footprint,
                                        const mplan_native_options *options,
                                        const mplan_context *context, mplan_error *err);

/* block: one per element, all below n_blocks; changed where *saved, weight, is above 0. table: renumbered on the way. */
mplan_status mplan_native_regroup(native_table *table, mplan_footprint *footprint,
                                  const mplan_native_options *options, native_part_cutter *cutter,
                                  int64_t n_blocks, int32_t *block, int64_t *saved,
                                  const mplan_context *context, mplan_error *err);

#endif
