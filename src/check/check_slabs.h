/* SPDX-License-Identifier: Apache-2.0 */
/* check_slabs.h - what the proofs of slabs and of the visit share */
#ifndef MPLAN_CHECK_SLABS_H
#define MPLAN_CHECK_SLABS_H

#include "check/check.h"

/* Something that launches of a loop's default variant touch. */
typedef struct mplan_slab_touch {
    int32_t stream; /* of the plan */
    int32_t reach;  /* rows of slab s touch slabs s - reach to s + reach of it */
    bool writes;
    bool whole; /* a launch of all rows writes all of it, and reads nothing of what it was */
} mplan_slab_touch;

/* What the proofs of borders, streams and events find, in this order. touch: for each entry of the step the distinct
 * streams that its launches touch. at[s]: slabs + 1 numbers for stream s, in bytes of one plane; planes[s]: dim for
 * dats whose components lie apart, else 1. */
typedef struct mplan_slab_proof {
    mplan_check *check;
    const mplan_plan *plan;
    const mplan_plan_visit *visit;
    const int64_t **offsets; /* of each set: slabs + 1 borders */
    const int32_t *segment;  /* segments + 1 borders */
    const mplan_event *event;
    int64_t n_events;
    int64_t *begin; /* n_step + 1: entry i touches touch[begin[i]] ... */
    mplan_slab_touch *touch;
    int64_t **at; /* of each stream: bytes of a plane before each border; NULL: it has no slabs */
    int32_t n_found; /* streams that are named so far */
    int32_t *planes; /* of each stream; 0: not found yet */
    bool *written;   /* of each stream, by the step */
} mplan_slab_proof;

/* check_streams.c: each thing that the step touches has a stream, and no other has; their ways, ends and windows. Fills
 * begin to written. */
mplan_status mplan_check_streams(mplan_slab_proof *proof, mplan_error *err);
/* check_visit.c: replays the events. */
mplan_status mplan_check_events(const mplan_slab_proof *proof, mplan_error *err);

/* Whether an arg is of a matrix that lies as owners read it. */
static inline bool mplan_slab_by_owner(const mplan_plan_arg *arg)
{
    return arg->layers.levels > 0 && arg->layers.columns == MPLAN_COLUMNS_OWNER;
}

/* The first arg that adds through a map; NULL: none. */
static inline const mplan_plan_arg *mplan_slab_increment(const mplan_plan_loop *loop)
{
    for (int32_t a = 0; a < loop->n_args; a++)
        if (loop->args[a].map >= 0 && mplan_access_adds(loop->args[a].access))
            return &loop->args[a];
    return NULL;
}

/* check_kept.c: bytes that a device needs beside all windows, for globals that change late and for loops with layers. */
int64_t mplan_check_kept_bytes(const mplan_plan *plan);

/* The border before segment v, moved; 0 before the first, all slabs behind the last. */
static inline int32_t mplan_slab_moved(const mplan_slab_proof *proof, int32_t v, int64_t by)
{
    const int32_t n = proof->visit->slabs;
    if (v <= 0)
        return 0;
    if (v >= proof->visit->segments)
        return n;
    const int64_t at = proof->segment[v] - by;
    return at < 0 ? 0 : at > n ? n : (int32_t)at;
}

#endif
