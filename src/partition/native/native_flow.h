/* SPDX-License-Identifier: Apache-2.0 */
/* native_flow.h - a pair of blocks cut anew along a cheapest border */
#ifndef MPLAN_NATIVE_FLOW_H
#define MPLAN_NATIVE_FLOW_H

#include "partition/native/native_pair_read.h"

/* Scratch for pairs of `pair`'s sizes, which is not NULL when it is freed; NULL without memory. */
native_flow *mplan_native_flow_create(const native_pair *pair, mplan_error *err);
void mplan_native_flow_free(native_flow *flow);

/* Sides of all members, which were read, along a border of fewest points between what lies far from the border at hand on
 * both sides. False, and the sides as they were, where it has more than `most` points, or no border keeps the sizes. Counts of
 * the points stay as they were. Every point counts one, whatever it weighs; hubs none. */
bool mplan_native_flow_split(native_pair *pair, int32_t most);

#endif
