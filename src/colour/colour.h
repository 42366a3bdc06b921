/* colour.h - colours that let elements or blocks run side by side */
#ifndef MPLAN_COLOUR_H
#define MPLAN_COLOUR_H

#include "meshplan.h"

/* Maps here are the ones a loop increments or writes through; two elements
 * conflict when any of them leads both to one point. -1 entries never conflict. */

/* Colours all elements, each with the least-used colour that is free for it
 * (the paper's baseline), in index order; a new colour only when none is free.
 * Beyond 64 colours: the least used of the first 64 that has a free one or room
 * for a new one, else of the next 64. Elements with skip[e] (may be NULL) get
 * -1. colour: n entries, the rows of every map. Time
 * O(entries * (1 + *n_colours / 64)), scratch 8 bytes a point. */
mplan_status mplan_colour_elements(const mplan_map *maps, int32_t n_maps, const bool *skip,
                                   int64_t n, int32_t *colour, int32_t *n_colours,
                                   mplan_error *err);

/* Colours the elements of each block by itself, first fit. sequence[p] is the
 * element at position p (-1: a hole, coloured 65535; NULL: p itself); block b
 * runs positions [offsets[b], offsets[b + 1]). colour: one per position;
 * block_colours: one per block. Parallel over blocks. */
mplan_status mplan_colour_threads(const mplan_map *maps, int32_t n_maps, int64_t n_blocks,
                                  const int64_t *offsets, const int32_t *sequence,
                                  uint16_t *colour, uint16_t *block_colours,
                                  const mplan_context *context, mplan_error *err);

/* Colours blocks so that equal colours share no conflicting point: least-used
 * free colour in index order. Same block description as above. */
mplan_status mplan_colour_blocks(const mplan_map *maps, int32_t n_maps, int64_t n_blocks,
                                 const int64_t *offsets, const int32_t *sequence, int32_t *colour,
                                 int32_t *n_colours, mplan_error *err);

/* Lists by colour, ascending within a colour: offsets has n_colours + 1 entries,
 * list as many as there are i in [0, n) with colour[i] >= 0. */
void mplan_colour_lists(int64_t n, const int32_t *colour, int32_t n_colours, int64_t *offsets,
                        int32_t *list);

#endif
