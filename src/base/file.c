/* SPDX-License-Identifier: Apache-2.0 */
/* file.c - whole input files in memory of one's own
 *
 * Files are read, not mapped: a mapping shows what others write into the file after it was proved, and ends the
 * process by SIGBUS where they cut it. Large files are read by several threads, since most of the time goes into
 * pages that the kernel makes for them; huge pages where there are such cost half.
 *
 * Whether a file changed while it was read is seen from its size and its times before and after. A new time of
 * change of the inode where size and time of the content are as before (a rename, a chmod, another name) proves
 * nothing: the file is read again. */
#define _GNU_SOURCE /* mremap, memfd_create */
#include "base/file.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/error.h"
#include "base/option_size.h"
#include "base/threads.h"

#define STREAM_ROOM ((size_t)1 << 20)
#define PIECE ((size_t)8 << 20) /* what one thread reads at a time */
#define HUGE_PAGE ((size_t)2 << 20)

enum {
    MOST_READERS = 16,  /* threads; memory is not faster with more */
    PIECES_A_BATCH = 4, /* of every thread, between two looks at the context */
    TRIES = 3,
    WAIT_MS = 100
};

/* --- memory ------------------------------------------------------------------ */

/* At least one page. */
static size_t whole_pages(size_t bytes)
{
    size_t page = (size_t)sysconf(_SC_PAGESIZE);
    return bytes ? (bytes + page - 1) / page * page : page;
}

/* Zeroed memory of its own mapping: giving it back does not leave holes in the heap. */
static void *pages(size_t bytes)
{
    void *data = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    return data == MAP_FAILED ? NULL : data;
}

/* Huge pages for the part that fills some: a page less than that would cost what nobody uses. */
static void ask_for_huge_pages(uint8_t *data, size_t bytes)
{
#ifdef MADV_HUGEPAGE
    size_t bytes_used = bytes / HUGE_PAGE * HUGE_PAGE;
    if (bytes_used > HUGE_PAGE)
        (void)madvise(data, bytes_used, MADV_HUGEPAGE);
#else
    (void)data, (void)bytes;
#endif
}

static mplan_status no_memory(size_t bytes, mplan_error *err)
{
    return mplan_fail(err, MPLAN_ERR_MEMORY, "out of memory (asked for %zu bytes)", bytes);
}

/* Whole pages, since the memory may later be given back page by page. */
mplan_status mplan_file_reserve(mplan_file *file, size_t bytes, mplan_error *err)
{
    if (bytes > PTRDIFF_MAX / 2)
        return no_memory(bytes, err);
    size_t room = whole_pages(bytes);
    uint8_t *data = pages(room);
    if (!data)
        return no_memory(bytes, err);
    ask_for_huge_pages(data, bytes);
    *file = (mplan_file){.data = data, .size = 0, .room = room};
    return MPLAN_OK;
}

/* The file's bytes are ours to change (swapping byte orders in place). */
uint8_t *mplan_file_bytes(mplan_file *file)
{
    return (uint8_t *)(uintptr_t)file->data;
}

/* Doubles the room; on Linux pages move without a copy. */
mplan_status mplan_file_grow(mplan_file *file, mplan_error *err)
{
    if (file->room > PTRDIFF_MAX / 4)
        return no_memory(file->room, err);
    size_t room = file->room * 2;
#ifdef MREMAP_MAYMOVE
    void *data = mremap(mplan_file_bytes(file), file->room, room, MREMAP_MAYMOVE);
    if (data == MAP_FAILED)
        return no_memory(room, err);
#else
    void *data = pages(room);
    if (!data)
        return no_memory(room, err);
    memcpy(data, file->data, file->size);
    munmap(mplan_file_bytes(file), file->room);
#endif
    file->data = data;
    file->room = room;
    return MPLAN_OK;
}

/* Returns pages behind the end of the data. */
void mplan_file_trim(mplan_file *file)
{
    size_t kept = whole_pages(file->size);
    if (kept >= file->room)
        return;
    munmap(mplan_file_bytes(file) + kept, file->room - kept);
    file->room = kept;
}

/* Returns whole pages in [begin, end) that a reader has finished with. They read as
 * zeros afterwards. Sealed files are shared and stay. */
void mplan_file_forget(mplan_file *file, size_t begin, size_t end)
{
    size_t page = (size_t)sysconf(_SC_PAGESIZE);
    size_t first = (begin + page - 1) / page * page, last = end / page * page;
    if (file->data && !file->sealed && first < last)
        (void)madvise(mplan_file_bytes(file) + first, last - first, MADV_DONTNEED);
}

