/* SPDX-License-Identifier: Apache-2.0 */
/* device_window.cu - windows that addresses repeat, pinned memory, and the streams of a visit
 *
 * CUDA's virtual memory calls map one allocation at many addresses, so that kernels count as if a whole array was on the device
 * and find the part that is there. An allocation is accessed through one of its addresses at a time: what enters comes after
 * all that used the place before, and grids and copies end in between (CUDA C++ Programming Guide, virtual aliasing). The calls are looked
 * up in the driver at run time, so that programs need no other library. */
#include <cassert>
#include <new>
#include <vector>

#include "exec/cuda/device_cuda.h"

#ifndef __HIP__
#include <cuda.h>

namespace {

/* --- calls of the driver ---------------------------------------------------------------------- */

/* Functions of libcuda as cuda.h declares them; all are set or none is used. */
struct driver_calls {
    CUresult (*granularity)(size_t *, const CUmemAllocationProp *, CUmemAllocationGranularity_flags);
    CUresult (*reserve)(CUdeviceptr *, size_t, size_t, CUdeviceptr, unsigned long long);
    CUresult (*free_addresses)(CUdeviceptr, size_t);
    CUresult (*create)(CUmemGenericAllocationHandle *, size_t, const CUmemAllocationProp *,
                       unsigned long long);
    CUresult (*release)(CUmemGenericAllocationHandle);
    CUresult (*map)(CUdeviceptr, size_t, size_t, CUmemGenericAllocationHandle, unsigned long long);
    CUresult (*unmap)(CUdeviceptr, size_t);
    CUresult (*access)(CUdeviceptr, size_t, const CUmemAccessDesc *, size_t);
    CUresult (*name)(CUresult, const char **);
};

/* A call of the driver by its name, as of CUDA 10.2: the library is not linked to libcuda, which a machine without GPU
 * lacks. */
template <class F> bool find_call(const char *name, F *call)
{
    void *at = nullptr;
    cudaDriverEntryPointQueryResult found;
#if CUDART_VERSION >= 12050
    const cudaError_t code = cudaGetDriverEntryPointByVersion(name, &at, 10020, cudaEnableDefault,
                                                              &found);
#else
    const cudaError_t code = cudaGetDriverEntryPoint(name, &at, cudaEnableDefault, &found);
#endif
    *call = reinterpret_cast<F>(at);
    return code == cudaSuccess && found == cudaDriverEntryPointSuccess && at;
}

/* All or false; those that were found before a missing one are not used. */
bool find_calls(driver_calls *calls)
{
    return find_call("cuMemGetAllocationGranularity", &calls->granularity) &&
           find_call("cuMemAddressReserve", &calls->reserve) &&
           find_call("cuMemAddressFree", &calls->free_addresses) &&
           find_call("cuMemCreate", &calls->create) && find_call("cuMemRelease", &calls->release) &&
           find_call("cuMemMap", &calls->map) && find_call("cuMemUnmap", &calls->unmap) &&
           find_call("cuMemSetAccess", &calls->access) && find_call("cuGetErrorName", &calls->name);
}

/* code is not success; what: the call. CUDA_ERROR_OUT_OF_MEMORY becomes MPLAN_ERR_MEMORY. */
mplan_status fails(const driver_calls &calls, CUresult code, const char *what, mplan_error *err)
{
    const char *name = nullptr;
    if (calls.name(code, &name) != CUDA_SUCCESS || !name)
        name = "unknown error";
    return mplan_fail(err, code == CUDA_ERROR_OUT_OF_MEMORY ? MPLAN_ERR_MEMORY : MPLAN_ERR_DEVICE,
                      "%s: %s", what, name);
}

/* --- a window ----------------------------------------------------------------------------------- */

/* Addresses of all planes, the allocation of each plane, and the addresses that are mapped: from base, in whole windows. */
struct mapped_window {
    driver_calls calls;
    CUdeviceptr base = 0;
    size_t bytes = 0, window = 0, mapped = 0;
    std::vector<CUmemGenericAllocationHandle> memory;
};

/* Also of a window that was filled halfway: addresses below `mapped` are unmapped, window by window, before their
 * memory and the addresses go. No launch may still use them. */
void drop(mapped_window *own)
{
    for (size_t b = 0; b < own->mapped; b += own->window)
        own->calls.unmap(own->base + b, own->window);
    for (CUmemGenericAllocationHandle one : own->memory)
        own->calls.release(one);
    if (own->base)
        own->calls.free_addresses(own->base, own->bytes);
    delete own;
}

/* plane: bytes of the addresses of a plane. */
mplan_status fill(mapped_window *own, int device, size_t plane, int32_t planes, mplan_error *err)
{
    CUmemAllocationProp kind = {};
    kind.type = CU_MEM_ALLOCATION_TYPE_PINNED;
    kind.location.type = CU_MEM_LOCATION_TYPE_DEVICE;
    kind.location.id = device;
    size_t granule = 0;
    CUresult code = own->calls.granularity(&granule, &kind, CU_MEM_ALLOC_GRANULARITY_MINIMUM);
    if (code != CUDA_SUCCESS)
        return fails(own->calls, code, "cuMemGetAllocationGranularity", err);
    if (own->window % granule != 0)
        return mplan_fail(err, MPLAN_ERR_UNSUPPORTED,
                          "a window of %lld bytes cannot be mapped on the device, whose pieces have %lld; plans "
                          "for less than 256 MiB of device memory are for executors of the host",
                          static_cast<long long>(own->window), static_cast<long long>(granule));
    code = own->calls.reserve(&own->base, own->bytes, 0, 0, 0);
    if (code != CUDA_SUCCESS)
        return fails(own->calls, code, "cuMemAddressReserve", err);
    for (int32_t p = 0; p < planes; p++) {
        CUmemGenericAllocationHandle one;
        code = own->calls.create(&one, own->window, &kind, 0);
        if (code != CUDA_SUCCESS)
            return fails(own->calls, code, "cuMemCreate", err);
        own->memory.push_back(one);
        for (size_t b = 0; b < plane; b += own->window) {
            code = own->calls.map(own->base + own->mapped, own->window, 0, one, 0);
            if (code != CUDA_SUCCESS)
                return fails(own->calls, code, "cuMemMap", err);
            own->mapped += own->window;
        }
    }
    CUmemAccessDesc access = {};
    access.location = kind.location;
    access.flags = CU_MEM_ACCESS_FLAGS_PROT_READWRITE;
    code = own->calls.access(own->base, own->bytes, &access, 1);
    return code == CUDA_SUCCESS ? MPLAN_OK : fails(own->calls, code, "cuMemSetAccess", err);
}

} // namespace

