/* SPDX-License-Identifier: Apache-2.0 */
/* native_balance.h - sizes of blocks brought back by shifting elements from block to block */
#ifndef MPLAN_NATIVE_BALANCE_H
#define MPLAN_NATIVE_BALANCE_H

#include "partition/native/native_cut.h"

/* wanted: n_blocks sizes, which add up to the elements. *done: whether all blocks have these sizes now; where it is false
 * elements may have moved. cut->sizes are kept up, members and points per set are not. */
mplan_status mplan_native_balance(native_cut *cut, const int32_t *wanted, bool *done,
                                  const mplan_context *context, mplan_error *err);

#endif
