/* SPDX-License-Identifier: Apache-2.0 */
/* planfile_chunks.c - codec 1: zlib in chunks that inflate side by side */
#include <assert.h>
#include <stdlib.h>

#include "base/error.h"
#include "base/memory.h"
#include "base/threads.h"
#include "planfile/planfile_layout.h"

#ifdef MPLAN_HAVE_ZLIB
#include <zlib.h>
#endif

#define LIST_AT 16
/* Deflate cannot expand a byte into more than this (zlib's technical notes). */
#define MOST_EXPANSION 1032
/* Tables of a plan shrink to 46% at level 1 and to 45% at level 6, in a quarter of the time. */
#define LEVEL 1

/* How many chunks raw_bytes make, without the sum that a rounded division would need and that
 * could overflow. */
static uint64_t chunks_of(uint64_t raw_bytes, uint64_t chunk_bytes)
{
    return raw_bytes / chunk_bytes + (raw_bytes % chunk_bytes != 0);
}

/* Decoded bytes of chunk i, which must be one of chunks_of: all but the last have chunk_bytes. */
static uint64_t part_of(uint64_t raw_bytes, uint64_t chunk_bytes, uint64_t i)
{
    uint64_t left = raw_bytes - i * chunk_bytes;
    return left < chunk_bytes ? left : chunk_bytes;
}

/* Only the list of chunks, before anything is inflated, so that a small section cannot claim to
 * be a large array: zlib's ratio is bounded. stored: u64 chunk_bytes, u64 n, n x u64 length,
 * then the chunks. *at: the byte within the section, *what: the reason, both only after a
 * failure. */
mplan_status mplan_chunks_check(const uint8_t *stored, uint64_t stored_bytes, uint64_t raw_bytes,
                                uint64_t *at, const char **what)
{
    *at = 0;
    *what = "the list of chunks is incomplete";
    if (stored_bytes < LIST_AT)
        return MPLAN_ERR_CORRUPT;
    uint64_t chunk_bytes = mplan_load64(stored), n = mplan_load64(stored + 8);
    *what = "chunks of 0 bytes";
    if (chunk_bytes == 0)
        return MPLAN_ERR_CORRUPT;
    *at = 8;
    *what = "the number of chunks does not fit the length of the section";
    if (n != chunks_of(raw_bytes, chunk_bytes) || n > (stored_bytes - LIST_AT) / 8)
        return MPLAN_ERR_CORRUPT;
    uint64_t left = stored_bytes - LIST_AT - 8 * n;
    for (uint64_t i = 0; i < n; i++) {
        uint64_t length = mplan_load64(stored + LIST_AT + 8 * i);
        *at = LIST_AT + 8 * i;
        *what = "a chunk extends beyond its section";
        if (length > left)
            return MPLAN_ERR_CORRUPT;
        *what = "a chunk is too short for its data";
        if (part_of(raw_bytes, chunk_bytes, i) / MOST_EXPANSION > length)
            return MPLAN_ERR_CORRUPT;
        left -= length;
    }
    *at = stored_bytes - left;
    *what = "bytes after the last chunk";
    return left ? MPLAN_ERR_CORRUPT : MPLAN_OK;
}

#ifdef MPLAN_HAVE_ZLIB

/* What threads need to inflate one section. begin: n + 1 offsets within `stored`; chunk i is stored[begin[i]] up to
 * begin[i + 1] and becomes raw[i * chunk_bytes] on. Threads write disjoint ranges of raw. */
typedef struct inflate_work {
    const uint8_t *stored;
    const uint64_t *begin; /* of the chunks */
    uint64_t raw_bytes, chunk_bytes;
    uint8_t *raw;
    int64_t n;
    int32_t no_memory; /* 1: for some chunk */
} inflate_work;

/* The first chunk of a range that is wrong, work->n if there is none: chunks are independent
 * streams. One is right if it inflates to exactly its part and leaves none of its bytes. */
