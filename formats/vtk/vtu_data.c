/* SPDX-License-Identifier: Apache-2.0 */
/* vtu_data.c - the numbers of an array of a VTK XML file: text, base64 or raw bytes, plain or in
 * compressed blocks
 *
 * Bytes come in two stages: `take_encoded` undoes base64, `refill` inflates. What is
 * plain and raw is read where it is. Plain data begin with their length; compressed ones with
 * the number of blocks, their size, that of the last (0: it is full), and the compressed size of each. */
#ifdef MPLAN_HAVE_EXPAT
#include "formats/vtk/vtu.h"

#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#ifdef MPLAN_HAVE_ZLIB
#include <zlib.h>
#endif
#ifdef MPLAN_HAVE_LZMA
#include <lzma.h>
#endif

#include "base/error.h"
#include "base/limits.h"
#include "base/memory.h"
#include "formats/vtk/base64.h"
#include "formats/vtk/vtu_lz4.h"
#include "formats/byte_order.h"
#include "formats/scan.h"

enum {
    ROOM = 1 << 16,         /* bytes decoded at once */
    ENCODED_ROOM = 48 << 10 /* of a base64 array, before they are inflated */
};
#define LZMA_MEMORY (UINT64_C(128) << 20) /* the strongest preset needs 65 MiB */

struct mplan_vtu_source {
    const mplan_vtu_file *file;
    const mplan_vtu_array *array;
    const char *what;
    int64_t left;    /* numbers that are still to be handed out */
    int64_t payload; /* bytes that the data say are still to come, decoded */
    int32_t size;    /* of a number */
    bool exact;
    const char *at;       /* next encoded byte; of text the scanner's place */
    int64_t line;         /* of text: of array->begin, 0: not counted yet */
    const uint8_t *bytes; /* decoded, not handed out yet */
    size_t n_bytes;
    /* compressed */
    int64_t n_blocks, block, block_bytes, last_bytes;
    uint64_t *sizes;
    int64_t block_in, block_out; /* what is left of the block */
    const uint8_t *in;           /* encoded bytes on their way */
    size_t n_in;
#ifdef MPLAN_HAVE_ZLIB
    z_stream zlib;
    bool zlib_open;
#endif
#ifdef MPLAN_HAVE_LZMA
    lzma_stream lzma;
#endif
#ifdef MPLAN_HAVE_LZ4
    mplan_vtu_lz4 lz4;
#endif
    uint8_t room[ROOM + 16], encoded[ENCODED_ROOM + 16];
};

/* Place in text and raw arrays; others name the tag of the array. */
mplan_status mplan_vtu_fail_in(const mplan_vtu_source *source, mplan_error *err,
                               mplan_status status, const char *format, ...)
{
    char message[400];
    va_list list;
    va_start(list, format);
    vsnprintf(message, sizeof message, format, list);
    va_end(list);
    if (source->array->coding == MPLAN_VTU_TEXT)
        return mplan_vtu_fail(source->file, source->at, err, status, "%s", message);
    bool raw_blocks = source->array->coding == MPLAN_VTU_RAW &&
                      source->file->compressor != MPLAN_VTU_PLAIN;
    const char *at = raw_blocks && source->in ? (const char *)source->in : source->at;
    return mplan_fail(err, status, "%s: byte %lld: %s", source->file->path,
                      (long long)(at - source->file->begin), message);
}

/* Up to `most` bytes of base64 to `to`. *n: 0 at the end. */
static mplan_status decode(mplan_vtu_source *source, uint8_t *to, size_t most, size_t *n,
                           mplan_error *err)
{
    if (mplan_base64_decode(&source->at, source->array->end, to, most, n))
        return MPLAN_OK;
    return mplan_vtu_fail_in(source, err, MPLAN_ERR_CORRUPT, "%s are not valid base64 here",
                             source->what);
}

/* --- stage one: what is encoded -------------------------------------------------------- */

