/* SPDX-License-Identifier: Apache-2.0 */
/* support_memory.c - allocations that fail by count */
#include "support_memory.h"

#include <stdlib.h>

enum { PLACES = 1 << 16 }; /* of live allocations; a power of two, never near full */

support_memory_state support_memory;
static void *place[PLACES];

void *__real_malloc(size_t size);
void *__real_calloc(size_t count, size_t size);
void *__real_realloc(void *old, size_t size);
int __real_posix_memalign(void **out, size_t alignment, size_t size);
void __real_free(void *data);
void *__wrap_malloc(size_t size);
void *__wrap_calloc(size_t count, size_t size);
void *__wrap_realloc(void *old, size_t size);
int __wrap_posix_memalign(void **out, size_t alignment, size_t size);
void __wrap_free(void *data);

static bool denied(void)
{
    if (!support_memory.armed)
        return false;
    support_memory.left--;
    bool deny = support_memory.left == 0 || (support_memory.left < 0 && support_memory.persistent);
    support_memory.fired = support_memory.fired || deny;
    return deny;
}

static size_t home_of(const void *data)
{
    return (size_t)((uint64_t)(uintptr_t)data * UINT64_C(0x9E3779B97F4A7C15) >> 48) % PLACES;
}

static void *remember(void *data)
{
    size_t i = home_of(data);
    if (!data)
        return NULL;
    while (place[i])
        i = (i + 1) % PLACES;
    place[i] = data;
    if (++support_memory.live > PLACES / 2)
        abort();
    return data;
}

/* False for what another library allocated. Fills the gap with those behind it
 * that would no longer be found. */
static bool forget(const void *data)
{
    size_t i = home_of(data);
    while (place[i] != data) {
        if (!place[i] || !data)
            return false;
        i = (i + 1) % PLACES;
    }
    place[i] = NULL;
    support_memory.live--;
    for (i = (i + 1) % PLACES; place[i]; i = (i + 1) % PLACES) {
        void *other = place[i];
        place[i] = NULL;
        support_memory.live--;
        remember(other);
    }
    return true;
}

void *__wrap_malloc(size_t size)
{
    return denied() ? NULL : remember(__real_malloc(size));
}

void *__wrap_calloc(size_t count, size_t size)
{
    return denied() ? NULL : remember(__real_calloc(count, size));
}

void *__wrap_realloc(void *old, size_t size)
{
    if (denied())
        return NULL;
    if (old)
        forget(old);
    return remember(__real_realloc(old, size));
}

int __wrap_posix_memalign(void **out, size_t alignment, size_t size)
{
    void *data = NULL;
    int error = denied() ? 12 /* ENOMEM */ : __real_posix_memalign(&data, alignment, size);
    if (!error)
        *out = remember(data);
    return error;
}

void __wrap_free(void *data)
{
    if (data)
        forget(data);
    __real_free(data);
}
