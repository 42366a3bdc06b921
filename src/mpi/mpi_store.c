/* SPDX-License-Identifier: Apache-2.0 */
/* mpi_store.c - plans of parts as files, until they are a bundle
 *
 * Rank 0 makes and removes folders; each rank writes, reads and removes the plans of its own parts. The name of a
 * file has the part and a hash of what its plan is made from: the number of ranks is not in it, so that a call
 * with other ranks finds the files, too. A file is never changed: it appears whole, or not at all.
 *
 * Texts of the store are from mplan_alloc, and released by mpi_store_close. */
#include "mpi/mpi_store.h"

#include <assert.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/error.h"
#include "base/file.h"
#include "base/file_output.h"
#include "base/hash.h"
#include "base/memory.h"
#include "base/place.h"
#include "base/temporary.h"
#include "mpi/exchange.h"
#include "mpi/mpi_key.h"
#include "pipeline/plan_request.h"
#include "planfile/planfile_layout.h"

enum { PATH_ROOM = 4096 }; /* bytes, of the absolute name of a folder */

/* FOLDER/NAME; a folder that ends in a slash gets a second one, which means the same to the system. */
char *mpi_store_path(const char *folder, const char *name, mplan_error *err)
{
    assert(folder && name);
    const size_t room = strlen(folder) + strlen(name) + 2;
    char *path = mplan_alloc((int64_t)room, 1, err);
    if (path)
        snprintf(path, room, "%s/%s", folder, name);
    return path;
}

/* --- folders ---------------------------------------------------------------------------------------- */

/* Where the output will be, by the one rule for links: *beside and *target. The folder's name is that of the
 * descriptor which the rule has found, so that it holds wherever links lead. What is there already must be a file
 * that may be replaced. Both texts are the caller's, also after a failure. */
static mplan_status find_place(const char *output, char **beside, char **target, mplan_error *err)
{
    mplan_place place;
    char link[32], path[PATH_ROOM];
    mplan_status status = mplan_place_find(output, false, &place, err);
    if (status)
        return status;
    snprintf(link, sizeof link, "/proc/self/fd/%d", place.folder);
    const ssize_t length = readlink(link, path, sizeof path - 1);
    if (place.exists && !S_ISREG(place.about.st_mode))
        status = mplan_fail(err, MPLAN_ERR_CREATE, "%s: is not a file, as a bundle must be", output);
    else if (place.exists)
        status = mplan_place_check(&place, output, err);
    if (!status && length <= 0)
        status = mplan_fail_errno(err, MPLAN_ERR_CREATE, output, errno);
    if (!status) {
        path[length] = '\0';
        *beside = mplan_strdup(path, err);
        *target = mplan_strdup(place.name, err);
        status = *beside && *target ? MPLAN_OK : MPLAN_ERR_MEMORY;
    }
    mplan_place_close(&place);
    return status;
}

/* Rank 0: a new folder beside the output, locked. What killed calls left goes first. The lock says to later calls
 * that the folder has a living owner. store->work and store->lock are set on success; mpi_store_close removes the
 * folder. */
