/* SPDX-License-Identifier: Apache-2.0 */
/* file_output.c - outputs that appear whole or not at all
 *
 * What is written has no name until it is whole (O_TMPFILE): a process may be killed at any moment and leaves
 * nothing. Then it gets its name, or where a file is replaced a random one first, because a link cannot replace;
 * a rename does. File systems without such files (NFS, FUSE, overlays of old kernels) get the random name at once.
 * On ext4 a file without a name costs 45 us where one that is renamed costs 230. Nothing of this happens where the
 * file that is there holds the same bytes: it stays, with its times. */
#define _GNU_SOURCE /* O_TMPFILE */
#include "base/file_output.h"

#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#ifdef __linux__
#include <linux/fs.h>
#endif
#include <poll.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/error.h"
#include "base/memory.h"
#include "base/option_size.h"
#include "base/place.h"
#include "base/same_bytes.h"
#include "base/temporary.h"
#include "base/threads.h"

#define WRITE_ROOM ((size_t)1 << 16)

enum {
    TRIES = 100,
    WAIT_MS = 100,
    WAIT_BYTES = 4096 /* PIPE_BUF */
};

typedef enum output_kind {
    OUTPUT_STREAM,   /* standard output */
    OUTPUT_IN_PLACE, /* a device or a pipe */
    OUTPUT_UNNAMED,  /* a file without a name */
    OUTPUT_NAMED,    /* a file with a temporary name */
    OUTPUT_MEMBER    /* a file with its own name, of a folder that is temporary itself */
} output_kind;

struct mplan_output {
    output_kind kind;
    int fd;
    const mplan_context *context;
    char *path;                            /* as the caller names it */
    mplan_place place;                     /* where it goes */
    char temporary[MPLAN_TEMPORARY_BYTES]; /* OUTPUT_NAMED: its name in the folder */
    bool waits;                            /* a write may have to wait for a reader */
    int64_t bytes;                         /* handed over, whether flushed or not */
    size_t used;
    uint8_t *room; /* WRITE_ROOM bytes, `used` of them waiting */
};

/* Not standard output nor a device: it can be given a name when it is complete. */
static bool is_file(const mplan_output *output)
{
    return output->kind >= OUTPUT_UNNAMED;
}

/* Removes what is under a temporary name and releases output. */
static void discard(mplan_output *output)
{
    if (output->kind == OUTPUT_NAMED && output->temporary[0])
        (void)unlinkat(output->place.folder, output->temporary, 0);
    if (output->kind == OUTPUT_MEMBER && output->fd >= 0)
        (void)unlinkat(output->place.folder, output->place.name, 0);
    if (output->fd >= 0 && output->kind != OUTPUT_STREAM)
        close(output->fd);
    mplan_place_close(&output->place);
    free(output->path);
    free(output->room);
    free(output);
}

/* openat, repeated when a signal interrupts it. The new descriptor is closed by exec
 * and never becomes a controlling terminal. */
static int open_again(int folder, const char *name, int flags)
{
    int fd;
    do
        fd = openat(folder, name, flags | O_CLOEXEC | O_NOCTTY, 0666);
    while (fd < 0 && errno == EINTR);
    return fd;
}

/* By which linkat(2) names a file that has no name yet. */
static void path_of_descriptor(int fd, char path[32])
{
    snprintf(path, 32, "/proc/self/fd/%d", fd);
}

/* A file without a name, where the file system has such and /proc can give it one. */
static bool open_unnamed(mplan_output *output)
{
    char path[32];
    output->fd = open_again(output->place.folder, ".", O_RDWR | O_TMPFILE);
    if (output->fd < 0)
        return false;
    path_of_descriptor(output->fd, path);
    output->kind = OUTPUT_UNNAMED;
    if (access(path, F_OK) == 0)
        return true;
    close(output->fd);
    output->fd = -1;
    return false;
}

/* Where the file system has no unnamed files: a random name that did not exist. The
 * name is remembered so that it can be removed. */
