/* SPDX-License-Identifier: Apache-2.0 */
/* native_first.h - the first cut: tiles, stacks or grown blocks */
#ifndef MPLAN_NATIVE_FIRST_H
#define MPLAN_NATIVE_FIRST_H

#include "partition/native/grid/native_grid.h"
#include "partition/native/native_regions.h"

/* A first cut: sequence (the caller's, n) and offsets as of mplan_native_grow. */
typedef struct native_first {
    int32_t *sequence;
    int64_t *offsets; /* the caller's to free */
    int64_t n_blocks;
    bool tiled;   /* blocks are tiles, which need no Lloyd relaxation */
    bool settled; /* and refinement passes are not worth their time */
    mplan_block_origin origin;
} native_first;

/* Blocks to aim at: tiles, of so many elements (0: none are tried), and grown ones; where growth begins. */
typedef struct native_aim {
    int64_t tiles, grown;
    int32_t tile;
    native_starts starts;
} native_aim;

mplan_status mplan_native_first_cut(const native_table *table, mplan_footprint *footprint,
                                    const mplan_native_options *options, const native_aim *aim,
                                    native_partitioner *partitioner, native_first *cut,
                                    const mplan_context *context, mplan_error *err);

#endif
