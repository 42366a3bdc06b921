/* SPDX-License-Identifier: Apache-2.0 */
/* bundle_read.c - opens bundles and reads the plans of single parts: formats/plan-format.md, section 13
 *
 * Header, table and manifest are read at once; a plan when it is asked for, by its range of the file and into memory of
 * its own. So a process reads the parts that it runs and nothing else. */
#define _GNU_SOURCE /* pread */
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/error.h"
#include "base/file.h"
#include "base/hash.h"
#include "base/option_size.h"
#include "plan/plan.h"
#include "planfile/bundle.h"
#include "planfile/planfile_layout.h"

/* Read at a time, between two looks at whether to stop. */
#define PIECE ((size_t)8 << 20)

/* An open bundle. The file stays open for reading by ranges; all of the front has been checked against its hashes.
 * table: as in the file. file_bytes: the length when it was opened, which the header has too. */
struct mplan_bundle {
    char *path;
    int fd;
    int64_t file_bytes, manifest_bytes;
    uint8_t *table; /* n_parts entries of 64 bytes */
    mplan_manifest manifest;
};

/* By the magic; size may be less than that. */
bool mplan_bundle_recognise(const void *bytes, size_t size)
{
    return bytes && size >= MPLAN_MAGIC_BYTES &&
           memcmp(bytes, MPLAN_BUNDLE_MAGIC, MPLAN_MAGIC_BYTES) == 0;
}

/* "FILE: damaged at byte N: reason", MPLAN_ERR_CORRUPT. byte: from the begin of the bundle, not of a plan in it. */
#if defined __GNUC__
__attribute__((format(printf, 4, 5)))
#endif
static mplan_status
damaged(const mplan_bundle *bundle, int64_t byte, mplan_error *err, const char *format, ...)
{
    char what[400];
    va_list args;
    va_start(args, format);
    vsnprintf(what, sizeof what, format, args);
    va_end(args);
    return mplan_fail(err, MPLAN_ERR_CORRUPT, "%s: damaged at byte %lld: %s", bundle->path,
                      (long long)byte, what);
}

/* Bytes [at, at + size) of the file into `to`; all of them must be there. pread leaves the position of the file as it
 * is, so threads may read parts of one bundle side by side. A signal is heeded between pieces. */
static mplan_status read_range(const mplan_bundle *bundle, int64_t at, size_t size, void *to,
                               const mplan_context *context, mplan_error *err)
{
    uint8_t *next = to;
    while (size > 0) {
        mplan_status status = mplan_interrupted(context, err);
        if (status)
            return status;
        const ssize_t n = pread(bundle->fd, next, size < PIECE ? size : PIECE, (off_t)at);
        if (n < 0 && errno == EINTR)
            continue;
        if (n < 0)
            return mplan_fail_errno(err, MPLAN_ERR_IO, bundle->path, errno);
        if (n == 0)
            return damaged(bundle, at, err, "the file ends here");
        next += n;
        at += n;
        size -= (size_t)n;
    }
    return MPLAN_OK;
}

/* head: `size` bytes of the header, fewer than 128 where the file is shorter. In this order: not a bundle, cut short,
 * newer, damaged; so a newer bundle is told apart before its bytes are judged by the rules of this version. */
