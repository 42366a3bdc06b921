/* SPDX-License-Identifier: Apache-2.0 */
/* input.c - opens input files, and inflates gzip (RFC 1952) by zlib */
#include "formats/input.h"

#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include "base/error.h"
#include "base/limits.h"

#ifdef MPLAN_HAVE_ZLIB
#include <zlib.h>
#endif

/* Its two marks, and deflate as the method. */
static bool is_gzip(const uint8_t *data, size_t size)
{
    return size >= 3 && data[0] == 0x1f && data[1] == 0x8b && data[2] == 8;
}

#ifdef MPLAN_HAVE_ZLIB
enum {
    GZIP_WINDOW = 15 + 16, /* the largest window, gzip header expected */
    PIECE = 64 << 20       /* between two looks at the context; fits zlib's uInt */
};

/* A gzip file that is inflated in memory. */
typedef struct inflation {
    z_stream stream;
    mplan_file *from; /* compressed; what was used is forgotten */
    size_t used;
    mplan_file out;
} inflation;

/* At the byte of the compressed file. */
static mplan_status fail_at(const inflation *job, const char *path, const char *reason,
                            mplan_error *err)
{
    return mplan_fail(err, MPLAN_ERR_CORRUPT, "%s: byte %zu: %s", path, job->used, reason);
}

/* Inflates one piece. *ended: the member is complete. */
static mplan_status inflate_piece(inflation *job, const char *path, bool *ended, mplan_error *err)
{
    z_stream *stream = &job->stream;
    size_t left = job->from->size - job->used;
    if (job->out.size == job->out.room) {
        mplan_status status = mplan_file_grow(&job->out, err);
        if (status)
            return status;
    }
    size_t room = job->out.room - job->out.size;
    stream->next_in = (z_const Bytef *)(uintptr_t)(job->from->data + job->used); /* zlib only reads it */
    stream->avail_in = (uInt)(left < PIECE ? left : PIECE);
    stream->next_out = mplan_file_bytes(&job->out) + job->out.size;
    stream->avail_out = (uInt)(room < PIECE ? room : PIECE);
    uInt in = stream->avail_in, out = stream->avail_out;
    int result = inflate(stream, Z_NO_FLUSH);
    job->used += in - stream->avail_in;
    job->out.size += out - stream->avail_out;
    *ended = result == Z_STREAM_END;
    if (result == Z_MEM_ERROR)
        return mplan_fail(err, MPLAN_ERR_MEMORY, "out of memory (in zlib)");
    if (result == Z_BUF_ERROR && job->used == job->from->size)
        return fail_at(job, path, "the gzip data end too early", err);
    if (result != Z_OK && result != Z_STREAM_END && result != Z_BUF_ERROR)
        return fail_at(job, path, "the gzip data are damaged", err);
    mplan_file_forget(job->from, 0, job->used);
    return MPLAN_OK;
}

/* Bytes that the last member says it holds (modulo 2^32), as far as deflate's
 * best ratio of 1032 allows them. */
static int64_t expected_size(const uint8_t *data, size_t size)
{
    if (size < 18)
        return 1;
    const uint8_t *last = data + size - 4;
    int64_t bytes = (int64_t)((uint32_t)last[0] | (uint32_t)last[1] << 8 | (uint32_t)last[2] << 16 |
                              (uint32_t)last[3] << 24);
    int64_t most = (int64_t)size * 1032;
    return 1 + (bytes < most ? bytes : most);
}

/* Members follow one another; zeros may pad the end, as tapes and gzip -l have it. */
static bool only_zeros(const uint8_t *data, size_t size)
{
    for (size_t i = 0; i < size; i++)
        if (data[i])
            return false;
    return true;
}

/* gzip files may hold several members one after the other; only zeros may
 * follow. */
static mplan_status inflate_members(inflation *job, const char *path, const mplan_context *context,
                                    mplan_error *err)
{
    size_t size = job->from->size;
    while (job->used < size) {
        const uint8_t *rest = job->from->data + job->used;
        size_t left = size - job->used;
        if (job->used > 0 && only_zeros(rest, left))
            return MPLAN_OK;
        if (left < 2 || rest[0] != 0x1f || rest[1] != 0x8b)
            return fail_at(job, path, "bytes that are not gzip data follow the gzip data", err);
        if (inflateReset(&job->stream) != Z_OK)
            return mplan_fail(err, MPLAN_ERR_INTERNAL, "zlib cannot be reset");
        for (bool ended = false; !ended;) {
            mplan_status status = inflate_piece(job, path, &ended, err);
            if (!status)
                status = mplan_limit_inflated(context, path, job->out.size, err);
            if (!status)
                status = mplan_heed(context, "inflate", (int64_t)job->used, (int64_t)size, err);
            if (status)
                return status;
        }
    }
    return MPLAN_OK;
}

