/* SPDX-License-Identifier: Apache-2.0 */
/* cache_upkeep.c - what lies in a cache, and what goes */
#include "cache/cache_upkeep.h"

#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base/error.h"
#include "base/memory.h"
#include "cache/cache_folder.h"
#include "cache/cache_record.h"

#define MARK_SECONDS (30 * 86400)
#define LEASE_SECONDS 3600 /* long after it could have been broken */

/* A file of the cache. */
typedef struct kept_file {
    char *path; /* owned */
    char name[MPLAN_CONTENT_TEXT];
    int64_t bytes, used;
} kept_file;

/* --- walking ------------------------------------------------------------------------ */

/* The list is empty afterwards. */
static void free_files(mplan_vector *files)
{
    kept_file *list = files->data;
    for (int64_t i = 0; i < files->count; i++)
        free(list[i].path);
    free(list);
    *files = (mplan_vector)MPLAN_VECTOR_INIT(sizeof(kept_file));
}

/* The file `folder/name`, where it is one. part: the two digits before its name, or "". */
static mplan_status add_file(mplan_vector *files, const char *folder, const char *part,
                             const char *name, mplan_error *err)
{
    char path[MPLAN_CACHE_PATH];
    struct stat about;
    kept_file file = {NULL, "", 0, 0};
    int length = snprintf(path, sizeof path, "%s/%s", folder, name);
    if (name[0] == '.' || length < 0 || length >= (int)sizeof path || lstat(path, &about) ||
        !S_ISREG(about.st_mode))
        return MPLAN_OK;
    snprintf(file.name, sizeof file.name, "%s%.*s", part,
             (int)(sizeof file.name - 1 - strlen(part)), name);
    file.bytes = (int64_t)about.st_size;
    file.used = (int64_t)about.st_mtim.tv_sec;
    file.path = mplan_strdup(path, err);
    if (!file.path)
        return MPLAN_ERR_MEMORY;
    mplan_status status = mplan_vector_push(files, &file, err);
    if (status)
        free(file.path);
    return status;
}

/* The files of a folder, and of the folders of two digits in it. */
static mplan_status list_files(const char *folder, const char *part, mplan_vector *files,
                               mplan_error *err)
{
    DIR *names = opendir(folder);
    if (!names)
        return errno == ENOENT ? MPLAN_OK : mplan_fail_errno(err, MPLAN_ERR_NO_INPUT, folder, errno);
    mplan_status status = MPLAN_OK;
    for (struct dirent *entry; !status && (entry = readdir(names)) != NULL;) {
        char below[MPLAN_CACHE_PATH];
        bool is_part = !part[0] && strlen(entry->d_name) == 2 && entry->d_name[0] != '.';
        int length = snprintf(below, sizeof below, "%s/%s", folder, entry->d_name);
        if (is_part && length > 0 && length < (int)sizeof below)
            status = list_files(below, entry->d_name, files, err);
        else
            status = add_file(files, folder, part, entry->d_name, err);
    }
    closedir(names);
    return status;
}

/* Files of a kind: "plans", "requests", "marks" or "leases". */
static mplan_status list_kind(const char *folder, const char *kind, mplan_vector *files,
                              mplan_error *err)
{
    char path[MPLAN_CACHE_PATH];
    *files = (mplan_vector)MPLAN_VECTOR_INIT(sizeof(kept_file));
    int length = snprintf(path, sizeof path, "%s/" MPLAN_CACHE_VERSION "/%s", folder, kind);
    if (length < 0 || length >= (int)sizeof path)
        return mplan_fail_errno(err, MPLAN_ERR_NO_INPUT, folder, ENAMETOOLONG);
    return list_files(path, "", files, err);
}

/* The one that was used last first; equal times by name. */
static int compare_use(const void *a, const void *b)
{
    const kept_file *x = a, *y = b;
    if (x->used != y->used)
        return x->used > y->used ? -1 : 1;
    return strcmp(x->path, y->path);
}

/* Plans by their last use, the latest first. */
static mplan_status list_plans(const char *folder, mplan_vector *files, mplan_error *err)
{
    mplan_status status = list_kind(folder, "plans", files, err);
    if (files->count > 1)
        qsort(files->data, (size_t)files->count, sizeof(kept_file), compare_use);
    return status;
}

/* Nothing is touched in a folder that is not a cache, whatever it is called. */
static mplan_status check_tag(const char *folder, mplan_error *err)
{
    char path[MPLAN_CACHE_PATH], tag[MPLAN_CACHE_PATH];
    int length = snprintf(path, sizeof path, "%s/" MPLAN_CACHE_VERSION, folder);
    snprintf(tag, sizeof tag, "%s/CACHEDIR.TAG", folder);
    if (length > 0 && length < (int)sizeof path && access(path, F_OK) == 0 && access(tag, F_OK) != 0)
        return mplan_fail(err, MPLAN_ERR_FORMAT, "%s: is not a cache: it has no file CACHEDIR.TAG",
                          folder);
    return MPLAN_OK;
}

/* --- counting ----------------------------------------------------------------------- */

/* How many files of that kind the folder holds. */
static mplan_status count_kind(const char *folder, const char *kind, int64_t *n, mplan_error *err)
{
    mplan_vector files;
    mplan_status status = list_kind(folder, kind, &files, err);
    *n = files.count;
    free_files(&files);
    return status;
}

/* Visits plans with the last used first. A file that goes while the folder is read is not
 * counted; nothing is locked. */
