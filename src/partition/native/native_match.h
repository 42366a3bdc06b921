/* SPDX-License-Identifier: Apache-2.0 */
/* native_match.h - pairs of blocks that share points, in groups of disjoint units */
#ifndef MPLAN_NATIVE_MATCH_H
#define MPLAN_NATIVE_MATCH_H

#include "partition/native/native_cut.h"

/* Two blocks and points that they share when they are listed. */
typedef struct native_block_pair {
    int32_t a, b;
    int64_t begin;
    int32_t count;
} native_block_pair;

/* Pairs of blocks that share points. Units of a group hold no block in common; the
 * pairs of a unit go one after the other. */
typedef struct native_matching {
    int32_t n_groups;
    int64_t *group_begin; /* n_groups + 1: first unit */
    int64_t *unit_begin;  /* first pair of each unit, and where the last ends */
    native_block_pair *block_pairs;
    int32_t *seeds;  /* points */
    int64_t touched; /* distinct (block, point) pairs */
} native_matching;

/* least: points that a pair has to share. runs: how many units of several pairs there are at least, where blocks are enough, so that
 * threads have something to do; 0: these are as long as the cache holds. */
mplan_status mplan_native_match(const native_cut *cut, int32_t least, int32_t runs,
                                int64_t rotation, native_matching *matching,
                                const mplan_context *context, mplan_error *err);
void mplan_native_matching_free(native_matching *matching);

#endif
