/* SPDX-License-Identifier: Apache-2.0 */
/* support_fence.c - numbers with memory beside them that nobody may touch */
#include "support_fence.h"
#include "support_test.h"

#include <sys/mman.h>
#include <unistd.h>

support_fence support_fence_open(const void *data, size_t size, support_fence_side side)
{
    const size_t page = (size_t)sysconf(_SC_PAGESIZE), inner = (size / page + 1) * page;
    support_fence fence = {NULL, NULL, inner + 2 * page};
    fence.pages = mmap(NULL, fence.bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    assert_true(fence.pages != MAP_FAILED);
    char *first = (char *)fence.pages + page;
    fence.data = side == SUPPORT_FENCE_BEFORE ? first : first + inner - size;
    memcpy(fence.data, data, size);
    assert_int_equal(mprotect(fence.pages, page, PROT_NONE), 0);
    assert_int_equal(mprotect(first + inner, page, PROT_NONE), 0);
    return fence;
}

void support_fence_close(support_fence *fence)
{
    munmap(fence->pages, fence->bytes);
}
