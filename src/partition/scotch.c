/* SPDX-License-Identifier: Apache-2.0 */
/* scotch.c - SCOTCH_graphPart behind a fence (src/helper/scotch_cut.c) */
#include <assert.h>

#include "base/error.h"
#include "partition/contained.h"
#include "partition/partition.h"

/* As mplan_partition_metis. */
mplan_status mplan_partition_scotch(const mplan_csr *graph, int64_t n_parts, double imbalance,
                                    uint64_t seed, const mplan_cut_wishes *wishes, int32_t *part,
                                    const mplan_context *context, mplan_error *err)
{
    assert(graph && part);
#if defined MPLAN_HAVE_SCOTCH
    const mplan_cut cut = {"SCOTCH", "scotch", graph, n_parts, imbalance, seed, wishes};
    return mplan_partition_contained(&cut, part, context, err);
#else
    (void)graph;
    (void)n_parts;
    (void)imbalance;
    (void)seed;
    (void)wishes;
    (void)part;
    (void)context;
    return mplan_fail(err, MPLAN_ERR_UNSUPPORTED, "this build has no SCOTCH");
#endif
}