/* More bytes at source->in, behind which nothing was left; n_in stays 0 at the end. */
static mplan_status take_encoded(mplan_vtu_source *source, mplan_error *err)
{
    if (source->array->coding == MPLAN_VTU_RAW) {
        source->in = (const uint8_t *)source->at;
        source->n_in = (size_t)(source->array->end - source->at);
        source->at = source->array->end;
        return MPLAN_OK;
    }
    source->in = source->encoded;
    return decode(source, source->encoded, ENCODED_ROOM, &source->n_in, err);
}

/* The file ends, or the array's part of it. */
static mplan_status fail_end(const mplan_vtu_source *source, mplan_error *err)
{
    return mplan_vtu_fail_in(source, err, MPLAN_ERR_CORRUPT, "the data of %s end too early",
                             source->what);
}

/* A number of the header. */
static mplan_status take_header(mplan_vtu_source *source, uint64_t *value, mplan_error *err)
{
    int32_t n = source->file->header_bytes;
    *value = 0;
    for (int32_t k = 0; k < n; k++) {
        mplan_status status = source->n_in == 0 ? take_encoded(source, err) : MPLAN_OK;
        if (!status && source->n_in == 0)
            status = fail_end(source, err);
        if (status)
            return status;
        uint64_t byte = *source->in++;
        source->n_in--;
        *value |= byte << 8 * (source->file->big_endian ? n - 1 - k : k);
    }
    return MPLAN_OK;
}

/* The file's bytes from the array's beginning to the end of its part. */
static int64_t encoded_bytes(const mplan_vtu_array *array)
{
    int64_t bytes = array->end - array->begin;
    return array->coding == MPLAN_VTU_BASE64 ? bytes / 4 * 3 : bytes;
}

/* bytes: what the array says it holds. */
static mplan_status check_payload(mplan_vtu_source *source, uint64_t bytes, mplan_error *err)
{
    uint64_t need = (uint64_t)source->left * (uint64_t)source->size;
    if (bytes < need || (source->exact && bytes > need))
        return mplan_vtu_fail_in(source, err, MPLAN_ERR_CORRUPT, "%s are %llu bytes, not %llu",
                                 source->what, (unsigned long long)bytes, (unsigned long long)need);
    source->payload = (int64_t)need;
    return MPLAN_OK;
}

/* The header is one number: how many bytes follow. */
static mplan_status open_plain(mplan_vtu_source *source, mplan_error *err)
{
    uint64_t bytes;
    mplan_status status = take_header(source, &bytes, err);
    return !status ? check_payload(source, bytes, err) : status;
}

/* Header of compressed data: number of blocks, size, size of the last, compressed sizes. sizes:
 * n_blocks entries, whose sum the file can hold; nothing is allocated before n is compared with
 * the file. */
static mplan_status open_blocks(mplan_vtu_source *source, mplan_error *err)
{
    uint64_t n, size = 0, last = 0, total = 0;
    int64_t room = encoded_bytes(source->array);
    mplan_status status = take_header(source, &n, err);
    if (!status)
        status = take_header(source, &size, err);
    if (!status)
        status = take_header(source, &last, err);
    if (status)
        return status;
    if (n > (uint64_t)room / (uint64_t)source->file->header_bytes ||
        (n > 0 && size > INT64_MAX / n) || last > size)
        return mplan_vtu_fail_in(source, err, MPLAN_ERR_CORRUPT,
                                 "%s are %llu blocks of %llu bytes, the last of %llu", source->what,
                                 (unsigned long long)n, (unsigned long long)size,
                                 (unsigned long long)last);
    source->n_blocks = (int64_t)n;
    source->block_bytes = (int64_t)size;
    source->last_bytes = (int64_t)(last ? last : size);
    status = check_payload(source, n == 0 ? 0 : (n - 1) * size + (last ? last : size), err);
    if (status)
        return status;
    source->sizes = mplan_alloc(source->n_blocks, sizeof *source->sizes, err);
    if (!source->sizes)
        return MPLAN_ERR_MEMORY;
    for (uint64_t b = 0; b < n && !status; b++) {
        status = take_header(source, &source->sizes[b], err);
        if (!status && source->sizes[b] > (uint64_t)room - total)
            status = fail_end(source, err);
        total += source->sizes[b];
    }
    return status;
}

/* --- stage two: blocks ------------------------------------------------------------------ */

