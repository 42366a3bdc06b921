/* SPDX-License-Identifier: Apache-2.0 */
/* native_places.h - where the members of blocks lie */
#ifndef MPLAN_NATIVE_PLACES_H
#define MPLAN_NATIVE_PLACES_H

#include "partition/native/native_cut.h"
#include "partition/partition.h"

/* Coordinates of the members of every block, in the order of the members: of block b `dimension` runs of S numbers from
 * at[b * S * dimension] on, x of all members first. While they are there the slot of an element is its number among the members
 * of its block, as it was when they were made. */
typedef struct native_places {
    int32_t dimension; /* 2 or 3 */
    double *at;
} native_places;

static inline double *native_places_of(const native_places *places, const native_cut *cut, int64_t b)
{
    return places->at + b * cut->block_size * places->dimension;
}

/* Coordinate d of element e, which may not have changed its block since the places were made. */
static inline double native_place(const native_places *places, const native_cut *cut, int64_t e,
                                  int32_t d)
{
    const native_where where = cut->where[e];
    return native_places_of(places, cut, where.block)[d * cut->block_size + where.slot];
}

/* Whether the options have coordinates in the plane or in space. */
static inline bool native_have_places(const mplan_native_options *options)
{
    return (options->coordinates || options->finder) && options->dimension >= 2 &&
           options->dimension <= 3;
}

/* native_have_places must hold and members be listed; element i of the table is the caller's element sequence[i] (NULL: i). */
mplan_status mplan_native_places_create(native_cut *cut, const mplan_native_options *options,
                                        const int32_t *sequence, native_places *places,
                                        const mplan_context *context, mplan_error *err);
/* Slots are -1 again. Also after a failure. */
void mplan_native_places_free(native_cut *cut, native_places *places, mplan_team *team);
/* The coordinates of all n elements as the caller numbers them, `dimension` numbers each: the caller's to free. options->finder
 * must be there. */
double *mplan_native_find_all(int64_t n, const mplan_native_options *options,
                              const mplan_context *context, mplan_error *err);

#endif
