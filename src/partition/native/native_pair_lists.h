/* SPDX-License-Identifier: Apache-2.0 */
/* native_pair_lists.h - a pair of blocks read from their lists of points, and stored there */
#ifndef MPLAN_NATIVE_PAIR_LISTS_H
#define MPLAN_NATIVE_PAIR_LISTS_H

#include "partition/native/native_pair_read.h"

/* What a pair keeps for them, beside elements and points. */
struct pair_lists {
    int32_t *number[2]; /* per place of a block's points: in the pair; -1: not read, or
                                NATIVE_NONE */
    int32_t *value[2];  /* per place: what the point adds to the gain of an element that moves, and
                                a mark where both blocks touch it */
    int32_t best;       /* gain of an element at the border */
    uint16_t *mark;     /* per point of the table: its place in the last first block that had it */
    int32_t *place[2];  /* per point: in the list of each block; -1: not there */
    uint16_t *to;       /* per place of a block's points: where it moved */
    int32_t *slot;      /* per element: among the members of its block */
    uint8_t *home;      /* and which of the two that was */
};

mplan_status mplan_native_pair_lists_create(native_pair *pair, mplan_error *err);
void mplan_native_pair_lists_free(native_pair *pair);
/* Reads the points that both blocks touch and the elements there, or all; those of the
 * first block come first. False, with none read, where no element at the border would save `least` or more. */
bool mplan_native_pair_lists_read(native_pair *pair, bool all, int32_t least);
/* False where a list has no room for it: all stays as it was. */
bool mplan_native_pair_lists_store(native_pair *pair);

#endif