/* --- windows -------------------------------------------------------------------------------------- */

extern "C" mplan_status mplan_gpu_window_make(int32_t device, int64_t bytes, int64_t window,
                                              int32_t planes, void **base, void **handle,
                                              mplan_error *err)
{
    assert(base && handle && planes > 0 && window > 0 && bytes >= window && bytes % window == 0);
    mapped_window *own = new (std::nothrow) mapped_window;
    if (!own)
        return mplan_fail(err, MPLAN_ERR_MEMORY, "out of memory");
    if (!find_calls(&own->calls)) {
        delete own;
        cudaGetLastError();
        return mplan_fail(err, MPLAN_ERR_UNSUPPORTED,
                          "the driver of the device has no calls for virtual memory");
    }
    own->window = static_cast<size_t>(window);
    own->bytes = static_cast<size_t>(bytes) * static_cast<size_t>(planes);
    mplan_status status = fill(own, device, static_cast<size_t>(bytes), planes, err);
    if (status) {
        drop(own);
        return status;
    }
    *base = reinterpret_cast<void *>(own->base);
    *handle = own;
    return MPLAN_OK;
}

extern "C" void mplan_gpu_window_free(void *handle)
{
    assert(handle);
    drop(static_cast<mapped_window *>(handle));
}
#else

/* HIP maps memory by calls of its own, which are not used yet. */
extern "C" mplan_status mplan_gpu_window_make(int32_t device, int64_t bytes, int64_t window,
                                              int32_t planes, void **base, void **handle,
                                              mplan_error *err)
{
    assert(base && handle);
    (void)device, (void)bytes, (void)window, (void)planes;
    return mplan_fail(err, MPLAN_ERR_UNSUPPORTED, "device memory cannot be limited with HIP");
}

extern "C" void mplan_gpu_window_free(void *handle)
{
    assert(handle);
}
#endif

