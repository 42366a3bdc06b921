/* SPDX-License-Identifier: Apache-2.0 */
/* device_lane.cu - the two streams of a device that runs parts, and the way to memory of others (device_halo.h) */
#include <cassert>
#include <cstring>
#include <new>

#include "exec/cuda/device_cuda.h"

extern "C" {
#include "exec/cuda/device_halo.h"
}

namespace {

/* Each event orders one direction and is recorded anew at every fork or join: a wait that was put into a stream
 * keeps the record that it saw. */
struct lane {
    cudaStream_t stream = nullptr, aside = nullptr;
    own_event forked, joined;
    ~lane()
    {
        if (stream)
            cudaStreamDestroy(stream);
        if (aside)
            cudaStreamDestroy(aside);
    }
};

/* Work already in `from` comes before what is put into `to` from now on. */
mplan_status follow(cudaStream_t from, cudaStream_t to, cudaEvent_t event, mplan_error *err)
{
    MPLAN_CUDA(cudaEventRecord(event, from));
    MPLAN_CUDA(cudaStreamWaitEvent(to, event, 0));
    return MPLAN_OK;
}

} // namespace

/* On the device in use. The stream beside has the highest priority: its small kernels must not wait for a launch to
 * end. After a failure *opened may be set; close it. */
mplan_status mplan_gpu_lane_open(void **opened, mplan_error *err)
{
    assert(opened);
    lane *made = new (std::nothrow) lane;
    if (!made)
        return mplan_fail(err, MPLAN_ERR_MEMORY, "out of memory");
    *opened = made;
    int least = 0, most = 0;
    MPLAN_CUDA(cudaDeviceGetStreamPriorityRange(&least, &most));
    MPLAN_CUDA(cudaStreamCreate(&made->stream));
    MPLAN_CUDA(cudaStreamCreateWithPriority(&made->aside, cudaStreamDefault, most));
    MPLAN_CUDA(made->forked.open(cudaEventDisableTiming));
    MPLAN_CUDA(made->joined.open(cudaEventDisableTiming));
    return MPLAN_OK;
}

/* NULL is accepted. */
void mplan_gpu_lane_close(void *opened)
{
    delete static_cast<lane *>(opened);
}

/* aside: the one for messages. */
void *mplan_gpu_lane_stream(void *opened, bool aside)
{
    assert(opened);
    const lane *own = static_cast<lane *>(opened);
    return aside ? own->aside : own->stream;
}

/* What is launched aside from now on waits for what is in the main stream so far. */
mplan_status mplan_gpu_lane_fork(void *opened, mplan_error *err)
{
    assert(opened);
    const lane *own = static_cast<lane *>(opened);
    return follow(own->stream, own->aside, own->forked.event, err);
}

/* And the other way round. */
mplan_status mplan_gpu_lane_join(void *opened, mplan_error *err)
{
    assert(opened);
    const lane *own = static_cast<lane *>(opened);
    return follow(own->aside, own->stream, own->joined.event, err);
}

/* Kernels of `device` may store into memory of `peer` from then on. It is right to ask twice. */
mplan_status mplan_gpu_reach_peer(int32_t device, int32_t peer, mplan_error *err)
{
    int can = 0;
    MPLAN_CUDA(cudaDeviceCanAccessPeer(&can, device, peer));
    if (!can)
        return mplan_fail(err, MPLAN_ERR_DEVICE, "device %d cannot use memory of device %d",
                          static_cast<int>(device), static_cast<int>(peer));
    const cudaError_t code = cudaDeviceEnablePeerAccess(peer, 0);
    if (code == cudaErrorPeerAccessAlreadyEnabled) {
        cudaGetLastError();
        return MPLAN_OK;
    }
    return mplan_gpu_status(static_cast<int>(code), "cudaDeviceEnablePeerAccess", err);
}

/* --- memory of other processes ------------------------------------------------------------- */

static_assert(sizeof(cudaIpcMemHandle_t) == MPLAN_GPU_HANDLE, "a handle is copied as bytes");

/* A handle holds for as long as the memory does. */
mplan_status mplan_gpu_share(void *data, unsigned char *handle, mplan_error *err)
{
    assert(data && handle);
    cudaIpcMemHandle_t made;
    MPLAN_CUDA(cudaIpcGetMemHandle(&made, data));
    memcpy(handle, &made, sizeof made);
    return MPLAN_OK;
}

/* The way between the two devices is made with it. An error of the runtime is not left for the next call to find, as the caller
 * may go on without. */
mplan_status mplan_gpu_open_shared(const unsigned char *handle, void **data, mplan_error *err)
{
    assert(handle && data);
    cudaIpcMemHandle_t given;
    memcpy(&given, handle, sizeof given);
    const cudaError_t code = cudaIpcOpenMemHandle(data, given, cudaIpcMemLazyEnablePeerAccess);
    if (code == cudaSuccess)
        return MPLAN_OK;
    cudaGetLastError();
    *data = nullptr;
    return mplan_fail(err, MPLAN_ERR_DEVICE, "cudaIpcOpenMemHandle: %s", cudaGetErrorString(code));
}

void mplan_gpu_close_shared(void *data)
{
    assert(data);
    cudaIpcCloseMemHandle(data);
}

mplan_status mplan_gpu_place(int32_t device, char *place, mplan_error *err)
{
    assert(place);
    MPLAN_CUDA(cudaDeviceGetPCIBusId(place, MPLAN_GPU_PLACE, device));
    return MPLAN_OK;
}
