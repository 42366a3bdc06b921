/* SPDX-License-Identifier: Apache-2.0 */
/* colour.h - colours that let elements or blocks run side by side */
#ifndef MPLAN_COLOUR_H
#define MPLAN_COLOUR_H

#include "meshplan.h"

/* Maps here are the ones a loop increments or writes through; two elements
 * conflict when any of them leads both to one point. -1 entries never conflict. */

/* Colours all elements. Where each touches two points at most: as many colours
 * as the most elements of a point when the graph of points is bipartite, and on most
 * others; at most one more on graphs without double edges (of up to 32 elements a
 * point; a bounded search, which can fall short). Else 4 on grids of quads, 8 on
 * grids of hexes, 6 and 24 where triangles and tets lie as in a lattice, and by
 * saturation; beyond 64 elements a point the least-used free colour. Classes are
 * balanced. Elements with skip[e] (may be NULL) get -1. colour: n entries, the rows
 * of every map. Time near linear in the conflicts; scratch about 24 bytes an
 * element, 4 an entry and 8 a point, with two points 60 an element.
 * Equal tables get equal colours. */
mplan_status mplan_colour_elements(const mplan_map *maps, int32_t n_maps, const bool *skip,
                                   int64_t n, int32_t *colour, int32_t *n_colours,
                                   const mplan_context *context, mplan_error *err);

/* Colours the elements of each block by itself: first fit, and where that takes more
 * colours than the most elements of a point, by lattice, edges or saturation.
 * sequence[p] is the element at position p (-1: a hole, coloured MPLAN_NONE16; NULL: p
 * itself); block b runs positions [offsets[b], offsets[b + 1]). colour: one per
 * position; block_colours: one per block. Parallel over blocks. */
mplan_status mplan_colour_threads(const mplan_map *maps, int32_t n_maps, int64_t n_blocks,
                                  const int64_t *offsets, const int32_t *sequence, uint16_t *colour,
                                  uint16_t *block_colours, const mplan_context *context,
                                  mplan_error *err);

/* Colours blocks so that equal colours share no conflicting point: by saturation,
 * then by ejection of a class and again class by class, while that saves colours;
 * classes are balanced. Beyond 64 blocks a point the least-used free colour. Same
 * block description as above. Scratch as for elements, and 4 bytes for each pair of
 * blocks that conflict. */
mplan_status mplan_colour_blocks(const mplan_map *maps, int32_t n_maps, int64_t n_blocks,
                                 const int64_t *offsets, const int32_t *sequence, int32_t *colour,
                                 int32_t *n_colours, const mplan_context *context, mplan_error *err);

/* Lists by colour, ascending within a colour: offsets has n_colours + 1 entries,
 * list as many as there are i in [0, n) with colour[i] >= 0. */
void mplan_colour_lists(int64_t n, const int32_t *colour, int32_t n_colours, int64_t *offsets,
                        int32_t *list);

#endif
