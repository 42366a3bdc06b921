/* SPDX-License-Identifier: Apache-2.0 */
/* same_bytes.c - whether what is there already equals what was written
 *
 * Tools that go by times (make, Snakemake) run everything again behind a file that was replaced by an
 * equal one. Comparing costs a pass over both files, which are in memory as a rule, and saves the sync. */
#define _GNU_SOURCE /* fdopendir */
#include "base/same_bytes.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define PIECE ((size_t)1 << 15) /* bytes of each file that are compared at once */

/* Up to size bytes of fd from `at`: how many, less at the end only; -1: cannot be read. */
static ssize_t read_piece(int fd, uint8_t *bytes, size_t size, off_t at)
{
    size_t have = 0;
    while (have < size) {
        ssize_t got = pread(fd, bytes + have, size - have, at + (off_t)have);
        if (got < 0 && errno != EINTR)
            return -1;
        if (got == 0)
            break;
        have += got > 0 ? (size_t)got : 0;
    }
    return (ssize_t)have;
}

/* Both from their beginnings to their ends. */
static bool same_to_the_end(int a, int b)
{
    bool same = true;
    uint8_t room[2 * PIECE];
    for (off_t at = 0; same; at += (off_t)PIECE) {
        ssize_t n = read_piece(a, room, PIECE, at), m = read_piece(b, room + PIECE, PIECE, at);
        same = n >= 0 && n == m && memcmp(room, room + PIECE, (size_t)n) == 0;
        if (n < (ssize_t)PIECE)
            break;
    }
    return same;
}

/* Whether file `name` in `folder` holds what is open as `made`, from its first byte on.
 * Anything that is not a plain file differs. */
bool mplan_same_bytes(int made, int folder, const char *name)
{
    struct stat mine, there;
    /* not blocking: a pipe that took the place of the file has no writer, perhaps */
    int fd = openat(folder, name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC | O_NOCTTY);
    if (fd < 0)
        return false;
    bool same = fstat(made, &mine) == 0 && fstat(fd, &there) == 0 && S_ISREG(there.st_mode) &&
                mine.st_size == there.st_size && same_to_the_end(made, fd);
    close(fd);
    return same;
}

/* The folder's names one after the other, without "." and ".."; NULL at the end, or where they cannot be read. */
static const char *next_name(DIR *names)
{
    const struct dirent *entry;
    do
        entry = names ? readdir(names) : NULL;
    while (entry && (!strcmp(entry->d_name, ".") || !strcmp(entry->d_name, "..")));
    return entry ? entry->d_name : NULL;
}

/* A walk over the names of an open folder, which stays open; NULL: cannot be read. */
static DIR *open_names(int folder)
{
    int fd = openat(folder, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    DIR *names = fd < 0 ? NULL : fdopendir(fd);
    if (!names && fd >= 0)
        close(fd);
    return names;
}

/* A link, a pipe or a folder is never the same: only plain files are compared. */
static bool same_member(int made, int old, const char *name)
{
    int fd = openat(made, name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
    bool same = fd >= 0 && mplan_same_bytes(fd, old, name);
    if (fd >= 0)
        close(fd);
    return same;
}

/* Whether both have the same members: each of `made` is in `old` with equal bytes (n), and
 * `old` has no more (m). */
bool mplan_same_folders(int made, int old)
{
    DIR *mine = open_names(made), *there = open_names(old);
    bool same = mine && there;
    int64_t n = 0, m = 0;
    for (const char *name; same && (name = next_name(mine)) != NULL; n++)
        same = same_member(made, old, name);
    while (same && next_name(there))
        m++;
    if (mine)
        closedir(mine);
    if (there)
        closedir(there);
    return same && n == m;
}
