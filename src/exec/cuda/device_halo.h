/* SPDX-License-Identifier: Apache-2.0 */
/* device_halo.h - members of dats into messages and out of them, on a CUDA device; as device.h otherwise */
#ifndef MPLAN_EXEC_DEVICE_HALO_H
#define MPLAN_EXEC_DEVICE_HALO_H

#include "exec/cuda/device.h"

/* Members of an import: two runs of places. */
typedef struct mplan_gpu_ranges {
    int64_t first, n, second, n_second;
} mplan_gpu_ranges;

/* All in the order of the stream. list, buffer: on the device. A row has the dim numbers of a member. */
mplan_status mplan_gpu_halo_pack(const mplan_gpu_dat *dat, const int32_t *list, int64_t n,
                                 void *buffer, void *stream, mplan_error *err);
mplan_status mplan_gpu_halo_unpack(const mplan_gpu_dat *dat, const mplan_gpu_ranges *to,
                                   const void *buffer, void *stream, mplan_error *err);
mplan_status mplan_gpu_halo_copy(const mplan_gpu_dat *dat, const mplan_gpu_ranges *to,
                                 const mplan_gpu_dat *from, const int32_t *list, void *stream,
                                 mplan_error *err);
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

#endif
