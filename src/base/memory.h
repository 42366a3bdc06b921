/* SPDX-License-Identifier: Apache-2.0 */
/* memory.h - checked allocation: every array of the library comes from here */
#ifndef MPLAN_MEMORY_H
#define MPLAN_MEMORY_H

#include "meshplan.h"

/* count x size bytes (never NULL for a count of 0), or NULL with err filled
 * (MPLAN_ERR_MEMORY, the size named) when that overflows or is not there.
 * Release with free(). */
void *mplan_alloc(int64_t count, size_t size, mplan_error *err);
void *mplan_alloc_zero(int64_t count, size_t size, mplan_error *err);
/* The same, aligned to 64 bytes. */
void *mplan_alloc_aligned(int64_t count, size_t size, mplan_error *err);
/* Resizes; on failure the old array stays valid and NULL is returned. */
void *mplan_realloc(void *old, int64_t count, size_t size, mplan_error *err);
char *mplan_strdup(const char *text, mplan_error *err);
/* A copy of count x size bytes. */
void *mplan_copy(const void *from, int64_t count, size_t size, mplan_error *err);

/* A growing array. Zero-initialise with MPLAN_VECTOR_INIT(element size);
 * `data` is released with free(). */
typedef struct mplan_vector {
    void *data;
    int64_t count, capacity;
    size_t size; /* of an element */
} mplan_vector;
#define MPLAN_VECTOR_INIT(size_) \
    {                            \
        NULL, 0, 0, (size_)      \
    }

/* Room for n more elements behind the last; NULL with err filled. Does not
 * change count. */
void *mplan_vector_reserve(mplan_vector *vector, int64_t n, mplan_error *err);
/* Appends a copy of one element. */
mplan_status mplan_vector_push(mplan_vector *vector, const void *element, mplan_error *err);
/* Hands over the array, cut to size; the vector is empty then. */
void *mplan_vector_take(mplan_vector *vector);

#endif
