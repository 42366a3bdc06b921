/* file.c - whole input files in memory
 *
 * A regular file is mapped; everything else is read to its end. */
#include "base/file.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/error.h"

#define READ_ROOM ((size_t)1 << 20)

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
            mplan_fail_errno(err, status, path, errno);
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
        return mplan_fail_errno(err, MPLAN_ERR_IO, path, errno);
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
        return mplan_fail_errno(err, passing ? MPLAN_ERR_IO : MPLAN_ERR_NO_INPUT, path, errno);
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
