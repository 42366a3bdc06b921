/* child.h - run foreign code where it can do no harm
 *
 * METIS and SCOTCH use the process's rand(), trap signals, print, exit on
 * errors and may crash. They run in a child process that shares nothing with
 * its parent but one result buffer. */
#ifndef MPLAN_CHILD_H
#define MPLAN_CHILD_H

#include "meshplan.h"

/* Result buffer that a child can write and its parent read: shared memory,
 * zeroed. NULL with err filled. */
void *mplan_child_buffer(size_t bytes, mplan_error *err);
void mplan_child_buffer_free(void *buffer, size_t bytes);

/* Forks; the child sends its standard output to /dev/null, keeps the last line
 * of its standard error for the message, calls work(data) and exits with what
 * it returns (0: success). Default signal handlers are restored in the child;
 * it dies with its parent. `cancelled` of the context ends it. `name` is for
 * messages. MPLAN_ERR_PARTITIONER when it fails: "NAME ended by signal 11",
 * "NAME failed with status 3: LINE"; MPLAN_ERR_MEMORY when the child returns
 * MPLAN_CHILD_NO_MEMORY or is killed by SIGKILL for want of it. */
#define MPLAN_CHILD_NO_MEMORY 71
mplan_status mplan_child_run(const char *name, int (*work)(void *data), void *data,
                             const mplan_context *context, mplan_error *err);

#endif
