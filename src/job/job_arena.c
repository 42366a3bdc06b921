/* SPDX-License-Identifier: Apache-2.0 */
/* job_arena.c - many small pieces of memory that are released together */
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "job/job.h"

enum { CHUNK_BYTES = 16 * 1024, ALIGNMENT = 16 };

/* Pieces are cut off chunks from their beginning; a piece larger than a chunk gets one of its
 * own, whose rest is never used. `last` is the newest, and all hang together by `earlier`.
 * The first `used` bytes are given away; `used` is a multiple of ALIGNMENT. */
typedef struct mplan_job_chunk {
    struct mplan_job_chunk *earlier;
    size_t used, size; /* of bytes */
    _Alignas(ALIGNMENT) char bytes[];
} chunk;

/* Zeroed memory, released with the arena; there is no way to give back a single piece. count 0
 * gives an address that must not be read. */
void *mplan_job_take(mplan_job_arena *arena, int64_t count, size_t size, mplan_error *err)
{
    /* a job file is bounded to megabytes, so this cannot overflow */
    size_t bytes = ((size_t)count * size + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
    chunk *last = arena->last;
    if (!last || last->size - last->used < bytes) {
        size_t room = bytes > CHUNK_BYTES ? bytes : CHUNK_BYTES;
        last = mplan_alloc_zero((int64_t)(sizeof *last + room), 1, err);
        if (!last)
            return NULL;
        last->earlier = arena->last;
        last->size = room;
        arena->last = last;
    }
    void *piece = last->bytes + last->used;
    last->used += bytes;
    return piece;
}

/* The arena is empty afterwards and may be used again. */
void mplan_job_arena_free(mplan_job_arena *arena)
{
    while (arena->last) {
        chunk *earlier = arena->last->earlier;
        free(arena->last);
        arena->last = earlier;
    }
}