static mplan_status open_named(mplan_output *output, mplan_error *err)
{
    output->kind = OUTPUT_NAMED;
    for (int try = 0; try < TRIES && output->fd < 0; try++) {
        mplan_status status = mplan_temporary_name(output->temporary, err);
        if (status)
            return status;
        output->fd = open_again(output->place.folder, output->temporary,
                                O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW);
        if (output->fd < 0 && errno != EEXIST)
            break;
    }
    if (output->fd >= 0)
        return MPLAN_OK;
    output->temporary[0] = '\0';
    return mplan_fail_errno(err, MPLAN_ERR_CREATE, output->path, errno);
}

/* Removes stale temporary files, then opens a new one with the rights of the file that
 * it will replace. */
static mplan_status open_file(mplan_output *output, mplan_error *err)
{
    mplan_temporary_sweep(output->place.folder);
    mplan_status status = open_unnamed(output) ? MPLAN_OK : open_named(output, err);
    if (status)
        return status;
    mplan_temporary_lock(output->fd);
    if (output->place.exists)
        mplan_temporary_keep_rights(output->fd, &output->place.about);
    return MPLAN_OK;
}

/* Finds out what is at the path: nothing or a file (replaced when complete), a device
 * or pipe (written directly). */
static mplan_status open_place(mplan_output *output, mplan_error *err)
{
    const mplan_place *place = &output->place;
    mplan_status status = mplan_place_find(output->path, false, &output->place, err);
    if (status)
        return status;
    if (place->exists && S_ISDIR(place->about.st_mode))
        return mplan_fail(err, MPLAN_ERR_CREATE, "%s: is a folder", output->path);
    status = mplan_place_check(place, output->path, err);
    if (status)
        return status;
    if (!place->exists || S_ISREG(place->about.st_mode))
        return open_file(output, err);
    output->kind = OUTPUT_IN_PLACE;
    do /* waiting for the reader of a pipe ends at a signal */
        output->fd = openat(place->folder, place->name,
                            O_WRONLY | O_CLOEXEC | O_NOCTTY | (place->unnamed ? 0 : O_NOFOLLOW));
    while (output->fd < 0 && errno == EINTR && !(status = mplan_interrupted(output->context, err)));
    if (output->fd < 0 && !status)
        return mplan_fail_errno(err, MPLAN_ERR_CREATE, output->path, errno);
    return status;
}

/* Everything but the file. */
static mplan_output *create(const char *path, const mplan_context *context, mplan_error *err)
{
    mplan_output *made = mplan_alloc_zero(1, sizeof *made, err);
    if (!made)
        return NULL;
    made->fd = -1;
    made->place.folder = -1;
    made->context = context;
    made->kind = OUTPUT_IN_PLACE;
    made->path = mplan_strdup(path, err);
    made->room = mplan_alloc(WRITE_ROOM, 1, err);
    if (made->path && made->room)
        return made;
    discard(made);
    return NULL;
}

/* "-" is standard output. *output is owned by the caller until commit or abort. */
mplan_status mplan_output_open(const char *path, const mplan_context *context,
                               mplan_output **output, mplan_error *err)
{
    bool standard = strcmp(path, "-") == 0;
    mplan_output *made = create(standard ? "standard output" : path, context, err);
    if (!made)
        return MPLAN_ERR_MEMORY;
    mplan_status status = MPLAN_OK;
    if (standard) {
        made->kind = OUTPUT_STREAM;
        made->fd = STDOUT_FILENO;
    } else {
        status = open_place(made, err);
    }
    struct stat about;
    made->waits = !status && !is_file(made) && fstat(made->fd, &about) == 0 &&
                  (S_ISFIFO(about.st_mode) || S_ISSOCK(about.st_mode) || isatty(made->fd));
    if (status)
        discard(made);
    else
        *output = made;
    return status;
}

/* A file in a folder that is itself made anew (folder_output.c): no temporary name
 * needed. path is only for messages. */
