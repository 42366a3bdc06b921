/* file_output.c - outputs that appear whole or not at all
 *
 * An output goes to a temporary file in the folder of its target, and one
 * rename puts it in place. The temporary file is made by open(O_EXCL) instead
 * of mkstemp so that it gets the mode that the user's umask asks for. */
#include "base/file_output.h"

#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/error.h"
#include "base/memory.h"

#define WRITE_ROOM ((size_t)1 << 16)
#define TRIES 10000

struct mplan_output {
    int fd;
    bool borrowed;   /* fd is standard output */
    char *path;      /* as the caller names it */
    char *target;    /* what is renamed to: path, or the file a link leads to */
    char *temporary; /* NULL: written in place */
    int64_t bytes;   /* handed over, whether flushed or not */
    size_t used;
    uint8_t *room;   /* WRITE_ROOM bytes, `used` of them waiting */
};

static void output_free(mplan_output *output)
{
    if (output->fd >= 0 && !output->borrowed)
        close(output->fd);
    free(output->path);
    free(output->target);
    free(output->temporary);
    free(output->room);
    free(output);
}

/* Length of the folder part of a path with its slash; 0 for the current one. */
static size_t folder_length(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash ? (size_t)(slash - path) + 1 : 0;
}

static mplan_status open_temporary(mplan_output *output, const struct stat *old, mplan_error *err)
{
    size_t folder = folder_length(output->target);
    size_t room = folder + 64;
    output->temporary = mplan_alloc((int64_t)room, 1, err);
    if (!output->temporary)
        return MPLAN_ERR_MEMORY;
    for (int try = 0; try < TRIES && output->fd < 0; try++) {
        snprintf(output->temporary, room, "%.*s.meshplan-%ld-%d.tmp", (int)folder,
                 output->target, (long)getpid(), try);
        output->fd = open(output->temporary, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
        if (output->fd < 0 && errno != EEXIST && errno != EINTR)
            break;
    }
    if (output->fd < 0) {
        int code = errno;
        free(output->temporary);
        output->temporary = NULL;
        return mplan_fail_errno(err, MPLAN_ERR_CREATE, output->path, code);
    }
    if (old) /* the file that is replaced keeps its mode where that is allowed */
        (void)!fchmod(output->fd, old->st_mode & 0777);
    return MPLAN_OK;
}

static mplan_status open_target(mplan_output *output, mplan_error *err)
{
    struct stat old;
    bool exists = stat(output->path, &old) == 0;
    if (exists && S_ISDIR(old.st_mode))
        return mplan_fail(err, MPLAN_ERR_CREATE, "%s: is a folder", output->path);
    if (exists && !S_ISREG(old.st_mode)) {
        output->fd = open(output->path, O_WRONLY | O_CLOEXEC);
        if (output->fd < 0)
            return mplan_fail_errno(err, MPLAN_ERR_CREATE, output->path, errno);
        return MPLAN_OK;
    }
    output->target = exists ? realpath(output->path, NULL) : NULL;
    if (!output->target)
        output->target = mplan_strdup(output->path, err);
    if (!output->target)
        return MPLAN_ERR_MEMORY;
    if (output->target[0] == '\0' || output->target[folder_length(output->target)] == '\0')
        return mplan_fail(err, MPLAN_ERR_CREATE, "'%s' is no name of a file", output->path);
    return open_temporary(output, exists ? &old : NULL, err);
}

mplan_status mplan_output_open(const char *path, mplan_output **output, mplan_error *err)
{
    mplan_output *made = mplan_alloc_zero(1, sizeof *made, err);
    if (!made)
        return MPLAN_ERR_MEMORY;
    made->fd = -1;
    mplan_status status = MPLAN_OK;
    made->borrowed = strcmp(path, "-") == 0;
    made->path = mplan_strdup(made->borrowed ? "standard output" : path, err);
    made->room = mplan_alloc(WRITE_ROOM, 1, err);
    if (!made->path || !made->room)
        status = MPLAN_ERR_MEMORY;
    else if (made->borrowed)
        made->fd = STDOUT_FILENO;
    else
        status = open_target(made, err);
    if (status) {
        output_free(made);
        return status;
    }
    *output = made;
    return MPLAN_OK;
}

static mplan_status write_through(mplan_output *output, const uint8_t *data, size_t size,
                                  mplan_error *err)
{
    while (size > 0) {
        ssize_t done = write(output->fd, data, size);
        if (done < 0 && errno == EINTR)
            continue;
        if (done <= 0)
            return mplan_fail_errno(err, MPLAN_ERR_IO, output->path, done < 0 ? errno : EIO);
        data += done;
        size -= (size_t)done;
    }
    return MPLAN_OK;
}

static mplan_status flush(mplan_output *output, mplan_error *err)
{
    mplan_status status = write_through(output, output->room, output->used, err);
    output->used = 0;
    return status;
}

mplan_status mplan_output_write(mplan_output *output, const void *data, size_t size,
                                mplan_error *err)
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

int64_t mplan_output_bytes(const mplan_output *output)
{
    return output->bytes;
}

/* A folder that cannot be opened or synced (some network file systems) is no
 * failure: the rename has happened. */
static void sync_folder(const char *path)
{
    char folder[4096];
    size_t length = folder_length(path);
    if (length >= sizeof folder)
        return;
    memcpy(folder, length ? path : ".", length ? length : 1);
    folder[length ? length : 1] = '\0';
    int fd = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (fd < 0)
        return;
    (void)fsync(fd);
    close(fd);
}

/* Everything of a commit that can fail before the rename. */
static mplan_status settle(mplan_output *output, mplan_error *err)
{
    mplan_status status = flush(output, err);
    if (status || output->borrowed)
        return status;
    /* devices and pipes have nothing to sync */
    if (output->temporary && fsync(output->fd))
        return mplan_fail_errno(err, MPLAN_ERR_IO, output->path, errno);
    int fd = output->fd;
    output->fd = -1;
    if (close(fd))
        return mplan_fail_errno(err, MPLAN_ERR_IO, output->path, errno);
    return MPLAN_OK;
}

mplan_status mplan_output_commit(mplan_output *output, mplan_error *err)
{
    mplan_status status = settle(output, err);
    if (!status && output->temporary) {
        if (rename(output->temporary, output->target))
            status = mplan_fail_errno(err, MPLAN_ERR_CREATE, output->path, errno);
        else
            sync_folder(output->target);
    }
    if (status && output->temporary)
        unlink(output->temporary);
    output_free(output);
    return status;
}

void mplan_output_abort(mplan_output *output)
{
    if (!output)
        return;
    if (output->temporary)
        unlink(output->temporary);
    output_free(output);
}
