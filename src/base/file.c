/* file.c - input files in memory, and outputs that appear whole or not at all
 *
 * A regular file is mapped; everything else is read to its end. An output goes
 * to a temporary file in the folder of its target, and one rename puts it in
 * place. The temporary file is made by open(O_EXCL) instead of mkstemp so that
 * it gets the mode that the user's umask asks for. */
#include "base/file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/error.h"
#include "base/memory.h"

#define READ_ROOM ((size_t)1 << 20)
#define WRITE_ROOM ((size_t)1 << 16)
#define TRIES 10000

/* "path: No such file or directory" */
static mplan_status fail_errno(mplan_error *err, mplan_status status, const char *path, int code)
{
    char reason[128];
    if (strerror_r(code, reason, sizeof reason))
        snprintf(reason, sizeof reason, "error %d", code);
    return mplan_fail(err, status, "%s: %s", path, reason);
}

/* --- inputs --- */

/* Anonymous pages: aligned, and a tail of them can be given back. */
static uint8_t *pages(size_t bytes)
{
    void *data = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    return data == MAP_FAILED ? NULL : data;
}

static size_t whole_pages(size_t bytes)
{
    size_t page = (size_t)sysconf(_SC_PAGESIZE);
    return bytes ? (bytes + page - 1) / page * page : page;
}

/* Doubles the room at *data; false when memory runs out. */
static bool grow_pages(uint8_t **data, size_t *room, size_t used)
{
    if (*room > PTRDIFF_MAX / 2)
        return false;
    uint8_t *larger = pages(*room * 2);
    if (!larger)
        return false;
    memcpy(larger, *data, used);
    munmap(*data, *room);
    *data = larger;
    *room *= 2;
    return true;
}

static mplan_status read_all(int fd, const char *path, mplan_file *file, mplan_error *err)
{
    size_t room = READ_ROOM, used = 0;
    uint8_t *data = pages(room);
    if (!data)
        return mplan_fail(err, MPLAN_ERR_MEMORY, "%s: out of memory", path);
    for (;;) {
        if (used == room && !grow_pages(&data, &room, used)) {
            munmap(data, room);
            return mplan_fail(err, MPLAN_ERR_MEMORY,
                              "%s: out of memory after reading %zu bytes", path, used);
        }
        ssize_t got = read(fd, data + used, room - used);
        if (got == 0)
            break;
        if (got > 0) {
            used += (size_t)got;
        } else if (errno != EINTR) {
            mplan_status status = errno == EISDIR ? MPLAN_ERR_NO_INPUT : MPLAN_ERR_IO;
            fail_errno(err, status, path, errno);
            munmap(data, room);
            return status;
        }
    }
    size_t kept = whole_pages(used);
    if (kept < room)
        munmap(data + kept, room - kept);
    *file = (mplan_file){data, used, false};
    return MPLAN_OK;
}

/* Size 0 is read, not mapped: files of /proc say 0 and hold something. */
static mplan_status map_or_read(int fd, const char *path, mplan_file *file, mplan_error *err)
{
    struct stat about;
    if (fstat(fd, &about))
        return fail_errno(err, MPLAN_ERR_IO, path, errno);
    if (S_ISDIR(about.st_mode))
        return mplan_fail(err, MPLAN_ERR_NO_INPUT, "%s: is a folder", path);
    if (!S_ISREG(about.st_mode) || about.st_size <= 0)
        return read_all(fd, path, file, err);
    void *data = mmap(NULL, (size_t)about.st_size, PROT_READ, MAP_PRIVATE, fd, 0);
    if (data == MAP_FAILED) {
        if (errno == ENOMEM)
            return mplan_fail(err, MPLAN_ERR_MEMORY, "%s: out of memory", path);
        return read_all(fd, path, file, err); /* a file system that does not map */
    }
    *file = (mplan_file){data, (size_t)about.st_size, true};
    return MPLAN_OK;
}

mplan_status mplan_file_open(const char *path, mplan_file *file, mplan_error *err)
{
    if (strcmp(path, "-") == 0)
        return read_all(STDIN_FILENO, "standard input", file, err);
    int fd;
    do
        fd = open(path, O_RDONLY | O_CLOEXEC);
    while (fd < 0 && errno == EINTR);
    if (fd < 0) {
        bool passing = errno == EMFILE || errno == ENFILE || errno == EIO;
        return fail_errno(err, passing ? MPLAN_ERR_IO : MPLAN_ERR_NO_INPUT, path, errno);
    }
    mplan_status status = map_or_read(fd, path, file, err);
    close(fd);
    return status;
}

void mplan_file_close(mplan_file *file)
{
    if (file->data)
        munmap((void *)(uintptr_t)file->data, file->size ? file->size : 1);
    *file = (mplan_file){NULL, 0, false};
}

/* --- outputs --- */

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
        return fail_errno(err, MPLAN_ERR_CREATE, output->path, code);
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
            return fail_errno(err, MPLAN_ERR_CREATE, output->path, errno);
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
            return fail_errno(err, MPLAN_ERR_IO, output->path, done < 0 ? errno : EIO);
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
        return fail_errno(err, MPLAN_ERR_IO, output->path, errno);
    int fd = output->fd;
    output->fd = -1;
    if (close(fd))
        return fail_errno(err, MPLAN_ERR_IO, output->path, errno);
    return MPLAN_OK;
}

mplan_status mplan_output_commit(mplan_output *output, mplan_error *err)
{
    mplan_status status = settle(output, err);
    if (!status && output->temporary) {
        if (rename(output->temporary, output->target))
            status = fail_errno(err, MPLAN_ERR_CREATE, output->path, errno);
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
