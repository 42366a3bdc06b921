/* native_lists.h - of every block the points that it touches, and rows that name them by place
 *
 * Where rows are long and many elements meet at a point, those at a border touch most points
 * of their blocks. A pair is read from these lists then: points are looked up once for the
 * pair, not once for every entry, how many elements touch them is known, and elements away
 * from the border are never read. */
#ifndef MPLAN_NATIVE_LISTS_H
#define MPLAN_NATIVE_LISTS_H

#include "partition/native/native_pair.h"

struct native_lists {
    int32_t stride;        /* of a row */
    int32_t most_points;   /* of a block, below NATIVE_NONE */
    uint16_t *rows;        /* S x stride a block, as its members; NATIVE_NONE behind the last */
    int32_t *n_points;     /* of each block */
    int64_t *points_begin; /* n_blocks + 1: room for its points */
    int32_t *points;
    uint16_t *counts;      /* as points: elements of the block that touch it */
};

enum { NATIVE_NONE = UINT16_MAX };

static inline uint16_t *native_rows(const native_cut *cut, int64_t b)
{
    return cut->lists->rows + b * cut->lists->most_points;
}

/* Whether lists pay, and how long their rows are; 0: they do not. */
int32_t mplan_native_lists_stride(const native_cut *cut);
/* Lists the members of the blocks and what they touch, where that pays; else cut->lists stays
 * NULL. */
mplan_status mplan_native_lists_create(native_cut *cut, const mplan_context *context,
                                       mplan_error *err);
void mplan_native_lists_free(native_cut *cut);

/* What a pair keeps for them, beside elements and points. */
struct pair_lists {
    int32_t *number[2];      /* per place of a block's points: in the pair; -1: not read, or
                                NATIVE_NONE */
    uint16_t *bucket, *next; /* a hash table of the first block's places */
    int32_t *place[2];       /* per point: in the list of each block; -1: not there */
    int32_t *slot;           /* per element: among the members of its block */
    uint8_t *home;           /* and which of the two that was */
};

mplan_status mplan_native_pair_lists_create(native_pair *pair, mplan_error *err);
void mplan_native_pair_lists_free(native_pair *pair);
/* Reads the points that both blocks touch and the elements there, or all; those of the
 * first block come first. */
void mplan_native_pair_lists_read(native_pair *pair, bool all);
/* False where a list has no room for it: all stays as it was. */
bool mplan_native_pair_lists_store(native_pair *pair);

#endif
