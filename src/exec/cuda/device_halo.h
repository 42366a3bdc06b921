/* SPDX-License-Identifier: Apache-2.0 */
/* device_halo.h - members of dats into messages, out of them and from dat to dat; mailboxes between devices
 *
 * A move copies members from one place to another; either end is a dat or a message. A mail is the way of messages from one
 * rank to another in one process: two rooms in the memory of the receiver, and counters in the memory of both, so that no host
 * takes part. Message number n (1, 2, ...) goes into room n % 2. The sender stores its rows there and then, with
 * release, the number as `arrived`; the receiver waits for that number with acquire and moves the rows on.
 *
 * Both ranks send each other one message in every exchange, an empty one where nothing is to be moved, and a rank receives
 * message n before it sends n + 1. So who sends n + 1 has seen n of the other, which was sent after the other had taken n - 1:
 * the room of n + 1 is free. Kernels and the host's
 * functions (exec/ranks/halo_rows.h) share this header, and so their numbering. */
#ifndef MPLAN_EXEC_DEVICE_HALO_H
#define MPLAN_EXEC_DEVICE_HALO_H

#include "exec/cuda/device.h"

#if defined(__CUDACC__) || defined(__HIP__)
#define MPLAN_HALO_FN static inline __host__ __device__
#else
#define MPLAN_HALO_FN static inline
#endif

/* One end of a move: number c of level j of row k is at data + (place of k * member + j * level + c * component) * bytes of
 * a number. */
typedef struct mplan_move_end {
    char *data;
    int64_t member, level, component;
    const int32_t *list; /* place of each row; NULL: two runs of places */
    int64_t first, n_first,
        second; /* rows below n_first are from `first` on, the others from `second` on */
} mplan_move_end;

/* n rows of levels x dim numbers of `size` bytes (1, 2, 4 or 8); without layers there is one level. */
typedef struct mplan_move {
    int64_t n;
    int32_t levels, dim, size;
    mplan_move_end from, to;
} mplan_move;

MPLAN_HALO_FN int64_t mplan_move_place(const mplan_move_end *end, int64_t k)
{
    return end->list          ? end->list[k]
           : k < end->n_first ? end->first + k
                              : end->second + k - end->n_first;
}

/* Bytes from the start of an end's data to number c of level j of row k. */
MPLAN_HALO_FN int64_t mplan_move_at(const mplan_move_end *end, int64_t k, int32_t j, int32_t c,
                                    int32_t size)
{
    return (mplan_move_place(end, k) * end->member + j * end->level + c * end->component) * size;
}

/* What a batch of moves is of: dats to dats, a message to send (`to` is a room), or one to receive (`from` is). */
typedef enum mplan_mail_use { MPLAN_MAIL_NONE, MPLAN_MAIL_SEND, MPLAN_MAIL_RECEIVE } mplan_mail_use;

/* One end of a mail. Words are 32-bit counters, zero at first, that wrap around. */
typedef struct mplan_mail_end {
    int64_t room;      /* bytes between the two rooms; moves name room 0 */
    uint32_t *arrived; /* of the receiver's memory: number of the last message that is complete */
    uint32_t *counted; /* own: messages sent, or received */
    uint32_t *blocks;  /* own: thread blocks that are done with the message at hand */
    uint32_t *stopped; /* own, of all mails of a rank: not 0 after a wait that was too long; then none waits */
    uint32_t *failed; /* memory that the host reads: 1 + the rank that was waited for in vain */
    uint32_t from_rank;
    int64_t patience; /* nanoseconds that a wait may take */
} mplan_mail_end;

/* Bytes to the room of a message. */
MPLAN_HALO_FN int64_t mplan_mail_room(const mplan_mail_end *mail, uint32_t number)
{
    return (number & 1) ? mail->room : 0;
}

/* Whether a message has arrived: numbers wrap around, and a sender is at most two ahead. */
MPLAN_HALO_FN bool mplan_mail_is_there(uint32_t arrived, uint32_t number)
{
    return (int32_t)(arrived - number) >= 0;
}

/* Runs moves in the order of the stream; mail NULL with MPLAN_MAIL_NONE. A message without moves is sent and received,
 * too. Never more thread blocks wait than the device holds at once. */
mplan_status mplan_gpu_moves_run(const mplan_move *moves, int32_t n, mplan_mail_use use,
                                 const mplan_mail_end *mail, void *stream, mplan_error *err);

/* Messages to and from memory of the host, which must not change before the stream has come there. */
mplan_status mplan_gpu_halo_fetch(void *host, const void *device, int64_t bytes, void *stream,
                                  mplan_error *err);
mplan_status mplan_gpu_halo_store(void *device, const void *host, int64_t bytes, void *stream,
                                  mplan_error *err);
/* Until the stream is done. */
mplan_status mplan_gpu_halo_wait(void *stream, mplan_error *err);
/* Leaves of elements [first, end) get the neutral number, of the global's type and of the host. leaf_of: on the device;
 * NULL: element e has leaf e. */
mplan_status mplan_gpu_drop_leaves(const mplan_gpu_global *global, const int32_t *leaf_of,
                                   int64_t first, int64_t end, const void *neutral, void *stream,
                                   mplan_error *err);

/* --- lanes: two streams of a device, one of which runs beside the other ---------------------- */

/* Streams that wait for the default one and it for them; the one aside is served first. Of the thread's device. */
mplan_status mplan_gpu_lane_open(void **lane, mplan_error *err);
void mplan_gpu_lane_close(void *lane); /* may be NULL */
void *mplan_gpu_lane_stream(void *lane, bool aside);
/* What comes aside waits for all that is in the other stream so far; and the other way round. */
mplan_status mplan_gpu_lane_fork(void *lane, mplan_error *err);
mplan_status mplan_gpu_lane_join(void *lane, mplan_error *err);
/* The thread's device may use memory of the peer: MPLAN_ERR_DEVICE where it cannot. */
mplan_status mplan_gpu_reach_peer(int32_t device, int32_t peer, mplan_error *err);

/* --- NCCL, opened when it is asked for -------------------------------------------------------- */

/* A message from one rank to another: at the sender, and at the receiver, with the streams of both. */
typedef struct mplan_nccl_message {
    int32_t from_rank, to_rank;
    const void *from;
    void *to;
    int64_t bytes;
    void *from_stream, *to_stream;
} mplan_nccl_message;

/* Communicators for n devices of this process. MPLAN_ERR_UNSUPPORTED without the library. */
mplan_status mplan_gpu_nccl_open(int32_t n, const int32_t *devices, void **nccl, mplan_error *err);
void mplan_gpu_nccl_close(void *nccl); /* may be NULL */
/* All messages of an exchange, in one group, in the order of their streams. */
mplan_status mplan_gpu_nccl_exchange(void *nccl, const mplan_nccl_message *messages, int64_t n,
                                     mplan_error *err);

#endif
