/* SPDX-License-Identifier: Apache-2.0 */
/* cache_folder.c - the folder of a cache: where things lie, how they come and go */
#include "cache/cache_folder.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "base/error.h"
#include "base/file.h"
#include "base/file_output.h"
#include "base/memory.h"
#include "base/place.h"
#include "base/same_bytes.h"
#include "base/temporary.h"
#include "cache/cache_record.h"

/* https://bford.info/cachedir/ */
#define TAG \
    "Signature: 8a477f597d28d172789f06886806bc55\n# Plans of meshplan, which can be made again.\n"

enum {
    WAIT_MS = 100,
    LIFE_SECONDS = 60,  /* of a lease that nobody touches */
    TOUCH_SECONDS = 60, /* a plan that was used again later than that gets a new time */
    MOST_RECORD = 1 << 26
};

/* --- paths -------------------------------------------------------------------------- */

/* FOLDER/KIND/ab/cdef...: two digits make a folder, so that no folder has very many files. */
static mplan_status path_of(const char *folder, const char *kind, const char *digits,
                            const char *ending, char path[MPLAN_CACHE_PATH], mplan_error *err)
{
    int length = snprintf(path, MPLAN_CACHE_PATH, "%s/%s/%.2s/%s%s", folder, kind, digits,
                          digits + 2, ending);
    return length > 0 && length < MPLAN_CACHE_PATH
               ? MPLAN_OK
               : mplan_fail_errno(err, MPLAN_ERR_CREATE, folder, ENAMETOOLONG);
}

mplan_status mplan_cache_path(const char *folder, const char *kind, const mplan_content *content,
                              const char *ending, char path[MPLAN_CACHE_PATH], mplan_error *err)
{
    char digits[MPLAN_CONTENT_TEXT];
    mplan_content_text(content, digits);
    return path_of(folder, kind, digits, ending, path, err);
}

mplan_status mplan_cache_path_of_key(const char *folder, const char *kind, const char *key,
                                     char path[MPLAN_CACHE_PATH], mplan_error *err)
{
    return path_of(folder, kind, key, "", path, err);
}

/* folder is ROOT/1, where the tag goes into ROOT, or a folder in it, when it is there already. */
static void put_tag(const char *folder)
{
    char path[MPLAN_CACHE_PATH];
    const char *slash = strrchr(folder, '/');
    int length = snprintf(path, sizeof path, "%s/../CACHEDIR.TAG", folder);
    if (slash && !strcmp(slash + 1, MPLAN_CACHE_VERSION) && length > 0 &&
        length < (int)sizeof path && access(path, F_OK) != 0)
        (void)mplan_file_write(path, TAG, strlen(TAG), NULL, NULL);
}

/* Makes the folders that `path` needs, from the top. Others may make them at the same time: one
 * that exists is as good. The tag lets `cache clean` know the folder for a cache. */
mplan_status mplan_cache_make_folders(const char *folder, const char *path, mplan_error *err)
{
    char part[MPLAN_CACHE_PATH];
    struct stat about;
    size_t length = strlen(path);
    const char *last = strrchr(path, '/');
    snprintf(part, sizeof part, "%.*s", (int)(last ? last - path : 0), path);
    if (length >= sizeof part || stat(part, &about) == 0)
        return MPLAN_OK;
    for (char *slash = strchr(part + 1, '/');; slash = strchr(slash + 1, '/')) {
        if (slash)
            *slash = '\0';
        if (mkdir(part, 0777) && errno != EEXIST)
            return mplan_fail_errno(err, MPLAN_ERR_CREATE, part, errno);
        if (!slash)
            break;
        *slash = '/';
    }
    put_tag(folder);
    return MPLAN_OK;
}

/* Not within a minute of the last time: a new time of a file makes who reads it at the same moment believe that its
 * bytes changed. */
void mplan_cache_touch(const char *path)
{
    struct stat about;
    if (stat(path, &about) == 0 && about.st_mtim.tv_sec + TOUCH_SECONDS < time(NULL))
        (void)utimensat(AT_FDCWD, path, NULL, 0);
}

/* --- records ------------------------------------------------------------------------ */

/* *text is the record behind its first line, ended by a zero, for the caller to free; NULL
 * without a record. What is not a record is a warning and counts as absent: a cache may always
 * be damaged, and planning goes on. */
mplan_status mplan_record_read(const char *path, const mplan_context *context, char **text,
                               mplan_error *err)
{
    static const char head[] = MPLAN_RECORD_HEAD;
    mplan_file file = {0};
    mplan_context quiet = MPLAN_CONTEXT_INIT;
    *text = NULL;
    if (access(path, R_OK) != 0 || mplan_file_open(path, &quiet, &file, NULL))
        return MPLAN_OK;
    size_t skip = sizeof head - 1;
    mplan_status status = MPLAN_OK;
    bool is_record = file.size >= skip && file.size < MOST_RECORD &&
                     !memcmp(file.data, head, skip) && !memchr(file.data, 0, file.size);
    if (!is_record)
        mplan_warn(context, "%s: damaged, and not used", path);
    else if ((*text = mplan_alloc((int64_t)(file.size - skip + 1), 1, err)) == NULL)
        status = MPLAN_ERR_MEMORY;
    if (*text) {
        memcpy(*text, file.data + skip, file.size - skip);
        (*text)[file.size - skip] = '\0';
    }
    mplan_file_close(&file);
    return status;
}

