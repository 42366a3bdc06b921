/* SPDX-License-Identifier: Apache-2.0 */
/* native_band.h - what lies near the border of two blocks, as a small table of its own */
#ifndef MPLAN_NATIVE_BAND_H
#define MPLAN_NATIVE_BAND_H

#include "partition/native/native_pair_read.h"

/* The elements that may change their side, of both sides by depth 0, 1, ...; behind them the end of each side (native_band_end):
 * one entry in place of all elements of the next layer. Points are those that two or more of these entries touch, without hubs.
 * A row holds each of its points once, and a point each of its elements once. */
typedef struct native_band {
    int32_t n, n_points; /* ends included */
    int32_t *row;        /* n + 1: where the points of each begin */
    int32_t *points;
    int32_t *begin; /* n_points + 1: where the elements of each begin */
    int32_t *members;
    int32_t *element;      /* of each but the ends: its number in the pair */
    uint8_t *side, *depth; /* of each: steps from the border at hand */
    int32_t ended[2]; /* elements of each side that are not in the band: those in its end, and those behind */
    int32_t *of, *of_point; /* of each element and point of the pair: its number here; below 0: none */
    int32_t *list;          /* scratch: points of the pair in the order in which they were met */
} native_band;

static inline int32_t native_band_end(const native_band *band, int32_t side)
{
    return band->n - 2 + side;
}

/* Room for pairs of `elements` elements, whose rows have `longest` points at most. What was made is the band's, also after a
 * failure. */
mplan_status mplan_native_band_open(native_band *band, int64_t elements, int64_t longest,
                                    mplan_error *err);
void mplan_native_band_close(native_band *band);
/* The band of a pair all members of which were read; false where a side has nothing behind the elements that may move. */
bool mplan_native_band_read(native_band *band, const native_pair *pair);

#endif
