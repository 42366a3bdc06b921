/* SPDX-License-Identifier: Apache-2.0 */
/* native_pair.h - two blocks side by side, refined */
#ifndef MPLAN_NATIVE_PAIR_H
#define MPLAN_NATIVE_PAIR_H

#include "partition/native/native_pair_read.h"

/* The scratch of one thread; flows: whether some tries are by flows. */
native_pair *mplan_native_pair_create(native_cut *cut, bool flows, mplan_error *err);
void mplan_native_pair_free(native_pair *pair);
/* From now on some tries are by flows. */
mplan_status mplan_native_pair_add_flows(native_pair *pair, mplan_error *err);

typedef struct native_try {
    int32_t sweeps;   /* of smoothing before the split, 0: none */
    bool straightens; /* what smoothing gives stays as it is, even where it costs more; with sweeps */
    bool flows;       /* the split is along a cheapest border (native_flow.h); no sweeps */
    int32_t patience; /* moves without a better state */
    int32_t least; /* pairs with lists none of whose elements saves that much are left as they are */
} native_try;

/* Asks memory for what the pairs behind block_pair, up to `end`, will read, six of them ahead: without lists a pair waits
 * for memory half of its time. seeds: of the matching. Changes nothing. */
void mplan_native_pair_announce(const native_cut *cut, const native_block_pair *block_pair,
                                const native_block_pair *end, const int32_t *seeds);
/* Improves the split of two blocks, or straightens it; returns the weight saved, less than 0 where straightening cost some, or -1 when
 * nothing moved. A split anew wants the members listed. */
int64_t mplan_native_pair_refine(native_pair *pair, const native_block_pair *block_pair,
                                 const int32_t *seeds, const native_try *how);

#endif