/* reason: the end of the sentence. */
static mplan_status fail_block(const mplan_vtu_source *source, const char *reason, mplan_error *err)
{
    return mplan_vtu_fail_in(source, err, MPLAN_ERR_CORRUPT, "block %lld of %s %s",
                             (long long)source->block, source->what, reason);
}

#ifdef MPLAN_HAVE_ZLIB
/* One stream of zlib serves all blocks; it is released by mplan_vtu_close. */
static mplan_status begin_zlib(mplan_vtu_source *source, mplan_error *err)
{
    int result = source->zlib_open ? inflateReset(&source->zlib) : inflateInit(&source->zlib);
    source->zlib_open = source->zlib_open || result == Z_OK;
    return result == Z_OK ? MPLAN_OK : mplan_fail(err, MPLAN_ERR_MEMORY, "out of memory (in zlib)");
}

/* Inflates from `in` to `to`; *n_in and *n_out: room in, used out; *done: the block has ended.
 * CORRUPT when it is damaged, MEMORY when memory ran out. A buffer error says only that nothing
 * could be done: the caller sees that by both counts. */
static mplan_status run_zlib(mplan_vtu_source *source, const uint8_t *in, size_t *n_in, uint8_t *to,
                             size_t *n_out, bool *done)
{
    uInt most_in = *n_in < ((size_t)1 << 30) ? (uInt)*n_in : (uInt)1 << 30;
    source->zlib.next_in = (z_const Bytef *)(uintptr_t)in; /* zlib only reads it */
    source->zlib.avail_in = most_in;
    source->zlib.next_out = to;
    source->zlib.avail_out = (uInt)*n_out;
    int result = inflate(&source->zlib, Z_NO_FLUSH);
    *n_in = most_in - source->zlib.avail_in;
    *n_out -= source->zlib.avail_out;
    *done = result == Z_STREAM_END;
    if (result == Z_MEM_ERROR)
        return MPLAN_ERR_MEMORY;
    return result == Z_OK || result == Z_STREAM_END || result == Z_BUF_ERROR ? MPLAN_OK
                                                                             : MPLAN_ERR_CORRUPT;
}
#endif

#ifdef MPLAN_HAVE_LZMA
/* liblzma reuses what the stream holds. */
static mplan_status begin_lzma(mplan_vtu_source *source, mplan_error *err)
{
    if (lzma_stream_decoder(&source->lzma, LZMA_MEMORY, 0) != LZMA_OK)
        return mplan_fail(err, MPLAN_ERR_MEMORY, "out of memory (in liblzma)");
    return MPLAN_OK;
}

/* *n_in and *n_out: room in, used out. */
static mplan_status run_lzma(mplan_vtu_source *source, const uint8_t *in, size_t *n_in, uint8_t *to,
                             size_t *n_out, bool *done)
{
    source->lzma.next_in = in;
    source->lzma.avail_in = *n_in;
    source->lzma.next_out = to;
    source->lzma.avail_out = *n_out;
    lzma_ret result = lzma_code(&source->lzma, LZMA_RUN);
    *n_in -= source->lzma.avail_in;
    *n_out -= source->lzma.avail_out;
    *done = result == LZMA_STREAM_END;
    if (result == LZMA_MEM_ERROR)
        return MPLAN_ERR_MEMORY;
    return result == LZMA_OK || result == LZMA_STREAM_END || result == LZMA_BUF_ERROR
               ? MPLAN_OK
               : MPLAN_ERR_CORRUPT;
}
#endif

#ifdef MPLAN_HAVE_LZ4
/* The block is decoded as a whole, so that its bytes are compared with the limit before. */
static mplan_status begin_lz4(mplan_vtu_source *source, mplan_error *err)
{
    mplan_status status = mplan_limit_inflated(source->file->context, source->file->path,
                                               *source->file->inflated + (uint64_t)source->block_out,
                                               err);
    if (!status)
        status = mplan_vtu_lz4_begin(&source->lz4, source->block_in, source->block_out, err);
    return status == MPLAN_ERR_CORRUPT ? fail_block(source, "is damaged", err) : status;
}
#endif