mplan_status mplan_output_open_member(int folder, const char *name, const char *path,
                                      const mplan_context *context, mplan_output **output,
                                      mplan_error *err)
{
    mplan_output *made = create(path, context, err);
    if (!made)
        return MPLAN_ERR_MEMORY;
    mplan_status status = MPLAN_OK;
    made->kind = OUTPUT_MEMBER;
    if (strlen(name) >= sizeof made->place.name)
        status = mplan_fail_errno(err, MPLAN_ERR_CREATE, path, ENAMETOOLONG);
    else
        strcpy(made->place.name, name);
    if (!status) {
        made->place.folder = fcntl(folder, F_DUPFD_CLOEXEC, 3);
        made->fd = made->place.folder < 0
                       ? -1
                       : open_again(folder, name, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW);
        if (made->fd < 0)
            status = mplan_fail_errno(err, MPLAN_ERR_CREATE, path, errno);
    }
    if (status)
        discard(made);
    else
        *output = made;
    return status;
}

/* Waits until a pipe takes WAIT_BYTES without blocking. A signal may come just before a wait, or reach another
 * thread, so that it interrupts nothing here: hence the limit of the wait. */
static mplan_status wait_for_reader(const mplan_output *output, mplan_error *err)
{
    for (;;) {
        mplan_status status = mplan_interrupted(output->context, err);
        if (status)
            return status;
        struct pollfd reader = {output->fd, POLLOUT, 0};
        int ready = poll(&reader, 1, WAIT_MS);
        if (ready > 0)
            return MPLAN_OK;
        if (ready < 0 && errno != EINTR && errno != EAGAIN)
            return mplan_fail_errno(err, MPLAN_ERR_IO, output->path, errno);
    }
}

/* Past the buffer. Pipes are waited for, in pieces that let an interruption through. */
static mplan_status write_through(mplan_output *output, const uint8_t *data, size_t size,
                                  mplan_error *err)
{
    while (size > 0) {
        mplan_status status = output->waits ? wait_for_reader(output, err) : MPLAN_OK;
        if (status)
            return status;
        ssize_t done = write(output->fd, data,
                             output->waits && size > WAIT_BYTES ? WAIT_BYTES : size);
        if (done == 0 || (done < 0 && errno != EINTR && (errno != EAGAIN || !output->waits)))
            return mplan_fail_errno(err, MPLAN_ERR_IO, output->path, done < 0 ? errno : EIO);
        data += done > 0 ? done : 0;
        size -= done > 0 ? (size_t)done : 0;
    }
    return MPLAN_OK;
}

/* The room is empty afterwards, also after a failure. */
static mplan_status flush(mplan_output *output, mplan_error *err)
{
    mplan_status status = write_through(output, output->room, output->used, err);
    output->used = 0;
    return status;
}

/* Small writes are collected; output->bytes counts all of them. */
mplan_status mplan_output_write(mplan_output *output, const void *data, size_t size, mplan_error *err)
{
    output->bytes += (int64_t)size;
    if (size > WRITE_ROOM - output->used) {
        mplan_status status = flush(output, err);
        if (!status && size >= WRITE_ROOM)
            return write_through(output, data, size, err);
        if (status)
            return status;
    }
    if (size > 0)
        memcpy(output->room + output->used, data, size);
    output->used += size;
    return MPLAN_OK;
}

/* All of the bytes at their place. */
static mplan_status write_at(const mplan_output *output, int64_t at, const void *data, size_t size,
                             mplan_error *err)
{
    const uint8_t *from = data;
    while (size > 0) {
        const ssize_t done = pwrite(output->fd, from, size, (off_t)at);
        if (done == 0 || (done < 0 && errno != EINTR))
            return mplan_fail_errno(err, MPLAN_ERR_IO, output->path, done < 0 ? errno : EIO);
        from += done > 0 ? done : 0;
        at += done > 0 ? done : 0;
        size -= done > 0 ? (size_t)done : 0;
    }
    return MPLAN_OK;
}

/* By a write at its place: the end of the file, where the next bytes go, stays. */
mplan_status mplan_output_patch(mplan_output *output, int64_t at, const void *data, size_t size,
                                mplan_error *err)
{
    mplan_status status = flush(output, err);
    if (!status && !is_file(output))
        status = mplan_fail(err, MPLAN_ERR_CREATE, "%s: must be a file, its begin is written last",
                            output->path);
    return !status ? write_at(output, at, data, size, err) : status;
}

