/* native_pair.h - the scratch in which two blocks are refined
 *
 * Elements of the pair are those of the first block, then those of the second;
 * points likewise, shared ones under the number that the first block gives them. */
#ifndef MPLAN_NATIVE_PAIR_H
#define MPLAN_NATIVE_PAIR_H

#include "partition/native.h"

typedef struct pair_place { /* of a hash table of the first block's points */
    uint32_t stamp;
    int32_t point, id;
} pair_place;

typedef struct pair_link {
    int32_t next, previous;
} pair_link;

struct native_pair {
    const native_blocks *blocks;
    int32_t dimension;
    const float *coordinates;
    native_block block[2];
    int32_t n, n_points;
    /* per point */
    int32_t *second;   /* its number in the second block, -1: none */
    int32_t *id;       /* of the second block's points: their number here */
    int32_t *count;    /* 2 per point: elements of each side that touch it */
    uint8_t *weight;
    /* per element */
    uint8_t *side, *state;
    int32_t *gain;
    pair_link *link;   /* in lists by gain; then the heads of the lists of each side */
    int32_t *waiting, n_waiting; /* elements between two lists */
    int32_t *moved;    /* elements in the order of their moves */
    int32_t size[2], entries[2];
    int64_t *set_points; /* 2 x n_sets: points of each side, while the limits bind */
    int32_t range;     /* gains of lists: -range ... range */
    int32_t top[2];    /* no list above is in use */
    /* a hash table */
    pair_place *place;
    int32_t bits;
    uint32_t now;
    /* both sides, written anew */
    native_block fresh[2];
    uint16_t *number;  /* 2 per point of the pair: its number on each side */
    uint16_t *place_of[2]; /* per point of a side: where its next entry goes */
    /* splitting */
    float *value, *point_value;
    int32_t *rank;
};

static inline bool pair_is_second(const native_pair *pair, int32_t e)
{
    return e >= pair->block[0].n;
}

/* Row of an element: entries of its block and, for the second block, the way
 * from its points to the pair's. */
static inline const uint16_t *pair_row(const native_pair *pair, int32_t e, int32_t *length,
                                       const int32_t **id)
{
    bool second = pair_is_second(pair, e);
    const native_block *block = &pair->block[second];
    int32_t row = second ? e - pair->block[0].n : e;
    int32_t begin = mplan_native_first(block, row);
    *length = mplan_native_first(block, row + 1) - begin;
    *id = second ? pair->id : NULL;
    return block->row + begin;
}

/* native_fm.c: moves elements between the sides; returns the weight saved and, in
 * *n_moved, how many moves were kept. */
int64_t mplan_native_fm(native_pair *pair, int32_t *n_moved);
/* Whether the sides keep every limit. */
bool mplan_native_sides_fit(const native_pair *pair);

/* native_split.c: sides of the sizes that the blocks have. */
void mplan_native_split_smooth(native_pair *pair, int32_t sweeps);
void mplan_native_split_line(native_pair *pair);

#endif