/* Also of a file that was not opened. sealed: the descriptor plus 1, so that 0 means none. */
void mplan_file_close(mplan_file *file)
{
    if (file->data)
        munmap(mplan_file_bytes(file), file->room);
    if (file->sealed)
        close(file->sealed - 1);
    *file = (mplan_file){.data = NULL};
}

/* --- pipes and devices ------------------------------------------------------------ */

/* Waits until fd has something to say. A signal may reach another thread of the process, so that it interrupts
 * nothing here: hence the limit of the wait. */
static mplan_status wait_for(int fd, const char *path, const mplan_context *context, mplan_error *err)
{
    for (;;) {
        mplan_status status = mplan_interrupted(context, err);
        if (status)
            return status;
        struct pollfd source = {fd, POLLIN, 0};
        int ready = poll(&source, 1, WAIT_MS);
        if (ready > 0)
            return MPLAN_OK;
        if (ready < 0 && errno != EINTR && errno != EAGAIN)
            return mplan_fail_errno(err, MPLAN_ERR_IO, path, errno);
    }
}

static mplan_status fail_large(const char *path, const mplan_context *context, mplan_error *err)
{
    return mplan_fail(err, MPLAN_ERR_MEMORY,
                      "%s: the file is larger than the memory that may be used (%lld bytes)", path,
                      (long long)context->max_memory);
}

/* 0: no limit. */
static bool too_large(size_t bytes, const mplan_context *context)
{
    int64_t memory = mplan_context_memory(context);
    return memory && bytes > (uint64_t)memory;
}

/* Appends to file what fd still gives. */
static mplan_status read_to_end(int fd, const char *path, const mplan_context *context,
                                mplan_file *file, mplan_error *err)
{
    for (;;) {
        mplan_status status = file->size == file->room ? mplan_file_grow(file, err) : MPLAN_OK;
        if (status)
            return mplan_fail_prefix(err, status, path);
        status = wait_for(fd, path, context, err);
        if (status)
            return status;
        size_t left = file->room - file->size;
        ssize_t got = read(fd, mplan_file_bytes(file) + file->size, left < PIECE ? left : PIECE);
        if (got == 0)
            return MPLAN_OK;
        if (got > 0)
            file->size += (size_t)got;
        else if (errno != EINTR && errno != EAGAIN)
            return mplan_fail_errno(err, errno == EISDIR ? MPLAN_ERR_NO_INPUT : MPLAN_ERR_IO, path,
                                    errno);
        if (too_large(file->size, context))
            return fail_large(path, context, err);
    }
}

/* Whether it is a device that never ends (zero, random), or whose end nobody can tell. A terminal ends; one that ends at once
 * (null) is an empty file, and one that cannot be read says why when it is. */
static bool never_ends(int fd, const struct stat *about)
{
    char byte;
    if (!S_ISCHR(about->st_mode) || isatty(fd))
        return false;
    const ssize_t got = read(fd, &byte, 1);
    return got > 0 || (got < 0 && errno == EAGAIN);
}

static bool same_time(struct timespec a, struct timespec b)
{
    return a.tv_sec == b.tv_sec && a.tv_nsec == b.tv_nsec;
}

/* As far as the system tells: a writer that keeps size and time goes unseen. */
static bool same_content(const struct stat *a, const struct stat *b)
{
    return a->st_size == b->st_size && same_time(a->st_mtim, b->st_mtim);
}

static mplan_status fail_changed(const char *path, mplan_error *err)
{
    return mplan_fail(err, MPLAN_ERR_IO, "%s: changed while it was read", path);
}

/* Also a regular file: one that is standard input, or whose size says nothing. */
static mplan_status read_stream(int fd, const char *path, const mplan_context *context,
                                mplan_file *file, mplan_error *err)
{
    struct stat before, after;
    const bool known = fstat(fd, &before) == 0, regular = known && S_ISREG(before.st_mode);
    if (known && never_ends(fd, &before))
        return mplan_fail(err, MPLAN_ERR_NO_INPUT,
                          "%s: is a device, where a file, a pipe or a terminal must be", path);
    mplan_status status = mplan_file_reserve(file, STREAM_ROOM, err);
    if (status)
        return mplan_fail_prefix(err, status, path);
    status = read_to_end(fd, path, context, file, err);
    if (!status && regular && fstat(fd, &after) == 0 && !same_content(&before, &after))
        status = fail_changed(path, err);
    if (status)
        mplan_file_close(file);
    else
        mplan_file_trim(file);
    return status;
}

