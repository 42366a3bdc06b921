/* SPDX-License-Identifier: Apache-2.0 */
/* exec_parts_lanes.c - lanes and mails: what each rank that stores into memory of others has in its own (meshplan_exchange.h)
 *
 * exec_parts_peer.c connects those of one process, exec_parts_direct.c those of several. */
#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "exec/ranks/exec_parts.h"

/* Words of a mail's end at a rank, far enough from one another, too. */
enum { ARRIVED, COUNTED = 32, BLOCKS = 64, WORDS = 96 };

/* The executor of a rank's first part. */
static mplan_exec *exec_of(const mplan_exec_parts *parts, int32_t rank)
{
    return mplan_exec_parts_exec(parts, parts->first_part[rank] - parts->here[0].part);
}

/* Without CUDA lanes are emulated on the host: the same steps in one thread. */
static bool on_device(const mplan_exec_parts *parts)
{
    return mplan_exec_parts_exec(parts, 0)->executor == MPLAN_EXECUTOR_CUDA;
}

/* A mail each way for every pair of ranks that has a channel; channels ascend by (from, to). */
static mplan_status make_mails(mplan_exec_parts *parts, mplan_error *err)
{
    parts->mails = mplan_alloc_zero(2 * (int64_t)parts->n_channels, sizeof *parts->mails, err);
    if (!parts->mails)
        return MPLAN_ERR_MEMORY;
    for (int32_t c = 0; c < parts->n_channels; c++) {
        const mplan_channel *channel = &parts->channels[c];
        bool answered = false;
        parts->mails[parts->n_mails++] = (mplan_mail){.from_rank = channel->from_rank,
                                                      .to_rank = channel->to_rank,
                                                      .first = channel->first,
                                                      .end = channel->end};
        for (int32_t other = 0; other < parts->n_channels; other++)
            answered = answered || (parts->channels[other].from_rank == channel->to_rank &&
                                    parts->channels[other].to_rank == channel->from_rank);
        if (!answered)
            parts->mails[parts->n_mails++] = (mplan_mail){.from_rank = channel->to_rank,
                                                          .to_rank = channel->from_rank};
    }
    return MPLAN_OK;
}

/* Zeroed memory where a rank computes. */
static mplan_status zeroed(mplan_exec *exec, int64_t bytes, void **data, mplan_error *err)
{
    mplan_status status = mplan_exec_use(exec, err);
    if (!status)
        status = mplan_exec_allocate(exec, bytes, 1, data, err);
    if (!status && exec->executor == MPLAN_EXECUTOR_CUDA)
        return mplan_gpu_set(*data, 0, bytes, err);
    if (!status)
        memset(*data, 0, (size_t)bytes);
    return status;
}

/* Of the words of a lane. */
static int64_t lane_bytes(const mplan_exec_parts *parts)
{
    return (MPLAN_LANE_WORDS + WORDS * parts->n_mails) * (int64_t)sizeof(uint32_t);
}

/* Words of a rank: counters of messages, of each mail that it sends or receives, all 0 in the beginning. */
mplan_status mplan_exec_parts_open_lane(mplan_exec_parts *parts, int32_t rank, int32_t device,
                                        mplan_error *err)
{
    assert(parts && parts->lanes && mplan_exec_parts_is_here(parts, rank));
    mplan_lane *lane = &parts->lanes[rank];
    void *words = NULL;
    lane->device = device;
    mplan_status status = zeroed(exec_of(parts, rank), lane_bytes(parts), &words, err);
    lane->words = words;
    return status || !on_device(parts) ? status : mplan_gpu_lane_open(&lane->gpu, err);
}

/* Of the rank's own memory. */
mplan_mail_end mplan_exec_parts_mail_end(const mplan_exec_parts *parts, int64_t m, int32_t rank,
                                         bool send)
{
    assert(parts && parts->lanes && m >= 0 && m < parts->n_mails);
    const mplan_mail *mail = &parts->mails[m];
    assert(rank == (send ? mail->from_rank : mail->to_rank));
    uint32_t *words = parts->lanes[rank].words;
    uint32_t *own = words + MPLAN_LANE_WORDS + WORDS * m;
    return (mplan_mail_end){.arrived = send ? NULL : own + ARRIVED,
                            .counted = own + COUNTED,
                            .blocks = own + BLOCKS,
                            .stopped = words + MPLAN_LANE_STOPPED,
                            .failed = &parts->failed[rank],
                            .from_rank = (uint32_t)mail->from_rank,
                            .patience = (int64_t)(parts->patience * 1e9)};
}

/* Where waits that were too long are told: the host reads it while devices work. */
static mplan_status open_failed(mplan_exec_parts *parts, mplan_error *err)
{
    const int64_t bytes = parts->ranks * (int64_t)sizeof *parts->failed;
    void *failed = NULL;
    mplan_status status = MPLAN_OK;
    if (on_device(parts)) {
        status = mplan_exec_use(mplan_exec_parts_exec(parts, 0), err);
        if (!status)
            status = mplan_gpu_host_alloc(bytes, &failed, err);
    } else {
        failed = mplan_alloc(bytes, 1, err);
        status = failed ? MPLAN_OK : MPLAN_ERR_MEMORY;
    }
    if (failed)
        memset(failed, 0, (size_t)bytes);
    parts->failed = failed;
    return status;
}

/* What is made stays with `parts` after a failure, too. */
mplan_status mplan_exec_parts_make_lanes(mplan_exec_parts *parts, mplan_error *err)
{
    assert(parts && !parts->lanes);
    mplan_status status = make_mails(parts, err);
    if (!status) {
        parts->letters = mplan_alloc_zero(parts->n_mails, sizeof *parts->letters, err);
        status = parts->letters ? MPLAN_OK : MPLAN_ERR_MEMORY;
    }
    parts->lanes = status ? NULL : mplan_alloc_zero(parts->ranks, sizeof *parts->lanes, err);
    return parts->lanes ? open_failed(parts, err) : MPLAN_ERR_MEMORY;
}

/* Of a parts that was opened halfway, too. */
void mplan_exec_parts_close_lanes(mplan_exec_parts *parts)
{
    assert(parts);
    const int32_t end = mplan_exec_parts_end_rank(parts);
    for (int32_t r = mplan_exec_parts_first_rank(parts); parts->lanes && r < end; r++)
        if (mplan_exec_use(exec_of(parts, r), NULL) == MPLAN_OK) {
            mplan_exec_release(exec_of(parts, r), parts->lanes[r].words);
            exec_of(parts, r)->bytes -= parts->lanes[r].words ? lane_bytes(parts) : 0;
            mplan_gpu_lane_close(parts->lanes[r].gpu);
        }
    if (parts->failed && on_device(parts))
        mplan_gpu_host_free(parts->failed);
    else
        free(parts->failed);
    free(parts->mails);
    free(parts->letters);
    free(parts->lanes);
    parts->failed = NULL;
    parts->mails = NULL;
    parts->letters = NULL;
    parts->lanes = NULL;
    parts->n_mails = 0;
}
