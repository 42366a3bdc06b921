/* SPDX-License-Identifier: Apache-2.0 */
/* native_lloyd.h - blocks made compact by their coordinates */
#ifndef MPLAN_NATIVE_LLOYD_H
#define MPLAN_NATIVE_LLOYD_H

#include "partition/native/native_match.h"

/* Sweeps over the pairs of a matching in which blocks exchange
 * elements by their coordinates (dimension 2 or 3 per element); points are not counted. */
mplan_status mplan_native_lloyd(native_cut *cut, const native_matching *matching, int32_t sweeps,
                                int32_t dimension, const double *coordinates, int64_t *trusted,
                                const mplan_context *context, mplan_error *err);

#endif