bool mplan_output_takes_pieces(const mplan_output *output)
{
    return is_file(output);
}

/* The count of bytes is all that threads share. */
mplan_status mplan_output_piece(mplan_output *output, int64_t at, const void *data, size_t size,
                                mplan_error *err)
{
    assert(is_file(output) && output->used == 0);
    mplan_add(&output->bytes, (int64_t)size);
    return write_at(output, at, data, size, err);
}

mplan_status mplan_output_read(const mplan_output *output, int64_t at, void *data, size_t size,
                               mplan_error *err)
{
    assert(is_file(output) && output->used == 0);
    uint8_t *to = data;
    while (size > 0) {
        const ssize_t got = pread(output->fd, to, size, (off_t)at);
        if (got == 0 || (got < 0 && errno != EINTR))
            return mplan_fail_errno(err, MPLAN_ERR_IO, output->path, got < 0 ? errno : EIO);
        to += got > 0 ? got : 0;
        at += got > 0 ? got : 0;
        size -= got > 0 ? (size_t)got : 0;
    }
    return MPLAN_OK;
}

/* What was shared is looked over: the file may have been replaced since data were read. */
static bool share(mplan_output *output, const char *from, size_t size)
{
#ifdef FICLONE
    struct stat about;
    int fd = open(from, O_RDONLY | O_CLOEXEC);
    bool shared = fd >= 0 && ioctl(output->fd, FICLONE, fd) == 0;
    if (fd >= 0)
        close(fd);
    if (shared && fstat(output->fd, &about) == 0 && about.st_size == (off_t)size)
        return true;
    if (shared && ftruncate(output->fd, 0)) { /* the write that follows fails */
        close(output->fd);
        output->fd = -1;
    }
#else
    (void)output, (void)from, (void)size;
#endif
    return false;
}

bool mplan_output_share(mplan_output *output, const char *from, int64_t size)
{
    if (output->bytes > 0 || !is_file(output) || !share(output, from, (size_t)size))
        return false;
    output->bytes = size;
    return true;
}

/* Lines longer than the buffer on the stack are formatted twice. */
mplan_status mplan_output_print(mplan_output *output, mplan_error *err, const char *format, ...)
{
    char text[1024];
    va_list args;
    va_start(args, format);
    int length = vsnprintf(text, sizeof text, format, args);
    va_end(args);
    if (length < 0)
        return mplan_fail(err, MPLAN_ERR_INTERNAL, "%s: cannot format a line", output->path);
    if ((size_t)length < sizeof text)
        return mplan_output_write(output, text, (size_t)length, err);
    char *longer = mplan_alloc((int64_t)length + 1, 1, err);
    if (!longer)
        return MPLAN_ERR_MEMORY;
    va_start(args, format);
    vsnprintf(longer, (size_t)length + 1, format, args);
    va_end(args);
    mplan_status status = mplan_output_write(output, longer, (size_t)length, err);
    free(longer);
    return status;
}

const char *mplan_output_path(const mplan_output *output)
{
    return output->path;
}

int64_t mplan_output_bytes(const mplan_output *output)
{
    return output->bytes;
}

/* Codes by which file systems say that they cannot sync, not that it failed. */
bool mplan_sync_is_refused(int code)
{
    return code == EINVAL || code == EROFS || code == ENOTSUP || code == ENOSYS || code == EBADF;
}

/* Everything of a commit that can fail before the file gets its name. A copy of the descriptor is closed, since
 * a file system may say only then that there was no room, and the descriptor itself holds the lock. */
static mplan_status settle(mplan_output *output, mplan_error *err)
{
    mplan_status status = flush(output, err);
    if (status || output->kind == OUTPUT_STREAM)
        return status;
    if (output->kind == OUTPUT_IN_PLACE) {
        int fd = output->fd;
        output->fd = -1;
        return close(fd) ? mplan_fail_errno(err, MPLAN_ERR_IO, output->path, errno) : MPLAN_OK;
    }
    if (fsync(output->fd) && !mplan_sync_is_refused(errno))
        return mplan_fail_errno(err, MPLAN_ERR_IO, output->path, errno);
    int copy = fcntl(output->fd, F_DUPFD_CLOEXEC, 3);
    if (copy < 0 || close(copy))
        return mplan_fail_errno(err, MPLAN_ERR_IO, output->path, errno);
    return MPLAN_OK;
}

