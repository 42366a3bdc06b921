/* SPDX-License-Identifier: Apache-2.0 */
/* place.c - where an output goes: a folder that is open and a name in it
 *
 * The path is walked name by name on descriptors, so that nothing that was looked at can be exchanged for
 * something else before it is used. */
#define _GNU_SOURCE /* O_PATH */
#include "base/place.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/vfs.h>
#include <unistd.h>

#include "base/error.h"

#define MOST_LINKS 40         /* as in the kernel */
#define MAGIC_OF_PROC 0x9fa0L /* linux/magic.h */

/* A path that is resolved, one name after the other. */
typedef struct walk {
    const char *path; /* as the caller names it */
    bool wants_folder;
    int folder; /* where `rest` begins */
    int links;
    char rest[PATH_MAX]; /* still to be walked */
    mplan_error *err;
} walk;

static mplan_status fail_walk(const walk *w, int code)
{
    return mplan_fail_errno(w->err, MPLAN_ERR_CREATE, w->path, code);
}

static mplan_status fail_name(const walk *w)
{
    return mplan_fail(w->err, MPLAN_ERR_CREATE, "'%s' must end in the name of a %s", w->path,
                      w->wants_folder ? "folder" : "file");
}

/* folder: the descriptor to walk on from. */
static void move_to(walk *w, int folder)
{
    close(w->folder);
    w->folder = folder;
}

/* Puts text, a path or what a link holds, before the rest. */
static mplan_status prepend(walk *w, const char *text)
{
    char joined[sizeof w->rest];
    int length = snprintf(joined, sizeof joined, "%s%s%s", text, w->rest[0] ? "/" : "", w->rest);
    if (length < 0 || (size_t)length >= sizeof joined)
        return fail_walk(w, ENAMETOOLONG);
    memcpy(w->rest, joined, (size_t)length + 1);
    if (joined[0] != '/')
        return MPLAN_OK;
    int root = open("/", O_PATH | O_DIRECTORY | O_CLOEXEC);
    if (root < 0)
        return fail_walk(w, errno);
    move_to(w, root);
    return MPLAN_OK;
}

/* Takes the first name off the rest. *last: no other follows; *slash: slashes do. */
static mplan_status take(walk *w, char name[256], bool *last, bool *slash)
{
    const char *from = w->rest + strspn(w->rest, "/");
    size_t length = strcspn(from, "/");
    if (length > 255)
        return fail_walk(w, ENAMETOOLONG);
    memcpy(name, from, length);
    name[length] = '\0';
    from += length;
    size_t slashes = strspn(from, "/");
    *slash = slashes > 0;
    *last = from[slashes] == '\0';
    memmove(w->rest, from + slashes, strlen(from + slashes) + 1);
    return MPLAN_OK;
}

/* Whether others may have planted things in a folder. */
static bool is_shared(int folder, struct stat *about)
{
    return fstat(folder, about) == 0 && (about->st_mode & (S_ISVTX | S_IWOTH)) == (S_ISVTX | S_IWOTH);
}

/* In a folder that others may write to: whether the thing belongs to neither of us nor to the
 * folder's owner. */
static bool is_foreign(int folder, const struct stat *thing)
{
    struct stat about;
    return is_shared(folder, &about) && thing->st_uid != geteuid() && thing->st_uid != about.st_uid;
}

/* Expands a symbolic link, unless it belongs to another user in a folder that all may
 * write (the rule of protected_symlinks). about: of the link itself. */
static mplan_status follow(walk *w, int link, const struct stat *about)
{
    char text[PATH_MAX];
    if (is_foreign(w->folder, about))
        return mplan_fail(w->err, MPLAN_ERR_CREATE,
                          "%s: goes through a link of another user in a folder that everybody "
                          "may write to",
                          w->path);
    if (++w->links > MOST_LINKS)
        return fail_walk(w, ELOOP);
    ssize_t length = readlinkat(link, "", text, sizeof text - 1);
    if (length < 0)
        return fail_walk(w, errno);
    text[length] = '\0';
    return prepend(w, text);
}

