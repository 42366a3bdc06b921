/* SPDX-License-Identifier: Apache-2.0 */
/* native_scraps.h - blocks in one piece */
#ifndef MPLAN_NATIVE_SCRAPS_H
#define MPLAN_NATIVE_SCRAPS_H

#include "partition/native/native_cut.h"

/* Pieces of blocks that hang together with other blocks only are joined to these; sizes stay. Where that cannot be, or
 * breaks a limit, the cut stays as it was. Members are not kept up. scratch: an int for each element. */
mplan_status mplan_native_join_scraps(native_cut *cut, int32_t *scratch,
                                      const mplan_context *context, mplan_error *err);

#endif
