/* SPDX-License-Identifier: Apache-2.0 */
/* meshplan_gpu.h - the runtime of the GPU that a file is compiled for: CUDA's, or HIP's under the names of CUDA
 *
 * Every device file of meshplan is written for CUDA and includes this header for the runtime. A compiler for
 * HIP (hipcc, clang -x hip) gets HIP's headers and an alias for each name of CUDA that meshplan uses; nothing
 * else of the device files differs. Names that HIP 5.2 has under its own prefix only are in the list below,
 * what differs by more than its name is below it. Compiled for gfx90a; not run on a GPU of AMD. */
#ifndef MESHPLAN_GPU_H
#define MESHPLAN_GPU_H

#ifdef __HIP__
#include <hip/hip_runtime.h>

#include <new>

#define cudaDevAttrMaxSharedMemoryPerBlockOptin hipDeviceAttributeMaxSharedMemoryPerBlock
#define cudaDevAttrL2CacheSize hipDeviceAttributeL2CacheSize
#define cudaDevAttrMaxSharedMemoryPerMultiprocessor \
    hipDeviceAttributeMaxSharedMemoryPerMultiprocessor
#define cudaDevAttrMaxThreadsPerBlock hipDeviceAttributeMaxThreadsPerBlock
#define cudaDevAttrMaxThreadsPerMultiProcessor hipDeviceAttributeMaxThreadsPerMultiProcessor
#define cudaDevAttrMultiProcessorCount hipDeviceAttributeMultiprocessorCount
#define cudaDeviceCanAccessPeer hipDeviceCanAccessPeer
#define cudaDeviceEnablePeerAccess hipDeviceEnablePeerAccess
#define cudaDeviceGetAttribute hipDeviceGetAttribute
#define cudaDeviceGetPCIBusId hipDeviceGetPCIBusId
#define cudaDeviceGetStreamPriorityRange hipDeviceGetStreamPriorityRange
#define cudaDevAttrWarpSize hipDeviceAttributeWarpSize
#define cudaDeviceProp hipDeviceProp_t
#define cudaDeviceSynchronize hipDeviceSynchronize
#define cudaErrorInvalidConfiguration hipErrorInvalidConfiguration
#define cudaErrorInvalidValue hipErrorInvalidValue
#define cudaErrorMemoryAllocation hipErrorOutOfMemory
#define cudaErrorPeerAccessAlreadyEnabled hipErrorPeerAccessAlreadyEnabled
#define cudaError_t hipError_t
#define cudaEventBlockingSync hipEventBlockingSync
#define cudaEventCreate hipEventCreate
#define cudaEventCreateWithFlags hipEventCreateWithFlags
#define cudaEventDefault hipEventDefault
#define cudaEventDestroy hipEventDestroy
#define cudaEventDisableTiming hipEventDisableTiming
#define cudaEventElapsedTime hipEventElapsedTime
#define cudaEventRecord hipEventRecord
#define cudaEventQuery hipEventQuery
#define cudaEventSynchronize hipEventSynchronize
#define cudaEvent_t hipEvent_t
#define cudaFree hipFree
#define cudaFreeHost hipHostFree
#define cudaFuncAttributeMaxDynamicSharedMemorySize hipFuncAttributeMaxDynamicSharedMemorySize
#define cudaFuncAttributes hipFuncAttributes
#define cudaGetDevice hipGetDevice
#define cudaGetDeviceCount hipGetDeviceCount
#define cudaGetDeviceProperties hipGetDeviceProperties
#define cudaGetErrorName hipGetErrorName
#define cudaGetErrorString hipGetErrorString
#define cudaGetLastError hipGetLastError
#define cudaGraphDestroy hipGraphDestroy
#define cudaGraphExecDestroy hipGraphExecDestroy
#define cudaGraphExec_t hipGraphExec_t
#define cudaGraphInstantiateWithFlags hipGraphInstantiateWithFlags
#define cudaGraphLaunch hipGraphLaunch
#define cudaGraph_t hipGraph_t
#define cudaHostRegister hipHostRegister
#define cudaHostRegisterReadOnly hipHostRegisterDefault
#define cudaHostUnregister hipHostUnregister
#define cudaIpcCloseMemHandle hipIpcCloseMemHandle
#define cudaIpcGetMemHandle hipIpcGetMemHandle
#define cudaIpcMemHandle_t hipIpcMemHandle_t
#define cudaIpcMemLazyEnablePeerAccess hipIpcMemLazyEnablePeerAccess
#define cudaIpcOpenMemHandle hipIpcOpenMemHandle
#define cudaMalloc hipMalloc
#define cudaMemGetInfo hipMemGetInfo
#define cudaMemcpy hipMemcpy
#define cudaMemcpyAsync hipMemcpyAsync
#define cudaMemcpyDeviceToDevice hipMemcpyDeviceToDevice
#define cudaMemcpyDeviceToHost hipMemcpyDeviceToHost
#define cudaMemcpyHostToDevice hipMemcpyHostToDevice
#define cudaMemset hipMemset
#define cudaMemsetAsync hipMemsetAsync
#define cudaPointerAttributes hipPointerAttribute_t
#define cudaPointerGetAttributes hipPointerGetAttributes
#define cudaSetDevice hipSetDevice
#define cudaStreamBeginCapture hipStreamBeginCapture
#define cudaStreamCaptureModeThreadLocal hipStreamCaptureModeThreadLocal
#define cudaStreamCreate hipStreamCreate
#define cudaStreamCreateWithFlags hipStreamCreateWithFlags
#define cudaStreamCreateWithPriority hipStreamCreateWithPriority
#define cudaStreamDefault hipStreamDefault
#define cudaStreamDestroy hipStreamDestroy
#define cudaStreamEndCapture hipStreamEndCapture
#define cudaStreamNonBlocking hipStreamNonBlocking
#define cudaStreamSynchronize hipStreamSynchronize
#define cudaStreamWaitEvent hipStreamWaitEvent
#define cudaStream_t hipStream_t
#define cudaSuccess hipSuccess

