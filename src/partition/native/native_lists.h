/* SPDX-License-Identifier: Apache-2.0 */
/* native_lists.h - of every block the points that it touches, and rows that name them by place
 *
 * Where many elements meet at a point, those at a border touch most points
 * of their blocks. A pair is read from these lists then: points are looked up once for the
 * pair, not once for every entry, how many elements touch them is known, and elements away
 * from the border are never read. */
#ifndef MPLAN_NATIVE_LISTS_H
#define MPLAN_NATIVE_LISTS_H

#include "partition/native/native_cut.h"

/* Whether lists pay, and how long their rows are; 0: they do not. */
int32_t mplan_native_lists_stride(const native_cut *cut);
/* Lists the members of the blocks and what they touch, where that pays; else cut->lists stays
 * NULL. */
mplan_status mplan_native_lists_create(native_cut *cut, const mplan_context *context,
                                       mplan_error *err);

#endif