namespace {

/* --- the streams ---------------------------------------------------------------------------------- */

/* Events of the stage before, of each stream; they are recorded when the next stage begins. later: of later launches, null before they are
 * asked for; halfway: what they come behind. */
struct visit_pipe {
    cudaStream_t in = nullptr, compute = nullptr, later = nullptr, out = nullptr;
    cudaEvent_t came = nullptr, halfway = nullptr, computed = nullptr, left = nullptr;
};

/* After a failure what was made is the pipe's to be freed. None of the streams waits for the default one. */
mplan_status open_pipe(visit_pipe *pipe, mplan_error *err)
{
    MPLAN_CUDA(cudaStreamCreateWithFlags(&pipe->in, cudaStreamNonBlocking));
    MPLAN_CUDA(cudaStreamCreateWithFlags(&pipe->compute, cudaStreamNonBlocking));
    MPLAN_CUDA(cudaStreamCreateWithFlags(&pipe->out, cudaStreamNonBlocking));
    MPLAN_CUDA(cudaEventCreateWithFlags(&pipe->came, cudaEventDisableTiming));
    MPLAN_CUDA(cudaEventCreateWithFlags(&pipe->computed, cudaEventDisableTiming));
    MPLAN_CUDA(cudaEventCreateWithFlags(&pipe->left, cudaEventDisableTiming));
    return MPLAN_OK;
}

} // namespace

/* --- pinned memory ---------------------------------------------------------------------------------- */

/* At least 16 bytes, so that *data is not NULL. */
extern "C" mplan_status mplan_gpu_host_alloc(int64_t bytes, void **data, mplan_error *err)
{
    assert(data && bytes >= 0);
    MPLAN_CUDA(cudaMallocHost(data, static_cast<size_t>(bytes > 0 ? bytes : 16)));
    return MPLAN_OK;
}

extern "C" void mplan_gpu_host_free(void *data)
{
    const cudaError_t code = cudaFreeHost(data); /* NULL is allowed */
    assert(data || code == cudaSuccess);
    if (code != cudaSuccess)
        cudaGetLastError();
}

/* What may be written is pinned everywhere; a mapped file may be read only, which not every system can pin. */
extern "C" bool mplan_gpu_host_register(const void *data, int64_t bytes)
{
    assert(data && bytes > 0);
    for (unsigned flags : {cudaHostRegisterDefault, cudaHostRegisterReadOnly}) {
        if (cudaHostRegister(const_cast<void *>(data), static_cast<size_t>(bytes), flags) ==
            cudaSuccess)
            return true;
        cudaGetLastError();
    }
    return false;
}

/* What was registered by mplan_gpu_host_register, before the caller gives the memory back; no copy may be under
 * way. */
extern "C" void mplan_gpu_host_unregister(const void *data)
{
    assert(data);
    if (cudaHostUnregister(const_cast<void *>(data)) != cudaSuccess)
        cudaGetLastError();
}

/* --- stages ------------------------------------------------------------------------------------------- */

/* Also of a pipe that was opened halfway. All that was added must be done: mplan_gpu_pipe_wait. */
extern "C" void mplan_gpu_pipe_free(void *pipe)
{
    assert(pipe);
    visit_pipe *own = static_cast<visit_pipe *>(pipe);
    for (cudaEvent_t event : {own->came, own->halfway, own->computed, own->left})
        if (event)
            cudaEventDestroy(event);
    for (cudaStream_t stream : {own->in, own->compute, own->later, own->out})
        if (stream)
            cudaStreamDestroy(stream);
    delete own;
}

/* Later launches come behind the first ones that were added until now. */
static mplan_status join_later(const visit_pipe *own, mplan_error *err)
{
    MPLAN_CUDA(cudaEventRecord(own->halfway, own->compute));
    MPLAN_CUDA(cudaStreamWaitEvent(own->later, own->halfway, 0));
    return MPLAN_OK;
}

extern "C" mplan_status mplan_gpu_pipe_make(void **pipe, mplan_error *err)
{
    assert(pipe);
    visit_pipe *own = new (std::nothrow) visit_pipe;
    if (!own)
        return mplan_fail(err, MPLAN_ERR_MEMORY, "out of memory");
    mplan_status status = open_pipe(own, err);
    if (status)
        mplan_gpu_pipe_free(own);
    else
        *pipe = own;
    return status;
}

/* What was added so far is the stage before. First launches do not wait for later ones: what came in, which they wait for, waited for those
 * of the stage before that. */
