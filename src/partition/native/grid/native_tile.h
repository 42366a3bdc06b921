/* native_tile.h - blocks as tiles of a grid: shapes of columns, and elements along them
 *
 * graph (points joined by elements, or elements by sides) -> lattice (places in Z^2 or Z^3, by
 * patches) -> shape (the columns that cost least) -> tile (the sequence along them) -> weigh; or
 * layers -> stack; and first chooses among these and greedy growing.
 *
 * Elements lie in a grid; columns of some cross-section fill it, and a sequence goes up one
 * and down the next. Every T elements of it are a block, so that every block is full: tiles have
 * ragged ends, which cost little, and no other remainders. */
#ifndef MPLAN_NATIVE_TILE_H
#define MPLAN_NATIVE_TILE_H

#include "partition/native/native.h"

/* What elements are to points. Places of edges are doubled: the middle of the ends'. */
typedef enum tile_kind {
    TILE_QUADS,       /* unit squares, points are their corners */
    TILE_HEXES,       /* unit cubes likewise */
    TILE_PLANE_EDGES, /* join neighbouring points of Z^2 */
    TILE_SPACE_EDGES, /* of Z^3 */
    TILE_LAYERS       /* prisms and hexes in layers over any mesh of the plane */
} tile_kind;

/* Columns. Straight ones have rectangular cross-sections, which part their two axes across
 * evenly; oblique ones, of edges, are strips along a diagonal of the plane, or hexagonal and
 * along a diagonal of space. */
typedef struct tile_shape {
    tile_kind kind;
    bool oblique;
    int32_t along, across[2]; /* axes of straight columns; across[1] -1 in the plane */
    int32_t low[3], high[3];  /* box of the elements' places */
    int32_t count[2];         /* straight: columns across each axis */
    int32_t width;            /* oblique: of strips, or of hexagons in twelfths */
    int32_t row_begin, cell_begin; /* oblique: least index */
    int32_t rows, cells;           /* columns are rows x cells */
} tile_shape;

/* Where an element lies: column, then height along it, then order within a layer. */
typedef struct tile_spot {
    int32_t row, cell, height, inner;
} tile_spot;

enum { TILE_INNER = 1 << 12, /* inner is below */
       LEAST_TILE = 8 };     /* smaller blocks have no shape */

void mplan_tile_spot(const tile_shape *shape, const int32_t *place, tile_spot *spot);

/* What was found out about shapes for tiles of T elements. */
typedef struct tile_costs tile_costs;
tile_costs *mplan_tile_costs_create(tile_kind kind, int32_t tile, mplan_error *err);
void mplan_tile_costs_free(tile_costs *costs);
/* The shape that costs least points an element in a box of places low ... high; *cost: how many,
 * by counting those of tiles far from any rim. */
tile_shape mplan_tile_choose(tile_costs *costs, const int32_t *low, const int32_t *high,
                             double *cost);

/* How good a tiling is, in weight of (block, point) pairs. */
typedef struct native_tiling {
    bool found;     /* elements lie as in a grid, and blocks keep the limits; else nothing is set */
    bool is_sure;   /* as good as the shapes are: little to gain by comparing or refining */
    tile_kind kind;
    int64_t weight; /* of the pairs */
    mplan_block_origin origin;
} native_tiling;

/* native_tile.c. Blocks of `tile` elements but the last; of edges in space, and with best effort in
 * the plane, which refinement improves where blocks have room, `wanted` blocks where those are more.
 * Sequence and offsets as of mplan_native_grow. */
mplan_status mplan_native_tile(const native_table *table, const mplan_footprint *footprint, int32_t tile,
                               int64_t wanted, mplan_effort effort, int32_t *sequence,
                               int64_t **offsets, int64_t *n_blocks, native_tiling *tiling,
                               const mplan_context *context, mplan_error *err);

/* native_stack.c. Likewise, of stacks of layers. */
mplan_status mplan_native_stack(const native_table *table, const mplan_footprint *footprint, int32_t tile,
                                int32_t *sequence, int64_t **offsets, int64_t *n_blocks,
                                native_tiling *tiling, const mplan_context *context,
                                mplan_error *err);

/* Blocks of `tile` elements but the last, or `wanted` blocks evenly, where those are more. */
mplan_status mplan_native_tile_cut(int64_t n, int32_t tile, int64_t wanted, int64_t **offsets,
                                       int64_t *n_blocks, mplan_error *err);

/* native_weigh.c. The weight of the (block, point) pairs of a cut; -1 when a block breaks a
 * limit on points or bytes. */
mplan_status mplan_native_weigh(const native_table *table, const mplan_footprint *footprint,
                                const int32_t *sequence, int64_t n_blocks, const int64_t *offsets,
                                int64_t *weight, const mplan_context *context, mplan_error *err);

/* A first cut: sequence (the caller's, n) and offsets as of mplan_native_grow. */
typedef struct native_first {
    int32_t *sequence;
    int64_t *offsets;  /* the caller's to free */
    int64_t n_blocks;
    bool tiled;        /* blocks are tiles, which need no Lloyd relaxation */
    bool settled;      /* and refinement passes are not worth their time */
    mplan_block_origin origin;
} native_first;

/* native_first.c. wanted: how many blocks to aim at. */
mplan_status mplan_native_first_cut(const native_table *table, mplan_footprint *footprint,
                                const mplan_native_options *options, int64_t wanted,
                                native_first *cut, const mplan_context *context,
                                mplan_error *err);

#endif
