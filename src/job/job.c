/* SPDX-License-Identifier: Apache-2.0 */
/* job.c - job files: from path to mplan_job */
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/file.h"
#include "base/memory.h"
#include "base/option_size.h"
#include "job/job.h"

enum { MAX_BYTES = 16 * 1024 * 1024 }; /* of a job file; real ones have some thousands */

/* What a mplan_job points into lives and dies with it. */
typedef struct owned_job {
    mplan_job job; /* first, so that both have one address */
    mplan_job_arena arena;
} owned_job;

/* *job owns its arena; texts, records and values live in it, and none of them points into data,
 * which the caller may release. folder: what relative paths start from, with its slash; "" for
 * the current folder. *job is not set after a failure. */
mplan_status mplan_job_parse(const uint8_t *data, size_t size, const char *name, const char *folder,
                             mplan_job **job, mplan_error *err)
{
    if (size > MAX_BYTES)
        return mplan_fail(err, MPLAN_ERR_CORRUPT, "%s: %zu bytes are too many for a job", name, size);
    owned_job *owned = mplan_alloc_zero(1, sizeof *owned, err);
    if (!owned)
        return MPLAN_ERR_MEMORY;
    mplan_job_value *root = NULL;
    mplan_status status = mplan_job_tree(data, size, name, &owned->arena, &root, err);
    if (!status)
        status = mplan_job_from_tree(root, name, folder, &owned->arena, &owned->job, err);
    if (status)
        mplan_job_free(&owned->job);
    else
        *job = &owned->job;
    return status;
}

#ifdef MPLAN_HAVE_YAML
/* folder: the path up to its last slash, "" without one. It and the file's bytes are gone when this returns, so that
 * `use` copies what it keeps. */
mplan_status mplan_job_with_file(const char *path, const mplan_context *context, mplan_job_use *use,
                                 void *user, mplan_error *err)
{
    const char *slash = strrchr(path, '/');
    const size_t length = slash ? (size_t)(slash - path) + 1 : 0; /* of the folder and its slash */
    mplan_file file = {0};
    mplan_status status = mplan_file_open(path, context, &file, err);
    if (status)
        return status;
    char *folder = mplan_alloc((int64_t)length + 1, 1, err);
    if (folder) {
        memcpy(folder, path, length);
        folder[length] = '\0';
        status = use(user, &file, strcmp(path, "-") == 0 ? "standard input" : path, folder, err);
    } else {
        status = MPLAN_ERR_MEMORY;
    }
    free(folder);
    mplan_file_close(&file);
    return status;
}

/* user: where the job goes */
static mplan_status parse_file(void *user, const mplan_file *file, const char *name,
                               const char *folder, mplan_error *err)
{
    return mplan_job_parse(file->data, file->size, name, folder, user, err);
}
#endif

/* "-" is standard input, whose paths are relative to the current folder; others are relative to
 * the job's own, so that a job and its meshes may be moved together. */
mplan_status mplan_job_read(const char *path, const mplan_context *context, mplan_job **job,
                            mplan_error *err)
{
    MPLAN_NEED_CONTEXT(context);
    MPLAN_NEED(path);
    MPLAN_NEED(job);
#ifndef MPLAN_HAVE_YAML
    (void)context;
    (void)job;
    return mplan_fail(err, MPLAN_ERR_UNSUPPORTED,
                      "%s: job files cannot be read, this build has no libyaml", path);
#else
    return mplan_job_with_file(path, context, parse_file, job, err);
#endif
}

/* job may be NULL. Every mplan_job was made here, as the first member of an owned_job. */
void mplan_job_free(mplan_job *job)
{
    if (!job)
        return;
    owned_job *owned = (owned_job *)(void *)job;
    mplan_job_arena_free(&owned->arena);
    free(owned);
}
