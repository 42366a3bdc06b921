/* SPDX-License-Identifier: Apache-2.0 */
/* votes.h - a member goes to the part that most of its neighbours are in, the lowest of equals */
#ifndef MPLAN_VOTES_H
#define MPLAN_VOTES_H

#include <stdint.h>

/* Votes for parts, few at a time. Both arrays have an entry for each part; only the first n of
 * `part` are in use. So an election costs what its votes cost, however many parts there are. */
typedef struct mplan_votes {
    int32_t n, *part; /* those that have one */
    int32_t *count;   /* by part, 0 between elections */
} mplan_votes;

/* One vote. The first for a part puts it on the list, whose order does not matter. */
static inline void mplan_vote(mplan_votes *v, int32_t part)
{
    if (v->count[part]++ == 0)
        v->part[v->n++] = part;
}

/* The part with most votes, the lowest of equals; -1 without a vote. Ends the election: counts
 * are 0 and the list is empty afterwards. */
static inline int32_t mplan_elect(mplan_votes *v)
{
    int32_t best = -1;
    for (int32_t i = 0; i < v->n; i++) {
        const int32_t part = v->part[i];
        if (best < 0 || v->count[part] > v->count[best] ||
            (v->count[part] == v->count[best] && part < best))
            best = part;
    }
    for (int32_t i = 0; i < v->n; i++)
        v->count[v->part[i]] = 0;
    v->n = 0;
    return best;
}

/* Where nobody votes: the member's share of its set, in the order of members. size > 0, and the
 * product is below 2^62. */
static inline int32_t mplan_deal(int32_t n_parts, int64_t member, int64_t size)
{
    return (int32_t)(member * n_parts / size);
}

#endif