static mplan_status check_header(mplan_bundle *bundle, const uint8_t *head, size_t size,
                                 mplan_error *err)
{
    if (!mplan_bundle_recognise(head, size))
        return mplan_fail(err, MPLAN_ERR_FORMAT, "%s: not a bundle", bundle->path);
    if (size < MPLAN_BUNDLE_HEADER)
        return damaged(bundle, (int64_t)size, err, "the file ends within its header");
    if (mplan_load16(head + MPLAN_BUNDLE_AT_MAJOR) > MPLAN_BUNDLE_MAJOR)
        return mplan_fail(err, MPLAN_ERR_TOO_NEW,
                          "%s: bundle format %u is newer than this reader (%d)", bundle->path,
                          (unsigned)mplan_load16(head + MPLAN_BUNDLE_AT_MAJOR), MPLAN_BUNDLE_MAJOR);
    if (mplan_hash(head, MPLAN_BUNDLE_AT_HEADER_HASH) !=
        mplan_load64(head + MPLAN_BUNDLE_AT_HEADER_HASH))
        return damaged(bundle, MPLAN_BUNDLE_AT_HEADER_HASH, err,
                       "the checksum of the header is wrong");
    if (mplan_load16(head + MPLAN_BUNDLE_AT_MAJOR) < 1)
        return damaged(bundle, MPLAN_BUNDLE_AT_MAJOR, err, "there is no bundle format 0");
    if (mplan_load64(head + MPLAN_BUNDLE_AT_MUST_KNOW))
        return mplan_fail(err, MPLAN_ERR_TOO_NEW,
                          "%s: the bundle uses features that are newer than this reader",
                          bundle->path);
    if (mplan_load64(head + MPLAN_BUNDLE_AT_FILE_BYTES) != (uint64_t)bundle->file_bytes)
        return damaged(bundle, MPLAN_BUNDLE_AT_FILE_BYTES, err,
                       "the file has %lld bytes instead of %llu", (long long)bundle->file_bytes,
                       (unsigned long long)mplan_load64(head + MPLAN_BUNDLE_AT_FILE_BYTES));
    if (mplan_load32(head + MPLAN_BUNDLE_AT_HEADER_BYTES) != MPLAN_BUNDLE_HEADER)
        return damaged(bundle, MPLAN_BUNDLE_AT_HEADER_BYTES, err,
                       "the header does not have 128 bytes");
    for (int i = 80; i < MPLAN_BUNDLE_AT_HEADER_HASH; i++)
        if (head[i])
            return damaged(bundle, i, err, "a reserved byte is not zero");
    for (int i = 36; i < 40; i++)
        if (head[i])
            return damaged(bundle, i, err, "a reserved byte is not zero");
    return MPLAN_OK;
}

/* The plan of each part lies where it must, the last one ends with the file, and zeros are between. */
static mplan_status check_table(mplan_bundle *bundle, int64_t n_parts, int64_t manifest_bytes,
                                const mplan_context *context, mplan_error *err)
{
    int64_t end = MPLAN_BUNDLE_HEADER + MPLAN_BUNDLE_ENTRY * n_parts + manifest_bytes;
    uint8_t *gap = mplan_alloc(MPLAN_BUNDLE_UNIT, 1, err);
    mplan_status status = gap ? MPLAN_OK : MPLAN_ERR_MEMORY;
    for (int64_t p = 0; p < n_parts && !status; p++) {
        const uint8_t *entry = bundle->table + MPLAN_BUNDLE_ENTRY * p;
        const int64_t at = MPLAN_BUNDLE_HEADER + MPLAN_BUNDLE_ENTRY * p;
        const uint64_t offset = mplan_load64(entry + MPLAN_BUNDLE_AT_OFFSET);
        const uint64_t bytes = mplan_load64(entry + MPLAN_BUNDLE_AT_BYTES);
        if (offset != (uint64_t)mplan_bundle_next(end))
            status = damaged(bundle, at, err, "part %lld does not begin at the required place",
                             (long long)p);
        else if (bytes < MPLAN_HEADER_BYTES || offset > (uint64_t)bundle->file_bytes ||
                 bytes > (uint64_t)bundle->file_bytes - offset)
            status = damaged(bundle, at + MPLAN_BUNDLE_AT_BYTES, err,
                             "part %lld extends beyond the file", (long long)p);
        for (int i = 24; i < MPLAN_BUNDLE_ENTRY && !status; i++)
            if (entry[i])
                status = damaged(bundle, at + i, err, "a reserved byte is not zero");
        if (!status)
            status = read_range(bundle, end, (size_t)((int64_t)offset - end), gap, context, err);
        for (int64_t i = 0; !status && i < (int64_t)offset - end; i++)
            if (gap[i])
                status = damaged(bundle, end + i, err, "a padding byte is not zero");
        end = (int64_t)(offset + bytes);
    }
    free(gap);
    if (!status && end != bundle->file_bytes)
        status = damaged(bundle, end, err, "bytes follow the last part");
    return status;
}