static int64_t inflate_chunks(void *data, int thread, int64_t first, int64_t end)
{
    inflate_work *work = data;
    (void)thread;
    for (int64_t i = first; i < end; i++) {
        uLong source = (uLong)(work->begin[i + 1] - work->begin[i]);
        uLong given = source;
        uLongf got = (uLongf)part_of(work->raw_bytes, work->chunk_bytes, (uint64_t)i);
        uLongf wanted = got;
        int code = uncompress2(work->raw + (uint64_t)i * work->chunk_bytes, &got,
                               work->stored + work->begin[i], &source);
        if (code == Z_MEM_ERROR)
            mplan_poke(&work->no_memory, 1);
        if (code != Z_OK || got != wanted || source != given)
            return i;
    }
    return work->n;
}

/* raw: raw_bytes bytes, out. The list must have passed mplan_chunks_check; chunks are inflated
 * by threads. *at is set in every case, and means something after MPLAN_ERR_CORRUPT: the first
 * bad chunk, at any number of threads (mplan_for_least). */
mplan_status mplan_chunks_inflate(const uint8_t *stored, uint64_t raw_bytes, uint8_t *raw,
                                  const mplan_context *context, uint64_t *at, const char **what,
                                  mplan_error *err)
{
    uint64_t chunk_bytes = mplan_load64(stored);
    int64_t n = (int64_t)mplan_load64(stored + 8);
    uint64_t *begin = mplan_alloc(n + 1, sizeof *begin, err);
    if (!begin)
        return MPLAN_ERR_MEMORY;
    begin[0] = LIST_AT + 8 * (uint64_t)n;
    for (int64_t i = 0; i < n; i++)
        begin[i + 1] = begin[i] + mplan_load64(stored + LIST_AT + 8 * i);
    inflate_work work = {stored, begin, raw_bytes, chunk_bytes, raw, n, 0};
    int64_t first_bad = mplan_for_least(mplan_team_of(context), n, 1, inflate_chunks, &work, n);
    *at = begin[first_bad];
    *what = "a chunk cannot be inflated";
    free(begin);
    if (work.no_memory)
        return mplan_fail(err, MPLAN_ERR_MEMORY, "out of memory while inflating");
    return first_bad < n ? MPLAN_ERR_CORRUPT : MPLAN_OK;
}

/* Chunks that are in work at a time. */
typedef struct batch {
    int64_t n;        /* slots */
    size_t slot;      /* bytes of each */
    uint8_t *bytes;   /* n x slot */
    uint64_t *length; /* of each; 0: failed */
} batch;

/* What threads need to deflate one batch. raw: all raw_bytes of the array, of which chunks first, first + 1, ... go to
 * slots 0, 1, ... of the batch. */
typedef struct deflate_work {
    const uint8_t *raw;
    uint64_t raw_bytes;
    int64_t first; /* chunk of the batch */
    batch *batch;
} deflate_work;

/* Chunks [begin, end) of a batch, counted from work->first, each into its own slot, which is as
 * long as zlib's bound. length[i] is 0 where zlib had no memory. */
static void deflate_chunks(void *data, int thread, int64_t begin, int64_t end)
{
    const deflate_work *work = data;
    batch *to = work->batch;
    (void)thread;
    for (int64_t i = begin; i < end; i++) {
        uint64_t part = part_of(work->raw_bytes, MPLAN_CHUNK_BYTES, (uint64_t)(work->first + i));
        uLongf length = (uLongf)to->slot;
        int code = compress2(to->bytes + (size_t)i * to->slot, &length,
                             work->raw + (work->first + i) * MPLAN_CHUNK_BYTES, (uLong)part, LEVEL);
        to->length[i] = code == Z_OK ? length : 0;
    }
}

/* `count` chunks from number `first` on, by threads, then appended to `out` in their order.
 * list: 8 bytes per chunk of the whole array, its length when deflated. */
