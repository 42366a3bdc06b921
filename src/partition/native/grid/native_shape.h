/* SPDX-License-Identifier: Apache-2.0 */
/* native_shape.h - shapes of columns in a grid, and what their tiles cost */
#ifndef MPLAN_NATIVE_SHAPE_H
#define MPLAN_NATIVE_SHAPE_H

#include "partition/native/grid/native_grid.h"

/* Columns. Straight ones have rectangular cross-sections, which part their two axes across
 * evenly; oblique ones, of edges, are strips along a diagonal of the plane, or hexagonal and
 * along a diagonal of space. */
typedef struct tile_shape {
    tile_kind kind;
    bool oblique;
    int32_t along, across[2];      /* axes of straight columns; across[1] -1 in the plane */
    int32_t low[3], high[3];       /* box of the elements' places */
    int32_t count[2];              /* straight: columns across each axis */
    int32_t width;                 /* oblique: of strips, or of hexagons in twelfths */
    int32_t row_begin, cell_begin; /* oblique: least index */
    int32_t rows, cells;           /* columns are rows x cells */
} tile_shape;

/* Where an element lies: column, then height along it, then order within a layer. */
typedef struct tile_spot {
    int32_t row, cell, height, inner;
} tile_spot;

enum { TILE_INNER = 1 << 12 }; /* inner is below */

void mplan_tile_spot(const tile_shape *shape, const int32_t *place, tile_spot *spot);

/* What was found out about shapes for tiles of T elements; of cells with points between their corners. */
typedef struct tile_costs tile_costs;
tile_costs *mplan_tile_costs_create(tile_kind kind, int32_t tile, native_middles middles,
                                    mplan_error *err);
void mplan_tile_costs_free(tile_costs *costs);
/* The shape that costs least, in points per element, in a box of places low ... high; *cost: how many,
 * by counting those of tiles far from any rim. */
tile_shape mplan_tile_choose(tile_costs *costs, const int32_t *low, const int32_t *high,
                             double *cost);

#endif
