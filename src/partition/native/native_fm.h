/* SPDX-License-Identifier: Apache-2.0 */
/* native_fm.h - Fiduccia and Mattheyses between two blocks */
#ifndef MPLAN_NATIVE_FM_H
#define MPLAN_NATIVE_FM_H

#include "partition/native/native_pair_read.h"

/* Moves elements between the sides until `patience` moves have made nothing
 * better; returns the weight saved and, in *n_moved, how many moves were kept. */
int64_t mplan_native_fm(native_pair *pair, int32_t patience, int32_t *n_moved);
/* Whether the sides keep every limit. */
bool mplan_native_sides_fit(const native_pair *pair);

#endif