mplan_status mplan_cache_count(const char *folder, mplan_cache_visit *visit, void *user,
                               mplan_cache_contents *contents, mplan_error *err)
{
    mplan_vector plans;
    *contents = (mplan_cache_contents){0};
    mplan_status status = list_plans(folder, &plans, err);
    const kept_file *list = plans.data;
    contents->plans = plans.count;
    for (int64_t i = 0; i < plans.count; i++) {
        contents->plan_bytes += list[i].bytes;
        if (visit && !status)
            visit(user, list[i].name, list[i].bytes, list[i].used);
    }
    free_files(&plans);
    if (!status)
        status = count_kind(folder, "requests", &contents->requests, err);
    if (!status)
        status = count_kind(folder, "marks", &contents->marks, err);
    return !status ? count_kind(folder, "leases", &contents->leases, err) : status;
}

/* --- cleaning ----------------------------------------------------------------------- */

static void remove_file(const kept_file *file, mplan_cache_contents *contents)
{
    contents->removed += unlink(file->path) == 0;
}

/* Whether a plan that the record names is there. */
static bool leads_somewhere(const char *folder, const char *record)
{
    char *text = NULL, version[MPLAN_CACHE_PATH], path[MPLAN_CACHE_PATH];
    bool found = false, whole = !mplan_record_read(record, NULL, &text, NULL) && text;
    const char *at = text;
    snprintf(version, sizeof version, "%s/" MPLAN_CACHE_VERSION, folder);
    while (whole && !found) {
        mplan_cache_entry entry;
        if (mplan_record_next(&at, "", &entry, &whole, NULL))
            whole = false;
        found = whole && !mplan_cache_path(version, "plans", &entry.plan, ".mplan", path, NULL) &&
                access(path, F_OK) == 0;
        mplan_entry_free(&entry);
    }
    free(text);
    return found;
}

/* The list begins with the plan that was used last: those are kept whose sum stays within max
 * bytes; a smaller one behind a large one may still fit. max below 0: all are kept. */
static mplan_status clean_plans(const char *folder, int64_t max, mplan_cache_contents *contents,
                                mplan_error *err)
{
    mplan_vector plans;
    int64_t bytes = 0;
    mplan_status status = list_plans(folder, &plans, err);
    const kept_file *list = plans.data;
    for (int64_t i = 0; i < plans.count && !status && max >= 0; i++) {
        bytes += list[i].bytes;
        if (bytes <= max)
            continue;
        remove_file(&list[i], contents);
        contents->removed_bytes += list[i].bytes;
        bytes -= list[i].bytes;
    }
    free_files(&plans);
    return status;
}

/* Files of a kind that were not touched for so long. */
static mplan_status clean_kind(const char *folder, const char *kind, int64_t seconds,
                               mplan_cache_contents *contents, mplan_error *err)
{
    mplan_vector files;
    int64_t now = (int64_t)time(NULL);
    mplan_status status = list_kind(folder, kind, &files, err);
    const kept_file *list = files.data;
    for (int64_t i = 0; i < files.count && !status; i++)
        if (list[i].used + seconds < now)
            remove_file(&list[i], contents);
    free_files(&files);
    return status;
}

/* Plans first, then old marks and leases, then the records that lead to no plan any more. Only
 * a folder with the tag of a cache is cleaned. */
mplan_status mplan_cache_clean(const char *folder, int64_t max, const mplan_context *context,
                               mplan_cache_contents *contents, mplan_error *err)
{
    mplan_vector records;
    mplan_cache_contents cleaned = {0};
    mplan_status status = check_tag(folder, err);
    if (!status)
        status = clean_plans(folder, max, &cleaned, err);
    if (!status)
        status = clean_kind(folder, "marks", MARK_SECONDS, &cleaned, err);
    if (!status)
        status = clean_kind(folder, "leases", LEASE_SECONDS, &cleaned, err);
    if (status)
        return status;
    status = list_kind(folder, "requests", &records, err);
    const kept_file *list = records.data;
    for (int64_t i = 0; i < records.count && !status; i++) {
        if (!leads_somewhere(folder, list[i].path))
            remove_file(&list[i], &cleaned);
        status = mplan_interrupted(context, err);
    }
    free_files(&records);
    if (!status)
        status = mplan_cache_count(folder, NULL, NULL, contents, err);
    contents->removed = cleaned.removed;
    contents->removed_bytes = cleaned.removed_bytes;
    return status;
}

/* --- verifying ---------------------------------------------------------------------- */

/* Whether the file holds what its name says. */
static mplan_status check_plan(const kept_file *file, const mplan_context *context, bool *good,
                               mplan_error *err)
{
    mplan_content said, found;
    mplan_status status = mplan_content_of_file(file->path, context, &found, NULL, err);
    *good = !status && mplan_content_from_text(file->name, &said) &&
            said.half[0] == found.half[0] && said.half[1] == found.half[1];
    return status == MPLAN_ERR_INTERRUPTED || status == MPLAN_ERR_MEMORY ? status : MPLAN_OK;
}

/* Reads every plan whole and removes those whose content is not what their name says. Their
 * records stay: a later look finds no plan and goes on. */
mplan_status mplan_cache_verify(const char *folder, const mplan_context *context,
                                mplan_cache_contents *contents, mplan_error *err)
{
    mplan_vector plans;
    int64_t damaged = 0, removed = 0;
    mplan_status status = check_tag(folder, err);
    if (status)
        return status;
    status = list_plans(folder, &plans, err);
    const kept_file *list = plans.data;
    for (int64_t i = 0; i < plans.count && !status; i++) {
        bool good;
        status = check_plan(&list[i], context, &good, err);
        if (status || good)
            continue;
        mplan_warn(context, "%s: damaged, and removed", list[i].path);
        damaged++;
        removed += unlink(list[i].path) == 0;
    }
    free_files(&plans);
    if (!status)
        status = mplan_cache_count(folder, NULL, NULL, contents, err);
    contents->damaged = damaged;
    contents->removed = removed;
    return status;
}