/* Inflates opened->file in place of itself. */
static mplan_status inflate_file(mplan_input_file *opened, const mplan_context *context,
                                 mplan_error *err)
{
    inflation job = {.from = &opened->file};
    size_t expected = (size_t)expected_size(opened->file.data, opened->file.size);
    mplan_status status = mplan_limit_inflated(context, opened->input.path, expected - 1, err);
    if (status)
        return status;
    if (inflateInit2(&job.stream, GZIP_WINDOW) != Z_OK)
        return mplan_fail(err, MPLAN_ERR_MEMORY, "out of memory (in zlib)");
    status = mplan_file_reserve(&job.out, expected, err);
    if (!status)
        status = inflate_members(&job, opened->input.path, context, err);
    inflateEnd(&job.stream);
    if (status) {
        mplan_file_close(&job.out);
        return status;
    }
    mplan_file_trim(&job.out);
    mplan_file_close(&opened->file);
    opened->file = job.out;
    return MPLAN_OK;
}
#else
static mplan_status inflate_file(mplan_input_file *opened, const mplan_context *context,
                                 mplan_error *err)
{
    (void)context;
    return mplan_fail(err, MPLAN_ERR_UNSUPPORTED,
                      "%s is compressed by gzip, which needs a build with zlib", opened->input.path);
}
#endif

/* status: of opening the file. It is inflated if it was compressed. */
static mplan_status finish_open(mplan_input_file *opened, mplan_status status,
                                const mplan_context *context, mplan_error *err)
{
    if (!status && is_gzip(opened->file.data, opened->file.size))
        status = inflate_file(opened, context, err);
    if (status) {
        mplan_input_close(opened);
        return status;
    }
    /* text of some editors begins with a mark of three bytes that says UTF-8 */
    size_t mark = opened->file.size >= 3 && memcmp(opened->file.data, "\xef\xbb\xbf", 3) == 0 ? 3 : 0;
    opened->input.data = opened->file.data + mark;
    opened->input.size = opened->file.size - mark;
    opened->input.file = &opened->file;
    return MPLAN_OK;
}

/* The file is in memory as a whole. Must be closed only on success. */
mplan_status mplan_input_open(const char *path, mplan_input_file *opened,
                              const mplan_context *context, mplan_error *err)
{
    *opened = (mplan_input_file){.input = {.path = strcmp(path, "-") ? path : "standard input"}};
    mplan_status status = mplan_file_open(path, context, &opened->file, err);
    return finish_open(opened, status, context, err);
}

mplan_status mplan_input_open_beside(const char *path, mplan_input_file *opened,
                                     const mplan_context *context, mplan_error *err)
{
    *opened = (mplan_input_file){.input = {.path = path}};
    mplan_status status = mplan_file_open_beside(path, context, &opened->file, err);
    return finish_open(opened, status, context, err);
}

/* Folders have a path and no data. */
mplan_status mplan_input_open_any(const char *path, mplan_input_file *opened,
                                  const mplan_context *context, mplan_error *err)
{
    struct stat about;
    if (strcmp(path, "-") == 0 || stat(path, &about) != 0 || !S_ISDIR(about.st_mode))
        return mplan_input_open(path, opened, context, err);
    mplan_looked(context, path);
    *opened = (mplan_input_file){.input = {.path = path}};
    return MPLAN_OK;
}

/* Also of an input that was not opened. */
void mplan_input_close(mplan_input_file *opened)
{
    mplan_file_close(&opened->file);
    memset(opened, 0, sizeof *opened);
}

/* Bytes before `end` are not read again: their pages may be given back. */
void mplan_input_forget(const mplan_input *input, size_t end)
{
    if (input->file)
        mplan_file_forget(input->file, 0, end);
}

/* *fd: a file in memory that nobody can change any more, for a program that reads it. */
mplan_status mplan_input_seal(const mplan_input *input, int *fd, mplan_error *err)
{
    if (!input->file)
        return mplan_fail(err, MPLAN_ERR_UNSUPPORTED,
                          "%s: only a whole file can be passed to another program", input->path);
    mplan_status status = mplan_file_seal(input->file, fd, err);
    return status ? mplan_fail_prefix(err, status, input->path) : MPLAN_OK;
}

/* The extension without .gz, with its dot; a view into path. */
const char *mplan_input_extension(const char *path, size_t *length)
{
    const char *name = strrchr(path, '/');
    name = name ? name + 1 : path;
    size_t end = strlen(name);
    if (end > 3 && memcmp(name + end - 3, ".gz", 3) == 0)
        end -= 3;
    for (size_t i = end; i-- > 1;)
        if (name[i] == '.') {
            *length = end - i;
            return name + i;
        }
    *length = 0;
    return name + end;
}