/* Reads the text of bundle->manifest_bytes bytes at byte `at`, which must have this hash. A fault within it is
 * reported by its byte in the bundle. bundle->manifest is released with the bundle, also when it was read in part. */
static mplan_status read_manifest(mplan_bundle *bundle, int64_t at, uint64_t hash,
                                  const mplan_context *context, mplan_error *err)
{
    const int64_t size = bundle->manifest_bytes;
    int64_t place = 0;
    const char *what = "";
    char *text = mplan_alloc(size + 1, 1, err);
    if (!text)
        return MPLAN_ERR_MEMORY;
    text[size] = '\0';
    mplan_status status = read_range(bundle, at, (size_t)size, text, context, err);
    if (!status && mplan_hash(text, (size_t)size) != hash)
        status = damaged(bundle, MPLAN_BUNDLE_AT_MANIFEST_HASH, err,
                         "the checksum of the manifest is wrong");
    if (!status) {
        status = mplan_manifest_read(text, size, &bundle->manifest, &place, &what, err);
        if (status == MPLAN_ERR_CORRUPT)
            status = damaged(bundle, at + place, err, "%s", what);
    }
    free(text);
    return status;
}

/* Header, table and manifest, each by its checksum before it is believed. */
static mplan_status read_front(mplan_bundle *bundle, const mplan_context *context, mplan_error *err)
{
    uint8_t head[MPLAN_BUNDLE_HEADER] = {0};
    const size_t there = bundle->file_bytes < MPLAN_BUNDLE_HEADER ? (size_t)bundle->file_bytes
                                                                  : MPLAN_BUNDLE_HEADER;
    mplan_status status = read_range(bundle, 0, there, head, context, err);
    if (!status)
        status = check_header(bundle, head, there, err);
    if (status)
        return status;
    const int64_t n = mplan_load32(head + MPLAN_BUNDLE_AT_PARTS);
    const uint64_t text = mplan_load64(head + MPLAN_BUNDLE_AT_MANIFEST_BYTES);
    const int64_t room = bundle->file_bytes - MPLAN_BUNDLE_HEADER;
    if (n < 1 || n > INT32_MAX - 1 || n > room / MPLAN_BUNDLE_ENTRY)
        return damaged(bundle, MPLAN_BUNDLE_AT_PARTS, err, "there cannot be %lld parts",
                       (long long)n);
    if (text > (uint64_t)(room - n * MPLAN_BUNDLE_ENTRY))
        return damaged(bundle, MPLAN_BUNDLE_AT_MANIFEST_BYTES, err,
                       "the manifest extends beyond the file");
    bundle->manifest_bytes = (int64_t)text;
    bundle->table = mplan_alloc(n, MPLAN_BUNDLE_ENTRY, err);
    if (!bundle->table)
        return MPLAN_ERR_MEMORY;
    status = read_range(bundle, MPLAN_BUNDLE_HEADER, (size_t)n * MPLAN_BUNDLE_ENTRY, bundle->table,
                        context, err);
    if (!status && mplan_hash(bundle->table, (size_t)n * MPLAN_BUNDLE_ENTRY) !=
                       mplan_load64(head + MPLAN_BUNDLE_AT_TABLE_HASH))
        status = damaged(bundle, MPLAN_BUNDLE_AT_TABLE_HASH, err,
                         "the checksum of the table is wrong");
    if (!status)
        status = read_manifest(bundle, MPLAN_BUNDLE_HEADER + n * MPLAN_BUNDLE_ENTRY,
                               mplan_load64(head + MPLAN_BUNDLE_AT_MANIFEST_HASH), context, err);
    if (!status && bundle->manifest.n_parts != n)
        status = damaged(bundle, MPLAN_BUNDLE_AT_PARTS, err, "the manifest has %d parts",
                         (int)bundle->manifest.n_parts);
    bundle->manifest.fingerprints.topology = mplan_load64(head + MPLAN_BUNDLE_AT_TOPOLOGY);
    bundle->manifest.fingerprints.coordinates = mplan_load64(head + MPLAN_BUNDLE_AT_COORDINATES);
    return status ? status : check_table(bundle, n, bundle->manifest_bytes, context, err);
}

