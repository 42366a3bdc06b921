/* SPDX-License-Identifier: Apache-2.0 */
/* host_window.c - addresses that repeat a smaller memory, as a device maps it
 *
 * One file in memory is mapped again and again behind itself. What a launch finds at an address outside the slabs that
 * are there is another slab, or the bytes that freed slabs are filled with. */
#define _GNU_SOURCE
#include "exec/exec_visit.h"

#include <assert.h>
#include <errno.h>
#include <string.h>

#include "base/error.h"

#ifdef __linux__
#include <sys/mman.h>
#include <unistd.h>

mplan_status mplan_host_window_make(int64_t bytes, int64_t window, int32_t planes, void **base,
                                    mplan_error *err)
{
    assert(base && planes > 0 && window > 0 && bytes >= window && bytes % window == 0);
    const int file = memfd_create("meshplan-window", MFD_CLOEXEC);
    const int64_t all = bytes * planes;
    char *at = MAP_FAILED;
    if (file >= 0 && ftruncate(file, (off_t)(window * planes)) == 0)
        at = mmap(NULL, (size_t)all, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    bool mapped = at != MAP_FAILED;
    for (int64_t b = 0; b < all && mapped; b += window)
        mapped = mmap(at + b, (size_t)window, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_FIXED, file,
                      (off_t)(b / bytes * window)) != MAP_FAILED;
    const int reason = errno;
    if (!mapped && at != MAP_FAILED)
        munmap(at, (size_t)all);
    if (file >= 0)
        close(file);
    if (!mapped)
        return mplan_fail(err, MPLAN_ERR_MEMORY, "a window of %lld bytes cannot be mapped: %s",
                          (long long)window, strerror(reason));
    *base = at;
    return MPLAN_OK;
}

void mplan_host_window_free(void *base, int64_t bytes)
{
    assert(base && bytes > 0);
    munmap(base, (size_t)bytes);
}
#else
mplan_status mplan_host_window_make(int64_t bytes, int64_t window, int32_t planes, void **base,
                                    mplan_error *err)
{
    (void)bytes;
    (void)window;
    (void)planes;
    (void)base;
    return mplan_fail(err, MPLAN_ERR_UNSUPPORTED, "windows of memory need Linux");
}

void mplan_host_window_free(void *base, int64_t bytes)
{
    (void)base;
    (void)bytes;
}
#endif
