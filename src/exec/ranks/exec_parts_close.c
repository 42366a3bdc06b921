/* SPDX-License-Identifier: Apache-2.0 */
/* exec_parts_close.c - the end of an executor of parts; a dat of it by name */
#include <assert.h>
#include <stdlib.h>

#include "base/error.h"
#include "exec/ranks/exec_parts_direct.h"

/* *number is the same in all parts. */
mplan_status mplan_exec_parts_find(const mplan_exec *exec, const char *dat, int32_t *number,
                                   mplan_error *err)
{
    assert(exec && dat && number);
    *number = mplan_exec_find_dat(mplan_exec_parts_exec(exec->parts, 0), dat);
    return *number >= 0 ? MPLAN_OK
                        : mplan_fail(err, MPLAN_ERR_ARGUMENT, "dat %s is not declared", dat);
}

/* Releases the buffers of a channel; not while the transport may write to them still, which it says of itself: then they go with the process. */
void mplan_exec_parts_drop_room(const mplan_exec_parts *parts, mplan_channel *channel)
{
    assert(parts && channel);
    const mplan_exec *exec = parts->here[0].exec;
    if (parts->in_flight && (parts->transport.can & MPLAN_TRANSPORT_KEEPS)) {
        channel->buffer = channel->staged = NULL;
        return;
    }
    if (exec && !parts->limited)
        mplan_exec_release(exec, channel->buffer);
    else
        free(channel->buffer);
    free(channel->staged);
    channel->buffer = channel->staged = NULL;
}

/* Also of a parts that was filled halfway. */
void mplan_exec_parts_close(mplan_exec_parts *parts)
{
    assert(parts);
    mplan_exec_parts_close_peer(parts);
    if (parts->direct)
        mplan_exec_parts_close_direct(parts);
    mplan_exec_parts_close_lanes(parts);
    for (int32_t c = 0; c < parts->n_channels; c++)
        mplan_exec_parts_drop_room(parts, &parts->channels[c]);
    mplan_exec_parts_unlink(parts);
    for (int32_t i = 0; i < parts->n_here; i++) {
        mplan_exec_parts_close_places(&parts->here[i]);
        mplan_exec_close(parts->here[i].exec);
        mplan_plan_free(parts->here[i].plan);
    }
    free(parts->here);
    free(parts->first_part);
    free(parts->base);
    free(parts->links);
    free(parts->copies);
    free(parts->channels);
    free(parts->moves);
    free(parts->states);
    free(parts->changes);
    free(parts->spreads);
    mplan_ring_steps_close(&parts->uses);
    free(parts->step);
    free(parts->dats);
    free(parts->list);
    free(parts->in);
    free(parts->out);
    free(parts);
}

/* Loops that are still bound are released with the executor; those of the parts belong to theirs. */
void mplan_exec_parts_release(mplan_exec *exec)
{
    assert(exec);
    mplan_exec_parts_close(exec->parts);
    for (mplan_exec_loop *bound = exec->loops; bound;) {
        mplan_exec_loop *next = bound->next;
        free(bound->part);
        free(bound);
        bound = next;
    }
    mplan_exec_free_functions(exec);
    free(exec);
}
