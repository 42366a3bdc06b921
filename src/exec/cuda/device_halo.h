/* SPDX-License-Identifier: Apache-2.0 */
/* device_halo.h - members of dats into messages, out of them and from dat to dat; mailboxes between devices
 *
 * What moves and mails are is in meshplan_exchange.h. */
#ifndef MPLAN_EXEC_DEVICE_HALO_H
#define MPLAN_EXEC_DEVICE_HALO_H

#include "exec/cuda/device.h"
#include "exec/meshplan_exchange.h"

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

/* --- memory of other processes ------------------------------------------------------------------ */

enum { MPLAN_GPU_HANDLE = 64, MPLAN_GPU_PLACE = 32 };
/* What another process needs to open memory that mplan_gpu_alloc gave, with nothing else in its pages of 2 MiB: MPLAN_GPU_HANDLE bytes. */
mplan_status mplan_gpu_share(void *data, unsigned char *handle, mplan_error *err);
/* That memory, for the device in use: MPLAN_ERR_DEVICE where it cannot be reached. Not in the process that it is of. */
mplan_status mplan_gpu_open_shared(const unsigned char *handle, void **data, mplan_error *err);
void mplan_gpu_close_shared(void *data);
/* Which device of the host it is, by its place on the bus: text of at most MPLAN_GPU_PLACE bytes with the zero. */
mplan_status mplan_gpu_place(int32_t device, char *place, mplan_error *err);

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