static mplan_status make_work(mpi_store *store, mplan_error *err)
{
    char name[MPLAN_TEMPORARY_BYTES];
    mplan_status status = mplan_temporary_name(name, err);
    const int folder = status ? -1 : open(store->beside, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (folder >= 0) {
        mplan_temporary_sweep(folder);
        close(folder);
    }
    char *work = status ? NULL : mpi_store_path(store->beside, name, err);
    if (!work)
        return status ? status : MPLAN_ERR_MEMORY;
    /* the descriptor is kept until the end: it is what the lock hangs on */
    const bool made = mkdir(work, 0777) == 0;
    if (!made || (store->lock = open(work, O_RDONLY | O_DIRECTORY | O_CLOEXEC)) < 0) {
        const int why = errno;
        if (made)
            rmdir(work);
        free(work);
        return mplan_fail_errno(err, MPLAN_ERR_CREATE, store->output, why);
    }
    mplan_temporary_lock(store->lock);
    store->work = work;
    return MPLAN_OK;
}

/* Where the folder of --resume is there already, its files are what earlier calls left; other files in it are never
 * looked at, as no name of theirs is asked for. */
static mplan_status make_kept(const char *resume, mplan_error *err)
{
    struct stat about;
    if (mkdir(resume, 0777) == 0)
        return MPLAN_OK;
    if (errno != EEXIST)
        return mplan_fail_errno(err, MPLAN_ERR_CREATE, resume, errno);
    return stat(resume, &about) == 0 && S_ISDIR(about.st_mode)
               ? MPLAN_OK
               : mplan_fail(err, MPLAN_ERR_CREATE, "%s: exists and is not a folder", resume);
}

/* Rank 0: all that is made before a plan is. */
static mplan_status make_folders(mpi_store *store, const char *resume, mplan_error *err)
{
    mplan_status status = find_place(store->output, &store->beside, &store->target, err);
    if (!status)
        status = make_work(store, err);
    if (!status && resume)
        status = make_kept(resume, err);
    return status;
}

/* A text of rank 0 on every rank; *text is from mplan_alloc. Collective. *text: in on rank 0, not NULL there; out
 * on the others, where it may be NULL before. */
static mplan_status share_text(MPI_Comm comm, int32_t rank, char **text, mplan_error *err)
{
    int32_t length = rank == 0 ? (int32_t)strlen(*text) + 1 : 0;
    mpi_bcast(&length, 1, MPI_INT32_T, 0, comm);
    if (rank != 0)
        *text = mplan_alloc(length, 1, err);
    mplan_status status = mpi_agree(comm, *text ? MPLAN_OK : MPLAN_ERR_MEMORY, err);
    if (!status)
        mpi_bcast(*text, length, MPI_CHAR, 0, comm);
    return status;
}

/* Only rank 0 makes folders, and the others learn their names from it: a name that each of them found by itself
 * could be another one on another node. Every rank then tries whether it may write there. */
mplan_status mpi_store_open(MPI_Comm comm, const char *output, const char *resume, bool compress,
                            mpi_store *store, mplan_error *err)
{
    assert(output && store);
    *store = (mpi_store){.comm = comm, .lock = -1, .compress = compress};
    int rank;
    MPI_Comm_rank(comm, &rank);
    store->rank = rank;
    store->output = mplan_strdup(output, err);
    mplan_status status = store->output ? MPLAN_OK : MPLAN_ERR_MEMORY;
    if (!status && rank == 0)
        status = make_folders(store, resume, err);
    status = mpi_agree(comm, status, err);
    if (!status)
        status = share_text(comm, rank, &store->work, err);
    if (!status) {
        store->plans = mplan_strdup(resume ? resume : store->work, err);
        status = store->plans ? MPLAN_OK : MPLAN_ERR_MEMORY;
        if (!status && access(store->plans, W_OK | X_OK)) /* a folder that only one node has */
            status = mplan_fail_errno(err, MPLAN_ERR_CREATE, store->plans, errno);
        status = mpi_agree(comm, status, err);
    }
    return status;
}

/* stored: the n plans that this rank has made or found; removed only after success, and only out of the folder of
 * --resume, since the temporary folder goes as a whole. Every rank must come here, also after a failure of
 * mpi_store_open. Each rank removes its own plans, the folders are rank 0's; the barrier keeps rank 0 from
 * removing a folder that others are still looking into. What cannot be removed stays: the bundle is whole by then,
 * or the call has failed for a better reason. */
void mpi_store_close(mpi_store *store, bool success, int32_t n, const mpi_stored *stored)
{
    assert(store && (stored || n == 0));
    const bool resumed = store->plans && store->work && strcmp(store->plans, store->work) != 0;
    for (int32_t i = 0; i < n && resumed && success; i++) {
        char *path = mpi_store_path(store->plans, stored[i].name, NULL);
        if (path)
            (void)unlink(path);
        free(path);
    }
    mpi_barrier(store->comm);
    if (store->rank == 0 && store->work && store->lock >= 0) {
        const int parent = open(store->beside, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
        if (parent >= 0)
            mplan_temporary_remove_folder(store->lock, parent, strrchr(store->work, '/') + 1);
        if (parent >= 0)
            close(parent);
    }
    /* after a failure plans stay in it, for the next call */
    if (store->rank == 0 && resumed && success)
        (void)rmdir(store->plans); /* where nothing else is in it */
    if (store->lock >= 0)
        close(store->lock);
    free(store->output);
    free(store->target);
    free(store->beside);
    free(store->work);
    free(store->plans);
    *store = (mpi_store){.lock = -1};
}

/* --- plans -------------------------------------------------------------------------------------------- */

/* The request is printed as the plan will have it, so that two calls that mean the same have one hash. Every rank
 * finds the same one for itself; store->print is part of the key of each plan. */
mplan_status mpi_store_print(mpi_store *store, const mplan_parts *parts, mplan_error *err)
{
    assert(store && parts);
    char *request = mplan_planning_request(&parts->whole.p, err);
    mplan_status status = request
                              ? mpi_key_of_all(parts, request, store->compress, &store->print, err)
                              : MPLAN_ERR_MEMORY;
    free(request);
    return status;
}

/* Whether a file is the plan of this part, whole and with right hashes. A file that is not, or cannot be read, is
 * no fault: the plan is made again. stored and *versions are filled only where it is; versions NULL: nobody asks. */
static bool is_plan(const char *path, int32_t part, const mplan_context *context,
                    mpi_stored *stored, char **versions)
{
    mplan_file file = {0};
    mplan_plan *plan = NULL;
    bool good = access(path, R_OK) == 0 && !mplan_file_open(path, context, &file, NULL) &&
                file.size >= MPLAN_HEADER_BYTES &&
                !mplan_plan_read_borrowed(file.data, file.size, path, context, &plan, NULL) &&
                mplan_plan_part(plan) == part;
    if (good && versions)
        good = (*versions = mplan_strdup(mplan_plan_versions(plan), NULL)) != NULL;
    if (good) {
        stored->found = true;
        stored->bytes = (int64_t)file.size;
        stored->head = mplan_hash(file.data, MPLAN_HEADER_BYTES);
    }
    mplan_plan_free(plan);
    mplan_file_close(&file);
    return good;
}

/* The file appears when it is whole (base/file_output.h), so that a name that is there is a plan that is whole.
 * stored: bytes and head are filled. */
static mplan_status write_plan(const mpi_store *store, const mplan_plan *plan, const char *path,
                               const mplan_context *context, mpi_stored *stored, mplan_error *err)
{
    uint8_t head[MPLAN_HEADER_BYTES];
    mplan_output *output = NULL;
    mplan_status status = mplan_output_open(path, context, &output, err);
    if (!status)
        status = mplan_plan_write_into(plan, output, store->compress, context, head, &stored->bytes,
                                       err);
    if (status) {
        mplan_output_abort(output);
        return status;
    }
    stored->head = mplan_hash(head, sizeof head);
    return mplan_output_commit(output, err);
}

/* The mesh of the part is made first, since the name of the file is the hash of it: that costs little beside
 * planning, and is what makes it safe to take a file over. room: the mesh of this part is in it afterwards; the
 * caller uses it for one part after the other. The plan is freed here: memory holds one at a time. */
mplan_status mpi_store_plan(const mpi_store *store, mplan_part_mesh *room, int32_t part,
                            const mplan_context *context, mpi_stored *stored, char **versions,
                            mplan_error *err)
{
    assert(store && room && stored);
    uint64_t key = 0;
    *stored = (mpi_stored){.part = part};
    mplan_status status = mplan_part_mesh_make(room, part, err);
    if (!status)
        status = mpi_key_of_part(room, store->print, &key, err);
    if (status)
        return status;
    snprintf(stored->name, sizeof stored->name, "part-%d-%016" PRIx64 ".mplan", (int)part, key);
    char *path = mpi_store_path(store->plans, stored->name, err);
    mplan_plan *plan = NULL;
    if (!path)
        return MPLAN_ERR_MEMORY;
    /* a file of that name that is not the plan is replaced */
    if (!is_plan(path, part, context, stored, versions)) {
        status = mplan_parts_plan_in(room, part, NULL, context, &plan, err);
        if (!status)
            status = write_plan(store, plan, path, context, stored, err);
        if (!status && versions && !(*versions = mplan_strdup(mplan_plan_versions(plan), err)))
            status = MPLAN_ERR_MEMORY;
    }
    mplan_plan_free(plan);
    free(path);
    return status;
}
