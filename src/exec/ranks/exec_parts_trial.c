/* SPDX-License-Identifier: Apache-2.0 */
/* exec_parts_trial.c - from which memory a transport really sends
 *
 * A transport may say that it takes pointers to device memory and yet fail or send other bytes. So 8 bytes go from the device
 * of each rank to that of the next at open; unless all ranks got theirs, all go through the host. */
#include <assert.h>
#include <stdio.h>

#include "base/error.h"
#include "exec/ranks/exec_parts_direct.h"

enum { BYTES = 8 };

/* What rank r sends. */
static uint64_t mark_of(int32_t r)
{
    return UINT64_C(0x9e3779b97f4a7c15) * (uint64_t)(r + 1);
}

/* What is sent, and nothing where it is received. */
static mplan_status make_ready(const mplan_exec_parts *parts, char *device, mplan_error *err)
{
    const uint64_t sent = mark_of(parts->rank), none = 0;
    mplan_status status = mplan_gpu_upload(device + 64, &sent, BYTES, err);
    return status ? status : mplan_gpu_upload(device, &none, BYTES, err);
}

/* Sends to the next rank and receives from the one before. Whether it came, as it was sent. */
static bool try_ring(const mplan_exec_parts *parts, char *device)
{
    const mplan_transport *transport = &parts->transport;
    const int32_t r = parts->rank, n = parts->ranks;
    const mplan_message in = {(r + n - 1) % n, device, BYTES},
                        out = {(r + 1) % n, device + 64, BYTES};
    uint64_t got = 0;
    void *request = NULL;
    mplan_status status = transport->exchange(transport->user, &in, 1, &out, 1, NULL, &request, NULL);
    if (!status)
        status = transport->wait(transport->user, request, NULL, NULL);
    if (!status)
        status = mplan_gpu_wait(NULL);
    if (!status)
        status = mplan_gpu_download(&got, device, BYTES, NULL);
    return !status && got == mark_of(in.rank);
}

/* *good: all ranks got theirs. A rank that cannot take part says so before others wait for its message. */
static mplan_status try_all(mplan_exec_parts *parts, bool *good, mplan_error *err)
{
    void *memory = NULL;
    int32_t rank = -1;
    unsigned char said;
    mplan_status status = mplan_exec_use(mplan_exec_parts_exec(parts, 0), err);
    if (!status)
        status = mplan_gpu_alloc(128, &memory, err);
    if (!status)
        status = make_ready(parts, memory, err);
    status = mplan_exec_parts_all_here(parts, status, err);
    if (!status)
        status = mplan_exec_parts_first(parts, !try_ring(parts, memory), &rank, &said, err);
    *good = !status && rank < 0;
    mplan_gpu_free(memory);
    return status;
}

/* Whether the transport moves memory of the device: each rank sends some bytes round the ring of all ranks, and all
 * must find them right. Else messages go through memory of the host (can = 0). moved_by says which. */
mplan_status mplan_exec_parts_try(mplan_exec_parts *parts, mplan_executor executor, mplan_error *err)
{
    assert(parts);
    mplan_transport *transport = &parts->transport;
    const bool device = executor == MPLAN_EXECUTOR_CUDA;
    bool good = device && (transport->can & MPLAN_TRANSPORT_DEVICE_POINTERS);
    mplan_status status = MPLAN_OK;
    if (good && parts->ranks > 1)
        status = try_all(parts, &good, err);
    if (!good)
        transport->can &= MPLAN_TRANSPORT_KEEPS;
    snprintf(parts->moved_by, sizeof parts->moved_by, "%.32s, %s", transport->name,
             good     ? "device pointers"
             : device ? "staged in host memory"
                      : "host memory");
    return status;
}