/* The compressor of the file; 0 bytes of the block have been read. */
static mplan_status begin_block(mplan_vtu_source *source, mplan_error *err)
{
    source->block_in = (int64_t)source->sizes[source->block];
    source->block_out = source->block + 1 == source->n_blocks ? source->last_bytes
                                                              : source->block_bytes;
#ifdef MPLAN_HAVE_LZMA
    if (source->file->compressor == MPLAN_VTU_LZMA)
        return begin_lzma(source, err);
#endif
#ifdef MPLAN_HAVE_LZ4
    if (source->file->compressor == MPLAN_VTU_LZ4)
        return begin_lz4(source, err);
#endif
#ifdef MPLAN_HAVE_ZLIB
    return begin_zlib(source, err);
#else
    return mplan_fail(err, MPLAN_ERR_INTERNAL, "no compressor");
#endif
}

/* As run_zlib, by the file's compressor. */
static mplan_status run_block(mplan_vtu_source *source, size_t *n_in, uint8_t *to, size_t *n_out,
                              bool *done)
{
#ifdef MPLAN_HAVE_LZMA
    if (source->file->compressor == MPLAN_VTU_LZMA)
        return run_lzma(source, source->in, n_in, to, n_out, done);
#endif
#ifdef MPLAN_HAVE_LZ4
    if (source->file->compressor == MPLAN_VTU_LZ4)
        return mplan_vtu_lz4_run(&source->lz4, source->in, n_in, to, n_out, done);
#endif
#ifdef MPLAN_HAVE_ZLIB
    return run_zlib(source, source->in, n_in, to, n_out, done);
#else
    (void)source, (void)n_in, (void)to, (void)n_out, (void)done;
    return MPLAN_ERR_CORRUPT;
#endif
}

/* Decodes up to `most` bytes of the block at hand, and goes on to the next at its end. *n may be
 * 0 where a block ends. block_out < 0: no block is begun. A block must hold exactly what the
 * header says, decoded and compressed: it may neither be longer nor end early, nor stand still. */
static mplan_status inflate_some(mplan_vtu_source *source, uint8_t *to, size_t most, size_t *n,
                                 mplan_error *err)
{
    mplan_status status = MPLAN_OK;
    *n = 0;
    if (source->block_out < 0) {
        if (source->block == source->n_blocks)
            return fail_end(source, err);
        status = begin_block(source, err);
    }
    if (!status && source->n_in == 0 && source->block_in > 0)
        status = take_encoded(source, err);
    if (status)
        return status;
    size_t n_in = (int64_t)source->n_in < source->block_in ? source->n_in : (size_t)source->block_in,
           given = n_in;
    bool done = false;
    *n = most;
    status = run_block(source, &n_in, to, n, &done);
    if (status == MPLAN_ERR_MEMORY)
        return mplan_fail(err, status, "out of memory while inflating");
    if (status)
        return fail_block(source, "is damaged", err);
    source->in += n_in;
    source->n_in -= n_in;
    source->block_in -= (int64_t)n_in;
    source->block_out -= (int64_t)*n;
    *source->file->inflated += *n;
    status = mplan_limit_inflated(source->file->context, source->file->path,
                                  *source->file->inflated, err);
    if (status)
        return status;
    if (source->block_out < 0 || (done && source->block_out > 0))
        return fail_block(source, "has another size than the header says", err);
    if (done) {
        if (source->block_in > 0)
            return fail_block(source, "ends before its compressed data", err);
        source->block++;
        source->block_out = -1;
    } else if (*n == 0 && n_in == 0 && (given == 0 || most > 0)) {
        return given == 0 ? fail_end(source, err) : fail_block(source, "is damaged", err);
    }
    return MPLAN_OK;
}

/* More decoded bytes, behind those that are left, which move to the beginning of the room: fewer
 * than a batch, so that there is room for more. */
