/* SPDX-License-Identifier: Apache-2.0 */
/* native_shift.h - elements that cross the border of two blocks, those first that save most points */
#ifndef MPLAN_NATIVE_SHIFT_H
#define MPLAN_NATIVE_SHIFT_H

#include "base/point_table.h"
#include "partition/native/native_cut.h"

/* Elements of a block that counts can hold; larger ones neither give nor take. */
enum { NATIVE_MOST_SHIFTED = UINT16_MAX, NATIVE_CHAIN_END = -1 };

/* Blocks as chains: per block its first element, NATIVE_CHAIN_END: none; the next one is in the slot of an element. */
typedef struct native_chains {
    native_cut *cut;
    int32_t *head;
} native_chains;

/* Where the slot of an element is while its block is chained. */
static inline int32_t *native_next_of(const native_chains *chains, int64_t e)
{
    return &chains->cut->where[e].slot;
}

/* The scratch of a thread, all zero at first: what two blocks hold, their points by numbers of their own. */
typedef struct native_shift {
    mplan_vector elements; /* shift_element: of the block that gives */
    mplan_vector rows;     /* int32_t: their points */
    mplan_vector touch;    /* int32_t: elements of each point, as many as entries of rows */
    mplan_vector gains;    /* shift_gain: of each element that is still there */
    mplan_vector points;   /* shift_point: of both blocks */
    mplan_point_table table;
} native_shift;

void mplan_native_shift_open(native_shift *shift);
void mplan_native_shift_free(native_shift *shift);

/* Moves up to `amount` elements of block a that touch block b, the best one first, and at least one stays: chains, blocks and
 * sizes. *moved: how many. Nothing of other blocks is read or written: threads may shift between other pairs of blocks
 * meanwhile, each with a scratch of its own. false: no memory, nothing has moved. */
bool mplan_native_shift(native_shift *shift, const native_chains *chains, int32_t a, int32_t b,
                        int32_t amount, int32_t *moved);

#endif
