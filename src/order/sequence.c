/* SPDX-License-Identifier: Apache-2.0 */
/* sequence.c - members by ascending place */
#include "order/sequence.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"

enum { MEMBERS = 1 << 14 }; /* of a piece */

typedef struct place_work {
    const int32_t *new_of_old;
    int64_t n;
    int32_t *member; /* n, by place */
} place_work;

/* How many of the members [begin, end) have a place beyond those of n. */
static int64_t count_outside(void *data, int thread, int64_t begin, int64_t end)
{
    const place_work *work = data;
    int64_t outside = 0;
    (void)thread;
    for (int64_t i = begin; i < end; i++)
        outside += work->new_of_old[i] < 0 || work->new_of_old[i] >= work->n;
    return outside;
}

static void forget_places(void *data, int thread, int64_t begin, int64_t end)
{
    const place_work *work = data;
    (void)thread;
    memset(work->member + begin, 0xff, (size_t)(end - begin) * sizeof *work->member);
}

/* Members [begin, end) at their places; of two at one, either stays. */
static void fill_places(void *data, int thread, int64_t begin, int64_t end)
{
    const place_work *work = data;
    (void)thread;
    for (int64_t i = begin; i < end; i++)
        mplan_poke(&work->member[work->new_of_old[i]], (int32_t)i);
}

static int64_t count_empty(void *data, int thread, int64_t begin, int64_t end)
{
    const place_work *work = data;
    int64_t empty = 0;
    (void)thread;
    for (int64_t i = begin; i < end; i++)
        empty += work->member[i] < 0;
    return empty;
}

/* The same as below where places have no holes, by threads: n members at n places leave none empty. *sequence stays NULL
 * elsewhere. */
static mplan_status fill_whole(int64_t n, const int32_t *new_of_old, int32_t **sequence,
                               mplan_team *team, mplan_error *err)
{
    place_work work = {new_of_old, n, NULL};
    if (mplan_for_sum(team, n, MEMBERS, count_outside, &work) > 0)
        return MPLAN_OK;
    work.member = mplan_alloc(n, sizeof *work.member, err);
    if (!work.member)
        return MPLAN_ERR_MEMORY;
    mplan_for(team, n, MEMBERS, forget_places, &work);
    mplan_for(team, n, MEMBERS, fill_places, &work);
    if (mplan_for_sum(team, n, MEMBERS, count_empty, &work) == 0)
        *sequence = work.member;
    else
        free(work.member);
    return MPLAN_OK;
}

/* The places may have holes: member[] is filled by place, then closed up. Two members
 * of one place show as fewer members than n. */
mplan_status mplan_sequence_of(int64_t n, const int32_t *new_of_old, int32_t **sequence,
                               mplan_team *team, mplan_error *err)
{
    assert(sequence && n >= 0);
    *sequence = NULL;
    if (!new_of_old)
        return MPLAN_OK;
    mplan_status status = fill_whole(n, new_of_old, sequence, team, err);
    if (status || *sequence)
        return status;
    int64_t storage = n;
    for (int64_t i = 0; i < n; i++) {
        if (new_of_old[i] < 0)
            return mplan_fail(err, MPLAN_ERR_ARGUMENT, "an order has no place for member %lld",
                              (long long)i);
        if (new_of_old[i] >= storage)
            storage = (int64_t)new_of_old[i] + 1;
    }
    int32_t *member = mplan_alloc(storage, sizeof *member, err);
    if (!member)
        return MPLAN_ERR_MEMORY;
    for (int64_t i = 0; i < storage; i++)
        member[i] = -1;
    for (int64_t i = 0; i < n; i++)
        member[new_of_old[i]] = (int32_t)i;
    int64_t found = 0;
    for (int64_t i = 0; i < storage; i++)
        if (member[i] >= 0)
            member[found++] = member[i];
    if (found < n) {
        free(member);
        return mplan_fail(err, MPLAN_ERR_ARGUMENT, "an order gives several members the same place");
    }
    *sequence = member;
    return MPLAN_OK;
}
