/* SPDX-License-Identifier: Apache-2.0 */
/* native_metric.h - how far apart neighbouring elements of a block lie, direction by direction */
#ifndef MPLAN_NATIVE_METRIC_H
#define MPLAN_NATIVE_METRIC_H

#include "partition/native/native_places.h"

/* Cells of boundary layers and oceans are long and flat. Where elements of a block lie evenly once space
 * is scaled by the block's own spread of neighbours, the block is trusted: distances so scaled count
 * cells. It is not where coordinates say nothing of the mesh, or where thin layers bend within the block. */
typedef struct native_metric {
    int32_t dimension; /* 2 or 3 */
    double *spread; /* 6 per block: xx xy xz yy yz zz of the mean of d d^T over neighbours a distance d apart */
    bool *trusted; /* per block */
} native_metric;

/* Members must be listed; slots are written, and -1 again. */
mplan_status mplan_native_metric_create(native_cut *cut, const native_finding *finding,
                                        const mplan_context *context, native_metric *metric,
                                        mplan_error *err);
void mplan_native_metric_free(native_metric *metric);
/* line: out, 3 numbers: x . line tells on which side of the plane between two centroids x lies, in the mean
 * metric of blocks a and b; from_a_to_b: from the one centroid to the other. */
void mplan_native_metric_line(const native_metric *metric, int64_t a, int64_t b,
                              const double *from_a_to_b, double line[3]);

#endif
