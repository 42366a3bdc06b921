/* SPDX-License-Identifier: Apache-2.0 */
/* shared_memory.h - memory that a program of libexec (child.h) and its parent both reach
 *
 * Nameless files in memory (memfd_create), handed on as descriptors. Descriptors are 10 or more, so
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
void mplan_shared_unmap(const void *data, size_t bytes);

#endif