/* Lanes speak to lanes of their own 32, two groups of which are a warp of 64; all lanes of a group take part. */
#define __shfl_sync(lanes, value, from) __shfl(value, from, 32)
#define __shfl_down_sync(lanes, value, by) __shfl_down(value, by, 32)

/* Args of kernels are read where they are, without asking. */
#define __grid_constant__
#define CUDART_CB

/* HIP's memory has one allocation for kernels and copies of pinned pages. */
template <typename T> static inline hipError_t cudaMallocHost(T **memory, size_t bytes)
{
    return hipHostMalloc(reinterpret_cast<void **>(memory), bytes, hipHostMallocDefault);
}

/* A function that the stream calls. HIP 5.2 declares hipLaunchHostFunc, but its library does not have it. */
#if HIP_VERSION >= 50300000
#define cudaLaunchHostFunc hipLaunchHostFunc
#else
struct mplan_host_work {
    void (*function)(void *);
    void *data;
};
static inline void mplan_do_host_work(hipStream_t, hipError_t, void *data)
{
    mplan_host_work *work = static_cast<mplan_host_work *>(data);
    work->function(work->data);
    delete work;
}
static inline hipError_t cudaLaunchHostFunc(hipStream_t stream, void (*function)(void *), void *data)
{
    mplan_host_work *work = new (std::nothrow) mplan_host_work{function, data};
    if (!work)
        return hipErrorOutOfMemory;
    const hipError_t code = hipStreamAddCallback(stream, mplan_do_host_work, work, 0);
    if (code != hipSuccess)
        delete work;
    return code;
}
#endif

/* HIP takes kernels as untyped pointers. */
template <class K> static inline hipError_t cudaFuncGetAttributes(hipFuncAttributes *has, K kernel)
{
    return hipFuncGetAttributes(has, reinterpret_cast<const void *>(kernel));
}
static inline hipError_t cudaFuncSetAttribute(const void *kernel, hipFuncAttribute which, int value)
{
    return hipFuncSetAttribute(kernel, which, value);
}

/* Memory of the device itself, or managed; older HIP and newer name the kind of memory otherwise. */
static inline bool mplan_memory_is_reached(const hipPointerAttribute_t &about, int device)
{
#if HIP_VERSION_MAJOR >= 6
    const hipMemoryType kind = about.type;
#else
    const hipMemoryType kind = about.memoryType;
#endif
    return about.isManaged || (kind == hipMemoryTypeDevice && about.device == device);
}

#else
#include <cuda_runtime.h>

/* Memory of the device itself, or managed. */
static inline bool mplan_memory_is_reached(const cudaPointerAttributes &about, int device)
{
    return about.type == cudaMemoryTypeManaged ||
           (about.type == cudaMemoryTypeDevice && about.device == device);
}
#endif

#endif
