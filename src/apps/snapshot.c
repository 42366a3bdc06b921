/* SPDX-License-Identifier: Apache-2.0 */
/* snapshot.c - all dats of an executor, kept beside them, and a fingerprint of their bits */
#include "apps/snapshot.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "apps/app_device.h"
#include "base/memory.h"
#include "apps/fingerprint.h"

enum { FETCHED = 500 }; /* between two waits for the device */

/* n: dats that are kept, the first ones of the executor; those that are declared later are not restored. */
struct mplan_exec_snapshot {
    mplan_exec *exec;
    int32_t n;
    void **kept; /* a dat each */
};

/* Of all places, with holes, in the dat's layout: a copy is the memory as it is. */
static int64_t dat_bytes(const mplan_exec_dat *dat)
{
    return dat->storage_size * dat->dim * (int64_t)mplan_type_size(dat->type);
}

/* Within the executor's memory, of the host or of the GPU. */
static mplan_status copy(const mplan_exec *exec, void *to, const void *from, int64_t bytes,
                         mplan_error *err)
{
    if (exec->executor == MPLAN_EXECUTOR_CUDA)
        return mplan_gpu_copy(to, from, bytes, err);
    if (bytes > 0)
        memcpy(to, from, (size_t)bytes);
    return MPLAN_OK;
}

/* A copy of every dat where it is. */
mplan_status mplan_exec_snapshot_take(mplan_exec *exec, mplan_exec_snapshot **snapshot,
                                      mplan_error *err)
{
    assert(exec && snapshot);
    mplan_exec_snapshot *made = mplan_alloc_zero(1, sizeof *made, err);
    mplan_status status = made ? mplan_exec_use(exec, err) : MPLAN_ERR_MEMORY;
    if (!status) {
        made->exec = exec;
        made->kept = mplan_alloc_zero(exec->n_dats, sizeof *made->kept, err);
        status = made->kept ? MPLAN_OK : MPLAN_ERR_MEMORY;
    }
    for (int32_t d = 0; !status && d < exec->n_dats; d++) {
        int64_t bytes = dat_bytes(&exec->dats[d]);
        status = mplan_exec_allocate(exec, bytes, 1, &made->kept[d], err);
        if (status)
            break;
        made->n++;
        status = copy(exec, made->kept[d], exec->dats[d].data, bytes, err);
    }
    if (!status)
        status = mplan_exec_wait(exec, err);
    if (!status)
        *snapshot = made;
    else
        mplan_exec_snapshot_free(made);
    return status;
}

/* All dats get back the bytes that they had when the snapshot was made; their holes, too. */
mplan_status mplan_exec_snapshot_restore(const mplan_exec_snapshot *snapshot, mplan_error *err)
{
    assert(snapshot);
    const mplan_exec *exec = snapshot->exec;
    mplan_status status = mplan_exec_use(exec, err);
    for (int32_t d = 0; !status && d < snapshot->n; d++)
        status = copy(exec, exec->dats[d].data, snapshot->kept[d], dat_bytes(&exec->dats[d]), err);
    return status;
}

/* kept[d] is the copy of dat d in the executor's memory; its bytes were counted when it was
 * made and are given back here. */
void mplan_exec_snapshot_free(mplan_exec_snapshot *snapshot)
{
    if (!snapshot)
        return;
    for (int32_t d = 0; d < snapshot->n; d++) {
        mplan_exec_release(snapshot->exec, snapshot->kept[d]);
        snapshot->exec->bytes -= dat_bytes(&snapshot->exec->dats[d]);
    }
    free(snapshot->kept);
    free(snapshot);
}

/* Words of 8 bytes, the last one filled up with zeros. */
static uint64_t host_fingerprint(const char *data, int64_t bytes, uint64_t place)
{
    uint64_t sum = 0;
    for (int64_t at = 0; at < bytes; at += 8, place++) {
        uint64_t word = 0;
        memcpy(&word, data + at, (size_t)(bytes - at < 8 ? bytes - at : 8));
        sum += mplan_word_fingerprint(word, place);
    }
    return sum;
}

/* Adds the fingerprint of all dats to *sum, which is where the executor computes. */
static mplan_status add_fingerprint(const mplan_exec *exec, uint64_t *sum, mplan_error *err)
{
    uint64_t place = 0;
    mplan_status status = MPLAN_OK;
    for (int32_t d = 0; !status && d < exec->n_dats; d++) {
        const mplan_exec_dat *dat = &exec->dats[d];
        int64_t bytes = dat_bytes(dat);
        if (exec->executor == MPLAN_EXECUTOR_CUDA)
            status = mplan_gpu_fingerprint(dat->data, bytes, place, sum, err);
        else
            *sum += host_fingerprint(dat->data, bytes, place);
        place += (uint64_t)(bytes + 7) / 8;
    }
    return status;
}

/* Sums of several repetitions, where the executor computes. */
static mplan_status clear_sums(const mplan_exec *exec, uint64_t *sums, int64_t n, mplan_error *err)
{
    if (exec->executor == MPLAN_EXECUTOR_CUDA)
        return mplan_gpu_set(sums, 0, n * (int64_t)sizeof *sums, err);
    memset(sums, 0, (size_t)n * sizeof *sums);
    return MPLAN_OK;
}

/* fetched: n sums, in host memory. */
static mplan_status fetch_sums(const mplan_exec *exec, const uint64_t *sums, int64_t n,
                               uint64_t *fetched, mplan_error *err)
{
    if (exec->executor == MPLAN_EXECUTOR_CUDA)
        return mplan_gpu_download(fetched, sums, n * (int64_t)sizeof *sums, err);
    memcpy(fetched, sums, (size_t)n * sizeof *sums);
    return MPLAN_OK;
}

/* step: called n times, each time from the snapshot; *equal: all results had
 * equal bits. Fingerprints are fetched FETCHED at a time. */
mplan_status mplan_exec_repeat(const mplan_exec_snapshot *snapshot, int64_t n,
                               mplan_status (*step)(void *user, mplan_error *err), void *user,
                               bool *equal, mplan_error *err)
{
    assert(snapshot && step && n >= 0);
    mplan_exec *exec = snapshot->exec;
    uint64_t fetched[FETCHED], first = 0;
    void *sums = NULL;
    mplan_status status = mplan_exec_allocate(exec, FETCHED, sizeof *fetched, &sums, err);
    if (status)
        return status;
    for (int64_t begin = 0; begin < n && !status; begin += FETCHED) {
        int64_t n_fetched = n - begin < FETCHED ? n - begin : FETCHED;
        status = clear_sums(exec, sums, FETCHED, err);
        for (int64_t i = 0; i < n_fetched && !status; i++) {
            status = mplan_exec_snapshot_restore(snapshot, err);
            if (!status)
                status = step(user, err);
            if (!status)
                status = add_fingerprint(exec, (uint64_t *)sums + i, err);
        }
        if (!status)
            status = fetch_sums(exec, sums, n_fetched, fetched, err);
        if (begin == 0)
            first = fetched[0];
        for (int64_t i = 0; i < n_fetched && !status; i++)
            *equal = *equal && fetched[i] == first;
    }
    mplan_exec_release(exec, sums);
    exec->bytes -= FETCHED * (int64_t)sizeof *fetched;
    return status;
}
