/* SPDX-License-Identifier: Apache-2.0 */
/* native_balance.h - sizes of blocks brought back by shifting elements from block to block */
#ifndef MPLAN_NATIVE_BALANCE_H
#define MPLAN_NATIVE_BALANCE_H

#include "partition/native/native_cut.h"

/* wanted: n_blocks sizes, which add up to the elements, or to more. *done: whether no block has more than its size now; where it is
 * false elements may have moved: with `partly` all that can, however many cannot. cut->sizes are kept up, members and points per set are not. */
mplan_status mplan_native_balance(native_cut *cut, const int32_t *wanted, bool partly, bool *done,
                                  const mplan_context *context, mplan_error *err);

#endif
