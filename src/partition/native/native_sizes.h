/* SPDX-License-Identifier: Apache-2.0 */
/* native_sizes.h - blocks that may have more than S elements for some passes */
#ifndef MPLAN_NATIVE_SIZES_H
#define MPLAN_NATIVE_SIZES_H

#include "partition/native/native_cut.h"

/* Whether that pays: blocks are nearly full, but not all of them, and no limit on points binds, as moves that bring sizes back do not
 * look at it. */
bool mplan_native_sizes_may_be_loose(const native_cut *cut);
/* From now on blocks may have some elements more than S. The cut has neither members nor lists. */
void mplan_native_sizes_loosen(native_cut *cut);
/* After step number `step` - 1 of so many, at most three: blocks have fewer elements above S, and none after the last one. What is
 * too much moves over borders to where there is room, or leaps there. Members are there no more; lists are made anew where there
 * were any. */
mplan_status mplan_native_sizes_tighten(native_cut *cut, int32_t step, int32_t steps,
                                        const mplan_context *context, mplan_error *err);

#endif
