/* SPDX-License-Identifier: Apache-2.0 */
/* visit_store.h - dats in a file, for meshes that are larger than the memory of the host
 *
 * A store is a file without a name in a folder of the caller's: it is gone when the process ends, however it ends. Its room is
 * asked of the file system before anything is computed. */
#ifndef MPLAN_EXEC_VISIT_STORE_H
#define MPLAN_EXEC_VISIT_STORE_H

#include "meshplan.h"

/* Places and lengths are multiples of it, and addresses of memory, so that reads and writes need no pages of the system's. */
enum { MPLAN_STORE_UNIT = 4096 };
static inline int64_t mplan_store_whole(int64_t bytes)
{
    return (bytes + MPLAN_STORE_UNIT - 1) / MPLAN_STORE_UNIT * MPLAN_STORE_UNIT;
}

typedef struct mplan_store mplan_store;

/* A new store in a folder that is there. Reads and writes go past the system's pages where the file system allows it.
 * MPLAN_ERR_IO with the reason, MPLAN_ERR_MEMORY. */
mplan_status mplan_store_open(const char *folder, mplan_store **store, mplan_error *err);
void mplan_store_close(mplan_store *store); /* may be NULL */
/* *at: where a range of so many zeros begins, for which there is room on the disk from now on. */
mplan_status mplan_store_reserve(mplan_store *store, int64_t bytes, int64_t *at, mplan_error *err);
/* Bytes of a range that was reserved; from any thread, different ranges at the same time. 0, an errno, or MPLAN_STORE_ENDED where
 * the file is shorter than it was. */
enum { MPLAN_STORE_ENDED = -1 };
int mplan_store_read(mplan_store *store, int64_t at, int64_t bytes, void *to);
int mplan_store_write(mplan_store *store, int64_t at, int64_t bytes, const void *from);
/* What such a number means. */
mplan_status mplan_store_failed(const mplan_store *store, int reason, bool reading, mplan_error *err);
/* Whether the last reads and writes went past the system's pages. */
bool mplan_store_is_direct(const mplan_store *store);

#endif
