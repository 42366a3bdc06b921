/* SPDX-License-Identifier: Apache-2.0 */
/* content.c - files named by what they hold
 *
 * Two hashes of 64 bits that share no input: with one of them, a cache of a million files has a wrong pair once in
 * 40 million caches; with both never. The second one reads the same bytes at another place of XXH3's key. */
#include "cache/content.h"

#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/error.h"
#include "base/hash.h"
#include "base/memory.h"
#include "base/threads.h"

#define PIECE ((size_t)MPLAN_FINGERPRINT_PIECE)

enum { SALT = 8 }; /* bytes before a piece: its number */

/* Hashes of the pieces, for each half. */
typedef struct digest {
    uint64_t *hash[2]; /* of piece i */
    int64_t n, bytes;
} digest;

static int64_t pieces_of(int64_t bytes)
{
    return (bytes + (int64_t)PIECE - 1) / (int64_t)PIECE;
}

static mplan_status begin(digest *d, int64_t bytes, mplan_error *err)
{
    *d = (digest){.n = pieces_of(bytes), .bytes = bytes};
    d->hash[0] = mplan_alloc(2 * d->n, sizeof *d->hash[0], err);
    d->hash[1] = d->hash[0] ? d->hash[0] + d->n : NULL;
    return d->hash[0] ? MPLAN_OK : MPLAN_ERR_MEMORY;
}

/* Of the lists as they lie in memory; releases them. */
static void finish(digest *d, mplan_content *content)
{
    content->bytes = d->bytes;
    for (int h = 0; h < 2; h++)
        content->half[h] = mplan_hash(d->hash[h], (size_t)d->n * sizeof(uint64_t));
    free(d->hash[0]);
}

/* room: SALT bytes, then piece i of `size` bytes. */
static void hash_piece(digest *d, int64_t i, uint8_t *room, size_t size)
{
    const uint64_t number = (uint64_t)i + 1;
    for (int s = 0; s < SALT; s++)
        room[s] = (uint8_t)(number >> (8 * s));
    d->hash[0][i] = mplan_hash(room + SALT, size);
    d->hash[1][i] = mplan_hash(room, SALT + size);
}

/* Equal to the content of a file with these bytes. room: SALT bytes of the digest's own in
 * front of each piece, so that pieces cannot be exchanged. */
mplan_status mplan_content_of_bytes(const void *data, size_t size, mplan_content *content,
                                    mplan_error *err)
{
    digest d;
    uint8_t *room = mplan_alloc((int64_t)((size < PIECE ? size : PIECE) + SALT), 1, err);
    mplan_status status = room ? begin(&d, (int64_t)size, err) : MPLAN_ERR_MEMORY;
    for (int64_t i = 0; !status && i < d.n; i++) {
        const size_t at = (size_t)i * PIECE, n = size - at < PIECE ? size - at : PIECE;
        memcpy(room + SALT, (const uint8_t *)data + at, n);
        hash_piece(&d, i, room, n);
    }
    if (!status)
        finish(&d, content);
    free(room);
    return status;
}

void mplan_mark_of(const struct stat *about, mplan_file_mark *mark)
{
    *mark = (mplan_file_mark){(int64_t)about->st_size, (uint64_t)about->st_dev,
                              (uint64_t)about->st_ino, about->st_mtim, about->st_ctim};
}

static bool same_time(const struct timespec *a, const struct timespec *b)
{
    return a->tv_sec == b->tv_sec && a->tv_nsec == b->tv_nsec;
}

bool mplan_same_mark(const mplan_file_mark *a, const mplan_file_mark *b)
{
    return a->bytes == b->bytes && a->device == b->device && a->number == b->number &&
           same_time(&a->modified, &b->modified) && same_time(&a->changed, &b->changed);
}

/* --- files ----------------------------------------------------------------------------- */

/* Pieces of a file, each read, hashed and perhaps written by one thread. A piece stays in that thread's cache meanwhile:
 * memory is read once and written once. */
typedef struct pieces {
    int fd;               /* -1: the output itself is read */
    mplan_output *output; /* NULL: nothing is written */
    digest d;
    uint8_t *rooms; /* of each thread: SALT + PIECE bytes, whole lines */
    const char *path;
    int32_t failed; /* some thread has set status and err */
    mplan_status status;
    mplan_error err;
} pieces;

enum { LINE = 64 };
static const size_t ROOM = (PIECE + SALT + LINE - 1) / LINE * LINE;

/* Reads bytes of the file, all of them. */
static mplan_status read_piece(const pieces *all, uint8_t *to, size_t size, int64_t at,
                               mplan_error *err)
{
    if (all->fd < 0)
        return mplan_output_read(all->output, at, to, size, err);
    for (size_t have = 0; have < size;) {
        const ssize_t got = pread(all->fd, to + have, size - have, (off_t)at + (off_t)have);
        if (got < 0 && errno != EINTR)
            return mplan_fail_errno(err, MPLAN_ERR_IO, all->path, errno);
        if (got == 0)
            return mplan_fail(err, MPLAN_ERR_IO, "%s: changed while it was read", all->path);
        have += got > 0 ? (size_t)got : 0;
    }
    return MPLAN_OK;
}

