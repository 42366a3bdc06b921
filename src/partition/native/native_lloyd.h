/* SPDX-License-Identifier: Apache-2.0 */
/* native_lloyd.h - blocks made compact by their coordinates */
#ifndef MPLAN_NATIVE_LLOYD_H
#define MPLAN_NATIVE_LLOYD_H

#include "partition/native/native_match.h"
#include "partition/partition.h"

/* Sweeps over the pairs of a matching in which blocks exchange elements by the coordinates that the options have; points are
 * not counted. start: out, n entries, the block of each element before. Element i of the table is the caller's sequence[i]. */
mplan_status mplan_native_lloyd(native_cut *cut, const native_matching *matching, int32_t sweeps,
                                const mplan_native_options *options, const int32_t *sequence,
                                int32_t *start, int64_t *trusted, const mplan_context *context,
                                mplan_error *err);

#endif
