/* SPDX-License-Identifier: Apache-2.0 */
/* layering.h - the level structure of a connected graph that is worth numbering */
#ifndef MPLAN_LAYERING_H
#define MPLAN_LAYERING_H

#include "mesh/adjacency.h"

typedef struct mplan_layering {
    int32_t *level; /* n: 0 ... depth; neighbours are at most one apart */
    int32_t depth;
    bool even;       /* all levels are of one size */
    int64_t width;   /* vertices of the largest level */
    int64_t squares; /* sum of the squares of the levels' sizes */
} mplan_layering;

/* Of a graph of two vertices or more. MPLAN_OK, MPLAN_ERR_MEMORY or
 * MPLAN_ERR_INTERRUPTED. At most 30 breadth-first searches, many of them cut
 * short; scratch 40 bytes a vertex. */
mplan_status mplan_layering_choose(const mplan_csr *graph, mplan_layering *best,
                                   const mplan_context *context, mplan_error *err);
void mplan_layering_free(mplan_layering *layering); /* and zeroes it */

#endif