/* What a descriptor of /proc/PID/fd stands for when that is neither file nor folder: it has no path. */
static bool is_unnamed(int folder, const char *name, struct stat *about)
{
    struct statfs system;
    return fstatfs(folder, &system) == 0 && system.f_type == MAGIC_OF_PROC &&
           fstatat(folder, name, about, 0) == 0 && !S_ISREG(about->st_mode) &&
           !S_ISDIR(about->st_mode);
}

/* One name further. *there: `place` holds where the path ends. */
static mplan_status step(walk *w, mplan_place *place, bool *there)
{
    bool last = false, slash = false;
    mplan_status status = take(w, place->name, &last, &slash);
    if (status)
        return status;
    bool dots = !strcmp(place->name, ".") || !strcmp(place->name, "..");
    if (!place->name[0] || (last && (dots || (slash && !w->wants_folder))))
        return fail_name(w);
    int fd = openat(w->folder, place->name, O_PATH | O_NOFOLLOW | O_CLOEXEC);
    if (fd < 0) {
        *there = last && errno == ENOENT;
        return *there ? MPLAN_OK : fail_walk(w, errno);
    }
    struct stat about;
    if (fstat(fd, &about)) {
        status = fail_walk(w, errno);
    } else if (last && S_ISLNK(about.st_mode) && is_unnamed(w->folder, place->name, &place->about)) {
        *there = place->exists = place->unnamed = true;
    } else if (S_ISLNK(about.st_mode)) {
        if (last && slash)
            strcpy(w->rest, "/"); /* what it leads to is a folder, too */
        status = follow(w, fd, &about);
    } else if (last) {
        *there = place->exists = true;
        place->about = about;
    } else {
        move_to(w, fd); /* what is not a folder fails at the next name */
        return MPLAN_OK;
    }
    close(fd);
    return status;
}

/* Descriptors of O_PATH cannot be synced or listed; a folder that may not be read has no other. */
static void reopen(walk *w)
{
    int folder = openat(w->folder, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (folder >= 0)
        move_to(w, folder);
}

/* Resolves the path step by step with descriptors, so that nobody can exchange a folder
 * for a link in between. place->folder: descriptor of the last folder, owned by the
 * caller. */
mplan_status mplan_place_find(const char *path, bool folder, mplan_place *place, mplan_error *err)
{
    walk w = {.path = path, .wants_folder = folder, .folder = -1, .err = err};
    *place = (mplan_place){.folder = -1};
    w.folder = open(".", O_PATH | O_DIRECTORY | O_CLOEXEC);
    if (w.folder < 0)
        return fail_walk(&w, errno);
    bool there = false;
    mplan_status status = path[0] ? prepend(&w, path) : fail_name(&w);
    while (!status && !there)
        status = step(&w, place, &there);
    if (status) {
        close(w.folder);
        return status;
    }
    reopen(&w);
    place->folder = w.folder;
    return MPLAN_OK;
}

void mplan_place_close(mplan_place *place)
{
    if (place->folder >= 0)
        close(place->folder);
    place->folder = -1;
}

/* A file that may not be written is not replaced either, although the folder would
 * allow it. */
mplan_status mplan_place_check(const mplan_place *place, const char *path, mplan_error *err)
{
    if (!place->exists || place->unnamed)
        return MPLAN_OK;
    if (is_foreign(place->folder, &place->about))
        return mplan_fail(err, MPLAN_ERR_CREATE,
                          "%s: belongs to another user in a folder that everybody may write to",
                          path);
    bool readable_only = !(place->about.st_mode & 0222) ||
                         faccessat(place->folder, place->name, W_OK,
                                   AT_EACCESS | AT_SYMLINK_NOFOLLOW);
    if (readable_only)
        return mplan_fail(err, MPLAN_ERR_CREATE, "%s: exists and may not be written", path);
    return MPLAN_OK;
}
