/* SPDX-License-Identifier: Apache-2.0 */
/* native_corners.h - the corners of cells of higher order as a table of their own */
#ifndef MPLAN_NATIVE_CORNERS_H
#define MPLAN_NATIVE_CORNERS_H

#include "partition/native/native_table.h"

/* *corners: the elements with their corners only, of cells of second or third order (quads, prisms, hexes); *found: false where
 * rows are none of these. limits_bind of *corners is false. It is the caller's to free, also after a failure or where none were
 * found. O(entries). */
mplan_status mplan_native_corners(const native_table *table, native_table *corners, bool *found,
                                  mplan_team *team, mplan_error *err);

/* Cuts a sequence of elements into blocks that are as long as S and all limits allow. *offsets is freed and made anew, the caller's to
 * free; *weight: of the blocks; -1, and nothing is cut, where an element breaks a limit by itself. */
mplan_status mplan_native_corners_cut(const native_table *table, mplan_footprint *footprint,
                                      const int32_t *sequence, int64_t **offsets, int64_t *n_blocks,
                                      int64_t *weight, const mplan_context *context,
                                      mplan_error *err);

#endif
