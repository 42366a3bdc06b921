/* SPDX-License-Identifier: Apache-2.0 */
/* shared_memory.h - memory that several processes reach: a program of libexec (child.h) and its parent, or ranks of one host
 *
 * Nameless files in memory (memfd_create), handed on as descriptors, or opened by the process that has one. Descriptors are 10 or more, so
 * that they never are where the child's own are put, and close on exec. */
#ifndef MPLAN_SHARED_MEMORY_H
#define MPLAN_SHARED_MEMORY_H

#include "meshplan.h"

/* A nameless file of `bytes` zeros. *fd: its descriptor, or -1 after a failure. */
mplan_status mplan_shared_create(size_t bytes, int *fd, mplan_error *err);
/* Appends at the descriptor's place. */
mplan_status mplan_shared_write(int fd, const void *data, size_t bytes, mplan_error *err);
/* From now on nobody can change the file; *bytes: how many it holds. MPLAN_ERR_CORRUPT where
 * somebody still could. */
mplan_status mplan_shared_seal(int fd, size_t *bytes, mplan_error *err);
/* The first `bytes` of a sealed file, to be read only; NULL with err filled. A file that is not
 * sealed may end earlier, and reading it would end the process. */
const void *mplan_shared_map(int fd, size_t bytes, mplan_error *err);
/* All of a file, sealed or not, to be read and written by all who map it. bytes > 0, not more than it has. */
mplan_status mplan_shared_map_both(int fd, size_t bytes, void **data, mplan_error *err);
/* The file that is descriptor `other` of another process of the same user on this host, with at least `bytes` bytes: *fd is a
 * descriptor of it here. MPLAN_ERR_UNSUPPORTED where it cannot be opened, or is smaller. */
mplan_status mplan_shared_open_other(int32_t process, int32_t other, size_t bytes, int *fd,
                                     mplan_error *err);
void mplan_shared_unmap(const void *data, size_t bytes);

#endif
