/* SPDX-License-Identifier: Apache-2.0 */
/* metis.c - METIS_PartGraphKway behind a fence (src/helper/metis_cut.c) */
#include <assert.h>

#include "base/error.h"
#include "partition/contained.h"
#include "partition/partition.h"

/* The edge cut of METIS's k-way method; ufactor in thousandths above the mean.
 * Without METIS the build answers MPLAN_ERR_UNSUPPORTED. */
mplan_status mplan_partition_metis(const mplan_csr *graph, int64_t n_parts, int32_t ufactor,
                                   uint64_t seed, const mplan_cut_wishes *wishes, int32_t *part,
                                   const mplan_context *context, mplan_error *err)
{
    assert(graph && part);
#if defined MPLAN_HAVE_METIS
    const mplan_cut cut = {"METIS", "metis", graph, n_parts, ufactor / 1000.0, seed, wishes};
    return mplan_partition_contained(&cut, part, context, err);
#else
    (void)graph;
    (void)n_parts;
    (void)ufactor;
    (void)seed;
    (void)wishes;
    (void)part;
    (void)context;
    return mplan_fail(err, MPLAN_ERR_UNSUPPORTED, "this build has no METIS");
#endif
}
