/* SPDX-License-Identifier: Apache-2.0 */
/* mpi_bundle.c - files of parts become one bundle, to which every rank writes its own parts
 *
 * Rank 0 knows how long header, table and manifest are; then each plan begins at the next multiple of 65,536
 * bytes. A sum over the ranks before says where the plans of a rank begin. What is between is a hole of the file,
 * which reads as zeros.
 *
 * Plans lie in the order of their parts, as ranks have ascending ranges of parts: where each begins does not
 * depend on the number of ranks. Ranks write to different bytes of one file, and none waits for another but at the
 * agreements. */
#define _GNU_SOURCE /* copy_file_range */
#include "mpi/mpi_bundle.h"

#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/error.h"
#include "base/file_output.h"
#include "base/memory.h"
#include "base/temporary.h"
#include "mpi/exchange.h"
#include "pipeline/plan_request.h"

enum { PIECE = 4 << 20 }; /* bytes that are copied at a time */

/* An entry of the table, as it travels to rank 0: the part, where its plan begins in the bundle and how long it
 * is, in bytes, and the hash of the plan's header. */
typedef struct entry {
    int64_t part, offset, bytes;
    uint64_t head;
} entry;

/* --- bytes ------------------------------------------------------------------------------------------ */

/* All of them, at byte `at`. A write may take fewer than it is given, or be broken off by a signal: it goes on
 * then. path: for the sentence only. */
static mplan_status write_at(int fd, const char *path, const void *data, size_t size, int64_t at,
                             mplan_error *err)
{
    const char *next = data;
    while (size > 0) {
        const ssize_t n = pwrite(fd, next, size, (off_t)at);
        if (n < 0 && errno == EINTR)
            continue;
        if (n <= 0)
            return mplan_fail_errno(err, MPLAN_ERR_IO, path, n < 0 ? errno : ENOSPC);
        next += n;
        at += n;
        size -= (size_t)n;
    }
    return MPLAN_OK;
}

/* The same by reading and writing, where the file system or both of them have no other way. done: bytes that are
 * there. bytes: of the file `from`, counted from its beginning; byte 0 of it goes to byte `at`. A file that ends
 * before is a fault. */
static mplan_status copy_bytes(int from, int to, const char *path, int64_t done, int64_t bytes,
                               int64_t at, mplan_error *err)
{
    char *room = mplan_alloc(PIECE, 1, err);
    mplan_status status = room ? MPLAN_OK : MPLAN_ERR_MEMORY;
    while (done < bytes && !status) {
        const ssize_t n = pread(from, room, bytes - done < PIECE ? (size_t)(bytes - done) : PIECE,
                                (off_t)done);
        if (n < 0 && errno == EINTR)
            continue;
        status = n <= 0 ? mplan_fail_errno(err, MPLAN_ERR_IO, path, n < 0 ? errno : EIO)
                        : write_at(to, path, room, (size_t)n, at + done, err);
        done += n > 0 ? n : 0;
    }
    free(room);
    return status;
}

/* All bytes of a file into another one, from byte `at` on; where the file system can, both share them. */
static mplan_status copy_file(const char *from, int to, const char *path, int64_t bytes, int64_t at,
                              mplan_error *err)
{
    const int fd = open(from, O_RDONLY | O_CLOEXEC);
    if (fd < 0)
        return mplan_fail_errno(err, MPLAN_ERR_IO, from, errno);
    int64_t done = 0;
    mplan_status status = MPLAN_OK;
    while (done < bytes) {
        off_t in = (off_t)done, out = (off_t)(at + done);
        const ssize_t n = copy_file_range(fd, &in, to, &out, (size_t)(bytes - done), 0);
        if (n < 0 && errno == EINTR)
            continue;
        if (n <= 0)
            break;
        done += n;
    }
    if (done < bytes)
        status = copy_bytes(fd, to, path, done, bytes, at, err);
    close(fd);
    return status;
}

/* --- rank 0 ------------------------------------------------------------------------------------------- */

/* Header, table and manifest. On rank 0; all of the manifest is known there, as names, sizes and bases are on
 * every rank. front: bytes, with room for the table. versions: text of the plan of part 0, which the manifest
 * repeats. */
