/* SPDX-License-Identifier: Apache-2.0 */
/* halo_rows.h - members of a dat into a message and out of one, on the host or a device */
#ifndef MPLAN_EXEC_HALO_ROWS_H
#define MPLAN_EXEC_HALO_ROWS_H

#include "exec/ranks/exec_parts.h"

/* Bytes of a list in a message: the next begins where any type may. */
static inline int64_t mplan_halo_padded(int64_t bytes)
{
    return (bytes + 15) / 16 * 16;
}

/* Row k of the buffer is member list[k]: dim numbers. The list is the plan's, on a device its copy. */
mplan_status mplan_halo_pack(mplan_exec *exec, const mplan_exec_dat *dat, const int32_t *list,
                             int64_t n, void *buffer, void *stream, mplan_error *err);
/* Rows of the buffer become the members of both ranges of an import. */
mplan_status mplan_halo_unpack(mplan_exec *exec, const mplan_exec_dat *dat,
                               const mplan_part_import *in, const void *buffer, void *stream,
                               mplan_error *err);
/* Both, between two parts that are here; owner: the executor of the exporting part. */
mplan_status mplan_halo_copy(mplan_exec *owner, const mplan_exec_dat *to,
                             const mplan_part_import *in, const mplan_exec_dat *from,
                             const int32_t *list, void *stream, mplan_error *err);
/* Places from `owned` on get bytes 0xff; of the host. */
void mplan_halo_poison(const mplan_exec_dat *dat, int64_t owned);

#endif
