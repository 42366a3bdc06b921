/* SPDX-License-Identifier: Apache-2.0 */
/* shared_memory.c - nameless files in memory: sealed before anybody believes them, or written to by all who have them */
#define _GNU_SOURCE /* memfd_create, seals */
#include "base/shared_memory.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/error.h"

#ifndef MFD_NOEXEC_SEAL
#define MFD_NOEXEC_SEAL 8u /* Linux 6.3 */
#endif
enum { FIRST_DESCRIPTOR = 10, ALL_SEALS = F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_WRITE };

/* By errno: too many open files, the limit of file sizes, which holds for files in memory too, else no memory. */
static mplan_status fail_memory(size_t bytes, mplan_error *err)
{
    bool open_files = errno == EMFILE || errno == ENFILE;
    if (errno == EFBIG)
        return mplan_fail(err, MPLAN_ERR_IO,
                          "the limit of file sizes (ulimit -f) is too low: it holds for memory that "
                          "processes share, too (%zu bytes)",
                          bytes);
    if (open_files)
        return mplan_fail(err, MPLAN_ERR_IO, "too many open files");
    return mplan_fail(err, MPLAN_ERR_MEMORY, "out of memory (asked for %zu shared bytes)", bytes);
}

/* The descriptor is above those that a spawned program gets by number. bytes may be 0:
 * it grows by writing. */
mplan_status mplan_shared_create(size_t bytes, int *out, mplan_error *err)
{
    mplan_status status = MPLAN_OK;
    unsigned flags = MFD_CLOEXEC | MFD_ALLOW_SEALING;
    int made = memfd_create("meshplan", flags | MFD_NOEXEC_SEAL);
    if (made < 0 && errno == EINVAL)
        made = memfd_create("meshplan", flags);
    int fd = made < 0 ? -1 : fcntl(made, F_DUPFD_CLOEXEC, FIRST_DESCRIPTOR);
    bool sized = fd >= 0 && bytes <= INT64_MAX && ftruncate(fd, (off_t)bytes) == 0;
    if (!sized)
        status = fail_memory(bytes, err);
    if (made >= 0)
        close(made);
    if (!sized && fd >= 0)
        close(fd);
    *out = sized ? fd : -1;
    return status;
}

/* At the current position, in pieces that the system accepts. */
mplan_status mplan_shared_write(int fd, const void *data, size_t bytes, mplan_error *err)
{
    enum { PIECE = 1 << 30 };
    const char *at = data;
    while (bytes > 0) {
        ssize_t wrote = write(fd, at, bytes < PIECE ? bytes : PIECE);
        if (wrote < 0 && errno == EINTR)
            continue;
        if (wrote <= 0)
            return fail_memory(bytes, err);
        at += wrote;
        bytes -= (size_t)wrote;
    }
    return MPLAN_OK;
}

/* After it nobody can change or resize the memory: what is checked stays as it is.
 * *bytes: its size. */
mplan_status mplan_shared_seal(int fd, size_t *bytes, mplan_error *err)
{
    struct stat about;
    if (fcntl(fd, F_ADD_SEALS, ALL_SEALS) && errno != EPERM)
        return mplan_fail(err, MPLAN_ERR_CORRUPT, "shared memory is still being written to");
    int seals = fcntl(fd, F_GET_SEALS);
    if (seals < 0 || (seals & ALL_SEALS) != ALL_SEALS || fstat(fd, &about) || about.st_size < 0)
        return mplan_fail(err, MPLAN_ERR_CORRUPT, "shared memory cannot be sealed");
    *bytes = (size_t)about.st_size;
    return MPLAN_OK;
}

/* Read only; a mapping of at least one byte. */
const void *mplan_shared_map(int fd, size_t bytes, mplan_error *err)
{
    void *data = mmap(NULL, bytes ? bytes : 1, PROT_READ, MAP_PRIVATE, fd, 0);
    if (data != MAP_FAILED)
        return data;
    fail_memory(bytes, err);
    return NULL;
}

/* As mmap does; the mapping outlives the descriptor. */
mplan_status mplan_shared_map_both(int fd, size_t bytes, void **data, mplan_error *err)
{
    void *mapped = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    if (mapped == MAP_FAILED)
        return fail_memory(bytes, err);
    *data = mapped;
    return MPLAN_OK;
}

/* By /proc, which asks whether this process may look into the other one. What may have been replaced meanwhile is not looked
 * at here but for its size, which keeps a mapping from ending early. */
mplan_status mplan_shared_open_other(int32_t process, int32_t other, size_t bytes, int *fd,
                                     mplan_error *err)
{
    char path[64];
    struct stat about;
    snprintf(path, sizeof path, "/proc/%d/fd/%d", (int)process, (int)other);
    const int opened = open(path, O_RDWR | O_CLOEXEC);
    *fd = -1;
    if (opened < 0)
        return mplan_fail(err, MPLAN_ERR_UNSUPPORTED, "%s cannot be opened: %s", path,
                          strerror(errno));
    if (fstat(opened, &about) || !S_ISREG(about.st_mode) || about.st_size < 0 ||
        (uint64_t)about.st_size < bytes) {
        close(opened);
        return mplan_fail(err, MPLAN_ERR_UNSUPPORTED, "%s is not the memory that it should be", path);
    }
    *fd = opened;
    return MPLAN_OK;
}

void mplan_shared_unmap(const void *data, size_t bytes)
{
    if (data)
        munmap((void *)(uintptr_t)data, bytes ? bytes : 1);
}