static mplan_status make_front(const mplan_parts *parts, const char *versions, mplan_vector *front,
                               mplan_error *err)
{
    mplan_manifest manifest = {0};
    mplan_status status = mplan_parts_describe(parts, &manifest, err);
    if (!status && !(manifest.request = mplan_planning_request(&parts->whole.p, err)))
        status = MPLAN_ERR_MEMORY;
    /* borrowed, and only read */
    manifest.versions = (char *)(uintptr_t)versions;
    if (!status)
        status = mplan_bundle_front_make(&manifest, front, err);
    free(manifest.sets);
    free(manifest.maps);
    free(manifest.request);
    return status;
}

/* A new file; what it replaces says who may read it. On rank 0, before others open it. It has all its bytes at
 * once, none of them written yet: a full disk may show only when plans are copied. */
static mplan_status make_file(const mpi_store *store, const char *path, int64_t bytes,
                              mplan_error *err)
{
    struct stat old;
    const int fd = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
    char *there = mpi_store_path(store->beside, store->target, err);
    mplan_status status = there ? MPLAN_OK : MPLAN_ERR_MEMORY;
    /* what comes behind a plan up to the next one stays a hole */
    if (fd < 0 || ftruncate(fd, (off_t)bytes))
        status = mplan_fail_errno(err, fd < 0 ? MPLAN_ERR_CREATE : MPLAN_ERR_IO, store->output,
                                  errno);
    if (!status && stat(there, &old) == 0)
        mplan_temporary_keep_rights(fd, &old);
    if (fd >= 0)
        close(fd);
    free(there);
    return status;
}

/* --- all ranks ------------------------------------------------------------------------------------------ */

/* Where the plans of this rank begin; entries: out, n. Returns the end of the file, on every rank. Collective.
 * front: bytes of what is before the plans. The last plan is not filled up: the end is that of its last byte, the
 * largest of any rank's. */
static int64_t find_places(const mpi_store *store, int64_t front, int32_t n,
                           const mpi_stored *stored, entry *entries)
{
    int64_t own = 0, end = 0;
    for (int32_t i = 0; i < n; i++)
        own += mplan_bundle_next(stored[i].bytes);
    int64_t at = mplan_bundle_next(front) + mpi_sum_before(store->comm, own);
    for (int32_t i = 0; i < n; i++) {
        entries[i] = (entry){stored[i].part, at, stored[i].bytes, stored[i].head};
        end = at + stored[i].bytes;
        at += mplan_bundle_next(stored[i].bytes);
    }
    return mpi_most(store->comm, end);
}

/* The plans of this rank; a failure says which part it is about. Not collective. They are on disk when it returns,
 * where the file system can say so. A rank without parts does not open the file. */
static mplan_status write_parts(const mpi_store *store, const char *path, int32_t n,
                                const mpi_stored *stored, const entry *entries, mplan_error *err)
{
    const int fd = n > 0 ? open(path, O_WRONLY | O_CLOEXEC) : -1;
    mplan_status status = n > 0 && fd < 0 ? mplan_fail_errno(err, MPLAN_ERR_IO, store->output, errno)
                                          : MPLAN_OK;
    for (int32_t i = 0; i < n && !status; i++) {
        char *from = mpi_store_path(store->plans, stored[i].name, err);
        status = from ? copy_file(from, fd, store->output, stored[i].bytes, entries[i].offset, err)
                      : MPLAN_ERR_MEMORY;
        free(from);
        if (status) {
            char place[64];
            snprintf(place, sizeof place, "rank %d: part %d", (int)store->rank, (int)stored[i].part);
            mplan_fail_prefix(err, status, place);
        }
    }
    if (!status && n > 0 && fsync(fd) && !mplan_sync_is_refused(errno))
        status = mplan_fail_errno(err, MPLAN_ERR_IO, store->output, errno);
    if (fd >= 0 && close(fd) && !status)
        status = mplan_fail_errno(err, MPLAN_ERR_IO, store->output, errno);
    return status;
}

