/* SPDX-License-Identifier: Apache-2.0 */
/* exec_parts_peer.c - the transports "peer" and "nccl": ranks that each have a device of their own
 *
 * Kernels of the sender store messages into rooms in the receiver's memory and tell it by a number there; kernels of the
 * receiver wait for it and move the rows into halos (device_halo.h). So one thread of the host puts work into the streams of
 * all devices and waits for none of them, and a step can be captured into one graph a device. With overlap all of this goes
 * into a second stream of each device, beside the launches that need no halo.
 *
 * With NCCL messages are packed in the sender's memory and sent and received in one group, in the same streams.
 *
 * Ranks are of this process, or each is a process (exec_parts_direct.c): then each does what is its own rank's.
 *
 * Every message that is waited for was put into a stream before, so two ranks on one device would not stand still either;
 * but blocks that wait could keep the sender's out, and such ranks are refused. */
#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/error.h"
#include "base/memory.h"
#include "exec/ranks/exec_parts_direct.h"
#include "exec/ranks/halo_rows.h"

/* devices: one for each rank, no two the same. */
mplan_status mplan_exec_parts_check_devices(const int32_t *devices, int32_t ranks, mplan_error *err)
{
    assert(devices);
    for (int32_t r = 0; r < ranks; r++)
        for (int32_t q = 0; q < r; q++)
            if (devices[q] == devices[r])
                return mplan_fail(err, MPLAN_ERR_ARGUMENT,
                                  "ranks %d and %d are both to run on device %d; peer needs a "
                                  "device for each rank",
                                  (int)q, (int)r, (int)devices[r]);
    return MPLAN_OK;
}

/* A stream belongs to one device: launches on several go into those of the lanes, which are ordered by events. */
mplan_status mplan_exec_parts_check_stream(const mplan_exec_parts *parts, const void *stream,
                                           mplan_error *err)
{
    assert(parts);
    const int32_t first = mplan_exec_parts_first_rank(parts);
    if (!stream || !parts->lanes || !parts->lanes[first].gpu ||
        stream == mplan_gpu_lane_stream(parts->lanes[first].gpu, false))
        return MPLAN_OK;
    return mplan_fail(err, MPLAN_ERR_ARGUMENT,
                      "on several devices launches go into streams of the executor: the stream must "
                      "be NULL");
}

/* Another rank has ended waits of this one: it has told before, but its word may still be on the way for a moment. */
static mplan_status stopped(const mplan_exec_parts *parts, mplan_error *err)
{
    const double begin = mplan_clock();
    mplan_status status = MPLAN_OK;
    while (parts->transport.told && !status && mplan_clock() - begin < 1)
        status = parts->transport.told(parts->transport.user, err);
    return status ? status
                  : mplan_fail(err, MPLAN_ERR_DEVICE,
                               "another rank failed while rank %d waited for its halo",
                               (int)parts->rank);
}

/* Kernels that wait for a message end after `patience` seconds and leave word in `failed`, which the host may read at
 * any time. */
mplan_status mplan_exec_parts_peer_check(const mplan_exec_parts *parts, mplan_error *err)
{
    assert(parts);
    for (int32_t r = 0; parts->failed && r < parts->ranks; r++) {
        const uint32_t from = __atomic_load_n(&parts->failed[r], __ATOMIC_RELAXED);
        if (from > 0)
            return mplan_fail(err, MPLAN_ERR_DEVICE,
                              "rank %d on device %d waited %g seconds for the halo of rank %d on "
                              "device %d, which did not come",
                              (int)r, (int)parts->lanes[r].device, parts->patience, (int)from - 1,
                              (int)parts->lanes[from - 1].device);
    }
    return parts->direct && mplan_exec_parts_is_stopped(parts) ? stopped(parts, err) : MPLAN_OK;
}

/* --- opening --------------------------------------------------------------------------- */

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