/* --- regular files ------------------------------------------------------------------ */

/* Reads bytes [begin, end); *got: how many there are. Returns 0 or an errno. */
static int read_range(int fd, uint8_t *data, size_t begin, size_t end, size_t *got)
{
    size_t at = begin;
    while (at < end) {
        ssize_t n = pread(fd, data + at, end - at, (off_t)at);
        if (n == 0)
            break;
        if (n > 0)
            at += (size_t)n;
        else if (errno != EINTR)
            return errno;
    }
    *got = at - begin;
    return 0;
}

/* Pieces of a file, from `first` on. */
typedef struct piece_work {
    int fd;
    uint8_t *data;
    size_t size;
    int64_t first;
    int32_t failed, short_of; /* an errno; 1: some bytes are not there */
} piece_work;

/* Pieces [first, last) of the file, by one thread. Failures are left in work->failed;
 * any of several will do. */
static void read_pieces(void *data, int thread, int64_t first, int64_t last)
{
    piece_work *work = data;
    (void)thread;
    for (int64_t i = work->first + first; i < work->first + last; i++) {
        size_t begin = (size_t)i * PIECE, got = 0;
        size_t end = work->size - begin < PIECE ? work->size : begin + PIECE;
        int code = read_range(work->fd, work->data, begin, end, &got);
        if (code)
            mplan_poke(&work->failed, code);
        else if (got < end - begin)
            mplan_poke(&work->short_of, 1);
    }
}

/* Reads bytes [0, size) of a file; *whole: they are all there. */
static mplan_status read_ranges(int fd, const char *path, uint8_t *data, size_t size,
                                const mplan_context *context, bool *whole, mplan_error *err)
{
    int64_t n = (int64_t)((size + PIECE - 1) / PIECE);
    mplan_threaded threaded;
    mplan_team *team = mplan_team_of(mplan_threaded_open(context, &threaded));
    int threads = n > 1 ? mplan_team_threads(team) : 1;
    int64_t batch = (threads < MOST_READERS ? threads : MOST_READERS) * PIECES_A_BATCH;
    piece_work work = {.fd = fd, .data = data, .size = size};
    mplan_status status = MPLAN_OK;
    for (; work.first < n && !work.failed && !work.short_of && !status; work.first += batch) {
        mplan_for(team, n - work.first < batch ? n - work.first : batch, 1, read_pieces, &work);
        status = mplan_interrupted(context, err);
    }
    mplan_threaded_close(&threaded);
    *whole = !work.short_of;
    if (status)
        return status;
    return work.failed ? mplan_fail_errno(err, MPLAN_ERR_IO, path, work.failed) : MPLAN_OK;
}

/* Fills file, which has room, from a regular file that was `before`. *streams: its size says nothing. */
static mplan_status read_unchanged(int fd, const char *path, struct stat before,
                                   const mplan_context *context, mplan_file *file, bool *streams,
                                   mplan_error *err)
{
    for (int try = 0; try < TRIES; try++) {
        bool whole = false;
        struct stat after;
        mplan_status status = read_ranges(fd, path, mplan_file_bytes(file), (size_t)before.st_size,
                                          context, &whole, err);
        if (status)
            return status;
        if (fstat(fd, &after))
            return mplan_fail_errno(err, MPLAN_ERR_IO, path, errno);
        if (!same_content(&before, &after))
            break;
        *streams = !whole;
        if (same_time(after.st_ctim, before.st_ctim))
            return MPLAN_OK;
        before = after;
    }
    return fail_changed(path, err);
}

/* Size 0 is read to the end: files of /proc say 0 and hold something. */
static mplan_status read_file(int fd, const char *path, const mplan_context *context,
                              mplan_file *file, mplan_error *err)
{
    struct stat about;
    if (fstat(fd, &about))
        return mplan_fail_errno(err, MPLAN_ERR_IO, path, errno);
    if (S_ISDIR(about.st_mode))
        return mplan_fail(err, MPLAN_ERR_NO_INPUT, "%s: is a folder", path);
    if (!S_ISREG(about.st_mode) || about.st_size <= 0)
        return read_stream(fd, path, context, file, err);
    if (too_large((size_t)about.st_size, context))
        return fail_large(path, context, err);
    mplan_status status = mplan_file_reserve(file, (size_t)about.st_size, err);
    if (status)
        return mplan_fail_prefix(err, status, path);
    bool streams = false;
    status = read_unchanged(fd, path, about, context, file, &streams, err);
    if (status || streams) {
        mplan_file_close(file);
        return status ? status : read_stream(fd, path, context, file, err);
    }
    file->size = (size_t)about.st_size;
    return MPLAN_OK;
}

