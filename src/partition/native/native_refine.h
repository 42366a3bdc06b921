/* SPDX-License-Identifier: Apache-2.0 */
/* native_refine.h - blocks of a first cut exchange elements */
#ifndef MPLAN_NATIVE_REFINE_H
#define MPLAN_NATIVE_REFINE_H

#include "partition/native/native_cut.h"
#include "partition/native/native_first.h"

/* first: the first cut; its blocks are those of `cut`. relaxes: Lloyd relaxation, where there are coordinates. Afterwards cut->where
 * has the block of every element. scratch: n entries. */
mplan_status mplan_native_refine(native_cut *cut, const native_first *first,
                                 const mplan_native_options *options, bool relaxes,
                                 int32_t *scratch, const mplan_context *context, mplan_error *err);

#endif
