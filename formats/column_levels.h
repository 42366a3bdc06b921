/* SPDX-License-Identifier: Apache-2.0 */
/* column_levels.h - layers of columns from the first and last level that files give, counted from 1 at the surface */
#ifndef MPLAN_COLUMN_LEVELS_H
#define MPLAN_COLUMN_LEVELS_H

#include "meshplan.h"

/* What is said of the columns over a set. */
typedef struct mplan_levels {
    const char *path, *variable, *word; /* for sentences; word: what a member is called */
    int32_t layers;
    int64_t minus; /* levels below the last layer: 1 where levels are between layers */
} mplan_levels;

/* Member begin + i has layers first[i] - 1 to last[i] - minus - 1, or none where its last is 0 or less. first NULL: from the
 * surface. ranges: out, 2 n; zeros of members without layers. MPLAN_ERR_MESH names the member. */
mplan_status mplan_levels_to_ranges(const mplan_levels *levels, int64_t begin, int64_t n,
                                    const int64_t *first, const int64_t *last, int32_t *ranges,
                                    mplan_error *err);

#endif
