/* SPDX-License-Identifier: Apache-2.0 */
/* content.c - files named by what they hold
 *
 * Two hashes of 64 bits that share no input: with one of them, a cache of a million files has a wrong pair once in
 * 40 million caches; with both never. The second one reads the same bytes at another place of XXH3's key. */
#include "cache/content.h"

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

#define PIECE ((size_t)MPLAN_FINGERPRINT_PIECE)

enum { SALT = 8 }; /* bytes before a piece: its number */

/* Hashes of the pieces so far, for each half. */
typedef struct digest {
    mplan_vector list[2]; /* uint64_t of each piece, in order */
    int64_t bytes;
} digest;

/* room: SALT bytes, then the piece of `size` bytes. */
static mplan_status add_piece(digest *d, uint8_t *room, size_t size, mplan_error *err)
{
    uint64_t number = (uint64_t)d->list[0].count + 1;
    for (int i = 0; i < SALT; i++)
        room[i] = (uint8_t)(number >> (8 * i));
    uint64_t plain = mplan_hash(room + SALT, size), salted = mplan_hash(room, SALT + size);
    d->bytes += (int64_t)size;
    mplan_status status = mplan_vector_push(&d->list[0], &plain, err);
    return !status ? mplan_vector_push(&d->list[1], &salted, err) : status;
}

/* Of the lists as they lie in memory; releases them. */
static void finish(digest *d, mplan_content *content)
{
    content->bytes = d->bytes;
    for (int h = 0; h < 2; h++) {
        content->half[h] = mplan_hash(d->list[h].data, (size_t)d->list[h].count * sizeof(uint64_t));
        free(d->list[h].data);
    }
}

static void begin(digest *d)
{
    memset(d, 0, sizeof *d);
    for (int h = 0; h < 2; h++)
        d->list[h].size = sizeof(uint64_t);
}

/* Equal to the content of a file with these bytes. room: SALT bytes of the digest's own in
 * front of each piece, so that pieces cannot be exchanged. */
mplan_status mplan_content_of_bytes(const void *data, size_t size, mplan_content *content,
                                    mplan_error *err)
{
    digest d;
    mplan_status status = MPLAN_OK;
    uint8_t *room = mplan_alloc((int64_t)((size < PIECE ? size : PIECE) + SALT), 1, err);
    if (!room)
        return MPLAN_ERR_MEMORY;
    begin(&d);
    for (size_t at = 0; at < size && !status; at += PIECE) {
        size_t n = size - at < PIECE ? size - at : PIECE;
        memcpy(room + SALT, (const uint8_t *)data + at, n);
        status = add_piece(&d, room, n, err);
    }
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

/* The file to its end, piece by piece. room: SALT + PIECE bytes. */
static mplan_status add_file(digest *d, int fd, const char *path, uint8_t *room,
                             const mplan_context *context, mplan_error *err)
{
    for (;;) {
        size_t have = 0;
        while (have < PIECE) {
            ssize_t got = read(fd, room + SALT + have, PIECE - have);
            if (got < 0 && errno != EINTR)
                return mplan_fail_errno(err, MPLAN_ERR_IO, path, errno);
            if (got == 0)
                break;
            have += got > 0 ? (size_t)got : 0;
        }
        mplan_status status = have ? add_piece(d, room, have, err) : MPLAN_OK;
        if (!status)
            status = mplan_interrupted(context, err);
        if (status || have < PIECE)
            return status;
    }
}

/* The file is looked at before and after reading: if its size or times differ, what was read
 * may be of two versions, and the call fails. *mark, which may be NULL, is that of the bytes
 * that were read. */
mplan_status mplan_content_of_file(const char *path, const mplan_context *context,
                                   mplan_content *content, mplan_file_mark *mark, mplan_error *err)
{
    digest d;
    struct stat about;
    mplan_file_mark before = {0}, after = {0};
    int fd = open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK);
    if (fd < 0)
        return mplan_fail_errno(err, MPLAN_ERR_NO_INPUT, path, errno);
    mplan_status status = MPLAN_OK;
    uint8_t *room = mplan_alloc((int64_t)(SALT + PIECE), 1, err);
    begin(&d);
    if (!room)
        status = MPLAN_ERR_MEMORY;
    else if (fstat(fd, &about) || !S_ISREG(about.st_mode))
        status = mplan_fail(err, MPLAN_ERR_IO, "%s: is not a file", path);
    if (!status) {
        mplan_mark_of(&about, &before);
        status = add_file(&d, fd, path, room, context, err);
    }
    if (!status && !fstat(fd, &about))
        mplan_mark_of(&about, &after);
    finish(&d, content);
    if (!status && (!mplan_same_mark(&before, &after) || content->bytes != before.bytes))
        status = mplan_fail(err, MPLAN_ERR_IO, "%s: changed while it was read", path);
    if (!status && mark)
        *mark = before;
    free(room);
    close(fd);
    return status;
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