static mplan_status deflate_batch(const uint8_t *raw, uint64_t raw_bytes, int64_t first,
                                  int64_t count, batch *work, uint8_t *list, mplan_vector *out,
                                  const mplan_context *context, mplan_error *err)
{
    deflate_work share = {raw, raw_bytes, first, work};
    mplan_for(mplan_team_of(context), count, 1, deflate_chunks, &share);
    for (int64_t i = 0; i < count; i++) {
        if (work->length[i] == 0)
            return mplan_fail(err, MPLAN_ERR_MEMORY, "out of memory while deflating");
        uint8_t *room = mplan_vector_reserve(out, (int64_t)work->length[i], err);
        if (!room)
            return MPLAN_ERR_MEMORY;
        memcpy(room, work->bytes + (size_t)i * work->slot, work->length[i]);
        out->count += (int64_t)work->length[i];
        mplan_store64(list + 8 * (first + i), work->length[i]);
    }
    return MPLAN_OK;
}

/* In batches of four chunks a thread, so that memory does not grow with the array, but for what
 * is deflated. raw_bytes must be above 0. *stored is owned by the caller; its bytes do not
 * depend on the number of threads, since chunks have a fixed length and do not know of one
 * another. */
mplan_status mplan_chunks_deflate(const void *raw, int64_t raw_bytes, uint8_t **stored,
                                  int64_t *stored_bytes, const mplan_context *context,
                                  mplan_error *err)
{
    assert(raw_bytes > 0);
    int64_t n = (int64_t)chunks_of((uint64_t)raw_bytes, MPLAN_CHUNK_BYTES);
    mplan_vector out = MPLAN_VECTOR_INIT(1);
    batch work = {4 * mplan_team_threads(mplan_team_of(context)), compressBound(MPLAN_CHUNK_BYTES),
                  NULL, NULL};
    if (work.n > n)
        work.n = n;
    uint8_t *list = mplan_alloc(n, 8, err);
    work.bytes = mplan_alloc(work.n, work.slot, err);
    work.length = mplan_alloc(work.n, sizeof *work.length, err);
    mplan_status status = list && work.bytes && work.length ? MPLAN_OK : MPLAN_ERR_MEMORY;
    out.count = LIST_AT + 8 * n; /* room for the list, which is known once all chunks are */
    for (int64_t first = 0; !status && first < n; first += work.n) {
        int64_t count = n - first < work.n ? n - first : work.n;
        status = deflate_batch(raw, (uint64_t)raw_bytes, first, count, &work, list, &out, context,
                               err);
        if (!status)
            status = mplan_interrupted(context, err);
    }
    if (!status) {
        *stored = out.data;
        *stored_bytes = out.count;
        mplan_store64(*stored, (uint64_t)MPLAN_CHUNK_BYTES);
        mplan_store64(*stored + 8, (uint64_t)n);
        memcpy(*stored + LIST_AT, list, 8 * (size_t)n);
    } else {
        free(out.data);
    }
    free(list);
    free(work.bytes);
    free(work.length);
    return status;
}

#else

/* Without zlib the list of chunks is still checked, so that a damaged plan is told from one that needs another build. */
mplan_status mplan_chunks_inflate(const uint8_t *stored, uint64_t raw_bytes, uint8_t *raw,
                                  const mplan_context *context, uint64_t *at, const char **what,
                                  mplan_error *err)
{
    (void)stored, (void)raw_bytes, (void)raw, (void)context, (void)at, (void)what;
    return mplan_fail(err, MPLAN_ERR_UNSUPPORTED,
                      "the plan is compressed, but this build has no zlib");
}

mplan_status mplan_chunks_deflate(const void *raw, int64_t raw_bytes, uint8_t **stored,
                                  int64_t *stored_bytes, const mplan_context *context,
                                  mplan_error *err)
{
    (void)raw, (void)raw_bytes, (void)stored, (void)stored_bytes, (void)context;
    return mplan_fail(err, MPLAN_ERR_UNSUPPORTED,
                      "compressed plans need zlib, which this build does not have");
}

#endif
