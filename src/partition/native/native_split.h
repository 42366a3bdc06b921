/* SPDX-License-Identifier: Apache-2.0 */
/* native_split.h - a pair of blocks cut anew along a smooth border */
#ifndef MPLAN_NATIVE_SPLIT_H
#define MPLAN_NATIVE_SPLIT_H

#include "partition/native/native_pair_read.h"

/* Sides of the sizes that the blocks have; all elements read. */
void mplan_native_split_smooth(native_pair *pair, int32_t sweeps);

#endif
