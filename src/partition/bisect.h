/* SPDX-License-Identifier: Apache-2.0 */
/* bisect.h - graphs with weights into parts, as mplan_partition_bisect cuts those without */
#ifndef MPLAN_BISECT_H
#define MPLAN_BISECT_H

#include "partition/bisect_graph.h"

/* part: out, of each vertex. Parts weigh nearly the same, as far as heavy vertices allow; none is empty where there are as many
 * vertices. Equal graphs give equal parts. */
mplan_status mplan_bisect_weighted(const mplan_weighted *graph, int32_t n_parts, double imbalance,
                                   int32_t *part, const mplan_context *context, mplan_error *err);

#endif