static mplan_status refill(mplan_vtu_source *source, mplan_error *err)
{
    size_t kept = source->n_bytes, n = 0;
    mplan_status status;
    memmove(source->room, source->bytes, kept);
    source->bytes = source->room;
    if (source->file->compressor != MPLAN_VTU_PLAIN) {
        status = inflate_some(source, source->room + kept, ROOM - kept, &n, err);
    } else if (source->n_in > 0) { /* what came with the header */
        n = source->n_in < ROOM - kept ? source->n_in : ROOM - kept;
        memcpy(source->room + kept, source->in, n);
        source->in += n;
        source->n_in -= n;
        status = MPLAN_OK;
    } else {
        status = decode(source, source->room + kept, ROOM - kept, &n, err);
        if (!status && n == 0)
            status = fail_end(source, err);
    }
    source->n_bytes += n;
    return status;
}

/* --- numbers ----------------------------------------------------------------------------- */

/* source->at: where the array's own bytes begin. */
static mplan_status open_data(mplan_vtu_source *source, mplan_error *err)
{
    const mplan_vtu_array *array = source->array;
    source->at = array->begin;
    source->block_out = -1;
    if (array->coding == MPLAN_VTU_TEXT)
        return MPLAN_OK;
    mplan_status status = source->file->compressor == MPLAN_VTU_PLAIN ? open_plain(source, err)
                                                                      : open_blocks(source, err);
    if (!status && array->coding == MPLAN_VTU_RAW && source->file->compressor == MPLAN_VTU_PLAIN) {
        source->at = (const char *)source->in; /* all that is left, read where it is */
        source->bytes = source->in;
        source->n_bytes = source->n_in;
        source->n_in = 0;
        if (source->n_bytes < (size_t)source->payload)
            status = fail_end(source, err);
    }
    return status;
}

/* exact: nothing may follow the n numbers. *source must be closed. */
mplan_status mplan_vtu_open(const mplan_vtu_file *file, const mplan_vtu_array *array,
                            const char *what, int64_t n, bool exact, mplan_vtu_source **source,
                            mplan_error *err)
{
    mplan_vtu_source *made = mplan_alloc(1, sizeof *made, err);
    if (!made)
        return MPLAN_ERR_MEMORY;
    memset(made, 0, offsetof(mplan_vtu_source, room)); /* the rooms need it not, and are large */
    made->file = file;
    made->array = array;
    made->what = what;
    made->left = n;
    made->exact = exact;
    made->size = mplan_vtu_size_of(array->type);
    made->bytes = made->room;
#ifdef MPLAN_HAVE_LZMA
    made->lzma = (lzma_stream)LZMA_STREAM_INIT;
#endif
    *source = made;
    return n > 0 ? open_data(made, err) : MPLAN_OK;
}

/* source may be NULL. */
void mplan_vtu_close(mplan_vtu_source *source)
{
    if (!source)
        return;
#ifdef MPLAN_HAVE_ZLIB
    if (source->zlib_open)
        inflateEnd(&source->zlib);
#endif
#ifdef MPLAN_HAVE_LZMA
    lzma_end(&source->lzma);
#endif
#ifdef MPLAN_HAVE_LZ4
    mplan_vtu_lz4_free(&source->lz4);
#endif
    free(source->sizes);
    free(source);
}

/* The next batch of text; again from its beginning with the line known when it fails: lines are
 * not counted while all goes well. */
static mplan_status next_text(mplan_vtu_source *source, int64_t *whole, double *real, int64_t n,
                              mplan_error *err)
{
    mplan_scanner scan = {
        .path = source->file->path, .begin = source->at, .at = source->at, .end = source->array->end};
    mplan_status status = MPLAN_OK;
    for (int64_t i = 0; i < n && !status; i++)
        status = whole ? mplan_scan_i64(&scan, source->what, &whole[i], NULL)
                       : mplan_scan_f64(&scan, source->what, &real[i], NULL);
    if (!status && source->left == n && source->exact && mplan_scan_skip_space(&scan)) {
        source->at = scan.at;
        return mplan_vtu_fail_in(source, err, MPLAN_ERR_CORRUPT, "more numbers than %s has",
                                 source->what);
    }
    if (!status) {
        source->at = scan.at;
        return status;
    }
    if (!mplan_scan_skip_space(&scan)) {
        source->at = scan.at;
        return fail_end(source, err);
    }
    scan.line = 1;
    for (const char *c = source->file->begin; c < scan.at; c++)
        scan.line += *c == '\n';
    return whole ? mplan_scan_i64(&scan, source->what, &whole[0], err)
                 : mplan_scan_f64(&scan, source->what, &real[0], err);
}