/* Rank 0 fills the table from what all have, and writes what lies before the plans. all: entries of all parts,
 * each once. The plans are there by then, so that a header that can be read has all that it tells of behind it. */
static mplan_status write_front(const mpi_store *store, const char *path, int32_t n_parts,
                                int64_t bytes, const mpi_items *all, mplan_vector *front,
                                mplan_error *err)
{
    const entry *entries = all->data;
    assert(all->n == n_parts);
    for (int64_t i = 0; i < all->n; i++)
        mplan_bundle_front_note(front->data, (int32_t)entries[i].part, entries[i].offset,
                                entries[i].bytes, entries[i].head);
    mplan_bundle_front_seal(front->data, n_parts, bytes);
    const int fd = open(path, O_WRONLY | O_CLOEXEC);
    if (fd < 0)
        return mplan_fail_errno(err, MPLAN_ERR_IO, store->output, errno);
    mplan_status status = write_at(fd, store->output, front->data, (size_t)front->count, 0, err);
    if (!status && fsync(fd) && !mplan_sync_is_refused(errno))
        status = mplan_fail_errno(err, MPLAN_ERR_IO, store->output, errno);
    if (close(fd) && !status)
        status = mplan_fail_errno(err, MPLAN_ERR_IO, store->output, errno);
    return status;
}

/* Three agreements: all know their plans, the file is there, all have written. The table is gathered by rank 0: 32
 * bytes a part. */
mplan_status mpi_bundle_make(const mpi_store *store, const mplan_parts *parts, int32_t n,
                             const mpi_stored *stored, const char *versions, char **path,
                             int64_t *bytes, mplan_error *err)
{
    assert(store && parts && (stored || n == 0) && path && bytes && n == parts->end - parts->begin);
    mplan_vector front = MPLAN_VECTOR_INIT(1);
    mpi_items all = {0};
    entry *entries = mplan_alloc(n, sizeof *entries, err);
    *path = mpi_store_path(store->work, "bundle", err);
    mplan_status status = entries && *path ? MPLAN_OK : MPLAN_ERR_MEMORY;
    if (!status && store->rank == 0)
        status = make_front(parts, versions, &front, err);
    status = mpi_agree(store->comm, status, err);
    if (!status) {
        /* only rank 0 has the front; its length is what the others need to know where their plans go */
        int64_t length = front.count;
        mpi_bcast(&length, 1, MPI_INT64_T, 0, store->comm);
        *bytes = find_places(store, length, n, stored, entries);
        if (store->rank == 0 && (status = make_file(store, *path, *bytes, err)))
            mplan_fail_prefix(err, status, "rank 0");
        status = mpi_agree(store->comm, status, err);
    }
    /* the gathering begins with an agreement: the table is made where all have written only */
    if (!status)
        status = mpi_gather(store->comm, false, write_parts(store, *path, n, stored, entries, err),
                            sizeof(entry), entries, n, &all, err);
    if (!status && store->rank == 0)
        status = write_front(store, *path, parts->n_parts, *bytes, &all, &front, err);
    status = mpi_agree(store->comm, status, err);
    mpi_items_free(&all);
    free(entries);
    free(front.data);
    return status;
}

/* The only moment at which something appears under the name of the output: a bundle that was there is replaced as
 * a whole. path is in the same file system, in a folder beside it. Rank 0 renames; all ranks learn whether it
 * could. */
mplan_status mpi_bundle_commit(const mpi_store *store, const char *path, mplan_error *err)
{
    assert(store && path);
    mplan_status status = MPLAN_OK;
    if (store->rank == 0) {
        char *target = mpi_store_path(store->beside, store->target, err);
        if (!target)
            status = MPLAN_ERR_MEMORY;
        else if (rename(path, target))
            status = mplan_fail_errno(err, MPLAN_ERR_CREATE, store->output, errno);
        const int folder = status ? -1 : open(store->beside, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
        if (folder >= 0) {
            (void)fsync(folder); /* some file systems refuse it, and the file is there */
            close(folder);
        }
        free(target);
    }
    return mpi_agree(store->comm, status, err);
}
