/* SPDX-License-Identifier: Apache-2.0 */
/* folder_output.c - folders of files that appear whole or not at all */
#define _GNU_SOURCE /* syscall */
#include "base/folder_output.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/error.h"
#include "base/memory.h"
#include "base/place.h"
#include "base/same_bytes.h"
#include "base/temporary.h"

#define EXCHANGE 2u /* RENAME_EXCHANGE, linux/fs.h */

enum { TRIES = 100 };

struct mplan_folder_output {
    char *path; /* as the caller names it */
    const mplan_context *context;
    mplan_folder_check *check;
    mplan_place place;
    int old;                               /* the folder that is there, locked; -1: none */
    bool full;                             /* and it is not empty */
    int made;                              /* the new one, locked; -1: none yet */
    bool exchanged;                        /* the old one has the temporary name */
    char temporary[MPLAN_TEMPORARY_BYTES]; /* "": nothing has it */
};

static mplan_status fail_folder(const mplan_folder_output *f, int code, mplan_error *err)
{
    return mplan_fail_errno(err, MPLAN_ERR_CREATE, f->path, code);
}

/* Closes descriptors (-1: not open) and frees; removes nothing. */
static void release(mplan_folder_output *f)
{
    if (f->old >= 0)
        close(f->old);
    if (f->made >= 0)
        close(f->made);
    mplan_place_close(&f->place);
    free(f->path);
    free(f);
}

/* *full: whether the old folder holds anything. */
static mplan_status look_for_names(const mplan_folder_output *f, bool *full, mplan_error *err)
{
    int fd = fcntl(f->old, F_DUPFD_CLOEXEC, 3);
    DIR *names = fd < 0 ? NULL : fdopendir(fd);
    if (!names) {
        int code = errno;
        if (fd >= 0)
            close(fd);
        return fail_folder(f, code, err);
    }
    rewinddir(names);
    *full = false;
    for (struct dirent *entry; !*full && (entry = readdir(names)) != NULL;)
        *full = strcmp(entry->d_name, ".") && strcmp(entry->d_name, "..");
    closedir(names);
    return MPLAN_OK;
}