/* At least n numbers' bytes at source->bytes. */
static mplan_status next_bytes(mplan_vtu_source *source, int64_t n, mplan_error *err)
{
    size_t need = (size_t)n * (size_t)source->size;
    mplan_status status = MPLAN_OK;
    while (source->n_bytes < need && !status)
        status = refill(source, err);
    return status;
}

/* The last block to its end, where its checksum is. */
static mplan_status finish(mplan_vtu_source *source, mplan_error *err)
{
    mplan_status status = MPLAN_OK;
    if (source->file->compressor == MPLAN_VTU_PLAIN || source->left > 0 || !source->exact)
        return MPLAN_OK;
    while (source->block < source->n_blocks && !status) {
        size_t n;
        status = inflate_some(source, source->room, ROOM, &n, err);
    }
    return status;
}

/* n numbers have been taken. */
static void used(mplan_vtu_source *source, int64_t n)
{
    size_t bytes = (size_t)n * (size_t)source->size;
    source->bytes += bytes;
    source->n_bytes -= bytes;
    source->left -= n;
    if (source->array->coding == MPLAN_VTU_RAW && source->file->compressor == MPLAN_VTU_PLAIN)
        source->at += bytes;
}

/* The bytes of a batch in the machine's order: where they are, or in `room`. */
static const uint8_t *in_order(const mplan_vtu_source *source, int64_t n, uint8_t *room)
{
    if (!source->file->big_endian || source->size == 1)
        return source->bytes;
    memcpy(room, source->bytes, (size_t)n * (size_t)source->size);
    mplan_swap_bytes(room, n, source->size);
    return room;
}

/* Numbers of the next batch: 0 when all are handed out. */
static int64_t batch(const mplan_vtu_source *source)
{
    return source->left < MPLAN_VTU_BATCH ? source->left : MPLAN_VTU_BATCH;
}

/* values: room for MPLAN_VTU_BATCH. *got is 0 at the end. */
mplan_status mplan_vtu_next_whole(mplan_vtu_source *source, int64_t *values, int64_t *got,
                                  mplan_error *err)
{
    uint8_t room[MPLAN_VTU_BATCH * 8];
    int64_t n = *got = batch(source);
    if (n == 0)
        return MPLAN_OK;
    if (source->array->type == MPLAN_VTU_FLOAT32 || source->array->type == MPLAN_VTU_FLOAT64)
        return mplan_vtu_fail(source->file, source->array->tag, err, MPLAN_ERR_CORRUPT,
                              "%s are reals, not whole numbers", source->what);
    if (source->array->coding == MPLAN_VTU_TEXT) {
        mplan_status status = next_text(source, values, NULL, n, err);
        source->left -= n;
        return status;
    }
    mplan_status status = next_bytes(source, n, err);
    if (status)
        return status;
    bool fits = mplan_vtu_convert_whole(source->array->type, in_order(source, n, room), n, values);
    used(source, n);
    return fits ? finish(source, err)
                : mplan_vtu_fail_in(source, err, MPLAN_ERR_CORRUPT,
                                    "a number of %s exceeds 64 bits", source->what);
}

/* values: room for MPLAN_VTU_BATCH. *got is 0 at the end. Whole numbers are taken, too. */
mplan_status mplan_vtu_next_real(mplan_vtu_source *source, double *values, int64_t *got,
                                 mplan_error *err)
{
    uint8_t room[MPLAN_VTU_BATCH * 8];
    int64_t n = *got = batch(source);
    if (n == 0)
        return MPLAN_OK;
    if (source->array->coding == MPLAN_VTU_TEXT) {
        mplan_status status = next_text(source, NULL, values, n, err);
        source->left -= n;
        return status;
    }
    mplan_status status = next_bytes(source, n, err);
    if (status)
        return status;
    mplan_vtu_convert_real(source->array->type, in_order(source, n, room), n, values);
    used(source, n);
    return finish(source, err);
}
#else
typedef int mplan_vtu_data_needs_expat; /* a file holds something */
#endif
