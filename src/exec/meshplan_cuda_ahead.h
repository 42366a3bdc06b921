/* SPDX-License-Identifier: Apache-2.0 */
/* meshplan_cuda_ahead.h - launches of loops, each of which may begin before the one in front of it has ended
 *
 * A program that is compiled with MPLAN_LAUNCH_AHEAD asks CUDA to start a loop's thread blocks as soon as all of the launch
 * before have started (programmatic dependent launch, from compute capability 9.0 on). They get their places and wait there until
 * that launch is complete, so that what lies between two launches does not take time: at the end of a launch places are free.
 * Every kernel of a loop waits at its beginning, before it loads anything; so a launch that is complete has all launches before
 * it complete, too. What is stored while a kernel has begun must not be read through the read-only cache: such programs read
 * no dat so. Graphs keep this kind of order. Kernels of loops with layers, of globals and of messages begin in the
 * usual way, after everything before them. */
#ifndef MESHPLAN_CUDA_AHEAD_H
#define MESHPLAN_CUDA_AHEAD_H

#include "meshplan_gpu.h"

#if defined MPLAN_LAUNCH_AHEAD && (defined __HIP__ || defined MESHPLAN_EMULATED_CUDA_RUNTIME_H)
#undef MPLAN_LAUNCH_AHEAD /* neither has it */
#endif
#if defined MPLAN_LAUNCH_AHEAD && CUDART_VERSION < 12000
#error "MPLAN_LAUNCH_AHEAD needs CUDA 12"
#endif
/* Older code has no instruction to wait with; a device that can launch ahead may still run it, from PTX. */
#if defined MPLAN_LAUNCH_AHEAD && defined __CUDA_ARCH__ && __CUDA_ARCH__ < 900
#error "MPLAN_LAUNCH_AHEAD is for compute capability 9.0 and later: name no earlier architecture"
#endif

namespace mplan {

#ifdef MPLAN_LAUNCH_AHEAD
constexpr bool launches_ahead = true;
#else
constexpr bool launches_ahead = false;
#endif

/* At the beginning of a kernel of a loop, by all threads. The next launch may start from here on; what comes before this one is
 * complete, and seen, behind it. */
__device__ __forceinline__ void begin_kernel()
{
#if defined MPLAN_LAUNCH_AHEAD && defined __CUDA_ARCH__ && __CUDA_ARCH__ >= 900
    asm volatile("griddepcontrol.launch_dependents;" ::: "memory");
    asm volatile("griddepcontrol.wait;" ::: "memory");
#endif
}

/* Launches a kernel that begins with begin_kernel. */
template <class... P, class... A> inline void start_kernel(void (*kernel)(P...), dim3 blocks,
                                                           int threads, size_t shared,
                                                           cudaStream_t stream, const A &...args)
{
#ifdef MPLAN_LAUNCH_AHEAD
    cudaLaunchAttribute ahead = {};
    ahead.id = cudaLaunchAttributeProgrammaticStreamSerialization;
    ahead.val.programmaticStreamSerializationAllowed = 1;
    cudaLaunchConfig_t config = {};
    config.gridDim = blocks;
    config.blockDim = dim3(unsigned(threads));
    config.dynamicSmemBytes = shared;
    config.stream = stream;
    config.attrs = &ahead;
    config.numAttrs = 1;
    cudaLaunchKernelEx(&config, kernel, args...); /* its error is the last one, too */
#else
    kernel<<<blocks, threads, shared, stream>>>(args...);
#endif
}

} // namespace mplan

#endif