/* Whether the folder that is there may be replaced. */
static mplan_status check_old(mplan_folder_output *f, mplan_error *err)
{
    if (!S_ISDIR(f->place.about.st_mode))
        return mplan_fail(err, MPLAN_ERR_CREATE, "%s: exists and is not a folder", f->path);
    mplan_status status = mplan_place_check(&f->place, f->path, err);
    if (status)
        return status;
    f->old = openat(f->place.folder, f->place.name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    if (f->old < 0)
        return fail_folder(f, errno, err);
    mplan_temporary_lock(f->old);
    status = look_for_names(f, &f->full, err);
    return status || !f->full ? status : f->check(f->old, f->path, err);
}

/* A new folder of a random name beside the place, opened and locked against the sweep
 * of other processes. */
static mplan_status make_temporary(mplan_folder_output *f, mplan_error *err)
{
    int failed = -1;
    for (int try = 0; try < TRIES && failed; try++) {
        mplan_status status = mplan_temporary_name(f->temporary, err);
        if (status)
            return status;
        failed = mkdirat(f->place.folder, f->temporary, 0777);
        if (failed && errno != EEXIST)
            break;
    }
    if (failed)
        return fail_folder(f, errno, err);
    f->made = openat(f->place.folder, f->temporary, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    if (f->made >= 0) {
        mplan_temporary_lock(f->made);
        return MPLAN_OK;
    }
    mplan_status status = fail_folder(f, errno, err);
    (void)unlinkat(f->place.folder, f->temporary, AT_REMOVEDIR);
    return status;
}

/* check: tells whether an existing folder may be replaced. Nothing at the path changes
 * before commit. */
mplan_status mplan_folder_output_open(const char *path, mplan_folder_check *check,
                                      const mplan_context *context, mplan_folder_output **folder,
                                      mplan_error *err)
{
    mplan_folder_output *f = mplan_alloc_zero(1, sizeof *f, err);
    if (!f)
        return MPLAN_ERR_MEMORY;
    f->check = check;
    f->context = context;
    f->old = f->made = f->place.folder = -1;
    f->path = mplan_strdup(path, err);
    mplan_status status = f->path ? mplan_place_find(path, true, &f->place, err) : MPLAN_ERR_MEMORY;
    if (!status && f->place.exists)
        status = check_old(f, err);
    if (!status) {
        mplan_temporary_sweep(f->place.folder);
        status = make_temporary(f, err);
    }
    if (status)
        release(f);
    else
        *folder = f;
    return status;
}

/* The output must be committed or aborted before the folder is. */
mplan_status mplan_folder_output_file(mplan_folder_output *folder, const char *name,
                                      mplan_output **output, mplan_error *err)
{
    size_t room = strlen(folder->path) + strlen(name) + 2;
    char *path = mplan_alloc((int64_t)room, 1, err);
    if (!path)
        return MPLAN_ERR_MEMORY;
    bool slash = folder->path[0] && folder->path[strlen(folder->path) - 1] == '/';
    snprintf(path, room, "%s%s%s", folder->path, slash ? "" : "/", name);
    mplan_status status = mplan_output_open_member(folder->made, name, path, folder->context,
                                                   output, err);
    free(path);
    return status;
}

/* Swaps the names of the new folder and the old one in one step (RENAME_EXCHANGE);
 * ENOSYS where the system cannot. */
static int exchange(const mplan_folder_output *f)
{
#ifdef SYS_renameat2
    int folder = f->place.folder;
    return (int)syscall(SYS_renameat2, folder, f->temporary, folder, f->place.name, EXCHANGE);
#else
    (void)f;
    errno = ENOSYS;
    return -1;
#endif
}

/* Whether what now has the temporary name is the folder that was looked at, with nothing new in it. */
static mplan_status check_exchanged(const mplan_folder_output *f, mplan_error *err)
{
    struct stat looked_at, taken;
    if (fstat(f->old, &looked_at) ||
        fstatat(f->place.folder, f->temporary, &taken, AT_SYMLINK_NOFOLLOW))
        return fail_folder(f, errno, err);
    if (looked_at.st_dev != taken.st_dev || looked_at.st_ino != taken.st_ino)
        return mplan_fail(err, MPLAN_ERR_CREATE, "%s: another process changed it meanwhile", f->path);
    bool full;
    mplan_status status = look_for_names(f, &full, err);
    return status || !full ? status : f->check(f->old, f->path, err);
}

/* After the exchange the old folder is looked at again: if another process put
 * something into it meanwhile, the folders are exchanged back. */
static mplan_status replace_old(mplan_folder_output *f, mplan_error *err)
{
    mplan_temporary_keep_rights(f->made, &f->place.about);
    if (exchange(f)) {
        mplan_status failed = fail_folder(f, errno, err);
        return mplan_fail_prefix(err, failed,
                                 "the existing folder cannot be exchanged for the new one");
    }
    f->exchanged = true;
    mplan_status status = check_exchanged(f, err);
    if (status && exchange(f) == 0)
        f->exchanged = false;
    else if (status)
        f->temporary[0] = '\0'; /* what another process put there stays */
    return status;
}

/* A new folder, or one in the place of an empty one, which rename does at once everywhere. */
static mplan_status place_new(mplan_folder_output *f, mplan_error *err)
{
    int folder = f->place.folder;
    if (f->old >= 0)
        mplan_temporary_keep_rights(f->made, &f->place.about);
    if (renameat(folder, f->temporary, folder, f->place.name))
        return fail_folder(f, errno, err);
    f->temporary[0] = '\0';
    return MPLAN_OK;
}

/* The new folder takes the old one's place by names only; data is synced before, the folder
 * that holds the name afterwards. If all files are what they were, the old folder stays with
 * its times. folder is closed in all cases. */
mplan_status mplan_folder_output_commit(mplan_folder_output *folder, mplan_error *err)
{
    mplan_status status = MPLAN_OK;
    if (folder->full && mplan_same_folders(folder->made, folder->old)) {
        mplan_unchanged(folder->context, folder->path);
        mplan_folder_output_abort(folder);
        return MPLAN_OK;
    }
    if (fsync(folder->made) && !mplan_sync_is_refused(errno))
        status = mplan_fail_errno(err, MPLAN_ERR_IO, folder->path, errno);
    if (!status)
        status = folder->full ? replace_old(folder, err) : place_new(folder, err);
    if (!status && fsync(folder->place.folder) && !mplan_sync_is_refused(errno))
        status = mplan_fail(err, MPLAN_ERR_IO,
                            "%s: is written, but the folder that holds it cannot be synced",
                            folder->path);
    mplan_folder_output_abort(folder); /* which removes what has the temporary name: the old folder, or a failure's new one */
    return status;
}

/* After an exchange of names the old folder has the temporary name, else the new one: that is
 * what goes. NULL: nothing. */
void mplan_folder_output_abort(mplan_folder_output *folder)
{
    if (!folder)
        return;
    if (folder->temporary[0])
        mplan_temporary_remove_folder(folder->exchanged ? folder->old : folder->made,
                                      folder->place.folder, folder->temporary);
    release(folder);
}
