/* SPDX-License-Identifier: Apache-2.0 */
/* block_lists.h - which blocks touch each point */
#ifndef MPLAN_BLOCK_LISTS_H
#define MPLAN_BLOCK_LISTS_H

#include "meshplan.h"

/* For each point the blocks that touch it, ascending, each once. */
typedef struct mplan_block_lists {
    int64_t n_points, n_blocks, longest;
    int64_t *offsets; /* n_points + 1 */
    int32_t *blocks;
} mplan_block_lists;

/* Through any of the maps (all to one set); block: one per row. */
mplan_status mplan_block_lists_create(const mplan_map *maps, int32_t n_maps, const int32_t *block,
                                      mplan_block_lists *out, const mplan_context *context,
                                      mplan_error *err);
void mplan_block_lists_free(mplan_block_lists *lists);

/* Points by their lists, or first by the length of the list: the places of
 * mplan_order_points. */
mplan_status mplan_order_block_lists(const mplan_block_lists *lists, bool count_first,
                                     const int32_t *earlier, int32_t *new_of_old,
                                     const mplan_context *context, mplan_error *err);

#endif