extern "C" mplan_status mplan_gpu_pipe_stage(void *pipe, mplan_error *err)
{
    assert(pipe);
    const visit_pipe *own = static_cast<visit_pipe *>(pipe);
    if (own->later) {
        const mplan_status status = join_later(own, err);
        if (status)
            return status;
    }
    MPLAN_CUDA(cudaEventRecord(own->came, own->in));
    MPLAN_CUDA(cudaEventRecord(own->computed, own->later ? own->later : own->compute));
    MPLAN_CUDA(cudaEventRecord(own->left, own->out));
    MPLAN_CUDA(cudaStreamWaitEvent(own->in, own->computed, 0));
    MPLAN_CUDA(cudaStreamWaitEvent(own->in, own->left, 0));
    MPLAN_CUDA(cudaStreamWaitEvent(own->compute, own->came, 0));
    MPLAN_CUDA(cudaStreamWaitEvent(own->out, own->computed, 0));
    return MPLAN_OK;
}

/* The stream of launches; what enters and leaves has streams that the caller never sees. */
extern "C" void *mplan_gpu_pipe_stream(void *pipe)
{
    assert(pipe);
    return static_cast<visit_pipe *>(pipe)->compute;
}

extern "C" mplan_status mplan_gpu_pipe_later(void *pipe, void **stream, mplan_error *err)
{
    assert(pipe && stream);
    visit_pipe *own = static_cast<visit_pipe *>(pipe);
    if (!own->halfway)
        MPLAN_CUDA(cudaEventCreateWithFlags(&own->halfway, cudaEventDisableTiming));
    if (!own->later)
        MPLAN_CUDA(cudaStreamCreateWithFlags(&own->later, cudaStreamNonBlocking));
    *stream = own->later;
    return join_later(own, err);
}

/* device: a place in the window, host: pinned, or the copy is not asynchronous. Returns before the bytes have
 * moved. */
extern "C" mplan_status mplan_gpu_pipe_copy(void *pipe, bool in, void *device, void *host,
                                            int64_t bytes, mplan_error *err)
{
    assert(pipe && device && host && bytes > 0);
    const visit_pipe *own = static_cast<visit_pipe *>(pipe);
    if (in)
        MPLAN_CUDA(cudaMemcpyAsync(device, host, static_cast<size_t>(bytes), cudaMemcpyHostToDevice,
                                   own->in));
    else
        MPLAN_CUDA(cudaMemcpyAsync(host, device, static_cast<size_t>(bytes), cudaMemcpyDeviceToHost,
                                   own->out));
    return MPLAN_OK;
}

/* The host sleeps while it waits: threads of others fill pieces. */
extern "C" mplan_status mplan_gpu_pipe_mark(void *pipe, bool in, void **mark, mplan_error *err)
{
    assert(pipe && mark);
    const visit_pipe *own = static_cast<visit_pipe *>(pipe);
    if (!*mark) {
        cudaEvent_t made = nullptr;
        MPLAN_CUDA(cudaEventCreateWithFlags(&made, cudaEventDisableTiming | cudaEventBlockingSync));
        *mark = made;
    }
    MPLAN_CUDA(cudaEventRecord(static_cast<cudaEvent_t>(*mark), in ? own->in : own->out));
    return MPLAN_OK;
}

extern "C" mplan_status mplan_gpu_pipe_reach(void *mark, mplan_error *err)
{
    assert(mark);
    MPLAN_CUDA(cudaEventSynchronize(static_cast<cudaEvent_t>(mark)));
    return MPLAN_OK;
}

extern "C" mplan_status mplan_gpu_pipe_reached(void *mark, bool *reached, mplan_error *err)
{
    assert(mark && reached);
    const cudaError_t code = cudaEventQuery(static_cast<cudaEvent_t>(mark));
    *reached = code == cudaSuccess;
    if (code != cudaErrorNotReady)
        MPLAN_CUDA(code);
    else
        (void)cudaGetLastError(); /* launches ask for it next */
    return MPLAN_OK;
}

extern "C" void mplan_gpu_pipe_unmark(void *mark)
{
    assert(mark);
    cudaEventDestroy(static_cast<cudaEvent_t>(mark));
}

/* For the whole device: all of these streams, and what launches put into others. */
extern "C" mplan_status mplan_gpu_pipe_wait(void *pipe, mplan_error *err)
{
    assert(pipe);
    (void)pipe;
    MPLAN_CUDA(cudaDeviceSynchronize());
    return MPLAN_OK;
}
