/* SPDX-License-Identifier: Apache-2.0 */
/* native_grid.h - blocks as tiles of a grid, or as stacks of layers
 *
 * What the rest of the partitioner knows of grids; the files beside this one:
 * graph (points joined by elements, or elements by sides) -> lattice (places in Z^2 or Z^3, by
 * patches) -> shape (the columns that cost least) -> tile (the sequence along them) -> weigh; or
 * layers -> stack. native_first.c chooses among these and greedy growing.
 *
 * Elements lie in a grid; columns of some cross-section fill it, and a sequence goes up one
 * and down the next. Every T elements of it are a block, so that every block is full: tiles have
 * ragged ends, which cost little, and no other remainders. */
#ifndef MPLAN_NATIVE_GRID_H
#define MPLAN_NATIVE_GRID_H

#include "partition/native/native_table.h"

/* What elements are to points. Places of edges are doubled: the middle of the ends'. */
typedef enum tile_kind {
    TILE_QUADS,       /* unit squares, points are their corners */
    TILE_HEXES,       /* unit cubes likewise */
    TILE_PLANE_EDGES, /* join neighbouring points of Z^2 */
    TILE_SPACE_EDGES, /* of Z^3 */
    TILE_LAYERS       /* prisms and hexes in layers over any mesh of the plane */
} tile_kind;

enum { LEAST_TILE = 8 }; /* smaller blocks have no shape */

/* How good a tiling is, in weight of (block, point) pairs. */
typedef struct native_tiling {
    bool found;   /* elements lie as in a grid, and blocks keep the limits; else nothing is set */
    bool is_sure; /* as good as the shapes are: little to gain by comparing or refining */
    tile_kind kind;
    int64_t weight; /* of the pairs */
    mplan_block_origin origin;
} native_tiling;

/* native_tile.c. shape: the table itself, or the corners of its cells (native_corners.h), by which elements lie in a grid.
 * Blocks of `tile` elements but the last; of edges in space, and with best effort in the plane, which refinement improves where
 * blocks have room, `wanted` blocks where those are more. By corners, where limits on points bind, blocks are as long as they allow.
 * Sequence and offsets as of mplan_native_grow. */
mplan_status mplan_native_tile(const native_table *table, const native_table *shape,
                               mplan_footprint *footprint, int32_t tile, int64_t wanted,
                               mplan_effort effort, int32_t *sequence, int64_t **offsets,
                               int64_t *n_blocks, native_tiling *tiling,
                               const mplan_context *context, mplan_error *err);

/* A partitioner of the plane that layers lie over: mplan_partition_native itself. */
typedef mplan_status native_partitioner(int64_t n, const mplan_block_limits *limits,
                                        const mplan_native_options *options, int32_t *block,
                                        int64_t *n_blocks, mplan_block_origin *origin,
                                        const mplan_context *context, mplan_error *err);

/* native_stack.c. Likewise, of stacks of layers; by corners there are `wanted` blocks where those are more, as refinement uses
 * their room. */
mplan_status mplan_native_stack(const native_table *table, const native_table *shape,
                                mplan_footprint *footprint, int32_t tile, int64_t wanted,
                                native_partitioner *partitioner, int32_t *sequence,
                                int64_t **offsets, int64_t *n_blocks, native_tiling *tiling,
                                const mplan_context *context, mplan_error *err);

#endif
