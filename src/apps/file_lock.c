/* SPDX-License-Identifier: Apache-2.0 */
/* file_lock.c - a lock between processes: only one holds it at a time
 *
 * By an advisory lock of POSIX on a file; a process that dies gives it back. */
#include "apps/file_lock.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#include "base/error.h"

/* *lock: descriptor of the locked file, -1 without a lock. Programs that share a
 * device run one after the other. */
mplan_status mplan_app_lock(const char *path, int *lock, mplan_error *err)
{
    struct flock whole = {.l_type = F_WRLCK, .l_whence = SEEK_SET};
    int fd = open(path, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW | O_NOCTTY | O_NONBLOCK, 0666);
    if (fd < 0)
        return mplan_fail(err, MPLAN_ERR_CREATE, "%s: cannot be opened: %s", path, strerror(errno));
    if (fcntl(fd, F_SETLKW, &whole) == 0) {
        *lock = fd;
        return MPLAN_OK;
    }
    mplan_status status = errno == EINTR ? mplan_fail(err, MPLAN_ERR_INTERRUPTED, "interrupted")
                                         : mplan_fail(err, MPLAN_ERR_IO, "%s: cannot be locked: %s",
                                                      path, strerror(errno));
    close(fd);
    return status;
}

void mplan_app_unlock(int lock)
{
    close(lock); /* which drops the lock */
}