/* Only regular files, as ranges of them are read; the header must have the length that the file has. *bundle is set on
 * success only, and released by mplan_bundle_free. */
mplan_status mplan_bundle_open(const char *path, const mplan_context *context,
                               mplan_bundle **bundle, mplan_error *err)
{
    MPLAN_NEED_CONTEXT(context);
    MPLAN_NEED(path);
    MPLAN_NEED(bundle);
    mplan_status status = mplan_may_read(context, path, err);
    mplan_bundle *made = status ? NULL : mplan_alloc_zero(1, sizeof *made, err);
    if (!made)
        return status ? status : MPLAN_ERR_MEMORY;
    struct stat about;
    made->fd = -1;
    made->path = mplan_strdup(path, err);
    if (!made->path)
        status = MPLAN_ERR_MEMORY;
    else if ((made->fd = open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY)) < 0 || fstat(made->fd, &about))
        status = mplan_fail_errno(err, MPLAN_ERR_NO_INPUT, path, errno);
    else if (!S_ISREG(about.st_mode))
        status = mplan_fail(err, MPLAN_ERR_NO_INPUT,
                            "%s: is not a file, as a bundle must be, of which ranges are read", path);
    else
        made->file_bytes = (int64_t)about.st_size;
    if (!status)
        status = read_front(made, context, err);
    if (status)
        mplan_bundle_free(made);
    else
        *bundle = made;
    return status;
}

/* NULL is accepted. Plans of parts that were read stay: they do not refer to the bundle. */
void mplan_bundle_free(mplan_bundle *bundle)
{
    if (!bundle)
        return;
    if (bundle->fd >= 0)
        close(bundle->fd);
    mplan_manifest_free(&bundle->manifest);
    free(bundle->path);
    free(bundle->table);
    free(bundle);
}

const mplan_manifest *mplan_bundle_manifest(const mplan_bundle *bundle)
{
    return &bundle->manifest;
}

const char *mplan_bundle_path(const mplan_bundle *bundle)
{
    return bundle->path;
}

int32_t mplan_bundle_n_parts(const mplan_bundle *bundle)
{
    return bundle ? bundle->manifest.n_parts : 0;
}

int32_t mplan_bundle_n_sets(const mplan_bundle *bundle)
{
    return bundle ? bundle->manifest.n_sets : 0;
}

int32_t mplan_bundle_n_maps(const mplan_bundle *bundle)
{
    return bundle ? bundle->manifest.n_maps : 0;
}

const mplan_bundle_set *mplan_bundle_get_set(const mplan_bundle *bundle, int32_t set)
{
    return bundle && set >= 0 && set < bundle->manifest.n_sets ? &bundle->manifest.sets[set] : NULL;
}

const mplan_bundle_map *mplan_bundle_get_map(const mplan_bundle *bundle, int32_t map)
{
    return bundle && map >= 0 && map < bundle->manifest.n_maps ? &bundle->manifest.maps[map] : NULL;
}

const char *mplan_bundle_request(const mplan_bundle *bundle)
{
    return bundle ? bundle->manifest.request : "";
}

const char *mplan_bundle_versions(const mplan_bundle *bundle)
{
    return bundle ? bundle->manifest.versions : "";
}

const char *mplan_bundle_how(const mplan_bundle *bundle)
{
    return bundle ? bundle->manifest.how : "";
}

mplan_fingerprints mplan_bundle_fingerprints(const mplan_bundle *bundle)
{
    return bundle ? bundle->manifest.fingerprints : (mplan_fingerprints){0};
}

