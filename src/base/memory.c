/* SPDX-License-Identifier: Apache-2.0 */
/* memory.c - checked allocation and growing arrays */
#include "base/memory.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "base/error.h"

/* Bytes from which on an array asks for large pages, of which it has at least one then, and of such a page. */
enum { LARGE_ARRAY = 4 << 20, LARGE_PAGE = 2 << 20 };

/* Bytes of an array; false when they overflow ptrdiff_t, which no malloc gives. */
static bool array_bytes(int64_t count, size_t size, size_t *bytes)
{
    if (count < 0 || (size && (uint64_t)count > (uint64_t)PTRDIFF_MAX / size))
        return false;
    *bytes = (size_t)count * size;
    if (*bytes == 0)
        *bytes = 1;
    return true;
}

/* Returns NULL, for its callers to return. */
static void *no_memory(int64_t count, size_t size, mplan_error *err)
{
    mplan_fail(err, MPLAN_ERR_MEMORY, "out of memory (asked for %lld x %zu bytes)",
               (long long)count, size);
    return NULL;
}

/* Asks for large pages where an array is long: those within it, so that it takes no memory beside its own. Threads that write to
 * a new array then ask the system for memory once where they did 512 times, one after the other, and places far from each
 * other are found by fewer tables. What the system does with the advice is its own; the array is returned as it is. */
static void *advise(void *data, size_t bytes)
{
#ifdef MADV_HUGEPAGE
    if (data && bytes >= LARGE_ARRAY) {
        const uintptr_t at = (uintptr_t)data, page = LARGE_PAGE;
        const uintptr_t begin = (at + page - 1) / page * page, end = (at + bytes) / page * page;
        if (end > begin)
            (void)madvise((char *)data + (begin - at), end - begin, MADV_HUGEPAGE);
    }
#else
    (void)bytes;
#endif
    return data;
}

/* count x size bytes, not set; never NULL for 0. count must not be negative: that is refused as
 * too much. */
void *mplan_alloc(int64_t count, size_t size, mplan_error *err)
{
    size_t bytes;
    void *data = array_bytes(count, size, &bytes) ? advise(malloc(bytes), bytes) : NULL;
    return data ? data : no_memory(count, size, err);
}

void *mplan_alloc_zero(int64_t count, size_t size, mplan_error *err)
{
    size_t bytes;
    void *data = array_bytes(count, size, &bytes) ? advise(calloc(bytes, 1), bytes) : NULL;
    return data ? data : no_memory(count, size, err);
}

/* For 64-byte lines; count * size must not overflow, as in mplan_alloc. */
void *mplan_alloc_aligned(int64_t count, size_t size, mplan_error *err)
{
    size_t bytes;
    void *data = NULL;
    if (array_bytes(count, size, &bytes) && posix_memalign(&data, 64, bytes))
        data = NULL;
    return data ? advise(data, bytes) : no_memory(count, size, err);
}

/* old stays as it is after a failure. */
void *mplan_realloc(void *old, int64_t count, size_t size, mplan_error *err)
{
    size_t bytes;
    void *data = array_bytes(count, size, &bytes) ? advise(realloc(old, bytes), bytes) : NULL;
    return data ? data : no_memory(count, size, err);
}

/* count members of `size` bytes, for the caller to free; NULL: out of memory. A copy of none is
 * not NULL. */
void *mplan_copy(const void *from, int64_t count, size_t size, mplan_error *err)
{
    void *data = mplan_alloc(count, size, err);
    if (data && count > 0)
        memcpy(data, from, (size_t)count * size);
    return data;
}

char *mplan_strdup(const char *text, mplan_error *err)
{
    return mplan_copy(text, (int64_t)strlen(text) + 1, 1, err);
}

/* Room for n more elements behind the last one, whose address is returned; count stays.
 * Grows by half, so that appending is linear. */
void *mplan_vector_reserve(mplan_vector *vector, int64_t n, mplan_error *err)
{
    if (!vector->data || n > vector->capacity - vector->count) {
        int64_t capacity = vector->capacity + vector->capacity / 2;
        if (capacity < vector->count + n)
            capacity = vector->count + n;
        if (capacity < 16)
            capacity = 16;
        void *data = mplan_realloc(vector->data, capacity, vector->size, err);
        if (!data)
            return NULL;
        vector->data = data;
        vector->capacity = capacity;
    }
    return (char *)vector->data + (size_t)vector->count * vector->size;
}

/* element: vector->size bytes, copied. Doubling makes n of them cost a constant each. */
mplan_status mplan_vector_push(mplan_vector *vector, const void *element, mplan_error *err)
{
    void *room = mplan_vector_reserve(vector, 1, err);
    if (!room)
        return MPLAN_ERR_MEMORY;
    memcpy(room, element, vector->size);
    vector->count++;
    return MPLAN_OK;
}

/* The data, cut to length, are the caller's; the vector is empty. */
void *mplan_vector_take(mplan_vector *vector)
{
    void *data = mplan_realloc(vector->data, vector->count, vector->size, NULL);
    if (!data)
        data = vector->data; /* it was to become smaller: the old one will do */
    vector->data = NULL;
    vector->count = vector->capacity = 0;
    return data;
}
