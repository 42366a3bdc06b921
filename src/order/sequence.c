/* SPDX-License-Identifier: Apache-2.0 */
/* sequence.c - members by ascending place */
#include "order/sequence.h"

#include <assert.h>
#include <stdlib.h>

#include "base/error.h"
#include "base/memory.h"

/* The places may have holes: member[] is filled by place, then closed up. Two members
 * of one place show as fewer members than n. */
mplan_status mplan_sequence_of(int64_t n, const int32_t *new_of_old, int32_t **sequence,
                               mplan_error *err)
{
    assert(sequence && n >= 0);
    *sequence = NULL;
    if (!new_of_old)
        return MPLAN_OK;
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