/* *offset, *bytes: where the plan of a part is in the file. */
mplan_status mplan_bundle_place(const mplan_bundle *bundle, int32_t part, int64_t *offset,
                                int64_t *bytes, mplan_error *err)
{
    MPLAN_NEED(bundle);
    if (part < 0 || part >= bundle->manifest.n_parts)
        return mplan_fail(err, MPLAN_ERR_ARGUMENT, "%s: there is no part %d of %d", bundle->path,
                          (int)part, (int)bundle->manifest.n_parts);
    const uint8_t *entry = bundle->table + MPLAN_BUNDLE_ENTRY * (int64_t)part;
    if (offset)
        *offset = (int64_t)mplan_load64(entry + MPLAN_BUNDLE_AT_OFFSET);
    if (bytes)
        *bytes = (int64_t)mplan_load64(entry + MPLAN_BUNDLE_AT_BYTES);
    return MPLAN_OK;
}

/* What a plan of a part calls when it is freed. */
static void release_file(void *held)
{
    mplan_file_close(held);
    free(held);
}

/* The bytes of a part's plan, whose header has the checksum of the table: so plans cannot change places. */
static mplan_status read_bytes(const mplan_bundle *bundle, int32_t part, mplan_file *file,
                               const mplan_context *context, mplan_error *err)
{
    int64_t offset = 0, bytes = 0;
    mplan_status status = mplan_bundle_place(bundle, part, &offset, &bytes, err);
    if (!status)
        status = mplan_file_reserve(file, (size_t)bytes, err);
    if (!status)
        status = read_range(bundle, offset, (size_t)bytes, mplan_file_bytes(file), context, err);
    if (status)
        return status;
    file->size = (size_t)bytes;
    const uint8_t *entry = bundle->table + MPLAN_BUNDLE_ENTRY * (int64_t)part;
    if (mplan_hash(file->data, MPLAN_HEADER_BYTES) != mplan_load64(entry + MPLAN_BUNDLE_AT_HASH))
        return damaged(bundle, offset, err,
                       "the header of part %d is not the one that the table has", (int)part);
    return MPLAN_OK;
}

/* Reads this one part, proves its hashes, and compares it with the manifest. *plan is the caller's. */
mplan_status mplan_bundle_read_part(const mplan_bundle *bundle, int32_t part,
                                    const mplan_context *context, mplan_plan **plan, mplan_error *err)
{
    MPLAN_NEED_CONTEXT(context);
    MPLAN_NEED(bundle);
    MPLAN_NEED(plan);
    mplan_plan *read = NULL;
    mplan_file *file = mplan_alloc_zero(1, sizeof *file, err);
    if (!file)
        return MPLAN_ERR_MEMORY;
    char name[512];
    snprintf(name, sizeof name, "%.440s: part %d", bundle->path, (int)part);
    mplan_status status = read_bytes(bundle, part, file, context, err);
    if (!status)
        status = mplan_plan_read_borrowed(file->data, file->size, name, context, &read, err);
    if (status) {
        release_file(file);
        return status;
    }
    read->release = release_file;
    read->held = file;
    status = mplan_manifest_fits(&bundle->manifest, read, part, err);
    if (status) {
        mplan_plan_free(read);
        return mplan_fail_prefix(err, status, name);
    }
    *plan = read;
    return MPLAN_OK;
}

/* mplan_parts_source.read of a bundle. */
static mplan_status read_of_source(void *user, int32_t part, const mplan_context *context,
                                   mplan_plan **plan, mplan_error *err)
{
    return mplan_bundle_read_part(user, part, context, plan, err);
}

/* The bundle must live as long as the source. */
mplan_parts_source mplan_bundle_source(mplan_bundle *bundle)
{
    if (!bundle)
        return (mplan_parts_source){0};
    const mplan_manifest *manifest = &bundle->manifest;
    return (mplan_parts_source){.n_parts = manifest->n_parts,
                                .n_sets = manifest->n_sets,
                                .n_maps = manifest->n_maps,
                                .sets = manifest->sets,
                                .maps = manifest->maps,
                                .request = manifest->request,
                                .fingerprints = manifest->fingerprints,
                                .bytes = bundle->file_bytes,
                                .user = bundle,
                                .read = read_of_source};
}
