/* SPDX-License-Identifier: Apache-2.0 */
/* batch_manifest.c - the file that `batch` appends a line to for each job
 *
 * Locks are byte ranges of open files (fcntl(2), F_OFD_SETLK), which end with the process and work on network file
 * systems: byte 0 while a line is written, and a byte far behind the end for each job that is being done. Where there
 * are none, lines are still written by one call in append mode. */
#define _GNU_SOURCE /* F_OFD_SETLK */
#include "cli/batch_manifest.h"

#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cli/message.h"

#define FIRST_JOB (INT64_C(1) << 40) /* bytes behind this one are locked, one for each job */

/* type: F_WRLCK or F_UNLCK. 0, or an errno. */
static int lock_byte(int fd, int64_t byte, short type, bool wait)
{
#ifdef F_OFD_SETLK
    struct flock range = {.l_type = type, .l_whence = SEEK_SET, .l_start = (off_t)byte, .l_len = 1};
    int failed;
    do
        failed = fcntl(fd, wait ? F_OFD_SETLKW : F_OFD_SETLK, &range) ? errno : 0;
    while (failed == EINTR);
    return failed;
#else
    (void)fd, (void)byte, (void)type, (void)wait;
    return ENOLCK;
#endif
}

/* A slip of the hand must not add lines to a mesh. */
static bool is_manifest(int fd)
{
    static const char head[] = "{\"job\": ";
    char text[sizeof head];
    ssize_t n = pread(fd, text, sizeof head - 1, 0);
    return n >= 0 && !memcmp(text, head, (size_t)n);
}

/* Made where it is not there; a file that is something else is refused, since lines would be appended to it. */
mplan_status cli_manifest_open(cli_manifest *manifest, const char *path, mplan_error *err)
{
    struct stat about;
    *manifest = (cli_manifest){.path = path};
    manifest->fd = open(path, O_RDWR | O_APPEND | O_CREAT | O_CLOEXEC, 0666);
    if (manifest->fd < 0)
        return cli_fail(err, MPLAN_ERR_CREATE, "%s: %s", path, strerror(errno));
    bool file = fstat(manifest->fd, &about) == 0 && S_ISREG(about.st_mode);
    if (file && is_manifest(manifest->fd))
        return MPLAN_OK;
    cli_manifest_close(manifest);
    return cli_fail(err, MPLAN_ERR_CREATE,
                    file ? "%s: is not a manifest of a batch" : "%s: is not a file", path);
}

/* Closing gives back all locks of this process on the file. */
void cli_manifest_close(cli_manifest *manifest)
{
    if (manifest->path && manifest->fd >= 0)
        close(manifest->fd);
    *manifest = (cli_manifest){.fd = -1};
}

/* From `known` on, to the end: the caller's; *length bytes. */
static mplan_status read_rest(const cli_manifest *manifest, char **text, size_t *length,
                              mplan_error *err)
{
    struct stat about;
    *text = NULL;
    *length = 0;
    if (fstat(manifest->fd, &about) || about.st_size <= manifest->known)
        return MPLAN_OK;
    size_t size = (size_t)(about.st_size - manifest->known);
    *text = malloc(size);
    if (!*text)
        return cli_fail(err, MPLAN_ERR_MEMORY, "out of memory");
    while (*length < size) {
        ssize_t n = pread(manifest->fd, *text + *length, size - *length,
                          manifest->known + (off_t)*length);
        if (n < 0 && errno == EINTR)
            continue;
        if (n < 0)
            return cli_fail(err, MPLAN_ERR_IO, "%s: %s", manifest->path, strerror(errno));
        if (n == 0)
            break;
        *length += (size_t)n;
    }
    return MPLAN_OK;
}

