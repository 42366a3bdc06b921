/* SPDX-License-Identifier: Apache-2.0 */
/* native_tile.h - a sequence of elements cut into tiles */
#ifndef MPLAN_NATIVE_TILE_H
#define MPLAN_NATIVE_TILE_H

#include "meshplan.h"

/* Blocks of `tile` elements but the last, or `wanted` blocks evenly, where those are more. */
mplan_status mplan_native_tile_cut(int64_t n, int32_t tile, int64_t wanted, int64_t **offsets,
                                   int64_t *n_blocks, mplan_error *err);

#endif