/* Pieces first ... last - 1. The first failure of any thread is kept. */
static void run_pieces(void *data, int thread, int64_t first, int64_t last)
{
    pieces *all = data;
    uint8_t *room = all->rooms + (size_t)thread * ROOM;
    for (int64_t i = first; i < last && !mplan_peek(&all->failed); i++) {
        const int64_t at = i * (int64_t)PIECE, left = all->d.bytes - at;
        const size_t n = left < (int64_t)PIECE ? (size_t)left : PIECE;
        mplan_error err;
        mplan_status status = read_piece(all, room + SALT, n, at, &err);
        if (!status)
            hash_piece(&all->d, i, room, n);
        if (!status && all->output && all->fd >= 0)
            status = mplan_output_piece(all->output, at, room + SALT, n, &err);
        if (status && !mplan_exchange(&all->failed, 1)) {
            all->status = status;
            all->err = err;
        }
    }
}

/* All pieces of a file of so many bytes. */
static mplan_status run_all(pieces *all, int64_t bytes, const mplan_context *context,
                            mplan_content *content, mplan_error *err)
{
    mplan_threaded threaded;
    mplan_team *team = pieces_of(bytes) > 1 ? mplan_team_of(mplan_threaded_open(context, &threaded))
                                            : NULL;
    const size_t room = bytes < (int64_t)PIECE ? (size_t)bytes + SALT : ROOM;
    mplan_status status = begin(&all->d, bytes, err);
    all->rooms = !status ? mplan_alloc(team ? mplan_team_threads(team) : 1, room, err) : NULL;
    if (!status && !all->rooms)
        status = MPLAN_ERR_MEMORY;
    if (!status)
        status = mplan_for_heeding(team, all->d.n, 1, run_pieces, all, context, err);
    if (pieces_of(bytes) > 1)
        mplan_threaded_close(&threaded);
    if (!status && all->failed) {
        status = all->status;
        if (err)
            *err = all->err;
    }
    if (status)
        free(all->d.hash[0]);
    else
        finish(&all->d, content);
    free(all->rooms);
    return status;
}

/* Whether something is behind the end that the file's size tells, as in files of /proc. */
static bool goes_on(int fd, int64_t bytes)
{
    char more;
    return pread(fd, &more, 1, (off_t)bytes) != 0;
}

/* The file is looked at before and after reading: if its size or times differ, what was read
 * may be of two versions, and the call fails. *mark, which may be NULL, is that of the bytes
 * that were read. output: NULL, or where they go. */
static mplan_status read_file(const char *path, mplan_output *output, const mplan_context *context,
                              mplan_content *content, mplan_file_mark *mark, mplan_error *err)
{
    struct stat about;
    mplan_file_mark before = {0}, after = {0};
    pieces all = {.output = output, .path = path};
    all.fd = open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK);
    if (all.fd < 0)
        return mplan_fail_errno(err, MPLAN_ERR_NO_INPUT, path, errno);
    mplan_status status = MPLAN_OK;
    if (fstat(all.fd, &about) || !S_ISREG(about.st_mode))
        status = mplan_fail(err, MPLAN_ERR_IO, "%s: is not a file", path);
    if (!status) {
        mplan_mark_of(&about, &before);
        status = run_all(&all, before.bytes, context, content, err);
    }
    if (!status && !fstat(all.fd, &about))
        mplan_mark_of(&about, &after);
    if (!status && (!mplan_same_mark(&before, &after) || goes_on(all.fd, before.bytes)))
        status = mplan_fail(err, MPLAN_ERR_IO, "%s: changed while it was read", path);
    if (!status && mark)
        *mark = before;
    close(all.fd);
    return status;
}

mplan_status mplan_content_of_file(const char *path, const mplan_context *context,
                                   mplan_content *content, mplan_file_mark *mark, mplan_error *err)
{
    return read_file(path, NULL, context, content, mark, err);
}

/* What is shared is read from the output, which nobody else can change. */
mplan_status mplan_content_copy(const char *path, mplan_output *output, const mplan_context *context,
                                mplan_content *content, mplan_error *err)
{
    struct stat about;
    assert(mplan_output_takes_pieces(output));
    if (stat(path, &about) || !mplan_output_share(output, path, (int64_t)about.st_size))
        return read_file(path, output, context, content, NULL, err);
    pieces all = {.fd = -1, .output = output, .path = path};
    return run_all(&all, (int64_t)about.st_size, context, content, err);
}

void mplan_content_text(const mplan_content *content, char text[MPLAN_CONTENT_TEXT])
{
    snprintf(text, MPLAN_CONTENT_TEXT, "%016" PRIx64 "%016" PRIx64, content->half[0],
             content->half[1]);
}

/* The first MPLAN_CONTENT_TEXT - 1 characters must be hexadecimal digits in lower case; what
 * follows is not looked at. The number of bytes is not in the text. */
bool mplan_content_from_text(const char *text, mplan_content *content)
{
    static const char digits[] = "0123456789abcdef";
    if (strspn(text, digits) < MPLAN_CONTENT_TEXT - 1)
        return false;
    for (int h = 0; h < 2; h++) {
        content->half[h] = 0;
        for (int i = 0; i < 16; i++)
            content->half[h] = 16 * content->half[h] +
                               (uint64_t)(strchr(digits, text[16 * h + i]) - digits);
    }
    return true;
}