/* Both ends of a mail know their counters; the sender's device uses the receiver's memory. */
static mplan_status open_mail(mplan_exec_parts *parts, int64_t m, mplan_error *err)
{
    mplan_mail *mail = &parts->mails[m];
    mail->in = mplan_exec_parts_mail_end(parts, m, mail->to_rank, false);
    mail->out = mplan_exec_parts_mail_end(parts, m, mail->from_rank, true);
    mail->out.arrived = mail->in.arrived;
    if (!on_device(parts) || parts->by_nccl)
        return MPLAN_OK;
    mplan_status status = mplan_exec_use(exec_of(parts, mail->from_rank), err);
    return status ? status
                  : mplan_gpu_reach_peer(parts->lanes[mail->from_rank].device,
                                         parts->lanes[mail->to_rank].device, err);
}

/* Only where all ranks are in this process (rank < 0). Each device must be able to store into the memory of the others. */
mplan_status mplan_exec_parts_open_peer(mplan_exec_parts *parts, const int32_t *devices,
                                        bool by_nccl, mplan_error *err)
{
    assert(parts && devices && parts->rank < 0);
    parts->by_nccl = by_nccl;
    mplan_status status = mplan_exec_parts_make_lanes(parts, err);
    for (int32_t r = 0; r < parts->ranks && !status; r++)
        status = mplan_exec_parts_open_lane(parts, r, devices[r], err);
    for (int64_t m = 0; m < parts->n_mails && !status; m++)
        status = open_mail(parts, m, err);
    if (!status && by_nccl)
        status = mplan_gpu_nccl_open(parts->ranks, devices, &parts->nccl, err);
    snprintf(parts->moved_by, sizeof parts->moved_by, "%s%s",
             by_nccl                                 ? "nccl"
             : mplan_exec_parts_may_go_inside(parts) ? "peer-inside"
                                                     : "peer",
             by_nccl            ? ""
             : on_device(parts) ? ", stores into the other device"
                                : ", emulated in host memory");
    return status;
}

/* At both ends of a mail. */
static void release_rooms(const mplan_exec_parts *parts, mplan_mail *mail)
{
    mplan_exec *from = exec_of(parts, mail->from_rank), *to = exec_of(parts, mail->to_rank);
    if (mplan_exec_use(to, NULL) == MPLAN_OK)
        mplan_exec_release(to, mail->rooms);
    if (mail->packed && mplan_exec_use(from, NULL) == MPLAN_OK)
        mplan_exec_release(from, mail->packed);
    mail->rooms = mail->packed = NULL;
    mail->capacity = 0;
}

/* Also of what was opened halfway; lanes stay. */
void mplan_exec_parts_close_peer(mplan_exec_parts *parts)
{
    assert(parts);
    const int32_t end = mplan_exec_parts_end_rank(parts);
    for (int32_t r = mplan_exec_parts_first_rank(parts); parts->lanes && r < end; r++)
        mplan_exec_wait(exec_of(parts, r), NULL); /* nobody may still store into what is released */
    mplan_gpu_nccl_close(parts->nccl);
    if (parts->lanes)
        mplan_exec_parts_tables_close(parts);
    for (int64_t m = 0; parts->lanes && !parts->direct && m < parts->n_mails; m++)
        release_rooms(parts, &parts->mails[m]);
}

/* --- exchanges --------------------------------------------------------------------------- */

/* Rooms of a mail for so many bytes; both ends are idle. */
static mplan_status make_rooms(mplan_exec_parts *parts, mplan_mail *mail, int64_t bytes,
                               mplan_error *err)
{
    mplan_exec *from = exec_of(parts, mail->from_rank), *to = exec_of(parts, mail->to_rank);
    void *rooms = NULL, *packed = NULL;
    mplan_status status = mplan_exec_use(to, err);
    if (!status)
        status = mplan_exec_allocate(to, bytes, parts->by_nccl ? 1 : 2, &rooms, err);
    mail->rooms = rooms;
    if (!status && parts->by_nccl)
        status = mplan_exec_use(from, err);
    if (!status && parts->by_nccl)
        status = mplan_exec_allocate(from, bytes, 1, &packed, err);
    mail->packed = packed;
    if (!status)
        mail->capacity = mail->in.room = mail->out.room = bytes;
    return status;
}

