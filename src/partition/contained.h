/* SPDX-License-Identifier: Apache-2.0 */
/* contained.h - a graph partitioner of somebody else's, run where it can do no harm */
#ifndef MPLAN_CONTAINED_H
#define MPLAN_CONTAINED_H

#include "mesh/cut_child.h"

/* Fills part without the partitioner where there is nothing to decide (no vertices, one part, as
 * many parts as vertices or more, no edges: then runs of the index); else has a program of libexec
 * cut the graph, and takes its answer when every value lies in [0, n_parts). MPLAN_ERR_ARGUMENT when
 * n vertices cannot be cut into so many parts; what mplan_child_run returns. */
mplan_status mplan_partition_contained(const mplan_cut *cut, int32_t *part,
                                       const mplan_context *context, mplan_error *err);

#endif
