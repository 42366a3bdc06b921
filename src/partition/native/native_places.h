/* SPDX-License-Identifier: Apache-2.0 */
/* native_places.h - where the members of blocks lie */
#ifndef MPLAN_NATIVE_PLACES_H
#define MPLAN_NATIVE_PLACES_H

#include "partition/native/native_cut.h"
#include "partition/partition.h"

/* How coordinates of a table's elements are found. */
typedef struct native_finding {
    const mplan_native_options *options;
    const int32_t *sequence; /* element i of the table is the caller's sequence[i]; NULL: i */
    int32_t *row; /* with a finder: the row of each of the caller's elements; NULL: its own number */
} native_finding;

/* Coordinates of the members of every block, in the order of the members: of block b `dimension` runs of S numbers from
 * at[b * S * dimension] on, x of all members first. */
typedef struct native_places {
    int32_t dimension; /* 2 or 3 */
    double *at;
} native_places;

static inline double *native_places_of(const native_places *places, const native_cut *cut, int64_t b)
{
    return places->at + b * cut->block_size * places->dimension;
}

/* Whether the options have coordinates in the plane or in space. */
static inline bool native_have_places(const mplan_native_options *options)
{
    return (options->coordinates || options->finder) && options->dimension >= 2 &&
           options->dimension <= 3;
}

/* native_have_places must hold; n: the elements of the table. scratch: n numbers, which are the finding's as long as it is
 * used. It holds nothing else that would have to be freed. */
native_finding mplan_native_finding(const mplan_native_options *options, const int32_t *sequence,
                                    int64_t n, int32_t *scratch, mplan_team *team);
/* Coordinates of n elements of a block: `dimension` runs of S numbers, those of an element at the place of its slot. */
void mplan_native_find_some(const native_finding *finding, const native_cut *cut,
                            const int32_t *elements, int32_t n, double *at);
/* Those of the members of all blocks, which must be listed. */
mplan_status mplan_native_places_create(const native_cut *cut, const native_finding *finding,
                                        native_places *places, const mplan_context *context,
                                        mplan_error *err);
/* Also after a failure. */
void mplan_native_places_free(native_places *places);
/* The coordinates of all n elements as the caller numbers them, `dimension` numbers each: the caller's to free. options->finder
 * must be there. */
double *mplan_native_find_all(int64_t n, const mplan_native_options *options,
                              const mplan_context *context, mplan_error *err);

#endif