static mplan_status exchange_letters(mplan_exec_parts *parts, bool aside, mplan_error *err);

/* NCCL makes its connections at the first message, which must not be in a graph: all rooms are sent as they are. */
static mplan_status connect(mplan_exec_parts *parts, mplan_error *err)
{
    for (int64_t m = 0; m < parts->n_mails; m++) {
        parts->mails[m].used = parts->mails[m].capacity > 0;
        parts->mails[m].bytes = parts->mails[m].capacity;
    }
    mplan_status status = exchange_letters(parts, true, err);
    for (int32_t r = 0; r < parts->ranks && !status; r++)
        status = mplan_exec_wait(exec_of(parts, r), err);
    return status;
}

/* Messages that have not been taken are lost: none is under way here. */
mplan_status mplan_exec_parts_peer_rooms(mplan_exec_parts *parts, mplan_error *err)
{
    assert(parts && parts->lanes && !parts->direct);
    mplan_status status = MPLAN_OK;
    bool grown = false;
    for (int64_t m = 0; m < parts->n_mails && !status; m++) {
        mplan_mail *mail = &parts->mails[m];
        const int64_t bytes = mplan_exec_parts_link_bytes(parts, mail->first, mail->end);
        if (bytes <= mail->capacity)
            continue;
        grown = true;
        status = mplan_exec_wait(exec_of(parts, mail->from_rank), err);
        if (!status)
            status = mplan_exec_wait(exec_of(parts, mail->to_rank), err);
        if (status)
            break;
        release_rooms(parts, mail);
        status = make_rooms(parts, mail, bytes, err);
    }
    return !status && grown && parts->by_nccl ? connect(parts, err) : status;
}

/* Whether anything goes between the two ranks of a mail, either way: then both send. */
static bool is_used(const mplan_exec_parts *parts, const mplan_mail *mail)
{
    for (int64_t m = 0; m < parts->n_mails; m++) {
        const mplan_mail *other = &parts->mails[m];
        const bool same = other->from_rank == mail->from_rank && other->to_rank == mail->to_rank;
        const bool back = other->from_rank == mail->to_rank && other->to_rank == mail->from_rank;
        if ((same || back) && mplan_exec_parts_link_bytes(parts, other->first, other->end) > 0)
            return true;
    }
    return false;
}

/* Which mails the exchange at hand uses. */
void mplan_exec_parts_peer_mark(mplan_exec_parts *parts)
{
    assert(parts && parts->lanes);
    for (int64_t m = 0; m < parts->n_mails; m++)
        parts->mails[m].used = is_used(parts, &parts->mails[m]);
}

/* The stream of messages of a rank. */
static void *stream_of(const mplan_exec_parts *parts, int32_t rank, bool aside)
{
    const mplan_lane *lane = &parts->lanes[rank];
    return lane->gpu ? mplan_gpu_lane_stream(lane->gpu, aside) : NULL;
}

/* From here on what goes aside waits for the launches before (fork), or launches for what is aside. */
static mplan_status turn(const mplan_exec_parts *parts, bool fork, mplan_error *err)
{
    const int32_t end = mplan_exec_parts_end_rank(parts);
    mplan_status status = MPLAN_OK;
    for (int32_t r = mplan_exec_parts_first_rank(parts); r < end && parts->lanes[r].gpu && !status;
         r++) {
        status = mplan_exec_use(exec_of(parts, r), err);
        if (!status)
            status = fork ? mplan_gpu_lane_fork(parts->lanes[r].gpu, err)
                          : mplan_gpu_lane_join(parts->lanes[r].gpu, err);
    }
    return status;
}