/* Gives a file without a name its own where nothing has it, else (*placed stays false) a temporary one. */
static mplan_status give_name(mplan_output *output, bool *placed, mplan_error *err)
{
    char path[32];
    path_of_descriptor(output->fd, path);
    int folder = output->place.folder;
    *placed = linkat(AT_FDCWD, path, folder, output->place.name, AT_SYMLINK_FOLLOW) == 0;
    for (int try = 0; !*placed && try < TRIES; try++) {
        if (errno != EEXIST)
            return mplan_fail_errno(err, MPLAN_ERR_CREATE, output->path, errno);
        mplan_status status = mplan_temporary_name(output->temporary, err);
        if (status)
            return status;
        if (linkat(AT_FDCWD, path, folder, output->temporary, AT_SYMLINK_FOLLOW) == 0) {
            output->kind = OUTPUT_NAMED;
            return MPLAN_OK;
        }
    }
    return *placed ? MPLAN_OK : mplan_fail_errno(err, MPLAN_ERR_CREATE, output->path, errno);
}

/* Gives the file its name, replacing an older one, and syncs the folder. After it
 * output->temporary is empty: nothing is left to remove. */
static mplan_status put_in_place(mplan_output *output, mplan_error *err)
{
    bool placed = output->kind == OUTPUT_MEMBER;
    int folder = output->place.folder;
    mplan_status status = output->kind == OUTPUT_UNNAMED ? give_name(output, &placed, err) : MPLAN_OK;
    if (status)
        return status;
    if (!placed && renameat(folder, output->temporary, folder, output->place.name))
        return mplan_fail_errno(err, MPLAN_ERR_CREATE, output->path, errno);
    output->temporary[0] = '\0';
    if (output->kind != OUTPUT_MEMBER && fsync(folder) && !mplan_sync_is_refused(errno))
        return mplan_fail(err, MPLAN_ERR_IO, "%s: is written, but its folder cannot be synced",
                          output->path);
    return MPLAN_OK;
}

/* Whether a file that is there holds what was written, so that it stays as it is, with its times. */
static bool is_unchanged(const mplan_output *output)
{
    const mplan_place *place = &output->place;
    return (output->kind == OUTPUT_UNNAMED || output->kind == OUTPUT_NAMED) && place->exists &&
           place->about.st_size == (off_t)output->bytes &&
           mplan_same_bytes(output->fd, place->folder, place->name);
}

/* Data are flushed and synced before the name exists. The output is released in any
 * case. */
mplan_status mplan_output_commit(mplan_output *output, mplan_error *err)
{
    mplan_status status = flush(output, err);
    if (!status && is_unchanged(output)) {
        mplan_unchanged(output->context, output->path);
        discard(output);
        return MPLAN_OK;
    }
    if (!status)
        status = settle(output, err);
    if (!status && is_file(output))
        status = put_in_place(output, err);
    if (!status && output->kind == OUTPUT_MEMBER)
        output->kind = OUTPUT_IN_PLACE; /* it stays */
    discard(output);
    return status;
}

/* Nothing of the output stays; output may be NULL. */
void mplan_output_abort(mplan_output *output)
{
    if (output)
        discard(output);
}

/* Whole or not at all. */
mplan_status mplan_file_write(const char *path, const void *data, size_t size,
                              const mplan_context *context, mplan_error *err)
{
    MPLAN_NEED_CONTEXT(context);
    MPLAN_NEED(path);
    if (size > 0)
        MPLAN_NEED(data);
    mplan_output *output = NULL;
    mplan_status status = mplan_output_open(path, context, &output, err);
    if (status)
        return status;
    status = mplan_output_write(output, data, size, err);
    if (!status)
        return mplan_output_commit(output, err);
    mplan_output_abort(output);
    return status;
}
