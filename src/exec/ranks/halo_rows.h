/* SPDX-License-Identifier: Apache-2.0 */
/* halo_rows.h - members of a dat into a message, out of one, and from dat to dat, on the host or a device
 *
 * Moves are collected and then run together: on a device a batch of them is one kernel. */
#ifndef MPLAN_EXEC_HALO_ROWS_H
#define MPLAN_EXEC_HALO_ROWS_H

#include "exec/cuda/device_halo.h"
#include "exec/ranks/exec_parts.h"

/* Bytes of a list in a message: the next begins where any type may. */
static inline int64_t mplan_halo_padded(int64_t bytes)
{
    return (bytes + 15) / 16 * 16;
}

/* Levels of each member that travel; a dat without levels has one. */
static inline int32_t mplan_halo_levels(const mplan_exec_dat *dat)
{
    return dat->levels > 0 ? dat->levels : 1;
}

/* Members of a dat that a link exports become rows of a message. */
mplan_status mplan_halo_pack(mplan_exec *exec, const mplan_exec_dat *dat, const mplan_link *link,
                             void *message, mplan_move *move, mplan_error *err);
/* Rows of a message become the members that a link imports. */
void mplan_halo_unpack(const mplan_exec_dat *dat, const mplan_link *link, void *message,
                       mplan_move *move);
/* Both, between two parts that are here; owner: the executor of the exporting part. */
mplan_status mplan_halo_copy(mplan_exec *owner, const mplan_exec_dat *to, const mplan_exec_dat *from,
                             const mplan_link *link, mplan_move *move, mplan_error *err);
/* Runs n moves where `exec` computes: now, or in the order of the stream. use, mail: device_halo.h. */
mplan_status mplan_halo_run(const mplan_exec *exec, const mplan_move *moves, int64_t n,
                            mplan_mail_use use, const mplan_mail_end *mail, void *stream,
                            mplan_error *err);
/* The same on the host, in the calling thread; two threads may be at the ends of a mail. */
void mplan_host_moves_run(const mplan_move *moves, int64_t n, mplan_mail_use use,
                          const mplan_mail_end *mail);
/* Places of a part from `owned` on get bytes 0xff; of the host, and not of a matrix that is stored by owner. rings: of these places,
 * those up to `level` stay as they are; NULL: none does. */
void mplan_halo_poison(const mplan_exec_one_part *part, const mplan_exec_dat *dat, int64_t owned,
                       const uint8_t *rings, int32_t level);

#endif