/* All messages of the exchange by NCCL, in the streams of both ends. */
static mplan_status exchange_letters(mplan_exec_parts *parts, bool aside, mplan_error *err)
{
    int64_t n = 0;
    for (int64_t m = 0; m < parts->n_mails; m++) {
        const mplan_mail *mail = &parts->mails[m];
        if (mail->used && mail->bytes > 0)
            parts->letters[n++] = (mplan_nccl_message){mail->from_rank,
                                                       mail->to_rank,
                                                       mail->packed,
                                                       mail->rooms,
                                                       mail->bytes,
                                                       stream_of(parts, mail->from_rank, aside),
                                                       stream_of(parts, mail->to_rank, aside)};
    }
    return n > 0 ? mplan_gpu_nccl_exchange(parts->nccl, parts->letters, n, err) : MPLAN_OK;
}

/* Moves of one end of a mail, and the message itself. */
static mplan_status run_end(mplan_exec_parts *parts, mplan_mail *mail, bool send, bool aside,
                            mplan_error *err)
{
    const int32_t rank = send ? mail->from_rank : mail->to_rank;
    char *room = send && parts->by_nccl ? mail->packed : mail->rooms;
    int64_t n = 0;
    mplan_status status = mplan_exec_parts_collect(parts, mail->first, mail->end, room, send, &n,
                                                   &mail->bytes, err);
    if (send && mail->bytes > 0) {
        parts->messages++;
        parts->bytes += mail->bytes;
    }
    return status ? status
                  : mplan_halo_run(exec_of(parts, rank), parts->moves, n,
                                   parts->by_nccl ? MPLAN_MAIL_NONE
                                   : send         ? MPLAN_MAIL_SEND
                                                  : MPLAN_MAIL_RECEIVE,
                                   parts->by_nccl ? NULL
                                   : send         ? &mail->out
                                                  : &mail->in,
                                   stream_of(parts, rank, aside), err);
}

/* For each rank one kernel stores what others import into their rooms, and one copies between its own parts; aside: in
 * a stream beside the launches that follow. */
mplan_status mplan_exec_parts_peer_send(mplan_exec_parts *parts, mplan_error *err)
{
    assert(parts && parts->lanes);
    parts->aside = parts->overlap;
    const bool aside = parts->aside && !parts->early;
    mplan_status status = aside ? turn(parts, true, err) : MPLAN_OK;
    mplan_exec_parts_peer_mark(parts);
    for (int64_t m = 0; m < parts->n_mails && !status; m++)
        if (parts->mails[m].used && mplan_exec_parts_is_here(parts, parts->mails[m].from_rank))
            status = run_end(parts, &parts->mails[m], true, aside, err);
    if (!status && parts->by_nccl)
        status = exchange_letters(parts, aside, err);
    const int32_t end = mplan_exec_parts_end_rank(parts);
    for (int32_t r = mplan_exec_parts_first_rank(parts); r < end && !status; r++)
        status = mplan_exec_parts_copy_within(parts, r, stream_of(parts, r, aside), err);
    return !status && parts->aside && parts->early ? turn(parts, true, err) : status;
}

/* Kernels that wait for the messages of this exchange and put them into the halos; the mails that were used are those
 * of the last send. */
mplan_status mplan_exec_parts_peer_receive(mplan_exec_parts *parts, mplan_error *err)
{
    assert(parts && parts->lanes);
    mplan_status status = MPLAN_OK;
    for (int64_t m = 0; m < parts->n_mails && !status; m++)
        if (parts->mails[m].used && mplan_exec_parts_is_here(parts, parts->mails[m].to_rank))
            status = run_end(parts, &parts->mails[m], false, parts->aside, err);
    return !status && parts->aside ? turn(parts, false, err) : status;
}
