/* SPDX-License-Identifier: Apache-2.0 */
/* footprint.h - what a block touches, counted while it grows */
#ifndef MPLAN_FOOTPRINT_H
#define MPLAN_FOOTPRINT_H

#include "partition/partition.h"

/* Distinct points of one set that the block at hand touches. */
typedef struct mplan_footprint_set {
    int32_t set;
    int64_t count;
    uint32_t *stamp; /* n_points: number of the block that touched the point last */
} mplan_footprint_set;

typedef struct mplan_footprint {
    const mplan_block_limits *limits;
    int32_t n_sets, n_maps;
    mplan_footprint_set *sets;
    const mplan_map **maps; /* n_maps, each table once */
    int32_t *set_of_map;
    uint32_t now; /* the block at hand */
    int64_t elements;
} mplan_footprint;

/* MPLAN_ERR_ARGUMENT when a limit is out of its range. Scratch 4 bytes a point. */
mplan_status mplan_footprint_open(mplan_footprint *footprint, const mplan_block_limits *limits,
                                  mplan_error *err);
void mplan_footprint_close(mplan_footprint *footprint);

/* Frees the scratch; afterwards no block is begun, no element added or refused. */
void mplan_footprint_drop_stamps(mplan_footprint *footprint);

/* Starts an empty block. */
void mplan_footprint_begin(mplan_footprint *footprint);
void mplan_footprint_add(mplan_footprint *footprint, int64_t element);
/* Whether the block at hand keeps every limit. */
bool mplan_footprint_fits(const mplan_footprint *footprint);
/* Whether counts[n_sets] points of the sets keep the limits on points and bytes. */
bool mplan_footprint_counts_fit(const mplan_footprint *footprint, const int64_t *counts);
/* Entries of an element's rows into each set, added to counts[n_sets]: as many
 * points as it can add to a block. */
void mplan_footprint_add_rows(const mplan_footprint *footprint, int64_t element, int64_t *counts);
/* The error for an element that breaks a limit by itself; number: that it is called by. */
mplan_status mplan_footprint_refuse(mplan_footprint *footprint, int64_t element, int64_t number,
                                    mplan_error *err);

#endif
