/* SPDX-License-Identifier: Apache-2.0 */
/* support_fence.h - numbers with memory beside them that nobody may touch
 *
 * A guard that keeps a proof from reading behind an array shows in its verdict only by chance. Between these pages
 * a read too many ends the test, whatever the numbers there would have been. */
#ifndef MPLAN_SUPPORT_FENCE_H
#define MPLAN_SUPPORT_FENCE_H

#include <stddef.h>

typedef struct support_fence {
    void *data; /* the copy */
    void *pages;
    size_t bytes; /* of pages */
} support_fence;

typedef enum support_fence_side { SUPPORT_FENCE_BEHIND, SUPPORT_FENCE_BEFORE } support_fence_side;

/* A copy that ends where a page begins that cannot be read, or that begins where one ends. */
support_fence support_fence_open(const void *data, size_t size, support_fence_side side);
void support_fence_close(support_fence *fence);

#endif
