/* SPDX-License-Identifier: Apache-2.0 */
/* visit_store.c - dats in a file
 *
 * O_DIRECT keeps a store that is larger than memory from filling it with pages that are read once a visit. File systems that
 * refuse it (some that are in memory) are read and written as others are. Blocks of more than MPLAN_STORE_UNIT bytes, which few disks
 * have, refuse single calls: then the rest of the run goes the other way, too. */
#define _GNU_SOURCE
#include "exec/visit_store.h"

#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/error.h"
#include "base/memory.h"

#ifndef O_DIRECT
#define O_DIRECT 0
#endif

struct mplan_store {
    char *folder;
    int file, direct;    /* descriptors of the same file; direct -1: the file system refuses it */
    atomic_bool refused; /* a call through `direct` was refused */
    int64_t bytes;
};

/* --- the file ---------------------------------------------------------------------------- */

/* Two descriptors of a file that has lost its name at once. false: errno says why. */
static bool open_file(mplan_store *store)
{
    char path[PATH_MAX];
    const int n = snprintf(path, sizeof path, "%s/meshplan-store-XXXXXX", store->folder);
    if (n < 0 || (size_t)n >= sizeof path) {
        errno = ENAMETOOLONG;
        return false;
    }
    store->file = mkostemp(path, O_CLOEXEC);
    if (store->file < 0)
        return false;
    if (O_DIRECT)
        store->direct = open(path, O_RDWR | O_CLOEXEC | O_DIRECT);
    return unlink(path) == 0;
}

mplan_status mplan_store_open(const char *folder, mplan_store **store, mplan_error *err)
{
    assert(folder && store);
    mplan_store *made = mplan_alloc_zero(1, sizeof *made, err);
    if (!made)
        return MPLAN_ERR_MEMORY;
    made->file = made->direct = -1;
    made->folder = mplan_strdup(folder, err);
    mplan_status status = made->folder ? MPLAN_OK : MPLAN_ERR_MEMORY;
    if (!status && !open_file(made))
        status = mplan_fail(err, MPLAN_ERR_IO, "a store in %s: %s", folder, strerror(errno));
    if (status)
        mplan_store_close(made);
    else
        *store = made;
    return status;
}

void mplan_store_close(mplan_store *store)
{
    if (!store)
        return;
    assert(store->folder || store->file < 0);
    if (store->direct >= 0)
        close(store->direct);
    if (store->file >= 0)
        close(store->file);
    free(store->folder);
    free(store);
}

/* Where a file system cannot give room before it is written to, a full disk shows when it is. */
mplan_status mplan_store_reserve(mplan_store *store, int64_t bytes, int64_t *at, mplan_error *err)
{
    assert(store && at && bytes >= 0 && bytes % MPLAN_STORE_UNIT == 0);
    *at = store->bytes;
    int reason = bytes > 0 ? posix_fallocate(store->file, (off_t)*at, (off_t)bytes) : 0;
    if (reason == EOPNOTSUPP || reason == EINVAL)
        reason = ftruncate(store->file, (off_t)(*at + bytes)) ? errno : 0;
    if (reason)
        return mplan_fail(err, MPLAN_ERR_IO, "a store of %lld bytes in %s: %s",
                          (long long)(*at + bytes), store->folder, strerror(reason));
    store->bytes += bytes;
    return MPLAN_OK;
}

/* --- reads and writes ------------------------------------------------------------------------ */

bool mplan_store_is_direct(const mplan_store *store)
{
    assert(store);
    return store->direct >= 0 && !atomic_load_explicit(&store->refused, memory_order_relaxed);
}

/* One call, again where a signal came between. reading: else from the memory into the file. */
static ssize_t call_once(int file, bool reading, char *memory, int64_t bytes, int64_t at)
{
    ssize_t n;
    do
        n = reading ? pread(file, memory, (size_t)bytes, (off_t)at)
                    : pwrite(file, memory, (size_t)bytes, (off_t)at);
    while (n < 0 && errno == EINTR);
    return n;
}

/* All bytes, in as many calls as it takes. What is left behind a part that ends within a unit is of no direct call. */
static int move_all(mplan_store *store, bool reading, char *memory, int64_t bytes, int64_t at)
{
    assert(at >= 0 && at % MPLAN_STORE_UNIT == 0 && bytes % MPLAN_STORE_UNIT == 0);
    assert((uintptr_t)memory % MPLAN_STORE_UNIT == 0 && at + bytes <= store->bytes);
    while (bytes > 0) {
        const bool direct = mplan_store_is_direct(store) && at % MPLAN_STORE_UNIT == 0;
        const ssize_t n = call_once(direct ? store->direct : store->file, reading, memory, bytes, at);
        if (n < 0 && direct && errno == EINVAL) {
            atomic_store_explicit(&store->refused, true, memory_order_relaxed);
            continue;
        }
        if (n < 0)
            return errno;
        if (n == 0)
            return MPLAN_STORE_ENDED;
        memory += n;
        at += n;
        bytes -= n;
    }
    return 0;
}

int mplan_store_read(mplan_store *store, int64_t at, int64_t bytes, void *to)
{
    assert(store && to);
    return move_all(store, true, to, bytes, at);
}

int mplan_store_write(mplan_store *store, int64_t at, int64_t bytes, const void *from)
{
    assert(store && from);
    return move_all(store, false, (char *)(uintptr_t)from, bytes, at); /* only read */
}

mplan_status mplan_store_failed(const mplan_store *store, int reason, bool reading, mplan_error *err)
{
    assert(store && reason);
    if (reason == MPLAN_STORE_ENDED)
        return mplan_fail(err, MPLAN_ERR_IO, "the store in %s is shorter than its %lld bytes",
                          store->folder, (long long)store->bytes);
    return mplan_fail(err, MPLAN_ERR_IO, "%s the store in %s: %s", reading ? "reading" : "writing",
                      store->folder, strerror(reason));
}