/* How a message calls what is not a regular file and not a folder. */
static const char *kind_of(mode_t mode)
{
    return S_ISFIFO(mode) ? "a pipe" : S_ISSOCK(mode) ? "a socket" : "a device";
}

/* Not blocking: a pipe without a writer is waited for in wait_for. */
static int open_to_read(const char *path)
{
    int fd;
    do
        fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    while (fd < 0 && errno == EINTR);
    if (fd < 0 && errno == EWOULDBLOCK) /* somebody's lease is about to end */
        fd = open(path, O_RDONLY | O_CLOEXEC);
    return fd;
}

/* Too many open files or an I/O error is not "no input". beside: only a regular file is read. */
static mplan_status open_file(const char *path, bool beside, const mplan_context *context,
                              mplan_file *file, mplan_error *err)
{
    struct stat about;
    int fd = open_to_read(path);
    if (fd < 0) {
        bool passing = errno == EMFILE || errno == ENFILE || errno == EIO;
        return mplan_fail_errno(err, passing ? MPLAN_ERR_IO : MPLAN_ERR_NO_INPUT, path, errno);
    }
    mplan_status status = MPLAN_OK;
    if (beside && fstat(fd, &about) == 0 && !S_ISREG(about.st_mode) && !S_ISDIR(about.st_mode))
        status = mplan_fail(err, MPLAN_ERR_NO_INPUT, "%s: is %s, where a file must be", path,
                            kind_of(about.st_mode));
    if (!status)
        status = read_file(fd, path, context, file, err);
    close(fd);
    return status;
}

/* "-" is standard input. */
mplan_status mplan_file_open(const char *path, const mplan_context *context, mplan_file *file,
                             mplan_error *err)
{
    mplan_status status = mplan_may_read(context, path, err);
    if (status)
        return status;
    return strcmp(path, "-") == 0 ? read_stream(STDIN_FILENO, "standard input", context, file, err)
                                  : open_file(path, false, context, file, err);
}

mplan_status mplan_file_open_beside(const char *path, const mplan_context *context,
                                    mplan_file *file, mplan_error *err)
{
    mplan_status status = mplan_may_read(context, path, err);
    return status ? status : open_file(path, true, context, file, err);
}

/* --- sealing ---------------------------------------------------------------------------- */

#ifdef MFD_ALLOW_SEALING
/* Copies the bytes to fd and gives their memory back piece by piece. */
static int pour(mplan_file *file, int fd)
{
    for (size_t at = 0; at < file->size;) {
        size_t left = file->size - at;
        ssize_t done = write(fd, file->data + at, left < PIECE ? left : PIECE);
        if (done < 0 && errno == EINTR)
            continue;
        if (done <= 0)
            return done < 0 ? errno : EIO;
        mplan_file_forget(file, at, at + (size_t)done);
        at += (size_t)done;
    }
    int seals = F_SEAL_SEAL | F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_WRITE;
    if (fcntl(fd, F_ADD_SEALS, seals) || lseek(fd, 0, SEEK_SET))
        return errno;
    if (file->size == 0) /* nothing to map; the empty page stays */
        return 0;
    void *data = mmap(mplan_file_bytes(file), file->size, PROT_READ, MAP_PRIVATE | MAP_FIXED, fd, 0);
    return data == MAP_FAILED ? errno : 0;
}

/* *fd is the file's, closed with it. Made at the first call. */
mplan_status mplan_file_seal(mplan_file *file, int *fd, mplan_error *err)
{
    if (!file->sealed) {
        int made = memfd_create("meshplan-input", MFD_CLOEXEC | MFD_ALLOW_SEALING);
        if (made < 0)
            return mplan_fail_errno(err, errno == ENOMEM ? MPLAN_ERR_MEMORY : MPLAN_ERR_IO,
                                    "a file in memory cannot be made", errno);
        int code = pour(file, made);
        if (code) {
            close(made);
            return mplan_fail_errno(err,
                                    code == ENOMEM || code == ENOSPC ? MPLAN_ERR_MEMORY : MPLAN_ERR_IO,
                                    "a file in memory cannot be filled", code);
        }
        file->sealed = made + 1;
    }
    *fd = file->sealed - 1;
    return MPLAN_OK;
}
#else
mplan_status mplan_file_seal(mplan_file *file, int *fd, mplan_error *err)
{
    (void)file, (void)fd;
    return mplan_fail(err, MPLAN_ERR_UNSUPPORTED, "files in memory need Linux");
}
#endif
