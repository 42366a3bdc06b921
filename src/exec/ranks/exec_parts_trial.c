/* SPDX-License-Identifier: Apache-2.0 */
/* exec_parts_trial.c - from which memory a transport really sends
 *
 * A transport may say that it takes pointers to device memory and yet fail or send other bytes. So 8 bytes go from the device
 * of each rank to that of the next at open; unless all ranks got theirs, all go through the host. */
#include <assert.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/error.h"
#include "base/memory.h"
#include "exec/ranks/exec_parts.h"

enum { BYTES = 8 };

/* What rank r sends. */
static uint64_t mark_of(int32_t r)
{
    return UINT64_C(0x9e3779b97f4a7c15) * (uint64_t)(r + 1);
}

/* Sends to the next rank and receives from the one before. *good: it came, as it was sent. */
static mplan_status try_ring(const mplan_exec_parts *parts, char *device, bool *good, mplan_error *err)
{
    const mplan_transport *transport = &parts->transport;
    const int32_t r = parts->rank, n = parts->ranks;
    const mplan_message in = {(r + n - 1) % n, device, BYTES},
                        out = {(r + 1) % n, device + 64, BYTES};
    uint64_t sent = mark_of(r), got = 0;
    void *request = NULL;
    mplan_status status = mplan_gpu_upload(device + 64, &sent, BYTES, err);
    if (!status)
        status = mplan_gpu_upload(device, &got, BYTES, err);
    if (status)
        return status;
    status = transport->exchange(transport->user, &in, 1, &out, 1, NULL, &request, NULL);
    if (!status)
        status = transport->wait(transport->user, request, NULL, NULL);
    if (!status)
        status = mplan_gpu_wait(NULL);
    if (!status)
        status = mplan_gpu_download(&got, device, BYTES, NULL);
    *good = !status && got == mark_of(in.rank);
    return MPLAN_OK;
}

/* Whether all ranks found theirs good. */
static mplan_status agree(const mplan_exec_parts *parts, bool *good, mplan_error *err)
{
    const char mine = *good;
    char *all = mplan_alloc_zero(parts->ranks, 1, err);
    mplan_status status = all ? parts->transport.all_gather(parts->transport.user, &mine, 1, all, err)
                              : MPLAN_ERR_MEMORY;
    for (int32_t r = 0; r < parts->ranks && !status; r++)
        *good = *good && all[r];
    free(all);
    return status;
}

/* Whether the transport moves memory of the device: each rank sends some bytes round the ring of all ranks, and all
 * must find them right. Else messages go through memory of the host (can = 0). moved_by says which. */
mplan_status mplan_exec_parts_try(mplan_exec_parts *parts, mplan_error *err)
{
    assert(parts);
    mplan_transport *transport = &parts->transport;
    mplan_exec *exec = mplan_exec_parts_exec(parts, 0);
    const bool device = exec->executor == MPLAN_EXECUTOR_CUDA;
    bool good = device && (transport->can & MPLAN_TRANSPORT_DEVICE_POINTERS);
    mplan_status status = MPLAN_OK;
    if (good && parts->ranks > 1) {
        void *memory = NULL;
        status = mplan_exec_use(exec, err);
        if (!status)
            status = mplan_gpu_alloc(128, &memory, err);
        if (!status)
            status = try_ring(parts, memory, &good, err);
        mplan_gpu_free(memory);
        if (!status)
            status = agree(parts, &good, err);
    }
    if (!good)
        transport->can = 0;
    snprintf(parts->moved_by, sizeof parts->moved_by, "%.32s, %s", transport->name,
             good     ? "device pointers"
             : device ? "staged in host memory"
                      : "host memory");
    return status;
}
