/* SPDX-License-Identifier: Apache-2.0 */
/* levels.h - level structures of a connected graph: what Gibbs-Poole-Stockmeyer
 * and Sloan start from */
#ifndef MPLAN_LEVELS_H
#define MPLAN_LEVELS_H

#include "mesh/adjacency.h"
#include "order/spread.h"

/* A graph cut into levels 0 ... depth; neighbours are at most one level apart.
 * When it is rooted (mplan_levels_search), levels are distances from the root
 * set and the queue holds the vertices level by level. */
typedef struct mplan_levels {
    int32_t *level; /* n */
    int32_t *queue; /* n */
    int32_t *first; /* n + 1: level i is queue[first[i]] ... queue[first[i + 1] - 1] */
    int32_t depth;
    int64_t width;        /* vertices of the largest level */
    int64_t squares;      /* sum of the squares of the levels' sizes: close to the profile */
    mplan_spread *spread; /* for searches by threads; NULL: one thread searches */
} mplan_levels;

mplan_status mplan_levels_create(int64_t n, mplan_levels *levels, mplan_error *err);
void mplan_levels_free(mplan_levels *levels); /* and zeroes it */

/* The structure rooted at a set of vertices. False, and nothing of use, as soon
 * as a level holds more than `limit`. Linear time. */
bool mplan_levels_search(const mplan_csr *graph, const int32_t *root, int64_t n_root, int64_t limit,
                         mplan_levels *levels);

/* The last level of a rooted structure. */
const int32_t *mplan_levels_last(const mplan_levels *levels, int64_t *n);

/* The structure rooted at a vertex of lowest degree. */
void mplan_levels_start(const mplan_csr *graph, mplan_levels *levels);

/* The ends of a pseudo-diameter: `a` rooted at one, `b` at the other. `a` comes as
 * mplan_levels_start left it; `spare` is scratch. At most 25 searches; MPLAN_OK or
 * MPLAN_ERR_INTERRUPTED. */
mplan_status mplan_levels_ends(const mplan_csr *graph, mplan_levels *a, mplan_levels *b,
                               mplan_levels *spare, const mplan_context *context, mplan_error *err);

/* Combines two structures of equal depth, rooted at opposite ends, into one of
 * less width: all of out but its queue and first, which are scratch. Returns
 * MPLAN_OK or MPLAN_ERR_MEMORY. O(n log n + edges). */
mplan_status mplan_levels_combine(const mplan_csr *graph, const mplan_levels *a,
                                  const mplan_levels *b, mplan_levels *out, mplan_error *err);

#endif
