/* SPDX-License-Identifier: Apache-2.0 */
/* campaign_shim.c - preloaded into a command: makes its allocations fail by number, and marks where main begins
 *
 * CAMPAIGN_ALLOC_AT=K   the K-th allocation since main began fails, from 1
 * CAMPAIGN_ALLOC_EVER=1 all that follow fail, too
 * CAMPAIGN_COUNT=FILE   the number of allocations is appended to FILE at the end
 * CAMPAIGN_WRITE_AT=N   bytes from the N-th on that are written to regular files fail with ENOSPC; memory that is
 *                       shared with a child (memfd_create) is on no disk
 *
 * Allocations of all libraries count, those of libc as well. A child that is forked goes on counting; one that is
 * executed begins anew. The mark is a system call that means nothing: getpriority(77, 77). */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/types.h>
#include <sys/uio.h>
#include <unistd.h>

#include <dlfcn.h>

extern void *__libc_malloc(size_t);
extern void *__libc_calloc(size_t, size_t);
extern void *__libc_realloc(void *, size_t);
extern void *__libc_memalign(size_t, size_t);

static atomic_long count, written;
static long fail_at, write_at = -1;
static bool active, ever;
static const char *count_file;

static bool fails(void)
{
    if (!active)
        return false;
    const long k = ++count;
    if (fail_at > 0 && (ever ? k >= fail_at : k == fail_at)) {
        errno = ENOMEM;
        return true;
    }
    return false;
}

void *malloc(size_t n)
{
    return fails() ? NULL : __libc_malloc(n);
}

void *calloc(size_t n, size_t size)
{
    return fails() ? NULL : __libc_calloc(n, size);
}

void *realloc(void *old, size_t n)
{
    return fails() ? NULL : __libc_realloc(old, n);
}

void *memalign(size_t alignment, size_t n)
{
    return fails() ? NULL : __libc_memalign(alignment, n);
}

void *aligned_alloc(size_t alignment, size_t n)
{
    return fails() ? NULL : __libc_memalign(alignment, n);
}

int posix_memalign(void **out, size_t alignment, size_t n)
{
    if (fails())
        return ENOMEM;
    void *found = __libc_memalign(alignment, n);
    if (!found)
        return ENOMEM;
    *out = found;
    return 0;
}

/* --- a disk that is full after N bytes --- */

/* Files of tmpfs have F_SEAL_SEAL from the beginning, other files know no seals. */
static bool is_memory(int fd)
{
    const int seals = fcntl(fd, F_GET_SEALS);
    return seals >= 0 && !(seals & F_SEAL_SEAL);
}

static bool is_on_disk(int fd)
{
    struct stat stat;
    return fstat(fd, &stat) == 0 && S_ISREG(stat.st_mode) && !is_memory(fd);
}

/* Bytes that still have room. */
static size_t room_for(int fd, size_t n)
{
    if (write_at < 0 || !active || !is_on_disk(fd))
        return n;
    const long left = write_at - written;
    return left <= 0 ? 0 : (size_t)left < n ? (size_t)left : n;
}

static ssize_t full(void)
{
    errno = ENOSPC;
    return -1;
}

ssize_t write(int fd, const void *data, size_t n)
{
    const size_t room = room_for(fd, n);
    if (n > 0 && room == 0)
        return full();
    const ssize_t done = syscall(SYS_write, fd, data, room);
    if (done > 0 && write_at >= 0 && is_on_disk(fd))
        written += done;
    return done;
}

ssize_t pwrite(int fd, const void *data, size_t n, off_t at)
{
    const size_t room = room_for(fd, n);
    if (n > 0 && room == 0)
        return full();
    const ssize_t done = syscall(SYS_pwrite64, fd, data, room, at);
    if (done > 0 && write_at >= 0 && is_on_disk(fd))
        written += done;
    return done;
}

ssize_t pwrite64(int fd, const void *data, size_t n, off_t at)
{
    return pwrite(fd, data, n, at);
}

ssize_t writev(int fd, const struct iovec *parts, int n)
{
    ssize_t total = 0;
    for (int i = 0; i < n; i++) {
        const ssize_t done = write(fd, parts[i].iov_base, parts[i].iov_len);
        if (done < 0)
            return total ? total : -1;
        total += done;
        if ((size_t)done < parts[i].iov_len)
            break;
    }
    return total;
}

/* --- the beginning and the end --- */

static void report(void)
{
    char line[32];
    active = false;
    if (!count_file)
        return;
    const int fd = open(count_file, O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC, 0644);
    const int n = snprintf(line, sizeof line, "%ld\n", (long)count);
    if (fd >= 0)
        (void)!syscall(SYS_write, fd, line, (size_t)n);
}

static int (*real_main)(int, char **, char **);

static int marked_main(int argc, char **argv, char **environment)
{
    const char *at = getenv("CAMPAIGN_ALLOC_AT"), *byte = getenv("CAMPAIGN_WRITE_AT");
    fail_at = at ? atol(at) : 0;
    write_at = byte ? atol(byte) : -1;
    ever = getenv("CAMPAIGN_ALLOC_EVER") != NULL;
    count_file = getenv("CAMPAIGN_COUNT");
    if (count_file)
        atexit(report);
    syscall(SYS_getpriority, 77, 77);
    active = true;
    return real_main(argc, argv, environment);
}

typedef int start_main(int (*)(int, char **, char **), int, char **, int (*)(int, char **, char **),
                       void (*)(void), void (*)(void), void *);

int __libc_start_main(int (*its_main)(int, char **, char **), int argc, char **argv,
                      int (*init)(int, char **, char **), void (*fini)(void),
                      void (*rtld_fini)(void), void *stack_end);
int __libc_start_main(int (*its_main)(int, char **, char **), int argc, char **argv,
                      int (*init)(int, char **, char **), void (*fini)(void),
                      void (*rtld_fini)(void), void *stack_end)
{
    start_main *start;
    void *found = dlsym(RTLD_NEXT, "__libc_start_main");
    memcpy(&start, &found, sizeof start);
    real_main = its_main;
    return start(marked_main, argc, argv, init, fini, rtld_fini, stack_end);
}