/* What is behind the last line feed is not known yet: somebody may be writing it. */
mplan_status cli_manifest_read(cli_manifest *manifest, cli_manifest_line *visit, void *user,
                               mplan_error *err)
{
    char *text;
    size_t length;
    mplan_status status = read_rest(manifest, &text, &length, err);
    const char *at = text, *end = text + length, *feed;
    while (!status && text && (feed = memchr(at, '\n', (size_t)(end - at))) != NULL) {
        visit(user, at, (size_t)(feed - at));
        manifest->known += feed + 1 - at;
        at = feed + 1;
    }
    free(text);
    return status;
}

/* Where the last line ends that is whole. */
static off_t whole_size(int fd, off_t size)
{
    char part[4096];
    while (size > 0) {
        size_t wanted = size < (off_t)sizeof part ? (size_t)size : sizeof part;
        ssize_t n = pread(fd, part, wanted, size - (off_t)wanted);
        if (n != (ssize_t)wanted)
            return -1;
        for (size_t i = wanted; i > 0; i--)
            if (part[i - 1] == '\n')
                return size - (off_t)(wanted - i);
        size -= (off_t)wanted;
    }
    return 0;
}

/* The rest of a line is cut off where the lock says that nobody writes it; else it is ended, and is not JSON. */
static mplan_status mend_end(const cli_manifest *manifest, bool locked, mplan_error *err)
{
    struct stat about;
    bool failed = fstat(manifest->fd, &about) != 0;
    off_t whole = failed ? -1 : whole_size(manifest->fd, about.st_size);
    if (whole >= 0 && whole != about.st_size)
        failed = locked ? ftruncate(manifest->fd, whole) != 0 : write(manifest->fd, "\n", 1) != 1;
    return whole < 0 || failed
               ? cli_fail(err, MPLAN_ERR_IO, "%s: %s", manifest->path, strerror(errno))
               : MPLAN_OK;
}

/* One call writes the line; a part of it, where there was no room for more, is taken back. */
static mplan_status write_line(const cli_manifest *manifest, const char *line, size_t length,
                               bool locked, mplan_error *err)
{
    ssize_t n;
    do
        n = write(manifest->fd, line, length);
    while (n < 0 && errno == EINTR);
    if (n == (ssize_t)length)
        return MPLAN_OK;
    int failed = n < 0 ? errno : ENOSPC;
    if (n > 0 && locked)
        (void)mend_end(manifest, true, NULL);
    return cli_fail(err, MPLAN_ERR_IO, "%s: %s", manifest->path, strerror(failed));
}

/* Several batches may append to one manifest: byte 0 is locked meanwhile. A line that a killed writer left half is
 * ended first. File systems without locks are used without. */
mplan_status cli_manifest_append(cli_manifest *manifest, const char *line, size_t length,
                                 mplan_error *err)
{
    bool locked = lock_byte(manifest->fd, 0, F_WRLCK, true) == 0;
    mplan_status status = mend_end(manifest, locked, err);
    if (!status)
        status = write_line(manifest, line, length, locked, err);
    if (locked)
        (void)lock_byte(manifest->fd, 0, F_UNLCK, false);
    return status;
}

/* Two outputs of one byte wait for each other, which costs time only. The hash is FNV-1a. */
static int64_t byte_of(const char *output)
{
    uint64_t hash = UINT64_C(14695981039346656037);
    for (; *output; output++)
        hash = (hash ^ (unsigned char)*output) * UINT64_C(1099511628211);
    return FIRST_JOB + (int64_t)(hash & ((UINT64_C(1) << 40) - 1));
}

/* Locks a byte beyond all lines of the output, so that two batches with one manifest do not plan one job.
 * True also where locks do not work. */
bool cli_manifest_claim(const cli_manifest *manifest, const char *output)
{
    int failed = lock_byte(manifest->fd, byte_of(output), F_WRLCK, false);
    return failed != EAGAIN && failed != EACCES;
}

/* The line of the job is in the manifest then. */
void cli_manifest_release(const cli_manifest *manifest, const char *output)
{
    (void)lock_byte(manifest->fd, byte_of(output), F_UNLCK, false);
}
