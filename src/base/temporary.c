/* SPDX-License-Identifier: Apache-2.0 */
/* temporary.c - names of what is not yet whole, and what killed processes left of it */
#include "base/temporary.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "base/error.h"

#define PREFIX ".meshplan-"
#define SUFFIX ".tmp"
#define OLD_SECONDS 600 /* a writer locks its file within that */

enum { RANDOM_BYTES = 16, MOST_NAMES = 65536 };

_Static_assert(sizeof PREFIX + 2 * RANDOM_BYTES + sizeof SUFFIX - 1 == MPLAN_TEMPORARY_BYTES,
               "a name has room");

/* name: out, PREFIX and random hexadecimal digits. */
mplan_status mplan_temporary_name(char name[MPLAN_TEMPORARY_BYTES], mplan_error *err)
{
    static const char digits[] = "0123456789abcdef";
    unsigned char random[RANDOM_BYTES];
    size_t have = 0;
    while (have < sizeof random) {
        ssize_t got = getrandom(random + have, sizeof random - have, 0);
        if (got < 0 && errno != EINTR)
            return mplan_fail_errno(err, MPLAN_ERR_INTERNAL, "random bytes", errno);
        have += got > 0 ? (size_t)got : 0;
    }
    char *at = name + strlen(strcpy(name, PREFIX));
    for (int i = 0; i < RANDOM_BYTES; i++) {
        *at++ = digits[random[i] >> 4];
        *at++ = digits[random[i] & 15];
    }
    strcpy(at, SUFFIX);
    return MPLAN_OK;
}

/* By its name, which nothing but this library makes. */
static bool is_temporary(const char *name)
{
    size_t prefix = sizeof PREFIX - 1, digits = 2 * RANDOM_BYTES;
    return !strncmp(name, PREFIX, prefix) && strspn(name + prefix, "0123456789abcdef") == digits &&
           !strcmp(name + prefix + digits, SUFFIX);
}

/* As long as the descriptor is open nobody takes the file for one that was left behind. */
void mplan_temporary_lock(int fd)
{
    while (flock(fd, LOCK_EX | LOCK_NB) && errno == EINTR)
        continue;
}

/* The new file gets owner, group and mode of the old one as far as this user may set
 * them; where the group cannot be kept, its rights are cut to those of others. */
void mplan_temporary_keep_rights(int fd, const struct stat *old)
{
    struct stat made;
    mode_t mode = old->st_mode & (S_ISDIR(old->st_mode) ? 07777 : 0777);
    if (fstat(fd, &made))
        return;
    if (made.st_uid != old->st_uid)
        (void)!fchown(fd, old->st_uid, (gid_t)-1);
    if (made.st_gid != old->st_gid && fchown(fd, (uid_t)-1, old->st_gid))
        mode = (mode & ~(mode_t)02070) | ((mode & 07) << 3 & mode);
    (void)!fchmod(fd, mode);
}

/* A stream of the names in a folder, which stays open. NULL: it cannot be read. */
static DIR *list(int folder)
{
    int fd = fcntl(folder, F_DUPFD_CLOEXEC, 3);
    DIR *names = fd < 0 ? NULL : fdopendir(fd);
    if (names)
        rewinddir(names);
    else if (fd >= 0)
        close(fd);
    return names;
}

/* A file only: no link, no folder. */
static bool remove_file(int folder, const char *name)
{
    struct stat about;
    return fstatat(folder, name, &about, AT_SYMLINK_NOFOLLOW) == 0 && S_ISREG(about.st_mode) &&
           unlinkat(folder, name, 0) == 0;
}

#ifdef SYS_getdents64
/* An entry as the kernel writes it. */
typedef struct entry64 {
    uint64_t inode;
    int64_t next;
    uint16_t bytes;
    uint8_t kind;
    char name[];
} entry64;

/* Those of one folder, not below it. */
static void remove_files(int folder)
{
    _Alignas(8) char entries[4096];
    bool removed = true;
    while (removed && lseek(folder, 0, SEEK_SET) == 0) {
        removed = false;
        long n;
        while ((n = syscall(SYS_getdents64, folder, entries, sizeof entries)) > 0)
            for (long at = 0; at < n; at += ((const entry64 *)(const void *)(entries + at))->bytes)
                removed = remove_file(folder, ((const entry64 *)(const void *)(entries + at))->name) ||
                          removed;
    }
}
#else
/* All files of a folder, without folders in it. What cannot be removed stays. */
static void remove_files(int folder)
{
    DIR *names = list(folder);
    if (!names)
        return;
    for (struct dirent *entry; (entry = readdir(names)) != NULL;)
        (void)remove_file(folder, entry->d_name);
    closedir(names);
}
#endif

/* folder: its descriptor; it must hold files only. */
void mplan_temporary_remove_folder(int folder, int parent, const char *name)
{
    remove_files(folder);
    (void)unlinkat(parent, name, AT_REMOVEDIR);
}

/* Whether nobody writes what fd is any more. The lock is kept until fd is closed. */
static bool is_stale(int fd, const struct stat *about)
{
    bool file = S_ISREG(about->st_mode) && about->st_nlink == 1;
    if ((!file && !S_ISDIR(about->st_mode)) || about->st_uid != geteuid())
        return false;
    if (time(NULL) - about->st_mtime < OLD_SECONDS)
        return false;
    return flock(fd, LOCK_EX | LOCK_NB) == 0;
}

/* One that no process has locked any more. */
static void remove_if_stale(int folder, const char *name)
{
    struct stat about, still;
    int fd = openat(folder, name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
    if (fd < 0)
        return;
    /* A writer may have given the file its name, or another process swept it, before the lock was had. */
    if (fstat(fd, &about) == 0 && is_stale(fd, &about) &&
        fstatat(folder, name, &still, AT_SYMLINK_NOFOLLOW) == 0 && still.st_dev == about.st_dev &&
        still.st_ino == about.st_ino) {
        if (S_ISDIR(about.st_mode))
            mplan_temporary_remove_folder(fd, folder, name);
        else
            (void)unlinkat(folder, name, 0);
    }
    close(fd);
}

/* What crashed runs left behind. At most MOST_NAMES entries are looked at, so that a large
 * folder costs no time. */
void mplan_temporary_sweep(int folder)
{
    DIR *names = list(folder);
    if (!names)
        return;
    struct dirent *entry;
    for (int i = 0; i < MOST_NAMES && (entry = readdir(names)) != NULL; i++)
        if (is_temporary(entry->d_name))
            remove_if_stale(folder, entry->d_name);
    closedir(names);
}
