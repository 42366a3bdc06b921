/* SPDX-License-Identifier: Apache-2.0 */
/* bisect_refine.h - moves between two sides of a graph that save cut edges */
#ifndef MPLAN_BISECT_REFINE_H
#define MPLAN_BISECT_REFINE_H

#include "partition/bisect_graph.h"

/* Two sides of a graph. */
typedef struct mplan_sides {
    uint8_t *side; /* 0 or 1 */
    int64_t due;   /* weight that side 0 should have, */
    int64_t slack; /* give or take */
    int64_t cut;   /* out: weight of the edges between the sides */
    int32_t fixed; /* the last so many vertices stay where they are */
} mplan_sides;

/* Weight of side 0 beside what is due, without sign. */
int64_t mplan_sides_off(const mplan_weighted *graph, const mplan_sides *sides);
/* Passes of Fiduccia and Mattheyses until one saves nothing, at most `passes`. Sides that are off by more than the slack
 * become less so. Deterministic. team: counts what edges are cut at the beginning; NULL: one thread. */
mplan_status mplan_sides_refine(const mplan_weighted *graph, int32_t passes, mplan_sides *sides,
                                mplan_team *team, mplan_error *err);

#endif