/* Where the first n entries of the text end. */
static size_t first_entries(const char *text, int n)
{
    size_t end = 0;
    for (const char *at = text; n > 0 && (at = strstr(at, "\nend ")) != NULL; n--) {
        const char *line = strchr(at + 1, '\n');
        if (!line)
            break;
        end = (size_t)(line + 1 - text);
        at = line;
    }
    return end;
}

/* `mine` goes to the front, and the oldest entries fall out at the end. Two processes that
 * raced leave the entry once. The record is replaced as a whole. */
mplan_status mplan_record_write(const char *path, const char *mine, const char *older,
                                mplan_error *err)
{
    mplan_output *output = NULL;
    const char *same = older ? strstr(older, mine) : NULL; /* two that raced */
    size_t keep = older && !same ? first_entries(older, MPLAN_RECORD_ENTRIES - 1) : 0;
    mplan_status status = mplan_output_open(path, NULL, &output, err);
    if (status)
        return status;
    status = mplan_output_write(output, MPLAN_RECORD_HEAD, strlen(MPLAN_RECORD_HEAD), err);
    if (!status)
        status = mplan_output_write(output, mine, strlen(mine), err);
    if (!status && keep)
        status = mplan_output_write(output, older, keep, err);
    if (!status)
        return mplan_output_commit(output, err);
    mplan_output_abort(output);
    return status;
}

/* --- links -------------------------------------------------------------------------- */

/* Whether the name in the folder is there and holds the object's bytes. */
static bool holds(const mplan_place *place, const char *object)
{
    int fd = place->exists ? open(object, O_RDONLY | O_CLOEXEC) : -1;
    bool same = fd >= 0 && mplan_same_bytes(fd, place->folder, place->name);
    if (fd >= 0)
        close(fd);
    return same;
}

/* A hard link takes the place of the output in one step, by a temporary name in the same
 * folder. *linked stays false where links do not work (another file system, a pipe, standard
 * output): the caller copies then. */
mplan_status mplan_cache_link(const char *object, const char *path, const mplan_context *context,
                              bool *linked, mplan_error *err)
{
    char temporary[MPLAN_TEMPORARY_BYTES];
    mplan_place place = {.folder = -1};
    *linked = false;
    if (!strcmp(path, "-"))
        return MPLAN_OK;
    mplan_status status = mplan_place_find(path, false, &place, err);
    if (!status &&
        holds(&place, object)) { /* as the link of an earlier call does, which nobody may write */
        mplan_unchanged(context, path);
        *linked = true;
        mplan_place_close(&place);
        return MPLAN_OK;
    }
    if (!status)
        status = mplan_place_check(&place, path, err);
    if (!status && (!place.exists || S_ISREG(place.about.st_mode))) {
        status = mplan_temporary_name(temporary, err);
        *linked = !status && linkat(AT_FDCWD, object, place.folder, temporary, 0) == 0;
        if (*linked && renameat(place.folder, temporary, place.folder, place.name)) {
            *linked = false;
            (void)unlinkat(place.folder, temporary, 0);
        }
    }
    mplan_place_close(&place);
    return status;
}

/* --- leases ------------------------------------------------------------------------- */

static bool lease_path(const char *folder, const char *key, char path[MPLAN_CACHE_PATH])
{
    int length = snprintf(path, MPLAN_CACHE_PATH, "%s/leases/%s", folder, key);
    return length > 0 && length < MPLAN_CACHE_PATH;
}

/* Removes a lease that nobody touched for so long that its process must have ended. Clocks of machines that share a
 * cache must agree within half of that. */
static void break_old(const char *path)
{
    struct stat about;
    if (stat(path, &about) == 0 && about.st_mtim.tv_sec + LIFE_SECONDS < time(NULL))
        (void)unlink(path);
}

/* *mine: this process plans, with or without a lease file. Otherwise another one held the
 * lease; the call returns when it was given back, or was older than its time and was broken. */
mplan_status mplan_lease_take(const char *folder, const char *key, const mplan_context *context,
                              int *lease, bool *mine, mplan_error *err)
{
    char path[MPLAN_CACHE_PATH];
    struct stat about;
    *mine = true;
    if (!lease_path(folder, key, path) || mplan_cache_make_folders(folder, path, NULL))
        return MPLAN_OK;
    *lease = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
    if (*lease >= 0 || errno != EEXIST)
        return MPLAN_OK;
    *mine = false;
    mplan_status status = MPLAN_OK;
    while (!status && stat(path, &about) == 0) {
        break_old(path);
        nanosleep(&(struct timespec){.tv_nsec = WAIT_MS * 1000000L}, NULL);
        status = mplan_interrupted(context, err);
    }
    return status;
}

/* Only while it is still this process's: one that slept for a minute may have lost it. */
void mplan_lease_give_back(const char *folder, const char *key, int *lease)
{
    char path[MPLAN_CACHE_PATH];
    struct stat mine, there;
    if (*lease < 0)
        return;
    if (lease_path(folder, key, path) && !fstat(*lease, &mine) && !stat(path, &there) &&
        mine.st_ino == there.st_ino && mine.st_dev == there.st_dev)
        (void)unlink(path);
    close(*lease);
    *lease = -1;
}
