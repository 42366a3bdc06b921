/* SPDX-License-Identifier: Apache-2.0 */
/* meshplan_cuda_bounds.h - grids of launches, and which of two kernels is taken by the registers they need */
#ifndef MESHPLAN_CUDA_BOUNDS_H
#define MESHPLAN_CUDA_BOUNDS_H

#include "meshplan_gpu.h"
#include "meshplan_kernel.h"

namespace mplan {

inline unsigned grid_of(int64_t n, int64_t per_block)
{
    return unsigned((n + per_block - 1) / per_block);
}

/* The threads of a plan's thread block, or as many as the registers of the kernel leave room for: a kernel has at most
 * 255, so that 256 threads always fit. Kernels go on by blockDim.x: a thread has more elements, in the same order in every run. */
template <class K> int fitting_threads(K kernel, int wanted)
{
    enum { ALWAYS = 256 };
    cudaFuncAttributes has;
    if (wanted <= ALWAYS)
        return wanted;
    if (cudaFuncGetAttributes(&has, kernel)) {
        cudaGetLastError(); /* another launch is not to find it */
        return ALWAYS;
    }
    return wanted <= has.maxThreadsPerBlock ? wanted : has.maxThreadsPerBlock / 32 * 32;
}

/* What a kernel that was compiled for fewer registers and the open one need. */
struct bounds_facts {
    bool known;
    int open_registers;
    size_t open_bytes, bounded_bytes; /* of memory for what registers do not hold */
};

template <class K> bounds_facts facts_of(K bounded_kernel, K open_kernel)
{
    cudaFuncAttributes bounded, open;
    if (cudaFuncGetAttributes(&bounded, bounded_kernel) || cudaFuncGetAttributes(&open, open_kernel)) {
        cudaGetLastError(); /* another launch is not to find it */
        return {false, 0, 0, 0};
    }
    return {true, open.numRegs, open.localSizeBytes, bounded.localSizeBytes};
}

/* Whether the bounded kernel is taken. Where the plan states launch bounds: if the open one has too many registers for them.
 * Else if it keeps at most `spilled` bytes more in memory than the open one, which must need more than `most` registers, or
 * there is nothing to gain. */
inline bool takes_bounds(const mplan_launch_call *call, const bounds_facts &facts, int most,
                         size_t spilled)
{
    enum { REGISTERS = 65536 }; /* of a multiprocessor */
    if (call->bound_blocks > 0)
        return facts.known &&
               facts.open_registers > REGISTERS / (call->bound_threads * call->bound_blocks);
    return facts.known && facts.open_registers > most &&
           facts.bounded_bytes <= facts.open_bytes + spilled;
}

/* Lets a kernel have so much shared memory. A limit is only raised: other loops, or other variants, may be bound to the
 * same kernel, and need what they have asked for. */
inline int raise_shared(const void *kernel, int64_t bytes)
{
    cudaFuncAttributes about;
    const int code = cudaFuncGetAttributes(&about, kernel);
    if (code || about.maxDynamicSharedSizeBytes >= bytes)
        return code;
    return cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, int(bytes));
}

} // namespace mplan

#endif
